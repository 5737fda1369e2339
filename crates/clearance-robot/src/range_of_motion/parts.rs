//! What a body consists of: geometries at poses in the body's frame, and a few spheres around each.

use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use clearance_engine::shape::{Convex, ConvexPolyhedron, Primitive};
use clearance_engine::tree::{Geometry, Mesh, Solid};
use clearance_engine::volume::BoundingSphere;
use std::any::Any;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// A geometry on a body, placed in the frame of the body's first link (see
/// [`Robot::body_from_links`](crate::Robot::body_from_links)).
#[derive(Clone)]
pub struct BodyPart {
    /// What it is.
    pub geometry: Arc<dyn Geometry>,
    /// Where it is.
    pub body_from_part: Pose,
}

impl BodyPart {
    /// A geometry at a pose in the body's frame.
    pub fn new(geometry: Arc<dyn Geometry>, body_from_part: Pose) -> Self {
        Self { geometry, body_from_part }
    }
}

/// A part of a geometry: some triangles of a mesh, some pyramids of a polyhedron, or a whole
/// geometry of another kind, which is not split.
struct Piece<'p> {
    /// In the part's own coordinates.
    sphere: BoundingSphere,
    part: &'p BodyPart,
    triangles: Vec<[DVec3; 3]>,
    /// The tip of the pyramids over the triangles of a solid: with any tip they cover what a closed
    /// surface encloses.
    tip: Option<DVec3>,
}

impl<'p> Piece<'p> {
    fn whole(part: &'p BodyPart) -> Self {
        let geometry = &*part.geometry as &dyn Any;
        let (triangles, tip) = if let Some(mesh) = geometry.downcast_ref::<Mesh>() {
            let vertices = |i| mesh.tri_mesh().triangle(i as u32).0;
            let tip = mesh.is_solid().then(|| mesh.sphere().center);
            ((0..mesh.tri_mesh().len()).map(vertices).collect(), tip)
        } else if let Some(Primitive::ConvexPolyhedron(hull)) = geometry.downcast_ref::<Solid>().map(Solid::shape) {
            (surface(hull), Some(hull.center()))
        } else {
            (Vec::new(), None)
        };
        Self { sphere: part.geometry.sphere(), part, triangles, tip }
    }

    /// In two, across the longest side of the box around the triangles' centres; none where that is
    /// of no use.
    fn halves(&self) -> Option<[Self; 2]> {
        let centers: Vec<DVec3> = self.triangles.iter().map(|[a, b, c]| (*a + *b + *c) / 3.0).collect();
        let low = centers.iter().copied().reduce(DVec3::min)?;
        let high = centers.iter().copied().reduce(DVec3::max)?;
        let axis = (high - low).max_position();
        let middle = 0.5 * (low[axis] + high[axis]);
        let side = |upper: bool| {
            let chosen = self.triangles.iter().zip(&centers).filter(|(_, center)| (center[axis] > middle) == upper);
            let triangles: Vec<[DVec3; 3]> = chosen.map(|(triangle, _)| *triangle).collect();
            let points: Vec<DVec3> = triangles.as_flattened().iter().copied().chain(self.tip).collect();
            Self { sphere: BoundingSphere::around(&points), part: self.part, triangles, tip: self.tip }
        };
        let halves = [side(false), side(true)];
        halves
            .iter()
            .all(|half| !half.triangles.is_empty() && half.sphere.radius < self.sphere.radius)
            .then_some(halves)
    }
}

/// The faces of a polyhedron, cut into triangles.
fn surface(hull: &ConvexPolyhedron) -> Vec<[DVec3; 3]> {
    let fan = |face: u32| {
        let vertices = hull.face(face);
        vertices[1..].windows(2).map(move |edge| [vertices[0], edge[0], edge[1]].map(|point| hull.vertex(point)))
    };
    (0..hull.face_count() as u32).flat_map(fan).collect()
}

impl PartialEq for Piece<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Piece<'_> {}

impl PartialOrd for Piece<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Piece<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.sphere.radius.total_cmp(&other.sphere.radius)
    }
}

/// Spheres in the body's frame that together contain all parts: `count` of them, or one for each
/// part if these are more. The largest is split until there are enough.
pub(super) fn spheres_around(parts: &[BodyPart], count: usize) -> Vec<BoundingSphere> {
    let mut open: BinaryHeap<Piece<'_>> = parts.iter().map(Piece::whole).collect();
    let mut done = Vec::new();
    while let Some(largest) = open.pop() {
        let halves = if open.len() + done.len() + 1 < count { largest.halves() } else { None };
        match halves {
            Some(halves) => open.extend(halves),
            None => done.push(largest.sphere.moved(&largest.part.body_from_part)),
        }
    }
    done
}
