//! Worlds in continuous motion. Referees: the times of impact of all pairs, exact roots for spheres
//! that fly straight, samples for all else.
//!
//! What must hold: no contact before the time that a world advances to but those that it reported;
//! a reported contact is one; it does not matter in how many steps time advances; bodies in contact
//! report it once.

mod support;

use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::DVec3;
use clearance_engine::motion::{ImpactRequest, Motion, TimeOfImpact, time_of_impact};
use clearance_engine::query::DistanceRequest;
use clearance_engine::shape::{Capsule, Cuboid, HalfSpace, Sphere};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Geometry, HalfSpaceGeometry, Mesh, Solid};
use clearance_engine::volume::BoundingSphere;
use clearance_engine::world::{BodyId, Event, Groups, World};
use clearance_engine::{ErrorKind, Pose};
use std::sync::Arc;
use support::Random;

struct Stage {
    world: World,
    dispatcher: Dispatcher,
    workspace: Workspace,
}

impl Stage {
    fn new() -> Self {
        let world = World::new(Default::default()).unwrap();
        Self { world, dispatcher: Dispatcher::standard(), workspace: Workspace::default() }
    }

    fn put(&mut self, geometry: Arc<dyn Geometry>, motion: &Motion) -> BodyId {
        let id = self.world.insert(geometry, motion.pose(0.0), Groups::default()).unwrap();
        if motion.duration() > 0.0 {
            self.world.set_motion(id, motion.clone()).unwrap();
        }
        id
    }

    fn advance(&mut self, until: f64) -> Option<Event> {
        self.world.advance(&self.dispatcher, until, &mut self.workspace).unwrap()
    }

    /// All contacts up to a time, of bodies whose motions do not change.
    fn all(&mut self, until: f64) -> Vec<Event> {
        std::iter::from_fn(|| self.advance(until)).collect()
    }
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_xyz(x, y, z).unwrap()
}

fn solid(shape: impl Into<clearance_engine::shape::Primitive>) -> Arc<dyn Geometry> {
    Arc::new(Solid::new(shape))
}

fn flying(pose: &Pose, velocity: DVec3) -> Motion {
    Motion::moving(pose, DVec3::ZERO, velocity, DVec3::ZERO, 100.0).unwrap()
}

/// A shape of any kind, some thin, and a motion of any kind, some fast.
fn body(random: &mut Random) -> (Arc<dyn Geometry>, Motion) {
    let size = random.between(0.1, 0.5);
    let shape: Arc<dyn Geometry> = match random.below(5) {
        0 => solid(Sphere::new(size).unwrap()),
        1 => solid(Cuboid::new(4.0 * size, 4.0 * size, 1e-3).unwrap()),
        2 => solid(Capsule::from_half_length(0.02, 2.0 * size).unwrap()),
        3 => {
            let mesh: Mesh = Mesh::new(random.tri_mesh(20, size, DVec3::ZERO)).unwrap();
            Arc::new(mesh)
        }
        _ => solid(Cuboid::from_half_extents(DVec3::splat(size) + random.vector() * (0.5 * size)).unwrap()),
    };
    let start = random.pose(3.0);
    let speed = [0.0, 0.3, 3.0, 300.0][random.below(4)];
    let (velocity, spin) = (random.vector() * speed, random.vector() * [0.0, 1.0, 40.0][random.below(3)]);
    let center = random.vector() * 0.3;
    let motion = match random.below(4) {
        0 => Motion::still(&start),
        1 => Motion::thrown(&start, center, [velocity, random.vector() * 5.0], spin, 1.0).unwrap(),
        2 => {
            let (first, second) = (random.pose(3.0), random.pose(3.0));
            Motion::through(&[(0.0, start), (0.4, first), (0.9, second)]).unwrap()
        }
        _ => Motion::moving(&start, center, velocity, spin, 1.0).unwrap(),
    };
    (shape, motion)
}

#[test]
fn the_first_contact_is_the_first_of_all_pairs() {
    let (mut contacts, mut free) = (0, 0);
    for seed in 0..120 {
        let mut random = Random(700 + seed);
        let mut stage = Stage::new();
        let count = 3 + random.below(12);
        let bodies: Vec<_> = (0..count).map(|_| body(&mut random)).collect();
        let ids: Vec<BodyId> = bodies.iter().map(|(shape, motion)| stage.put(shape.clone(), motion)).collect();
        // What every pair does by itself.
        let mut pairs = Vec::new();
        for i in 0..count {
            for j in i + 1..count {
                let two = [i, j].map(|k| (&*bodies[k].0, &bodies[k].1));
                let request = ImpactRequest::default();
                let found = time_of_impact(&stage.dispatcher, two, &request, &mut stage.workspace).unwrap();
                pairs.push(([ids[i], ids[j]], found.first));
            }
        }
        let until = 1.0;
        let event = stage.advance(until);
        let first = pairs.iter().filter_map(|(_, found)| match found {
            TimeOfImpact::Contact(impact) if impact.gap < 1e-9 => Some(impact.t_upper),
            _ => None,
        });
        let first = first.fold(f64::INFINITY, f64::min);
        match event {
            None => {
                assert!(first > until, "seed {seed}: {first} was missed");
                free += 1;
            }
            Some(event) => {
                assert!(event.time <= first, "seed {seed}: {event:?} is after {first}");
                let alone = pairs.iter().find(|(pair, _)| *pair == event.bodies).unwrap().1;
                let impact = event.impact.unwrap();
                assert!(impact.t_lower == event.time && impact.gap <= 1e-6, "seed {seed}: {event:?}");
                match alone {
                    // Both are within the tolerance of the first contact.
                    TimeOfImpact::Contact(other) => {
                        let latest = other.t_upper.max(impact.t_upper);
                        assert!(event.time <= other.t_upper && other.t_lower <= impact.t_upper, "seed {seed}");
                        assert!(latest - event.time < 1e-3, "seed {seed}: {event:?} {other:?}");
                    }
                    // Within the tolerance, but farther apart than half of it.
                    other => assert!(impact.gap > 0.0, "seed {seed}: {event:?} {other:?}"),
                }
                contacts += 1;
            }
        }
    }
    assert!(contacts > 30 && free > 5, "{contacts} {free}: the test must see both");
}

/// The time at which two spheres that fly straight touch, if they come nearer then.
fn root(d: DVec3, v: DVec3, radii: f64) -> Option<f64> {
    let (a, b, c) = (v.length_squared(), d.dot(v), d.length_squared() - radii * radii);
    let inside = b * b - a * c;
    (b < 0.0 && inside > 0.0).then(|| c / (-b + inside.sqrt()))
}

#[test]
fn spheres_that_bounce_do_so_at_the_exact_times_and_never_pass() {
    const COUNT: usize = 40;
    let mut random = Random(81);
    let mut stage = Stage::new();
    let wall = 4.0;
    let mut walls = Vec::new();
    for axis in DVec3::AXES {
        for normal in [axis, -axis] {
            let side = HalfSpaceGeometry::new(HalfSpace::new(normal, -wall).unwrap());
            walls.push((stage.put(Arc::new(side), &Motion::still(&Pose::IDENTITY)), normal));
        }
    }
    struct Ball {
        id: BodyId,
        radius: f64,
        center: DVec3,
        velocity: DVec3,
    }
    let mut balls: Vec<Ball> = Vec::new();
    while balls.len() < COUNT {
        let (center, radius) = (random.vector() * 3.3, random.between(0.2, 0.5));
        if balls.iter().any(|ball| ball.center.distance(center) < ball.radius + radius + 0.01) {
            continue;
        }
        // Some are very fast.
        let velocity = random.vector() * if balls.len().is_multiple_of(10) { 500.0 } else { 2.0 };
        let pose = Pose::from_translation(center).unwrap();
        let id = stage.put(solid(Sphere::new(radius).unwrap()), &flying(&pose, velocity));
        balls.push(Ball { id, radius, center, velocity });
    }
    let mut now = 0.0;
    let (mut events, mut ticks) = (0, 0);
    while events < 1500 {
        // The exact first contact of all that approach each other.
        let mut first = f64::INFINITY;
        for (i, a) in balls.iter().enumerate() {
            for b in &balls[i + 1..] {
                let t = root(b.center - a.center, b.velocity - a.velocity, a.radius + b.radius);
                first = first.min(t.map_or(f64::INFINITY, |t| now + t));
            }
            for (_, normal) in &walls {
                let speed = normal.dot(a.velocity);
                let gap = normal.dot(a.center) + wall - a.radius;
                first = first.min(if speed < 0.0 { now - gap / speed } else { f64::INFINITY });
            }
        }
        // Ticks that have nothing to do with contacts.
        let until = stage.world.time() + random.between(0.0, 0.02);
        let event = stage.advance(until);
        let later = stage.world.time();
        assert!(later <= first + 1e-7, "{later}, but {first} at {events} events: {event:?}");
        for ball in &mut balls {
            ball.center += ball.velocity * (later - now);
            let pose = stage.world.pose(ball.id).unwrap();
            assert!(pose.translation().distance(ball.center) < 1e-7);
            ball.center = pose.translation();
        }
        now = later;
        for (i, a) in balls.iter().enumerate() {
            assert!(a.center.abs().max_element() + a.radius <= wall, "{events}: through a wall");
            assert!(balls[i + 1..].iter().all(|b| b.center.distance(a.center) > a.radius + b.radius - 1e-9));
        }
        let Some(Event { bodies: pair, time, .. }) = event else {
            ticks += 1;
            continue;
        };
        events += 1;
        let found = pair.map(|id| balls.iter().position(|ball| ball.id == id));
        match found {
            [Some(i), Some(j)] => {
                let between = balls[j].center - balls[i].center;
                let gap = between.length() - balls[i].radius - balls[j].radius;
                assert!((0.0..3e-6).contains(&gap), "{gap} at {time}");
                let normal = between.normalize();
                let closing = (balls[i].velocity - balls[j].velocity).dot(normal);
                assert!(closing > -1e-6, "they part: {closing}");
                let exchanged = normal * closing;
                balls[i].velocity -= exchanged;
                balls[j].velocity += exchanged;
            }
            [a, b] => {
                let ball = a.or(b).unwrap();
                let (_, normal) = walls.iter().find(|(id, _)| pair.contains(id)).unwrap();
                let speed = normal.dot(balls[ball].velocity);
                assert!(speed < 1e-6, "it leaves the wall");
                balls[ball].velocity -= *normal * (2.0 * speed);
            }
        }
        for ball in found.into_iter().flatten() {
            let pose = stage.world.pose(balls[ball].id).unwrap();
            stage.world.set_motion(balls[ball].id, flying(&pose, balls[ball].velocity)).unwrap();
        }
    }
    assert!(ticks > 10, "{ticks}");
}

#[test]
fn a_bullet_meets_every_sheet_on_its_way_in_order_at_any_speed() {
    for speed in [1.0, 1e3, 1e6] {
        let mut stage = Stage::new();
        let bullet = solid(Sphere::new(1e-3).unwrap());
        let fly = Motion::moving(&at(0.3, 0.2, -1.0), DVec3::ZERO, DVec3::Z * speed, DVec3::X * 9.0, 100.0).unwrap();
        let bullet = stage.put(bullet, &fly);
        let sheets: Vec<BodyId> = (0..20)
            .map(|i| {
                stage.put(solid(Cuboid::new(2.0, 2.0, 1e-5).unwrap()), &Motion::still(&at(0.0, 0.0, f64::from(i))))
            })
            .collect();
        let events = stage.all(30.0 / speed);
        let met: Vec<BodyId> = events.iter().map(|event| event.bodies[1]).collect();
        assert!(events.iter().all(|event| event.bodies[0] == bullet));
        assert_eq!(met, sheets, "{speed}");
        for (i, event) in events.iter().enumerate() {
            let truth = (1.0 + i as f64 - 1e-3 - 5e-6) / speed;
            assert!((event.time - truth).abs() < 3e-6 / speed, "{speed}: {} {truth}", event.time);
        }
        // It has left all of them.
        assert_eq!(stage.world.in_contact().count(), 0);
    }
}

#[test]
fn bodies_in_contact_report_it_once_until_they_were_apart() {
    let mut stage = Stage::new();
    let floor = Arc::new(HalfSpaceGeometry::new(HalfSpace::new(DVec3::Z, 0.0).unwrap()));
    let floor = stage.put(floor, &Motion::still(&Pose::IDENTITY));
    let cube = |half: f64| solid(Cuboid::from_half_extents(DVec3::splat(half)).unwrap());
    // One that rests, one that slides, one that is in the floor, one that leaves it, one on another.
    let resting = stage.put(cube(0.5), &Motion::still(&at(0.0, 0.0, 0.5)));
    let sliding = stage.put(cube(0.5), &flying(&at(0.0, 5.0, 0.5), DVec3::X));
    let inside = stage.put(cube(0.5), &Motion::still(&at(0.0, 10.0, 0.1)));
    let leaving = stage.put(cube(0.5), &flying(&at(0.0, 15.0, 0.5), DVec3::Z));
    let upper = stage.put(cube(0.5), &Motion::still(&at(0.2, 0.0, 1.5)));
    let mut at_once: Vec<_> = (0..5).map(|_| stage.advance(0.0).expect("five pairs touch")).collect();
    at_once.sort_by_key(|event| event.bodies);
    let pairs: Vec<_> = at_once.iter().map(|event| event.bodies).collect();
    let expected = [[floor, resting], [floor, sliding], [floor, inside], [floor, leaving], [resting, upper]];
    assert_eq!(pairs, expected);
    assert!(at_once.iter().all(|event| event.time == 0.0));
    assert_eq!(stage.advance(0.0), None);
    for tick in 1..200 {
        assert_eq!(stage.advance(0.05 * f64::from(tick)), None, "tick {tick}");
    }
    let held: Vec<_> = stage.world.in_contact().collect();
    assert_eq!(held, [[floor, resting], [floor, sliding], [floor, inside], [resting, upper]]);
    // What left comes back, and what was inside is lifted out and let go.
    let now = stage.world.time();
    let pose = stage.world.pose(leaving).unwrap();
    stage.world.set_motion(leaving, flying(&pose, DVec3::Z * -2.0)).unwrap();
    let up =
        Motion::through(&[(0.0, at(0.0, 10.0, 0.1)), (1.0, at(0.0, 10.0, 1.1)), (2.0, at(0.0, 10.0, 0.1))]).unwrap();
    stage.world.set_motion(inside, up).unwrap();
    let found: Vec<_> = stage.all(now + 20.0).iter().map(|event| (event.bodies, event.time - now)).collect();
    assert_eq!(found.iter().map(|(pair, _)| *pair).collect::<Vec<_>>(), [[floor, inside], [floor, leaving]]);
    let height = pose.translation().z - 0.5;
    assert!((found[0].1 - 1.6).abs() < 1e-5 && (found[1].1 - 0.5 * height).abs() < 1e-5, "{found:?}");
}

#[test]
fn a_ball_that_is_thrown_up_again_and_again_is_caught_every_time() {
    let mut stage = Stage::new();
    let floor = Arc::new(HalfSpaceGeometry::new(HalfSpace::new(DVec3::Z, 0.0).unwrap()));
    stage.put(floor, &Motion::still(&Pose::IDENTITY));
    let gravity = DVec3::Z * -10.0;
    let throw = |pose: &Pose, speed: f64| {
        Motion::thrown(pose, DVec3::ZERO, [DVec3::new(1.0, 0.0, speed), gravity], DVec3::Y * 30.0, 1e3).unwrap()
    };
    let ball = stage.put(solid(Sphere::new(0.1).unwrap()), &throw(&at(0.0, 0.0, 1.1), 0.0));
    let mut expected = (2.0_f64 / 10.0).sqrt();
    let mut speed = 10.0 * expected;
    // One call for each flight, which goes up and comes back within it.
    for bounce in 0..25 {
        let event = stage.advance(1e3).expect("it falls");
        assert!((event.time - expected).abs() < 1e-4 * (1.0 + expected), "{bounce}: {} {expected}", event.time);
        speed *= 0.8;
        expected = event.time + 0.2 * speed;
        let pose = stage.world.pose(ball).unwrap();
        stage.world.set_motion(ball, throw(&pose, speed)).unwrap();
    }
}

#[test]
fn contacts_do_not_depend_on_how_time_advances_and_hold_where_it_is_late() {
    let mut counts = Vec::new();
    for (start, ticks) in [(0.0, 1), (0.0, 7), (0.0, 300), (1e6, 40)] {
        let mut random = Random(4711);
        let mut stage = Stage::new();
        stage.advance(start);
        let bodies: Vec<_> = (0..24).map(|_| body(&mut random)).collect();
        bodies.iter().for_each(|(shape, motion)| {
            stage.put(shape.clone(), motion);
        });
        let mut events = Vec::new();
        for tick in 1..=ticks {
            events.extend(stage.all(start + f64::from(tick) / f64::from(ticks)));
        }
        counts
            .push(events.iter().map(|event| (event.bodies.map(BodyId::slot), event.time - start)).collect::<Vec<_>>());
    }
    assert!(counts[0].len() > 8, "{}", counts[0].len());
    for other in &counts[1..] {
        let pairs = |events: &[([usize; 2], f64)]| {
            let mut pairs: Vec<[usize; 2]> = events.iter().map(|(pair, _)| *pair).collect();
            pairs.sort_unstable();
            pairs
        };
        assert_eq!(pairs(other), pairs(&counts[0]));
        for (pair, time) in other {
            let same = counts[0].iter().filter(|(p, _)| p == pair).map(|(_, t)| (t - time).abs());
            assert!(same.fold(f64::INFINITY, f64::min) < 1e-4, "{pair:?} at {time}");
        }
    }
}

#[test]
fn groups_exclusions_removals_and_clearances_count_from_the_next_advance_on() {
    let sphere = || solid(Sphere::new(0.5).unwrap());
    for case in 0..6 {
        let mut stage = Stage::new();
        let a = stage.put(sphere(), &Motion::still(&Pose::IDENTITY));
        let b = stage.put(sphere(), &flying(&at(5.0, 0.0, 0.0), -DVec3::X));
        assert_eq!(stage.advance(1.0), None);
        let expected = match case {
            0 => Some(4.0),
            1 => {
                stage.world.exclude(a, b, true).unwrap();
                None
            }
            2 => {
                stage.world.set_groups(b, Groups { member: 2, meets: 2 }).unwrap();
                None
            }
            3 => {
                stage.world.remove(a).unwrap();
                None
            }
            4 => {
                stage.world.set_pose(a, &at(1.0, 0.0, 0.0)).unwrap();
                Some(3.0)
            }
            _ => {
                let request = ImpactRequest { distance: 0.25, ..Default::default() };
                stage.world.set_impact_request(&request).unwrap();
                Some(3.75)
            }
        };
        let event = stage.advance(9.0);
        assert_eq!(event.is_some(), expected.is_some(), "case {case}: {event:?}");
        if let (Some(event), Some(expected)) = (event, expected) {
            assert!((event.time - expected).abs() < 3e-6, "case {case}: {event:?}");
            let found = stage.world.distance(
                &stage.dispatcher,
                [a, b],
                &DistanceRequest::default(),
                &mut stage.workspace,
                None,
            );
            assert!(found.unwrap().upper < 0.25 + 3e-6);
            // Discrete pairs follow: boxes of spheres that nearly touch overlap, up to rounding.
            stage.world.step();
            assert_eq!(stage.world.finder().pairs().count(), usize::from(case != 5), "case {case}");
        }
        let stuck = stage.world.advance(&stage.dispatcher, 0.5, &mut stage.workspace);
        assert_eq!(stuck.unwrap_err().kind(), ErrorKind::BadRequest);
    }
}

#[test]
fn bounds_of_motions_hold_all_sampled_places() {
    // By a geometry that is alone: its swept box is what a very thin probe meets.
    let mut random = Random(5);
    for case in 0..300 {
        let (_, motion) = body(&mut random);
        let point = random.vector();
        let mut stage = Stage::new();
        // A point of the body, and a peg where it will be.
        let when = random.unit() * motion.duration();
        let place = motion.pose(when).transform_point(point);
        let place_in_body = Pose::from_translation(point).unwrap();
        let dot = solid(Sphere::new(1e-4).unwrap().transformed(&place_in_body));
        stage.put(dot, &motion);
        stage.put(solid(Sphere::new(1e-4).unwrap()), &Motion::still(&Pose::from_translation(place).unwrap()));
        let event = stage.advance(motion.duration()).unwrap_or_else(|| panic!("case {case}: missed at {when}"));
        assert!(event.time <= when, "case {case}: {} after {when}", event.time);
    }
}

fn ground() -> Arc<dyn Geometry> {
    Arc::new(HalfSpaceGeometry::new(HalfSpace::new(DVec3::Z, 0.0).unwrap()))
}

#[test]
fn a_motion_that_is_set_again_and_again_does_not_put_off_the_look_at_a_contact() {
    let mut stage = Stage::new();
    stage.put(ground(), &Motion::still(&Pose::IDENTITY));
    // Up and down in 20 steps; the bounds of the rest of the motion always meet the floor.
    let rest = |pose: &Pose, now: f64| {
        let ways = [DVec3::Z * (1e-3 - 0.1 * now), DVec3::Z * -0.1];
        Motion::thrown(pose, DVec3::ZERO, ways, DVec3::ZERO, 0.03 - now).unwrap()
    };
    let ball = stage.put(solid(Sphere::new(0.1).unwrap()), &rest(&at(0.0, 0.0, 0.1), 0.0));
    assert!(stage.advance(0.0).is_some());
    let mut found = Vec::new();
    for tick in 1..26 {
        let now = 1e-3 * f64::from(tick);
        found.extend(stage.all(now).iter().map(|event| event.time));
        let pose = stage.world.pose(ball).unwrap();
        stage.world.set_motion(ball, rest(&pose, now)).unwrap();
    }
    assert!(found.len() == 1 && (found[0] - 0.02).abs() < 2e-3, "{found:?}");
}

#[test]
fn a_ball_of_a_long_motion_is_caught_soon_after_its_contact() {
    for duration in [1.0, 1e3, 1e9] {
        let mut stage = Stage::new();
        stage.put(ground(), &Motion::still(&Pose::IDENTITY));
        // So large that it comes back in one window.
        let [low, high, below] = [2.0, 2.1, 1.8].map(|z| at(0.0, 0.0, z));
        let path = [(0.0, low), (0.1, high), (0.4, below), (duration, below)];
        stage.put(solid(Sphere::new(2.0).unwrap()), &Motion::through(&path).unwrap());
        let times: Vec<f64> = stage.all(0.9).iter().map(|event| event.time).collect();
        assert!(times.len() == 2 && (times[1] - 0.2).abs() < 1e-4, "{duration}: {times:?}");
    }
}

#[test]
fn a_floor_that_tilts_away_and_back_lets_go_and_touches_again() {
    for duration in [2.0, 1e9] {
        let mut stage = Stage::new();
        let tilt = |rate: f64, until: f64| {
            Motion::moving(&Pose::IDENTITY, DVec3::ZERO, DVec3::ZERO, DVec3::Y * rate, until).unwrap()
        };
        // About y, so that the floor sinks where x is positive.
        let floor = stage.put(ground(), &tilt(0.1, duration));
        stage.put(solid(Sphere::new(0.1).unwrap()), &Motion::still(&at(3.0, 0.0, 0.1)));
        assert!(stage.advance(0.0).is_some());
        assert_eq!(stage.advance(0.5), None);
        assert_eq!(stage.world.in_contact().count(), 0);
        let pose = stage.world.pose(floor).unwrap();
        let back = Motion::moving(&pose, DVec3::ZERO, DVec3::ZERO, DVec3::Y * -0.1, duration).unwrap();
        stage.world.set_motion(floor, back).unwrap();
        let event = stage.advance(1.9).expect("it comes back");
        assert!((event.time - 1.0).abs() < 1e-4, "{event:?}");
    }
}

#[test]
fn bodies_that_come_to_rest_apart_are_let_go() {
    // Whenever the looks are: of so many ways, some begin and end between two of them.
    for k in 0..40 {
        let mut stage = Stage::new();
        let sphere = || solid(Sphere::new(0.5).unwrap());
        stage.put(sphere(), &Motion::still(&Pose::IDENTITY));
        // Boxes of spheres that are slanted to each other always overlap.
        let slant = DVec3::ONE.normalize();
        let [near, apart] = [1.0, 1.0 + 4.5e-4].map(|way| Pose::from_translation(slant * way).unwrap());
        let lift = 1.0 + 0.05 * f64::from(k);
        let lifted = Motion::through(&[(0.0, near), (lift, near), (lift + 0.1, apart)]).unwrap();
        stage.put(sphere(), &lifted);
        stage.put(sphere(), &flying(&at(10.0, 0.0, 5.0), DVec3::X * 10.0));
        assert!(stage.advance(0.0).is_some());
        assert_eq!(stage.advance(lift), None);
        assert_eq!(stage.world.in_contact().count(), 1);
        assert_eq!(stage.advance(20.0), None);
        assert_eq!(stage.world.in_contact().count(), 0, "{lift}");
    }
}

#[test]
fn motions_that_start_late_keep_their_bounds_where_pieces_meet() {
    let mut random = Random(31);
    let (mut times, mut poses) = (Vec::new(), Vec::new());
    for k in 0..30 {
        times.push(0.1 * f64::from(k));
        poses.push(random.pose(1e3));
    }
    let path = Motion::through(&times.iter().copied().zip(poses.iter().copied()).collect::<Vec<_>>()).unwrap();
    let sphere = BoundingSphere { center: DVec3::X, radius: 1.0 };
    for late in [1e3, 1e9, 1e15] {
        let waiting = Motion::moving(&poses[0], DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, late).unwrap();
        for motion in [path.clone().delayed(late).unwrap(), waiting.then(path.clone()).unwrap()] {
            for time in &times {
                let start = late + time;
                for [from, to] in [[start.next_down(), start], [start.next_down(), start.next_up()]] {
                    let [one, other] = [from, to].map(|t| motion.pose(t).transform_point(DVec3::X * 2.0));
                    let bound = motion.displacement(from, to, &sphere);
                    assert!(one.distance(other) <= bound, "{late} + {time}: {} {bound}", one.distance(other));
                }
            }
        }
    }
}
