//! URDF files.
//!
//! Read are links with their collision or visual geometry, and joints of the six kinds with origin,
//! axis, limits and mimic rules; what does not concern geometry (inertia, materials, transmissions,
//! simulators' elements) is skipped, and elements that nobody knows are noted. All checks of the
//! robot as a whole are those of [`RobotBuilder::build`]. Source: the XML specification of URDF,
//! wiki.ros.org/urdf/XML. Cost: one pass over the XML, each mesh loaded once.

use crate::builder::{LinkSpec, MimicSpec};
use crate::meshes::Meshes;
use crate::package::Resolver;
use crate::xml::{Reader, children, load_text, parse, quoted};
use crate::{ErrorKind, JointKind, JointSpec, Limits, LinkGeometry, LinkShape, Result, Robot, RobotBuilder};
use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use clearance_io::LoadOptions;
use roxmltree::Node;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// What of a URDF file is read, and where its meshes are.
///
/// ```
/// use clearance_robot::{GeometrySource, UrdfOptions};
/// let packages = vec!["robots".into()];
/// let options = UrdfOptions { geometry: GeometrySource::Visual, packages, ..UrdfOptions::default() };
/// ```
#[derive(Debug, Clone)]
pub struct UrdfOptions {
    /// Which of a link's two kinds of geometry.
    pub geometry: GeometrySource,
    /// Folders that hold packages: `package://A/b` is the first existing `DIR/A/b`, here and then
    /// in the folders above the file.
    pub packages: Vec<PathBuf>,
    /// Where relative paths start; [`load_urdf`] takes the file's folder if this is `None`.
    pub base_dir: Option<PathBuf>,
    /// How mesh files are read.
    pub meshes: LoadOptions,
    /// Whether the coordinates in mesh files are rounded to `f32`, as everything does that reads
    /// them through assimp (pinocchio, MoveIt, RViz): then all of them see the same surfaces, to
    /// the last bit. True by default.
    pub single_precision: bool,
    /// Which links have the hulls of their meshes in the place of these. None by default: a hull
    /// fills holes and notches.
    pub hulls: HullLinks,
    /// The most vertices, and the most triangles, that all meshes together may have, each counted
    /// once for every scale that it is used with: a small file can ask for one mesh at any number
    /// of scales. 2²⁶ by default.
    pub max_mesh_elements: usize,
}

/// The links whose meshes are replaced by their convex hulls: faster to ask about, and never
/// smaller than the mesh.
///
/// ```
/// use clearance_robot::HullLinks;
/// let wrists = HullLinks::Named(["wrist_left", "wrist_right"].map(String::from).into());
/// assert!(wrists.contain("wrist_left") && !wrists.contain("elbow") && HullLinks::All.contain("elbow"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum HullLinks {
    /// Meshes stay what they are.
    #[default]
    None,
    /// Every link that has a mesh.
    All,
    /// These links; a name that no link has is an error.
    Named(BTreeSet<String>),
}

impl HullLinks {
    /// Whether a link's meshes are replaced.
    pub fn contain(&self, link: &str) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Named(names) => names.contains(link),
        }
    }
}

impl Default for UrdfOptions {
    fn default() -> Self {
        Self {
            geometry: GeometrySource::default(),
            packages: Vec::new(),
            base_dir: None,
            meshes: LoadOptions::default(),
            single_precision: true,
            hulls: HullLinks::None,
            max_mesh_elements: 1 << 26,
        }
    }
}

/// Which of a link's two kinds of geometry is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum GeometrySource {
    /// The `<collision>` elements.
    #[default]
    Collision,
    /// The `<visual>` elements.
    Visual,
    /// None: the robot is only to move.
    Nothing,
}

/// Reads the URDF file at `path` with its meshes.
///
/// ```no_run
/// use clearance_robot::{UrdfOptions, load_urdf};
/// let robot = load_urdf("panda.urdf".as_ref(), &UrdfOptions::default())?;
/// println!("{} links, {} variables", robot.links().len(), robot.variables().len());
/// # Ok::<(), clearance_robot::Error>(())
/// ```
pub fn load_urdf(path: &Path, options: &UrdfOptions) -> Result<Robot> {
    let text = load_text(path)?;
    let mut options = options.clone();
    if options.base_dir.is_none() {
        options.base_dir = Some(path.parent().map_or_else(PathBuf::new, Path::to_path_buf));
    }
    read_urdf(&text, &options).map_err(|error| error.in_file(path))
}

/// Reads a robot from the text of a URDF file; its meshes are still files.
///
/// ```
/// use clearance_robot::{UrdfOptions, read_urdf};
/// let robot = read_urdf("<robot name='stone'><link name='body'/></robot>", &UrdfOptions::default())?;
/// assert_eq!(robot.links()[0].name(), "body");
/// # Ok::<(), clearance_robot::Error>(())
/// ```
pub fn read_urdf(text: &str, options: &UrdfOptions) -> Result<Robot> {
    let document = parse(text)?;
    let root = document.root_element();
    let resolver = Resolver::new(&options.packages, options.base_dir.as_deref());
    let meshes = Meshes::new(resolver, options);
    let mut urdf = Urdf { reader: Reader::new(text), meshes, options, by_hull: false };
    urdf.reader.note_unknown(
        root,
        "robot",
        &["link", "joint", "material", "transmission", "gazebo", "sensor", "ros2_control"],
    )?;
    let mut builder = RobotBuilder::new(root.attribute("name").unwrap_or_default());
    for node in children(root, "link") {
        builder.links.push(urdf.link(node)?);
    }
    for node in children(root, "joint") {
        builder.joints.push(urdf.joint(node)?);
    }
    let line = urdf.reader.line(root);
    urdf.check_hulls(root, &builder)?;
    builder.notes = urdf.reader.into_notes();
    builder.build().map_err(|error| error.at_line(line))
}

struct Urdf<'a> {
    reader: Reader,
    meshes: Meshes<'a>,
    options: &'a UrdfOptions,
    /// Whether the link that is being read has hulls in the place of its meshes.
    by_hull: bool,
}

impl Urdf<'_> {
    fn link(&mut self, node: Node<'_, '_>) -> Result<LinkSpec> {
        let name = self.reader.required(node, "name")?.to_owned();
        let label = format!("link '{name}'");
        let known = ["inertial", "visual", "collision", "sensor", "gazebo", "material", "contact"];
        self.reader.note_unknown(node, &label, &known)?;
        self.by_hull = self.options.hulls.contain(&name);
        let tag = match self.options.geometry {
            GeometrySource::Collision => "collision",
            GeometrySource::Visual => "visual",
            GeometrySource::Nothing => "",
        };
        let geometries = children(node, tag).map(|node| self.link_geometry(node)).collect::<Result<_>>();
        let geometries = geometries.map_err(|error| error.of(&label))?;
        Ok(LinkSpec { name, geometries, line: Some(self.reader.line(node)) })
    }

    fn link_geometry(&mut self, node: Node<'_, '_>) -> Result<LinkGeometry> {
        let origin = self.origin(node)?;
        let tag = node.tag_name().name();
        let shape = self.reader.child(node, "geometry")?;
        let mut shapes = shape.iter().flat_map(|geometry| geometry.children()).filter(Node::is_element);
        let Some(shape) = shapes.next() else {
            let reason = format!("<{tag}> has no <geometry> with a shape in it; add one or remove the <{tag}>");
            return Err(self.reader.error(ErrorKind::Missing, node, reason));
        };
        if let Some(second) = shapes.next() {
            let reason = format!("<geometry> holds two shapes; put each into a <{tag}> of its own");
            return Err(self.reader.error(ErrorKind::Malformed, second, reason));
        }
        let shape = self.shape(shape)?;
        Ok(LinkGeometry { name: node.attribute("name").unwrap_or_default().to_owned(), origin, shape })
    }

    fn shape(&mut self, node: Node<'_, '_>) -> Result<LinkShape> {
        let number = |name| self.reader.required_numbers::<1>(node, name).map(|[number]| number);
        Ok(match node.tag_name().name() {
            "box" => LinkShape::Box { size: self.reader.required_numbers(node, "size")?.into() },
            "sphere" => LinkShape::Sphere { radius: number("radius")? },
            "cylinder" => LinkShape::Cylinder { radius: number("radius")?, length: number("length")? },
            "capsule" => LinkShape::Capsule { radius: number("radius")?, length: number("length")? },
            "mesh" => self.mesh(node)?,
            other => {
                let reason =
                    format!("the shape <{}> is none of <mesh>, <box>, <sphere>, <cylinder>, <capsule>", quoted(other));
                return Err(self.reader.error(ErrorKind::Unsupported, node, reason));
            }
        })
    }

    fn mesh(&mut self, node: Node<'_, '_>) -> Result<LinkShape> {
        let uri = self.reader.required(node, "filename")?;
        let scale = DVec3::from_array(self.reader.numbers(node, "scale")?.unwrap_or([1.0; 3]));
        if scale.to_array().contains(&0.0) {
            let reason = "the mesh's scale has a zero, which makes it flat; give the factors for x, y and z";
            return Err(self.reader.error(ErrorKind::OutOfRange, node, reason));
        }
        let shape = if self.by_hull {
            self.meshes.load_hull(uri, scale).map(LinkShape::Hull)
        } else {
            self.meshes.load(uri, scale).map(LinkShape::Mesh)
        };
        shape.map_err(|error| error.at_line(self.reader.line(node)))
    }

    /// Links that are to have hulls must exist; those without a mesh are noted.
    fn check_hulls(&mut self, root: Node<'_, '_>, builder: &RobotBuilder) -> Result<()> {
        let HullLinks::Named(names) = &self.options.hulls else { return Ok(()) };
        let links: HashMap<&str, &LinkSpec> = builder.links.iter().map(|link| (link.name.as_str(), link)).collect();
        for name in names {
            let Some(link) = links.get(name.as_str()) else {
                let reason = format!("there is no link '{}' to take the hull of", quoted(name));
                return Err(self.reader.error(ErrorKind::Unknown, root, reason));
            };
            if !link.geometries.iter().any(|geometry| matches!(geometry.shape, LinkShape::Hull(_))) {
                self.reader.note(root, format_args!("link '{name}' has no mesh to take the hull of"));
            }
        }
        Ok(())
    }

    fn joint(&mut self, node: Node<'_, '_>) -> Result<JointSpec> {
        let name = self.reader.required(node, "name")?;
        self.named_joint(node, name).map_err(|error| error.of(format_args!("joint '{name}'")))
    }

    fn named_joint(&mut self, node: Node<'_, '_>, name: &str) -> Result<JointSpec> {
        let known =
            ["origin", "parent", "child", "axis", "calibration", "dynamics", "limit", "mimic", "safety_controller"];
        self.reader.note_unknown(node, &format!("joint '{name}'"), &known)?;
        let reader = &self.reader;
        let link = |tag: &str| {
            let Some(element) = reader.child(node, tag)? else {
                let reason = format!("it has no <{tag} link=\"…\"/>; add the name of its {tag} link");
                return Err(reader.error(ErrorKind::Missing, node, reason));
            };
            reader.required(element, "link").map(str::to_owned)
        };
        let (parent, child) = (link("parent")?, link("child")?);
        let (origin, line) = (self.origin(node)?, reader.line(node));
        let kind = self.kind(node, name)?;
        let mut mimic = self.mimic(node)?;
        if let (Some(_), JointKind::Fixed, Some(element)) = (&mimic, kind, children(node, "mimic").next()) {
            self.reader.note(element, format_args!("joint '{name}' is fixed, its <mimic> is ignored"));
            mimic = None;
        }
        Ok(JointSpec { name: name.to_owned(), parent, child, origin, kind, mimic, line: Some(line) })
    }

    fn kind(&mut self, node: Node<'_, '_>, name: &str) -> Result<JointKind> {
        let kind = self.reader.required(node, "type")?;
        let axis = match self.reader.child(node, "axis")? {
            Some(element) => Some(DVec3::from_array(self.reader.required_numbers(element, "xyz")?)),
            None => None,
        };
        let along = axis.unwrap_or(DVec3::X);
        Ok(match kind {
            "fixed" => JointKind::Fixed,
            "floating" => JointKind::Floating,
            "revolute" => JointKind::Revolute { axis: along, limits: self.limits(node, name, kind)? },
            "continuous" => JointKind::Continuous { axis: along },
            "prismatic" => JointKind::Prismatic { axis: along, limits: self.limits(node, name, kind)? },
            "planar" => {
                if axis.is_none() {
                    // The specification's default, x, is not what anyone means by a plane, or what
                    // other readers take.
                    self.reader.note(
                        node,
                        format_args!("joint '{name}' is planar without an <axis>: it moves in the xy plane"),
                    );
                }
                JointKind::Planar { normal: axis.unwrap_or(DVec3::Z) }
            }
            other => {
                let reason = format!(
                    "its type '{}' is none of revolute, continuous, prismatic, fixed, planar, floating",
                    quoted(other)
                );
                return Err(self.reader.error(ErrorKind::Unsupported, node, reason));
            }
        })
    }

    fn limits(&mut self, node: Node<'_, '_>, name: &str, kind: &str) -> Result<Limits> {
        let Some(limit) = self.reader.child(node, "limit")? else {
            let otherwise = if kind == "revolute" { ", or make it continuous" } else { "" };
            let reason = format!("a {kind} joint needs limits; add <limit lower=\"…\" upper=\"…\"/>{otherwise}");
            return Err(self.reader.error(ErrorKind::Missing, node, reason));
        };
        let [lower, upper] = ["lower", "upper"].map(|name| self.reader.number(limit, name));
        let (lower, upper) = (lower?, upper?);
        if let Some(missing) = [("lower", lower), ("upper", upper)].iter().find(|(_, value)| value.is_none()) {
            self.reader.note(limit, format_args!("joint '{name}': <limit> has no '{}', which means 0", missing.0));
        }
        Ok(Limits { lower: lower.unwrap_or(0.0), upper: upper.unwrap_or(0.0) })
    }

    fn mimic(&self, node: Node<'_, '_>) -> Result<Option<MimicSpec>> {
        let Some(element) = self.reader.child(node, "mimic")? else { return Ok(None) };
        let number = |name, default| Ok(self.reader.number(element, name)?.unwrap_or(default));
        let joint = self.reader.required(element, "joint")?.to_owned();
        Ok(Some(MimicSpec { joint, multiplier: number("multiplier", 1.0)?, offset: number("offset", 0.0)? }))
    }

    /// The pose in `<origin xyz rpy>`: roll about x, then pitch about y, then yaw about z, all of
    /// them fixed axes.
    fn origin(&self, node: Node<'_, '_>) -> Result<Pose> {
        let Some(element) = self.reader.child(node, "origin")? else { return Ok(Pose::IDENTITY) };
        let xyz = self.reader.numbers(element, "xyz")?.unwrap_or_default();
        let rpy = self.reader.numbers(element, "rpy")?.unwrap_or_default();
        Pose::from_xyz_rpy(xyz, rpy)
            .map_err(|error| self.reader.error(ErrorKind::OutOfRange, element, error.to_string()))
    }
}
