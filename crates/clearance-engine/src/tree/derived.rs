//! What queries derive from a mesh on first use and keep with it.

use crate::TriMesh;
use crate::math::DVec3;
use crate::shape::component_points;
use std::any::Any;
use std::sync::{Arc, OnceLock};

/// The triangles of a mesh under any hierarchy.
#[derive(Debug, Clone, Copy)]
pub struct MeshView<'m> {
    /// The triangles.
    pub tri_mesh: &'m Arc<TriMesh>,
    /// Whether the mesh was declared solid, so that it is closed.
    pub is_solid: bool,
    /// What queries derived from the triangles.
    pub derived: &'m Derived,
    pub(super) components: &'m OnceLock<Vec<DVec3>>,
}

impl<'m> MeshView<'m> {
    /// One vertex of each connected component, computed on first use.
    pub fn component_points(&self) -> &'m [DVec3] {
        self.components.get_or_init(|| component_points(self.tri_mesh))
    }
}

/// A value that is derived once from a geometry; clones made later share it.
///
/// ```
/// use clearance_engine::tree::Derived;
/// let derived = Derived::default();
/// assert_eq!(*derived.get_or_init(|| 42_u32), 42);
/// assert_eq!(*derived.clone().get_or_init(|| 7_u32), 42);
/// derived.keep(7_u32);
/// assert_eq!(derived.get::<u32>().as_deref(), Some(&42));
/// ```
#[derive(Clone, Default)]
pub struct Derived(OnceLock<Arc<dyn Any + Send + Sync>>);

impl Derived {
    /// The value; `make` makes it on first use. A value of another type is made for the caller
    /// alone.
    pub fn get_or_init<T: Any + Send + Sync>(&self, make: impl Fn() -> T) -> Arc<T> {
        let made = self.0.get_or_init(|| Arc::new(make())).clone();
        made.downcast().unwrap_or_else(|_| Arc::new(make()))
    }

    /// The value, if one of this type was made.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.0.get().and_then(|made| made.clone().downcast().ok())
    }

    /// Keeps a value that was made before, unless there is one.
    pub fn keep<T: Any + Send + Sync>(&self, value: T) {
        self.0.get_or_init(|| Arc::new(value));
    }
}

impl std::fmt::Debug for Derived {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.get().is_some() { "Derived" } else { "Derived on demand" })
    }
}
