//! Polycubes, unions of unit cells, and the exact penetration depth of two of them.
//!
//! The translations t of B at which two cells touch or overlap are a cube of side 2 about their
//! difference, so that those of two polycubes are a union of unit cells. The depth is the distance
//! from the translation that B has to the nearest cell that is not covered. All of it is integer
//! arithmetic, in eighths of a cell.

use super::Random;
use clearance_engine::TriMesh;
use clearance_engine::math::DVec3;
use std::collections::{BTreeSet, HashMap};

/// Parts of a cell that translations are multiples of.
pub const PARTS: i64 = 8;

pub type Cell = [i64; 3];

/// A union of unit cells.
#[derive(Debug, Clone)]
pub struct Polycube(pub BTreeSet<Cell>);

impl Polycube {
    /// A random connected one.
    pub fn random(random: &mut Random, count: usize) -> Self {
        let mut cells = BTreeSet::from([[0, 0, 0]]);
        while cells.len() < count {
            let from = *cells.iter().nth(random.below(cells.len())).unwrap();
            let (mut to, axis) = (from, random.below(3));
            to[axis] += if random.below(2) == 0 { 1 } else { -1 };
            cells.insert(to);
        }
        Self(cells)
    }

    /// The boundary: closed, and it faces outward.
    pub fn mesh(&self, place: impl Fn(DVec3) -> DVec3) -> TriMesh {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        let mut numbers: HashMap<Cell, u32> = HashMap::new();
        for cell in &self.0 {
            for axis in 0..3 {
                for side in [0, 1] {
                    let mut beyond = *cell;
                    beyond[axis] += 2 * side - 1;
                    if self.0.contains(&beyond) {
                        continue;
                    }
                    let mut number = |u: i64, v: i64| {
                        let mut vertex = *cell;
                        vertex[axis] += side;
                        vertex[(axis + 1) % 3] += u;
                        vertex[(axis + 2) % 3] += v;
                        *numbers.entry(vertex).or_insert_with(|| {
                            vertices.push(place(DVec3::from_array(vertex.map(|x| x as f64))));
                            vertices.len() as u32 - 1
                        })
                    };
                    let [p, q, r, s] = [number(0, 0), number(1, 0), number(1, 1), number(0, 1)];
                    let both = [[p, q, r], [p, r, s]];
                    triangles.extend(both.map(|[x, y, z]| if side == 1 { [x, y, z] } else { [x, z, y] }));
                }
            }
        }
        TriMesh::new(vertices, triangles).unwrap()
    }
}

/// The square of the penetration depth of two polycubes, the second one translated, both it and the
/// translation in eighths: zero where they are apart or merely touch.
pub fn squared_depth(a: &Polycube, b: &Polycube, translation: Cell) -> i64 {
    let mut covered: BTreeSet<Cell> = BTreeSet::new();
    for p in &a.0 {
        for q in &b.0 {
            for code in 0..8 {
                covered.insert([0, 1, 2].map(|axis| p[axis] - q[axis] - (code >> axis & 1)));
            }
        }
    }
    // One layer around all that is covered, and around the translation.
    let at = |axis: usize| translation[axis].div_euclid(PARTS);
    let low = [0, 1, 2].map(|axis| covered.iter().map(|cell| cell[axis]).min().unwrap().min(at(axis)) - 1);
    let high = [0, 1, 2].map(|axis| covered.iter().map(|cell| cell[axis]).max().unwrap().max(at(axis)) + 1);
    let mut best = i64::MAX;
    for x in low[0]..=high[0] {
        for y in low[1]..=high[1] {
            for z in low[2]..=high[2] {
                if !covered.contains(&[x, y, z]) {
                    let away = |axis: usize, from: i64| {
                        let at = translation[axis];
                        (from * PARTS - at).max(at - (from + 1) * PARTS).max(0)
                    };
                    best = best.min(away(0, x).pow(2) + away(1, y).pow(2) + away(2, z).pow(2));
                }
            }
        }
    }
    best
}
