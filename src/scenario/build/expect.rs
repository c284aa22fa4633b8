//! Expectations: names are looked up, windows are read and checked against the run, counts and limits are read.

use super::super::expectations::{
    Claim, Comparison, Count, Expectation, Expectations, Expected, Kind, Pods as Selected, Relation, Sought, Stretch, TaintSought, Times,
    glob,
};
use super::super::problem::{Problem, did_you_mean};
use super::super::spec::{self, Common, FlagValue, PodSelector, Quantity, Scenario, Window};
use super::super::syntax::{Place, Tree, at};
use super::complaints::Complaints;
use super::nodes::{condition_kind, status, with};
use super::select::{Nodes, Nothing, Pods, namespaced};
use super::values;
use super::when::Resolver;
use super::workloads::Workloads;
use crate::api::labels::Selector;
use crate::api::pod::{PodConditionType, PodPhase};
use crate::api::taint::Effect;
use crate::kernel::{Dur, Time};
use crate::sim::plan::NodeIndex;
use crate::trace::{Actor, ZoneState};
use std::collections::BTreeSet;

/// The most seeds of a scenario.
const SEEDS_MAX: u32 = 100_000;

/// What expectations refer to.
pub(super) struct Reader<'a> {
    pub(super) moments: &'a Resolver<'a>,
    pub(super) horizon: Time,
    pub(super) nodes: &'a Nodes,
    pub(super) pods: &'a Pods,
    pub(super) workloads: &'a Workloads,
}

impl Reader<'_> {
    /// Everything that a scenario expects; what a complaint is about is left out. `text` is where places are looked for.
    pub(super) fn read(&self, spec: &Scenario, seed: u64, text: &str, complaints: &mut Complaints) -> Expectations {
        let tree = Tree::read(text);
        let bytes = |place: &Place| tree.as_ref().and_then(|t| t.find(place)).map_or(0..0, |t| t.bytes.clone());
        let seeds = match spec.seeds {
            Some(0) => {
                complaints.say(at!["seeds"], "a scenario runs with at least one seed");
                1
            }
            Some(n) if n > SEEDS_MAX => {
                complaints.say(at!["seeds"], format!("{n} seeds are more than {SEEDS_MAX}, the limit of a scenario"));
                1
            }
            n => n.unwrap_or(1),
        };
        let mut list = Vec::new();
        for (i, e) in spec.expect.iter().enumerate() {
            let place = at!["expect", i];
            let (share, inner, at) = match e {
                spec::Expectation::Mostly { in_at_least, that } => {
                    if !(*in_at_least > 0.0 && *in_at_least <= 1.0) {
                        let problem = format!("a share of {in_at_least} is not above 0 and at most 1");
                        complaints.say(with(&place, "in_at_least"), problem);
                    }
                    if seeds < 2 {
                        let problem = Problem::new("a share of the runs needs several of them").help("`seeds: 50` beside `expect`");
                        complaints.add(place.clone(), problem);
                    }
                    (Some(*in_at_least), &**that, with(&place, "that"))
                }
                e => (None, e, place.clone()),
            };
            if let Some(what) = self.expected(inner, &at, complaints) {
                list.push(Expectation { kind: word(inner), what, share, bytes: bytes(&place) });
            }
        }
        let golden = spec.golden.as_ref().map(|file| (file.clone(), bytes(&at!["golden"])));
        if spec.golden.is_some() && seeds > 1 {
            complaints.say(at!["golden"], "a golden timeline is that of one run; this scenario runs with several seeds");
        }
        let guards = spec.guards.iter().enumerate().map(|(i, g)| (g.clone(), bytes(&at!["guards", i]))).collect();
        Expectations { list, seeds: (0..u64::from(seeds)).map(|n| seed.wrapping_add(n)).collect(), golden, guards }
    }

    fn expected(&self, e: &spec::Expectation, place: &Place, complaints: &mut Complaints) -> Option<Expected> {
        use spec::Expectation as E;
        let whole = (Time::ZERO, self.horizon);
        Some(match e {
            E::Pending(p) => Expected::Pending {
                pods: self.pods(&p.common(), place, complaints)?.unwrap_or_default(),
                count: count(p.count.as_ref(), place, complaints)?,
                at: match &p.at {
                    Some(text) => self.moment(text.as_str(), &with(place, "at"), complaints)?,
                    None => self.horizon,
                },
                reason: p.reason.clone(),
            },
            E::Order(list) => {
                if list.len() < 2 {
                    complaints.say(place.clone(), "an order has two parts or more");
                    return None;
                }
                let mut parts = Vec::new();
                for (i, part) in list.iter().enumerate() {
                    let mut at = with_index(place, 0);
                    at.push(i.into());
                    match self.sought(part, &at, complaints) {
                        Some(Some(sought)) => parts.push(sought),
                        Some(None) => complaints.say(at, format!("`{}` is not about records; an order has only those", word(part))),
                        None => {}
                    }
                }
                (parts.len() == list.len()).then_some(Expected::Order(parts))?
            }
            E::AtLeast(l) => self.figure(l, Relation::AtLeast, place, complaints)?,
            E::AtMost(l) => self.figure(l, Relation::AtMost, place, complaints)?,
            E::Equal(l) => self.figure(l, Relation::Equal, place, complaints)?,
            E::Always(claim) => {
                let (claim, at, stretch) = self.stretch_of(claim, with_index(place, 0), complaints)?;
                if property(claim).is_some() {
                    let help = "`Never(PodStuck)`";
                    complaints.add(at, Problem::new("a property is something that must never happen").help(help));
                    return None;
                }
                Expected::Always(self.claim(claim, &at, complaints)?, stretch)
            }
            E::Never(claim) => {
                let (claim, at, stretch) = self.stretch_of(claim, with_index(place, 0), complaints)?;
                match property(claim) {
                    Some(name) => Expected::NeverProperty(name, stretch),
                    None => Expected::Never(self.claim(claim, &at, complaints)?, stretch),
                }
            }
            E::Eventually { that, after, within } => {
                let claim = self.claim(that, &with(place, "that"), complaints);
                let from = match after {
                    Some(text) => self.moment(text.as_str(), &with(place, "after"), complaints)?,
                    None => Time::ZERO,
                };
                let to = match within {
                    Some(text) => from.saturating_add(complaints.take(with(place, "within"), values::span(text.as_str()))?),
                    None => self.horizon,
                };
                if to > self.horizon {
                    self.beyond(with(place, "within"), to, complaints);
                    return None;
                }
                Expected::Eventually(claim?, (from, to))
            }
            E::Until { that, until, after } => {
                let (that, until) =
                    (self.claim(that, &with(place, "that"), complaints), self.claim(until, &with(place, "until"), complaints));
                let from = match after {
                    Some(text) => self.moment(text.as_str(), &with(place, "after"), complaints)?,
                    None => whole.0,
                };
                Expected::Until(that?, until?, from)
            }
            E::Mostly { .. } => {
                complaints.say(place.clone(), "`Mostly` stands outermost");
                return None;
            }
            _ => Expected::Seen(self.sought(e, place, complaints)??),
        })
    }

    /// What records are looked for; `Some(None)` where the expectation is not about records.
    fn sought(&self, e: &spec::Expectation, place: &Place, complaints: &mut Complaints) -> Option<Option<Sought>> {
        use spec::Expectation as E;
        let (what, common) = match e {
            E::Evicted(s) => (Kind::Evicted, s.common()),
            E::NotEvicted(s) => (Kind::Evicted, s.common()),
            E::Deleted(s) => {
                if let Some(by) = &s.by {
                    actor(by, &with(place, "by"), complaints)?;
                }
                (Kind::Deleted { by: s.by.clone() }, s.common())
            }
            E::Gone(s) => (Kind::Gone, s.common()),
            E::Created(s) => (Kind::Created, s.common()),
            E::Bound(s) => (Kind::Bound, s.common()),
            E::Phase(s) => (Kind::Phase(phase(s.phase)), s.common()),
            E::PodCondition(s) => (Kind::PodCondition(pod_condition(s.kind), status(s.status)), s.common()),
            E::TimerSet(s) => (Kind::TimerSet, s.common()),
            E::TimerCancelled(s) => (Kind::TimerCancelled, s.common()),
            E::Tainted(s) => (Kind::Tainted(taint(&s.taint, place, complaints)?), s.common()),
            E::Untainted(s) => (Kind::Untainted(taint(&s.taint, place, complaints)?), s.common()),
            E::Condition(s) => (Kind::Condition(condition_kind(s.kind), status(s.status)), s.common()),
            E::Cordoned(s) => (Kind::Unschedulable(true), s.common()),
            E::Uncordoned(s) => (Kind::Unschedulable(false), s.common()),
            E::ZoneState(s) => {
                for (field, given) in [("node", s.node.is_some()), ("nodes", s.nodes.is_some())] {
                    if given {
                        complaints.say(with(place, field), "a zone has a state, not its nodes; name it with `zone`");
                        return None;
                    }
                }
                (Kind::Zone(zone_state(s.state), s.zone.clone()), s.common())
            }
            E::MasterDisruption(s) => {
                for (field, given) in [("node", s.node.is_some()), ("nodes", s.nodes.is_some()), ("zone", s.zone.is_some())] {
                    if given {
                        complaints.say(with(place, field), "master disruption is about all zones");
                        return None;
                    }
                }
                (Kind::MasterDisruption { entered: s.state == spec::DisruptionState::Entered }, s.common())
            }
            E::Event(s) => (Kind::Event { reason: s.reason.clone(), message: s.message.clone(), object: s.object.clone() }, s.common()),
            E::Pending(_)
            | E::Order(_)
            | E::AtLeast(_)
            | E::AtMost(_)
            | E::Equal(_)
            | E::Always(_)
            | E::Never(_)
            | E::Eventually { .. }
            | E::Until { .. }
            | E::Mostly { .. } => return Some(None),
        };
        let count = match e {
            E::NotEvicted(_) => Some(Count { least: 0, most: 0, each: false }),
            _ => count(common.count, place, complaints),
        };
        let times = self.times(&common, place, complaints);
        let count = count.map(|count| match (&times, common.count) {
            (Some(times), None) if !times.at.is_empty() => {
                let n = times.at.iter().map(|t| t.0).sum();
                Count { least: n, most: n, each: false }
            }
            _ => count,
        });
        let pods = self.pods(&common, place, complaints);
        let mut nodes = self.nodes(&common, place, complaints);
        if matches!(what, Kind::Zone(..)) {
            nodes = nodes.map(|_| None);
        }
        let is_about_pods = !matches!(
            what,
            Kind::Tainted(_)
                | Kind::Untainted(_)
                | Kind::Condition(..)
                | Kind::Unschedulable(_)
                | Kind::Zone(..)
                | Kind::MasterDisruption { .. }
        );
        let (count, pods, nodes, times) = (count?, pods?, nodes?, times?);
        let nothing_selected = if is_about_pods { pods.is_none() } else { nodes.is_none() };
        if count.each && nothing_selected {
            let all = if is_about_pods { "`pods: All`" } else { "`nodes: All`" };
            complaints.add(with(place, "count"), Problem::new("\"all\" of what is not said").help(format!("select some, or {all}")));
            return None;
        }
        Some(Some(Sought { what, pods, nodes, count, times }))
    }

    /// The pods that are meant; `Some(None)` if none are named.
    fn pods(&self, c: &Common<'_>, place: &Place, complaints: &mut Complaints) -> Option<Option<Selected>> {
        let mut selected = Selected::default();
        let mut written = Vec::new();
        if let Some(name) = c.pod {
            written.push(format!("pod {name}"));
            let full = namespaced(name);
            if !name.contains('*')
                && !self.pods.by_name.contains_key(full.as_str())
                && self.workloads.plans.is_empty()
                && !self.incomplete()
            {
                let known = self.pods.by_name.keys().map(|n| n.strip_prefix("default/").unwrap_or(n));
                complaints.add(with(place, "pod"), Problem::new(format!("there is no pod `{name}`")).maybe_help(did_you_mean(name, known)));
                return None;
            }
            selected.glob = Some(full);
        }
        match c.pods {
            None => {}
            Some(PodSelector::All) => written.push("all pods".to_owned()),
            Some(PodSelector::Label(text)) => {
                written.push(format!("pods with {text}"));
                selected.labels.push(label(text, &with(place, "pods"), complaints)?);
            }
            Some(selector) => {
                let found = said(self.pods.select(selector), with(place, "pods"), complaints)?;
                written.push(match selector {
                    PodSelector::Pod(name) | PodSelector::Group(name) => format!("pods {name}"),
                    PodSelector::Pods(names) => format!("pods {}", names.join(", ")),
                    PodSelector::All | PodSelector::Label(_) => String::new(),
                });
                selected.names = Some(found.into_iter().map(|i| self.pods.plans[i as usize].name.to_string()).collect());
            }
        }
        if let Some(name) = c.workload {
            written.push(format!("pods of {name}"));
            let found = self.workloads_named(name);
            if !found.is_empty() {
                selected.workloads = Some(found);
            } else {
                let names = said(self.grouped(name), with(place, "workload"), complaints)?;
                selected.names = Some(match selected.names.take() {
                    Some(earlier) => earlier.intersection(&names).cloned().collect(),
                    None => names,
                });
            }
        }
        if let Some(text) = c.label {
            written.push(format!("with {text}"));
            selected.labels.push(label(text, &with(place, "label"), complaints)?);
        }
        if let Some(namespace) = c.namespace {
            written.push(format!("in namespace {namespace}"));
            selected.namespace = Some(namespace.clone());
        }
        selected.written = written.join(", ");
        Some((!written.is_empty()).then_some(selected))
    }

    /// Something could not be declared for a mistake of its own, so that an unknown name is no mistake.
    fn incomplete(&self) -> bool {
        self.pods.incomplete || self.workloads.incomplete
    }

    /// The workloads of that name, `Kind/namespace/name`; parts may be left out from the left.
    fn workloads_named(&self, name: &str) -> BTreeSet<String> {
        let parts: Vec<&str> = name.split('/').collect();
        let fits = |full: &str| {
            let mut full = full.splitn(3, '/');
            let (kind, namespace, own) = (full.next().unwrap_or(""), full.next().unwrap_or(""), full.next().unwrap_or(""));
            match parts[..] {
                [n] => n == own,
                [first, n] => n == own && (first == namespace || first.eq_ignore_ascii_case(kind)),
                [k, ns, n] => n == own && ns == namespace && k.eq_ignore_ascii_case(kind),
                _ => false,
            }
        };
        // A Deployment's own ReplicaSet is not what people mean.
        self.workloads.plans.iter().filter(|w| w.owner.is_none() && fits(&w.name)).map(|w| w.name.clone()).collect()
    }

    /// The names of the pods of a group, or of those that state an owner of that name.
    fn grouped(&self, name: &str) -> Result<BTreeSet<String>, Nothing> {
        let group = PodSelector::Group(name.to_owned());
        let found = self.pods.select(&group).unwrap_or_else(|_| {
            let owned = |t: u32| self.pods.templates[t as usize].owner.as_ref().is_some_and(|o| o.name == name);
            (0u32..).zip(&self.pods.plans).filter(|(_, p)| owned(p.template)).map(|(i, _)| i).collect()
        });
        if !found.is_empty() {
            return Ok(found.into_iter().map(|i| self.pods.plans[i as usize].name.to_string()).collect());
        }
        if self.incomplete() {
            return Err(None);
        }
        let short = |full: &str| full.rsplit('/').next().unwrap_or_default().to_owned();
        let known: BTreeSet<String> =
            self.workloads.plans.iter().map(|w| short(&w.name)).chain(self.pods.groups.iter().map(|g| g.0.clone())).collect();
        let problem = Problem::new(format!("there is no workload and no group of pods `{name}`"));
        Err(Some(problem.maybe_help(did_you_mean(name, known.iter().map(String::as_str)))))
    }

    /// The nodes that are meant; `Some(None)` is all.
    fn nodes(&self, c: &Common<'_>, place: &Place, complaints: &mut Complaints) -> Option<Option<BTreeSet<NodeIndex>>> {
        let mut all: Option<BTreeSet<NodeIndex>> = None;
        let mut narrow = |found: Vec<NodeIndex>| {
            let found: BTreeSet<NodeIndex> = found.into_iter().collect();
            all = Some(match all.take() {
                Some(earlier) => earlier.intersection(&found).copied().collect(),
                None => found,
            });
        };
        if let Some(name) = c.node {
            let found = match name.contains('*') {
                true => self.nodes.like(name, glob),
                false => self.nodes.named(name).map(|n| vec![n]),
            };
            narrow(said(found, with(place, "node"), complaints)?);
        }
        if let Some(selector) = c.nodes {
            narrow(said(self.nodes.select(selector), with(place, "nodes"), complaints)?);
        }
        if let Some(zone) = c.zone {
            narrow(said(self.nodes.select(&spec::NodeSelector::Zone(zone.clone())), with(place, "zone"), complaints)?);
        }
        if all.as_ref().is_some_and(BTreeSet::is_empty) {
            complaints.say(place.clone(), "no node is in all that is selected here");
            return None;
        }
        Some(all)
    }

    fn times(&self, c: &Common<'_>, place: &Place, complaints: &mut Complaints) -> Option<Times> {
        let one = |text: Option<&spec::TimeText>, field: &str, complaints: &mut Complaints| match text {
            None => Some(None),
            Some(text) => self.moment(text.as_str(), &with(place, field), complaints).map(Some),
        };
        let window = |w: Option<&Window>, field: &str, complaints: &mut Complaints| match w {
            None => Some(None),
            Some(w) => self.window(w, &with(place, field), complaints).map(Some),
        };
        let mut at = Some(Vec::new());
        for text in c.at.iter().flat_map(|t| t.texts()) {
            let (times, rest) = repeated(text);
            let time = self.moment(rest, &with(place, "at"), complaints);
            at = at.zip(time).map(|(mut all, t)| {
                all.push((times, t));
                all
            });
        }
        let (after, before) = (one(c.after, "after", complaints), one(c.before, "before", complaints));
        let (between, first) = (window(c.between, "between", complaints), window(c.first, "first", complaints));
        let during = window(c.during, "during", complaints);
        let spread = match c.spread {
            None => Some(None),
            Some(text) => complaints.take(with(place, "spread"), spread(text)).map(Some),
        };
        let (mut after, mut before, between) = (after?, before?, between?);
        if between.is_some() && (after.is_some() || before.is_some()) {
            complaints.say(with(place, "between"), "`between` is `after` and `before` in one; give it alone");
            return None;
        }
        if let (Some(a), Some(b)) = (after, before)
            && a > b
        {
            complaints
                .say(with(place, "before"), format!("this window is empty: it begins at {} and ends at {}", from_start(a), from_start(b)));
            return None;
        }
        if let Some((a, b)) = between {
            (after, before) = (Some(a), Some(b));
        }
        Some(Times { at: at?, after, before, first: first?, spread: spread?, during: during?.unwrap_or((Time::ZERO, self.horizon)) })
    }

    /// A time that lies in the run.
    fn moment(&self, text: &str, place: &Place, complaints: &mut Complaints) -> Option<Time> {
        let time = said(self.moments.moment(text), place.clone(), complaints)?;
        if time > self.horizon {
            self.beyond(place.clone(), time, complaints);
            return None;
        }
        Some(time)
    }

    fn beyond(&self, place: Place, time: Time, complaints: &mut Complaints) {
        let message = format!("{} is beyond the end of the run, {}", from_start(time), from_start(self.horizon));
        complaints.add(place, Problem::new(message).help("make `horizon` longer"));
    }

    fn window(&self, (from, to): &Window, place: &Place, complaints: &mut Complaints) -> Option<Stretch> {
        let (a, b) =
            (self.moment(from.as_str(), &with_index(place, 0), complaints), self.moment(to.as_str(), &with_index(place, 1), complaints));
        let (a, b) = (a?, b?);
        if a > b {
            complaints.say(place.clone(), format!("this window is empty: it begins at {} and ends at {}", from_start(a), from_start(b)));
            return None;
        }
        Some((a, b))
    }

    fn figure(&self, l: &spec::Limit, relation: Relation, place: &Place, complaints: &mut Complaints) -> Option<Expected> {
        let comparison = self.comparison(&l.of, &l.is, relation, place, complaints);
        let during = match &l.during {
            Some(w) => self.window(w, &with(place, "during"), complaints)?,
            None => (Time::ZERO, self.horizon),
        };
        let longest = match &l.longest {
            Some(text) => Some(complaints.take(with(place, "longest"), values::span(text.as_str()))?),
            None => None,
        };
        if longest.is_some() && (relation != Relation::AtMost || is_duration(&l.of)) {
            complaints.say(with(place, "longest"), "only an `AtMost` of a number has a `longest`");
            return None;
        }
        if l.during.is_some() && is_duration(&l.of) {
            complaints.say(with(place, "during"), "this figure is one of the whole run");
            return None;
        }
        Some(Expected::Figure { comparison: comparison?, longest, during })
    }

    fn comparison(
        &self,
        of: &Quantity,
        is: &FlagValue,
        relation: Relation,
        place: &Place,
        complaints: &mut Complaints,
    ) -> Option<Comparison> {
        let limit = match (is, is_duration(of)) {
            (FlagValue::Int(n), false) if *n >= 0 => Ok(*n as u64),
            (FlagValue::Text(text), true) => values::span(text).map(Dur::as_nanos),
            (_, false) => Err(Problem::new("this limit is a whole number, zero or more")),
            (_, true) => Err(Problem::new("this limit is a duration in quotes, such as \"8m\"")),
        };
        let limit = complaints.take(with(place, "is"), limit);
        let name = text_of(of);
        let of_place = with_index(&with(place, "of"), 0);
        let workloads = match of {
            Quantity::NotReadyNodes(zone) => {
                if zone != "*" {
                    said(self.nodes.select(&spec::NodeSelector::Zone(zone.clone())), of_place, complaints)?;
                }
                None
            }
            Quantity::Requests(by) => {
                if by != "*" {
                    actor(by, &of_place, complaints)?;
                }
                None
            }
            _ if name == "*" => None,
            _ => {
                let found = self.workloads_named(name);
                if found.is_empty() {
                    if !self.incomplete() {
                        let known: Vec<&str> = self.workloads.plans.iter().filter_map(|w| w.name.rsplit('/').next()).collect();
                        let problem = Problem::new(format!("there is no workload `{name}`"));
                        let help = "figures are of workloads: a group of pods without one has none to lack";
                        complaints.add(of_place, problem.maybe_help(did_you_mean(name, known)).or_help(help));
                    }
                    return None;
                }
                Some(found)
            }
        };
        Some(Comparison { quantity: of.clone(), workloads, relation, limit: limit? })
    }

    /// The claim without its stretch, its place, and the stretch.
    fn stretch_of<'c>(
        &self,
        claim: &'c spec::Claim,
        place: Place,
        complaints: &mut Complaints,
    ) -> Option<(&'c spec::Claim, Place, Stretch)> {
        match claim {
            spec::Claim::During { between, that } => {
                let stretch = self.window(between, &with(&place, "between"), complaints)?;
                Some((that, with(&place, "that"), stretch))
            }
            claim => Some((claim, place, (Time::ZERO, self.horizon))),
        }
    }

    fn claim(&self, claim: &spec::Claim, place: &Place, complaints: &mut Complaints) -> Option<Claim> {
        use spec::Claim as C;
        let compare = |c: &spec::Comparison, relation, complaints: &mut Complaints| {
            if is_duration(&c.of) {
                complaints.add(
                    with(place, "of"),
                    Problem::new("this figure is one of the whole run, not of a moment")
                        .help("give it as an expectation of its own: `AtMost(of: longest_gap(\"db\"), is: \"8m\")`"),
                );
                return None;
            }
            self.comparison(&c.of, &c.is, relation, place, complaints).map(Claim::Compare)
        };
        let list = |claims: &[C], complaints: &mut Complaints| {
            let mut found = Vec::new();
            for (i, c) in claims.iter().enumerate() {
                let mut at = with_index(place, 0);
                at.push(i.into());
                found.extend(self.claim(c, &at, complaints));
            }
            if claims.is_empty() {
                complaints.say(place.clone(), "nothing is claimed here");
                return None;
            }
            (found.len() == claims.len()).then_some(found)
        };
        match claim {
            C::AtLeast(c) => compare(c, Relation::AtLeast, complaints),
            C::AtMost(c) => compare(c, Relation::AtMost, complaints),
            C::Equal(c) => compare(c, Relation::Equal, complaints),
            C::All(claims) => list(claims, complaints).map(Claim::All),
            C::AnyOf(claims) => list(claims, complaints).map(Claim::AnyOf),
            C::Not(claim) => Some(Claim::Not(Box::new(self.claim(claim, &with_index(place, 0), complaints)?))),
            C::During { .. } => {
                complaints.say(place.clone(), "`During` stands outermost in `Always` and `Never`");
                None
            }
            _ => {
                complaints.add(place.clone(), Problem::new("a property stands alone: it is about a whole run").help("`Never(PodStuck)`"));
                None
            }
        }
    }
}

/// The name of the property that a claim is, as on the command line.
fn property(claim: &spec::Claim) -> Option<String> {
    use spec::Claim as C;
    let name = match claim {
        C::PodStuck => "pod-stuck",
        C::NeedlessEviction => "needless-eviction",
        C::WrongPod => "wrong-pod",
        C::TimerReset => "timer-reset",
        C::TaintLost => "taint-lost",
        C::TaintStale => "taint-stale",
        C::NeverReady => "never-ready",
        C::NeverTainted => "never-tainted",
        C::EvictLoop => "evict-loop",
        C::Property(name) => name,
        C::AtLeast(_) | C::AtMost(_) | C::Equal(_) | C::All(_) | C::AnyOf(_) | C::Not(_) | C::During { .. } => return None,
    };
    Some(name.to_owned())
}

/// A time as people write it: `10m0s`.
fn from_start(time: Time) -> Dur {
    Dur::from_nanos(time.as_nanos())
}

fn with_index(place: &Place, i: usize) -> Place {
    let mut place = place.clone();
    place.push(i.into());
    place
}

/// What was found, or a complaint.
fn said<T>(found: Result<T, Nothing>, place: Place, complaints: &mut Complaints) -> Option<T> {
    found.map_err(|problem| problem.into_iter().for_each(|p| complaints.add(place.clone(), p))).ok()
}

fn label(text: &str, place: &Place, complaints: &mut Complaints) -> Option<Selector> {
    complaints.take(place.clone(), Selector::parse(text).map_err(|e| Problem::new(e.to_string())))
}

fn actor(name: &str, place: &Place, complaints: &mut Complaints) -> Option<()> {
    let known: Vec<&str> = Actor::ALL.iter().map(|a| a.as_str()).collect();
    if known.contains(&name) {
        return Some(());
    }
    let help = did_you_mean(name, known.iter().copied()).unwrap_or_else(|| format!("one of {}", known.join(", ")));
    complaints.add(place.clone(), Problem::new(format!("nobody is called `{name}`")).help(help));
    None
}

fn count(written: Option<&FlagValue>, place: &Place, complaints: &mut Complaints) -> Option<Count> {
    let between = |least, most| Count { least, most, each: false };
    let number = |text: &str, open: u64| if text.trim().is_empty() { Some(open) } else { text.trim().parse().ok() };
    let read = match written {
        None => Some(between(1, u64::MAX)),
        Some(FlagValue::Int(n)) => u64::try_from(*n).ok().map(|n| between(n, n)),
        Some(FlagValue::Text(text)) if text == "all" => Some(Count { least: 1, most: u64::MAX, each: true }),
        Some(FlagValue::Text(text)) => match text.split_once("..") {
            Some((least, most)) => number(least, 0).zip(number(most, u64::MAX)).map(|(a, b)| between(a, b)),
            None => text.trim().parse().ok().map(|n| between(n, n)),
        },
        Some(FlagValue::Bool(_) | FlagValue::Float(_)) => None,
    };
    let Some(read) = read else {
        let problem = Problem::new("this is not a number of times").help("one of `3`, `\"2..5\"`, `\"2..\"`, `\"..5\"`, `\"all\"`");
        complaints.add(with(place, "count"), problem);
        return None;
    };
    if read.least > read.most {
        complaints.say(with(place, "count"), "this range is empty");
        return None;
    }
    Some(read)
}

/// `3x 10m` is three times `10m`.
fn repeated(text: &str) -> (u64, &str) {
    let number = text.split_once('x').and_then(|(n, rest)| Some((n.trim().parse().ok()?, rest.trim_start())));
    number.filter(|(n, _)| *n > 0).unwrap_or((1, text))
}

fn spread(text: &str) -> Result<(Dur, Dur), Problem> {
    let bound = |text: &str, open: Dur| if text.trim().is_empty() { Ok(open) } else { values::span(text.trim()) };
    let (least, most) = match text.split_once("..") {
        Some((least, most)) => (bound(least, Dur::ZERO)?, bound(most, Dur::from_nanos(u64::MAX))?),
        None => (values::span(text)?, values::span(text)?),
    };
    if least > most { Err(Problem::new(format!("{text} runs backwards"))) } else { Ok((least, most)) }
}

fn taint(text: &str, place: &Place, complaints: &mut Complaints) -> Option<TaintSought> {
    let (rest, effect) = match text.split_once(':') {
        Some((rest, effect)) => (rest, Some(effect)),
        None => (text, None),
    };
    let (key, value) = match rest.split_once('=') {
        Some((key, value)) => (key, Some(value.to_owned())),
        None => (rest, None),
    };
    let parsed = effect.map(Effect::parse);
    if key.is_empty() || parsed == Some(None) {
        let help = "\"key:Effect\", \"key=value:Effect\" or \"key\"; the effects are NoSchedule, PreferNoSchedule and NoExecute";
        complaints.add(with(place, "taint"), Problem::new(format!("`{text}` is not a taint")).help(help));
        return None;
    }
    Some(TaintSought { key: key.to_owned(), value, effect: parsed.flatten() })
}

fn phase(phase: spec::Phase) -> PodPhase {
    match phase {
        spec::Phase::Pending => PodPhase::Pending,
        spec::Phase::Running => PodPhase::Running,
        spec::Phase::Succeeded => PodPhase::Succeeded,
        spec::Phase::Failed => PodPhase::Failed,
    }
}

fn pod_condition(kind: spec::PodConditionType) -> PodConditionType {
    match kind {
        spec::PodConditionType::Ready => PodConditionType::Ready,
        spec::PodConditionType::DisruptionTarget => PodConditionType::DisruptionTarget,
    }
}

fn zone_state(state: spec::ZoneState) -> ZoneState {
    match state {
        spec::ZoneState::Normal => ZoneState::Normal,
        spec::ZoneState::PartialDisruption => ZoneState::PartialDisruption,
        spec::ZoneState::FullDisruption => ZoneState::FullDisruption,
    }
}

/// Whether a figure is a duration, and one of the whole run.
fn is_duration(of: &Quantity) -> bool {
    matches!(of, Quantity::UnavailableSeconds(_) | Quantity::LongestGap(_))
}

/// What a figure is of.
fn text_of(of: &Quantity) -> &str {
    match of {
        Quantity::Available(t)
        | Quantity::Unavailable(t)
        | Quantity::Pending(t)
        | Quantity::Terminating(t)
        | Quantity::Timers(t)
        | Quantity::Evicted(t)
        | Quantity::NotReadyNodes(t)
        | Quantity::Requests(t)
        | Quantity::UnavailableSeconds(t)
        | Quantity::LongestGap(t) => t,
    }
}

/// The word that an expectation begins with.
fn word(e: &spec::Expectation) -> &'static str {
    use spec::Expectation as E;
    match e {
        E::Evicted(_) => "Evicted",
        E::NotEvicted(_) => "NotEvicted",
        E::Deleted(_) => "Deleted",
        E::Gone(_) => "Gone",
        E::Created(_) => "Created",
        E::Bound(_) => "Bound",
        E::Phase(_) => "Phase",
        E::PodCondition(_) => "PodCondition",
        E::TimerSet(_) => "TimerSet",
        E::TimerCancelled(_) => "TimerCancelled",
        E::Pending(_) => "Pending",
        E::Tainted(_) => "Tainted",
        E::Untainted(_) => "Untainted",
        E::Condition(_) => "Condition",
        E::Cordoned(_) => "Cordoned",
        E::Uncordoned(_) => "Uncordoned",
        E::ZoneState(_) => "ZoneState",
        E::MasterDisruption(_) => "MasterDisruption",
        E::Event(_) => "Event",
        E::Order(_) => "Order",
        E::AtLeast(_) => "AtLeast",
        E::AtMost(_) => "AtMost",
        E::Equal(_) => "Equal",
        E::Always(_) => "Always",
        E::Never(_) => "Never",
        E::Eventually { .. } => "Eventually",
        E::Until { .. } => "Until",
        E::Mostly { .. } => "Mostly",
    }
}
