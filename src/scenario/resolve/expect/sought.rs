//! What records are looked for, and how often.

use super::{Reader, actor};
use crate::language::Expectation as E;
use crate::scenario::expectations::{Count, Kind, Sought, TaintSought, Times};
use crate::scenario::prelude::*;
use crate::trace::{EventText, EvictionCause, ZoneState};

/// Evictions, by what is named; by anything where nothing is named.
fn evicted(by: Option<&str>, place: &Spot) -> Option<Kind> {
    let Some(by) = by else { return Some(Kind::Evicted { by: None }) };
    let nobody = || {
        Problem::new(format!("nothing evicts under the name `{by}`"))
            .meant(by, EvictionCause::ALL.map(EvictionCause::as_str))
    };
    let by = place.part("by").take(EvictionCause::parse(by).ok_or_else(nobody))?;
    Some(Kind::Evicted { by: Some(by) })
}

/// The reason of events. One that none has would be met wherever none is expected.
fn reason(written: &str, place: &Spot) -> Option<String> {
    if EventText::parse(written).is_some() {
        return Some(written.to_owned());
    }
    let reasons: BTreeSet<&str> = EventText::ALL.iter().map(|text| text.as_str()).collect();
    let message = format!("no event here has the reason `{written}`");
    place.refuse(Problem::new(message).meant(written, reasons))
}

impl Reader<'_> {
    /// What records are looked for; `Some(None)` where the expectation is not about records.
    pub(super) fn sought(&self, e: &E, place: &Spot) -> Option<Option<Sought>> {
        let Some((what, common)) = kind(e, place)? else { return Some(None) };
        let count = match e {
            E::NotEvicted(_) => Some(Count { least: 0, most: 0, each: false }),
            _ => count(common.count, place),
        };
        let times = self.times(&common, place);
        let count = count.and_then(|count| match &times {
            Some(times) if !times.at.is_empty() => as_often(count, times, &common, place),
            _ => Some(count),
        });
        if count.is_some_and(|c| c.most == 0) {
            none_of_bounds(&common, self.horizon, place)?;
        }
        let pods = self.pods(&common, place);
        let mut nodes = self.nodes(&common, place);
        if matches!(what, Kind::Zone(..)) {
            nodes = nodes.map(|_| None);
        }
        let is_about_pods = what.is_about_pods();
        let (count, pods, nodes, times) = (count?, pods?, nodes?, times?);
        if what == Kind::Created && !self.are_created_on_nodes(pods.as_ref()) {
            none_of(&places(&common), unbound(), place)?;
        }
        let (no_pods, no_nodes) = (pods.is_none(), nodes.is_none());
        // An event of nodes is one of theirs, and of pods one of each that is selected.
        let help = match &what {
            Kind::Zone(..) | Kind::MasterDisruption { .. } => {
                Some("`count: 1`: pods and nodes are many, and this is one")
            }
            Kind::Event { .. } => {
                (no_pods && no_nodes).then_some("select some, or `pods: All`, or `nodes: All`")
            }
            _ if is_about_pods => no_pods.then_some("select some, or `pods: All`"),
            _ => no_nodes.then_some("select some, or `nodes: All`"),
        };
        if let Some(help) = help.filter(|_| count.each) {
            let problem = Problem::new("\"all\" of what is not said");
            return place.part("count").refuse(problem.help(help));
        }
        Some(Some(Sought { what, pods, nodes, count, times }))
    }
}

/// Where pods are created says nothing of those that are bound later.
pub(super) fn unbound() -> Problem {
    let problem = Problem::new("these pods are on no node yet when they are created");
    problem.help("`Bound` says where they come")
}

/// What the records say, and what the expectation has in common with others; `Some(None)` where it
/// is not about records.
fn kind<'e>(e: &'e E, place: &Spot) -> Option<Option<(Kind, Common<'e>)>> {
    Some(Some(match e {
        E::Evicted(s) => (evicted(s.by.as_deref(), place)?, s.common()),
        E::NotEvicted(s) => (evicted(s.by.as_deref(), place)?, s.common()),
        E::Deleted(s) => {
            if let Some(by) = &s.by {
                actor(by, |_| true, &place.part("by"))?;
            }
            (Kind::Deleted { by: s.by.clone() }, s.common())
        }
        E::Gone(s) => (Kind::Gone, s.common()),
        E::Created(s) => (Kind::Created, s.common()),
        E::Bound(s) => (Kind::Bound, s.common()),
        E::Phase(s) => (Kind::Phase(s.phase), s.common()),
        E::PodCondition(s) => (Kind::PodCondition(s.kind, s.status), s.common()),
        E::TimerSet(s) => (Kind::TimerSet, s.common()),
        E::TimerCancelled(s) => (Kind::TimerCancelled, s.common()),
        E::EvictionFailed(s) => (Kind::EvictionFailed, s.common()),
        E::Tainted(s) => (Kind::Tainted(taint(&s.taint, place)?), s.common()),
        E::Untainted(s) => (Kind::Untainted(taint(&s.taint, place)?), s.common()),
        E::Condition(s) => (Kind::Condition(s.kind.of_api(), s.status), s.common()),
        E::Cordoned(s) => (Kind::Unschedulable(true), s.common()),
        E::Uncordoned(s) => (Kind::Unschedulable(false), s.common()),
        E::ZoneState(s) => {
            let problem = Problem::new("a zone has a state, not its nodes; name it with `zone`");
            none_of(&places(&s.common())[..2], problem, place)?;
            (Kind::Zone(ZoneState::parse(&format!("{:?}", s.state))?, s.zone.clone()), s.common())
        }
        E::MasterDisruption(s) => {
            let problem = Problem::new("master disruption is about all zones");
            none_of(&places(&s.common()), problem, place)?;
            let entered = s.state == language::DisruptionState::Entered;
            (Kind::MasterDisruption { entered }, s.common())
        }
        E::Event(s) => (
            Kind::Event {
                reason: reason(&s.reason, &place.part("reason"))?,
                message: s.message.clone(),
                object: s.object.clone(),
            },
            s.common(),
        ),
        // All others are of no record.
        _ => return Some(None),
    }))
}

/// Where it happens, field by field, and which of them are given.
fn places(common: &Common) -> [(&'static str, bool); 3] {
    let (node, nodes) = (common.node.is_some(), common.nodes.is_some());
    [("node", node), ("nodes", nodes), ("zone", common.zone.is_some())]
}

/// Complains about the first field of those that are given, and that mean nothing here.
fn none_of(fields: &[(&str, bool)], problem: Problem, place: &Spot) -> Option<()> {
    match fields.iter().find(|(_, given)| *given) {
        Some((field, _)) => place.part(*field).refuse(problem),
        None => Some(()),
    }
}

/// Complains about bounds of what must not happen at all: they would say when all of it happens,
/// and not where to look.
fn none_of_bounds(common: &Common, horizon: Time, place: &Spot) -> Option<()> {
    let (field, during) = match (common.after, common.before, common.between) {
        (Some(t), None, _) => ("after", format!("(\"{t}\", \"{horizon:#}\")")),
        (None, Some(t), _) => ("before", format!("(\"0s\", \"{t}\")")),
        (Some(a), Some(b), _) => ("after", format!("(\"{a}\", \"{b}\")")),
        (None, None, Some((a, b))) => ("between", format!("(\"{a}\", \"{b}\")")),
        (None, None, None) => return Some(()),
    };
    let message = format!(
        "`{field}` says when all of it happens, and with `count: 0` nothing does: what comes outside would count, too"
    );
    let help = format!("to look only there, write `during: {during}`");
    place.part(field).refuse(Problem::new(message).help(help))
}

/// How often records are expected.
pub(super) fn count(written: Option<&FlagValue>, place: &Spot) -> Option<Count> {
    let between = |least, most| Count { least, most, each: false };
    let number = |text: &str, open: u64| {
        if text.trim().is_empty() { Some(open) } else { text.trim().parse().ok() }
    };
    let read = match written {
        None => Some(Count::ANY),
        Some(FlagValue::Int(n)) => u64::try_from(*n).ok().map(|n| between(n, n)),
        Some(FlagValue::Text(text)) if text == "all" => {
            Some(Count { least: 1, most: u64::MAX, each: true })
        }
        Some(FlagValue::Text(text)) => match text.split_once("..") {
            Some((l, most)) => number(l, 0).zip(number(most, u64::MAX)).map(|(a, b)| between(a, b)),
            None => text.trim().parse().ok().map(|n| between(n, n)),
        },
        Some(FlagValue::Bool(_) | FlagValue::Float(_)) => None,
    };
    let Some(read) = read else {
        let problem = Problem::new("this is not a number of times")
            .help("one of `3`, `\"2..5\"`, `\"2..\"`, `\"..5\"`, `\"all\"`");
        return place.part("count").refuse(problem);
    };
    if read.least > read.most {
        return place.part("count").deny("this range is empty");
    }
    Some(read)
}

/// How often records are expected at single times: as these say, or as `count` does, which must not be less, nor
/// more where a time says how many come then.
fn as_often(count: Count, times: &Times, common: &Common, place: &Spot) -> Option<Count> {
    let n = times.so_often();
    if common.count.is_none() {
        return Some(Count { least: n, most: n, each: false });
    }
    let is_told = times.at.iter().any(|t| t.0 > 1);
    if n > count.most || n < count.least && is_told {
        let problem = Problem::new(format!("`at` says {}", counted(n, "time")));
        let help = "leave `count` out: it is as often as `at` says";
        return place.part("count").refuse(problem.help(help));
    }
    Some(count)
}

fn taint(text: &str, place: &Spot) -> Option<TaintSought> {
    let (rest, effect) =
        text.split_once(':').map_or((text, None), |(rest, effect)| (rest, Some(effect)));
    let (key, value) =
        rest.split_once('=').map_or((rest, None), |(key, value)| (key, Some(value.to_owned())));
    let parsed = effect.map(Effect::parse);
    if key.is_empty() || parsed == Some(None) {
        let help = "\"key:Effect\", \"key=value:Effect\" or \"key\"; the effects are NoSchedule, PreferNoSchedule and NoExecute";
        let problem = Problem::new(format!("`{text}` is not a taint"));
        return place.part("taint").refuse(problem.help(help));
    }
    Some(TaintSought { key: key.to_owned(), value, effect: parsed.flatten() })
}
