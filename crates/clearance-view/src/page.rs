//! The page, built from `web/` and kept here as one file; with a recording in it, it needs nothing
//! else.

use crate::{Error, Live, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// The built page; `web/build` makes it.
pub(crate) const PAGE: &str = include_str!("../page/index.html");
/// Where a recording goes.
const PLACE: &str = "<!-- recording -->";
/// What the title is until it is replaced.
const TITLE: &str = "<title>clearance</title>";

/// One page with the recording in it: it opens from a file, without network.
///
/// `glb` is what [`Recording::glb`](crate::Recording::glb) gives. The title stands on the browser's
/// tab.
pub fn html(glb: &[u8], title: &str) -> String {
    let packed = STANDARD.encode(gzip(glb));
    let recording = format!("<script type=\"application/octet-stream\" id=\"recording\">{packed}</script>");
    let escaped = title.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    PAGE.replacen(PLACE, &recording, 1).replacen(TITLE, &format!("<title>{escaped} · clearance</title>"), 1)
}

/// The same with the engine as WebAssembly and a robot that it answers for: distances, gradients and
/// contacts while sliders and objects move, without network and without a server.
///
/// `engine` is what `web/engine` builds. The page grows by a third more than `engine` and the model
/// take when they are packed.
pub fn live_html(glb: &[u8], title: &str, live: &Live, engine: &[u8]) -> Result<String> {
    let held = |id: &str, bytes: &[u8]| {
        let packed = STANDARD.encode(gzip(bytes));
        format!("<script type=\"application/octet-stream\" id=\"{id}\">{packed}</script>")
    };
    if engine.get(..4) != Some(b"\0asm") {
        return Err(Error::Mismatch("the engine is no WebAssembly module; web/engine builds it".into()));
    }
    let more = held("engine", engine) + &held("model", &live.save()?);
    Ok(html(glb, title).replacen("</body>", &format!("{more}</body>"), 1))
}

/// Packed bytes, the same for the same ones.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail; if it did, what is there would not unpack, and the page says
    // so.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}
