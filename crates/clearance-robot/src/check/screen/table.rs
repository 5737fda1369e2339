//! Tables for pairs of parts that two variables alone move against each other: what holds in each
//! cell of the square of their values, proven once.
//!
//! Cells are decided from large to small. A pair is free all over a cell if its distance in the
//! middle exceeds what both joints can move it by. Pieces of the second part, each in a sphere of its
//! cover, may move farther if that sphere is as far from all spheres around the first part. A pair
//! touches all over a cell if two spheres inside of its parts overlap by more than that there, and
//! neither part is inside of the other. A cell is
//! [`SLACK`] wider than it is looked up by, which is more than `f64` rounds values of joints by.

use super::cover::{Component, Cover};
use super::forward::LANES;
use super::model::{Covers, EDGE_CLEARANCE, ScreenModel, ScreenPair};
use super::planning::{PlanningOptions, each};
use crate::Result;
use crate::check::collision_model::CollisionModel;
use crate::check::parts::{Part, from_engine};
use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use clearance_engine::query::DistanceRequest;
use clearance_engine::traversal::Workspace;
use clearance_engine::volume::BoundingSphere;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// By how much cells are wider on each side, in radians or metres.
const SLACK: f64 = 1e-9;

/// The bit of cells in which a pair certainly touches; the others are of single pairs.
const TOUCHING: u8 = 7;

/// A part as it was when a table was made.
#[derive(Debug, Clone, PartialEq)]
struct KnownPart {
    link: usize,
    link_from_part: Pose,
    revision: u64,
}

impl KnownPart {
    fn of(part: &Part) -> Self {
        Self { link: part.link, link_from_part: part.link_from_part, revision: part.geometry.revision() }
    }
}

/// A pair of a table, and the offset up to which it is proven free.
#[derive(Debug, Clone)]
pub(super) struct KnownPair {
    parts: [KnownPart; 2],
    pub(super) offset: f64,
}

impl KnownPair {
    /// Whether it is about these parts of a model.
    pub(super) fn is(&self, model: &CollisionModel, tested: [u32; 2]) -> bool {
        let same = |known: &KnownPart, part: u32| *known == KnownPart::of(&model.parts()[part as usize]);
        same(&self.parts[0], tested[0]) && same(&self.parts[1], tested[1])
    }
}

/// A table by the numbers of parts, for files.
pub(super) struct Saved {
    pub(super) variables: [usize; 2],
    pub(super) low: [f64; 2],
    pub(super) scale: [f64; 2],
    pub(super) count: usize,
    pub(super) cells: Vec<u8>,
    pub(super) pairs: Vec<([usize; 2], f64)>,
}

/// What is proven of pairs over two variables.
#[derive(Debug)]
pub(super) struct Table {
    variables: [usize; 2],
    low: [f64; 2],
    /// Cells in a unit.
    scale: [f64; 2],
    count: usize,
    cells: Vec<u8>,
    pairs: Vec<KnownPair>,
}

impl Table {
    /// The table for files, if a model has all of its parts.
    pub(super) fn saved(&self, model: &CollisionModel) -> Option<Saved> {
        let place = |known: &KnownPart| model.parts().iter().position(|part| *known == KnownPart::of(part));
        let pair = |pair: &KnownPair| Some(([place(&pair.parts[0])?, place(&pair.parts[1])?], pair.offset));
        let pairs = self.pairs.iter().map(pair).collect::<Option<_>>()?;
        let Self { variables, low, scale, count, ref cells, .. } = *self;
        Some(Saved { variables, low, scale, count, cells: cells.clone(), pairs })
    }

    /// The table of a file.
    pub(super) fn restored(model: &CollisionModel, saved: Saved) -> Self {
        let Saved { variables, low, scale, count, cells, pairs } = saved;
        let known = |(parts, offset): ([usize; 2], f64)| KnownPair {
            parts: parts.map(|part| KnownPart::of(&model.parts()[part])),
            offset,
        };
        Self { variables, low, scale, count, cells, pairs: pairs.into_iter().map(known).collect() }
    }

    pub(super) fn pairs(&self) -> &[KnownPair] {
        &self.pairs
    }

    /// The row or column of a value, which is within the limits.
    #[inline(always)]
    fn place(&self, axis: usize, value: f64) -> usize {
        (((value - self.low[axis]) * self.scale[axis]).max(0.0) as usize).min(self.count - 1)
    }

    /// The lanes, of those asked about, in which a pair is free, and in which something touches.
    #[inline(always)]
    pub(super) fn decide(&self, configurations: &[[f64; LANES]], lanes: u32, bit: u8) -> (u32, u32) {
        let (mut free, mut touching, mut left) = (0, 0, lanes);
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let value = |axis: usize| configurations[self.variables[axis]][lane];
            let cell = self.cells[self.place(0, value(0)) * self.count + self.place(1, value(1))];
            free |= u32::from(cell >> bit & 1) << lane;
            touching |= u32::from(cell >> TOUCHING) << lane;
        }
        (free, touching)
    }

    /// The lanes, of those asked about, in which a pair is free all the way between two
    /// configurations.
    #[inline(always)]
    pub(super) fn free_between(&self, configurations: &[Vec<[f64; LANES]>; 2], lanes: u32, bit: u8) -> u32 {
        let (mut free, mut left) = (0, lanes);
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let range = |axis: usize| {
                let [a, b] = [0, 1].map(|slot| self.place(axis, configurations[slot][self.variables[axis]][lane]));
                a.min(b)..=a.max(b)
            };
            let all = range(0).all(|x| range(1).all(|y| self.cells[x * self.count + y] >> bit & 1 == 1));
            free |= u32::from(all) << lane;
        }
        free
    }

    /// All tables of a robot, for pairs that are not proven apart, on several threads when asked;
    /// `progress` is called with how many are done, and of how many.
    pub(super) fn all(
        model: &CollisionModel,
        screen: &ScreenModel,
        covers: &Covers,
        options: &PlanningOptions,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Vec<Arc<Self>>> {
        let mut groups: BTreeMap<[usize; 2], Vec<&ScreenPair>> = BTreeMap::new();
        for pair in &screen.pairs {
            if let Some(variables) = two_variables(model, screen, pair) {
                groups.entry(variables).or_default().push(pair);
            }
        }
        let groups: Vec<([usize; 2], &[&ScreenPair])> = groups
            .iter()
            .flat_map(|(variables, pairs)| pairs.chunks(TOUCHING as usize).map(|pairs| (*variables, pairs)))
            .collect();
        let done = AtomicUsize::new(0);
        progress(0, groups.len());
        let tables = each(&groups, options.threads, |(variables, pairs)| {
            let table = Self::new(model, screen, covers, *variables, pairs, options.table_cells);
            progress(1 + done.fetch_add(1, Ordering::Relaxed), groups.len());
            table.map(Arc::new)
        })?;
        tables.into_iter().collect()
    }

    fn new(
        model: &CollisionModel,
        screen: &ScreenModel,
        covers: &Covers,
        variables: [usize; 2],
        pairs: &[&ScreenPair],
        count: usize,
    ) -> Result<Self> {
        let known = |pair: &&ScreenPair| KnownPair {
            parts: pair.tested.map(|part| KnownPart::of(&model.parts()[part as usize])),
            offset: pair.offset,
        };
        let limits = variables.map(|variable| model.robot().variables()[variable].limits);
        let range = |axis: usize| limits[axis].map_or([0.0; 2], |limits| [limits.lower, limits.upper]);
        let width = [0, 1].map(|axis| (range(axis)[1] - range(axis)[0]).max(f64::MIN_POSITIVE));
        let mut table = Self {
            variables,
            low: [range(0)[0], range(1)[0]],
            scale: width.map(|width| count as f64 / width),
            count,
            cells: vec![0; count * count],
            pairs: pairs.iter().map(known).collect(),
        };
        let mut maker = Maker::new(model, screen, covers, variables, pairs)?;
        maker.fill(&mut table, [[0, count], [0, count]], (1 << pairs.len()) - 1)?;
        Ok(table)
    }
}

/// The variables between the parts of a pair if there are two, within limits.
fn two_variables(model: &CollisionModel, screen: &ScreenModel, pair: &ScreenPair) -> Option<[usize; 2]> {
    let mut variables = Vec::new();
    for (body, _) in screen.between(pair) {
        let (variable, _) = screen.chain.variable(body)?;
        model.robot().variables()[variable].limits?;
        if !variables.contains(&variable) {
            variables.push(variable);
        }
    }
    variables.try_into().ok()
}

/// A pair while its table is made.
struct Making {
    parts: [Part; 2],
    covers: [Arc<Cover>; 2],
    inner: bool,
    offset: f64,
    /// How far a unit of each variable moves the second part, at most.
    speeds: [f64; 2],
    /// The spheres of the second part, each with how far a unit moves it.
    pieces: Vec<(BoundingSphere, [f64; 2])>,
}

struct Maker<'m> {
    model: &'m CollisionModel,
    pairs: Vec<Making>,
    configuration: Vec<f64>,
    poses: Vec<Pose>,
    workspace: Workspace,
}

impl<'m> Maker<'m> {
    fn new(
        model: &'m CollisionModel,
        screen: &ScreenModel,
        covers: &Covers,
        variables: [usize; 2],
        pairs: &[&ScreenPair],
    ) -> Result<Self> {
        let making = |pair: &&ScreenPair| -> Result<Making> {
            let parts = pair.tested.map(|part| model.parts()[part as usize].clone());
            let cover = |part: &Part| match covers.get(&part.geometry.revision()) {
                Some(cover) => Ok(cover.clone()),
                None => Cover::of(&*part.geometry).map(Arc::new),
            };
            let speeds = |between: &[(usize, f64)]| {
                let mut speeds = [0.0; 2];
                for &(body, reach) in between {
                    let Some((variable, factor)) = screen.chain.variable(body) else { continue };
                    let speed = factor.abs() * if screen.chain.turns(body) { reach } else { 1.0 };
                    speeds[usize::from(variable != variables[0])] += speed;
                }
                speeds
            };
            let covers = [cover(&parts[0])?, cover(&parts[1])?];
            let piece = |sphere: &BoundingSphere| {
                (*sphere, speeds(&screen.between_sphere(model.robot(), pair, &parts[1], sphere)))
            };
            Ok(Making {
                pieces: covers[1].fine().map(piece).collect(),
                covers,
                parts,
                inner: pair.inner,
                offset: pair.offset,
                speeds: speeds(&screen.between(pair)),
            })
        };
        Ok(Self {
            model,
            pairs: pairs.iter().map(making).collect::<Result<_>>()?,
            configuration: model.robot().default_configuration(),
            poses: Vec::new(),
            workspace: Workspace::default(),
        })
    }

    /// Decides the pairs of `open` all over a range of cells, or its halves.
    fn fill(&mut self, table: &mut Table, range: [[usize; 2]; 2], mut open: u8) -> Result<()> {
        let width = |axis: usize| (range[axis][1] - range[axis][0]) as f64 / table.scale[axis];
        let half = [0, 1].map(|axis| 0.5 * width(axis) + SLACK);
        for axis in [0, 1] {
            let middle = 0.5 * (range[axis][0] + range[axis][1]) as f64 / table.scale[axis];
            self.configuration[table.variables[axis]] = table.low[axis] + middle;
        }
        self.model.robot().link_poses(&Pose::IDENTITY, &self.configuration, &mut self.poses)?;
        let (mut free, mut touching) = (0, false);
        for bit in (0..self.pairs.len()).filter(|bit| open >> bit & 1 == 1) {
            let pair = &self.pairs[bit];
            let moved = moved(half, pair.speeds);
            match pair.seen(self.model, &self.poses, half, moved, &mut self.workspace)? {
                Seen::Free => free |= 1 << bit,
                Seen::Touching => touching = true,
                Seen::Open => {}
            }
        }
        open &= !free;
        let mark = free | if touching { 1 << TOUCHING } else { 0 };
        if mark != 0 {
            for x in range[0][0]..range[0][1] {
                table.cells[x * table.count..][range[1][0]..range[1][1]].iter_mut().for_each(|cell| *cell |= mark);
            }
        }
        let whole = |axis: usize| range[axis][1] - range[axis][0] <= 1;
        if open == 0 || touching || whole(0) && whole(1) {
            return Ok(());
        }
        let longer = usize::from(whole(0) || !whole(1) && width(1) > width(0));
        let [begin, end] = range[longer];
        let mut halves = [range; 2];
        halves[0][longer][1] = (begin + end) / 2;
        halves[1][longer][0] = (begin + end) / 2;
        for half in halves {
            self.fill(table, half, open)?;
        }
        Ok(())
    }
}

/// How far things move at most when both variables change by these amounts.
fn moved(half: [f64; 2], speeds: [f64; 2]) -> f64 {
    (half[0] * speeds[0] + half[1] * speeds[1]) * (1.0 + 1e-9) + SLACK
}

enum Seen {
    Free,
    Touching,
    Open,
}

impl Making {
    /// What holds when both variables change by no more than `half`, which moves the second part by
    /// no more than `moved`.
    fn seen(
        &self,
        model: &CollisionModel,
        poses: &[Pose],
        half: [f64; 2],
        moved: f64,
        workspace: &mut Workspace,
    ) -> Result<Seen> {
        let [a, b] = &self.parts;
        let a_from_b = a.placed(&poses[a.link]).inverse().then(&b.placed(&poses[b.link]));
        // Edges are free by these cells too.
        let limit = moved + self.offset + EDGE_CLEARANCE;
        let spheres = a_from_b.transform_point(self.covers[1].whole.center).distance(self.covers[0].whole.center)
            - (self.covers[0].whole.radius + self.covers[1].whole.radius);
        if spheres > limit * (1.0 + 1e-9) + SLACK {
            return Ok(Seen::Free);
        }
        // Spheres inside are cheap, and settle what is far from free.
        if self.inner && self.touches(&a_from_b, moved) {
            return Ok(Seen::Touching);
        }
        let request = DistanceRequest { max_d: 1.05 * limit, rel_err: 0.05, abs_err: 1e-7, ..Default::default() };
        let test = model.dispatcher().plan(&*a.geometry, &*b.geometry).map_err(from_engine)?;
        let found = test.distance(&a_from_b, &request, workspace, None).map_err(from_engine)?;
        let is_free = found.lower > limit || found.lower > 0.0 && self.pieces_are_free(&a_from_b, half, found.lower);
        Ok(if is_free { Seen::Free } else { Seen::Open })
    }

    /// Whether all pieces of the second part stay free, of which none is nearer than `distance`.
    fn pieces_are_free(&self, a_from_b: &Pose, half: [f64; 2], distance: f64) -> bool {
        self.pieces.iter().all(|(sphere, speeds)| {
            let limit = moved(half, *speeds) + self.offset + EDGE_CLEARANCE;
            let center = a_from_b.transform_point(sphere.center);
            let is_apart = |other: &BoundingSphere| {
                center.distance(other.center) > (other.radius + sphere.radius + limit) * (1.0 + 1e-9) + SLACK
            };
            distance > limit || self.covers[0].fine().all(is_apart)
        })
    }

    fn touches(&self, a_from_b: &Pose, moved: f64) -> bool {
        let [a, b] = &self.covers;
        let b_from_a = a_from_b.inverse();
        b.components.iter().any(|component_b| {
            a.components.iter().any(|component_a| {
                overlap(component_a, component_b, a_from_b, moved)
                    && (b.solid || is_outside(component_a, b, &b_from_a, moved))
                    && (a.solid || is_outside(component_b, a, a_from_b, moved))
            })
        })
    }
}

/// Whether spheres inside of two components overlap by more than `moved`.
fn overlap(a: &Component, b: &Component, a_from_b: &Pose, moved: f64) -> bool {
    b.inner_dense.iter().any(|inner| {
        let center = a_from_b.transform_point(inner.center);
        a.inner_dense.iter().any(|other| {
            let sum = inner.radius + other.radius - moved;
            sum > 0.0 && center.distance_squared(other.center) < sum * sum
        })
    })
}

/// Whether a point of a component is certainly outside of another part, and stays so when it moves by
/// no more than `moved`: a ray from it misses all spheres that hold the other's surface.
fn is_outside(inside: &Component, around: &Cover, around_from_inside: &Pose, moved: f64) -> bool {
    inside.tips.iter().any(|tip| {
        let point = around_from_inside.transform_point(*tip);
        let axes = DVec3::AXES.iter().flat_map(|&axis| [axis, -axis]);
        let mut directions = (point - around.whole.center).try_normalize().into_iter().chain(axes);
        directions.any(|away| around.fine().all(|sphere| misses(sphere.center - point, away, sphere.radius + moved)))
    })
}

/// Whether a ray along a unit vector misses a sphere whose centre is at `to_center`.
fn misses(to_center: DVec3, away: DVec3, radius: f64) -> bool {
    let radius = radius * (1.0 + 1e-9) + SLACK;
    let along = to_center.dot(away);
    let nearest = if along < 0.0 { to_center } else { to_center - away * along };
    nearest.length() > radius
}
