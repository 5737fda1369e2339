//! A referee for tests: distance and overlap of triangles in exact integer arithmetic, simple and
//! slow.
//!
//! It shares no code with what it judges but [`DoubleDouble`], whose signs count only where its own
//! error bound leaves no doubt. Finite `f64` are integers times a common power of two; squared
//! distances of features are fractions of integers, so nothing is rounded. The same formulas over
//! [`DoubleDouble`] make a fast referee that is right to some 25 digits for inputs that are not
//! nearly degenerate.

pub(crate) mod contacts;
mod filter;
pub(crate) mod polyhedra;

use crate::Triangle;
use crate::math::double_double::DoubleDouble;
use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;

/// What the formulas need of a number.
pub(crate) trait Number: Clone + PartialOrd {
    fn zero() -> Self;
    fn one() -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;

    fn is_positive(&self) -> bool {
        *self > Self::zero()
    }

    fn is_negative(&self) -> bool {
        *self < Self::zero()
    }
}

impl Number for BigInt {
    fn zero() -> Self {
        Self::from(0)
    }
    fn one() -> Self {
        Self::from(1)
    }
    fn plus(&self, other: &Self) -> Self {
        self + other
    }
    fn minus(&self, other: &Self) -> Self {
        self - other
    }
    fn times(&self, other: &Self) -> Self {
        self * other
    }
    fn is_positive(&self) -> bool {
        self.sign() == Sign::Plus
    }
    fn is_negative(&self) -> bool {
        self.sign() == Sign::Minus
    }
}

impl Number for f64 {
    fn zero() -> Self {
        0.0
    }
    fn one() -> Self {
        1.0
    }
    fn plus(&self, other: &Self) -> Self {
        self + other
    }
    fn minus(&self, other: &Self) -> Self {
        self - other
    }
    fn times(&self, other: &Self) -> Self {
        self * other
    }
}

impl Number for DoubleDouble {
    fn zero() -> Self {
        Self::ZERO
    }
    fn one() -> Self {
        Self::ONE
    }
    fn plus(&self, other: &Self) -> Self {
        *self + *other
    }
    fn minus(&self, other: &Self) -> Self {
        *self - *other
    }
    fn times(&self, other: &Self) -> Self {
        *self * *other
    }
}

/// A point or vector.
pub(crate) type Vector<T> = [T; 3];

/// A fraction whose denominator is positive; it is not reduced.
#[derive(Clone, Debug)]
pub(crate) struct Fraction<T> {
    pub(crate) numerator: T,
    pub(crate) denominator: T,
}

impl<T: Number> Fraction<T> {
    fn smaller(self, other: Self) -> Self {
        let other_is_less = other.numerator.times(&self.denominator) < self.numerator.times(&other.denominator);
        if other_is_less { other } else { self }
    }
}

/// The exact squared distance of two triangles.
pub(crate) struct ExactSquaredDistance {
    fraction: Fraction<BigInt>,
    /// The unit of length is two to this power.
    exponent: i64,
}

impl ExactSquaredDistance {
    pub(crate) fn of(a: &Triangle, b: &Triangle) -> Self {
        let coordinates = || a.0.iter().chain(&b.0).flat_map(|vertex| vertex.to_array());
        let exponent = coordinates().map(|x| decompose(x).1).min().unwrap_or(0);
        let exact = |triangle: &Triangle| triangle.0.map(|vertex| vertex.to_array().map(|x| integer(x, exponent)));
        Self { fraction: squared_distance(&exact(a), &exact(b)), exponent }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.fraction.numerator.sign() == Sign::NoSign
    }

    /// How the distance compares with `x`, which must not be negative.
    pub(crate) fn compare(&self, x: f64) -> Ordering {
        let (mantissa, exponent) = decompose(x);
        // numerator·2^(2·self.exponent) against mantissa²·2^(2·exponent)·denominator
        let shift = 2 * (self.exponent - exponent);
        let left = self.fraction.numerator.clone() << shift.max(0) as u64;
        let right = (BigInt::from(mantissa) * mantissa * &self.fraction.denominator) << (-shift).max(0) as u64;
        left.cmp(&right)
    }
}

/// `x` as integer times a power of two.
fn decompose(x: f64) -> (i64, i64) {
    assert!(x.is_finite());
    if x == 0.0 {
        return (0, 2000);
    }
    let bits = x.to_bits();
    let biased = (bits >> 52 & 0x7ff) as i64;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (magnitude, exponent) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
    let zeros = magnitude.trailing_zeros();
    ((magnitude >> zeros) * if x < 0.0 { -1 } else { 1 }, exponent + i64::from(zeros))
}

/// `x / 2^exponent`, which must be an integer.
fn integer(x: f64, exponent: i64) -> BigInt {
    let (mantissa, own) = decompose(x);
    BigInt::from(mantissa) << if mantissa == 0 { 0 } else { (own - exponent) as u64 }
}

/// The squared distance of two triangles: zero if an edge pierces a face, else the least over all
/// pairs of features.
pub(crate) fn squared_distance<T: Number>(a: &[Vector<T>; 3], b: &[Vector<T>; 3]) -> Fraction<T> {
    let mut least = squared_length(&difference(&a[0], &b[0]));
    for (vertices, other) in [(a, b), (b, a)] {
        for vertex in vertices {
            for i in 0..3 {
                least = least.smaller(point_segment(vertex, &other[i], &other[(i + 1) % 3]));
            }
            if let Some(squared) = point_face(vertex, other) {
                least = least.smaller(squared);
            }
        }
        for i in 0..3 {
            if pierces(&vertices[i], &vertices[(i + 1) % 3], other) {
                return Fraction { numerator: T::zero(), denominator: T::one() };
            }
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            let edges = segment_segment(&a[i], &a[(i + 1) % 3], &b[j], &b[(j + 1) % 3]);
            if let Some(squared) = edges {
                least = least.smaller(squared);
            }
        }
    }
    least
}

fn point_segment<T: Number>(p: &Vector<T>, q: &Vector<T>, r: &Vector<T>) -> Fraction<T> {
    let (edge, from_q) = (difference(r, q), difference(p, q));
    let (along, whole) = (dot(&edge, &from_q), dot(&edge, &edge));
    if !along.is_positive() {
        squared_length(&from_q)
    } else if along >= whole {
        squared_length(&difference(p, r))
    } else {
        let area = cross(&edge, &from_q);
        Fraction { numerator: dot(&area, &area), denominator: whole }
    }
}

/// The squared distance from the plane if the foot is in the face and the face is more than a
/// segment.
fn point_face<T: Number>(p: &Vector<T>, face: &[Vector<T>; 3]) -> Option<Fraction<T>> {
    let normal = cross(&difference(&face[1], &face[0]), &difference(&face[2], &face[0]));
    let squared = dot(&normal, &normal);
    let inside = |i: usize| {
        let turn = cross(&difference(&face[(i + 1) % 3], &face[i]), &difference(p, &face[i]));
        !dot(&normal, &turn).is_negative()
    };
    if !squared.is_positive() || !(0..3).all(inside) {
        return None;
    }
    let height = dot(&normal, &difference(p, &face[0]));
    Some(Fraction { numerator: height.times(&height), denominator: squared })
}

/// The squared distance of the lines if their closest points are on the segments and they are not
/// parallel.
fn segment_segment<T: Number>(p: &Vector<T>, q: &Vector<T>, r: &Vector<T>, s: &Vector<T>) -> Option<Fraction<T>> {
    let (u, v, w) = (difference(q, p), difference(s, r), difference(r, p));
    let normal = cross(&u, &v);
    let squared = dot(&normal, &normal);
    // The lines' closest points are at these fractions of `squared` along u and v.
    let on_u = dot(&cross(&w, &v), &normal);
    let on_v = dot(&cross(&w, &u), &normal);
    let within = |x: &T| !x.is_negative() && *x <= squared;
    if !squared.is_positive() || !within(&on_u) || !within(&on_v) {
        return None;
    }
    let height = dot(&w, &normal);
    Some(Fraction { numerator: height.times(&height), denominator: squared })
}

/// Whether a segment passes through a face's interior from one side to the other.
fn pierces<T: Number>(p: &Vector<T>, q: &Vector<T>, face: &[Vector<T>; 3]) -> bool {
    let normal = cross(&difference(&face[1], &face[0]), &difference(&face[2], &face[0]));
    let before = dot(&normal, &difference(p, &face[0]));
    let after = dot(&normal, &difference(q, &face[0]));
    let through = (before.is_positive() && after.is_negative()) || (before.is_negative() && after.is_positive());
    if !through {
        return false;
    }
    let edge = difference(q, p);
    let turns: Vec<T> =
        (0..3).map(|i| dot(&edge, &cross(&difference(&face[i], p), &difference(&face[(i + 1) % 3], p)))).collect();
    turns.iter().all(T::is_positive) || turns.iter().all(T::is_negative)
}

fn squared_length<T: Number>(v: &Vector<T>) -> Fraction<T> {
    Fraction { numerator: dot(v, v), denominator: T::one() }
}

fn difference<T: Number>(p: &Vector<T>, q: &Vector<T>) -> Vector<T> {
    [p[0].minus(&q[0]), p[1].minus(&q[1]), p[2].minus(&q[2])]
}

fn dot<T: Number>(p: &Vector<T>, q: &Vector<T>) -> T {
    p[0].times(&q[0]).plus(&p[1].times(&q[1])).plus(&p[2].times(&q[2]))
}

fn cross<T: Number>(p: &Vector<T>, q: &Vector<T>) -> Vector<T> {
    let minor = |i: usize, j: usize| p[i].times(&q[j]).minus(&p[j].times(&q[i]));
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

mod tests {
    use super::*;
    use crate::math::DVec3;

    #[test]
    fn the_oracle_knows_distances_that_can_be_seen_by_eye() {
        let a = Triangle([DVec3::ZERO, DVec3::X, DVec3::Y]);
        let moved = |x: f64, y: f64, z: f64| a.map(|vertex| vertex + DVec3::new(x, y, z));
        for (b, expected) in [
            (moved(0.25, 0.25, 0.5), 0.5),
            (moved(3.0, 0.0, 0.0), 2.0),
            (moved(-3.0, -4.0, 0.0), 18.0_f64.sqrt()),
            (moved(0.5, 0.0, 0.0), 0.0),
            (Triangle([DVec3::new(0.25, 0.25, -1.0), DVec3::new(0.25, 0.25, 1.0), DVec3::new(9.0, 9.0, 1.0)]), 0.0),
            (Triangle([DVec3::new(0.25, 0.25, 4.0); 3]), 4.0),
            (
                Triangle([DVec3::new(2.0, -1.0, 3.0), DVec3::new(2.0, 1.0, 3.0), DVec3::new(2.0, 5.0, 3.0)]),
                10.0_f64.sqrt(),
            ),
        ] {
            let exact = ExactSquaredDistance::of(&a, &b);
            if expected == 0.0 {
                assert!(exact.is_zero(), "{b:?}");
            } else {
                assert_eq!(exact.compare(expected * (1.0 - 1e-15)), Ordering::Greater, "{b:?}");
                assert_eq!(exact.compare(expected * (1.0 + 1e-15)), Ordering::Less, "{b:?}");
            }
        }
    }
}
