//! What a saved hierarchy owes its reader, whatever was written into it: it is refused, or every
//! query of it ends with an answer; if the volumes hold their triangles too, with the right one.
//!
//! Random bytes would be refused for their hash, so an input is a list of changes to a right file,
//! which then gets a new hash. Its first byte says of which kind of hierarchy; then each seven
//! bytes are one change: what, where (two bytes), which value (four bytes).

use clearance_engine::dispatch::Dispatcher;
use clearance_engine::traversal::Workspace;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::query::DistanceRequest;
use clearance_engine::tree::{BvhKind, Mesh, Saved, Bvh8};
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
    let Some((kind, changes)) = input.split_first() else { return };
    match kind % 8 {
        0 => OBB.get_or_init(Case::new).check(changes, true),
        1 => RSS.get_or_init(Case::new).check(changes, false),
        2 => KDOP.get_or_init(Case::new).check(changes, false),
        3 => KIOS.get_or_init(Case::new).check(changes, false),
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
        let mut case = Self { dispatcher: Dispatcher::standard(), mesh, saved, poses: poses.to_vec(), distances: Vec::new() };
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
        let bytes = self.changed(changes);
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

    /// The file after the changes, with a right hash.
    fn changed(&self, changes: &[u8]) -> Vec<u8> {
        let mut body = self.saved[..self.saved.len() - 8].to_vec();
        for change in changes.chunks_exact(7) {
            let place = usize::from(u16::from_le_bytes([change[1], change[2]]));
            let value = [change[3], change[4], change[5], change[6]];
            apply(&mut body, change[0], place, value);
        }
        let hash = XxHash3_64::oneshot(&body);
        body.extend(hash.to_le_bytes());
        body
    }
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
