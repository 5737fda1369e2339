//! How far the points of a convex part may be from a solid: certified from above.
//!
//! Branch and bound over tetrahedra, from the part's faces to a point in its middle, the worst one first, each cut at its longest edge.
//! A convex cell Q is bounded by the least of:
//! * the distance of its middle from the solid and its radius, since distances change no faster than places;
//! * the distance of its corners from one triangle of the surface: the distance from a convex set is largest at a corner;
//! * the *star* bound, which finds that a cell has nothing beyond the surface without cutting it along that. Let y be a point of Q in the
//!   solid, and x one of Q beyond the surface. The segment from x to y enters the solid at a point z of some triangle T that meets Q.
//!   Along any direction n in which all of T is above y, x is above z, and |x − z| = |x − y| (x − z)·n / (x − y)·n, which grows with x·n and falls
//!   with z·n: it is at most |x − y| (h − l) / (h − y·n), h being the height of Q and l that of the lowest corner of T. T's own normal tells it for
//!   triangles that Q is behind, the normals of Q's faces for those that touch Q from outside.
//!   Segments through edges are limits of others, and ones through triangles without an area too.

use super::Scale;
use crate::bank::Bank;
use crate::descent::Workspace;
use crate::math::DVec3;
use crate::query::{Distance, DistanceRequest, winding_number};
use crate::shape::{Ball, Convex, ConvexPolyhedron};
use crate::tree::{Mesh, Solid};
use crate::{Pose, Result, TriMesh, Triangle};
use std::collections::BinaryHeap;
use std::rc::Rc;

/// As many tetrahedra are looked at for each that the part has at first, and at least.
const CELLS_A_FACE: usize = 8;
const LEAST_CELLS: usize = 4000;
/// A bound that is as near to what was found somewhere is good enough.
const CLOSE: f64 = 1.05;

/// As many faces are looked at for a first impression.
const MOST_SAMPLES: usize = 300;

/// Measures parts against one mesh.
pub(super) struct Gauge {
    mesh: Mesh,
    bank: Bank,
    workspace: Workspace,
    facets: Vec<Facet>,
    scale: Scale,
}

/// A triangle that has an area.
struct Facet {
    triangle: Triangle,
    /// Of unit length; zero where rounding does not tell.
    normal: DVec3,
    low: DVec3,
    high: DVec3,
}

/// A convex set with the directions across its faces.
struct Cell<S> {
    /// How high it reaches along a direction.
    height: S,
    normals: Vec<DVec3>,
    low: DVec3,
    high: DVec3,
}

struct Tetrahedron {
    bound: f64,
    corners: [DVec3; 4],
    /// The facets that may meet it, and others.
    near: Rc<Vec<u32>>,
}

impl PartialEq for Tetrahedron {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Tetrahedron {}

impl PartialOrd for Tetrahedron {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Tetrahedron {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.bound.total_cmp(&other.bound)
    }
}

/// The distance of a point from the surface of a mesh.
pub(super) fn distance_to(mesh: &Mesh, point: DVec3, bank: &Bank, workspace: &mut Workspace) -> Result<Distance> {
    let ball = Solid::new(Ball::about(point, 0.0));
    bank.plan(mesh, &ball)?.distance(&Pose::IDENTITY, &DistanceRequest::default(), workspace, None)
}

impl Gauge {
    pub fn new(mesh: &TriMesh, scale: Scale) -> Result<Self> {
        let facet = |i: u32| {
            let triangle = mesh.triangle(i);
            let [p, q, r] = triangle.0;
            let normal = triangle.scaled_normal().normalize_or_zero();
            (!triangle.is_degenerate()).then(|| Facet { triangle, normal, low: p.min(q).min(r), high: p.max(q).max(r) })
        };
        Ok(Self {
            facets: (0..mesh.len() as u32).filter_map(facet).collect(),
            mesh: Mesh::new(mesh.clone())?,
            bank: Bank::standard(),
            workspace: Workspace::default(),
            scale,
        })
    }

    /// Whether the mesh winds around a point.
    pub fn contains(&mut self, point: DVec3) -> bool {
        winding_number(&self.mesh, point, &mut self.workspace) != 0
    }

    /// The largest distance from the solid of some points of a part, if it is certainly more than `enough`: quick, for what is far off.
    pub fn seen_above(&mut self, part: &ConvexPolyhedron, enough: f64) -> Result<Option<f64>> {
        let middle = part.vertices().sum::<DVec3>() / part.vertex_count() as f64;
        let surface = part.surface()?;
        let mut worst = 0.0_f64;
        for i in (0..surface.len()).step_by(surface.len().div_ceil(MOST_SAMPLES)) {
            let on_face = surface.triangle(i as u32).centroid();
            for point in [on_face, on_face + (middle - on_face) * 0.5] {
                let distance = distance_to(&self.mesh, point, &self.bank, &mut self.workspace)?;
                if distance.lower > worst.max(enough) && !self.contains(point) {
                    worst = distance.lower;
                }
            }
        }
        Ok((worst > 0.0).then_some(worst))
    }

    /// At least how far any point of a part is from the solid; not much more than the largest distance, or than `enough`.
    pub fn error_of(&mut self, part: &ConvexPolyhedron, enough: f64) -> Result<f64> {
        // The corners are rounded, and so is every distance.
        let rounding = 4.0 * self.scale.slack;
        let corners: Vec<DVec3> = part.vertices().collect();
        let middle = corners.iter().sum::<DVec3>() / corners.len() as f64;
        let (low, high) = bounds(&corners);
        let near: Rc<Vec<u32>> =
            Rc::new((0..self.facets.len() as u32).filter(|&i| self.is_near(i, low, high)).collect());
        let mut whole = f64::INFINITY;
        if self.contains(middle) {
            let normals = (0..part.face_count() as u32).map(|face| part.face_normal(face)).collect();
            let height = |n: DVec3| part.center().dot(n) + part.farthest(n).dot(n);
            let reach = corners.iter().map(|corner| corner.distance(middle)).fold(0.0, f64::max);
            whole = self.star_bound(&Cell { height, normals, low, high }, middle, reach, &near, enough);
        }
        if whole <= enough {
            return Ok(whole + rounding);
        }
        Ok(self.search(part, middle, &near, enough)?.min(whole) + rounding)
    }

    /// The branch and bound.
    fn search(&mut self, part: &ConvexPolyhedron, apex: DVec3, near: &Rc<Vec<u32>>, enough: f64) -> Result<f64> {
        let (mut heap, mut found) = (BinaryHeap::new(), 0.0_f64);
        for triangle in part.surface()?.triangles() {
            let [p, q, r] = triangle.map(|i| part.vertex(i));
            let (cell, at_middle) = self.bounded([p, q, r, apex], f64::INFINITY, near, enough)?;
            heap.push(cell);
            found = found.max(at_middle);
        }
        let mut left = LEAST_CELLS.max(CELLS_A_FACE * heap.len());
        while let Some(worst) = heap.pop() {
            if worst.bound <= enough.max(CLOSE * found) || left == 0 {
                return Ok(worst.bound);
            }
            left -= 1;
            for half in halves(&worst.corners) {
                let (cell, at_middle) = self.bounded(half, worst.bound, &worst.near, enough)?;
                heap.push(cell);
                found = found.max(at_middle);
            }
        }
        Ok(0.0)
    }

    /// A tetrahedron with its bound, and how far its middle is from the solid at least.
    fn bounded(
        &mut self,
        corners: [DVec3; 4],
        parent: f64,
        near: &Rc<Vec<u32>>,
        enough: f64,
    ) -> Result<(Tetrahedron, f64)> {
        let middle = corners.iter().sum::<DVec3>() / 4.0;
        let radius = corners.iter().map(|corner| corner.distance(middle)).fold(0.0, f64::max);
        let distance = distance_to(&self.mesh, middle, &self.bank, &mut self.workspace)?;
        let inside = self.contains(middle);
        // Of the middle, an inner ball belongs to the solid.
        let mut bound = if inside { (radius - distance.lower).max(0.0) } else { distance.upper + radius };
        if let Some((leaf, _)) = distance.witness.and_then(|witness| witness.leaves) {
            let triangle = self.mesh.soup().triangle(leaf);
            let from = |corner: DVec3| (corner - triangle.0[0] - triangle.nearest(corner - triangle.0[0])).length();
            bound = bound.min(corners.into_iter().map(from).fold(0.0, f64::max));
        }
        let mut cell = Tetrahedron { bound: bound.min(parent), corners, near: near.clone() };
        if inside && cell.bound > enough {
            let (low, high) = bounds(&corners);
            cell.near = Rc::new(near.iter().copied().filter(|&i| self.is_near(i, low, high)).collect());
            let height = |n: DVec3| corners.iter().map(|corner| corner.dot(n)).fold(f64::NEG_INFINITY, f64::max);
            let tetrahedron = Cell { height, normals: outward_normals(&corners, middle), low, high };
            cell.bound = cell.bound.min(self.star_bound(&tetrahedron, middle, radius, &cell.near, enough));
        }
        Ok((cell, if inside { 0.0 } else { distance.lower }))
    }

    /// The star bound of the head, from a point of the solid in the cell, of which no point of the cell is farther than `reach`.
    fn star_bound<S: Fn(DVec3) -> f64>(
        &self,
        cell: &Cell<S>,
        from: DVec3,
        reach: f64,
        near: &[u32],
        enough: f64,
    ) -> f64 {
        let slack = self.scale.slack;
        let share = |facet: &Facet, n: DVec3, height: f64| {
            let lowest = facet.triangle.0.iter().map(|corner| corner.dot(n)).fold(f64::INFINITY, f64::min);
            if lowest > height + slack {
                return 0.0;
            }
            let (beyond, depth) = (height - lowest + 2.0 * slack, height - from.dot(n) - 2.0 * slack);
            if depth > 0.0 { (beyond / depth).clamp(0.0, 1.0) } else { 1.0 }
        };
        let walls: Vec<(DVec3, f64)> = cell.normals.iter().map(|&n| (n, (cell.height)(n))).collect();
        let mut worst = 0.0_f64;
        for &i in near {
            let facet = &self.facets[i as usize];
            if !self.is_near(i, cell.low, cell.high) {
                continue;
            }
            let up = if facet.normal.dot(from - facet.triangle.0[0]) > 0.0 { -facet.normal } else { facet.normal };
            let mut least = if up == DVec3::ZERO { 1.0 } else { share(facet, up, (cell.height)(up)) };
            for &(n, height) in &walls {
                if least * reach <= worst.max(enough * 1e-6) {
                    break;
                }
                least = least.min(share(facet, n, height));
            }
            worst = worst.max(least * reach);
        }
        worst + slack
    }

    /// Whether a facet's box may meet one with these corners.
    fn is_near(&self, facet: u32, low: DVec3, high: DVec3) -> bool {
        let Facet { low: from, high: to, .. } = &self.facets[facet as usize];
        let slack = DVec3::splat(self.scale.slack);
        (low - slack).cmple(*to).all() && from.cmple(high + slack).all()
    }
}

fn bounds(points: &[DVec3]) -> (DVec3, DVec3) {
    points.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)))
}

/// The two parts of a tetrahedron that is cut at the middle of its longest edge.
fn halves(corners: &[DVec3; 4]) -> [[DVec3; 4]; 2] {
    let mut longest = (0, 1);
    for (i, j) in [(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        if corners[i].distance_squared(corners[j]) > corners[longest.0].distance_squared(corners[longest.1]) {
            longest = (i, j);
        }
    }
    let middle = (corners[longest.0] + corners[longest.1]) / 2.0;
    let (mut first, mut second) = (*corners, *corners);
    first[longest.0] = middle;
    second[longest.1] = middle;
    [first, second]
}

/// The normals of a tetrahedron's faces, of unit length; what has none is left out.
fn outward_normals(corners: &[DVec3; 4], middle: DVec3) -> Vec<DVec3> {
    let normal = |[a, b, c]: [usize; 3]| {
        let normal = Triangle([corners[a], corners[b], corners[c]]).scaled_normal().try_normalize()?;
        Some(if normal.dot(corners[a] - middle) < 0.0 { -normal } else { normal })
    };
    [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]].into_iter().filter_map(normal).collect()
}
