//! Triangles that are turned away from a straight motion may be left out: the answers for solids
//! are those of all triangles.

mod support;

use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::DVec3;
use clearance_engine::motion::{ImpactAnswer, ImpactRequest, Motion, TimeOfImpact, time_of_impact};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::Mesh;
use clearance_engine::{Pose, TriMesh};
use support::{Random, cut_cube};

/// A box around the origin whose vertices go out by a factor of their own: seen from its centre it
/// does not cross itself.
fn body(random: &mut Random, bumps: f64) -> TriMesh {
    let cuts = [1, 3, 8][random.below(3)];
    let half = DVec3::new(random.between(0.2, 0.6), random.between(0.2, 0.6), random.between(0.2, 0.6));
    let phase = random.vector() * 3.0;
    cut_cube(cuts, |vertex| {
        let wave = (vertex * 4.0 + phase).to_array().map(f64::sin).iter().product::<f64>();
        vertex * half * (1.0 + bumps * wave)
    })
}

fn solid(tri_mesh: TriMesh) -> Mesh {
    Mesh::new(tri_mesh).unwrap().into_solid().unwrap()
}

type Moving<'m> = (&'m Mesh, &'m Motion);

/// With all triangles, and with front ones only.
fn both_ways([a, b]: [Moving<'_>; 2], distance: f64, workspace: &mut Workspace) -> [ImpactAnswer; 2] {
    [false, true].map(|fronts_only| {
        let request = ImpactRequest { distance, fronts_only, ..ImpactRequest::default() };
        time_of_impact(&Dispatcher::standard(), [(a.0, a.1), (b.0, b.1)], &request, workspace).unwrap()
    })
}

/// Whether two certified answers can be about the same contact, or the same clearance.
fn same([all, fronts]: &[ImpactAnswer; 2]) -> bool {
    match (all.first, fronts.first) {
        (TimeOfImpact::Contact(a), TimeOfImpact::Contact(b)) => a.t_lower <= b.t_upper && b.t_lower <= a.t_upper,
        (TimeOfImpact::Free { .. }, TimeOfImpact::Free { margin }) => margin > 0.0,
        // Within the tolerance either will do.
        (TimeOfImpact::Contact(touch), TimeOfImpact::Free { .. })
        | (TimeOfImpact::Free { .. }, TimeOfImpact::Contact(touch)) => touch.gap > 0.0,
        _ => false,
    }
}

#[test]
fn front_triangles_touch_when_all_do_and_take_fewer_tests() {
    let (mut random, mut workspace) = (Random(71), Workspace::default());
    let (mut steps, mut hits) = ([0, 0], 0);
    for case in 0..3000 {
        let bumps = [0.0, 0.4][random.below(2)];
        let bodies = [solid(body(&mut random, bumps)), solid(body(&mut random, bumps))];
        // Every third pair is turned alike, and slides along faces that are parallel to its way;
        // some touch or overlap from the start.
        let aligned = case % 3 == 0;
        let start = random.pose(1.5);
        let start = if aligned { Pose::from_translation(start.translation()).unwrap() } else { start };
        let along = -start.translation() * random.between(0.5, 2.0) + random.vector() * 0.3;
        let along = if aligned && case % 2 == 0 { DVec3::X * along.x } else { along };
        let own = if case % 4 == 1 { random.vector() } else { DVec3::ZERO };
        let motions = [
            Motion::moving(&Pose::IDENTITY, DVec3::ZERO, own, DVec3::ZERO, 1.0).unwrap(),
            Motion::moving(&start, random.vector(), along, DVec3::ZERO, 1.0).unwrap(),
        ];
        let distance = if case % 5 == 0 { 0.05 } else { 0.0 };
        let moving = [(&bodies[0], &motions[0]), (&bodies[1], &motions[1])];
        let answers = both_ways(moving, distance, &mut workspace);
        assert!(same(&answers), "case {case}: {answers:?}");
        for (sum, answer) in steps.iter_mut().zip(&answers) {
            *sum += answer.steps;
        }
        hits += usize::from(matches!(answers[1].first, TimeOfImpact::Contact(touch) if touch.t_lower > 0.0));
    }
    assert!(hits > 500 && hits < 2500, "{hits}");
    assert!(steps[1] < steps[0], "{steps:?}");
}

#[test]
fn what_turns_or_is_open_or_inside_out_or_stops_early_is_looked_at_whole() {
    let (mut random, mut workspace) = (Random(72), Workspace::default());
    let tri_mesh = body(&mut random, 0.0);
    let inside_out = tri_mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    let inside_out = TriMesh::new(tri_mesh.vertices().to_vec(), inside_out).unwrap();
    let start = Pose::from_translation(DVec3::X * -2.0).unwrap();
    let still = Motion::still(&Pose::IDENTITY);
    let flying =
        |angular: DVec3, seconds: f64| Motion::moving(&start, DVec3::ZERO, DVec3::X * 4.0, angular, seconds).unwrap();
    let [plain, turned] = [solid(tri_mesh.clone()), solid(inside_out)];
    let open: Mesh = Mesh::new(tri_mesh).unwrap();
    let approaching = Motion::moving(&Pose::IDENTITY, DVec3::ZERO, DVec3::X * -1.0, DVec3::ZERO, 0.1).unwrap();
    for (a, b, motion_a, motion_b) in [
        (&plain, &turned, &still, flying(DVec3::ZERO, 1.0)),
        (&turned, &plain, &still, flying(DVec3::ZERO, 1.0)),
        (&open, &plain, &still, flying(DVec3::ZERO, 1.0)),
        (&plain, &plain, &still, flying(DVec3::Y * 3.0, 1.0)),
        (&plain, &plain, &approaching, flying(DVec3::ZERO, 1.0)),
    ] {
        let answers = both_ways([(a, motion_a), (b, &motion_b)], 0.0, &mut workspace);
        assert_eq!(answers[0].first, answers[1].first);
        assert_eq!(answers[0].steps, answers[1].steps);
        assert!(matches!(answers[0].first, TimeOfImpact::Contact(_)));
    }
}
