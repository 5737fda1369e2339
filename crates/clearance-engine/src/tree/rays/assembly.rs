//! A ray against the parts of an assembly: each in its own frame, all with one goal.

use super::boxes::{FramedRay, visit};
use crate::Result;
use crate::math::{DVec3, Frame};
use crate::shape::{Ray, RayGoal};
use crate::tree::{Assembly, Tree};

/// The frame of the parts' boxes, which are stored as they are.
const COMMON: Frame = Frame { center: DVec3::ZERO, scale: 1.0 };

/// Offers the hits of a ray with all parts. The ray is rounded once for each part, into its frame.
pub(in crate::tree) fn cast_at_assembly(assembly: &Assembly, ray: &Ray, goal: &mut RayGoal) -> Result<()> {
    if assembly.is_empty() {
        return Ok(());
    }
    let framed = FramedRay::new(ray, &COMMON);
    let mut result = Ok(());
    visit(
        goal,
        assembly.root(),
        |node| assembly.is_leaf(node),
        |node, max_t, met| {
            for &child in assembly.children_of(node) {
                let (low, high) = assembly.bounds_of(child);
                met.extend(framed.enters(low, high, max_t).map(|near| (near, child)));
            }
        },
        |node, goal| {
            if let Some(part) = assembly.part_of(node) {
                let pose = assembly.pose(part);
                let local = ray.transformed(&pose.inverse());
                let cast = goal.in_part(part, pose, ray, |goal| assembly.geometry(part).cast_ray(&local, goal));
                if let Err(error) = cast {
                    result = Err(error);
                }
            }
        },
    );
    result
}
