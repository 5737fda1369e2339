//! `clearance reproduce [PAPER]`: a paper's tables, measured here beside the printed numbers.

use crate::progress::Parts;
use anyhow::Result;
use clap::Args;
use clearance_bench::reproduce::{self, Effort, Report};
use std::io::Write;

/// The arguments of `clearance reproduce`.
#[derive(Args)]
pub struct Reproduce {
    /// Papers: kios; none means all
    #[arg(value_name = "PAPER")]
    papers: Vec<String>,
    /// Ask about every N-th pose of a sequence only
    #[arg(long, value_name = "N", default_value_t = Effort::default().stride)]
    stride: usize,
    /// How often the volumes take turns; the best turn counts
    #[arg(long, value_name = "N", default_value_t = Effort::default().rounds)]
    rounds: usize,
    /// One JSON object per row and finding on standard output, and nothing else there
    #[arg(long)]
    json: bool,
}

impl Reproduce {
    /// Measures paper by paper.
    pub fn run(&self) -> Result<()> {
        let papers = reproduce::select(&self.papers)?;
        let effort = Effort { stride: self.stride, rounds: self.rounds, ..Effort::default() };
        let mut bar = Parts::new(papers.len());
        for paper in papers {
            bar.begin(paper);
            let report = reproduce::run(paper, &effort, &mut |share| bar.set(share))?;
            bar.end(|| self.print(&report))?;
        }
        Ok(())
    }

    fn print(&self, report: &Report) -> Result<()> {
        let mut out = std::io::stdout().lock();
        if self.json {
            report.json.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        } else {
            write!(out, "{}", report.text())?;
        }
        Ok(out.flush()?)
    }
}
