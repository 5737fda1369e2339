//! Half-spaces and planes against triangles, simple solids and each other: closed forms all.
//!
//! A shape is seen through its *heights* above the plane: the lowest and the highest n·x − d over
//! its points x. A half-space is as far away as the lowest point is high; a plane also as the
//! highest one is deep. They overlap where they are not apart beyond rounding: touching ones do.
//!
//! # Rounding
//! With u = 2⁻⁵³: a height of a vertex takes 4 roundings of |x| + |d|, and the normal, turned by a
//! pose, is off by 8u in length: below 16u. Farthest points of a solid are off by 24u of its reach
//! ([`Convex`]), their sum with the centre's height by 6u, the normal by 8u: below 48u of
//! |centre| + reach + radius + |d|. Both are charged [`ERROR`] = 48u.
//!
//! Normals that agree up to [`PARALLEL`] count as parallel: turning a plane rounds its normal by a
//! few u, after which no two planes would ever be parallel, and all would meet somewhere 10¹⁵ units
//! away.
//!
//! Cost: 10 ns for a triangle, that of two support points for a solid.

use super::{ClosestPoints, Proximity, Shape, SharedPoints};
use crate::convex::counts_as_touching;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::shape::{Convex, HalfSpaceOrPlane, Plane, Primitive};
use crate::{Pose, Triangle};
use smallvec::{SmallVec, smallvec};

/// Rounding of a height, relative to the coordinates in it; derived in the head of this file.
const ERROR: f64 = 48.0 * UNIT_ROUNDOFF;
/// The sine of the largest angle between normals that count as parallel.
const PARALLEL: f64 = 32.0 * UNIT_ROUNDOFF;

impl Shape for HalfSpaceOrPlane {
    #[inline]
    fn transformed(&self, pose: &Pose) -> Self {
        HalfSpaceOrPlane::transformed(self, pose)
    }
}

/// The lowest and the highest point of a shape above a plane.
struct Heights {
    low: f64,
    lowest: DVec3,
    high: f64,
    highest: DVec3,
    /// By how much each height may be off.
    error: f64,
    /// The radius of a sphere around the shape.
    size: f64,
}

impl Heights {
    fn of_triangle(triangle: &Triangle, plane: &Plane) -> Self {
        let (n, d) = (plane.normal(), plane.offset());
        let [first, rest @ ..] = triangle.0.map(|vertex| (n.dot(vertex) - d, vertex));
        let size = triangle.0.iter().fold(0.0, |size: f64, vertex| size.max(vertex.abs().max_element()));
        // No coordinate is larger than `size`: no point is farther away than twice that.
        let error = ERROR * (2.0 * size + d.abs());
        let all = Self {
            low: first.0,
            lowest: first.1,
            high: first.0,
            highest: first.1,
            error,
            size: triangle.bounding_radius(),
        };
        rest.into_iter().fold(all, |all, (height, vertex)| {
            if height < all.low {
                Self { low: height, lowest: vertex, ..all }
            } else if height > all.high {
                Self { high: height, highest: vertex, ..all }
            } else {
                all
            }
        })
    }

    fn of_solid(solid: &Primitive, plane: &Plane) -> Self {
        let (n, d, center, radius) = (plane.normal(), plane.offset(), solid.center(), Convex::radius(solid));
        let (down, up) = (solid.support(-n) - n * radius, solid.support(n) + n * radius);
        let middle = n.dot(center) - d;
        let size = center.length() + solid.bounding_radius() + radius + d.abs();
        Self {
            low: middle + n.dot(down),
            lowest: center + down,
            high: middle + n.dot(up),
            highest: center + up,
            error: ERROR * size,
            size: solid.bounding_radius() + radius,
        }
    }

    /// The signed gap to the flat, and whether the shape is above.
    fn gap(&self, flat: &HalfSpaceOrPlane) -> (f64, bool) {
        if flat.is_solid() || self.low >= -self.high { (self.low, true) } else { (-self.high, false) }
    }

    /// A point of the shape that is, where they overlap, one of the flat too.
    fn shared(&self, flat: &HalfSpaceOrPlane) -> DVec3 {
        if flat.is_solid() {
            return self.lowest;
        }
        let at = -self.low / (self.high - self.low);
        // Not so where the shape lies in the plane.
        if at > 0.0 { self.lowest.lerp(self.highest, at.min(1.0)) } else { self.lowest }
    }

    fn overlap(&self, flat: &HalfSpaceOrPlane) -> bool {
        self.gap(flat).0 <= self.error
    }

    fn closest_below(&self, flat: &HalfSpaceOrPlane, limit: f64) -> Option<ClosestPoints> {
        let (gap, above) = self.gap(flat);
        let (lower, upper) = (gap - self.error, gap + self.error);
        // The flat has no size, and is as near as rounding tells.
        if lower <= 0.0 && (upper <= 0.0 || counts_as_touching(upper, self.size, f64::INFINITY)) {
            return Some(ClosestPoints::overlapping(self.shared(flat)));
        }
        // Zero would tell that they are apart.
        let lower = if lower > 0.0 { lower } else { lower.min(-f64::MIN_POSITIVE) };
        let (point_a, height) = if above { (self.lowest, self.low) } else { (self.highest, self.high) };
        let point_b = point_a - flat.plane().normal() * height;
        if lower >= limit { None } else { Some(ClosestPoints { lower, upper, point_a, point_b }) }
    }

    /// Where the flat leaves the shape soonest: downwards, or, if that is nearer, a plane upwards.
    fn normal(&self, flat: &HalfSpaceOrPlane) -> DVec3 {
        let n = flat.plane().normal();
        let n = n / n.length();
        if !flat.is_solid() && self.high < -self.low { n } else { -n }
    }
}

/// The points of a triangle's vertices and edges that are in a plane.
fn crossings(triangle: &Triangle, plane: &Plane, error: f64) -> SmallVec<[DVec3; 6]> {
    let heights = triangle.0.map(|vertex| plane.normal().dot(vertex) - plane.offset());
    let mut points = SmallVec::new();
    for i in 0..3 {
        let j = (i + 1) % 3;
        let (from, to) = (heights[i], heights[j]);
        if from.abs() <= error {
            points.push(triangle.0[i]);
        } else if to.abs() > error && (from < 0.0) != (to < 0.0) {
            points.push(triangle.0[i].lerp(triangle.0[j], from / (from - to)));
        }
    }
    points
}

/// Draws which shapes meet a flat by their heights.
macro_rules! by_heights {
    ($($shape:ident $heights:ident $points:expr;)*) => {
        $(impl Proximity<HalfSpaceOrPlane> for $shape {
            fn overlaps(&self, b: &HalfSpaceOrPlane) -> bool {
                Heights::$heights(self, b.plane()).overlap(b)
            }

            fn closest_below(&self, b: &HalfSpaceOrPlane, limit: f64) -> Option<ClosestPoints> {
                Heights::$heights(self, b.plane()).closest_below(b, limit)
            }

            fn gap_along(&self, b: &HalfSpaceOrPlane, _direction: DVec3) -> f64 {
                let heights = Heights::$heights(self, b.plane());
                heights.gap(b).0 - heights.error
            }

            fn shared_points(&self, b: &HalfSpaceOrPlane) -> Option<SharedPoints> {
                let heights = Heights::$heights(self, b.plane());
                let points: fn(&Self, &HalfSpaceOrPlane, &Heights) -> SmallVec<[DVec3; 6]> = $points;
                heights.overlap(b).then(|| SharedPoints { points: points(self, b, &heights), normal: heights.normal(b) })
            }
        })*
    };
}

by_heights! {
    Triangle of_triangle |triangle, flat, heights| {
        if flat.is_solid() { smallvec![heights.lowest] } else { crossings(triangle, flat.plane(), heights.error) }
    };
    Primitive of_solid |_, flat, heights| smallvec![heights.shared(flat)];
}

/// Two flats with parallel planes: what each takes up along the first one's normal.
struct Intervals {
    a: (f64, f64),
    b: (f64, f64),
    error: f64,
}

impl Intervals {
    /// None where the planes meet.
    fn new(a: &HalfSpaceOrPlane, b: &HalfSpaceOrPlane) -> Option<Self> {
        let (plane_a, plane_b) = (a.plane(), b.plane());
        if plane_a.normal().cross(plane_b.normal()).length() > PARALLEL {
            return None;
        }
        let same = plane_a.normal().dot(plane_b.normal()) > 0.0;
        let (end_a, end_b) = (plane_a.offset(), if same { plane_b.offset() } else { -plane_b.offset() });
        let start_a = if a.is_solid() { f64::NEG_INFINITY } else { end_a };
        let b = match (b.is_solid(), same) {
            (false, _) => (end_b, end_b),
            (true, true) => (f64::NEG_INFINITY, end_b),
            (true, false) => (end_b, f64::INFINITY),
        };
        Some(Self { a: (start_a, end_a), b, error: ERROR * (end_a.abs() + end_b.abs()) })
    }

    /// The signed gap, and whether b is above.
    fn gap(&self) -> (f64, bool) {
        let (above, below) = (self.b.0 - self.a.1, self.a.0 - self.b.1);
        if above >= below { (above, true) } else { (below, false) }
    }

    /// Where both are, if they overlap: at the lower of their upper ends, of which a's is finite.
    fn shared(&self) -> f64 {
        self.a.1.min(self.b.1)
    }
}

/// A point of two planes that meet.
fn meeting_point(a: &Plane, b: &Plane) -> DVec3 {
    let along = a.normal().cross(b.normal());
    (b.normal().cross(along) * a.offset() + along.cross(a.normal()) * b.offset()) / along.length_squared()
}

impl Proximity<HalfSpaceOrPlane> for HalfSpaceOrPlane {
    fn overlaps(&self, b: &HalfSpaceOrPlane) -> bool {
        Intervals::new(self, b).is_none_or(|intervals| intervals.gap().0 <= intervals.error)
    }

    fn closest_below(&self, b: &HalfSpaceOrPlane, limit: f64) -> Option<ClosestPoints> {
        let Some(intervals) = Intervals::new(self, b) else {
            return Some(ClosestPoints::overlapping(meeting_point(self.plane(), b.plane())));
        };
        let (n, (gap, above)) = (self.plane().normal(), intervals.gap());
        if gap <= intervals.error {
            return Some(ClosestPoints::overlapping(n * intervals.shared()));
        }
        let (lower, upper) = (gap - intervals.error, gap + intervals.error);
        let (end_a, end_b) = if above { (intervals.a.1, intervals.b.0) } else { (intervals.a.0, intervals.b.1) };
        let found = ClosestPoints { lower, upper, point_a: n * end_a, point_b: n * end_b };
        if lower >= limit { None } else { Some(found) }
    }

    fn shared_points(&self, b: &HalfSpaceOrPlane) -> Option<SharedPoints> {
        let n = self.plane().normal();
        let unit = n / n.length();
        let Some(intervals) = Intervals::new(self, b) else {
            return Some(SharedPoints { points: smallvec![meeting_point(self.plane(), b.plane())], normal: unit });
        };
        let (gap, above) = intervals.gap();
        let normal = if above { unit } else { -unit };
        (gap <= intervals.error).then(|| SharedPoints { points: smallvec![n * intervals.shared()], normal })
    }
}
