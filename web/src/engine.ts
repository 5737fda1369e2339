// Who answers for what is set by hand: the engine in this page as WebAssembly, or the program that serves it.

import { held, unpacked } from "./load";
import EngineWorker from "./engine.worker?worker&inline";

export interface Engine {
  /** Where answers come from, in words. */
  readonly where: string;
  /** The answer to a question of `Live::answer`; an error says what is wrong with the question. */
  ask(question: object): Promise<unknown>;
}

/** What a question is answered with by the worker. */
export interface Reply {
  id: number;
  text: string;
  failed: boolean;
}

/** The engine that this page holds: it runs beside the page, which stays quick. */
class Held implements Engine {
  readonly where = "This page holds the engine: it answers while sliders and objects move.";
  private readonly worker = new EngineWorker();
  private readonly waiting = new Map<number, { done: (answer: unknown) => void; fail: (error: Error) => void }>();
  private asked = 0;

  constructor(engine: Promise<ArrayBuffer>, model: Promise<ArrayBuffer>) {
    this.worker.onmessage = ({ data: { id, text, failed } }: MessageEvent<Reply>) => {
      const one = this.waiting.get(id);
      this.waiting.delete(id);
      if (failed) one?.fail(new Error(text));
      else one?.done(JSON.parse(text));
    };
    // A model that cannot be read is the answer to every question.
    Promise.all([engine, model])
      .then(([engine, model]) => this.worker.postMessage({ engine, model }, [engine, model]))
      .catch(() => this.worker.postMessage({ engine: null, model: null }));
  }

  ask(question: object): Promise<unknown> {
    const id = this.asked++;
    this.worker.postMessage({ id, question: JSON.stringify(question) });
    return new Promise((done, fail) => this.waiting.set(id, { done, fail }));
  }
}

const SERVED: Engine = {
  where: "The program that serves this page answers while sliders and objects move.",
  async ask(question) {
    const bytes = new TextEncoder().encode(JSON.stringify(question));
    const packed = btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    const response = await fetch(`answer?q=${packed}`);
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  },
};

/** Who answers for this page; nobody if it is a recording alone. */
export function findEngine(): Engine | null {
  const [engine, model] = [held("engine"), held("model")];
  if (engine && model) return new Held(unpacked(engine), unpacked(model));
  return document.documentElement.hasAttribute("data-live") ? SERVED : null;
}
