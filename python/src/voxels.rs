//! Voxel maps: cells that are obstacles, free or unknown.

use crate::arrays::{floats, points, points_array, pose, reshaped, vector, wrong_shape};
use crate::errors::{OrRaise, bad_value, file_error};
use crate::geometry::{Geometry, same_content};
use crate::run::{caught, detached, in_background, lock};
use clearance::engine::tree::voxel_map::{Probabilities, SensorModel, VoxelTree};
use clearance::io::{self, Keep, OctoFormat, OctoMap};
use clearance::{Cell, DepthCamera};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use parking_lot::Mutex;
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;

/// An occupancy grid that grows with what is measured.
///
/// A map is mutable. `obstacles()` is the map as it is now, as a geometry; scenes and pairs take
/// the map itself as that.
///
/// Args:
///     resolution: the edge length of a cell.
///
/// >>> import clearance, numpy as np
/// >>> grid = clearance.VoxelMap(0.05)
/// >>> grid.set([[0.5, 0, 0]], "obstacle")
/// >>> grid.cells([[0.5, 0, 0], [1, 0, 0]])
/// ['obstacle', 'free']
/// >>> clearance.Pair(grid, clearance.Sphere(0.1)).collides([0.5, 0, 0, 0, 0, 0, 1])
/// True
#[pyclass(frozen, weakref, module = "clearance")]
pub struct VoxelMap {
    inner: Mutex<clearance::VoxelMap>,
}

type Leaves<'py> = (Bound<'py, PyArray2<i32>>, Bound<'py, PyArray2<f32>>);

fn cell_of(py: Python<'_>, name: &str) -> PyResult<Cell> {
    match name {
        "free" => Ok(Cell::Free),
        "unknown" => Ok(Cell::Unknown),
        "obstacle" => Ok(Cell::Obstacle),
        _ => Err(bad_value(py, format!("cell is '{name}'; expected 'free', 'unknown' or 'obstacle'"))),
    }
}

fn name_of(cell: Cell) -> &'static str {
    match cell {
        Cell::Free => "free",
        Cell::Unknown => "unknown",
        Cell::Obstacle => "obstacle",
    }
}

/// The voxel map of an OctoMap; cells of no leaf become `background`.
fn voxel_map(map: &OctoMap, background: Cell) -> clearance::Result<clearance::VoxelMap> {
    Ok(map.to_voxel_map(background, Keep::Probabilities)?)
}

/// The bytes of an OctoMap file: `.ot` with probabilities where `full`, else `.bt`.
fn write_octomap(map: &VoxelTree, full: bool) -> clearance::Result<Vec<u8>> {
    let (keep, format) = if full { (Keep::Probabilities, OctoFormat::Full) } else { (Keep::Kinds, OctoFormat::Binary) };
    Ok(io::write_octomap(&OctoMap::from_voxel_map(map, keep)?, format))
}

/// A camera of height and width in pixels, and of its intrinsic numbers.
pub fn depth_camera((height, width): (usize, usize), intrinsics: &Bound<'_, PyAny>) -> PyResult<DepthCamera> {
    let numbers = floats("intrinsics", intrinsics)?;
    let (focal, principal) = match (numbers.shape(), numbers.data()) {
        ([4], &[fx, fy, cx, cy]) => ([fx, fy], [cx, cy]),
        ([3, 3], &[fx, _, cx, _, fy, cy, ..]) => ([fx, fy], [cx, cy]),
        (shape, _) => {
            return Err(wrong_shape(intrinsics.py(), "intrinsics", shape, "(4,): fx, fy, cx, cy, or (3, 3)"));
        }
    };
    Ok(DepthCamera { width, height, focal, principal })
}

impl VoxelMap {
    pub fn of(inner: clearance::VoxelMap) -> Self {
        Self { inner: Mutex::new(inner) }
    }
}

#[pymethods]
impl VoxelMap {
    #[new]
    fn new(py: Python<'_>, resolution: f64) -> PyResult<Self> {
        clearance::VoxelMap::new(resolution).or_raise(py).map(Self::of)
    }

    /// Reads an OctoMap file, `.bt` or `.ot`. Cells of no leaf become `background`.
    #[staticmethod]
    #[pyo3(signature = (path, *, background = "free"))]
    fn load(py: Python<'_>, path: PathBuf, background: &str) -> PyResult<Self> {
        let background = cell_of(py, background)?;
        let read = in_background(py, "voxel map", move |_| -> clearance::Result<_> {
            voxel_map(&io::load_octomap(&path)?, background)
        })?;
        read.map(Self::of).map_err(|error| file_error(py, error))
    }

    /// Writes an OctoMap file: `.ot` with probabilities, any other name as `.bt`.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let full = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ot"));
        let bytes = write_octomap(&**lock(py, &self.inner)?, full).or_raise(py)?;
        std::fs::write(path, bytes).or_raise(py)
    }

    /// The edge length of a cell.
    #[getter]
    fn resolution(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(lock(py, &self.inner)?.grid().resolution())
    }

    /// Sets the cells that contain points, `(n, 3)`, to 'free', 'unknown' or 'obstacle'.
    #[pyo3(signature = (points, cell = "obstacle"))]
    fn set(&self, points: &Bound<'_, PyAny>, cell: &str) -> PyResult<()> {
        let (py, cell, points) = (points.py(), cell_of(points.py(), cell)?, self::points("points", points)?);
        let mut map = lock(py, &self.inner)?;
        detached(py, || points.iter().try_for_each(|&point| map.set_at(point, cell)))?.or_raise(py)
    }

    /// What the cells are that contain points, `(n, 3)`.
    fn cells(&self, points: &Bound<'_, PyAny>) -> PyResult<Vec<&'static str>> {
        let (py, points) = (points.py(), self::points("points", points)?);
        let map = lock(py, &self.inner)?;
        points.into_iter().map(|point| map.cell_at(point).map(name_of).or_raise(py)).collect()
    }

    /// Inserts the rays of a scan from `origin` to `points`: their ends become obstacles, what they
    /// cross becomes free.
    ///
    /// Returns the numbers of rays, hit cells and crossed cells.
    #[pyo3(signature = (origin, points, *, max_range = f64::INFINITY))]
    fn insert_rays(
        &self,
        origin: &Bound<'_, PyAny>,
        points: &Bound<'_, PyAny>,
        max_range: f64,
    ) -> PyResult<(usize, usize, usize)> {
        let (py, origin) = (origin.py(), vector("origin", origin)?);
        let points = self::points("points", points)?;
        let mut map = lock(py, &self.inner)?;
        let report = detached(py, || {
            let sensor = SensorModel { max_range, ..SensorModel::default() };
            map.insert_rays(origin, &points, &sensor)
        })?;
        report.or_raise(py).map(|report| (report.rays, report.hits, report.misses))
    }

    /// Inserts a depth image `(height, width)`: depths are along the optical axis, in metres.
    ///
    /// Pixels that are zero, negative or NaN saw nothing; an infinite one clears what its ray
    /// crosses, up to `max_range`.
    ///
    /// Args:
    ///     depth: the image, row by row from the top.
    ///     intrinsics: `(fx, fy, cx, cy)` in pixels, or the 3×3 camera matrix.
    ///     pose: `map_from_camera`; x to the right, y down, z along the optical axis.
    #[pyo3(signature = (depth, intrinsics, pose = None, *, max_range = f64::INFINITY, quat = "xyzw"))]
    fn integrate_depth(
        &self,
        depth: &Bound<'_, PyAny>,
        intrinsics: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        max_range: f64,
        quat: &str,
    ) -> PyResult<(usize, usize, usize)> {
        let py = depth.py();
        let image = floats("depth", depth)?;
        let &[height, width] = image.shape() else {
            return Err(wrong_shape(py, "depth", image.shape(), "(height, width)"));
        };
        let camera = depth_camera((height, width), intrinsics)?;
        let place = self::pose("pose", pose, quat)?;
        let depths: Vec<f32> = image.data().iter().map(|&depth| depth as f32).collect();
        let mut map = lock(py, &self.inner)?;
        let report = detached(py, || {
            let sensor = SensorModel { max_range, ..SensorModel::default() };
            map.insert_depth_image(&camera, &depths, &place, &sensor)
        })?;
        report.or_raise(py).map(|report| (report.rays, report.hits, report.misses))
    }

    /// The present obstacles as a geometry; the map may change afterwards.
    pub fn obstacles<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Geometry>> {
        let py = slf.py();
        let mut map = lock(py, &slf.get().inner)?;
        let (geometry, snapshot) = caught(py, || (map.obstacles(), map.snapshot()))?;
        let saved = move || write_octomap(&snapshot, false);
        Bound::new(py, Geometry::of_cells(geometry.or_raise(py)?, saved))
    }

    /// The obstacles of an OctoMap file's bytes: what a pickled geometry holds.
    #[staticmethod]
    fn _cells<'py>(bytes: &Bound<'py, PyBytes>) -> PyResult<Bound<'py, Geometry>> {
        let py = bytes.py();
        let map = io::read_octomap(bytes.as_bytes())
            .map_err(clearance::Error::from)
            .and_then(|map| voxel_map(&map, Cell::Free))
            .or_raise(py)?;
        Self::obstacles(&Bound::new(py, Self::of(map))?)
    }

    /// The centres and edge lengths of the stored cubes of one kind, largest blocks whole.
    #[pyo3(signature = (cell = "obstacle"))]
    fn boxes<'py>(&self, py: Python<'py>, cell: &str) -> PyResult<Bound<'py, PyDict>> {
        let cell = cell_of(py, cell)?;
        let map = lock(py, &self.inner)?;
        let grid = map.grid();
        let (mut centers, mut sizes) = (Vec::new(), Vec::new());
        for (leaf, _) in map.contents().filter(|(leaf, _)| leaf.cell == cell) {
            let low = leaf.low.to_array().map(i64::from);
            let (low, high) = (grid.low_end(low), grid.low_end(low.map(|index| index + i64::from(leaf.side))));
            centers.push((low + high) * 0.5);
            sizes.push(f64::from(leaf.side) * grid.resolution());
        }
        let found = PyDict::new(py);
        found.set_item("center", points_array(py, centers))?;
        found.set_item("size", PyArray1::from_vec(py, sizes))?;
        Ok(found)
    }

    /// Resets all cells.
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        lock(py, &self.inner)?.clear();
        Ok(())
    }

    /// Pickles hold the stored cubes: first cells, edge lengths, kinds and probabilities.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (f64, Leaves<'py>))> {
        let py = slf.py();
        let map = lock(py, &slf.get().inner)?;
        let (mut cells, mut measured) = (Vec::new(), Vec::new());
        for (leaf, probabilities) in map.contents() {
            let [x, y, z] = leaf.low.to_array();
            cells.extend([x, y, z, leaf.side as i32, leaf.cell as i32]);
            // No probability is negative.
            measured.extend(probabilities.map_or([-1.0; 2], |found| [found.obstacle(), found.free()]));
        }
        let count = measured.len() / 2;
        let cells = reshaped(PyArray1::from_vec(py, cells), [count, 5]);
        let measured = reshaped(PyArray1::from_vec(py, measured), [count, 2]);
        Ok((slf.get_type().getattr("_of")?, (map.grid().resolution(), (cells, measured))))
    }

    /// The map of a pickle.
    #[staticmethod]
    fn _of(py: Python<'_>, resolution: f64, leaves: Leaves<'_>) -> PyResult<Self> {
        let (cells, measured) = (leaves.0.readonly(), leaves.1.readonly());
        let (cells, measured) = match (cells.as_slice(), measured.as_slice()) {
            (Ok(cells), Ok(measured)) => (cells.as_chunks::<5>().0, measured.as_chunks::<2>().0),
            _ => return Err(bad_value(py, "the arrays of a voxel map are not contiguous")),
        };
        let mut map = clearance::VoxelMap::new(resolution).or_raise(py)?;
        for (&[x, y, z, side, cell], &[obstacle, free]) in cells.iter().zip(measured) {
            let last = side.max(1) - 1;
            let (low, high) = ([x, y, z].into(), [x + last, y + last, z + last].into());
            let filled = if obstacle < 0.0 {
                let known = [Cell::Free, Cell::Unknown, Cell::Obstacle].into_iter().find(|&one| one as i32 == cell);
                map.fill(low, high, known.unwrap_or(Cell::Unknown))
            } else {
                Probabilities::new(obstacle, free).and_then(|both| map.fill_probabilities(low, high, &both))
            };
            filled.or_raise(py)?;
        }
        Ok(Self::of(map))
    }

    fn __richcmp__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        same_content(slf.as_any(), other, op)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("VoxelMap({})", lock(py, &self.inner)?.grid().resolution()))
    }
}
