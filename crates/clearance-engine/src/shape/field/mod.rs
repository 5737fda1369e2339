//! Solids that are known by a function: signed distances at the points of a grid, and implicit
//! functions with a Lipschitz bound.
//!
//! Of every point of the grid a [`Sample`] has a bound of the distance, the side, and a point that
//! is no nearer than the nearest one of the surface. Two bounds follow for any point p, and their
//! difference is at most the field's [`error`](SampledField::error).
//!
//! # The lower bound
//! A distance changes by no more than the way between two points: `d(p) ≥ d(v) − |p − v|` for every
//! grid point v around. Outside, the square of the distance less |p|² is the least of functions that
//! are linear in p, hence concave: with the weights wᵢ of trilinear interpolation, the edge h of a
//! cell and the position f in it, `d²(p) ≥ Σ wᵢ·dᵢ² − h²·Σ f(1 − f)`. That is off by the second order
//! alone. A point outside of the grid has a nearest point q in it, and all of the solid is on the
//! other side of q: `d²(p) ≥ |p − q|² + d²(q)`.
//!
//! # The upper bound
//! The solid has the point that the sample of v leads to: `d(p) ≤ |p − (v + offset)|`, which is off
//! by the second order too. A grid point that is inside by depth t makes `d(p) ≤ |p − v| − t`.
//!
//! # Rounding
//! Values are rounded down to `f32` towards zero; an offset is within 2⁻²³ of its length. Grid points,
//! positions and the bounds take fewer than 64 roundings of the coordinates in them, which are added
//! and subtracted once, with as much of the spacing as offsets may lack ([`SampledField::rounding`]).

mod implicit;

pub use implicit::Implicit;
pub(crate) use implicit::checked_grid;

use crate::math::{DMat3, DVec3, UNIT_ROUNDOFF, f32_above, f32_below};
use crate::{Error, ErrorKind, Pose, Readable, Result};
use std::sync::Arc;

/// The most points of a grid: their samples take 512 MB, and some 4 GB while they are made.
const MAX_SAMPLES: f64 = 33_554_432.0;
/// The most points along an axis: squares of their numbers fit in 32 bits.
const MAX_COUNT: f64 = 16_384.0;
/// By how much offsets may be off, as a part of their length.
const OFFSET: f64 = 1.0 / 8_388_608.0;

/// What is known of the solid at a point of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sample {
    /// Outside: the solid is at least this far away. Negative inside: the point is at least so deep.
    /// A negative zero tells nothing: the side is open, and so is the depth.
    pub value: f32,
    /// Outside, and where the side is open: the way to a point of the solid. Inside: to a point that
    /// is not inside.
    pub offset: [f32; 3],
}

impl Sample {
    /// A sample where no solid is.
    pub(crate) const OF_NOTHING: Self = Self { value: f32::INFINITY, offset: [f32::INFINITY; 3] };

    /// A sample that surely is not inside.
    pub(crate) fn outside(lower: f64, offset: DVec3) -> Self {
        // The sum is no negative zero.
        Self { value: f32_below(lower.max(0.0)).max(0.0) + 0.0, offset: offset.as_vec3().to_array() }
    }

    /// A sample that may be inside, however deep, or outside.
    pub(crate) fn open(offset: DVec3) -> Self {
        Self { value: -0.0, offset: offset.as_vec3().to_array() }
    }

    /// A sample inside, at least so deep.
    pub(crate) fn inside(depth: f64, offset: DVec3) -> Self {
        let depth = f32_below(depth);
        // What is not deep enough for a number is of the solid itself.
        if depth > 0.0 { Self { value: -depth, offset: offset.as_vec3().to_array() } } else { Self::open(DVec3::ZERO) }
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.value.is_finite() && self.offset.iter().all(|x| x.is_finite())
    }

    fn offset(&self) -> DVec3 {
        DVec3::from_array(self.offset.map(f64::from))
    }

    /// At most the signed distance, given the offset's length.
    fn lower(&self, length: f64) -> f64 {
        if self.is_inside() { -length * (1.0 + OFFSET) } else { f64::from(self.value) }
    }

    fn is_inside(&self) -> bool {
        self.value < 0.0
    }

    /// Whether it bounds signed distances from below.
    #[inline(always)]
    fn tells(&self) -> bool {
        self.value.to_bits() != (-0.0_f32).to_bits()
    }

    /// By how much its bounds are apart at its own grid point.
    fn width(&self) -> f64 {
        (self.offset().length() * (1.0 + OFFSET) - f64::from(self.value.abs())).max(0.0)
    }
}

/// Bounds of the signed distance of a point from a solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FieldBounds {
    /// The signed distance, negative inside, is at least this.
    pub lower: f64,
    /// The signed distance is at most this; not positive only for points that surely are in the solid.
    pub upper: f64,
    /// A point of the solid but for the rounding of samples (2⁻²³ of the way), no farther than `upper`;
    /// the point itself if that is inside.
    pub nearest: DVec3,
}

/// Signed distances of a solid at the points of a regular grid, with bounds between them.
#[derive(Clone)]
pub struct SampledField {
    low: DVec3,
    spacing: f64,
    /// Grid points along each axis.
    count: [usize; 3],
    /// By the first axis, so that a copy shares what does not change.
    slabs: Vec<Arc<[Sample]>>,
    /// Of every grid cell, by its low corner, whether all of it is in the solid.
    full: Option<Arc<[u64]>>,
    source: Option<Arc<dyn Implicit>>,
    error: f64,
}

impl std::fmt::Debug for SampledField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SampledField of {:?} points, {} apart", self.count, self.spacing)
    }
}

/// Where a grid stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FieldGrid {
    pub low: DVec3,
    pub spacing: f64,
    pub count: [usize; 3],
}

impl FieldGrid {
    /// A grid around a box, with a rim of two cells.
    pub fn around_box(low: DVec3, high: DVec3, spacing: f64) -> Result<Self> {
        let counts = ((high - low) / spacing).ceil().max(DVec3::ONE) + 5.0;
        let count = Self::checked(counts)?;
        let wide = (counts - 1.0) * spacing;
        let low = low + (high - low) * 0.5 - wide * 0.5;
        if low + spacing != low && f32_above(spacing).is_normal() {
            return Ok(Self { low, spacing, count });
        }
        let message = format!(
            "points every {} are too near to each other for a distance field at {}: coordinates cannot tell them apart",
            Readable(spacing),
            Readable(low)
        );
        Err(Error::new(ErrorKind::OutOfRange, message))
    }

    /// Numbers of points along the axes; an error, before any memory is asked for, if they are too
    /// many.
    pub fn checked(counts: DVec3) -> Result<[usize; 3]> {
        // What is not a number is too large too.
        if counts.max_element() <= MAX_COUNT && counts.element_product() <= MAX_SAMPLES {
            return Ok(counts.to_array().map(|count| count as usize));
        }
        let message = format!(
            "a distance field of {} by {} by {} points is too large: at most {MAX_COUNT} along an axis and \
             {MAX_SAMPLES} in all; a larger spacing or a smaller box has fewer",
            Readable(counts.x),
            Readable(counts.y),
            Readable(counts.z)
        );
        Err(Error::new(ErrorKind::TooLarge, message))
    }

    /// The place of a grid point.
    #[inline(always)]
    pub fn point(&self, [i, j, k]: [usize; 3]) -> DVec3 {
        self.low + DVec3::new(i as f64, j as f64, k as f64) * self.spacing
    }

    pub fn total(&self) -> usize {
        self.count.iter().product()
    }

    #[inline(always)]
    pub fn number(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * self.count[1] + j) * self.count[2] + k
    }

    /// All grid points, in the order of their numbers.
    pub fn places(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let [x, y, z] = self.count;
        (0..x).flat_map(move |i| (0..y).flat_map(move |j| (0..z).map(move |k| [i, j, k])))
    }

    /// The grid points around a cell with this low corner.
    pub fn around([i, j, k]: [usize; 3]) -> [[usize; 3]; 8] {
        [0, 1, 2, 3, 4, 5, 6, 7].map(|corner| [i + (corner >> 2), j + (corner >> 1 & 1), k + (corner & 1)])
    }
}

/// A point in a grid.
struct Place {
    cell: [usize; 3],
    /// Where in the cell, from 0 to 1.
    share: DVec3,
    /// The nearest point of the grid's box, and how far away that is.
    within: DVec3,
    away: f64,
}

impl SampledField {
    /// The samples stand in the order of [`FieldGrid::places`]; the solid is within the grid's box.
    pub(crate) fn new(grid: FieldGrid, samples: &[Sample], source: Option<Arc<dyn Implicit>>) -> Self {
        let FieldGrid { low, spacing, count } = grid;
        let slabs = samples.chunks(count[1] * count[2]).map(Arc::from).collect();
        let mut field = Self { low, spacing, count, slabs, full: None, source, error: 0.0 };
        field.measure();
        field
    }

    /// Takes other samples for some of the slabs, and the cells that are in the solid as a whole.
    pub(crate) fn change(&mut self, slabs: impl IntoIterator<Item = (usize, Arc<[Sample]>)>, full: Arc<[u64]>) {
        for (number, slab) in slabs {
            self.slabs[number] = slab;
        }
        self.full = Some(full);
        self.measure();
    }

    /// Finds the error: nearest grid points are half a diagonal of a cell away, and all those around a
    /// whole one.
    fn measure(&mut self) {
        let diagonal = 3.0_f64.sqrt() * self.spacing;
        let samples = || self.slabs.iter().flat_map(|slab| slab.iter());
        let told = samples().filter(|sample| sample.tells()).map(|sample| sample.width() + diagonal);
        let mut widest = told.fold(diagonal, f64::max);
        if !samples().all(Sample::tells) {
            let cells = FieldGrid { count: self.count.map(|count| count - 1), ..self.grid() };
            widest = cells.places().map(|cell| self.width_around_open(cell)).fold(widest, f64::max);
        }
        self.error = widest + 4.0 * self.rounding(DVec3::ZERO);
    }

    /// By how much bounds in a cell may be apart if a grid point around it tells nothing: another one
    /// that tells is no farther than a diagonal, and with none the whole grid is as deep.
    fn width_around_open(&self, cell: [usize; 3]) -> f64 {
        let diagonal = 3.0_f64.sqrt() * self.spacing;
        let around = FieldGrid::around(cell).map(|at| self.sample(at));
        if around.iter().all(|sample| sample.tells()) {
            return 0.0;
        }
        let told = around.iter().filter(|sample| sample.tells()).map(|sample| sample.width() + 2.0 * diagonal);
        let open = around.iter().map(|sample| sample.width() + diagonal + self.diagonal());
        told.chain(open).fold(f64::INFINITY, f64::min)
    }

    pub(crate) fn grid(&self) -> FieldGrid {
        FieldGrid { low: self.low, spacing: self.spacing, count: self.count }
    }

    /// The distance of neighbouring grid points.
    pub fn spacing(&self) -> f64 {
        self.spacing
    }

    /// The number of grid points along each axis.
    pub fn count(&self) -> [usize; 3] {
        self.count
    }

    /// The most by which the two bounds of a point in the grid's box are apart.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The low and high corner of the grid's box, which holds the solid.
    pub fn bounding_box(&self) -> (DVec3, DVec3) {
        (self.low, self.grid().point(self.count.map(|count| count - 1)))
    }

    /// The memory of the samples, in bytes.
    pub fn memory(&self) -> usize {
        self.slabs.iter().map(|slab| size_of_val(&slab[..])).sum()
    }

    /// The function that it was made of, if any.
    pub fn source(&self) -> Option<&Arc<dyn Implicit>> {
        self.source.as_ref()
    }

    /// What is known at a grid point.
    #[inline(always)]
    pub(crate) fn sample(&self, [i, j, k]: [usize; 3]) -> &Sample {
        &self.slabs[i][j * self.count[2] + k]
    }

    pub(crate) fn slab(&self, number: usize) -> &Arc<[Sample]> {
        &self.slabs[number]
    }

    /// By how much points of surface cells may be off.
    pub(crate) fn offset_error(&self) -> f64 {
        4.0 * OFFSET * self.error
    }

    /// Whether all of a cell is in the solid, as far as its source told.
    fn is_full(&self, cell: [usize; 3]) -> bool {
        let number = self.grid().number(cell);
        self.full.as_ref().is_some_and(|full| full[number / 64] >> (number % 64) & 1 == 1)
    }

    /// No point of the solid is deeper.
    fn diagonal(&self) -> f64 {
        let (low, high) = self.bounding_box();
        low.distance(high)
    }

    /// How small a piece of a body may be for bounds to be still worth improving.
    pub(crate) fn grain(&self) -> f64 {
        self.spacing * if self.source.is_some() { 1.0 / 1024.0 } else { 1.0 / 16.0 }
    }

    /// By how much grid points and positions may be off.
    #[inline(always)]
    fn place_rounding(&self, point: DVec3) -> f64 {
        let size = self.low.abs().max_element()
            + self.spacing * (self.count[0] + self.count[1] + self.count[2]) as f64
            + point.abs().max_element();
        128.0 * UNIT_ROUNDOFF * size
    }

    /// By how much a bound at a point may be off.
    #[inline(always)]
    fn rounding(&self, point: DVec3) -> f64 {
        self.place_rounding(point) + OFFSET * self.spacing
    }

    #[inline(always)]
    fn place(&self, point: DVec3) -> Place {
        let at = (point - self.low) / self.spacing;
        let lane = |at: f64, count: usize| (at.max(0.0) as usize).min(count - 2);
        let cell = [lane(at.x, self.count[0]), lane(at.y, self.count[1]), lane(at.z, self.count[2])];
        let share = at - DVec3::new(cell[0] as f64, cell[1] as f64, cell[2] as f64);
        let clamped = share.clamp(DVec3::ZERO, DVec3::ONE);
        if share == clamped {
            return Place { cell, share, within: point, away: 0.0 };
        }
        let within = self.grid().point(cell) + clamped * self.spacing;
        Place { cell, share: clamped, within, away: point.distance(within) }
    }

    /// Whether a point is where the error is that of the samples.
    pub(crate) fn is_in_grid(&self, point: DVec3) -> bool {
        let (low, high) = self.bounding_box();
        low.cmple(point).all() && point.cmple(high).all()
    }

    /// A lower bound of the signed distance from a look at one grid point.
    #[inline]
    pub(crate) fn coarse_lower(&self, point: DVec3) -> f64 {
        let Place { cell, share, within, away } = self.place(point);
        let lower = self.lower_by_nearest(cell, share, within);
        let lower = if away > 0.0 { away.hypot(lower.max(0.0)) } else { lower };
        lower - self.rounding(point)
    }

    /// What the nearest grid point says of the distance of a point in the grid's box.
    #[inline(always)]
    fn lower_by_nearest(&self, cell: [usize; 3], share: DVec3, within: DVec3) -> f64 {
        let nearest = [0, 1, 2].map(|axis| cell[axis] + usize::from(share[axis] >= 0.5));
        let sample = self.sample(nearest);
        if !sample.tells() {
            return -self.diagonal();
        }
        let length = if sample.is_inside() { sample.offset().length() } else { 0.0 };
        sample.lower(length) - within.distance(self.grid().point(nearest))
    }

    /// Bounds of the signed distance of a point, no wider than the [error](Self::error) in the grid's
    /// box.
    ///
    /// ```
    /// use clearance_engine::{math::DVec3, shape::Cuboid, tree::{DistanceField, Solid}};
    /// let field = DistanceField::of(&Solid::new(Cuboid::new(1.0, 1.0, 1.0)?), 0.05)?;
    /// let bounds = field.field().bounds(DVec3::new(0.6, 0.1, 0.2));
    /// assert!(bounds.lower <= 0.1 && 0.1 <= bounds.upper && bounds.upper - bounds.lower <= field.error());
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn bounds(&self, point: DVec3) -> FieldBounds {
        self.sharpened(point, self.sampled_bounds(point))
    }

    /// A lower bound of the signed distance, from all that is known.
    pub(crate) fn lower(&self, point: DVec3) -> f64 {
        let sampled = self.sampled_bounds(point).lower;
        self.source.as_ref().map_or(sampled, |source| sampled.max(implicit::value_bounds(&**source, point)[0]))
    }

    /// What the samples say.
    fn sampled_bounds(&self, point: DVec3) -> FieldBounds {
        let Place { cell, share, within, away } = self.place(point);
        let grid = self.grid();
        let (mut squares, mut least, mut reached) = (0.0, f64::INFINITY, point);
        let (mut outside, mut all_tell) = (true, true);
        for (corner, at) in FieldGrid::around(cell).into_iter().enumerate() {
            let (sample, vertex) = (self.sample(at), grid.point(at));
            let to = vertex + sample.offset();
            let square = point.distance_squared(to);
            if square < least {
                (least, reached) = (square, to);
            }
            outside &= !sample.is_inside();
            all_tell &= sample.tells();
            let weight = |axis: usize, up: usize| if up == 1 { share[axis] } else { 1.0 - share[axis] };
            let weight = weight(0, corner >> 2) * weight(1, corner >> 1 & 1) * weight(2, corner & 1);
            squares += weight * f64::from(sample.value) * f64::from(sample.value);
        }
        let way = least.sqrt();
        // No offset is longer than the way by both of its ends.
        let upper = way + OFFSET * (way + 2.0 * self.spacing + away);
        let mut found = FieldBounds { lower: f64::NEG_INFINITY, upper, nearest: reached };
        let mut lower = self.lower_by_nearest(cell, share, within);
        let mut root = 0.0;
        if outside {
            let bent = (share * (DVec3::ONE - share)).element_sum() * self.spacing * self.spacing;
            let square = squares * (1.0 - 64.0 * UNIT_ROUNDOFF) - bent * (1.0 + 64.0 * UNIT_ROUNDOFF);
            // Grid points and positions are rounded, which a root near zero makes more of.
            let off = self.place_rounding(point) * (2.0 * self.spacing + squares.sqrt());
            root = (square - off).max(0.0).sqrt();
            if root > 0.0 {
                lower = lower.max(root);
            }
        }
        // A square that is not positive says nothing: there may be an inside between the grid points.
        if root <= 0.0 || !all_tell {
            for at in FieldGrid::around(cell) {
                let (sample, vertex) = (self.sample(at), grid.point(at));
                let length = sample.offset().length();
                if sample.tells() {
                    lower = lower.max(sample.lower(length) - within.distance(vertex));
                }
                if sample.is_inside() {
                    // What is not inside is as near.
                    lower = lower.max(-within.distance(vertex + sample.offset()) - OFFSET * length);
                    let value = f64::from(sample.value);
                    let upper = point.distance(vertex) + value;
                    if upper < found.upper {
                        // A sphere about the vertex is in the solid.
                        let nearest = if upper <= 0.0 { point } else { vertex + (point - vertex).normalize() * -value };
                        found = FieldBounds { upper, nearest, ..found };
                    }
                }
            }
        }
        if away > 0.0 {
            lower = away.hypot(lower.max(0.0));
        } else if self.is_full(cell) && found.upper > 0.0 {
            found = FieldBounds { upper: 0.0, nearest: point, ..found };
        }
        let rounding = self.rounding(point);
        found.lower = lower.max(-self.diagonal()) - rounding;
        if found.upper > 0.0 {
            found.upper += rounding;
        } else {
            // What is as deep as rounding is inside all the same, if nothing but `is_full` tells.
            found.upper = (found.upper + rounding).min(0.0);
        }
        found
    }

    /// The bounds with what the function itself says.
    fn sharpened(&self, point: DVec3, mut found: FieldBounds) -> FieldBounds {
        let Some(source) = &self.source else { return found };
        let [lower, upper] = implicit::value_bounds(&**source, point);
        found.lower = found.lower.max(lower);
        // Roundings of a function that is exact may cross.
        let in_order = |found: FieldBounds| FieldBounds { lower: found.lower.min(found.upper), ..found };
        if upper <= 0.0 {
            return in_order(FieldBounds { upper: found.upper.min(upper), nearest: point, ..found });
        }
        if found.upper > 0.0
            && let Some(nearest) = implicit::projected(&**source, point, found.nearest, self.grain())
        {
            let way = nearest.distance(point) * (1.0 + 8.0 * UNIT_ROUNDOFF);
            if way < found.upper {
                found = FieldBounds { upper: way, nearest, ..found };
            }
        }
        in_order(found)
    }

    /// A point that is not inside, no nearer than the surface, for a point that is inside.
    pub(crate) fn way_out(&self, point: DVec3) -> Option<DVec3> {
        let cell = self.place(point).cell;
        let inside = FieldGrid::around(cell).into_iter().filter(|&at| self.sample(at).is_inside());
        let reached = inside.map(|at| self.grid().point(at) + self.sample(at).offset());
        reached.min_by(|p, q| point.distance_squared(*p).total_cmp(&point.distance_squared(*q)))
    }

    /// The middle and half the edge of every cell that may hold points of the solid.
    pub(crate) fn solid_cells(&self) -> impl Iterator<Item = (DVec3, f64)> {
        let half = 0.5 * self.spacing;
        let reach = half * 3.0_f64.sqrt();
        let grid = FieldGrid { count: self.count.map(|count| count - 1), ..self.grid() };
        let centers = grid.places().map(move |place| grid.point(place) + half);
        centers.filter(move |center| self.lower(*center) <= reach).map(move |center| (center, half))
    }

    /// The cells that may hold points of the surface, or of a solid without an inside, with a point of
    /// the solid that is near.
    pub(crate) fn surface_cells(&self) -> Vec<FieldCell> {
        let half = 0.5 * self.spacing;
        let reach = half * 3.0_f64.sqrt();
        let [x, y, z] = self.count.map(|count| count - 1);
        let mut cells = Vec::new();
        for place in (FieldGrid { count: [x, y, z], ..self.grid() }).places() {
            let center = self.grid().point(place) + half;
            if self.coarse_lower(center) > 2.0 * reach {
                continue;
            }
            let bounds = self.bounds(center);
            // A solid of one cell has no inside that the depth of its middle could tell.
            if bounds.lower <= reach && bounds.upper >= -reach {
                let half_axes = DMat3::from_diagonal(DVec3::splat(half));
                cells.push(FieldCell { center, half_axes, inside: bounds.nearest });
            }
        }
        cells
    }

    /// Points of the solid, of every body that is nearest to a grid point or to a surface cell one: a
    /// body has grid points around it that are no farther away than the diagonal of a cell.
    pub(crate) fn points_of_bodies(&self, cells: &[FieldCell]) -> Vec<DVec3> {
        let reach = 3.0_f64.sqrt() * self.spacing;
        let mut points: Vec<DVec3> = cells.iter().map(|cell| cell.inside).collect();
        for at in self.grid().places() {
            let sample = self.sample(at);
            if f64::from(sample.value.abs()) <= reach {
                let way = if sample.is_inside() { DVec3::ZERO } else { sample.offset() };
                points.push(self.grid().point(at) + way);
            }
        }
        let by_place = |p: &DVec3, q: &DVec3| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z));
        points.sort_unstable_by(by_place);
        points.dedup();
        points
    }
}

/// A box that may hold points of a solid, and a point of the solid that is near.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FieldCell {
    /// The middle of the box.
    pub center: DVec3,
    /// From there to three of its faces.
    pub half_axes: DMat3,
    /// A point of the solid.
    pub inside: DVec3,
}

impl FieldCell {
    /// How far it reaches from its middle along a direction, and against it.
    pub(crate) fn reach(&self, direction: DVec3) -> f64 {
        (self.half_axes.transpose() * direction).abs().element_sum()
    }

    /// The cell after a rigid motion, rounded.
    pub(crate) fn moved(&self, pose: &Pose) -> Self {
        Self {
            center: pose.transform_point(self.center),
            half_axes: *pose.rotation() * self.half_axes,
            inside: pose.transform_point(self.inside),
        }
    }
}

/// Who knows bounds of the distances of points outside of a field's grid.
pub(crate) trait FarBounds: Sync {
    /// Bounds of the distance of a point, in the field's coordinates; none for a field of nothing.
    fn far_bounds(&self, point: DVec3) -> Option<FieldBounds>;
}

/// A field where a pose has it.
#[derive(Clone, Copy)]
pub(crate) struct PlacedField<'f> {
    field: &'f SampledField,
    far: &'f dyn FarBounds,
    from_field: Pose,
    to_field: Pose,
}

impl<'f> PlacedField<'f> {
    pub fn new(field: &'f SampledField, far: &'f dyn FarBounds, from_field: &Pose) -> Self {
        Self { field, far, from_field: *from_field, to_field: from_field.inverse() }
    }

    pub fn field(&self) -> &'f SampledField {
        self.field
    }

    /// The same after a rigid motion.
    pub fn moved(&self, pose: &Pose) -> Self {
        Self::new(self.field, self.far, &pose.then(&self.from_field))
    }

    #[inline]
    pub fn coarse_lower(&self, point: DVec3) -> f64 {
        self.field.coarse_lower(self.to_field.transform_point(point))
    }

    pub fn lower(&self, point: DVec3) -> f64 {
        let point = self.to_field.transform_point(point);
        let lower = self.field.lower(point);
        if self.field.is_in_grid(point) {
            return lower;
        }
        self.far.far_bounds(point).map_or(lower, |far| lower.max(far.lower))
    }

    pub fn bounds(&self, point: DVec3) -> FieldBounds {
        let point = self.to_field.transform_point(point);
        let mut found = self.field.sampled_bounds(point);
        if !self.field.is_in_grid(point)
            && let Some(far) = self.far.far_bounds(point)
        {
            let lower = found.lower.max(far.lower);
            found = FieldBounds { lower, ..if far.upper < found.upper { far } else { found } };
        }
        let found = self.field.sharpened(point, found);
        FieldBounds { nearest: self.from_field.transform_point(found.nearest), ..found }
    }
}
