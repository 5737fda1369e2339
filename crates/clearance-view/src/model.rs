//! A robot in its surroundings as bytes, so that a page can hold it and ask about it.
//!
//! A recording has surfaces for the eye alone, rounded to `f32`; this has the geometries that queries
//! see, with all digits. It begins with [`MAGIC`] and the length of a JSON text as `u32`; the text
//! follows, then the coordinates of all meshes and points as `f64`, then their triangles as `u32`,
//! everything little-endian.

use crate::{Error, Result};
use clearance_engine::math::{DMat3, DVec3, IVec3};
use clearance_engine::shape::{
    Capsule, Cone, Convex, ConvexPolyhedron, Cuboid, Cylinder, Ellipsoid, HalfSpace, HalfSpaceOrPlane, Plane,
    Primitive, Sphere,
};
use clearance_engine::tree::voxel_map::{Cell, Cells, VoxelCells, VoxelMap, VoxelOptions};
use clearance_engine::tree::{
    Assembly, Geometry, HalfSpaceGeometry, HeightField, Mesh, PointCloud, PrimitiveBvhNodes, Solid,
};
use clearance_engine::{Pose, TriMesh};
use clearance_robot::{
    Attachment, CheckOptions, Checker, DisabledPairs, JointKind, JointSpec, Limits, LinkGeometry, LinkShape, Object,
    Robot, RobotBuilder,
};
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

const MAGIC: &[u8; 4] = b"clrM";
/// The version of this layout.
const FORMAT: u32 = 2;

/// The upper three rows of a homogeneous matrix.
type Rows = [[f64; 4]; 3];

#[derive(Serialize, Deserialize)]
struct Model {
    format: u32,
    name: String,
    links: Vec<LinkModel>,
    joints: Vec<JointModel>,
    base: Rows,
    objects: Vec<ObjectModel>,
    options: OptionsModel,
    /// The numbers of vertices and triangles of every mesh, in their order among the bytes.
    meshes: Vec<[usize; 2]>,
}

#[derive(Serialize, Deserialize)]
struct LinkModel {
    name: String,
    shapes: Vec<PlacedShape>,
}

#[derive(Serialize, Deserialize)]
struct PlacedShape {
    at: Rows,
    shape: Shape,
}

#[derive(Serialize, Deserialize)]
struct JointModel {
    name: String,
    kind: String,
    parent: usize,
    child: usize,
    origin: Rows,
    axis: [f64; 3],
    limits: [f64; 2],
    /// The joint that it follows, with multiplier and offset.
    mimic: Option<(usize, f64, f64)>,
}

#[derive(Serialize, Deserialize)]
struct ObjectModel {
    name: String,
    at: Rows,
    shape: Shape,
}

#[derive(Serialize, Deserialize)]
struct OptionsModel {
    disabled: Vec<[String; 2]>,
    allowed: Vec<[String; 2]>,
    padding: f64,
    paddings: HashMap<String, f64>,
    margin: f64,
    margins: Vec<([String; 2], f64)>,
    only: Option<Vec<String>>,
    attached: Vec<AttachedModel>,
}

#[derive(Serialize, Deserialize)]
struct AttachedModel {
    name: String,
    link: String,
    at: Rows,
    shape: Shape,
    touch_links: Vec<String>,
}

/// A geometry; primitives along z about their centre, then placed.
#[derive(Serialize, Deserialize)]
enum Shape {
    Mesh {
        mesh: usize,
        solid: bool,
    },
    Hull {
        mesh: usize,
    },
    Points {
        mesh: usize,
        radius: f64,
    },
    /// A point for each cube of cells, its first cell, and one for its side and kind.
    Voxels {
        mesh: usize,
        resolution: f64,
        origin: [f64; 3],
        obstacles: bool,
        unknown: bool,
    },
    Heights {
        columns: usize,
        rows: usize,
        spacing: [f64; 2],
        heights: Vec<f64>,
        base: Option<f64>,
    },
    Sphere {
        radius: f64,
    },
    Cuboid {
        half: [f64; 3],
    },
    Cylinder {
        radius: f64,
        half: f64,
    },
    Capsule {
        radius: f64,
        half: f64,
    },
    Cone {
        radius: f64,
        half: f64,
    },
    Ellipsoid {
        half: [f64; 3],
    },
    Plane {
        normal: [f64; 3],
        offset: f64,
        solid: bool,
    },
    Parts(Vec<PlacedShape>),
    Placed(Box<PlacedShape>),
}

/// What a checker asks about, as bytes; an error names what they cannot hold.
pub(crate) fn save(checker: &Checker) -> Result<Vec<u8>> {
    let (robot, options) = (checker.robot(), checker.options());
    let mut meshes = Meshes::default();
    let links = robot.links().iter().map(|link| {
        let shape = |geometry: &LinkGeometry| {
            Ok(PlacedShape { at: geometry.origin.rows(), shape: meshes.link_shape(&geometry.shape)? })
        };
        let shapes = link.geometries().iter().map(shape).collect::<Result<_>>()?;
        Ok(LinkModel { name: link.name().to_owned(), shapes })
    });
    let links = links.collect::<Result<_>>()?;
    let scene = checker.scene();
    let mut objects = Vec::new();
    for name in scene.names() {
        let part = scene.part(name)?.number();
        let geometry = scene.assembly().geometry(part);
        let shape = meshes.geometry(&**geometry).map_err(|error| Error::Mismatch(format!("'{name}': {error}")))?;
        objects.push(ObjectModel { name: name.to_owned(), at: scene.assembly().pose(part).rows(), shape });
    }
    let attached = options.attached.iter().map(|object| {
        let shape = meshes.geometry(&*object.geometry);
        Ok(AttachedModel {
            name: object.name.clone(),
            link: object.link.clone(),
            at: object.link_from_object.rows(),
            shape: shape.map_err(|error| Error::Mismatch(format!("'{}': {error}", object.name)))?,
            touch_links: object.touch_links.clone(),
        })
    });
    let attached = attached.collect::<Result<_>>()?;
    let disabled = robot.disabled_pairs().pairs().chain(options.disabled.pairs());
    let options = OptionsModel {
        disabled: disabled.map(|pair| pair.map(str::to_owned)).collect(),
        allowed: options.allowed.clone(),
        padding: options.padding,
        paddings: options.paddings.clone(),
        margin: options.margin,
        margins: options.margins.iter().map(|(pair, margin)| (pair.clone(), *margin)).collect(),
        only: options.only.clone(),
        attached,
    };
    let model = Model {
        format: FORMAT,
        name: robot.name().to_owned(),
        links,
        joints: joints(robot),
        base: checker.base().rows(),
        objects,
        options,
        meshes: meshes.sizes,
    };
    let text = serde_json::to_string(&model).map_err(unreadable)?;
    let length = u32::try_from(text.len()).map_err(|_| Error::Mismatch("the model is too large".into()))?;
    Ok([MAGIC, &length.to_le_bytes(), text.as_bytes(), &meshes.vertices, &meshes.triangles].concat())
}

/// The checker that [`save`] wrote.
pub(crate) fn load(bytes: &[u8]) -> Result<Checker> {
    let damaged = || Error::Mismatch("the model in this page is damaged".to_owned());
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(damaged)?;
    let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(damaged)?;
    let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(damaged)?;
    let model: Model = serde_json::from_slice(text).map_err(unreadable)?;
    if model.format != FORMAT {
        return Err(Error::Mismatch(format!("the model has format {}, not {FORMAT}", model.format)));
    }
    let meshes = read_meshes(&model.meshes, rest).ok_or_else(damaged)??;
    let mut builder = RobotBuilder::new(model.name);
    let names: Vec<String> = model.links.iter().map(|link| link.name.clone()).collect();
    for link in model.links {
        let geometry = |placed: PlacedShape| {
            let shape = placed.shape.for_link(&meshes)?;
            Ok(LinkGeometry::new(Pose::from_rows(placed.at)?, shape))
        };
        let geometries = link.shapes.into_iter().map(geometry).collect::<Result<Vec<_>>>()?;
        builder = builder.link(link.name, geometries);
    }
    let joint_names: Vec<String> = model.joints.iter().map(|joint| joint.name.clone()).collect();
    for joint in model.joints {
        let link = |number: usize| names.get(number).cloned().ok_or_else(damaged);
        let (parent, child, mimic) = (link(joint.parent)?, link(joint.child)?, joint.mimic);
        let mut spec = JointSpec::of_kind(joint.kind().ok_or_else(damaged)?, joint.name, parent, child)
            .at(Pose::from_rows(joint.origin)?);
        if let Some((followed, multiplier, offset)) = mimic {
            spec = spec.mimic(joint_names.get(followed).ok_or_else(damaged)?, multiplier, offset);
        }
        builder = builder.joint(spec);
    }
    let attached = model.options.attached.into_iter().map(|object| {
        let (geometry, link_from_object) = (object.shape.geometry(&meshes)?, Pose::from_rows(object.at)?);
        let AttachedModel { name, link, touch_links, .. } = object;
        Ok(Attachment { name, link, geometry, link_from_object, touch_links })
    });
    let attached = attached.collect::<Result<_>>()?;
    let mut disabled = DisabledPairs::default();
    model.options.disabled.iter().for_each(|[a, b]| disabled.insert(a, b));
    let options = CheckOptions {
        disabled,
        allowed: model.options.allowed,
        padding: model.options.padding,
        paddings: model.options.paddings,
        margin: model.options.margin,
        margins: model.options.margins.into_iter().collect(),
        only: model.options.only,
        attached,
    };
    let mut checker = Checker::with_options(builder.build()?, options)?;
    checker.set_base(Pose::from_rows(model.base)?)?;
    for object in model.objects {
        let geometry = object.shape.geometry(&meshes)?;
        checker.scene_mut().insert(Object { name: object.name, geometry, pose: Pose::from_rows(object.at)? })?;
    }
    Ok(checker)
}

fn unreadable(error: serde_json::Error) -> Error {
    Error::Mismatch(format!("the model cannot be read or written: {error}"))
}

fn joints(robot: &Robot) -> Vec<JointModel> {
    let joint = |joint: &clearance_robot::Joint| JointModel {
        name: joint.name().to_owned(),
        kind: joint.kind().name().to_owned(),
        parent: joint.parent(),
        child: joint.child(),
        origin: joint.origin().rows(),
        axis: joint.kind().axis().unwrap_or(DVec3::Z).to_array(),
        limits: joint.kind().limits().map_or([0.0; 2], |limits| [limits.lower, limits.upper]),
        mimic: joint.mimic().map(|mimic| (mimic.joint, mimic.multiplier, mimic.offset)),
    };
    robot.joints().iter().map(joint).collect()
}

impl JointModel {
    fn kind(&self) -> Option<JointKind> {
        let (axis, [lower, upper]) = (DVec3::from_array(self.axis), self.limits);
        let limits = Limits { lower, upper };
        Some(match &*self.kind {
            "fixed" => JointKind::Fixed,
            "revolute" => JointKind::Revolute { axis, limits },
            "continuous" => JointKind::Continuous { axis },
            "prismatic" => JointKind::Prismatic { axis, limits },
            "planar" => JointKind::Planar { normal: axis },
            "floating" => JointKind::Floating,
            _ => return None,
        })
    }
}

/// Meshes and lists of points, each once.
#[derive(Default)]
struct Meshes {
    known: HashMap<*const TriMesh, usize>,
    sizes: Vec<[usize; 2]>,
    vertices: Vec<u8>,
    triangles: Vec<u8>,
}

impl Meshes {
    fn add(&mut self, vertices: impl Iterator<Item = DVec3>, triangles: &[[u32; 3]]) -> usize {
        let before = self.vertices.len();
        self.vertices.extend(vertices.flat_map(|vertex| vertex.to_array()).flat_map(f64::to_le_bytes));
        self.triangles.extend(triangles.iter().flatten().flat_map(|number| number.to_le_bytes()));
        self.sizes.push([(self.vertices.len() - before) / 24, triangles.len()]);
        self.sizes.len() - 1
    }

    fn mesh(&mut self, mesh: &Arc<TriMesh>) -> usize {
        // The checker holds all meshes, so that no two lie at one place.
        if let Some(&known) = self.known.get(&Arc::as_ptr(mesh)) {
            return known;
        }
        let number = self.add(mesh.vertices().iter().copied(), mesh.triangles());
        self.known.insert(Arc::as_ptr(mesh), number);
        number
    }

    fn link_shape(&mut self, shape: &LinkShape) -> Result<Shape> {
        Ok(match *shape {
            LinkShape::Mesh(ref mesh) => Shape::Mesh { mesh: self.mesh(mesh), solid: false },
            LinkShape::Hull(ref hull) => Shape::Hull { mesh: self.add(hull.vertices(), &[]) },
            LinkShape::Box { size } => Shape::Cuboid { half: (0.5 * size).to_array() },
            LinkShape::Sphere { radius } => Shape::Sphere { radius },
            LinkShape::Cylinder { radius, length } => Shape::Cylinder { radius, half: 0.5 * length },
            LinkShape::Capsule { radius, length } => Shape::Capsule { radius, half: 0.5 * length },
            _ => return Err(Error::Mismatch("a page does not hold this kind of link".into())),
        })
    }

    fn geometry(&mut self, geometry: &dyn Geometry) -> Result<Shape> {
        let any = geometry as &dyn Any;
        if let Some(mesh) = any.downcast_ref::<Mesh>() {
            return Ok(Shape::Mesh { mesh: self.mesh(mesh.tri_mesh()), solid: mesh.is_solid() });
        }
        if let Some(solid) = any.downcast_ref::<Solid>() {
            return self.primitive(solid.shape());
        }
        if let Some(cloud) = any.downcast_ref::<PointCloud>() {
            let mesh = self.add(cloud.points().iter().copied(), &[]);
            return Ok(Shape::Points { mesh, radius: cloud.radius() });
        }
        if let Some(cells) = any.downcast_ref::<VoxelCells>() {
            return self.voxels(cells);
        }
        if let Some(field) = any.downcast_ref::<HeightField>() {
            let (columns, rows) = field.size();
            let (spacing, heights, base) = (field.spacing(), field.heights().to_vec(), field.base());
            return Ok(Shape::Heights { columns, rows, spacing, heights, base });
        }
        if let Some(half_space) = any.downcast_ref::<HalfSpaceGeometry>() {
            let (plane, solid) = (half_space.shape().plane(), half_space.shape().is_solid());
            return Ok(Shape::Plane { normal: plane.normal().to_array(), offset: plane.offset(), solid });
        }
        if let Some(assembly) = any.downcast_ref::<Assembly>() {
            let part = |part: u32| {
                let shape = self.geometry(&**assembly.geometry(part))?;
                Ok(PlacedShape { at: assembly.pose(part).rows(), shape })
            };
            let parts = assembly.parts().map(|part| part.number()).map(part);
            return Ok(Shape::Parts(parts.collect::<Result<_>>()?));
        }
        Err(Error::Mismatch(format!("a page does not hold the kind '{}'", geometry.kind())))
    }

    fn voxels(&mut self, cells: &VoxelCells) -> Result<Shape> {
        let (tree, chosen) = (cells.snapshot(), cells.cells());
        let numbers = tree.view(chosen)?.leaves().flat_map(|leaf| {
            let kind = if leaf.cell == Cell::Obstacle { 1.0 } else { 0.0 };
            [leaf.low.as_dvec3(), DVec3::new(f64::from(leaf.side), kind, 0.0)]
        });
        let mesh = self.add(numbers, &[]);
        let (resolution, origin) = (tree.grid().resolution(), tree.grid().origin().to_array());
        let [obstacles, unknown] = [Cell::Obstacle, Cell::Unknown].map(|cell| chosen.contains(cell));
        Ok(Shape::Voxels { mesh, resolution, origin, obstacles, unknown })
    }

    fn primitive(&mut self, primitive: &Primitive) -> Result<Shape> {
        let upright = |axis: DVec3| {
            let (x, y) = axis.any_orthonormal_pair();
            let turn = DMat3::from_cols(x, y, axis);
            if turn.determinant() < 0.0 { DMat3::from_cols(y, x, axis) } else { turn }
        };
        let (center, turn, shape) = match primitive {
            Primitive::Sphere(shape) => (shape.center(), DMat3::IDENTITY, Shape::Sphere { radius: shape.radius() }),
            Primitive::Capsule(capsule) => {
                let shape = Shape::Capsule { radius: capsule.radius(), half: capsule.half().length() };
                (capsule.center(), upright(capsule.half().normalize_or(DVec3::Z)), shape)
            }
            Primitive::Cylinder(cylinder) => {
                let shape = Shape::Cylinder { radius: cylinder.radius(), half: cylinder.half_length() };
                (cylinder.center(), upright(cylinder.axis()), shape)
            }
            Primitive::Cone(cone) => {
                let shape = Shape::Cone { radius: cone.radius(), half: cone.half_length() };
                (cone.center(), upright(cone.axis()), shape)
            }
            Primitive::Cuboid(cuboid) => {
                (cuboid.center(), *cuboid.axes(), Shape::Cuboid { half: cuboid.half().to_array() })
            }
            Primitive::Ellipsoid(body) => {
                (body.center(), *body.axes(), Shape::Ellipsoid { half: body.half().to_array() })
            }
            Primitive::ConvexPolyhedron(hull) => return Ok(Shape::Hull { mesh: self.add(hull.vertices(), &[]) }),
            _ => return Err(Error::Mismatch(format!("a page does not hold the kind '{}'", primitive.name()))),
        };
        if center == DVec3::ZERO && turn == DMat3::IDENTITY {
            return Ok(shape);
        }
        Ok(Shape::Placed(Box::new(PlacedShape { at: Pose::from_matrix(turn, center)?.rows(), shape })))
    }
}

/// The vertices and triangles of all meshes; nothing where bytes are missing.
fn read_meshes(sizes: &[[usize; 2]], bytes: &[u8]) -> Option<Result<Vec<MeshData>>> {
    let total = |k: usize| sizes.iter().try_fold(0_usize, |sum, size| sum.checked_add(size[k]));
    let (vertices, triangles) = bytes.split_at_checked(total(0)?.checked_mul(24)?)?;
    if triangles.len() != total(1)?.checked_mul(12)? {
        return None;
    }
    let mut vertices = vertices.chunks_exact(8).map(|eight| eight.try_into().map_or(f64::NAN, f64::from_le_bytes));
    let mut triangles = triangles.chunks_exact(4).map(|four| four.try_into().map_or(0, u32::from_le_bytes));
    let mut three_numbers = || Some([vertices.next()?, vertices.next()?, vertices.next()?]);
    let mut three_vertices = || Some([triangles.next()?, triangles.next()?, triangles.next()?]);
    let mut meshes = Vec::new();
    for &[vertex_count, triangle_count] in sizes {
        let vertices = (0..vertex_count).map_while(|_| three_numbers()).map(DVec3::from_array).collect();
        let triangles: Vec<[u32; 3]> = (0..triangle_count).map_while(|_| three_vertices()).collect();
        meshes.push(if triangles.is_empty() {
            MeshData::Points(vertices)
        } else {
            match TriMesh::new(vertices, triangles) {
                Ok(mesh) => MeshData::Surface(Arc::new(mesh)),
                Err(error) => return Some(Err(error.into())),
            }
        });
    }
    Some(Ok(meshes))
}

enum MeshData {
    Points(Vec<DVec3>),
    Surface(Arc<TriMesh>),
}

/// What was read, by number.
trait Numbered {
    fn surface(&self, number: usize) -> Result<Arc<TriMesh>>;
    fn points(&self, number: usize) -> Result<&[DVec3]>;
}

impl Numbered for Vec<MeshData> {
    fn surface(&self, number: usize) -> Result<Arc<TriMesh>> {
        match self.get(number) {
            Some(MeshData::Surface(mesh)) => Ok(mesh.clone()),
            _ => Err(Error::Mismatch("the model in this page lacks a mesh".into())),
        }
    }

    fn points(&self, number: usize) -> Result<&[DVec3]> {
        match self.get(number) {
            Some(MeshData::Points(points)) => Ok(points),
            _ => Err(Error::Mismatch("the model in this page lacks a list of points".into())),
        }
    }
}

impl Shape {
    fn for_link(&self, meshes: &Vec<MeshData>) -> Result<LinkShape> {
        Ok(match *self {
            Self::Mesh { mesh, .. } => LinkShape::Mesh(meshes.surface(mesh)?),
            Self::Hull { mesh } => LinkShape::Hull(ConvexPolyhedron::hull_of(meshes.points(mesh)?)?),
            Self::Sphere { radius } => LinkShape::Sphere { radius },
            Self::Cuboid { half } => LinkShape::Box { size: 2.0 * DVec3::from_array(half) },
            Self::Cylinder { radius, half } => LinkShape::Cylinder { radius, length: 2.0 * half },
            Self::Capsule { radius, half } => LinkShape::Capsule { radius, length: 2.0 * half },
            _ => return Err(Error::Mismatch("the model has a link of an unknown kind".into())),
        })
    }

    /// The primitive that it is; none for other geometries.
    fn primitive(&self, meshes: &Vec<MeshData>) -> Result<Option<Primitive>> {
        Ok(Some(match *self {
            Self::Sphere { radius } => Sphere::new(radius)?.into(),
            Self::Cuboid { half } => Cuboid::from_half_extents(DVec3::from_array(half))?.into(),
            Self::Cylinder { radius, half } => Cylinder::from_half_length(radius, half)?.into(),
            Self::Capsule { radius, half } => Capsule::from_half_length(radius, half)?.into(),
            Self::Cone { radius, half } => Cone::from_half_length(radius, half)?.into(),
            Self::Ellipsoid { half } => Ellipsoid::new(DVec3::from_array(half))?.into(),
            Self::Hull { mesh } => ConvexPolyhedron::hull_of(meshes.points(mesh)?)?.into(),
            Self::Placed(ref placed) => {
                let primitive = placed.shape.primitive(meshes)?;
                let Some(primitive) = primitive else { return Ok(None) };
                primitive.transformed(&Pose::from_rows(placed.at)?)
            }
            _ => return Ok(None),
        }))
    }

    fn geometry(&self, meshes: &Vec<MeshData>) -> Result<Arc<dyn Geometry>> {
        if let Some(primitive) = self.primitive(meshes)? {
            return Ok(Arc::new(Solid::new(primitive)));
        }
        Ok(match *self {
            Self::Mesh { mesh, solid } => {
                let mesh: Mesh = Mesh::new(meshes.surface(mesh)?)?;
                Arc::new(if solid { mesh.into_solid()? } else { mesh })
            }
            Self::Points { mesh, radius } => Arc::new(PointCloud::new(meshes.points(mesh)?.to_vec(), radius)?),
            Self::Voxels { mesh, resolution, origin, obstacles, unknown } => {
                let origin = DVec3::from_array(origin);
                let mut map = VoxelMap::with_options(&VoxelOptions { origin, ..VoxelOptions::new(resolution) })?;
                for leaf in meshes.points(mesh)?.chunks_exact(2) {
                    let (low, side) = (leaf[0].as_ivec3(), leaf[1].x as i32);
                    let high = low.saturating_add(IVec3::splat(side.saturating_sub(1)));
                    map.fill(low, high, if leaf[1].y == 1.0 { Cell::Obstacle } else { Cell::Unknown })?;
                }
                let cells = match (obstacles, unknown) {
                    (true, true) => Cells::NOT_FREE,
                    (true, false) => Cells::OBSTACLE,
                    _ => Cells::UNKNOWN,
                };
                Arc::new(map.snapshot().geometry(cells)?)
            }
            Self::Heights { columns, rows, spacing, ref heights, base } => {
                let field = HeightField::new(columns, rows, spacing, heights.clone())?;
                Arc::new(match base {
                    Some(base) => field.into_solid(base)?,
                    None => field,
                })
            }
            Self::Plane { normal, offset, solid } => {
                let normal = DVec3::from_array(normal);
                let shape: HalfSpaceOrPlane =
                    if solid { HalfSpace::new(normal, offset)?.into() } else { Plane::new(normal, offset)?.into() };
                Arc::new(HalfSpaceGeometry::new(shape))
            }
            Self::Parts(ref parts) => {
                let mut assembly = Assembly::default();
                for part in parts {
                    assembly.insert(part.shape.geometry(meshes)?, Pose::from_rows(part.at)?);
                }
                Arc::new(assembly)
            }
            _ => return Err(Error::Mismatch("the model has an object of an unknown kind".into())),
        })
    }
}
