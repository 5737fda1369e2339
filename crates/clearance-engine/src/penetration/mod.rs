//! Penetration depth of solids of any form: the least translation that separates them, as a
//! certified interval.
//!
//! # The certified radius
//!
//! Let a(x) and b(x) be the signed distances of a point from the surfaces of A and B, positive
//! inside. Where B is translated by t, f(x; t) = a(x) + b(x − t) is a *certified radius* for every
//! point x: all translations within f of t overlap. For there is a sphere of A and one of B about
//! one centre. Where one of the two is negative, a point of that body lies within the other one's
//! sphere. So
//!
//! * the depth is at least the maximum of f(x; 0) over x. Moving x towards the medial axis of one
//!   body never loses, so spheres about its points (`medial.rs`) are the candidates;
//! * two spheres, one of each body, prove more than one point: they overlap at all translations in
//!   a sphere around the difference of their centres;
//! * spheres lose where both surfaces have edges. Convex polyhedra of the bodies' inside
//!   (`inner.rs`) do not: the translations at which a pair of them overlaps are a convex set too;
//! * so are the translations at which a triangle of A and one of B cross. They lose nothing, but
//!   reach no farther than triangles are large;
//! * cones of directions (`cones.rs`) are followed outward from one such set into the next, and cut
//!   in two where that ends. The nearest end of all is the lower bound, and the place where B may
//!   leave; nothing in it depends on the form of the bodies.
//!
//! The upper bound is a translation that slid (`slide.rs`) along contacts, proven by the distance
//! query.
//!
//! # Rounding
//!
//! Answers are about the real images of the bodies under the `f64` pose (R, T), whose R is a
//! rotation up to 12 units of the last place: |RᵀR − I| ≤ 24u, u the unit roundoff. Let M bound all
//! coordinates, translations and radii (`Search::largest`).
//!
//! * *Lower bounds.* A point moves between the frames by 3 products, 4 sums and perhaps the
//!   subtraction of t, off by 16u·M, and R deviates by 24u·M. So a sphere about the computed point
//!   has a point of the true centre within 48u·M, and its radius changes by 24u·M at most, which
//!   only counts for one of the two. Their sum is below 64u·M, which each f is lowered by; the
//!   signed distances themselves are certified (`field.rs`). Two spheres are brought into one frame
//!   by the same steps; the difference of their centres is turned once more or rounded twice, by
//!   8u·M, which the rest of 64u·M covers, as M exceeds all coordinates eight times. Points on rays
//!   are off by 2u·M, which that covers too. Rays are exact (`cones.rs`). Of convex polyhedra see
//!   `Search::always_overlap`.
//! * *Upper bounds.* The tested pose has the translation T' = T + t, rounded, so the true length of
//!   T' − T exceeds that of t by 4u·M at most; `upper` adds 64u·M. A user shifts by `upper` along
//!   `normal`, which differs from T' by less than 65u·M. The certified distance at T' must exceed
//!   256u·M. So the bodies are apart at the user's pose too, by more than vertices are rounded when
//!   the collision query moves them.
//!
//! The answer depends on the request alone: the budget counts steps, not time.

mod ascent;
mod cones;
mod field;
mod half_space;
mod inner;
mod medial;
mod saved;
mod search;
mod signed;
mod slide;
#[cfg(test)]
mod tests;
mod union;

pub(crate) use saved::{restore, save, validate};
pub use signed::{SignedDistance, signed_distance};

use crate::convex::{Penetration, PenetrationRequest, Status};
use crate::dispatch::{Dispatcher, Pair};
use crate::query::{DistanceRequest, Witness};
use crate::traversal::Workspace;
use crate::tree::voxel_map::VoxelCells;
use crate::tree::{Assembly, BvhKind, Geometry, HalfSpaceGeometry, HeightField, Mesh, MeshView, PointCloud, Solid};
use crate::volume::BoundingSphere;
use crate::{Error, ErrorKind, Pose, Result};
use field::{ConvexField, Field, MeshField};
use search::Search;
use std::any::Any;
use union::UnionField;

/// The tolerance of [`Pair::penetration`] where a body is not convex.
const REL_ERR: f64 = 0.005;
/// The largest coordinates: the square of an area must be a number.
const LARGEST: f64 = 1e70;
/// The budget where the request has none.
const BUDGET: u64 = 150_000;

impl<K: BvhKind> Mesh<K> {
    /// Derives what penetration depths need of a solid mesh, in 0.1 to 2 s, which else the first of
    /// them does; clones share it, and [`save_hierarchy`](Mesh::save_hierarchy) keeps it. An error
    /// for a mesh that was not declared solid.
    ///
    /// ```
    /// use clearance_engine::{TriMesh, math::DVec3, tree::Mesh};
    /// let tri_mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// assert!(Mesh::<clearance_engine::tree::Bvh8>::new(tri_mesh)?.prepare_for_penetration().is_err());
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn prepare_for_penetration(&self) -> Result<()> {
        check_size([self, self], &Pose::IDENTITY)?;
        field(self, &self.sphere()).map(drop)
    }
}

impl Pair {
    /// The penetration depth: the least translation that separates the geometries, or `None` if
    /// they are apart.
    ///
    /// It is exact up to 1e-6 for two convex geometries, and asks for 0.5 % within the default
    /// budget where a mesh is involved; the answer's interval is certified in any case. Both must
    /// be solids: an error for meshes that were not declared solid, and for geometries without a
    /// depth.
    ///
    /// ```
    /// use clearance_engine::{Pose, dispatch::Pair, math::DVec3, shape::{ConvexPolyhedron, Cuboid}, tree::Mesh};
    /// let vertex = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
    /// let cube = ConvexPolyhedron::hull_of(&(0..8).map(vertex).collect::<Vec<_>>())?.surface()?;
    /// let mesh: Mesh = Mesh::new(cube)?;
    /// let mut pair = Pair::new(mesh.into_solid()?, Cuboid::new(1.0, 1.0, 1.0)?)?;
    /// let pose = Pose::from_xyz(0.5, 0.6, 1.3)?;
    /// let depth = pair.penetration(pose)?.expect("they overlap");
    /// assert!(depth.lower <= 0.2 && 0.2 <= depth.upper && depth.upper - depth.lower < 0.001);
    /// assert!(!pair.collides(depth.separated(&pose)?));
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn penetration(&mut self, a_from_b: Pose) -> Result<Option<Penetration>> {
        let request = self.default_penetration_request();
        self.penetration_with(a_from_b, &request)
    }

    /// The same with a tolerance and a budget.
    ///
    /// The search stops when the interval is as narrow as asked for, or after `max_steps`: nodes,
    /// triangles and spheres looked at, some 20 ns each. Then the [status](Status) is
    /// [`Budget`](Status::Budget). A larger budget never gives a wider interval.
    pub fn penetration_with(&mut self, a_from_b: Pose, request: &PenetrationRequest) -> Result<Option<Penetration>> {
        let (dispatcher, [a, b], workspace) = self.for_motion();
        penetration_depth(dispatcher, [a, b], &a_from_b, request, workspace)
    }

    fn default_penetration_request(&self) -> PenetrationRequest {
        let is_other = |body: &dyn Geometry| !(body as &dyn Any).is::<Solid>();
        let default = PenetrationRequest::default();
        let rel_err = if is_other(&**self.a()) || is_other(&**self.b()) { REL_ERR } else { default.rel_err };
        PenetrationRequest { rel_err, ..default }
    }
}

/// The penetration depth of two solids of any form, for those who bring their own memory; see
/// [`Pair::penetration_with`].
pub fn penetration_depth(
    dispatcher: &Dispatcher,
    bodies: [&dyn Geometry; 2],
    a_from_b: &Pose,
    request: &PenetrationRequest,
    workspace: &mut Workspace,
) -> Result<Option<Penetration>> {
    depth_after(0, dispatcher, bodies, a_from_b, request, workspace)
}

/// The same where so many steps of the budget were spent before.
fn depth_after(
    spent: u64,
    dispatcher: &Dispatcher,
    bodies: [&dyn Geometry; 2],
    a_from_b: &Pose,
    request: &PenetrationRequest,
    workspace: &mut Workspace,
) -> Result<Option<Penetration>> {
    let plan = dispatcher.plan(bodies[0], bodies[1])?;
    match plan.penetration(a_from_b, request) {
        Err(error) if error.kind() == ErrorKind::Unsupported => {}
        other => return other,
    }
    check_solids(bodies)?;
    if bodies.iter().any(is_half_space) {
        return half_space::penetration(&plan, bodies, a_from_b, request, workspace);
    }
    check_size(bodies, a_from_b)?;
    let [a, b] = bodies.map(|body| body.sphere());
    let fields = [field(bodies[0], &b.moved(a_from_b))?, field(bodies[1], &a.moved(&a_from_b.inverse()))?];
    let budget = request.max_steps.map_or(BUDGET, |steps| steps as u64);
    let mut search = Search::new(dispatcher, bodies, fields, *a_from_b, workspace, (*request, budget, spent))?;
    if !search.run() {
        return Ok(None);
    }
    let is_narrow = search.is_narrow();
    let (best, size) = (search.best, plan.smaller_size());
    let (lower, upper) = (search.lower.min(best.length), best.length);
    // Nearest points after the translation are no farther from each other than the interval is wide:
    // a shorter way back to an overlap would be a depth below `lower`. Slides ask for less than the
    // nearest ones, and the budget may end before any contact was looked at.
    let is_within = |witness: &Witness| witness.point_a.distance(witness.point_b) <= upper - lower;
    let witness = match best.witness.filter(is_within) {
        Some(witness) => Some(witness),
        None => {
            let request = DistanceRequest { min_d: upper - lower, ..DistanceRequest::default() };
            plan.distance(&a_from_b.shifted(best.by), &request, workspace, None)?.witness
        }
    };
    let points = witness.map(|witness| (witness.point_a, witness.point_b - best.by));
    let (point_a, point_b) = points.unwrap_or((best.by, -best.by));
    let status = match request.status(lower, upper, size) {
        Status::Inexact if !is_narrow => Status::Budget,
        status => status,
    };
    let normal = best.by.normalize_or(crate::math::DVec3::Z);
    Ok(Some(Penetration { lower, upper, normal, point_a, point_b, status }))
}

/// Refuses coordinates whose products of four are beyond the range of numbers.
fn check_size(bodies: [&dyn Geometry; 2], a_from_b: &Pose) -> Result<()> {
    let extent = |body: &dyn Geometry| body.sphere().center.length() + body.sphere().radius;
    let largest = extent(bodies[0]).max(extent(bodies[1])).max(a_from_b.translation().length());
    if largest <= LARGEST {
        return Ok(());
    }
    let message = format!(
        "solids with coordinates above {LARGEST:e} have no penetration depth, here {largest:e}: measure them in a \
         larger unit"
    );
    Err(Error::new(ErrorKind::OutOfRange, message))
}

fn is_half_space(body: &&dyn Geometry) -> bool {
    (*body as &dyn Any).is::<HalfSpaceGeometry>()
}

/// Refuses meshes without an inside. Half-spaces are left along their normals, also by these.
fn check_solids(bodies: [&dyn Geometry; 2]) -> Result<()> {
    for (which, body) in ["the first", "the second"].into_iter().zip(bodies) {
        if let (Some(mesh), false) = (body.mesh(), bodies.iter().any(is_half_space)) {
            check_solid(&mesh, which)?;
        }
    }
    Ok(())
}

fn check_solid(mesh: &MeshView<'_>, which: &str) -> Result<()> {
    if mesh.is_solid {
        return Ok(());
    }
    let message = format!(
        "{which} mesh is a surface without an inside, so that it has no penetration depth: close it and declare it \
         solid (`into_solid`, `solid: true`, `--solid-a`, `--solid-b`)"
    );
    Err(Error::new(ErrorKind::Unsupported, message))
}

/// What the search needs of a body, of which only the parts that touch `near` matter.
fn field<'g>(body: &'g dyn Geometry, near: &BoundingSphere) -> Result<Field<'g>> {
    let any = body as &dyn Any;
    if let Some(mesh) = body.mesh() {
        check_solid(&mesh, "a")?;
        let sphere = body.sphere();
        return Ok(Field::Mesh(mesh.derived.get_or_init(|| MeshField::new(mesh.tri_mesh, sphere))));
    }
    if let Some(solid) = any.downcast_ref::<Solid>() {
        return Ok(Field::Convex(ConvexField::new(solid)));
    }
    let union = if let Some(assembly) = any.downcast_ref::<Assembly>() {
        UnionField::of_assembly(assembly, near, &field)?
    } else if let Some(cloud) = any.downcast_ref::<PointCloud>() {
        UnionField::of_primitives(body, cloud, near)
    } else if let Some(cells) = any.downcast_ref::<VoxelCells>() {
        UnionField::of_primitives(body, cells, near)
    } else if any.downcast_ref::<HeightField>().is_some_and(HeightField::is_solid) {
        UnionField::unknown(body)
    } else {
        let message = format!("a {} has no penetration depth: it has no inside, or none that is known", body.kind());
        return Err(Error::new(ErrorKind::Unsupported, message));
    };
    Ok(Field::Union(union))
}
