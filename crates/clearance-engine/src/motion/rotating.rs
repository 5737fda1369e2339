//! Continuous collision of two triangles of rotating bodies: until when they are certainly apart
//! along directions that rotate with them.
//!
//! The normal of a face rotates with its body, and all of the face keeps projecting to one number
//! along it; both edges of a pair do along their cross product. So the gap along such a direction
//! is `n(t)·(b(t) − a(t))` of a few pairs of vertices (the signed volume whose roots are the times
//! of vertex–face and edge–edge contacts), each with a speed of its own. It is a trigonometric
//! polynomial. Its value and rate now are known, and the product rule bounds its second rate over a
//! time. The first root of that parabola ([`first_root`]) comes before any of the gap's: a step of
//! Newton's method with an interval for what is left, which misses no root and doubles the digits.
//!
//! Cost: 2 normals and 9 products, of which the few that separate the triangles now have up to four
//! parabolas each; some 0.1 µs.

use super::piece::length;
use super::trajectory::{ABOVE_FACE, Flight, SHORTEST, SLACK, between_edges, first_root};
use crate::math::DVec3;

/// A rotating vector: its present value and rate, and upper bounds of its length and its first and
/// second rate at any time.
#[derive(Clone, Copy)]
struct RotatingVector {
    now: DVec3,
    rate: DVec3,
    length: f64,
    speed: f64,
    bend: f64,
}

impl RotatingVector {
    /// A vector that rotates at a constant rate: neither its length nor its distance from the axis
    /// changes.
    fn with(now: DVec3, angular: DVec3) -> Self {
        let rate = angular.cross(now);
        let speed = length(rate);
        Self { now, rate, length: length(now), speed, bend: length(angular) * speed }
    }

    fn across(&self, other: &Self) -> Self {
        Self {
            now: self.now.cross(other.now),
            rate: self.rate.cross(other.now) + self.now.cross(other.rate),
            length: self.length * other.length,
            speed: self.speed * other.length + self.length * other.speed,
            bend: self.bend * other.length + 2.0 * self.speed * other.speed + self.length * other.bend,
        }
    }
}

/// Two triangles of rotating bodies over some time.
struct RotatingPair<'f> {
    flight: &'f Flight,
    /// Upper bounds, for the difference of two vertices in that time: its length, and its first and
    /// second rate.
    between: [f64; 3],
}

impl<'f> RotatingPair<'f> {
    fn new(flight: &'f Flight, time: f64) -> Self {
        let largest = |vectors: [DVec3; 3]| vectors.into_iter().map(length).fold(0.0, f64::max);
        let origin = flight.triangles[0].0[0];
        let away: f64 = flight.triangles.iter().map(|triangle| largest(triangle.0.map(|vertex| vertex - origin))).sum();
        let bend = 2.0 * flight.bend;
        let speed = flight.velocities.iter().map(|&velocities| largest(velocities)).sum::<f64>() + bend * time;
        Self { flight, between: [away + speed * time, speed, bend] }
    }

    /// The time until which the gaps of pairs of vertices along a direction prove the triangles
    /// apart; not less than `best`.
    fn apart_along(&self, direction: &RotatingVector, pairs: &[(usize, usize)], pad: f64, best: f64) -> f64 {
        let ([a, b], [of_a, of_b]) = (&self.flight.triangles, &self.flight.velocities);
        let between = |&(i, j): &(usize, usize)| b.0[j] - a.0[i];
        let sign = direction.now.dot(between(&pairs[0])).signum();
        let needed = pad * direction.now.length() * (1.0 + SLACK) + SLACK * direction.length * self.between[0];
        let spare = |pair: &(usize, usize)| sign * direction.now.dot(between(pair)) - needed;
        // NaN proves nothing, nor does a direction without a length to measure by.
        if !pairs.iter().all(|pair| spare(pair) > 0.0) || direction.length < SHORTEST {
            return best;
        }
        let [length, speed, bend] = self.between;
        let bend = direction.bend * length + 2.0 * direction.speed * speed + direction.length * bend;
        let bend = 0.5 * bend * (1.0 + SLACK) / direction.length;
        let mut until = f64::INFINITY;
        for pair in pairs {
            let apart = of_b[pair.1] - of_a[pair.0];
            let opening = sign * (direction.rate.dot(between(pair)) + direction.now.dot(apart));
            // The direction's own length may grow, and the required gap with it.
            let closing = pad * direction.speed - opening;
            until = until.min(first_root(spare(pair) / direction.length, closing / direction.length, bend));
            if until <= best {
                return best;
            }
        }
        until
    }
}

/// The latest time, up to `time`, until which two triangles of bodies that rotate at these rates
/// are certainly more than `pad` apart at all times, along directions that rotate with them. It is
/// not less than `best`, which is proven.
pub(super) fn apart_until(flight: &Flight, time: f64, pad: f64, angular: [DVec3; 2], best: f64) -> f64 {
    // The rounding bounds hold for up to a radian.
    let radian = 1.0 / (length(angular[0]) + length(angular[1]));
    let time = if radian < time { radian } else { time };
    let rotating = RotatingPair::new(flight, time);
    let edges = [0, 1].map(|body| {
        let vertices = flight.triangles[body].0;
        [0, 1, 2].map(|k| RotatingVector::with(vertices[(k + 1) % 3] - vertices[k], angular[body]))
    });
    let mut until = best;
    for (body, pairs) in ABOVE_FACE.iter().enumerate() {
        let normal = RotatingVector::with(edges[body][0].now.cross(edges[body][1].now), angular[body]);
        // Its own length may have lost what its edges' product has not.
        let normal = RotatingVector { length: edges[body][0].length * edges[body][1].length, ..normal };
        until = rotating.apart_along(&normal, pairs, pad, until);
    }
    for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
        let product = edges[0][i].across(&edges[1][j]);
        until = rotating.apart_along(&product, &between_edges(i, j), pad, until);
    }
    until.min(time.max(best))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Triangle;
    use crate::math::DQuat;
    use crate::pair::shape::triangle_distance;
    use crate::volume::samples::Random;
    use smallvec::SmallVec;

    /// A triangle of a body that turns about a point which moves straight on.
    struct Spun {
        triangle: Triangle,
        center: DVec3,
        velocity: DVec3,
        angular: DVec3,
    }

    impl Spun {
        fn random(random: &mut Random, away: DVec3) -> Self {
            let triangle = Triangle([(); 3].map(|()| random.vector() + away));
            let (center, velocity) = (random.vector() + away, -away * random.between(0.0, 2.0) + random.vector() * 0.3);
            Self { triangle, center, velocity, angular: random.vector() * random.between(0.0, 3.0) }
        }

        fn at(&self, t: f64) -> Triangle {
            let turn = DQuat::from_scaled_axis(self.angular * t);
            self.triangle.map(|vertex| self.center + self.velocity * t + turn * (vertex - self.center))
        }

        fn arms(&self) -> [DVec3; 3] {
            self.triangle.0.map(|vertex| self.angular.cross(vertex - self.center))
        }
    }

    fn flight(bodies: &[Spun; 2]) -> Flight {
        let bend =
            |body: &Spun| 0.5 * body.angular.length() * body.arms().iter().fold(0.0, |m: f64, v| m.max(v.length()));
        Flight {
            triangles: [bodies[0].triangle, bodies[1].triangle],
            velocities: [0, 1].map(|k| bodies[k].arms().map(|arm| arm + bodies[k].velocity)),
            path: SmallVec::new(),
            bend: (bend(&bodies[0]) + bend(&bodies[1])) * (1.0 + 1e-12),
        }
    }

    #[test]
    fn nothing_comes_nearer_than_the_pad_before_the_time_that_is_proven() {
        let (mut random, mut proven) = (Random(91), 0);
        for case in 0..4000 {
            let bodies = [DVec3::ZERO, DVec3::X * 2.0].map(|away| Spun::random(&mut random, away));
            let pad = [0.0, 1e-9, 0.05][case % 3];
            let until = apart_until(&flight(&bodies), 0.8, pad, [bodies[0].angular, bodies[1].angular], 0.0);
            assert!((0.0..=0.8).contains(&until), "case {case}: {until}");
            proven += usize::from(until > 0.05);
            for i in 0..=50 {
                let t = until * f64::from(i) / 50.0;
                let found = triangle_distance(&bodies[0].at(t), &bodies[1].at(t));
                assert!(until == 0.0 || found.upper >= pad - 1e-12, "case {case}: {found:?} at {t} of {until}");
            }
        }
        assert!(proven > 2000, "{proven}");
    }

    #[test]
    fn a_vertex_and_two_edges_are_come_near_to_by_second_order() {
        // A vertex above a floor, and an edge across another one; both turn with the floor.
        let floor = Triangle([DVec3::new(-2.0, -1.0, 0.0), DVec3::new(2.0, -1.0, 0.0), DVec3::new(0.0, 2.0, 0.0)]);
        let vertex = Triangle([DVec3::new(0.1, 0.2, 1.0), DVec3::new(0.5, 0.0, 2.0), DVec3::new(0.0, 0.5, 2.0)]);
        let ridge = Triangle([DVec3::new(0.0, -3.0, 1.0), DVec3::new(0.3, 1.0, 1.0), DVec3::new(0.0, 0.0, 3.0)]);
        let wedge = Triangle([DVec3::new(-2.0, 0.0, 0.0), DVec3::new(2.0, 0.1, 0.0), DVec3::new(0.0, 0.0, -3.0)]);
        for (lower, upper) in [(floor, vertex), (wedge, ridge)] {
            let mut left = Vec::new();
            for height in [1e-2, 1e-3, 1e-4] {
                let upper = upper.map(|vertex| vertex + DVec3::Z * (height - 1.0));
                let still =
                    Spun { triangle: lower, center: DVec3::ZERO, velocity: DVec3::ZERO, angular: DVec3::Y * 0.7 };
                let falling = Spun {
                    triangle: upper,
                    center: DVec3::X,
                    velocity: -DVec3::Z,
                    angular: DVec3::new(0.5, -0.3, 0.2),
                };
                let bodies = [still, falling];
                let until = apart_until(&flight(&bodies), 0.1, 0.0, [bodies[0].angular, bodies[1].angular], 0.0);
                left.push(triangle_distance(&bodies[0].at(until), &bodies[1].at(until)).upper / height);
            }
            // The part that is left shrinks with the gap.
            assert!(left[0] < 0.2 && left[1] < 0.2 * left[0] && left[2] < 0.2 * left[1], "{left:?}");
        }
    }

    #[test]
    fn triangles_without_area_of_any_size_and_what_is_no_number_prove_nothing_wrong() {
        let (mut random, angular) = (Random(92), [DVec3::Z, DVec3::X]);
        for scale in [1.0, 1e-60, 1e-120, 1e-200, 1e60] {
            for flat in [false, true] {
                let mut bodies = [DVec3::ZERO, DVec3::X * 3.0].map(|away| Spun::random(&mut random, away));
                bodies.iter_mut().zip(angular).for_each(|(body, angular)| body.angular = angular);
                if flat {
                    bodies[0].triangle.0[2] = bodies[0].triangle.0[1];
                }
                let mut flight = flight(&bodies);
                flight.triangles = flight.triangles.map(|triangle| triangle.map(|vertex| vertex * scale));
                flight.velocities = flight.velocities.map(|velocities| velocities.map(|velocity| velocity * scale));
                flight.bend *= scale;
                let until = apart_until(&flight, 0.5, 0.0, angular, 0.0);
                assert!(scale > 1e-100 || until == 0.0, "{until} at {scale}");
                for i in 0..=20 {
                    let t = until * f64::from(i) / 20.0;
                    assert!(triangle_distance(&bodies[0].at(t), &bodies[1].at(t)).upper > 0.0 || until == 0.0);
                }
                flight.triangles[1].0[1].x = f64::NAN;
                assert!(apart_until(&flight, 0.5, 0.0, angular, 0.0) == 0.0);
            }
        }
    }
}
