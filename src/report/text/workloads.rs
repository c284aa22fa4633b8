//! What became of each workload; costs and spans of time in words.

use super::style::{PLAIN, Printer};
use crate::analysis::Costs;
use crate::analysis::serving::{self, Count, Served};
use crate::analysis::words;
use crate::analysis::workloads::WorkloadOutcome;
use crate::report::model::Report;
use crate::report::prelude::*;

/// The most workloads that have lines of their own.
const WORKLOADS: usize = 12;

impl Printer<'_> {
    /// One line for each workload that fared badly, and one for the others together.
    pub(super) fn workloads(&mut self, report: &Report<'_>) -> io::Result<()> {
        let lines = workload_lines(report);
        if lines.is_empty() {
            return Ok(());
        }
        self.title("Workloads")?;
        for said in lines {
            write!(self.out, "  ")?;
            self.folded(&said, 4, PLAIN)?;
        }
        writeln!(self.out)
    }
}

/// One line for each workload that fared badly, and one for the others together; none where there
/// are no workloads.
pub(crate) fn workload_lines(report: &Report<'_>) -> Vec<String> {
    let all = &report.serving.workloads;
    if all.iter().all(|w| w.id.is_none()) {
        return Vec::new();
    }
    let mut bad: Vec<&Served> = all.iter().filter(|w| !is_well(report, w)).collect();
    bad.sort_by_key(|w| std::cmp::Reverse(w.costs.missing_ns));
    let said = |w: &&Served| format!("{}: {}", w.name.replacen('/', " ", 1), outcome(report, w));
    let mut lines: Vec<String> = bad.iter().take(WORKLOADS).map(said).collect();
    if bad.len() > WORKLOADS {
        let more = grouped((bad.len() - WORKLOADS) as u64);
        lines.push(format!("{more} more fared badly: see summary.json"));
    }
    let well = all.iter().filter(|w| w.from.is_some() && is_well(report, w));
    let well: Vec<&Served> = well.collect();
    if !well.is_empty() {
        lines.push(fared_well(&well, bad.is_empty()));
    }
    lines
}

/// What is said of the workloads that fared well. One that never asked for a pod is none of them.
fn fared_well(well: &[&Served], all: bool) -> String {
    let other = if all { "" } else { "other " };
    let evicted: u64 = well.iter().map(|w| w.costs.evicted).sum();
    let evictions = match evicted {
        0 => String::new(),
        n => format!(" (evicted: {})", counted(n, "pod")),
    };
    let made = well.iter().any(|w| w.from > Some(Time::ZERO));
    let said = match (made, well.len()) {
        (false, _) => "were always up",
        (true, 1) => "were up from when it was first whole",
        (true, _) => "were up from when each was first whole",
    };
    let workloads = counted(well.len(), &format!("{other}workload"));
    format!("all pods of {workloads} {said}{evictions}")
}

/// It always had as many pods up as it asks for, and nothing waits; nothing was done to it before
/// that is counted.
fn is_well(report: &Report<'_>, w: &Served) -> bool {
    w.late(report.analysis).is_none()
        && w.costs.missing_ns == 0
        && w.costs.pending_at_end == 0
        && !w.has_failed()
        && by_api(report, w).is_none_or(|o| o.stuck == 0)
}

/// `counted from 25m55s on, when it was first whole; cut b came before`, where that is so.
pub(crate) fn counted_from(analysis: &Analysis<'_>, w: &Served) -> Option<String> {
    if let Some(harm) = w.held_up {
        let entry = analysis.entry_name(harm.entry)?;
        return Some(format!("never whole, as its pods were held up before {entry} came"));
    }
    serving::counted_from(analysis, w.late(analysis)?)
}

/// What it came to by the API, of a workload that is one.
fn by_api<'r>(report: &'r Report<'_>, w: &Served) -> Option<&'r WorkloadOutcome> {
    report.workloads.outcomes.iter().find(|o| Some(o.id) == w.id)
}

/// `28 of 30 up at the end, at worst 20; 34.2 replica-minutes missing; …`
fn outcome(report: &Report<'_>, w: &Served) -> String {
    let Count { desired, up, .. } = w.at_end();
    let horizon = report.analysis.horizon();
    let ended = w.ended.map(|r| {
        let lacks = words::unfinished(report.analysis, &r, horizon);
        format!("{}{lacks}; ", words::job_end(report.analysis, &r))
    });
    let mut said = ended.unwrap_or_default();
    said += &format!("{} of {} up at the end", grouped(up.into()), grouped(desired.into()));
    if let Some(counted) = counted_from(report.analysis, w) {
        said += &format!("; {counted}");
    }
    let least = w.spans(horizon).filter(|(.., c)| c.up < c.desired).map(|(.., c)| c.up).min();
    if let Some(least) = least {
        said += &format!(", at worst {}; {}", grouped(least.into()), missing(&w.costs));
    }
    if w.costs.requests_lost > 0 {
        said += &format!("; requests lost: {}", requests_lost(&w.costs));
    }
    if w.costs.ghost_ns >= 60_000_000_000 {
        said += &format!("; ghosts: {}", tenths(w.costs.ghost_ns, "minute"));
    }
    if w.costs.evicted > 0 {
        said += &format!("; {} evicted", grouped(w.costs.evicted));
    }
    let Some(o) = by_api(report, w) else { return said };
    if o.lost > 0 {
        said += &format!("; {} lost, {} replaced", grouped(o.lost), grouped(o.replaced));
    }
    if let Some(why) = o.why_not_created.filter(|_| up < desired) {
        let why = report.analysis.trace.names.text_of(why);
        said += &format!("; no more of its pods can be created ({why})");
    }
    let others = [
        (o.stuck, "stuck Terminating", None),
        (o.pending, "pending", o.why_pending),
        (o.unattached, "waiting for a volume", o.why_unattached),
        (o.starting, "starting", None),
    ];
    for (n, what, why) in others.into_iter().filter(|(n, ..)| *n > 0) {
        let why = why.map(|why| format!(" ({})", report.analysis.trace.names.text_of(why)));
        said += &format!("; {} {what}{}", grouped(n), why.unwrap_or_default());
    }
    said
}

/// `34.2 replica-minutes missing; below need for 5m40s, at most 5m40s at a stretch; none up for 3m`
pub(super) fn missing(costs: &Costs) -> String {
    let mut said = format!("{} missing", tenths(costs.missing_ns, "replica-minute"));
    if !costs.below_need.is_zero() {
        said += &format!("; below need for {}", short(nearest_ms(costs.below_need)));
        if costs.longest_below_need < costs.below_need {
            let longest = short(nearest_ms(costs.longest_below_need));
            said += &format!(", at most {longest} at a stretch");
        }
    }
    if !costs.none_up.is_zero() {
        said += &format!("; none up for {}", short(nearest_ms(costs.none_up)));
    }
    said
}

/// `4.1 %, as if all had been lost for 1m14s`
pub(super) fn requests_lost(costs: &Costs) -> String {
    if costs.requests_lost == 0 {
        return "none".to_owned();
    }
    let share = decimal(Figure::RequestsLostShare.of(costs) * 100.0, 3);
    let seconds = Figure::RequestsLostMinutes.of(costs) * 60.0;
    let span = short(Dur::from_millis((seconds * 1000.0).round() as u64));
    format!("{share} %, as if all had been lost for {span}")
}

/// `3 pods at the end, 12 at one time, the longest for 10m`
pub(super) fn pending(costs: &Costs) -> String {
    let (end, most) = (counted(costs.pending_at_end, "pod"), grouped(costs.most_pending));
    let longest = short(nearest_ms(costs.longest_pending));
    format!("{end} at the end, {most} at one time, one of them for {longest}")
}

/// `12.3 minutes` of pod-nanoseconds; what would read as none is written in seconds.
pub(crate) fn tenths(ns: u128, unit: &str) -> String {
    if (1..3_000_000_000).contains(&ns) {
        return format!("{:.3} {}s", ns as f64 / 1e9, unit.replace("minute", "second"));
    }
    let tenths = (ns + 3_000_000_000) / 6_000_000_000;
    format!("{}.{} {unit}s", grouped((tenths / 10) as u64), tenths % 10)
}

/// With that many digits, and with more where a value that is not zero would read as zero.
pub(crate) fn decimal(value: f64, digits: usize) -> String {
    const MOST: usize = 9;
    let says = |text: &String| value == 0.0 || text.bytes().any(|b| (b'1'..=b'9').contains(&b));
    let mut texts = (digits..=MOST).map(|n| format!("{value:.n$}"));
    texts.find(says).unwrap_or_else(|| format!("{value:.digits$}"))
}

/// To the nearest millisecond.
fn nearest_ms(d: Dur) -> Dur {
    d.saturating_add(Dur::from_micros(500)).whole_millis()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 96,019 of ten million are 0.96019 %, and of 1,000 s that share is 9.6019 s.
    #[test]
    fn shares_are_rounded_to_the_nearest() {
        let of = |requests_lost| {
            let (requests, observed) = (10_000_000, Dur::from_secs(1_000));
            super::requests_lost(&Costs { requests_lost, requests, observed, ..Costs::default() })
        };
        assert_eq!(of(96_019), "0.960 %, as if all had been lost for 9.602s");
        assert!(of(40).starts_with("0.0004 %, "), "{}", of(40));
        assert_eq!(of(0), "none");
    }
}
