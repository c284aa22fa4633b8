//! All that a scenario expects of its runs, the list, the seeds, a golden timeline and guards, and what a
//! single expectation means.

use super::figures::property;
use super::reader::{Of, Reader, word};
use super::sought::count;
use crate::kernel::Time;
use crate::language::text::place::{Place, at, with};
use crate::language::{self, Complaints, Problem, Scenario, Tree, values};
use crate::scenario::expectations::{Expectation, Expectations, Expected, Relation};

impl Reader<'_> {
    /// What is expected; nothing if a complaint is about it.
    pub(super) fn expected(
        &self,
        e: &language::Expectation,
        place: &Place,
        complaints: &mut Complaints,
    ) -> Option<Expected> {
        use language::Expectation as E;
        match e {
            E::Pending(p) => self.pending(p, place, complaints),
            E::Order(list) => self.order(list, place, complaints),
            E::AtLeast(l) => self.figure(l, Relation::AtLeast, place, complaints),
            E::AtMost(l) => self.figure(l, Relation::AtMost, place, complaints),
            E::Equal(l) => self.figure(l, Relation::Equal, place, complaints),
            E::Always(claim) | E::Never(claim) | E::Violates(claim) => {
                self.throughout(e, claim, place, complaints)
            }
            E::Eventually { that, after, within } => {
                self.eventually(that, after.as_ref(), within.as_ref(), place, complaints)
            }
            E::Until { that, until, after } => {
                self.until(that, until, after.as_ref(), place, complaints)
            }
            E::Mostly { .. } => {
                complaints.say(place.clone(), "`Mostly` stands outermost");
                None
            }
            _ => Some(Expected::Seen(self.sought(e, place, complaints)??)),
        }
    }

    /// Pods that wait at a moment.
    fn pending(
        &self,
        p: &language::Pending,
        place: &Place,
        complaints: &mut Complaints,
    ) -> Option<Expected> {
        Some(Expected::Pending {
            pods: self.pods(&p.common(), place, complaints)?.unwrap_or_default(),
            count: count(p.count.as_ref(), place, complaints)?,
            at: match &p.at {
                Some(text) => self.moment(text.as_str(), &with(place, "at"), complaints)?,
                None => self.horizon,
            },
            reason: p.reason.clone(),
        })
    }

    /// Records one after another.
    fn order(
        &self,
        list: &[language::Expectation],
        place: &Place,
        complaints: &mut Complaints,
    ) -> Option<Expected> {
        if list.len() < 2 {
            complaints.say(place.clone(), "an order has two parts or more");
            return None;
        }
        let mut parts = Vec::new();
        for (i, part) in list.iter().enumerate() {
            let mut at = with(place, 0);
            at.push(i.into());
            match self.sought(part, &at, complaints) {
                Some(Some(sought)) => parts.push(sought),
                Some(None) => complaints.say(
                    at,
                    format!("`{}` is not about records; an order has only those", word(part)),
                ),
                None => {}
            }
        }
        (parts.len() == list.len()).then_some(Expected::Order(parts))
    }

    /// A claim that holds at every moment or at none, or a property that no run has, or every one.
    fn throughout(
        &self,
        e: &language::Expectation,
        claim: &language::Claim,
        place: &Place,
        complaints: &mut Complaints,
    ) -> Option<Expected> {
        use language::Expectation as E;
        let (claim, at, stretch) = self.stretch_of(claim, with(place, 0), complaints)?;
        let (problem, help) = match (e, property(claim)) {
            (E::Always(_), None) => {
                return Some(Expected::Always(self.claim(claim, &at, complaints)?, stretch));
            }
            (E::Never(_), None) => {
                return Some(Expected::Never(self.claim(claim, &at, complaints)?, stretch));
            }
            (E::Never(_), Some(name)) => return Some(Expected::NeverProperty(name, stretch)),
            (E::Violates(_), Some(name)) => return Some(Expected::Violates(name, stretch)),
            (_, Some(_)) => ("a property is something that must never happen", "`Never(PodStuck)`"),
            (_, None) => (
                "this is not a property",
                "`Violates(PodStuck)`, or `Never(…)` of what must not be",
            ),
        };
        complaints.add(at, Problem::new(problem).help(help));
        None
    }

    /// A claim that comes true within some time.
    fn eventually(
        &self,
        that: &language::Claim,
        after: Option<&language::TimeText>,
        within: Option<&language::DurationText>,
        place: &Place,
        complaints: &mut Complaints,
    ) -> Option<Expected> {
        let claim = self.claim(that, &with(place, "that"), complaints);
        let from = match after {
            Some(text) => self.moment(text.as_str(), &with(place, "after"), complaints)?,
            None => Time::ZERO,
        };
        let to = match within {
            Some(text) => from.saturating_add(
                complaints.take(with(place, "within"), values::span(text.as_str()))?,
            ),
            None => self.horizon,
        };
        if to > self.horizon {
            self.beyond(with(place, "within"), to, complaints);
            return None;
        }
        Some(Expected::Eventually(claim?, (from, to)))
    }

    /// A claim that holds until another one does.
    fn until(
        &self,
        that: &language::Claim,
        until: &language::Claim,
        after: Option<&language::TimeText>,
        place: &Place,
        complaints: &mut Complaints,
    ) -> Option<Expected> {
        let (that, until) = (
            self.claim(that, &with(place, "that"), complaints),
            self.claim(until, &with(place, "until"), complaints),
        );
        let from = match after {
            Some(text) => self.moment(text.as_str(), &with(place, "after"), complaints)?,
            None => Time::ZERO,
        };
        Some(Expected::Until(that?, until?, from))
    }
}

/// The most seeds of a scenario.
const SEEDS_MAX: u32 = 100_000;

impl Reader<'_> {
    /// Everything that a scenario expects; what a complaint is about is left out. `text` is where
    /// places are looked for.
    pub(crate) fn read(
        &self,
        spec: &Scenario,
        of: Of<'_>,
        text: &str,
        complaints: &mut Complaints,
    ) -> Expectations {
        let is_placed = !spec.expect.is_empty() || spec.golden.is_some();
        let tree = is_placed.then(|| Tree::read(text).ok()).flatten();
        let bytes =
            |place: &Place| tree.as_ref().and_then(|t| t.find(place)).map_or(0..0, Tree::bytes);
        let seeds = seeds(spec.seeds, complaints);
        let mut list = Vec::new();
        for (i, e) in spec.expect.iter().enumerate() {
            let place = at!["expect", i];
            let (share, inner, at) = share(e, seeds, &place, complaints);
            if let Some(what) = self.expected(inner, &at, complaints) {
                list.push(Expectation { kind: word(inner), what, share, bytes: bytes(&place) });
            }
        }
        let golden = spec
            .golden
            .as_ref()
            .map(|file| (file.replace("{release}", of.release), bytes(&at!["golden"])));
        if spec.golden.is_some() && seeds > 1 {
            complaints.say(
                at!["golden"],
                "a golden timeline is that of one run; this scenario runs with several seeds",
            );
        }
        let guards = spec
            .guards
            .iter()
            .enumerate()
            .map(|(i, g)| (g.clone(), bytes(&at!["guards", i])))
            .collect();
        Expectations {
            list,
            seeds: (0..u64::from(seeds)).map(|n| of.seed.wrapping_add(n)).collect(),
            golden,
            guards,
        }
    }
}

/// With how many seeds the scenario runs.
fn seeds(written: Option<u32>, complaints: &mut Complaints) -> u32 {
    match written {
        Some(0) => {
            complaints.say(at!["seeds"], "a scenario runs with at least one seed");
            1
        }
        Some(n) if n > SEEDS_MAX => {
            complaints.say(
                at!["seeds"],
                format!("{n} seeds are more than {SEEDS_MAX}, the limit of a scenario"),
            );
            1
        }
        n => n.unwrap_or(1),
    }
}

/// The share of the runs in which something is expected, if one is given; what is expected, and its
/// place.
fn share<'e>(
    e: &'e language::Expectation,
    seeds: u32,
    place: &Place,
    complaints: &mut Complaints,
) -> (Option<f64>, &'e language::Expectation, Place) {
    let language::Expectation::Mostly { in_at_least, that } = e else {
        return (None, e, place.clone());
    };
    if !(*in_at_least > 0.0 && *in_at_least <= 1.0) {
        let problem = format!("a share of {in_at_least} is not above 0 and at most 1");
        complaints.say(with(place, "in_at_least"), problem);
    }
    if seeds < 2 {
        let problem = Problem::new("a share of the runs needs several of them")
            .help("`seeds: 50` beside `expect`");
        complaints.add(place.clone(), problem);
    }
    (Some(*in_at_least), that, with(place, "that"))
}
