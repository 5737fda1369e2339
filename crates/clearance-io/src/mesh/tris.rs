//! PQP's `.tris`: the number of triangles, then nine coordinates for each, separated by any white
//! space.
//!
//! The format repeats every vertex; equal ones are merged, so that a closed mesh has shared edges.
//! Source: the demos of PQP 1.3 (University of North Carolina). Cost: one pass.

use super::LoadOptions;
use super::build::{MeshBuilder, check_announced};
use crate::scan::Words;
use crate::{Place, Result};
use clearance_engine::TriMesh;
use clearance_engine::math::DVec3;

/// Nine digits and nine separators.
const LEAST_BYTES: usize = 18;

pub(super) fn read(bytes: &[u8], options: &LoadOptions) -> Result<TriMesh> {
    let mut words = Words::new(bytes, 1);
    let count = words.integer::<usize>("the number of triangles")?;
    check_announced(count, "triangles", LEAST_BYTES, words.rest().len(), Place::Line(words.line()))?;
    let mut builder = MeshBuilder::new(options);
    builder.reserve(0, count);
    for triangle in 0..count {
        let mut corners = [0; 3];
        for corner in &mut corners {
            let mut vertex = [0.0; 3];
            for coordinate in &mut vertex {
                *coordinate = words.number(format_args!("a coordinate of triangle {triangle}"))?;
            }
            *corner = builder.merged_vertex(DVec3::from_array(vertex), Place::Line(words.line()))?;
        }
        builder.triangle(corners, Place::Line(words.line()))?;
    }
    words.expect_end("the last triangle")?;
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn parse(text: &str) -> Result<TriMesh> {
        read(text.as_bytes(), &LoadOptions::default())
    }

    #[test]
    fn equal_vertices_are_merged_and_degenerate_triangles_kept() {
        let mesh = parse("3\n0 0 0\n1 0 0\n0 1 0\n\n1 0 0 1 1 0 0 1 0\n5 5 5 5 5 5 5 5 5").unwrap();
        assert_eq!(mesh.triangles(), [[0, 1, 2], [1, 3, 2], [4, 4, 4]]);
    }

    #[test]
    fn coordinates_keep_all_digits() {
        let mesh = parse("1 0.1 0.2 0.3 1.0000000000000002 0 0 0 1 0").unwrap();
        assert_eq!(mesh.vertices()[0], DVec3::new(0.1, 0.2, 0.3));
        assert_eq!(mesh.vertices()[1].x, 1.0 + f64::EPSILON);
    }

    #[test]
    fn errors_name_the_line() {
        let cases = [
            ("2\n0 0 0 1 0 0 0 1 0\n0 0 0 1 0 0 0 1 ", ErrorKind::Truncated, 3),
            ("1\n0 0 0 1 0 0\n0 one 0", ErrorKind::Malformed, 3),
            ("1\n0 0 0 1 0 0\n0 inf 0", ErrorKind::NotFinite, 3),
            ("1\n0 0 0 1 0 0 0 1 0\n7", ErrorKind::Malformed, 3),
            ("-1\n", ErrorKind::Malformed, 1),
            ("\n99999999999\n0 0 0", ErrorKind::Truncated, 2),
        ];
        for (text, kind, line) in cases {
            let error = parse(text).unwrap_err();
            assert_eq!((error.kind(), error.place()), (kind, &Place::Line(line)), "{text:?}: {error}");
        }
        assert_eq!(parse("0").unwrap_err().kind(), ErrorKind::Empty);
    }
}
