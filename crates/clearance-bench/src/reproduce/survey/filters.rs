//! Survey 4.2.2: which parts can touch at all, under translation.

use super::Effort;
use crate::placing::Random;
use crate::{Result, models};
use clearance_engine::convex::lab::{ContactFilters, contact_pairs};
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::motion::{ImpactAnswer, ImpactRequest, Motion, TimeOfImpact, time_of_impact};
use clearance_engine::shape::{ConvexPolyhedron, front_faces};
use clearance_engine::traversal::{Stats, Workspace};
use clearance_engine::tree::Mesh;
use clearance_engine::{Pose, TriMesh};

/// What back-face culling leaves of a body.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fronts {
    pub(super) body: &'static str,
    pub(super) triangles: usize,
    /// The share of triangles that is kept, on average over directions, and at most.
    pub(super) kept: f64,
    pub(super) most: f64,
    /// Tests of volumes and of triangles in the search for a first contact, of all triangles and of
    /// the front ones.
    pub(super) tests: [f64; 2],
    /// Directions in which the first contacts of all and of front triangles are not the same.
    pub(super) different: usize,
}

/// Bodies in random directions; each falls on itself.
pub(super) fn fronts(effort: &Effort) -> Result<Vec<Fronts>> {
    let bodies = [
        ("cube", models::cubes(&[[0, 0, 0]], 3)?),
        ("bumpy sphere", models::icosphere(3, 0.1)?),
        ("torus", models::torus(1.0, 0.3, 48, 24)?),
        ("torus knot", models::torus_knot(120, 12)?),
    ];
    let directions = (120 / effort.stride.max(1)).max(6);
    bodies.into_iter().map(|(body, mesh)| fronts_of(body, &mesh, directions)).collect()
}

fn fronts_of(body: &'static str, mesh: &TriMesh, directions: usize) -> Result<Fronts> {
    let mut random = Random(0x5e1);
    let (low, high) = mesh.bounding_box();
    let size = (high - low).length();
    let mut sum = Fronts { body, triangles: mesh.len(), kept: 0.0, most: 0.0, tests: [0.0; 2], different: 0 };
    for _ in 0..directions {
        let fixed = models::placed(mesh, random.rotation(), DVec3::ZERO)?;
        let direction = random.direction();
        let aside = random.direction() * (0.2 * size);
        let moving = models::placed(mesh, random.rotation(), aside - direction * (2.0 * size))?;
        let velocity = direction * (4.0 * size);
        let parts = [(&moving, velocity), (&fixed, -velocity)].map(|(mesh, velocity)| part(mesh, velocity));
        let [of_moving, of_fixed] = parts;
        let (of_moving, of_fixed) = (of_moving?, of_fixed?);
        for part in [&of_moving, &of_fixed] {
            let share = part.len() as f64 / mesh.len() as f64;
            sum.kept += share / (2 * directions) as f64;
            sum.most = sum.most.max(share);
        }
        let answers = [touch(&moving, &fixed, velocity)?, touch(&of_moving, &of_fixed, velocity)?];
        for (sum, answer) in sum.tests.iter_mut().zip(&answers) {
            let Stats { volume_tests, leaf_tests, .. } = answer.stats;
            *sum += (volume_tests + leaf_tests) as f64 / directions as f64;
        }
        sum.different += usize::from(!same(&answers));
    }
    Ok(sum)
}

/// The front triangles of a mesh.
fn part(mesh: &TriMesh, velocity: DVec3) -> Result<TriMesh> {
    let triangles = front_faces(mesh, velocity)?.iter().map(|&i| mesh.triangles()[i as usize]).collect();
    Ok(TriMesh::new(mesh.vertices().to_vec(), triangles)?)
}

/// When one mesh, moving straight for one unit of time, first touches another.
fn touch(moving: &TriMesh, fixed: &TriMesh, velocity: DVec3) -> Result<ImpactAnswer> {
    let [moving, fixed]: [Mesh; 2] = [Mesh::new(moving.clone())?, Mesh::new(fixed.clone())?];
    let straight = Motion::moving(&Pose::IDENTITY, DVec3::ZERO, velocity, DVec3::ZERO, 1.0)?;
    let bodies = [(&moving as _, &straight), (&fixed as _, &Motion::still(&Pose::IDENTITY))];
    Ok(time_of_impact(&Dispatcher::standard(), bodies, &ImpactRequest::default(), &mut Workspace::default())?)
}

/// Whether two certified answers can be about the same contact.
pub(super) fn same([a, b]: &[ImpactAnswer; 2]) -> bool {
    match (a.first, b.first) {
        (TimeOfImpact::Contact(a), TimeOfImpact::Contact(b)) => a.t_lower <= b.t_upper && b.t_lower <= a.t_upper,
        (TimeOfImpact::Free { .. }, TimeOfImpact::Free { .. }) => true,
        // Within the tolerance either will do.
        (TimeOfImpact::Contact(touch), _) | (_, TimeOfImpact::Contact(touch)) => touch.gap > 0.0,
        _ => false,
    }
}

/// Pairs of features of two polyhedra, means over orientations and directions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pairs {
    /// Of each body.
    pub(super) vertices: usize,
    /// Of both.
    pub(super) edges: f64,
    /// All of them, those of front faces, applicable ones, and what both filters leave.
    pub(super) all: f64,
    pub(super) fronts: f64,
    pub(super) applicable: f64,
    pub(super) both: f64,
}

/// Hulls of ever more points on a sphere.
pub(super) fn pairs(effort: &Effort) -> Result<Vec<Pairs>> {
    let largest = if effort.stride > 10 { 160 } else { 2560 };
    let sizes = std::iter::successors(Some(10), |&size| (size < largest).then_some(2 * size));
    sizes.map(|size| pairs_of(size, (24 / effort.stride.max(1)).max(2))).collect()
}

fn pairs_of(vertices: usize, turns: usize) -> Result<Pairs> {
    let mut random = Random(vertices as u64);
    let mut sum = Pairs { vertices, edges: 0.0, all: 0.0, fronts: 0.0, applicable: 0.0, both: 0.0 };
    let only = |back_faces: bool, applicability: bool| ContactFilters { back_faces, applicability };
    for _ in 0..turns {
        let mut hull = |rotation: DQuat| {
            let points: Vec<DVec3> = (0..vertices).map(|_| random.direction()).collect();
            ConvexPolyhedron::hull_of(&points).and_then(|hull| Ok(hull.transformed(&Pose::new(rotation, DVec3::ZERO)?)))
        };
        let (a, b) = (hull(DQuat::IDENTITY)?, hull(DQuat::from_rotation_x(1.0))?);
        let velocity = random.direction();
        let count = |filters: ContactFilters| contact_pairs(&a, &b, velocity, &filters).len() as f64 / turns as f64;
        let product = |x: usize, y: usize| (x * y) as f64 / turns as f64;
        sum.edges += (a.edge_count() + b.edge_count()) as f64 / turns as f64;
        // Without filters nothing need be listed to be counted.
        sum.all += product(a.vertex_count(), b.face_count())
            + product(a.face_count(), b.vertex_count())
            + product(a.edge_count(), b.edge_count());
        sum.applicable += count(only(false, true));
        sum.both += count(ContactFilters::ALL);
        // A quadratic number of them is listed: of small bodies only.
        sum.fronts += if vertices <= 320 { count(only(true, false)) } else { f64::NAN };
    }
    Ok(sum)
}
