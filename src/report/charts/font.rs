//! The font that is built in: how wide a text is, and its pixels.
//!
//! plotters' own text drops the space before each glyph, which shows in words like "timing", and
//! measures in whole pixels; so a PNG gets its text from here. An SVG holds its texts as texts.

use ab_glyph::{Font, FontRef, Glyph, OutlinedGlyph, PxScale, point};
use plotters::style::RGBColor;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// How a text is drawn. Sizes are those of the font, in points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ink {
    pub(super) size: f64,
    pub(super) bold: bool,
    pub(super) color: RGBColor,
}

fn font(ink: Ink) -> Option<&'static FontRef<'static>> {
    const NORMAL: &[u8] = include_bytes!("../font/DejaVuSans-subset.ttf");
    const BOLD: &[u8] = include_bytes!("../font/DejaVuSans-Bold-subset.ttf");
    static FONTS: OnceLock<[Option<FontRef<'static>>; 2]> = OnceLock::new();
    let read = || [NORMAL, BOLD].map(|bytes| FontRef::try_from_slice(bytes).ok());
    FONTS.get_or_init(read)[usize::from(ink.bold)].as_ref()
}

/// How wide a text is, in points. Without a font, which painting will say, it is nothing.
pub(super) fn width(text: &str, ink: Ink) -> f64 {
    let Some(font) = font(ink) else { return 0.0 };
    let units = f64::from(font.units_per_em().unwrap_or(1.0));
    let advances = text.chars().map(|c| f64::from(font.h_advance_unscaled(font.glyph_id(c))));
    advances.sum::<f64>() / units * ink.size
}

/// The text with a question mark for each letter that the font lacks.
pub(super) fn spelt(text: &str, ink: Ink) -> String {
    let has = |c: char| font(ink).is_none_or(|font| font.glyph_id(c).0 != 0);
    text.chars().map(|c| if has(c) { c } else { '?' }).collect()
}

/// The text, shortened to a width with an ellipsis at its end.
pub(super) fn fit(text: &str, ink: Ink, most: f64) -> String {
    cut(text, ink, most, 1.0)
}

/// Shortens a text to a width with an ellipsis after that share of what is kept.
fn cut(text: &str, ink: Ink, most: f64, head: f64) -> String {
    if width(text, ink) <= most {
        return text.to_owned();
    }
    let chars: Vec<char> = text.chars().collect();
    let cut_to = |n: usize| {
        let first = (n as f64 * head).round() as usize;
        let (first, last) = (&chars[..first], &chars[chars.len() - (n - first)..]);
        first.iter().chain(['…'].iter()).chain(last).collect::<String>()
    };
    let (mut fits, mut too_long) = (0, chars.len());
    while too_long - fits > 1 {
        let middle = (fits + too_long) / 2;
        if width(&cut_to(middle), ink) <= most { fits = middle } else { too_long = middle }
    }
    cut_to(fits)
}

/// Names that stand beside each other, shortened to a width so that different names stay different:
/// all are cut at the same place, in the middle, at the end or at the beginning, whichever tells
/// them apart. Where none does, those that would be the same get an ordinal.
pub(super) fn fit_all(names: &[impl AsRef<str>], ink: Ink, most: f64) -> Vec<String> {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let different = names.iter().collect::<BTreeSet<_>>().len();
    let mut best = (0, Vec::new());
    for head in [0.5, 1.0, 0.0, 0.25, 0.75] {
        let labels: Vec<String> = names.iter().map(|n| cut(n, ink, most, head)).collect();
        let kept = labels.iter().collect::<BTreeSet<_>>().len();
        if kept > best.0 {
            best = (kept, labels);
        }
        if best.0 == different {
            break;
        }
    }
    let mut labels = best.1;
    let mut taken: BTreeMap<String, &str> = BTreeMap::new();
    for (label, name) in labels.iter_mut().zip(names) {
        let (mut number, short) = (1, label.clone());
        while taken.get(label).is_some_and(|of| *of != name) {
            number += 1;
            let mark = format!(" #{number}");
            *label = fit(&short, ink, most - width(&mark, ink)) + &mark;
        }
        taken.insert(label.clone(), name);
    }
    labels
}

/// The outlines of a text's glyphs. The text begins at `x`, its base line is at `y`, one em has
/// `size` pixels.
pub(super) fn outlines(
    text: &str,
    ink: Ink,
    size: f64,
    (x, y): (f64, f64),
) -> Option<Vec<OutlinedGlyph>> {
    let font = font(ink)?;
    let units = font.units_per_em().unwrap_or(1.0);
    // ab_glyph scales by the height of a line.
    let scale = PxScale::from(size as f32 * font.height_unscaled() / units);
    let mut pen = x;
    let glyphs = text.chars().filter_map(|c| {
        let glyph = Glyph { id: font.glyph_id(c), scale, position: point(pen as f32, y as f32) };
        pen += f64::from(font.h_advance_unscaled(font.glyph_id(c)) / units) * size;
        font.outline_glyph(glyph)
    });
    Some(glyphs.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use plotters::style::BLACK;

    const INK: Ink = Ink { size: 10.0, bold: false, color: BLACK };

    #[test]
    fn letters_that_the_font_lacks_are_question_marks() {
        assert_eq!(spelt("ü \u{65e5}\u{672c}…", INK), "ü ??…");
    }

    #[test]
    fn texts_are_cut_where_they_end() {
        assert_eq!(fit("cut b", INK, 100.0), "cut b");
        let cut = fit("a name that is much too long for its place", INK, 60.0);
        assert!(cut.ends_with('…') && width(&cut, INK) <= 60.0, "{cut}");
        // There is a place for at least the ellipsis, even where there is none.
        assert_eq!(fit("name", INK, 0.0), "…");
        // DejaVu Sans: digits are 1303 of 2048 units wide.
        assert!((width("00", INK) - 2.0 * 10.0 * 1303.0 / 2048.0).abs() < 1e-9);
    }

    #[test]
    fn names_of_one_cloud_are_cut_where_they_differ() {
        let fit = |names: &[&str]| fit_all(names, INK, 70.0);
        // Zones differ in their last letter, nodes of AWS before a long common end.
        let zones = fit(&["zone eu-central-1a", "zone eu-central-1b", "b"]);
        assert!(zones[0].starts_with("zone") && zones[0].ends_with("1a"));
        assert!(zones[1].ends_with("1b") && zones[2] == "b", "{zones:?}");
        let nodes = fit(&[
            "ip-10-0-1-23.eu-central-1.compute.internal",
            "ip-10-0-7-23.eu-central-1.compute.internal",
        ]);
        assert!(nodes[0].starts_with("ip-10-0-1-"), "{nodes:?}");
        // Where nothing tells them apart there are ordinals; the same name has the same label.
        let long = |c: char| format!("{}{c}{}", "a".repeat(90), "z".repeat(90));
        let (one, two) = (long('1'), long('2'));
        let same = fit(&[&one, &two, &one]);
        assert!(same[0] != same[1] && same[1].ends_with(" #2"), "{same:?}");
        assert_eq!(same[0], same[2]);
    }

    proptest::proptest! {
        #[test]
        fn different_names_have_different_labels(
            names in proptest::collection::vec("(eu|us)-[a-c]{0,30}[1-3]{0,2}[a-c]{0,30}( 2)?", 1..12),
            most in 8.0..120.0_f64,
        ) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let labels = fit_all(&names, INK, most);
            for (i, a) in names.iter().enumerate() {
                for (j, b) in names.iter().enumerate() {
                    proptest::prop_assert_eq!(a == b, labels[i] == labels[j]);
                }
                // The ellipsis and a number are there even where they have no room.
                proptest::prop_assert!(most < 40.0 || width(&labels[i], INK) <= most);
            }
        }
    }

    #[test]
    fn every_character_that_charts_write_is_in_the_font() {
        for ink in [INK, Ink { bold: true, ..INK }] {
            let font = font(ink).expect("has a font");
            for c in ('!'..='~').chain("…–äöüß".chars()) {
                assert_ne!(font.glyph_id(c).0, 0, "{c:?}");
            }
        }
    }
}
