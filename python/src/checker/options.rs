//! Paddings, margins and pairs, as Python gives them.

use crate::robot::Robot;
use clearance::CheckOptions;
use pyo3::prelude::*;
use std::collections::HashMap;

pub(super) type Names = (String, String);

/// Sets those options that are given.
pub(super) fn change(
    robot: &Bound<'_, Robot>,
    options: &mut CheckOptions,
    padding: Option<f64>,
    paddings: Option<HashMap<String, f64>>,
    margin: Option<f64>,
    margins: Option<HashMap<Names, f64>>,
    allowed: Option<Vec<Names>>,
    disabled: Option<Vec<Names>>,
    only: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    options.padding = padding.unwrap_or(options.padding);
    options.margin = margin.unwrap_or(options.margin);
    if let Some(paddings) = paddings {
        options.paddings = paddings;
    }
    if let Some(margins) = margins {
        options.margins = margins.into_iter().map(|((a, b), margin)| ([a, b], margin)).collect();
    }
    if let Some(allowed) = allowed {
        options.allowed = allowed.into_iter().map(|(a, b)| [a, b]).collect();
    }
    if let Some(disabled) = disabled {
        options.disabled = Default::default();
        disabled.iter().for_each(|(a, b)| options.disabled.insert(a, b));
    }
    if let Some(only) = only {
        options.only = Some(match only.extract::<String>() {
            Ok(group) => robot.call_method1("group", (group,))?.get_item(0)?.extract()?,
            Err(_) => only.extract()?,
        });
    }
    Ok(())
}
