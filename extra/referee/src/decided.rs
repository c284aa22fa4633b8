//! Which choices decide: at which points a drawn run comes to something else than if what is usual were
//! taken there.

use crate::conformance::lines;
use std::collections::{BTreeMap, BTreeSet};
use taintsim::kernel::Choices;
use taintsim::kernel::choice::{Deviation, Drawn};
use taintsim::plan::Plan;
use taintsim::sim;

/// Of the choice points of some runs: how many runs came to each, and in how many of them it decided
/// something.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Decided(pub BTreeMap<&'static str, (u64, u64)>);

impl Decided {
    /// Looks at the run of a seed, drawn about as often as upstream comes to it: at each point what is
    /// usual is taken in place of all that was drawn there, the other points as they were.
    pub(crate) fn look(&mut self, plan: &Plan, seed: u64) {
        let run =
            |usual: Vec<Deviation>| sim::search(plan, Choices::tape(usual, Choices::natural(seed)));
        let drawn = run(Vec::new());
        let came = lines(&drawn.trace);
        let points: BTreeSet<&'static str> = drawn.choices.iter().map(|d| d.point).collect();
        for point in points {
            let own = drawn.choices.iter().filter(|d| d.point == point);
            let is_usual = own.clone().all(|d| !d.deviates());
            let usual =
                own.map(|d: &Drawn| Deviation { value: d.span.default_value(), ..(*d).into() });
            let decides = !is_usual && lines(&run(usual.collect()).trace) != came;
            let (all, decided) = self.0.entry(point).or_default();
            *all += 1;
            *decided += u64::from(decides);
        }
    }

    /// Adds others.
    pub(crate) fn add(&mut self, other: &Self) {
        for (point, (all, decided)) in &other.0 {
            let own = self.0.entry(point).or_default();
            own.0 += all;
            own.1 += decided;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use taintsim::scenario::{Overrides, build, parse};

    /// Of two nodes of a zone that are lost at one time one is tainted first, ten seconds before the other: which one
    /// is drawn, and the usual order has the first. So a draw decides something in about half of the runs, and the delays
    /// of requests, of which there are none, in no run.
    #[test]
    fn what_is_drawn_decides_now_and_then() {
        let text = r#"Scenario(version: 1, horizon: "3m", timing: Ideal, nodes: [(names: "n-{0..1}", zone: "a", lease_offset: "1s"), (names: "n-{2..5}", zone: "a")],
            timeline: [(at: "60s", do: Partition(nodes: Nodes(["n-0", "n-1"])))])"#;
        let loaded = parse("d.ron", text.as_bytes().to_vec(), Path::new("")).expect("a scenario");
        let plan = build(&loaded, &Overrides::default()).expect("it builds");
        let mut decided = Decided::default();
        for seed in 1..=20 {
            let mut one = Decided::default();
            one.look(&plan, seed);
            decided.add(&one);
        }
        assert!(decided.0.values().all(|(all, own)| own <= all && *all <= 20));
        let any = decided.0.values().map(|(_, own)| *own).max();
        assert!(any.is_some_and(|n| (4..=20).contains(&n)), "{decided:?}");
        assert!(!decided.0.contains_key("request-latency"), "{decided:?}");
    }
}
