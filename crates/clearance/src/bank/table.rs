//! THE table: every pair of geometries that the engine has a test for. Only the upper triangle is drawn: [`Bank::plan`] mirrors.
//!
//! ```text
//!         wide    sphere  spheres aabb    obb     rss     kdop16  kdop18  kdop24  kios
//! wide    lanes   mixed   mixed   mixed   mixed   mixed   mixed   mixed   mixed   mixed
//! sphere          same    same    mixed   mixed   mixed   mixed   mixed   mixed   mixed
//! spheres                 same    mixed   mixed   mixed   mixed   mixed   mixed   mixed
//! aabb                            same    mixed   mixed   mixed   mixed   mixed   mixed
//! obb                                     same    same    mixed   mixed   mixed   mixed
//! rss                                             same    mixed   mixed   mixed   mixed
//! kdop16                                                  same    mixed   mixed   mixed
//! kdop18                                                          same    mixed   mixed
//! kdop24                                                                  same    mixed
//! kios                                                                            same
//! ```
//! *spheres*: sphere trees; *lanes*: SIMD blocks (`query/wide_meeting.rs`); *same*: the kernel `pair/volume/<a>_<b>.rs`; *mixed*: supports
//! (`pair/volume/mixed.rs`). A test checks that the bank holds what is drawn.

use super::{Bank, Meshes, MixedMeshes, WideMeshes};
use crate::tree::{Mesh, SphereTree, Wide};
use crate::volume::{Aabb, KIos, Kdop16, Kdop18, Kdop24, Obb, Rss, Sphere};

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
}
