//! The moments of triangles' areas. They are additive, and they give principal axes and the size of
//! a box along these.

use super::{DMat3, DVec3, symmetric_eigenvectors};
use std::ops::{AddAssign, Sub};

/// The integrals of 1, p and ppᵀ over some area, up to one common factor.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Moments {
    weight: f64,
    first: DVec3,
    /// xx, yy, zz, xy, xz, yz.
    second: [f64; 6],
}

impl Moments {
    /// The moments of a triangle about its centroid; one without an area counts a little by its
    /// edges.
    #[inline]
    pub fn about_centroid([a, b, c]: [DVec3; 3]) -> Self {
        // A share of the squared lengths small enough not to disturb triangles that have an area.
        const EDGE_SHARE: f64 = 3e-6;
        let area = (b - a).cross(c - a).length();
        let center = (a + b + c) / 3.0;
        let (a, b, c) = (a - center, b - center, c - center);
        let sum = |i: usize, j: usize| a[i] * a[j] + b[i] * b[j] + c[i] * c[j];
        let (xx, yy, zz) = (sum(0, 0), sum(1, 1), sum(2, 2));
        let weight = area + EDGE_SHARE * (xx + yy + zz);
        // ∫ppᵀ about the centroid is the area times Σpᵢpᵢᵀ/12.
        let share = weight / 12.0;
        let second = [xx * share, yy * share, zz * share, sum(0, 1) * share, sum(0, 2) * share, sum(1, 2) * share];
        Self { weight, first: DVec3::ZERO, second }
    }

    /// The moments of a point.
    pub fn of_point(p: DVec3) -> Self {
        Self { weight: 1.0, ..Self::default() }.moved(p)
    }

    /// The moments of the same area moved by `d`, given that its mean was the origin.
    #[inline]
    pub fn moved(&self, d: DVec3) -> Self {
        let [xx, yy, zz, xy, xz, yz] = self.second;
        let first = d * self.weight;
        let second = [
            xx + first.x * d.x,
            yy + first.y * d.y,
            zz + first.z * d.z,
            xy + first.x * d.y,
            xz + first.x * d.z,
            yz + first.y * d.z,
        ];
        Self { weight: self.weight, first, second }
    }

    /// From the integrals of 1, p and ppᵀ, the last as xx, yy, zz, xy, xz, yz.
    #[inline]
    pub fn from_integrals(weight: f64, first: DVec3, second: [f64; 6]) -> Self {
        Self { weight, first, second }
    }

    /// The integrals of 1 and ppᵀ.
    pub fn weight_and_second(&self) -> (f64, [f64; 6]) {
        (self.weight, self.second)
    }

    /// Whether the weight is positive, so that a mean exists.
    pub fn is_positive(&self) -> bool {
        self.weight > 0.0
    }

    /// The centre of mass.
    #[inline]
    pub fn mean(&self) -> DVec3 {
        self.first / self.weight
    }

    /// xx, yy, zz, xy, xz, yz about the centre of mass, per weight.
    #[inline]
    pub fn covariance(&self) -> [f64; 6] {
        let share = 1.0 / self.weight;
        let m = self.first * share;
        let [xx, yy, zz, xy, xz, yz] = self.second;
        [
            xx * share - m.x * m.x,
            yy * share - m.y * m.y,
            zz * share - m.z * m.z,
            xy * share - m.x * m.y,
            xz * share - m.x * m.z,
            yz * share - m.y * m.z,
        ]
    }

    /// The axes of largest and smallest spread, as columns of a rotation, largest first.
    pub fn principal_axes(&self) -> DMat3 {
        let [xx, yy, zz, xy, xz, yz] = self.covariance();
        symmetric_eigenvectors(DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]))
    }

    /// e₂ = σ₁σ₂ + σ₂σ₃ + σ₃σ₁ for the standard deviations σ along the principal axes, a little
    /// less for bulky areas.
    ///
    /// With e₁ = Σσ and e₃ = σ₁σ₂σ₃ the invariants of the covariance are e₁² − 2e₂ (its trace), e₂²
    /// − 2e₁e₃ (the sum of its minors) and e₃² (its determinant). Solving for e₁ and e₂ in turns
    /// rises to the answer, from the one for a flat area.
    #[inline]
    pub fn surface(&self) -> f64 {
        const TURNS: usize = 2;
        let [xx, yy, zz, xy, xz, yz] = self.covariance();
        let trace = xx + yy + zz;
        let (a, b, c) = (yy * zz - yz * yz, zz * xx - xz * xz, xx * yy - xy * xy);
        let minors = (a + b + c).max(0.0);
        let determinant = xx * a - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
        let e3 = determinant.max(0.0).sqrt();
        let mut e2 = minors.sqrt();
        for _ in 0..TURNS {
            let e1 = (trace + 2.0 * e2).max(0.0).sqrt();
            e2 = (minors + 2.0 * e1 * e3).sqrt();
        }
        e2
    }
}

impl AddAssign<&Moments> for Moments {
    #[inline]
    fn add_assign(&mut self, other: &Moments) {
        self.weight += other.weight;
        self.first += other.first;
        for (sum, x) in self.second.iter_mut().zip(other.second) {
            *sum += x;
        }
    }
}

impl Sub for &Moments {
    type Output = Moments;

    #[inline]
    fn sub(self, other: &Moments) -> Moments {
        let mut rest = *self;
        rest.weight -= other.weight;
        rest.first -= other.first;
        for (left, x) in rest.second.iter_mut().zip(other.second) {
            *left -= x;
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles that fill a rectangle with the given half sides, along axes that are turned,
    /// around `center`.
    fn rectangle(half: [f64; 2], axes: &DMat3, center: DVec3) -> [[DVec3; 3]; 2] {
        let vertex = |s: f64, t: f64| center + *axes * DVec3::new(s * half[0], t * half[1], 0.0);
        [
            [vertex(-1.0, -1.0), vertex(1.0, -1.0), vertex(1.0, 1.0)],
            [vertex(-1.0, -1.0), vertex(1.0, 1.0), vertex(-1.0, 1.0)],
        ]
    }

    fn of_triangles(triangles: &[[DVec3; 3]]) -> Moments {
        triangles.iter().fold(Moments::default(), |mut sum, vertices| {
            let center = (vertices[0] + vertices[1] + vertices[2]) / 3.0;
            sum += &Moments::about_centroid(*vertices).moved(center);
            sum
        })
    }

    #[test]
    fn a_rectangle_has_its_mean_axes_and_the_product_of_its_deviations() {
        let axes = symmetric_eigenvectors(DMat3::from_cols_array(&[4.0, 1.0, -2.0, 1.0, 2.0, 0.0, -2.0, 0.0, 3.0]));
        let center = DVec3::new(0.3, -0.2, 0.7);
        let moments = of_triangles(&rectangle([0.5, 0.2], &axes, center));
        assert!((moments.mean() - center).length() < 1e-15);
        let found = moments.principal_axes();
        assert!(found.x_axis.dot(axes.x_axis).abs() > 1.0 - 1e-12);
        assert!(found.z_axis.dot(axes.z_axis).abs() > 1.0 - 1e-12);
        // The deviation of a side of half length h is h/√3.
        assert!((moments.surface() - 0.5 * 0.2 / 3.0).abs() < 1e-8, "{}", moments.surface());
    }

    #[test]
    fn the_surface_of_a_cube_is_that_of_its_deviations() {
        let mut cube = Moments::default();
        for i in 0..8 {
            cube += &Moments::of_point(DVec3::new(f64::from(i % 2), f64::from(i / 2 % 2), f64::from(i / 4)));
        }
        // Standard deviation 1/2 each way.
        assert!((0.73..=0.75).contains(&cube.surface()), "{}", cube.surface());
    }

    #[test]
    fn what_is_subtracted_was_never_added() {
        let rectangles = [0.1, 0.4].map(|x| of_triangles(&rectangle([0.3, 0.1], &DMat3::IDENTITY, DVec3::splat(x))));
        let mut both = rectangles[0];
        both += &rectangles[1];
        let rest = &both - &rectangles[0];
        assert!((rest.mean() - rectangles[1].mean()).length() < 1e-15);
        assert!((rest.surface() - rectangles[1].surface()).abs() < 1e-8);
    }
}
