//! The recorded motion: the humanoid drives up to the counter, reaches for a cup and for a bowl,
//! reaches up to the shelf, and drives back. Key postures with smooth passages between them,
//! sampled at [`RATE`].

/// Configurations per second.
pub const RATE: f64 = 20.0;

/// The numbers of a configuration.
const JOINTS: usize = 23;

/// A posture and the seconds that the passage to it takes; numbers are in the order of the robot's
/// variables.
struct Key {
    seconds: f64,
    /// x, y, yaw.
    base: [f64; 3],
    /// Yaw, pitch, roll.
    torso: [f64; 3],
    /// Pitch, roll, yaw.
    head: [f64; 3],
    left: [f64; 7],
    right: [f64; 7],
}

/// The arms while it drives.
const CARRIED: [f64; 7] = [0.10, 0.20, 0.00, 1.20, 0.00, 0.00, 0.00];
/// The hands lifted before the chest, higher than the counter.
const LIFTED: [f64; 7] = [0.40, 0.30, 0.10, 1.90, -0.10, -0.30, 0.00];

const KEYS: [Key; 9] = [
    Key {
        seconds: 0.0,
        base: [-1.00, -1.25, 0.60],
        torso: [0.0; 3],
        head: [0.0, 0.0, 0.3],
        left: CARRIED,
        right: CARRIED,
    },
    Key {
        seconds: 3.5,
        base: [0.20, -0.45, 0.0],
        torso: [0.0; 3],
        head: [0.2, 0.0, 0.0],
        left: CARRIED,
        right: CARRIED,
    },
    Key {
        seconds: 2.0,
        base: [0.36, -0.40, 0.0],
        torso: [0.0, 0.1, 0.0],
        head: [0.35, 0.0, -0.3],
        left: LIFTED,
        right: LIFTED,
    },
    // The right hand comes to the cup, the left one over the edge of the sink.
    Key {
        seconds: 2.5,
        base: [0.52, -0.40, 0.0],
        torso: [0.0, 0.2, 0.0],
        head: [0.45, 0.0, -0.45],
        left: [0.56, 0.35, 0.24, 1.72, -0.44, -0.49, 0.0],
        right: [0.54, 0.09, 0.13, 1.67, -0.14, -0.51, 0.0],
    },
    // It leans to the cup.
    Key {
        seconds: 1.5,
        base: [0.53, -0.40, 0.0],
        torso: [0.02, 0.21, 0.0],
        head: [0.50, 0.1, -0.50],
        left: [0.56, 0.35, 0.24, 1.72, -0.44, -0.49, 0.0],
        right: [0.54, 0.09, 0.13, 1.67, -0.14, -0.51, 0.05],
    },
    // The left hand comes to the bowl, the right one draws back.
    Key {
        seconds: 2.5,
        base: [0.52, -0.40, 0.0],
        torso: [-0.17, 0.28, 0.0],
        head: [0.45, -0.1, 0.15],
        left: [0.41, -0.07, -0.12, 1.90, 0.15, -0.37, 0.5],
        right: LIFTED,
    },
    // The left hand reaches up to the shelf.
    Key {
        seconds: 3.0,
        base: [0.53, -0.40, 0.0],
        torso: [-0.1, 0.15, 0.05],
        head: [-0.25, 0.0, 0.0],
        left: [2.00, 0.10, 0.50, 0.70, -0.60, -0.30, 0.0],
        right: LIFTED,
    },
    Key {
        seconds: 2.5,
        base: [0.25, -0.45, 0.0],
        torso: [0.0, 0.05, 0.0],
        head: [0.1, 0.0, 0.0],
        left: LIFTED,
        right: LIFTED,
    },
    Key {
        seconds: 2.5,
        base: [0.05, -0.55, 1.6],
        torso: [0.2, 0.0, 0.0],
        head: [0.2, 0.0, 0.6],
        left: CARRIED,
        right: CARRIED,
    },
];

/// The configurations of the [humanoid](crate::humanoid) along its motion at the counter, [`RATE`]
/// per second.
///
/// All lie within the joints' limits, no two links that are not neighbours collide, and nothing in
/// the kitchen is touched (`tests/scene/motion.rs` checks that and says how near it comes).
///
/// ```
/// let humanoid = clearance_scene::humanoid()?;
/// let motion = clearance_scene::motion();
/// let mut poses = Vec::new();
/// humanoid.robot.link_poses(&clearance_engine::Pose::IDENTITY, &motion[200], &mut poses)?;
/// assert_eq!(poses.len(), 24);
/// # Ok::<(), clearance_scene::Error>(())
/// ```
pub fn motion() -> Vec<[f64; JOINTS]> {
    let mut configurations = vec![KEYS[0].configuration()];
    for pair in KEYS.windows(2) {
        let (from, to) = (pair[0].configuration(), pair[1].configuration());
        let steps = (pair[1].seconds * RATE) as usize;
        configurations.extend((1..=steps).map(|step| {
            let part = smooth(step as f64 / steps as f64);
            std::array::from_fn(|joint| from[joint] + (to[joint] - from[joint]) * part)
        }));
    }
    configurations
}

impl Key {
    fn configuration(&self) -> [f64; JOINTS] {
        let mut numbers = [0.0; JOINTS];
        let parts = [&self.base[..], &self.torso, &self.head, &self.left, &self.right];
        numbers.iter_mut().zip(parts.into_iter().flatten()).for_each(|(number, &value)| *number = value);
        numbers
    }
}

/// The passage of least jerk from 0 to 1 that rests at both ends (Flash and Hogan, 1985).
fn smooth(t: f64) -> f64 {
    t * t * t * (10.0 + t * (6.0 * t - 15.0))
}
