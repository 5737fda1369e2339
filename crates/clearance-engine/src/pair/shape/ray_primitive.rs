//! Where a ray passes through a convex primitive.
//!
//! A line meets a convex solid in an interval. Those of cylinders, capsules and cones come from
//! intervals of simpler solids. The ray first moves to the point of its line that is nearest to the
//! primitive's centre, so that an origin far away costs digits of its own distance only. Polyhedra
//! are decided by their faces' triangles, exactly ([`ray_hit`]).
//!
//! # The error
//! A hit is a point within 1e-13 of (size + distance of the origin) of the surface; for an
//! ellipsoid times the ratio of its half-axes. A ray that passes through the solid deeper than that
//! hits.

use super::ray_hit;
use crate::Triangle;
use crate::math::{DMat3, DVec3, unit};
use crate::shape::{Capsule, Cone, Convex, ConvexPolyhedron, Cylinder, Ellipsoid, Primitive, Ray, RayGoal, RayHit};

/// An end of an interval: the parameter and the outward normal there.
type End = (f64, DVec3);

/// The part of a line inside of a convex solid.
#[derive(Debug, Clone, Copy)]
struct Interval {
    near: End,
    far: End,
}

const EVERYWHERE: Interval = Interval { near: (f64::NEG_INFINITY, DVec3::ZERO), far: (f64::INFINITY, DVec3::ZERO) };

impl Interval {
    fn and(self, other: Self) -> Option<Self> {
        let near = if other.near.0 > self.near.0 { other.near } else { self.near };
        let far = if other.far.0 < self.far.0 { other.far } else { self.far };
        (near.0 <= far.0).then_some(Self { near, far })
    }

    /// The smallest interval around both.
    fn or(self, other: Self) -> Self {
        let near = if other.near.0 < self.near.0 { other.near } else { self.near };
        let far = if other.far.0 > self.far.0 { other.far } else { self.far };
        Self { near, far }
    }

    /// The same interval, with normals that depend on the points of its ends.
    fn with_normals(self, o: DVec3, d: DVec3, normal: impl Fn(DVec3) -> DVec3) -> Self {
        let end = |(x, _): End| (x, normal(o + d * x));
        Self { near: end(self.near), far: end(self.far) }
    }
}

/// A line: a point near the origin and a unit direction.
#[derive(Clone, Copy)]
struct Line {
    o: DVec3,
    d: DVec3,
}

impl Line {
    /// The part with `|axis·p| ≤ half`.
    fn slab(&self, axis: DVec3, half: f64) -> Option<Interval> {
        let (o, d) = (axis.dot(self.o), axis.dot(self.d));
        if d == 0.0 {
            return (o.abs() <= half).then_some(EVERYWHERE);
        }
        let side = if d > 0.0 { axis } else { -axis };
        let (middle, reach) = (-o / d, half / d.abs());
        Some(Interval { near: (middle - reach, -side), far: (middle + reach, side) })
    }

    /// The part within `radius` of the origin, without normals. The direction may have any length.
    fn ball(&self, radius: f64) -> Option<Interval> {
        let squared = self.d.length_squared();
        if squared < 1e-200 {
            return (self.o.length() <= radius).then_some(EVERYWHERE);
        }
        let middle = -self.o.dot(self.d) / squared;
        let away = (self.o + self.d * middle).length();
        let reach = ((radius - away) * (radius + away) / squared).sqrt();
        // NaN where the line passes by.
        (away <= radius).then_some(Interval { near: (middle - reach, DVec3::ZERO), far: (middle + reach, DVec3::ZERO) })
    }

    /// The line without its part along an axis.
    fn across(&self, axis: DVec3) -> Self {
        let without = |v: DVec3| v - axis * axis.dot(v);
        Self { o: without(self.o), d: without(self.d) }
    }

    fn sphere(&self, center: DVec3, radius: f64) -> Option<Interval> {
        let moved = Self { o: self.o - center, ..*self };
        let part = moved.ball(radius)?;
        Some(part.with_normals(moved.o, moved.d, normalized))
    }

    /// The part within `radius` of the line along an axis of unit length.
    fn tube(&self, axis: DVec3, radius: f64) -> Option<Interval> {
        let across = self.across(axis);
        Some(across.ball(radius)?.with_normals(across.o, across.d, normalized))
    }

    fn capsule(&self, capsule: &Capsule) -> Option<Interval> {
        let (half, radius) = (capsule.half(), capsule.radius());
        let ends = [self.sphere(half, radius), self.sphere(-half, radius)];
        let tube = unit(half).and_then(|axis| self.tube(axis, radius)?.and(self.slab(axis, half.length())?));
        [ends[0], ends[1], tube].into_iter().flatten().reduce(Interval::or)
    }

    fn cylinder(&self, cylinder: &Cylinder) -> Option<Interval> {
        let axis = cylinder.axis();
        self.tube(axis, cylinder.radius())?.and(self.slab(axis, cylinder.half_length())?)
    }

    /// A point at w below the apex, along the axis, is inside if it is within k·w of the axis.
    fn cone(&self, cone: &Cone) -> Option<Interval> {
        let (axis, half) = (cone.axis(), cone.half_length());
        let slope = cone.radius() / (2.0 * half);
        let Self { o, d } = self.across(axis);
        let (w, fall) = (half - axis.dot(self.o), -axis.dot(self.d));
        let a = d.length_squared() - slope * slope * fall * fall;
        let b = o.dot(d) - slope * slope * w * fall;
        let c = o.length_squared() - slope * slope * w * w;
        let squared = b * b - a * c;
        if squared < 0.0 && a > 0.0 {
            return None;
        }
        let root = squared.max(0.0).sqrt();
        // Roots without cancellation; either may be infinite.
        let q = -(b + root.copysign(b));
        let (one, two) = if q == 0.0 { (0.0, 0.0) } else { (q / a, c / q) };
        let (low, high) = (one.min(two), one.max(two));
        let (low, high) = match a {
            a if a > 0.0 => (low, high),
            // Inside of both cones about the apex, outside between them: the one below counts.
            a if a < 0.0 && fall > 0.0 => (high, f64::INFINITY),
            a if a < 0.0 => (f64::NEG_INFINITY, low),
            _ if b > 0.0 => (f64::NEG_INFINITY, -c / (2.0 * b)),
            _ if b < 0.0 => (-c / (2.0 * b), f64::INFINITY),
            _ if c <= 0.0 => (f64::NEG_INFINITY, f64::INFINITY),
            _ => return None,
        };
        let side = Interval { near: (low, DVec3::ZERO), far: (high, DVec3::ZERO) };
        let side = side.with_normals(o, d, |across| {
            let out = unit(across).unwrap_or(DVec3::ZERO);
            normalized(out + axis * slope)
        });
        side.and(self.slab(axis, half)?)
    }

    fn ellipsoid(&self, ellipsoid: &Ellipsoid) -> Option<Interval> {
        let (half, axes) = (ellipsoid.half(), ellipsoid.axes());
        let local = Self { o: axes.transpose() * self.o / half, d: axes.transpose() * self.d / half };
        Some(local.ball(1.0)?.with_normals(local.o, local.d, |p| *axes * normalized(p / half)))
    }

    fn cuboid(&self, axes: &DMat3, half: DVec3) -> Option<Interval> {
        let slab = |k: usize| self.slab(axes.col(k), half[k]);
        slab(0)?.and(slab(1)?)?.and(slab(2)?)
    }
}

/// The unit vector; any one for zero.
fn normalized(v: DVec3) -> DVec3 {
    unit(v).unwrap_or(DVec3::Z)
}

/// Offers the points in which a ray meets the surface of a primitive, whose number is `leaf`.
pub(crate) fn cast_at_primitive(ray: &Ray, primitive: &Primitive, leaf: u32, goal: &mut RayGoal) {
    if let Primitive::ConvexPolyhedron(polyhedron) = primitive {
        return cast_at_polyhedron(ray, polyhedron, leaf, goal);
    }
    let center = primitive.center();
    let length = ray.scaled().length();
    let d = ray.scaled() / length;
    let offset = ray.origin() - center;
    let middle = -offset.dot(d);
    let line = Line { o: offset + d * middle, d };
    // Far beside it there is nothing to compute, and nothing to round.
    let radius = primitive.bounding_radius() + Convex::radius(primitive);
    if line.o.length() > 1.001 * radius + 1e-12 * offset.length() {
        return;
    }
    let part = match primitive {
        Primitive::Sphere(sphere) => line.sphere(DVec3::ZERO, sphere.radius()),
        Primitive::Capsule(capsule) => line.capsule(capsule),
        Primitive::Cuboid(cuboid) => line.cuboid(cuboid.axes(), cuboid.half()),
        Primitive::Cylinder(cylinder) => line.cylinder(cylinder),
        Primitive::Cone(cone) => line.cone(cone),
        Primitive::Ellipsoid(ellipsoid) => line.ellipsoid(ellipsoid),
        Primitive::ConvexPolyhedron(_) => None,
    };
    if let Some(part) = part {
        for (x, normal) in [part.near, part.far] {
            goal.offer(RayHit::new(ray, (x + middle) / length * ray.scale(), normal, leaf));
        }
    }
}

/// A ray through an edge hits both faces, which are two hits at one place.
fn cast_at_polyhedron(ray: &Ray, polyhedron: &ConvexPolyhedron, leaf: u32, goal: &mut RayGoal) {
    for f in 0..polyhedron.face_count() as u32 {
        let face = polyhedron.face(f);
        let first = polyhedron.vertex(face[0]);
        let fan = face[1..].windows(2).map(|edge| [first, polyhedron.vertex(edge[0]), polyhedron.vertex(edge[1])]);
        // One hit a face, also where the ray runs between two triangles of it.
        let hits = fan.filter_map(|vertices| ray_hit(ray, &Triangle(vertices)));
        if let Some(t) = hits.reduce(f64::min) {
            goal.offer(RayHit::new(ray, t, polyhedron.face_normal(f), leaf));
        }
    }
}
