//! Scenes to JSON files, with files beside them for meshes, points and voxel maps: what
//! [`Scene::load`] reads.

use super::scene::Scene;
use crate::{Error, ErrorKind, Result};
use clearance_engine::math::{DMat3, DQuat, DVec3};
use clearance_engine::shape::{Convex, HalfSpaceOrPlane, Primitive};
use clearance_engine::tree::voxel_map::VoxelCells;
use clearance_engine::tree::{Geometry, HalfSpaceGeometry, PointCloud, PrimitiveBvhNodes, Solid};
use clearance_engine::{Pose, TriMesh};
use clearance_io::{Keep, OctoFormat, OctoMap};
use serde_json::{Map, Value, json};
use std::any::Any;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

impl Scene {
    /// Writes a scene file, whose name ends in `.json`. Meshes, point clouds and voxel maps become
    /// files beside it, one for each that objects share. An error for what such a file cannot hold:
    /// planes, height fields, assemblies.
    ///
    /// ```
    /// use clearance_engine::{Pose, shape::Cuboid};
    /// use clearance_robot::Scene;
    /// let mut scene = Scene::new();
    /// scene.add("table", Cuboid::new(1.2, 0.8, 0.05)?, Pose::from_xyz(0.6, 0.0, 0.4)?)?;
    /// let folder = tempfile::tempdir()?;
    /// scene.save(folder.path().join("room.json"))?;
    /// let read = Scene::load(folder.path().join("room.json"))?;
    /// assert_eq!(read.pose("table")?, scene.pose("table")?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        if !path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json")) {
            let reason = "a scene is saved as a file whose name ends in .json";
            return Err(Error::new(ErrorKind::Unsupported, reason).in_file(path));
        }
        let mut files = Files { path, known: HashMap::new() };
        let mut objects = Vec::new();
        for name in self.names() {
            let part = self.part(name)?;
            let geometry = self.assembly().geometry(part.number());
            let (kind, frame) = files.kind(name, &**geometry).map_err(|error| error.of(format!("object '{name}'")))?;
            let mut object = Map::from_iter([("name".to_owned(), json!(name))]);
            object.extend(kind);
            let pose = self.pose(name)?.then(&frame);
            if pose != Pose::IDENTITY {
                let (at, turn) = (pose.translation(), DQuat::from_mat3(pose.rotation()).normalize());
                object.insert("pose".to_owned(), json!([at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z]));
            }
            objects.push(Value::Object(object));
        }
        let text = format!("{:#}\n", json!({ "objects": objects }));
        std::fs::write(path, text).map_err(|error| Error::new(ErrorKind::Io, error.to_string()).in_file(path))
    }
}

/// The fields of an object that say what it is.
type Fields = Vec<(String, Value)>;

/// The files beside a scene file, by the geometries that they hold.
struct Files<'f> {
    path: &'f Path,
    known: HashMap<u64, String>,
}

fn field(name: &str, value: Value) -> Fields {
    vec![(name.to_owned(), value)]
}

impl Files<'_> {
    /// What a geometry is in a file, and where that is in the object's frame.
    fn kind(&mut self, name: &str, geometry: &dyn Geometry) -> Result<(Fields, Pose)> {
        let any = geometry as &dyn Any;
        if let Some(solid) = any.downcast_ref::<Solid>() {
            return self.primitive(name, geometry, solid.shape());
        }
        if let Some(view) = geometry.mesh() {
            return self.mesh(name, geometry.revision(), view.tri_mesh, view.is_solid);
        }
        if let Some(flat) = any.downcast_ref::<HalfSpaceGeometry>()
            && let HalfSpaceOrPlane::HalfSpace(half_space) = flat.shape()
        {
            let (normal, offset) = (half_space.boundary().normal().to_array(), half_space.boundary().offset());
            return Ok((field("halfspace", json!({ "normal": normal, "offset": offset })), Pose::IDENTITY));
        }
        if let Some(cloud) = any.downcast_ref::<PointCloud>() {
            let mut text = String::new();
            for point in cloud.points() {
                // A `String` takes everything.
                let _ = writeln!(text, "{} {} {}", point.x, point.y, point.z);
            }
            let file = self.once(name, geometry.revision(), "xyz", |path| write(path, text.as_bytes()))?;
            let fields = [field("points", json!(file)), field("radius", json!(cloud.radius()))].concat();
            return Ok((fields, Pose::IDENTITY));
        }
        if let Some(cells) = any.downcast_ref::<VoxelCells>() {
            let map = OctoMap::from_voxel_map(cells.snapshot(), Keep::Kinds);
            let map = map.map_err(|error| Error::new(ErrorKind::Unsupported, error.to_string()))?;
            let bytes = clearance_io::write_octomap(&map, OctoFormat::Binary);
            let file = self.once(name, geometry.revision(), "bt", |path| write(path, &bytes))?;
            return Ok((field("octomap", json!(file)), Pose::IDENTITY));
        }
        Err(unsupported(geometry))
    }

    fn primitive(&mut self, name: &str, geometry: &dyn Geometry, shape: &Primitive) -> Result<(Fields, Pose)> {
        // Files have shapes about the origin, along z.
        let along = |axis: DVec3| DMat3::from_quat(DQuat::from_rotation_arc(DVec3::Z, axis));
        let round = |radius: f64, half: f64| json!({ "radius": radius, "length": 2.0 * half });
        let (fields, center, turn) = match shape {
            Primitive::Sphere(s) => (field("sphere", json!(s.radius())), s.center(), DMat3::IDENTITY),
            Primitive::Cuboid(c) => (field("box", json!((c.half() * 2.0).to_array())), c.center(), *c.axes()),
            Primitive::Ellipsoid(e) => (field("ellipsoid", json!(e.half().to_array())), e.center(), *e.axes()),
            Primitive::Cylinder(c) => {
                (field("cylinder", round(c.radius(), c.half_length())), c.center(), along(c.axis()))
            }
            Primitive::Cone(c) => (field("cone", round(c.radius(), c.half_length())), c.center(), along(c.axis())),
            Primitive::Capsule(c) => {
                let half = c.half().length();
                let axis = if half > 0.0 { c.half() / half } else { DVec3::Z };
                (field("capsule", round(c.radius(), half)), c.center(), along(axis))
            }
            Primitive::ConvexPolyhedron(hull) => {
                let surface = hull.surface().map_err(super::parts::from_engine)?;
                return self.mesh(name, geometry.revision(), &surface, true);
            }
            _ => return Err(unsupported(geometry)),
        };
        Ok((fields, Pose::from_matrix(turn, center).map_err(super::parts::from_engine)?))
    }

    fn mesh(&mut self, name: &str, revision: u64, mesh: &TriMesh, solid: bool) -> Result<(Fields, Pose)> {
        let bad = |error: clearance_io::Error| Error::new(ErrorKind::Io, error.to_string());
        let file = self.once(name, revision, "off", |path| clearance_io::write_off(path, mesh).map_err(bad))?;
        Ok(([field("mesh", json!(file)), field("solid", json!(solid))].concat(), Pose::IDENTITY))
    }

    /// The name of the file of a geometry, which is written where no object before shares it.
    fn once(
        &mut self,
        name: &str,
        revision: u64,
        ending: &str,
        write: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<String> {
        if let Some(known) = self.known.get(&revision) {
            return Ok(known.clone());
        }
        let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let file = format!("{stem}-{}-{plain}.{ending}", self.known.len());
        write(&self.path.with_file_name(&file))?;
        self.known.insert(revision, file.clone());
        Ok(file)
    }
}

fn unsupported(geometry: &dyn Geometry) -> Error {
    Error::new(ErrorKind::Unsupported, format!("a scene file cannot hold a {}", geometry.kind()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).map_err(|error| Error::new(ErrorKind::Io, error.to_string()).in_file(path))
}
