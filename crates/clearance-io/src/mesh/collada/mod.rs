//! Collada 1.4 and 1.5: the geometry that the visual scene shows, placed by its nodes.
//!
//! Nodes may be nested, repeated by `instance_node`, and carry `matrix`, `translate`, `rotate` and `scale` in any order.
//! The unit is applied and the upward axis is not, unless [`LoadOptions`] say otherwise. Triangles keep the order in which
//! the scene is walked, depth first, and each geometry's own order within. What would change the surface and is not read
//! (controllers, `lookat`, `skew`, holes in polygons, splines, links to other files) is an error.
//! Source: COLLADA 1.4.1 specification, Khronos Group. Cost: one pass over the XML, each geometry parsed once.

mod geometry;
mod lines;

use super::build::{MeshBuilder, Part};
use super::transform::{UpAxis, affine, turn_to_z};
use super::{LoadOptions, UnitPolicy};
use crate::{Error, ErrorKind, LineTable, Place, Result};
use clearance::TriMesh;
use clearance::math::DVec3;
use glam::{DAffine3, DMat4, DQuat};
use roxmltree::{Document, Node};
use std::collections::HashMap;
use std::rc::Rc;

/// Deeper scenes are refused: they refer to themselves.
const DEEPEST: usize = 128;
/// How many nodes a scene may show: nodes that repeat each other multiply without a triangle being made.
const MOST_NODES: usize = 1 << 20;

pub(super) fn read(bytes: &[u8], options: &LoadOptions) -> Result<TriMesh> {
    // Only numbers and names between links matter, and those compare equal after any replacement.
    let text = String::from_utf8_lossy(bytes);
    let document = Document::parse(&text).map_err(|error| {
        let kind = if bytes.is_empty() { ErrorKind::Truncated } else { ErrorKind::Malformed };
        Error::new(kind, Place::Line(error.pos().row as usize), format!("no well-formed XML: {error}"))
    })?;
    let file = File::new(&document, &text);
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        let reason = format!("the outermost element is '{}' instead of 'COLLADA'", root.tag_name().name());
        return Err(file.error(ErrorKind::Malformed, root, reason));
    }
    let scene = file.visual_scene(root)?;
    let mesh_from_scene = file.mesh_from_scene(root, options)?;
    let builder = MeshBuilder::new(options);
    let mut walk = Walk { file: &file, options, builder, parts: HashMap::new(), nodes: 0 };
    walk.children(scene, &mesh_from_scene, 0)?;
    walk.builder.finish()
}

/// The parsed file with what it takes to follow links and to name places.
struct File<'a> {
    by_id: HashMap<&'a str, Node<'a, 'a>>,
    lines: LineTable,
}

impl<'a> File<'a> {
    fn new(document: &'a Document<'a>, text: &str) -> Self {
        let mut by_id = HashMap::new();
        for node in document.descendants() {
            if let Some(id) = node.attribute("id") {
                by_id.entry(id).or_insert(node);
            }
        }
        Self { by_id, lines: LineTable::new(text) }
    }

    fn place(&self, node: Node<'_, '_>) -> Place {
        Place::Line(self.lines.line(node.range().start))
    }

    fn error(&self, kind: ErrorKind, node: Node<'_, '_>, reason: impl Into<String>) -> Error {
        Error::new(kind, self.place(node), reason)
    }

    /// The element that the attribute `name` of `node` links to; it must be called one of `expected`.
    fn follow(&self, node: Node<'a, 'a>, name: &str, expected: &[&str]) -> Result<Node<'a, 'a>> {
        let tag = node.tag_name().name();
        let link = node.attribute(name).ok_or_else(|| {
            self.error(ErrorKind::Malformed, node, format!("the element '{tag}' has no attribute '{name}'"))
        })?;
        let Some(id) = link.strip_prefix('#') else {
            return Err(self.error(ErrorKind::Unsupported, node, format!("'{link}' links out of the file")));
        };
        let found = self.by_id.get(id).filter(|target| expected.contains(&target.tag_name().name()));
        found.copied().ok_or_else(|| {
            self.error(ErrorKind::OutOfRange, node, format!("no {} has the id '{id}'", expected.join(" or ")))
        })
    }

    /// The scene that is shown: the one named by `scene`, or else the first one.
    fn visual_scene(&self, root: Node<'a, 'a>) -> Result<Node<'a, 'a>> {
        let shown = children(root, "scene").flat_map(|scene| children(scene, "instance_visual_scene")).next();
        if let Some(instance) = shown {
            return self.follow(instance, "url", &["visual_scene"]);
        }
        let first =
            children(root, "library_visual_scenes").flat_map(|library| children(library, "visual_scene")).next();
        first.ok_or_else(|| self.error(ErrorKind::Empty, root, "no visual scene: nothing is shown"))
    }

    /// The scale to metres and the turn of the upward axis, as far as they are wanted.
    fn mesh_from_scene(&self, root: Node<'a, 'a>, options: &LoadOptions) -> Result<DAffine3> {
        let in_asset = |name| children(root, "asset").flat_map(move |asset| children(asset, name)).next();
        let mut metres = 1.0;
        if let Some(unit) = in_asset("unit")
            && let Some(text) = unit.attribute("meter")
            && options.unit == UnitPolicy::Apply
        {
            let parsed = text.trim().parse::<f64>().ok().filter(|metres| metres.is_finite() && *metres > 0.0);
            metres = parsed
                .ok_or_else(|| self.error(ErrorKind::Malformed, unit, format!("'{text}' is no length of a unit")))?;
        }
        let up = match in_asset("up_axis") {
            None => UpAxis::Y,
            Some(axis) => match axis.text().unwrap_or_default().trim() {
                "X_UP" => UpAxis::X,
                "Y_UP" => UpAxis::Y,
                "Z_UP" => UpAxis::Z,
                other => {
                    return Err(self.error(ErrorKind::Malformed, axis, format!("'{other}' is no upward axis")));
                }
            },
        };
        Ok(turn_to_z(up, options.up_axis) * DAffine3::from_scale(DVec3::splat(metres)))
    }

    /// The product of a node's transforms, in the order in which they stand.
    fn parent_from_node(&self, node: Node<'a, 'a>) -> Result<DAffine3> {
        let mut product = DAffine3::IDENTITY;
        for element in node.children() {
            let next = match element.tag_name().name() {
                "matrix" => affine(DMat4::from_cols_array(&self.numbers(element)?).transpose(), &self.place(element))?,
                "translate" => DAffine3::from_translation(DVec3::from_array(self.numbers(element)?)),
                "scale" => DAffine3::from_scale(DVec3::from_array(self.numbers(element)?)),
                "rotate" => {
                    let [x, y, z, degrees] = self.numbers(element)?;
                    match DVec3::new(x, y, z).try_normalize() {
                        Some(axis) => DAffine3::from_quat(DQuat::from_axis_angle(axis, degrees.to_radians())),
                        None if degrees == 0.0 => continue,
                        None => return Err(self.error(ErrorKind::Malformed, element, "a rotation about no axis")),
                    }
                }
                tag @ ("lookat" | "skew") => {
                    return Err(self.error(
                        ErrorKind::Unsupported,
                        element,
                        format!("the transform '{tag}' is not read"),
                    ));
                }
                _ => continue,
            };
            product *= next;
        }
        Ok(product)
    }

    /// The numbers of an element that must have exactly `N`.
    fn numbers<const N: usize>(&self, element: Node<'a, 'a>) -> Result<[f64; N]> {
        let mut numbers = [0.0; N];
        let mut count = 0;
        for word in self.words(element) {
            let value = word.number("a number of a transform")?;
            if let Some(number) = numbers.get_mut(count) {
                *number = value;
            }
            count += 1;
        }
        if count == N {
            return Ok(numbers);
        }
        let reason = format!("'{}' holds {count} numbers instead of {N}", element.tag_name().name());
        Err(self.error(ErrorKind::Malformed, element, reason))
    }
}

fn children<'a>(node: Node<'a, 'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.tag_name().name() == name)
}

/// The walk through the scene, which collects the mesh.
struct Walk<'a, 'b> {
    file: &'b File<'a>,
    options: &'b LoadOptions,
    builder: MeshBuilder,
    /// Geometries met before, by where they begin in the file.
    parts: HashMap<usize, Rc<Part>>,
    nodes: usize,
}

impl<'a> Walk<'a, '_> {
    /// Adds what the children of a scene or node show.
    fn children(&mut self, parent: Node<'a, 'a>, mesh_from_parent: &DAffine3, depth: usize) -> Result<()> {
        for child in parent.children() {
            match child.tag_name().name() {
                "node" => self.node(child, mesh_from_parent, depth + 1)?,
                "instance_node" => {
                    let target = self.file.follow(child, "url", &["node"])?;
                    self.node(target, mesh_from_parent, depth + 1)?;
                }
                "instance_geometry" => self.geometry(child, mesh_from_parent)?,
                "instance_controller" => {
                    let reason = "geometry moved by a controller is not read";
                    return Err(self.file.error(ErrorKind::Unsupported, child, reason));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn node(&mut self, node: Node<'a, 'a>, mesh_from_parent: &DAffine3, depth: usize) -> Result<()> {
        self.nodes += 1;
        if depth > DEEPEST || self.nodes > MOST_NODES {
            let reason = format!("nodes are nested deeper than {DEEPEST}, repeated too often, or hold themselves");
            return Err(self.file.error(ErrorKind::TooLarge, node, reason));
        }
        let mesh_from_node = *mesh_from_parent * self.file.parent_from_node(node)?;
        self.children(node, &mesh_from_node, depth)
    }

    fn geometry(&mut self, instance: Node<'a, 'a>, mesh_from_node: &DAffine3) -> Result<()> {
        let geometry = self.file.follow(instance, "url", &["geometry"])?;
        let key = geometry.range().start;
        let part = match self.parts.get(&key) {
            Some(part) => Rc::clone(part),
            None => {
                let part = Rc::new(geometry::read(self.file, geometry, self.options)?);
                self.parts.insert(key, Rc::clone(&part));
                part
            }
        };
        self.builder.instance(&part, mesh_from_node, &self.file.place(instance))
    }
}

#[cfg(test)]
mod tests;
