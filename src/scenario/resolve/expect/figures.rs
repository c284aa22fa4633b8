//! Figures with their limits, claims about every moment, and when something is expected: single times,
//! windows, how far apart.

use super::{Reader, actor, from_start, word};
use crate::language::Claim as C;
use crate::scenario::expectations::{BARE, Claim, Comparison, Expected, Relation, Stretch, Times};
use crate::scenario::prelude::*;

impl Reader<'_> {
    pub(super) fn figure(&self, l: &Limit, relation: Relation, place: &Spot) -> Option<Expected> {
        let comparison = self.comparison(&l.of, &l.is, relation, place);
        let during = match &l.during {
            Some(w) => self.window(w, &place.part("during"))?,
            None => (Time::ZERO, self.horizon),
        };
        let longest = place.maybe("longest", l.longest.as_ref(), |text| values::span(text))?;
        if longest.is_some() && (relation != Relation::AtMost || l.of.is_span()) {
            return place.part("longest").deny("only an `AtMost` of a number has a `longest`");
        }
        if l.during.is_some() && l.of.is_span() {
            return place.part("during").deny("this figure is one of the whole run");
        }
        Some(Expected::Figure { comparison: comparison?, longest, during })
    }

    fn comparison(
        &self,
        of: &Quantity,
        is: &FlagValue,
        relation: Relation,
        place: &Spot,
    ) -> Option<Comparison> {
        let limit = match (is, of.is_span()) {
            (FlagValue::Int(n), false) if *n >= 0 => Ok(*n as u64),
            (FlagValue::Text(text), true) => values::span(text).map(Dur::as_nanos),
            (_, false) => Err(Problem::new("this limit is a whole number, zero or more")),
            (_, true) => Err(Problem::new("this limit is a duration in quotes, such as \"8m\"")),
        };
        let limit = place.part("is").take(limit);
        let (_, name) = of.parts();
        let of_place = place.part("of").part(0);
        let mut quantity = of.clone();
        let workloads = match of {
            _ if name == "*" => None,
            Quantity::NotReadyNodes(zone) => {
                quantity = Quantity::NotReadyNodes(of_place.take(self.nodes.zone(zone))?.0);
                None
            }
            Quantity::Requests(by) => {
                is_counted(by, &of_place)?;
                None
            }
            _ if name == BARE => Some(BTreeSet::from([name])),
            _ => {
                let found = of_place.take(self.workload_named(&name))?;
                let Some(found) = found else {
                    if !self.incomplete() {
                        let all = self.workloads.plans.iter();
                        let known = all.filter_map(|w| w.name.rsplit('/').next());
                        let problem = Problem::new(format!("there is no workload `{name}`"));
                        let help = format!("pods that have none are `{BARE}` together");
                        of_place.add(problem.maybe_help(did_you_mean(&name, known)).or_help(&help));
                    }
                    return None;
                };
                Some(BTreeSet::from([found]))
            }
        };
        Some(Comparison { quantity, workloads, relation, limit: limit? })
    }

    /// The claim without its stretch, its place, and the stretch.
    pub(super) fn stretch_of<'e, 'c>(
        &self,
        claim: &'e C,
        place: Spot<'c>,
    ) -> Option<(&'e C, Spot<'c>, Stretch)> {
        match claim {
            C::During { between, that } => {
                let stretch = self.window(between, &place.part("between"))?;
                Some((that, place.part("that"), stretch))
            }
            claim => Some((claim, place, (Time::ZERO, self.horizon))),
        }
    }

    pub(super) fn claim(&self, claim: &C, place: &Spot) -> Option<Claim> {
        let compare = |c: &language::Comparison, relation| {
            if c.of.is_span() {
                return place.part("of").refuse(Problem::new("this figure is one of the whole run, not of a moment")
                        .help("give it as an expectation of its own: `AtMost(of: longest_gap(\"db\"), is: \"8m\")`"));
            }
            self.comparison(&c.of, &c.is, relation, place).map(Claim::Compare)
        };
        let list = |claims: &[C]| {
            let one = |(i, c)| self.claim(c, &place.part(0).part(i));
            let found: Vec<_> = (0..).zip(claims).filter_map(one).collect();
            if claims.is_empty() {
                return place.deny("nothing is claimed here");
            }
            (found.len() == claims.len()).then_some(found)
        };
        match claim {
            C::AtLeast(c) => compare(c, Relation::AtLeast),
            C::AtMost(c) => compare(c, Relation::AtMost),
            C::Equal(c) => compare(c, Relation::Equal),
            C::All(claims) => list(claims).map(Claim::All),
            C::AnyOf(claims) => list(claims).map(Claim::AnyOf),
            C::Not(claim) => Some(Claim::Not(Box::new(self.claim(claim, &place.part(0))?))),
            C::During { .. } => place.deny("`During` stands outermost in `Always` and `Never`"),
            _ => {
                let problem = Problem::new("a property stands alone: it is about a whole run");
                place.refuse(problem.help("`Never(PodStuck)`"))
            }
        }
    }
}

/// The name of the property that a claim is.
pub(super) fn property(claim: &C) -> Option<String> {
    match claim {
        C::AtLeast(_)
        | C::AtMost(_)
        | C::Equal(_)
        | C::All(_)
        | C::AnyOf(_)
        | C::Not(_)
        | C::During { .. } => None,
        C::Property(name) => Some(name.clone()),
        named => Some(word(named)),
    }
}

impl Reader<'_> {
    pub(super) fn times(&self, c: &Common, place: &Spot) -> Option<Times> {
        let one = |text: Option<&TimeText>, field: &str| {
            text.map_or(Some(None), |text| self.moment(text, &place.part(field)).map(Some))
        };
        let window = |w: Option<&Window>, field: &str| {
            w.map_or(Some(None), |w| self.window(w, &place.part(field)).map(Some))
        };
        if c.at.is_some_and(|at| at.texts().is_empty()) {
            return place.part("at").deny("no time is given here");
        }
        let mut at = Some(Vec::new());
        for text in c.at.iter().flat_map(|t| t.texts()) {
            let (times, rest) = repeated(text);
            if times == 0 {
                let problem = Problem::new(format!("`{text}` is never"));
                let help = "`count: 0` where none comes, and `during` where to look";
                return place.part("at").refuse(problem.help(help));
            }
            let time = self.moment(rest, &place.part("at"));
            at = at.zip(time).map(|(mut all, t)| {
                match all.iter_mut().find(|(_, same)| *same == t) {
                    Some((n, _)) => *n = times.saturating_add(*n),
                    None => all.push((times, t)),
                }
                all
            });
        }
        let (after, before) = (one(c.after, "after"), one(c.before, "before"));
        let (between, first) = (window(c.between, "between"), window(c.first, "first"));
        let during = window(c.during, "during");
        let spread = place.maybe("spread", c.spread, |text| spread(text));
        let (mut after, mut before, between) = (after?, before?, between?);
        if between.is_some() && (after.is_some() || before.is_some()) {
            let text = "`between` is `after` and `before` in one; give it alone";
            return place.part("between").deny(text);
        }
        if let (Some(a), Some(b)) = (after, before) {
            not_empty((a, b), place.part("before"))?;
        }
        if let Some((a, b)) = between {
            (after, before) = (Some(a), Some(b));
        }
        Some(Times {
            at: at?,
            after,
            before,
            first: first?,
            spread: spread?,
            during: during?.unwrap_or((Time::ZERO, self.horizon)),
        })
    }

    /// A time of a field that may be left out, and then is another one.
    pub(super) fn moment_or(&self, written: Option<&TimeText>, or: Time, at: Spot) -> Option<Time> {
        written.map_or(Some(or), |text| self.moment(text, &at))
    }

    /// A time that lies in the run, by the millisecond, as what is compared with it.
    pub(super) fn moment(&self, text: &str, place: &Spot) -> Option<Time> {
        let time = place.take(self.moments.moment(text))?;
        if time > self.horizon {
            self.beyond(place.clone(), time);
            return None;
        }
        Some(time.whole_millis())
    }

    /// The end of what is looked at: all of its millisecond, as far as the run goes.
    pub(super) fn end(&self, time: Time) -> Time {
        self.horizon.min(time.whole_millis() + Dur::from_nanos(999_999))
    }

    pub(super) fn beyond(&self, place: Spot, time: Time) {
        let [time, end] = [time, self.horizon].map(from_start);
        let message = format!("{time} is beyond the end of the run, {end}");
        place.add(Problem::new(message).help("make `horizon` longer"));
    }

    pub(super) fn window(&self, (from, to): &Window, place: &Spot) -> Option<Stretch> {
        let (a, b) = (self.moment(from, &place.part(0)), self.moment(to, &place.part(1)));
        not_empty((a?, b?), place.clone()).map(|(a, b)| (a, self.end(b)))
    }
}

/// A stretch that does not end before it begins.
fn not_empty((a, b): Stretch, place: Spot) -> Option<Stretch> {
    if a > b {
        let (a, b) = (from_start(a), from_start(b));
        let problem = format!("this window is empty: it begins at {a} and ends at {b}");
        return place.deny(problem);
    }
    Some((a, b))
}

/// `3x 10m` is three times `10m`.
fn repeated(text: &str) -> (u64, &str) {
    let number =
        text.split_once('x').and_then(|(n, r)| Some((n.trim().parse().ok()?, r.trim_start())));
    number.unwrap_or((1, text))
}

fn spread(text: &str) -> Result<(Dur, Dur), Problem> {
    let bound = |text: &str, open: Dur| {
        if text.trim().is_empty() { Ok(open) } else { values::span(text.trim()) }
    };
    let (least, most) = match text.split_once("..") {
        Some((least, most)) => (bound(least, Dur::ZERO)?, bound(most, Dur::from_nanos(u64::MAX))?),
        None => (values::span(text)?, values::span(text)?),
    };
    let wrong = || Problem::new(format!("{text} runs backwards"));
    (least <= most).then_some((least, most)).ok_or_else(wrong)
}

/// Complains about a name that no actor has, and about one whose requests nobody counts: the API server sends none,
/// and those of kubelets and of volumes' drivers go by another way.
fn is_counted(by: &str, place: &Spot) -> Option<()> {
    let has_some = |a: &Actor| {
        !matches!(a, Actor::Kubelet | Actor::ApiServer | Actor::Attacher | Actor::Provisioner)
    };
    if Actor::ALL.iter().any(|a| !has_some(a) && a.as_str() == by) {
        let help = "they are of controllers, the scheduler and kubectl only";
        let problem = Problem::new(format!("the requests of `{by}` are not counted"));
        return place.refuse(problem.help(help));
    }
    actor(by, has_some, place)
}
