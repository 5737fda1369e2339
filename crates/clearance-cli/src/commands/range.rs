//! The options that say which distances matter and how exactly.

use crate::numbers;
use anyhow::{Result, bail};
use clap::Args;
use clearance::DistanceRequest;
use clearance::engine::Readable;

/// Options of every command that asks for distances.
#[derive(Args)]
pub struct RangeArgs {
    /// Stop as soon as the distance is known to be this or less
    #[arg(long, value_name = "M", value_parser = numbers::length, allow_hyphen_values = true)]
    min_d: Option<f64>,
    /// Ignore what is this far or farther
    #[arg(long, value_name = "M", value_parser = numbers::limit, allow_hyphen_values = true)]
    max_d: Option<f64>,
    /// Allowed relative error of the distance
    #[arg(long, value_name = "SHARE", value_parser = numbers::share, allow_hyphen_values = true)]
    rel_err: Option<f64>,
    /// Allowed absolute error of the distance
    #[arg(long, value_name = "M", value_parser = numbers::length, allow_hyphen_values = true)]
    abs_err: Option<f64>,
}

impl RangeArgs {
    /// What is asked for; refuses numbers that contradict each other.
    pub fn request(&self) -> Result<DistanceRequest> {
        let default = DistanceRequest::default();
        let request = DistanceRequest {
            min_d: self.min_d.unwrap_or(default.min_d),
            max_d: self.max_d.unwrap_or(default.max_d),
            rel_err: self.rel_err.unwrap_or(default.rel_err),
            abs_err: self.abs_err.unwrap_or(default.abs_err),
            ..default
        };
        if request.min_d > request.max_d {
            let (min_d, max_d) = (Readable(request.min_d), Readable(request.max_d));
            bail!("--min-d {min_d} is larger than --max-d {max_d}");
        }
        request.check()?;
        Ok(request)
    }

    /// The relative error alone, or `default`; refuses the other options.
    pub fn relative_error(&self, default: f64) -> Result<f64> {
        let rel_err = self.rel_err.unwrap_or(default);
        Self { min_d: self.min_d, max_d: self.max_d, rel_err: None, abs_err: self.abs_err }.refuse()?;
        if rel_err > 0.0 && rel_err < 1.0 {
            Ok(rel_err)
        } else {
            bail!("--rel-err {rel_err}: it must be above 0 and below 1")
        }
    }

    /// The largest distance alone, which must be given; refuses the other options.
    pub fn max_distance(&self) -> Result<f64> {
        Self { max_d: None, ..*self }.refuse()?;
        match self.max_d {
            Some(max_d) => Ok(max_d),
            None => bail!("--query near needs --max-d, the distance below which pairs are listed"),
        }
    }

    /// Refuses all of the options, where no distance is asked for.
    pub fn refuse(&self) -> Result<()> {
        let given = [
            ("--min-d", self.min_d),
            ("--max-d", self.max_d),
            ("--rel-err", self.rel_err),
            ("--abs-err", self.abs_err),
        ];
        match given.iter().find(|(_, value)| value.is_some()) {
            Some((name, _)) => bail!("{name} is for --query distance"),
            None => Ok(()),
        }
    }
}
