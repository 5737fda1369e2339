//! What geometries look like: triangles, or cells and points of one size.
//!
//! This is for the eye alone. Round shapes are drawn with [`AROUND`] facets; queries see them round.

use clearance_engine::math::{DMat3, DVec3};
use clearance_engine::shape::{Convex, HalfSpaceOrPlane, Primitive};
use clearance_engine::tree::voxel_map::{VoxelCells, VoxelTree};
use clearance_engine::tree::{Assembly, Geometry, HalfSpaceGeometry, Mesh, PointCloud, PrimitiveBvhNodes, Solid};
use clearance_engine::{Pose, Result, TriMesh};
use clearance_robot::LinkShape;
use clearance_scene::picture::Color;
use std::any::Any;
use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, TAU};
use std::sync::Arc;

/// The facets around a round shape.
const AROUND: usize = 48;
/// Half of the edge of the square that stands for a plane, in metres.
const PLANE: f64 = 3.0;

/// One thing to draw, and where it is in its body.
#[derive(Debug, Clone)]
pub(crate) struct Drawn {
    pub(crate) body_from_drawn: Pose,
    pub(crate) look: Look,
}

#[derive(Debug, Clone)]
pub(crate) enum Look {
    /// Triangles; with a colour for each of them, or one for all.
    Surface { mesh: Arc<TriMesh>, colors: Option<Arc<Vec<Color>>> },
    /// Cubes or spheres of one size about their centres; `count` of them, of which hidden ones are
    /// left out.
    Cells { centers: Vec<[f32; 3]>, size: f64, round: bool, count: usize },
}

impl Look {
    fn plain(mesh: TriMesh) -> Self {
        Self::Surface { mesh: Arc::new(mesh), colors: None }
    }
}

/// What a geometry looks like in its own frame.
pub(crate) fn geometry(geometry: &dyn Geometry) -> Result<Vec<Drawn>> {
    let here = |look: Look| vec![Drawn { body_from_drawn: Pose::IDENTITY, look }];
    let any = geometry as &dyn Any;
    if let Some(mesh) = any.downcast_ref::<Mesh>() {
        return Ok(here(Look::Surface { mesh: mesh.tri_mesh().clone(), colors: None }));
    }
    if let Some(solid) = any.downcast_ref::<Solid>() {
        return Ok(here(Look::plain(primitive(solid.shape())?)));
    }
    if let Some(half_space) = any.downcast_ref::<HalfSpaceGeometry>() {
        return Ok(here(Look::plain(plane(half_space.shape())?)));
    }
    if let Some(cloud) = any.downcast_ref::<PointCloud>() {
        let centers = cloud.points().iter().map(|point| point.as_vec3().to_array()).collect::<Vec<_>>();
        let (count, size) = (centers.len(), 2.0 * cloud.radius());
        return Ok(here(Look::Cells { centers, size, round: true, count }));
    }
    if let Some(cells) = any.downcast_ref::<VoxelCells>() {
        return voxels(cells).map(|looks| looks.into_iter().flat_map(here).collect());
    }
    if let Some(assembly) = any.downcast_ref::<Assembly>() {
        let mut all = Vec::new();
        for part in assembly.parts().map(|part| part.number()) {
            let pose = assembly.pose(part);
            for drawn in self::geometry(&**assembly.geometry(part))? {
                all.push(Drawn { body_from_drawn: pose.then(&drawn.body_from_drawn), look: drawn.look });
            }
        }
        return Ok(all);
    }
    Ok(here(Look::plain(leaves(geometry)?)))
}

/// Whether a geometry has no end, so that a part of it is drawn.
pub(crate) fn is_plane(geometry: &dyn Geometry) -> bool {
    (geometry as &dyn Any).is::<HalfSpaceGeometry>()
}

/// The surface of a link's shape in its own frame; none for kinds that are not known here.
pub(crate) fn link_shape(shape: &LinkShape) -> Result<Option<Arc<TriMesh>>> {
    let made = match *shape {
        LinkShape::Mesh(ref mesh) => return Ok(Some(mesh.clone())),
        LinkShape::Hull(ref hull) => hull.surface()?,
        LinkShape::Box { size } => cuboid(DVec3::ZERO, &DMat3::IDENTITY, 0.5 * size)?,
        LinkShape::Sphere { radius } => revolved(&Axis::UP, &arc(radius, 0.0, [-FRAC_PI_2, FRAC_PI_2]))?,
        LinkShape::Cylinder { radius, length } => revolved(&Axis::UP, &drum(radius, 0.5 * length))?,
        LinkShape::Capsule { radius, length } => revolved(&Axis::UP, &capsule(radius, 0.5 * length))?,
        _ => return Ok(None),
    };
    Ok(Some(Arc::new(made)))
}

/// A geometry of an unknown kind: its triangles, or else the box around it.
fn leaves(geometry: &dyn Geometry) -> Result<TriMesh> {
    let corners: Vec<DVec3> = (0..).map_while(|leaf| geometry.leaf_triangle(leaf)).flat_map(|t| t.0).collect();
    if corners.is_empty() {
        let (low, high) = geometry.bounding_box();
        return cuboid((low + high) * 0.5, &DMat3::IDENTITY, (high - low) * 0.5);
    }
    let triangles = (0..corners.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    TriMesh::new(corners, triangles)
}

fn primitive(primitive: &Primitive) -> Result<TriMesh> {
    match primitive {
        Primitive::Sphere(sphere) => {
            let profile = arc(sphere.radius(), 0.0, [-FRAC_PI_2, FRAC_PI_2]);
            revolved(&Axis::of(sphere.center(), DVec3::Z), &profile)
        }
        Primitive::Capsule(shape) => {
            let axis = Axis::of(shape.center(), shape.half().normalize_or(DVec3::Z));
            revolved(&axis, &capsule(shape.radius(), shape.half().length()))
        }
        Primitive::Cylinder(shape) => {
            revolved(&Axis::of(shape.center(), shape.axis()), &drum(shape.radius(), shape.half_length()))
        }
        Primitive::Cone(shape) => {
            let (radius, half) = (shape.radius(), shape.half_length());
            revolved(&Axis::of(shape.center(), shape.axis()), &[[0.0, -half], [radius, -half], [0.0, half]])
        }
        Primitive::Ellipsoid(shape) => {
            let half = shape.half();
            let axes = DMat3::from_cols(
                shape.axes().x_axis * half.x,
                shape.axes().y_axis * half.y,
                shape.axes().z_axis * half.z,
            );
            revolved(&Axis { center: shape.center(), axes }, &arc(1.0, 0.0, [-FRAC_PI_2, FRAC_PI_2]))
        }
        Primitive::Cuboid(shape) => cuboid(shape.center(), shape.axes(), shape.half()),
        Primitive::ConvexPolyhedron(shape) => shape.surface(),
        other => {
            let (center, radius) = (other.center(), other.bounding_radius() + Convex::radius(other));
            revolved(&Axis::of(center, DVec3::Z), &arc(radius, 0.0, [-FRAC_PI_2, FRAC_PI_2]))
        }
    }
}

/// The frame of a body of revolution, about its third axis.
struct Axis {
    center: DVec3,
    axes: DMat3,
}

impl Axis {
    const UP: Self = Self { center: DVec3::ZERO, axes: DMat3::IDENTITY };

    fn of(center: DVec3, direction: DVec3) -> Self {
        let (x, y) = direction.any_orthonormal_pair();
        // The pair is orthogonal to the direction, but may be left-handed with it.
        let axes = DMat3::from_cols(x, y, direction);
        let axes = if axes.determinant() < 0.0 { DMat3::from_cols(y, x, direction) } else { axes };
        Self { center, axes }
    }
}

/// Radius and height of points on an arc about the height `z`, from one angle to the other.
fn arc(radius: f64, z: f64, [from, to]: [f64; 2]) -> Vec<[f64; 2]> {
    let steps = (AROUND as f64 * (to - from) / TAU).round() as usize;
    let point = |i: usize| {
        let angle = from + (to - from) * i as f64 / steps as f64;
        [radius * angle.cos(), z + radius * angle.sin()]
    };
    (0..=steps).map(point).collect()
}

fn drum(radius: f64, half: f64) -> [[f64; 2]; 4] {
    [[0.0, -half], [radius, -half], [radius, half], [0.0, half]]
}

fn capsule(radius: f64, half: f64) -> Vec<[f64; 2]> {
    [arc(radius, -half, [-FRAC_PI_2, 0.0]), arc(radius, half, [0.0, FRAC_PI_2])].concat()
}

/// The closed surface that a profile sweeps out; it begins and ends on the axis.
fn revolved(axis: &Axis, profile: &[[f64; 2]]) -> Result<TriMesh> {
    let place = |radius: f64, z: f64, i: usize| {
        let angle = TAU * i as f64 / AROUND as f64;
        axis.center + axis.axes * DVec3::new(radius * angle.cos(), radius * angle.sin(), z)
    };
    let [first, last] = [profile[0], profile[profile.len() - 1]];
    let rings = &profile[1..profile.len() - 1];
    let mut vertices: Vec<DVec3> =
        rings.iter().flat_map(|&[radius, z]| (0..AROUND).map(move |i| place(radius, z, i))).collect();
    let bottom = vertices.len() as u32;
    vertices.extend([place(0.0, first[1], 0), place(0.0, last[1], 0)]);
    let at = |ring: usize, i: usize| (ring * AROUND + i % AROUND) as u32;
    let mut triangles = Vec::new();
    for i in 0..AROUND {
        triangles.push([bottom, at(0, i + 1), at(0, i)]);
        for ring in 1..rings.len() {
            let [a, b, c, d] = [at(ring - 1, i), at(ring - 1, i + 1), at(ring, i + 1), at(ring, i)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
        triangles.push([bottom + 1, at(rings.len() - 1, i), at(rings.len() - 1, i + 1)]);
    }
    TriMesh::new(vertices, triangles)
}

/// A cube about the origin.
pub(crate) fn cube(size: f64) -> Result<TriMesh> {
    cuboid(DVec3::ZERO, &DMat3::IDENTITY, DVec3::splat(0.5 * size))
}

fn cuboid(center: DVec3, axes: &DMat3, half: DVec3) -> Result<TriMesh> {
    let vertex = |i: u32| {
        let sign = |bit: u32| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
        center + *axes * (half * DVec3::new(sign(0), sign(1), sign(2)))
    };
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.into_iter().flat_map(|[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]]);
    TriMesh::new((0..8).map(vertex).collect(), triangles.collect())
}

/// A square of a plane, about the point nearest to the origin.
fn plane(shape: &HalfSpaceOrPlane) -> Result<TriMesh> {
    let plane = shape.plane();
    let (center, axis) = (plane.normal() * plane.offset(), Axis::of(DVec3::ZERO, plane.normal()));
    let vertex = |x: f64, y: f64| center + axis.axes * DVec3::new(x * PLANE, y * PLANE, 0.0);
    let vertices = vec![vertex(-1.0, -1.0), vertex(1.0, -1.0), vertex(1.0, 1.0), vertex(-1.0, 1.0)];
    TriMesh::new(vertices, vec![[0, 1, 2], [0, 2, 3]])
}

/// Cells by their size; single cells with neighbours on all sides are not seen and left out.
fn voxels(cells: &VoxelCells) -> Result<Vec<Look>> {
    let (tree, chosen): (&VoxelTree, _) = (cells.snapshot(), cells.cells());
    let mut sizes: BTreeMap<u32, (Vec<[f32; 3]>, usize)> = BTreeMap::new();
    for leaf in tree.view(chosen)?.leaves() {
        let around = DVec3::AXES.iter().flat_map(|axis| [axis.as_ivec3(), -axis.as_ivec3()]);
        let hidden = leaf.side == 1 && around.into_iter().all(|by| chosen.contains(tree.cell(leaf.low + by)));
        let entry = sizes.entry(leaf.side).or_default();
        entry.1 += 1;
        if !hidden {
            let low = leaf.low.to_array().map(i64::from);
            let (low, high) = (tree.grid().low_end(low), tree.grid().low_end(low.map(|i| i + i64::from(leaf.side))));
            entry.0.push(((low + high) * 0.5).as_vec3().to_array());
        }
    }
    let resolution = tree.grid().resolution();
    let look = |(side, (centers, count)): (u32, (Vec<[f32; 3]>, usize))| Look::Cells {
        centers,
        size: resolution * f64::from(side),
        round: false,
        count,
    };
    Ok(sizes.into_iter().map(look).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_engine::math::DQuat;
    use clearance_engine::shape::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Sphere};

    /// The volume that a closed, outward surface encloses.
    fn volume(mesh: &TriMesh) -> f64 {
        (0..mesh.len() as u32).map(|i| mesh.triangle(i).0).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
    }

    #[test]
    fn drawn_primitives_enclose_nearly_the_volume_of_the_shape() {
        let pi = std::f64::consts::PI;
        let pose =
            Pose::new(DQuat::from_euler(Default::default(), 0.3, 0.7, -1.1), DVec3::new(0.2, -0.4, 0.6)).unwrap();
        let cases: [(Primitive, f64); 6] = [
            (Sphere::new(0.5).unwrap().into(), 4.0 / 3.0 * pi * 0.125),
            (Capsule::new(0.2, 1.0).unwrap().into(), pi * 0.04 + 4.0 / 3.0 * pi * 0.008),
            (Cuboid::new(1.0, 2.0, 3.0).unwrap().into(), 6.0),
            (Cylinder::new(0.3, 2.0).unwrap().into(), pi * 0.09 * 2.0),
            (Cone::new(0.3, 2.0).unwrap().into(), pi * 0.09 * 2.0 / 3.0),
            (Ellipsoid::new(DVec3::new(0.2, 0.5, 0.9)).unwrap().into(), 4.0 / 3.0 * pi * 0.09),
        ];
        for (shape, expected) in cases {
            for placed in [shape.clone(), shape.transformed(&pose)] {
                let drawn = volume(&primitive(&placed).unwrap());
                // Facets lie inside: of a sphere with 48 of them less than 1 % of the volume is missing.
                assert!((0.985..1.0 + 1e-9).contains(&(drawn / expected)), "{}: {drawn} {expected}", shape.name());
            }
        }
    }
}
