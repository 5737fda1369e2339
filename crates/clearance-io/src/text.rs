//! Pieces that readers of text files share: messages that stay on one line, and the lines of byte positions.

use std::fmt::{self, Display, Write as _};

/// Shows its content with control characters escaped: paths and quoted words may hold line breaks.
///
/// ```
/// assert_eq!(clearance_io::OneLine("a\nb").to_string(), "a\\nb");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct OneLine<T>(pub T);

impl<T: Display> Display for OneLine<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escape(f), "{}", self.0)
    }
}

struct Escape<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl fmt::Write for Escape<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for part in text.split_inclusive(char::is_control) {
            match part.chars().next_back() {
                Some(last) if last.is_control() => {
                    self.0.write_str(&part[..part.len() - last.len_utf8()])?;
                    write!(self.0, "{}", last.escape_default())?;
                }
                _ => self.0.write_str(part)?,
            }
        }
        Ok(())
    }
}

/// `text`, cut after `longest` characters: names, links and messages of parsers quote a file, and may be of any length.
///
/// ```
/// assert_eq!(clearance_io::shortened("abcdef".into(), 3), "abc…");
/// ```
pub fn shortened(mut text: String, longest: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(longest) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Where the lines of a text begin: an XML parser itself counts from the start of the file for every question.
///
/// ```
/// assert_eq!(clearance_io::LineTable::new("ab\ncd").line(3), 2);
/// ```
#[derive(Debug, Clone)]
pub struct LineTable(Vec<usize>);

impl LineTable {
    /// Finds the lines of `text` in one pass.
    pub fn new(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        Self(std::iter::once(0).chain(ends.map(|(i, _)| i + 1)).collect())
    }

    /// The line, from 1, that holds the byte at `position`.
    pub fn line(&self, position: usize) -> usize {
        self.0.partition_point(|&start| start <= position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_have_lines() {
        let table = LineTable::new("ab\n\ncd");
        assert_eq!([0, 1, 2, 3, 4, 5].map(|position| table.line(position)), [1, 1, 1, 2, 3, 3]);
    }
}
