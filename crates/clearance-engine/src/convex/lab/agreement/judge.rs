//! What every answer about a pair of convex polyhedra is held to.

use super::super::{Method, MethodMemory, decide_by, distance_by};
use super::bodies::Placed;
use crate::convex::polyhedron_polyhedron::SHALLOWEST;
use crate::convex::{
    Penetration, PenetrationRequest, Separated, SeparatingAxis, Separation, overlap_after, penetration_after,
    polyhedron_distance, polyhedron_penetration, rough_distance_after,
};
use crate::math::DVec3;
use crate::oracle::{ExactSquaredDistance, contacts::Contact, polyhedra::ExactPair};
use crate::random::Random;
use crate::shape::{ClosestPoints, Convex, ConvexPolyhedron};
use std::cmp::Ordering;
use std::fmt::Debug;

/// How far a point is outside of a polyhedron, at least; negative inside.
pub(in crate::convex) fn outside(polyhedron: &ConvexPolyhedron, point: DVec3) -> f64 {
    let above = |face: u32| {
        let normal = polyhedron.face_normal(face);
        normal.dot(point - polyhedron.vertex(polyhedron.support_vertex(normal)))
    };
    (0..polyhedron.face_count() as u32).map(above).fold(f64::NEG_INFINITY, f64::max)
}

/// All directions along which b may leave a soonest, of any length: normals of faces and products
/// of edges.
fn directions<'p>(a: &'p ConvexPolyhedron, b: &'p ConvexPolyhedron) -> impl Iterator<Item = DVec3> + 'p {
    let faces = |body: &'p ConvexPolyhedron| (0..body.face_count() as u32).map(move |face| body.face_normal(face));
    let edges = |body: &'p ConvexPolyhedron| -> Vec<DVec3> {
        let ends = (0..body.vertex_count() as u32).flat_map(move |i| body.neighbors(i).iter().map(move |&j| (i, j)));
        let ends = ends.filter(|(i, j)| i < j);
        ends.filter_map(|(i, j)| (body.vertex_offset(j) - body.vertex_offset(i)).try_normalize()).collect()
    };
    let (edges_a, edges_b) = (edges(a), edges(b));
    let products: Vec<DVec3> = edges_a.iter().flat_map(|e| edges_b.iter().map(move |f| e.cross(*f))).collect();
    let opposite = products.clone().into_iter().map(|way| -way);
    faces(a).chain(faces(b).map(|normal| -normal)).chain(products).chain(opposite).filter(|way| *way != DVec3::ZERO)
}

/// The depth, up to rounding, as the least overlap along all directions that it can have, and the
/// direction.
pub(in crate::convex) fn brute_force_depth(a: &ConvexPolyhedron, b: &ConvexPolyhedron) -> (f64, DVec3) {
    let vertices = |body: &ConvexPolyhedron| -> Vec<DVec3> {
        let offset = body.center() - a.center();
        (0..body.vertex_count() as u32).map(|i| offset + body.vertex_offset(i)).collect()
    };
    let (vertices_a, vertices_b) = (vertices(a), vertices(b));
    let farthest = |vertices: &[DVec3], way: DVec3| {
        let higher = |best: (f64, DVec3), &vertex: &DVec3| {
            let height = way.dot(vertex);
            if height > best.0 { (height, vertex) } else { best }
        };
        vertices.iter().fold((f64::NEG_INFINITY, DVec3::ZERO), higher).1
    };
    let (mut least, mut last) = ((f64::INFINITY, DVec3::X), DVec3::ZERO);
    for way in directions(a, b).filter_map(DVec3::try_normalize) {
        // A difference of vertices that is far along one direction mostly is so along the next.
        if way.dot(last) >= least.0 {
            continue;
        }
        last = farthest(&vertices_a, way) - farthest(&vertices_b, -way);
        if way.dot(last) < least.0 {
            least = (way.dot(last), way);
        }
    }
    least
}

/// Directions along which b may leave a soonest: what the search for depths finds, and all that
/// there are.
fn ways_out<'p>(a: &'p ConvexPolyhedron, b: &'p ConvexPolyhedron) -> impl Iterator<Item = DVec3> + 'p {
    let found = [PenetrationRequest::default(), PenetrationRequest { rel_err: 0.0, ..PenetrationRequest::default() }];
    let found = found.into_iter().filter_map(move |request| Some(polyhedron_penetration(a, b, &request)?.normal));
    found.chain(std::iter::once_with(move || directions(a, b)).flatten())
}

pub(super) struct Judge<'j> {
    case: u64,
    pair: [&'j ConvexPolyhedron; 2],
    exact_pair: ExactPair,
    pub exact: ExactSquaredDistance,
    /// The distance of the centres and both reaches.
    size: f64,
    /// Whether they touch, up to rounding, once that was asked.
    touch: Option<bool>,
    /// Where b leaves a soonest, once that was asked.
    way_out: Option<DVec3>,
    /// How they meet, of bodies of which basic contacts can tell.
    pub contact: Option<Contact>,
    /// Whether an overlap stayed in doubt though it is deeper than rounding, or a point was hardly
    /// one of the body.
    pub hard: bool,
    /// Whether an interval of the depth was wider than asked for, as it may be of thin bodies.
    pub wide: bool,
    pub faults: &'j mut Vec<String>,
}

/// As deep, as a part of the size, may an overlap be of which nothing is certain, if that is rare.
const DEEPEST_DOUBT: f64 = 1e-8;
/// How far a point may be from its body, as a part of the size; and if that is rare.
const OFF: f64 = 1e-9;
const FARTHEST_OFF: f64 = 1e-7;
/// By how much more than was asked an interval of a depth may be wide, as a part of the size; and
/// if a body is thin: next to one that is larger by 1e12 any is a point, an edge or a plate.
const WIDTH: f64 = 1e-11;
const WIDEST: f64 = 1e-7;
/// As a part of the size, the radius of a sphere inside of a body that is not thin.
const THIN: f64 = 1e-3;

impl<'j> Judge<'j> {
    pub(super) fn new(
        case: u64,
        a: &'j ConvexPolyhedron,
        b: &'j ConvexPolyhedron,
        faults: &'j mut Vec<String>,
    ) -> Self {
        let size = a.center().distance(b.center()) + a.bounding_radius() + b.bounding_radius();
        let mut exact_pair = ExactPair::new(a, b);
        let exact = exact_pair.measured();
        Self {
            case,
            pair: [a, b],
            exact_pair,
            exact,
            size,
            touch: None,
            way_out: None,
            contact: None,
            hard: false,
            wide: false,
            faults,
        }
    }

    /// What is not so is a fault.
    fn hold<const N: usize>(&mut self, by: &str, found: &dyn Debug, facts: [(bool, &str); N]) {
        for (_, what) in facts.into_iter().filter(|(right, _)| !right) {
            let Self { case, size, .. } = self;
            self.faults.push(format!("case {case}: {by} {what}: {found:?}, size {size:e}"));
        }
    }

    pub(super) fn distance(&mut self, by: &str, found: &Separation) {
        let facts = [
            (found.lower.is_finite(), "has a lower bound that is not finite"),
            ((found.normal.length() - 1.0).abs() < 1e-12, "has no unit normal"),
            (found.lower <= 0.0 || found.upper > 0.0, "has an upper bound that is zero and a lower one that is not"),
        ];
        self.hold(by, found, facts);
        self.closest(by, &ClosestPoints::from(*found));
    }

    fn closest(&mut self, by: &str, found: &ClosestPoints) {
        let [a, b] = self.pair;
        let off = outside(a, found.point_a).max(outside(b, found.point_b));
        self.hard |= off > OFF * self.size;
        let finite = [found.point_a, found.point_b, DVec3::new(found.lower, found.upper, 0.0)];
        let facts = [
            (finite.iter().all(|v| v.is_finite()), "is not finite"),
            (self.exact.compare(found.lower.max(0.0)) != Ordering::Less, "has a lower bound above the distance"),
            (found.upper > 0.0 || self.are_as_one(), "takes bodies for one that are apart by a part of their size"),
            (self.reaches(found.upper), "has an upper bound below the distance"),
            (found.upper - found.lower <= 1e-11 * self.size, "has a wide interval"),
            (found.upper > 0.0 || self.meet(), "says that they overlap"),
            (off <= FARTHEST_OFF * self.size, "has a point that is not one of the body"),
        ];
        self.hold(by, found, facts);
    }

    /// Whether they are as near to each other as bodies must be to count as touching: that is a
    /// part of the smaller one's size.
    fn are_as_one(&self) -> bool {
        let [a, b] = self.pair;
        self.exact.compare(1e-6 * a.bounding_radius().min(b.bounding_radius())) != Ordering::Greater
    }

    /// Whether this is an upper bound: none that says that they overlap, which is within rounding.
    fn reaches(&self, upper: f64) -> bool {
        upper == 0.0 || self.exact.compare(upper) != Ordering::Greater
    }

    pub(super) fn decision(&mut self, method: Method, found: Separated) {
        let right = match found {
            Separated::Apart(SeparatingAxis { normal, gap }) => {
                gap > 0.0 && self.exact.compare(gap) != Ordering::Less && (normal.length() - 1.0).abs() < 1e-12
            }
            Separated::Overlapping(()) => self.exact.is_zero(),
            // Overlaps of bodies on a grid are deeper than rounding.
            Separated::Undecided if self.contact.is_some() => self.contact != Some(Contact::Overlapping) && self.meet(),
            Separated::Undecided => self.touch() || self.nearly_touch(),
        };
        self.hold(method.name(), &found, [(right, "decides wrongly")]);
    }

    /// An answer to who asked only for distances below a limit.
    fn below(&mut self, by: &str, limit: f64, found: Option<ClosestPoints>) {
        match found {
            None => {
                let right = self.exact.compare(limit) != Ordering::Less;
                self.hold(by, &limit, [(right, "takes them to be beyond the limit")]);
            }
            Some(found) => {
                self.hold(by, &(limit, found), [(found.upper == 0.0 || found.lower < limit, "is beyond the limit")]);
                self.closest(by, &found);
            }
        }
    }

    /// The depth, which is zero of bodies that are apart.
    fn depth(&mut self, by: &str, request: &PenetrationRequest, found: Option<&Penetration>) {
        let Some(found) = found else {
            return self.hold(by, &"no depth", [(!self.exact.is_zero(), "takes them to be apart")]);
        };
        let [a, b] = self.pair;
        let finite = [found.normal, found.point_a, found.point_b, DVec3::new(found.lower, found.upper, 0.0)];
        // Its own directions are rounded by less than what its bounds are charged, so that there is
        // nothing to allow for.
        let leaves = self.exact_pair.leaves_within(found.normal, found.upper);
        // Along any direction the overlap is as deep as the lower bound or deeper; nowhere less so
        // than along these.
        let way_out = (found.lower > 0.0).then(|| *self.way_out.get_or_insert_with(|| brute_force_depth(a, b).1));
        let deep = [Some(found.normal), way_out].into_iter().flatten().all(|way| {
            let overlap = self.exact_pair.overlap_along(way);
            found.lower == 0.0 || overlap.is_some_and(|overlap| overlap.compare(found.lower) != Ordering::Less)
        });
        let width = found.upper - found.lower;
        let more = (width - request.abs_err.max(request.rel_err * found.upper)) / self.size;
        let thin = [a, b].iter().any(|body| body.local().inner() * body.local().scale < THIN * self.size);
        self.wide |= more > WIDTH;
        let apart = found.point_a - found.point_b;
        let off = outside(a, found.point_a).max(outside(b, found.point_b));
        let facts = [
            (finite.iter().all(|v| v.is_finite()), "has a depth that is not finite"),
            ((found.normal.length() - 1.0).abs() < 1e-15 * 4.0, "has a depth with no unit normal"),
            (0.0 <= found.lower && found.lower <= found.upper, "has a depth with bounds in no order"),
            (self.meet(), "has a depth where they are apart"),
            (found.lower == 0.0 || self.exact.is_zero(), "has a depth of some size where they are apart"),
            (leaves, "has an upper bound of the depth by which b does not leave a"),
            (deep, "has a lower bound above the depth"),
            (more <= if thin { WIDEST } else { WIDTH }, "has a wide interval for the depth"),
            (off <= FARTHEST_OFF * self.size, "has a deepest point that is not one of the body"),
            ((apart.length() - found.upper).abs() <= 2.0 * width + OFF * self.size, "has deepest points elsewhere"),
        ];
        self.hold(by, &(found, request), facts);
    }

    /// How deep they overlap, by default and as exactly as it can be.
    pub(super) fn ask_depths(&mut self, b: &Placed) {
        let a = self.pair[0];
        let default = PenetrationRequest::default();
        let found = polyhedron_penetration(a, &b.body, &default);
        self.depth("default", &default, found.as_ref());
        let after = penetration_after(a, &b.rest, &b.pose, &default);
        self.hold("default", &(&found, &after), [(found == after, "depends on where b is made")]);
        if found.is_some() {
            let exact = PenetrationRequest { rel_err: 0.0, ..default };
            let found = polyhedron_penetration(a, &b.body, &exact);
            self.depth("exact", &exact, found.as_ref());
        }
    }

    /// All methods: once from nothing, once from what is right, once from what another pair has
    /// left; who has no memory answers the same each time.
    pub(super) fn ask_all(&mut self, memory: &mut MethodMemory) {
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
                        self.distance(method.name(), &found.expect("no distance is infinite"));
                    }
                }
            }
        }
    }

    /// A limit around their distance.
    pub(super) fn any_limit(&self, random: &mut Random) -> f64 {
        let [a, b] = self.pair;
        let Separation { lower, upper, .. } =
            polyhedron_distance(a, b, f64::INFINITY).expect("no distance is infinite");
        // Of those that overlap there is nothing to be near to but rounding.
        let (lower, upper) = if upper > 0.0 { (lower, upper) } else { (0.0, SHALLOWEST * self.size) };
        let between = 0.5 * (lower + upper);
        let near = [lower, lower.next_down(), upper, upper.next_up(), between];
        let limits =
            [0.0, f64::MIN_POSITIVE, 0.5 * between, between * (1.0 - 1e-12), between * (1.0 + 1e-12), 2.0 * upper];
        let which = random.below(near.len() + limits.len());
        near.into_iter().chain(limits).nth(which).unwrap_or(0.0).max(0.0)
    }

    /// What a dispatcher asks: about b where a pose puts it, without making it there. The image is
    /// the same to the last bit, and so there is nothing to allow for.
    pub(super) fn ask_after(&mut self, b: &Placed, limit: f64, memory: &mut MethodMemory) {
        let a = self.pair[0];
        assert_eq!(b.body, *self.pair[1]);
        let mut fresh = MethodMemory::default();
        for (by, memory) in [
            ("default after a motion", None),
            ("coherent after a motion", Some(&mut fresh)),
            ("coherent after a motion", Some(&mut *memory)),
        ] {
            let mut memory = memory.map(|memory| &mut memory.warm_start);
            let times = if memory.is_some() { 3 } else { 2 };
            for limit in [f64::INFINITY, limit, f64::INFINITY].into_iter().take(times) {
                let found = rough_distance_after(a, &b.rest, &b.pose, limit, memory.as_deref_mut());
                if limit < f64::INFINITY {
                    self.below(by, limit, found);
                } else {
                    self.closest(by, &found.expect("no distance is infinite"));
                }
                let found = overlap_after(a, &b.rest, &b.pose, memory.as_deref_mut());
                let right = if found { self.meet() } else { !self.exact.is_zero() };
                self.hold(by, &found, [(right, "decides wrongly")]);
            }
        }
    }

    /// Whether they are nearer to each other than a limit, by all that measure.
    pub(super) fn ask_within(&mut self, limit: f64, memory: &mut MethodMemory) {
        let [a, b] = self.pair;
        for method in Method::ALL.into_iter().filter(Method::measures) {
            let found = distance_by(method, a, b, limit, memory);
            self.below(method.name(), limit, found.map(ClosestPoints::from));
        }
    }

    /// Who does not say apart is right, or within rounding of it: 256 roundings are what two bounds
    /// of 64 each and the width between them may leave open, and as much again.
    fn meet(&self) -> bool {
        self.exact.compare(SHALLOWEST * self.size) != Ordering::Greater
    }

    /// Whether they touch within as many roundings, be it that they are apart or that a direction,
    /// proposed by whatever, leads out of the overlap by no more. Its length is taken exactly.
    fn touch(&mut self) -> bool {
        let Self { pair: [a, b], size, exact_pair, .. } = &*self;
        let meet = self.meet();
        let leaves = || meet && ways_out(a, b).any(|way| exact_pair.leaves_within(way, SHALLOWEST * size));
        let touch = self.touch.unwrap_or_else(leaves);
        *self.touch.insert(touch)
    }

    /// The same where the overlap is deeper than that, and hard to prove.
    fn nearly_touch(&mut self) -> bool {
        let Self { pair: [a, b], size, .. } = *self;
        self.hard = true;
        self.meet() && ways_out(a, b).any(|way| self.exact_pair.leaves_within(way, DEEPEST_DOUBT * size))
    }
}

fn remembers(method: Method) -> bool {
    matches!(method, Method::Coherent | Method::Features | Method::SeparatingVector)
}

/// Answers about two cubes that are 2 apart, and of two that overlap by a quarter: right ones, and
/// the same off by 1e-12.
#[test]
fn what_is_slightly_wrong_is_a_fault() {
    let vertex = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
    let cube = ConvexPolyhedron::hull_of(&(0..8).map(vertex).collect::<Vec<_>>()).unwrap();
    let moved =
        |x: f64| Placed::new(&cube, crate::math::DMat3::IDENTITY, cube.center() + DVec3::new(x, 0.125, 0.25)).body;
    let is_fault = |b: &ConvexPolyhedron, answer: &dyn Fn(&mut Judge<'_>)| {
        let mut faults = Vec::new();
        answer(&mut Judge::new(0, &cube, b, &mut faults));
        !faults.is_empty()
    };
    let (b, request) = (moved(3.0), PenetrationRequest::default());
    let found = ClosestPoints::from(polyhedron_distance(&cube, &b, f64::INFINITY).unwrap());
    let (less, more) = (2.0 - 1e-12, 2.0 + 1e-12);
    assert!(!is_fault(&b, &|judge| judge.closest("", &found)));
    for wrong in [
        ClosestPoints { lower: more, ..found },
        ClosestPoints { upper: less, ..found },
        ClosestPoints { lower: 1.0, ..found },
        ClosestPoints { point_b: found.point_b - DVec3::X, ..found },
        ClosestPoints::overlapping(found.point_a),
    ] {
        assert!(is_fault(&b, &|judge| judge.closest("", &wrong)), "{wrong:?}");
    }
    for (limit, wrong) in [(less, false), (2.0, false), (more, true)] {
        assert_eq!(is_fault(&b, &|judge| judge.below("", limit, None)), wrong, "{limit}");
    }
    assert!(is_fault(&b, &|judge| judge.below("", 1.0, Some(found))));
    assert!(!is_fault(&b, &|judge| judge.depth("", &request, None)));
    let b = moved(0.75);
    let found = polyhedron_penetration(&cube, &b, &request).unwrap();
    assert!(!is_fault(&b, &|judge| judge.depth("", &request, Some(&found))));
    assert!(is_fault(&b, &|judge| judge.depth("", &request, None)));
    for wrong in [
        Penetration { lower: 0.25 + 1e-12, upper: 0.26, ..found },
        Penetration { upper: 0.25 - 1e-12, ..found },
        Penetration { lower: 0.25 - 1e-6, ..found },
        Penetration { normal: -found.normal, ..found },
        Penetration { point_a: found.point_a + DVec3::Y, ..found },
    ] {
        assert!(is_fault(&b, &|judge| judge.depth("", &request, Some(&wrong))), "{wrong:?}");
    }
    assert!(is_fault(&moved(3.0), &|judge| judge.depth("", &request, Some(&found))));
}
