//! Rays and points, many at a time: of one geometry, or of a scene with the names of its objects.

use crate::arrays::{Floats, floats, points, points_array, reshaped, result, vector, wrong_shape};
use crate::errors::bad_value;
use crate::run::batch;
use clearance::engine::dispatch::in_runs;
use clearance::engine::shape::{PointDistance, RayHit};
use clearance::{Ray, Vec3};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The rays of a call.
pub struct Rays {
    /// One for all, or as many as directions.
    origins: Vec<Vec3>,
    directions: Vec<Vec3>,
    max_t: f64,
}

/// A hit, and the name of what is hit where there are names.
pub type NamedHit = (RayHit, Option<String>);

impl Rays {
    /// Reads origins, `(n, 3)` or `(3,)`, and directions, `(n, 3)`.
    pub fn new(origins: &Bound<'_, PyAny>, directions: &Bound<'_, PyAny>, max_t: f64) -> PyResult<Self> {
        let directions = points("directions", directions)?;
        let origins = match vector("origins", origins) {
            Ok(origin) => vec![origin],
            Err(_) => {
                let all = points("origins", origins)?;
                if all.len() != directions.len() {
                    let message = format!("origins has {} rows and directions has {}", all.len(), directions.len());
                    return Err(bad_value(origins.py(), format!("{message}; expected as many")));
                }
                all
            }
        };
        Ok(Self { origins, directions, max_t })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.directions.len()
    }

    /// Ray `i`.
    pub fn ray(&self, i: usize) -> clearance::Result<Ray> {
        let origin = self.origins[if self.origins.len() == 1 { 0 } else { i }];
        Ok(Ray::new(origin, self.directions[i])?.up_to(self.max_t)?)
    }

    /// What `ask` says about every ray, as `RayHits`.
    pub fn cast<'py>(
        &self,
        py: Python<'py>,
        threads: usize,
        ask: impl Fn(&Ray) -> clearance::Result<Option<NamedHit>> + Sync + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut hits = Vec::with_capacity(self.len());
        batch(py, "rays", self.len(), |range| {
            let numbers: Vec<usize> = range.collect();
            let run = |(): &mut (), run: &[usize]| run.iter().map(|&i| ask(&self.ray(i)?)).collect();
            for hit in in_runs(&numbers, threads, || (), run)? {
                hits.push(hit?);
            }
            Ok(())
        })?;
        ray_hits(py, hits)
    }
}

/// Hits as `RayHits`; names where any hit has one.
pub fn ray_hits(py: Python<'_>, hits: Vec<Option<NamedHit>>) -> PyResult<Bound<'_, PyAny>> {
    let fields = PyDict::new(py);
    let number = |hit: &Option<NamedHit>| hit.as_ref().map_or(f64::INFINITY, |(hit, _)| hit.t);
    fields.set_item("t", PyArray1::from_iter(py, hits.iter().map(number)))?;
    let column = |take: fn(&RayHit) -> Vec3| {
        points_array(py, hits.iter().map(|hit| hit.as_ref().map_or(Vec3::NAN, |(hit, _)| take(hit))))
    };
    fields.set_item("point", column(|hit| hit.point))?;
    fields.set_item("normal", column(|hit| hit.normal))?;
    let leaf = |hit: &Option<NamedHit>| hit.as_ref().map_or(-1, |(hit, _)| i64::from(hit.leaf));
    fields.set_item("leaf", PyArray1::from_iter(py, hits.iter().map(leaf)))?;
    if hits.iter().flatten().any(|(_, name)| name.is_some()) {
        let names: Vec<Option<String>> = hits.into_iter().map(|hit| hit.and_then(|(_, name)| name)).collect();
        fields.set_item("name", names)?;
    }
    result(py, "RayHits", &fields)
}

/// The points of a call, as they lie in the caller's array.
pub struct Points<'py>(Floats<'py>);

impl<'py> Points<'py> {
    /// Reads `(n, 3)`.
    pub fn new(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let array = floats("points", object)?;
        match *array.shape() {
            [_, 3] | [0] => Ok(Self(array)),
            _ => Err(wrong_shape(object.py(), "points", array.shape(), "(n, 3)")),
        }
    }

    fn rows(&self) -> &[[f64; 3]] {
        self.0.data().as_chunks().0
    }

    /// What `ask` says about every point, as `PointDistances`.
    pub fn measure(
        &self,
        py: Python<'py>,
        threads: usize,
        ask: impl Fn(Vec3) -> clearance::Result<(PointDistance, Option<String>)> + Sync + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rows = self.rows();
        let mut columns = Columns::with_capacity(rows.len());
        batch(py, "points", rows.len(), |range| {
            let run = |(): &mut (), run: &[[f64; 3]]| run.iter().map(|&row| ask(Vec3::from_array(row))).collect();
            for found in in_runs(&rows[range], threads, || (), run)? {
                columns.push(found?);
            }
            Ok(())
        })?;
        columns.into_python(py)
    }
}

/// The columns of `PointDistances`.
#[derive(Default)]
struct Columns {
    /// The distance, then its bounds.
    numbers: [Vec<f64>; 3],
    /// The nearest point, then the gradient.
    vectors: [Vec<f64>; 2],
    leaf: Vec<i64>,
    names: Vec<String>,
}

impl Columns {
    fn with_capacity(count: usize) -> Self {
        Self {
            numbers: [(); 3].map(|()| Vec::with_capacity(count)),
            vectors: [(); 2].map(|()| Vec::with_capacity(3 * count)),
            leaf: Vec::with_capacity(count),
            names: Vec::new(),
        }
    }

    fn push(&mut self, (found, name): (PointDistance, Option<String>)) {
        for (column, number) in self.numbers.iter_mut().zip([found.distance, found.lower, found.upper]) {
            column.push(number);
        }
        for (column, vector) in self.vectors.iter_mut().zip([found.nearest, found.gradient]) {
            column.extend_from_slice(&vector.to_array());
        }
        self.leaf.push(i64::from(found.leaf));
        self.names.extend(name);
    }

    fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let (fields, count) = (PyDict::new(py), self.leaf.len());
        for (name, column) in ["distance", "lower", "upper"].into_iter().zip(self.numbers) {
            fields.set_item(name, PyArray1::from_vec(py, column))?;
        }
        for (name, column) in ["point", "gradient"].into_iter().zip(self.vectors) {
            fields.set_item(name, reshaped(PyArray1::from_vec(py, column), [count, 3]))?;
        }
        fields.set_item("leaf", PyArray1::from_vec(py, self.leaf))?;
        if !self.names.is_empty() {
            fields.set_item("name", self.names)?;
        }
        result(py, "PointDistances", &fields)
    }
}
