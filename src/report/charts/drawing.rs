//! A drawing in points, laid out once and painted in two formats: SVG as text, PNG as bytes.
//!
//! In a bitmap an opaque rectangle leaves out its far edges, as in SVG, so that neighbours neither
//! overlap nor gape.
//!
//! Colours. The states differ in lightness as well as in hue, after Okabe and Ito's palette for
//! colour-blind readers.

use super::font::{self, Ink};
use crate::analysis::state::Health;
use crate::report::Heading;
use ab_glyph::OutlinedGlyph;
use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, PathElement, Polygon, Rectangle};
use plotters::prelude::{BitMapBackend, IntoDrawingArea, SVGBackend};
pub(super) use plotters::style::text_anchor::HPos as Anchor;
use plotters::style::text_anchor::{Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, RGBColor, TextStyle};

/// Pixels per point of a PNG.
const PIXELS: u32 = 2;
/// plotters gives sizes of text as heights of lines; this many of them make the height of an em.
const LINE: f64 = 1.24;
/// The height of capitals and of small letters of DejaVu Sans, in ems.
const CAPITAL: f64 = 0.729;
const SMALL_LETTER: f64 = 0.547;

/// Why a drawing could not be painted. With memory as the target only a defect of the program
/// leads there.
fn failed(e: impl std::fmt::Display) -> String {
    format!("a chart cannot be drawn: {e}")
}

/// A place, in points from the left and from the top.
type Point = (f64, f64);

/// What is drawn on clean paper, in order.
enum Shape {
    Rect(Point, Point),
    Line(Vec<Point>, f64),
    Polygon(Vec<Point>),
    Disc(Point, f64),
    Text(String, Point, Anchor, Ink),
}

/// A shape in its colour.
type Drawn = (Shape, RGBColor);

/// A drawing.
pub struct Drawing {
    size: (u32, u32),
    /// How much lower everything is drawn than it says.
    down: f64,
    title: String,
    /// What it shows, for those who cannot see it.
    shows: String,
    shapes: Vec<Drawn>,
}

impl Drawing {
    /// Clean paper of that width and height under a heading; `shows` says what will be on it.
    pub(super) fn new((width, height): (f64, f64), heading: &Heading, shows: &str) -> Self {
        let said = [&heading.doc, &heading.subtitle, shows];
        let said: Vec<&str> =
            said.into_iter().map(|s| s.trim_end_matches('.')).filter(|s| !s.is_empty()).collect();
        let (size, title) = ((width as u32, height as u32), heading.title.clone());
        Drawing { size, down: 0.0, title, shows: said.join(". "), shapes: Vec::new() }
    }

    /// Makes the paper so many points higher, and has all that is drawn from now on lie as much
    /// lower.
    pub(super) fn lower(&mut self, points: u32) {
        self.size.1 += points;
        self.down += f64::from(points);
    }

    /// Where a point comes to lie.
    fn on_paper(&self, (x, y): Point) -> Point {
        (x, y + self.down)
    }

    fn all_on_paper(&self, points: &[Point]) -> Vec<Point> {
        points.iter().map(|&p| self.on_paper(p)).collect()
    }

    /// A filled rectangle from one corner to the other.
    pub(super) fn rect(&mut self, from: Point, to: Point, color: RGBColor) {
        self.shapes.push((Shape::Rect(self.on_paper(from), self.on_paper(to)), color));
    }

    /// A line through some points; its width is in points of the drawing.
    pub(super) fn line(&mut self, points: &[Point], color: RGBColor, width: f64) {
        self.shapes.push((Shape::Line(self.all_on_paper(points), width), color));
    }

    /// A level or upright line, drawn as a rectangle so that it is sharp and has no ends of its
    /// own; whichever end is named first.
    pub(super) fn rule(&mut self, one: Point, other: Point, color: RGBColor) {
        let thin = 1.0;
        let from = (one.0.min(other.0), one.1.min(other.1));
        let to = (one.0.max(other.0), one.1.max(other.1));
        let to = if from.0 == to.0 { (to.0 + thin, to.1) } else { (to.0, to.1 + thin) };
        self.rect(from, to, color);
    }

    pub(super) fn polygon(&mut self, points: &[Point], color: RGBColor) {
        self.shapes.push((Shape::Polygon(self.all_on_paper(points)), color));
    }

    /// A filled circle with a rim of paper.
    pub(super) fn disc(&mut self, at: Point, radius: f64, color: RGBColor) {
        let at = self.on_paper(at);
        self.shapes.push((Shape::Disc(at, radius + 1.0), PAPER));
        self.shapes.push((Shape::Disc(at, radius), color));
    }

    /// A text whose capitals have their middle at that height.
    pub(super) fn text(&mut self, text: &str, at: Point, anchor: Anchor, ink: Ink) {
        let at = self.on_paper(at);
        self.shapes.push((Shape::Text(text.to_owned(), at, anchor, ink), ink.color));
    }

    /// The drawing as SVG.
    ///
    /// # Errors
    /// Why it cannot be painted.
    pub fn svg(&self) -> Result<String, String> {
        let mut text = String::new();
        let area = SVGBackend::with_string(&mut text, self.size).into_drawing_area();
        Painter { area, scale: 1.0, pixels: false }.paint(self.shapes.iter())?;
        // A title counts as that of the image where it is the first thing in it.
        if let Some(end) = text.find('>') {
            let (begin, rest) = (&text[..end], text[end + 1..].trim_start());
            text = format!("{begin} role=\"img\">\n{}{rest}", self.about());
        }
        Ok(text)
    }

    /// What is said of it to screen readers, and by viewers to whoever waits over it.
    fn about(&self) -> String {
        let plain = |text: &str| {
            let text: String = text.chars().filter(|c| !c.is_control()).collect();
            text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
        };
        format!("<title>{}</title>\n<desc>{}</desc>\n", plain(&self.title), plain(&self.shows))
    }

    /// The drawing as PNG.
    ///
    /// # Errors
    /// Why it cannot be painted, or encoded.
    pub(crate) fn png(&self) -> Result<Vec<u8>, String> {
        let (width, height) = (self.size.0 * PIXELS, self.size.1 * PIXELS);
        let mut pixels = vec![0; width as usize * height as usize * 3];
        let area = BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area();
        let note = self.lacking();
        let shapes = self.shapes.iter().chain(&note);
        Painter { area, scale: f64::from(PIXELS), pixels: true }.paint(shapes)?;
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        // Flat colours: rows as they are pack better than what sets them apart, and at once.
        encoder.set_filter(png::Filter::NoFilter);
        let written = encoder.write_header().and_then(|mut writer| {
            writer.write_image_data(&pixels)?;
            writer.finish()
        });
        written.map_err(|e| format!("a chart cannot be encoded as PNG: {e}"))?;
        Ok(bytes)
    }

    /// What a PNG says where letters of its texts are not in the font.
    fn lacking(&self) -> Option<Drawn> {
        let is_lacking = |(shape, _): &Drawn| match shape {
            Shape::Text(text, .., ink) => font::spelt(text, *ink) != *text,
            _ => false,
        };
        let said = "?: a letter that pictures in pixels do not have; the SVG has it";
        let at = (12.0, f64::from(self.size.1) - 10.0);
        let ink = Ink { size: 10.0, bold: false, color: FAINT };
        let note = Shape::Text(said.to_owned(), at, Anchor::Left, ink);
        self.shapes.iter().any(is_lacking).then_some((note, FAINT))
    }
}

/// What paints a drawing in one of the formats.
struct Painter<B: DrawingBackend> {
    area: DrawingArea<B, Shift>,
    scale: f64,
    /// Texts are painted as pixels, not handed on as texts.
    pixels: bool,
}

impl<B: DrawingBackend> Painter<B> {
    fn paint<'s>(self, mut shapes: impl Iterator<Item = &'s Drawn>) -> Result<(), String> {
        self.area.fill(&PAPER).map_err(failed)?;
        shapes.try_for_each(|(shape, color)| self.shape(shape, *color))?;
        self.area.present().map_err(failed)
    }

    fn point(&self, (x, y): Point) -> (i32, i32) {
        ((x * self.scale).round() as i32, (y * self.scale).round() as i32)
    }

    fn points(&self, points: &[Point]) -> Vec<(i32, i32)> {
        points.iter().map(|&p| self.point(p)).collect()
    }

    fn shape(&self, shape: &Shape, color: RGBColor) -> Result<(), String> {
        let area = &self.area;
        match shape {
            Shape::Rect(from, to) => {
                let (a, b) = (self.point(*from), self.point(*to));
                if b.0 <= a.0 || b.1 <= a.1 {
                    return Ok(());
                }
                area.draw(&Rectangle::new([a, b], color.filled()))
            }
            Shape::Line(points, width) => {
                let width = (width * self.scale).round().max(1.0) as u32;
                area.draw(&PathElement::new(self.points(points), color.stroke_width(width)))
            }
            Shape::Polygon(points) => area.draw(&Polygon::new(self.points(points), color.filled())),
            Shape::Disc(at, radius) => {
                let radius = (radius * self.scale).round() as i32;
                area.draw(&Circle::new(self.point(*at), radius, color.filled()))
            }
            Shape::Text(text, at, anchor, ink) => return self.text(text, *at, *anchor, *ink),
        }
        .map_err(failed)
    }

    fn text(&self, text: &str, (x, y): Point, anchor: Anchor, ink: Ink) -> Result<(), String> {
        if self.pixels {
            let text = &font::spelt(text, ink);
            let x = match anchor {
                Anchor::Left => x,
                Anchor::Center => x - font::width(text, ink) / 2.0,
                Anchor::Right => x - font::width(text, ink),
            };
            // The base line lies between pixels where that is sharpest: on one.
            let base = ((y + CAPITAL / 2.0 * ink.size) * self.scale).round();
            let from = (x * self.scale, base);
            let glyphs = font::outlines(text, ink, ink.size * self.scale, from);
            let mut glyphs =
                glyphs.ok_or("the built-in font of the charts cannot be read")?.into_iter();
            return glyphs.try_for_each(|glyph| self.glyph(&glyph, ink.color));
        }
        let style = if ink.bold { FontStyle::Bold } else { FontStyle::Normal };
        let font = FontDesc::new(FontFamily::SansSerif, ink.size * LINE * self.scale, style);
        let style = TextStyle::from(font).color(&ink.color).pos(Pos::new(anchor, VPos::Center));
        // plotters puts the middle of small letters there.
        let y = y + (CAPITAL - SMALL_LETTER) / 2.0 * ink.size;
        self.area.draw_text(text, &style, self.point((x, y))).map_err(failed)
    }

    fn glyph(&self, glyph: &OutlinedGlyph, color: RGBColor) -> Result<(), String> {
        let (left, top) = (glyph.px_bounds().min.x as i32, glyph.px_bounds().min.y as i32);
        let mut result = Ok(());
        glyph.draw(|x, y, covered| {
            if result.is_ok() && covered > 0.0 {
                let at = (left + x as i32, top + y as i32);
                let covered = f64::from(covered.min(1.0));
                result = self.area.draw_pixel(at, &color.mix(covered)).map_err(failed);
            }
        });
        result
    }
}

pub(super) const PAPER: RGBColor = RGBColor(255, 255, 255);
pub(super) const INK: RGBColor = RGBColor(31, 41, 55);
pub(super) const FAINT: RGBColor = RGBColor(107, 114, 128);
pub(super) const GRID: RGBColor = RGBColor(229, 231, 235);
pub(super) const RULE: RGBColor = RGBColor(156, 163, 175);
/// Behind the time in which a fault lasts.
pub(super) const FAULT: RGBColor = RGBColor(243, 240, 232);
pub(super) const FAULT_EDGE: RGBColor = RGBColor(180, 164, 122);

pub(super) const NO_SCHEDULE: RGBColor = RGBColor(148, 163, 184);
pub(super) const NO_EXECUTE: RGBColor = RGBColor(109, 40, 160);
pub(super) const EVICTION: RGBColor = RGBColor(17, 24, 39);

/// A pod that replaces an evicted one is ready.
pub(super) const REPLACED: RGBColor = RGBColor(0, 106, 78);
/// A node is drained.
pub(super) const DRAIN: RGBColor = RGBColor(0, 92, 150);
/// A node that is not Ready holds volumes.
pub(super) const HELD: RGBColor = RGBColor(140, 45, 4);
/// Pods of a node wait for a volume.
pub(super) const AWAITED: RGBColor = RGBColor(230, 140, 60);
/// An eviction timer runs.
pub(super) const TIMER: RGBColor = RGBColor(60, 20, 110);

/// A zone in which one node is tainted every now and then.
pub(super) const SLOW: RGBColor = RGBColor(150, 214, 190);
/// A zone in which nobody is tainted.
pub(super) const STOPPED: RGBColor = RGBColor(64, 160, 130);
/// A zone of which no node is Ready.
pub(super) const FULL: RGBColor = RGBColor(0, 92, 72);
/// Nodes that wait for their taint.
pub(super) const QUEUED: RGBColor = RGBColor(190, 165, 215);
/// API servers, watches or requests are in trouble.
pub(super) const TROUBLED: RGBColor = RGBColor(120, 92, 32);
/// Every zone is fully disrupted.
pub(super) const MASTER: RGBColor = RGBColor(55, 65, 81);

pub(super) const AVAILABLE: RGBColor = RGBColor(0, 114, 178);
pub(super) const AVAILABLE_FILL: RGBColor = RGBColor(214, 232, 243);
/// The interval in which a mean lies.
pub(super) const INTERVAL: RGBColor = RGBColor(120, 178, 214);
/// Containers that run although their pod is deleted or gone.
pub(super) const GHOST: RGBColor = RGBColor(222, 190, 214);
/// What the API says, where that is not true.
pub(super) const SAID: RGBColor = RGBColor(213, 94, 0);
/// Pods that a workload wants and does not have.
pub(super) const MISSING: RGBColor = RGBColor(240, 205, 195);
pub(super) const NOT_READY: RGBColor = RGBColor(243, 187, 99);
pub(super) const TERMINATING: RGBColor = RGBColor(208, 140, 182);
pub(super) const PENDING: RGBColor = RGBColor(176, 190, 197);

pub(super) fn health(h: Health) -> RGBColor {
    match h {
        Health::Absent => PAPER,
        Health::Ready => RGBColor(185, 214, 233),
        Health::Silent => RGBColor(210, 165, 25),
        Health::Unknown => RGBColor(202, 109, 9),
        Health::NotReady => RGBColor(155, 47, 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, as WCAG 2 defines it.
    fn luminance(RGBColor(r, g, b): RGBColor) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.03928 { c / 12.92 } else { libm::pow((c + 0.055) / 1.055, 2.4) }
        };
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
    }

    /// A rule is the same from either end; nothing is drawn of a rectangle that goes upwards.
    #[test]
    fn a_rule_has_no_direction() {
        let heading = Heading { title: "t".into(), subtitle: "s".into(), doc: String::new() };
        let drawn = |from: Point, to: Point| {
            let mut c = Drawing::new((100.0, 100.0), &heading, "");
            c.rule(from, to, INK);
            c.svg().unwrap()
        };
        let down = drawn((50.0, 20.0), (50.0, 80.0));
        assert_eq!(drawn((50.0, 80.0), (50.0, 20.0)), down);
        assert_ne!(drawn((50.0, 20.0), (50.0, 20.0)), down);
        assert_eq!(drawn((80.0, 50.0), (20.0, 50.0)), drawn((20.0, 50.0), (80.0, 50.0)));
    }

    /// Each state is darker than the one before by so much that it shows in grey print.
    #[test]
    fn states_differ_in_lightness() {
        let states =
            [Health::Absent, Health::Ready, Health::Silent, Health::Unknown, Health::NotReady];
        for pair in states.windows(2) {
            let contrast =
                (luminance(health(pair[0])) + 0.05) / (luminance(health(pair[1])) + 0.05);
            assert!(contrast >= 1.5, "{pair:?}: {contrast}");
        }
    }
}
