//! Scenes from files: a mesh in the world's frame, or JSON that lists objects; [`Scene::read`] says
//! what they may be.

use super::parts::from_engine;
use super::scene::{Object, Scene};
use crate::meshes::scaled;
use crate::{Error, ErrorKind, Result};
use clearance_engine::Pose;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::shape::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Sphere};
use clearance_engine::tree::voxel_map::{Cell, Cells};
use clearance_engine::tree::{Geometry, HalfSpaceGeometry, Mesh, PointCloud, Solid};
use clearance_io::Keep;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

type Fields = Map<String, Value>;

/// What an object may be.
const KINDS: [&str; 10] =
    ["mesh", "box", "sphere", "cylinder", "capsule", "cone", "ellipsoid", "halfspace", "octomap", "points"];
/// What else it may have; some of it for some kinds only.
const OTHERS: [&str; 5] = ["name", "pose", "scale", "solid", "radius"];

/// How scenes are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneOptions {
    /// The most triangles, points and octree leaves that all files of a scene together may have. A
    /// file counts once for every scale that it is used with: a small scene can ask for one mesh at
    /// any number of scales. 2²⁶ by default.
    pub max_elements: usize,
}

impl Default for SceneOptions {
    fn default() -> Self {
        Self { max_elements: 1 << 26 }
    }
}

impl Scene {
    /// Reads the scene at `path`: JSON if that is its ending, otherwise one mesh, called by the
    /// file's name.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::load_with(path, &SceneOptions::default())
    }

    /// [`load`](Scene::load) with other limits.
    pub fn load_with(path: impl AsRef<Path>, options: &SceneOptions) -> Result<Self> {
        let path = path.as_ref();
        if !path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json")) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let (mut scene, mut files) = (Self::default(), Files::new(Path::new(""), options));
            scene.insert(Object { name, geometry: files.mesh(path, DVec3::ONE, false)?, pose: Pose::IDENTITY })?;
            return Ok(scene);
        }
        let io = |error: std::io::Error| Error::new(ErrorKind::Io, error.to_string()).in_file(path);
        let text = std::fs::read_to_string(path).map_err(io)?;
        Self::read_with(&text, path.parent().unwrap_or(Path::new("")), options).map_err(|error| error.in_file(path))
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
        Self::read_with(text, folder, &SceneOptions::default())
    }

    /// [`read`](Scene::read) with other limits.
    pub fn read_with(text: &str, folder: &Path, options: &SceneOptions) -> Result<Self> {
        let value: Value = serde_json::from_str(text).map_err(|error| {
            // serde_json names line and column in its message.
            Error::new(ErrorKind::Malformed, format!("no JSON: {error}"))
        })?;
        let objects = value.get("objects").and_then(Value::as_array);
        let objects = objects.ok_or_else(|| malformed("there is no list \"objects\"; add it"))?;
        if let Some(unknown) = value.as_object().and_then(|fields| fields.keys().find(|key| *key != "objects")) {
            return Err(malformed(format!("unknown field {unknown:?}; there is \"objects\" only")));
        }
        let (mut scene, mut files) = (Self::default(), Files::new(folder, options));
        for (i, value) in objects.iter().enumerate() {
            let named = value.get("name").and_then(Value::as_str).map(|name| format!(" '{name}'"));
            let label = format!("object {i}{}", named.unwrap_or_default());
            let object = object(value, &mut files).and_then(|object| scene.insert(object));
            object.map_err(|error| error.of(label))?;
        }
        Ok(scene)
    }
}

fn malformed(reason: impl Into<String>) -> Error {
    Error::new(ErrorKind::Malformed, reason)
}

fn object(value: &Value, files: &mut Files<'_>) -> Result<Object> {
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
        "points" => files.points(&fields[kind], scale, fields)?,
        _ if fields.contains_key("radius") => return Err(malformed("\"radius\" beside the kind is for points only")),
        _ => geometry(kind, &fields[kind], scale, solid, files)?,
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

fn geometry(kind: &str, value: &Value, scale: DVec3, solid: bool, files: &mut Files<'_>) -> Result<Arc<dyn Geometry>> {
    let round = || {
        check_fields(kind, value, ["radius", "length"])?;
        Ok((scale.x * number(value, "radius")?, scale.z * 0.5 * number(value, "length")?))
    };
    let solid = match kind {
        "mesh" => {
            let file = value.as_str().ok_or_else(|| malformed("\"mesh\" must be a path"))?;
            return files.mesh(Path::new(file), scale, solid);
        }
        "octomap" => {
            let file = value.as_str().ok_or_else(|| malformed("\"octomap\" must be a path"))?;
            return files.octomap(file);
        }
        "box" => Cuboid::from_half_extents(scale * DVec3::from(numbers::<3>(value, "box")?) * 0.5).map(Solid::new),
        "sphere" => Sphere::new(scale.x * plain_number(value, "sphere")?).map(Solid::new),
        "ellipsoid" => Ellipsoid::new(scale * DVec3::from(numbers::<3>(value, "ellipsoid")?)).map(Solid::new),
        "cylinder" => round().map(|(radius, half)| Cylinder::from_half_length(radius, half).map(Solid::new))?,
        "cone" => round().map(|(radius, half)| Cone::from_half_length(radius, half).map(Solid::new))?,
        "halfspace" => {
            check_fields(kind, value, ["normal", "offset"])?;
            let normal = numbers::<3>(value.get("normal").unwrap_or(&Value::Null), "normal")?;
            let half_space = HalfSpace::new(DVec3::from(normal), number(value, "offset")?).map_err(from_engine)?;
            return Ok(Arc::new(HalfSpaceGeometry::new(half_space)));
        }
        _ => round().map(|(radius, half)| Capsule::from_half_length(radius, half).map(Solid::new))?,
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

/// The files that a scene names, each read once for every way in which it is used.
struct Files<'f> {
    folder: &'f Path,
    known: HashMap<Use, Arc<dyn Geometry>>,
    options: &'f SceneOptions,
    elements: usize,
}

/// A file, however its path was written, the bits of its scale and of a radius, and whether it is
/// solid.
type Use = (PathBuf, [u64; 4], bool);

impl<'f> Files<'f> {
    fn new(folder: &'f Path, options: &'f SceneOptions) -> Self {
        Self { folder, known: HashMap::new(), options, elements: 0 }
    }

    /// What `load` makes of a file, with the number of its elements; it was made before where the
    /// file was used in this way.
    fn once(
        &mut self,
        file: &Path,
        (scale, radius, solid): (DVec3, f64, bool),
        load: impl FnOnce(&Path) -> Result<(Arc<dyn Geometry>, usize)>,
    ) -> Result<Arc<dyn Geometry>> {
        let path = self.folder.join(file);
        if !path.is_file() {
            let reason = format!("there is no file {}; correct the path", path.display());
            return Err(Error::new(ErrorKind::MissingMesh, reason));
        }
        let whole = path.canonicalize().unwrap_or_else(|_| path.clone());
        let key = (whole, [scale.x, scale.y, scale.z, radius].map(f64::to_bits), solid);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let (made, elements) = load(&path)?;
        self.elements += elements;
        let limit = self.options.max_elements;
        if self.elements > limit {
            let reason = format!(
                "with {} the scene's files, each counted once per scale, have more than the allowed {limit} triangles, \
                 points and leaves",
                path.display()
            );
            return Err(Error::new(ErrorKind::TooLarge, reason));
        }
        self.known.insert(key, made.clone());
        Ok(made)
    }

    fn mesh(&mut self, file: &Path, scale: DVec3, solid: bool) -> Result<Arc<dyn Geometry>> {
        self.once(file, (scale, 0.0, solid), |path| {
            let tri_mesh = clearance_io::load_mesh(path).map_err(|error| bad(&error))?;
            let tri_mesh =
                scaled(&tri_mesh, scale).map_err(|error| bad(&format!("{}: scaled, {error}", path.display())))?;
            let count = tri_mesh.len();
            let mesh: Mesh = Mesh::new(tri_mesh).map_err(|error| bad(&error))?;
            let mesh = if solid { mesh.into_solid().map_err(|error| bad(&error))? } else { mesh };
            Ok((Arc::new(mesh) as _, count))
        })
    }

    /// A point cloud, whose radius stands beside it.
    fn points(&mut self, value: &Value, scale: DVec3, fields: &Fields) -> Result<Arc<dyn Geometry>> {
        let file = value.as_str().ok_or_else(|| malformed("\"points\" must be a path"))?;
        let radius = fields.get("radius").ok_or_else(|| malformed("\"points\" needs a \"radius\"; add it"))?;
        let radius = plain_number(radius, "radius")?;
        self.once(Path::new(file), (scale, radius, false), |path| {
            let mut points = clearance_io::load_points(path).map_err(|error| bad(&error))?.points;
            points.iter_mut().for_each(|point| *point *= scale);
            let count = points.len();
            Ok((Arc::new(PointCloud::new(points, radius).map_err(from_engine)?) as _, count))
        })
    }

    /// The obstacles of an OctoMap file.
    fn octomap(&mut self, file: &str) -> Result<Arc<dyn Geometry>> {
        self.once(Path::new(file), (DVec3::ONE, 0.0, false), |path| {
            let at = |reason: &dyn std::fmt::Display| bad(&format!("{}: {reason}", path.display()));
            let map = clearance_io::load_octomap(path).map_err(|error| bad(&error))?;
            let count = map.leaves().len();
            if map.occupied().next().is_none() {
                return Err(at(&"no leaf is occupied; leave the object out"));
            }
            let mut map = map.to_voxel_map(Cell::Free, Keep::Kinds).map_err(|error| at(&error))?;
            let cells = map.snapshot().geometry(Cells::OBSTACLE).map_err(|error| at(&error))?;
            Ok((Arc::new(cells) as _, count))
        })
    }
}

fn bad(error: &dyn std::fmt::Display) -> Error {
    Error::new(ErrorKind::BadMesh, error.to_string())
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
