//! The largest inscribed box along given axes, and the largest inscribed sphere, between
//! half-spaces.
//!
//! A box with centre c and half-extents h along orthonormal axes is behind the wall `n·x ≤ b`
//! exactly if `n·c + Σ|n·aᵢ|hᵢ ≤ b`, a sphere of radius h if `n·c + h ≤ b`: with the logarithm of
//! the volume, Σ log hᵢ, as what is to grow, that is a concave programme over linear constraints
//! (Arcila, Dinás and Bañón, *Un modelo de detector de colisiones basado en cajas rectangulares
//! externas e internas*, section 4). Clarabel solves it: with tᵢ ≤ log hᵢ as exponential cones Σ tᵢ
//! is linear; for a sphere the radius is.
//!
//! Its tolerances and its regularisation are absolute, so that the programme is put into units in
//! which all is about 1: a wall's distance from the point inside, each half extent's room, and for
//! the centre those in which the walls are as steep in all directions. Needles a million times as
//! long as wide are solved like cubes then; without the last of these units, one of 270 bodies, up
//! to that long, lost a percent of its box or more.
//!
//! Invariant: the result is behind all walls up to rounding, whatever the solver says: a last step
//! shrinks it about its centre until it is. Callers that need certainty about roundings shrink and
//! check ([`Nested`](super::Nested) does). Every solve is on its own and in one thread: the same
//! walls give the same box. Cost, of a box and a sphere: 115 and 39 µs for 20 walls, 500 and 100
//! for 80.

use super::Wall;
use crate::math::{DMat3, DVec3};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};

/// The tolerance of the logarithm of the volume.
const GAP: f64 = 1e-10;
/// The same where rounding keeps the solver from that: an answer as good as this needs no second
/// solve.
const ALMOST: f64 = 1e-8;
/// The largest part by which an answer may have to shrink; a worse one is rejected.
const MAX_SHRINK: f64 = 1e-6;
/// Extents beyond so many times the room around the point count as infinite: logarithms grow so
/// slowly that the solver ends at some 1e14 of them, satisfied.
const ENDLESS: f64 = 1e10;
/// The maximum number of solves, each from the centre of the one before: once in all but one of
/// 2000 bodies.
const MAX_SOLVES: usize = 4;

/// Computes the largest inscribed box of a set of walls, with edges along the orthonormal columns
/// of `axes`: centre and half-extents.
///
/// `inside` is a point behind all walls. The result is `None` if it is not, or if the box could
/// grow without end.
///
/// ```
/// use clearance_engine::{math::{DMat3, DVec3}, volume::{Wall, largest_box}};
/// let signs = |i: u32| DVec3::from_array([0, 1, 2].map(|bit| if i >> bit & 1 == 0 { 1.0 } else { -1.0 }));
/// // |x| + |y| + |z| ≤ 1
/// let octahedron: Vec<Wall> =
///     (0..8).map(|i| Wall { normal: signs(i) / 3.0_f64.sqrt(), offset: 1.0 / 3.0_f64.sqrt() }).collect();
/// let (center, half) = largest_box(&octahedron, &DMat3::IDENTITY, DVec3::splat(0.1)).unwrap();
/// assert!(center.length() < 1e-8 && half.distance(DVec3::splat(1.0 / 3.0)) < 1e-8);
/// ```
pub fn largest_box(walls: &[Wall], axes: &DMat3, inside: DVec3) -> Option<(DVec3, DVec3)> {
    let into_axes = axes.transpose();
    let limit = |wall: &Wall| {
        let normal = into_axes * wall.normal;
        Limit { normal, factors: normal.abs(), room: wall.offset - wall.normal.dot(inside) }
    };
    let limits: Vec<Limit> = walls.iter().map(limit).collect();
    let found = largest(&limits, 3)?;
    Some((inside + *axes * found.center, found.half))
}

/// Computes the largest inscribed sphere of a set of walls: centre and radius; `inside` as for
/// [`largest_box`].
///
/// ```
/// use clearance_engine::{math::DVec3, volume::{Wall, largest_sphere}};
/// let sides = DVec3::AXES.iter().flat_map(|&axis| [axis, -axis]);
/// let cube: Vec<Wall> = sides.map(|normal| Wall { normal, offset: 1.0 }).collect();
/// let (center, radius) = largest_sphere(&cube, DVec3::splat(0.5)).unwrap();
/// assert!(center.length() < 1e-8 && (radius - 1.0).abs() < 1e-8);
/// ```
pub fn largest_sphere(walls: &[Wall], inside: DVec3) -> Option<(DVec3, f64)> {
    let limit =
        |wall: &Wall| Limit { normal: wall.normal, factors: DVec3::X, room: wall.offset - wall.normal.dot(inside) };
    let limits: Vec<Limit> = walls.iter().map(limit).collect();
    let found = largest(&limits, 1)?;
    Some((inside + found.center, found.half.x))
}

/// The constraint of a wall: `normal · center + factors · half ≤ room`.
#[derive(Debug, Clone, Copy)]
struct Limit {
    normal: DVec3,
    /// One factor for each extent; a sphere has one extent, and zeros for the others.
    factors: DVec3,
    room: f64,
}

#[derive(Debug, Clone, Copy)]
struct Found {
    center: DVec3,
    half: DVec3,
}

impl Found {
    /// Shrinks the extents until all limits hold in `f64` arithmetic; returns the share that is
    /// left and the result.
    fn pulled_in(self, limits: &[Limit]) -> (f64, Self) {
        // More than the roundings of a share and of both sides of a limit.
        const ROUNDING: f64 = 8.0 * f64::EPSILON;
        let share = |limit: &Limit| (limit.room - limit.normal.dot(self.center)) / limit.factors.dot(self.half);
        let share = limits.iter().map(share).fold(1.0, f64::min) * (1.0 - ROUNDING);
        (share, Self { half: self.half * share, ..self })
    }

    fn size(&self, extents: usize) -> f64 {
        self.half.to_array()[..extents].iter().product()
    }
}

/// The centre and extents of the largest product within limits; all limits have room at the origin.
fn largest(limits: &[Limit], extents: usize) -> Option<Found> {
    let mut best: Option<Found> = None;
    let mut start = DVec3::ZERO;
    for _ in 0..MAX_SOLVES {
        let Some((found, touching, is_good)) = solved(limits, extents, start) else { break };
        let (share, inside) = found.pulled_in(limits);
        let size = inside.size(extents);
        if !(inside.center.is_finite()
            && size.is_finite()
            && inside.half.to_array()[..extents].iter().all(|&h| h > 0.0))
        {
            break;
        }
        let is_tiny = share > 1.0 - MAX_SHRINK;
        if is_tiny && best.is_none_or(|best| size > best.size(extents)) {
            best = Some(inside);
        }
        if is_good && share > 1.0 - ALMOST {
            if extents == 3 {
                best = best.map(|best| sharpened(limits, &touching, best).unwrap_or(best));
            }
            break;
        }
        start = inside.center;
    }
    best
}

/// Solves in units that suit the room around `start`: the solution, the limits that it touches, and
/// whether the solver says that this is the largest. `None` if there is no room, or no end to it.
fn solved(limits: &[Limit], extents: usize, start: DVec3) -> Option<(Found, Vec<Limit>, bool)> {
    let in_rooms = |limit: &Limit| {
        let room = limit.room - limit.normal.dot(start);
        let (normal, factors) = (limit.normal / room, limit.factors / room);
        (room > 0.0 && normal.is_finite() && factors.is_finite()).then_some((normal, factors))
    };
    let rows: Vec<(DVec3, DVec3)> = limits.iter().map(in_rooms).collect::<Option<_>>()?;
    let units = rows.iter().fold(DVec3::ZERO, |most, (_, factors)| most.max(*factors)).map(f64::recip);
    if !units.to_array()[..extents].iter().all(|unit| unit.is_finite()) {
        return None;
    }
    let steepness = even_steepness(&rows);

    let (mut costs, mut right, mut cones) =
        (vec![0.0; 3 + extents], vec![1.0; rows.len()], vec![SupportedConeT::NonnegativeConeT(rows.len())]);
    let mut columns = Columns::default();
    let normals: Vec<DVec3> = rows.iter().map(|(normal, _)| steepness * *normal).collect();
    for axis in 0..3 {
        columns.add(normals.iter().map(|normal| normal[axis]), None);
    }
    for axis in 0..extents {
        // Below the walls, three rows for each logarithm of a box.
        let cone = (extents == 3).then_some((rows.len() + 3 * axis + 2, -1.0));
        columns.add(rows.iter().map(|(_, factors)| factors[axis] * units[axis]), cone);
    }
    if extents == 3 {
        for axis in 0..3 {
            // (t, 1, h) with exp(t / 1) · 1 ≤ h
            columns.add(std::iter::empty(), Some((rows.len() + 3 * axis, -1.0)));
            right.extend([0.0, 1.0, 0.0]);
            cones.push(SupportedConeT::ExponentialConeT());
            costs.push(-1.0);
        }
    } else {
        costs[3] = -1.0;
    }

    let variables = costs.len();
    let no_squares = CscMatrix::zeros((variables, variables));
    let solver = solve(no_squares, &costs, columns.into_matrix(right.len()), &right, &cones, settings())?;
    let is_good = match solver.solution.status {
        SolverStatus::Solved | SolverStatus::AlmostSolved => true,
        SolverStatus::PrimalInfeasible
        | SolverStatus::DualInfeasible
        | SolverStatus::AlmostPrimalInfeasible
        | SolverStatus::AlmostDualInfeasible => return None,
        // Rounding stopped it: where it was may be good, or a better point to start from.
        _ => false,
    };
    let x = &solver.solution.x;
    let center = start + steepness.transpose() * DVec3::from_slice(x.get(..3)?);
    let mut half = DVec3::ZERO;
    for axis in 0..extents {
        let extent = *x.get(3 + axis)?;
        if extent > ENDLESS {
            return None;
        }
        half[axis] = extent * units[axis];
    }
    // A wall has either room left or a price.
    let prices = solver.solution.z.iter().zip(&solver.solution.s);
    let touching = limits.iter().zip(prices).filter(|(_, (price, left))| price > left).map(|(limit, _)| *limit);
    Some((Found { center, half }, touching.collect(), is_good))
}

/// A box that is the largest up to rounding, where `found` is so up to the solver's tolerance:
/// about the largest one the volume changes with the square of the extents, so that 1e-10 of it are
/// 1e-5 of these. One step of Newton's to the largest that touches the same walls, which are linear
/// equations; `None` if that is no better, since the walls are other ones.
fn sharpened(limits: &[Limit], touching: &[Limit], found: Found) -> Option<Found> {
    // In units of the half-extents: the growth of Σ log h up to second order, and what room is
    // left.
    let scale = |limit: &Limit| 1.0 / limit.factors.dot(found.half);
    let mut columns = Columns::default();
    for axis in 0..3 {
        columns.add(touching.iter().map(|limit| limit.normal[axis] * found.half[axis] * scale(limit)), None);
    }
    for axis in 0..3 {
        columns.add(touching.iter().map(|limit| limit.factors[axis] * found.half[axis] * scale(limit)), None);
    }
    let left = |limit: &Limit| (limit.room - limit.normal.dot(found.center)) * scale(limit) - 1.0;
    let right: Vec<f64> = touching.iter().map(left).collect();
    let mut squares = Columns::default();
    (0..3).for_each(|_| squares.add(std::iter::empty(), None));
    (3..6).for_each(|row| squares.add(std::iter::empty(), Some((row, 1.0))));
    let step = solve(
        squares.into_matrix(6),
        &[0.0, 0.0, 0.0, -1.0, -1.0, -1.0],
        columns.into_matrix(right.len()),
        &right,
        &[SupportedConeT::ZeroConeT(right.len())],
        DefaultSettings { iterative_refinement_enable: true, ..settings() },
    )?;
    let step = step.solution.x;
    let center = found.center + DVec3::from_slice(step.get(..3)?) * found.half;
    let half = found.half * (DVec3::ONE + DVec3::from_slice(step.get(3..6)?));
    let (share, sharp) = Found { center, half }.pulled_in(limits);
    let is_better =
        share > 1.0 - ALMOST && sharp.half.min_element() > 0.0 && sharp.size(3) >= found.size(3) * (1.0 - GAP);
    (is_better && sharp.center.is_finite()).then_some(sharp)
}

fn solve(
    squares: CscMatrix<f64>,
    costs: &[f64],
    matrix: CscMatrix<f64>,
    right: &[f64],
    cones: &[SupportedConeT<f64>],
    settings: DefaultSettings<f64>,
) -> Option<DefaultSolver<f64>> {
    let mut solver = DefaultSolver::new(&squares, costs, &matrix, right, cones, settings).ok()?;
    solver.solve();
    Some(solver)
}

/// The inverse of the factor L of `Σ normal normalᵀ = L Lᵀ`: times it, the sum is the unit matrix.
fn even_steepness(rows: &[(DVec3, DVec3)]) -> DMat3 {
    let mut sum = DMat3::ZERO;
    for (normal, _) in rows {
        sum += DMat3::from_cols(*normal * normal.x, *normal * normal.y, *normal * normal.z);
    }
    // Where no wall limits a direction any unit will do.
    let trace = sum.x_axis.x + sum.y_axis.y + sum.z_axis.z;
    let root = |pivot: f64, whole: f64| pivot.max(1e-14 * whole).max(1e-30 * trace).sqrt();
    let xx = root(sum.x_axis.x, sum.x_axis.x);
    let (yx, zx) = (sum.x_axis.y / xx, sum.x_axis.z / xx);
    let yy = root(sum.y_axis.y - yx * yx, sum.y_axis.y);
    let zy = (sum.y_axis.z - yx * zx) / yy;
    let zz = root(sum.z_axis.z - zx * zx - zy * zy, sum.z_axis.z);
    DMat3::from_cols(DVec3::new(xx, yx, zx), DVec3::new(0.0, yy, zy), DVec3::new(0.0, 0.0, zz)).inverse()
}

/// A sparse matrix that grows by columns.
struct Columns {
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
}

impl Default for Columns {
    fn default() -> Self {
        Self { starts: vec![0], rows: Vec::new(), values: Vec::new() }
    }
}

impl Columns {
    /// Adds the first rows of a column, and one further down.
    fn add(&mut self, first: impl Iterator<Item = f64>, last: Option<(usize, f64)>) {
        for (row, value) in first.enumerate().chain(last).filter(|&(_, value)| value != 0.0) {
            self.rows.push(row);
            self.values.push(value);
        }
        self.starts.push(self.rows.len());
    }

    fn into_matrix(self, rows: usize) -> CscMatrix<f64> {
        CscMatrix::new(rows, self.starts.len() - 1, self.starts, self.rows, self.values)
    }
}

/// The solver's own scaling and refinement take a third of its time and gain nothing in these
/// units.
fn settings() -> DefaultSettings<f64> {
    DefaultSettings {
        verbose: false,
        tol_gap_abs: GAP,
        tol_gap_rel: GAP,
        tol_feas: GAP,
        reduced_tol_gap_abs: ALMOST,
        reduced_tol_gap_rel: ALMOST,
        reduced_tol_feas: ALMOST,
        equilibrate_enable: false,
        iterative_refinement_enable: false,
        presolve_enable: false,
        // Fixed, so that answers are the same whatever other crates of a build switch on.
        direct_solve_method: "qdldl".to_owned(),
        max_threads: 1,
        ..DefaultSettings::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::ConvexPolyhedron;
    use crate::volume::samples::Random;

    fn walls_of(points: &[DVec3]) -> Vec<Wall> {
        let hull = ConvexPolyhedron::hull_of(points).unwrap();
        let wall = |face: u32| {
            let normal = hull.face_normal(face);
            Wall { normal, offset: normal.dot(hull.vertex(hull.face(face)[0])) }
        };
        (0..hull.face_count() as u32).map(wall).collect()
    }

    /// All points whose coordinates are those of `point`, with any signs, in the three cyclic
    /// orders.
    fn cyclic(point: [f64; 3]) -> impl Iterator<Item = DVec3> {
        (0..24).map(move |i| {
            let signed: [f64; 3] = std::array::from_fn(|k| if i >> k & 1 == 0 { point[k] } else { -point[k] });
            DVec3::from_array(std::array::from_fn(|k| signed[(k + i / 8) % 3]))
        })
    }

    #[test]
    fn boxes_in_regular_bodies_are_the_known_ones() {
        let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
        let cube: Vec<DVec3> = cyclic([1.0, 1.0, 1.0]).collect();
        let octahedron: Vec<DVec3> = cyclic([1.0, 0.0, 0.0]).collect();
        let icosahedron: Vec<DVec3> = cyclic([0.0, 1.0, golden]).collect();
        let dodecahedron: Vec<DVec3> = cyclic([1.0, 1.0, 1.0]).chain(cyclic([0.0, 1.0 / golden, golden])).collect();
        // The walls of a dodecahedron are (0, ±1, ±φ) cyclically, at φ²: a box with equal halves
        // touches all of them and is a cube of half φ²/(1 + φ) = 1. Those of an icosahedron are
        // also (±1, ±1, ±1) at φ², where a cube has half φ²/3, and (0, ±1/φ, ±φ) at φ², where it
        // has φ²/(φ + 1/φ), which is more.
        let expected =
            [(cube, 1.0), (octahedron, 1.0 / 3.0), (dodecahedron, 1.0), (icosahedron, golden * golden / 3.0)];
        for (points, half) in expected {
            let inside = DVec3::new(0.05, -0.02, 0.03);
            let (center, found) = largest_box(&walls_of(&points), &DMat3::IDENTITY, inside).unwrap();
            assert!(center.length() < 1e-8, "{half}: {center}");
            assert!(found.distance(DVec3::splat(half)) < 1e-8, "{half}: {found}");
        }
    }

    #[test]
    fn in_a_hull_like_a_sphere_the_box_is_nearly_the_cube_of_the_sphere_and_the_sphere_all_of_it() {
        let mut random = Random(5);
        let points: Vec<DVec3> = (0..3000).filter_map(|_| random.vector().try_normalize()).collect();
        let walls = walls_of(&points);
        let axes = random.rotation();
        let (center, half) = largest_box(&walls, &axes, DVec3::ZERO).unwrap();
        assert!(center.length() < 0.02 && half.distance(DVec3::splat(1.0 / 3.0_f64.sqrt())) < 0.02, "{center} {half}");
        let (center, radius) = largest_sphere(&walls, DVec3::ZERO).unwrap();
        assert!(center.length() < 0.02 && (0.97..1.0).contains(&radius), "{center} {radius}");
    }

    #[test]
    fn no_box_of_another_shape_or_place_is_larger() {
        let mut random = Random(6);
        for _ in 0..40 {
            let scale = random.magnitude(-6.0, 6.0);
            let points: Vec<DVec3> = (0..4 + random.below(30)).map(|_| random.vector() * scale).collect();
            let Ok(hull) = ConvexPolyhedron::hull_of(&points) else { continue };
            let (walls, axes) = (walls_of(&points), random.rotation());
            let middle = hull.vertices().sum::<DVec3>() / hull.vertex_count() as f64;
            let (center, half) = largest_box(&walls, &axes, middle).unwrap();
            let room = |center: DVec3, half: DVec3| {
                let slack = |wall: &Wall| {
                    wall.offset - wall.normal.dot(center) - (axes.transpose() * wall.normal).abs().dot(half)
                };
                walls.iter().map(slack).fold(f64::INFINITY, f64::min)
            };
            assert!(room(center, half) > -1e-12 * scale);
            for _ in 0..300 {
                let (moved, grown) = (random.vector() * 0.05, random.vector() * 0.2);
                let other = half * (DVec3::ONE + grown);
                let larger = other.element_product() > half.element_product() * (1.0 + 1e-6);
                let fits = room(center + axes * (moved * half), other) >= 0.0;
                assert!(!(larger && fits), "{center} {half}");
            }
        }
    }

    #[test]
    fn a_point_outside_and_walls_without_end_have_no_largest_box() {
        let wall = |normal: DVec3| Wall { normal, offset: 1.0 };
        let some = [wall(DVec3::X), wall(-DVec3::X)];
        assert_eq!(largest_box(&some, &DMat3::IDENTITY, DVec3::X * 2.0), None);
        assert_eq!(largest_box(&[], &DMat3::IDENTITY, DVec3::ZERO), None);
        let slanted = [wall(DVec3::ONE.normalize()), wall(DVec3::new(-1.0, 2.0, 3.0).normalize())];
        assert_eq!(largest_box(&slanted, &DMat3::IDENTITY, DVec3::ZERO), None);
        assert_eq!(largest_sphere(&slanted, DVec3::ZERO), None);
        let endless = largest_box(&some, &DMat3::IDENTITY, DVec3::ZERO);
        assert!(endless.is_none_or(|(center, half)| center.is_finite() && half.x < 1.0), "{endless:?}");
    }
}
