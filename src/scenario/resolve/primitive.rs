//! Primitive steps with offsets from the beginning of their entry, and the entries that change objects
//! as a person or a tool would: edits, drains and rolling maintenances.

use super::budgets::{self, Budgets};
use super::prelude::*;

/// One primitive step: when, from the beginning of its entry; which part of the entry; what.
pub(super) type Primitive = (Dur, Phase, Do);

/// The steps of an entry; none where something is wrong with it.
pub(super) type Steps = Option<Vec<Primitive>>;

/// The beginning of an entry.
pub(super) const START: Dur = Dur::from_nanos(0);

/// How many nodes a step names, and the step itself.
pub(super) fn weight(act: &Do) -> u64 {
    1 + act.nodes().map_or(0, |nodes| nodes.len() as u64)
}

/// What an entry's steps are looked up in.
pub(super) struct World<'a> {
    pub(super) nodes: &'a Nodes,
    pub(super) pods: &'a Pods,
    pub(super) workloads: &'a Workloads,
    pub(super) budgets: &'a Budgets,
    pub(super) profile: &'a Profile,
    pub(super) leader_election: Option<LeaderElection>,
    /// The nodes, pods, workloads or budgets that an entry of that number adds.
    pub(super) added: &'a BTreeMap<usize, Vec<u32>>,
    /// The names of the DeviceTaintRules that are there or that entries create.
    pub(super) rules: &'a BTreeSet<String>,
}

/// Reads the steps of an entry.
pub(super) struct Reader<'a> {
    /// The entry's number in the timeline.
    pub(super) i: usize,
    /// What it does.
    pub(super) step: &'a Step,
    /// How long it lasts, if it ends.
    pub(super) lasts: Option<Dur>,
    /// What its steps are looked up in.
    pub(super) world: &'a World<'a>,
    pub(super) complaints: &'a Complaints,
}

impl<'a> Reader<'a> {
    /// The place of the entry's step.
    pub(super) fn place(&self) -> Spot<'a> {
        self.complaints.at(at!["timeline", self.i, "do"])
    }

    /// The place of a field of the entry's step.
    pub(super) fn at(&self, field: &'static str) -> Spot<'a> {
        self.place().part(field)
    }

    /// The nodes that it names.
    pub(super) fn nodes(&mut self) -> Option<Vec<NodeIndex>> {
        let nodes = self.world.nodes;
        let help = "`node: \"a-03\"`, or `nodes: Zone(\"b\")`, `Nodes([…])`, `Label(\"k=v\")`, `Share(of: …, fraction: 0.5)`, `All`";
        let (one, selector) = self.step.nodes();
        let one = one.map(|name| nodes.named(name));
        self.either(["node", "nodes"], one, selector.map(|s| nodes.select(s)), help)
    }

    /// The pods that it names.
    pub(super) fn pods(&mut self) -> Option<Vec<PodIndex>> {
        let pods = self.world.pods;
        let help =
            "`pod: \"web-0\"`, or `pods: Group(\"web\")`, `Pods([…])`, `Label(\"k=v\")`, `All`";
        let (one, selector) = self.step.pods();
        let one = one.map(|name| pods.named(name));
        self.either(["pod", "pods"], one, selector.map(|s| pods.select(s)), help)
    }

    /// The objects that it names, in one of two ways.
    fn either(
        &mut self,
        [one, several]: [&'static str; 2],
        named: Option<Result<u32, Nothing>>,
        selected: Option<Result<Vec<u32>, Nothing>>,
        help: &str,
    ) -> Option<Vec<u32>> {
        match (named, selected) {
            (Some(found), None) => self.at(one).take(found).map(|n| vec![n]),
            (None, Some(found)) => self.at(several).take(found),
            (Some(_), Some(_)) => {
                self.at(several).deny(format!("give either `{one}` or `{several}`, not both"))
            }
            (None, None) => {
                let problem = Problem::new(format!("this needs `{one}` or `{several}`"));
                self.place().refuse(problem.help(help))
            }
        }
    }

    /// The workload of that name.
    pub(super) fn workload(&mut self, name: &str) -> Option<WorkloadIndex> {
        self.at("workload").take(self.world.workloads.named(name))
    }

    /// The disruption budget of that name.
    pub(super) fn budget(&mut self, name: &str) -> Option<BudgetIndex> {
        self.at("budget").take(self.world.budgets.named(name))
    }

    /// The span of time in a field of it, longer than none.
    pub(super) fn positive(&mut self, field: &'static str, text: &DurationText) -> Option<Dur> {
        self.at(field).take(values::positive(text))
    }

    /// What begins, and what ends it.
    pub(super) fn lasting(&self, begin: Do, end: Do) -> Steps {
        Some(lasting(begin, end, self.lasts))
    }

    /// Its nodes fail, and recover when it ends.
    pub(super) fn fails(&mut self, faults: &[NodeFault]) -> Steps {
        Some(failing(&self.nodes()?, faults, self.lasts))
    }

    /// A step for each object that the entry adds.
    pub(super) fn each_added(&self, act: impl Fn(u32) -> Do) -> Steps {
        Some(each(self.world.added.get(&self.i)?, act))
    }
}

/// A single step.
pub(super) fn once(act: Do) -> Steps {
    Some(vec![(START, Phase::Begin, act)])
}

/// The same for each of several: the first begins the entry.
pub(super) fn each(all: &[u32], act: impl Fn(u32) -> Do) -> Vec<Primitive> {
    let phase = |k| if k == 0 { Phase::Begin } else { Phase::Step };
    all.iter().enumerate().map(|(k, &x)| (START, phase(k), act(x))).collect()
}

/// What begins an entry, and what ends it.
pub(super) fn lasting(begin: Do, end: Do, lasts: Option<Dur>) -> Vec<Primitive> {
    let end = lasts.map(|d| (d, Phase::End, end));
    std::iter::once((START, Phase::Begin, begin)).chain(end).collect()
}

/// Nodes fail in several ways at once, or recover: the first of them is that part of the entry.
pub(super) fn faults(
    act: fn(Vec<NodeIndex>, NodeFault) -> Do,
    nodes: &[NodeIndex],
    faults: &[NodeFault],
    at: Dur,
    part: Phase,
) -> impl Iterator<Item = Primitive> {
    let phase = move |k| if k == 0 { part } else { Phase::Step };
    faults.iter().enumerate().map(move |(k, &fault)| (at, phase(k), act(nodes.to_vec(), fault)))
}

/// Nodes fail from the beginning of an entry to its end.
pub(super) fn failing(nodes: &[NodeIndex], all: &[NodeFault], span: Option<Dur>) -> Vec<Primitive> {
    let end = span.map(|d| faults(Do::Recover, nodes, all, d, Phase::End));
    faults(Do::Fail, nodes, all, START, Phase::Begin).chain(end.into_iter().flatten()).collect()
}

/// What a partition is.
pub(super) fn partition(cut: Cut, connections: Connections) -> Vec<NodeFault> {
    match cut {
        Cut::Network => vec![NodeFault::Cut(connections), NodeFault::Isolated],
        Cut::ApiServer => vec![NodeFault::Cut(connections)],
    }
}

impl Reader<'_> {
    /// Taints of nodes are added or removed.
    pub(super) fn taint(&mut self, texts: &[String], overwrite: bool) -> Steps {
        let edit = self.at("taint").take(checks::taint_edit(texts));
        let n = self.nodes()?;
        once(Do::Taint(n, TaintEdit { overwrite, ..edit? }))
    }

    /// Labels of nodes are set or removed.
    pub(super) fn label(&mut self, labels: &BTreeMap<String, Option<String>>) -> Steps {
        for (key, value) in labels {
            let value = value.as_deref().unwrap_or_default();
            self.at("labels").part(key).take(checks::label(key, value));
        }
        if labels.is_empty() {
            self.at("labels").say("no label is given here");
        }
        let n = self.nodes()?;
        once(Do::Label(n, labels.iter().map(|(k, v)| (k.clone(), v.clone())).collect()))
    }

    /// Nodes are drained.
    pub(super) fn drain(&mut self, flags: &DrainFlags) -> Steps {
        let n = self.nodes();
        let options = drain_options(flags, &self.place());
        once(Do::Drain(n?, options))
    }

    /// Pods are deleted.
    pub(super) fn delete_pod(&mut self, grace: Option<i64>) -> Steps {
        self.place().not_negative("gracePeriodSeconds", grace);
        let pods = self.pods()?;
        Some(each(&pods, |p| Do::DeletePod(p, grace)))
    }

    /// A pod is bound to a node.
    pub(super) fn bind_pod(&mut self, pod: &str, node: &str) -> Steps {
        let pod = self.at("pod").take(self.world.pods.named(pod));
        let node = self.at("node").take(self.world.nodes.named(node));
        once(Do::BindPod(pod?, node?))
    }

    /// Tolerations of pods are changed.
    pub(super) fn patch_tolerations(&mut self, written: &[Toleration]) -> Steps {
        let operators = self.world.profile.taint_eviction.comparison_operators;
        let read = checks::read_tolerations(written, &self.at("tolerations"), operators);
        let pods = self.pods()?;
        Some(each(&pods, |p| Do::PatchTolerations(p, read.clone())))
    }

    /// A workload asks for another number of pods.
    pub(super) fn scale(&mut self, workload: &str, replicas: i32) -> Steps {
        let index = self.workload(workload)?;
        let kind = self.world.workloads.plans[index as usize].kind;
        self.place().not_negative("replicas", Some(replicas));
        if u64::try_from(replicas).is_ok_and(|n| n > PODS_MAX) {
            self.at("replicas").say(format!("a cluster has at most {PODS_MAX} pods"));
        }
        if matches!(kind, WorkloadKind::DaemonSet | WorkloadKind::Job) {
            self.at("workload").say(format!("a {} cannot be scaled", kind.as_str()));
        }
        once(Do::Scale(index, replicas))
    }

    /// A disruption budget asks for something else.
    pub(super) fn patch_budget(
        &mut self,
        budget: &str,
        min_available: Option<&FlagValue>,
        max_unavailable: Option<&FlagValue>,
    ) -> Steps {
        let place = self.place();
        let rule = budgets::rule(min_available, max_unavailable, &place);
        if rule == Some(BudgetRule::Neither) {
            let help = "`minAvailable: 2`, or `maxUnavailable: \"25%\"`";
            return place.refuse(Problem::new("this changes nothing of the budget").help(help));
        }
        once(Do::PatchBudget(self.budget(budget)?, rule?))
    }

    /// Nodes are maintained one after another.
    pub(super) fn maintain(
        &mut self,
        at_a_time: Option<&FlagValue>,
        drain: &DrainFlags,
        off: &DurationText,
        then: Option<Afterwards>,
        if_not_drained: Option<IfNotDrained>,
    ) -> Steps {
        let n = self.nodes();
        let nodes = n.as_ref().map_or(0, Vec::len);
        let drain = drain_options(drain, &self.at("drain"));
        let read = |written: &FlagValue| self::at_a_time(written, nodes);
        let at_a_time = self.place().maybe("at_a_time", at_a_time, read);
        let off = self.positive("off", off);
        if off.is_some_and(|off| off < OFF_LEAST) {
            self.at("off").say("a machine is off for at least a second");
        }
        let how = Maintenance {
            at_a_time: at_a_time?.unwrap_or(1),
            drain,
            off: off?,
            uncordon: then != Some(Afterwards::Leave),
            if_not_drained: if_not_drained.unwrap_or_default(),
        };
        once(Do::Maintain(n?, Box::new(how)))
    }
}

/// Taints as `kubectl taint` takes them to remove them.
pub(super) fn removing(taints: &[String]) -> Vec<String> {
    let one = |t: &String| if t.ends_with('-') { t.clone() } else { format!("{t}-") };
    taints.iter().map(one).collect()
}

/// The shortest time that a machine is off: times have whole seconds, and a heartbeat from before
/// it has to differ from one after it.
const OFF_LEAST: Dur = Dur::from_secs(1);

/// The flags of `kubectl drain`.
pub(super) fn drain_options(flags: &DrainFlags, place: &Spot) -> DrainOptions {
    place.not_negative("gracePeriodSeconds", flags.grace_period_seconds);
    let (skip, field) = (&flags.skip_wait_for_delete_timeout, "skip_wait_for_delete_timeout");
    DrainOptions {
        force: flags.force,
        ignore_daemonsets: flags.ignore_daemonsets.unwrap_or(true),
        delete_emptydir_data: flags.delete_emptydir_data,
        disable_eviction: flags.disable_eviction,
        grace_period: flags.grace_period_seconds,
        timeout: place.read("timeout", &flags.timeout, values::positive),
        skip_wait_for_delete_timeout: place.read(field, skip, values::positive),
    }
}

/// How many of these nodes are maintained at a time. A share is rounded down, so that no more are
/// away than were asked for, but is never less than one node, or nothing would ever happen; the
/// node pools of the machine config operator do the same.
fn at_a_time(written: &FlagValue, nodes: usize) -> Result<usize, Problem> {
    match checks::number_or_share(written, "5%")? {
        IntOrPercent::Int(n) => match usize::try_from(n) {
            Ok(n) if n > 0 => Ok(n),
            _ => Err(Problem::new("at least one node at a time")),
        },
        IntOrPercent::Percent(share @ 1..=100) => Ok((nodes * share as usize / 100).max(1)),
        IntOrPercent::Percent(_) => Err(Problem::new("a share of nodes is between 1% and 100%")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 5 % of 30 is 1.5: one; 5 % of 19 is 0.95: still one; 5 % of 41 is 2.05: two; half of 7 is
    /// 3.5: three.
    #[test]
    fn a_share_is_rounded_down_and_at_least_one() {
        let of =
            |text: &str, nodes| at_a_time(&FlagValue::Text(text.to_owned()), nodes).map_err(|_| ());
        assert_eq!(
            [of("5%", 30), of("5%", 19), of("5%", 41), of("50%", 7), of("100%", 7)],
            [1, 1, 2, 3, 7].map(Ok::<usize, ()>)
        );
        assert_eq!([of("2", 30), of("40", 30)], [2, 40].map(Ok));
        for wrong in ["0", "-1", "0%", "101%", "x", ""] {
            assert!(of(wrong, 30).is_err(), "{wrong}");
        }
    }
}
