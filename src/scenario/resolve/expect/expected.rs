//! All that a scenario expects of its runs, the list, the seeds, a golden timeline and guards, and what a
//! single expectation means.

use super::figures::property;
use super::sought::{count, unbound};
use super::{Reader, word};
use crate::language::{Claim, Expectation as E};
use crate::scenario::expectations::{Expectation, Expectations, Expected, Kind, Relation, Sought};
use crate::scenario::prelude::*;

/// What has records as its parts: how it is said that something else is a part of it, and that a part
/// says more than which records are meant.
struct Whole<'a> {
    has: &'a str,
    about: &'a str,
    help: &'a str,
}

impl Reader<'_> {
    /// What is expected; nothing if a complaint is about it.
    pub(super) fn expected(&self, e: &E, place: &Spot) -> Option<Expected> {
        match e {
            E::Pending(p) => self.pending(p, place),
            E::Order(list) => self.order(list, place),
            E::AtLeast(l) => self.figure(l, Relation::AtLeast, place),
            E::AtMost(l) => self.figure(l, Relation::AtMost, place),
            E::Equal(l) => self.figure(l, Relation::Equal, place),
            E::Always(c) | E::Never(c) | E::Violates(c) => self.throughout(e, c, place),
            E::Eventually { that, after, within } => {
                self.eventually(that, after.as_ref(), within.as_ref(), place)
            }
            E::Until { that, until, after } => self.until(that, until, after.as_ref(), place),
            E::Whenever { that, then, each, within } => {
                self.whenever([that, then], *each, within.as_ref(), place)
            }
            E::Mostly { .. } => place.deny("`Mostly` stands outermost"),
            _ => Some(Expected::Seen(self.sought(e, place)??)),
        }
    }

    /// Pods that wait at a moment.
    fn pending(&self, p: &language::Pending, place: &Spot) -> Option<Expected> {
        Some(Expected::Pending {
            pods: self.pods(&p.common(), place)?.unwrap_or_default(),
            count: count(p.count.as_ref(), place)?,
            at: self.end(self.moment_or(p.at.as_ref(), self.horizon, place.part("at"))?),
            reason: p.reason.clone(),
        })
    }

    /// Records one after another.
    fn order(&self, list: &[E], place: &Spot) -> Option<Expected> {
        if list.len() < 2 {
            return place.deny("an order has two parts or more");
        }
        let whole = Whole {
            has: "an order has",
            about: "`Order` is about the first of each: neither how many nor when",
            help: "`during: (…, …)` says where to look; how many come, and when, is an expectation of its own",
        };
        let part = |(i, part)| self.record(part, &whole, &place.part(0).part(i));
        let parts: Vec<_> = (0..).zip(list).filter_map(part).collect();
        (parts.len() == list.len()).then_some(Expected::Order(parts))
    }

    /// What records are looked for as a part of something that has only those, and heeds neither how
    /// many of them there are nor when they come.
    fn record(&self, part: &E, whole: &Whole, at: &Spot) -> Option<Sought> {
        let Some(sought) = self.sought(part, at)? else {
            let (word, has) = (word(part), whole.has);
            return at.deny(format!("`{word}` is not about records; {has} only those"));
        };
        if sought.is_any() {
            return Some(sought);
        }
        at.refuse(Problem::new(whole.about).help(whole.help))
    }

    /// Records that follow others.
    fn whenever(
        &self,
        parts: [&E; 2],
        each: Each,
        within: Option<&DurationText>,
        place: &Spot,
    ) -> Option<Expected> {
        let [at_that, at_then] = ["that", "then"].map(|field| place.part(field));
        let whole = Whole {
            has: "`Whenever` has",
            about: "`Whenever` is about each record: neither how many nor when",
            help: "`during: (…, …)` says where to look, and `within` how soon the other follows",
        };
        let that = self.record(parts[0], &whole, &at_that);
        let then = self.record(parts[1], &whole, &at_then);
        let within = place.maybe("within", within, |text| values::span(text))?;
        let parts = [that?, then?];
        let [that, then] = [0, 1].map(|i| parts[i].what.is_about_pods());
        if each == Each::Object && that != then {
            let problem = Problem::new("one is about pods, and the other is not");
            let help = "`each: Node` is the node that a pod is on";
            return place.part("each").refuse(problem.help(help));
        }
        if each == Each::Workload && !(that && then) {
            return place.part("each").deny("only pods are of a workload");
        }
        let is_unbound =
            |s: &Sought| s.what == Kind::Created && !self.are_created_on_nodes(s.pods.as_ref());
        if each == Each::Node && parts.iter().any(is_unbound) {
            return place.part("each").refuse(unbound());
        }
        Some(Expected::Whenever { parts: Box::new(parts), each, within })
    }

    /// A claim that holds at every moment or at none, or a property that no run has, or every one.
    fn throughout(&self, e: &E, claim: &Claim, place: &Spot) -> Option<Expected> {
        let (claim, at, stretch) = self.stretch_of(claim, place.part(0))?;
        let wanted = !matches!(e, E::Never(_));
        let (problem, help) = match (e, property(claim)) {
            (E::Always(_) | E::Never(_), None) => {
                let claim = self.claim(claim, &at)?;
                return Some(Expected::Throughout { claim, stretch, wanted });
            }
            (E::Never(_) | E::Violates(_), Some(name)) => {
                let property = of_a_run(&name, &at.part(0))?;
                return Some(Expected::Property { property, stretch, wanted });
            }
            (_, Some(_)) => ("a property is something that must never happen", "`Never(PodStuck)`"),
            (_, None) => (
                "this is not a property",
                "`Violates(PodStuck)`, or `Never(…)` of what must not be",
            ),
        };
        at.refuse(Problem::new(problem).help(help))
    }

    /// A claim that comes true within some time.
    fn eventually(
        &self,
        that: &Claim,
        after: Option<&TimeText>,
        within: Option<&DurationText>,
        place: &Spot,
    ) -> Option<Expected> {
        let claim = self.claim(that, &place.part("that"));
        let from = self.moment_or(after, Time::ZERO, place.part("after"))?;
        let within = place.maybe("within", within, |text| values::span(text))?;
        let to = within.map_or(self.horizon, |span| from.saturating_add(span));
        if to > self.horizon {
            self.beyond(place.part("within"), to);
            return None;
        }
        Some(Expected::Eventually(claim?, (from, self.end(to))))
    }

    /// A claim that holds until another one does.
    fn until(
        &self,
        that: &Claim,
        until: &Claim,
        after: Option<&TimeText>,
        place: &Spot,
    ) -> Option<Expected> {
        let that = self.claim(that, &place.part("that"));
        let until = self.claim(until, &place.part("until"));
        let from = self.moment_or(after, Time::ZERO, place.part("after"))?;
        Some(Expected::Until(that?, until?, from))
    }
}

/// The property of that name, with its bound, if a run can violate it.
fn of_a_run(name: &str, place: &Spot) -> Option<Property> {
    let property = place.take(Property::parse(name).map_err(Problem::new))?;
    if property.is_of_a_run() {
        return Some(property);
    }
    let problem = Problem::new(format!("no single run violates `{property}`"));
    place.refuse(problem.help("`taintsim explore` looks for it in many"))
}

/// The most seeds of a scenario.
const SEEDS_MAX: u32 = 100_000;

impl Reader<'_> {
    /// Everything that a scenario expects; what a complaint is about is left out. `text` is where
    /// places are looked for.
    pub(crate) fn read(
        &self,
        spec: &Scenario,
        (seed, release): (u64, &str),
        text: &str,
        complaints: &Complaints,
    ) -> Expectations {
        let is_placed = !spec.expect.is_empty() || spec.golden.is_some();
        let tree = is_placed.then(|| Tree::read(text).ok()).flatten();
        let bytes =
            |p: &language::Place| tree.as_ref().and_then(|t| t.find(p)).map_or(0..0, Tree::bytes);
        let seeds = seeds(spec.seeds, &complaints.at(at!["seeds"]));
        let mut list = Vec::new();
        for (place, e) in complaints.at(at!["expect"]).each(&spec.expect) {
            let (share, inner, at) = share(e, seeds, &place);
            if let Some(what) = self.expected(inner, &at) {
                let (kind, bytes) = (word(inner), bytes(place.place()));
                list.push(Expectation { kind, what, share, bytes });
            }
        }
        let golden = spec.golden.as_ref().map(|file| file.replace("{release}", release));
        if golden.is_some() && seeds > 1 {
            let text =
                "a golden timeline is that of one run; this scenario runs with several seeds";
            complaints.at(at!["golden"]).say(text);
        }
        let guard = |(i, g): (usize, &String)| (g.clone(), bytes(&at!["guards", i]));
        Expectations {
            list,
            seeds: (0..u64::from(seeds)).map(|n| seed.wrapping_add(n)).collect(),
            golden: golden.map(|file| (file, bytes(&at!["golden"]))),
            guards: spec.guards.iter().enumerate().map(guard).collect(),
        }
    }
}

/// With how many seeds the scenario runs.
fn seeds(written: Option<u32>, place: &Spot) -> u32 {
    let seeds = match written {
        Some(0) => place.deny("a scenario runs with at least one seed"),
        Some(n) if n > SEEDS_MAX => {
            place.deny(format!("{n} seeds are more than {SEEDS_MAX}, the limit of a scenario"))
        }
        n => n,
    };
    seeds.unwrap_or(1)
}

/// The share of the runs in which something is expected, if one is given; what is expected, and its
/// place.
fn share<'e, 'c>(e: &'e E, seeds: u32, place: &Spot<'c>) -> (Option<f64>, &'e E, Spot<'c>) {
    let E::Mostly { in_at_least, that } = e else {
        return (None, e, place.clone());
    };
    if !(*in_at_least > 0.0 && *in_at_least <= 1.0) {
        let share = legible(*in_at_least);
        let problem = format!("a share of {share} is not above 0 and at most 1");
        place.part("in_at_least").say(problem);
    }
    if seeds < 2 {
        let problem = Problem::new("a share of the runs needs several of them");
        place.add(problem.help("`seeds: 50` beside `expect`"));
    }
    (Some(*in_at_least), that, place.part("that"))
}
