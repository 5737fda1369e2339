//! A closed surface of triangles about the origin: which of them see a point, and what takes their
//! place.
//!
//! The planes of all triangles stand side by side, so that a look at all of them takes a few
//! instructions each. Triangles that see a new vertex are replaced by those between it and the rim
//! of the hole: two more than there were, and two less for each vertex that all triangles at see
//! the new one, as happens where vertices are level with each other. Rim edges are in no order; the
//! new triangles find each other by the vertices where their edges start and end. Of more than
//! [`MANY`] triangles not all are looked at: visible ones are found from one that is, and the
//! nearest one from the least heights of every 64.

#[cfg(test)]
mod tests;

use crate::math::lanes::{F4, Simd};
use crate::math::{DVec3, UNIT_ROUNDOFF};
use fearless_simd::prelude::*;
use smallvec::SmallVec;

/// A determinant is certainly positive above this much of |e||f|ρ; derived in the head of
/// [`super`].
const SIGN: f64 = 32.0 * UNIT_ROUNDOFF;
/// A triangle whose squared sine is less has no normal worth the name.
const THINNEST: f64 = 1e-20;
/// How many planes are computed side by side.
const LANES: usize = 4;
/// Bits of all lanes.
const ALL: u8 = (1 << LANES) - 1;
/// Faces whose bits are in one word, and their planes.
const WORD: usize = u64::BITS as usize;
const WORD_PLANES: usize = WORD / LANES;
/// Of as many faces a look at all takes no longer than a search for those that count.
const MANY: usize = 512;

/// A triangle of the surface, left turns seen from outside.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Face {
    pub vertices: [u16; 3],
    /// The faces beyond the edges that start at those vertices.
    across: [u16; 3],
}

/// The sides of a tetrahedron, the first three vertices of which turn right seen from the last.
const SIDES: [Face; LANES] = [
    Face { vertices: [0, 1, 2], across: [1, 2, 3] },
    Face { vertices: [0, 3, 1], across: [3, 2, 0] },
    Face { vertices: [1, 3, 2], across: [1, 3, 0] },
    Face { vertices: [2, 3, 0], across: [2, 1, 0] },
];

/// The planes of some triangles, side by side.
#[derive(Debug, Clone, Copy)]
struct Planes {
    /// Outward, of unit length: coordinate by coordinate.
    normals: [[f64; LANES]; 3],
    /// At most the distances of the triangles from the origin; zero or less where it is not
    /// certainly inside, infinite where there is no triangle.
    heights: [f64; LANES],
}

impl Default for Planes {
    /// None.
    fn default() -> Self {
        Self { normals: [[0.0; LANES]; 3], heights: [f64::INFINITY; LANES] }
    }
}

/// An edge of the hole that visible faces leave, and the face beyond.
#[derive(Debug, Clone, Copy, Default)]
struct RimEdge {
    from: u16,
    to: u16,
    beyond: u16,
}

/// The new faces at a vertex of the rim: that of the edge that starts there, and that of the one
/// that ends there.
#[derive(Debug, Clone, Copy, Default)]
struct Spoke {
    starts: u16,
    ends: u16,
}

/// What visible faces leave: how many there are, and how many edges their rim has.
struct Hole {
    count: usize,
    edges: usize,
}

/// A closed surface of triangles. Vertices have numbers in the order in which they came. Of all
/// lists the first entries count, as many as there are vertices, faces and so on; what is behind is
/// memory.
pub(super) struct Surface {
    vertices: SmallVec<[DVec3; 64]>,
    vertex_count: usize,
    faces: SmallVec<[Face; 128]>,
    /// Four less than twice as many as vertices that are still on the surface.
    face_count: usize,
    /// Those of face i are in lane `i % LANES` of entry `i / LANES`.
    planes: SmallVec<[Planes; 32]>,
    /// The least height of each 64 faces, where there are many.
    least: SmallVec<[f64; 8]>,
    /// Bits of the visible faces, and their numbers.
    seen: SmallVec<[u64; 2]>,
    visible: SmallVec<[u16; 128]>,
    rim: SmallVec<[RimEdge; 128]>,
    /// By vertex.
    spokes: SmallVec<[Spoke; 64]>,
    /// Of the new faces.
    fresh: SmallVec<[Planes; 32]>,
    /// No length is above it.
    reach: f64,
}

impl Surface {
    /// No surface yet. It lives where it is made: moving all of its memory would take as long as a
    /// step.
    #[inline(always)]
    pub(super) fn empty(reach: f64) -> Self {
        Self {
            vertices: SmallVec::new(),
            vertex_count: 0,
            faces: SmallVec::new(),
            face_count: 0,
            planes: SmallVec::new(),
            least: SmallVec::new(),
            seen: SmallVec::new(),
            visible: SmallVec::new(),
            rim: SmallVec::new(),
            spokes: SmallVec::new(),
            fresh: SmallVec::new(),
            reach,
        }
    }

    /// Begins with a tetrahedron, the first three vertices of which turn right seen from the last;
    /// false where it is too flat to have normals.
    #[inline(always)]
    pub(super) fn begin<S: Simd>(&mut self, simd: S, vertices: [DVec3; 4]) -> bool {
        let mut columns = [[[0.0; LANES]; 3]; 3];
        for (lane, face) in SIDES.iter().enumerate() {
            for (column, &vertex) in columns.iter_mut().zip(&face.vertices) {
                let place = vertices[usize::from(vertex)];
                (column[0][lane], column[1][lane], column[2][lane]) = (place.x, place.y, place.z);
            }
        }
        let [p, q, r] = &columns;
        let (p, q, r) = (lanes_of(simd, p), lanes_of(simd, q), lanes_of(simd, r));
        let Some(planes) = planes_of(simd, self.reach, p, minus(q, p), minus(r, p)) else { return false };
        self.planes.push(planes);
        self.vertices.extend_from_slice(&vertices);
        self.vertex_count = vertices.len();
        self.faces.extend_from_slice(&SIDES);
        self.face_count = SIDES.len();
        true
    }

    pub(super) fn faces(&self) -> &[Face] {
        &self.faces[..self.face_count]
    }

    /// The outward normal of a face, of unit length.
    #[inline(always)]
    pub(super) fn normal(&self, face: usize) -> DVec3 {
        let [x, y, z] = &self.planes[face / LANES].normals;
        let lane = face % LANES;
        DVec3::new(x[lane], y[lane], z[lane])
    }

    /// At most the distance of a face from the origin; zero or less where that is not certainly
    /// inside.
    pub(super) fn height(&self, face: usize) -> f64 {
        self.planes[face / LANES].heights[face % LANES]
    }

    /// The face nearest to the origin and its height: where that is positive, the origin is
    /// certainly inside, and a sphere that large.
    #[inline(always)]
    pub(super) fn nearest<S: Simd>(&self, simd: S) -> (usize, f64) {
        let all = &self.planes[..self.face_count.div_ceil(LANES)];
        if self.face_count <= MANY {
            return nearest_among(simd, all);
        }
        let lower = |one: usize, other: usize| if self.least[other] < self.least[one] { other } else { one };
        let word = (0..self.least.len()).fold(0, lower);
        let (face, height) = nearest_among(simd, &all[word * WORD_PLANES..all.len().min((word + 1) * WORD_PLANES)]);
        (word * WORD + face, height)
    }

    /// Where there are many faces: the least heights of those among which visible ones gave way to
    /// new ones, or that had the last face of all.
    #[cold]
    fn note_least(&mut self, changed: usize, before: usize) {
        let words = self.face_count.div_ceil(WORD);
        let known = if before > MANY { self.least.len().min(words) } else { 0 };
        self.least.resize(words, f64::INFINITY);
        let slots = self.visible[..changed].iter().map(|&slot| usize::from(slot));
        let moved = self.face_count..before;
        for word in slots.chain(moved).map(|face| face / WORD).filter(|&word| word < known).chain(known..words) {
            let planes = &self.planes[word * WORD_PLANES..self.planes.len().min((word + 1) * WORD_PLANES)];
            self.least[word] = planes.iter().flat_map(|planes| planes.heights).fold(f64::INFINITY, f64::min);
        }
    }

    /// Replaces all faces that see a new vertex by more than `slack`, as the face `visible` does.
    /// False, and nothing is changed, where the new ones would have no normals or what is visible
    /// is no disc.
    #[inline(always)]
    pub(super) fn expand<S: Simd>(&mut self, simd: S, vertex: DVec3, slack: f64, visible: usize) -> bool {
        let before = self.face_count;
        let Some(Hole { count, edges }) = self.open(simd, vertex, slack, visible) else { return false };
        if !self.fan(simd, vertex, edges) {
            return false;
        }
        self.close(vertex, edges);
        if edges < count {
            self.remove(edges, count);
        }
        if self.face_count > MANY {
            self.note_least(edges.max(count), before);
        }
        true
    }

    /// Collects the visible faces and the edges of their rim, in no order, and counts them; none if
    /// they are no disc. Behind the visible faces stand the two that will be new.
    #[inline(always)]
    fn open<S: Simd>(&mut self, simd: S, vertex: DVec3, slack: f64, from: usize) -> Option<Hole> {
        let (x, y, z) = (F4::splat(simd, vertex.x), F4::splat(simd, vertex.y), F4::splat(simd, vertex.z));
        let least = F4::splat(simd, slack);
        let face_count = self.face_count;
        at_least(&mut self.visible, face_count + 2);
        at_least(&mut self.seen, face_count.div_ceil(WORD));
        if face_count > MANY {
            return self.open_around(vertex, slack, from);
        }
        // Slices, as asking each time where the memory is would take as long as the rest.
        let (visible, seen) = (self.visible.as_mut_slice(), self.seen.as_mut_slice());
        let mut count = 0;
        let planes = &self.planes[..face_count.div_ceil(LANES)];
        // Not by chunks beside the words, which takes a division to set up.
        for (word, seen) in seen[..face_count.div_ceil(WORD)].iter_mut().enumerate() {
            let mut bits = 0;
            let planes = &planes[word * WORD_PLANES..planes.len().min((word + 1) * WORD_PLANES)];
            for (entry, Planes { normals: [xs, ys, zs], heights }) in planes.iter().enumerate() {
                let (xs, ys, zs): (F4<S>, F4<S>, F4<S>) =
                    ((*xs).simd_into(simd), (*ys).simd_into(simd), (*zs).simd_into(simd));
                let heights: F4<S> = (*heights).simd_into(simd);
                let above = z.mul_add(zs, y.mul_add(ys, x * xs)) - heights;
                bits |= u64::from(above.simd_gt(least).to_bitmask() as u8) << (entry * LANES);
            }
            *seen = bits;
            while bits != 0 {
                visible[count] = (word * WORD) as u16 + bits.trailing_zeros() as u16;
                count += 1;
                bits &= bits - 1;
            }
        }
        // Faces elsewhere may be level with the vertex: then those around the nearest one, if they
        // are a disc.
        match self.rim(count) {
            None => self.open_around(vertex, slack, from),
            hole => hole,
        }
    }

    /// The same where there are many faces, or visible ones in several places: those around one
    /// that is visible.
    #[cold]
    fn open_around(&mut self, vertex: DVec3, slack: f64, from: usize) -> Option<Hole> {
        self.seen[..self.face_count.div_ceil(WORD)].fill(0);
        self.seen[from / WORD] |= 1 << (from % WORD);
        self.visible[0] = from as u16;
        let (mut count, mut next) = (1, 0);
        while next < count {
            for beyond in self.faces[usize::from(self.visible[next])].across {
                let face = usize::from(beyond);
                let (word, bit) = (face / WORD, 1 << (face % WORD));
                if self.seen[word] & bit == 0 && self.normal(face).dot(vertex) - self.height(face) > slack {
                    self.seen[word] |= bit;
                    self.visible[count] = beyond;
                    count += 1;
                }
            }
            next += 1;
        }
        self.rim(count)
    }

    /// Collects the edges between visible faces and others.
    #[inline(always)]
    fn rim(&mut self, count: usize) -> Option<Hole> {
        let (visible, seen, face_count) = (self.visible.as_mut_slice(), self.seen.as_slice(), self.face_count);
        [visible[count], visible[count + 1]] = [face_count as u16, face_count as u16 + 1];
        at_least(&mut self.rim, 3 * count + LANES);
        let (faces, rim) = (self.faces.as_slice(), self.rim.as_mut_slice());
        let mut edges = 0;
        for &at in &visible[..count] {
            let Face { vertices: [p, q, r], across } = faces[usize::from(at)];
            // No branch depends on what is visible: guessing those wrong would take longer than all
            // the arithmetic.
            for (from, to, beyond) in [(p, q, across[0]), (q, r, across[1]), (r, p, across[2])] {
                rim[edges] = RimEdge { from, to, beyond };
                let beyond = usize::from(beyond);
                edges += usize::from(seen[beyond / WORD] >> (beyond % WORD) & 1 == 0);
            }
        }
        // A disc without inner vertices has two more edges than faces.
        let disc = count > 0 && (edges == count + 2 || self.has_one_rim(edges, count));
        disc.then_some(Hole { count, edges })
    }

    /// Whether the rim is one loop, as that of a disc is, whatever vertices are inside of it: on a
    /// closed surface it has two sides, and the visible faces are one of them.
    #[cold]
    fn has_one_rim(&self, edges: usize, count: usize) -> bool {
        if edges < 3 || edges > count {
            return false;
        }
        let rim = &self.rim[..edges];
        let (start, mut at) = (rim[0].from, rim[0].to);
        let mut length = 1;
        while at != start && length <= edges {
            let Some(next) = rim.iter().find(|edge| edge.from == at) else { return false };
            (at, length) = (next.to, length + 1);
        }
        length == edges
    }

    /// Makes the planes of the new triangles, in the rim's order. False if one is too thin or the
    /// rim meets itself in a vertex.
    #[inline(always)]
    fn fan<S: Simd>(&mut self, simd: S, vertex: DVec3, edges: usize) -> bool {
        let blocks = edges.div_ceil(LANES);
        at_least(&mut self.spokes, self.vertex_count);
        at_least(&mut self.fresh, blocks);
        let (vertices, spokes, rim) = (self.vertices.as_slice(), self.spokes.as_mut_slice(), self.rim.as_mut_slice());
        // Where there is no triangle, the first one again.
        let first = rim[0];
        rim[edges..blocks * LANES].fill(first);
        let slots = &self.visible[..edges];
        for (edge, &slot) in rim.iter().zip(slots) {
            spokes[usize::from(edge.from)].starts = slot;
            spokes[usize::from(edge.to)].ends = slot;
        }
        // As many edges end in a vertex as start there.
        let mut once = true;
        for (edge, &slot) in rim.iter().zip(slots) {
            once &= spokes[usize::from(edge.from)].starts == slot;
        }
        if !once {
            return false;
        }
        let p = [F4::splat(simd, vertex.x), F4::splat(simd, vertex.y), F4::splat(simd, vertex.z)];
        for (block, fresh) in self.fresh[..blocks].iter_mut().enumerate() {
            let block = &rim[block * LANES..(block + 1) * LANES];
            let mut ends = [[[0.0; LANES]; 3]; 2];
            for (lane, edge) in block.iter().enumerate() {
                let (from, to) = (vertices[usize::from(edge.from)], vertices[usize::from(edge.to)]);
                (ends[0][0][lane], ends[0][1][lane], ends[0][2][lane]) = (from.x, from.y, from.z);
                (ends[1][0][lane], ends[1][1][lane], ends[1][2][lane]) = (to.x, to.y, to.z);
            }
            let (e, f) = (minus(lanes_of(simd, &ends[0]), p), minus(lanes_of(simd, &ends[1]), p));
            let Some(planes) = planes_of(simd, self.reach, p, e, f) else { return false };
            *fresh = planes;
        }
        true
    }

    /// Puts the new triangles where the visible faces were, the last two behind all others.
    #[inline(always)]
    fn close(&mut self, vertex: DVec3, edges: usize) {
        let number = self.vertex_count;
        at_least(&mut self.vertices, number + 1);
        self.vertices[number] = vertex;
        self.vertex_count += 1;
        // The last of the slots may be new ones.
        let face_count = self.face_count.max(usize::from(self.visible[edges - 1]) + 1);
        self.face_count = face_count;
        at_least(&mut self.faces, face_count);
        at_least(&mut self.planes, face_count.div_ceil(LANES));
        let (faces, planes, fresh) = (self.faces.as_mut_slice(), self.planes.as_mut_slice(), self.fresh.as_slice());
        let (spokes, rim) = (self.spokes.as_slice(), self.rim.as_slice());
        for (i, (&RimEdge { from, to, beyond }, &here)) in rim.iter().zip(&self.visible[..edges]).enumerate() {
            let across = [beyond, spokes[usize::from(to)].starts, spokes[usize::from(from)].ends];
            let face = usize::from(here);
            faces[face] = Face { vertices: [from, to, number as u16], across };
            let (fresh, place) = (&fresh[i / LANES], &mut planes[face / LANES]);
            let (lane, at) = (i % LANES, face % LANES);
            for (to, from) in place.normals.iter_mut().zip(&fresh.normals) {
                to[at] = from[lane];
            }
            place.heights[at] = fresh.heights[lane];
            let beyond = &mut faces[usize::from(beyond)];
            let back = usize::from(beyond.vertices[1] == to) + 2 * usize::from(beyond.vertices[2] == to);
            beyond.across[back.min(2)] = here;
        }
    }

    /// Takes away visible faces that no new ones have taken the place of: the last face of all
    /// moves there.
    #[cold]
    fn remove(&mut self, edges: usize, count: usize) {
        // From the last on, so that none that moves is to be taken away itself.
        self.visible[edges..count].sort_unstable();
        for &slot in self.visible[edges..count].iter().rev() {
            self.face_count -= 1;
            let (here, last) = (usize::from(slot), self.face_count);
            let moved = self.faces[last];
            if here != last {
                for (k, beyond) in moved.across.into_iter().enumerate() {
                    let to = moved.vertices[(k + 1) % 3];
                    let beyond = &mut self.faces[usize::from(beyond)];
                    let back = beyond.vertices.iter().position(|&vertex| vertex == to).unwrap_or(0);
                    beyond.across[back] = slot;
                }
                self.faces[here] = moved;
                let from = self.planes[last / LANES];
                let place = &mut self.planes[here / LANES];
                for (to, from) in place.normals.iter_mut().zip(&from.normals) {
                    to[here % LANES] = from[last % LANES];
                }
                place.heights[here % LANES] = from.heights[last % LANES];
            }
            self.planes[last / LANES].heights[last % LANES] = f64::INFINITY;
        }
    }
}

/// The face nearest to the origin of those that have these planes, and its height.
#[inline(always)]
fn nearest_among<S: Simd>(simd: S, planes: &[Planes]) -> (usize, f64) {
    let mut number: F4<S> = [0.0, 1.0, 2.0, 3.0].simd_into(simd);
    let step = F4::splat(simd, LANES as f64);
    let (mut least, mut numbers) = (F4::splat(simd, f64::INFINITY), number);
    for planes in planes {
        let heights: F4<S> = planes.heights.simd_into(simd);
        let nearer = heights.simd_lt(least);
        least = nearer.select(heights, least);
        numbers = nearer.select(number, numbers);
        number += step;
    }
    let (least, numbers): ([f64; LANES], [f64; LANES]) = (least.into(), numbers.into());
    let place = |lane: usize| (least[lane], numbers[lane]);
    let nearer = |one: (f64, f64), other: (f64, f64)| if other.0 < one.0 { other } else { one };
    let (height, number) = nearer(nearer(place(0), place(1)), nearer(place(2), place(3)));
    (number as i32 as usize, height)
}

/// Lengthens memory that is too short.
#[inline(always)]
fn at_least<A: smallvec::Array>(memory: &mut SmallVec<A>, length: usize)
where
    A::Item: Copy + Default,
{
    let known = memory.len();
    if known < length {
        // Of planes, which are large, few at first: filling more of them would take as long as a
        // step.
        let few = if size_of::<A::Item>() > 64 { LANES } else { 4 * LANES };
        memory.resize(length.max(2 * known).next_multiple_of(few), A::Item::default());
    }
}

#[inline(always)]
fn lanes_of<S: Simd>(simd: S, [x, y, z]: &[[f64; LANES]; 3]) -> [F4<S>; 3] {
    [(*x).simd_into(simd), (*y).simd_into(simd), (*z).simd_into(simd)]
}

/// The planes of triangles with a vertex p and edges e and f from there; none if one is too thin.
/// Lengths are below `reach`.
#[inline(always)]
fn planes_of<S: Simd>(simd: S, reach: f64, p: [F4<S>; 3], e: [F4<S>; 3], f: [F4<S>; 3]) -> Option<Planes> {
    let product = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    let (squared, size) = (dots(product, product), dots(e, e) * dots(f, f));
    // Not so either where lengths are zero or no numbers.
    if squared.simd_gt(F4::splat(simd, THINNEST) * size).to_bitmask() as u8 != ALL {
        return None;
    }
    let length = squared.sqrt();
    let scale = F4::splat(simd, 1.0) / length;
    let normals = [product[0] * scale, product[1] * scale, product[2] * scale];
    // Lower where the other vertices are lower than p.
    let lower = dots(normals, e).min(dots(normals, f)).min(F4::splat(simd, 0.0));
    let heights = dots(normals, p) + lower;
    let (volume, unsure) = (heights * length, SIGN * reach);
    let sure =
        volume.simd_gt(F4::splat(simd, 0.0)) & (volume * volume).simd_gt(F4::splat(simd, unsure * unsure) * size);
    let heights = sure.select(heights, heights.min(F4::splat(simd, 0.0)));
    let [x, y, z] = normals;
    Some(Planes { normals: [x.into(), y.into(), z.into()], heights: heights.into() })
}

#[inline(always)]
fn dots<S: Simd>(a: [F4<S>; 3], b: [F4<S>; 3]) -> F4<S> {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
}

#[inline(always)]
fn minus<S: Simd>(a: [F4<S>; 3], b: [F4<S>; 3]) -> [F4<S>; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
