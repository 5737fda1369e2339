//! The boxes and cylinders of a MotionBenchMaker problem.

use super::Room;
use crate::{Error, Result};
use clearance_engine::Pose;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::shape::{Cuboid, Cylinder};
use clearance_engine::tree::{Geometry, Solid};
use clearance_robot::{LinkGeometry, LinkShape};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// Below `CLEARANCE_DATA`.
pub(super) const FILE: &str = "ref/panda/mbm.json";

/// The kind of problem with the most objects.
const PROBLEM: &str = "bookshelf_thin";

pub(super) fn room(path: &Path) -> Result<Room> {
    let wrong = || Error::other(format!("{}: not the problems that were expected", path.display()));
    let file: Value = serde_json::from_slice(&std::fs::read(path)?).map_err(|_| wrong())?;
    let problems = file["problems"].as_array().ok_or_else(wrong)?;
    let problem = problems.iter().find(|problem| problem["scene"] == PROBLEM).ok_or_else(wrong)?;
    let mut room = Room::default();
    for object in problem["objects"].as_array().ok_or_else(wrong)? {
        let numbers = |key: &str| Some(object[key].as_array()?.iter().filter_map(Value::as_f64).collect::<Vec<f64>>());
        let (Some(size), Some(pose)) = (numbers("dims"), numbers("pose")) else { return Err(wrong()) };
        let &[x, y, z, qx, qy, qz, qw] = &pose[..] else { return Err(wrong()) };
        let pose = Pose::new(DQuat::from_xyzw(qx, qy, qz, qw), DVec3::new(x, y, z))?;
        let (shape, geometry): (LinkShape, Arc<dyn Geometry>) = match (object["type"].as_str(), &size[..]) {
            (Some("box"), &[x, y, z]) => {
                let size = DVec3::new(x, y, z);
                (LinkShape::Box { size }, Arc::new(Solid::new(Cuboid::from_half_extents(size * 0.5)?)))
            }
            (Some("cylinder"), &[length, radius]) => (
                LinkShape::Cylinder { radius, length },
                Arc::new(Solid::new(Cylinder::from_half_length(radius, 0.5 * length)?)),
            ),
            _ => return Err(wrong()),
        };
        room.add(LinkGeometry::new(pose, shape), geometry)?;
    }
    Ok(room)
}
