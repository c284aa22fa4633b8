//! What a person should know of a survey, in words: each with the loss and the object that show it.

use super::hit::Hit;
use super::losses::Kind;
use super::lost::Lost;
use super::still::Why;
use crate::analysis::clock::short;
use crate::analysis::grouped;
use crate::api::workload::{WorkloadKind, namespace_of, short_name};
use crate::kernel::Dur;
use crate::plan::{BudgetPlan, NodeIndex, NodeStart, Plan, PodPlan, PodStart};
use std::collections::{BTreeMap, BTreeSet};

/// Something that a person should know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Finding {
    /// In words.
    pub text: String,
    /// The loss that shows it.
    pub loss: Option<String>,
    /// The object that `explain` tells of it.
    pub object: Option<String>,
    /// Nodes are drained instead of lost.
    pub drained: bool,
}

/// How many names are written out.
const NAMES: usize = 3;

/// Everything that is worth saying, the worst first.
pub(super) fn findings(plan: &Plan, lost: &[Lost], lasts: Dur) -> Vec<Finding> {
    let there = plan
        .nodes
        .iter()
        .filter(|n| n.start != NodeStart::Absent)
        .count();
    let (whole, lost): (Vec<&Lost>, Vec<&Lost>) = lost.iter().partition(|l| l.size.0 >= there);
    let survey = All { lost, lasts };
    let mut found = survey.short_of_pods();
    found.extend(whole.first().map(|l| of_everything(l)));
    found.extend(survey.together());
    found.extend(survey.below());
    found.extend(survey.paced(plan));
    found.extend(blocked(plan));
    found
}

/// A loss that leaves nothing.
fn of_everything(lost: &Lost) -> Finding {
    let part = &lost.loss.parts[0];
    let of = match part.kind {
        Kind::Node => "the only node",
        _ => "the whole cluster",
    };
    Finding {
        text: format!(
            "{} {} is {of}: nothing is left when it is lost",
            part.kind.word(),
            part.name
        ),
        loss: Some(lost.loss.name()),
        object: None,
        drained: false,
    }
}

/// The losses to talk about.
struct All<'a> {
    lost: Vec<&'a Lost>,
    lasts: Dur,
}

/// A loss with what it did to one workload.
type Case<'a> = (&'a Lost, &'a Hit);

impl<'a> All<'a> {
    fn cases(&self) -> impl Iterator<Item = Case<'a>> {
        self.lost
            .iter()
            .flat_map(|&l| l.hits.iter().map(move |h| (l, h)))
    }

    /// Workloads whose pods are not replaced for as long as the loss lasts.
    fn short_of_pods(&self) -> Vec<Finding> {
        let mut by: BTreeMap<(Why, &str), Vec<Case<'a>>> = BTreeMap::new();
        for (lost, hit) in self.cases() {
            if let Some(still) = hit.still
                && !matches!(still.why, Why::DaemonSet | Why::Late)
            {
                by.entry((still.why, &hit.workload))
                    .or_default()
                    .push((lost, hit));
            }
        }
        by.into_iter()
            .map(|((why, _), cases)| self.short(why, &cases))
            .collect()
    }

    fn short(&self, why: Why, cases: &[Case<'_>]) -> Finding {
        let subject = self.subject(cases);
        let below: Vec<Case<'_>> = cases
            .iter()
            .copied()
            .filter(|(_, h)| h.still.is_some_and(|s| s.below))
            .collect();
        let most = |of: fn(&Hit) -> i64| cases.iter().map(|(_, h)| of(h)).max().unwrap_or(0);
        let (_, hit) = below.first().or(cases.first()).copied().unwrap_or(cases[0]);
        let name = hit.name();
        let state = if below.is_empty() {
            format!("{name} is short of pods")
        } else if below.len() < cases.len() {
            let these = self.subject(&below);
            format!("{name} is short of pods, and with {these} below what it needs,")
        } else {
            format!("{name} is below what it needs")
        };
        let text = match why {
            Why::StatefulSet => format!(
                "{subject} lost: {state} until its node is back; no tolerationSeconds changes that, the out-of-service taint or deleting the node does"
            ),
            Why::NoRoom => {
                let worst = cases.iter().max_by_key(|(_, h)| h.pending);
                let worst = worst.map_or(hit, |w| w.1);
                format!(
                    "{subject} lost: {} of {name} Pending for as long as it lasts{}: {}",
                    up_to(cases.len(), worst.pending, "pod"),
                    missing(worst),
                    // Behind the first sentence stands what preemption makes of it.
                    worst
                        .why
                        .as_deref()
                        .and_then(|w| w.split(". ").next())
                        .unwrap_or("no node suits")
                )
            }
            Why::NotEvicted => format!(
                "{subject} lost: {} of {name} left on lost nodes after {}: not evicted, so that nothing replaces them",
                up_to(cases.len(), most(|h| h.left), "pod"),
                short(self.lasts)
            ),
            Why::Bare | Why::DaemonSet | Why::Late => {
                let gone = most(|h| i64::from(h.desired.saturating_sub(h.spared)));
                format!(
                    "{subject} lost: {} without a workload: nothing replaces {}",
                    up_to(cases.len(), gone, "pod"),
                    if gone == 1 { "it" } else { "them" }
                )
            }
        };
        finding(text, cases, hit)
    }

    /// Workloads all of whose pods go at one time.
    fn together(&self) -> Vec<Finding> {
        let mut by: BTreeMap<&str, Vec<Case<'a>>> = BTreeMap::new();
        for (lost, hit) in self.cases() {
            let several = hit.desired > 1 && hit.kind != Some(WorkloadKind::DaemonSet);
            let alone = matches!(lost.loss.parts.as_slice(), [one] if !one.nodes.is_empty());
            if several && hit.spared == 0 && hit.kind.is_some() && alone {
                by.entry(&hit.workload).or_default().push((lost, hit));
            }
        }
        let mut found = Vec::new();
        for cases in by.into_values() {
            let Some(&(lost, hit)) = cases.iter().min_by_key(|(l, _)| l.size.0) else {
                continue;
            };
            let part = &lost.loss.parts[0];
            let text = format!(
                "{}: all {} pods are on {} {}",
                hit.name(),
                hit.desired,
                part.kind.word(),
                part.name
            );
            found.push(finding(text, &cases[..1], hit));
        }
        found
    }

    /// Workloads that are below their need until their pods are replaced.
    fn below(&self) -> Vec<Finding> {
        let mut by: BTreeMap<&str, Vec<Case<'a>>> = BTreeMap::new();
        for (lost, hit) in self.cases() {
            let passes = hit.still.is_none_or(|s| s.why == Why::Late);
            if !hit.down.is_zero() && passes && hit.kind.is_some() {
                by.entry(&hit.workload).or_default().push((lost, hit));
            }
        }
        let (single, several): (Vec<_>, Vec<_>) = by
            .into_values()
            .partition(|cases| cases.iter().all(|(_, h)| h.desired <= 1));
        let mut found: Vec<Finding> = several
            .iter()
            .map(|cases| {
                let (_, hit) = longest(cases);
                let text = format!(
                    "{} lost: {} is below what it needs for {}{}, until its pods are replaced",
                    self.subject(cases),
                    hit.name(),
                    if cases.len() > 1 { "up to " } else { "" },
                    short(whole(hit.down))
                );
                finding(text, cases, hit)
            })
            .collect();
        if let Some((lost, hit)) = single.iter().map(|c| longest(c)).max_by_key(|c| c.1.down) {
            let names: Vec<&str> = single.iter().map(|c| c[0].1.name()).collect();
            let text = match names.as_slice() {
                [one] => format!(
                    "{one} has a single pod: it is down for {} when its node is lost",
                    short(whole(hit.down))
                ),
                _ => format!(
                    "{} workloads have a single pod and are down for up to {} when its node is lost: {}",
                    grouped(names.len() as u64),
                    short(whole(hit.down)),
                    listed(&names)
                ),
            };
            found.push(finding(text, &[(lost, hit)], hit));
        }
        found
    }

    /// Zones in which evictions slow down or stop.
    fn paced(&self, plan: &Plan) -> Vec<Finding> {
        let mut by: BTreeMap<String, Vec<&Lost>> = BTreeMap::new();
        for &lost in &self.lost {
            for (_, pace) in &lost.paced {
                by.entry(pace.words(plan)).or_default().push(lost);
            }
        }
        let say = |(words, mut lost): (String, Vec<&Lost>)| {
            lost.dedup_by_key(|l| l.loss.name());
            let zones: BTreeSet<&str> = lost
                .iter()
                .flat_map(|l| l.paced.iter().map(|(zone, _)| zone.as_str()))
                .collect();
            let place = match zones.first() {
                Some(zone) if zones.len() == 1 && !zone.is_empty() => format!("zone {zone}"),
                _ => "the zone".to_owned(),
            };
            let object = lost[0]
                .paced
                .first()
                .map(|(zone, _)| format!("zone/{zone}"));
            Finding {
                text: format!("{} lost: in {place} {words}", self.of_losses(&lost)),
                loss: Some(lost[0].loss.name()),
                object: object.filter(|o| o != "zone/"),
                drained: false,
            }
        };
        by.into_iter().map(say).collect()
    }

    /// The losses of some cases in words.
    fn subject(&self, cases: &[Case<'_>]) -> String {
        let lost: Vec<&Lost> = cases.iter().map(|c| c.0).collect();
        self.of_losses(&lost)
    }

    /// `any zone`, `node a-03`, `any of 3 nodes (a-03, b-01, c-02)`.
    fn of_losses(&self, lost: &[&Lost]) -> String {
        let mut by: BTreeMap<Vec<&str>, Vec<&Lost>> = BTreeMap::new();
        for l in lost {
            by.entry(kinds(l)).or_default().push(l);
        }
        let say = |(kind, lost): (Vec<&str>, Vec<&Lost>)| {
            let count = |lost: &[&Lost]| lost.iter().map(|l| 1 + l.loss.like.len()).sum::<usize>();
            let of_kind: Vec<&Lost> = self
                .lost
                .iter()
                .copied()
                .filter(|l| kinds(l) == kind)
                .collect();
            let (these, all) = (count(&lost), count(&of_kind));
            let word = kind.join(" and ");
            match lost[0].loss.parts.as_slice() {
                [one] if one.nodes.is_empty() => word,
                parts if these == 1 => {
                    let names: Vec<&str> = parts.iter().map(|p| p.name.as_str()).collect();
                    format!("{word} {}", names.join(" and "))
                }
                _ if these == all => format!("any {word}"),
                _ => {
                    let names: Vec<String> = lost
                        .iter()
                        .flat_map(|l| std::iter::once(l.loss.name()).chain(l.loss.like.clone()))
                        .collect();
                    let plain: Vec<&str> = names.iter().map(|n| plain(n)).collect();
                    let (these, all) = (grouped(these as u64), grouped(all as u64));
                    format!("any of {these} of {all} {word}s ({})", listed(&plain))
                }
            }
        };
        by.into_iter().map(say).collect::<Vec<_>>().join(", or ")
    }
}

fn kinds(lost: &Lost) -> Vec<&str> {
    lost.loss.parts.iter().map(|p| p.kind.word()).collect()
}

/// `a-03` of `node/a-03`; pairs stay as they are.
fn plain(name: &str) -> &str {
    match name.split_once('/') {
        Some((_, rest)) if !rest.contains('+') => rest,
        _ => name,
    }
}

fn longest<'a>(cases: &[Case<'a>]) -> Case<'a> {
    // The first of several that are alike: the worst loss.
    let first = cases[0];
    cases.iter().copied().fold(
        first,
        |best, c| if c.1.down > best.1.down { c } else { best },
    )
}

fn finding(text: String, cases: &[Case<'_>], hit: &Hit) -> Finding {
    let of_hit = cases.iter().find(|(_, h)| std::ptr::eq(*h, hit));
    Finding {
        text,
        loss: of_hit.or(cases.first()).map(|(l, _)| l.loss.name()),
        object: hit.object(),
        drained: false,
    }
}

/// `up to 14 pods`, or `14 pods` of a single loss.
fn up_to(of: usize, n: i64, what: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    let up_to = if of > 1 { "up to " } else { "" };
    format!("{up_to}{} {what}{plural}", grouped(n.max(0).unsigned_abs()))
}

/// `, 3.5 cores missing`
fn missing(hit: &Hit) -> String {
    let round = |v: f64| (v * 100.0).round() / 100.0;
    let cores = hit.cores.map(|c| format!(", {} cores missing", round(c)));
    let memory = hit.gibibytes.map(|g| format!(", {} GiB missing", round(g)));
    cores.into_iter().chain(memory).collect()
}

fn listed(names: &[&str]) -> String {
    let more = names.len().saturating_sub(NAMES);
    let first = names[..names.len().min(NAMES)].join(", ");
    match more {
        0 => first,
        more => format!("{first} and {} more", grouped(more as u64)),
    }
}

/// To the second, as people tell downtimes.
fn whole(d: Dur) -> Dur {
    Dur::from_secs((d.as_millis() + 500) / 1000)
}

/// Disruption budgets that allow no eviction while all is well, so that no node with one of their
/// pods can be drained.
fn blocked(plan: &Plan) -> Vec<Finding> {
    plan.budgets
        .iter()
        .filter_map(|b| blocks(plan, b))
        .collect()
}

fn blocks(plan: &Plan, budget: &BudgetPlan) -> Option<Finding> {
    let is_its = |p: &&PodPlan| {
        namespace_of(&budget.name) == p.name.split('/').next().unwrap_or_default()
            && plan
                .templates
                .get(p.template as usize)
                .is_some_and(|t| budget.selector.matches(&t.labels))
    };
    let pods: Vec<&PodPlan> = plan
        .pods
        .iter()
        .filter(is_its)
        .filter(|p| exists(p))
        .collect();
    let expected = i32::try_from(pods.len()).ok()?;
    let healthy = i32::try_from(pods.iter().filter(|p| is_healthy(p)).count()).ok()?;
    let desired = match budget.rule {
        crate::api::budget::BudgetRule::MinAvailable(n) => n.of(expected),
        crate::api::budget::BudgetRule::MaxUnavailable(n) => expected - n.of(expected),
    };
    if expected == 0 || healthy > desired {
        return None;
    }
    let nodes: BTreeSet<NodeIndex> = pods.iter().filter_map(|p| p.node).collect();
    let names: Vec<&str> = nodes
        .iter()
        .map(|n| plan.nodes[*n as usize].name.as_str())
        .collect();
    let first = names.first()?;
    let name = short_name(&budget.name);
    let text = format!(
        "budget {name} allows no eviction while all is well (it needs {desired} of {expected} pods, {healthy} are healthy): no drain of {} comes to its end",
        listed(&names)
    );
    Some(Finding {
        text,
        loss: Some(format!("node/{first}")),
        object: Some(format!("node/{first}")),
        drained: true,
    })
}

fn exists(pod: &PodPlan) -> bool {
    match pod.start {
        PodStart::Absent => false,
        PodStart::Imported {
            phase, deletion, ..
        } => !phase.is_terminal() && deletion.is_none(),
        PodStart::Pending | PodStart::Running => true,
    }
}

fn is_healthy(pod: &PodPlan) -> bool {
    match pod.start {
        PodStart::Running => true,
        PodStart::Imported { ready, .. } => {
            ready.is_some_and(|r| r.status == crate::api::meta::ConditionStatus::True)
        }
        PodStart::Pending | PodStart::Absent => false,
    }
}
