//! The geometries of a robot's links with their hierarchies.

use crate::{Error, ErrorKind, LinkShape, Result, Robot};
use clearance_engine::shape::{Capsule, Cuboid, Cylinder, Sphere};
use clearance_engine::tree::{BuildOptions, Geometry, Mesh, Solid};
use clearance_engine::{Pose, TriMesh};
use std::collections::HashMap;
use std::sync::Arc;

/// A geometry of a link, or an object that a link carries.
#[derive(Clone)]
pub struct Part {
    /// The link that it moves with.
    pub link: usize,
    /// Its pose in the link's frame.
    pub link_from_part: Pose,
    /// What it is.
    pub geometry: Arc<dyn Geometry>,
    /// The name of the attached object; none for the link's own geometry.
    pub attached: Option<String>,
    /// Whether its frame is the link's: most meshes are, and a product of poses is a tenth of what
    /// placing a small arm takes.
    at_link: bool,
}

impl Part {
    pub(super) fn new(
        link: usize,
        link_from_part: Pose,
        geometry: Arc<dyn Geometry>,
        attached: Option<String>,
    ) -> Self {
        Self { link, link_from_part, geometry, attached, at_link: link_from_part == Pose::IDENTITY }
    }

    /// Its pose in the world when the link has this one.
    #[inline]
    pub(super) fn placed(&self, world_from_link: &Pose) -> Pose {
        if self.at_link { *world_from_link } else { world_from_link.then(&self.link_from_part) }
    }
}

/// Builds the hierarchy of a link's mesh.
pub(super) type BuildMesh<'b> = dyn Fn(&Arc<TriMesh>) -> clearance_engine::Result<Arc<dyn Geometry>> + 'b;

/// The hierarchy that meshes have by default.
pub(super) fn default_mesh(mesh: &Arc<TriMesh>) -> clearance_engine::Result<Arc<dyn Geometry>> {
    let built: Mesh = Mesh::build(mesh.clone(), &BuildOptions::default(), None)?;
    Ok(Arc::new(built))
}

/// Makes geometries of shapes; a mesh that several links share is built once.
struct Geometries<'b> {
    meshes: HashMap<*const TriMesh, Arc<dyn Geometry>>,
    build: &'b BuildMesh<'b>,
}

impl Geometries<'_> {
    fn of(&mut self, shape: &LinkShape) -> Result<Arc<dyn Geometry>> {
        let solid = match *shape {
            LinkShape::Mesh(ref mesh) => return self.of_mesh(mesh),
            LinkShape::Hull(ref polyhedron) => Ok(Solid::new(polyhedron.clone())),
            LinkShape::Box { size } => Cuboid::from_half_extents(size * 0.5).map(Solid::new),
            LinkShape::Sphere { radius } => Sphere::new(radius).map(Solid::new),
            LinkShape::Cylinder { radius, length } => Cylinder::from_half_length(radius, 0.5 * length).map(Solid::new),
            LinkShape::Capsule { radius, length } => Capsule::from_half_length(radius, 0.5 * length).map(Solid::new),
        };
        solid.map(|solid| Arc::new(solid) as Arc<dyn Geometry>).map_err(from_engine)
    }

    fn of_mesh(&mut self, mesh: &Arc<TriMesh>) -> Result<Arc<dyn Geometry>> {
        if let Some(known) = self.meshes.get(&Arc::as_ptr(mesh)) {
            return Ok(known.clone());
        }
        let built = (self.build)(mesh).map_err(from_engine)?;
        self.meshes.insert(Arc::as_ptr(mesh), built.clone());
        Ok(built)
    }
}

/// All geometries of a robot, in the order of its links.
pub(super) fn parts_of(robot: &Robot, build: &BuildMesh<'_>) -> Result<Vec<Part>> {
    let mut geometries = Geometries { meshes: HashMap::new(), build };
    let mut parts = Vec::new();
    for (link, content) in robot.links().iter().enumerate() {
        for geometry in content.geometries() {
            let made =
                geometries.of(&geometry.shape).map_err(|error| error.of(format!("link '{}'", content.name())))?;
            parts.push(Part::new(link, geometry.origin, made, None));
        }
    }
    Ok(parts)
}

/// What the engine refuses, as an error of this crate.
pub(super) fn from_engine(error: clearance_engine::Error) -> Error {
    Error::new(ErrorKind::OutOfRange, error.to_string())
}
