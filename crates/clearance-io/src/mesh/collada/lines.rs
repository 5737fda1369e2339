//! Line numbers for byte positions, and the words of an XML element with their lines.

use super::File;
use crate::scan::{Word, Words};
use roxmltree::Node;

/// Where the lines of a text begin: the parser itself counts from the start of the file for every question.
pub(super) struct LineTable(Vec<usize>);

impl LineTable {
    pub fn new(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        Self(std::iter::once(0).chain(ends.map(|(i, _)| i + 1)).collect())
    }

    /// The line, from 1, that holds the byte at `position`.
    pub fn line(&self, position: usize) -> usize {
        self.0.partition_point(|&start| start <= position)
    }
}

impl<'a> File<'a> {
    /// The words of an element's text.
    pub(super) fn words(&self, element: Node<'a, 'a>) -> impl Iterator<Item = Word<'a>> {
        let texts = element.children().filter(Node::is_text);
        texts.flat_map(|text| {
            let line = self.lines.line(text.range().start);
            Words::new(text.text().unwrap_or_default().as_bytes(), line)
        })
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
