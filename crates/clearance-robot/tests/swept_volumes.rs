//! What a robot sweeps: no point of a link at any time of the motion is missing, and what is far from
//! all of them is not in it.

use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use clearance_engine::tree::voxel_map::Cells;
use clearance_robot::{Checker, JointCurve, JointSpec, LinkGeometry, LinkShape, Robot, RobotBuilder};

fn arm() -> Robot {
    let rod = |length: f64| {
        let pose = Pose::from_xyz(0.5 * length, 0.0, 0.0).unwrap();
        LinkGeometry::new(pose, LinkShape::Box { size: DVec3::new(length, 0.08, 0.06) })
    };
    let ball = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.07 });
    let joint = |name: &str, from: &str, to: &str, x: f64, axis: DVec3| {
        JointSpec::revolute(name, from, to, axis, [-3.0, 3.0]).at(Pose::from_xyz(x, 0.0, 0.0).unwrap())
    };
    RobotBuilder::new("arm")
        .link("base", [])
        .link("upper", [rod(0.5)])
        .link("lower", [rod(0.4)])
        .link("hand", [ball])
        .joint(joint("shoulder", "base", "upper", 0.0, DVec3::Z))
        .joint(joint("elbow", "upper", "lower", 0.5, DVec3::Y))
        .joint(
            JointSpec::prismatic("grip", "lower", "hand", DVec3::X, [0.0, 0.2])
                .at(Pose::from_xyz(0.4, 0.0, 0.0).unwrap()),
        )
        .build()
        .unwrap()
}

/// Holds a volume against configurations.
fn check(checker: &mut Checker, swept: &clearance_engine::motion::SweptVolume, configurations: &[Vec<f64>]) {
    let placements: Vec<_> = configurations
        .iter()
        .map(|configuration| {
            let mut placement = checker.model().placement().unwrap();
            checker.model().place(&mut placement, &Pose::IDENTITY, configuration).unwrap();
            placement
        })
        .collect();
    let mut random = 1_u64;
    let mut unit = || {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    };
    let mut inside = 0;
    for number in 0..20_000 {
        let assembly = placements[number % placements.len()].assembly();
        let parts: Vec<_> = assembly.parts().collect();
        let part = parts[number / placements.len() % parts.len()].number();
        // Points of its box, to be counted where they are inside.
        let (low, high) = assembly.geometry(part).bounding_box();
        let local = (low + high) * 0.5 + (high - low) * 0.5 * DVec3::new(unit(), unit(), unit());
        if assembly.geometry(part).signed_distance(local).unwrap().upper <= 0.0 {
            let point = assembly.pose(part).transform_point(local);
            assert!(swept.contains(point), "{point}");
            inside += 1;
        }
    }
    assert!(inside > 10_000, "{inside}");
    let grid = *swept.map().grid();
    let mut far = 0.0_f64;
    for leaf in swept.map().view(Cells::OBSTACLE).unwrap().leaves().step_by(11) {
        let center = grid.center(leaf.low);
        let from = |placement: &clearance_robot::Placement| {
            let assembly = placement.assembly();
            let distances = assembly.parts().map(|part| {
                let local = assembly.pose(part.number()).inverse().transform_point(center);
                assembly.geometry(part.number()).signed_distance(local).unwrap().lower
            });
            distances.fold(f64::INFINITY, f64::min)
        };
        far = far.max(placements.iter().map(from).fold(f64::INFINITY, f64::min));
    }
    // Configurations are samples, between which the hand gets some millimetres.
    assert!(far <= swept.error() + 0.02, "{far}");
    assert!(far > 0.0);
}

#[test]
fn no_point_that_a_robot_gets_to_is_missing_and_none_is_farther_than_the_error() {
    let mut checker = Checker::new(arm()).unwrap();
    let waypoints = [[-0.5, 0.3, 0.0], [1.0, -0.4, 0.2], [1.5, 0.8, 0.1]];
    let swept = checker.swept_volume(&waypoints, 0.03).unwrap();
    let between = |from: &[f64; 3], to: &[f64; 3], t: f64| -> Vec<f64> {
        from.iter().zip(to).map(|(a, b)| a + (b - a) * t).collect()
    };
    let mut all = Vec::new();
    for ends in waypoints.windows(2) {
        all.extend((0..=100).map(|i| between(&ends[0], &ends[1], f64::from(i) / 100.0)));
    }
    check(&mut checker, &swept, &all);
    let curve = JointCurve::hermite([&waypoints[0], &waypoints[2]], [&[2.0, -1.0, 0.0], &[1.0, 2.0, 0.0]]).unwrap();
    let swept = checker.swept_curve(&curve, 0.03).unwrap();
    let all: Vec<Vec<f64>> = (0..=200).map(|i| curve.at(f64::from(i) / 200.0)).collect();
    check(&mut checker, &swept, &all);
    let rest = checker.swept_volume(&waypoints[..1], 0.03).unwrap();
    check(&mut checker, &rest, &[waypoints[0].to_vec()]);
}

#[test]
fn motions_that_are_none_are_refused() {
    let checker = Checker::new(arm()).unwrap();
    assert!(checker.swept_volume(&[[0.0, f64::NAN, 0.0]], 0.05).is_err());
    assert!(checker.swept_volume(&[[0.0, 0.0]], 0.05).is_err());
    assert!(checker.swept_volume(&[[0.0; 3]], 0.0).is_err());
    let nowhere: [[f64; 3]; 0] = [];
    assert!(checker.swept_volume(&nowhere, 0.05).unwrap().mesh().is_err());
}
