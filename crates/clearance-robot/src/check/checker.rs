//! The checker that users hold: a robot, its scene, and the memory of one thread.

use super::WarmStarts;
use super::collision_model::{CollisionModel, Placement};
use super::motion::MotionMemory;
use super::rules::{Attachment, CheckOptions};
use super::scene::{Object, Scene};
use super::screen::Planning;
use crate::{Error, ErrorKind, GapOptions, Gaps, Result, Robot, Verdict};
use clearance_engine::Pose;
use clearance_engine::assembly::{Assembly, PartId};
use clearance_engine::dispatch::{Dispatcher, Threads};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::IntoGeometry;
use std::path::Path;
use std::sync::Arc;

/// What a part of the robot is checked against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Against {
    /// Another part of the same robot: self-collision.
    Itself,
    /// An object of the scene.
    Scene,
    /// A part of another robot.
    Robot,
}

/// Two things that touch, by their names.
///
/// ```
/// # use clearance_engine::{Pose, math::DVec3, shape::Sphere};
/// # use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
/// # let sphere = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
/// # let robot = RobotBuilder::new("r").link("base", []).link("hand", [sphere])
/// #     .joint(JointSpec::prismatic("lift", "base", "hand", DVec3::Z, [0.0, 1.0])).build()?;
/// let mut checker = Checker::new(robot)?;
/// checker.scene_mut().add("lamp", Sphere::new(0.1)?, Pose::from_xyz(0.0, 0.0, 0.9)?)?;
/// let hit = checker.collision(&[0.8])?.expect("the hand is in the lamp");
/// assert_eq!((hit.a.as_str(), hit.b.as_str()), ("hand", "lamp"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Hit {
    /// The link of the robot, or the object that it carries.
    pub a: String,
    /// The other link, attached object or object of the scene.
    pub b: String,
    /// Which of these `b` is.
    pub against: Against,
}

/// Checks a robot against itself and its scene: collisions, distances, motions.
///
/// It owns the robot, the scene, scratch memory and warm starts. A clone shares the hierarchies and
/// what was proven, and has its own scene and memory: give one to each thread. Configurations are
/// lists of numbers in the order of [`Robot::variables`].
///
/// ```
/// use clearance_engine::{Pose, math::DVec3, shape::Cuboid};
/// use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
/// let arm = LinkGeometry::new(Pose::from_xyz(0.5, 0.0, 0.0)?, LinkShape::Capsule { radius: 0.05, length: 0.1 });
/// let robot = RobotBuilder::new("crank").link("base", []).link("arm", [arm])
///     .joint(JointSpec::continuous("hub", "base", "arm", DVec3::Z)).build()?;
/// let mut checker = Checker::new(robot)?;
/// checker.scene_mut().add("wall", Cuboid::new(0.1, 2.0, 2.0)?, Pose::from_xyz(-0.5, 0.0, 0.0)?)?;
/// assert!(!checker.collides(&[0.0])? && checker.collides(&[3.1])?);
/// let nearest = checker.distance(&[0.0])?.expect("there is a wall");
/// assert_eq!((nearest.a.as_str(), nearest.b.as_str()), ("arm", "wall"));
/// assert!(!checker.edge(&[0.0], &[4.0])?.is_free() && checker.edge(&[0.0], &[1.0])?.is_free());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Checker {
    /// With nothing attached, and with all that was proven.
    bare: Arc<CollisionModel>,
    pub(super) model: Arc<CollisionModel>,
    options: CheckOptions,
    pub(super) scene: Scene,
    pub(super) base: Pose,
    pub(super) threads: Threads,
    /// Whether distances have a normal and gradients.
    pub(super) gradients: bool,
    /// The robot in the last configuration.
    pub(super) placement: Placement,
    /// The other robot of the last question about one.
    pub(super) other: Option<Placement>,
    pub(super) workspace: Workspace,
    pub(super) warm_starts: WarmStarts,
    pub(super) motions: Option<MotionMemory>,
    /// What makes it fast for planners, once it is prepared.
    pub(super) planning: Option<Planning>,
}

impl Checker {
    /// Builds the hierarchies of all links; the scene is empty.
    pub fn new(robot: impl Into<Arc<Robot>>) -> Result<Self> {
        Self::with_options(robot, CheckOptions::default())
    }

    /// The same with paddings, margins, allowed pairs or attached objects.
    pub fn with_options(robot: impl Into<Arc<Robot>>, options: CheckOptions) -> Result<Self> {
        Self::with_dispatcher(robot, options, Dispatcher::shared().clone())
    }

    /// The same with a dispatcher that knows geometries or pair tests of your own.
    pub fn with_dispatcher(
        robot: impl Into<Arc<Robot>>,
        options: CheckOptions,
        dispatcher: Arc<Dispatcher>,
    ) -> Result<Self> {
        let robot = robot.into();
        let bare = Arc::new(CollisionModel::with_dispatcher(robot, &without_attached(&options), dispatcher)?);
        Self::from_model(bare, options)
    }

    /// `bare` has nothing attached; what `options` attaches is added.
    fn from_model(bare: Arc<CollisionModel>, options: CheckOptions) -> Result<Self> {
        let model = attached(&bare, &options)?;
        Ok(Self {
            placement: model.placement()?,
            bare,
            model,
            options,
            scene: Scene::new(),
            base: Pose::IDENTITY,
            other: None,
            threads: Threads::All,
            gradients: true,
            workspace: Workspace::default(),
            warm_starts: WarmStarts::default(),
            motions: None,
            planning: None,
        })
    }

    /// The robot.
    pub fn robot(&self) -> &Arc<Robot> {
        self.model.robot()
    }

    /// The hierarchies, pairs and proofs that queries use, for calls that bring their own memory.
    pub fn model(&self) -> &Arc<CollisionModel> {
        &self.model
    }

    /// What stands around.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// What stands around, to add, move and remove objects.
    pub fn scene_mut(&mut self) -> &mut Scene {
        &mut self.scene
    }

    /// Puts the robot into another scene.
    pub fn set_scene(&mut self, scene: Scene) {
        self.scene = scene;
    }

    /// Puts the root link at this pose in the world; at first it is at the origin.
    pub fn set_base(&mut self, world_from_base: Pose) -> Result<()> {
        if self.placement.by_joints() {
            let configuration = self.placement.configuration().to_vec();
            self.model.place(&mut self.placement, &world_from_base, &configuration)?;
        }
        self.base = world_from_base;
        Ok(())
    }

    /// The root link's pose in the world.
    pub fn base(&self) -> Pose {
        self.base
    }

    /// How many threads batches use; all by default.
    pub fn set_threads(&mut self, threads: Threads) {
        self.threads = threads;
    }

    /// How many threads batches use.
    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// Whether distances come with a normal and gradients, as they do by default. Without them a
    /// distance takes less time, most of all where things touch: the normal there is that of the
    /// penetration, which is a search of its own.
    ///
    /// ```
    /// # use clearance_engine::{Pose, math::DVec3, shape::Sphere};
    /// # use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
    /// # let sphere = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
    /// # let robot = RobotBuilder::new("r").link("base", []).link("hand", [sphere])
    /// #     .joint(JointSpec::prismatic("lift", "base", "hand", DVec3::Z, [0.0, 1.0])).build()?;
    /// # let mut checker = Checker::new(robot)?;
    /// # checker.scene_mut().add("lamp", Sphere::new(0.1)?, Pose::from_xyz(0.0, 0.0, 0.9)?)?;
    /// checker.set_gradients(false);
    /// let nearest = checker.distance(&[0.8])?.expect("there is a lamp");
    /// assert!(nearest.upper == 0.0 && nearest.normal == DVec3::ZERO && nearest.gradient.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_gradients(&mut self, gradients: bool) {
        self.gradients = gradients;
    }

    /// Paddings, margins, allowed pairs and attached objects.
    pub fn options(&self) -> &CheckOptions {
        &self.options
    }

    /// Changes paddings, margins, allowed pairs or attached objects; builds no hierarchy. Nothing
    /// changes if it is an error.
    pub fn set_options(&mut self, options: CheckOptions) -> Result<()> {
        let bare = Arc::new(self.bare.with_options(&without_attached(&options))?);
        let model = attached(&bare, &options)?;
        self.use_model(bare, model, options)
    }

    fn use_model(
        &mut self,
        bare: Arc<CollisionModel>,
        model: Arc<CollisionModel>,
        options: CheckOptions,
    ) -> Result<()> {
        let mut placement = model.placement()?;
        model.place_as(&mut placement, &self.base, &self.placement)?;
        let planning = self.planning.as_ref().map(|planning| planning.renewed(&model)).transpose()?;
        self.planning = planning;
        (self.bare, self.model, self.options, self.placement) = (bare, model, options, placement);
        Ok(())
    }

    /// Makes `link` carry a shape or geometry: it moves with the link, and counts as a part of the
    /// robot. It may touch that link and `touch_links`.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::DVec3, shape::Sphere};
    /// use clearance_robot::{Checker, JointSpec, RobotBuilder};
    /// let robot = RobotBuilder::new("r").link("base", []).link("hand", [])
    ///     .joint(JointSpec::prismatic("lift", "base", "hand", DVec3::Z, [0.0, 1.0])).build()?;
    /// let mut checker = Checker::new(robot)?;
    /// checker.scene_mut().add("shelf", Sphere::new(0.1)?, Pose::from_xyz(0.0, 0.0, 0.9)?)?;
    /// checker.attach("cup", Sphere::new(0.05)?, "hand", Pose::IDENTITY, &[])?;
    /// assert!(!checker.collides(&[0.5])? && checker.collides(&[0.8])?);
    /// let cup = checker.detach("cup")?;
    /// assert!(!checker.collides(&[0.8])? && cup.pose.translation().z == 0.8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn attach(
        &mut self,
        name: impl Into<String>,
        geometry: impl IntoGeometry,
        link: &str,
        link_from_object: Pose,
        touch_links: &[&str],
    ) -> Result<()> {
        let mut options = self.options.clone();
        options.attached.push(Attachment {
            name: name.into(),
            link: link.to_owned(),
            geometry: geometry.into_geometry(),
            link_from_object,
            touch_links: touch_links.iter().map(|&link| link.to_owned()).collect(),
        });
        let model = attached(&self.bare, &options)?;
        self.use_model(self.bare.clone(), model, options)
    }

    /// Lets go of an attached object and returns it, with its pose in the world at the last
    /// configuration that was checked: [`Scene::insert`] puts it down there.
    pub fn detach(&mut self, name: &str) -> Result<Object> {
        let mut options = self.options.clone();
        let place = options.attached.iter().position(|object| object.name == name);
        let unknown = || Error::new(ErrorKind::Unknown, format!("no attached object is called '{name}'"));
        let Attachment { name, link, geometry, link_from_object, .. } =
            options.attached.remove(place.ok_or_else(unknown)?);
        let link = self.robot().link_index(&link).ok_or_else(unknown_link)?;
        let pose = self.placement.link_poses()[link].then(&link_from_object);
        let model = attached(&self.bare, &options)?;
        self.use_model(self.bare.clone(), model, options)?;
        Ok(Object { name, geometry, pose })
    }

    /// Proves which pairs of links can never touch within the joint limits, so that queries skip
    /// them; changes no answer. Takes seconds for robots of many joints: see [`GapOptions`].
    pub fn prove(&mut self, options: &GapOptions) -> Result<&Gaps> {
        self.prove_observed(options, &|_, _| ())
    }

    /// The same with news of its progress: the number of pairs that are decided, and of all.
    pub fn prove_observed(&mut self, options: &GapOptions, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<&Gaps> {
        self.with_proofs(|bare| bare.prove_observed(options, progress).map(drop))
    }

    /// Reads what [`save_proofs`](Self::save_proofs) wrote for the same robot.
    pub fn load_proofs(&mut self, path: impl AsRef<Path>, options: &GapOptions) -> Result<&Gaps> {
        self.with_proofs(|bare| bare.load_proofs(path.as_ref(), options).map(drop))
    }

    /// Writes what [`prove`](Self::prove) found to a file; nothing without proofs.
    pub fn save_proofs(&self, path: impl AsRef<Path>) -> Result<()> {
        self.bare.save_proofs(path.as_ref())
    }

    /// A number that stands for all that proofs depend on: robot, options, version. Files of proofs
    /// that are named by it are found again.
    pub fn proof_identity(&self, options: &GapOptions) -> Result<u64> {
        self.bare.proof_identity(options)
    }

    /// What was [proven](Self::prove) about two links of the robot; `None` where nothing was, or
    /// where the two are never checked.
    ///
    /// A body of several links that are fixed to each other is proven as one. Where more than one
    /// of its links has geometry, this asks about the two links alone, within the budget of
    /// `options`.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::DVec3};
    /// use clearance_robot::{Checker, GapOptions, JointSpec, LinkGeometry, LinkShape, RobotBuilder, Verdict};
    /// let ball = || [LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 })];
    /// let slide = |name, parent, child, from| JointSpec::prismatic(name, parent, child, DVec3::X, [from, from + 1.0]);
    /// let robot = RobotBuilder::new("r").link("a", ball()).link("b", []).link("c", ball())
    ///     .joint(slide("near", "a", "b", 0.0)).joint(slide("far", "b", "c", 1.0)).build()?;
    /// let mut checker = Checker::new(robot)?;
    /// checker.prove(&GapOptions::default())?;
    /// let verdict = checker.link_verdict("a", "c", &GapOptions::default())?;
    /// assert!(matches!(verdict, Some(Verdict::Never { gap, .. }) if gap > 0.79));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn link_verdict(&self, link_a: &str, link_b: &str, options: &GapOptions) -> Result<Option<Verdict>> {
        let robot = self.robot();
        let unknown = |name: &str| Error::new(ErrorKind::Unknown, format!("no link is called '{name}'"));
        let index = |name: &str| robot.link_index(name).ok_or_else(|| unknown(name));
        let (a, b) = (index(link_a)?, index(link_b)?);
        if !robot.are_checked(a, b) {
            return Ok(None);
        }
        let known = self.bare.proofs().and_then(|gaps| gaps.pair(robot.body_of(a), robot.body_of(b)));
        match known.map(|known| &known.verdict) {
            Some(never @ Verdict::Never { .. }) => Ok(Some(never.clone())),
            Some(_) if !(robot.is_alone(a) && robot.is_alone(b)) => self.bare.prove_links(a, b, options).map(Some),
            known => Ok(known.cloned()),
        }
    }

    fn with_proofs(&mut self, change: impl FnOnce(&mut CollisionModel) -> Result<()>) -> Result<&Gaps> {
        let mut bare = CollisionModel::clone(&self.bare);
        change(&mut bare)?;
        let bare = Arc::new(bare);
        let model = attached(&bare, &self.options)?;
        self.use_model(bare, model, self.options.clone())?;
        self.bare.proofs().ok_or_else(|| Error::new(ErrorKind::Missing, "nothing was proven"))
    }

    pub(super) fn place(&mut self, configuration: &[f64]) -> Result<()> {
        // Several questions about one configuration place the robot once: all that changes the base
        // or the model places it again.
        let is_same = |known: &[f64]| configuration.iter().map(|q| q.to_bits()).eq(known.iter().map(|q| q.to_bits()));
        if self.placement.by_joints() && is_same(self.placement.configuration()) {
            return Ok(());
        }
        self.model.place(&mut self.placement, &self.base, configuration)
    }

    /// The poses of all links in the world.
    pub fn link_poses(&mut self, configuration: &[f64]) -> Result<&[Pose]> {
        self.place(configuration)?;
        Ok(self.placement.link_poses())
    }

    /// The robot's parts where the last configuration put them.
    pub(super) fn placed(&self) -> &Assembly {
        self.placement.assembly()
    }

    /// Whether the robot touches itself or anything of the scene.
    pub fn collides(&mut self, configuration: &[f64]) -> Result<bool> {
        self.at(configuration)?.collides()
    }

    /// Two things that touch, if there are any: links with each other first, then with the scene.
    pub fn collision(&mut self, configuration: &[f64]) -> Result<Option<Hit>> {
        self.at(configuration)?.collision()
    }

    /// Two parts of the robot that touch each other, if there are any.
    pub fn self_collision(&mut self, configuration: &[f64]) -> Result<Option<Hit>> {
        self.at(configuration)?.self_collision()
    }

    /// A part of the robot and an object of the scene that touch, if there are any.
    pub fn scene_collision(&mut self, configuration: &[f64]) -> Result<Option<Hit>> {
        self.at(configuration)?.scene_collision()
    }

    /// All pairs that touch: of the robot with itself, then with the scene.
    pub fn collisions(&mut self, configuration: &[f64]) -> Result<Vec<Hit>> {
        self.at(configuration)?.collisions()
    }

    /// All pairs of parts of the robot that touch each other.
    pub fn self_collisions(&mut self, configuration: &[f64]) -> Result<Vec<Hit>> {
        self.at(configuration)?.self_collisions()
    }

    pub(super) fn own_hit(&mut self) -> Result<Option<(PartId, PartId)>> {
        let Self { model, placement, workspace, warm_starts, .. } = self;
        model.self_collision(placement, workspace, Some(&mut warm_starts.own))
    }

    pub(super) fn scene_hit(&mut self) -> Result<Option<(PartId, PartId)>> {
        let Self { model, placement, workspace, warm_starts, scene, .. } = self;
        model.scene_collision(placement, scene, workspace, Some(&mut warm_starts.scene))
    }

    pub(super) fn own_names(&self, (a, b): (PartId, PartId)) -> Result<Hit> {
        let (a, b) = (self.model.name(a)?.to_owned(), self.model.name(b)?.to_owned());
        Ok(Hit { a, b, against: Against::Itself })
    }

    pub(super) fn scene_names(&self, (a, b): (PartId, PartId)) -> Result<Hit> {
        let (a, b) = (self.model.name(a)?.to_owned(), self.scene.name(b)?.to_owned());
        Ok(Hit { a, b, against: Against::Scene })
    }

    /// A part of this robot and one of another that touch, if there are any.
    pub fn robot_collision(
        &mut self,
        configuration: &[f64],
        other: &Self,
        other_configuration: &[f64],
    ) -> Result<Option<Hit>> {
        self.place(configuration)?;
        let placed = self.place_other(other, other_configuration)?;
        let Self { model, placement, workspace, warm_starts, .. } = self;
        let hit = model.robot_collision(placement, (&other.model, &placed), workspace, Some(&mut warm_starts.robot));
        self.other = Some(placed);
        let Some((a, b)) = hit? else { return Ok(None) };
        let (a, b) = (self.model.name(a)?.to_owned(), other.model.name(b)?.to_owned());
        Ok(Some(Hit { a, b, against: Against::Robot }))
    }

    /// Another robot in a configuration; give it back to `other` for the next question.
    pub(super) fn place_other(&mut self, other: &Self, configuration: &[f64]) -> Result<Placement> {
        let mut placed = match self.other.take() {
            Some(placed) if other.model.check_owner(&placed).is_ok() => placed,
            _ => other.model.placement()?,
        };
        other.model.place(&mut placed, &other.base, configuration)?;
        Ok(placed)
    }

    /// Whether each of many configurations is collision-free, in their order, on several threads
    /// ([`set_threads`](Self::set_threads)).
    ///
    /// ```
    /// # use clearance_engine::{Pose, math::DVec3, shape::Sphere};
    /// # use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
    /// # let sphere = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
    /// # let robot = RobotBuilder::new("r").link("base", []).link("hand", [sphere])
    /// #     .joint(JointSpec::prismatic("lift", "base", "hand", DVec3::Z, [0.0, 1.0])).build()?;
    /// let mut checker = Checker::new(robot)?;
    /// checker.scene_mut().add("lamp", Sphere::new(0.1)?, Pose::from_xyz(0.0, 0.0, 0.9)?)?;
    /// assert_eq!(checker.are_free(&[[0.0], [0.5], [0.8]])?, [true, true, false]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn are_free(&self, configurations: &[impl AsRef<[f64]>]) -> Result<Vec<bool>> {
        let configurations: Vec<&[f64]> = configurations.iter().map(AsRef::as_ref).collect();
        match &self.planning {
            Some(planning) => self.screened_are_free(planning, &configurations),
            None => exactly_free(&self.model, &self.scene, &self.base, &configurations, self.threads),
        }
    }
}

impl Clone for Checker {
    fn clone(&self) -> Self {
        Self {
            bare: self.bare.clone(),
            model: self.model.clone(),
            options: self.options.clone(),
            scene: self.scene.clone(),
            base: self.base,
            threads: self.threads,
            gradients: self.gradients,
            placement: self.placement.clone(),
            other: None,
            workspace: Workspace::default(),
            warm_starts: WarmStarts::default(),
            motions: None,
            planning: self.planning.clone(),
        }
    }
}

impl std::fmt::Debug for Checker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let objects = self.scene.names().count();
        write!(f, "Checker of '{}' among {objects} objects", self.robot().name())
    }
}

/// Whether each of many configurations is collision-free, by the model alone.
pub(super) fn exactly_free(
    model: &CollisionModel,
    scene: &Scene,
    base: &Pose,
    configurations: &[&[f64]],
    threads: Threads,
) -> Result<Vec<bool>> {
    model.at_configurations(base, configurations, threads.count(), |_, placement, workspace, warm_starts| {
        if model.self_collision(placement, workspace, Some(&mut warm_starts.own))?.is_some() {
            return Ok(false);
        }
        Ok(model.scene_collision(placement, scene, workspace, Some(&mut warm_starts.scene))?.is_none())
    })
}

/// The options without attached objects, and without what they say about those.
fn without_attached(options: &CheckOptions) -> CheckOptions {
    let mut bare = options.clone();
    for object in std::mem::take(&mut bare.attached) {
        bare.paddings.remove(&object.name);
    }
    bare
}

/// The model with what the options attach.
fn attached(bare: &Arc<CollisionModel>, options: &CheckOptions) -> Result<Arc<CollisionModel>> {
    if options.attached.is_empty() { Ok(bare.clone()) } else { bare.with_options(options).map(Arc::new) }
}

fn unknown_link() -> Error {
    Error::new(ErrorKind::Unknown, "the link that carries the object does not exist")
}
