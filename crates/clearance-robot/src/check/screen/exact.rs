//! Pairs that the screen leaves open, by the exact engine: the same tests in the same order of parts
//! as [`CollisionModel`]'s, so that verdicts are the same to the last bit.

use super::kernel::Item;
use super::model::ScreenModel;
use super::obstacles::Obstacles;
use crate::Result;
use crate::check::Scene;
use crate::check::collision_model::CollisionModel;
use crate::check::parts::from_engine;
use clearance_engine::Pose;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::Geometry;

/// What exact tests are about.
#[derive(Clone, Copy)]
pub(super) struct Subject<'s> {
    pub(super) model: &'s CollisionModel,
    pub(super) scene: &'s Scene,
    pub(super) base: &'s Pose,
    pub(super) screen: &'s ScreenModel,
    pub(super) obstacles: &'s Obstacles,
}

/// The memory that exact tests take.
#[derive(Default)]
pub(super) struct Exact {
    poses: Vec<Pose>,
    workspace: Workspace,
    /// By pair, and by part and obstacle: how often it touched of late, of 2¹⁶. What touches mostly
    /// is tested first; no verdict depends on it.
    habits: Vec<u16>,
    order: Vec<(u16, Item)>,
}

/// What the last test counts for in a habit: one part in so many.
const RECENT: u16 = 8;

impl Exact {
    /// Whether any of the pairs touches in a configuration.
    pub(super) fn any_touches(
        &mut self,
        subject: &Subject<'_>,
        configuration: &[f64],
        items: impl Iterator<Item = Item>,
    ) -> Result<bool> {
        subject.model.robot().link_poses(subject.base, configuration, &mut self.poses)?;
        let (pairs, places) = (subject.screen.pairs.len(), subject.obstacles.list.len());
        let number = |item: Item| match item {
            Item::Own(pair) => pair as usize,
            Item::Scene(part, place) => pairs + part as usize * places + place as usize,
        };
        self.habits.resize(pairs + subject.screen.parts.len() * places, u16::MAX / 2);
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(items.map(|item| (self.habits[number(item)], item)));
        order.sort_by_key(|(habit, _)| std::cmp::Reverse(*habit));
        let mut touches = false;
        for &(habit, item) in &order {
            touches = self.touches(subject, item)?;
            let often = if touches { u16::MAX / RECENT } else { 0 };
            self.habits[number(item)] = habit - habit / RECENT + often;
            if touches {
                break;
            }
        }
        self.order = order;
        Ok(touches)
    }

    fn touches(&mut self, subject: &Subject<'_>, item: Item) -> Result<bool> {
        match item {
            Item::Own(pair) => {
                let pair = &subject.screen.pairs[pair as usize];
                let [a, b] = pair.tested.map(|part| &subject.model.parts()[part as usize]);
                let poses = [a, b].map(|part| part.placed(&self.poses[part.link]));
                self.collides(subject, [&*a.geometry, &*b.geometry], &poses, pair.offset)
            }
            Item::Scene(part, place) => {
                let object = subject.obstacles.list[place as usize].number;
                let name = subject.scene.name_of(object);
                let Some(offset) = subject.model.rules().outward(part, 0.0, name) else { return Ok(false) };
                let (assembly, part) = (subject.scene.assembly(), &subject.model.parts()[part as usize]);
                let poses = [part.placed(&self.poses[part.link]), *assembly.pose(object)];
                self.collides(subject, [&*part.geometry, &**assembly.geometry(object)], &poses, offset)
            }
        }
    }

    fn collides(
        &mut self,
        subject: &Subject<'_>,
        [a, b]: [&dyn Geometry; 2],
        [pose_a, pose_b]: &[Pose; 2],
        offset: f64,
    ) -> Result<bool> {
        let test = subject.model.dispatcher().plan(a, b).map_err(from_engine)?;
        let a_from_b = pose_a.inverse().then(pose_b);
        if offset > 0.0 {
            return test.within(&a_from_b, offset, &mut self.workspace).map(|(within, _)| within).map_err(from_engine);
        }
        Ok(test.collide(&a_from_b, &mut self.workspace, None).colliding)
    }

    /// Whether a part that never moves touches the scene.
    pub(super) fn root_touches(&mut self, subject: &Subject<'_>) -> Result<bool> {
        let parts = subject.screen.parts.iter().enumerate().filter(|(_, part)| part.body == 0);
        let places = 0..subject.obstacles.list.len() as u32;
        let items = parts.flat_map(|(part, _)| places.clone().map(move |place| Item::Scene(part as u32, place)));
        let items: Vec<Item> = items.collect();
        if items.is_empty() {
            return Ok(false);
        }
        let configuration = subject.model.robot().default_configuration();
        self.any_touches(subject, &configuration, items.into_iter())
    }
}
