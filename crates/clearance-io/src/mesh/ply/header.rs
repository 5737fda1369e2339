//! The header of a PLY file: its encoding, and which elements with which properties follow.

use crate::scan::{Endian, Lines, Word, quoted};
use crate::{Error, ErrorKind, Place, Result};
use std::collections::HashSet;

/// What follows the header, and where.
#[derive(Debug)]
pub(super) struct Header {
    /// The byte order of binary data; `None` for text.
    pub binary: Option<Endian>,
    pub elements: Vec<Element>,
}

/// One table of the file.
#[derive(Debug)]
pub(super) struct Element {
    pub name: Vec<u8>,
    /// The number of rows.
    pub count: usize,
    pub properties: Vec<Property>,
    /// The line of the header that declares it.
    pub line: usize,
}

/// One column of a table.
#[derive(Debug)]
pub(super) struct Property {
    pub name: Vec<u8>,
    /// The type of the length, for a list.
    pub length: Option<Scalar>,
    /// The type of the value or of a list's items.
    pub item: Scalar,
}

/// The types of numbers, under both of their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn parse(word: Word<'_>) -> Result<Self> {
        match word.text {
            b"char" | b"int8" => Ok(Self::I8),
            b"uchar" | b"uint8" => Ok(Self::U8),
            b"short" | b"int16" => Ok(Self::I16),
            b"ushort" | b"uint16" => Ok(Self::U16),
            b"int" | b"int32" => Ok(Self::I32),
            b"uint" | b"uint32" => Ok(Self::U32),
            b"float" | b"float32" => Ok(Self::F32),
            b"double" | b"float64" => Ok(Self::F64),
            _ => Err(word.error("is no type of a property")),
        }
    }

    pub fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

impl Element {
    /// The column called one of `names`.
    pub fn position(&self, names: &[&[u8]]) -> Option<usize> {
        self.properties.iter().position(|property| names.contains(&&property.name[..]))
    }

    /// How many bytes a row takes at least.
    pub fn least_bytes(&self, text: bool) -> usize {
        // In text a value is a digit and a separator.
        let least = |property: &Property| if text { 2 } else { property.length.unwrap_or(property.item).bytes() };
        self.properties.iter().map(least).sum()
    }
}

impl Header {
    /// Reads the header and leaves `lines` at the first byte behind it.
    pub fn parse(lines: &mut Lines<'_>) -> Result<Self> {
        match lines.next() {
            Some(line) if line.text.trim_ascii_end() == b"ply" => {}
            Some(line) => return Err(fault(1, format!("'{}' where 'ply' should stand", quoted(line.text)))),
            None => return Err(Error::new(ErrorKind::Truncated, Place::Line(1), "the file is empty")),
        }
        let mut binary = None;
        let mut elements: Vec<Element> = Vec::new();
        let mut names = HashSet::new();
        for line in lines.by_ref() {
            let mut words = line.text.split(u8::is_ascii_whitespace).filter(|text| !text.is_empty());
            let mut next = || words.next().map(|text| Word { text, line: line.number });
            let mut expect =
                |what: &str| next().ok_or_else(|| fault(line.number, format!("the line ends before {what}")));
            let Ok(keyword) = expect("a keyword") else { continue };
            match keyword.text {
                b"comment" | b"obj_info" => {}
                b"format" => binary = Some(format(expect("the format")?)?),
                b"element" => {
                    let name = expect("the element's name")?;
                    if !names.insert(name.text) {
                        return Err(name.error("is declared twice"));
                    }
                    let count = expect("the number of rows")?.integer("a number of rows")?;
                    elements.push(Element { name: name.text.into(), count, properties: vec![], line: line.number });
                }
                b"property" => {
                    let element = elements.last_mut().ok_or_else(|| keyword.error("stands before any element"))?;
                    element.properties.push(property(expect)?);
                }
                b"end_header" => {
                    let binary = binary.ok_or_else(|| fault(line.number, "the header states no format"))?;
                    return Ok(Self { binary, elements });
                }
                _ => return Err(keyword.error("is no keyword of a PLY header")),
            }
        }
        Err(Error::new(ErrorKind::Truncated, Place::Line(lines.number()), "the file ends before 'end_header'"))
    }
}

fn format(word: Word<'_>) -> Result<Option<Endian>> {
    match word.text {
        b"ascii" => Ok(None),
        b"binary_little_endian" => Ok(Some(Endian::Little)),
        b"binary_big_endian" => Ok(Some(Endian::Big)),
        _ => Err(word.error("is no format of a PLY file")),
    }
}

/// The rest of a `property` line.
fn property<'a>(mut expect: impl FnMut(&str) -> Result<Word<'a>>) -> Result<Property> {
    let kind = expect("the type")?;
    let (length, item) = if kind.text == b"list" {
        let length = expect("the type of the list's length")?;
        let scalar = Scalar::parse(length)?;
        if matches!(scalar, Scalar::F32 | Scalar::F64) {
            return Err(length.error("cannot be the type of a list's length"));
        }
        (Some(scalar), Scalar::parse(expect("the type of the list's items")?)?)
    } else {
        (None, Scalar::parse(kind)?)
    };
    Ok(Property { name: expect("the property's name")?.text.into(), length, item })
}

fn fault(line: usize, reason: impl Into<String>) -> Error {
    Error::new(ErrorKind::Malformed, Place::Line(line), reason)
}
