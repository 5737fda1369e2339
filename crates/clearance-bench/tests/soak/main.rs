//! What a long-running robot needs: memory and time stay flat over a million changes, and any order
//! of public calls gives the answers of fresh objects.
//!
//! `CLEARANCE_SOAK_SECONDS=1800 cargo test --release -p clearance-bench --test soak` runs the
//! random calls for half an hour.

mod flat;
mod machine;

use clearance_engine::Pose;
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::shape::{ConvexPolyhedron, Cuboid, Sphere};
use clearance_engine::tree::{Geometry, Mesh, PointCloud, Solid};
use clearance_robot::{
    Attachment, CheckOptions, CollisionModel, JointSpec, LinkGeometry, LinkShape, Robot, RobotBuilder,
};
use std::sync::{Arc, LazyLock};

#[path = "../../../clearance-engine/src/random.rs"]
#[allow(dead_code)]
mod random;
use random::Random;

static DISPATCHER: LazyLock<Dispatcher> = LazyLock::new(Dispatcher::standard);

fn vector(random: &mut Random, size: f64) -> DVec3 {
    DVec3::from([0, 1, 2].map(|_| random.between(-size, size)))
}

fn pose(random: &mut Random, size: f64) -> Pose {
    let turn = DQuat::from_scaled_axis(vector(random, 3.0));
    Pose::new(turn, vector(random, size)).expect("small numbers make a pose")
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).expect("small numbers make a pose")
}

/// One geometry of each kind that has a memory of its own.
fn geometries() -> Vec<Arc<dyn Geometry>> {
    let mut random = Random(1);
    let points: Vec<DVec3> = (0..60).map(|_| vector(&mut random, 0.15)).collect();
    let hull = ConvexPolyhedron::hull_of(&points).unwrap();
    let mesh: Mesh = Mesh::new(hull.surface().unwrap()).unwrap();
    vec![
        Arc::new(Solid::new(Sphere::new(0.1).unwrap())),
        Arc::new(Solid::new(Cuboid::from_half_extents(DVec3::new(0.1, 0.15, 0.05)).unwrap())),
        Arc::new(Solid::new(hull)),
        Arc::new(mesh.into_solid().unwrap()),
        Arc::new(PointCloud::new(points, 0.02).unwrap()),
    ]
}

/// A base with an arm of three limbs, about 0.9 m long.
fn arm() -> Arc<Robot> {
    let limb = || LinkGeometry::new(at(0.15, 0.0, 0.0), LinkShape::Box { size: DVec3::new(0.26, 0.06, 0.06) });
    let mut builder = RobotBuilder::new("arm").link("l0", [limb()]);
    for i in 1..4 {
        let axis = if i % 2 == 0 { DVec3::Z } else { DVec3::Y };
        let joint = JointSpec::revolute(format!("j{i}"), format!("l{}", i - 1), format!("l{i}"), axis, [-2.5, 2.5]);
        builder = builder.link(format!("l{i}"), [limb()]).joint(joint.at(at(0.3, 0.0, 0.0)));
    }
    Arc::new(builder.build().unwrap())
}

/// The arm, with a geometry in its hand where one is given.
fn checker(robot: &Arc<Robot>, held: Option<&Arc<dyn Geometry>>) -> CollisionModel {
    let attached = held.map(|geometry| Attachment {
        name: "held".into(),
        link: "l3".into(),
        geometry: geometry.clone(),
        link_from_object: at(0.4, 0.0, 0.0),
        touch_links: vec!["l2".into()],
    });
    let options = CheckOptions { attached: attached.into_iter().collect(), ..CheckOptions::default() };
    CollisionModel::new(robot.clone(), &options).unwrap()
}
