//! What the search asks of a solid: certified signed distances of points, spheres inside of it and
//! convex polyhedra inside of it.
//!
//! A *signed distance* is positive inside here: how far a point is from the surface, and minus that
//! outside. Every value is a lower bound. Inside, a sphere of that radius about the point belongs
//! to the solid; outside, the solid has a point that is no farther away.
//!
//! [`MeshField`] is derived from a mesh once and kept with it. [`ConvexField`] is made for each
//! query from a primitive, [`UnionField`] from bodies of many parts.
//!
//! # Rounding
//!
//! * Of a mesh: [`Surface::nearest`] has certified bounds. A point whose lower bound is positive is
//!   not on the surface, so that its winding number is exact. A point of the [grid](Grid) is an
//!   `f64` vector, computed by one expression everywhere. Its value is rounded down to `f32`. The
//!   true signed distance changes by no more than the way between two points, so the bound
//!   elsewhere is the value less that way. The way takes 5 roundings; its factor covers 8.
//! * Of a primitive: the core's points lie within 24 roundings of its size
//!   ([`Convex`](crate::shape::Convex)), offsets and lengths take 8 more. [`ConvexField`] subtracts
//!   64 roundings of the extent and the point's coordinates.

use super::inner::{Inner, inner_polyhedra};
use super::medial::{Ball, medial_balls};
use super::union::UnionField;
use crate::convex::{self, PenetrationRequest};
use crate::math::{DVec3, UNIT_ROUNDOFF, f32_below};
use crate::query::{Nearest, Surface};
use crate::shape::{Convex, Primitive, Sphere};
use crate::tree::{Geometry, Solid};
use crate::volume::BoundingSphere;
use crate::{Pose, TriMesh};
use smallvec::SmallVec;
use std::sync::Arc;

/// Cells of the grid along the longest side of the mesh.
const CELLS: f64 = 40.0;

/// A lower bound of the signed distance of a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Signed {
    pub value: f64,
    /// The nearest point of the surface, up to rounding.
    pub nearest: DVec3,
    /// Steps that it took.
    pub work: u64,
}

/// A solid as the search sees it.
pub(super) enum Field<'g> {
    Mesh(Arc<MeshField>),
    Convex(ConvexField<'g>),
    Union(UnionField<'g>),
}

impl Field<'_> {
    /// A lower bound of the signed distance; `hint` is near the nearest triangle of the last point.
    pub fn signed(&self, point: DVec3, hint: &mut u32) -> Signed {
        match self {
            Field::Mesh(field) => field.signed(point, hint),
            Field::Convex(field) => field.signed(point),
            Field::Union(field) => field.signed(point),
        }
    }

    /// About the signed distance, fast.
    #[inline]
    pub fn estimate(&self, point: DVec3) -> f64 {
        match self {
            Field::Mesh(field) => field.grid.estimate(point),
            Field::Convex(field) => field.estimate(point),
            Field::Union(field) => field.estimate(point),
        }
    }

    /// A lower bound of the signed distance, fast and coarse.
    #[inline]
    pub fn coarse(&self, point: DVec3) -> f64 {
        match self {
            Field::Mesh(field) => field.grid.lower(point),
            Field::Convex(field) => field.signed(point).value,
            Field::Union(field) => field.coarse(point),
        }
    }

    /// A sphere that the solid has, near a point and best there: its centre and its radius. Where
    /// the radius is negative, the solid has a point that is no farther from the centre.
    #[inline]
    pub fn ball_near(&self, point: DVec3) -> (DVec3, f64) {
        match self {
            Field::Mesh(field) => field.ball_near(point),
            Field::Convex(field) => field.ball_near(point),
            Field::Union(field) => (point, field.coarse(point)),
        }
    }

    /// The same, looked for in some more places.
    pub fn best_ball(&self, point: DVec3) -> (DVec3, f64) {
        match self {
            Field::Mesh(field) => field.best_ball(point),
            _ => self.ball_near(point),
        }
    }

    /// The numbers of a few convex solids inside that a point is deep in.
    pub fn inners_near(&self, point: DVec3) -> SmallVec<[usize; 4]> {
        match self {
            Field::Mesh(field) => field.inners_near(point),
            Field::Convex(_) => SmallVec::from_slice(&[0]),
            Field::Union(_) => SmallVec::new(),
        }
    }

    /// The length that estimates are off by.
    pub fn grain(&self) -> f64 {
        match self {
            Field::Mesh(field) => field.grid.spacing,
            Field::Convex(field) => 0.025 * field.solid.sphere().radius,
            Field::Union(field) => field.grain(),
        }
    }

    pub fn balls(&self) -> &[Ball] {
        match self {
            Field::Mesh(field) => &field.balls,
            Field::Convex(field) => &field.balls,
            Field::Union(field) => &field.balls,
        }
    }

    /// The spheres below one of them.
    pub fn children(&self, ball: &Ball) -> &[u16] {
        let (first, count) = ball.children;
        match self {
            Field::Mesh(field) => &field.children[first as usize..(first + count) as usize],
            _ => &[],
        }
    }

    /// How many convex solids inside of it are known.
    #[cfg(test)]
    pub fn inner_count(&self) -> usize {
        match self {
            Field::Mesh(field) => field.inners.len(),
            Field::Convex(_) => 1,
            Field::Union(_) => 0,
        }
    }

    /// One of them; none beyond their count.
    pub fn inner(&self, number: usize) -> Option<&Solid> {
        match self {
            Field::Mesh(field) => field.inners.get(number).map(|inner| &inner.solid),
            Field::Convex(field) => (number == 0).then_some(field.solid),
            Field::Union(_) => None,
        }
    }

    /// How long the diagonal of the bounding box is, or the diameter.
    pub fn size(&self) -> f64 {
        match self {
            Field::Mesh(field) => field.size,
            Field::Convex(field) => 2.0 * field.solid.sphere().radius,
            Field::Union(field) => field.size,
        }
    }
}

/// What the search needs of a solid mesh: built once in 0.1 to 1 s, and kept with it.
pub(crate) struct MeshField {
    pub(super) surface: Surface,
    pub(super) grid: Grid,
    pub(super) balls: Vec<Ball>,
    /// Of the spheres; see [`Ball::children`].
    pub(super) children: Vec<u16>,
    pub(super) inners: Vec<Inner>,
    /// For each point of the grid, the numbers of the sphere and of the polyhedron that it is
    /// deepest in; any other would be as right.
    pub(super) near_balls: Vec<u16>,
    pub(super) near_inners: Vec<u16>,
    pub(super) size: f64,
}

/// The steps of a search for a nearest point: a node or triangle of it takes half as long again as
/// a step of other searches.
fn steps_to_nearest(found: &Nearest) -> u64 {
    u64::from(found.work) * 3 / 2
}

impl MeshField {
    pub(super) fn new(mesh: &Arc<TriMesh>, sphere: BoundingSphere) -> Self {
        let surface = Surface::new(mesh.clone());
        let (low, high) = mesh.bounding_box();
        let size = (high - low).length();
        let grid = Grid::new(&surface, low, high);
        let (balls, children, inners, near_balls, near_inners) = Default::default();
        let mut field = Self { surface, grid, balls, children, inners, near_balls, near_inners, size };
        (field.balls, field.children) = medial_balls(&field, sphere.radius);
        field.inners = inner_polyhedra(&field.surface, &field.balls, size);
        let (balls, inners) = (&field.balls, &field.inners);
        let in_ball = |number: usize, point: DVec3, _| balls[number].radius - balls[number].center.distance(point);
        field.near_balls = field.grid.deepest(balls.iter().map(|ball| ball.center), &in_ball);
        let in_inner = |number: usize, point: DVec3, least: f64| inners[number].margin(point, least);
        field.near_inners = field.grid.deepest(inners.iter().map(|inner| inner.center), &in_inner);
        field
    }

    #[inline]
    fn ball_near(&self, point: DVec3) -> (DVec3, f64) {
        let number = self.near_balls[self.grid.nearest_index(point)];
        self.balls.get(usize::from(number)).map_or((point, self.grid.lower(point)), |ball| (ball.center, ball.radius))
    }

    /// The best sphere of those at the eight points of the grid around.
    fn best_ball(&self, point: DVec3) -> (DVec3, f64) {
        let mut best = (f64::NEG_INFINITY, (point, f64::NEG_INFINITY));
        let mut last = u16::MAX;
        for at in self.grid.around(point) {
            let number = self.near_balls[at];
            if number == last {
                continue;
            }
            last = number;
            if let Some(ball) = self.balls.get(usize::from(number)) {
                let depth = ball.radius - ball.center.distance(point);
                if depth > best.0 {
                    best = (depth, (ball.center, ball.radius));
                }
            }
        }
        if best.0 > f64::NEG_INFINITY { best.1 } else { (point, self.grid.lower(point)) }
    }

    fn inners_near(&self, point: DVec3) -> SmallVec<[usize; 4]> {
        let nearest = self.grid.nearest_index(point);
        let mut found = SmallVec::new();
        for at in std::iter::once(nearest).chain(self.grid.around(point)) {
            let number = usize::from(self.near_inners[at]);
            if number < self.inners.len() && found.len() < 4 && !found.contains(&number) {
                found.push(number);
            }
        }
        found
    }

    /// Whether a point is inside; `apart` says that it is not on the surface.
    fn contains(&self, point: DVec3, apart: bool) -> bool {
        match self.grid.side(point) {
            Some(inside) => inside,
            None => apart && self.surface.winding_number(point) != 0,
        }
    }

    pub(super) fn signed(&self, point: DVec3, hint: &mut u32) -> Signed {
        let found = self.surface.nearest_from(point, *hint);
        *hint = found.triangle;
        let inside = self.contains(point, found.lower > 0.0);
        let value = if inside { found.lower } else { -found.upper };
        Signed { value, nearest: found.point, work: steps_to_nearest(&found) }
    }

    /// The memory that it takes beside the mesh's, in bytes.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        let inners: usize = self.inners.iter().map(Inner::bytes).sum();
        let numbers = self.near_balls.len() + self.near_inners.len() + self.children.len();
        self.surface.bytes() + 4 * self.grid.values.len() + 2 * numbers + size_of_val(&self.balls[..]) + inners
    }
}

/// Signed distances at the points of a grid.
#[derive(PartialEq)]
pub(super) struct Grid {
    low: DVec3,
    spacing: f64,
    /// One by it, rounded.
    per_spacing: f64,
    pub counts: [usize; 3],
    pub values: Vec<f32>,
    /// Whether values outside are within 1e-6 of themselves, so that they tell the side.
    pub tells_outside: bool,
}

impl Grid {
    /// The grid around a box, without values.
    pub fn around_box(low: DVec3, high: DVec3) -> Self {
        let spacing = ((high - low).max_element() / CELLS).max(f64::MIN_POSITIVE);
        // A margin of two cells.
        let counts = ((high - low) / spacing).ceil().to_array().map(|count| count as usize + 5);
        let low = low - DVec3::splat(2.0 * spacing);
        Self { low, spacing, per_spacing: 1.0 / spacing, counts, values: Vec::new(), tells_outside: true }
    }

    /// How many points it has.
    pub fn count(&self) -> usize {
        self.counts.iter().product()
    }

    /// The grid with the values of a surface, whose bounding box is given.
    pub fn new(surface: &Surface, low: DVec3, high: DVec3) -> Self {
        let mut grid = Self::around_box(low, high);
        grid.values.reserve_exact(grid.count());
        let (counts, spacing) = (grid.counts, grid.spacing);
        let mut hint = 0;
        for k in 0..counts[2] {
            for j in 0..counts[1] {
                let mut last: Option<(DVec3, f64, bool)> = None;
                for i in 0..counts[0] {
                    let point = grid.point([i, j, k]);
                    let found = surface.nearest_from(point, hint);
                    hint = found.triangle;
                    // No surface is between two points that are nearer to each other than to it.
                    let same_side = |(before, distance, _): &(DVec3, f64, bool)| {
                        distance.max(found.lower) > before.distance(point) * (1.0 + 8.0 * UNIT_ROUNDOFF)
                    };
                    let inside = match last.filter(same_side) {
                        Some((_, _, inside)) => inside,
                        None => found.lower > 0.0 && surface.winding_number(point) != 0,
                    };
                    let value = f32_below(if inside { found.lower } else { -found.upper });
                    let is_tight = found.lower >= found.upper * (1.0 - 5e-7) && value.is_normal();
                    grid.tells_outside &= inside || is_tight || found.upper < 1e-6 * spacing;
                    grid.values.push(value);
                    last = Some((point, found.lower, inside));
                }
            }
        }
        grid
    }

    fn point(&self, [i, j, k]: [usize; 3]) -> DVec3 {
        self.low + DVec3::new(i as f64, j as f64, k as f64) * self.spacing
    }

    fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        (k * self.counts[1] + j) * self.counts[0] + i
    }

    /// The cell of a point, or that nearest to it, and where it is in this cell.
    #[inline]
    fn cell(&self, point: DVec3) -> ([usize; 3], DVec3) {
        let at = (point - self.low) * self.per_spacing;
        let lane = |at: f64, count: usize| (at.max(0.0) as usize).min(count - 2);
        let cell = [lane(at.x, self.counts[0]), lane(at.y, self.counts[1]), lane(at.z, self.counts[2])];
        (cell, at - DVec3::new(cell[0] as f64, cell[1] as f64, cell[2] as f64))
    }

    /// The interpolated value; outside of the grid, less the distance from it.
    #[inline]
    fn estimate(&self, point: DVec3) -> f64 {
        let (cell, at) = self.cell(point);
        let inside = at.clamp(DVec3::ZERO, DVec3::ONE);
        let away = if at == inside { 0.0 } else { (at - inside).length() * self.spacing };
        let (first, row, layer) = (self.index(cell), self.counts[0], self.counts[0] * self.counts[1]);
        let value = |offset: usize| f64::from(self.values[first + offset]);
        let mix = |a: f64, b: f64, share: f64| a + (b - a) * share;
        let along = |offset: usize| mix(value(offset), value(offset + 1), inside.x);
        let across = |offset: usize| mix(along(offset), along(offset + row), inside.y);
        mix(across(0), across(layer), inside.z) - away
    }

    /// The number of the nearest point of the grid.
    #[inline]
    fn nearest_index(&self, point: DVec3) -> usize {
        let at = (point - self.low) * self.per_spacing + 0.5;
        let lane = |at: f64, count: usize| (at as u32).min(count as u32 - 1) as usize;
        self.index([lane(at.x, self.counts[0]), lane(at.y, self.counts[1]), lane(at.z, self.counts[2])])
    }

    /// The numbers of the eight points around.
    #[inline]
    fn around(&self, point: DVec3) -> [usize; 8] {
        let first = self.index(self.cell(point).0);
        let (row, layer) = (self.counts[0], self.counts[0] * self.counts[1]);
        [0, 1, row, row + 1, layer, layer + 1, layer + row, layer + row + 1].map(|offset| first + offset)
    }

    /// For each point about the number of the item that it is deepest in: what is deepest for a
    /// neighbour is tried, in sweeps along all diagonals. `depth` may tell anything below its last
    /// argument if it is not that deep.
    fn deepest(&self, centers: impl Iterator<Item = DVec3>, depth: &dyn Fn(usize, DVec3, f64) -> f64) -> Vec<u16> {
        let mut best = vec![(f64::NEG_INFINITY, u16::MAX); self.values.len()];
        let take = |best: &mut (f64, u16), number: u16, point: DVec3| {
            let found = depth(usize::from(number), point, best.0);
            if found > best.0 {
                *best = (found, number);
            }
        };
        for (center, number) in centers.zip(0..u16::MAX) {
            let at = self.nearest_index(center);
            let [along, across] = [self.counts[0], self.counts[0] * self.counts[1]];
            take(&mut best[at], number, self.point([at % along, at % across / along, at / across]));
        }
        let steps = [1, self.counts[0], self.counts[0] * self.counts[1]];
        for signs in 0..8 {
            let backward = [0, 1, 2].map(|axis| signs >> axis & 1 == 1);
            let turned = |axis: usize, i: usize| if backward[axis] { self.counts[axis] - 1 - i } else { i };
            for k in 0..self.counts[2] {
                for j in 0..self.counts[1] {
                    for i in 0..self.counts[0] {
                        let cell = [turned(0, i), turned(1, j), turned(2, k)];
                        let (at, point) = (self.index(cell), self.point(cell));
                        for (axis, passed) in [i, j, k].into_iter().enumerate() {
                            let before = if backward[axis] { at + steps[axis] } else { at.wrapping_sub(steps[axis]) };
                            if passed > 0 && best[before].1 != u16::MAX && best[before].1 != best[at].1 {
                                let number = best[before].1;
                                take(&mut best[at], number, point);
                            }
                        }
                    }
                }
            }
        }
        best.into_iter().map(|(_, number)| number).collect()
    }

    /// The value at the nearest point of the grid, and at least the way there.
    #[inline]
    fn nearest(&self, point: DVec3) -> (f64, f64) {
        let (mut cell, at) = self.cell(point);
        (0..3).for_each(|axis| cell[axis] += usize::from(at[axis] >= 0.5));
        let way = (point - self.point(cell)).length() * (1.0 + 8.0 * UNIT_ROUNDOFF);
        (f64::from(self.values[self.index(cell)]), way)
    }

    /// A lower bound of the signed distance.
    #[inline]
    fn lower(&self, point: DVec3) -> f64 {
        let (value, way) = self.nearest(point);
        (value - way).next_down()
    }

    /// Whether a point is inside, if the grid is fine enough to tell.
    fn side(&self, point: DVec3) -> Option<bool> {
        let (value, way) = self.nearest(point);
        if value > way {
            return Some(true);
        }
        let is_outside = self.tells_outside && -value > 1e-6 * self.spacing && -value * (1.0 - 1e-6) > way;
        is_outside.then_some(false)
    }
}

/// A primitive as the search sees it.
pub(super) struct ConvexField<'g> {
    pub solid: &'g Solid,
    balls: Vec<Ball>,
}

impl<'g> ConvexField<'g> {
    pub fn new(solid: &'g Solid) -> Self {
        let mut field = Self { solid, balls: Vec::new() };
        let shape = solid.shape();
        let mut balls = Vec::new();
        for code in 0..27 {
            let direction = DVec3::new((code % 3) as f64, (code / 3 % 3) as f64, (code / 9) as f64) - 1.0;
            let parts: &[f64] = if direction == DVec3::ZERO { &[0.0] } else { &[0.4, 0.8] };
            for part in parts {
                let center = shape.center() + shape.support(direction) * *part;
                let radius = field.signed(center).value;
                if radius > 0.0 {
                    balls.push(Ball::alone(center, radius));
                }
            }
        }
        field.balls = balls;
        field
    }

    fn error(&self, point: DVec3) -> f64 {
        64.0 * UNIT_ROUNDOFF * (self.solid.extent() + point.abs().element_sum())
    }

    /// How deep an offset from the centre is in the core, which it may not be; without rounding.
    fn core_depth(&self, offset: DVec3) -> f64 {
        let beside = |axis: DVec3| {
            let along = axis.dot(offset);
            (along, (offset - axis * along).length())
        };
        match self.solid.shape() {
            Primitive::Sphere(_) | Primitive::Capsule(_) => 0.0,
            Primitive::Cuboid(cuboid) => (cuboid.half() - (cuboid.axes().transpose() * offset).abs()).min_element(),
            Primitive::Cylinder(cylinder) => {
                let (along, across) = beside(cylinder.axis());
                (cylinder.radius() - across).min(cylinder.half_length() - along.abs())
            }
            Primitive::Cone(cone) => {
                let (along, across) = beside(cone.axis());
                let (radius, length) = (cone.radius(), 2.0 * cone.half_length());
                let side = (radius * (cone.half_length() - along) - length * across) / radius.hypot(length);
                side.min(cone.half_length() + along)
            }
            // The ellipsoid, scaled about the point by what is left, stays inside of itself.
            Primitive::Ellipsoid(ellipsoid) => {
                let local = ellipsoid.axes().transpose() * offset / ellipsoid.half();
                (1.0 - local.length()) * ellipsoid.half().min_element()
            }
            Primitive::ConvexPolyhedron(polyhedron) => {
                let height = |face: u32| {
                    let normal = polyhedron.face_normal(face);
                    normal.dot(polyhedron.vertex_offset(polyhedron.face(face)[0]) - offset)
                };
                (0..polyhedron.face_count() as u32).map(height).fold(f64::INFINITY, f64::min)
            }
        }
    }

    fn estimate(&self, point: DVec3) -> f64 {
        let shape = self.solid.shape();
        let offset = point - shape.center();
        let depth = self.core_depth(offset);
        if depth > 0.0 {
            return depth + Convex::radius(shape);
        }
        Convex::radius(shape) - (offset - shape.surely_nearest(offset)).length()
    }

    fn signed(&self, point: DVec3) -> Signed {
        let shape = self.solid.shape();
        let offset = point - shape.center();
        let depth = self.core_depth(offset);
        if depth <= 0.0 {
            let nearest = shape.surely_nearest(offset);
            let way = offset - nearest;
            let value = Convex::radius(shape) - way.length() - self.error(point);
            let nearest = shape.center() + nearest + way.normalize_or_zero() * Convex::radius(shape);
            return Signed { value, nearest, work: 4 };
        }
        if let Primitive::ConvexPolyhedron(polyhedron) = shape {
            // Normals of faces may be off; the penetration of a point is certified.
            let at = Pose::from_translation(point).and_then(|pose| Ok(Sphere::new(0.0)?.transformed(&pose)));
            let request = PenetrationRequest { rel_err: 1e-3, ..PenetrationRequest::default() };
            let found = at.ok().and_then(|at| convex::penetration(polyhedron, &at, &request));
            let (value, nearest) =
                found.map_or((-self.error(point), point), |found| (found.lower, point + found.normal * found.upper));
            return Signed { value, nearest, work: 100 };
        }
        let value = depth + Convex::radius(shape) - self.error(point);
        Signed { value, nearest: point + self.way_out(offset) * value, work: 4 }
    }

    /// A sphere inside that is best about a point.
    fn ball_near(&self, point: DVec3) -> (DVec3, f64) {
        let shape = self.solid.shape();
        // The depth in a polyhedron takes long.
        let is_slow = matches!(shape, Primitive::ConvexPolyhedron(_)) && self.core_depth(point - shape.center()) > 0.0;
        let depth = |ball: &Ball| ball.radius - ball.center.distance(point);
        let best = self.balls.iter().filter(|_| is_slow).max_by(|p, q| depth(p).total_cmp(&depth(q)));
        best.map_or_else(|| (point, self.signed(point).value), |ball| (ball.center, ball.radius))
    }

    /// The direction from a point of the core to the nearest point of the surface, about.
    fn way_out(&self, offset: DVec3) -> DVec3 {
        let step = 1e-6 * self.solid.sphere().radius;
        let slope = |axis: DVec3| self.core_depth(offset - axis * step) - self.core_depth(offset + axis * step);
        DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z)).normalize_or_zero()
    }
}
