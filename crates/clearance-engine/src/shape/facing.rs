//! Back-face culling by relative motion: which triangles of a closed body can be the first to touch
//! anything.
//!
//! A body that moves straight along v, without turning, meets others with faces whose outward
//! normal n has n·v > 0 only. Where p is a point of first contact, the body does not reach beyond p
//! along v, or it would have touched earlier; so a ray along v from its inside, close to p, leaves
//! it close to p, and does so through a face with n·v > 0. The same holds for what it meets, along
//! −v. So the first contact of two closed bodies, apart at the start, is that of the front faces of
//! both (Vaněček, *Back-face culling applied to collision detection of polyhedra*, 1994; Jiménez,
//! Thomas and Torras, *3D collision detection: a survey*, 2001, section 4.2.2): about half of the
//! faces of each.
//!
//! Conservative: triangles along v up to rounding are kept. Cost: a few nanoseconds a triangle.

use super::TriMesh;
use super::topology::check_closed;
use crate::math::{DVec3, UNIT_ROUNDOFF, unit};
use crate::{Error, ErrorKind, Readable, Result};

/// Back-face culling by motion: the triangles of a closed mesh that can touch first when it moves
/// straight along `direction`.
///
/// `direction` is in the mesh's own coordinates. The result holds the triangles that do not face
/// away, in rising order, and is never empty.
///
/// Triangles must turn left seen from outside, and the surface must not cross itself. An open mesh,
/// one that is inside out, and a direction that is zero or not finite are errors. The filter holds
/// for translations of bodies that do not overlap at the start.
///
/// ```
/// use clearance_engine::{TriMesh, math::DVec3, shape::{ConvexPolyhedron, front_faces}};
/// let vertex = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
/// let cube = ConvexPolyhedron::hull_of(&(0..8).map(vertex).collect::<Vec<_>>())?.surface()?;
/// // Three of six faces, two triangles each.
/// let front = front_faces(&cube, DVec3::new(1.0, 2.0, 3.0))?;
/// assert_eq!(front.len(), 6);
/// let triangles = front.iter().map(|&i| cube.triangles()[i as usize]).collect();
/// let part = TriMesh::new(cube.vertices().to_vec(), triangles)?;
/// assert!(front_faces(&part, DVec3::X).is_err(), "half a cube is open");
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn front_faces(mesh: &TriMesh, direction: DVec3) -> Result<Vec<u32>> {
    let Some(direction) = direction.is_finite().then(|| unit(direction)).flatten() else {
        return Err(Error::new(ErrorKind::BadRequest, format!("{} is no direction", Readable(direction))));
    };
    check_closed(mesh)?;
    if !encloses_volume(mesh) {
        return Err(Error::new(
            ErrorKind::NotClosed,
            "the mesh is inside out: its triangles turn right seen from outside",
        ));
    }
    Ok((0..mesh.len() as u32).filter(|&i| is_front(mesh.triangle(i).0, direction)).collect())
}

/// Whether a closed mesh has a positive volume: its triangles turn left seen from outside.
pub(crate) fn encloses_volume(mesh: &TriMesh) -> bool {
    let (low, high) = mesh.bounding_box();
    signed_volume(mesh, low * 0.5 + high * 0.5, (high - low).length()) > 0.0
}

/// Six times the signed volume of a mesh, in units of the size.
fn signed_volume(mesh: &TriMesh, center: DVec3, size: f64) -> f64 {
    let point = |vertex: DVec3| (vertex - center) / size;
    let tetrahedron = |i: u32| {
        let [a, b, c] = mesh.triangle(i).0.map(point);
        a.dot(b.cross(c))
    };
    (0..mesh.len() as u32).map(tetrahedron).sum()
}

/// Whether a triangle does not provably face away from a unit vector.
pub(crate) fn is_front([a, b, c]: [DVec3; 3], direction: DVec3) -> bool {
    let (e, f) = (b - a, c - a);
    // Edges are off by one rounding, the direction by three, or a few dozens where it was turned
    // into a body's coordinates, products and sums by six.
    let slack = 128.0 * UNIT_ROUNDOFF * e.abs().element_sum() * f.abs().element_sum();
    let towards = e.cross(f).dot(direction);
    // Sizes whose products leave the range of numbers, below or above, are kept.
    towards >= -slack - f64::MIN_POSITIVE || !towards.is_finite()
}
