//! One to four differences of vertices of two polyhedra, and which of them the point next to the
//! origin is between: without a division or a root, since only the direction of that point counts
//! on the way.

use super::polyhedron_polyhedron::Vertices;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use std::hint::select_unpredictable;

/// A difference of vertices.
#[derive(Clone, Copy)]
pub(super) struct Difference {
    pub place: DVec3,
    pub vertex_pair: Vertices,
}

/// One to four differences.
pub(super) struct Simplex {
    pub vertices: [Difference; 4],
    pub count: usize,
}

/// Where the point of a simplex next to the origin is.
pub(super) enum Nearest {
    /// This way from the origin, of any length.
    Towards(DVec3),
    Inside(Inside),
    /// Not where the last vertex is, or the simplex is flat.
    Unsure,
}

/// Four vertices with the origin between them, up to rounding.
pub(super) struct Inside {
    /// Six times the volumes of the origin with the faces that do not have each vertex.
    pub parts: [f64; 4],
    /// Normals of those faces, twice their area long.
    normals: [DVec3; 4],
    /// The longest squared edge.
    longest: f64,
}

impl Inside {
    /// Volumes are wrong by at most 32u·L³ with L the longest edge, and each vertex may be off by
    /// `error`.
    #[inline(always)]
    pub(super) fn is_sure(&self, error: f64) -> bool {
        let uncertain = 32.0 * UNIT_ROUNDOFF * self.longest * self.longest.sqrt();
        let squared = 16.0 * error * error;
        self.parts.iter().zip(&self.normals).all(|(part, normal)| {
            let height = part - uncertain;
            height > 0.0 && height * height > squared * normal.length_squared()
        })
    }
}

/// The nearest point of a triangle: a direction from the origin and which vertices it is between,
/// the last one always.
struct OnTriangle {
    direction: DVec3,
    with: [bool; 2],
}

impl Simplex {
    pub(super) const EMPTY: Self =
        Self { vertices: [Difference { place: DVec3::ZERO, vertex_pair: (0, 0) }; 4], count: 0 };

    /// Adds a vertex and goes over to the face of the simplex in which the nearest point is.
    #[inline(always)]
    pub(super) fn add(&mut self, next: Difference) -> Nearest {
        let p = next.place;
        match self.count {
            0 => {
                (self.vertices[0], self.count) = (next, 1);
                Nearest::Towards(p)
            }
            1 => {
                let (t, e) = along(p, self.vertices[0].place);
                if t <= 0.0 {
                    self.vertices[0] = next;
                    return Nearest::Towards(p);
                }
                (self.vertices[1], self.count) = (next, 2);
                Nearest::Towards(p * e.length_squared() + e * t)
            }
            2 => {
                let found = on_triangle(p, self.vertices[0].place, self.vertices[1].place);
                self.keep([0, 1], &found, next);
                Nearest::Towards(found.direction)
            }
            _ => self.add_fourth(next),
        }
    }

    #[inline(always)]
    fn add_fourth(&mut self, next: Difference) -> Nearest {
        let p = next.place;
        let [q, r, s] = [self.vertices[0].place, self.vertices[1].place, self.vertices[2].place];
        let (e, f, g) = (q - p, r - p, s - p);
        let normals = [f.cross(g), g.cross(e), e.cross(f)];
        let volume = e.dot(normals[0]);
        let sign = 1.0_f64.copysign(volume);
        let parts = [-sign * p.dot(normals[0]), -sign * p.dot(normals[1]), -sign * p.dot(normals[2])];
        let rest = volume.abs() - parts[0] - parts[1] - parts[2];
        // The pairs of vertices on the faces with the new one that the origin is beyond.
        let mut best: Option<(f64, [usize; 2], OnTriangle)> = None;
        for (part, pair) in parts.into_iter().zip([[1, 2], [2, 0], [0, 1]]) {
            if part < 0.0 {
                let found = on_triangle(p, self.vertices[pair[0]].place, self.vertices[pair[1]].place);
                let along = found.direction.dot(p);
                let squared = along * along / found.direction.length_squared();
                if best.as_ref().is_none_or(|best| squared < best.0) {
                    best = Some((squared, pair, found));
                }
            }
        }
        if let Some((_, pair, found)) = best {
            self.keep(pair, &found, next);
            return Nearest::Towards(found.direction);
        }
        if rest < 0.0 || volume == 0.0 || volume.is_nan() {
            return Nearest::Unsure;
        }
        self.vertices[3] = next;
        let edges = [e, f, g, f - e, g - e, g - f];
        let longest = edges.iter().fold(0.0, |longest: f64, edge| longest.max(edge.length_squared()));
        let normals = [normals[0], normals[1], normals[2], (f - e).cross(g - e)];
        Nearest::Inside(Inside { parts: [parts[0], parts[1], parts[2], rest], normals, longest })
    }

    /// Keeps those of two vertices that count, and a new one. A vertex that stays where it is is
    /// not read: what was written in parts is read late.
    #[inline(always)]
    fn keep(&mut self, [q, r]: [usize; 2], found: &OnTriangle, next: Difference) {
        match found.with {
            [true, true] => {
                if [q, r] != [0, 1] {
                    (self.vertices[0], self.vertices[1]) = (self.vertices[q], self.vertices[r]);
                }
                (self.vertices[2], self.count) = (next, 3);
            }
            [true, false] => self.keep_one(q, next),
            [false, true] => self.keep_one(r, next),
            [false, false] => (self.vertices[0], self.count) = (next, 1),
        }
    }

    #[inline(always)]
    fn keep_one(&mut self, kept: usize, next: Difference) {
        if kept != 0 {
            self.vertices[0] = self.vertices[kept];
        }
        (self.vertices[1], self.count) = (next, 2);
    }

    /// What each of up to three vertices contributes to the nearest point.
    #[inline(always)]
    pub(super) fn weights(&self) -> [f64; 3] {
        let [p, q, r] = [self.vertices[0].place, self.vertices[1].place, self.vertices[2].place];
        match self.count {
            1 => [1.0, 0.0, 0.0],
            2 => {
                let (t, e) = along(p, q);
                let part = (t / e.length_squared()).clamp(0.0, 1.0);
                [1.0 - part, part, 0.0]
            }
            _ => {
                let (e, f) = (q - p, r - p);
                let normal = e.cross(f);
                let squared = normal.length_squared();
                // Without a normal, which another vertex's edges may have had, the first vertex is
                // as good a guess as any.
                let scale = if squared > 0.0 { 1.0 / squared } else { 0.0 };
                let part_q = (-normal.dot(p.cross(f)) * scale).clamp(0.0, 1.0);
                let part_r = (-normal.dot(e.cross(p)) * scale).clamp(0.0, 1.0 - part_q);
                [1.0 - part_q - part_r, part_q, part_r]
            }
        }
    }
}

/// How far the origin is along an edge from p to q, times its length, and the edge.
#[inline(always)]
fn along(p: DVec3, q: DVec3) -> (f64, DVec3) {
    let e = q - p;
    (-p.dot(e), e)
}

/// The nearest point of a triangle that is inside of it or on one of the two edges at p.
#[inline(always)]
fn on_triangle(p: DVec3, q: DVec3, r: DVec3) -> OnTriangle {
    let ((t_e, e), (t_f, f)) = (along(p, q), along(p, r));
    let normal = e.cross(f);
    let (part_q, part_r) = (-normal.dot(p.cross(f)), -normal.dot(e.cross(p)));
    if part_q > 0.0 && part_r > 0.0 && part_q + part_r < normal.length_squared() {
        return OnTriangle { direction: normal * 1.0_f64.copysign(normal.dot(p)), with: [true, true] };
    }
    let (squared_e, squared_f) = (e.length_squared(), f.length_squared());
    // The edge that leads nearer: as likely one as the other, which no processor foresees.
    let nearer_q = (t_f <= 0.0) | ((t_e > 0.0) & (t_e * t_e * squared_f >= t_f * t_f * squared_e));
    let (t, squared) = select_unpredictable(nearer_q, (t_e, squared_e), (t_f, squared_f));
    let edge = select_unpredictable(nearer_q, e, f);
    if t > 0.0 {
        OnTriangle { direction: p * squared + edge * t, with: [nearer_q, !nearer_q] }
    } else {
        OnTriangle { direction: p, with: [false, false] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of three differences in one line, rounding may leave a normal to the edges at one of them
    /// and none to those at another.
    #[test]
    fn weights_of_differences_in_a_line_are_numbers_that_add_up() {
        let places = [
            [2.2401383848268104, 0.4254819867914819, 0.25],
            [1.0115674680863638, 0.19213265529053042, 0.25],
            [-0.2170034486540826, -0.04121667621042113, 0.25],
        ];
        let mut simplex = Simplex::EMPTY;
        for (vertex, place) in simplex.vertices.iter_mut().zip(places) {
            vertex.place = DVec3::from_array(place);
        }
        simplex.count = 3;
        let weights = simplex.weights();
        assert!(weights.iter().all(|weight| (0.0..=1.0).contains(weight)), "{weights:?}");
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-15, "{weights:?}");
    }
}
