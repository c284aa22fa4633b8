//! `taintsim explore --report DIR`: what a maintainer of Kubernetes needs of each violation, in a
//! folder of its own.

use super::prelude::*;
use super::replay::violated;
use super::run;
use crate::lab::shrink::{Failed, Goal, Shrink, Shrunk, shrink};
use crate::report::explore::{Says, Searched};
use crate::report::finding::{Finding, On};
use crate::report::replay::Replayed;

/// Where reports go, and how long they may take.
pub(super) struct Asked<'a> {
    /// What was searched.
    pub(super) loaded: &'a Loaded,
    pub(super) dir: &'a Path,
    pub(super) terminal: &'a Terminal,
    /// When the time of the whole command is over, and a clock that shows what is used up.
    pub(super) end: f64,
    pub(super) clock: &'a Stopwatch,
}

/// Fails now, and not after a long search, where reports could not be written.
pub(super) fn writable(dir: &Path, properties: &[Property]) -> Result<()> {
    let text = "it takes two runs to violate `deterministic`, and a report is of one";
    let is_vain = properties.contains(&Property::Deterministic);
    refuse_if(is_vain, text, "leave --report out, or name other properties")?;
    let standing = Folder::standing(dir);
    let is_of = |name: &str, p: &Property| {
        let number = name.strip_prefix(p.name()).and_then(|rest| rest.strip_prefix('-'));
        number.is_some_and(|n| n.parse::<usize>().is_ok())
    };
    let ours = standing.iter().filter(|name| properties.iter().any(|p| is_of(name, p)));
    let first = properties.first().map(|p| format!("{}-1", p.name()));
    ours.chain(&first).try_for_each(|name| run::writable(dir, name))
}

/// A violation, by the place of a search and its own place among what that found, for each search
/// that found it: the same property for the same objects.
fn same(searches: &[Searched<'_>]) -> Vec<Vec<(usize, usize)>> {
    let key = |(s, v): (usize, usize)| {
        let found = &searches[s].report.violations[v];
        (found.property, &found.about)
    };
    let mut all: Vec<Vec<(usize, usize)>> = Vec::new();
    for (s, searched) in searches.iter().enumerate() {
        // One search may have a violation several times, with other entries of the timeline moved.
        for v in 0..searched.report.violations.len() {
            let is_same = |of: &&mut Vec<(usize, usize)>| {
                key(of[0]) == key((s, v)) && of.iter().all(|(other, _)| *other != s)
            };
            match all.iter_mut().find(is_same) {
                Some(of) => of.push((s, v)),
                None => all.push(vec![(s, v)]),
            }
        }
    }
    all
}

/// Writes the reports, and says in what was found where they are. `tape_of` makes the tape of a
/// violation that a search found.
pub(super) fn write(
    asked: &Asked<'_>,
    searches: &mut [Searched<'_>],
    tape_of: &dyn Fn(usize, &Violated) -> Tape,
) -> Result<()> {
    let mut reports: Vec<Vec<String>> =
        searches.iter().map(|s| vec![String::new(); s.report.violations.len()]).collect();
    let mut written: Vec<(String, String)> = Vec::new();
    let all = same(searches);
    for (i, of) in all.iter().enumerate() {
        let Some((s, v)) = of.last().copied() else { continue };
        // Each has its part of the time, and what those before it left.
        let now = asked.clock.seconds();
        let until = now + (asked.end - now) / (all.len() - i) as f64;
        let found = &searches[s].report.violations[v];
        let tape = tape_of(s, found);
        let least = least(asked, &tape, found, until)?;
        // What comes down to the same is told once.
        let there = written.iter().find(|(text, _)| *text == least.text);
        let folder = match there {
            Some((_, folder)) => folder.clone(),
            None => {
                let name = format!("{}-{}", found.property.name(), i + 1);
                one(asked, &name, (searches, of), (&tape, &least))?;
                asked.dir.join(name).display().to_string()
            }
        };
        of.iter().for_each(|(s, v)| reports[*s][*v].clone_from(&folder));
        written.push((least.text, folder));
    }
    searches.iter_mut().zip(reports).for_each(|(searched, reports)| searched.reports = reports);
    Ok(())
}

/// The least scenario that violates the property as the tape does, as far as there is time.
fn least(asked: &Asked<'_>, tape: &Tape, found: &Violated, until: f64) -> Result<Shrunk> {
    let of = asked.loaded;
    let loaded = tape.loaded(&of.folder)?;
    let spec = scenario::changed(&loaded, &tape.overrides())?;
    let (goal, told) = (Goal::Violates(found.property), Some(found.text.as_str()));
    let what = Shrink { loaded: &loaded, spec, goal, told };
    let progress = Progress::new(asked.terminal, &of.name, 0, |done, _| {
        format!("making it small: {} scenarios tried", grouped(done))
    });
    let mut goes_on = |tried, _| progress.reaches(tried) && asked.clock.seconds() < until;
    let shrunk = progress.during(|| shrink(what, &mut goes_on));
    shrunk.map_err(|failed| match failed {
        Failed::Problems(problems) => Failure::Problems(problems),
        Failed::Holds => Failure::Io(format!("the tape does not violate {} again", found.property)),
    })
}

/// Writes one report.
fn one(
    &Asked { loaded: searched, dir, .. }: &Asked<'_>,
    name: &str,
    (searches, of): (&[Searched<'_>], &[(usize, usize)]),
    (tape, least): (&Tape, &Shrunk),
) -> Result<()> {
    let overrides = Overrides::default();
    let loaded =
        scenario::parse(manifest::SCENARIO, least.text.clone().into_bytes(), &searched.folder)?;
    let plan = scenario::build(&loaded, &overrides)?;
    let run = sim::replay(&plan);
    let asked =
        loaded.spec.tape.as_ref().and_then(|t| Property::parse(t.property.as_deref()?).ok());
    let property = asked.unwrap_or(Property::Expect);
    let mut on: Vec<On<'_>> = Vec::with_capacity(searches.len());
    for (i, Searched { release, report, .. }) in searches.iter().enumerate() {
        let found = of.iter().find(|(search, _)| *search == i);
        let found = found.map(|(_, v)| &report.violations[*v]);
        let found = found.ok_or_else(|| Says::without(report, &property));
        on.push(On { release, found, runs: report.all_runs() });
    }
    let analysis = Analysis::new(&plan, &run.trace);
    let violations = violated(&[property], &loaded, &overrides, &analysis)?;
    let told = violations.iter().find(|v| v.text == least.violation).or(violations.first());
    let Some(violation) = told else {
        return Err(Failure::Io(format!("the least scenario does not violate {property}")));
    };
    let violations = std::slice::from_ref(violation);
    let steps = &steps(&run, &Texts::of(&run), violations, None);
    let finding = Finding {
        property,
        name: &searched.name,
        on: &on,
        least: &least.text,
        size: least.sizes[1],
        is_least: least.is_least,
        plan: &plan,
        run: Replayed { trace: &run.trace, steps, violations, departure: None },
        violation,
    };
    let mut folder = Folder::create(dir, name)?;
    let from = manifest::scenario(&searched.name, &tape.file, &searched.fingerprint(), &tape.set);
    folder.write("report.md", |out| finding.write(out))?;
    folder.write(manifest::SCENARIO, |out| out.write_all(least.text.as_bytes()))?;
    folder.write("tape.ron", |out| out.write_all(tape.write().as_bytes()))?;
    folder.finish_with(json!({ "report": true, "scenario": from }))?;
    Ok(())
}
