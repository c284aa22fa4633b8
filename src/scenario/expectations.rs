//! Expectations with every name looked up and every text read: what [`build`](crate::scenario::build()) makes
//! of a scenario's `expect`.
//!
//! `analysis::expect` compares them with a finished run; nothing here knows what a run is.

use crate::api::node::NodeConditionType;
use crate::api::pod::PodConditionType;
use crate::api::words::rows;
use crate::scenario::prelude::*;
use crate::trace::{EvictionCause, ZoneState};

/// The name under which pods without a workload are reported, and asked for.
pub(crate) const BARE: &str = "pods without a workload";

/// What a scenario expects of its runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expectations {
    /// In the order of the file.
    pub list: Vec<Expectation>,
    /// The seeds to run it with, one after the other.
    pub(crate) seeds: Vec<u64>,
    /// The file of the golden timeline, relative to the scenario, and where the text stands.
    pub golden: Option<(String, Range<usize>)>,
    /// `PATH=VALUE` settings, each of which must break an expectation, and where the texts stand.
    pub guards: Vec<(String, Range<usize>)>,
}

impl Expectations {
    /// The expectations that all of these problems are about, by their places in the list; none where one is about
    /// something else.
    pub(crate) fn broken_by(
        &self,
        problems: &Problems,
        source: &Source,
    ) -> Option<BTreeSet<usize>> {
        let of = |problem: &Problem| {
            let bytes = problem.bytes().filter(|_| problem.source() == Some(&*source.name))?;
            let holds = |e: &Expectation| e.bytes.start <= bytes.start && bytes.end <= e.bytes.end;
            self.list.iter().position(holds)
        };
        problems.0.iter().map(of).collect()
    }
}

/// One expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The word it begins with: `Evicted`.
    pub kind: String,
    /// What is expected.
    pub(crate) what: Expected,
    /// The part of the runs in which it has to hold, where that is not all of them.
    pub(crate) share: Option<f64>,
    /// Where it stands in the source.
    pub bytes: Range<usize>,
}

/// A stretch of the run, both ends included.
pub(crate) type Stretch = (Time, Time);

/// What is expected.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expected {
    /// Records: how many, and when.
    Seen(Sought),
    /// Pods that are Pending at a moment.
    Pending {
        /// Which pods.
        pods: Pods,
        /// How many of them there have to be.
        count: Count,
        /// The instant that is looked at.
        at: Time,
        /// A part of the text of their last FailedScheduling event.
        reason: Option<String>,
    },
    /// The first of each, in this order.
    Order(Vec<Sought>),
    /// A figure and its limit at every moment, or at the end where it is one of the whole run.
    Figure {
        /// What it is compared with.
        comparison: Comparison,
        /// It is above zero for no longer than this at a stretch.
        longest: Option<Dur>,
        /// Where it is looked at.
        during: Stretch,
    },
    /// It holds at every moment of the stretch, or, if it is not wanted, at none.
    Throughout { claim: Claim, stretch: Stretch, wanted: bool },
    /// The property is violated in the stretch, or is not.
    Property { property: Property, stretch: Stretch, wanted: bool },
    /// It holds at some moment of the stretch.
    Eventually(Claim, Stretch),
    /// It holds from a time on until the other does, which does come.
    Until(Claim, Claim, Time),
    /// Whenever the first is recorded, the second is.
    Whenever {
        /// What comes, and what follows.
        parts: Box<[Sought; 2]>,
        /// Of what it follows.
        each: Each,
        /// How soon; by the end of the run where nothing is said.
        within: Option<Dur>,
    },
}

impl Expected {
    /// The records that are looked for: those of each of its parts.
    pub(crate) fn records(&self) -> Vec<&Sought> {
        match self {
            Self::Seen(sought) => vec![sought],
            Self::Order(parts) => parts.iter().collect(),
            Self::Whenever { parts, .. } => parts.iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// A claim about a moment.
#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    /// A figure and its limit.
    Compare(Comparison),
    /// All hold.
    All(Vec<Claim>),
    /// One holds.
    AnyOf(Vec<Claim>),
    /// It does not hold.
    Not(Box<Claim>),
}

rows! {
    /// How a figure relates to its limit.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Relation {
        /// At least.
        AtLeast = "at least",
        /// At most.
        AtMost = "at most",
        /// Equal.
        Equal = "exactly",
    }

    /// In words.
    pub(crate) fn words -> &'static str;
}

impl Relation {
    /// Whether it holds.
    pub(crate) fn holds(self, value: u64, limit: u64) -> bool {
        match self {
            Self::AtLeast => value >= limit,
            Self::AtMost => value <= limit,
            Self::Equal => value == limit,
        }
    }
}

/// A figure beside its limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The figure.
    pub(crate) quantity: Quantity,
    /// Its workloads, `Kind/namespace/name`; none where it is about all, or not about workloads.
    pub(crate) workloads: Option<BTreeSet<String>>,
    /// How it relates.
    pub(crate) relation: Relation,
    /// The limit; in nanoseconds where the figure is a duration.
    pub(crate) limit: u64,
}

/// Records that are looked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sought {
    /// The kind of record.
    pub(crate) what: Kind,
    /// Which pods; none where it is not about pods, or about all.
    pub(crate) pods: Option<Pods>,
    /// On which nodes; none is everywhere.
    pub(crate) nodes: Option<BTreeSet<NodeIndex>>,
    /// How many records have to match.
    pub(crate) count: Count,
    /// Within which times.
    pub(crate) times: Times,
}

impl Sought {
    /// Whether it is so whatever happens: any number of them will do, at any time.
    pub(crate) fn is_always_so(&self) -> bool {
        self.count.is_any_number() && self.times.are_any()
    }

    /// Whether it says neither how many there have to be nor when.
    pub(crate) fn is_any(&self) -> bool {
        self.count == Count::ANY && self.times.are_any()
    }
}

/// The kind of a record that is looked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Evicted { by: Option<EvictionCause> },
    Deleted { by: Option<String> },
    Gone,
    Created,
    Bound,
    Phase(PodPhase),
    PodCondition(PodConditionType, ConditionStatus),
    TimerSet,
    TimerCancelled,
    EvictionFailed,
    Tainted(TaintSought),
    Untainted(TaintSought),
    Condition(NodeConditionType, ConditionStatus),
    Unschedulable(bool),
    Zone(ZoneState, Option<String>),
    MasterDisruption { entered: bool },
    Event { reason: String, message: Option<String>, object: Option<String> },
}

impl Kind {
    /// Whether such records are about pods, and not about nodes or zones.
    pub(crate) fn is_about_pods(&self) -> bool {
        !matches!(
            self,
            Self::Tainted(_)
                | Self::Untainted(_)
                | Self::Condition(..)
                | Self::Unschedulable(_)
                | Self::Zone(..)
                | Self::MasterDisruption { .. }
        )
    }
}

/// A taint, as far as it was given.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TaintSought {
    /// Its key, whole or without `node.kubernetes.io/`.
    pub(crate) key: String,
    /// The value, where only that one counts.
    pub(crate) value: Option<String>,
    /// Its effect.
    pub(crate) effect: Option<Effect>,
}

/// Which pods; everything that is given has to fit.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pods {
    /// What was written, for messages.
    pub(crate) written: String,
    /// `namespace/name`, with `*` for any letters.
    pub(crate) glob: Option<String>,
    /// Names, `namespace/name`.
    pub(crate) names: Option<BTreeSet<String>>,
    /// Names of workloads, `Kind/namespace/name`.
    pub(crate) workloads: Option<BTreeSet<String>>,
    /// Labels that have to match.
    pub(crate) labels: Vec<Selector>,
    /// The namespace, where only that one counts.
    pub(crate) namespace: Option<String>,
}

impl Pods {
    /// Whether a pod of this `namespace/name` and these labels is meant, if it is of a workload that is.
    pub(crate) fn has(&self, name: &str, labels: Option<&Labels>) -> bool {
        self.glob.as_ref().is_none_or(|pattern| glob(pattern, name))
            && self.names.as_ref().is_none_or(|names| names.contains(name))
            && self.namespace.as_ref().is_none_or(|namespace| namespace_of(name) == namespace)
            && self.labels.iter().all(|label| labels.is_some_and(|own| label.matches(own)))
    }
}

/// How often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count {
    /// At least.
    pub(crate) least: u64,
    /// At most.
    pub(crate) most: u64,
    /// Once or more for each selected object.
    pub(crate) each: bool,
}

impl Count {
    /// Once or more.
    pub(crate) const ANY: Self = Self { least: 1, most: u64::MAX, each: false };

    /// Whether there may be none, and any number.
    pub(crate) fn is_any_number(&self) -> bool {
        self.least == 0 && self.most == u64::MAX
    }
}

/// At which times something happens.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Times {
    /// At exactly these times, to the millisecond, so often at each; none twice.
    pub(crate) at: Vec<(u64, Time)>,
    /// None before.
    pub(crate) after: Option<Time>,
    /// None after.
    pub(crate) before: Option<Time>,
    /// The first lies in this stretch.
    pub(crate) first: Option<Stretch>,
    /// From the first to the last.
    pub(crate) spread: Option<(Dur, Dur)>,
    /// Where it is looked at.
    pub(crate) during: Stretch,
}

impl Times {
    /// How often in all, by the single times.
    pub(crate) fn so_often(&self) -> u64 {
        self.at.iter().fold(0, |n, t| t.0.saturating_add(n))
    }

    /// Whether nothing is said of when, but for where it is looked at.
    fn are_any(&self) -> bool {
        let Self { at, after, before, first, spread, during: _ } = self;
        let bound = after.or(*before).is_some() || first.is_some() || spread.is_some();
        at.is_empty() && !bound
    }
}

/// Whether a text fits a pattern in which `*` stands for any letters. Each part between stars is
/// looked for where the one before it ended, and taking the first such place is enough: the
/// time grows with the length of the text, not with the ways to split it.
pub fn glob(pattern: &str, text: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else { return pattern == text };
    // Behind the last star stands the end of the text.
    let (middle, end) = tail.rsplit_once('*').unwrap_or(("", tail));
    let Some(mut rest) = text.strip_prefix(head).and_then(|rest| rest.strip_suffix(end)) else {
        return false;
    };
    for part in middle.split('*').filter(|part| !part.is_empty()) {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::glob;

    #[test]
    fn stars_stand_for_any_letters() {
        assert!(
            glob("b-*", "b-01")
                && glob("*", "")
                && glob("a*b*c", "a-x-b-y-c")
                && glob("web", "web")
        );
        assert!(
            glob("*a*b*", "xaxbx")
                && glob("**", "")
                && glob("a**b", "ab")
                && glob("*", "é")
                && glob("*é", "aé")
        );
        assert!(!glob("a*a", "a") && !glob("ab*ba", "aba"), "head and end may not share a letter");
        assert!(
            !glob("b-*", "a-01")
                && !glob("web", "web-0")
                && !glob("a*b", "a-b-c")
                && !glob("*é", "e")
        );
    }

    /// A million letters against thirty stars: split in every way this would take longer than there
    /// is time.
    #[test]
    fn many_stars_take_no_longer_than_few() {
        let text = "a".repeat(1_000_000);
        assert!(!glob(&format!("{}b", "*a".repeat(30)), &text));
        assert!(!glob(&format!("{}b*", "*a".repeat(30)), &text));
        assert!(glob(&format!("{}*", "*a".repeat(30)), &text));
    }

    /// The same answers as trying every split.
    #[test]
    fn every_short_pattern_agrees_with_trying_all() {
        fn slow(pattern: &[u8], text: &[u8]) -> bool {
            match pattern {
                [] => text.is_empty(),
                [b'*', rest @ ..] => (0..=text.len()).any(|i| slow(rest, &text[i..])),
                [c, rest @ ..] => text.first() == Some(c) && slow(rest, &text[1..]),
            }
        }
        let words = |letters: &[u8], most: u32| -> Vec<String> {
            let n = letters.len();
            let word = |length: u32, i: usize| {
                (0..length).map(|d| char::from(letters[i / n.pow(d) % n])).collect()
            };
            (0..=most)
                .flat_map(|length| (0..n.pow(length)).map(move |i| (length, i)))
                .map(|(length, i)| word(length, i))
                .collect()
        };
        for pattern in words(b"ab*", 5) {
            for text in words(b"ab", 4) {
                assert_eq!(
                    glob(&pattern, &text),
                    slow(pattern.as_bytes(), text.as_bytes()),
                    "{pattern} {text}"
                );
            }
        }
    }
}
