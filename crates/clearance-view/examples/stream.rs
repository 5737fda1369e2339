//! Shows a running program in the browser: `cargo run -p clearance-view --example stream`.
//!
//! An arm turns over a ball for as many seconds as the first argument says (10), with a new pose 60 times
//! a second; the page shows the clearance. With a second argument no browser is opened.

use clearance_engine::math::DVec3;
use clearance_engine::{Pose, shape::Sphere};
use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
use clearance_view::{Live, Recording, Viewer};
use std::io::Write;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seconds: u64 = std::env::args().nth(1).map_or(Ok(10), |text| text.parse())?;
    let rod = || LinkGeometry::new(Pose::IDENTITY, LinkShape::Box { size: DVec3::new(0.8, 0.05, 0.05) });
    let at = |x: f64| Pose::from_xyz(x, 0.0, 0.0);
    let robot = RobotBuilder::new("arm")
        .link("base", [])
        .link("upper", [rod()])
        .link("lower", [rod()])
        .joint(JointSpec::revolute("shoulder", "base", "upper", DVec3::Z, [-3.0, 3.0]))
        .joint(JointSpec::revolute("elbow", "upper", "lower", DVec3::Z, [-3.0, 3.0]).at(at(0.8)?))
        .build()?;
    let mut checker = Checker::new(robot)?;
    checker.scene_mut().add("ball", Sphere::new(0.15)?, Pose::from_xyz(0.5, 1.0, 0.3)?)?;
    let mut recording = Recording::new("a running program");
    let arm = recording.add_robot(checker.robot(), &checker.base(), None)?;
    let bodies = recording.add_scene(checker.scene())?;
    let ball = bodies[0];
    let live = Live::new(checker, &recording, arm, Some(bodies), 0.05);
    let quiet = std::env::args().nth(2).is_some();
    let viewer = if quiet { Viewer::serve(&recording, Some(live))? } else { Viewer::open(&recording, Some(live))? };
    writeln!(std::io::stdout(), "{}", viewer.address())?;
    let start = Instant::now();
    for step in 0..60 * seconds {
        let t = step as f64 / 60.0;
        viewer.show(arm, &[(0.7 * t).sin(), 1.5 * t.cos()])?;
        viewer.place(ball, &Pose::from_xyz(0.5, 1.0, 0.3 * (0.5 * t).cos())?)?;
        std::thread::sleep(Duration::from_micros(16_667 * (step + 1)).saturating_sub(start.elapsed()));
    }
    Ok(())
}
