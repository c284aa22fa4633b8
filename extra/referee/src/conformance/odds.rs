//! How often: whether the model's seeds come to what upstream's runs came to as often as they did.
//!
//! What is compared are counts of classes. Where runs are alike, a class is an outcome; where every run is its own, the classes
//! are those of its marginals: how many records of each kind there are, which object has the first, when the first, the middle and the
//! last of them come, and which of two kinds comes first.

use super::canonical::lines;
use super::check::Model;
use crate::classes::{is_often, same_odds};
use crate::recorded::{Line, Observed, Outcome, Recorded};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// How many of the runs have to have an outcome that another run has, too, for outcomes to be compared
/// as classes.
const ALIKE: f64 = 0.5;

/// How many classes times are divided into.
const PARTS: usize = 4;

/// One of the things that are compared.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Marginal {
    /// What it is.
    pub name: String,
    /// How many of upstream's runs and of the model's seeds came to each class.
    pub classes: Vec<(String, (u64, u64))>,
    /// How likely so great a difference, or a greater one, is if both draw with the same odds.
    pub probability: f64,
}

/// How often upstream and the model do what.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Odds {
    /// Upstream's runs, and the model's seeds.
    pub of: (u64, u64),
    /// What was compared, the greatest difference first; never empty.
    pub marginals: Vec<Marginal>,
    /// How likely that difference is, corrected for how many were compared.
    pub probability: f64,
}

/// Compares a recording of several outcomes with as many of the model's seeds; none where chance plays no
/// part, where the model lacks something, or where all that was kept says nothing of how often.
pub(crate) fn odds(recorded: &Recorded, model: &Model<'_>, seeds: u64) -> Option<Odds> {
    let Observed::Timelines { runs, distinct: 2.., outcomes } = &recorded.observed else {
        return None;
    };
    let plan = recorded.plan().ok()?;
    let ours: Vec<Vec<Line>> = (1..=seeds).map(|seed| lines(&model(&plan, seed))).collect();
    odds_of(*runs, outcomes, &ours)
}

/// Compares the outcomes that are kept of so many runs with other runs.
pub(crate) fn odds_of(runs: u32, outcomes: &[Outcome], ours: &[Vec<Line>]) -> Option<Odds> {
    let runs = u64::from(runs);
    let kept: u64 = outcomes.iter().map(|o| u64::from(o.count)).sum();
    let alike: u64 = outcomes.iter().map(|o| u64::from(o.count)).filter(|n| *n > 1).sum();
    let marginals = if kept == runs && (alike as f64) < ALIKE * runs as f64 {
        of_runs(outcomes, ours)
    } else {
        vec![of_outcomes(outcomes, runs, ours)]
    };
    Odds::of((runs, ours.len() as u64), marginals)
}

impl Odds {
    fn of(of: (u64, u64), mut marginals: Vec<Marginal>) -> Option<Self> {
        marginals.sort_by(|a, b| a.probability.total_cmp(&b.probability));
        let least = marginals.first()?.probability;
        let probability = (least * marginals.len() as f64).min(1.0);
        Some(Self { of, marginals, probability })
    }
}

/// The outcomes as classes: those that upstream had and those that only seeds have, alike. Where upstream's
/// are not all kept, all that are not, and all that are rare, are one.
fn of_outcomes(outcomes: &[Outcome], runs: u64, ours: &[Vec<Line>]) -> Marginal {
    let mut counts: BTreeMap<&[Line], (u64, u64)> = BTreeMap::new();
    for outcome in outcomes {
        counts.entry(&outcome.lines).or_default().0 += u64::from(outcome.count);
    }
    for run in ours {
        counts.entry(run).or_default().1 += 1;
    }
    let kept: u64 = counts.values().map(|n| n.0).sum();
    let lost = runs.saturating_sub(kept);
    let mut classes: Vec<(u64, u64)> = counts.into_values().collect();
    let mut others = (lost, 0);
    if lost > 0 {
        let all = (runs, ours.len() as u64);
        classes.retain(|n| {
            let often = n.0 > 0 && is_often(*n, all);
            if !often {
                others = (others.0 + n.0, others.1 + n.1);
            }
            often
        });
    }
    classes.sort_by(|a, b| b.cmp(a));
    let name = |(i, n)| (format!("outcome {}", i + 1), n);
    let mut classes: Vec<_> = classes.into_iter().enumerate().map(name).collect();
    if others != (0, 0) {
        classes.push(("others".to_owned(), others));
    }
    Marginal::of("outcomes".into(), classes)
}

impl Marginal {
    fn of(name: String, classes: Vec<(String, (u64, u64))>) -> Self {
        let counts: Vec<(u64, u64)> = classes.iter().map(|(_, n)| *n).collect();
        Self { name, classes, probability: same_odds(&counts) }
    }
}

/// What one run came to.
#[derive(Clone, Debug)]
enum Value {
    Number(u64),
    Name(String),
}

/// The marginals of runs none of which is like another.
fn of_runs(outcomes: &[Outcome], ours: &[Vec<Line>]) -> Vec<Marginal> {
    let runs =
        outcomes.iter().flat_map(|o| std::iter::repeat_n(values(&o.lines), o.count as usize));
    let runs: Vec<_> = runs.collect();
    let ours: Vec<_> = ours.iter().map(|run| values(run)).collect();
    let names: BTreeSet<&String> = runs.iter().chain(&ours).flat_map(BTreeMap::keys).collect();
    names.into_iter().filter_map(|name| marginal(name, &runs, &ours)).collect()
}

/// One marginal over both; none where all runs and seeds agree.
fn marginal(
    name: &str,
    runs: &[BTreeMap<String, Value>],
    ours: &[BTreeMap<String, Value>],
) -> Option<Marginal> {
    let of = |side: &'_ [BTreeMap<String, Value>]| -> Vec<Option<Value>> {
        side.iter().map(|run| run.get(name).cloned()).collect()
    };
    let (runs, ours) = (of(runs), of(ours));
    let bounds = bounds(runs.iter().chain(&ours));
    let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for value in &runs {
        counts.entry(class(value, &bounds)).or_default().0 += 1;
    }
    for value in &ours {
        counts.entry(class(value, &bounds)).or_default().1 += 1;
    }
    (counts.len() > 1).then(|| Marginal::of(name.to_owned(), counts.into_iter().collect()))
}

/// Where numbers are parted into about equally many of both sides together; those that are equal stay
/// together.
fn bounds<'a>(values: impl Iterator<Item = &'a Option<Value>>) -> Vec<u64> {
    let mut numbers: Vec<u64> = values
        .filter_map(|v| match v {
            Some(Value::Number(n)) => Some(*n),
            _ => None,
        })
        .collect();
    numbers.sort_unstable();
    let part = |i: usize| numbers.get(numbers.len() * i / PARTS).copied();
    let mut bounds: Vec<u64> = (1..PARTS).filter_map(part).collect();
    bounds.dedup();
    bounds
}

fn class(value: &Option<Value>, bounds: &[u64]) -> String {
    match value {
        None => "none".into(),
        Some(Value::Name(name)) => name.clone(),
        Some(Value::Number(n)) => match bounds.iter().rfind(|b| *b <= n) {
            Some(from) => format!("from {from}"),
            None => format!("below {}", bounds.first().copied().unwrap_or_default()),
        },
    }
}

/// What is compared of a run.
fn values(run: &[Line]) -> BTreeMap<String, Value> {
    let mut kinds: BTreeMap<String, Vec<&Line>> = BTreeMap::new();
    for line in run {
        kinds.entry(line.envelope_kind()).or_default().push(line);
    }
    let mut out = BTreeMap::new();
    for (kind, records) in &kinds {
        let first = records[0];
        let object = [&first.pod, &first.node, &first.object];
        let object = object.into_iter().find(|o| !o.is_empty());
        out.insert(format!("how many \"{kind}\""), Value::Number(records.len() as u64));
        out.insert(
            format!("first of \"{kind}\""),
            Value::Name(object.cloned().unwrap_or_default()),
        );
        for (which, i) in [("first", 0), ("middle", records.len() / 2), ("last", records.len() - 1)]
        {
            out.insert(format!("ms of the {which} \"{kind}\""), Value::Number(records[i].ms()));
        }
        for (other, others) in kinds.range(kind.clone()..).skip(1) {
            let order = match first.t_ns.cmp(&others[0].t_ns) {
                Ordering::Less => "before",
                Ordering::Equal => "together",
                Ordering::Greater => "after",
            };
            out.insert(format!("first \"{kind}\" and \"{other}\""), Value::Name(order.into()));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn run(text: &[(u64, &str, &str)]) -> Vec<Line> {
        let line = |(ms, what, node): &(u64, &str, &str)| Line {
            t_ns: ms * 1_000_000,
            actor: "node-lifecycle".into(),
            what: (*what).into(),
            node: (*node).into(),
            ..Line::default()
        };
        text.iter().map(line).collect()
    }

    fn outcome(count: u32, lines: &[Line]) -> Outcome {
        Outcome { count, lines: Arc::new(lines.to_vec()) }
    }

    /// Upstream has two outcomes 30 times each, and so have the seeds, or one of them 20 times and a third one
    /// 40 times, which no run has: (30, 20), (30, 0), (0, 40).
    #[test]
    fn outcomes_are_classes_whoever_has_them() {
        let [a, b, c] = ["n1", "n2", "n3"].map(|n| run(&[(5, "node-taints", n)]));
        let outcomes = [outcome(30, &a), outcome(30, &b)];
        let alike = of_outcomes(&outcomes, 60, &[vec![a.clone(); 30], vec![b; 30]].concat());
        assert_eq!(alike.probability, 1.0);
        let seeds = [vec![a.clone(); 20], vec![c; 40]].concat();
        let other = of_outcomes(&outcomes, 60, &seeds);
        let counts: Vec<_> = other.classes.iter().map(|(_, n)| *n).collect();
        assert_eq!(counts, [(30, 20), (30, 0), (0, 40)]);
        assert!(other.probability < 1e-10, "{other:?}");
        // Where only the first was kept of 60, whatever else there is is one class, as the second may be
        // what the seeds have.
        let partly = of_outcomes(&outcomes[..1], 60, &seeds);
        let counts: Vec<_> = partly.classes.iter().map(|(_, n)| *n).collect();
        assert_eq!(counts, [(30, 20), (30, 40)]);
    }

    /// What no two runs have alike is compared by its parts: who is first, and when. Times of 40 to 99 ms are parted at the
    /// quarters of both sides together.
    #[test]
    fn runs_of_their_own_are_compared_by_their_marginals() {
        let of =
            |first: &str, ms: u64| run(&[(ms, "node-taints", first), (200, "node-deleted", "n9")]);
        let runs: Vec<Outcome> = (40..100).map(|ms| outcome(1, &of("n1", ms))).collect();
        let same: Vec<_> = (40..100).map(|ms| of("n1", ms)).collect();
        let least = |ours: &[Vec<Line>]| {
            let odds = Odds::of((60, 60), of_runs(&runs, ours)).unwrap();
            (odds.probability, odds.marginals[0].name.clone(), odds.marginals.len())
        };
        // Only times differ from run to run: of the first, the middle and the last taint, one record each.
        assert_eq!(least(&same), (1.0, "ms of the first \"node-lifecycle node-taints\"".into(), 3));
        let other: Vec<_> = (40..100).map(|ms| of("n2", ms)).collect();
        let (p, name, compared) = least(&other);
        assert_eq!((name.as_str(), compared), ("first of \"node-lifecycle node-taints\"", 4));
        assert!(p < 1e-30, "{p}");
        let late: Vec<_> = (70..130).map(|ms| of("n1", ms)).collect();
        let (p, name, _) = least(&late);
        assert!(name.starts_with("ms of the ") && p < 1e-6, "{name} {p}");
    }
}
