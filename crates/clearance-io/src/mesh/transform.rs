//! The transforms that scene formats (Collada, glTF) put between a piece of a mesh and the whole.

use super::UpAxisPolicy;
use crate::{Error, ErrorKind, Place, Result};
use clearance_engine::math::DVec3;
use glam::{DAffine3, DMat3, DMat4};

/// The axis that points upwards in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UpAxis {
    X,
    Y,
    Z,
}

/// A matrix as an affine map; one that projects is refused, it would move points differently at
/// different depths.
pub(super) fn affine(matrix: DMat4, place: &Place) -> Result<DAffine3> {
    if !matrix.is_finite() {
        return Err(Error::new(ErrorKind::NotFinite, place.clone(), "the matrix is not finite"));
    }
    if matrix.row(3).to_array() != [0.0, 0.0, 0.0, 1.0] {
        let reason = "the last row of the matrix is not 0 0 0 1";
        return Err(Error::new(ErrorKind::Unsupported, place.clone(), reason));
    }
    Ok(DAffine3::from_mat4(matrix))
}

/// The rotation that makes `up` the Z axis, if the policy asks for it; right stays right as far as
/// Collada defines it.
pub(super) fn turn_to_z(up: UpAxis, policy: UpAxisPolicy) -> DAffine3 {
    let columns = match (policy, up) {
        (UpAxisPolicy::Ignore, _) | (_, UpAxis::Z) => return DAffine3::IDENTITY,
        (UpAxisPolicy::TurnToZ, UpAxis::Y) => [DVec3::X, DVec3::Z, -DVec3::Y],
        (UpAxisPolicy::TurnToZ, UpAxis::X) => [DVec3::Z, -DVec3::X, -DVec3::Y],
    };
    DAffine3::from_mat3(DMat3::from_cols(columns[0], columns[1], columns[2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_keeps_handedness_and_sends_up_to_z() {
        for (up, axis) in [(UpAxis::X, DVec3::X), (UpAxis::Y, DVec3::Y), (UpAxis::Z, DVec3::Z)] {
            let turn = turn_to_z(up, UpAxisPolicy::TurnToZ);
            assert_eq!(turn.transform_vector3(axis), DVec3::Z);
            assert_eq!(turn.matrix3.determinant(), 1.0);
            assert_eq!(turn_to_z(up, UpAxisPolicy::Ignore), DAffine3::IDENTITY);
        }
    }

    #[test]
    fn a_projection_is_refused() {
        let mut matrix = DMat4::IDENTITY;
        matrix.w_axis.w = 2.0;
        assert_eq!(affine(matrix, &Place::Whole).unwrap_err().kind(), ErrorKind::Unsupported);
    }
}
