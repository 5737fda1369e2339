//! A test between two kinds of geometry: what users implement, and the built-in ones.

use super::Bank;
use crate::convex::{Method, Penetration, PenetrationRequest};
use crate::descent::{PairCache, Workspace};
use crate::pair::shape::Proximity;
use crate::pair::volume::Gap;
use crate::query::{
    CollideGoal, ContactsGoal, DistanceGoal, Goal, WithinGoal, contained, contained_fields, contained_solid,
    contained_solids, contained_solids_below, contained_with_field, meet_flats, meet_mesh_and_flat,
    meet_mesh_and_solid, meet_mesh_and_solids, meet_mixed, meet_solid_and_flat, meet_solid_trees, meet_solids,
    meet_solids_and_flat, meet_solids_and_solid, meet_solids_by, meet_trees, meet_wide, meet_wide_and_solid,
    meet_wide_and_solids, penetration,
};
use crate::shape::Convex;
use crate::tree::{Geometry, HeightField, Kind, Mesh, Solid, SolidTree, Unbounded, VolumeTree};
use crate::{Error, ErrorKind, Pose, Result};
use std::any::Any;
use std::marker::PhantomData;

/// What a test may use besides its two geometries.
pub struct Session<'s> {
    /// Who called: for the parts of a composite.
    pub bank: &'s Bank,
    /// Scratch memory.
    pub workspace: &'s mut Workspace,
    /// What is remembered of this pair.
    pub cache: Option<&'s mut PairCache>,
}

/// Brings two geometries together for each kind of goal; `b` is placed in `a`'s frame by `a_from_b`.
pub trait PairTest<A: Geometry, B: Geometry>: Send + Sync + 'static {
    /// Says what these two lack, once for all queries: parts of a composite for which `bank` has no test.
    fn check(&self, _bank: &Bank, _a: &A, _b: &B) -> Result<()> {
        Ok(())
    }

    /// Whether a `collide` of two solids may be answered without calling this test, by what a cache knows of balls around and inside of them: only where
    /// nothing but their overlap matters.
    fn trusts_balls(&self) -> bool {
        false
    }

    /// Runs a distance goal.
    fn distance(&self, a: &A, b: &B, a_from_b: &Pose, goal: &mut DistanceGoal, session: &mut Session<'_>);
    /// Runs a collision goal.
    fn collide(&self, a: &A, b: &B, a_from_b: &Pose, goal: &mut CollideGoal, session: &mut Session<'_>);
    /// Runs a contacts goal.
    fn contacts(&self, a: &A, b: &B, a_from_b: &Pose, goal: &mut ContactsGoal, session: &mut Session<'_>);
    /// Runs a within goal.
    fn within(&self, a: &A, b: &B, a_from_b: &Pose, goal: &mut WithinGoal, session: &mut Session<'_>);

    /// How deep they overlap, or `None` where they are certainly apart; an error unless this test can tell, as those of two solids can.
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

/// Implements [`PairTest`] by one function for all goals and, where given, another one after it.
macro_rules! same_for_all_goals {
    ($a:ty, $b:ty: $meet:ident $(, then $more:ident)?) => {
        same_for_all_goals!(distance DistanceGoal, $a, $b: $meet $($more)?);
        same_for_all_goals!(collide CollideGoal, $a, $b: $meet $($more)?);
        same_for_all_goals!(contacts ContactsGoal, $a, $b: $meet $($more)?);
        same_for_all_goals!(within WithinGoal, $a, $b: $meet $($more)?);
    };
    ($question:ident $goal:ident, $a:ty, $b:ty: $meet:ident $($more:ident)?) => {
        fn $question(&self, a: &$a, b: &$b, a_from_b: &Pose, goal: &mut $goal, session: &mut Session<'_>) {
            $meet(a, b, a_from_b, goal, session.workspace, session.cache.as_deref_mut());
            $($more(a, b, a_from_b, goal, session.workspace);)?
        }
    };
}

/// Any two volume trees, by the descent alone.
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
    same_for_all_goals!(A, B: meet_trees);
}

/// Two meshes: the descent, and for those declared solid containment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Meshes;

/// The volume that bounds the nodes of a kind of mesh.
type Bounding<K> = <Mesh<K> as VolumeTree>::Volume;

impl<A: Kind, B: Kind> PairTest<Mesh<A>, Mesh<B>> for Meshes
where
    Bounding<A>: Gap<Bounding<B>>,
    Bounding<B>: Gap<Bounding<A>>,
{
    same_for_all_goals!(Mesh<A>, Mesh<B>: meet_trees, then add_containment);
}

/// Two meshes under different volumes: the descent by supports, and containment.
#[derive(Debug, Clone, Copy, Default)]
pub struct MixedMeshes;

impl<A: Kind, B: Kind> PairTest<Mesh<A>, Mesh<B>> for MixedMeshes {
    same_for_all_goals!(Mesh<A>, Mesh<B>: meet_mixed, then add_containment);
}

/// Two default meshes: the descent in SIMD lanes, and containment.
#[derive(Debug, Clone, Copy, Default)]
pub struct WideMeshes;

impl PairTest<Mesh, Mesh> for WideMeshes {
    same_for_all_goals!(Mesh, Mesh: meet_wide, then add_containment);
}

/// A mesh of any kind and a simple solid: the descent by supports, and containment.
#[derive(Debug, Clone, Copy, Default)]
pub struct MeshAndSolid;

impl<A: Kind> PairTest<Mesh<A>, Solid> for MeshAndSolid {
    same_for_all_goals!(Mesh<A>, Solid: meet_mesh_and_solid, then add_containment_of_solid);
}

/// A default mesh and a simple solid: the descent in SIMD lanes, and containment.
#[derive(Debug, Clone, Copy, Default)]
pub struct WideMeshAndSolid;

impl PairTest<Mesh, Solid> for WideMeshAndSolid {
    same_for_all_goals!(Mesh, Solid: meet_wide_and_solid, then add_containment_of_solid);
}

/// Two simple solids.
#[derive(Debug, Clone, Copy, Default)]
pub struct Solids;

/// Depths of two solids, whose search has no memory and no choice.
macro_rules! penetration_of_solids {
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

impl PairTest<Solid, Solid> for Solids {
    fn trusts_balls(&self) -> bool {
        true
    }

    same_for_all_goals!(Solid, Solid: meet_solids);
    penetration_of_solids!();
}

/// Two simple solids, by a method of choice where both are convex polyhedra: to be registered beside [`Solids`], for who compares
/// methods or moves polyhedra in small steps, which the [`PairCache`] then makes cheaper.
///
/// ```
/// use clearance::{Pose, bank::{Bank, SolidsBy}, convex::Method, descent::{PairCache, Workspace}, math::DVec3, tree::Solid};
/// use clearance::{query::DistanceRequest, shape::ConvexPolyhedron};
/// let mut bank = Bank::standard();
/// bank.register::<Solid, Solid>("features", SolidsBy(Method::Features));
/// let tetrahedron = Solid::new(ConvexPolyhedron::hull_of(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?);
/// let plan = bank.plan(&tetrahedron, &tetrahedron)?;
/// let (mut workspace, mut cache) = (Workspace::default(), PairCache::default());
/// for step in 0..10 {
///     let a_from_b = Pose::from_translation(DVec3::X * (3.0 + 0.1 * step as f64))?;
///     let answer = plan.distance(&a_from_b, &DistanceRequest::default(), &mut workspace, Some(&mut cache))?;
///     assert!((answer.upper - 2.0 - 0.1 * step as f64).abs() < 1e-12);
/// }
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct SolidsBy(pub Method);

impl PairTest<Solid, Solid> for SolidsBy {
    /// Methods to compare with decide by themselves.
    fn trusts_balls(&self) -> bool {
        self.0 == Method::Coherent
    }

    fn distance(&self, a: &Solid, b: &Solid, a_from_b: &Pose, goal: &mut DistanceGoal, session: &mut Session<'_>) {
        meet_solids_by(self.0, a, b, a_from_b, goal, session.workspace, session.cache.as_deref_mut());
    }

    fn collide(&self, a: &Solid, b: &Solid, a_from_b: &Pose, goal: &mut CollideGoal, session: &mut Session<'_>) {
        meet_solids_by(self.0, a, b, a_from_b, goal, session.workspace, session.cache.as_deref_mut());
    }

    fn contacts(&self, a: &Solid, b: &Solid, a_from_b: &Pose, goal: &mut ContactsGoal, session: &mut Session<'_>) {
        meet_solids_by(self.0, a, b, a_from_b, goal, session.workspace, session.cache.as_deref_mut());
    }

    fn within(&self, a: &Solid, b: &Solid, a_from_b: &Pose, goal: &mut WithinGoal, session: &mut Session<'_>) {
        meet_solids_by(self.0, a, b, a_from_b, goal, session.workspace, session.cache.as_deref_mut());
    }

    penetration_of_solids!();
}

/// A mesh of any kind and a tree of solids: the descent by supports, and containment.
#[derive(Debug, Clone, Copy, Default)]
pub struct MeshAndSolids;

impl<A: Kind, B: SolidTree> PairTest<Mesh<A>, B> for MeshAndSolids {
    same_for_all_goals!(Mesh<A>, B: meet_mesh_and_solids, then add_containment_of_solids);
}

/// A default mesh and a tree of solids: the descent in SIMD lanes, and containment.
#[derive(Debug, Clone, Copy, Default)]
pub struct WideMeshAndSolids;

impl<B: SolidTree> PairTest<Mesh, B> for WideMeshAndSolids {
    same_for_all_goals!(Mesh, B: meet_wide_and_solids, then add_containment_of_solids);
}

/// A tree of solids and a simple solid: the descent in SIMD lanes.
#[derive(Debug, Clone, Copy, Default)]
pub struct SolidsAndSolid;

impl<A: SolidTree> PairTest<A, Solid> for SolidsAndSolid {
    same_for_all_goals!(A, Solid: meet_solids_and_solid);
}

/// Two trees of solids.
#[derive(Debug, Clone, Copy, Default)]
pub struct SolidTrees;

impl<A: SolidTree, B: SolidTree> PairTest<A, B> for SolidTrees {
    same_for_all_goals!(A, B: meet_solid_trees);
}

/// A solid of a tree inside of a mesh declared solid.
fn add_containment_of_solids<A: Kind, G: Goal>(
    a: &Mesh<A>,
    b: &dyn SolidTree,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
) {
    if a.is_solid()
        && !goal.overlaps()
        && let Some(point) = contained_solids(a, b, a_from_b, workspace)
    {
        goal.contain(point);
    }
}

/// A mesh of any kind and a half-space or plane: the descent by supports along the normal.
#[derive(Debug, Clone, Copy, Default)]
pub struct MeshAndFlat;

impl<A: Kind> PairTest<Mesh<A>, Unbounded> for MeshAndFlat {
    same_for_all_goals!(Mesh<A>, Unbounded: meet_mesh_and_flat);
}

/// A half-space or plane with a simple solid or another one: closed forms.
#[derive(Debug, Clone, Copy, Default)]
pub struct Flats;

impl PairTest<Solid, Unbounded> for Flats {
    same_for_all_goals!(Solid, Unbounded: meet_solid_and_flat);
}

impl PairTest<Unbounded, Unbounded> for Flats {
    same_for_all_goals!(Unbounded, Unbounded: meet_flats);
}

/// A height field and anything: the descent, and for solid ones containment.
#[derive(Debug, Clone, Copy, Default)]
pub struct HeightFields;

impl<A: Kind> PairTest<Mesh<A>, HeightField> for HeightFields {
    same_for_all_goals!(Mesh<A>, HeightField: meet_mixed, then add_containment_with_field);
}

impl PairTest<HeightField, Solid> for HeightFields {
    same_for_all_goals!(HeightField, Solid: meet_mesh_and_solid, then add_solid_below);
}

impl PairTest<HeightField, Unbounded> for HeightFields {
    same_for_all_goals!(HeightField, Unbounded: meet_mesh_and_flat);
}

impl PairTest<HeightField, HeightField> for HeightFields {
    same_for_all_goals!(HeightField, HeightField: meet_trees, then add_containment_of_fields);
}

/// A part of a mesh below a height field, or a height field in a mesh.
fn add_containment_with_field<A: Kind, G: Goal>(
    a: &Mesh<A>,
    b: &HeightField,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
) {
    if !goal.overlaps()
        && let Some(point) = contained_with_field(a, b, a_from_b, workspace)
    {
        goal.contain(point);
    }
}

/// A simple solid below a height field.
fn add_solid_below<G: Goal>(a: &HeightField, b: &Solid, a_from_b: &Pose, goal: &mut G, _workspace: &mut Workspace) {
    let center = a_from_b.transform_point(b.shape().center());
    if !goal.overlaps() && a.contains(center) {
        goal.contain(center);
    }
}

/// A height field below another.
fn add_containment_of_fields<G: Goal>(
    a: &HeightField,
    b: &HeightField,
    a_from_b: &Pose,
    goal: &mut G,
    _workspace: &mut Workspace,
) {
    if !goal.overlaps()
        && let Some(point) = contained_fields(a, b, a_from_b)
    {
        goal.contain(point);
    }
}

/// A tree of solids and a half-space or plane: the descent by supports along the normal.
#[derive(Debug, Clone, Copy, Default)]
pub struct SolidsAndFlat;

impl<A: SolidTree> PairTest<A, Unbounded> for SolidsAndFlat {
    same_for_all_goals!(A, Unbounded: meet_solids_and_flat);
}

/// A height field and a tree of solids: the descent by supports, and solids below it.
#[derive(Debug, Clone, Copy, Default)]
pub struct FieldAndSolids;

impl<B: SolidTree> PairTest<HeightField, B> for FieldAndSolids {
    same_for_all_goals!(HeightField, B: meet_mesh_and_solids, then add_solids_below);
}

/// A solid of a tree below a height field.
fn add_solids_below<G: Goal>(
    a: &HeightField,
    b: &dyn SolidTree,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
) {
    if !goal.overlaps()
        && let Some(point) = contained_solids_below(a, b, a_from_b, workspace)
    {
        goal.contain(point);
    }
}

/// A simple solid inside of a mesh declared solid.
fn add_containment_of_solid<A: Kind, G: Goal>(
    a: &Mesh<A>,
    b: &Solid,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
) {
    if !goal.overlaps()
        && let Some(point) = contained_solid(a, b, a_from_b, workspace)
    {
        goal.contain(point);
    }
}

/// Solids that overlap though their surfaces do not.
fn add_containment<A: Kind, B: Kind, G: Goal>(
    a: &Mesh<A>,
    b: &Mesh<B>,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
) {
    if (a.is_solid() || b.is_solid())
        && !goal.overlaps()
        && let Some(point) = contained(a, b, a_from_b, workspace)
    {
        goal.contain(point);
    }
}

/// A goal of any kind, as it goes through the bank's table.
pub enum AnyGoal<'g> {
    /// How far apart.
    Distance(&'g mut DistanceGoal),
    /// Whether they touch.
    Collide(&'g mut CollideGoal),
    /// Where they touch.
    Contacts(&'g mut ContactsGoal),
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

any_goal!(Distance DistanceGoal, Collide CollideGoal, Contacts ContactsGoal, Within WithinGoal);

/// A [`PairTest`] whose geometries' types were forgotten.
pub(super) trait AnyTest: Send + Sync {
    fn check(&self, bank: &Bank, a: &dyn Geometry, b: &dyn Geometry) -> Result<()>;
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
    fn check(&self, bank: &Bank, a: &dyn Geometry, b: &dyn Geometry) -> Result<()> {
        let (a, b): (&dyn Any, &dyn Any) = (a, b);
        match (a.downcast_ref::<A>(), b.downcast_ref::<B>()) {
            (Some(a), Some(b)) => self.test.check(bank, a, b),
            _ => Ok(()),
        }
    }

    fn run(&self, a: &dyn Geometry, b: &dyn Geometry, a_from_b: &Pose, goal: AnyGoal<'_>, session: &mut Session<'_>) {
        let (a, b): (&dyn Any, &dyn Any) = (a, b);
        // The bank found this test by the two types, so that the casts cannot fail.
        // One after the other: in some binaries 3 ns less than both at once, of 17 for a distance of solids that is quickly decided.
        let Some(a) = a.downcast_ref::<A>() else { return };
        let Some(b) = b.downcast_ref::<B>() else { return };
        match goal {
            AnyGoal::Distance(goal) => self.test.distance(a, b, a_from_b, goal, session),
            AnyGoal::Collide(goal) => self.test.collide(a, b, a_from_b, goal, session),
            AnyGoal::Contacts(goal) => self.test.contacts(a, b, a_from_b, goal, session),
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
