//! Shapes against solids that are known by signed distances: branch and bound over pieces of the shape.
//!
//! A piece is as far away as its middle is, less its reach. Where that is more than its reach,
//! its vertices say more: the square of a distance less |p|² is concave, so that with the weights of
//! any p in the piece `d²(p) ≥ Σ wᵢ·dᵢ² − Σ wᵢ·|p − vᵢ|²`, and the last sum is at most the squared
//! radius of a sphere around the piece. That error shrinks with the square of its size: some pieces
//! of each size are looked at, and not ever more of them. Middles give upper bounds. Pieces of curved
//! solids and polyhedra are boxes that stick out by their own size, so that of these ever more are
//! looked at. The search ends where the nearest piece is no nearer than what the field knows of the
//! nearest point, where that piece is as small as the field's grain, or after [`MAX_PIECES`].
//!
//! What is not decided then counts as overlapping, and has a negative lower bound of its distance.
//!
//! Cost: 0.1 µs for a sphere, some µs for other shapes, tens near contact.

use super::{ClosestPoints, Proximity, Shape, SharedPoints};
use crate::math::{DMat3, DVec3, UNIT_ROUNDOFF};
use crate::shape::{Convex, FieldCell, HalfSpaceOrPlane, PlacedField, Primitive};
use crate::{Pose, Triangle};
use smallvec::{SmallVec, smallvec};

/// The most pieces that one shape is cut into.
const MAX_PIECES: usize = 2000;
/// How much of the interval at the nearest point more may stay open.
const SHARE: f64 = 0.1;
/// More than the roundings of a few lengths.
const WIDER: f64 = 1.0 + 16.0 * UNIT_ROUNDOFF;

impl Shape for PlacedField<'_> {
    fn transformed(&self, pose: &Pose) -> Self {
        self.moved(pose)
    }
}

impl Shape for FieldCell {
    fn transformed(&self, pose: &Pose) -> Self {
        self.moved(pose)
    }
}

/// A part of a shape that can be cut further.
trait Piece: Sized + Copy {
    /// The whole that it is a piece of.
    type Whole;

    fn middle(&self) -> DVec3;

    /// The radius of a sphere about the middle around it.
    fn reach(&self) -> f64;

    fn vertices(&self) -> SmallVec<[DVec3; 8]>;

    /// Smaller pieces that cover what it has of the shape.
    fn cut(&self, whole: &Self::Whole) -> SmallVec<[Self; 8]>;

    /// A point of the shape near the middle; `None` if the piece surely has no point of it.
    fn point(&self, whole: &Self::Whole) -> Option<DVec3>;
}

impl Piece for Triangle {
    type Whole = ();

    fn middle(&self) -> DVec3 {
        (self.0[0] + self.0[1] + self.0[2]) / 3.0
    }

    fn reach(&self) -> f64 {
        let middle = self.middle();
        self.0.iter().map(|vertex| vertex.distance_squared(middle)).fold(0.0, f64::max).sqrt() * WIDER
    }

    fn vertices(&self) -> SmallVec<[DVec3; 8]> {
        SmallVec::from_slice(&self.0)
    }

    fn cut(&self, (): &()) -> SmallVec<[Self; 8]> {
        let [a, b, c] = self.0;
        let [ab, bc, ca] = [(a + b) * 0.5, (b + c) * 0.5, (c + a) * 0.5];
        // Of a needle only the long side is halved, so that pieces get round.
        let lengths = [a.distance_squared(b), b.distance_squared(c), c.distance_squared(a)];
        let longest = lengths[0].max(lengths[1]).max(lengths[2]);
        if lengths.iter().any(|length| *length * 9.0 < longest) {
            return if longest == lengths[0] {
                smallvec![Triangle([a, ab, c]), Triangle([ab, b, c])]
            } else if longest == lengths[1] {
                smallvec![Triangle([a, b, bc]), Triangle([a, bc, c])]
            } else {
                smallvec![Triangle([a, b, ca]), Triangle([ca, b, c])]
            };
        }
        smallvec![Triangle([a, ab, ca]), Triangle([ab, b, bc]), Triangle([ca, bc, c]), Triangle([ab, bc, ca])]
    }

    fn point(&self, (): &()) -> Option<DVec3> {
        Some(self.middle())
    }
}

/// A box that holds a part of a solid's core.
#[derive(Debug, Clone, Copy)]
struct CorePiece {
    middle: DVec3,
    half_axes: DMat3,
    /// Whether all of it is in the core.
    is_inside: bool,
}

impl CorePiece {
    /// The box around a core, along axes of its own.
    fn around(solid: &Primitive) -> Self {
        let turned = |axis: DVec3, radius: f64, half: f64| {
            let (u, v) = axis.any_orthonormal_pair();
            DMat3::from_cols(u * radius, v * radius, axis * half)
        };
        let along = |axes: &DMat3, half: DVec3| {
            DMat3::from_cols(axes.x_axis * half.x, axes.y_axis * half.y, axes.z_axis * half.z)
        };
        let center = solid.center();
        let (middle, half_axes) = match solid {
            Primitive::Sphere(_) => (center, DMat3::ZERO),
            Primitive::Capsule(capsule) => (center, DMat3::from_cols(DVec3::ZERO, DVec3::ZERO, capsule.half())),
            Primitive::Cuboid(cuboid) => (center, along(cuboid.axes(), cuboid.half())),
            Primitive::Ellipsoid(ellipsoid) => (center, along(ellipsoid.axes(), ellipsoid.half())),
            Primitive::Cylinder(cylinder) => {
                (center, turned(cylinder.axis(), cylinder.radius(), cylinder.half_length()))
            }
            Primitive::Cone(cone) => (center, turned(cone.axis(), cone.radius(), cone.half_length())),
            Primitive::ConvexPolyhedron(_) => {
                let high = DVec3::from_array(DVec3::AXES.map(|axis| solid.support(axis).dot(axis)));
                let low = DVec3::from_array(DVec3::AXES.map(|axis| solid.support(-axis).dot(axis)));
                (center + (low + high) * 0.5, DMat3::from_diagonal((high - low) * 0.5))
            }
        };
        let is_inside = matches!(solid, Primitive::Sphere(_) | Primitive::Capsule(_) | Primitive::Cuboid(_));
        // Support points and axes are within some roundings.
        Self { middle, half_axes: half_axes * (1.0 + 64.0 * UNIT_ROUNDOFF), is_inside }
    }
}

impl Piece for CorePiece {
    type Whole = Primitive;

    fn middle(&self) -> DVec3 {
        self.middle
    }

    fn reach(&self) -> f64 {
        let [x, y, z] = [self.half_axes.x_axis, self.half_axes.y_axis, self.half_axes.z_axis];
        (x.length_squared() + y.length_squared() + z.length_squared()).sqrt() * WIDER
    }

    fn vertices(&self) -> SmallVec<[DVec3; 8]> {
        let mut vertices: SmallVec<[DVec3; 8]> = smallvec![self.middle];
        for axis in [self.half_axes.x_axis, self.half_axes.y_axis, self.half_axes.z_axis] {
            if axis != DVec3::ZERO {
                vertices = vertices.iter().flat_map(|vertex| [*vertex - axis, *vertex + axis]).collect();
            }
        }
        vertices
    }

    /// Halves the longest sides.
    fn cut(&self, solid: &Primitive) -> SmallVec<[Self; 8]> {
        let mut axes = [self.half_axes.x_axis, self.half_axes.y_axis, self.half_axes.z_axis];
        let longest = axes.iter().map(|axis| axis.length_squared()).fold(0.0, f64::max);
        let mut middles: SmallVec<[DVec3; 8]> = smallvec![self.middle];
        for axis in &mut axes {
            if axis.length_squared() * 3.0 > longest {
                *axis *= 0.5;
                middles = middles.iter().flat_map(|middle| [*middle - *axis, *middle + *axis]).collect();
            }
        }
        let half_axes = DMat3::from_cols(axes[0], axes[1], axes[2]);
        let piece = |middle| {
            let mut piece = Self { middle, half_axes, ..*self };
            piece.is_inside |= solid_has_box(solid, &piece);
            piece
        };
        middles.into_iter().map(piece).collect()
    }

    fn point(&self, solid: &Primitive) -> Option<DVec3> {
        if self.is_inside {
            return Some(self.middle);
        }
        let offset = self.middle - solid.center();
        let nearest = solid.surely_nearest(offset);
        let error = 64.0 * UNIT_ROUNDOFF * (solid.bounding_radius() + offset.length());
        (nearest.distance(offset) <= self.reach() + error).then_some(solid.center() + nearest)
    }
}

/// Whether a core that is curved has all of a box. Nothing depends on it but time.
fn solid_has_box(solid: &Primitive, piece: &CorePiece) -> bool {
    let within = |vertex: DVec3| {
        let offset = vertex - solid.center();
        solid.surely_nearest(offset) == offset
    };
    matches!(solid, Primitive::Ellipsoid(_)) && piece.vertices().into_iter().all(within)
}

/// What is known of the distance of a shape's core, whose radius was not taken off.
struct Found {
    lower: f64,
    upper: f64,
    /// What the field knows of the distance of the point that is `upper` away.
    known: f64,
    point: DVec3,
    nearest: DVec3,
}

/// What a search needs to know.
struct Search<'q, W> {
    field: &'q PlacedField<'q>,
    whole: &'q W,
    /// The shape's radius around its core.
    radius: f64,
    /// Cores that are certainly so far away need not be looked at.
    limit: f64,
    /// Only whether they overlap matters.
    is_contact: bool,
}

impl<W> Search<'_, W> {
    /// At most the distance of a piece, after looking at its middle.
    fn bound<P: Piece<Whole = W>>(&self, piece: &P, found: &mut Found) -> Option<f64> {
        let (middle, reach) = (piece.middle(), piece.reach());
        let enough = self.limit.min(found.upper);
        if self.field.coarse_lower(middle) - reach >= enough {
            return None;
        }
        let point = piece.point(self.whole)?;
        let bounds = self.field.bounds(point);
        if bounds.upper < found.upper {
            *found = Found { upper: bounds.upper, known: bounds.lower, point, nearest: bounds.nearest, ..*found };
        }
        let at_middle = if point == middle { bounds.lower } else { self.field.lower(middle) };
        let mut lower = at_middle - reach;
        if reach > 0.0 && lower > 0.0 && lower < enough {
            let vertices = piece.vertices();
            let least = vertices.into_iter().map(|vertex| self.field.lower(vertex)).fold(f64::INFINITY, f64::min);
            let square = least * least - reach * reach;
            if least > 0.0 && square > 0.0 {
                lower = lower.max(square.sqrt() * (1.0 - 4.0 * UNIT_ROUNDOFF));
            }
        }
        (lower < enough).then_some(lower)
    }

    /// The distance of the core; `None` if it certainly is the limit or more.
    fn run<P: Piece<Whole = W>>(&self, first: P) -> Option<Found> {
        let (unknown, middle) = (f64::INFINITY, first.middle());
        let mut found = Found { lower: unknown, upper: unknown, known: unknown, point: middle, nearest: middle };
        // The nearest one last.
        let mut pieces: SmallVec<[(f64, P); 16]> = SmallVec::new();
        if let Some(lower) = self.bound(&first, &mut found) {
            pieces.push((lower, first));
        }
        let grain = self.field.field().grain();
        let mut count = 1;
        while let Some((lower, piece)) = pieces.pop() {
            let decided = self.is_contact && (found.upper <= self.radius || lower > self.radius);
            // No piece will have a bound above what is known of the best point.
            let enough = found.known - SHARE * (found.upper - found.known);
            if decided
                || (lower >= enough && lower > self.radius)
                || lower >= found.upper
                || piece.reach() <= grain
                || count >= MAX_PIECES
            {
                found.lower = lower;
                break;
            }
            for part in piece.cut(self.whole) {
                count += 1;
                if let Some(lower) = self.bound(&part, &mut found) {
                    let place = pieces.partition_point(|(other, _)| *other > lower);
                    pieces.insert(place, (lower, part));
                }
            }
        }
        // What was dropped is beyond the limit or the upper bound.
        found.lower = found.lower.min(found.upper).min(self.limit);
        (found.lower < self.limit).then_some(found)
    }
}

/// The shapes that are searched piece by piece.
trait Cut: Sized {
    type Piece: Piece;

    /// Their core as a piece, the whole that pieces ask, and the radius around it.
    fn cut(&self) -> (Self::Piece, &<Self::Piece as Piece>::Whole, f64);

    fn search(&self, field: &PlacedField<'_>, limit: f64, is_contact: bool) -> Option<(Found, f64)> {
        let (first, whole, radius) = self.cut();
        // A limit that is no number is none.
        let limit = if limit.is_nan() { f64::INFINITY } else { limit + radius * WIDER };
        Some((Search { field, whole, radius, limit, is_contact }.run(first)?, radius))
    }
}

impl Cut for Triangle {
    type Piece = Triangle;

    fn cut(&self) -> (Triangle, &(), f64) {
        (*self, &(), 0.0)
    }
}

impl Cut for Primitive {
    type Piece = CorePiece;

    fn cut(&self) -> (CorePiece, &Self, f64) {
        (CorePiece::around(self), self, Convex::radius(self))
    }
}

/// The answer of a search about a core with a radius.
fn closest(found: &Found, radius: f64, limit: f64) -> Option<ClosestPoints> {
    let lower = found.lower - radius * if found.lower > radius { WIDER } else { 1.0 };
    if lower >= limit {
        return None;
    }
    if found.upper <= radius {
        return Some(ClosestPoints::overlapping(found.nearest));
    }
    let toward = (found.nearest - found.point).try_normalize().unwrap_or(DVec3::Z);
    let upper = (found.upper - radius) * WIDER + radius * 4.0 * UNIT_ROUNDOFF;
    // Zero would tell that they are apart.
    let lower = if lower > 0.0 { lower } else { lower.min(-f64::MIN_POSITIVE) };
    Some(ClosestPoints { lower, upper, point_a: found.point + toward * radius, point_b: found.nearest })
}

impl<T: Cut> Proximity<PlacedField<'_>> for T {
    fn overlaps(&self, b: &PlacedField<'_>) -> bool {
        self.search(b, f64::MIN_POSITIVE, true).is_some_and(|(found, radius)| found.lower <= radius)
    }

    fn closest_below(&self, b: &PlacedField<'_>, limit: f64) -> Option<ClosestPoints> {
        let (found, radius) = self.search(b, limit, false)?;
        closest(&found, radius, limit)
    }

    fn shared_points(&self, b: &PlacedField<'_>) -> Option<SharedPoints> {
        let (found, radius) = self.search(b, f64::MIN_POSITIVE, true)?;
        (found.lower <= radius).then(|| {
            let normal = (found.nearest - found.point).try_normalize().unwrap_or(DVec3::Z);
            SharedPoints { points: smallvec![found.nearest], normal }
        })
    }
}

/// The bounds of a cell against something: a lower one, and the distance of its point.
fn cell_closest(lower: f64, upper: f64, cell: &FieldCell, point_b: DVec3, limit: f64) -> Option<ClosestPoints> {
    if lower >= limit {
        return None;
    }
    if upper <= 0.0 {
        return Some(ClosestPoints::overlapping(cell.inside));
    }
    let lower = if lower > 0.0 { lower.min(upper) } else { lower.min(-f64::MIN_POSITIVE) };
    Some(ClosestPoints { lower, upper, point_a: cell.inside, point_b })
}

/// A cell of another field: bounded by its middle and its reach.
impl FieldCell {
    fn lower_from(&self, field: &PlacedField<'_>) -> f64 {
        let [x, y, z] = [self.half_axes.x_axis, self.half_axes.y_axis, self.half_axes.z_axis];
        let reach = (x.length_squared() + y.length_squared() + z.length_squared()).sqrt() * WIDER;
        field.lower(self.center) - reach
    }

    /// The gap to a flat, with its rounding taken off, and that of the cell's point.
    fn heights(&self, flat: &HalfSpaceOrPlane) -> (f64, f64) {
        let (n, d) = (flat.plane().normal(), flat.plane().offset());
        let (middle, point) = (n.dot(self.center) - d, n.dot(self.inside) - d);
        let reach = self.reach(n);
        let size = self.center.abs().element_sum() + self.inside.abs().element_sum() + reach + d.abs();
        let error = 64.0 * UNIT_ROUNDOFF * size;
        let height = if flat.is_solid() { middle } else { middle.abs() };
        let over = if flat.is_solid() { point } else { point.abs() };
        (height - reach - error, if over <= 0.0 { 0.0 } else { over + error })
    }
}

impl Proximity<PlacedField<'_>> for FieldCell {
    fn overlaps(&self, b: &PlacedField<'_>) -> bool {
        self.lower_from(b) <= 0.0
    }

    fn closest_below(&self, b: &PlacedField<'_>, limit: f64) -> Option<ClosestPoints> {
        let lower = self.lower_from(b);
        if lower >= limit {
            return None;
        }
        let bounds = b.bounds(self.inside);
        cell_closest(lower, bounds.upper, self, bounds.nearest, limit)
    }

    fn shared_points(&self, b: &PlacedField<'_>) -> Option<SharedPoints> {
        let normal = (b.bounds(self.center).nearest - self.center).try_normalize().unwrap_or(DVec3::Z);
        self.overlaps(b).then(|| SharedPoints { points: smallvec![self.inside], normal })
    }
}

impl Proximity<HalfSpaceOrPlane> for FieldCell {
    fn overlaps(&self, b: &HalfSpaceOrPlane) -> bool {
        self.heights(b).0 <= 0.0
    }

    fn closest_below(&self, b: &HalfSpaceOrPlane, limit: f64) -> Option<ClosestPoints> {
        let (lower, upper) = self.heights(b);
        let plane = b.plane();
        let point_b = self.inside - plane.normal() * (plane.normal().dot(self.inside) - plane.offset());
        cell_closest(lower, upper, self, point_b, limit)
    }

    fn shared_points(&self, b: &HalfSpaceOrPlane) -> Option<SharedPoints> {
        let n = b.plane().normal();
        self.overlaps(b).then(|| SharedPoints { points: smallvec![self.inside], normal: -n / n.length() })
    }
}
