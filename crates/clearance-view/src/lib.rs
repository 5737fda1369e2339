//! What the viewer of `clearance` shows, and the page that shows it.
//!
//! A [`Recording`] holds robots, objects, a motion and what was found out along it. [`Recording::glb`]
//! writes it as an animated glTF file that other viewers open too; what glTF has no place for (joints,
//! clearances, pairs of links) is in the file's `extras`. [`html`] makes one page of it that needs no
//! network, and [`Server`] serves that page to this machine alone.
//!
//! ```
//! use clearance_engine::{Pose, math::DVec3, shape::Sphere, tree::Solid};
//! use clearance_view::{Recording, html};
//! let mut recording = Recording::new("a ball");
//! recording.add_object("ball", &Solid::new(Sphere::new(0.1)?), &Pose::from_xyz(0.0, 0.0, 1.0)?)?;
//! let glb = recording.glb()?;
//! assert_eq!(&glb[..4], b"glTF");
//! assert!(html(&glb, "a ball").contains("</html>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Live`] answers a page for other configurations, behind the server or in the page itself, where
//! [`live_html`] puts the engine as WebAssembly. [`Viewer`] shows what a program does while it runs.
//!
//! `tessellate` says what geometries look like, `recording` holds what is shown, `facts` is the JSON
//! of the `extras`, `glb` writes the file, `observe` asks about a robot along its motion, `picture`
//! draws a frame, `live` answers, with `volumes` to look at, `model` is what it holds as bytes,
//! `page`, `server` and `viewer` bring it to the browser.

mod between;
mod error;
mod facts;
mod glb;
mod live;
mod model;
mod observe;
#[cfg(feature = "serve")]
mod page;
mod pairs;
mod picture;
mod recording;
#[cfg(feature = "serve")]
mod server;
mod tessellate;
#[cfg(feature = "serve")]
mod viewer;
mod volumes;

pub use between::between;
pub use error::{Error, Result};
pub use facts::{Clearance, PairVerdict, Segment, Timeline, Touch, Witness};
pub use glb::is_recording;
pub use live::Live;
pub use observe::Observer;
#[cfg(feature = "serve")]
pub use page::{html, live_html};
pub use pairs::pair_verdicts;
pub use recording::{BodyId, Recording, RobotId};
#[cfg(feature = "serve")]
pub use server::Server;
#[cfg(feature = "serve")]
pub use viewer::Viewer;
