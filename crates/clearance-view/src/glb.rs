//! The recording as an animated glTF file in one piece (GLB).
//!
//! Node 0 turns the world's z to glTF's y. Body `b` is node `b + 1`; links hang on each other, so that
//! an animation has joints alone. Cells and points are point primitives, with their size in the node's
//! `extras`. A body that is there for some frames alone has the scale 0 at the others.

use crate::between;
use crate::facts::{self, BodyFacts, FORMAT, Facts, RobotFacts, finite, numbers};
use crate::recording::{Body, RecordedRobot, Recording};
use crate::tessellate::Look;
use crate::{Error, Result};
use clearance_engine::math::DVec3;
use clearance_engine::{Pose, TriMesh};
use clearance_robot::{JointKind, Robot};
use clearance_scene::picture::{Color, vertex_normals};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

const MAGIC: &[u8; 4] = b"glTF";
const JSON_CHUNK: &[u8; 4] = b"JSON";
const BIN_CHUNK: &[u8; 4] = b"BIN\0";
/// The numbers that glTF has for types of components and kinds of primitives.
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_BYTE: u32 = 5121;
const POINTS: u32 = 0;
/// What GPUs read: vertices and indices.
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
/// The largest coordinate that is drawn; `f32` and sums of a few still hold it.
const LARGEST: f64 = 1e30;
/// Viewers turn the short way between two keys: joints turn less than this, in radians.
const LARGEST_TURN: f64 = 1.0;
/// The most keys between two frames.
const MAX_KEYS: usize = 1000;

impl Recording {
    /// The recording as a GLB file.
    pub fn glb(&self) -> Result<Vec<u8>> {
        let mut file = File::default();
        let nodes = self.body_nodes(&mut file)?;
        let animations = self.animations(&mut file)?;
        let facts = serde_json::to_value(self.facts()).map_err(|error| Error::Mismatch(error.to_string()))?;
        file.finish(nodes, animations, facts)
    }

    fn facts(&self) -> Facts<'_> {
        let sizes = |body: &Body| {
            let (mut triangles, mut cells) = (0, 0);
            for drawn in &body.drawn {
                match &drawn.look {
                    Look::Surface { mesh, .. } => triangles += mesh.len(),
                    Look::Cells { count, .. } => cells += count,
                }
            }
            (triangles, cells)
        };
        let bodies = self.bodies.iter().enumerate().map(|(number, one)| {
            let (triangles, cells) = sizes(one);
            BodyFacts {
                name: &one.name,
                kind: if one.link.is_some() { "link" } else { "object" },
                node: number + 1,
                robot: one.link.map(|link| link.0),
                triangles,
                cells,
                unbounded: one.unbounded,
                during: one.during,
                poses: (!one.poses.is_empty()).then(|| one.poses.iter().map(numbers).collect()),
            }
        });
        let robots = self.robots.iter().map(|one| RobotFacts {
            name: one.robot.name(),
            base: numbers(&one.base),
            links: (one.first_body..one.first_body + one.robot.links().len()).collect(),
            joints: facts::joints(&one.robot),
            variables: facts::variables(&one.robot),
            configurations: &one.configurations,
            pairs: &one.pairs,
        });
        Facts {
            format: FORMAT,
            generator: concat!("clearance ", env!("CARGO_PKG_VERSION")),
            title: &self.title,
            bodies: bodies.collect(),
            robots: robots.collect(),
            timeline: &self.timeline,
            clearances: &self.clearances,
            margin: self.margin,
            near: &self.near,
            contacts: &self.contacts,
            depths: &self.depths,
            segments: &self.segments,
            notes: &self.notes,
        }
    }

    /// The world, all bodies at the first frame, and what they look like.
    fn body_nodes(&self, file: &mut File) -> Result<Vec<Value>> {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let mut nodes = vec![json!({ "name": "world", "rotation": [-half, 0.0, 0.0, half] })];
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.bodies.len() + 1];
        for (number, body) in self.bodies.iter().enumerate() {
            let (parent, pose) = match body.link {
                Some((robot, link)) => self.robots[robot].hung(link, 0)?,
                None => (None, body.poses.first().copied().unwrap_or(body.pose)),
            };
            children[parent.map_or(0, |parent| parent + 1)].push(number + 1);
            let mut node = placed(&pose);
            node["name"] = json!(body.name);
            nodes.push(node);
        }
        for (number, body) in self.bodies.iter().enumerate() {
            for drawn in &body.drawn {
                let Some(mesh) = file.mesh(&drawn.look, body.color) else { continue };
                let mut node = placed(&drawn.body_from_drawn);
                node["mesh"] = json!(mesh);
                if let Look::Cells { size, round, .. } = &drawn.look {
                    node["extras"] = json!({ "size": size, "round": round });
                }
                children[number + 1].push(nodes.len());
                nodes.push(node);
            }
        }
        for (number, children) in children.into_iter().enumerate().filter(|(_, children)| !children.is_empty()) {
            nodes[number]["children"] = json!(children);
        }
        Ok(nodes)
    }

    fn animations(&self, file: &mut File) -> Result<Vec<Value>> {
        if self.timeline.times.len() < 2 {
            return Ok(Vec::new());
        }
        let mut animation = Animation { step: self.timeline.step, samplers: Vec::new(), channels: Vec::new() };
        let frames = file.times(&self.timeline.times);
        for robot in &self.robots {
            let (times, rows) = self.keys(robot);
            let input = if times.len() == self.timeline.times.len() { frames } else { file.times(&times) };
            for joint in 0..robot.robot.joints().len() {
                let poses: Vec<Pose> =
                    rows.iter().map(|row| joint_pose(&robot.robot, joint, row)).collect::<Result<_>>()?;
                animation.moved(file, input, robot.first_body + joint + 2, &poses);
            }
        }
        for (number, body) in self.bodies.iter().enumerate() {
            animation.moved(file, frames, number + 1, &body.poses);
            if let Some([from, to]) = body.during {
                let scale = |frame: usize| [if (from..=to).contains(&frame) { 1.0 } else { 0.0 }; 3];
                let scales: Vec<[f32; 3]> = (0..self.timeline.times.len()).map(scale).collect();
                let output = file.vectors(&scales, "VEC3");
                animation.channel(frames, output, number + 1, "scale", "STEP");
            }
        }
        let Animation { samplers, channels, .. } = animation;
        if channels.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![json!({ "name": self.title, "samplers": samplers, "channels": channels })])
    }

    /// The frames of a robot, and more between them where a joint turns far.
    fn keys(&self, robot: &RecordedRobot) -> (Vec<f64>, Vec<Vec<f64>>) {
        let (frames, rows) = (&self.timeline.times, &robot.configurations);
        if self.timeline.step {
            return (frames.clone(), rows.clone());
        }
        let (mut times, mut keys) = (vec![frames[0]], vec![rows[0].clone()]);
        for (pair, time) in rows.windows(2).zip(frames.windows(2)) {
            let turn = pair[0].iter().zip(&pair[1]).map(|(a, b)| (b - a).abs()).fold(0.0, f64::max);
            let parts = ((turn / LARGEST_TURN).ceil().max(1.0) as usize).min(MAX_KEYS);
            for part in 1..=parts {
                let t = part as f64 / parts as f64;
                times.push(time[0] + (time[1] - time[0]) * t);
                keys.push(between(&robot.robot, &pair[0], &pair[1], t));
            }
        }
        (times, keys)
    }
}

impl RecordedRobot {
    /// The body that a link hangs on, and its pose there at a frame.
    fn hung(&self, link: usize, frame: usize) -> Result<(Option<usize>, Pose)> {
        let Some(joint) = self.robot.joint_above(link) else { return Ok((None, self.base)) };
        let parent = self.first_body + self.robot.joints()[joint].parent();
        Ok((Some(parent), joint_pose(&self.robot, joint, &self.configurations[frame])?))
    }
}

/// `parent_from_child` of a joint in a configuration.
fn joint_pose(robot: &Robot, joint: usize, row: &[f64]) -> Result<Pose> {
    let own = &robot.joints()[joint];
    let pose = match (own.kind(), robot.joint_value(joint, row)) {
        (JointKind::Fixed, _) => robot.joint_pose(joint, &[]),
        (_, Some(value)) => robot.joint_pose(joint, &[value]),
        (_, None) => robot.joint_pose(joint, &row[own.variables()]),
    };
    Ok(pose?)
}

fn placed(pose: &Pose) -> Value {
    let [x, y, z, qw, qx, qy, qz] = numbers(pose);
    let mut node = json!({});
    if [x, y, z] != [0.0; 3] {
        node["translation"] = json!([x, y, z]);
    }
    if qw.abs() != 1.0 {
        node["rotation"] = json!([qx, qy, qz, qw]);
    }
    node
}

struct Animation {
    step: bool,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl Animation {
    /// Moves a node, in the ways in which its poses differ.
    fn moved(&mut self, file: &mut File, times: usize, node: usize, poses: &[Pose]) {
        let interpolation = if self.step { "STEP" } else { "LINEAR" };
        let numbers: Vec<[f64; 7]> = poses.iter().map(numbers).collect();
        let differ =
            |range: std::ops::Range<usize>| numbers.windows(2).any(|p| p[0][range.clone()] != p[1][range.clone()]);
        if differ(0..3) {
            let places: Vec<[f32; 3]> = numbers.iter().map(|&[x, y, z, ..]| [x, y, z].map(small)).collect();
            let output = file.vectors(&places, "VEC3");
            self.channel(times, output, node, "translation", interpolation);
        }
        if differ(3..7) {
            let mut turns: Vec<[f64; 4]> = numbers.iter().map(|&[.., w, x, y, z]| [x, y, z, w]).collect();
            // Both signs are the same turn; neighbours have the same one.
            for i in 1..turns.len() {
                if (0..4).map(|k| turns[i][k] * turns[i - 1][k]).sum::<f64>() < 0.0 {
                    turns[i] = turns[i].map(|number| -number);
                }
            }
            let turns: Vec<[f32; 4]> = turns.into_iter().map(|turn| turn.map(small)).collect();
            let output = file.vectors(&turns, "VEC4");
            self.channel(times, output, node, "rotation", interpolation);
        }
    }

    fn channel(&mut self, input: usize, output: usize, node: usize, path: &str, interpolation: &str) {
        self.channels.push(json!({ "sampler": self.samplers.len(), "target": { "node": node, "path": path } }));
        self.samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
    }
}

/// What the file refers to by number, and its binary part.
#[derive(Default)]
struct File {
    bin: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    colors: HashMap<Color, usize>,
    /// The meshes of surfaces, by the places of their triangles and colours: the recording holds
    /// them all, so that no two lie at one place.
    known: HashMap<(usize, usize, Color), usize>,
}

impl File {
    /// The number of the mesh that draws something; none where there is nothing to draw.
    fn mesh(&mut self, look: &Look, color: Color) -> Option<usize> {
        let primitive = match look {
            Look::Cells { centers, .. } if centers.is_empty() => return None,
            Look::Surface { mesh, colors } => {
                let key = (Arc::as_ptr(mesh) as usize, colors.as_ref().map_or(0, |c| Arc::as_ptr(c) as usize), color);
                if let Some(&known) = self.known.get(&key) {
                    return Some(known);
                }
                self.known.insert(key, self.meshes.len());
                self.surface(mesh, colors.as_ref().map(|colors| colors.as_slice()), color)
            }
            Look::Cells { centers, .. } => {
                let position = self.vectors(centers, "VEC3");
                self.accessors[position]["min"] = json!(bounds(centers, f32::min));
                self.accessors[position]["max"] = json!(bounds(centers, f32::max));
                self.target(position, ARRAY_BUFFER);
                json!({ "mode": POINTS, "attributes": { "POSITION": position }, "material": self.material(color) })
            }
        };
        self.meshes.push(json!({ "primitives": [primitive] }));
        Some(self.meshes.len() - 1)
    }

    fn surface(&mut self, mesh: &TriMesh, colors: Option<&[Color]>, color: Color) -> Value {
        let uniform = colors.and_then(|colors| colors.iter().all(|c| *c == colors[0]).then_some(colors[0]));
        let painted = colors.filter(|_| uniform.is_none());
        let mut vertices = Vertices::default();
        let normals = vertex_normals(mesh);
        let mut indices = Vec::with_capacity(3 * mesh.len());
        for (i, (triangle, normals)) in mesh.triangles().iter().zip(normals).enumerate() {
            let color = painted.and_then(|colors| colors.get(i).or(colors.last())).copied().unwrap_or(color);
            for (&vertex, normal) in triangle.iter().zip(normals) {
                indices.push(vertices.number(vertex, mesh.vertices()[vertex as usize], normal, color));
            }
        }
        let position = self.vectors(&vertices.places, "VEC3");
        self.accessors[position]["min"] = json!(bounds(&vertices.places, f32::min));
        self.accessors[position]["max"] = json!(bounds(&vertices.places, f32::max));
        let normal = self.vectors(&vertices.normals, "VEC3");
        let mut attributes = json!({ "POSITION": position, "NORMAL": normal });
        [position, normal].into_iter().for_each(|accessor| self.target(accessor, ARRAY_BUFFER));
        let material = match painted {
            Some(_) => {
                let bytes: Vec<u8> = vertices.colors.iter().flat_map(|color| linear_bytes(*color)).collect();
                let accessor = self.accessor(&bytes, vertices.colors.len(), UNSIGNED_BYTE, "VEC4");
                self.accessors[accessor]["normalized"] = json!(true);
                self.target(accessor, ARRAY_BUFFER);
                attributes["COLOR_0"] = json!(accessor);
                self.material([255; 3])
            }
            None => self.material(uniform.unwrap_or(color)),
        };
        json!({ "attributes": attributes, "indices": self.indices(&indices, vertices.places.len()), "material": material })
    }

    fn material(&mut self, color: Color) -> usize {
        let materials = &mut self.materials;
        *self.colors.entry(color).or_insert_with(|| {
            let [r, g, b] = color.map(|channel| (linear(channel) * 1e4).round() / 1e4);
            let look = json!({ "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.85 });
            // Surfaces are seen from both sides: files of meshes need not be closed.
            materials.push(json!({ "pbrMetallicRoughness": look, "doubleSided": true }));
            materials.len() - 1
        })
    }

    fn times(&mut self, times: &[f64]) -> usize {
        let times: Vec<[f32; 1]> = times.iter().map(|&time| [small(time)]).collect();
        let accessor = self.vectors(&times, "SCALAR");
        self.accessors[accessor]["min"] = json!(bounds(&times, f32::min));
        self.accessors[accessor]["max"] = json!(bounds(&times, f32::max));
        accessor
    }

    fn vectors<const N: usize>(&mut self, vectors: &[[f32; N]], kind: &str) -> usize {
        let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        self.accessor(&bytes, vectors.len(), FLOAT, kind)
    }

    fn indices(&mut self, indices: &[u32], vertices: usize) -> usize {
        // The largest number of a type means something else.
        let accessor = if vertices < usize::from(u16::MAX) {
            let bytes: Vec<u8> = indices.iter().flat_map(|&index| (index as u16).to_le_bytes()).collect();
            self.accessor(&bytes, indices.len(), UNSIGNED_SHORT, "SCALAR")
        } else {
            let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
            self.accessor(&bytes, indices.len(), UNSIGNED_INT, "SCALAR")
        };
        self.target(accessor, ELEMENT_ARRAY_BUFFER);
        accessor
    }

    /// Adds bytes as a view of their own, and says what they are.
    fn accessor(&mut self, bytes: &[u8], count: usize, component: u32, kind: &str) -> usize {
        self.views.push(json!({ "buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len() }));
        self.bin.extend_from_slice(bytes);
        pad(&mut self.bin, 0);
        let view = self.views.len() - 1;
        self.accessors.push(json!({ "bufferView": view, "componentType": component, "count": count, "type": kind }));
        self.accessors.len() - 1
    }

    /// Each accessor has a view of its own, with the same number.
    fn target(&mut self, accessor: usize, target: u32) {
        self.views[accessor]["target"] = json!(target);
    }

    fn finish(self, nodes: Vec<Value>, animations: Vec<Value>, facts: Value) -> Result<Vec<u8>> {
        let mut gltf = json!({
            "asset": { "version": "2.0", "generator": facts["generator"] },
            "scene": 0,
            "scenes": [{ "nodes": [0] }],
            "nodes": nodes,
        });
        // Empty lists are not allowed.
        let lists = [
            ("meshes", self.meshes),
            ("materials", self.materials),
            ("accessors", self.accessors),
            ("bufferViews", self.views),
            ("animations", animations),
        ];
        for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            gltf[name] = Value::Array(list);
        }
        if !self.bin.is_empty() {
            gltf["buffers"] = json!([{ "byteLength": self.bin.len() }]);
        }
        gltf["extras"] = json!({ "clearance": facts });
        let mut text = gltf.to_string().into_bytes();
        pad(&mut text, b' ');
        let chunks = [(JSON_CHUNK, text), (BIN_CHUNK, self.bin)];
        let chunks = chunks.iter().filter(|(_, bytes)| !bytes.is_empty());
        let length = 12 + chunks.clone().map(|(_, bytes)| 8 + bytes.len()).sum::<usize>();
        let length = u32::try_from(length).map_err(|_| Error::Mismatch("a recording may have 4 GiB at most".into()))?;
        let mut glb = [&MAGIC[..], &2_u32.to_le_bytes(), &length.to_le_bytes()].concat();
        for (kind, bytes) in chunks {
            glb.extend((bytes.len() as u32).to_le_bytes());
            glb.extend(*kind);
            glb.extend(bytes);
        }
        Ok(glb)
    }
}

/// Vertices with normals and colours, each combination once.
#[derive(Default)]
struct Vertices {
    known: HashMap<(u32, [u32; 3], Color), u32>,
    places: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    colors: Vec<Color>,
}

impl Vertices {
    fn number(&mut self, vertex: u32, place: DVec3, normal: DVec3, color: Color) -> u32 {
        // Ten bits of a normal are enough to see by, and zeros pack well. A triangle without area
        // has no normal.
        let normal = if normal == DVec3::ZERO { DVec3::Z } else { normal };
        let bits = normal.as_vec3().to_array().map(|number| (number + 0.0).to_bits() & 0xffff_e000);
        let next = self.places.len() as u32;
        *self.known.entry((vertex, bits, color)).or_insert_with(|| {
            self.places.push(place.to_array().map(small));
            self.normals.push(bits.map(f32::from_bits));
            self.colors.push(color);
            next
        })
    }
}

/// A number as the file has it.
fn small(number: f64) -> f32 {
    number.clamp(-LARGEST, LARGEST) as f32
}

fn bounds<const N: usize>(vectors: &[[f32; N]], better: fn(f32, f32) -> f32) -> Vec<f64> {
    let best = |k: usize| vectors.iter().map(|vector| vector[k]).reduce(better).unwrap_or_default();
    (0..N).filter_map(|k| finite(f64::from(best(k)))).collect()
}

/// An sRGB channel as light.
fn linear(channel: u8) -> f64 {
    let share = f64::from(channel) / 255.0;
    if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
}

fn linear_bytes(color: Color) -> [u8; 4] {
    let [r, g, b] = color.map(|channel| (linear(channel) * 255.0).round() as u8);
    [r, g, b, 255]
}

fn pad(bytes: &mut Vec<u8>, with: u8) {
    bytes.resize(bytes.len().next_multiple_of(4), with);
}

/// Whether these are the bytes of a recording, whole and of this version.
///
/// ```
/// let glb = clearance_view::Recording::new("nothing").glb()?;
/// assert!(clearance_view::is_recording(&glb) && !clearance_view::is_recording(&glb[..glb.len() - 4]));
/// # Ok::<(), clearance_view::Error>(())
/// ```
pub fn is_recording(bytes: &[u8]) -> bool {
    let number = |at: usize| bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).map(u32::from_le_bytes);
    let whole = bytes.get(..4) == Some(MAGIC) && number(8).is_some_and(|length| length as usize == bytes.len());
    let text = number(12).filter(|_| whole && bytes.get(16..20) == Some(JSON_CHUNK));
    let text = text.and_then(|length| bytes.get(20..20 + length as usize));
    let gltf: Option<Value> = text.and_then(|text| serde_json::from_slice(text).ok());
    gltf.is_some_and(|gltf| gltf["extras"]["clearance"]["format"] == FORMAT)
}
