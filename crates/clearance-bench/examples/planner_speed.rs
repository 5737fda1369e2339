//! Configurations and edges at the pace of a planner, beside the exact checks of the same build.
//!
//! `cargo run --release -p clearance-bench --example planner_speed [ROBOT...]`; robots are `panda`
//! and `ur5`, of `CLEARANCE_DATA`, and `humanoid`. A line of JSON for each measurement; both engines
//! take turns, and the least of several repeats counts, in CPU time of the thread. A number instead
//! of a robot takes every so many of MotionBenchMaker's problems.

use clearance_bench::thread_time;
use clearance_engine::Pose;
use clearance_engine::dispatch::Threads;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::shape::{Cuboid, Cylinder};
use clearance_robot::{Checker, Find, MotionRequest, PlanningOptions, Robot, Scene, UrdfOptions, load_urdf};
use serde_json::{Value, json};
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Even numbers without a library: SplitMix64.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
}

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The objects of a MotionBenchMaker problem.
fn problem(problem: &Value) -> Outcome<Scene> {
    let mut scene = Scene::new();
    for (number, object) in problem["objects"].as_array().ok_or("no objects")?.iter().enumerate() {
        let numbers = |key: &str| -> Vec<f64> {
            object[key].as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
        };
        let (size, pose) = (numbers("dims"), numbers("pose"));
        let turn = DQuat::from_xyzw(pose[3], pose[4], pose[5], pose[6]);
        let pose = Pose::new(turn, DVec3::new(pose[0], pose[1], pose[2]))?;
        let name = format!("object {number}");
        match size[..] {
            [x, y, z] => scene.add(name, Cuboid::new(x, y, z)?, pose)?,
            [length, radius] => scene.add(name, Cylinder::new(radius, length)?, pose)?,
            _ => return Err("an object of another kind".into()),
        }
    }
    Ok(scene)
}

/// Boxes and cylinders about a robot.
fn generated(random: &mut Random, near: f64, far: f64, high: f64) -> Outcome<Scene> {
    let mut scene = Scene::new();
    for number in 0..14 {
        let (distance, angle) = (random.between(near, far), random.between(0.0, std::f64::consts::TAU));
        let place = DVec3::new(distance * angle.cos(), distance * angle.sin(), random.between(0.0, high));
        let turn = DQuat::from_rotation_z(random.between(0.0, 3.0)) * DQuat::from_rotation_x(random.between(0.0, 0.6));
        let (pose, name) = (Pose::new(turn, place)?, format!("object {number}"));
        let mut size = || random.between(0.05, 0.4);
        if number % 3 == 0 {
            scene.add(name, Cylinder::new(0.4 * size(), 2.0 * size())?, pose)?;
        } else {
            scene.add(name, Cuboid::new(size(), size(), size())?, pose)?;
        }
    }
    Ok(scene)
}

fn robot(data: &Path, name: &str) -> Outcome<Robot> {
    if name == "humanoid" {
        return Ok(clearance_scene::humanoid()?.robot);
    }
    let folder = data.join("robots/vamp").join(name);
    let options = UrdfOptions { packages: vec![folder.clone(), folder.join("..")], ..UrdfOptions::default() };
    let robot = load_urdf(&folder.join(format!("{name}.urdf")), &options)?;
    Ok(robot.with_srdf(folder.join(format!("{name}.srdf")))?)
}

/// The least CPU time of both, in microseconds for each of `count`.
fn race(count: usize, mut exact: impl FnMut(), mut screen: impl FnMut()) -> [f64; 2] {
    let mut least = [f64::INFINITY; 2];
    let mut time = |engine: usize, work: &mut dyn FnMut()| {
        let before = thread_time();
        work();
        least[engine] = least[engine].min((thread_time() - before).as_secs_f64() * 1e6 / count as f64);
    };
    for _ in 0..3 {
        time(0, &mut exact);
        time(1, &mut screen);
    }
    least
}

fn main() -> Outcome<()> {
    let data = PathBuf::from(std::env::var("CLEARANCE_DATA").unwrap_or_else(|_| "../shared/data".into()));
    let (numbers, mut names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.parse::<usize>().is_ok());
    let every = numbers.first().and_then(|number| number.parse().ok()).unwrap_or(1);
    if names.is_empty() {
        names = ["panda", "ur5", "humanoid"].map(str::to_owned).to_vec();
    }
    let mut out = std::io::stdout().lock();
    for name in &names {
        let robot = robot(&data, name)?;
        let mut random = Random(7);
        let mut scenes: Vec<(Scene, Vec<Vec<f64>>)> = Vec::new();
        let count = robot.variables().len();
        if name == "humanoid" {
            (0..5).try_for_each(|_| generated(&mut random, 0.5, 1.5, 1.6).map(|scene| scenes.push((scene, vec![]))))?;
        } else {
            let file: Value = serde_json::from_slice(&std::fs::read(data.join("ref/panda/mbm.json"))?)?;
            for each in file["problems"].as_array().into_iter().flatten().step_by(every) {
                let ends = ["start", "goal"].map(|end| -> Vec<f64> {
                    each[end]["q"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
                });
                scenes.push((problem(each)?, ends.into_iter().filter(|end| end.len() == count).collect()));
            }
        }
        let mut exact = Checker::new(robot)?;
        exact.set_threads(Threads::One);
        let before = thread_time();
        exact.prove(&Default::default())?;
        let proven = thread_time() - before;
        let mut screen = exact.clone();
        let before = thread_time();
        screen.prepare_for_planning(&PlanningOptions::default())?;
        let made = (thread_time() - before).as_secs_f64();
        writeln!(out, "{}", json!({"robot": name, "prove_s": proven.as_secs_f64(), "prepare_s": made}))?;
        let variables = exact.robot().variables().to_vec();
        let mut sums = [[0.0; 2]; 4];
        let (mut counts, mut wrong) = ([0_usize; 4], 0);
        for (scene, roots) in scenes {
            exact.set_scene(scene.clone());
            screen.set_scene(scene);
            let mut draw = || -> Vec<f64> {
                let value = |limits: Option<clearance_robot::Limits>, random: &mut Random| {
                    let [low, high] = limits.map_or([-3.1, 3.1], |limits| [limits.lower, limits.upper]);
                    random.between(low, high)
                };
                let all = variables.iter().map(|variable| match variable.name.as_str() {
                    // A base stays in the middle of its room.
                    "base_x" | "base_y" => random.between(-0.1, 0.1),
                    _ => value(variable.limits, &mut random),
                });
                all.collect()
            };
            let configurations: Vec<Vec<f64>> = (0..1600).map(|_| draw()).collect();
            let expected: Vec<bool> = exact.are_free(&configurations)?;
            let found = screen.are_free(&configurations)?;
            wrong += expected.iter().zip(&found).filter(|(a, b)| a != b).count();
            // The edges of a rapidly exploring random tree from the problem's ends, or from anywhere.
            let mut tree: Vec<Vec<f64>> = roots;
            tree.extend(
                configurations.iter().zip(&expected).filter(|(_, free)| **free).take(2).map(|(c, _)| c.clone()),
            );
            let mut edges: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
            let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            while edges.len() < 160 {
                let sample = draw();
                let Some(near) = tree.iter().min_by(|a, b| distance(a, &sample).total_cmp(&distance(b, &sample)))
                else {
                    break;
                };
                let share = (1.07 / distance(near, &sample)).min(1.0);
                let to: Vec<f64> = near.iter().zip(&sample).map(|(a, b)| a + (b - a) * share).collect();
                edges.push((near.clone(), to.clone()));
                if exact.edge(&edges[edges.len() - 1].0, &to)?.is_free() {
                    tree.push(to);
                }
            }
            let request = MotionRequest { find: Find::Any, ..MotionRequest::default() };
            let mut split: [Vec<(Vec<f64>, Vec<f64>)>; 2] = Default::default();
            for (from, to) in edges {
                let verdict = exact.edge_with(&from, &to, &request)?;
                let is_free = verdict.is_free();
                if is_free != screen.is_edge_free(&from, &to)? {
                    wrong += 1;
                    writeln!(out, "{}", json!({"from": from, "to": to, "exact": format!("{verdict:?}")}))?;
                }
                split[usize::from(is_free)].push((from, to));
            }
            let add =
                |query: usize, count: usize, times: [f64; 2], sums: &mut [[f64; 2]; 4], counts: &mut [usize; 4]| {
                    (0..2).for_each(|engine| sums[query][engine] += times[engine] * count as f64);
                    counts[query] += count;
                };
            let count = configurations.len();
            let one = race(
                count,
                || configurations.iter().for_each(|c| assert!(exact.collides(c).is_ok())),
                || configurations.iter().for_each(|c| assert!(screen.is_free(c).is_ok())),
            );
            add(0, count, one, &mut sums, &mut counts);
            let block = race(
                count,
                || configurations.iter().for_each(|c| assert!(exact.collides(c).is_ok())),
                || assert!(screen.are_free(&configurations).is_ok()),
            );
            add(1, count, block, &mut sums, &mut counts);
            for (query, edges) in [(2, &split[1]), (3, &split[0])] {
                let times = race(
                    edges.len().max(1),
                    || edges.iter().for_each(|(a, b)| assert!(exact.edge_with(a, b, &request).is_ok())),
                    || edges.iter().for_each(|(a, b)| assert!(screen.is_edge_free(a, b).is_ok())),
                );
                add(query, edges.len(), times, &mut sums, &mut counts);
            }
        }
        for (query, title) in ["config", "config-block", "edge-free", "edge-refused"].into_iter().enumerate() {
            let us = sums[query].map(|sum| sum / counts[query].max(1) as f64);
            for (engine, title_of) in ["exact", "screen"].into_iter().enumerate() {
                let line = json!({"robot": name, "scene": "primitives", "query": title, "engine": title_of, "us": us[engine], "n": counts[query]});
                writeln!(out, "{line}")?;
            }
            writeln!(out, "{}", json!({"robot": name, "query": title, "ratio": us[0] / us[1]}))?;
        }
        writeln!(out, "{}", json!({"robot": name, "wrong": wrong}))?;
    }
    Ok(())
}
