//! NumPy arrays in and out: numbers, configurations, poses.

use crate::errors::{OrRaise, bad_value};
use clearance::{Pose, Quat, Vec3};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Numbers in C order: a float64 array as it is, without a copy, or what it was converted to.
pub struct Floats<'py>(PyReadonlyArrayDyn<'py, f64>);

impl Floats<'_> {
    /// The lengths along its axes.
    #[inline]
    pub fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    /// All numbers, row by row.
    #[inline]
    pub fn data(&self) -> &[f64] {
        // `floats` made sure that it is contiguous.
        self.0.as_slice().unwrap_or(&[])
    }
}

/// The object as float64 in C order. `what` names it in messages.
#[inline]
pub fn floats<'py>(what: &str, object: &Bound<'py, PyAny>) -> PyResult<Floats<'py>> {
    if let Ok(array) = object.cast::<PyArrayDyn<f64>>()
        && is_plain(array)
    {
        return readable(array);
    }
    converted("as_floats", what, object)
}

fn readable<'py>(array: &Bound<'py, PyArrayDyn<f64>>) -> PyResult<Floats<'py>> {
    array.try_readonly().map(Floats).map_err(|error| bad_value(array.py(), error))
}

#[inline]
fn is_plain(array: &Bound<'_, PyArrayDyn<f64>>) -> bool {
    array.is_c_contiguous() && array.data().is_aligned()
}

#[cold]
fn converted<'py>(function: &str, what: &str, object: &Bound<'py, PyAny>) -> PyResult<Floats<'py>> {
    let made = object.py().import("clearance._arrays")?.call_method1(function, (object, what))?;
    readable(made.cast::<PyArrayDyn<f64>>()?)
}

/// Triangles as rows of three vertex numbers.
pub fn faces(object: &Bound<'_, PyAny>, vertex_count: usize) -> PyResult<Vec<[u32; 3]>> {
    let py = object.py();
    let made = py.import("clearance._arrays")?.call_method1("as_faces", (object, vertex_count))?;
    let array = made.cast::<PyArray2<u32>>()?.readonly();
    let data = array.as_slice().map_err(|error| bad_value(py, error))?;
    Ok(data.as_chunks().0.to_vec())
}

/// Rows of three numbers as points; not a copy of the caller's order of axes.
pub fn points(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<Vec3>> {
    let array = floats(what, object)?;
    match *array.shape() {
        [_, 3] => Ok(array.data().as_chunks().0.iter().map(|&point| Vec3::from_array(point)).collect()),
        [0] => Ok(Vec::new()),
        _ => Err(wrong_shape(object.py(), what, array.shape(), "(n, 3)")),
    }
}

/// Three numbers.
pub fn vector(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec3> {
    let array = floats(what, object)?;
    match (array.shape(), array.data()) {
        ([3], &[x, y, z]) => Ok(Vec3::new(x, y, z)),
        (shape, _) => Err(wrong_shape(object.py(), what, shape, "(3,)")),
    }
}

/// The error of an array that has another shape than expected.
#[cold]
pub fn wrong_shape(py: Python<'_>, what: &str, shape: &[usize], expected: &str) -> PyErr {
    let shape = shape.iter().map(ToString::to_string).collect::<Vec<_>>();
    let comma = if shape.len() == 1 { "," } else { "" };
    bad_value(py, format!("{what} has the shape ({}{comma}); expected {expected}", shape.join(", ")))
}

/// One configuration or rows of them.
pub struct Configurations<'py> {
    array: Floats<'py>,
    dof: usize,
}

impl<'py> Configurations<'py> {
    /// Reads `(dof,)` or `(n, dof)`.
    #[inline]
    pub fn new(what: &str, object: &Bound<'py, PyAny>, dof: usize) -> PyResult<Self> {
        let array = floats(what, object)?;
        match *array.shape() {
            [count] | [_, count] if count == dof => Ok(Self { array, dof }),
            _ => {
                let expected = format!("({dof},) or (n, {dof}): the robot has {dof} joint variables");
                Err(wrong_shape(object.py(), what, array.shape(), &expected))
            }
        }
    }

    /// The one configuration of a one-dimensional array.
    #[inline]
    pub fn one(&self) -> Option<&[f64]> {
        (self.array.shape().len() == 1).then(|| self.array.data())
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        if self.array.shape().len() == 1 { 1 } else { self.array.shape()[0] }
    }

    /// All rows.
    pub fn rows(&self) -> Rows<'_> {
        Rows { data: self.array.data(), dof: self.dof }
    }
}

/// Rows of one length; robots without joints have rows of length 0.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    data: &'a [f64],
    dof: usize,
}

impl<'a> Rows<'a> {
    /// Row `i`.
    pub fn row(&self, i: usize) -> &'a [f64] {
        &self.data[i * self.dof..(i + 1) * self.dof]
    }

    /// Some rows as the engine takes them.
    pub fn range(&self, range: std::ops::Range<usize>) -> Vec<&'a [f64]> {
        range.map(|i| self.row(i)).collect()
    }
}

/// One pose or many.
pub enum Poses {
    /// A 4×4 matrix, 7 numbers or an object that is one pose.
    One(Pose),
    /// `(n, 4, 4)` or `(n, 7)`.
    Many(Vec<Pose>),
}

/// Reads poses; `quat` is the order of quaternions, `xyzw` or `wxyz`.
pub fn poses(what: &str, object: &Bound<'_, PyAny>, quat: &str) -> PyResult<Poses> {
    let py = object.py();
    let array = match object.cast::<PyArrayDyn<f64>>() {
        Ok(array) if is_plain(array) => readable(array)?,
        _ => converted("as_poses", what, object)?,
    };
    let real_first = match quat {
        "xyzw" => false,
        "wxyz" => true,
        _ => return Err(bad_value(py, format!("quat is '{quat}'; expected 'xyzw' or 'wxyz'"))),
    };
    let (data, shape) = (array.data(), array.shape());
    let numbered = |(i, pose): (usize, PyResult<Pose>)| {
        pose.map_err(|error| bad_value(py, format!("{what}[{i}]: {}", error.value(py))))
    };
    match *shape {
        [4, 4] => matrix(py, what, data).map(Poses::One),
        [_, 4, 4] => {
            let all = data.chunks_exact(16).map(|rows| matrix(py, what, rows));
            all.enumerate().map(numbered).collect::<PyResult<_>>().map(Poses::Many)
        }
        [7] => seven(py, data, real_first).map(Poses::One),
        [_, 7] => {
            let all = data.chunks_exact(7).map(|numbers| seven(py, numbers, real_first));
            all.enumerate().map(numbered).collect::<PyResult<_>>().map(Poses::Many)
        }
        _ => Err(wrong_shape(py, what, shape, "(4, 4), (7,), (n, 4, 4) or (n, 7)")),
    }
}

/// Reads one pose; `None` is the identity.
pub fn pose(what: &str, object: Option<&Bound<'_, PyAny>>, quat: &str) -> PyResult<Pose> {
    match object {
        None => Ok(Pose::IDENTITY),
        Some(object) => match poses(what, object, quat)? {
            Poses::One(pose) => Ok(pose),
            Poses::Many(_) => Err(bad_value(object.py(), format!("{what} is a batch of poses; expected one pose"))),
        },
    }
}

fn matrix(py: Python<'_>, what: &str, numbers: &[f64]) -> PyResult<Pose> {
    let (rows, _) = numbers.as_chunks::<4>();
    let [a, b, c, last] = *rows else { return Err(wrong_shape(py, what, &[numbers.len()], "(4, 4)")) };
    if !last.iter().zip([0.0, 0.0, 0.0, 1.0]).all(|(x, expected)| (x - expected).abs() <= 1e-6) {
        return Err(bad_value(py, format!("the last row of a pose is {last:?}; expected [0, 0, 0, 1]")));
    }
    Pose::from_rows([a, b, c]).or_raise(py)
}

fn seven(py: Python<'_>, numbers: &[f64], real_first: bool) -> PyResult<Pose> {
    let &[x, y, z, a, b, c, d] = numbers else { return Err(wrong_shape(py, "pose", &[numbers.len()], "(7,)")) };
    let rotation = if real_first { Quat::from_xyzw(b, c, d, a) } else { Quat::from_xyzw(a, b, c, d) };
    Pose::new(rotation, Vec3::new(x, y, z)).or_raise(py)
}

/// A pose as a 4×4 array.
pub fn pose_array<'py>(py: Python<'py>, pose: &Pose) -> Bound<'py, PyArray2<f64>> {
    poses_array(py, std::slice::from_ref(pose)).reshape([4, 4]).unwrap_or_else(|_| PyArray2::zeros(py, [4, 4], false))
}

/// Poses as an `(n, 4, 4)` array.
pub fn poses_array<'py>(py: Python<'py>, poses: &[Pose]) -> Bound<'py, PyArray3<f64>> {
    let rows = |pose: &Pose| {
        let [a, b, c] = pose.rows();
        [a, b, c, [0.0, 0.0, 0.0, 1.0]]
    };
    let numbers: Vec<f64> = poses.iter().flat_map(rows).flatten().collect();
    reshaped(PyArray1::from_vec(py, numbers), [poses.len(), 4, 4])
}

/// Points as an `(n, 3)` array.
pub fn points_array<'py>(py: Python<'py>, points: impl IntoIterator<Item = Vec3>) -> Bound<'py, PyArray2<f64>> {
    let numbers: Vec<f64> = points.into_iter().flat_map(|point| point.to_array()).collect();
    let rows = numbers.len() / 3;
    reshaped(PyArray1::from_vec(py, numbers), [rows, 3])
}

/// One point as a `(3,)` array.
pub fn point_array(py: Python<'_>, point: Vec3) -> Bound<'_, PyArray1<f64>> {
    PyArray1::from_slice(py, &point.to_array())
}

/// The array under a shape that has as many elements.
pub fn reshaped<'py, T: numpy::Element, const N: usize>(
    array: Bound<'py, PyArray1<T>>,
    shape: [usize; N],
) -> Bound<'py, numpy::PyArray<T, numpy::ndarray::Dim<[usize; N]>>>
where
    numpy::ndarray::Dim<[usize; N]>: numpy::ndarray::Dimension,
    [usize; N]: numpy::ndarray::IntoDimension<Dim = numpy::ndarray::Dim<[usize; N]>>,
{
    let py = array.py();
    array.reshape(shape).unwrap_or_else(|_| numpy::PyArray::zeros(py, shape, false))
}

/// Calls a class of `clearance._results` with keyword arguments.
pub fn result<'py>(py: Python<'py>, class: &str, fields: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
    py.import("clearance._results")?.getattr(class)?.call((), Some(fields))
}
