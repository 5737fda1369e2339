//! Eigenvectors of symmetric 3×3 matrices by Jacobi rotations. They never fail, also for repeated
//! eigenvalues.

use super::{DMat3, DVec3};

/// Computes the eigenvectors of a symmetric matrix: orthonormal columns of a rotation, largest
/// eigenvalue first.
///
/// ```
/// use clearance_engine::math::{symmetric_eigenvectors, DMat3, DVec3};
/// let axes = symmetric_eigenvectors(DMat3::from_diagonal(DVec3::new(1.0, 9.0, 4.0)));
/// assert_eq!(axes.x_axis.abs(), DVec3::Y);
/// assert_eq!(axes.z_axis.abs(), DVec3::X);
/// ```
pub fn symmetric_eigenvectors(matrix: DMat3) -> DMat3 {
    let mut a = matrix.to_cols_array_2d();
    let mut vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..16 {
        let mut turned = rotate_away(&mut a, &mut vectors, 0, 1, 2);
        turned |= rotate_away(&mut a, &mut vectors, 0, 2, 1);
        turned |= rotate_away(&mut a, &mut vectors, 1, 2, 0);
        if !turned {
            break;
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

/// Zeroes `a[p][q]` by one Jacobi rotation, with r the third index (Golub and Van Loan, section
/// 8.5). Returns false if it is zero already, up to rounding.
#[inline(always)]
fn rotate_away(a: &mut [[f64; 3]; 3], vectors: &mut [[f64; 3]; 3], p: usize, q: usize, r: usize) -> bool {
    let off = a[p][q];
    if off.abs() <= f64::MIN_POSITIVE || off * off <= 1e-32 * a[p][p] * a[q][q] || off.is_nan() {
        return false;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * off);
    // An overflowing square makes t zero, which it is but for rounding.
    let t = 1.0_f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    a[p][p] -= t * off;
    a[q][q] += t * off;
    (a[p][q], a[q][p]) = (0.0, 0.0);
    let (x, y) = (a[p][r], a[q][r]);
    (a[p][r], a[q][r]) = (c * x - s * y, s * x + c * y);
    (a[r][p], a[r][q]) = (a[p][r], a[q][r]);
    let (x, y) = (vectors[p], vectors[q]);
    vectors[p] = [0, 1, 2].map(|k| c * x[k] - s * y[k]);
    vectors[q] = [0, 1, 2].map(|k| s * x[k] + c * y[k]);
    true
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
