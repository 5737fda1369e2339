//! Bodies of many parts: assemblies, point clouds, voxel maps and height fields.
//!
//! A point is as deep in a union as in the part that it is deepest in, or deeper. So the signed
//! distance of an assembly is the largest of its parts', and its spheres are all of theirs. Point
//! clouds and voxel maps have too many parts for that: only their spheres near the other body
//! count, and the other body's field. Height fields have none, so that only upper bounds are found
//! there.
//!
//! Rounding: a part's pose moves a point and back with 64 roundings of all sizes at most, as
//! between the two bodies; every value and every radius is lowered by as much.

use super::field::{Field, Signed};
use super::medial::Ball;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::shape::Convex;
use crate::tree::{Assembly, Geometry, Node, PrimitiveBvh};
use crate::volume::{BoundingSphere, Volume};
use crate::{Error, ErrorKind, Pose, Result};

/// The maximum number of spheres of a point cloud or a voxel map.
const MAX_BALLS: usize = 4096;
/// The maximum number of parts of an assembly.
const MAX_PARTS: usize = 256;

/// A body of many parts.
#[derive(Default)]
pub(super) struct UnionField<'g> {
    parts: Vec<Part<'g>>,
    pub balls: Vec<Ball>,
    pub size: f64,
    error: f64,
}

struct Part<'g> {
    field: Field<'g>,
    part_from_body: Pose,
    body_from_part: Pose,
}

impl<'g> UnionField<'g> {
    /// A body of which nothing but its size is known.
    pub fn unknown(body: &dyn Geometry) -> Self {
        let sphere = body.sphere();
        let error = 64.0 * UNIT_ROUNDOFF * 2.0 * (sphere.center.length() + sphere.radius);
        Self { size: 2.0 * sphere.radius, error, ..Self::default() }
    }

    /// The parts of an assembly that come near to a sphere; `field` makes their fields.
    pub fn of_assembly(
        assembly: &'g Assembly,
        near: &BoundingSphere,
        field: &dyn Fn(&'g dyn Geometry, &BoundingSphere) -> Result<Field<'g>>,
    ) -> Result<Self> {
        let mut union = Self::unknown(assembly);
        for part in assembly.parts() {
            let (geometry, pose) = (&**assembly.geometry(part.number()), *assembly.pose(part.number()));
            if assembly.part_sphere(part.number()).gap(near) > 0.0 {
                continue;
            }
            if union.parts.len() == MAX_PARTS {
                let message = format!("more than {MAX_PARTS} parts of an assembly overlap the other body");
                return Err(Error::new(ErrorKind::Unsupported, message));
            }
            let back = pose.inverse();
            union.error += 64.0 * UNIT_ROUNDOFF * pose.translation().length();
            let field = field(geometry, &near.moved(&back))?;
            union.parts.push(Part { field, part_from_body: back, body_from_part: pose });
        }
        for part in &union.parts {
            let moved = |ball: &Ball| {
                let center = part.body_from_part.transform_point(ball.center);
                Ball::alone(center, ball.radius - union.error)
            };
            let is_coarse = |ball: &&Ball| ball.slack > 0.0 || part.field.children(ball).is_empty() && ball.level == 0;
            let balls = part.field.balls().iter().filter(is_coarse).map(moved);
            union.balls.extend(balls.filter(|ball| ball.radius > 0.0));
        }
        Ok(union)
    }

    /// Spheres in the primitives of a tree that come near to a sphere.
    pub fn of_primitives(body: &dyn Geometry, tree: &dyn PrimitiveBvh, near: &BoundingSphere) -> Self {
        let mut union = Self::unknown(body);
        let mut found = Vec::new();
        if !tree.is_empty() {
            collect(tree, tree.root(), near, &mut found);
        }
        let stride = found.len().div_ceil(MAX_BALLS).max(1);
        union.balls = found.into_iter().step_by(stride).collect();
        union.balls.iter_mut().for_each(|ball| ball.radius -= union.error);
        union.balls.retain(|ball| ball.radius > 0.0);
        union
    }

    pub fn signed(&self, point: DVec3) -> Signed {
        let unknown = Signed { value: f64::NEG_INFINITY, nearest: point, work: 1 };
        self.parts.iter().fold(unknown, |best, part| {
            let found = part.field.signed(part.part_from_body.transform_point(point), &mut 0);
            let work = best.work + found.work;
            let value = found.value - self.error;
            if value > best.value {
                let nearest = part.body_from_part.transform_point(found.nearest);
                return Signed { value, nearest, work };
            }
            Signed { work, ..best }
        })
    }

    pub fn estimate(&self, point: DVec3) -> f64 {
        let of_part = |part: &Part<'_>| part.field.estimate(part.part_from_body.transform_point(point));
        self.parts.iter().map(of_part).fold(f64::NEG_INFINITY, f64::max)
    }

    pub fn coarse(&self, point: DVec3) -> f64 {
        let of_part = |part: &Part<'_>| part.field.coarse(part.part_from_body.transform_point(point));
        self.parts.iter().map(of_part).fold(f64::NEG_INFINITY, f64::max) - self.error
    }

    pub fn grain(&self) -> f64 {
        let of_parts = self.parts.iter().map(|part| part.field.grain());
        of_parts.fold(0.025 * self.size, f64::min)
    }
}

/// The inscribed spheres of primitives near a sphere.
fn collect(tree: &dyn PrimitiveBvh, node: Node, near: &BoundingSphere, found: &mut Vec<Ball>) {
    let frame = tree.frame();
    let bounds = tree.bounds(node);
    let (center, half) = (frame.center + bounds.center() / frame.scale, bounds.half() / frame.scale);
    let away = (near.center - near.center.clamp(center - half, center + half)).length();
    if away > near.radius + tree.radius() {
        return;
    }
    let count = tree.block(node).count as usize;
    for lane in 0..count {
        if !tree.is_leaf(node) {
            collect(tree, tree.child(node, lane), near, found);
        } else if let Some(solid) = tree.solid(tree.primitive_number(node, lane)) {
            found.push(Ball::alone(solid.center(), solid.inner()));
        }
    }
}
