//! What a running program does, in the browser while it does it.

use crate::facts::numbers;
use crate::server::Server;
use crate::{BodyId, Error, Live, Recording, Result, RobotId};
use clearance_engine::Pose;
use serde::Serialize;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Where things are now, as the page reads it.
#[derive(Default, Clone, Serialize)]
struct Now {
    /// By robot.
    rows: Vec<Vec<f64>>,
    /// Objects that were moved.
    moved: BTreeMap<BodyId, [f64; 7]>,
    /// How often something has changed.
    #[serde(skip)]
    changes: u64,
    #[serde(skip)]
    ended: bool,
    #[serde(skip)]
    watching: usize,
}

/// What the program shows and the server's threads send.
#[derive(Default)]
pub(crate) struct Stream {
    now: Mutex<Now>,
    changed: Condvar,
}

/// Shows a running program's robots and objects in the browser.
///
/// Poses are streamed to the page: up to 60 a second, and always the newest. The program never waits for
/// the page. The page is served to this machine alone, as [`Server`] does it, until the viewer is
/// dropped.
///
/// ```
/// use clearance_engine::{Pose, math::DVec3};
/// use clearance_robot::{JointSpec, LinkGeometry, LinkShape, RobotBuilder};
/// use clearance_view::{Recording, Viewer};
/// let rod = LinkGeometry::new(Pose::from_xyz(0.0, 0.0, -0.5)?, LinkShape::Capsule { radius: 0.05, length: 1.0 });
/// let robot = RobotBuilder::new("pendulum").link("ceiling", []).link("rod", [rod])
///     .joint(JointSpec::revolute("hinge", "ceiling", "rod", DVec3::Y, [-1.0, 1.0])).build()?;
/// let mut recording = Recording::new("a pendulum");
/// let pendulum = recording.add_robot(&robot.into(), &Pose::IDENTITY, None)?;
/// let viewer = Viewer::serve(&recording, None)?; // `open` does the same and opens a browser
/// println!("{}", viewer.address());
/// for step in 0..100 {
///     viewer.show(pendulum, &[(f64::from(step) / 60.0).sin()])?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Viewer {
    stream: Arc<Stream>,
    address: String,
    port: u16,
    /// The numbers of the robots' variables.
    variables: Vec<usize>,
    bodies: usize,
    thread: Option<JoinHandle<Result<()>>>,
}

impl Viewer {
    /// Serves a recording and opens it in the browser. If that fails, the [address](Self::address) is
    /// there to be opened by hand.
    pub fn open(recording: &Recording, live: Option<Live>) -> Result<Self> {
        let viewer = Self::serve(recording, live)?;
        // Machines without a browser are not an error: others have the address.
        let _ = open::that_detached(&viewer.address);
        Ok(viewer)
    }

    /// Serves a recording without opening it. With `live`, the page shows distances, gradients and
    /// contacts of what it is shown.
    pub fn serve(recording: &Recording, live: Option<Live>) -> Result<Self> {
        let rows = recording.robots.iter().map(|robot| robot.configurations[0].clone()).collect::<Vec<_>>();
        let variables = rows.iter().map(Vec::len).collect();
        let stream = Arc::new(Stream::default());
        stream.lock().rows = rows;
        let server = Server::bind(&recording.glb()?)?.with_stream(stream.clone());
        let server = if let Some(live) = live { server.with_live(live) } else { server };
        let (address, port) = (server.address(), server.port());
        let thread = Some(std::thread::spawn(move || server.run()));
        Ok(Self { stream, address, port, variables, bodies: recording.bodies.len(), thread })
    }

    /// The address of the page, with its token.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The number of pages that watch.
    pub fn watching(&self) -> usize {
        self.stream.lock().watching
    }

    /// Shows a robot in a configuration.
    pub fn show(&self, robot: RobotId, configuration: &[f64]) -> Result<()> {
        let expected = self.variables.get(robot).copied();
        if expected != Some(configuration.len()) || !configuration.iter().all(|number| number.is_finite()) {
            return Err(Error::Mismatch(match expected {
                Some(expected) => format!("a configuration must be {expected} finite numbers"),
                None => format!("there is no robot {robot}"),
            }));
        }
        self.stream.change(|now| now.rows[robot].copy_from_slice(configuration));
        Ok(())
    }

    /// Shows an object at a pose in the world.
    pub fn place(&self, body: BodyId, pose: &Pose) -> Result<()> {
        if body >= self.bodies {
            return Err(Error::Mismatch(format!("there is no body {body}")));
        }
        self.stream.change(|now| {
            now.moved.insert(body, numbers(pose));
        });
        Ok(())
    }

    /// Waits until the server ends, which it does with the program.
    pub fn wait(mut self) -> Result<()> {
        let ended = self.thread.take().map(JoinHandle::join);
        ended.and_then(std::result::Result::ok).unwrap_or(Ok(()))
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        self.stream.change(|now| now.ended = true);
        // The server waits for a connection: this one tells it to look.
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        if TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok() {
            let _ = thread.join();
        }
    }
}

impl Stream {
    /// What is shown stays whole if a thread that holds it panics.
    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Now)) {
        let mut now = self.lock();
        change(&mut now);
        now.changes += 1;
        self.changed.notify_all();
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.lock().ended
    }

    pub(crate) fn watch(&self, by: isize) {
        let mut now = self.lock();
        now.watching = now.watching.saturating_add_signed(by);
    }

    /// The newest state as JSON once it differs from the one that was `seen`; an empty text after
    /// `patience`, nothing at the end.
    pub(crate) fn next(&self, seen: &mut Option<u64>, patience: Duration) -> Option<String> {
        let same = |now: &mut Now| *seen == Some(now.changes) && !now.ended;
        let waited = self.changed.wait_timeout_while(self.lock(), patience, same);
        let (now, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if now.ended {
            return None;
        }
        if *seen == Some(now.changes) {
            return Some(String::new());
        }
        *seen = Some(now.changes);
        let now = now.clone();
        Some(serde_json::to_string(&now).unwrap_or_default())
    }
}
