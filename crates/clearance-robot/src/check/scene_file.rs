//! Scenes from files: a mesh in the world's frame, or JSON that lists objects; [`Scene::read`] says
//! what they may be.

use super::parts::from_engine;
use super::scene::{Object, Scene};
use crate::meshes::scaled;
use crate::{Error, ErrorKind, Result};
use clearance::Pose;
use clearance::math::{DQuat, DVec3};
use clearance::shape::{Ball, Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace};
use clearance::tree::voxel_map::{Cell, Cells};
use clearance::tree::{Geometry, Mesh, PointCloud, Solid, Unbounded};
use clearance_io::Keep;
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;

type Fields = Map<String, Value>;

/// What an object may be.
const KINDS: [&str; 10] =
    ["mesh", "box", "sphere", "cylinder", "capsule", "cone", "ellipsoid", "halfspace", "octomap", "points"];
/// What else it may have; some of it for some kinds only.
const OTHERS: [&str; 5] = ["name", "pose", "scale", "solid", "radius"];

impl Scene {
    /// Reads the scene at `path`: JSON if that is its ending, otherwise one mesh, called by the file's name.
    pub fn load(path: &Path) -> Result<Self> {
        if !path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json")) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let mut scene = Self::default();
            scene.add(Object { name, geometry: mesh(path, DVec3::ONE, false)?, pose: Pose::IDENTITY })?;
            return Ok(scene);
        }
        let io = |error: std::io::Error| Error::new(ErrorKind::Io, error.to_string()).in_file(path);
        let text = std::fs::read_to_string(path).map_err(io)?;
        Self::read(&text, path.parent().unwrap_or(Path::new(""))).map_err(|error| error.in_file(path))
    }

    /// Reads the text of a JSON file, `{"objects":[…]}`; paths in it start at `folder`.
    ///
    /// Each object has a `"name"` and one of `"mesh":path`, `"box":[full edge lengths]`,
    /// `"sphere":r`, `"cylinder":{"radius":…,"length":…}`, `"capsule":{…}`, `"cone":{…}`,
    /// `"ellipsoid":[half axes]`, `"halfspace":{"normal":[…],"offset":…}`, `"octomap":path`, and
    /// `"points":path` with `"radius":r`. A half-space is all that is below `normal·x = offset`: a
    /// floor. Of an OctoMap file the occupied leaves count.
    ///
    /// It may have
    /// * `"pose":[x,y,z,qw,qx,qy,qz]`, its place in the world;
    /// * `"solid":true`, for meshes;
    /// * `"scale":s` or `"scale":[sx,sy,sz]`: multiplies the sizes above, or the coordinates in the
    ///   object's file, along the object's own axes, before the pose places it. A mesh in
    ///   millimetres has 0.001, and a negative number mirrors a mesh or points. Round objects stay
    ///   round: a sphere and a capsule take one number, a cylinder and a cone three of which the
    ///   first two are equal. The radius of points is in metres and is not scaled. Half-spaces and
    ///   OctoMap files take no scale.
    ///
    /// ```
    /// use clearance_robot::Scene;
    /// let text = r#"{"objects":[{"name":"shelf","pose":[0,0,1,1,0,0,0],"box":[1,0.3,0.02]}]}"#;
    /// assert_eq!(Scene::read(text, "".as_ref())?.names().count(), 1);
    /// # Ok::<(), clearance_robot::Error>(())
    /// ```
    pub fn read(text: &str, folder: &Path) -> Result<Self> {
        let value: Value = serde_json::from_str(text).map_err(|error| {
            // serde_json names line and column in its message.
            Error::new(ErrorKind::Malformed, format!("no JSON: {error}"))
        })?;
        let objects = value.get("objects").and_then(Value::as_array);
        let objects = objects.ok_or_else(|| malformed("there is no list \"objects\"; add it"))?;
        if let Some(unknown) = value.as_object().and_then(|fields| fields.keys().find(|key| *key != "objects")) {
            return Err(malformed(format!("unknown field {unknown:?}; there is \"objects\" only")));
        }
        let mut scene = Self::default();
        for (i, value) in objects.iter().enumerate() {
            let named = value.get("name").and_then(Value::as_str).map(|name| format!(" '{name}'"));
            let label = format!("object {i}{}", named.unwrap_or_default());
            let object = object(value, folder).and_then(|object| scene.add(object));
            object.map_err(|error| error.of(label))?;
        }
        Ok(scene)
    }
}

fn malformed(reason: impl Into<String>) -> Error {
    Error::new(ErrorKind::Malformed, reason)
}

fn object(value: &Value, folder: &Path) -> Result<Object> {
    let fields = value.as_object().ok_or_else(|| malformed("it is no JSON object"))?;
    if let Some(key) = fields.keys().find(|key| !KINDS.contains(&key.as_str()) && !OTHERS.contains(&key.as_str())) {
        let (known, others) = (KINDS.join(", "), OTHERS.join(", "));
        let reason = format!("unknown field {key:?}; there are {others} and one of {known}");
        return Err(Error::new(ErrorKind::Unsupported, reason));
    }
    let name =
        fields.get("name").and_then(Value::as_str).ok_or_else(|| malformed("it has no \"name\"; add one, a text"))?;
    let kinds: Vec<&str> = KINDS.into_iter().filter(|kind| fields.contains_key(*kind)).collect();
    let [kind] = kinds[..] else {
        return Err(malformed(format!("it must have one of {}, not {}", KINDS.join(", "), kinds.len())));
    };
    let solid = match fields.get("solid") {
        None => false,
        Some(Value::Bool(solid)) if kind == "mesh" => *solid,
        Some(_) => return Err(malformed("\"solid\" is true or false, and for meshes only")),
    };
    let scale = scale(kind, fields)?;
    let geometry = match kind {
        "points" => points(&fields[kind], scale, fields, folder)?,
        _ if fields.contains_key("radius") => return Err(malformed("\"radius\" beside the kind is for points only")),
        _ => geometry(kind, &fields[kind], scale, solid, folder)?,
    };
    Ok(Object { name: name.to_owned(), geometry, pose: pose(fields)? })
}

/// How much larger the object is than stated, along its axes; refuses what its kind cannot be.
fn scale(kind: &str, fields: &Fields) -> Result<DVec3> {
    let Some(value) = fields.get("scale") else { return Ok(DVec3::ONE) };
    let scale = match value.as_f64() {
        Some(scale) => DVec3::splat(scale),
        None => numbers::<3>(value, "scale").map(DVec3::from).map_err(|_| malformed(SCALE))?,
    };
    let refuse = |reason: &str| Err(Error::new(ErrorKind::OutOfRange, format!("\"scale\" {reason}")));
    let mirrors = scale.min_element() < 0.0;
    match kind {
        "halfspace" => refuse("is not for a half-space, which has no size; remove it"),
        "octomap" => refuse("is not for an OctoMap file, whose cells have their size; remove it"),
        _ if scale.to_array().contains(&0.0) => refuse("must not be 0, which leaves nothing of the object"),
        "mesh" | "points" => Ok(scale),
        _ if mirrors => refuse("must be above 0: only meshes and points can be mirrored"),
        "sphere" if scale != DVec3::splat(scale.x) => refuse("of a sphere is one number; an ellipsoid takes three"),
        "capsule" if scale != DVec3::splat(scale.x) => refuse("of a capsule is one number: its ends are round"),
        "cylinder" | "cone" if scale.x != scale.y => {
            refuse(&format!("of a {kind} has two equal numbers first: its cross-section is round"))
        }
        _ => Ok(scale),
    }
}

/// What `scale` must be.
const SCALE: &str = "\"scale\" must be a number or a list of 3 numbers";

fn geometry(kind: &str, value: &Value, scale: DVec3, solid: bool, folder: &Path) -> Result<Arc<dyn Geometry>> {
    let round = || {
        check_fields(kind, value, ["radius", "length"])?;
        Ok((scale.x * number(value, "radius")?, scale.z * 0.5 * number(value, "length")?))
    };
    let solid = match kind {
        "mesh" => {
            let file = value.as_str().ok_or_else(|| malformed("\"mesh\" must be a path"))?;
            return mesh(&folder.join(file), scale, solid);
        }
        "octomap" => {
            let file = value.as_str().ok_or_else(|| malformed("\"octomap\" must be a path"))?;
            return octomap(&folder.join(file));
        }
        "box" => Cuboid::new(scale * DVec3::from(numbers::<3>(value, "box")?) * 0.5).map(Solid::new),
        "sphere" => Ball::new(scale.x * plain_number(value, "sphere")?).map(Solid::new),
        "ellipsoid" => Ellipsoid::new(scale * DVec3::from(numbers::<3>(value, "ellipsoid")?)).map(Solid::new),
        "cylinder" => round().map(|(radius, half)| Cylinder::new(radius, half).map(Solid::new))?,
        "cone" => round().map(|(radius, half)| Cone::new(radius, half).map(Solid::new))?,
        "halfspace" => {
            check_fields(kind, value, ["normal", "offset"])?;
            let normal = numbers::<3>(value.get("normal").unwrap_or(&Value::Null), "normal")?;
            let half_space = HalfSpace::new(DVec3::from(normal), number(value, "offset")?).map_err(from_engine)?;
            return Ok(Arc::new(Unbounded::new(half_space)));
        }
        _ => round().map(|(radius, half)| Capsule::new(radius, half).map(Solid::new))?,
    };
    Ok(Arc::new(solid.map_err(from_engine)?))
}

/// Refuses what is no JSON object, or has fields of other names.
fn check_fields(kind: &str, value: &Value, known: [&str; 2]) -> Result<()> {
    let [one, other] = known;
    let fields = value.as_object();
    let fields = fields.ok_or_else(|| malformed(format!("\"{kind}\" must be an object with {one} and {other}")))?;
    match fields.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(malformed(format!("unknown field {key:?} of \"{kind}\"; there are {one} and {other}"))),
        None => Ok(()),
    }
}

/// A point cloud, whose radius stands beside it.
fn points(value: &Value, scale: DVec3, fields: &Fields, folder: &Path) -> Result<Arc<dyn Geometry>> {
    let file = value.as_str().ok_or_else(|| malformed("\"points\" must be a path"))?;
    let radius = fields.get("radius").ok_or_else(|| malformed("\"points\" needs a \"radius\"; add it"))?;
    let radius = plain_number(radius, "radius")?;
    let path = folder.join(file);
    check_file(&path)?;
    let mut points = clearance_io::load_points(&path).map_err(|error| bad(&error))?.points;
    points.iter_mut().for_each(|point| *point *= scale);
    Ok(Arc::new(PointCloud::new(points, radius).map_err(from_engine)?))
}

/// The obstacles of an OctoMap file.
fn octomap(path: &Path) -> Result<Arc<dyn Geometry>> {
    check_file(path)?;
    let at = |reason: &dyn std::fmt::Display| bad(&format!("{}: {reason}", path.display()));
    let map = clearance_io::load_octomap(path).map_err(|error| bad(&error))?;
    if map.occupied().next().is_none() {
        return Err(at(&"no leaf is occupied; leave the object out"));
    }
    let mut map = map.to_voxel_map(Cell::Free, Keep::Kinds).map_err(|error| at(&error))?;
    Ok(Arc::new(map.snapshot().geometry(Cells::OBSTACLE).map_err(|error| at(&error))?))
}

fn check_file(path: &Path) -> Result<()> {
    if path.is_file() {
        return Ok(());
    }
    let reason = format!("there is no file {}; correct the path", path.display());
    Err(Error::new(ErrorKind::MissingMesh, reason))
}

fn bad(error: &dyn std::fmt::Display) -> Error {
    Error::new(ErrorKind::BadMesh, error.to_string())
}

fn mesh(path: &Path, scale: DVec3, solid: bool) -> Result<Arc<dyn Geometry>> {
    check_file(path)?;
    let soup = clearance_io::load_mesh(path).map_err(|error| bad(&error))?;
    let soup = scaled(&soup, scale).map_err(|error| bad(&format!("{}: scaled, {error}", path.display())))?;
    let mesh: Mesh = Mesh::new(soup).map_err(|error| bad(&error))?;
    Ok(Arc::new(if solid { mesh.into_solid().map_err(|error| bad(&error))? } else { mesh }))
}

fn pose(fields: &Fields) -> Result<Pose> {
    let Some(value) = fields.get("pose") else { return Ok(Pose::IDENTITY) };
    let [x, y, z, qw, qx, qy, qz] = numbers::<7>(value, "pose")?;
    Pose::new(DQuat::from_xyzw(qx, qy, qz, qw), DVec3::new(x, y, z)).map_err(from_engine)
}

fn plain_number(value: &Value, what: &str) -> Result<f64> {
    value.as_f64().ok_or_else(|| malformed(format!("\"{what}\" must be a number")))
}

fn number(value: &Value, field: &str) -> Result<f64> {
    let inner = value.get(field).ok_or_else(|| malformed(format!("there is no \"{field}\"; add it")))?;
    plain_number(inner, field)
}

fn numbers<const N: usize>(value: &Value, what: &str) -> Result<[f64; N]> {
    let list: Option<Vec<f64>> = value.as_array().and_then(|list| list.iter().map(Value::as_f64).collect());
    let list = list.and_then(|list| <[f64; N]>::try_from(list).ok());
    list.ok_or_else(|| malformed(format!("\"{what}\" must be a list of {N} numbers")))
}
