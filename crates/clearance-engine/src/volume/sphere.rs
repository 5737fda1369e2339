//! Bounding spheres of hierarchies, in `f32`: the smallest enclosing sphere of the vertices
//! ([`super::bounding_sphere`]).
//!
//! Invariant: the radius is at least the exact distance of every vertex from the stored `f32`
//! centre.

use super::bounding_sphere::smallest_sphere_center;
use super::fit::{enclosing, enclosing_length, narrow, restored, support_rounding, vertices, widen};
use super::{Axes, Volume};
use crate::Triangle;
use crate::math::{DVec3, f32_above};

/// A bounding sphere in a hierarchy's stored frame.
///
/// ```
/// use clearance_engine::{Triangle, math::DVec3, volume::{Sphere, Volume}};
/// let triangle = Triangle([-DVec3::X, DVec3::X, DVec3::new(0.0, 0.5, 0.0)]);
/// let sphere = Sphere::fit(&[triangle], &());
/// assert!(sphere.center().length() < 1e-6);
/// assert!((sphere.radius() - 1.0).abs() < 1e-6);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    center: [f32; 3],
    radius: f32,
}

impl Sphere {
    /// A sphere around the sphere of the given centre and radius, in stored coordinates, for
    /// hierarchies over other geometries than triangles.
    ///
    /// It rounds the centre to `f32`, and the radius up by as much as that moved it. Both must be
    /// finite and the radius not negative. Bounds require a centre within 2 of the origin and a
    /// radius of at most 4, as contents within [-1, 1] have ([`Frame`](crate::math::Frame)).
    ///
    /// ```
    /// use clearance_engine::{math::DVec3, volume::{Sphere, Volume}};
    /// let sphere = Sphere::around(DVec3::new(0.1, 0.2, 0.3), 0.5);
    /// assert!(sphere.radius() >= 0.5 + sphere.center().distance(DVec3::new(0.1, 0.2, 0.3)));
    /// assert!(sphere.radius() < 0.5 + 1e-6);
    /// ```
    pub fn around(center: DVec3, radius: f64) -> Self {
        let stored = narrow(center);
        let moved = center - widen(stored);
        Self { center: stored, radius: enclosing(radius + moved.length(), radius + moved.abs().element_sum()) }
    }

    /// The sphere about a centre, rounded to `f32`, around points with an error of up to `slack`
    /// (at most 1e-6).
    pub(crate) fn about(center: DVec3, points: impl Iterator<Item = DVec3> + Clone, slack: f64) -> Self {
        let center = narrow(center);
        let radius = enclosing_length(points.map(|point| point - widen(center)));
        Self { center, radius: f32_above(f64::from(radius) + slack) }
    }

    /// The distance from the centre to the surface.
    #[inline]
    pub fn radius(&self) -> f64 {
        f64::from(self.radius)
    }
}

impl Volume for Sphere {
    const NAME: &'static str = "sphere";
    const FLOATS: usize = 4;
    type Fit = ();

    fn fit(triangles: &[Triangle], _options: &()) -> Self {
        Self::about(smallest_sphere_center(vertices(triangles)), vertices(triangles), 0.0)
    }

    fn support(&self, direction: DVec3) -> f64 {
        direction.dot(self.center()) + self.radius() * direction.length() + support_rounding(direction)
    }

    #[inline]
    fn center(&self) -> DVec3 {
        widen(self.center)
    }

    #[inline]
    fn size(&self) -> f64 {
        self.radius()
    }

    /// None: a sphere is tightest along the line of the centres, which every bound tries.
    fn axes(&self) -> Axes {
        Axes::new()
    }

    fn store(&self, out: &mut Vec<f32>) {
        out.extend(self.center);
        out.push(self.radius);
    }

    fn restore(floats: &[f32]) -> Option<Self> {
        (floats[3] >= 0.0).then(|| Self { center: restored(floats, 0), radius: floats[3] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::properties::{exact, minus, rational, squared_length};
    use crate::volume::samples::Random;

    #[test]
    fn a_sphere_around_a_sphere_contains_it_exactly_and_hardly_more() {
        let mut random = Random(61);
        for case in 0..2000 {
            let center = random.vector() * if case % 3 == 0 { random.magnitude(-320.0, 0.0) } else { 1.0 };
            let radius = [0.0, random.magnitude(-320.0, 0.5), random.magnitude(-9.0, 0.5)][case / 3 % 3];
            let sphere = Sphere::around(center, radius);
            let room = rational(sphere.radius()) - rational(radius);
            let moved = squared_length(&minus(&exact(center), &exact(sphere.center())));
            assert!(room >= rational(0.0) && &room * &room >= moved, "{case}: {center} {radius} {sphere:?}");
            assert!(sphere.radius() <= (radius + 2e-7) * (1.0 + 2e-7), "{case}: {center} {radius} {sphere:?}");
        }
        assert_eq!(Sphere::around(DVec3::new(0.5, -0.25, 1.0), 0.0).radius(), 0.0);
    }
}
