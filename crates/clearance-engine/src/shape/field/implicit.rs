//! Implicit functions with a Lipschitz bound, and how they become fields.
//!
//! What a value says is one-sided: the solid is at least f/L away. Points of the solid come from the
//! grid: grid points inside, and places on edges where the sign changes. What is nearer to a sphere
//! about a point than f/L is outside, by which whole cells are (the branch and bound of a body against
//! the field uses both).

use super::{FieldGrid, Sample, SampledField};
use crate::math::{DVec3, LARGEST_COORDINATE, UNIT_ROUNDOFF};
use crate::{Error, ErrorKind, Readable, Result};
use std::sync::Arc;

/// A solid {p : f(p) ≤ 0} in a box, by a function that does not change faster than a known slope.
///
/// ```
/// use clearance_engine::{Pose, dispatch::Pair, math::DVec3, shape::{Implicit, Sphere}, tree::DistanceField};
/// /// A ring about z.
/// struct Torus;
///
/// impl Implicit for Torus {
///     fn value(&self, p: DVec3) -> f64 {
///         (p.x.hypot(p.y) - 1.0).hypot(p.z) - 0.25
///     }
///     fn lipschitz(&self) -> f64 {
///         1.0
///     }
///     fn bounding_box(&self) -> (DVec3, DVec3) {
///         (DVec3::new(-1.3, -1.3, -0.3), DVec3::new(1.3, 1.3, 0.3))
///     }
///     fn holds_outside(&self) -> bool {
///         true
///     }
/// }
///
/// let ring = DistanceField::implicit(Torus, 0.1)?;
/// let mut pair = Pair::new(ring, Sphere::new(0.5)?)?;
/// let distance = pair.distance(Pose::IDENTITY);
/// assert!(distance.lower <= 0.25 && 0.25 <= distance.upper && distance.upper - distance.lower < 0.01);
/// assert!(!pair.collides(Pose::IDENTITY) && pair.collides(Pose::from_xyz(0.5, 0.0, 0.0)?));
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub trait Implicit: Send + Sync + 'static {
    /// The function at a point of the box: not positive in the solid. What is not a number counts as
    /// unknown.
    fn value(&self, point: DVec3) -> f64;

    /// L ≥ |f(p) − f(q)| / |p − q| for all points of the [box](Self::bounding_box): 1 for a signed distance, and for unions,
    /// intersections and differences of such.
    fn lipschitz(&self) -> f64;

    /// The low and high corner of a box: points outside of it are not in the solid, whatever the
    /// function says.
    fn bounding_box(&self) -> (DVec3, DVec3);

    /// Whether the function and its [bound](Self::lipschitz) hold for all points of space, and not only
    /// in the box: then distances of far bodies are as good as those of near ones.
    fn holds_outside(&self) -> bool {
        false
    }

    /// By how much values may be off because of rounding; some roundings of L times the size of the box
    /// by default.
    fn error(&self) -> f64 {
        let (low, high) = self.bounding_box();
        64.0 * UNIT_ROUNDOFF * self.lipschitz() * low.abs().max(high.abs()).max_element()
    }
}

/// The signed distance from a box, which is no larger.
fn outside_box(source: &dyn Implicit, point: DVec3) -> f64 {
    let (low, high) = source.bounding_box();
    let beyond = (low - point).max(point - high);
    if beyond.max_element() > 0.0 { beyond.max(DVec3::ZERO).length() * (1.0 - 1e-14) } else { beyond.max_element() }
}

/// At most the signed distance, and at least that where it is surely not positive; infinite
/// elsewhere.
pub(super) fn value_bounds(source: &dyn Implicit, point: DVec3) -> [f64; 2] {
    let (low, high) = source.bounding_box();
    let within = if source.holds_outside() { point } else { point.clamp(low, high) };
    let (value, slope, error) = (source.value(within), source.lipschitz(), source.error());
    let outside = outside_box(source, point);
    // Quotients and roots are rounded.
    let shorter = 1.0 - 16.0 * UNIT_ROUNDOFF;
    let above = ((value - error) / slope * shorter).max(0.0);
    // All of the solid is on the other side of the nearest point of the box.
    let lower = match outside > 0.0 {
        true if source.holds_outside() => above.max(outside),
        true => outside.hypot(above) * shorter,
        false => above,
    };
    let is_inside = value + error <= 0.0 && outside <= 0.0;
    let upper = if is_inside { ((value + error) / slope).max(outside) * shorter } else { f64::INFINITY };
    [if lower > 0.0 { lower } else { f64::NEG_INFINITY }, upper]
}

/// Whether a point surely is in the solid.
fn surely_inside(source: &dyn Implicit, point: DVec3) -> bool {
    value_bounds(source, point)[1] <= 0.0
}

/// A point of the solid that is near `point`, at most as far as `known`; `None` if steps down the
/// slope find none.
pub(super) fn projected(source: &dyn Implicit, point: DVec3, known: DVec3, grain: f64) -> Option<DVec3> {
    let (low, high) = source.bounding_box();
    let slope_at = |at: DVec3| {
        let along = |axis: DVec3| source.value(at + axis * grain) - source.value(at - axis * grain);
        DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z)) / (2.0 * grain)
    };
    let farthest = point.distance(known);
    let mut at = point;
    for step in 0..12 {
        let value = source.value(at);
        let slope = slope_at(at);
        let square = slope.length_squared();
        if !(square > 0.0 && value.is_finite()) {
            return None;
        }
        // A little deeper every time, so that a point inside is found and not only neared.
        let beyond = source.error() * 4.0 + f64::from(step) * 1e-12 * farthest;
        at = (at - slope * ((value + beyond) / square)).clamp(low, high);
        let way = at.distance(point);
        if way.is_nan() || way >= farthest {
            return None;
        }
        if surely_inside(source, at) {
            return Some(at);
        }
    }
    None
}

/// Where on the way from a point that is surely inside to one that is not the sides change: the last
/// points that surely are in the solid, and that surely are not.
fn crossing(source: &dyn Implicit, inside: DVec3, outside: DVec3) -> [DVec3; 2] {
    let (mut from, mut to) = (0.0, 1.0);
    let at = |t: f64| inside.lerp(outside, t);
    for _ in 0..40 {
        let middle = 0.5 * (from + to);
        if surely_inside(source, at(middle)) { from = middle } else { to = middle }
    }
    let mut beyond = to;
    while beyond < 1.0 && value_bounds(source, at(beyond))[0] <= 0.0 {
        beyond = (to + 2.0 * (beyond - to).max(1e-12)).min(1.0);
    }
    [at(from), at(beyond)]
}

/// For every grid point one of some points that is near, handed on from neighbour to neighbour in
/// sweeps along all diagonals.
fn handed_on(grid: &FieldGrid, seeds: &mut [Option<DVec3>]) {
    let steps = [grid.count[1] * grid.count[2], grid.count[2], 1];
    for _ in 0..2 {
        for signs in 0..8 {
            for place in grid.places() {
                let mut at = place;
                for (axis, index) in at.iter_mut().enumerate() {
                    if signs >> axis & 1 == 1 {
                        *index = grid.count[axis] - 1 - *index;
                    }
                }
                let (number, point) = (grid.number(at), grid.point(at));
                let mut best = seeds[number].map_or(f64::INFINITY, |seed| seed.distance_squared(point));
                for axis in 0..3 {
                    if place[axis] == 0 {
                        continue;
                    }
                    let backward = signs >> axis & 1 == 1;
                    let before = if backward { number + steps[axis] } else { number - steps[axis] };
                    if let Some(seed) = seeds[before]
                        && seed.distance_squared(point) < best
                    {
                        best = seed.distance_squared(point);
                        seeds[number] = Some(seed);
                    }
                }
            }
        }
    }
}

fn refuse<T>(kind: ErrorKind, message: String) -> Result<T> {
    Err(Error::new(kind, message))
}

/// Refuses a spacing that is no length.
pub(crate) fn check_spacing(spacing: f64) -> Result<()> {
    if spacing > 0.0 && spacing <= LARGEST_COORDINATE {
        return Ok(());
    }
    let message = format!("the spacing of a distance field must be positive and finite, not {}", Readable(spacing));
    refuse(ErrorKind::OutOfRange, message)
}

/// A grid around a box, or an error that says what is wrong with it.
pub(crate) fn checked_grid(low: DVec3, high: DVec3, spacing: f64) -> Result<FieldGrid> {
    check_spacing(spacing)?;
    let in_order = low.cmple(high).all() && low.abs().max(high.abs()).max_element() <= LARGEST_COORDINATE;
    if !in_order {
        let message =
            format!("the box of a distance field is no box, or not finite: {} to {}", Readable(low), Readable(high));
        return refuse(ErrorKind::OutOfRange, message);
    }
    FieldGrid::around_box(low, high, spacing)
}

impl SampledField {
    /// The field of an implicit function; an error if the solid has no point on the grid or between
    /// two of its points.
    pub(crate) fn of_implicit(source: Arc<dyn Implicit>, spacing: f64) -> Result<Self> {
        let (low, high) = source.bounding_box();
        let slope = source.lipschitz();
        if !(slope > 0.0 && slope.is_finite() && source.error() >= 0.0 && source.error().is_finite()) {
            let message = format!(
                "the Lipschitz bound of an implicit function must be positive and finite, and its error not \
                 negative: {} and {}",
                Readable(slope),
                Readable(source.error())
            );
            return refuse(ErrorKind::OutOfRange, message);
        }
        let grid = checked_grid(low, high, spacing)?;
        let values: Vec<[f64; 2]> = grid.places().map(|at| value_bounds(&*source, grid.point(at))).collect();
        let mut in_solid: Vec<Option<DVec3>> = vec![None; values.len()];
        let mut out_of_solid = in_solid.clone();
        let nearer = |slot: &mut Option<DVec3>, point: DVec3, to: DVec3| {
            if slot.is_none_or(|known| to.distance_squared(point) < to.distance_squared(known)) {
                *slot = Some(point);
            }
        };
        for at in grid.places() {
            let (number, point) = (grid.number(at), grid.point(at));
            let is_inside = values[number][1] <= 0.0;
            if is_inside {
                nearer(&mut in_solid[number], point, point);
            } else if values[number][0] > 0.0 {
                nearer(&mut out_of_solid[number], point, point);
            }
            for axis in 0..3 {
                let mut to = at;
                to[axis] += 1;
                if to[axis] == grid.count[axis] {
                    continue;
                }
                let (other, end) = (grid.number(to), grid.point(to));
                if is_inside != (values[other][1] <= 0.0) {
                    let (start, stop) = if is_inside { (point, end) } else { (end, point) };
                    let [inner, outer] = crossing(&*source, start, stop);
                    for (number, vertex) in [(number, point), (other, end)] {
                        nearer(&mut in_solid[number], inner, vertex);
                        if value_bounds(&*source, outer)[0] > 0.0 {
                            nearer(&mut out_of_solid[number], outer, vertex);
                        }
                    }
                }
            }
        }
        if in_solid.iter().all(Option::is_none) {
            let message =
                format!("the implicit function is positive on all of a grid of spacing {}", Readable(spacing));
            return refuse(ErrorKind::Empty, message);
        }
        handed_on(&grid, &mut in_solid);
        handed_on(&grid, &mut out_of_solid);
        let sample = |at: [usize; 3]| {
            let (number, point) = (grid.number(at), grid.point(at));
            let [lower, upper] = values[number];
            let way = |to: Option<DVec3>| to.map_or(high - low, |to| to - point);
            if upper < 0.0 {
                Sample::inside(-upper, way(out_of_solid[number]))
            } else if lower > 0.0 {
                Sample::outside(lower, way(in_solid[number]))
            } else {
                Sample::open(way(in_solid[number]))
            }
        };
        let samples: Vec<Sample> = grid.places().map(sample).collect();
        if samples.iter().any(|sample| !sample.is_finite()) {
            let message = "the implicit function has values that are too large for a distance field".to_string();
            return refuse(ErrorKind::NotFinite, message);
        }
        Ok(Self::new(grid, &samples, Some(source)))
    }
}
