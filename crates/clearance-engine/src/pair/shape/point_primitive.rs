//! The signed distance of a point from a convex primitive, as an interval.
//!
//! Outside of the core the nearest point gives the upper end, and the support along the way to it
//! the lower one, for any way. Inside of it the nearest face or the nearest point of the curved
//! surface counts: a plane across the way to it touches the solid from outside and so bounds the
//! depth from above, and the depth itself is computed by a closed form.
//!
//! # The error
//! u = 2⁻⁵³. Points of the core and supports are within 24u of the bounding radius, differences,
//! products and the root add fewer than 16u of (bounding radius + distance from the centre):
//! [`ERROR`] is 64u of that sum. Closed forms inside have it too, ellipsoids times the ratio of
//! their half-axes.

use crate::math::{DMat3, DVec3, UNIT_ROUNDOFF, unit};
use crate::shape::{Convex, ConvexPolyhedron, Ellipsoid, PointDistance, Primitive, Sign};

const ERROR: f64 = 64.0 * UNIT_ROUNDOFF;

/// How deep a point is inside of a core: the depth, the outward normal at the nearest surface, and
/// how much that may err.
struct Depth {
    depth: f64,
    normal: DVec3,
    error: f64,
}

/// The signed distance of a point from a primitive, whose number is `leaf`.
pub(crate) fn point_primitive(point: DVec3, primitive: &Primitive, leaf: u32) -> PointDistance {
    let radius = Convex::radius(primitive);
    let offset = point - primitive.center();
    let error = ERROR * (primitive.bounding_radius() + radius + offset.length());
    let way = offset - primitive.surely_nearest(offset);
    let away = way.length();
    // Nearer than rounding, the core counts as reached.
    let (distance, normal, lower, upper) = if away > error {
        let normal = way / away;
        let gap = offset.dot(normal) - primitive.support(normal).dot(normal);
        (away - radius, normal, gap - radius - error, away - radius + error)
    } else {
        let Depth { depth, normal, error: more } = depth_in_core(primitive, offset);
        let error = error + more;
        (-depth - radius, normal, -depth - radius - 2.0 * error, -depth - radius + 2.0 * error)
    };
    let nearest = point - normal * distance;
    PointDistance { distance, lower, upper, nearest, gradient: normal, sign: Sign::Closed, leaf, part: 0 }
}

/// The depth of a point of the core, which may be on its surface.
fn depth_in_core(primitive: &Primitive, offset: DVec3) -> Depth {
    let exact = |depth: f64, normal: DVec3| Depth { depth: depth.max(0.0), normal, error: 0.0 };
    match primitive {
        // A point: any direction leads out.
        Primitive::Sphere(_) => exact(0.0, unit(offset).unwrap_or(DVec3::Z)),
        Primitive::Capsule(capsule) => {
            let across = capsule.half().any_orthogonal_vector();
            exact(0.0, unit(across).unwrap_or(DVec3::Z))
        }
        Primitive::Cuboid(cuboid) => nearest_side(cuboid.axes(), cuboid.half(), offset),
        Primitive::Cylinder(cylinder) => {
            let axis = cylinder.axis();
            let along = axis.dot(offset);
            let across = offset - axis * along;
            let side = exact(cylinder.radius() - across.length(), out_of(across, axis));
            let end = exact(cylinder.half_length() - along.abs(), axis * 1.0_f64.copysign(along));
            if side.depth < end.depth { side } else { end }
        }
        Primitive::Cone(cone) => {
            let (axis, half, radius) = (cone.axis(), cone.half_length(), cone.radius());
            let along = axis.dot(offset);
            let across = offset - axis * along;
            let slant = radius.hypot(2.0 * half);
            // The slant's plane in the half plane of the point: its normal is (2h, R)/slant.
            let depth = ((radius - across.length()) * 2.0 * half - (along + half) * radius) / slant;
            let side = exact(depth, (out_of(across, axis) * (2.0 * half) + axis * radius) / slant);
            let base = exact(along + half, -axis);
            if side.depth < base.depth { side } else { base }
        }
        Primitive::Ellipsoid(ellipsoid) => inside_ellipsoid(ellipsoid, offset),
        Primitive::ConvexPolyhedron(polyhedron) => nearest_face(polyhedron, offset),
    }
}

/// A unit vector along `across`, or any one across the axis.
fn out_of(across: DVec3, axis: DVec3) -> DVec3 {
    unit(across).unwrap_or_else(|| axis.any_orthonormal_vector())
}

fn nearest_side(axes: &DMat3, half: DVec3, offset: DVec3) -> Depth {
    let local = axes.transpose() * offset;
    let depths = half - local.abs();
    let k = if depths.x <= depths.min_element() { 0 } else { 1 + usize::from(depths.z < depths.y) };
    Depth { depth: depths[k].max(0.0), normal: axes.col(k) * 1.0_f64.copysign(local[k]), error: 0.0 }
}

fn nearest_face(polyhedron: &ConvexPolyhedron, offset: DVec3) -> Depth {
    let center = Convex::center(polyhedron);
    let faces = (0..polyhedron.face_count() as u32).map(|f| {
        let normal = polyhedron.face_normal(f);
        // The face's vertices are in its plane up to rounding: the lowest one counts.
        let heights = polyhedron.face(f).iter().map(|&vertex| (polyhedron.vertex(vertex) - center).dot(normal));
        (heights.fold(f64::INFINITY, f64::min) - offset.dot(normal), normal)
    });
    let (depth, normal) = faces.reduce(|a, b| if b.0 < a.0 { b } else { a }).unwrap_or((0.0, DVec3::Z));
    // The nearest point is in a face, no lower than its lowest vertex. The depth is at most that
    // below the plane that touches the polyhedron along any normal.
    let most = Convex::support(polyhedron, normal).dot(normal) - offset.dot(normal);
    Depth { depth: depth.max(0.0), normal, error: (most - depth).max(0.0) }
}

/// The nearest point of the surface is `hᵢ²pᵢ/(hᵢ² + t)` for the root t ≤ 0 of a decreasing function
/// (Eberly, "Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid", 2013), found
/// by bisection; where the point lies on the plane of symmetry across the shortest axis, t may be
/// the end of the range.
fn inside_ellipsoid(ellipsoid: &Ellipsoid, offset: DVec3) -> Depth {
    let (axes, half) = (ellipsoid.axes(), ellipsoid.half());
    let size = half.max_element();
    let (h, p) = (half / size, axes.transpose() * offset / size);
    let least = h.min_element();
    let shortest = if h.x <= least { 0 } else { 1 + usize::from(h.z < h.y) };
    let (mut low, mut high) = (-least * least, 0.0);
    let excess = |t: f64| (h * p / (h * h + t)).length_squared() - 1.0;
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if excess(middle) > 0.0 { low = middle } else { high = middle }
    }
    let mut surface = h * h * p / (h * h + high);
    // Along the shortest axis the surface is where the others leave it.
    let mut rest = surface / h;
    rest[shortest] = 0.0;
    let last = (1.0 - rest.length_squared()).max(0.0).sqrt() * h[shortest];
    surface[shortest] = last.copysign(p[shortest]);
    if !surface.is_finite() {
        // The squares of needles' half-axes are no numbers beside the longest one.
        return Depth { depth: 0.0, normal: axes.col(shortest), error: half.min_element() };
    }
    let normal = *axes * unit(surface / (h * h)).unwrap_or(DVec3::Z);
    let depth = (surface - p).length() * size;
    Depth { depth, normal, error: 16.0 * ERROR * size / least }
}
