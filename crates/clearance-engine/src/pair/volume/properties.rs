//! What every bound must keep, for all pairs of kinds, on sets and placements that are hard on it.
//!
//! Invariants: `gap − margin` does not exceed the referee's distance; `apart` is false at it;
//! `reach + margin` is not below it; nothing is NaN; and the bound is good on average, so that one
//! that always says zero fails. Volumes of sets hide the rounding of the arithmetic behind that of
//! their storage; volumes of points do not, and are judged in exact arithmetic.

use super::referee::feasible_distance;
use super::{Gap, mixed_gap};
use crate::math::{DMat3, DVec3, Frame, Similarity};
use crate::volume::properties::{Checked, Exact, dot, exact, minus, rational, squared_length};
use crate::volume::samples::{Random, cuboid, some_point, triangle_set};
use crate::volume::{Aabb, KIos, Kdop16, Kdop18, Kdop24, Obb, ObbSphere, Rss, Sphere, Volume};
use crate::{Pose, Triangle};
use num_rational::BigRational;
use std::sync::LazyLock;

/// Calls `$check::<A, B>($argument…)` for all 64 pairs.
macro_rules! for_all_pairs {
    ($check:ident $arguments:tt) => {
        for_all_pairs!(@rows $check $arguments ObbSphere Sphere Aabb Obb Rss Kdop16 Kdop18 Kdop24 KIos)
    };
    (@rows $check:ident $arguments:tt $($a:ident)*) => {
        $(for_all_pairs!(@row $check $arguments $a ObbSphere Sphere Aabb Obb Rss Kdop16 Kdop18 Kdop24 KIos);)*
    };
    (@row $check:ident $arguments:tt $a:ident $($b:ident)*) => {
        $($check::<$a, $b> $arguments;)*
    };
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Apart,
    Touching,
    Anywhere,
}

const PLACES: [Place; 3] = [Place::Apart, Place::Touching, Place::Anywhere];

struct Placement {
    frame_a: Frame,
    pose: Pose,
    frame_b: Frame,
}

impl Placement {
    fn a_from_b(&self) -> Similarity {
        Similarity::between(&self.frame_a, &self.pose, &self.frame_b)
    }

    /// The exact image, in A's stored frame, of a point in B's.
    fn image(&self, point: DVec3) -> Exact {
        let in_b: Exact = std::array::from_fn(|i| {
            rational(point[i]) / rational(self.frame_b.scale) + rational(self.frame_b.center[i])
        });
        std::array::from_fn(|i| {
            let moved = dot(&exact(self.pose.rotation().row(i)), &in_b) + rational(self.pose.translation()[i]);
            (moved - rational(self.frame_a.center[i])) * rational(self.frame_a.scale)
        })
    }
}

/// A placement that brings `b` to the wanted place, with scales of both sides from 2⁻²⁰ to 2²⁰, and
/// with the distance of a point of A from a point of B where one was chosen.
fn placed(random: &mut Random, a: &[Triangle], b: &[Triangle], place: Place) -> (Placement, f64) {
    let power = |random: &mut Random, range: i32| {
        2.0_f64.powi(if random.below(2) == 0 { 0 } else { random.below(2 * range as usize + 1) as i32 - range })
    };
    let scale_b = power(random, 20);
    let center = random.magnitude(-3.0, 2.0);
    let frame_b = Frame { center: random.vector() * center / scale_b, scale: scale_b };
    let scale_a = scale_b * power(random, 20);
    let frame_a = Frame { center: random.vector() * center / scale_a, scale: scale_a };
    let rotation = random.rotation();
    let scale = scale_a / scale_b;
    let [p, q] = [a, b].map(|set| some_point(random, set));
    let wanted = match place {
        Place::Apart => random.direction() * (1.8 * (1.0 + scale)) * random.magnitude(0.0, 1.0),
        Place::Anywhere => random.vector() * (1.0 + scale) * random.magnitude(-3.0, 0.0),
        Place::Touching => {
            let size_b = b[0].0[0].distance(b[b.len() - 1].0[1]) * scale;
            let gap = match random.below(4) {
                0 => 0.0,
                1 => size_b * random.magnitude(-6.0, 1.5),
                _ => random.magnitude(-12.0, -1.0),
            };
            p - rotation * (q * scale) + random.direction() * gap
        }
    };
    let pose = Pose::from_matrix(rotation, wanted / scale_a + frame_a.center - rotation * frame_b.center).unwrap();
    let placement = Placement { frame_a, pose, frame_b };
    let between = p.distance(placement.a_from_b().transform_point(q));
    (placement, between)
}

pub(super) struct Case {
    pub(super) a: Vec<Triangle>,
    pub(super) b: Vec<Triangle>,
    place: Place,
    pub(super) a_from_b: Similarity,
    pub(super) distance: f64,
}

impl Case {
    /// Whether the sets are about as far apart as they are large.
    pub(super) fn is_apart(&self) -> bool {
        self.place == Place::Apart
    }
}

pub(super) static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let mut random = Random(101);
    let case = |i: usize| {
        let (a, b) = (triangle_set(&mut random), triangle_set(&mut random));
        let place = PLACES[i % 3];
        let (placement, between) = placed(&mut random, &a, &b, place);
        let a_from_b = placement.a_from_b();
        let moved: Vec<Triangle> = b.iter().map(|t| t.map(|v| a_from_b.transform_point(v))).collect();
        let distance = feasible_distance(&a, &moved).min(between);
        Case { a, b, place, a_from_b, distance }
    };
    (0..4500).map(case).collect()
});

/// All invariants of `A: Gap<B>` on every `stride`-th case, half of them with volumes fitted in the
/// default way; returns the mean of bound over distance of these where the sets are well apart.
fn check<A: Gap<B> + Checked, B: Checked>(stride: usize) -> f64 {
    let (fits_a, fits_b) = (A::fits(), B::fits());
    let (mut sum, mut count) = (0.0, 0);
    for (i, case) in CASES.iter().step_by(stride).enumerate() {
        let default = i % 2 == 0;
        let [which_a, which_b] = if default { [0, 0] } else { [i / 2 % fits_a.len(), i / 3 % fits_b.len()] };
        let (a, b) = (A::fit(&case.a, &fits_a[which_a]), B::fit(&case.b, &fits_b[which_b]));
        let fixed = A::fix(&b, &A::prepare(&case.a_from_b));
        let (gap, margin, distance) = (a.gap(&fixed), case.a_from_b.margin, case.distance);
        let context = || {
            let how = (&fits_a[which_a], &fits_b[which_b]);
            format!("{} {} case {i} {how:?}: gap {gap:e} distance {distance:e}", A::NAME, B::NAME)
        };
        assert!(gap.is_finite(), "{}", context());
        assert!(gap - margin <= distance, "{} by {:e}", context(), gap - margin - distance);
        for wanted in [distance, distance * 1.5] {
            assert!(!a.apart(&fixed, wanted + margin), "{} but apart by {wanted}", context());
        }
        for share in [0.5, 0.999] {
            let apart = a.apart(&fixed, gap * share);
            assert!(apart || gap <= 2.0 * margin, "{} but not apart by {share} of it", context());
        }
        assert!(
            a.max_distance(&fixed) * (1.0 + 1e-12) + margin >= distance,
            "{} reach {}",
            context(),
            a.max_distance(&fixed)
        );
        // The other way, by the map back, as the blocks of the second tree are bounded; in its
        // units.
        let back = case.a_from_b.inverse();
        let fixed = A::fix(&B::fit(&case.a, &fits_b[which_b]), &A::prepare(&back));
        let (gap, distance) = (A::fit(&case.b, &fits_a[which_a]).gap(&fixed), distance * back.scale);
        assert!(gap - back.margin <= distance, "{} back {gap:e} of {distance:e}", context());
        if default && case.place == Place::Apart {
            (sum, count) = (sum + gap.max(0.0) / distance, count + 1);
        }
    }
    sum / f64::from(count)
}

/// A specialised bound, on all cases.
fn check_closely<A: Gap<B> + Checked, B: Checked>() {
    let quality = check::<A, B>(1);
    assert!(quality > 0.85, "{} {}: {quality}", A::NAME, B::NAME);
}

#[test]
fn sphere_and_aabb_gaps_never_exceed_the_distance_and_are_useful() {
    check_closely::<Sphere, Sphere>();
    check_closely::<Aabb, Aabb>();
}

#[test]
fn obb_and_rss_gaps_never_exceed_the_distance_and_are_useful() {
    check_closely::<Obb, Obb>();
    check_closely::<Rss, Rss>();
    check_closely::<Obb, Rss>();
    check_closely::<Rss, Obb>();
}

#[test]
fn kdop_gaps_never_exceed_the_distance_and_are_useful() {
    check_closely::<Kdop16, Kdop16>();
    check_closely::<Kdop18, Kdop18>();
    check_closely::<Kdop24, Kdop24>();
}

#[test]
fn kios_gaps_never_exceed_the_distance_and_are_useful() {
    check_closely::<KIos, KIos>();
}

#[test]
fn the_gap_of_any_two_kinds_never_exceeds_the_distance_and_is_useful() {
    fn check_some<A: Gap<B> + Checked, B: Checked>() {
        let quality = check::<A, B>(11);
        assert!(quality > 0.8, "{} {}: {quality}", A::NAME, B::NAME);
    }
    for_all_pairs!(check_some());
}

#[test]
fn mixed_gap_is_a_bound_also_where_a_specialised_one_exists() {
    fn check<A: Checked>() {
        for (i, case) in CASES.iter().step_by(4).enumerate() {
            let [a, b] = [&case.a, &case.b].map(|set| A::fit(set, &A::Fit::default()));
            let gap = mixed_gap(&a, &b, &case.a_from_b);
            assert!(gap - case.a_from_b.margin <= case.distance, "{} {i}: {gap:e} {:e}", A::NAME, case.distance);
        }
    }
    check::<Sphere>();
    check::<Aabb>();
    check::<Obb>();
    check::<Rss>();
    check::<Kdop16>();
    check::<Kdop18>();
    check::<Kdop24>();
    check::<KIos>();
}

/// Two points of `f32` coordinates, their placement and the exact square of their distance in A's
/// stored frame.
type PointCase = (DVec3, DVec3, Similarity, BigRational);

fn point_cases(seed: u64, count: usize) -> Vec<PointCase> {
    let mut random = Random(seed);
    let case = |i: usize| {
        let [p, q] = [0; 2].map(|_| random.vector().as_vec3().as_dvec3());
        let (placement, _) = placed(&mut random, &[Triangle([p; 3])], &[Triangle([q; 3])], PLACES[i % 3]);
        let squared = squared_length(&minus(&placement.image(q), &exact(p)));
        (p, q, placement.a_from_b(), squared)
    };
    (0..count).map(case).collect()
}

#[test]
fn no_gap_of_two_points_exceeds_their_exact_distance_by_more_than_the_margin() {
    fn check<A: Gap<B>, B: Volume>(cases: &[PointCase]) {
        for (i, (p, q, a_from_b, squared)) in cases.iter().enumerate() {
            let a = A::fit(&[Triangle([*p; 3])], &A::Fit::default());
            let b = B::fit(&[Triangle([*q; 3])], &B::Fit::default());
            let certified = rational((gap_between(&a, &b, a_from_b) - a_from_b.margin).max(0.0));
            assert!(&certified * &certified <= *squared, "{} {} case {i}", A::NAME, B::NAME);
        }
    }
    let cases = point_cases(102, 200);
    for_all_pairs!(check(&cases));
}

#[test]
fn no_scale_or_offset_beyond_the_range_of_squares_makes_a_gap() {
    fn check<A: Gap<B>, B: Volume>() {
        let triangle = [Triangle([DVec3::ZERO, DVec3::X, DVec3::Y])];
        let (a, b) = (A::fit(&triangle, &A::Fit::default()), B::fit(&triangle, &B::Fit::default()));
        let power = |exponent| Frame { center: DVec3::ZERO, scale: 2.0_f64.powi(exponent) };
        // No pose has an offset beyond 1e100, but in frames of these scales that is 1e160 and
        // 1e300.
        for (scale_a, scale_b, offset) in
            [(600, 0, 0.0), (0, -600, 0.0), (900, -900, 0.0), (200, 200, 1e100), (664, 664, 1e100)]
        {
            let pose = Pose::from_translation(DVec3::splat(offset)).unwrap();
            let (frame_a, frame_b) = (power(scale_a), power(scale_b));
            let a_from_b = Similarity::between(&frame_a, &pose, &frame_b);
            let fixed = A::fix(&b, &A::prepare(&a_from_b));
            let context = || format!("{} {} {scale_a} {scale_b} {offset:e}", A::NAME, B::NAME);
            // As queries use it: what is not a number bounds nothing.
            let certified = (a.gap(&fixed) - a_from_b.margin).max(0.0);
            assert!(certified <= offset * frame_a.scale, "{}: {certified:e}", context());
            assert!(offset > 0.0 || !a.apart(&fixed, a_from_b.margin), "{}", context());
            let accepted_too_early = a.max_distance(&fixed) + a_from_b.margin < offset * frame_a.scale;
            assert!(!accepted_too_early, "{}", context());
        }
    }
    for_all_pairs!(check());
}

#[test]
fn the_smallest_and_largest_bodies_at_the_largest_offsets_still_have_bounds() {
    fn check<A: Gap<B>, B: Volume>() {
        let triangle = [Triangle([DVec3::ZERO, DVec3::X, DVec3::Y])];
        let (a, b) = (A::fit(&triangle, &A::Fit::default()), B::fit(&triangle, &B::Fit::default()));
        let around = |size: f64| Frame { center: DVec3::ZERO, ..Frame::around(DVec3::ZERO, DVec3::splat(size)) };
        for (size_a, size_b, offset) in
            [(1e-200, 1e-200, 1e100), (1.0, 1.0, 1e100), (1e-200, 1e100, 1e100), (1e100, 1e-200, 1e100)]
        {
            let pose = Pose::from_translation(DVec3::splat(offset)).unwrap();
            let frame_a = around(size_a);
            let a_from_b = Similarity::between(&frame_a, &pose, &around(size_b));
            let fixed = A::fix(&b, &A::prepare(&a_from_b));
            let gap = a.gap(&fixed);
            let certified = (gap - a_from_b.margin) / frame_a.scale;
            let context = || format!("{} {} {size_a:e} {size_b:e}: {gap:e} {certified:e}", A::NAME, B::NAME);
            assert!(certified.is_finite() && certified <= offset * 3.0_f64.sqrt(), "{}", context());
            // Bodies as large as their offset may touch.
            if size_a.max(size_b) < offset {
                assert!(certified > offset * 1.7 && a.apart(&fixed, a_from_b.margin), "{}", context());
            }
        }
    }
    for_all_pairs!(check());
}

#[test]
fn concentric_spheres_have_no_gap() {
    let sphere = Sphere::fit(&cuboid(DVec3::splat(0.1), DMat3::IDENTITY, DVec3::ZERO), &());
    assert_eq!(mixed_gap(&sphere, &sphere, &Similarity::IDENTITY), 0.0);
}

fn gap_between<A: Gap<B>, B: Volume>(a: &A, b: &B, a_from_b: &Similarity) -> f64 {
    a.gap(&A::fix(b, &A::prepare(a_from_b)))
}

/// The two triangles of a turned rectangle, which is its own volume up to rounding.
fn rectangle(random: &mut Random) -> Vec<Triangle> {
    let frame = random.rotation();
    let (u, v) = (frame.x_axis * 0.5, frame.y_axis * 0.5 * random.magnitude(-2.0, 0.0));
    let vertices = [u + v, u - v, -u - v, v - u];
    vec![Triangle([vertices[0], vertices[1], vertices[2]]), Triangle([vertices[0], vertices[2], vertices[3]])]
}

#[test]
fn rss_gap_of_two_rectangles_is_their_distance() {
    let mut random = Random(108);
    for i in 0..4000 {
        let (a, b) = (rectangle(&mut random), rectangle(&mut random));
        let place = [Place::Apart, Place::Anywhere][i % 2];
        let a_from_b = Similarity { scale: 1.0, ..placed(&mut random, &a, &b, place).0.a_from_b() };
        let (rss_a, rss_b) = (Rss::fit(&a, &Default::default()), Rss::fit(&b, &Default::default()));
        let moved: Vec<Triangle> = b.iter().map(|t| t.map(|v| a_from_b.transform_point(v))).collect();
        let distance = feasible_distance(&a, &moved);
        let gap = gap_between(&rss_a, &rss_b, &a_from_b);
        assert!(
            (gap - distance).abs() <= 3e-6 * distance.max(1.0) || distance < 1e-5 && gap < distance,
            "{i}: {gap} {distance}"
        );
    }
}

#[test]
fn obb_gap_of_facing_boxes_is_their_distance() {
    let mut random = Random(109);
    for i in 0..500 {
        let frame = random.rotation();
        let half = DVec3::new(0.5, 0.3, 0.2);
        let boxes = cuboid(half, frame, DVec3::ZERO);
        let axis = i % 3;
        let distance = random.magnitude(-3.0, 1.0);
        let shift = frame.col(axis) * (2.0 * half[axis] + distance) + frame.col((axis + 1) % 3) * 0.1;
        let a_from_b = Similarity { translation: shift, ..Similarity::IDENTITY };
        let obb = Obb::fit(&boxes, &Default::default());
        let gap = gap_between(&obb, &obb, &a_from_b);
        assert!(gap <= distance + a_from_b.margin, "{i}: {gap} {distance}");
        assert!(gap >= distance - 1e-6 * (1.0 + distance), "{i}: {gap} {distance}");
    }
}

#[test]
fn only_the_products_of_edges_separate_two_crossed_bars() {
    let bar = |frame| cuboid(DVec3::new(1.0, 0.1, 0.1), frame, DVec3::ZERO);
    let turn = |axis, angle| DMat3::from_axis_angle(axis, angle);
    let a = Obb::fit(&bar(turn(DVec3::X, 0.785)), &Default::default());
    let b = Obb::fit(&bar(turn(DVec3::Y, 0.5) * turn(DVec3::X, 0.785)), &Default::default());
    let mut separated_by_edges_only = 0;
    for step in 0..100 {
        let a_from_b = Similarity { translation: DVec3::Y * (0.2 + 0.002 * f64::from(step)), ..Similarity::IDENTITY };
        let apart = <Obb as Gap<Obb>>::apart(&a, &<Obb as Gap<Obb>>::fix(&b, &a_from_b), a_from_b.margin);
        separated_by_edges_only += usize::from(apart && gap_between(&a, &b, &a_from_b) == 0.0);
    }
    assert!(separated_by_edges_only > 0);
}

#[test]
fn obb_rss_gap_counts_the_skew_of_a_rectangle_without_radius() {
    let mut random = Random(110);
    for i in 0..2000 {
        let mut floats = Vec::new();
        Rss::fit(&rectangle(&mut random), &Default::default()).store(&mut floats);
        floats[11] = 0.0;
        let rss = Rss::restore(&floats).unwrap();
        let ([u, v], [s, t]) = (rss.sides(), rss.half());
        let vertex = rss.center() + u * s + v * t;
        let along = if i % 2 == 0 { u } else { v };
        // A point of f32 coordinates is its own box, so that nothing hides an extent that is too
        // short by 1e-8.
        let point = (vertex + along * 1e-3).as_vec3().as_dvec3();
        let boxed = Obb::fit(&[Triangle([point; 3])], &Default::default());
        let distance = point.distance(vertex) + Similarity::IDENTITY.margin;
        assert!(gap_between(&boxed, &rss, &Similarity::IDENTITY) <= distance, "{i}");
        assert!(gap_between(&rss, &boxed, &Similarity::IDENTITY) <= distance, "{i}");
    }
}

#[test]
fn sides_that_are_parallel_up_to_the_smallest_numbers_give_no_direction() {
    let mut random = Random(111);
    for i in 0..5000 {
        // Sides along x and y, skewed as rounding to f32 may skew them, so that no vertex settles a
        // small distance.
        let skew = random.vector() * 6e-8;
        let [x, y] = [DVec3::new(1.0, skew.x, 0.0), DVec3::new(skew.y, 1.0, skew.z)].map(|v| v.as_vec3().to_array());
        let rss = Rss::restore(&[&[0.0; 3][..], &x, &y, &[1.0, 1.0, 0.0]].concat()).unwrap();
        let mut rotation = DMat3::IDENTITY;
        (rotation.x_axis.z, rotation.z_axis.x) = (1e-170, -1e-170);
        let translation = DVec3::new(random.signed(), 2.0, 0.0) + random.vector() * 1e-6;
        let gap = gap_between(&rss, &rss, &Similarity { rotation, translation, ..Similarity::IDENTITY });
        assert!(gap <= 1e-5, "{i}: {gap}");
    }
}

#[test]
fn gaps_do_not_exceed_distances_whose_squares_vanish() {
    fn check<A: Gap<B>, B: Volume>(lost: f64) {
        let point = [Triangle([DVec3::ZERO; 3])];
        let (a, b) = (A::fit(&point, &A::Fit::default()), B::fit(&point, &B::Fit::default()));
        for exponent in [-170, -165, -162, -161, -160, -159, -158, -150, -140] {
            let distance = 10.0_f64.powi(exponent);
            // No margin, so that a wrong length shows even far below it.
            let direction = DVec3::new(1.0, 2.0, 2.0) / 3.0;
            let a_from_b = Similarity { translation: direction * distance, margin: 0.0, ..Similarity::IDENTITY };
            let (gap, mixed) = (gap_between(&a, &b, &a_from_b), mixed_gap(&a, &b, &a_from_b));
            assert!(gap <= distance * (1.0 + 1e-12) + lost, "{} {}: {gap:e} {distance:e}", A::NAME, B::NAME);
            assert!(mixed <= distance * (1.0 + 1e-12), "mixed {} {}: {mixed:e} {distance:e}", A::NAME, B::NAME);
        }
    }
    // The root of a square that lost digits is wrong by itself, by what the smallest margin is
    // 1e147 times as large as. Bounds that divide by such a root would be wrong by a factor, and
    // must not.
    for_all_pairs!(check(1e-161));
    check::<Rss, Rss>(0.0);
}
