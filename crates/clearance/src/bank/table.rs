//! THE table: every pair of geometries that the engine has a test for. Only the upper triangle is drawn: [`Bank::plan`] mirrors.
//!
//! ```text
//!         wide    sphere  spheres aabb    obb     rss     kdop16  kdop18  kdop24  kios    solid
//! wide    lanes   mixed   mixed   mixed   mixed   mixed   mixed   mixed   mixed   mixed   lanes
//! sphere          same    same    mixed   mixed   mixed   mixed   mixed   mixed   mixed   support
//! spheres                 same    mixed   mixed   mixed   mixed   mixed   mixed   mixed   support
//! aabb                            same    mixed   mixed   mixed   mixed   mixed   mixed   support
//! obb                                     same    same    mixed   mixed   mixed   mixed   support
//! rss                                             same    mixed   mixed   mixed   mixed   support
//! kdop16                                                  same    mixed   mixed   mixed   support
//! kdop18                                                          same    mixed   mixed   support
//! kdop24                                                                  same    mixed   support
//! kios                                                                            same    support
//! solid                                                                                   exact
//! ```
//! *spheres*: sphere trees; *lanes*: SIMD blocks (`query/wide_meeting.rs`, `query/wide_solid_meeting.rs`); *same*: the kernel
//! `pair/volume/<a>_<b>.rs`; *mixed*: supports (`pair/volume/mixed.rs`); *support*: supports of a volume and a solid (`pair/volume/solid.rs`); *exact*: two simple
//! solids (`pair/shape/solids.rs`). A test checks that the bank holds what is drawn.

use super::{Bank, MeshAndSolid, Meshes, MixedMeshes, Solids, WideMeshAndSolid, WideMeshes};
use crate::tree::{Mesh, Solid, SphereTree, Wide};
use crate::volume::{Aabb, KIos, Kdop16, Kdop18, Kdop24, Obb, Rss, Sphere};

/// Draws the last column: kinds of meshes, and which test each meets a solid with.
macro_rules! draw_solids {
    ($bank:ident: $($a:ident $test:ident $name:literal),*) => {
        $($bank.register::<Mesh<$a>, Solid>($name, $test);)*
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
        Wide => Wide lanes, Sphere mixed, SphereTree mixed, Aabb mixed, Obb mixed, Rss mixed, Kdop16 mixed, Kdop18 mixed, Kdop24 mixed, KIos mixed;
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
    draw_solids! { bank:
        Wide WideMeshAndSolid "lanes", Sphere MeshAndSolid "support", SphereTree MeshAndSolid "support", Aabb MeshAndSolid "support", Obb MeshAndSolid "support",
        Rss MeshAndSolid "support", Kdop16 MeshAndSolid "support", Kdop18 MeshAndSolid "support",
        Kdop24 MeshAndSolid "support", KIos MeshAndSolid "support"
    }
    bank.register::<Solid, Solid>("exact", Solids);
}
