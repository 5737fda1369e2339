//! temporary
#[path = "../src/random.rs"]
#[allow(dead_code)]
mod random;
use clearance::Pose;
use clearance::bank::Bank;
use clearance::convex::PenetrationRequest;
use clearance::descent::Workspace;
use clearance::math::{DQuat, DVec3};
use clearance::query::{DistanceRequest, penetration};
use clearance::shape::ConvexPolyhedron;
use clearance::tree::Solid;
use random::Random;
use std::f64::consts::TAU;
use std::hint::black_box;
use std::time::Instant;

fn corners(body: &str) -> Vec<DVec3> {
    let on_ball = |count: usize| {
        let mut random = Random(count as u64);
        (0..count).map(|_| loop { let v = DVec3::new(random.signed(), random.signed(), random.signed()); if v.length() < 1.0 && v.length() > 0.1 { break v.normalize(); } }).collect::<Vec<_>>()
    };
    match body {
        "cube" => (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5).collect(),
        "octahedron" => DVec3::AXES.iter().flat_map(|&axis| [axis * 0.5, -axis * 0.5]).collect(),
        "icosahedron" => {
            let golden = 0.5 + 1.25_f64.sqrt();
            let corner = |x: f64, y: f64| [DVec3::new(0.0, x, y), DVec3::new(x, y, 0.0), DVec3::new(y, 0.0, x)];
            [(0.5, golden), (0.5, -golden), (-0.5, golden), (-0.5, -golden)].into_iter().flat_map(|(x, y)| corner(x * 0.5, y * 0.25)).collect()
        }
        "antiprism" => (0..18).map(|i| { let (sin, cos) = (TAU * f64::from(i) / 18.0).sin_cos(); DVec3::new(0.5 * cos, 0.5 * sin, if i % 2 == 0 { 0.25 } else { -0.25 }) }).collect(),
        n => on_ball(n.parse().unwrap()),
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let bodies: Vec<&str> = if args[1] == "all" { vec!["cube", "octahedron", "icosahedron", "antiprism", "30", "300", "3000"] } else { args[1].split(',').collect() };
    let kinds: Vec<&str> = if args[2] == "all" { vec!["collide", "free", "distance", "depth"] } else { args[2].split(',').collect() };
    let rounds: usize = args[3].parse().unwrap();
    for body in bodies {
        let poly = ConvexPolyhedron::hull_of(&corners(body)).unwrap();
        let size = if body.parse::<usize>().is_ok() { 2.0 } else { 1.0 };
        let (solid, bank) = (Solid::new(poly), Bank::standard());
        let plan = bank.plan(&solid, &solid).unwrap();
        let mut workspace = Workspace::default();
        let mut random = Random(7);
        let n = if rounds == 1 { 500 } else { 1000 };
        let (mut hits, mut frees) = (vec![], vec![]);
        // about 75 % collide
        let reach = size * 0.62;
        while hits.len() < n || frees.len() < n {
            let place = DVec3::new(random.signed(), random.signed(), random.signed()) * reach * 1.45;
            let q = loop { let q = DQuat::from_xyzw(random.signed(), random.signed(), random.signed(), random.signed()); if q.length() < 1.0 && q.length() > 0.1 { break q.normalize(); } };
            let pose = Pose::new(q, place).unwrap();
            let hit = plan.collide(&pose, &mut workspace, None).colliding;
            let list = if hit { &mut hits } else { &mut frees };
            if list.len() < n { list.push(pose); }
        }
        print!("{body:12}");
        for kind in &kinds {
            let poses = if *kind == "collide" || *kind == "depth" { &hits } else { &frees };
            let mut best = f64::INFINITY;
            let mut sum = 0.0;
            for _ in 0..rounds {
                let start = Instant::now();
                sum = 0.0;
                match *kind {
                    "collide" | "free" => for pose in poses { sum += f64::from(black_box(plan.collide(pose, &mut workspace, None)).colliding); },
                    "distance" => for pose in poses { sum += black_box(plan.distance(pose, &DistanceRequest::default(), &mut workspace, None)).unwrap().upper; },
                    _ => for pose in poses { sum += black_box(penetration(&solid, &solid, pose, &PenetrationRequest::default())).unwrap().unwrap().upper; },
                }
                best = best.min(start.elapsed().as_secs_f64() / n as f64 * 1e9);
            }
            print!("{kind}: {best:.0} ns ({sum:.9}) ");
        }
        println!();
    }
}
