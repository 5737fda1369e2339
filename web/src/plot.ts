// Clearance over time: a click or a drag goes there, and the line follows the time.

import { type Facts, length } from "./facts";
import { SERIES, SERIES_ON_DARK } from "./overlay";
import { COLORS } from "./stage";

const LEFT = 62;
const RIGHT = 10;
const TOP = 18;
const BOTTOM = 26;
/** Where a logarithmic plot begins, in metres. */
const LEAST = 1e-4;

export class Plot {
  private frame = 0;
  private log = false;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly facts: Facts,
    go: (frame: number) => void,
  ) {
    const at = (event: PointerEvent) => {
      const box = canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - LEFT) / Math.max(1, box.width - LEFT - RIGHT);
      const { times } = facts.timeline;
      go(nearest(times, times[0] + Math.min(1, Math.max(0, share)) * (times[times.length - 1] - times[0])));
    };
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      at(event);
    };
    canvas.onpointermove = (event) => {
      if (event.buttons) at(event);
    };
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  set(frame: number): void {
    this.frame = frame;
    this.draw();
  }

  setLog(log: boolean): void {
    this.log = log;
    this.draw();
  }

  draw(): void {
    const { canvas, facts } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const pen = canvas.getContext("2d");
    if (!pen || !width || !height) return;
    const ratio = window.devicePixelRatio;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    pen.scale(ratio, ratio);
    const style = getComputedStyle(document.body);
    const [ink, faint] = [style.getPropertyValue("--ink"), style.getPropertyValue("--line")];
    const { times, unit } = facts.timeline;
    const [first, last] = [times[0], times[times.length - 1]];
    const all = facts.clearances.flatMap((one) => one.upper).filter((one): one is number => one !== null);
    const top = this.log ? 10 ** Math.ceil(Math.log10(Math.max(1e-3, ...all))) : niceCeiling(Math.max(1e-6, ...all));
    const decades = Math.log10(top / LEAST);
    const series = (i: number) => (document.documentElement.dataset.theme === "dark" ? SERIES_ON_DARK : SERIES)[i % SERIES.length];
    const x = (time: number) => LEFT + (last > first ? (time - first) / (last - first) : 0) * (width - LEFT - RIGHT);
    const share = (metres: number) => (this.log ? Math.max(0, Math.log10(metres / LEAST)) / decades : metres / top);
    const y = (metres: number) => height - BOTTOM - share(metres) * (height - TOP - BOTTOM);
    pen.font = "12px system-ui, sans-serif";
    pen.lineWidth = 1;
    const ticks = this.log
      ? Array.from({ length: Math.round(decades) + 1 }, (_, i) => LEAST * 10 ** i)
      : [0, 0.25, 0.5, 0.75, 1].map((part) => part * top);
    ticks.forEach((value, i) => {
      pen.strokeStyle = faint;
      pen.beginPath();
      pen.moveTo(LEFT, y(value));
      pen.lineTo(width - RIGHT, y(value));
      pen.stroke();
      if (i % 2) return;
      pen.fillStyle = ink;
      pen.textAlign = "right";
      pen.fillText(tickText(value), LEFT - 6, y(value) + 4);
    });
    const room = Math.max(2, Math.min(10, Math.floor(width / 110)));
    // What is counted has whole numbers.
    const step = niceCeiling((last - first) / room);
    const every = unit === "s" ? step : Math.max(1, Math.round(step));
    pen.fillStyle = ink;
    for (let time = Math.ceil(first / every) * every; time <= last + 1e-9; time += every) {
      pen.textAlign = time - first < every / 4 ? "left" : last - time < every / 4 ? "right" : "center";
      pen.fillText(unit === "s" ? `${Number(time.toPrecision(6))} s` : `${unit} ${time}`, x(time), height - 8);
    }
    for (const segment of facts.segments) {
      pen.fillStyle = segment.verdict === "free" ? "#2f9e44" : segment.verdict === "contact" ? COLORS.colliding : "#868e96";
      pen.fillRect(x(segment.from) + 0.5, height - BOTTOM + 1, Math.max(1, x(segment.to) - x(segment.from) - 1), 4);
    }
    if (facts.margin > 0 && facts.margin < top) {
      pen.strokeStyle = COLORS.near;
      pen.setLineDash([5, 4]);
      pen.beginPath();
      pen.moveTo(LEFT, y(facts.margin));
      pen.lineTo(width - RIGHT, y(facts.margin));
      pen.stroke();
      pen.setLineDash([]);
    }
    facts.clearances.forEach((clearance, i) => {
      pen.strokeStyle = series(i);
      pen.lineWidth = 1.75;
      pen.beginPath();
      let open = false;
      clearance.upper.forEach((upper, frame) => {
        if (upper === null) {
          open = false;
          return;
        }
        const place: [number, number] = [x(times[frame]), y(upper)];
        if (open) {
          if (facts.timeline.step) pen.lineTo(place[0], y(clearance.upper[frame - 1] ?? upper));
          pen.lineTo(...place);
        } else pen.moveTo(...place);
        open = true;
      });
      pen.stroke();
      pen.fillStyle = COLORS.colliding;
      clearance.upper.forEach((upper, frame) => {
        if (upper === 0) pen.fillRect(x(times[frame]) - 1.5, y(0) - 3, 3, 6);
      });
    });
    pen.strokeStyle = ink;
    pen.lineWidth = 1.5;
    const now = x(times[this.frame]);
    pen.beginPath();
    pen.moveTo(now, TOP - 8);
    pen.lineTo(now, height - BOTTOM + 5);
    pen.stroke();
    facts.clearances.forEach((clearance, i) => {
      const upper = clearance.upper[this.frame];
      if (upper === null) return;
      pen.fillStyle = series(i);
      pen.beginPath();
      pen.arc(now, y(upper), 4, 0, 2 * Math.PI);
      pen.fill();
    });
  }
}

/** The place of the number nearest to `time` in a rising list. */
export function nearest(times: number[], time: number): number {
  let [low, high] = [0, times.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  return Math.abs(times[high] - time) < Math.abs(times[low] - time) ? high : low;
}

/** A length as short as it can be said. */
function tickText(metres: number): string {
  return length(metres).replace(/\.0+ |(\.\d*[1-9])0+ /, "$1 ");
}

/** The next of 1, 2, 2.5, 4, 5, 8 times a power of ten. */
function niceCeiling(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return (([1, 2, 2.5, 4, 5, 8].find((step) => step * power >= value) ?? 10) * power);
}
