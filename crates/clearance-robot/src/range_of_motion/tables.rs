//! The paper's lookup tables, equations 1 to 12, with proven gaps instead of booleans: "and"
//! becomes the minimum.
//!
//! Index i stands for body i as a node of the hierarchy: `R_i` the body, `M_i` the body with all
//! that it carries. The same body, and a body and the one that carries it, do not count (they are
//! infinite). Of other pairs that nobody asked about nothing is proven: their gap is 0.

use super::gaps::Gaps;
use crate::{Error, ErrorKind, Result, Robot};

/// Smallest proven gaps between nodes of the kinematic tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Tables {
    count: usize,
    base: Vec<f64>,
    rigid: Vec<f64>,
    motion: Vec<f64>,
    self_gap: Vec<f64>,
}

impl Tables {
    /// The tables of all pairs that `gaps` knows; an error if those are gaps of another robot.
    pub fn new(robot: &Robot, gaps: &Gaps) -> Result<Self> {
        if !gaps.are_of(robot) {
            return Err(Error::new(ErrorKind::BadConfiguration, "the gaps were proven for another robot"));
        }
        let count = robot.bodies().len();
        let place = |i: usize, k: usize| i * count + k;
        let parent = |body: usize| robot.bodies()[body].parent();
        let mut base = vec![f64::INFINITY; count * count];
        for a in 0..count {
            for b in (a + 1..count).filter(|&b| parent(b) != Some(a)) {
                let gap = gaps.gap(a, b);
                base[place(a, b)] = gap;
                base[place(b, a)] = gap;
            }
        }
        // Children come after their parents, so that what hangs on a body is complete when it is
        // handed up.
        let mut rigid = base.clone();
        for k in (1..count).rev() {
            let Some(above) = parent(k) else { continue };
            for i in 0..count {
                rigid[place(i, above)] = rigid[place(i, above)].min(rigid[place(i, k)]);
            }
        }
        let mut motion = rigid.clone();
        for i in (1..count).rev() {
            let Some(above) = parent(i) else { continue };
            for k in 0..count {
                motion[place(above, k)] = motion[place(above, k)].min(motion[place(i, k)]);
            }
        }
        let mut self_gap = vec![f64::INFINITY; count];
        for i in (0..count).rev() {
            let children: Vec<usize> = (i + 1..count).filter(|&k| parent(k) == Some(i)).collect();
            let mut least = f64::INFINITY;
            for (n, &child) in children.iter().enumerate() {
                // R_i against what the children carry (9); the children themselves count only if
                // they were asked for.
                least = least.min(rigid[place(i, child)]);
                // The children against each other (10), each in itself (11).
                least = children[n + 1..].iter().fold(least, |least, &other| least.min(motion[place(child, other)]));
                least = least.min(self_gap[child]);
            }
            self_gap[i] = least;
        }
        Ok(Self { count, base, rigid, motion, self_gap })
    }

    /// Body against body (1).
    pub fn base(&self, i: usize, k: usize) -> f64 {
        self.base[i * self.count + k]
    }

    /// Body i against body k and all that it carries (3).
    pub fn rigid(&self, i: usize, k: usize) -> f64 {
        self.rigid[i * self.count + k]
    }

    /// Body i and all that it carries against body k and all that it carries (4).
    pub fn motion(&self, i: usize, k: usize) -> f64 {
        self.motion[i * self.count + k]
    }

    /// Body i and all that it carries against itself (12; `scfree` in the paper).
    pub fn self_gap(&self, i: usize) -> f64 {
        self.self_gap[i]
    }
}
