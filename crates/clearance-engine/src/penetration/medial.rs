//! Spheres inside of a solid mesh about points near its medial axis.
//!
//! A sphere that touches a point of the surface shrinks until nothing of the surface is inside of it
//! (the shrinking-ball algorithm of Ma, Bae and Choi, "3D medial axis point approximation using
//! nearest neighbors and the normal field", 2012). Its radius is then the certified distance of its
//! centre from the surface, so that the search may be as rough as it likes.

use super::field::MeshField;
use crate::math::DVec3;

/// Points of the surface that spheres start at.
const SAMPLES: f64 = 4000.0;
/// Covers of spheres lose between this part of the size …
const COARSEST: f64 = 0.064;
/// … and that one.
const FINEST: f64 = 0.002;
/// Steps of a shrinking sphere.
const STEPS: usize = 12;

/// A sphere inside of a solid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ball {
    pub center: DVec3,
    /// At most the distance of the centre from the surface.
    pub radius: f64,
    /// What the search would lose without it, about.
    pub slack: f64,
}

/// Spheres that cover the medial axis, coarse ones first.
pub(super) fn medial_balls(field: &MeshField, bounding_radius: f64) -> Vec<Ball> {
    let mesh = field.surface.mesh();
    let normal = |id: u32| mesh.triangle(id).scaled_normal();
    let total: f64 = (0..mesh.len() as u32).map(|id| normal(id).length()).sum();
    let mut balls: Vec<(DVec3, f64)> = Vec::new();
    let mut carry = 0.5;
    let mut sample = 0_u32;
    for id in 0..mesh.len() as u32 {
        let Some(unit) = normal(id).try_normalize() else { continue };
        let [p, q, r] = mesh.triangle(id).0;
        carry += normal(id).length() / total * SAMPLES;
        while carry >= 1.0 {
            carry -= 1.0;
            sample += 1;
            let (mut u, mut v) = (spread(sample, 0.754_877_666), spread(sample, 0.569_840_291));
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            let point = p + (q - p) * u + (r - p) * v;
            balls.extend(shrunk(field, point, unit, bounding_radius, id));
        }
    }
    cover(balls, field.size)
}

/// Numbers between 0 and 1 that fill it evenly (an additive recurrence).
fn spread(number: u32, step: f64) -> f64 {
    (f64::from(number) * step).fract()
}

/// The sphere that touches the surface at a point, on the side that is inside.
fn shrunk(field: &MeshField, point: DVec3, normal: DVec3, radius: f64, id: u32) -> Option<(DVec3, f64)> {
    for inward in [-normal, normal] {
        let mut hint = id;
        if field.signed(point + inward * (1e-6 * field.size), &mut hint).value <= 0.0 {
            continue;
        }
        let mut radius = radius;
        for _ in 0..STEPS {
            let found = field.surface.nearest_from(point + inward * radius, hint);
            hint = found.triangle;
            if found.lower >= radius * (1.0 - 1e-3) {
                break;
            }
            let chord = point - found.point;
            let along = chord.dot(-inward);
            let next = chord.length_squared() / (2.0 * along);
            radius = if along > 0.0 && next < radius { next } else { found.lower.min(radius * 0.5) };
        }
        let center = point + inward * radius;
        let radius = field.signed(center, &mut hint).value;
        return (radius > 0.0).then_some((center, radius));
    }
    None
}

/// Chooses spheres so that each other one is in a chosen one up to a slack, for ever smaller slacks.
fn cover(mut balls: Vec<(DVec3, f64)>, size: f64) -> Vec<Ball> {
    balls.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut kept: Vec<Ball> = Vec::new();
    let mut slack = COARSEST * size;
    while slack >= FINEST * size * 0.99 {
        for &(center, radius) in &balls {
            if !kept.iter().any(|ball| ball.radius - ball.center.distance(center) >= radius - slack) {
                kept.push(Ball { center, radius, slack });
            }
        }
        slack *= 0.5;
    }
    kept
}
