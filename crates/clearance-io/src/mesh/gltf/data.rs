//! The numbers behind glTF's accessors: buffers from the GLB, from data URIs and from files beside
//! the document.

use super::document::{Accessor, Document};
use crate::mesh::{LoadOptions, read_file};
use crate::scan::quoted;
use crate::{Error, ErrorKind, Place, Result};
use base64::Engine as _;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// The buffers that have been needed so far.
pub(super) struct Data<'a> {
    document: &'a Document,
    binary: Option<&'a [u8]>,
    options: &'a LoadOptions,
    buffers: Vec<Option<Rc<Cow<'a, [u8]>>>>,
    /// The files beside the document, each of which several buffers may name.
    files: HashMap<PathBuf, Rc<Cow<'a, [u8]>>>,
}

/// The types of an accessor's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl<'a> Data<'a> {
    pub fn new(document: &'a Document, binary: Option<&'a [u8]>, options: &'a LoadOptions) -> Self {
        Self { document, binary, options, buffers: vec![None; document.buffers.len()], files: HashMap::new() }
    }

    /// All numbers of accessor `index`, `N` in a row. Its `kind` is glTF's name for such rows.
    pub fn rows<const N: usize>(&mut self, index: usize, kind: &str) -> Result<Vec<[f64; N]>> {
        let place = || Place::Element(format!("accessor {index}"));
        let accessor = self.document.accessors.get(index).ok_or_else(|| missing("accessor", index))?;
        if accessor.kind != kind {
            let reason = format!("its type is '{}' instead of '{kind}'", quoted(accessor.kind.as_bytes()));
            return Err(Error::new(ErrorKind::Malformed, place(), reason));
        }
        let number = Number::parse(accessor.component_type).ok_or_else(|| {
            let reason = format!("{} is no component type", accessor.component_type);
            Error::new(ErrorKind::Malformed, place(), reason)
        })?;
        if accessor.sparse.is_some() || accessor.buffer_view.is_none() {
            let reason = "sparse accessors and those without a buffer view are not read";
            return Err(Error::new(ErrorKind::Unsupported, place(), reason));
        }
        let (bytes, stride) = self.view(accessor)?;
        let size = N * number.bytes();
        let stride = stride.unwrap_or(size);
        let end = match accessor.count {
            0 => Some(0),
            count => stride.checked_mul(count - 1).and_then(|n| n.checked_add(accessor.byte_offset)?.checked_add(size)),
        };
        if stride < size || end.is_none_or(|end| end > bytes.len()) {
            let reason = format!(
                "{} rows of {size} bytes, {stride} apart from {} on, do not fit into a view of {} bytes",
                accessor.count,
                accessor.byte_offset,
                bytes.len()
            );
            return Err(Error::new(ErrorKind::OutOfRange, place(), reason));
        }
        let starts = (0..accessor.count).map(|row| accessor.byte_offset + row * stride);
        let value = |at: usize| number.value(&bytes[at..at + number.bytes()], accessor.normalized);
        Ok(starts.map(|start| std::array::from_fn(|i| value(start + i * number.bytes()))).collect())
    }

    /// The bytes of the accessor's buffer view, and its stride.
    fn view(&mut self, accessor: &Accessor) -> Result<(&[u8], Option<usize>)> {
        let index = accessor.buffer_view.unwrap_or_default();
        let view = self.document.buffer_views.get(index).ok_or_else(|| missing("bufferView", index))?;
        let buffer = self.buffer(view.buffer)?;
        let bytes = view.byte_offset.checked_add(view.byte_length).and_then(|end| buffer.get(view.byte_offset..end));
        let bytes = bytes.ok_or_else(|| {
            let reason = format!(
                "{} bytes from {} on do not lie in a buffer of {}",
                view.byte_length,
                view.byte_offset,
                buffer.len()
            );
            Error::new(ErrorKind::OutOfRange, Place::Element(format!("bufferView {index}")), reason)
        })?;
        Ok((bytes, view.byte_stride))
    }

    /// The bytes of buffer `index`, fetched when first needed.
    fn buffer(&mut self, index: usize) -> Result<&[u8]> {
        let buffer = self.document.buffers.get(index).ok_or_else(|| missing("buffer", index))?;
        let slot = self.buffers.get_mut(index).ok_or_else(|| missing("buffer", index))?;
        if slot.is_none() {
            let fault = |kind, reason: String| Error::new(kind, Place::Element(format!("buffer {index}")), reason);
            let bytes = match &buffer.uri {
                Some(uri) => fetch(uri, &mut self.files, self.options, &fault)?,
                None if index == 0 && self.binary.is_some() => Rc::new(Cow::Borrowed(self.binary.unwrap_or_default())),
                None => return Err(fault(ErrorKind::Malformed, "it has no 'uri' and there is no binary chunk".into())),
            };
            if bytes.len() < buffer.byte_length {
                let reason = format!("{} bytes are announced, there are {}", buffer.byte_length, bytes.len());
                return Err(fault(ErrorKind::Truncated, reason));
            }
            *slot = Some(bytes);
        }
        Ok(slot.as_deref().map_or(&[], |bytes| &bytes[..]))
    }
}

/// The bytes behind a URI: base64 data, or a file relative to the document.
fn fetch<'a>(
    uri: &str,
    files: &mut HashMap<PathBuf, Rc<Cow<'a, [u8]>>>,
    options: &LoadOptions,
    fault: &impl Fn(ErrorKind, String) -> Error,
) -> Result<Rc<Cow<'a, [u8]>>> {
    if let Some(data) = uri.strip_prefix("data:") {
        let (_, encoded) = data
            .split_once(";base64,")
            .ok_or_else(|| fault(ErrorKind::Unsupported, "its data URI is not in base64".into()))?;
        let engine = base64::engine::general_purpose::STANDARD;
        return engine
            .decode(encoded)
            .map(|bytes| Rc::new(Cow::Owned(bytes)))
            .map_err(|error| fault(ErrorKind::Malformed, format!("its data URI is broken: {error}")));
    }
    let relative = percent_decoded(uri);
    let path = Path::new(&relative);
    // Also keeps 'https://…' out: nothing outside of the disk is fetched.
    if relative.contains("://")
        || !path.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir | Component::ParentDir))
    {
        return Err(fault(ErrorKind::Unsupported, format!("'{}' is not a relative path", quoted(uri.as_bytes()))));
    }
    match &options.base_dir {
        Some(folder) => {
            let file = folder.join(path);
            // However a path is written, it is one file.
            let key = file.canonicalize().unwrap_or_else(|_| file.clone());
            if let Some(known) = files.get(&key) {
                return Ok(Rc::clone(known));
            }
            let bytes = Rc::new(Cow::Owned(read_file(&file)?));
            files.insert(key, Rc::clone(&bytes));
            Ok(bytes)
        }
        None => {
            let reason = format!("'{}' is another file, and no folder to find it in is given", quoted(uri.as_bytes()));
            Err(fault(ErrorKind::Unsupported, reason))
        }
    }
}

/// `%20` and the like as the characters they stand for; anything else stays as it is.
fn percent_decoded(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = |i: usize| after.get(i).and_then(|&digit| char::from(digit).to_digit(16));
        match (first, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((16 * high + low) as u8);
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The error for a reference to something that the document does not hold.
pub(super) fn missing(what: &str, index: usize) -> Error {
    Error::new(
        ErrorKind::OutOfRange,
        Place::Element(format!("{what} {index}")),
        "it is referred to, but does not exist",
    )
}

impl Number {
    fn parse(component_type: u32) -> Option<Self> {
        Some(match component_type {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The number in `bytes`; a normalised one is a fraction of its type's largest value.
    fn value(self, bytes: &[u8], normalized: bool) -> f64 {
        let mut four = [0; 4];
        four[..bytes.len()].copy_from_slice(bytes);
        let (value, largest) = match self {
            Self::I8 => (f64::from(four[0] as i8), 127.0),
            Self::U8 => (f64::from(four[0]), 255.0),
            Self::I16 => (f64::from(i16::from_le_bytes([four[0], four[1]])), 32767.0),
            Self::U16 => (f64::from(u16::from_le_bytes([four[0], four[1]])), 65535.0),
            Self::U32 => (f64::from(u32::from_le_bytes(four)), f64::from(u32::MAX)),
            Self::F32 => return f64::from(f32::from_le_bytes(four)),
        };
        if normalized { (value / largest).max(-1.0) } else { value }
    }
}
