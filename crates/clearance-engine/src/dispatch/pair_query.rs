//! A test between two kinds of geometry: what users implement, the built-in ones, and two
//! geometries with the test that was found for them.

use super::{Dispatcher, Entry};
use crate::convex::{Penetration, PenetrationRequest};
use crate::math::DVec3;
use crate::pair::shape::Proximity;
use crate::pair::volume::Gap;
use crate::query::{
    Change, CollideGoal, CollideRequest, Collision, Composite, ContactList, Contacts, ContactsRequest, Distance,
    DistanceGoal, DistanceRequest, Goal, Gradient, NearestLine, Visit, VisitGoal, Visitor, WithinGoal, contained,
    contained_distance_field, contained_distance_field_below, contained_distance_fields, contained_fields,
    contained_solid, contained_solid_below, contained_solids, contained_solids_below, contained_with_field,
    nearest_is_unique, penetration, test_half_spaces, test_primitive_and_field, test_primitive_and_half_space,
    test_primitives, traverse_bvh8_and_primitive, traverse_bvh8_and_primitive_bvh, traverse_field_and_half_space,
    traverse_fields, traverse_mesh_and_field, traverse_mesh_and_half_space, traverse_mesh_and_primitive,
    traverse_mesh_and_primitive_bvh, traverse_meshes, traverse_mixed_meshes, traverse_primitive_bvh_and_field,
    traverse_primitive_bvh_and_half_space, traverse_primitive_bvh_and_primitive, traverse_primitive_bvhs,
    traverse_trees,
};
use crate::traversal::{Stats, WarmStart, Workspace};
use crate::tree::{
    BvhKind, DistanceField, Geometry, HalfSpaceGeometry, HeightField, Mesh, PrimitiveBvh, Solid, VolumeTree,
};
use crate::{Error, ErrorKind, Pose, Readable, Result};
use std::any::Any;
use std::marker::PhantomData;

/// Two geometries and the test for them: asks as many questions as you like.
///
/// Every method takes the pose of B in A's frame, scratch memory (one [`Workspace`] per thread)
/// and, for coherent sequences, a [`WarmStart`] (one per pair), which makes the next query faster
/// and changes no answer.
#[derive(Clone, Copy)]
pub struct PairQuery<'p> {
    dispatcher: &'p Dispatcher,
    a: &'p dyn Geometry,
    b: &'p dyn Geometry,
    test: &'p dyn AnyTest,
    /// Those of a and b, by which a cache knows spheres of theirs, if the test trusts these.
    known_by: Option<(u64, u64)>,
    /// The test is one of B against A.
    swapped: bool,
}

impl<'p> PairQuery<'p> {
    pub(super) fn new(
        dispatcher: &'p Dispatcher,
        [a, b]: [&'p dyn Geometry; 2],
        entry: &'p Entry,
        swapped: bool,
    ) -> Self {
        let known_by = entry.allows_sphere_early_out.then(|| (a.revision(), b.revision()));
        Self { dispatcher, a, b, test: &*entry.test, known_by, swapped }
    }

    /// The certified distance.
    #[inline]
    pub fn distance(
        &self,
        a_from_b: &Pose,
        request: &DistanceRequest,
        workspace: &mut Workspace,
        warm_start: Option<&mut WarmStart>,
    ) -> Result<Distance> {
        request.check()?;
        Ok(self.distance_checked(a_from_b, request, workspace, warm_start))
    }

    /// The same for a request that is in order.
    #[inline]
    pub(super) fn distance_checked(
        &self,
        a_from_b: &Pose,
        request: &DistanceRequest,
        workspace: &mut Workspace,
        warm_start: Option<&mut WarmStart>,
    ) -> Distance {
        let mut goal = DistanceGoal::new(request);
        self.run(a_from_b, &mut goal, workspace, warm_start);
        goal.finish_with(|| self.smaller_size())
    }

    /// The radius of a sphere around the smaller geometry.
    pub(crate) fn smaller_size(&self) -> f64 {
        self.a.sphere().radius.min(self.b.sphere().radius)
    }

    /// Whether they touch or overlap; also where rounding does not tell that they are apart.
    #[inline]
    pub fn collide(&self, a_from_b: &Pose, workspace: &mut Workspace, warm_start: Option<&mut WarmStart>) -> Collision {
        self.collide_with(a_from_b, &CollideRequest::default(), workspace, warm_start)
    }

    /// The same within a budget.
    #[inline]
    pub fn collide_with(
        &self,
        a_from_b: &Pose,
        request: &CollideRequest,
        workspace: &mut Workspace,
        warm_start: Option<&mut WarmStart>,
    ) -> Collision {
        let mut goal = CollideGoal::new(request);
        self.run(a_from_b, &mut goal, workspace, warm_start);
        goal.finish()
    }

    /// All contacts.
    pub fn contacts(&self, a_from_b: &Pose, request: &ContactsRequest, workspace: &mut Workspace) -> Result<Contacts> {
        request.check()?;
        Ok(self.contacts_checked(a_from_b, request, workspace))
    }

    /// The same for a request that is in order.
    pub(super) fn contacts_checked(
        &self,
        a_from_b: &Pose,
        request: &ContactsRequest,
        workspace: &mut Workspace,
    ) -> Contacts {
        let (mut list, mut visit) = (ContactList::new(request), Visit::new(request.max_steps));
        self.run(a_from_b, &mut VisitGoal::new(&mut list, &mut visit), workspace, None);
        list.finish(&visit)
    }

    /// Shows a visitor of yours the pairs of shapes that are near each other; an error if the
    /// distance that it begins with is negative or not finite.
    pub fn visit(&self, a_from_b: &Pose, visitor: &mut dyn Visitor, workspace: &mut Workspace) -> Result<Stats> {
        ContactsRequest { margin: visitor.max_distance(), ..Default::default() }.check()?;
        let mut visit = Visit::new(None);
        self.run(a_from_b, &mut VisitGoal::new(visitor, &mut visit), workspace, None);
        Ok(visit.stats)
    }

    /// Whether the distance is `d` or less. A [distance](PairQuery::distance) between `d` and `d` asks
    /// the same within a budget.
    #[inline]
    pub fn within(&self, a_from_b: &Pose, d: f64, workspace: &mut Workspace) -> Result<(bool, Stats)> {
        if d.is_nan() || d < 0.0 {
            return Err(Error::new(
                ErrorKind::BadRequest,
                format!("a distance must not be negative or NaN: {}", Readable(d)),
            ));
        }
        let mut goal = WithinGoal::new(d);
        self.run(a_from_b, &mut goal, workspace, None);
        Ok(goal.finish())
    }

    /// How deep they overlap and where B leaves A soonest, in A's frame; `None` where they are
    /// certainly apart. An error for geometries that have no depth: all but simple solids, unless a
    /// test is registered that tells.
    ///
    /// ```
    /// use clearance_engine::{Pose, dispatch::Dispatcher, convex::PenetrationRequest, math::DVec3, shape::{Sphere, Cuboid}, tree::Solid};
    /// let (table, sphere) = (Solid::new(Cuboid::from_half_extents(DVec3::new(1.0, 0.5, 0.05))?), Solid::new(Sphere::new(0.2)?));
    /// let dispatcher = Dispatcher::standard();
    /// let sunk = Pose::from_translation(DVec3::Z * 0.1)?;
    /// let depth = dispatcher.plan(&table, &sphere)?.penetration(&sunk, &PenetrationRequest::default())?.expect("they overlap");
    /// assert!(depth.lower <= 0.15 && 0.15 <= depth.upper && depth.normal.distance(DVec3::Z) < 1e-12);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn penetration(&self, a_from_b: &Pose, request: &PenetrationRequest) -> Result<Option<Penetration>> {
        request.check()?;
        if !self.swapped {
            return self.test.penetration(self.a, self.b, a_from_b, request);
        }
        let found = self.test.penetration(self.b, self.a, &a_from_b.inverse(), request)?;
        // A leaves B the other way.
        Ok(found.map(|found| Penetration {
            normal: -a_from_b.transform_vector(found.normal),
            point_a: a_from_b.transform_point(found.point_b),
            point_b: a_from_b.transform_point(found.point_a),
            ..found
        }))
    }

    /// The gradient of a distance that this pair has at `a_from_b`; `None` where the geometries
    /// touch, which leaves no direction.
    pub fn gradient(&self, a_from_b: &Pose, distance: &Distance, workspace: &mut Workspace) -> Option<Gradient> {
        let (nearest, unique) = self.nearest(a_from_b, distance, true, workspace)?;
        Some(Gradient::new(&nearest, a_from_b, unique))
    }

    /// The nearest points of a distance, and whether no others are as near; see
    /// [`Gradient::unique`]. Of meshes that is `None` unless ties are looked for.
    pub(crate) fn nearest(
        &self,
        a_from_b: &Pose,
        distance: &Distance,
        examine_ties: bool,
        workspace: &mut Workspace,
    ) -> Option<(NearestLine, Option<bool>)> {
        let (geometries, witness) = ([self.a, self.b], distance.witness.filter(|_| distance.lower > 0.0)?);
        let nearest = NearestLine::of([witness.point_a, witness.point_b], witness.leaves, geometries, a_from_b)?;
        let ties = |request: &_| examine_ties.then(|| self.contacts_checked(a_from_b, request, workspace));
        let unique = nearest_is_unique(geometries, distance, &nearest, a_from_b, ties);
        Some((nearest, unique))
    }

    /// The direction from the first to the second of two nearest points that a search found.
    pub(crate) fn normal(&self, a_from_b: &Pose, points: [DVec3; 2], leaves: Option<(u32, u32)>) -> Option<DVec3> {
        NearestLine::of(points, leaves, [self.a, self.b], a_from_b).map(|nearest| nearest.normal)
    }

    /// Runs a goal that may have found something already: for composites, whose parts share one
    /// bound.
    #[inline]
    pub fn run<G: Composite>(
        &self,
        a_from_b: &Pose,
        goal: &mut G,
        workspace: &mut Workspace,
        warm_start: Option<&mut WarmStart>,
    ) where
        for<'g> AnyGoal<'g>: From<&'g mut G>,
    {
        if let (Some(warm_start), Some(revisions)) = (&warm_start, self.known_by)
            && goal.recall(|| warm_start.overlap_at(revisions, a_from_b))
        {
            return;
        }
        let mut session = Session { dispatcher: self.dispatcher, workspace, warm_start };
        if !self.swapped {
            return self.test.run(self.a, self.b, a_from_b, goal.into(), &mut session);
        }
        let change = Change { pose: *a_from_b, swapped: true, part: None };
        let mark = goal.mark(&change);
        self.test.run(self.b, self.a, &a_from_b.inverse(), (&mut *goal).into(), &mut session);
        goal.rewrite(mark, &change);
    }
}

/// What a test may use besides its two geometries.
pub struct Session<'s> {
    /// Who called: for the parts of a composite.
    pub dispatcher: &'s Dispatcher,
    /// Scratch memory.
    pub workspace: &'s mut Workspace,
    /// What is remembered of this pair.
    pub warm_start: Option<&'s mut WarmStart>,
}

/// Brings two geometries together for each kind of goal; `b` is placed in `a`'s frame by
/// `a_from_b`.
pub trait PairTest<A: Geometry, B: Geometry>: Send + Sync + 'static {
    /// Says what these two lack, once for all queries: parts of a composite for which `dispatcher`
    /// has no test.
    fn check(&self, _dispatcher: &Dispatcher, _a: &A, _b: &B) -> Result<()> {
        Ok(())
    }

    /// Whether a `collide` of two solids may be answered without calling this test, by what a cache
    /// knows of spheres around and inside of them: only where nothing but their overlap matters.
    fn allows_sphere_early_out(&self) -> bool {
        false
    }

    /// Runs a distance goal.
    fn distance(&self, a: &A, b: &B, a_from_b: &Pose, goal: &mut DistanceGoal, session: &mut Session<'_>);
    /// Runs a collision goal.
    fn collide(&self, a: &A, b: &B, a_from_b: &Pose, goal: &mut CollideGoal, session: &mut Session<'_>);
    /// Runs a goal that visits pairs of shapes: contacts, and users' own queries.
    fn visit(&self, a: &A, b: &B, a_from_b: &Pose, goal: &mut VisitGoal<'_>, session: &mut Session<'_>);
    /// Runs a within goal.
    fn within(&self, a: &A, b: &B, a_from_b: &Pose, goal: &mut WithinGoal, session: &mut Session<'_>);

    /// How deep they overlap, or `None` where they are certainly apart; an error unless this test
    /// can tell, as those of two solids can.
    fn penetration(
        &self,
        a: &A,
        b: &B,
        _a_from_b: &Pose,
        _request: &PenetrationRequest,
    ) -> Result<Option<Penetration>> {
        Err(no_depth(a, b))
    }
}

fn no_depth(a: &dyn Geometry, b: &dyn Geometry) -> Error {
    let message = format!("the test for {} against {} does not find how deep they overlap", a.kind(), b.kind());
    Error::new(ErrorKind::Unsupported, message)
}

/// Whether containment is soon decided, so that a search without a budget left may ask it: it takes
/// a look at a point of each connected part.
fn is_of_few_parts(geometry: &dyn Geometry) -> bool {
    const FEW: usize = 8;
    let any = geometry as &dyn Any;
    any.is::<Solid>()
        || any.is::<HeightField>()
        || geometry.mesh().is_some_and(|mesh| mesh.component_points().len() <= FEW)
}

/// Implements [`PairTest`] by one function for all goals and, where given, another one after it:
/// the point that finds, if surfaces are apart, is in both. Where a budget ended the search and
/// that would take long, the distance may be zero.
macro_rules! same_for_all_goals {
    ($a:ty, $b:ty: $meet:ident $(, then $more:ident)?) => {
        same_for_all_goals!(distance DistanceGoal, $a, $b: $meet $($more)?);
        same_for_all_goals!(collide CollideGoal, $a, $b: $meet $($more)?);
        same_for_all_goals!(visit VisitGoal<'_>, $a, $b: $meet $($more)?);
        same_for_all_goals!(within WithinGoal, $a, $b: $meet $($more)?);
    };
    ($question:ident $goal:ty, $a:ty, $b:ty: $meet:ident $($more:ident)?) => {
        fn $question(&self, a: &$a, b: &$b, a_from_b: &Pose, goal: &mut $goal, session: &mut Session<'_>) {
            $meet(a, b, a_from_b, goal, session.workspace, session.warm_start.as_deref_mut());
            $(if goal.is_exhausted() && !(is_of_few_parts(a) && is_of_few_parts(b)) {
                goal.stopped(0.0);
            } else if !goal.overlaps()
                && let Some(point) = $more(a, b, a_from_b, session.workspace)
            {
                goal.contain(point);
            })?
        }
    };
}

/// Any two volume trees, by the traversal alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct Trees;

impl<A, B> PairTest<A, B> for Trees
where
    A: VolumeTree + Geometry,
    B: VolumeTree + Geometry,
    A::Volume: Gap<B::Volume>,
    B::Volume: Gap<A::Volume>,
    A::Shape: Proximity<B::Shape>,
{
    same_for_all_goals!(A, B: traverse_trees);
}

/// Two meshes: the traversal, and for those declared solid containment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Meshes;

/// The volume that bounds the nodes of a kind of mesh.
type Bounding<K> = <Mesh<K> as VolumeTree>::Volume;

impl<A: BvhKind, B: BvhKind> PairTest<Mesh<A>, Mesh<B>> for Meshes
where
    Bounding<A>: Gap<Bounding<B>>,
    Bounding<B>: Gap<Bounding<A>>,
{
    same_for_all_goals!(Mesh<A>, Mesh<B>: traverse_trees, then contained);
}

/// Two meshes under different volumes: the traversal by supports, and containment.
#[derive(Debug, Clone, Copy, Default)]
pub struct MixedMeshes;

impl<A: BvhKind, B: BvhKind> PairTest<Mesh<A>, Mesh<B>> for MixedMeshes {
    same_for_all_goals!(Mesh<A>, Mesh<B>: traverse_mixed_meshes, then contained);
}

/// Two default meshes: the traversal in SIMD lanes, and containment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bvh8Meshes;

impl PairTest<Mesh, Mesh> for Bvh8Meshes {
    same_for_all_goals!(Mesh, Mesh: traverse_meshes, then contained);
}

/// A mesh of any kind and a simple solid: the traversal by supports, and containment.
#[derive(Debug, Clone, Copy, Default)]
pub struct MeshAndPrimitive;

impl<A: BvhKind> PairTest<Mesh<A>, Solid> for MeshAndPrimitive {
    same_for_all_goals!(Mesh<A>, Solid: traverse_mesh_and_primitive, then contained_solid);
}

/// A default mesh and a simple solid: the traversal in SIMD lanes, and containment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bvh8AndPrimitive;

impl PairTest<Mesh, Solid> for Bvh8AndPrimitive {
    same_for_all_goals!(Mesh, Solid: traverse_bvh8_and_primitive, then contained_solid);
}

/// Two simple solids.
#[derive(Debug, Clone, Copy, Default)]
pub struct Primitives;

/// Depths of two solids, whose search has no memory and no choice.
macro_rules! penetration_of_primitives {
    () => {
        fn penetration(
            &self,
            a: &Solid,
            b: &Solid,
            a_from_b: &Pose,
            request: &PenetrationRequest,
        ) -> Result<Option<Penetration>> {
            penetration(a, b, a_from_b, request)
        }
    };
}

impl PairTest<Solid, Solid> for Primitives {
    fn allows_sphere_early_out(&self) -> bool {
        true
    }

    same_for_all_goals!(Solid, Solid: test_primitives);
    penetration_of_primitives!();
}

/// A mesh of any kind and a tree of solids: the traversal by supports, and containment.
#[derive(Debug, Clone, Copy, Default)]
pub struct MeshAndPrimitiveBvh;

impl<A: BvhKind, B: PrimitiveBvh> PairTest<Mesh<A>, B> for MeshAndPrimitiveBvh {
    same_for_all_goals!(Mesh<A>, B: traverse_mesh_and_primitive_bvh, then contained_solids);
}

/// A default mesh and a tree of solids: the traversal in SIMD lanes, and containment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bvh8AndPrimitiveBvh;

impl<B: PrimitiveBvh> PairTest<Mesh, B> for Bvh8AndPrimitiveBvh {
    same_for_all_goals!(Mesh, B: traverse_bvh8_and_primitive_bvh, then contained_solids);
}

/// A tree of solids and a simple solid: the traversal in SIMD lanes.
#[derive(Debug, Clone, Copy, Default)]
pub struct PrimitiveBvhAndPrimitive;

impl<A: PrimitiveBvh> PairTest<A, Solid> for PrimitiveBvhAndPrimitive {
    same_for_all_goals!(A, Solid: traverse_primitive_bvh_and_primitive);
}

/// Two trees of solids.
#[derive(Debug, Clone, Copy, Default)]
pub struct PrimitiveBvhs;

impl<A: PrimitiveBvh, B: PrimitiveBvh> PairTest<A, B> for PrimitiveBvhs {
    same_for_all_goals!(A, B: traverse_primitive_bvhs);
}

/// A mesh of any kind and a half-space or plane: the traversal by supports along the normal.
#[derive(Debug, Clone, Copy, Default)]
pub struct MeshAndHalfSpace;

impl<A: BvhKind> PairTest<Mesh<A>, HalfSpaceGeometry> for MeshAndHalfSpace {
    same_for_all_goals!(Mesh<A>, HalfSpaceGeometry: traverse_mesh_and_half_space);
}

/// A half-space or plane with a simple solid or another one: closed forms.
#[derive(Debug, Clone, Copy, Default)]
pub struct HalfSpaces;

impl PairTest<Solid, HalfSpaceGeometry> for HalfSpaces {
    same_for_all_goals!(Solid, HalfSpaceGeometry: test_primitive_and_half_space);
}

impl PairTest<HalfSpaceGeometry, HalfSpaceGeometry> for HalfSpaces {
    same_for_all_goals!(HalfSpaceGeometry, HalfSpaceGeometry: test_half_spaces);
}

/// A height field and anything: the traversal, and for solid ones containment.
#[derive(Debug, Clone, Copy, Default)]
pub struct HeightFields;

impl<A: BvhKind> PairTest<Mesh<A>, HeightField> for HeightFields {
    same_for_all_goals!(Mesh<A>, HeightField: traverse_mixed_meshes, then contained_with_field);
}

impl PairTest<HeightField, Solid> for HeightFields {
    same_for_all_goals!(HeightField, Solid: traverse_mesh_and_primitive, then contained_solid_below);
}

impl PairTest<HeightField, HalfSpaceGeometry> for HeightFields {
    same_for_all_goals!(HeightField, HalfSpaceGeometry: traverse_mesh_and_half_space);
}

impl PairTest<HeightField, HeightField> for HeightFields {
    same_for_all_goals!(HeightField, HeightField: traverse_trees, then contained_fields);
}

/// A tree of solids and a half-space or plane: the traversal by supports along the normal.
#[derive(Debug, Clone, Copy, Default)]
pub struct PrimitiveBvhAndHalfSpace;

impl<A: PrimitiveBvh> PairTest<A, HalfSpaceGeometry> for PrimitiveBvhAndHalfSpace {
    same_for_all_goals!(A, HalfSpaceGeometry: traverse_primitive_bvh_and_half_space);
}

/// A height field and a tree of solids: the traversal by supports, and solids below it.
#[derive(Debug, Clone, Copy, Default)]
pub struct HeightFieldAndPrimitiveBvh;

impl<B: PrimitiveBvh> PairTest<HeightField, B> for HeightFieldAndPrimitiveBvh {
    same_for_all_goals!(HeightField, B: traverse_mesh_and_primitive_bvh, then contained_solids_below);
}

/// A distance field and anything: branch and bound over pieces of the other, or over the field's cells.
#[derive(Debug, Clone, Copy, Default)]
pub struct DistanceFields;

impl<A: BvhKind> PairTest<Mesh<A>, DistanceField> for DistanceFields {
    same_for_all_goals!(Mesh<A>, DistanceField: traverse_mesh_and_field, then contained_distance_field);
}

impl PairTest<HeightField, DistanceField> for DistanceFields {
    same_for_all_goals!(HeightField, DistanceField: traverse_mesh_and_field, then contained_distance_field_below);
}

impl PairTest<Solid, DistanceField> for DistanceFields {
    same_for_all_goals!(Solid, DistanceField: test_primitive_and_field);
}

impl PairTest<DistanceField, HalfSpaceGeometry> for DistanceFields {
    same_for_all_goals!(DistanceField, HalfSpaceGeometry: traverse_field_and_half_space);
}

impl PairTest<DistanceField, DistanceField> for DistanceFields {
    same_for_all_goals!(DistanceField, DistanceField: traverse_fields, then contained_distance_fields);
}

/// A tree of solids and a distance field.
#[derive(Debug, Clone, Copy, Default)]
pub struct PrimitiveBvhAndDistanceField;

impl<A: PrimitiveBvh> PairTest<A, DistanceField> for PrimitiveBvhAndDistanceField {
    same_for_all_goals!(A, DistanceField: traverse_primitive_bvh_and_field);
}

/// A goal of any kind, as it goes through the dispatcher's table.
pub enum AnyGoal<'g> {
    /// How far apart.
    Distance(&'g mut DistanceGoal),
    /// Whether they touch.
    Collide(&'g mut CollideGoal),
    /// Which of their shapes are near each other.
    Visit(VisitGoal<'g>),
    /// Whether they are near.
    Within(&'g mut WithinGoal),
}

/// Each goal is an [`AnyGoal`].
macro_rules! any_goal {
    ($($kind:ident $goal:ident),*) => {
        $(impl<'g> From<&'g mut $goal> for AnyGoal<'g> {
            fn from(goal: &'g mut $goal) -> Self {
                Self::$kind(goal)
            }
        })*
    };
}

any_goal!(Distance DistanceGoal, Collide CollideGoal, Within WithinGoal);

impl<'g, 'v> From<&'g mut VisitGoal<'v>> for AnyGoal<'g> {
    fn from(goal: &'g mut VisitGoal<'v>) -> Self {
        Self::Visit(goal.reborrow())
    }
}

/// A [`PairTest`] whose geometries' types were forgotten.
pub(super) trait AnyTest: Send + Sync {
    fn check(&self, dispatcher: &Dispatcher, a: &dyn Geometry, b: &dyn Geometry) -> Result<()>;
    fn run(&self, a: &dyn Geometry, b: &dyn Geometry, a_from_b: &Pose, goal: AnyGoal<'_>, session: &mut Session<'_>);
    fn penetration(
        &self,
        a: &dyn Geometry,
        b: &dyn Geometry,
        a_from_b: &Pose,
        request: &PenetrationRequest,
    ) -> Result<Option<Penetration>>;
}

/// Remembers the types for [`AnyTest`].
pub(super) struct Typed<A, B, T> {
    test: T,
    types: PhantomData<fn(&A, &B)>,
}

impl<A, B, T> Typed<A, B, T> {
    pub(super) fn new(test: T) -> Self {
        Self { test, types: PhantomData }
    }
}

impl<A: Geometry, B: Geometry, T: PairTest<A, B>> AnyTest for Typed<A, B, T> {
    fn check(&self, dispatcher: &Dispatcher, a: &dyn Geometry, b: &dyn Geometry) -> Result<()> {
        let (a, b): (&dyn Any, &dyn Any) = (a, b);
        match (a.downcast_ref::<A>(), b.downcast_ref::<B>()) {
            (Some(a), Some(b)) => self.test.check(dispatcher, a, b),
            _ => Ok(()),
        }
    }

    fn run(&self, a: &dyn Geometry, b: &dyn Geometry, a_from_b: &Pose, goal: AnyGoal<'_>, session: &mut Session<'_>) {
        let (a, b): (&dyn Any, &dyn Any) = (a, b);
        // The dispatcher found this test by the two types, so that the casts cannot fail. One after
        // the other: in some binaries 3 ns less than both at once, of 17 for a distance of solids
        // that is quickly decided.
        let Some(a) = a.downcast_ref::<A>() else { return };
        let Some(b) = b.downcast_ref::<B>() else { return };
        match goal {
            AnyGoal::Distance(goal) => self.test.distance(a, b, a_from_b, goal, session),
            AnyGoal::Collide(goal) => self.test.collide(a, b, a_from_b, goal, session),
            AnyGoal::Visit(mut goal) => self.test.visit(a, b, a_from_b, &mut goal, session),
            AnyGoal::Within(goal) => self.test.within(a, b, a_from_b, goal, session),
        }
    }

    fn penetration(
        &self,
        a: &dyn Geometry,
        b: &dyn Geometry,
        a_from_b: &Pose,
        request: &PenetrationRequest,
    ) -> Result<Option<Penetration>> {
        match ((a as &dyn Any).downcast_ref::<A>(), (b as &dyn Any).downcast_ref::<B>()) {
            (Some(a), Some(b)) => self.test.penetration(a, b, a_from_b, request),
            _ => Err(no_depth(a, b)),
        }
    }
}
