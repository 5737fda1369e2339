//! Continuous collision of two triangles whose vertices move along known paths: until when they are
//! certainly apart, and when they touch.
//!
//! Two triangles are apart at a time iff some direction is a separating axis then, and directions
//! may move too. Along the normal of a face, `e(t)×f(t)` with its moving edges, all of the face
//! projects to one number, and the gap to a vertex of the other triangle is the polynomial whose
//! roots are the times of *vertex–face* contacts. Along the cross product of two edges, one of each
//! triangle, it is that of *edge–edge* contacts. It is linear in t for straight translations, of
//! the path's degree for thrown bodies, and cubic for vertices that move along straight lines each.
//! So with each direction the triangles are apart until the first root of the few polynomials of
//! its gaps, and with all of them until the largest of those.
//!
//! Bernstein's form isolates the roots: a polynomial is at least the lower hull of its
//! coefficients, up to whose first zero there is no root ([`until_zero`]). The remainder is cut
//! again, a dozen times (the front half of Bézier clipping, Sederberg and Nishita 1990: first
//! order). All that rounding can change of the coefficients is subtracted from them, so that no
//! root is missed and none is invented.
//!
//! Rotating bodies are linear up to the sagitta of their arcs, at most a bend times t²: their gaps
//! are Taylor polynomials with that remainder, and the first root of `gap − closing·t − bend·t²`
//! comes before any of theirs, so that none is passed (a Newton step with a remainder that is an
//! interval). The bend takes the square of a gap only. Along directions that keep still the
//! vertices of a rotating triangle have one range of speeds, and steps gain about a digit each;
//! along those that rotate with the bodies (`rotating.rs`) they double the digits. The direction
//! between their closest points serves triangles in one plane. Cost: 42 polynomials of degree 1 to
//! 3 an evaluation, some 0.2 to 1 µs.

use super::conservative_advancement::{Clearance, Clearances, surely_overlap, touching_after};
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::pair::shape::triangle_distance;
use crate::{Error, ErrorKind, Readable, Result, Triangle};
use smallvec::SmallVec;

/// The maximum number of coefficients of a gap: a normal of degree 2 times a path of degree 4.
const MAX_COEFFICIENTS: usize = 7;
/// The rounding error of a gap's arithmetic, relative to the sizes in it: fewer than 100 roundings,
/// and as many for being cut.
pub(super) const SLACK: f64 = 512.0 * UNIT_ROUNDOFF;

/// The shortest usable direction: the squares of shorter ones are hardly in the range of numbers,
/// and have lost digits.
pub(super) const SHORTEST: f64 = 1e-140;

/// Coefficients of Bernstein's polynomials over [0, 1].
type Bernstein = SmallVec<[f64; MAX_COEFFICIENTS]>;

/// Two triangles about a time. Their vertices move along straight lines, those of the second one
/// along a path besides.
#[derive(Debug, Clone)]
pub(super) struct Flight {
    pub(super) triangles: [Triangle; 2],
    /// The velocities of the vertices.
    pub(super) velocities: [[DVec3; 3]; 2],
    /// The coefficients of t², t³ and so on of that path, at most three; none where there is a
    /// bend.
    pub(super) path: SmallVec<[DVec3; 3]>,
    /// An upper bound of the deviation of both together from that motion, as a coefficient of t²;
    /// twice that bounds their acceleration.
    pub(super) bend: f64,
}

/// A moving direction: coefficients of 1, x, x² (x is the part of the time), and a bound of the
/// products in it.
struct Direction {
    coefficients: [DVec3; 3],
    size: f64,
}

/// A moving edge: its value at the start, and its change in the time.
#[derive(Clone, Copy)]
struct Edge(DVec3, DVec3);

impl Direction {
    fn across(e: Edge, f: Edge) -> Self {
        let coefficients = [e.0.cross(f.0), e.0.cross(f.1) + e.1.cross(f.0), e.1.cross(f.1)];
        Self { coefficients, size: (e.0.length() + e.1.length()) * (f.0.length() + f.1.length()) }
    }

    /// An upper bound of its length.
    fn length(&self) -> f64 {
        self.coefficients.iter().map(|c| c.length()).sum::<f64>() + SLACK * self.size
    }
}

impl Flight {
    /// The latest time, up to `time`, until which the triangles are certainly more than `pad` apart
    /// at all times; 0 if nothing proves it of now. `hint` is a direction that may separate them.
    pub(super) fn apart_until(&self, time: f64, pad: f64, hint: DVec3) -> f64 {
        let moved = Moved::new(self, time);
        if moved.rigid && self.path.is_empty() {
            return self.apart_until_along_still(time, pad, hint);
        }
        let along_hint = Direction { coefficients: [hint, DVec3::ZERO, DVec3::ZERO], size: hint.length() };
        let mut best = moved.apart_along(&along_hint, &ALL, pad, 0.0);
        for (body, pairs) in ABOVE_FACE.iter().enumerate() {
            if best >= 1.0 {
                break;
            }
            let normal = Direction::across(moved.edge(body, 0), moved.edge(body, 1));
            best = moved.apart_along(&normal, pairs, pad, best);
        }
        for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
            if best >= 1.0 {
                break;
            }
            let normal = Direction::across(moved.edge(0, i), moved.edge(1, j));
            best = moved.apart_along(&normal, &between_edges(i, j), pad, best);
        }
        best.min(1.0) * time
    }

    /// As [`apart_until`](Flight::apart_until), by directions that keep still, with a bend and
    /// without a path. It is exact for triangles that only translate, and for others not much worse
    /// over short times, at a tenth of the cost.
    pub(super) fn apart_until_along_still(&self, time: f64, pad: f64, hint: DVec3) -> f64 {
        let [a, b] = self.triangles;
        let origin = a.0[0];
        let (a, b) = (a.map(|vertex| vertex - origin), b.map(|vertex| vertex - origin));
        let size = [a, b].into_iter().flat_map(|t| t.0).chain(self.velocities.iter().flatten().map(|v| *v * time));
        let size = size.fold(0.0_f64, |size, v| size.max(v.abs().max_element()));
        let edges = |t: &Triangle| [t.0[1] - t.0[0], t.0[2] - t.0[1], t.0[0] - t.0[2]];
        let (edges_a, edges_b) = (edges(&a), edges(&b));
        let [faster, slower] = &self.velocities;
        let bend = self.bend * (1.0 + SLACK);
        let until = |n: DVec3| {
            let length = n.length();
            // A direction without a length to measure by proves nothing. Products with unit vectors
            // stay in the range of numbers.
            if !(SHORTEST..f64::INFINITY).contains(&length) {
                return 0.0;
            }
            let n = n / length;
            let range = |v: &[DVec3; 3]| {
                let [x, y, z] = v.map(|v| n.dot(v));
                [x.min(y).min(z), x.max(y).max(z)]
            };
            let ([low_a, high_a], [low_b, high_b]) = (range(&a.0), range(&b.0));
            let ([least_a, max_a], [least_b, max_b]) = (range(faster), range(slower));
            // Whichever is ahead, and how fast the other one catches up.
            let (gap, closing) =
                if low_b > high_a { (low_b - high_a, max_a - least_b) } else { (low_a - high_b, max_b - least_a) };
            let spare = gap - pad * (1.0 + SLACK) - SLACK * size;
            if spare > 0.0 { first_root(spare, closing, bend).min(time) } else { 0.0 }
        };
        let normals = [edges_a[0].cross(edges_a[1]), edges_b[0].cross(edges_b[1])];
        let products = edges_a.into_iter().flat_map(|e| edges_b.map(|f| e.cross(f)));
        let mut best = until(hint);
        for direction in normals.into_iter().chain(products) {
            if best >= time {
                break;
            }
            best = best.max(until(direction));
        }
        best
    }

    /// Both triangles at a time, rounded.
    fn at(&self, t: f64) -> [Triangle; 2] {
        let common = self.path.iter().rev().fold(DVec3::ZERO, |sum, &c| (sum + c) * t) * t;
        [0, 1].map(|body| {
            let shift = if body == 0 { DVec3::ZERO } else { common };
            Triangle([0, 1, 2].map(|k| self.triangles[body].0[k] + self.velocities[body][k] * t + shift))
        })
    }
}

/// A time before which `spare − closing·t − bend·t²` has no root; `spare` is positive and `bend`
/// not negative. Infinite if it has none.
pub(super) fn first_root(spare: f64, closing: f64, bend: f64) -> f64 {
    let t = if bend == 0.0 && !closing.is_nan() {
        if closing > 0.0 { spare / closing } else { f64::INFINITY }
    } else {
        // Without a difference of equal terms, whichever sign `closing` has, and without squares
        // that leave the range of numbers.
        let root = closing.hypot(2.0 * bend.sqrt() * spare.sqrt());
        if closing > 0.0 { 2.0 * spare / (closing + root) } else { (root - closing) / (2.0 * bend) }
    };
    // NaN proves nothing.
    if t.is_nan() { 0.0 } else { t * (1.0 - SLACK) }
}

/// The pairs of vertices whose gaps count along the normal of each triangle: all of a face projects
/// to one number.
pub(super) const ABOVE_FACE: [[(usize, usize); 3]; 2] = [[(0, 0), (0, 1), (0, 2)], [(0, 0), (1, 0), (2, 0)]];

/// The pairs that count along the cross product of two edges: both ends of an edge project to one
/// number, so one of them, and the vertex opposite to it.
pub(super) fn between_edges(i: usize, j: usize) -> [(usize, usize); 4] {
    let ([p, q], [r, s]) = ([i, (i + 2) % 3], [j, (j + 2) % 3]);
    [(p, r), (p, s), (q, r), (q, s)]
}

/// All pairs of vertices.
const ALL: [(usize, usize); 9] = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)];

/// A flight with its time scaled to 1.
struct Moved<'f> {
    flight: &'f Flight,
    time: f64,
    path: SmallVec<[DVec3; 3]>,
    /// An upper bound of the distance of any two vertices at any time.
    size: f64,
    /// Whether directions keep still: all vertices have one velocity.
    rigid: bool,
}

impl<'f> Moved<'f> {
    fn new(flight: &'f Flight, time: f64) -> Self {
        let mut power = time;
        let path: SmallVec<[DVec3; 3]> = flight
            .path
            .iter()
            .map(|&c| {
                power *= time;
                c * power
            })
            .collect();
        let origin = flight.triangles[0].0[0];
        let farthest = |body: usize| {
            let vertex =
                |k: usize| (flight.triangles[body].0[k] - origin).length() + flight.velocities[body][k].length() * time;
            vertex(0).max(vertex(1)).max(vertex(2))
        };
        let size = farthest(0) + farthest(1) + path.iter().map(|c| c.length()).sum::<f64>();
        let rigid = flight.velocities.iter().all(|[u, v, w]| u == v && v == w);
        Self { flight, time, path, size, rigid }
    }

    fn edge(&self, body: usize, k: usize) -> Edge {
        let (vertices, velocities) = (&self.flight.triangles[body].0, &self.flight.velocities[body]);
        let next = (k + 1) % 3;
        // Not zero by rounding, but exactly.
        let change = if self.rigid { DVec3::ZERO } else { (velocities[next] - velocities[k]) * self.time };
        Edge(vertices[next] - vertices[k], change)
    }

    /// The part of the time until which gaps along a direction prove the triangles apart; not less
    /// than `best`.
    fn apart_along(&self, direction: &Direction, pairs: &[(usize, usize)], pad: f64, best: f64) -> f64 {
        debug_assert!(self.flight.bend == 0.0, "a bend is for directions that keep still, or turn");
        if direction.length() < SHORTEST {
            return best;
        }
        let needed = pad * direction.length() + SLACK * direction.size * self.size;
        let (mut until, mut sign) = (1.0_f64, 0.0);
        for &(i, j) in pairs {
            let mut gap = self.gap(direction, i, j);
            if sign == 0.0 {
                sign = if gap[0] < 0.0 { -1.0 } else { 1.0 };
            }
            for c in &mut gap {
                *c = *c * sign - needed;
            }
            // NaN proves nothing.
            if gap[0].is_nan() || gap[0] <= 0.0 {
                return best;
            }
            until = until.min(until_zero(gap));
            if until <= best {
                return best;
            }
        }
        until
    }

    /// The difference of two vertices along a direction, over the time.
    fn gap(&self, direction: &Direction, i: usize, j: usize) -> Bernstein {
        let [a, b] = &self.flight.triangles;
        let velocity = self.flight.velocities[1][j] - self.flight.velocities[0][i];
        let mut between: SmallVec<[DVec3; 5]> = SmallVec::new();
        between.extend([b.0[j] - a.0[i], velocity * self.time]);
        between.extend(self.path.iter().copied());
        let degree_of_direction = if self.rigid { 0 } else { 2 };
        let degree = (between.len() - 1 + degree_of_direction).min(MAX_COEFFICIENTS - 1);
        let mut powers = [0.0; MAX_COEFFICIENTS];
        for (k, n) in direction.coefficients[..=degree_of_direction].iter().enumerate() {
            for (l, difference) in between.iter().enumerate() {
                powers[(k + l).min(MAX_COEFFICIENTS - 1)] += n.dot(*difference);
            }
        }
        to_bernstein(&powers[..=degree])
    }
}

/// Converts coefficients of powers, constant first: `cᵢ = Σₖ (i over k)/(n over k)·aₖ`.
fn to_bernstein(powers: &[f64]) -> Bernstein {
    let degree = powers.len() - 1;
    let coefficient = |i: usize| {
        let (mut sum, mut weight) = (0.0, 1.0);
        for (k, power) in powers[..=i].iter().enumerate() {
            sum += weight * power;
            weight *= (i - k) as f64 / (degree - k).max(1) as f64;
        }
        sum
    };
    (0..=degree).map(coefficient).collect()
}

/// The part of [0, 1] from 0 on in which a polynomial with a positive first coefficient certainly
/// has no root; 1 if that is all.
fn until_zero(mut c: Bernstein) -> f64 {
    let mut passed = 0.0;
    for _ in 0..12 {
        let cut = hull_zero(&c);
        if cut >= 1.0 {
            return 1.0;
        }
        passed += cut * (1.0 - passed) * (1.0 - 8.0 * UNIT_ROUNDOFF);
        // A straight line is exact, and further cuts hardly gain anything.
        if c.len() == 2 || cut < 1e-6 {
            break;
        }
        cut_front(&mut c, cut);
        if c[0].is_nan() || c[0] <= 0.0 {
            break;
        }
    }
    passed.min(1.0)
}

/// The first zero of the lower hull of the coefficients; 1 or more if there is none.
fn hull_zero(c: &[f64]) -> f64 {
    let degree = (c.len() - 1) as f64;
    let mut first = f64::INFINITY;
    for (i, &high) in c.iter().enumerate().filter(|(_, c)| **c > 0.0) {
        for (j, &low) in c.iter().enumerate().skip(i + 1).filter(|(_, c)| c.is_nan() || **c <= 0.0) {
            let part = high / (high - low);
            // Infinity and NaN: as early as can be.
            let part = if part.is_finite() { part } else { 0.0 };
            first = first.min((i as f64 + part * (j - i) as f64) / degree);
        }
    }
    first
}

/// The coefficients of the part from `cut` on (de Casteljau).
fn cut_front(c: &mut Bernstein, cut: f64) {
    let count = c.len();
    for round in 1..count {
        for i in 0..count - round {
            c[i] += (c[i + 1] - c[i]) * cut;
        }
    }
}

/// The time of impact of two deforming triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TriangleImpact {
    /// A lower bound of the time of impact: they do not touch before.
    pub t_lower: f64,
    /// The upper end of the interval: they touch then, or are as near as
    /// [`gap`](TriangleImpact::gap).
    pub t_upper: f64,
    /// A certified bound: at `t_upper` they are this near, or nearer.
    ///
    /// It is 0 if and only if they provably touch: at the start or the end, where nothing is
    /// rounded, or since they overlap by more than rounding. Otherwise it is positive, and perhaps
    /// they come no nearer: within the tolerance, unless the search gave up.
    pub gap: f64,
}

/// Computes the time of impact of two deforming triangles: each vertex moves along a straight line,
/// from the first to the second triangle in unit time.
///
/// `None` is proof that they do not touch.
///
/// ```
/// use clearance_engine::{Triangle, math::DVec3, motion::deforming_triangles_impact};
/// let floor = Triangle([DVec3::ZERO, DVec3::X, DVec3::Y]);
/// let [start, end] = [0.5, -0.5].map(|z| Triangle([DVec3::new(0.2, 0.2, z), DVec3::new(0.3, 0.2, 1.0), DVec3::ONE]));
/// let touch = deforming_triangles_impact([floor, floor], [start, end], 1e-9)?.expect("it goes through");
/// assert!(touch.t_lower <= 0.5 && 0.5 <= touch.t_upper && touch.t_upper - touch.t_lower < 1e-8);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn deforming_triangles_impact(
    a: [Triangle; 2],
    b: [Triangle; 2],
    tolerance: f64,
) -> Result<Option<TriangleImpact>> {
    if !(tolerance.is_finite() && tolerance >= 0.0) {
        let message = format!("a tolerance must be a finite number that is not negative, not {}", Readable(tolerance));
        return Err(Error::new(ErrorKind::BadRequest, message));
    }
    let vertices = || a.iter().chain(&b).flat_map(|triangle| triangle.0);
    // Beyond this, products of three differences would leave the range of numbers.
    let size = vertices().fold(0.0_f64, |size, vertex| size.max(vertex.abs().max_element()));
    if !(vertices().all(|vertex| vertex.is_finite()) && size <= 1e100) {
        return Err(Error::new(ErrorKind::NotFinite, "a vertex of a moving triangle is not finite, or too far away"));
    }
    let velocities = [&a, &b].map(|[from, to]| [0, 1, 2].map(|k| to.0[k] - from.0[k]));
    let flight = Flight { triangles: [a[0], b[0]], velocities, path: SmallVec::new(), bend: 0.0 };
    let rounding = 32.0 * UNIT_ROUNDOFF * size;
    Deforming { flight, ends: [a[1], b[1]], rounding, tolerance: tolerance.max(16.0 * rounding) }.run()
}

/// A search for the first contact of two triangles whose vertices move along straight lines.
struct Deforming {
    flight: Flight,
    /// The triangles at the end.
    ends: [Triangle; 2],
    /// The rounding error of a distance between the start and the end. With u = 2⁻⁵³ and
    /// coordinates of size s, a velocity is off by 2us, its product with a time by 2us more, and
    /// the sum by 3us: below 13us for a vertex, 26us for two.
    rounding: f64,
    tolerance: f64,
}

impl Deforming {
    fn run(&mut self) -> Result<Option<TriangleImpact>> {
        let mut t = 0.0;
        // Each evaluation is at the first time at which no direction of the one before separates
        // any more: seldom more than ten.
        for _ in 0..10_000 {
            let [a, b] = self.flight.at(t);
            let found = triangle_distance(&a, &b);
            let clear = found.lower - self.rounding;
            if found.upper == 0.0 || clear <= 0.5 * self.tolerance {
                return self.impact(t, clear).map(Some);
            }
            let now = Flight { triangles: [a, b], ..self.flight.clone() };
            let hint = (found.point_b - found.point_a).try_normalize().unwrap_or(DVec3::ZERO);
            let kept = 0.25 * self.tolerance;
            let by_paths = now.apart_until(1.0 - t, kept + self.rounding, hint);
            // Between a vertex and an edge or vertex the distance may prove more than any normal.
            let by_distance = (clear - kept) / self.moved(0.0, 1.0).max(f64::MIN_POSITIVE);
            let next = t + by_paths.max(by_distance * (1.0 - 8.0 * UNIT_ROUNDOFF));
            if next >= 1.0 {
                return Ok(None);
            }
            if next <= t {
                break;
            }
            t = next;
        }
        // Steps of more than a rounding do not get there: as near as it was.
        let gap = self.clearance(t, 0.0)?.upper;
        Ok(Some(TriangleImpact { t_lower: t, t_upper: t, gap }))
    }

    /// Pins down a contact near a time.
    fn impact(&mut self, t: f64, clear: f64) -> Result<TriangleImpact> {
        let here = self.clearance(t, 0.0)?.upper;
        if here == 0.0 {
            return Ok(TriangleImpact { t_lower: t, t_upper: t, gap: 0.0 });
        }
        let step = 2.0 * self.tolerance / self.moved(0.0, 1.0).max(f64::MIN_POSITIVE);
        let touching = touching_after(self, (t, clear), step, 1.0, self.tolerance)?;
        let (t_upper, gap) = touching.filter(|(_, gap)| *gap <= here).unwrap_or((t, here));
        Ok(TriangleImpact { t_lower: t, t_upper, gap })
    }
}

impl Clearances for Deforming {
    fn clearance(&mut self, t: f64, _beyond: f64) -> Result<Clearance> {
        // Paths start and end where nothing is rounded.
        let ([a, b], rounding) = match t {
            0.0 => (self.flight.triangles, 0.0),
            1.0 => (self.ends, 0.0),
            _ => (self.flight.at(t), self.rounding),
        };
        let found = triangle_distance(&a, &b);
        let touches = found.upper == 0.0;
        let proven = touches && (rounding == 0.0 || surely_overlap(&a, &b, rounding));
        let upper = if proven { 0.0 } else { (found.upper + rounding).next_up() };
        Ok(Clearance { lower: found.lower - self.rounding, upper, touches })
    }

    fn moved(&self, from: f64, to: f64) -> f64 {
        let fastest = |v: &[DVec3; 3]| v.iter().fold(0.0_f64, |max, v| max.max(v.length()));
        self.flight.velocities.iter().map(fastest).sum::<f64>() * (to - from) + self.rounding
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::samples::Random;

    /// The coefficients of `scale·Π(x − root)`, constant first.
    fn with_roots(roots: &[f64], scale: f64) -> Vec<f64> {
        roots.iter().fold(vec![scale], |c, root| {
            let mut product = vec![0.0; c.len() + 1];
            for (k, value) in c.iter().enumerate() {
                product[k + 1] += value;
                product[k] -= root * value;
            }
            product
        })
    }

    #[test]
    fn no_root_is_passed_and_those_of_straight_lines_are_exact() {
        let mut random = Random(51);
        for case in 0..20_000 {
            let mut roots: Vec<f64> = (0..1 + case % 5).map(|_| random.between(-1.0, 2.0)).collect();
            if case % 7 == 0 {
                // Double roots, by which a polynomial may not change its sign.
                roots.push(roots[0]);
            }
            let powers = with_roots(&roots, 1.0);
            let sign = if powers[0] < 0.0 { -1.0 } else { 1.0 };
            let c: Bernstein = to_bernstein(&powers).iter().map(|c| c * sign).collect();
            let found = until_zero(c);
            let first = roots.iter().copied().filter(|root| *root > 0.0).fold(1.0, f64::min);
            assert!(found <= first + 1e-6, "case {case}: {found} {roots:?}");
            // Straight lines are exact.
            assert!(roots.len() > 1 || found >= first - 1e-12, "case {case}: {found} {first}");
        }
    }

    #[test]
    fn the_first_root_of_a_parabola_is_not_passed_and_is_close() {
        assert_eq!(first_root(1.0, f64::NAN, 0.0), 0.0);
        let mut random = Random(53);
        for case in 0..20_000 {
            let scale = |random: &mut Random| 10.0_f64.powf(random.between(-9.0, 3.0));
            let (spare, bend) = (scale(&mut random), if case % 5 == 0 { 0.0 } else { scale(&mut random) });
            let closing = scale(&mut random) * random.signed();
            let t = first_root(spare, closing, bend);
            assert!(t > 0.0 && (t < f64::INFINITY || (bend == 0.0 && closing <= 0.0)), "case {case}");
            let gap = |t: f64| spare - closing * t - bend * t * t;
            if t < f64::INFINITY {
                let size = spare + (closing * t).abs() + bend * t * t;
                assert!(gap(t) >= -1e-15 * size && gap(t) <= 1e-12 * size, "case {case}: {} of {size}", gap(t));
            }
        }
    }

    #[test]
    fn a_bend_is_kept_away_from() {
        let floor = Triangle([DVec3::new(-9.0, -9.0, 0.0), DVec3::new(9.0, -9.0, 0.0), DVec3::new(0.0, 9.0, 0.0)]);
        let above = floor.map(|vertex| vertex * 0.1 + DVec3::Z);
        for scale in [1.0, 1e60, 1e-60, 1e-170] {
            let velocities = [[DVec3::ZERO; 3], [DVec3::Z * (-0.5 * scale); 3]];
            let triangles = [floor, above].map(|triangle| triangle.map(|vertex| vertex * scale));
            let flight = Flight { triangles, velocities, path: SmallVec::new(), bend: 0.5 * scale };
            // 1 = t/2 + t²/2
            for hint in [DVec3::ZERO, DVec3::Z] {
                let found = flight.apart_until_along_still(3.0, 0.0, hint);
                assert!(found <= 1.0, "{found} at {scale}");
                assert!(found > 0.9 || scale == 1e-170, "{found} at {scale}");
            }
        }
    }

    #[test]
    fn coefficients_of_bernstein_are_those_of_the_same_polynomial() {
        let mut random = Random(52);
        for case in 0..2000 {
            let powers: Vec<f64> = (0..2 + case % 6).map(|_| random.signed()).collect();
            let x = random.unit();
            let direct = powers.iter().rev().fold(0.0, |sum, c| sum * x + c);
            let mut c = to_bernstein(&powers);
            cut_front(&mut c, x);
            // What is left begins with the value where it was cut.
            assert!((c[0] - direct).abs() < 1e-13, "case {case}: {} {direct}", c[0]);
        }
    }

    #[test]
    fn a_thrown_triangle_is_apart_until_shortly_before_it_lands() {
        let floor = Triangle([DVec3::new(-9.0, -9.0, 0.0), DVec3::new(9.0, -9.0, 0.0), DVec3::new(0.0, 9.0, 0.0)]);
        let thrown = Triangle([DVec3::new(0.0, 0.0, 1.0), DVec3::new(0.1, 0.0, 1.5), DVec3::new(0.0, 0.1, 1.5)]);
        let velocity = DVec3::new(0.3, 0.0, 2.0);
        let path = SmallVec::from_slice(&[DVec3::Z * -0.5 * 9.81]);
        let flight =
            Flight { triangles: [floor, thrown], velocities: [[DVec3::ZERO; 3], [velocity; 3]], path, bend: 0.0 };
        let truth = (2.0 + (4.0 + 2.0 * 9.81_f64).sqrt()) / 9.81;
        let found = flight.apart_until(3.0, 0.0, DVec3::ZERO);
        assert!(found <= truth && found > 0.9 * truth, "{found} {truth}");
    }
}
