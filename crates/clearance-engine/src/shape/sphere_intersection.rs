//! The intersection of spheres of one radius: a strictly convex solid.
//!
//! The k-IOS of Zhang and Kim ("k-IOS: intersection of spheres for efficient proximity query",
//! 2012) as a shape of its own, not as a bound. Its boundary consists of parts of the spheres, arcs
//! of circles in which two of them meet, and vertices in which three do. No part of it is straight,
//! so that two of them that are apart have one pair of nearest points, and their distance is a
//! continuously differentiable function of their poses.
//!
//! # Rounding
//! u = 2⁻⁵³, E is the radius plus the largest coordinate of a centre.
//! * [`support`](Convex::support) returns a point that may stick out by some roundings of E, as its
//!   own centre and circles are rounded. [`inward`](SphereIntersection::inward) moves a point by
//!   proof: a sphere of radius ρ about the middle is inside, so a point that sticks out by v is
//!   inside after v/(v + ρ) of the way to the middle. The lengths that say so take 6 roundings of E
//!   each; 16 are added to v.
//! * [`support_above`](SphereIntersection::support_above): for any vectors with
//!   `n = n₁ + … + nₘ`, every point x of the solid has
//!   `n·x = Σ nᵢ·x ≤ Σ (nᵢ·oᵢ + R·|nᵢ|)`. Which vectors are taken matters for tightness alone. The
//!   products, lengths and sums take fewer than 16 roundings of `E·Σ|nᵢ|`, the differences of
//!   vectors 4 more; 32 are added.

use super::convex::{Convex, Directions};
use crate::math::{DMat3, DVec3, UNIT_ROUNDOFF};
use crate::{Error, ErrorKind, Pose, Result};

/// The circle in which two spheres meet.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Circle {
    spheres: [usize; 2],
    middle: DVec3,
    axis: DVec3,
    radius: f64,
}

/// A point in which three spheres meet.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Vertex {
    spheres: [usize; 3],
    place: DVec3,
}

/// The solid intersection of two or more spheres of one radius, which is strictly convex.
///
/// ```
/// use clearance_engine::{math::DVec3, shape::{Convex, SphereIntersection}};
/// // A lens: 2 thick, and round at the rim.
/// let lens = SphereIntersection::new(&[DVec3::Z * 4.0, DVec3::Z * -4.0], 5.0)?;
/// assert!(lens.support(DVec3::Z).distance(DVec3::Z) < 1e-12);
/// assert!((lens.support(DVec3::X).x - 3.0).abs() < 1e-12);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SphereIntersection {
    /// A point inside, the origin of all others here.
    middle: DVec3,
    centers: Vec<DVec3>,
    radius: f64,
    circles: Vec<Circle>,
    vertices: Vec<Vertex>,
    /// The radius of a sphere about the middle that is inside, and of one around the solid.
    inner: f64,
    bounding: f64,
}

/// What the support point is on.
#[derive(Clone, Copy)]
enum Feature {
    Sphere(usize),
    Circle(usize),
    Vertex(usize),
}

impl SphereIntersection {
    /// The intersection of spheres about `centers`; an error if there are fewer than two, more than
    /// 16, or if the mean of the centres is not inside of all.
    pub fn new(centers: &[DVec3], radius: f64) -> Result<Self> {
        if !(2..=16).contains(&centers.len()) {
            let message = format!("an intersection of spheres needs 2 to 16 of them, there are {}", centers.len());
            return Err(Error::new(ErrorKind::BadRequest, message));
        }
        super::check_points("center", centers)?;
        let middle = centers.iter().sum::<DVec3>() / centers.len() as f64;
        Self::about(middle, centers, radius)
    }

    /// The same with a point inside, which need not be the mean of the centres.
    pub(crate) fn about(middle: DVec3, centers: &[DVec3], radius: f64) -> Result<Self> {
        super::primitive::checked_size("radius of spheres", radius)?;
        // Fourth powers of lengths are numbers then.
        if !(1e-60..=1e60).contains(&radius) {
            let message = format!("the radius of spheres that intersect is not in [1e-60, 1e60]: {radius}");
            return Err(Error::new(ErrorKind::OutOfRange, message));
        }
        let centers: Vec<DVec3> = centers.iter().map(|&center| center - middle).collect();
        let farthest = centers.iter().map(|center| center.length()).fold(0.0, f64::max);
        let inner = radius - farthest - 16.0 * UNIT_ROUNDOFF * (radius + farthest);
        if inner <= 0.0 || inner.is_nan() {
            return Err(Error::new(ErrorKind::BadRequest, "the spheres have no common middle"));
        }
        let mut solid = Self {
            middle,
            centers,
            radius,
            circles: Vec::new(),
            vertices: Vec::new(),
            inner,
            bounding: radius - inner,
        };
        solid.find_features();
        let supports = solid.vertices.iter().map(|vertex| vertex.place.length());
        let circles = solid.circles.iter().map(|circle| circle.middle.length() + circle.radius);
        let spheres = solid.centers.iter().map(|center| radius - center.length());
        solid.bounding = supports.chain(circles).chain(spheres).fold(0.0, f64::max).min(radius + farthest);
        Ok(solid)
    }

    fn find_features(&mut self) {
        let (count, square) = (self.centers.len(), self.radius * self.radius);
        for i in 0..count {
            for j in i + 1..count {
                let (a, b) = (self.centers[i], self.centers[j]);
                let middle = (a + b) * 0.5;
                let rest = square - (b - a).length_squared() * 0.25;
                let (Some(axis), true) = (crate::math::unit(b - a), rest > 0.0) else { continue };
                self.circles.push(Circle { spheres: [i, j], middle, axis, radius: rest.sqrt() });
                for k in j + 1..count {
                    // About the circumcentre of the three.
                    let (e, f) = (b - a, self.centers[k] - a);
                    let normal = e.cross(f);
                    let to_center = (normal.cross(e) * f.length_squared() + f.cross(normal) * e.length_squared())
                        / (2.0 * normal.length_squared());
                    let height = square - to_center.length_squared();
                    let Some(up) = crate::math::unit(normal).filter(|_| height > 0.0) else { continue };
                    for side in [height.sqrt(), -height.sqrt()] {
                        let place = a + to_center + up * side;
                        let accurate = place.is_finite() && self.sticks_out(place) <= 1e-10 * self.radius;
                        if accurate && self.is_in_others(place, &[i, j, k]) {
                            self.vertices.push(Vertex { spheres: [i, j, k], place });
                        }
                    }
                }
            }
        }
        // A circle without vertices is on the boundary everywhere or nowhere.
        let mut circles = std::mem::take(&mut self.circles);
        circles.retain(|circle| {
            let [i, j] = circle.spheres;
            let somewhere = circle.middle + circle.axis.any_orthonormal_vector() * circle.radius;
            self.vertices.iter().any(|vertex| vertex.spheres.contains(&i) && vertex.spheres.contains(&j))
                || self.is_in_others(somewhere, &circle.spheres)
        });
        self.circles = circles;
    }

    /// The centres of the spheres.
    pub fn centers(&self) -> impl Iterator<Item = DVec3> {
        self.centers.iter().map(|&center| center + self.middle)
    }

    /// The radius of the spheres.
    pub fn sphere_radius(&self) -> f64 {
        self.radius
    }

    /// The solid after a rigid motion, rounded.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        let turn = |v: DVec3| pose.transform_vector(v);
        Self {
            middle: pose.transform_point(self.middle),
            centers: self.centers.iter().map(|&center| turn(center)).collect(),
            circles: self.circles.iter().map(|c| Circle { middle: turn(c.middle), axis: turn(c.axis), ..*c }).collect(),
            vertices: self.vertices.iter().map(|v| Vertex { place: turn(v.place), ..*v }).collect(),
            ..*self
        }
    }

    /// By how much an offset from the middle is outside of a sphere; negative inside of all.
    fn sticks_out(&self, offset: DVec3) -> f64 {
        let farthest = self.centers.iter().map(|center| offset.distance_squared(*center)).fold(0.0, f64::max);
        farthest.sqrt() - self.radius
    }

    /// Whether an offset from the middle is in all spheres but the given ones, on which it is, up to
    /// rounding.
    fn is_in_others(&self, offset: DVec3, own: &[usize]) -> bool {
        let within = self.radius * (1.0 + 1e-13);
        let mut others = self.centers.iter().enumerate().filter(|(i, _)| !own.contains(i));
        others.all(|(_, center)| offset.distance_squared(*center) <= within * within)
    }

    /// The size that rounding is relative to.
    fn extent(&self) -> f64 {
        self.radius + self.centers.iter().map(|center| center.abs().max_element()).fold(0.0, f64::max)
    }

    /// A point that is certainly inside, near to one that is about so; offsets from the middle.
    pub(crate) fn inward(&self, offset: DVec3) -> DVec3 {
        let out = self.sticks_out(offset) + 16.0 * UNIT_ROUNDOFF * self.extent();
        // Of the point that this is, rounded, the same holds: the bound has room for it.
        if out > 0.0 { offset * (self.inner / (out + self.inner)) } else { offset }
    }

    /// No point of the solid is farther along a direction than this, measured from the middle.
    pub(crate) fn support_above(&self, direction: DVec3) -> f64 {
        let (place, feature) = self.support_feature(direction);
        let mut least = self.bound_by(direction, place, feature);
        // Where more than three spheres meet, the normals of some three make up the direction.
        if let Feature::Vertex(_) = feature {
            for (v, vertex) in self.vertices.iter().enumerate() {
                if vertex.place.distance(place) <= 1e-9 * self.radius {
                    least = least.min(self.bound_by(direction, vertex.place, Feature::Vertex(v)));
                }
            }
            for (c, circle) in self.circles.iter().enumerate() {
                let [i, j] = circle.spheres.map(|i| (place.distance(self.centers[i]) - self.radius).abs());
                if i.max(j) <= 1e-9 * self.radius {
                    least = least.min(self.bound_by(direction, place, Feature::Circle(c)));
                }
            }
        }
        least
    }

    /// The bound by the normals of a feature's spheres at a point of it, with weights that make up
    /// the direction.
    fn bound_by(&self, direction: DVec3, place: DVec3, feature: Feature) -> f64 {
        let parts = match feature {
            Feature::Sphere(i) => [(i, direction), (i, DVec3::ZERO), (i, DVec3::ZERO)],
            Feature::Circle(c) => {
                let [i, j] = self.circles[c].spheres;
                let (a, b) = (place - self.centers[i], place - self.centers[j]);
                let across = b - a * (a.dot(b) / a.length_squared());
                let share = b * (direction.dot(across) / across.length_squared()).max(0.0);
                [(i, direction - share), (j, share), (j, DVec3::ZERO)]
            }
            Feature::Vertex(v) => {
                let [i, j, k] = self.vertices[v].spheres;
                let [a, b, c] = [i, j, k].map(|i| place - self.centers[i]);
                let weights = DMat3::from_cols(a, b, c).inverse() * direction;
                let (second, third) = (b * weights.y.max(0.0), c * weights.z.max(0.0));
                [(i, direction - second - third), (j, second), (k, third)]
            }
        };
        let (mut height, mut lengths) = (0.0, 0.0);
        for (i, part) in parts {
            let length = part.length();
            height += part.dot(self.centers[i]) + self.radius * length;
            lengths += length;
        }
        let bound = height + 32.0 * UNIT_ROUNDOFF * self.extent() * lengths;
        // Normals in one plane make up nothing.
        if bound.is_finite() { bound } else { direction.length() * (self.bounding + self.radius) }
    }

    /// Projects offsets from the middle onto the sphere, circle or vertex that the support point
    /// along a direction is on.
    pub(crate) fn projection(&self, direction: DVec3) -> impl Fn(DVec3) -> DVec3 {
        let (place, feature) = self.support_feature(direction);
        move |offset: DVec3| {
            let (center, flat, radius) = match feature {
                Feature::Sphere(i) => (self.centers[i], offset - self.centers[i], self.radius),
                Feature::Circle(c) => {
                    let Circle { middle, axis, radius, .. } = self.circles[c];
                    (middle, (offset - middle) - axis * (offset - middle).dot(axis), radius)
                }
                Feature::Vertex(_) => return place,
            };
            crate::math::unit(flat).map_or(place, |out| center + out * radius)
        }
    }

    fn support_feature(&self, direction: DVec3) -> (DVec3, Feature) {
        let along = direction / direction.abs().max_element();
        let along = if along.is_finite() { along.normalize() } else { DVec3::X };
        let mut best = (self.centers[0], Feature::Sphere(0), f64::NEG_INFINITY);
        let mut take = |place: DVec3, feature: Feature, own: &[usize]| {
            let height = place.dot(along);
            if height > best.2 && self.is_in_others(place, own) {
                best = (place, feature, height);
            }
        };
        for (i, &center) in self.centers.iter().enumerate() {
            take(center + along * self.radius, Feature::Sphere(i), &[i]);
        }
        for (c, circle) in self.circles.iter().enumerate() {
            let across = along - circle.axis * along.dot(circle.axis);
            if let Some(across) = crate::math::unit(across) {
                take(circle.middle + across * circle.radius, Feature::Circle(c), &circle.spheres);
            }
        }
        for (v, vertex) in self.vertices.iter().enumerate() {
            // Feasible when it was found.
            let height = vertex.place.dot(along);
            if height > best.2 {
                best = (vertex.place, Feature::Vertex(v), height);
            }
        }
        if best.2 == f64::NEG_INFINITY {
            best.0 = along * self.inner;
        }
        (best.0, best.1)
    }
}

impl Convex for SphereIntersection {
    fn center(&self) -> DVec3 {
        self.middle
    }

    fn bounding_radius(&self) -> f64 {
        self.bounding
    }

    fn inner(&self) -> f64 {
        self.inner
    }

    fn support(&self, direction: DVec3) -> DVec3 {
        self.inward(self.support_feature(direction).0)
    }

    fn nearest(&self, offset: DVec3) -> DVec3 {
        if self.sticks_out(offset) <= 0.0 { offset } else { self.inward(offset * (self.inner / offset.length())) }
    }

    fn knows_nearest(&self) -> bool {
        false
    }

    fn face_normals(&self, _towards: DVec3) -> Directions {
        Directions::new()
    }

    fn edge_directions(&self, _towards: DVec3) -> Directions {
        Directions::new()
    }

    fn is_curved(&self) -> bool {
        true
    }

    fn turning(&self, direction: DVec3) -> DMat3 {
        let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
        match self.support_feature(direction).1 {
            Feature::Sphere(_) => (DMat3::IDENTITY - outer(direction)) * self.radius,
            Feature::Circle(c) => {
                let circle = &self.circles[c];
                let across = direction - circle.axis * direction.dot(circle.axis);
                let length = across.length();
                (DMat3::IDENTITY - outer(circle.axis) - outer(across / length)) * (circle.radius / length)
            }
            Feature::Vertex(_) => DMat3::ZERO,
        }
    }
}
