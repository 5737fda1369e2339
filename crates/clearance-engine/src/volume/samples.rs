//! Triangle sets that are hard on bounds, vectors and rotations, for the tests of volumes and their
//! bounds.

use crate::Triangle;
use crate::math::{DMat3, DQuat, DVec3};
pub(crate) use crate::random::Random;

impl Random {
    /// Uniform in the cube [-1, 1]³.
    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    pub(crate) fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.vector();
            if v.length() > 0.1 && v.length() < 1.0 {
                return v.normalize();
            }
        }
    }

    /// Sometimes the identity or a quarter turn, where edges are parallel; sometimes very close to
    /// it.
    pub(crate) fn rotation(&mut self) -> DMat3 {
        let angle = match self.below(6) {
            0 => std::f64::consts::FRAC_PI_2 * self.below(4) as f64,
            1 => 1e-8 * self.signed(),
            _ => 3.2 * self.signed(),
        };
        let axis = if self.below(3) == 0 { DVec3::AXES[self.below(3)] } else { self.direction() };
        DMat3::from_quat(DQuat::from_axis_angle(axis, angle))
    }

    /// `10^x` with x uniform in the range.
    pub(crate) fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        10.0_f64.powf(self.between(low, high))
    }
}

/// The twelve triangles of a turned box.
pub(crate) fn cuboid(half: DVec3, rotation: DMat3, center: DVec3) -> Vec<Triangle> {
    let vertex = |i: usize| {
        let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        center + rotation * (half * DVec3::new(sign(0), sign(1), sign(2)))
    };
    let quads = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).map(|ids| Triangle(ids.map(vertex))).collect()
}

/// One to thirty triangles within [-1, 1]: clouds, boxes, needles, slivers, caps of spheres,
/// vertices of a cube of which many coincide, flat, straight and repeated ones, points; near each
/// other or far flung, large or small, turned or not.
pub(crate) fn triangle_set(random: &mut Random) -> Vec<Triangle> {
    // Small sets more often than large ones: referees take all pairs of triangles.
    let most = 1 + random.below(30);
    let n = 1 + random.below(most);
    let size = if random.below(2) == 0 { 0.5 } else { random.magnitude(-7.0, -0.35) };
    let place = random.vector() * (1.0 - 1.75 * size).max(0.0);
    let frame = random.rotation();
    let thin = random.magnitude(-9.0, 0.0);
    let kind = random.below(10);
    let flattened = match kind {
        2 => return cuboid(DVec3::new(1.0, thin, random.magnitude(-3.0, 0.0)) * size, frame, place),
        3 => DVec3::new(1.0, thin, thin * random.magnitude(-4.0, 0.0)),
        4 => DVec3::new(1.0, 1.0, thin),
        5 => DVec3::new(1.0, random.magnitude(-1.0, 0.0), 0.0),
        6 => DVec3::X,
        _ => DVec3::ONE,
    };
    let any = |random: &mut Random| match kind {
        7 => (random.direction() + DVec3::Z * 3.0).normalize(),
        8 => random.vector().signum(),
        _ => random.vector(),
    };
    let near = random.below(2) == 0;
    let repeated = random.below(8) == 0;
    let as_points = random.below(8) == 0;
    let mut triangles = Vec::new();
    for _ in 0..n {
        let middle = any(random);
        let vertices = [0; 3].map(|_| if near { middle + (any(random) - middle) * 0.3 } else { any(random) });
        let vertices = if as_points { [vertices[0]; 3] } else { vertices };
        let triangle = Triangle(vertices.map(|c| place + frame * (c * flattened * size)));
        triangles.push(if repeated && !triangles.is_empty() { triangles[0] } else { triangle });
    }
    if random.below(4) == 0 {
        triangles.push(Triangle([triangles[0].0[1]; 3]));
    }
    triangles
}

/// A point of some triangle of the set, up to rounding: a vertex, or one of an edge or face.
pub(crate) fn some_point(random: &mut Random, set: &[Triangle]) -> DVec3 {
    let [p, q, r] = set[random.below(set.len())].0;
    match random.below(3) {
        0 => p,
        1 => p + (q - p) * random.between(0.0, 1.0),
        _ => p + (q - p) * random.between(0.0, 0.5) + (r - p) * random.between(0.0, 0.5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_lie_within_one() {
        let mut random = Random(1);
        for _ in 0..2000 {
            for triangle in triangle_set(&mut random) {
                assert!(triangle.0.iter().all(|v| v.abs().max_element() <= 1.0), "{triangle:?}");
            }
        }
    }
}
