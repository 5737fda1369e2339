//! Many poses in one call: the answers of single queries, in order, whatever the number of threads.

mod support;

use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::DVec3;
use clearance_engine::query::DistanceRequest;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::Mesh;
use clearance_engine::{Pose, Result};
use support::Random;

fn poses(random: &mut Random, count: usize) -> Vec<Pose> {
    (0..count).map(|i| random.pose(0.5 + 3.0 * i as f64 / count as f64)).collect()
}

#[test]
fn a_batch_gives_the_answers_of_single_queries_in_order_on_any_number_of_threads() -> Result<()> {
    let mut random = Random(41);
    let (a, b): (Mesh, Mesh) =
        (Mesh::new(random.tri_mesh(120, 1.0, DVec3::ZERO))?, Mesh::new(random.tri_mesh(90, 1.0, DVec3::ZERO))?);
    let dispatcher = Dispatcher::standard();
    let plan = dispatcher.plan(&a, &b)?;
    // More than one run of poses, the last one incomplete.
    let (poses, request) = (poses(&mut random, 301), DistanceRequest::default());
    let one = plan.distances(&poses, &request, 1)?;
    let hits = plan.collisions(&poses, 1)?;
    assert!(hits.iter().any(|hit| hit.colliding) && hits.iter().any(|hit| !hit.colliding));
    let mut workspace = Workspace::default();
    for ((pose, batch), hit) in poses.iter().zip(&one).zip(&hits) {
        let single = plan.distance(pose, &request, &mut workspace, None)?;
        let slack = 1e-12 * single.upper;
        assert!((batch.upper - single.upper).abs() <= slack, "{} {}", batch.upper, single.upper);
        assert_eq!(hit.colliding, plan.collide(pose, &mut workspace, None).colliding);
        assert_eq!(hit.colliding, batch.upper == 0.0);
    }
    for threads in [0, 2, 3, 7] {
        assert_eq!(plan.distances(&poses, &request, threads)?, one);
        assert_eq!(plan.collisions(&poses, threads)?, hits);
    }
    assert!(plan.distances(&[], &request, 2)?.is_empty());
    Ok(())
}

#[test]
fn a_bad_request_is_refused_before_any_pose_is_looked_at() -> Result<()> {
    let mut random = Random(42);
    let (a, b): (Mesh, Mesh) =
        (Mesh::new(random.tri_mesh(3, 1.0, DVec3::ZERO))?, Mesh::new(random.tri_mesh(3, 1.0, DVec3::ZERO))?);
    let dispatcher = Dispatcher::standard();
    let request = DistanceRequest { rel_err: 2.0, ..DistanceRequest::default() };
    assert!(dispatcher.plan(&a, &b)?.distances(&[], &request, 1).is_err());
    Ok(())
}
