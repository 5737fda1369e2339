//! What can go wrong.

/// Why a recording could not be made or shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The engine refuses a shape or a pose.
    #[error(transparent)]
    Engine(#[from] clearance_engine::Error),
    /// A robot refuses a configuration.
    #[error(transparent)]
    Robot(#[from] clearance_robot::Error),
    /// The server cannot listen or answer.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// What was recorded does not fit together.
    #[error("{0}")]
    Mismatch(String),
}

/// What may be an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;
