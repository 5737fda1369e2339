//! Constructive solid geometry: unions, intersections and differences of placed solids.
//!
//! The least of two signed distances is positive exactly outside of the union, the largest outside of
//! the intersection, and neither is steeper than 1. So a tree of operations is an implicit function.
//! Its box is made from those of its parts (S-bounds, Cameron 1991: survey, section 4.1): that of an
//! intersection is in both, that of a difference is the first one's.

use super::{decides_sides, has_distance_field};
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::shape::Implicit;
use crate::tree::{Geometry, IntoGeometry};
use crate::{Error, ErrorKind, Pose, Result};
use std::sync::Arc;

/// A solid made of others by union, intersection and difference: an implicit function for
/// [`DistanceField::implicit`](super::DistanceField::implicit).
///
/// ```
/// use clearance_engine::{Pose, dispatch::Pair, shape::{Cuboid, Cylinder, Sphere}, tree::{Csg, DistanceField}};
/// // A plate with a hole.
/// let plate = Csg::new(Cuboid::new(1.0, 1.0, 0.2)?, Pose::IDENTITY)?;
/// let hole = Csg::new(Cylinder::new(0.3, 1.0)?, Pose::IDENTITY)?;
/// let drilled = DistanceField::implicit(plate.without(hole), 0.04)?;
/// let mut pair = Pair::new(drilled, Sphere::new(0.2)?)?;
/// assert!(!pair.collides(Pose::IDENTITY) && pair.collides(Pose::from_xyz(0.2, 0.0, 0.0)?));
/// let distance = pair.distance(Pose::IDENTITY);
/// assert!(distance.lower <= 0.1 && 0.1 <= distance.upper);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Clone)]
pub struct Csg {
    node: CsgNode,
    /// Around the solid; the low corner is beyond the high one where nothing can be.
    corners: (DVec3, DVec3),
    /// By how much signed distances may be off.
    error: f64,
}

#[derive(Clone)]
enum CsgNode {
    Solid(Arc<dyn Geometry>, Pose),
    Both(Operation, Arc<[CsgNode; 2]>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Operation {
    Union,
    Intersection,
    Difference,
}

impl std::fmt::Debug for Csg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Csg from {} to {}", self.corners.0, self.corners.1)
    }
}

impl Csg {
    /// A solid where a pose has it; an error for geometries that have no inside, or no end.
    pub fn new(solid: impl IntoGeometry, pose: Pose) -> Result<Self> {
        let geometry = solid.into_geometry();
        if has_distance_field(&*geometry) {
            let message = "a distance field is no part of another solid: its distances are not exact";
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let sphere = geometry.sphere();
        let found = geometry.signed_distance(if sphere.radius.is_finite() { sphere.center } else { DVec3::ZERO })?;
        if !decides_sides(&*geometry)? || !sphere.radius.is_finite() {
            let message = format!("a {} is no solid with an end", geometry.kind());
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let center = pose.transform_point(sphere.center);
        let size = center.abs().max_element() + sphere.radius + sphere.center.abs().max_element();
        let error = 1024.0 * UNIT_ROUNDOFF * size + (found.upper - found.lower);
        // The box around the moved box, by the lengths of its sides.
        let (low, high) = geometry.bounding_box();
        let middle = pose.transform_point((low + high) * 0.5);
        let rotation = pose.rotation();
        let [x, y, z] = [rotation.x_axis.abs(), rotation.y_axis.abs(), rotation.z_axis.abs()];
        let half = (high - low) * 0.5;
        let half = x * half.x + y * half.y + z * half.z + 64.0 * UNIT_ROUNDOFF * size;
        Ok(Self { node: CsgNode::Solid(geometry, pose.inverse()), corners: (middle - half, middle + half), error })
    }

    fn with(self, operation: Operation, other: Self) -> Self {
        let ((low, high), (other_low, other_high)) = (self.corners, other.corners);
        let corners = match operation {
            Operation::Union => (low.min(other_low), high.max(other_high)),
            Operation::Intersection => (low.max(other_low), high.min(other_high)),
            Operation::Difference => (low, high),
        };
        let node = CsgNode::Both(operation, Arc::new([self.node, other.node]));
        Self { node, corners, error: self.error.max(other.error) }
    }

    /// What is in either.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.with(Operation::Union, other)
    }

    /// What is in both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.with(Operation::Intersection, other)
    }

    /// What is in this solid, and not inside of the other.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        self.with(Operation::Difference, other)
    }
}

impl CsgNode {
    fn value(&self, point: DVec3) -> f64 {
        match self {
            // A point that has no distance is unknown.
            Self::Solid(geometry, to_solid) => {
                let local = to_solid.transform_point(point);
                geometry.signed_distance(local).map_or(f64::NAN, |found| found.distance)
            }
            Self::Both(operation, parts) => {
                let [a, b] = [parts[0].value(point), parts[1].value(point)];
                match operation {
                    Operation::Union => a.min(b),
                    Operation::Intersection => a.max(b),
                    Operation::Difference => a.max(-b),
                }
            }
        }
    }
}

impl Implicit for Csg {
    fn value(&self, point: DVec3) -> f64 {
        self.node.value(point)
    }

    fn lipschitz(&self) -> f64 {
        1.0
    }

    fn bounding_box(&self) -> (DVec3, DVec3) {
        self.corners
    }

    fn holds_outside(&self) -> bool {
        true
    }

    fn error(&self) -> f64 {
        let (low, high) = self.corners;
        self.error + 1024.0 * UNIT_ROUNDOFF * low.abs().max(high.abs()).max_element()
    }
}
