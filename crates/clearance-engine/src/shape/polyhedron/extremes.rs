//! The support function of a convex polyhedron: the vertex farthest along a direction.
//!
//! A polyhedron with few vertices scans all of them. One with many has a table by direction. Each
//! cell of the table lists all vertices that are the farthest along any direction in it, mostly no
//! more than eight. These stand side by side, so that a lookup takes as long whatever the number of
//! vertices, and no branch depends on which is the highest (Dobkin and Kirkpatrick, "Determining
//! the separation of preprocessed polyhedra", 1990, need log n steps). The table has a cell for
//! each vertex, on an octahedron unfolded into a square. A cell may have too many, as around the
//! axis of a cylinder. There the search climbs along edges from one of them (hill climbing): on a
//! convex polyhedron a vertex without a higher neighbour is the highest.
//!
//! # Cells
//! The directions of a cell are sums of multiples of the four at its corners, as no fold of the
//! octahedron goes through it but from corner to corner. So a polyhedron's vertex that is below
//! another one along those four is so along all directions of the cell, and is not needed. The
//! others hang together: vertices that are the highest along one direction, or all but the highest,
//! do so, since ascending ways lead from each to the highest, and as the direction turns through
//! the cell the last highest is a neighbour of the next, or they share a face that is as high. So a
//! search along edges finds all of them from any.
//!
//! # Rounding
//! Heights are rounded: a neighbour that is higher by less than that may look lower, and behind it
//! there may be a vertex that is higher by far more, where edges are short. So a climb does not
//! stop at a vertex with neighbours as high up to rounding, but looks at all vertices that can be
//! reached through such ones. That is enough: from any vertex an ascending way along edges leads to
//! the highest, no vertex of which is lower in truth, nor by more than [`LEVEL`] in rounded
//! heights. A height is off by 3u of |d||p| (by 4u where products underflow, below 1e-290) and p
//! itself by u, with u = 2⁻⁵³; two of them by 8u|d|, since no vertex is farther than 1 from the
//! centre. The vertex that comes out is then as high as the highest up to 7u|d|: 4u for the
//! highest, 3u for itself. In a cell vertices are left out only if others are higher by
//! [`CERTAIN`], thousands of roundings, which makes up for a direction next to the edge of a cell
//! that is looked up in the wrong one, too.

use super::adjacency::Adjacency;
use crate::math::lanes::{F4, Simd};
use crate::math::{DVec3, UNIT_ROUNDOFF};
use fearless_simd::prelude::*;
use smallvec::SmallVec;
use std::hint::select_unpredictable;
use std::ops::ControlFlow;

/// Polyhedra with at most this many vertices are scanned without a table.
const MAX_SCANNED: usize = 32;
/// The number of vertices that a SIMD block holds.
const LANES: usize = 4;
/// The vertex of each lane: neighbours are then compared first when the two half blocks are.
const ORDER: [usize; LANES] = [0, 2, 1, 3];
/// Added to a number from 0 to 2³², it leaves that number, rounded to a whole one, in the last
/// bits.
const WHOLE: f64 = (1_u64 << 52) as f64;
/// Cells of the table for each vertex. With two cells each lists fewer vertices, but memory is
/// farther away, by a tenth of the time of 3,000 vertices.
const CELLS: f64 = 1.0;
/// The maximum number of vertices of a cell; with more a climb is as fast.
const MAX_CANDIDATES: usize = 24;
/// The maximum number of vertices that the search for a cell's candidates visits before it removes
/// any.
const MAX_VISITED: usize = 64;
/// A vertex that is higher by this along the four directions of a cell is higher along all: 8
/// roundings for heights, and some for places in the table.
const CERTAIN: f64 = 1e-12;
/// The range of directions, by the sum of their coordinates, that the table looks up.
const SHORTEST: f64 = 1e-290;
const LONGEST: f64 = 1e290;
/// Heights that differ by no more than this, for a direction of length 1, may be equal; see the
/// head of this file.
const LEVEL: f64 = 10.0 * UNIT_ROUNDOFF;
/// The maximum number of vertices of one height that a climb visits one by one; with more, a scan
/// of all vertices is as fast.
const MAX_LEVEL: usize = 24;

/// Some vertices: x, y and z of each, and its number as [`tag`] has it. The last one fills the free
/// lanes. A block takes two lines of the processor's cache.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
struct Block([[f64; LANES]; 4]);

impl Block {
    /// Up to four of the vertices.
    fn of(vertices: &[DVec3], numbers: &[u32]) -> Self {
        let lanes = ORDER.map(|i| numbers[i.min(numbers.len() - 1)]);
        let axis = |axis: usize| lanes.map(|vertex| vertices[vertex as usize][axis]);
        Self([axis(0), axis(1), axis(2), lanes.map(tag)])
    }
}

/// The number of a vertex as an `f64`, which lanes can select and compare.
#[inline(always)]
fn tag(vertex: u32) -> f64 {
    WHOLE + f64::from(vertex)
}

/// The number that a tag has in its last bits.
#[inline(always)]
fn untagged(tag: f64) -> u32 {
    tag.to_bits() as u32
}

/// The lookup table of support vertices by direction, or all vertices where these are few.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Extremes {
    /// Cells along one edge of the table; even, so that no cell is on two sides of a fold through
    /// the middle.
    resolution: u32,
    cells: Vec<Cell>,
    /// The vertices of cells.
    candidates: Vec<Candidates>,
    /// All vertices, where there are few.
    blocks: Vec<Block>,
}

/// Vertices that a lookup compares together: eight, since most cells have no more and a processor
/// does not foresee which have more than four.
type Candidates = [Block; 2];

/// The range of a cell's vertices in the table.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cell {
    /// The first of its groups of candidates; a vertex to climb from where there are none.
    first: u32,
    /// The number of groups; zero where too many vertices are the farthest somewhere in the cell.
    count: u32,
}

impl Extremes {
    /// Builds the table for the vertices, which lie within 1 of the origin.
    pub(super) fn new(vertices: &[DVec3], adjacency: &Adjacency) -> Self {
        let mut all = Self { resolution: 0, cells: Vec::new(), candidates: Vec::new(), blocks: Vec::new() };
        if vertices.len() <= MAX_SCANNED {
            let numbers: SmallVec<[u32; MAX_SCANNED]> = (0..vertices.len() as u32).collect();
            all.blocks = numbers.chunks(LANES).map(|some| Block::of(vertices, some)).collect();
            return all;
        }
        all.resolution = (CELLS * vertices.len() as f64).sqrt().ceil() as u32;
        all.resolution += all.resolution % 2;
        let place = |i: u32| 2.0 * f64::from(i) / f64::from(all.resolution) - 1.0;
        let mut contenders = Contenders::new(vertices, adjacency);
        for row in 0..all.resolution {
            for column in 0..all.resolution {
                let at = |i: u32, j: u32| folded(place(row + i), place(column + j));
                let found = contenders.within([at(0, 0), at(0, 1), at(1, 0), at(1, 1)]);
                let cell = match found {
                    Some(numbers) => {
                        let first = all.candidates.len() as u32;
                        all.candidates.extend(numbers.chunks(2 * LANES).map(|some| {
                            let (few, rest) = some.split_at(some.len().min(LANES));
                            [Block::of(vertices, few), Block::of(vertices, if rest.is_empty() { few } else { rest })]
                        }));
                        Cell { first, count: all.candidates.len() as u32 - first }
                    }
                    None => Cell { first: contenders.start, count: 0 },
                };
                all.cells.push(cell);
            }
        }
        all
    }

    /// The support vertex along a direction of any finite length, up to 7 roundings.
    #[inline(always)]
    pub(super) fn support<S: Simd>(&self, simd: S, vertices: &[DVec3], adjacency: &Adjacency, direction: DVec3) -> u32 {
        if !self.blocks.is_empty() {
            let (along, mut highest) = (Along::new(simd, direction), Highest::new(simd));
            for block in &self.blocks {
                highest.see(simd, &along, block);
            }
            return highest.of_all(simd);
        }
        // There is a table where there are no blocks.
        let Cell { first, count } = self.cell(direction);
        if count == 0 {
            return climb(vertices, adjacency, direction, first);
        }
        let (along, mut highest) = (Along::new(simd, direction), Highest::new(simd));
        let (first, end) = (first as usize, (first + count) as usize);
        for [few, more] in &self.candidates[first..end] {
            highest.see(simd, &along, few);
            highest.see(simd, &along, more);
        }
        highest.of_all(simd)
    }

    /// The cell of a direction.
    #[inline(always)]
    fn cell(&self, direction: DVec3) -> Cell {
        let size = direction.abs();
        let sum = size.x + size.y + size.z;
        if !(SHORTEST..LONGEST).contains(&sum) {
            return Cell { first: 0, count: 0 };
        }
        let scale = 1.0 / sum;
        let (u, v) = (direction.x * scale, direction.y * scale);
        // As likely one half as the other, which no processor foresees.
        let below = direction.z < 0.0;
        let (u, v) = (
            select_unpredictable(below, (1.0 - v.abs()).copysign(u), u),
            select_unpredictable(below, (1.0 - u.abs()).copysign(v), v),
        );
        let half = 0.5 * f64::from(self.resolution);
        // Half a cell more, as numbers are rounded up or down: cells are counted from one.
        let place = |w: f64| (((half + 0.5) + w * half + WHOLE).to_bits() as u32).clamp(1, self.resolution) - 1;
        self.cells[(place(u) * self.resolution + place(v)) as usize]
    }
}

/// Searches the vertices that are the farthest along some direction of a cell.
struct Contenders<'c> {
    vertices: &'c [DVec3],
    adjacency: &'c Adjacency,
    /// The support vertex at the middle of the last cell, which is next to this one.
    start: u32,
    /// The candidates of this cell, with their heights at its four corners.
    found: Vec<(u32, [f64; 4])>,
    numbers: Vec<u32>,
}

impl<'c> Contenders<'c> {
    fn new(vertices: &'c [DVec3], adjacency: &'c Adjacency) -> Self {
        Self { vertices, adjacency, start: 0, found: Vec::new(), numbers: Vec::new() }
    }

    /// Returns all vertices that are the farthest along a direction between four, and perhaps some
    /// more; `None` if these are too many.
    fn within(&mut self, directions: [DVec3; 4]) -> Option<&[u32]> {
        let Self { vertices, adjacency, found, numbers, .. } = self;
        let heights = |vertex: u32| directions.map(|direction| direction.dot(vertices[vertex as usize]));
        self.start = climb(vertices, adjacency, directions.iter().sum(), self.start);
        found.clear();
        found.push((self.start, heights(self.start)));
        let mut next = 0;
        while let Some(&(vertex, _)) = found.get(next) {
            next += 1;
            for &other in adjacency.neighbors(vertex) {
                let at = heights(other);
                if found.iter().any(|(known, above)| *known == other || are_above(above, &at)) {
                    continue;
                }
                if found.len() == MAX_VISITED {
                    return None;
                }
                found.push((other, at));
            }
        }
        numbers.clear();
        let beaten = |at: &[f64; 4]| found.iter().any(|(_, above)| are_above(above, at));
        numbers.extend(found.iter().filter(|(_, at)| !beaten(at)).map(|(vertex, _)| *vertex));
        (numbers.len() <= MAX_CANDIDATES).then_some(numbers)
    }
}

/// Whether a vertex is above another one along four directions, beyond rounding, and so along all
/// directions between them.
fn are_above(above: &[f64; 4], below: &[f64; 4]) -> bool {
    above.iter().zip(below).all(|(above, below)| *above > below + CERTAIN)
}

/// The direction at a place of the square that an octahedron is unfolded into. The part outside of
/// the diamond in the middle is the lower half.
fn folded(u: f64, v: f64) -> DVec3 {
    let z = 1.0 - u.abs() - v.abs();
    if z < 0.0 { DVec3::new((1.0 - v.abs()).copysign(u), (1.0 - u.abs()).copysign(v), z) } else { DVec3::new(u, v, z) }
}

/// The highest of all vertices.
fn highest(vertices: &[DVec3], direction: DVec3) -> u32 {
    let (mut best, mut height) = (0, f64::NEG_INFINITY);
    for (vertex, point) in (0..).zip(vertices) {
        let at = direction.dot(*point);
        if at > height {
            (best, height) = (vertex, at);
        }
    }
    best
}

/// A direction in all lanes.
#[derive(Clone, Copy)]
struct Along<S: Simd>([F4<S>; 3]);

impl<S: Simd> Along<S> {
    #[inline(always)]
    fn new(simd: S, direction: DVec3) -> Self {
        Self([F4::splat(simd, direction.x), F4::splat(simd, direction.y), F4::splat(simd, direction.z)])
    }

    /// The heights of a block's vertices, and their tags.
    #[inline(always)]
    fn heights(&self, simd: S, Block([xs, ys, zs, tags]): &Block) -> (F4<S>, F4<S>) {
        let Self([x, y, z]) = *self;
        let (xs, ys, zs): (F4<S>, F4<S>, F4<S>) = ((*xs).simd_into(simd), (*ys).simd_into(simd), (*zs).simd_into(simd));
        (z.mul_add(zs, y.mul_add(ys, x * xs)), (*tags).simd_into(simd))
    }
}

/// The highest vertex of each lane so far; no branch depends on the heights.
struct Highest<S: Simd> {
    heights: F4<S>,
    tags: F4<S>,
}

impl<S: Simd> Highest<S> {
    #[inline(always)]
    fn new(simd: S) -> Self {
        Self { heights: F4::splat(simd, f64::NEG_INFINITY), tags: F4::splat(simd, tag(0)) }
    }

    #[inline(always)]
    fn see(&mut self, simd: S, along: &Along<S>, block: &Block) {
        let (heights, tags) = along.heights(simd, block);
        let higher = heights.simd_gt(self.heights);
        self.heights = higher.select(heights, self.heights);
        self.tags = higher.select(tags, self.tags);
    }

    /// The number of the highest in all lanes.
    #[inline(always)]
    fn of_all(self, simd: S) -> u32 {
        let ((low, high), (low_tag, high_tag)) = (simd.split_f64x4(self.heights), simd.split_f64x4(self.tags));
        let higher = high.simd_gt(low);
        let heights: [f64; 2] = higher.select(high, low).into();
        let tags: [f64; 2] = higher.select(high_tag, low_tag).into();
        untagged(if heights[1] > heights[0] { tags[1] } else { tags[0] })
    }
}

/// Hill climbing: finds the highest vertex along edges from one near it.
pub(super) fn climb(vertices: &[DVec3], adjacency: &Adjacency, direction: DVec3, start: u32) -> u32 {
    let (height, level) =
        (|vertex: u32| direction.dot(vertices[vertex as usize]), LEVEL * direction.abs().element_sum());
    let mut place = Place { vertex: start, height: height(start) };
    loop {
        let mut best = Place { vertex: start, height: f64::NEG_INFINITY };
        for &vertex in adjacency.neighbors(place.vertex) {
            let height = height(vertex);
            best = if height > best.height { Place { vertex, height } } else { best };
        }
        if best.height > place.height {
            place = best;
        } else if best.height < place.height - level {
            return place.vertex;
        } else {
            match scan_level(vertices, adjacency, direction, place, level) {
                Around::Higher(higher) => place = higher,
                Around::Highest(vertex) => return vertex,
            }
        }
    }
}

/// The current vertex of a climb and its height.
#[derive(Clone, Copy)]
struct Place {
    vertex: u32,
    height: f64,
}

/// The result of a scan of one level.
enum Around {
    /// A vertex that is higher beyond rounding.
    Higher(Place),
    /// The highest vertex of all.
    Highest(u32),
}

/// The vertices of one height, up to rounding, that a scan has reached.
struct Level {
    floor: f64,
    /// Heights that differ by no more than this may be equal.
    width: f64,
    reached: [u32; MAX_LEVEL],
    count: usize,
    /// The highest of them.
    best: (f64, u32),
    /// A vertex that is higher beyond rounding.
    higher: Option<Place>,
}

impl Level {
    /// Adds a vertex that is not lower. Breaks at one that is higher, or where there are too many.
    #[inline(always)]
    fn see(&mut self, vertex: u32, height: f64) -> ControlFlow<()> {
        if height > self.floor + self.width {
            self.higher = Some(Place { vertex, height });
            return ControlFlow::Break(());
        }
        if self.reached[..self.count].contains(&vertex) {
            return ControlFlow::Continue(());
        }
        let Some(place) = self.reached.get_mut(self.count) else { return ControlFlow::Break(()) };
        (*place, self.count) = (vertex, self.count + 1);
        self.best = if height > self.best.0 { (height, vertex) } else { self.best };
        ControlFlow::Continue(())
    }
}

/// Scans all vertices that can be reached through vertices as high as this one, up to rounding.
#[cold]
fn scan_level(vertices: &[DVec3], adjacency: &Adjacency, direction: DVec3, place: Place, width: f64) -> Around {
    let Place { vertex, height: floor } = place;
    let reached = [vertex; MAX_LEVEL];
    let mut level = Level { floor, width, reached, count: 1, best: (floor, vertex), higher: None };
    let mut next = 0;
    while let Some(&here) = level.reached[..level.count].get(next) {
        next += 1;
        for &other in adjacency.neighbors(here) {
            let height = direction.dot(vertices[other as usize]);
            if height >= floor - width && level.see(other, height).is_break() {
                return level.higher.map_or_else(|| Around::Highest(highest(vertices, direction)), Around::Higher);
            }
        }
    }
    Around::Highest(level.best.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::SimdLevel;
    use crate::math::lanes::{Lanes8, Vectorized, vectorized};
    use crate::random::Random;
    use crate::shape::polyhedron::{Body, tests::point_sets};

    #[test]
    fn a_look_finds_what_looking_at_every_vertex_finds() {
        let mut random = Random(31);
        for (name, points) in point_sets(&mut random) {
            let Ok(body) = Body::hull_of(&points) else { continue };
            let mut directions: Vec<DVec3> =
                (0..300).map(|_| DVec3::new(random.signed(), random.signed(), random.signed())).collect();
            directions.extend(DVec3::AXES.iter().flat_map(|&axis| [axis, -axis, axis * 1e-200, axis * 1e150]));
            // Along normals and edges whole faces are as high, or differ by rounding.
            let normals = body.normals.iter().take(200);
            directions.extend(normals.flat_map(|&n| [n, -n, n + DVec3::new(1e-16, -1e-16, 1e-17)]));
            directions.push(DVec3::ZERO);
            // Where cells meet, and folds are.
            directions.extend(DVec3::AXES.iter().flat_map(|&axis| DVec3::AXES.map(|other| axis - other)));
            directions.extend((0..300).map(|_| DVec3::new(random.signed(), random.signed(), 0.0)));
            directions.extend((0..300).map(|_| DVec3::new(0.0, random.signed(), random.signed())));
            let resolution = body.extremes.resolution.max(2);
            let place = |i: u32| 2.0 * f64::from(i) / f64::from(resolution) - 1.0;
            let rows = (0..=resolution).step_by(1 + resolution as usize / 30);
            directions.extend(rows.flat_map(|i| (0..=resolution).map(move |j| folded(place(i), place(j)))));
            for direction in directions {
                let found = direction.dot(body.vertices[body.support(direction) as usize]);
                let truth = direction.dot(body.vertices[highest(&body.vertices, direction) as usize]);
                let allowed = 7.0 * UNIT_ROUNDOFF * direction.abs().element_sum();
                assert!(found >= truth - allowed, "{name}: {direction} {found} {truth}");
            }
        }
    }

    #[test]
    fn one_look_is_enough_along_most_directions() {
        let mut random = Random(34);
        let mut direction = || DVec3::new(random.signed(), random.signed(), random.signed()).normalize();
        for count in [50, 500, 2000] {
            let sphere: Vec<DVec3> = (0..count).map(|_| direction()).collect();
            let needle: Vec<DVec3> = sphere.iter().map(|vertex| *vertex * DVec3::new(10.0, 1.0, 1.0)).collect();
            for points in [sphere, needle] {
                let body = Body::hull_of(&points).unwrap();
                let lookups = |direction: DVec3| body.extremes.cell(direction).count;
                let once = (0..1000).filter(|_| lookups(direction()) == 1).count();
                assert!(once > 700, "{count}: {once}");
            }
        }
    }

    /// What is found with all instructions that the processor has.
    struct Fused<'b>(&'b Body, DVec3);

    impl Vectorized for Fused<'_> {
        type Output = u32;

        #[inline(always)]
        fn run<S: Lanes8>(self, simd: S) -> u32 {
            self.0.support_by(simd, self.1)
        }
    }

    #[test]
    fn lookups_by_fused_heights_find_the_highest_and_end_however_short_the_direction_is() {
        let mut random = Random(33);
        let half = [
            [0.8125, 0.5],
            [0.5, 0.71875],
            [0.25, 0.8125],
            [0.0, 0.84375],
            [-0.25, 0.828125],
            [-0.5, 0.75],
            [-0.75, 0.5625],
            [-0.90625, 0.28125],
            [-0.9375, 0.0],
            [-0.90625, -0.25],
        ];
        let prism: Vec<DVec3> = half
            .iter()
            .flat_map(|&[x, y]| [1.0, -1.0].map(|sign| [0.25, -0.25].map(|z| DVec3::new(sign * x, sign * y, z))))
            .flatten()
            .collect();
        let sphere =
            (0..120).map(|_| DVec3::new(random.signed(), random.signed(), random.signed()).normalize()).collect();
        for points in [prism, sphere] {
            let body = Body::hull_of(&points).unwrap();
            assert!(body.vertices.len() > MAX_SCANNED);
            for _ in 0..200 {
                let whole = DVec3::new(random.signed(), random.signed(), random.signed());
                for direction in [
                    whole,
                    (whole * 4.0).round() * 5e-324,
                    (whole * 40.0).round() * 5e-324,
                    whole * 1e-310,
                    whole * 1e-304,
                    whole * 1e300,
                ] {
                    let found = vectorized(SimdLevel::Best, Fused(&body, direction));
                    // Where there are no smaller numbers heights tell nothing, but the climb must
                    // end.
                    if direction.abs().element_sum() < f64::MIN_POSITIVE {
                        continue;
                    }
                    let truth = direction.dot(body.vertices[highest(&body.vertices, direction) as usize]);
                    let allowed = 7.0 * UNIT_ROUNDOFF * direction.abs().element_sum();
                    let found = direction.dot(body.vertices[found as usize]);
                    assert!(found >= truth - allowed, "{direction}: {found} {truth}");
                }
            }
        }
    }

    /// A needle's tip is cut into a tiny fan whose edges all look level: climbing by rounded
    /// heights alone would stay there.
    #[test]
    fn a_level_of_short_edges_does_not_hold_the_climb() {
        let mut random = Random(32);
        let mut points: Vec<DVec3> = (0..40)
            .map(|_| DVec3::new(random.signed(), random.signed(), random.signed()).normalize() * 1e-15 + DVec3::X)
            .collect();
        points.extend((0..40).map(|_| DVec3::new(-1.0, random.signed(), random.signed() * 1e-3)));
        let body = Body::hull_of(&points).unwrap();
        for _ in 0..2000 {
            let direction = DVec3::new(random.signed() * 1e-3, random.signed(), random.signed());
            let climbs =
                (0..body.vertices.len() as u32).map(|start| climb(&body.vertices, &body.adjacency, direction, start));
            for found in climbs.chain([body.support(direction)]) {
                let [found, truth] = [found, highest(&body.vertices, direction)];
                let [found, truth] = [found, truth].map(|vertex| direction.dot(body.vertices[vertex as usize]));
                assert!(found >= truth - 7.0 * UNIT_ROUNDOFF * direction.abs().element_sum(), "{direction}");
            }
        }
    }
}
