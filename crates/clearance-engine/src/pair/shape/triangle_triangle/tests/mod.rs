//! Against the exact oracle on hard pairs of all families, and named cases.

mod families;
mod named;

use super::*;
use crate::Triangle;
use crate::math::DVec3;
use crate::math::double_double::DoubleDouble;
use crate::oracle::{ExactSquaredDistance, squared_distance};
use crate::pair::shape::ClosestPoints;
use crate::random::Random;
use families::any_pair;
use std::cmp::Ordering;

/// The largest coordinate difference between any two vertices.
fn extent(a: &Triangle, b: &Triangle) -> f64 {
    let (low, high) = bounding_box(a.0.iter().chain(&b.0));
    (high - low).max_element()
}

fn bounding_box<'a>(points: impl IntoIterator<Item = &'a DVec3>) -> (DVec3, DVec3) {
    points.into_iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)))
}

/// The largest coordinate.
fn magnitude(a: &Triangle, b: &Triangle) -> f64 {
    a.0.iter().chain(&b.0).fold(0.0_f64, |largest, vertex| largest.max(vertex.abs().max_element()))
}

fn width_allowed(distance: f64, a: &Triangle, b: &Triangle) -> f64 {
    1e-10 * distance + 1e-13 * extent(a, b)
}

fn assert_true_and_tight(
    closest: &ClosestPoints,
    exact: &ExactSquaredDistance,
    a: &Triangle,
    b: &Triangle,
    name: &str,
) {
    let ClosestPoints { lower, upper, point_a, point_b } = *closest;
    let context = || format!("{name}: {closest:?}\n{a:?}\n{b:?}");
    assert!(lower >= 0.0 && exact.compare(lower) != Ordering::Less, "lower bound above the distance, {}", context());
    assert!(upper >= 0.0 && exact.compare(upper) != Ordering::Greater, "upper bound below the distance, {}", context());
    assert!(upper - lower <= width_allowed(upper, a, b), "{:e} wide, {}", upper - lower, context());
    assert_eq!(exact.is_zero(), upper == 0.0, "overlap, {}", context());
    assert!(!exact.is_zero() || point_a == point_b, "one point, {}", context());
    let rounding = 1e-15 * magnitude(a, b) + width_allowed(upper, a, b);
    assert!((point_a.distance(point_b) - upper).abs() <= rounding, "points, {}", context());
}

fn assert_on(point: DVec3, triangle: &Triangle, tolerance: f64, what: &str) {
    let distance = triangle_distance(&Triangle([point; 3]), triangle).lower;
    assert!(distance <= tolerance, "{what}: {point} is {distance:e} off {triangle:?}");
}

fn compare_with_oracle(pairs: u64, seed: u64) {
    let mut random = Random(seed);
    for _ in 0..pairs {
        let (name, a, b) = any_pair(&mut random);
        let exact = ExactSquaredDistance::of(&a, &b);
        assert_eq!(triangles_overlap(&a, &b), exact.is_zero(), "{name}\n{a:?}\n{b:?}");
        let closest = triangle_distance(&a, &b);
        assert_true_and_tight(&closest, &exact, &a, &b, name);
        let tolerance = 1e-15 * magnitude(&a, &b) + 1e-14 * extent(&a, &b);
        assert_on(closest.point_a, &a, tolerance, name);
        assert_on(closest.point_b, &b, tolerance, name);
        // Along the best direction, and along one that is somewhat off.
        for off in [0.0, 0.1] {
            let turned = DVec3::new(random.signed(), random.signed(), random.signed()) * (off * closest.upper);
            let gap = triangle_gap_along(&a, &b, closest.point_b - closest.point_a + turned);
            assert!(gap < 0.0 || exact.compare(gap) != Ordering::Less, "{name}: gap {gap:e}\n{a:?}\n{b:?}");
        }
        let limit = closest.upper * random.between(0.0, 2.0);
        match triangle_distance_below(&a, &b, limit) {
            None => assert_ne!(exact.compare(limit), Ordering::Less, "{name}: limit {limit:e}\n{a:?}\n{b:?}"),
            Some(closest) => assert_true_and_tight(&closest, &exact, &a, &b, name),
        }
    }
}

#[test]
fn overlap_and_distance_agree_with_exact_arithmetic_on_hard_pairs() {
    compare_with_oracle(20_000, 1);
}

/// 2 million pairs against exact arithmetic and 2 million contacts: some three minutes on two
/// cores.
#[test]
#[ignore = "millions of pairs take minutes: cargo test --release -p clearance-engine many_hard_pairs -- --ignored"]
fn overlap_distance_and_contact_are_right_on_many_hard_pairs() {
    std::thread::scope(|scope| {
        for seed in [2, 3] {
            scope.spawn(move || {
                compare_with_oracle(1_000_000, seed);
                check_contacts(1_000_000, seed);
            });
        }
    });
}

fn compare_with_fast_oracle(pairs: u64, seed: u64) {
    let mut random = Random(seed);
    for _ in 0..pairs {
        let [a, b] = families::random(&mut random);
        let number = |triangle: &Triangle| triangle.0.map(|vertex| vertex.to_array().map(DoubleDouble::from));
        let squared = squared_distance(&number(&a), &number(&b));
        let distance = squared.numerator.over(squared.denominator).sqrt();
        let closest = triangle_distance(&a, &b);
        let error = DoubleDouble::from(1e-22);
        let context = || format!("{distance:?} {closest:?}\n{a:?}\n{b:?}");
        assert!(DoubleDouble::from(closest.lower) <= distance + error, "{}", context());
        assert!(DoubleDouble::from(closest.upper) + error >= distance, "{}", context());
        assert!(closest.upper - closest.lower <= width_allowed(closest.upper, &a, &b), "{}", context());
        assert_eq!(closest.is_overlapping(), triangles_overlap(&a, &b), "{}", context());
        assert_eq!(closest.is_overlapping(), distance == DoubleDouble::ZERO, "{}", context());
    }
}

#[test]
fn distance_agrees_with_double_double_arithmetic_on_random_pairs() {
    compare_with_fast_oracle(50_000, 4);
}

/// Some ten minutes on two cores.
#[test]
#[ignore = "100 million pairs take minutes: cargo test --release -p clearance-engine hundred_million -- --ignored"]
fn distance_agrees_with_double_double_arithmetic_on_a_hundred_million_random_pairs() {
    std::thread::scope(|scope| {
        for seed in [5, 6] {
            scope.spawn(move || compare_with_fast_oracle(50_000_000, seed));
        }
    });
}

fn check_contacts(pairs: u64, seed: u64) {
    let mut random = Random(seed);
    let mut sizes = [0; 7];
    for _ in 0..pairs {
        let (name, a, b) = any_pair(&mut random);
        let contact = triangle_contact(&a, &b);
        assert_eq!(contact.is_some(), triangles_overlap(&a, &b), "{name}\n{a:?}\n{b:?}");
        let Some(contact) = contact else { continue };
        assert!((1..=6).contains(&contact.points.len()), "{name}: {contact:?}\n{a:?}\n{b:?}");
        sizes[contact.points.len()] += 1;
        let tolerance = 1e-15 * magnitude(&a, &b) + 1e-13 * extent(&a, &b);
        for &point in &contact.points {
            assert_on(point, &a, tolerance, name);
            assert_on(point, &b, tolerance, name);
        }
        assert!((contact.normal.length() - 1.0).abs() < 1e-14, "{name}: {contact:?}\n{a:?}\n{b:?}");
        let swapped = triangle_contact(&b, &a).expect("overlap is symmetric");
        for &point in &swapped.points {
            assert_on(point, &a, tolerance, name);
            assert_on(point, &b, tolerance, name);
        }
        if a != b {
            assert_eq!(swapped.normal, -contact.normal, "{name}\n{a:?}\n{b:?}");
        }
        let (box_low, box_high) = bounding_box(&contact.points);
        let (swapped_low, swapped_high) = bounding_box(&swapped.points);
        let off = (swapped_low - box_low).abs().max((swapped_high - box_high).abs()).max_element();
        assert!(off <= tolerance, "{name}: {off:e} {contact:?} {swapped:?}\n{a:?}\n{b:?}");
    }
    assert!(sizes[1..].iter().all(|&count| count > 10), "not every kind of contact was met: {sizes:?}");
}

#[test]
fn contact_exists_exactly_on_overlap_lies_on_both_and_its_normal_turns_with_the_roles() {
    check_contacts(60_000, 7);
}
