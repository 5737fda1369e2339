// Bounding volumes by level, and where links can be at all: what the engine sees instead of surfaces.

import type { App } from "../app";
import { make } from "../dom";
import { count } from "../facts";
import { type BodyVolumes, type Kind, Shapes } from "../shapes";

const KINDS: [Kind | "none", string][] = [
  ["none", "none"],
  ["spheres", "spheres of a sphere tree"],
  ["boxes", "oriented boxes"],
];

export class Volumes {
  readonly element = make("div", { class: "page" });
  private readonly kind = make("select", { id: "volumes" });
  private readonly level = make("input", { type: "range", id: "level", min: 0, max: 0, value: 0, step: 1, disabled: true });
  private readonly levelText = make("output", { for: "level" }, "0");
  private readonly text = make("p", { class: "detail", "aria-live": "polite" });
  private readonly reach = make("input", { type: "checkbox", id: "reach" });
  readonly shapes: Shapes;
  readonly reached: Shapes;
  private asked = 0;
  private reachOf = -1;

  constructor(private readonly app: App) {
    [this.shapes, this.reached] = [new Shapes(app.stage, "#1c7ed6"), new Shapes(app.stage, "#9c36b5")];
    const title = make("h2", {}, "Bounding volumes");
    if (!app.engine) {
      this.element.append(title, make("p", { class: "quiet" }, "A recording holds surfaces alone. Open the robot with clearance view, or a page that holds the engine, to see volumes and reach."));
      return;
    }
    this.kind.append(...KINDS.map(([value, words]) => make("option", { value }, words)));
    this.kind.onchange = () => void this.show();
    this.level.oninput = () => void this.show();
    this.reach.onchange = () => this.update();
    this.element.append(
      title,
      make("div", { class: "joint" }, make("label", { for: "volumes" }, "Volumes"), this.kind),
      make("div", { class: "joint" }, make("label", { for: "level" }, "Level of the hierarchy"), this.levelText, this.level),
      this.text,
      make("h2", {}, "Range of motion"),
      make("div", { class: "row" }, this.reach, make("label", { for: "reach" }, "Where the chosen link can be at all within the joint limits")),
      make("p", { class: "quiet" }, "Choose a link in the view or in the list of objects. It never leaves these spheres."),
    );
  }

  private async show(): Promise<void> {
    const [kind, level, asked] = [this.kind.value, Number(this.level.value), ++this.asked];
    this.level.disabled = kind === "none";
    this.levelText.textContent = String(level);
    this.text.textContent = "";
    if (kind === "none") return this.shapes.clear();
    this.text.textContent = "Building hierarchies …";
    const found = (await this.app.engine?.ask({ volumes: kind, level }).catch((error: Error) => error)) as { levels: number; bodies: BodyVolumes[] } | Error | undefined;
    if (asked !== this.asked || !found) return;
    if (found instanceof Error) {
      this.text.textContent = found.message;
      return;
    }
    this.level.max = String(Math.max(0, found.levels - 1));
    this.shapes.show(found.bodies.filter(({ body }) => this.app.isVisible(body)).map(({ body, volumes }) => ({ on: this.app.node(body), numbers: volumes })));
    this.text.textContent = `${count(this.shapes.count(), "volume", "volumes")} at level ${level} of ${found.levels - 1}.`;
  }

  /** Follows what is chosen. */
  update(): void {
    if (!this.app.engine) return;
    const [chosen] = this.app.selected;
    const body = this.reach.checked && chosen !== undefined && this.app.facts.bodies[chosen].robot === 0 ? chosen : -1;
    if (body === this.reachOf) return;
    this.reachOf = body;
    this.reached.clear();
    if (body < 0) return;
    void this.app.engine
      .ask({ reach: body })
      .then((answer) => {
        const { spheres } = answer as { spheres: number[][] | null };
        if (body !== this.reachOf) return;
        const name = this.app.facts.bodies[body].name;
        this.text.textContent = spheres ? `${name} never leaves ${count(spheres.length, "sphere", "spheres")}.` : `Nothing bounds ${name}: a joint that carries it has no limits.`;
        this.reached.show([{ on: this.app.stage.scene, numbers: spheres ?? [] }]);
      })
      .catch((error: Error) => (this.text.textContent = error.message));
  }

  remove(): void {
    this.shapes.clear();
    this.reached.clear();
  }
}
