//! The two formats of an image: SVG as text, PNG as bytes.

use super::canvas::Canvas;
use super::error::ChartError;
use crate::report::Heading;
use plotters::prelude::{BitMapBackend, IntoDrawingArea, SVGBackend};

/// Pixels per point of a PNG.
const PIXELS: u32 = 2;

/// What is said of an image to those who cannot see it.
pub(super) struct About {
    title: String,
    shows: String,
}

impl About {
    /// Of an image under a heading that shows this.
    pub(super) fn new(heading: &Heading, shows: &str) -> Self {
        let said = [&heading.doc, &heading.subtitle, shows];
        let said: Vec<&str> =
            said.into_iter().map(|s| s.trim_end_matches('.')).filter(|s| !s.is_empty()).collect();
        About { title: heading.title.clone(), shows: said.join(". ") }
    }

    /// As an SVG has it for screen readers, and viewers for whoever waits over it.
    fn written(&self) -> String {
        let plain = |text: &str| {
            let text: String = text.chars().filter(|c| !c.is_control()).collect();
            text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
        };
        format!("<title>{}</title>\n<desc>{}</desc>\n", plain(&self.title), plain(&self.shows))
    }
}

/// Draws an SVG of that width and height in points.
pub(super) fn svg(
    size: (u32, u32),
    about: &About,
    draw: impl FnOnce(&Canvas<SVGBackend<'_>>) -> Result<(), ChartError>,
) -> Result<String, ChartError> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        draw(&Canvas::new(area, 1, false))?;
    }
    // A title counts as that of the image where it is the first thing in it.
    if let Some(end) = text.find('>') {
        let begin = &text[..end];
        let rest = text[end + 1..].trim_start();
        text = format!("{begin} role=\"img\">\n{}{rest}", about.written());
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
