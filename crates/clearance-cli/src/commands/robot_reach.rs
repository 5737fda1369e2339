//! `clearance robot --reach`: where links can be at all, and which objects they can touch.

use super::record::PICTURE;
use crate::output::{at_least, number, point};
use crate::progress;
use anyhow::Result;
use clearance::engine::Readable;
use clearance::engine::volume::BoundingSphere;
use clearance::robot::{ErrorKind, GapOptions, Reach, Verdict};
use clearance::scene::picture::{Camera, Picture};
use clearance::viewer::{Recording, Timeline};
use clearance::{Checker, Vec3};
use serde_json::{Value, json};
use std::f64::consts::TAU;
use std::fmt::Write as _;
use std::path::Path;

/// What the links of a robot can reach and touch.
pub(super) struct Reaches {
    /// By link with geometry; none where nothing bounds it.
    links: Vec<(String, Option<Reach>)>,
    touch: Vec<(String, String, Verdict)>,
}

impl Reaches {
    /// Finds the reach of every link, and its verdict on every object of the checker's scene.
    pub(super) fn find(checker: &Checker, effort: &GapOptions) -> Result<Self> {
        let names = checker.robot().links().iter().filter(|link| !link.geometries().is_empty());
        let names: Vec<String> = names.map(|link| link.name().to_owned()).collect();
        let objects: Vec<&str> = checker.scene().names().collect();
        let bar = progress::bar(names.len() * objects.len());
        bar.set_message("links and objects");
        let mut touch = Vec::new();
        for link in &names {
            for object in &objects {
                touch.push((link.clone(), (*object).to_owned(), checker.can_touch(link, object, effort)?));
                bar.inc(1);
            }
        }
        bar.finish_and_clear();
        let mut links = Vec::new();
        for name in names {
            let reach = match checker.reach(&name) {
                Ok(reach) => Some(reach),
                Err(error) if error.kind() == ErrorKind::Unsupported => None,
                Err(error) => return Err(error.into()),
            };
            links.push((name, reach));
        }
        Ok(Self { links, touch })
    }

    pub(super) fn text(&self) -> String {
        let mut text = "reach, within the joint limits:\n".to_owned();
        for (link, reach) in &self.links {
            let place = match reach.as_ref().map(Reach::bounding_box) {
                Some(Some((low, high))) => format!("never leaves the box from {} to {}", Readable(low), Readable(high)),
                _ => "can be anywhere: a joint that carries it has no limits".to_owned(),
            };
            let _ = writeln!(text, "  {link:<32} {place}");
        }
        for (link, object, verdict) in &self.touch {
            let words = match verdict {
                Verdict::Never { gap, .. } if gap.is_infinite() => "never: one of them has no geometry".to_owned(),
                Verdict::Never { gap, .. } => format!("never, proven: at least {} m apart", at_least(*gap)),
                Verdict::Sometimes { configuration } => {
                    let values: Vec<String> = configuration.iter().map(|x| Readable(*x).to_string()).collect();
                    format!("yes, at {}", values.join(" "))
                }
                Verdict::Always { proven: true, .. } => "always, proven".to_owned(),
                Verdict::Always { samples, .. } => format!("in all of {samples} samples"),
                Verdict::Undecided { nearest, .. } if nearest.is_infinite() => "undecided".to_owned(),
                Verdict::Undecided { nearest, .. } => format!("undecided; nearest {} m", Readable(*nearest)),
            };
            let _ = writeln!(text, "  can {link} touch {object}? {words}");
        }
        text
    }

    pub(super) fn add_json(&self, json: &mut Value) {
        let sphere =
            |s: &BoundingSphere| json!([number(s.center.x), number(s.center.y), number(s.center.z), number(s.radius)]);
        let link = |(name, reach): &(String, Option<Reach>)| {
            let ends = reach.as_ref().and_then(Reach::bounding_box);
            json!({
                "link": name,
                "low": ends.map(|(low, _)| point(low)),
                "high": ends.map(|(_, high)| point(high)),
                "spheres": reach.as_ref().map(|reach| reach.spheres().iter().map(sphere).collect::<Vec<_>>()),
            })
        };
        json["reach"] = self.links.iter().map(link).collect();
        let touch = |(link, object, verdict): &(String, String, Verdict)| {
            let (word, gap, configuration) = match verdict {
                Verdict::Never { gap, .. } => ("never", number(*gap), Value::Null),
                Verdict::Sometimes { configuration } => ("sometimes", Value::Null, json!(configuration)),
                Verdict::Always { .. } => ("always", Value::Null, Value::Null),
                Verdict::Undecided { configuration, .. } => ("undecided", Value::Null, json!(configuration)),
            };
            json!({ "link": link, "object": object, "verdict": word, "gap": gap, "configuration": configuration })
        };
        json["touch"] = self.touch.iter().map(touch).collect();
    }
}

/// The lines of a sphere: circles about so many axes, of so many parts.
const CIRCLE_PARTS: usize = 48;
const LINE: [u8; 3] = [66, 99, 235];

/// The robot in its default configuration, its scene, and the spheres that no link leaves.
pub(super) fn reach_picture(checker: &Checker, path: &Path) -> Result<()> {
    let reach = checker.robot_reach()?;
    let mut recording = Recording::new(checker.robot().name());
    recording.add_scene(checker.scene())?;
    let robot = recording.add_robot(checker.robot(), &checker.base(), None)?;
    recording.set_timeline(Timeline { unit: "row".to_owned(), step: true, times: vec![0.0] })?;
    recording.set_motion(robot, vec![checker.robot().default_configuration()])?;
    let (low, high) = reach.bounding_box().unwrap_or((Vec3::ZERO, Vec3::ONE));
    let (center, size) = ((low + high) * 0.5, (high - low).length());
    let camera = Camera::looking(center + Vec3::new(-0.72, -0.62, 0.42).normalize() * 1.3 * size, center);
    let mut picture = recording.drawn(0, camera, PICTURE)?;
    reach.spheres().iter().for_each(|sphere| draw_sphere(&mut picture, sphere));
    Ok(picture.save(path)?)
}

/// Three circles, and the outline would be a fourth.
fn draw_sphere(picture: &mut Picture, sphere: &BoundingSphere) {
    for [u, v] in [[Vec3::X, Vec3::Y], [Vec3::Y, Vec3::Z], [Vec3::Z, Vec3::X]] {
        let at = |i: usize| {
            let (sin, cos) = (TAU * i as f64 / CIRCLE_PARTS as f64).sin_cos();
            sphere.center + (u * cos + v * sin) * sphere.radius
        };
        (0..CIRCLE_PARTS).for_each(|i| picture.draw_line(at(i), at(i + 1), LINE, 1.5));
    }
}
