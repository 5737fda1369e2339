//! Rows that are read, answered and printed chunk by chunk, in constant memory: files of any
//! length, pipes, standard input.

use crate::progress;
use anyhow::{Context, Result};
use indicatif::ProgressBar;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where rows come from.
pub struct Source {
    pub read: Box<dyn Read + Send>,
    /// How messages call it.
    pub name: PathBuf,
    /// Follows what is read.
    pub bar: ProgressBar,
}

/// Whether a path stands for standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

impl Source {
    /// Opens a file, or standard input for `-`.
    pub fn open(path: &Path) -> Result<Self> {
        if is_standard_input(path) {
            let (read, name) = (Box::new(std::io::stdin()), PathBuf::from("standard input"));
            return Ok(Self { read, name, bar: progress::count() });
        }
        let at = || path.display().to_string();
        let file = File::open(path).with_context(at)?;
        let bar = progress::share(file.metadata().with_context(at)?.len());
        Ok(Self { read: Box::new(bar.wrap_read(file)), name: path.to_path_buf(), bar })
    }

    /// A text instead of a file.
    pub fn of_text(text: &'static str) -> Self {
        Self { read: Box::new(text.as_bytes()), name: PathBuf::new(), bar: ProgressBar::hidden() }
    }
}

/// Rows are taken so many at a time at first, for each thread; as many share a memory in the
/// engine's batches.
const ROWS_PER_THREAD: usize = 64;
/// Chunks grow up to this many rows.
const MAX_ROWS: usize = 8192;
/// Chunks grow while they take less than the first, and shrink where they take more than the
/// second.
const CHUNK_TIMES: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(250)];

/// Rows that were read, and what it took to answer them.
#[derive(Default)]
pub struct Done {
    pub count: usize,
    pub took: Duration,
}

impl Done {
    /// Microseconds a row.
    pub fn each(&self) -> f64 {
        self.took.as_secs_f64() * 1e6 / self.count.max(1) as f64
    }
}

/// Answers all rows: `read` replaces a chunk by at most so many of the next rows and says how many
/// there are, 0 at the end; `answer` makes a line of text of each. The lines of a chunk are flushed
/// before the next one is read.
///
/// A bad row is an error once all rows before it are answered and printed.
pub fn answer_all<C>(
    jobs: usize,
    bar: &ProgressBar,
    chunk: &mut C,
    mut read: impl FnMut(usize, &mut C) -> (usize, Result<()>),
    mut answer: impl FnMut(&C) -> Result<Vec<Result<String>>>,
) -> Result<Done> {
    let threads = if jobs == 0 { std::thread::available_parallelism().map_or(1, usize::from) } else { jobs };
    let least = (ROWS_PER_THREAD * threads).min(MAX_ROWS);
    let (mut rows, mut done) = (least, Done::default());
    progress::show(bar);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    loop {
        let (count, good) = read(rows, chunk);
        if count > 0 {
            let start = Instant::now();
            let lines = answer(chunk)?;
            let took = start.elapsed();
            done.count += count;
            done.took += took;
            let printed = bar.suspend(|| {
                let lines = lines.into_iter().map(|line| line.and_then(|line| Ok(writeln!(out, "{line}")?)));
                let printed = lines.collect::<Result<()>>();
                out.flush()?;
                printed
            });
            bar.set_message(format!("{} rows", done.count));
            printed?;
            rows = match took {
                took if took < CHUNK_TIMES[0] => (2 * rows).min(MAX_ROWS),
                took if took > CHUNK_TIMES[1] => (rows / 2).max(least),
                _ => rows,
            };
        }
        good?;
        if count == 0 {
            bar.finish_and_clear();
            return Ok(done);
        }
    }
}
