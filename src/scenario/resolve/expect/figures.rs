//! Figures with their limits, and claims about every moment.

use super::reader::{Reader, actor};
use crate::kernel::{Dur, Time};
use crate::language::Problem;
use crate::language::complaints::Complaints;
use crate::language::text::did_you_mean;
use crate::language::text::place::{Place, with};
use crate::language::values;
use crate::language::{self, FlagValue, Quantity};
use crate::scenario::expectations::{Claim, Comparison, Expected, Relation, Stretch};
use crate::scenario::resolve::select::said;
use std::collections::BTreeSet;

impl Reader<'_> {
    pub(super) fn figure(
        &self,
        l: &language::Limit,
        relation: Relation,
        place: &Place,
        complaints: &mut Complaints,
    ) -> Option<Expected> {
        let comparison = self.comparison(&l.of, &l.is, relation, place, complaints);
        let during = match &l.during {
            Some(w) => self.window(w, &with(place, "during"), complaints)?,
            None => (Time::ZERO, self.horizon),
        };
        let longest = match &l.longest {
            Some(text) => {
                Some(complaints.take(with(place, "longest"), values::span(text.as_str()))?)
            }
            None => None,
        };
        if longest.is_some() && (relation != Relation::AtMost || l.of.is_span()) {
            complaints.say(with(place, "longest"), "only an `AtMost` of a number has a `longest`");
            return None;
        }
        if l.during.is_some() && l.of.is_span() {
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
        let limit = match (is, of.is_span()) {
            (FlagValue::Int(n), false) if *n >= 0 => Ok(*n as u64),
            (FlagValue::Text(text), true) => values::span(text).map(Dur::as_nanos),
            (_, false) => Err(Problem::new("this limit is a whole number, zero or more")),
            (_, true) => Err(Problem::new("this limit is a duration in quotes, such as \"8m\"")),
        };
        let limit = complaints.take(with(place, "is"), limit);
        let name = of.parts().1;
        let of_place = with(&with(place, "of"), 0);
        let workloads = match of {
            Quantity::NotReadyNodes(zone) => {
                if zone != "*" {
                    said(
                        self.nodes.select(&language::NodeSelector::Zone(zone.clone())),
                        of_place,
                        complaints,
                    )?;
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
                let found = complaints.take(of_place.clone(), self.workload_named(name))?;
                let Some(found) = found else {
                    if !self.incomplete() {
                        let known: Vec<&str> = self
                            .workloads
                            .plans
                            .iter()
                            .filter_map(|w| w.name.rsplit('/').next())
                            .collect();
                        let problem = Problem::new(format!("there is no workload `{name}`"));
                        let help = "figures are of workloads: a group of pods without one has none to lack";
                        complaints.add(
                            of_place,
                            problem.maybe_help(did_you_mean(name, known)).or_help(help),
                        );
                    }
                    return None;
                };
                Some(BTreeSet::from([found]))
            }
        };
        Some(Comparison { quantity: of.clone(), workloads, relation, limit: limit? })
    }

    /// The claim without its stretch, its place, and the stretch.
    pub(super) fn stretch_of<'c>(
        &self,
        claim: &'c language::Claim,
        place: Place,
        complaints: &mut Complaints,
    ) -> Option<(&'c language::Claim, Place, Stretch)> {
        match claim {
            language::Claim::During { between, that } => {
                let stretch = self.window(between, &with(&place, "between"), complaints)?;
                Some((that, with(&place, "that"), stretch))
            }
            claim => Some((claim, place, (Time::ZERO, self.horizon))),
        }
    }

    pub(super) fn claim(
        &self,
        claim: &language::Claim,
        place: &Place,
        complaints: &mut Complaints,
    ) -> Option<Claim> {
        use language::Claim as C;
        let compare = |c: &language::Comparison, relation, complaints: &mut Complaints| {
            if c.of.is_span() {
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
                let mut at = with(place, 0);
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
            C::Not(claim) => {
                Some(Claim::Not(Box::new(self.claim(claim, &with(place, 0), complaints)?)))
            }
            C::During { .. } => {
                complaints.say(place.clone(), "`During` stands outermost in `Always` and `Never`");
                None
            }
            _ => {
                complaints.add(
                    place.clone(),
                    Problem::new("a property stands alone: it is about a whole run")
                        .help("`Never(PodStuck)`"),
                );
                None
            }
        }
    }
}

/// The name of the property that a claim is, as on the command line.
pub(super) fn property(claim: &language::Claim) -> Option<String> {
    use language::Claim as C;
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
        C::FalseUnknown => "false-unknown",
        C::StaleReady => "stale-ready",
        C::Property(name) => name,
        C::AtLeast(_)
        | C::AtMost(_)
        | C::Equal(_)
        | C::All(_)
        | C::AnyOf(_)
        | C::Not(_)
        | C::During { .. } => return None,
    };
    Some(name.to_owned())
}
