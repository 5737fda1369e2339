//! Recordings for the viewer: glTF, and the page that shows them.

use crate::arrays::{Configurations, pose};
use crate::checker::Checker;
use crate::errors::{OrRaise, bad_value};
use crate::geometry::geometry_of;
use crate::robot::Robot;
use crate::run::{in_background, lock};
use crate::scene::Scene;
use clearance::viewer::{Observer, Recording, Timeline, html};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

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

/// The glTF file of a geometry, a list of them with poses, a scene, a robot or a checker.
#[pyfunction(name = "_recording")]
pub fn recording<'py>(
    shown: &Bound<'py, PyAny>,
    q: Option<&Bound<'py, PyAny>>,
    duration: Option<f64>,
    near: f64,
    title: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = shown.py();
    if !near.is_finite() || near < 0.0 {
        return Err(bad_value(py, format!("near is {near}; expected a distance")));
    }
    let mut made = Recording::new(title);
    let glb = if let Ok(checker) = shown.cast::<Checker>() {
        let checker = checker.get().own(py)?;
        let frames = Frames::new(q, duration, checker.robot())?;
        in_background(py, "recording", move |_| {
            let robot = made.add_robot(checker.robot(), &checker.base(), None)?;
            let bodies = made.add_scene(checker.scene())?;
            made.set_timeline(frames.timeline)?;
            made.set_motion(robot, frames.rows)?;
            Observer { checker: &checker, bodies: Some(&bodies), own: true, near }.record(&mut made, robot)?;
            made.glb()
        })?
    } else if let Ok(robot) = shown.cast::<Robot>() {
        let robot = robot.get().inner.clone();
        let frames = Frames::new(q, duration, &robot)?;
        in_background(py, "recording", move |_| {
            let number = made.add_robot(&robot, &clearance::Pose::IDENTITY, None)?;
            made.set_timeline(frames.timeline)?;
            made.set_motion(number, frames.rows)?;
            made.glb()
        })?
    } else if let Ok(scene) = shown.cast::<Scene>() {
        made.add_scene(&lock(py, &scene.get().state)?.scene).or_raise(py)?;
        in_background(py, "recording", move |_| made.glb())?
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
            made.add_object(&name, &**geometry.get().inner(), &place).or_raise(py)?;
        }
        in_background(py, "recording", move |_| made.glb())?
    };
    Ok(PyBytes::new(py, &glb.or_raise(py)?))
}

/// The page of a glTF file.
#[pyfunction(name = "_page")]
pub fn page(glb: &[u8], title: &str) -> String {
    html(glb, title)
}
