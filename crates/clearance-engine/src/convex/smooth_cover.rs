//! Strictly convex covers of bodies, whose distance is continuously differentiable.
//!
//! The distance of two meshes has a gradient that jumps where the nearest points do, which
//! optimisers stumble over (Escande, Miossec and Kheddar, "Continuous gradient proximity distance
//! for humanoids free-collision optimized-postures", 2007). A [`SmoothCover`] is the intersection of
//! large spheres around a body: two along each axis of its box, then one at a time along the
//! direction in which it sticks out most. The distance of two covers that are apart is C¹, a lower
//! bound of the bodies' distance, and not much below it: the *gap* bounds how far a cover sticks out
//! of the body's convex hull.
//!
//! # The gap
//! Every point of the cover is within the largest `h(n) − g(n)` of the hull, for h and g the
//! support functions of cover and hull and n of unit length. Branch and bound over directions finds
//! a bound: let n = Σλᵢnᵢ be in the flat triangle of three directions nᵢ, and s any point of the
//! hull. Then `h(n) ≤ Σλᵢh(nᵢ)`, as h is convex, and `g(n) ≥ s·n = Σλᵢs·nᵢ`, so that the largest
//! `h(nᵢ) − s·nᵢ`, divided by the distance of the triangle from the origin, is a bound for all of
//! them. Each number takes fewer than 16 roundings of the bodies' extent; 64 are added.
//!
//! # The distance
//! A search ([`core_distance`]) finds a direction and two points. The bounds are made afresh from
//! them: any direction n gives the lower one, `−h_A(n) − h_B(−n)`, by
//! [`support_above`](SphereIntersection::support_above); points that were moved
//! [inward](SphereIntersection::inward) give the upper one. B is moved by a pose whose matrix is a
//! rotation up to 24 roundings, which moves its points by as much of its extent: 48 roundings of
//! both extents and their distance are added.

use super::core_distance;
use crate::math::{DVec3, UNIT_ROUNDOFF, unit};
use crate::shape::{Convex, SphereIntersection};
use crate::volume::{Obb, Volume};
use crate::{Error, ErrorKind, Pose, Result, TriMesh};
use std::collections::BinaryHeap;

/// Triangles of directions that are examined for the gap, and for the direction of the next sphere.
const MAX_EVALUATIONS: usize = 4000;
const FEW_EVALUATIONS: usize = 400;
/// Projections from one solid to the other that make the direction of a distance exact.
const MAX_PROJECTIONS: usize = 100;
/// The largest number of spheres.
const MAX_SPHERES: usize = 16;
/// The gap is found to within this part of itself.
const GAP_TOLERANCE: f64 = 0.02;

/// A strictly convex solid around a body, with a bound of how far it sticks out.
///
/// ```
/// use clearance_engine::{Pose, TriMesh, convex::SmoothCover, math::DVec3};
/// let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let mesh = TriMesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])?;
/// let cover = SmoothCover::around(&mesh, 10.0)?;
/// let away = cover.distance(&cover, &Pose::from_xyz(3.0, 0.0, 0.0)?);
/// // The bodies are 2 apart, the covers a little less.
/// assert!(away.lower <= 2.0 && 2.0 <= away.upper + 2.0 * cover.gap());
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SmoothCover {
    shape: SphereIntersection,
    gap: f64,
}

/// The distance of two [covers](SmoothCover), with its gradient.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SmoothDistance {
    /// At most the distance of the covers, and so of the bodies; 0 where the covers overlap.
    pub lower: f64,
    /// At least the distance of the covers.
    pub upper: f64,
    /// On A's cover.
    pub point_a: DVec3,
    /// On B's cover, in A's frame.
    pub point_b: DVec3,
    /// From A to B, of unit length: the gradient of the distance by a translation of B.
    pub normal: DVec3,
}

impl SmoothDistance {
    /// The gradient of the distance by the pose of B, in A's frame: by its translation, then by a
    /// rotation about `origin_b`, the origin of B's frame there.
    pub fn gradient(&self, origin_b: DVec3) -> [f64; 6] {
        let turn = (self.point_b - origin_b).cross(self.normal);
        [self.normal.x, self.normal.y, self.normal.z, turn.x, turn.y, turn.z]
    }
}

impl SmoothCover {
    /// Fits a cover of spheres that are `flatness` times as large as the body, 2 to 1000: a larger
    /// number makes a tighter cover with a gradient that turns faster.
    pub fn around(mesh: &TriMesh, flatness: f64) -> Result<Self> {
        if !(2.0..=1000.0).contains(&flatness) {
            return Err(Error::new(ErrorKind::BadRequest, format!("a flatness of {flatness} is not in [2, 1000]")));
        }
        let triangles: Vec<_> = (0..mesh.len() as u32).map(|id| mesh.triangle(id)).collect();
        let (low, high) = mesh.bounding_box();
        let middle = low + (high - low) * 0.5;
        // Axes are found in units of the body, whatever its size.
        let size = (high - low).max_element();
        if size <= 0.0 {
            return Err(Error::new(ErrorKind::BadRequest, "a single point has no smooth cover; a sphere is one"));
        }
        let scaled: Vec<_> = triangles.iter().map(|t| t.map(|vertex| (vertex - middle) / size)).collect();
        let bounds = Obb::fit(&scaled, &Default::default());
        let middle = middle + bounds.center() * size;
        let points: Vec<DVec3> = triangles.iter().flat_map(|t| t.0).collect();
        let body_radius = points.iter().map(|point| point.distance(middle)).fold(0.0, f64::max);
        let radius = flatness * body_radius;
        // As deep as a sphere can be that bounds the body from above.
        let center = |up: DVec3| {
            let depth = points.iter().fold(f64::INFINITY, |depth, point| {
                let offset = point - middle;
                let height = offset.dot(up);
                let aside = offset.length_squared() - height * height;
                depth.min((radius * radius - aside).max(0.0).sqrt() - height)
            });
            middle - up * depth.max(0.0)
        };
        let axes = bounds.axis_matrix();
        let mut centers: Vec<DVec3> = [axes.x_axis, axes.y_axis, axes.z_axis]
            .into_iter()
            .flat_map(|axis| [center(axis), center(-axis)])
            .collect();
        // By proof: each point is in each sphere.
        let farthest = |center: &DVec3| points.iter().map(|point| point.distance(*center)).fold(0.0, f64::max);
        let extent = radius + middle.abs().max_element() + size;
        let around = |centers: &[DVec3]| {
            let needed = centers.iter().map(farthest).fold(0.0, f64::max);
            SphereIntersection::about(middle, centers, needed + 16.0 * UNIT_ROUNDOFF * (needed + extent))
        };
        let mut shape = around(&centers)?;
        while centers.len() < MAX_SPHERES {
            let (gap, direction) = largest_gap(&shape, &points, FEW_EVALUATIONS);
            // Spheres of this size bulge as much over a flat side, and those that nearly coincide cut
            // off little.
            let next = center(direction);
            let is_new = centers.iter().all(|center| center.distance(next) > 0.1 * radius);
            if gap * flatness < body_radius || !is_new {
                break;
            }
            centers.push(next);
            shape = around(&centers)?;
        }
        let gap = largest_gap(&shape, &points, MAX_EVALUATIONS).0 + 64.0 * UNIT_ROUNDOFF * extent;
        Ok(Self { shape, gap })
    }

    /// The solid.
    pub fn shape(&self) -> &SphereIntersection {
        &self.shape
    }

    /// No point of the cover is farther than this from the body's convex hull, certified.
    pub fn gap(&self) -> f64 {
        self.gap
    }

    /// The distance of two covers, as an interval with its gradient.
    pub fn distance(&self, other: &Self, a_from_b: &Pose) -> SmoothDistance {
        let (a, b) = (&self.shape, other.shape.transformed(a_from_b));
        let found = core_distance(a, &b, f64::INFINITY);
        let (offset, extent) = (b.center() - a.center(), a.bounding_radius() + b.bounding_radius());
        let error = 48.0 * UNIT_ROUNDOFF * (extent + offset.length() + a_from_b.translation().length());
        let Some(found) = found else {
            // Without a limit there always is an answer.
            return SmoothDistance {
                lower: 0.0,
                upper: f64::INFINITY,
                point_a: a.center(),
                point_b: b.center(),
                normal: DVec3::X,
            };
        };
        let along = |normal: DVec3| offset.dot(normal) - a.support_above(normal) - b.support_above(-normal);
        let inside = |x: DVec3, y: DVec3| (a.center() + a.inward(x), b.center() + b.inward(y));
        let (mut point_a, mut point_b) = inside(found.point_a - a.center(), found.point_b - b.center());
        let (mut normal, mut height) = (found.normal, along(found.normal));
        // A distance that is exact to 1e-12 has a direction that is exact to 1e-6 only. Projections
        // onto the two parts of the surfaces that face each other make it as exact as the distance.
        let (onto_a, onto_b) = (a.projection(normal), b.projection(-normal));
        let (mut x, mut y) = (point_a - a.center(), point_b - b.center());
        for _ in 0..MAX_PROJECTIONS {
            let before = y;
            x = onto_a(y + offset);
            y = onto_b(x - offset);
            if y.distance_squared(before) <= (UNIT_ROUNDOFF * extent).powi(2) {
                break;
            }
        }
        if let Some(polished) = unit(y + offset - x)
            && along(polished) >= height - error
        {
            (point_a, point_b) = inside(x, y);
            (normal, height) = (polished, height.max(along(polished)));
        }
        let upper = (point_b - point_a).length() + error;
        let overlap = found.upper <= 0.0;
        SmoothDistance {
            lower: if overlap { 0.0 } else { (height - error).clamp(0.0, upper) },
            upper: if overlap { 0.0 } else { upper },
            point_a,
            point_b,
            normal,
        }
    }
}

/// A triangle of directions, the one with the largest bound first.
struct Cell {
    bound: f64,
    directions: [DVec3; 3],
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Cell {}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cell {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.bound.total_cmp(&other.bound)
    }
}

/// How far a solid sticks out of the hull of points, at most, rounding not included, and a direction
/// in which it nearly does.
fn largest_gap(shape: &SphereIntersection, points: &[DVec3], max_evaluations: usize) -> (f64, DVec3) {
    let middle = shape.center();
    let farthest = |direction: DVec3| {
        let height = |point: &DVec3| (point - middle).dot(direction);
        points
            .iter()
            .map(|point| (height(point), *point - middle))
            .fold((f64::NEG_INFINITY, DVec3::ZERO), |a, b| if b.0 > a.0 { b } else { a })
    };
    let mut least = (0.0, DVec3::X);
    let mut cell = |directions: [DVec3; 3]| {
        let [a, b, c] = directions;
        let center = unit(a + b + c).unwrap_or(a);
        let (height, point) = farthest(center);
        let over = shape.support(center).dot(center) - height;
        if over > least.0 {
            least = (over, center);
        }
        let normal = (b - a).cross(c - a);
        // At least that of an octant's triangle, 0.577; also where it is too small for a normal.
        let away = (normal.dot(a) / normal.length()).abs().max(0.577);
        let over = directions.map(|n| shape.support_above(n) - point.dot(n));
        (Cell { bound: over[0].max(over[1]).max(over[2]) / away, directions }, least)
    };
    let mut cells = BinaryHeap::new();
    let mut known = (0.0, DVec3::X);
    for x in [DVec3::X, DVec3::NEG_X] {
        for y in [DVec3::Y, DVec3::NEG_Y] {
            for z in [DVec3::Z, DVec3::NEG_Z] {
                let made = cell([x, y, z]);
                cells.push(made.0);
                known = made.1;
            }
        }
    }
    for _ in 0..max_evaluations / 4 {
        let Some(Cell { bound, directions: [a, b, c] }) = cells.pop() else { break };
        if bound <= known.0 * (1.0 + GAP_TOLERANCE) {
            return (bound, known.1);
        }
        let [d, e, f] = [(a, b), (b, c), (c, a)].map(|(p, q)| unit(p + q).unwrap_or(p));
        for directions in [[a, d, f], [d, b, e], [f, e, c], [d, e, f]] {
            let made = cell(directions);
            cells.push(made.0);
            known = made.1;
        }
    }
    (cells.peek().map_or(f64::INFINITY, |cell| cell.bound), known.1)
}
