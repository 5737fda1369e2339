// Starts the page: reads the recording, shows it, and listens to keys.

import { App } from "./app";
import { byId } from "./dom";
import { findEngine } from "./engine";
import type { Pose7 } from "./facts";
import { load, ownBytes } from "./load";
import { Mover } from "./mover";
import { Stage } from "./stage";
import "./style.css";

declare global {
  interface Window {
    /** What is shown, for scripts and tests. */
    clearance?: { app: App; stage: Stage; ready: number };
  }
}

const BACKGROUNDS = { light: "#e9edf2", dark: "#14181f" };
const MANY_CELLS = 200_000;
let app: App | null = null;
let stage: Stage | null = null;

function complain(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  const message = byId("message");
  message.textContent = `This cannot be shown: ${reason}.`;
  message.hidden = false;
}

async function show(bytes: ArrayBuffer, own = false): Promise<void> {
  const model = await load(bytes);
  const cells = model.facts.bodies.reduce((sum, body) => sum + body.cells, 0);
  stage ??= new Stage(byId<HTMLCanvasElement>("view"), cells < MANY_CELLS);
  app?.close();
  // A file that is dropped here is another one than the engine knows.
  app = new App(model, stage, own ? findEngine() : null);
  byId("move").hidden = !model.facts.bodies.some((_, body) => app?.canMove(body));
  byId("message").hidden = true;
  theme(dark());
  window.clearance = { app, stage, ready: performance.now() };
}

/** Shows the poses that a running program sends. */
function listenToProgram(): void {
  if (!document.documentElement.hasAttribute("data-stream")) return;
  const events = new EventSource("stream");
  events.onmessage = ({ data }: MessageEvent<string>) => {
    const { rows, moved } = JSON.parse(data) as { rows: number[][]; moved: Record<string, Pose7> };
    app?.stream(rows, moved);
  };
  events.addEventListener("end", () => {
    events.close();
    byId("ended").hidden = false;
  });
}

function dark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function theme(isDark: boolean): void {
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  stage?.setBackground(isDark ? BACKGROUNDS.dark : BACKGROUNDS.light);
  app?.redraw();
}

function listen(): void {
  byId("fit").onclick = () => app?.fit();
  byId("xray").onclick = () => app?.toggle("xray");
  byId("lines").onclick = () => app?.toggle("lines");
  byId("log").onclick = () => app?.toggle("log");
  byId("theme").onclick = () => theme(!dark());
  const view = byId<HTMLCanvasElement>("view");
  const mover = new Mover(view, () => (app && stage ? { app, stage } : null));
  const moveObjects = () => {
    mover.on = !mover.on;
    byId("move").setAttribute("aria-pressed", String(mover.on));
    view.classList.toggle("moving", mover.on);
  };
  byId("move").onclick = moveObjects;
  let down = [0, 0];
  view.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
  // A drag turns the camera, a click chooses.
  const chosen = (event: MouseEvent): number | null => {
    if (Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return null;
    return stage?.pick(event.offsetX, event.offsetY) ?? null;
  };
  view.addEventListener("click", (event) => {
    if (Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
    const body = chosen(event);
    app?.select(body === null ? [] : [body]);
  });
  view.addEventListener("dblclick", (event) => {
    const body = chosen(event);
    if (body !== null) app?.look([body]);
  });
  const keys: Record<string, (app: App) => void> = {
    " ": (app) => app.play(!app.playing),
    ArrowLeft: (app) => app.go(app.frame - 1),
    ArrowRight: (app) => app.go(app.frame + 1),
    Home: (app) => app.go(0),
    End: (app) => app.go(Infinity),
    f: (app) => app.fit(),
    x: (app) => app.toggle("xray"),
    w: (app) => app.toggle("lines"),
    l: (app) => app.toggle("log"),
    t: () => theme(!dark()),
    m: () => !byId("move").hidden && moveObjects(),
    "/": (app) => app.search(),
    Escape: (app) => app.select([]),
  };
  window.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const writes = target.matches("input, select, textarea");
    const own = event.key === " " && target.matches("button");
    if (!app || event.ctrlKey || event.metaKey || event.altKey || own || (writes && event.key !== "Escape")) return;
    if (mover.key(event)) return event.preventDefault();
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = keys[key];
    if (!act) return;
    event.preventDefault();
    act(app);
  });
  window.addEventListener("dragover", (event) => event.preventDefault());
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) file.arrayBuffer().then((bytes) => show(bytes)).catch(complain);
  });
}

theme(dark());
listen();
ownBytes()
  .then((bytes) => show(bytes, true))
  .then(listenToProgram)
  .catch(complain);
