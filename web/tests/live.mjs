// What the page answers live: objects and sliders that move, volumes, reach, and poses that a program sends.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** `tools` are those of `run.mjs`. */
export async function live({ binary, folder, url, open, test, difference, accessible, look, glance, inTime, WIDE, NARROW }) {
  const [robot, room] = ["arm.urdf", "room.json"].map((name) => join(folder, name));

  /** Serves the arm in its room while `use` has the page. */
  async function served(use) {
    const server = spawn(binary, ["view", robot, room, "--no-open"]);
    try {
      const line = await new Promise((done) => server.stdout.once("data", (data) => done(String(data))));
      const page = await open(line.match(/http:\S+/)[0]);
      const note = await use(page);
      const foreign = page.foreign.filter((address) => !address.includes("/answer?q="));
      assert.deepEqual([foreign, page.errors], [[], []]);
      await page.context().close();
      return note;
    } finally {
      server.kill();
    }
  }

  const answered = (page) => page.waitForFunction(() => !window.clearance.app.asking);

  /** What the command line says about the pose that the page shows. */
  async function expected(page) {
    const { row, moved } = await page.evaluate(() => {
      const { app } = window.clearance;
      return { row: app.configuration(0), moved: [...app.moved].map(([body, pose]) => [app.facts.bodies[body].name, pose]) };
    });
    const scene = JSON.parse(readFileSync(room, "utf8"));
    for (const [name, pose] of moved) scene.objects.find((object) => object.name === name).pose = pose;
    const file = join(folder, "moved.json");
    writeFileSync(file, JSON.stringify(scene));
    const names = ["turn", "lift", "bend", "twist", "grip"];
    const check = spawnSync(binary, ["check", robot, "--scene", file, "--configs", "-", "--json"], { input: `${names}\n${row}\n` });
    return JSON.parse(String(check.stdout).trim().split("\n").at(-1));
  }

  /** The page's lines end where the command line's distances do. */
  async function compare(page) {
    await answered(page);
    const { environment } = await expected(page);
    const { ends, names, upper } = await page.evaluate(() => {
      const { app } = window.clearance;
      const { witness, upper } = app.known.clearances[1];
      return { ends: app.overlay.ends(1), names: [witness.a, witness.b].map((body) => app.facts.bodies[body].name), upper };
    });
    assert.deepEqual(names, [environment.link_a, environment.link_b]);
    const span = Math.hypot(...environment.point_a.map((x, k) => x - environment.point_b[k]));
    assert.ok(Math.abs(upper - span) < 1e-9, `${upper} ${span}`);
    assert.ok(difference(ends, [...environment.point_a, ...environment.point_b]) < 1e-6, `${ends}`);
    return upper;
  }

  /** Where a body is on the screen. */
  const place = (page, name) =>
    page.evaluate((name) => {
      const { app, stage } = window.clearance;
      const body = app.facts.bodies.findIndex((one) => one.name === name);
      const at = stage.project(stage.bounds((one) => one === body).getCenter(stage.camera.position.clone()));
      const box = document.getElementById("view").getBoundingClientRect();
      return [box.left + at.x, box.top + at.y];
    }, name);

  const poseOf = (page, name) =>
    page.evaluate((name) => window.clearance.app.poseOf(window.clearance.app.facts.bodies.findIndex((one) => one.name === name)), name);

  /** Drags and pushes the lamp, moves a joint; the answers are the command line's. */
  async function handle(page) {
    await page.click("#move");
    const before = await poseOf(page, "lamp");
    // 30 mm over the upper arm, which nothing else is as near to.
    await page.evaluate(() => {
      const { app } = window.clearance;
      app.moveObject(app.facts.bodies.findIndex((one) => one.name === "lamp"), [0.35, 0, 0.72, 1, 0, 0, 0]);
    });
    const above = await poseOf(page, "lamp");
    assert.ok(Math.abs((await compare(page)) - 0.03) < 1e-4);
    const [x, y] = await place(page, "lamp");
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 6, y + 2, { steps: 5 });
    await page.mouse.up();
    const dragged = await poseOf(page, "lamp");
    assert.ok(Math.hypot(dragged[0] - above[0], dragged[1] - above[1]) > 0.005 && dragged[2] === above[2], `${dragged}`);
    const first = await compare(page);
    await page.locator("#view").focus();
    for (const key of ["ArrowRight", "ArrowUp", "PageDown", "Shift+PageDown", "["]) await page.keyboard.press(key);
    const pushed = await poseOf(page, "lamp");
    assert.ok(difference(pushed.slice(0, 3), [dragged[0] + 0.01, dragged[1] + 0.01, dragged[2] - 0.011]) < 1e-12, `${pushed}`);
    assert.ok(Math.abs(2 * Math.asin(pushed[6]) - Math.PI / 36) < 1e-9);
    assert.match(await page.locator("#readout").innerText(), /Moved: lamp\s+at [\d., -]+ m/);
    const second = await compare(page);
    assert.notEqual(first, second);
    await page.click("#tab-joints");
    // Closed fingers touch; open ones are farther apart than the lamp is.
    await page.locator("#joint-0-4").fill("0.05");
    await page.locator("#joint-0-1").fill("-0.03");
    const third = await compare(page);
    assert.notEqual(second, third);
    // A difference quotient of what is answered agrees with the slope that is shown.
    const slope = await page.evaluate(() => window.clearance.app.known.gradients[1][1]);
    await page.locator("#joint-0-1").fill("-0.02999");
    const fourth = await compare(page);
    assert.ok(Math.abs((fourth - third) / 1e-5 - slope) < 1e-3, `${(fourth - third) / 1e-5} ${slope}`);
    assert.match(await page.locator(".slope:visible").first().innerText(), /nearest pair: [+-]?[\d.]+ (mm|µm|m) per (rad|m)/);
    await page.getByText("Back to the recording").click();
    assert.deepEqual(await poseOf(page, "lamp"), before);
    await page.click("#move");
  }

  await test("objects and sliders move, the program that serves answers as the command line does", () => served(handle));

  await test("an overlap of solids shows its depth and the way out", () =>
    served(async (page) => {
      await page.evaluate(() => {
        const { app } = window.clearance;
        const lamp = app.facts.bodies.findIndex((one) => one.name === "lamp");
        // Into the upper arm: a capsule of radius 0.05 m along x at 0.55 m.
        app.moveObject(lamp, [0.3, 0, 0.66, 1, 0, 0, 0]);
      });
      await answered(page);
      const { depths, names, states } = await page.evaluate(() => {
        const { app } = window.clearance;
        const { depths } = app.known;
        return { depths, names: depths.map(({ a, b }) => [a, b].map((body) => app.facts.bodies[body].name)), states: depths.map(({ a }) => app.state(a)) };
      });
      const at = names.findIndex(([a, b]) => a === "upper_arm" && b === "lamp");
      assert.ok(at >= 0, JSON.stringify(names));
      const depth = Math.hypot(...depths[at].shift);
      assert.ok(Math.abs(depth - (0.05 + 0.09 - 0.11)) < 1e-4, `${depth}`);
      assert.ok(depths[at].shift[2] > 0.99 * depth && states[at] === "colliding");
      assert.match(await page.locator("#labels").innerText(), /30\.\d\d mm deep/);
      // Its arrow head points up, the way that the lamp has to go.
      const heads = await page.evaluate(() => window.clearance.app.overlay.heads.map((head) => head.position.clone().set(0, 1, 0).applyQuaternion(head.quaternion).toArray()));
      assert.equal(heads.length, depths.filter(({ shift }) => Math.hypot(...shift) > 1e-6).length);
      assert.ok(heads.some((along) => along[2] > 0.99), JSON.stringify(heads));
      return `${(1000 * depth).toFixed(3)} mm, ${await glance(page, "overlap")}`;
    }));

  await test("volumes by level and the reach of a link can be seen", () =>
    served(async (page) => {
      await page.click("#tab-volumes");
      await page.selectOption("#volumes", "boxes");
      await page.waitForFunction(() => window.clearance.app.volumes.shapes.count() > 0);
      // Seven links and four objects have an end; the floor has none.
      assert.equal(await page.evaluate(() => window.clearance.app.volumes.shapes.count()), 11);
      await page.selectOption("#volumes", "spheres");
      await page.check("#reach");
      await page.evaluate(() => {
        const { app } = window.clearance;
        app.select([app.facts.bodies.findIndex((one) => one.name === "hand")]);
      });
      await page.waitForFunction(() => window.clearance.app.volumes.reached.count() > 0);
      assert.match(await page.locator("#page-volumes .detail").innerText(), /hand never leaves/);
      await accessible(page);
      const note = await look(page, "viewer-volumes");
      await page.selectOption("#volumes", "none");
      await page.uncheck("#reach");
      assert.equal(await page.evaluate(() => window.clearance.app.volumes.shapes.count() + window.clearance.app.volumes.reached.count()), 0);
      return note;
    }));

  if (existsSync(join(folder, "live.html"))) {
    await test("a page that holds the engine answers from file://, without a server", async () => {
      const page = await open(url("live.html"));
      await handle(page);
      const note = `${(readFileSync(join(folder, "live.html")).length / 1e6).toFixed(1)} MB`;
      assert.deepEqual([page.foreign, page.errors], [[], []]);
      await page.context().close();
      const narrow = await open(url("live.html"), NARROW);
      const wider = await narrow.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      assert.equal(wider, false, "the page is wider than 400 px");
      await narrow.context().close();
      return note;
    });
  } else {
    console.log("SKIPPED a page that holds the engine: it could not be built here");
  }

  await test("a program streams poses at 60 a second", async () => {
    const program = spawn(join(folder, "stream"), ["20", "quiet"]);
    try {
      const line = await new Promise((done) => program.stdout.once("data", (data) => done(String(data))));
      const page = await open(line.match(/http:\S+/)[0], WIDE);
      const rate = await page.evaluate(async () => {
        const { app } = window.clearance;
        let [seen, before] = [0, ""];
        const start = performance.now();
        while (performance.now() - start < 2000) {
          const now = String(app.configuration(0));
          if (now !== before) seen += 1;
          before = now;
          await new Promise((done) => setTimeout(done, 4));
        }
        return seen / 2;
      });
      await page.waitForFunction(() => window.clearance.app.known?.clearances.length > 0);
      assert.ok(rate > 5, `${rate} poses a second`);
      const foreign = page.foreign.filter((address) => !/\/(stream|answer\?q=.*)$/.test(address));
      assert.deepEqual([foreign, page.errors], [[], []]);
      program.kill();
      await page.context().close();
      return inTime(rate > 50, `${rate} poses a second`);
    } finally {
      program.kill();
    }
  });
}
