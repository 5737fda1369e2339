//! Small files made to take much time or memory: every reader stays within what `docs/limits.md`
//! promises.

mod bounded;
mod meshes;
mod others;
mod scenes;

use bounded::bounded;
