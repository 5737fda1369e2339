//! A progress bar on a terminal, nothing otherwise.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// A bar of `length` steps on standard error; hidden where that is not a terminal.
pub fn bar(length: usize) -> ProgressBar {
    styled(length as u64, "{bar:40} {pos}/{len} {msg} {per_sec} {eta}")
}

/// A bar over `length` bytes of a file, for [`ProgressBar::wrap_read`]; its message counts rows.
/// Hidden until [`show`].
pub fn share(length: u64) -> ProgressBar {
    let bar = styled(length, "{bar:40} {percent} % {msg} {eta}");
    bar.set_draw_target(ProgressDrawTarget::hidden());
    bar
}

/// A bar for rows that come from anywhere; its message counts them. Hidden until [`show`].
pub fn count() -> ProgressBar {
    let bar = styled(0, "{spinner} {msg} {elapsed}");
    bar.set_draw_target(ProgressDrawTarget::hidden());
    bar
}

/// Shows a bar that was hidden, on a terminal.
pub fn show(bar: &ProgressBar) {
    if std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::stderr());
    }
}

/// A bar that turns while something of unknown length goes on; its message says what.
pub fn spinner() -> ProgressBar {
    let bar = styled(0, "{spinner} {msg} {elapsed}");
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    bar
}

/// What `work` returns, with a bar that turns and says `what` until then.
pub fn during<T>(what: impl Into<String>, work: impl FnOnce() -> T) -> T {
    let bar = spinner();
    bar.set_message(what.into());
    let made = work();
    bar.finish_and_clear();
    made
}

fn styled(length: u64, template: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    // The clock goes on where a single step takes long.
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// A line about something that has no steps to count: what it is and for how long it runs. It
/// vanishes when dropped.
pub struct Busy(ProgressBar);

impl Busy {
    /// Shows `what` runs.
    pub fn new(what: impl Into<String>) -> Self {
        let bar = styled(0, "{spinner} {msg} {elapsed}");
        bar.set_message(what.into());
        Self(bar)
    }

    /// Something else runs now.
    pub fn set(&self, what: impl Into<String>) {
        self.0.set_message(what.into());
    }

    /// Runs `print` out of the line's way.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.0.suspend(print)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A bar over several parts, each of which tells what share of it is done.
pub struct Parts {
    bar: ProgressBar,
    part: usize,
    count: usize,
}

/// The steps of a bar whose length means nothing.
const FINE: u64 = 1000;

impl Parts {
    /// A bar over `count` parts.
    pub fn new(count: usize) -> Self {
        Self { bar: styled(FINE, "{bar:40} {percent} % {elapsed} {msg}"), part: 0, count: count.max(1) }
    }

    /// The present part is done to a share between 0 and 1.
    pub fn set(&self, share: f64) {
        self.bar.set_position(((self.part as f64 + share) / self.count as f64 * FINE as f64) as u64);
    }

    /// The present part has done some of all of its steps.
    pub fn set_of(&self, done: usize, all: usize) {
        self.set(done as f64 / all.max(1) as f64);
    }

    /// A part that is called `name` begins.
    pub fn begin(&self, name: &str) {
        self.bar.set_message(name.to_owned());
        self.set(0.0);
    }

    /// The present part is over: `print` what came of it, out of the bar's way.
    pub fn end<T>(&mut self, print: impl FnOnce() -> T) -> T {
        self.part += 1;
        self.set(0.0);
        self.bar.suspend(print)
    }
}

impl Drop for Parts {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
