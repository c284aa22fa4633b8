//! How often a property is violated, for people and for programs.

use super::prelude::*;
use crate::analysis::properties::Property;
use crate::analysis::statistics::share_interval;
use crate::lab::explore::{Along, Often};
use crate::report::text::{PLAIN, Printer};

pub(crate) struct Asked<'a> {
    /// What is run.
    pub(crate) plan: &'a Plan,
    pub(crate) property: Property,
    pub(crate) seed: u64,
    /// Why nothing can violate it: then no run was drawn.
    pub(crate) impossible: Option<String>,
}

/// A part of all in percent, with two digits.
pub(crate) fn percent(part: f64) -> String {
    rounded(part, f64::round)
}

/// Both ends of an interval of parts in percent, with two digits; what is left away makes it no narrower.
pub(crate) fn ends(of: Interval) -> [String; 2] {
    // What is whole but for the last bits stays so.
    [rounded(of.low, |n| (n + 1e-9).floor()), rounded(of.high, |n| (n - 1e-9).ceil())]
}

fn rounded(part: f64, round: fn(f64) -> f64) -> String {
    let percent = 100.0 * part;
    if percent <= 0.0 {
        return "0 %".to_owned();
    }
    let digits = (1.0 - libm::log10(percent).floor()).clamp(0.0, 15.0) as usize;
    let scale = libm::pow(10.0, digits as f64);
    format!("{:.digits$} %", round(percent * scale) / scale)
}

/// How often something came, and where its odds lie: `3 of 256 drawn runs (0.24 % to 3.4 %)`.
pub(crate) fn of_drawn(count: u64, of: u64) -> String {
    let [low, high] = ends(share_interval(count, of));
    let (n, runs) = (grouped(count), grouped(of));
    match count {
        0 => format!("none of {runs} drawn runs (at most {high})"),
        _ => format!("{n} of {runs} drawn runs ({low} to {high})"),
    }
}

/// The same for programs.
pub(crate) fn drawn((count, runs): (u64, u64)) -> Value {
    let Interval { low, high } = share_interval(count, runs);
    json!({ "runs": runs, "violated": count, "interval": [low, high] })
}

/// One run in how many.
fn one_in(share: f64) -> String {
    let times = 1.0 / share;
    let round = libm::pow(10.0, (libm::log10(times).floor() - 1.0).max(0.0));
    grouped(((times / round).round() * round) as u64)
}

/// So many times as often it may be at most for one number to say how seldom it is.
const FAR: f64 = 1_000.0;

/// A share, and where it lies: `0.0021 % of runs (0.0017 % to 0.0026 %), one in 47,000`; without the latter where all may be far
/// more than that.
fn of_runs(share: f64, of: Interval, at_most: f64) -> String {
    let says = share > 0.0 && at_most <= FAR * share;
    let one_in = if says { format!(", one in {}", one_in(share)) } else { String::new() };
    let ([low, high], share) = (ends(of), percent(share));
    format!("{share} of runs ({low} to {high}){one_in}")
}

/// Writes it for people.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(p: &mut Printer<'_>, asked: &Asked<'_>, often: &Often) -> io::Result<()> {
    let mut told = |text: &str| p.folded(text, 0, PLAIN);
    let Asked { plan, property, .. } = asked;
    let (name, release) = (&plan.name, &plan.profile.release);
    told(&format!("{name} on Kubernetes {release}: how often {property} is violated,"))?;
    told("drawn with the order in each instant, which `run` and `test` take as usual")?;
    told("")?;
    if let Some(why) = &asked.impossible {
        return told(&format!("in no run: {why}"));
    }
    let drawn = of_drawn(often.violated, often.drawn);
    if often.along.is_none() && often.undecided == 0 && often.stopped.is_none() {
        told(&drawn)?;
    } else {
        let [low, high] = ends(often.span());
        told(&format!("{low} to {high} of runs"))?;
        match &often.along {
            None => p.indented(&format!("as they come: {drawn}"), 2, PLAIN)?,
            Some(along) => ways(p, along, (&drawn, often.span().high))?,
        }
    }
    let mut told = |text: String| p.folded(&text, 0, PLAIN);
    if often.undecided > 0 {
        let (open, all) = (grouped(often.undecided), often.violated + often.undecided);
        let came = "the horizon came before the bound was over";
        let all = of_drawn(all, often.drawn);
        told(format!("in {open} of the others {came}: with them {all}"))?;
    }
    if let Some(open) = often.stopped {
        let (all, open) = (often.violated + often.undecided + open, counted(open, "run"));
        let all = of_drawn(all, often.drawn);
        told(format!("stopped before all was known, with {open} under way: with them {all}"))?;
    } else if often.violated == 0 && often.along.is_none() && often.never.is_empty() {
        let further = "--search and --depth look further";
        told(format!("no way to it was found, so that nothing more is known; {further}"))?;
    }
    let never = "in no drawn run, as it takes an order that only a search asks for";
    often.never.iter().try_for_each(|text| told(format!("{never}: {text}")))
}

fn ways(p: &mut Printer<'_>, along: &Along, (drawn, high): (&str, f64)) -> io::Result<()> {
    let ways = match along.ways.len() as u64 {
        1 => "the way below".to_owned(),
        n => format!("the {} below", counted(n, "way")),
    };
    let mut told = |text: String| p.indented(&text, 2, PLAIN);
    told(format!("along {ways}: {}", of_runs(along.share, along.interval, high)))?;
    let (others, of) = along.others;
    told(format!("on other ways: {}", of_drawn(others, of)))?;
    told(format!("as they come: {drawn}"))?;
    for way in &along.ways {
        let (violated, runs) = (grouped(way.violated), grouped(along.runs));
        p.folded("", 0, PLAIN)?;
        p.folded(&way.text, 0, PLAIN)?;
        let led = format!("{violated} of {runs} runs that were led there");
        let choices = way.choices.iter().map(|(text, odds)| format!("{text} ({})", percent(*odds)));
        std::iter::once(led).chain(choices).try_for_each(|said| p.indented(&said, 2, PLAIN))?;
    }
    Ok(())
}

pub(crate) fn document(asked: &Asked<'_>, often: &Often) -> Value {
    let span = |i: Interval| json!([i.low, i.high]);
    let along = often.along.as_ref().map(|along| {
        let ways = along.ways.iter().map(|way| {
            let held = way.choices.iter();
            let held = held.map(|(text, odds)| json!({ "choice": text, "odds": odds }));
            json!({ "text": way.text, "violated": way.violated, "held": held.collect::<Vec<_>>() })
        });
        json!({
            "runs": along.runs,
            "share": along.share,
            "interval": span(along.interval),
            "others": { "violated": along.others.0, "runs": along.others.1 },
            "ways": ways.collect::<Vec<_>>(),
        })
    });
    let none = Interval { low: 0.0, high: 0.0 };
    json!({
        "scenario": asked.plan.name,
        "kubernetes": asked.plan.profile.released(),
        "property": asked.property.to_string(),
        "seed": asked.seed,
        "drawn": drawn((often.violated, often.drawn)),
        "undecided": often.undecided,
        "interrupted": often.stopped.is_some(),
        "under_way": often.stopped.unwrap_or(0),
        "interval": span(if asked.impossible.is_some() { none } else { often.span() }),
        "impossible": asked.impossible,
        "along": along,
        "never": often.never,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// None of 100: 1 - 0.025^(1/100) = 3.62 %. Half of two: 1.26 % to 98.7 %, as 1 - (1 - p)^2 is 0.025 at 0.0126.
    #[test]
    fn parts_in_words() {
        assert_eq!(of_drawn(0, 100), "none of 100 drawn runs (at most 3.7 %)");
        assert_eq!(of_drawn(1, 2), "1 of 2 drawn runs (1.2 % to 99 %)");
        assert_eq!(percent(0.000_021_4), "0.0021 %");
        assert_eq!(percent(1.0), "100 %");
        // One run in 47,000, and at most 0.0032: 150 times as often. At most 0.32 would be 15,000 times as often.
        let along =
            |at_most| of_runs(0.000_021_4, Interval { low: 0.000_017, high: 0.000_026 }, at_most);
        let said = "0.0021 % of runs (0.0017 % to 0.0026 %)";
        assert_eq!(along(0.0032), format!("{said}, one in 47,000"));
        assert_eq!(along(0.32), said);
    }
}
