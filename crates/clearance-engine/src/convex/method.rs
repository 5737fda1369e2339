//! The methods for two convex polyhedra by name, for who wants to choose or compare them.
//!
//! What is the default, [`polyhedron_distance`], or with a cache [`Method::Coherent`], is what the
//! dispatcher uses; `dispatch::PrimitivesBy` puts another method there.

use super::gjk::Bounds;
use super::placed_polyhedra::Places;
use super::polyhedron_polyhedron::{LastDistance, Polyhedra, remembering_distance, simplex_distance};
use super::separating_vector::{Verdict, decide_once, decide_otherwise, verdict_once};
use super::{
    ClosestFeatures, Decision, SeparatingVector, Separation, hierarchical_distance, polyhedron_distance,
    quadratic_distance, separating_plane,
};
use crate::Pose;
use crate::shape::{ClosestPoints, ConvexPolyhedron};

/// A method for two convex polyhedra.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// [`polyhedron_distance`]: what is fastest without a memory.
    Default,
    /// The same with a memory, for motions in small steps: the closest vertices or features while
    /// the polyhedra are apart; decides by the last separating vector or the last proof of an
    /// overlap.
    Coherent,
    /// [`core_distance`](super::core_distance): the search over simplices of Gilbert, Johnson and
    /// Keerthi.
    Simplices,
    /// [`ClosestFeatures`]: Voronoi regions after Lin and Canny, and Mirtich.
    Features,
    /// [`SeparatingVector`]: that of Chung and Wang; decides only, distances are the default's.
    SeparatingVector,
    /// [`separating_plane`]: a linear programme; decides only, as above.
    SeparatingPlane,
    /// [`hierarchical_distance`]: the hierarchy of Dobkin and Kirkpatrick.
    Hierarchy,
    /// [`quadratic_distance`]: a quadratic programme after Bobrow, and Zeghloul and others.
    Quadratic,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Default,
        Self::Coherent,
        Self::Simplices,
        Self::Features,
        Self::SeparatingVector,
        Self::SeparatingPlane,
        Self::Hierarchy,
        Self::Quadratic,
    ];

    /// A short name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Coherent => "coherent",
            Self::Simplices => "simplices",
            Self::Features => "features",
            Self::SeparatingVector => "separating vector",
            Self::SeparatingPlane => "separating plane",
            Self::Hierarchy => "hierarchy",
            Self::Quadratic => "quadratic programme",
        }
    }

    /// Whether it measures distances, and not only decides whether polyhedra overlap.
    pub fn measures(&self) -> bool {
        !matches!(self, Self::SeparatingVector | Self::SeparatingPlane)
    }
}

/// What the methods remember of a pair of polyhedra from one question to the next.
#[derive(Debug, Clone, Default)]
pub struct MethodMemory {
    features: ClosestFeatures,
    last: LastDistance,
    vector: SeparatingVector,
}

/// The distance of two polyhedra by one of the methods, or `None` if they are certainly `limit` or
/// more apart.
///
/// ```
/// use clearance_engine::{Pose, convex::{Method, MethodMemory, distance_by}, math::DVec3, shape::ConvexPolyhedron};
/// let tetrahedron = ConvexPolyhedron::hull_of(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
/// let moved = tetrahedron.transformed(&Pose::from_translation(DVec3::X * 4.0)?);
/// let mut memory = MethodMemory::default();
/// for method in Method::ALL {
///     let parting = distance_by(method, &tetrahedron, &moved, f64::INFINITY, &mut memory).unwrap();
///     assert!(parting.lower <= 3.0 && 3.0 <= parting.upper && parting.upper - parting.lower < 1e-12, "{}", method.name());
///     assert!(distance_by(method, &tetrahedron, &moved, 2.0, &mut memory).is_none());
/// }
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn distance_by(
    method: Method,
    a: &ConvexPolyhedron,
    b: &ConvexPolyhedron,
    limit: f64,
    memory: &mut MethodMemory,
) -> Option<Separation> {
    match method {
        Method::Default | Method::SeparatingVector | Method::SeparatingPlane => polyhedron_distance(a, b, limit),
        Method::Coherent => remembering_distance(a, b, limit, &mut memory.last, Places::overlapping),
        Method::Simplices => simplex_distance(a, b, limit),
        Method::Features => memory.features.distance(a, b, limit),
        Method::Hierarchy => hierarchical_distance(a, b, limit),
        Method::Quadratic => quadratic_distance(a, b, limit),
    }
}

/// As [`distance_by`] for b after a rigid motion and who does not ask how deep an overlap is. By
/// default and with a memory the moved polyhedron is mostly not even made.
#[inline(always)]
pub(crate) fn rough_distance_after(
    method: Method,
    a: &ConvexPolyhedron,
    b: &ConvexPolyhedron,
    a_from_b: &Pose,
    limit: f64,
    memory: Option<&mut MethodMemory>,
) -> Option<ClosestPoints> {
    let (mut nothing, mut none) = (LastDistance::default(), None);
    let last = match (method, memory) {
        (Method::Default, _) | (Method::Coherent, None) => &mut nothing,
        (Method::Coherent, Some(memory)) => &mut memory.last,
        (_, memory) => {
            let memory = memory.unwrap_or_else(|| none.insert(MethodMemory::default()));
            return distance_by(method, a, &b.transformed(a_from_b), limit, memory).map(ClosestPoints::from);
        }
    };
    match b.local_after(a_from_b) {
        Some(moved) => last.distance_after(a, b, moved, a_from_b, limit),
        None => remembering_distance(a, &b.transformed(a_from_b), limit, last, Places::roughly_overlapping)
            .map(ClosestPoints::from),
    }
}

/// Whether two polyhedra overlap, by one of the methods.
///
/// ```
/// use clearance_engine::{Pose, convex::{Decision, Method, MethodMemory, decide_by}, math::DVec3, shape::ConvexPolyhedron};
/// let tetrahedron = ConvexPolyhedron::hull_of(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
/// for method in Method::ALL {
///     let mut memory = MethodMemory::default();
///     let mut at = |x: f64| -> clearance_engine::Result<Decision> {
///         let moved = tetrahedron.transformed(&Pose::from_translation(DVec3::X * x)?);
///         Ok(decide_by(method, &tetrahedron, &moved, &mut memory))
///     };
///     assert!(at(0.5)?.overlaps(), "{}", method.name());
///     let Decision::Apart { gap, .. } = at(1.5)? else { panic!("{}", method.name()) };
///     assert!(gap > 0.0 && gap <= 0.5);
/// }
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn decide_by(method: Method, a: &ConvexPolyhedron, b: &ConvexPolyhedron, memory: &mut MethodMemory) -> Decision {
    let parting = match method {
        Method::Simplices => return Polyhedra::new(a, b).decide(Bounds::UNKNOWN),
        Method::Default => return decide_once(a, b),
        Method::SeparatingVector | Method::Coherent => return memory.vector.decide(a, b),
        Method::SeparatingPlane => return separating_plane(a, b),
        Method::Features | Method::Hierarchy | Method::Quadratic => distance_by(method, a, b, f64::INFINITY, memory),
    };
    match parting {
        Some(Separation { lower, normal, .. }) if lower > 0.0 => Decision::Apart { normal, gap: lower },
        // A distance does not tell how certain an overlap is.
        _ => Polyhedra::new(a, b).decide(Bounds::UNKNOWN),
    }
}

/// Whether [`decide_by`] finds that a and b, after a rigid motion, overlap.
#[inline(always)]
pub(crate) fn overlap_after(
    method: Method,
    a: &ConvexPolyhedron,
    b: &ConvexPolyhedron,
    a_from_b: &Pose,
    memory: Option<&mut MethodMemory>,
) -> bool {
    let made = || b.transformed(a_from_b);
    let (mut none, coherent) = (None, method == Method::Coherent);
    let verdict = match (memory, b.local_after(a_from_b)) {
        (Some(memory), Some(moved)) if coherent => memory.vector.verdict_beyond_spheres(a.local(), moved),
        (_, Some(moved)) if coherent || method == Method::Default => verdict_once(a.local(), moved),
        (memory, _) => {
            let memory = memory.unwrap_or_else(|| none.insert(MethodMemory::default()));
            return decide_by(method, a, &made(), memory).overlaps();
        }
    };
    match verdict {
        Verdict::Apart(_) | Verdict::Far => false,
        Verdict::Overlapping => true,
        Verdict::Open => decide_otherwise(a, &made()).overlaps(),
    }
}
