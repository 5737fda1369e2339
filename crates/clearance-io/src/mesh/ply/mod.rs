//! Stanford PLY: text and binary of both byte orders.
//!
//! `vertex` (x, y, z), `face` (a list called `vertex_indices` or `vertex_index`, fans) and
//! `tristrips` (the same list, -1 begins a new strip) are read; other elements and properties are
//! stepped over. In text a row is a line. Source: Greg Turk, "The PLY Polygon File Format", 1994.
//! Cost: one pass.

mod header;

use super::LoadOptions;
use super::build::{MeshBuilder, check_announced, missing_vertex};
use crate::scan::{Bytes, Endian, Lines, Words, check_coordinate, quoted};
use crate::{Error, ErrorKind, Place, Result};
use clearance_engine::TriMesh;
use clearance_engine::math::DVec3;
use header::{Element, Header, Scalar};

pub(super) fn read(bytes: &[u8], options: &LoadOptions) -> Result<TriMesh> {
    let mut builder = MeshBuilder::new(options);
    read_elements(bytes, |element, vertices, rows| match &element.name[..] {
        b"vertex" => {
            builder.reserve(element.count, 0);
            read_vertices(element, rows, |vertex, place| builder.vertex(vertex, place).map(|_| ()))
        }
        b"face" => read_faces(element, vertices, rows, &mut builder),
        b"tristrips" => read_strips(element, vertices, rows, &mut builder),
        _ => rows.skip(element),
    })?;
    builder.finish()
}

/// The vertices alone, whatever else the file holds.
pub(crate) fn read_points(bytes: &[u8]) -> Result<Vec<DVec3>> {
    let mut points = Vec::new();
    read_elements(bytes, |element, _, rows| match &element.name[..] {
        b"vertex" => read_vertices(element, rows, |point, _| {
            points.push(point);
            Ok(())
        }),
        _ => rows.skip(element),
    })?;
    Ok(points)
}

/// Hands the elements of a file out in turn, with the number of vertices and the rows, which `read`
/// must step over.
fn read_elements(bytes: &[u8], mut read: impl FnMut(&Element, usize, &mut Rows<'_>) -> Result<()>) -> Result<()> {
    let mut lines = Lines::new(bytes);
    let header = Header::parse(&mut lines)?;
    let mut rows = match header.binary {
        Some(endian) => Rows::Binary(Bytes::new(bytes, bytes.len() - lines.rest().len()), endian),
        None => Rows::Text(lines),
    };
    let vertices = header.elements.iter().find(|element| element.name == b"vertex").map_or(0, |element| element.count);
    for element in header.elements.iter().filter(|element| !element.properties.is_empty()) {
        let least = element.least_bytes(header.binary.is_none());
        let what = format!("rows of '{}'", quoted(&element.name));
        check_announced(element.count, &what, least, rows.bytes_left(), Place::Line(element.line))?;
        read(element, vertices, &mut rows)?;
    }
    rows.expect_end()
}

fn read_vertices(
    element: &Element,
    rows: &mut Rows<'_>,
    mut take: impl FnMut(DVec3, Place) -> Result<()>,
) -> Result<()> {
    let mut columns = [0; 3];
    for (column, name) in columns.iter_mut().zip(["x", "y", "z"]) {
        let found = element.position(&[name.as_bytes()]).filter(|&i| element.properties[i].length.is_none());
        *column = found.ok_or_else(|| missing_property(element, name))?;
    }
    let mut row = Row::default();
    for _ in 0..element.count {
        let place = rows.read(element, None, &mut row)?;
        let mut vertex = [0.0; 3];
        for (coordinate, column) in vertex.iter_mut().zip(columns) {
            *coordinate = check_coordinate(row.values[column], place.clone(), "a coordinate")?;
        }
        take(DVec3::from_array(vertex), place)?;
    }
    Ok(())
}

fn read_faces(element: &Element, vertices: usize, rows: &mut Rows<'_>, builder: &mut MeshBuilder) -> Result<()> {
    let column = index_list(element)?;
    builder.reserve(0, element.count);
    let mut row = Row::default();
    let mut corners = Vec::new();
    for _ in 0..element.count {
        let place = rows.read(element, Some(column), &mut row)?;
        if row.list.len() < 3 {
            let reason = format!("a face with {} vertices, which needs 3", row.list.len());
            return Err(Error::new(ErrorKind::Malformed, place, reason));
        }
        corners.clear();
        for &value in &row.list {
            corners.push(vertex_index(value, vertices, &place)?);
        }
        builder.polygon(&corners, &place)?;
    }
    Ok(())
}

fn read_strips(element: &Element, vertices: usize, rows: &mut Rows<'_>, builder: &mut MeshBuilder) -> Result<()> {
    let column = index_list(element)?;
    let mut row = Row::default();
    let mut corners = Vec::new();
    for _ in 0..element.count {
        let place = rows.read(element, Some(column), &mut row)?;
        for strip in row.list.split(|&value| value == -1.0) {
            corners.clear();
            for &value in strip {
                corners.push(vertex_index(value, vertices, &place)?);
            }
            builder.strip(&corners, &place)?;
        }
    }
    Ok(())
}

/// The column with the indices of a face's or strip's vertices.
fn index_list(element: &Element) -> Result<usize> {
    let found = element.position(&[b"vertex_indices", b"vertex_index"]);
    let found = found.filter(|&column| element.properties[column].length.is_some());
    found.ok_or_else(|| missing_property(element, "list vertex_indices"))
}

fn missing_property(element: &Element, name: &str) -> Error {
    let reason = format!("the element '{}' has no property '{name}'", quoted(&element.name));
    Error::new(ErrorKind::Malformed, Place::Line(element.line), reason)
}

fn vertex_index(value: f64, vertices: usize, place: &Place) -> Result<u32> {
    // Every number that a PLY file can hold is exact in f64, indices too.
    if value.fract() == 0.0 && (0.0..vertices.min(u32::MAX as usize) as f64).contains(&value) {
        return Ok(value as u32);
    }
    Err(missing_vertex(value, vertices, place.clone()))
}

/// The data behind the header, row by row.
enum Rows<'a> {
    Text(Lines<'a>),
    Binary(Bytes<'a>, Endian),
}

/// The numbers of one row, not checked yet: colours and normals may well be NaN.
#[derive(Default)]
struct Row {
    /// One per property; of no meaning for lists.
    values: Vec<f64>,
    /// The items of the list that was asked for.
    list: Vec<f64>,
}

impl Rows<'_> {
    fn bytes_left(&self) -> usize {
        match self {
            Self::Text(lines) => lines.rest().len(),
            Self::Binary(bytes, _) => bytes.rest().len(),
        }
    }

    /// Reads a row with the items of the list in column `list`, and returns where it begins.
    fn read(&mut self, element: &Element, list: Option<usize>, row: &mut Row) -> Result<Place> {
        match self {
            Self::Text(lines) => {
                let line = lines.find(|line| !line.text.trim_ascii().is_empty()).ok_or_else(|| {
                    let reason = format!("the file ends where a row of '{}' should follow", quoted(&element.name));
                    Error::new(ErrorKind::Truncated, Place::Line(lines.number()), reason)
                })?;
                let mut words = Words::new(line.text, line.number);
                let place = Place::Line(line.number);
                row.fill(element, list, &place, |_| text_value(&mut words))?;
                words.expect_end("the last value of its row")?;
                Ok(place)
            }
            Self::Binary(bytes, endian) => {
                let place = bytes.place();
                row.fill(element, list, &place, |scalar| binary_value(bytes, *endian, scalar))?;
                Ok(place)
            }
        }
    }

    fn skip(&mut self, element: &Element) -> Result<()> {
        let mut row = Row::default();
        (0..element.count).try_for_each(|_| self.read(element, None, &mut row).map(|_| ()))
    }

    fn expect_end(&mut self) -> Result<()> {
        let complete = "the rows that the header announces";
        match self {
            Self::Text(lines) => Words::new(lines.rest(), lines.number()).expect_end(complete),
            Self::Binary(bytes, _) => bytes.expect_end(complete),
        }
    }
}

impl Row {
    /// Takes the values of a row from `next`. A list's length is not trusted: it ends with the data
    /// at the latest.
    fn fill(
        &mut self,
        element: &Element,
        list: Option<usize>,
        place: &Place,
        mut next: impl FnMut(Scalar) -> Result<f64>,
    ) -> Result<()> {
        self.values.clear();
        self.list.clear();
        for (column, property) in element.properties.iter().enumerate() {
            let Some(length) = property.length else {
                self.values.push(next(property.item)?);
                continue;
            };
            self.values.push(0.0);
            let length = next(length)?;
            if !(length >= 0.0 && length <= f64::from(u32::MAX) && length.fract() == 0.0) {
                let reason = format!("{length} is no length of a list");
                return Err(Error::new(ErrorKind::Malformed, place.clone(), reason));
            }
            for _ in 0..length as u32 {
                let value = next(property.item)?;
                if list == Some(column) {
                    self.list.push(value);
                }
            }
        }
        Ok(())
    }
}

fn text_value(words: &mut Words<'_>) -> Result<f64> {
    let line = words.line();
    let word = words.next().ok_or_else(|| {
        Error::new(ErrorKind::Malformed, Place::Line(line), "the row has fewer values than the header announces")
    })?;
    let parsed = std::str::from_utf8(word.text).ok().and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| word.error("is not a number"))
}

fn binary_value(bytes: &mut Bytes<'_>, endian: Endian, scalar: Scalar) -> Result<f64> {
    let what = "a value of a row";
    Ok(match scalar {
        Scalar::I8 => f64::from(i8::from_le_bytes(bytes.array(endian, what)?)),
        Scalar::U8 => f64::from(u8::from_le_bytes(bytes.array(endian, what)?)),
        Scalar::I16 => f64::from(i16::from_le_bytes(bytes.array(endian, what)?)),
        Scalar::U16 => f64::from(u16::from_le_bytes(bytes.array(endian, what)?)),
        Scalar::I32 => f64::from(i32::from_le_bytes(bytes.array(endian, what)?)),
        Scalar::U32 => f64::from(u32::from_le_bytes(bytes.array(endian, what)?)),
        Scalar::F32 => f64::from(f32::from_le_bytes(bytes.array(endian, what)?)),
        Scalar::F64 => f64::from_le_bytes(bytes.array(endian, what)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(bytes: &[u8]) -> Result<TriMesh> {
        read(bytes, &LoadOptions::default())
    }

    const HEADER: &str = "ply\nformat ascii 1.0\ncomment made by hand\nobj_info x\nelement vertex 4\nproperty float nx\nproperty double x\nproperty double y\nproperty float z\nelement face 2\nproperty uchar flag\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n";
    const ROWS: &str = "nan 0 0 0\n0 0.1 0 0\n\n0 1 1 0\n0 0 1 0\n7 4 0 1 2 3 0\n7 3 0 0 1 2 0.5 nan\n";

    /// The mesh of `HEADER` and `ROWS` in binary.
    fn binary(endian: Endian) -> Vec<u8> {
        fn push<const N: usize>(bytes: &mut Vec<u8>, mut value: [u8; N], endian: Endian) {
            if endian == Endian::Big {
                value.reverse();
            }
            bytes.extend(value);
        }
        let name = if endian == Endian::Big { "binary_big_endian" } else { "binary_little_endian" };
        let mut bytes = HEADER.replace("ascii", name).into_bytes();
        for [x, y, z] in [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0_f64]] {
            push(&mut bytes, f32::NAN.to_le_bytes(), endian);
            push(&mut bytes, x.to_le_bytes(), endian);
            push(&mut bytes, y.to_le_bytes(), endian);
            push(&mut bytes, (z as f32).to_le_bytes(), endian);
        }
        for face in [&[0, 1, 2, 3][..], &[0, 0, 1]] {
            bytes.extend([7, face.len() as u8]);
            face.iter().for_each(|index: &i32| push(&mut bytes, index.to_le_bytes(), endian));
            bytes.push(1);
            push(&mut bytes, f32::NAN.to_le_bytes(), endian);
        }
        bytes
    }

    #[test]
    fn text_and_both_byte_orders_give_the_same_mesh() {
        let mesh = parse(format!("{HEADER}{ROWS}").as_bytes()).unwrap();
        assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3], [0, 0, 1]]);
        assert_eq!(mesh.vertices()[1], DVec3::new(0.1, 0.0, 0.0));
        assert_eq!(parse(&binary(Endian::Little)).unwrap(), mesh);
        assert_eq!(parse(&binary(Endian::Big)).unwrap(), mesh);
        assert_eq!(parse(format!("{HEADER}{ROWS}").replace('\n', "\r\n").as_bytes()).unwrap(), mesh);
    }

    #[test]
    fn faces_may_stand_before_vertices_and_other_elements_are_stepped_over() {
        let text = "ply\nformat ascii 1.0\nelement face 1\nproperty list int uint vertex_index\nelement edge 2\nproperty int a\nelement nothing 99999999999\nelement vertex 3\nproperty int x\nproperty int y\nproperty int z\nend_header\n3 0 1 2\n5\n6\n0 0 0\n1 0 0\n0 1 0\n";
        assert_eq!(parse(text.as_bytes()).unwrap().triangles(), [[0, 1, 2]]);
    }

    #[test]
    fn strips_begin_anew_at_minus_one() {
        let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty int x\nproperty int y\nproperty int z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n8 0 1 2 3 -1 3 2 1\n";
        assert_eq!(parse(text.as_bytes()).unwrap().triangles(), [[0, 1, 2], [2, 1, 3], [3, 2, 1]]);
    }

    #[test]
    fn a_truncated_binary_file_is_an_error_at_every_length() {
        let whole = binary(Endian::Little);
        let end = b"end_header\n";
        let rows = end.len() + whole.windows(end.len()).position(|bytes| bytes == end).unwrap();
        for length in 0..whole.len() {
            let error = parse(&whole[..length]).unwrap_err();
            assert!(length < rows || error.kind() == ErrorKind::Truncated, "{length}: {error}");
        }
        let error = parse(&[&whole[..], b"x"].concat()).unwrap_err();
        assert_eq!((error.kind(), error.place()), (ErrorKind::Malformed, &Place::Byte(whole.len())));
    }

    #[test]
    fn a_lying_list_length_is_an_error_at_a_byte() {
        let mut bytes = binary(Endian::Little);
        let face = bytes.len() - 19 - 23;
        assert_eq!(bytes[face..face + 2], [7, 4]);
        bytes[face + 1] = 255;
        assert!(matches!(parse(&bytes).unwrap_err().place(), Place::Byte(_)));
        bytes[face + 1] = 2;
        assert!(matches!(parse(&bytes).unwrap_err().place(), Place::Byte(byte) if *byte == face));
    }

    #[test]
    fn errors_name_the_line() {
        use ErrorKind::*;
        let cases = [
            ("ply\nformat", "plyx\nformat", Malformed, 1),
            ("ascii", "binary", Malformed, 2),
            ("format ascii 1.0\n", "", Malformed, 13),
            ("element vertex 4", "element vertex 4000000000", Truncated, 5),
            ("element vertex 4", "element vertex 18446744073709551615", Truncated, 5),
            ("element vertex 4", "element vertex -4", Malformed, 5),
            ("element vertex 4\n", "", Malformed, 5),
            ("element face", "element vertex", Malformed, 10),
            ("property double y", "property double why", Malformed, 5),
            ("property double y", "property list int int y", Malformed, 5),
            ("property double y", "property real y", Malformed, 8),
            ("property double y", "property double", Malformed, 8),
            ("vertex_indices", "vertices", Malformed, 10),
            ("list uchar int", "list float int", Malformed, 12),
            ("0 0.1 0 0", "0 0.1 0", Malformed, 16),
            ("0 0.1 0 0", "0 0.1 0 0 0", Malformed, 16),
            ("0 0.1 0 0", "0 0.1 0 inf", NotFinite, 16),
            ("0 0.1 0 0", "0 0.1 0 a", Malformed, 16),
            ("7 4 0 1 2 3 0", "7 4 0 1 2 4 0", OutOfRange, 20),
            ("7 4 0 1 2 3 0", "7 4 0 1 2 -1 0", OutOfRange, 20),
            ("7 4 0 1 2 3 0", "7 4 0 1 2 1.5 0", OutOfRange, 20),
            ("7 4 0 1 2 3 0", "7 2 0 1 0", Malformed, 20),
            ("7 4 0 1 2 3 0", "7 -4 0", Malformed, 20),
            ("7 4 0 1 2 3 0", "7 inf 0", Malformed, 20),
            ("7 3 0 0 1 2 0.5 nan\n", "", Truncated, 21),
            ("7 3 0 0 1 2 0.5 nan\n", "7 3 0 0 1 2 0.5 nan\n1\n", Malformed, 22),
        ];
        for (from, to, kind, line) in cases {
            let error = parse(format!("{HEADER}{ROWS}").replacen(from, to, 1).as_bytes()).unwrap_err();
            assert_eq!((error.kind(), error.place()), (kind, &Place::Line(line)), "{to}: {error}");
        }
    }
}
