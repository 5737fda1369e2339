//! THE table: every pair of geometries that the engine has a test for. Only the upper triangle is drawn: [`Bank::plan`] mirrors.
//!
//! ```text
//!         wide    sphere  spheres nested  aabb    obb     rss     kdop16  kdop18  kdop24  kios    solid   points  voxels  flat    field   parts
//! wide    lanes   mixed   mixed   mixed   mixed   mixed   mixed   mixed   mixed   mixed   mixed   lanes   lanes   lanes   support mixed   parts
//! sphere          same    same    mixed   mixed   mixed   mixed   mixed   mixed   mixed   mixed   support support support support mixed   parts
//! spheres                 same    mixed   mixed   mixed   mixed   mixed   mixed   mixed   mixed   support support support support mixed   parts
//! nested                          same    mixed   mixed   mixed   mixed   mixed   mixed   mixed   support support support support mixed   parts
//! aabb                                    same    mixed   mixed   mixed   mixed   mixed   mixed   support support support support mixed   parts
//! obb                                             same    same    mixed   mixed   mixed   mixed   support support support support mixed   parts
//! rss                                                     same    mixed   mixed   mixed   mixed   support support support support mixed   parts
//! kdop16                                                          same    mixed   mixed   mixed   support support support support mixed   parts
//! kdop18                                                                  same    mixed   mixed   support support support support mixed   parts
//! kdop24                                                                          same    mixed   support support support support mixed   parts
//! kios                                                                                    same    support support support support mixed   parts
//! solid                                                                                           exact   lanes   lanes   exact   support parts
//! points                                                                                                  boxes   boxes   support support parts
//! voxels                                                                                                          boxes   support support parts
//! flat                                                                                                                    exact   support parts
//! field                                                                                                                           same    parts
//! parts                                                                                                                                   parts
//! ```
//! *spheres*: sphere trees; *nested*: boxes around and volumes inside; *points*, *voxels*: point clouds and cells of voxel maps, which are trees of solids; *flat*: half-spaces and planes; *field*: height
//! fields; *lanes*: SIMD blocks (`query/wide_meeting.rs`, `query/wide_solid_meeting.rs`, `query/wide_solids_meeting.rs`,
//! `query/solids_and_solid.rs`); *same*: the kernel `pair/volume/<a>_<b>.rs`; *mixed*: supports (`pair/volume/mixed.rs`); *support*:
//! supports of a volume and a solid (`pair/volume/solid.rs`), a box of a tree of solids (`query/solids_meeting.rs`), or along a plane's
//! normal (`query/flat_meeting.rs`); *exact*: two simple solids (`pair/shape/solids.rs`), or a flat and another (`pair/shape/flats.rs`);
//! *boxes*: two trees of solids (`query/solids_meeting.rs`);
//! *parts*: assemblies, robots among them, part by part (`assemblies.rs`). A test checks that the bank holds what is drawn.
//!
//! Two shapes meet by a closed form, or by a search that proves its own interval:
//! ```text
//!             ball    capsule box     cylinder cone   ellipsoid polyhedron triangle flat
//! ball        closed  closed  closed  closed  closed  root      search     closed   closed
//! capsule             closed  search  search  search  search    search     closed   closed
//! box                         search  search  search  search    search     search   closed
//! cylinder                            search  search  search    search     search   closed
//! cone                                        search  search    search     search   closed
//! ellipsoid                                           search    search     search   closed
//! polyhedron                                                    search     search   closed
//! triangle                                                                 closed   closed
//! flat                                                                              closed
//! ```
//! *closed*: a formula, its rounding bounded; *root*: the nearest point of an ellipsoid is the root of a monotone function of one
//! variable; *search*: that over convex shapes (`convex/`), whose interval is at most 1e-11 of the shapes' size and distance wide.

use super::{
    Assemblies, Bank, FieldAndSolids, Flats, HeightFields, MeshAndFlat, MeshAndSolid, MeshAndSolids, Meshes,
    MixedMeshes, SolidTrees, Solids, SolidsAndFlat, SolidsAndSolid, WideMeshAndSolid, WideMeshAndSolids, WideMeshes,
};
use crate::tree::voxel_map::VoxelCells;
use crate::tree::{Assembly, HeightField, Mesh, NestedTree, PointCloud, Solid, SolidTree, SphereTree, Unbounded, Wide};
use crate::volume::{Aabb, KIos, Kdop16, Kdop18, Kdop24, Obb, Rss, Sphere};

/// Draws the column of simple solids: kinds of meshes, and which test each meets a solid with.
macro_rules! draw_solids {
    ($bank:ident: $($a:ident $test:ident $name:literal),*) => {
        $($bank.register::<Mesh<$a>, Solid>($name, $test);)*
    };
}

/// Draws the column of a tree of solids, down to the simple solids: kinds of plain meshes.
macro_rules! draw_solid_tree {
    ($bank:ident $tree:ident: $($a:ident),*) => {
        $bank.register::<Mesh, $tree>("lanes", WideMeshAndSolids);
        $($bank.register::<Mesh<$a>, $tree>("support", MeshAndSolids);)*
        $bank.register::<$tree, Solid>("lanes", SolidsAndSolid);
    };
}

/// Draws the columns of flats and height fields: kinds of meshes, which all meet them in one way.
macro_rules! draw_flats_and_fields {
    ($bank:ident: $($a:ident),*) => {
        $(
            $bank.register::<Mesh<$a>, Unbounded>("support", MeshAndFlat);
            $bank.register::<Mesh<$a>, HeightField>("mixed", HeightFields);
        )*
    };
}

/// Draws the row of assemblies: kinds of meshes, then other geometries.
macro_rules! draw_assemblies {
    ($bank:ident: $($a:ident),*; $($b:ident),*) => {
        $($bank.register::<Assembly, Mesh<$a>>("parts", Assemblies);)*
        $($bank.register::<Assembly, $b>("parts", Assemblies);)*
    };
}

/// Draws rows: a kind, then for each kind from the diagonal on which test it meets it with.
macro_rules! draw {
    ($bank:ident: $($a:ident => $($b:ident $test:ident),*;)*) => {
        $($(draw!(@ $bank $a $b $test);)*)*
    };
    (@ $bank:ident $a:ident $b:ident lanes) => {
        $bank.register::<Mesh<$a>, Mesh<$b>>("lanes", WideMeshes)
    };
    (@ $bank:ident $a:ident $b:ident same) => {
        $bank.register::<Mesh<$a>, Mesh<$b>>("same", Meshes)
    };
    (@ $bank:ident $a:ident $b:ident mixed) => {
        $bank.register::<Mesh<$a>, Mesh<$b>>("mixed", MixedMeshes)
    };
}

#[rustfmt::skip]
pub(super) fn register(bank: &mut Bank) {
    draw! { bank:
        Wide => Wide lanes, Sphere mixed, SphereTree mixed, NestedTree mixed, Aabb mixed, Obb mixed, Rss mixed, Kdop16 mixed, Kdop18 mixed, Kdop24 mixed, KIos mixed;
        Sphere => Sphere same, SphereTree same, NestedTree mixed, Aabb mixed, Obb mixed, Rss mixed, Kdop16 mixed, Kdop18 mixed, Kdop24 mixed, KIos mixed;
        SphereTree => SphereTree same, NestedTree mixed, Aabb mixed, Obb mixed, Rss mixed, Kdop16 mixed, Kdop18 mixed, Kdop24 mixed, KIos mixed;
        NestedTree => NestedTree same, Aabb mixed, Obb mixed, Rss mixed, Kdop16 mixed, Kdop18 mixed, Kdop24 mixed, KIos mixed;
        Aabb => Aabb same, Obb mixed, Rss mixed, Kdop16 mixed, Kdop18 mixed, Kdop24 mixed, KIos mixed;
        Obb => Obb same, Rss same, Kdop16 mixed, Kdop18 mixed, Kdop24 mixed, KIos mixed;
        Rss => Rss same, Kdop16 mixed, Kdop18 mixed, Kdop24 mixed, KIos mixed;
        Kdop16 => Kdop16 same, Kdop18 mixed, Kdop24 mixed, KIos mixed;
        Kdop18 => Kdop18 same, Kdop24 mixed, KIos mixed;
        Kdop24 => Kdop24 same, KIos mixed;
        KIos => KIos same;
    }
    draw_solids! { bank:
        Wide WideMeshAndSolid "lanes", Sphere MeshAndSolid "support", SphereTree MeshAndSolid "support", NestedTree MeshAndSolid "support", Aabb MeshAndSolid "support", Obb MeshAndSolid "support",
        Rss MeshAndSolid "support", Kdop16 MeshAndSolid "support", Kdop18 MeshAndSolid "support",
        Kdop24 MeshAndSolid "support", KIos MeshAndSolid "support"
    }
    bank.register::<Solid, Solid>("exact", Solids);
    draw_flats_and_fields! { bank: Wide, Sphere, SphereTree, NestedTree, Aabb, Obb, Rss, Kdop16, Kdop18, Kdop24, KIos }
    bank.register::<Solid, Unbounded>("exact", Flats);
    bank.register::<Unbounded, Unbounded>("exact", Flats);
    bank.register::<HeightField, Solid>("support", HeightFields);
    bank.register::<HeightField, Unbounded>("support", HeightFields);
    bank.register::<HeightField, HeightField>("same", HeightFields);
    bank.register_solid_tree::<PointCloud>();
    bank.register_solid_tree::<VoxelCells>();
    draw_assemblies! { bank: Wide, Sphere, SphereTree, NestedTree, Aabb, Obb, Rss, Kdop16, Kdop18, Kdop24, KIos; Solid, Unbounded, HeightField, Assembly }
}

impl Bank {
    /// Registers a tree of solids against all meshes, simple solids, half-spaces, planes, height fields, point clouds,
    /// assemblies and its own kind.
    ///
    /// That is all that a new kind needs, unless another one, besides point clouds, is to meet it: for these
    /// `register::<A, B>("boxes", SolidTrees)`.
    pub fn register_solid_tree<T: SolidTree>(&mut self) {
        draw_solid_tree! { self T: Sphere, SphereTree, NestedTree, Aabb, Obb, Rss, Kdop16, Kdop18, Kdop24, KIos }
        self.register::<PointCloud, T>("boxes", SolidTrees);
        self.register::<T, Unbounded>("support", SolidsAndFlat);
        self.register::<HeightField, T>("support", FieldAndSolids);
        self.register::<T, T>("boxes", SolidTrees);
        self.register::<Assembly, T>("parts", Assemblies);
    }
}
