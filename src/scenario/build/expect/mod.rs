//! Expectations: names are looked up, windows are read and checked against the run, counts and
//! limits are read.

mod figures;
mod selected;
mod sought;

use super::complaints::Complaints;
use super::nodes::with;
use super::select::{Nodes, Nothing, Pods};
use super::values;
use super::when::Resolver;
use super::workloads::Workloads;
use crate::kernel::{Dur, Time};
use crate::scenario::expectations::{Expectation, Expectations, Expected, Relation};
use crate::scenario::problem::{Problem, did_you_mean};
use crate::scenario::spec::{self, Scenario};
use crate::scenario::syntax::{Place, Tree, at};
use crate::trace::Actor;
use figures::property;
use sought::count;

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

/// The run that the expectations are about.
#[derive(Clone, Copy)]
pub(super) struct Of<'a> {
    pub(super) seed: u64,
    pub(super) release: &'a str,
}

impl Reader<'_> {
    /// Everything that a scenario expects; what a complaint is about is left out. `text` is where
    /// places are looked for.
    pub(super) fn read(
        &self,
        spec: &Scenario,
        of: Of<'_>,
        text: &str,
        complaints: &mut Complaints,
    ) -> Expectations {
        let tree = Tree::read(text);
        let bytes = |place: &Place| {
            tree.as_ref()
                .and_then(|t| t.find(place))
                .map_or(0..0, |t| t.bytes.clone())
        };
        let seeds = match spec.seeds {
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
        };
        let mut list = Vec::new();
        for (i, e) in spec.expect.iter().enumerate() {
            let place = at!["expect", i];
            let (share, inner, at) = match e {
                spec::Expectation::Mostly { in_at_least, that } => {
                    if !(*in_at_least > 0.0 && *in_at_least <= 1.0) {
                        let problem =
                            format!("a share of {in_at_least} is not above 0 and at most 1");
                        complaints.say(with(&place, "in_at_least"), problem);
                    }
                    if seeds < 2 {
                        let problem = Problem::new("a share of the runs needs several of them")
                            .help("`seeds: 50` beside `expect`");
                        complaints.add(place.clone(), problem);
                    }
                    (Some(*in_at_least), &**that, with(&place, "that"))
                }
                e => (None, e, place.clone()),
            };
            if let Some(what) = self.expected(inner, &at, complaints) {
                list.push(Expectation {
                    kind: word(inner),
                    what,
                    share,
                    bytes: bytes(&place),
                });
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
            seeds: (0..u64::from(seeds))
                .map(|n| of.seed.wrapping_add(n))
                .collect(),
            golden,
            guards,
        }
    }

    fn expected(
        &self,
        e: &spec::Expectation,
        place: &Place,
        complaints: &mut Complaints,
    ) -> Option<Expected> {
        use spec::Expectation as E;
        let whole = (Time::ZERO, self.horizon);
        Some(match e {
            E::Pending(p) => Expected::Pending {
                pods: self
                    .pods(&p.common(), place, complaints)?
                    .unwrap_or_default(),
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
                        Some(None) => complaints.say(
                            at,
                            format!(
                                "`{}` is not about records; an order has only those",
                                word(part)
                            ),
                        ),
                        None => {}
                    }
                }
                (parts.len() == list.len()).then_some(Expected::Order(parts))?
            }
            E::AtLeast(l) => self.figure(l, Relation::AtLeast, place, complaints)?,
            E::AtMost(l) => self.figure(l, Relation::AtMost, place, complaints)?,
            E::Equal(l) => self.figure(l, Relation::Equal, place, complaints)?,
            E::Always(claim) => {
                let (claim, at, stretch) =
                    self.stretch_of(claim, with_index(place, 0), complaints)?;
                if property(claim).is_some() {
                    let help = "`Never(PodStuck)`";
                    complaints.add(
                        at,
                        Problem::new("a property is something that must never happen").help(help),
                    );
                    return None;
                }
                Expected::Always(self.claim(claim, &at, complaints)?, stretch)
            }
            E::Never(claim) => {
                let (claim, at, stretch) =
                    self.stretch_of(claim, with_index(place, 0), complaints)?;
                match property(claim) {
                    Some(name) => Expected::NeverProperty(name, stretch),
                    None => Expected::Never(self.claim(claim, &at, complaints)?, stretch),
                }
            }
            E::Violates(claim) => {
                let (claim, at, stretch) =
                    self.stretch_of(claim, with_index(place, 0), complaints)?;
                let Some(name) = property(claim) else {
                    complaints.add(
                        at,
                        Problem::new("this is not a property")
                            .help("`Violates(PodStuck)`, or `Never(…)` of what must not be"),
                    );
                    return None;
                };
                Expected::Violates(name, stretch)
            }
            E::Eventually {
                that,
                after,
                within,
            } => {
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
                Expected::Eventually(claim?, (from, to))
            }
            E::Until { that, until, after } => {
                let (that, until) = (
                    self.claim(that, &with(place, "that"), complaints),
                    self.claim(until, &with(place, "until"), complaints),
                );
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
    found
        .map_err(|problem| {
            problem
                .into_iter()
                .for_each(|p| complaints.add(place.clone(), p))
        })
        .ok()
}

fn actor(name: &str, place: &Place, complaints: &mut Complaints) -> Option<()> {
    let known: Vec<&str> = Actor::ALL.iter().map(|a| a.as_str()).collect();
    if known.contains(&name) {
        return Some(());
    }
    let help = did_you_mean(name, known.iter().copied())
        .unwrap_or_else(|| format!("one of {}", known.join(", ")));
    complaints.add(
        place.clone(),
        Problem::new(format!("nobody is called `{name}`")).help(help),
    );
    None
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
        E::EvictionFailed(_) => "EvictionFailed",
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
        E::Violates(_) => "Violates",
        E::Eventually { .. } => "Eventually",
        E::Until { .. } => "Until",
        E::Mostly { .. } => "Mostly",
    }
}
