//! Rectangle swept spheres (RSS): rectangles swept by a sphere (Larsen, Gottschalk, Lin and
//! Manocha, *Fast proximity queries with swept sphere volumes*, 1999, the volume of PQP). A side of
//! length zero makes it a swept line, two a sphere.
//!
//! The rectangle lies in the plane of the two longer axes of a tight box, half way through the box;
//! the radius is half the thickness. Then each side moves inwards as far as every vertex stays
//! within the radius, and the corners move out again where a vertex lies beyond two sides at once.
//!
//! Invariant: for the stored `f32` values, every vertex is within the radius of a point
//! `c + s·u + t·v` with `|s| ≤ half[0], |t| ≤ half[1]`, exactly. The set is meant as written: u and
//! v, rounded, are orthonormal to `f32` precision only, and bounds must use them as they are. Cost:
//! the fit of a box (see [`OrientedFit`]) and three more passes.

use super::fit::{
    OrientedFit, box_axes, enclosing, extents, longest_first, narrow, restored, support_rounding, vertices, widen,
};
use super::obb::orthonormal;
use super::{Axes, Volume};
use crate::Triangle;
use crate::math::{DMat3, DVec3};

/// A rectangle swept sphere (RSS): all points within a radius of a rectangle, in a hierarchy's
/// stored frame.
///
/// ```
/// use clearance_engine::{Triangle, math::DVec3, volume::{Rss, Volume}};
/// let flat = Triangle([DVec3::ZERO, DVec3::X, DVec3::Y * 0.5]);
/// assert!(Rss::fit(&[flat], &Default::default()).radius() < 1e-6);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rss {
    center: [f32; 3],
    axes: [[f32; 3]; 2],
    half: [f32; 2],
    radius: f32,
}

impl Rss {
    /// The directions of the rectangle's two sides, orthonormal to `f32` precision only.
    #[inline]
    pub fn sides(&self) -> [DVec3; 2] {
        [widen(self.axes[0]), widen(self.axes[1])]
    }

    /// Half the lengths of the rectangle's sides.
    #[inline]
    pub fn half(&self) -> [f64; 2] {
        self.half.map(f64::from)
    }

    /// The radius of the sphere that sweeps the rectangle.
    #[inline]
    pub fn radius(&self) -> f64 {
        f64::from(self.radius)
    }

    /// The coordinates `(s, t)` of a point of the rectangle, nearest to `center + offset` up to the
    /// rounding of the axes.
    fn nearest(&self, offset: DVec3) -> (f64, f64) {
        let [u, v] = self.sides();
        let [s, t] = self.half();
        (u.dot(offset).clamp(-s, s), v.dot(offset).clamp(-t, t))
    }

    /// The smallest radius for which the swept rectangle contains every vertex, rounded up.
    fn radius_around(&self, triangles: &[Triangle]) -> f32 {
        let [u, v] = self.sides();
        let (mut longest, mut size) = (0.0_f64, 0.0_f64);
        for vertex in vertices(triangles) {
            let offset = vertex - self.center();
            // Any point of the rectangle bounds the distance from above, so the clamped projection
            // needs no proof.
            let (s, t) = self.nearest(offset);
            longest = longest.max((offset - u * s - v * t).length_squared());
            size = size.max(offset.abs().max_element());
        }
        // |s| and |t| do not exceed |offset| by more than rounding: all 5 roundings of a coordinate
        // are relative to it.
        enclosing(longest.sqrt(), 2.0 * size)
    }
}

impl Volume for Rss {
    const NAME: &'static str = "rss";
    const FLOATS: usize = 12;
    type Fit = OrientedFit;

    fn fit(triangles: &[Triangle], options: &OrientedFit) -> Self {
        let axes = box_axes(triangles, options);
        let (low, high) = extents(vertices(triangles), &axes);
        let (axes, _) = longest_first(&axes, high - low);
        let (low, high) = shrunk_rectangle(&axes, triangles);
        let mut rss = Self {
            center: narrow(axes * (low + (high - low) * 0.5)),
            axes: [narrow(axes.x_axis), narrow(axes.y_axis)],
            half: [((high.x - low.x) * 0.5) as f32, ((high.y - low.y) * 0.5) as f32],
            radius: 0.0,
        };
        rss.radius = rss.radius_around(triangles);
        rss
    }

    fn support(&self, direction: DVec3) -> f64 {
        let [u, v] = self.sides();
        let [s, t] = self.half();
        let rectangle = direction.dot(u).abs() * s + direction.dot(v).abs() * t;
        let swept = rectangle + self.radius() * direction.length();
        direction.dot(self.center()) + swept + support_rounding(direction)
    }

    #[inline]
    fn center(&self) -> DVec3 {
        widen(self.center)
    }

    #[inline]
    fn size(&self) -> f64 {
        let [s, t] = self.half();
        s.hypot(t) + self.radius()
    }

    fn axes(&self) -> Axes {
        let [u, v] = self.sides();
        Axes::from_slice(&[u, v, u.cross(v)])
    }

    fn store(&self, out: &mut Vec<f32>) {
        out.extend(self.center);
        out.extend(self.axes.as_flattened());
        out.extend(self.half);
        out.push(self.radius);
    }

    fn restore(floats: &[f32]) -> Option<Self> {
        let rss = Self {
            center: restored(floats, 0),
            axes: [restored(floats, 3), restored(floats, 6)],
            half: restored(floats, 9),
            radius: floats[11],
        };
        (orthonormal(&rss.sides()) && floats[9..12].iter().all(|&length| length >= 0.0)).then_some(rss)
    }
}

/// Two opposite corners, in coordinates along `axes`, of a rectangle with every vertex within half
/// the thickness of it.
fn shrunk_rectangle(axes: &DMat3, triangles: &[Triangle]) -> (DVec3, DVec3) {
    let into_axes = axes.transpose();
    let (bottom, top) = extents(vertices(triangles), axes);
    let radius = (top.z - bottom.z) * 0.5;
    let level = bottom.z + radius;
    // The square of the distance that a side may stay behind a vertex that is beyond this side
    // alone.
    let slack_squared = |p: DVec3| (radius * radius - (p.z - level) * (p.z - level)).max(0.0);
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for vertex in vertices(triangles) {
        let p = into_axes * vertex;
        let slack = slack_squared(p).sqrt();
        (low, high) = (low.min(p + slack), high.max(p - slack));
    }
    // Where the sides have passed each other, every vertex is within the slack of all that lies
    // between.
    let crossed = low.cmpgt(high);
    let middle = (low + high) * 0.5;
    (low, high) = (DVec3::select(crossed, middle, low), DVec3::select(crossed, middle, high));
    for vertex in vertices(triangles) {
        grow_towards(into_axes * vertex, slack_squared(into_axes * vertex), &mut low, &mut high);
    }
    (low.z, high.z) = (level, level);
    (low, high)
}

/// Moves two sides out by the same amount where `p` lies beyond both and too far from their corner.
fn grow_towards(p: DVec3, slack_squared: f64, low: &mut DVec3, high: &mut DVec3) {
    let beyond = (*low - p).max(p - *high);
    let (dx, dy) = (beyond.x, beyond.y);
    if dx <= 0.0 || dy <= 0.0 || dx * dx + dy * dy <= slack_squared {
        return;
    }
    // The smaller root of (dx − a)² + (dy − a)² = slack²; dx and dy do not exceed the slack, so it
    // is real and below both.
    let discriminant = 2.0 * slack_squared - (dx - dy) * (dx - dy);
    let amount = ((dx + dy - discriminant.max(0.0).sqrt()) * 0.5).clamp(0.0, dx.min(dy));
    for side in 0..2 {
        if p[side] < low[side] {
            low[side] -= amount;
        } else {
            high[side] += amount;
        }
    }
}
