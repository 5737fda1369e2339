//! The page that the binary carries is built from the sources in `web/`; `web/build` makes it anew.

use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The files below a folder, as they are named in `web/`.
fn files(folder: &Path, name: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let (path, entry) = {
            let entry = entry.unwrap();
            (entry.path(), entry.file_name().into_string().unwrap())
        };
        let name = format!("{name}/{entry}");
        if path.is_dir() { files(&path, &name, found) } else { found.push(name) }
    }
}

#[test]
fn the_page_is_built_from_its_sources() {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
    let named = ["index.html", "package-lock.json", "package.json", "page.mjs", "tsconfig.json", "vite.config.ts"];
    let mut sources: Vec<String> = named.map(str::to_owned).to_vec();
    files(&web.join("src"), "src", &mut sources);
    sources.sort();
    let mut hash = Sha256::new();
    for source in &sources {
        hash.update(format!("{source}\n"));
        hash.update(fs::read_to_string(web.join(source)).unwrap().replace("\r\n", "\n"));
    }
    let hash = hash.finalize().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    });
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("page/index.html")).unwrap();
    let built_from = format!("<meta name=\"clearance-sources\" content=\"{hash}\" />");
    assert!(page.contains(&built_from), "the page is not built from web/ as it is; run web/build");
}

#[test]
fn the_page_asks_for_nothing_from_elsewhere() {
    let page = clearance_view::html(b"", "a <title> & more");
    assert!(page.contains("default-src 'none'"));
    for attribute in ["src=\"http", "href=\"http", "src=\"/", "href=\"/"] {
        assert!(!page.contains(attribute), "{attribute}");
    }
    assert!(page.contains("<title>a &lt;title&gt; &amp; more · clearance</title>"));
}
