//! Words and numbers of text files with the line they stand on, and fixed-size values of binary
//! files with their offset.
//!
//! Everything works on bytes: comments and names in mesh files come in any encoding. Cost: one
//! pass, no copies.

use crate::{Error, ErrorKind, Place, Result};
use clearance_engine::Readable;
use std::fmt::Display;
use std::str::{self, FromStr};

/// Coordinates beyond this are refused, as [`clearance_engine::TriMesh`] does: products of three
/// would overflow.
const LARGEST: f64 = 1e100;

/// A run of bytes without white space, and the line it stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    pub text: &'a [u8],
    pub line: usize,
}

impl Word<'_> {
    /// The word as a finite number; `what` says what it was meant to be.
    pub fn number(self, what: impl Display) -> Result<f64> {
        let parsed = str::from_utf8(self.text).ok().and_then(|text| text.parse::<f64>().ok());
        let value = parsed.ok_or_else(|| self.error(&format!("is not a number ({what})")))?;
        check_coordinate(value, Place::Line(self.line), what)
    }

    /// The word as a whole number; `what` says what it was meant to be.
    pub fn integer<T: FromStr>(self, what: impl Display) -> Result<T> {
        let parsed = str::from_utf8(self.text).ok().and_then(|text| text.parse().ok());
        parsed.ok_or_else(|| self.error(&format!("is not {what}")))
    }

    /// Whether the word is `keyword`, in either case.
    pub fn is(self, keyword: &str) -> bool {
        self.text.eq_ignore_ascii_case(keyword.as_bytes())
    }

    /// `'word' problem`, at the word's line.
    pub fn error(self, problem: &str) -> Error {
        Error::new(ErrorKind::Malformed, Place::Line(self.line), format!("'{}' {problem}", quoted(self.text)))
    }
}

/// Refuses what no mesh may hold: NaN, infinities and what lies beyond 1e100.
pub(crate) fn check_coordinate(value: f64, place: Place, what: impl Display) -> Result<f64> {
    if value.abs() <= LARGEST {
        return Ok(value);
    }
    let problem = if value.is_finite() { "is beyond 1e100" } else { "is not finite" };
    Err(Error::new(ErrorKind::NotFinite, place, format!("{} {problem} ({what})", Readable(value))))
}

/// The start of a piece of a file, for an error message.
pub(crate) fn quoted(text: &[u8]) -> String {
    const LONGEST: usize = 40;
    let lossy = String::from_utf8_lossy(&text[..text.len().min(4 * LONGEST)]);
    let mut short: String = lossy.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// The lines of a text; `\n`, `\r\n` and `\r` end one. A byte order mark is skipped.
#[derive(Debug, Clone)]
pub(crate) struct Lines<'a> {
    rest: &'a [u8],
    /// The line that `next` hands out.
    number: usize,
}

/// One line without its end, and its number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    pub text: &'a [u8],
    pub number: usize,
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        Self { rest: without_byte_order_mark(text), number: 1 }
    }

    /// The bytes not handed out yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The number of the line that comes next, or of the end of the file.
    pub fn number(&self) -> usize {
        self.number
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.iter().position(|&byte| byte == b'\n' || byte == b'\r').unwrap_or(self.rest.len());
        let line = Line { text: &self.rest[..end], number: self.number };
        let after = if self.rest[end..].starts_with(b"\r\n") { end + 2 } else { end + 1 };
        self.rest = self.rest.get(after..).unwrap_or_default();
        self.number += 1;
        Some(line)
    }
}

impl<'a> Line<'a> {
    /// The words of the line up to a `#`.
    pub fn words(self) -> impl Iterator<Item = Word<'a>> + Clone {
        let end = self.text.iter().position(|&byte| byte == b'#').unwrap_or(self.text.len());
        let words = self.text[..end].split(u8::is_ascii_whitespace).filter(|text| !text.is_empty());
        words.map(move |text| Word { text, line: self.number })
    }
}

/// The words of a text across its lines.
#[derive(Debug, Clone)]
pub(crate) struct Words<'a> {
    rest: &'a [u8],
    line: usize,
}

impl<'a> Words<'a> {
    /// The words of `text`, whose first line has the number `line`.
    pub fn new(text: &'a [u8], line: usize) -> Self {
        Self { rest: without_byte_order_mark(text), line }
    }

    /// The line of the word handed out last.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The bytes not handed out yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next word, or an error that says which word the file lacks.
    pub fn expect(&mut self, what: impl Display) -> Result<Word<'a>> {
        let line = self.line;
        self.next().ok_or_else(|| {
            let reason = format!("the file ends after this line, where {what} should follow");
            Error::new(ErrorKind::Truncated, Place::Line(line), reason)
        })
    }

    /// The next word, which must be `keyword` in either case.
    pub fn expect_keyword(&mut self, keyword: &str) -> Result<Word<'a>> {
        let word = self.expect(format_args!("'{keyword}'"))?;
        if word.is(keyword) { Ok(word) } else { Err(word.error(&format!("where '{keyword}' should stand"))) }
    }

    /// The next word as a finite number.
    pub fn number(&mut self, what: impl Display + Copy) -> Result<f64> {
        self.expect(what)?.number(what)
    }

    /// The next word as a whole number.
    pub fn integer<T: FromStr>(&mut self, what: impl Display + Copy) -> Result<T> {
        self.expect(what)?.integer(what)
    }

    /// Steps over the rest of the current line.
    pub fn skip_line(&mut self) {
        let end = self.rest.iter().position(|&byte| byte == b'\n' || byte == b'\r').unwrap_or(self.rest.len());
        self.rest = &self.rest[end..];
    }

    /// An error unless nothing but white space is left; `what` says what is complete already.
    pub fn expect_end(&mut self, what: &str) -> Result<()> {
        match self.next() {
            None => Ok(()),
            Some(word) => Err(word.error(&format!("stands after {what}"))),
        }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let start = self.rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        self.line += line_ends(&self.rest[..start]);
        self.rest = &self.rest[start..];
        let end = self.rest.iter().position(u8::is_ascii_whitespace).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(Word { text, line: self.line })
    }
}

/// How many lines end within `text`; a piece never begins inside of `\r\n` unless the `\r` was
/// skipped before it.
fn line_ends(text: &[u8]) -> usize {
    let returns = text.windows(2).filter(|pair| pair == b"\r\n").count();
    text.iter().filter(|&&byte| byte == b'\n' || byte == b'\r').count() - returns
}

/// The text after a byte order mark, if it begins with one.
pub(crate) fn without_byte_order_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// The order of the bytes of a binary number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Endian {
    Little,
    Big,
}

/// Reads fixed-size pieces of a binary file, and knows where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Bytes<'a> {
    all: &'a [u8],
    offset: usize,
}

impl<'a> Bytes<'a> {
    /// Reads `all` from `offset` on.
    pub fn new(all: &'a [u8], offset: usize) -> Self {
        Self { all, offset: offset.min(all.len()) }
    }

    pub fn place(&self) -> Place {
        Place::Byte(self.offset)
    }

    pub fn rest(&self) -> &'a [u8] {
        &self.all[self.offset..]
    }

    /// The next `count` bytes, or an error that says what the file lacks.
    pub fn take(&mut self, count: usize, what: impl Display) -> Result<&'a [u8]> {
        let rest = self.rest();
        if count > rest.len() {
            let reason = format!("{what} needs {count} bytes, but the file ends after {}", rest.len());
            return Err(Error::new(ErrorKind::Truncated, self.place(), reason));
        }
        self.offset += count;
        Ok(&rest[..count])
    }

    /// The next `N` bytes, turned into little-endian order.
    pub fn array<const N: usize>(&mut self, endian: Endian, what: impl Display) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        if endian == Endian::Big {
            array.reverse();
        }
        Ok(array)
    }

    /// An error unless nothing but zeros or white space (padding) is left; `what` says what is
    /// complete already.
    pub fn expect_end(&self, what: &str) -> Result<()> {
        if self.rest().iter().all(|&byte| byte == 0 || byte.is_ascii_whitespace()) {
            return Ok(());
        }
        let reason = format!("{} bytes follow {what}", self.rest().len());
        Err(Error::new(ErrorKind::Malformed, self.place(), reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_line_under_all_three_line_ends() {
        let lines: Vec<_> = Words::new(b"a b\r\nc\rd\n\n e", 1).map(|word| (word.text, word.line)).collect();
        assert_eq!(lines, [(&b"a"[..], 1), (b"b", 1), (b"c", 2), (b"d", 3), (b"e", 5)]);
        let numbers: Vec<_> = Lines::new(b"a b\r\nc\rd\n\n e").map(|line| (line.text, line.number)).collect();
        assert_eq!(numbers, [(&b"a b"[..], 1), (b"c", 2), (b"d", 3), (b"", 4), (b" e", 5)]);
    }

    #[test]
    fn skipping_a_line_keeps_the_count() {
        let mut words = Words::new(b"solid some name\r\nfacet", 1);
        words.next();
        words.skip_line();
        assert_eq!(words.next(), Some(Word { text: b"facet", line: 2 }));
    }

    #[test]
    fn nan_infinity_and_overflow_are_refused_with_their_line() {
        for text in ["nan", "inf", "-infinity", "1e400", "1e101"] {
            let error = Word { text: text.as_bytes(), line: 4 }.number("x").unwrap_err();
            assert_eq!((error.kind(), error.place()), (ErrorKind::NotFinite, &Place::Line(4)), "{text}");
        }
        assert_eq!(Word { text: b"-1.5e-3", line: 1 }.number("x").unwrap(), -1.5e-3);
    }

    #[test]
    fn quotes_are_short_and_survive_any_bytes() {
        assert_eq!(quoted(b"abc"), "abc");
        assert_eq!(quoted(&[b'x'; 100]).chars().count(), 41);
        assert!(quoted(&[0xff; 1000]).chars().count() <= 41);
    }

    #[test]
    fn a_piece_beyond_the_end_is_an_error_at_its_start() {
        let mut bytes = Bytes::new(&[1, 2, 3, 4, 5], 0);
        assert_eq!(bytes.array::<4>(Endian::Big, "x").unwrap(), [4, 3, 2, 1]);
        let error = bytes.take(2, "a count").unwrap_err();
        assert_eq!((error.kind(), error.place()), (ErrorKind::Truncated, &Place::Byte(4)));
    }
}
