//! What the outages of a replication come to by formula, beside what outages come to by formula on
//! average. Most of what tells one replication from another is which node failed, with how many pods
//! on it, and for how long, and of that the mean is known: so what is left to be found out by
//! running is what simulation adds to the formula, which varies far less (control variates: Lavenberg
//! and Welch, "A perspective on the use of control variables to increase the efficiency of Monte
//! Carlo simulations", Management Science 27(3), 1981).
//!
//! A formula that does not fit does no harm: each figure leans on it as far as the replications say
//! that the two go together. All rows lean on the same formulas, so that what differs between two of
//! them leans on these as far as it goes together with them, and varies no more than it does alone.

use super::closed::{detection, is_nobodys, seconds, waits};
use crate::scenario::{Drawn, LONGEST_S};
use std::collections::BTreeMap;

/// By formula, of an outage or of a year: minutes of pods, and evictions.
pub(super) type Control = [f64; 2];
/// The formulas of no more rows than these are leant on.
const ROWS: usize = 5;

/// Pods of a node that go the same way: how many, after how many seconds they are evicted, and
/// whether they wait for their node all the same.
struct Alike {
    pods: f64,
    timeout: f64,
    waits: bool,
}

/// The formula of a row.
pub(super) struct Formula {
    /// By node.
    nodes: Vec<Vec<Alike>>,
    /// By model what an outage comes to on average; none where a model has no formula.
    means: Vec<Option<Control>>,
}

/// The rows whose formulas are leant on: no two that come to the same, from the one that comes to the
/// least to the one that comes to the most.
pub(super) fn leant_on(formulas: &[Formula]) -> Vec<usize> {
    let sum = |f: &Formula| f.means.iter().flatten().map(|m| m[0]).sum::<f64>();
    let mut rows: Vec<(f64, usize)> = formulas.iter().map(sum).zip(0..).collect();
    rows.retain(|(sum, _)| *sum > 0.0);
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    rows.dedup_by(|a, b| a.0 == b.0);
    let last = rows.len().saturating_sub(1);
    let steps = ROWS.min(rows.len()).saturating_sub(1).max(1);
    let mut places: Vec<usize> = (0..=steps).map(|i| i * last / steps).collect();
    places.dedup();
    let row = |place: usize| rows.get(place).map(|(_, row)| *row);
    places.into_iter().filter_map(row).collect()
}

impl Formula {
    /// Of the plan and the models of a row.
    pub(super) fn new(drawn: &Drawn) -> Self {
        let plan = &drawn.plan;
        let after = detection(plan);
        // By node, timeout and whether they wait; a time that is not negative sorts as its bits do.
        let mut counts: BTreeMap<(u32, u64, bool), f64> = BTreeMap::new();
        for pod in &plan.pods {
            let template = plan.templates.get(pod.template as usize);
            if let (Some(node), Some(template)) = (pod.node, template)
                && !is_nobodys(plan, pod, template)
            {
                let timeout = seconds(&template.tolerations).map_or(f64::INFINITY, |s| after + s);
                let key = (node, timeout.to_bits(), waits(template));
                *counts.entry(key).or_default() += 1.0;
            }
        }
        let mut nodes: Vec<Vec<Alike>> = plan.nodes.iter().map(|_| Vec::new()).collect();
        for ((node, timeout, waits), pods) in counts {
            if let Some(own) = nodes.get_mut(node as usize) {
                let timeout = f64::from_bits(timeout);
                own.push(Alike {
                    pods,
                    timeout,
                    waits,
                });
            }
        }
        let mut formula = Self {
            nodes,
            means: Vec::new(),
        };
        formula.means = (0..drawn.models.list.len())
            .map(|model| formula.mean(drawn, model))
            .collect();
        formula
    }

    /// What an outage of a model comes to on average. The time that pods are missed for is cut where
    /// that of outages is.
    fn mean(&self, drawn: &Drawn, model: usize) -> Option<Control> {
        let model = &drawn.models.list[model];
        let lasts = model.away()?;
        let longer = |t: f64| match t < LONGEST_S {
            true => lasts.survival(t),
            false => 0.0,
        };
        let mut sum = [0.0; 2];
        for object in &model.objects {
            let share = model.taken(object) as f64 / object.nodes.len() as f64;
            for alike in object.nodes.iter().flat_map(|n| &self.nodes[*n as usize]) {
                let (t, pods) = (alike.timeout, alike.pods * share);
                let missed = if alike.waits {
                    LONGEST_S
                } else {
                    t.min(LONGEST_S)
                };
                sum[0] += pods * lasts.mean_up_to(missed) / 60.0;
                sum[1] += pods * longer(t);
            }
        }
        let objects = model.objects.len().max(1) as f64;
        Some(sum.map(|s| s / objects))
    }

    /// How much more than on average an outage comes to that was drawn.
    pub(super) fn more(&self, drawn: &Drawn, key: (usize, u64, u32)) -> Control {
        let (model, seed, number) = key;
        let Some(mean) = self.means[model] else {
            return [0.0; 2];
        };
        let mut sum = mean.map(|m| -m);
        for (node, lasts) in drawn.models.lengths(model, seed, number) {
            for alike in &self.nodes[node as usize] {
                let (t, pods) = (alike.timeout, alike.pods);
                let missed = if alike.waits { lasts } else { lasts.min(t) };
                sum[0] += pods * missed / 60.0;
                sum[1] += pods * f64::from(u8::from(lasts > t));
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Overrides, drawn, parse};
    use std::path::Path;

    /// Three nodes with two pods, one and none, in a zone each but the last two; single nodes fail
    /// for an exponential time of ten minutes, and zones for one of an hour. Pods are given up 60 s
    /// after their node is. Over 20,000 draws the deviations of the formula add up to nothing: each
    /// has a standard deviation of less than 1.7 of its mean, and four errors are 5 % of it.
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
        let formula = Formula::new(&drawn);
        // By hand: the three pods on a third of the nodes each, 600 (1 - e^(-T/600)) / 60 minutes.
        let t = detection(&drawn.plan) + 60.0;
        let mean = formula.means[0].expect("a distribution");
        let evicted = libm::exp(-t / 600.0);
        let by_hand = [10.0 * (1.0 - evicted), evicted];
        for (m, hand) in mean.iter().zip(by_hand) {
            assert!((m - hand).abs() < 1e-9, "{mean:?} {by_hand:?}");
        }
        for model in 0..2 {
            let mut sum = [0.0; 2];
            for number in 0..20_000 {
                let more = formula.more(&drawn, (model, 7, number));
                sum.iter_mut().zip(more).for_each(|(s, m)| *s += m);
            }
            let mean = formula.means[model].expect("a distribution");
            for (sum, mean) in sum.iter().zip(mean) {
                assert!((sum / 20_000.0).abs() < 0.05 * mean, "{sum} {mean}");
            }
        }
    }
}
