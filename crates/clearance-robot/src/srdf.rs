//! SRDF files, read and written: which pairs of links need no check, groups, and the joint between
//! the robot and the world.
//!
//! Only names are read; they get their meaning with a robot. A file may speak of links that a
//! reduced robot has not: those are noted. Source: wiki.ros.org/srdf, and MoveIt's
//! `disable_default_collisions` and `enable_collisions`.

use crate::xml::{Reader, children, load_text, parse, quoted};
use crate::{DisabledPairs, Error, ErrorKind, Result, Robot};
use roxmltree::Node;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;

/// What an SRDF file says, by names.
///
/// ```
/// use clearance_robot::Srdf;
/// let srdf = Srdf::read("<robot name='r'><disable_collisions link1='a' link2='b' reason='Adjacent'/></robot>")?;
/// assert_eq!(srdf.disabled().next(), Some(("a", "b", Some("Adjacent"))));
/// # Ok::<(), clearance_robot::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Srdf {
    name: String,
    /// Pairs in the order of the file; later ones override earlier ones.
    rules: Vec<PairRule>,
    groups: Vec<Group>,
    group_numbers: HashMap<String, usize>,
    virtual_joints: Vec<VirtualJoint>,
    notes: Vec<String>,
}

/// The lines that [`Srdf::to_xml`] writes before the first pair, and one: lines count from there.
const LINES_BEFORE: usize = 3;

/// A statement about pairs of links.
#[derive(Debug, Clone)]
struct PairRule {
    line: usize,
    link_a: String,
    /// None means any other link.
    link_b: Option<String>,
    checked: bool,
    reason: Option<String>,
}

/// A named set of links and joints, as the file describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its name, unique among groups.
    pub name: String,
    /// Links that belong to it.
    pub links: Vec<String>,
    /// Joints that belong to it.
    pub joints: Vec<String>,
    /// Chains as `[base link, tip link]`.
    pub chains: Vec<[String; 2]>,
    /// Names of groups whose members belong to it.
    pub subgroups: Vec<String>,
    line: usize,
}

/// The members of a group, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GroupMembers {
    /// Its links: those named, those carried by its joints.
    pub links: Vec<usize>,
    /// Its joints: those named, those that carry its links.
    pub joints: Vec<usize>,
}

/// How the robot's root may move in the world. It is reported here and adds no variable to the
/// robot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VirtualJoint {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: VirtualJointKind,
    /// The frame of the world.
    pub parent_frame: String,
    /// The robot's link.
    pub child_link: String,
}

/// The kinds of [`VirtualJoint`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VirtualJointKind {
    /// The robot stands still.
    Fixed,
    /// It moves on a plane.
    Planar,
    /// It moves freely.
    Floating,
}

/// Why a pair of links needs no check, in the words that MoveIt's setup assistant writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DisableReason {
    /// A joint joins the two.
    Adjacent,
    /// The two collide in no configuration.
    Never,
    /// The two collide in a configuration that counts as free of collisions.
    Default,
    /// The two collide in all configurations.
    Always,
    /// A user decided so.
    User,
}

impl DisableReason {
    /// How SRDF files call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Adjacent => "Adjacent",
            Self::Never => "Never",
            Self::Default => "Default",
            Self::Always => "Always",
            Self::User => "User",
        }
    }
}

impl VirtualJointKind {
    /// How SRDF files call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Planar => "planar",
            Self::Floating => "floating",
        }
    }
}

impl Srdf {
    /// An SRDF for the robot of this name, which says nothing yet.
    ///
    /// ```
    /// use clearance_robot::{DisableReason, Srdf};
    /// let mut srdf = Srdf::new("r");
    /// srdf.disable("upper arm", "forearm", DisableReason::Adjacent);
    /// let read = Srdf::read(&srdf.to_xml())?;
    /// assert_eq!(read.disabled().next(), Some(("upper arm", "forearm", Some("Adjacent"))));
    /// # Ok::<(), clearance_robot::Error>(())
    /// ```
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Adds a pair of links that needs no check.
    pub fn disable(&mut self, link_a: impl Into<String>, link_b: impl Into<String>, reason: DisableReason) {
        let (link_a, link_b, reason) = (link_a.into(), Some(link_b.into()), Some(reason.name().to_owned()));
        self.rules.push(PairRule { line: self.rules.len() + LINES_BEFORE, link_a, link_b, checked: false, reason });
    }

    /// The text of an SRDF file that says the same.
    pub fn to_xml(&self) -> String {
        let mut text = format!("<?xml version=\"1.0\"?>\n<robot{}>\n", attribute("name", &self.name));
        for rule in &self.rules {
            let tag = match (&rule.link_b, rule.checked) {
                (None, _) => "disable_default_collisions",
                (_, true) => "enable_collisions",
                (_, false) => "disable_collisions",
            };
            let pair = match &rule.link_b {
                Some(link_b) => attribute("link1", &rule.link_a) + &attribute("link2", link_b),
                None => attribute("link", &rule.link_a),
            };
            let reason = rule.reason.as_deref().map(|reason| attribute("reason", reason)).unwrap_or_default();
            let _ = writeln!(text, "  <{tag}{pair}{reason}/>");
        }
        for group in &self.groups {
            let _ = writeln!(text, "  <group{}>", attribute("name", &group.name));
            for (tag, names) in [("link", &group.links), ("joint", &group.joints), ("group", &group.subgroups)] {
                for name in names {
                    let _ = writeln!(text, "    <{tag}{}/>", attribute("name", name));
                }
            }
            for [base, tip] in &group.chains {
                let _ = writeln!(text, "    <chain{}{}/>", attribute("base_link", base), attribute("tip_link", tip));
            }
            text += "  </group>\n";
        }
        for joint in &self.virtual_joints {
            let attributes = [
                ("name", joint.name.as_str()),
                ("type", joint.kind.name()),
                ("parent_frame", &joint.parent_frame),
                ("child_link", &joint.child_link),
            ]
            .map(|(name, value)| attribute(name, value));
            let _ = writeln!(text, "  <virtual_joint{}/>", attributes.concat());
        }
        text + "</robot>\n"
    }

    /// Reads the SRDF file at `path`.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::read(&load_text(path)?).map_err(|error| error.in_file(path))
    }

    /// Reads the text of an SRDF file.
    pub fn read(text: &str) -> Result<Self> {
        let document = parse(text)?;
        let root = document.root_element();
        let mut reader = Reader::new(text);
        let mut srdf = Self { name: root.attribute("name").unwrap_or_default().to_owned(), ..Self::default() };
        let known = ["group_state", "end_effector", "passive_joint", "joint_property", "link_sphere_approximation"];
        for node in root.children().filter(Node::is_element) {
            match node.tag_name().name() {
                "disable_collisions" => srdf.rules.push(pair_rule(&reader, node, false)?),
                "enable_collisions" => srdf.rules.push(pair_rule(&reader, node, true)?),
                "disable_default_collisions" => srdf.rules.push(default_rule(&reader, node)?),
                "group" => {
                    let group = group(&mut reader, node)?;
                    if let Some(other) = srdf.group(&group.name) {
                        let reason =
                            format!("two groups have this name (the first is in line {}); rename one", other.line);
                        let error = reader.error(ErrorKind::Repeated, node, reason);
                        return Err(error.of(format_args!("group '{}'", group.name)));
                    }
                    srdf.group_numbers.insert(group.name.clone(), srdf.groups.len());
                    srdf.groups.push(group);
                }
                "virtual_joint" => srdf.virtual_joints.push(virtual_joint(&reader, node)?),
                // Both kinds of file have a <robot> as their outermost element.
                tag @ ("link" | "joint") => {
                    let reason = format!("<{tag}> is an element of a URDF, not of an SRDF; give the robot's SRDF file");
                    return Err(reader.error(ErrorKind::Malformed, node, reason));
                }
                tag if known.contains(&tag) => {}
                tag => reader.note(node, format_args!("the element <{}> is unknown and ignored", quoted(tag))),
            }
        }
        srdf.notes = reader.into_notes();
        Ok(srdf)
    }

    /// The name of the robot it is for.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The pairs of `disable_collisions`, with the reason that the file gives.
    pub fn disabled(&self) -> impl Iterator<Item = (&str, &str, Option<&str>)> {
        let rules = self.rules.iter().filter(|rule| !rule.checked);
        rules.filter_map(|rule| Some((rule.link_a.as_str(), rule.link_b.as_deref()?, rule.reason.as_deref())))
    }

    /// The groups in the order of the file.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The group with this name.
    pub fn group(&self, name: &str) -> Option<&Group> {
        self.group_numbers.get(name).map(|&number| &self.groups[number])
    }

    /// The virtual joints in the order of the file.
    pub fn virtual_joints(&self) -> &[VirtualJoint] {
        &self.virtual_joints
    }

    /// What was ignored, one sentence each, with the line.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The pairs of the robot's links that need no check. Names that the robot has not are noted
    /// and ignored: the file may have been made for a larger robot.
    pub fn disabled_pairs(&self, robot: &Robot) -> DisabledPairs {
        let mut found = DisabledPairs::default();
        if !self.name.is_empty() && self.name != robot.name() {
            let [own, other] = [self.name.as_str(), robot.name()].map(quoted);
            found.notes.push(format!("the SRDF is for the robot '{own}', not for '{other}'"));
        }
        let mut unknown = HashSet::new();
        // The last rule about all pairs of a link, and about a pair by its names: of those that
        // concern a pair the last one counts.
        let mut of_link: HashMap<usize, usize> = HashMap::new();
        let mut of_pair: HashMap<[usize; 2], (usize, bool)> = HashMap::new();
        for (place, rule) in self.rules.iter().enumerate() {
            let mut number = |name: &String| {
                let number = robot.link_index(name);
                if number.is_none() && unknown.insert(name.clone()) {
                    found.notes.push(format!("line {}: the robot has no link '{}'", rule.line, quoted(name)));
                }
                number
            };
            match (number(&rule.link_a), rule.link_b.as_ref().map(&mut number)) {
                (Some(a), None) => {
                    of_link.insert(a, place);
                }
                (Some(a), Some(Some(b))) if a != b => {
                    of_pair.insert([a.min(b), a.max(b)], (place, rule.checked));
                }
                _ => {}
            }
        }
        let name = |link: usize| robot.links()[link].name();
        for ([a, b], _) in of_pair.iter().filter(|(_, (_, checked))| !checked) {
            found.insert(name(*a), name(*b));
        }
        for &a in of_link.keys() {
            for b in (0..robot.links().len()).filter(|&b| b != a) {
                let pair = [a.min(b), a.max(b)];
                let all = pair.iter().filter_map(|link| of_link.get(link)).max();
                if of_pair.get(&pair).is_none_or(|(place, checked)| !checked || Some(place) < all) {
                    found.insert(name(a), name(b));
                }
            }
        }
        found
    }

    /// The robot's links and joints that belong to a group: those named with the joint above or the
    /// link below them, those of the chains (without the base link), and those of the subgroups.
    pub fn group_members(&self, robot: &Robot, name: &str) -> Result<GroupMembers> {
        let mut joints = BTreeSet::new();
        let mut links = BTreeSet::new();
        let mut open = vec![(name, None)];
        let mut visited = HashSet::new();
        while let Some((name, line)) = open.pop() {
            let group = self.group(name).ok_or_else(|| {
                let reason = format!("there is no group '{}'; correct the name", quoted(name));
                Error::new(ErrorKind::Unknown, reason).at_line(line)
            })?;
            if !visited.insert(name) {
                continue;
            }
            group
                .add_own(robot, &mut links, &mut joints)
                .map_err(|error| error.of(group.label()).at_line(group.line))?;
            open.extend(group.subgroups.iter().map(|subgroup| (subgroup.as_str(), Some(group.line))));
        }
        Ok(GroupMembers { links: links.into_iter().collect(), joints: joints.into_iter().collect() })
    }
}

impl Group {
    fn label(&self) -> String {
        format!("group '{}'", self.name)
    }

    /// Adds what the group names itself.
    fn add_own(&self, robot: &Robot, links: &mut BTreeSet<usize>, joints: &mut BTreeSet<usize>) -> Result<()> {
        let missing = |what: &str, name: &str| {
            let reason = format!("the robot has no {what} '{}'; correct the name or remove it", quoted(name));
            Error::new(ErrorKind::Unknown, reason)
        };
        let find_link = |name: &String| robot.link_index(name).ok_or_else(|| missing("link", name));
        for name in &self.links {
            let link = find_link(name)?;
            links.insert(link);
            joints.extend(robot.joint_above(link));
        }
        for name in &self.joints {
            let joint = robot.joint_index(name).ok_or_else(|| missing("joint", name))?;
            joints.insert(joint);
            links.insert(robot.joints()[joint].child());
        }
        for [base, tip] in &self.chains {
            let (base, tip) = (find_link(base)?, find_link(tip)?);
            // Up from either end to the first link that carries both.
            for (from, other) in [(tip, base), (base, tip)] {
                let up = std::iter::successors(Some(from), |&link| robot.parent_link(link));
                for link in up.take_while(|&link| !robot.subtree(link).contains(&other)) {
                    links.insert(link);
                    joints.extend(robot.joint_above(link));
                }
            }
        }
        Ok(())
    }
}

fn pair_rule(reader: &Reader, node: Node<'_, '_>, checked: bool) -> Result<PairRule> {
    let name = |attribute| reader.required(node, attribute).map(str::to_owned);
    let reason = node.attribute("reason").map(str::to_owned);
    Ok(PairRule { line: reader.line(node), link_a: name("link1")?, link_b: Some(name("link2")?), checked, reason })
}

fn default_rule(reader: &Reader, node: Node<'_, '_>) -> Result<PairRule> {
    let link_a = reader.required(node, "link")?.to_owned();
    Ok(PairRule { line: reader.line(node), link_a, link_b: None, checked: false, reason: None })
}

fn group(reader: &mut Reader, node: Node<'_, '_>) -> Result<Group> {
    let name = reader.required(node, "name")?.to_owned();
    let line = reader.line(node);
    let mut group = Group { name, links: vec![], joints: vec![], chains: vec![], subgroups: vec![], line };
    reader.note_unknown(node, &group.label(), &["link", "joint", "chain", "group", "passive_joint"])?;
    let names = |tag: &str, attribute: &str| -> Result<Vec<String>> {
        children(node, tag).map(|child| reader.required(child, attribute).map(str::to_owned)).collect()
    };
    let filled = names("link", "name").and_then(|links| {
        group.links = links;
        group.joints = names("joint", "name")?;
        group.subgroups = names("group", "name")?;
        let chains = names("chain", "base_link")?.into_iter().zip(names("chain", "tip_link")?);
        group.chains = chains.map(|(base, tip)| [base, tip]).collect();
        Ok(())
    });
    filled.map_err(|error| error.of(group.label()))?;
    Ok(group)
}

fn virtual_joint(reader: &Reader, node: Node<'_, '_>) -> Result<VirtualJoint> {
    let name = reader.required(node, "name")?.to_owned();
    let label = format!("virtual joint '{name}'");
    let text = |attribute| reader.required(node, attribute).map_err(|error| error.of(&label));
    let kinds = [VirtualJointKind::Fixed, VirtualJointKind::Planar, VirtualJointKind::Floating];
    let kind = text("type")?;
    let kind = match kinds.into_iter().find(|known| known.name() == kind) {
        Some(kind) => kind,
        None => {
            let reason = format!("its type '{}' is none of fixed, planar, floating", quoted(kind));
            return Err(reader.error(ErrorKind::Unsupported, node, reason).of(&label));
        }
    };
    let (parent_frame, child_link) = (text("parent_frame")?.to_owned(), text("child_link")?.to_owned());
    Ok(VirtualJoint { name, kind, parent_frame, child_link })
}

/// An attribute of an element, with a space before it. Line breaks are escaped too: readers turn
/// others into spaces.
fn attribute(name: &str, value: &str) -> String {
    let mut text = format!(" {name}=\"");
    for character in value.chars() {
        match character {
            '&' => text += "&amp;",
            '<' => text += "&lt;",
            '"' => text += "&quot;",
            '\n' | '\r' | '\t' => {
                let _ = write!(text, "&#{};", u32::from(character));
            }
            other => text.push(other),
        }
    }
    text + "\""
}
