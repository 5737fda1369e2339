//! What every mesh reader owes its caller, whatever the bytes are: a mesh that keeps its promises,
//! or a one-line error.

pub mod gaps;
pub mod hierarchy;
pub mod octomap;
pub mod robot;

use clearance_io::{LoadOptions, MeshFormat, PointFormat, PointOptions, read_mesh, read_points_with};

/// How many triangles or points a reader may make: repeated instances and compressed data have no
/// limit but this.
const MAX_ELEMENTS: usize = 1 << 12;

/// What `read` answers about `bytes`; panics if it takes more memory at once than a small multiple
/// of their number.
pub(crate) fn bounded<T>(bytes: &[u8], read: impl FnOnce() -> T) -> T {
    let mut answer = None;
    let most = allocation_counter::measure(|| answer = Some(read())).bytes_max;
    assert!(most <= 2_000_000 + 500 * bytes.len() as u64, "{most} bytes of memory for {} of the file", bytes.len());
    answer.expect("just read")
}

/// Reads `bytes` and panics if the answer breaks a promise.
pub fn check_reader(bytes: &[u8], format: MeshFormat) {
    let options = LoadOptions { max_elements: MAX_ELEMENTS, ..LoadOptions::default() };
    match bounded(bytes, || read_mesh(bytes, format, &options)) {
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
    let options = PointOptions { max_points: MAX_ELEMENTS };
    match bounded(bytes, || read_points_with(bytes, format, &options)) {
        Ok(cloud) => {
            assert!(!cloud.points.is_empty() && cloud.points.iter().all(|point| point.is_finite()));
            assert!(clearance_engine::tree::PointCloud::new(cloud.points, 0.1).is_ok());
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
