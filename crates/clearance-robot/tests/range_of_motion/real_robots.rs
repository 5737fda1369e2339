//! Real robots against random configurations and the distances of another library.

use crate::data::data_folder;
use crate::gaps::never_closer;
use crate::hulls::never_left;
use crate::support::{checked_pairs, parts};
use clearance_robot::{GapOptions, Gaps, GeometrySource, Robot, UrdfOptions, Verdict, load_urdf};
use ndarray::Array2;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Instant;

struct Reference {
    folder: PathBuf,
    model: Value,
    robot: Robot,
}

const ROBOTS: [&str; 5] = ["panda", "ur5", "talos", "jvrc1", "armar3"];

fn reference(data: &Path, name: &str) -> Reference {
    let folder = data.join("ref").join(name);
    let model: Value = serde_json::from_slice(&std::fs::read(folder.join("model.json")).unwrap()).unwrap();
    let geometry = if model["geometry_type"] == "VISUAL" { GeometrySource::Visual } else { GeometrySource::Collision };
    let packages = vec![data.join(model["package_dir"].as_str().unwrap())];
    let options = UrdfOptions { geometry, packages, ..UrdfOptions::default() };
    let robot = load_urdf(&data.join(model["urdf"].as_str().unwrap()), &options).unwrap();
    Reference { folder, model, robot }
}

impl Reference {
    fn table<T: ndarray_npy::ReadableElement>(&self, name: &str) -> Array2<T> {
        ndarray_npy::read_npy(self.folder.join(name)).unwrap()
    }

    /// The bodies of each of the reference's pairs of geometries.
    fn pairs(&self) -> Vec<[usize; 2]> {
        let geometries = self.model["geometries"].as_array().unwrap();
        let body = |number: &Value| {
            let link = geometries[number.as_u64().unwrap() as usize]["link"].as_str().unwrap();
            self.robot.body_of(self.robot.link_index(link).unwrap())
        };
        self.model["pairs"].as_array().unwrap().iter().map(|pair| [body(&pair[0]), body(&pair[1])]).collect()
    }

    fn configuration(&self, row: &[f64]) -> Vec<f64> {
        let mut configuration = self.robot.default_configuration();
        for (joint, &value) in self.model["joints"].as_array().unwrap().iter().zip(row) {
            let joint = self.robot.joint_index(joint["name"].as_str().unwrap()).unwrap();
            self.robot.joints()[joint].variables().for_each(|variable| configuration[variable] = value);
        }
        configuration
    }
}

#[test]
fn no_configuration_of_a_real_robot_leaves_its_hulls() {
    let Some(data) = data_folder("hulls of real robots") else { return };
    for name in ROBOTS {
        let start = Instant::now();
        let used = never_left(&reference(&data, name).robot, 100_000);
        eprintln!("{name}: at most {used:.3} of a radius is used, {:.1} s", start.elapsed().as_secs_f64());
    }
}

/// Counts of verdicts: never, sometimes, always, undecided.
fn counts(gaps: &Gaps) -> [usize; 4] {
    let mut counts = [0; 4];
    for pair in gaps.pairs() {
        let which = match pair.verdict {
            Verdict::Never { .. } => 0,
            Verdict::Sometimes { .. } => 1,
            Verdict::Always { .. } => 2,
            _ => 3,
        };
        counts[which] += 1;
    }
    counts
}

/// Proves the gaps of all five robots and holds them against the reference and `count` random
/// configurations.
fn prove_and_compare(data: &Path, options: &GapOptions, count: usize) {
    for name in ROBOTS {
        let reference = reference(data, name);
        let robot = &reference.robot;
        let (parts, pairs) = (parts(robot), checked_pairs(robot));
        let start = Instant::now();
        let gaps = Gaps::prove(robot, &parts, &pairs, options).unwrap();
        let seconds = start.elapsed().as_secs_f64();
        let most = gaps.pairs().iter().map(|pair| pair.evaluations).max().unwrap();
        let all: usize = gaps.pairs().iter().map(|pair| pair.evaluations).sum();
        let [never, sometimes, always, undecided] = counts(&gaps);
        eprintln!(
            "{name}: {} pairs: {never} never, {sometimes} sometimes, {always} always, {undecided} undecided; {seconds:.2} s, {all} \
             distances, {most} for one pair",
            pairs.len()
        );
        assert!(never > 0 && sometimes > 0);
        never_closer(robot, &gaps, count);
        holds_in(&reference, &gaps);
    }
}

#[test]
fn gaps_of_real_robots_hold_in_the_reference_and_in_random_configurations() {
    let Some(data) = data_folder("gaps of real robots") else { return };
    let options = GapOptions { evaluations: 2000, refinements: 20, ..GapOptions::default() };
    prove_and_compare(&data, &options, 100);
}

#[test]
#[ignore = "a minute or two: cargo test --release -p clearance-robot --test reach default_effort -- --ignored"]
fn gaps_of_real_robots_hold_with_the_default_effort() {
    let Some(data) = data_folder("gaps of real robots") else { return };
    prove_and_compare(&data, &GapOptions::default(), 3000);
}

/// No distance of the reference within the limits contradicts a gap.
fn holds_in(reference: &Reference, gaps: &Gaps) {
    let (q, distances) = (reference.table::<f64>("q.npy"), reference.table::<f64>("self_dist.npy"));
    let (colliding, checked) = (reference.table::<u8>("self_coll.npy"), reference.table::<u8>("self_checked.npy"));
    let (pairs, mut compared) = (reference.pairs(), 0);
    for (row, values) in q.rows().into_iter().enumerate() {
        if reference.robot.outside_limits(&reference.configuration(&values.to_vec())).next().is_some() {
            continue;
        }
        for (number, &[a, b]) in pairs.iter().enumerate() {
            let pair = gaps.pair(a, b).unwrap();
            let ambiguous = checked[[row, number]] & 2 != 0;
            assert!(ambiguous || colliding[[row, number]] == 0 || pair.gap == 0.0, "{row}: {pair:?}");
            // The reference is another library's where it was not checked by brute force.
            assert!(pair.gap <= distances[[row, number]] + 1e-6, "{row}: {pair:?}");
            compared += 1;
        }
    }
    eprintln!("  {compared} distances of the reference are not below the gaps");
    assert!(compared > 1000);
}
