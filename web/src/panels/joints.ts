// Sliders for all joints, within their limits; joints that follow another one show where they are.

import type { App } from "../app";
import { make } from "../dom";
import { length, position } from "../facts";
import { positions } from "../kinematics";

interface Slider {
  robot: number;
  variable: number;
  input: HTMLInputElement;
  output: HTMLOutputElement;
  slope: HTMLElement;
  unit: string;
}

/** The range of what has no limits: a turn, or some metres. */
const WIDEST: Record<string, number> = { rad: Math.PI, m: 5, "1": 1 };

const STILL = "Distances belong to the recording: they are not shown for a pose that was set here.";

export class Joints {
  readonly element = make("div", { class: "page" });
  private readonly sliders: Slider[] = [];
  private readonly followers: { robot: number; joint: number; output: HTMLElement; unit: string }[] = [];
  private readonly back = make("button", { disabled: true }, "Back to the recording");

  constructor(private readonly app: App) {
    this.back.onclick = () => app.release();
    this.element.append(
      make("div", { class: "row" }, this.back),
      make("p", { class: "quiet" }, app.engine?.where ?? STILL),
    );
    app.facts.robots.forEach((robot, number) => {
      const list = make("div", { class: "joints" });
      robot.variables.forEach((variable, place) => {
        const [low, high] = [variable.lower ?? -WIDEST[variable.unit], variable.upper ?? WIDEST[variable.unit]];
        const id = `joint-${number}-${place}`;
        const input = make("input", { type: "range", id, min: low, max: high, step: "any" });
        const output = make("output", { for: id });
        const slope = make("span", { class: "slope quiet", hidden: true });
        input.oninput = () => app.setJoint(number, place, Number(input.value));
        list.append(make("div", { class: "joint" }, make("label", { for: id }, variable.name), output, input, slope));
        this.sliders.push({ robot: number, variable: place, input, output, slope, unit: variable.unit });
      });
      robot.joints.forEach((joint, place) => {
        if (joint.variable === null || (joint.multiplier === 1 && joint.offset === 0 && robot.variables[joint.variable].name === joint.name)) return;
        if (joint.kind === "planar" || joint.kind === "floating") return;
        const output = make("output");
        const followed = robot.variables[joint.variable].name;
        list.append(make("div", { class: "joint" }, make("span", {}, `${joint.name}, follows ${followed}`), output));
        this.followers.push({ robot: number, joint: place, output, unit: joint.kind === "prismatic" ? "m" : "rad" });
      });
      this.element.append(make("section", {}, make("h2", {}, `Joints of ${robot.name}`), list));
    });
  }

  update(): void {
    this.back.disabled = !this.app.byHand;
    const slopes = this.app.slopes();
    for (const { robot, variable, input, output, slope, unit } of this.sliders) {
      const value = this.app.configuration(robot)[variable];
      // A slider keeps to its range; the number does not.
      input.value = String(value);
      output.textContent = position(value, unit);
      input.setAttribute("aria-valuetext", output.textContent);
      const known = robot === 0 ? slopes[variable] : undefined;
      slope.hidden = known === undefined;
      if (known !== undefined) slope.textContent = `the nearest pair: ${known > 0 ? "+" : ""}${length(known)} per ${unit === "1" ? "unit" : unit}`;
    }
    for (const { robot, joint, output, unit } of this.followers) {
      const [value] = positions(this.app.facts.robots[robot].joints[joint], this.app.configuration(robot));
      output.textContent = position(value, unit);
    }
  }
}
