//! Robots made in code, their parts, and random configurations.

use crate::random::Random;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::shape::{Capsule, Cuboid, Cylinder, Primitive, Sphere};
use clearance_engine::tree::{Geometry, Mesh, Solid};
use clearance_engine::{Pose, TriMesh};
use clearance_robot::{BodyPart, JointSpec, LinkGeometry, LinkShape, Robot, RobotBuilder};
use std::f64::consts::PI;
use std::sync::Arc;

pub fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

pub fn sphere(place: Pose, radius: f64) -> LinkGeometry {
    LinkGeometry::new(place, LinkShape::Sphere { radius })
}

/// The engine's geometry for each geometry of a link.
pub fn geometry(shape: &LinkShape) -> Arc<dyn Geometry> {
    let solid = |shape: Primitive| Arc::new(Solid::new(shape));
    match shape {
        LinkShape::Mesh(mesh) => Arc::new(Mesh::new(mesh.clone()).unwrap() as Mesh),
        LinkShape::Box { size } => solid(Cuboid::from_half_extents(*size * 0.5).unwrap().into()),
        LinkShape::Sphere { radius } => solid(Sphere::new(*radius).unwrap().into()),
        LinkShape::Cylinder { radius, length } => {
            solid(Cylinder::from_half_length(*radius, 0.5 * length).unwrap().into())
        }
        LinkShape::Capsule { radius, length } => {
            solid(Capsule::from_half_length(*radius, 0.5 * length).unwrap().into())
        }
        other => panic!("{other:?}"),
    }
}

/// The parts of all bodies, in the order of links and their geometries.
pub fn parts(robot: &Robot) -> Vec<Vec<BodyPart>> {
    let body_from_links = robot.body_from_links();
    let parts = robot.bodies().iter().map(|body| {
        let placed = body.links().iter().flat_map(|&link| {
            let body_from_link = body_from_links[link];
            let geometries = robot.links()[link].geometries().iter();
            geometries.map(move |g| BodyPart::new(geometry(&g.shape), body_from_link.then(&g.origin)))
        });
        placed.collect()
    });
    parts.collect()
}

/// Points of a geometry: vertices of a mesh, the ends of a solid along its axes.
pub fn points(shape: &LinkShape) -> Vec<DVec3> {
    let signs = |half: DVec3| {
        let vertex = move |i: i32| DVec3::from_array([1, 2, 4].map(|bit| if i & bit == 0 { -1.0 } else { 1.0 })) * half;
        (0..8).map(vertex).collect::<Vec<_>>()
    };
    let ends = |x: f64, z: f64| vec![DVec3::X * x, DVec3::NEG_X * x, DVec3::Y * x, DVec3::Z * z, DVec3::NEG_Z * z];
    match shape {
        LinkShape::Mesh(mesh) => mesh.vertices().to_vec(),
        LinkShape::Box { size } => signs(*size * 0.5),
        LinkShape::Sphere { radius } => ends(*radius, *radius),
        LinkShape::Capsule { radius, length } => ends(*radius, 0.5 * length + radius),
        LinkShape::Cylinder { radius, length } => {
            let rim = |z: f64| (0..8).map(move |i| (f64::from(i) * PI / 4.0, z));
            let on = |(angle, z): (f64, f64)| DVec3::new(radius * angle.cos(), radius * angle.sin(), z);
            rim(0.5 * length).chain(rim(-0.5 * length)).map(on).collect()
        }
        other => panic!("{other:?}"),
    }
}

/// Uniform within the limits, each variable at a limit now and then; without limits anywhere in
/// three turns (or ten metres).
pub fn random_configuration(robot: &Robot, random: &mut Random) -> Vec<f64> {
    let value = |variable: &clearance_robot::Variable| match variable.limits {
        Some(limits) => match random.below(10) {
            0 => limits.lower,
            1 => limits.upper,
            _ => random.between(limits.lower, limits.upper),
        },
        None if variable.name.contains(".q") => variable.default,
        None => random.between(-3.0 * PI, 3.0 * PI),
    };
    robot.variables().iter().map(value).collect()
}

/// A mesh: two tetrahedra joined at an edge, `length` long.
pub fn wedge(length: f64) -> LinkShape {
    let vertices =
        [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.08, 0.0], [0.03, 0.03, length], [0.05, 0.02, 0.5 * length]];
    let faces = vec![[0, 1, 2], [0, 1, 3], [1, 2, 3], [2, 0, 3], [1, 2, 4]];
    LinkShape::Mesh(Arc::new(TriMesh::new(vertices.map(DVec3::from_array).to_vec(), faces).unwrap()))
}

/// A tree with joints of every bounded kind, fixed links, followers with several rules, and a link
/// without geometry.
pub fn many_joints() -> Robot {
    let turned =
        Pose::new(DQuat::from_rotation_x(0.7) * DQuat::from_rotation_z(-0.4), DVec3::new(0.1, -0.2, 0.5)).unwrap();
    let capsule = || LinkGeometry::new(at(0.0, 0.0, 0.3), LinkShape::Capsule { radius: 0.05, length: 0.5 });
    let plate = || LinkGeometry::new(turned, LinkShape::Box { size: DVec3::new(0.2, 0.1, 0.02) });
    let rod = || LinkGeometry::new(at(0.0, 0.1, 0.0), LinkShape::Cylinder { radius: 0.03, length: 0.4 });
    RobotBuilder::new("many")
        .link("base", [plate(), sphere(at(0.0, 0.0, -0.2), 0.1)])
        .link("shoulder", [])
        .link("upper", [capsule(), LinkGeometry::new(turned, wedge(0.6))])
        .link("bracket", [rod()])
        .link("lift", [LinkGeometry::new(Pose::IDENTITY, wedge(0.3))])
        .link("wheel", [sphere(at(0.2, 0.0, 0.0), 0.1), rod()])
        .link("left", [plate()])
        .link("right", [plate()])
        .link("spinner", [capsule()])
        .link("cover", [rod()])
        .joint(JointSpec::revolute("pan", "base", "shoulder", DVec3::Z, [-2.5, 2.5]).at(at(0.0, 0.0, 0.3)))
        .joint(JointSpec::revolute("tilt", "shoulder", "upper", DVec3::new(1.0, 2.0, 0.5), [-0.4, 1.2]).at(turned))
        .joint(JointSpec::fixed("mount", "upper", "bracket").at(at(0.0, 0.0, 0.6)))
        .joint(JointSpec::prismatic("slide", "bracket", "lift", DVec3::new(0.0, 1.0, 1.0), [-0.1, 0.4]).at(turned))
        .joint(JointSpec::continuous("roll", "lift", "wheel", DVec3::Y).at(at(0.2, 0.1, 0.1)))
        .joint(JointSpec::prismatic("open", "lift", "left", DVec3::X, [0.0, 0.08]).at(at(0.3, 0.0, 0.0)))
        .joint(
            JointSpec::prismatic("close", "lift", "right", DVec3::X, [0.0, 1.0])
                .at(at(-0.3, 0.0, 0.0))
                .mimic("open", -1.5, 0.1),
        )
        .joint(
            JointSpec::revolute("geared", "base", "spinner", DVec3::X, [-1.0, 1.0]).at(turned).mimic("roll", 0.5, 0.2),
        )
        .joint(
            JointSpec::revolute("lid", "spinner", "cover", DVec3::Z, [-1.0, 1.0])
                .at(at(0.0, 0.0, 0.4))
                .mimic("tilt", 2.0, -0.3),
        )
        .build()
        .unwrap()
}

/// Two arms of a plane, `count` links each, whose joints are parallel or not.
pub fn two_arms(count: usize, twisted: bool) -> Robot {
    let mut builder = RobotBuilder::new(if twisted { "twisted arms" } else { "flat arms" });
    builder = builder.link("base", [sphere(Pose::IDENTITY, 0.15)]);
    for side in ["left", "right"] {
        let sign = if side == "left" { 1.0 } else { -1.0 };
        let mut parent = "base".to_owned();
        for i in 0..count {
            let child = format!("{side} {i}");
            let shape = LinkShape::Capsule { radius: 0.06, length: 0.25 };
            builder = builder.link(child.clone(), [LinkGeometry::new(at(0.0, 0.0, 0.2), shape)]);
            let axis = if twisted && i % 2 == 1 { DVec3::Z } else { DVec3::X };
            let place = if i == 0 { at(0.0, 0.3 * sign, 0.0) } else { at(0.0, 0.0, 0.4) };
            builder = builder.joint(
                JointSpec::revolute(format!("{side} joint {i}"), parent, child.clone(), axis, [-1.0, 1.2]).at(place),
            );
            parent = child;
        }
    }
    builder.build().unwrap()
}

/// A base that drives in a plane, a floating camera, and an arm.
pub fn mobile() -> Robot {
    RobotBuilder::new("mobile")
        .link("world", [sphere(Pose::IDENTITY, 0.1)])
        .link("base", [sphere(Pose::IDENTITY, 0.2)])
        .link("arm", [sphere(at(0.0, 0.0, 0.5), 0.1)])
        .link("hand", [sphere(at(0.0, 0.0, 0.5), 0.1)])
        .link("camera", [sphere(Pose::IDENTITY, 0.1)])
        .joint(JointSpec::planar("drive", "world", "base", DVec3::Z))
        .joint(JointSpec::revolute("turn", "base", "arm", DVec3::X, [-0.2, 0.2]).at(at(0.0, 0.0, 0.4)))
        .joint(JointSpec::revolute("bend", "arm", "hand", DVec3::X, [-0.2, 0.2]).at(at(0.0, 0.0, 0.5)))
        .joint(JointSpec::floating("fly", "base", "camera"))
        .build()
        .unwrap()
}

/// Robots with every kind of joint between them.
pub fn made_robots() -> Vec<Robot> {
    vec![many_joints(), two_arms(3, false), two_arms(4, true), mobile()]
}

/// All pairs of bodies with geometry that are checked.
pub fn checked_pairs(robot: &Robot) -> Vec<[usize; 2]> {
    let pairs = robot.checked_link_pairs(&clearance_robot::DisabledPairs::default());
    let mut bodies: Vec<[usize; 2]> = pairs.iter().map(|pair| pair.map(|link| robot.body_of(link))).collect();
    bodies.iter_mut().for_each(|pair| pair.sort_unstable());
    bodies.sort_unstable();
    bodies.dedup();
    bodies
}

/// The distance of two bodies in the world, whatever the search does.
pub struct Referee {
    dispatcher: clearance_engine::dispatch::Dispatcher,
    workspace: clearance_engine::traversal::Workspace,
}

impl Referee {
    pub fn new() -> Self {
        Self {
            dispatcher: clearance_engine::dispatch::Dispatcher::standard(),
            workspace: clearance_engine::traversal::Workspace::default(),
        }
    }

    /// The distance, if it is below `max_d`.
    pub fn distance(&mut self, a: (&[BodyPart], &Pose), b: (&[BodyPart], &Pose), max_d: f64) -> Option<f64> {
        let mut best = max_d;
        for one in a.0 {
            for other in b.0 {
                let (pose_a, pose_b) = (a.1.then(&one.body_from_part), b.1.then(&other.body_from_part));
                if one.geometry.sphere().moved(&pose_a).gap(&other.geometry.sphere().moved(&pose_b)) >= best {
                    continue;
                }
                let plan = self.dispatcher.plan(&*one.geometry, &*other.geometry).unwrap();
                let request = clearance_engine::query::DistanceRequest { max_d: best, ..Default::default() };
                let answer =
                    plan.distance(&pose_a.inverse().then(&pose_b), &request, &mut self.workspace, None).unwrap();
                best = best.min(answer.upper);
            }
        }
        (best < max_d).then_some(best)
    }
}
