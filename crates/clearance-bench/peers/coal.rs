//! coal as an engine of the races (`coal.cpp`).

use crate::harness::{HarnessEngine, Method};
use clearance_bench::Result;
use clearance_bench::engines::{Engine, Query};
use std::path::Path;

/// The volumes that have a fast path for a query.
pub fn volumes(folder: &Path) -> Result<Vec<Box<dyn Engine>>> {
    let volume = |name: &'static str, queries| {
        let word = name.trim_start_matches("coal-");
        Method { name, word, queries, allowed: 1e-10 }
    };
    let volumes = [
        volume("coal-OBBRSS", &[Query::Distance, Query::Collide, Query::Build]),
        volume("coal-kIOS", &[Query::Distance, Query::Collide, Query::Build]),
        volume("coal-RSS", &[Query::Distance]),
        volume("coal-OBB", &[Query::Collide]),
    ];
    HarnessEngine::start("coal", folder, volumes)
}

/// Convex bodies without a hierarchy.
pub fn convex(folder: &Path) -> Result<Vec<Box<dyn Engine>>> {
    let queries = &[Query::Distance, Query::Collide, Query::Penetration];
    // They are measured to within 1e-6 by default.
    HarnessEngine::start("coal", folder, [Method { name: "coal", word: "convex", queries, allowed: 2e-6 }])
}
