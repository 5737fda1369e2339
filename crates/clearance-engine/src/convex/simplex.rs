//! The point of a simplex that is nearest to the origin.
//!
//! The simplex has one to four vertices, of which the last was added now and must be part of the
//! answer: else the search that added it would not come nearer, and ends. So of all subsets only
//! those with the last vertex are tried, each as if it were the whole; the nearest feasible point
//! wins; of four vertices that are not flat first those that the origin is beyond. Subsets that are
//! nearly degenerate give poor points, never ones outside of the simplex beyond rounding, so that
//! there is no tolerance here. Cost: at most eight small systems, some 40 ns.

use crate::math::{DVec3, UNIT_ROUNDOFF};

/// A point whose squared distance is less than this part of the simplex's squared size is computed
/// twice.
const NEAR: f64 = 1e-10;

/// The squared volume, as a part of that of a box with such edges, below which the sides of a
/// simplex are uncertain.
const FLAT: f64 = 1e-12;

/// A difference of a point of b and one of a.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vertex {
    /// b − a.
    pub difference: DVec3,
    pub a: DVec3,
    pub b: DVec3,
}

/// One to four vertices.
#[derive(Debug, Clone)]
pub(super) struct Simplex {
    vertices: [Vertex; 4],
    /// What each vertex contributes to the nearest point; of the last answer.
    weights: [f64; 4],
    count: usize,
}

/// The nearest point of a simplex, whose points of both cores [`Simplex::points`] tells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nearest {
    /// The squared distance of the two points.
    pub squared: f64,
    /// The direction from the origin to the nearest point, of any length: better than the point's
    /// own where the origin is near.
    pub direction: DVec3,
    /// Whether the origin is in the simplex.
    pub inside: bool,
    /// Whether it certainly is, all rounding considered.
    pub deep: bool,
}

/// Where the origin is, seen from a simplex of four vertices.
enum Around {
    /// Inside.
    Origin(Nearest),
    /// Beyond these of the faces that meet in the last vertex.
    BesideFaces([bool; 3]),
    /// Beyond the face without it, or the simplex is too flat to tell.
    Unsure,
}

/// A convex combination of some vertices.
struct Combination {
    squared: f64,
    weights: [f64; 4],
    direction: DVec3,
}

impl Simplex {
    pub(super) fn new(vertex: Vertex) -> Self {
        Self { vertices: [vertex; 4], weights: [1.0, 0.0, 0.0, 0.0], count: 1 }
    }

    /// Adds a vertex, goes over to the face of the simplex in which the nearest point lies, and
    /// returns that. `error` is how far each vertex may be off.
    pub(super) fn add(&mut self, vertex: Vertex, error: f64) -> Nearest {
        self.vertices[self.count.min(3)] = vertex;
        let last = self.count.min(3);
        // Where the origin is far, it is clear in which face the nearest point is; next to it all
        // are looked at.
        let far = NEAR * self.vertices[..=last].iter().fold(0.0, |far: f64, v| far.max(v.difference.length_squared()));
        if last == 2
            && let Some(best) = self.on_face(0, 1, 2)
            && best.squared > far
        {
            return self.reduced_to(best);
        }
        if last == 3 {
            let faces = match self.around_origin(error) {
                Around::Origin(nearest) => return nearest,
                Around::BesideFaces(faces) => faces,
                Around::Unsure => [false; 3],
            };
            // Where the nearest point of a face's plane is in the face, it is the simplex's.
            for ((i, j), beside) in [(2, 1), (2, 0), (1, 0)].into_iter().zip(faces) {
                if beside
                    && let Some(best) = self.on_face(i, j, last)
                    && best.squared > far
                {
                    return self.reduced_to(best);
                }
            }
        }
        let p = vertex.difference;
        let mut best = Combination { squared: p.length_squared(), weights: weights([(last, 1.0)]), direction: p };
        for i in 0..last {
            best.offer(self.on_edge(i, last));
            for j in 0..i {
                best.offer(self.on_face(i, j, last));
            }
        }
        self.reduced_to(best)
    }

    /// The four vertices of a simplex that has the origin inside.
    pub(super) fn vertices(&self) -> [Vertex; 4] {
        self.vertices
    }

    fn difference(&self, i: usize) -> DVec3 {
        self.vertices[i].difference
    }

    fn on_edge(&self, i: usize, last: usize) -> Option<Combination> {
        let p = self.difference(last);
        let edge = self.difference(i) - p;
        let squared_edge = edge.length_squared();
        let at = -p.dot(edge) / squared_edge;
        // Not so either where the edge has no length.
        if !(at > 0.0 && at < 1.0) {
            return None;
        }
        let nearest = p + edge * at;
        let direction = nearest - edge * (nearest.dot(edge) / squared_edge);
        let weights = weights([(last, 1.0 - at), (i, at)]);
        Some(Combination { squared: nearest.length_squared(), weights, direction })
    }

    fn on_face(&self, i: usize, j: usize, last: usize) -> Option<Combination> {
        let p = self.difference(last);
        let (e, f) = (self.difference(i) - p, self.difference(j) - p);
        let normal = e.cross(f);
        let squared_normal = normal.length_squared();
        let (at_e, at_f) = (-normal.dot(p.cross(f)) / squared_normal, -normal.dot(e.cross(p)) / squared_normal);
        let rest = 1.0 - at_e - at_f;
        if !(at_e > 0.0 && at_f > 0.0 && rest > 0.0) {
            return None;
        }
        let mut nearest = p + e * at_e + f * at_f;
        let mut weights = weights([(last, rest), (i, at_e), (j, at_f)]);
        if nearest.length_squared() < NEAR * e.length_squared().max(f.length_squared()) {
            // On a thin face the weights are so far off that the point is beside its place: what is
            // left of it along the face is taken away in a second round.
            let beside = nearest - normal * (normal.dot(nearest) / squared_normal);
            let by_e = -normal.dot(beside.cross(f)) / squared_normal;
            let by_f = -normal.dot(e.cross(beside)) / squared_normal;
            let (at_e, at_f) = ((at_e + by_e).max(0.0), (at_f + by_f).max(0.0));
            nearest = p + e * at_e + f * at_f;
            weights[last] = (1.0 - at_e - at_f).max(0.0);
            (weights[i], weights[j]) = (at_e, at_f);
        }
        let direction = if normal.dot(p) < 0.0 { -normal } else { normal };
        Some(Combination { squared: nearest.length_squared(), weights, direction })
    }

    /// For four vertices around the origin: the point there, the inward normal of the nearest face,
    /// and whether all is certain. Else beyond which of the faces that meet in the last vertex the
    /// origin is, each named by the vertex that is not on it.
    ///
    /// Volumes are wrong by at most 32u·L³ with L the longest edge: a dozen roundings of products
    /// of three edges.
    fn around_origin(&mut self, error: f64) -> Around {
        let p = self.difference(3);
        let edges = [0, 1, 2].map(|i| self.difference(i) - p);
        let [e, f, g] = edges;
        let normals = [f.cross(g), g.cross(e), e.cross(f)];
        let volume = e.dot(normals[0]);
        // Six times the volumes of the origin with each face; of the last face, what is left.
        let parts = normals.map(|normal| -p.dot(normal) / volume);
        let rest = 1.0 - parts[0] - parts[1] - parts[2];
        let parts = [parts[0], parts[1], parts[2], rest];
        // Not so either where the simplex is flat.
        if !parts.iter().all(|&part| part >= 0.0) {
            let squared_edges = e.length_squared() * f.length_squared() * g.length_squared();
            let beside = [parts[0] < 0.0, parts[1] < 0.0, parts[2] < 0.0];
            let sure = volume * volume > FLAT * squared_edges && beside.contains(&true);
            return if sure { Around::BesideFaces(beside) } else { Around::Unsure };
        }
        let normals = [normals[0], normals[1], normals[2], (g - e).cross(f - e)];
        let longest = edges.iter().fold((f - e).length_squared().max((g - e).length_squared()), |longest, edge| {
            longest.max(edge.length_squared())
        });
        let uncertain = 32.0 * UNIT_ROUNDOFF * longest * longest.sqrt();
        let (mut depth, mut nearest_face) = (f64::INFINITY, DVec3::X);
        let mut deep = true;
        for (part, normal) in parts.into_iter().zip(normals) {
            let length = normal.length();
            let height = part * volume.abs();
            deep &= height - uncertain > 4.0 * error * length;
            if height / length < depth {
                (depth, nearest_face) = (height / length, normal);
            }
        }
        // As on a face, what the rounding of the weights has left is taken away.
        let left: DVec3 = (0..4).map(|i| self.difference(i) * parts[i]).sum();
        let [x, y, z] = [0, 1, 2].map(|i| parts[i] - left.dot(normals[i]) / volume);
        self.weights = [x, y, z, 1.0 - x - y - z].map(|part| part.clamp(0.0, 1.0));
        // Inward: to where the simplex's middle is, seen from the face.
        let middle = p + (e + f + g) * 0.25;
        let direction = if nearest_face.dot(middle) < 0.0 { -nearest_face } else { nearest_face };
        Around::Origin(Nearest { squared: 0.0, direction, inside: true, deep })
    }

    /// The points of both cores whose difference is the nearest point of the last answer.
    pub(super) fn points(&self) -> (DVec3, DVec3) {
        let mut points = (DVec3::ZERO, DVec3::ZERO);
        for (vertex, &weight) in self.vertices.iter().zip(&self.weights) {
            points.0 += vertex.a * weight;
            points.1 += vertex.b * weight;
        }
        points
    }

    fn reduced_to(&mut self, best: Combination) -> Nearest {
        self.count = 0;
        self.weights = [0.0; 4];
        for (i, weight) in best.weights.into_iter().enumerate() {
            if weight > 0.0 {
                if i != self.count {
                    self.vertices[self.count] = self.vertices[i];
                }
                self.weights[self.count] = weight;
                self.count += 1;
            }
        }
        Nearest { squared: best.squared, direction: best.direction, inside: false, deep: false }
    }
}

impl Combination {
    fn offer(&mut self, other: Option<Self>) {
        if let Some(other) = other
            && other.squared < self.squared
        {
            *self = other;
        }
    }
}

/// Four weights of which the given ones are not zero.
fn weights<const N: usize>(some: [(usize, f64); N]) -> [f64; 4] {
    let mut weights = [0.0; 4];
    some.into_iter().for_each(|(i, weight)| weights[i] = weight);
    weights
}
