//! What commands share that record: files of recordings, and pages.

use crate::outputs;
use anyhow::Result;
use clearance_view::{Recording, html};
use std::path::Path;

/// Links this near to something, in metres, are shown as near.
pub const NEAR: f64 = 0.02;

/// Writes a recording as animated glTF.
pub fn write(path: &Path, recording: &Recording) -> Result<()> {
    let glb = recording.glb()?;
    outputs::write(path, |path| Ok(std::fs::write(path, &glb)?))
}

/// Writes a recording as a page that opens without network.
pub fn write_page(path: &Path, recording: &Recording) -> Result<()> {
    let page = html(&recording.glb()?, recording.title());
    outputs::write(path, |path| Ok(std::fs::write(path, &page)?))
}
