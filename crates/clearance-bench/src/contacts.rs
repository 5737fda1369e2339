//! Worlds in continuous motion: microseconds a tick, beside the broad phase alone.
//!
//! Bodies that do not overlap fly through a cube of half-spaces and bounce off each other and off
//! its walls. The continuous world finds every contact at its time, narrow phase and all, and gives
//! both bodies another motion. The discrete broad phase gets the boxes of the same bodies at the end
//! of each tick and names the pairs that overlap, which passes by what happens between ticks.

use crate::many::{Follower, Ours, Swarm};
use crate::placing::Random;
use crate::table::{Table, short};
use crate::{Result, timing};
use clearance_engine::Pose;
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::DVec3;
use clearance_engine::motion::Motion;
use clearance_engine::shape::{Cuboid, HalfSpace, Sphere};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Geometry, HalfSpaceGeometry, Solid};
use clearance_engine::world::{BodyId, Event, FinderOptions, Groups, World};
use std::collections::HashMap;
use std::sync::Arc;

/// Ticks that are timed as one; stretches that do not count, and those that do.
const STRETCH: usize = 10;
const WARM: usize = 2;
const TIMED: usize = 8;

struct Body {
    id: BodyId,
    half: DVec3,
    velocity: DVec3,
    spin: DVec3,
}

/// Bodies in a room of half-spaces.
struct Room {
    world: World,
    dispatcher: Dispatcher,
    workspace: Workspace,
    bodies: Vec<Body>,
    numbers: HashMap<BodyId, usize>,
    walls: HashMap<BodyId, DVec3>,
    contacts: usize,
}

impl Room {
    /// Bodies with edges of 0.5 to 1, one to 6 cubic units, that move by up to `speed` a tick:
    /// spheres, or boxes that tumble.
    fn new(count: usize, speed: f64, boxes: bool) -> Result<Self> {
        let mut random = Random(count as u64);
        let edge = (count as f64).cbrt().ceil() as usize;
        let spacing = 6.0_f64.cbrt();
        let wall = 0.5 * spacing * edge as f64;
        let mut room = Self {
            world: World::new(FinderOptions::default())?,
            dispatcher: Dispatcher::standard(),
            workspace: Workspace::default(),
            bodies: Vec::new(),
            numbers: HashMap::new(),
            walls: HashMap::new(),
            contacts: 0,
        };
        for normal in DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]) {
            let side = Arc::new(HalfSpaceGeometry::new(HalfSpace::new(normal, -wall)?));
            let id = room.world.insert(side, Pose::IDENTITY, Groups::default())?;
            room.walls.insert(id, normal);
        }
        let vector = |random: &mut Random| DVec3::new(random.signed(), random.signed(), random.signed());
        for i in 0..count {
            let cell = DVec3::new((i % edge) as f64, (i / edge % edge) as f64, (i / edge / edge) as f64);
            let half = if boxes {
                DVec3::new(random.unit(), random.unit(), random.unit()) * 0.25 + 0.25
            } else {
                DVec3::splat(random.unit() * 0.25 + 0.25)
            };
            let free = 0.5 * spacing - if boxes { half.length() } else { half.x };
            let center = (cell + 0.5) * spacing - wall + vector(&mut random) * (free - 1e-3);
            let (velocity, spin) = (vector(&mut random) * speed, vector(&mut random) * speed);
            let spin = if boxes { spin } else { DVec3::ZERO };
            let geometry: Arc<dyn Geometry> = if boxes {
                Arc::new(Solid::new(Cuboid::from_half_extents(half)?))
            } else {
                Arc::new(Solid::new(Sphere::new(half.x)?))
            };
            let pose = Pose::from_translation(center)?;
            let id = room.world.insert(geometry, pose, Groups::default())?;
            room.numbers.insert(id, i);
            room.bodies.push(Body { id, half, velocity, spin });
            room.go_on(i)?;
        }
        Ok(room)
    }

    /// Gives a body a motion from where it is.
    fn go_on(&mut self, i: usize) -> Result<()> {
        let Body { id, velocity, spin, .. } = self.bodies[i];
        let pose = self.world.pose(id)?;
        self.world.set_motion(id, Motion::moving(&pose, DVec3::ZERO, velocity, spin, 1e9)?)?;
        Ok(())
    }

    /// Throws the bodies of a contact back: spheres exchange what they have along the normal, and
    /// bodies that tumble return the way they came.
    fn bounce(&mut self, event: &Event) -> Result<()> {
        self.contacts += 1;
        let numbers = event.bodies.map(|id| self.numbers.get(&id).copied());
        if numbers.into_iter().flatten().any(|i| self.bodies[i].spin != DVec3::ZERO) {
            for i in numbers.into_iter().flatten() {
                let Body { velocity, spin, .. } = &mut self.bodies[i];
                (*velocity, *spin) = (-*velocity, -*spin);
            }
        } else if let [Some(i), Some(j)] = numbers {
            let normal = event.impact.and_then(|impact| impact.normal).unwrap_or(DVec3::X);
            let exchanged = normal * (self.bodies[i].velocity - self.bodies[j].velocity).dot(normal).max(0.0);
            self.bodies[i].velocity -= exchanged;
            self.bodies[j].velocity += exchanged;
        } else if let (Some(i), Some(normal)) =
            (numbers.into_iter().flatten().next(), event.bodies.iter().find_map(|id| self.walls.get(id)))
        {
            let inward = normal.dot(self.bodies[i].velocity);
            self.bodies[i].velocity -= *normal * (2.0 * inward.min(0.0));
        }
        numbers.into_iter().flatten().try_for_each(|i| self.go_on(i))
    }

    fn advance(&mut self, until: f64) -> Result<()> {
        while let Some(event) = self.world.advance(&self.dispatcher, until, &mut self.workspace)? {
            self.bounce(&event)?;
        }
        Ok(())
    }

    /// The boxes around the bodies now.
    fn boxes(&self) -> Result<Swarm> {
        let (mut centers, mut halves) = (Vec::new(), Vec::new());
        for body in &self.bodies {
            let pose = self.world.pose(body.id)?;
            let rotation = pose.rotation();
            let half = match body.spin {
                DVec3::ZERO => body.half,
                _ => {
                    rotation.x_axis.abs() * body.half.x
                        + rotation.y_axis.abs() * body.half.y
                        + rotation.z_axis.abs() * body.half.z
                }
            };
            centers.push(pose.translation());
            halves.push(half);
        }
        Ok(Swarm::of(centers, halves))
    }
}

/// 10,000 bodies, spheres and tumbling boxes, slow and fast: a tick of the continuous world and of
/// the discrete broad phase, the best of some rounds.
pub fn continuous(count: usize, rounds: usize) -> Result<Table> {
    let title = format!("{count} bodies that bounce: every contact at its time");
    let mut table =
        Table::new(&title, &["bodies", "contacts a tick", "continuous, µs/tick", "broad phase, µs/tick", "ratio"]);
    for (name, speed, boxes) in [
        ("spheres, 1 %", 0.01, false),
        ("spheres, 5 %", 0.05, false),
        ("tumbling boxes, 1 %", 0.01, true),
        ("tumbling boxes, 5 %", 0.05, true),
    ] {
        let (mut best, mut contacts) = ([f64::INFINITY; 2], 0);
        for _ in 0..rounds {
            let mut room = Room::new(count, speed, boxes)?;
            room.advance(0.0)?;
            let mut discrete = Ours::new(FinderOptions::default(), &room.boxes()?)?;
            let mut means = [0.0; 2];
            for stretch in 0..WARM + TIMED {
                if stretch == WARM {
                    room.contacts = 0;
                }
                let mut ticks = Vec::new();
                for _ in 0..STRETCH {
                    let (mut outcome, until) = (Ok(()), room.world.time() + 1.0);
                    let time = timing::shortest_thread_us(1, || outcome = room.advance(until));
                    outcome?;
                    ticks.push(room.boxes()?);
                    means[0] += if stretch >= WARM { time } else { 0.0 };
                }
                let (time, _) = discrete.follow(&ticks)?;
                means[1] += if stretch >= WARM { time } else { 0.0 };
            }
            for (best, mean) in best.iter_mut().zip(means) {
                *best = best.min(mean / (STRETCH * TIMED) as f64);
            }
            contacts = room.contacts;
        }
        let each = contacts as f64 / (STRETCH * TIMED) as f64;
        table.rows.push(vec![name.into(), short(each), short(best[0]), short(best[1]), short(best[0] / best[1])]);
    }
    Ok(table)
}
