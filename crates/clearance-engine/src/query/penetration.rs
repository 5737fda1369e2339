//! How deep two simple solids overlap.

use crate::convex::{self, Penetration, PenetrationRequest};
use crate::shape::Primitive;
use crate::tree::{Geometry, Solid};
use crate::{Pose, Result};

/// How deep two solids overlap and where b leaves a soonest, in a's frame; `None` if they are
/// certainly apart. Solids are the only geometries that have a depth: a mesh may be left by ways
/// that no direction tells.
///
/// ```
/// use clearance_engine::{Pose, convex::PenetrationRequest, math::DVec3, query::penetration, shape::{Sphere, Cuboid}, tree::Solid};
/// let (table, sphere) = (Solid::new(Cuboid::from_half_extents(DVec3::new(1.0, 0.5, 0.05))?), Solid::new(Sphere::new(0.2)?));
/// let sunk = penetration(&table, &sphere, &Pose::from_translation(DVec3::Z * 0.1)?, &PenetrationRequest::default())?;
/// let sunk = sunk.expect("the sphere is 0.15 deep in the table");
/// assert!(sunk.lower <= 0.15 && 0.15 <= sunk.upper && sunk.upper - sunk.lower < 1e-12);
/// assert!(sunk.normal.distance(DVec3::Z) < 1e-12);
/// let above = Pose::from_translation(DVec3::Z * 0.5)?;
/// assert_eq!(penetration(&table, &sphere, &above, &PenetrationRequest::default())?, None);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn penetration(a: &Solid, b: &Solid, a_from_b: &Pose, request: &PenetrationRequest) -> Result<Option<Penetration>> {
    request.check()?;
    let found = match (a.shape(), b.shape()) {
        (Primitive::ConvexPolyhedron(a), Primitive::ConvexPolyhedron(b)) => {
            convex::penetration_after(a, b, a_from_b, request)
        }
        (Primitive::Cuboid(a), Primitive::Cuboid(b)) => convex::penetration(a, &b.transformed(a_from_b), request),
        (a, b) => convex::penetration(a, &b.transformed(a_from_b), request),
    };
    let rounding = a_from_b.solid_error(b.extent());
    let size = a.sphere().radius.min(b.sphere().radius);
    Ok(found.map(|found| {
        let (lower, upper) = ((found.lower - rounding).max(0.0), found.upper + rounding);
        Penetration { lower, upper, status: request.status(lower, upper, size), ..found }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use crate::math::{DMat3, DQuat, DVec3};
    use crate::random::Random;
    use crate::shape::{ConvexPolyhedron, Cuboid};

    #[test]
    fn a_request_that_makes_no_sense_is_refused() {
        let cube = Solid::new(Cuboid::from_half_extents(DVec3::ONE).unwrap());
        for (rel_err, abs_err) in [(f64::NAN, 0.0), (-1.0, 0.0), (1.0, 0.0), (0.0, f64::NAN), (0.0, -1e-9)] {
            let request = PenetrationRequest { rel_err, abs_err, ..PenetrationRequest::default() };
            let refused = penetration(&cube, &cube, &Pose::IDENTITY, &request).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::BadRequest);
        }
    }

    /// What is searched where the second polyhedron would be, and that which is made there, are as
    /// deep in the first: also if it was turned before.
    #[test]
    fn polyhedra_are_as_deep_where_they_would_be_as_where_they_are_made() {
        let mut random = Random(91);
        let vector = |random: &mut Random| DVec3::new(random.signed(), random.signed(), random.signed());
        let pose = |random: &mut Random| {
            let turn = DQuat::from_scaled_axis(vector(random) * 3.0);
            Pose::from_matrix(DMat3::from_quat(turn), vector(random) * 1.5).unwrap()
        };
        let (mut deep, mut apart) = (0, 0);
        for case in 0..300 {
            let mut hull = || {
                let points: Vec<DVec3> = (0..6 + case % 60).map(|_| vector(&mut random)).collect();
                ConvexPolyhedron::hull_of(&points).unwrap()
            };
            let (a, b) = (hull(), hull());
            let (first, second) = (pose(&mut random), pose(&mut random));
            let b = if case % 3 == 0 { b.transformed(&first) } else { b };
            let request = PenetrationRequest::default();
            let made = convex::penetration(&a, &b.transformed(&second), &request);
            let found = penetration(&Solid::new(a), &Solid::new(b), &second, &request).unwrap();
            assert_eq!(found.is_some(), made.is_some(), "case {case}: {found:?} {made:?}");
            if let (Some(found), Some(made)) = (found, made) {
                assert!(found.lower <= made.upper && made.lower <= found.upper, "case {case}: {found:?} {made:?}");
                assert!(found.upper - found.lower < 1e-5, "case {case}: {found:?}");
                assert!((found.normal.length() - 1.0).abs() < 1e-14, "case {case}: {found:?}");
                let between = found.point_a - found.point_b - found.normal * found.upper;
                assert!(between.length() < 1e-2, "case {case}: {between} {found:?}");
                deep += 1;
            } else {
                apart += 1;
            }
        }
        assert!(deep > 50 && apart > 20, "{deep} {apart}");
    }

    #[test]
    fn far_from_the_origin_the_interval_is_as_wide_as_the_coordinates_are_rounded() {
        let cube = Cuboid::from_half_extents(DVec3::ONE).unwrap();
        let far = DVec3::new(1e6, 3e6, -2e6);
        let a = Solid::new(cube.transformed(&Pose::from_translation(far).unwrap()));
        let pose = Pose::from_translation(far + DVec3::new(0.0, 1.75, 0.5)).unwrap();
        let found = penetration(&a, &Solid::new(cube), &pose, &PenetrationRequest::default()).unwrap().unwrap();
        assert!(found.lower <= 0.25 && 0.25 <= found.upper && found.upper - found.lower < 1e-7, "{found:?}");
    }
}
