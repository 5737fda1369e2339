//! When two moving meshes first touch: microseconds a motion of each approach, and of parry's casts.
//!
//! One mesh stands, the other flies by or into it: along a straight line, or along one and turning. Of each kind there are as many motions that
//! hit as that miss. Before anything is timed, the approaches' answers are compared: all must find the same motions free, and overlapping
//! intervals for the others. parry is given the same motions, in its `f32`; it takes so long that it is asked about few of them.

use crate::placing::Random;
use crate::table::{Table, short};
use crate::{Error, Result, models, timing};
use clearance::bank::Bank;
use clearance::descent::Workspace;
use clearance::math::DVec3;
use clearance::motion::{Approach, ContactRequest, FirstContact, Motion, MotionAnswer, first_contact};
use clearance::tree::Mesh;
use clearance::{Pose, TriMesh};
use std::f64::consts::TAU;

/// Motions of each kind: half of them hit.
const MOTIONS: usize = 40;

/// The approaches that are compared, with their names.
const APPROACHES: [(&str, Approach); 4] = [
    ("swept nodes, trajectories (default)", Approach::Trajectory),
    ("swept nodes, steps", Approach::Swept),
    ("steps, directions", Approach::Directional),
    ("steps, distance only", Approach::Distance),
];

/// How the second mesh moves, in unit time.
#[derive(Clone, Copy)]
struct Flight {
    start: Pose,
    center: DVec3,
    linear: DVec3,
    angular: DVec3,
}

impl Flight {
    /// Past the origin, from about `far` away to as far behind it.
    fn random(random: &mut Random, far: f64, turning: bool) -> Result<Self> {
        let direction = random.direction();
        let aside = random.direction() * (far * random.unit());
        let start = Pose::new(random.rotation(), aside - direction * far)?;
        let angular = if turning { random.direction() * (0.5 * TAU * random.unit()) } else { DVec3::ZERO };
        Ok(Self { start, center: random.direction() * 0.3, linear: direction * (2.0 * far), angular })
    }

    fn motion(&self) -> Result<Motion> {
        Ok(Motion::moving(&self.start, self.center, self.linear, self.angular, 1.0)?)
    }
}

/// Two meshes and flights of the second, of which every other one hits.
#[cfg_attr(
    not(feature = "parry"),
    allow(dead_code, reason = "parry makes its own meshes, of which it must know whether they turn")
)]
struct Course {
    title: String,
    soups: [TriMesh; 2],
    meshes: [Mesh; 2],
    flights: Vec<Flight>,
    turning: bool,
}

/// What is measured of an engine: microseconds of motions that hit and of those that miss; times that were looked at, of all.
struct Row {
    name: &'static str,
    us: [f64; 2],
    steps: f64,
    /// Tests of volumes.
    volumes: f64,
}

impl Course {
    fn new(name: &str, soups: [TriMesh; 2], turning: bool) -> Result<Self> {
        let meshes = [Mesh::new(soups[0].clone())?, Mesh::new(soups[1].clone())?];
        let mut random = Random(7);
        let title = format!("{name}, {}", if turning { "screws" } else { "translations" });
        let mut course = Self { title, soups, meshes, flights: Vec::new(), turning };
        let mut workspace = Workspace::default();
        let bank = Bank::standard();
        while course.flights.len() < MOTIONS {
            let flight = Flight::random(&mut random, 3.0, turning)?;
            let answer = course.ask(&bank, &flight, Approach::Directional, &mut workspace)?;
            let wanted = course.flights.len().is_multiple_of(2);
            let hits = match answer.first {
                FirstContact::Contact(touch) => touch.gap == 0.0 && touch.t_upper > 0.0,
                _ => false,
            };
            let free = matches!(answer.first, FirstContact::Free { .. });
            if if wanted { hits } else { free } {
                course.flights.push(flight);
            }
        }
        Ok(course)
    }

    fn ask(&self, bank: &Bank, flight: &Flight, approach: Approach, workspace: &mut Workspace) -> Result<MotionAnswer> {
        let (still, moving) = (Motion::still(&Pose::IDENTITY), flight.motion()?);
        let request = ContactRequest { approach, ..ContactRequest::default() };
        let bodies = [(&self.meshes[0] as _, &still), (&self.meshes[1] as _, &moving)];
        Ok(first_contact(bank, bodies, &request, workspace)?)
    }

    /// Whether two approaches tell the same.
    fn compare(&self) -> Result<()> {
        let (bank, mut workspace) = (Bank::standard(), Workspace::default());
        for (number, flight) in self.flights.iter().enumerate() {
            let mut answers = Vec::new();
            for (_, approach) in APPROACHES {
                answers.push(self.ask(&bank, flight, approach, &mut workspace)?.first);
            }
            let agree = |other: &FirstContact| match (&answers[0], other) {
                (FirstContact::Free { .. }, FirstContact::Free { .. }) => true,
                (FirstContact::Contact(x), FirstContact::Contact(y)) => {
                    x.t_lower <= y.t_upper && y.t_lower <= x.t_upper
                }
                _ => false,
            };
            if !answers.iter().all(agree) {
                return Err(Error::other(format!("{} {number}: approaches differ: {answers:?}", self.title)));
            }
        }
        Ok(())
    }

    /// Flights that hit, or that miss.
    fn flights(&self, hitting: bool) -> impl Iterator<Item = &Flight> {
        self.flights.iter().skip(usize::from(!hitting)).step_by(2)
    }

    fn ours(&self, (name, approach): (&'static str, Approach), rounds: usize) -> Result<Row> {
        let (bank, mut workspace) = (Bank::standard(), Workspace::default());
        let (mut us, mut steps, mut volumes) = ([0.0; 2], 0, 0);
        for hitting in [true, false] {
            let time = timing::shortest_thread_us(rounds, || -> Result<()> {
                for flight in self.flights(hitting) {
                    self.ask(&bank, flight, approach, &mut workspace)?;
                }
                Ok(())
            });
            us[usize::from(!hitting)] = time / (MOTIONS / 2) as f64;
            for flight in self.flights(hitting) {
                let answer = self.ask(&bank, flight, approach, &mut workspace)?;
                steps += answer.steps;
                volumes += answer.stats.volume_tests;
            }
        }
        let mean = |count: f64| count / MOTIONS as f64;
        Ok(Row { name, us, steps: mean(steps as f64), volumes: mean(volumes as f64) })
    }

    #[cfg(feature = "parry")]
    fn parry(&self) -> Result<Row> {
        use crate::engines::{Parry32, pose_f32};
        use parry3d::math::Vector;
        use parry3d::query::{NonlinearRigidMotion, ShapeCastOptions, cast_shapes, cast_shapes_nonlinear};
        use std::time::{Duration, Instant};
        let [a, b] = [Parry32::body(&self.soups[0], false)?, Parry32::body(&self.soups[1], false)?];
        let vector = |v: DVec3| Vector::new(v.x as f32, v.y as f32, v.z as f32);
        let ask = |flight: &Flight| {
            let start = pose_f32(&flight.start);
            let hit = if self.turning {
                let [center, linear, angular] = [flight.center, flight.linear, flight.angular].map(vector);
                let motion = NonlinearRigidMotion::new(start, center, linear, angular);
                let still = NonlinearRigidMotion::constant_position(pose_f32(&Pose::IDENTITY));
                cast_shapes_nonlinear(&still, &*a, &motion, &*b, 0.0, 1.0, true)
            } else {
                let options = ShapeCastOptions::with_max_time_of_impact(1.0);
                let still = pose_f32(&Pose::IDENTITY);
                cast_shapes(&still, Vector::ZERO, &*a, &start, vector(flight.linear), &*b, options)
            };
            hit.map_err(|error| Error::other(format!("parry: {error}")))
        };
        let mut us = [0.0; 2];
        for hitting in [true, false] {
            let (start, mut asked, mut wrong) = (Instant::now(), 0, 0);
            for flight in self.flights(hitting) {
                if start.elapsed() > Duration::from_secs(5) {
                    break;
                }
                wrong += usize::from(ask(flight)?.is_some() != hitting);
                asked += 1;
            }
            us[usize::from(!hitting)] = start.elapsed().as_secs_f64() * 1e6 / f64::from(asked);
            if wrong > 0 {
                eprintln!(
                    "{}: parry is wrong about {wrong} of {asked} motions that {}",
                    self.title,
                    if hitting { "hit" } else { "miss" }
                );
            }
        }
        let name = if self.turning { "parry cast_shapes_nonlinear" } else { "parry cast_shapes" };
        Ok(Row { name, us, steps: f64::NAN, volumes: f64::NAN })
    }

    fn race(&self, rounds: usize) -> Result<Table> {
        self.compare()?;
        let mut rows = Vec::new();
        for approach in APPROACHES {
            rows.push(self.ours(approach, rounds.max(1))?);
        }
        #[cfg(feature = "parry")]
        rows.push(self.parry()?);
        let mean = |row: &Row| 0.5 * (row.us[0] + row.us[1]);
        let best = mean(&rows[0]);
        let mut table = Table::new(&self.title, &["engine", "µs", "hits", "misses", "steps", "volumes", "ratio"]);
        table.rows = rows
            .iter()
            .map(|row| {
                let numbers = [mean(row), row.us[0], row.us[1], row.steps, row.volumes, mean(row) / best].map(short);
                std::iter::once(row.name.to_owned()).chain(numbers).collect()
            })
            .collect();
        Ok(table)
    }
}

/// Races on meshes of about 2,000 and 20,000 triangles, screws and translations.
pub fn run(rounds: usize) -> Result<Vec<Table>> {
    let mut tables = Vec::new();
    let small = || -> Result<[TriMesh; 2]> {
        Ok([models::knobby_torus(1.0, 0.3, 6, 48, 22)?, models::bent_torus(1.0, 0.2, 56, 18)?])
    };
    let large = || -> Result<[TriMesh; 2]> { Ok([models::icosphere(5, 0.1)?, models::torus_knot(500, 20)?]) };
    for turning in [true, false] {
        tables.push(Course::new("two tori of 2,000 triangles", small()?, turning)?.race(rounds)?);
        tables.push(Course::new("sphere and knot of 20,000 triangles", large()?, turning)?.race(rounds)?);
    }
    Ok(tables)
}
