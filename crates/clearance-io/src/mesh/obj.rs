//! Wavefront OBJ: vertices and faces; faces become fans, everything that holds no surface is
//! skipped.
//!
//! Indices count from 1, or from the last vertex backwards if negative. Lines, points, groups,
//! materials, normals and texture coordinates are skipped, so a missing material file is no
//! problem. Statements that hold surfaces in another way (free-form patches, included files) and
//! words that are no statement at all are errors: a part of the mesh would be missing. A `\` at a
//! line's end joins it with the next one. Source: "Object Files (.obj)", Alias|Wavefront Advanced
//! Visualizer manual, appendix B1. Cost: one pass.

use super::LoadOptions;
use super::build::{MeshBuilder, missing_vertex};
use crate::scan::{Line, Lines, Word};
use crate::{Error, ErrorKind, Place, Result};
use clearance_engine::TriMesh;
use clearance_engine::math::DVec3;

/// Statements without surfaces: attributes, curves, grouping and display.
const SKIPPED: [&str; 33] = [
    "vt",
    "vn",
    "vp",
    "l",
    "p",
    "g",
    "s",
    "o",
    "mg",
    "usemtl",
    "mtllib",
    "usemap",
    "maplib",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
    "ctech",
    "stech",
    "curv",
    "curv2",
    "cstype",
    "deg",
    "bmat",
    "step",
    "parm",
    "trim",
    "hole",
    "scrv",
    "sp",
    "con",
];
/// Statements that hold or fetch surfaces in a way that is not read here.
const REFUSED: [&str; 8] = ["surf", "call", "csh", "bzp", "bsp", "cdp", "cdc", "res"];

pub(super) fn read(bytes: &[u8], options: &LoadOptions) -> Result<TriMesh> {
    let mut reader = Reader { builder: MeshBuilder::new(options), corners: Vec::new(), ahead: None };
    let mut lines = Lines::new(bytes);
    let mut joined = Vec::new();
    while let Some(line) = lines.next() {
        match continued(line) {
            None => reader.statement(line)?,
            Some(start) => {
                joined.clear();
                joined.extend_from_slice(start);
                join(&mut joined, &mut lines);
                reader.statement(Line { text: &joined, number: line.number })?;
            }
        }
    }
    reader.finish()
}

/// The line without its final `\`, if it has one; a comment never goes on.
fn continued(line: Line<'_>) -> Option<&[u8]> {
    if line.text.contains(&b'#') { None } else { line.text.trim_ascii_end().strip_suffix(b"\\") }
}

/// Appends the following lines up to the first that does not go on.
fn join(joined: &mut Vec<u8>, lines: &mut Lines<'_>) {
    for line in lines {
        joined.push(b' ');
        match continued(line) {
            Some(part) => joined.extend_from_slice(part),
            None => return joined.extend_from_slice(line.text),
        }
    }
}

struct Reader {
    builder: MeshBuilder,
    corners: Vec<u32>,
    /// The largest index that pointed beyond the vertices read before it, and its line: legal if
    /// they follow.
    ahead: Option<(u32, usize)>,
}

impl Reader {
    fn statement(&mut self, line: Line<'_>) -> Result<()> {
        let mut words = line.words();
        let Some(keyword) = words.next() else { return Ok(()) };
        match keyword.text {
            b"v" => self.vertex(line.number, words),
            b"f" | b"fo" => self.face(line.number, words),
            text if is_one_of(text, &SKIPPED) || text == b"end" => Ok(()),
            text if is_one_of(text, &REFUSED) => {
                let reason = format!("the statement '{}' is not read", String::from_utf8_lossy(text));
                Err(Error::new(ErrorKind::Unsupported, Place::Line(line.number), reason))
            }
            _ => Err(keyword.error("is no statement of an OBJ file")),
        }
    }

    fn vertex<'a>(&mut self, line: usize, mut words: impl Iterator<Item = Word<'a>>) -> Result<()> {
        let mut vertex = [0.0; 3];
        for (coordinate, name) in vertex.iter_mut().zip(["x", "y", "z"]) {
            let word = words.next().ok_or_else(|| {
                Error::new(ErrorKind::Malformed, Place::Line(line), format!("a vertex without {name}"))
            })?;
            *coordinate = word.number(format_args!("the {name} of a vertex"))?;
        }
        self.builder.vertex(DVec3::from_array(vertex), Place::Line(line))?;
        Ok(())
    }

    fn face<'a>(&mut self, line: usize, words: impl Iterator<Item = Word<'a>>) -> Result<()> {
        self.corners.clear();
        for word in words {
            let corner = self.corner(word)?;
            self.corners.push(corner);
        }
        if self.corners.len() < 3 {
            let reason = format!("a face with {} vertices, which needs 3", self.corners.len());
            return Err(Error::new(ErrorKind::Malformed, Place::Line(line), reason));
        }
        self.builder.polygon(&self.corners, &Place::Line(line))
    }

    /// The index from 0 of `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    fn corner(&mut self, word: Word<'_>) -> Result<u32> {
        let mut parts = word.text.split(|&byte| byte == b'/');
        let vertex = parts.next().unwrap_or_default();
        let mut attributes = 0;
        for part in parts {
            attributes += 1;
            if attributes > 2 || !(part.is_empty() || Word { text: part, ..word }.integer::<i64>("").is_ok()) {
                return Err(word.error("is no vertex of a face (v, v/vt, v//vn or v/vt/vn)"));
            }
        }
        let count = self.builder.vertex_count();
        let given = Word { text: vertex, ..word }.integer::<i64>("the number of a vertex")?;
        let index = if given < 0 { given.saturating_add_unsigned(count as u64) } else { given - 1 };
        let index = u32::try_from(index).map_err(|_| missing_vertex(given, count, Place::Line(word.line)))?;
        if index as usize >= count && self.ahead.is_none_or(|(largest, _)| index > largest) {
            self.ahead = Some((index, word.line));
        }
        Ok(index)
    }

    fn finish(self) -> Result<TriMesh> {
        let count = self.builder.vertex_count();
        match self.ahead {
            Some((index, line)) if index as usize >= count => {
                Err(missing_vertex(u64::from(index) + 1, count, Place::Line(line)))
            }
            _ => self.builder.finish(),
        }
    }
}

fn is_one_of(text: &[u8], keywords: &[&str]) -> bool {
    keywords.iter().any(|keyword| keyword.as_bytes() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<TriMesh> {
        read(text.as_bytes(), &LoadOptions::default())
    }

    const QUAD: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

    #[test]
    fn polygons_become_fans_in_file_order() {
        let mesh = parse(&format!("{QUAD}f 1 2 3 4\nf 4 3 2\n")).unwrap();
        assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3], [3, 2, 1]]);
    }

    #[test]
    fn negative_indices_count_from_the_last_vertex_so_far() {
        let mesh = parse("v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3 -2 -1\nv 0 1 0\nf -4/1 -2//2 -1/3/4\n").unwrap();
        assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn faces_may_stand_before_their_vertices() {
        assert_eq!(parse(&format!("f 1 2 4\n{QUAD}")).unwrap().triangles(), [[0, 1, 3]]);
    }

    #[test]
    fn coordinates_keep_all_digits_and_further_numbers_are_skipped() {
        let mesh = parse("v 0.1 1.0000000000000002 -3e-7 1 0.5 0.5 0.5\nv\t1 0 0\r\nv 0 1 0\rf 1 2 3").unwrap();
        assert_eq!(mesh.vertices()[0], DVec3::new(0.1, 1.0 + f64::EPSILON, -3e-7));
    }

    #[test]
    fn what_holds_no_surface_is_skipped_and_degenerate_faces_are_not() {
        let text = format!(
            "# caf\u{e9} \\\nmtllib missing.mtl\no thing\n{QUAD}vn 0 0 1\nvt 0 0\ng a b\nusemtl red\ns off\nl 1 2 3\np 4\nf 1 1 2 # c\nf 1 2 3\n"
        );
        assert_eq!(parse(&text).unwrap().triangles(), [[0, 0, 1], [0, 1, 2]]);
        let mut latin1 = b"g caf\xe9\n".to_vec();
        latin1.extend_from_slice(text.as_bytes());
        assert_eq!(read(&latin1, &LoadOptions::default()).unwrap().len(), 2);
    }

    #[test]
    fn a_backslash_joins_lines_and_errors_still_name_the_first() {
        let mesh = parse(&format!("{QUAD}f 1 \\\n2 \\\r\n 3\n")).unwrap();
        assert_eq!(mesh.triangles(), [[0, 1, 2]]);
        let error = parse(&format!("{QUAD}f 1 \\\n2 x\n")).unwrap_err();
        assert_eq!(error.place(), &Place::Line(5));
        assert!(parse(&format!("{QUAD}f 1 2 3\\")).is_ok(), "a join at the end of the file joins nothing");
    }

    #[test]
    fn errors_name_the_line() {
        use ErrorKind::*;
        let cases = [
            ("f 1 2 5\n", OutOfRange),
            ("f 1 2 0\n", OutOfRange),
            ("f -5 2 3\n", OutOfRange),
            ("f 1 2 99999999999\n", OutOfRange),
            ("f 1 2 -9223372036854775808\n", OutOfRange),
            ("f 1 2\n", Malformed),
            ("f\n", Malformed),
            ("f 1 2 3.5\n", Malformed),
            ("f 1 2 /3\n", Malformed),
            ("f 1 2 3/1/1/1\n", Malformed),
            ("f 1 2 3/x\n", Malformed),
            ("v 1 2\n", Malformed),
            ("v 1 2 3,5\n", Malformed),
            ("v 1 2 nan\n", NotFinite),
            ("v 1 2 -inf\n", NotFinite),
            ("ff 1 2 3\n", Malformed),
            ("surf 0 1 0 1 1 2 3\n", Unsupported),
            ("\0\0\0\n", Malformed),
        ];
        for (text, kind) in cases {
            let error = parse(&format!("{QUAD}{text}f 1 2 3\n")).unwrap_err();
            assert_eq!((error.kind(), error.place()), (kind, &Place::Line(5)), "{text:?}: {error}");
        }
        assert_eq!(parse(QUAD).unwrap_err().kind(), Empty);
    }
}
