//! Hulls of what may be flat, and hulls that are a little larger by proof.

use super::Scale;
use super::surface::Surface;
use crate::math::DVec3;
use crate::shape::ConvexPolyhedron;
use crate::{ErrorKind, Result};

/// Parts are scaled by no more than this to be widened.
const MOST_GROWTH: f64 = 1e-3;
/// How thick a flat piece is made, as a multiple of what counts as in a plane.
const THICKNESS: f64 = 8.0;

/// The hull of points; where these are flat, of small cubes about them.
pub(super) fn hull(points: &[DVec3], scale: Scale) -> Result<ConvexPolyhedron> {
    match ConvexPolyhedron::hull_of(points) {
        Err(error) if error.kind() == ErrorKind::Flat => {
            ConvexPolyhedron::hull_of(&cubes(points, THICKNESS * scale.on_plane))
        }
        hull => hull,
    }
}

/// A polyhedron that contains all points within `by` of a part, and how far it may reach beyond the part.
///
/// With a ball of radius r about c in the part, the part scaled by 1 + δ about c reaches farther in every direction by at least δr, so
/// that δ = by / r is enough; corners stay as they are many. Where there is no such ball, cubes are put about the corners.
pub(super) fn widened(part: &ConvexPolyhedron, by: f64, scale: Scale) -> Result<(ConvexPolyhedron, f64)> {
    // The corners are rounded when they are read, scaled and stored.
    let by = by + 4.0 * scale.slack;
    let corners: Vec<DVec3> = part.vertices().collect();
    let center = corners.iter().sum::<DVec3>() / corners.len() as f64;
    let growth = by / inner_radius(part, center, scale)?;
    if growth > 0.0 && growth <= MOST_GROWTH {
        let reach = corners.iter().map(|corner| corner.distance(center)).fold(0.0, f64::max);
        let larger: Vec<DVec3> = corners.iter().map(|&corner| corner + (corner - center) * growth).collect();
        return Ok((ConvexPolyhedron::hull_of(&larger)?, growth * reach + 4.0 * scale.slack));
    }
    Ok((ConvexPolyhedron::hull_of(&cubes(&corners, by))?, 3.0_f64.sqrt() * by + 4.0 * scale.slack))
}

/// At most the radius of a ball about a point that is inside of a polyhedron; not positive where none is known.
fn inner_radius(part: &ConvexPolyhedron, center: DVec3, scale: Scale) -> Result<f64> {
    let surface = Surface::new(&part.surface()?);
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
