//! Answers about one pose or configuration. Those about many are Python: `clearance/_results.py`.

use crate::arrays::{point_array, points_array, reshaped, result};
use crate::errors::bad_value;
use crate::geometry::same_content;
use clearance::robot::Against;
use clearance::{NearPair, Pose, SignedDistance, Status, Vec3};
use numpy::{PyArray1, PyArray2};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// A certified distance: `lower <= distance <= upper`.
///
/// A signed distance is negative where the two overlap.
#[pyclass(frozen, weakref, module = "clearance")]
pub struct Distance {
    /// At most the distance.
    #[pyo3(get)]
    lower: f64,
    /// At least the distance; realised by the witness points.
    #[pyo3(get)]
    upper: f64,
    /// The value that the witness points realise: between the bounds of a signed distance, `upper`
    /// of the others.
    #[pyo3(get)]
    signed: f64,
    /// The name of the first: a link of the robot or what it carries; None of a pair.
    #[pyo3(get)]
    a: Option<String>,
    /// The name of the second: a link, an attached object or an object of the scene.
    #[pyo3(get)]
    b: Option<String>,
    /// Why the search ended: 'exact', 'tolerance', 'below_min', 'beyond_max', 'inexact'
    /// or 'budget'.
    #[pyo3(get)]
    status: &'static str,
    /// The triangles or other leaves that the points lie on.
    #[pyo3(get)]
    leaves: Option<(u32, u32)>,
    points: Option<[Vec3; 2]>,
    normal: Option<Vec3>,
    /// Empty where there is none.
    gradient: Vec<f64>,
    gradient_b: Vec<f64>,
}

/// The word for a status.
pub fn status_name(status: Status) -> &'static str {
    match status {
        Status::Exact => "exact",
        Status::Tolerance => "tolerance",
        Status::BelowMin => "below_min",
        Status::BeyondMax => "beyond_max",
        Status::Inexact => "inexact",
        Status::Budget => "budget",
    }
}

/// The word of a list that a text is.
fn known(py: Python<'_>, what: &str, words: &[&'static str], text: &str) -> PyResult<&'static str> {
    let found = words.iter().copied().find(|&word| word == text);
    found.ok_or_else(|| bad_value(py, format!("{what} is '{text}'; expected one of {words:?}")))
}

/// The direction from the first point to the second; none where they are the same.
pub fn direction([a, b]: [Vec3; 2]) -> Option<Vec3> {
    // Halves do not overflow.
    (b * 0.5 - a * 0.5).try_normalize()
}

/// The statuses that a distance may have.
const STATUSES: [Status; 6] =
    [Status::Exact, Status::Tolerance, Status::BelowMin, Status::BeyondMax, Status::Inexact, Status::Budget];

impl Distance {
    /// The distance of a pair at a pose, with the gradient that its witness points have.
    pub fn of_pair(found: &clearance::Distance, a_from_b: &Pose) -> Self {
        let points = found.witness.map(|witness| [witness.point_a, witness.point_b]);
        let normal = points.and_then(direction);
        let (lower, upper, status) = (found.lower, found.upper, found.status);
        let gradient = points.zip(normal).map(|([point_a, point_b], normal)| {
            let signed = SignedDistance { signed: upper, lower, upper, normal, point_a, point_b, status };
            signed.gradient(a_from_b).by_b.to_vec()
        });
        Self {
            lower,
            upper,
            signed: upper,
            a: None,
            b: None,
            status: status_name(status),
            leaves: found.witness.and_then(|witness| witness.leaves),
            points,
            normal,
            gradient: gradient.unwrap_or_default(),
            gradient_b: Vec::new(),
        }
    }

    /// The signed distance of a pair at a pose.
    pub fn of_signed(found: &SignedDistance, a_from_b: &Pose) -> Self {
        Self {
            lower: found.lower,
            upper: found.upper,
            signed: found.signed,
            a: None,
            b: None,
            status: status_name(found.status),
            leaves: None,
            points: Some([found.point_a, found.point_b]),
            normal: Some(found.normal),
            gradient: found.gradient(a_from_b).by_b.to_vec(),
            gradient_b: Vec::new(),
        }
    }

    /// The distance of the nearest two things. Where there is none within `max_distance`, that is
    /// the lower bound; it is infinite where nothing is checked.
    pub fn of_robot(found: Option<clearance::RobotDistance>, max_distance: f64) -> Self {
        let (a, b, leaves) = (None, None, None);
        let Some(found) = found else {
            let (lower, [upper, signed]) = (max_distance, [f64::INFINITY; 2]);
            let status = status_name(if lower.is_finite() { Status::BeyondMax } else { Status::Exact });
            let (points, normal, gradient, gradient_b) = (None, None, Vec::new(), Vec::new());
            return Self { lower, upper, signed, a, b, status, leaves, points, normal, gradient, gradient_b };
        };
        Self {
            lower: found.lower,
            upper: found.upper,
            signed: found.upper,
            a: Some(found.a),
            b: Some(found.b),
            status: status_name(found.status),
            leaves,
            points: Some([found.point_a, found.point_b]),
            // Zero where no gradients were asked for.
            normal: (found.normal != Vec3::ZERO).then_some(found.normal),
            gradient: found.gradient,
            gradient_b: found.gradient_b,
        }
    }
}

#[pymethods]
impl Distance {
    /// The witness point on the first, `(3,)`: in A's frame for a pair, in the world for a robot.
    #[getter]
    fn point_a<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.points.map(|[a, _]| point_array(py, a))
    }

    /// The witness point on the second, in the same frame.
    #[getter]
    fn point_b<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.points.map(|[_, b]| point_array(py, b))
    }

    /// The unit vector from the first to the second: moved this way, the second gets farther away.
    /// None where a pair touches or nothing is near.
    #[getter]
    fn normal<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.normal.map(|normal| point_array(py, normal))
    }

    /// The derivative of the distance. Of a pair `(6,)`: by a translation of B and a rotation about
    /// B's origin, both in A's frame. Of a robot `(dof,)`: by its joint variables. None where there
    /// is no normal.
    #[getter]
    fn gradient<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        (!self.gradient.is_empty()).then(|| PyArray1::from_slice(py, &self.gradient))
    }

    /// The derivative by the joint variables of the other robot, of `robot_distance` alone.
    #[getter]
    fn gradient_b<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        (!self.gradient_b.is_empty()).then(|| PyArray1::from_slice(py, &self.gradient_b))
    }

    /// What a pickle holds.
    #[staticmethod]
    fn _of(
        py: Python<'_>,
        numbers: (f64, f64, f64),
        names: (Option<String>, Option<String>),
        status: &str,
        leaves: Option<(u32, u32)>,
        points: Option<[[f64; 3]; 2]>,
        normal: Option<[f64; 3]>,
        gradients: (Vec<f64>, Vec<f64>),
    ) -> PyResult<Self> {
        let ((lower, upper, signed), (a, b), (gradient, gradient_b)) = (numbers, names, gradients);
        let status = known(py, "status", &STATUSES.map(status_name), status)?;
        let (points, normal) = (points.map(|points| points.map(Vec3::from_array)), normal.map(Vec3::from_array));
        Ok(Self { lower, upper, signed, a, b, status, leaves, points, normal, gradient, gradient_b })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let found = slf.get();
        let content = (
            (found.lower, found.upper, found.signed),
            (found.a.clone(), found.b.clone()),
            found.status,
            found.leaves,
            found.points.map(|points| points.map(|point| point.to_array())),
            found.normal.map(|normal| normal.to_array()),
            (found.gradient.clone(), found.gradient_b.clone()),
        );
        Ok((slf.get_type().getattr("_of")?, content.into_pyobject(slf.py())?))
    }

    fn __richcmp__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        same_content(slf.as_any(), other, op)
    }

    fn __hash__(&self) -> u64 {
        self.lower.to_bits() ^ self.upper.to_bits().rotate_left(1)
    }

    fn __repr__(&self) -> String {
        let names = match (&self.a, &self.b) {
            (Some(a), Some(b)) => format!(", a='{a}', b='{b}'"),
            _ => String::new(),
        };
        format!("Distance(lower={}, upper={}{names}, status='{}')", self.lower, self.upper, self.status)
    }
}

/// Two things that touch, by their names.
#[pyclass(frozen, eq, hash, weakref, module = "clearance")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Hit {
    /// The link of the robot, or the object that it carries.
    #[pyo3(get)]
    a: String,
    /// The other link, attached object or object of the scene.
    #[pyo3(get)]
    b: String,
    /// What `b` is: 'itself', 'scene' or 'robot'.
    #[pyo3(get)]
    against: &'static str,
}

/// The word for what a robot touches.
pub fn against_name(against: Against) -> &'static str {
    match against {
        Against::Itself => "itself",
        Against::Scene => "scene",
        Against::Robot => "robot",
    }
}

impl From<clearance::Hit> for Hit {
    fn from(hit: clearance::Hit) -> Self {
        Self { a: hit.a, b: hit.b, against: against_name(hit.against) }
    }
}

#[pymethods]
impl Hit {
    #[new]
    fn new(py: Python<'_>, a: String, b: String, against: &str) -> PyResult<Self> {
        let against = known(py, "against", &["itself", "scene", "robot"], against)?;
        Ok(Self { a, b, against })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String, String, &'static str)) {
        let hit = slf.get();
        (slf.get_type().into_any(), (hit.a.clone(), hit.b.clone(), hit.against))
    }

    fn __repr__(&self) -> String {
        format!("Hit(a='{}', b='{}', against='{}')", self.a, self.b, self.against)
    }
}

/// Gradients of one length, as rows; NaN where there is none.
fn gradient_rows<'py>(py: Python<'py>, rows: Vec<Vec<f64>>, width: usize) -> Bound<'py, PyArray2<f64>> {
    let mut numbers = Vec::with_capacity(rows.len() * width);
    for row in &rows {
        if row.len() == width { numbers.extend_from_slice(row) } else { numbers.extend(vec![f64::NAN; width]) }
    }
    reshaped(PyArray1::from_vec(py, numbers), [rows.len(), width])
}

/// The columns of many distances.
pub struct Columns {
    lower: Vec<f64>,
    upper: Vec<f64>,
    signed: Vec<f64>,
    points: [Vec<Vec3>; 2],
    normal: Vec<Vec3>,
    status: Vec<&'static str>,
    /// None for pairs, which have no names.
    names: Option<[Vec<Option<String>>; 2]>,
    gradient: Vec<Vec<f64>>,
    /// How long gradients are.
    width: usize,
}

impl Columns {
    /// No row yet; `width` is the length of gradients, `named` is for robots.
    pub fn new(width: usize, named: bool) -> Self {
        Self {
            lower: Vec::new(),
            upper: Vec::new(),
            signed: Vec::new(),
            points: [Vec::new(), Vec::new()],
            normal: Vec::new(),
            status: Vec::new(),
            names: named.then(|| [Vec::new(), Vec::new()]),
            gradient: Vec::new(),
            width,
        }
    }

    /// Adds a row.
    pub fn push(&mut self, row: Distance) {
        self.lower.push(row.lower);
        self.upper.push(row.upper);
        self.signed.push(row.signed);
        // Nothing is near: there is no point to give.
        let [a, b] = row.points.unwrap_or([Vec3::NAN; 2]);
        self.points[0].push(a);
        self.points[1].push(b);
        self.normal.push(row.normal.unwrap_or(Vec3::NAN));
        self.status.push(row.status);
        if let Some([a, b]) = &mut self.names {
            a.push(row.a);
            b.push(row.b);
        }
        self.gradient.push(row.gradient);
    }

    /// The result that Python gets.
    pub fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let fields = PyDict::new(py);
        fields.set_item("lower", PyArray1::from_vec(py, self.lower))?;
        fields.set_item("upper", PyArray1::from_vec(py, self.upper))?;
        fields.set_item("signed", PyArray1::from_vec(py, self.signed))?;
        let [a, b] = self.points;
        fields.set_item("point_a", points_array(py, a))?;
        fields.set_item("point_b", points_array(py, b))?;
        fields.set_item("normal", points_array(py, self.normal))?;
        fields.set_item("status", self.status)?;
        if let Some([a, b]) = self.names {
            fields.set_item("a", a)?;
            fields.set_item("b", b)?;
        }
        fields.set_item("gradient", gradient_rows(py, self.gradient, self.width))?;
        result(py, "Distances", &fields)
    }
}

/// Near pairs as `NearPairs`, each with the number of its configuration.
pub fn near_pairs(py: Python<'_>, found: Vec<(usize, NearPair)>, widths: [usize; 2]) -> PyResult<Bound<'_, PyAny>> {
    let fields = PyDict::new(py);
    let numbers = |take: fn(&NearPair) -> f64| PyArray1::from_iter(py, found.iter().map(|(_, pair)| take(pair)));
    let vectors = |take: fn(&NearPair) -> Vec3| points_array(py, found.iter().map(|(_, pair)| take(pair)));
    fields.set_item("row", PyArray1::from_iter(py, found.iter().map(|(row, _)| *row as i64)))?;
    fields.set_item("signed", numbers(|pair| pair.signed))?;
    fields.set_item("lower", numbers(|pair| pair.lower))?;
    fields.set_item("upper", numbers(|pair| pair.upper))?;
    fields.set_item("point_a", vectors(|pair| pair.point_a))?;
    fields.set_item("point_b", vectors(|pair| pair.point_b))?;
    fields.set_item("normal", vectors(|pair| pair.normal))?;
    let words = |take: fn(&NearPair) -> &str| found.iter().map(|(_, pair)| take(pair)).collect::<Vec<_>>();
    fields.set_item("a", words(|pair| &pair.a))?;
    fields.set_item("b", words(|pair| &pair.b))?;
    fields.set_item("against", words(|pair| against_name(pair.against)))?;
    fields.set_item("status", words(|pair| status_name(pair.status)))?;
    fields.set_item("unique", found.iter().map(|(_, pair)| pair.unique).collect::<Vec<_>>())?;
    let (mut rows, mut others) = (Vec::with_capacity(found.len()), Vec::with_capacity(found.len()));
    for (_, pair) in found {
        rows.push(pair.gradient);
        others.push(pair.gradient_b);
    }
    let [width, other] = widths;
    fields.set_item("gradient", gradient_rows(py, rows, width))?;
    if other > 0 {
        fields.set_item("gradient_b", gradient_rows(py, others, other))?;
    }
    result(py, "NearPairs", &fields)
}
