//! The corner of a convex polyhedron that is farthest along a direction.
//!
//! Few corners are all looked at. Of many, a table by direction names one that is nearly the farthest, and from there the search climbs
//! along edges: on a convex polyhedron a corner without a higher neighbour is the highest. The table has some
//! cells a corner, on an octahedron unfolded into a square, so that the climb takes a step or none whatever their number (Dobkin and Kirkpatrick,
//! "Determining the separation of preprocessed polyhedra", 1990, need log n steps, and n memory too). The neighbours of a corner stand
//! side by side, so that a step takes as long for three of them as for eight, and no branch depends on which is the highest.
//!
//! # Rounding
//! Heights are rounded: a neighbour that is higher by less than that may look lower, and behind it there may be a corner that is higher by
//! far more, where edges are short. So the search does not stop at a corner with neighbours as high up to rounding, but looks at all
//! corners that can be reached through such ones. That is enough: from any corner an ascending way along edges leads to the
//! highest, no corner of which is lower in truth, nor by more than [`LEVEL`] in rounded heights.
//! A height is off by 3u of |d||p| and p itself by u, with u = 2⁻⁵³; two of them by 8u|d|, since no corner is farther than 1 from the centre.
//! The corner that comes out is then as high as the highest up to 7u|d|: 4u for the highest, 3u for itself.

use super::adjacency::Adjacency;
use crate::math::lanes::{F4, Simd};
use crate::math::{DVec3, UNIT_ROUNDOFF};
use fearless_simd::prelude::*;
use smallvec::SmallVec;
use std::hint::select_unpredictable;
use std::ops::ControlFlow;

/// Polyhedra with at most this many corners are looked through.
const MOST_SCANNED: usize = 32;
/// How many corners are looked at side by side.
const LANES: usize = 4;
/// Which of as many corners each lane has: neighbours are then compared first when halves are.
const ORDER: [usize; LANES] = [0, 2, 1, 3];
/// Added to a number from 0 to 2³², it leaves that number, rounded to a whole one, in the last bits.
const WHOLE: f64 = (1_u64 << 52) as f64;
/// Cells of the table for each corner.
const CELLS: f64 = 8.0;
/// Heights that differ by no more than this, for a direction of length 1, may be one; see the head of this file.
const LEVEL: f64 = 10.0 * UNIT_ROUNDOFF;
/// Steps of a climb after which the table is asked where it should have started: unrelated poses with a memory of 3,000 corners took twice as long without.
const MOST_NEAR: usize = 6;
/// The most corners of one height that are looked at one by one; where there are more, looking at all corners is as good.
const MOST_LEVEL: usize = 24;

/// Some corners: x, y and z of each, and its number as [`tag`] has it; the last one is repeated where there are no more. Two lines of the processor's cache;
/// a step of a climb reads two blocks and nothing else.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
struct Block([[f64; LANES]; 4]);

impl Block {
    /// Up to four of the corners.
    fn of(corners: &[DVec3], numbers: &[u32]) -> Self {
        let lanes = ORDER.map(|i| numbers[i.min(numbers.len() - 1)]);
        let axis = |axis: usize| lanes.map(|corner| corners[corner as usize][axis]);
        Self([axis(0), axis(1), axis(2), lanes.map(tag)])
    }
}

/// The number of a corner as a number to select and compare with.
#[inline(always)]
fn tag(corner: u32) -> f64 {
    WHOLE + f64::from(corner)
}

/// The number that a tag has in its last bits.
#[inline(always)]
fn untagged(tag: f64) -> u32 {
    tag.to_bits() as u32
}

/// Where to start, by direction. Empty where all corners are looked at.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Extremes {
    /// Cells along one edge of the table, less one.
    resolution: u32,
    starts: Vec<u32>,
    /// What a climb looks at: the neighbours of each corner, eight at a time, since most corners have no more and a processor does not foresee who has
    /// more than four; and where those of each corner start.
    stars: Vec<[Block; 2]>,
    star_starts: Vec<u32>,
    /// All corners, where there are few.
    blocks: Vec<Block>,
}

impl Extremes {
    /// The table for the corners, which lie within 1 of the origin.
    pub(super) fn new(corners: &[DVec3], adjacency: &Adjacency) -> Self {
        let mut all =
            Self { resolution: 0, starts: Vec::new(), stars: Vec::new(), star_starts: Vec::new(), blocks: Vec::new() };
        if corners.len() <= MOST_SCANNED {
            let numbers: SmallVec<[u32; MOST_SCANNED]> = (0..corners.len() as u32).collect();
            all.blocks = numbers.chunks(LANES).map(|some| Block::of(corners, some)).collect();
            return all;
        }
        for corner in 0..corners.len() as u32 {
            all.star_starts.push(all.stars.len() as u32);
            all.stars.extend(adjacency.neighbors(corner).chunks(2 * LANES).map(|some| {
                let (few, rest) = some.split_at(some.len().min(LANES));
                [Block::of(corners, few), Block::of(corners, if rest.is_empty() { few } else { rest })]
            }));
        }
        all.star_starts.push(all.stars.len() as u32);
        all.resolution = (CELLS * corners.len() as f64).sqrt().ceil() as u32;
        let place = |i: u32| 2.0 * f64::from(i) / f64::from(all.resolution) - 1.0;
        for row in 0..=all.resolution {
            for column in 0..=all.resolution {
                // The last cell is next to this one.
                let near = all.starts.last().copied().unwrap_or(0);
                all.starts.push(climb(corners, adjacency, folded(place(row), place(column)), near));
            }
        }
        all
    }

    /// The farthest corner along a direction of any length, up to 7 roundings: found from one that is near it, or from where the table says.
    #[inline(always)]
    pub(super) fn farthest<S: Simd>(&self, simd: S, corners: &[DVec3], direction: DVec3, near: Option<u32>) -> u32 {
        if !self.blocks.is_empty() {
            let (along, mut highest) = (Along::new(simd, direction), Highest::new(simd));
            for block in &self.blocks {
                highest.see(simd, &along, block);
            }
            return highest.of_all(simd).1;
        }
        // There is a table where there are no blocks.
        let start = near.unwrap_or_else(
            #[inline(always)]
            || self.starts[self.cell(direction)],
        );
        climb_by(&Stars { simd, extremes: self, direction }, corners, direction, start)
    }

    /// The cell of a direction, or any for one that has none.
    #[inline(always)]
    fn cell(&self, direction: DVec3) -> usize {
        let size = direction.abs();
        let scale = 1.0 / (size.x + size.y + size.z);
        let (u, v) = (direction.x * scale, direction.y * scale);
        let (u, v) =
            if direction.z < 0.0 { ((1.0 - v.abs()).copysign(u), (1.0 - u.abs()).copysign(v)) } else { (u, v) };
        let half = 0.5 * f64::from(self.resolution);
        let place = |w: f64| ((half + w * half + WHOLE).to_bits() as u32).min(self.resolution);
        (place(u) * (self.resolution + 1) + place(v)) as usize
    }
}

/// The direction at a place of the square that an octahedron is unfolded into: the lower half is outside of the diamond in the middle.
fn folded(u: f64, v: f64) -> DVec3 {
    let z = 1.0 - u.abs() - v.abs();
    if z < 0.0 { DVec3::new((1.0 - v.abs()).copysign(u), (1.0 - u.abs()).copysign(v), z) } else { DVec3::new(u, v, z) }
}

/// The highest of all corners.
fn highest(corners: &[DVec3], direction: DVec3) -> u32 {
    let (mut best, mut height) = (0, f64::NEG_INFINITY);
    for (corner, point) in (0..).zip(corners) {
        let at = direction.dot(*point);
        if at > height {
            (best, height) = (corner, at);
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

    /// How high the corners of a block are, and their tags.
    #[inline(always)]
    fn heights(&self, simd: S, Block([xs, ys, zs, tags]): &Block) -> (F4<S>, F4<S>) {
        let Self([x, y, z]) = *self;
        let (xs, ys, zs): (F4<S>, F4<S>, F4<S>) = ((*xs).simd_into(simd), (*ys).simd_into(simd), (*zs).simd_into(simd));
        (z.mul_add(zs, y.mul_add(ys, x * xs)), (*tags).simd_into(simd))
    }
}

/// The highest corner that each lane has seen; without a branch that depends on them.
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

    /// The same for all corners but one.
    #[inline(always)]
    fn see_others(&mut self, simd: S, along: &Along<S>, block: &Block, but: F4<S>) {
        let (heights, tags) = along.heights(simd, block);
        let higher = heights.simd_gt(self.heights) & tags.simd_ne(but);
        self.heights = higher.select(heights, self.heights);
        self.tags = higher.select(tags, self.tags);
    }

    /// The highest of all lanes with its number.
    #[inline(always)]
    fn of_all(self, simd: S) -> (f64, u32) {
        let ((low, high), (low_tag, high_tag)) = (simd.split_f64x4(self.heights), simd.split_f64x4(self.tags));
        let higher = high.simd_gt(low);
        let heights: [f64; 2] = higher.select(high, low).into();
        let tags: [f64; 2] = higher.select(high_tag, low_tag).into();
        let (height, tag) = if heights[1] > heights[0] { (heights[1], tags[1]) } else { (heights[0], tags[0]) };
        (height, untagged(tag))
    }
}

/// Who knows the neighbours of each corner. A trait, as a closure would not be compiled with the caller's instructions.
trait Neighbors {
    /// How high the highest is, and which.
    fn highest(&self, corner: u32) -> (f64, u32);

    /// Shows those that are on a level, or higher; until that has seen enough.
    fn show(&self, corner: u32, level: &mut Level) -> ControlFlow<()>;

    /// What is to be seen from a corner on a level, of whose neighbours this one is the highest.
    fn look_around(&self, corners: &[DVec3], place: Place, highest: u32, level: f64) -> Around;
}

/// Neighbours side by side.
struct Stars<'e, S> {
    simd: S,
    extremes: &'e Extremes,
    direction: DVec3,
}

impl<S: Simd> Stars<'_, S> {
    #[inline(always)]
    fn of(&self, corner: u32) -> &[[Block; 2]] {
        let starts = &self.extremes.star_starts;
        &self.extremes.stars[starts[corner as usize] as usize..starts[corner as usize + 1] as usize]
    }

    /// Whether a corner, its highest neighbour and perhaps one more are all that there is on its level: an edge or a triangle, as most directions
    /// have that a search ends with. Without a branch that depends on which it is: with a memory 180 ns a distance of 3,000 corners, where looks
    /// around take 195.
    #[inline(always)]
    fn are_few(&self, Place { corner, height }: Place, first: u32, level: f64) -> bool {
        let (simd, along) = (self.simd, Along::new(self.simd, self.direction));
        let lowest = height - level;
        let (corner_tag, first_tag) = (F4::splat(simd, tag(corner)), F4::splat(simd, tag(first)));
        let mut highest = Highest::new(simd);
        for [few, more] in self.of(corner) {
            highest.see_others(simd, &along, few, first_tag);
            highest.see_others(simd, &along, more, first_tag);
        }
        let (height, second) = highest.of_all(simd);
        let second = select_unpredictable(height < lowest, first, second);
        let (lowest, second_tag) = (F4::splat(simd, lowest), F4::splat(simd, tag(second)));
        let mut others = F4::splat(simd, 0.0).simd_gt(F4::splat(simd, 0.0));
        for (at, [this, that]) in
            [(corner, [first_tag, second_tag]), (first, [corner_tag, second_tag]), (second, [corner_tag, first_tag])]
        {
            for [few, more] in self.of(at) {
                for block in [few, more] {
                    let (heights, tags) = along.heights(simd, block);
                    others |= heights.simd_ge(lowest) & tags.simd_ne(this) & tags.simd_ne(that);
                }
            }
        }
        !others.any_true()
    }
}

impl<S: Simd> Neighbors for Stars<'_, S> {
    #[inline(always)]
    fn highest(&self, corner: u32) -> (f64, u32) {
        let (simd, along) = (self.simd, Along::new(self.simd, self.direction));
        let mut highest = Highest::new(simd);
        for [few, more] in self.of(corner) {
            highest.see(simd, &along, few);
            highest.see(simd, &along, more);
        }
        highest.of_all(simd)
    }

    #[inline(always)]
    fn show(&self, corner: u32, level: &mut Level) -> ControlFlow<()> {
        let (simd, along) = (self.simd, Along::new(self.simd, self.direction));
        let lowest = F4::splat(simd, level.floor - level.width);
        for block in self.of(corner).as_flattened() {
            let (heights, tags) = along.heights(simd, block);
            let mut lanes = heights.simd_ge(lowest).to_bitmask();
            let (heights, tags): ([f64; LANES], [f64; LANES]) = (heights.into(), tags.into());
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                level.see(untagged(tags[lane]), heights[lane])?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn look_around(&self, corners: &[DVec3], place: Place, highest: u32, level: f64) -> Around {
        if self.are_few(place, highest, level) {
            return Around::Highest(place.corner);
        }
        self.simd.vectorize(
            #[inline(always)]
            || look_around(self, corners, self.direction, place, level),
        )
    }
}

/// One after the other.
struct Rings<'e> {
    corners: &'e [DVec3],
    adjacency: &'e Adjacency,
    direction: DVec3,
}

impl Neighbors for Rings<'_> {
    #[inline]
    fn highest(&self, corner: u32) -> (f64, u32) {
        let mut best = (f64::NEG_INFINITY, corner);
        for &other in self.adjacency.neighbors(corner) {
            let height = self.direction.dot(self.corners[other as usize]);
            best = if height > best.0 { (height, other) } else { best };
        }
        best
    }

    fn show(&self, corner: u32, level: &mut Level) -> ControlFlow<()> {
        self.adjacency.neighbors(corner).iter().try_for_each(|&other| {
            let height = self.direction.dot(self.corners[other as usize]);
            if height < level.floor - level.width { ControlFlow::Continue(()) } else { level.see(other, height) }
        })
    }

    #[cold]
    fn look_around(&self, corners: &[DVec3], place: Place, _highest: u32, level: f64) -> Around {
        look_around(self, corners, self.direction, place, level)
    }
}

/// The highest corner, found along edges.
pub(super) fn climb(corners: &[DVec3], adjacency: &Adjacency, direction: DVec3, start: u32) -> u32 {
    climb_by(&Rings { corners, adjacency, direction }, corners, direction, start)
}

#[inline(always)]
fn climb_by(neighbors: &impl Neighbors, corners: &[DVec3], direction: DVec3, start: u32) -> u32 {
    let mut place = Place::new(corners, direction, start);
    loop {
        let next = neighbors.highest(place.corner);
        if place.is_below(next) {
            place = Place { corner: next.1, height: next.0 };
            continue;
        }
        match place.settled(neighbors, corners, direction, next) {
            Around::Higher(higher) => place = higher,
            Around::Highest(corner) => return corner,
        }
    }
}

/// Where a climb is. Its height comes from who knows the neighbours, after the first step: of heights that are rounded one way only, each is above
/// the one before, and a climb ends.
#[derive(Clone, Copy)]
struct Place {
    corner: u32,
    height: f64,
}

impl Place {
    #[inline(always)]
    fn new(corners: &[DVec3], direction: DVec3, corner: u32) -> Self {
        Self { corner, height: direction.dot(corners[corner as usize]) }
    }

    /// Whether the highest neighbour is higher.
    #[inline(always)]
    fn is_below(&self, next: (f64, u32)) -> bool {
        next.0 > self.height
    }

    /// Goes to the highest neighbour if that is higher. No branch: which of two bodies rises is not to be foreseen.
    #[inline(always)]
    fn rise(&mut self, next: (f64, u32)) {
        let higher = self.is_below(next);
        self.height = select_unpredictable(higher, next.0, self.height);
        self.corner = select_unpredictable(higher, next.1, self.corner);
    }

    /// The other place if that is higher.
    #[inline(always)]
    fn or_higher(self, other: Self) -> Self {
        if other.height > self.height { other } else { self }
    }

    /// What is to be seen from a corner whose highest neighbour, with its height, is not above itself.
    #[inline(always)]
    fn settled(&self, neighbors: &impl Neighbors, corners: &[DVec3], direction: DVec3, next: (f64, u32)) -> Around {
        let level = LEVEL * direction.abs().element_sum();
        if next.0 < self.height - level {
            return Around::Highest(self.corner);
        }
        neighbors.look_around(corners, *self, next.1, level)
    }
}

/// One of two polyhedra whose farthest corners are looked for at the same time.
#[derive(Clone, Copy)]
pub(super) struct Climber<'e> {
    pub extremes: &'e Extremes,
    pub corners: &'e [DVec3],
    pub adjacency: &'e Adjacency,
    pub direction: DVec3,
    /// A corner that is near the farthest.
    pub near: u32,
}

impl Climber<'_> {
    /// Where the table says; only where there are too many corners to look at them all.
    #[inline(always)]
    fn start(&self) -> Place {
        Place::new(self.corners, self.direction, self.extremes.starts[self.extremes.cell(self.direction)])
    }

    #[inline(always)]
    fn alone<S: Simd>(&self, simd: S, near: u32) -> u32 {
        self.extremes.farthest(simd, self.corners, self.direction, Some(near))
    }
}

/// The farthest corners of two polyhedra, as [`Extremes::farthest`] finds them. Where both have many corners they climb side by side, so that the
/// processor need not wait for the neighbours of one before it looks at those of the other.
#[inline(always)]
pub(super) fn farthest_of_both<S: Simd>(simd: S, a: Climber<'_>, b: Climber<'_>) -> (u32, u32) {
    if !a.extremes.blocks.is_empty() || !b.extremes.blocks.is_empty() {
        return (a.alone(simd, a.near), b.alone(simd, b.near));
    }
    let stars_a = Stars { simd, extremes: a.extremes, direction: a.direction };
    let stars_b = Stars { simd, extremes: b.extremes, direction: b.direction };
    let (mut at_a, mut at_b) = (Place::new(a.corners, a.direction, a.near), Place::new(b.corners, b.direction, b.near));
    let mut steps = 0;
    let (last_a, last_b) = loop {
        let (next_a, next_b) = (stars_a.highest(at_a.corner), stars_b.highest(at_b.corner));
        // The last corners stay as they are: what follows need not wait for the heights that only confirm them.
        if !(at_a.is_below(next_a) | at_b.is_below(next_b)) {
            break (next_a, next_b);
        }
        at_a.rise(next_a);
        at_b.rise(next_b);
        steps += 1;
        // Not so near after all.
        if steps == MOST_NEAR {
            at_a = at_a.or_higher(a.start());
            at_b = at_b.or_higher(b.start());
        }
    };
    let around_a = at_a.settled(&stars_a, a.corners, a.direction, last_a);
    let around_b = at_b.settled(&stars_b, b.corners, b.direction, last_b);
    let finish = |climber: &Climber<'_>, around: Around| match around {
        Around::Highest(corner) => corner,
        Around::Higher(place) => climb(climber.corners, climber.adjacency, climber.direction, place.corner),
    };
    (finish(&a, around_a), finish(&b, around_b))
}

/// What is to be seen from a corner on a level.
enum Around {
    /// One that is higher beyond rounding.
    Higher(Place),
    /// The highest corner of all.
    Highest(u32),
}

/// The corners of one height, up to rounding, that were reached.
struct Level {
    floor: f64,
    /// Heights that differ by no more may be one.
    width: f64,
    reached: [u32; MOST_LEVEL],
    count: usize,
    /// The highest of them.
    best: (f64, u32),
    /// One that is higher beyond rounding.
    higher: Option<Place>,
}

impl Level {
    /// Takes a corner that is not lower; ends with one that is higher, or where there are too many.
    #[inline(always)]
    fn see(&mut self, corner: u32, height: f64) -> ControlFlow<()> {
        if height > self.floor + self.width {
            self.higher = Some(Place { corner, height });
            return ControlFlow::Break(());
        }
        if self.reached[..self.count].contains(&corner) {
            return ControlFlow::Continue(());
        }
        let Some(place) = self.reached.get_mut(self.count) else { return ControlFlow::Break(()) };
        (*place, self.count) = (corner, self.count + 1);
        self.best = if height > self.best.0 { (height, corner) } else { self.best };
        ControlFlow::Continue(())
    }
}

/// Looks at all corners that can be reached through corners as high as this one, up to rounding.
#[inline(always)]
fn look_around(neighbors: &impl Neighbors, corners: &[DVec3], direction: DVec3, place: Place, width: f64) -> Around {
    let Place { corner, height: floor } = place;
    let reached = [corner; MOST_LEVEL];
    let mut level = Level { floor, width, reached, count: 1, best: (floor, corner), higher: None };
    let mut next = 0;
    while let Some(&here) = level.reached[..level.count].get(next) {
        next += 1;
        if neighbors.show(here, &mut level).is_break() {
            return level.higher.map_or_else(|| Around::Highest(highest(corners, direction)), Around::Higher);
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
    fn climbing_finds_what_looking_at_every_corner_finds() {
        let mut random = Random(31);
        for (name, points) in point_sets(&mut random) {
            let Ok((body, ..)) = Body::hull_of(&points) else { continue };
            let mut directions: Vec<DVec3> =
                (0..300).map(|_| DVec3::new(random.signed(), random.signed(), random.signed())).collect();
            directions.extend(DVec3::AXES.iter().flat_map(|&axis| [axis, -axis, axis * 1e-200, axis * 1e150]));
            // Along normals and edges whole faces are as high, or differ by rounding.
            let normals = body.normals.iter().take(200);
            directions.extend(normals.flat_map(|&n| [n, -n, n + DVec3::new(1e-16, -1e-16, 1e-17)]));
            directions.push(DVec3::ZERO);
            for direction in directions {
                let found = direction.dot(body.corners[body.farthest(direction) as usize]);
                let truth = direction.dot(body.corners[highest(&body.corners, direction) as usize]);
                let allowed = 7.0 * UNIT_ROUNDOFF * direction.abs().element_sum();
                assert!(found >= truth - allowed, "{name}: {direction} {found} {truth}");
            }
        }
    }

    /// What is found from each corner, with all instructions that the processor has: alone, and beside another climb.
    struct FromAll<'b>(&'b Body, DVec3);

    impl Vectorized for FromAll<'_> {
        type Output = Vec<u32>;

        #[inline(always)]
        fn run<S: Lanes8>(self, simd: S) -> Vec<u32> {
            let Self(body, direction) = self;
            let climber = |near| Climber {
                extremes: &body.extremes,
                corners: &body.corners,
                adjacency: &body.adjacency,
                direction,
                near,
            };
            let from = |near: u32| {
                let (one, other) = farthest_of_both(simd, climber(near), climber(0));
                [climber(near).alone(simd, near), one, other]
            };
            (0..body.corners.len() as u32).flat_map(from).collect()
        }
    }

    #[test]
    fn climbs_by_fused_heights_find_the_highest_and_end_however_short_the_direction_is() {
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
        let ball =
            (0..120).map(|_| DVec3::new(random.signed(), random.signed(), random.signed()).normalize()).collect();
        for points in [prism, ball] {
            let (body, ..) = Body::hull_of(&points).unwrap();
            assert!(body.corners.len() > MOST_SCANNED);
            for _ in 0..200 {
                let whole = DVec3::new(random.signed(), random.signed(), random.signed());
                for direction in
                    [whole, (whole * 4.0).round() * 5e-324, (whole * 40.0).round() * 5e-324, whole * 1e-310]
                {
                    let found = vectorized(SimdLevel::Best, FromAll(&body, direction));
                    // Where there are no smaller numbers heights tell nothing, but the climb must end.
                    if direction.abs().element_sum() < f64::MIN_POSITIVE {
                        continue;
                    }
                    let truth = direction.dot(body.corners[highest(&body.corners, direction) as usize]);
                    let allowed = 7.0 * UNIT_ROUNDOFF * direction.abs().element_sum();
                    for found in found {
                        let found = direction.dot(body.corners[found as usize]);
                        assert!(found >= truth - allowed, "{direction}: {found} {truth}");
                    }
                }
            }
        }
    }

    /// A needle's tip is cut into a tiny fan whose edges all look level: climbing by rounded heights alone would stay there.
    #[test]
    fn a_level_of_short_edges_does_not_hold_the_climb() {
        let mut random = Random(32);
        let mut points: Vec<DVec3> = (0..40)
            .map(|_| DVec3::new(random.signed(), random.signed(), random.signed()).normalize() * 1e-15 + DVec3::X)
            .collect();
        points.extend((0..40).map(|_| DVec3::new(-1.0, random.signed(), random.signed() * 1e-3)));
        let (body, ..) = Body::hull_of(&points).unwrap();
        for _ in 0..2000 {
            let direction = DVec3::new(random.signed() * 1e-3, random.signed(), random.signed());
            for start in 0..body.corners.len() as u32 {
                let found = climb(&body.corners, &body.adjacency, direction, start);
                let [found, truth] = [found, highest(&body.corners, direction)];
                let [found, truth] = [found, truth].map(|corner| direction.dot(body.corners[corner as usize]));
                assert!(found >= truth - 7.0 * UNIT_ROUNDOFF * direction.abs().element_sum(), "{direction} {start}");
            }
        }
    }
}
