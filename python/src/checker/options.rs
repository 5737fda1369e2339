//! Paddings, margins and pairs, as Python gives them.

use crate::robot::Robot;
use clearance::CheckOptions;
use pyo3::prelude::*;
use pyo3::types::PyDict;
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

/// Options as the arguments that [`change`] takes.
pub(super) fn as_arguments<'py>(py: Python<'py>, options: &CheckOptions) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    found.set_item("padding", options.padding)?;
    found.set_item("paddings", options.paddings.clone())?;
    found.set_item("margin", options.margin)?;
    let margins = PyDict::new(py);
    for ([a, b], margin) in &options.margins {
        margins.set_item((a, b), margin)?;
    }
    found.set_item("margins", margins)?;
    found.set_item("allowed", options.allowed.iter().map(|[a, b]| (a, b)).collect::<Vec<_>>())?;
    let mut disabled: Vec<_> = options.disabled.pairs().map(|[a, b]| (a, b)).collect();
    disabled.sort_unstable();
    found.set_item("disabled", disabled)?;
    found.set_item("only", options.only.clone())?;
    Ok(found)
}
