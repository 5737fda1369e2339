//! What the URDF and the SRDF reader share: elements with their lines, attributes as words and
//! numbers.

use crate::checks::check_finite;
use crate::{Error, ErrorKind, Result};
use clearance_io::{LineTable, OneLine, shortened, xml_excess};
use roxmltree::{Document, Node};
use std::path::Path;

/// Words of a file are quoted up to this length.
const LONGEST_QUOTE: usize = 60;
/// Notes are cut after this many characters.
const LONGEST_NOTE: usize = 300;
/// A file repeats its peculiarities: notes end here.
const MAX_NOTES: usize = 100;

/// The text of a file.
pub(crate) fn load_text(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).map_err(|error| Error::new(ErrorKind::Io, error.to_string()).in_file(path))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|&&byte| byte == b'\n').count();
        Error::new(ErrorKind::Malformed, "the text is not UTF-8; save it in that encoding").at_line(line).in_file(path)
    })
}

/// The parsed text, whose outermost element must be `robot`.
pub(crate) fn parse(text: &str) -> Result<Document<'_>> {
    if let Some((line, reason)) = xml_excess(text) {
        return Err(Error::new(ErrorKind::TooLarge, reason).at_line(line));
    }
    let document = Document::parse(text).map_err(|error| {
        let hint = if text.contains("xacro:") { XACRO } else { "" };
        let reason = format!("the file is no well-formed XML: {error}{hint}");
        // The parser gives no place where the end comes too early.
        let line = match error {
            roxmltree::Error::UnexpectedEndOfStream | roxmltree::Error::UnclosedRootNode => {
                LineTable::new(text).line(text.len())
            }
            _ => error.pos().row as usize,
        };
        Error::new(ErrorKind::Malformed, reason).at_line(line)
    })?;
    let root = document.root_element();
    if root.tag_name().name() != "robot" {
        let line = LineTable::new(text).line(root.range().start);
        let reason = format!("the outermost element is <{}> instead of <robot>", quoted(root.tag_name().name()));
        return Err(Error::new(ErrorKind::Malformed, reason).at_line(line));
    }
    Ok(document)
}

/// What to do about a file that is no URDF yet.
const XACRO: &str = "; the file has xacro macros: expand it first (xacro FILE > robot.urdf)";

/// The lines of a file and what its reader noticed.
pub(crate) struct Reader {
    lines: LineTable,
    notes: Vec<String>,
}

impl Reader {
    pub fn new(text: &str) -> Self {
        Self { lines: LineTable::new(text), notes: Vec::new() }
    }

    pub fn line(&self, node: Node<'_, '_>) -> usize {
        self.lines.line(node.range().start)
    }

    /// An error at the line of `node`.
    pub fn error(&self, kind: ErrorKind, node: Node<'_, '_>, reason: impl Into<String>) -> Error {
        Error::new(kind, reason).at_line(self.line(node))
    }

    /// Keeps a sentence for the user, with the line of `node`.
    pub fn note(&mut self, node: Node<'_, '_>, text: impl std::fmt::Display) {
        if self.notes.len() < MAX_NOTES {
            let text = shortened(OneLine(text).to_string(), LONGEST_NOTE);
            self.notes.push(format!("line {}: {text}", self.line(node)));
        }
    }

    pub fn into_notes(self) -> Vec<String> {
        self.notes
    }

    /// Notes the child elements of `parent` that are neither read nor known to be of no concern.
    pub fn note_unknown(&mut self, parent: Node<'_, '_>, label: &str, known: &[&str]) -> Result<()> {
        for child in parent.children().filter(Node::is_element) {
            let tag = child.tag_name();
            if tag.namespace().is_some_and(|namespace| namespace.contains("xacro")) {
                let reason = format!("<xacro:{}> is no element of a URDF{XACRO}", quoted(tag.name()));
                return Err(self.error(ErrorKind::Unsupported, child, reason));
            }
            if !known.contains(&tag.name()) {
                self.note(child, format_args!("{label}: the element <{}> is unknown and ignored", quoted(tag.name())));
            }
        }
        Ok(())
    }

    /// The one child element called `name`, if there is one.
    pub fn child<'a>(&self, parent: Node<'a, 'a>, name: &str) -> Result<Option<Node<'a, 'a>>> {
        let mut found = children(parent, name);
        let first = found.next();
        match found.next() {
            None => Ok(first),
            Some(second) => {
                let reason = format!("<{name}> stands twice in <{}>; remove one", parent.tag_name().name());
                Err(self.error(ErrorKind::Malformed, second, reason))
            }
        }
    }

    /// An attribute that must be there and not be empty.
    pub fn required<'a>(&self, node: Node<'a, 'a>, name: &str) -> Result<&'a str> {
        node.attribute(name).map(str::trim).filter(|text| !text.is_empty()).ok_or_else(|| {
            let reason = format!("<{}> has no attribute '{name}'; add it", quoted(node.tag_name().name()));
            self.error(ErrorKind::Missing, node, reason)
        })
    }

    /// An attribute of `N` finite numbers, if it is there.
    pub fn numbers<const N: usize>(&self, node: Node<'_, '_>, name: &str) -> Result<Option<[f64; N]>> {
        let Some(text) = node.attribute(name) else { return Ok(None) };
        let tag = node.tag_name().name();
        let mut numbers = [0.0; N];
        let mut words = text.split_ascii_whitespace();
        for number in &mut numbers {
            let Some(word) = words.next() else { return Err(self.wrong_count::<N>(node, name, text)) };
            *number = word.parse().map_err(|_| {
                let hint = if word.contains('$') { XACRO } else { "" };
                let reason = format!("'{}' in '{name}' of <{tag}> is not a number{hint}", quoted(word));
                self.error(ErrorKind::Malformed, node, reason)
            })?;
            check_finite(*number, format_args!("'{name}' of <{tag}>"))
                .map_err(|error| error.at_line(self.line(node)))?;
        }
        if words.next().is_some() {
            return Err(self.wrong_count::<N>(node, name, text));
        }
        Ok(Some(numbers))
    }

    /// An attribute of one finite number, if it is there.
    pub fn number(&self, node: Node<'_, '_>, name: &str) -> Result<Option<f64>> {
        Ok(self.numbers::<1>(node, name)?.map(|[number]| number))
    }

    /// An attribute of `N` finite numbers that must be there.
    pub fn required_numbers<const N: usize>(&self, node: Node<'_, '_>, name: &str) -> Result<[f64; N]> {
        self.numbers(node, name)?.ok_or_else(|| {
            let reason = format!("<{}> has no attribute '{name}'; add it", node.tag_name().name());
            self.error(ErrorKind::Missing, node, reason)
        })
    }

    fn wrong_count<const N: usize>(&self, node: Node<'_, '_>, name: &str, text: &str) -> Error {
        let (tag, text) = (node.tag_name().name(), quoted(text));
        let reason =
            format!("'{name}' of <{tag}> is '{text}', it must hold {N} number{}", if N == 1 { "" } else { "s" });
        self.error(ErrorKind::Malformed, node, reason)
    }
}

/// The child elements called `name`.
pub(crate) fn children<'a>(parent: Node<'a, 'a>, name: &str) -> impl Iterator<Item = Node<'a, 'a>> {
    parent.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

/// A piece of a file for a message: short, and on one line.
pub(crate) fn quoted(text: &str) -> String {
    shortened(OneLine(text).to_string(), LONGEST_QUOTE)
}
