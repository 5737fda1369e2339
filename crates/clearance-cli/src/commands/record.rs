//! What commands share that record: rows that were answered, files of recordings, and pages.

use crate::output::Answer;
use crate::{outputs, progress};
use anyhow::{Result, bail};
use clearance::viewer::{Clearance, Observer, Recording, Segment, Timeline, Touch, Witness, html, pair_verdicts};
use clearance::{Checker, Pair, Pose, Status};
use std::path::Path;

/// Links this near to something, in metres, are shown as near.
pub const NEAR: f64 = 0.02;
/// The size of pictures, in pixels.
pub const PICTURE: [u32; 2] = [960, 720];
/// A recording has at most this many frames.
const MAX_FRAMES: usize = 20_000;
/// Joints move at most this far from one frame of a motion to the next, in radians or metres.
const STEP: f64 = 0.04;
/// A segment of a motion has at least and at most so many frames.
const FRAMES_PER_SEGMENT: [f64; 2] = [2.0, 100.0];

/// Writes a recording as animated glTF, or as a page that opens without network if its name ends in
/// `html`.
pub fn write(path: &Path, recording: &Recording) -> Result<()> {
    let glb = recording.glb()?;
    let is_page = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("html"));
    let bytes = if is_page { html(&glb, recording.title()).into_bytes() } else { glb };
    outputs::write(path, |path| Ok(std::fs::write(path, &bytes)?))
}

/// Draws the nearest moment of a recording with its shortest line, or its first one.
pub fn write_picture(path: &Path, recording: &Recording) -> Result<()> {
    let (frame, clearance) = recording.nearest().map_or((0, None), |(frame, number)| (frame, Some(number)));
    let picture = progress::during("drawing", || recording.picture(frame, clearance, PICTURE))?;
    outputs::write(path, |path| Ok(picture.save(path)?))?;
    eprintln!("Picture: {}", path.display());
    Ok(())
}

/// Configurations of a robot, collected while they are answered.
#[derive(Default)]
pub struct Rows {
    times: Vec<f64>,
    rows: Vec<Vec<f64>>,
    segments: Vec<Segment>,
    full: bool,
}

impl Rows {
    /// Adds a configuration; the first ones are kept where there are too many.
    pub fn push(&mut self, time: f64, row: Vec<f64>) {
        self.full |= self.times.len() >= MAX_FRAMES;
        if !self.full {
            self.times.push(time);
            self.rows.push(row);
        }
    }

    /// Adds a segment of a motion, which is `at` a configuration from 0 to 1, with frames at `also`.
    pub fn push_segment(&mut self, segment: Segment, also: Option<f64>, at: impl Fn(f64) -> Vec<f64>) {
        let (from, to) = (at(0.0), at(1.0));
        let widest = from.iter().zip(&to).map(|(a, b)| (b - a).abs()).fold(0.0, f64::max);
        let count = (widest / STEP).ceil().clamp(FRAMES_PER_SEGMENT[0], FRAMES_PER_SEGMENT[1]) as usize;
        let mut times: Vec<f64> = (0..=count).map(|i| i as f64 / count as f64).chain(also).collect();
        times.sort_by(f64::total_cmp);
        times.dedup_by(|a, b| *a - *b < 1e-6);
        for t in times {
            let time = segment.from + (segment.to - segment.from) * t;
            // Segments share their ends.
            if self.times.last().is_none_or(|last| time > last + 1e-6) {
                self.push(time, at(t));
            }
        }
        self.segments.push(segment);
    }

    /// The robot in its scene at all of these, with distances, also to itself if it is asked about
    /// its `own` pairs.
    pub fn recording(self, unit: &str, checker: &Checker, own: bool) -> Result<Recording> {
        if self.times.is_empty() {
            bail!("there is nothing to record");
        }
        let mut recording = Recording::new(checker.robot().name());
        let bodies = recording.add_scene(checker.scene())?;
        let number = recording.add_robot(checker.robot(), &checker.base(), None)?;
        // Segments are parts of one motion, other rows have nothing to do with each other.
        let step = self.segments.is_empty();
        recording.set_timeline(Timeline { unit: unit.to_owned(), step, times: self.times })?;
        recording.set_motion(number, self.rows)?;
        recording.set_pairs(number, pair_verdicts(checker));
        recording.set_segments(self.segments);
        if self.full {
            recording.add_note(format!("Only the first {MAX_FRAMES} frames are recorded."));
        }
        let bodies = (!checker.scene().is_empty()).then_some(&bodies[..]);
        Observer { checker, bodies, own, near: NEAR }.record(&mut recording, number)?;
        Ok(recording)
    }
}

/// Poses of a second mesh in the frame of the first, collected while they are answered.
#[derive(Default)]
pub struct Poses {
    poses: Vec<Pose>,
    clearance: Clearance,
    touches: Vec<Touch>,
    full: bool,
}

impl Poses {
    /// Adds a pose with its answer; the first ones are kept where there are too many.
    pub fn push(&mut self, pose: &Pose, answer: &Answer) {
        self.full |= self.poses.len() >= MAX_FRAMES;
        if self.full {
            return;
        }
        self.poses.push(*pose);
        let mut touch = Touch { frame: self.poses.len() - 1, a: 0, b: 1, contacts: Vec::new() };
        let (mut lower, mut upper, mut witness) = (None, None, None);
        match answer {
            Answer::Distance { distance: d, .. } => {
                lower = Some(d.lower).filter(|number| number.is_finite());
                upper = Some(d.upper).filter(|number| d.status != Status::BeyondMax && number.is_finite());
                witness = d.witness.map(|w| [w.point_a.to_array(), w.point_b.to_array()]);
            }
            Answer::Contacts(contacts) => {
                touch.contacts = contacts.contacts.iter().map(|contact| contact.points.to_vec()).collect();
            }
            Answer::Signed { found: s, .. } => {
                (lower, upper) = (Some(s.lower), Some(s.upper));
                witness = Some([s.point_a.to_array(), s.point_b.to_array()]);
            }
            Answer::Collide(_) => {}
        }
        if answer.colliding() {
            self.touches.push(touch);
        }
        self.clearance.lower.push(lower);
        self.clearance.upper.push(upper);
        self.clearance.witnesses.push(witness.map(|points| Witness { a: 0, b: 1, points }));
    }

    /// Both meshes, by the files that they are from.
    pub fn recording(self, files: [&Path; 2], pair: &Pair) -> Result<Recording> {
        if self.poses.is_empty() {
            bail!("there is nothing to record");
        }
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (names, geometries) = (files.map(name), [pair.a(), pair.b()]);
        let mut recording = Recording::new(names.join(" and "));
        let [_, b] = [0, 1].map(|i| recording.add_object(&names[i], &**geometries[i], &Pose::IDENTITY));
        let times = (0..self.poses.len()).map(|i| i as f64).collect();
        recording.set_timeline(Timeline { unit: "pose".to_owned(), step: true, times })?;
        recording.set_poses(b?, self.poses)?;
        if self.clearance.upper.iter().any(Option::is_some) {
            recording.add_clearance(Clearance { name: "of the two".to_owned(), ..self.clearance })?;
        }
        self.touches.iter().for_each(|touch| recording.add_touch(touch));
        if self.full {
            recording.add_note(format!("Only the first {MAX_FRAMES} frames are recorded."));
        }
        Ok(recording)
    }
}
