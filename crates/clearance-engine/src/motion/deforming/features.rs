//! Continuous collision of a vertex with a face, and of two edges: four points that move along
//! straight lines, each at its own constant velocity, for a unit of time.
//!
//! They touch only while the four points are in one plane. The volume that they span is a cubic in
//! time; where all of its Bernstein coefficients are of one sign they never are, which decides
//! nearly all pairs. The rest is branch and bound over time, the earliest interval first: it is
//! dropped where the cubic keeps its sign in it, or where a fixed direction separates the two at
//! both of its ends and so at all times in between, as projections of the points are linear. The
//! best fixed direction is that between the closest points in its middle, and next to a contact one
//! across the features. So intervals shrink with the square root of the distance, and about a
//! contact by halves.
//!
//! Invariant: whatever is dropped is apart. Rounding: u = 2⁻⁵³ and L bounds all coordinates of the
//! points about the first one. A difference takes one rounding, a product of three six of what it
//! sums up, halving the coefficients two more: below 64u of the product of the three vectors' sums
//! of coordinates. A place takes four roundings, a projection of it three more: below 16u·L·|n|₁.

use crate::Triangle;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::pair::shape::point_triangle;
use smallvec::SmallVec;

/// Four points at the start and at the end of their way.
pub(super) struct Features {
    /// About the first one at the start.
    points: [[DVec3; 2]; 4],
    /// From the first one to the others.
    spans: [[DVec3; 2]; 3],
    /// The first one is a vertex, the others a face; or two and two are edges.
    vertex: bool,
    /// The largest coordinate.
    size: f64,
}

/// The first contact of two features.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contact {
    pub(super) t_lower: f64,
    pub(super) t_upper: f64,
    pub(super) gap: f64,
}

/// A part of the time, with the coefficients of the volume in it.
type Part = ([f64; 2], [f64; 4]);

impl Features {
    /// A vertex and a face.
    #[inline]
    pub(super) fn vertex_face(vertex: [DVec3; 2], face: [[DVec3; 2]; 3]) -> Self {
        Self::about([vertex, face[0], face[1], face[2]], true)
    }

    /// Two edges.
    #[inline]
    pub(super) fn edges(a: [[DVec3; 2]; 2], b: [[DVec3; 2]; 2]) -> Self {
        Self::about([a[0], a[1], b[0], b[1]], false)
    }

    #[inline]
    fn about(points: [[DVec3; 2]; 4], vertex: bool) -> Self {
        let [q, a, b, c] = points;
        // Each of one time, so that a long way takes no digits from a small feature.
        let spans = [a, b, c].map(|ends| [ends[0] - q[0], ends[1] - q[1]]);
        let origin = q[0];
        let points = points.map(|ends| ends.map(|point| point - origin));
        let size = points.iter().flatten().fold(DVec3::ZERO, |size, point| size.max(point.abs()));
        Self { points, spans, vertex, size: size.max_element() }
    }

    /// Bernstein's coefficients of six times the volume over the time, less what rounding can
    /// change: `None` where they prove that the points are never in one plane.
    #[inline]
    fn volume(&self) -> Option<([f64; 4], f64)> {
        let [x, y, z] = self.spans;
        let crosses = [y[0].cross(z[0]), y[1].cross(z[0]) + y[0].cross(z[1]), y[1].cross(z[1])];
        let coefficients = [
            x[0].dot(crosses[0]),
            (x[1].dot(crosses[0]) + x[0].dot(crosses[1])) * (1.0 / 3.0),
            (x[1].dot(crosses[1]) + x[0].dot(crosses[2])) * (1.0 / 3.0),
            x[1].dot(crosses[2]),
        ];
        let length = |ends: [DVec3; 2]| ends[0].abs().element_sum().max(ends[1].abs().element_sum());
        let error = 64.0 * UNIT_ROUNDOFF * length(x) * length(y) * length(z) + f64::MIN_POSITIVE;
        let [p, q, r, s] = coefficients;
        let apart = p.min(q).min(r.min(s)) > error || p.max(q).max(r.max(s)) < -error;
        // Twice the error for what halving adds.
        (!apart).then_some((coefficients, 2.0 * error))
    }

    /// The first time at which the features touch, or are within the tolerance; `None` is proof
    /// that they do not touch before `limit`.
    #[inline]
    pub(super) fn first_contact(&self, tolerance: f64, limit: f64) -> Option<Contact> {
        let (coefficients, error) = self.volume()?;
        self.search(coefficients, error, tolerance, limit)
    }

    #[inline(never)]
    fn search(&self, coefficients: [f64; 4], error: f64, tolerance: f64, limit: f64) -> Option<Contact> {
        let rounding = 32.0 * UNIT_ROUNDOFF * self.size;
        let tolerance = tolerance.max(8.0 * rounding);
        let speeds = self.points.map(|ends| (ends[1] - ends[0]).length());
        let fastest = speeds.iter().fold(0.0, |max: f64, speed| max.max(*speed)) * 2.0;
        let mut parts: SmallVec<[Part; 64]> = SmallVec::new();
        parts.push(([0.0, 1.0], coefficients));
        while let Some(([from, to], volume)) = parts.pop() {
            let one_side = volume.iter().all(|c| *c > error) || volume.iter().all(|c| *c < -error);
            if from >= limit || one_side {
                continue;
            }
            let middle = 0.5 * (from + to);
            let way = self.way(middle);
            if self.apart_along(way, [from, to]) || self.apart_across(way, middle, [from, to]) {
                continue;
            }
            if fastest * (to - from) <= tolerance || middle <= from || middle >= to {
                let gap = way.length() + rounding;
                return Some(Contact { t_lower: from, t_upper: middle, gap });
            }
            let [first, second] = halves(volume);
            parts.push(([middle, to], second));
            parts.push(([from, middle], first));
        }
        None
    }

    #[inline]
    fn at(&self, t: f64) -> [DVec3; 4] {
        self.points.map(|[start, end]| start + (end - start) * t)
    }

    /// From the second feature's closest point to the first one's, rounded.
    fn way(&self, t: f64) -> DVec3 {
        let [a, b, c, d] = self.at(t);
        if self.vertex { point_triangle(a, &Triangle([b, c, d])).way } else { between_segments([a, b], [c, d]) }
    }

    /// As [`apart_along`](Self::apart_along), by directions across the faces and edges themselves:
    /// the way between points that are near is too short to be across anything.
    fn apart_across(&self, way: DVec3, t: f64, times: [f64; 2]) -> bool {
        if way.length() > 1e-5 * self.size {
            return false;
        }
        let [a, b, c, d] = self.at(t);
        let across = |edge: DVec3| way - edge * (edge.dot(way) / edge.length_squared());
        let directions = if self.vertex {
            [(c - b).cross(d - b), across(c - b), across(d - c), across(b - d)]
        } else {
            [(b - a).cross(d - c), across(b - a), across(d - c), way]
        };
        directions.into_iter().any(|n| self.apart_along(n, times) || self.apart_along(-n, times))
    }

    /// Whether a direction separates the features at two times, and so in between.
    #[inline]
    fn apart_along(&self, way: DVec3, times: [f64; 2]) -> bool {
        // Products that are too small a number lose less than the second part.
        let needed = 32.0 * UNIT_ROUNDOFF * self.size * way.abs().element_sum() + f64::MIN_POSITIVE;
        times.into_iter().all(|t| {
            let [a, b, c, d] = self.at(t).map(|point| point.dot(way));
            let gap = if self.vertex { a - b.max(c).max(d) } else { a.min(b) - c.max(d) };
            gap > needed
        })
    }
}

/// The coefficients of both halves (de Casteljau).
fn halves([a, b, c, d]: [f64; 4]) -> [[f64; 4]; 2] {
    let (ab, bc, cd) = (0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + d));
    let (abc, bcd) = (0.5 * (ab + bc), 0.5 * (bc + cd));
    let middle = 0.5 * (abc + bcd);
    [[a, ab, abc, middle], [middle, bcd, cd, d]]
}

/// From the point of the second segment that is nearest to the first one to that one's, rounded:
/// any direction is a bound, so that nothing rests on it.
fn between_segments([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> DVec3 {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, vv, uv, uw, vw) = (u.length_squared(), v.length_squared(), u.dot(v), u.dot(w), v.dot(w));
    let part = |x: f64, y: f64| if y > 0.0 { (x / y).clamp(0.0, 1.0) } else { 0.0 };
    let s = part(uv * vw - vv * uw, uu * vv - uv * uv);
    let t = part(uv * s + vw, vv);
    let s = part(uv * t - uw, uu);
    let t = part(uv * s + vw, vv);
    w + u * s - v * t
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::samples::Random;

    #[test]
    fn halves_of_a_cubic_are_the_same_cubic() {
        let mut random = Random(7);
        let value = |[a, b, c, d]: [f64; 4], t: f64| {
            let s = 1.0 - t;
            a * s * s * s + 3.0 * b * s * s * t + 3.0 * c * s * t * t + d * t * t * t
        };
        for _ in 0..1000 {
            let c = [0; 4].map(|_: i32| random.signed());
            let ([first, second], t) = (halves(c), random.unit());
            assert!((value(first, t) - value(c, 0.5 * t)).abs() < 1e-14);
            assert!((value(second, t) - value(c, 0.5 + 0.5 * t)).abs() < 1e-14);
        }
    }

    /// Coordinates in 256ths, so that nothing below is rounded.
    fn coarse(random: &mut Random) -> DVec3 {
        let mut number = || (random.signed() * 256.0).round() / 256.0;
        DVec3::new(number(), number(), number())
    }

    #[test]
    fn contacts_that_were_made_at_a_known_time_are_found_up_to_it() {
        let mut random = Random(8);
        for case in 0..20_000 {
            // The points at the time of contact; weights in quarters are exact.
            let t = f64::from((random.unit() * 16.0) as u32) / 16.0;
            let [b, c, d] = [0; 3].map(|_: i32| coarse(&mut random));
            let a = match case % 3 {
                0 => (b * 2.0 + c + d) * 0.25,
                1 => (b + c) * 0.5,
                _ => b,
            };
            let e = coarse(&mut random);
            let points = match case % 2 {
                0 => [a, b, c, d],
                // Two edges that cross in `a`: the second end is as far beyond it.
                _ => [e, a * 2.0 - e, b, if case % 3 == 1 { c } else { a * 2.0 - b }],
            };
            let ends = points.map(|point| {
                let velocity = coarse(&mut random) * if case % 5 == 0 { 0.0 } else { 1.0 };
                [point - velocity * t, point + velocity * (1.0 - t)]
            });
            let [p, q, r, s] = ends;
            let features =
                if case % 2 == 0 { Features::vertex_face(p, [q, r, s]) } else { Features::edges([p, q], [r, s]) };
            let found = features.first_contact(1e-9, 2.0).unwrap_or_else(|| panic!("case {case}: missed at {t}"));
            assert!(found.t_lower <= t && found.gap <= 2e-9, "case {case}: {found:?} {t}");
        }
    }

    #[test]
    fn what_is_free_has_no_root_inside_and_what_is_not_is_as_near_as_it_says() {
        let mut random = Random(9);
        let (mut hits, mut free) = (0, 0);
        for case in 0..20_000 {
            let points = [0; 4].map(|_: i32| [coarse(&mut random), coarse(&mut random)]);
            let [p, q, r, s] = points;
            let vertex = case % 2 == 0;
            let features = if vertex { Features::vertex_face(p, [q, r, s]) } else { Features::edges([p, q], [r, s]) };
            let found = features.first_contact(1e-9, 2.0);
            // All roots of the volume by its sign over many samples and bisection, and whether the
            // features overlap there by clearly more than rounding.
            let value = |t: f64| {
                let [a, b, c, d] = features.at(t);
                (b - a).dot((c - a).cross(d - a))
            };
            let mut first = f64::INFINITY;
            for step in 0..400 {
                let (mut low, mut high) = (f64::from(step) / 400.0, f64::from(step + 1) / 400.0);
                if value(low) * value(high) >= 0.0 {
                    continue;
                }
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    if value(low) * value(middle) <= 0.0 { high = middle } else { low = middle }
                }
                if features.way(low).length() < 1e-12 {
                    first = first.min(low);
                }
            }
            match found {
                None => {
                    assert!(first == f64::INFINITY, "case {case}: {first}");
                    free += 1;
                }
                Some(found) => {
                    assert!(found.t_lower <= first + 1e-12, "case {case}: {found:?} {first}");
                    assert!(features.way(found.t_upper).length() <= found.gap && found.gap < 1e-8, "case {case}");
                    hits += 1;
                }
            }
        }
        assert!(hits > 1000 && free > 5000, "{hits} {free}");
    }
}
