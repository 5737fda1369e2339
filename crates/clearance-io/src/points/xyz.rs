//! Points as text: a line each, three numbers and perhaps more.
//!
//! Numbers stand between white space, commas or semicolons; what follows the third is stepped over.
//! A `#` begins a comment; the first line may name the columns. Cost: one pass.

use crate::scan::{Lines, Word};
use crate::{Error, ErrorKind, Place, Result};
use clearance_engine::math::DVec3;

pub(super) fn read(bytes: &[u8]) -> Result<Vec<DVec3>> {
    let mut points = Vec::new();
    let mut first = true;
    for line in Lines::new(bytes) {
        let end = line.text.iter().position(|&byte| byte == b'#').unwrap_or(line.text.len());
        let between = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',' || *byte == b';';
        let words = line.text[..end].split(between).filter(|text| !text.is_empty());
        let mut words = words.map(|text| Word { text, line: line.number }).peekable();
        if words.peek().is_none() || (std::mem::take(&mut first) && words.clone().all(is_a_name)) {
            continue;
        }
        let mut coordinate = |name: &str| {
            let missing =
                || Error::new(ErrorKind::Malformed, Place::Line(line.number), format!("the line has no {name}"));
            words.next().ok_or_else(missing)?.number(name)
        };
        points.push(DVec3::new(coordinate("x")?, coordinate("y")?, coordinate("z")?));
    }
    Ok(points)
}

/// Whether a word is no number at all.
fn is_a_name(word: Word<'_>) -> bool {
    std::str::from_utf8(word.text).is_ok_and(|text| text.parse::<f64>().is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_comments_names_and_further_columns_are_understood() {
        let text = "x,y,z,label\n1,2,3,tree\r\n  4\t5 ; 6 7 8\n\n# nothing\n-1e-3 0 .5 # here\n";
        let expected = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [-1e-3, 0.0, 0.5]].map(DVec3::from_array);
        assert_eq!(read(text.as_bytes()).unwrap(), expected);
    }

    #[test]
    fn errors_name_the_line() {
        for (text, kind, line) in [
            ("1 2 3\n1 2\n", ErrorKind::Malformed, 2),
            ("1 2 3\nx y z\n", ErrorKind::Malformed, 2),
            ("x y 1\n", ErrorKind::Malformed, 1),
            ("1 2 nan\n", ErrorKind::NotFinite, 1),
            ("\n1 2 1e101\n", ErrorKind::NotFinite, 2),
        ] {
            let error = read(text.as_bytes()).unwrap_err();
            assert_eq!((error.kind(), error.place()), (kind, &Place::Line(line)), "{text}: {error}");
        }
    }
}
