//! What is shown: bodies, robots, when they are where, and what was found out.

use crate::facts::{Clearance, Depth, NearPair, PairVerdict, Segment, Timeline, Touch};
use crate::observe;
use crate::tessellate::{self, Drawn, Look};
use crate::{Error, Result};
use clearance_engine::math::DVec3;
use clearance_engine::tree::Geometry;
use clearance_engine::{Pose, TriMesh};
use clearance_robot::{Attachment, Robot, Scene};
use clearance_scene::picture::Color;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The number of a body in its recording.
pub type BodyId = usize;
/// The number of a robot in its recording.
pub type RobotId = usize;

/// The colours of objects that bring none, one after the other.
const PALETTE: [Color; 8] = [
    [148, 163, 184],
    [180, 160, 130],
    [130, 160, 150],
    [165, 150, 185],
    [190, 175, 120],
    [135, 165, 190],
    [185, 150, 150],
    [150, 170, 125],
];
/// The colours of links, which alternate so that neighbours can be told apart.
const LINKS: [Color; 2] = [[222, 226, 232], [96, 125, 168]];

/// A link or an object.
#[derive(Debug, Clone)]
pub(crate) struct Body {
    pub(crate) name: String,
    pub(crate) drawn: Vec<Drawn>,
    /// For what brings no colours.
    pub(crate) color: Color,
    /// Its pose in the world, if it is an object.
    pub(crate) pose: Pose,
    /// The robot and link that it is.
    pub(crate) link: Option<(RobotId, usize)>,
    /// Whether a part of it is drawn: a plane has no end.
    pub(crate) unbounded: bool,
    /// Its pose at every frame, if it moves by itself.
    pub(crate) poses: Vec<Pose>,
    /// The frames that it is there for; all if none.
    pub(crate) during: Option<[usize; 2]>,
}

#[derive(Debug, Clone)]
pub(crate) struct RecordedRobot {
    pub(crate) robot: Arc<Robot>,
    pub(crate) base: Pose,
    /// The bodies of its links are these, one after the other.
    pub(crate) first_body: BodyId,
    pub(crate) configurations: Vec<Vec<f64>>,
    pub(crate) pairs: Vec<PairVerdict>,
}

/// Robots, objects, a motion and what was found out along it.
///
/// ```
/// use clearance_engine::{Pose, math::DVec3};
/// use clearance_robot::{JointSpec, LinkGeometry, LinkShape, RobotBuilder};
/// use clearance_view::{Recording, Timeline};
/// let rod = LinkGeometry::new(Pose::from_xyz(0.0, 0.0, -0.5)?, LinkShape::Capsule { radius: 0.05, length: 1.0 });
/// let robot = RobotBuilder::new("pendulum").link("ceiling", []).link("rod", [rod])
///     .joint(JointSpec::revolute("hinge", "ceiling", "rod", DVec3::Y, [-1.0, 1.0])).build()?;
/// let mut recording = Recording::new("a pendulum");
/// let pendulum = recording.add_robot(&robot.into(), &Pose::IDENTITY, None)?;
/// recording.set_timeline(Timeline { unit: "s".into(), step: false, times: vec![0.0, 1.0] })?;
/// recording.set_motion(pendulum, vec![vec![-0.5], vec![0.5]])?;
/// assert_eq!(&recording.glb()?[..4], b"glTF");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Recording {
    pub(crate) title: String,
    pub(crate) bodies: Vec<Body>,
    pub(crate) robots: Vec<RecordedRobot>,
    pub(crate) timeline: Timeline,
    pub(crate) clearances: Vec<Clearance>,
    pub(crate) margin: f64,
    pub(crate) near: Vec<Vec<NearPair>>,
    pub(crate) contacts: Vec<Vec<f64>>,
    pub(crate) depths: Vec<Vec<Depth>>,
    pub(crate) segments: Vec<Segment>,
    pub(crate) notes: Vec<String>,
}

impl Recording {
    /// A recording of nothing, with one frame.
    pub fn new(title: impl Into<String>) -> Self {
        let timeline = Timeline { unit: "s".into(), step: true, times: vec![0.0] };
        Self { title: title.into(), timeline, ..Self::default() }
    }

    /// What it shows, in a few words.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Adds any geometry at a pose in the world.
    pub fn add_object(&mut self, name: &str, geometry: &dyn Geometry, pose: &Pose) -> Result<BodyId> {
        let drawn = tessellate::geometry(geometry)?;
        let body = self.add_body(name, drawn, pose);
        self.bodies[body].unbounded = tessellate::is_plane(geometry);
        Ok(body)
    }

    /// Adds triangles at a pose in the world, with a colour for each triangle.
    pub fn add_colored(
        &mut self,
        name: &str,
        mesh: &Arc<TriMesh>,
        colors: Option<&Arc<Vec<Color>>>,
        pose: &Pose,
    ) -> BodyId {
        let look = Look::Surface { mesh: mesh.clone(), colors: colors.filter(|colors| !colors.is_empty()).cloned() };
        self.add_body(name, vec![Drawn { body_from_drawn: Pose::IDENTITY, look }], pose)
    }

    /// Adds cubes of one size about their centres, such as cells of a map.
    pub fn add_cells(&mut self, name: &str, centers: &[DVec3], size: f64) -> BodyId {
        let count = centers.len();
        let centers = centers.iter().map(|center| center.as_vec3().to_array()).collect();
        let look = Look::Cells { centers, size, round: false, count };
        self.add_body(name, vec![Drawn { body_from_drawn: Pose::IDENTITY, look }], &Pose::IDENTITY)
    }

    /// Adds all objects of a scene, in their order.
    pub fn add_scene(&mut self, scene: &Scene) -> Result<Vec<BodyId>> {
        let assembly = scene.assembly();
        let mut bodies = Vec::new();
        for name in scene.names() {
            let part = scene.part(name)?.number();
            bodies.push(self.add_object(name, &**assembly.geometry(part), assembly.pose(part))?);
        }
        Ok(bodies)
    }

    fn add_body(&mut self, name: &str, drawn: Vec<Drawn>, pose: &Pose) -> BodyId {
        let objects = self.bodies.iter().filter(|body| body.link.is_none()).count();
        let color = PALETTE[objects % PALETTE.len()];
        let (name, pose) = (name.to_owned(), *pose);
        self.bodies.push(Body {
            name,
            drawn,
            color,
            pose,
            link: None,
            unbounded: false,
            poses: Vec::new(),
            during: None,
        });
        self.bodies.len() - 1
    }

    /// Gives an object another colour, where it has none of its own.
    pub fn set_color(&mut self, body: BodyId, color: Color) {
        self.bodies[body].color = color;
    }

    /// Adds a robot with its root link at `base`; `colors` has a list for each link, with a colour
    /// for each triangle.
    pub fn add_robot(&mut self, robot: &Arc<Robot>, base: &Pose, colors: Option<&[Vec<Color>]>) -> Result<RobotId> {
        let (number, first_body) = (self.robots.len(), self.bodies.len());
        for (i, link) in robot.links().iter().enumerate() {
            let painted = colors.and_then(|colors| colors.get(i)).filter(|colors| !colors.is_empty());
            let painted = painted.map(|colors| Arc::new(colors.clone()));
            let mut drawn = Vec::new();
            for geometry in link.geometries() {
                let Some(mesh) = tessellate::link_shape(&geometry.shape)? else { continue };
                let look = Look::Surface { mesh, colors: painted.clone() };
                drawn.push(Drawn { body_from_drawn: geometry.origin, look });
            }
            let (name, color) = (link.name().to_owned(), LINKS[i % LINKS.len()]);
            let link = Some((number, i));
            self.bodies.push(Body {
                name,
                drawn,
                color,
                pose: *base,
                link,
                unbounded: false,
                poses: Vec::new(),
                during: None,
            });
        }
        let configurations = vec![robot.default_configuration(); self.timeline.times.len()];
        let (robot, base) = (robot.clone(), *base);
        self.robots.push(RecordedRobot { robot, base, first_body, configurations, pairs: Vec::new() });
        Ok(number)
    }

    /// Draws an object with the link that carries it.
    ///
    /// ```
    /// use clearance_engine::{Pose, shape::Sphere};
    /// use clearance_robot::{Checker, RobotBuilder};
    /// use clearance_view::Recording;
    /// let mut checker = Checker::new(RobotBuilder::new("r").link("hand", []).build()?)?;
    /// checker.attach("ball", Sphere::new(0.1)?, "hand", Pose::IDENTITY, &[])?;
    /// let mut recording = Recording::new("a hand with a ball");
    /// let robot = recording.add_robot(checker.robot(), &checker.base(), None)?;
    /// for object in &checker.options().attached {
    ///     recording.add_attached(robot, object)?;
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add_attached(&mut self, robot: RobotId, object: &Attachment) -> Result<()> {
        let recorded = &self.robots[robot];
        let unknown = || Error::Mismatch(format!("the robot has no link '{}'", object.link));
        let link = recorded.robot.links().iter().position(|link| link.name() == object.link).ok_or_else(unknown)?;
        let body = recorded.first_body + link;
        for mut drawn in tessellate::geometry(&*object.geometry)? {
            drawn.body_from_drawn = object.link_from_object.then(&drawn.body_from_drawn);
            self.bodies[body].drawn.push(drawn);
        }
        Ok(())
    }

    /// The body that a link of a robot is.
    pub fn link_body(&self, robot: RobotId, link: usize) -> BodyId {
        self.robots[robot].first_body + link
    }

    /// Sets the times of all frames; robots stand at their defaults until they get a motion.
    pub fn set_timeline(&mut self, timeline: Timeline) -> Result<()> {
        let rising = timeline.times.windows(2).all(|pair| pair[0] < pair[1]);
        if timeline.times.is_empty() || !rising || !timeline.times.iter().all(|time| time.is_finite()) {
            return Err(Error::Mismatch("the times of a recording must be finite and rise".into()));
        }
        for robot in &mut self.robots {
            robot.configurations = vec![robot.robot.default_configuration(); timeline.times.len()];
        }
        self.timeline = timeline;
        Ok(())
    }

    /// Sets a robot's configuration at every frame.
    pub fn set_motion(&mut self, robot: RobotId, configurations: Vec<Vec<f64>>) -> Result<()> {
        self.check_frames(configurations.len(), "configurations")?;
        let variables = self.robots[robot].robot.variables().len();
        if configurations.iter().any(|row| row.len() != variables || !row.iter().all(|number| number.is_finite())) {
            return Err(Error::Mismatch(format!("a configuration must be {variables} finite numbers")));
        }
        self.robots[robot].configurations = configurations;
        Ok(())
    }

    /// Sets an object's pose at every frame.
    pub fn set_poses(&mut self, body: BodyId, poses: Vec<Pose>) -> Result<()> {
        self.check_frames(poses.len(), "poses")?;
        self.bodies[body].poses = poses;
        Ok(())
    }

    /// Shows a body at these frames alone.
    pub fn set_frames(&mut self, body: BodyId, frames: RangeInclusive<usize>) {
        self.bodies[body].during = Some([*frames.start(), *frames.end()]);
    }

    /// Adds a clearance over time; plots show each of them.
    pub fn add_clearance(&mut self, clearance: Clearance) -> Result<()> {
        for count in [clearance.lower.len(), clearance.upper.len(), clearance.witnesses.len()] {
            self.check_frames(count, "distances")?;
        }
        self.clearances.push(clearance);
        Ok(())
    }

    /// Adds two bodies that touch at a frame; frames that there are not are left out.
    pub fn add_touch(&mut self, touch: &Touch) {
        let frames = self.frame_count();
        self.near.resize(frames, Vec::new());
        self.contacts.resize(frames, Vec::new());
        if touch.frame < frames {
            self.near[touch.frame].push(NearPair { a: touch.a, b: touch.b, colliding: true });
            let lines = touch.contacts.iter().flat_map(|points| observe::lines(points, &Pose::IDENTITY));
            self.contacts[touch.frame].extend(lines);
        }
    }

    /// What is known of pairs of a robot's links.
    pub fn set_pairs(&mut self, robot: RobotId, pairs: Vec<PairVerdict>) {
        self.robots[robot].pairs = pairs;
    }

    /// The verdicts on the parts of a motion.
    pub fn set_segments(&mut self, segments: Vec<Segment>) {
        self.segments = segments;
    }

    /// Adds a remark for whoever looks at it.
    pub fn add_note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// The clearances over time.
    pub fn clearances(&self) -> &[Clearance] {
        &self.clearances
    }

    /// When frames are.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// The name of a body. Panics if there is no such body.
    pub fn body_name(&self, body: BodyId) -> &str {
        &self.bodies[body].name
    }

    /// The verdicts on the parts of the motion.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The number of frames.
    pub fn frame_count(&self) -> usize {
        self.timeline.times.len()
    }

    pub(crate) fn check_frames(&self, count: usize, what: &str) -> Result<()> {
        let frames = self.frame_count();
        if count == frames {
            return Ok(());
        }
        Err(Error::Mismatch(format!("the recording has {frames} frames, but {count} {what} were given")))
    }
}
