//! STL, binary and text.
//!
//! Binary: 80 bytes of anything, a count, 50 bytes per triangle in little-endian `f32`. Text:
//! `solid … endsolid`, one or more times. A binary file may begin with the word `solid` as well; it
//! is one if its size fits its count, or if it holds a zero byte. Normals are skipped (often wrong,
//! even NaN). The format repeats every vertex; equal ones are merged, so that a closed mesh has
//! shared edges. Source: Marshall Burns, Automated Fabrication, section 6.5. Cost: one pass.

use super::LoadOptions;
use super::build::{MeshBuilder, check_announced};
use crate::scan::{Bytes, Endian, Words, check_coordinate};
use crate::{Error, ErrorKind, Place, Result};
use clearance_engine::TriMesh;
use clearance_engine::math::DVec3;

const HEADER_BYTES: usize = 80;
const TRIANGLE_BYTES: usize = 50;

pub(super) fn read(bytes: &[u8], options: &LoadOptions) -> Result<TriMesh> {
    if is_text(bytes) { read_text(bytes, options) } else { read_binary(bytes, options) }
}

fn is_text(bytes: &[u8]) -> bool {
    let first_word = Words::new(bytes, 1).next();
    first_word.is_some_and(|word| word.is("solid")) && !fits_its_count(bytes) && !bytes.contains(&0)
}

/// Whether the file is as large as its count says, if it is binary.
fn fits_its_count(bytes: &[u8]) -> bool {
    let Some(&count) = bytes.get(HEADER_BYTES..).and_then(|rest| rest.first_chunk()) else { return false };
    let announced = (u32::from_le_bytes(count) as usize).saturating_mul(TRIANGLE_BYTES);
    bytes.len() - HEADER_BYTES - count.len() == announced
}

fn read_binary(bytes: &[u8], options: &LoadOptions) -> Result<TriMesh> {
    let mut input = Bytes::new(bytes, 0);
    input.take(HEADER_BYTES, "the header")?;
    let place = input.place();
    let count = u32::from_le_bytes(input.array(Endian::Little, "the number of triangles")?) as usize;
    // A text file without its first word, an HTML page and the like end here as well.
    check_announced(count, "triangles", TRIANGLE_BYTES, input.rest().len(), place)?;
    let mut builder = MeshBuilder::new(options);
    builder.reserve(0, count);
    for triangle in 0..count {
        let place = input.place();
        input.take(12, format_args!("the normal of triangle {triangle}"))?;
        let mut corners = [0; 3];
        for corner in &mut corners {
            let mut vertex = [0.0; 3];
            for coordinate in &mut vertex {
                let place = input.place();
                let what = format_args!("a coordinate of triangle {triangle}");
                let value = f32::from_le_bytes(input.array(Endian::Little, what)?);
                *coordinate = check_coordinate(f64::from(value), place, what)?;
            }
            *corner = builder.merged_vertex(DVec3::from_array(vertex), place.clone())?;
        }
        input.take(2, format_args!("the attribute of triangle {triangle}"))?;
        builder.triangle(corners, place)?;
    }
    input.expect_end(&format!("the {count} triangles that the header announces"))?;
    builder.finish()
}

fn read_text(bytes: &[u8], options: &LoadOptions) -> Result<TriMesh> {
    let mut words = Words::new(bytes, 1);
    let mut builder = MeshBuilder::new(options);
    while let Some(word) = words.next() {
        if !word.is("solid") {
            return Err(word.error("where 'solid' or the end of the file should stand"));
        }
        words.skip_line();
        read_solid(&mut words, &mut builder)?;
    }
    builder.finish()
}

/// Reads the facets up to and with `endsolid`, whose name may be missing.
fn read_solid(words: &mut Words<'_>, builder: &mut MeshBuilder) -> Result<()> {
    loop {
        let word = words.expect("'facet' or 'endsolid'")?;
        if word.is("endsolid") {
            words.skip_line();
            return Ok(());
        }
        if !word.is("facet") {
            return Err(word.error("where 'facet' or 'endsolid' should stand"));
        }
        read_facet(words, builder)?;
    }
}

fn read_facet(words: &mut Words<'_>, builder: &mut MeshBuilder) -> Result<()> {
    let place = Place::Line(words.line());
    words.expect_keyword("normal")?;
    for _ in 0..3 {
        // Only its presence counts: exporters write NaN for degenerate facets.
        let word = words.expect("a component of a normal")?;
        if word.is("outer") {
            return Err(Error::new(ErrorKind::Malformed, place, "a normal with fewer than 3 components"));
        }
    }
    words.expect_keyword("outer")?;
    words.expect_keyword("loop")?;
    let mut corners = [0; 3];
    for corner in &mut corners {
        words.expect_keyword("vertex")?;
        let mut vertex = [0.0; 3];
        for coordinate in &mut vertex {
            *coordinate = words.number("a coordinate")?;
        }
        *corner = builder.merged_vertex(DVec3::from_array(vertex), Place::Line(words.line()))?;
    }
    words.expect_keyword("endloop")?;
    words.expect_keyword("endfacet")?;
    builder.triangle(corners, place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(header: &[u8], triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(HEADER_BYTES, b' ');
        bytes.extend((triangles.len() as u32).to_le_bytes());
        for triangle in triangles {
            bytes.extend([0xff; 12]);
            bytes.extend(triangle.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
            bytes.extend([7, 7]);
        }
        bytes
    }

    const TWO: [[[f32; 3]; 3]; 2] =
        [[[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0.1, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, -0.0]]];

    const TEXT: &str = "solid a b c\n facet normal nan 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 0.1 0 0\n   vertex 0 1 0\n  endloop\n endfacet\nendsolid a b c\n";

    fn parse(bytes: &[u8]) -> Result<TriMesh> {
        read(bytes, &LoadOptions::default())
    }

    #[test]
    fn binary_triangles_keep_their_order_and_share_vertices() {
        for header in [&b"COLOR=rgba"[..], b"solid exported by something", b"solid \0"] {
            let mesh = parse(&binary(header, &TWO)).unwrap();
            assert_eq!(mesh.triangles(), [[0, 1, 2], [1, 2, 2]]);
            assert_eq!(mesh.vertices()[1].x, f64::from(0.1_f32));
        }
    }

    #[test]
    fn text_keeps_all_digits_and_several_solids_are_one_mesh() {
        let mesh = parse(format!("{TEXT}\n{}", TEXT.to_uppercase()).as_bytes()).unwrap();
        assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 1, 2]]);
        assert_eq!(mesh.vertices()[1].x, 0.1);
    }

    #[test]
    fn a_broken_binary_file_names_the_byte() {
        let whole = binary(b"solid \0", &TWO);
        for length in 0..whole.len() {
            let error = parse(&whole[..length]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Truncated, "{length}: {error}");
        }
        let mut lying = whole.clone();
        lying[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(parse(&lying).unwrap_err().place(), &Place::Byte(80));
        lying[80..84].copy_from_slice(&1u32.to_le_bytes());
        let error = parse(&lying).unwrap_err();
        assert_eq!((error.kind(), error.place()), (ErrorKind::Malformed, &Place::Byte(134)), "{error}");
        let mut infinite = whole;
        infinite[100..104].copy_from_slice(&f32::INFINITY.to_le_bytes());
        let error = parse(&infinite).unwrap_err();
        assert_eq!((error.kind(), error.place()), (ErrorKind::NotFinite, &Place::Byte(100)));
    }

    #[test]
    fn padding_after_the_last_triangle_is_no_error() {
        let mut bytes = binary(b"", &TWO);
        bytes.extend([0, 0, b'\n']);
        assert_eq!(parse(&bytes).unwrap().len(), 2);
    }

    #[test]
    fn a_broken_text_file_names_the_line() {
        use ErrorKind::*;
        let cases = [
            ("vertex 0 1 0", "vertex 0 1", Malformed, 7),
            ("vertex 0 1 0", "vertex 0 1 x", Malformed, 6),
            ("vertex 0 1 0", "vertex 0 1 inf", NotFinite, 6),
            ("nan 0 1", "0 1", Malformed, 2),
            ("endsolid", "endsold", Malformed, 9),
            ("endloop", "vertex 0 0 0\nendloop", Malformed, 7),
        ];
        for (from, to, kind, line) in cases {
            let error = parse(TEXT.replace(from, to).as_bytes()).unwrap_err();
            assert_eq!((error.kind(), error.place()), (kind, &Place::Line(line)), "{to}: {error}");
        }
        let end = TEXT.find("endsolid").unwrap();
        for length in 6..end {
            assert!(parse(&TEXT.as_bytes()[..length]).is_err(), "{length}");
        }
        assert_eq!(parse(b"solid nothing\nendsolid\n").unwrap_err().kind(), Empty);
    }
}
