//! The configurations of `clearance check`: rows of the first robot, and those of the second that
//! go with them.

use anyhow::Result;
use clearance::Robot;
use clearance::robot::{ConfigurationReader, Configurations};
use indicatif::ProgressBar;
use std::collections::VecDeque;

/// Rows of configurations, and what shows how far they are read.
pub(super) struct Rows {
    pub(super) reader: ConfigurationReader,
    pub(super) bar: ProgressBar,
}

/// Configurations of both robots.
pub(super) struct Chunk {
    pub(super) own: Configurations,
    /// How many of them are asked about.
    pub(super) count: usize,
    pub(super) others: Option<Others>,
}

/// The second robot's configurations: one alone, or one for each of the first robot's.
pub(super) struct Others {
    /// None if there is one alone.
    reader: Option<ConfigurationReader>,
    /// Those of the chunk, one after the other.
    rows: Vec<f64>,
    variables: usize,
    /// Up to two rows are read at once, to know whether there is one alone; what went wrong with
    /// them is told in its turn.
    ahead: VecDeque<(usize, Vec<f64>)>,
    good: Result<()>,
    total: usize,
}

impl Others {
    pub(super) fn new(robot: &Robot, rows: Option<Rows>) -> Self {
        let (variables, default) = (robot.variables().len(), robot.default_configuration());
        let mut others =
            Self { reader: None, rows: default, variables, ahead: VecDeque::new(), good: Ok(()), total: 0 };
        let Some(Rows { mut reader, .. }) = rows else { return others };
        let mut first = reader.chunk();
        others.good = reader.read_all_of(2, &mut first).map_err(Into::into);
        first.notes().iter().for_each(|note| eprintln!("note: {note}"));
        match (first.len(), &others.good) {
            (1, Ok(())) => others.rows = first.row(0).to_vec(),
            _ => {
                others.ahead = (0..first.len()).map(|i| (first.line(i), first.row(i).to_vec())).collect();
                others.reader = Some(reader);
            }
        }
        others
    }

    /// Reads a configuration for each of `count` of the first robot's and returns how many there
    /// are; at the end of those there must be no more.
    pub(super) fn read(&mut self, count: usize, bar: &ProgressBar) -> (usize, Result<()>) {
        let Some(reader) = &mut self.reader else { return (count, Ok(())) };
        self.rows.clear();
        let kept = self.ahead.len().min(count.max(1));
        let ahead = self.ahead.drain(..kept);
        let mut lines: Vec<usize> = Vec::with_capacity(count.max(1));
        for (line, row) in ahead {
            lines.push(line);
            self.rows.extend(row);
        }
        let mut good = std::mem::replace(&mut self.good, Ok(()));
        if good.is_ok() && lines.len() < count.max(1) {
            let mut more = reader.chunk();
            good = reader.read_all_of(count.max(1) - lines.len(), &mut more).map_err(Into::into);
            note(bar, more.notes());
            lines.extend((0..more.len()).map(|i| more.line(i)));
            more.rows().for_each(|row| self.rows.extend_from_slice(row));
        }
        self.total += lines.len();
        let name = reader.name().display();
        if count == 0 {
            // The first robot has no more.
            let Some(line) = lines.first() else { return (0, good) };
            let wanted = self.total - lines.len();
            let reason = format!("{name}: line {line}: the first robot has {wanted} configurations, this one more");
            return (0, Err(anyhow::anyhow!(reason)));
        }
        if lines.len() < count && good.is_ok() {
            let reason =
                format!("{name}: {} configurations; one, or as many as the first robot's, are needed", self.total);
            good = Err(anyhow::anyhow!(reason));
        } else if lines.len() == count && good.is_err() {
            // It went wrong after these.
            self.good = std::mem::replace(&mut good, Ok(()));
        }
        (lines.len(), good)
    }

    /// The one that goes with configuration `i` of the chunk.
    pub(super) fn row(&self, i: usize) -> &[f64] {
        let i = if self.reader.is_some() { i } else { 0 };
        &self.rows[i * self.variables..(i + 1) * self.variables]
    }
}

/// Tells the user, out of the bar's way.
pub(super) fn note(bar: &ProgressBar, notes: &[String]) {
    if !notes.is_empty() {
        bar.suspend(|| notes.iter().for_each(|note| eprintln!("note: {note}")));
    }
}
