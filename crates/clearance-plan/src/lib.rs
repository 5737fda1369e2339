//! A small motion planner: RRT-Connect and shortcuts, over whatever can tell whether configurations
//! and straight motions are collision-free.
//!
//! [`plan_motion`] plans for a robot in its scene, and proves each motion of the path. [`plan`] is the
//! same for a [`Space`] of your own. It is no planning framework: OMPL is one.
//!
//! ```
//! use clearance_plan::{PlanOptions, Verdict, plan_motion};
//! use clearance_robot::{Checker, JointSpec, RobotBuilder};
//! let x = clearance_engine::math::DVec3::X;
//! let slide = JointSpec::prismatic("x", "base", "hand", x, [-1.0, 1.0]);
//! let robot = RobotBuilder::new("cart").link("base", []).link("hand", []).joint(slide).build()?;
//! let found = plan_motion(&Checker::new(robot)?, &[-0.5], &[0.5], &PlanOptions::for_robots())?;
//! assert_eq!((found.verdict, found.path), (Verdict::Found, vec![vec![-0.5], vec![0.5]]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Sources: Kuffner and LaValle, *RRT-Connect: An Efficient Approach to Single-Query Path Planning*
//! (ICRA 2000); partial shortcuts: Geraerts and Overmars, *Creating High-quality Paths for Motion
//! Planning* (2007). Everything is decided by a seed: equal seeds give equal paths, with any number
//! of threads.

mod connect;
mod neighbours;
mod random;
mod robot;
mod shortcut;

pub use connect::{Search, Verdict, plan};
pub use random::Random;
pub use robot::{RobotSpace, plan_motion};
pub use shortcut::{length, shorten};
use std::time::Duration;

/// The numbers of a configuration.
pub type Configuration = Vec<f64>;

/// What a planner plans in.
pub trait Space {
    /// What may go wrong.
    type Error;

    /// For each number of a configuration the least and the largest value that is tried.
    fn bounds(&self) -> &[[f64; 2]];

    /// How far apart two configurations are: a metric. Best is at least the way of any point of the
    /// robot.
    fn distance(&self, a: &[f64], b: &[f64]) -> f64;

    /// Whether a configuration is free.
    fn is_free(&mut self, configuration: &[f64]) -> Result<bool, Self::Error>;

    /// Whether the straight motion between two configurations is free, both ends included.
    fn is_motion_free(&mut self, from: &[f64], to: &[f64]) -> Result<bool, Self::Error>;

    /// A configuration to grow towards, of as many numbers as the start (others are left out, and
    /// missing ones zero); `unit` gives numbers that are uniform in [0, 1).
    fn sample(&self, unit: &mut dyn FnMut() -> f64) -> Configuration {
        self.bounds().iter().map(|&[low, high]| low + (high - low) * unit()).collect()
    }
}

/// How to plan.
///
/// ```
/// use clearance_plan::PlanOptions;
/// let thorough = PlanOptions { max_samples: 1_000_000, threads: 0, ..PlanOptions::for_robots() };
/// assert_eq!(thorough.step, 1.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanOptions {
    /// What all choices depend on.
    pub seed: u64,
    /// How far a tree grows at once, in the space's metric.
    pub step: f64,
    /// Give up after so many samples.
    pub max_samples: usize,
    /// Give up after so long; whether that happens depends on the machine.
    pub max_time: Option<Duration>,
    /// How many shortcuts are tried.
    pub shortcuts: usize,
    /// How many searches with seeds of their own run at a time, 0 for one on each processor; of use
    /// to [`plan_motion`] alone. The path does not depend on it.
    pub threads: usize,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self { seed: 1, step: 0.3, max_samples: 20_000, max_time: None, shortcuts: 250, threads: 1 }
    }
}

impl PlanOptions {
    /// The defaults of [`plan_motion`]: steps of a radian or metre, since an edge costs hardly more
    /// than a configuration where it is proven as a whole.
    pub fn for_robots() -> Self {
        Self { step: 1.0, max_samples: 100_000, shortcuts: 100, ..Self::default() }
    }
}

/// The configuration that part `t` of the straight motion leads to.
pub fn between(from: &[f64], to: &[f64], t: f64) -> Configuration {
    from.iter().zip(to).map(|(a, b)| a + (b - a) * t).collect()
}

/// Whether samples of a straight motion are free that are at most `resolution` apart in the space's
/// metric, both ends included; the middle first and then the middles of what is left, so that an
/// obstacle in the way is found soon.
pub fn samples_are_free<S: Space + ?Sized>(
    space: &mut S,
    from: &[f64],
    to: &[f64],
    resolution: f64,
) -> Result<bool, S::Error> {
    let parts = (space.distance(from, to) / resolution).ceil().max(1.0) as usize;
    if !(space.is_free(to)? && space.is_free(from)?) {
        return Ok(false);
    }
    let mut stride = parts.next_power_of_two();
    while stride > 1 {
        let half = stride / 2;
        for i in (half..parts).step_by(stride) {
            if !space.is_free(&between(from, to, i as f64 / parts as f64))? {
                return Ok(false);
            }
        }
        stride = half;
    }
    Ok(true)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::convert::Infallible;

    /// A point in the square from −1 to 1 with a wall across it that has a gap.
    pub(crate) struct Square {
        pub(crate) gap: f64,
        pub(crate) checks: usize,
    }

    impl Space for Square {
        type Error = Infallible;

        fn bounds(&self) -> &[[f64; 2]] {
            &[[-1.0, 1.0]; 2]
        }

        fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
            (a[0] - b[0]).hypot(a[1] - b[1])
        }

        fn is_free(&mut self, at: &[f64]) -> Result<bool, Infallible> {
            self.checks += 1;
            Ok(at[0].abs() > 0.1 || (at[1] - 0.7).abs() < self.gap)
        }

        fn is_motion_free(&mut self, from: &[f64], to: &[f64]) -> Result<bool, Infallible> {
            samples_are_free(self, from, to, 0.01)
        }
    }

    #[test]
    fn a_motion_is_looked_at_at_every_multiple_of_the_resolution_and_at_no_place_twice() {
        struct Seen(Vec<f64>);
        impl Space for Seen {
            type Error = Infallible;

            fn bounds(&self) -> &[[f64; 2]] {
                &[[0.0, 1.0]]
            }
            fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
                (a[0] - b[0]).abs()
            }
            fn is_free(&mut self, at: &[f64]) -> Result<bool, Infallible> {
                self.0.push(at[0]);
                Ok(true)
            }
            fn is_motion_free(&mut self, from: &[f64], to: &[f64]) -> Result<bool, Infallible> {
                samples_are_free(self, from, to, 0.125)
            }
        }
        for end in [1.0, 0.9, 0.6, 0.13, 0.12] {
            let mut seen = Seen(Vec::new());
            assert!(seen.is_motion_free(&[0.0], &[end]).unwrap());
            seen.0.sort_by(f64::total_cmp);
            assert_eq!((seen.0[0], seen.0[seen.0.len() - 1]), (0.0, end));
            assert!(
                seen.0.windows(2).all(|pair| pair[1] > pair[0] && pair[1] - pair[0] <= 0.125 + 1e-12),
                "{seen:?}",
                seen = seen.0
            );
        }
    }
}
