//! Candidate cutting planes of a decomposition, and the score of a cut. Heuristics: they certify
//! nothing.

use super::Scale;
use super::piece::Piece;
use crate::TriMesh;
use crate::math::DVec3;
use crate::shape::{ConvexPolyhedron, hull_volume};
use crate::volume::Wall;
use std::collections::HashMap;

/// The maximum number of candidate planes next to concave edges.
const MAX_REFLEX: usize = 12;
/// The maximum number of candidate planes that halve the angle of concave edges.
const MAX_BISECTORS: usize = 6;
/// The number of slices along each axis.
const SLICES: u32 = 7;
/// The least sine of a concave edge's angle: less is rounding of flat faces.
const SINE: f64 = 1e-6;
/// Planes whose normals and offsets, as a part of the size, differ by less count as one.
const SAME_PLANE: f64 = 1e-6;
/// The maximum number of points of a hull that serves for its volume only.
const MAX_POINTS: usize = 1500;
/// The cost of a point of a hull, in evaluations of one facet.
pub(super) const HULL_POINT: u64 = 30;
/// Penalties, as a part of what the best cut saves and of [`AT_STAKE`]: for a plane that halves an
/// angle, since its parts have edges that the surface has not; for a slice, which is none of the
/// surface's planes; for halves of which one is empty.
const BISECTOR: f64 = 0.03;
const SLICE: f64 = 0.02;
const UNEVEN: f64 = 0.04;
/// The share of the volume that counts as saved by any cut, so that cuts that save nothing halve.
const AT_STAKE: f64 = 0.02;

/// A plane through a concave edge.
pub(super) struct Reflex {
    plane: Wall,
    /// Whether it halves the angle of the edge; else it is the plane of a face.
    is_bisector: bool,
    middle: DVec3,
    /// The longer and sharper the edge is, the more there is to gain.
    weight: f64,
}

/// The planes of both faces of all concave edges, and those that halve the angles between.
pub(super) fn reflex_planes(mesh: &TriMesh) -> Vec<Reflex> {
    let bits = |i: u32| mesh.vertices()[i as usize].to_array().map(|x| (x + 0.0).to_bits());
    // Directed edges by place, with the face on their left.
    let mut beside = HashMap::with_capacity(3 * mesh.len());
    for (i, points) in mesh.triangles().iter().enumerate() {
        for k in 0..3 {
            beside.insert((bits(points[k]), bits(points[(k + 1) % 3])), i as u32);
        }
    }
    let mut found = Vec::new();
    for (i, points) in mesh.triangles().iter().enumerate() {
        let Some(normal) = mesh.triangle(i as u32).scaled_normal().try_normalize() else { continue };
        for k in 0..3 {
            let [p, q] = [points[k], points[(k + 1) % 3]];
            let Some(&other) = beside.get(&(bits(q), bits(p))) else { continue };
            let Some(across) = mesh.triangle(other).scaled_normal().try_normalize() else { continue };
            let [p, q] = [p, q].map(|i| mesh.vertices()[i as usize]);
            // Negative where the face beyond the edge rises.
            let sine = normal.cross(across).dot((q - p).normalize_or_zero());
            if sine < -SINE {
                let (middle, weight) = ((p + q) / 2.0, -sine * p.distance(q));
                let plane = Wall { normal, offset: normal.dot(p) };
                found.push(Reflex { plane, is_bisector: false, middle, weight });
                let halving = (normal - across).normalize_or_zero();
                // Both faces have the same.
                if (i as u32) < other && halving != DVec3::ZERO {
                    let plane = Wall { normal: halving, offset: halving.dot(p) };
                    found.push(Reflex { plane, is_bisector: true, middle, weight });
                }
            }
        }
    }
    found
}

/// The candidate planes of a piece that should be within `target` of the solid, with their
/// penalties.
pub(super) fn candidates(piece: &Piece, reflex: &[Reflex], target: f64, scale: Scale) -> Vec<(Wall, f64)> {
    let mut walls = heaviest(piece, reflex.iter().filter(|plane| !plane.is_bisector), MAX_REFLEX, 0.0, scale);
    walls.extend(heaviest(piece, reflex.iter().filter(|plane| plane.is_bisector), MAX_BISECTORS, BISECTOR, scale));
    let (low, high) = piece.bounds();
    // A sheet thinner than the target is sliced across: thinner sheets would have nearly the same
    // error.
    let thinnest = target.min((high - low).max_element());
    for (axis, normal) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().enumerate() {
        if high[axis] - low[axis] < thinnest {
            continue;
        }
        let at = |i: u32| low[axis] + (high[axis] - low[axis]) * f64::from(i) / f64::from(SLICES + 1);
        walls.extend((1..=SLICES).map(|i| (Wall { normal, offset: at(i) }, SLICE)));
    }
    walls
}

/// The planes through the most and sharpest of a piece's concave edges, each with `penalty`.
fn heaviest<'a>(
    piece: &Piece,
    reflex: impl Iterator<Item = &'a Reflex>,
    max_count: usize,
    penalty: f64,
    scale: Scale,
) -> Vec<(Wall, f64)> {
    let mut planes: Vec<(Wall, f64)> = Vec::new();
    let mut by_place: HashMap<[i64; 4], usize> = HashMap::new();
    for Reflex { plane, middle, weight, .. } in reflex {
        if !piece.has_inside(*middle, SAME_PLANE * scale.size) {
            continue;
        }
        // Opposite faces are one plane.
        let signed = [plane.normal.x, plane.normal.y, plane.normal.z].into_iter().find(|x| x.abs() > SAME_PLANE);
        let sign = if signed.is_some_and(|x| x < 0.0) { -1.0 } else { 1.0 };
        let [x, y, z] = (plane.normal * sign).to_array();
        let key = [x, y, z, plane.offset * sign / scale.size].map(|x| (x / SAME_PLANE).round() as i64);
        let index = *by_place.entry(key).or_insert(planes.len());
        match planes.get_mut(index) {
            Some(known) => known.1 += weight,
            None => planes.push((*plane, *weight)),
        }
    }
    planes.sort_by(|p, q| q.1.total_cmp(&p.1));
    planes.into_iter().take(max_count).map(|(plane, _)| (plane, penalty)).collect()
}

/// The volumes of the hulls of two halves.
pub(super) struct Volumes {
    below: f64,
    above: f64,
    penalty: f64,
}

impl Volumes {
    pub fn of(below: &[DVec3], above: &[DVec3], penalty: f64) -> Self {
        Self { below: volume_around(below), above: volume_around(above), penalty }
    }

    fn sum(&self) -> f64 {
        self.below + self.above
    }
}

/// The score of each cut of a piece whose hull has the volume `whole`; less is better.
pub(super) fn scores(cuts: &[Volumes], whole: f64) -> Vec<f64> {
    let least = cuts.iter().map(Volumes::sum).fold(f64::INFINITY, f64::min);
    let stake = (whole - least).max(0.0) + AT_STAKE * least;
    let uneven = |cut: &Volumes| (cut.below - cut.above).abs() / cut.sum().max(f64::MIN_POSITIVE);
    cuts.iter().map(|cut| cut.sum() + stake * (cut.penalty + UNEVEN * uneven(cut))).collect()
}

fn volume_around(points: &[DVec3]) -> f64 {
    let stride = points.len().div_ceil(MAX_POINTS).max(1);
    let some: Vec<DVec3> = points.iter().copied().step_by(stride).collect();
    // Points without a hull have no volume.
    hull_volume(&some).unwrap_or(0.0)
}

/// The volume of a polyhedron, rounded.
pub(super) fn volume(hull: &ConvexPolyhedron) -> f64 {
    let center = hull.vertex(0);
    let face_volume = |face: u32| {
        let vertices = hull.face(face);
        let tip = hull.vertex(vertices[0]) - center;
        let part = |edge: &[u32]| tip.dot((hull.vertex(edge[0]) - center).cross(hull.vertex(edge[1]) - center));
        vertices[1..].windows(2).map(part).sum::<f64>()
    };
    (0..hull.face_count() as u32).map(face_volume).sum::<f64>() / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_thinner_than_the_error_is_sliced_across() {
        let vertex = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2) * 0.01);
        let sheet = ConvexPolyhedron::hull_of(&(0..8).map(vertex).collect::<Vec<_>>()).unwrap().surface().unwrap();
        let scale = Scale::of(DVec3::ONE);
        let piece = Piece::whole(&sheet, scale).unwrap();
        for (target, axes) in [(0.001, 3), (0.1, 2), (10.0, 2)] {
            let slices = candidates(&piece, &[], target, scale);
            assert_eq!(slices.len(), axes * SLICES as usize);
            assert_eq!(slices.iter().any(|(wall, _)| wall.normal == DVec3::Z), axes == 3);
        }
    }
}
