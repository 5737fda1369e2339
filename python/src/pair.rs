//! Two geometries.

use crate::arrays::{Poses, points_array, pose, poses, result, vector};
use crate::errors::{OrRaise, bad_value};
use crate::geometry::{Geometry, geometry_of};
use crate::mesh::threads_of;
use crate::results::{Columns, Distance};
use crate::run::{batch, caught, detached, in_background, lock};
use clearance::{ContactsRequest, DistanceRequest, ImpactRequest, Motion, TimeOfImpact};
use numpy::PyArray1;
use parking_lot::Mutex;
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
    /// The first geometry.
    #[pyo3(get)]
    a: Py<Geometry>,
    /// The second geometry.
    #[pyo3(get)]
    b: Py<Geometry>,
}

fn request(max_distance: f64, rel_err: f64, abs_err: f64) -> DistanceRequest {
    DistanceRequest { max_d: max_distance, rel_err, abs_err, ..DistanceRequest::default() }
}

#[pymethods]
impl Pair {
    #[new]
    fn new(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = a.py();
        let (a, b) = (geometry_of(a)?, geometry_of(b)?);
        let inner = clearance::Pair::new(a.get().inner(), b.get().inner()).or_raise(py)?;
        Ok(Self { inner: Mutex::new(inner), a: a.unbind(), b: b.unbind() })
    }

    /// Whether the geometries touch or overlap: a bool, or an array for a batch.
    ///
    /// `threads` is for batches: how many to use, 0 for all.
    #[pyo3(signature = (pose, *, quat = "xyzw", threads = 1))]
    fn collides<'py>(&self, pose: &Bound<'py, PyAny>, quat: &str, threads: usize) -> PyResult<Bound<'py, PyAny>> {
        let py = pose.py();
        match poses("pose", pose, quat)? {
            Poses::One(pose) => {
                let mut pair = lock(py, &self.inner)?;
                let hit = caught(py, || pair.collides(pose))?;
                Ok(PyBool::new(py, hit).to_owned().into_any())
            }
            Poses::Many(poses) => {
                let mut pair = lock(py, &self.inner)?.clone();
                let mut hits = Vec::with_capacity(poses.len());
                batch(py, "collisions", poses.len(), |range| {
                    let pair = &mut pair;
                    hits.extend(pair.collides_batch(&poses[range], threads_of(threads))?);
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
    ///     max_distance: geometries this far apart or farther are not measured.
    ///     rel_err, abs_err: how wide the interval may be; wider is faster.
    #[pyo3(signature = (pose, *, max_distance = f64::INFINITY, rel_err = 0.0, abs_err = 0.0, quat = "xyzw", threads = 1))]
    fn distance<'py>(
        &self,
        pose: &Bound<'py, PyAny>,
        max_distance: f64,
        rel_err: f64,
        abs_err: f64,
        quat: &str,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, request) = (pose.py(), request(max_distance, rel_err, abs_err));
        match poses("pose", pose, quat)? {
            Poses::One(pose) => {
                let mut pair = lock(py, &self.inner)?;
                let found = caught(py, || pair.distance_with(pose, &request))?.or_raise(py)?;
                Ok(Bound::new(py, Distance::of_pair(&found))?.into_any())
            }
            Poses::Many(poses) => {
                request.check().or_raise(py)?;
                let mut pair = lock(py, &self.inner)?.clone();
                let mut columns = Columns::default();
                batch(py, "distances", poses.len(), |range| {
                    let pair = &mut pair;
                    let found = pair.query().distances(&poses[range], &request, threads_of(threads).count())?;
                    found.iter().for_each(|found| columns.push(Distance::of_pair(found)));
                    Ok(())
                })?;
                columns.into_python(py, false)
            }
        }
    }

    /// The distance where the geometries are apart, less than 0 by the penetration depth where they
    /// overlap: a `Distance`, or `Distances` for a batch. Both must be solids.
    #[pyo3(signature = (pose, *, quat = "xyzw"))]
    fn signed_distance<'py>(&self, pose: &Bound<'py, PyAny>, quat: &str) -> PyResult<Bound<'py, PyAny>> {
        let py = pose.py();
        let signed = |pair: &mut clearance::Pair, pose: clearance::Pose| -> clearance::Result<Distance> {
            Ok(Distance::of_signed(&pair.signed_distance(pose)?))
        };
        match poses("pose", pose, quat)? {
            Poses::One(pose) => {
                let mut pair = lock(py, &self.inner)?;
                let found = detached(py, || signed(&mut pair, pose))?.or_raise(py)?;
                Ok(Bound::new(py, found)?.into_any())
            }
            Poses::Many(poses) => {
                let mut pair = lock(py, &self.inner)?.clone();
                let mut columns = Columns::default();
                batch(py, "signed distances", poses.len(), |range| {
                    poses[range].iter().try_for_each(|&pose| signed(&mut pair, pose).map(|row| columns.push(row)))
                })?;
                columns.into_python(py, false)
            }
        }
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
    #[pyo3(signature = (pose, *, margin = 0.0, max_contacts = None, quat = "xyzw"))]
    fn contacts<'py>(
        &self,
        pose: &Bound<'py, PyAny>,
        margin: f64,
        max_contacts: Option<usize>,
        quat: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, pose) = (pose.py(), self::pose("pose", Some(pose), quat)?);
        let request = ContactsRequest { margin, max_contacts: max_contacts.unwrap_or(usize::MAX) };
        let mut pair = lock(py, &self.inner)?;
        let found = detached(py, || pair.contacts_with(pose, &request))?.or_raise(py)?;
        let fields = PyDict::new(py);
        let column =
            |leaf: fn(&clearance::details::Contact) -> u32| PyArray1::from_iter(py, found.contacts.iter().map(leaf));
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
    #[pyo3(signature = (pose, *, quat = "xyzw"))]
    fn penetration<'py>(&self, pose: &Bound<'py, PyAny>, quat: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (py, pose) = (pose.py(), self::pose("pose", Some(pose), quat)?);
        let mut pair = lock(py, &self.inner)?;
        let Some(found) = detached(py, || pair.penetration(pose))?.or_raise(py)? else { return Ok(None) };
        let fields = PyDict::new(py);
        fields.set_item("lower", found.lower)?;
        fields.set_item("upper", found.upper)?;
        for (name, vector) in [("normal", found.normal), ("point_a", found.point_a), ("point_b", found.point_b)] {
            fields.set_item(name, crate::arrays::point_array(py, vector))?;
        }
        fields.set_item("status", crate::results::status_name(found.status))?;
        result(py, "Penetration", &fields).map(Some)
    }

    /// The first contact while B moves and A rests: an `Impact`.
    ///
    /// Args:
    ///     start: `a_from_b` at time 0.
    ///     end: at time `duration`; or give the velocities `linear` and `angular` instead.
    ///     distance: the clearance to keep; 0 for contact.
    #[pyo3(signature = (start, end = None, *, linear = None, angular = None, duration = 1.0, distance = 0.0, tolerance = 1e-6, quat = "xyzw"))]
    fn time_of_impact<'py>(
        &self,
        start: &Bound<'py, PyAny>,
        end: Option<&Bound<'py, PyAny>>,
        linear: Option<&Bound<'py, PyAny>>,
        angular: Option<&Bound<'py, PyAny>>,
        duration: f64,
        distance: f64,
        tolerance: f64,
        quat: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = start.py();
        let from = pose("start", Some(start), quat)?;
        let velocity = |what, given: Option<&Bound<'py, PyAny>>| {
            given.map_or(Ok(clearance::Vec3::ZERO), |given| vector(what, given))
        };
        let motion = match end {
            Some(_) if linear.is_some() || angular.is_some() => {
                return Err(bad_value(py, "a motion has an end or velocities, not both"));
            }
            Some(end) => Motion::between(&from, &pose("end", Some(end), quat)?, duration),
            None => {
                let (linear, angular) = (velocity("linear", linear)?, velocity("angular", angular)?);
                Motion::moving(&from, clearance::Vec3::ZERO, linear, angular, duration)
            }
        };
        let motion = motion.or_raise(py)?;
        let request = ImpactRequest { distance, tolerance, ..ImpactRequest::default() };
        let mut pair = lock(py, &self.inner)?.clone();
        let answer = in_background(py, "time of impact", move |_| {
            pair.time_of_impact_with(&Motion::still(&clearance::Pose::IDENTITY), &motion, &request)
        })?;
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
                fields.set_item("point", crate::arrays::point_array(py, impact.point))?;
                fields.set_item("normal", impact.normal.map(|normal| crate::arrays::point_array(py, normal)))?;
                fields.set_item("leaves", impact.leaves)?;
            }
        }
        result(py, "Impact", &fields)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (Py<Geometry>, Py<Geometry>)) {
        let (py, pair) = (slf.py(), slf.get());
        (slf.get_type().into_any(), (pair.a.clone_ref(py), pair.b.clone_ref(py)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Pair({}, {})", self.a.bind(py).repr()?, self.b.bind(py).repr()?))
    }
}
