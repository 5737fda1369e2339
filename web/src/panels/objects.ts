// The tree of links and objects: search, choose, show and hide.

import type { App } from "../app";
import { make } from "../dom";
import { count } from "../facts";

interface Row {
  body: number;
  name: string;
  item: HTMLElement;
  box: HTMLInputElement;
  button: HTMLButtonElement;
}

export class Objects {
  readonly element = make("div", { class: "page" });
  readonly search = make("input", { type: "search", placeholder: "Search links and objects ( / )", "aria-label": "Search links and objects" });
  private readonly rows: Row[] = [];
  private readonly none = make("p", { class: "quiet", hidden: true }, "No name matches.");
  private readonly groups: HTMLElement[] = [];

  constructor(private readonly app: App) {
    const all = (visible: boolean) => () => app.setVisible(this.rows.filter((row) => !row.item.hidden).map((row) => row.body), visible);
    const [show, hide] = [make("button", {}, "Show all"), make("button", {}, "Hide all")];
    show.onclick = all(true);
    hide.onclick = all(false);
    this.search.oninput = () => this.filter();
    this.search.onkeydown = (event) => {
      if (event.key === "Enter") this.chooseFirst();
    };
    this.element.append(make("div", { class: "row" }, this.search), make("div", { class: "row" }, show, hide));
    app.facts.robots.forEach((robot) => {
      const depth = [0];
      robot.joints.forEach((joint, j) => (depth[j + 1] = depth[joint.parent] + 1));
      this.group(`Robot ${robot.name}`, robot.links, (i) => depth[i]);
    });
    const objects = app.facts.bodies.map((_, body) => body).filter((body) => app.facts.bodies[body].kind === "object");
    if (objects.length) this.group("Objects", objects, () => 0);
    this.element.append(this.none);
  }

  private group(title: string, bodies: number[], depth: (i: number) => number): void {
    const list = make("ul", { class: "tree", "aria-label": title });
    bodies.forEach((body, i) => {
      const facts = this.app.facts.bodies[body];
      const box = make("input", { type: "checkbox", "aria-label": `Show ${facts.name}` });
      const size = facts.cells ? count(facts.cells, "cell", "cells") : facts.triangles ? count(facts.triangles, "triangle", "triangles") : "no geometry";
      const button = make("button", { class: "name", "aria-pressed": "false" }, facts.name);
      box.checked = true;
      box.disabled = !facts.cells && !facts.triangles;
      box.onchange = () => this.app.setVisible([body], box.checked);
      button.onclick = (event) => this.app.select(event.ctrlKey || event.shiftKey ? [...this.app.selected, body] : [body]);
      button.ondblclick = () => this.app.look([body]);
      const item = make("li", { style: `--depth: ${Math.min(8, depth(i))}` }, box, button, make("span", { class: "quiet" }, size));
      list.append(item);
      this.rows.push({ body, name: facts.name.toLowerCase(), item, box, button });
    });
    const group = make("section", {}, make("h2", {}, title), list);
    this.groups.push(group);
    this.element.append(group);
  }

  private filter(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.rows.forEach((row) => (row.item.hidden = !words.every((word) => row.name.includes(word))));
    this.groups.forEach((group) => (group.hidden = !group.querySelector("li:not([hidden])")));
    this.none.hidden = this.rows.some((row) => !row.item.hidden);
  }

  private chooseFirst(): void {
    const row = this.rows.find((one) => !one.item.hidden);
    if (!row) return;
    this.app.select([row.body]);
    this.app.look([row.body]);
  }

  update(): void {
    for (const row of this.rows) {
      const state = this.app.state(row.body);
      row.item.dataset.state = state;
      row.button.setAttribute("aria-pressed", String(this.app.selected.has(row.body)));
      row.box.checked = !this.app.hidden.has(row.body);
    }
  }

  reveal(body: number): void {
    this.rows.find((row) => row.body === body)?.item.scrollIntoView({ block: "nearest" });
  }
}
