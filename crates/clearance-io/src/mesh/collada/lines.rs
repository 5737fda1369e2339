//! The words of an XML element with their lines.

use super::File;
use crate::scan::{Word, Words};
use roxmltree::Node;

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
