//! THE table: every pair of geometries that the engine has a test for. Only the upper triangle is
//! drawn: [`Dispatcher::plan`] mirrors.
//!
//! ```text
//!         wide    sphere  spheres nested  aabb    obb     rss     kdop16  kdop18  kdop24  kios    solid   points  voxels  flat    field   dfield  parts
//! wide    lanes   mixed   mixed   mixed   mixed   mixed   mixed   mixed   mixed   mixed   mixed   lanes   lanes   lanes   support mixed   pieces  parts
//! sphere          same    same    mixed   mixed   mixed   mixed   mixed   mixed   mixed   mixed   support support support support mixed   pieces  parts
//! spheres                 same    mixed   mixed   mixed   mixed   mixed   mixed   mixed   mixed   support support support support mixed   pieces  parts
//! nested                          same    mixed   mixed   mixed   mixed   mixed   mixed   mixed   support support support support mixed   pieces  parts
//! aabb                                    same    mixed   mixed   mixed   mixed   mixed   mixed   support support support support mixed   pieces  parts
//! obb                                             same    same    mixed   mixed   mixed   mixed   support support support support mixed   pieces  parts
//! rss                                                     same    mixed   mixed   mixed   mixed   support support support support mixed   pieces  parts
//! kdop16                                                          same    mixed   mixed   mixed   support support support support mixed   pieces  parts
//! kdop18                                                                  same    mixed   mixed   support support support support mixed   pieces  parts
//! kdop24                                                                          same    mixed   support support support support mixed   pieces  parts
//! kios                                                                                    same    support support support support mixed   pieces  parts
//! solid                                                                                           exact   lanes   lanes   exact   support pieces  parts
//! points                                                                                                  boxes   boxes   support support pieces  parts
//! voxels                                                                                                          boxes   support support pieces  parts
//! flat                                                                                                                    exact   support cells   parts
//! field                                                                                                                           same    pieces  parts
//! dfield                                                                                                                                  cells   parts
//! parts                                                                                                                                           parts
//! ```
//! *spheres*: sphere trees; *nested*: boxes around and volumes inside (feature `inner-boxes`); *points*, *voxels*: point
//! clouds and cells of voxel maps, which are trees of solids; *flat*: half-spaces and planes;
//! *field*: height fields; *dfield*: distance fields; *pieces*, *cells*: branch and bound over
//! pieces of the other geometry, or the field's cells (`query/distance_fields.rs`); *lanes*: SIMD
//! blocks (`query/mesh_mesh.rs`, `query/mesh_primitive.rs`,
//! `query/mesh_primitive_bvh.rs`, `query/primitive_bvh_primitive.rs`); *same*: the kernel
//! `pair/volume/<a>_<b>.rs`; *mixed*: supports (`pair/volume/mixed.rs`); *support*: supports of a
//! volume and a solid (`pair/volume/primitive.rs`), a box of a tree of solids, or along a plane's
//! normal (`pair/volume/half_space.rs`), all in `query/any_trees.rs`; *exact*: two simple solids
//! (`pair/shape/primitives.rs`), or a flat and another (`pair/shape/half_spaces.rs`); *boxes*: two
//! trees of solids (`query/any_trees.rs`); *parts*: assemblies, robots among them, part by
//! part (`assemblies.rs`). A test checks that the dispatcher holds what is drawn.
//!
//! Two shapes meet by a closed form, or by a search that proves its own interval:
//! ```text
//!             sphere    capsule box     cylinder cone   ellipsoid polyhedron triangle flat
//! sphere        closed  closed  closed  closed  closed  root      search     closed   closed
//! capsule             closed  search  search  search  search    search     closed   closed
//! box                         search  search  search  search    search     search   closed
//! cylinder                            search  search  search    search     search   closed
//! cone                                        search  search    search     search   closed
//! ellipsoid                                           search    search     search   closed
//! polyhedron                                                    search     search   closed
//! triangle                                                                 closed   closed
//! flat                                                                              closed
//! ```
//! *closed*: a formula, its rounding bounded; *root*: the nearest point of an ellipsoid is the root
//! of a monotone function of one variable; *search*: that over convex shapes (`convex/`), whose
//! interval is at most 1e-11 of the shapes' size and distance wide.

use super::{
    Assemblies, Bvh8AndPrimitive, Bvh8AndPrimitiveBvh, Bvh8Meshes, Dispatcher, DistanceFields, HalfSpaces,
    HeightFieldAndPrimitiveBvh, HeightFields, MeshAndHalfSpace, MeshAndPrimitive, MeshAndPrimitiveBvh, Meshes,
    MixedMeshes, PrimitiveBvhAndDistanceField, PrimitiveBvhAndHalfSpace, PrimitiveBvhAndPrimitive, PrimitiveBvhs,
    Primitives,
};
#[cfg(feature = "inner-boxes")]
use crate::tree::NestedTree;
use crate::tree::voxel_map::VoxelCells;
use crate::tree::{
    Assembly, Bvh8, DistanceField, HalfSpaceGeometry, HeightField, Mesh, PointCloud, PrimitiveBvh, Solid, SphereTree,
};
use crate::volume::{Aabb, KIos, Kdop16, Kdop18, Kdop24, Obb, Rss, Sphere};

/// Draws the column of simple solids: kinds of meshes, and which test each meets a solid with.
macro_rules! draw_solids {
    ($dispatcher:ident: $($a:ident $test:ident $name:literal),*) => {
        $($dispatcher.register::<Mesh<$a>, Solid>($name, $test);)*
    };
}

/// Draws the column of a tree of solids, down to the simple solids: kinds of plain meshes.
macro_rules! draw_solid_tree {
    ($dispatcher:ident $tree:ident: $($a:ident),*) => {
        $dispatcher.register::<Mesh, $tree>("lanes", Bvh8AndPrimitiveBvh);
        $($dispatcher.register::<Mesh<$a>, $tree>("support", MeshAndPrimitiveBvh);)*
        $dispatcher.register::<$tree, Solid>("lanes", PrimitiveBvhAndPrimitive);
    };
}

/// Draws the columns of flats and height fields: kinds of meshes, which all meet them in one way.
macro_rules! draw_flats_and_fields {
    ($dispatcher:ident: $($a:ident),*) => {
        $(
            $dispatcher.register::<Mesh<$a>, HalfSpaceGeometry>("support", MeshAndHalfSpace);
            $dispatcher.register::<Mesh<$a>, HeightField>("mixed", HeightFields);
            $dispatcher.register::<Mesh<$a>, DistanceField>("pieces", DistanceFields);
        )*
    };
}

/// Draws the row of assemblies: kinds of meshes, then other geometries.
macro_rules! draw_assemblies {
    ($dispatcher:ident: $($a:ident),*; $($b:ident),*) => {
        $($dispatcher.register::<Assembly, Mesh<$a>>("parts", Assemblies);)*
        $($dispatcher.register::<Assembly, $b>("parts", Assemblies);)*
    };
}

/// Draws rows: a kind, then for each kind from the diagonal on which test it meets it with.
macro_rules! draw {
    ($dispatcher:ident: $($a:ident => $($b:ident $test:ident),*;)*) => {
        $($(draw!(@ $dispatcher $a $b $test);)*)*
    };
    (@ $dispatcher:ident $a:ident $b:ident lanes) => {
        $dispatcher.register::<Mesh<$a>, Mesh<$b>>("lanes", Bvh8Meshes)
    };
    (@ $dispatcher:ident $a:ident $b:ident same) => {
        $dispatcher.register::<Mesh<$a>, Mesh<$b>>("same", Meshes)
    };
    (@ $dispatcher:ident $a:ident $b:ident mixed) => {
        $dispatcher.register::<Mesh<$a>, Mesh<$b>>("mixed", MixedMeshes)
    };
}

#[rustfmt::skip]
pub(super) fn register(dispatcher: &mut Dispatcher) {
    draw! { dispatcher:
        Bvh8 => Bvh8 lanes, Sphere mixed, SphereTree mixed, Aabb mixed, Obb mixed, Rss mixed, Kdop16 mixed, Kdop18 mixed, Kdop24 mixed, KIos mixed;
        Sphere => Sphere same, SphereTree same, Aabb mixed, Obb mixed, Rss mixed, Kdop16 mixed, Kdop18 mixed, Kdop24 mixed, KIos mixed;
        SphereTree => SphereTree same, Aabb mixed, Obb mixed, Rss mixed, Kdop16 mixed, Kdop18 mixed, Kdop24 mixed, KIos mixed;
        Aabb => Aabb same, Obb mixed, Rss mixed, Kdop16 mixed, Kdop18 mixed, Kdop24 mixed, KIos mixed;
        Obb => Obb same, Rss same, Kdop16 mixed, Kdop18 mixed, Kdop24 mixed, KIos mixed;
        Rss => Rss same, Kdop16 mixed, Kdop18 mixed, Kdop24 mixed, KIos mixed;
        Kdop16 => Kdop16 same, Kdop18 mixed, Kdop24 mixed, KIos mixed;
        Kdop18 => Kdop18 same, Kdop24 mixed, KIos mixed;
        Kdop24 => Kdop24 same, KIos mixed;
        KIos => KIos same;
    }
    draw_solids! { dispatcher:
        Bvh8 Bvh8AndPrimitive "lanes", Sphere MeshAndPrimitive "support", SphereTree MeshAndPrimitive "support", Aabb MeshAndPrimitive "support", Obb MeshAndPrimitive "support",
        Rss MeshAndPrimitive "support", Kdop16 MeshAndPrimitive "support", Kdop18 MeshAndPrimitive "support",
        Kdop24 MeshAndPrimitive "support", KIos MeshAndPrimitive "support"
    }
    dispatcher.register::<Solid, Solid>("exact", Primitives);
    draw_flats_and_fields! { dispatcher: Bvh8, Sphere, SphereTree, Aabb, Obb, Rss, Kdop16, Kdop18, Kdop24, KIos }
    dispatcher.register::<Solid, HalfSpaceGeometry>("exact", HalfSpaces);
    dispatcher.register::<HalfSpaceGeometry, HalfSpaceGeometry>("exact", HalfSpaces);
    dispatcher.register::<HeightField, Solid>("support", HeightFields);
    dispatcher.register::<HeightField, HalfSpaceGeometry>("support", HeightFields);
    dispatcher.register::<HeightField, HeightField>("same", HeightFields);
    dispatcher.register::<Solid, DistanceField>("pieces", DistanceFields);
    dispatcher.register::<DistanceField, HalfSpaceGeometry>("cells", DistanceFields);
    dispatcher.register::<HeightField, DistanceField>("pieces", DistanceFields);
    dispatcher.register::<DistanceField, DistanceField>("cells", DistanceFields);
    dispatcher.register_primitive_bvh::<PointCloud>();
    dispatcher.register_primitive_bvh::<VoxelCells>();
    draw_assemblies! { dispatcher: Bvh8, Sphere, SphereTree, Aabb, Obb, Rss, Kdop16, Kdop18, Kdop24, KIos; Solid, HalfSpaceGeometry, HeightField, DistanceField, Assembly }
    #[cfg(feature = "inner-boxes")]
    register_nested(dispatcher);
}

/// Draws the row and the column of boxes with volumes inside.
#[cfg(feature = "inner-boxes")]
#[rustfmt::skip]
fn register_nested(dispatcher: &mut Dispatcher) {
    draw! { dispatcher:
        Bvh8 => NestedTree mixed;
        Sphere => NestedTree mixed;
        SphereTree => NestedTree mixed;
        NestedTree => NestedTree same, Aabb mixed, Obb mixed, Rss mixed, Kdop16 mixed, Kdop18 mixed, Kdop24 mixed, KIos mixed;
    }
    draw_solids! { dispatcher: NestedTree MeshAndPrimitive "support" }
    draw_flats_and_fields! { dispatcher: NestedTree }
    draw_assemblies! { dispatcher: NestedTree; }
}

impl Dispatcher {
    /// Registers a tree of solids against all meshes, simple solids, half-spaces, planes, height
    /// fields, point clouds, assemblies and its own kind.
    ///
    /// That is all that a new kind needs, unless another one, besides point clouds, is to meet it:
    /// for these `register::<A, B>("boxes", PrimitiveBvhs)`.
    pub fn register_primitive_bvh<T: PrimitiveBvh>(&mut self) {
        draw_solid_tree! { self T: Sphere, SphereTree, Aabb, Obb, Rss, Kdop16, Kdop18, Kdop24, KIos }
        #[cfg(feature = "inner-boxes")]
        self.register::<Mesh<NestedTree>, T>("support", MeshAndPrimitiveBvh);
        self.register::<PointCloud, T>("boxes", PrimitiveBvhs);
        self.register::<T, HalfSpaceGeometry>("support", PrimitiveBvhAndHalfSpace);
        self.register::<HeightField, T>("support", HeightFieldAndPrimitiveBvh);
        self.register::<T, DistanceField>("pieces", PrimitiveBvhAndDistanceField);
        self.register::<T, T>("boxes", PrimitiveBvhs);
        self.register::<Assembly, T>("parts", Assemblies);
    }
}
