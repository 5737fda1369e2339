//! Gradients of near pairs against central differences of certified signed distances.

use clearance_robot::{Checker, NearPair};

/// How far a configuration is moved to either side. A distance is certain to 1e-15, so that its
/// difference is to 1e-10, and its third derivative is of the order of 10 here.
const STEP: f64 = 1e-5;
/// The largest error of a derivative, relative to the largest of its row (and to 1, the rate of a
/// joint that slides along the normal).
const ALLOWED: f64 = 1e-6;
/// A change of slope within a step by which a kink shows; curvature alone changes it by `STEP`
/// times a few.
const KINK: f64 = 1e-3;

/// What was compared.
#[derive(Debug, Default)]
pub struct Counts {
    /// Pairs whose whole row agreed.
    pub smooth: usize,
    /// Pairs with a kink: other points are as near, or nearer within the step.
    pub kinks: usize,
    /// Pairs of either kind that overlap.
    pub overlapping: usize,
    /// Pairs that are said to have one pair of nearest points.
    pub unique: usize,
    /// The largest error.
    pub worst: f64,
}

impl Counts {
    /// Compares all pairs that `near` finds at a configuration, by the `numbers` of it: its row is
    /// what `row` says.
    pub fn compare(
        &mut self,
        q: &[f64],
        row: impl Fn(&NearPair) -> &[f64],
        mut near: impl FnMut(&[f64]) -> Vec<NearPair>,
    ) {
        let pairs = near(q);
        let mut sides = Vec::new();
        for variable in 0..q.len() {
            let mut moved = q.to_vec();
            sides.push([STEP, -STEP].map(|step| {
                moved[variable] = q[variable] + step;
                near(&moved)
            }));
        }
        for pair in &pairs {
            self.compare_pair(pair, row(pair), &sides);
        }
    }

    fn compare_pair(&mut self, pair: &NearPair, row: &[f64], sides: &[[Vec<NearPair>; 2]]) {
        assert!((pair.normal.length() - 1.0).abs() < 1e-12, "{pair:?}");
        assert!(pair.lower <= pair.signed && pair.signed <= pair.upper, "{pair:?}");
        assert_eq!(row.len(), sides.len());
        // A pair at the edge of the range is not on both sides of it, and a wide one has no value.
        let same = |other: &&NearPair| (&other.a, &other.b, other.against) == (&pair.a, &pair.b, pair.against);
        let value = |list: &Vec<NearPair>| Some(list.iter().find(same)?).filter(|p| is_narrow(p)).map(|p| p.signed);
        let (mut kink, mut worst) = (!is_narrow(pair), 0.0_f64);
        let size = row.iter().fold(1.0_f64, |size, x| size.max(x.abs()));
        for (derivative, [above, below]) in row.iter().zip(sides) {
            let (Some(above), Some(below)) = (value(above), value(below)) else { return };
            kink |= ((above - pair.signed) - (pair.signed - below)).abs() > KINK * STEP * size;
            worst = worst.max((derivative - (above - below) / (2.0 * STEP)).abs() / size);
        }
        self.overlapping += usize::from(pair.signed < 0.0);
        self.unique += usize::from(pair.unique == Some(true));
        if kink {
            assert_ne!(pair.unique, Some(true), "{pair:?}");
            self.kinks += 1;
        } else {
            assert!(worst <= ALLOWED, "{worst:e}: {pair:#?}");
            self.smooth += 1;
            self.worst = self.worst.max(worst);
        }
    }
}

fn is_narrow(pair: &NearPair) -> bool {
    pair.upper - pair.lower < 1e-11
}

/// Compares the rows of a checker's own list.
#[allow(dead_code)]
pub fn compare_own(counts: &mut Counts, checker: &mut Checker, q: &[f64], max_distance: f64) {
    counts.compare(q, |pair| &pair.gradient, |q| checker.near(q, max_distance).unwrap());
}
