//! What a plot shows; drawing it is up to others.

/// A picture of one or more panels, one below the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// A word for a file's name, such as `fig-9a`.
    pub name: &'static str,
    /// What stands above the panels.
    pub title: String,
    /// From top to bottom.
    pub panels: Vec<Panel>,
}

/// Lines over common axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Across.
    pub x: Axis,
    /// Up.
    pub y: Axis,
    /// In the order of the legend.
    pub lines: Vec<Line>,
}

/// A labelled axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// What it shows, with its unit.
    pub label: String,
    /// Whether equal steps are equal factors; values must be positive then, others are left out.
    pub logarithmic: bool,
}

/// A named line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// What the legend says.
    pub name: String,
    /// From left to right.
    pub points: Vec<(f64, f64)>,
    /// Whether it stands back behind the others: drawn in dashes.
    pub dashed: bool,
}

impl Axis {
    /// An axis with equal steps.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), logarithmic: false }
    }

    /// An axis with equal factors.
    pub fn logarithmic(label: impl Into<String>) -> Self {
        Self { label: label.into(), logarithmic: true }
    }

    /// Whether a value has a place on it.
    pub fn shows(&self, value: f64) -> bool {
        value.is_finite() && (value > 0.0 || !self.logarithmic)
    }
}

impl Line {
    /// A line in full.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, dashed: false }
    }

    /// A line in dashes.
    pub fn dashed(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { dashed: true, ..Self::new(name, points) }
    }
}

impl Panel {
    /// The points of all lines that have a place on both axes.
    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        let all = self.lines.iter().flat_map(|line| line.points.iter().copied());
        all.filter(|&(x, y)| self.x.shows(x) && self.y.shows(y))
    }

    /// The least and the largest value that is shown, along x and along y; `None` if nothing is.
    ///
    /// ```
    /// use clearance_bench::plot::{Axis, Line, Panel};
    /// let line = Line::new("gap", vec![(1.0, 0.0), (2.0, 30.0), (4.0, 10.0)]);
    /// let panel = Panel { x: Axis::linear("s"), y: Axis::logarithmic("mm"), lines: vec![line] };
    /// assert_eq!(panel.extent(), Some(((2.0, 4.0), (10.0, 30.0))));
    /// ```
    pub fn extent(&self) -> Option<((f64, f64), (f64, f64))> {
        let wider = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
        self.points().fold(None, |extent, (x, y)| match extent {
            None => Some(((x, x), (y, y))),
            Some((along_x, along_y)) => Some((wider(along_x, x), wider(along_y, y))),
        })
    }
}
