//! When two moving meshes first touch: microseconds a motion of each approach, and of parry's
//! casts.
//!
//! One mesh stands, the other flies by or into it: along a straight line, or along one and turning.
//! Of each kind there are as many motions that hit as that miss. Before anything is timed, the
//! approaches' answers are compared: all must find the same motions free, and overlapping intervals
//! for the others. Other engines ([`Caster`]) are given the same motions, parry in its `f32`; they
//! take so long that they are asked about as many as fit into some seconds, and it is counted how
//! many of those they are wrong about.

use crate::placing::Random;
use crate::table::{Table, short};
use crate::{Error, Result, models, timing};
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::DVec3;
use clearance_engine::motion::{Approach, ImpactAnswer, ImpactRequest, Motion, TimeOfImpact, time_of_impact};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::Mesh;
use clearance_engine::{Pose, TriMesh};
use std::f64::consts::TAU;
use std::time::Duration;

/// Motions of each kind: half of them hit.
const MOTIONS: usize = 40;

/// The approaches that are compared, with their names.
const APPROACHES: [(&str, Approach); 4] = [
    ("swept nodes, trajectories (default)", Approach::Trajectory),
    ("swept nodes, steps", Approach::Swept),
    ("steps, directions", Approach::Directional),
    ("steps, distance only", Approach::Distance),
];

/// How long an engine may take for the motions of a course that hit, and for those that miss.
const LIMIT: Duration = Duration::from_secs(5);

/// How the second mesh moves, in unit time: its origin straight on, and all of it about that, as
/// all engines can.
#[derive(Clone, Copy)]
pub struct Flight {
    start: Pose,
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
        Ok(Self { start, linear: direction * (2.0 * far), angular })
    }

    fn motion(&self) -> Result<Motion> {
        Ok(Motion::moving(&self.start, DVec3::ZERO, self.linear, self.angular, 1.0)?)
    }

    /// Where it begins and where it ends; in between less than half a turn.
    pub fn ends(&self) -> Result<[Pose; 2]> {
        Ok([self.start, self.motion()?.pose(1.0)])
    }
}

/// Two meshes and flights of the second, of which every other one hits.
pub struct Course {
    title: String,
    tri_meshes: [TriMesh; 2],
    meshes: [Mesh; 2],
    /// The same, declared solid.
    solids: [Mesh; 2],
    flights: Vec<Flight>,
    turning: bool,
}

/// A question, and whether it is about surfaces or about solids.
struct Asked {
    request: ImpactRequest,
    solid: bool,
}

impl Asked {
    fn by(approach: Approach) -> Self {
        Self { request: ImpactRequest { approach, ..ImpactRequest::default() }, solid: false }
    }
}

/// What is measured of an engine: microseconds of motions that hit and of those that miss; times
/// that were looked at, of all.
struct Row {
    name: String,
    us: [f64; 2],
    steps: f64,
    /// Tests of volumes.
    volumes: f64,
    /// Of the motions that hit and of those that miss.
    wrong: [String; 2],
}

/// Another engine of the race.
pub trait Caster {
    /// What it is called.
    fn name(&self) -> String;
    /// Asks about the flights of a course that hit, or that miss, until the time is over, at least
    /// about one.
    fn cast(&mut self, course: &Course, hitting: bool, limit: Duration) -> Result<Cast>;
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cast {
    /// Microseconds a motion.
    pub us: f64,
    /// About how many it was asked.
    pub asked: usize,
    /// How many of them it was wrong about.
    pub wrong: usize,
}

impl Course {
    fn new(name: &str, tri_meshes: [TriMesh; 2], turning: bool) -> Result<Self> {
        let meshes = [Mesh::new(tri_meshes[0].clone())?, Mesh::new(tri_meshes[1].clone())?];
        let mut random = Random(7);
        let title = format!("{name}, {}", if turning { "screws" } else { "translations" });
        let [a, b] = meshes.clone();
        let solids = [a.into_solid()?, b.into_solid()?];
        let mut course = Self { title, tri_meshes, meshes, solids, flights: Vec::new(), turning };
        let mut workspace = Workspace::default();
        let dispatcher = Dispatcher::standard();
        while course.flights.len() < MOTIONS {
            let flight = Flight::random(&mut random, 3.0, turning)?;
            let answer = course.ask(&dispatcher, &flight, &Asked::by(Approach::Directional), &mut workspace)?;
            let wanted = course.flights.len().is_multiple_of(2);
            let hits = match answer.first {
                TimeOfImpact::Contact(touch) => touch.gap == 0.0 && touch.t_upper > 0.0,
                _ => false,
            };
            let free = matches!(answer.first, TimeOfImpact::Free { .. });
            if if wanted { hits } else { free } {
                course.flights.push(flight);
            }
        }
        Ok(course)
    }

    fn ask(
        &self,
        dispatcher: &Dispatcher,
        flight: &Flight,
        request: &Asked,
        workspace: &mut Workspace,
    ) -> Result<ImpactAnswer> {
        let (still, moving) = (Motion::still(&Pose::IDENTITY), flight.motion()?);
        let [a, b] = if request.solid { &self.solids } else { &self.meshes };
        Ok(time_of_impact(dispatcher, [(a, &still), (b, &moving)], &request.request, workspace)?)
    }

    /// What is asked of our own approaches, with their names.
    fn ways(&self) -> Vec<(&'static str, Asked)> {
        let approaches = APPROACHES.into_iter().map(|(name, approach)| (name, Asked::by(approach)));
        let solid = |name, fronts_only| {
            let request = ImpactRequest { fronts_only, ..ImpactRequest::default() };
            (name, Asked { request, solid: true })
        };
        let solids = [solid("default, solids", false), solid("default, solids, front faces only", true)];
        approaches.chain(solids.into_iter().filter(|_| !self.turning)).collect()
    }

    /// Whether two approaches tell the same.
    fn compare(&self) -> Result<()> {
        let (dispatcher, mut workspace) = (Dispatcher::standard(), Workspace::default());
        for (number, flight) in self.flights.iter().enumerate() {
            let mut answers = Vec::new();
            for (_, asked) in self.ways() {
                answers.push(self.ask(&dispatcher, flight, &asked, &mut workspace)?.first);
            }
            let agree = |other: &TimeOfImpact| match (&answers[0], other) {
                (TimeOfImpact::Free { .. }, TimeOfImpact::Free { .. }) => true,
                (TimeOfImpact::Contact(x), TimeOfImpact::Contact(y)) => {
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

    /// The mesh that stands, and the one that moves.
    pub fn tri_meshes(&self) -> &[TriMesh; 2] {
        &self.tri_meshes
    }

    /// Whether the second one turns.
    pub fn turning(&self) -> bool {
        self.turning
    }

    /// Flights that hit, or that miss.
    pub fn flights(&self, hitting: bool) -> impl Iterator<Item = &Flight> {
        self.flights.iter().skip(usize::from(!hitting)).step_by(2)
    }

    fn ours(&self, (name, asked): (&'static str, Asked), rounds: usize) -> Result<Row> {
        let (dispatcher, mut workspace) = (Dispatcher::standard(), Workspace::default());
        let (mut us, mut steps, mut volumes) = ([0.0; 2], 0, 0);
        for hitting in [true, false] {
            let time = timing::shortest_thread_us(rounds, || -> Result<()> {
                for flight in self.flights(hitting) {
                    self.ask(&dispatcher, flight, &asked, &mut workspace)?;
                }
                Ok(())
            });
            us[usize::from(!hitting)] = time / (MOTIONS / 2) as f64;
            for flight in self.flights(hitting) {
                let answer = self.ask(&dispatcher, flight, &asked, &mut workspace)?;
                steps += answer.steps;
                volumes += answer.stats.volume_tests;
            }
        }
        let mean = |count: f64| count / MOTIONS as f64;
        let wrong = ["0".to_owned(), "0".to_owned()];
        Ok(Row { name: name.to_owned(), us, steps: mean(steps as f64), volumes: mean(volumes as f64), wrong })
    }

    fn race(&self, rounds: usize, others: &mut [Box<dyn Caster>]) -> Result<Table> {
        self.compare()?;
        let mut rows = Vec::new();
        for way in self.ways() {
            rows.push(self.ours(way, rounds.max(1))?);
        }
        for other in others {
            let [hits, misses] = [other.cast(self, true, LIMIT)?, other.cast(self, false, LIMIT)?];
            let wrong = [hits, misses].map(|cast| format!("{}/{}", cast.wrong, cast.asked));
            let name = other.name();
            rows.push(Row { name, us: [hits.us, misses.us], steps: f64::NAN, volumes: f64::NAN, wrong });
        }
        let mean = |row: &Row| 0.5 * (row.us[0] + row.us[1]);
        let best = mean(&rows[0]);
        let head = ["engine", "µs", "hits", "misses", "steps", "volumes", "ratio", "hits missed", "misses hit"];
        let mut table = Table::new(&self.title, &head);
        table.rows = rows
            .into_iter()
            .map(|row| {
                let numbers = [mean(&row), row.us[0], row.us[1], row.steps, row.volumes, mean(&row) / best].map(short);
                std::iter::once(row.name).chain(numbers).chain(row.wrong).collect()
            })
            .collect();
        Ok(table)
    }
}

#[cfg(feature = "parry")]
struct Parry;

#[cfg(feature = "parry")]
impl Caster for Parry {
    fn name(&self) -> String {
        "parry".into()
    }

    /// By `cast_shapes_nonlinear` for bodies that turn, else by `cast_shapes`.
    fn cast(&mut self, course: &Course, hitting: bool, limit: Duration) -> Result<Cast> {
        use crate::engines::{Parry32, pose_f32};
        use parry3d::math::Vector;
        use parry3d::query::{NonlinearRigidMotion, ShapeCastOptions, cast_shapes, cast_shapes_nonlinear};
        let [a, b] = [Parry32::body(&course.tri_meshes[0], false)?, Parry32::body(&course.tri_meshes[1], false)?];
        let vector = |v: DVec3| Vector::new(v.x as f32, v.y as f32, v.z as f32);
        let ask = |flight: &Flight| {
            let start = pose_f32(&flight.start);
            let hit = if course.turning {
                let [linear, angular] = [flight.linear, flight.angular].map(vector);
                let motion = NonlinearRigidMotion::new(start, Vector::ZERO, linear, angular);
                let still = NonlinearRigidMotion::constant_position(pose_f32(&Pose::IDENTITY));
                cast_shapes_nonlinear(&still, &*a, &motion, &*b, 0.0, 1.0, true)
            } else {
                let options = ShapeCastOptions::with_max_time_of_impact(1.0);
                let still = pose_f32(&Pose::IDENTITY);
                cast_shapes(&still, Vector::ZERO, &*a, &start, vector(flight.linear), &*b, options)
            };
            hit.map_err(|error| Error::other(format!("parry: {error}")))
        };
        let (start, mut asked, mut wrong) = (std::time::Instant::now(), 0, 0);
        for flight in course.flights(hitting) {
            if asked > 0 && start.elapsed() > limit {
                break;
            }
            wrong += usize::from(ask(flight)?.is_some() != hitting);
            asked += 1;
        }
        Ok(Cast { us: start.elapsed().as_secs_f64() * 1e6 / asked.max(1) as f64, asked, wrong })
    }
}

/// Makes other engines for a course.
type Peers<'p> = &'p mut dyn FnMut(&Course) -> Result<Vec<Box<dyn Caster>>>;

/// Races on meshes of about 2,000 and 20,000 triangles, screws and translations, with parry where
/// it is built in and with what `peers` makes.
pub fn run(rounds: usize, peers: Peers<'_>) -> Result<Vec<Table>> {
    let small = || -> Result<[TriMesh; 2]> {
        Ok([models::knobby_torus(1.0, 0.3, 6, 48, 22)?, models::bent_torus(1.0, 0.2, 56, 18)?])
    };
    let large = || -> Result<[TriMesh; 2]> { Ok([models::icosphere(5, 0.1)?, models::torus_knot(500, 20)?]) };
    let mut tables = Vec::new();
    for turning in [true, false] {
        for course in [
            Course::new("two tori of 2,000 triangles", small()?, turning)?,
            Course::new("sphere and knot of 20,000 triangles", large()?, turning)?,
        ] {
            let mut others = peers(&course)?;
            #[cfg(feature = "parry")]
            others.push(Box::new(Parry));
            tables.push(course.race(rounds, &mut others)?);
        }
    }
    Ok(tables)
}
