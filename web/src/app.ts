// The state of the page, and what follows from a change of it.

import { Box3, type Object3D } from "three";
import { byId, make } from "./dom";
import type { Engine } from "./engine";
import { type Answers, type Facts, type Moment, type Pose7, length, momentOf } from "./facts";
import { linkPoses, placed } from "./kinematics";
import type { Model } from "./load";
import { Overlay, SERIES } from "./overlay";
import { About } from "./panels/about";
import { Joints } from "./panels/joints";
import { Nearest } from "./panels/nearest";
import { Objects } from "./panels/objects";
import { Pairs } from "./panels/pairs";
import { Volumes } from "./panels/volumes";
import { Plot, nearest } from "./plot";
import type { Stage, State } from "./stage";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10];
/** Frames that are counted, not timed, go by at this rate. */
const ROWS_A_SECOND = 10;
/** Frames that are looked at to know how far things get. */
const SAMPLES = 12;

export class App {
  readonly facts: Facts;
  frame = 0;
  playing = false;
  speed = 1;
  selected = new Set<number>();
  hidden = new Set<number>();
  /** Configurations that were set by hand, by robot; none while the recording is shown. */
  manual: number[][] | null = null;
  /** Objects that were moved by hand, with their poses in the world. */
  readonly moved = new Map<number, Pose7>();
  /** What is known of what is shown; none of a pose set by hand, unless somebody answers. */
  private moment: Moment | null = null;
  /** Whether an answer to what is shown is still to come. */
  asking = false;
  private trouble = "";
  readonly overlay: Overlay;
  private readonly plot: Plot | null;
  private readonly objects: Objects;
  private readonly joints: Joints;
  private readonly pairs: Pairs;
  readonly volumes: Volumes;
  private lines = true;
  private xray = false;
  private log = false;
  /** Where playing is; a frame's time, or between two. */
  private time = 0;
  private tab = 0;
  /** Where objects stand that nobody has moved. */
  private readonly rest: (Pose7 | null)[];

  constructor(
    private readonly model: Model,
    readonly stage: Stage,
    readonly engine: Engine | null,
  ) {
    this.facts = model.facts;
    byId("title").textContent = this.facts.title;
    stage.show(model);
    this.rest = model.nodes.map(({ position: at, quaternion: turn }, body) => (this.canMove(body) ? [at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z] : null));
    this.overlay = new Overlay(stage, this.facts, byId("labels"));
    stage.drawn = () => {
      const view = byId("view");
      this.overlay.place(view.clientWidth, view.clientHeight);
    };
    const moves = this.facts.timeline.times.length > 1;
    byId("time").hidden = !moves;
    document.body.classList.toggle("still", !moves);
    this.plot = moves && this.facts.clearances.length ? new Plot(byId("plot"), this.facts, (frame) => this.go(frame)) : null;
    byId("plot").hidden = !this.plot;
    byId("log").hidden = !this.plot;
    [this.objects, this.joints, this.pairs] = [new Objects(this), new Joints(this), new Pairs(this)];
    this.volumes = new Volumes(this);
    this.tabs();
    this.timeline();
    this.time = this.facts.timeline.times[0];
    this.update();
    this.fitAll();
  }

  /** Panels that have something to show, each under a tab. */
  private tabs(): void {
    const robots = this.facts.robots.length > 0;
    const pages: [string, HTMLElement, boolean][] = [
      ["Objects", this.objects.element, true],
      ["Joints", this.joints.element, robots],
      ["Nearest", new Nearest(this).element, this.facts.clearances.length > 0],
      ["Pairs", this.pairs.element, robots],
      ["Volumes", this.volumes.element, robots],
      ["About", new About(this).element, true],
    ];
    const [bar, holder] = [document.querySelector(".tabs") as HTMLElement, byId("pages")];
    bar.replaceChildren();
    holder.replaceChildren();
    const shown = pages.filter(([, , there]) => there);
    const choose = (chosen: number, focus: boolean) => {
      this.tab = chosen;
      [...bar.children].forEach((tab, i) => {
        tab.setAttribute("aria-selected", String(i === chosen));
        (tab as HTMLElement).tabIndex = i === chosen ? 0 : -1;
        (holder.children[i] as HTMLElement).hidden = i !== chosen;
      });
      if (focus) (bar.children[chosen] as HTMLElement).focus();
      this.pairs.redraw();
    };
    shown.forEach(([name, element], i) => {
      const id = name.toLowerCase();
      const tab = make("button", { role: "tab", id: `tab-${id}`, "aria-controls": `page-${id}` }, name);
      tab.onclick = () => choose(i, false);
      tab.onkeydown = (event) => {
        const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
        if (!by) return;
        event.stopPropagation();
        choose((this.tab + by + shown.length) % shown.length, true);
      };
      bar.append(tab);
      element.id = `page-${id}`;
      element.setAttribute("role", "tabpanel");
      element.setAttribute("aria-labelledby", tab.id);
      element.tabIndex = 0;
      holder.append(element);
    });
    choose(0, false);
  }

  private timeline(): void {
    const [scrub, play, speed] = [byId<HTMLInputElement>("scrub"), byId("play"), byId<HTMLSelectElement>("speed")];
    scrub.max = String(this.facts.timeline.times.length - 1);
    scrub.oninput = () => this.go(Number(scrub.value));
    play.onclick = () => this.play(!this.playing);
    speed.replaceChildren(...SPEEDS.map((factor) => make("option", { value: factor }, `${factor} ×`)));
    speed.value = "1";
    speed.onchange = () => (this.speed = Number(speed.value));
  }

  /** The time of a frame in words. */
  timeText(frame: number): string {
    const { unit, times } = this.facts.timeline;
    return unit === "s" ? `${times[frame].toFixed(2)} s` : `${unit} ${Number(times[frame].toFixed(3))}`;
  }

  configuration(robot: number): number[] {
    return this.manual?.[robot] ?? this.facts.robots[robot].configurations[this.frame];
  }

  /** Goes to a frame. */
  go(frame: number): void {
    this.frame = Math.min(this.facts.timeline.times.length - 1, Math.max(0, Math.round(frame)));
    this.time = this.facts.timeline.times[this.frame];
    this.manual = null;
    this.moved.clear();
    this.update();
  }

  /** Goes to the frame nearest to a time. */
  goTo(time: number): void {
    this.go(nearest(this.facts.timeline.times, time));
  }

  play(on: boolean): void {
    const { times } = this.facts.timeline;
    if (times.length < 2) return;
    this.playing = on;
    byId("play").textContent = on ? "Pause" : "Play";
    this.stage.setMoving(on);
    if (!on) return;
    if (this.frame === times.length - 1) this.go(0);
    const rate = this.facts.timeline.unit === "s" ? 1 : ROWS_A_SECOND / density(times);
    let before = performance.now();
    const tick = (now: number) => {
      if (!this.playing) return;
      const time = this.time + ((now - before) / 1000) * this.speed * rate;
      before = now;
      const frame = last(times, time);
      if (frame !== this.frame) this.go(frame);
      // Between two frames the time goes on.
      this.time = time;
      if (frame >= times.length - 1) this.play(false);
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  setJoint(robot: number, variable: number, value: number): void {
    this.play(false);
    this.manual ??= this.facts.robots.map((one) => [...one.configurations[this.frame]]);
    this.manual[robot][variable] = value;
    this.changed();
  }

  /** Whether a body may be moved by hand: an object that the recording does not move. */
  canMove(body: number): boolean {
    const { kind, poses } = this.facts.bodies[body];
    return kind === "object" && !poses;
  }

  /** The pose of an object in the world. */
  poseOf(body: number): Pose7 {
    const { position: at, quaternion: turn } = this.model.nodes[body];
    return this.moved.get(body) ?? [at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z];
  }

  moveObject(body: number, pose: Pose7): void {
    this.play(false);
    this.manual ??= this.facts.robots.map((one) => [...one.configurations[this.frame]]);
    this.moved.set(body, pose);
    this.changed();
  }

  /** Shows what a program sends: a configuration for each robot, and objects elsewhere. */
  stream(rows: number[][], moved: Record<string, Pose7>): void {
    this.manual = rows;
    for (const [body, pose] of Object.entries(moved)) this.moved.set(Number(body), pose);
    this.changed();
  }

  /** What is known of what is shown. */
  get known(): Moment | null {
    return this.moment;
  }

  /** Whether something is shown that the recording does not have. */
  get byHand(): boolean {
    return this.manual !== null || this.moved.size > 0;
  }

  private changed(): void {
    this.update();
    void this.ask();
  }

  /** Asks about what was set by hand; the last one wins, one question at a time. */
  private async ask(): Promise<void> {
    if (!this.engine || this.asking || !this.facts.robots.length) return;
    this.asking = true;
    const now = () => JSON.stringify({ row: this.configuration(0), moved: [...this.moved] });
    for (let asked = ""; this.byHand && asked !== now(); ) {
      asked = now();
      try {
        const found = (await this.engine.ask(JSON.parse(asked))) as Answers;
        this.trouble = "";
        if (this.byHand) this.update(momentOf(found, 0));
      } catch (error) {
        this.trouble = error instanceof Error ? error.message : String(error);
        this.moment = null;
        this.update();
      }
    }
    this.asking = false;
  }

  /** The derivatives of the smallest distance by the first robot's variables; empty where not known. */
  slopes(): number[] {
    const { clearances = [], gradients = [] } = this.moment ?? {};
    const uppers = clearances.map(({ upper }) => upper ?? Infinity);
    return gradients[uppers.indexOf(Math.min(...uppers))] ?? [];
  }

  /** Shows the recording again. */
  release(): void {
    this.manual = null;
    this.moved.clear();
    this.update();
  }

  select(bodies: number[]): void {
    this.selected = new Set(bodies);
    this.update();
    if (bodies.length) this.objects.reveal(bodies[0]);
  }

  setVisible(bodies: number[], visible: boolean): void {
    bodies.forEach((body) => (visible ? this.hidden.delete(body) : this.hidden.add(body)));
    this.update();
  }

  state(body: number): State {
    if (this.selected.has(body)) return "selected";
    const near = this.moment?.near ?? [];
    const own = near.filter((pair) => pair.a === body || pair.b === body);
    if (own.some((pair) => pair.colliding)) return "colliding";
    return own.length && this.facts.bodies[body].kind === "link" ? "near" : "plain";
  }

  /** Whether a body is there now and not hidden. */
  isVisible(body: number): boolean {
    const during = this.facts.bodies[body].during;
    return !this.hidden.has(body) && (!during || (during[0] <= this.frame && this.frame <= during[1]));
  }

  toggle(what: "xray" | "lines" | "log"): void {
    this[what] = !this[what];
    byId(what).setAttribute("aria-pressed", String(this[what]));
    if (what === "xray") this.stage.setXray(this.xray);
    else if (what === "log") this.plot?.setLog(this.log);
    else this.update();
  }

  /** Looks at what is chosen, or else at everything. */
  fit(): void {
    if (this.selected.size) this.look([...this.selected]);
    else this.fitAll();
  }

  /** Looks at some bodies as they are now. */
  look(bodies: number[]): void {
    this.stage.fit(this.stage.bounds((body) => bodies.includes(body)));
  }

  /** Looks at all that is visible, wherever it gets to. Planes have no end and do not count. */
  private fitAll(): void {
    const here = this.frame;
    const [frames, box] = [this.facts.timeline.times.length, new Box3()];
    const bounded = (body: number) => !this.facts.bodies[body].unbounded;
    const add = () => box.union(this.stage.bounds(bounded));
    if (this.manual) add();
    else {
      for (let i = 0; i < SAMPLES; i++) {
        this.frame = Math.round((i * (frames - 1)) / (SAMPLES - 1));
        this.place();
        add();
        if (frames === 1) break;
      }
      this.frame = here;
      this.place();
    }
    this.stage.fit(box.isEmpty() ? this.stage.bounds(() => true) : box);
  }

  search(): void {
    byId("tab-objects").click();
    this.objects.search.focus();
  }

  redraw(): void {
    this.plot?.draw();
    this.pairs.redraw();
  }

  /** Takes everything off the view, for another recording. */
  close(): void {
    this.play(false);
    this.overlay.remove();
    this.volumes.remove();
  }

  /** Puts all bodies where they are at the present frame, or by hand. */
  private place(): void {
    const { facts, model } = this;
    facts.robots.forEach((robot, number) => {
      linkPoses(robot, this.configuration(number)).forEach(({ position, quaternion }, link) => {
        const node = model.nodes[robot.links[link]];
        node.position.copy(position);
        node.quaternion.copy(quaternion);
      });
    });
    facts.bodies.forEach((body, number) => {
      const pose = this.moved.get(number) ?? body.poses?.[this.frame] ?? this.rest[number];
      if (!pose) return;
      const { position, quaternion } = placed(pose);
      model.nodes[number].position.copy(position);
      model.nodes[number].quaternion.copy(quaternion);
    });
    model.root.updateMatrixWorld(true);
  }

  private update(answer?: Moment): void {
    const { facts } = this;
    // Until the next answer comes, the last one stays: lines would flicker otherwise.
    const meanwhile = this.engine ? this.moment : null;
    this.moment = answer ?? (this.byHand ? meanwhile : momentOf(facts, this.frame));
    this.place();
    this.stage.paint(
      (body) => this.state(body),
      (body) => this.isVisible(body),
    );
    this.overlay.show(this.lines ? this.moment : null);
    this.plot?.set(this.frame);
    this.objects.update();
    this.joints.update();
    this.volumes.update();
    const scrub = byId<HTMLInputElement>("scrub");
    scrub.value = String(this.frame);
    const { times, unit } = facts.timeline;
    const end = unit === "s" ? ` of ${times[times.length - 1].toFixed(2)} s` : "";
    byId("clock").textContent = `${this.timeText(this.frame)}${end}`;
    scrub.setAttribute("aria-valuetext", this.timeText(this.frame));
    this.readout();
  }

  /** The clearances now, with the nearest pair. */
  private readout(): void {
    const rows = this.facts.clearances.flatMap((clearance, i) => {
      const now = this.moment?.clearances[i];
      const title = make("dt", { style: `--series: ${SERIES[i % SERIES.length]}` }, `Clearance ${clearance.name}`);
      if (!now) return [title, make("dd", {}, this.trouble || (this.engine ? "…" : "not known for a pose set by hand"))];
      const { upper, lower, witness } = now;
      if (upper === null || !witness) return [title, make("dd", {}, lower === null ? "nothing to come near to" : `beyond ${length(lower)}`)];
      const names = `${this.facts.bodies[witness.a].name} – ${this.facts.bodies[witness.b].name}`;
      return [title, make("dd", {}, make("strong", {}, upper === 0 ? "collision" : length(upper)), ` ${names}`)];
    });
    for (const [body, [x, y, z]] of this.moved) {
      const place = [x, y, z].map((one) => one.toFixed(3)).join(", ");
      rows.push(make("dt", { class: "plain" }, `Moved: ${this.facts.bodies[body].name}`), make("dd", {}, `at ${place} m`));
    }
    byId("readout").replaceChildren(...rows);
  }

  /** What a body moves. */
  node(body: number): Object3D {
    return this.model.nodes[body];
  }

  /** Where a body is in the world: a matrix, column by column. */
  matrix(body: number): number[] {
    return this.model.nodes[body].matrixWorld.toArray();
  }
}

/** How many frames there are for one unit of time. */
function density(times: number[]): number {
  const span = times[times.length - 1] - times[0];
  return span > 0 ? (times.length - 1) / span : 1;
}

/** The last frame that is not after `time`. */
function last(times: number[], time: number): number {
  const near = nearest(times, time);
  return times[near] > time && near > 0 ? near - 1 : near;
}
