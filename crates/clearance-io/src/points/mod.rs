//! Files of points: one module per format, one way in.
//!
//! Every reader turns the bytes of a whole file into points, in the file's order, or an error with
//! a place. What stands beside the coordinates (colours, normals, intensities) is stepped over.

mod pcd;
mod xyz;

use crate::mesh::{read_file, read_ply_points};
use crate::{Error, ErrorKind, Place, Result};
use clearance_engine::math::DVec3;
use std::path::Path;

/// The points of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Points {
    /// At least one, all of them finite.
    pub points: Vec<DVec3>,
    /// How many entries were left out because they mean "nothing was seen there": NaN in PCD files.
    pub skipped: usize,
}

/// Reads the point cloud at `path`; its extension, in either case, names the format.
///
/// ```no_run
/// let cloud = clearance_io::load_points("room.pcd".as_ref())?;
/// println!("{} points, {} directions without a return", cloud.points.len(), cloud.skipped);
/// # Ok::<(), clearance_io::Error>(())
/// ```
pub fn load_points(path: &Path) -> Result<Points> {
    load_points_with(path, &PointOptions::default())
}

/// [`load_points`] with other than the default [`PointOptions`].
pub fn load_points_with(path: &Path, options: &PointOptions) -> Result<Points> {
    let format = PointFormat::from_path(path)?;
    read_points_with(&read_file(path)?, format, options).map_err(|error| error.in_file(path))
}

/// What a reader of points may decide differently for the same file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointOptions {
    /// The most points that a file may announce or hold. A compressed one can hold thirty for each
    /// of its bytes.
    pub max_points: usize,
}

impl Default for PointOptions {
    fn default() -> Self {
        Self { max_points: 1 << 26 }
    }
}

/// Reads points from the bytes of a file of the given format.
///
/// ```
/// use clearance_io::{PointFormat, read_points};
/// let cloud = read_points(b"# x y z intensity\n1 2 3 0.5\n4,5,6\n", PointFormat::Xyz)?;
/// assert_eq!(cloud.points[1].to_array(), [4.0, 5.0, 6.0]);
/// # Ok::<(), clearance_io::Error>(())
/// ```
pub fn read_points(bytes: &[u8], format: PointFormat) -> Result<Points> {
    read_points_with(bytes, format, &PointOptions::default())
}

/// [`read_points`] with other than the default [`PointOptions`].
///
/// ```
/// use clearance_io::{ErrorKind, PointFormat, PointOptions, read_points_with};
/// let few = PointOptions { max_points: 1 };
/// let error = read_points_with(b"1 2 3\n4 5 6\n", PointFormat::Xyz, &few).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::TooLarge);
/// ```
pub fn read_points_with(bytes: &[u8], format: PointFormat, options: &PointOptions) -> Result<Points> {
    let points = match format {
        PointFormat::Xyz => Points { points: xyz::read(bytes)?, skipped: 0 },
        PointFormat::Ply => Points { points: read_ply_points(bytes)?, skipped: 0 },
        PointFormat::Pcd => pcd::read(bytes, options)?,
    };
    if points.points.len() > options.max_points {
        return Err(too_many(points.points.len(), options, Place::Whole));
    }
    if points.points.is_empty() {
        let reason = match points.skipped {
            0 => "the file holds no point".to_owned(),
            skipped => format!("the file holds no point: all {skipped} entries are NaN"),
        };
        return Err(Error::new(ErrorKind::Empty, Place::Whole, reason));
    }
    Ok(points)
}

fn too_many(count: usize, options: &PointOptions, place: Place) -> Error {
    let reason = format!("there are {count} points, more than the allowed {}", options.max_points);
    Error::new(ErrorKind::TooLarge, place, reason)
}

/// The formats of point clouds that are read here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PointFormat {
    /// Text with a point on each line: three numbers or more, between spaces, commas or semicolons
    /// (`.xyz`, `.csv`, `.txt`).
    Xyz,
    /// The vertices of a Stanford PLY file (`.ply`).
    Ply,
    /// The Point Cloud Library's format, text, binary or compressed (`.pcd`).
    Pcd,
}

impl PointFormat {
    /// The format that the extension of `path` names, in either case.
    ///
    /// ```
    /// use clearance_io::PointFormat;
    /// assert_eq!(PointFormat::from_path("scan.PCD".as_ref())?, PointFormat::Pcd);
    /// # Ok::<(), clearance_io::Error>(())
    /// ```
    pub fn from_path(path: &Path) -> Result<Self> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match extension.as_str() {
            "xyz" | "csv" | "txt" => Ok(Self::Xyz),
            "ply" => Ok(Self::Ply),
            "pcd" => Ok(Self::Pcd),
            _ => {
                let reason =
                    format!("the extension '{extension}' names no format of points read here: xyz, csv, txt, ply, pcd");
                Err(Error::new(ErrorKind::UnknownFormat, Place::Whole, reason).in_file(path))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_points_of_a_ply_file_are_its_vertices() {
        let header = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty uchar red\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
        let cloud = read_points(format!("{header}1 9 2 3\n4 9 5 6\n3 0 1 7\n").as_bytes(), PointFormat::Ply).unwrap();
        assert_eq!(cloud.points, [DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 5.0, 6.0)]);
        let error =
            read_points(format!("{header}1 9 2 3\n4 9 nan 6\n3 0 1 7\n").as_bytes(), PointFormat::Ply).unwrap_err();
        assert_eq!((error.kind(), error.place()), (ErrorKind::NotFinite, &Place::Line(12)));
    }

    #[test]
    fn an_empty_file_and_an_unknown_extension_are_errors() {
        for format in [PointFormat::Xyz, PointFormat::Ply, PointFormat::Pcd] {
            assert!(read_points(b"", format).is_err(), "{format:?}");
        }
        assert_eq!(load_points(Path::new("scan.e57")).unwrap_err().kind(), ErrorKind::UnknownFormat);
        assert_eq!(load_points(Path::new("no/such.xyz")).unwrap_err().kind(), ErrorKind::Io);
    }
}
