// Runs the engine's WebAssembly module; `crates/clearance-wasm` says how bytes go in and out.

import type { Reply } from "./engine";

interface Module {
  memory: WebAssembly.Memory;
  take(length: number): number;
  give(start: number, length: number): void;
  load(start: number, length: number): number;
  answer(start: number, length: number): number;
}

type Message = { engine: ArrayBuffer | null; model: ArrayBuffer } | { id: number; question: string };

const HEAD = 5;
let ready: Promise<Module> = Promise.reject(new Error("there is no engine"));
ready.catch(() => {});

/** Calls a function of the module with bytes; the text that it returns. */
function call(module: Module, name: "load" | "answer", bytes: Uint8Array): { text: string; failed: boolean } {
  const room = module.take(bytes.length);
  new Uint8Array(module.memory.buffer, room, bytes.length).set(bytes);
  const start = module[name](room, bytes.length);
  module.give(room, bytes.length);
  const head = new DataView(module.memory.buffer, start, HEAD);
  const [failed, length] = [head.getUint8(0) === 1, head.getUint32(1, true)];
  const text = new TextDecoder().decode(new Uint8Array(module.memory.buffer, start + HEAD, length));
  module.give(start, HEAD + length);
  return { text, failed };
}

async function start(engine: ArrayBuffer | null, model: ArrayBuffer): Promise<Module> {
  if (!engine) throw new Error("the engine or the model in this page is damaged");
  const { instance } = await WebAssembly.instantiate(engine, {});
  const module = instance.exports as unknown as Module;
  const { text, failed } = call(module, "load", new Uint8Array(model));
  if (failed) throw new Error(text);
  return module;
}

self.onmessage = async ({ data }: MessageEvent<Message>) => {
  if ("engine" in data) {
    ready = start(data.engine, data.model);
    ready.catch(() => {});
    return;
  }
  const reply: Reply = { id: data.id, text: "", failed: true };
  try {
    Object.assign(reply, call(await ready, "answer", new TextEncoder().encode(data.question)));
  } catch (error) {
    reply.text = error instanceof Error ? error.message : String(error);
  }
  self.postMessage(reply);
};
