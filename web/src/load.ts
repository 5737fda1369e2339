// The recording: from the page itself, from the server, or from a file that is dropped here.

import { Group, type Object3D } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { type Facts, factsOf } from "./facts";

export interface Model {
  facts: Facts;
  root: Group;
  /** What each body moves. */
  nodes: Object3D[];
}

export async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** Packed bytes that this page holds. */
export function held(id: string): Uint8Array<ArrayBuffer> | null {
  const written = document.getElementById(id)?.textContent;
  if (!written) return null;
  const text = atob(written.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** The bytes that belong to this page. */
export async function ownBytes(): Promise<ArrayBuffer> {
  const own = held("recording");
  if (own) {
    return unpacked(own).catch(() => {
      throw new Error("the recording in this page is damaged");
    });
  }
  if (location.protocol === "file:") throw new Error("this page holds no recording; drop one here (.glb)");
  const response = await fetch("recording.glb");
  if (!response.ok) throw new Error(`the server answers ${response.status}`);
  return response.arrayBuffer();
}

export async function load(bytes: ArrayBuffer): Promise<Model> {
  const magic = new Uint8Array(bytes.slice(0, 4));
  if (String.fromCharCode(...magic) !== "glTF") throw new Error("this is no recording: it does not begin as a GLB file");
  const gltf = await new GLTFLoader().parseAsync(bytes, "");
  const facts = factsOf(gltf.parser.json);
  const nodes: Object3D[] = await Promise.all(facts.bodies.map((body) => gltf.parser.getDependency("node", body.node)));
  // The file turns z to y for other viewers; here z is up.
  const root = gltf.scene;
  root.children.forEach((world) => world.quaternion.identity());
  return { facts, root, nodes };
}
