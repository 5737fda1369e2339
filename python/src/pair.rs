//! Two geometries.

use crate::arrays::{Poses, point_array, points_array, pose, poses, result};
use crate::errors::{OrRaise, bad_value};
use crate::geometry::{Geometry, geometry_of, may_take_long, same_content};
use crate::mesh::threads_of;
use crate::motion::{Motion, optional};
use crate::results::{Columns, Distance, status_name};
use crate::run::{batch, caught, detached, in_background, in_runs, lent, lent_batch, lock};
use clearance::engine::motion::ImpactRequest;
use clearance::engine::query::{CollideRequest, Contact};
use clearance::{ContactsRequest, DistanceRequest, PenetrationRequest, Pose, TimeOfImpact};
use numpy::PyArray1;
use parking_lot::Mutex;
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList};

/// Two geometries, ready for queries.
///
/// Every pose is `a_from_b`, the pose of B in A's frame: a 4×4 matrix, 7 numbers (position, then a
/// quaternion in the order of `quat`), a `pinocchio.SE3`, a SciPy `RigidTransform`; or a batch of
/// them, `(n, 4, 4)` or `(n, 7)`. A pair may be used from several threads, one after the other.
///
/// >>> import clearance, numpy as np
/// >>> pair = clearance.Pair(clearance.Box([1, 1, 0.1]), clearance.Sphere(0.2))
/// >>> above = np.eye(4); above[2, 3] = 0.5
/// >>> pair.collides(above)
/// False
/// >>> pair.distance(above).status, round(pair.distance(above).upper, 12)
/// ('exact', 0.25)
/// >>> pair.collides(np.stack([above, np.eye(4)]))
/// array([False,  True])
#[pyclass(frozen, weakref, subclass, module = "clearance")]
pub struct Pair {
    inner: Mutex<clearance::Pair>,
    /// Whether a single depth or list of contacts may take so long that Ctrl-C would have to wait.
    slow: bool,
    /// The first geometry.
    #[pyo3(get)]
    a: Py<Geometry>,
    /// The second geometry.
    #[pyo3(get)]
    b: Py<Geometry>,
}

/// How narrow a penetration depth shall be; None where nothing is asked for.
fn depth_request(rel_err: Option<f64>, abs_err: Option<f64>, max_steps: Option<usize>) -> Option<PenetrationRequest> {
    let mut request = PenetrationRequest::default();
    if let Some(rel_err) = rel_err {
        request.rel_err = rel_err;
    }
    if let Some(abs_err) = abs_err {
        request.abs_err = abs_err;
    }
    request.max_steps = max_steps.or(request.max_steps);
    (rel_err.is_some() || abs_err.is_some() || max_steps.is_some()).then_some(request)
}

/// The signed distance at a pose; a batch has one request for all.
fn signed(
    pair: &mut clearance::Pair,
    place: Pose,
    request: Option<&PenetrationRequest>,
) -> clearance::Result<Distance> {
    let found = match request {
        None => pair.signed_distance(place),
        Some(request) => pair.signed_distance_with(place, request),
    };
    Ok(Distance::of_signed(&found?, &place))
}

#[pymethods]
impl Pair {
    #[new]
    fn new(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = a.py();
        let (a, b) = (geometry_of(a)?, geometry_of(b)?);
        let inner = clearance::Pair::new(a.get().inner(), b.get().inner()).or_raise(py)?;
        let slow = may_take_long(&a) || may_take_long(&b);
        Ok(Self { inner: Mutex::new(inner), slow, a: a.unbind(), b: b.unbind() })
    }

    /// Whether the geometries touch or overlap: a bool, or an array for a batch.
    ///
    /// Args:
    ///     max_steps: a budget; what it leaves open counts as colliding.
    ///     threads: for batches, how many to use, 0 for all.
    #[pyo3(signature = (pose, *, max_steps = None, quat = "xyzw", threads = 1))]
    fn collides<'py>(
        &self,
        pose: &Bound<'py, PyAny>,
        max_steps: Option<usize>,
        quat: &str,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, request) = (pose.py(), CollideRequest { max_steps });
        match poses("pose", pose, quat)? {
            Poses::One(pose) => {
                let mut pair = lock(py, &self.inner)?;
                let hit = caught(py, || pair.collide_with(pose, &request).colliding)?;
                Ok(PyBool::new(py, hit).to_owned().into_any())
            }
            Poses::Many(poses) => {
                let mut pair = lock(py, &self.inner)?.clone();
                let mut hits = Vec::with_capacity(poses.len());
                batch(py, "collisions", poses.len(), |range| {
                    let ask =
                        |pair: &mut clearance::Pair, &pose: &Pose| Ok(pair.collide_with(pose, &request).colliding);
                    let pair = &mut pair;
                    hits.extend(match max_steps {
                        None => pair.collides_batch(&poses[range], threads_of(threads))?,
                        Some(_) => in_runs(pair, &poses[range], threads, ask)?,
                    });
                    Ok(())
                })?;
                Ok(PyArray1::from_vec(py, hits).into_any())
            }
        }
    }

    /// The certified distance, 0 where the geometries touch: a `Distance`, or `Distances` for a
    /// batch.
    ///
    /// Args:
    ///     min_distance: the search ends where the distance is known to be this or less.
    ///     max_distance: geometries this far apart or farther are not measured.
    ///     rel_err, abs_err: how wide the interval may be; wider is faster.
    ///     max_steps: a budget: the search ends with the interval that it has.
    ///     threads: for batches, how many to use, 0 for all.
    #[pyo3(signature = (pose, *, min_distance = 0.0, max_distance = f64::INFINITY, rel_err = 0.0, abs_err = 0.0, max_steps = None, quat = "xyzw", threads = 1))]
    fn distance<'py>(
        &self,
        pose: &Bound<'py, PyAny>,
        min_distance: f64,
        max_distance: f64,
        rel_err: f64,
        abs_err: f64,
        max_steps: Option<usize>,
        quat: &str,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = pose.py();
        let request = DistanceRequest { min_d: min_distance, max_d: max_distance, rel_err, abs_err, max_steps };
        match poses("pose", pose, quat)? {
            Poses::One(pose) => {
                let mut pair = lock(py, &self.inner)?;
                let found = caught(py, || pair.distance_with(pose, &request))?.or_raise(py)?;
                Ok(Bound::new(py, Distance::of_pair(&found, &pose))?.into_any())
            }
            Poses::Many(poses) => {
                request.check().or_raise(py)?;
                let mut pair = lock(py, &self.inner)?.clone();
                let mut columns = Columns::new(6, false);
                batch(py, "distances", poses.len(), |range| {
                    let (pair, poses) = (&mut pair, &poses[range]);
                    let found = pair.query().distances(poses, &request, threads_of(threads).count())?;
                    found.iter().zip(poses).for_each(|(found, pose)| columns.push(Distance::of_pair(found, pose)));
                    Ok(())
                })?;
                columns.into_python(py)
            }
        }
    }

    /// The distance where the geometries are apart, less than 0 by the penetration depth where they
    /// overlap: a `Distance`, or `Distances` for a batch. Both must be solids.
    ///
    /// Args:
    ///     rel_err, abs_err: how wide the interval of a depth may be; wider is faster.
    ///     max_steps: where the search for a depth ends, whatever its interval.
    ///     threads: for batches, how many to use, 0 for all.
    #[pyo3(signature = (pose, *, rel_err = None, abs_err = None, max_steps = None, quat = "xyzw", threads = 1))]
    fn signed_distance<'py>(
        &self,
        pose: &Bound<'py, PyAny>,
        rel_err: Option<f64>,
        abs_err: Option<f64>,
        max_steps: Option<usize>,
        quat: &str,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, request) = (pose.py(), depth_request(rel_err, abs_err, max_steps));
        match poses("pose", pose, quat)? {
            Poses::One(pose) => {
                let mut pair = lock(py, &self.inner)?;
                let found = if self.slow {
                    lent(py, "signed distance", &mut *pair, move |pair| signed(pair, pose, request.as_ref()))?
                } else {
                    detached(py, || signed(&mut pair, pose, request.as_ref()))?
                };
                Ok(Bound::new(py, found.or_raise(py)?)?.into_any())
            }
            Poses::Many(poses) => {
                let mut pair = lock(py, &self.inner)?.clone();
                let mut columns = Columns::new(6, false);
                // A depth of two meshes may take milliseconds, and the first one a second.
                let step = move |pair: &mut clearance::Pair, poses: Vec<Pose>| {
                    in_runs(pair, &poses, threads, |pair, &pose| signed(pair, pose, request.as_ref()))
                };
                let take = |range: std::ops::Range<usize>| poses[range].to_vec();
                let rows = lent_batch(py, "signed distances", poses.len(), &mut pair, take, step)?;
                rows.into_iter().for_each(|row| columns.push(row));
                columns.into_python(py)
            }
        }
    }

    /// The gradient of the distance by the pose of either geometry, and whether the nearest points
    /// are the only ones: a `Gradient`, or None where the geometries touch.
    ///
    /// It is as exact as rounding allows; that of a `Distance` follows from its witness points
    /// alone, which is off by some 1e-6 between curved bodies.
    #[pyo3(signature = (pose, *, quat = "xyzw"))]
    fn gradient<'py>(&self, pose: &Bound<'py, PyAny>, quat: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (py, place) = (pose.py(), self::pose("pose", Some(pose), quat)?);
        let mut pair = lock(py, &self.inner)?;
        let found = detached(py, || {
            let distance = pair.distance(place);
            pair.gradient(place, &distance)
        })?;
        let Some(found) = found else { return Ok(None) };
        let fields = PyDict::new(py);
        fields.set_item("by_a", PyArray1::from_slice(py, &found.by_a))?;
        fields.set_item("by_b", PyArray1::from_slice(py, &found.by_b))?;
        fields.set_item("unique", found.unique)?;
        result(py, "Gradient", &fields).map(Some)
    }

    /// Whether the distance is at most `distance`.
    #[pyo3(signature = (pose, distance, *, quat = "xyzw"))]
    fn is_within(&self, pose: &Bound<'_, PyAny>, distance: f64, quat: &str) -> PyResult<bool> {
        let (py, pose) = (pose.py(), self::pose("pose", Some(pose), quat)?);
        let mut pair = lock(py, &self.inner)?;
        caught(py, || pair.is_within(pose, distance))?.or_raise(py)
    }

    /// All pairs of triangles (leaves) that touch, with points and normals: `Contacts`.
    ///
    /// Args:
    ///     margin: also pairs that are this close or closer.
    ///     max_contacts: the most that are listed; all by default.
    ///     max_steps: a budget: `truncated` says that it ended the search.
    #[pyo3(signature = (pose, *, margin = 0.0, max_contacts = None, max_steps = None, quat = "xyzw"))]
    fn contacts<'py>(
        &self,
        pose: &Bound<'py, PyAny>,
        margin: f64,
        max_contacts: Option<usize>,
        max_steps: Option<usize>,
        quat: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, pose) = (pose.py(), self::pose("pose", Some(pose), quat)?);
        let request = ContactsRequest { margin, max_contacts: max_contacts.unwrap_or(usize::MAX), max_steps };
        let mut pair = lock(py, &self.inner)?;
        let found = if self.slow {
            lent(py, "contacts", &mut *pair, move |pair| pair.contacts_with(pose, &request))?
        } else {
            detached(py, || pair.contacts_with(pose, &request))?
        };
        let found = found.or_raise(py)?;
        let fields = PyDict::new(py);
        let column = |leaf: fn(&Contact) -> u32| PyArray1::from_iter(py, found.contacts.iter().map(leaf));
        fields.set_item("leaf_a", column(|contact| contact.leaf_a))?;
        fields.set_item("leaf_b", column(|contact| contact.leaf_b))?;
        fields.set_item("distance", PyArray1::from_iter(py, found.contacts.iter().map(|contact| contact.distance)))?;
        fields.set_item("normal", points_array(py, found.contacts.iter().map(|contact| contact.normal)))?;
        let points = found.contacts.iter().map(|contact| points_array(py, contact.points.iter().copied()));
        fields.set_item("points", PyList::new(py, points)?)?;
        fields.set_item("colliding", found.colliding)?;
        fields.set_item("truncated", found.truncated)?;
        result(py, "Contacts", &fields)
    }

    /// The least translation that separates the geometries: a `Penetration`, or None if they are
    /// apart. An error for pairs that have no penetration depth.
    ///
    /// Args:
    ///     rel_err, abs_err: how wide the interval may be; wider is faster.
    ///     max_steps: where the search ends, whatever the interval.
    #[pyo3(signature = (pose, *, rel_err = None, abs_err = None, max_steps = None, quat = "xyzw"))]
    fn penetration<'py>(
        &self,
        pose: &Bound<'py, PyAny>,
        rel_err: Option<f64>,
        abs_err: Option<f64>,
        max_steps: Option<usize>,
        quat: &str,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (py, pose) = (pose.py(), self::pose("pose", Some(pose), quat)?);
        let request = depth_request(rel_err, abs_err, max_steps);
        let mut pair = lock(py, &self.inner)?;
        let ask = move |pair: &mut clearance::Pair| match &request {
            None => pair.penetration(pose),
            Some(request) => pair.penetration_with(pose, request),
        };
        let found =
            if self.slow { lent(py, "penetration", &mut *pair, ask)? } else { detached(py, || ask(&mut pair))? };
        let Some(found) = found.or_raise(py)? else { return Ok(None) };
        let fields = PyDict::new(py);
        fields.set_item("lower", found.lower)?;
        fields.set_item("upper", found.upper)?;
        for (name, vector) in [("normal", found.normal), ("point_a", found.point_a), ("point_b", found.point_b)] {
            fields.set_item(name, point_array(py, vector))?;
        }
        fields.set_item("gradient", PyArray1::from_slice(py, &found.gradient(&pose).by_b))?;
        fields.set_item("status", status_name(found.status))?;
        result(py, "Penetration", &fields).map(Some)
    }

    /// The first contact while B moves: an `Impact`.
    ///
    /// Args:
    ///     start: `a_from_b` at time 0; or a `Motion`, and nothing of the next four.
    ///     end: at time `duration`; or give the velocities `linear` and `angular` instead.
    ///     motion_a: how A moves in the same frame; it rests by default.
    ///     distance: the clearance to keep; 0 for contact.
    ///     tolerance: a clearance that exceeds `distance` by this or less counts as contact.
    ///     max_evaluations, max_steps: budgets: the search ends 'undecided', with what it has proven.
    #[pyo3(signature = (start, end = None, *, linear = None, angular = None, duration = 1.0, motion_a = None, distance = 0.0, tolerance = 1e-6, max_evaluations = 100_000, max_steps = None, quat = "xyzw"))]
    fn time_of_impact<'py>(
        &self,
        start: &Bound<'py, PyAny>,
        end: Option<&Bound<'py, PyAny>>,
        linear: Option<&Bound<'py, PyAny>>,
        angular: Option<&Bound<'py, PyAny>>,
        duration: f64,
        motion_a: Option<&Bound<'py, Motion>>,
        distance: f64,
        tolerance: f64,
        max_evaluations: usize,
        max_steps: Option<usize>,
        quat: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = start.py();
        if end.is_some() && (linear.is_some() || angular.is_some()) {
            return Err(bad_value(py, "a motion has an end or velocities, not both"));
        }
        let motion = match (start.cast::<Motion>(), end) {
            (Ok(_), Some(_)) => return Err(bad_value(py, "a Motion has its end")),
            (Ok(_), None) if linear.is_some() || angular.is_some() => {
                return Err(bad_value(py, "a Motion has its velocities"));
            }
            (Ok(motion), None) => motion.get().inner.clone(),
            (Err(_), Some(end)) => {
                let (from, to) = (pose("start", Some(start), quat)?, pose("end", Some(end), quat)?);
                clearance::Motion::between(&from, &to, duration).or_raise(py)?
            }
            (Err(_), None) => {
                let from = pose("start", Some(start), quat)?;
                let (linear, angular) = (optional("linear", linear)?, optional("angular", angular)?);
                clearance::Motion::moving(&from, clearance::Vec3::ZERO, linear, angular, duration).or_raise(py)?
            }
        };
        let resting = || clearance::Motion::still(&Pose::IDENTITY);
        let motion_a = motion_a.map_or_else(resting, |motion| motion.get().inner.clone());
        let request = ImpactRequest { distance, tolerance, max_evaluations, max_steps, ..ImpactRequest::default() };
        let mut pair = lock(py, &self.inner)?.clone();
        let answer =
            in_background(py, "time of impact", move |_| pair.time_of_impact_with(&motion_a, &motion, &request))?;
        let answer = answer.or_raise(py)?;
        let fields = PyDict::new(py);
        fields.set_item("free_until", answer.free_until())?;
        match answer.first {
            TimeOfImpact::Free { margin } => {
                fields.set_item("status", "free")?;
                fields.set_item("margin", margin)?;
            }
            TimeOfImpact::Undecided { .. } => fields.set_item("status", "undecided")?,
            TimeOfImpact::Contact(impact) => {
                fields.set_item("status", "contact")?;
                fields.set_item("t", (impact.t_lower, impact.t_upper))?;
                fields.set_item("gap", impact.gap)?;
                fields.set_item("point", point_array(py, impact.point))?;
                fields.set_item("normal", impact.normal.map(|normal| point_array(py, normal)))?;
                fields.set_item("leaves", impact.leaves)?;
            }
        }
        result(py, "Impact", &fields)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (Py<Geometry>, Py<Geometry>)) {
        let (py, pair) = (slf.py(), slf.get());
        (slf.get_type().into_any(), (pair.a.clone_ref(py), pair.b.clone_ref(py)))
    }

    fn __richcmp__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        same_content(slf.as_any(), other, op)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (self.a.clone_ref(py), self.b.clone_ref(py)).into_pyobject(py)?.hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Pair({}, {})", self.a.bind(py).repr()?, self.b.bind(py).repr()?))
    }
}
