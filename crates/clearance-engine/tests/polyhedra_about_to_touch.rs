//! Whether polyhedra with few faces overlap is seen between their centres, without a search: never
//! where a search proves a gap, however small.

mod support;

use clearance_engine::Pose;
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::{DMat3, DQuat, DVec3};
use clearance_engine::query::DistanceRequest;
use clearance_engine::shape::{ConvexPolyhedron, Primitive};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::Solid;
use support::Random;

/// Fat, flat and sharp bodies, some with a vertex that is cut off by a tiny face.
fn body(random: &mut Random) -> Solid {
    let stretch = DVec3::new(1.0, 1.0, [1.0, 0.1, 1e-3][random.below(3)]);
    let count = 4 + random.below(24);
    let mut vertices: Vec<DVec3> = (0..count).map(|_| random.vector() * stretch).collect();
    if random.below(2) == 0 {
        let size = [1e-4, 1e-8, 1e-12][random.below(3)];
        let tip = vertices[0] * 2.0;
        vertices.extend((0..3).map(|_| tip + random.vector() * size));
    }
    Solid::new(ConvexPolyhedron::hull_of(&vertices).unwrap())
}

fn cube() -> Solid {
    let vertex = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5;
    Solid::new(ConvexPolyhedron::hull_of(&(0..8).map(vertex).collect::<Vec<_>>()).unwrap())
}

fn polyhedron(solid: &Solid) -> &ConvexPolyhedron {
    let Primitive::ConvexPolyhedron(polyhedron) = solid.shape() else { panic!("{:?} has no vertices", solid.shape()) };
    polyhedron
}

#[test]
fn overlaps_between_the_centres_are_overlaps() {
    let (mut random, dispatcher, mut workspace) = (Random(91), Dispatcher::standard(), Workspace::default());
    let request = DistanceRequest::default();
    let (mut gaps, mut overlaps) = (0, 0);
    for round in 0..300 {
        let (a, mut b) = (body(&mut random), body(&mut random));
        let (mut from, mut way, mut turn) = (DVec3::ZERO, random.vector().normalize(), random.rotation());
        if round % 2 == 0 {
            // They touch between the centres: a vertex of one and the middle of the other's face.
            let points: Vec<DVec3> = polyhedron(&a).vertices().collect();
            from = points.iter().sum::<DVec3>() / points.len() as f64;
            let nearest = points.iter().map(|&vertex| vertex - from).min_by(|p, q| p.length().total_cmp(&q.length()));
            way = nearest.unwrap().normalize();
            (b, turn) = (cube(), DQuat::from_rotation_arc(DVec3::X, way));
        }
        let (plan, turn) = (dispatcher.plan(&a, &b).unwrap(), DMat3::from_quat(turn));
        let mut colliding = |distance: f64| {
            let pose = Pose::from_matrix(turn, from + way * distance).unwrap();
            let decided = plan.collide(&pose, &mut workspace, None).colliding;
            let measured = plan.distance(&pose, &request, &mut workspace, None).unwrap();
            assert!(!decided || measured.lower == 0.0, "round {round}, {distance:e}: {measured:?}");
            *(if decided { &mut overlaps } else { &mut gaps }) += 1;
            decided
        };
        // Where they come apart, to the last bit, and around it.
        let (mut near, mut far) = (0.0, 10.0);
        while near < 0.5 * (near + far) && 0.5 * (near + far) < far {
            let middle = 0.5 * (near + far);
            *(if colliding(middle) { &mut near } else { &mut far }) = middle;
        }
        for exponent in -15..=-2 {
            let part = 10.0_f64.powi(exponent);
            colliding(near * (1.0 - part));
            colliding(near * (1.0 + part));
        }
    }
    assert!(gaps > 5000 && overlaps > 5000, "{gaps} {overlaps}");
}
