// What the recording's `extras.clearance` holds; `facts.rs` of the crate clearance-view writes it.

/** x, y, z, qw, qx, qy, qz. */
export type Pose7 = [number, number, number, number, number, number, number];
export type Point = [number, number, number];

export interface Facts {
  format: number;
  generator: string;
  title: string;
  bodies: BodyFacts[];
  robots: RobotFacts[];
  timeline: { unit: string; step: boolean; times: number[] };
  clearances: Clearance[];
  /** The distance up to which links are shown as near, in metres. */
  margin: number;
  /** By frame. */
  near: { a: number; b: number; colliding: boolean }[][];
  /** By frame: segments where surfaces cross, six numbers each. */
  contacts: number[][];
  /** By frame; older recordings have none. */
  depths?: Depth[][];
  segments: { from: number; to: number; verdict: string; text: string }[];
  notes: string[];
}

export interface BodyFacts {
  name: string;
  kind: "link" | "object";
  node: number;
  robot: number | null;
  triangles: number;
  cells: number;
  /** Whether a part of it stands for something without an end: a plane. */
  unbounded: boolean;
  during: [number, number] | null;
  poses: Pose7[] | null;
}

export interface RobotFacts {
  name: string;
  base: Pose7;
  links: number[];
  joints: JointFacts[];
  variables: VariableFacts[];
  configurations: number[][];
  pairs: { links: [number, number]; verdict: string; gap: number | null }[];
}

/** Joint j carries link j + 1. */
export interface JointFacts {
  name: string;
  kind: "fixed" | "revolute" | "continuous" | "prismatic" | "planar" | "floating";
  parent: number;
  origin: Pose7;
  axis: Point;
  variable: number | null;
  multiplier: number;
  offset: number;
}

export interface VariableFacts {
  name: string;
  unit: string;
  lower: number | null;
  upper: number | null;
  default: number;
}

export interface Clearance {
  name: string;
  lower: (number | null)[];
  upper: (number | null)[];
  witnesses: (Witness | null)[];
}

/** How deep b is in a: moved by `shift`, it no longer overlaps. */
export interface Depth {
  a: number;
  b: number;
  point: Point;
  shift: Point;
}

export interface Witness {
  a: number;
  b: number;
  points: [Point, Point];
}

/** What is known of one configuration: of a frame, or answered by the server. */
export interface Moment {
  clearances: { lower: number | null; upper: number | null; witness: Witness | null }[];
  near: { a: number; b: number; colliding: boolean }[];
  contacts: number[];
  depths: Depth[];
  /** By clearance: the derivatives of the distance by the robot's variables; answers alone have them. */
  gradients: number[][];
}

export type Answers = Pick<Facts, "clearances" | "near" | "contacts" | "depths"> & { gradients?: number[][][] };

export function momentOf({ clearances, near, contacts, depths, gradients }: Answers, frame: number): Moment {
  return {
    clearances: clearances.map(({ lower, upper, witnesses }) => ({ lower: lower[frame], upper: upper[frame], witness: witnesses[frame] })),
    near: near[frame] ?? [],
    contacts: contacts[frame] ?? [],
    depths: depths?.[frame] ?? [],
    gradients: (gradients ?? []).map((one) => one[frame] ?? []),
  };
}

const FORMAT = 1;

/** The facts of a glTF file; an error says what is wrong with it. */
export function factsOf(gltf: unknown): Facts {
  const facts = (gltf as { extras?: { clearance?: Facts } }).extras?.clearance;
  if (!facts) throw new Error("the file holds no recording of clearance");
  if (facts.format !== FORMAT) throw new Error(`the recording has format ${facts.format}, this page reads format ${FORMAT}`);
  return facts;
}

/** A length with a unit that suits it. */
export function length(metres: number): string {
  const size = Math.abs(metres);
  if (size === 0) return "0 mm";
  if (size < 1e-3) return `${(metres * 1e6).toPrecision(3)} µm`;
  if (size < 1) return `${(metres * 1e3).toFixed(size < 0.1 ? 2 : 1)} mm`;
  return `${metres.toFixed(3)} m`;
}

/** A joint's position with its unit. */
export function position(value: number, unit: string): string {
  if (unit === "rad") return `${value.toFixed(3)} rad (${((value * 180) / Math.PI).toFixed(1)}°)`;
  return unit === "m" ? length(value) : value.toFixed(4);
}

/** A count with thousands apart. */
export function count(number: number, one: string, many: string): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
