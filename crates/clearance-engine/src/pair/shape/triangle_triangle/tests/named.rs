//! Cases that other engines get wrong, extreme sizes, and the shapes of contacts.

use crate::Triangle;
use crate::math::DVec3;
use crate::oracle::ExactSquaredDistance;
use crate::pair::shape::triangle_triangle::tests::families;
use crate::pair::shape::{
    ClosestPoints, triangle_contact, triangle_distance, triangle_distance_below, triangles_overlap,
};
use crate::random::Random;
use std::cmp::Ordering;

fn triangle(vertices: [[f64; 3]; 3]) -> Triangle {
    Triangle(vertices.map(DVec3::from_array))
}

/// Checks the bounds exactly, and that they are within 1e-14 of the distance expected, relative to
/// it.
fn assert_distance(a: &Triangle, b: &Triangle, expected: f64) {
    for (a, b) in [(a, b), (b, a)] {
        let exact = ExactSquaredDistance::of(a, b);
        let ClosestPoints { lower, upper, .. } = triangle_distance(a, b);
        assert!(exact.compare(lower) != Ordering::Less && exact.compare(upper) != Ordering::Greater, "{lower} {upper}");
        assert!((lower - expected).abs() <= 1e-13 * expected, "{lower} is not {expected}");
        assert!((upper - expected).abs() <= 1e-13 * expected, "{upper} is not {expected}");
    }
}

/// PQP, FCL and coal leave the loop over edges early and answer 0.50990195·s for some s.
#[test]
fn parallel_triangles_with_parallel_edges_are_half_a_size_apart_at_every_size() {
    let a = triangle([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let b = triangle([[0.1, 0.1, 0.5], [0.4, 0.1, 0.5], [0.1, 0.4, 0.5]]);
    let mut random = Random(1);
    let sizes = [1.0, 0.5, 0.1, 0.02, 0.01, 0.005, 1e-6, 1e6, 1e-30, 1e30];
    for size in sizes.into_iter().chain((0..2000).map(|_| random.between(1e-3, 1.0))) {
        assert_distance(&a.map(|vertex| vertex * size), &b.map(|vertex| vertex * size), 0.5 * size);
    }
}

/// PQP, FCL and coal skip the faces of triangles with edges under 0.2 mm.
#[test]
fn a_face_counts_however_small_it_is() {
    let a = triangle([[-1.0, -1.0, 0.0], [2.0, -1.0, 0.0], [-1.0, 2.0, 0.0]]);
    let b = triangle([[0.0, 0.0, 0.5], [0.1, 0.0, 1.0], [0.0, 0.1, 1.0]]);
    for size in [1.0, 1e-3, 1e-6, 1e-12, 1e-25] {
        assert_distance(&a.map(|vertex| vertex * size), &b.map(|vertex| vertex * size), 0.5 * size);
    }
}

/// The sign of a needle's rounded normal is noise; taken for real it separates a needle from the
/// face that it pierces.
#[test]
fn a_needle_through_a_face_overlaps_it() {
    let face = triangle([[-1.0, -1.0, 0.1], [2.0, -1.0, 0.1], [-1.0, 2.0, 0.1]]);
    for width in [0.0, 1e-30, 1e-17, 1e-9] {
        let needle = triangle([[0.1, 0.1, -1.0], [0.1, 0.1, 1.0], [0.1 + width, 0.1, 0.3]]);
        assert!(triangles_overlap(&face, &needle), "width {width}");
        assert!(triangle_distance(&face, &needle).is_overlapping(), "width {width}");
    }
}

#[test]
fn segments_and_points_have_their_own_distances() {
    let segment = triangle([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]);
    let point = triangle([[0.0, 0.0, 5.0]; 3]);
    let crosswise = triangle([[1.5, -1.0, 3.0], [1.5, 1.0, 3.0], [1.5, 0.5, 3.0]]);
    assert_distance(&segment, &point, 5.0);
    assert_distance(&segment, &crosswise, 3.0);
    assert_distance(&point, &crosswise, 2.5);
    assert!(triangle_distance(&point, &point).is_overlapping());
    assert!(triangle_distance(&segment, &triangle([[1.25, 0.0, 0.0]; 3])).is_overlapping());
}

#[test]
fn bounds_hold_at_sizes_at_which_products_overflow_or_underflow() {
    let mut random = Random(2);
    for size in [1e-300, 1e-200, 1e-90, 1e-45, 1e45, 1e60, 1e99] {
        for _ in 0..500 {
            let [a, b] = families::random(&mut random).map(|triangle| triangle.map(|vertex| vertex * size));
            let exact = ExactSquaredDistance::of(&a, &b);
            let closest = triangle_distance(&a, &b);
            let context = || format!("{closest:?}\n{a:?}\n{b:?}");
            assert!(exact.compare(closest.lower) != Ordering::Less, "{}", context());
            assert!(exact.compare(closest.upper) != Ordering::Greater, "{}", context());
            assert!(closest.upper - closest.lower <= 1e-10 * closest.upper + 5e-13 * size, "{}", context());
            assert_eq!(closest.is_overlapping(), exact.is_zero(), "{}", context());
        }
    }
}

#[test]
fn the_smallest_numbers_there_are_still_tell_points_apart() {
    let tiny = f64::from_bits(1);
    let (p, q) = (triangle([[0.0; 3]; 3]), triangle([[tiny, 0.0, 0.0]; 3]));
    let closest = triangle_distance(&p, &q);
    assert!(closest.lower <= tiny && closest.upper >= tiny && !closest.is_overlapping(), "{closest:?}");
    assert!(triangle_distance(&q, &q).is_overlapping());
}

#[test]
fn a_limit_of_any_kind_hides_only_what_is_at_least_as_far() {
    let a = triangle([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let b = a.map(|vertex| vertex + DVec3::Z);
    for (limit, seen) in
        [(f64::INFINITY, true), (f64::NAN, true), (1.0 + 1e-9, true), (1.0 - 1e-9, false), (0.0, false), (-1.0, false)]
    {
        assert_eq!(triangle_distance_below(&a, &b, limit).is_some(), seen, "{limit}");
    }
    assert!(triangle_distance_below(&a, &a, 1e-300).is_some());
}

#[test]
fn contacts_have_the_shape_of_the_intersection() {
    let floor = triangle([[0.0, 0.0, 0.0], [6.0, 0.0, 0.0], [0.0, 6.0, 0.0]]);
    for (other, points) in [
        (triangle([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]]), 1),
        (triangle([[1.0, 1.0, -1.0], [3.0, 1.0, -1.0], [2.0, 1.0, 1.0]]), 2),
        (triangle([[6.0, 0.0, 0.0], [7.0, 1.0, 0.0], [7.0, 0.0, 0.0]]), 1),
        (triangle([[0.0, -1.0, 0.0], [3.0, 0.0, 0.0], [5.0, 0.0, 0.0]]), 2),
        (triangle([[1.0, 1.0, 0.0], [2.0, 1.0, 0.0], [1.0, 2.0, 0.0]]), 3),
        (triangle([[4.0, 4.0, 0.0], [-2.0, 4.0, 0.0], [4.0, -2.0, 0.0]]), 6),
        (triangle([[-1.0, 1.0, 0.0], [9.0, 1.0, 0.0], [3.0, 1.0, 0.0]]), 2),
        (triangle([[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]), 1),
    ] {
        let contact = triangle_contact(&floor, &other).expect("they meet");
        assert_eq!(contact.points.len(), points, "{other:?}: {contact:?}");
    }
}

#[test]
fn a_polygon_of_contact_is_convex_and_in_order() {
    let star = triangle([[4.0, 4.0, 0.0], [-2.0, 4.0, 0.0], [4.0, -2.0, 0.0]]);
    let floor = triangle([[0.0, 0.0, 0.0], [6.0, 0.0, 0.0], [0.0, 6.0, 0.0]]);
    let points = triangle_contact(&floor, &star).expect("they meet").points;
    let turns: Vec<f64> = (0..6)
        .map(|i| {
            let [p, q, r] = [0, 1, 2].map(|k| points[(i + k) % 6]);
            (q - p).cross(r - q).z
        })
        .collect();
    assert!(turns.iter().all(|&turn| turn > 0.1) || turns.iter().all(|&turn| turn < -0.1), "{turns:?}");
}

#[test]
fn the_normal_of_faces_that_lie_on_each_other_points_out_of_the_first_front() {
    let top = triangle([[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]);
    let underside = triangle([[0.2, 0.2, 1.0], [0.2, 0.9, 1.0], [0.9, 0.2, 1.0]]);
    assert_eq!(triangle_contact(&top, &underside).expect("they meet").normal, DVec3::Z);
    assert_eq!(triangle_contact(&underside, &top).expect("they meet").normal, -DVec3::Z);
}

#[test]
fn the_normal_of_a_vertex_pushed_into_a_face_is_that_of_the_face() {
    let face = triangle([[-5.0, -5.0, 0.0], [5.0, -5.0, 0.0], [0.0, 5.0, 0.0]]);
    let vertex = triangle([[0.0, 0.0, -0.01], [1.0, 0.2, 1.0], [-1.0, 0.1, 1.2]]);
    assert_eq!(triangle_contact(&face, &vertex).expect("they meet").normal, DVec3::Z);
    assert_eq!(triangle_contact(&vertex, &face).expect("they meet").normal, -DVec3::Z);
}

/// The determinants that place this contact cancel to less than 106 bits leave; with those it was
/// off by 1e-4.
#[test]
fn the_contact_of_two_slivers_is_on_both() {
    let third = 1.0 / 3.0_f64;
    let over = third.next_up();
    let a = triangle([[over, over, 0.0], [0.0, 0.0, third], [third, over, 0.0]]);
    let b = triangle([[0.0, 0.0, 0.0], [third, third, third.next_down()], [0.0, -1e-30, 1e-30]]);
    for (a, b) in [(&a, &b), (&b, &a)] {
        for point in triangle_contact(a, b).expect("they meet").points {
            assert!(point.distance(DVec3::splat(third / 2.0)) < 1e-15, "{point}");
        }
    }
}

/// A coordinate of −0 in one order and 0 in the other chose two different normals.
#[test]
fn the_normal_of_one_segment_given_twice_turns_with_the_roles() {
    let (p, q) = ([0.0, 1.0, 1.0], [1.0, 0.0, 1.0]);
    let (a, b) = (triangle([p, p, q]), triangle([q, p, p]));
    let normal = |a, b| triangle_contact(a, b).expect("they meet").normal;
    assert_eq!(normal(&a, &b), -normal(&b, &a));
}
