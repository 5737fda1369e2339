//! The plain structs and enumerations that several parts of the interface use.

use crate::border::{Failure, Outcome, Plain};
use clearance::engine::query::{Gradient, Witness};
use clearance::engine::shape::{PointDistance, RayHit, Sign};
use clearance::robot::Against;
use clearance::{DistanceRequest, Pose, Ray, SignedDistance, Status, Vec3};

/// What stands where there is no number of a triangle or of another leaf.
pub const CLEARANCE_NONE: u32 = u32::MAX;

/// A pose `a_from_b`: it maps coordinates of frame B to frame A. These are the upper three rows of
/// its 4×4 matrix: the rotation, and the translation in the last column.
///
/// Rotations within 1e-3 of a rotation are normalised, others are an error.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_pose {
    /// Row by row.
    pub rows: [[f64; 4]; 3],
}

// SAFETY: an array of numbers.
unsafe impl Plain for clearance_pose {}

impl clearance_pose {
    #[inline]
    pub(crate) fn get(&self) -> Outcome<Pose> {
        Ok(Pose::from_rows(self.rows)?)
    }

    pub(crate) fn of(pose: &Pose) -> Self {
        Self { rows: pose.rows() }
    }
}

/// Poses of an array.
pub(crate) fn poses(all: &[clearance_pose], what: &str) -> Outcome<Vec<Pose>> {
    let one = |(i, pose): (usize, &clearance_pose)| {
        Pose::from_rows(pose.rows).map_err(|error| Failure::value(format!("{what}[{i}]: {error}")))
    };
    all.iter().enumerate().map(one).collect()
}

/// The pose that maps every point to itself.
#[unsafe(no_mangle)]
pub extern "C" fn clearance_pose_identity() -> clearance_pose {
    clearance_pose::of(&Pose::IDENTITY)
}

/// A pose of a translation x, y, z and a quaternion w, x, y, z.
///
/// # Safety
/// `xyz` has 3 numbers, `wxyz` has 4 numbers, `pose` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_pose_from_quaternion(
    xyz: *const f64,
    wxyz: *const f64,
    pose: *mut clearance_pose,
) -> crate::border::clearance_status {
    use crate::border::{entry, out, read, vector};
    entry(|| {
        // SAFETY: as this function demands.
        let (xyz, wxyz, pose) =
            unsafe { (vector(xyz, "xyz")?, read(wxyz.cast::<[f64; 4]>(), "wxyz")?, out(pose, "pose")?) };
        pose.set(clearance_pose::of(&Pose::from_xyz_wxyz(xyz, wxyz)?));
        Ok(())
    })
}

/// Why a search for a distance ended.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum clearance_end {
    /// The interval is as narrow as rounding allows.
    Exact = 0,
    /// The interval is as narrow as asked for.
    Tolerance = 1,
    /// The distance is at most `min_distance`.
    BelowMin = 2,
    /// The distance is at least `max_distance`.
    BeyondMax = 3,
    /// Arithmetic ended first: the interval is wider than asked for.
    Inexact = 4,
    /// The budget is used up; the interval holds all the same.
    Budget = 5,
}

impl From<Status> for clearance_end {
    fn from(status: Status) -> Self {
        match status {
            Status::Exact => Self::Exact,
            Status::Tolerance => Self::Tolerance,
            Status::BelowMin => Self::BelowMin,
            Status::BeyondMax => Self::BeyondMax,
            Status::Inexact => Self::Inexact,
            Status::Budget => Self::Budget,
        }
    }
}

/// What a part of a robot is checked against.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum clearance_against {
    /// Another part of the same robot.
    Itself = 0,
    /// An object of the scene.
    Scene = 1,
    /// A part of another robot.
    Robot = 2,
}

impl From<Against> for clearance_against {
    fn from(against: Against) -> Self {
        match against {
            Against::Itself => Self::Itself,
            Against::Scene => Self::Scene,
            Against::Robot => Self::Robot,
        }
    }
}

/// How exact a distance must be. All zeros ask for the exact distance, however large: a number that
/// is 0 has no effect.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_distance_request {
    /// Geometries this far apart or farther are not measured; 0 is no limit.
    pub max_distance: f64,
    /// Geometries this near or nearer are not measured.
    pub min_distance: f64,
    /// The allowed `(upper - lower) / upper`.
    pub rel_err: f64,
    /// The allowed `upper - lower`.
    pub abs_err: f64,
    /// Where the search ends with what it has proven, whatever the interval; 0 is nowhere.
    pub max_steps: u64,
}

// SAFETY: five numbers of 8 bytes, without padding.
unsafe impl Plain for clearance_distance_request {}

/// A budget of steps; 0 is none.
pub(crate) fn max_steps(given: u64) -> Option<usize> {
    (given != 0).then(|| usize::try_from(given).unwrap_or(usize::MAX))
}

impl clearance_distance_request {
    /// Checked; the plain question where C passes NULL.
    pub(crate) fn get(given: Option<Self>) -> Outcome<DistanceRequest> {
        let mut request = DistanceRequest::default();
        if let Some(given) = given {
            if given.max_distance != 0.0 {
                request.max_d = given.max_distance;
            }
            (request.min_d, request.rel_err, request.abs_err) = (given.min_distance, given.rel_err, given.abs_err);
            request.max_steps = max_steps(given.max_steps);
            request.check()?;
        }
        Ok(request)
    }
}

/// A certified distance: `lower <= distance <= upper`, 0 where the two touch.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_distance {
    /// At most the distance.
    pub lower: f64,
    /// At least the distance; infinite where it is beyond `max_distance`.
    pub upper: f64,
    /// The witness point on A, in A's frame; NaN where there is none. The points are `upper` apart.
    pub point_a: [f64; 3],
    /// That on B, in A's frame.
    pub point_b: [f64; 3],
    /// The triangle or other leaf of A that the point lies on, or `CLEARANCE_NONE`.
    pub leaf_a: u32,
    /// That of B.
    pub leaf_b: u32,
    /// Why the search ended.
    pub end: clearance_end,
}

impl From<&clearance::Distance> for clearance_distance {
    #[inline]
    fn from(found: &clearance::Distance) -> Self {
        let nowhere = Witness { point_a: Vec3::NAN, point_b: Vec3::NAN, leaves: None };
        let Witness { point_a, point_b, leaves } = found.witness.unwrap_or(nowhere);
        let (leaf_a, leaf_b) = leaves.unwrap_or((CLEARANCE_NONE, CLEARANCE_NONE));
        let (point_a, point_b) = (point_a.to_array(), point_b.to_array());
        Self { lower: found.lower, upper: found.upper, point_a, point_b, leaf_a, leaf_b, end: found.status.into() }
    }
}

/// A certified signed distance: positive apart, minus the penetration depth where the two overlap.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_signed_distance {
    /// What the points realise, between the bounds.
    pub signed_distance: f64,
    /// At most the signed distance.
    pub lower: f64,
    /// At least the signed distance.
    pub upper: f64,
    /// From A to B, of unit length, in A's frame: B moves along it to get farther away.
    pub normal: [f64; 3],
    /// On A, in its frame: nearest to B, or deepest in it.
    pub point_a: [f64; 3],
    /// On B, in A's frame.
    pub point_b: [f64; 3],
    /// Why the search ended.
    pub end: clearance_end,
}

impl From<&SignedDistance> for clearance_signed_distance {
    fn from(found: &SignedDistance) -> Self {
        Self {
            signed_distance: found.signed,
            lower: found.lower,
            upper: found.upper,
            normal: found.normal.to_array(),
            point_a: found.point_a.to_array(),
            point_b: found.point_b.to_array(),
            end: found.status.into(),
        }
    }
}

/// What is known about a statement.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum clearance_truth {
    /// It is false.
    False = 0,
    /// It is true.
    True = 1,
    /// It is not known.
    Unknown = 2,
}

impl From<Option<bool>> for clearance_truth {
    fn from(known: Option<bool>) -> Self {
        match known {
            Some(false) => Self::False,
            Some(true) => Self::True,
            None => Self::Unknown,
        }
    }
}

/// The derivative of a distance by the poses of A and B in A's frame.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_gradient {
    /// By a translation of A, then by a rotation about A's origin.
    pub by_a: [f64; 6],
    /// By a translation of B, then by a rotation about B's origin.
    pub by_b: [f64; 6],
    /// Whether the nearest points are the only ones, so that it is a derivative.
    pub unique: clearance_truth,
}

impl From<&Gradient> for clearance_gradient {
    fn from(found: &Gradient) -> Self {
        Self { by_a: found.by_a, by_b: found.by_b, unique: found.unique.into() }
    }
}

/// A ray: all points `origin + t·direction` with `0 <= t <= max_t`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_ray {
    /// Where it begins.
    pub origin: [f64; 3],
    /// Of any length but 0.
    pub direction: [f64; 3],
    /// Where it ends; `INFINITY` nowhere.
    pub max_t: f64,
}

// SAFETY: seven numbers without padding.
unsafe impl Plain for clearance_ray {}

impl clearance_ray {
    pub(crate) fn get(&self) -> Outcome<Ray> {
        Ok(Ray::new(self.origin.into(), self.direction.into())?.up_to(self.max_t)?)
    }
}

/// Where a ray meets a surface.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_ray_hit {
    /// Where on the ray; infinite where it meets nothing.
    pub t: f64,
    /// That point; NaN where it meets nothing.
    pub point: [f64; 3],
    /// The surface's unit normal.
    pub normal: [f64; 3],
    /// The triangle or other leaf, or `CLEARANCE_NONE`.
    pub leaf: u32,
    /// The part of a geometry that has parts; 0 of others.
    pub part: u32,
}

impl From<Option<RayHit>> for clearance_ray_hit {
    fn from(hit: Option<RayHit>) -> Self {
        match hit {
            Some(RayHit { t, point, normal, leaf, part, .. }) => {
                Self { t, point: point.to_array(), normal: normal.to_array(), leaf, part }
            }
            None => {
                Self { t: f64::INFINITY, point: [f64::NAN; 3], normal: [f64::NAN; 3], leaf: CLEARANCE_NONE, part: 0 }
            }
        }
    }
}

/// How the sign of a point's distance was found.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum clearance_sign {
    /// The surface is closed: inside and outside are decided.
    Closed = 0,
    /// The mesh is open: a guess by its winding number about the point.
    Winding = 1,
    /// The geometry has no inside.
    Unsigned = 2,
}

/// The signed distance of a point from a geometry: negative inside.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_point_distance {
    /// The signed distance, rounded.
    pub distance: f64,
    /// At most the signed distance.
    pub lower: f64,
    /// At least the signed distance.
    pub upper: f64,
    /// The nearest point of the surface.
    pub nearest: [f64; 3],
    /// The direction of steepest ascent, of unit length.
    pub gradient: [f64; 3],
    /// The triangle or other leaf that is nearest.
    pub leaf: u32,
    /// The part of a geometry that has parts; 0 of others.
    pub part: u32,
    /// How the sign was found.
    pub sign: clearance_sign,
}

impl From<&PointDistance> for clearance_point_distance {
    fn from(found: &PointDistance) -> Self {
        let sign = match found.sign {
            Sign::Closed => clearance_sign::Closed,
            Sign::Winding(_) => clearance_sign::Winding,
            _ => clearance_sign::Unsigned,
        };
        Self {
            distance: found.distance,
            lower: found.lower,
            upper: found.upper,
            nearest: found.nearest.to_array(),
            gradient: found.gradient.to_array(),
            leaf: found.leaf,
            part: found.part,
            sign,
        }
    }
}
