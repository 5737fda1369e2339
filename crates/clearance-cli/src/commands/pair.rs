//! `clearance pair A B [--poses F]`: two meshes at many poses, or as their files have them.

use super::range::RangeArgs;
use super::record;
use crate::output::Answer;
use crate::progress::Busy;
use crate::stream::{self, Source};
use crate::{numbers, outputs, poses};
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use clearance::engine::traversal::Stats;
use clearance::{BoundingVolume, ContactsRequest, DistanceRequest, Mesh, MeshOptions, Pair, PenetrationRequest, Pose};
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
    /// Also draw both meshes at the pose that brings them nearest, with the shortest line: PNG
    #[arg(long, value_name = "F")]
    picture: Option<PathBuf>,
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
        self.record.iter().chain(&self.picture).try_for_each(|path| outputs::check(path))?;
        let source = self.poses.as_deref().map_or_else(|| Ok(Source::of_text(poses::IDENTITY)), Source::open);
        let Source { read, name, bar } = source?;
        let mut poses = poses::reader(read, &name)?;
        let start = Instant::now();
        let busy = Busy::new("reading both meshes and building their hierarchies");
        let (a, b) = (self.load(&self.a, self.solid_a)?, self.load(&self.b, self.solid_b)?);
        drop(busy);
        let loaded = start.elapsed();
        let pair = Pair::new(a, b)?;
        let (mut stream, mut colliding, mut total) = (pair.stream(numbers::threads(self.jobs)), 0, Stats::default());
        let (mut count, mut asked) = (0, Duration::ZERO);
        let mut recorded = (self.record.is_some() || self.picture.is_some()).then(record::Poses::default);
        let read = |max_rows: usize, chunk: &mut Vec<Pose>| {
            let good = poses.read(max_rows, chunk);
            (chunk.len(), good)
        };
        stream::answer_all(self.jobs, &bar, &mut Vec::new(), read, |poses| {
            let start = Instant::now();
            let answers = stream.next(poses, |pair, pose| ask(pair, *pose, &request))?;
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
        let Some(recorded) = recorded else { return Ok(()) };
        let recording = recorded.recording([&self.a, &self.b], &pair)?;
        if let Some(path) = &self.record {
            record::write(path, &recording)?;
            eprintln!("Recording: {}", path.display());
        }
        if let Some(path) = &self.picture {
            record::write_picture(path, &recording)?;
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
                    ..default
                };
                request.check()?;
                Ok(Request::Contacts(request))
            }
            QueryKind::Distance => Ok(Request::Distance { request: self.range.request()?, gradient: self.gradient }),
        }
    }

    fn load(&self, path: &Path, solid: bool) -> Result<Mesh> {
        let (bounding_volume, threads) = (self.volume.into(), numbers::threads(self.jobs));
        Ok(Mesh::load_with(path, &MeshOptions { solid, bounding_volume, threads, ..MeshOptions::default() })?)
    }
}

impl From<VolumeKind> for BoundingVolume {
    fn from(kind: VolumeKind) -> Self {
        match kind {
            VolumeKind::Auto => Self::default(),
            VolumeKind::Sphere => Self::Sphere,
            VolumeKind::Aabb => Self::Aabb,
            VolumeKind::Obb => Self::Obb,
            VolumeKind::Rss => Self::Rss,
            VolumeKind::Kdop16 => Self::Kdop16,
            VolumeKind::Kdop18 => Self::Kdop18,
            VolumeKind::Kdop24 => Self::Kdop24,
            VolumeKind::Kios => Self::KIos,
        }
    }
}

/// The answer at one pose.
fn ask(pair: &mut Pair, pose: Pose, request: &Request) -> Result<Answer> {
    Ok(match request {
        Request::Distance { request, gradient } => {
            let distance = pair.distance_with(pose, request)?;
            let gradient = gradient.then(|| pair.gradient(pose, &distance));
            Answer::Distance { distance, gradient }
        }
        Request::Collide => Answer::Collide(pair.collision(pose)),
        Request::Contacts(request) => Answer::Contacts(pair.contacts_with(pose, request)?),
        Request::Signed { request, gradient } => {
            let found = pair.signed_distance_with(pose, request)?;
            Answer::Signed { found, gradient: gradient.then(|| found.gradient(&pose)) }
        }
    })
}
