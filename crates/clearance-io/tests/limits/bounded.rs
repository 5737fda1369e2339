//! What a reader may take of time and memory, counted.

use std::time::Instant;

/// The CPU time of this thread in seconds, which other processes disturb least; the wall clock
/// where there is no such count.
fn clock(start: Instant) -> f64 {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = schedule.split(' ').next().and_then(|word| word.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| nanoseconds * 1e-9)
}

/// What `read` answers about a file of that many bytes, for which it may take at any one time
/// `per_byte` bytes of memory for each of the file's, and 0.3 seconds for each megabyte. Work in
/// the square of their size takes many times as long.
pub fn bounded<T>(what: &str, bytes: usize, per_byte: u64, read: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let mut answer = None;
    let before = clock(start);
    let counted = allocation_counter::measure(|| answer = Some(read()));
    let seconds = clock(start) - before;
    let report = format!("{what}: {bytes} bytes, {seconds:.2} s, {} bytes at once", counted.bytes_max);
    eprintln!("{report}");
    assert!(counted.bytes_max <= per_byte * bytes as u64 + 1_000_000, "{report}");
    assert!(seconds < 0.5 + 3e-7 * bytes as f64, "{report}");
    answer.expect("just read")
}
