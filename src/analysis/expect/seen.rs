//! Expectations about records: how many there are, and when.

use super::super::explain::Object;
use super::super::setting::{short_key, zone_name};
use super::super::state::{Follow, NO_NODE, Step};
use super::objects::selected;
use super::run::{RECORDS, Run};
use super::verdict::{Failed, Wrong};
use super::words;
use crate::api::names::{NodeId, PodId, TextId};
use crate::api::taint::Taint;
use crate::kernel::{Dur, Time};
use crate::scenario::expectations::{Expectation, Expected, Kind, Sought, TaintSought, glob};
use crate::trace::{EvictionCause, Record, RecordId, Trace, What};
use std::collections::BTreeSet;

/// A record that was looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    at: Time,
    record: RecordId,
    object: u32,
}

/// A search under way.
struct Search<'a> {
    sought: &'a Sought,
    pods: Option<Vec<bool>>,
    nodes: Option<BTreeSet<NodeId>>,
    hits: Vec<Hit>,
}

/// The records that each expectation looks for, in one walk through the trace: a list for each that
/// is about records, and for each part of an order.
pub(super) fn find(run: &Run<'_>, expectations: &[Expectation]) -> Vec<Result<Vec<Hit>, Wrong>> {
    let all = expectations.iter().flat_map(|e| match &e.what {
        Expected::Seen(sought) => vec![sought],
        Expected::Order(parts) => parts.iter().collect(),
        _ => Vec::new(),
    });
    let mut searches: Vec<Result<Search<'_>, Wrong>> = all
        .map(|sought| {
            let pods = sought.pods.as_ref().map(|p| selected(run, p)).transpose()?;
            let nodes = sought
                .nodes
                .as_ref()
                .map(|n| n.iter().map(|&i| run.analysis.node_id(i)).collect());
            Ok(Search {
                sought,
                pods,
                nodes,
                hits: Vec::new(),
            })
        })
        .collect();
    if searches.iter().any(Result::is_ok) {
        let mut follow = Follow::new(run.analysis);
        for (id, r) in run.analysis.trace.iter().enumerate() {
            let step = follow.apply(id as RecordId, r);
            for search in searches.iter_mut().flatten() {
                if search.finds(run, r, &step) {
                    search.hits.push(Hit {
                        at: r.at,
                        record: id as RecordId,
                        object: r.object,
                    });
                }
            }
        }
    }
    searches.into_iter().map(|s| s.map(|s| s.hits)).collect()
}

impl Search<'_> {
    fn finds(&self, run: &Run<'_>, r: &Record, step: &Step) -> bool {
        let during = self.sought.times.during;
        if r.at < during.0 || r.at > during.1 || !self.is_sought(run, r, step) {
            return false;
        }
        let on = match step.pod {
            Some((_, before, after)) => Some(if after.node == NO_NODE {
                before.node
            } else {
                after.node
            }),
            None => r.node().map(|n| n.0),
        };
        let pod = |p: PodId| {
            self.pods
                .as_ref()
                .is_none_or(|pods| pods.get(p.index()) == Some(&true))
        };
        // An expectation about pods means no events of other objects.
        (r.pod().map_or(self.pods.is_none(), pod))
            && self
                .nodes
                .as_ref()
                .is_none_or(|n| on.is_some_and(|on| n.contains(&NodeId(on))))
    }

    fn is_sought(&self, run: &Run<'_>, r: &Record, step: &Step) -> bool {
        let trace = run.analysis.trace;
        let created = || {
            step.pod
                .is_some_and(|(_, before, after)| !before.exists && after.exists)
        };
        match &self.sought.what {
            Kind::Evicted { by } => {
                let cause = step
                    .eviction(r)
                    .and_then(|(_, before)| EvictionCause::of(r, before.asked));
                cause.is_some_and(|c| by.is_none_or(|by| by == c))
            }
            Kind::Deleted { by } => {
                step.deletion_begins().is_some()
                    && by.as_ref().is_none_or(|by| r.actor.as_str() == by)
            }
            Kind::Gone => r.what == What::PodGone,
            Kind::Created => matches!(r.what, What::PodCreated(_)) && created(),
            Kind::Bound => matches!(r.what, What::PodBound(_)),
            Kind::Phase(phase) => r.what == What::PodPhase(*phase),
            Kind::PodCondition(kind, status) => {
                matches!(r.what, What::PodCondition(k, s, _) if k == *kind && s == *status)
            }
            Kind::TimerSet => matches!(r.what, What::TimerSet(_)),
            Kind::TimerCancelled => r.what == What::TimerCancelled,
            Kind::EvictionFailed => r.what == What::EvictionFailed,
            Kind::Tainted(t) => {
                matches!(r.what, What::NodeTaints(c) if trace.taints[c as usize].added.iter().any(|x| is(t, x)))
            }
            Kind::Untainted(t) => {
                matches!(r.what, What::NodeTaints(c) if trace.taints[c as usize].removed.iter().any(|x| is(t, x)))
            }
            Kind::Condition(kind, status) => {
                matches!(r.what, What::NodeCondition(k, s, _) if k == *kind && s == *status)
            }
            Kind::Unschedulable(value) => r.what == What::NodeUnschedulable(*value),
            Kind::Zone(state, zone) => {
                r.what == What::Zone(*state)
                    && zone
                        .as_ref()
                        .is_none_or(|z| zone_name(trace.names.text_of(TextId(r.object))) == *z)
            }
            Kind::MasterDisruption { entered: true } => r.what == What::MasterDisruptionEntered,
            Kind::MasterDisruption { entered: false } => r.what == What::MasterDisruptionLeft,
            Kind::Event {
                reason,
                message,
                object,
            } => is_event(trace, r, reason, message.as_ref(), object.as_ref()),
        }
    }
}

/// Whether a record is an event of this reason, with this part of a message, about an object whose
/// name fits this pattern.
fn is_event(
    trace: &Trace,
    r: &Record,
    reason: &str,
    message: Option<&String>,
    object: Option<&String>,
) -> bool {
    let text = match r.what {
        What::NodeEvent(text, ..) | What::PodEvent(text, ..) => text,
        What::PodMessage(m) | What::WorkloadMessage(m) => trace.messages[m as usize].body.text,
        _ => return false,
    };
    if text.reason() != reason {
        return false;
    }
    let fields = trace.fields(r);
    let has = |part: &String| {
        fields
            .message
            .as_ref()
            .is_some_and(|m| m.contains(part.as_str()))
    };
    let about = |pattern: &String| fields.object.as_ref().is_some_and(|o| glob(pattern, o));
    message.is_none_or(has) && object.is_none_or(about)
}

fn is(sought: &TaintSought, taint: &Taint) -> bool {
    (sought.key == taint.key || sought.key == short_key(&taint.key))
        && sought.value.as_ref().is_none_or(|v| *v == taint.value)
        && sought.effect.is_none_or(|e| e == taint.effect)
}

/// Whether as many were found as expected, and at the times at which they were expected.
pub(super) fn judge(run: &Run<'_>, sought: &Sought, hits: &[Hit]) -> Option<Failed> {
    let judge = Judge { run, sought, hits };
    judge
        .count()
        .or_else(|| judge.each())
        .or_else(|| judge.bounds())
        .or_else(|| judge.instants())
        .or_else(|| judge.first())
        .or_else(|| judge.spread())
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
        Failed::new(self.run, expected(self.run, self.sought), got, records)
    }

    /// How many there are.
    fn count(&self) -> Option<Failed> {
        let (count, hits) = (&self.sought.count, self.hits);
        let n = hits.len() as u64;
        if (count.least..=count.most).contains(&n) {
            return None;
        }
        let got = if n == 0 {
            "none".to_owned()
        } else {
            format!("{n}{}", ends(hits))
        };
        // The first one too many explains it, or one that is missing.
        let surplus = hits.get(usize::try_from(count.most).unwrap_or(usize::MAX));
        Some(match surplus {
            Some(hit) => Failed {
                records: hits.iter().map(|h| h.record).take(RECORDS).collect(),
                ..self.failed(got, &[*hit])
            },
            None => self
                .failed(got, hits)
                .about(lacking(self.run, self.sought, hits)),
        })
    }

    /// Whether each selected object has one.
    fn each(&self) -> Option<Failed> {
        if !self.sought.count.each {
            return None;
        }
        let missing = missing(self.run, self.sought, self.hits);
        let first = missing.first()?;
        let more = if missing.len() > 1 {
            format!(" and {} others", missing.len() - 1)
        } else {
            String::new()
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
        let outside: Vec<Hit> = self
            .hits
            .iter()
            .filter(|h| {
                times.after.is_some_and(|t| h.at < t) || times.before.is_some_and(|t| h.at > t)
            })
            .copied()
            .collect();
        (!outside.is_empty()).then(|| {
            let (k, n) = (outside.len(), self.hits.len());
            let got = format!("{k} of {n} outside of that{}", ends(&outside));
            self.failed(got, &outside)
        })
    }

    /// Whether they are at the given times, by the millisecond.
    fn instants(&self) -> Option<Failed> {
        let (count, at, hits) = (&self.sought.count, &self.sought.times.at, self.hits);
        if at.is_empty() {
            return None;
        }
        let wanted: BTreeSet<u64> = at.iter().map(|t| t.1.as_millis()).collect();
        let other: Vec<Hit> = hits
            .iter()
            .filter(|h| !wanted.contains(&h.at.as_millis()))
            .copied()
            .collect();
        if !other.is_empty() {
            let (k, n) = (other.len(), hits.len());
            let got = format!("{k} of {n} at other times{}", ends(&other));
            return Some(self.failed(got, &other));
        }
        // The whole number was looked at before: with a count of its own, how many there are at
        // each time does not matter.
        let exact = count.least == count.most && count.least == at.iter().map(|t| t.0).sum::<u64>();
        for (wanted, t) in at {
            let is_there = |h: &&Hit| h.at.as_millis() == t.as_millis();
            let there = hits.iter().filter(is_there).count() as u64;
            if there == 0 || exact && there != *wanted {
                let got = format!("{there} at {}", words::time(*t));
                return Some(self.failed(got, hits));
            }
        }
        None
    }

    /// Whether the first one comes when it should.
    fn first(&self) -> Option<Failed> {
        let ((from, to), first) = (self.sought.times.first?, self.hits.first()?);
        (first.at < from || first.at > to).then(|| {
            let got = format!("the first at {}", words::time(first.at));
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
                    let apart = words::span(apart);
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
        [one] => format!(", at {}", words::time(one.at)),
        [first, .., last] if first.at.as_millis() == last.at.as_millis() => {
            format!(", at {}", words::time(first.at))
        }
        [first, .., last] => format!(
            ", from {} to {}",
            words::time(first.at),
            words::time(last.at)
        ),
    }
}

/// The selected objects without a record; nothing where neither pods nor nodes are selected.
fn missing(run: &Run<'_>, sought: &Sought, hits: &[Hit]) -> Vec<Object> {
    let seen: BTreeSet<u32> = hits.iter().map(|h| h.object).collect();
    let analysis = run.analysis;
    match (&sought.pods, &sought.nodes) {
        (Some(pods), _) => {
            let Ok(pods) = selected(run, pods) else {
                return Vec::new();
            };
            let lacks = |i: &u32| pods[*i as usize] && !seen.contains(i);
            (0..pods.len() as u32)
                .filter(lacks)
                .map(|i| Object::Pod(PodId(i)))
                .collect()
        }
        (None, Some(nodes)) => {
            let nodes = nodes.iter().map(|&i| analysis.node_id(i));
            nodes
                .filter(|id| !seen.contains(&id.0))
                .map(Object::Node)
                .collect()
        }
        (None, None) => Vec::new(),
    }
}

/// An object that shows why there is no record, or no other one: a selected one without any, or
/// what the selection is about.
fn lacking(run: &Run<'_>, sought: &Sought, hits: &[Hit]) -> Option<Object> {
    let analysis = run.analysis;
    let workloads = sought
        .pods
        .iter()
        .flat_map(|p| p.workloads.iter().flatten());
    let workload = || {
        workloads
            .clone()
            .find_map(|name| analysis.trace.names.find_workload(name))
            .map(Object::Workload)
    };
    let of_kind = || match &sought.what {
        Kind::Zone(_, Some(zone)) => Some(Object::Zone(
            u16::try_from(analysis.zones.iter().position(|z| z == zone)?).ok()?,
        )),
        Kind::MasterDisruption { .. } if analysis.node_count() > 0 => Some(Object::Node(NodeId(0))),
        _ => None,
    };
    missing(run, sought, hits)
        .first()
        .copied()
        .or_else(workload)
        .or_else(of_kind)
}

/// What was expected, in words.
fn expected(run: &Run<'_>, sought: &Sought) -> String {
    let times = &sought.times;
    let mut out = format!("{}: {}", subject(run, sought), words::count(sought.count));
    match (times.after, times.before) {
        (Some(a), Some(b)) => out.push_str(&format!(
            ", all between {} and {}",
            words::time(a),
            words::time(b)
        )),
        (Some(a), None) => out.push_str(&format!(", none before {}", words::time(a))),
        (None, Some(b)) => out.push_str(&format!(", none after {}", words::time(b))),
        (None, None) => {}
    }
    if !times.at.is_empty() {
        let at = |(n, t): &(u64, Time)| {
            if *n == 1 {
                words::time(*t)
            } else {
                format!("{n}x {}", words::time(*t))
            }
        };
        out.push_str(&format!(
            ", at {}",
            times.at.iter().map(at).collect::<Vec<_>>().join(", ")
        ));
    }
    if let Some((from, to)) = times.first {
        out.push_str(&format!(
            ", the first between {} and {}",
            words::time(from),
            words::time(to)
        ));
    }
    if let Some((least, most)) = times.spread {
        let most = if most == Dur::from_nanos(u64::MAX) {
            String::new()
        } else {
            words::span(most)
        };
        out.push_str(&format!(
            ", {}..{most} from the first to the last",
            words::span(least)
        ));
    }
    if times.during != (Time::ZERO, run.analysis.plan.horizon) {
        out.push_str(&format!(
            "; looked at from {} to {}",
            words::time(times.during.0),
            words::time(times.during.1)
        ));
    }
    out
}

/// What is looked for, with the nodes: one by name, several by number.
fn subject(run: &Run<'_>, sought: &Sought) -> String {
    let name = |i: &u32| run.analysis.plan.nodes[*i as usize].name.clone();
    let on = sought.nodes.as_ref().map(|nodes| match nodes.len() {
        1..=3 => nodes.iter().map(name).collect::<Vec<_>>().join(", "),
        n => format!(
            "{n} nodes ({}, …)",
            nodes
                .iter()
                .take(2)
                .map(name)
                .collect::<Vec<_>>()
                .join(", ")
        ),
    });
    words::subject(sought, on.as_deref())
}

/// Whether the first of each comes in the order of the list.
pub(super) fn judge_order(run: &Run<'_>, parts: &[Sought], found: &[Vec<Hit>]) -> Option<Failed> {
    let described = |i: usize| subject(run, &parts[i]);
    let expected = || {
        format!(
            "first {}",
            (0..parts.len())
                .map(described)
                .collect::<Vec<_>>()
                .join(", then ")
        )
    };
    let firsts: Vec<Option<Hit>> = found.iter().map(|hits| hits.first().copied()).collect();
    let evidence = || {
        firsts
            .iter()
            .flatten()
            .map(|h| h.record)
            .take(RECORDS)
            .collect()
    };
    if let Some(i) = firsts.iter().position(Option::is_none) {
        let failed = Failed::new(run, expected(), format!("no {}", described(i)), evidence());
        return Some(failed.about(lacking(run, &parts[i], &[])));
    }
    let firsts: Vec<Hit> = firsts.iter().flatten().copied().collect();
    let i = firsts.windows(2).position(|w| w[1].record <= w[0].record)?;
    let got = format!(
        "{} came at {}, and {} at {}",
        described(i + 1),
        words::time(firsts[i + 1].at),
        described(i),
        words::time(firsts[i].at)
    );
    Some(Failed::new(
        run,
        expected(),
        got,
        vec![firsts[i + 1].record, firsts[i].record],
    ))
}
