//! Geomview's OFF: a keyword, counts, one vertex a line, one face a line, `#` comments.
//!
//! Variants that add normals, colours or texture coordinates (`NOFF`, `COFF`, `STOFF` and their
//! combinations) put them after the coordinates, so all are read alike. Faces of one or two
//! vertices are legal there and hold no triangle. The keyword may be missing, or run into the
//! counts (`OFF8 6 0`), as some collections have it. Source: Geomview manual, section "OFF Files".
//! Cost: one pass.

use super::LoadOptions;
use super::build::{MeshBuilder, check_announced, missing_vertex};
use crate::scan::{Line, Lines, Word};
use crate::{Error, ErrorKind, Place, Result};
use clearance_engine::TriMesh;
use clearance_engine::math::DVec3;
use std::io::Write as _;
use std::path::Path;

/// Three digits and three separators.
const LEAST_VERTEX_BYTES: usize = 6;
/// One digit and a line end.
const LEAST_FACE_BYTES: usize = 2;

pub(super) fn read(bytes: &[u8], options: &LoadOptions) -> Result<TriMesh> {
    let mut lines = Lines::new(bytes);
    let (vertices, faces) = header(&mut lines)?;
    let mut builder = MeshBuilder::new(options);
    builder.reserve(vertices, faces);
    for _ in 0..vertices {
        read_vertex(next_line(&mut lines, "a vertex")?, &mut builder)?;
    }
    let mut corners = Vec::new();
    for _ in 0..faces {
        read_face(next_line(&mut lines, "a face")?, &mut corners, &mut builder)?;
    }
    if let Some(word) = lines.find_map(|line| line.words().next()) {
        return Err(word.error("stands after the last face that the header announces"));
    }
    builder.finish()
}

/// Reads the keyword and the counts of vertices and faces; the count of edges is of no use and may
/// be missing.
fn header(lines: &mut Lines<'_>) -> Result<(usize, usize)> {
    let line = next_line(lines, "the header")?;
    let mut words = line.words().peekable();
    let mut counts: Vec<Word<'_>> = Vec::new();
    if let Some(word) = words.next_if(|word| !word.text[0].is_ascii_digit()) {
        counts.extend(after_keyword(word)?);
    }
    if words.peek().is_some_and(|word| word.is("BINARY")) {
        return Err(Error::new(ErrorKind::Unsupported, Place::Line(line.number), "binary OFF is not read"));
    }
    counts.extend(words);
    let mut number = line.number;
    if counts.is_empty() {
        let line = next_line(lines, "the counts of vertices and faces")?;
        number = line.number;
        counts.extend(line.words());
    }
    let [vertices, faces, ..] = counts[..] else {
        let reason = "the counts of vertices and faces should stand here";
        return Err(Error::new(ErrorKind::Malformed, Place::Line(number), reason));
    };
    let (vertices, faces) = (vertices.integer("a count of vertices")?, faces.integer("a count of faces")?);
    let rest = lines.rest().len();
    check_announced(vertices, "vertices", LEAST_VERTEX_BYTES, rest, Place::Line(number))?;
    check_announced(faces, "faces", LEAST_FACE_BYTES, rest, Place::Line(number))?;
    Ok((vertices, faces))
}

/// Checks a keyword such as `STCNOFF` and returns the digits that may stick to it.
fn after_keyword(word: Word<'_>) -> Result<Option<Word<'_>>> {
    let end = word.text.iter().position(u8::is_ascii_digit).unwrap_or(word.text.len());
    let (keyword, digits) = word.text.split_at(end);
    let prefix = keyword.strip_suffix(b"OFF").ok_or_else(|| word.error("where 'OFF' should stand"))?;
    let prefix = prefix.strip_prefix(b"ST").unwrap_or(prefix);
    let prefix = prefix.strip_prefix(b"C").unwrap_or(prefix);
    let prefix = prefix.strip_prefix(b"N").unwrap_or(prefix);
    if !prefix.is_empty() {
        return Err(word.error("is no OFF variant with three coordinates"));
    }
    Ok((!digits.is_empty()).then_some(Word { text: digits, line: word.line }))
}

/// The next line that holds a word.
fn next_line<'a>(lines: &mut Lines<'a>, what: &str) -> Result<Line<'a>> {
    let found = lines.find(|line| line.words().next().is_some());
    found.ok_or_else(|| {
        let reason = format!("the file ends where {what} should follow");
        Error::new(ErrorKind::Truncated, Place::Line(lines.number()), reason)
    })
}

fn read_vertex(line: Line<'_>, builder: &mut MeshBuilder) -> Result<()> {
    let place = Place::Line(line.number);
    let mut words = line.words();
    let mut vertex = [0.0; 3];
    for (i, coordinate) in vertex.iter_mut().enumerate() {
        let word = words.next().ok_or_else(|| {
            let reason = format!("a vertex with {i} coordinates instead of 3");
            Error::new(ErrorKind::Malformed, place.clone(), reason)
        })?;
        *coordinate = word.number("a coordinate")?;
    }
    builder.vertex(DVec3::from_array(vertex), place)?;
    Ok(())
}

fn read_face(line: Line<'_>, corners: &mut Vec<u32>, builder: &mut MeshBuilder) -> Result<()> {
    let place = Place::Line(line.number);
    let mut words = line.words();
    let Some(first) = words.next() else { return Ok(()) };
    let count = first.integer::<usize>("a count of vertices")?;
    if count == 0 {
        return Err(first.error("is no count of vertices"));
    }
    corners.clear();
    for i in 0..count {
        let word = words.next().ok_or_else(|| {
            let reason = format!("a face with {i} vertices instead of {count}");
            Error::new(ErrorKind::Malformed, place.clone(), reason)
        })?;
        let index = word.integer::<u32>("the number of a vertex")?;
        if index as usize >= builder.vertex_count() {
            return Err(missing_vertex(index, builder.vertex_count(), place));
        }
        corners.push(index);
    }
    builder.polygon(corners, &place)
}

/// Writes `mesh` as an OFF file that [`load_mesh`](crate::load_mesh) reads back to the last bit.
pub fn write_off(path: &Path, mesh: &TriMesh) -> Result<()> {
    let write = || {
        let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
        writeln!(file, "OFF\n{} {} 0", mesh.vertices().len(), mesh.len())?;
        for vertex in mesh.vertices() {
            writeln!(file, "{} {} {}", vertex.x, vertex.y, vertex.z)?;
        }
        for [a, b, c] in mesh.triangles() {
            writeln!(file, "3 {a} {b} {c}")?;
        }
        file.flush()
    };
    write().map_err(|error| Error::io(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<TriMesh> {
        read(text.as_bytes(), &LoadOptions::default())
    }

    #[test]
    fn all_spellings_of_the_header_give_the_same_mesh() {
        let body = "0 0 0\n1 0 0\n1 1 0 # a comment\n\n0 1 0\n4 0 1 2 3\n";
        let expected = parse(&format!("OFF\n4 1 0\n{body}")).unwrap();
        assert_eq!(expected.triangles(), [[0, 1, 2], [0, 2, 3]]);
        for header in
            ["OFF 4 1 0", "OFF4 1 0", "4 1 0", "# c\n\nOFF # c\n# d\n4 1", "\u{feff}OFF\r\n4 1 4", "NOFF\n4 1 0"]
        {
            assert_eq!(parse(&format!("{header}\n{body}")).unwrap(), expected, "{header}");
        }
    }

    #[test]
    fn colours_and_normals_are_skipped() {
        let text = "STCNOFF\n3 1 0\n0 0 0 0 0 1 255 0 0 255 .5 .5\n1 0 0 0 0 1 1 1 1 1 0 0\n0 1 0 0 0 1 1 1 1 1 0 0\n3 0 1 2 0.5 0.5 0.5\n";
        let mesh = parse(text).unwrap();
        assert_eq!(mesh.vertices(), [DVec3::ZERO, DVec3::X, DVec3::Y]);
        assert_eq!(mesh.len(), 1);
    }

    #[test]
    fn faces_of_one_or_two_corners_hold_no_triangle_and_degenerate_ones_stay() {
        let mesh = parse("OFF\n3 4 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n3 0 0 1\n1 2\n3 0 1 2\n").unwrap();
        assert_eq!(mesh.triangles(), [[0, 0, 1], [0, 1, 2]]);
    }

    #[test]
    fn errors_name_the_line() {
        use ErrorKind::*;
        let cases = [
            ("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n", Truncated, 6),
            ("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", OutOfRange, 6),
            ("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1\n", Malformed, 6),
            ("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", Malformed, 6),
            ("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n0\n", Malformed, 6),
            ("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 1 2\n", Malformed, 7),
            ("OFF\n3 1 0\n0 0 0\n1 0\n0 1 0\n3 0 1 2\n", Malformed, 4),
            ("OFF\n3 1 0\n0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n", NotFinite, 4),
            ("OFF\n99999999999999 1 0\n0 0 0\n", Truncated, 2),
            ("OFF\n18446744073709551615 18446744073709551615 0\n", Truncated, 2),
            ("OFF\n3\n0 0 0\n", Malformed, 2),
            ("4OFF\n", Malformed, 1),
            ("nOFF\n3\n", Malformed, 1),
            ("OFF BINARY\n", Unsupported, 1),
            ("<html>\n", Malformed, 1),
        ];
        for (text, kind, line) in cases {
            let error = parse(text).unwrap_err();
            assert_eq!((error.kind(), error.place()), (kind, &Place::Line(line)), "{text:?}: {error}");
        }
        assert_eq!(parse("OFF\n0 0 0\n").unwrap_err().kind(), Empty);
    }

    #[test]
    fn a_written_mesh_is_read_back_to_the_last_bit() {
        let vertices = vec![DVec3::new(0.1, -1.0 / 3.0, 1e-300), DVec3::new(1e22, 5e-324, -0.0), DVec3::splat(1e99)];
        let mesh = TriMesh::new(vertices, vec![[0, 1, 2], [2, 2, 0]]).unwrap();
        let path = std::env::temp_dir().join(format!("clearance-io-round-trip-{}.off", std::process::id()));
        write_off(&path, &mesh).unwrap();
        let read = crate::load_mesh(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read, mesh);
    }
}
