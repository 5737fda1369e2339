//! SRDF files: which pairs of links need no check, groups, and the joint between the robot and the world.
//!
//! Only names are read; they get their meaning with a robot. A file may speak of links that a reduced robot has not:
//! those are noted. Source: wiki.ros.org/srdf, and MoveIt's `disable_default_collisions` and `enable_collisions`.

use crate::xml::{Reader, children, load_text, parse, quoted};
use crate::{DisabledPairs, Error, ErrorKind, Result, Robot};
use roxmltree::Node;
use std::collections::{BTreeSet, HashMap, HashSet};
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

/// How the robot's root may move in the world. It is reported here and adds no variable to the robot.
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

impl Srdf {
    /// Reads the SRDF file at `path`.
    pub fn load(path: &Path) -> Result<Self> {
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

    /// The pairs of the robot's links that need no check. Names that the robot has not are noted and ignored: the file
    /// may have been made for a larger robot.
    pub fn disabled_pairs(&self, robot: &Robot) -> DisabledPairs {
        let mut found = DisabledPairs::default();
        if !self.name.is_empty() && self.name != robot.name() {
            let [own, other] = [self.name.as_str(), robot.name()].map(quoted);
            found.notes.push(format!("the SRDF is for the robot '{own}', not for '{other}'"));
        }
        let mut unknown = HashSet::new();
        // The last rule about all pairs of a link, and about a pair by its names: of those that concern a pair the last one counts.
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
        found.pairs.extend(of_pair.iter().filter(|(_, (_, checked))| !checked).map(|(pair, _)| *pair));
        for &a in of_link.keys() {
            for b in (0..robot.links().len()).filter(|&b| b != a) {
                let pair = [a.min(b), a.max(b)];
                let all = pair.iter().filter_map(|link| of_link.get(link)).max();
                if of_pair.get(&pair).is_none_or(|(place, checked)| !checked || Some(place) < all) {
                    found.pairs.insert(pair);
                }
            }
        }
        found
    }

    /// The robot's links and joints that belong to a group: those named with the joint above or the link below them,
    /// those of the chains (without the base link), and those of the subgroups.
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
    let kind = match text("type")? {
        "fixed" => VirtualJointKind::Fixed,
        "planar" => VirtualJointKind::Planar,
        "floating" => VirtualJointKind::Floating,
        other => {
            let reason = format!("its type '{}' is none of fixed, planar, floating", quoted(other));
            return Err(reader.error(ErrorKind::Unsupported, node, reason).of(&label));
        }
    };
    let (parent_frame, child_link) = (text("parent_frame")?.to_owned(), text("child_link")?.to_owned());
    Ok(VirtualJoint { name, kind, parent_frame, child_link })
}
