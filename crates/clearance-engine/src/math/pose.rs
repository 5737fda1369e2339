//! Rigid poses. A pose named `a_from_b` maps coordinates of frame B to frame A: `p_a = R·p_b + t`.

use super::{DMat3, DQuat, DVec3, LARGEST_COORDINATE, UNIT_ROUNDOFF};
use crate::{Error, ErrorKind, Readable, Result};

/// The largest deviation from orthonormal that a given rotation may have. Closer ones are
/// normalised, others are errors.
const ROTATION_TOLERANCE: f64 = 1e-3;

/// A rigid transform (rotation and translation); the rotation is orthonormal to within a few
/// roundings.
///
/// A pose named `a_from_b` maps coordinates of frame B to frame A: `p_a = R·p_b + t`.
///
/// ```
/// use clearance_engine::{Pose, math::{DQuat, DVec3}};
/// let a_from_b = Pose::new(DQuat::from_rotation_z(0.5), DVec3::new(1.0, 2.0, 3.0))?;
/// let p = DVec3::new(0.1, 0.2, 0.3);
/// assert!(a_from_b.inverse().transform_point(a_from_b.transform_point(p)).distance(p) < 1e-15);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    rotation: DMat3,
    translation: DVec3,
}

impl Pose {
    /// The identity.
    pub const IDENTITY: Self = Self { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// Creates a pose from a quaternion and a translation.
    ///
    /// The quaternion is normalised if it is within 1e-3 of unit length; otherwise it is an error.
    #[inline(always)]
    pub fn new(rotation: DQuat, translation: DVec3) -> Result<Self> {
        let deviation = rotation.length_squared() - 1.0;
        if deviation.abs() < 1e-8 && translation.abs().max_element() <= LARGEST_COORDINATE && !translation.is_nan() {
            // One step of Newton's iteration for 1/√x from 1: exact to 1e-16 this near to unit
            // length.
            return Ok(Self { rotation: DMat3::from_quat(rotation * (1.0 - 0.5 * deviation)), translation });
        }
        Self::from_unusual(rotation, translation)
    }

    /// As [`new`](Self::new), for quaternions farther from unit length and for errors.
    #[cold]
    fn from_unusual(rotation: DQuat, translation: DVec3) -> Result<Self> {
        check_finite(translation)?;
        let length = rotation.length();
        if !rotation.is_finite() {
            return Err(Error::new(ErrorKind::NotFinite, "the quaternion of a pose is not finite"));
        }
        if (length - 1.0).abs() > ROTATION_TOLERANCE {
            return Err(Error::new(
                ErrorKind::NotARotation,
                format!("the quaternion of a pose has length {}, which is not within 1e-3 of 1", Readable(length)),
            ));
        }
        Ok(Self { rotation: DMat3::from_quat(rotation / length), translation })
    }

    /// Creates a pose from a rotation matrix and a translation.
    ///
    /// The matrix is orthonormalised if it is within 1e-3 of a rotation; otherwise it is an error.
    pub fn from_matrix(rotation: DMat3, translation: DVec3) -> Result<Self> {
        deviation(&rotation, translation)?;
        Ok(Self { rotation: orthonormalised(rotation), translation })
    }

    /// Creates a pose from the upper three rows of its homogeneous matrix, each with its part of
    /// the translation last.
    ///
    /// The rotation is taken as by [`from_matrix`](Self::from_matrix), but for one that is off by four
    /// roundings or less: it is kept, so that the rows of most poses make the same pose again.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::DVec3};
    /// let pose = Pose::from_rows([[0.0, -1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 2.0], [0.0, 0.0, 1.0, 3.0]])?;
    /// assert_eq!(pose.transform_point(DVec3::X), DVec3::new(1.0, 3.0, 3.0));
    /// assert_eq!(Pose::from_rows(pose.rows())?, pose);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    #[inline(always)]
    pub fn from_rows(rows: [[f64; 4]; 3]) -> Result<Self> {
        let [x, y, z] = rows.map(|[x, y, z, _]| DVec3::new(x, y, z));
        let translation = DVec3::from_array(rows.map(|row| row[3]));
        let rotation = DMat3::from_cols(x, y, z).transpose();
        let is_rounded = deviation(&rotation, translation)? <= 4.0 * UNIT_ROUNDOFF;
        Ok(Self { rotation: if is_rounded { rotation } else { orthonormalised(rotation) }, translation })
    }

    /// The upper three rows of the homogeneous matrix.
    pub fn rows(&self) -> [[f64; 4]; 3] {
        let row = |i: usize| {
            let DVec3 { x, y, z } = self.rotation.row(i);
            [x, y, z, self.translation[i]]
        };
        [row(0), row(1), row(2)]
    }

    /// Creates a pure translation.
    pub fn from_translation(translation: DVec3) -> Result<Self> {
        Self::new(DQuat::IDENTITY, translation)
    }

    /// Creates a pure translation by three coordinates.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::DVec3};
    /// assert_eq!(Pose::from_xyz(1.0, 2.0, 3.0)?.translation(), DVec3::new(1.0, 2.0, 3.0));
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn from_xyz(x: f64, y: f64, z: f64) -> Result<Self> {
        Self::from_translation(DVec3::new(x, y, z))
    }

    /// Creates a pose from a translation, and roll, pitch and yaw: rotations about the fixed axes x,
    /// y, z in this order, in radians, as in a URDF's `<origin xyz rpy>`.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::DVec3};
    /// let quarter = Pose::from_xyz_rpy([1.0, 0.0, 0.0], [0.0, 0.0, std::f64::consts::FRAC_PI_2])?;
    /// assert!(quarter.transform_point(DVec3::X).distance(DVec3::new(1.0, 1.0, 0.0)) < 1e-15);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn from_xyz_rpy(xyz: [f64; 3], [roll, pitch, yaw]: [f64; 3]) -> Result<Self> {
        let rotation = DQuat::from_rotation_z(yaw) * DQuat::from_rotation_y(pitch) * DQuat::from_rotation_x(roll);
        Self::new(rotation, DVec3::from_array(xyz))
    }

    /// Creates a pose from a translation and a unit quaternion `[w, x, y, z]`.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::DVec3};
    /// let half_turn = Pose::from_xyz_wxyz([0.0; 3], [0.0, 0.0, 0.0, 1.0])?;
    /// assert_eq!(half_turn.transform_point(DVec3::X), -DVec3::X);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn from_xyz_wxyz(xyz: [f64; 3], [w, x, y, z]: [f64; 4]) -> Result<Self> {
        Self::new(DQuat::from_xyzw(x, y, z, w), DVec3::from_array(xyz))
    }

    /// The rotation matrix.
    #[inline]
    pub fn rotation(&self) -> &DMat3 {
        &self.rotation
    }

    /// The translation.
    #[inline]
    pub fn translation(&self) -> DVec3 {
        self.translation
    }

    /// Transforms a point: `R·p + t`.
    #[inline]
    pub fn transform_point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// Rotates a direction: `R·v`.
    #[inline]
    pub fn transform_vector(&self, vector: DVec3) -> DVec3 {
        self.rotation * vector
    }

    /// The inverse pose: `b_from_a` of an `a_from_b`.
    #[inline]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, translation: -(rotation * self.translation) }
    }

    /// Composes two poses: `a_from_b.then(b_from_c)` is `a_from_c`.
    #[inline]
    pub fn then(&self, b_from_c: &Self) -> Self {
        Self {
            // Off by a few units of rounding: one step squares that away.
            rotation: newton_step(self.rotation * b_from_c.rotation),
            translation: self.transform_point(b_from_c.translation),
        }
    }
}

impl Pose {
    /// The pose after a translation of the outer frame: `R·p + (t + by)`.
    #[inline]
    pub(crate) fn shifted(&self, by: DVec3) -> Self {
        Self { rotation: self.rotation, translation: self.translation + by }
    }

    /// Composes with a pure translation: `a_from_b.then(b_from_c)` where C is B moved by
    /// `translation`. It multiplies no matrices.
    #[inline]
    pub(crate) fn then_moved(&self, translation: DVec3) -> Self {
        Self { rotation: self.rotation, translation: self.transform_point(translation) }
    }

    /// How far rounding may carry a point within `extent` of the origin when this pose moves it.
    ///
    /// p ↦ R·p + t takes 3 products and 3 sums per coordinate, on terms no larger than |p| + |t|; R
    /// itself is off by 4u.
    #[inline]
    pub(crate) fn point_error(&self, extent: f64) -> f64 {
        12.0 * UNIT_ROUNDOFF * (extent + self.translation.length())
    }

    /// How far rounding may carry a point of a solid within `extent` of the origin, or shift a
    /// plane as points within `extent` see it, when this pose moves that.
    ///
    /// The centre of a solid takes 7 roundings of its size and t, each axis 5 of its half extent,
    /// of which there are three, and R is off by 4: below 24 in all. The turned normal of a plane
    /// with offset d takes 5 roundings and R is off by 4u: 9u of a point's distance from the
    /// origin, and as much of t; offset and dot product take 6 of |d| + |t|: below 16 in all, where
    /// `extent` has |d| in it.
    #[inline]
    pub(crate) fn solid_error(&self, extent: f64) -> f64 {
        2.0 * self.point_error(extent)
    }
}

/// How far a matrix is from a rotation; an error where a pose cannot have it.
#[inline(always)]
fn deviation(rotation: &DMat3, translation: DVec3) -> Result<f64> {
    check_finite(translation)?;
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = *rotation;
    // The product of the transpose with the matrix is symmetric: six of its nine numbers are all. Who
    // asks one cheap question from C pays for this at each pose: a call costs 26 ns more than from
    // Rust, 36 with the whole product, 29 where this and `from_rows` are not inlined.
    let [xx, yy, zz] = [x.dot(x) - 1.0, y.dot(y) - 1.0, z.dot(z) - 1.0].map(f64::abs);
    let [xy, yz, zx] = [x.dot(y), y.dot(z), z.dot(x)].map(f64::abs);
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    let worst = larger(larger(larger(xx, yy), larger(zz, xy)), larger(yz, zx));
    // The sum tells of a NaN that comparisons overlook.
    if !(worst <= ROTATION_TOLERANCE && (xx + yy) + (zz + xy) + (yz + zx) < f64::INFINITY) || x.cross(y).dot(z) < 0.0 {
        return Err(not_a_rotation(rotation, worst));
    }
    Ok(worst)
}

#[cold]
fn not_a_rotation(rotation: &DMat3, worst: f64) -> Error {
    if !rotation.is_finite() {
        return Error::new(ErrorKind::NotFinite, "the rotation matrix of a pose is not finite");
    }
    let message = format!("the rotation matrix of a pose is off by {worst:e} or mirrors");
    Error::new(ErrorKind::NotARotation, message)
}

#[inline(always)]
fn check_finite(translation: DVec3) -> Result<()> {
    // A NaN is not less than anything.
    if translation.abs().cmple(DVec3::splat(LARGEST_COORDINATE)).all() {
        return Ok(());
    }
    Err(not_a_translation(translation))
}

#[cold]
fn not_a_translation(translation: DVec3) -> Error {
    let (kind, what) = match translation.is_finite() {
        true => (ErrorKind::OutOfRange, "beyond 1e100"),
        false => (ErrorKind::NotFinite, "not finite"),
    };
    Error::new(kind, format!("the translation of a pose is {what}: {}", Readable(translation)))
}

/// The nearest rotation to a matrix that is off by 1e-3 or less, which becomes 1e-6, 1e-12, 1e-16.
fn orthonormalised(rotation: DMat3) -> DMat3 {
    (0..4).fold(rotation, |rotation, _| newton_step(rotation))
}

/// One step `R ← R(3 − RᵀR)/2` of Newton's iteration towards the nearest rotation; converges
/// quadratically.
#[inline]
pub(crate) fn newton_step(rotation: DMat3) -> DMat3 {
    rotation * (DMat3::IDENTITY * 3.0 - rotation.transpose() * rotation) * 0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slightly_wrong_rotation_is_repaired_and_a_very_wrong_one_refused() {
        let exact = DMat3::from_quat(DQuat::from_rotation_x(0.7));
        let pose = Pose::from_matrix(exact * 1.0003, DVec3::ZERO).unwrap();
        let deviation = pose.rotation().transpose() * *pose.rotation() - DMat3::IDENTITY;
        assert!(deviation.to_cols_array().iter().all(|x| x.abs() < 1e-15), "{deviation}");
        for wrong in [exact * 1.1, -exact, DMat3::ZERO] {
            assert_eq!(Pose::from_matrix(wrong, DVec3::ZERO).unwrap_err().kind(), ErrorKind::NotARotation);
        }
        assert_eq!(
            Pose::new(DQuat::from_xyzw(0.0, 0.0, 0.0, 1.1), DVec3::ZERO).unwrap_err().kind(),
            ErrorKind::NotARotation
        );
    }

    #[test]
    fn a_pose_that_is_not_finite_is_refused() {
        let nan = DVec3::new(0.0, f64::NAN, 0.0);
        assert_eq!(Pose::from_translation(nan).unwrap_err().kind(), ErrorKind::NotFinite);
        let bad = DQuat::from_xyzw(f64::INFINITY, 0.0, 0.0, 1.0);
        assert_eq!(Pose::new(bad, DVec3::ZERO).unwrap_err().kind(), ErrorKind::NotFinite);
    }

    #[test]
    fn a_million_products_stay_orthonormal_to_rounding() {
        let step = Pose::new(DQuat::from_xyzw(0.1, -0.2, 0.3, 1.0).normalize(), DVec3::X).unwrap();
        let mut pose = Pose::IDENTITY;
        for _ in 0..1_000_000 {
            pose = pose.then(&step);
            let deviation = pose.rotation.transpose() * pose.rotation - DMat3::IDENTITY;
            assert!(deviation.to_cols_array().iter().all(|x| x.abs() <= 4.0 * f64::EPSILON), "{deviation}");
        }
    }
}
