//! Real robots against the answers of another library (pinocchio): poses of every geometry, joints,
//! limits, pairs.
//!
//! The data folder is `CLEARANCE_DATA`, or `../shared/data` beside the workspace; without it these
//! tests only say so.

mod robots;

use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use clearance_robot::{DisabledPairs, LinkShape, Srdf};
use ndarray::{Array2, Array3};
use robots::{Reference, array, configuration, data_folder, pose, references, srdf_beside, text};
use serde_json::Value;
use std::collections::HashSet;

/// The largest difference of two entries.
fn difference(a: &Pose, b: &Pose) -> f64 {
    let turn = (*a.rotation() - *b.rotation()).to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    turn.max((a.translation() - b.translation()).abs().max_element())
}

#[test]
fn every_geometry_is_where_the_reference_has_it() {
    let Some(data) = data_folder("robots") else { return };
    for reference in references(&data) {
        let q: Array2<f64> = ndarray_npy::read_npy(reference.folder.join("q.npy")).unwrap();
        let expected: Array3<f64> = ndarray_npy::read_npy(reference.folder.join("geom_pose.npy")).unwrap();
        let robot = &reference.robot;
        let (mut poses, mut worst) = (Vec::new(), 0.0_f64);
        for (i, row) in q.rows().into_iter().enumerate() {
            let q = configuration(&reference, &row.to_vec());
            robot.link_poses(&Pose::IDENTITY, &q, &mut poses).unwrap();
            for (k, &(link, number)) in reference.geometries.iter().enumerate() {
                let found = poses[link].then(&robot.links()[link].geometries()[number].origin);
                let expected = pose((0..7).map(|c| expected[[i, k, c]]));
                worst = worst.max(difference(&found, &expected));
            }
        }
        eprintln!("{}: {} configurations, off by {worst:.1e} at most", robot.name(), q.nrows());
        assert!(worst < 1e-9, "{}: {worst:e}", robot.name());
    }
}

#[test]
fn joints_limits_and_mimic_rules_are_those_of_the_reference() {
    let Some(data) = data_folder("robots") else { return };
    for Reference { model, robot, .. } in references(&data) {
        let joints = array(&model, "joints");
        assert_eq!(joints.len(), robot.joints().iter().filter(|joint| joint.is_moving()).count());
        for expected in joints {
            let joint = &robot.joints()[robot.joint_index(text(expected, "name")).unwrap()];
            assert_eq!(joint.kind().name(), text(expected, "type"));
            if let Some(limits) = joint.kind().limits() {
                let expected = [&expected["lower"], &expected["upper"]].map(|limit| limit.as_f64().unwrap());
                assert_eq!([limits.lower, limits.upper], expected, "{}", joint.name());
            }
            let rule = joint
                .mimic()
                .map(|rule| serde_json::json!([robot.joints()[rule.joint].name(), rule.multiplier, rule.offset]));
            assert_eq!(rule.unwrap_or(Value::Null), expected["mimic"], "{}", joint.name());
        }
    }
}

#[test]
fn geometries_have_the_kind_and_size_of_the_reference() {
    let Some(data) = data_folder("robots") else { return };
    for Reference { model, robot, geometries, .. } in references(&data) {
        for (expected, &(link, number)) in array(&model, "geometries").iter().zip(&geometries) {
            let size = |name: &str| expected[name].as_f64().unwrap();
            match &robot.links()[link].geometries()[number].shape {
                LinkShape::Mesh(mesh) => assert_eq!(mesh.len() as u64, expected["n_triangles"].as_u64().unwrap()),
                LinkShape::Box { size } => {
                    let half: Vec<f64> = array(expected, "half_extents").iter().map(|x| x.as_f64().unwrap()).collect();
                    assert_eq!(*size, 2.0 * DVec3::from_slice(&half));
                }
                LinkShape::Sphere { radius } => assert_eq!(*radius, size("radius")),
                LinkShape::Cylinder { radius, length } => {
                    assert_eq!([*radius, *length], ["radius", "length"].map(size))
                }
                other => panic!("{other:?} for {expected}"),
            }
        }
    }
}

/// `[i, k]` of the reference as pairs of geometries.
fn listed(reference: &Reference, name: &str) -> HashSet<[usize; 2]> {
    let index = |value: &Value| value.as_u64().unwrap() as usize;
    array(&reference.model, name).iter().map(|pair| [index(&pair[0]), index(&pair[1])]).collect()
}

/// Pairs of geometries on the given pairs of links.
fn on_links(reference: &Reference, links: &[[usize; 2]]) -> HashSet<[usize; 2]> {
    let links: HashSet<[usize; 2]> = links.iter().copied().collect();
    let count = reference.geometries.len();
    let pairs = (0..count).flat_map(|i| (i + 1..count).map(move |k| [i, k]));
    let checked = pairs.filter(|&[i, k]| {
        let (a, b) = (reference.geometries[i].0, reference.geometries[k].0);
        links.contains(&[a.min(b), a.max(b)])
    });
    checked.collect()
}

#[test]
fn checked_pairs_are_those_of_the_reference_with_and_without_an_srdf() {
    let Some(data) = data_folder("robots") else { return };
    let mut with_srdf = 0;
    for reference in references(&data) {
        let robot = &reference.robot;
        let found = on_links(&reference, &robot.checked_link_pairs(&DisabledPairs::default()));
        assert_eq!(found, listed(&reference, "pairs"), "{}", robot.name());
        let Some(srdf) = srdf_beside(&data.join(text(&reference.model, "urdf"))) else { continue };
        with_srdf += 1;
        let disabled = Srdf::load(&srdf).unwrap().disabled_pairs(robot);
        let left = on_links(&reference, &robot.checked_link_pairs(&disabled));
        let numbers = array(&reference.model, "pair_srdf_disabled").iter().map(|n| n.as_u64().unwrap() as usize);
        let pairs = array(&reference.model, "pairs");
        let expected: HashSet<[usize; 2]> =
            numbers.map(|n| [0, 1].map(|side| pairs[n][side].as_u64().unwrap() as usize)).collect();
        assert_eq!(found.difference(&left).copied().collect::<HashSet<_>>(), expected, "{}", robot.name());
    }
    assert_eq!(with_srdf, 3);
}
