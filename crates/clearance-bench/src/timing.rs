//! Clocks and repeats.
//!
//! Long stretches are measured in CPU time of the thread, which other processes disturb least; it
//! costs a system call, so single queries are measured on the wall clock.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// How long a measurement repeats what it measures, at least.
pub(crate) const LEAST: Duration = Duration::from_millis(50);
/// How often it does, at least: the first run finds the caches full of what others left there.
const FEWEST: u32 = 3;

/// How long what is timed at once should take.
const TIMED: Duration = Duration::from_micros(500);

/// The CPU time that this thread has used; the wall clock where the system has no such count.
pub fn thread_time() -> Duration {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }
    #[cfg(not(unix))]
    {
        static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }
}

/// The CPU time of one run.
fn thread_time_of<T>(work: &mut impl FnMut() -> T) -> Duration {
    let before = thread_time();
    black_box(work());
    thread_time() - before
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Repeats `work` for a while; the shortest run in microseconds.
pub(crate) fn shortest_us<T>(work: impl FnMut() -> T) -> f64 {
    shortest_us_within(LEAST, work)
}

/// Repeats `work` [`FEWEST`] times or more, for `least` or longer; the shortest run in
/// microseconds.
pub(crate) fn shortest_us_within<T>(least: Duration, mut work: impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    let mut shortest = thread_time_of(&mut work);
    // Short runs are timed several at a time, as the clock is not that exact.
    let batch = (TIMED.as_nanos() / shortest.as_nanos().max(1)).clamp(1, 10_000) as u32;
    if batch > 1 {
        shortest = Duration::MAX;
    }
    let mut runs = 1;
    while runs < FEWEST || start.elapsed() < least {
        let mut several = || (0..batch).for_each(|_| drop(black_box(work())));
        shortest = shortest.min(thread_time_of(&mut several));
        runs += 1;
    }
    microseconds(shortest) / f64::from(batch)
}

/// The shortest of `repeats` runs in microseconds: for work that takes much longer than a system
/// call.
pub(crate) fn shortest_thread_us<T>(repeats: usize, mut work: impl FnMut() -> T) -> f64 {
    microseconds((0..repeats).map(|_| thread_time_of(&mut work)).min().unwrap_or_default())
}

/// The shortest of `repeats` runs on the wall clock, in microseconds: for one query.
pub(crate) fn shortest_of_us<T>(repeats: usize, mut work: impl FnMut() -> T) -> f64 {
    let run = |_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    };
    microseconds((0..repeats).map(run).min().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_the_work_takes_longer() {
        let work = |count: u64| move || (0..count).fold(0, |sum, i| sum ^ black_box(i));
        // In turns, as in races: what else the machine does hits both alike.
        let (mut short, mut long) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..5 {
            short = short.min(shortest_us(work(200_000)));
            long = long.min(shortest_us(work(400_000)));
        }
        assert!(long > 1.3 * short && short > 1.0, "{short} {long}");
    }
}
