//! A closed mesh as a few convex parts, with a certified error.
//!
//! The solid of the mesh is cut by planes, the worst piece first, until the hull of every piece is
//! near enough to the solid. Planes are chosen as in V-HACD and CoACD (Mamou and Ghorbel, 2009; Wei
//! et al., *Approximate convex decomposition for 3D meshes with collision-aware concavity and tree
//! search*, 2022): the faces next to concave edges, the planes that halve the angles there, and
//! even slices. The best cut leaves the most halves within the error, and then the least volume to
//! the hulls of both. Nothing but the number of parts rests on that choice.
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
//! A conservative decomposition has each part widened by as much: its gap is 0. All of that is done
//! about a point near the mesh, which is taken from its vertices exactly (`home_of`), and in a unit
//! of about the mesh's size (`Home`): where a mesh lies, and how large it is, counts only when
//! parts are moved back. Else volumes of tiny meshes, and products of large ones, would be out of
//! range.
//!
//! Parts are put together where one hull serves two (`merge.rs`), and where that makes room below
//! the number that is allowed, cutting goes on. Pieces above the error are not merged, so that
//! there are pieces to cut. Where parts are too few all the same, pieces may be twice as many.
//!
//! Cost: some 40 candidates a cut with two hulls each, of which the best four are measured
//! (`gauge.rs`). A work limit (`budget.rs`) ends a search that would take too long, with the error
//! that it has reached. A torus of 192 triangles takes 0.1 s, a mesh of thousands some seconds. It
//! is made once and kept.

mod budget;
mod gauge;
mod merge;
mod piece;
mod planes;
mod surface;
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

/// The share of the allowed error that is left to roundings and widening.
const SPARE: f64 = 0.01;
/// Pieces are not cut more often than this, on which the count of roundings rests.
const MAX_CUTS: usize = 64;
/// The halves of as many cuts of a piece are measured, those of the best score.
const MAX_MEASURED_CUTS: usize = 4;
/// As many cuts are made for each part that is allowed: room that mergers make is used for more,
/// but not for ever.
const CUTS_A_PART: usize = 16;
/// As many pieces there may be at a time, for each part that is allowed, where the error is not
/// kept with as many as parts.
const PIECES_A_PART: usize = 2;
/// The least error that is aimed at, in τ of the head: 2⁻³⁵ of the size. A part that is convex up
/// to rounding is found to have less, unless it is 2000 times as wide as thick, since gauge.rs
/// allows for roundings of 2⁻⁴⁶ of the size times that ratio, and 34 cuts leave a gap of as much.
/// Cuts for less would make the gap larger, and no part better.
const FINEST: f64 = 256.0;

/// What to make of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecomposeOptions {
    /// How far points of parts may be from the solid. It is kept unless no parts are found that
    /// keep it and are at most `max_parts`, `max_work` ends, or it is no more than roundings: less
    /// than 2⁻³¹ of the mesh's extent, 2⁻⁴⁴ of its distance from the origin, or a hundred times
    /// what conservative parts are widened by.
    pub error: f64,
    /// Whether all of the solid has to be inside of the parts, rounding included; false by default.
    pub conservative: bool,
    /// There will be no more parts than this; 256 by default.
    pub max_parts: usize,
    /// The work after which the search stops, with the error that it has reached by then; 10¹⁰ by
    /// default.
    ///
    /// A unit is the evaluation of one triangle of the mesh against a part, some 20 million a
    /// second. Counts depend on the mesh and the options alone: every machine returns the same
    /// answer. The search stops a quarter early: certificates take the rest. The work exceeds the
    /// limit by no more than the first bounds of all parts, and a mesh always becomes one part at
    /// least. A larger limit continues the same search; its error is smaller, up to what
    /// certificates leave: mostly 5 %, and more where the proof has used up its cells.
    pub max_work: u64,
}

impl DecomposeOptions {
    /// Parts within `error` of the solid, the rest by default.
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

/// Convex parts of a mesh, in its coordinates.
#[derive(Debug, Clone)]
pub struct Decomposition {
    /// The parts; they touch or overlap where the mesh was cut.
    pub parts: Vec<ConvexPolyhedron>,
    /// No point of a part is farther from the solid than this. Certified.
    pub error: f64,
    /// No point of the solid is farther from all parts than this: rounding, or 0 if conservative.
    /// Certified. Unless pieces are thin it is less than 2⁻³⁵ of the mesh's extent for each that it
    /// was cut into, and 2⁻⁵¹ of its distance from the origin.
    pub gap: f64,
    /// Why there are no more or better parts.
    pub status: DecomposeStatus,
    /// The work that was spent, in the units of [`max_work`](DecomposeOptions::max_work).
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

/// Convex parts that together are the solid of a closed mesh, up to a certified error.
///
/// What is inside of the mesh is what it winds around; a mesh with an open edge is refused with its
/// name. If the error cannot be kept with [`max_parts`](DecomposeOptions::max_parts) or
/// [`max_work`](DecomposeOptions::max_work), or is less than rounding, the one that is returned is
/// larger, and [`status`](Decomposition::status) says why.
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
        // More pieces than parts are allowed may become few enough; if not, what there was before
        // counts.
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
    // Below rounding the aim was not the error that was asked for.
    if made.status == DecomposeStatus::ErrorMet && made.error > options.error {
        made.status = DecomposeStatus::Indivisible;
    }
    Ok(made)
}

/// Where the work is done: a vertex v of the mesh is at (v − origin)·unit there, which has
/// coordinates of about 1.
struct Home {
    origin: DVec3,
    /// A power of two, so that nothing is rounded but what is 2⁻¹⁰²² of the mesh's size.
    unit: f64,
}

impl Home {
    /// 2²⁰⁰: polyhedra count on own units of 2⁻²⁵⁶ or more, and parts are larger than 2⁻⁵⁶ of their
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

    /// Whether parts' own units would be too small: then they are made anew from their vertices.
    fn is_tiny(&self) -> bool {
        self.unit > Self::LARGEST_UNIT
    }

    /// A part where the mesh is; rounded by what [`finish`] allows for.
    fn back(&self, part: &ConvexPolyhedron) -> Result<ConvexPolyhedron> {
        let larger = part.stored(&Frame { center: DVec3::ZERO, scale: 1.0 / self.unit });
        let points: Vec<DVec3> = larger.vertices().collect();
        check_points("vertex", &points)?;
        let larger = if self.is_tiny() { ConvexPolyhedron::hull_of(&points)? } else { larger };
        Ok(larger.transformed(&Pose::from_translation(self.origin)?))
    }
}

/// A point near a mesh that can be taken from all of its vertices without rounding; the origin for
/// meshes about it.
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

/// The size of a mesh, of which roundings are a part.
#[derive(Debug, Clone, Copy)]
struct Scale {
    /// At least the distance of any point from the origin of the work.
    size: f64,
    /// τ of the head: what is as near to a plane is on it.
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
    /// Certified: how far the hull's points may be from the solid; a rough bound where that is
    /// above the target.
    error: f64,
    /// How bad it looks: the worst leaf is cut first.
    seen: f64,
    /// Whether its error is too large, and no attempt to cut it has failed.
    is_open: bool,
}

impl Leaf {
    fn part(&self, scale: Scale) -> Part {
        Part { hull: self.hull.clone(), error: self.error, nudge: self.piece.nudge_length(scale) }
    }
}

/// Parts, and after how many cuts.
struct Snapshot {
    parts: Vec<Part>,
    cuts: usize,
}

/// A mesh while it is cut.
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

    /// Cuts and merges until no piece is above the error, or parts and pieces are as many as
    /// allowed.
    fn go_on(&mut self, work: &mut Work<'_>, most: usize) -> Result<DecomposeStatus> {
        let max_cuts = CUTS_A_PART.saturating_mul(most);
        loop {
            let room = most - self.finished.len();
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
            let is_full = self.finished.len() + self.leaves.len() >= most;
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

    /// What there is by now, whatever its error.
    fn snapshot(&self, scale: Scale) -> Snapshot {
        let leaves = self.leaves.iter().map(|leaf| leaf.part(scale));
        Snapshot { parts: self.finished.parts().cloned().chain(leaves).collect(), cuts: self.cuts }
    }
}

/// What is the same for all pieces.
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
    /// None for a piece without anything in it.
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
    /// volume; none where no plane cuts it, or where the search is over.
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

/// The parts, widened if asked, back where the mesh is and of its size.
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
    // Made anew, vertices are rounded when they are read and stored.
    let anew = if home.is_tiny() { 4.0 * scale.slack } else { 0.0 };
    // The way back rounds a part's place once, and who reads its vertices these once more: by less
    // than 2⁻⁵³ of their distance from the origin.
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
