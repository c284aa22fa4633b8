//! An explanation as text, as JSON and as a Mermaid graph.

use super::model::WallClock;
use super::prelude::*;
use super::text::{DIM, GREEN, PLAIN, Printer, Style};
use crate::analysis::clock::absolute;
use crate::analysis::explain::{Explanation, Step};
use crate::files::acts;

/// The time since the step before, where there is one.
fn delays(steps: &[Step]) -> Vec<Option<Dur>> {
    let before = std::iter::once(None).chain(steps.iter().map(|s| Some(s.at)));
    before.zip(steps).map(|(before, s)| Some(s.at.since(before?))).collect()
}

/// To the nearest millisecond.
fn delay(d: Dur) -> String {
    format!("+{}", short(Dur::from_millis(d.saturating_add(Dur::from_micros(500)).as_millis())))
}

/// Writes an explanation for people; `clock` says when the run begins by the clock on the wall.
///
/// # Errors
/// Those of `out`.
pub fn write(
    out: &mut dyn Write,
    e: &Explanation,
    clock: Option<WallClock>,
    style: Style,
) -> io::Result<()> {
    let mut p = Printer::new(out, style);
    p.of_sentences();
    p.title(&e.object)?;
    p.indented(&e.verdict, 2, PLAIN)?;
    if !e.steps.is_empty() {
        let delays: Vec<String> =
            delays(&e.steps).into_iter().map(|d| d.map(delay).unwrap_or_default()).collect();
        let time = |s: &Step| match clock {
            Some(clock) => format!("{}  {}", clock.clock(s.at), absolute(s.at)),
            None => absolute(s.at),
        };
        let times: Vec<String> = e.steps.iter().map(time).collect();
        let width = |all: &[String]| all.iter().map(|t| t.chars().count()).max().unwrap_or(0);
        let (first, second) = (width(&times), width(&delays));
        writeln!(p.out)?;
        for ((step, time), delay) in e.steps.iter().zip(&times).zip(&delays) {
            let delay = p.painted(&format!("{delay:>second$}"), DIM);
            write!(p.out, "  {time:>first$}  {delay}  ")?;
            let column = first + second + 6;
            p.folded(&step.text, column, PLAIN)?;
            if let Some(rule) = &step.rule {
                p.indented(rule, column + 2, DIM)?;
            }
        }
    }
    if !e.remedies.is_empty() {
        p.part("What would have changed it")?;
        for remedy in &e.remedies {
            p.indented(&remedy.text, 2, GREEN)?;
            if let Some(set) = &remedy.set {
                writeln!(p.out, "    {}", p.painted(&format!("--set {set}"), DIM))?;
            }
        }
    }
    if !e.notes.is_empty() {
        writeln!(p.out)?;
    }
    e.notes.iter().try_for_each(|note| p.indented(note, 2, PLAIN))
}

/// An explanation as a document; steps have their times by the clock on the wall where `clock` says
/// when the run begins.
pub fn document(e: &Explanation, clock: Option<WallClock>) -> Value {
    let seconds = |d: Dur| d.as_nanos() as f64 / 1e9;
    let step = |(s, delay): (&Step, Option<Dur>)| {
        let mut step = json!({
            "at_s": s.at.as_nanos() as f64 / 1e9,
            "delay_s": delay.map(seconds),
            "text": s.text,
            "rule": s.rule,
            "record": s.record,
        });
        if let Some(clock) = clock {
            step["at"] = clock.rfc3339(s.at).into();
        }
        step
    };
    json!({
        "object": e.object,
        "verdict": e.verdict,
        "steps": e.steps.iter().zip(delays(&e.steps)).map(step).collect::<Vec<_>>(),
        "would_have_changed_it": e.remedies.iter().map(|r| json!({ "text": r.text, "set": r.set })).collect::<Vec<_>>(),
        "notes": e.notes,
    })
}

/// An explanation as a graph: each step leads to the next, and to the last one what would have
/// changed it.
///
/// # Errors
/// Those of `out`.
pub fn mermaid(out: &mut dyn Write, e: &Explanation) -> io::Result<()> {
    // Mermaid has its own escapes; the characters that end a label or begin markup are written as
    // their numbers.
    let safe = |c: char| match c {
        '"' | '#' | '<' | '>' | '&' | ';' | '`' | '\\' => format!("#{};", u32::from(c)),
        c if acts(c) || c == '\n' || c == '\t' => " ".to_owned(),
        c => c.to_string(),
    };
    let label = |text: &str| text.chars().map(safe).collect::<String>();
    writeln!(out, "flowchart TD")?;
    for (i, step) in e.steps.iter().enumerate() {
        let (at, text) = (label(&absolute(step.at)), label(&step.text));
        let rule = step.rule.iter().map(|r| format!("<br/><i>{}</i>", label(r)));
        writeln!(out, "    s{i}[\"{at}<br/>{text}{}\"]", rule.collect::<String>())?;
    }
    for (i, between) in delays(&e.steps).into_iter().enumerate().skip(1) {
        let between = label(&between.map(delay).unwrap_or_default());
        writeln!(out, "    s{} -->|\"{between}\"| s{i}", i - 1)?;
    }
    writeln!(out, "    verdict([\"{}: {}\"])", label(&e.object), label(&e.verdict))?;
    if let Some(last) = e.steps.len().checked_sub(1) {
        writeln!(out, "    s{last} --> verdict")?;
    }
    for (i, remedy) in e.remedies.iter().enumerate() {
        writeln!(out, "    r{i}{{{{\"{}\"}}}} -.-> verdict", label(&remedy.text))?;
    }
    Ok(())
}
