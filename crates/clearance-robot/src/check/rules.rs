//! Which pairs of parts are looked at, and with what padding and margin.

use super::Part;
use crate::bodies::sorted;
use crate::{DisabledPairs, Error, ErrorKind, Result, Robot};
use clearance_engine::tree::Geometry;
use clearance_engine::{Pose, Readable};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What users set up about collisions, by names of links (and of attached or scene objects).
///
/// ```
/// use clearance_robot::CheckOptions;
/// let options = CheckOptions { padding: 0.01, allowed: vec![["hand".into(), "cup".into()]], ..CheckOptions::default() };
/// ```
#[derive(Clone, Default)]
pub struct CheckOptions {
    /// Pairs of links that are not looked at: those of an SRDF file.
    pub disabled: DisabledPairs,
    /// Pairs of names that may touch: links, attached objects, objects of the scene.
    pub allowed: Vec<[String; 2]>,
    /// How much larger every link is meant to be, in metres.
    pub padding: f64,
    /// Other paddings of single links or attached objects; an error for a name that is neither.
    pub paddings: HashMap<String, f64>,
    /// The distance below which any pair counts as colliding.
    pub margin: f64,
    /// Other margins of single pairs.
    pub margins: HashMap<[String; 2], f64>,
    /// Links whose pairs are looked at, by name; all if `None`. A pair counts if one of its links
    /// is here.
    pub only: Option<Vec<String>>,
    /// Objects that links carry.
    pub attached: Vec<Attachment>,
}

impl CheckOptions {
    /// Sets the margins of all pairs of `names` at once, by a symmetric matrix row by row; NaN and
    /// the diagonal leave a pair as it is.
    ///
    /// ```
    /// use clearance_robot::CheckOptions;
    /// let mut options = CheckOptions::default();
    /// options.set_margins(&["hand", "cup", "wall"], &[0.0, 0.01, f64::NAN, 0.01, 0.0, 0.05, f64::NAN, 0.05, 0.0])?;
    /// assert_eq!(options.margins[&["cup".to_owned(), "wall".to_owned()]], 0.05);
    /// assert_eq!(options.margins.len(), 2);
    /// # Ok::<(), clearance_robot::Error>(())
    /// ```
    pub fn set_margins(&mut self, names: &[impl AsRef<str>], matrix: &[f64]) -> Result<()> {
        let count = names.len();
        if count.checked_mul(count) != Some(matrix.len()) {
            let reason = format!("{} margins given for {count} names, which have {count}²", matrix.len());
            return Err(Error::new(ErrorKind::OutOfRange, reason));
        }
        let mut given = Vec::new();
        for a in 0..count {
            for b in 0..a {
                let (margin, mirrored) = (matrix[a * count + b], matrix[b * count + a]);
                let names = sorted(names[a].as_ref(), names[b].as_ref());
                if margin.to_bits() != mirrored.to_bits() && !(margin.is_nan() && mirrored.is_nan()) {
                    let [a, b] = names;
                    let reason = format!(
                        "the margin of '{a}' and '{b}' is {} and {}; make the matrix symmetric",
                        Readable(mirrored),
                        Readable(margin)
                    );
                    return Err(Error::new(ErrorKind::OutOfRange, reason));
                }
                if !margin.is_nan() {
                    given.push((names, margin));
                }
            }
        }
        for ([a, b], margin) in given {
            // The pair may be there in the other order.
            self.margins.remove(&[b.clone(), a.clone()]);
            self.margins.insert([a, b], margin);
        }
        Ok(())
    }
}

/// An object that moves with a link.
#[derive(Clone)]
pub struct Attachment {
    /// Its name.
    pub name: String,
    /// The link that carries it.
    pub link: String,
    /// What it is.
    pub geometry: Arc<dyn Geometry>,
    /// Its pose in the link's frame.
    pub link_from_object: Pose,
    /// Links that it may touch, besides the one that carries it.
    pub touch_links: Vec<String>,
}

/// Marks a pair that is not looked at.
const IGNORED: f64 = f64::NEG_INFINITY;

/// What of [`CheckOptions`] is about single parts, looked up by number.
#[derive(Clone)]
pub(super) struct Rules {
    count: usize,
    /// By pair of parts: the offset, or [`IGNORED`].
    offsets: Vec<f64>,
    pub(super) largest: f64,
    /// By part: padding and margin against what does not belong to the robot; [`IGNORED`] if it is
    /// not looked at.
    outward: Vec<f64>,
    names: Vec<String>,
    /// By part: the first part of the same name.
    groups: Vec<u32>,
    /// By part: whether `allowed` or `margins` speak of it; names are compared for those alone.
    named: Vec<bool>,
    allowed: HashSet<[String; 2]>,
    margins: HashMap<[String; 2], f64>,
    margin: f64,
    paddings: Vec<f64>,
}

impl Rules {
    pub(super) fn new(robot: &Robot, parts: &[Part], options: &CheckOptions) -> Result<Self> {
        check_numbers(options)?;
        let names: Vec<String> = parts.iter().map(|part| name_of(robot, part).to_owned()).collect();
        if let Some(name) =
            options.paddings.keys().find(|name| robot.link_index(name).is_none() && !names.contains(name))
        {
            let reason = format!("a padding is given for '{name}', but no link or attached object is called so");
            return Err(Error::new(ErrorKind::Unknown, reason));
        }
        let padding = |name: &String| options.paddings.get(name).copied().unwrap_or(options.padding);
        let paddings: Vec<f64> = names.iter().map(padding).collect();
        let mentioned: HashSet<&String> = options.allowed.iter().chain(options.margins.keys()).flatten().collect();
        let named = names.iter().map(|name| mentioned.contains(name)).collect();
        let allowed = options.allowed.iter().map(|[a, b]| sorted(a, b)).collect();
        let margins = options.margins.iter().map(|([a, b], &margin)| (sorted(a, b), margin)).collect();
        let only = options.only.as_ref().map(|only| link_numbers(robot, only)).transpose()?;
        let active = |part: &Part| only.as_ref().is_none_or(|only| only.contains(&part.link));
        let mut disabled = options.disabled.of(robot);
        disabled.extend(robot.disabled_pairs().of(robot));
        let outward = parts.iter().zip(&paddings);
        let outward = outward.map(|(part, padding)| if active(part) { padding + options.margin } else { IGNORED });
        let mut firsts = HashMap::new();
        let groups = (0..).zip(&names).map(|(part, name)| *firsts.entry(name.clone()).or_insert(part)).collect();
        let mut rules = Self {
            count: parts.len(),
            offsets: vec![IGNORED; parts.len() * parts.len()],
            largest: 0.0,
            outward: outward.collect(),
            names,
            groups,
            named,
            allowed,
            margins,
            margin: options.margin,
            paddings,
        };
        for (a, part_a) in parts.iter().enumerate() {
            for (b, part_b) in parts.iter().enumerate().skip(a + 1) {
                if (active(part_a) || active(part_b)) && are_looked_at(robot, part_a, part_b, options, &disabled) {
                    rules.set(a, b);
                }
            }
        }
        Ok(rules)
    }

    fn set(&mut self, a: usize, b: usize) {
        let mut margin = self.margin;
        if self.named[a] && self.named[b] {
            let names = sorted(&self.names[a], &self.names[b]);
            if self.allowed.contains(&names) {
                return;
            }
            margin = self.margins.get(&names).copied().unwrap_or(margin);
        }
        let offset = self.paddings[a] + self.paddings[b] + margin;
        self.largest = self.largest.max(offset);
        self.offsets[a * self.count + b] = offset;
        self.offsets[b * self.count + a] = offset;
    }

    /// The pairs that are looked at, in ascending order.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.count as u32)
            .flat_map(|a| (a + 1..self.count as u32).map(move |b| (a, b)))
            .filter(|&(a, b)| self.offset(a, b).is_some())
    }

    #[inline]
    pub(super) fn offset(&self, a: u32, b: u32) -> Option<f64> {
        let offset = self.offsets[a as usize * self.count + b as usize];
        (offset >= 0.0).then_some(offset)
    }

    /// The offset of a part against an object of another assembly, whose own padding is `other`.
    #[inline]
    pub(super) fn outward(&self, part: u32, other: f64, name: &str) -> Option<f64> {
        let part = part as usize;
        let offset = self.outward[part];
        if offset < 0.0 {
            return None;
        }
        if !self.named[part] {
            return Some(offset + other);
        }
        let names = sorted(&self.names[part], name);
        if self.allowed.contains(&names) {
            return None;
        }
        let margin = self.margins.get(&names).copied().unwrap_or(self.margin);
        Some(self.paddings[part] + margin + other)
    }

    /// As [`outward`](Rules::outward), but a name that this robot has too (two of a kind) does not
    /// say which one is meant.
    pub(super) fn toward_robot(&self, part: u32, other: f64, name: &str) -> Option<f64> {
        let ambiguous = self.named[part as usize] && self.names.iter().any(|own| own == name);
        self.outward(part, other, if ambiguous { "" } else { name })
    }

    /// Parts of the same name have the same.
    pub(super) fn group(&self, part: u32) -> u32 {
        self.groups[part as usize]
    }

    pub(super) fn padding(&self, part: u32) -> f64 {
        self.paddings[part as usize]
    }

    /// At least every offset outward, but for the other side's padding.
    pub(super) fn largest_outward(&self) -> f64 {
        let margin = self.margins.values().fold(self.margin, |most, margin| most.max(*margin));
        self.paddings.iter().fold(0.0_f64, |most, padding| most.max(*padding)) + margin
    }
}

fn name_of<'a>(robot: &'a Robot, part: &'a Part) -> &'a str {
    part.attached.as_deref().unwrap_or_else(|| robot.links()[part.link].name())
}

fn are_looked_at(robot: &Robot, a: &Part, b: &Part, options: &CheckOptions, disabled: &HashSet<[usize; 2]>) -> bool {
    let attachment = |part: &Part| options.attached.iter().find(|other| Some(&other.name) == part.attached.as_ref());
    let touches = |object: &Attachment, other: &Part| {
        other.attached.is_none() && object.touch_links.iter().any(|name| name == robot.links()[other.link].name())
    };
    match (attachment(a), attachment(b)) {
        (None, None) => {
            let (low, high) = (a.link.min(b.link), a.link.max(b.link));
            robot.are_checked(low, high) && !disabled.contains(&[low, high])
        }
        // An object may touch what carries it, and what it was told it may touch.
        (Some(object), None) => a.link != b.link && !touches(object, b),
        (None, Some(object)) => a.link != b.link && !touches(object, a),
        (Some(_), Some(_)) => robot.body_of(a.link) != robot.body_of(b.link),
    }
}

/// The numbers of links; an error for a name that no link has.
fn link_numbers(robot: &Robot, names: &[String]) -> Result<HashSet<usize>> {
    let unknown = |name| Error::new(ErrorKind::Unknown, format!("no link is called '{name}'; correct the name"));
    names.iter().map(|name| robot.link_index(name).ok_or_else(|| unknown(name))).collect()
}

fn check_numbers(options: &CheckOptions) -> Result<()> {
    let named = options.paddings.iter().map(|(name, value)| (format!("the padding of '{name}'"), *value));
    let pairs = options.margins.iter().map(|([a, b], value)| (format!("the margin of '{a}' and '{b}'"), *value));
    let all = [("the padding".to_owned(), options.padding), ("the margin".to_owned(), options.margin)];
    for (what, value) in all.into_iter().chain(named).chain(pairs) {
        if !value.is_finite() || value < 0.0 {
            return Err(Error::new(
                ErrorKind::OutOfRange,
                format!("{what} must not be negative or infinite: {}", Readable(value)),
            ));
        }
    }
    Ok(())
}
