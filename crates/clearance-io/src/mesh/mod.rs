//! Mesh files: one module per format, one way in.
//!
//! Every reader turns the bytes of a whole file into a [`TriMesh`] or an error with a place. What
//! all of them keep: the order of the triangles (polygons become fans in place), degenerate
//! triangles, and all digits of the numbers. Counts that a file announces are compared with its
//! size before memory is set aside for them.

mod build;
mod collada;
mod gltf;
mod obj;
mod off;
mod ply;
mod stl;
mod transform;
mod tris;

use crate::{Error, ErrorKind, Place, Result};
use clearance_engine::TriMesh;
use std::path::{Path, PathBuf};

pub(crate) use build::check_announced;
pub use off::write_off;
pub(crate) use ply::read_points as read_ply_points;

/// Reads the mesh file at `path`; its extension, in either case, names the format.
///
/// Leaf ids of the engine are the numbers of the triangles in the file, from 0, degenerate ones
/// included.
///
/// ```no_run
/// let mesh = clearance_io::load_mesh("link3.STL".as_ref())?;
/// println!("{} triangles", mesh.len());
/// # Ok::<(), clearance_io::Error>(())
/// ```
pub fn load_mesh(path: &Path) -> Result<TriMesh> {
    load_mesh_with(path, &LoadOptions::default())
}

/// [`load_mesh`] with other than the default [`LoadOptions`].
pub fn load_mesh_with(path: &Path, options: &LoadOptions) -> Result<TriMesh> {
    let format = MeshFormat::from_path(path)?;
    let bytes = read_file(path)?;
    let mut options = options.clone();
    if options.base_dir.is_none() {
        options.base_dir = Some(path.parent().map_or_else(PathBuf::new, Path::to_path_buf));
    }
    read_mesh(&bytes, format, &options).map_err(|error| error.in_file(path))
}

/// Reads a mesh from the bytes of a file of the given format.
///
/// ```
/// use clearance_io::{LoadOptions, MeshFormat, read_mesh};
/// let text = b"OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";
/// let mesh = read_mesh(text, MeshFormat::Off, &LoadOptions::default())?;
/// assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
/// # Ok::<(), clearance_io::Error>(())
/// ```
pub fn read_mesh(bytes: &[u8], format: MeshFormat, options: &LoadOptions) -> Result<TriMesh> {
    match format {
        MeshFormat::Stl => stl::read(bytes, options),
        MeshFormat::Obj => obj::read(bytes, options),
        MeshFormat::Ply => ply::read(bytes, options),
        MeshFormat::Collada => collada::read(bytes, options),
        MeshFormat::Off => off::read(bytes, options),
        MeshFormat::Gltf => gltf::read(bytes, options),
        MeshFormat::Tris => tris::read(bytes, options),
    }
}

/// The formats that are read here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MeshFormat {
    /// STL, binary or text, told apart by its size and contents (`.stl`).
    Stl,
    /// Wavefront OBJ (`.obj`).
    Obj,
    /// Stanford PLY, text or binary of either byte order (`.ply`).
    Ply,
    /// Collada (`.dae`).
    Collada,
    /// Geomview's OFF and its variants with normals and colours (`.off`, `.coff`, `.noff`).
    Off,
    /// glTF 2.0 as JSON or as GLB, told apart by its first bytes (`.gltf`, `.glb`).
    Gltf,
    /// The text format of PQP's demos: a count, then nine numbers per triangle (`.tris`).
    Tris,
}

impl MeshFormat {
    /// The format that the extension of `path` names, in either case.
    ///
    /// ```
    /// use clearance_io::MeshFormat;
    /// assert_eq!(MeshFormat::from_path("arm/link.DAE".as_ref())?, MeshFormat::Collada);
    /// # Ok::<(), clearance_io::Error>(())
    /// ```
    pub fn from_path(path: &Path) -> Result<Self> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match extension.as_str() {
            "stl" => Ok(Self::Stl),
            "obj" => Ok(Self::Obj),
            "ply" => Ok(Self::Ply),
            "dae" => Ok(Self::Collada),
            "off" | "coff" | "noff" => Ok(Self::Off),
            "gltf" | "glb" => Ok(Self::Gltf),
            "tris" => Ok(Self::Tris),
            _ => {
                let reason = format!(
                    "the extension '{extension}' names no mesh format read here: stl, obj, ply, dae, off, gltf, glb, tris"
                );
                Err(Error::new(ErrorKind::UnknownFormat, Place::Whole, reason).in_file(path))
            }
        }
    }
}

/// What a reader may decide differently for the same file.
///
/// ```
/// use clearance_io::{LoadOptions, UnitPolicy};
/// let as_assimp_does = LoadOptions { unit: UnitPolicy::Ignore, ..LoadOptions::default() };
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadOptions {
    /// What to do with the unit that a Collada file states.
    pub unit: UnitPolicy,
    /// What to do with the upward axis that a Collada file states; glTF's is always Y.
    pub up_axis: UpAxisPolicy,
    /// The most vertices, and the most triangles, that a mesh may have. Repeated instances multiply
    /// them, so that a small file can ask for any amount of memory. The engine's limit of 2³² holds
    /// as well.
    pub max_elements: usize,
    /// Where the external buffers of a glTF file lie; [`load_mesh_with`] takes the file's folder if
    /// this is `None`.
    pub base_dir: Option<PathBuf>,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { unit: UnitPolicy::Apply, up_axis: UpAxisPolicy::Ignore, max_elements: 1 << 26, base_dir: None }
    }
}

/// What to do with the unit that a Collada file states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnitPolicy {
    /// Scale to metres, as the file says.
    Apply,
    /// Take the numbers as they stand, as several loaders do.
    Ignore,
}

/// What to do with the upward axis that a file states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UpAxisPolicy {
    /// Take the coordinates as they stand, as is usual for robots.
    Ignore,
    /// Turn the mesh so that its upward axis becomes Z.
    TurnToZ,
}

/// The bytes of a regular file: a device or pipe might never end.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>> {
    let metadata = std::fs::metadata(path).map_err(|error| Error::io(path, &error))?;
    if !metadata.is_file() {
        return Err(Error::new(ErrorKind::Io, Place::Whole, "not a regular file").in_file(path));
    }
    std::fs::read(path).map_err(|error| Error::io(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_extension_is_named_with_its_path() {
        let error = load_mesh(Path::new("part.step")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnknownFormat);
        assert!(error.to_string().starts_with("part.step: the extension 'step'"), "{error}");
        assert_eq!(load_mesh(Path::new("part")).unwrap_err().kind(), ErrorKind::UnknownFormat);
    }

    #[test]
    fn a_missing_file_and_a_folder_are_io_errors_with_their_path() {
        let error = load_mesh(Path::new("no/such/file.stl")).unwrap_err();
        assert_eq!((error.kind(), error.path()), (ErrorKind::Io, Some(Path::new("no/such/file.stl"))));
        let folder = std::env::temp_dir().join(format!("clearance-io-{}.obj", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        assert_eq!(load_mesh(&folder).unwrap_err().kind(), ErrorKind::Io);
        std::fs::remove_dir(&folder).unwrap();
    }

    #[test]
    fn an_empty_file_is_an_error_in_every_format() {
        use MeshFormat::*;
        for format in [Stl, Obj, Ply, Collada, Off, Gltf, Tris] {
            assert!(read_mesh(b"", format, &LoadOptions::default()).is_err(), "{format:?}");
        }
    }
}
