//! One Collada `geometry`: positions from its sources, triangles from its primitives.

use super::{Arrays, File, children};
use crate::mesh::LoadOptions;
use crate::mesh::build::{MeshBuilder, Part, missing_vertex};
use crate::{Error, ErrorKind, Result};
use clearance_engine::math::DVec3;
use roxmltree::Node;
use std::collections::HashMap;
use std::rc::Rc;

/// Reads all primitives of a geometry, in their order.
pub(super) fn read<'a>(
    file: &File<'a>,
    geometry: Node<'a, 'a>,
    arrays: &mut Arrays,
    options: &LoadOptions,
) -> Result<Part> {
    let mesh = children(geometry, "mesh").next().ok_or_else(|| {
        let reason = "only geometry that holds a 'mesh' is read";
        file.error(ErrorKind::Unsupported, geometry, reason)
    })?;
    let mut reader = Reader { file, arrays, builder: MeshBuilder::new(options), sources: HashMap::new() };
    for primitive in mesh.children().filter(Node::is_element) {
        match primitive.tag_name().name() {
            "triangles" => reader.triangles(primitive)?,
            "polylist" => reader.polylist(primitive)?,
            "polygons" | "trifans" | "tristrips" => reader.one_per_list(primitive)?,
            // Lines hold no surface; the rest is data for the primitives.
            _ => {}
        }
    }
    Ok(reader.builder.into_part())
}

struct Reader<'a, 'b> {
    file: &'b File<'a>,
    arrays: &'b mut Arrays,
    builder: MeshBuilder,
    /// The range of vertices made from each source of positions, by where that, or the `vertices`
    /// that lead to it, begin in the file.
    sources: HashMap<usize, Vertices>,
}

/// A run of vertices in the builder.
#[derive(Debug, Clone, Copy)]
struct Vertices {
    first: u32,
    count: usize,
}

/// How the numbers of an index list are to be taken.
#[derive(Debug, Clone, Copy)]
struct Layout {
    vertices: Vertices,
    /// Which of each `stride` numbers is the vertex.
    offset: usize,
    stride: usize,
}

impl<'a> Reader<'a, '_> {
    fn triangles(&mut self, primitive: Node<'a, 'a>) -> Result<()> {
        let Some(layout) = self.layout(primitive)? else { return Ok(()) };
        let mut triangles = 0;
        for list in children(primitive, "p") {
            let place = self.file.place(list);
            let corners = self.indices(list, layout)?;
            let (whole, rest) = corners.as_chunks::<3>();
            if !rest.is_empty() {
                let reason = format!("{} vertices are no whole number of triangles", corners.len());
                return Err(Error::new(ErrorKind::Malformed, place, reason));
            }
            triangles += whole.len();
            whole.iter().try_for_each(|&triangle| self.builder.triangle(triangle, place.clone()))?;
        }
        self.check_count(primitive, triangles)
    }

    fn polylist(&mut self, primitive: Node<'a, 'a>) -> Result<()> {
        let Some(layout) = self.layout(primitive)? else { return Ok(()) };
        let place = self.file.place(primitive);
        let mut corners = Vec::new();
        for list in children(primitive, "p") {
            corners.extend(self.indices(list, layout)?);
        }
        let mut rest = &corners[..];
        let mut polygons = 0;
        for word in children(primitive, "vcount").flat_map(|list| self.file.words(list)) {
            let count = word.integer::<usize>("a count of vertices")?;
            let Some((polygon, after)) = rest.split_at_checked(count) else {
                return Err(word.error(&format!("vertices are counted, but only {} are left", rest.len())));
            };
            if count < 3 {
                return Err(word.error("vertices make no polygon"));
            }
            self.builder.polygon(polygon, &place)?;
            rest = after;
            polygons += 1;
        }
        if !rest.is_empty() {
            let reason = format!("{} vertices belong to no polygon", rest.len());
            return Err(Error::new(ErrorKind::Malformed, place, reason));
        }
        self.check_count(primitive, polygons)
    }

    /// Polygons, fans and strips: each list is one of them.
    fn one_per_list(&mut self, primitive: Node<'a, 'a>) -> Result<()> {
        if let Some(hole) = children(primitive, "ph").next() {
            return Err(self.file.error(ErrorKind::Unsupported, hole, "polygons with holes are not read"));
        }
        let Some(layout) = self.layout(primitive)? else { return Ok(()) };
        let mut lists = 0;
        for list in children(primitive, "p") {
            let place = self.file.place(list);
            let corners = self.indices(list, layout)?;
            if corners.len() < 3 {
                let reason = format!("{} vertices make no triangle", corners.len());
                return Err(Error::new(ErrorKind::Malformed, place, reason));
            }
            match primitive.tag_name().name() {
                "tristrips" => self.builder.strip(&corners, &place)?,
                _ => self.builder.polygon(&corners, &place)?,
            }
            lists += 1;
        }
        self.check_count(primitive, lists)
    }

    /// Compares what was read with what the primitive announces.
    fn check_count(&self, primitive: Node<'a, 'a>, found: usize) -> Result<()> {
        let announced = self.count(primitive, "count", found)?;
        if announced == found {
            return Ok(());
        }
        let kind = if found < announced { ErrorKind::Truncated } else { ErrorKind::Malformed };
        let reason = format!("'{}' announces {announced} and holds {found}", primitive.tag_name().name());
        Err(self.file.error(kind, primitive, reason))
    }

    /// A whole number in an attribute.
    fn count(&self, node: Node<'a, 'a>, name: &str, default: usize) -> Result<usize> {
        let Some(text) = node.attribute(name) else { return Ok(default) };
        text.trim().parse().map_err(|_| {
            self.file.error(ErrorKind::Malformed, node, format!("the attribute '{name}' is '{text}', no count"))
        })
    }

    /// The indices from the primitive's inputs; `None` for a primitive without data.
    fn layout(&mut self, primitive: Node<'a, 'a>) -> Result<Option<Layout>> {
        if children(primitive, "p").next().is_none() {
            self.check_count(primitive, 0)?;
            return Ok(None);
        }
        let mut stride = 1;
        let mut found = None;
        for input in children(primitive, "input") {
            let offset = self.count(input, "offset", 0)?;
            stride = stride.max(offset.saturating_add(1));
            if input.attribute("semantic") == Some("VERTEX") {
                found = Some((input, offset));
            }
        }
        let (input, offset) = found
            .ok_or_else(|| self.file.error(ErrorKind::Malformed, primitive, "the primitive has no input 'VERTEX'"))?;
        let vertices = self.vertices(input)?;
        Ok(Some(Layout { vertices, offset, stride }))
    }

    /// The vertices of a `VERTEX` input, through `vertices` to the source of positions.
    fn vertices(&mut self, input: Node<'a, 'a>) -> Result<Vertices> {
        let target = self.file.follow(input, "source", &["vertices", "source"])?;
        if let Some(&known) = self.sources.get(&target.range().start) {
            return Ok(known);
        }
        let source = if target.tag_name().name() == "source" {
            target
        } else {
            let position = children(target, "input").find(|input| input.attribute("semantic") == Some("POSITION"));
            let position = position.ok_or_else(|| {
                self.file.error(ErrorKind::Malformed, target, "the vertices have no input 'POSITION'")
            })?;
            self.file.follow(position, "source", &["source"])?
        };
        let key = source.range().start;
        let vertices = match self.sources.get(&key) {
            Some(&known) => known,
            None => self.positions(source)?,
        };
        self.sources.extend([(key, vertices), (target.range().start, vertices)]);
        Ok(vertices)
    }

    /// Adds the vertices of a source.
    fn positions(&mut self, source: Node<'a, 'a>) -> Result<Vertices> {
        let accessor = children(source, "technique_common").flat_map(|node| children(node, "accessor")).next();
        let accessor = accessor
            .ok_or_else(|| self.file.error(ErrorKind::Malformed, source, "the source of positions has no accessor"))?;
        let array = self.file.follow(accessor, "source", &["float_array", "int_array"])?;
        let numbers = self.numbers(array)?;
        let count = self.count(accessor, "count", 0)?;
        let stride = self.count(accessor, "stride", 1)?;
        let offset = self.count(accessor, "offset", 0)?;
        let columns = coordinate_columns(accessor);
        let widest = columns.iter().max().map_or(0, |column| column + 1);
        let needed = count.checked_sub(1).map_or(Some(0), |last| {
            last.checked_mul(stride).and_then(|n| n.checked_add(offset)).and_then(|n| n.checked_add(widest))
        });
        if widest > stride || needed.is_none_or(|needed| needed > numbers.len()) {
            let reason = format!(
                "{count} positions, {stride} apart from {offset} on, do not fit into an array of {}",
                numbers.len()
            );
            return Err(self.file.error(ErrorKind::OutOfRange, accessor, reason));
        }
        let place = self.file.place(array);
        let first = self.builder.vertex_count() as u32;
        for vertex in 0..count {
            let start = offset + vertex * stride;
            let [x, y, z] = columns.map(|column| numbers[start + column]);
            self.builder.vertex(DVec3::new(x, y, z), place.clone())?;
        }
        Ok(Vertices { first, count })
    }

    /// The numbers of an array, which several sources may refer to.
    fn numbers(&mut self, array: Node<'a, 'a>) -> Result<Rc<Vec<f64>>> {
        let key = array.range().start;
        if let Some(known) = self.arrays.get(&key) {
            return Ok(Rc::clone(known));
        }
        let mut numbers = Vec::new();
        for word in self.file.words(array) {
            numbers.push(word.number("a coordinate")?);
        }
        self.check_count(array, numbers.len())?;
        let numbers = Rc::new(numbers);
        self.arrays.insert(key, Rc::clone(&numbers));
        Ok(numbers)
    }

    /// The vertices that a list of indices names.
    fn indices(&self, list: Node<'a, 'a>, layout: Layout) -> Result<Vec<u32>> {
        let mut corners = Vec::new();
        let mut within = 0;
        for word in self.file.words(list) {
            let index = word.integer::<u32>("an index")?;
            if within == layout.offset {
                if index as usize >= layout.vertices.count {
                    return Err(missing_vertex(index, layout.vertices.count, crate::Place::Line(word.line)));
                }
                corners.push(layout.vertices.first + index);
            }
            within = (within + 1) % layout.stride;
        }
        if within != 0 {
            let reason = format!("the indices are no whole number of groups of {}", layout.stride);
            return Err(self.file.error(ErrorKind::Malformed, list, reason));
        }
        Ok(corners)
    }
}

/// Where the parameters X, Y and Z stand; the first three where they have no such names.
fn coordinate_columns(accessor: Node<'_, '_>) -> [usize; 3] {
    let column = |name, default| {
        let mut parameters = accessor.children().filter(|child| child.tag_name().name() == "param");
        parameters.position(|parameter| parameter.attribute("name") == Some(name)).unwrap_or(default)
    };
    [column("X", 0), column("Y", 1), column("Z", 2)]
}
