//! Pictures of triangles.

use crate::arrays::{faces, points, vector};
use crate::errors::OrRaise;
use crate::run::detached;
use clearance::scene::picture::{Camera, Picture};
use clearance::{Mesh, Pose, Vec3};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

const RED: [u8; 3] = [220, 30, 30];

/// Draws triangles, a list of vertices, faces, three rows of a pose and a colour; and red lines.
#[pyfunction(name = "_draw")]
pub fn draw<'py>(
    parts: &Bound<'py, PyList>,
    lines: Vec<[[f64; 3]; 2]>,
    eye: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
    size: (u32, u32),
) -> PyResult<Bound<'py, PyBytes>> {
    let py = parts.py();
    let camera = Camera::looking(vector("eye", eye)?, vector("target", target)?);
    let mut meshes = Vec::new();
    for part in parts {
        let (vertices, triangles, rows, color): (Bound<'_, PyAny>, Bound<'_, PyAny>, [[f64; 4]; 3], [u8; 3]) =
            part.extract()?;
        let vertices = points("vertices", &vertices)?;
        let triangles = faces(&triangles, vertices.len())?;
        let mesh = Mesh::new(vertices, triangles).or_raise(py)?;
        meshes.push((mesh, Pose::from_rows(rows).or_raise(py)?, color));
    }
    let bytes = detached(py, || {
        let mut picture = Picture::new(size.0, size.1, camera);
        for (mesh, place, color) in &meshes {
            picture.draw_mesh(mesh.tri_mesh(), place, *color);
        }
        for line in &lines {
            let [from, to] = line.map(Vec3::from_array);
            picture.draw_line(from, to, RED, 3.0);
        }
        picture.encode()
    })?;
    Ok(PyBytes::new(py, &bytes.or_raise(py)?))
}

/// The picture of an object for notebooks; None where there is nothing to draw.
pub fn shown<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    drawn(object, "clearance._pictures", "picture")
}

/// The viewer's page with an object, for notebooks; None where there is nothing to see.
pub fn framed<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    drawn(object, "clearance._viewer", "framed")
}

fn drawn<'py>(object: &Bound<'py, PyAny>, module: &str, function: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = object.py();
    match py.import(module)?.call_method1(function, (object,)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyNotImplementedError>(py) => Ok(None),
        Err(error) => Err(error),
    }
}
