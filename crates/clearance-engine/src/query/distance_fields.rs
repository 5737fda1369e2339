//! Distance fields: meshes and trees of primitives are searched against the field by looks at the
//! middles of their nodes, and the field's cells against half-spaces, planes and other fields.

use super::Goal;
use super::any_trees::{AnyTree, NodeGaps, OneShape, Rounded, ShapeGaps, boxes, drive, taken_off};
use crate::Pose;
use crate::math::{Frame, UNIT_ROUNDOFF};
use crate::pair::shape::Proximity;
use crate::pair::volume::StoredHalfSpace;
use crate::shape::{FieldCell, PlacedField};
use crate::traversal::{ArrayLanes, Driver, NodePair, WarmStart, Workspace};
use crate::tree::{
    AnyMesh, DistanceField, FieldTree, Geometry, HalfSpaceGeometry, Node, PrimitiveBvh, PrimitiveBvhNodes, Tree,
};
use crate::volume::Support;
use std::borrow::Cow;
use std::ops::ControlFlow;

/// The cells of a distance field that may hold its surface.
impl Tree for &FieldTree {
    fn root(&self) -> Node {
        self.middles.root()
    }

    fn is_leaf(&self, node: Node) -> bool {
        self.middles.is_leaf(node)
    }

    fn child(&self, node: Node, lane: usize) -> Node {
        self.middles.child(node, lane)
    }

    fn size(&self, node: Node) -> f32 {
        self.middles.size(node)
    }
}

impl AnyTree for &FieldTree {
    type Shape = FieldCell;

    fn each_shape(&self, leaf: Node, mut visit: impl FnMut(u32, &FieldCell) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut numbers =
            (0..self.middles.block(leaf).count as usize).map(|lane| self.middles.primitive_number(leaf, lane));
        numbers.try_for_each(|number| visit(number, &self.cells[number as usize]))
    }

    fn shape(&self, number: u32) -> Option<Cow<'_, FieldCell>> {
        self.cells.get(number as usize).map(Cow::Borrowed)
    }
}

impl<'t, S, F: Fn(&dyn Support, f64) -> f64> NodeGaps<&'t FieldTree, OneShape<S>> for ShapeGaps<F> {
    fn of_a(
        &self,
        a: &&'t FieldTree,
        _b: &OneShape<S>,
        pair: &NodePair,
        enough: f64,
        key: impl Fn(f64) -> f32,
    ) -> ArrayLanes {
        ArrayLanes::collect(boxes(&a.middles.block(pair.a)).map(|child| key((self.gap)(&child, enough))))
    }

    fn of_b(&self, _a: &&'t FieldTree, _b: &OneShape<S>, _pair: &NodePair, _key: impl Fn(f64) -> f32) -> ArrayLanes {
        ArrayLanes::collect(std::iter::empty())
    }
}

/// At most the distance of a field, in the unit of stored coordinates, from a volume in these.
fn field_gap(field: &PlacedField<'_>, frame: &Frame) -> impl Fn(&dyn Support, f64) -> f64 {
    move |volume, _| {
        let center = volume.center();
        field.coarse_lower(frame.center + center / frame.scale) * frame.scale - volume.reach()
    }
}

/// What rounding may take off the gaps of volumes in such a frame, in stored units.
fn field_margin(frame: &Frame, rounding: f64) -> f64 {
    rounding * frame.scale + 64.0 * UNIT_ROUNDOFF * (frame.center.length() * frame.scale + 4.0)
}

/// How far a tree reaches: the frame of its volumes, the radius around what these bound, and from its
/// origin.
struct Extent {
    frame: Frame,
    radius: f64,
    extent: f64,
    /// By how much its points may be off besides.
    error: f64,
}

/// Runs `goal` over some tree and a distance field.
fn drive_against_field<A: AnyTree, G: Goal>(
    a: A,
    reach: &Extent,
    (b, a_from_b): (&DistanceField, &Pose),
    goal: &mut G,
    driver: Driver<'_>,
) where
    for<'f> A::Shape: Proximity<PlacedField<'f>>,
    for<'f> ShapeGaps<&'f dyn Fn(&dyn Support, f64) -> f64>: NodeGaps<A, OneShape<PlacedField<'f>>>,
{
    let Extent { frame, radius, extent, error } = reach;
    let shape = b.placed(a_from_b);
    let (unit, rounding) = (1.0 / frame.scale, a_from_b.solid_error(extent + b.extent()) + error);
    let gap = field_gap(&shape, frame);
    let placed = Rounded {
        a_from_b,
        unit,
        taken_off: taken_off(*radius, unit, field_margin(frame, rounding)),
        rounding,
        gaps: ShapeGaps { gap: &gap as &dyn Fn(&dyn Support, f64) -> f64, point: None },
    };
    drive((a, OneShape(shape)), placed, goal, driver);
}

/// Runs `goal` over a mesh of any kind and a distance field, helped by what `warm_start` remembers.
pub fn traverse_mesh_and_field<G: Goal>(
    a: &dyn AnyMesh,
    b: &DistanceField,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    warm_start: Option<&mut WarmStart>,
) {
    let reach = Extent { frame: *a.stored_frame(), radius: 0.0, extent: a.support(), error: 0.0 };
    let driver = Driver { workspace, warm_start, revisions: (a.revision(), b.revision()) };
    drive_against_field(a, &reach, (b, a_from_b), goal, driver);
}

/// Runs `goal` over a tree of primitives and a distance field, helped by what `warm_start` remembers.
pub fn traverse_primitive_bvh_and_field<G: Goal>(
    a: &dyn PrimitiveBvh,
    b: &DistanceField,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    warm_start: Option<&mut WarmStart>,
) {
    let reach = Extent { frame: *a.frame(), radius: a.radius(), extent: a.extent(), error: 0.0 };
    let driver = Driver { workspace, warm_start, revisions: (a.revision(), b.revision()) };
    drive_against_field(a, &reach, (b, a_from_b), goal, driver);
}

/// Runs `goal` over two distance fields, helped by what `warm_start` remembers.
pub fn traverse_fields<G: Goal>(
    a: &DistanceField,
    b: &DistanceField,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    warm_start: Option<&mut WarmStart>,
) {
    let Some(tree) = a.tree() else { return };
    let (frame, radius) = (*tree.middles.frame(), tree.middles.radius());
    let reach = Extent { frame, radius, extent: a.extent(), error: a.field().offset_error() };
    let driver = Driver { workspace, warm_start, revisions: (a.revision(), b.revision()) };
    drive_against_field(tree, &reach, (b, a_from_b), goal, driver);
}

/// Runs `goal` over a distance field and a half-space or plane, helped by what `warm_start` remembers.
pub fn traverse_field_and_half_space<G: Goal>(
    a: &DistanceField,
    b: &HalfSpaceGeometry,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    warm_start: Option<&mut WarmStart>,
) {
    let Some(tree) = a.tree() else { return };
    let plane = b.shape().plane().offset().abs();
    let rounding = a_from_b.solid_error(a.extent() + plane) + a.field().offset_error();
    let shape = b.shape().transformed(a_from_b);
    let stored = StoredHalfSpace::new(&shape, tree.middles.frame(), rounding);
    let unit = 1.0 / tree.middles.frame().scale;
    let placed = Rounded {
        a_from_b,
        unit,
        taken_off: taken_off(tree.middles.radius(), unit, stored.margin),
        rounding,
        gaps: ShapeGaps { gap: |volume: &dyn Support, enough: f64| stored.gap(volume, enough), point: None },
    };
    let driver = Driver { workspace, warm_start, revisions: (a.revision(), b.revision()) };
    drive((tree, OneShape(shape)), placed, goal, driver);
}
