//! Bounds of motions against dense samples of them.

use super::Motion;
use super::time_intervals::{Swept, TimeIntervals};
use crate::math::lanes::{Lanes8, Vectorized, vectorized};
use crate::math::{DQuat, DVec3, Frame, SimdLevel};
use crate::pair::shape::triangle_distance;
use crate::pair::volume::obb_sphere_block::{FixedObbSphere, NarrowMap};
use crate::pair::volume::swept_block::{Sweep, block_entries};
use crate::volume::samples::{Random, triangle_set};
use crate::volume::{BoundingSphere, ObbSphere, ObbSphereBlock, Volume};
use crate::{Pose, Triangle};

fn pose(random: &mut Random, scale: f64) -> Pose {
    Pose::from_matrix(random.rotation(), random.vector() * scale).unwrap()
}

/// A motion of each kind, by number.
fn motion(random: &mut Random, kind: usize) -> Motion {
    let scale = random.magnitude(-3.0, 3.0);
    let start = pose(random, scale);
    let (center, linear) = (random.vector() * scale, random.vector() * scale);
    let angular = random.direction() * random.magnitude(-4.0, 1.5);
    let duration = random.between(0.1, 3.0);
    match kind % 6 {
        0 => Motion::moving(&start, center, linear, DVec3::ZERO, duration),
        1 => Motion::moving(&start, center, linear, angular, duration),
        2 => Motion::screw(&start, center, angular, scale * random.signed(), duration),
        3 => Motion::between(&start, &pose(random, scale), duration),
        4 => Motion::thrown(&start, center, [linear, random.vector() * scale], angular, duration),
        _ => {
            let mut time = 0.0;
            let waypoints: Vec<(f64, Pose)> = (0..4)
                .map(|i| {
                    time += if i == 0 { 0.0 } else { random.between(0.05, 1.0) };
                    (time, pose(random, scale))
                })
                .collect();
            Motion::through(&waypoints)
        }
    }
    .unwrap()
}

#[test]
fn no_point_of_a_sphere_moves_farther_than_its_bounds_say_and_the_bounds_are_of_use() {
    let mut random = Random(41);
    let mut tightest = [0.0_f64; 2];
    for case in 0..3000 {
        let motion = motion(&mut random, case);
        let size = motion.pose(0.0).translation().length().max(1e-3);
        let sphere = BoundingSphere { center: random.vector() * size, radius: random.unit() * size };
        let length = motion.duration() * random.magnitude(-4.0, 0.0);
        let from = random.between(0.0, motion.duration() - length);
        let direction = random.direction();
        let (bound, along) = (
            motion.displacement(from, from + length, &sphere),
            motion.advance(from, from + length, &sphere, direction),
        );
        let start = motion.pose(from);
        for sample in 0..40 {
            // The whole interval, its end, and points on the sphere that go far.
            let t = if sample == 0 { from + length } else { from + length * random.unit() };
            let offset = if sample % 2 == 0 {
                random.direction() * sphere.radius
            } else {
                random.vector() * 0.5 * sphere.radius
            };
            let point = sphere.center + offset;
            let moved = motion.pose(t).transform_point(point) - start.transform_point(point);
            assert!(moved.length() <= bound, "case {case}: {} > {bound}", moved.length());
            assert!(moved.dot(direction) <= along, "case {case}: {} > {along}", moved.dot(direction));
            tightest[0] = tightest[0].max(moved.length() / bound);
            tightest[1] = tightest[1].max(moved.dot(direction) / along);
        }
        assert!(along <= bound * (1.0 + 1e-12) || case % 6 == 5, "case {case}: {along} along, {bound} in all");
    }
    assert!(tightest.iter().all(|part| *part > 0.99), "{tightest:?}");
}

/// From when on the first volume, in its lanes, may meet the second.
struct Entry<'e>(&'e ObbSphere, &'e ObbSphere, &'e NarrowMap, &'e Sweep);

impl Vectorized for Entry<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> f64 {
        let Self(lanes, fixed, map, sweep) = self;
        let fixed = FixedObbSphere::new(simd, fixed, map);
        let entries: [f32; 8] = block_entries(simd, &ObbSphereBlock::new(&[*lanes], 0), &fixed, sweep).into();
        f64::from(entries[0])
    }
}

#[test]
fn swept_volumes_enter_each_other_no_later_than_what_is_in_them_comes_near() {
    let mut random = Random(77);
    let frames = [Frame { center: DVec3::ZERO, scale: 1.0 }; 2];
    let (mut near, mut later) = (0, 0);
    for case in 0..4000 {
        let sets = [0, 1].map(|_| triangle_set(&mut random).into_iter().take(4).collect::<Vec<Triangle>>());
        let motions = [0, 1].map(|_| {
            let kind = random.below(5);
            motion(&mut random, kind)
        });
        let shorter = motions[0].duration().min(motions[1].duration());
        let length = shorter * random.magnitude(-3.0, 0.0);
        let from = random.between(0.0, shorter - length);
        let times: Vec<f64> = (0..=24).map(|i| from + length * f64::from(i) / 24.0).collect();
        let distance = |t: f64| {
            let placed = [0, 1].map(|k| {
                let pose = motions[k].pose(t);
                sets[k].iter().map(|triangle| triangle.transformed(&pose)).collect::<Vec<_>>()
            });
            let pairs = placed[0].iter().flat_map(|a| placed[1].iter().map(move |b| triangle_distance(a, b).upper));
            pairs.fold(f64::INFINITY, f64::min)
        };
        let distances: Vec<f64> = times.iter().map(|&t| distance(t)).collect();
        // As near as at one of the times counts as contact; rounding of poses is what the search
        // adds.
        let wanted = distances[random.below(distances.len())];
        let size =
            distances.iter().fold(3.0_f64, |size, d| size.max(*d)) + motions[0].pose(from).translation().length();
        let pad = wanted * (1.0 + 1e-12) + 1e-13 * size;
        let first = times.iter().zip(&distances).find(|(_, d)| **d <= wanted).map(|(&t, _)| t).unwrap();
        let volumes = [0, 1].map(|k| ObbSphere::fit(&sets[k], &Default::default()));
        let vertices = [0, 1].map(|k: usize| sets[k].iter().flat_map(|triangle| triangle.0).collect::<Vec<DVec3>>());
        let swept = Swept { spheres: [0, 1].map(|k| BoundingSphere::around(&vertices[k])), frames, tolerance: 0.0 };
        let mut intervals = TimeIntervals::default();
        let linear = |middle, half| ([0, 1].map(|k| motions[k].linear(middle, half)), pad);
        let Some(tag) = intervals.add([from, from + length], 0, &swept, linear) else {
            panic!("case {case}: near at {first}, but the bodies are said to stay apart");
        };
        let interval = intervals.get(tag);
        if !interval.usable {
            continue;
        }
        near += 1;
        let tau = (first - interval.middle) / interval.half;
        for level in SimdLevel::available() {
            for lanes in 0..2 {
                let entry = Entry(&volumes[lanes], &volumes[1 - lanes], &interval.maps[lanes], &interval.sweeps[lanes]);
                let entry = vectorized(level, entry);
                assert!(entry <= tau + 1e-9, "case {case}: enter at {entry}, are near at {tau}");
                later += usize::from(entry > -0.99);
            }
        }
    }
    assert!(near > 3000 && later > 500, "{near} come near, {later} bounds are of use");
}

#[test]
fn a_bound_over_a_longer_time_is_not_smaller() {
    let mut random = Random(42);
    for case in 0..600 {
        let motion = motion(&mut random, case);
        let sphere = BoundingSphere { center: random.vector(), radius: random.unit() };
        let times: Vec<f64> = (0..=20).map(|i| motion.duration() * f64::from(i) / 20.0).collect();
        let bounds: Vec<f64> = times.iter().map(|&t| motion.displacement(0.0, t, &sphere)).collect();
        assert!(bounds.windows(2).all(|pair| pair[0] <= pair[1] * (1.0 + 1e-12)), "case {case}: {bounds:?}");
    }
}

#[test]
fn motions_start_and_end_where_they_should() {
    let mut random = Random(43);
    for _ in 0..500 {
        let (from, to) = (pose(&mut random, 1.0), pose(&mut random, 1.0));
        let motion = Motion::between(&from, &to, 2.0).unwrap();
        for (t, expected) in [(0.0, from), (2.0, to), (-1.0, from), (9.0, to), (f64::NAN, from)] {
            let point = random.vector();
            let (found, expected) = (motion.pose(t).transform_point(point), expected.transform_point(point));
            assert!(found.distance(expected) < 1e-13, "{t}: {found} {expected}");
        }
    }
}

#[test]
fn a_screw_keeps_its_axis_in_place_and_a_needle_that_spins_about_itself_hardly_moves() {
    let (point, axis) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.0, 3.0, 4.0));
    let start = Pose::new(DQuat::from_rotation_x(0.3), DVec3::ONE).unwrap();
    let screw = Motion::screw(&start, point, axis, 0.5, 7.0).unwrap();
    let body_point = start.inverse().transform_point(point);
    for t in [0.1, 1.0, 6.5] {
        let moved = screw.pose(t).transform_point(body_point) - point;
        assert!(moved.distance(axis / 5.0 * 0.5 * t) < 1e-12, "{moved}");
    }
    let spin = Motion::moving(&Pose::IDENTITY, DVec3::ZERO, DVec3::ZERO, DVec3::X * 1000.0, 1.0).unwrap();
    let tip = BoundingSphere { center: DVec3::X * 5.0, radius: 1e-3 };
    assert!(spin.displacement(0.0, 1.0, &tip) < 2.001e-3);
}

#[test]
fn velocities_whose_squares_leave_the_range_of_numbers_still_move_and_turn() {
    let sphere = BoundingSphere { center: DVec3::X, radius: 0.0 };
    let slow = Motion::moving(&Pose::IDENTITY, DVec3::ZERO, DVec3::X * 1e-170, DVec3::ZERO, 1e170).unwrap();
    assert!(slow.displacement(0.0, 1e170, &sphere) >= 1.0);
    for rate in [1e-170, 1e200] {
        let turning = Motion::moving(&Pose::IDENTITY, DVec3::ZERO, DVec3::ZERO, DVec3::Z * rate, 1.0 / rate).unwrap();
        let (from, to) =
            (turning.pose(0.0).transform_point(DVec3::X), turning.pose(1.0 / rate).transform_point(DVec3::X));
        assert!(
            from.distance(to) > 0.9 && turning.displacement(0.0, 1.0 / rate, &sphere) >= from.distance(to),
            "{rate:e}"
        );
    }
}

#[test]
fn motions_that_make_no_sense_are_refused() {
    let start = Pose::IDENTITY;
    assert!(Motion::moving(&start, DVec3::ZERO, DVec3::NAN, DVec3::ZERO, 1.0).is_err());
    assert!(Motion::moving(&start, DVec3::ZERO, DVec3::X, DVec3::ZERO, f64::INFINITY).is_err());
    assert!(Motion::moving(&start, DVec3::ZERO, DVec3::X * 1e99, DVec3::ZERO, 1e9).is_err());
    assert!(Motion::through(&[]).is_err() && Motion::through(&[(1.0, start)]).is_err());
    let away = Pose::from_translation(DVec3::X).unwrap();
    assert!(Motion::through(&[(0.0, start), (0.0, away)]).is_err());
    assert!(Motion::still(&start).then(Motion::still(&away)).is_err());
}
