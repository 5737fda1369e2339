//! libccd as an engine of the races between convex bodies (`ccd.cpp`).

use crate::harness::{HarnessEngine, Method};
use clearance_bench::Result;
use clearance_bench::engines::{Engine, Query};
use std::path::Path;

/// Its two searches; none where `run` could not get it, which has said so.
pub fn engines(folder: &Path) -> Result<Vec<Box<dyn Engine>>> {
    if !folder.join("ccd").is_file() {
        return Ok(Vec::new());
    }
    let method = |name, word, queries| Method { name, word, queries, allowed: 2e-6 };
    let methods = [
        // Its depth is only an approximation: of cubes a fifth are too large.
        method("ccd-mpr", "mpr", &[Query::Collide]),
        method("ccd-gjk", "gjk", &[Query::Collide, Query::Penetration]),
    ];
    HarnessEngine::start("ccd", folder, methods)
}
