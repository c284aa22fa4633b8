//! A forecast with what it was made from, what is said of it in sentences, and what sets it apart
//! from the one before.

use crate::analysis::course::{Goes, Happening};
use crate::analysis::{Frees, ranges, words};
use crate::lab::forecast::{ByWhen, Count, Forecast, Foreseen, Left, When};
use crate::language::few;
use crate::report::model::{WallClock, from_now};
use crate::report::prelude::*;
use crate::trace::Note;

/// Medians that are apart by no more than this are the same.
pub(super) const SAME: Dur = Dur::from_secs(2);

/// What pods are called that belong to no workload.
pub(super) const ALONE: &str = "without a workload";

/// What forecasts are made from.
#[derive(Debug, Default)]
pub(crate) struct Basis {
    /// When the export was made.
    pub(crate) clock: WallClock,
    /// Nodes that are silent from the start, and what is taken to become of them.
    pub(crate) silent: Vec<String>,
    pub(crate) course: String,
    /// `39 nodes, 85 pods`, the release, the horizon and such.
    pub(crate) head: String,
    /// What the runs rest on ([`manifest::basis`](crate::report::manifest)), how many they are, and how far they look.
    pub(crate) ran: Value,
    /// What a person should know before the figures are believed: what is asked for to happen, and
    /// the plan's notes.
    pub(crate) notes: Vec<String>,
    /// What frees pods and volumes of lost nodes.
    pub(crate) frees: Frees,
    /// How long it looks ahead.
    pub(crate) horizon: Time,
    /// What had not happened yet to the nodes and pods of the export; nothing else tells what has
    /// come since an earlier forecast.
    pub(crate) open: Option<BTreeSet<(Happening, String)>>,
    /// Nodes of the export have NoExecute taints.
    pub(crate) tainted: bool,
}

/// A forecast with what it was made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outlook<'a> {
    pub(crate) basis: &'a Basis,
    /// What the course is called.
    pub(crate) name: &'a str,
    pub(crate) forecast: &'a Forecast,
}

impl<'a> Outlook<'a> {
    /// Those of courses that are called so.
    pub(crate) fn all(basis: &'a Basis, courses: &'a [(String, Forecast)]) -> Vec<Self> {
        courses.iter().map(|(name, forecast)| Outlook { basis, name, forecast }).collect()
    }

    /// The notes of its basis, before them a sentence each on the eviction timers that are drawn.
    pub(super) fn notes(&self) -> Vec<String> {
        let drawn = |(reason, why): (Note, &str)| {
            let of = self.forecast.drawn.iter().filter(|((note, _), _)| *note == reason);
            let last =
                self.clock(Time::from_secs((*of.clone().map(|(_, most)| most).max()?).into()));
            let pods = ranges(&Vec::from_iter(of.map(|((_, pod), _)| pod)));
            Some(format!(
                "Assumed: eviction timers of {pods} are not over yet; {why}. When they end is drawn, by {last} at the latest."
            ))
        };
        let whys = [
            (Note::TimerUndated, "their nodes' taints have no `timeAdded`"),
            (Note::TimerOverdue, "by the `timeAdded` of their nodes' taints they should be"),
        ];
        whys.into_iter().filter_map(drawn).chain(self.basis.notes.iter().cloned()).collect()
    }

    /// What is refused of what it does, or changes nothing, and in how many of the seeds if not in
    /// all.
    pub(super) fn refused(&self) -> Vec<String> {
        let all = self.forecast.refused.iter();
        all.map(|left| format!("{}{}", left.said, unless_all(left.share))).collect()
    }

    /// The time of day at a time of its run.
    pub(super) fn clock(&self, at: Time) -> String {
        self.basis.clock.clock(at)
    }

    /// All of a kind, or what happens to the pods of a workload: who is first and who is last differs
    /// from seed to seed, so that no object's own times tell when these come.
    pub(super) fn span(&self, what: Happening, workload: Option<&str>) -> Option<&'a ByWhen> {
        let workload = workload.map(|of| if of == ALONE { "" } else { of });
        let mut all = self.forecast.by_when.iter();
        all.find(|b| b.what == what && b.workload.as_deref() == workload)
    }

    /// Whether pods of a workload have no successor before they are gone.
    pub(super) fn holds(&self, workload: &str) -> bool {
        workload.starts_with("DaemonSet") || self.forecast.waits.contains(workload)
    }

    /// What is said where nothing comes.
    pub(super) fn nothing(&self) -> String {
        let (ahead, to) = (self.basis.horizon, self.clock(self.basis.horizon));
        format!("Nothing happens in the {} looked ahead (to {to}).", short(ahead.since(Time::ZERO)))
    }

    /// What comes in all, a sentence each.
    pub(super) fn answer(&self) -> Vec<String> {
        let nodes = [Happening::NodeNoExecute, Happening::NodeUnknown];
        let nodes = nodes.into_iter().filter_map(|what| self.span(what, None));
        let comes = |all: &ByWhen| {
            let noun = if all.what.is_of_pod() { "pod" } else { "node" };
            let (count, share) = all.in_all();
            let (is, get) = if count.median == 1 { ("is", "gets") } else { ("are", "get") };
            let comes = match (all.goes, all.what) {
                (Some(goes), _) => format!("{is} {}", goes.as_str()),
                (None, Happening::NodeUnknown) => format!("{is} given up (Ready: Unknown)"),
                _ => format!("{get} a NoExecute taint"),
            };
            let (from, to) = (self.clock(all.first.low), self.clock(all.last.high));
            let begins = from_now(all.first.low);
            let seeds = if share < 1.0 { format!("; {}", percent(share)) } else { String::new() };
            format!("{} {comes}, {from} to {to} ({begins}{seeds}).", how_many(&count, noun))
        };
        let mut said: Vec<String> = self.forecast.done.iter().chain(nodes).map(comes).collect();
        let bound = self.span(Happening::PodBound, None);
        if let Some(bound) = bound.and_then(|all| all.counts.last()) {
            let until = self.clock(self.basis.horizon);
            let word = if bound.median == 1 { "comes to a node" } else { "come to nodes" };
            said.push(format!("{} {word} until {until}.", how_many(bound, "pod")));
        }
        let words = ["Terminating on nodes that do not answer", "Pending"];
        let left = self.forecast.left.iter().zip(words).filter(|(count, _)| count.high > 0);
        for (count, word) in left {
            let stays = if count.median == 1 { "is" } else { "are" };
            said.push(format!("{} {stays} {word} at the end.", how_many(count, "pod")));
        }
        let Forecast { failed, unfinished, .. } = self.forecast;
        let jobs = [(words::JOBS_FAIL, failed), (words::JOBS_WAIT, unfinished)];
        let jobs = jobs.into_iter().filter(|(_, jobs)| !jobs.is_empty());
        said.extend(
            jobs.map(|(what, jobs)| format!("{what}: {}.", few(3, jobs.iter().map(fails)))),
        );
        said
    }

    /// To how many of those something has happened by the end.
    pub(super) fn total(&self, what: Happening, noun: &str) -> String {
        let all = self.span(what, None).and_then(|all| all.counts.last());
        all.map_or_else(|| counted(0, noun), |count| how_many(count, noun))
    }

    /// The pods that go.
    pub(super) fn deleted(&self) -> BTreeSet<&'a String> {
        self.of(Happening::PodDeleted).into_iter().map(|f| &f.object).collect()
    }

    /// What happens of a kind, in most seeds or in some.
    pub(super) fn of(&self, what: Happening) -> Vec<&'a Foreseen> {
        self.forecast.happenings.iter().filter(|f| f.what == what).collect()
    }

    /// What happens of these kinds, by workload.
    pub(super) fn by_workload(&self, kinds: &[Happening]) -> BTreeMap<&'a str, Vec<&'a Foreseen>> {
        let mut all: BTreeMap<&str, Vec<&Foreseen>> = BTreeMap::new();
        for f in self.forecast.happenings.iter().filter(|f| kinds.contains(&f.what)) {
            all.entry(f.workload.as_deref().unwrap_or(ALONE)).or_default().push(f);
        }
        all
    }

    /// `02:30:05 (in 8s; 02:30:05 to 02:30:16)`, and in which part of the seeds if not in all.
    pub(super) fn when(&self, when: &When) -> String {
        let mut text = format!("{} ({}", self.clock(when.median), from_now(when.median));
        if when.high.as_secs() > when.low.as_secs() + NARROW_S {
            text += &format!("; {} to {}", self.clock(when.low), self.clock(when.high));
        }
        if when.share < 1.0 {
            text += &format!("; {}", percent(when.share));
        }
        text + ")"
    }
}

/// What has changed since an earlier forecast, a sentence each, by clock times.
pub(crate) fn changes(before: &Outlook<'_>, now: &Outlook<'_>) -> Vec<String> {
    let of = |o: &Outlook<'_>| -> BTreeMap<_, i64> {
        let at = |f: &Foreseen| o.basis.clock.0 + (f.when.median.as_nanos() / 1_000) as i64;
        // Of what happens on the usual node or elsewhere that in more of the seeds stays.
        let mut all: Vec<&Foreseen> = o.forecast.happenings.iter().collect();
        all.sort_by(|a, b| a.when.share.total_cmp(&b.when.share));
        all.into_iter().map(|f| (((f.what, f.object.clone()), f.goes), at(f))).collect()
    };
    let (was, is) = (of(before), of(now));
    // The names of pods that are to come are made up, and stay so.
    let is_made_up = |what: Happening| what.is_of_pod() && what != Happening::PodDeleted;
    let mut lines = Vec::new();
    let clock = |us: i64| WallClock(us).clock(Time::ZERO);
    for (key, at) in &is {
        let (what, object) = (word(key.0.0, key.1), &key.0.1);
        match was.get(key) {
            None if !is_made_up(key.0.0) => {
                lines.push(format!("new: {what} {object} at {}", clock(*at)));
            }
            Some(then) if (at - then).unsigned_abs() > SAME.as_nanos() / 1_000 => {
                lines.push(format!("{what} {object}: {}, was {}", clock(*at), clock(*then)));
            }
            _ => {}
        }
    }
    for (key, at) in &was {
        let (of @ (what, object), goes) = key;
        if is.contains_key(key) || is_made_up(*what) {
            continue;
        }
        let may_come = match &now.basis.open {
            Some(open) => open.contains(of),
            None => *at > now.basis.clock.0,
        };
        let (what, at) = (word(*what, *goes), clock(*at));
        lines.push(match may_come {
            true => format!("no longer: {what} {object}, was {at}"),
            false => format!("past: {what} {object}, was foreseen for {at}"),
        });
    }
    lines
}

/// A range that is not wider is not worth a word: its ends are whole seconds.
const NARROW_S: u64 = 2;

impl ByWhen {
    /// How many there are by the end, over all seeds; where most have none, over those that have some, and in what part of
    /// the seeds that is.
    pub(super) fn in_all(&self) -> (Count, f64) {
        let some = (self.all, self.first.share);
        self.counts.last().filter(|count| count.median > 0).map_or(some, |count| (*count, 1.0))
    }
}

/// What happens, as documents call it; of a pod that goes and is not evicted, how.
pub(super) fn word(what: Happening, goes: Option<Goes>) -> String {
    match goes.filter(|goes| *goes != Goes::Evicted) {
        Some(goes) => format!("{} ({})", what.as_str(), goes.as_str()),
        None => what.as_str().to_owned(),
    }
}

/// `81 nodes`, `81 nodes (79 to 83)`
pub(super) fn how_many(count: &Count, noun: &str) -> String {
    counted(count.median, noun) + &in_range(count)
}

/// `81`, `81 (79 to 83)`
pub(crate) fn number(count: &Count) -> String {
    grouped(count.median) + &in_range(count)
}

/// The range of a count, in brackets, if there is one.
fn in_range(count: &Count) -> String {
    match count.low == count.high {
        true => String::new(),
        false => format!(" ({} to {})", grouped(count.low), grouped(count.high)),
    }
}

/// What is done to these pods that are deleted, in a word or two.
pub(super) fn done(pods: &[&Foreseen]) -> String {
    let ways: BTreeSet<Goes> = pods.iter().filter_map(|f| f.goes).collect();
    match Vec::from_iter(ways.into_iter().map(Goes::as_str)) {
        none if none.is_empty() => Goes::Evicted.as_str().to_owned(),
        ways => ways.join(" or "),
    }
}

/// The node of what happens, and in how many of the seeds if it is another in some.
pub(super) fn node(f: &Foreseen) -> Option<String> {
    let is_another = f.node_share < 1.0;
    let share = if is_another { unless_all(f.when.share * f.node_share) } else { String::new() };
    f.node.as_ref().map(|node| format!("{node}{share}"))
}

/// A Job that fails, why, or that waits, with which condition, and in how many of the seeds if not in all.
pub(super) fn fails(job: &Left) -> String {
    format!("{} ({}){}", job.pod, job.said, unless_all(job.share))
}

fn percent(share: f64) -> String {
    format!("in {:.0} % of the seeds", (share * 100.0).clamp(1.0, 99.0))
}

/// In how many of the seeds it is so, in brackets, unless it is in all.
pub(super) fn unless_all(share: f64) -> String {
    if share < 1.0 { format!(" ({})", percent(share)) } else { String::new() }
}

/// At most this many nodes, and as many pods that are evicted or stuck, are listed by default.
pub(super) const FEW: usize = 12;

/// What becomes of volumes that somebody waits for, by claim, and when the pods that have volumes are Ready.
pub(super) fn volumes(outlook: &Outlook<'_>) -> Vec<(String, String)> {
    let mut said: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (what, word, from) in [
        (Happening::VolumeDetached, "detached", "from"),
        (Happening::VolumeAttached, "attached", "to"),
    ] {
        for f in outlook.of(what) {
            let node = node(f).unwrap_or_else(|| "a node".to_owned());
            let line = format!("{word} {} {from} {node}", outlook.when(&f.when));
            said.entry(&f.object).or_default().push(line);
        }
    }
    for left in &outlook.forecast.held {
        let line = format!("{}{}", left.said, unless_all(left.share));
        said.entry(&left.pod).or_default().push(line);
    }
    let lines = said.into_iter().map(|(claim, said)| (claim.to_owned(), said.join("; ")));
    let mut lines: Vec<(String, String)> = lines.collect();
    lines.extend(outlook.of(Happening::PodReady).into_iter().map(|f| {
        let on = node(f).map_or(String::new(), |node| format!(" on {node}"));
        (f.object.clone(), format!("Ready {}{on}", outlook.when(&f.when)))
    }));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a controller deletes of a workload that is scaled down is not evicted.
    #[test]
    fn pods_are_evicted_or_deleted() {
        let at = Time::from_secs(60);
        let pod = |goes: Goes| Foreseen {
            what: Happening::PodDeleted,
            object: "shop/web-0".to_owned(),
            when: When { low: at, median: at, high: at, share: 1.0 },
            node: None,
            node_share: 1.0,
            workload: None,
            goes: Some(goes),
            in_seeds: vec![0],
        };
        let [evicted, preempted, scaled] = [Goes::Evicted, Goes::Preempted, Goes::Deleted].map(pod);
        assert_eq!(done(&[]), "evicted");
        assert_eq!(done(&[&evicted, &evicted]), "evicted");
        assert_eq!(done(&[&scaled]), "deleted");
        assert_eq!(done(&[&scaled, &evicted]), "evicted or deleted");
        assert_eq!(done(&[&evicted, &preempted, &scaled]), "evicted or preempted or deleted");
    }

    /// 09:00:00 and 300 s are 09:05:00: the longest of two.
    #[test]
    fn timers_that_are_drawn_are_told_before_the_notes() {
        let basis = Basis {
            ran: serde_json::Value::Null,
            clock: WallClock(9 * 3_600_000_000),
            silent: Vec::new(),
            course: String::new(),
            head: String::new(),
            notes: vec!["another".to_owned()],
            horizon: Time::ZERO,
            open: None,
            tainted: false,
            frees: Frees::ALL,
        };
        let of = |pod: &str, most| ((Note::TimerUndated, pod.to_owned()), most);
        let drawn = [of("shop/web-0", 300), of("shop/web-1", 30)].into();
        let forecast = Forecast { drawn, ..Forecast::default() };
        let notes = Outlook { basis: &basis, name: "as it is", forecast: &forecast }.notes();
        let said = "Assumed: eviction timers of shop/web-0..shop/web-1 are not over yet; their nodes' taints have no `timeAdded`. When they end is drawn, by 09:05:00 at the latest.";
        assert_eq!(notes, [said, "another"]);
    }
}
