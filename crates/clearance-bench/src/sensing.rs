//! Rays and signed distances of points at a torus of 80,000 triangles: nanoseconds each, on one
//! core, in turns with peers.
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
use clearance_engine::tree::{Geometry, Mesh};

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

/// Another engine, which has loaded the mesh.
pub trait Peer {
    /// Its name, the head of a column.
    fn name(&self) -> &'static str;

    /// Casts rays; returns microseconds of CPU time for all of them.
    fn rays(&mut self, rays: &[Ray]) -> Result<f64>;

    /// Finds signed distances of points, negative inside; returns microseconds of CPU time for all
    /// of them, and the distances if it has them.
    fn points(&mut self, points: &[DVec3]) -> Result<(f64, Vec<f64>)>;
}

/// Makes the peers of a race at a mesh.
pub type Peers<'p> = dyn FnMut(&TriMesh) -> Result<Vec<Box<dyn Peer>>> + 'p;

/// The table with parry, if the feature is on; `rounds` turns, of which the best counts.
pub fn run(rounds: usize) -> Result<Table> {
    race(rounds, &mut |_| Ok(Vec::new()))
}

/// The table with other peers too.
pub fn race(rounds: usize, others: &mut Peers<'_>) -> Result<Table> {
    let tri_mesh = models::torus(1.0, 0.3, 400, 100)?;
    let mesh: Mesh = Mesh::new(tri_mesh.clone())?;
    let mut peers = others(&tri_mesh)?;
    #[cfg(feature = "parry")]
    peers.push(Box::new(parry::Rival::new(&tri_mesh)));
    let mut head = vec!["", "clearance", "one by one"];
    head.extend(peers.iter().map(|peer| peer.name()));
    let mut table = Table::new("Rays and points at a torus of 80,000 triangles, ns each", &head);
    let mut random = Random(7);
    let mut add = |name: &str, us: Vec<f64>| {
        let times = us.into_iter().map(|us| short(us * 1e3 / COUNT as f64));
        table.rows.push(std::iter::once(name.to_owned()).chain(times).collect());
    };
    for (name, rays) in rays(&tri_mesh, &mut random)? {
        let mut least = vec![f64::INFINITY; 2 + peers.len()];
        for _ in 0..rounds {
            let batch = timing::shortest_thread_us(3, || cast_rays(&mesh, &rays, Threads::One));
            let single = timing::shortest_thread_us(1, || rays.iter().filter_map(|ray| mesh.ray(ray).ok()).count());
            let mut us = vec![batch, single];
            for peer in &mut peers {
                us.push(peer.rays(&rays)?);
            }
            least.iter_mut().zip(us).for_each(|(least, us)| *least = least.min(us));
        }
        add(name, least);
    }
    for (name, points) in points(&tri_mesh, &mut random) {
        let ours = signed_distances(&mesh, &points, Threads::One)?;
        let mut least = vec![f64::INFINITY; 2 + peers.len()];
        for _ in 0..rounds {
            let batch = timing::shortest_thread_us(3, || signed_distances(&mesh, &points, Threads::One));
            let one = |point: &DVec3| mesh.signed_distance(*point).ok();
            let single = timing::shortest_thread_us(1, || points.iter().filter_map(one).count());
            let mut us = vec![batch, single];
            for peer in &mut peers {
                let (time, distances) = peer.points(&points)?;
                us.push(time);
                let wrong = ours.iter().zip(distances).filter(|(ours, theirs)| (ours.distance - theirs).abs() > 1e-4);
                match wrong.count() {
                    0 => {}
                    count => eprintln!("DISAGREE {name}: {} at {count} of {COUNT} points", peer.name()),
                }
            }
            least.iter_mut().zip(us).for_each(|(least, us)| *least = least.min(us));
        }
        add(name, least);
    }
    Ok(table)
}

#[cfg(feature = "parry")]
mod parry {
    use super::Peer;
    use crate::{Result, timing};
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
    }

    impl Peer for Rival {
        fn name(&self) -> &'static str {
            "parry f32"
        }

        fn rays(&mut self, rays: &[Ray]) -> Result<f64> {
            let Some(mesh) = &self.0 else { return Ok(f64::INFINITY) };
            let cast = |ray: &&Ray| {
                let ray = parry3d::query::Ray::new(narrow(ray.origin()), narrow(ray.direction()));
                mesh.cast_local_ray_and_get_normal(&ray, f32::MAX, false).is_some()
            };
            Ok(timing::shortest_thread_us(1, || rays.iter().filter(cast).count()))
        }

        fn points(&mut self, points: &[DVec3]) -> Result<(f64, Vec<f64>)> {
            let Some(mesh) = &self.0 else { return Ok((f64::INFINITY, Vec::new())) };
            let distance = |point: &DVec3| {
                let point = narrow(*point);
                let found = mesh.project_local_point(point, false);
                let away = f64::from((found.point - point).length());
                if found.is_inside { -away } else { away }
            };
            let mut distances = Vec::new();
            let us = timing::shortest_thread_us(1, || distances = points.iter().map(distance).collect());
            Ok((us, distances))
        }
    }
}
