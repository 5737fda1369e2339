//! The room to explore: 6 × 6 m, everything in it at most 1 m high, made of [`crate::solid`]
//! blocks. The robot is not told any of it.

use crate::picture::Color;
use crate::solid::{Solid, cuboid, disc};
use crate::{FLOOR, Object, Result};
use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use std::sync::Arc;

/// Half of the room's length and width, in metres.
pub const HALF: f64 = 3.0;
/// How much of the height is mapped; nothing is higher.
pub const HEIGHT: f64 = 1.0;
/// The inner sides of the walls.
const INSIDE: f64 = 2.95;

const WOOD: Color = [190, 160, 120];
const WALL: Color = [215, 215, 210];
const GROUND: Color = [225, 228, 230];

/// A room with things in it, where the robot starts and where it should go: x, y and yaw.
#[derive(Debug, Clone)]
pub struct Room {
    /// Floor, walls and things, closed meshes.
    pub objects: Vec<Object>,
    /// Where the robot stands first.
    pub start: [f64; 3],
    /// Where it should go.
    pub goal: [f64; 3],
}

impl Room {
    /// A partition between start and goal, open at one end, where a cupboard leaves a passage that
    /// is too narrow for spread arms; behind it a pillar and a low wall that hides the goal.
    ///
    /// ```
    /// let room = clearance_scene::explore::Room::with_passage()?;
    /// assert!(room.objects.iter().any(|object| object.name == "partition"));
    /// # Ok::<(), clearance_scene::Error>(())
    /// ```
    pub fn with_passage() -> Result<Self> {
        Self::new(0.85)
    }

    /// The same with a partition from wall to wall: there is no way to the goal.
    pub fn divided() -> Result<Self> {
        Self::new(2.05)
    }

    /// `end` is where the partition ends.
    fn new(end: f64) -> Result<Self> {
        let at = DVec3::new;
        let blocks = [
            (FLOOR, block(at(-3.2, -3.2, -0.1), at(3.2, 3.2, 0.0), GROUND)),
            ("back wall", block(at(INSIDE, -3.05, 0.0), at(3.05, 3.05, HEIGHT), WALL)),
            ("front wall", block(at(-3.05, -3.05, 0.0), at(-INSIDE, 3.05, HEIGHT), WALL)),
            ("left wall", block(at(-INSIDE, INSIDE, 0.0), at(INSIDE, 3.05, HEIGHT), WALL)),
            ("right wall", block(at(-INSIDE, -3.05, 0.0), at(INSIDE, -INSIDE, HEIGHT), WALL)),
            ("partition", block(at(-0.55, -2.95, 0.0), at(-0.45, end, 0.90), WOOD)),
            ("cupboard", block(at(-0.95, 2.05, 0.0), at(0.15, INSIDE, 0.95), WOOD)),
            ("low wall", block(at(0.85, -0.55, 0.0), at(INSIDE, -0.45, 0.70), WOOD)),
            ("pillar", disc(0.25, 0.0, HEIGHT, 0.02, 24).moved(1.7, 1.3, 0.0).painted(WALL)),
        ];
        let object = |(name, solid): (&str, Solid)| {
            let (mesh, colors) = solid.into_parts()?;
            Ok(Object { name: name.to_owned(), mesh: Arc::new(mesh), pose: Pose::IDENTITY, colors: Arc::new(colors) })
        };
        let objects = blocks.into_iter().map(object).collect::<Result<_>>()?;
        Ok(Self { objects, start: [-1.9, -1.9, 0.7], goal: [2.0, -1.9, -0.6] })
    }
}

/// A box between two vertices.
fn block(low: DVec3, high: DVec3, color: Color) -> Solid {
    let middle = (low + high) * 0.5;
    cuboid(high - low).moved(middle.x, middle.y, middle.z).painted(color)
}
