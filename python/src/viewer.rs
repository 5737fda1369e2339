//! Recordings for the viewer: glTF, the page that shows them, and a page that follows a program.

use crate::arrays::{Configurations, pose};
use crate::checker::Checker;
use crate::errors::{OrRaise, bad_value, error};
use crate::geometry::geometry_of;
use crate::robot::Robot;
use crate::run::{in_background, lock};
use crate::scene::Scene;
use clearance::viewer::{BodyId, Live, Observer, Recording, RobotId, Timeline, html};
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use std::sync::Arc;

/// The frames of a robot, one for each row.
struct Frames {
    rows: Vec<Vec<f64>>,
    timeline: Timeline,
}

impl Frames {
    /// Configurations that no motion connects, or a motion of `duration` seconds.
    fn new(q: Option<&Bound<'_, PyAny>>, duration: Option<f64>, robot: &clearance::Robot) -> PyResult<Self> {
        let rows = match q {
            None => vec![robot.default_configuration()],
            Some(q) => {
                let rows = Configurations::new("q", q, robot.variables().len())?;
                rows.rows().range(0..rows.len()).into_iter().map(<[f64]>::to_vec).collect()
            }
        };
        let last = rows.len().saturating_sub(1).max(1) as f64;
        let (unit, scale) = duration.map_or(("row", 1.0), |duration| ("s", duration / last));
        let times = (0..rows.len()).map(|row| row as f64 * scale).collect();
        Ok(Self { rows, timeline: Timeline { unit: unit.into(), step: duration.is_none(), times } })
    }
}

/// A recording, and what a program that shows it can name.
struct Made {
    recording: Recording,
    robot: Option<(RobotId, usize)>,
    objects: Vec<(String, BodyId)>,
    /// A checker answers for what the program shows.
    checker: Option<clearance::Checker>,
}

impl Made {
    /// A geometry, a list of them with poses, a scene, a robot or a checker; with the frames' rows for
    /// a robot.
    fn new(
        shown: &Bound<'_, PyAny>,
        q: Option<&Bound<'_, PyAny>>,
        duration: Option<f64>,
        title: &str,
    ) -> PyResult<Self> {
        let (py, mut recording) = (shown.py(), Recording::new(title));
        let (mut robot, mut objects, mut checker) = (None, Vec::new(), None);
        let mut add_robot = |recording: &mut Recording, model: &Arc<clearance::Robot>, base: &clearance::Pose| {
            let frames = Frames::new(q, duration, model)?;
            let number = recording.add_robot(model, base, None).or_raise(py)?;
            recording.set_timeline(frames.timeline).or_raise(py)?;
            recording.set_motion(number, frames.rows).or_raise(py)?;
            robot = Some((number, model.variables().len()));
            PyResult::Ok(())
        };
        let mut add_scene = |recording: &mut Recording, scene: &clearance::Scene| {
            let bodies = recording.add_scene(scene).or_raise(py)?;
            objects = scene.names().map(str::to_owned).zip(bodies).collect();
            PyResult::Ok(())
        };
        if let Ok(shown) = shown.cast::<Checker>() {
            let own = shown.get().own(py)?;
            add_robot(&mut recording, own.robot(), &own.base())?;
            for object in &own.options().attached {
                recording.add_attached(0, object).or_raise(py)?;
            }
            add_scene(&mut recording, own.scene())?;
            checker = Some(own);
        } else if let Ok(shown) = shown.cast::<Robot>() {
            add_robot(&mut recording, &shown.get().inner, &clearance::Pose::IDENTITY)?;
        } else if let Ok(shown) = shown.cast::<Scene>() {
            add_scene(&mut recording, &lock(py, &shown.get().state)?.scene)?;
        } else {
            let all = match shown.cast::<PyList>() {
                Ok(list) => list.clone(),
                Err(_) => PyList::new(py, [shown])?,
            };
            for (number, one) in all.iter().enumerate() {
                let (geometry, place) = match one.cast::<PyTuple>() {
                    Ok(pair) if pair.len() == 2 => (pair.get_item(0)?, Some(pair.get_item(1)?)),
                    _ => (one, None),
                };
                let (geometry, place) = (geometry_of(&geometry)?, pose("pose", place.as_ref(), "xyzw")?);
                let name = format!("{} {number}", geometry.get().inner().kind());
                let body = recording.add_object(&name, &**geometry.get().inner(), &place).or_raise(py)?;
                objects.push((name, body));
            }
        }
        Ok(Self { recording, robot, objects, checker })
    }
}

fn checked_near(py: Python<'_>, near: f64) -> PyResult<()> {
    if near.is_finite() && near >= 0.0 {
        return Ok(());
    }
    Err(bad_value(py, format!("near is {near}; expected a distance")))
}

/// The glTF file of what [`Made::new`] takes.
#[pyfunction(name = "_recording")]
pub fn recording<'py>(
    shown: &Bound<'py, PyAny>,
    q: Option<&Bound<'py, PyAny>>,
    duration: Option<f64>,
    near: f64,
    title: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = shown.py();
    checked_near(py, near)?;
    let mut made = Made::new(shown, q, duration, title)?;
    let glb = in_background(py, "recording", move |_| {
        if let (Some(checker), Some((robot, _))) = (&made.checker, made.robot) {
            let bodies: Vec<BodyId> = made.objects.iter().map(|(_, body)| *body).collect();
            Observer { checker, bodies: Some(&bodies), own: true, near }.record(&mut made.recording, robot)?;
        }
        made.recording.glb()
    })?;
    Ok(PyBytes::new(py, &glb.or_raise(py)?))
}

/// A page that follows a running program; `clearance.Viewer` is what users see of it.
#[pyclass(frozen, weakref, module = "clearance._clearance", name = "_Viewer")]
pub struct LiveViewer {
    /// None once it is closed.
    inner: Mutex<Option<clearance::viewer::Viewer>>,
    robot: Option<(RobotId, usize)>,
    objects: Vec<(String, BodyId)>,
}

impl LiveViewer {
    fn with<T>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&clearance::viewer::Viewer) -> clearance::viewer::Result<T>,
    ) -> PyResult<T> {
        match &*lock(py, &self.inner)? {
            Some(viewer) => ask(viewer).or_raise(py),
            None => Err(error(py, "Error", "this viewer is closed")),
        }
    }
}

#[pymethods]
impl LiveViewer {
    #[new]
    fn new(shown: &Bound<'_, PyAny>, q: Option<&Bound<'_, PyAny>>, near: f64, title: &str) -> PyResult<Self> {
        let py = shown.py();
        checked_near(py, near)?;
        let Made { recording, robot, objects, checker } = Made::new(shown, q, None, title)?;
        let bodies: Vec<BodyId> = objects.iter().map(|(_, body)| *body).collect();
        let viewer = in_background(py, "viewer", move |_| {
            let live = checker.zip(robot);
            let live = live.map(|(checker, (robot, _))| Live::new(checker, &recording, robot, Some(bodies), near));
            clearance::viewer::Viewer::serve(&recording, live)
        })?;
        Ok(Self { inner: Mutex::new(Some(viewer.or_raise(py)?)), robot, objects })
    }

    #[getter]
    fn address(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |viewer| Ok(viewer.address().to_owned()))
    }

    #[getter]
    fn watching(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |viewer| Ok(viewer.watching()))
    }

    #[getter]
    fn names(&self) -> Vec<&str> {
        self.objects.iter().map(|(name, _)| &**name).collect()
    }

    fn show(&self, q: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = q.py();
        let Some((robot, count)) = self.robot else {
            return Err(bad_value(py, "this viewer shows no robot"));
        };
        let rows = Configurations::new("q", q, count)?;
        match rows.len() {
            1 => self.with(py, |viewer| viewer.show(robot, rows.rows().row(0))),
            many => Err(bad_value(py, format!("q has {many} rows; expected one configuration"))),
        }
    }

    fn place(&self, name: &str, pose: &Bound<'_, PyAny>, quat: &str) -> PyResult<()> {
        let (py, place) = (pose.py(), self::pose("pose", Some(pose), quat)?);
        let body = self.objects.iter().find(|(known, _)| known == name);
        let Some((_, body)) = body else {
            return Err(error(py, "NamingError", format!("there is no object '{name}'")));
        };
        self.with(py, |viewer| viewer.place(*body, &place))
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let viewer = lock(py, &self.inner)?.take();
        // It waits for its server.
        py.detach(|| drop(viewer));
        Ok(())
    }
}

/// The page of a glTF file.
#[pyfunction(name = "_page")]
pub fn page(glb: &[u8], title: &str) -> String {
    html(glb, title)
}
