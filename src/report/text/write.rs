//! The whole report, part by part, and the summary: what happened to how many, and what it cost.

use super::style::{DIM, PLAIN, Printer, Style, YELLOW, joined};
use super::workloads::{missing, pending, requests_lost, tenths};
use crate::analysis::drains::drains;
use crate::analysis::{Metrics, Spread, Summary, size_in_words};
use crate::files::PACKED;
use crate::report::files::Written;
use crate::report::model::Report;
use crate::report::prelude::*;
use crate::trace::{Actor, EvictionCause};

/// Writes the report; `written` says where its files are, if there are any.
///
/// # Errors
/// Those of `out`.
pub fn write(
    out: &mut dyn Write,
    report: &Report<'_>,
    written: Option<&Written>,
    style: Style,
) -> io::Result<()> {
    let mut p = Printer::new(out, style);
    p.header(report)?;
    p.timeline(report)?;
    p.rest(report, written)
}

impl Printer<'_> {
    /// What follows the timeline: behind the header alone, the report in short.
    pub(crate) fn rest(&mut self, report: &Report<'_>, files: Option<&Written>) -> io::Result<()> {
        self.summary(report)?;
        self.workloads(report)?;
        self.end(files)
    }

    /// What was run.
    pub(crate) fn header(&mut self, report: &Report<'_>) -> io::Result<()> {
        let plan = report.analysis.plan;
        self.title(&plan.name)?;
        if !plan.doc.is_empty() {
            self.indented(&plan.doc, 2, PLAIN)?;
        }
        let (release, timing, seed) = (report.release(), &plan.timing.name, report.source.seed);
        let (size, horizon) = (size_in_words(&plan.size()), report.analysis.horizon());
        let horizon = short(horizon.since(Time::ZERO));
        let line = format!("Kubernetes {release}, timing {timing}, seed {seed}, {size}, {horizon}");
        self.indented(&line, 2, PLAIN)?;
        if !plan.profile.recorded {
            self.indented("This release was not checked against recordings.", 2, YELLOW)?;
        }
        self.notes(&report.placed_notes())?;
        writeln!(self.out)
    }

    fn end(&mut self, written: Option<&Written>) -> io::Result<()> {
        if let Some(w) = written {
            self.files(w)?;
            self.packed(&w.names())?;
        }
        self.folded("One seed is one sample: another draws other delays and orders.", 0, DIM)
    }

    /// Says which files are packed, and how to have them otherwise.
    fn packed(&mut self, names: &[&str]) -> io::Result<()> {
        let packed: Vec<&str> = names.iter().copied().filter(|n| n.ends_with(PACKED)).collect();
        if packed.is_empty() {
            return Ok(());
        }
        let are = if packed.len() == 1 { "is" } else { "are" };
        let text = format!(
            "{} {are} packed: `--records jsonl` leaves them as text, `--records parquet` writes tables for DuckDB, pandas and Polars.",
            packed.join(", ")
        );
        self.folded(&text, 0, DIM)
    }

    /// The summary of a run.
    fn summary(&mut self, report: &Report<'_>) -> io::Result<()> {
        self.title("Summary")?;
        summary_lines(report).iter().try_for_each(|(name, said)| self.line(name, said))?;
        writeln!(self.out)
    }
}

/// A line of the summary: its name, and what is said.
type Line = (&'static str, String);

/// The lines that are so.
fn where_so<const N: usize>(all: [(bool, &'static str, String); N]) -> Vec<Line> {
    all.into_iter().filter(|line| line.0).map(|(_, name, said)| (name, said)).collect()
}

/// The lines of the summary of a run.
pub(crate) fn summary_lines(report: &Report<'_>) -> Vec<Line> {
    let s = &report.summary;
    let draining = drains(report.analysis).iter().filter(|d| d.goes_on()).count();
    let mut lines = evictions(s, draining as u64);
    let all = &report.serving.workloads;
    let late = all.iter().filter(|w| w.late(report.analysis).is_some());
    lines.extend(costs(&s.metrics, late.count()));
    lines.extend(pulls(s));
    if s.volumes_refused > 0 {
        let requests = counted(s.volumes_refused, "request");
        lines.push(("volumes", format!("{requests} to make one refused by drivers")));
    }
    lines.extend(latencies(s, report.analysis.plan));
    lines.push(("at the end", end(s)));
    lines
}

/// Who was evicted, and who was not; `draining` nodes are being drained at the end.
fn evictions(s: &Summary, draining: u64) -> Vec<Line> {
    let kept = format!("{} that had a timer or a node tainted NoExecute", counted(s.kept, "pod"));
    let then = match s.evictions_refused_for_good {
        0 => ", each tried again after 5 s".to_owned(),
        n if n == s.evictions_refused => ", for good".to_owned(),
        n => format!(", {} for good, the others tried again after 5 s", grouped(n)),
    };
    let refused = grouped(s.evictions_refused) + &then;
    let shut_down = format!("{}, with their nodes", counted(s.shut_down, "pod"));
    let still = format!("{} at the end", counted(draining, "node"));
    let by = |(actor, n): (&Actor, &u64)| {
        // What has ended is cleared away, which evicts nobody.
        let cause = EvictionCause::of_controller(*actor);
        let evicted = cause.map(|c| s.evicted_by.get(&c).copied().unwrap_or(0));
        let ended = evicted.map_or(0, |evicted| n.saturating_sub(evicted));
        let ended = (ended > 0).then(|| format!(" ({} had ended)", grouped(ended)));
        format!("{} {}{}", actor.as_str(), grouped(*n), ended.unwrap_or_default())
    };
    let deletions = s.deletions.iter().map(by).collect::<Vec<_>>().join(", ");
    where_so([
        (true, "evicted", evicted(s)),
        (true, "kept", kept),
        (true, "pending timers", grouped(s.pending_timers)),
        (s.shut_down > 0, "shut down", shut_down),
        (s.evictions_failed > 0, "failed evictions", grouped(s.evictions_failed)),
        (s.evictions_refused > 0, "refused evictions", refused),
        (s.nodes_not_drained > 0, "not drained", counted(s.nodes_not_drained, "node")),
        (draining > 0, "still draining", still),
        (s.refused > 0, "kubectl refused", grouped(s.refused)),
        (!s.deletions.is_empty(), "deletions", deletions),
    ])
}

/// What was missing, and what ran on; this number of workloads was hit before it is counted.
fn costs(m: &Metrics, late: usize) -> Vec<Line> {
    let uncounted = match late {
        0 => String::new(),
        n => format!("; of {} not counted before first whole", counted(n as u64, "workload")),
    };
    let (c, minutes) = (&m.costs, tenths(m.costs.ghost_ns, "minute"));
    let ghosts = format!("{minutes} of pods that were deleted or gone, and still up");
    let times = counted(c.restarts, "time");
    where_so([
        (true, "missing", missing(c) + &uncounted),
        (true, "requests lost", requests_lost(c) + &uncounted),
        (c.ghost_ns > 0, "ghosts", ghosts),
        (c.most_pending > 0, "pending", pending(c)),
        (c.restarts > 0, "restarts", format!("{times} a pod's containers were started anew")),
    ])
}

/// How long pods waited for the pulls of their images, where any did.
fn pulls(s: &Summary) -> Option<Line> {
    let (count, all, longest) = s.pulls;
    let failed =
        (s.pulls_failed > 0).then(|| format!("{} failed", counted(s.pulls_failed, "pull")));
    let waited = (count > 0).then(|| {
        let (pulls, longest) = (counted(count, "pull"), longest.whole_millis());
        let mean = Dur::from_nanos(all.as_nanos() / count).whole_millis();
        format!("{pulls} waited for, {mean} on average, {longest} the longest")
    });
    Some(("image pulls", joined(waited.into_iter().chain(failed), "; ")?))
}

/// How long it took to notice, to taint and to evict.
fn latencies(s: &Summary, plan: &Plan) -> Vec<Line> {
    let m = &s.metrics;
    let mut tainted = spread(s.nodes_tainted, m.tainting);
    if s.nodes_tainted_by_others > 0 {
        tainted += &format!("; {} by others", grouped(s.nodes_tainted_by_others));
    }
    let may_be_tainted =
        !plan.evicts_by_timeout() || s.nodes_tainted + s.nodes_tainted_by_others > 0;
    let of = |c| s.evicted_by.get(&c).copied().unwrap_or(0);
    let by_controllers = of(EvictionCause::Taint) + of(EvictionCause::Timeout);
    where_so([
        (true, "nodes Unknown", spread(s.nodes_unknown, m.detection)),
        (may_be_tainted, "nodes NoExecute", tainted),
        (m.eviction.is_some(), "eviction latency", spread(by_controllers, m.eviction)),
    ])
}

/// `8 pods, 2 needlessly (the node was back within 5m)`, with the causes where they are unusual.
fn evicted(s: &Summary) -> String {
    let m = &s.metrics;
    let mut evicted = counted(m.evicted, "pod");
    if m.evicted > 0 {
        // One cause that is the usual one needs no word.
        if s.evicted_by.keys().any(|c| *c != EvictionCause::Taint) {
            let by =
                s.evicted_by.iter().map(|(cause, n)| format!("{} by {}", grouped(*n), cause.by()));
            evicted += &format!(": {}", by.collect::<Vec<_>>().join(", "));
        }
        // What a drain evicts is not needless: somebody asked for it.
        if s.evicted_by.keys().any(|c| matches!(c, EvictionCause::Taint | EvictionCause::Timeout)) {
            let (back, n) = (short(m.window), grouped(m.needless));
            evicted += &format!(", {n} needlessly (the node was back within {back}");
            if m.undecided > 0 {
                evicted += &format!("; {} undecided when the run ended", grouped(m.undecided));
            }
            evicted.push(')');
        }
    }
    evicted
}

/// "834, +50.5s to +2m20s after the fault, median +1m10s"; of two times both, "2, +50.5s and +51.2s
/// after the fault", also where it happened to one twice.
fn spread(count: u64, s: Option<Spread>) -> String {
    let number = grouped(count);
    let Some(s) = s else { return number };
    let [min, median, max] = [s.min, s.median, s.max].map(|d| short(d.whole_millis()));
    let often = match (count, s.count) {
        (1, 2) => format!("{number}, twice"),
        (1, times) if times > 2 => format!("{number}, {} times", grouped(times as u64)),
        _ => number,
    };
    match (min == max, s.count) {
        (true, _) => format!("{often}, +{min} after the fault"),
        (false, 2) => format!("{often}, +{min} and +{max} after the fault"),
        (false, _) => format!("{often}, +{min} to +{max} after the fault, median +{median}"),
    }
}

/// How nodes and pods were when the run ended.
fn end(s: &Summary) -> String {
    let some = |list: &[(u64, &str)]| {
        let some = list.iter().filter(|p| p.0 > 0);
        joined(some.map(|(n, what)| format!("{} {what}", grouped(*n))), ", ")
    };
    let parts = |list: &[(u64, &str)]| some(list).unwrap_or_else(|| "none".to_owned());
    let node = |h: Health| s.end.nodes[h.index()];
    let healths = [
        (node(Health::Ready), "Ready"),
        (node(Health::Silent), "silent"),
        (node(Health::Unknown), "Unknown"),
        (node(Health::NotReady), "NotReady"),
    ];
    let (nodes, all) = (parts(&healths), healths.iter().map(|(n, _)| n).sum::<u64>());
    let e = &s.end;
    let marks = some(&[(e.nodes_no_execute, "with NoExecute"), (e.nodes_cordoned, "cordoned")]);
    // Beside nodes of several states they would be read as the last one's.
    let marks = marks.map_or(String::new(), |marks| match healths.iter().any(|(n, _)| *n == all) {
        true => format!(" ({marks})"),
        false => format!("; of all {}: {marks}", grouped(all)),
    });
    let pods = parts(&[
        (e.available, "running and ready"),
        (e.dead, "ready by the API and not up"),
        (e.not_ready, "running but not ready"),
        (e.pending, "pending"),
        (e.terminating, "terminating"),
        (e.finished, "finished"),
    ]);
    format!("nodes: {nodes}{marks}; pods: {pods}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_are_tainted_or_cordoned_are_told_beside_those_that_are_ready() {
        let mut s = Summary::default();
        s.end.nodes[Health::Ready.index()] = 29;
        assert_eq!(end(&s), "nodes: 29 Ready; pods: none");
        s.end.nodes_cordoned = 2;
        assert_eq!(end(&s), "nodes: 29 Ready (2 cordoned); pods: none");
        s.end.nodes_no_execute = 1;
        assert_eq!(end(&s), "nodes: 29 Ready (1 with NoExecute, 2 cordoned); pods: none");
        s.end.nodes[Health::Unknown.index()] = 2;
        let of_all =
            "nodes: 29 Ready, 2 Unknown; of all 31: 1 with NoExecute, 2 cordoned; pods: none";
        assert_eq!(end(&s), of_all);
        s.end.not_ready = 3;
        assert!(end(&s).ends_with("; pods: 3 running but not ready"));
    }

    /// Two times are both told. Of three nodes the middle one's is the median.
    #[test]
    fn one_node_has_its_own_times() {
        let of = |count, seconds: &[u64]| {
            let mut times: Vec<Dur> = seconds.iter().map(|s| Dur::from_secs(*s)).collect();
            spread(count, Spread::of(&mut times))
        };
        assert_eq!(of(1, &[]), "1");
        assert_eq!(of(1, &[44]), "1, +44s after the fault");
        assert_eq!(of(1, &[51, 44]), "1, twice, +44s and +51s after the fault");
        assert_eq!(of(1, &[44, 44]), "1, twice, +44s after the fault");
        assert_eq!(of(1, &[44, 51, 45]), "1, 3 times, +44s to +51s after the fault, median +45s");
        assert_eq!(of(3, &[44, 51, 45]), "3, +44s to +51s after the fault, median +45s");
        assert_eq!(of(2, &[44, 51]), "2, +44s and +51s after the fault");
    }
}
