//! Small files made to take much time or memory: every reader stays within what the guide
//! (`docs/guide/src/accuracy-and-limits.md`) promises.

mod bounded;
mod meshes;
mod others;
mod scenes;

use bounded::bounded;
