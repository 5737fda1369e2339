//! Pairs of triangles that are hard in different ways.

use crate::Triangle;
use crate::math::{DMat3, DQuat, DVec3};
use crate::random::Random;

/// A family's name and how one of its pairs is made.
type Family = (&'static str, fn(&mut Random) -> [Triangle; 2]);

/// All families, at size 1 around the origin.
pub(super) const FAMILIES: [Family; 14] = [
    ("random", random),
    ("integer grid", grid),
    ("integer grid, one unit in the last place off", grid_off_by_one_ulp),
    ("needles", needles),
    ("slivers almost in touch", slivers),
    ("parallel planes", parallel_planes),
    ("parallel planes and edges", parallel_edges),
    ("one plane", one_plane),
    ("shared vertices", shared_vertices),
    ("a vertex on the other", touching),
    ("nearly parallel edges", nearly_parallel_edges),
    ("segments and points", degenerate),
    ("different sizes", different_sizes),
    ("crossing", crossing),
];

/// A pair of some family, at some scale and offset, rotated or not.
pub(super) fn any_pair(random: &mut Random) -> (&'static str, Triangle, Triangle) {
    let (name, make) = FAMILIES[random.below(FAMILIES.len())];
    let [a, b] = make(random);
    let rotation = if random.below(2) == 0 { DMat3::IDENTITY } else { rotation(random) };
    let scale = [1.0, 1.0, 1.0, 1e-6, 1e6, 1e-30, 1e30, 3.7e-6][random.below(8)];
    let offset = [DVec3::ZERO, DVec3::ZERO, direction(random) * 1e6, direction(random)][random.below(4)];
    let place = |vertex: DVec3| (rotation * vertex + offset) * scale;
    let (a, b) = (a.map(place), b.map(place));
    if random.below(2) == 0 { (name, a, b) } else { (name, b, a) }
}

pub(super) fn point(random: &mut Random, size: f64) -> DVec3 {
    DVec3::new(random.between(-size, size), random.between(-size, size), random.between(-size, size))
}

pub(super) fn direction(random: &mut Random) -> DVec3 {
    loop {
        let vector = point(random, 1.0);
        if (0.01..1.0).contains(&vector.length_squared()) {
            return vector.normalize();
        }
    }
}

fn rotation(random: &mut Random) -> DMat3 {
    DMat3::from_quat(DQuat::from_axis_angle(direction(random), random.between(0.0, 6.0)))
}

/// A power of ten, uniform in its exponent.
fn magnitude(random: &mut Random, low: f64, high: f64) -> f64 {
    10.0_f64.powf(random.between(low, high))
}

pub(super) fn triangle(random: &mut Random) -> Triangle {
    Triangle([point(random, 1.0), point(random, 1.0), point(random, 1.0)])
}

pub(super) fn random(random: &mut Random) -> [Triangle; 2] {
    let shift = direction(random) * random.between(0.0, 4.0);
    [triangle(random), triangle(random).map(|vertex| vertex + shift)]
}

fn grid(random: &mut Random) -> [Triangle; 2] {
    let size = 2 + random.below(4);
    let mut vertex = || DVec3::from_array([0; 3].map(|_| random.below(size) as f64));
    [Triangle([vertex(), vertex(), vertex()]), Triangle([vertex(), vertex(), vertex()])]
}

fn grid_off_by_one_ulp(random: &mut Random) -> [Triangle; 2] {
    let third = if random.below(2) == 0 { 1.0 } else { 3.0 };
    grid(random).map(|triangle| {
        triangle.map(|vertex| {
            DVec3::from_array(vertex.to_array().map(|x| match random.below(6) {
                0 if x == 0.0 => 1e-30,
                1 if x == 0.0 => -1e-30,
                0 => (x / third).next_up(),
                1 => (x / third).next_down(),
                _ => x / third,
            }))
        })
    })
}

/// A triangle of length 1 whose width is `width`.
fn needle(random: &mut Random, width: f64) -> Triangle {
    let (start, along) = (point(random, 1.0), direction(random));
    let across = along.any_orthonormal_vector() * width;
    Triangle([start, start + along, start + along * random.unit() + across])
}

fn needles(random: &mut Random) -> [Triangle; 2] {
    let mut one = || {
        let width = magnitude(random, -17.0, 0.0);
        needle(random, width)
    };
    [one(), one()]
}

fn slivers(random: &mut Random) -> [Triangle; 2] {
    let width = magnitude(random, -10.0, -2.0);
    let a = needle(random, width);
    let other = magnitude(random, -10.0, 0.0);
    let b = needle(random, other);
    let gap = direction(random) * magnitude(random, -14.0, 0.0);
    // Brings a point of b over a point of a.
    let (p, q) = (inside(random, &a), inside(random, &b));
    [a, b.map(|vertex| vertex - q + p + gap)]
}

fn inside(random: &mut Random, triangle: &Triangle) -> DVec3 {
    let [p, q, r] = triangle.0;
    let (v, w) = (random.unit(), random.unit());
    let (v, w) = if v + w > 1.0 { (1.0 - v, 1.0 - w) } else { (v, w) };
    p + (q - p) * v + (r - p) * w
}

fn parallel_planes(random: &mut Random) -> [Triangle; 2] {
    let gap = magnitude(random, -13.0, 0.0);
    let mut flat =
        |z: f64| Triangle([0; 3].map(|_| DVec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), z)));
    [flat(0.0), flat(gap)]
}

fn parallel_edges(random: &mut Random) -> [Triangle; 2] {
    let [a, _] = parallel_planes(random);
    let size = magnitude(random, -2.0, 1.0);
    let shift = DVec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), magnitude(random, -13.0, 0.0));
    [a, a.map(|vertex| vertex * size + shift)]
}

fn one_plane(random: &mut Random) -> [Triangle; 2] {
    let [a, b] = parallel_planes(random);
    // Half of the time a star of two triangles, which overlap in a hexagon.
    let b = if random.below(2) == 0 { b } else { a.map(|vertex| a.centroid() * random.between(1.9, 2.1) - vertex) };
    // Shears keep the plane exactly where they do not round, and nearly where they do.
    let (x, y) = (random.below(3) as f64, random.below(3) as f64 / 3.0);
    [a, b].map(|triangle| triangle.map(|vertex| DVec3::new(vertex.x, vertex.y, vertex.x * x + vertex.y * y)))
}

fn shared_vertices(random: &mut Random) -> [Triangle; 2] {
    let (a, mut b) = (triangle(random), triangle(random));
    let shared = 1 + random.below(3);
    b.0[..shared].copy_from_slice(&a.0[..shared]);
    b.0.rotate_left(random.below(3));
    [a, b]
}

fn touching(random: &mut Random) -> [Triangle; 2] {
    let (a, mut b) = (triangle(random), triangle(random));
    let normal = a.scaled_normal().normalize();
    let gap = if random.below(3) == 0 { 0.0 } else { magnitude(random, -17.0, -1.0) };
    let on_a = match random.below(3) {
        0 => inside(random, &a),
        1 => a.0[0].lerp(a.0[1], random.unit()),
        _ => a.0[2],
    };
    // Half of the time b rises from there, else it may pass through a.
    let turn = if random.below(2) == 0 && (b.0[1] - on_a).dot(normal) < 0.0 { -1.0 } else { 1.0 };
    b.0[0] = on_a + normal * (gap * turn);
    [a, b]
}

fn nearly_parallel_edges(random: &mut Random) -> [Triangle; 2] {
    let along = direction(random);
    let across = along.any_orthonormal_vector();
    let up = along.cross(across);
    let angle = magnitude(random, -18.0, -1.0);
    let gap = magnitude(random, -14.0, 0.0);
    let (half_a, half_b) = (random.between(0.1, 2.0), random.between(0.1, 2.0));
    let middle = point(random, 1.0);
    let a = [middle - along * half_a, middle + along * half_a];
    let turned = along + across * angle;
    let start = middle + up * gap + along * random.between(-1.0, 1.0);
    let b = [start - turned * half_b, start + turned * half_b];
    let third_a = middle - up * magnitude(random, -6.0, 0.0) + point(random, 0.5).reject_from_normalized(up);
    let third_b = start + up * magnitude(random, -6.0, 0.0) + point(random, 0.5).reject_from_normalized(up);
    [Triangle([a[0], a[1], third_a]), Triangle([b[1], b[0], third_b])]
}

fn degenerate(random: &mut Random) -> [Triangle; 2] {
    let lattice = random.below(2) == 0;
    let mut one = || {
        let mut vertex = || {
            if lattice { DVec3::from_array([0; 3].map(|_| random.below(4) as f64)) } else { point(random, 1.0) }
        };
        let [p, q, r] = [vertex(), vertex(), vertex()];
        match random.below(4) {
            0 => Triangle([p; 3]),
            1 => Triangle([p, q, p]),
            2 => Triangle([p, q, (p + q) * 0.5]),
            _ => Triangle([p, q, r]),
        }
    };
    [one(), one()]
}

fn different_sizes(random: &mut Random) -> [Triangle; 2] {
    let size = magnitude(random, -9.0, 0.0);
    let gap = magnitude(random, -12.0, 6.0);
    let (a, b) = (triangle(random), triangle(random));
    let (on_a, away) = (inside(random, &a), direction(random) * gap);
    [a, b.map(|vertex| vertex * size + on_a + away)]
}

fn crossing(random: &mut Random) -> [Triangle; 2] {
    let (a, b) = (triangle(random), triangle(random));
    let tilt = magnitude(random, -14.0, 0.0);
    let (on_a, on_b) = (inside(random, &a), inside(random, &b));
    // Half of the time nearly in one plane.
    let b = if random.below(2) == 0 {
        b.map(|vertex| vertex - on_b + on_a)
    } else {
        let up = direction(random) * tilt;
        let c = a.map(|vertex| a.0[0] + a.0[1] - vertex);
        Triangle([c.0[0] + up, c.0[1] - up, c.0[2] + up * random.between(-1.0, 1.0)])
    };
    [a, b]
}
