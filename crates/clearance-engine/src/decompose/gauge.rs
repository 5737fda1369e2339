//! The error of a convex part (its concavity): a certified upper bound of the directed Hausdorff
//! distance from the part to the solid.
//!
//! Branch and bound over tetrahedra, the worst one first. A convex cell Q is bounded by the least
//! of:
//! * the distance of its centroid from the solid plus its radius, since distances change no faster
//!   than places;
//! * the distance of its vertices from one triangle of the surface: the distance from a convex set
//!   is largest at a vertex;
//! * the *star* bounds, which find what Q has beyond the surface without cutting Q along that. Let
//!   y be a point of Q in the solid, and x one of Q outside. The segment from y to x leaves the
//!   solid for the last time at a point z of some triangle T that meets Q.
//!   1. Along any direction n in which all of T is above y, x is above z, and
//!      |x − z| = |x − y| (x − z)·n / (x − y)·n, which grows with x·n and falls with z·n: it is at
//!      most |x − y| (h − l) / (h − y·n), h being the support of Q and l that of T's lowest vertex.
//!      T's own normal bounds triangles that Q is behind, the normals of Q's faces bound those that
//!      touch Q from outside.
//!   2. The ray from y through x leaves Q at a point f of some face F. It passes T, so f is in the
//!      cone from y over T, and above T's plane since y is below. F clipped by these four planes is a
//!      convex polygon. The distance from T is convex, 0 at z, and x is between z and f. So no x is
//!      farther from T than the farthest vertex of that polygon. This bound sees that the pocket of
//!      a concave edge ends where the next triangle begins, which the first does not.
//!
//!   Segments through edges are limits of others, and ones through triangles without an area too.
//!
//! A pair (F, T) whose bound is too large leaves a *pocket*: the polygon on F, and where the rays
//! to its vertices pass T. Pockets are what is searched further, cut into tetrahedra. A tetrahedron
//! without pockets, since its centroid is outside, is cut at its longest edge.
//!
//! Rounding: clipping planes are moved outward by more than their heights' error, which for a
//! plane through y and an edge of T grows as that edge is seen at a smaller angle.

use super::Scale;
use super::budget::Ledger;
use crate::math::DVec3;
use crate::query::{Nearest, Surface};
use crate::shape::{Convex, ConvexPolyhedron, crossing};
use crate::{Result, TriMesh, Triangle};
use smallvec::SmallVec;
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::sync::Arc;

/// The maximum number of tetrahedra that the search evaluates for each face of the part, and the
/// least such limit.
const CELLS_A_FACE: usize = 8;
const LEAST_CELLS: usize = 1000;
/// The ratio of bound to found distance at which a bound is good enough.
const CLOSE: f64 = 1.05;
/// The maximum number of pockets whose distances the search evaluates before it cuts any of them.
const MAX_SAMPLES: usize = 64;
/// Pockets replace a tetrahedron if they bound it by a smaller share than this; else the search
/// halves it.
const PROGRESS: f64 = 0.75;
/// The cost of a query of the mesh's hierarchy, in evaluations of one facet.
const QUERY: u64 = 30;

/// The faces of a tetrahedron.
const FACES: [[u32; 3]; 4] = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]];

/// Measures the errors of parts against one mesh.
pub(super) struct Gauge {
    surface: Surface,
    facets: Vec<Facet>,
    scale: Scale,
}

/// The distance of a part's farthest point from the solid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Measured {
    /// A certified bound: no point is farther than this.
    pub upper: f64,
    /// Some point is as far, up to rounding.
    pub found: f64,
}

/// The precision of a measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Precision {
    /// Until it is decided whether the part is within the sufficient error.
    Verdict,
    /// Until the upper bound is near to the found distance, or within the sufficient error.
    Tight,
}

/// A triangle that has an area.
struct Facet {
    triangle: Triangle,
    /// The normal, of unit length; zero where rounding hides it.
    normal: DVec3,
    low: DVec3,
    high: DVec3,
}

/// A convex set with the normals of its faces.
struct Cell<'a, S> {
    /// The support function.
    height: S,
    normals: Vec<DVec3>,
    vertices: &'a [DVec3],
    /// The surface, as indices into `vertices`.
    faces: &'a [[u32; 3]],
    low: DVec3,
    high: DVec3,
    /// A point of the solid in the cell, and an upper bound of the distance of any point of the
    /// cell from it.
    from: DVec3,
    radius: f64,
    /// The sufficient error.
    enough: f64,
}

type Polygon = SmallVec<[DVec3; 8]>;

/// A pocket: the part of a cell beyond one facet, on the rays that leave the cell through one face,
/// between two polygons.
struct Pocket {
    bound: f64,
    /// On the cell's face.
    far: Polygon,
    /// On the same rays, at the facet or before it.
    near: Polygon,
}

/// The part of a cell that the star bounds leave open.
struct Star {
    /// An upper bound of the distance of any point outside that is in no pocket.
    rest: f64,
    pockets: Vec<Pocket>,
}

struct Tetrahedron {
    bound: f64,
    tips: [DVec3; 4],
    /// All of it that may be farther than the sufficient error from the solid, where that is better
    /// than its halves.
    pockets: Option<Vec<Pocket>>,
    /// The facets that may meet it, and others.
    near: Rc<Vec<u32>>,
    /// A sphere that the surface does not enter, and whether the sphere is inside of the solid.
    clear: Clear,
}

#[derive(Clone, Copy)]
struct Clear {
    center: DVec3,
    radius: f64,
    inside: bool,
    /// The triangle of the surface nearest to the centre.
    triangle: Triangle,
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

/// The state of a branch and bound.
struct Search {
    heap: BinaryHeap<Tetrahedron>,
    /// An upper bound of the distance of all points that are in no tetrahedron of the heap.
    rest: f64,
    found: f64,
    enough: f64,
}

impl Search {
    fn upper(&self) -> f64 {
        self.heap.peek().map_or(self.rest, |worst| worst.bound.max(self.rest))
    }
}

impl Gauge {
    pub fn new(mesh: &TriMesh, scale: Scale) -> Self {
        let facet = |i: u32| {
            let triangle = mesh.triangle(i);
            let [p, q, r] = triangle.0;
            let normal = triangle.scaled_normal().normalize_or_zero();
            (!triangle.is_degenerate()).then(|| Facet { triangle, normal, low: p.min(q).min(r), high: p.max(q).max(r) })
        };
        let facets = (0..mesh.len() as u32).filter_map(facet).collect();
        Self { surface: Surface::new(Arc::new(mesh.clone())), facets, scale }
    }

    /// Whether the mesh winds around a point.
    pub fn contains(&self, point: DVec3, ledger: &mut Ledger<'_>) -> bool {
        ledger.spend(QUERY);
        self.surface.winding_number(point) != 0
    }

    fn distance(&self, point: DVec3, ledger: &mut Ledger<'_>) -> Nearest {
        ledger.spend(QUERY);
        let nearest = self.surface.nearest(point);
        let slack = self.scale.slack;
        Nearest { lower: (nearest.lower - slack).max(0.0), upper: nearest.upper + slack, ..nearest }
    }

    /// Measures the largest distance of any point of a part from the solid. If that is no more than
    /// `enough`, the upper bound may be as much.
    pub fn measure(
        &self,
        part: &ConvexPolyhedron,
        enough: f64,
        precision: Precision,
        ledger: &mut Ledger<'_>,
    ) -> Result<Measured> {
        // The vertices are rounded, and so is every distance.
        let rounding = 4.0 * self.scale.slack;
        let enough = (enough - rounding).max(0.0);
        let vertices: Vec<DVec3> = part.vertices().collect();
        let middle = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
        let (low, high) = bounds(&vertices);
        let near: Rc<Vec<u32>> =
            Rc::new((0..self.facets.len() as u32).filter(|&i| self.is_near(i, low, high)).collect());
        ledger.spend(self.facets.len() as u64 / 8);
        let surface = part.surface()?;
        let faces = surface.triangles();
        let mut search = Search { heap: BinaryHeap::new(), rest: 0.0, found: 0.0, enough };
        let limit = LEAST_CELLS.max(CELLS_A_FACE * faces.len());
        if self.contains(middle, ledger) {
            let cell = Cell {
                height: |n: DVec3| part.center().dot(n) + part.support(n).dot(n),
                normals: (0..part.face_count() as u32).map(|face| part.face_normal(face)).collect(),
                vertices: &vertices,
                faces,
                low,
                high,
                from: middle,
                radius: vertices.iter().map(|vertex| vertex.distance(middle)).fold(0.0, f64::max),
                enough,
            };
            let mut star = self.star(&cell, &near, ledger);
            search.rest = star.rest;
            star.pockets.sort_by(|p, q| q.bound.total_cmp(&p.bound));
            let upper = star.pockets.first().map_or(star.rest, |worst| worst.bound);
            self.sample(&star.pockets, &mut search, ledger);
            if ledger.is_over() || (precision == Precision::Verdict && search.found > enough) {
                return Ok(Measured { upper: upper + rounding, found: search.found });
            }
            for pocket in &star.pockets {
                self.open(pocket, &near, None, &mut search, ledger);
            }
        } else {
            for face in faces {
                let [p, q, r] = face.map(|i| vertices[i as usize]);
                self.push([p, q, r, middle], f64::INFINITY, &near, None, &mut search, ledger);
            }
        }
        let mut evaluated = 0;
        while let Some(worst) = search.heap.peek() {
            let is_known = search.found > enough && precision == Precision::Verdict;
            let is_close =
                worst.bound <= enough || (precision == Precision::Tight && worst.bound <= CLOSE * search.found);
            if is_known || is_close || evaluated >= limit || ledger.is_over() {
                break;
            }
            let Some(worst) = search.heap.pop() else { break };
            match &worst.pockets {
                Some(pockets) => {
                    for pocket in pockets {
                        evaluated += 3 * (pocket.far.len() - 2);
                        self.open(pocket, &worst.near, Some(worst.clear), &mut search, ledger);
                    }
                }
                None => {
                    for half in bisect(&worst.tips) {
                        evaluated += 1;
                        self.push(half, worst.bound, &worst.near, Some(worst.clear), &mut search, ledger);
                    }
                }
            }
        }
        Ok(Measured { upper: search.upper() + rounding, found: search.found })
    }

    /// Evaluates the distances of the farthest points in the worst pockets, which are in order.
    fn sample(&self, pockets: &[Pocket], search: &mut Search, ledger: &mut Ledger<'_>) {
        for pocket in pockets.iter().take(MAX_SAMPLES).take_while(|pocket| pocket.bound > search.enough) {
            if pocket.bound <= search.found {
                break;
            }
            let point = pocket.far.iter().sum::<DVec3>() / pocket.far.len() as f64;
            for &point in pocket.far.iter().chain([&point]) {
                let distance = self.distance(point, ledger);
                if distance.lower > search.found && !self.contains(point, ledger) {
                    search.found = distance.lower;
                }
            }
        }
    }

    /// Searches a pocket: a prism between its polygons for each triangle of these.
    fn open(
        &self,
        pocket: &Pocket,
        near: &Rc<Vec<u32>>,
        clear: Option<Clear>,
        search: &mut Search,
        ledger: &mut Ledger<'_>,
    ) {
        for i in 1..pocket.far.len() - 1 {
            let [a, b, c] = [0, i, i + 1].map(|i| pocket.far[i]);
            let [d, e, f] = [0, i, i + 1].map(|i| pocket.near[i]);
            for tips in [[a, b, c, d], [b, c, d, e], [c, d, e, f]] {
                self.push(tips, pocket.bound, near, clear, search, ledger);
            }
        }
    }

    /// Bounds a tetrahedron, and pushes it onto the heap if that is not enough.
    fn push(
        &self,
        tips: [DVec3; 4],
        parent: f64,
        near: &Rc<Vec<u32>>,
        known: Option<Clear>,
        search: &mut Search,
        ledger: &mut Ledger<'_>,
    ) {
        let middle = tips.iter().sum::<DVec3>() / 4.0;
        let radius = tips.iter().map(|vertex| vertex.distance(middle)).fold(0.0, f64::max);
        let mut inside = None;
        if let Some(clear) = known {
            let away = middle.distance(clear.center) + self.scale.slack;
            if away < clear.radius {
                inside = Some(clear.inside);
            }
            if clear.inside && away + radius < clear.radius {
                return;
            }
            let bound = triangle_bound(&clear.triangle, &tips).min(parent);
            if bound <= search.enough {
                search.rest = search.rest.max(bound);
                return;
            }
        }
        let distance = self.distance(middle, ledger);
        let triangle = self.surface.mesh().triangle(distance.triangle);
        let inside = inside.unwrap_or_else(|| self.contains(middle, ledger));
        if !inside {
            search.found = search.found.max(distance.lower);
        }
        // A sphere inside of the solid about the middle belongs to it.
        let sphere = if inside { (radius - distance.lower).max(0.0) } else { distance.upper + radius };
        let bound = sphere.min(triangle_bound(&triangle, &tips)).min(parent);
        let clear = Clear { center: middle, radius: distance.lower, inside, triangle };
        let mut cell = Tetrahedron { bound, tips, pockets: None, near: near.clone(), clear };
        if inside && bound > search.enough {
            let (low, high) = bounds(&tips);
            cell.near = Rc::new(near.iter().copied().filter(|&i| self.is_near(i, low, high)).collect());
            let tetrahedron = Cell {
                height: |n: DVec3| tips.iter().map(|vertex| vertex.dot(n)).fold(f64::NEG_INFINITY, f64::max),
                normals: outward_normals(&tips, middle),
                vertices: &tips,
                faces: &FACES,
                low,
                high,
                from: middle,
                radius,
                enough: search.enough,
            };
            let star = self.star(&tetrahedron, &cell.near, ledger);
            let worst = star.pockets.iter().map(|pocket| pocket.bound).fold(star.rest, f64::max);
            cell.bound = bound.min(worst);
            if worst <= PROGRESS * bound {
                search.rest = search.rest.max(star.rest);
                cell.pockets = Some(star.pockets);
            }
        }
        if cell.bound <= search.enough {
            search.rest = search.rest.max(cell.bound);
        } else {
            search.heap.push(cell);
        }
    }

    /// The star bounds of the head.
    fn star<S: Fn(DVec3) -> f64>(&self, cell: &Cell<'_, S>, near: &[u32], ledger: &mut Ledger<'_>) -> Star {
        let slack = self.scale.slack;
        let (from, enough) = (cell.from, cell.enough);
        let share = |facet: &Facet, n: DVec3, height: f64| {
            let lowest = facet.triangle.0.iter().map(|vertex| vertex.dot(n)).fold(f64::INFINITY, f64::min);
            if lowest > height + slack {
                return 0.0;
            }
            let (beyond, depth) = (height - lowest + 2.0 * slack, height - from.dot(n) - 2.0 * slack);
            if depth > 0.0 { (beyond / depth).clamp(0.0, 1.0) } else { 1.0 }
        };
        let walls: Vec<(DVec3, f64)> = cell.normals.iter().map(|&n| (n, (cell.height)(n))).collect();
        let mut star = Star { rest: 0.0, pockets: Vec::new() };
        ledger.spend(near.len() as u64);
        for &i in near {
            let facet = &self.facets[i as usize];
            if !self.is_near(i, cell.low, cell.high) {
                continue;
            }
            let up = if facet.normal.dot(from - facet.triangle.0[0]) > 0.0 { -facet.normal } else { facet.normal };
            let mut least = if up == DVec3::ZERO { 1.0 } else { share(facet, up, (cell.height)(up)) };
            for &(n, height) in &walls {
                if least * cell.radius <= star.rest.max(enough * 1e-6) {
                    break;
                }
                least = least.min(share(facet, n, height));
            }
            let bound = least * cell.radius + slack;
            if bound > enough {
                self.pockets_beyond(facet, up, cell, bound, &mut star, ledger);
            } else {
                star.rest = star.rest.max(bound);
            }
        }
        star
    }

    /// The second star bound of one facet, for each face of a cell.
    fn pockets_beyond<S>(
        &self,
        facet: &Facet,
        up: DVec3,
        cell: &Cell<'_, S>,
        parent: f64,
        star: &mut Star,
        ledger: &mut Ledger<'_>,
    ) {
        let slack = self.scale.slack;
        let from = cell.from;
        let tips = facet.triangle.0.map(|corner| corner - from);
        // Half-spaces with all of the cone, as the normal and the least height above the apex.
        let mut planes: SmallVec<[(DVec3, f64); 4]> = SmallVec::new();
        let lowest = tips.iter().map(|corner| corner.dot(up)).fold(f64::INFINITY, f64::min) - 2.0 * slack;
        if lowest > 0.0 {
            planes.push((up, lowest));
        }
        for (a, b, c) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
            let across = tips[a].cross(tips[b]);
            let (twice_area, sides) = (across.length(), tips[a].length() + tips[b].length());
            let margin = slack * (1.0 + cell.radius * sides / twice_area);
            let normal = across / twice_area;
            let third = normal.dot(tips[c]);
            // Not where the facet is seen edge-on, or where that is NaN. Its third vertex may be
            // farther than the cell, and its height is as much less certain.
            let sure = slack * (1.0 + cell.radius.max(tips[c].length()) * sides / twice_area);
            if third.abs() > sure {
                planes.push((normal * third.signum(), -margin));
            }
        }
        // A bit for each half-space that does not contain a vertex.
        let code = |vertex: &DVec3| {
            let outside =
                |(i, (normal, least)): (usize, &(DVec3, f64))| u8::from((*vertex - from).dot(*normal) < *least) << i;
            planes.iter().enumerate().map(outside).sum()
        };
        let codes: SmallVec<[u8; 64]> = cell.vertices.iter().map(code).collect();
        ledger.spend(cell.faces.len() as u64);
        for face in cell.faces {
            if face.iter().fold(u8::MAX, |common, &i| common & codes[i as usize]) != 0 {
                continue;
            }
            let Some(far) = clipped(face.map(|i| cell.vertices[i as usize]), from, &planes) else { continue };
            let bound = far.iter().map(|&point| distance_from(&facet.triangle, point)).fold(0.0, f64::max);
            let bound = (bound + slack).min(parent);
            if bound <= cell.enough {
                star.rest = star.rest.max(bound);
                continue;
            }
            let at_facet = |&point: &DVec3| {
                let share = (lowest - slack) / (point - from).dot(up);
                from + (point - from) * if share > 0.0 { share.min(1.0) } else { 0.0 }
            };
            star.pockets.push(Pocket { bound, near: far.iter().map(at_facet).collect(), far });
        }
    }

    /// Whether a facet's box may overlap the box with these corners.
    fn is_near(&self, facet: u32, low: DVec3, high: DVec3) -> bool {
        let Facet { low: from, high: to, .. } = &self.facets[facet as usize];
        let slack = DVec3::splat(self.scale.slack);
        (low - slack).cmple(*to).all() && from.cmple(high + slack).all()
    }
}

/// Clips a triangle by half-spaces whose heights are above a point; `None` if nothing is left.
fn clipped(triangle: [DVec3; 3], from: DVec3, planes: &[(DVec3, f64)]) -> Option<Polygon> {
    let mut polygon = Polygon::from_slice(&triangle);
    for (normal, least) in planes {
        let height = |point: DVec3| (point - from).dot(*normal) - least;
        if polygon.iter().all(|&vertex| height(vertex) >= 0.0) {
            continue;
        }
        let mut left = Polygon::new();
        for (i, &vertex) in polygon.iter().enumerate() {
            let next = polygon[(i + 1) % polygon.len()];
            let (here, there) = (height(vertex), height(next));
            if here >= 0.0 {
                left.push(vertex);
            }
            if here * there < 0.0 {
                left.push(crossing(vertex, here, next, there));
            }
        }
        if left.len() < 3 {
            return None;
        }
        polygon = left;
    }
    Some(polygon)
}

/// An upper bound of the distance of any point of a tetrahedron from a triangle.
fn triangle_bound(triangle: &Triangle, tips: &[DVec3; 4]) -> f64 {
    tips.iter().map(|&vertex| distance_from(triangle, vertex)).fold(0.0, f64::max)
}

fn distance_from(triangle: &Triangle, point: DVec3) -> f64 {
    let offset = point - triangle.0[0];
    (offset - triangle.nearest(offset)).length()
}

fn bounds(points: &[DVec3]) -> (DVec3, DVec3) {
    points.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)))
}

/// Cuts a tetrahedron in two at the middle of its longest edge.
fn bisect(tips: &[DVec3; 4]) -> [[DVec3; 4]; 2] {
    let mut longest = (0, 1);
    for (i, j) in [(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        if tips[i].distance_squared(tips[j]) > tips[longest.0].distance_squared(tips[longest.1]) {
            longest = (i, j);
        }
    }
    let middle = (tips[longest.0] + tips[longest.1]) / 2.0;
    let (mut first, mut second) = (*tips, *tips);
    first[longest.0] = middle;
    second[longest.1] = middle;
    [first, second]
}

/// The normals of a tetrahedron's faces, of unit length, without those of degenerate faces.
fn outward_normals(tips: &[DVec3; 4], middle: DVec3) -> Vec<DVec3> {
    let normal = |face: [u32; 3]| {
        let face = face.map(|i| tips[i as usize]);
        let normal = Triangle(face).scaled_normal().try_normalize()?;
        Some(if normal.dot(face[0] - middle) < 0.0 { -normal } else { normal })
    };
    FACES.into_iter().filter_map(normal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    /// A prism of this outline, which is a fan about its first vertex.
    fn prism(outline: &[(f64, f64)]) -> TriMesh {
        let count = outline.len() as u32;
        let at = |z: f64| outline.iter().map(move |&(x, y)| DVec3::new(x, y, z));
        let mut triangles = Vec::new();
        for i in 1..count - 1 {
            triangles.extend([[0, i + 1, i], [count, count + i, count + i + 1]]);
        }
        for i in 0..count {
            let j = (i + 1) % count;
            triangles.extend([[i, j, j + count], [i, j + count, i + count]]);
        }
        TriMesh::new(at(0.0).chain(at(1.0)).collect(), triangles).unwrap()
    }

    /// A part whose middle is on a turned facet, near one of its edges: rounding decides on which
    /// side of it the facet is seen.
    #[test]
    fn a_part_about_a_point_of_a_facet_has_no_error_below_that_of_its_vertices() {
        let mut observer = |_: &_| ControlFlow::Continue(());
        let mut ledger = Ledger::new(u64::MAX, &mut observer);
        let (mut random, mut judged) = (crate::volume::samples::Random(5), 0);
        let solid = [(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.4, -1.0)];
        let low = -1.0 / 3.0;
        let about = [(0.0, 0.0, 1.0), (0.9428, 0.0, low), (-0.4714, 0.8165, low), (-0.4714, -0.8165, low)];
        for _ in 0..2000 {
            let turn = random.rotation();
            let vertices = solid.map(|vertex| turn * DVec3::from(vertex)).to_vec();
            let mesh = TriMesh::new(vertices, vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]).unwrap();
            let largest = mesh.vertices().iter().fold(DVec3::ZERO, |max, vertex| max.max(vertex.abs()));
            let gauge = Gauge::new(&mesh, Scale::of(largest));
            let inside = random.magnitude(-7.0, -2.5);
            let radius = random.magnitude(-6.0, -2.0).min(0.3 * inside);
            let place = DVec3::new(0.3 * random.signed(), inside, 0.0);
            let points = about.map(|point| turn * (place + DVec3::from(point) * radius));
            let part = ConvexPolyhedron::hull_of(&points).unwrap();
            if !gauge.contains(part.vertices().sum::<DVec3>() / 4.0, &mut ledger) {
                continue;
            }
            judged += 1;
            let outside = points.iter().filter(|&&point| gauge.surface.winding_number(point) == 0);
            let error = outside.map(|&point| gauge.surface.nearest(point).lower).fold(0.0, f64::max);
            for precision in [Precision::Verdict, Precision::Tight] {
                let measured = gauge.measure(&part, 1e-10, precision, &mut ledger).unwrap();
                assert!(measured.upper >= 0.999 * error, "{measured:?}, but {error}: {inside} {radius}");
            }
        }
        assert!(judged > 300, "{judged}");
    }

    #[test]
    fn a_concave_edge_is_bounded_without_cutting_along_it() {
        let mut observer = |_: &_| ControlFlow::Continue(());
        for depth in [0.5, 0.1, 0.01, 0.001] {
            // A box with a notch along its upper face.
            let mesh = prism(&[(0.0, 1.0 - depth), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (1.0, 1.0)]);
            let scale = Scale::of(DVec3::ONE);
            let hull = ConvexPolyhedron::hull_of(mesh.vertices()).unwrap();
            let mut ledger = Ledger::new(u64::MAX, &mut observer);
            // Of the notch's opening, the middle is the farthest.
            let farthest = depth / (1.0 + depth * depth).sqrt();
            for (enough, precision) in [(1.0001 * farthest, Precision::Verdict), (1e-9, Precision::Tight)] {
                let before = ledger.spent();
                let measured = Gauge::new(&mesh, scale).measure(&hull, enough, precision, &mut ledger).unwrap();
                assert!(
                    measured.upper >= farthest && measured.upper <= CLOSE * 1.0001 * farthest,
                    "{measured:?} {depth}"
                );
                assert!(measured.found <= farthest * 1.000001, "{measured:?}");
                let work = ledger.spent() - before;
                // Some thousands; cells cut down to the error along the edge are millions.
                assert!(work < if precision == Precision::Verdict { 10_000 } else { 100_000 }, "{depth}: {work}");
            }
            let seen =
                Gauge::new(&mesh, scale).measure(&hull, 0.9 * farthest, Precision::Verdict, &mut ledger).unwrap();
            assert!(seen.found > 0.9 * farthest && seen.upper >= farthest, "{seen:?}");
        }
    }
}
