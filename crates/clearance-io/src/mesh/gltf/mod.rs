//! glTF 2.0, as JSON (`.gltf`) and as GLB: the triangles that the scene shows, placed by its nodes.
//!
//! The scene is the default one, or the first; without scenes it is every node that is no other's
//! child. Triangles, strips and fans are read, points and lines hold no surface. Triangles keep the
//! order in which the scene is walked, depth first. What would change the surface and is not read
//! (skins, morphing, compressed, sparse or instanced data) is an error. Source: glTF 2.0
//! specification, Khronos Group. Cost: one pass over the JSON, each mesh decoded once.

mod data;
mod document;

use super::LoadOptions;
use super::build::{MeshBuilder, Part, missing_vertex};
use super::transform::{UpAxis, affine, turn_to_z};
use crate::scan::check_coordinate;
use crate::{Error, ErrorKind, Place, Result};
use clearance_engine::math::DVec3;
use clearance_engine::{Readable, TriMesh};
use data::{Data, missing};
use document::{Document, Node, Primitive};
use glam::{DAffine3, DMat4, DQuat};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

pub(super) fn read(bytes: &[u8], options: &LoadOptions) -> Result<TriMesh> {
    let (document, binary) = Document::parse(bytes)?;
    let mut data = Data::new(&document, binary, options);
    let mut parts: HashMap<usize, Part> = HashMap::new();
    let mut builder = MeshBuilder::new(options);
    let mut met = vec![false; document.nodes.len()];
    let is_morphed = |weights: &[f64]| weights.iter().any(|&weight| weight != 0.0);
    let morphed: Vec<bool> = document.meshes.iter().map(|mesh| is_morphed(&mesh.weights)).collect();
    let root = turn_to_z(UpAxis::Y, options.up_axis);
    let mut ahead: Vec<_> = roots(&document)?.into_iter().rev().map(|node| (node, root)).collect();
    while let Some((index, mesh_from_parent)) = ahead.pop() {
        let node = document.nodes.get(index).ok_or_else(|| missing("node", index))?;
        let place = Place::Element(format!("node {index}"));
        if std::mem::replace(&mut met[index], true) {
            return Err(Error::new(ErrorKind::Malformed, place, "it stands in the scene twice"));
        }
        let mesh_from_node = mesh_from_parent * parent_from_node(node, &place)?;
        if let Some(mesh) = node.mesh {
            let mesh_morphed = *morphed.get(mesh).ok_or_else(|| missing("mesh", mesh))?;
            check_static(node, mesh_morphed || is_morphed(&node.weights), &place)?;
            let part = match parts.entry(mesh) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(read_part(&document, mesh, &mut data, options)?),
            };
            builder.instance(part, &mesh_from_node, &place)?;
        }
        ahead.extend(node.children.iter().rev().map(|&child| (child, mesh_from_node)));
    }
    builder.finish()
}

/// The nodes that the scene begins with.
fn roots(document: &Document) -> Result<Vec<usize>> {
    if document.scene.is_none() && document.scenes.is_empty() {
        let mut is_child = vec![false; document.nodes.len()];
        for &child in document.nodes.iter().flat_map(|node| &node.children) {
            *is_child.get_mut(child).ok_or_else(|| missing("node", child))? = true;
        }
        return Ok((0..document.nodes.len()).filter(|&node| !is_child[node]).collect());
    }
    let scene = document.scene.unwrap_or(0);
    Ok(document.scenes.get(scene).ok_or_else(|| missing("scene", scene))?.nodes.clone())
}

fn parent_from_node(node: &Node, place: &Place) -> Result<DAffine3> {
    if let Some(columns) = node.matrix {
        return affine(DMat4::from_cols_array(&columns), place);
    }
    let scale = DVec3::from_array(node.scale.unwrap_or([1.0; 3]));
    let rotation = DQuat::from_array(node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]));
    let length = rotation.length();
    // Files round their quaternions to f32 or to a few digits.
    if (length - 1.0).abs() > 1e-3 {
        let reason = format!("its quaternion has length {} instead of 1", Readable(length));
        return Err(Error::new(ErrorKind::Malformed, place.clone(), reason));
    }
    let translation = DVec3::from_array(node.translation.unwrap_or([0.0; 3]));
    Ok(DAffine3::from_scale_rotation_translation(scale, rotation / length, translation))
}

/// Refuses a mesh whose shape depends on more than its vertices and its place.
fn check_static(node: &Node, morphed: bool, place: &Place) -> Result<()> {
    let reason = if node.skin.is_some() {
        "skinned meshes are not read"
    } else if morphed {
        "morphed meshes are not read"
    } else if node.extensions.contains_key("EXT_mesh_gpu_instancing") {
        "meshes repeated by EXT_mesh_gpu_instancing are not read"
    } else {
        return Ok(());
    };
    Err(Error::new(ErrorKind::Unsupported, place.clone(), reason))
}

/// All primitives of a mesh in their order; those that share their positions share vertices.
fn read_part(document: &Document, index: usize, data: &mut Data<'_>, options: &LoadOptions) -> Result<Part> {
    let mesh = document.meshes.get(index).ok_or_else(|| missing("mesh", index))?;
    let mut builder = MeshBuilder::new(options);
    let mut ranges = HashMap::new();
    for (i, primitive) in mesh.primitives.iter().enumerate() {
        let place = Place::Element(format!("primitive {i} of mesh {index}"));
        let Some(&positions) = primitive.attributes.get("POSITION") else { continue };
        let mode = primitive.mode.unwrap_or(4);
        if mode < 4 {
            continue;
        }
        let (first, count) = match ranges.get(&positions) {
            Some(&range) => range,
            None => *ranges.entry(positions).or_insert(read_positions(positions, data, &mut builder)?),
        };
        let corners = read_indices(primitive, first, count, data, &place)?;
        match mode {
            4 => {
                let (triangles, rest) = corners.as_chunks::<3>();
                if !rest.is_empty() {
                    let reason = format!("{} vertices are no whole number of triangles", corners.len());
                    return Err(Error::new(ErrorKind::Malformed, place, reason));
                }
                triangles.iter().try_for_each(|&triangle| builder.triangle(triangle, place.clone()))?;
            }
            5 => builder.strip(&corners, &place)?,
            6 => builder.polygon(&corners, &place)?,
            _ => return Err(Error::new(ErrorKind::Malformed, place, format!("{mode} is no mode of a primitive"))),
        }
    }
    Ok(builder.into_part())
}

/// Adds the vertices of an accessor; returns the first one's index and their number.
fn read_positions(accessor: usize, data: &mut Data<'_>, builder: &mut MeshBuilder) -> Result<(u32, usize)> {
    let first = builder.vertex_count() as u32;
    let rows = data.rows::<3>(accessor, "VEC3")?;
    for (i, row) in rows.iter().enumerate() {
        let place = Place::Element(format!("accessor {accessor}"));
        for &coordinate in row {
            check_coordinate(coordinate, place.clone(), format_args!("a coordinate of vertex {i}"))?;
        }
        builder.vertex(DVec3::from_array(*row), place)?;
    }
    Ok((first, rows.len()))
}

/// The vertices of a primitive; without indices they are its vertices in order.
fn read_indices(p: &Primitive, first: u32, count: usize, data: &mut Data<'_>, place: &Place) -> Result<Vec<u32>> {
    let Some(accessor) = p.indices else { return Ok((0..count as u32).map(|i| first + i).collect()) };
    let rows = data.rows::<1>(accessor, "SCALAR")?;
    let corner = |[value]: &[f64; 1]| {
        if value.fract() == 0.0 && (0.0..count as f64).contains(value) {
            Ok(first + *value as u32)
        } else {
            Err(missing_vertex(value, count, place.clone()))
        }
    };
    rows.iter().map(corner).collect()
}

#[cfg(test)]
mod tests;
