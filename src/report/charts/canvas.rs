//! A drawing area in points: rectangles, lines, texts, at a scale.

use super::ChartError;
use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{PathElement, Polygon, Rectangle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, RGBColor, TextStyle};

/// The family under which the built-in font is known; an SVG names it, too.
pub(super) const FONT: &str = "sans-serif";

/// plotters gives sizes of text as heights of lines; this many of them make the height of an em.
const LINE: f64 = 1.24;

/// How a text is drawn. Sizes are those of the font, in points.
#[derive(Clone, Copy)]
pub(super) struct Ink {
    pub(super) size: f64,
    pub(super) bold: bool,
    pub(super) color: RGBColor,
}

/// What draws.
pub(super) struct Canvas<B: DrawingBackend> {
    area: DrawingArea<B, Shift>,
    scale: f64,
}

/// Where a text stands relative to its point.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Left,
    Middle,
    Right,
}

fn font(ink: Ink, size: f64) -> FontDesc<'static> {
    let style = if ink.bold { FontStyle::Bold } else { FontStyle::Normal };
    FontDesc::new(FontFamily::Name(FONT), size * LINE, style)
}

fn failed(e: impl std::fmt::Display) -> ChartError {
    ChartError::Draw(e.to_string())
}

impl<B: DrawingBackend> Canvas<B> {
    pub(super) fn new(area: DrawingArea<B, Shift>, scale: u32) -> Self {
        Canvas { area, scale: f64::from(scale) }
    }

    pub(super) fn fill(&self, color: RGBColor) -> Result<(), ChartError> {
        self.area.fill(&color).map_err(failed)
    }

    pub(super) fn present(&self) -> Result<(), ChartError> {
        self.area.present().map_err(failed)
    }

    fn point(&self, (x, y): (f64, f64)) -> (i32, i32) {
        ((x * self.scale).round() as i32, (y * self.scale).round() as i32)
    }

    /// A filled rectangle from one corner to the other.
    pub(super) fn rect(&self, from: (f64, f64), to: (f64, f64), color: RGBColor) -> Result<(), ChartError> {
        let (a, b) = (self.point(from), self.point(to));
        if b.0 <= a.0 || b.1 <= a.1 {
            return Ok(());
        }
        self.area.draw(&Rectangle::new([a, b], color.filled())).map_err(failed)
    }

    /// A line through some points, so many points wide.
    pub(super) fn line(&self, points: &[(f64, f64)], color: RGBColor, width: f64) -> Result<(), ChartError> {
        let points: Vec<(i32, i32)> = points.iter().map(|&p| self.point(p)).collect();
        let width = (width * self.scale).round().max(1.0) as u32;
        self.area.draw(&PathElement::new(points, color.stroke_width(width))).map_err(failed)
    }

    /// A level or upright line, drawn as a rectangle so that it is sharp and has no ends of its own.
    pub(super) fn rule(&self, from: (f64, f64), to: (f64, f64), color: RGBColor) -> Result<(), ChartError> {
        let thin = 1.0;
        let to = if from.0 == to.0 { (to.0 + thin, to.1) } else { (to.0, to.1 + thin) };
        self.rect(from, to, color)
    }

    pub(super) fn polygon(&self, points: &[(f64, f64)], color: RGBColor) -> Result<(), ChartError> {
        let points: Vec<(i32, i32)> = points.iter().map(|&p| self.point(p)).collect();
        self.area.draw(&Polygon::new(points, color.filled())).map_err(failed)
    }

    /// A text whose middle is at that height.
    pub(super) fn text(&self, text: &str, at: (f64, f64), anchor: Anchor, ink: Ink) -> Result<(), ChartError> {
        let h = match anchor {
            Anchor::Left => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::Right => HPos::Right,
        };
        let style = TextStyle::from(font(ink, ink.size * self.scale)).color(&ink.color).pos(Pos::new(h, VPos::Center));
        self.area.draw_text(text, &style, self.point(at)).map_err(failed)
    }

    /// How wide a text is, in points; the same at every scale.
    pub(super) fn width(&self, text: &str, ink: Ink) -> Result<f64, ChartError> {
        // Measured at one large size, so that rounding to pixels does not move the layout between SVG and PNG.
        const LARGE: f64 = 100.0;
        let (width, _) = font(ink, LARGE).box_size(text).map_err(failed)?;
        Ok(f64::from(width) * ink.size / LARGE)
    }

    /// The text, shortened to a width with an ellipsis.
    pub(super) fn fit(&self, text: &str, ink: Ink, most: f64) -> Result<String, ChartError> {
        if self.width(text, ink)? <= most {
            return Ok(text.to_owned());
        }
        let chars: Vec<char> = text.chars().collect();
        let (mut fits, mut too_long) = (0, chars.len());
        while too_long - fits > 1 {
            let middle = (fits + too_long) / 2;
            let cut: String = chars[..middle].iter().chain(['…'].iter()).collect();
            if self.width(&cut, ink)? <= most { fits = middle } else { too_long = middle }
        }
        Ok(chars[..fits].iter().chain(['…'].iter()).collect())
    }
}
