//! Rays and signed distances of points at a torus of 80,000 triangles: nanoseconds each, on one
//! core, in turns with parry.
//!
//! Rays start around the torus in any direction, outside of it towards its middle, or outside
//! towards a triangle. Points lie anywhere around it, or within 2 % of its size of the surface.

use crate::placing::Random;
use crate::table::{Table, short};
use crate::{Result, models, timing};
use clearance_engine::TriMesh;
use clearance_engine::dispatch::{Threads, cast_rays, signed_distances};
use clearance_engine::math::DVec3;
use clearance_engine::shape::Ray;
use clearance_engine::tree::Mesh;

/// Rays or points of each family.
const COUNT: usize = 20_000;

/// The families of rays at a mesh, with their names.
fn rays(mesh: &TriMesh, random: &mut Random) -> Result<[(&'static str, Vec<Ray>); 3]> {
    let mut any = || random.direction() * random.unit().cbrt();
    let around: Vec<[DVec3; 2]> = (0..COUNT).map(|_| [any() * 2.0, any()]).collect();
    let towards = |target: DVec3, origin: DVec3| [origin, (target - origin).normalize()];
    let middle = (0..COUNT).map(|_| towards(any(), any().normalize() * 3.0)).collect();
    let hitting = (0..COUNT).map(|i| {
        let id = (i * 7919 % mesh.len()) as u32;
        towards(mesh.triangle(id).centroid(), any().normalize() * 3.0)
    });
    let hitting = hitting.collect();
    let made = |rays: Vec<[DVec3; 2]>| -> Result<Vec<Ray>> {
        Ok(rays.into_iter().map(|[o, d]| Ray::new(o, d)).collect::<clearance_engine::Result<_>>()?)
    };
    Ok([
        ("rays around it", made(around)?),
        ("rays from outside", made(middle)?),
        ("rays at a triangle", made(hitting)?),
    ])
}

fn points(mesh: &TriMesh, random: &mut Random) -> [(&'static str, Vec<DVec3>); 2] {
    let (low, high) = mesh.bounding_box();
    let size = (high - low).max_element();
    let mut any = || random.direction() * random.unit().cbrt();
    let anywhere = (0..COUNT).map(|_| any() * 0.6 * size).collect();
    let near = (0..COUNT).map(|i| mesh.triangle((i * 7919 % mesh.len()) as u32).centroid() + any() * 0.02 * size);
    let near = near.collect();
    [("points anywhere", anywhere), ("points near it", near)]
}

/// The table; `rounds` turns, of which the best counts.
pub fn run(rounds: usize) -> Result<Table> {
    let tri_mesh = models::torus(1.0, 0.3, 400, 100)?;
    let mesh: Mesh = Mesh::new(tri_mesh.clone())?;
    let mut random = Random(7);
    let mut table =
        Table::new("Rays and points at a torus of 80,000 triangles, ns each", &["", "clearance", "parry f32"]);
    #[cfg(feature = "parry")]
    let rival = parry::Rival::new(&tri_mesh);
    let each = |us: f64| us * 1e3 / COUNT as f64;
    let mut add = |name: &str, ours: f64, parry: f64| {
        table.rows.push(vec![name.to_owned(), short(ours), short(parry)]);
    };
    for (name, rays) in rays(&tri_mesh, &mut random)? {
        let (mut ours, others) = (f64::INFINITY, f64::INFINITY);
        #[cfg(feature = "parry")]
        let mut others = others;
        for _ in 0..rounds {
            ours = ours.min(timing::shortest_thread_us(3, || cast_rays(&mesh, &rays, Threads::One)));
            #[cfg(feature = "parry")]
            {
                others = others.min(timing::shortest_thread_us(1, || rival.rays(&rays)));
            }
        }
        add(name, each(ours), each(others));
    }
    for (name, points) in points(&tri_mesh, &mut random) {
        let (mut ours, others) = (f64::INFINITY, f64::INFINITY);
        #[cfg(feature = "parry")]
        let mut others = others;
        for _ in 0..rounds {
            ours = ours.min(timing::shortest_thread_us(3, || signed_distances(&mesh, &points, Threads::One)));
            #[cfg(feature = "parry")]
            {
                others = others.min(timing::shortest_thread_us(1, || rival.points(&points)));
            }
        }
        add(name, each(ours), each(others));
    }
    Ok(table)
}

#[cfg(feature = "parry")]
mod parry {
    use clearance_engine::TriMesh;
    use clearance_engine::math::DVec3;
    use clearance_engine::shape::Ray;
    use parry3d::math::Vector;
    use parry3d::query::{PointQuery, RayCast};
    use parry3d::shape::{TriMesh as ParryMesh, TriMeshFlags};

    /// The same mesh as parry has it, with the normals that decide inside and outside.
    pub struct Rival(Option<ParryMesh>);

    fn narrow(v: DVec3) -> Vector {
        Vector::new(v.x as f32, v.y as f32, v.z as f32)
    }

    impl Rival {
        pub fn new(mesh: &TriMesh) -> Self {
            let vertices = mesh.vertices().iter().map(|v| narrow(*v)).collect();
            Self(ParryMesh::with_flags(vertices, mesh.triangles().to_vec(), TriMeshFlags::ORIENTED).ok())
        }

        pub fn rays(&self, rays: &[Ray]) -> usize {
            let Some(mesh) = &self.0 else { return 0 };
            let cast = |ray: &&Ray| {
                let ray = parry3d::query::Ray::new(narrow(ray.origin()), narrow(ray.direction()));
                mesh.cast_local_ray_and_get_normal(&ray, f32::MAX, false).is_some()
            };
            rays.iter().filter(cast).count()
        }

        pub fn points(&self, points: &[DVec3]) -> usize {
            let Some(mesh) = &self.0 else { return 0 };
            points.iter().filter(|point| mesh.project_local_point(narrow(**point), false).is_inside).count()
        }
    }
}
