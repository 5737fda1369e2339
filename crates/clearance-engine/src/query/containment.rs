//! Whether a part of one closed mesh lies inside of another: the winding number of one point per
//! connected part.
//!
//! A ray leaves the point along +x; the triangles that it crosses are counted with their
//! orientation by exact predicates. The ray is a one-leaf tree, so that the traversal finds those
//! triangles.

use super::{CollideGoal, Goal, traverse_mesh_and_primitive};
use crate::Pose;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::pair::shape::ray_crossing;
use crate::shape::{Convex, Cuboid};
use crate::traversal::{ArrayLanes, MetShapes, NodePair, Query, Stack, Workspace, traverse};
use crate::tree::{
    AnyMesh, Bvh8Tree, BvhKind, DistanceField, Geometry, HeightField, Mesh, Node, PrimitiveBvh, Solid, Tree,
    VolumeTree, one_leaf, winding_in_bvh8,
};
use crate::volume::{Aabb, Volume};
use std::any::Any;
use std::ops::ControlFlow;

/// A ray from a point along +x.
struct Ray {
    origin: DVec3,
}

one_leaf!(Ray);

struct Crossings<'q> {
    /// The ray's origin in the mesh's stored frame.
    stored: DVec3,
    winding: i64,
    met: &'q mut MetShapes,
}

impl Crossings<'_> {
    /// Whether the ray certainly misses a volume.
    fn misses<V: Volume>(&self, volume: &V) -> bool {
        // Supports are computed with a few roundings of values below 2.
        const SLACK: f64 = 1e-14;
        let beyond = |direction: DVec3| direction.dot(self.stored) > volume.support(direction) + SLACK;
        beyond(DVec3::X) || [DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z].into_iter().any(beyond)
    }
}

impl<K: BvhKind> Query<Mesh<K>, Ray> for Crossings<'_> {
    type Lanes = ArrayLanes;
    type Order = Stack;

    fn limit(&self) -> f32 {
        1.0
    }

    fn bound_a(&mut self, a: &Mesh<K>, _b: &Ray, pair: &NodePair) -> ArrayLanes {
        let keys = a.block(pair.a).iter().map(|volume| if self.misses(volume) { f32::INFINITY } else { 0.0 });
        ArrayLanes::collect(keys)
    }

    fn bound_b(&mut self, _a: &Mesh<K>, _b: &Ray, _pair: &NodePair) -> ArrayLanes {
        ArrayLanes::collect(std::iter::empty())
    }

    fn leaf(&mut self, a: &Mesh<K>, b: &Ray, pair: &NodePair, _front: &mut Stack) -> ControlFlow<()> {
        for (id, triangle) in a.shapes(pair.a) {
            if a.repeats(id) && !self.met.is_new(id, 0) {
                continue;
            }
            self.winding += i64::from(ray_crossing(b.origin, &triangle));
        }
        ControlFlow::Continue(())
    }
}

/// How often a closed mesh winds around a point of its own frame that is not on its surface: 0
/// outside.
pub fn winding_number<K: BvhKind>(mesh: &Mesh<K>, point: DVec3, workspace: &mut Workspace) -> i64 {
    if let Some(tree) = (mesh.hierarchy() as &dyn Any).downcast_ref::<Bvh8Tree>() {
        return winding_in_bvh8(tree, mesh.tri_mesh(), point);
    }
    let Workspace { fronts, scratch, .. } = workspace;
    let met = &mut scratch.cleared().met;
    let mut crossings = Crossings { stored: mesh.frame().store(point), winding: 0, met };
    if crossings.misses(mesh.volume(mesh.root())) {
        return 0;
    }
    let ray = Ray { origin: point };
    let mut front: Stack = fronts.take();
    // A winding number looks at all crossings: it never breaks.
    let _ = traverse(mesh, &ray, &mut crossings, &mut front, &[NodePair::new(mesh.root(), ray.root())]);
    fronts.put(front);
    crossings.winding
}

/// A point, in A's frame, of a part of one mesh that lies inside of the other, declared solid; for
/// surfaces that are apart.
pub fn contained<A: BvhKind, B: BvhKind>(
    a: &Mesh<A>,
    b: &Mesh<B>,
    a_from_b: &Pose,
    workspace: &mut Workspace,
) -> Option<DVec3> {
    if a.is_solid() {
        for &point in b.component_points() {
            let in_a = a_from_b.transform_point(point);
            if winding_number(a, in_a, workspace) != 0 {
                return Some(in_a);
            }
        }
    }
    if b.is_solid() {
        let b_from_a = a_from_b.inverse();
        for &point in a.component_points() {
            if winding_number(b, b_from_a.transform_point(point), workspace) != 0 {
                return Some(point);
            }
        }
    }
    None
}

/// The centre of a solid, in the mesh's frame, if it lies inside of a mesh declared solid; for
/// surfaces that are apart.
///
/// A solid that contains the mesh overlaps its triangles, so that nothing else is left.
pub fn contained_solid<A: BvhKind>(
    a: &Mesh<A>,
    b: &Solid,
    a_from_b: &Pose,
    workspace: &mut Workspace,
) -> Option<DVec3> {
    let center = a_from_b.transform_point(b.shape().center());
    (a.is_solid() && winding_number(a, center, workspace) != 0).then_some(center)
}

/// The centre of a solid, in the field's frame, if it lies below a height field that is solid; for
/// surfaces that are apart.
pub fn contained_solid_below(a: &HeightField, b: &Solid, a_from_b: &Pose, _workspace: &mut Workspace) -> Option<DVec3> {
    let center = a_from_b.transform_point(b.shape().center());
    a.contains(center).then_some(center)
}

/// The other side of a traversal that looks at one tree only.
struct Alone;

one_leaf!(Alone);

/// Whether a point is inside.
type Contains<'q> = dyn Fn(DVec3, &mut Workspace) -> bool + 'q;

/// Looks for a solid of a tree inside of a closed surface.
struct Inside<'q> {
    surface: &'q dyn AnyMesh,
    contains: &'q Contains<'q>,
    tree: &'q dyn PrimitiveBvh,
    a_from_b: &'q Pose,
    workspace: &'q mut Workspace,
    found: Option<DVec3>,
}

impl Inside<'_> {
    /// Takes the point, in the tree's coordinates, if it is inside.
    fn winds_around(&mut self, point: DVec3) -> bool {
        let in_a = self.a_from_b.transform_point(point);
        if (self.contains)(in_a, self.workspace) {
            self.found = Some(in_a);
        }
        self.found.is_some()
    }
}

impl<'t> Query<&'t dyn PrimitiveBvh, Alone> for Inside<'_> {
    type Lanes = ArrayLanes;
    type Order = Stack;

    fn limit(&self) -> f32 {
        1.0
    }

    fn bound_a(&mut self, a: &&'t dyn PrimitiveBvh, _b: &Alone, pair: &NodePair) -> ArrayLanes {
        ArrayLanes::collect((0..a.block(pair.a).count).map(|_| 0.0))
    }

    fn bound_b(&mut self, _a: &&'t dyn PrimitiveBvh, _b: &Alone, _pair: &NodePair) -> ArrayLanes {
        ArrayLanes::collect(std::iter::empty())
    }

    /// A box that the surface does not meet is inside or outside as a whole, so that one winding
    /// number tells.
    fn visit(&mut self, pair: &NodePair, _front: &mut Stack) -> ControlFlow<bool> {
        let around = solid_around(self.tree, &self.tree.bounds(pair.a));
        if around.sphere().moved(self.a_from_b).gap(&self.surface.sphere()) > 0.0 {
            return ControlFlow::Break(false);
        }
        let mut goal = CollideGoal::<Stack>::default();
        traverse_mesh_and_primitive(self.surface, &around, self.a_from_b, &mut goal, self.workspace, None);
        if goal.overlaps() {
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(self.winds_around(center_of_first(self.tree, pair.a).unwrap_or(around.shape().center())))
    }

    /// None of the solids meets the surface.
    fn leaf(&mut self, a: &&'t dyn PrimitiveBvh, _b: &Alone, pair: &NodePair, _front: &mut Stack) -> ControlFlow<()> {
        let solids = (0..a.block(pair.a).count as usize).filter_map(|lane| a.solid(a.primitive_number(pair.a, lane)));
        for solid in solids {
            if self.winds_around(solid.center()) {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}

/// A point, in the mesh's frame, of a solid of a tree that lies inside of a mesh declared solid;
/// for surfaces that are apart.
pub fn contained_solids<A: BvhKind>(
    a: &Mesh<A>,
    b: &dyn PrimitiveBvh,
    a_from_b: &Pose,
    workspace: &mut Workspace,
) -> Option<DVec3> {
    let contains = |point: DVec3, workspace: &mut Workspace| winding_number(a, point, workspace) != 0;
    if a.is_solid() { solids_inside(a, &contains, b, a_from_b, workspace) } else { None }
}

/// A point, in the field's frame, of a solid of a tree below a height field that is solid; for
/// surfaces that are apart.
pub fn contained_solids_below(
    a: &HeightField,
    b: &dyn PrimitiveBvh,
    a_from_b: &Pose,
    workspace: &mut Workspace,
) -> Option<DVec3> {
    if a.is_solid() { solids_inside(a, &|point, _| a.contains(point), b, a_from_b, workspace) } else { None }
}

fn solids_inside(
    surface: &dyn AnyMesh,
    contains: &Contains<'_>,
    tree: &dyn PrimitiveBvh,
    a_from_b: &Pose,
    workspace: &mut Workspace,
) -> Option<DVec3> {
    let mut front: Stack = workspace.take();
    let mut inside = Inside { surface, contains, tree, a_from_b, workspace, found: None };
    let _ = traverse(&tree, &Alone, &mut inside, &mut front, &[NodePair::new(tree.root(), Alone.root())]);
    let found = inside.found;
    workspace.put(front);
    found
}

/// The centre of some solid below a node.
fn center_of_first(tree: &dyn PrimitiveBvh, mut node: Node) -> Option<DVec3> {
    while !tree.is_leaf(node) {
        node = tree.child(node, 0);
    }
    tree.solid(tree.primitive_number(node, 0)).map(|solid| solid.center())
}

/// A box of a tree with the solids' radius, in the tree's own coordinates.
fn solid_around(tree: &dyn PrimitiveBvh, bounds: &Aabb) -> Solid {
    let frame = tree.frame();
    let (center, half) = (frame.center + bounds.center() / frame.scale, bounds.half() / frame.scale);
    // The centre is rounded.
    let rounding = 4.0 * UNIT_ROUNDOFF * (tree.extent() + frame.center.abs().element_sum());
    Solid::new(Cuboid::about(center, half + tree.radius() + rounding))
}

/// A point, in the mesh's frame, of a part of a mesh below a height field that is solid, or of a
/// height field in a solid mesh; for surfaces that are apart.
pub fn contained_with_field<A: BvhKind>(
    a: &Mesh<A>,
    b: &HeightField,
    a_from_b: &Pose,
    workspace: &mut Workspace,
) -> Option<DVec3> {
    let b_from_a = a_from_b.inverse();
    if b.is_solid() {
        let below = a.component_points().iter().find(|point| b.contains(b_from_a.transform_point(**point)));
        if below.is_some() {
            return below.copied();
        }
    }
    let vertex = a_from_b.transform_point(b.vertex());
    (a.is_solid() && winding_number(a, vertex, workspace) != 0).then_some(vertex)
}

/// A point, in A's frame, of one height field in the other, which is solid; for surfaces that are
/// apart.
pub fn contained_fields(
    a: &HeightField,
    b: &HeightField,
    a_from_b: &Pose,
    _workspace: &mut Workspace,
) -> Option<DVec3> {
    let (vertex_a, vertex_b) = (a.vertex(), a_from_b.transform_point(b.vertex()));
    if a.contains(vertex_b) {
        return Some(vertex_b);
    }
    b.contains(a_from_b.inverse().transform_point(vertex_a)).then_some(vertex_a)
}

/// A point, in the mesh's frame, of a part of a distance field that lies inside of a mesh declared
/// solid; for surfaces that are apart.
pub fn contained_distance_field<A: BvhKind>(
    a: &Mesh<A>,
    b: &DistanceField,
    a_from_b: &Pose,
    workspace: &mut Workspace,
) -> Option<DVec3> {
    contained_solids(a, &b.tree()?.parts, a_from_b, workspace)
}

/// A point, in the height field's frame, of a part of a distance field that lies below it; for
/// surfaces that are apart.
pub fn contained_distance_field_below(
    a: &HeightField,
    b: &DistanceField,
    a_from_b: &Pose,
    workspace: &mut Workspace,
) -> Option<DVec3> {
    contained_solids_below(a, &b.tree()?.parts, a_from_b, workspace)
}

/// A point, in A's frame, of a part of one distance field inside of the other; for surfaces that are
/// apart.
pub fn contained_distance_fields(
    a: &DistanceField,
    b: &DistanceField,
    a_from_b: &Pose,
    _workspace: &mut Workspace,
) -> Option<DVec3> {
    let b_from_a = a_from_b.inverse();
    let in_a = |point: &DVec3| a_from_b.transform_point(*point);
    let holds = |field: &DistanceField, point: DVec3| {
        field.field().is_in_grid(point) && field.field().bounds(point).upper < 0.0
    };
    let of_b = b.tree()?.parts.points().iter().map(in_a).find(|point| holds(a, *point));
    let is_in_b = |point: &&DVec3| holds(b, b_from_a.transform_point(**point));
    of_b.or_else(|| a.tree()?.parts.points().iter().find(is_in_b).copied())
}
