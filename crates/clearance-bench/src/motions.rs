//! Motions that scenes are run along.

use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::{Pose, Result};

/// Poses of a body that falls along −z through the origin, tumbling as it goes: from `height` above
/// to as far below.
///
/// ```
/// assert_eq!(clearance_bench::motions::falling(1.5, 100)?.len(), 100);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn falling(height: f64, steps: usize) -> Result<Vec<Pose>> {
    (0..steps)
        .map(|i| {
            let t = i as f64 / (steps.max(2) - 1) as f64;
            let rotation =
                DQuat::from_rotation_x(2.5 * t) * DQuat::from_rotation_y(1.1 + 4.0 * t) * DQuat::from_rotation_z(t);
            // Free fall: the height falls with the square of the time.
            let z = height * (1.0 - 2.0 * t * t);
            Pose::new(rotation, DVec3::new(0.25 * (3.0 * t).sin(), 0.15 * (5.0 * t).sin(), z))
        })
        .collect()
}

/// Poses of the second of two bodies that spin beside each other, two units apart, in the first
/// one's frame: PQP's demo.
///
/// ```
/// assert_eq!(clearance_bench::motions::spinning(100)?.len(), 100);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn spinning(steps: usize) -> Result<Vec<Pose>> {
    let turn =
        |x: f64, y: f64, z: f64| DQuat::from_rotation_x(x) * DQuat::from_rotation_y(y) * DQuat::from_rotation_z(z);
    (1..=steps)
        .map(|step| {
            let angle = 0.1 * step as f64;
            let world_from_a = Pose::new(turn(angle, 2.0 * angle, 3.0 * angle), -DVec3::X)?;
            let world_from_b = Pose::new(turn(3.0 * angle, angle, 2.0 * angle), DVec3::X)?;
            Ok(world_from_a.inverse().then(&world_from_b))
        })
        .collect()
}
