//! `clearance pair A B [--poses F]`: two meshes at many poses, or as their files have them.

use super::range::RangeArgs;
use super::record;
use crate::output::Answer;
use crate::progress::Busy;
use crate::stream::{self, Source};
use crate::{numbers, outputs, poses};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use clearance_engine::Pose;
use clearance_engine::convex::PenetrationRequest;
use clearance_engine::dispatch::{Dispatcher, PairQuery, Runs};
use clearance_engine::penetration::signed_distance;
use clearance_engine::query::{ContactsRequest, DistanceRequest};
use clearance_engine::traversal::{Stats, WarmStart, Workspace};
use clearance_engine::tree::{BuildOptions, Bvh8, BvhKind, Geometry, Mesh};
use clearance_engine::volume::{Aabb, KIos, Kdop16, Kdop18, Kdop24, Obb, Rss, Sphere};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The arguments of `clearance pair`.
#[derive(Args)]
pub struct PairArgs {
    /// First mesh
    a: PathBuf,
    /// Second mesh
    b: PathBuf,
    /// CSV with columns x,y,z,qw,qx,qy,qz: poses of B in A's frame; `-` is standard input. Rows are
    /// answered as they come, and a bad one ends the run after the answers of all before it.
    /// Without it, one query with both as their files have them
    #[arg(long)]
    poses: Option<PathBuf>,
    /// What to ask
    #[arg(long, value_enum, default_value = "distance")]
    query: QueryKind,
    #[command(flatten)]
    range: RangeArgs,
    /// For --query distance and signed: also the derivative by the pose of B, a translation and a
    /// rotation about B's origin, in A's frame
    #[arg(long)]
    gradient: bool,
    /// The most contacts per pose; with 0 only whether the two collide
    #[arg(long, value_name = "N", value_parser = numbers::count, allow_hyphen_values = true)]
    max_contacts: Option<usize>,
    /// For contacts: also pairs of triangles this close
    #[arg(long, value_name = "M", value_parser = numbers::length, allow_hyphen_values = true)]
    margin: Option<f64>,
    /// A is a solid, not a surface
    #[arg(long)]
    solid_a: bool,
    /// B is a solid, not a surface
    #[arg(long)]
    solid_b: bool,
    /// The bounding volume of the hierarchies
    #[arg(long, value_enum, default_value = "auto")]
    volume: VolumeKind,
    /// Threads; 0 uses all
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = numbers::jobs, allow_hyphen_values = true)]
    jobs: usize,
    /// Also record both meshes at every pose, with what was found: animated glTF (.glb) for
    /// `clearance view` and other viewers, or a page (.html)
    #[arg(long, value_name = "F")]
    record: Option<PathBuf>,
    /// One JSON object per query on standard output, and nothing else there
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum QueryKind {
    Distance,
    Collide,
    Contacts,
    /// Distance, or minus the penetration depth; both meshes must be solids
    Signed,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum VolumeKind {
    Auto,
    Sphere,
    Aabb,
    Obb,
    Rss,
    Kdop16,
    Kdop18,
    Kdop24,
    Kios,
}

/// What is asked at every pose.
enum Request {
    Distance { request: DistanceRequest, gradient: bool },
    Collide,
    Contacts(ContactsRequest),
    Signed { request: PenetrationRequest, gradient: bool },
}

impl PairArgs {
    /// Reads and checks options and meshes, then asks pose by pose.
    pub fn run(&self) -> Result<()> {
        let request = self.request()?;
        self.record.iter().try_for_each(|path| outputs::check(path))?;
        let source = self.poses.as_deref().map_or_else(|| Ok(Source::of_text(poses::IDENTITY)), Source::open);
        let Source { read, name, bar } = source?;
        let mut poses = poses::reader(read, &name)?;
        let start = Instant::now();
        let busy = Busy::new("reading both meshes and building their hierarchies");
        let (a, b) = (self.load(&self.a, self.solid_a)?, self.load(&self.b, self.solid_b)?);
        drop(busy);
        let loaded = start.elapsed();
        let dispatcher = Dispatcher::standard();
        let plan = dispatcher.plan(&*a, &*b)?;
        let bodies = Bodies { dispatcher: &dispatcher, bodies: [&*a, &*b], plan };
        let (mut runs, mut colliding, mut total) = (Runs::<WarmStart>::new(self.jobs), 0, Stats::default());
        let (mut count, mut asked) = (0, Duration::ZERO);
        let mut recorded = self.record.as_ref().map(|_| record::Poses::default());
        let read = |max_rows: usize, chunk: &mut Vec<Pose>| {
            let good = poses.read(max_rows, chunk);
            (chunk.len(), good)
        };
        stream::answer_all(self.jobs, &bar, &mut Vec::new(), read, |poses| {
            let start = Instant::now();
            let answers = runs.next(poses, Workspace::default, |workspace, cache, poses| {
                poses.iter().map(|pose| bodies.ask(pose, &request, workspace, cache)).collect()
            })?;
            asked += start.elapsed();
            let line = |(pose, answer): (&Pose, Result<Answer>)| {
                let (i, answer) = (count, answer?);
                recorded.iter_mut().for_each(|recorded| recorded.push(pose, &answer));
                count += 1;
                colliding += usize::from(answer.colliding());
                total += answer.stats();
                Ok(if self.json { answer.json(i).to_string() } else { answer.text(i) })
            };
            Ok(poses.iter().zip(answers).map(line).collect())
        })?;
        let (each, built) = (asked.as_secs_f64() * 1e6 / count.max(1) as f64, loaded.as_secs_f64() * 1e3);
        eprintln!("{count} queries, {colliding} colliding; {each:.1} µs each; loaded and built in {built:.0} ms");
        let [volumes, opened, leaf_pairs, leaves] =
            [total.volume_tests, total.opened, total.leaf_pairs, total.leaf_tests]
                .map(|sum| sum as f64 / count.max(1) as f64);
        eprintln!(
            "per query: {volumes:.1} volume tests in {opened:.1} nodes, {leaves:.1} triangle tests in {leaf_pairs:.1} pairs of leaves"
        );
        if let (Some(path), Some(recorded)) = (&self.record, recorded) {
            record::write(path, &recorded.recording([(&self.a, &*a), (&self.b, &*b)])?)?;
            eprintln!("Recording: {}", path.display());
        }
        Ok(())
    }

    fn request(&self) -> Result<Request> {
        let contacts_only = [("--max-contacts", self.max_contacts.is_some()), ("--margin", self.margin.is_some())];
        if self.query != QueryKind::Distance {
            self.range.refuse()?;
        }
        if self.query != QueryKind::Contacts
            && let Some((name, _)) = contacts_only.iter().find(|(_, given)| *given)
        {
            bail!("{name} is for --query contacts");
        }
        if self.gradient && !matches!(self.query, QueryKind::Distance | QueryKind::Signed) {
            bail!("--gradient is for --query distance and signed");
        }
        match self.query {
            QueryKind::Collide => Ok(Request::Collide),
            QueryKind::Signed => {
                let request = PenetrationRequest { rel_err: 0.005, ..Default::default() };
                Ok(Request::Signed { request, gradient: self.gradient })
            }
            QueryKind::Contacts => {
                let default = ContactsRequest::default();
                let request = ContactsRequest {
                    max_contacts: self.max_contacts.unwrap_or(default.max_contacts),
                    margin: self.margin.unwrap_or(default.margin),
                };
                request.check()?;
                Ok(Request::Contacts(request))
            }
            QueryKind::Distance => Ok(Request::Distance { request: self.range.request()?, gradient: self.gradient }),
        }
    }

    fn load(&self, path: &Path, solid: bool) -> Result<Box<dyn Geometry>> {
        match self.volume {
            VolumeKind::Sphere => self.build::<Sphere>(path, solid),
            VolumeKind::Aabb => self.build::<Aabb>(path, solid),
            VolumeKind::Auto => self.build::<Bvh8>(path, solid),
            VolumeKind::Obb => self.build::<Obb>(path, solid),
            VolumeKind::Rss => self.build::<Rss>(path, solid),
            VolumeKind::Kdop16 => self.build::<Kdop16>(path, solid),
            VolumeKind::Kdop18 => self.build::<Kdop18>(path, solid),
            VolumeKind::Kdop24 => self.build::<Kdop24>(path, solid),
            VolumeKind::Kios => self.build::<KIos>(path, solid),
        }
    }

    fn build<K: BvhKind>(&self, path: &Path, solid: bool) -> Result<Box<dyn Geometry>> {
        let tri_mesh = clearance_io::load_mesh(path)?;
        let options = BuildOptions { parallel: self.jobs != 1, ..BuildOptions::default() };
        let at = || path.display().to_string();
        let mesh = Mesh::<K>::build(tri_mesh, &options, None).with_context(at)?;
        Ok(Box::new(if solid { mesh.into_solid().with_context(at)? } else { mesh }))
    }
}

/// The two meshes and how they are asked.
struct Bodies<'b> {
    dispatcher: &'b Dispatcher,
    bodies: [&'b dyn Geometry; 2],
    plan: PairQuery<'b>,
}

impl Bodies<'_> {
    /// The answer at one pose, helped by the cache of the one before.
    fn ask(&self, pose: &Pose, request: &Request, workspace: &mut Workspace, cache: &mut WarmStart) -> Result<Answer> {
        let plan = &self.plan;
        Ok(match request {
            Request::Distance { request, gradient } => {
                let distance = plan.distance(pose, request, workspace, Some(cache))?;
                let gradient = gradient.then(|| plan.gradient(pose, &distance, workspace));
                Answer::Distance { distance, gradient }
            }
            Request::Collide => Answer::Collide(plan.collide(pose, workspace, Some(cache))),
            Request::Contacts(request) => Answer::Contacts(plan.contacts(pose, request, workspace)?),
            Request::Signed { request, gradient } => {
                let found = signed_distance(self.dispatcher, self.bodies, pose, request, workspace, Some(cache))?;
                Answer::Signed { found, gradient: gradient.then(|| found.gradient(pose)) }
            }
        })
    }
}
