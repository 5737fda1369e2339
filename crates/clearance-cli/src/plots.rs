//! Draws plots as SVG files.

use crate::outputs;
use anyhow::{Result, anyhow};
use clearance_bench::plot::{Axis, Line, Panel, Plot};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use std::ops::Range;
use std::path::Path;

/// The width of a plot, that of its legend within, and the height of each of its panels, in pixels.
const WIDTH: u32 = 1000;
const LEGEND: u32 = 250;
const PANEL: u32 = 340;
/// Lines of up to this many points have a dot at each.
const FEW: usize = 24;
/// The height of the title.
const TITLE: u32 = 44;

/// Blue, orange, green, purple, grey: told apart by most eyes, and on paper.
const COLORS: [RGBColor; 5] = [
    RGBColor(20, 90, 160),
    RGBColor(210, 90, 30),
    RGBColor(30, 140, 90),
    RGBColor(140, 70, 160),
    RGBColor(110, 110, 110),
];

/// Where panels are drawn.
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Writes a plot to a file.
pub fn write(path: &Path, plot: &Plot) -> Result<()> {
    outputs::write(path, |path| draw(SVGBackend::new(path, size(plot)), plot))
}

/// A plot as the text of an SVG file.
pub fn svg(plot: &Plot) -> Result<String> {
    let mut text = String::new();
    draw(SVGBackend::with_string(&mut text, size(plot)), plot)?;
    Ok(text)
}

fn size(plot: &Plot) -> (u32, u32) {
    (WIDTH, TITLE + PANEL * plot.panels.len().max(1) as u32)
}

fn draw(backend: SVGBackend<'_>, plot: &Plot) -> Result<()> {
    let panels = plot.panels.len().max(1);
    let root = backend.into_drawing_area();
    root.fill(&WHITE)?;
    let below = root.titled(&plot.title, ("sans-serif", 20))?;
    for (area, panel) in below.split_evenly((panels, 1)).iter().zip(&plot.panels) {
        draw_panel(area, panel)?;
    }
    Ok(root.present()?)
}

/// The numbers that an axis spans, with some air.
fn span(axis: &Axis, (low, high): (f64, f64)) -> Range<f64> {
    if axis.logarithmic {
        // Whole powers of ten, which have round labels; a value on one needs no other.
        let power = |value: f64, round: fn(f64) -> f64| 10_f64.powf(round(value.log10()));
        return power(low * (1.0 + 1e-9), f64::floor)..power(high * (1.0 - 1e-9), f64::ceil).max(low * 10.0);
    }
    let air = if high > low { 0.05 * (high - low) } else { 0.5 };
    // From zero on, if that is not far below.
    let start = if low >= 0.0 && low < 0.5 * high { 0.0 } else { low - air };
    start..high + air
}

fn draw_panel(area: &Area<'_>, panel: &Panel) -> Result<()> {
    let (along_x, along_y) = panel.extent().ok_or_else(|| anyhow!("nothing to show for {}", panel.y.label))?;
    let (x, y) = (span(&panel.x, along_x), span(&panel.y, along_y));
    match (panel.x.logarithmic, panel.y.logarithmic) {
        (false, false) => draw_lines(area, panel, x, y),
        (false, true) => draw_lines(area, panel, x, y.log_scale()),
        (true, false) => draw_lines(area, panel, x.log_scale(), y),
        (true, true) => draw_lines(area, panel, x.log_scale(), y.log_scale()),
    }
}

fn draw_lines<X, Y>(
    area: &Area<'_>,
    panel: &Panel,
    x: impl AsRangedCoord<CoordDescType = X, Value = f64>,
    y: impl AsRangedCoord<CoordDescType = Y, Value = f64>,
) -> Result<()>
where
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let (left, right) = area.split_horizontally(WIDTH - LEGEND);
    let mut chart =
        ChartBuilder::on(&left).margin(12).x_label_area_size(42).y_label_area_size(64).build_cartesian_2d(x, y)?;
    let mut mesh = chart.configure_mesh();
    mesh.light_line_style(WHITE).label_style(("sans-serif", 13)).axis_desc_style(("sans-serif", 14));
    mesh.x_label_formatter(&|value| number(*value)).y_label_formatter(&|value| number(*value));
    mesh.x_desc(&panel.x.label).y_desc(&panel.y.label).draw()?;
    for (line, color) in panel.lines.iter().zip(COLORS.iter().cycle()) {
        let style = color.stroke_width(2);
        let shown = |(x, y): &(f64, f64)| panel.x.shows(*x) && panel.y.shows(*y);
        let points: Vec<(f64, f64)> = line.points.iter().copied().filter(shown).collect();
        if line.dashed {
            chart.draw_series(DashedLineSeries::new(points.iter().copied(), 6, 4, style))?;
        } else {
            chart.draw_series(LineSeries::new(points.iter().copied(), style))?;
        }
        // Few points are measurements of their own.
        if points.len() <= FEW {
            chart.draw_series(points.iter().map(|&point| Circle::new(point, 3, color.filled())))?;
        }
    }
    draw_legend(&right, &panel.lines)
}

/// Beside the lines, which it would hide.
fn draw_legend(area: &Area<'_>, lines: &[Line]) -> Result<()> {
    for (i, (line, color)) in lines.iter().zip(COLORS.iter().cycle()).enumerate() {
        let (y, style) = (24 + 22 * i as i32, color.stroke_width(2));
        let strokes: &[(i32, i32)] = if line.dashed { &[(0, 6), (10, 16), (20, 26)] } else { &[(0, 26)] };
        for &(from, to) in strokes {
            area.draw(&PathElement::new([(from, y), (to, y)], style))?;
        }
        area.draw(&Text::new(line.name.clone(), (34, y - 7), ("sans-serif", 13)))?;
    }
    Ok(())
}

/// A tick's label without digits that mean nothing.
fn number(value: f64) -> String {
    // Ticks are a few digits; what sums left behind is not.
    let rounded = (value * 1e6).round() / 1e6;
    if rounded == 0.0 { "0".into() } else { rounded.to_string() }
}
