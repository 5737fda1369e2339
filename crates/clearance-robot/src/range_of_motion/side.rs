//! One of two bodies, seen from a body between them (the *pivot*), over boxes of the variables on
//! its side.
//!
//! The variables on the two sides of a pivot are independent, so the smallest distance of A and B
//! over all configurations is that of what A sweeps and what B sweeps, both in the pivot's frame.
//! Each side is subdivided on its own: where the product of both would have n² boxes, there are n
//! on each side, and pairs of them are met like the nodes of two trees.
//!
//! For a box of variables a [`Region`] knows, for every piece (sphere) of the body: a sphere around
//! all that it sweeps; the sphere at the box's centre; and how far any of its points gets from
//! there at most: the sum over the joints of `2·ρ·sin(δ/2)`, δ the half range and ρ at least the
//! distance from the axis for all positions of the joints in between.

use super::hulls::Hull;
use super::path::{Path, Step};
use crate::{Result, Robot};
use clearance_engine::Pose;
use clearance_engine::volume::BoundingSphere;
use std::ops::Range;

/// Displacements that count as one more box when the effort of a side is estimated, in metres.
const USUAL_RESOLUTION: f64 = 0.05;

/// The regions of one side, made as they are needed; region 0 is the whole side.
pub(super) struct Side<'p> {
    robot: &'p Robot,
    path: &'p Path,
    hull: &'p Hull,
    /// Its joints on the path.
    steps: Range<usize>,
    /// It is that of B: its joints are met in reverse.
    is_b: bool,
    /// The path's variables that move its joints.
    pub variables: Vec<usize>,
    regions: Vec<Region>,
}

/// A box of a side's variables, and the point in it that bounds are seen from.
struct Domain {
    bounds: Vec<[f64; 2]>,
    center: Vec<f64>,
}

/// What a body can do within a box of its side's variables, in the pivot's frame.
pub(super) struct Region {
    domain: Domain,
    pieces: Vec<Piece>,
    /// How much each variable contributes to the motion, for the piece that it moves farthest.
    of_variables: Vec<f64>,
    /// The first of three.
    children: Option<usize>,
}

/// A part of a body.
#[derive(Debug, Clone, Copy)]
struct Piece {
    /// Around all that it sweeps.
    swept: BoundingSphere,
    /// At the box's centre.
    placed: BoundingSphere,
    /// How far its points are from there at most.
    change: f64,
}

/// How near two regions may come.
#[derive(Debug, Clone, Copy)]
pub(super) struct RegionPair {
    /// At most the distance of the bodies, whatever their variables in the two boxes.
    pub bound: f64,
    /// How far the points of the two pieces move that this bound is about.
    pub changes: [f64; 2],
    /// The radii of these pieces.
    pub radii: [f64; 2],
}

impl<'p> Side<'p> {
    /// Both sides of the pivot that promises the least work.
    pub fn both(robot: &'p Robot, path: &'p Path, hulls: [&'p Hull; 2]) -> Result<[Self; 2]> {
        let count = path.steps().len();
        let at = |pivot: usize| -> Result<[Self; 2]> {
            let a = Self::new(robot, path, hulls[0], 0..pivot, false)?;
            Ok([a, Self::new(robot, path, hulls[1], pivot..count, true)?])
        };
        let mut best = at(0)?;
        let mut least = best[0].effort() + best[1].effort();
        for pivot in 1..=count {
            let sides = at(pivot)?;
            let shared = sides[0].variables.iter().any(|variable| sides[1].variables.contains(variable));
            let effort = sides[0].effort() + sides[1].effort();
            if !shared && effort < least {
                (best, least) = (sides, effort);
            }
        }
        Ok(best)
    }

    fn new(robot: &'p Robot, path: &'p Path, hull: &'p Hull, steps: Range<usize>, is_b: bool) -> Result<Self> {
        let mut variables: Vec<usize> = path.steps()[steps.clone()].iter().map(|step| step.variable).collect();
        variables.sort_unstable();
        variables.dedup();
        let bounds: Vec<[f64; 2]> = variables.iter().map(|&variable| path.bounds[variable]).collect();
        let mut side = Self { robot, path, hull, steps, is_b, variables, regions: Vec::new() };
        let center = middles(&bounds);
        side.regions.push(side.region(Domain { bounds, center })?);
        Ok(side)
    }

    /// About how many boxes it takes.
    fn effort(&self) -> f64 {
        self.regions[0].of_variables.iter().map(|change| 1.0 + change / USUAL_RESOLUTION).product()
    }

    pub fn get(&self, region: usize) -> &Region {
        &self.regions[region]
    }

    /// Writes the side's values at a region's centre to where the path has them.
    pub fn write_center(&self, region: usize, values: &mut [f64]) {
        for (&variable, &value) in self.variables.iter().zip(&self.regions[region].domain.center) {
            values[variable] = value;
        }
    }

    fn region(&self, domain: Domain) -> Result<Region> {
        let Domain { bounds, center } = &domain;
        let (mut swept, mut of_variables) = (self.hull.spheres().to_vec(), vec![0.0; bounds.len()]);
        let (mut changes, mut pivot_from_body) = (vec![0.0; swept.len()], Pose::IDENTITY);
        for number in 0..self.steps.len() {
            // From the body to the pivot.
            let place = if self.is_b { self.steps.end - 1 - number } else { self.steps.start + number };
            let step: &Step = &self.path.steps()[place];
            let Ok(own) = self.variables.binary_search(&step.variable) else { continue };
            let climbing = step.down == self.is_b;
            let moved = step.carry(&mut swept, climbing, bounds[own], center[own]);
            of_variables[own] += moved.iter().copied().fold(0.0, f64::max);
            changes.iter_mut().zip(moved).for_each(|(change, moved)| *change += moved);
            let here_from_next = step.pose(self.robot, center[own])?;
            let nearer = if self.is_b { here_from_next } else { here_from_next.inverse() };
            pivot_from_body = nearer.then(&pivot_from_body);
        }
        let placed = self.hull.spheres().iter().map(|sphere| sphere.moved(&pivot_from_body));
        let pieces = swept.into_iter().zip(placed).zip(changes);
        // A few roundings per joint.
        let pieces = pieces.map(|((swept, placed), change)| Piece { swept, placed, change: change * (1.0 + 1e-13) });
        Ok(Region { domain, pieces: pieces.collect(), of_variables, children: None })
    }

    /// The three parts of a region, cut across the variable that contributes most; the second one
    /// keeps the centre. None where it is too small for that.
    pub fn children(&mut self, region: usize) -> Result<Option<usize>> {
        let parent = &self.regions[region];
        if parent.children.is_some() {
            return Ok(parent.children);
        }
        let Some(thirds) = parent.thirds() else { return Ok(None) };
        let first = self.regions.len();
        for domain in thirds {
            self.regions.push(self.region(domain)?);
        }
        self.regions[region].children = Some(first);
        Ok(Some(first))
    }
}

impl Region {
    /// How near this region and one of the other side may come, if the bodies are at least
    /// `distance` apart at both centres; not below `floor`, which is known already.
    pub fn nearest(&self, other: &Self, distance: f64, floor: f64) -> RegionPair {
        let mut weakest = RegionPair { bound: f64::INFINITY, changes: [0.0; 2], radii: [0.0; 2] };
        for a in &self.pieces {
            for b in &other.pieces {
                let swept = a.swept.gap(&b.swept);
                if swept >= weakest.bound {
                    continue;
                }
                let moved = a.placed.gap(&b.placed).max(distance) - (a.change + b.change);
                let bound = swept.max(moved);
                if bound < weakest.bound {
                    let (changes, radii) = ([a.change, b.change], [a.placed.radius, b.placed.radius]);
                    weakest = RegionPair { bound, changes, radii };
                }
            }
            if weakest.bound <= floor {
                weakest.bound = floor;
                break;
            }
        }
        weakest
    }

    /// At least the change of the distance for all pieces that are not `enough` apart without
    /// knowing the distance at the centres.
    pub fn open_change(&self, other: &Self, enough: f64) -> f64 {
        let mut most = 0.0_f64;
        for a in &self.pieces {
            for b in &other.pieces {
                let change = a.change + b.change;
                if change > most && a.swept.gap(&b.swept).max(a.placed.gap(&b.placed) - change) < enough {
                    most = change;
                }
            }
        }
        most
    }

    fn thirds(&self) -> Option<[Domain; 3]> {
        let most = |&a: &usize, &b: &usize| self.of_variables[a].total_cmp(&self.of_variables[b]);
        let variable = (0..self.of_variables.len()).max_by(most)?;
        let Domain { bounds, center } = &self.domain;
        let ([low, high], middle) = (bounds[variable], center[variable]);
        let third = (high - low) / 3.0;
        let cuts = [low, low + third, high - third, high];
        if !(cuts[0] < cuts[1] && cuts[1] < middle && middle < cuts[2] && cuts[2] < cuts[3]) {
            return None;
        }
        Some([0, 1, 2].map(|i| {
            let (mut bounds, mut center) = (bounds.clone(), center.clone());
            bounds[variable] = [cuts[i], cuts[i + 1]];
            if i != 1 {
                center[variable] = cuts[i] + 0.5 * (cuts[i + 1] - cuts[i]);
            }
            Domain { bounds, center }
        }))
    }
}

/// The middle of each range.
pub(super) fn middles(bounds: &[[f64; 2]]) -> Vec<f64> {
    bounds.iter().map(|[low, high]| low + 0.5 * (high - low)).collect()
}
