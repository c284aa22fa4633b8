//! What a single expectation means.

use super::figures::property;
use super::reader::Reader;
use super::reader::word;
use super::sought::count;
use crate::kernel::Time;
use crate::language;
use crate::language::Problem;
use crate::language::complaints::Complaints;
use crate::language::text::place::{Place, with};
use crate::language::values;
use crate::scenario::expectations::{Expected, Relation};

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
