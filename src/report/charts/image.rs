//! The two formats of an image: SVG as text, PNG as bytes.

use super::canvas::Canvas;
use super::error::ChartError;
use plotters::prelude::{BitMapBackend, IntoDrawingArea, SVGBackend};

/// Pixels per point of a PNG.
const PIXELS: u32 = 2;

/// Draws an SVG of that width and height in points.
pub(super) fn svg(
    size: (u32, u32),
    draw: impl FnOnce(&Canvas<SVGBackend<'_>>) -> Result<(), ChartError>,
) -> Result<String, ChartError> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        draw(&Canvas::new(area, 1, false))?;
    }
    Ok(text)
}

/// Draws a PNG of that width and height in points.
pub(super) fn png(
    (width, height): (u32, u32),
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
