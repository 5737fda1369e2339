//! The camera in the robot's head, and how the robot looks around.
//!
//! The camera sees the room's true meshes and the robot's own; pixels of the robot itself are left
//! out, as a robot that knows its posture can. Depths are off by up to a few centimetres, as the
//! square of the distance, as those of a stereo camera are.

use super::belief::Belief;
use super::body::{Among, Body};
use super::room::Room;
use crate::Result;
use crate::picture::DepthEye;
use crate::planner::Random;
use clearance_engine::Pose;
use clearance_engine::math::{DMat3, DVec3};
use clearance_engine::tree::voxel_map::Cells;
use clearance_robot::LinkShape;

/// Pixels in a row, rows, and the angle between the left and the right edge.
const IMAGE: (usize, usize, f64) = (140, 140, 1.4);
/// How far the camera measures, in metres.
pub const RANGE: f64 = 3.5;
/// Depths of 1 m are off by at most this much, those of 2 m by four times as much.
const NOISE: f64 = 0.003;
/// Where the camera is in the head: between the two lenses.
const LENS: DVec3 = DVec3::new(0.13, 0.0, 0.114);
/// By how much the camera looks down when the head does not: with the head bent it sees the robot's
/// own feet.
const TILT: f64 = 0.3;
/// Samples of the motion into a posture to look from.
const STEPS: usize = 4;

/// The link that carries the camera.
const HEAD: &str = "head";
/// The joints that looking around moves.
const JOINTS: [&str; 4] = ["torso_yaw", "torso_pitch", "neck_pitch", "neck_yaw"];

/// What the joints are for the images of one look; those of the head alone first, as they need no
/// room.
fn postures() -> Vec<[f64; 4]> {
    let yaws = [-1.3, -0.85, -0.4, 0.0, 0.4, 0.85, 1.3];
    let head = [-0.1, 0.3, 0.7].into_iter().flat_map(|pitch| yaws.map(|yaw| [0.0, 0.0, pitch, yaw]));
    // Bent forward it sees over things, turned what is behind it.
    let bent = [-0.9, -0.45, 0.0, 0.45, 0.9].map(|yaw| [0.0, 0.4, 0.5, yaw]);
    let turned = [-0.6, 0.6, -1.1, 1.1].into_iter().flat_map(|turn: f64| {
        [0.1, 0.65].into_iter().flat_map(move |pitch| [0.6, 1.2].map(|yaw| [turn, 0.0, pitch, yaw * turn.signum()]))
    });
    head.chain(bent).chain(turned).collect()
}

/// The camera's pose in the head.
fn head_from_camera() -> Result<Pose> {
    let down = DMat3::from_rotation_y(TILT);
    Ok(Pose::from_matrix(down * DMat3::from_cols(DVec3::NEG_Y, DVec3::NEG_Z, DVec3::X), LENS)?)
}

/// What came of looking around.
pub struct Look {
    /// How many images were taken.
    pub images: usize,
    /// The configurations that they were taken from, and those on the way there.
    pub postures: Vec<Vec<f64>>,
}

/// Looks around from where the robot stands, all of its numbers given. A posture is taken only
/// where the robot knows that it is free.
pub fn look_around(body: &Body, room: &Room, standing: &[f64], belief: &mut Belief, seed: u64) -> Result<Look> {
    let mut noise = Random(seed);
    belief.begin();
    let mut look = Look { images: 0, postures: Vec::new() };
    let places: Vec<usize> = JOINTS.iter().filter_map(|name| body.place_of(name)).collect();
    for posture in postures() {
        let towards = |part: f64| {
            let mut configuration = standing.to_vec();
            places.iter().zip(posture).for_each(|(&place, value)| configuration[place] = value * part);
            configuration
        };
        let way: Vec<Vec<f64>> = (1..=STEPS).map(|step| towards(step as f64 / STEPS as f64)).collect();
        if may_move(body, belief, standing, &way)? {
            take_image(body, room, &towards(1.0), belief, &mut noise)?;
            look.images += 1;
            look.postures.extend(way);
        }
    }
    belief.conclude()?;
    Ok(look)
}

/// Whether these configurations touch only what is known to be free. Where only the head moves
/// there is nothing to ask: it is above all that is mapped.
fn may_move(body: &Body, belief: &mut Belief, standing: &[f64], way: &[Vec<f64>]) -> Result<bool> {
    let torso = JOINTS[..2].iter().filter_map(|name| body.place_of(name));
    if way.iter().all(|configuration| torso.clone().all(|place| configuration[place] == standing[place])) {
        return Ok(true);
    }
    belief.conclude()?;
    let scene = belief.scene(Cells::NOT_FREE)?;
    let mut among = Among::new(body, &scene)?;
    for configuration in way {
        if !among.is_clear(configuration)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn take_image(body: &Body, room: &Room, configuration: &[f64], belief: &mut Belief, noise: &mut Random) -> Result<()> {
    const ROBOT: u32 = 1;
    let robot = &body.humanoid.robot;
    let poses = body.link_poses(configuration)?;
    let head = robot.link_index(HEAD).map_or(Pose::IDENTITY, |link| poses[link]);
    let world_from_camera = head.then(&head_from_camera()?);
    let (width, height, field_of_view) = IMAGE;
    let mut eye = DepthEye::new(width, height, field_of_view, &world_from_camera);
    room.objects.iter().for_each(|object| eye.see(&object.mesh, &object.pose, 0));
    for (link, pose) in robot.links().iter().zip(&poses) {
        for geometry in link.geometries() {
            if let LinkShape::Mesh(mesh) = &geometry.shape {
                eye.see(mesh, &pose.then(&geometry.origin), ROBOT);
            }
        }
    }
    let depths: Vec<f32> = eye
        .image()
        .map(|seen| match seen {
            Some((ROBOT, _)) => 0.0,
            // Two numbers: small errors are more frequent than large ones.
            Some((_, depth)) => depth * (1.0 + depth * (NOISE * 0.5 * (noise.signed() + noise.signed())) as f32),
            None => f32::INFINITY,
        })
        .collect();
    belief.take(eye.camera(), &depths, &world_from_camera)
}
