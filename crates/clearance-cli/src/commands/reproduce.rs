//! `clearance reproduce [PAPER]`: a paper's tables and figures, measured here beside the printed
//! numbers.

use crate::progress::Parts;
use crate::{numbers, outputs, plots};
use anyhow::{Context, Result};
use clap::Args;
use clearance_bench::reproduce::{self, Effort, Report, boxes::PeerTime};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The arguments of `clearance reproduce`.
#[derive(Args)]
pub struct Reproduce {
    /// Papers: kios, humanoid, hetero, boxes, survey; none means all
    #[arg(value_name = "PAPER")]
    papers: Vec<String>,
    /// The folder that plots go into, as clearance-PAPER-FIGURE.svg; made if it is not there
    #[arg(long, value_name = "DIR", default_value = ".")]
    plots: PathBuf,
    /// Ask about every N-th pose of a sequence, or one N-th of the random placements [default: 1
    /// for boxes, whose 100,000 placements are the paper's, 3 for the others]
    #[arg(long, value_name = "N", value_parser = numbers::repetitions, allow_hyphen_values = true)]
    stride: Option<usize>,
    /// How often the volumes take turns; the best turn counts
    #[arg(long, value_name = "N", default_value_t = reproduce::ROUNDS, value_parser = numbers::repetitions,
        allow_hyphen_values = true)]
    rounds: usize,
    /// What crates/clearance-bench/peers/run --json boxes printed: times of peers for the boxes
    /// paper's Table 3
    #[arg(long, value_name = "FILE")]
    peers: Option<PathBuf>,
    /// One JSON object per row and finding on standard output, and nothing else there
    #[arg(long)]
    json: bool,
}

impl Reproduce {
    /// Measures paper by paper.
    pub fn run(&self) -> Result<()> {
        let papers = reproduce::select(&self.papers)?;
        let peers = self.peers.as_deref().map_or(Ok(Vec::new()), peer_times)?;
        // Now, rather than after a minute of measuring.
        outputs::check_folder(&self.plots)?;
        let mut bar = Parts::new(papers.len());
        for paper in papers {
            bar.begin(paper);
            let default = Effort::of(paper);
            let effort = Effort { stride: self.stride.unwrap_or(default.stride), rounds: self.rounds, ..default };
            let report = reproduce::run(paper, &effort, &peers, &mut |share| bar.set(share))?;
            bar.end(|| self.print(&report).and_then(|()| self.draw(paper, &report)))?;
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

    /// Writes the plots, and tells where on standard error: standard output may be JSON.
    fn draw(&self, paper: &str, report: &Report) -> Result<()> {
        for plot in &report.plots {
            let path = self.plots.join(format!("clearance-{paper}-{}.svg", plot.name));
            plots::write(&path, plot)?;
            writeln!(std::io::stderr(), "Plot: {}", path.display())?;
        }
        Ok(())
    }
}

fn peer_times(path: &Path) -> Result<Vec<PeerTime>> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("{name}: cannot be read"))?;
    reproduce::boxes::peer_times(&text).with_context(|| name.to_string())
}
