//! What users of a planner call: prepare a checker once, then ask about configurations and edges.

use super::cover::Cover;
use super::edge::{EdgeMemory, EdgeScreen, LONGEST, Screened, left_is_free};
use super::exact::{Exact, Subject};
use super::forward::LANES;
use super::kernel::{Kernel, START, Scratch, of_lane};
use super::model::{Covers, ScreenModel};
use super::obstacles::Obstacles;
use super::saved::{self, unprepared};
use super::table::Table;
use super::tally::{ByConfiguration, ByEdge, PlanningTally};
use crate::check::checker::exactly_free;
use crate::check::collision_model::CollisionModel;
use crate::check::motion::{Find, MotionChecker, MotionMemory, MotionRequest, MotionVerdict};
use crate::check::parts::from_engine;
use crate::check::{Checker, Scene};
#[cfg(feature = "parallel")]
use crate::{Error, ErrorKind};
use crate::{GapOptions, Result};
use clearance_engine::Pose;
use clearance_engine::dispatch::{Threads, check_threads, in_runs};
use clearance_engine::math::SimdLevel;
use clearance_engine::math::lanes::{Lanes8, Vectorized, vectorized};
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What [`Checker::prepare_for_planning`] does.
///
/// ```
/// use clearance_robot::PlanningOptions;
/// let quick = PlanningOptions { prove: None, table_cells: 0, ..PlanningOptions::default() };
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanningOptions {
    /// How to prove which pairs of links can never touch, if nothing is proven yet; `None` proves
    /// nothing.
    pub prove: Option<GapOptions>,
    /// How many cells a table has along each joint, for pairs of links with two joints between
    /// them; 0 makes no tables.
    pub table_cells: usize,
    /// Whether meshes, clouds, voxel maps and height fields of the scene get a field of distances,
    /// with cells of 2 cm or less where the robot can reach. It takes 0.2 to 0.5 seconds for each
    /// that is new, none where one only moves; without it they are slow to plan among.
    pub fields: bool,
    /// How many threads make the spheres and tables of the links, 0 for all; one without the feature
    /// `parallel`.
    pub threads: usize,
}

impl Default for PlanningOptions {
    fn default() -> Self {
        Self { prove: Some(GapOptions::default()), table_cells: 256, fields: true, threads: 1 }
    }
}

/// What a checker that is ready for planning has besides.
pub(in crate::check) struct Planning {
    covers: Arc<Covers>,
    tables: Arc<Vec<Arc<Table>>>,
    screen: Arc<ScreenModel>,
    fields: bool,
    table_cells: usize,
    /// The obstacles when they were looked at last.
    scene: Mutex<Arc<SceneScreen>>,
    memory: Memory,
}

/// The obstacles of a scene, and whether the robot's root touches any.
#[derive(Default)]
struct SceneScreen {
    obstacles: Obstacles,
    stuck: bool,
}

impl SceneScreen {
    fn new(
        model: &CollisionModel,
        screen: &ScreenModel,
        scene: &Scene,
        base: &Pose,
        fields: Option<&Obstacles>,
    ) -> Result<Self> {
        let obstacles = Obstacles::new(model, screen, scene, base, fields);
        let subject = Subject { model, scene, base, screen, obstacles: &obstacles };
        let stuck = Exact::default().root_touches(&subject)?;
        Ok(Self { obstacles, stuck })
    }
}

/// Looks at a scene again if it, the robot or its base is another one now.
fn renew(
    seen: &mut Arc<SceneScreen>,
    model: &CollisionModel,
    screen: &ScreenModel,
    scene: &Scene,
    base: &Pose,
    fields: bool,
) -> Result<()> {
    let is_current =
        seen.obstacles.made_for.as_ref().is_some_and(|(identity, placed, at)| {
            (*identity, *placed) == (screen.identity, scene.placed()) && at == base
        });
    if !is_current {
        let fields = fields.then_some(&seen.obstacles);
        *seen = Arc::new(SceneScreen::new(model, screen, scene, base, fields)?);
    }
    Ok(())
}

/// The memory of one thread.
#[derive(Default)]
struct Memory {
    scratch: Scratch,
    exact: Exact,
    edge: EdgeMemory,
    tally: PlanningTally,
    /// Whether the last block took an exact test.
    tested: bool,
}

impl Memory {
    fn new(screen: &ScreenModel) -> Self {
        let mut memory = Self::default();
        memory.scratch.fit(screen);
        memory
    }
}

impl Planning {
    fn new(
        model: &CollisionModel,
        covers: Arc<Covers>,
        tables: Arc<Vec<Arc<Table>>>,
        options: &PlanningOptions,
    ) -> Result<Self> {
        let screen = ScreenModel::new(model, &covers, &tables)?;
        let memory = Memory::new(&screen);
        let (fields, table_cells) = (options.fields, options.table_cells);
        Ok(Self { covers, tables, screen: Arc::new(screen), fields, table_cells, scene: Mutex::default(), memory })
    }

    /// The same for the robot under other options, or with other objects attached.
    pub(in crate::check) fn renewed(&self, model: &CollisionModel) -> Result<Self> {
        let mut covers = Covers::clone(&self.covers);
        for part in model.parts() {
            if let std::collections::hash_map::Entry::Vacant(vacant) = covers.entry(part.geometry.revision()) {
                vacant.insert(Arc::new(Cover::of(&*part.geometry)?));
            }
        }
        let mut renewed = Self::new(model, Arc::new(covers), self.tables.clone(), &self.options())?;
        renewed.memory.tally = self.memory.tally;
        // Its fields may still serve.
        Ok(Self { scene: Mutex::new(self.seen()), ..renewed })
    }

    /// The options that still matter.
    fn options(&self) -> PlanningOptions {
        PlanningOptions { table_cells: self.table_cells, fields: self.fields, ..PlanningOptions::default() }
    }

    /// The obstacles when they were looked at last.
    fn seen(&self) -> Arc<SceneScreen> {
        self.scene.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The obstacles as they are now.
    fn scene(&self, model: &CollisionModel, scene: &Scene, base: &Pose) -> Result<Arc<SceneScreen>> {
        let mut seen = self.scene.lock().unwrap_or_else(PoisonError::into_inner);
        renew(&mut seen, model, &self.screen, scene, base, self.fields)?;
        Ok(seen.clone())
    }

    /// The same with what else one thread needs.
    fn own(
        &mut self,
        model: &CollisionModel,
        scene: &Scene,
        base: &Pose,
    ) -> Result<(&ScreenModel, &SceneScreen, &mut Memory)> {
        let seen = self.scene.get_mut().unwrap_or_else(PoisonError::into_inner);
        renew(seen, model, &self.screen, scene, base, self.fields)?;
        Ok((&self.screen, seen, &mut self.memory))
    }
}

impl Clone for Planning {
    fn clone(&self) -> Self {
        Self {
            covers: self.covers.clone(),
            tables: self.tables.clone(),
            screen: self.screen.clone(),
            fields: self.fields,
            table_cells: self.table_cells,
            scene: Mutex::new(self.seen()),
            memory: Memory::new(&self.screen),
        }
    }
}

/// A block of configurations.
struct Block<'b> {
    subject: Subject<'b>,
    scratch: &'b mut Scratch,
    stage: Stage,
}

#[derive(Debug, Clone, Copy)]
enum Stage {
    /// Places the robot and looks for lanes that certainly collide; with `guess` for those that
    /// probably do. Without any of these, all others are screened too.
    Certain { alive: u32, guess: bool },
    /// Screens some lanes after that.
    Screen(u32),
}

impl Vectorized for Block<'_> {
    /// The lanes that certainly collide.
    type Output = u32;

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> u32 {
        let Self { subject, scratch, stage } = self;
        let guess = matches!(stage, Stage::Certain { guess: true, .. });
        let mut kernel =
            Kernel { simd, model: subject.screen, obstacles: subject.obstacles, scratch, guess, by_lane: true };
        let (hit, left) = match stage {
            Stage::Certain { alive, .. } => {
                kernel.place(START);
                kernel.scratch.open.clear();
                let hit = kernel.certain(START, alive, false, alive & (alive - 1) == 0);
                (hit, if kernel.scratch.guesses.is_empty() { alive & !hit } else { 0 })
            }
            Stage::Screen(left) => (0, left),
        };
        if left != 0 {
            kernel.screen(START, left);
        }
        hit
    }
}

/// Which of up to eight configurations are screened, and which of those are free.
fn screen_block(subject: &Subject<'_>, memory: &mut Memory, configurations: &[&[f64]]) -> Result<[u32; 2]> {
    let mut alive = 0;
    for (lane, configuration) in configurations.iter().enumerate() {
        subject.model.robot().check_length(configuration)?;
        alive |= u32::from(subject.obstacles.usable && subject.screen.chain.usable(configuration)) << lane;
    }
    if alive == 0 {
        return Ok([0, 0]);
    }
    // Lanes without a configuration that can be screened have a copy of one.
    let first = configurations[alive.trailing_zeros() as usize];
    let rows = &mut memory.scratch.configurations[START];
    rows.resize(first.len(), [0.0; LANES]);
    for lane in 0..LANES {
        let own = if alive >> lane & 1 == 1 { configurations[lane] } else { first };
        for (row, value) in rows.iter_mut().zip(own) {
            row[lane] = *value;
        }
    }
    let [mut free, again] = screen_lanes(subject, memory, configurations, alive, subject.obstacles.guess)?;
    if again != 0 {
        let [found, _] = screen_lanes(subject, memory, configurations, again, false)?;
        free |= found;
    }
    Ok([alive, free])
}

/// Which of some lanes are free; and with `guess`, in which no guess was right and nothing else is
/// known.
fn screen_lanes(
    subject: &Subject<'_>,
    memory: &mut Memory,
    configurations: &[&[f64]],
    alive: u32,
    guess: bool,
) -> Result<[u32; 2]> {
    let Memory { scratch, exact, tested, .. } = memory;
    let pass = |scratch: &mut Scratch, stage| vectorized(SimdLevel::Best, Block { subject: *subject, scratch, stage });
    let mut touching = pass(scratch, Stage::Certain { alive, guess });
    let guessed = scratch.guessed() & !touching;
    let mut again = 0;
    if !scratch.guesses.is_empty() {
        for (lane, configuration) in configurations.iter().enumerate().filter(|(lane, _)| guessed >> lane & 1 == 1) {
            let touches = exact.any_touches(subject, configuration, of_lane(&scratch.guesses, lane))?;
            touching |= u32::from(touches) << lane;
        }
        again = scratch.dropped & !touching;
        let left = alive & !touching & !again;
        if left != 0 {
            pass(scratch, Stage::Screen(left));
        }
    }
    let open = scratch.open.iter().fold(0, |lanes, open| lanes | open.lanes);
    *tested = (guessed | open) != 0;
    for (lane, configuration) in configurations.iter().enumerate().filter(|(lane, _)| open >> lane & 1 == 1) {
        let touches = exact.any_touches(subject, configuration, of_lane(&scratch.open, lane))?;
        touching |= u32::from(touches) << lane;
    }
    Ok([alive & !touching & !again, again])
}

impl Checker {
    /// Makes the checker ready for a sampling planner: [`is_free`](Self::is_free),
    /// [`are_free`](Self::are_free), [`is_edge_free`](Self::is_edge_free) and
    /// [`are_edges_free`](Self::are_edges_free) then decide most questions in SIMD lanes, several
    /// times as fast, with the same verdicts. It takes seconds, and lasts through changes of the
    /// scene, of options and of attached objects.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::DVec3, shape::Cuboid};
    /// use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, PlanningOptions, RobotBuilder};
    /// let arm = LinkGeometry::new(Pose::from_xyz(0.5, 0.0, 0.0)?, LinkShape::Capsule { radius: 0.05, length: 0.1 });
    /// let robot = RobotBuilder::new("crank").link("base", []).link("arm", [arm])
    ///     .joint(JointSpec::continuous("hub", "base", "arm", DVec3::Z)).build()?;
    /// let mut checker = Checker::new(robot)?;
    /// checker.scene_mut().add("wall", Cuboid::new(0.1, 2.0, 2.0)?, Pose::from_xyz(-0.5, 0.0, 0.0)?)?;
    /// checker.prepare_for_planning(&PlanningOptions::default())?;
    /// assert!(checker.is_free(&[0.0])? && !checker.is_free(&[3.1])?);
    /// assert!(checker.is_edge_free(&[0.0], &[1.0])? && !checker.is_edge_free(&[0.0], &[4.0])?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn prepare_for_planning(&mut self, options: &PlanningOptions) -> Result<()> {
        self.prepare_for_planning_observed(options, &|_, _| ())
    }

    /// The same with news of its progress: the number of steps that are done, and of all. A step is
    /// a pair of links to prove, a geometry to cover or a table; the number of all grows when a
    /// stage begins.
    pub fn prepare_for_planning_observed(
        &mut self,
        options: &PlanningOptions,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<()> {
        if let Some(gaps) = options.prove
            && self.model.proofs().is_none()
        {
            self.prove_observed(&gaps, progress)?;
        }
        let mut met = HashSet::new();
        let geometries: Vec<_> =
            self.model.parts().iter().map(|part| &part.geometry).filter(|part| met.insert(part.revision())).collect();
        let done = AtomicUsize::new(0);
        let made = each(&geometries, options.threads, |geometry| {
            let cover = Cover::of(&***geometry);
            progress(1 + done.fetch_add(1, Ordering::Relaxed), geometries.len());
            cover.map(|cover| (geometry.revision(), Arc::new(cover)))
        })?;
        let covers: Covers = made.into_iter().collect::<Result<_>>()?;
        let covers = Arc::new(covers);
        let planning = Planning::new(&self.model, covers.clone(), Arc::default(), options)?;
        self.planning = Some(if options.table_cells == 0 {
            planning
        } else {
            let tables = Table::all(&self.model, &planning.screen, &covers, options, progress)?;
            Planning::new(&self.model, covers, Arc::new(tables), options)?
        });
        Ok(())
    }

    /// Writes what [`prepare_for_planning`](Self::prepare_for_planning) made of the robot to a file,
    /// which is then there as a whole or not at all. Proofs have a file of their own
    /// ([`save_proofs`](crate::CollisionModel::save_proofs)).
    ///
    /// An error where the checker is not ready, the file cannot be written, or a part is neither a
    /// default mesh nor a simple solid.
    ///
    /// ```
    /// # use clearance_engine::{Pose, math::DVec3};
    /// # use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
    /// # let sphere = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
    /// # let robot = RobotBuilder::new("r").link("base", []).link("hand", [sphere])
    /// #     .joint(JointSpec::prismatic("lift", "base", "hand", DVec3::Z, [0.0, 2.0])).build()?;
    /// # let robot = std::sync::Arc::new(robot);
    /// let file = std::env::temp_dir().join(format!("clearance-doc-{}.plan", std::process::id()));
    /// let mut checker = Checker::new(robot.clone())?;
    /// checker.prepare_for_planning(&Default::default())?;
    /// checker.save_planning(&file)?;
    /// // Another run of the program reads it.
    /// let mut again = Checker::new(robot)?;
    /// again.load_planning(&file, &Default::default())?;
    /// assert!(again.is_free(&[0.5])?);
    /// # std::fs::remove_file(&file)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save_planning(&self, path: impl AsRef<Path>) -> Result<()> {
        let Some(Planning { covers, tables, table_cells, .. }) = &self.planning else { return Err(unprepared()) };
        saved::save(path.as_ref(), &self.model, covers, tables, *table_cells)
    }

    /// Makes the checker ready for planning by what [`save_planning`](Self::save_planning) wrote for
    /// the same robot, pairs, number of cells and version of this crate. Any other file is refused,
    /// and nothing changes. Load or make proofs before: `prove` of the options is ignored.
    ///
    /// Damage and change are found by hashes; read only what trusted users wrote.
    pub fn load_planning(&mut self, path: impl AsRef<Path>, options: &PlanningOptions) -> Result<()> {
        let (covers, tables) = saved::load(path.as_ref(), &self.model, options.table_cells)?;
        self.planning = Some(Planning::new(&self.model, Arc::new(covers), Arc::new(tables), options)?);
        Ok(())
    }

    /// Whether a configuration is collision-free: the opposite of [`collides`](Self::collides),
    /// faster after [`prepare_for_planning`](Self::prepare_for_planning).
    pub fn is_free(&mut self, configuration: &[f64]) -> Result<bool> {
        let Self { planning, model, scene, base, .. } = self;
        let screened = planning.as_mut().map(|planning| planning.is_free(model, scene, base, configuration));
        match screened.transpose()?.flatten() {
            Some(answer) => Ok(answer),
            None => Ok(!self.collides(configuration)?),
        }
    }

    /// How many questions each level has decided since the checker was made ready for planning; `None`
    /// if it is not. Those in batches do not count.
    pub fn planning_tally(&self) -> Option<PlanningTally> {
        self.planning.as_ref().map(|planning| planning.memory.tally)
    }

    /// As [`are_free`](Self::are_free), in blocks of eight.
    pub(in crate::check) fn screened_are_free(
        &self,
        planning: &Planning,
        configurations: &[&[f64]],
    ) -> Result<Vec<bool>> {
        let Self { model, scene, base, threads, .. } = self;
        let of_scene = planning.scene(model, scene, base)?;
        let screen = &*planning.screen;
        let subject = subject(model, scene, base, screen, &of_scene);
        let exactly = |block: &[&[f64]]| exactly_free(subject.model, subject.scene, subject.base, block, Threads::One);
        let one = |memory: &mut Memory, block: &[&[f64]]| -> Result<Vec<bool>> {
            if of_scene.stuck {
                return exactly(block);
            }
            let [screened, free] = screen_block(&subject, memory, block)?;
            let one = |(lane, configuration): (usize, &&[f64])| match screened >> lane & 1 {
                1 => Ok(free >> lane & 1 == 1),
                _ => exactly(&[*configuration]).map(|answers| answers[0]),
            };
            block.iter().enumerate().map(one).collect()
        };
        let blocks: Vec<&[&[f64]]> = configurations.chunks(LANES).collect();
        let run = |memory: &mut Memory, run: &[&[&[f64]]]| run.iter().map(|block| one(memory, block)).collect();
        let answers = in_runs(&blocks, threads.count(), || Memory::new(screen), run);
        let answers: Vec<Vec<bool>> = answers.map_err(from_engine)?.into_iter().collect::<Result<_>>()?;
        Ok(answers.into_iter().flatten().collect())
    }

    /// Whether the straight motion between two configurations is proven collision-free at all times,
    /// as [`edge`](Self::edge) without the time of a contact; faster after
    /// [`prepare_for_planning`](Self::prepare_for_planning). `false` also where a contact could not
    /// be excluded.
    pub fn is_edge_free(&mut self, from: &[f64], to: &[f64]) -> Result<bool> {
        let Self { planning, model, scene, base, motions, .. } = self;
        let Some(planning) = planning else { return exact_edge(model, scene, base, [from, to], motions) };
        let (screen, of_scene, memory) = planning.own(model, scene, base)?;
        let subject = subject(model, scene, base, screen, of_scene);
        edge_is_free(&subject, of_scene.stuck, [from, to], memory, motions)
    }

    /// Whether each of many straight motions is proven collision-free, in their order, on several
    /// threads ([`set_threads`](Self::set_threads)); see [`is_edge_free`](Self::is_edge_free).
    ///
    /// ```
    /// # use clearance_engine::{Pose, math::DVec3, shape::Sphere};
    /// # use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
    /// # let sphere = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
    /// # let robot = RobotBuilder::new("r").link("base", []).link("hand", [sphere])
    /// #     .joint(JointSpec::prismatic("lift", "base", "hand", DVec3::Z, [0.0, 2.0])).build()?;
    /// let mut checker = Checker::new(robot)?;
    /// checker.scene_mut().add("lamp", Sphere::new(0.1)?, Pose::from_xyz(0.0, 0.0, 0.9)?)?;
    /// checker.prepare_for_planning(&Default::default())?;
    /// assert_eq!(checker.are_edges_free(&[([0.0], [0.5]), ([0.0], [2.0])])?, [true, false]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn are_edges_free<C: AsRef<[f64]> + Sync>(&self, edges: &[(C, C)]) -> Result<Vec<bool>> {
        let Self { model, scene, base, .. } = self;
        let threads = self.threads.count();
        let Some(planning) = &self.planning else {
            let run = |motions: &mut Option<MotionMemory>, run: &[(C, C)]| {
                let one = |(from, to): &(C, C)| exact_edge(model, scene, base, [from.as_ref(), to.as_ref()], motions);
                run.iter().map(one).collect()
            };
            return in_runs(edges, threads, || None, run).map_err(from_engine)?.into_iter().collect();
        };
        let of_scene = planning.scene(model, scene, base)?;
        let (screen, stuck) = (&*planning.screen, of_scene.stuck);
        let subject = subject(model, scene, base, screen, &of_scene);
        let run = |(memory, motions): &mut (Memory, Option<MotionMemory>), run: &[(C, C)]| {
            let one =
                |(from, to): &(C, C)| edge_is_free(&subject, stuck, [from.as_ref(), to.as_ref()], memory, motions);
            run.iter().map(one).collect()
        };
        let answers = in_runs(edges, threads, || (Memory::new(screen), None), run);
        answers.map_err(from_engine)?.into_iter().collect()
    }
}

impl Planning {
    /// Whether a configuration is free; `None` where it cannot be screened.
    fn is_free(
        &mut self,
        model: &CollisionModel,
        scene: &Scene,
        base: &Pose,
        configuration: &[f64],
    ) -> Result<Option<bool>> {
        let (screen, of_scene, memory) = self.own(model, scene, base)?;
        if of_scene.stuck {
            return Ok(None);
        }
        let subject = subject(model, scene, base, screen, of_scene);
        let [screened, free] = screen_block(&subject, memory, &[configuration])?;
        let by = match (screened, free, memory.tested) {
            (0, ..) => ByConfiguration::Whole,
            (_, 0, false) => ByConfiguration::Inside,
            (_, 0, true) => ByConfiguration::Touching,
            (.., false) => ByConfiguration::Around,
            (.., true) => ByConfiguration::Free,
        };
        memory.tally.configuration(by);
        Ok((screened == 1).then_some(free == 1))
    }
}

/// What a slow function returns for each of a few items, on several threads when asked.
pub(super) fn each<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    of: impl Fn(&T) -> R + Sync + Send,
) -> Result<Vec<R>> {
    check_threads(threads).map_err(from_engine)?;
    #[cfg(feature = "parallel")]
    if threads != 1 {
        use rayon::prelude::*;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let refused = |error: rayon::ThreadPoolBuildError| Error::new(ErrorKind::OutOfRange, error.to_string());
        return Ok(pool.map_err(refused)?.install(|| items.par_iter().map(of).collect()));
    }
    Ok(items.iter().map(of).collect())
}

fn subject<'s>(
    model: &'s CollisionModel,
    scene: &'s Scene,
    base: &'s Pose,
    screen: &'s ScreenModel,
    of_scene: &'s SceneScreen,
) -> Subject<'s> {
    Subject { model, scene, base, screen, obstacles: &of_scene.obstacles }
}

/// Where robots or their variables are beyond this, in metres and radians, the motion checker's
/// tolerance grows by rounding: 16 · 64 · 1e3 · 2⁻⁵³ · 4e3 is 5e-7 there, a twentieth of the default
/// tolerance, which the screen's clearance covers.
const EXACT_BEYOND: f64 = 1e3;

fn edge_is_free(
    subject: &Subject<'_>,
    stuck: bool,
    ends: [&[f64]; 2],
    memory: &mut Memory,
    motions: &mut Option<MotionMemory>,
) -> Result<bool> {
    let [from, to] = ends;
    let chain = &subject.screen.chain;
    let long = from.iter().zip(to).map(|(a, b)| (b - a).abs()).sum::<f64>() > LONGEST;
    let turns = || chain.quaternions().iter().any(|&first| from[first..first + 4] != to[first..first + 4]);
    let wrong = || from.len() != to.len() || from.len() != subject.model.robot().variables().len();
    let far = subject.base.translation().abs().max_element() + subject.screen.extent > EXACT_BEYOND
        || from.iter().chain(to).any(|value| value.abs() > EXACT_BEYOND);
    let unusable = || far || !subject.obstacles.usable || !chain.usable(from) || !chain.usable(to) || turns();
    let screened = if wrong() || stuck || long || unusable() {
        None
    } else {
        let Memory { scratch, exact, edge, .. } = memory;
        let screen = EdgeScreen { subject: *subject, ends, scratch, exact, memory: edge };
        Some(screen.run()?)
    };
    let decided = match screened {
        Some(Screened::Free) => Some(ByEdge::Around),
        Some(Screened::Collides(by)) => Some(by),
        Some(Screened::Left(left)) => {
            let exact = &mut memory.exact;
            let ask = |checker: &mut MotionChecker<'_>| left_is_free(subject, ends, left, exact, checker);
            with_motions(subject.model, subject.scene, motions, ask)?
        }
        None => None,
    };
    memory.tally.edge(decided.unwrap_or(ByEdge::Whole));
    match decided {
        Some(by) => Ok(matches!(by, ByEdge::Around | ByEdge::Proven)),
        None => exact_edge(subject.model, subject.scene, subject.base, ends, motions),
    }
}

/// Whether the motion checker proves a straight motion collision-free.
fn exact_edge(
    model: &CollisionModel,
    scene: &Scene,
    base: &Pose,
    [from, to]: [&[f64]; 2],
    motions: &mut Option<MotionMemory>,
) -> Result<bool> {
    let request = MotionRequest { find: Find::Any, ..MotionRequest::default() };
    with_motions(model, scene, motions, |checker| {
        Ok(matches!(checker.segment(base, from, to, &request)?, MotionVerdict::Free { .. }))
    })
}

fn with_motions<T>(
    model: &CollisionModel,
    scene: &Scene,
    motions: &mut Option<MotionMemory>,
    ask: impl FnOnce(&mut MotionChecker<'_>) -> Result<T>,
) -> Result<T> {
    let mut checker = MotionChecker::resume(model, Some(scene), motions.take())?;
    let answer = ask(&mut checker);
    *motions = Some(checker.into_memory());
    answer
}
