//! How long each method for two convex polyhedra takes: on the four bodies of the paper on boxes
//! and on hulls of many vertices, from nothing and in a motion of small steps. Prints a table in
//! Markdown.
//!
//! `cargo run --release -p clearance-bench --example convex_speed`

#[path = "../../clearance-engine/src/random.rs"]
#[allow(dead_code)]
mod random;

use clearance_engine::Pose;
use clearance_engine::convex::Separated;
use clearance_engine::convex::lab::{Method, MethodMemory, decide_by, distance_by};
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::shape::{Convex, ConvexPolyhedron};
use random::Random;
use std::f64::consts::TAU;
use std::hint::black_box;
use std::time::Instant;

fn vector(random: &mut Random) -> DVec3 {
    DVec3::new(random.signed(), random.signed(), random.signed())
}

/// The bodies, by name; the last ones have their vertices on a sphere.
fn bodies() -> Vec<(String, ConvexPolyhedron)> {
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let signs = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let cube = (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5).collect();
    let icosahedron = signs
        .into_iter()
        .flat_map(|(s, t)| {
            [DVec3::new(0.0, s, t * golden), DVec3::new(s, t * golden, 0.0), DVec3::new(t * golden, 0.0, s)]
        })
        .collect();
    let antiprism = (0..18)
        .map(|i| {
            let (sin, cos) = (TAU * f64::from(i) / 18.0).sin_cos();
            DVec3::new(cos, sin, if i % 2 == 0 { 0.4 } else { -0.4 })
        })
        .collect();
    let octahedron = DVec3::AXES.iter().flat_map(|&axis| [axis, -axis]).collect();
    let mut all: Vec<(String, Vec<DVec3>)> = vec![
        ("cube".into(), cube),
        ("octahedron".into(), octahedron),
        ("icosahedron".into(), icosahedron),
        ("antiprism".into(), antiprism),
    ];
    let mut random = Random(5);
    for count in [30, 300, 3000] {
        let points = (0..count).filter_map(|_| vector(&mut random).try_normalize()).collect();
        all.push((format!("{count} vertices"), points));
    }
    all.into_iter().filter_map(|(name, points)| Some((name, ConvexPolyhedron::hull_of(&points).ok()?))).collect()
}

/// What b does.
#[derive(Clone, Copy, PartialEq)]
enum Motion {
    /// Anywhere around a, turned anyhow, its surface 0 to 1 sizes away.
    Anywhere,
    /// One degree around a, and about itself, from one question to the next.
    Turning,
    /// A hundredth of its size from one question to the next.
    Sliding,
    /// Anywhere, the centres a third of the size apart.
    Overlapping,
    /// As turning, the centres a third of the size apart.
    TurningInside,
}

fn places(motion: Motion, size: f64, count: usize) -> Vec<Pose> {
    let mut random = Random(6);
    let mut turn = |scale: f64| {
        DQuat::from_xyzw(random.signed() * scale, random.signed() * scale, random.signed() * scale, 1.0).normalize()
    };
    let still = turn(1.0);
    let mut random = Random(7);
    let place = |i: usize| {
        let along = |steps: f64| DVec3::new(2.4 * size, size * (steps.rem_euclid(200.0) / 100.0 - 1.0), 0.1 * size);
        let direction = vector(&mut random).try_normalize().unwrap_or(DVec3::X);
        let degrees = DQuat::from_axis_angle(DVec3::new(0.36, 0.48, 0.8), (i as f64).to_radians());
        let (turn, translation) = match motion {
            Motion::Anywhere => (turn(1.0), direction * size * random.between(2.0, 3.0)),
            Motion::Overlapping => (turn(1.0), direction * size * 0.33),
            Motion::Turning => (degrees * still, degrees * DVec3::new(2.3 * size, 0.2 * size, 0.1 * size)),
            Motion::TurningInside => (degrees * still, DVec3::new(0.33 * size, 0.0, 0.0)),
            Motion::Sliding => (still, along(i as f64)),
        };
        Pose::new(turn, translation).unwrap_or(Pose::IDENTITY)
    };
    (0..count).map(place).collect()
}

/// Nanoseconds for one question, the best of a few runs.
fn time(places: &[ConvexPolyhedron], mut ask: impl FnMut(&ConvexPolyhedron)) -> f64 {
    let run = |ask: &mut dyn FnMut(&ConvexPolyhedron)| {
        let start = Instant::now();
        places.iter().for_each(|b| ask(black_box(b)));
        start.elapsed().as_secs_f64() * 1e9 / places.len() as f64
    };
    (0..7).map(|_| run(&mut ask)).fold(f64::INFINITY, f64::min)
}

/// A table: a row for each body, a column for each method.
fn table(title: &str, motion: Motion, decides: bool, coherent: bool) -> String {
    let methods: Vec<Method> = Method::ALL.into_iter().filter(|method| decides || method.measures()).collect();
    let names: Vec<&str> = methods.iter().map(Method::name).collect();
    let mut text = format!("\n| {title} | {} |\n|---{}|\n", names.join(" | "), "|---:".repeat(methods.len()));
    for (name, a) in bodies() {
        let poses = places(motion, a.bounding_radius(), 720);
        let moved: Vec<ConvexPolyhedron> = poses.iter().map(|pose| a.transformed(pose)).collect();
        text += &format!("| {name} |");
        for &method in &methods {
            // Programmes that look at everything are asked less often.
            let slow = matches!(method, Method::SeparatingPlane | Method::Quadratic) && a.vertex_count() > 100;
            let places = if slow { &moved[..20] } else { &moved[..] };
            let mut memory = MethodMemory::default();
            let nanoseconds = time(places, |b| {
                if !coherent {
                    memory = MethodMemory::default();
                }
                if decides {
                    let inside = matches!(motion, Motion::Overlapping | Motion::TurningInside);
                    assert_eq!(decide_by(method, &a, b, &mut memory) == Separated::Overlapping(()), inside);
                } else {
                    black_box(distance_by(method, &a, b, f64::INFINITY, &mut memory));
                }
            });
            text += &format!(" {} |", readable(nanoseconds));
        }
        text += "\n";
    }
    text
}

/// Three digits.
fn readable(nanoseconds: f64) -> String {
    match nanoseconds {
        x if x < 999.5 => format!("{x:.0} ns"),
        x if x < 99_950.0 => format!("{:.2} µs", x * 1e-3),
        x => format!("{:.0} µs", x * 1e-3),
    }
}

#[allow(clippy::print_stdout)]
fn main() {
    for (title, motion, decides, coherent) in [
        ("distance, anywhere", Motion::Anywhere, false, false),
        ("distance, 1° steps", Motion::Turning, false, true),
        ("distance, 1 % steps", Motion::Sliding, false, true),
        ("apart? anywhere", Motion::Anywhere, true, false),
        ("apart? 1° steps", Motion::Turning, true, true),
        ("overlapping? anywhere", Motion::Overlapping, true, false),
        ("overlapping? 1° steps", Motion::TurningInside, true, true),
    ] {
        println!("{}", table(title, motion, decides, coherent));
    }
}
