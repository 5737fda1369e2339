//! Which sides of a closed mesh's triangles are inside.
//!
//! # The sign of a point
//! Let q be the point of a triangle T that is nearest to p ≠ q, and all other triangles farther
//! away. Every edge of T belongs to another triangle too, for the mesh is closed; so q is inside of
//! T, p − q is perpendicular to T, and no triangle meets the way from p to q before its end. The
//! winding number about p is that beside q, on the side of T on which p is, which
//! [`volume`] decides exactly.
//!
//! A triangle is *clear* if it has no point in common with another one but the vertices and the
//! edge that they share; exact tests decide that. Beside a clear triangle the winding number is the
//! same all over its front, and one more behind. It is also the same at two clear triangles that
//! share an edge with each other and with no third triangle: nothing else is at that edge. So one
//! ray for each surface of clear triangles is enough. For all others nothing is known here.

use super::bvh8::{nearest_in_bvh8, visit_in_bvh8};
use super::signs::winding_in_bvh8;
use crate::math::{DVec3, unit, volume};
use crate::pair::shape::triangles_overlap;
use crate::shape::edge_neighbors;
use crate::tree::Bvh8Tree;
use crate::{TriMesh, Triangle};

/// What is known about the sides of a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Side {
    Unknown,
    /// Whether the front is inside, and whether the back is.
    Inside {
        front: bool,
        back: bool,
    },
}

/// The sides of all triangles.
#[derive(Debug)]
pub(super) struct Sides(Vec<Side>);

/// So many triangles of a surface are tried until a ray tells its sides.
const TRIES: usize = 16;

impl Sides {
    pub(super) fn new(tree: &Bvh8Tree, mesh: &TriMesh) -> Self {
        let clear = clear_triangles(tree, mesh);
        let neighbors = edge_neighbors(mesh);
        let mut sides = vec![Side::Unknown; mesh.len()];
        let mut seen = vec![false; mesh.len()];
        for first in 0..mesh.len() {
            if !clear[first] || std::mem::replace(&mut seen[first], true) {
                continue;
            }
            let (mut surface, mut next) = (vec![first as u32], 0);
            while let Some(&id) = surface.get(next) {
                next += 1;
                for other in neighbors[id as usize].into_iter().flatten() {
                    if clear[other as usize] && !std::mem::replace(&mut seen[other as usize], true) {
                        surface.push(other);
                    }
                }
            }
            let winding = surface.iter().take(TRIES).find_map(|&id| front_winding(tree, mesh, id));
            if let Some(winding) = winding {
                let side = Side::Inside { front: winding != 0, back: winding != -1 };
                surface.iter().for_each(|&id| sides[id as usize] = side);
            }
        }
        Self(sides)
    }

    /// Whether a point is inside that has this triangle alone for its nearest one; `None` if it is
    /// not known.
    #[inline]
    pub(super) fn of(&self, mesh: &TriMesh, point: DVec3, nearest: u32) -> Option<bool> {
        let Side::Inside { front, back } = self.0[nearest as usize] else { return None };
        match height(mesh, nearest, point) {
            height if height > 0.0 => Some(front),
            height if height < 0.0 => Some(back),
            _ => None,
        }
    }
}

/// Has the sign of the height of a point in front of a triangle.
#[inline]
fn height(mesh: &TriMesh, id: u32, point: DVec3) -> f64 {
    let [p, q, r] = mesh.triangle(id).0;
    volume(p, q, r, point)
}

/// The winding number in front of a clear triangle, by a point near to it that has no other nearest
/// triangle.
fn front_winding(tree: &Bvh8Tree, mesh: &TriMesh, id: u32) -> Option<i64> {
    let triangle = mesh.triangle(id);
    let normal = triangle.scaled_normal();
    let point = triangle.centroid() + unit(normal)? * (normal.length().sqrt() * 1e-3);
    let nearest = nearest_in_bvh8(tree, mesh, point)?;
    let in_front = nearest.id == id && nearest.is_alone() && height(mesh, id, point) > 0.0;
    in_front.then(|| winding_in_bvh8(tree, mesh, point))
}

/// Which triangles are clear.
fn clear_triangles(tree: &Bvh8Tree, mesh: &TriMesh) -> Vec<bool> {
    let mut clear = vec![true; mesh.len()];
    for id in 0..mesh.len() as u32 {
        let triangle = mesh.triangle(id);
        let [p, q, r] = triangle.0;
        visit_in_bvh8(tree, p.min(q).min(r), p.max(q).max(r), |other| {
            if other > id && (clear[id as usize] || clear[other as usize]) && !part(&triangle, &mesh.triangle(other)) {
                (clear[id as usize], clear[other as usize]) = (false, false);
            }
        });
    }
    clear
}

/// Whether two triangles have no point in common but the vertices and the edge that they share.
fn part(a: &Triangle, b: &Triangle) -> bool {
    let shared = |triangle: &Triangle, k: usize| triangle.0.contains(&a.0[k]) as usize;
    let count: usize = (0..3).map(|k| shared(b, k)).sum();
    match count {
        0 => !triangles_overlap(a, b),
        1 => {
            // Common points other than the vertex continue to the opposite edge of one of them.
            let edge = |from: &Triangle, to: &Triangle| {
                let mut ends = from.0.into_iter().filter(|vertex| !to.0.contains(vertex));
                ends.next().zip(ends.next()).map(|(p, q)| Triangle([p, q, q]))
            };
            let apart =
                |edge: Option<Triangle>, other: &Triangle| edge.is_some_and(|edge| !triangles_overlap(&edge, other));
            apart(edge(a, b), b) && apart(edge(b, a), a)
        }
        2 => {
            let Some(k) = (0..3).find(|&k| shared(b, k) == 0) else { return false };
            let (p, q, r) = (a.0[(k + 1) % 3], a.0[(k + 2) % 3], a.0[k]);
            let Some(&s) = b.0.iter().find(|vertex| !a.0.contains(vertex)) else { return false };
            // In one plane the edge must be between them.
            volume(p, q, r, s) != 0.0 || lies_between([p, q], r, s)
        }
        _ => false,
    }
}

/// Whether the line through an edge separates two points in its plane: it does so in a projection.
fn lies_between([p, q]: [DVec3; 2], r: DVec3, s: DVec3) -> bool {
    (0..3).any(|axis| {
        let turn = |v: DVec3| {
            let [p, q, v] = [p, q, v].map(|v| robust::Coord { x: v[(axis + 1) % 3], y: v[(axis + 2) % 3] });
            robust::orient2d(p, q, v)
        };
        let (one, other) = (turn(r), turn(s));
        (one > 0.0 && other < 0.0) || (one < 0.0 && other > 0.0)
    })
}
