//! A closed mesh as a few convex parts, with a certified error.
//!
//! The solid of the mesh is cut by planes, the worst piece first, until the hull of every piece is near enough to the solid. Planes are
//! chosen as in V-HACD and CoACD (Mamou and Ghorbel, 2009; Wei et al., *Approximate convex decomposition for 3D meshes with
//! collision-aware concavity and tree search*, 2022): the faces next to concave edges and even slices, whichever leaves the least volume to
//! the hulls of both halves. Nothing but the number of parts rests on that choice.
//!
//! Invariant, whatever the arithmetic does: every point of a part is within [`Decomposition::error`] of the solid (`gauge.rs` proves it
//! of the part that is handed out), and every point of the solid is within [`Decomposition::gap`] of a part:
//!
//! 1. Cut polygons and cut cells are made of the same rounded points on both sides, so that together they cover what was cut up to 2⁻⁴⁹ of
//!    the size of the mesh; after at most 64 cuts, up to τ = 2⁻⁴³ of it. What is within τ of a plane may be on either side.
//! 2. Within 6nτ of every point of the solid there is one that is farther than 4τ from all n planes: slabs of a width of 8τ do not fill
//!    a ball of that radius. The surface between the two, if there is any, is near by and belongs to a piece up to τ.
//! 3. Else that point is in the solid and, up to τ, in a cell, by 3τ or more from all of its walls. There all of the surface is, up to τ,
//!    part of the cell's own piece. What is beyond a face of the piece's hull by more has no surface in it, and is inside or outside
//!    as a whole: one of the cell's corners, moved inward by more than 3τ, tells. Corners that are inside of the solid are put into the
//!    hull, so that only what is outside of the solid is beyond its faces.
//!
//! A conservative decomposition has each part widened by as much: its gap is 0.
//!
//! Cost: some 30 candidates a cut with two hulls each, and some thousand distances a piece: seconds for thousands of triangles. It is
//! made once and kept.

mod gauge;
mod merge;
mod piece;
mod planes;
mod widen;

use crate::assembly::Assembly;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::shape::{ConvexPolyhedron, check_closed};
use crate::tree::Solid;
use crate::{Error, ErrorKind, Pose, Result, TriMesh};
use gauge::Gauge;
use merge::Part;
use piece::Piece;
use planes::Reflex;
use std::sync::Arc;

/// The share of the allowed error that is left to roundings and widening.
const SPARE: f64 = 0.01;
/// Pieces are not cut more often than this, on which the count of roundings rests.
const MOST_CUTS: usize = 64;

/// What to make of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecomposeOptions {
    /// How far points of parts may be from the solid; it is kept unless `most_parts` are too few.
    pub error: f64,
    /// Whether all of the solid has to be inside of the parts, rounding included; false by default.
    pub conservative: bool,
    /// There will be no more parts than this; 256 by default.
    pub most_parts: usize,
}

impl DecomposeOptions {
    /// Parts within `error` of the solid, the rest by default.
    pub fn new(error: f64) -> Self {
        Self { error, conservative: false, most_parts: 256 }
    }

    fn check(&self) -> Result<()> {
        let refuse = |message: String| Err(Error::new(ErrorKind::BadRequest, message));
        if !(self.error > 0.0 && self.error.is_finite()) {
            return refuse(format!("the error of a decomposition must be positive and finite, not {}", self.error));
        }
        if self.most_parts == 0 {
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
    /// No point of the solid is farther from all parts than this: rounding, or 0 if conservative. Certified.
    pub gap: f64,
}

impl Decomposition {
    /// The parts as one geometry, numbered as in [`parts`](Self::parts).
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
/// What is inside of the mesh is what it winds around; a mesh with an open edge is refused with its name. If the error cannot be
/// kept with [`most_parts`](DecomposeOptions::most_parts), the one that is returned is larger.
///
/// ```
/// use clearance::decompose::{DecomposeOptions, decompose};
/// use clearance::{TriMesh, math::DVec3};
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
/// let whole = decompose(&mesh, &DecomposeOptions { most_parts: 1, ..DecomposeOptions::new(0.01) })?;
/// // The middle of the notch of a single hull.
/// assert!(whole.error > 0.49 && whole.error < 0.6);
/// let halves = decompose(&mesh, &DecomposeOptions { conservative: true, ..DecomposeOptions::new(0.01) })?;
/// assert!(halves.parts.len() == 2 && halves.error < 1e-9 && halves.gap == 0.0);
/// let geometry = halves.into_assembly();
/// assert_eq!(geometry.part_count(), 2);
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn decompose(mesh: &TriMesh, options: &DecomposeOptions) -> Result<Decomposition> {
    options.check()?;
    check_closed(mesh)?;
    let (low, high) = mesh.bounding_box();
    let scale = Scale::of(low.abs().max(high.abs()));
    let mut work = Work {
        gauge: Gauge::new(mesh, scale)?,
        reflex: planes::reflex_planes(mesh),
        orientation: orientation(mesh, (low + high) / 2.0),
        scale,
        target: options.error * (1.0 - SPARE),
    };
    let whole = Piece::whole(mesh, scale)?;
    let mut leaves: Vec<Leaf> = work.leaf(whole)?.into_iter().collect();
    let mut cuts = 0;
    while leaves.len() < options.most_parts {
        let open = |leaf: &&(usize, &Leaf)| leaf.1.error > work.target && !leaf.1.is_final;
        let worst = leaves.iter().enumerate().filter(|leaf| open(&leaf));
        let Some((worst, _)) = worst.max_by(|p, q| p.1.seen.total_cmp(&q.1.seen)) else { break };
        match work.best_cut(&leaves[worst].piece) {
            Some(halves) => {
                cuts += 1;
                leaves.swap_remove(worst);
                for half in halves {
                    leaves.extend(work.leaf(half)?);
                }
            }
            None => leaves[worst].is_final = true,
        }
    }
    let parts = leaves.into_iter().map(|leaf| work.part(leaf)).collect::<Result<_>>()?;
    let parts = merge::merged(parts, &mut work.gauge, work.target, scale)?;
    finish(parts, cuts, options.conservative, scale)
}

/// The size of a mesh, of which roundings are a part.
#[derive(Debug, Clone, Copy)]
struct Scale {
    /// At least the distance of any point from the origin.
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
    /// Certified: how far the hull's points may be from the solid; infinite where that was not worth asking yet.
    error: f64,
    /// How bad it looks: the worst leaf is cut first.
    seen: f64,
    /// Whether there is no way to cut it.
    is_final: bool,
}

/// What is the same for all pieces.
struct Work {
    gauge: Gauge,
    reflex: Vec<Reflex>,
    /// 1 where triangles face outward, -1 where inward.
    orientation: f64,
    scale: Scale,
    target: f64,
}

impl Work {
    /// None for a piece without anything in it.
    fn leaf(&mut self, piece: Piece) -> Result<Option<Leaf>> {
        let points = piece.points(|point| self.gauge.contains(point));
        if points.is_empty() {
            return Ok(None);
        }
        let hull = widen::hull(&points, self.scale)?;
        let seen = self.gauge.seen_above(&hull, self.target)?;
        let error = seen.map_or_else(|| self.gauge.error_of(&hull, self.target), |_| Ok(f64::INFINITY))?;
        Ok(Some(Leaf { piece, seen: seen.unwrap_or(error), hull, error, is_final: false }))
    }

    /// A leaf with its certified error.
    fn part(&mut self, leaf: Leaf) -> Result<Part> {
        let Leaf { piece, hull, error, .. } = leaf;
        let error = if error.is_finite() { error } else { self.gauge.error_of(&hull, self.target)? };
        Ok(Part { nudge: piece.nudge_length(self.scale), hull, error })
    }

    /// The halves of a piece whose hulls have the least volume; none where no plane cuts it.
    fn best_cut(&mut self, piece: &Piece) -> Option<[Piece; 2]> {
        if piece.cut_count() >= MOST_CUTS {
            return None;
        }
        let mut best: Option<(f64, [Piece; 2])> = None;
        for (plane, factor) in planes::candidates(piece, &self.reflex, self.scale) {
            let Some(halves) = piece.cut(&plane, self.orientation, self.scale) else { continue };
            let [below, above] = [&halves[0], &halves[1]].map(|half| half.points(|point| self.gauge.contains(point)));
            if below.is_empty() || above.is_empty() {
                continue;
            }
            let score = factor * planes::score(&below, &above);
            if best.as_ref().is_none_or(|(least, _)| score < *least) {
                best = Some((score, halves));
            }
        }
        best.map(|(_, halves)| halves)
    }
}

/// The parts, widened if asked.
fn finish(parts: Vec<Part>, cuts: usize, conservative: bool, scale: Scale) -> Result<Decomposition> {
    let nudges = parts.iter().map(|part| part.nudge).fold(0.0, f64::max);
    // For each cut 6 of the head and 1 for the corners that a merger rounds; the rest is less than 16.
    let gap = (7.0 * cuts as f64 + 16.0) * scale.on_plane + nudges;
    let mut made =
        Decomposition { parts: Vec::with_capacity(parts.len()), error: 0.0, gap: if conservative { 0.0 } else { gap } };
    for Part { hull, error, .. } in parts {
        let (hull, moved) = if conservative { widen::widened(&hull, gap, scale)? } else { (hull, 0.0) };
        made.error = made.error.max(error + moved);
        made.parts.push(hull);
    }
    Ok(made)
}

/// Whether a mesh encloses a volume that is positive (1) or negative (-1).
fn orientation(mesh: &TriMesh, about: DVec3) -> f64 {
    let volume = |i: u32| {
        let [a, b, c] = mesh.triangle(i).0.map(|corner| corner - about);
        a.dot(b.cross(c))
    };
    if (0..mesh.len() as u32).map(volume).sum::<f64>() < 0.0 { -1.0 } else { 1.0 }
}
