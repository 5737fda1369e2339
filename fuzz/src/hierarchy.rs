//! What a saved hierarchy owes its reader, whatever was written into it: it is refused, or every
//! query of it ends with an answer; if the validator accepts it too, with the right one.
//!
//! Random bytes would be refused for their hash, so an input is a list of changes to a right file,
//! which then gets a new hash. Its first byte says of which kind of hierarchy; then each seven
//! bytes are one change: what, where (two bytes), which value (four bytes).

use clearance_engine::convex::{Penetration, PenetrationRequest};
use clearance_engine::dispatch::{Dispatcher, Pair};
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::query::DistanceRequest;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Bvh8, BvhKind, Mesh, Saved};
use clearance_engine::volume::{KIos, Kdop18, Obb, Rss};
use clearance_engine::{Pose, TriMesh};
use std::sync::{Arc, OnceLock};
use twox_hash::XxHash3_64;

/// How far a box that holds its triangles by the validator's measure may be off: rounded axes are
/// orthonormal to 2⁻²³.
const SLACK: f64 = 1e-5;

/// Makes a file of `input`, reads it and panics if that breaks a promise.
pub fn check_saved(input: &[u8]) {
    static BVH8: OnceLock<Case<Bvh8>> = OnceLock::new();
    static OBB: OnceLock<Case<Obb>> = OnceLock::new();
    static RSS: OnceLock<Case<Rss>> = OnceLock::new();
    static KDOP: OnceLock<Case<Kdop18>> = OnceLock::new();
    static KIOS: OnceLock<Case<KIos>> = OnceLock::new();
    static DERIVED: OnceLock<Derived> = OnceLock::new();
    let Some((kind, changes)) = input.split_first() else { return };
    match kind % 8 {
        0 => OBB.get_or_init(Case::new).check(changes, true),
        1 => RSS.get_or_init(Case::new).check(changes, false),
        2 => KDOP.get_or_init(Case::new).check(changes, false),
        3 => KIOS.get_or_init(Case::new).check(changes, false),
        4 => DERIVED.get_or_init(Derived::new).check(changes),
        _ => BVH8.get_or_init(Case::new).check(changes, true),
    }
}

/// A mesh, the file of its hierarchy, and what queries of it answer.
struct Case<K: BvhKind<Hierarchy: Saved>> {
    dispatcher: Dispatcher,
    mesh: Mesh<K>,
    saved: Vec<u8>,
    poses: Vec<Pose>,
    distances: Vec<f64>,
}

impl<K: BvhKind<Hierarchy: Saved>> Case<K> {
    fn new() -> Self {
        let mesh: Mesh<K> = Mesh::new(wavy_sheet()).expect("a right mesh");
        let turned = |angle: f64| DQuat::from_rotation_x(angle) * DQuat::from_rotation_z(0.3);
        let poses = [(0.7, 0.1), (0.2, 0.5), (1.5, 3.0)]
            .map(|(angle, lift)| Pose::new(turned(angle), DVec3::new(0.1, 0.2, lift)).expect("a right pose"));
        let saved = mesh.save_hierarchy();
        let mut case =
            Self { dispatcher: Dispatcher::standard(), mesh, saved, poses: poses.to_vec(), distances: Vec::new() };
        case.distances = case.poses.iter().map(|pose| case.ask(&case.mesh, pose).1).collect();
        assert!(case.distances[0] == 0.0 && case.distances[2] > 1.0, "{:?}", case.distances);
        case
    }

    /// Whether `mesh` collides with the right mesh, and the distance of the two.
    fn ask(&self, mesh: &Mesh<K>, pose: &Pose) -> (bool, f64) {
        let mut workspace = Workspace::default();
        let plan = self.dispatcher.plan(mesh, &self.mesh).expect("meshes of one kind");
        let colliding = plan.collide(pose, &mut workspace, None).colliding;
        let distance = plan.distance(pose, &DistanceRequest::default(), &mut workspace, None).expect("a right request");
        assert!(0.0 <= distance.lower && distance.lower <= distance.upper, "{distance:?}");
        (colliding, distance.upper)
    }

    /// `proves`: that the validator accepts means that distances are right.
    fn check(&self, changes: &[u8], proves: bool) {
        let bytes = changed(&self.saved, changes);
        let loaded = match Mesh::<K>::from_saved(self.mesh.tri_mesh().clone(), &bytes) {
            Ok(loaded) => loaded,
            Err(error) => return crate::check_message(&error.to_string()),
        };
        let valid = loaded.validate().is_ok();
        for (pose, &truth) in self.poses.iter().zip(&self.distances) {
            let (colliding, distance) = self.ask(&loaded, pose);
            assert!(!colliding || truth == 0.0, "apart by {truth}, but called colliding");
            assert!(distance >= truth * (1.0 - 1e-12), "apart by {truth}, but {distance} was found");
            if valid && proves {
                assert!(distance <= truth + SLACK, "{distance} instead of {truth}");
            }
        }
        if bytes == self.saved {
            assert!(valid);
        }
    }
}

/// The file after the changes, with a right hash.
fn changed(saved: &[u8], changes: &[u8]) -> Vec<u8> {
    let mut body = saved[..saved.len() - 8].to_vec();
    for change in changes.chunks_exact(7) {
        let place = usize::from(u16::from_le_bytes([change[1], change[2]]));
        let value = [change[3], change[4], change[5], change[6]];
        apply(&mut body, change[0], place, value);
    }
    let hash = XxHash3_64::oneshot(&body);
    body.extend(hash.to_le_bytes());
    body
}

/// A solid, the file of its hierarchy with what penetration depths need, and depths of it.
struct Derived {
    mesh: Mesh,
    saved: Vec<u8>,
    depths: Vec<Option<Penetration>>,
}

impl Derived {
    fn new() -> Self {
        let mesh: Mesh = Mesh::new(prism()).and_then(Mesh::into_solid).expect("a closed mesh");
        mesh.prepare_for_penetration().expect("a solid");
        let depths = Self::depths(&mesh);
        assert!(depths.iter().all(Option::is_some), "{depths:?}");
        Self { saved: mesh.save_hierarchy(), mesh, depths }
    }

    /// How deep a mesh overlaps itself at a few poses.
    fn depths(mesh: &Mesh) -> Vec<Option<Penetration>> {
        let mut pair = Pair::new(mesh.clone(), mesh.clone()).expect("two solids");
        let request = PenetrationRequest { max_steps: Some(5_000), ..PenetrationRequest::default() };
        [[0.3, 0.2, 0.1], [5.0, 0.0, 0.05], [0.1, -0.7, 0.1]]
            .map(|[x, y, z]| {
                let pose = Pose::from_xyz(x, y, z).expect("a right pose");
                pair.penetration_with(pose, &request).expect("two solids")
            })
            .to_vec()
    }

    fn check(&self, changes: &[u8]) {
        let bytes = changed(&self.saved, changes);
        let loaded = match Mesh::<Bvh8>::from_saved(self.mesh.tri_mesh().clone(), &bytes) {
            Ok(loaded) => loaded.into_solid().expect("a closed mesh"),
            Err(error) => return crate::check_message(&error.to_string()),
        };
        let valid = loaded.validate().is_ok();
        for (found, truth) in Self::depths(&loaded).iter().zip(&self.depths) {
            assert!(found.is_none_or(|found| 0.0 <= found.lower && found.lower <= found.upper), "{found:?}");
            let agree = found.zip(*truth).is_some_and(|(f, t)| f.lower <= t.upper && t.lower <= f.upper);
            assert!(!valid || agree, "{found:?} {truth:?}");
        }
        if bytes == self.saved {
            assert!(valid);
        }
    }
}

/// A prism with a dent: a few spheres and polyhedra are inside of it.
fn prism() -> Arc<TriMesh> {
    // Long, so that the grid has few points.
    let outline = [[-8.0, -1.0], [8.0, -1.0], [8.0, 1.0], [0.0, 0.2], [-8.0, 1.0]];
    let vertex = |i: usize| DVec3::new(outline[i % 5][0], outline[i % 5][1], if i < 5 { -0.3 } else { 0.3 });
    let caps = [[0, 1, 3], [1, 2, 3], [0, 3, 4]];
    let bottoms = caps.map(|[a, b, c]| [a, c, b]);
    let tops = caps.map(|cap| cap.map(|i| i + 5));
    let sides = (0..5).flat_map(|i| {
        let j = (i + 1) % 5;
        [[i, j, j + 5], [i, j + 5, i + 5]]
    });
    let triangles = bottoms.into_iter().chain(tops).chain(sides).collect();
    Arc::new(TriMesh::new((0..10).map(vertex).collect(), triangles).expect("a right mesh"))
}

/// One change; places count words of four bytes from the end, where all but the head are aligned.
pub(crate) fn apply(body: &mut Vec<u8>, what: u8, place: usize, value: [u8; 4]) {
    let words = body.len() / 4;
    if words < 2 {
        return;
    }
    let word = |place: usize| body.len() - 4 * (1 + place % words);
    let at = word(place);
    let other = word(u32::from_le_bytes(value) as usize);
    match what % 6 {
        0 => body[at..at + 4].copy_from_slice(&value),
        1 => (0..4).for_each(|i| body.swap(at + i, other + i)),
        2 => (0..4).for_each(|i| body[at + i] ^= value[i]),
        3 => drop(body.splice(at..at, value)),
        4 => body.truncate(at),
        _ => body[place % words] = value[0],
    }
}

/// 200 triangles, enough for three levels of the widest tree.
fn wavy_sheet() -> Arc<TriMesh> {
    let vertex = |i: u32, j: u32| {
        let (x, y) = (f64::from(i) * 0.2 - 1.0, f64::from(j) * 0.2 - 1.0);
        DVec3::new(x, y, 0.2 * (3.0 * x).sin() * (2.0 * y).cos())
    };
    let vertices = (0..11).flat_map(|i| (0..11).map(move |j| vertex(i, j))).collect();
    let points = |i: u32, j: u32| [11 * i + j, 11 * i + j + 1, 11 * i + j + 12, 11 * i + j + 11];
    let quads = (0..10).flat_map(|i| (0..10).map(move |j| points(i, j)));
    let triangles = quads.flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Arc::new(TriMesh::new(vertices, triangles).expect("a right mesh"))
}
