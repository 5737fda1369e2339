//! The signed distance of a point from a mesh, under any hierarchy.

use super::bvh8::{all_nearest_in_bvh8, nearest_in_bvh8};
use super::signs::Signs;
use crate::math::{DVec3, UNIT_ROUNDOFF, unit};
use crate::pair::shape::{point_triangle, ray_crossing};
use crate::shape::{PointDistance, Sign};
use crate::tree::{Bvh8Tree, BvhKind, Geometry, Mesh, Node, VolumeTree};
use crate::volume::Volume;
use crate::{TriMesh, Triangle};
use smallvec::SmallVec;
use std::any::Any;
use std::collections::HashSet;

/// The nearest triangle so far. Of triangles whose distances round to one number, that of the
/// smallest number, so that the order of nodes does not matter.
#[derive(Debug, Clone, Copy)]
pub(super) struct NearestTriangle {
    pub id: u32,
    pub way: DVec3,
    pub distance: f64,
    /// This triangle is not nearer than that.
    own_lower: f64,
    /// No other triangle that was seen is nearer than this.
    others_lower: f64,
    pub upper: f64,
}

impl Default for NearestTriangle {
    fn default() -> Self {
        let far = f64::INFINITY;
        Self { id: u32::MAX, way: DVec3::ZERO, distance: far, own_lower: far, others_lower: far, upper: far }
    }
}

impl NearestTriangle {
    /// Returns whether this triangle is the nearest so far.
    #[inline]
    pub(super) fn offer(&mut self, point: DVec3, triangle: &Triangle, id: u32) -> bool {
        let found = point_triangle(point, triangle);
        self.upper = self.upper.min(found.upper);
        let nearer = found.distance < self.distance || (found.distance == self.distance && id < self.id);
        let other = if nearer {
            (self.id, self.way, self.distance) = (id, found.way, found.distance);
            std::mem::replace(&mut self.own_lower, found.lower)
        } else {
            found.lower
        };
        self.others_lower = self.others_lower.min(other);
        nearer
    }

    /// No triangle that was seen is nearer than this.
    pub(super) fn lower(&self) -> f64 {
        self.own_lower.min(self.others_lower).min(self.upper)
    }

    /// Whether all other triangles that were seen are farther away, and this one is not at the
    /// point.
    pub(super) fn is_alone(&self) -> bool {
        self.own_lower > 0.0 && self.others_lower > self.upper
    }
}

/// The signed distance of a point.
pub(in crate::tree) fn mesh_distance<K: BvhKind>(mesh: &Mesh<K>, point: DVec3, signs: &Signs) -> PointDistance {
    let found = lanes_of(mesh).and_then(|tree| Some((tree, nearest_in_bvh8(tree, mesh.tri_mesh(), point)?)));
    signed_by(mesh, point, signs, found)
}

/// The signed distances of many points, in their order.
pub(in crate::tree) fn mesh_distances<K: BvhKind>(
    mesh: &Mesh<K>,
    points: &[DVec3],
    signs: &Signs,
) -> Vec<PointDistance> {
    let Some(tree) = lanes_of(mesh) else {
        return points.iter().map(|&point| mesh_distance(mesh, point, signs)).collect();
    };
    let mut answers = vec![None; points.len()];
    all_nearest_in_bvh8(tree, mesh.tri_mesh(), points, |number, nearest| {
        answers[number] = Some(signed_by(mesh, points[number], signs, nearest.map(|nearest| (tree, nearest))));
    });
    let asked = answers.into_iter().zip(points);
    asked.map(|(answer, &point)| answer.unwrap_or_else(|| mesh_distance(mesh, point, signs))).collect()
}

/// The default hierarchy, if the mesh has that.
fn lanes_of<K: BvhKind>(mesh: &Mesh<K>) -> Option<&Bvh8Tree> {
    (mesh.hierarchy() as &dyn Any).downcast_ref()
}

/// The signed distance of a point whose nearest triangle was found in lanes, or was not.
fn signed_by<K: BvhKind>(
    mesh: &Mesh<K>,
    point: DVec3,
    signs: &Signs,
    found: Option<(&Bvh8Tree, NearestTriangle)>,
) -> PointDistance {
    let tri_mesh = mesh.tri_mesh();
    let (nearest, inside, sign) = match found {
        _ if !signs.is_closed(mesh) => {
            let winding = signs.dipoles(mesh).winding(tri_mesh, point);
            let nearest = found.map_or_else(|| nearest_in_boxes(mesh, point), |(_, nearest)| nearest);
            (nearest, winding >= 0.5, Sign::Winding(winding))
        }
        Some((tree, nearest)) => {
            let inside = !outside_of_bounds(mesh, point) && signs.is_inside(tree, tri_mesh, point, &nearest);
            (nearest, inside, Sign::Closed)
        }
        None => {
            let inside = !outside_of_bounds(mesh, point) && surface_winding(mesh, point) != 0;
            (nearest_in_boxes(mesh, point), inside, Sign::Closed)
        }
    };
    signed(&nearest, point, inside, sign, tri_mesh)
}

fn outside_of_bounds<K: BvhKind>(mesh: &Mesh<K>, point: DVec3) -> bool {
    let (low, high) = mesh.bounding_box();
    (point.cmplt(low) | point.cmpgt(high)).any()
}

fn signed(nearest: &NearestTriangle, point: DVec3, inside: bool, sign: Sign, mesh: &TriMesh) -> PointDistance {
    let (lower, upper) = (nearest.lower(), nearest.upper);
    let outward = || unit(mesh.triangle(nearest.id).scaled_normal()).unwrap_or(DVec3::Z);
    let away = unit(nearest.way);
    PointDistance {
        distance: if inside { -nearest.distance } else { nearest.distance },
        lower: if inside { -upper } else { lower },
        upper: if inside { -lower } else { upper },
        nearest: point - nearest.way,
        gradient: away.map_or_else(outward, |away| if inside { -away } else { away }),
        sign,
        leaf: nearest.id,
        part: 0,
    }
}

/// The box around a volume, in stored coordinates.
fn box_of<V: Volume>(volume: &V) -> (DVec3, DVec3) {
    let low = -DVec3::from_array([DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z].map(|axis| volume.support(axis)));
    (low, DVec3::from_array([DVec3::X, DVec3::Y, DVec3::Z].map(|axis| volume.support(axis))))
}

/// The nearest triangle, by boxes in `f64`.
fn nearest_in_boxes<T: VolumeTree<Shape = Triangle>>(tree: &T, point: DVec3) -> NearestTriangle {
    let (stored, scale) = (tree.frame().store(point), tree.frame().scale);
    let margin = 16.0 * UNIT_ROUNDOFF * (stored.abs().max_element() + 4.0);
    let gap = |volume: &T::Volume| {
        let (low, high) = box_of(volume);
        ((stored - stored.clamp(low, high.max(low))).length() * (1.0 - 8.0 * UNIT_ROUNDOFF) - margin) / scale
    };
    let mut nearest = NearestTriangle::default();
    let mut waiting: Vec<(f64, Node)> = vec![(0.0, tree.root())];
    while let Some((gap_to_node, node)) = waiting.pop() {
        if gap_to_node >= nearest.upper {
            continue;
        }
        if tree.is_leaf(node) {
            for (id, triangle) in tree.shapes(node) {
                nearest.offer(point, &triangle, id);
            }
            continue;
        }
        let mut children: SmallVec<[(f64, Node); 8]> =
            tree.block(node).iter().enumerate().map(|(lane, volume)| (gap(volume), tree.child(node, lane))).collect();
        children.sort_by(|a, b| b.0.total_cmp(&a.0));
        waiting.extend(children);
    }
    nearest
}

/// How often a closed mesh winds around a point that is not on its surface, by boxes in `f64`.
fn surface_winding<T: VolumeTree<Shape = Triangle>>(tree: &T, point: DVec3) -> i64 {
    let stored = tree.frame().store(point);
    let margin = DVec3::splat(16.0 * UNIT_ROUNDOFF * (stored.abs().max_element() + 4.0));
    let (mut winding, mut seen, mut waiting) = (0, HashSet::new(), vec![tree.root()]);
    while let Some(node) = waiting.pop() {
        if tree.is_leaf(node) {
            for (id, triangle) in tree.shapes(node) {
                if !tree.repeats(id) || seen.insert(id) {
                    winding += i64::from(ray_crossing(point, &triangle));
                }
            }
            continue;
        }
        for (lane, volume) in tree.block(node).iter().enumerate() {
            let (low, high) = box_of(volume);
            let (before, after) = ((stored + margin).cmplt(low), (stored - margin).cmpgt(high));
            if !(before.y || before.z || after.any()) {
                waiting.push(tree.child(node, lane));
            }
        }
    }
    winding
}
