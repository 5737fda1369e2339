//! The part of glTF's JSON that places triangles, and the GLB container around it.

use crate::scan::{Bytes, Endian};
use crate::{Error, ErrorKind, Place, Result};
use serde::Deserialize;
use std::collections::HashMap;

const GLB_MAGIC: &[u8] = b"glTF";
const JSON_CHUNK: u32 = 0x4e4f_534a;
const BINARY_CHUNK: u32 = 0x004e_4942;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    pub asset: Asset,
    pub scene: Option<usize>,
    #[serde(default)]
    pub scenes: Vec<Scene>,
    #[serde(default)]
    pub nodes: Vec<Node>,
    #[serde(default)]
    pub meshes: Vec<Mesh>,
    #[serde(default)]
    pub accessors: Vec<Accessor>,
    #[serde(default)]
    pub buffer_views: Vec<BufferView>,
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    #[serde(default)]
    pub extensions_required: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Asset {
    pub version: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub nodes: Vec<usize>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Node {
    #[serde(default)]
    pub children: Vec<usize>,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
    pub matrix: Option<[f64; 16]>,
    pub translation: Option<[f64; 3]>,
    pub rotation: Option<[f64; 4]>,
    pub scale: Option<[f64; 3]>,
    #[serde(default)]
    pub weights: Vec<f64>,
    #[serde(default)]
    pub extensions: HashMap<String, serde::de::IgnoredAny>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Mesh {
    pub primitives: Vec<Primitive>,
    #[serde(default)]
    pub weights: Vec<f64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Primitive {
    pub attributes: HashMap<String, usize>,
    pub indices: Option<usize>,
    pub mode: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub buffer_view: Option<usize>,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
    #[serde(default)]
    pub normalized: bool,
    pub count: usize,
    #[serde(rename = "type")]
    pub kind: String,
    pub sparse: Option<serde::de::IgnoredAny>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub byte_length: usize,
    pub byte_stride: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub uri: Option<String>,
    pub byte_length: usize,
}

impl Document {
    /// Parses a `.gltf` or `.glb` file; the second value is the binary chunk of the latter.
    pub fn parse(bytes: &[u8]) -> Result<(Self, Option<&[u8]>)> {
        let (json, binary) = if bytes.starts_with(GLB_MAGIC) { chunks(bytes)? } else { (bytes, None) };
        let document: Self = serde_json::from_slice(json).map_err(|error| {
            let kind = if error.is_eof() { ErrorKind::Truncated } else { ErrorKind::Malformed };
            let glb = bytes.starts_with(GLB_MAGIC);
            let place = if glb { Place::Element("JSON chunk".into()) } else { Place::Line(error.line()) };
            Error::new(kind, place, format!("no glTF JSON: {error}"))
        })?;
        if !document.asset.version.starts_with("2.") {
            let reason = format!("version '{}' of glTF is not read, only 2", document.asset.version);
            return Err(Error::new(ErrorKind::Unsupported, Place::Element("asset".into()), reason));
        }
        match document.extensions_required.iter().find(|name| !leaves_geometry_alone(name)) {
            None => Ok((document, binary)),
            Some(name) => {
                let reason = format!("the extension '{name}' is not read");
                Err(Error::new(ErrorKind::Unsupported, Place::Element("extensionsRequired".into()), reason))
            }
        }
    }
}

/// Whether a required extension is known to concern looks only, or is read here.
fn leaves_geometry_alone(extension: &str) -> bool {
    const EVALUATIONS: [&str; 5] =
        ["KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_", "KHR_mesh_quantization"];
    EVALUATIONS.iter().any(|prefix| extension.starts_with(prefix))
}

/// The JSON and the binary chunk of a GLB file.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>)> {
    let mut input = Bytes::new(bytes, GLB_MAGIC.len());
    let number = |input: &mut Bytes<'_>, what: &str| input.array(Endian::Little, what).map(u32::from_le_bytes);
    let version = number(&mut input, "the version")?;
    if version != 2 {
        let reason = format!("version {version} of GLB is not read, only 2");
        return Err(Error::new(ErrorKind::Unsupported, Place::Byte(4), reason));
    }
    let length = number(&mut input, "the length")? as usize;
    if length != bytes.len() {
        let kind = if length > bytes.len() { ErrorKind::Truncated } else { ErrorKind::Malformed };
        let reason = format!("the header announces {length} bytes, the file has {}", bytes.len());
        return Err(Error::new(kind, Place::Byte(8), reason));
    }
    let mut json = None;
    let mut binary = None;
    while !input.rest().is_empty() {
        let place = input.place();
        let length = number(&mut input, "the length of a chunk")? as usize;
        let kind = number(&mut input, "the type of a chunk")?;
        let data = input.take(length, "a chunk")?;
        match kind {
            JSON_CHUNK if json.is_none() => json = Some(data),
            BINARY_CHUNK if json.is_some() && binary.is_none() => binary = Some(data),
            // The standard asks readers to step over chunks of other types, which follow those two.
            _ if json.is_some() => {}
            _ => return Err(Error::new(ErrorKind::Malformed, place, "the first chunk is not JSON")),
        }
    }
    let json = json.ok_or_else(|| Error::new(ErrorKind::Truncated, Place::Byte(bytes.len()), "no JSON chunk"))?;
    Ok((json, binary))
}
