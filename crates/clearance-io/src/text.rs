//! Pieces that readers of text files share: messages that stay on one line, and the lines of byte
//! positions.

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

/// `text`, cut after `longest` characters: names, links and messages of parsers quote a file, and
/// may be of any length.
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

/// Where the lines of a text begin: an XML parser itself counts from the start of the file for
/// every question.
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

/// An element may have this many attributes; files of robots and meshes have ten at most.
const MAX_ATTRIBUTES: usize = 100;
/// A file may declare this many namespaces, and each may be this long.
const MAX_NAMESPACES: usize = 256;
const MAX_NAMESPACE_BYTES: usize = 1000;

/// What in an XML text takes a parser longer than the text is long, with its line: it compares all
/// attributes of an element with each other, and hands all namespaces down to the elements within.
/// Files that describe something have few of either.
///
/// ```
/// assert_eq!(clearance_io::xml_excess("<robot name='r'/>"), None);
/// let many: String = (0..1000).map(|i| format!(" a{i}=''")).collect();
/// assert_eq!(clearance_io::xml_excess(&format!("\n<robot{many}/>")).map(|(line, _)| line), Some(2));
/// ```
pub fn xml_excess(text: &str) -> Option<(usize, String)> {
    const WITHOUT_TAGS: [(&str, &str); 3] = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
    let (mut rest, mut namespaces) = (text, 0);
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        let found = |reason: String| {
            let line = 1 + text[..text.len() - rest.len()].bytes().filter(|&byte| byte == b'\n').count();
            Some((line, reason))
        };
        if let Some((open, close)) = WITHOUT_TAGS.iter().find(|(open, _)| rest.starts_with(open)) {
            let end = rest[open.len()..].find(close)?;
            rest = &rest[open.len() + end + close.len()..];
            continue;
        }
        let mut attributes = 0;
        let mut tag = &rest[1..];
        // Each attribute is a name, '=' and a value between quotes, which may hold anything but
        // that quote.
        while let Some(end) = tag.find(['"', '\'', '>']) {
            let quote = tag.as_bytes()[end];
            if quote == b'>' {
                break;
            }
            let name = tag[..end].trim_ascii_end().trim_end_matches('=').trim_ascii_end();
            let is_namespace = name.rsplit(|c: char| c.is_ascii_whitespace()).next()?.starts_with("xmlns");
            let value = &tag[end + 1..];
            let length = value.find(char::from(quote))?;
            attributes += 1;
            namespaces += usize::from(is_namespace);
            if attributes > MAX_ATTRIBUTES {
                return found(format!("an element has more than {MAX_ATTRIBUTES} attributes"));
            }
            if namespaces > MAX_NAMESPACES || is_namespace && length > MAX_NAMESPACE_BYTES {
                return found(format!(
                    "the file declares more than {MAX_NAMESPACES} namespaces, or one of more than {MAX_NAMESPACE_BYTES} bytes"
                ));
            }
            tag = &value[length + 1..];
        }
        rest = tag;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_attributes_of_elements_count() {
        let many: String = (0..101).map(|i| format!(" a{i} = '>'")).collect();
        for text in [format!("<a>{many}</a>"), format!("<!--<a{many}>--><?a{many}?><![CDATA[<a{many}>]]>")] {
            assert_eq!(xml_excess(&text), None, "{text}");
        }
        assert_eq!(xml_excess(&format!("<a b='\"'>\n<c{many}/>")).unwrap().0, 2);
        let few: String = (0..99).map(|i| format!(" a{i}=\"'\"")).collect();
        assert_eq!(xml_excess(&format!("<a{few}/>").repeat(3)), None);
        let spaces = "<a xmlns:b = 'c'/>".repeat(257);
        assert!(xml_excess(&spaces).unwrap().1.contains("namespaces"));
        assert_eq!(xml_excess("<a b='"), None);
    }

    #[test]
    fn positions_have_lines() {
        let table = LineTable::new("ab\n\ncd");
        assert_eq!([0, 1, 2, 3, 4, 5].map(|position| table.line(position)), [1, 1, 1, 2, 3, 3]);
    }
}
