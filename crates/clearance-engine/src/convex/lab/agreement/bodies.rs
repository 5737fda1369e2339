//! The bodies that are judged, and where they are put.

use crate::Pose;
use crate::math::{DMat3, DQuat, DVec3};
use crate::random::Random;
use crate::shape::{Convex, ConvexPolyhedron};
use std::f64::consts::TAU;

pub(super) fn vector(random: &mut Random) -> DVec3 {
    DVec3::new(random.signed(), random.signed(), random.signed())
}

pub(super) fn rotation(random: &mut Random) -> DQuat {
    let turn = DQuat::from_xyzw(random.signed(), random.signed(), random.signed(), random.signed());
    if turn.length() > 0.1 { turn.normalize() } else { DQuat::IDENTITY }
}

pub(super) fn magnitude(random: &mut Random, low: f64, high: f64) -> f64 {
    10.0_f64.powf(random.between(low, high))
}

/// The nonagonal antiprism of the paper on boxes.
fn antiprism() -> Vec<DVec3> {
    let vertex = |i: u32| {
        let (sin, cos) = (TAU * f64::from(i) / 18.0).sin_cos();
        DVec3::new(cos, sin, if i.is_multiple_of(2) { 0.4 } else { -0.4 })
    };
    (0..18).map(vertex).collect()
}

fn icosahedron() -> Vec<DVec3> {
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let signs = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let vertex = |(s, t): (f64, f64)| {
        [DVec3::new(0.0, s, t * golden), DVec3::new(s, t * golden, 0.0), DVec3::new(t * golden, 0.0, s)]
    };
    signs.into_iter().flat_map(vertex).collect()
}

fn prism(sides: u32) -> Vec<DVec3> {
    let vertex = |i: u32| {
        let (sin, cos) = (TAU * f64::from(i / 2) / f64::from(sides)).sin_cos();
        DVec3::new(cos, sin, if i.is_multiple_of(2) { 1.0 } else { -1.0 })
    };
    (0..2 * sides).map(vertex).collect()
}

/// Up to 18 of them.
fn few_points(random: &mut Random) -> Vec<DVec3> {
    let cube =
        || (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5).collect();
    match random.below(8) {
        0 => cube(),
        1 => DVec3::AXES.iter().flat_map(|&axis| [axis, -axis]).collect(),
        2 => icosahedron(),
        3 => antiprism(),
        4 => vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
        _ => (0..5 + random.below(8)).map(|_| vector(random)).collect(),
    }
}

/// On a sphere, on one with coordinates on a grid, so that faces have more than three vertices, in
/// a box, or those of a prism.
fn many_points(random: &mut Random) -> Vec<DVec3> {
    let on_sphere = |random: &mut Random| rotation(random) * DVec3::Z;
    match random.below(5) {
        0 => (0..300).map(|_| vector(random)).collect(),
        1 => (0..70).map(|_| (on_sphere(random) * 8.0).round()).collect(),
        2 => prism(17 + random.below(8) as u32),
        _ => (0..34 + random.below(27)).map(|_| on_sphere(random)).collect(),
    }
}

/// The hull of points, about its own origin: as it is, or a sliver or a needle, of any size.
fn hull(
    random: &mut Random,
    vertices: std::ops::RangeInclusive<usize>,
    points: fn(&mut Random) -> Vec<DVec3>,
) -> ConvexPolyhedron {
    loop {
        let thin = magnitude(random, -7.0, -1.0);
        let stretch = match random.below(6) {
            0 => DVec3::new(1.0, 1.0, thin),
            1 => DVec3::new(1.0, thin, thin),
            _ => DVec3::ONE,
        };
        let scale = if random.below(2) == 0 { 1.0 } else { magnitude(random, -6.0, 6.0) };
        let points: Vec<DVec3> = points(random).into_iter().map(|point| point * stretch * scale).collect();
        match ConvexPolyhedron::hull_of(&points) {
            Ok(body) if vertices.contains(&body.vertex_count()) => return body,
            _ => {}
        }
    }
}

/// A body with up to 18 vertices, each of its extents from 1e-16 to 1e14.
pub(super) fn body_of_any_extents(random: &mut Random) -> ConvexPolyhedron {
    loop {
        let extents = DVec3::from_array([(); 3].map(|()| magnitude(random, -16.0, 14.0)));
        let points: Vec<DVec3> = few_points(random).into_iter().map(|point| point * extents).collect();
        if let Ok(body) = ConvexPolyhedron::hull_of(&points) {
            return body;
        }
    }
}

/// A body with up to 18 vertices.
pub(super) fn body(random: &mut Random) -> ConvexPolyhedron {
    hull(random, 4..=18, few_points)
}

/// One with more than by which the default searches over simplices.
pub(super) fn body_of_many_vertices(random: &mut Random) -> ConvexPolyhedron {
    hull(random, 33..=60, many_points)
}

/// A body somewhere, and how it came there.
pub(super) struct Placed {
    /// About the origin and not turned.
    pub rest: ConvexPolyhedron,
    pub pose: Pose,
    /// What `rest` is after that: to the last bit.
    pub body: ConvexPolyhedron,
}

impl Placed {
    /// A body that was not turned before, with its centre elsewhere.
    pub(super) fn new(body: &ConvexPolyhedron, turn: DMat3, center: DVec3) -> Self {
        let rest = body.transformed(&Pose::from_translation(-body.center()).unwrap());
        assert_eq!(rest.center(), DVec3::ZERO);
        // As two motions, since the rotation is rounded with each.
        let turn = Pose::from_matrix(turn, DVec3::ZERO).unwrap();
        let pose = Pose::from_translation(center).unwrap().then(&turn);
        let body = rest.transformed(&pose);
        Self { rest, pose, body }
    }
}

/// The second body somewhere about the first.
pub(super) fn placed(random: &mut Random, a: &ConvexPolyhedron, b: &ConvexPolyhedron) -> Placed {
    let size = a.bounding_radius().min(b.bounding_radius());
    let gap = match random.below(5) {
        0 => 0.0,
        1 => magnitude(random, -12.0, 6.0),
        2 => -size * magnitude(random, -12.0, 0.0),
        _ => size * magnitude(random, -12.0, 2.0),
    };
    let turned = |random: &mut Random| match random.below(3) {
        0 => DMat3::IDENTITY,
        1 => DMat3::from_quat(DQuat::from_rotation_y(0.5 * TAU / 2.0) * DQuat::from_rotation_x(TAU / 4.0)),
        _ => DMat3::from_quat(rotation(random)),
    };
    let (turn, direction) = match random.below(6) {
        // Face on face, the second body turned so that its face looks the opposite way.
        0 => {
            let normal = a.face_normal(random.below(a.face_count()) as u32);
            let face = b.face_normal(random.below(b.face_count()) as u32);
            (DMat3::from_quat(DQuat::from_rotation_arc(face, -normal)), normal)
        }
        // On a face with whatever is there.
        1 => (turned(random), a.face_normal(random.below(a.face_count()) as u32)),
        // Edge across edge.
        2 => {
            let turn = turned(random);
            let edge = |body: &ConvexPolyhedron, from: u32| body.vertex(body.neighbors(from)[0]) - body.vertex(from);
            let (e, f) =
                (edge(a, random.below(a.vertex_count()) as u32), edge(b, random.below(b.vertex_count()) as u32));
            (turn, e.normalize().cross(turn * f.normalize()).try_normalize().unwrap_or(DVec3::X))
        }
        // Vertex to vertex, mostly.
        3 | 4 => (turned(random), vector(random).try_normalize().unwrap_or(DVec3::X)),
        // Deep inside.
        _ => {
            let place = a.center() + vector(random) * 0.2 * a.bounding_radius();
            return Placed::new(b, turned(random), place);
        }
    };
    let turned = b.transformed(&Pose::from_matrix(turn, DVec3::ZERO).unwrap());
    let shift = a.center() + a.support(direction) + direction * gap - turned.center() - turned.support(-direction);
    // Along the surface, so that not only support vertices meet.
    let aside = vector(random).reject_from(direction) * if random.below(2) == 0 { 0.3 * size } else { 0.0 };
    Placed::new(b, turn, turned.center() + (shift + aside))
}

/// Any 4 to 16 points of a grid of 5 × 5 × 5, those in the hull are its vertices: in units of which
/// the mean of as many is an integer.
pub(super) fn body_on_grid(random: &mut Random) -> Placed {
    /// The least number that all up to 16 divide.
    const UNIT: f64 = 720_720.0;
    loop {
        let count = [4, 6, 8, 16][random.below(4)];
        let point = |random: &mut Random| DVec3::from_array([(); 3].map(|()| random.below(5) as f64)) * UNIT;
        let points: Vec<DVec3> = match random.below(3) {
            0 => {
                let size = point(random) + UNIT;
                (0..8).map(|i| size * DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect()
            }
            _ => (0..count).map(|_| point(random)).collect(),
        };
        if let Ok(body) = ConvexPolyhedron::hull_of(&points) {
            let turn = DMat3::from_cols_array_2d(&match random.below(3) {
                0 => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
                1 => [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
                _ => [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
            });
            let place = point(random) - point(random);
            return Placed::new(&body, turn, turn * body.center() + place);
        }
    }
}
