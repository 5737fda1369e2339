//! Branch and bound over all translations, from the shortest to longer ones.
//!
//! A cell is a box of translations with centre c and half-diagonal ρ. Where a point has signed
//! distances in both bodies, B translated by c, whose sum exceeds ρ, all translations of the cell
//! overlap. The nearest cell that is left is the lower bound. Centres and sides are sums of a few
//! powers of two, so that the cells have no gaps: halving is exact for 50 levels.

use super::search::{Item, Search};
use crate::math::{DVec3, UNIT_ROUNDOFF};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// Spheres wait while their slack is below this part of a cell's half-diagonal.
const WAIT: f64 = 0.3;
/// Cells below this part of the size are small: spheres cover no better.
const SMALL: f64 = 0.004;
/// Convex solids are tried where spheres prove this part of a cell's half-diagonal.
const POLYHEDRA: f64 = 0.4;
/// Steps of an ascent in a cell.
const ASCENT: usize = 3;
/// Halvings after which a cell is as small as rounding.
const MAX_LEVEL: u32 = 45;

/// A box of translations.
struct Cell {
    /// At most the length of its translations.
    key: f64,
    center: DVec3,
    half: DVec3,
    level: u32,
    items: Rc<Vec<Item>>,
    /// Spheres from this one on wait.
    next: usize,
    /// Convex solids inside of both that ruled out a part of the cell around, or nearly did.
    pair: Option<(usize, usize)>,
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The nearest cell is the greatest.
impl Ord for Cell {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.total_cmp(&self.key)
    }
}

/// Searches all translations that are shorter than the best one.
pub(super) fn search(search: &mut Search<'_>, items: Vec<Item>, seeds: Vec<Item>) {
    let upper = search.best.length;
    search.spent += items.len() as u64;
    let is_near = |item: &Item| search.estimate(item, DVec3::ZERO, DVec3::ZERO) + upper > 0.0;
    let mut waiting: Vec<Item> = items.into_iter().filter(is_near).collect();
    waiting.sort_by(|p, q| q.slack.total_cmp(&p.slack));
    // The power of two at or above the upper bound.
    let side = 2.0_f64.powi(upper.log2().ceil() as i32);
    let side = if side < upper { 2.0 * side } else { side };
    let root = Cell {
        key: 0.0,
        center: DVec3::ZERO,
        half: DVec3::splat(side),
        level: 0,
        items: Rc::new(seeds),
        next: 0,
        pair: None,
    };
    let mut cells = Cells { waiting, heap: BinaryHeap::new(), values: Vec::new(), tries: 0, successes: 0 };
    cells.heap.push(root);
    while let Some(cell) = cells.heap.pop() {
        search.raise(cell.key);
        if cell.key >= search.best.length {
            return;
        }
        if search.is_done() || cell.level >= MAX_LEVEL {
            return;
        }
        cells.open(search, cell);
    }
    // Nothing shorter is left.
    search.raise(search.best.length);
}

struct Cells {
    waiting: Vec<Item>,
    heap: BinaryHeap<Cell>,
    values: Vec<f64>,
    /// How often convex solids were tried, and how often they ruled a cell out.
    tries: u64,
    successes: u64,
}

impl Cells {
    /// Rules the cell out, or replaces it by smaller ones.
    fn open(&mut self, search: &mut Search<'_>, mut cell: Cell) {
        let (t, rho) = (cell.center, cell.half.length() * (1.0 + 8.0 * UNIT_ROUNDOFF));
        let in_b = search.back.transform_vector(t);
        let due = self.waiting[cell.next..].iter().take_while(|item| item.slack > WAIT * rho).count();
        if due > 0 {
            Rc::make_mut(&mut cell.items).extend_from_slice(&self.waiting[cell.next..cell.next + due]);
            cell.next += due;
        }
        search.spent += cell.items.len() as u64 + 5;
        self.values.clear();
        self.values.extend(cell.items.iter().map(|item| search.estimate(item, t, in_b)));
        let Some((number, best)) = self.values.iter().copied().enumerate().max_by(|p, q| p.1.total_cmp(&q.1)) else {
            return self.split(search, cell, f64::NEG_INFINITY);
        };
        let item = cell.items[number];
        let grain = search.fields[0].grain().max(search.fields[1].grain());
        let (mut value, mut fresh) = (best, None);
        if best + 0.5 * grain > rho {
            value = search.coarse(&item, t, in_b);
            if value > rho {
                return;
            }
            value = search.exact(&item, t, in_b);
            if value > rho {
                return;
            }
            // Spheres leave gaps; in small cells an ascent finds points between them.
            let is_small = rho < SMALL * search.scale;
            if value > 0.6 * rho || is_small && value > -SMALL * search.scale {
                let steps = if is_small { 2 * ASCENT } else { ASCENT };
                let length = (0.7 * (rho - value)).min(0.5 * grain);
                let end = search.ascend(&item, [t, in_b], rho, (steps, length));
                if end.value > rho {
                    return;
                }
                if end.value > value {
                    (value, fresh) = (end.value, Some(end.item));
                }
            }
            if (value > POLYHEDRA * rho || is_small)
                && self.is_ruled_out(search, &mut cell, &fresh.unwrap_or(item), rho)
            {
                return;
            }
        }
        let is_open = value < 0.3 * rho && best < grain && t.length() < search.best.length;
        if is_open && search.is_free(t) {
            search.slide(t);
        }
        // Within a cell the values of two spheres come nearer by twice the half-diagonal at most.
        let least = best.max(value) - 2.0 * rho - 0.25 * grain;
        let kept = cell.items.iter().zip(&self.values).filter(|(_, value)| **value > least).map(|(item, _)| *item);
        cell.items = Rc::new(kept.chain(fresh).collect());
        self.split(search, cell, value);
    }

    /// Whether convex solids inside of both bodies rule a cell out: those that served the cell around
    /// it, or those about an item.
    fn is_ruled_out(&mut self, search: &mut Search<'_>, cell: &mut Cell, item: &Item, rho: f64) -> bool {
        // Where they hardly ever help, they are not tried.
        if self.tries > 20 && self.successes * 20 < self.tries {
            return false;
        }
        self.tries += 1;
        let t = cell.center;
        let depth =
            |search: &mut Search<'_>, pair| search.pair_depth(pair, t).map_or(f64::NEG_INFINITY, |found| found.0);
        let known = cell.pair.map_or(f64::NEG_INFINITY, |pair| depth(search, pair));
        let mut best = known;
        if known <= rho {
            let in_b = search.back.transform_vector(t);
            let (in_a, in_b) = if item.of_b {
                (item.at + t, search.back.transform_point(item.at))
            } else {
                (search.pose.transform_point(item.at - in_b) + t, item.at - in_b)
            };
            let pair = (search.deepest_inner(0, in_a)[0], search.deepest_inner(1, in_b)[0]);
            if Some(pair) != cell.pair {
                best = depth(search, pair).max(known);
                if best > known {
                    cell.pair = Some(pair);
                }
            }
        }
        self.successes += u64::from(best > rho);
        best > rho
    }

    /// Cuts a cell into eight if it is far too large, else in two.
    fn split(&mut self, search: &Search<'_>, cell: Cell, value: f64) {
        let half = cell.half;
        let longest = if half.x >= half.y && half.x >= half.z { 0 } else { 1 + usize::from(half.z > half.y) };
        let axes: &[usize] = if value < 0.5 * half.length() { &[0, 1, 2] } else { &[longest] };
        for number in 0..1_u32 << axes.len() {
            let (mut center, mut half) = (cell.center, half);
            for (bit, &axis) in axes.iter().enumerate() {
                half[axis] *= 0.5;
                center[axis] += if number >> bit & 1 == 0 { -half[axis] } else { half[axis] };
            }
            // The nearest and the farthest vertex; both take 5 roundings.
            let key = (center.abs() - half).max(DVec3::ZERO).length() * (1.0 - 8.0 * UNIT_ROUNDOFF);
            let farthest = (center.abs() + half).length() * (1.0 + 8.0 * UNIT_ROUNDOFF);
            if key < search.best.length && farthest >= search.lower {
                let level = cell.level + 1;
                self.heap.push(Cell {
                    key,
                    center,
                    half,
                    level,
                    items: cell.items.clone(),
                    next: cell.next,
                    pair: cell.pair,
                });
            }
        }
    }
}
