//! A solid ellipsoid.

use super::cone::outer;
use super::convex::{Convex, Directions};
use super::primitive::checked_size;
use crate::math::{DMat3, DVec3, Frame, UNIT_ROUNDOFF};
use crate::{Pose, Result};

/// The maximum number of steps to the nearest point; random points take 3 to 6, needles up to 12.
const MAX_STEPS: usize = 40;

/// A solid ellipsoid with three half-axes.
///
/// ```
/// use clearance_engine::{math::DVec3, shape::{Convex, Ellipsoid}};
/// let egg = Ellipsoid::new(DVec3::new(1.0, 1.0, 2.0))?;
/// assert_eq!(egg.support(DVec3::Z), DVec3::new(0.0, 0.0, 2.0));
/// assert_eq!(egg.nearest(DVec3::new(3.0, 0.0, 0.0)), DVec3::X);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ellipsoid {
    center: DVec3,
    /// Columns of unit length, orthogonal, both up to rounding.
    axes: DMat3,
    /// The half-axes: half the length along each of them.
    half: DVec3,
}

impl Ellipsoid {
    /// Creates an ellipsoid about the origin from its half-axes along x, y and z. A zero extent is
    /// an error.
    pub fn new(half: DVec3) -> Result<Self> {
        for length in half.to_array() {
            checked_size("half axis of an ellipsoid", length)?;
        }
        Ok(Self { center: DVec3::ZERO, axes: DMat3::IDENTITY, half })
    }

    /// The half-axes: half the length along each axis.
    pub fn half(&self) -> DVec3 {
        self.half
    }

    /// The directions of the axes, as columns.
    pub fn axes(&self) -> &DMat3 {
        &self.axes
    }

    /// The ellipsoid after a rigid motion, rounded.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        Self { center: pose.transform_point(self.center), axes: *pose.rotation() * self.axes, half: self.half }
    }

    pub(crate) fn stored(&self, frame: &Frame) -> Self {
        Self { center: frame.store(self.center), half: self.half * frame.scale, ..*self }
    }
}

/// The place on the unit sphere of the ellipsoid's point nearest to `point`; `half` are the
/// half-axes along x, y and z.
///
/// The nearest point is `hᵢ·qᵢ` with `qᵢ = hᵢ·pᵢ/(hᵢ² + t)` and `t ≥ 0` such that `|q| = 1`
/// (Eberly, "Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid", 2013).
/// Newton's method finds the root of `1/|q| − 1`, which is increasing, concave and nearly straight
/// (Moré and Sorensen, "Computing a trust region step", 1983), so that from the left no step goes
/// too far. The result has length 1 or less: the point it stands for is in the ellipsoid.
fn nearest_on_sphere(point: DVec3, half: DVec3) -> DVec3 {
    // As long as one term alone makes q longer than 1, t is too small.
    let mut t = (half * (point.abs() - half)).max_element().max(0.0);
    let mut q = point / half;
    for _ in 0..MAX_STEPS {
        q = point / (half + t / half);
        let squared = q.length_squared();
        let length = squared.sqrt();
        let excess = length - 1.0;
        let slope = (q * q / (half * half + t)).element_sum();
        let next = t + squared * excess / slope;
        // Also where that is not a number.
        if !(excess > 4.0 * UNIT_ROUNDOFF && next > t) {
            break;
        }
        t = next;
    }
    let length = q.length();
    if length > 1.0 { q / length } else { q }
}

impl Convex for Ellipsoid {
    #[inline]
    fn center(&self) -> DVec3 {
        self.center
    }

    #[inline]
    fn bounding_radius(&self) -> f64 {
        self.half.max_element()
    }

    fn inner(&self) -> f64 {
        self.half.min_element()
    }

    #[inline]
    fn support(&self, direction: DVec3) -> DVec3 {
        let stretched = self.half * (self.axes.transpose() * direction);
        // Squares of tiny or huge numbers would lose digits.
        let size = stretched.abs().max_element();
        let on_sphere = (stretched / size).try_normalize().unwrap_or(DVec3::ZERO);
        self.axes * (self.half * on_sphere)
    }

    #[inline]
    fn nearest(&self, offset: DVec3) -> DVec3 {
        let local = self.axes.transpose() * offset;
        if (local / self.half).length_squared() <= 1.0 {
            return offset;
        }
        // In units of the largest half axis, so that squares stay in range.
        let size = self.half.max_element();
        let on_sphere = nearest_on_sphere(local / size, self.half / size);
        if on_sphere.is_finite() { self.axes * (self.half * on_sphere) } else { self.support(offset) }
    }

    fn face_normals(&self, _towards: DVec3) -> Directions {
        Directions::new()
    }

    fn edge_directions(&self, _towards: DVec3) -> Directions {
        Directions::new()
    }

    #[inline]
    fn is_curved(&self) -> bool {
        true
    }

    fn turning(&self, direction: DVec3) -> DMat3 {
        let stretched = self.half * (self.axes.transpose() * direction);
        let height = stretched.length();
        if height == 0.0 {
            return DMat3::ZERO;
        }
        let point = self.axes * (self.half * stretched / height);
        let squared = self.axes * DMat3::from_diagonal(self.half * self.half) * self.axes.transpose();
        (squared - outer(point, point)) * (1.0 / height)
    }
}
