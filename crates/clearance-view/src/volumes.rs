//! The bounding volumes of bodies, level by level, to be looked at: spheres of a sphere tree, or oriented
//! boxes.

use crate::{BodyId, Result};
use clearance_engine::math::DVec3;
use clearance_engine::tree::{Geometry, Hierarchy, Mesh, Node, SphereTree};
use clearance_engine::volume::{BoundingSphere, Obb, Volume};
use clearance_engine::{Pose, TriMesh};
use clearance_robot::{Checker, LinkShape};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// Which volumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// Of a sphere tree.
    Spheres,
    /// Of a hierarchy of oriented boxes.
    Boxes,
}

/// The most volumes of one body that are shown.
const MOST: usize = 4096;

/// A sphere has its centre and radius, a box its centre and its three half-edges, all in the body's frame.
type Numbers = Vec<f64>;
/// What belongs to each level, the root's first.
type Levels = Vec<Vec<Numbers>>;

/// Hierarchies that were built to be looked at.
#[derive(Default)]
pub(crate) struct Volumes {
    known: HashMap<Kind, Vec<(BodyId, Levels)>>,
}

impl Volumes {
    /// `{levels, bodies: [{body, volumes}]}`; a body without so many levels has its last one.
    pub(crate) fn answer(
        &mut self,
        checker: &Checker,
        (first_link, objects): &(BodyId, Vec<(String, BodyId)>),
        kind: Kind,
        level: usize,
    ) -> Result<Value> {
        let bodies = match self.known.entry(kind) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(build(checker, *first_link, objects, kind)?),
        };
        let count = bodies.iter().map(|(_, levels)| levels.len()).max().unwrap_or(0);
        let shown = bodies.iter().filter_map(|(body, levels)| {
            let volumes = levels.get(level).or(levels.last())?;
            Some(json!({ "body": body, "volumes": &volumes[..volumes.len().min(MOST)] }))
        });
        Ok(json!({ "levels": count, "bodies": shown.collect::<Vec<_>>() }))
    }
}

/// The hierarchies of all bodies.
fn build(
    checker: &Checker,
    first_link: BodyId,
    objects: &[(String, BodyId)],
    kind: Kind,
) -> Result<Vec<(BodyId, Levels)>> {
    let mut bodies = Vec::new();
    for (i, link) in checker.robot().links().iter().enumerate() {
        let mut levels = Levels::new();
        for geometry in link.geometries() {
            let one = match &geometry.shape {
                LinkShape::Mesh(mesh) => of_mesh(mesh, kind)?,
                shape => match crate::tessellate::link_shape(shape)? {
                    Some(mesh) => vec![vec![around(mesh.bounding_box(), kind)]],
                    None => continue,
                },
            };
            join(&mut levels, one, &geometry.origin, kind);
        }
        bodies.push((first_link + i, levels));
    }
    let scene = checker.scene();
    for (name, body) in objects {
        let part = scene.part(name)?.number();
        bodies.push((*body, of(&**scene.assembly().geometry(part), kind)?));
    }
    Ok(bodies)
}

/// Adds the levels of a part to those of its body; leaves stay at all levels below.
fn join(levels: &mut Levels, part: Levels, body_from_part: &Pose, kind: Kind) {
    let deepest = levels.len().max(part.len());
    let mut joined = Vec::new();
    for level in 0..deepest {
        let of = |levels: &Levels| levels.get(level).or(levels.last()).cloned().unwrap_or_default();
        let mut both = of(levels);
        both.extend(of(&part).iter().map(|numbers| moved(numbers, body_from_part, kind)));
        joined.push(both);
    }
    *levels = joined;
}

fn moved(numbers: &[f64], pose: &Pose, kind: Kind) -> Numbers {
    let vector = |k: usize| DVec3::new(numbers[k], numbers[k + 1], numbers[k + 2]);
    let mut all = pose.transform_point(vector(0)).to_array().to_vec();
    match kind {
        Kind::Spheres => all.push(numbers[3]),
        Kind::Boxes => [3, 6, 9].iter().for_each(|&k| all.extend((*pose.rotation() * vector(k)).to_array())),
    }
    all
}

fn of(geometry: &dyn Geometry, kind: Kind) -> Result<Levels> {
    if let Some(mesh) = (geometry as &dyn std::any::Any).downcast_ref::<Mesh>() {
        return of_mesh(mesh.tri_mesh(), kind);
    }
    let (low, high) = geometry.bounding_box();
    if !(low.is_finite() && high.is_finite()) {
        return Ok(Levels::new());
    }
    Ok(vec![vec![around((low, high), kind)]])
}

/// The volume around a box.
fn around((low, high): (DVec3, DVec3), kind: Kind) -> Numbers {
    let (center, half) = ((low + high) * 0.5, (high - low) * 0.5);
    let [x, y, z] = center.to_array();
    match kind {
        Kind::Spheres => vec![x, y, z, half.length()],
        Kind::Boxes => vec![x, y, z, half.x, 0.0, 0.0, 0.0, half.y, 0.0, 0.0, 0.0, half.z],
    }
}

fn of_mesh(mesh: &Arc<TriMesh>, kind: Kind) -> Result<Levels> {
    match kind {
        Kind::Spheres => {
            let tree: Mesh<SphereTree> = Mesh::new(mesh.clone())?;
            let numbers = |sphere: &BoundingSphere| {
                let [x, y, z] = sphere.center.to_array();
                vec![x, y, z, sphere.radius]
            };
            Ok(tree.hierarchy().levels().iter().map(|level| level.spheres.iter().map(numbers).collect()).collect())
        }
        Kind::Boxes => {
            let tree: Mesh<Obb> = Mesh::new(mesh.clone())?;
            Ok(box_levels(&tree))
        }
    }
}

fn box_levels(tree: &Mesh<Obb>) -> Levels {
    let bvh = tree.hierarchy();
    let numbers = |node: Node| {
        let (volume, frame) = (&bvh.volumes()[bvh.plain(node)], bvh.frame());
        let center = frame.center + volume.center() / frame.scale;
        let (axes, half) = (volume.axis_matrix(), volume.half() / frame.scale);
        let edges = [axes.x_axis * half.x, axes.y_axis * half.y, axes.z_axis * half.z];
        [center].into_iter().chain(edges).flat_map(|vector| vector.to_array()).collect::<Numbers>()
    };
    let (mut levels, mut level) = (Levels::new(), vec![bvh.root()]);
    loop {
        levels.push(level.iter().map(|&node| numbers(node)).collect());
        if level.iter().all(|&node| bvh.is_leaf(node)) {
            return levels;
        }
        let mut below = Vec::new();
        for &node in &level {
            if bvh.is_leaf(node) {
                // A leaf stands for its triangles at all levels below, too.
                below.push(node);
                continue;
            }
            // The children have all triangles of their parent.
            let (child, mut left) = (bvh.children(node), bvh.triangles(node).len());
            for next in (0..).map(child) {
                left -= bvh.triangles(next).len();
                below.push(next);
                if left == 0 {
                    break;
                }
            }
        }
        level = below;
    }
}
