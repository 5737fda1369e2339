//! The detectors of Table 3: the paper's, our implementations of what its five rivals do, and live
//! ones.

use super::bodies::Body;
use crate::Result;
use clearance_engine::Pose;
use clearance_engine::convex::lab::{ClosestFeatures, Method, MethodMemory, decide_by};
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::DVec3;
use clearance_engine::shape::{Convex, ConvexPolyhedron};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{
    BuildOptions, Bvh8, BvhKind, Geometry, InnerKind, Mesh, NestedOptions, NestedTree, Solid,
};
use clearance_engine::volume::{Kdop18, Obb, Rss};

/// Answers whether two bodies collide, as one of the rivals does.
pub(super) struct Rival {
    /// What the tables call it.
    pub name: &'static str,
    /// The library that the paper measured, whose method this is.
    pub printed: Option<&'static str>,
    detect: Box<dyn FnMut(&Pose) -> bool>,
}

impl Rival {
    /// Whether the bodies collide, the second being at a pose in the first one's frame.
    pub fn detect(&mut self, pose: &Pose) -> bool {
        (self.detect)(pose)
    }

    fn new(name: &'static str, printed: Option<&'static str>, detect: impl FnMut(&Pose) -> bool + 'static) -> Self {
        Self { name, printed, detect: Box::new(detect) }
    }

    /// Two geometries that the dispatcher knows a test for.
    fn geometries(
        name: &'static str,
        printed: Option<&'static str>,
        a: impl Geometry,
        b: impl Geometry,
    ) -> Result<Self> {
        let dispatcher = Dispatcher::standard();
        dispatcher.plan(&a, &b)?;
        let mut workspace = Workspace::default();
        Ok(Self::new(name, printed, move |pose| {
            dispatcher.plan(&a, &b).is_ok_and(|plan| plan.collide(pose, &mut workspace, None).colliding)
        }))
    }

    /// Two solid meshes under one kind of hierarchy.
    fn meshes<K: BvhKind>(
        name: &'static str,
        printed: Option<&'static str>,
        [a, b]: [&ConvexPolyhedron; 2],
    ) -> Result<Self> {
        let mesh = |body: &ConvexPolyhedron| -> Result<Mesh<K>> { Ok(Mesh::<K>::new(body.surface()?)?.into_solid()?) };
        Self::geometries(name, printed, mesh(a)?, mesh(b)?)
    }
}

/// The paper's hierarchy of a body, cut to level 4.
pub(super) fn nested(body: &ConvexPolyhedron, inner: InnerKind) -> Result<Mesh<NestedTree>> {
    let how = NestedOptions { inner, ..NestedOptions::default() };
    Ok(Mesh::<NestedTree>::build(body.surface()?, &BuildOptions::default(), Some(how))?.into_solid()?)
}

/// The vertices of the box along the axes around a convex body.
fn aligned_box(body: &ConvexPolyhedron) -> (DVec3, DVec3) {
    let reach = |axis: DVec3| body.support(axis).dot(axis);
    let high = DVec3::new(reach(DVec3::X), reach(DVec3::Y), reach(DVec3::Z));
    let low = DVec3::new(reach(DVec3::NEG_X), reach(DVec3::NEG_Y), reach(DVec3::NEG_Z));
    (body.center() - low, body.center() + high)
}

/// Boxes along the axes of A around the bodies, then GJK.
fn boxes_then_gjk(a: &ConvexPolyhedron, b: &ConvexPolyhedron) -> Result<Rival> {
    let (low, high) = aligned_box(a);
    let (a, b) = (a.clone(), b.clone());
    Ok(Rival::new("aligned boxes, GJK", Some("SOLID"), move |pose| {
        let moved = b.transformed(pose);
        let (low_b, high_b) = aligned_box(&moved);
        if low_b.cmpgt(high).any() || low.cmpgt(high_b).any() {
            return false;
        }
        decide_by(Method::Simplices, &a, &moved, &mut MethodMemory::default()).overlaps()
    }))
}

/// The closest features of the bodies; placements are unrelated, so that each is looked for anew.
fn closest_features(a: &ConvexPolyhedron, b: &ConvexPolyhedron) -> Rival {
    let (a, b) = (a.clone(), b.clone());
    Rival::new("closest features", Some("I-COLLIDE"), move |pose| {
        let found = ClosestFeatures::default().distance(&a, &b.transformed(pose), f64::INFINITY);
        found.is_some_and(|parting| parting.upper == 0.0)
    })
}

/// All detectors for two bodies, the paper's first.
pub(super) fn all(a: &Body, b: &Body) -> Result<Vec<Rival>> {
    let (a, b) = (&a.polyhedron, &b.polyhedron);
    let both = [a, b];
    let of_kind = |name, printed, inner| Rival::geometries(name, printed, nested(a, inner)?, nested(b, inner)?);
    let mut rivals = vec![
        of_kind("inner boxes", Some("PROPUESTO"), InnerKind::Boxes)?,
        of_kind("inner balls", None, InnerKind::Spheres)?,
        of_kind("the same without inner", None, InnerKind::Nothing)?,
        Rival::meshes::<Rss>("rss tree", Some("PQP"), both)?,
        Rival::meshes::<Obb>("obb tree", Some("RAPID"), both)?,
        boxes_then_gjk(a, b)?,
        closest_features(a, b),
        Rival::meshes::<Kdop18>("kdop18 tree", Some("QUICKCD"), both)?,
        Rival::meshes::<Bvh8>("default tree", None, both)?,
        Rival::geometries("polyhedra", None, Solid::new(a.clone()), Solid::new(b.clone()))?,
    ];
    rivals.extend(parry(a, b)?);
    Ok(rivals)
}

/// parry's convex polyhedra in both precisions; none without the feature `parry`.
fn parry(a: &ConvexPolyhedron, b: &ConvexPolyhedron) -> Result<Vec<Rival>> {
    #[cfg(feature = "parry")]
    return Ok(vec![parry_f32(a, b)?, parry_f64(a, b)?]);
    #[cfg(not(feature = "parry"))]
    {
        let _ = (a, b);
        Ok(Vec::new())
    }
}

/// parry's convex polyhedra, from one of its two crates.
#[cfg(feature = "parry")]
macro_rules! parry_rival {
    ($function:ident, $pose:ident, $parry:ident, $real:ty, $name:literal) => {
        fn $function(a: &ConvexPolyhedron, b: &ConvexPolyhedron) -> Result<Rival> {
            let body = |body: &ConvexPolyhedron| {
                let points: Vec<_> = body
                    .vertices()
                    .map(|v| $parry::math::Vector::new(v.x as $real, v.y as $real, v.z as $real))
                    .collect();
                $parry::shape::ConvexPolyhedron::from_convex_hull(&points)
                    .ok_or_else(|| crate::Error::other("parry makes no hull of a body"))
            };
            let (a, b) = (body(a)?, body(b)?);
            Ok(Rival::new($name, None, move |pose| {
                let a_from_b = crate::engines::$pose(pose);
                let identity = $parry::math::Pose::IDENTITY;
                $parry::query::intersection_test(&identity, &a, &a_from_b, &b).is_ok_and(|answer| answer.intersecting)
            }))
        }
    };
}

#[cfg(feature = "parry")]
parry_rival!(parry_f32, pose_f32, parry3d, f32, "parry, f32");
#[cfg(feature = "parry")]
parry_rival!(parry_f64, pose_f64, parry3d_f64, f64, "parry, f64");
