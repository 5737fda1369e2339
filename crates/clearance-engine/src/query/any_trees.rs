//! Trees of any kinds, in `f64`: meshes and height fields under any volumes, trees of primitives,
//! and one primitive, half-space or plane.
//!
//! Kinds are forgotten, so that one compiled traversal per goal serves every pair of kinds. Volumes
//! are seen through their supports; boxes of trees of primitives bound cores, and the radii are
//! subtracted from every bound. One shape is moved into the tree's frame once, and the traversal
//! opens the tree alone. Default meshes and single primitives have faster ones in SIMD lanes
//! (`mesh_mesh.rs`, `mesh_primitive.rs`, `mesh_primitive_bvh.rs`, `primitive_bvh_primitive.rs`), for
//! which these are the way out where `f32` does not reach.

use super::{Goal, LeafPair};
use crate::math::{DVec3, Similarity, f32_above, f32_below};
use crate::pair::shape::{Proximity, Shape};
use crate::pair::volume::{Gap, StoredHalfSpace, mixed_gap, solid_gap};
use crate::shape::{Convex, Primitive};
use crate::traversal::{ArrayLanes, Driver, MetShapes, NodePair, Order, Query, Search, WarmStart, Workspace};
use crate::tree::{AnyMesh, Geometry, HalfSpaceGeometry, Node, PrimitiveBvh, Solid, Tree, one_leaf};
use crate::volume::{Aabb, BoxBlock, Support};
use crate::{Pose, Triangle};
use std::borrow::Cow;
use std::ops::ControlFlow;

/// A tree whose kind was forgotten.
pub(super) trait AnyTree: Tree {
    type Shape: Shape;

    /// Shows a leaf's shapes, with their numbers, until `visit` breaks.
    fn each_shape(&self, leaf: Node, visit: impl FnMut(u32, &Self::Shape) -> ControlFlow<()>) -> ControlFlow<()>;

    /// A shape, if there is one of that number.
    fn shape(&self, number: u32) -> Option<Cow<'_, Self::Shape>>;

    /// Whether the shape is in several leaves.
    fn repeats(&self, _number: u32) -> bool {
        false
    }

    /// A shape of this tree where `a_from_b` has it.
    fn placed<'s>(&self, shape: &'s Self::Shape, a_from_b: &Pose) -> Cow<'s, Self::Shape> {
        Cow::Owned(shape.transformed(a_from_b))
    }
}

impl AnyTree for &dyn AnyMesh {
    type Shape = Triangle;

    fn each_shape(&self, leaf: Node, mut visit: impl FnMut(u32, &Triangle) -> ControlFlow<()>) -> ControlFlow<()> {
        self.each_triangle(leaf, &mut visit)
    }

    fn shape(&self, number: u32) -> Option<Cow<'_, Triangle>> {
        self.triangle(number).map(Cow::Owned)
    }

    fn repeats(&self, number: u32) -> bool {
        self.repeats_triangle(number)
    }
}

impl AnyTree for &dyn PrimitiveBvh {
    type Shape = Primitive;

    fn each_shape(&self, leaf: Node, mut visit: impl FnMut(u32, &Primitive) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut numbers = (0..self.block(leaf).count as usize).map(|lane| self.primitive_number(leaf, lane));
        numbers.try_for_each(|number| self.solid(number).map_or(ControlFlow::Continue(()), |it| visit(number, &it)))
    }

    fn shape(&self, number: u32) -> Option<Cow<'_, Primitive>> {
        self.solid(number).map(Cow::Owned)
    }
}

/// One shape, in the other tree's frame already.
pub(super) struct OneShape<S>(pub S);

one_leaf!(OneShape<S>, S);

impl<S: Shape> AnyTree for OneShape<S> {
    type Shape = S;

    fn each_shape(&self, _leaf: Node, mut visit: impl FnMut(u32, &S) -> ControlFlow<()>) -> ControlFlow<()> {
        visit(0, &self.0)
    }

    fn shape(&self, _number: u32) -> Option<Cow<'_, S>> {
        Some(Cow::Borrowed(&self.0))
    }

    fn placed<'s>(&self, shape: &'s S, _a_from_b: &Pose) -> Cow<'s, S> {
        Cow::Borrowed(shape)
    }
}

/// How nodes of two trees bound their contents: gaps in A's stored units, rounding and radii
/// ignored.
pub(super) trait NodeGaps<A, B> {
    /// The keys of the children of `pair.a` against `pair.b`, made of gaps; where a gap exceeds
    /// `enough` no better one is wanted.
    fn of_a(&self, a: &A, b: &B, pair: &NodePair, enough: f64, key: impl Fn(f64) -> f32) -> ArrayLanes;

    /// The same of the children of `pair.b` against `pair.a`.
    fn of_b(&self, a: &A, b: &B, pair: &NodePair, key: impl Fn(f64) -> f32) -> ArrayLanes;

    /// Whether nodes of A may tell that they have a point of B inside.
    const HAS_INNER: bool = false;

    /// Whether a node of A has a point of B inside.
    fn surely_touches(&self, _a: &A, _node: Node) -> bool {
        false
    }
}

/// A block's boxes, lane by lane.
pub(super) fn boxes(block: &BoxBlock) -> impl Iterator<Item = Aabb> {
    (0..block.count as usize).map(|lane| block.get(lane))
}

/// The volumes of a node's children.
fn children(mesh: &dyn AnyMesh, node: Node) -> impl Iterator<Item = &dyn Support> {
    (0..mesh.child_count(node)).map(move |lane| mesh.node_support(mesh.child_node(node, lane)))
}

/// Volumes by their supports.
struct MixedGaps(Similarity);

impl<'t> NodeGaps<&'t dyn AnyMesh, &'t dyn AnyMesh> for MixedGaps {
    fn of_a(
        &self,
        a: &&'t dyn AnyMesh,
        b: &&'t dyn AnyMesh,
        pair: &NodePair,
        _enough: f64,
        key: impl Fn(f64) -> f32,
    ) -> ArrayLanes {
        let fixed = b.node_support(pair.b);
        ArrayLanes::collect(children(*a, pair.a).map(|child| key(mixed_gap(child, fixed, &self.0))))
    }

    fn of_b(&self, a: &&'t dyn AnyMesh, b: &&'t dyn AnyMesh, pair: &NodePair, key: impl Fn(f64) -> f32) -> ArrayLanes {
        let fixed = a.node_support(pair.a);
        ArrayLanes::collect(children(*b, pair.b).map(|child| key(mixed_gap(fixed, child, &self.0))))
    }
}

impl<'t> NodeGaps<&'t dyn AnyMesh, &'t dyn PrimitiveBvh> for MixedGaps {
    fn of_a(
        &self,
        a: &&'t dyn AnyMesh,
        b: &&'t dyn PrimitiveBvh,
        pair: &NodePair,
        _enough: f64,
        key: impl Fn(f64) -> f32,
    ) -> ArrayLanes {
        let fixed = b.bounds(pair.b);
        ArrayLanes::collect(children(*a, pair.a).map(|child| key(mixed_gap(child, &fixed, &self.0))))
    }

    fn of_b(
        &self,
        a: &&'t dyn AnyMesh,
        b: &&'t dyn PrimitiveBvh,
        pair: &NodePair,
        key: impl Fn(f64) -> f32,
    ) -> ArrayLanes {
        let (block, fixed) = (b.block(pair.b), a.node_support(pair.a));
        ArrayLanes::collect(boxes(&block).map(|child| key(mixed_gap(fixed, &child, &self.0))))
    }
}

/// Boxes of two trees of primitives.
struct BoxGaps {
    stored_a_from_b: Similarity,
    stored_b_from_a: Similarity,
}

impl<'t> NodeGaps<&'t dyn PrimitiveBvh, &'t dyn PrimitiveBvh> for BoxGaps {
    fn of_a(
        &self,
        a: &&'t dyn PrimitiveBvh,
        b: &&'t dyn PrimitiveBvh,
        pair: &NodePair,
        _enough: f64,
        key: impl Fn(f64) -> f32,
    ) -> ArrayLanes {
        let block = a.block(pair.a);
        let fixed = <Aabb as Gap<Aabb>>::fix(&b.bounds(pair.b), &self.stored_a_from_b);
        ArrayLanes::collect(boxes(&block).map(|child| key(Gap::<Aabb>::gap(&child, &fixed))))
    }

    fn of_b(
        &self,
        a: &&'t dyn PrimitiveBvh,
        b: &&'t dyn PrimitiveBvh,
        pair: &NodePair,
        key: impl Fn(f64) -> f32,
    ) -> ArrayLanes {
        let block = b.block(pair.b);
        let fixed = <Aabb as Gap<Aabb>>::fix(&a.bounds(pair.a), &self.stored_b_from_a);
        // B's units of stored coordinates in A's.
        let b_to_a = self.stored_a_from_b.scale;
        ArrayLanes::collect(boxes(&block).map(|child| key(Gap::<Aabb>::gap(&child, &fixed) * b_to_a)))
    }
}

/// Volumes and one shape.
pub(super) struct ShapeGaps<F> {
    /// At most the distance of a volume; where it exceeds its second argument no better one is
    /// wanted.
    pub gap: F,
    /// A point of the shape, in stored units, by which volumes inside of the mesh can tell that it
    /// is touched, and how far rounding may have moved it.
    pub point: Option<(DVec3, f64)>,
}

impl<'t, S, F: Fn(&dyn Support, f64) -> f64> NodeGaps<&'t dyn AnyMesh, OneShape<S>> for ShapeGaps<F> {
    fn of_a(
        &self,
        a: &&'t dyn AnyMesh,
        _b: &OneShape<S>,
        pair: &NodePair,
        enough: f64,
        key: impl Fn(f64) -> f32,
    ) -> ArrayLanes {
        ArrayLanes::collect(children(*a, pair.a).map(|child| key((self.gap)(child, enough))))
    }

    fn of_b(&self, _a: &&'t dyn AnyMesh, _b: &OneShape<S>, _pair: &NodePair, _key: impl Fn(f64) -> f32) -> ArrayLanes {
        ArrayLanes::collect(std::iter::empty())
    }

    const HAS_INNER: bool = true;

    fn surely_touches(&self, a: &&'t dyn AnyMesh, node: Node) -> bool {
        a.filled() && self.point.is_some_and(|(point, margin)| a.node_support(node).surely_holds(point, margin))
    }
}

impl<'t, S, F: Fn(&dyn Support, f64) -> f64> NodeGaps<&'t dyn PrimitiveBvh, OneShape<S>> for ShapeGaps<F> {
    fn of_a(
        &self,
        a: &&'t dyn PrimitiveBvh,
        _b: &OneShape<S>,
        pair: &NodePair,
        enough: f64,
        key: impl Fn(f64) -> f32,
    ) -> ArrayLanes {
        ArrayLanes::collect(boxes(&a.block(pair.a)).map(|child| key((self.gap)(&child, enough))))
    }

    fn of_b(
        &self,
        _a: &&'t dyn PrimitiveBvh,
        _b: &OneShape<S>,
        _pair: &NodePair,
        _key: impl Fn(f64) -> f32,
    ) -> ArrayLanes {
        ArrayLanes::collect(std::iter::empty())
    }
}

/// What a search among such trees needs to know of their pose.
pub(super) struct Rounded<'q, N> {
    pub a_from_b: &'q Pose,
    pub gaps: N,
    /// Stored units of A times this are A's units.
    pub unit: f64,
    /// What is subtracted from gaps: both sides' radii around their cores, and the margin of
    /// rounding, in A's stored units.
    pub taken_off: f64,
    /// How far rounding may have moved shapes, in A's units.
    pub rounding: f64,
}

/// The query of two such trees.
struct AnyTreesTraversal<'q, N, G> {
    placed: Rounded<'q, N>,
    met: &'q mut MetShapes,
    goal: &'q mut G,
}

impl<N, G: Goal> AnyTreesTraversal<'_, N, G> {
    fn meet<A: Proximity<B>, B>(&mut self, a: (u32, &A), b: (u32, &B)) -> ControlFlow<()> {
        self.goal.meet(LeafPair { a: a.0, b: b.0, rounding: self.placed.rounding }, a.1, b.1)
    }

    fn count(&mut self, lanes: ArrayLanes) -> ArrayLanes {
        let stats = self.goal.stats();
        stats.opened += 1;
        stats.volume_tests += lanes.len() as u64;
        lanes
    }

    /// The key of a gap.
    fn key(&self) -> impl Fn(f64) -> f32 + use<N, G> {
        let Rounded { taken_off, unit, .. } = self.placed;
        // A bound that is not a number (coordinates of extreme sizes) bounds nothing: max gives 0.
        move |gap| f32_below((gap - taken_off).max(0.0) * unit)
    }
}

impl<A: AnyTree, B: AnyTree, N: NodeGaps<A, B>, G: Goal> Query<A, B> for AnyTreesTraversal<'_, N, G>
where
    A::Shape: Proximity<B::Shape>,
{
    type Lanes = ArrayLanes;
    type Order = G::Order;

    fn limit(&self) -> f32 {
        f32_above(self.goal.limit())
    }

    fn bound_a(&mut self, a: &A, b: &B, pair: &NodePair) -> ArrayLanes {
        let enough = self.goal.limit() / self.placed.unit + self.placed.taken_off;
        let lanes = self.placed.gaps.of_a(a, b, pair, enough, self.key());
        let lanes = self.count(lanes);
        if !(N::HAS_INNER && G::OVERLAP_ONLY) {
            return lanes;
        }
        let sure = |lane: usize| self.placed.gaps.surely_touches(a, a.child(pair.a, lane));
        lanes.accepting((0..lanes.len()).map(|lane| u64::from(sure(lane)) << lane).sum())
    }

    fn bound_b(&mut self, a: &A, b: &B, pair: &NodePair) -> ArrayLanes {
        let lanes = self.placed.gaps.of_b(a, b, pair, self.key());
        self.count(lanes)
    }

    fn accept(&mut self, _pair: &NodePair) -> ControlFlow<()> {
        self.goal.accept()
    }

    fn is_spent(&self) -> bool {
        self.goal.is_spent()
    }

    fn exhausted(&mut self, floor: f32) {
        self.goal.exhausted(f64::from(floor));
    }

    fn leaf(&mut self, a: &A, b: &B, pair: &NodePair, front: &mut G::Order) -> ControlFlow<()> {
        self.goal.stats().leaf_pairs += 1;
        let flow = b.each_shape(pair.b, |id_b, shape_b| {
            let in_a = b.placed(shape_b, self.placed.a_from_b);
            a.each_shape(pair.a, |id_a, shape_a| {
                if (a.repeats(id_a) || b.repeats(id_b)) && !self.met.is_new(id_a, id_b) {
                    return ControlFlow::Continue(());
                }
                self.meet((id_a, shape_a), (id_b, &*in_a))
            })
        });
        if flow.is_break() {
            self.goal.stopped(f64::from(front.floor().min(pair.key)));
        }
        flow
    }
}

impl<A: AnyTree, B: AnyTree, N: NodeGaps<A, B>, G: Goal> Search<A, B> for AnyTreesTraversal<'_, N, G>
where
    A::Shape: Proximity<B::Shape>,
{
    fn stopped(&mut self, floor: f64) {
        self.goal.stopped(floor);
    }

    fn remembered(&self) -> Option<(u32, u32)> {
        self.goal.remembered()
    }

    fn try_shapes(&mut self, a: &A, b: &B, (i, j): (u32, u32)) -> ControlFlow<()> {
        let (Some(shape_a), Some(shape_b)) = (a.shape(i), b.shape(j)) else { return ControlFlow::Continue(()) };
        self.meet((i, &*shape_a), (j, &*b.placed(&shape_b, self.placed.a_from_b)))
    }

    fn accepts_roots(&mut self, a: &A, _b: &B) -> bool {
        G::OVERLAP_ONLY && self.placed.gaps.surely_touches(a, a.root()) && self.goal.accept().is_break()
    }
}

/// Runs `goal` over two such trees.
pub(super) fn drive<A: AnyTree, B: AnyTree, N: NodeGaps<A, B>, G: Goal>(
    (a, b): (A, B),
    placed: Rounded<'_, N>,
    goal: &mut G,
    driver: Driver<'_>,
) where
    A::Shape: Proximity<B::Shape>,
{
    driver.run(&a, &b, |scratch| AnyTreesTraversal { placed, met: &mut scratch.met, goal });
}

/// Runs `goal` over two meshes of any kinds, helped by what `warm_start` remembers.
pub fn traverse_mixed_meshes<G: Goal>(
    a: &dyn AnyMesh,
    b: &dyn AnyMesh,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    warm_start: Option<&mut WarmStart>,
) {
    let stored = Similarity::between(a.stored_frame(), a_from_b, b.stored_frame());
    let placed = Rounded {
        a_from_b,
        unit: 1.0 / a.stored_frame().scale,
        taken_off: stored.margin,
        rounding: a_from_b.point_error(b.support()),
        gaps: MixedGaps(stored),
    };
    drive((a, b), placed, goal, Driver { workspace, warm_start, revisions: (a.revision(), b.revision()) });
}

/// What is subtracted from gaps between cores, in stored units.
pub(super) fn taken_off(radii: f64, unit: f64, margin: f64) -> f64 {
    // The radii, their sum and the difference are rounded.
    radii / unit * (1.0 + 1e-14) + margin
}

/// Runs `goal` over a mesh of any kind and a tree of primitives, helped by what `warm_start`
/// remembers.
pub fn traverse_mesh_and_primitive_bvh<G: Goal>(
    a: &dyn AnyMesh,
    b: &dyn PrimitiveBvh,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    warm_start: Option<&mut WarmStart>,
) {
    let stored = Similarity::between(a.stored_frame(), a_from_b, b.frame());
    let unit = 1.0 / a.stored_frame().scale;
    let placed = Rounded {
        a_from_b,
        unit,
        taken_off: taken_off(b.radius(), unit, stored.margin),
        rounding: a_from_b.solid_error(b.extent()),
        gaps: MixedGaps(stored),
    };
    drive((a, b), placed, goal, Driver { workspace, warm_start, revisions: (a.revision(), b.revision()) });
}

/// Runs `goal` over two trees of primitives, helped by what `warm_start` remembers.
pub fn traverse_primitive_bvhs<G: Goal>(
    a: &dyn PrimitiveBvh,
    b: &dyn PrimitiveBvh,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    warm_start: Option<&mut WarmStart>,
) {
    let stored_a_from_b = Similarity::between(a.frame(), a_from_b, b.frame());
    let unit = 1.0 / a.frame().scale;
    let placed = Rounded {
        a_from_b,
        unit,
        taken_off: taken_off(a.radius() + b.radius(), unit, stored_a_from_b.margin),
        rounding: a_from_b.solid_error(b.extent()),
        gaps: BoxGaps { stored_b_from_a: stored_a_from_b.inverse(), stored_a_from_b },
    };
    drive((a, b), placed, goal, Driver { workspace, warm_start, revisions: (a.revision(), b.revision()) });
}

/// Runs `goal` over a mesh of any kind and a primitive, helped by what `warm_start` remembers.
pub fn traverse_mesh_and_primitive<G: Goal>(
    a: &dyn AnyMesh,
    b: &Solid,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    warm_start: Option<&mut WarmStart>,
) {
    let shape = b.shape().transformed(a_from_b);
    let stored = shape.stored(a.stored_frame());
    let margin = Similarity::between(a.stored_frame(), a_from_b, b.frame()).margin;
    let placed = Rounded {
        a_from_b,
        unit: 1.0 / a.stored_frame().scale,
        taken_off: margin,
        rounding: a_from_b.solid_error(b.extent()),
        gaps: ShapeGaps {
            gap: |volume: &dyn Support, enough: f64| solid_gap(volume, &stored, enough),
            point: Some((stored.center(), margin)),
        },
    };
    let driver = Driver { workspace, warm_start, revisions: (a.revision(), b.revision()) };
    drive((a, OneShape(shape)), placed, goal, driver);
}

/// Runs `goal` over a mesh of any kind and a half-space or plane, helped by what `warm_start`
/// remembers. Nothing is ever contained: a bounded body that does not reach a plane is on one side
/// of it.
pub fn traverse_mesh_and_half_space<G: Goal>(
    a: &dyn AnyMesh,
    b: &HalfSpaceGeometry,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    warm_start: Option<&mut WarmStart>,
) {
    let rounding = a_from_b.solid_error(a.support() + b.shape().plane().offset().abs());
    let shape = b.shape().transformed(a_from_b);
    let stored = StoredHalfSpace::new(&shape, a.stored_frame(), rounding);
    let placed = Rounded {
        a_from_b,
        unit: 1.0 / a.stored_frame().scale,
        taken_off: stored.margin,
        rounding,
        gaps: ShapeGaps { gap: |volume: &dyn Support, enough: f64| stored.gap(volume, enough), point: None },
    };
    let driver = Driver { workspace, warm_start, revisions: (a.revision(), b.revision()) };
    drive((a, OneShape(shape)), placed, goal, driver);
}

/// Runs `goal` over a tree of primitives and a half-space or plane, helped by what `warm_start`
/// remembers.
pub fn traverse_primitive_bvh_and_half_space<G: Goal>(
    a: &dyn PrimitiveBvh,
    b: &HalfSpaceGeometry,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    warm_start: Option<&mut WarmStart>,
) {
    let rounding = a_from_b.solid_error(a.extent() + b.shape().plane().offset().abs());
    let shape = b.shape().transformed(a_from_b);
    let stored = StoredHalfSpace::new(&shape, a.frame(), rounding);
    let unit = 1.0 / a.frame().scale;
    let placed = Rounded {
        a_from_b,
        unit,
        taken_off: taken_off(a.radius(), unit, stored.margin),
        rounding,
        gaps: ShapeGaps { gap: |volume: &dyn Support, enough: f64| stored.gap(volume, enough), point: None },
    };
    let driver = Driver { workspace, warm_start, revisions: (a.revision(), b.revision()) };
    drive((a, OneShape(shape)), placed, goal, driver);
}
