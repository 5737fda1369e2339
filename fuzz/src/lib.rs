//! What every mesh reader owes its caller, whatever the bytes are: a mesh that keeps its promises, or a one-line error.

pub mod gaps;
pub mod hierarchy;
pub mod octomap;
pub mod robot;

use clearance_io::{LoadOptions, MeshFormat, PointFormat, read_mesh, read_points};

/// Reads `bytes` and panics if the answer breaks a promise.
pub fn check_reader(bytes: &[u8], format: MeshFormat) {
    // Small enough that no input within the size limit of the fuzzer can fill the memory by repeated instances.
    let options = LoadOptions { max_elements: 1 << 16, ..LoadOptions::default() };
    match read_mesh(bytes, format, &options) {
        Ok(mesh) => {
            assert!((1..=options.max_elements).contains(&mesh.len()));
            assert!(mesh.vertices().iter().all(|vertex| vertex.is_finite()));
            let count = mesh.vertices().len() as u32;
            assert!(mesh.triangles().as_flattened().iter().all(|&index| index < count));
        }
        Err(error) => check_message(&error.to_string()),
    }
}

/// Reads `bytes` as points and panics if the answer breaks a promise.
pub fn check_points(bytes: &[u8], format: PointFormat) {
    match read_points(bytes, format) {
        Ok(cloud) => {
            assert!(!cloud.points.is_empty() && cloud.points.iter().all(|point| point.is_finite()));
            assert!(clearance::tree::PointCloud::new(cloud.points, 0.1).is_ok());
        }
        Err(error) => check_message(&error.to_string()),
    }
}

/// What the text of an error owes its reader.
fn check_message(text: &str) {
    assert!(!text.is_empty() && !text.contains(char::is_control), "{text:?}");
    let length = text.chars().count();
    assert!(length < 1000, "{length} characters: {text}");
}
