//! The bounds of an assembly's node: a bounding sphere, and an AABB in the common frame.
//!
//! Spheres are cheap to rotate and tight where bodies are round; boxes are tight around floors,
//! walls and tables. Groups have the box around their members' boxes and its sphere: the smallest
//! sphere of spheres takes a root and a quotient for each member, one after the other, and is
//! hardly tighter than the box. Unbounded geometries have an infinite sphere, and a box that is
//! infinite but for the sides it has: a floor ends at its top.

use crate::Pose;
use crate::math::lanes::{F4, Simd, with_baseline};
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::tree::Geometry;
use crate::volume::BoundingSphere;
use fearless_simd::prelude::*;

/// The rounding error of box arithmetic, relative to the coordinates in it.
const SLACK: f64 = 32.0 * UNIT_ROUNDOFF;

/// A bounding sphere and an AABB of the same contents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) sphere: BoundingSphere,
    low: DVec3,
    high: DVec3,
}

impl Bounds {
    pub(crate) fn of(geometry: &dyn Geometry) -> Self {
        let (low, high) = geometry.bounding_box();
        Self { sphere: geometry.sphere(), low, high }
    }

    /// A sphere and the box around it.
    pub(crate) fn of_sphere(sphere: BoundingSphere) -> Self {
        Self { sphere, low: sphere.center - sphere.radius, high: sphere.center + sphere.radius }
    }

    /// The bounds after a rigid motion.
    #[inline]
    pub(crate) fn moved(&self, pose: &Pose) -> Self {
        with_baseline!(simd => self.moved_in(simd, pose))
    }

    /// As [`moved`](Self::moved), with the instructions of a token: the coordinates of a point fill
    /// the lanes.
    #[inline(always)]
    pub(crate) fn moved_in<S: Simd>(&self, simd: S, pose: &Pose) -> Self {
        if !self.is_bounded() {
            return self.moved_sides(pose);
        }
        let lanes = |v: DVec3| -> F4<S> { [v.x, v.y, v.z, 0.0].simd_into(simd) };
        let rotation = pose.rotation();
        let columns = [lanes(rotation.x_axis), lanes(rotation.y_axis), lanes(rotation.z_axis)];
        let sum = |[x, y, z]: [F4<S>; 3], v: DVec3, start: F4<S>| {
            let last = z.mul_add(F4::splat(simd, v.z), start);
            x.mul_add(F4::splat(simd, v.x), y.mul_add(F4::splat(simd, v.y), last))
        };
        let (center, half) = ((self.low + self.high) * 0.5, (self.high - self.low) * 0.5);
        let translation = lanes(pose.translation());
        let moved = sum(columns, center, translation);
        let [x, y, z] = columns;
        let turned = sum([x.abs(), y.abs(), z.abs()], half, F4::splat(simd, 0.0));
        let size = moved.abs() + turned + F4::splat(simd, center.abs().element_sum());
        let reach = size.mul_add(F4::splat(simd, SLACK), turned);
        let vector = |lanes: F4<S>| -> DVec3 {
            let [x, y, z, _]: [f64; 4] = lanes.into();
            DVec3::new(x, y, z)
        };
        let sphere = self.sphere.moved_to(vector(sum(columns, self.sphere.center, translation)));
        Self { sphere, low: vector(moved - reach), high: vector(moved + reach) }
    }

    /// Whether the bounds are finite in every direction.
    #[inline]
    pub(crate) fn is_bounded(&self) -> bool {
        self.sphere.radius < f64::INFINITY
    }

    /// The low and high corner of the box.
    pub(crate) fn vertices(&self) -> (DVec3, DVec3) {
        (self.low, self.high)
    }

    /// As [`moved`](Self::moved), for boxes with some sides at infinity.
    fn moved_sides(&self, pose: &Pose) -> Self {
        let (rotation, translation) = (pose.rotation(), pose.translation());
        // The least of `row·x + shift` over the box: a sum without a term that is zero times
        // infinity, or infinite upward.
        let least = |row: DVec3, shift: f64| {
            let terms = [0, 1, 2].map(|i| match row[i] {
                0.0 => 0.0,
                factor if factor > 0.0 => factor * self.low[i],
                factor => factor * self.high[i],
            });
            let size = terms.iter().fold(shift.abs(), |size, term| size + term.abs());
            let sum = terms.iter().sum::<f64>() + shift;
            if size < f64::INFINITY { sum - SLACK * size } else { f64::NEG_INFINITY }
        };
        let side = |sign: f64| {
            DVec3::from_array([0, 1, 2].map(|i| sign * least(rotation.row(i) * sign, translation[i] * sign)))
        };
        Self { sphere: self.sphere.moved(pose), low: side(1.0), high: side(-1.0) }
    }

    /// The bounds around some others; `None` for none.
    #[inline(always)]
    pub(crate) fn around<'b>(members: impl IntoIterator<Item = &'b Self>) -> Option<Self> {
        let mut members = members.into_iter();
        let (mut low, mut high) = members.next().map(Self::vertices)?;
        for member in members {
            (low, high) = (low.min(member.low), high.max(member.high));
        }
        let (center, half) = ((low + high) * 0.5, (high - low) * 0.5);
        // The last term is as long as the possible loss of squares.
        let size = half.element_sum() + center.abs().element_sum();
        let radius = half.length() + SLACK * size + f64::MIN_POSITIVE.sqrt();
        let sphere = if radius < f64::INFINITY {
            BoundingSphere { center, radius }
        } else {
            BoundingSphere { center: DVec3::ZERO, radius: f64::INFINITY }
        };
        Some(Self { sphere, low, high })
    }

    /// Whether the contents of two bounds are provably farther apart than `distance`: a gap without
    /// its roots.
    #[inline]
    pub(crate) fn are_apart(&self, other: &Self, distance: f64) -> bool {
        let apart = (self.low - other.high).max(other.low - self.high);
        apart.max_element() * (1.0 - 8.0 * UNIT_ROUNDOFF) > distance || self.sphere.is_apart(&other.sphere, distance)
    }

    /// A lower bound of the distance between the contents of two bounds.
    #[inline]
    pub(crate) fn gap(&self, other: &Self) -> f64 {
        let apart = (self.low - other.high).max(other.low - self.high);
        let boxes = apart.max(DVec3::ZERO).length() * (1.0 - 8.0 * UNIT_ROUNDOFF);
        boxes.max(self.sphere.gap(&other.sphere))
    }
}

/// The rounding error of the distance of two placed parts that their relative pose causes. The
/// spheres are around the parts at their poses.
///
/// The translation takes 12 roundings of both parts' translations, its rotation and that of A, each
/// orthonormal to 8 only, 24 of what they turn: points no farther from their own origins than `|t|`
/// and the sphere together. An unbounded part matters near the other one.
pub(crate) fn placing_error(
    (pose_a, sphere_a): (&Pose, &BoundingSphere),
    (pose_b, sphere_b): (&Pose, &BoundingSphere),
) -> f64 {
    // Sums of coordinates, which are no less than lengths and take no roots: a check of an arm
    // computes two dozen of these.
    let size = |v: DVec3| v.abs().element_sum();
    let reach = |sphere: &BoundingSphere| size(sphere.center) + sphere.radius;
    let (a, b) = (reach(sphere_a), reach(sphere_b));
    let or = |reach: f64, other: f64| if reach < f64::INFINITY { reach } else { other };
    32.0 * UNIT_ROUNDOFF * (size(pose_a.translation()) + size(pose_b.translation()) + or(a, b) + or(b, a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TriMesh;
    use crate::math::DQuat;
    use crate::shape::{HalfSpace, Plane, Sphere};
    use crate::tree::{HalfSpaceGeometry, Mesh, Solid};
    use crate::volume::samples::Random;

    #[test]
    fn moved_and_joined_bounds_contain_their_vertices_and_gaps_are_not_above_distances() {
        let mut random = Random(17);
        for case in 0..300 {
            let scale = 10.0_f64.powi(case % 9 - 4);
            let mut body = || {
                let vertices: Vec<DVec3> = (0..12).map(|_| random.vector() * scale).collect();
                let tri_mesh =
                    TriMesh::new(vertices.clone(), vec![[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]).unwrap();
                let mesh: Mesh = Mesh::new(tri_mesh).unwrap();
                let pose = Pose::from_matrix(random.rotation(), random.vector() * 3.0 * scale).unwrap();
                let vertices: Vec<DVec3> = vertices.iter().map(|&vertex| pose.transform_point(vertex)).collect();
                (Bounds::of(&mesh).moved(&pose), vertices)
            };
            let ((a, vertices_a), (b, vertices_b)) = (body(), body());
            let both = Bounds::around([&a, &b]).unwrap();
            for (bounds, vertex) in vertices_a.iter().map(|p| (&a, p)).chain(vertices_b.iter().map(|p| (&b, p))) {
                for bounds in [bounds, &both] {
                    assert!(bounds.low.cmple(*vertex).all() && bounds.high.cmpge(*vertex).all(), "{bounds:?} {vertex}");
                    assert!(bounds.sphere.center.distance(*vertex) <= bounds.sphere.radius);
                }
            }
            let pairs = vertices_a.iter().flat_map(|p| vertices_b.iter().map(|q| p.distance(*q)));
            let distance = pairs.fold(f64::INFINITY, f64::min);
            let gap = a.gap(&b);
            assert!(gap <= distance);
            assert!(!a.are_apart(&b, distance), "{distance}");
            assert!(
                gap <= 0.0 || a.are_apart(&b, gap * 0.57),
                "{gap}: the longest of three coordinates is 0.577 of a length"
            );
        }
    }

    #[test]
    fn the_sphere_of_a_group_contains_its_box_at_any_scale() {
        let mut random = Random(23);
        for case in 0..600 {
            let scale = [1.0, 1e-9, 1e9, 1e-120, 1e99, 1e-158, 1e-165][case % 7];
            let mut member = || {
                let (vertex, size) = (random.vector() * scale, random.vector().abs() * scale);
                Bounds { sphere: BoundingSphere::around(&[vertex, vertex + size]), low: vertex, high: vertex + size }
            };
            let group = Bounds::around(&[member(), member(), member()]).unwrap();
            for vertex in [group.low, group.high, DVec3::new(group.low.x, group.high.y, group.low.z)] {
                // In units in which squares are numbers.
                let reach = (vertex / scale - group.sphere.center / scale).length() * scale;
                assert!(reach <= group.sphere.radius, "case {case}: {group:?} {reach:e}");
            }
        }
    }

    #[test]
    fn a_floor_ends_at_its_top_also_where_it_was_moved_and_anywhere_where_it_was_tilted() {
        let floor = Bounds::of(&HalfSpaceGeometry::new(HalfSpace::new(DVec3::Z, 0.5).unwrap()));
        let sphere = Bounds::of(&Solid::new(Sphere::new(1.0).unwrap()));
        let above = sphere.moved(&Pose::from_translation(DVec3::new(1e6, -3.0, 4.0)).unwrap());
        assert!((floor.gap(&above) - 2.5).abs() < 1e-9 && floor.gap(&above) <= 2.5);
        let up = Pose::from_translation(DVec3::new(7.0, 8.0, 1.0)).unwrap();
        assert!((floor.moved(&up).gap(&above) - 1.5).abs() < 1e-9);
        let over = Pose::new(DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0), DVec3::ZERO).unwrap();
        let below = sphere.moved(&Pose::from_translation(DVec3::Z * -4.0).unwrap());
        assert!((floor.moved(&over).gap(&below) - 2.5).abs() < 1e-9 && floor.moved(&over).gap(&above) <= 0.0);
        let tilted = floor.moved(&Pose::new(DQuat::from_rotation_x(0.1), DVec3::ONE).unwrap());
        assert!(tilted.gap(&above) <= 0.0 && above.gap(&tilted) <= 0.0);
        let sheet = Bounds::of(&HalfSpaceGeometry::new(Plane::new(DVec3::X, 2.0).unwrap()));
        assert!((sheet.gap(&sphere) - 1.0).abs() < 1e-9);
        let both = |members: [&Bounds; 2]| Bounds::around(members).unwrap();
        for bounds in [floor, tilted, sheet, both([&floor, &sphere]), both([&sphere, &tilted])] {
            assert!(!bounds.is_bounded() && bounds.gap(&bounds) <= 0.0);
        }
    }
}
