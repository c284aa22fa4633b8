//! Expectations about records: how many there are, and when.

use super::nearest::{Near, instead, nearest};
use super::never::never;
use super::objects::{Hit, Meant, may_be_one, node_ids, selected, were_on};
use super::prelude::*;

/// Whether as many were found as expected, and at the times at which they were expected.
pub(super) fn judge(run: &Run<'_>, sought: &Sought, hits: &[Hit]) -> Option<Failed> {
    let parts =
        [Judge::count, Judge::each, Judge::bounds, Judge::instants, Judge::first, Judge::spread];
    parts.into_iter().find_map(|part| part(&Judge { run, sought, hits }))
}

/// What was found of what was sought; each function judges one part of the expectation.
struct Judge<'a> {
    run: &'a Run<'a>,
    sought: &'a Sought,
    hits: &'a [Hit],
}

impl Judge<'_> {
    fn failed(&self, got: String, hits: &[Hit]) -> Failed {
        let records = hits.iter().map(|h| h.record).take(RECORDS).collect();
        let failed = self.run.failed(expected(self.run, self.sought), got, records);
        let failed = Failed { way: self.way(hits), ..failed };
        let is_late = |h: &Hit| self.sought.times.before.is_some_and(|by| h.at > by);
        let is_of_running = matches!(self.sought.what, Kind::Phase(PodPhase::Running));
        if !is_of_running || hits.iter().all(is_late) {
            return failed;
        }
        // Why one that runs was not evicted says nothing of that.
        let early = self.hits.iter().filter(|h| h.at == Time::ZERO).count();
        let early = (early > 0).then(|| format!("; {early} of them ran from the start"));
        Failed { got: failed.got + &early.unwrap_or_default(), about: None, ..failed }
    }

    /// Whether there are too few, or the first of those that are told comes too early; or the other way round.
    fn way(&self, told: &[Hit]) -> Ordering {
        let (count, times, n) = (&self.sought.count, &self.sought.times, self.hits.len() as u64);
        let (from, to) = times.first.unwrap_or((Time::ZERO, Time::MAX));
        let (from, to) = (times.after.unwrap_or(from), times.before.unwrap_or(to));
        match told.first() {
            _ if n < count.least => Ordering::Less,
            _ if n > count.most => Ordering::Greater,
            Some(hit) if hit.at < from => Ordering::Less,
            Some(hit) if hit.at > to => Ordering::Greater,
            _ => Ordering::Equal,
        }
    }

    fn count(&self) -> Option<Failed> {
        let (count, hits) = (&self.sought.count, self.hits);
        let n = hits.len() as u64;
        if (count.least..=count.most).contains(&n) {
            return None;
        }
        let got = if n == 0 { "none".to_owned() } else { format!("{n}{}", ends(hits)) };
        // The first one too many explains it, or one that is missing.
        let surplus = hits.get(usize::try_from(count.most).unwrap_or(usize::MAX));
        Some(match surplus {
            Some(hit) => Failed {
                records: hits.iter().map(|h| h.record).take(RECORDS).collect(),
                ..self.failed(got, &[*hit])
            },
            None => {
                let told = match &self.sought.what {
                    Kind::Event { .. } | Kind::Condition(..) | Kind::PodCondition(..) if n == 0 => {
                        never(self.run, self.sought)
                    }
                    Kind::Bound if n == 0 && self.sought.nodes.is_some() => {
                        settled(self.run, self.sought)
                    }
                    _ => None,
                };
                // That says it; the story of one of them is another.
                if let Some(told) = told {
                    return Some(self.failed(format!("{got}; {told}"), hits));
                }
                let about = lacking(self.run, self.sought, hits);
                let instead = match about {
                    Some(Object::Pod(pod)) => instead(self.run, self.sought, pod, n == 0),
                    _ => None,
                };
                let instead = instead.map_or(String::new(), |said| format!("; {said}"));
                self.failed(got + &instead, hits).about(about)
            }
        })
    }

    /// Whether each selected object has one.
    fn each(&self) -> Option<Failed> {
        if !self.sought.count.each {
            return None;
        }
        let mut missing = missing(self.run, self.sought, self.hits);
        if let Some(nodes) = &self.sought.nodes {
            let there = were_on(self.run, nodes, self.sought.times.during);
            missing.retain(|object| !matches!(object, Object::Pod(pod) if !there.contains(pod)));
        }
        let first = missing.first()?;
        let more = match missing.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} others"),
        };
        let name = match first {
            Object::Pod(id) => self.run.analysis.pod_name(*id),
            Object::Node(id) => self.run.analysis.node_name(*id),
            Object::Workload(_) | Object::Zone(_) => "them",
        };
        let failed = self.failed(format!("none of {name}{more}"), self.hits);
        Some(failed.about(Some(*first)))
    }

    /// Whether all lie between the bounds.
    fn bounds(&self) -> Option<Failed> {
        let times = &self.sought.times;
        let is_outside = |h: &Hit| {
            times.after.is_some_and(|t| h.at < t) || times.before.is_some_and(|t| h.at > t)
        };
        let outside: Vec<Hit> = self.hits.iter().copied().filter(is_outside).collect();
        (!outside.is_empty()).then(|| {
            let (k, n) = (outside.len(), self.hits.len());
            let last = outside.last().zip(times.before);
            let late = last.map_or(String::new(), |(last, by)| late(last.at, by));
            let got = format!("{k} of {n} outside of that{}{late}", ends(&outside));
            let mut failed = self.failed(got, &outside);
            let stands = matches!(
                self.sought.what,
                Kind::Bound | Kind::Phase(_) | Kind::PodCondition(..) | Kind::Gone
            );
            // Of what came too late it is asked why it was not so by then.
            if let (Some(by), Some((Object::Pod(_), at))) = (times.before, &mut failed.about)
                && stands
                && outside.iter().all(|h| h.at > by)
            {
                *at = Some(by);
            }
            failed
        })
    }

    /// Whether they are at the given times.
    fn instants(&self) -> Option<Failed> {
        let (count, at, hits) = (&self.sought.count, &self.sought.times.at, self.hits);
        if at.is_empty() {
            return None;
        }
        let wanted: BTreeSet<Time> = at.iter().map(|t| t.1).collect();
        let other: Vec<Hit> = hits.iter().filter(|h| !wanted.contains(&h.at)).copied().collect();
        if !other.is_empty() {
            let (k, n) = (other.len(), hits.len());
            let got = format!("{k} of {n} at other times{}", ends(&other));
            return Some(self.failed(got, &other));
        }
        // The whole number was looked at before: with a count of its own, more of them may be at
        // each time.
        let exact = count.least == count.most && count.least == self.sought.times.so_often();
        for (wanted, t) in at {
            let there = hits.iter().filter(|h| h.at == *t).count() as u64;
            if there < *wanted || exact && there > *wanted {
                let got = format!("{there} at {}", time(*t));
                return Some(self.failed(got, hits));
            }
        }
        None
    }

    /// Whether the first one comes when it should.
    fn first(&self) -> Option<Failed> {
        let ((from, to), first) = (self.sought.times.first?, self.hits.first()?);
        (first.at < from || first.at > to).then(|| {
            let got = format!("the first at {}{}", time(first.at), late(first.at, to));
            self.failed(got, &[*first])
        })
    }

    /// Whether the first and the last one are as far apart as they should be.
    fn spread(&self) -> Option<Failed> {
        let (least, most) = self.sought.times.spread?;
        match self.hits {
            [first, .., last] => {
                let apart = last.at.since(first.at);
                (apart < least || apart > most).then(|| {
                    let apart = span(apart);
                    let got = format!("{apart} from the first to the last{}", ends(self.hits));
                    self.failed(got, &[*first, *last])
                })
            }
            [_] => (least > Dur::ZERO).then(|| self.failed("a single one".to_owned(), self.hits)),
            [] => None,
        }
    }
}

/// When the first and the last of them came.
fn ends(hits: &[Hit]) -> String {
    match hits {
        [] => String::new(),
        [first, .., last] if first.at != last.at => format!(", {}", stretch((first.at, last.at))),
        [first, ..] => format!(", at {}", time(first.at)),
    }
}

/// The selected objects without a record; nothing where neither pods nor nodes are selected.
fn missing(run: &Run<'_>, sought: &Sought, hits: &[Hit]) -> Vec<Object> {
    let seen: BTreeSet<u32> = hits.iter().map(|h| h.object).collect();
    let on: BTreeSet<NodeId> = hits.iter().filter_map(|h| h.node).collect();
    match (&sought.pods, &sought.nodes) {
        (Some(pods), _) => {
            let Ok(pods) = selected(run, pods) else { return Vec::new() };
            let lacks = |i: &u32| pods[*i as usize] && !seen.contains(i);
            (0..pods.len() as u32).filter(lacks).map(|i| Object::Pod(PodId(i))).collect()
        }
        (None, Some(nodes)) => {
            node_ids(run, nodes).difference(&on).copied().map(Object::Node).collect()
        }
        (None, None) => Vec::new(),
    }
}

/// An object that shows why there is no record, or no other one: of the selected ones without any a
/// node, or the pod that came nearest to one; or what the selection is about.
fn lacking(run: &Run<'_>, sought: &Sought, hits: &[Hit]) -> Option<Object> {
    let analysis = run.analysis;
    let pods = sought.pods.as_ref().filter(|_| !is_of_waiting(&sought.what));
    let workload = || run.workload_of(pods?.workloads.as_ref());
    let of_kind = || match &sought.what {
        Kind::Zone(_, Some(zone)) => analysis.find_zone(zone).map(Object::Zone),
        Kind::MasterDisruption { .. } => never_dark(run).map(Object::Zone),
        _ => None,
    };
    let missing = missing(run, sought, hits);
    let node = missing.first().copied().filter(|object| matches!(object, Object::Node(_)));
    node.or_else(|| pod(run, sought, (&missing, hits))).or_else(workload).or_else(of_kind)
}

/// Whether only pods that wait for a node have it.
fn is_of_waiting(what: &Kind) -> bool {
    matches!(what, Kind::Event { reason, .. } if reason == "FailedScheduling")
}

/// The first zone that was never fully disrupted, as all have to be for master disruption; else the first one.
fn never_dark(run: &Run<'_>) -> Option<u16> {
    let analysis = run.analysis;
    let dark = analysis.trace.iter().filter(|r| r.what == What::Zone(ZoneState::FullDisruption));
    let dark: BTreeSet<String> = dark.map(|r| analysis.zone_told(r)).collect();
    let zones = &analysis.zones;
    let first = zones.iter().position(|zone| !dark.contains(zone));
    (!zones.is_empty()).then_some(first.unwrap_or(0) as u16)
}

/// How many of the pods that are meant were on the nodes that are named from the start, in words: none of them had to be bound.
fn settled(run: &Run<'_>, sought: &Sought) -> Option<String> {
    let meant = Meant::by(run, sought).ok()?;
    let there = were_on(run, sought.nodes.as_ref()?, (Time::ZERO, Time::ZERO));
    let n = there.into_iter().filter(|pod| meant.is_pod(*pod)).count();
    let were = if n == 1 { "was" } else { "were" };
    (n > 0).then(|| format!("{} {were} there from the start", counted(n, "pod")))
}

/// The pod among the objects without a record that shows why there is none. Why it was not evicted, which
/// is what is told of a pod, says nothing of who else did not delete it, and little of other kinds of
/// records where it was in no danger.
fn pod(run: &Run<'_>, sought: &Sought, (missing, hits): (&[Object], &[Hit])) -> Option<Object> {
    let is_pod = |o: &Object| if let Object::Pod(pod) = o { Some(*pod) } else { None };
    let mut pods: Vec<PodId> = missing.iter().filter_map(is_pod).collect();
    let counts = match &sought.what {
        Kind::Evicted { .. } | Kind::TimerSet | Kind::TimerCancelled | Kind::EvictionFailed => {
            // Of a node from which too few went it is one that stayed.
            if sought.pods.is_none() && (sought.nodes.is_none() || !hits.is_empty()) {
                let seen: BTreeSet<u32> = hits.iter().map(|h| h.object).collect();
                let all = 0..run.analysis.pod_count() as u32;
                pods = all.filter(|pod| !seen.contains(pod)).map(PodId).collect();
            }
            let is_named = sought.pods.is_some() || sought.nodes.is_some();
            (false, if is_named { Near::Never } else { Near::Faulty })
        }
        Kind::Deleted { by: Some(by) } if *by != Actor::TaintEviction.as_str() => return None,
        Kind::Deleted { .. } | Kind::Gone => (false, Near::Faulty),
        what if is_of_waiting(what) => (true, Near::Waits),
        _ => (true, Near::Faulty),
    };
    if pods.is_empty() {
        return None;
    }
    let until = sought.times.during.1;
    nearest(run, &there(run, sought, pods), until, counts).map(Object::Pod)
}

/// Those of these pods that can have a record where it is looked for: that were on one of the nodes
/// when the time begins that is looked at, or else one that was there before.
fn there(run: &Run<'_>, sought: &Sought, mut of: Vec<PodId>) -> Vec<PodId> {
    let Some(nodes) = &sought.nodes else { return of };
    let from = sought.times.after.unwrap_or(sought.times.during.0);
    let on = were_on(run, nodes, (from, from));
    let is_any = of.iter().any(|pod| on.contains(pod));
    let on = if is_any { on } else { were_on(run, nodes, (Time::ZERO, from)) };
    of.retain(|pod| on.contains(pod));
    of.truncate(if is_any { usize::MAX } else { 1 });
    of
}

/// What was expected, in words.
fn expected(run: &Run<'_>, sought: &Sought) -> String {
    let times = &sought.times;
    let mut out = format!("{}: {}", subject(run, sought), words::count(sought.count));
    match (times.after, times.before) {
        (Some(a), Some(b)) => out += &format!(", all between {} and {}", time(a), time(b)),
        (Some(a), None) => out += &format!(", none before {}", time(a)),
        (None, Some(b)) => out += &format!(", none after {}", time(b)),
        (None, None) => {}
    }
    if !times.at.is_empty() {
        let at = |(n, t): &(u64, Time)| {
            if *n == 1 { time(*t) } else { format!("{n}x {}", time(*t)) }
        };
        out += &format!(", at {}", times.at.iter().map(at).collect::<Vec<_>>().join(", "));
    }
    if let Some((from, to)) = times.first {
        out += &format!(", the first between {} and {}", time(from), time(to));
    }
    if let Some((least, most)) = times.spread {
        let most = if most == Dur::from_nanos(u64::MAX) { String::new() } else { span(most) };
        out += &format!(", {}..{most} from the first to the last", span(least));
    }
    if times.during != (Time::ZERO, run.analysis.plan.horizon) {
        out += &format!("; looked at {}", stretch(times.during));
    }
    out
}

/// What is looked for, with the nodes: one by name, several by number.
pub(super) fn subject(run: &Run<'_>, sought: &Sought) -> String {
    let name = |i: &u32| run.analysis.plan.nodes[*i as usize].name.clone();
    let on = sought.nodes.as_ref().map(|nodes| {
        let names = |n: usize| nodes.iter().take(n).map(name).collect::<Vec<_>>().join(", ");
        match nodes.len() {
            n @ 1..=3 => names(n),
            n => format!("{n} nodes ({}, …)", names(2)),
        }
    });
    words::subject(sought, on.as_deref())
}

/// Whether the first of each comes in the order of the list.
pub(super) fn judge_order(run: &Run<'_>, parts: &[Sought], found: &[Vec<Hit>]) -> Option<Failed> {
    let described = |i: usize| subject(run, &parts[i]);
    let expected =
        || format!("first {}", (0..parts.len()).map(described).collect::<Vec<_>>().join(", then "));
    let firsts: Vec<Option<Hit>> = found.iter().map(|hits| hits.first().copied()).collect();
    let evidence = || firsts.iter().flatten().map(|h| h.record).take(RECORDS).collect();
    if let Some(i) = firsts.iter().position(Option::is_none) {
        let why = never(run, &parts[i]).map_or(String::new(), |why| format!("; {why}"));
        let got = format!("no {}{why}", described(i));
        let failed = run.failed(expected(), got, evidence());
        let failed = Failed { way: Ordering::Less, ..failed };
        return Some(failed.about(lacking(run, &parts[i], &[])));
    }
    let firsts: Vec<Hit> = firsts.iter().flatten().copied().collect();
    let is_wrong = |i: usize| {
        let [one, next] = [firsts[i].record, firsts[i + 1].record];
        next < one || next == one && !may_be_one(&parts[i].what, &parts[i + 1].what)
    };
    let i = (0..firsts.len().saturating_sub(1)).find(|i| is_wrong(*i))?;
    let (early, late) = (time(firsts[i + 1].at), time(firsts[i].at));
    let got = format!("{} came at {early}, and {} at {late}", described(i + 1), described(i));
    Some(run.failed(expected(), got, vec![firsts[i + 1].record, firsts[i].record]))
}
