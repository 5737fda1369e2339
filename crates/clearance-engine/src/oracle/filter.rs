//! Signs by rounded numbers, where these tell: what spares the exact oracle most of its work.
//!
//! Every vector is kept with a bound of its length and of what it may be off by, so that no sign is
//! told that the exact one could contradict. With ε the relative error of an operation, a dot
//! product and each coordinate of a cross product of vectors of lengths a and b are off by less
//! than 8εab, and by what the vectors are off by times the other's length; bounds are rounded
//! themselves, and taken twice.

use super::{Number, Vector, cross, difference, dot};
use crate::math::double_double::DoubleDouble;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use smallvec::SmallVec;
use std::cmp::Ordering;

/// A number whose operations are off by no more than a part of their result.
pub(super) trait Rounded: Number + Copy {
    /// That part.
    const ERROR: f64;

    fn nearest(self) -> f64;
}

impl Rounded for f64 {
    const ERROR: f64 = UNIT_ROUNDOFF;

    fn nearest(self) -> f64 {
        self
    }
}

impl Rounded for DoubleDouble {
    const ERROR: f64 = 16.0 * UNIT_ROUNDOFF * UNIT_ROUNDOFF;

    fn nearest(self) -> f64 {
        Self::nearest(self)
    }
}

/// A vector, at least its length, and at most what it is off by.
#[derive(Clone, Copy)]
struct Arrow<T> {
    way: Vector<T>,
    length: f64,
    off: f64,
}

impl<T: Rounded> Arrow<T> {
    fn cross(&self, other: &Self) -> Self {
        Self { way: cross(&self.way, &other.way), length: self.length * other.length, off: self.off_times(other) }
    }

    /// The sign of a dot product; equal to zero where that is open. What is off by infinity or not
    /// a number leaves it open.
    fn side(&self, other: &Self) -> Ordering {
        let height = dot(&self.way, &other.way).nearest();
        let off = self.off_times(other);
        match () {
            () if height > off => Ordering::Greater,
            () if height < -off => Ordering::Less,
            () => Ordering::Equal,
        }
    }

    fn off_times(&self, other: &Self) -> f64 {
        let rounding = 16.0 * T::ERROR * self.length * other.length;
        rounding + 2.0 * (self.off * other.length + self.length * other.off + self.off * other.off)
    }

    fn reversed(self) -> Self {
        let zero = T::zero();
        Self { way: self.way.map(|x| zero.minus(&x)), ..self }
    }

    /// Itself, turned to where a way leads; `None` where that is open.
    fn towards(self, way: &Self) -> Option<Self> {
        match self.side(way) {
            Ordering::Greater => Some(self),
            Ordering::Less => Some(self.reversed()),
            Ordering::Equal => None,
        }
    }
}

/// A vertex of one of two polyhedra: which one, and its number.
pub(super) type Place = (usize, u32);

/// Vertices that are off by no more than a length.
pub(super) struct RoundedVertices<T> {
    pub(super) sides: [Vec<Vector<T>>; 2],
    pub(super) off: f64,
}

impl<T: Rounded> RoundedVertices<T> {
    fn arrow(&self, from: Place, to: Place) -> Arrow<T> {
        let vertex = |(side, i): Place| &self.sides[side][i as usize];
        let way = difference(vertex(to), vertex(from));
        let length = DVec3::from_array(way.map(T::nearest)).length() * (1.0 + 1e-12);
        Arrow { way, length, off: 2.0 * self.off + 2.0 * T::ERROR * length }
    }

    /// The sign of `(q − p) × (r − p) · (s − p)`; equal to zero where that is open.
    pub(super) fn side(&self, [p, q, r, s]: [Place; 4]) -> Ordering {
        self.arrow(p, q).cross(&self.arrow(p, r)).side(&self.arrow(p, s))
    }

    /// From the first polyhedron's feature to the nearest point of the second's, of any length;
    /// `None` where it may be zero.
    fn between(&self, of_a: &[u32], of_b: &[u32]) -> Option<Arrow<T>> {
        match (of_a, of_b) {
            ([p], _) => self.way_to((0, *p), 1, of_b),
            (_, [q]) => self.way_to((1, *q), 0, of_a).map(Arrow::reversed),
            ([p, q], [r, s]) => {
                let normal = self.arrow((0, *p), (0, *q)).cross(&self.arrow((1, *r), (1, *s)));
                normal.towards(&self.arrow((0, *p), (1, *r)))
            }
            _ => None,
        }
    }

    /// The same from a point to a feature of the polyhedron `side`.
    fn way_to(&self, point: Place, side: usize, feature: &[u32]) -> Option<Arrow<T>> {
        let first = (side, feature[0]);
        let way = self.arrow(point, first);
        let edge = |k: usize| self.arrow(first, (side, feature[k]));
        match feature.len() {
            1 => Some(way).filter(|way| way.length > 2.0 * way.off),
            2 => {
                // e × (e × o) is o without what is along e, backwards.
                let (edge, offset) = (edge(1), way.reversed());
                let direction = edge.cross(&edge.cross(&offset));
                let length = DVec3::from_array(direction.way.map(T::nearest)).length();
                (length > 2.0 * direction.off).then_some(direction)
            }
            _ => edge(1).cross(&edge(2)).towards(&way),
        }
    }

    /// Whether a plane through each of two features, across the way between them, has its
    /// polyhedron's vertices on one side. `None` if not; else those of which that is open: all of
    /// them where the way is.
    pub(super) fn open_vertices(&self, of_a: &[u32], of_b: &[u32]) -> Option<[SmallVec<[u32; 20]>; 2]> {
        let direction = self.between(of_a, of_b);
        let mut open = [SmallVec::new(), SmallVec::new()];
        for (side, vertices) in self.sides.iter().enumerate() {
            let (feature, wrong) = [(of_a, Ordering::Greater), (of_b, Ordering::Less)][side];
            // Those of the feature are in the plane.
            for vertex in (0..vertices.len() as u32).filter(|vertex| !feature.contains(vertex)) {
                let height = direction.as_ref().map_or(Ordering::Equal, |direction| {
                    direction.side(&self.arrow((side, feature[0]), (side, vertex)))
                });
                if height == wrong {
                    return None;
                }
                if height == Ordering::Equal {
                    open[side].push(vertex);
                }
            }
        }
        Some(open)
    }
}

mod tests {
    use super::super::integer;
    use super::*;
    use crate::random::Random;
    use num_bigint::BigInt;

    #[test]
    fn no_sign_is_told_that_the_exact_one_contradicts_and_more_bits_tell_more() {
        let mut random = Random(61);
        let mut told = [0, 0];
        for _ in 0..3000 {
            let mut vector = || DVec3::new(random.signed(), random.signed(), random.signed());
            let (p, q, r, beside) = (vector(), vector(), vector(), vector());
            // Ever nearer to the plane of the others, and ever smaller triangles.
            let [near, thin] = [(); 2].map(|()| 10.0_f64.powf(random.between(-20.0, 0.0)));
            let r = p + (q - p) * 0.3 + (r - p) * thin;
            let s = p + (q - p) * random.signed() + (r - p) * random.signed() + beside * near;
            let vertices = [p, q, r, s].map(|vertex| vertex.to_array());
            let [p, q, r, s] = vertices.map(|vertex| vertex.map(|x| integer(x, -1100)));
            let volume = dot(&cross(&difference(&q, &p), &difference(&r, &p)), &difference(&s, &p));
            let exact = volume.cmp(&BigInt::from(0));
            let places = [0, 1, 2, 3].map(|i| (0, i));
            let rounded = RoundedVertices { sides: [vertices.to_vec(), Vec::new()], off: 0.0 };
            let precise = vertices.map(|vertex| vertex.map(DoubleDouble::from)).to_vec();
            let precise = RoundedVertices { sides: [precise, Vec::new()], off: 0.0 };
            for (side, told) in [rounded.side(places), precise.side(places)].into_iter().zip(&mut told) {
                assert!(side == Ordering::Equal || side == exact, "{side:?} {exact:?} {near:e} {thin:e}");
                *told += usize::from(side != Ordering::Equal);
            }
        }
        assert!(told[0] > 300 && told[0] < 2500 && told[1] > 2500, "{told:?}");
    }
}
