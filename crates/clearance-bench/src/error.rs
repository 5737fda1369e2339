//! What can go wrong in a race.

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Our own engine refused a mesh, a pose or a request.
    #[error(transparent)]
    Engine(#[from] clearance_engine::Error),
    /// A file of the data folder cannot be read as a mesh.
    #[error(transparent)]
    Mesh(#[from] clearance_io::Error),
    /// A robot's file, or a question about it.
    #[error(transparent)]
    Robot(#[from] clearance_robot::Error),
    /// The built-in scene.
    #[error(transparent)]
    Scene(#[from] clearance_scene::Error),
    /// A file or a pipe.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Anything else, in words.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// An error in words.
    pub fn other(message: impl Into<String>) -> Self {
        Self::Other(message.into())
    }
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
