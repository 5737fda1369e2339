//! Eigenvectors of symmetric 3×3 matrices by Jacobi rotations: never fails, also for repeated eigenvalues.

use super::{DMat3, DVec3};

/// The eigenvectors of a symmetric matrix as orthonormal columns of a rotation, largest eigenvalue first.
///
/// ```
/// use clearance::math::{symmetric_eigenvectors, DMat3, DVec3};
/// let axes = symmetric_eigenvectors(DMat3::from_diagonal(DVec3::new(1.0, 9.0, 4.0)));
/// assert_eq!(axes.x_axis.abs(), DVec3::Y);
/// assert_eq!(axes.z_axis.abs(), DVec3::X);
/// ```
pub fn symmetric_eigenvectors(matrix: DMat3) -> DMat3 {
    let mut a = matrix.to_cols_array_2d();
    let mut vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..16 {
        let off = a[0][1].abs() + a[0][2].abs() + a[1][2].abs();
        if off.is_nan() || off <= f64::MIN_POSITIVE {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate_away(&mut a, &mut vectors, p, q);
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a[j][j].total_cmp(&a[i][i]));
    let column = |i: usize| DVec3::from_array(vectors[order[i]]).normalize();
    let x = column(0);
    let y = (column(1) - x * x.dot(column(1))).normalize();
    if !(x.is_finite() && y.is_finite()) {
        return DMat3::IDENTITY;
    }
    DMat3::from_cols(x, y, x.cross(y))
}

/// One Jacobi rotation that zeroes `a[p][q]` (Golub and Van Loan, section 8.5).
fn rotate_away(a: &mut [[f64; 3]; 3], vectors: &mut [[f64; 3]; 3], p: usize, q: usize) {
    if a[p][q].abs() <= f64::MIN_POSITIVE {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = if theta == 0.0 { 1.0 } else { theta.signum() / (theta.abs() + theta.hypot(1.0)) };
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for row in a.iter_mut() {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    for k in 0..3 {
        (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
        (vectors[p][k], vectors[q][k]) = (c * vectors[p][k] - s * vectors[q][k], s * vectors[p][k] + c * vectors[q][k]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_are_a_rotation_that_diagonalises() {
        let samples = [
            DMat3::from_cols_array(&[4.0, 1.0, -2.0, 1.0, 2.0, 0.0, -2.0, 0.0, 3.0]),
            DMat3::IDENTITY,
            DMat3::ZERO,
            DMat3::from_cols_array(&[1e-20, 1e-21, 0.0, 1e-21, 1e-20, 0.0, 0.0, 0.0, 1.0]),
        ];
        for matrix in samples {
            let v = symmetric_eigenvectors(matrix);
            let d = v.transpose() * matrix * v;
            assert!((v.determinant() - 1.0).abs() < 1e-14);
            assert!(d.x_axis.y.abs() + d.x_axis.z.abs() + d.y_axis.z.abs() < 1e-13, "{d}");
            assert!(d.x_axis.x + 1e-13 >= d.y_axis.y && d.y_axis.y + 1e-13 >= d.z_axis.z);
        }
    }
}
