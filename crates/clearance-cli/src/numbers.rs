//! Numbers of the command line: each option refuses, with its name and the reason, what means
//! nothing to it.
//!
//! Options that use these take values with a hyphen (`allow_hyphen_values`), so that a negative
//! number reaches its option's own refusal instead of being taken for an unknown option.

use clearance::Threads;
use clearance::engine::Readable;
use std::ops::RangeInclusive;

/// The most threads that `--jobs` starts.
const MAX_JOBS: usize = 1024;

/// A whole number, 0 or more.
pub fn count(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "it must be a whole number, 0 or more".to_owned())
}

/// [`count`] of 64 bits: a seed.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("it must be a whole number from 0 to {}", u64::MAX))
}

/// How often something is done: a whole number, 1 or more.
pub fn repetitions(text: &str) -> Result<usize, String> {
    within(text, 1..=1_000_000)
}

/// Threads, of which 0 means all.
pub fn jobs(text: &str) -> Result<usize, String> {
    within(text, 0..=MAX_JOBS)
}

/// What `--jobs` means to the library.
pub fn threads(jobs: usize) -> Threads {
    if jobs == 0 { Threads::All } else { Threads::Count(jobs) }
}

fn within(text: &str, range: RangeInclusive<usize>) -> Result<usize, String> {
    let refused = || format!("it must be a whole number from {} to {}", range.start(), range.end());
    text.parse().ok().filter(|number| range.contains(number)).ok_or_else(refused)
}

/// A length or an error: a finite number, 0 or more.
pub fn length(text: &str) -> Result<f64, String> {
    real(text, |number| number >= 0.0 && number.is_finite(), "a finite number, 0 or more")
}

/// A length that may be `inf`, which is no limit.
pub fn limit(text: &str) -> Result<f64, String> {
    real(text, |number| number >= 0.0, "a number, 0 or more, or inf for no limit")
}

/// A part of something: a number from 0 up to 1, which is left out.
pub fn share(text: &str) -> Result<f64, String> {
    real(text, |number| (0.0..1.0).contains(&number), "a number from 0 to below 1")
}

/// A number within `range`, of metres.
pub fn metres(text: &str, range: RangeInclusive<f64>) -> Result<f64, String> {
    let (from, to) = (Readable(*range.start()), Readable(*range.end()));
    real(text, |number| range.contains(&number), &format!("a length from {from} to {to} m"))
}

fn real(text: &str, meaningful: impl Fn(f64) -> bool, wanted: &str) -> Result<f64, String> {
    text.parse().ok().filter(|&number| meaningful(number)).ok_or_else(|| format!("it must be {wanted}"))
}
