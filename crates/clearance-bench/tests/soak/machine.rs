//! A state machine of random public calls: on two threads, that share geometries and a robot, each
//! with its own world of objects. After each query a fresh object of the same contents answers too.

use super::{DISPATCHER, Random, arm, checker, geometries, pose, vector};
use clearance_engine::Pose;
use clearance_engine::assembly::{Assembly, AssemblyPair, Everything};
use clearance_engine::convex::PenetrationRequest;
use clearance_engine::math::{DVec3, IVec3};
use clearance_engine::motion::{ImpactRequest, Motion, TimeOfImpact, time_of_impact};
use clearance_engine::query::{ContactsRequest, DistanceRequest};
use clearance_engine::shape::ConvexPolyhedron;
use clearance_engine::traversal::{WarmStart, Workspace};
use clearance_engine::tree::voxel_map::{Cell, Cells, SensorModel, VoxelMap};
use clearance_engine::tree::{Bvh8, Geometry, Mesh};
use clearance_engine::world::{BodyId, FinderOptions, Groups, World};
use clearance_io::{
    Keep, LoadOptions, MeshFormat, OctoFormat, OctoMap, PointFormat, read_mesh, read_octomap, read_points, read_table,
    write_octomap,
};
use clearance_robot::{
    CollisionModel, JointCurve, MotionChecker, MotionRequest, MotionVerdict, Object, Placement, Robot, Scene, Srdf,
    UrdfOptions, WarmStarts, read_urdf,
};
use clearance_scene::planner::{PlanOptions, Space, Verdict, plan};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What two ways to one distance of about 1 may differ by.
const ROUNDING: f64 = 1e-12;

struct Machine {
    random: Random,
    robot: Arc<Robot>,
    kinds: Arc<Vec<Arc<dyn Geometry>>>,
    checker: CollisionModel,
    held: Option<usize>,
    placement: Placement,
    base: Pose,
    q: [f64; 3],
    scene: Scene,
    objects: BTreeMap<String, (usize, Pose)>,
    added: usize,
    world: World,
    bodies: Vec<(BodyId, usize, Pose)>,
    map: VoxelMap,
    cells: HashMap<IVec3, Cell>,
    workspace: Workspace,
    caches: WarmStarts,
    pairs: Vec<WarmStart>,
    pub calls: u64,
}

impl Machine {
    fn new(seed: u64, robot: Arc<Robot>, kinds: Arc<Vec<Arc<dyn Geometry>>>) -> Self {
        let checker = checker(&robot, None);
        let placement = checker.placement().unwrap();
        Self {
            random: Random(seed),
            robot,
            kinds,
            checker,
            held: None,
            placement,
            base: Pose::IDENTITY,
            q: [0.0; 3],
            scene: Scene::default(),
            objects: BTreeMap::new(),
            added: 0,
            world: World::new(FinderOptions { margin: 0.05, ..FinderOptions::default() }).unwrap(),
            bodies: Vec::new(),
            map: VoxelMap::new(0.1).unwrap(),
            cells: HashMap::new(),
            workspace: Workspace::default(),
            caches: WarmStarts::default(),
            pairs: (0..4).map(|_| WarmStart::default()).collect(),
            calls: 0,
        }
    }

    /// One random call, held against fresh objects.
    fn step(&mut self) {
        self.calls += 1;
        match self.random.below(20) {
            0..=2 => self.add_object(),
            3 | 4 => self.move_object(),
            5 => self.remove_object(),
            6 => self.attach(),
            7 | 8 => self.place(),
            9 | 10 => self.ask_checker(),
            11 => self.ask_motion(),
            12 | 13 => self.change_world(),
            14 | 15 => self.change_map(),
            16 => self.ask_map(),
            17 => self.ask_pair(),
            18 => self.ask_impact(),
            _ if self.random.below(8) == 0 => self.read_files(),
            _ if self.random.below(8) == 0 => self.plan(),
            _ => self.rebuild(),
        }
    }

    /// As it was at the start, but for memory that is kept for later.
    fn drain(&mut self) {
        for name in std::mem::take(&mut self.objects).into_keys() {
            self.scene.remove(&name).unwrap();
        }
        for (body, ..) in std::mem::take(&mut self.bodies) {
            self.world.remove(body).unwrap();
        }
        self.world.step();
        self.map.clear();
        self.cells.clear();
        self.caches = WarmStarts::default();
        self.pairs.iter_mut().for_each(|warm_start| *warm_start = WarmStart::default());
        self.take(None);
        assert!(self.scene.is_empty() && self.world.finder().is_empty() && self.map.is_empty());
    }

    fn add_object(&mut self) {
        let (kind, place) = (self.random.below(self.kinds.len()), pose(&mut self.random, 1.2));
        // Sometimes the name is taken.
        let name = if self.random.below(10) == 0 { "object 0".to_owned() } else { format!("object {}", self.added) };
        self.added += 1;
        let taken = self.objects.contains_key(&name);
        let object = Object { name: name.clone(), geometry: self.kinds[kind].clone(), pose: place };
        assert_eq!(self.scene.insert(object).is_err(), taken);
        if !taken {
            self.objects.insert(name, (kind, place));
        }
    }

    fn any_object(&mut self) -> Option<String> {
        let which = self.random.below(self.objects.len() + 1);
        self.objects.keys().nth(which).cloned()
    }

    fn move_object(&mut self) {
        let (name, place) = (self.any_object().unwrap_or("nothing".into()), pose(&mut self.random, 1.2));
        let known = self.objects.get_mut(&name);
        assert_eq!(self.scene.set_pose(&name, place).is_ok(), known.is_some());
        if let Some(object) = known {
            object.1 = place;
        }
    }

    fn remove_object(&mut self) {
        let name = self.any_object().unwrap_or("nothing".into());
        let removed = self.scene.remove(&name);
        match self.objects.remove(&name) {
            Some((_, place)) => assert_eq!(removed.unwrap().pose, place),
            None => assert!(removed.is_err()),
        }
    }

    fn take(&mut self, held: Option<usize>) {
        self.held = held;
        let new = checker(&self.robot, held.map(|kind| &self.kinds[kind]));
        assert!(
            new.self_collision(&self.placement, &mut self.workspace, None).is_err(),
            "a placement of another checker"
        );
        self.checker = new;
        self.placement = self.checker.placement().unwrap();
        self.checker.place(&mut self.placement, &self.base, &self.q).unwrap();
    }

    fn attach(&mut self) {
        let held = (self.random.below(2) == 0).then(|| self.random.below(self.kinds.len()));
        self.take(held);
    }

    fn place(&mut self) {
        self.q = [0, 1, 2].map(|_| self.random.between(-2.7, 2.7));
        self.base = pose(&mut self.random, 0.5);
        self.checker.place(&mut self.placement, &self.base, &self.q).unwrap();
        assert!(self.checker.place(&mut self.placement, &self.base, &[f64::NAN; 3]).is_err());
        self.checker.place(&mut self.placement, &self.base, &self.q).unwrap();
    }

    /// The same scene, made afresh in the order of names.
    fn fresh_scene(&self) -> Scene {
        let mut scene = Scene::default();
        for (name, &(kind, pose)) in &self.objects {
            scene.insert(Object { name: name.clone(), geometry: self.kinds[kind].clone(), pose }).unwrap();
        }
        scene
    }

    fn ask_checker(&mut self) {
        let (fresh, scratch) = (self.fresh_scene(), &mut Workspace::default());
        let (request, caches) = (DistanceRequest::default(), &mut self.caches);
        let (checker, placement) = (&self.checker, &self.placement);
        let own = checker.self_distance(placement, &request, &mut self.workspace, Some(&mut caches.own)).unwrap();
        let again = checker.self_distance(placement, &request, scratch, None).unwrap();
        assert!((own.upper - again.upper).abs() <= ROUNDING && own.colliding() == again.colliding());
        let room =
            checker.scene_distance(placement, &self.scene, &request, &mut self.workspace, Some(&mut caches.scene));
        let (room, again) =
            (room.unwrap(), checker.scene_distance(placement, &fresh, &request, scratch, None).unwrap());
        assert!(room.upper == again.upper || (room.upper - again.upper).abs() <= ROUNDING, "{room:?} {again:?}");
        assert_eq!(room.colliding(), again.colliding());
        let hits = |scene: &Scene, workspace: &mut Workspace| {
            let hits = checker.scene_collisions(placement, scene, workspace).unwrap();
            let mut names: Vec<(String, String)> = hits
                .into_iter()
                .map(|(part, object)| (checker.name(part).unwrap().into(), scene.name(object).unwrap().into()))
                .collect();
            names.sort_unstable();
            names
        };
        let (found, expected) = (hits(&self.scene, &mut self.workspace), hits(&fresh, scratch));
        assert_eq!(found, expected);
        let one =
            checker.scene_collision(placement, &self.scene, &mut self.workspace, Some(&mut caches.scene)).unwrap();
        assert_eq!(one.is_some(), !expected.is_empty());
        assert_eq!(self.scene.names().count(), self.objects.len());
    }

    fn ask_motion(&mut self) {
        let to = self.q.map(|q| q + self.random.between(-0.4, 0.4));
        let request = MotionRequest { max_evaluations: 20_000, ..MotionRequest::default() };
        let fresh = self.fresh_scene();
        let mut motions = MotionChecker::new(&self.checker, Some(&self.scene)).unwrap();
        let mut again = MotionChecker::new(&self.checker, Some(&fresh)).unwrap();
        let verdict = motions.segment(&self.base, &self.q, &to, &request).unwrap();
        let expected = again.segment(&self.base, &self.q, &to, &request).unwrap();
        assert_eq!(std::mem::discriminant(&verdict), std::mem::discriminant(&expected), "{verdict:?} {expected:?}");
        if matches!(verdict, MotionVerdict::Free { .. }) {
            // Nothing touches anywhere on it.
            for _ in 0..5 {
                let t = self.random.unit();
                let q: Vec<f64> = self.q.iter().zip(&to).map(|(a, b)| a + t * (b - a)).collect();
                self.checker.place(&mut self.placement, &self.base, &q).unwrap();
                let workspace = &mut self.workspace;
                assert!(self.checker.self_collision(&self.placement, workspace, None).unwrap().is_none());
                assert!(self.checker.scene_collision(&self.placement, &self.scene, workspace, None).unwrap().is_none());
            }
        }
        let curve = JointCurve::hermite([&self.q, &to], [&[0.1; 3], &[-0.1; 3]]).unwrap();
        motions.curve(&self.base, &curve, &request).unwrap();
        self.checker.place(&mut self.placement, &self.base, &self.q).unwrap();
    }

    fn change_world(&mut self) {
        match self.random.below(4) {
            0 | 1 => {
                let (kind, place) = (self.random.below(self.kinds.len()), pose(&mut self.random, 1.0));
                let body = self.world.insert(self.kinds[kind].clone(), place, Groups::default()).unwrap();
                self.bodies.push((body, kind, place));
            }
            2 if !self.bodies.is_empty() => {
                let (body, ..) = self.bodies.swap_remove(self.random.below(self.bodies.len()));
                self.world.remove(body).unwrap();
                assert!(self.world.remove(body).is_err() && self.world.pose(body).is_err());
            }
            _ if !self.bodies.is_empty() => {
                let (which, place) = (self.random.below(self.bodies.len()), pose(&mut self.random, 1.0));
                self.world.set_pose(self.bodies[which].0, &place).unwrap();
                self.bodies[which].2 = place;
            }
            _ => {}
        }
        self.world.step();
        // Pairs that touch are among those that the world names.
        let named: std::collections::HashSet<[BodyId; 2]> = self.world.finder().pairs().collect();
        let (request, scratch) = (DistanceRequest::default(), &mut Workspace::default());
        for _ in 0..self.bodies.len().min(3) {
            let [i, j] = [0, 1].map(|_| self.random.below(self.bodies.len()));
            let ((a, kind_a, pose_a), (b, kind_b, pose_b)) = (self.bodies[i], self.bodies[j]);
            if i == j {
                continue;
            }
            let plan = DISPATCHER.plan(&*self.kinds[kind_a], &*self.kinds[kind_b]).unwrap();
            let expected = plan.distance(&pose_a.inverse().then(&pose_b), &request, scratch, None).unwrap();
            let warm_start = &mut self.pairs[self.random.below(4)];
            let found =
                self.world.distance(&DISPATCHER, [a, b], &request, &mut self.workspace, Some(warm_start)).unwrap();
            assert!((found.upper - expected.upper).abs() <= ROUNDING, "{found:?} {expected:?}");
            let pair = if a.slot() < b.slot() { [a, b] } else { [b, a] };
            assert!(expected.upper > 0.0 || named.contains(&pair));
        }
    }

    fn change_map(&mut self) {
        let mut cell = || IVec3::from([0, 1, 2].map(|_| self.random.below(24) as i32 - 12));
        let (low, span) = (cell(), cell().abs() % 4);
        let value = [Cell::Obstacle, Cell::Free, Cell::Unknown][self.random.below(3)];
        match self.random.below(4) {
            0 => {
                self.map.set(low, value).unwrap();
                self.cells.insert(low, value);
            }
            1 => {
                self.map.fill(low, low + span, value).unwrap();
                for x in 0..=span.x {
                    for y in 0..=span.y {
                        for z in 0..=span.z {
                            self.cells.insert(low + IVec3::new(x, y, z), value);
                        }
                    }
                }
            }
            2 => {
                self.map.remove(low).unwrap();
                self.cells.remove(&low);
            }
            _ => assert!(self.map.fill(low + 1, low, value).is_err()),
        }
        for _ in 0..4 {
            let at = IVec3::from([0, 1, 2].map(|_| self.random.below(24) as i32 - 12));
            assert_eq!(self.map.cell(at), self.cells.get(&at).copied().unwrap_or(self.map.background()));
        }
    }

    fn ask_map(&mut self) {
        assert_eq!(self.map.check(), Ok(()));
        let mut fresh = VoxelMap::new(0.1).unwrap();
        fresh.set_all(self.cells.iter().map(|(&at, &cell)| (at, cell))).unwrap();
        let (snapshot, again) = (self.map.snapshot(), fresh.snapshot());
        let (kind, place) = (self.random.below(self.kinds.len()), pose(&mut self.random, 1.2));
        for cells in [Cells::OBSTACLE, Cells::UNKNOWN] {
            let (one, other) = (snapshot.geometry(cells), again.geometry(cells));
            assert_eq!(one.is_ok(), other.is_ok());
            if let (Ok(one), Ok(other)) = (one, other) {
                let ask = |cells: &dyn Geometry, workspace: &mut Workspace, warm_start: Option<&mut WarmStart>| {
                    let plan = DISPATCHER.plan(cells, &*self.kinds[kind]).unwrap();
                    plan.distance(&place, &DistanceRequest::default(), workspace, warm_start).unwrap()
                };
                let found = ask(&one, &mut self.workspace, Some(&mut self.pairs[0]));
                let expected = ask(&other, &mut Workspace::default(), None);
                assert!((found.upper - expected.upper).abs() <= ROUNDING, "{found:?} {expected:?}");
            }
        }
        // A copy by file, and one that rays have crossed, leave this one as it is.
        let bytes = write_octomap(&OctoMap::from_voxel_map(&snapshot, Keep::Kinds).unwrap(), OctoFormat::Binary);
        read_octomap(&bytes).unwrap().to_voxel_map(Cell::Unknown, Keep::Kinds).unwrap();
        let points: Vec<DVec3> = (0..3).map(|_| vector(&mut self.random, 1.1)).collect();
        fresh.insert_rays(DVec3::ZERO, &points, &SensorModel::default()).unwrap();
        assert_eq!(fresh.check(), Ok(()));
    }

    fn ask_pair(&mut self) {
        let [a, b] = [0, 1].map(|_| self.random.below(self.kinds.len()));
        let place = pose(&mut self.random, 0.3);
        let plan = DISPATCHER.plan(&*self.kinds[a], &*self.kinds[b]).unwrap();
        let warm_start = &mut self.pairs[self.random.below(4)];
        let scratch = &mut Workspace::default();
        let found = plan.distance(&place, &DistanceRequest::default(), &mut self.workspace, Some(warm_start)).unwrap();
        let expected = plan.distance(&place, &DistanceRequest::default(), scratch, None).unwrap();
        assert!(found.lower <= expected.upper && expected.lower <= found.upper, "{found:?} {expected:?}");
        let hit = plan.collide(&place, &mut self.workspace, Some(warm_start)).colliding;
        assert_eq!((hit, hit), (plan.collide(&place, scratch, None).colliding, found.upper == 0.0));
        let contacts = plan.contacts(&place, &ContactsRequest::default(), &mut self.workspace).unwrap();
        assert_eq!(!contacts.contacts.is_empty() || contacts.contained.is_some(), hit);
        assert!(plan.within(&place, found.upper + 1e-9, &mut self.workspace).unwrap().0);
        if let Ok(Some(depth)) = plan.penetration(&place, &PenetrationRequest::default()) {
            assert!(hit && depth.lower <= depth.upper);
        }
        let mut both = [Assembly::default(), Assembly::default()];
        both[0].insert(self.kinds[a].clone(), Pose::IDENTITY);
        let part = both[1].insert(self.kinds[b].clone(), place);
        let meet = AssemblyPair::new(&DISPATCHER, &both[0], &both[1], &Everything);
        let touched = meet.collide(&mut self.workspace, Some(&mut self.caches.robot)).unwrap().0;
        assert_eq!(touched.map(|pair| pair.1), hit.then_some(part));
    }

    fn ask_impact(&mut self) {
        let [a, b] = [0, 1].map(|_| self.random.below(self.kinds.len()));
        let (from, to) = (pose(&mut self.random, 0.8), pose(&mut self.random, 0.8));
        let motion = Motion::between(&from, &to, 1.0).unwrap();
        let bodies = [(&*self.kinds[a], &motion), (&*self.kinds[b], &Motion::still(&Pose::IDENTITY))];
        let answer = time_of_impact(&DISPATCHER, bodies, &ImpactRequest::default(), &mut self.workspace).unwrap();
        let plan = DISPATCHER.plan(&*self.kinds[a], &*self.kinds[b]).unwrap();
        let until = answer.free_until();
        for _ in 0..4 {
            let t = until * self.random.unit();
            let free = !plan.collide(&motion.pose(t).inverse(), &mut self.workspace, None).colliding;
            assert!(free || t >= until, "{answer:?} at {t}");
        }
        assert!(!matches!(answer.first, TimeOfImpact::Undecided { .. }), "{answer:?}");
    }

    /// Files, whole and mutated: read or refused.
    fn read_files(&mut self) {
        let random = &mut self.random;
        let mut mutated = |text: &str| {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..random.below(4) {
                let at = random.below(bytes.len());
                bytes[at] = random.below(256) as u8;
            }
            bytes
        };
        let obj = mutated("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
        if let Ok(mesh) = read_mesh(&obj, MeshFormat::Obj, &LoadOptions::default())
            && let Ok(mesh) = Mesh::<Bvh8>::new(mesh)
        {
            let mut saved = mesh.save_hierarchy();
            Mesh::<Bvh8>::from_saved(mesh.tri_mesh().clone(), &saved).unwrap();
            let at = random.below(saved.len());
            saved[at] ^= 1;
            assert!(Mesh::<Bvh8>::from_saved(mesh.tri_mesh().clone(), &saved).is_err());
        }
        let random = &mut self.random;
        let mut mutated = |text: &str| {
            let mut bytes = text.as_bytes().to_vec();
            let at = random.below(bytes.len());
            bytes[at] = random.below(128) as u8;
            bytes
        };
        let _ = read_points(&mutated("0 0 0\n1 2 3\n"), PointFormat::Xyz);
        let _ = read_table(&mutated("x,y\n1,2\n3,4\n"));
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let urdf = "<robot name='r'><link name='a'><collision><geometry><sphere radius='1'/></geometry></collision></link></robot>";
        let _ = read_urdf(&text(mutated(urdf)), &UrdfOptions::default());
        let srdf = "<robot name='arm'><disable_collisions link1='l1' link2='l3' reason='Never'/></robot>";
        if let Ok(srdf) = Srdf::read(&text(mutated(srdf))) {
            let _ = srdf.disabled_pairs(&self.robot);
        }
        let _ = Scene::read(&text(mutated(r#"{"objects":[{"name":"a","sphere":0.1}]}"#)), Path::new("."));
        assert!(read_urdf(urdf, &UrdfOptions::default()).is_ok());
    }

    fn plan(&mut self) {
        struct Joints<'m> {
            motions: MotionChecker<'m>,
            base: Pose,
        }
        impl Space for Joints<'_> {
            type Error = clearance_robot::Error;

            fn bounds(&self) -> &[[f64; 2]] {
                &[[-2.5, 2.5]; 3]
            }
            fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
                a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
            }
            fn is_free(&mut self, at: &[f64]) -> Result<bool, Self::Error> {
                self.is_motion_free(at, at)
            }
            fn is_motion_free(&mut self, from: &[f64], to: &[f64]) -> Result<bool, Self::Error> {
                let verdict = self.motions.segment(&self.base, from, to, &MotionRequest::default())?;
                Ok(matches!(verdict, MotionVerdict::Free { .. }))
            }
        }
        let motions = MotionChecker::new(&self.checker, Some(&self.scene)).unwrap();
        let mut space = Joints { motions, base: self.base };
        let options = PlanOptions { seed: self.random.bits(), ..PlanOptions::default() };
        let goal = [0, 1, 2].map(|_| self.random.between(-2.0, 2.0));
        let found = plan(&mut space, &self.q, &goal, &PlanOptions { max_samples: 60, ..options }).unwrap();
        let again = plan(&mut space, &self.q, &goal, &PlanOptions { max_samples: 60, ..options }).unwrap();
        assert_eq!(found, again);
        assert_eq!(found.verdict == Verdict::Found, !found.path.is_empty());
    }

    /// Hulls and their surfaces have the vertices that they were given.
    fn rebuild(&mut self) {
        let points: Vec<DVec3> = (0..4 + self.random.below(20)).map(|_| vector(&mut self.random, 1.0)).collect();
        let Ok(hull) = ConvexPolyhedron::hull_of(&points) else { return };
        let mesh: Mesh = Mesh::new(hull.surface().unwrap()).unwrap();
        assert!(mesh.into_solid().unwrap().validate().is_ok());
    }
}

/// Runs one machine; returns its calls and what stayed allocated after each round but the first.
fn run(seed: u64, robot: Arc<Robot>, kinds: Arc<Vec<Arc<dyn Geometry>>>, time: Duration) -> (u64, Vec<i64>) {
    let start = Instant::now();
    let mut machine = Machine::new(seed, robot, kinds);
    let mut left = Vec::new();
    while start.elapsed() < time || left.len() < 3 {
        let counted = allocation_counter::measure(|| {
            (0..2000).for_each(|_| machine.step());
            machine.drain();
        });
        left.push(counted.bytes_current);
    }
    (machine.calls, left.split_off(1))
}

#[test]
fn any_order_of_calls_gives_the_answers_of_fresh_objects_and_leaves_nothing() {
    let seconds = std::env::var("CLEARANCE_SOAK_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let (robot, kinds) = (arm(), Arc::new(geometries()));
    let threads: Vec<_> = (0..2)
        .map(|seed| {
            let (robot, kinds) = (robot.clone(), kinds.clone());
            std::thread::spawn(move || run(77 + seed, robot, kinds, Duration::from_secs(seconds)))
        })
        .collect();
    for thread in threads {
        let (calls, left) = thread.join().expect("no call may panic");
        let grown: i64 = left.iter().sum();
        eprintln!("{calls} calls in {} rounds, {grown} bytes more than after the first", left.len() + 1);
        // Scratch memory and tables grow to the largest that was needed, which later rounds may
        // still raise.
        assert!(grown < 1 << 20, "{left:?}");
    }
}
