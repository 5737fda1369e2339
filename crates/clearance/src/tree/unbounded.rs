//! A half-space or a plane as a geometry: a tree of one leaf, without bounds.

use super::{Geometry, Node, Tree, next_revision, one_leaf};
use crate::math::DVec3;
use crate::shape::Flat;
use crate::volume::BoundingBall;

/// A half-space or a plane that can be asked about: a floor, a wall, a safety plane.
///
/// Its bounding ball is infinite, and so is its bounding box, except along a normal that is an axis of its coordinates.
/// Two whose normals agree up to 32 roundings count as parallel, though they may meet 10¹⁴ units away: a plane that was turned has a
/// rounded normal.
///
/// ```
/// use clearance::{Pose, bank::Bank, descent::Workspace, math::DVec3, query::DistanceRequest};
/// use clearance::{shape::{Ball, HalfSpace}, tree::{Solid, Unbounded}};
/// let (floor, ball) = (Unbounded::new(HalfSpace::new(DVec3::Z, 0.0)?), Solid::new(Ball::new(0.2)?));
/// let bank = Bank::standard();
/// let plan = bank.plan(&floor, &ball)?;
/// let above = Pose::from_translation(DVec3::new(3.0, 4.0, 0.5))?;
/// let answer = plan.distance(&above, &DistanceRequest::default(), &mut Workspace::default(), None)?;
/// assert!(answer.lower <= 0.3 && 0.3 <= answer.upper && answer.upper - answer.lower < 1e-12);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Unbounded {
    shape: Flat,
    revision: u64,
}

impl Unbounded {
    /// The geometry of a [`HalfSpace`](crate::shape::HalfSpace) or [`Plane`](crate::shape::Plane).
    pub fn new(shape: impl Into<Flat>) -> Self {
        Self { shape: shape.into(), revision: next_revision() }
    }

    /// What it is.
    pub fn shape(&self) -> &Flat {
        &self.shape
    }
}

one_leaf!(Unbounded);

impl Geometry for Unbounded {
    fn kind(&self) -> &'static str {
        self.shape.name()
    }

    fn revision(&self) -> u64 {
        self.revision
    }

    fn ball(&self) -> BoundingBall {
        BoundingBall { center: DVec3::ZERO, radius: f64::INFINITY }
    }

    fn bounding_box(&self) -> (DVec3, DVec3) {
        let (mut low, mut high) = (DVec3::NEG_INFINITY, DVec3::INFINITY);
        let (normal, offset) = (self.shape.plane().normal(), self.shape.plane().offset());
        for axis in 0..3 {
            // Not along a normal that is nearly an axis: far away such a plane is somewhere else.
            if normal[axis].abs() == 1.0 && (0..3).all(|other| other == axis || normal[other] == 0.0) {
                let end = offset * normal[axis];
                let upward = normal[axis] > 0.0;
                if upward || !self.shape.is_solid() {
                    high[axis] = end;
                }
                if !upward || !self.shape.is_solid() {
                    low[axis] = end;
                }
            }
        }
        (low, high)
    }
}
