//! The signed distance of a point from a union: trees of primitives, and assemblies.
//!
//! Outside of all parts the nearest one counts. Inside of a part the union's surface may be farther
//! away than the part's: it lies between the part's own depth and the way out of the bounding box,
//! and the interval says so.

use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::pair::shape::point_primitive;
use crate::shape::PointDistance;
use crate::tree::{Assembly, Node, PrimitiveBvhNodes, Tree};
use crate::{Error, ErrorKind, Result};

/// The nearest part so far.
struct Nearest {
    best: Option<PointDistance>,
    /// No part that was seen is nearer.
    lower: f64,
    /// No nearer part than this matters.
    limit: f64,
}

impl Nearest {
    const NONE: Self = Self { best: None, lower: f64::INFINITY, limit: f64::INFINITY };

    fn offer(&mut self, found: PointDistance) {
        self.lower = self.lower.min(found.lower);
        self.limit = self.limit.min(found.upper);
        let key = |one: &PointDistance| (one.part, one.leaf);
        let nearer = |best: PointDistance| {
            found.distance < best.distance || (found.distance == best.distance && key(&found) < key(&best))
        };
        if self.best.is_none_or(nearer) {
            self.best = Some(found);
        }
    }
}

/// The answer for a union of parts in a box; `None` if there is no part.
fn of_union(nearest: Nearest, point: DVec3, (low, high): (DVec3, DVec3)) -> Option<PointDistance> {
    let best = nearest.best?;
    // The union is nearer than the nearest part nowhere outside; inside, its surface may be as far
    // as the nearest side of the box.
    let out = (high - point).min(point - low).min_element().max(0.0) * (1.0 + 4.0 * UNIT_ROUNDOFF);
    let lower = if nearest.lower <= 0.0 { nearest.lower.min(-out) } else { nearest.lower };
    Some(PointDistance { lower, upper: nearest.limit, ..best })
}

/// The distance of a point from a box, from below; boxes may be infinite.
fn box_gap(point: DVec3, low: DVec3, high: DVec3) -> f64 {
    (low - point).max(point - high).max(DVec3::ZERO).length() * (1.0 - 8.0 * UNIT_ROUNDOFF)
}

/// Visits the leaves of a tree near to far, until the limit rules out the others.
fn visit(
    root: Node,
    nearest: &mut Nearest,
    is_leaf: impl Fn(Node) -> bool,
    children: impl Fn(Node, &mut Vec<(f64, Node)>),
    mut leaf: impl FnMut(Node, &mut Nearest),
) {
    let mut waiting = vec![(f64::NEG_INFINITY, root)];
    let mut met = Vec::new();
    while let Some((gap, node)) = waiting.pop() {
        // Parts that may hold the point are looked at whatever was found: the deepest counts.
        if gap > nearest.limit.max(0.0) {
            continue;
        }
        if is_leaf(node) {
            leaf(node, nearest);
            continue;
        }
        met.clear();
        children(node, &mut met);
        met.sort_by(|a, b| b.0.total_cmp(&a.0));
        waiting.extend(&met);
    }
}

/// The signed distance of a point from a tree of primitives in a box; an error if the tree is
/// empty.
pub(in crate::tree) fn primitives_distance<T: PrimitiveBvhNodes>(
    tree: &T,
    point: DVec3,
    bounds: (DVec3, DVec3),
) -> Result<PointDistance> {
    let (stored, frame) = (tree.frame().store(point), tree.frame());
    let margin =
        16.0 * UNIT_ROUNDOFF * (stored.abs().max_element() + 4.0) + tree.radius() * frame.scale * (1.0 + 1e-12);
    let gap = |node: Node, lane: usize| {
        let bounds = tree.block(node).get(lane);
        let (center, half) = (crate::volume::Volume::center(&bounds), bounds.half());
        (box_gap(stored, center - half, center + half) - margin) / frame.scale
    };
    let mut nearest = Nearest::NONE;
    if !tree.is_empty() {
        visit(
            tree.root(),
            &mut nearest,
            |node| tree.is_leaf(node),
            |node, met| {
                met.extend((0..tree.block(node).count as usize).map(|lane| (gap(node, lane), tree.child(node, lane))));
            },
            |node, nearest| {
                for lane in 0..tree.block(node).count as usize {
                    let number = tree.primitive_number(node, lane);
                    if gap(node, lane) <= nearest.limit.max(0.0)
                        && let Some(solid) = tree.solid(number)
                    {
                        nearest.offer(point_primitive(point, &solid, number));
                    }
                }
            },
        );
    }
    of_union(nearest, point, bounds).ok_or_else(empty)
}

/// The signed distance of a point from the parts of an assembly; an error if it is empty, or if a
/// part has no signed distance.
pub(in crate::tree) fn assembly_distance(
    assembly: &Assembly,
    point: DVec3,
    bounds: (DVec3, DVec3),
) -> Result<PointDistance> {
    let mut nearest = Nearest::NONE;
    let mut failed = None;
    if !assembly.is_empty() {
        visit(
            assembly.root(),
            &mut nearest,
            |node| assembly.is_leaf(node),
            |node, met| {
                met.extend(assembly.children_of(node).iter().map(|&child| {
                    let (low, high) = assembly.bounds_of(child);
                    (box_gap(point, low, high), child)
                }));
            },
            |node, nearest| {
                let Some(part) = assembly.part_of(node) else { return };
                match in_part(assembly, part, point) {
                    Ok(found) => nearest.offer(found),
                    Err(error) => failed = Some(error),
                }
            },
        );
    }
    match failed {
        Some(error) => Err(error),
        None => of_union(nearest, point, bounds).ok_or_else(empty),
    }
}

fn in_part(assembly: &Assembly, part: u32, point: DVec3) -> Result<PointDistance> {
    let pose = assembly.pose(part);
    let local = pose.inverse().transform_point(point);
    let found = assembly.geometry(part).signed_distance(local)?;
    // The point is moved there, rounded, by a matrix that is a rotation up to 24 roundings;
    // distances change by no more than that.
    let error = 48.0 * UNIT_ROUNDOFF * (local.abs() + point.abs() + pose.translation().abs()).element_sum();
    Ok(PointDistance {
        lower: found.lower - error,
        upper: found.upper + error,
        nearest: pose.transform_point(found.nearest),
        gradient: pose.transform_vector(found.gradient),
        part,
        ..found
    })
}

fn empty() -> Error {
    Error::new(ErrorKind::Empty, "nothing is there that a point could be near to")
}
