//! Poses, directed rounding, stored frames, and the small linear algebra of fitting.

mod distance_transform;
pub(crate) mod double_double;
mod eigen;
pub(crate) mod expansion;
pub mod lanes;
mod moments;
mod orientation;
mod pose;
mod rounding;
mod similarity;

pub use distance_transform::DistanceTransform;
pub use eigen::symmetric_eigenvectors;
pub use glam::{DMat3, DQuat, DVec3, IVec3};
pub(crate) use glam::{Vec3A, Vec4};
pub use lanes::SimdLevel;
pub(crate) use moments::Moments;
pub(crate) use orientation::{unit, volume};
pub use pose::Pose;
pub(crate) use pose::newton_step;
pub use rounding::{LARGEST_COORDINATE, UNIT_ROUNDOFF, f32_above, f32_below};
pub use similarity::{Frame, Similarity};
