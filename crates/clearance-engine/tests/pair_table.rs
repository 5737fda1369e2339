//! Every entry of the dispatcher's table at random poses, both ways round: all questions agree with
//! an oracle that knows nothing of trees, volumes or the search over convex shapes, and
//! `docs/pairs.md` shows the table as the dispatcher holds it.

mod support;

use clearance_engine::assembly::Assembly;
use clearance_engine::dispatch::{Dispatcher, PairQuery};
use clearance_engine::math::{DMat3, DQuat, DVec3, IVec3};
use clearance_engine::motion::Motion;
use clearance_engine::query::{Contact, ContactsRequest, DistanceRequest, Status, Visitor};
use clearance_engine::shape::{HalfSpace, HalfSpaceOrPlane, Plane};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::voxel_map::{Cell, Cells, VoxelCells, VoxelMap};
use clearance_engine::tree::{
    Bvh8, BvhKind, DistanceField, Geometry, HalfSpaceGeometry, HeightField, Mesh, PointCloud, Solid, SphereTree,
    VolumeTree,
};
use clearance_engine::volume::{Aabb, KIos, Kdop16, Kdop18, Kdop24, Obb, Rss, Sphere};
use clearance_engine::world::World;
use clearance_engine::{Pose, TriMesh, Triangle};
use std::any::type_name;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::Arc;
use support::oracle::{self, Body, half_space_distance};
use support::{Random, tolerance};

/// What a geometry is a union of.
#[derive(Debug, Clone, Copy)]
enum Atom {
    Body(Body),
    HalfSpaceOrPlane(HalfSpaceOrPlane),
}

impl Atom {
    fn moved(&self, pose: &Pose) -> Self {
        match self {
            Self::Body(body) => {
                let (rotation, place) = (*pose.rotation() * body.rotation, pose.transform_point(body.place));
                Self::Body(Body { kind: body.kind, rotation, place })
            }
            Self::HalfSpaceOrPlane(flat) => Self::HalfSpaceOrPlane(flat.transformed(pose)),
        }
    }
}

/// The values of `normal·x` over a flat whose normal is parallel to `normal`; everything where it
/// is not.
fn shadow(flat: &HalfSpaceOrPlane, normal: DVec3) -> (f64, f64) {
    let (own, offset) = (flat.plane().normal(), flat.plane().offset());
    if own.cross(normal).length() > 1e-12 {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    let least = if flat.is_solid() { f64::NEG_INFINITY } else { offset };
    if own.dot(normal) > 0.0 { (least, offset) } else { (-offset, -least) }
}

/// At most and at least the distance of two atoms.
fn distance(a: &Atom, b: &Atom) -> (f64, f64) {
    let (flat, (least, most)) = match (a, b) {
        (Atom::Body(a), Atom::Body(b)) => return half_space_distance(a, b).expect("samples have no curved solids"),
        (Atom::Body(body), Atom::HalfSpaceOrPlane(flat)) | (Atom::HalfSpaceOrPlane(flat), Atom::Body(body)) => {
            let normal = flat.plane().normal();
            (flat, (-body.support(-normal), body.support(normal)))
        }
        (Atom::HalfSpaceOrPlane(a), Atom::HalfSpaceOrPlane(b)) => (a, shadow(b, a.plane().normal())),
    };
    let (low, high) = shadow(flat, flat.plane().normal());
    let gap = (least - high).max(low - most).max(0.0);
    (gap, gap)
}

/// One geometry of a kind in the dispatcher.
struct Sample {
    kind: &'static str,
    geometry: Arc<dyn Geometry>,
    atoms: Vec<Atom>,
    /// By how much its distances may be wide: 0 but for distance fields.
    error: f64,
}

fn sample<T: Geometry>(geometry: T, atoms: Vec<Atom>) -> Sample {
    Sample { kind: type_name::<T>(), geometry: Arc::new(geometry), atoms, error: 0.0 }
}

fn still(kind: oracle::BvhKind, place: DVec3) -> Atom {
    Atom::Body(Body { kind, rotation: DMat3::IDENTITY, place })
}

fn triangle(triangle: Triangle) -> Atom {
    still(oracle::BvhKind::Triangle(triangle.0), DVec3::ZERO)
}

fn mesh<K: BvhKind>(random: &mut Random) -> Sample {
    let tri_mesh: TriMesh = random.tri_mesh(24, 0.5, DVec3::ZERO);
    let atoms = (0..tri_mesh.len() as u32).map(|id| triangle(tri_mesh.triangle(id))).collect();
    sample(Mesh::<K>::new(tri_mesh).unwrap(), atoms)
}

fn solid(random: &mut Random) -> Sample {
    let which = [0, 1, 2, 6][random.below(4)];
    let kind = random.kind(which).scaled(0.6);
    let body = Body { kind, rotation: DMat3::IDENTITY, place: DVec3::ZERO };
    sample(Solid::new(body.unmoved().unwrap()), vec![Atom::Body(body)])
}

fn cloud(random: &mut Random) -> Sample {
    let points: Vec<DVec3> = (0..30).map(|_| random.vector() * 0.5).collect();
    let atoms = points.iter().map(|&point| still(oracle::BvhKind::Sphere(0.06), point)).collect();
    sample(PointCloud::new(points, 0.06).unwrap(), atoms)
}

fn voxels(random: &mut Random) -> Sample {
    let mut map = VoxelMap::new(0.25).unwrap();
    let mut atoms = Vec::new();
    for _ in 0..8 {
        let cell = IVec3::from_array([0; 3].map(|_: i32| random.below(6) as i32 - 3));
        map.set(cell, Cell::Obstacle).unwrap();
        atoms.push(still(oracle::BvhKind::Cuboid(DVec3::splat(0.125)), (cell.as_dvec3() + 0.5) * 0.25));
    }
    sample(map.snapshot().geometry(Cells::OBSTACLE).unwrap(), atoms)
}

fn flat(random: &mut Random) -> Sample {
    let (normal, offset) = (DVec3::AXES[random.below(3)], 0.6 * random.signed());
    let flat: HalfSpaceOrPlane = match random.below(2) {
        0 => HalfSpace::new(normal, offset).unwrap().into(),
        _ => Plane::new(-normal, offset).unwrap().into(),
    };
    sample(HalfSpaceGeometry::new(flat), vec![Atom::HalfSpaceOrPlane(flat)])
}

fn field(random: &mut Random) -> Sample {
    let heights: Vec<f64> = (0..16).map(|_| random.between(0.0, 0.3)).collect();
    let field = HeightField::new(4, 4, [0.3, 0.25], heights).unwrap();
    let atoms = (0..field.triangle_count() as u32).map(|id| triangle(field.shape(id).unwrap())).collect();
    sample(field, atoms)
}

/// A box with axes of its own, known by samples.
fn distance_field(random: &mut Random) -> Sample {
    let kind = oracle::BvhKind::Cuboid(DVec3::new(random.between(0.1, 0.5), 0.3, random.between(0.1, 0.4)));
    let body = Body { kind, rotation: DMat3::from_quat(random.rotation()), place: random.vector() * 0.2 };
    let pose = Pose::from_matrix(body.rotation, body.place).unwrap();
    let field = DistanceField::of(&Solid::new(body.unmoved().unwrap().transformed(&pose)), 0.04).unwrap();
    let error = field.error();
    assert!(error < 0.08, "{error}");
    Sample { error, ..sample(field, vec![Atom::Body(body)]) }
}

/// A few of the others, one of them an assembly again.
fn assembly(random: &mut Random, nested: bool) -> Sample {
    let mut parts = vec![mesh::<Bvh8>(random), solid(random), cloud(random), mesh::<Rss>(random)];
    if nested {
        parts.push(assembly(random, false));
    }
    let (mut whole, mut atoms) = (Assembly::default(), Vec::new());
    for part in parts {
        let pose = random.pose(0.6);
        atoms.extend(part.atoms.iter().map(|atom| atom.moved(&pose)));
        whole.insert(part.geometry, pose);
    }
    sample(whole, atoms)
}

/// One of every kind in the dispatcher, in the order of the drawn table.
fn samples(random: &mut Random) -> Vec<Sample> {
    vec![
        mesh::<Bvh8>(random),
        mesh::<Sphere>(random),
        mesh::<SphereTree>(random),
        #[cfg(feature = "inner-boxes")]
        mesh::<clearance_engine::tree::NestedTree>(random),
        mesh::<Aabb>(random),
        mesh::<Obb>(random),
        mesh::<Rss>(random),
        mesh::<Kdop16>(random),
        mesh::<Kdop18>(random),
        mesh::<Kdop24>(random),
        mesh::<KIos>(random),
        solid(random),
        cloud(random),
        voxels(random),
        flat(random),
        field(random),
        distance_field(random),
        assembly(random, true),
    ]
}

/// At most and at least the distance of two unions.
fn truth(a: &Sample, b: &Sample, pose: &Pose) -> (f64, f64) {
    let mut least = (f64::INFINITY, f64::INFINITY);
    for atom_b in &b.atoms {
        let moved = atom_b.moved(pose);
        for atom_a in &a.atoms {
            let (lower, upper) = distance(atom_a, &moved);
            least = (least.0.min(lower), least.1.min(upper));
        }
    }
    least
}

/// How large all of it is.
const SIZE: f64 = 10.0;

/// Geometries with a stated error: intervals hold the truth and are no wider, what is surely apart is
/// told apart, and what touches collides.
fn check_within(plan: &PairQuery<'_>, pose: &Pose, (lower, upper): (f64, f64), error: f64, label: &str) {
    let mut workspace = Workspace::default();
    let answer = plan.distance(pose, &DistanceRequest::default(), &mut workspace, None).unwrap();
    assert!(
        answer.lower <= upper + tolerance(upper, SIZE) && lower <= answer.upper + 1e-12,
        "{label}: {answer:?} {upper}"
    );
    assert!(answer.upper - answer.lower <= error, "{label}: {answer:?} {error}");
    let witness = answer.witness.unwrap();
    assert!(witness.point_a.distance(witness.point_b) <= answer.upper + 1e-9, "{label}: {answer:?}");
    let collides = plan.collide(pose, &mut workspace, None).colliding;
    let contacts = plan.contacts(pose, &ContactsRequest::default(), &mut workspace).unwrap();
    assert_eq!(contacts.colliding, collides, "{label}");
    assert!(collides || upper > 0.0, "{label}: missed");
    assert!(!collides || lower <= error, "{label}: {lower}");
    assert!(answer.lower <= 0.0 || !collides, "{label}: {answer:?}");
    assert!(plan.within(pose, upper + error, &mut workspace).unwrap().0, "{label}: {upper}");
    assert!(!plan.within(pose, 0.99 * lower, &mut workspace).unwrap().0 || lower == 0.0, "{label}: {lower}");
    let cut = plan.distance(pose, &DistanceRequest { max_d: 0.5 * lower, ..Default::default() }, &mut workspace, None);
    let cut = cut.unwrap();
    assert!(cut.lower <= lower + 1e-9 && cut.upper >= lower - 1e-9, "{label}: {cut:?}");
}

fn check(plan: &PairQuery<'_>, pose: &Pose, (lower, upper): (f64, f64), label: &str) {
    let mut workspace = Workspace::default();
    let colliding = upper == 0.0;
    let answer = plan.distance(pose, &DistanceRequest::default(), &mut workspace, None).unwrap();
    assert!(answer.lower <= upper + tolerance(upper, SIZE) && lower <= answer.upper, "{label}: {answer:?} {upper}");
    assert!((answer.upper - upper).abs() <= tolerance(upper, SIZE), "{label}: {answer:?} {upper}");
    assert!(answer.upper - answer.lower <= tolerance(upper, 100.0 * SIZE), "{label}: {answer:?}");
    assert_eq!(answer.colliding(), Some(colliding), "{label}: {answer:?} {upper}");
    let witness = answer.witness.unwrap();
    assert!((witness.point_a.distance(witness.point_b) - answer.upper).abs() <= tolerance(upper, SIZE), "{label}");
    assert_eq!(plan.collide(pose, &mut workspace, None).colliding, colliding, "{label}");
    let contacts = plan.contacts(pose, &ContactsRequest::default(), &mut workspace).unwrap();
    assert_eq!(!contacts.contacts.is_empty() || contacts.contained.is_some(), colliding, "{label}");
    assert_eq!(contacts.colliding, colliding, "{label}");
    // A limit on contacts, which near pairs may fill before one that touches is met, leaves the
    // verdict alone.
    for (max_contacts, margin) in [(0, 0.0), (0, 0.1), (1, 0.1), (3, 0.5), (1, 2.0)] {
        let cut = plan
            .contacts(pose, &ContactsRequest { max_contacts, margin, ..Default::default() }, &mut workspace)
            .unwrap();
        assert_eq!(cut.colliding, colliding, "{label}: at most {max_contacts} contacts within {margin}");
        assert!(cut.contacts.len() <= max_contacts, "{label}");
    }
    check_visits(plan, pose, upper, label);
    for (factor, expected) in [(0.99, colliding), (1.01, true)] {
        assert_eq!(plan.within(pose, factor * upper, &mut workspace).unwrap().0, expected, "{label}");
    }
    if colliding {
        return;
    }
    let mut ask = |request: DistanceRequest| plan.distance(pose, &request, &mut workspace, None).unwrap();
    let rough = ask(DistanceRequest { rel_err: 0.3, ..Default::default() });
    assert!(rough.lower <= upper * (1.0 + 1e-9) && upper <= rough.upper * (1.0 + 1e-9), "{label}: {rough:?} {upper}");
    assert!(rough.upper - rough.lower <= rough.upper * (0.3 + 1e-9), "{label}: {rough:?}");
    let beyond = ask(DistanceRequest { max_d: 0.9 * upper, ..Default::default() });
    assert_eq!((beyond.status, beyond.witness), (Status::BeyondMax, None), "{label}");
    let near = ask(DistanceRequest { min_d: 1.1 * upper, ..Default::default() });
    assert!(near.status == Status::BelowMin && near.upper <= 1.1 * upper, "{label}: {near:?} {upper}");
}

/// The nearest pair of leaves that a visitor was shown; contained solids touch.
struct NearestVisited(Option<f64>);

impl Visitor for NearestVisited {
    fn max_distance(&self) -> f64 {
        self.0.unwrap_or(f64::MAX)
    }

    fn visit(&mut self, contact: Contact) -> ControlFlow<()> {
        let [first, last] = [contact.points.first(), contact.points.last()].map(|point| *point.expect("points"));
        assert!(contact.distance == 0.0 || (first.distance(last) - contact.distance).abs() < 1e-9, "{contact:?}");
        self.0 = Some(contact.distance);
        ControlFlow::Continue(())
    }

    fn contain(&mut self, _point: DVec3) -> ControlFlow<()> {
        self.0 = Some(0.0);
        ControlFlow::Break(())
    }
}

/// A query that the table does not have, of a user's own: here, the distance once more.
fn check_visits(plan: &PairQuery<'_>, pose: &Pose, distance: f64, label: &str) {
    let mut nearest = NearestVisited(None);
    plan.visit(pose, &mut nearest, &mut Workspace::default()).unwrap();
    let found = nearest.0.unwrap_or_else(|| panic!("{label}: nothing visited"));
    assert!((found - distance).abs() <= tolerance(distance, SIZE), "{label}: {found} {distance}");
}

#[test]
fn every_entry_agrees_with_an_oracle_that_knows_only_its_atoms() {
    let dispatcher = Dispatcher::standard();
    let mut met = 0;
    for seed in 0..4 {
        let mut random = Random(9100 + seed);
        let (first, second) = (samples(&mut random), samples(&mut random));
        for (kind_a, kind_b, name) in dispatcher.pairs() {
            let of = |list: &'static str| format!("no sample of {list}");
            let a = first.iter().find(|sample| sample.kind == kind_a).unwrap_or_else(|| panic!("{}", of(kind_a)));
            let b = second.iter().find(|sample| sample.kind == kind_b).unwrap_or_else(|| panic!("{}", of(kind_b)));
            let pose = random.pose([0.15, 0.5, 1.2, 3.0][seed as usize]);
            let there = truth(a, b, &pose);
            // What touches by less than rounding may be called either.
            if there.1 > 0.0 && there.1 < 1e-9 {
                continue;
            }
            met += usize::from(there.1 == 0.0);
            let label = format!("seed {seed}, {kind_a} against {kind_b} ({name})");
            // Beyond the grid a field's interval is twice as wide.
            let error = 2.0 * (a.error + b.error);
            if error > 0.0 {
                let (a, b) = (&*a.geometry, &*b.geometry);
                check_within(&dispatcher.plan(a, b).unwrap(), &pose, there, error, &label);
                check_within(&dispatcher.plan(b, a).unwrap(), &pose.inverse(), there, error, &label);
                continue;
            }
            check(&dispatcher.plan(&*a.geometry, &*b.geometry).unwrap(), &pose, there, &label);
            check(
                &dispatcher.plan(&*b.geometry, &*a.geometry).unwrap(),
                &pose.inverse(),
                there,
                &format!("{label}, swapped"),
            );
        }
    }
    let all = 4 * dispatcher.pairs().len();
    assert!((all / 5..all * 4 / 5).contains(&met), "{met} of {all} collide: the test must see both");
}

/// In motion: conservative advancement serves every pair that has a distance, in a world too.
#[test]
fn every_entry_has_a_first_contact_that_no_sample_comes_before() {
    let dispatcher = Dispatcher::standard();
    let (mut contacts, mut passes) = (0, 0);
    for seed in 0..3 {
        let mut random = Random(9200 + seed);
        let (first, second) = (samples(&mut random), samples(&mut random));
        for (kind_a, kind_b, name) in dispatcher.pairs() {
            let of = |list: &[Sample], kind: &str| list.iter().position(|sample| sample.kind == kind).unwrap();
            let (a, b) = (&first[of(&first, kind_a)], &second[of(&second, kind_b)]);
            let label = format!("seed {seed}, {kind_a} against {kind_b} ({name})");
            // From outside to somewhere about the first one and on, tumbling.
            let (from, aim) = (random.pose(1.0), random.vector() * [0.3, 0.8, 1.6][seed as usize]);
            let start = Pose::new(DQuat::from_mat3(from.rotation()), DVec3::splat(3.0)).unwrap();
            let motion = Motion::moving(&start, DVec3::ZERO, aim - DVec3::splat(3.0), random.vector(), 2.0).unwrap();
            let mut world = World::new(Default::default()).unwrap();
            world.insert(a.geometry.clone(), Pose::IDENTITY, Default::default()).unwrap();
            let body = world.insert(b.geometry.clone(), start, Default::default()).unwrap();
            world.set_motion(body, motion.clone()).unwrap();
            let event = world.advance(&dispatcher, 2.0, &mut Workspace::default()).unwrap();
            let unbounded = [a, b].map(|sample| !sample.geometry.sphere().radius.is_finite());
            if unbounded == [true; 2] {
                assert_eq!(event, None, "{label}");
                continue;
            }
            let free_until = event.map_or(f64::INFINITY, |event| event.time);
            // The oracle is slow.
            for step in 0..=8 {
                let t = 0.25 * f64::from(step);
                let (_, upper) = truth(a, b, &motion.pose(t));
                assert!(t >= free_until || upper > 0.0, "{label}: {upper} at {t}: {event:?}");
            }
            match event {
                None => passes += 1,
                Some(event) => {
                    let impact = event.impact.unwrap();
                    let (least, _) = truth(a, b, &motion.pose(impact.t_upper));
                    // What a field does not tell apart is in contact; all others state no error.
                    let error = 2.0 * (a.error + b.error);
                    assert!(impact.gap <= 1e-6 + error && least <= impact.gap + 1e-9, "{label}: {least} {event:?}");
                    let (_, before) = truth(a, b, &motion.pose(event.time));
                    assert!(event.time == 0.0 || before <= 1e-5 + error, "{label}: {before} {event:?}");
                    contacts += 1;
                }
            }
        }
    }
    assert!(contacts > 100 && passes > 20, "{contacts} {passes}: the test must see both");
}

#[test]
fn a_part_that_nothing_is_registered_for_is_an_error_at_planning() {
    let dispatcher = Dispatcher::standard();
    let mut assembly = Assembly::default();
    assembly.insert(Arc::new(support::Cloud::default()), Pose::IDENTITY);
    let sphere = solid(&mut Random(1));
    for (a, b) in
        [(&assembly as &dyn Geometry, &*sphere.geometry), (&*sphere.geometry, &assembly), (&assembly, &assembly)]
    {
        let Err(error) = dispatcher.plan(a, b) else { panic!("planned") };
        assert!(error.to_string().contains("cloud"), "{error}");
    }
    let empty = Assembly::default();
    let plan = dispatcher.plan(&empty, &*sphere.geometry).unwrap();
    let answer = plan.distance(&Pose::IDENTITY, &DistanceRequest::default(), &mut Workspace::default(), None).unwrap();
    assert_eq!((answer.status, answer.colliding()), (Status::BeyondMax, Some(false)), "{answer:?}");
}

/// A type's name without its modules.
fn short(kind: &str) -> String {
    let mut name = String::new();
    for part in kind.split_inclusive(['<', '>']) {
        name.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    name
}

/// The table as the dispatcher holds it: rows and columns in the order of the samples, several
/// tests of a pair after one another.
fn drawn(dispatcher: &Dispatcher) -> String {
    let kinds: Vec<&str> = samples(&mut Random(1)).iter().map(|sample| sample.kind).collect();
    let pairs = dispatcher.pairs();
    let cell = |row: &str, column: &str| {
        let tests = pairs.iter().filter(|(a, b, _)| (*a, *b) == (row, column) || (*b, *a) == (row, column));
        tests.map(|&(_, _, name)| name).collect::<Vec<_>>().join(", ")
    };
    let mut text = String::from("| |");
    kinds.iter().for_each(|kind| write!(text, " `{}` |", short(kind)).unwrap());
    text.push_str("\n| --- |");
    kinds.iter().for_each(|_| text.push_str(" --- |"));
    for (i, row) in kinds.iter().enumerate() {
        write!(text, "\n| `{}` |", short(row)).unwrap();
        for (j, column) in kinds.iter().enumerate() {
            write!(text, " {} |", if j < i { String::new() } else { cell(row, column) }).unwrap();
        }
    }
    text
}

/// The documents show the table with all features.
#[cfg(feature = "inner-boxes")]
#[test]
fn the_documents_show_the_table_that_the_dispatcher_holds() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/pairs.md");
    let (begin, end) = ("<!-- drawn by tests/pair_table.rs -->\n", "\n<!-- end -->");
    let text = std::fs::read_to_string(path).unwrap();
    let (from, to) = (text.find(begin).unwrap() + begin.len(), text.find(end).unwrap());
    let table = drawn(&Dispatcher::standard());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, format!("{}{table}{}", &text[..from], &text[to..])).unwrap();
    } else {
        assert_eq!(&text[from..to], table, "run this test with UPDATE_DOCS=1 to draw it anew");
    }
    assert!(table.contains(&format!("`{}`", short(type_name::<VoxelCells>()))));
}
