//! What stands around: named objects at poses.

use super::rules::Rules;
use crate::{Error, ErrorKind, Result};
use clearance_engine::Pose;
use clearance_engine::assembly::{Assembly, Pairing, PartId};
use clearance_engine::tree::{Geometry, IntoGeometry, next_revision};
use std::collections::HashMap;
use std::sync::Arc;

/// Something in a scene.
#[derive(Clone)]
pub struct Object {
    /// Its name.
    pub name: String,
    /// What it is.
    pub geometry: Arc<dyn Geometry>,
    /// Its pose in the world.
    pub pose: Pose,
}

/// Objects under a tree that grows and shrinks with them; adding, moving and removing one leaves
/// the others as they are. A removed object leaves nothing behind.
///
/// ```
/// use clearance_engine::{Pose, math::DVec3, shape::Cuboid, tree::Solid};
/// use clearance_robot::{Object, Scene};
/// let table = Solid::new(Cuboid::from_half_extents(DVec3::new(0.5, 0.4, 0.02))?);
/// let mut scene = Scene::default();
/// scene.insert(Object { name: "table".into(), geometry: std::sync::Arc::new(table), pose: Pose::IDENTITY })?;
/// scene.set_pose("table", Pose::from_translation(DVec3::Z)?)?;
/// assert_eq!(scene.names().collect::<Vec<_>>(), ["table"]);
/// scene.remove("table")?;
/// assert!(scene.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Scene {
    assembly: Assembly,
    /// By number of the part; those of removed objects until another one has the number.
    names: Vec<Arc<str>>,
    parts: HashMap<Arc<str>, PartId>,
    /// Changes when objects come or go, not when they move.
    revision: u64,
    /// Changes with that, and when objects move.
    placed: u64,
}

impl std::fmt::Debug for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "'{}', a {}", self.name, self.geometry.kind())
    }
}

impl std::fmt::Debug for Scene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

impl Scene {
    /// A scene without objects.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a shape or geometry at a pose in the world; an error if an object has that name.
    pub fn add(&mut self, name: impl Into<String>, geometry: impl IntoGeometry, pose: Pose) -> Result<()> {
        self.insert(Object { name: name.into(), geometry: geometry.into_geometry(), pose })
    }

    /// Gives an object another geometry, at the same pose; adds it at the world's origin if no
    /// object has that name. For what changes as a whole, such as a voxel map's obstacles.
    ///
    /// ```
    /// use clearance_engine::{Pose, shape::Sphere};
    /// let mut scene = clearance_robot::Scene::new();
    /// scene.add("balloon", Sphere::new(0.1)?, Pose::from_xyz(0.0, 0.0, 1.0)?)?;
    /// scene.replace("balloon", Sphere::new(0.2)?)?;
    /// assert_eq!(scene.pose("balloon")?.translation().z, 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn replace(&mut self, name: impl Into<String>, geometry: impl IntoGeometry) -> Result<()> {
        let name = name.into();
        let pose = if self.parts.contains_key(&*name) { self.remove(&name)?.pose } else { Pose::IDENTITY };
        self.add(name, geometry, pose)
    }

    /// Where an object is in the world.
    pub fn pose(&self, name: &str) -> Result<Pose> {
        self.part(name).map(|part| *self.assembly.pose(part.number()))
    }

    /// A number that no other list of objects has.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// A number that no other objects or poses have.
    pub(super) fn placed(&self) -> u64 {
        self.placed
    }

    /// Adds an object; an error if there is one of that name.
    pub fn insert(&mut self, object: Object) -> Result<()> {
        if self.parts.contains_key(&*object.name) {
            let reason = format!("the scene has an object '{}' already; give it another name", object.name);
            return Err(Error::new(ErrorKind::Repeated, reason));
        }
        let (part, name) = (self.assembly.insert(object.geometry, object.pose), Arc::<str>::from(object.name));
        self.revision = next_revision();
        self.placed = self.revision;
        self.parts.insert(name.clone(), part);
        match self.names.get_mut(part.number() as usize) {
            Some(vacant) => *vacant = name,
            None => self.names.push(name),
        }
        Ok(())
    }

    /// Moves an object.
    pub fn set_pose(&mut self, name: &str, pose: Pose) -> Result<()> {
        let part = self.part(name)?;
        self.assembly.set_pose(part, pose);
        self.placed = next_revision();
        Ok(())
    }

    /// Takes an object out and returns it, so that a robot may carry it.
    pub fn remove(&mut self, name: &str) -> Result<Object> {
        let unknown = || unknown(name);
        let part = self.parts.remove(name).ok_or_else(unknown)?;
        let (geometry, pose) = self.assembly.remove(part).ok_or_else(unknown)?;
        self.revision = next_revision();
        self.placed = self.revision;
        Ok(Object { name: name.to_owned(), geometry, pose })
    }

    /// The part that an object is in the assembly.
    pub fn part(&self, name: &str) -> Result<PartId> {
        self.parts.get(name).copied().ok_or_else(|| unknown(name))
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The names of all objects, in the order in which they were added.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let mut parts: Vec<PartId> = self.assembly.parts().collect();
        parts.sort_unstable();
        parts.into_iter().map(|part| self.name_of(part.number()))
    }

    /// The name of an object of an answer; an error if it was removed since, or is another scene's.
    pub fn name(&self, part: PartId) -> Result<&str> {
        let gone =
            || Error::new(ErrorKind::Unknown, "the object was removed, or belongs to another scene or to a robot");
        if self.assembly.contains(part) { Ok(self.name_of(part.number())) } else { Err(gone()) }
    }

    /// As [`name`](Scene::name), by a number in use.
    #[inline]
    pub(super) fn name_of(&self, number: u32) -> &str {
        &self.names[number as usize]
    }

    /// The placed geometries.
    pub fn assembly(&self) -> &Assembly {
        &self.assembly
    }
}

fn unknown(name: &str) -> Error {
    Error::new(ErrorKind::Unknown, format!("the scene has no object '{name}'"))
}

/// A robot's parts against a scene's.
pub(super) struct Outward<'a> {
    pub(super) rules: &'a Rules,
    pub(super) scene: &'a Scene,
}

impl Pairing for Outward<'_> {
    #[inline]
    fn offset(&self, part_a: u32, part_b: u32) -> Option<f64> {
        self.rules.outward(part_a, 0.0, self.scene.name_of(part_b))
    }

    fn largest_offset(&self) -> f64 {
        self.rules.largest_outward()
    }
}
