//! Exact answers between two shapes: `<a>_<b>.rs`.
