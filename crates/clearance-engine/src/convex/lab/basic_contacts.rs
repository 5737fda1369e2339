//! Does an edge pass through a face? Decided by signs of determinants alone, hence exactly.
//!
//! Two polyhedra whose surfaces meet have an edge of one through a face of the other. For convex
//! faces that is a conjunction of two kinds of *basic contacts* (Canny, "Collision detection for
//! moving polyhedra", 1986; the survey of Jiménez, Thomas and Torras, 2001, section 3.2): type A, a
//! vertex against a face, and type B, an edge against an edge. For faces that are not convex the
//! sides on which a plane through the edge is crossed are counted (Thomas and Torras, "Interference
//! detection between non-convex polyhedra revisited with a practical aim", 1994; survey, section
//! 3.3.2). Each is the sign of one determinant of four points, exact for the `f64` coordinates that
//! are given (Shewchuk's adaptive predicates), as long as no product of three of them leaves the
//! range of `f64`.
//!
//! Both papers leave out what is degenerate; here a sign may be zero, and an edge that only touches
//! a face is told from one that passes through it. Cost: some 10 ns a determinant; one for each end
//! of the edge and one or two for each side of the face.

use crate::math::{DVec3, volume};
use robust::{Coord, orient2d};

/// How an edge and a face meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeMeetsFace {
    /// They share no point.
    Misses,
    /// They share a point, but an end of the edge is on the face, or the edge meets a side of it.
    Touches,
    /// The edge passes through the inside of the face, from one side to the other.
    Pierces,
    /// The edge is in the plane of the face: it is for the face's sides, as edges against the other
    /// faces, to tell whether they meet.
    InPlane,
}

/// The predicate of a type A contact: positive where `vertex` is above the plane of three vertices
/// of a face, which turn left seen from above; zero where it is in that plane. Exact.
///
/// ```
/// use clearance_engine::{convex::lab::vertex_above_face, math::DVec3};
/// let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// assert!(vertex_above_face(DVec3::new(5.0, 5.0, 1e-300), face) > 0.0);
/// assert_eq!(vertex_above_face(DVec3::new(0.1, 0.7, 0.0), face), 0.0);
/// ```
pub fn vertex_above_face(vertex: DVec3, face: [DVec3; 3]) -> f64 {
    volume(face[0], face[1], face[2], vertex)
}

/// The predicate of a type B contact: the sign of `(e × f) · (e₀ − f₀)` for two edges with these
/// ends, that is, on which side the first passes the second; zero where both are in one plane.
/// Exact.
///
/// ```
/// use clearance_engine::{convex::lab::edge_beside_edge, math::DVec3};
/// let below = [DVec3::ZERO, DVec3::X];
/// let above = |height| [DVec3::new(0.5, -1.0, height), DVec3::new(0.5, 1.0, height)];
/// assert!(edge_beside_edge(below, above(1e-300)) < 0.0);
/// assert!(edge_beside_edge(below, above(-1e-300)) > 0.0);
/// assert_eq!(edge_beside_edge(below, above(0.0)), 0.0);
/// ```
pub fn edge_beside_edge(e: [DVec3; 2], f: [DVec3; 2]) -> f64 {
    volume(e[0], e[1], f[0], f[1])
}

/// How an edge meets a convex face, whose vertices turn left (equation 3 of the survey).
///
/// The plane of the face is that of its first three vertices that are not on one line; sides of the
/// face are where its vertices are.
///
/// ```
/// use clearance_engine::{convex::lab::{EdgeMeetsFace, edge_meets_face}, math::DVec3};
/// let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let edge = |x, y| [DVec3::new(x, y, -1.0), DVec3::new(x, y, 3.0)];
/// assert_eq!(edge_meets_face(edge(0.25, 0.25), &face), EdgeMeetsFace::Pierces);
/// assert_eq!(edge_meets_face(edge(0.5, 0.5), &face), EdgeMeetsFace::Touches);
/// assert_eq!(edge_meets_face(edge(0.5, 0.6), &face), EdgeMeetsFace::Misses);
/// ```
pub fn edge_meets_face(edge: [DVec3; 2], face: &[DVec3]) -> EdgeMeetsFace {
    edge_meets_face_by(|p, q, r, s| sign(volume(*p, *q, *r, *s)), &edge, face)
}

/// As [`edge_meets_face`] for points of any kind: `side(p, q, r, s)` is the sign of
/// `(q − p) × (r − p) · (s − p)`.
pub(crate) fn edge_meets_face_by<P>(side: impl Fn(&P, &P, &P, &P) -> i8, edge: &[P; 2], face: &[P]) -> EdgeMeetsFace {
    let [x, y] = edge;
    let Some([below, above]) = ends_beside(&side, edge, face) else { return EdgeMeetsFace::InPlane };
    if below * above > 0 {
        return EdgeMeetsFace::Misses;
    }
    // The edge passes upward or downward, and so all sides on its left or on its right.
    let upward = if above != 0 { above } else { -below };
    let mut touches = below * above == 0;
    for (from, to) in sides(face) {
        match upward * side(x, y, from, to) {
            0 => touches = true,
            beside if beside < 0 => return EdgeMeetsFace::Misses,
            _ => {}
        }
    }
    if touches { EdgeMeetsFace::Touches } else { EdgeMeetsFace::Pierces }
}

/// How an edge meets a face that need not be convex: a polygon without holes that does not cross
/// itself.
///
/// `beside` is any point that is not on the edge's line: it spans a plane with the edge, and what
/// is counted is how many sides of the face cross that plane on one side of the edge. Vertices in
/// the plane count as on one side of it, so that no crossing is counted twice. The plane of the
/// face is that of its first three vertices that are not on one line.
///
/// ```
/// use clearance_engine::{convex::lab::{EdgeMeetsFace, edge_meets_polygon}, math::DVec3};
/// // An arrow head, whose notch reaches from y = 0 up to y = 2.
/// let face = [(0.0, 3.0), (-2.0, 0.0), (0.0, 2.0), (2.0, 0.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
/// let meets = |x, y| edge_meets_polygon([DVec3::new(x, y, -1.0), DVec3::new(x, y, 1.0)], &face, DVec3::new(9.0, 8.0, 7.0));
/// assert_eq!(meets(0.0, 2.5), EdgeMeetsFace::Pierces);
/// assert_eq!(meets(0.0, 1.0), EdgeMeetsFace::Misses);
/// assert_eq!(meets(0.0, 2.0), EdgeMeetsFace::Touches);
/// ```
pub fn edge_meets_polygon(edge: [DVec3; 2], face: &[DVec3], beside: DVec3) -> EdgeMeetsFace {
    let side = |p: &DVec3, q: &DVec3, r: &DVec3, s: &DVec3| sign(volume(*p, *q, *r, *s));
    let [head, tail] = edge;
    let Some([below, above]) = ends_beside(&side, &edge, face) else { return EdgeMeetsFace::InPlane };
    if below * above > 0 {
        return EdgeMeetsFace::Misses;
    }
    let (mut inside, mut touches) = (false, below * above == 0);
    for (from, to) in sides(face) {
        let [start, end] = [from, to].map(|vertex| side(&head, &tail, &beside, vertex));
        let across = side(&head, &tail, from, to);
        // A side that meets the line of the edge: across the plane, or lying in it.
        if across == 0 && start * end <= 0 && meets_line(edge, [*from, *to], [start, end], beside) {
            return EdgeMeetsFace::Touches;
        }
        let [start, end] = [start, end].map(|s| if s < 0 { -1 } else { 1 });
        inside ^= start != end && start * across > 0;
    }
    touches &= inside;
    match (touches, inside) {
        (true, _) => EdgeMeetsFace::Touches,
        (false, true) => EdgeMeetsFace::Pierces,
        (false, false) => EdgeMeetsFace::Misses,
    }
}

/// Whether a side that is in one plane with the edge, and has no two ends on one side of the plane
/// through `beside`, meets the edge's line.
fn meets_line([head, tail]: [DVec3; 2], ends: [DVec3; 2], signs: [i8; 2], beside: DVec3) -> bool {
    if signs != [0, 0] {
        return true;
    }
    // All of it is in that plane, where its ends must not be on one side of the line. That is seen
    // along any axis which does not lie in the plane: along which, that is, the point beside the
    // line is seen beside it. Nothing is computed but signs of the coordinates given, so that
    // nothing is rounded.
    let along = |axis: usize, point: DVec3| {
        let [head, tail, point] = [head, tail, point].map(|p| Coord { x: p[(axis + 1) % 3], y: p[(axis + 2) % 3] });
        sign(orient2d(head, tail, point))
    };
    let seen = (0..3).find(|&axis| along(axis, beside) != 0);
    seen.is_none_or(|axis| along(axis, ends[0]) * along(axis, ends[1]) <= 0)
}

/// On which sides of a face's plane the ends of an edge are; `None` if both are in it, or the face
/// has no plane.
fn ends_beside<P>(side: &impl Fn(&P, &P, &P, &P) -> i8, edge: &[P; 2], face: &[P]) -> Option<[i8; 2]> {
    // Vertices on one line, up to rounding or not, have every point in their plane.
    let [first, second, rest @ ..] = face else { return None };
    let beside = |third: &P| {
        let ends = [&edge[0], &edge[1]].map(|end| side(first, second, third, end));
        (ends != [0, 0]).then_some(ends)
    };
    rest.iter().find_map(beside)
}

/// The pairs of neighbours in a loop.
fn sides<P>(face: &[P]) -> impl Iterator<Item = (&P, &P)> {
    face.iter().zip(face.iter().cycle().skip(1))
}

fn sign(x: f64) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Coordinates of a few bits: zeros of determinants are exact zeros, and frequent.
    fn coarse(random: &mut Random) -> DVec3 {
        DVec3::new(random.below(9) as f64 - 4.0, random.below(9) as f64 - 4.0, random.below(5) as f64 - 2.0)
    }

    #[test]
    fn both_predicates_agree_on_triangles_whatever_plane_is_taken_through_the_edge() {
        let mut random = Random(61);
        let mut counts = [0; 3];
        for _ in 0..40_000 {
            let face = [(); 3].map(|()| coarse(&mut random));
            let edge = [(); 2].map(|()| coarse(&mut random));
            let beside = coarse(&mut random) + DVec3::new(0.5, 0.25, 0.125);
            let flat = (face[1] - face[0]).cross(face[2] - face[0]) == DVec3::ZERO;
            let on_line = (edge[1] - edge[0]).cross(beside - edge[0]) == DVec3::ZERO;
            if flat || on_line {
                continue;
            }
            let expected = edge_meets_face(edge, &face);
            assert_eq!(edge_meets_polygon(edge, &face, beside), expected, "{edge:?} {face:?} {beside}");
            match expected {
                EdgeMeetsFace::Misses => counts[0] += 1,
                EdgeMeetsFace::Touches => counts[1] += 1,
                EdgeMeetsFace::Pierces => counts[2] += 1,
                EdgeMeetsFace::InPlane => {}
            }
        }
        assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
    }

    /// A polygon without convexity is the sum of the triangles that it is cut into.
    #[test]
    fn a_star_is_pierced_where_one_of_its_triangles_is() {
        let mut random = Random(62);
        let mut pierced = 0;
        for _ in 0..4000 {
            let count = 5 + random.below(8);
            let vertex = |random: &mut Random, k: usize| {
                let (sin, cos) = (std::f64::consts::TAU * k as f64 / count as f64).sin_cos();
                // On a coarse grid, so that the face is flat exactly.
                let radius = random.between(1.0, 4.0);
                DVec3::new((cos * radius * 64.0).round(), (sin * radius * 64.0).round(), 0.0)
            };
            let face: Vec<DVec3> = (0..count).map(|k| vertex(&mut random, k)).collect();
            let foot = DVec3::new(random.between(-200.0, 200.0), random.between(-200.0, 200.0), 0.0);
            let edge = [foot - DVec3::Z, foot + DVec3::new(0.0, 0.0, 2.0)];
            let found = edge_meets_polygon(edge, &face, foot + DVec3::new(1.0, 0.3, 0.7));
            let parts = sides(&face).map(|(&p, &q)| edge_meets_face(edge, &[DVec3::ZERO, p, q]));
            let expected = parts.filter(|part| *part == EdgeMeetsFace::Pierces).count() == 1;
            assert_eq!(found == EdgeMeetsFace::Pierces, expected, "{face:?} {foot}");
            pierced += usize::from(expected);
        }
        assert!(pierced > 500, "{pierced}");
    }

    /// What the sign stands for, in integers; and turned around with either edge, or with both
    /// exchanged.
    #[test]
    fn edges_pass_each_other_on_the_side_that_their_product_tells() {
        let mut random = Random(63);
        let mut counts = [0; 3];
        for _ in 0..4000 {
            let [[p, q], [r, s]] = [(); 2].map(|()| [coarse(&mut random), coarse(&mut random)]);
            let product = (q - p).cross(s - r).dot(p - r);
            let found = sign(edge_beside_edge([p, q], [r, s]));
            assert_eq!(found, sign(product), "{p} {q} {r} {s}");
            assert_eq!(sign(edge_beside_edge([q, p], [r, s])), -found);
            assert_eq!(sign(edge_beside_edge([p, q], [s, r])), -found);
            assert_eq!(sign(edge_beside_edge([r, s], [p, q])), found);
            counts[(found + 1) as usize] += 1;
        }
        assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
        // By the last bit of a coordinate.
        let edge = [DVec3::ZERO, DVec3::splat(3.0)];
        let past = |z: f64| sign(edge_beside_edge(edge, [DVec3::new(0.1, 0.1, z), DVec3::new(7.0, 2.0, 5.0)]));
        assert_eq!([0.1_f64.next_down(), 0.1, 0.1_f64.next_up()].map(past), [-1, 0, 1]);
    }

    /// A short edge at ordinary coordinates, one of length 2 at coordinates of 1e17, and a face
    /// that misses it by 5, one of whose sides is in the plane through the edge and the point
    /// beside it: no point off that plane can be told from the edge by adding to its coordinates.
    #[test]
    fn a_side_in_one_plane_with_a_short_edge_or_one_far_away_is_not_taken_to_meet_it() {
        for (x, half) in [(1.0, 1e-17), (1.0, 1e-300_f64.sqrt()), (1e17, 1.0), (-1e17, 1e-9)] {
            let at = |off: f64, y: f64, z: f64| DVec3::new(x + off, y, z);
            let edge = [at(0.0, 0.0, -half), at(0.0, 0.0, half)];
            let wide = x.abs();
            for beside in [at(0.0, 1.0, 0.0), at(0.0, 1e-3, half), at(0.0, -7.0, 5.0)] {
                let face = |y: f64| [at(0.0, y, 0.0), at(0.0, 9.0, 0.0), at(wide, 7.0, 0.0)];
                assert_eq!(
                    edge_meets_polygon(edge, &face(5.0), beside),
                    EdgeMeetsFace::Misses,
                    "{x:e} {half:e} {beside}"
                );
                assert_eq!(
                    edge_meets_polygon(edge, &face(-5.0), beside),
                    EdgeMeetsFace::Touches,
                    "{x:e} {half:e} {beside}"
                );
                assert_eq!(
                    edge_meets_polygon(edge, &face(0.0), beside),
                    EdgeMeetsFace::Touches,
                    "{x:e} {half:e} {beside}"
                );
            }
        }
    }

    /// A place in the plane of a face.
    type Planar = [i128; 2];

    fn turn(p: Planar, q: Planar, r: Planar) -> i128 {
        (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
    }

    /// Vertices of a polygon that does not cross itself, mostly not convex: from any order of
    /// points, two sides that meet are untangled until none do.
    fn simple_polygon(random: &mut Random) -> Option<Vec<Planar>> {
        let mut vertices: Vec<Planar> =
            (0..3 + random.below(7)).map(|_| [(); 2].map(|()| 2 * (random.below(13) as i128 - 6))).collect();
        let count = vertices.len();
        let on = |p: Planar, q: Planar, r: Planar| {
            turn(p, q, r) == 0 && (0..2).all(|k| p[k].min(q[k]) <= r[k] && r[k] <= p[k].max(q[k]))
        };
        let meet = |p: Planar, q: Planar, r: Planar, s: Planar| {
            let across = turn(p, q, r).signum() * turn(p, q, s).signum() < 0
                && turn(r, s, p).signum() * turn(r, s, q).signum() < 0;
            across || on(p, q, r) || on(p, q, s) || on(r, s, p) || on(r, s, q)
        };
        for _ in 0..100 {
            let side = |i: usize| (vertices[i % count], vertices[(i + 1) % count]);
            let tangled = (0..count).flat_map(|j| (0..j).map(move |i| (i, j))).find(|&(i, j)| {
                let ((p, q), (r, s)) = (side(i), side(j));
                match (j - i, j - i + 1 == count) {
                    // Neighbours share a vertex, and must share no more.
                    (1, _) => on(p, q, s) || on(r, s, p),
                    (_, true) => on(p, q, r) || on(r, s, q),
                    _ => meet(p, q, r, s),
                }
            });
            let Some((i, j)) = tangled else { return Some(vertices) };
            vertices[i + 1..=j].reverse();
        }
        None
    }

    /// Edges through places that have integer coordinates in the face's plane: these are in the
    /// face by the number of sides to their right.
    #[test]
    fn polygons_that_are_not_convex_agree_with_points_in_polygons_in_integers() {
        let mut random = Random(64);
        let (mut counts, mut notched) = ([0; 4], 0);
        while counts.iter().sum::<usize>() < 30_000 {
            let Some(flat) = simple_polygon(&mut random) else { continue };
            let [origin, u, v] = [(); 3].map(|()| coarse(&mut random));
            let normal = u.cross(v);
            if normal == DVec3::ZERO {
                continue;
            }
            let place = |p: &Planar| origin + u * p[0] as f64 + v * p[1] as f64;
            let face: Vec<DVec3> = flat.iter().map(place).collect();
            // Vertices have even coordinates, so that middles of sides are places too.
            let (at, k) = ([(); 2].map(|()| random.below(29) as i128 - 14), random.below(flat.len()));
            let target = if random.below(2) == 0 { flat[k] } else { at };
            let way = coarse(&mut random);
            let edge = [place(&target) - way, place(&target) + way * random.below(3) as f64];
            let beside = coarse(&mut random) * 3.0;
            if (edge[1] - edge[0]).cross(beside - edge[0]) == DVec3::ZERO {
                continue;
            }
            let heights = edge.map(|end| normal.dot(end - origin) as i128);
            let expected = match heights.map(i128::signum) {
                [0, 0] => EdgeMeetsFace::InPlane,
                [h, t] if h * t > 0 => EdgeMeetsFace::Misses,
                [h, t] => {
                    let (mut inside, mut on_side) = (false, false);
                    for (&p, &q) in flat.iter().zip(flat.iter().cycle().skip(1)) {
                        let beside = turn(p, q, target);
                        let within = (0..2).all(|k| p[k].min(q[k]) <= target[k] && target[k] <= p[k].max(q[k]));
                        on_side |= beside == 0 && within;
                        inside ^= (p[1] > target[1]) != (q[1] > target[1]) && (beside > 0) == (q[1] > p[1]);
                    }
                    match (on_side || (inside && h * t == 0), inside) {
                        (true, _) => EdgeMeetsFace::Touches,
                        (false, true) => EdgeMeetsFace::Pierces,
                        (false, false) => EdgeMeetsFace::Misses,
                    }
                }
            };
            assert_eq!(edge_meets_polygon(edge, &face, beside), expected, "{edge:?} {face:?} {beside}");
            counts[expected as usize] += 1;
            let turns = |i: usize| turn(flat[i], flat[(i + 1) % flat.len()], flat[(i + 2) % flat.len()]).signum();
            notched += usize::from((0..flat.len()).any(|i| turns(i) * turns((i + 1) % flat.len()) < 0));
        }
        assert!(counts.iter().all(|&count| count > 1000) && notched > 10_000, "{counts:?} {notched}");
    }

    #[test]
    fn an_edge_past_a_vertex_by_the_last_bit_is_told_from_one_through_it() {
        let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let x = 0.5_f64;
        let edge = |x: f64| [DVec3::new(x, 0.5, -1.0), DVec3::new(x, 0.5, 1.0)];
        assert_eq!(edge_meets_face(edge(x), &face), EdgeMeetsFace::Touches);
        assert_eq!(edge_meets_face(edge(x.next_down()), &face), EdgeMeetsFace::Pierces);
        assert_eq!(edge_meets_face(edge(x.next_up()), &face), EdgeMeetsFace::Misses);
    }
}
