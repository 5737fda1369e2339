//! Where the mesh files of a robot are: `package://`, `file://`, absolute and relative paths.
//!
//! `package://A/b` (three slashes mean the same) is the first existing `DIR/A/b` over the given
//! folders, then over the folders above the URDF file. Relative paths start at the URDF file's
//! folder. Nothing else is searched: no environment variables.

use crate::xml::quoted;
use crate::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

/// Folders are listed in an error up to this many.
const MAX_FOLDERS: usize = 4;

/// Finds files for the URDF file in one folder.
pub(crate) struct Resolver<'a> {
    packages: &'a [PathBuf],
    /// Where relative paths start; nowhere for a robot that was read from memory.
    folder: Option<&'a Path>,
    /// The folder and those above it.
    above: Vec<PathBuf>,
}

impl<'a> Resolver<'a> {
    pub fn new(packages: &'a [PathBuf], folder: Option<&'a Path>) -> Self {
        let above = folder.map_or_else(Vec::new, |folder| {
            let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            // Without links and `..`, whose parents would not be the folders above.
            let absolute = here.canonicalize().or_else(|_| std::path::absolute(here));
            absolute.unwrap_or_else(|_| here.to_path_buf()).ancestors().map(Path::to_path_buf).collect()
        });
        Self { packages, folder, above }
    }

    /// The existing file that `uri` names.
    pub fn resolve(&self, uri: &str) -> Result<PathBuf> {
        if let Some(path) = uri.strip_prefix("package:") {
            return self.in_packages(uri, path.trim_start_matches('/'));
        }
        if let Some(path) = uri.strip_prefix("file:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            let path = path.strip_prefix("localhost").filter(|rest| rest.starts_with('/')).unwrap_or(path);
            let plain = self.plain(uri, path);
            return plain.or_else(|error| percent_decoded(path).map_or(Err(error), |path| self.plain(uri, &path)));
        }
        if let Some((scheme, _)) = uri.split_once("://") {
            let reason = format!(
                "the mesh '{}' has the scheme '{}', which is not read; use package://, file:// or a path",
                quoted(uri),
                quoted(scheme)
            );
            return Err(Error::new(ErrorKind::Unsupported, reason));
        }
        self.plain(uri, uri)
    }

    fn in_packages(&self, uri: &str, path: &str) -> Result<PathBuf> {
        let folders = || self.packages.iter().chain(&self.above);
        if let Some(found) = folders().map(|folder| folder.join(path)).find(|file| file.is_file()) {
            return Ok(found);
        }
        let uri = quoted(uri);
        let (package, rest) = path.split_once('/').unwrap_or((path, ""));
        if let Some(folder) = folders().map(|folder| folder.join(package)).find(|folder| folder.is_dir()) {
            let reason = format!("the mesh '{uri}' does not exist: {} has no '{}'", folder.display(), quoted(rest));
            return Err(Error::new(ErrorKind::MissingMesh, reason));
        }
        let given: Vec<String> =
            self.packages.iter().take(MAX_FOLDERS).map(|folder| format!("{}, ", folder.display())).collect();
        let reason = format!(
            "the mesh '{uri}' was not found: no folder '{}' in {}the folders above the URDF file; name the folder that holds \
             it (--package DIR)",
            quoted(package),
            given.concat()
        );
        Err(Error::new(ErrorKind::MissingMesh, reason))
    }

    fn plain(&self, uri: &str, path: &str) -> Result<PathBuf> {
        let path = Path::new(path);
        let file = match self.folder {
            Some(folder) => folder.join(path),
            None if path.is_absolute() => path.to_path_buf(),
            None => {
                let reason = format!("the mesh '{}' is relative, but the robot's folder is not known", quoted(uri));
                return Err(Error::new(ErrorKind::MissingMesh, reason));
            }
        };
        if file.is_file() {
            return Ok(file);
        }
        let hint = if uri.contains("$(") { "; expand the file with xacro first" } else { "" };
        let reason = format!("the mesh '{}' does not exist: there is no file {}{hint}", quoted(uri), file.display());
        Err(Error::new(ErrorKind::MissingMesh, reason))
    }
}

/// The path with `%20` and the like replaced; none where there is nothing to replace or it makes no
/// text.
fn percent_decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| byte == b'%').and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(decoded) => {
                bytes.push(decoded);
                rest = &after[2..];
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok().filter(|decoded| decoded != path)
}
