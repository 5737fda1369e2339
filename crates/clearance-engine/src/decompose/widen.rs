//! Hulls of points that may be flat, and hulls that are provably a little larger.

use super::Scale;
use crate::math::DVec3;
use crate::query::Surface;
use crate::shape::ConvexPolyhedron;
use crate::{ErrorKind, Result};

/// The maximum scale by which a part is widened.
const MAX_GROWTH: f64 = 1e-3;
/// The thickness of a flat piece's hull, as a multiple of the distance that counts as in a plane.
const THICKNESS: f64 = 8.0;

/// The hull of points; of small cubes about them if they are flat.
pub(super) fn hull(points: &[DVec3], scale: Scale) -> Result<ConvexPolyhedron> {
    match ConvexPolyhedron::hull_of(points) {
        Err(error) if error.kind() == ErrorKind::Degenerate => {
            ConvexPolyhedron::hull_of(&cubes(points, THICKNESS * scale.on_plane))
        }
        hull => hull,
    }
}

/// A polyhedron that contains all points within `by` of a part, and an upper bound of its extent
/// beyond the part.
///
/// With a sphere of radius r about c in the part, the part scaled by 1 + δ about c reaches farther
/// in every direction by at least δr, so that δ = by / r is enough; the number of vertices stays
/// the same. Where there is no such sphere, the hull is that of cubes about the vertices.
pub(super) fn widened(part: &ConvexPolyhedron, by: f64, scale: Scale) -> Result<(ConvexPolyhedron, f64)> {
    // Reading, scaling and storing round the vertices.
    let by = by + 4.0 * scale.slack;
    let points: Vec<DVec3> = part.vertices().collect();
    let center = points.iter().sum::<DVec3>() / points.len() as f64;
    let growth = by / inner_radius(part, center, scale)?;
    if growth > 0.0 && growth <= MAX_GROWTH {
        let radius = points.iter().map(|vertex| vertex.distance(center)).fold(0.0, f64::max);
        let larger: Vec<DVec3> = points.iter().map(|&vertex| vertex + (vertex - center) * growth).collect();
        return Ok((ConvexPolyhedron::hull_of(&larger)?, growth * radius + 4.0 * scale.slack));
    }
    Ok((ConvexPolyhedron::hull_of(&cubes(&points, by))?, 3.0_f64.sqrt() * by + 4.0 * scale.slack))
}

/// A lower bound of the radius of an inscribed sphere about a point; not positive where none is
/// proven.
fn inner_radius(part: &ConvexPolyhedron, center: DVec3, scale: Scale) -> Result<f64> {
    let surface = Surface::new(part.surface()?.into());
    if surface.winding_number(center) == 0 {
        return Ok(0.0);
    }
    Ok(surface.nearest(center).lower - 2.0 * scale.slack)
}

/// The corners of cubes about points.
fn cubes(points: &[DVec3], half: f64) -> Vec<DVec3> {
    let corner = |i: u32| DVec3::from_array([0, 1, 2].map(|axis| if i >> axis & 1 == 0 { -half } else { half }));
    points.iter().flat_map(|&point| (0..8).map(move |i| point + corner(i))).collect()
}
