//! Taints of devices: what a driver publishes of a device that is broken, and rules before anybody applies them; and
//! whom they evicted.

use crate::lab::prelude::*;
use crate::plan::DeviceTaintEdit;
use crate::scenario::rule_for;

/// The taint of a device that is lost.
const KEY: &str = "broken";

/// A taint of devices.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Tainted {
    /// Its driver publishes it of a device: of which node, and which of its devices.
    Device(NodeIndex, usize, Box<DeviceTaintEdit>),
    /// A rule, by its place in its file.
    Rule(usize, Box<NewRule>),
}

impl Tainted {
    /// What it comes down to: that it is there, and that it is there no longer. A rule whose effect is None has
    /// NoExecute.
    pub(super) fn outages(&self, at: Time, lasts: Dur, name: &str) -> [Outage; 2] {
        let (nodes, [begin, end]) = match self {
            Self::Device(node, _, edit) => {
                let edit =
                    |adds| Away::Tainted(Box::new(DeviceTaintEdit { adds, ..(**edit).clone() }));
                (vec![*node], [edit(true), edit(false)])
            }
            Self::Rule(_, rule) => {
                let evicts = NewRule { previews: false, ..(**rule).clone() };
                let gone = Away::NoRule(rule.name.clone());
                (Vec::new(), [Away::Rule(Box::new(evicts)), gone])
            }
        };
        let outage =
            |at, what, name: String| Outage { at, lasts: None, name, nodes: nodes.clone(), what };
        [
            outage(at, begin, name.to_owned()),
            outage(at.saturating_add(lasts), end, format!("{name} gone")),
        ]
    }
}

/// The devices of these nodes, or that one alone, with their taints.
///
/// # Errors
/// There is none.
pub(super) fn devices(
    plan: &Plan,
    there: impl Iterator<Item = NodeIndex>,
    wanted: Option<&str>,
) -> Result<Vec<(String, Tainted)>, Problem> {
    let mut all = Vec::new();
    for n in there {
        let node = &plan.nodes[n as usize];
        for (place, d) in node.devices.iter().enumerate() {
            let name = format!("{}/{}/{}", d.driver, d.pool(&node.name), d.name);
            let (driver, device) = (Some(d.driver.clone()), Some(d.name.clone()));
            let selector = DeviceSelector { driver, pool: None, device };
            let taint = Taint::new(KEY, Effect::NoExecute);
            let edit = Box::new(DeviceTaintEdit { selector, taint, adds: true });
            all.push((name, Tainted::Device(n, place, edit)));
        }
    }
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    match wanted {
        _ if names.is_empty() => Err(Problem::new("no node has a device")
            .help("an export has them with `resourceslices,resourceclaims,resourceclaimtemplates,deviceclasses`")),
        Some(wanted) if !names.contains(&wanted) => {
            Err(Problem::new(format!("no node has a device `{wanted}`"))
                .maybe_help(did_you_mean_or_list(wanted, &names)))
        }
        wanted => Ok(all.into_iter().filter(|(name, _)| wanted.is_none_or(|w| w == name)).collect()),
    }
}

/// The rules of a file.
///
/// # Errors
/// One names what is not there.
pub(super) fn rules(
    plan: &Plan,
    file: &str,
    all: &[DeviceTaintRule],
) -> Result<Vec<(String, Tainted)>, Problem> {
    let read = |(i, written): (usize, &DeviceTaintRule)| {
        let rule = rule_for(written, plan).map_err(|mut problem| {
            problem.message = format!("{file}: rule `{}`: {}", written.name, problem.message);
            problem
        })?;
        Ok((rule.name.clone(), Tainted::Rule(i, Box::new(rule))))
    };
    all.iter().enumerate().map(read).collect()
}

/// An eviction for a taint of a device.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
pub(crate) struct EvictedPod {
    /// `namespace/name`
    pub(crate) pod: String,
    /// `Kind/namespace/name` of its workload.
    pub(crate) workload: Option<String>,
    /// How long after the taint.
    pub(crate) after: Dur,
}

/// Who was evicted for taints of devices.
#[derive(Clone, PartialEq, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Evicted {
    /// The pods that were there, in the order in which they were evicted.
    pub(crate) pods: Vec<EvictedPod>,
    /// How often pods were evicted that came in their places.
    pub(crate) again: usize,
    /// What a rule with the effect None says in its status.
    pub(crate) preview: Option<String>,
}

impl Evicted {
    /// Of a finished run in which the taint is set at `begin`.
    pub(super) fn of(analysis: &Analysis<'_>, begin: Time) -> Self {
        let owners = Owners::new(analysis);
        let mut created = BTreeMap::new();
        for (id, r) in (0..).zip(analysis.trace.iter()).filter(|(_, r)| r.at >= begin) {
            if matches!(r.what, What::PodCreated(_)) {
                created.entry(r.object).or_insert(id);
            }
        }
        let mut evicted = Self::default();
        let for_devices =
            |e: &&Eviction<'_>| e.cause == EvictionCause::DeviceTaint && e.at >= begin;
        for e in evictions(analysis).iter().filter(for_devices) {
            if created.get(&e.pod.0).is_some_and(|id| *id < e.record) {
                evicted.again += 1;
                continue;
            }
            let workload = owners.of(analysis, e.pod);
            evicted.pods.push(EvictedPod {
                pod: analysis.pod_name(e.pod).to_owned(),
                workload: workload.map(|w| analysis.trace.names.workload_name(w).to_owned()),
                after: e.at.since(begin),
            });
        }
        evicted
    }

    /// Without those that are evicted all the same.
    pub(super) fn beyond(mut self, without: &Self) -> Self {
        self.pods.retain(|e| without.pods.iter().all(|w| w.pod != e.pod));
        self.again = self.again.saturating_sub(without.again);
        self
    }
}

/// What the status of a rule said first.
pub(super) fn status_of(trace: &Trace, rule: &str) -> Option<String> {
    trace.iter().find_map(|r| match r.what {
        What::Noted(Note::RuleCondition, text) => {
            let [name, _, _, message] = trace.rule_condition(TextId(text));
            (name == rule).then(|| message.to_owned())
        }
        _ => None,
    })
}
