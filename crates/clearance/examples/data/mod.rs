//! Files for the examples: those that the command line names, or small ones written for the run.
#![allow(dead_code, reason = "each example uses some of it")]

use clearance::{DepthCamera, Pose, Result, Robot, Vec3};
use std::fs;
use std::path::{Path, PathBuf};

/// Two mesh files: the arguments, or two rings.
pub fn mesh_files() -> Result<[PathBuf; 2]> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    if let (Some(a), Some(b)) = (arguments.next(), arguments.next()) {
        return Ok([a, b]);
    }
    let ring = ring(0.12, 0.04);
    Ok([write("ring_a.off", &ring)?, write("ring_b.off", &ring)?])
}

/// A URDF file: the first argument, or an arm of five joints.
pub fn robot_file() -> Result<PathBuf> {
    match std::env::args_os().nth(1) {
        Some(file) => Ok(file.into()),
        None => write("arm.urdf", &arm()),
    }
}

/// A scene file: the second argument, or a floor, a wall and a shelf.
pub fn scene_file() -> Result<PathBuf> {
    match std::env::args_os().nth(2) {
        Some(file) => Ok(file.into()),
        None => write("room.json", ROOM),
    }
}

/// A file for what an example draws, which it is told.
pub fn output(name: &str) -> PathBuf {
    let path = folder().join(name);
    println!("{}", path.display());
    path
}

/// Configurations within the joint limits, spread evenly (Halton's sequence).
pub fn configurations(robot: &Robot, count: usize) -> Vec<Vec<f64>> {
    let primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29];
    let spread = |mut i: usize, base: usize| {
        let (mut value, mut share) = (0.0, 1.0);
        while i > 0 {
            share /= base as f64;
            value += share * (i % base) as f64;
            i /= base;
        }
        value
    };
    let limits: Vec<(f64, f64)> = robot.lower().into_iter().zip(robot.upper()).collect();
    let value = |i, (low, high): (f64, f64), base| low.max(-3.0) + (high.min(3.0) - low.max(-3.0)) * spread(i, base);
    let one = |i| limits.iter().zip(primes.iter().cycle()).map(|(&limits, &base)| value(i, limits, base)).collect();
    (1..=count).map(one).collect()
}

/// A path of the built-in arm.
pub fn waypoints() -> [[f64; 5]; 4] {
    [[0.0, 0.3, 0.6, 0.0, 0.0], [1.0, 0.5, 0.9, 0.2, 0.0], [1.5, 0.9, 0.9, 0.2, 1.0], [1.5, 1.5, 0.2, 0.0, 1.0]]
}

/// Where the arm picks up a cup, and where it carries it.
pub fn carrying() -> [[f64; 5]; 2] {
    [[-0.6, 0.6, 0.9, 0.2, 0.0], [0.6, 0.6, 0.9, 0.2, 0.0]]
}

/// A configuration in which the built-in arm reaches through the shelf; the default one of others.
pub fn in_the_shelf(robot: &Robot) -> Vec<f64> {
    let reaching = vec![0.2, 1.1, 1.2, 0.3, 0.0];
    if robot.name() == "arm" { reaching } else { robot.default_configuration() }
}

/// What a camera 2 m in front of the arm sees of a wall behind it.
pub fn depth_image() -> Result<(DepthCamera, Vec<f32>, Pose)> {
    let camera = DepthCamera { width: 160, height: 120, focal: [120.0, 120.0], principal: [79.5, 59.5] };
    // The optical axis is the world's -x.
    let world_from_camera =
        Pose::from_xyz_rpy([2.0, 0.0, 0.8], [-std::f64::consts::FRAC_PI_2, 0.0, std::f64::consts::FRAC_PI_2])?;
    Ok((camera, vec![2.7; 160 * 120], world_from_camera))
}

/// Two configurations with the wall, or the shelf, between them.
pub fn ends() -> [[f64; 5]; 2] {
    [[-0.9, 1.3, 0.5, 0.2, 0.0], [0.9, 1.3, 0.5, 0.2, 0.0]]
}

/// Numbers from 0 to 1 (Steele, Lea and Flood's splitmix).
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Where a crate is on its orbit, which passes through the arm.
pub fn orbit(number: u32, tick: u32) -> Result<Pose> {
    let angle = 0.3 * f64::from(number) + 0.02 * f64::from(tick);
    Ok(Pose::from_xyz(0.4 + 0.5 * angle.cos(), 0.5 * angle.sin(), 0.1 * f64::from(number))?)
}

fn folder() -> PathBuf {
    std::env::temp_dir().join("clearance-examples")
}

fn write(name: &str, text: &str) -> Result<PathBuf> {
    fs::create_dir_all(folder())?;
    let path: PathBuf = Path::new(&folder()).join(name);
    fs::write(&path, text)?;
    Ok(path)
}

/// A torus about z as an OFF file.
fn ring(radius: f64, tube: f64) -> String {
    let (around, across) = (64, 32);
    let angle = |i: usize, count: usize| std::f64::consts::TAU * i as f64 / count as f64;
    let mut text = format!("OFF\n{} {} 0\n", around * across, 2 * around * across);
    for i in 0..around {
        for j in 0..across {
            let ((sin, cos), (rise, out)) = (angle(i, around).sin_cos(), angle(j, across).sin_cos());
            let point = Vec3::new(cos * (radius + tube * out), sin * (radius + tube * out), tube * rise);
            text += &format!("{} {} {}\n", point.x, point.y, point.z);
        }
    }
    let number = |i: usize, j: usize| (i % around) * across + j % across;
    for i in 0..around {
        for j in 0..across {
            let [a, b, c, d] = [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)];
            text += &format!("3 {a} {b} {c}\n3 {a} {c} {d}\n");
        }
    }
    text
}

/// An arm with a turning base, a shoulder, an elbow, a wrist and a turning hand.
fn arm() -> String {
    let link = |name: &str, radius: f64, length: f64| {
        let half = 0.5 * length;
        format!(
            "<link name='{name}'><collision><origin xyz='0 0 {half}'/><geometry><cylinder radius='{radius}' length='{length}'/>\
             </geometry></collision></link>\n"
        )
    };
    let joint = |name: &str, parent: &str, child: &str, height: f64, axis: &str, limit: f64| {
        format!(
            "<joint name='{name}' type='revolute'><parent link='{parent}'/><child link='{child}'/><origin xyz='0 0 {height}'/>\
             <axis xyz='{axis}'/><limit lower='-{limit}' upper='{limit}' effort='1' velocity='1'/></joint>\n"
        )
    };
    [
        "<robot name='arm'>\n".to_owned(),
        link("base", 0.1, 0.2),
        link("shoulder", 0.07, 0.15),
        link("upper_arm", 0.05, 0.4),
        link("forearm", 0.045, 0.35),
        link("wrist", 0.035, 0.1),
        link("hand", 0.03, 0.08),
        joint("turn", "base", "shoulder", 0.2, "0 0 1", 2.9),
        joint("lift", "shoulder", "upper_arm", 0.15, "0 1 0", 1.7),
        joint("elbow", "upper_arm", "forearm", 0.4, "0 1 0", 2.4),
        joint("bend", "forearm", "wrist", 0.35, "0 1 0", 1.9),
        joint("roll", "wrist", "hand", 0.1, "0 0 1", 2.9),
        "</robot>\n".to_owned(),
    ]
    .concat()
}

/// A floor, a wall and a shelf.
const ROOM: &str = r#"{"objects":[
    {"name":"floor","halfspace":{"normal":[0,0,1],"offset":-0.01}},
    {"name":"wall","pose":[-0.8,0,1,1,0,0,0],"box":[0.1,3,2]},
    {"name":"shelf","pose":[0.75,0,0.3,1,0,0,0],"box":[0.3,0.8,0.02]}
]}"#;
