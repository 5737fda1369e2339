//! The one error type of this crate: what the engine or the robot's builder refused.

/// `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Why a scene could not be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A mesh or a pose was refused.
    #[error(transparent)]
    Geometry(#[from] clearance_engine::Error),
    /// The robot or a configuration of it was refused.
    #[error(transparent)]
    Robot(#[from] clearance_robot::Error),
}
