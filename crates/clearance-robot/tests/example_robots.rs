//! The URDF and SRDF files of a package of robots, on demand:
//!
//! ```text
//! pip download --no-deps example-robot-data==5.0 && unzip example_robot_data-*.whl -d DIR
//! CLEARANCE_EXAMPLE_ROBOTS=DIR cargo test -p clearance-robot --test example_robots -- --nocapture
//! ```

use clearance_engine::Pose;
use clearance_robot::{ErrorKind, GeometrySource, Robot, Srdf, UrdfOptions, load_urdf};
use std::path::{Path, PathBuf};

fn files(extension: &str) -> Option<Vec<PathBuf>> {
    fn collect(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, extension, found);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    let Some(folder) = std::env::var_os("CLEARANCE_EXAMPLE_ROBOTS") else {
        eprintln!("SKIPPED example robots: set CLEARANCE_EXAMPLE_ROBOTS");
        return None;
    };
    let mut found = Vec::new();
    collect(Path::new(&folder), extension, &mut found);
    found.sort();
    Some(found)
}

/// Files that must not load: the end of the path, whether only the visual geometry is wrong, the
/// kind of error, a piece of its text.
const WRONG: [(&str, bool, ErrorKind, &str); 4] = [
    // The joints are called Left_index_q1 and Right_index_q1.
    ("alex_psyonic_hands.urdf", false, ErrorKind::Unknown, "joint 'Left_index_q2': it mimics the joint 'index_q1'"),
    // The link is called top_propeller.
    ("falcon.urdf", false, ErrorKind::Unknown, "joint 'top_propeller_joint': its child link 'Z_propeller'"),
    // An empty element, left over by a macro processor.
    ("ur3.urdf", false, ErrorKind::Missing, "the robot has no link"),
    // Its visual meshes lie on the author's machine.
    ("romeo_laas_small.urdf", true, ErrorKind::MissingMesh, "there is no file /usr/Romeo/"),
];

fn check_moves(robot: &Robot) {
    let mut poses = Vec::new();
    robot.link_poses(&Pose::IDENTITY, &robot.default_configuration(), &mut poses).unwrap();
    assert_eq!(poses.len(), robot.links().len());
}

#[test]
fn every_urdf_loads_or_fails_for_a_reason() {
    let Some(urdfs) = files("urdf") else { return };
    assert_eq!(urdfs.len(), 77);
    let mut met = [0; WRONG.len()];
    for urdf in urdfs {
        for geometry in [GeometrySource::Collision, GeometrySource::Visual, GeometrySource::Nothing] {
            let expected = WRONG.iter().position(|&(name, only_visual, ..)| {
                urdf.ends_with(name) && (!only_visual || geometry == GeometrySource::Visual)
            });
            match (load_urdf(&urdf, &UrdfOptions { geometry, ..UrdfOptions::default() }), expected) {
                (Ok(robot), None) => check_moves(&robot),
                (Ok(_), Some(_)) => panic!("{} loads", urdf.display()),
                (Err(error), None) => panic!("{error}"),
                (Err(error), Some(wrong)) => {
                    let (_, _, kind, text) = WRONG[wrong];
                    assert!(error.kind() == kind && error.to_string().contains(text), "{error}");
                    assert!(error.line().is_some() && error.path() == Some(&urdf), "{error}");
                    met[wrong] += 1;
                    eprintln!("{geometry:?}: {error}");
                }
            }
        }
    }
    assert_eq!(met, [3, 3, 3, 1]);
}

#[test]
fn every_srdf_loads() {
    let Some(srdfs) = files("srdf") else { return };
    assert_eq!(srdfs.len(), 44);
    for path in srdfs {
        match Srdf::load(&path) {
            Ok(srdf) => srdf.notes().iter().for_each(|note| eprintln!("note: {}: {note}", path.display())),
            Err(error) => panic!("{error}"),
        }
    }
}
