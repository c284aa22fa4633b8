//! A drawing area in points: rectangles, lines, texts, at a scale.
//!
//! In a bitmap an opaque rectangle leaves out its far edges, as in SVG, so that neighbours neither
//! overlap nor gape.

use super::error::ChartError;
use super::font::{self, Ink};
use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, PathElement, Polygon, Rectangle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, RGBColor, TextStyle};

/// plotters gives sizes of text as heights of lines; this many of them make the height of an em.
const LINE: f64 = 1.24;
/// The height of capitals and of small letters of DejaVu Sans, in ems.
const CAPITAL: f64 = 0.729;
const SMALL_LETTER: f64 = 0.547;

/// What draws.
pub(super) struct Canvas<B: DrawingBackend> {
    area: DrawingArea<B, Shift>,
    scale: f64,
    /// Texts are drawn as pixels, not handed on as texts.
    pixels: bool,
}

/// Where a text stands relative to its point.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Left,
    Middle,
    Right,
}

fn failed(e: impl std::fmt::Display) -> ChartError {
    ChartError::Draw(e.to_string())
}

impl<B: DrawingBackend> Canvas<B> {
    pub(super) fn new(area: DrawingArea<B, Shift>, scale: u32, pixels: bool) -> Self {
        Canvas { area, scale: f64::from(scale), pixels }
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
    pub(super) fn rect(
        &self,
        from: (f64, f64),
        to: (f64, f64),
        color: RGBColor,
    ) -> Result<(), ChartError> {
        let (a, b) = (self.point(from), self.point(to));
        if b.0 <= a.0 || b.1 <= a.1 {
            return Ok(());
        }
        self.area.draw(&Rectangle::new([a, b], color.filled())).map_err(failed)
    }

    /// A line through some points; its width is in points of the chart.
    pub(super) fn line(
        &self,
        points: &[(f64, f64)],
        color: RGBColor,
        width: f64,
    ) -> Result<(), ChartError> {
        let points: Vec<(i32, i32)> = points.iter().map(|&p| self.point(p)).collect();
        let width = (width * self.scale).round().max(1.0) as u32;
        self.area.draw(&PathElement::new(points, color.stroke_width(width))).map_err(failed)
    }

    /// A level or upright line, drawn as a rectangle so that it is sharp and has no ends of its
    /// own.
    pub(super) fn rule(
        &self,
        from: (f64, f64),
        to: (f64, f64),
        color: RGBColor,
    ) -> Result<(), ChartError> {
        let thin = 1.0;
        let to = if from.0 == to.0 { (to.0 + thin, to.1) } else { (to.0, to.1 + thin) };
        self.rect(from, to, color)
    }

    pub(super) fn polygon(&self, points: &[(f64, f64)], color: RGBColor) -> Result<(), ChartError> {
        let points: Vec<(i32, i32)> = points.iter().map(|&p| self.point(p)).collect();
        self.area.draw(&Polygon::new(points, color.filled())).map_err(failed)
    }

    /// A filled circle with a rim of paper.
    pub(super) fn disc(
        &self,
        at: (f64, f64),
        radius: f64,
        color: RGBColor,
    ) -> Result<(), ChartError> {
        for (radius, color) in [(radius + 1.0, super::palette::PAPER), (radius, color)] {
            let circle =
                Circle::new(self.point(at), (radius * self.scale).round() as i32, color.filled());
            self.area.draw(&circle).map_err(failed)?;
        }
        Ok(())
    }

    /// A text whose capitals have their middle at that height.
    pub(super) fn text(
        &self,
        text: &str,
        (x, y): (f64, f64),
        anchor: Anchor,
        ink: Ink,
    ) -> Result<(), ChartError> {
        if self.pixels {
            let x = match anchor {
                Anchor::Left => x,
                Anchor::Middle => x - font::width(text, ink)? / 2.0,
                Anchor::Right => x - font::width(text, ink)?,
            };
            // The base line lies between pixels where that is sharpest: on one.
            let base = ((y + CAPITAL / 2.0 * ink.size) * self.scale).round();
            let draw = |x, y, covered| self.area.draw_pixel((x, y), &ink.color.mix(covered));
            return font::rasterise(
                text,
                ink,
                ink.size * self.scale,
                (x * self.scale, base),
                draw,
            )?
            .map_err(failed);
        }
        let h = match anchor {
            Anchor::Left => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::Right => HPos::Right,
        };
        let style = if ink.bold { FontStyle::Bold } else { FontStyle::Normal };
        let font = FontDesc::new(FontFamily::SansSerif, ink.size * LINE * self.scale, style);
        let style = TextStyle::from(font).color(&ink.color).pos(Pos::new(h, VPos::Center));
        // plotters puts the middle of small letters there.
        let y = y + (CAPITAL - SMALL_LETTER) / 2.0 * ink.size;
        self.area.draw_text(text, &style, self.point((x, y))).map_err(failed)
    }
}
