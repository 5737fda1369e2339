//! Robots whose links have another size.

use crate::{Error, ErrorKind, LinkShape, Result, Robot};
use clearance_engine::math::DVec3;
use clearance_engine::shape::ConvexPolyhedron;
use clearance_engine::tree::next_revision;
use clearance_engine::{Readable, TriMesh};
use std::collections::HashMap;
use std::sync::Arc;

impl Robot {
    /// The robot with the geometry of some links scaled, each shape about its own centre: that of a
    /// primitive, the mean of the vertices of a mesh or hull. Joints stay where they are.
    ///
    /// ```
    /// use clearance_engine::Pose;
    /// use clearance_robot::{LinkGeometry, LinkShape, RobotBuilder};
    /// let ball = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
    /// let robot = RobotBuilder::new("r").link("base", [ball]).build()?.with_scaled_links(&[("base", 1.5)])?;
    /// let LinkShape::Sphere { radius } = robot.links()[0].geometries()[0].shape else { panic!("a sphere") };
    /// assert!((radius - 0.15).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_scaled_links(mut self, scales: &[(impl AsRef<str>, f64)]) -> Result<Self> {
        self.identity = next_revision();
        let mut meshes = HashMap::new();
        for (name, scale) in scales.iter().map(|(name, scale)| (name.as_ref(), *scale)) {
            let unknown = || Error::new(ErrorKind::Unknown, format!("no link is called '{name}'; correct the name"));
            let link = self.link_index(name).ok_or_else(unknown)?;
            if !(scale > 0.0 && scale.is_finite()) {
                let reason = format!("the scale of '{name}' must be finite and above 0, not {}", Readable(scale));
                return Err(Error::new(ErrorKind::OutOfRange, reason));
            }
            for geometry in &mut self.links[link].geometries {
                let scaled =
                    scaled(&geometry.shape, scale, &mut meshes).map_err(|error| error.of(format!("link '{name}'")));
                geometry.shape = scaled?;
            }
        }
        Ok(self)
    }
}

/// Meshes that were scaled already, with what they were before, by its address and the bits of the
/// scale.
type Scaled = HashMap<(*const TriMesh, u64), [Arc<TriMesh>; 2]>;

fn scaled(shape: &LinkShape, scale: f64, meshes: &mut Scaled) -> Result<LinkShape> {
    let refused = |error: clearance_engine::Error| Error::new(ErrorKind::OutOfRange, error.to_string());
    Ok(match shape {
        LinkShape::Box { size } => LinkShape::Box { size: *size * scale },
        LinkShape::Sphere { radius } => LinkShape::Sphere { radius: radius * scale },
        LinkShape::Cylinder { radius, length } => {
            LinkShape::Cylinder { radius: radius * scale, length: length * scale }
        }
        LinkShape::Capsule { radius, length } => LinkShape::Capsule { radius: radius * scale, length: length * scale },
        LinkShape::Hull(hull) => {
            let vertices = about_mean(hull.vertices().collect(), scale);
            LinkShape::Hull(ConvexPolyhedron::hull_of(&vertices).map_err(refused)?)
        }
        LinkShape::Mesh(mesh) => {
            let key = (Arc::as_ptr(mesh), scale.to_bits());
            if let Some([_, known]) = meshes.get(&key) {
                return Ok(LinkShape::Mesh(known.clone()));
            }
            let vertices = about_mean(mesh.vertices().to_vec(), scale);
            let made = Arc::new(TriMesh::new(vertices, mesh.triangles().to_vec()).map_err(refused)?);
            // An address stands for one mesh as long as that is kept.
            meshes.insert(key, [mesh.clone(), made.clone()]);
            LinkShape::Mesh(made)
        }
    })
}

fn about_mean(mut vertices: Vec<DVec3>, scale: f64) -> Vec<DVec3> {
    let mean = vertices.iter().sum::<DVec3>() / vertices.len().max(1) as f64;
    vertices.iter_mut().for_each(|vertex| *vertex = mean + (*vertex - mean) * scale);
    vertices
}
