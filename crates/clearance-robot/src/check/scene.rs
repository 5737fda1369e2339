//! What stands around: named objects at poses.

use super::rules::Rules;
use crate::{Error, ErrorKind, Result};
use clearance::Pose;
use clearance::assembly::{Assembly, Pairing};
use clearance::tree::Geometry;
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

/// Objects under a tree that grows and shrinks with them; adding, moving and removing one leaves the others as they are.
///
/// ```
/// use clearance::{Pose, math::DVec3, shape::Cuboid, tree::Solid};
/// use clearance_robot::{Object, Scene};
/// let table = Solid::new(Cuboid::new(DVec3::new(0.5, 0.4, 0.02))?);
/// let mut scene = Scene::default();
/// scene.add(Object { name: "table".into(), geometry: std::sync::Arc::new(table), pose: Pose::IDENTITY })?;
/// scene.set_pose("table", Pose::from_translation(DVec3::Z)?)?;
/// assert_eq!(scene.names().collect::<Vec<_>>(), ["table"]);
/// scene.remove("table")?;
/// assert!(scene.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Scene {
    assembly: Assembly,
    /// By number of the part.
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Scene {
    /// Adds an object; an error if there is one of that name.
    pub fn add(&mut self, object: Object) -> Result<()> {
        if self.numbers.contains_key(&object.name) {
            let reason = format!("the scene has an object '{}' already; give it another name", object.name);
            return Err(Error::new(ErrorKind::Repeated, reason));
        }
        let part = self.assembly.insert(object.geometry, object.pose);
        self.numbers.insert(object.name.clone(), part);
        self.names.push(object.name);
        Ok(())
    }

    /// Moves an object.
    pub fn set_pose(&mut self, name: &str, pose: Pose) -> Result<()> {
        let part = self.part(name)?;
        self.assembly.set_pose(part, pose);
        Ok(())
    }

    /// Takes an object out and returns it, so that a robot may carry it.
    pub fn remove(&mut self, name: &str) -> Result<Object> {
        let part = self.part(name)?;
        self.numbers.remove(name);
        self.assembly.remove(part);
        let (geometry, pose) = (self.assembly.geometry(part).clone(), *self.assembly.pose(part));
        Ok(Object { name: name.to_owned(), geometry, pose })
    }

    fn part(&self, name: &str) -> Result<u32> {
        let unknown = || Error::new(ErrorKind::Unknown, format!("the scene has no object '{name}'"));
        self.numbers.get(name).copied().ok_or_else(unknown)
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The names of all objects, in the order in which they were added.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let there = self.names.iter().enumerate().filter(|(part, _)| self.assembly.contains(*part as u32));
        there.map(|(_, name)| name.as_str())
    }

    /// The name of an object by the number that answers have.
    pub fn name(&self, part: u32) -> &str {
        &self.names[part as usize]
    }

    /// The placed geometries.
    pub fn assembly(&self) -> &Assembly {
        &self.assembly
    }
}

/// A robot's parts against a scene's.
pub(super) struct Outward<'a> {
    pub(super) rules: &'a Rules,
    pub(super) scene: &'a Scene,
}

impl Pairing for Outward<'_> {
    #[inline]
    fn offset(&self, part_a: u32, part_b: u32) -> Option<f64> {
        self.rules.outward(part_a, 0.0, self.scene.name(part_b))
    }

    fn largest_offset(&self) -> f64 {
        self.rules.largest_outward()
    }
}
