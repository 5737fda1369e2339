//! How a mesh finds the signs of points: what it keeps for them, made when it is needed.

use super::Dipoles;
use super::bvh8::visit_in_bvh8;
use super::sides::Sides;
use super::surface::NearestTriangle;
use crate::TriMesh;
use crate::math::DVec3;
use crate::pair::shape::ray_crossing;
use crate::shape::check_closed;
use crate::tree::{Bvh8Tree, BvhKind, Hierarchy, Mesh, VolumeTree};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// What a mesh knows about inside and outside.
#[derive(Debug, Default)]
pub(in crate::tree) struct Signs {
    closed: OnceLock<bool>,
    /// Of an open mesh.
    dipoles: OnceLock<Arc<Dipoles>>,
    /// Of a closed mesh under the default hierarchy.
    sides: OnceLock<Arc<Sides>>,
    /// How many signs were found by rays before.
    rays: AtomicUsize,
}

impl Clone for Signs {
    fn clone(&self) -> Self {
        Self {
            closed: self.closed.clone(),
            dipoles: self.dipoles.clone(),
            sides: self.sides.clone(),
            rays: AtomicUsize::new(self.rays.load(Ordering::Relaxed)),
        }
    }
}

impl Signs {
    pub(super) fn is_closed<K: BvhKind>(&self, mesh: &Mesh<K>) -> bool {
        *self.closed.get_or_init(|| mesh.is_solid() || check_closed(mesh.tri_mesh()).is_ok())
    }

    pub(super) fn dipoles<K: BvhKind>(&self, mesh: &Mesh<K>) -> &Dipoles {
        self.dipoles.get_or_init(|| {
            let repeats = (0..mesh.tri_mesh().len() as u32).any(|id| mesh.repeats(id));
            Arc::new(Dipoles::new(mesh.hierarchy().bvh(), mesh.tri_mesh(), repeats))
        })
    }

    /// Whether a point, which has a nearest triangle in lanes, is inside of a closed mesh.
    ///
    /// A ray decides at first. The sides of triangles take as long to find as some rays for each of
    /// them: they are found once as many rays were cast, and then decide where they can. Both are
    /// exact.
    pub(super) fn is_inside(&self, tree: &Bvh8Tree, mesh: &TriMesh, point: DVec3, nearest: &NearestTriangle) -> bool {
        if nearest.is_alone() {
            let rays = self.rays.load(Ordering::Relaxed);
            if rays >= mesh.len()
                && let Some(inside) =
                    self.sides.get_or_init(|| Arc::new(Sides::new(tree, mesh))).of(mesh, point, nearest.id)
            {
                return inside;
            }
            self.rays.store(rays + 1, Ordering::Relaxed);
        }
        winding_in_bvh8(tree, mesh, point) != 0
    }
}

/// How often a closed mesh winds around a point that is not on its surface, as
/// [`winding_number`](crate::pair::shape::winding_number) says.
pub(crate) fn winding_in_bvh8(tree: &Bvh8Tree, mesh: &TriMesh, point: DVec3) -> i64 {
    let (mut winding, far) = (0, DVec3::new(f64::INFINITY, point.y, point.z));
    visit_in_bvh8(tree, point, far, |id| winding += i64::from(ray_crossing(point, &mesh.triangle(id))));
    winding
}
