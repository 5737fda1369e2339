//! Robots.

use crate::arrays::{Configurations, pose, poses_array, reshaped, vector};
use crate::errors::{OrRaise, bad_value, error, file_error};
use crate::geometry::same_content;
use crate::mesh::Mesh;
use crate::run::{batch, in_background};
use crate::shapes::{Box as BoxShape, Capsule, Convex, Cylinder, Sphere};
use clearance::robot::{GeometrySource, HullLinks};
use clearance::{JointSpec, LinkGeometry, LinkShape, Pose, RobotBuilder, UrdfOptions};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A kinematic tree with geometry; immutable.
///
/// `Robot.load` reads URDF files, `RobotBuilder` makes robots in code.
#[pyclass(frozen, weakref, subclass, module = "clearance")]
pub struct Robot {
    pub inner: Arc<clearance::Robot>,
}

/// A text, or the path of a file.
enum Source {
    Text(String),
    Path(PathBuf),
}

fn source(object: &Bound<'_, PyAny>) -> PyResult<Source> {
    match object.extract::<String>() {
        Ok(text) if text.trim_start().starts_with('<') => Ok(Source::Text(text)),
        _ => object.extract().map(Source::Path),
    }
}

#[pymethods]
impl Robot {
    /// Reads a robot.
    ///
    /// Args:
    ///     urdf: the path of a URDF file, or its text.
    ///     srdf: the path or the text of an SRDF file: pairs that need no check, groups.
    ///     package_dirs: folders that hold packages, for `package://` in the file.
    ///     visual: the visual geometry in the place of the collision geometry.
    ///     hulls: the convex hulls of meshes in their place: True for all links, or names.
    ///
    /// >>> import clearance
    /// >>> robot = clearance.Robot.load("<robot name='stone'><link name='body'/></robot>")
    /// >>> robot
    /// <Robot 'stone' of 1 link and 0 joint variables>
    #[staticmethod]
    #[pyo3(signature = (urdf, srdf = None, package_dirs = Vec::new(), *, visual = false, hulls = None))]
    fn load(
        urdf: &Bound<'_, PyAny>,
        srdf: Option<&Bound<'_, PyAny>>,
        package_dirs: Vec<PathBuf>,
        visual: bool,
        hulls: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let py = urdf.py();
        let geometry = if visual { GeometrySource::Visual } else { GeometrySource::Collision };
        let hulls = match hulls {
            None => HullLinks::None,
            Some(given) => match given.extract::<bool>() {
                Ok(true) => HullLinks::All,
                Ok(false) => HullLinks::None,
                Err(_) => HullLinks::Named(given.extract::<Vec<String>>()?.into_iter().collect()),
            },
        };
        let options = UrdfOptions { packages: package_dirs, geometry, hulls, ..UrdfOptions::default() };
        let (urdf, srdf) = (source(urdf)?, srdf.map(source).transpose()?);
        let robot = in_background(py, "robot", move |_| -> clearance::Result<clearance::Robot> {
            let robot = match urdf {
                Source::Text(text) => clearance::Robot::from_urdf(&text, &options)?,
                Source::Path(path) => clearance::Robot::load_with(path, &options)?,
            };
            Ok(match srdf {
                None => robot,
                Some(Source::Text(text)) => robot.with_srdf_text(&text)?,
                Some(Source::Path(path)) => robot.with_srdf(path)?,
            })
        })?;
        Ok(Self { inner: Arc::new(robot.map_err(|error| file_error(py, error))?) })
    }

    /// The robot's name.
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    /// The names of the numbers of a configuration, in order. A joint of several numbers has as
    /// many names, one that follows another has none.
    #[getter]
    fn joint_names(&self) -> Vec<&str> {
        self.inner.variables().iter().map(|variable| variable.name.as_str()).collect()
    }

    /// How many numbers a configuration has.
    #[getter]
    fn dof(&self) -> usize {
        self.inner.variables().len()
    }

    /// The names of all links, the root first.
    #[getter]
    fn link_names(&self) -> Vec<&str> {
        self.inner.links().iter().map(|link| link.name()).collect()
    }

    /// The lowest configuration within the limits; -inf where there is none.
    #[getter]
    fn lower<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.inner.lower())
    }

    /// The highest configuration within the limits; inf where there is none.
    #[getter]
    fn upper<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.inner.upper())
    }

    /// The configuration with all joints at 0, or at the nearest limit.
    #[getter]
    fn default<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.inner.default_configuration())
    }

    /// What the reader ignored or assumed, one sentence each.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.inner.notes().to_vec()
    }

    /// The names of the groups of the SRDF file.
    #[getter]
    fn groups(&self) -> Vec<&str> {
        self.inner.group_names().collect()
    }

    /// The links and the joints of a group, by name.
    fn group(&self, py: Python<'_>, name: &str) -> PyResult<(Vec<&str>, Vec<&str>)> {
        let unknown = || error(py, "NamingError", format!("the robot has no group '{name}'"));
        let members = self.inner.group(name).ok_or_else(unknown)?;
        let links = members.links.iter().map(|&link| self.inner.links()[link].name()).collect();
        Ok((links, members.joints.iter().map(|&joint| self.inner.joints()[joint].name()).collect()))
    }

    /// The pairs of links that need no check, besides neighbours.
    #[getter]
    fn disabled_pairs(&self) -> Vec<(&str, &str)> {
        let mut pairs: Vec<_> = self.inner.disabled_pairs().pairs().map(|[a, b]| (a, b)).collect();
        pairs.sort_unstable();
        pairs
    }

    /// The poses of all links, `(links, 4, 4)`, or `(n, links, 4, 4)` for many configurations.
    #[pyo3(signature = (q, *, base = None))]
    fn link_poses<'py>(&self, q: &Bound<'py, PyAny>, base: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let (py, base) = (q.py(), pose("base", base, "xyzw")?);
        let rows = Configurations::new("q", q, self.dof())?;
        let count = self.inner.links().len();
        let mut all: Vec<Pose> = Vec::with_capacity(rows.len() * count);
        let (data, single) = (rows.rows(), rows.one().is_some());
        batch(py, "kinematics", rows.len(), |range| {
            let mut poses = Vec::new();
            for i in range {
                self.inner.link_poses(&base, data.row(i), &mut poses)?;
                all.extend_from_slice(&poses);
            }
            Ok(())
        })?;
        let array = poses_array(py, &all);
        if single {
            return Ok(array.into_any());
        }
        let flat = array.reshape([all.len() * 16])?;
        Ok(reshaped(flat, [rows.len(), count, 4, 4]).into_any())
    }

    /// What `RobotBuilder` and pickles hold.
    fn _spec<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (robot, spec) = (&*self.inner, PyDict::new(py));
        let mut meshes = HashMap::new();
        spec.set_item("name", robot.name())?;
        let links = PyList::empty(py);
        for link in robot.links() {
            let shapes = PyList::empty(py);
            for geometry in link.geometries() {
                let shape = shape_spec(py, &geometry.shape, &mut meshes)?;
                shapes.append((geometry.name.as_str(), geometry.origin.rows(), shape))?;
            }
            links.append((link.name(), shapes))?;
        }
        spec.set_item("links", links)?;
        let joints = PyList::empty(py);
        let name = |link: usize| robot.links()[link].name();
        for joint in robot.joints() {
            let axis = joint.kind().axis().map(|axis| axis.to_array());
            let limits = joint.kind().limits().map(|limits| (limits.lower, limits.upper));
            let mimic = joint.mimic().map(|rule| (robot.joints()[rule.joint].name(), rule.multiplier, rule.offset));
            let ends = (joint.name(), name(joint.parent()), name(joint.child()));
            joints.append((ends, joint.kind().name(), axis, limits, joint.origin().rows(), mimic))?;
        }
        spec.set_item("joints", joints)?;
        spec.set_item("disabled", self.disabled_pairs())?;
        let groups: Vec<(&str, _)> =
            robot.group_names().filter_map(|name| Some((name, robot.group(name)?.links.clone()))).collect();
        let group =
            |(group, links): (&str, Vec<usize>)| (group.to_owned(), links.into_iter().map(name).collect::<Vec<_>>());
        spec.set_item("groups", groups.into_iter().map(group).collect::<Vec<_>>())?;
        Ok(spec)
    }

    /// The robot of a spec.
    #[staticmethod]
    fn _of(spec: &Bound<'_, PyDict>) -> PyResult<Self> {
        let py = spec.py();
        let item = |name: &str| spec.get_item(name)?.ok_or_else(|| bad_value(py, format!("no {name}")));
        let mut builder = RobotBuilder::new(item("name")?.extract::<String>()?);
        let mut meshes = HashMap::new();
        for link in item("links")?.try_iter()? {
            let (name, shapes): (String, Bound<'_, PyAny>) = link?.extract()?;
            let mut geometries = Vec::new();
            for shape in shapes.try_iter()? {
                let (name, origin, shape): (String, [[f64; 4]; 3], Bound<'_, PyAny>) = shape?.extract()?;
                let origin = Pose::from_rows(origin).or_raise(py)?;
                geometries.push(LinkGeometry::new(origin, link_shape(&shape, &mut meshes)?).named(name));
            }
            builder = builder.link(name, geometries);
        }
        type Ends = (String, String, String);
        type Mimic = Option<(String, f64, f64)>;
        for joint in item("joints")?.try_iter()? {
            let (ends, kind, axis, limits, origin, mimic): (
                Ends,
                String,
                Option<[f64; 3]>,
                Option<(f64, f64)>,
                [[f64; 4]; 3],
                Mimic,
            ) = joint?.extract()?;
            let (name, parent, child) = ends;
            let axis = axis.map_or(clearance::Vec3::Z, clearance::Vec3::from_array);
            let limited = || {
                let (lower, upper) = limits
                    .ok_or_else(|| bad_value(py, format!("joint '{name}' is {kind}; give it limits=(lower, upper)")))?;
                Ok::<_, PyErr>([lower, upper])
            };
            let joint = match kind.as_str() {
                "revolute" => JointSpec::revolute(name.clone(), parent, child, axis, limited()?),
                "prismatic" => JointSpec::prismatic(name.clone(), parent, child, axis, limited()?),
                "continuous" => JointSpec::continuous(name, parent, child, axis),
                "planar" => JointSpec::planar(name, parent, child, axis),
                "floating" => JointSpec::floating(name, parent, child),
                "fixed" => JointSpec::fixed(name, parent, child),
                _ => return Err(bad_value(py, format!("joint '{name}' has the unknown kind '{kind}'"))),
            };
            let joint = joint.at(Pose::from_rows(origin).or_raise(py)?);
            builder = builder.joint(match mimic {
                Some((other, multiplier, offset)) => joint.mimic(other, multiplier, offset),
                None => joint,
            });
        }
        let mut robot = builder.build().or_raise(py)?;
        let mut disabled = robot.disabled_pairs().clone();
        for (a, b) in item("disabled")?.extract::<Vec<(String, String)>>()? {
            disabled.insert(&a, &b);
        }
        robot = robot.with_disabled(&disabled);
        for (name, links) in item("groups")?.extract::<Vec<(String, Vec<String>)>>()? {
            robot = robot.with_group(&name, &links).or_raise(py)?;
        }
        Ok(Self { inner: Arc::new(robot) })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyDict>,))> {
        Ok((slf.get_type().getattr("_of")?, (slf.get()._spec(slf.py())?,)))
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        crate::pictures::framed(slf.as_any())
    }

    fn _repr_png_<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        crate::pictures::shown(slf.as_any())
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> Bound<'py, Self> {
        slf.clone()
    }

    fn __deepcopy__<'py>(slf: &Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf.clone()
    }

    fn __richcmp__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        same_content(slf.as_any(), other, op)
    }

    fn __hash__(slf: &Bound<'_, Self>) -> PyResult<isize> {
        slf.get().name().into_pyobject(slf.py())?.hash()
    }

    fn __repr__(&self) -> String {
        let (links, dof) = (self.inner.links().len(), self.dof());
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let name = self.inner.name();
        format!("<Robot '{name}' of {links} link{} and {dof} joint variable{}>", plural(links), plural(dof))
    }
}

/// A shape as Python values: a kind and its numbers. Geometries that share a mesh share its arrays.
fn shape_spec<'py>(
    py: Python<'py>,
    shape: &LinkShape,
    meshes: &mut HashMap<usize, Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let made = match shape {
        LinkShape::Box { size } => ("box", size.to_array()).into_pyobject(py)?.into_any(),
        LinkShape::Sphere { radius } => ("sphere", *radius).into_pyobject(py)?.into_any(),
        LinkShape::Cylinder { radius, length } => ("cylinder", (*radius, *length)).into_pyobject(py)?.into_any(),
        LinkShape::Capsule { radius, length } => ("capsule", (*radius, *length)).into_pyobject(py)?.into_any(),
        LinkShape::Hull(hull) => {
            ("hull", crate::arrays::points_array(py, hull.vertices())).into_pyobject(py)?.into_any()
        }
        LinkShape::Mesh(mesh) => {
            let key = Arc::as_ptr(mesh) as usize;
            if let Some(known) = meshes.get(&key) {
                return Ok(known.clone());
            }
            let faces = PyArray1::from_slice(py, mesh.triangles().as_flattened());
            let faces = reshaped(faces, [mesh.triangles().len(), 3]);
            let vertices = crate::arrays::points_array(py, mesh.vertices().iter().copied());
            let made = ("mesh", (vertices, faces)).into_pyobject(py)?.into_any();
            meshes.insert(key, made.clone());
            made
        }
        _ => return Err(error(py, "UnsupportedError", "a link has a shape that this package does not know")),
    };
    Ok(made)
}

/// The shape of a spec, or of a geometry.
fn link_shape(shape: &Bound<'_, PyAny>, meshes: &mut HashMap<usize, LinkShape>) -> PyResult<LinkShape> {
    let py = shape.py();
    if let Ok(mesh) = shape.cast::<Mesh>() {
        return Ok(LinkShape::Mesh(mesh.get().inner.tri_mesh().clone()));
    }
    if let Ok(hull) = shape.cast::<Convex>() {
        return Ok(LinkShape::Hull(hull.get().inner.clone()));
    }
    if let Ok(given) = shape.cast::<BoxShape>() {
        return Ok(LinkShape::Box { size: given.get().size });
    }
    if let Ok(given) = shape.cast::<Sphere>() {
        return Ok(LinkShape::Sphere { radius: given.get().radius });
    }
    if let Ok(given) = shape.cast::<Cylinder>() {
        return Ok(LinkShape::Cylinder { radius: given.get().radius, length: given.get().length });
    }
    if let Ok(given) = shape.cast::<Capsule>() {
        return Ok(LinkShape::Capsule { radius: given.get().radius, length: given.get().length });
    }
    let unknown = |_| {
        let expected = "a link takes Mesh, Convex, Box, Sphere, Cylinder and Capsule";
        pyo3::exceptions::PyTypeError::new_err(format!("{expected}, not {}", shape.get_type()))
    };
    let (kind, numbers): (String, Bound<'_, PyAny>) = shape.extract().map_err(unknown)?;
    Ok(match kind.as_str() {
        "box" => LinkShape::Box { size: vector("size", &numbers)? },
        "sphere" => LinkShape::Sphere { radius: numbers.extract()? },
        "cylinder" | "capsule" => {
            let (radius, length) = numbers.extract()?;
            if kind == "capsule" {
                LinkShape::Capsule { radius, length }
            } else {
                LinkShape::Cylinder { radius, length }
            }
        }
        "hull" => {
            let points = crate::arrays::points("hull", &numbers)?;
            LinkShape::Hull(clearance::ConvexPolyhedron::hull_of(&points).or_raise(py)?)
        }
        "mesh" => {
            // Pickles keep which objects are one: links that shared a mesh share it again.
            let key = numbers.as_ptr() as usize;
            if let Some(known) = meshes.get(&key) {
                return Ok(known.clone());
            }
            let (vertices, faces): (Bound<'_, PyAny>, Bound<'_, PyAny>) = numbers.extract()?;
            let vertices = crate::arrays::points("vertices", &vertices)?;
            let faces = crate::arrays::faces(&faces, vertices.len())?;
            let mesh = clearance::Mesh::new(vertices, faces).or_raise(py)?;
            let made = LinkShape::Mesh(mesh.tri_mesh().clone());
            meshes.insert(key, made.clone());
            made
        }
        _ => return Err(bad_value(py, format!("a link has the unknown shape '{kind}'"))),
    })
}

/// The built-in humanoid: 23 joints and 16,440 triangles.
#[pyfunction(name = "humanoid")]
pub fn built_in_humanoid(py: Python<'_>) -> PyResult<Robot> {
    Ok(Robot { inner: Arc::new(clearance::scene::humanoid().or_raise(py)?.robot) })
}
