// The nearest pairs of the whole recording, and the verdicts on its segments; a click goes there.

import type { App } from "../app";
import { make } from "../dom";
import { length } from "../facts";

const MOST = 30;

export class Nearest {
  readonly element = make("div", { class: "page" });

  constructor(app: App) {
    const { facts } = app;
    const pairs = new Map<string, { a: number; b: number; upper: number; frame: number; name: string }>();
    for (const clearance of facts.clearances) {
      clearance.witnesses.forEach((witness, frame) => {
        const upper = clearance.upper[frame];
        if (!witness || upper === null) return;
        const key = `${witness.a} ${witness.b}`;
        const known = pairs.get(key);
        if (!known || upper < known.upper) pairs.set(key, { a: witness.a, b: witness.b, upper, frame, name: clearance.name });
      });
    }
    const sorted = [...pairs.values()].sort((one, other) => one.upper - other.upper).slice(0, MOST);
    const list = make("ol", { class: "list", "aria-label": "Nearest pairs" });
    for (const { a, b, upper, frame } of sorted) {
      const text = `${facts.bodies[a].name} – ${facts.bodies[b].name}`;
      const button = make("button", { class: "name" }, make("strong", {}, length(upper)), ` ${text}, ${app.timeText(frame)}`);
      if (upper === 0) button.dataset.state = "colliding";
      else if (upper <= facts.margin) button.dataset.state = "near";
      button.onclick = () => {
        app.go(frame);
        app.select([a, b]);
      };
      list.append(make("li", {}, button));
    }
    const none = make("p", { class: "quiet" }, "The recording has no distances.");
    this.element.append(make("h2", {}, "Nearest pairs of the recording"), sorted.length ? list : none);
    if (!facts.segments.length) return;
    const segments = make("ol", { class: "list", "aria-label": "Segments" });
    for (const segment of facts.segments) {
      const button = make("button", { class: "name" }, segment.text);
      button.dataset.state = segment.verdict === "contact" ? "colliding" : segment.verdict;
      button.onclick = () => app.goTo(segment.from);
      segments.append(make("li", {}, button));
    }
    this.element.append(make("h2", {}, "Verdicts on the motion"), segments);
  }
}
