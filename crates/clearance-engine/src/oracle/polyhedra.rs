//! The exact distance of two small convex polyhedra: of the real-number images of their vertices,
//! nothing rounded.
//!
//! Every answer is proven, whatever proposed it. *Apart*: the nearest points of two features,
//! computed as fractions, are in the features, and all vertices of both polyhedra are beyond the
//! planes through them: the conditions of Kuhn and Tucker. *Overlap*: an edge of one meets a
//! triangle of vertices of the other by the predicates of basic contacts (equation 3 of the survey,
//! its signs taken exactly), or two features share a point, or a vertex is below all faces.
//! Features are proposed by their rounded distance: those of faces, of which any two or three
//! vertices may be an edge or a triangle, since rounded they are not quite in one plane, the
//! nearest ones first; at last all pairs and triples of vertices. Signs that rounded numbers are
//! sure of, with 53 or 106 bits ([`super::filter`]), are not looked at again. Cost: 20 to 100 µs
//! for up to 20 vertices.

use super::filter::{Place, Rounded, RoundedVertices};
use super::{ExactSquaredDistance, Fraction, Number, Vector};
use super::{cross, decompose, difference, dot, integer, point_face, point_segment, segment_segment, squared_length};
use crate::convex::lab::{EdgeMeetsFace, edge_meets_face_by};
use crate::math::DVec3;
use crate::math::double_double::{DoubleDouble, PreciseVec3};
use crate::shape::{Convex, ConvexPolyhedron};
use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;
use std::ops::Deref;

/// How many of the best proposals are tried before all are.
const FIRST: usize = 24;

/// A vertex, edge or triangle, by the numbers of its vertices.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Feature {
    vertices: [u32; 3],
    count: usize,
}

impl Feature {
    fn new<const N: usize>(numbers: [u32; N]) -> Self {
        let mut vertices = [0; 3];
        vertices[..N].copy_from_slice(&numbers);
        Self { vertices, count: N }
    }
}

impl Deref for Feature {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.vertices[..self.count]
    }
}

/// One polyhedron, exactly and rounded.
struct Exact {
    vertices: Vec<Vector<BigInt>>,
    /// Relative to the first polyhedron's centre.
    rounded: Vec<DVec3>,
    /// What is proposed, and may meet.
    edges: Vec<Feature>,
    triangles: Vec<Feature>,
    /// The edges, and triangles that make up the surface, left turns seen from outside.
    rims: Vec<Feature>,
    fans: Vec<Feature>,
}

/// Two polyhedra on one grid.
pub(crate) struct ExactPair {
    sides: [Exact; 2],
    exponent: i64,
    /// The vertices relative to the first polyhedron's centre, with 53 and 106 bits.
    rounded: RoundedVertices<f64>,
    precise: RoundedVertices<DoubleDouble>,
    /// By how much the nearest point of a feature may seem to be outside of it and be proposed
    /// nevertheless, as a part of its size; infinite: be it outside or not a number, since rounded
    /// vertices may coincide.
    slack: f64,
}

impl ExactPair {
    pub(crate) fn new(a: &ConvexPolyhedron, b: &ConvexPolyhedron) -> Self {
        let exponents = [a, b].map(exponents_of);
        let exponent = exponents.iter().map(|e| e.center.min(e.axes + e.vertices)).min().unwrap_or(0);
        let precise = [a, b].map(|polyhedron| precise_vertices(polyhedron, a.center()));
        let nearest = |vertices: &Vec<Vector<DoubleDouble>>| -> Vec<Vector<f64>> {
            vertices.iter().map(|vertex| vertex.map(DoubleDouble::nearest)).collect()
        };
        let rounded = [nearest(&precise[0]), nearest(&precise[1])];
        let sides =
            [(a, &rounded[0], &exponents[0]), (b, &rounded[1], &exponents[1])].map(|(polyhedron, rounded, e)| {
                let rounded = rounded.iter().copied().map(DVec3::from_array).collect();
                let ((edges, triangles), (rims, fans)) = (features_of_faces(polyhedron), edges_and_fans(polyhedron));
                Exact { vertices: exact_vertices(polyhedron, e, exponent), rounded, edges, triangles, rims, fans }
            });
        // A vertex is a sum of three products, and the offset of the centres: no partial sum is
        // longer.
        let size = a.center().distance(b.center()) + 2.0 * (a.bounding_radius() + b.bounding_radius());
        // Elsewhere products of four lengths leave the range of numbers, and every sign is open.
        let off = |part: f64| if (1e-40..1e60).contains(&size) { part * size } else { f64::INFINITY };
        let precise = RoundedVertices { sides: precise, off: off(16.0 * DoubleDouble::ERROR) };
        let rounded = RoundedVertices { sides: rounded, off: off(2.0 * f64::ERROR) };
        Self { sides, exponent, rounded, precise, slack: 1e-6 }
    }

    /// The squared distance of the polyhedra.
    pub(crate) fn measured(&mut self) -> ExactSquaredDistance {
        let on_surface = |side: usize| (&self.sides[side].rims, &self.sides[side].fans);
        let overlap = || self.overlap([0, 1].map(on_surface));
        let found = self.proven(FIRST).or_else(overlap).or_else(|| self.proven(usize::MAX));
        if let Some(found) = found {
            return found;
        }
        for side in &mut self.sides {
            (side.edges, side.triangles) = all_features(side.vertices.len() as u32);
        }
        self.slack = f64::INFINITY;
        let all = |side: usize| (&self.sides[side].edges, &self.sides[side].triangles);
        self.proven(usize::MAX).or_else(|| self.overlap([0, 1].map(all))).expect("one of both can be proven")
    }

    /// Whether b leaves a by a shift of `depth` along a direction, which is not zero, or is beyond
    /// it already: then the polyhedra overlap by no more.
    pub(crate) fn leaves_within(&self, direction: DVec3, depth: f64) -> bool {
        self.overlap_along(direction).is_none_or(|overlap| overlap.compare(depth) != Ordering::Greater)
    }

    /// By how much b must be shifted along a direction, which is not zero, to leave a; none where
    /// it is beyond it already, or level with it.
    pub(crate) fn overlap_along(&self, direction: DVec3) -> Option<ExactSquaredDistance> {
        let exponent = direction.to_array().map(|x| decompose(x).1).into_iter().min().unwrap_or(0);
        let direction = direction.to_array().map(|x| integer(x, exponent));
        let heights = |side: usize| self.sides[side].vertices.iter().map(|vertex| dot(&direction, vertex));
        let overlap = heights(0).max()? - heights(1).min()?;
        if !overlap.is_positive() {
            return None;
        }
        // The direction's unit of length is on both sides.
        let fraction = Fraction { numerator: &overlap * &overlap, denominator: dot(&direction, &direction) };
        Some(ExactSquaredDistance { fraction, exponent: self.exponent })
    }

    fn zero(&self) -> ExactSquaredDistance {
        let fraction = Fraction { numerator: BigInt::from(0), denominator: BigInt::from(1) };
        ExactSquaredDistance { fraction, exponent: self.exponent }
    }

    /// The distance of the first of the nearest features that is proven to be the polyhedra's.
    fn proven(&self, most: usize) -> Option<ExactSquaredDistance> {
        let mut proposals = self.proposals();
        if most < proposals.len() {
            proposals.select_nth_unstable_by(most, |x, y| x.0.total_cmp(&y.0));
            proposals.truncate(most);
        }
        proposals.retain(|(_, of_a, of_b)| self.rounded.open_vertices(of_a, of_b).is_some());
        proposals.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
        proposals.iter().find_map(|(_, of_a, of_b)| self.proof(of_a, of_b))
    }

    /// The distance of two features, if that is the polyhedra's.
    fn proof(&self, of_a: &Feature, of_b: &Feature) -> Option<ExactSquaredDistance> {
        let open = self.precise.open_vertices(of_a, of_b)?;
        let [points_a, points_b] = [(0, of_a), (1, of_b)]
            .map(|(side, feature)| feature.iter().map(|&i| &self.sides[side].vertices[i as usize]).collect::<Vec<_>>());
        let (fraction, direction) = match (points_a.as_slice(), points_b.as_slice()) {
            ([p], [..]) => from_point(p, &points_b)?,
            ([..], [q]) => {
                let (fraction, direction) = from_point(q, &points_a)?;
                (fraction, direction.map(|x| -x))
            }
            ([p, q], [r, s]) => {
                let normal = cross(&difference(q, p), &difference(s, r));
                let fraction = segment_segment(p, q, r, s)?;
                let direction = towards(normal, &difference(r, p));
                (fraction, direction)
            }
            _ => return None,
        };
        if fraction.numerator.sign() != Sign::NoSign {
            let beyond = |side: usize, from: &Vector<BigInt>, wrong: Ordering| {
                open[side].iter().all(|&vertex| {
                    let vertex = &self.sides[side].vertices[vertex as usize];
                    let height = dot(&direction, &difference(vertex, from));
                    height.cmp(&BigInt::from(0)) != wrong
                })
            };
            if !beyond(0, points_a[0], Ordering::Greater) || !beyond(1, points_b[0], Ordering::Less) {
                return None;
            }
        }
        Some(ExactSquaredDistance { fraction, exponent: self.exponent })
    }

    /// Zero if the polyhedra are proven to share a point: by these edges and triangles, or since a
    /// vertex is inside.
    fn overlap(&self, features: [(&Vec<Feature>, &Vec<Feature>); 2]) -> Option<ExactSquaredDistance> {
        let side = |p: &Place, q: &Place, r: &Place, s: &Place| self.side([*p, *q, *r, *s]);
        // A vertex of one in a tetrahedron of the other's vertices. It need not be behind all
        // faces: exact vertices of one that has many are not in one plane, and three of them nearly
        // in line lean anyhow.
        let inside = |i: usize| {
            let (point, tip) = ((i, 0), (1 - i, 0));
            self.sides[1 - i].fans.iter().any(|t| {
                let [p, q, r] = [0, 1, 2].map(|k| (1 - i, t[k]));
                let whole = self.side([p, q, r, tip]);
                let parts = [[p, q, r, point], [p, q, point, tip], [p, point, r, tip], [point, q, r, tip]];
                whole != 0 && parts.into_iter().all(|part| [0, whole].contains(&self.side(part)))
            })
        };
        if [0, 1].into_iter().any(inside) {
            return Some(self.zero());
        }
        for i in [0, 1] {
            for edge in features[i].0 {
                for triangle in features[1 - i].1 {
                    let ends = [(i, edge[0]), (i, edge[1])];
                    let face = [0, 1, 2].map(|k| (1 - i, triangle[k]));
                    if let EdgeMeetsFace::Pierces | EdgeMeetsFace::Touches = edge_meets_face_by(side, &ends, &face) {
                        return Some(self.zero());
                    }
                }
            }
        }
        None
    }

    /// The sign of `(q − p) × (r − p) · (s − p)`.
    fn side(&self, places: [Place; 4]) -> i8 {
        let rounded = self.rounded.side(places);
        let sure = if rounded == Ordering::Equal { self.precise.side(places) } else { rounded };
        match sure {
            Ordering::Greater => return 1,
            Ordering::Less => return -1,
            Ordering::Equal => {}
        }
        let [p, q, r, s] = places.map(|(side, i)| &self.sides[side].vertices[i as usize]);
        let volume = dot(&cross(&difference(q, p), &difference(r, p)), &difference(s, p));
        match volume.sign() {
            Sign::Plus => 1,
            Sign::NoSign => 0,
            Sign::Minus => -1,
        }
    }

    /// Pairs of features whose nearest points seem to be inside of them, with their rounded squared
    /// distances.
    fn proposals(&self) -> Vec<(f64, Feature, Feature)> {
        let [a, b] = &self.sides;
        let mut found = Vec::new();
        for i in 0..a.rounded.len() as u32 {
            for j in 0..b.rounded.len() as u32 {
                let squared = a.rounded[i as usize].distance_squared(b.rounded[j as usize]);
                found.push((squared, Feature::new([i]), Feature::new([j])));
            }
        }
        for (near, far, swapped) in [(a, b, false), (b, a, true)] {
            for i in 0..near.rounded.len() as u32 {
                let p = near.rounded[i as usize];
                for feature in far.edges.iter().chain(&far.triangles) {
                    if let Some(squared) = rounded_from_point(p, feature, &far.rounded, self.slack) {
                        let point = Feature::new([i]);
                        let (of_a, of_b) = if swapped { (*feature, point) } else { (point, *feature) };
                        found.push((squared, of_a, of_b));
                    }
                }
            }
        }
        for e in &a.edges {
            for f in &b.edges {
                let of_a = [e[0], e[1]].map(|i| a.rounded[i as usize]);
                let of_b = [f[0], f[1]].map(|i| b.rounded[i as usize]);
                if let Some(squared) = rounded_between(of_a, of_b, self.slack) {
                    found.push((squared, *e, *f));
                }
            }
        }
        found
    }
}

fn rounded_from_point(p: DVec3, feature: &Feature, vertices: &[DVec3], slack: f64) -> Option<f64> {
    let q = vertices[feature[0] as usize];
    let edge = |k: usize| vertices[feature[k] as usize] - q;
    let offset = p - q;
    if feature.len() == 2 {
        let edge = edge(1);
        let place = offset.dot(edge) / edge.length_squared();
        let within = slack.is_infinite() || (place > -slack && place < 1.0 + slack);
        return within.then(|| (offset - edge * place).length_squared());
    }
    let (e, f) = (edge(1), edge(2));
    let normal = e.cross(f);
    let squared = normal.length_squared();
    let (at_e, at_f) = (normal.dot(offset.cross(f)) / squared, normal.dot(e.cross(offset)) / squared);
    let within = slack.is_infinite() || (at_e > -slack && at_f > -slack && at_e + at_f < 1.0 + slack);
    within.then(|| normal.dot(offset).powi(2) / squared)
}

fn rounded_between([p, q]: [DVec3; 2], [r, s]: [DVec3; 2], slack: f64) -> Option<f64> {
    let (u, v, w) = (q - p, s - r, r - p);
    let normal = u.cross(v);
    let squared = normal.length_squared();
    let [on_u, on_v] = [v, u].map(|edge| w.cross(edge).dot(normal) / squared);
    let within = |x: f64| slack.is_infinite() || (x > -slack && x < 1.0 + slack);
    (within(on_u) && within(on_v)).then(|| w.dot(normal).powi(2) / squared)
}

/// The squared distance of a point and a feature whose nearest point is inside of it, and the
/// direction from the point to there.
fn from_point(p: &Vector<BigInt>, feature: &[&Vector<BigInt>]) -> Option<(Fraction<BigInt>, Vector<BigInt>)> {
    match *feature {
        [q] => {
            let direction = difference(q, p);
            Some((squared_length(&direction), direction))
        }
        [q, r] => {
            let (edge, offset) = (difference(r, q), difference(p, q));
            let (along, whole) = (dot(&edge, &offset), dot(&edge, &edge));
            if along.is_negative() || along > whole {
                return None;
            }
            let direction = [0, 1, 2].map(|k| &edge[k] * &along - &offset[k] * &whole);
            Some((point_segment(p, q, r), direction))
        }
        [q, r, s] => {
            let face = [q.clone(), r.clone(), s.clone()];
            let normal = cross(&difference(r, q), &difference(s, q));
            let fraction = point_face(p, &face)?;
            Some((fraction, towards(normal, &difference(q, p))))
        }
        _ => None,
    }
}

/// A normal, turned to where a way leads.
fn towards(normal: Vector<BigInt>, way: &Vector<BigInt>) -> Vector<BigInt> {
    if dot(&normal, way).is_negative() { normal.map(|x| -x) } else { normal }
}

/// The exponents of the least bits of a polyhedron's numbers.
struct Exponents {
    center: i64,
    axes: i64,
    vertices: i64,
}

fn exponents_of(polyhedron: &ConvexPolyhedron) -> Exponents {
    let local = polyhedron.local();
    let least = |numbers: &mut dyn Iterator<Item = f64>| numbers.map(|x| decompose(x).1).min().unwrap_or(0);
    Exponents {
        center: least(&mut polyhedron.center().to_array().into_iter()),
        axes: least(&mut local.axes.to_cols_array().into_iter()),
        vertices: least(&mut local.vertices.iter().flat_map(|vertex| (*vertex * local.scale).to_array())),
    }
}

/// Whether every vertex of a polyhedron is exactly where [`ConvexPolyhedron::vertex`] says.
pub(crate) fn has_no_rounded_vertex(polyhedron: &ConvexPolyhedron) -> bool {
    let exponents = exponents_of(polyhedron);
    let least = polyhedron.vertices().flat_map(|vertex| vertex.to_array()).map(|x| decompose(x).1).min().unwrap_or(0);
    let exponent = least.min(exponents.center).min(exponents.axes + exponents.vertices);
    let exact = exact_vertices(polyhedron, &exponents, exponent);
    polyhedron.vertices().zip(exact).all(|(rounded, exact)| rounded.to_array().map(|x| integer(x, exponent)) == exact)
}

/// Centre plus turned and scaled vertices, in units of two to `exponent`.
fn exact_vertices(polyhedron: &ConvexPolyhedron, least: &Exponents, exponent: i64) -> Vec<Vector<BigInt>> {
    let local = polyhedron.local();
    let columns = local.axes.to_cols_array_2d().map(|column| column.map(|x| integer(x, least.axes)));
    let center = polyhedron.center().to_array().map(|x| integer(x, exponent));
    let shift = (least.axes + least.vertices - exponent) as u64;
    let vertex = |vertex: &DVec3| {
        let own = (*vertex * local.scale).to_array().map(|x| integer(x, least.vertices));
        [0, 1, 2].map(|k| {
            let turned = &columns[0][k] * &own[0] + &columns[1][k] * &own[1] + &columns[2][k] * &own[2];
            &center[k] + (turned << shift)
        })
    };
    local.vertices.iter().map(vertex).collect()
}

/// Centre plus turned and scaled vertices, relative to a place, with 106 bits.
fn precise_vertices(polyhedron: &ConvexPolyhedron, origin: DVec3) -> Vec<Vector<DoubleDouble>> {
    let local = polyhedron.local();
    let columns = local.axes.to_cols_array_2d().map(|column| column.map(DoubleDouble::from));
    let PreciseVec3 { x, y, z } = PreciseVec3::difference(polyhedron.center(), origin);
    let vertex = |vertex: &DVec3| {
        let own = (*vertex * local.scale).to_array().map(DoubleDouble::from);
        [(x, 0), (y, 1), (z, 2)].map(|(start, k)| start + dot(&columns.map(|column| column[k]), &own))
    };
    local.vertices.iter().map(vertex).collect()
}

/// The edges, and for each face a fan of triangles.
fn edges_and_fans(polyhedron: &ConvexPolyhedron) -> (Vec<Feature>, Vec<Feature>) {
    let vertices = 0..polyhedron.vertex_count() as u32;
    let ends = |from: u32| polyhedron.neighbors(from).iter().filter(move |&&to| from < to).map(move |&to| [from, to]);
    let fan = |face: u32| {
        let face = polyhedron.face(face);
        (2..face.len()).map(|k| Feature::new([face[0], face[k - 1], face[k]]))
    };
    (vertices.flat_map(ends).map(Feature::new).collect(), (0..polyhedron.face_count() as u32).flat_map(fan).collect())
}

/// The pairs and the triples of vertices that are of one face.
fn features_of_faces(polyhedron: &ConvexPolyhedron) -> (Vec<Feature>, Vec<Feature>) {
    let (mut edges, mut triangles) = (Vec::new(), Vec::new());
    for face in (0..polyhedron.face_count() as u32).map(|face| polyhedron.face(face)) {
        let (pairs, triples) = all_features(face.len() as u32);
        edges.extend(pairs.iter().map(|pair| {
            let [i, j] = [0, 1].map(|k| face[pair[k] as usize]);
            Feature::new([i.min(j), i.max(j)])
        }));
        triangles.extend(triples.iter().map(|triple| Feature::new(triple.vertices.map(|k| face[k as usize]))));
    }
    edges.sort_unstable();
    edges.dedup();
    (edges, triangles)
}

/// All pairs and triples of vertices.
fn all_features(count: u32) -> (Vec<Feature>, Vec<Feature>) {
    let pairs = (0..count).flat_map(|j| (0..j).map(move |i| [i, j]));
    let triples = pairs.clone().flat_map(|[i, j]| (0..i).map(move |h| [h, i, j]));
    (pairs.map(Feature::new).collect(), triples.map(Feature::new).collect())
}

mod tests {
    use super::*;
    use crate::Pose;
    use crate::math::DQuat;
    use crate::random::Random;

    fn squared_distance(a: &ConvexPolyhedron, b: &ConvexPolyhedron) -> ExactSquaredDistance {
        ExactPair::new(a, b).measured()
    }

    fn cube() -> ConvexPolyhedron {
        let vertex = |i: i32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
        ConvexPolyhedron::hull_of(&(0..8).map(vertex).collect::<Vec<_>>()).unwrap()
    }

    /// Hulls of points on a grid, of which many are in one plane or line, or of any points.
    fn hull(random: &mut Random, grid: bool) -> Option<ConvexPolyhedron> {
        let coordinate = |random: &mut Random| if grid { (random.signed() * 2.0).round() } else { random.signed() };
        let points: Vec<DVec3> = (0..8).map(|_| DVec3::from_array([0; 3].map(|_| coordinate(random)))).collect();
        ConvexPolyhedron::hull_of(&points).ok()
    }

    #[test]
    fn signs_by_rounded_numbers_change_no_distance() {
        let mut random = Random(62);
        let (mut apart, mut together) = (0, 0);
        for case in 0..600 {
            let (grid, scale) = (case % 3 > 0, [1.0, 1e-6, 1e5, 1e-45, 1e61][case % 5]);
            let (Some(a), Some(b)) = (hull(&mut random, grid), hull(&mut random, grid)) else { continue };
            let turn = if case % 2 == 0 { DQuat::IDENTITY } else { DQuat::from_rotation_y(random.signed()) };
            let near = 10.0_f64.powf(random.between(-18.0, 0.0));
            let place = DVec3::new((random.signed() * 3.0).round(), (random.signed() * 3.0).round(), 2.0 + near);
            let sized = |hull: &ConvexPolyhedron| {
                let points: Vec<DVec3> = hull.vertices().map(|vertex| vertex * scale).collect();
                ConvexPolyhedron::hull_of(&points)
            };
            let (Ok(a), Ok(b)) = (sized(&a), sized(&b)) else { continue };
            let b = b.transformed(&Pose::new(turn, place * scale).unwrap());
            let filtered = squared_distance(&a, &b);
            let mut pair = ExactPair::new(&a, &b);
            (pair.rounded.off, pair.precise.off) = (f64::INFINITY, f64::INFINITY);
            let exact = pair.measured();
            let (f, e) = (&filtered.fraction, &exact.fraction);
            assert_eq!(&f.numerator * &e.denominator, &e.numerator * &f.denominator, "case {case}");
            assert_eq!(filtered.exponent, exact.exponent);
            let zero = e.numerator.sign() == Sign::NoSign;
            (apart, together) = (apart + usize::from(!zero), together + usize::from(zero));
        }
        assert!(apart > 100 && together > 50, "{apart} {together}");
    }

    #[test]
    fn cubes_have_the_distances_that_can_be_seen_by_eye() {
        let a = cube();
        for (x, y, z, expected) in [
            (3.0, 0.25, 0.5, 2.0),
            (3.0, 3.0, 0.0, 8.0_f64.sqrt()),
            (2.0, 2.0, 2.0, 3.0_f64.sqrt()),
            (1.0, 0.5, 0.0, 0.0),
            (1.0, 1.0, 1.0, 0.0),
            (0.5, 0.5, 0.25, 0.0),
            (0.0, 0.0, 0.0, 0.0),
        ] {
            let b = a.transformed(&Pose::from_translation(DVec3::new(x, y, z)).unwrap());
            let exact = squared_distance(&a, &b);
            assert_eq!(exact.is_zero(), expected == 0.0, "{x} {y} {z}");
            assert_ne!(exact.compare(expected * (1.0 - 1e-15)), Ordering::Less);
            assert_ne!(exact.compare(expected * (1.0 + 1e-15)), Ordering::Greater);
        }
    }

    #[test]
    fn a_gap_far_below_rounding_is_no_overlap_and_a_cube_inside_of_another_is() {
        let (a, far) = (cube(), DVec3::new(1.0, 0.5, 0.0));
        let gap = |shift: f64| {
            let b = a.transformed(&Pose::from_translation(far + DVec3::X * shift).unwrap());
            squared_distance(&a, &b)
        };
        assert!(gap(0.0).is_zero() && gap(-f64::EPSILON).is_zero());
        assert_eq!(gap(f64::EPSILON).compare(f64::EPSILON), Ordering::Equal);
        let small: Vec<DVec3> = cube().vertices().map(|vertex| vertex * 0.25 + 0.3).collect();
        let inside = ConvexPolyhedron::hull_of(&small).unwrap();
        assert!(squared_distance(&a, &inside).is_zero());
        assert!(squared_distance(&inside, &a).is_zero());
    }

    #[test]
    fn a_turned_cube_is_as_far_as_its_nearest_edge() {
        let a = cube();
        let turn = Pose::new(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4), DVec3::new(3.0, -0.3, 0.2)).unwrap();
        let exact = squared_distance(&a, &a.transformed(&turn));
        let expected = 2.0 - 0.5_f64.sqrt();
        assert_eq!(exact.compare(expected - 1e-15), Ordering::Greater);
        assert_eq!(exact.compare(expected + 1e-15), Ordering::Less);
    }
}
