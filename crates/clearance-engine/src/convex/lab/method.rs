//! The methods for two convex polyhedra by name.

use super::super::gjk::Bounds;
use super::super::placed_polyhedra::Places;
use super::super::polyhedron_polyhedron::{Polyhedra, remembering_distance, simplex_distance};
use super::super::{PolyhedronWarmStart, Separated, SeparatingAxis, Separation, decide_once, polyhedron_distance};
use super::{ClosestFeatures, hierarchical_distance, quadratic_distance, separating_plane};
use crate::shape::ConvexPolyhedron;

/// A method for two convex polyhedra.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// [`polyhedron_distance`]: what is fastest without a memory.
    Default,
    /// The same with a memory, for motions in small steps: the closest vertices or features while
    /// the polyhedra are apart; decides by the last separating vector or the last proof of an
    /// overlap.
    Coherent,
    /// [`core_distance`](super::super::core_distance): the search over simplices of Gilbert, Johnson and
    /// Keerthi.
    Simplices,
    /// [`ClosestFeatures`]: Voronoi regions after Lin and Canny, and Mirtich.
    Features,
    /// [`SeparatingVector`](super::super::SeparatingVector): that of Chung and Wang; decides only, distances are the default's.
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
    pub(super) warm_start: PolyhedronWarmStart,
}

/// The distance of two polyhedra by one of the methods, or `None` if they are certainly `limit` or
/// more apart.
///
/// ```
/// use clearance_engine::{Pose, convex::lab::{Method, MethodMemory, distance_by}, math::DVec3, shape::ConvexPolyhedron};
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
        Method::Coherent => remembering_distance(a, b, limit, &mut memory.warm_start.distance, Places::overlapping),
        Method::Simplices => simplex_distance(a, b, limit),
        Method::Features => memory.features.distance(a, b, limit),
        Method::Hierarchy => hierarchical_distance(a, b, limit),
        Method::Quadratic => quadratic_distance(a, b, limit),
    }
}

/// Whether two polyhedra overlap, by one of the methods.
///
/// ```
/// use clearance_engine::{Pose, convex::{Separated, lab::{Method, MethodMemory, decide_by}}, math::DVec3, shape::ConvexPolyhedron};
/// let tetrahedron = ConvexPolyhedron::hull_of(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
/// for method in Method::ALL {
///     let mut memory = MethodMemory::default();
///     let mut at = |x: f64| -> clearance_engine::Result<Separated> {
///         let moved = tetrahedron.transformed(&Pose::from_translation(DVec3::X * x)?);
///         Ok(decide_by(method, &tetrahedron, &moved, &mut memory))
///     };
///     assert!(at(0.5)?.overlaps(), "{}", method.name());
///     let Separated::Apart(axis) = at(1.5)? else { panic!("{}", method.name()) };
///     assert!(axis.gap > 0.0 && axis.gap <= 0.5);
/// }
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn decide_by(method: Method, a: &ConvexPolyhedron, b: &ConvexPolyhedron, memory: &mut MethodMemory) -> Separated {
    let parting = match method {
        Method::Simplices => return Polyhedra::new(a, b).decide(Bounds::UNKNOWN),
        Method::Default => return decide_once(a, b),
        Method::SeparatingVector | Method::Coherent => return memory.warm_start.overlap.decide(a, b),
        Method::SeparatingPlane => return separating_plane(a, b),
        Method::Features | Method::Hierarchy | Method::Quadratic => distance_by(method, a, b, f64::INFINITY, memory),
    };
    match parting {
        Some(Separation { lower, normal, .. }) if lower > 0.0 => {
            Separated::Apart(SeparatingAxis { normal, gap: lower })
        }
        // A distance does not tell how certain an overlap is.
        _ => Polyhedra::new(a, b).decide(Bounds::UNKNOWN),
    }
}
