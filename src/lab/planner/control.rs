//! What the outages of a replication come to by formula, beside what outages come to by formula on
//! average. Most of what tells one replication from another is which node failed, with how many pods
//! on it, and for how long, and of that the mean is known. So each figure that has a formula is taken
//! as the formula's mean and what the runs came to more than the formula (a control variate of slope
//! one): right however few outages there were, and however badly the formula fits, and sure where it
//! fits well. A slope that is fitted to the runs is neither: where formulas differ by outages of which
//! there were one or two, it fits these, and the interval does not know of the others.
//!
//! Where values differ, that is by few outages: those that take a pod of the workload, and last for
//! longer than one value waits and not the other. So half of the draws go to what tells values apart,
//! and each has a weight that makes up for it (importance sampling).

use super::closed::{Closed, Formula};
use crate::lab::prelude::*;

/// This part of the draws is as outages come; the others go to what tells values apart. So no draw
/// weighs more than four times as much as another one of its own kind: twice for what fails, and twice for
/// how long.
const AS_THEY_COME: f64 = 0.5;
/// Lengths are drawn from no more spans than these.
const SPANS: usize = 12;

/// How much the rows differ by some of what formulas say of them.
fn spread(all: &[&Closed]) -> f64 {
    let range = |of: &dyn Fn(&Closed) -> f64| {
        let values = all.iter().map(|c| of(c));
        let most = values.clone().fold(f64::MIN, f64::max);
        most - values.fold(f64::MAX, f64::min)
    };
    range(&|c| c.missing) + range(&|c| c.evicted)
}

/// By model, what part it has by formula in what tells rows apart; none where no formula says it.
pub(super) fn parts(formulas: &[Formula], drawn: &[Drawn]) -> Vec<Option<f64>> {
    let of = |model: usize| {
        let is_told = formulas.iter().all(|f| f.means[model].is_some());
        let all: Vec<Closed> =
            formulas.iter().zip(drawn).map(|(f, d)| f.of_model(d, model)).collect();
        is_told.then(|| spread(&all.iter().collect::<Vec<_>>()))
    };
    let models = drawn[0].models.list.len();
    let all: Vec<Option<f64>> = (0..models).map(of).collect();
    let sum: f64 = all.iter().flatten().sum();
    let part = |of: Option<f64>| of.map(|of| if sum > 0.0 { of / sum } else { 0.0 });
    all.into_iter().map(part).collect()
}

/// Which outages of a model are drawn more often than they come: those by which rows differ. None where
/// formulas tell no difference, or not the same things fail in all rows.
pub(super) fn tilt(formulas: &[Formula], drawn: &[Drawn], model: usize) -> Tilt {
    let first = &drawn[0].models.list[model];
    let nodes = |d: &Drawn| -> Vec<Vec<u32>> {
        let objects = d.models.list[model].objects.iter();
        objects.map(|o: &Object| o.nodes.clone()).collect()
    };
    let means: Option<Vec<&Vec<Closed>>> =
        formulas.iter().map(|f| f.means[model].as_ref()).collect();
    let (Some(means), Some(lasts)) = (means, first.away()) else { return Tilt::default() };
    if drawn.iter().any(|d| nodes(d) != nodes(&drawn[0])) {
        return Tilt::default();
    }
    let of_object = |o: usize| spread(&means.iter().map(|m| &m[o]).collect::<Vec<_>>());
    let spreads: Vec<f64> = (0..first.objects.len()).map(of_object).collect();
    let sum: f64 = spreads.iter().sum();
    if sum <= 1e-9 {
        return Tilt::default();
    }
    let alike = AS_THEY_COME / first.objects.len() as f64;
    let objects = spreads.iter().map(|s| alike + (1.0 - AS_THEY_COME) * s / sum);
    let told = first.objects.iter().zip(&spreads).filter(|o| *o.1 > 0.0);
    let mut timeouts = BTreeSet::new();
    for node in told.flat_map(|(o, _)| &o.nodes) {
        for formula in formulas {
            let boot = if first.stops_machines() { formula.boot } else { 0.0 };
            let all = formula.node(*node).iter().map(|a| a.timeout - boot);
            timeouts.extend(all.filter(|t| t.is_finite()).map(|t| t.max(0.0).to_bits()));
        }
    }
    let step = timeouts.len().div_ceil(SPANS).max(1);
    let timeouts = timeouts.into_iter().step_by(step).map(f64::from_bits);
    let mut parts = Vec::new();
    let mut left = 1.0;
    for longer in timeouts.map(|t| lasts.survival(t)) {
        if left - longer > 1e-6 && longer > 1e-6 {
            parts.push(left - longer);
            left = longer;
        }
    }
    parts.push(left);
    let each = (1.0 - AS_THEY_COME) / parts.len() as f64;
    let lengths = parts.iter().map(|p| [*p, AS_THEY_COME * p + each]);
    Tilt {
        objects: objects.collect(),
        // Each node of a group has a length of its own there.
        lengths: if first.apart { Vec::new() } else { lengths.collect() },
    }
}

#[cfg(test)]
mod tests {
    use super::super::closed::detection;
    use super::super::placed::bound;
    use super::*;
    use crate::kernel::Dur;
    use crate::scenario::{Overrides, drawn, parse};
    use std::path::Path;

    /// Three nodes with two pods, one and none, in a zone each but the last two; single nodes fail
    /// for an exponential time of ten minutes, and zones for one of an hour. Pods are given up 60 s
    /// after their node is. Over 20,000 draws the deviations of the formula add up to nothing: each
    /// has a standard deviation of less than 1.7 of its mean, and four errors are 5 % of it. The workload
    /// needs all of them, and is below its need as long as one of three pods is missing, of two of three nodes.
    #[test]
    fn deviations_have_the_mean_zero() {
        let text = r#"Scenario(version: 1, horizon: "1h", timing: Ideal,
            nodes: [(names: "n-0", zone: "a"), (names: "n-{1..2}", zone: "b")],
            workloads: [Deployment(name: "web", replicas: 3, placement: Spread(Nodes(["n-0", "n-1"])), template: (tolerations: [
                (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 60)]))],
            faults: (models: [
                (name: "node", nodes: All, do: Crash, rate: PerNodeYear(1), lasts: Exponential(mean: "10m")),
                (name: "zone", groups: Zones, do: Partition(), rate: PerGroupYear(1), hits: 0.5, lasts: Exponential(mean: "1h")),
            ]))"#;
        let loaded = parse("p.ron", text.as_bytes().to_vec(), Path::new("")).expect("a scenario");
        let drawn = drawn(&loaded, &Overrides::default()).expect("it builds");
        let formula = |d: &Drawn| {
            let mut places = bound(&d.plan).expect("all pods are placed");
            places.iter_mut().for_each(|(.., is_needed)| *is_needed = true);
            Formula::new(d, places, Dur::from_secs(300), &[])
        };
        let own = formula(&drawn);
        // By hand: the three pods on a third of the nodes each, 600 (1 - e^(-T/600)) / 60 minutes, and two
        // seconds of a start for those that are evicted, after a crash for all.
        let t = detection(&drawn.plan) + 60.0;
        let mean = own.of_model(&drawn, 0);
        let evicted = libm::exp(-t / 600.0);
        let rate = drawn.models.list[0].per_year();
        let by_hand = [10.0 * (1.0 - evicted) + 2.0 / 60.0, evicted];
        for (m, hand) in [mean.missing, mean.evicted].iter().zip(by_hand) {
            assert!((m / rate - hand).abs() < 1e-9, "{mean:?} {by_hand:?}");
        }
        assert!((mean.below - mean.missing * 2.0 / 3.0).abs() < 1e-9, "{mean:?}");
        // Drawn as they come, and with another row beside it whose pods are given up after an hour.
        let mut other = drawn.clone();
        for template in &mut other.plan.templates {
            for toleration in &mut template.tolerations {
                toleration.toleration_seconds = toleration.toleration_seconds.map(|_| 3_600);
            }
        }
        let formulas = [own, formula(&other)];
        let all = [drawn, other];
        for is_tilted in [false, true] {
            let mut drawn = all[0].clone();
            for model in 0..2 {
                if is_tilted {
                    let tilt = tilt(&formulas, &all, model);
                    assert!(!tilt.lengths.is_empty());
                    drawn.models.list[model].tilt = Some(tilt);
                }
                let (mut sum, mut weights) = ([0.0; 4], 0.0);
                for number in 0..20_000 {
                    let key = (model, 7, number);
                    let weight = drawn.models.weight(model, 7, number);
                    let [own, mean] = formulas[0].of_drawn(&drawn, key);
                    let more = own.iter().zip(mean).map(|(own, mean)| weight * own - mean);
                    sum.iter_mut().zip(more).for_each(|(s, m)| *s += m);
                    weights += weight;
                }
                let mean = formulas[0].of_model(&drawn, model);
                let rate = drawn.models.list[model].per_year();
                for (sum, mean) in sum.iter().zip(mean.by_formula()) {
                    assert!((sum / 20_000.0).abs() < 0.05 * mean / rate, "{sum} {mean}");
                }
                assert!((weights / 20_000.0 - 1.0).abs() < 0.03, "{weights}");
            }
        }
    }
}
