//! The convex hull of points by quickhull, with exact predicates.
//!
//! Quickhull (Barber, Dobkin and Huhdanpaa, "The quickhull algorithm for convex hulls", 1996): a
//! tetrahedron of the points grows by the point farthest outside of one of its triangles, which
//! takes the place of all triangles that it sees. Which side of a triangle a point is on is the
//! sign of an exact determinant, so that no tolerance is needed and the surface is that of a convex
//! polyhedron at every step:
//! * a point in the plane of a triangle does not see it. If it is outside nevertheless, it sees
//!   another one;
//! * what a point sees is a disc: seen from there it fills the outline, once. So the horizon is one
//!   loop, and no vertex comes twice;
//! * a new triangle has an area: the point would be on the line of a horizon edge only if it were
//!   in the plane of the triangle that it sees there;
//! * a point that saw a triangle which is gone, and is still outside, sees one of the new triangles
//!   (the way from it to the old triangle enters the new hull there).
//!
//! At the end triangles of one plane become one face, and vertices that are inside of a face or an
//! edge are dropped: what is left are the extreme points, and each edge has two faces of different
//! planes.
//!
//! Exact means: for points whose coordinates are zero or within 1e-91 … 1 of the largest one.
//! Beyond that a hull may be refused, or miss a point by that much. Cost: 0.06 ms for 30 points, 9
//! ms for 3,000, 140 ms for 30,000 on a sphere, where all of them are vertices; a tenth of that in
//! a cube.

use crate::math::{DVec3, volume};
use crate::shape::Triangle;
use crate::{Error, ErrorKind, Result};

/// No facet, point or horizon edge.
const NONE: u32 = u32::MAX;

/// The hull of some points.
#[derive(Debug)]
pub(super) struct Hull {
    /// The extreme points, by their numbers among the points, in rising order.
    pub vertices: Vec<u32>,
    /// Loops of places in `vertices`, left turns seen from outside.
    pub faces: Vec<Vec<u32>>,
}

/// Computes the convex hull of points with finite coordinates.
pub(super) fn convex_hull(points: &[DVec3]) -> Result<Hull> {
    if u32::try_from(points.len()).is_err() {
        return Err(Error::new(ErrorKind::OutOfRange, format!("{} points are more than 2^32", points.len())));
    }
    let mut growth = Growth::new(points)?;
    growth.run()?;
    growth.merged()
}

/// A triangle of the surface.
struct Facet {
    /// The vertices, turning left seen from outside.
    vertices: [u32; 3],
    /// The facets across the edges from each vertex to the next.
    across: [u32; 3],
    /// Points that see this facet, each of them listed for one facet only; the last one is the
    /// farthest.
    outside: Vec<u32>,
    /// The height of the farthest one, up to the facet's area.
    height: f64,
    /// The last step in which a point saw the facet.
    seen: u32,
    alive: bool,
}

impl Facet {
    fn new(vertices: [u32; 3]) -> Self {
        Self { vertices, across: [NONE; 3], outside: Vec::new(), height: 0.0, seen: 0, alive: true }
    }

    fn take(&mut self, point: u32, height: f64) {
        self.outside.push(point);
        if height > self.height {
            self.height = height;
        } else if let [.., before, last] = self.outside.as_mut_slice() {
            std::mem::swap(before, last);
        }
    }

    /// Which of the edges starts at a vertex.
    fn edge_from(&self, vertex: u32) -> Option<usize> {
        self.vertices.iter().position(|&c| c == vertex)
    }
}

/// An edge between a facet that the new point sees and one that it does not see.
struct HorizonEdge {
    from: u32,
    to: u32,
    /// The facet that stays.
    beyond: u32,
}

/// A hull during quickhull.
struct Growth<'p> {
    points: &'p [DVec3],
    facets: Vec<Facet>,
    /// Free places of removed facets.
    free: Vec<u32>,
    /// Facets that may have points outside.
    open: Vec<u32>,
    /// Point → the new facet whose horizon edge starts there; others are `NONE` between steps.
    starting: Vec<u32>,
    step: u32,
}

impl<'p> Growth<'p> {
    fn new(points: &'p [DVec3]) -> Result<Self> {
        let [a, b, c, d] = first_tetrahedron(points)?;
        let facets = [[a, b, c], [a, d, b], [b, d, c], [c, d, a]].map(Facet::new).into();
        let starting = vec![NONE; points.len()];
        let mut growth = Self { points, facets, free: Vec::new(), open: (0..4).collect(), starting, step: 0 };
        for (facet, across) in growth.facets.iter_mut().zip([[1, 2, 3], [3, 2, 0], [1, 3, 0], [2, 1, 0]]) {
            facet.across = across;
        }
        for point in (0..points.len() as u32).filter(|point| ![a, b, c, d].contains(point)) {
            growth.assign(point, &[0, 1, 2, 3]);
        }
        Ok(growth)
    }

    #[inline]
    fn height(&self, facet: u32, point: u32) -> f64 {
        let [p, q, r] = self.facets[facet as usize].vertices.map(|vertex| self.points[vertex as usize]);
        volume(p, q, r, self.points[point as usize])
    }

    /// Lists a point for the first of the facets that it sees.
    fn assign(&mut self, point: u32, facets: &[u32]) {
        for &facet in facets {
            let height = self.height(facet, point);
            if height > 0.0 {
                return self.facets[facet as usize].take(point, height);
            }
        }
    }

    fn run(&mut self) -> Result<()> {
        let (mut horizon, mut seen) = (Vec::new(), Vec::new());
        while let Some(facet) = self.open.pop() {
            if let Some(apex) = self.facets[facet as usize].outside.pop() {
                self.find_horizon(facet, apex, &mut seen, &mut horizon);
                self.replace(apex, &seen, &horizon)?;
            }
        }
        Ok(())
    }

    /// Finds the facets that a point sees, the given one among them, and their horizon.
    fn find_horizon(&mut self, facet: u32, apex: u32, seen: &mut Vec<u32>, horizon: &mut Vec<HorizonEdge>) {
        self.step += 1;
        self.facets[facet as usize].seen = self.step;
        seen.clear();
        seen.push(facet);
        horizon.clear();
        let mut next = 0;
        while let Some(&facet) = seen.get(next) {
            next += 1;
            let Facet { vertices, across, .. } = self.facets[facet as usize];
            for (k, beyond) in across.into_iter().enumerate() {
                if self.facets[beyond as usize].seen == self.step {
                    continue;
                }
                if self.height(beyond, apex) > 0.0 {
                    self.facets[beyond as usize].seen = self.step;
                    seen.push(beyond);
                } else {
                    horizon.push(HorizonEdge { from: vertices[k], to: vertices[(k + 1) % 3], beyond });
                }
            }
        }
    }

    /// Replaces the facets that the apex sees by facets from the horizon to the apex.
    fn replace(&mut self, apex: u32, seen: &[u32], horizon: &[HorizonEdge]) -> Result<()> {
        let mut orphans = Vec::new();
        for &facet in seen {
            let gone = &mut self.facets[facet as usize];
            orphans.append(&mut gone.outside);
            gone.alive = false;
        }
        self.free.extend(seen);
        let mut added = Vec::with_capacity(horizon.len());
        for edge in horizon {
            let place = self.add(Facet::new([edge.from, edge.to, apex]));
            self.facets[place as usize].across[0] = edge.beyond;
            let back = self.facets[edge.beyond as usize].edge_from(edge.to).ok_or_else(out_of_range)?;
            self.facets[edge.beyond as usize].across[back] = place;
            self.starting[edge.from as usize] = place;
            added.push(place);
        }
        for (edge, &place) in horizon.iter().zip(&added) {
            let next = self.starting[edge.to as usize];
            if next == NONE {
                return Err(out_of_range());
            }
            self.facets[place as usize].across[1] = next;
            self.facets[next as usize].across[2] = place;
        }
        horizon.iter().for_each(|edge| self.starting[edge.from as usize] = NONE);
        if added.iter().any(|&place| self.facets[place as usize].across.contains(&NONE)) {
            return Err(out_of_range());
        }
        orphans.into_iter().filter(|&point| point != apex).for_each(|point| self.assign(point, &added));
        self.open.extend(added);
        Ok(())
    }

    fn add(&mut self, facet: Facet) -> u32 {
        if let Some(place) = self.free.pop() {
            self.facets[place as usize] = facet;
            return place;
        }
        self.facets.push(facet);
        self.facets.len() as u32 - 1
    }

    /// Merges facets of one plane into faces.
    fn merged(&self) -> Result<Hull> {
        let face_of = self.planes();
        // Edges between two planes, by the plane on their left.
        let mut borders: Vec<(u32, u32, u32)> = Vec::new();
        let mut degrees = vec![0_u32; self.points.len()];
        for (facet, &face) in self.facets.iter().zip(&face_of).filter(|(facet, _)| facet.alive) {
            for k in 0..3 {
                if face_of[facet.across[k] as usize] != face {
                    borders.push((face, facet.vertices[k], facet.vertices[(k + 1) % 3]));
                    degrees[facet.vertices[k] as usize] += 1;
                }
            }
        }
        borders.sort_unstable();
        // A vertex of two planes only is inside of an edge.
        let vertices: Vec<u32> = (0..self.points.len() as u32).filter(|&p| degrees[p as usize] >= 3).collect();
        let mut faces = Vec::new();
        for border in borders.chunk_by(|e, f| e.0 == f.0) {
            let next = |from: u32| border.binary_search_by_key(&from, |edge| edge.1).map(|found| border[found].2);
            let (mut face, mut at) = (Vec::new(), border[0].1);
            for _ in border {
                if let Ok(vertex) = vertices.binary_search(&at) {
                    face.push(vertex as u32);
                }
                at = next(at).map_err(|_| out_of_range())?;
            }
            if at != border[0].1 || face.len() < 3 {
                return Err(out_of_range());
            }
            faces.push(face);
        }
        Ok(Hull { vertices, faces })
    }

    /// Facet → the first facet found of its plane.
    fn planes(&self) -> Vec<u32> {
        let mut plane = vec![NONE; self.facets.len()];
        let mut stack = Vec::new();
        for first in 0..self.facets.len() as u32 {
            if !self.facets[first as usize].alive || plane[first as usize] != NONE {
                continue;
            }
            plane[first as usize] = first;
            stack.push(first);
            while let Some(facet) = stack.pop() {
                let Facet { vertices, across, .. } = self.facets[facet as usize];
                for across in across {
                    let opposite = self.facets[across as usize].vertices.into_iter().find(|c| !vertices.contains(c));
                    let flat = opposite.is_some_and(|opposite| self.height(facet, opposite) == 0.0);
                    if flat && plane[across as usize] == NONE {
                        plane[across as usize] = first;
                        stack.push(across);
                    }
                }
            }
        }
        plane
    }
}

/// Four points that are not in one plane, the last one behind the triangle of the others.
fn first_tetrahedron(points: &[DVec3]) -> Result<[u32; 4]> {
    let flat = |what: &str| Error::new(ErrorKind::Degenerate, format!("the hull has no volume: {what}"));
    let at = |i: u32| points[i as usize];
    let order = |&i: &u32, &j: &u32| {
        let [i, j] = [i, j].map(|k| at(k).to_array());
        i.partial_cmp(&j).unwrap_or(std::cmp::Ordering::Equal)
    };
    let all = || 0..points.len() as u32;
    let (Some(a), Some(b)) = (all().min_by(order), all().max_by(order)) else {
        return Err(Error::new(ErrorKind::Empty, "the hull is empty: there are no points"));
    };
    if at(a) == at(b) {
        return Err(flat("all points are at one place"));
    }
    let area = |&i: &u32| (at(b) - at(a)).cross(at(i) - at(a)).length_squared();
    let spans = |i: &u32| !Triangle([at(a), at(b), at(*i)]).is_degenerate();
    let largest = all().max_by(|i, j| area(i).total_cmp(&area(j)));
    let c = largest.filter(spans).or_else(|| all().find(spans)).ok_or_else(|| flat("all points are on one line"))?;
    let height = |i: u32| volume(at(a), at(b), at(c), at(i));
    let highest = all().map(|i| (height(i), i)).max_by(|x, y| x.0.abs().total_cmp(&y.0.abs()));
    match highest {
        Some((height, d)) if height < 0.0 => Ok([a, b, c, d]),
        Some((height, d)) if height > 0.0 => Ok([a, c, b, d]),
        _ => Err(flat("all points are in one plane")),
    }
}

/// The error for determinants that underflow.
pub(super) fn out_of_range() -> Error {
    Error::new(ErrorKind::OutOfRange, "the hull cannot be decided: coordinates differ too much in size")
}
