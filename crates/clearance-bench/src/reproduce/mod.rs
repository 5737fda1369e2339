//! Papers' tables, measured here, beside the printed numbers.

pub mod boxes;
pub mod hetero;
pub mod humanoid;
pub mod kios;
pub mod survey;

use crate::plot::Plot;
use crate::table::Table;
use crate::{Error, Result, timing};
use boxes::PeerTime;
use serde_json::{Value, json};
use std::time::Duration;

/// The papers that can be reproduced.
pub const PAPERS: [&str; 5] = ["kios", "humanoid", "hetero", "boxes", "survey"];

/// The papers that `words` name; no word asks for all.
///
/// ```
/// use clearance_bench::reproduce::select;
/// let none: [&str; 0] = [];
/// assert_eq!(select(&none)?, ["kios", "humanoid", "hetero", "boxes", "survey"]);
/// assert!(select(&["origin"]).is_err());
/// # Ok::<(), clearance_bench::Error>(())
/// ```
pub fn select(words: &[impl AsRef<str>]) -> Result<Vec<&'static str>> {
    if let Some(word) = words.iter().map(AsRef::as_ref).find(|word| !PAPERS.contains(word)) {
        return Err(Error::other(format!("no paper is called {word}; there are {}", PAPERS.join(", "))));
    }
    let wanted = |paper: &&str| words.is_empty() || words.iter().any(|word| word.as_ref() == *paper);
    Ok(PAPERS.into_iter().filter(wanted).collect())
}

/// Reproduces the paper called `name`, that on boxes beside times of `peers`; `progress` is told
/// how much is done, from 0 to 1.
pub fn run(name: &str, effort: &Effort, peers: &[PeerTime], progress: &mut dyn FnMut(f64)) -> Result<Report> {
    match name {
        "kios" => kios::run(effort, progress),
        "humanoid" => humanoid::run(effort, progress),
        "hetero" => hetero::run(effort, progress),
        "boxes" => boxes::run(effort, peers, progress),
        "survey" => survey::run(effort, progress),
        _ => Err(Error::other(format!("no paper is called {name}"))),
    }
}

/// How much to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Every how many poses of a sequence are asked about; random ones are fewer by as much.
    pub stride: usize,
    /// How often the contenders take turns.
    pub rounds: usize,
    /// How long a turn repeats its poses, at least.
    pub least: Duration,
}

/// How often the contenders take turns, unless told otherwise.
pub const ROUNDS: usize = 2;
/// Every how many poses of a sequence are asked about, unless told otherwise; the boxes paper has
/// no sequences.
pub const STRIDE: usize = 3;

impl Effort {
    /// What the paper called `name` is measured with, unless told otherwise: random placements of
    /// the boxes paper are as many as it has, others are thinned out.
    ///
    /// ```
    /// use clearance_bench::reproduce::{Effort, STRIDE};
    /// assert_eq!((Effort::of("boxes").stride, Effort::of("kios").stride), (1, STRIDE));
    /// ```
    pub fn of(name: &str) -> Self {
        Self { stride: if name == "boxes" { 1 } else { STRIDE }, rounds: ROUNDS, least: timing::LEAST }
    }
}

/// Whether what a paper found is found here too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is.
    Holds,
    /// It is not.
    Fails,
    /// It is in some cases, which the numbers tell.
    Depends,
    /// It was not tried here.
    Untested,
}

impl Verdict {
    /// Of something that was tried.
    fn of(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "does not hold",
            Self::Depends => "depends",
            Self::Untested => "not tested",
        }
    }
}

/// Something that a paper found, and what was found here.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What the paper says, in our words, with its numbers.
    pub claim: &'static str,
    /// Whether it holds here.
    pub verdict: Verdict,
    /// The numbers measured here, in one sentence.
    pub here: String,
}

impl Finding {
    /// Of something that was tried.
    fn tried(claim: &'static str, holds: bool, here: String) -> Self {
        Self { claim, verdict: Verdict::of(holds), here }
    }

    fn json(&self, paper: &str) -> Value {
        json!({ "paper": paper, "claim": self.claim, "verdict": self.verdict.words(), "here": self.here })
    }
}

/// A number of a table without digits that mean nothing.
fn rounded(x: f64) -> f64 {
    (x * 1e3).round() / 1e3
}

/// What came of a paper.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// What was done, and what to know about the printed numbers.
    pub notes: Vec<String>,
    /// The paper's tables and ours.
    pub tables: Vec<Table>,
    /// What it found.
    pub findings: Vec<Finding>,
    /// The paper's figures, measured here.
    pub plots: Vec<Plot>,
    /// All numbers, one object per row and finding.
    pub json: Vec<Value>,
}

impl Report {
    /// For a terminal: notes, tables, findings.
    pub fn text(&self) -> String {
        let notes = self.notes.iter().map(|note| format!("{note}\n")).collect::<String>();
        let tables = self.tables.iter().map(|table| format!("\n{}", table.text())).collect::<String>();
        let finding = |finding: &Finding| {
            let Finding { claim, verdict, here } = finding;
            format!("* {claim}\n  {}: {here}\n", verdict.words())
        };
        format!("{notes}{tables}\nFindings\n{}", self.findings.iter().map(finding).collect::<String>())
    }
}
