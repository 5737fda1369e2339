// Pairs of links as a matrix: which can never touch, and how far they stay apart.

import type { App } from "../app";
import { make } from "../dom";
import { type RobotFacts, count, length } from "../facts";

/** Colours of verdicts, and what they mean. */
const VERDICTS: Record<string, [string, string]> = {
  never: ["#2f9e44", "never touch: proven"],
  adjacent: ["#adb5bd", "neighbours: not checked"],
  disabled: ["#748ffc", "need no check, by the SRDF file"],
  sometimes: ["#f08c00", "touch in some configuration"],
  always: ["#e03131", "touch in all configurations that were tried"],
  undecided: ["#f1e8c8", "undecided"],
};

class Matrix {
  readonly element = make("section");
  private readonly canvas = make("canvas", { class: "matrix", tabindex: 0, role: "application" });
  private readonly text = make("p", { "aria-live": "polite", class: "detail" });
  private readonly links: number[];
  private readonly verdicts = new Map<string, { verdict: string; gap: number | null }>();
  private chosen: [number, number] = [0, 0];

  constructor(
    private readonly app: App,
    private readonly robot: RobotFacts,
  ) {
    this.links = [...new Set(robot.pairs.flatMap((pair) => pair.links))].sort((a, b) => a - b);
    for (const pair of robot.pairs) this.verdicts.set(pair.links.join(" "), pair);
    this.canvas.setAttribute("aria-label", `Pairs of links of ${robot.name}: arrow keys choose a pair`);
    const at = (event: MouseEvent): [number, number] => {
      const box = this.canvas.getBoundingClientRect();
      const cell = (share: number) => Math.min(this.links.length - 1, Math.max(0, Math.floor(share * this.links.length)));
      return [cell((event.clientY - box.top) / box.height), cell((event.clientX - box.left) / box.width)];
    };
    this.canvas.onclick = (event) => this.choose(at(event));
    this.canvas.onmousemove = (event) => (this.canvas.title = this.words(at(event)));
    this.canvas.onkeydown = (event) => {
      const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      const last = this.links.length - 1;
      const moved = this.chosen.map((place, k) => Math.min(last, Math.max(0, place + by[k])));
      this.choose(moved as [number, number]);
    };
    const legend = make("ul", { class: "legend" });
    for (const [verdict, [color, words]] of Object.entries(VERDICTS)) {
      const found = robot.pairs.filter((pair) => pair.verdict === verdict).length;
      if (!found) continue;
      legend.append(make("li", {}, make("span", { class: "swatch", style: `background: ${color}` }), `${count(found, "pair", "pairs")} ${words}`));
    }
    this.element.append(make("h2", {}, `Pairs of links of ${robot.name}`), this.canvas, this.text, legend);
    this.text.textContent = "Choose a cell to see both links.";
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  private words([row, column]: [number, number]): string {
    const name = (place: number) => this.app.facts.bodies[this.robot.links[this.links[place]]].name;
    if (row === column) return name(row);
    const known = this.verdicts.get([this.links[Math.min(row, column)], this.links[Math.max(row, column)]].join(" "));
    const apart = known?.gap == null ? "" : `, at least ${length(known.gap)} apart`;
    return `${name(row)} – ${name(column)}: ${known ? VERDICTS[known.verdict][1] : "not known"}${apart}`;
  }

  private choose(cell: [number, number]): void {
    this.chosen = cell;
    this.text.textContent = this.words(cell);
    this.app.select(cell.map((place) => this.robot.links[this.links[place]]));
    this.draw();
  }

  draw(): void {
    const [size, pen] = [this.canvas.clientWidth, this.canvas.getContext("2d")];
    if (!pen || !size) return;
    const ratio = window.devicePixelRatio;
    this.canvas.width = this.canvas.height = Math.round(size * ratio);
    pen.scale(ratio, ratio);
    const n = this.links.length;
    const [edge, gap] = [size / n, n > 60 ? 0 : 1];
    for (let row = 0; row < n; row++) {
      for (let column = 0; column < n; column++) {
        const known = this.verdicts.get([this.links[Math.min(row, column)], this.links[Math.max(row, column)]].join(" "));
        pen.fillStyle = row === column ? "#495057" : VERDICTS[known?.verdict ?? "undecided"][0];
        pen.fillRect(column * edge, row * edge, edge - gap, edge - gap);
      }
    }
    pen.strokeStyle = getComputedStyle(document.body).getPropertyValue("--ink");
    pen.lineWidth = 2;
    pen.strokeRect(this.chosen[1] * edge, this.chosen[0] * edge, edge, edge);
  }
}

export class Pairs {
  readonly element = make("div", { class: "page" });
  private readonly matrices: Matrix[];

  constructor(app: App) {
    this.matrices = app.facts.robots.filter((robot) => robot.pairs.length).map((robot) => new Matrix(app, robot));
    this.matrices.forEach((matrix) => this.element.append(matrix.element));
    if (!this.matrices.length) this.element.append(make("p", { class: "quiet" }, "There is no robot with two links."));
  }

  redraw(): void {
    this.matrices.forEach((matrix) => matrix.draw());
  }
}
