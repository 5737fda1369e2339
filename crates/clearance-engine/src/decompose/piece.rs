//! Pieces of a solid that planes cut: parts of its triangles, and the convex cell that they are in.
//!
//! The solid in a cell has its extreme points on the surface, or at vertices of the cell that are
//! inside of the solid: no caps on the planes are necessary. Both sides of a cut get the same
//! rounded crossing points.

use super::Scale;
use crate::math::DVec3;
use crate::shape::{ConvexPolyhedron, crossing, cut_polygon};
use crate::volume::Wall;
use crate::{Result, TriMesh};

/// The maximum share of a cell's size by which its vertices may move; the search makes no cuts that
/// leave thinner cells.
const MAX_NUDGE: f64 = 1e-3;

/// The part of the solid in a convex cell.
pub(super) struct Piece {
    /// Convex, planar polygons: triangles and their parts.
    polygons: Vec<Vec<DVec3>>,
    /// The vertices of the cell with its edges.
    cell: ConvexPolyhedron,
    /// The planes of the cuts, outward.
    walls: Vec<Wall>,
    /// The share by which the cell's vertices move to its centre to be away from all walls.
    nudge: f64,
}

impl Piece {
    /// All of a mesh.
    pub fn whole(mesh: &TriMesh, scale: Scale) -> Result<Self> {
        let polygons = (0..mesh.len() as u32).map(|i| mesh.triangle(i).0.to_vec()).collect();
        let (low, high) = mesh.bounding_box();
        let (low, high) = (low - scale.size / 64.0, high + scale.size / 64.0);
        let vertex =
            |i: u32| DVec3::from_array([0, 1, 2].map(|axis| if i >> axis & 1 == 0 { low } else { high }[axis]));
        let cell = ConvexPolyhedron::hull_of(&(0..8).map(vertex).collect::<Vec<_>>())?;
        Ok(Self { polygons, cell, walls: Vec::new(), nudge: 0.0 })
    }

    pub fn polygon_count(&self) -> usize {
        self.polygons.len()
    }

    pub fn cut_count(&self) -> usize {
        self.walls.len()
    }

    /// Whether a point is inside of the cell, by more than `margin` from its walls.
    pub fn has_inside(&self, point: DVec3, margin: f64) -> bool {
        self.walls.iter().all(|wall| wall.offset - wall.normal.dot(point) > margin)
    }

    /// Points whose hull contains all of the solid in the cell, in the sense of the module's head;
    /// none for an empty piece.
    pub fn points(&self, mut contains: impl FnMut(DVec3) -> bool) -> Vec<DVec3> {
        let mut points: Vec<DVec3> = self.polygons.iter().flatten().copied().collect();
        let center = center_of(&self.cell);
        points.extend(self.cell.vertices().filter(|&vertex| contains(vertex + (center - vertex) * self.nudge)));
        points.sort_by(|p, q| p.to_array().partial_cmp(&q.to_array()).unwrap_or(std::cmp::Ordering::Equal));
        points.dedup();
        points
    }

    /// The corners of the smallest box around the surface in the cell, or around the cell without a
    /// surface.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        let grown = |(low, high): (DVec3, DVec3), p: DVec3| (low.min(p), high.max(p));
        let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        if self.polygons.is_empty() {
            return self.cell.vertices().fold(nothing, grown);
        }
        self.polygons.iter().flatten().copied().fold(nothing, grown)
    }

    /// An upper bound of the distance by which vertices move away from the walls.
    pub fn nudge_length(&self, scale: Scale) -> f64 {
        let (center, mut radius) = (center_of(&self.cell), 0.0_f64);
        self.cell.vertices().for_each(|vertex| radius = radius.max(vertex.distance(center)));
        self.nudge * (radius + scale.slack)
    }

    /// The halves below and above a plane; `None` where all is on one side, or nearly.
    ///
    /// `orientation` is 1 if triangles face outward: those in the plane go to the half whose
    /// surface they are.
    pub fn cut(&self, plane: &Wall, orientation: f64, scale: Scale) -> Option<[Self; 2]> {
        let height = |point: DVec3| {
            let height = plane.normal.dot(point) - plane.offset;
            if height.abs() <= scale.on_plane { 0.0 } else { height }
        };
        let [below, above] = self.cut_cell(&height)?;
        let mut polygons = [Vec::new(), Vec::new()];
        for polygon in &self.polygons {
            if polygon.iter().all(|&vertex| height(vertex) == 0.0) {
                let faces_up = normal(polygon).dot(plane.normal) * orientation > 0.0;
                polygons[usize::from(!faces_up)].push(polygon.clone());
                continue;
            }
            for (part, side) in sides_of(polygon, &height).into_iter().zip(&mut polygons) {
                if part.len() > 2 {
                    side.push(part);
                }
            }
        }
        let [lower, upper] = polygons;
        let up = Wall { normal: -plane.normal, offset: -plane.offset };
        Some([self.half(lower, below, *plane, scale)?, self.half(upper, above, up, scale)?])
    }

    fn half(&self, polygons: Vec<Vec<DVec3>>, cell: ConvexPolyhedron, wall: Wall, scale: Scale) -> Option<Self> {
        let mut walls = self.walls.clone();
        walls.push(wall);
        let center = center_of(&cell);
        let depths = walls.iter().map(|wall| wall.offset - wall.normal.dot(center));
        // By more than 3τ after rounding.
        let nudge = 4.0 * scale.on_plane / depths.fold(f64::INFINITY, f64::min);
        (nudge > 0.0 && nudge < MAX_NUDGE).then_some(Self { polygons, cell, walls, nudge })
    }

    fn cut_cell(&self, height: &impl Fn(DVec3) -> f64) -> Option<[ConvexPolyhedron; 2]> {
        let vertices: Vec<(DVec3, f64)> = self.cell.vertices().map(|vertex| (vertex, height(vertex))).collect();
        let mut sides = [Vec::new(), Vec::new()];
        for (i, &(vertex, here)) in vertices.iter().enumerate() {
            if here <= 0.0 {
                sides[0].push(vertex);
            }
            if here >= 0.0 {
                sides[1].push(vertex);
            }
            for &other in self.cell.neighbors(i as u32).iter().filter(|&&other| other as usize > i) {
                let (end, there) = vertices[other as usize];
                if here * there < 0.0 {
                    let crossing = crossing(vertex, here, end, there);
                    sides.iter_mut().for_each(|side| side.push(crossing));
                }
            }
        }
        let [below, above] = sides.map(|points| ConvexPolyhedron::hull_of(&points).ok());
        Some([below?, above?])
    }
}

fn center_of(cell: &ConvexPolyhedron) -> DVec3 {
    cell.vertices().sum::<DVec3>() / cell.vertex_count() as f64
}

/// The normal, with a length of twice the area.
fn normal(polygon: &[DVec3]) -> DVec3 {
    let Some((&tip, rest)) = polygon.split_first() else { return DVec3::ZERO };
    rest.windows(2).map(|edge| (edge[0] - tip).cross(edge[1] - tip)).sum()
}

/// The parts of a convex polygon below and above zero height; a polygon that only touches the plane
/// is all on the other side.
fn sides_of(polygon: &[DVec3], height: &impl Fn(DVec3) -> f64) -> [Vec<DVec3>; 2] {
    let touches = |part: &Vec<DVec3>| part.iter().all(|&vertex| height(vertex) == 0.0);
    cut_polygon(polygon, height).map(|part| if touches(&part) { Vec::new() } else { part })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_of_three_planes_inside_of_the_solid_is_a_point_of_the_piece() {
        let vertex = |i: u32| DVec3::from_array([0, 1, 2].map(|axis| if i >> axis & 1 == 0 { -1.0 } else { 1.0 }));
        let cube = ConvexPolyhedron::hull_of(&(0..8).map(vertex).collect::<Vec<_>>()).unwrap().surface().unwrap();
        let scale = Scale::of(DVec3::ONE);
        let mut piece = Piece::whole(&cube, scale).unwrap();
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let [_, above] = piece.cut(&Wall { normal: axis, offset: 0.0 }, 1.0, scale).unwrap();
            piece = above;
        }
        let points = piece.points(|point| point.abs().max_element() < 1.0);
        assert!(points.contains(&DVec3::ZERO) && points.contains(&DVec3::ONE));
        assert!(points.iter().all(|point| point.min_element() >= 0.0));
    }

    #[test]
    fn triangles_in_the_plane_go_to_the_half_whose_surface_they_are() {
        let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(0.2, 0.2, -1.0), DVec3::new(0.2, 0.2, 1.0)];
        let mesh = TriMesh::new(vertices, vec![[0, 1, 2], [0, 1, 3], [1, 2, 4]]).unwrap();
        let scale = Scale::of(DVec3::ONE);
        let plane = Wall { normal: DVec3::Z, offset: 0.0 };
        let [below, above] = Piece::whole(&mesh, scale).unwrap().cut(&plane, 1.0, scale).unwrap();
        assert_eq!((below.polygons.len(), above.polygons.len()), (2, 1));
    }
}
