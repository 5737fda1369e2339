//! A robot in its scene: the class. `asking` has how it asks, `options` what it was told, `proofs`
//! what is proven and prepared, `pickles` its copies.

mod asking;
mod options;
mod pickles;
mod proofs;

use asking::two;
use options::{Names, as_arguments, change};
use proofs::{effort, load_planning, never, prepare, prove, reach, verdict};

use crate::arrays::{pose, pose_array};
use crate::errors::OrRaise;
use crate::geometry::{Geometry, geometry_of};
use crate::results::{Distance, Hit, near_pairs};
use crate::robot::Robot;
use crate::run::{detached, in_background, lock};
use crate::scene::Scene;
use crate::sensing::Rays;
use clearance::engine::assembly::NearRequest;
use clearance::robot::{Find, GapOptions};
use clearance::{CheckOptions, DistanceRequest, Edge, MotionRequest};
use numpy::{PyArray1, PyArray2};
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyList, PyTuple};
use std::collections::HashMap;
use std::path::PathBuf;

/// Checks a robot against itself and its scene.
///
/// Configurations are arrays `(dof,)` in the order of `robot.joint_names`, or `(n, dof)` for many.
/// A checker may be used from several threads, one call after the other; `copy.copy` gives another
/// one of the same scene, which shares hierarchies and proofs.
///
/// Args:
///     robot: the robot.
///     scene: what stands around; `checker.scene` is an empty one without it.
///     padding: how much larger every link is meant to be, in metres; `paddings` for single links.
///     margin: the distance below which a pair counts as colliding; `margins` for single pairs.
///     allowed: pairs of names that may touch: links, attached objects, objects of the scene.
///     disabled: pairs of links that are not looked at, besides those of the robot's SRDF file.
///     only: links, or the name of a group, whose pairs are looked at; all by default.
///     base: the pose of the root link in the world.
///
/// >>> import clearance, numpy as np
/// >>> arm = clearance.RobotBuilder("crank").link("base").link(
/// ...     "arm", [(clearance.Capsule(0.05, 0.1), [0.5, 0, 0, 0, 0, 0, 1])])
/// >>> robot = arm.joint("hub", "base", "arm", "continuous", axis=[0, 0, 1]).build()
/// >>> checker = clearance.Checker(robot)
/// >>> checker.scene.add("wall", clearance.Box([0.1, 2, 2]), [-0.5, 0, 0, 0, 0, 0, 1])
/// >>> checker.collides([0.0]), checker.collides([3.1])
/// (False, True)
/// >>> checker.collides(np.array([[0.0], [3.1]]))
/// array([False,  True])
/// >>> nearest = checker.distance([0.0])
/// >>> nearest.a, nearest.b
/// ('arm', 'wall')
/// >>> checker.edges_free([0.0], [1.0])
/// True
#[pyclass(frozen, weakref, subclass, module = "clearance")]
pub struct Checker {
    state: Mutex<State>,
    /// The robot.
    #[pyo3(get)]
    robot: Py<Robot>,
}

struct State {
    /// Its own scene is empty; queries put the shared one there.
    checker: clearance::Checker,
    scene: Py<Scene>,
    base: clearance::Pose,
    attached: HashMap<String, Py<Geometry>>,
    /// What the proofs were made with; files of proofs ask for it.
    evaluations: usize,
    /// Whether `prepare_for_planning` has run.
    prepared: bool,
    /// The last configuration that `collides` decided without placing what is attached.
    last: Vec<f64>,
}

impl State {
    /// Puts what is attached where `collides` saw it last.
    fn place_last(&mut self, py: Python<'_>) -> PyResult<()> {
        if !self.last.is_empty() {
            self.checker.link_poses(&self.last).or_raise(py)?;
            self.last.clear();
        }
        Ok(())
    }
}

#[pymethods]
impl Checker {
    #[new]
    #[pyo3(signature = (robot, scene = None, *, padding = None, paddings = None, margin = None, margins = None, allowed = None, disabled = None, only = None, base = None))]
    fn new(
        robot: &Bound<'_, Robot>,
        scene: Option<Bound<'_, Scene>>,
        padding: Option<f64>,
        paddings: Option<HashMap<String, f64>>,
        margin: Option<f64>,
        margins: Option<HashMap<Names, f64>>,
        allowed: Option<Vec<Names>>,
        disabled: Option<Vec<Names>>,
        only: Option<&Bound<'_, PyAny>>,
        base: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let py = robot.py();
        let scene = match scene {
            Some(scene) => scene,
            None => py.get_type::<Scene>().call0()?.cast_into::<Scene>()?,
        };
        let (inner, base) = (robot.get().inner.clone(), pose("base", base, "xyzw")?);
        let mut options = CheckOptions::default();
        change(robot, &mut options, padding, paddings, margin, margins, allowed, disabled, only)?;
        let mut checker =
            in_background(py, "checker", move |_| clearance::Checker::with_options(inner, options))?.or_raise(py)?;
        checker.set_base(base).or_raise(py)?;
        let (attached, prepared, last) = (HashMap::new(), false, Vec::new());
        let evaluations = GapOptions::default().evaluations;
        let state = State { checker, scene: scene.unbind(), base, attached, evaluations, prepared, last };
        Ok(Self { state: Mutex::new(state), robot: robot.clone().unbind() })
    }

    /// What stands around; shared, so that its changes are seen here.
    #[getter]
    fn scene(&self, py: Python<'_>) -> PyResult<Py<Scene>> {
        Ok(lock(py, &self.state)?.scene.clone_ref(py))
    }

    #[setter]
    fn set_scene(&self, py: Python<'_>, scene: Py<Scene>) -> PyResult<()> {
        lock(py, &self.state)?.scene = scene;
        Ok(())
    }

    /// The pose of the root link in the world.
    #[getter]
    fn base<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        Ok(pose_array(py, &lock(py, &self.state)?.base))
    }

    #[setter]
    fn set_base(&self, base: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, base) = (base.py(), pose("base", Some(base), "xyzw")?);
        let mut state = lock(py, &self.state)?;
        state.checker.set_base(base).or_raise(py)?;
        state.base = base;
        Ok(())
    }

    /// Changes paddings, margins and pairs, as in the constructor; what is not given stays.
    #[pyo3(signature = (*, padding = None, paddings = None, margin = None, margins = None, allowed = None, disabled = None, only = None))]
    fn set_options(
        &self,
        py: Python<'_>,
        padding: Option<f64>,
        paddings: Option<HashMap<String, f64>>,
        margin: Option<f64>,
        margins: Option<HashMap<Names, f64>>,
        allowed: Option<Vec<Names>>,
        disabled: Option<Vec<Names>>,
        only: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mut state = lock(py, &self.state)?;
        let mut options = state.checker.options().clone();
        let robot = self.robot.bind(py);
        change(robot, &mut options, padding, paddings, margin, margins, allowed, disabled, only)?;
        let State { checker, .. } = &mut *state;
        detached(py, || checker.set_options(options))?.or_raise(py)
    }

    /// The present options, as `set_options` takes them.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        as_arguments(py, lock(py, &self.state)?.checker.options())
    }

    /// Whether the robot touches itself or the scene: a bool, or an array for many configurations.
    ///
    /// `threads` is for many: how many to use, 0 for all. `prepare_for_planning` makes it several
    /// times as fast.
    #[pyo3(signature = (q, *, threads = 1))]
    fn collides<'py>(&self, q: &Bound<'py, PyAny>, threads: usize) -> PyResult<Bound<'py, PyAny>> {
        self.verdicts(q, threads, |free| !free)
    }

    /// Whether nothing touches: the opposite of `collides`.
    #[pyo3(signature = (q, *, threads = 1))]
    fn is_free<'py>(&self, q: &Bound<'py, PyAny>, threads: usize) -> PyResult<Bound<'py, PyAny>> {
        self.verdicts(q, threads, |free| free)
    }

    /// Two things that touch, as a `Hit`, or None; a list for many configurations.
    fn collision<'py>(&self, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.hits(q, |checker, q| Ok(checker.collision(q)?))
    }

    /// Two parts of the robot that touch each other, as a `Hit`, or None.
    fn self_collision<'py>(&self, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.hits(q, |checker, q| Ok(checker.self_collision(q)?))
    }

    /// A part of the robot and an object of the scene that touch, as a `Hit`, or None.
    fn scene_collision<'py>(&self, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.hits(q, |checker, q| Ok(checker.scene_collision(q)?))
    }

    /// All pairs that touch in one configuration.
    fn collisions(&self, q: &Bound<'_, PyAny>) -> PyResult<Vec<Hit>> {
        self.all_hits(q, |checker, q| Ok(checker.collisions(q)?))
    }

    /// All pairs of parts of the robot that touch each other in one configuration.
    fn self_collisions(&self, q: &Bound<'_, PyAny>) -> PyResult<Vec<Hit>> {
        self.all_hits(q, |checker, q| Ok(checker.self_collisions(q)?))
    }

    /// The distance of the nearest two things: a `Distance` with their names and its gradient by the
    /// joints, or `Distances` for many configurations. It is infinite where nothing is checked.
    ///
    /// Args:
    ///     min_distance: the search ends where the distance is known to be this or less.
    ///     max_distance: what is this far or farther is not measured: the status is 'beyond_max'.
    ///     rel_err, abs_err: how wide the interval may be; wider is faster.
    ///     max_steps: a budget: the search ends with the interval that it has.
    ///     gradients: whether to find normals and gradients; most time goes there where things touch.
    ///     threads: for many configurations, how many to use, 0 for all.
    #[pyo3(signature = (q, *, min_distance = 0.0, max_distance = f64::INFINITY, rel_err = 0.0, abs_err = 0.0, max_steps = None, gradients = true, threads = 1))]
    fn distance<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        min_distance: f64,
        max_distance: f64,
        rel_err: f64,
        abs_err: f64,
        max_steps: Option<usize>,
        gradients: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let request = DistanceRequest { min_d: min_distance, max_d: max_distance, rel_err, abs_err, max_steps };
        self.measured(q, threads, request, gradients, clearance::Checker::distance_with)
    }

    /// The distance of the nearest two parts of the robot; arguments as of `distance`.
    #[pyo3(signature = (q, *, min_distance = 0.0, max_distance = f64::INFINITY, rel_err = 0.0, abs_err = 0.0, max_steps = None, gradients = true, threads = 1))]
    fn self_distance<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        min_distance: f64,
        max_distance: f64,
        rel_err: f64,
        abs_err: f64,
        max_steps: Option<usize>,
        gradients: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let request = DistanceRequest { min_d: min_distance, max_d: max_distance, rel_err, abs_err, max_steps };
        self.measured(q, threads, request, gradients, clearance::Checker::self_distance_with)
    }

    /// The distance of the robot from the nearest object of the scene; arguments as of `distance`.
    #[pyo3(signature = (q, *, min_distance = 0.0, max_distance = f64::INFINITY, rel_err = 0.0, abs_err = 0.0, max_steps = None, gradients = true, threads = 1))]
    fn scene_distance<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        min_distance: f64,
        max_distance: f64,
        rel_err: f64,
        abs_err: f64,
        max_steps: Option<usize>,
        gradients: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let request = DistanceRequest { min_d: min_distance, max_d: max_distance, rel_err, abs_err, max_steps };
        self.measured(q, threads, request, gradients, clearance::Checker::scene_distance_with)
    }

    /// All pairs nearer than `max_distance`, and those that overlap, with signed distances and
    /// their gradients by the joints, `(pairs, dof)`: `NearPairs`.
    ///
    /// Many configurations share one table, in which `row` is the number of the configuration.
    ///
    /// >>> import clearance
    /// >>> lift = clearance.RobotBuilder("lift").link("base").link("hand", [clearance.Sphere(0.1)])
    /// >>> lift = lift.joint("up", "base", "hand", "prismatic", axis=[0, 0, 1], limits=(-1, 1)).build()
    /// >>> checker = clearance.Checker(lift)
    /// >>> checker.scene.add("shelf", clearance.Box([1, 1, 0.1]), clearance.pose([0, 0, 0.5]))
    /// >>> near = checker.near([0.3], 0.1)
    /// >>> near.a[0], near.b[0], near.signed.round(9), near.gradient.round(9)
    /// ('hand', 'shelf', array([0.05]), array([[-1.]]))
    ///
    /// Args:
    ///     examine_ties: whether to find out if the nearest points are the only ones (`unique`).
    ///     max_steps: the budget of each pair.
    ///     threads: for many configurations, how many to use, 0 for all.
    #[pyo3(signature = (q, max_distance, *, examine_ties = true, max_steps = None, threads = 1))]
    fn near<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        max_distance: f64,
        examine_ties: bool,
        max_steps: Option<usize>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let request = NearRequest { max_distance, examine_ties, max_steps };
        let found = self.listed(q, threads, move |checker, q| Ok(checker.near_with(q, &request)?))?;
        near_pairs(q.py(), found, [self.dof(), 0])
    }

    /// As `near`, for pairs of parts of the robot alone.
    #[pyo3(signature = (q, max_distance, *, threads = 1))]
    fn self_near<'py>(&self, q: &Bound<'py, PyAny>, max_distance: f64, threads: usize) -> PyResult<Bound<'py, PyAny>> {
        let found = self.listed(q, threads, move |checker, q| Ok(checker.self_near(q, max_distance)?))?;
        near_pairs(q.py(), found, [self.dof(), 0])
    }

    /// As `near`, for the robot and objects of the scene alone.
    #[pyo3(signature = (q, max_distance, *, threads = 1))]
    fn scene_near<'py>(&self, q: &Bound<'py, PyAny>, max_distance: f64, threads: usize) -> PyResult<Bound<'py, PyAny>> {
        let found = self.listed(q, threads, move |checker, q| Ok(checker.scene_near(q, max_distance)?))?;
        near_pairs(q.py(), found, [self.dof(), 0])
    }

    /// All pairs of this robot and another that are nearer than `max_distance` or overlap:
    /// `NearPairs` with the gradients by the joints of both.
    fn robot_near<'py>(
        slf: &Bound<'py, Self>,
        q: &Bound<'py, PyAny>,
        other: &Bound<'py, Self>,
        other_q: &Bound<'py, PyAny>,
        max_distance: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let found = two(slf, q, other, other_q, |a, q, b, p| Ok(a.robot_near(q, b, p, max_distance)?))?;
        let found = found.into_iter().map(|pair| (0, pair)).collect();
        near_pairs(slf.py(), found, [slf.get().dof(), other.get().dof()])
    }

    /// Where rays of the world first meet the robot in one configuration, or the scene, with the
    /// names of what they hit: `RayHits`.
    #[pyo3(signature = (q, origins, directions, *, max_t = f64::INFINITY))]
    fn rays<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        origins: &Bound<'py, PyAny>,
        directions: &Bound<'py, PyAny>,
        max_t: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.cast(q, &Rays::new(origins, directions, max_t)?)
    }

    /// A part of this robot and one of another that touch, as a `Hit`, or None.
    fn robot_collision<'py>(
        slf: &Bound<'py, Self>,
        q: &Bound<'py, PyAny>,
        other: &Bound<'py, Self>,
        other_q: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Hit>> {
        let hit = two(slf, q, other, other_q, |a, q, b, p| Ok(a.robot_collision(q, b, p)?))?;
        Ok(hit.map(Hit::from))
    }

    /// The distance of the nearest parts of this robot and another; arguments as of `distance`.
    #[pyo3(signature = (q, other, other_q, *, min_distance = 0.0, max_distance = f64::INFINITY, rel_err = 0.0, abs_err = 0.0, max_steps = None))]
    fn robot_distance<'py>(
        slf: &Bound<'py, Self>,
        q: &Bound<'py, PyAny>,
        other: &Bound<'py, Self>,
        other_q: &Bound<'py, PyAny>,
        min_distance: f64,
        max_distance: f64,
        rel_err: f64,
        abs_err: f64,
        max_steps: Option<usize>,
    ) -> PyResult<Distance> {
        let request = DistanceRequest { min_d: min_distance, max_d: max_distance, rel_err, abs_err, max_steps };
        let found = two(slf, q, other, other_q, |a, q, b, p| Ok(a.robot_distance_with(q, b, p, &request)?))?;
        Ok(Distance::of_robot(found, max_distance))
    }

    /// Whether straight motions are collision-free at every time: proven, not sampled. A bool, or
    /// an array for rows of `q0` and `q1`.
    ///
    /// False also where the search gave up; `edges` tells these apart. `prepare_for_planning` makes
    /// it faster where tolerance and budget are the default ones.
    #[pyo3(signature = (q0, q1, *, tolerance = 1e-5, max_evaluations = 1_000_000, threads = 1))]
    fn edges_free<'py>(
        &self,
        q0: &Bound<'py, PyAny>,
        q1: &Bound<'py, PyAny>,
        tolerance: f64,
        max_evaluations: usize,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, from, to) = (q0.py(), self.configurations("q0", q0)?, self.configurations("q1", q1)?);
        let any = MotionRequest { find: Find::Any, ..MotionRequest::default() };
        let request = MotionRequest { tolerance, max_evaluations, ..any };
        let free: Vec<bool> = if request == any && lock(py, &self.state)?.prepared {
            self.screened(py, &from, &to, threads)?
        } else {
            self.motions(py, &from, &to, threads, request)?.iter().map(Edge::is_free).collect()
        };
        match (from.one(), &free[..]) {
            (Some(_), [free]) => Ok(PyBool::new(py, *free).to_owned().into_any()),
            _ => Ok(PyArray1::from_vec(py, free).into_any()),
        }
    }

    /// What becomes of straight motions, as `Edges`: free, or the first contact with its time and
    /// names, or undecided. Times go from 0 to 1.
    #[pyo3(signature = (q0, q1, *, tolerance = 1e-5, max_evaluations = 1_000_000, threads = 1))]
    fn edges<'py>(
        &self,
        q0: &Bound<'py, PyAny>,
        q1: &Bound<'py, PyAny>,
        tolerance: f64,
        max_evaluations: usize,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, from, to) = (q0.py(), self.configurations("q0", q0)?, self.configurations("q1", q1)?);
        let request = MotionRequest { tolerance, max_evaluations, ..MotionRequest::default() };
        Self::edges_result(py, &self.motions(py, &from, &to, threads, request)?)
    }

    /// How near the robot comes to anything on straight motions: `Clearances`, certified intervals.
    ///
    /// Args:
    ///     rel_err: how wide an interval may be, as a part of it; or `tolerance`, in metres.
    ///     max_evaluations: a budget: the search ends with the interval that it has.
    ///     threads: for many motions, how many to use, 0 for all.
    ///
    /// >>> import clearance
    /// >>> cart = clearance.RobotBuilder("cart").link("rail").link("cart", [clearance.Sphere(0.1)])
    /// >>> cart = cart.joint("drive", "rail", "cart", "prismatic", axis=[1, 0, 0], limits=(-3, 3)).build()
    /// >>> checker = clearance.Checker(cart)
    /// >>> checker.scene.add("post", clearance.Sphere(0.1), clearance.pose([0.3, 1, 0]))
    /// >>> found = checker.edge_clearance([-2.0], [2.0], rel_err=1e-3)
    /// >>> found.upper.round(2), found.b[0]
    /// (array([0.8]), 'post')
    #[pyo3(signature = (q0, q1, *, rel_err = 0.01, tolerance = 1e-5, max_evaluations = 1_000_000, threads = 1))]
    fn edge_clearance<'py>(
        &self,
        q0: &Bound<'py, PyAny>,
        q1: &Bound<'py, PyAny>,
        rel_err: f64,
        tolerance: f64,
        max_evaluations: usize,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, from, to) = (q0.py(), self.configurations("q0", q0)?, self.configurations("q1", q1)?);
        let request = MotionRequest { tolerance, max_evaluations, ..MotionRequest::default() };
        request.check().or_raise(py)?;
        Self::clearances_result(py, &self.clearances(py, &from, &to, threads, request, rel_err)?)
    }

    /// Where a link, with what it carries, can be at all within the joint limits: a `Reach`; the
    /// whole robot without a name. An error if nothing bounds it.
    ///
    /// Args:
    ///     link: its name.
    ///     resolution: the edge length of the cells of its voxel map; without it there is none.
    ///
    /// >>> import clearance
    /// >>> lift = clearance.RobotBuilder("lift").link("base").link("hand", [clearance.Sphere(0.1)])
    /// >>> lift = lift.joint("up", "base", "hand", "prismatic", axis=[0, 0, 1], limits=(0, 1)).build()
    /// >>> reach = clearance.Checker(lift).reach("hand")
    /// >>> reach.contains([[0, 0, 0.5], [0, 0, 2]])
    /// array([ True, False])
    #[pyo3(signature = (link = None, *, resolution = None))]
    fn reach<'py>(
        &self,
        py: Python<'py>,
        link: Option<String>,
        resolution: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        reach(py, self.own(py)?, link, resolution)
    }

    /// Whether any configuration within the joint limits brings a link, or what is attached to it,
    /// to an object of the scene: a `Verdict`, proven. Paddings and margins do not count here.
    ///
    /// >>> import clearance
    /// >>> lift = clearance.RobotBuilder("lift").link("base").link("hand", [clearance.Sphere(0.1)])
    /// >>> lift = lift.joint("up", "base", "hand", "prismatic", axis=[0, 0, 1], limits=(0, 1)).build()
    /// >>> checker = clearance.Checker(lift)
    /// >>> checker.scene.add("lamp", clearance.Sphere(0.1), clearance.pose([0, 0, 3]))
    /// >>> found = checker.can_touch("hand", "lamp")
    /// >>> found.status, found.gap > 1.5
    /// ('never', True)
    #[pyo3(signature = (link, object, *, threads = 1, evaluations = None))]
    fn can_touch<'py>(
        &self,
        py: Python<'py>,
        link: String,
        object: String,
        threads: usize,
        evaluations: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (checker, options) = (self.own(py)?, effort(threads, evaluations));
        let found = in_background(py, "reach", move |_| checker.can_touch(&link, &object, &options))?;
        verdict(py, found.or_raise(py)?)
    }

    /// What `prove` found about two links: a `Verdict`; None without it, or if they are not checked.
    #[pyo3(signature = (link_a, link_b, *, threads = 1, evaluations = None))]
    fn link_verdict<'py>(
        &self,
        py: Python<'py>,
        link_a: String,
        link_b: String,
        threads: usize,
        evaluations: Option<usize>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (checker, options) = (self.own(py)?, effort(threads, evaluations));
        let found = in_background(py, "proofs", move |_| checker.link_verdict(&link_a, &link_b, &options))?;
        found.or_raise(py)?.map(|found| verdict(py, found)).transpose()
    }

    /// A distance that two links, each with all that it carries, always keep within the joint
    /// limits, by what `prove` found; 0 where nothing is proven.
    fn branch_gap(&self, py: Python<'_>, link_a: &str, link_b: &str) -> PyResult<f64> {
        lock(py, &self.state)?.checker.branch_gap(link_a, link_b).or_raise(py)
    }

    /// What becomes of a smooth spline through waypoints `(n, dof)`, part by part, as `Edges`.
    fn spline<'py>(&self, waypoints: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, rows) = (waypoints.py(), self.configurations("waypoints", waypoints)?);
        let points: Vec<Vec<f64>> = rows.rows().range(0..rows.len()).into_iter().map(<[f64]>::to_vec).collect();
        let mut checker = self.own(py)?;
        let edges = in_background(py, "spline", move |_| checker.spline(&points))?.or_raise(py)?;
        Self::edges_result(py, &edges)
    }

    /// Makes a link carry an object: it moves with the link and counts as a part of the robot. It
    /// may touch that link and `touch_links`.
    ///
    /// `pose` is `link_from_object`.
    #[pyo3(signature = (name, geometry, link, pose = None, touch_links = Vec::new(), *, quat = "xyzw"))]
    fn attach(
        &self,
        name: &str,
        geometry: &Bound<'_, PyAny>,
        link: &str,
        pose: Option<&Bound<'_, PyAny>>,
        touch_links: Vec<String>,
        quat: &str,
    ) -> PyResult<()> {
        let py = geometry.py();
        let (geometry, place) = (geometry_of(geometry)?, self::pose("pose", pose, quat)?);
        let touch_links: Vec<&str> = touch_links.iter().map(String::as_str).collect();
        let mut state = lock(py, &self.state)?;
        state.checker.attach(name, geometry.get().inner(), link, place, &touch_links).or_raise(py)?;
        state.attached.insert(name.to_owned(), geometry.unbind());
        Ok(())
    }

    /// Lets go of an attached object; returns its geometry and its pose in the world at the last
    /// configuration that was checked. `scene.add(name, *checker.detach(name))` puts it down.
    fn detach<'py>(&self, py: Python<'py>, name: &str) -> PyResult<(Py<Geometry>, Bound<'py, PyArray2<f64>>)> {
        let mut state = lock(py, &self.state)?;
        state.place_last(py)?;
        let object = state.checker.detach(name).or_raise(py)?;
        let known = state.attached.remove(name);
        let geometry = known.map_or_else(|| Py::new(py, Geometry::new(object.geometry)), Ok)?;
        Ok((geometry, pose_array(py, &object.pose)))
    }

    /// The names of the attached objects.
    #[getter]
    fn attached(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(lock(py, &self.state)?.checker.options().attached.iter().map(|object| object.name.clone()).collect())
    }

    /// The poses of all links in the world, `(links, 4, 4)`, or `(n, links, 4, 4)` for many.
    fn link_poses<'py>(&self, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, named) = (q.py(), PyDict::new(q.py()));
        named.set_item("base", self.base(py)?)?;
        self.robot.bind(py).call_method("link_poses", (q,), Some(&named))
    }

    /// Proves which pairs of links never touch within the joint limits, so that queries skip them;
    /// changes no answer. Takes seconds for robots of many joints.
    ///
    /// Returns the pairs that never touch: names of two links, and the gap that they keep.
    #[pyo3(signature = (*, threads = 1, evaluations = None))]
    fn prove(
        &self,
        py: Python<'_>,
        threads: usize,
        evaluations: Option<usize>,
    ) -> PyResult<Vec<(String, String, f64)>> {
        prove(py, &mut *lock(py, &self.state)?, effort(threads, evaluations))
    }

    /// Makes the checker ready for a planner: `collides`, `is_free` and `edges_free` then decide most
    /// questions in SIMD lanes, several times as fast, with the same verdicts. It takes seconds, and
    /// lasts through changes of the scene, of options and of attached objects. Copies share it,
    /// pickles do not hold it.
    ///
    /// Args:
    ///     threads: how many to use, 0 for all.
    ///     prove: whether to prove first which links never touch, if nothing is proven yet.
    ///     evaluations: the effort of these proofs for each pair, as in `prove`.
    ///     table_cells: cells along each joint of the tables of pairs of links with two joints
    ///         between them; 0 makes none.
    #[pyo3(signature = (*, threads = 1, prove = true, evaluations = None, table_cells = None))]
    fn prepare_for_planning(
        &self,
        py: Python<'_>,
        threads: usize,
        prove: bool,
        evaluations: Option<usize>,
        table_cells: Option<usize>,
    ) -> PyResult<()> {
        let gaps = prove.then(|| effort(threads, evaluations));
        prepare(py, &mut *lock(py, &self.state)?, gaps, table_cells, threads)
    }

    /// Whether `prepare_for_planning` has run.
    #[getter]
    fn is_prepared(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(lock(py, &self.state)?.prepared)
    }

    /// The pairs that are proven never to touch; None where `prove` has not run.
    #[getter]
    fn never_pairs(&self, py: Python<'_>) -> PyResult<Option<Vec<(String, String, f64)>>> {
        let state = lock(py, &self.state)?;
        Ok(state.checker.model().proofs().map(|_| never(&state.checker)))
    }

    /// Writes what `prove` found to a file.
    fn save_proofs(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        lock(py, &self.state)?.checker.save_proofs(path).or_raise(py)
    }

    /// Reads what `save_proofs` wrote for the same robot, options and `evaluations`.
    #[pyo3(signature = (path, *, evaluations = None))]
    fn load_proofs(&self, py: Python<'_>, path: PathBuf, evaluations: Option<usize>) -> PyResult<()> {
        let mut state = lock(py, &self.state)?;
        let options = effort(1, evaluations);
        let read = state.checker.load_proofs(path, &options).map(drop);
        read.map_err(|error| crate::errors::file_error(py, error.into()))?;
        state.evaluations = options.evaluations;
        Ok(())
    }

    /// Writes what `prepare_for_planning` made of the robot to a file. Proofs have one of their own.
    fn save_planning(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        lock(py, &self.state)?.checker.save_planning(path).or_raise(py)
    }

    /// Prepares for planning by what `save_planning` wrote for the same robot, pairs and `table_cells`.
    /// Load its proofs before. Read only what trusted users wrote.
    #[pyo3(signature = (path, *, table_cells = None))]
    fn load_planning(&self, py: Python<'_>, path: PathBuf, table_cells: Option<usize>) -> PyResult<()> {
        load_planning(py, &mut *lock(py, &self.state)?, path, table_cells)
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        crate::pictures::framed(slf.as_any())
    }

    fn _repr_png_<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        crate::pictures::shown(slf.as_any())
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        pickles::copy(py, self)
    }

    fn __deepcopy__<'py>(slf: &Bound<'py, Self>, memo: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = slf.py();
        let copy = slf.get().__copy__(py)?;
        let scene = slf.get().scene(py)?;
        let scene = py.import("copy")?.call_method1("deepcopy", (scene, memo))?;
        lock(py, &copy.state)?.scene = scene.cast_into::<Scene>()?.unbind();
        Ok(copy)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        Ok((slf.get_type().getattr("_of")?, pickles::content(slf)?))
    }

    /// The engine alone: `collides` of all rows, one by one or as a batch on one thread. It is what
    /// `clearance.bench` compares with.
    fn _engine(&self, q: &Bound<'_, PyAny>, batch: bool) -> PyResult<()> {
        self.decide(q, batch)
    }

    /// What a pickle holds.
    #[staticmethod]
    fn _of<'py>(
        robot: &Bound<'py, Robot>,
        scene: &Bound<'py, Scene>,
        options: &Bound<'py, PyDict>,
        base: &Bound<'py, PyAny>,
        attached: &Bound<'py, PyList>,
        proofs: Option<(Bound<'py, PyBytes>, usize)>,
    ) -> PyResult<Bound<'py, PyAny>> {
        pickles::checker(robot, scene, options, base, attached, proofs)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let scene = self.scene(py)?;
        let objects = scene.get().names(py)?.len();
        Ok(format!("<Checker of '{}' among {objects} objects>", self.robot.get().inner.name()))
    }
}
