//! All methods for two convex polyhedra against the exact oracle and so against each other.
//!
//! Invariants: no bound is on the wrong side, nothing is NaN, whoever says *apart* or *overlapping* is right, whoever cannot tell is
//! within 256 roundings of touching, apart or overlapping (but for one pair in 100,000), and intervals are narrow. Bodies: boxes, the bodies of the paper on boxes, random hulls, needles,
//! slivers, sizes from 1e-6 to 1e6. Places: anywhere, face on face, edge on edge, vertex on vertex or face, deep inside, at distances
//! from 1e-12 to 1e6. One pair in forty is of bodies on a grid, where a second exact oracle, basic contacts between whole faces, tells touching from
//! overlapping, and nobody may be in doubt of an overlap. As many pairs as `CLEARANCE_PAIRS` says, from number `CLEARANCE_FIRST_PAIR` on:
//! `cargo test --release -p clearance -- --ignored --nocapture ten_million`, 0.25 ms a pair, of which the oracle takes a third.

use super::polyhedra::SHALLOWEST;
use super::{
    Decision, Method, MethodMemory, Parting, PenetrationRequest, decide_by, distance_by, polyhedron_penetration,
};
use crate::Pose;
use crate::math::{DMat3, DQuat, DVec3, UNIT_ROUNDOFF};
use crate::oracle::{ExactSquaredDistance, contacts::Contact, contacts::Faces, polyhedra::ExactPair};
use crate::random::Random;
use crate::shape::{Convex, ConvexPolyhedron};
use std::cmp::Ordering;
use std::f64::consts::TAU;

fn vector(random: &mut Random) -> DVec3 {
    DVec3::new(random.signed(), random.signed(), random.signed())
}

fn rotation(random: &mut Random) -> DQuat {
    let turn = DQuat::from_xyzw(random.signed(), random.signed(), random.signed(), random.signed());
    if turn.length() > 0.1 { turn.normalize() } else { DQuat::IDENTITY }
}

fn magnitude(random: &mut Random, low: f64, high: f64) -> f64 {
    10.0_f64.powf(random.between(low, high))
}

/// The nonagonal antiprism of the paper on boxes.
fn antiprism() -> Vec<DVec3> {
    let corner = |i: u32| {
        let (sin, cos) = (TAU * f64::from(i) / 18.0).sin_cos();
        DVec3::new(cos, sin, if i.is_multiple_of(2) { 0.4 } else { -0.4 })
    };
    (0..18).map(corner).collect()
}

fn icosahedron() -> Vec<DVec3> {
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let signs = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let corner = |(s, t): (f64, f64)| {
        [DVec3::new(0.0, s, t * golden), DVec3::new(s, t * golden, 0.0), DVec3::new(t * golden, 0.0, s)]
    };
    signs.into_iter().flat_map(corner).collect()
}

fn points(random: &mut Random) -> Vec<DVec3> {
    let cube =
        || (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5).collect();
    match random.below(8) {
        0 => cube(),
        1 => DVec3::AXES.iter().flat_map(|&axis| [axis, -axis]).collect(),
        2 => icosahedron(),
        3 => antiprism(),
        4 => vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
        _ => (0..5 + random.below(8)).map(|_| vector(random)).collect(),
    }
}

/// A body about its own origin: as it is, or a sliver or a needle, of any size.
fn body(random: &mut Random) -> ConvexPolyhedron {
    loop {
        let thin = magnitude(random, -7.0, -1.0);
        let stretch = match random.below(6) {
            0 => DVec3::new(1.0, 1.0, thin),
            1 => DVec3::new(1.0, thin, thin),
            _ => DVec3::ONE,
        };
        let scale = if random.below(2) == 0 { 1.0 } else { magnitude(random, -6.0, 6.0) };
        let points: Vec<DVec3> = points(random).into_iter().map(|point| point * stretch * scale).collect();
        if let Ok(body) = ConvexPolyhedron::hull_of(&points) {
            return body;
        }
    }
}

/// The second body somewhere about the first.
fn placed(random: &mut Random, a: &ConvexPolyhedron, b: &ConvexPolyhedron) -> ConvexPolyhedron {
    let size = a.reach().min(b.reach());
    let gap = match random.below(5) {
        0 => 0.0,
        1 => magnitude(random, -12.0, 6.0),
        2 => -size * magnitude(random, -12.0, 0.0),
        _ => size * magnitude(random, -12.0, 2.0),
    };
    let turned = |random: &mut Random| match random.below(3) {
        0 => DMat3::IDENTITY,
        1 => DMat3::from_quat(DQuat::from_rotation_y(0.5 * TAU / 2.0) * DQuat::from_rotation_x(TAU / 4.0)),
        _ => DMat3::from_quat(rotation(random)),
    };
    let (turn, direction) = match random.below(6) {
        // Face on face, the second body turned so that its face looks the opposite way.
        0 => {
            let normal = a.face_normal(random.below(a.face_count()) as u32);
            let face = b.face_normal(random.below(b.face_count()) as u32);
            (DMat3::from_quat(DQuat::from_rotation_arc(face, -normal)), normal)
        }
        // On a face with whatever is there.
        1 => (turned(random), a.face_normal(random.below(a.face_count()) as u32)),
        // Edge across edge.
        2 => {
            let turn = turned(random);
            let edge = |body: &ConvexPolyhedron, from: u32| body.vertex(body.neighbors(from)[0]) - body.vertex(from);
            let (e, f) =
                (edge(a, random.below(a.vertex_count()) as u32), edge(b, random.below(b.vertex_count()) as u32));
            (turn, e.normalize().cross(turn * f.normalize()).try_normalize().unwrap_or(DVec3::X))
        }
        // Vertex to vertex, mostly.
        3 | 4 => (turned(random), vector(random).try_normalize().unwrap_or(DVec3::X)),
        // Deep inside.
        _ => {
            let place = a.center() + vector(random) * 0.2 * a.reach() - turned(random) * b.center();
            return b.transformed(&Pose::from_translation(place).unwrap());
        }
    };
    let b = b.transformed(&Pose::from_matrix(turn, DVec3::ZERO).unwrap());
    let shift = a.center() + a.farthest(direction) + direction * gap - b.center() - b.farthest(-direction);
    // Along the surface, so that not only farthest corners meet.
    let aside = vector(random).reject_from(direction) * if random.below(2) == 0 { 0.3 * size } else { 0.0 };
    b.transformed(&Pose::from_translation(shift + aside).unwrap())
}

/// How far a point is outside of a polyhedron, at least; negative inside.
pub(super) fn outside(polyhedron: &ConvexPolyhedron, point: DVec3) -> f64 {
    let above = |face: u32| {
        let normal = polyhedron.face_normal(face);
        normal.dot(point - polyhedron.vertex(polyhedron.farthest_vertex(normal)))
    };
    (0..polyhedron.face_count() as u32).map(above).fold(f64::NEG_INFINITY, f64::max)
}

struct Judge<'j> {
    case: u64,
    pair: [&'j ConvexPolyhedron; 2],
    exact: ExactSquaredDistance,
    /// The distance of the centres and both reaches.
    size: f64,
    /// Whether they touch, up to rounding, once that was asked.
    touch: Option<bool>,
    /// How they meet, of bodies of which basic contacts can tell.
    contact: Option<Contact>,
    /// Whether an overlap stayed in doubt though it is deeper than rounding, or a point was hardly one of the body.
    hard: bool,
    faults: &'j mut Vec<String>,
}

/// As deep, as a part of the size, may an overlap be of which nothing is certain, if that is rare.
const DEEPEST_DOUBT: f64 = 1e-8;
/// How far a point may be from its body, as a part of the size; and if that is rare.
const OFF: f64 = 1e-9;
const FARTHEST_OFF: f64 = 1e-7;
/// One pair in as many may be so hard: of ten million 22 and 4 were.
const RARE: u64 = 100_000;

impl<'j> Judge<'j> {
    fn new(case: u64, a: &'j ConvexPolyhedron, b: &'j ConvexPolyhedron, faults: &'j mut Vec<String>) -> Self {
        let size = a.center().distance(b.center()) + a.reach() + b.reach();
        Self {
            case,
            pair: [a, b],
            exact: ExactPair::squared_distance(a, b),
            size,
            touch: None,
            contact: None,
            hard: false,
            faults,
        }
    }

    fn distance(&mut self, method: Method, found: &Parting) {
        let finite = [found.normal, found.point_a, found.point_b].iter().all(|v| v.is_finite());
        let unit = (found.normal.length() - 1.0).abs() < 1e-12;
        let lower = found.lower <= 0.0 || self.exact.compare(found.lower) != Ordering::Less;
        let upper = found.upper == 0.0 || self.exact.compare(found.upper) != Ordering::Greater;
        let narrow = found.upper - found.lower <= 1e-11 * self.size || found.upper == 0.0;
        let met = found.upper > 0.0 || self.meet();
        let [a, b] = self.pair;
        let off = outside(a, found.point_a).max(outside(b, found.point_b));
        self.hard |= off > OFF * self.size;
        for (right, what) in [
            (finite && found.lower.is_finite() && found.upper.is_finite(), "is not finite"),
            (unit, "has no unit normal"),
            (lower, "has a lower bound above the distance"),
            (upper, "has an upper bound below the distance"),
            (narrow, "has a wide interval"),
            (met, "says that they overlap"),
            (off <= FARTHEST_OFF * self.size, "has a point that is not one of the body"),
        ] {
            if !right {
                let Self { case, size, .. } = self;
                self.faults.push(format!("case {case}: {} {what}: {found:?}, size {size:e}", method.name()));
            }
        }
    }

    fn decision(&mut self, method: Method, found: Decision) {
        let right = match found {
            Decision::Apart { normal, gap } => {
                gap > 0.0 && self.exact.compare(gap) != Ordering::Less && (normal.length() - 1.0).abs() < 1e-12
            }
            Decision::Overlapping => self.exact.is_zero(),
            // Overlaps of bodies on a grid are deeper than rounding.
            Decision::Touching if self.contact.is_some() => self.contact != Some(Contact::Overlapping) && self.meet(),
            Decision::Touching => self.touch() || self.nearly_touch(),
        };
        if !right {
            let Self { case, size, .. } = self;
            self.faults.push(format!("case {case}: {} decides {found:?}, size {size:e}", method.name()));
        }
    }

    /// All methods: once from nothing, once from what is right, once from what another pair has left; who has no memory answers the same each time.
    fn ask_all(&mut self, memory: &mut MethodMemory) {
        let [a, b] = self.pair;
        for method in Method::ALL {
            let mut fresh = MethodMemory::default();
            let repeats = if remembers(method) { 2 } else { 1 };
            for memory in [&mut fresh, &mut *memory].into_iter().take(repeats) {
                for _ in 0..repeats {
                    self.decision(method, decide_by(method, a, b, memory));
                    // Who only decides has the default's distances.
                    if method.measures() {
                        let found = distance_by(method, a, b, f64::INFINITY, memory);
                        self.distance(method, &found.expect("no distance is infinite"));
                    }
                }
            }
        }
    }

    /// Who does not say apart is right, or within rounding of it: 256 roundings are what two bounds of 64 each and the width between them may leave
    /// open, and as much again.
    fn meet(&self) -> bool {
        self.exact.compare(256.0 * UNIT_ROUNDOFF * self.size) != Ordering::Greater
    }

    /// Whether they touch within as many roundings, be it that they are apart or that a direction, proposed by whatever, leads out of the overlap by
    /// no more. Its length is taken exactly.
    fn touch(&mut self) -> bool {
        let Self { pair: [a, b], size, .. } = *self;
        let meet = self.meet();
        *self.touch.get_or_insert_with(|| {
            let exact = ExactPair::new(a, b);
            meet && ways_out(a, b).any(|way| exact.leaves_within(way, SHALLOWEST * size))
        })
    }
    /// The same where the overlap is deeper than that, and hard to prove.
    fn nearly_touch(&mut self) -> bool {
        let Self { pair: [a, b], size, .. } = *self;
        self.hard = true;
        self.meet() && ways_out(a, b).any(|way| ExactPair::new(a, b).leaves_within(way, DEEPEST_DOUBT * size))
    }
}

/// Directions along which b may leave a soonest: what the search for depths finds, normals of faces, and products of edges.
fn ways_out<'p>(a: &'p ConvexPolyhedron, b: &'p ConvexPolyhedron) -> impl Iterator<Item = DVec3> + 'p {
    let found = [PenetrationRequest::default(), PenetrationRequest { rel_err: 0.0, ..PenetrationRequest::default() }];
    let found = found.into_iter().filter_map(move |request| Some(polyhedron_penetration(a, b, &request)?.normal));
    let faces = |body: &'p ConvexPolyhedron| (0..body.face_count() as u32).map(move |face| body.face_normal(face));
    let edges = |body: &'p ConvexPolyhedron| {
        let ends = (0..body.vertex_count() as u32).flat_map(move |i| body.neighbors(i).iter().map(move |&j| (i, j)));
        ends.filter_map(move |(i, j)| (body.vertex(j) - body.vertex(i)).try_normalize())
    };
    let products = edges(a).flat_map(move |e| edges(b).map(move |f| e.cross(f)));
    found.chain(faces(a)).chain(faces(b).map(|normal| -normal)).chain(products).filter(|way| *way != DVec3::ZERO)
}

/// How many pairs were apart, overlapping, and neither for certain.
#[derive(Default, Debug)]
struct Tally {
    apart: u64,
    overlapping: u64,
    touching: u64,
    /// Those of which no method could tell all that they are held to, though nothing was wrong.
    hard: u64,
    faults: Vec<String>,
}

fn remembers(method: Method) -> bool {
    matches!(method, Method::Coherent | Method::Features | Method::SeparatingVector)
}

fn agree(cases: std::ops::Range<u64>) -> Tally {
    let mut memory = MethodMemory::default();
    let mut tally = Tally::default();
    for case in cases {
        let mut random = Random(case.wrapping_mul(0x9e37_79b9));
        let a = body(&mut random);
        let b = body(&mut random);
        let b = placed(&mut random, &a, &b);
        let mut judge = Judge::new(case, &a, &b, &mut tally.faults);
        judge.ask_all(&mut memory);
        tally.hard += u64::from(judge.hard);
        match decide_by(Method::Simplices, &a, &b, &mut memory) {
            Decision::Apart { .. } => tally.apart += 1,
            Decision::Overlapping => tally.overlapping += 1,
            Decision::Touching => tally.touching += 1,
        }
    }
    tally
}

/// Any 4 to 16 points of a grid of 5 × 5 × 5, those in the hull are its corners: in units of which the mean of as many is an integer.
fn body_on_grid(random: &mut Random) -> ConvexPolyhedron {
    /// The least number that all up to 16 divide.
    const UNIT: f64 = 720_720.0;
    loop {
        let count = [4, 6, 8, 16][random.below(4)];
        let point = |random: &mut Random| DVec3::from_array([(); 3].map(|()| random.below(5) as f64)) * UNIT;
        let points: Vec<DVec3> = match random.below(3) {
            0 => {
                let size = point(random) + UNIT;
                (0..8).map(|i| size * DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect()
            }
            _ => (0..count).map(|_| point(random)).collect(),
        };
        if let Ok(body) = ConvexPolyhedron::hull_of(&points) {
            let turn = DMat3::from_cols_array_2d(&match random.below(3) {
                0 => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
                1 => [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
                _ => [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
            });
            let place = point(random) - point(random);
            return body.transformed(&Pose::from_matrix(turn, place).unwrap());
        }
    }
}

/// As [`agree`] for bodies with corners on a grid and faces that are exactly flat, most of which have more than three corners: how these meet is told by basic
/// contacts too, and both oracles must agree. All methods must find overlaps as such, in line with each other as corners are.
fn agree_on_grid(cases: std::ops::Range<u64>) -> Tally {
    let mut memory = MethodMemory::default();
    let mut tally = Tally::default();
    for case in cases {
        let mut random = Random(case.wrapping_mul(0x9e37_79b9) ^ 1);
        let (a, b) = (body_on_grid(&mut random), body_on_grid(&mut random));
        let [faces_a, faces_b] = [&a, &b].map(|body| Faces::of(body).expect("corners are integers"));
        let contact = faces_a.contact(&faces_b).expect("sums of integers are none that are rounded");
        let mut judge = Judge::new(case, &a, &b, &mut tally.faults);
        judge.contact = Some(contact);
        if judge.exact.is_zero() != (contact != Contact::Apart) {
            judge.faults.push(format!("case {case} on the grid: {contact:?} by basic contacts, not so as fractions"));
        }
        judge.ask_all(&mut memory);
        match contact {
            Contact::Apart => tally.apart += 1,
            Contact::Overlapping => tally.overlapping += 1,
            Contact::Touching => tally.touching += 1,
        }
    }
    tally
}

#[test]
fn all_algorithms_agree_on_a_grid_and_so_do_both_oracles() {
    let tally = agree_on_grid(0..2000);
    assert!(tally.faults.is_empty(), "{} faults: {}", tally.faults.len(), tally.faults.join("\n"));
    assert!(tally.apart > 500 && tally.overlapping > 250 && tally.touching > 100, "{tally:?}");
}

#[test]
fn all_algorithms_agree() {
    let tally = agree(0..3000);
    assert!(tally.faults.is_empty(), "{} faults: {}", tally.faults.len(), tally.faults.join("\n"));
    assert_eq!(tally.hard, 0, "{tally:?}");
    assert!(tally.apart > 1000 && tally.overlapping > 400 && tally.touching > 100, "{tally:?}");
}

/// What was learnt at one place decides at the next by how far bodies moved: steps of 1e-6 to 1e-1 of their size, through contact and back.
#[test]
fn memories_are_right_along_motions_in_small_steps() {
    let mut tally = Tally::default();
    let mut random = Random(77);
    for case in 0..150 {
        let (a, b) = (body(&mut random), body(&mut random));
        let mut b = placed(&mut random, &a, &b);
        let mut memory = MethodMemory::default();
        let step = magnitude(&mut random, -6.0, -1.0);
        let way = vector(&mut random) * step * a.reach().min(b.reach());
        for at in 0..24 {
            let turn = DMat3::from_quat(DQuat::from_scaled_axis(vector(&mut random) * step));
            let back = if at % 12 < 6 { way } else { -way };
            let moved = b.center() + back - turn * b.center();
            b = b.transformed(&Pose::from_matrix(turn, moved).unwrap());
            let mut judge = Judge::new(case, &a, &b, &mut tally.faults);
            for method in [Method::Coherent, Method::SeparatingVector] {
                let found = decide_by(method, &a, &b, &mut memory);
                judge.decision(method, found);
                match found {
                    Decision::Apart { .. } => tally.apart += 1,
                    Decision::Overlapping => tally.overlapping += 1,
                    Decision::Touching => tally.touching += 1,
                }
            }
            let found = distance_by(Method::Coherent, &a, &b, f64::INFINITY, &mut memory);
            judge.distance(Method::Coherent, &found.expect("no distance is infinite"));
        }
    }
    assert!(tally.faults.is_empty(), "{} faults: {}", tally.faults.len(), tally.faults.join("\n"));
    assert!(tally.apart > 1000 && tally.overlapping > 1000, "{tally:?}");
}

/// The exact oracle would take minutes for these; searches that share nothing with the memory must find intervals in common with it.
#[test]
fn memories_of_many_corners_agree_with_searches_from_nothing() {
    let mut random = Random(78);
    let (mut apart, mut overlapping) = (0, 0);
    for case in 0..40 {
        let mut hull = || {
            let corners: Vec<DVec3> = (0..40 + random.below(200)).map(|_| rotation(&mut random) * DVec3::Z).collect();
            ConvexPolyhedron::hull_of(&corners).unwrap()
        };
        let (a, mut b) = (hull(), hull());
        let mut memory = MethodMemory::default();
        // From steps of which the memory is a good start to those of which it is none.
        let step = [1e-3, 0.02, 0.2, 1.0][case % 4];
        for _ in 0..25 {
            let wanted = rotation(&mut random) * DVec3::Z * random.between(1.8, 3.0);
            let (turn, center) = (rotation(&mut random), b.center().lerp(wanted, step));
            let turn = DMat3::from_quat(DQuat::IDENTITY.slerp(turn, step));
            b = b.transformed(&Pose::from_matrix(turn, center - turn * b.center()).unwrap());
            let found = distance_by(Method::Coherent, &a, &b, f64::INFINITY, &mut memory).unwrap();
            for method in [Method::Simplices, Method::Features] {
                let other = distance_by(method, &a, &b, f64::INFINITY, &mut MethodMemory::default()).unwrap();
                let both = format!("case {case}: {found:?} and {other:?}");
                assert!(found.lower <= other.upper && other.lower <= found.upper, "{both}");
                assert_eq!(found.upper > 0.0, other.upper > 0.0, "{both}");
            }
            if found.upper > 0.0 {
                assert!(found.upper - found.lower < 1e-10, "case {case}: {found:?}");
                apart += 1;
            } else {
                overlapping += 1;
            }
        }
    }
    assert!(apart > 100 && overlapping > 100, "{apart} {overlapping}");
}

/// A needle of 1e-6 beside a body of 1e3, which left the search over simplices with a wide interval, pairs that it took to overlap, and the two of a
/// million that closest features and hierarchies left wide too.
#[test]
fn pairs_that_one_search_cannot_prove_are_proven_by_another() {
    for case in [1459, 85_342, 105_693, 1_137_201, 1_224_075, 1_299_504, 2_049_137] {
        let tally = agree(case..case + 1);
        assert!(tally.faults.is_empty() && tally.apart == 1, "{case}: {tally:?}");
    }
}

/// Overlaps of 300 to 1e8 roundings between needles, slivers and bodies that differ in size by up to 1e10: four corners that prove them are so thin, or so much
/// in line with each other, that it takes 106 bits, and some of them a fifth corner.
#[test]
fn overlaps_hardly_deeper_than_rounding_are_told_from_touching() {
    for case in [441, 6327, 18_914, 43_338, 54_315, 100_191, 138_052, 156_342, 220_955, 247_792, 258_098] {
        let tally = agree(case..case + 1);
        assert!(tally.faults.is_empty() && tally.overlapping == 1 && tally.hard == 0, "{case}: {tally:?}");
    }
}

#[test]
fn bounds_hold_where_squares_of_lengths_leave_the_range_of_numbers() {
    let hull = |points: &[[f64; 3]], k: f64, at: DVec3| {
        let points: Vec<DVec3> = points.iter().map(|&p| (DVec3::from_array(p) + at) * k).collect();
        ConvexPolyhedron::hull_of(&points).unwrap()
    };
    let edge = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, -1.0, 1.0], [0.0, 1.0, 1.0]];
    let tip = [[0.0, 0.0, -0.75], [1.0, 0.0, 0.25], [-0.5, 0.9, 0.25], [-0.5, -0.9, 0.25]];
    for k in [1.0, 1e-60, 1e-100, 1e-131] {
        // The lowest corner is above the upper edge: 3.75 − 0.75 − 1.
        let (a, b) = (hull(&edge, k, DVec3::ZERO), hull(&tip, k, DVec3::new(0.0, 0.25, 3.75)));
        for method in Method::ALL {
            let found = distance_by(method, &a, &b, f64::INFINITY, &mut MethodMemory::default()).unwrap();
            assert!(found.lower <= 2.0 * k * (1.0 + 1e-12), "{method:?} {k:e} {found:?}");
            assert!(found.upper >= 2.0 * k * (1.0 - 1e-12) && found.upper < 2.1 * k, "{method:?} {k:e} {found:?}");
        }
    }
    // What is remembered of one body is no start for another one that is almost a point.
    let octahedron =
        [[0.9, 0.0, 0.0], [-0.9, 0.0, 0.0], [0.0, 0.9, 0.0], [0.0, -0.9, 0.0], [0.0, 0.0, 0.9], [0.0, 0.0, -0.9]];
    let a = hull(&octahedron, 1.0, DVec3::ZERO);
    let flat = [[1.0, 0.0, 0.0], [-0.5, 0.9, 0.0], [-0.5, -0.9, 0.0], [0.0, 0.0, 1.0]];
    let up = Pose::from_translation(DVec3::Z * 2.0).unwrap();
    for scale in [1e-20, 1e-80, 1e-82] {
        let mut memory = MethodMemory::default();
        for k in [1.0, scale] {
            let b = hull(&flat, k, DVec3::ZERO).transformed(&up);
            let found = distance_by(Method::Coherent, &a, &b, f64::INFINITY, &mut memory).unwrap();
            assert!(found.lower <= 1.1 + 1e-12 && found.upper >= 1.1 - 1e-12, "{k:e} {found:?}");
        }
    }
}

/// `CLEARANCE_PAIRS` says how many, `CLEARANCE_FIRST_PAIR` which is the first.
#[test]
#[ignore = "an hour: cargo test --release -p clearance --lib ten_million_pairs -- --ignored --nocapture"]
fn all_algorithms_agree_on_ten_million_pairs() {
    let number =
        |name: &str, otherwise: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let first = number("CLEARANCE_FIRST_PAIR", 1_000_000);
    let end = first + number("CLEARANCE_PAIRS", 10_000_000);
    let (mut wrong, mut all_hard) = (0, 0);
    for start in (first..end).step_by(20_000) {
        // Who stops it knows where to go on, and a pair that is wrong keeps none of the others from being looked at.
        let Tally { apart, overlapping, touching, hard, mut faults } = agree(start..end.min(start + 20_000));
        // One pair in forty is one on the grid, in a fortieth of the time.
        faults.extend(agree_on_grid(start / 40..end.min(start + 20_000) / 40).faults);
        let count = faults.len();
        eprintln!(
            "from {start}: {apart} apart, {overlapping} overlapping, {touching} touching, {hard} hard, {count} faults"
        );
        faults.iter().for_each(|fault| eprintln!("{fault}"));
        (wrong, all_hard) = (wrong + count, all_hard + hard);
    }
    assert_eq!(wrong, 0, "faults are listed above");
    assert!(all_hard <= 1 + (end - first) / RARE, "{all_hard} pairs are hard");
}

/// Those of ten million pairs of which nobody can tell whether they overlap, though they do by 500 to 1.4e7 roundings, and of whose shared points one is 2e-9 to
/// 8e-8 of the size away from a body: that much is known of them, and all agree.
#[test]
fn what_is_hard_is_known_within_its_bounds() {
    let hard = [
        100_131, 1_082_714, 1_239_023, 1_247_933, 1_280_250, 1_453_828, 1_474_570, 1_522_574, 1_582_637, 2_743_177,
        2_805_586, 3_089_615, 3_506_783, 3_956_270, 4_641_258, 4_842_912, 4_973_104, 5_164_153, 6_616_565, 6_622_329,
        6_962_820, 8_137_709, 8_153_548, 8_844_473, 9_037_290, 9_710_953,
    ];
    for case in hard {
        let tally = agree(case..case + 1);
        assert!(tally.faults.is_empty() && tally.apart == 0 && tally.hard <= 1, "{case}: {tally:?}");
    }
}
