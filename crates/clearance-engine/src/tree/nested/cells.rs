//! Convex cells: a convex polyhedron and the parts that planes cut it into, in `f64`. Only the
//! quality of boxes depends on their rounding.
//!
//! Faces are pieces of the mesh's triangles, and polygons where planes cut. A piece has the
//! vertices of its triangle, and points on its edges that both sides of a cut share, so that the
//! pieces of a triangle cover it up to [`SLACK`] after any number of cuts.

use crate::Triangle;
use crate::math::{DMat3, DVec3, Moments, symmetric_eigenvectors};
use crate::shape::cut_polygon;
use crate::volume::Wall;
use std::collections::HashMap;

/// An upper bound of how far ten cuts move a point, in stored coordinates: each by four roundings
/// of 1.
pub(super) const SLACK: f64 = 1e-13;
/// Vertices nearer to a plane than this are on it.
const ON_PLANE: f64 = 1e-13;
/// Moments of inertia that differ by less than this share count as equal.
const TIED: f64 = 1e-6;
/// Normals and offsets that are the same multiples of this belong to one wall.
const SAME_WALL: f64 = 1e-9;

/// A polygon of a cell's surface.
#[derive(Debug, Clone)]
struct Face {
    vertices: Vec<DVec3>,
    /// The triangle of the mesh that it is a piece of; `None` where a plane cut.
    triangle: Option<u32>,
}

impl Face {
    fn fan(&self) -> impl Iterator<Item = Triangle> + '_ {
        let tip = self.vertices.first().copied().unwrap_or_default();
        self.vertices.get(1..).unwrap_or_default().windows(2).map(move |edge| Triangle([tip, edge[0], edge[1]]))
    }

    /// The parts below and above a plane, as vertices.
    fn cut(&self, plane: &Wall) -> [Vec<DVec3>; 2] {
        let height = |vertex: DVec3| {
            let height = plane.normal.dot(vertex) - plane.offset;
            if height.abs() <= ON_PLANE { 0.0 } else { height }
        };
        cut_polygon(&self.vertices, &height)
    }
}

/// A convex part of a polyhedron, in stored coordinates.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    faces: Vec<Face>,
}

impl Cell {
    /// The whole polyhedron, by its triangles.
    pub fn whole(triangles: &[Triangle]) -> Self {
        let face = |(i, triangle): (usize, &Triangle)| Face { vertices: triangle.0.to_vec(), triangle: Some(i as u32) };
        Self { faces: triangles.iter().enumerate().map(face).collect() }
    }

    /// Whether the cell's surface has no part of the polyhedron's own: the paper's label INTERIOR.
    pub fn is_interior(&self) -> bool {
        self.faces.iter().all(|face| face.triangle.is_none())
    }

    /// The triangles of the mesh that have a part of this cell's surface.
    pub fn triangles(&self) -> impl Iterator<Item = u32> + '_ {
        self.faces.iter().filter_map(|face| face.triangle)
    }

    /// The whole surface in triangles.
    pub fn surface(&self) -> Vec<Triangle> {
        self.faces.iter().flat_map(Face::fan).collect()
    }

    /// The moments of the volume, from the tetrahedra that the surface spans with a point inside.
    pub fn moments(&self) -> Moments {
        let vertices = || self.faces.iter().flat_map(|face| &face.vertices);
        let middle = vertices().sum::<DVec3>() / vertices().count().max(1) as f64;
        let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, [0.0; 6]);
        for Triangle([a, b, c]) in self.faces.iter().flat_map(Face::fan) {
            let (p, q, r) = (a - middle, b - middle, c - middle);
            let part = p.cross(q).dot(r).abs() / 6.0;
            let sum = p + q + r;
            volume += part;
            first += sum * (part / 4.0);
            // ∫xxᵀ over a tetrahedron with a vertex at the origin is V/20·(Σvvᵀ + (Σv)(Σv)ᵀ).
            for (entry, (i, j)) in second.iter_mut().zip([(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]) {
                *entry += part / 20.0 * (p[i] * p[j] + q[i] * q[j] + r[i] * r[j] + sum[i] * sum[j]);
            }
        }
        // About the origin of the coordinates.
        let about = Moments::from_integrals(volume, first, second);
        let (mean, [xx, yy, zz, xy, xz, yz]) = (about.mean() + middle, about.covariance());
        let moved = |c: f64, i: usize, j: usize| volume * (c + mean[i] * mean[j]);
        let second =
            [moved(xx, 0, 0), moved(yy, 1, 1), moved(zz, 2, 2), moved(xy, 0, 1), moved(xz, 0, 2), moved(yz, 1, 2)];
        Moments::from_integrals(volume, mean * volume, second)
    }

    /// The planes of the faces, outward from a point inside, each once or, by rounding, a few
    /// times.
    pub fn walls(&self, inside: DVec3) -> Vec<Wall> {
        let mut walls: Vec<Wall> = Vec::new();
        let mut places: HashMap<[i64; 4], usize> = HashMap::with_capacity(self.faces.len());
        for face in &self.faces {
            let normal = face.fan().map(|triangle| triangle.scaled_normal()).sum::<DVec3>();
            let (Some(normal), Some(&vertex)) = (normal.try_normalize(), face.vertices.first()) else { continue };
            let normal = if normal.dot(vertex - inside) < 0.0 { -normal } else { normal };
            // A vertex of a piece may be off its plane by rounding.
            let offset = face.vertices.iter().map(|vertex| normal.dot(*vertex)).fold(f64::INFINITY, f64::min);
            let key = [normal.x, normal.y, normal.z, offset].map(|x| (x / SAME_WALL).round() as i64);
            let place = *places.entry(key).or_insert(walls.len());
            match walls.get_mut(place) {
                Some(wall) => wall.offset = wall.offset.min(offset),
                None => walls.push(Wall { normal, offset }),
            }
        }
        walls
    }

    /// The parts below and above a plane; `None` where all is on one side.
    pub fn cut(&self, plane: &Wall) -> Option<[Self; 2]> {
        let mut parts = [Vec::new(), Vec::new()];
        let mut section: Vec<DVec3> = Vec::new();
        for face in &self.faces {
            let cut = face.cut(plane);
            for vertex in cut[0].iter().filter(|vertex| cut[1].contains(vertex)) {
                if section.iter().all(|other| other.distance_squared(*vertex) > ON_PLANE * ON_PLANE) {
                    section.push(*vertex);
                }
            }
            for (part, vertices) in parts.iter_mut().zip(cut) {
                if vertices.len() > 2 {
                    part.push(Face { vertices, triangle: face.triangle });
                }
            }
        }
        if section.len() < 3 || parts.iter().any(Vec::is_empty) {
            return None;
        }
        let (u, v) = plane.normal.any_orthonormal_pair();
        let middle = section.iter().sum::<DVec3>() / section.len() as f64;
        let angle = |vertex: &DVec3| v.dot(*vertex - middle).atan2(u.dot(*vertex - middle));
        section.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
        Some(parts.map(|mut faces| {
            faces.push(Face { vertices: section.clone(), triangle: None });
            Self { faces }
        }))
    }
}

/// The principal axes, largest spread first; where spreads tie, the parent's axes stay.
///
/// A tied spread does not define a direction, and rounding would choose the axes: a cube keeps
/// those of its own coordinates.
pub(super) fn settled_axes(moments: &Moments, parent: &DMat3) -> DMat3 {
    let [xx, yy, zz, xy, xz, yz] = moments.covariance();
    let covariance = DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
    let principal = symmetric_eigenvectors(covariance);
    let spread = |axis: DVec3| axis.dot(covariance * axis);
    let [a, b, c] = [principal.x_axis, principal.y_axis, principal.z_axis].map(spread);
    let tied = |p: f64, q: f64| (p - q).abs() <= TIED * a;
    let axes = match (tied(a, b), tied(b, c)) {
        (false, false) => principal,
        (true, true) => *parent,
        (true, false) => around(principal.z_axis, parent),
        (false, true) => around(principal.x_axis, parent),
    };
    let mut order = [0, 1, 2].map(|i| (spread(axes.col(i)), i));
    // Not by less than a tie, so that equal ones stay in their order.
    order.sort_by(|p, q| if tied(p.0, q.0) { std::cmp::Ordering::Equal } else { q.0.total_cmp(&p.0) });
    let [x, y, z] = order.map(|(_, i)| axes.col(i));
    let z = if x.cross(y).dot(z) < 0.0 { -z } else { z };
    DMat3::from_cols(x, y, z)
}

/// Axes with one given and another as near to one of the parent's as possible.
fn around(axis: DVec3, parent: &DMat3) -> DMat3 {
    let across = [parent.x_axis, parent.y_axis, parent.z_axis].map(|other| other - axis * axis.dot(other));
    let longest = across.into_iter().max_by(|p, q| p.length_squared().total_cmp(&q.length_squared()));
    let second = longest.and_then(DVec3::try_normalize).unwrap_or_else(|| axis.any_orthonormal_vector());
    DMat3::from_cols(axis, second, axis.cross(second))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::samples::{Random, cuboid};

    #[test]
    fn the_moments_of_a_box_are_those_of_its_volume_however_it_is_triangulated() {
        let mut random = Random(7);
        for _ in 0..50 {
            let (axes, center) = (random.rotation(), random.vector() * 0.1);
            let half = DVec3::new(0.5, 0.3, 0.2);
            let moments = Cell::whole(&cuboid(half, axes, center)).moments();
            assert!(moments.mean().distance(center) < 1e-14);
            let found = settled_axes(&moments, &DMat3::IDENTITY);
            assert!((0..3).all(|i| found.col(i).dot(axes.col(i)).abs() > 1.0 - 1e-10));
            let [xx, yy, zz, ..] = moments.covariance();
            // A side of half length h has the variance h²/3.
            assert!((xx + yy + zz - half.length_squared() / 3.0).abs() < 1e-14);
        }
    }

    #[test]
    fn a_cube_keeps_the_axes_of_its_parent_and_a_square_prism_its_own_and_the_nearest() {
        let mut random = Random(8);
        let parent = random.rotation();
        let cube = Cell::whole(&cuboid(DVec3::splat(0.4), DMat3::IDENTITY, DVec3::ZERO)).moments();
        let kept = settled_axes(&cube, &parent);
        assert!((0..3).all(|i| kept.col(i).dot(parent.col(i)).abs() > 1.0 - 1e-12));
        let prism = Cell::whole(&cuboid(DVec3::new(0.2, 0.2, 0.6), DMat3::IDENTITY, DVec3::ZERO)).moments();
        let axes = settled_axes(&prism, &DMat3::IDENTITY);
        assert!(
            axes.x_axis.z.abs() > 1.0 - 1e-12 && (axes.y_axis.x.abs() > 1.0 - 1e-9 || axes.y_axis.y.abs() > 1.0 - 1e-9)
        );
    }

    #[test]
    fn parts_have_the_volume_of_the_whole_and_a_cut_that_misses_makes_none() {
        let mut random = Random(9);
        for _ in 0..100 {
            let whole = Cell::whole(&cuboid(DVec3::new(0.5, 0.4, 0.3), random.rotation(), DVec3::ZERO));
            let plane = Wall { normal: random.direction(), offset: random.between(-0.2, 0.2) };
            let parts = whole.cut(&plane).unwrap();
            let weight = |cell: &Cell| cell.moments().weight_and_second().0;
            assert!((weight(&parts[0]) + weight(&parts[1]) - 0.48).abs() < 1e-13);
            assert!(whole.cut(&Wall { offset: 2.0, ..plane }).is_none());
        }
    }
}
