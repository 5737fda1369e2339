//! Collada 1.4 and 1.5: the geometry that the visual scene shows, placed by its nodes.
//!
//! Nodes may be nested, repeated by `instance_node`, and carry `matrix`, `translate`, `rotate` and
//! `scale` in any order. The unit is applied and the upward axis is not, unless [`LoadOptions`] say
//! otherwise. Triangles keep the order in which the scene is walked, depth first, and each
//! geometry's own order within. What would change the surface and is not read (controllers,
//! `lookat`, `skew`, holes in polygons, splines, links to other files) is an error. Source: COLLADA
//! 1.4.1 specification, Khronos Group. Cost: one pass over the XML, each geometry parsed once.

mod geometry;
mod lines;

use super::build::{MeshBuilder, Part};
use super::transform::{UpAxis, affine, turn_to_z};
use super::{LoadOptions, UnitPolicy};
use crate::{Error, ErrorKind, LineTable, Place, Result, xml_excess};
use clearance_engine::TriMesh;
use clearance_engine::math::DVec3;
use glam::{DAffine3, DMat4, DQuat};
use roxmltree::{Document, Node};
use std::collections::HashMap;
use std::rc::Rc;

/// Deeper scenes are refused: they refer to themselves.
const DEEPEST: usize = 128;
/// How many nodes and geometries a scene may show beyond those that the file has: nodes that repeat
/// each other multiply without a triangle being made.
const MAX_REPEATED: usize = 1 << 20;

pub(super) fn read(bytes: &[u8], options: &LoadOptions) -> Result<TriMesh> {
    // Only numbers and names between links matter, and those compare equal after any replacement.
    let text = String::from_utf8_lossy(bytes);
    if let Some((line, reason)) = xml_excess(&text) {
        return Err(Error::new(ErrorKind::TooLarge, Place::Line(line), reason));
    }
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
    let (parts, known, arrays) = (HashMap::new(), HashMap::new(), Arrays::new());
    let mut walk = Walk { file: &file, options, builder, parts, known, arrays, shown: 0 };
    let items = file.items(scene)?;
    walk.show(&items, &mesh_from_scene, 0)?;
    walk.builder.finish()
}

/// The parsed file with what it takes to follow links and to name places.
struct File<'a> {
    by_id: HashMap<&'a str, Node<'a, 'a>>,
    lines: LineTable,
    /// How many elements and texts there are.
    count: usize,
}

/// Arrays of numbers met before, by where they begin in the file.
type Arrays = HashMap<usize, Rc<Vec<f64>>>;

/// A node with its links followed and its numbers read, so that repeating it costs no more than to
/// show its items.
struct Placed<'a> {
    parent_from_node: DAffine3,
    items: Vec<Item<'a>>,
}

/// What a scene or node shows, and where the file says so.
enum Item<'a> {
    Node(Node<'a, 'a>),
    Geometry(Node<'a, 'a>, Place),
}

impl<'a> File<'a> {
    fn new(document: &'a Document<'a>, text: &str) -> Self {
        let mut by_id = HashMap::new();
        let mut count = 0;
        for node in document.descendants() {
            count += 1;
            if let Some(id) = node.attribute("id") {
                by_id.entry(id).or_insert(node);
            }
        }
        Self { by_id, lines: LineTable::new(text), count }
    }

    fn place(&self, node: Node<'_, '_>) -> Place {
        Place::Line(self.lines.line(node.range().start))
    }

    fn error(&self, kind: ErrorKind, node: Node<'_, '_>, reason: impl Into<String>) -> Error {
        Error::new(kind, self.place(node), reason)
    }

    /// The element that the attribute `name` of `node` links to; it must be called one of
    /// `expected`.
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

    /// What the children of a scene or node show.
    fn items(&self, parent: Node<'a, 'a>) -> Result<Vec<Item<'a>>> {
        let mut items = Vec::new();
        for child in parent.children() {
            match child.tag_name().name() {
                "node" => items.push(Item::Node(child)),
                "instance_node" => items.push(Item::Node(self.follow(child, "url", &["node"])?)),
                "instance_geometry" => {
                    items.push(Item::Geometry(self.follow(child, "url", &["geometry"])?, self.place(child)));
                }
                "instance_controller" => {
                    let reason = "geometry moved by a controller is not read";
                    return Err(self.error(ErrorKind::Unsupported, child, reason));
                }
                _ => {}
            }
        }
        Ok(items)
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
    /// Geometries and nodes met before, by where they begin in the file.
    parts: HashMap<usize, Rc<Part>>,
    known: HashMap<usize, Rc<Placed<'a>>>,
    arrays: Arrays,
    /// How many nodes and geometries were shown.
    shown: usize,
}

impl<'a> Walk<'a, '_> {
    /// Adds what a scene or node shows.
    fn show(&mut self, items: &[Item<'a>], mesh_from_parent: &DAffine3, depth: usize) -> Result<()> {
        for item in items {
            self.shown += 1;
            match item {
                Item::Node(node) => self.node(*node, mesh_from_parent, depth + 1)?,
                Item::Geometry(geometry, place) => self.geometry(*geometry, place, mesh_from_parent)?,
            }
        }
        Ok(())
    }

    fn node(&mut self, node: Node<'a, 'a>, mesh_from_parent: &DAffine3, depth: usize) -> Result<()> {
        if depth > DEEPEST {
            let reason = format!("nodes are nested deeper than {DEEPEST}, or hold themselves");
            return Err(self.file.error(ErrorKind::TooLarge, node, reason));
        }
        self.check_repeated(&self.file.place(node))?;
        let key = node.range().start;
        let placed = match self.known.get(&key) {
            Some(placed) => Rc::clone(placed),
            None => {
                let parent_from_node = self.file.parent_from_node(node)?;
                let placed = Rc::new(Placed { parent_from_node, items: self.file.items(node)? });
                self.known.insert(key, Rc::clone(&placed));
                placed
            }
        };
        self.show(&placed.items, &(*mesh_from_parent * placed.parent_from_node), depth)
    }

    /// An error where nodes that repeat each other have shown more than any file needs.
    fn check_repeated(&self, place: &Place) -> Result<()> {
        if self.shown <= self.file.count + MAX_REPEATED {
            return Ok(());
        }
        let reason = format!("nodes that repeat others show more than {MAX_REPEATED} nodes and geometries");
        Err(Error::new(ErrorKind::TooLarge, place.clone(), reason))
    }

    fn geometry(&mut self, geometry: Node<'a, 'a>, place: &Place, mesh_from_node: &DAffine3) -> Result<()> {
        self.check_repeated(place)?;
        let key = geometry.range().start;
        let part = match self.parts.get(&key) {
            Some(part) => Rc::clone(part),
            None => {
                let part = Rc::new(geometry::read(self.file, geometry, &mut self.arrays, self.options)?);
                self.parts.insert(key, Rc::clone(&part));
                part
            }
        };
        self.builder.instance(&part, mesh_from_node, place)
    }
}

#[cfg(test)]
mod tests;
