//! Building blocks of closed meshes: everything is a *loft*, a skin over a sequence of rings of
//! points.
//!
//! Invariant: each block is closed, wound outward (its signed volume is positive) and without
//! degenerate triangles, for the sizes that its documentation asks for. Blocks that are added to
//! one another stay closed parts of one triangle mesh; where they overlap, the winding number is 2,
//! which is inside as well.
//!
//! Numbers of triangles are known in advance: a strip between two rings of `n` points has 2n, one
//! between a ring and a point n, a flat end n (n − 2 if n ≤ 4).

use crate::picture::Color;
use clearance_engine::math::{DMat3, DQuat, DVec3};
use clearance_engine::{Result, TriMesh};
use std::f64::consts::{FRAC_PI_2, TAU};

/// How a loft ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// The first and the last ring are filled, unless they are points.
    Capped,
    /// The last ring is followed by the first.
    Joined,
}

/// A growing triangle mesh of closed parts, each triangle with its colour.
#[derive(Debug, Clone, Default)]
pub struct Solid {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    colors: Vec<Color>,
}

/// The colour of a block that was not painted.
const UNPAINTED: Color = [200, 200, 200];

impl Solid {
    /// The number of triangles.
    pub fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    /// This and another block as one.
    pub fn with(mut self, other: Solid) -> Self {
        let offset = self.vertices.len() as u32;
        self.vertices.extend(other.vertices);
        self.triangles.extend(other.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + offset)));
        self.colors.extend(other.colors);
        self
    }

    /// All of these blocks as one.
    pub fn union(parts: impl IntoIterator<Item = Solid>) -> Self {
        parts.into_iter().fold(Self::default(), Solid::with)
    }

    /// The block with all of its triangles in one colour.
    pub fn painted(mut self, color: Color) -> Self {
        self.colors.fill(color);
        self
    }

    /// The block with each vertex mapped by `place`, which must keep it from touching itself; an
    /// orientation that it reverses is restored.
    pub fn displaced(mut self, place: impl Fn(DVec3) -> DVec3) -> Self {
        let was_outward = self.volume() > 0.0;
        self.vertices.iter_mut().for_each(|vertex| *vertex = place(*vertex));
        if (self.volume() > 0.0) != was_outward {
            self.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        self
    }

    /// The block moved.
    pub fn moved(mut self, x: f64, y: f64, z: f64) -> Self {
        self.vertices.iter_mut().for_each(|vertex| *vertex += DVec3::new(x, y, z));
        self
    }

    /// The block turned about an axis through the origin.
    pub fn turned(self, axis: DVec3, angle: f64) -> Self {
        let rotation = DMat3::from_quat(DQuat::from_axis_angle(axis, angle));
        self.displaced(|vertex| rotation * vertex)
    }

    /// The block with its z axis along `direction`, a unit vector, and its x axis along `side` as
    /// nearly as possible.
    pub fn aimed(self, direction: DVec3, side: DVec3) -> Self {
        let x = (side - direction * side.dot(direction)).normalize();
        let basis = DMat3::from_cols(x, direction.cross(x), direction);
        self.displaced(|vertex| basis * vertex)
    }

    /// The block stretched along the axes; none of the factors may be zero.
    pub fn stretched(self, x: f64, y: f64, z: f64) -> Self {
        let factors = DVec3::new(x, y, z);
        self.displaced(|vertex| vertex * factors)
    }

    /// The mesh and the colours of its triangles.
    pub fn into_parts(self) -> Result<(TriMesh, Vec<Color>)> {
        Ok((TriMesh::new(self.vertices, self.triangles)?, self.colors))
    }

    /// Six times the signed volume about the first vertex, so that a far-off block loses no digits.
    fn volume(&self) -> f64 {
        let Some(&origin) = self.vertices.first() else { return 0.0 };
        let points = |triangle: &[u32; 3]| triangle.map(|vertex| self.vertices[vertex as usize] - origin);
        self.triangles.iter().map(points).map(|[a, b, c]| a.cross(b).dot(c)).sum()
    }
}

/// A skin over `rings`, all of the same number of points except for those of one point (a tip),
/// which must not be neighbours. Turned outward if the rings run the other way.
pub fn loft(rings: &[Vec<DVec3>], ends: Ends) -> Solid {
    let mut solid = Solid::default();
    let mut starts = Vec::with_capacity(rings.len());
    for ring in rings {
        starts.push(solid.vertices.len() as u32);
        solid.vertices.extend(ring);
    }
    let strips = if ends == Ends::Joined { rings.len() } else { rings.len() - 1 };
    for i in 0..strips {
        let j = (i + 1) % rings.len();
        strip(&mut solid.triangles, (starts[i], rings[i].len() as u32), (starts[j], rings[j].len() as u32));
    }
    if ends == Ends::Capped {
        let last = rings.len() - 1;
        cap(&mut solid, starts[0], &rings[0], true);
        cap(&mut solid, starts[last], &rings[last], false);
    }
    if solid.volume() < 0.0 {
        solid.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    solid.colors = vec![UNPAINTED; solid.triangles.len()];
    solid
}

/// The triangles between two rings, each given by its first vertex and its number of points.
fn strip(triangles: &mut Vec<[u32; 3]>, (low, low_count): (u32, u32), (high, high_count): (u32, u32)) {
    let count = low_count.max(high_count);
    for i in 0..count {
        let j = (i + 1) % count;
        if low_count == 1 {
            triangles.push([low, high + j, high + i]);
        } else if high_count == 1 {
            triangles.push([low + i, low + j, high]);
        } else {
            triangles.extend([[low + i, low + j, high + j], [low + i, high + j, high + i]]);
        }
    }
}

/// Fills the ring that starts at vertex `start`: from its middle, or from its first vertex if it
/// has four or fewer.
fn cap(solid: &mut Solid, start: u32, ring: &[DVec3], first: bool) {
    let count = ring.len() as u32;
    let mut push = |a: u32, b: u32, c: u32| solid.triangles.push(if first { [a, c, b] } else { [a, b, c] });
    match count {
        1 => {}
        2..=4 => (1..count - 1).for_each(|i| push(start, start + i, start + i + 1)),
        _ => {
            let middle = solid.vertices.len() as u32;
            (0..count).for_each(|i| push(middle, start + i, start + (i + 1) % count));
            solid.vertices.push(ring.iter().sum::<DVec3>() / f64::from(count));
        }
    }
}

/// A box of the given size about the origin: 12 triangles.
pub fn cuboid(size: DVec3) -> Solid {
    let half = size * 0.5;
    let ring = |z: f64| [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| half * DVec3::new(x, y, z));
    loft(&[ring(-1.0).to_vec(), ring(1.0).to_vec()], Ends::Capped)
}

/// A box about the origin whose edges and vertices are rounded in `steps` steps (one is a chamfer):
/// the sum of a smaller box and a sphere. `radius` is less than half of the shortest side. 44
/// triangles for one step, 108 for two, 204 for three.
pub fn rounded_box(size: DVec3, radius: f64, steps: usize) -> Solid {
    let core = size * 0.5 - DVec3::splat(radius);
    let quarter = |step: usize| step as f64 / steps as f64 * FRAC_PI_2;
    let vertex = |quadrant: usize| {
        let sign = |positive: bool| if positive { 1.0 } else { -1.0 };
        (sign(quadrant == 0 || quadrant == 3), sign(quadrant < 2))
    };
    // Rings below the flat top: at each of the four vertices `steps + 1` points of a quarter
    // circle.
    let ring = |rise: f64, z_sign: f64| -> Vec<DVec3> {
        let points = (0..4).flat_map(|quadrant| (0..=steps).map(move |step| (quadrant, step)));
        let place = |(quadrant, step): (usize, usize)| {
            let (sx, sy) = vertex(quadrant);
            let angle = quadrant as f64 * FRAC_PI_2 + quarter(step);
            let sphere = DVec3::new(rise.cos() * angle.cos(), rise.cos() * angle.sin(), z_sign * rise.sin()) * radius;
            DVec3::new(sx * core.x, sy * core.y, z_sign * core.z) + sphere
        };
        points.map(place).collect()
    };
    let below = (0..steps).rev().map(|step| ring(quarter(step), -1.0));
    let above = (0..steps).map(|step| ring(quarter(step), 1.0));
    let rings: Vec<Vec<DVec3>> = below.chain(above).collect();
    let mut solid = open_loft(&rings);
    for (z_sign, ring_start) in [(-1.0, 0), (1.0, ((rings.len() - 1) * rings[0].len()) as u32)] {
        flat_side(&mut solid, ring_start, steps as u32, |quadrant| {
            let (sx, sy) = vertex(quadrant);
            DVec3::new(sx * core.x, sy * core.y, z_sign * size.z * 0.5)
        });
        if z_sign < 0.0 {
            let side = solid.triangles.len() - (4 * steps + 10);
            solid.triangles[side..].iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
    }
    solid.colors = vec![UNPAINTED; solid.triangles.len()];
    solid
}

/// The strips over `rings` without ends.
fn open_loft(rings: &[Vec<DVec3>]) -> Solid {
    let count = rings[0].len() as u32;
    let mut solid = Solid { vertices: rings.concat(), ..Solid::default() };
    for i in 1..rings.len() as u32 {
        strip(&mut solid.triangles, ((i - 1) * count, count), (i * count, count));
    }
    solid
}

/// The flat side of a rounded box beyond the ring that starts at `ring`: a quad, four edges and
/// four vertices.
fn flat_side(solid: &mut Solid, ring: u32, steps: u32, vertex: impl Fn(usize) -> DVec3) {
    let first = solid.vertices.len() as u32;
    solid.vertices.extend((0..4).map(vertex));
    let count = 4 * (steps + 1);
    for quadrant in 0..4 {
        let (start, tip, next) = (ring + quadrant * (steps + 1), first + quadrant, first + (quadrant + 1) % 4);
        (0..steps).for_each(|step| solid.triangles.push([start + step, start + step + 1, tip]));
        let (end, following) = (start + steps, ring + ((quadrant + 1) * (steps + 1)) % count);
        solid.triangles.extend([[end, following, next], [end, next, tip]]);
    }
    solid.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
}

/// A surface of revolution about the z axis from `profile`, points (radius, height); a radius of
/// zero is a tip.
///
/// A capped profile runs along the outside; a joined one is a closed curve (a ring, a torus).
pub fn lathe(profile: &[(f64, f64)], around: usize, ends: Ends) -> Solid {
    let ring = |&(radius, z): &(f64, f64)| {
        if radius == 0.0 {
            vec![DVec3::new(0.0, 0.0, z)]
        } else {
            ellipse(DVec3::new(0.0, 0.0, z), radius, radius, around)
        }
    };
    loft(&profile.iter().map(ring).collect::<Vec<_>>(), ends)
}

/// A surface of revolution through (radius, height) points off the axis, its profile smoothed and
/// its ends flat: 2 · around · (steps · (points − 1) + 1) triangles.
pub fn smooth_lathe(points: &[(f64, f64)], steps: usize, around: usize) -> Solid {
    let path: Vec<DVec3> = points.iter().map(|&(radius, z)| DVec3::new(radius, 0.0, z)).collect();
    let profile: Vec<(f64, f64)> = curve(&path, steps).into_iter().map(|point| (point.x, point.z)).collect();
    lathe(&profile, around, Ends::Capped)
}

/// A ring of points in the plane z = `center.z`.
pub fn ellipse(center: DVec3, half_x: f64, half_y: f64, around: usize) -> Vec<DVec3> {
    section(center, half_x, half_y, 2.0, around)
}

/// A ring of points on the superellipse |x/a|ᵉ + |y/b|ᵉ = 1: an ellipse for e = 2, nearly a
/// rectangle for e = 6.
pub fn section(center: DVec3, half_x: f64, half_y: f64, exponent: f64, around: usize) -> Vec<DVec3> {
    let round = |x: f64| x.signum() * x.abs().powf(2.0 / exponent);
    // Half a step off the axes: the flat sides of box-like sections lie between two points.
    let angle = |i: usize| (i as f64 + 0.5) / around as f64 * TAU;
    let point = |i: usize| DVec3::new(half_x * round(angle(i).cos()), half_y * round(angle(i).sin()), 0.0);
    (0..around).map(|i| center + point(i)).collect()
}

/// A sphere about the origin: 2 · around · rings triangles.
pub fn sphere(radius: f64, around: usize, rings: usize) -> Solid {
    lathe(&arc(radius, 0.0, -FRAC_PI_2, FRAC_PI_2, rings + 1), around, Ends::Capped)
}

/// A profile along a circle about (0, `z`), from one angle to another (−π/2 is the lowest point, 0
/// the outermost) in `steps` steps; its ends on the axis are exactly there.
pub fn arc(radius: f64, z: f64, from: f64, to: f64, steps: usize) -> Vec<(f64, f64)> {
    let point = |i: usize| {
        let angle = from + (to - from) * i as f64 / steps as f64;
        let out = if angle.abs() >= FRAC_PI_2 { 0.0 } else { radius * angle.cos() };
        (out, z + radius * angle.sin())
    };
    (0..=steps).map(point).collect()
}

/// A cylinder along z from `low` to `high` with chamfered rims: 8 · around triangles.
pub fn disc(radius: f64, low: f64, high: f64, chamfer: f64, around: usize) -> Solid {
    let profile =
        [(radius - chamfer, low), (radius, low + chamfer), (radius, high - chamfer), (radius - chamfer, high)];
    lathe(&profile, around, Ends::Capped)
}

/// A torus about the z axis: 2 · along · around triangles.
pub fn torus(major: f64, minor: f64, along: usize, around: usize) -> Solid {
    let angle = |i: usize| i as f64 / around as f64 * TAU;
    let profile: Vec<_> = (0..around).map(|i| (major + minor * angle(i).cos(), minor * angle(i).sin())).collect();
    lathe(&profile, along, Ends::Joined)
}

/// A convex outline in the plane, as thick as `thickness` about z = 0, its rims pulled in by
/// `bevel`: 8 triangles a point.
pub fn prism(outline: &[(f64, f64)], thickness: f64, bevel: f64) -> Solid {
    let middle = outline.iter().map(|&(x, y)| DVec3::new(x, y, 0.0)).sum::<DVec3>() / outline.len() as f64;
    let ring = |z: f64, inset: f64| -> Vec<DVec3> {
        let point = |&(x, y): &(f64, f64)| {
            let out = DVec3::new(x, y, 0.0) - middle;
            middle + out * (1.0 - inset / out.length()) + DVec3::Z * z
        };
        outline.iter().map(point).collect()
    };
    let half = thickness * 0.5;
    let rings = [ring(-half, bevel), ring(bevel - half, 0.0), ring(half - bevel, 0.0), ring(half, bevel)];
    loft(&rings, Ends::Capped)
}

/// A rectangular plate of the given size about the origin with a rectangular hole in its middle: 32
/// triangles.
pub fn frame(size: DVec3, hole_x: f64, hole_y: f64) -> Solid {
    let half = size * 0.5;
    let vertex = |(sx, sy): (f64, f64)| {
        let at = |x: f64, y: f64, z: f64| DVec3::new(sx * x, sy * y, z);
        let (x, y) = (hole_x * 0.5, hole_y * 0.5);
        vec![at(half.x, half.y, -half.z), at(half.x, half.y, half.z), at(x, y, half.z), at(x, y, -half.z)]
    };
    loft(&[(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].map(vertex), Ends::Joined)
}

/// A rod from `a` to `b` with half spheres at its ends, whose radii may differ: 2 · around · (2 ·
/// rings) triangles.
pub fn capsule(a: DVec3, b: DVec3, radius_a: f64, radius_b: f64, around: usize, rings: usize) -> Solid {
    let length = a.distance(b);
    let mut profile = arc(radius_a, 0.0, -FRAC_PI_2, 0.0, rings);
    profile.extend(arc(radius_b, length, 0.0, FRAC_PI_2, rings));
    let direction = (b - a) / length;
    lathe(&profile, around, Ends::Capped).aimed(direction, direction.any_orthonormal_vector()).moved(a.x, a.y, a.z)
}

/// A tube along `path` with flat ends or joined to a loop; `radius` at position 0 … 1 along it.
///
/// The frame along the path turns as little as possible (Wang, Jüttler, Zheng and Liu, *Computation
/// of rotation minimizing frames*, 2008); a loop should lie in a plane, so that its ends meet
/// untwisted.
pub fn tube(path: &[DVec3], radius: impl Fn(f64) -> f64, around: usize, ends: Ends) -> Solid {
    let count = path.len();
    let neighbour = |i: usize, step: usize| match ends {
        Ends::Joined => path[(i + step + count - 1) % count],
        Ends::Capped => path[(i + step).saturating_sub(1).min(count - 1)],
    };
    let tangent = |i: usize| (neighbour(i, 2) - neighbour(i, 0)).normalize();
    let mut side = tangent(0).any_orthonormal_vector();
    let mut rings = Vec::with_capacity(count);
    for i in 0..count {
        let forward = tangent(i);
        if i > 0 {
            side = transported(side, tangent(i - 1), forward, path[i] - path[i - 1]);
        }
        let up = forward.cross(side);
        let size = radius(i as f64 / (count - 1) as f64);
        let angle = |k: usize| k as f64 / around as f64 * TAU;
        rings.push((0..around).map(|k| path[i] + (side * angle(k).cos() + up * angle(k).sin()) * size).collect());
    }
    loft(&rings, ends)
}

/// A direction orthogonal to `from`, carried to the next point of a curve by two reflections.
fn transported(side: DVec3, from: DVec3, to: DVec3, chord: DVec3) -> DVec3 {
    let reflect = |v: DVec3, normal: DVec3| v - normal * (2.0 * v.dot(normal) / normal.length_squared().max(1e-300));
    let (middle_side, middle_forward) = (reflect(side, chord), reflect(from, chord));
    let carried = reflect(middle_side, to - middle_forward);
    (carried - to * carried.dot(to)).normalize()
}

/// A smooth curve through `points` (Catmull and Rom, 1974), `steps` pieces between two of them.
pub fn curve(points: &[DVec3], steps: usize) -> Vec<DVec3> {
    let at = |i: isize| points[i.clamp(0, points.len() as isize - 1) as usize];
    let piece = |i: isize, t: f64| {
        let (a, b, c, d) = (at(i - 1), at(i), at(i + 1), at(i + 2));
        b + ((c - a) + ((a * 2.0 - b * 5.0 + c * 4.0 - d) + (b * 3.0 - a - c * 3.0 + d) * t) * t) * (0.5 * t)
    };
    let pieces = points.len() - 1;
    let inner = (0..pieces * steps).map(|k| piece((k / steps) as isize, (k % steps) as f64 / steps as f64));
    inner.chain([points[pieces]]).collect()
}

/// A round loop of points in the plane of `x` and `y`, two orthogonal unit vectors.
pub fn circle(center: DVec3, x: DVec3, y: DVec3, radius: f64, count: usize) -> Vec<DVec3> {
    let angle = |i: usize| i as f64 / count as f64 * TAU;
    (0..count).map(|i| center + (x * angle(i).cos() + y * angle(i).sin()) * radius).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_engine::shape::check_closed;

    fn blocks() -> Vec<(&'static str, Solid, usize)> {
        let cup = [(0.0, 0.0), (0.3, 0.0), (0.4, 0.5), (0.36, 0.5), (0.26, 0.05), (0.0, 0.05)];
        let bend = curve(&[DVec3::ZERO, DVec3::Z, DVec3::new(1.0, 0.0, 1.5), DVec3::new(1.0, 1.0, 1.5)], 4);
        let ring = circle(DVec3::X, DVec3::Y, DVec3::Z, 0.5, 12);
        let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.2, 0.0)];
        vec![
            ("cuboid", cuboid(DVec3::new(1.0, 2.0, 3.0)), 12),
            ("chamfered box", rounded_box(DVec3::new(1.0, 2.0, 3.0), 0.1, 1), 44),
            ("rounded box", rounded_box(DVec3::new(1.0, 2.0, 3.0), 0.1, 3), 204),
            ("cup", lathe(&cup, 20, Ends::Capped), 20 * 8),
            ("jar", smooth_lathe(&[(0.2, 0.0), (0.3, 0.2), (0.1, 0.5)], 3, 10), 2 * 10 * 7),
            ("ball", sphere(0.5, 16, 6), 2 * 16 * 6),
            ("disc", disc(0.5, -0.2, 0.3, 0.05, 16), 8 * 16),
            ("torus", torus(1.0, 0.2, 24, 12), 2 * 24 * 12),
            ("prism", prism(&square, 0.2, 0.05), 8 * 5),
            ("frame", frame(DVec3::new(2.0, 1.0, 0.1), 1.0, 0.5), 32),
            ("capsule", capsule(DVec3::ZERO, DVec3::new(1.0, 1.0, 0.0), 0.2, 0.1, 10, 3), 2 * 10 * 6),
            ("tube", tube(&bend, |t| 0.2 - 0.1 * t, 8, Ends::Capped), 2 * 8 * 12 + 2 * 8),
            ("loop", tube(&ring, |_| 0.1, 8, Ends::Joined), 2 * 8 * 12),
        ]
    }

    #[test]
    fn every_block_is_closed_wound_outward_not_degenerate_and_has_the_stated_number_of_triangles() {
        for (name, solid, triangles) in blocks() {
            assert!(solid.volume() > 0.0, "{name} is inside out");
            assert_eq!(solid.triangle_count(), triangles, "{name}");
            let (mesh, colors) = solid.into_parts().unwrap();
            check_closed(&mesh).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!((mesh.degenerate_count(), mesh.unreferenced_count()), (0, 0), "{name}");
            assert_eq!(colors.len(), triangles, "{name}");
        }
    }

    #[test]
    fn a_rounded_box_fills_its_size_and_has_the_volume_of_box_plus_sphere() {
        let (size, r) = (DVec3::new(1.0, 2.0, 3.0), 0.2);
        let solid = rounded_box(size, r, 24);
        let core = size - DVec3::splat(2.0 * r);
        let faces = 2.0 * r * (core.x * core.y + core.y * core.z + core.z * core.x);
        let edges = std::f64::consts::PI * r * r * (core.x + core.y + core.z);
        let exact = core.x * core.y * core.z + faces + edges + 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
        let volume = solid.volume() / 6.0;
        assert!(volume < exact && volume > 0.999 * exact, "{volume} is not nearly {exact}");
        let (low, high) = solid.into_parts().unwrap().0.bounding_box();
        assert!((low + size * 0.5).length() < 1e-12 && (high - size * 0.5).length() < 1e-12, "{low} {high}");
    }

    #[test]
    fn mirroring_keeps_a_block_outward() {
        assert!(sphere(1.0, 8, 4).moved(3.0, 2.0, 1.0).stretched(1.0, -1.0, 2.0).volume() > 0.0);
    }
}
