//! The charts of a run, as SVG and as PNG: lanes over time (`timeline`), pods over time (`pods`),
//! and the pods of each workload that are desired and up (`workloads`); and that of a sweep.
//!
//! They are laid out in points and drawn with plotters' primitives, so that both formats show the
//! same picture; a PNG has two pixels per point. Equal runs give equal bytes: the font is built in,
//! and nothing of the system is asked. What is finer than a point is drawn as wide as one, with the
//! worst of what it holds, so that nothing short is lost and no file grows with the number of
//! records.

mod axis;
mod canvas;
mod columns;
mod font;
mod frame;
mod palette;
mod pods;
mod states;
mod sweep;
mod timeline;
mod workloads;

use super::sweep as sweep_report;
use crate::analysis::{Analysis, Curves, Lanes, Serving};
use crate::lab::Case;
use canvas::Canvas;
use frame::Names;
use plotters::prelude::{BitMapBackend, DrawingBackend, IntoDrawingArea, SVGBackend};

/// More nodes than these are drawn by zone.
pub const MOST_NODE_LANES: usize = 60;

/// Pixels per point of a PNG.
const PIXELS: u32 = 2;

/// A chart that could not be drawn. With memory as the target only a defect of the program leads
/// here.
#[derive(Debug, thiserror::Error)]
pub enum ChartError {
    /// The font that is built in was not accepted.
    #[error("the built-in font of the charts cannot be read")]
    Font,
    /// Drawing failed.
    #[error("a chart cannot be drawn: {0}")]
    Draw(String),
    /// The image could not be encoded.
    #[error("a chart cannot be encoded as PNG: {0}")]
    Png(#[from] png::EncodingError),
}

/// One of the charts with what it shows.
#[derive(Clone, Copy, Debug)]
pub enum Chart<'a> {
    /// Health, taints and evictions in lanes.
    Timeline(&'a Lanes),
    /// Available, not ready, terminating and evicted pods.
    Pods(&'a Curves),
    /// Pods of each workload that are desired, up and ready.
    Workloads(&'a Serving),
}

/// What stands above a chart.
#[derive(Clone, Debug)]
pub struct Heading {
    /// The scenario's name.
    pub title: String,
    /// Release, timing, seed, size.
    pub subtitle: String,
}

impl Chart<'_> {
    fn left(&self) -> f64 {
        match self {
            Chart::Timeline(_) => timeline::LEFT,
            Chart::Pods(_) | Chart::Workloads(_) => pods::LEFT,
        }
    }

    fn size(&self, analysis: &Analysis<'_>, names: &Names) -> (u32, u32) {
        let height = match self {
            Chart::Timeline(lanes) => timeline::height(analysis, lanes, names),
            Chart::Pods(_) => pods::height(names),
            Chart::Workloads(all) => workloads::height(all, names),
        };
        (frame::WIDTH as u32, height as u32)
    }

    fn draw<B: DrawingBackend>(
        &self,
        canvas: &Canvas<B>,
        heading: &Heading,
        analysis: &Analysis<'_>,
        names: &Names,
    ) -> Result<(), ChartError> {
        match self {
            Chart::Timeline(lanes) => timeline::draw(canvas, heading, analysis, names, lanes),
            Chart::Pods(curves) => pods::draw(canvas, heading, names, curves),
            Chart::Workloads(all) => workloads::draw(canvas, heading, analysis, names, all),
        }
    }
}

/// Draws a chart as SVG.
///
/// # Errors
/// [`ChartError`], see there.
pub fn svg(
    chart: Chart<'_>,
    heading: &Heading,
    analysis: &Analysis<'_>,
) -> Result<String, ChartError> {
    let names = Names::new(analysis, chart.left())?;
    let mut text = String::new();
    {
        let area =
            SVGBackend::with_string(&mut text, chart.size(analysis, &names)).into_drawing_area();
        chart.draw(&Canvas::new(area, 1, false), heading, analysis, &names)?;
    }
    Ok(text)
}

/// Draws the chart of a sweep as SVG.
///
/// # Errors
/// [`ChartError`], see there.
pub fn sweep_svg(
    heading: &sweep_report::Heading,
    layout: &sweep_report::Layout,
    cases: &[Case],
) -> Result<String, ChartError> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, sweep::size(cases)).into_drawing_area();
        sweep::draw(&Canvas::new(area, 1, false), heading, layout, cases)?;
    }
    Ok(text)
}

/// Draws the chart of a sweep as PNG.
///
/// # Errors
/// [`ChartError`], see there.
pub fn sweep_png(
    heading: &sweep_report::Heading,
    layout: &sweep_report::Layout,
    cases: &[Case],
) -> Result<Vec<u8>, ChartError> {
    let (width, height) = sweep::size(cases);
    bitmap(width, height, |canvas| {
        sweep::draw(canvas, heading, layout, cases)
    })
}

/// Draws a chart as PNG.
///
/// # Errors
/// [`ChartError`], see there.
pub fn png(
    chart: Chart<'_>,
    heading: &Heading,
    analysis: &Analysis<'_>,
) -> Result<Vec<u8>, ChartError> {
    let names = Names::new(analysis, chart.left())?;
    let (width, height) = chart.size(analysis, &names);
    bitmap(width, height, |canvas| {
        chart.draw(canvas, heading, analysis, &names)
    })
}

/// A PNG of so many points.
fn bitmap(
    width: u32,
    height: u32,
    draw: impl FnOnce(&Canvas<BitMapBackend<'_>>) -> Result<(), ChartError>,
) -> Result<Vec<u8>, ChartError> {
    let (width, height) = (width * PIXELS, height * PIXELS);
    let mut pixels = vec![0; width as usize * height as usize * 3];
    {
        let area = BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area();
        draw(&Canvas::new(area, PIXELS, true))?;
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_adaptive_filter(png::AdaptiveFilterType::Adaptive);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(bytes)
}
