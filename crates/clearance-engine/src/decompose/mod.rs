//! Approximate convex decomposition: a closed mesh as a few convex parts, with a certified error.
//!
//! Planes cut the solid of the mesh, the worst piece first, until the hull of every piece is near
//! enough to the solid. The choice of planes follows V-HACD and CoACD (Mamou and Ghorbel, 2009; Wei
//! et al., *Approximate convex decomposition for 3D meshes with collision-aware concavity and tree
//! search*, 2022): the faces next to concave edges, the planes that halve the angles there, and
//! even slices. The best cut leaves the most halves within the error, and then the least volume to
//! the hulls of both. Only the number of parts depends on that choice.
//!
//! Invariant, whatever the arithmetic does: every point of a part is within
//! [`Decomposition::error`] of the solid (`gauge.rs` proves it of the part that is handed out), and
//! every point of the solid is within [`Decomposition::gap`] of a part:
//!
//! 1. Cut polygons and cut cells are made of the same rounded points on both sides, so that
//!    together they cover what was cut up to 2⁻⁴⁹ of the size of the mesh; after at most 64 cuts,
//!    up to τ = 2⁻⁴³ of it. What is within τ of a plane may be on either side.
//! 2. Within 6nτ of every point of the solid there is one that is farther than 4τ from all n
//!    planes: slabs of a width of 8τ do not fill a sphere of that radius. The surface between the
//!    two, if there is any, is near by and belongs to a piece up to τ.
//! 3. Else that point is in the solid and, up to τ, in a cell, by 3τ or more from all of its walls.
//!    There all of the surface is, up to τ, part of the cell's own piece. What is beyond a face of
//!    the piece's hull by more has no surface in it, and is inside or outside as a whole: one of
//!    the cell's vertices, moved inward by more than 3τ, tells. Vertices that are inside of the
//!    solid are put into the hull, so that only what is outside of the solid is beyond its faces.
//!
//! A conservative decomposition widens each part by as much: its gap is 0. All of that happens
//! about a point near the mesh, which is subtracted from its vertices exactly (`home_of`), and in a
//! unit of about the mesh's size (`Home`). So the place and size of a mesh count only when parts
//! move back. Otherwise volumes of tiny meshes, and products of large ones, would be out of range.
//!
//! A merger joins parts where one hull serves two (`merge.rs`), and where that makes room below the
//! maximum number, cutting goes on. It leaves pieces above the error alone, so that there are
//! pieces to cut. Where parts are too few all the same, pieces may be twice as many.
//!
//! Cost: some 40 candidates a cut with two hulls each, of which the best four are measured
//! (`gauge.rs`). A work limit (`budget.rs`) ends a search that would take too long, with the error
//! that it has reached. A torus of 192 triangles takes 0.1 s, a mesh of thousands some seconds.
//! Compute it once and keep it.

mod budget;
mod gauge;
mod merge;
mod piece;
mod planes;
mod widen;

use crate::assembly::Assembly;
use crate::math::{DVec3, Frame, LARGEST_COORDINATE, UNIT_ROUNDOFF};
use crate::shape::{ConvexPolyhedron, check_closed, check_points, encloses_volume};
use crate::tree::Solid;
use crate::{Error, ErrorKind, Pose, Readable, Result, TriMesh};
use budget::Ledger;
pub use budget::{DecomposeProgress, DecomposeStatus};
use gauge::{Gauge, Precision};
use merge::{Merger, Part};
use piece::Piece;
use planes::{HULL_POINT, Reflex, Volumes};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The share of the requested error that roundings and widening may take.
const SPARE: f64 = 0.01;
/// The maximum number of cuts of a piece, on which the count of roundings rests.
const MAX_CUTS: usize = 64;
/// The number of cuts of a piece, those of the best score, whose halves are measured.
const MAX_MEASURED_CUTS: usize = 4;
/// The maximum number of cuts for each allowed part: room that mergers make serves more cuts, but
/// not for ever.
const CUTS_A_PART: usize = 16;
/// The maximum number of pieces at a time, for each allowed part, where the error needs more pieces
/// than parts.
const PIECES_A_PART: usize = 2;
/// The least error that the search aims at, in τ of the head: 2⁻³⁵ of the size. A part that is
/// convex up to rounding measures less, unless it is 2000 times as wide as thick, since gauge.rs
/// allows for roundings of 2⁻⁴⁶ of the size times that ratio, and 34 cuts leave a gap of as much.
/// Cuts for less would make the gap larger, and no part better.
const FINEST: f64 = 256.0;

/// Options of a convex decomposition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecomposeOptions {
    /// The maximum distance of any point of a part from the solid (the error).
    ///
    /// The result exceeds it in three cases. The search finds no parts within it that are at most
    /// `max_parts`. The search spends `max_work`. Or the error is no more than roundings: less than
    /// 2⁻³¹ of the mesh's extent, 2⁻⁴⁴ of its distance from the origin, or a hundred times the
    /// widening of conservative parts.
    pub error: f64,
    /// Whether the parts must contain all of the solid, rounding included; false by default.
    pub conservative: bool,
    /// The maximum number of parts; 256 by default.
    pub max_parts: usize,
    /// The maximum work of the search, which then returns the error that it has reached; 10¹⁰ by
    /// default.
    ///
    /// A unit is the evaluation of one triangle of the mesh against a part, some 20 million a
    /// second. Counts depend on the mesh and the options alone: every machine returns the same
    /// answer. The search stops a quarter early: certificates take the rest. The work exceeds the
    /// limit by no more than the first bounds of all parts, and a mesh always becomes one part at
    /// least. A larger limit continues the same search. Its error is smaller, up to what
    /// certificates leave: mostly 5 %, and more where the proof has used up its cells.
    pub max_work: u64,
}

impl DecomposeOptions {
    /// Options with this error and defaults for the rest.
    pub fn new(error: f64) -> Self {
        Self { error, conservative: false, max_parts: 256, max_work: 10_000_000_000 }
    }

    fn check(&self) -> Result<()> {
        let refuse = |message: String| Err(Error::new(ErrorKind::BadRequest, message));
        if !(self.error > 0.0 && self.error.is_finite()) {
            return refuse(format!(
                "the error of a decomposition must be positive and finite, not {}",
                Readable(self.error)
            ));
        }
        if self.max_parts == 0 {
            return refuse("a decomposition needs at least one part".into());
        }
        Ok(())
    }
}

/// A convex decomposition: the convex parts of a mesh, in its coordinates, with certified bounds.
#[derive(Debug, Clone)]
pub struct Decomposition {
    /// The parts; they touch or overlap at the cuts.
    pub parts: Vec<ConvexPolyhedron>,
    /// A certified bound: no point of a part is farther from the solid than this.
    pub error: f64,
    /// A certified bound: no point of the solid is farther from all parts than this. It is
    /// rounding, or 0 if conservative.
    ///
    /// Unless pieces are thin it is less than 2⁻³⁵ of the mesh's extent for each cut piece, and
    /// 2⁻⁵¹ of its distance from the origin.
    pub gap: f64,
    /// The reason why there are no more or better parts.
    pub status: DecomposeStatus,
    /// The spent work, in the units of [`max_work`](DecomposeOptions::max_work).
    pub work: u64,
}

impl Decomposition {
    /// The parts as one geometry, numbered as in [`parts`](Self::parts).
    ///
    /// ```
    /// use clearance_engine::decompose::{DecomposeOptions, decompose};
    /// use clearance_engine::{Pose, TriMesh, dispatch::Dispatcher, traversal::Workspace, math::DVec3, shape::Sphere, tree::Solid};
    /// let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let mesh = TriMesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
    /// let geometry = decompose(&mesh, &DecomposeOptions::new(0.01))?.into_assembly();
    /// assert_eq!(geometry.part_count(), 1);
    /// // Solid, as the mesh was: a sphere inside of it collides.
    /// let (sphere, dispatcher) = (Solid::new(Sphere::new(0.01)?), Dispatcher::standard());
    /// let inside = Pose::from_translation(DVec3::splat(0.2))?;
    /// assert!(dispatcher.plan(&geometry, &sphere)?.collide(&inside, &mut Workspace::default(), None).colliding);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn into_assembly(self) -> Assembly {
        let mut assembly = Assembly::default();
        for part in self.parts {
            assembly.insert(Arc::new(Solid::new(part)), Pose::IDENTITY);
        }
        assembly
    }
}

/// Decomposes the solid of a closed mesh into convex parts (approximate convex decomposition), with
/// a certified error.
///
/// The solid is the set of points that the mesh winds around. An open edge is an error that names
/// it. The returned error may exceed the requested one: [`max_parts`](DecomposeOptions::max_parts)
/// or [`max_work`](DecomposeOptions::max_work) may be too small for it, or it may be less than
/// rounding. [`status`](Decomposition::status) says why.
///
/// ```
/// use clearance_engine::decompose::{DecomposeOptions, decompose};
/// use clearance_engine::{TriMesh, math::DVec3};
/// // An L, 1 thick: two convex parts.
/// let outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
/// let at = |z: f64| outline.map(|(x, y)| DVec3::new(x, y, z));
/// let mut triangles = Vec::new();
/// for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
///     triangles.extend([[a, c, b], [a + 6, b + 6, c + 6]]);
/// }
/// for i in 0..6 {
///     let j = (i + 1) % 6;
///     triangles.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
/// }
/// let mesh = TriMesh::new([at(0.0), at(1.0)].concat(), triangles)?;
/// let whole = decompose(&mesh, &DecomposeOptions { max_parts: 1, ..DecomposeOptions::new(0.01) })?;
/// // The middle of the notch of a single hull.
/// assert!(whole.error > 0.49 && whole.error < 0.6);
/// let halves = decompose(&mesh, &DecomposeOptions { conservative: true, ..DecomposeOptions::new(0.01) })?;
/// assert!(halves.parts.len() == 2 && halves.error < 1e-9 && halves.gap == 0.0);
/// let geometry = halves.into_assembly();
/// assert_eq!(geometry.part_count(), 2);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn decompose(mesh: &TriMesh, options: &DecomposeOptions) -> Result<Decomposition> {
    decompose_with(mesh, options, &mut |_| ControlFlow::Continue(()))
}

/// [`decompose`], while an observer sees the progress after each cut and may cancel the search.
///
/// A cancelled search returns the parts that it has, with a certified but rough error.
///
/// ```
/// use clearance_engine::decompose::{DecomposeOptions, DecomposeStatus, decompose_with};
/// use clearance_engine::{TriMesh, math::DVec3};
/// use std::ops::ControlFlow;
/// let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let mesh = TriMesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// let made = decompose_with(&mesh, &DecomposeOptions::new(0.01), &mut |progress| {
///     println!("{} cuts, error at most {}", progress.cut_count, progress.error);
///     if progress.cut_count < 100 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
/// })?;
/// assert_eq!(made.status, DecomposeStatus::ErrorMet);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn decompose_with(
    mesh: &TriMesh,
    options: &DecomposeOptions,
    observer: &mut dyn FnMut(&DecomposeProgress) -> ControlFlow<()>,
) -> Result<Decomposition> {
    options.check()?;
    check_closed(mesh)?;
    let home = Home::of(mesh);
    // Vertices that no triangle uses may be anywhere.
    let limit = DVec3::splat(LARGEST_COORDINATE);
    let vertices = mesh.vertices().iter().map(|&vertex| ((vertex - home.origin) * home.unit).clamp(-limit, limit));
    let mesh = &mesh.with_vertices(vertices.collect())?;
    let (low, high) = mesh.bounding_box();
    let scale = Scale::of(low.abs().max(high.abs()));
    // The observer sees the mesh's own unit.
    let mut in_own_unit =
        |progress: &DecomposeProgress| observer(&DecomposeProgress { error: progress.error / home.unit, ..*progress });
    let mut work = Work {
        gauge: Gauge::new(mesh, scale),
        reflex: planes::reflex_planes(mesh),
        orientation: if encloses_volume(mesh) { 1.0 } else { -1.0 },
        scale,
        target: (options.error * (1.0 - SPARE) * home.unit).clamp(FINEST * scale.on_plane, f64::MAX),
        ledger: Ledger::new(options.max_work, &mut in_own_unit),
    };
    let mut cutting = Cutting::of(work.leaf(Piece::whole(mesh, scale)?)?);
    let mut status = cutting.go_on(&mut work, options.max_parts)?;
    let mut made = cutting.snapshot(scale);
    if status == DecomposeStatus::PartLimit {
        // More pieces than allowed parts may become few enough; if not, the former result counts.
        let second = cutting.go_on(&mut work, options.max_parts.saturating_mul(PIECES_A_PART))?;
        if second == DecomposeStatus::ErrorMet && cutting.finished.len() <= options.max_parts {
            made = cutting.snapshot(scale);
            status = second;
        } else if let Some(stopped) = work.ledger.status() {
            status = stopped;
        }
    }
    work.certify(&mut made)?;
    let mut made = finish(made, status, work.ledger.spent(), options.conservative, scale, &home)?;
    // Below rounding the search did not aim at the requested error.
    if made.status == DecomposeStatus::ErrorMet && made.error > options.error {
        made.status = DecomposeStatus::Indivisible;
    }
    Ok(made)
}

/// The frame of the work: a vertex v of the mesh is at (v − origin)·unit there, which has
/// coordinates of about 1.
struct Home {
    origin: DVec3,
    /// A power of two, so that nothing is rounded but what is 2⁻¹⁰²² of the mesh's size.
    unit: f64,
}

impl Home {
    /// 2²⁰⁰: polyhedra require own units of 2⁻²⁵⁶ or more, and parts are larger than 2⁻⁵⁶ of their
    /// mesh.
    const LARGEST_UNIT: f64 = f64::from_bits((1023 + 200) << 52);

    fn of(mesh: &TriMesh) -> Self {
        let origin = home_of(mesh);
        let (low, high) = mesh.bounding_box();
        let largest = (low - origin).abs().max((high - origin).abs()).max_element();
        // 2⁻ᵉ for what is between 2ᵉ and twice that.
        let exponent = largest.max(f64::MIN_POSITIVE).to_bits() >> 52;
        Self { origin, unit: f64::from_bits((2046 - exponent) << 52) }
    }

    /// Whether parts' own units would be too small: then new hulls of their vertices replace them.
    fn is_tiny(&self) -> bool {
        self.unit > Self::LARGEST_UNIT
    }

    /// Moves a part back to the mesh; [`finish`] allows for the rounding.
    fn back(&self, part: &ConvexPolyhedron) -> Result<ConvexPolyhedron> {
        let larger = part.stored(&Frame { center: DVec3::ZERO, scale: 1.0 / self.unit });
        let points: Vec<DVec3> = larger.vertices().collect();
        check_points("vertex", &points)?;
        let larger = if self.is_tiny() { ConvexPolyhedron::hull_of(&points)? } else { larger };
        Ok(larger.transformed(&Pose::from_translation(self.origin)?))
    }
}

/// A point near a mesh whose difference from all vertices is exact; the origin for meshes about it.
///
/// It is a multiple, no farther from the origin, of a power of two s that is at least twice the
/// mesh's extent, so that it is 0 or, in each coordinate, c with |c| ≥ s and |m| < |c| + s, m being
/// the middle. So vertices v with |v| < s, which are multiples of 2⁻⁵³s, are within s/4 of c, and
/// others, which are multiples of 2⁻⁵²s, within 5s/4: the difference has no more than 53 bits.
/// Since s is less than four times the extent, what is left is less than five times that.
fn home_of(mesh: &TriMesh) -> DVec3 {
    let (low, high) = mesh.bounding_box();
    let frame = Frame::around(low, high);
    let step = 4.0 / frame.scale;
    (frame.center / step).trunc() * step
}

/// The size of a mesh, to which roundings are relative.
#[derive(Debug, Clone, Copy)]
struct Scale {
    /// An upper bound of the distance of any point from the origin of the work.
    size: f64,
    /// τ of the head: points nearer to a plane than this are on it.
    on_plane: f64,
    /// More than the sum of the roundings of a few products, sums and square roots.
    slack: f64,
}

impl Scale {
    fn of(largest: DVec3) -> Self {
        // Cells are a little larger than the mesh.
        let size = 1.125 * largest.length().max(f64::MIN_POSITIVE);
        Self { size, on_plane: size * 2.0_f64.powi(-43), slack: 64.0 * UNIT_ROUNDOFF * size }
    }
}

/// A piece with its hull.
struct Leaf {
    piece: Piece,
    hull: ConvexPolyhedron,
    /// A certified bound of the distance of the hull's points from the solid; rough if it is above
    /// the target.
    error: f64,
    /// Its estimated error: the search cuts the worst leaf first.
    seen: f64,
    /// Whether its error is too large, and no attempt to cut it has failed.
    is_open: bool,
}

impl Leaf {
    fn part(&self, scale: Scale) -> Part {
        Part { hull: self.hull.clone(), error: self.error, nudge: self.piece.nudge_length(scale) }
    }
}

/// Parts, and the number of cuts.
struct Snapshot {
    parts: Vec<Part>,
    cuts: usize,
}

/// The state of cutting a mesh.
struct Cutting {
    /// Pieces that are above the error.
    leaves: Vec<Leaf>,
    finished: Merger,
    cuts: usize,
}

impl Cutting {
    fn of(whole: Option<Leaf>) -> Self {
        Self { leaves: whole.into_iter().collect(), finished: Merger::default(), cuts: 0 }
    }

    /// Cuts and merges until no piece is above the error, or parts and pieces are `max_pieces`.
    fn go_on(&mut self, work: &mut Work<'_>, max_pieces: usize) -> Result<DecomposeStatus> {
        let max_cuts = CUTS_A_PART.saturating_mul(max_pieces);
        loop {
            let room = max_pieces - self.finished.len();
            while self.leaves.len() < room && self.cuts < max_cuts && !work.ledger.is_over() {
                let open = self.leaves.iter().enumerate().filter(|(_, leaf)| leaf.is_open);
                let Some((worst, _)) = open.max_by(|p, q| p.1.seen.total_cmp(&q.1.seen)) else { break };
                match work.best_cut(&self.leaves[worst])? {
                    Some(halves) => {
                        self.cuts += 1;
                        self.leaves.swap_remove(worst);
                        self.leaves.extend(halves);
                    }
                    // A search that is over has not tried all planes.
                    None => self.leaves[worst].is_open = work.ledger.is_over(),
                }
                self.report(work);
            }
            let (open, closed) = std::mem::take(&mut self.leaves).into_iter().partition(|leaf| leaf.is_open);
            self.leaves = open;
            for leaf in Vec::into_iter(closed) {
                self.finished.insert(leaf.part(work.scale), work.scale, &mut work.ledger);
            }
            self.finished.merge(&work.gauge, work.target, work.scale, &mut work.ledger)?;
            self.report(work);
            // Mergers may have made room to cut more.
            let is_full = self.finished.len() + self.leaves.len() >= max_pieces;
            if self.leaves.is_empty() {
                let is_met = self.finished.parts().all(|part| part.error <= work.target);
                return Ok(if is_met { DecomposeStatus::ErrorMet } else { DecomposeStatus::Indivisible });
            }
            if let Some(stopped) = work.ledger.status() {
                return Ok(stopped);
            }
            if is_full || self.cuts >= max_cuts {
                return Ok(DecomposeStatus::PartLimit);
            }
        }
    }

    fn report(&self, work: &mut Work<'_>) {
        let open = self.leaves.iter().filter(|leaf| leaf.is_open).count();
        let errors = self.leaves.iter().map(|leaf| leaf.error).chain(self.finished.parts().map(|part| part.error));
        let counts = (self.cuts, self.finished.len() + self.leaves.len() - open, open);
        work.ledger.report(counts, errors.fold(0.0, f64::max));
    }

    /// The present parts, whatever their error.
    fn snapshot(&self, scale: Scale) -> Snapshot {
        let leaves = self.leaves.iter().map(|leaf| leaf.part(scale));
        Snapshot { parts: self.finished.parts().cloned().chain(leaves).collect(), cuts: self.cuts }
    }
}

/// The data that all pieces share.
struct Work<'a> {
    gauge: Gauge,
    reflex: Vec<Reflex>,
    /// 1 where triangles face outward, -1 where inward.
    orientation: f64,
    scale: Scale,
    target: f64,
    ledger: Ledger<'a>,
}

impl Work<'_> {
    /// `None` for an empty piece.
    fn leaf(&mut self, piece: Piece) -> Result<Option<Leaf>> {
        let points = self.points(&piece);
        if points.is_empty() {
            return Ok(None);
        }
        self.ledger.spend(HULL_POINT * points.len() as u64);
        let hull = widen::hull(&points, self.scale)?;
        let measured = self.gauge.measure(&hull, self.target, Precision::Verdict, &mut self.ledger)?;
        let (error, is_open) = (measured.upper, measured.upper > self.target);
        let seen = if measured.found > self.target { measured.found } else { error };
        Ok(Some(Leaf { piece, seen, hull, error, is_open }))
    }

    fn points(&mut self, piece: &Piece) -> Vec<DVec3> {
        piece.points(|point| self.gauge.contains(point, &mut self.ledger))
    }

    /// Replaces rough bounds by tight ones, as far as the work allows.
    fn certify(&mut self, made: &mut Snapshot) -> Result<()> {
        let mut rough: Vec<&mut Part> = made.parts.iter_mut().filter(|part| part.error > self.target).collect();
        // Only the largest counts.
        rough.sort_by(|p, q| q.error.total_cmp(&p.error));
        let (count, mut reached) = (rough.len(), self.target);
        for (i, part) in rough.into_iter().enumerate() {
            if part.error <= reached {
                break;
            }
            self.ledger.allow_share(count - i);
            let measured = self.gauge.measure(&part.hull, reached, Precision::Tight, &mut self.ledger)?;
            part.error = part.error.min(measured.upper);
            reached = reached.max(part.error);
        }
        Ok(())
    }

    /// The halves of a piece of which the most are within the error, or whose hulls have the least
    /// volume; `None` if no plane cuts it, or if the search has to stop.
    fn best_cut(&mut self, leaf: &Leaf) -> Result<Option<Vec<Leaf>>> {
        let piece = &leaf.piece;
        if piece.cut_count() >= MAX_CUTS {
            return Ok(None);
        }
        let (mut cuts, mut volumes) = (Vec::new(), Vec::new());
        for (plane, penalty) in planes::candidates(piece, &self.reflex, self.target, self.scale) {
            if self.ledger.is_over() {
                return Ok(None);
            }
            self.ledger.spend(piece.polygon_count() as u64);
            let Some(halves) = piece.cut(&plane, self.orientation, self.scale) else { continue };
            let [below, above] = [&halves[0], &halves[1]].map(|half| self.points(half));
            self.ledger.spend(HULL_POINT * (below.len() + above.len()) as u64);
            if !below.is_empty() && !above.is_empty() {
                volumes.push(Volumes::of(&below, &above, penalty));
                cuts.push(halves);
            }
        }
        let scores = planes::scores(&volumes, planes::volume(&leaf.hull));
        let mut ranked: Vec<(f64, [Piece; 2])> = scores.into_iter().zip(cuts).collect();
        ranked.sort_by(|p, q| p.0.total_cmp(&q.0));
        let mut best: Option<(usize, Vec<Leaf>)> = None;
        for (_, halves) in ranked.into_iter().take(MAX_MEASURED_CUTS) {
            if self.ledger.is_over() {
                return Ok(None);
            }
            let mut leaves = Vec::with_capacity(2);
            for half in halves {
                leaves.extend(self.leaf(half)?);
            }
            let open = leaves.iter().filter(|leaf| leaf.is_open).count();
            if best.as_ref().is_none_or(|(fewest, _)| open < *fewest) {
                best = Some((open, leaves));
            }
            if open == 0 {
                break;
            }
        }
        Ok(best.map(|(_, leaves)| leaves))
    }
}

/// Returns the parts, widened if conservative, at the mesh's place and of its size.
fn finish(
    made: Snapshot,
    status: DecomposeStatus,
    work: u64,
    conservative: bool,
    scale: Scale,
    home: &Home,
) -> Result<Decomposition> {
    let Snapshot { parts, cuts } = made;
    let nudges = parts.iter().map(|part| part.nudge).fold(0.0, f64::max);
    // New hulls round vertices when they read and store them.
    let anew = if home.is_tiny() { 4.0 * scale.slack } else { 0.0 };
    // The way back rounds a part's place once, and reading its vertices rounds these once more: by
    // less than 2⁻⁵³ of their distance from the origin.
    let far = home.origin.length() * home.unit + scale.size;
    let back = anew + if home.origin == DVec3::ZERO { 0.0 } else { 3.0 * UNIT_ROUNDOFF * far };
    // For each cut 6 of the head and 1 for the vertices that a merger rounds; the rest is less than
    // 16.
    let gap = (7.0 * cuts as f64 + 16.0) * scale.on_plane + nudges + back;
    let (mut made, mut worst) = (Vec::with_capacity(parts.len()), 0.0_f64);
    for Part { hull, error, .. } in parts {
        let (hull, moved) = if conservative { widen::widened(&hull, gap, scale)? } else { (hull, 0.0) };
        worst = worst.max(error + moved + back);
        made.push(home.back(&hull)?);
    }
    let gap = if conservative { 0.0 } else { gap };
    Ok(Decomposition { parts: made, error: worst / home.unit, gap: gap / home.unit, status, work })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::properties::{exact, minus};
    use crate::volume::samples::Random;

    #[test]
    fn a_mesh_is_brought_near_the_origin_without_rounding() {
        let mut random = Random(91);
        let mut moved = 0;
        for _ in 0..3000 {
            let size = DVec3::from_array([0, 1, 2].map(|_| 2.0_f64.powf(random.between(-30.0, 3.0))));
            let far = random.vector() * 2.0_f64.powf(random.between(-4.0, 60.0));
            let vertices: Vec<DVec3> = (0..12).map(|_| far + random.vector() * size).collect();
            let mesh = TriMesh::new(vertices, (0..4).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap();
            let home = home_of(&mesh);
            let (low, high) = mesh.bounding_box();
            for &vertex in mesh.vertices() {
                let near = vertex - home;
                assert_eq!(exact(near), minus(&exact(vertex), &exact(home)), "{vertex} {home}");
                assert!(
                    near.abs().max_element() <= 5.0 * (high - low).max_element() || low == high,
                    "{near} {low} {high}"
                );
            }
            moved += usize::from(home != DVec3::ZERO);
        }
        assert!(moved > 1000 && moved < 2900, "{moved}");
    }
}
