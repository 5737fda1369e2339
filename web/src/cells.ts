// Cells of maps and points of clouds: cubes by instancing, or sprites where there are very many.
//
// Cells come in a shuffled order, so that the first of them are a fair sample: while the camera moves
// a slow machine draws that sample, and all of them once it stands still.

import {
  BufferGeometry,
  Color,
  DoubleSide,
  Float32BufferAttribute,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Mesh,
  type Object3D,
  Points,
  ShaderMaterial,
  Vector3,
} from "three";

/** More cells than this are sprites. */
const MAX_CUBES = 60_000;
/** A sample has at least so many. */
const SMALLEST_SAMPLE = 20_000;

const SHADE = /* glsl */ `
  varying vec3 shade;
  uniform vec3 base; uniform vec2 span;
  vec3 tint(float height) {
    float t = span.y > span.x ? (height - span.x) / (span.y - span.x) : 0.5;
    return base * mix(0.55, 1.3, clamp(t, 0.0, 1.0));
  }`;

const CUBES = /* glsl */ `
  ${SHADE}
  attribute vec3 center; uniform float size; uniform vec3 eye;
  void main() {
    // The three faces of a cube that look at the camera.
    vec3 side = vec3(eye.x < center.x ? -1.0 : 1.0, eye.y < center.y ? -1.0 : 1.0, eye.z < center.z ? -1.0 : 1.0);
    vec3 n = normal * side;
    shade = tint(center.z) * (0.72 + 0.28 * n.z - 0.1 * n.x + 0.06 * n.y);
    gl_Position = projectionMatrix * modelViewMatrix * vec4(center + position * side * size * 0.97, 1.0);
  }`;

const SPRITES = /* glsl */ `
  ${SHADE}
  uniform float size; uniform float pixels; uniform float wider;
  void main() {
    vec4 place = modelViewMatrix * vec4(position, 1.0);
    shade = tint(position.z);
    gl_Position = projectionMatrix * place;
    gl_PointSize = wider * max(1.5, size * pixels * projectionMatrix[1][1] / gl_Position.w);
  }`;

const PAINT = /* glsl */ `
  varying vec3 shade; uniform float round; uniform float opacity;
  void main() {
    vec3 color = shade;
    #ifdef SPRITE
      vec2 at = 2.0 * gl_PointCoord - 1.0;
      float far = dot(at, at);
      if (round > 0.5) { if (far > 1.0) discard; color *= 0.65 + 0.35 * sqrt(1.0 - far); }
    #endif
    gl_FragColor = vec4(color, opacity);
    #include <colorspace_fragment>
  }`;

export interface Cells {
  object: Mesh | Points;
  material: ShaderMaterial;
  count: number;
}

/** Numbers 0 to count - 1 in an order that is the same every time. */
function shuffled(count: number): Uint32Array {
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  let seed = 1;
  for (let i = count - 1; i > 0; i--) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const j = seed % (i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/** The faces +x, +y and +z of a cube of edge 1. */
function threeFaces(): { places: number[]; normals: number[]; indices: number[] } {
  const faces = { places: [] as number[], normals: [] as number[], indices: [] as number[] };
  for (let axis = 0; axis < 3; axis++) {
    for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
      const place = [0, 0, 0];
      place[axis] = 0.5;
      place[(axis + 1) % 3] = 0.5 * u;
      place[(axis + 2) % 3] = 0.5 * v;
      faces.places.push(...place);
      faces.normals.push(...[0, 1, 2].map((k) => (k === axis ? 1 : 0)));
    }
    const first = 4 * axis;
    faces.indices.push(first, first + 1, first + 2, first, first + 2, first + 3);
  }
  return faces;
}

/** Replaces the points of a glTF node by what they stand for. */
export function cells(points: Points, size: number, round: boolean, color: Color): Cells {
  const given = points.geometry.getAttribute("position");
  const count = given.count;
  const order = shuffled(count);
  const centers = new Float32Array(3 * count);
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < count; i++) {
    const from = order[i];
    centers[3 * i] = given.getX(from);
    centers[3 * i + 1] = given.getY(from);
    centers[3 * i + 2] = given.getZ(from);
    low = Math.min(low, centers[3 * i + 2]);
    high = Math.max(high, centers[3 * i + 2]);
  }
  const sprite = round || count > MAX_CUBES;
  const material = new ShaderMaterial({
    vertexShader: sprite ? SPRITES : CUBES,
    fragmentShader: PAINT,
    defines: sprite ? { SPRITE: "" } : {},
    side: DoubleSide,
    uniforms: {
      size: { value: size },
      base: { value: color.clone() },
      span: { value: [low, high] },
      round: { value: round ? 1 : 0 },
      pixels: { value: 1 },
      wider: { value: 1 },
      opacity: { value: 1 },
      eye: { value: new Vector3() },
    },
  });
  points.geometry.computeBoundingBox();
  points.geometry.computeBoundingSphere();
  const { boundingBox, boundingSphere } = points.geometry;
  let object: Mesh | Points;
  if (sprite) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(centers, 3));
    object = new Points(geometry, material);
  } else {
    const [geometry, faces] = [new InstancedBufferGeometry(), threeFaces()];
    geometry.setAttribute("position", new Float32BufferAttribute(faces.places, 3));
    geometry.setAttribute("normal", new Float32BufferAttribute(faces.normals, 3));
    geometry.setIndex(faces.indices);
    geometry.setAttribute("center", new InstancedBufferAttribute(centers, 3));
    geometry.instanceCount = count;
    object = new Mesh(geometry, material);
    object.onBeforeRender = (_renderer, _scene, camera) => {
      const eye: Vector3 = material.uniforms.eye.value;
      object.worldToLocal(eye.setFromMatrixPosition(camera.matrixWorld));
      material.uniformsNeedUpdate = true;
    };
    // Rays do not know of instances.
    object.raycast = () => {};
  }
  object.geometry.boundingBox = boundingBox?.expandByScalar(size / 2) ?? null;
  object.geometry.boundingSphere = boundingSphere;
  const parent = points.parent as Object3D;
  object.position.copy(points.position);
  object.quaternion.copy(points.quaternion);
  parent.remove(points);
  parent.add(object);
  return { object, material, count };
}

/** Draws a share of the cells, from 0 to 1; fewer sprites are larger, so that surfaces stay closed. */
export function sample({ object, material, count }: Cells, share: number): void {
  const drawn = Math.min(count, Math.max(SMALLEST_SAMPLE, Math.round(count * share)));
  material.uniforms.wider.value = Math.min(3, Math.sqrt(count / drawn));
  if (object.geometry instanceof InstancedBufferGeometry) object.geometry.instanceCount = drawn;
  else object.geometry.setDrawRange(0, drawn);
}
