//! The hull of one body over all positions of the joints that carry it, in the root's frame.
//!
//! There are two ways. A joint's range may be cut into pieces before spheres are swept: an arc then
//! needs a small sphere, where that around half a turn contains the axis; pieces share their ends,
//! so that no position is left out. But so many spheres have to be merged, and after some joints
//! that loses more than it gains: of a Panda's hand the box is 4.3 m wide, and 2.2 m if each sphere
//! is swept as a whole. Both contain all that is swept.

use super::hulls::Hull;
use super::sweep::{HALF_TURN, Movement, joint_range};
use crate::Robot;

/// The spheres that are kept from joint to joint. Merging takes the cube of eight times this many:
/// 32 take 20 ms for an arm of seven joints.
const MAX_SPHERES: usize = 32;
/// A range is cut into so many pieces.
const PIECES: usize = 8;

impl Hull {
    /// All that this hull of a body, in the body's frame, sweeps while the joints between the root
    /// and the body take all positions within their limits, in the frame of the root: by ranges that
    /// are cut, and by whole ones. The one whose spheres are smaller comes first.
    pub(crate) fn swept_to_root(&self, robot: &Robot, body: usize) -> [Self; 2] {
        let both = [true, false].map(|cut| self.swept(robot, body, cut));
        let size = |hull: &Self| hull.spheres().iter().map(|sphere| sphere.radius.powi(3)).sum::<f64>();
        let [cut, whole] = both;
        if size(&cut) <= size(&whole) { [cut, whole] } else { [whole, cut] }
    }

    fn swept(&self, robot: &Robot, body: usize, cut: bool) -> Self {
        let body_from_links = robot.body_from_links();
        let (mut hull, mut body) = (self.clone(), body);
        while let (Some(joint), Some(parent)) = (robot.bodies()[body].joint(), robot.bodies()[body].parent()) {
            let description = &robot.joints()[joint];
            let parent_from_joint = body_from_links[description.parent()].then(description.origin());
            let (movement, range) = (Movement::of(description.kind()), joint_range(robot, joint));
            let ranges = if cut { pieces(movement, range) } else { vec![range] };
            let swept = ranges.into_iter().flat_map(|range| {
                let sweep = movement.over(range);
                hull.spheres().iter().map(move |sphere| sweep.of(sphere).moved(&parent_from_joint))
            });
            hull = Self::from_spheres(swept.collect()).reduced(MAX_SPHERES);
            body = parent;
        }
        hull
    }
}

/// Ranges that together are all of a joint's.
fn pieces(movement: Movement, [low, high]: [f64; 2]) -> Vec<[f64; 2]> {
    let range = match movement {
        // A whole turn is every position.
        Movement::Turn(_) if high - low >= 2.0 * HALF_TURN => [-HALF_TURN, HALF_TURN],
        Movement::Turn(_) | Movement::Slide(_) if (high - low).is_finite() && high > low => [low, high],
        _ => return vec![[low, high]],
    };
    let end = |i: usize| match i {
        0 => range[0],
        PIECES => range[1],
        i => range[0] + (range[1] - range[0]) * (i as f64 / PIECES as f64),
    };
    (0..PIECES).map(|i| [end(i), end(i + 1)]).collect()
}
