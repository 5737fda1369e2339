//! Spheres inside of a solid mesh about points near its medial axis.
//!
//! A sphere that touches a point of the surface shrinks until nothing of the surface is inside of
//! it (the shrinking-ball algorithm of Ma, Bae and Choi, "3D medial axis point approximation using
//! nearest neighbors and the normal field", 2012). Its radius is then the certified distance of its
//! centre from the surface, so that the search may be as rough as it likes.

use super::field::MeshField;
use crate::math::DVec3;

/// Points of the surface that spheres start at.
const SAMPLES: f64 = 4000.0;
/// Covers of spheres lose between this part of the size …
const COARSEST: f64 = 0.064;
/// … and that one.
const FINEST: f64 = 0.004;
/// The levels that these make.
pub(super) const LEVELS: u8 = 6;
/// Steps of a shrinking sphere.
const STEPS: usize = 12;

/// A sphere inside of a solid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ball {
    pub center: DVec3,
    /// At most the distance of the centre from the surface.
    pub radius: f64,
    /// Spheres below it reach at most so far out of it.
    pub slack: f64,
    /// How often the slack was halved until this sphere was needed.
    pub level: u8,
    /// The spheres of the next levels that lie in it up to its slack: from this place on among the
    /// field's list of children, and how many.
    pub children: (u32, u32),
}

impl Ball {
    /// A sphere without children.
    pub fn alone(center: DVec3, radius: f64) -> Self {
        Self { center, radius, slack: 0.0, level: 0, children: (0, 0) }
    }
}

/// Spheres, and the numbers of the children of each, coarse levels first.
pub(super) type Cover = (Vec<Ball>, Vec<u16>);

/// Spheres that cover the medial axis, coarse ones first.
pub(super) fn medial_balls(field: &MeshField, bounding_radius: f64) -> Cover {
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
    // Found from one start, as those who check them do: then they are the same bits.
    let balls = balls.into_iter().map(|(center, _)| (center, field.signed(center, &mut 0).value));
    cover(balls.filter(|ball| ball.1 > 0.0).collect(), field.size)
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
        let (center, radius) = touching(field, point, inward, radius, hint);
        return (radius > 0.0).then_some((center, radius));
    }
    None
}

/// The sphere on one side of a point of the surface that touches it there: its centre and at most
/// its radius.
fn touching(field: &MeshField, point: DVec3, inward: DVec3, most: f64, mut hint: u32) -> (DVec3, f64) {
    let mut radius = most;
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
    (center, field.signed(center, &mut hint).value)
}

/// Spheres so that each other one is in one of them up to a slack, for ever smaller slacks; at last
/// all others. Each but those of the first level is a child of the one that it is deepest in.
fn cover(mut balls: Vec<(DVec3, f64)>, size: f64) -> Cover {
    balls.sort_by(|a, b| b.1.total_cmp(&a.1));
    balls.truncate(usize::from(u16::MAX));
    let mut kept: Vec<Ball> = Vec::new();
    let mut parents: Vec<usize> = Vec::new();
    let (mut slack, mut level) = (COARSEST * size, 0);
    loop {
        let is_last = slack < FINEST * size * 0.99;
        let known = kept.len();
        let slack_now = if is_last { 0.0 } else { slack };
        balls.retain(|&(center, radius)| {
            let depth = |ball: &Ball| ball.radius - ball.center.distance(center);
            let is_new = is_last || !kept.iter().any(|ball| depth(ball) >= radius - slack_now);
            if is_new {
                let coarser = kept[..known].iter().map(depth).enumerate();
                parents.push(coarser.max_by(|p, q| p.1.total_cmp(&q.1)).map_or(usize::MAX, |(number, _)| number));
                kept.push(Ball { slack: slack_now, level, ..Ball::alone(center, radius) });
            }
            !is_new
        });
        if is_last {
            break;
        }
        (slack, level) = (0.5 * slack, level + 1);
        debug_assert!(level < LEVELS);
    }
    let mut order: Vec<u16> =
        (0..kept.len() as u16).filter(|&child| parents[usize::from(child)] != usize::MAX).collect();
    order.sort_by_key(|&child| (parents[usize::from(child)], child));
    for (at, &child) in order.iter().enumerate() {
        let children = &mut kept[parents[usize::from(child)]].children;
        *children = if children.1 == 0 { (at as u32, 1) } else { (children.0, children.1 + 1) };
    }
    (kept, order)
}
