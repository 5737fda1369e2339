// The page in headless Chromium, against what the engine says. Called by `web/test`, which builds what is
// needed: node tests/run.mjs BINARY FOLDER [--keep] [WORDS]
//
// With WORDS only tests whose names have them run.
// With --keep the pictures of the guide and those in `pictures/` are taken anew; otherwise they are compared with.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { request } from "node:http";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { live } from "./live.mjs";
import validator from "gltf-validator";
import { chromium } from "playwright-core";

const [binary, folder, ...options] = process.argv.slice(2);
const keep = options.includes("--keep");
const only = options.find((one) => one !== "--keep") ?? "";
const require = createRequire(import.meta.url);
const images = new URL("../../docs/guide/src/images/", import.meta.url).pathname;
const pictures = new URL("pictures/", import.meta.url).pathname;
const json = (name) => JSON.parse(readFileSync(join(folder, name), "utf8"));
const url = (name) => pathToFileURL(join(folder, name)).href;
const WIDE = { width: 1400, height: 900 };
const NARROW = { width: 400, height: 800 };

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"],
});
let [failed, passed] = [0, 0];

async function test(name, run) {
  if (!name.includes(only)) return;
  try {
    const note = await run();
    passed += 1;
    console.log(`ok      ${name}${note ? ` (${note})` : ""}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n        ${String(error.message).split("\n").slice(0, 12).join("\n        ")}`);
  }
}

/** Holds a time or a rate to its limit; says so where other programs keep the machine busy. */
function inTime(good, measured) {
  const [load, cores] = [loadavg()[0], availableParallelism()];
  if (!good && load > cores) return `SKIPPED: ${measured}, but the machine is busy: load ${load.toFixed(1)} on ${cores} cores`;
  assert.ok(good, measured);
  return measured;
}

/** A page with the recording shown; every request but for it and every error is collected. */
async function open(address, size = WIDE, options = {}) {
  const context = await browser.newContext({ viewport: size, ...options });
  const page = await context.newPage();
  page.foreign = [];
  page.errors = [];
  const allowed = new URL(address).protocol === "file:" ? [address] : [address, `${address}recording.glb`];
  page.on("request", (one) => {
    if (!allowed.includes(one.url()) && !/^(data|blob):/.test(one.url())) page.foreign.push(one.url());
  });
  page.on("pageerror", (error) => page.errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.errors.push(message.text()));
  const start = performance.now();
  await page.goto(address);
  await page.waitForFunction(() => window.clearance?.stage.pictures > 0 || !document.getElementById("message").hidden);
  page.first = performance.now() - start;
  return page;
}

/** The largest difference of two lists of numbers. */
function difference(a, b) {
  assert.equal(a.length, b.length);
  return Math.max(...a.map((number, i) => Math.abs(number - b[i])));
}

/** Link poses by name, as the page has them. */
const poses = (page) =>
  page.evaluate(() => {
    const { app } = window.clearance;
    const links = app.facts.bodies.map((body, i) => [body, i]).filter(([body]) => body.kind === "link");
    return Object.fromEntries(links.map(([body, i]) => [body.name, app.matrix(i)]));
  });

async function comparePoses(page, expected) {
  const found = await poses(page);
  assert.deepEqual(Object.keys(found).sort(), Object.keys(expected).sort());
  const worst = Math.max(...Object.entries(expected).map(([name, matrix]) => difference(found[name], matrix)));
  assert.ok(worst < 1e-6, `poses differ by ${worst}`);
  return worst;
}

/** As `look`, with a small picture that is kept for this comparison alone. */
const glance = (page, name) => look(page, name, { to: pictures, scale: 320 / page.viewportSize().width });

/** Compares what is seen with the kept picture, both made small; or keeps it. */
async function look(page, name, { to = images, scale = page.viewportSize().width > 1000 ? 0.6 : 1 } = {}) {
  await page.waitForTimeout(400);
  const seen = (await page.screenshot({ timeout: 120_000 })).toString("base64");
  const blank = await (await browser.newContext()).newPage();
  const made = await blank.evaluate(
    async ([data, scale]) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
      const canvas = new OffscreenCanvas(image.width * scale, image.height * scale);
      const pen = canvas.getContext("2d");
      pen.imageSmoothingQuality = "high";
      pen.drawImage(image, 0, 0, canvas.width, canvas.height);
      const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/png" })).arrayBuffer());
      return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ""));
    },
    [seen, scale],
  );
  const file = join(to, `${name}.png`);
  if (keep) writeFileSync(file, Buffer.from(made, "base64"));
  assert.ok(existsSync(file), `${file} is missing; run web/test --keep`);
  const share = await blank.evaluate(
    async (two) => {
      const pixels = await Promise.all(
        two.map(async (data) => {
          const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
          const canvas = new OffscreenCanvas(160, 100);
          const pen = canvas.getContext("2d");
          pen.imageSmoothingQuality = "high";
          pen.drawImage(image, 0, 0, 160, 100);
          return pen.getImageData(0, 0, 160, 100).data;
        }),
      );
      // The share of places whose brightness differs by more than a tenth.
      const bright = (data, i) => 0.3 * data[i] + 0.59 * data[i + 1] + 0.11 * data[i + 2];
      let differ = 0;
      for (let i = 0; i < pixels[0].length; i += 4) differ += Math.abs(bright(pixels[0], i) - bright(pixels[1], i)) > 25;
      return differ / (160 * 100);
    },
    [made, readFileSync(file).toString("base64")],
  );
  await blank.context().close();
  assert.ok(share < 0.02, `${(100 * share).toFixed(1)} % of ${name} differ from the kept picture`);
  return `${(100 * share).toFixed(2)} % differ`;
}

async function accessible(page) {
  await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
  const { violations } = await page.evaluate(() => window.axe.run());
  const bad = violations.filter((one) => ["serious", "critical"].includes(one.impact));
  assert.deepEqual(bad.map((one) => `${one.id}: ${one.nodes[0].html} ${one.nodes[0].failureSummary}`), []);
}

const kitchen = json("kitchen.json");
const page = await open(url("kitchen.html"));

await test("the page without a model is under 300 kB gzipped", () => {
  const size = gzipSync(readFileSync(new URL("../../crates/clearance-view/page/index.html", import.meta.url))).length;
  assert.ok(size < 300_000, `${size} bytes`);
  return `${size} bytes`;
});

await test("the kitchen opens from file:// and asks for nothing else", () => {
  assert.deepEqual(page.foreign, []);
  assert.deepEqual(page.errors, []);
});

await test("the first picture of the kitchen takes less than 1.5 s", async () => {
  // Other programs may run: the best of three counts.
  const times = [page.first];
  for (let i = 0; i < 2; i++) {
    const again = await open(url("kitchen.html"));
    times.push(again.first);
    await again.context().close();
  }
  return inTime(Math.min(...times) < 1500, `${times.map((time) => time.toFixed(0)).join(", ")} ms`);
});

await test("bodies and triangles are those of the scene", async () => {
  const { counts, links, objects } = await page.evaluate(() => {
    const { app, stage } = window.clearance;
    const of = (kind) => app.facts.bodies.filter((body) => body.kind === kind).length;
    return { counts: stage.counts(), links: of("link"), objects: of("object") };
  });
  assert.deepEqual([links, objects, counts.triangles], [kitchen.links, kitchen.objects, kitchen.triangles]);
  return `${counts.triangles} triangles`;
});

await test("link poses at a time are the engine's", async () => {
  let worst = 0;
  for (const { frame, poses } of kitchen.frames) {
    await page.evaluate((frame) => window.clearance.app.goTo(window.clearance.app.facts.timeline.times[frame] + 0.001), frame);
    worst = Math.max(worst, await comparePoses(page, poses));
  }
  return `they differ by ${worst.toExponential(1)}`;
});

await test("the lines end at points that realise the engine's distances", async () => {
  for (const { frame, distances } of kitchen.frames) {
    const drawn = await page.evaluate((frame) => {
      const { app } = window.clearance;
      app.go(frame);
      return app.facts.clearances.map((one, i) => ({ ends: app.overlay.ends(i), facts: one.witnesses[frame].points.flat(), upper: one.upper[frame] }));
    }, frame);
    drawn.forEach(({ ends, facts, upper }, i) => {
      assert.ok(difference(ends, facts) < 1e-6, "the line is not where the recording has it");
      const span = Math.hypot(ends[3] - ends[0], ends[4] - ends[1], ends[5] - ends[2]);
      assert.ok(Math.abs(span - distances[i].upper) < 1e-6 && Math.abs(upper - distances[i].upper) < 1e-9, `${span} ${distances[i].upper}`);
    });
  }
});

await test("the readout names the nearest pair with its distance and unit", async () => {
  const text = await page.evaluate(() => (window.clearance.app.go(256), document.getElementById("readout").innerText));
  assert.match(text, /Clearance to the surroundings\s+[\d.]+ (mm|µm|m) \w+ – \w+/);
});

await test("the timeline scrubs by keys and by the plot, both ways", async () => {
  await page.locator("#scrub").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => window.clearance.app.frame), 1);
  const plot = await page.locator("#plot").boundingBox();
  await page.mouse.click(plot.x + 62 + (plot.width - 72) / 2, plot.y + 40);
  const { frame, value } = await page.evaluate(() => ({ frame: window.clearance.app.frame, value: document.getElementById("scrub").value }));
  assert.ok(Math.abs(frame - 200) <= 1, `frame ${frame}`);
  assert.equal(value, String(frame));
});

await test("play goes on and stops", async () => {
  await page.evaluate(() => window.clearance.app.go(10));
  await page.click("#play");
  await page.waitForFunction(() => window.clearance.app.frame > 12);
  await page.click("#play");
  const frame = await page.evaluate(() => window.clearance.app.frame);
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => window.clearance.app.frame), frame);
});

await test("a drag orbits, the wheel zooms", async () => {
  const camera = () => page.evaluate(() => window.clearance.stage.camera.position.toArray());
  const before = await camera();
  await page.mouse.move(400, 400);
  await page.mouse.down();
  await page.mouse.move(520, 430, { steps: 4 });
  await page.mouse.up();
  const turned = await camera();
  assert.ok(difference(before, turned) > 0.1);
  await page.mouse.wheel(0, -300);
  await page.waitForTimeout(200);
  assert.ok(Math.hypot(...(await camera())) < Math.hypot(...turned));
  await page.click("#fit");
});

await test("a click chooses the body under it", async () => {
  const [x, y] = await page.evaluate(() => {
    const { app, stage } = window.clearance;
    app.go(0);
    const chest = app.facts.bodies.findIndex((body) => body.name === "chest");
    const place = stage.project(stage.bounds((body) => body === chest).getCenter(stage.camera.position.clone()));
    const box = document.getElementById("view").getBoundingClientRect();
    return [box.left + place.x, box.top + place.y];
  });
  await page.mouse.click(x, y);
  const names = await page.evaluate(() => [...window.clearance.app.selected].map((body) => window.clearance.app.facts.bodies[body].name));
  assert.equal(names.length, 1);
  assert.match(names[0], /chest|arm|shoulder|mount|spine/);
});

await test("the tree hides and shows", async () => {
  await page.click("#tab-objects");
  await page.getByLabel("Show left_hand", { exact: true }).uncheck();
  const visible = () =>
    page.evaluate(() => {
      const { app } = window.clearance;
      return app.isVisible(app.facts.bodies.findIndex((body) => body.name === "left_hand"));
    });
  assert.equal(await visible(), false);
  await page.getByLabel("Show left_hand", { exact: true }).check();
  assert.equal(await visible(), true);
});

await test("search finds by parts of names", async () => {
  await page.locator("#view").focus();
  await page.keyboard.press("/");
  await page.keyboard.type("cup 3");
  const names = await page.locator(".tree li:visible .name").allInnerTexts();
  assert.ok(names.length > 0 && names.length < 5 && names.every((name) => name.includes("cup") && name.includes("3")), String(names));
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => window.clearance.app.selected.size), 1);
  await page.fill("input[type=search]", "no such thing");
  assert.ok(await page.getByText("No name matches.").isVisible());
  await page.fill("input[type=search]", "");
});

await test("the matrix tells what is proven, and chooses both links", async () => {
  await page.click("#tab-pairs");
  const box = await page.locator(".matrix").boundingBox();
  const n = await page.evaluate(() => new Set(window.clearance.app.facts.robots[0].pairs.flatMap((pair) => pair.links)).size);
  await page.mouse.click(box.x + (box.width * 12.5) / n, box.y + (box.height * 0.5) / n);
  assert.equal(await page.evaluate(() => window.clearance.app.selected.size), 2);
  assert.match(await page.locator(".detail").innerText(), /platform – \w+: .+/);
  const said = await page.locator(".legend").innerText();
  const never = await page.evaluate(() => window.clearance.app.facts.robots[0].pairs.filter((pair) => pair.verdict === "never").length);
  assert.ok(never > 50 && said.includes(`${never} pairs never touch`), said);
  await page.keyboard.press("ArrowDown");
  assert.match(await page.locator(".detail").innerText(), /waist – /);
});

await test("nearest pairs lead to their moment", async () => {
  await page.click("#tab-nearest");
  await page.locator("#page-nearest ol button").first().click();
  const { frame, least } = await page.evaluate(() => {
    const { app } = window.clearance;
    const uppers = app.facts.clearances.flatMap((one) => one.upper);
    return { frame: Math.min(...app.facts.clearances.map((one) => one.upper[app.frame])), least: Math.min(...uppers) };
  });
  assert.equal(frame, least);
});

await test("axe-core finds no serious fault, in light and in dark, on every tab", async () => {
  for (const scheme of ["light", "dark"]) {
    for (const tab of ["objects", "joints", "nearest", "pairs", "volumes", "about"]) {
      await page.click(`#tab-${tab}`);
      await accessible(page);
    }
    await page.click("#theme");
    assert.notEqual(await page.evaluate(() => document.documentElement.dataset.theme), scheme);
  }
});

await test("pictures: the kitchen, wide, dark and narrow", async () => {
  const nearest = () => {
    const { app } = window.clearance;
    app.select([]);
    const uppers = app.facts.clearances[1].upper;
    app.go(uppers.indexOf(Math.min(...uppers)));
  };
  const fresh = await open(url("kitchen.html"));
  await fresh.evaluate(nearest);
  const notes = [await look(fresh, "viewer-kitchen")];
  await fresh.click("#tab-pairs");
  await fresh.click("#theme");
  notes.push(await look(fresh, "viewer-pairs-dark"));
  await fresh.context().close();
  const narrow = await open(url("kitchen.html"), NARROW);
  await narrow.evaluate(nearest);
  const wider = await narrow.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.equal(wider, false, "the page is wider than 400 px");
  notes.push(await look(narrow, "viewer-narrow"));
  await accessible(narrow);
  await narrow.context().close();
  return notes.join(", ");
});
await page.context().close();

await test("every kind of joint stands where the engine has it; sliders move and followers follow", async () => {
  const [truth, page] = [json("kinds.json"), await open(url("kinds.html"))];
  for (const [frame, expected] of truth.poses.entries()) {
    await page.evaluate((frame) => window.clearance.app.go(frame), frame);
    await comparePoses(page, expected);
  }
  await page.evaluate(() => window.clearance.app.go(0));
  await page.click("#tab-joints");
  await page.locator(`#joint-0-${truth.turn}`).fill("1.25");
  await comparePoses(page, truth.moved);
  assert.match(await page.getByText("follow, follows turn").locator("..").innerText(), /-0\.375 rad \(-21\.5°\)/);
  const range = await page.locator(`#joint-0-${truth.turn}`).evaluate((one) => [one.min, one.max]);
  assert.deepEqual(range.map(Number), [-2, 2]);
  await page.getByText("Back to the recording").click();
  await comparePoses(page, truth.poses[0]);
  await page.context().close();
});

await test("a motion has its verdicts, contacts and red links", async () => {
  const page = await open(url("motion.html"));
  await page.click("#tab-nearest");
  assert.match(await page.locator("ol[aria-label=Segments]").innerText(), /touches/);
  const states = await page.evaluate(() => {
    const { app } = window.clearance;
    const frame = app.facts.near.findIndex((pairs) => pairs.some((pair) => pair.colliding));
    app.go(frame);
    return { frame, states: app.facts.bodies.map((_, body) => app.state(body)), contacts: app.facts.contacts[frame].length };
  });
  assert.ok(states.frame >= 0 && states.states.filter((state) => state === "colliding").length >= 2);
  assert.ok(states.contacts >= 6 && states.contacts % 6 === 0);
  const note = await look(page, "viewer-motion");
  assert.deepEqual([page.foreign, page.errors], [[], []]);
  await page.context().close();
  return note;
});

await test("a million cells turn at more than 10 frames a second", async () => {
  const page = await open(url("voxels.html"));
  const { cells, rate } = await page.evaluate(async () => {
    const { stage } = window.clearance;
    stage.setMoving(true);
    const turn = () => {
      stage.camera.position.applyAxisAngle(stage.camera.up, 0.02);
      stage.controls.update();
      stage.request();
    };
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    // It takes some frames to find out what the machine can do.
    for (let i = 0; i < 25; i++) (turn(), await frame());
    // Other programs may run: the best second of five counts.
    let rate = 0;
    for (let second = 0; second < 5; second++) {
      const [start, pictures] = [performance.now(), stage.pictures];
      while (performance.now() - start < 1000) (turn(), await frame());
      rate = Math.max(rate, (1000 * (stage.pictures - pictures)) / (performance.now() - start));
    }
    stage.setMoving(false);
    return { cells: stage.counts().cells, rate };
  });
  assert.equal(cells, 1_000_000);
  await page.context().close();
  return inTime(rate > 10, `${rate.toFixed(1)} frames a second`);
});

await test("everything fits into the view, and still does when the window changes", async () => {
  const page = await open(url("voxels.html"), NARROW);
  const outside = () =>
    page.evaluate(() => {
      const { stage } = window.clearance;
      const [{ min, max }, view] = [stage.bounds(() => true), document.getElementById("view")];
      const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z]);
      const places = corners.map((corner) => stage.project(stage.camera.position.clone().set(...corner)));
      return places.filter((at) => !at || at.x < 0 || at.y < 0 || at.x > view.clientWidth || at.y > view.clientHeight).length;
    });
  assert.equal(await outside(), 0);
  await page.setViewportSize(WIDE);
  await page.waitForTimeout(400);
  assert.equal(await outside(), 0);
  await page.setViewportSize(NARROW);
  await page.waitForTimeout(400);
  assert.equal(await outside(), 0);
  await page.context().close();
});

await test("pictures: every tab, cells, curves of contact, an exploration", async () => {
  const notes = [];
  const one = async (name, size, prepare) => {
    const page = await open(url(`${name}.html`), size);
    await page.evaluate(() => document.fonts.ready);
    await prepare(page);
    assert.deepEqual([page.foreign, page.errors], [[], []]);
    await page.context().close();
  };
  await one("kitchen", WIDE, async (page) => {
    for (const tab of ["objects", "joints", "nearest", "about"]) {
      await page.click(`#tab-${tab}`);
      notes.push(await glance(page, `tab-${tab}`));
    }
  });
  await one("voxels", NARROW, async (page) => notes.push(await glance(page, "cells")));
  await one("pair", WIDE, async (page) => {
    await page.evaluate(() => window.clearance.app.go(window.clearance.app.facts.contacts.findIndex((curves) => curves.length)));
    notes.push(await glance(page, "contacts"));
  });
  await one("explore", WIDE, async (page) => {
    await page.evaluate(() => window.clearance.app.go(200));
    notes.push(await glance(page, "explore"));
  });
  return notes.join(", ");
});

await test("a broken recording gives a message", async () => {
  for (const [name, text] of [["broken.html", /cannot be shown: .*damaged/], ["empty.html", /holds no recording/], ["mesh.html", /cannot be shown/]]) {
    const page = await open(url(name));
    assert.match(await page.locator("#message").innerText(), text);
    await page.context().close();
  }
});

await test("glTF files have no faults, says the Khronos validator", async () => {
  for (const name of ["kitchen", "kinds", "voxels", "motion", "pair", "explore"]) {
    const { issues } = await validator.validateBytes(new Uint8Array(readFileSync(join(folder, `${name}.glb`))));
    assert.equal(issues.numErrors + issues.numWarnings, 0, `${name}: ${JSON.stringify(issues.messages.slice(0, 3))}`);
  }
});

await test("the server gives the page to its token, Host and Origin alone", async () => {
  const server = spawn(binary, ["view", join(folder, "kitchen.glb"), "--no-open"]);
  try {
    const line = await new Promise((done, fail) => {
      server.stdout.once("data", (data) => done(String(data)));
      server.stderr.once("data", (data) => fail(new Error(String(data))));
    });
    const address = line.match(/http:\/\/127\.0\.0\.1:(\d+)\/([0-9a-f]{32})\//);
    assert.ok(address, line);
    const [base, port, token] = address;
    const ask = (path, { headers = {}, method = "GET" } = {}) =>
      new Promise((done, fail) => {
        const one = request({ host: "127.0.0.1", port, path, method, headers }, (answer) => (answer.resume(), done(answer.statusCode)));
        one.on("error", fail);
        one.end();
      });
    assert.equal(await ask(`/${token}/`), 200);
    assert.equal(await ask(`/${token}/recording.glb`), 200);
    assert.equal(await ask(`/${token}/`, { headers: { Origin: `http://127.0.0.1:${port}` } }), 200);
    assert.equal(await ask("/"), 403);
    assert.equal(await ask(`/${"0".repeat(32)}/`), 403);
    assert.equal(await ask(`/${token.slice(1)}/recording.glb`), 403);
    assert.equal(await ask(`/${token}/`, { headers: { Host: "evil.example" } }), 403);
    assert.equal(await ask(`/${token}/`, { headers: { Origin: "http://evil.example" } }), 403);
    assert.equal(await ask(`/${token}/`, { headers: { Origin: "null" } }), 403);
    assert.equal(await ask(`/${token}/etc/passwd`), 404);
    assert.equal(await ask(`/${token}/../../etc/passwd`), 404);
    assert.equal(await ask(`/${token}/`, { method: "POST" }), 405);
    const page = await open(base);
    assert.deepEqual([page.foreign, page.errors], [[], []]);
    assert.equal(await page.evaluate(() => window.clearance.app.facts.robots.length), 1);
    await page.context().close();
    const ended = new Promise((done) => server.once("exit", done));
    server.kill("SIGINT");
    await ended;
  } finally {
    server.kill();
  }
});

await live({ binary, folder, url, open, test, difference, accessible, look, glance, inTime, WIDE, NARROW });

await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
