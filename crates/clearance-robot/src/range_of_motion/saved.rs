//! Proven gaps as bytes, for keeping them in a file.
//!
//! Little-endian: magic, version, identity, counts, pairs; at the end a hash of everything before.
//! The identity is a hash of all that the gaps depend on: joints with their limits and rules, the
//! parts of all bodies (vertices and triangles as they were loaded), the pairs, the budgets, and
//! the version of this crate. A table is refused unless all of that is the same, so that one of a
//! robot that has changed since is never used. A hash is no signature: who can write the file can
//! make the robot blind for a pair, so it belongs where only trusted users write.

use super::gaps::{GapOptions, Gaps, PairGap, Verdict};
use super::parts::BodyPart;
use crate::{Error, ErrorKind, Result, Robot};
use clearance_engine::shape::Primitive;
use clearance_engine::tree::{Mesh, Solid};
use std::any::Any;
use std::fmt::{self, Write as _};
use std::fs::File;
use std::hash::Hasher;
use std::io::{Read, Write};
use std::path::Path;
use twox_hash::XxHash3_64;

const MAGIC: &[u8; 8] = b"CLEARGAP";
/// Of the format and of the proofs: whoever changes what is proven makes it larger.
const VERSION: u32 = 1;

/// Magic, version, identity, numbers of bodies, variables and pairs, hash.
const FRAME_BYTES: usize = 8 + 4 + 8 + 3 * 4 + 8;

/// What gaps are proven about.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'s> {
    pub robot: &'s Robot,
    pub bodies: &'s [Vec<BodyPart>],
    pub pairs: &'s [[usize; 2]],
}

impl Subject<'_> {
    /// A hash of the subject, the budgets and the version.
    pub(crate) fn identity(&self, options: &GapOptions) -> Result<u64> {
        let mut hash = Hashed(XxHash3_64::with_seed(u64::from(VERSION)));
        let GapOptions { evaluations, refinements, tightness, samples, threads: _ } = options;
        hash.text(format_args!("{} {evaluations} {refinements} {tightness} {samples}", env!("CARGO_PKG_VERSION")));
        hash.text(format_args!("{:?}", self.pairs));
        for (j, joint) in self.robot.joints().iter().enumerate() {
            // Numbers are shown with all of their digits.
            let (kind, origin, body) = (joint.kind(), joint.origin(), self.robot.body_of(joint.child()));
            let rule = self.robot.mimic_rule(j);
            hash.text(format_args!("{kind:?} {} {origin:?} {rule:?} {body} {:?}", joint.parent(), joint.variables()));
        }
        for (body, parts) in self.bodies.iter().enumerate() {
            for part in parts {
                hash.text(format_args!("{body} {:?}", part.body_from_part));
                hash.geometry(part)?;
            }
        }
        Ok(hash.0.finish())
    }

    /// The most bytes that a table of it has.
    fn max_bytes(&self) -> usize {
        FRAME_BYTES + self.pairs.len() * (8 + 8 + 1 + 8 + 8 * self.robot.variables().len().max(1))
    }
}

/// A hash that text is written to.
struct Hashed(XxHash3_64);

impl fmt::Write for Hashed {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

impl Hashed {
    /// Text, and an end that keeps it apart from the next.
    fn text(&mut self, text: fmt::Arguments<'_>) {
        // Writing to a hash cannot fail.
        let _ = writeln!(self, "{text}");
    }

    fn numbers(&mut self, numbers: impl IntoIterator<Item = f64>) {
        numbers.into_iter().for_each(|x| self.0.write(&x.to_le_bytes()));
    }

    fn geometry(&mut self, part: &BodyPart) -> Result<()> {
        let geometry = &*part.geometry as &dyn Any;
        if let Some(mesh) = geometry.downcast_ref::<Mesh>() {
            let tri_mesh = mesh.tri_mesh();
            let solid = mesh.is_solid();
            self.text(format_args!("mesh {solid} {} {}", tri_mesh.vertices().len(), tri_mesh.triangles().len()));
            self.numbers(tri_mesh.vertices().iter().flat_map(|vertex| vertex.to_array()));
            tri_mesh.triangles().as_flattened().iter().for_each(|index| self.0.write(&index.to_le_bytes()));
            return Ok(());
        }
        match geometry.downcast_ref::<Solid>().map(Solid::shape) {
            Some(Primitive::ConvexPolyhedron(hull)) => {
                self.text(format_args!("hull {} {}", hull.vertex_count(), hull.face_count()));
                self.numbers(hull.vertices().flat_map(|vertex| vertex.to_array()));
                (0..hull.face_count() as u32).for_each(|face| self.text(format_args!("{:?}", hull.face(face))));
            }
            Some(shape) => self.text(format_args!("{shape:?}")),
            None => {
                let reason = format!("proofs about a geometry of the kind '{}' cannot be kept", part.geometry.kind());
                return Err(Error::new(ErrorKind::Unsupported, reason));
            }
        }
        Ok(())
    }
}

impl Gaps {
    /// The gaps as bytes for [`from_bytes`](Self::from_bytes).
    pub(crate) fn to_bytes(&self, subject: &Subject<'_>) -> Result<Vec<u8>> {
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        out.extend(subject.identity(self.options())?.to_le_bytes());
        for count in [self.body_count(), subject.robot.variables().len(), self.pairs().len()] {
            out.extend((count as u32).to_le_bytes());
        }
        for PairGap { bodies, verdict, evaluations, gap: _ } in self.pairs() {
            bodies.iter().for_each(|&body| out.extend((body as u32).to_le_bytes()));
            out.extend((*evaluations as u64).to_le_bytes());
            let (tag, numbers): (u8, &[f64]) = match verdict {
                Verdict::Never { gap, nearest } => (0, &[*gap, *nearest]),
                Verdict::Sometimes { configuration } => (1, configuration),
                Verdict::Always { proven, samples } => (2, &[f64::from(u8::from(*proven)), *samples as f64]),
                Verdict::Undecided { nearest, configuration } => {
                    out.push(3);
                    out.extend(nearest.to_le_bytes());
                    configuration.iter().for_each(|x| out.extend(x.to_le_bytes()));
                    continue;
                }
            };
            out.push(tag);
            numbers.iter().for_each(|x| out.extend(x.to_le_bytes()));
        }
        let hash = XxHash3_64::oneshot(&out);
        out.extend(hash.to_le_bytes());
        Ok(out)
    }

    /// Gaps that [`to_bytes`](Self::to_bytes) made of the same subject with the same options;
    /// anything else is refused.
    pub(crate) fn from_bytes(bytes: &[u8], subject: &Subject<'_>, options: &GapOptions) -> Result<Self> {
        let mut rest = match bytes.split_last_chunk::<8>() {
            Some((content, hash)) if XxHash3_64::oneshot(content) == u64::from_le_bytes(*hash) => Bytes(content),
            _ => return Err(damaged("it is cut short, or its hash is wrong")),
        };
        if rest.array()? != *MAGIC {
            return Err(damaged("it does not begin like one"));
        }
        let version = rest.u32()?;
        if version != VERSION {
            return Err(stale(format!("it has version {version}, this is version {VERSION}")));
        }
        if u64::from_le_bytes(rest.array()?) != subject.identity(options)? {
            return Err(stale("it belongs to another robot, to other options, or to another version".into()));
        }
        let counts = [subject.bodies.len(), subject.robot.variables().len(), subject.pairs.len()];
        for count in counts {
            if rest.u32()? as usize != count {
                return Err(damaged("its counts are not those of the robot"));
            }
        }
        let pairs = subject.pairs.iter().map(|pair| rest.pair(pair, subject)).collect::<Result<Vec<_>>>()?;
        if !rest.0.is_empty() {
            return Err(damaged("it has bytes too many"));
        }
        Ok(Self::assemble(pairs, subject.robot, subject.bodies, options))
    }

    /// Writes them to a file, which is there as a whole or not at all.
    pub(crate) fn save(&self, path: &Path, subject: &Subject<'_>) -> Result<()> {
        let bytes = self.to_bytes(subject)?;
        write_whole(path, &bytes)
    }

    /// Reads what [`save`](Self::save) wrote.
    pub(crate) fn load(path: &Path, subject: &Subject<'_>, options: &GapOptions) -> Result<Self> {
        let failed = |error: std::io::Error| Error::new(ErrorKind::Io, error.to_string()).in_file(path);
        let (mut bytes, limit) = (Vec::new(), subject.max_bytes() as u64 + 1);
        File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)).map_err(failed)?;
        Self::from_bytes(&bytes, subject, options).map_err(|error| error.in_file(path))
    }
}

/// Writes a file, which is there as a whole or not at all.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |error: std::io::Error| Error::new(ErrorKind::Io, error.to_string()).in_file(path);
    // In the same folder, so that it can be renamed; nobody else has a file of this name.
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let written = File::create(&part)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&part, path));
    written.map_err(|error| {
        // What is left of it is of no use; that it cannot be removed changes nothing.
        let _ = std::fs::remove_file(&part);
        failed(error)
    })
}

fn damaged(reason: &str) -> Error {
    Error::new(ErrorKind::Malformed, format!("this is no table of proven gaps: {reason}"))
}

fn stale(reason: String) -> Error {
    Error::new(ErrorKind::Stale, format!("the table of proven gaps cannot be used: {reason}"))
}

/// Bytes still to be read.
struct Bytes<'b>(&'b [u8]);

impl Bytes<'_> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk().ok_or_else(|| damaged("it ends too early"))?;
        self.0 = rest;
        Ok(*array)
    }

    fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn f64(&mut self) -> Result<f64> {
        self.array().map(f64::from_le_bytes)
    }

    /// A configuration of finite numbers.
    fn configuration(&mut self, robot: &Robot) -> Result<Vec<f64>> {
        let values = robot.variables().iter().map(|_| self.f64()).collect::<Result<Vec<_>>>()?;
        let finite = values.iter().all(|value| value.is_finite());
        if finite { Ok(values) } else { Err(damaged("a configuration is not finite")) }
    }

    /// What is known of the pair that is expected next.
    fn pair(&mut self, &[a, b]: &[usize; 2], subject: &Subject<'_>) -> Result<PairGap> {
        if [self.u32()? as usize, self.u32()? as usize] != [a, b] {
            return Err(damaged("its pairs are not those of the robot"));
        }
        let evaluations = u64::from_le_bytes(self.array()?) as usize;
        let empty = subject.bodies[a].is_empty() || subject.bodies[b].is_empty();
        let [tag] = self.array()?;
        let verdict = match tag {
            0 => Verdict::Never { gap: self.f64()?, nearest: self.f64()? },
            1 => Verdict::Sometimes { configuration: self.configuration(subject.robot)? },
            2 => Verdict::Always { proven: self.f64()? != 0.0, samples: self.f64()? as usize },
            3 => Verdict::Undecided { nearest: self.f64()?, configuration: self.configuration(subject.robot)? },
            _ => return Err(damaged("a verdict is none")),
        };
        let gap = match verdict {
            // Refuses what is no number, too.
            Verdict::Never { gap, nearest } if gap > 0.0 && nearest >= gap && gap.is_infinite() == empty => gap,
            Verdict::Never { .. } => return Err(damaged("a gap is none")),
            Verdict::Undecided { nearest, .. } if nearest.is_nan() || nearest < 0.0 => {
                return Err(damaged("a distance is none"));
            }
            _ => 0.0,
        };
        Ok(PairGap { bodies: [a, b], gap, verdict, evaluations })
    }
}
