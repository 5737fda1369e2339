//! The search of [`super::gjk`] with 106 bits, for the few pairs that 53 bits leave open.
//!
//! Between slivers, needles and bodies that differ in size by 1e9 simplices are so thin that
//! rounding decides where their nearest point is: the search goes over to a wrong face, comes no
//! nearer, and ends. Its direction is then that of two points whose difference is mostly rounding,
//! and along an edge of 1e5 even 1e-10 of that direction is more than the gap. Here the vertices
//! that support points are, rounded as everywhere, are taken as they are, and everything between
//! them is computed with [`DoubleDouble`]: where the nearest point is, its weights and the
//! direction towards it. Only what comes out is rounded: weights cost 4u of ρ, a direction 2u of ρ,
//! so that bounds are charged what the others are, and proven in the same way: an error here could
//! make them wide, not wrong.
//!
//! Overlaps of such bodies are proven in the same way, with vertices that are not rounded at all
//! but for 106 bits.
//!
//! Cost: 0.2 to 0.9 µs a step; 2 steps where polyhedra merely touch, 4 to 12 where needles and
//! slivers are apart.

use super::gjk::{Bounds, LocalPair};
use super::polyhedron_polyhedron::Polyhedra;
use super::simplex::Vertex;
use crate::math::double_double::{DoubleDouble, PreciseVec3};
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::shape::{Convex, ConvexPolyhedron};
use smallvec::SmallVec;

/// Where patience ends: 100,000 walks between all kinds of bodies took 12 at most.
const MAX_STEPS: usize = 64;
/// What a volume between a face with edges e and f and a place at x from it may be off by, as a
/// part of the product of the two longest of |e|, |f| and |x|. All are shorter than 2ρ < 4. With
/// 3u² for a sum and 5u² for a product, their determinant is off by less than 64u²|e||f||x|.
/// Products of two `f64` being exact, a difference is a sum of seven: its coordinates are off by
/// 12u²ρ, it by 42u², which moves three vectors between two of them by twice that each.
const UNCERTAIN: f64 = 512.0 * UNIT_ROUNDOFF * UNIT_ROUNDOFF;

/// A vertex of the simplex.
#[derive(Clone, Copy)]
struct PreciseVertex {
    vertex: Vertex,
    /// b − a, exactly.
    place: PreciseVec3,
}

/// One to four vertices, of which the last is new.
type PreciseVertices = SmallVec<[PreciseVertex; 4]>;

/// A convex combination of some vertices: the point of them that is nearest to the origin.
struct Combination {
    squared: DoubleDouble,
    /// Which vertices, and what each contributes.
    weights: SmallVec<[(usize, DoubleDouble); 3]>,
    /// Towards the point, of any length.
    direction: PreciseVec3,
}

impl<A: Convex, B: Convex> LocalPair<'_, A, B> {
    /// The best bounds that a search from this direction finds; those of cores that overlap, up to
    /// rounding, tell nothing.
    pub(super) fn precise_walk(&self, mut direction: DVec3) -> Bounds {
        let mut bounds = Bounds::UNKNOWN;
        let mut vertices = PreciseVertices::new();
        let mut least = DoubleDouble::from(f64::INFINITY);
        for _ in 0..MAX_STEPS {
            let vertex = self.vertex(direction);
            self.certify_by(direction, &vertex, &mut bounds);
            if self.are_tight(&bounds) {
                break;
            }
            vertices.push(PreciseVertex { vertex, place: PreciseVec3::difference(vertex.b, vertex.a) });
            if vertices.len() == 4 && is_between(&vertices) {
                break;
            }
            let nearest = nearest(&vertices);
            if nearest.squared >= least {
                break;
            }
            least = nearest.squared;
            vertices = nearest.weights.iter().map(|&(i, _)| vertices[i]).collect();
            let (mut point_a, mut point_b) = (DVec3::ZERO, DVec3::ZERO);
            for (point, (_, weight)) in vertices.iter().zip(&nearest.weights) {
                point_a += point.vertex.a * weight.nearest();
                point_b += point.vertex.b * weight.nearest();
            }
            self.offer(point_a, point_b, &mut bounds);
            direction = nearest.direction.nearest();
        }
        bounds
    }
}

impl Polyhedra<'_> {
    /// Whether the polyhedra certainly share a point, by the same search over their vertices with
    /// 106 bits: four differences are around the origin by more than they and volumes between them
    /// can be off.
    pub(super) fn surely_overlap(&self, direction: DVec3) -> bool {
        // Where the origin is in line with vertices a search may end on the way: another start
        // leads elsewhere.
        let starts = DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]).map(|aside| direction + aside * 0.5);
        std::iter::once(direction).chain(starts).any(|start| self.is_around_origin(start))
    }

    fn is_around_origin(&self, start: DVec3) -> bool {
        let mut direction = PreciseVec3::difference(start, DVec3::ZERO);
        let mut vertices = PreciseVertices::new();
        let mut least = DoubleDouble::from(f64::INFINITY);
        for _ in 0..MAX_STEPS {
            vertices.push(self.support_precisely(direction));
            if vertices.len() == 4 && is_between(&vertices) {
                return self.surely_around_origin(vertices);
            }
            let nearest = nearest(&vertices);
            if nearest.squared >= least {
                break;
            }
            (least, direction) = (nearest.squared, nearest.direction);
            vertices = nearest.weights.iter().map(|&(i, _)| vertices[i]).collect();
        }
        false
    }

    /// Whether the origin is certainly between four vertices that seem to be around it, or others
    /// that they lead to. It may be on a face, up to what volumes are off by. Then there is a
    /// vertex beyond: with that one and the face the origin is between four vertices on the other
    /// side, be it on the face, before or behind it; and where it is on an edge, between this
    /// vertex, the one opposite, and two of the face.
    fn surely_around_origin(&self, mut vertices: PreciseVertices) -> bool {
        for _ in 0..MAX_STEPS {
            let within = within_faces(&vertices);
            let least = (1..4).fold(0, |least, i| if within[i] < within[least] { i } else { least });
            if within[least] > 1.0 {
                return true;
            }
            let (face, opposite) = (face_opposite(&vertices, least), vertices[least].place);
            let normal = (face[1] - face[0]).cross(face[2] - face[0]);
            let inward = if normal.dot(opposite - face[0]) > DoubleDouble::ZERO { normal } else { -normal };
            let tip = self.support_precisely(inward);
            let with_tip = |i: usize| {
                let mut vertices = vertices.clone();
                vertices[i] = tip;
                vertices
            };
            let (before, behind) = (side(face, opposite), side(face, tip.place));
            if before.abs() <= 1.0 || behind * before.signum() >= -1.0 {
                return false;
            }
            let (beyond, on_face) = (within_faces(&with_tip(least)), [1, 2, 3].map(|k| (least + k) % 4));
            if on_face.into_iter().all(|i| within[i] > 1.0 && beyond[i] > 1.0) {
                return true;
            }
            let [one, two, three] = on_face.map(with_tip);
            vertices = better(better(one, two), three);
        }
        false
    }

    /// The support vertices towards each other: from those of 53 bits along edges to others that
    /// are farther by less than these tell.
    fn support_precisely(&self, direction: PreciseVec3) -> PreciseVertex {
        let (i, j) = self.support(direction.nearest());
        let (i, from_a) = self.climb(self.a, i, direction);
        let (j, from_b) = self.climb(self.b, j, -direction);
        let centers = PreciseVec3::difference(self.b.center(), self.a.center());
        let place = centers * DoubleDouble::from(self.pair.factor) + from_b - from_a;
        PreciseVertex { vertex: self.vertex_of((i, j)), place }
    }

    /// The vertex that is farthest along a direction, near to one that almost is, and its scaled
    /// place relative to its polyhedron's centre.
    fn climb(&self, polyhedron: &ConvexPolyhedron, mut at: u32, direction: PreciseVec3) -> (u32, PreciseVec3) {
        let local = polyhedron.local();
        let place = |i: u32| {
            let point = local.vertices[i as usize] * (local.scale * self.pair.factor);
            let along = |k| PreciseVec3::difference(local.axes.col(k), DVec3::ZERO) * DoubleDouble::from(point[k]);
            along(0) + along(1) + along(2)
        };
        let mut farthest = place(at);
        while let Some((i, next)) = {
            let mut neighbors = polyhedron.neighbors(at).iter().map(|&i| (i, place(i)));
            neighbors.find(|(_, next)| direction.dot(*next) > direction.dot(farthest))
        } {
            (at, farthest) = (i, next);
        }
        (at, farthest)
    }
}

/// Those of two times four vertices that have the origin more certainly between them: within more
/// faces, and farther within the others.
fn better(one: PreciseVertices, two: PreciseVertices) -> PreciseVertices {
    let worth = |vertices: &PreciseVertices| {
        let within = within_faces(vertices);
        (within.iter().filter(|&&within| within > 1.0).count(), within.into_iter().fold(f64::INFINITY, f64::min))
    };
    if worth(&two) > worth(&one) { two } else { one }
}

/// Whether the origin is on the inner side of each face of four vertices: certainly if it is above
/// 1; zero where the four are in one plane, up to rounding.
fn within_faces(vertices: &[PreciseVertex]) -> [f64; 4] {
    [0, 1, 2, 3].map(|opposite| {
        let face = face_opposite(vertices, opposite);
        let inner = side(face, vertices[opposite].place);
        if inner.abs() > 1.0 { side(face, PreciseVec3::ZERO) * inner.signum() } else { 0.0 }
    })
}

/// The others of four vertices, the one next to the origin first, where coordinates are best.
fn face_opposite(vertices: &[PreciseVertex], opposite: usize) -> [PreciseVec3; 3] {
    let mut face = [1, 2, 3].map(|k| vertices[(opposite + k) % 4].place);
    face.sort_by(|p, q| p.nearest().length_squared().total_cmp(&q.nearest().length_squared()));
    face
}

/// On which side of a face a place is, in units of what that may be off by.
fn side([p, q, r]: [PreciseVec3; 3], place: PreciseVec3) -> f64 {
    let (e, f, x) = (q - p, r - p, place - p);
    let mut lengths = [e, f, x].map(|edge| edge.nearest().length());
    lengths.sort_by(f64::total_cmp);
    e.cross(f).dot(x).nearest() / (UNCERTAIN * lengths[1] * lengths[2]).max(f64::MIN_POSITIVE)
}

/// Whether the origin is between four vertices that are not in one plane.
fn is_between(vertices: &[PreciseVertex]) -> bool {
    let p = vertices[3].place;
    let [e, f, g] = [0, 1, 2].map(|i| vertices[i].place - p);
    let normals = [f.cross(g), g.cross(e), e.cross(f)];
    let volume = e.dot(normals[0]);
    let outward = if volume > DoubleDouble::ZERO { -p } else { p };
    let parts = normals.map(|normal| outward.dot(normal));
    let rest = volume.abs() - parts[0] - parts[1] - parts[2];
    volume != DoubleDouble::ZERO && parts.into_iter().chain([rest]).all(|part| part >= DoubleDouble::ZERO)
}

/// The nearest point of all combinations that the last vertex is part of: without it the search
/// would not come nearer.
fn nearest(vertices: &[PreciseVertex]) -> Combination {
    let last = vertices.len() - 1;
    let p = vertices[last].place;
    let mut best =
        Combination { squared: p.dot(p), weights: [(last, DoubleDouble::ONE)].into_iter().collect(), direction: p };
    let mut offer = |other: Option<Combination>| {
        if let Some(other) = other
            && other.squared < best.squared
        {
            best = other;
        }
    };
    for i in 0..last {
        offer(on_edge(vertices, i, last));
        for j in 0..i {
            offer(on_face(vertices, i, j, last));
        }
    }
    best
}

fn on_edge(vertices: &[PreciseVertex], i: usize, last: usize) -> Option<Combination> {
    let p = vertices[last].place;
    let edge = vertices[i].place - p;
    let at = (-p.dot(edge)).over(edge.dot(edge));
    if at <= DoubleDouble::ZERO || at >= DoubleDouble::ONE {
        return None;
    }
    let direction = p + edge * at;
    let weights = [(last, DoubleDouble::ONE - at), (i, at)].into_iter().collect();
    Some(Combination { squared: direction.dot(direction), weights, direction })
}

fn on_face(vertices: &[PreciseVertex], i: usize, j: usize, last: usize) -> Option<Combination> {
    let p = vertices[last].place;
    let (e, f) = (vertices[i].place - p, vertices[j].place - p);
    let normal = e.cross(f);
    let squared = normal.dot(normal);
    let (at_e, at_f) = ((-normal.dot(p.cross(f))).over(squared), (-normal.dot(e.cross(p))).over(squared));
    let rest = DoubleDouble::ONE - at_e - at_f;
    if [at_e, at_f, rest].iter().any(|&part| part <= DoubleDouble::ZERO) {
        return None;
    }
    let height = normal.dot(p);
    let direction = if height < DoubleDouble::ZERO { -normal } else { normal };
    let weights = [(last, rest), (i, at_e), (j, at_f)].into_iter().collect();
    Some(Combination { squared: (height * height).over(squared), weights, direction })
}
