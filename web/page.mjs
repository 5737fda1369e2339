// Puts the built page where the binary takes it from, with a hash of what it was built from: a test of
// the crate clearance-view computes the same hash, so that a page that is out of date is noticed
// without npm.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const folder = new URL("./", import.meta.url);
const named = ["index.html", "package-lock.json", "package.json", "page.mjs", "tsconfig.json", "vite.config.ts"];
const sources = readdirSync(new URL("src", folder), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => `${entry.parentPath ?? entry.path}/${entry.name}`.replace(/\\/g, "/").replace(/^.*\/web\/src\//, "src/"));
const hash = createHash("sha256");
for (const file of [...named, ...sources].sort()) {
  hash.update(`${file}\n`);
  hash.update(readFileSync(new URL(file, folder), "utf8").replace(/\r\n/g, "\n"));
}
const built = readFileSync(new URL("dist/index.html", folder), "utf8");
const page = built.replace("<head>", `<head>\n    <meta name="clearance-sources" content="${hash.digest("hex")}" />`);
if (page === built || !page.includes("<!-- recording -->") || !page.includes("<title>clearance</title>")) {
  throw new Error("the built page lacks a place that the binary needs");
}
const target = new URL("../crates/clearance-view/page/", folder);
mkdirSync(target, { recursive: true });
writeFileSync(new URL("index.html", target), page);
console.log(`page: ${page.length} bytes, ${gzipSync(page).length} bytes gzipped`);
