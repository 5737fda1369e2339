//! Penetration depth of a half-space or a plane and a body.
//!
//! A body B is out of the half-space n·x ≤ o once n·t ≥ o − min n·p over its points p, so that the
//! depth is that difference. A plane may also stand in a gap of the body. Each connected piece
//! covers an interval along the normal (its *span*), and the depth is the distance of o from what no
//! span covers. Both are exact for everything with vertices.
//!
//! # Rounding
//!
//! A vertex takes 6 roundings of its coordinates and the translation to move, 4 more for the product
//! with a normal whose length is 1 up to 4 roundings. Each pose of an assembly around it adds 6
//! roundings of its translation, and deviates from a rotation by 12. So the ends of a span are off by
//! less than 64 roundings of its piece's size, all translations and the offset, once for each pose:
//! its *error* e. Lower bounds take spans that are shorter by e at both ends, and upper bounds spans
//! that are longer by 2e, which also exceeds what the collision query cannot tell. A gap that is
//! narrower than that is no way out; one that rounding may have closed is one for lower bounds.

use crate::convex::{Penetration, PenetrationRequest};
use crate::dispatch::PairQuery;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::shape::{Convex, HalfSpaceOrPlane, Primitive, components};
use crate::traversal::Workspace;
use crate::tree::voxel_map::VoxelCells;
use crate::tree::{
    Assembly, Geometry, HalfSpaceGeometry, HeightField, MeshView, Node, PointCloud, PrimitiveBvh, Solid,
};
use crate::{Error, ErrorKind, Pose, Result};
use std::any::Any;

/// The depth of two bodies one of which is a half-space or a plane.
pub(super) fn penetration(
    plan: &PairQuery<'_>,
    [a, b]: [&dyn Geometry; 2],
    a_from_b: &Pose,
    request: &PenetrationRequest,
    workspace: &mut Workspace,
) -> Result<Option<Penetration>> {
    let boundary = |body| (body as &dyn Any).downcast_ref::<HalfSpaceGeometry>().map(HalfSpaceGeometry::shape);
    // The boundary in A's frame, the other body and its pose there; and whether that is B.
    let (boundary, body, pose, is_b) = match (boundary(a), boundary(b)) {
        (Some(boundary), None) => (*boundary, b, *a_from_b, true),
        (None, Some(boundary)) => (boundary.transformed(a_from_b), a, Pose::IDENTITY, false),
        _ => {
            let message = format!("the penetration depth of a {} and a {} is not known", a.kind(), b.kind());
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
    };
    if !plan.collide(a_from_b, workspace, None).colliding {
        return Ok(None);
    }
    let plane = boundary.plane();
    let (normal, offset) = (plane.normal(), plane.offset());
    let far = a_from_b.translation().length() + offset.abs();
    let keeps_all = matches!(boundary, HalfSpaceOrPlane::Plane(_));
    let mut spans = Spans { normal, found: Vec::new(), keeps_all, lowest: f64::INFINITY };
    spans.add(body, &Placed { pose, far, poses: 1.0 })?;
    let found = if spans.keeps_all { spans.out_of_plane(offset) } else { spans.out_of_half_space(offset) };
    let Some(Out { lower, upper, normal, point }) = found else {
        return Err(Error::new(ErrorKind::Empty, format!("a {} without points", body.kind())));
    };
    let status = request.status(lower, upper, plan.smaller_size());
    let on_plane = point + normal * (offset * normal.dot(plane.normal()).signum() - normal.dot(point));
    // B moves along the normal, or the half-space against it.
    let (normal, point_a, point_b) = if is_b { (normal, on_plane, point) } else { (-normal, point, on_plane) };
    Ok(Some(Penetration { lower, upper, normal, point_a, point_b, status }))
}

/// How the body leaves: along a normal, with its deepest point.
struct Out {
    lower: f64,
    upper: f64,
    normal: DVec3,
    point: DVec3,
}

/// Where a piece is, and what its rounding depends on.
struct Placed {
    pose: Pose,
    /// The lengths of all translations, and the offset.
    far: f64,
    /// How many poses there are.
    poses: f64,
}

/// What a connected piece covers along the normal.
#[derive(Clone, Copy)]
struct Span {
    low: f64,
    high: f64,
    lowest: DVec3,
    highest: DVec3,
    error: f64,
}

impl Span {
    /// Covers nothing yet.
    fn new(error: f64) -> Self {
        let (low, high) = (f64::INFINITY, f64::NEG_INFINITY);
        Self { low, high, lowest: DVec3::ZERO, highest: DVec3::ZERO, error }
    }

    fn include(&mut self, normal: DVec3, point: DVec3) {
        let at = normal.dot(point);
        if at < self.low {
            (self.low, self.lowest) = (at, point);
        }
        if at > self.high {
            (self.high, self.highest) = (at, point);
        }
    }

    fn is_empty(&self) -> bool {
        self.low > self.high
    }
}

/// The spans of a body along a normal.
struct Spans {
    normal: DVec3,
    found: Vec<Span>,
    /// Else the one that is certainly lowest is enough.
    keeps_all: bool,
    /// No point of the body is lower, by more than the collision query cannot tell.
    lowest: f64,
}

impl Spans {
    fn push(&mut self, span: Span) {
        if span.is_empty() {
            return;
        }
        self.lowest = self.lowest.min(span.low - 2.0 * span.error);
        match self.found.first_mut() {
            Some(last) if !self.keeps_all => {
                if span.low + span.error < last.low + last.error {
                    *last = span;
                }
            }
            _ => self.found.push(span),
        }
    }

    /// Adds the pieces of a body.
    fn add(&mut self, body: &dyn Geometry, placed: &Placed) -> Result<()> {
        let any = body as &dyn Any;
        let sphere = body.sphere();
        let size = sphere.center.length() + 2.0 * sphere.radius + placed.far;
        let error = 64.0 * UNIT_ROUNDOFF * placed.poses * size;
        if let Some(mesh) = body.mesh() {
            self.add_mesh(&mesh, &placed.pose, error);
        } else if let Some(solid) = any.downcast_ref::<Solid>() {
            self.add_convex(solid.shape(), &placed.pose, error);
        } else if let Some(assembly) = any.downcast_ref::<Assembly>() {
            for part in assembly.parts() {
                let pose = assembly.pose(part.number());
                let far = placed.far + pose.translation().length();
                let part_placed = Placed { pose: placed.pose.then(pose), far, poses: placed.poses + 1.0 };
                self.add(&**assembly.geometry(part.number()), &part_placed)?;
            }
        } else if let Some(cloud) = any.downcast_ref::<PointCloud>() {
            self.add_primitives(cloud, &placed.pose, error);
        } else if let Some(cells) = any.downcast_ref::<VoxelCells>() {
            self.add_primitives(cells, &placed.pose, error);
        } else if let Some(field) = any.downcast_ref::<HeightField>() {
            let mut span = Span::new(error);
            for triangle in (0..field.triangle_count() as u32).filter_map(|number| body.leaf_triangle(number)) {
                triangle
                    .0
                    .into_iter()
                    .for_each(|vertex| span.include(self.normal, placed.pose.transform_point(vertex)));
            }
            self.push(span);
        } else {
            let message = format!("the penetration depth of a {} is not known", body.kind());
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        Ok(())
    }

    /// The connected components of a mesh; one where only the lowest point matters.
    fn add_mesh(&mut self, mesh: &MeshView<'_>, pose: &Pose, error: f64) {
        let (vertices, normal) = (mesh.tri_mesh.vertices(), self.normal);
        let place = |&vertex: &u32| pose.transform_point(vertices[vertex as usize]);
        if !self.keeps_all || mesh.component_points().len() == 1 {
            let mut span = Span::new(error);
            mesh.tri_mesh.triangles().iter().flatten().for_each(|vertex| span.include(normal, place(vertex)));
            return self.push(span);
        }
        let mut of_component = vec![Span::new(error); vertices.len()];
        for (triangle, component) in mesh.tri_mesh.triangles().iter().zip(components(mesh.tri_mesh)) {
            triangle.iter().for_each(|vertex| of_component[component as usize].include(normal, place(vertex)));
        }
        of_component.into_iter().for_each(|span| self.push(span));
    }

    fn add_convex(&mut self, shape: &Primitive, pose: &Pose, error: f64) {
        let (shape, normal) = (shape.transformed(pose), self.normal);
        let mut span = Span::new(error);
        for direction in [-normal, normal] {
            let point = shape.center() + shape.support(direction) + direction * Convex::radius(&shape);
            span.include(normal, point);
        }
        self.push(span);
    }

    fn add_primitives(&mut self, tree: &dyn PrimitiveBvh, pose: &Pose, error: f64) {
        let mut nodes: Vec<Node> = if tree.is_empty() { Vec::new() } else { vec![tree.root()] };
        while let Some(node) = nodes.pop() {
            for lane in 0..tree.block(node).count as usize {
                if !tree.is_leaf(node) {
                    nodes.push(tree.child(node, lane));
                } else if let Some(shape) = tree.solid(tree.primitive_number(node, lane)) {
                    self.add_convex(&shape, pose, error);
                }
            }
        }
    }

    /// The way out of the half-space below an offset.
    fn out_of_half_space(&self, offset: f64) -> Option<Out> {
        let span = self.found.first()?;
        let (lower, upper) = ((offset - (span.low + span.error)).max(0.0), (offset - self.lowest).max(0.0));
        Some(Out { lower, upper, normal: self.normal, point: span.lowest })
    }

    /// The way off the plane at an offset: into the nearest gap, or past an end.
    fn out_of_plane(&mut self, offset: f64) -> Option<Out> {
        let certain = |span: &Span| Span { low: span.low + span.error, high: span.high - span.error, ..*span };
        let certain = around(self.found.iter().map(certain).filter(|span| !span.is_empty()).collect(), offset);
        let lower = certain.map_or(0.0, |span| (offset - span.low).min(span.high - offset).max(0.0));
        let possible =
            |span: &Span| Span { low: span.low - 2.0 * span.error, high: span.high + 2.0 * span.error, ..*span };
        let all: Vec<Span> = self.found.iter().map(possible).collect();
        // Spans that miss the offset are off by rounding: the collision query has met one of them.
        let nearest = |spans: &[Span]| {
            let away = |span: &Span| (span.low - offset).max(offset - span.high);
            spans.iter().copied().min_by(|p, q| away(p).total_cmp(&away(q)))
        };
        let span = around(all.clone(), offset).or_else(|| nearest(&all))?;
        let (front, back) = ((offset - span.low).max(0.0), (span.high - offset).max(0.0));
        let (upper, normal, point) =
            if back < front { (back, -self.normal, span.highest) } else { (front, self.normal, span.lowest) };
        Some(Out { lower: lower.min(upper), upper, normal, point })
    }
}

/// What spans that overlap cover together around a place; `None` where none covers it.
fn around(mut spans: Vec<Span>, place: f64) -> Option<Span> {
    spans.sort_by(|p, q| p.low.total_cmp(&q.low));
    let mut joined: Option<Span> = None;
    for span in spans {
        joined = match joined {
            Some(mut all) if span.low <= all.high => {
                if span.high > all.high {
                    (all.high, all.highest) = (span.high, span.highest);
                }
                Some(all)
            }
            Some(all) if all.low <= place && place <= all.high => return Some(all),
            _ => Some(span),
        };
    }
    joined.filter(|all| all.low <= place && place <= all.high)
}
