//! A robot as it is screened: spheres of all parts in `f32`, pairs of parts, and how far parts get
//! from the chords of their ways.
//!
//! # Radii
//! A sphere around a part has the radius of its cover, and the error of its computed centre
//! ([`Chain::error`]), the rounding of its centre's coordinates and [`SLACK`] added. Comparisons are
//! between squares: a squared distance of two `f32` points is off by at most 6.1u of itself, the
//! square of a sum of two radii by 3.1u. So radii that are 8u longer, of themselves, make up for
//! both; spheres inside are 8u shorter.
//!
//! # Edges
//! Over a time Δt of an edge a point of a part moves from x₀ to x₁. It is never farther from the
//! chord, at the same share of it, than B·Δt²/8, where B bounds its acceleration. Points of a sphere
//! at one share of their chords are no farther from that of the centre than the radius, since they
//! are means of two vectors of that length. So a sphere about the middle of the chord holds all of
//! the way if its radius is that of the sphere, half of the chord and B·Δt²/8.
//!
//! With turning rates rⱼ and sliding rates sⱼ, constant along an edge, and Aⱼ the sum of the turning
//! rates nearer to the fixed end of the chain, the acceleration of a point is at most
//! `Σ rⱼ ρⱼ (rⱼ + 2Aⱼ) + 2 Σ sⱼ (Aⱼ + rⱼ)`, where ρⱼ is the distance from joint j's axis: an angular
//! velocity ωⱼ turns with what carries it, `(Ω×ω)×d + ω×(Ω×d) = Ω×(ω×d)`, and the rest is
//! centripetal or Coriolis's. The frame of another part is as good a fixed end as the world's: the
//! chain then goes up to their common ancestor and down again.
//!
//! The computed middle and half of a chord are each off by at most 1.25 errors of a point. Here a sum
//! has four terms, so that its square is off by 9u: with the distance, 8u of each term are enough.

use super::cover::{self, Cover};
use super::forward::{Chain, LANES, Rate, Row, U};
use super::table::{KnownPair, Table};
use crate::check::collision_model::{CollisionModel, POSE_ROUNDING};
use crate::check::parts::Part;
use crate::{Result, Robot};
use clearance_engine::math::{DVec3, f32_above, f32_below};
use clearance_engine::volume::BoundingSphere;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// What `f64` may change in poses and in the constants of this model, in metres.
pub(super) const SLACK: f64 = 1e-9;

/// By what an edge must be clear to be called free, in metres: above 1.2 times the default
/// tolerance, by which a contact that cannot be excluded may be apart.
pub(super) const EDGE_CLEARANCE: f64 = 1.3e-5;

/// Covers by the revision of their geometry, which never change.
pub(super) type Covers = HashMap<u64, Arc<Cover>>;

/// A sphere of the middle level and the fine ones of the same pieces, which are eights too.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) sphere: u32,
    pub(super) fine: Vec<Fine>,
    pub(super) eights: Range<usize>,
}

/// Up to eight spheres of one body, for lanes of spheres; those beyond are copies of the first.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
pub(super) struct Eight {
    pub(super) center: [Row; 3],
    pub(super) radius: Row,
    /// The lanes that count.
    pub(super) used: u32,
}

/// A fine sphere, and where the finest ones of the same pieces are listed in
/// [`finest`](ScreenModel::finest): itself alone if there are none.
#[derive(Debug, Clone)]
pub(super) struct Fine {
    pub(super) sphere: u32,
    pub(super) below: Range<usize>,
    pub(super) eights: Range<usize>,
}

/// A component of a part: spheres inside, and points of it.
#[derive(Debug, Clone)]
pub(super) struct Component {
    pub(super) inner: Range<u32>,
    pub(super) tips: Vec<[f32; 3]>,
}

/// A part of the robot.
#[derive(Debug, Clone)]
pub(super) struct ScreenPart {
    pub(super) body: usize,
    pub(super) whole: u32,
    pub(super) groups: Vec<Group>,
    /// All spheres inside.
    pub(super) inner: Range<u32>,
    /// The groups' spheres and those inside as eights.
    pub(super) eights: Range<usize>,
    pub(super) inner_eights: Range<usize>,
    pub(super) components: Vec<Component>,
    /// How far off tips and points are at most.
    pub(super) tip_error: f32,
    /// Points of a part without spheres inside.
    pub(super) points: Vec<[f32; 3]>,
    pub(super) solid: bool,
    /// In the body's frame.
    bounding: BoundingSphere,
    /// The joints from the root to the part.
    path: Path,
    /// What an edge adds to radii.
    pub(super) edge_error: f32,
}

impl ScreenPart {
    /// At least the diameter of all that could contain the part.
    pub(super) fn outer_diameter(&self) -> f64 {
        2.0 * self.bounding.radius * (1.0 + 1e-9)
    }
}

/// The bodies whose joints are between two bodies, from the first one on, and at most how far
/// points are from their axes.
#[derive(Debug, Clone, Default)]
struct Path(Vec<(usize, f64)>);

impl Path {
    /// From body `from` to a sphere of body `to`.
    fn new(robot: &Robot, chain: &Chain, [from, to]: [usize; 2], sphere: &BoundingSphere) -> Self {
        let above = |body: usize| -> Vec<usize> {
            let mut above = vec![body];
            while let Some(parent) = robot.bodies()[above[above.len() - 1]].parent() {
                above.push(parent);
            }
            above
        };
        let (mut up, mut down) = (above(from), above(to));
        while let (Some(a), Some(b)) = (up.last(), down.last())
            && a == b
        {
            up.pop();
            down.pop();
        }
        let mut far = sphere.center.length() + sphere.radius;
        let mut reach = Vec::new();
        for (i, &body) in down.iter().enumerate() {
            let across = sphere.center.truncate().length() + sphere.radius;
            reach.push((body, if i == 0 && chain.turns(body) { across } else { far }));
            far += chain.bodies()[body].shift + chain.bodies()[body].slide;
        }
        let mut all: Vec<(usize, f64)> = Vec::new();
        for &body in up.iter().rev() {
            far += chain.bodies()[body].shift + chain.bodies()[body].slide;
            all.push((body, far));
        }
        all.reverse();
        all.extend(reach.into_iter().rev());
        Self(all)
    }

    /// At most the distance of the sphere's points from the first body's origin.
    fn length(&self, chain: &Chain, sphere: &BoundingSphere) -> f64 {
        let length = |&(body, _): &(usize, f64)| chain.bodies()[body].shift + chain.bodies()[body].slide;
        sphere.center.length() + sphere.radius + self.0.iter().map(length).sum::<f64>()
    }

    /// An eighth of the largest acceleration, see the head of the file.
    fn bend(&self, rates: &[Rate]) -> f64 {
        let (mut sum, mut turned) = (0.0, 0.0);
        for &(body, reach) in &self.0 {
            let Rate { turn, slide } = rates[body];
            sum += turn * reach * (turn + 2.0 * turned) + 2.0 * slide * (turned + turn);
            turned += turn;
        }
        0.125 * sum * (1.0 + 1e-9)
    }
}

/// Two parts of the robot that are looked at.
#[derive(Debug, Clone)]
pub(super) struct ScreenPair {
    /// The part whose frame edges are seen from, and the other one.
    pub(super) parts: [usize; 2],
    /// The spheres around both.
    pub(super) wholes: [u32; 2],
    /// The same parts in the order in which a [`CollisionModel`] tests them.
    pub(super) tested: [u32; 2],
    pub(super) offset: f64,
    /// Rounded up, and down.
    pub(super) offsets: [f32; 2],
    /// Whether spheres inside can prove a collision.
    pub(super) inner: bool,
    path: Path,
    pub(super) edge_error: f32,
    /// The table that knows the pair, and its bit there.
    pub(super) table: Option<(usize, u8)>,
}

/// All about a robot that does not depend on a configuration or a scene.
#[derive(Debug, Clone)]
pub(super) struct ScreenModel {
    /// What [`CollisionModel`] it is about.
    pub(super) identity: u64,
    pub(super) chain: Chain,
    pub(super) centers: Vec<[f32; 3]>,
    pub(super) radii: Vec<f32>,
    pub(super) bodies: Vec<u32>,
    pub(super) finest: Vec<u32>,
    pub(super) eights: Vec<Eight>,
    pub(super) parts: Vec<ScreenPart>,
    pub(super) pairs: Vec<ScreenPair>,
    pub(super) tables: Vec<Arc<Table>>,
    /// At most how far any point of the robot is from the root's origin.
    pub(super) extent: f64,
}

impl ScreenModel {
    pub(super) fn new(model: &CollisionModel, covers: &Covers, tables: &[Arc<Table>]) -> Result<Self> {
        let robot = model.robot();
        let chain = Chain::new(robot);
        let mut screen = Self {
            identity: model.identity(),
            chain,
            centers: Vec::new(),
            radii: Vec::new(),
            bodies: Vec::new(),
            finest: Vec::new(),
            eights: Vec::new(),
            parts: Vec::new(),
            pairs: Vec::new(),
            tables: Vec::new(),
            extent: 0.0,
        };
        let from_links = robot.body_from_links();
        for part in model.parts() {
            let cover = match covers.get(&part.geometry.revision()) {
                Some(cover) => cover.clone(),
                None => Arc::new(Cover::of(&*part.geometry)?),
            };
            screen.add_part(robot, part, &from_links[part.link].then(&part.link_from_part), &cover);
        }
        for (a, b) in model.rules().pairs() {
            if let Some(offset) = model.rules().offset(a, b) {
                screen.add_pair(model, [a, b], offset);
            }
        }
        screen.use_tables(model, tables);
        Ok(screen)
    }

    fn add_part(&mut self, robot: &Robot, part: &Part, body_from_part: &clearance_engine::Pose, cover: &Cover) {
        let body = robot.body_of(part.link);
        let frame_from_body = self.chain.body_from_frame(body).transpose();
        let placed = |point: DVec3| frame_from_body * body_from_part.transform_point(point);
        let narrow = |point: DVec3| point.to_array().map(|x| x as f32);
        let moved = |sphere: &BoundingSphere| BoundingSphere { center: placed(sphere.center), ..*sphere };
        let whole = self.push(body, &moved(&cover.whole), true);
        let spheres: Vec<u32> = cover.groups.iter().map(|group| self.push(body, &moved(&group.sphere), true)).collect();
        let mut groups = Vec::new();
        for (group, &sphere) in cover.groups.iter().zip(&spheres) {
            let fine = |fine: &cover::Fine| Fine {
                sphere: self.push(body, &moved(&fine.sphere), true),
                below: 0..0,
                eights: 0..0,
            };
            groups.push(Group { sphere, fine: group.fine.iter().map(fine).collect(), eights: 0..0 });
        }
        let finest: Vec<u32> = cover.finest.iter().map(|sphere| self.push(body, &moved(sphere), true)).collect();
        let fine = groups.iter_mut().flat_map(|group| &mut group.fine);
        for (fine, from) in fine.zip(cover.groups.iter().flat_map(|group| &group.fine)) {
            let begin = self.finest.len();
            self.finest.extend(from.below.iter().map(|&number| finest[number as usize]));
            if from.below.is_empty() {
                self.finest.push(fine.sphere);
            }
            fine.below = begin..self.finest.len();
            fine.eights = self.eights_of(self.finest[begin..].to_vec());
        }
        for group in &mut groups {
            group.eights = self.eights_of(group.fine.iter().map(|fine| fine.sphere).collect());
        }
        let eights = self.eights_of(spheres);
        let begin = self.radii.len() as u32;
        let mut components = Vec::new();
        for component in &cover.components {
            let first = self.radii.len() as u32;
            component.inner.iter().for_each(|sphere| _ = self.push(body, &moved(sphere), false));
            let tips = component.tips.iter().map(|&tip| narrow(placed(tip))).collect();
            components.push(Component { inner: first..self.radii.len() as u32, tips });
        }
        let inner = begin..self.radii.len() as u32;
        let inner_eights = self.eights_of(inner.clone().collect());
        let bounding = moved(&cover.whole);
        let far = bounding.center.length() + bounding.radius;
        self.extent = self.extent.max(self.chain.bodies()[body].extent + if far.is_finite() { far } else { 0.0 });
        let error = self.chain.error(body, far);
        let path = Path::new(robot, &self.chain, [0, body], &bounding);
        self.parts.push(ScreenPart {
            body,
            whole,
            groups,
            inner,
            eights,
            inner_eights,
            components,
            points: cover.points.iter().map(|&point| narrow(placed(point))).collect(),
            tip_error: f32_above(error + 2.0 * U * far + SLACK),
            solid: cover.solid,
            bounding,
            path,
            edge_error: f32_above(2.5 * error + EDGE_CLEARANCE),
        });
    }

    /// Adds spheres of one body as eights.
    fn eights_of(&mut self, spheres: Vec<u32>) -> Range<usize> {
        let begin = self.eights.len();
        for eight in spheres.chunks(LANES) {
            let of = |lane: usize| *eight.get(lane).unwrap_or(&eight[0]) as usize;
            let row = |value: &dyn Fn(usize) -> f32| -> Row { std::array::from_fn(|lane| value(of(lane))) };
            let made = Eight {
                center: [0, 1, 2].map(|axis| row(&|sphere| self.centers[sphere][axis])),
                radius: row(&|sphere| self.radii[sphere]),
                used: (1 << eight.len()) - 1,
            };
            self.eights.push(made);
        }
        begin..self.eights.len()
    }

    /// Adds a sphere around a part, or inside of it; one inside that is smaller than the error of
    /// its centre proves nothing and is left out.
    fn push(&mut self, body: usize, sphere: &BoundingSphere, around: bool) -> u32 {
        let center = sphere.center.to_array().map(|x| x as f32);
        let rounded = sphere.center.distance(DVec3::from_array(center.map(f64::from)));
        let error = self.chain.error(body, sphere.center.length()) + rounded + SLACK;
        if !around && sphere.radius <= error {
            return self.radii.len() as u32;
        }
        let radius = if around {
            f32_above((sphere.radius + error) * (1.0 + 8.0 * U))
        } else {
            f32_below(((sphere.radius - error) * (1.0 - 8.0 * U)).max(0.0))
        };
        self.centers.push(center);
        self.radii.push(radius);
        self.bodies.push(body as u32);
        self.radii.len() as u32 - 1
    }

    fn add_pair(&mut self, model: &CollisionModel, [a, b]: [u32; 2], offset: f64) {
        let robot = model.robot();
        let [body_a, body_b] = [a, b].map(|part| self.parts[part as usize].body);
        let proven = model.proofs().filter(|_| body_a != body_b).map(|proofs| proofs.gap(body_a, body_b));
        if proven.is_some_and(|gap| gap - POSE_ROUNDING > offset) {
            return;
        }
        let tested = model.tested_order(a, b);
        let parts = tested.map(|part| part as usize);
        let [first, second] = parts.map(|part| &self.parts[part]);
        let path = Path::new(robot, &self.chain, [first.body, second.body], &second.bounding);
        let distance = path.length(&self.chain, &second.bounding);
        let seen_from = &self.chain.bodies()[first.body];
        let error = self.chain.error(second.body, second.bounding.center.length() + second.bounding.radius)
            + seen_from.origin
            + (seen_from.rotation + 8.0 * U) * distance;
        let pair = ScreenPair {
            parts,
            wholes: [first.whole, second.whole],
            tested,
            offset,
            offsets: [f32_above(offset * (1.0 + 8.0 * U)), f32_below(offset * (1.0 - 8.0 * U))],
            inner: !first.inner.is_empty() && !second.inner.is_empty(),
            path,
            edge_error: f32_above(2.5 * error + EDGE_CLEARANCE),
            table: None,
        };
        self.pairs.push(pair);
    }

    /// Uses the tables all of whose pairs are looked at, with offsets no larger than when they were
    /// made: that something touches is not known of a single pair.
    fn use_tables(&mut self, model: &CollisionModel, tables: &[Arc<Table>]) {
        for table in tables {
            let place = |known: &KnownPair| {
                let same = |pair: &ScreenPair| known.is(model, pair.tested) && pair.offset <= known.offset;
                self.pairs.iter().position(same)
            };
            let Some(places) = table.pairs().iter().map(place).collect::<Option<Vec<usize>>>() else { continue };
            for (bit, place) in places.into_iter().enumerate() {
                self.pairs[place].table = Some((self.tables.len(), bit as u8));
            }
            self.tables.push(table.clone());
        }
    }

    /// The two parts of a pair.
    #[inline(always)]
    pub(super) fn both(&self, pair: &ScreenPair) -> [&ScreenPart; 2] {
        [&self.parts[pair.parts[0]], &self.parts[pair.parts[1]]]
    }

    /// An eighth of the largest acceleration of a part, and of a pair seen from its first part.
    pub(super) fn part_bend(&self, part: usize, rates: &[Rate]) -> f32 {
        f32_above(self.parts[part].path.bend(rates))
    }

    pub(super) fn pair_bend(&self, pair: usize, rates: &[Rate]) -> f32 {
        f32_above(self.pairs[pair].path.bend(rates))
    }

    /// The same for a sphere of the second part, in the part's own frame.
    pub(super) fn between_sphere(
        &self,
        robot: &Robot,
        pair: &ScreenPair,
        part: &Part,
        sphere: &BoundingSphere,
    ) -> Vec<(usize, f64)> {
        let [from, to] = pair.parts.map(|part| self.parts[part].body);
        let body_from_part = robot.body_from_links()[part.link].then(&part.link_from_part);
        let center = self.chain.body_from_frame(to).transpose() * body_from_part.transform_point(sphere.center);
        // Rounding of a few coordinates.
        let radius = sphere.radius * (1.0 + 1e-9) + SLACK;
        Path::new(robot, &self.chain, [from, to], &BoundingSphere { center, radius }).0
    }

    /// The bodies between the two of a pair if they are on one chain, the first above the second.
    pub(super) fn between(&self, pair: &ScreenPair) -> Vec<(usize, f64)> {
        pair.path.0.clone()
    }
}
