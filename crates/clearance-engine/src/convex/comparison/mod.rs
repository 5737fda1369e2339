//! Methods that are here to be compared with, each whole and certified, none of them the fastest: a
//! separating plane as a linear programme, distance over Dobkin and Kirkpatrick's hierarchy,
//! distance as a quadratic programme.

mod hierarchical;
mod linear_programme;
mod quadratic;
mod separating_plane;

pub use hierarchical::hierarchical_distance;
pub use quadratic::quadratic_distance;
pub use separating_plane::separating_plane;
