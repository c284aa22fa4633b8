//! A forecast with what it was made from, what is said of it in sentences, and what sets it apart
//! from the one before.

use crate::analysis::Frees;
use crate::analysis::course::Happening;
use crate::analysis::ranges;
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
        format!("Nothing happens until {}.", self.clock(self.basis.horizon))
    }

    /// What comes in all, a sentence each.
    pub(super) fn answer(&self) -> Vec<String> {
        let total = |what| self.span(what, None)?.counts.last().copied();
        let span = |what| {
            let ByWhen { first, last, .. } = self.span(what, None)?;
            let (from, to) = (self.clock(first.low), self.clock(last.high));
            Some(format!("{from} to {to} ({})", from_now(first.low)))
        };
        let mut said = Vec::new();
        for (what, noun) in [
            (Happening::PodDeleted, "pod"),
            (Happening::NodeNoExecute, "node"),
            (Happening::NodeUnknown, "node"),
        ] {
            let Some((count, span)) = total(what).zip(span(what)) else { continue };
            let (is, get) = if count.median == 1 { ("is", "gets") } else { ("are", "get") };
            let how_many = how_many(&count, noun);
            let comes = match what {
                Happening::NodeUnknown => format!("{how_many} {is} given up (Ready: Unknown)"),
                Happening::NodeNoExecute => format!("{how_many} {get} a NoExecute taint"),
                _ => done_in_all(self.forecast.done, true),
            };
            said.push(format!("{comes}, {span}."));
        }
        if let Some(bound) = total(Happening::PodBound) {
            let until = self.clock(self.basis.horizon);
            let word = if bound.median == 1 { "comes to a node" } else { "come to nodes" };
            said.push(format!("{} {word} until {until}.", how_many(&bound, "pod")));
        }
        let words = ["Terminating on nodes that do not answer", "Pending"];
        let left = self.forecast.left.iter().zip(words).filter(|(count, _)| count.high > 0);
        for (count, word) in left {
            let stays = if count.median == 1 { "is" } else { "are" };
            said.push(format!("{} {stays} {word} at the end.", how_many(count, "pod")));
        }
        if !self.forecast.failed.is_empty() {
            let jobs = few(3, self.forecast.failed.iter().map(fails));
            said.push(format!("Jobs that fail, and are not done by anybody: {jobs}."));
        }
        said
    }

    /// To how many of those something has happened by the end.
    pub(super) fn total(&self, what: Happening, noun: &str) -> String {
        let all = self.span(what, None).and_then(|all| all.counts.last());
        all.map_or_else(|| counted(0, noun), |count| how_many(count, noun))
    }

    /// The pods that go.
    pub(super) fn deleted(&self) -> impl Iterator<Item = &'a String> {
        self.of(Happening::PodDeleted).into_iter().map(|f| &f.object)
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
    let of = |o: &Outlook<'_>| -> BTreeMap<(Happening, String), i64> {
        let at = |f: &Foreseen| o.basis.clock.0 + (f.when.median.as_nanos() / 1_000) as i64;
        let all = o.forecast.happenings.iter();
        all.map(|f| ((f.what, f.object.clone()), at(f))).collect()
    };
    let (was, is) = (of(before), of(now));
    // The names of pods that are to come are made up, and stay so.
    let is_made_up = |what: Happening| what.is_of_pod() && what != Happening::PodDeleted;
    let mut lines = Vec::new();
    let clock = |us: i64| WallClock(us).clock(Time::ZERO);
    for (key, at) in &is {
        let (what, object) = (key.0.as_str(), &key.1);
        match was.get(key) {
            None if !is_made_up(key.0) => {
                lines.push(format!("new: {what} {object} at {}", clock(*at)));
            }
            Some(then) if (at - then).unsigned_abs() > SAME.as_nanos() / 1_000 => {
                lines.push(format!("{what} {object}: {}, was {}", clock(*at), clock(*then)));
            }
            _ => {}
        }
    }
    for (key, at) in &was {
        let (what, object) = key;
        if is.contains_key(key) || is_made_up(*what) {
            continue;
        }
        let may_come = match &now.basis.open {
            Some(open) => open.contains(key),
            None => *at > now.basis.clock.0,
        };
        let (what, at) = (what.as_str(), clock(*at));
        lines.push(match may_come {
            true => format!("no longer: {what} {object}, was {at}"),
            false => format!("past: {what} {object}, was foreseen for {at}"),
        });
    }
    lines
}

/// A range that is not wider is not worth a word: its ends are whole seconds.
const NARROW_S: u64 = 2;

/// `12 pods evicted, 1 pod deleted`, or as a sentence begins, `12 pods are evicted, 1 pod is deleted`.
pub(super) fn done_in_all(done: [Count; 2], sentence: bool) -> String {
    let said = |(count, word): (Count, &str)| {
        let is = if count.median == 1 { "is " } else { "are " };
        format!("{} {}{word}", how_many(&count, "pod"), if sentence { is } else { "" })
    };
    let all = done.into_iter().zip(["evicted", "deleted"]).filter(|(count, _)| count.high > 0);
    let all: Vec<String> = all.map(said).collect();
    if all.is_empty() { "0 pods evicted".to_owned() } else { all.join(", ") }
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
pub(super) fn done(pods: &[&Foreseen]) -> &'static str {
    match pods.iter().filter(|f| f.evicted == Some(true)).count() {
        n if n == pods.len() => "evicted",
        0 => "deleted",
        _ => "evicted or deleted",
    }
}

/// The node of what happens, and in how many of the seeds if it is another in some.
pub(super) fn node(f: &Foreseen) -> Option<String> {
    let is_another = f.node_share < 1.0;
    let share = if is_another { unless_all(f.when.share * f.node_share) } else { String::new() };
    f.node.as_ref().map(|node| format!("{node}{share}"))
}

/// A Job that fails, why, and in how many of the seeds if not in all.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What a controller deletes of a workload that is scaled down is not evicted.
    #[test]
    fn pods_are_evicted_or_deleted() {
        let at = Time::from_secs(60);
        let pod = |evicted: bool| Foreseen {
            what: Happening::PodDeleted,
            object: "shop/web-0".to_owned(),
            when: When { low: at, median: at, high: at, share: 1.0 },
            node: None,
            node_share: 1.0,
            workload: None,
            evicted: Some(evicted),
            in_seeds: vec![0],
        };
        let (evicted, scaled) = (pod(true), pod(false));
        assert_eq!(done(&[&evicted, &evicted]), "evicted");
        assert_eq!(done(&[&scaled]), "deleted");
        assert_eq!(done(&[&evicted, &scaled]), "evicted or deleted");
        let count = |n: u64| Count { low: n, median: n, high: n };
        let range = Count { low: 4, ..count(5) };
        let all = |evicted, deleted| done_in_all([evicted, deleted], false);
        assert_eq!(all(count(12), count(1)), "12 pods evicted, 1 pod deleted");
        assert_eq!(all(count(1), range), "1 pod evicted, 5 pods (4 to 5) deleted");
        assert_eq!(all(count(0), count(1)), "1 pod deleted");
        assert_eq!(all(count(0), count(0)), "0 pods evicted");
        // The verb goes with the number that it follows.
        let some = [Count { high: 1, ..count(0) }, count(0)];
        assert_eq!(done_in_all(some, true), "0 pods (0 to 1) are evicted");
        assert_eq!(
            done_in_all([count(12), count(1)], true),
            "12 pods are evicted, 1 pod is deleted"
        );
    }

    /// 09:00:00 and 300 s are 09:05:00: the longest of two.
    #[test]
    fn timers_that_are_drawn_are_told_before_the_notes() {
        let basis = Basis {
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
