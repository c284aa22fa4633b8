//! A plan as text: the recommendation first, then what it rests on, then the table.

use super::changes::changes;
use super::closed_form::closed;
use super::doubts::{doubts, out_of_memory, short_of_memory};
use super::table::{from_zero, table};
use super::together::failed;
use super::told::{Told, amount, plural, range, seldom};
use crate::analysis::size_in_words;
use crate::analysis::statistics::unseen;
use crate::lab::planner::{AS_IT_IS, BELOW, Counting, EVICTED, NEEDLESS, Row};
use crate::language::few;
use crate::report::prelude::*;
use crate::report::text::{BOLD, DIM, Printer, YELLOW, fold, joined};

/// Writes a plan: of several settings that are chosen each for itself one after the other.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(p: &mut Printer<'_>, all: &[Told<'_>]) -> io::Result<()> {
    p.of_sentences();
    for (i, told) in all.iter().enumerate() {
        if i > 0 {
            writeln!(p.out)?;
        }
        one(p, told)?;
    }
    Ok(())
}

fn one(p: &mut Printer<'_>, told: &Told<'_>) -> io::Result<()> {
    let kept = told.kept;
    writeln!(p.out, "{}: {}\n", p.painted(&kept.scenario, BOLD), kept.paths.join(", "))?;
    let (first, rest) = sections(told);
    write_sections(p, &first)?;
    told.source.notes.iter().try_for_each(|note| p.folded(note, 0, YELLOW))?;
    let (table, left_out) = table(told, p.style.width);
    writeln!(p.out, "\n{table}\n")?;
    let best = match told.least() {
        "best" => "the best row".to_owned(),
        least => format!("{}, which {least}", told.name(told.answer.best)),
    };
    let (unit, percent) = (&told.objective.unit, told.percent());
    let mut note = format!(
        "A year, on average, of all workloads where none is named. Cost in {unit}; more: beside {best}, outage by outage; each with its {percent} % interval, in brackets where it would go below zero, and those of more all at one time."
    );
    if !left_out.is_empty() {
        note += &format!(" Not in this table, and in that of -o csv: {}.", left_out.join(", "));
    }
    p.folded(&note, 0, DIM)?;
    writeln!(p.out)?;
    write_sections(p, &rest)
}

/// Writes sections, each under its head.
fn write_sections(p: &mut Printer<'_>, all: &[Section]) -> io::Result<()> {
    for (head, text) in all {
        for (i, line) in fold(text, p.style.width.saturating_sub(19)).iter().enumerate() {
            let head = if i == 0 { head } else { "" };
            writeln!(p.out, "{}{line}", p.painted(&format!("{head:<18} "), BOLD))?;
        }
    }
    Ok(())
}

/// A head, and what stands under it.
pub(super) type Section = (&'static str, String);

/// The sections of the report: what a person acts on, and what it rests on.
pub(super) fn sections(told: &Told) -> (Vec<Section>, Vec<Section>) {
    let mut first =
        vec![("Recommendation", recommendation(told)), ("Confidence", confidence(told))];
    let mut all = Vec::new();
    first.extend(standing(told).map(|text| ("Without failures", text)));
    first.extend(not_back(told).map(|text| ("Not back", text)));
    first.extend(failed(told.kept).map(|text| ("Failed Jobs", text)));
    first.extend(out_of_memory(told).map(|text| ("Out of memory", text)));
    first.extend(closed(told).map(|text| ("Closed form", text)));
    if told.answer.wanted.is_none() {
        first.extend(changes(told).map(|text| ("It would change if", text)));
        all.extend(comes_from(told).map(|text| ("It comes from", text)));
        all.extend(not_decided(told).map(|text| ("Not decided", text)));
        all.extend(told.together.clone().map(|text| ("Together", text)));
    }
    first.extend(no_price(told).map(|text| ("Prices", text)));
    if told.objective.prices[BELOW] > 0.0 {
        let text =
            "fewer pods up than a workload's `needs` says, else its disruption budget, else one";
        first.push(("Below need", text.to_owned()));
    }
    all.extend(told.years.clone().map(|text| ("Whole years", text)));
    all.push(("Rests on", rests_on(told)));
    (first, all)
}

/// After how many outages pods did not come back: then a cost is the least that it can be.
fn not_back(told: &Told<'_>) -> Option<String> {
    let some = told.often(&told.kept.open)?;
    Some(format!(
        "pods were missing still when the run of an outage ended, 15 minutes after it or the time of --needless-within, {some}: what they cost from then on is in no figure"
    ))
}

/// What values cost in a year in which nothing fails, beyond what all of them do: it is in their figures. Workloads that
/// are below their need with every value are not.
fn standing(told: &Told<'_>) -> Option<String> {
    const SHOWN: usize = 4;
    let say = |row: usize| {
        let figures = told.kept.standing(row).iter().enumerate();
        let some = figures.filter(|(_, amount)| **amount > 0.0);
        let some = joined(some.map(|(i, n)| format!("{} {}", amount(*n), plural(i))), ", ")?;
        Some(format!("{}: {some} a year", told.name(row)))
    };
    let all: Vec<String> = (0..told.kept.rows.len()).filter_map(say).collect();
    let more = all.len().saturating_sub(SHOWN);
    let more = (more > 0).then(|| format!("and {}", counted(more, "more value")));
    let always = always_below(&told.kept.always_below);
    joined(all.into_iter().take(SHOWN).chain(more).chain(always), "; ")
}

/// `Deployment shop/web is below what it needs all the time …`, of workloads that are so with every value.
fn always_below(names: &BTreeSet<String>) -> Option<String> {
    let all = few(3, names.iter().map(|name| name.replacen('/', " ", 1)));
    let is = if names.len() == 1 { "is below what it needs" } else { "are below what they need" };
    let rest = "all the time, with every value: minutes below need are those of the others";
    (!names.is_empty()).then(|| format!("{all} {is} {rest}"))
}

/// What to do where evictions cost nothing, so that at once is always best.
fn no_price(told: &Told) -> Option<String> {
    let prices = told.objective.prices;
    (prices[EVICTED] == 0.0 && prices[NEEDLESS] == 0.0 && changes(told).is_none()).then(|| {
        "evictions cost nothing here; --price evicted=5m would say what one is worth, and --within 'needless<=20/y' how many there may be".to_owned()
    })
}

/// Until what is known: nothing is recommended.
fn not_known(told: &Told, wanted: u64) -> String {
    let a = told.answer;
    let longer = told.longer(wanted).map(|l| format!("{l} of --budget may do"));
    let longer = longer.unwrap_or_else(|| "more time".to_owned());
    let (n, what) = (a.n, told.what_is_counted());
    let mut text = format!("not known yet: {n} paired {what} tell too little; {longer}");
    if let Some(best) = a.closed_best
        && let (Some(by_best), Some(by_now)) = (a.rows[best].closed, told.now().closed)
    {
        let (less, unit) = (amount(by_now - by_best), &told.objective.unit);
        let (name, now) = (told.name(best), told.name(a.now));
        let differs = a.rows.iter().any(|r| r.closed.is_some_and(|c| c != by_best));
        text += ". By formula ";
        text += &match (differs, best == a.now) {
            (false, _) => "all of them cost the same".to_owned(),
            (true, true) => format!("{name} is best, as it is now"),
            (true, false) => format!("{name} is best: {less} {unit} a year less than {now}"),
        };
    }
    text
}

/// Why it does not matter which value is taken, where neither formula nor any of so many outages tells
/// values apart: more of them would not, either.
fn nothing_matters(by_formula: &[Option<f64>], met_nothing: bool, n: u64) -> Option<String> {
    let is_same = by_formula.iter().all(|cost| cost.is_some() && *cost == by_formula[0]);
    (is_same && met_nothing).then(|| {
        format!(
            "no value matters, as such faults do not concern what is chosen, or what it does in them is not simulated (see the notes): by formula all cost the same, and none of {n} paired outages of each model made a difference"
        )
    })
}

impl Told<'_> {
    /// Whether the runs say what to do, if only that no value matters.
    pub(crate) fn is_known(&self) -> bool {
        self.answer.wanted.is_none() || self.nothing_matters().is_some()
    }

    fn nothing_matters(&self) -> Option<String> {
        let by_formula: Vec<Option<f64>> = self.answer.rows.iter().map(|r| r.closed).collect();
        nothing_matters(&by_formula, concerns_nothing(self), self.answer.n)
    }
}

fn recommendation(told: &Told<'_>) -> String {
    let (best, now, a) = (told.best(), told.now(), told.answer);
    let unit = &told.objective.unit;
    if let Some(wanted) = a.wanted {
        let nothing = told.nothing_matters().map(|why| format!("{}: {why}", stays(told)));
        return nothing.unwrap_or_else(|| not_known(told, wanted));
    }
    let (settings, name) = (told.settings(), told.name(a.best));
    if !a.keeps {
        let limits = best.breaks.join(", ");
        return format!(
            "no recommendation, as no value keeps {limits}; {settings} {name} costs least"
        );
    }
    if a.best == a.now {
        let text = format!("{}: {} {unit} a year", stays(told), amount(best.cost));
        return text + &unsure(best) + &doubts(told);
    }
    let i = now.more_interval;
    if a.stays() {
        let (stays, by, range) = (stays(told), amount(now.more), range(i.low, i.high));
        return format!(
            "{stays}: nothing is known to be better; {name} may save {by} {unit} a year {range}{}",
            short_of_memory(told)
        );
    }
    let is = if is_untried(now) { "another".to_owned() } else { told.name(a.now) };
    let mut text = format!("{settings} {name} (now {is}): {}", saves(now.more, i, unit));
    let changed = |f: usize| {
        let by = best.figures[f] - now.figures[f];
        let word = if by > 0.0 { "more" } else { "fewer" };
        let known = told.kept.differs(f, [a.best, a.now], a.confidence);
        (known && by.abs() >= 0.05).then(|| format!("{} {word} {}", amount(by.abs()), plural(f)))
    };
    let changed: Vec<String> = [0, 3, 4, 1].into_iter().filter_map(changed).collect();
    if !changed.is_empty() {
        text += &format!(": {}", changed.join(", "));
    }
    if !now.breaks.is_empty() {
        text += &format!("; what is set now breaks {}", now.breaks.join(", "));
    }
    text + &unsure(best) + &doubts(told)
}

/// What a change saves a year; what keeps a limit may cost more than what is set now.
fn saves(by: f64, i: Interval, unit: &str) -> String {
    if by >= 0.0 {
        return format!("saves {} {unit} a year {}", amount(by), range(i.low, i.high));
    }
    format!("costs {} {unit} a year more {}", amount(-by), range(-i.high, -i.low))
}

/// Limits that are kept, but perhaps by chance.
fn unsure(row: &Row) -> String {
    let say = |(limit, i): &(String, Interval)| {
        format!("; that it keeps {limit} is not sure {}", range(i.low.max(0.0), i.high))
    };
    row.unsure.iter().map(say).collect()
}

/// Whether what is set now is none of the values that were tried.
fn is_untried(now: &Row) -> bool {
    now.values.iter().all(|v| v == AS_IT_IS)
}

/// What is set now, with its value where it is one of those that were tried.
fn stays(told: &Told<'_>) -> String {
    let now = if is_untried(told.now()) { String::new() } else { told.name(told.answer.now) + " " };
    format!("{} {now}stays as it is", told.settings())
}

fn confidence(told: &Told<'_>) -> String {
    let a = told.answer;
    let percent = told.percent();
    let what = told.what_is_counted();
    if a.wanted.is_some() {
        return format!("none: {}", met(told).join(", "));
    }
    let by = if a.guaranteed { "KN, " } else { "" };
    let off = || format!(", or within {} {} a year of it,", amount(a.off), told.objective.unit);
    let off = if a.off > 0.0 { off() } else { String::new() };
    // Where what is set now is recommended instead, what is said of the best is not said of that.
    let best = match a.best != a.recommended() {
        true => format!("{} is best", told.name(a.best)),
        false => "best".to_owned(),
    };
    let mut text =
        format!("{best} of {}{off} with {percent} % ({by}{} paired {what})", a.rows.len(), a.n);
    if a.same.len() > 1 {
        let names = |of: &[usize]| {
            let names: Vec<String> = of.iter().map(|r| told.name(*r)).collect();
            names.join(", ")
        };
        let most = a.same.iter().map(|r| a.rows[*r].more_interval.high);
        let most = amount(most.fold(0.0, f64::max));
        let unit = &told.objective.unit;
        text += &format!("; {} cannot be told apart", names(&a.same));
        text.push_str(&match a.open {
            None if concerns_nothing(told) => {
                ": no outage made a difference between them, as such faults do not concern what is chosen, or what it does in them is not simulated (see the notes)".to_owned()
            }
            None if a.good == a.same => {
                format!(": any of them will do, to within {most} {unit} a year")
            }
            None => {
                format!("; any of {} will do, to within {most} {unit} a year", names(&a.good))
            }
            Some(wanted) => {
                let longer = told.longer(wanted).map(|l| format!("; {l} may tell"));
                let longer = longer.unwrap_or_default();
                format!(" yet: one may cost up to {most} {unit} a year more{longer}")
            }
        });
    }
    text + &never_below(told)
}

/// Where minutes below need count and no replication had any, how seldom they come: how many they are then, nothing says.
fn never_below(told: &Told<'_>) -> String {
    let a = told.answer;
    let counts = told.objective.prices[BELOW] > 0.0
        || told.kept.limits.iter().any(|limit| limit.starts_with("below"));
    let has_none = |r: &&Row| r.figures[BELOW] == 0.0 && r.spans[BELOW].high == 0.0;
    let rows = a.rows.iter().enumerate().filter(|(_, r)| counts && has_none(r));
    let names = rows.map(|(row, _)| told.name(row)).collect::<Vec<_>>().join(", ");
    if names.is_empty() {
        return names;
    }
    let (what, once) = (told.what_is_counted(), amount(a.n as f64 / unseen(a.confidence)));
    format!(
        "; in none of {} {what} was anything below its need with {names}: it comes less than once in {once} with {} %, and for how long then is not known",
        a.n,
        told.percent()
    )
}

/// Whether no outage of any model made a difference between values.
fn concerns_nothing(told: &Told) -> bool {
    let kept = told.kept;
    matches!(kept.counting.0, Counting::Outages)
        && !kept.met.is_empty()
        && kept.met.iter().flatten().all(|met| *met == 0)
}

/// How many outages of each model met what is chosen, so that values came to different figures.
fn met(told: &Told) -> Vec<String> {
    let (kept, n) = (told.kept, told.answer.n);
    let say = |(met, (name, _)): (&Vec<u64>, &(String, f64))| {
        let met = met.iter().max().copied().unwrap_or(0);
        format!("{met} of {n} outages of {name} made a difference between values")
    };
    match kept.counting.0 {
        Counting::Outages => kept.met.iter().zip(&kept.models).map(say).collect(),
        Counting::Years => vec![format!("{n} years")],
    }
}

fn comes_from(told: &Told<'_>) -> Option<String> {
    let (a, best) = (told.answer, told.best());
    let anyway = told.kept.standing_cost(told.objective, a.best) / best.cost.max(f64::MIN_POSITIVE);
    in_parts(&a.shares, anyway.min(1.0))
}

/// What part of a cost comes from which model, and what part of it there is without failures.
fn in_parts(shares: &[(String, f64)], anyway: f64) -> Option<String> {
    let say = |(name, share): (&str, f64)| {
        (share >= 0.005).then(|| format!("{name} {:.0} %", share * 100.0))
    };
    let models = shares.iter().map(|(name, share)| (name.as_str(), share * (1.0 - anyway)));
    let anyway = ("what it costs without failures, as hours of nodes,", anyway);
    joined(models.chain([anyway]).filter_map(say), ", ").filter(|_| !shares.is_empty())
}

fn not_decided(told: &Told<'_>) -> Option<String> {
    let best = told.best();
    let say = |&f: &usize| format!("{} {}", from_zero(best.figures[f], &best.spans[f]), plural(f));
    let all = joined(told.answer.unmoved.iter().map(say), ", ")?;
    Some(format!("hardly changed by any of these values: {all} a year"))
}

fn rests_on(told: &Told<'_>) -> String {
    let model = |(name, rate): &(String, f64)| format!("{name} {} a year", amount(*rate));
    let models: Vec<String> = told.kept.models.iter().map(model).collect();
    let way = match told.kept.counting.0 {
        Counting::Outages if told.kept.matters.iter().any(Option::is_some) => {
            "one outage at a time, weighted by its rate, the nodes it takes and its length at their means"
        }
        Counting::Outages => "one outage at a time, weighted by its rate",
        Counting::Years => "whole years, each figure their mean",
    };
    let seldom = seldom(told.kept).map_or_else(String::new, |names| {
        format!("; of what comes too seldom for them ({names}) one outage at a time, weighted by its rate, where pods are now")
    });
    let line = match told.source.line.as_str() {
        "" => String::new(),
        line => format!("; {line}"),
    };
    let (size, faults) = (size_in_words(&told.kept.size()), &told.source.faults);
    let of = &told.kept.counting.1;
    format!("{size}{line}; {faults}: {}; {way} ({of}){seldom}", models.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{BTreeSet, Interval, always_below, in_parts, nothing_matters, saves};

    /// More time is asked for only where it may tell something.
    #[test]
    fn where_nothing_matters_no_time_is_asked_for() {
        let said = nothing_matters(&[Some(3.0), Some(3.0)], true, 24);
        assert!(said.is_some_and(|said| said.contains("none of 24 paired outages")));
        assert_eq!(nothing_matters(&[Some(3.0), Some(3.0)], false, 24), None);
        assert_eq!(nothing_matters(&[Some(3.0), Some(4.0)], true, 24), None);
        assert_eq!(nothing_matters(&[Some(3.0), None], true, 24), None);
        assert_eq!(nothing_matters(&[None, None], true, 24), None);
    }

    /// Of 13,263 EUR a year 12 nodes of 8,760 hours at 0.1 EUR are 10,512, which is 79 %.
    #[test]
    fn hours_of_nodes_come_from_no_model() {
        let of = |anyway| in_parts(&[("boot".to_owned(), 1.0)], anyway).unwrap_or_default();
        assert_eq!(of(0.0), "boot 100 %");
        let anyway = "what it costs without failures, as hours of nodes, 79 %";
        assert_eq!(of(10_512.0 / 13_263.0), format!("boot 21 %, {anyway}"));
        assert_eq!(in_parts(&[], 0.5), None);
    }

    #[test]
    fn who_is_always_below_its_need_is_named() {
        let of = |names: &[&str]| {
            let names: BTreeSet<String> = names.iter().map(|name| (*name).to_owned()).collect();
            always_below(&names).unwrap_or_default()
        };
        assert_eq!(of(&[]), "");
        assert!(of(&["Deployment/shop/web"]).starts_with("Deployment shop/web is below"));
        let four = of(&["Job/a/d", "Job/a/c", "Job/a/b", "Job/a/a"]);
        assert!(four.starts_with("Job a/a, Job a/b, Job a/c and 1 more are below"), "{four}");
    }

    #[test]
    fn what_keeps_a_limit_may_cost_more() {
        let of = |mean: f64| {
            let (low, high) = (mean - 16.0, mean + 16.0);
            saves(mean, Interval { low, high }, "EUR")
        };
        assert_eq!(of(264.0), "saves 264 EUR a year (248 to 280)");
        assert_eq!(of(-393.0), "costs 393 EUR a year more (377 to 409)");
    }
}
