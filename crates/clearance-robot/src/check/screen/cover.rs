//! Spheres that contain a geometry, in four levels, and spheres inside of it.
//!
//! # The proof
//! A mesh is cut into small pieces, halves of halves of its triangles. Every piece belongs to one
//! sphere of the finest level, whose radius is the largest distance of a vertex of its pieces; the
//! same holds of the level above, which knows the finest spheres of its pieces; every sphere of that
//! level belongs to one of the coarsest, which holds the same pieces. A
//! sphere is convex, so that it holds a piece whose three vertices it holds. Where spheres stand is a
//! heuristic: they stick out of the body as little as a greedy choice achieves. That they contain
//! the surface does not depend on it.
//!
//! The vertex of a piece is a middle of middles: each of at most 64 steps rounds it by 2⁻⁵³ of the
//! coordinates, and a distance takes five roundings. [`PIECE_ERROR`] times the largest coordinate
//! covers both with room to spare.
//!
//! Solids are covered as a whole, not their surfaces alone: capsules and cylinders by slices along
//! the axis, other primitives by the boxes of a grid that they reach into, each in its own sphere.
//! A geometry that is neither a default mesh nor a primitive has its bounding sphere alone.
//!
//! A mesh has a component for each of its larger closed surfaces that hang together. A sphere inside
//! of one has a centre with a winding number other than 0, by exact
//! predicates, and a radius below the certified distance of that centre from the surface.

mod greedy;
mod grid;

use crate::Result;
use crate::check::parts::from_engine;
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::DVec3;
use clearance_engine::query::{DistanceRequest, winding_number};
use clearance_engine::shape::{Convex, Cuboid, Primitive, Sphere, check_closed};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Geometry, Mesh, Solid};
use clearance_engine::volume::BoundingSphere;
use clearance_engine::{Pose, TriMesh, Triangle};
use greedy::Greedy;
use grid::Grid;
use std::any::Any;
use std::collections::{BTreeMap, HashMap};

/// What rounding may take from a radius, relative to the largest coordinate.
const PIECE_ERROR: f64 = 1e-12;

/// How many spheres the three finer levels have at most.
const COUNTS: [usize; 3] = [5, 24, 96];

/// How many spheres are inside at most, and how near their centres may be to each other, in radii.
const INNER: (usize, f64) = (8, 0.55);
/// The same for tables, which are made once.
const INNER_DENSE: (usize, f64) = (200, 0.2);
/// How many components have spheres inside at most, and how small they may be, in radii of the whole.
const MAX_COMPONENTS: usize = 6;
const SMALL: f64 = 0.25;
/// How many points a geometry without spheres inside has instead.
const POINTS: usize = 24;

/// A sphere of the middle level, and those of the fine level that hold the same.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) sphere: BoundingSphere,
    pub(super) fine: Vec<Fine>,
}

/// A sphere of the fine level, and the numbers of those of the finest level that hold the same;
/// without any it is the finest itself.
#[derive(Debug, Clone)]
pub(super) struct Fine {
    pub(super) sphere: BoundingSphere,
    pub(super) below: Vec<u32>,
}

impl Fine {
    fn alone(sphere: BoundingSphere) -> Self {
        Self { sphere, below: Vec::new() }
    }
}

/// The spheres around and inside of a geometry, in its own frame.
#[derive(Debug, Clone)]
pub(super) struct Cover {
    pub(super) whole: BoundingSphere,
    pub(super) groups: Vec<Group>,
    pub(super) finest: Vec<BoundingSphere>,
    pub(super) components: Vec<Component>,
    /// Points of a geometry without spheres inside.
    pub(super) points: Vec<DVec3>,
    /// Whether all that it encloses belongs to it.
    pub(super) solid: bool,
}

/// A part of a geometry that hangs together and has an inside.
#[derive(Debug, Clone, Default)]
pub(super) struct Component {
    pub(super) inner: Vec<BoundingSphere>,
    /// More of them.
    pub(super) inner_dense: Vec<BoundingSphere>,
    /// Points of the component, far apart from each other.
    pub(super) tips: Vec<DVec3>,
}

impl Cover {
    pub(super) fn of(geometry: &dyn Geometry) -> Result<Self> {
        let any: &dyn Any = geometry;
        if let Some(solid) = any.downcast_ref::<Solid>() {
            return Self::of_primitive(geometry, solid.shape());
        }
        match any.downcast_ref::<Mesh>() {
            // What is inside of a solid mesh belongs to it, and covers of surfaces do not hold it.
            Some(mesh) if !mesh.is_solid() => Ok(Self::of_mesh(mesh)),
            _ => Ok(Self::alone(geometry.sphere())),
        }
    }

    /// One sphere in all levels.
    fn alone(whole: BoundingSphere) -> Self {
        let groups = vec![Group { sphere: whole, fine: vec![Fine::alone(whole)] }];
        Self { whole, groups, finest: Vec::new(), components: Vec::new(), points: Vec::new(), solid: false }
    }

    /// The spheres of the fine level.
    pub(super) fn fine(&self) -> impl Iterator<Item = &BoundingSphere> {
        self.groups.iter().flat_map(|group| group.fine.iter().map(|fine| &fine.sphere))
    }

    fn of_primitive(geometry: &dyn Geometry, shape: &Primitive) -> Result<Self> {
        let center = shape.center();
        let (fine, mut inner) = match shape {
            Primitive::Sphere(_) => (vec![geometry.sphere()], vec![]),
            Primitive::Capsule(capsule) => {
                let (half, radius) = (capsule.half(), capsule.radius());
                // A point of a slice is within the radius of a point of the axis within the slice.
                (slices(center, half, |length| radius + length), inside_slices(center, half, radius))
            }
            Primitive::Cylinder(cylinder) => {
                let (half, radius) = (cylinder.axis() * cylinder.half_length(), cylinder.radius());
                let inner = radius.min(half.length());
                let inside = inside_slices(center, half * (1.0 - inner / half.length()), inner);
                (slices(center, half, |length| radius.hypot(length)), inside)
            }
            _ => (boxes(geometry)?, vec![]),
        };
        if inner.is_empty() {
            inner.push(BoundingSphere { center, radius: shape.inner() });
        }
        let largest = largest_coordinate(geometry);
        let grown = |sphere: BoundingSphere| BoundingSphere { radius: sphere.radius + PIECE_ERROR * largest, ..sphere };
        let shrunk =
            |sphere: BoundingSphere| BoundingSphere { radius: sphere.radius - PIECE_ERROR * largest, ..sphere };
        let inner: Vec<BoundingSphere> = inner.into_iter().map(shrunk).filter(|sphere| sphere.radius > 0.0).collect();
        let fine: Vec<BoundingSphere> = fine.into_iter().map(grown).collect();
        let supports = DVec3::AXES.iter().flat_map(|&axis| [shape.support(axis), shape.support(-axis)]);
        let tips = supports.map(|support| center + support).collect();
        let groups = fine.chunks(fine.len().div_ceil(COUNTS[0]).max(1)).map(group_of).collect();
        let components = vec![Component { inner_dense: inner.clone(), inner, tips }];
        Ok(Self { components, groups, solid: true, ..Self::alone(geometry.sphere()) })
    }

    fn of_mesh(mesh: &Mesh) -> Self {
        let tri_mesh = mesh.tri_mesh();
        let whole = mesh.sphere();
        let triangles: Vec<Triangle> = (0..tri_mesh.len() as u32).map(|number| tri_mesh.triangle(number)).collect();
        let pieces = pieces(&triangles, 0.05 * whole.radius);
        let grid = Grid::new(mesh, &pieces);
        let error = PIECE_ERROR * largest_coordinate(mesh);
        let mut cover = Self::alone(whole);
        (cover.groups, cover.finest) = Greedy::new(&grid, &pieces, whole.radius).groups(COUNTS, error);
        cover.components = components(mesh, &grid, error);
        if cover.components.is_empty() {
            cover.points = spread(&referenced(tri_mesh));
        }
        cover
    }
}

/// The vertices of all triangles: others are no points of the surface.
fn referenced(mesh: &TriMesh) -> Vec<DVec3> {
    mesh.triangles().iter().flatten().map(|&vertex| mesh.vertices()[vertex as usize]).collect()
}

/// The closed components of a mesh that are not small, with spheres inside.
fn components(mesh: &Mesh, grid: &Grid, error: f64) -> Vec<Component> {
    // All of them share what a table looks at.
    let component = |mesh: &Mesh, grid: &Grid, count: usize| Component {
        inner: inside(mesh, grid, error, INNER),
        inner_dense: inside(mesh, grid, error, (INNER_DENSE.0 / count, INNER_DENSE.1)),
        tips: extremes(&referenced(mesh.tri_mesh())),
    };
    let closed = |mesh: &TriMesh| check_closed(mesh).is_ok();
    let mut found = if mesh.component_points().len() == 1 {
        let closed = closed(mesh.tri_mesh());
        if closed { vec![component(mesh, grid, 1)] } else { Vec::new() }
    } else {
        let mut parts: Vec<Mesh> = separated(mesh.tri_mesh())
            .into_iter()
            .filter(closed)
            .filter_map(|part| Mesh::new(part).ok())
            .filter(|part| part.sphere().radius > SMALL * mesh.sphere().radius)
            .collect();
        parts.sort_by(|a, b| b.sphere().radius.total_cmp(&a.sphere().radius));
        parts.truncate(MAX_COMPONENTS);
        let of_part = |part: &Mesh| {
            let tri_mesh = part.tri_mesh();
            let triangles: Vec<Triangle> = (0..tri_mesh.len() as u32).map(|i| tri_mesh.triangle(i)).collect();
            component(part, &Grid::new(part, &pieces(&triangles, 0.05 * part.sphere().radius)), parts.len())
        };
        parts.iter().map(of_part).collect()
    };
    found.retain(|component| !component.inner.is_empty());
    found
}

/// The connected components of a mesh; vertices at one place count as one.
fn separated(mesh: &TriMesh) -> Vec<TriMesh> {
    let place = |vertex: &DVec3| vertex.to_array().map(|x| (x + 0.0).to_bits());
    let mut first: HashMap<[u64; 3], usize> = HashMap::new();
    let welded: Vec<usize> =
        mesh.vertices().iter().enumerate().map(|(i, vertex)| *first.entry(place(vertex)).or_insert(i)).collect();
    let mut parents: Vec<usize> = (0..welded.len()).collect();
    let root = |parents: &mut Vec<usize>, mut i: usize| {
        while parents[i] != i {
            parents[i] = parents[parents[i]];
            i = parents[i];
        }
        i
    };
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|i| root(&mut parents, welded[i as usize]));
        let least = a.min(b).min(c);
        (parents[a], parents[b], parents[c]) = (least, least, least);
    }
    let mut components: BTreeMap<usize, Vec<[u32; 3]>> = BTreeMap::new();
    for triangle in mesh.triangles() {
        components.entry(root(&mut parents, welded[triangle[0] as usize])).or_default().push(*triangle);
    }
    let component = |triangles: Vec<[u32; 3]>| {
        let vertices = triangles.iter().flatten().map(|&i| mesh.vertices()[i as usize]).collect();
        let triangles = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        TriMesh::new(vertices, triangles).ok()
    };
    components.into_values().filter_map(component).collect()
}

fn largest_coordinate(geometry: &dyn Geometry) -> f64 {
    let (low, high) = geometry.bounding_box();
    low.abs().max(high.abs()).max_element()
}

/// The smallest sphere that is easily found around spheres.
fn group_of(fine: &[BoundingSphere]) -> Group {
    let sphere = fine.iter().copied().reduce(|a, b| a.with(&b)).unwrap_or(fine[0]);
    Group { sphere, fine: fine.iter().copied().map(Fine::alone).collect() }
}

/// Spheres around the slices of a body along an axis of half length `half`; `radius` is that around
/// a slice of a given half length.
fn slices(center: DVec3, half: DVec3, radius: impl Fn(f64) -> f64) -> Vec<BoundingSphere> {
    let thickness = radius(0.0).max(f64::MIN_POSITIVE);
    let count = (half.length() / (0.3 * thickness)).ceil().clamp(1.0, COUNTS[1] as f64);
    let length = half.length() / count;
    let at = |i: usize| center + half * ((2 * i + 1) as f64 / count - 1.0);
    (0..count as usize).map(|i| BoundingSphere { center: at(i), radius: radius(length) }).collect()
}

/// Spheres of one radius along an axis.
fn inside_slices(center: DVec3, half: DVec3, radius: f64) -> Vec<BoundingSphere> {
    let count = (half.length() / (0.5 * radius).max(f64::MIN_POSITIVE)).ceil().clamp(1.0, INNER.0 as f64 - 1.0);
    let at = |i: usize| center + half * (2.0 * i as f64 / count - 1.0);
    (0..=count as usize).map(|i| BoundingSphere { center: at(i), radius }).collect()
}

/// Spheres around the boxes of a grid that a convex solid reaches into.
fn boxes(geometry: &dyn Geometry) -> Result<Vec<BoundingSphere>> {
    let (low, high) = geometry.bounding_box();
    let size = high - low;
    // As cubic as the count allows.
    let mut edge = (size.element_product() / COUNTS[1] as f64).cbrt().max(0.05 * size.max_element());
    let count = |edge: f64| (size / edge).ceil().max(DVec3::ONE);
    while count(edge).element_product() > COUNTS[1] as f64 {
        edge *= 1.05;
    }
    let counts = count(edge);
    let half = size / counts * 0.5;
    let dispatcher = Dispatcher::shared();
    let mut workspace = Workspace::default();
    let mut spheres = Vec::new();
    for cell in cells(counts) {
        let center = low + (cell * 2.0 + 1.0) * half;
        let cuboid = Solid::new(Cuboid::from_half_extents(half * (1.0 + 1e-9)).map_err(from_engine)?);
        let test = dispatcher.plan(geometry, &cuboid).map_err(from_engine)?;
        if test.collide(&Pose::from_translation(center).map_err(from_engine)?, &mut workspace, None).colliding {
            spheres.push(BoundingSphere { center, radius: half.length() * (1.0 + 1e-9) });
        }
    }
    Ok(spheres)
}

/// All points of a grid, from zero on.
fn cells(counts: DVec3) -> impl Iterator<Item = DVec3> {
    let [x, y, z] = counts.to_array().map(|count| count as usize);
    let at = move |i: usize| DVec3::new((i / (y * z)) as f64, (i / z % y) as f64, (i % z) as f64);
    (0..x * y * z).map(at)
}

/// Cuts triangles at the middles of their longest edges until none is longer than `edge`.
fn pieces(triangles: &[Triangle], edge: f64) -> Vec<[DVec3; 3]> {
    let mut stack: Vec<([DVec3; 3], u32)> = triangles.iter().map(|triangle| (triangle.0, 0)).collect();
    let mut pieces = Vec::with_capacity(stack.len());
    while let Some((piece, depth)) = stack.pop() {
        let length = |i: usize| piece[i].distance_squared(piece[(i + 1) % 3]);
        let longest = (1..3).fold(0, |longest, i| if length(i) > length(longest) { i } else { longest });
        if depth == 64 || length(longest) <= edge * edge {
            pieces.push(piece);
            continue;
        }
        let [start, end, tip] = [0, 1, 2].map(|k| piece[(longest + k) % 3]);
        let middle = (start + end) * 0.5;
        stack.extend([([start, middle, tip], depth + 1), ([middle, end, tip], depth + 1)]);
    }
    pieces
}

/// The vertices that are farthest along the axes.
fn extremes(vertices: &[DVec3]) -> Vec<DVec3> {
    let farthest = |axis: DVec3| vertices.iter().copied().max_by(|a, b| a.dot(axis).total_cmp(&b.dot(axis)));
    DVec3::AXES.iter().flat_map(|&axis| [farthest(axis), farthest(-axis)]).flatten().collect()
}

/// Some vertices, each as far from the others as possible.
fn spread(vertices: &[DVec3]) -> Vec<DVec3> {
    let mut distances = vec![f64::INFINITY; vertices.len()];
    let mut points = Vec::new();
    while points.len() < POINTS.min(vertices.len()) {
        let farthest = (0..vertices.len()).max_by(|&a, &b| distances[a].total_cmp(&distances[b]));
        let point = vertices[farthest.unwrap_or(0)];
        for (distance, vertex) in distances.iter_mut().zip(vertices) {
            *distance = distance.min(vertex.distance_squared(point));
        }
        points.push(point);
    }
    points
}

/// Spheres inside of a closed mesh, the largest first, no two at nearly one place.
fn inside(mesh: &Mesh, grid: &Grid, error: f64, (max_count, apart): (usize, f64)) -> Vec<BoundingSphere> {
    let Ok(point) = Sphere::new(0.0).map(Solid::new) else { return Vec::new() };
    let Ok(test) = Dispatcher::shared().plan(mesh, &point) else { return Vec::new() };
    let mut workspace = Workspace::default();
    let mut spheres: Vec<BoundingSphere> = Vec::new();
    for (center, depth) in grid.inside() {
        if spheres.len() == max_count || depth < 0.03 * mesh.sphere().radius {
            break;
        }
        if spheres.iter().any(|other| other.center.distance(center) < apart * other.radius) {
            continue;
        }
        let Ok(pose) = Pose::from_translation(center) else { continue };
        let found = test.distance(&pose, &DistanceRequest::default(), &mut workspace, None);
        let radius = found.map_or(0.0, |distance| distance.lower - error);
        if radius > 0.0 && winding_number(mesh, center, &mut workspace) != 0 {
            spheres.push(BoundingSphere { center, radius });
        }
    }
    spheres
}
