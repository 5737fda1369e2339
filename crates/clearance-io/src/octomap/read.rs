//! Reads both formats.

use super::{DEPTH, FREE, OCCUPIED, OctoFormat, OctoLeaf, OctoMap};
use crate::scan::{Bytes, Endian, Lines};
use crate::{Error, ErrorKind, Place, Result};
use clearance_engine::Readable;

const BINARY_HEAD: &[u8] = b"# Octomap OcTree binary file";
const FULL_HEAD: &[u8] = b"# Octomap OcTree file";

/// What the lines of text say.
struct Header {
    format: OctoFormat,
    size: u64,
    resolution: f64,
    /// Where the nodes begin.
    offset: usize,
}

pub(super) fn read(bytes: &[u8]) -> Result<OctoMap> {
    let header = header(bytes)?;
    let mut nodes = Nodes { bytes: Bytes::new(bytes, header.offset), leaves: Vec::new(), count: 0 };
    if header.size > 0 {
        match header.format {
            OctoFormat::Binary => nodes.binary([0; 3], 0)?,
            OctoFormat::Full => nodes.full([0; 3], 0)?,
        }
    }
    if nodes.count != header.size {
        let reason = format!("the header promises {} nodes, and there are {}", header.size, nodes.count);
        return Err(Error::new(ErrorKind::Malformed, nodes.bytes.place(), reason));
    }
    nodes.bytes.expect_end("the last node")?;
    Ok(OctoMap { resolution: header.resolution, leaves: nodes.leaves })
}

fn header(bytes: &[u8]) -> Result<Header> {
    let mut lines = Lines::new(bytes);
    let first = lines.next().map_or(&b""[..], |line| line.text.trim_ascii_end());
    let format = match first {
        BINARY_HEAD => OctoFormat::Binary,
        FULL_HEAD => OctoFormat::Full,
        _ => {
            let reason = "this is not an OctoMap file: it does not begin with '# Octomap OcTree file' or '# Octomap OcTree binary file'";
            return Err(Error::new(ErrorKind::UnknownFormat, Place::Line(1), reason));
        }
    };
    let (mut known, mut size, mut resolution) = (false, None, None);
    while let Some(line) = lines.next() {
        let mut words = line.words();
        let Some(keyword) = words.next() else { continue };
        let missing = || Error::new(ErrorKind::Malformed, Place::Line(line.number), "a value is missing");
        match keyword.text {
            b"data" => {
                let offset = bytes.len() - lines.rest().len();
                let place = || Place::Line(line.number);
                let lacking = |what| Error::new(ErrorKind::Malformed, place(), format!("the header lacks '{what}'"));
                if !known {
                    return Err(lacking("id"));
                }
                let size = size.ok_or_else(|| lacking("size"))?;
                let resolution = resolution.ok_or_else(|| lacking("res"))?;
                return Ok(Header { format, size, resolution, offset });
            }
            b"id" => {
                let id = words.next().ok_or_else(missing)?;
                if id.text != b"OcTree" {
                    let reason =
                        id.error("is a kind of tree that is not read here, only 'OcTree' is").reason().to_string();
                    return Err(Error::new(ErrorKind::Unsupported, Place::Line(line.number), reason));
                }
                known = true;
            }
            b"size" => size = Some(words.next().ok_or_else(missing)?.integer("a number of nodes")?),
            b"res" => {
                let word = words.next().ok_or_else(missing)?;
                let value = word.number("the resolution")?;
                if value <= 0.0 {
                    return Err(word.error("is not a resolution"));
                }
                resolution = Some(value);
            }
            // OctoMap steps over keywords that it does not know.
            _ => {}
        }
    }
    Err(Error::new(ErrorKind::Truncated, Place::Line(lines.number()), "the file ends before 'data'"))
}

/// Nodes on their way in.
struct Nodes<'a> {
    bytes: Bytes<'a>,
    leaves: Vec<OctoLeaf>,
    count: u64,
}

/// The first cell of a child of the node of that depth that begins at `key`.
fn child_key(key: [u16; 3], depth: u8, child: u16) -> [u16; 3] {
    let half = DEPTH - depth - 1;
    [0, 1, 2].map(|axis| key[axis] | (child >> axis & 1) << half)
}

impl Nodes<'_> {
    /// A node with children.
    fn binary(&mut self, key: [u16; 3], depth: u8) -> Result<()> {
        let place = self.bytes.place();
        let children = u16::from_le_bytes(self.bytes.array(Endian::Little, "a node")?);
        self.count += 1;
        if children == 0 {
            return Err(Error::new(ErrorKind::Malformed, place, "a node promises children and has none"));
        }
        for child in 0..8 {
            let at = child_key(key, depth, child);
            match children >> (2 * child) & 3 {
                0 => {}
                kind @ (1 | 2) => {
                    let log_odds = if kind == 1 { FREE } else { OCCUPIED };
                    self.leaves.push(OctoLeaf { key: at, depth: depth + 1, log_odds });
                    self.count += 1;
                }
                _ => {
                    self.check_depth(depth)?;
                    self.binary(at, depth + 1)?;
                }
            }
        }
        Ok(())
    }

    fn full(&mut self, key: [u16; 3], depth: u8) -> Result<()> {
        let place = self.bytes.place();
        let log_odds = f32::from_le_bytes(self.bytes.array(Endian::Little, "the value of a node")?);
        let [children] = self.bytes.array(Endian::Little, "the children of a node")?;
        self.count += 1;
        if children == 0 {
            if !log_odds.is_finite() {
                let reason = format!("the log-odds of a leaf are not finite: {}", Readable(log_odds));
                return Err(Error::new(ErrorKind::NotFinite, place, reason));
            }
            self.leaves.push(OctoLeaf { key, depth, log_odds });
            return Ok(());
        }
        if depth == DEPTH {
            return Err(too_deep(place));
        }
        for child in (0..8).filter(|child| children >> child & 1 != 0) {
            self.full(child_key(key, depth, child), depth + 1)?;
        }
        Ok(())
    }

    /// A child of a node of that depth may only have children itself if it is not a cell.
    fn check_depth(&self, depth: u8) -> Result<()> {
        if depth + 1 < DEPTH { Ok(()) } else { Err(too_deep(self.bytes.place())) }
    }
}

fn too_deep(place: Place) -> Error {
    Error::new(ErrorKind::Malformed, place, "a node is more than 16 levels deep")
}
