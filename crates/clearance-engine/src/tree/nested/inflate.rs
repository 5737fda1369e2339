//! Inflation (as in IRIS): a large box or sphere inside of any closed surface, near a given point
//! of its inside.
//!
//! The inside of a mesh is not convex, but alternation finds large volumes there. Planes between a
//! first small volume and the triangles around it are walls. The largest volume between them
//! ([`largest_box`]) is the next first one, and after a few turns little changes (Deits and
//! Tedrake, *Computing large convex regions of obstacle-free space through semidefinite
//! programming*, 2015, do that with ellipsoids). A plane touches the triangle at its nearest point,
//! measured in units of the present half-extents. Triangles behind an existing wall need none. Cost
//! of a turn: one pass over the triangles of the region, then some dozen walls.

use super::InnerKind;
use crate::Triangle;
use crate::math::{DMat3, DVec3};
use crate::shape::Convex;
use crate::volume::{InnerFit, Wall, largest_box, largest_sphere};

/// The number of alternations between walls and the largest volume.
const TURNS: usize = 4;
/// The maximum number of walls; a useful volume needs no more.
const MAX_WALLS: usize = 96;

/// The region in which a volume may grow: a box with orthonormal axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region {
    pub center: DVec3,
    pub axes: DMat3,
    pub half: DVec3,
}

impl Region {
    fn walls(&self) -> Vec<Wall> {
        let side = |i: usize, sign: f64| {
            let normal = self.axes.col(i) * sign;
            Wall { normal, offset: normal.dot(self.center) + self.half[i] }
        };
        (0..6).map(|i| side(i / 2, if i % 2 == 0 { 1.0 } else { -1.0 })).collect()
    }
}

/// Grows a volume that contains `seed`, or lies near it, between walls with all of `triangles`
/// behind them; `None` if there is no room.
pub(super) fn inflate(
    triangles: &[Triangle],
    region: &Region,
    seed: DVec3,
    kind: InnerKind,
) -> Option<(InnerFit, Vec<Wall>)> {
    let sides = region.walls();
    let near: Vec<&Triangle> =
        triangles.iter().filter(|triangle| !sides.iter().any(|wall| is_behind(wall, triangle))).collect();
    let (mut center, mut half) = (seed, DVec3::ONE);
    let mut found = None;
    for _ in 0..TURNS {
        let mut walls = sides.clone();
        raise_walls(&mut walls, &near, center, &region.axes, half)?;
        let fit = match kind {
            InnerKind::Boxes => {
                largest_box(&walls, &region.axes, center).map(|(center, half)| InnerFit::Box(center, half))
            }
            InnerKind::Spheres => {
                largest_sphere(&walls, center).map(|(center, radius)| InnerFit::Sphere(center, radius))
            }
            InnerKind::Nothing => None,
        };
        let Some(fit) = fit else { break };
        (center, half) = (fit.center(), fit.half());
        found = Some((fit, walls));
    }
    found
}

/// Whether a triangle is on the far side of a wall.
fn is_behind(wall: &Wall, triangle: &Triangle) -> bool {
    triangle.0.iter().all(|&vertex| wall.normal.dot(vertex) >= wall.offset)
}

/// Adds a wall for each triangle that is not yet behind one, nearest first; `None` if one is at the
/// centre itself.
fn raise_walls(walls: &mut Vec<Wall>, triangles: &[&Triangle], center: DVec3, axes: &DMat3, half: DVec3) -> Option<()> {
    let into_units = |point: DVec3| (axes.transpose() * (point - center)) / half;
    let nearest = |triangle: &&Triangle| {
        let unit = triangle.map(into_units);
        unit.0[0] + unit.nearest(-unit.0[0])
    };
    let mut order: Vec<(f64, DVec3, &Triangle)> = triangles
        .iter()
        .map(|triangle| {
            let point = nearest(triangle);
            (point.length_squared(), point, *triangle)
        })
        .collect();
    order.sort_by(|p, q| p.0.total_cmp(&q.0));
    for (squared, point, triangle) in order {
        if walls.iter().any(|wall| is_behind(wall, triangle)) {
            continue;
        }
        // In units of half-extents the wall is perpendicular to the way to the point.
        let normal = (*axes * (point / half)).try_normalize()?;
        let offset = triangle.0.iter().map(|&vertex| normal.dot(vertex)).fold(f64::INFINITY, f64::min);
        if squared <= 0.0 || offset <= normal.dot(center) || walls.len() >= MAX_WALLS {
            return None;
        }
        walls.push(Wall { normal, offset });
    }
    Some(())
}

/// The distance along a unit direction to the first triangle ahead of a point, at most `longest`.
pub(super) fn room_along(triangles: &[Triangle], from: DVec3, direction: DVec3, longest: f64) -> f64 {
    let hit = |triangle: &Triangle| {
        let [a, b, c] = triangle.0.map(|vertex| vertex - from);
        // Weights of the vertices where the line meets the plane, up to one factor (Möller and
        // Trumbore, 1997).
        let (u, v, w) = (direction.dot(b.cross(c)), direction.dot(c.cross(a)), direction.dot(a.cross(b)));
        let total = u + v + w;
        let inside = (u >= 0.0 && v >= 0.0 && w >= 0.0) || (u <= 0.0 && v <= 0.0 && w <= 0.0);
        let at = (a * u + b * v + c * w).dot(direction) / total;
        (inside && total != 0.0 && at > 0.0).then_some(at)
    };
    triangles.iter().filter_map(hit).fold(longest, f64::min)
}
