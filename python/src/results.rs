//! Answers about one pose or configuration. Those about many are Python: `clearance/_results.py`.

use crate::arrays::{point_array, points_array};
use crate::errors::bad_value;
use crate::geometry::same_content;
use clearance::{Status, Vec3};
use numpy::PyArray1;
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

impl Distance {
    pub fn of_pair(found: &clearance::Distance) -> Self {
        let points = found.witness.map(|witness| [witness.point_a, witness.point_b]);
        Self {
            lower: found.lower,
            upper: found.upper,
            a: None,
            b: None,
            status: status_name(found.status),
            leaves: found.witness.and_then(|witness| witness.leaves),
            points,
            normal: points.and_then(direction),
        }
    }

    pub fn of_signed(found: &clearance::SignedDistance) -> Self {
        Self {
            lower: found.lower,
            upper: found.upper,
            a: None,
            b: None,
            status: status_name(found.status),
            leaves: None,
            points: Some([found.point_a, found.point_b]),
            normal: Some(found.normal),
        }
    }

    /// The distance of the nearest two things; infinite where nothing is checked.
    pub fn of_robot(found: Option<clearance::RobotDistance>) -> Self {
        let Some(found) = found else {
            let (lower, upper) = (f64::INFINITY, f64::INFINITY);
            let (a, b, leaves, points, normal) = (None, None, None, None, None);
            return Self { lower, upper, a, b, status: "exact", leaves, points, normal };
        };
        let points = [found.point_a, found.point_b];
        Self {
            lower: found.lower,
            upper: found.upper,
            a: Some(found.a),
            b: Some(found.b),
            status: status_name(found.status),
            leaves: None,
            points: Some(points),
            normal: direction(points),
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

    /// The unit vector from the first to the second; None where they touch or nothing is near.
    #[getter]
    fn normal<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.normal.map(|normal| point_array(py, normal))
    }

    /// The gradient by the pose or the joint variables; None where the query computed none.
    #[getter]
    fn gradient<'py>(&self, _py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        None
    }

    /// What a pickle holds.
    #[staticmethod]
    fn _of(
        py: Python<'_>,
        bounds: (f64, f64),
        names: (Option<String>, Option<String>),
        status: &str,
        leaves: Option<(u32, u32)>,
        points: Option<[[f64; 3]; 2]>,
        normal: Option<[f64; 3]>,
    ) -> PyResult<Self> {
        let ((lower, upper), (a, b)) = (bounds, names);
        let status =
            known(py, "status", &["exact", "tolerance", "below_min", "beyond_max", "inexact", "budget"], status)?;
        let (points, normal) = (points.map(|points| points.map(Vec3::from_array)), normal.map(Vec3::from_array));
        Ok(Self { lower, upper, a, b, status, leaves, points, normal })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let found = slf.get();
        let content = (
            (found.lower, found.upper),
            (found.a.clone(), found.b.clone()),
            found.status,
            found.leaves,
            found.points.map(|points| points.map(|point| point.to_array())),
            found.normal.map(|normal| normal.to_array()),
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

impl From<clearance::Hit> for Hit {
    fn from(hit: clearance::Hit) -> Self {
        use clearance::details::Against;
        let against = match hit.against {
            Against::Itself => "itself",
            Against::Scene => "scene",
            Against::Robot => "robot",
        };
        Self { a: hit.a, b: hit.b, against }
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

/// The columns of many distances.
#[derive(Default)]
pub struct Columns {
    lower: Vec<f64>,
    upper: Vec<f64>,
    points: [Vec<Vec3>; 2],
    normal: Vec<Vec3>,
    status: Vec<&'static str>,
    names: [Vec<Option<String>>; 2],
}

impl Columns {
    /// Adds a row.
    pub fn push(&mut self, row: Distance) {
        self.lower.push(row.lower);
        self.upper.push(row.upper);
        // Nothing is near: there is no point to give.
        let [a, b] = row.points.unwrap_or([Vec3::NAN; 2]);
        self.points[0].push(a);
        self.points[1].push(b);
        self.normal.push(row.normal.unwrap_or(Vec3::NAN));
        self.status.push(row.status);
        self.names[0].push(row.a);
        self.names[1].push(row.b);
    }

    /// The result that Python gets; `named` for robots.
    pub fn into_python(self, py: Python<'_>, named: bool) -> PyResult<Bound<'_, PyAny>> {
        let fields = PyDict::new(py);
        fields.set_item("lower", PyArray1::from_vec(py, self.lower))?;
        fields.set_item("upper", PyArray1::from_vec(py, self.upper))?;
        let [a, b] = self.points;
        fields.set_item("point_a", points_array(py, a))?;
        fields.set_item("point_b", points_array(py, b))?;
        fields.set_item("normal", points_array(py, self.normal))?;
        fields.set_item("status", self.status)?;
        if named {
            let [a, b] = self.names;
            fields.set_item("a", a)?;
            fields.set_item("b", b)?;
        }
        crate::arrays::result(py, "Distances", &fields)
    }
}
