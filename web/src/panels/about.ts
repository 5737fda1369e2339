// What the recording holds, remarks, and the keys.

import type { App } from "../app";
import { make } from "../dom";
import { count, length } from "../facts";

const KEYS: [string, string][] = [
  ["space", "play or pause"],
  ["← →", "one frame back or on"],
  ["home, end", "first or last frame"],
  ["F", "fit everything, or what is chosen"],
  ["X", "see through everything"],
  ["W", "shortest lines on or off"],
  ["L", "logarithmic plot on or off"],
  ["/", "search"],
  ["M", "move objects: drag one, with shift up and down"],
  ["← → ↑ ↓", "while moving: the chosen object 10 mm along x or y, with shift 1 mm"],
  ["page up, down", "while moving: along z"],
  ["[ ]", "while moving: turn by 5°, with shift by 0.5°"],
  ["T", "light or dark"],
  ["Esc", "choose nothing"],
];

export class About {
  readonly element = make("div", { class: "page" });

  constructor(app: App) {
    const { facts } = app;
    const sum = (pick: (body: (typeof facts.bodies)[number]) => number) => facts.bodies.reduce((all, body) => all + pick(body), 0);
    const rows = [
      count(facts.robots.length, "robot", "robots"),
      count(facts.bodies.filter((body) => body.kind === "object").length, "object", "objects"),
      count(sum((body) => body.triangles), "triangle", "triangles"),
      count(sum((body) => body.cells), "cell or point", "cells or points"),
      count(facts.timeline.times.length, "frame", "frames"),
    ];
    if (facts.margin > 0) rows.push(`links within ${length(facts.margin)} of something are amber, colliding ones red`);
    this.element.append(make("h2", {}, facts.title), make("ul", { class: "list" }, ...rows.map((row) => make("li", {}, row))));
    if (facts.notes.length) {
      this.element.append(make("h2", {}, "Remarks"), make("ul", { class: "list" }, ...facts.notes.map((note) => make("li", {}, note))));
    }
    const keys = make("dl", { class: "keys" });
    for (const [key, words] of KEYS) keys.append(make("dt", {}, make("kbd", {}, key)), make("dd", {}, words));
    this.element.append(make("h2", {}, "Keys"), keys, make("p", { class: "quiet" }, `Recorded by ${facts.generator}. Drag to orbit, right button to pan, wheel to zoom, click to choose, double click to look closer.`));
  }
}
