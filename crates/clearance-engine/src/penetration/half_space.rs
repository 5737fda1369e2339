//! Penetration depth of a half-space or a plane and a body: how far its deepest point is behind the
//! boundary.
//!
//! A body B is out of the half-space n·x ≤ o once n·t ≥ o − min n·p over its points p, so that the
//! depth is that difference; of a plane it is the smaller one of both sides, unless the body has
//! gaps in which a plane may stand: then nothing but the upper bound is known.
//!
//! Rounding: a vertex takes 6 roundings of its coordinates and the translation to move, 4 more for
//! the product with a normal whose length is 1 up to 4 roundings. The depth is widened by 64
//! roundings of all coordinates, its upper end by twice that, so that it also exceeds what the
//! collision query cannot tell.

use crate::convex::{Penetration, PenetrationRequest};
use crate::dispatch::PairQuery;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::shape::{Convex, HalfSpaceOrPlane, component_points};
use crate::traversal::Workspace;
use crate::tree::{Assembly, Geometry, HalfSpaceGeometry, PointCloud, PrimitiveBvhNodes, Solid};
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
    let (size, far) = (plan.smaller_size(), a_from_b.translation().length() + plane.offset().abs());
    let error = 64.0 * UNIT_ROUNDOFF * (body.sphere().center.length() + 2.0 * size + far);
    let behind = |normal: DVec3, offset: f64| -> Result<Penetration> {
        let point = lowest(body, &pose, normal)?;
        let depth = offset - normal.dot(point);
        let (lower, upper) = ((depth - error).max(0.0), depth.max(0.0) + 2.0 * error);
        let status = request.status(lower, upper, size);
        let on_plane = point + normal * depth;
        // B moves along the normal, or the half-space against it.
        let (normal, point_a, point_b) = if is_b { (normal, on_plane, point) } else { (-normal, point, on_plane) };
        Ok(Penetration { lower, upper, normal, point_a, point_b, status })
    };
    let front = behind(plane.normal(), plane.offset())?;
    if let HalfSpaceOrPlane::HalfSpace(_) = boundary {
        return Ok(Some(front));
    }
    let back = behind(-plane.normal(), -plane.offset())?;
    let shorter = if back.upper < front.upper { back } else { front };
    // A plane may also stand in a gap between parts of the body, which nobody looked for.
    let lower = if is_connected(body) { front.lower.min(back.lower) } else { 0.0 };
    Ok(Some(Penetration { lower, status: request.status(lower, shorter.upper, size), ..shorter }))
}

/// Whether a body certainly is of one piece.
fn is_connected(body: &dyn Geometry) -> bool {
    (body as &dyn Any).is::<Solid>() || body.mesh().is_some_and(|mesh| component_points(mesh.tri_mesh).len() == 1)
}

/// The point of a body that is lowest along a normal, after a motion.
fn lowest(body: &dyn Geometry, pose: &Pose, normal: DVec3) -> Result<DVec3> {
    if let Some(mesh) = body.mesh() {
        let moved = mesh.tri_mesh.triangles().iter().flatten().map(|&vertex| mesh.tri_mesh.vertices()[vertex as usize]);
        let points = moved.map(|vertex| pose.transform_point(vertex));
        let lowest = points.min_by(|p, q| normal.dot(*p).total_cmp(&normal.dot(*q)));
        return lowest.ok_or_else(|| Error::new(ErrorKind::Empty, "a mesh without triangles"));
    }
    if let Some(solid) = (body as &dyn Any).downcast_ref::<Solid>() {
        let shape = solid.shape().transformed(pose);
        return Ok(shape.center() + shape.support(-normal) - normal * Convex::radius(&shape));
    }
    let lower = |p: &DVec3, q: &DVec3| normal.dot(*p).total_cmp(&normal.dot(*q));
    let empty = || Error::new(ErrorKind::Empty, format!("a {} without points", body.kind()));
    if let Some(assembly) = (body as &dyn Any).downcast_ref::<Assembly>() {
        let of_part = |part: u32| lowest(&**assembly.geometry(part), &pose.then(assembly.pose(part)), normal);
        let points: Result<Vec<DVec3>> = assembly.parts().map(|part| of_part(part.number())).collect();
        return points?.into_iter().min_by(lower).ok_or_else(empty);
    }
    if let Some(cloud) = (body as &dyn Any).downcast_ref::<PointCloud>() {
        let points = cloud.points().iter().map(|&point| pose.transform_point(point));
        return points.min_by(lower).map(|point| point - normal * cloud.radius()).ok_or_else(empty);
    }
    let message = format!("the penetration depth of a {} is not known", body.kind());
    Err(Error::new(ErrorKind::Unsupported, message))
}
