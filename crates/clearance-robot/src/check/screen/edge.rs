//! Straight motions: intervals in lanes, shorter ones where they are open, and the exact motion
//! checker for what is left of pairs and time.
//!
//! First the ends of intervals are looked at for a collision, eight at a time spread all over the
//! edge: one that is certain, or one that an exact test finds where spheres do not separate a pair.
//! Most edges in collision end there. Then the intervals are proven free. One that stays open is cut
//! into eight, for the pairs that are open in it. A pair that spheres separate at neither end is left
//! as it is: they would hardly do so in between.

use super::exact::{Exact, Subject};
use super::forward::{LANES, Rate, U};
use super::kernel::{END, Item, Kernel, START, Scratch, of_lane};
use super::model::EDGE_CLEARANCE;
use super::tally::ByEdge;
use crate::Result;
use crate::check::motion::{Find, MotionChecker, MotionRequest, MotionVerdict, Obstacle};
use clearance_engine::assembly::PartId;
use clearance_engine::math::SimdLevel;
use clearance_engine::math::lanes::{Lanes8, Vectorized, vectorized};
use std::cmp::Reverse;

/// Intervals for each unit of joint space, radians or metres, at first.
const PER_UNIT: f64 = 7.4;

/// Exact tests for each unit, where something is left for the motion checker.
const SAMPLES: f64 = 24.0;

/// Edges longer than this go to the motion checker, which knows about whole turns.
pub(super) const LONGEST: f64 = 64.0;

/// How often an interval is cut into eight.
const MAX_DEPTH: u8 = 2;

/// A part of an edge, and where its open pairs are listed.
#[derive(Debug, Clone, Copy)]
struct Interval {
    times: [f64; 2],
    depth: u8,
    items: [usize; 2],
}

/// What an edge needs besides the memory of blocks.
#[derive(Default)]
pub(super) struct EdgeMemory {
    rates: Vec<Rate>,
    bends: [Vec<f32>; 2],
    intervals: Vec<Interval>,
    items: Vec<Item>,
    suspects: Vec<Suspect>,
    configuration: Vec<f64>,
}

/// A time at which some listed pairs may touch.
#[derive(Debug, Clone, Copy)]
struct Suspect {
    /// Its place among all times that are looked at.
    place: usize,
    time: f64,
    items: [usize; 2],
    /// How likely it is that one touches: more is tested earlier.
    worth: usize,
}

/// What becomes of an edge in lanes.
pub(super) enum Screened {
    Free,
    /// Spheres inside prove it, or an exact test.
    Collides(ByEdge),
    /// Parts of it are left for the motion checker.
    Left(Vec<LeftOver>),
}

/// A part of an edge, and pairs that are neither proven free nor known to touch there.
pub(super) struct LeftOver {
    times: [f64; 2],
    items: Vec<Item>,
}

/// One edge, while it is looked at.
pub(super) struct EdgeScreen<'e> {
    pub(super) subject: Subject<'e>,
    pub(super) ends: [&'e [f64]; 2],
    pub(super) scratch: &'e mut Scratch,
    pub(super) exact: &'e mut Exact,
    pub(super) memory: &'e mut EdgeMemory,
}

impl EdgeScreen<'_> {
    pub(super) fn run(mut self) -> Result<Screened> {
        let length = length_of(self.ends);
        let blocks = ((length * PER_UNIT / LANES as f64).ceil() as usize).max(1);
        let count = (blocks * LANES) as f64;
        // Lane by lane all over the edge.
        let times =
            |block: usize, slot: usize| std::array::from_fn(|lane| (lane * blocks + block + slot) as f64 / count);
        self.memory.suspects.clear();
        self.memory.items.clear();
        for block in (0..blocks).rev() {
            let ends: [f64; LANES] = times(block, END);
            self.fill(END, &ends);
            if self.pass(Pass::Ends { guess: self.subject.obstacles.guess }, false) {
                return Ok(Screened::Collides(ByEdge::Inside));
            }
            if self.scratch.guessed() != 0 {
                if self.guess_touches(&ends)? {
                    return Ok(Screened::Collides(ByEdge::Tested));
                }
                // Where a lane was left alone, it is not known what else is near there.
                let next = if self.scratch.dropped == 0 { Pass::Screen } else { Pass::Ends { guess: false } };
                if self.pass(next, true) {
                    return Ok(Screened::Collides(ByEdge::Inside));
                }
            }
            self.suspect(&ends, |lane| lane * blocks + block);
        }
        if self.suspects_touch()? {
            return Ok(Screened::Collides(ByEdge::Tested));
        }
        let mut left = Vec::new();
        self.bound();
        self.grow(1.0 / count);
        self.memory.intervals.clear();
        self.memory.items.clear();
        for block in (0..blocks).rev() {
            let both: [[f64; LANES]; 2] = [times(block, START), times(block, END)];
            self.fill(START, &both[START]);
            if blocks > 1 {
                self.fill(END, &both[END]);
            }
            self.pass(Pass::Everything, blocks == 1);
            self.push(&both, 1, &mut left);
        }
        while let Some(interval) = self.memory.intervals.pop() {
            // Those that were listed later are done with.
            self.memory.items.truncate(interval.items[1]);
            let [begin, end] = interval.times;
            let step = (end - begin) / LANES as f64;
            let at = |i: usize| if i == LANES { end } else { begin + i as f64 * step };
            let both = [START, END].map(|slot| std::array::from_fn(|lane| at(lane + slot)));
            self.fill(START, &both[START]);
            self.fill(END, &both[END]);
            self.grow(step);
            self.pass(Pass::Items(interval.items), false);
            self.push(&both, interval.depth + 1, &mut left);
        }
        Ok(if left.is_empty() { Screened::Free } else { Screened::Left(left) })
    }

    /// The configurations at a time for each lane.
    fn fill(&mut self, slot: usize, times: &[f64; LANES]) {
        let [from, to] = self.ends;
        let rows = &mut self.scratch.configurations[slot];
        rows.resize(from.len(), [0.0; LANES]);
        for ((row, from), to) in rows.iter_mut().zip(from).zip(to) {
            for (value, time) in row.iter_mut().zip(times) {
                *value = between(*from, *to, *time);
            }
        }
    }

    /// The bounds of accelerations along the edge.
    fn bound(&mut self) {
        let screen = self.subject.screen;
        let EdgeMemory { rates, bends: [parts, pairs], .. } = &mut *self.memory;
        screen.chain.rates(self.ends[0], self.ends[1], rates);
        parts.clear();
        parts.extend((0..screen.parts.len()).map(|part| screen.part_bend(part, rates)));
        pairs.clear();
        pairs.extend((0..screen.pairs.len()).map(|pair| screen.pair_bend(pair, rates)));
    }

    /// What intervals of this length add to radii: a few roundings more than the sum.
    fn grow(&mut self, length: f64) {
        let screen = self.subject.screen;
        let square = (length * length) as f32;
        let more = (1.0 + 24.0 * U) as f32;
        let grown = |bend: f32, error: f32| (bend * square + error) * more;
        let parts = screen.parts.iter().zip(&self.memory.bends[0]).map(|(part, bend)| grown(*bend, part.edge_error));
        self.scratch.part_growth.clear();
        self.scratch.part_growth.extend(parts);
        let pairs = screen.pairs.iter().zip(&self.memory.bends[1]).map(|(pair, bend)| grown(*bend, pair.edge_error));
        self.scratch.pair_growth.clear();
        self.scratch.pair_growth.extend(pairs);
    }

    /// Whether anything certainly collides at the ends; what else the pass finds is in the scratch.
    fn pass(&mut self, pass: Pass, is_placed: bool) -> bool {
        let items = &self.memory.items[..];
        let block = Block { subject: self.subject, scratch: self.scratch, items, pass, is_placed };
        vectorized(SimdLevel::Best, block)
    }

    /// Whether one of the guesses is right, in the lane that has most of them.
    fn guess_touches(&mut self, times: &[f64; LANES]) -> Result<bool> {
        let count = |lane: &usize| of_lane(&self.scratch.guesses, *lane).count();
        let Some(lane) = (0..LANES).max_by_key(count) else { return Ok(false) };
        let begin = self.memory.items.len();
        self.memory.items.extend(of_lane(&self.scratch.guesses, lane));
        let touches = self.touches(times[lane], [begin, self.memory.items.len()])?;
        self.memory.items.truncate(begin);
        Ok(touches)
    }

    /// Lists the lanes in which spheres do not separate all pairs, with those that they do not.
    fn suspect(&mut self, times: &[f64; LANES], place: impl Fn(usize) -> usize) {
        let open = &self.scratch.open;
        let EdgeMemory { suspects, items, .. } = &mut *self.memory;
        let any = open.iter().fold(0, |lanes, open| lanes | open.lanes);
        for lane in (0..LANES).filter(|lane| any >> lane & 1 == 1) {
            let begin = items.len();
            items.extend(of_lane(open, lane));
            suspects.push(Suspect { place: place(lane), time: times[lane], items: [begin, items.len()], worth: 0 });
        }
    }

    /// Whether the robot touches anything at any of the listed times, by exact tests of the pairs that
    /// spheres do not separate there.
    fn suspects_touch(&mut self) -> Result<bool> {
        let mut suspects = std::mem::take(&mut self.memory.suspects);
        suspects.sort_unstable_by_key(|suspect| suspect.place);
        // Times with many open pairs first, and those in the middle of a run.
        for run in suspects.chunk_by_mut(|a, b| a.place + 1 == b.place) {
            let length = run.len();
            for (i, suspect) in run.iter_mut().enumerate() {
                suspect.worth = suspect.items[1] - suspect.items[0] + 2 * i.min(length - 1 - i);
            }
        }
        suspects.sort_unstable_by_key(|suspect| Reverse((suspect.worth, suspect.place)));
        let mut touches = false;
        for suspect in &suspects {
            touches = self.touches(suspect.time, suspect.items)?;
            if touches {
                break;
            }
        }
        self.memory.suspects = suspects;
        Ok(touches)
    }

    /// Whether one of some listed pairs touches at a time.
    fn touches(&mut self, time: f64, [begin, end]: [usize; 2]) -> Result<bool> {
        let [from, to] = self.ends;
        let EdgeMemory { configuration, items, .. } = &mut *self.memory;
        configuration.clear();
        configuration.extend(from.iter().zip(to).map(|(a, b)| between(*a, *b, time)));
        self.exact.any_touches(&self.subject, configuration, items[begin..end].iter().copied())
    }

    /// Lists the lanes that are open: as intervals to be cut, or as left over where that is of no use.
    fn push(&mut self, times: &[[f64; LANES]; 2], depth: u8, left: &mut Vec<LeftOver>) {
        let opened = &self.scratch.open;
        let EdgeMemory { intervals, items, .. } = &mut *self.memory;
        for lane in 0..LANES {
            let times = [times[START][lane], times[END][lane]];
            let begin = items.len();
            let mut rest = Vec::new();
            for open in opened.iter().filter(|open| open.lanes >> lane & 1 == 1) {
                let stuck = open.still & (open.still << 1 | open.still & 1);
                if depth > MAX_DEPTH || stuck >> lane & 1 == 1 {
                    rest.push(open.item);
                } else {
                    items.push(open.item);
                }
            }
            if items.len() > begin {
                intervals.push(Interval { times, depth, items: [begin, items.len()] });
            }
            if !rest.is_empty() {
                left.push(LeftOver { times, items: rest });
            }
        }
    }
}

/// The length of an edge in joint space.
fn length_of([from, to]: [&[f64]; 2]) -> f64 {
    from.iter().zip(to).map(|(a, b)| (b - a) * (b - a)).sum::<f64>().sqrt()
}

/// A number at a time between two, as the motion checker computes it.
fn between(from: f64, to: f64, t: f64) -> f64 {
    from + (to - from) * t
}

/// What a pass over a block looks at.
#[derive(Debug, Clone, Copy)]
enum Pass {
    /// Whether anything certainly collides at the ends, and what is open there; with `guess`, what
    /// probably touches, if anything.
    Ends { guess: bool },
    /// What is open there, after that.
    Screen,
    /// All that is open over the intervals.
    Everything,
    /// Some pairs, by their range in the list.
    Items([usize; 2]),
}

struct Block<'b> {
    subject: Subject<'b>,
    scratch: &'b mut Scratch,
    items: &'b [Item],
    pass: Pass,
    /// Whether the robot is placed at the ends already.
    is_placed: bool,
}

impl Vectorized for Block<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> bool {
        let Self { subject, scratch, items, pass, is_placed } = self;
        let guess = matches!(pass, Pass::Ends { guess: true });
        let mut kernel =
            Kernel { simd, model: subject.screen, obstacles: subject.obstacles, scratch, guess, by_lane: false };
        const ALL: u32 = (1 << LANES) - 1;
        if !is_placed {
            kernel.place(END);
        }
        match pass {
            Pass::Ends { .. } => {
                if kernel.certain(END, ALL, true, true) != 0 {
                    return true;
                }
                kernel.scratch.open.clear();
                if kernel.scratch.guesses.is_empty() {
                    kernel.screen(END, ALL);
                }
            }
            Pass::Screen => kernel.screen(END, ALL),
            Pass::Everything => {
                kernel.place(START);
                kernel.screen_edge(ALL);
            }
            Pass::Items([begin, end]) => {
                kernel.place(START);
                kernel.scratch.open.clear();
                for &item in &items[begin..end] {
                    kernel.item_open(item, ALL);
                }
            }
        }
        false
    }
}

/// How the parts of an edge that the screen left are decided, by exact tests and the exact motion
/// checker. `None` where a pair is so near that its verdict depends on which times are looked at.
pub(super) fn left_is_free(
    subject: &Subject<'_>,
    [from, to]: [&[f64]; 2],
    left: Vec<LeftOver>,
    exact: &mut Exact,
    motions: &mut MotionChecker<'_>,
) -> Result<Option<ByEdge>> {
    let request = MotionRequest { find: Find::Any, ..MotionRequest::default() };
    let merged = merged(left);
    // A contact is found sooner than what is free is proven.
    let at = |t: f64| -> Vec<f64> { from.iter().zip(to).map(|(a, b)| between(*a, *b, t)).collect() };
    let length = length_of([from, to]);
    for LeftOver { times: [begin, end], items } in &merged {
        let count = ((end - begin) * length * SAMPLES).ceil().clamp(1.0, 16.0);
        for i in 0..count as usize {
            let t = begin + (end - begin) * (i as f64 + 0.5) / count;
            if exact.any_touches(subject, &at(t), items.iter().copied())? {
                return Ok(Some(ByEdge::Tested));
            }
        }
    }
    for LeftOver { times, items } in merged {
        let ends = times.map(at);
        let pairs: Option<Vec<_>> = items.iter().map(|&item| named(subject, item)).collect();
        let Some(pairs) = pairs else { return Ok(None) };
        let ends = [&ends[0][..], &ends[1]];
        let pairs = pairs.into_iter();
        match motions.segment_of_pairs(subject.base, ends, &request, EDGE_CLEARANCE, pairs)? {
            MotionVerdict::Free { margin } if margin > EDGE_CLEARANCE => {}
            MotionVerdict::Contact(contact) if contact.gap == 0.0 => return Ok(Some(ByEdge::Touching)),
            _ => return Ok(None),
        }
    }
    Ok(Some(ByEdge::Proven))
}

/// The same pair by pair without cuts: neighbours are one motion, to which a distance in its middle
/// is worth more. Pairs that are left over the same times are looked at together.
fn merged(left: Vec<LeftOver>) -> Vec<LeftOver> {
    let each = left.iter().flat_map(|left| left.items.iter().map(|item| (*item, left.times)));
    let mut pieces: Vec<(Item, [f64; 2])> = each.collect();
    pieces.sort_unstable_by(|(a, of_a), (b, of_b)| a.cmp(b).then(of_a[0].total_cmp(&of_b[0])));
    pieces.dedup_by(|(item, times), (last, until)| {
        let goes_on = item == last && times[0] <= until[1];
        if goes_on {
            until[1] = until[1].max(times[1]);
        }
        goes_on
    });
    pieces.sort_by(|(_, a), (_, b)| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let together = pieces.chunk_by(|(_, a), (_, b)| a == b);
    together
        .map(|together| LeftOver { times: together[0].1, items: together.iter().map(|(item, _)| *item).collect() })
        .collect()
}

/// A pair as the motion checker names it.
fn named(subject: &Subject<'_>, item: Item) -> Option<(PartId, Obstacle)> {
    let parts = |part: u32| subject.model.part_id(part);
    match item {
        Item::Own(pair) => {
            let [a, b] = subject.screen.pairs[pair as usize].tested;
            Some((parts(a.min(b))?, Obstacle::Own(parts(a.max(b))?)))
        }
        Item::Scene(part, place) => {
            let object = subject.obstacles.list[place as usize].number;
            Some((parts(part)?, Obstacle::Scene(subject.scene.assembly().id(object)?)))
        }
    }
}
