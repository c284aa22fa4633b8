//! The cost of each row by formula, where what is chosen is how long pods tolerate a lost node: what
//! simulation adds to it is queueing behind rates and limits, room, outages that overlap, and nodes that are heard late.
//!
//! A pod that is replaced is missing for min(D, T) and a start where D > T; one of a StatefulSet, of a Job that replaces
//! failed pods alone, with a disk that one node may have at a time, or that no other node suits or has room for, for D, whatever is
//! tolerated, and a start; where D > T the disk moves first. One that clients still reach, or that is a Job's and cut off, is not
//! missing before it is evicted. A machine that stopped is away until it has booted, and its pods start anew.

use super::placed::{Places, Whose, is_bare, suiting};
use crate::api::probe::{Life, ProbeType, RestartPolicy};
use crate::api::toleration::Toleration;
use crate::api::volume::{MAX_WAIT_FOR_UNMOUNT, Reach};
use crate::kernel::Spread;
use crate::lab::prelude::*;
use crate::lab::sweep::Sweep;
use crate::plan::{KubeletMode, WorkloadPlan};
use crate::scenario::LONGEST_S;

/// From the beginning of an outage to the taint, in seconds: the grace period from the last
/// heartbeat on, which was five seconds ago on average, and some four until passes have seen both.
pub(super) fn detection(plan: &Plan) -> f64 {
    (plan.flags.node_monitor_grace_period.as_nanos() as f64 / 1e9 - 1.0).max(1.0)
}

/// By formula, of an outage or of a year, what is at [`DRAWN`](super::spec::DRAWN).
type Control = [f64; 4];

/// What an outage, or a year, comes to by formula.
#[derive(Clone, Copy, PartialEq, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Closed {
    /// Replica-minutes missing.
    pub(crate) missing: f64,
    /// Those of them that are of pods that wait for their nodes, and so no toleration changes but for starts.
    pub(crate) waiting: f64,
    /// Evictions.
    pub(crate) evicted: f64,
    /// Those of them whose node was back soon.
    pub(crate) needless: f64,
    /// Minutes below need, of models whose outages take no two nodes with pods of which none may be missing: in which one of
    /// several workloads is below its need is no sum over these.
    #[serde(default)]
    pub(crate) below: f64,
}

impl Closed {
    /// Whether it can be reckoned with, wherever it comes from.
    pub(super) fn is_sound(&self) -> bool {
        super::moments::are_figures(self.by_formula().iter().chain([&self.waiting]))
    }

    /// What is at [`DRAWN`](super::spec::DRAWN).
    pub(super) fn by_formula(&self) -> Control {
        [self.missing, self.evicted, self.needless, self.below]
    }

    /// Adds another as often as said.
    fn put(&mut self, other: &Self, times: f64) {
        self.missing += times * other.missing;
        self.waiting += times * other.waiting;
        self.evicted += times * other.evicted;
        self.needless += times * other.needless;
        self.below += times * other.below;
    }
}

/// How long a replacement takes to run where kubelets are imitated, in seconds.
const IMITATED_S: f64 = 2.0;

/// The closed form of each row, by its formula.
///
/// # Errors
/// Why there is none, in words: a row is about something else, or outages have no distribution.
pub(super) fn closed(
    sweep: &Sweep<'_>,
    drawn: &[Drawn],
    formulas: &[Formula],
) -> Result<Vec<Closed>, String> {
    let mut paths = sweep.axes.iter().map(|axis| &axis.path);
    if let Some(other) = paths.find(|path| !path.ends_with("tolerationSeconds")) {
        return Err(format!("there is one for tolerationSeconds alone, and not for `{other}`"));
    }
    let models = drawn.iter().flat_map(|d| &d.models.list);
    if let Some(record) = models.clone().find(|m| m.is_recorded()) {
        return Err(format!(
            "`{}` is a record, and what it would need is a distribution; `taintsim outages --fit` fits one",
            record.name
        ));
    }
    if models.clone().all(|m| m.away().is_none()) {
        return Err("it knows only of nodes that are away without notice".to_owned());
    }
    Ok(formulas.iter().zip(drawn).map(|(formula, drawn)| formula.a_year(drawn)).collect())
}

/// What the closed form leaves out: models whose nodes are drained first, or taken back, that those of others go down one by
/// one, and what templates say that it does not know.
pub(super) fn left_out(drawn: &Drawn) -> Vec<String> {
    let other = drawn.models.list.iter().filter(|m| m.away().is_none());
    let by_one = |m: &Model| format!("that nodes of {} go down one by one (`within`)", m.name);
    let slow = drawn.models.list.iter().filter(|m| m.is_slow()).map(by_one);
    let any = |is: fn(&PodTemplate) -> bool| drawn.plan.templates.iter().any(is);
    let ends = |life: &Life| life.ends.is_some() || life.serves_for.is_some();
    let any_ends = drawn.plan.templates.iter().any(|t| t.life.as_deref().is_some_and(ends));
    let fails = any(|t| t.restart_policy == RestartPolicy::Never);
    let left = [
        (any_ends, "containers that end, or do not serve any more"),
        (fails, "pods that end with their machine (restartPolicy Never)"),
        (any(|t| t.images().next().is_some()), "pulls of images"),
        (any(|t| !t.containers.is_empty()), "containers beside a pod's main one"),
    ];
    let left = left.into_iter().filter(|left| left.0).map(|left| left.1.to_owned());
    other.map(|m| m.name.clone()).chain(slow).chain(left).collect()
}

/// Pods of a node that go the same way.
#[derive(Clone, Copy)]
pub(super) struct Alike {
    pods: f64,
    /// After how many seconds they are evicted.
    pub(super) timeout: f64,
    /// Whether they are not replaced while their node is away.
    waits: bool,
    /// How long after their node was deleted they go to another one, in seconds, if it is not back before.
    held: f64,
    /// How long their disks take to move to another node, in seconds.
    moves: f64,
    /// How long they take to start on average, in seconds.
    starts: f64,
    /// They work on where no client reaches them.
    alone: bool,
    /// Their workload needs each of them; of those on a node the last ones that are evicted stand for all.
    needed: bool,
}

impl Alike {
    /// What they have in common; a time that is not negative sorts as its bits do.
    fn key(&self) -> (bool, [u64; 4], bool) {
        let times = [self.timeout, self.held, self.moves, self.starts];
        (self.waits, times.map(f64::to_bits), self.alone)
    }
}

/// How long an outage lasts, drawn or on average: how much of it lies before a time, and whether it is
/// longer than that, or how likely.
struct Lasts<'a> {
    up_to: &'a dyn Fn(f64) -> f64,
    longer: &'a dyn Fn(f64) -> f64,
}

/// The formula of a plan with its models.
pub(super) struct Formula {
    /// Where pods are by it.
    pub(super) places: Places,
    /// The same of some workloads, each alone.
    pub(super) own: Vec<Formula>,
    nodes: Vec<Vec<Alike>>,
    /// How long a machine that stopped takes to boot, in seconds.
    pub(super) boot: f64,
    /// How soon a node is back after an eviction that was needless, in seconds.
    window: f64,
    /// By model what an outage of each thing that fails comes to on average; none where a model has no
    /// formula.
    pub(super) means: Vec<Option<Vec<Closed>>>,
}

impl Formula {
    /// Of the pods in these places, and of some workloads alone.
    pub(super) fn new(drawn: &Drawn, places: Places, window: Dur, own: &[WorkloadsAt]) -> Self {
        let suiting = suiting(&drawn.plan, &places);
        let mut all = Self::of(drawn, (&places, &suiting), window, None);
        let of = |own| Self::of(drawn, (&places, &suiting), window, Some(own));
        all.own = own.iter().map(of).collect();
        all.places = places;
        all
    }

    fn of(
        drawn: &Drawn,
        (places, suiting): (&Places, &[Vec<NodeIndex>]),
        window: Dur,
        of: Option<&WorkloadsAt>,
    ) -> Self {
        let plan = &drawn.plan;
        let mut nodes: Vec<Vec<Alike>> = plan.nodes.iter().map(|_| Vec::new()).collect();
        let mut all: Vec<(NodeIndex, Alike)> = missed(plan, places, (of, suiting)).collect();
        let key = |(node, pod): &(NodeIndex, Alike)| (*node, pod.key());
        all.sort_by_key(key);
        for alike in all.chunk_by(|a, b| key(a) == key(b)) {
            let Some(own) = nodes.get_mut(alike[0].0 as usize) else { continue };
            let needed = alike.iter().any(|(_, pod)| pod.needed);
            own.iter_mut().for_each(|sooner: &mut Alike| sooner.needed &= !needed);
            own.push(Alike { pods: alike.len() as f64, needed, ..alike[0].1 });
        }
        let boot = match plan.timing.kubelet {
            KubeletMode::Real(real) => real.boot.as_nanos() as f64 / 1e9,
            KubeletMode::Imitated(_) => 0.0,
        };
        let window = window.as_nanos() as f64 / 1e9;
        let (places, own, means) = (Vec::new(), Vec::new(), Vec::new());
        let mut formula = Self { places, own, nodes, boot, window, means };
        let models = 0..drawn.models.list.len();
        formula.means = models.map(|m| formula.mean(drawn, m)).collect();
        formula
    }

    /// The pods of a node.
    pub(super) fn node(&self, node: u32) -> &[Alike] {
        &self.nodes[node as usize]
    }

    /// Whether what is chosen has pods on a node: some workloads, or else all of them.
    pub(super) fn meets(&self, node: NodeIndex) -> bool {
        match self.own.as_slice() {
            [] => !self.node(node).is_empty(),
            own => own.iter().any(|own| own.meets(node)),
        }
    }

    /// What an outage of a model comes to on average. What is longer than a run can be is cut there.
    fn mean(&self, drawn: &Drawn, model: usize) -> Option<Vec<Closed>> {
        let model = &drawn.models.list[model];
        let lasts = model.away()?;
        let lasts = Lasts {
            up_to: &|t| lasts.mean_up_to(t.min(LONGEST_S)),
            longer: &|t| if t < LONGEST_S { lasts.survival(t) } else { 0.0 },
        };
        let needed = |object: &Object| {
            let is_needed = |n: &&u32| self.node(**n).iter().any(|alike| alike.needed);
            object.nodes.iter().filter(is_needed).count()
        };
        let is_alone = model.objects.iter().all(|object| needed(object) <= 1);
        let of_object = |object: &Object| {
            let taken = model.taken(object);
            let share = taken as f64 / object.nodes.len() as f64;
            let ended = ended(drawn, taken);
            let mut sum = Closed::default();
            for node in &object.nodes {
                self.add(&mut sum, model, *node, (ended, share), &lasts);
            }
            sum.below *= f64::from(u8::from(is_alone));
            sum
        };
        Some(model.objects.iter().map(of_object).collect())
    }

    /// What an outage of a model comes to, whichever of its objects it takes.
    fn of_any(&self, model: usize) -> Option<Closed> {
        let all = self.means[model].as_ref()?;
        let mut sum = Closed::default();
        all.iter().for_each(|one| sum.put(one, 1.0 / all.len().max(1) as f64));
        Some(sum)
    }

    /// What a year comes to because of a model.
    pub(super) fn of_model(&self, drawn: &Drawn, model: usize) -> Closed {
        let mut sum = Closed::default();
        let rate = drawn.models.list[model].per_year();
        self.of_any(model).iter().for_each(|one| sum.put(one, rate));
        sum
    }

    pub(super) fn a_year(&self, drawn: &Drawn) -> Closed {
        let mut sum = Closed::default();
        (0..self.means.len()).for_each(|m| sum.put(&self.of_model(drawn, m), 1.0));
        sum
    }

    /// What an outage that was drawn comes to, and one on average; nothing where its model has no formula.
    pub(super) fn of_drawn(&self, drawn: &Drawn, key: (usize, u64, u32)) -> [Control; 2] {
        let Some(mean) = self.of_any(key.0) else { return Default::default() };
        let model = &drawn.models.list[key.0];
        let nodes = drawn.models.drawn_lengths(key.0, key.1, key.2);
        let ended = ended(drawn, nodes.len());
        let mut sum = Closed::default();
        for (node, away) in nodes {
            let lasts =
                Lasts { up_to: &|t| t.min(away), longer: &|t| f64::from(u8::from(away > t)) };
            self.add(&mut sum, model, node, (ended, 1.0), &lasts);
        }
        // What is not known on average is not known of this one.
        sum.below *= f64::from(u8::from(mean.below > 0.0));
        [sum, mean].map(|of| of.by_formula())
    }

    /// Adds what an outage of a model comes to for the pods of a node, which it takes in this share of
    /// cases; somebody sees to the node when it is `ended`, and then it is `back`.
    fn add(
        &self,
        to: &mut Closed,
        model: &Model,
        node: u32,
        ([ended, back], share): ([f64; 2], f64),
        lasts: &Lasts<'_>,
    ) {
        let stops = model.stops_machines();
        let boot = if stops { self.boot } else { 0.0 };
        let away = |most: f64| most.min(boot) + (lasts.up_to)((most - boot).max(0.0));
        let longer = |than: f64| (lasts.longer)(than - boot);
        for alike in self.node(node) {
            let timeout = alike.timeout;
            let (evicted, needless) = if timeout < ended {
                let evicted = longer(timeout);
                (evicted, evicted - longer(timeout + self.window))
            } else {
                (0.0, 0.0)
            };
            let given_up = timeout.min(ended);
            // Who is cut off from the API server alone serves on until it is given up, and a Job's pod works on.
            let goes_on = model.is_reached() || alike.alone && !stops;
            let serves = if goes_on { (lasts.up_to)(given_up) } else { 0.0 };
            // One that waits is not replaced while its node is away, and started anew there if it was evicted.
            let waits_until = back.min(ended + alike.held);
            let (until, starts) = match (stops, alike.waits) {
                (true, true) => (waits_until, 1.0),
                (true, false) => (given_up, 1.0),
                (false, true) => (waits_until, evicted),
                (false, false) => (given_up, longer(given_up)),
            };
            let moved = evicted * alike.moves;
            let missing = (away(until) + starts * alike.starts + moved - serves) / 60.0;
            let one = Closed {
                missing,
                // One that goes on is missing only if it is evicted.
                waiting: if alike.waits && !goes_on { missing } else { 0.0 },
                evicted,
                needless,
                below: if alike.needed { missing / alike.pods } else { 0.0 },
            };
            to.put(&one, alike.pods * share);
        }
    }
}

/// The pods that somebody misses, as the runs have it (`count::replaced`): not one that belongs to its machine, nor one
/// without a workload beside workloads. Of some workloads alone if that is asked for. Each stands with its node.
fn missed<'a>(
    plan: &'a Plan,
    places: &'a Places,
    (of, suiting): (Option<&'a WorkloadsAt>, &'a [Vec<NodeIndex>]),
) -> impl Iterator<Item = (NodeIndex, Alike)> {
    let of = of.map(|of| with_kept(plan, of));
    let missed = move |(node, whose, needed): (NodeIndex, Whose, bool)| {
        let place = whose.template(plan)?;
        let template = plan.templates.get(place)?;
        let (workload, stays) = match whose {
            Whose::Pod(pod) => {
                if template.source != PodSource::Api || is_bare(plan, template) {
                    return None;
                }
                let pod = plan.pods.get(pod as usize)?;
                // By their tolerations taints let a DaemonSet's pods stay.
                (plan.owner_of(pod).unwrap_or_default(), plan.evicts_by_timeout())
            }
            // The controller of a DaemonSet lets its pods stay, whatever their template says.
            Whose::Made(workload) => (plan.workloads.get(workload as usize)?.name.clone(), true),
        };
        let is_its = of.as_ref().is_none_or(|of| of.contains(workload.as_str()));
        let is_daemon = workload.starts_with("DaemonSet/");
        let stays_there = || template.claims.iter().any(|c| c.reach == Reach::Node(None));
        let is_bound =
            !is_daemon && (stays_there() || suiting[place].iter().all(|other| *other == node));
        let moves = if has_disk(template) && !is_bound { moves(plan) } else { 0.0 };
        let held = match (is_bound, has_disk(template)) {
            (true, _) => f64::INFINITY,
            (_, true) => MAX_WAIT_FOR_UNMOUNT.as_secs_f64() + moves,
            _ => 0.0,
        };
        let waits = held > 0.0 || plan.successors_wait(&workload);
        let timeout = timeout(plan, template, stays && is_daemon);
        let starts = starts(plan, template);
        let (pods, alone) = (1.0, !has_clients(&workload));
        is_its.then_some((node, Alike { pods, timeout, waits, held, moves, starts, alone, needed }))
    };
    places.iter().copied().filter_map(missed)
}

/// The names of some workloads and of those that they keep: a Deployment's pods are its ReplicaSets'.
fn with_kept<'a>(plan: &'a Plan, of: &'a WorkloadsAt) -> BTreeSet<&'a str> {
    let is_its = |w: &&WorkloadPlan| {
        let keeper = w.owner.and_then(|keeper| plan.workloads.get(keeper as usize));
        keeper.is_some_and(|keeper| of.names.contains(&keeper.name))
    };
    let kept = plan.workloads.iter().filter(is_its).map(|w| w.name.as_str());
    kept.chain(of.names.iter().map(String::as_str)).collect()
}

/// Whether a pod has a volume that has to leave its node before another node gets it.
fn has_disk(template: &PodTemplate) -> bool {
    template.claims.iter().any(|c| c.attach && !c.access.is_multi_attach_allowed())
}

/// How long a disk takes to move, in seconds: until the node says that it is not in use, every ten seconds, until the
/// driver has detached and attached it, each of which is noticed half a second later, and the turns of loops between.
fn moves(plan: &Plan) -> f64 {
    let (attach, detach) = plan.timing.attacher;
    let seconds = |d: Dur| d.as_nanos() as f64 / 1e9;
    5.0 + seconds(detach) + seconds(attach) + 2.0 * 0.5 + 0.3
}

/// How long a pod of a template takes to start on average, in seconds.
fn starts(plan: &Plan, template: &PodTemplate) -> f64 {
    let usual = match plan.timing.kubelet {
        KubeletMode::Real(real) => real.pod_start.as_secs_f64(),
        KubeletMode::Imitated(_) => IMITATED_S,
    };
    let starts = template.start.as_ref().map_or(usual, Spread::mean_s);
    let proves = |life| proves(life, plan.profile.kubelet.life.resets_period);
    starts + template.life.as_deref().map_or(0.0, proves)
}

/// How long it takes on average from a container's start until its probes have found that it serves, in seconds. Where the period begins with
/// that start (S62), a readiness probe ticks from then on; otherwise, and of a startup probe, the next tick is half a period away.
fn proves(life: &Life, resets_period: bool) -> f64 {
    let seconds = |d: Dur| d.as_secs_f64();
    let found = |serves: f64| {
        let startup = life
            .probe(ProbeType::Startup)
            .map(|p| serves.max(seconds(p.initial_delay)) + seconds(p.period) / 2.0);
        let Some(p) = life.probe(ProbeType::Readiness) else { return startup.unwrap_or(serves) };
        let (period, lacks) = (seconds(p.period), f64::from(p.success_threshold.saturating_sub(1)));
        let from = startup.unwrap_or(serves).max(seconds(p.initial_delay));
        let first = match startup {
            // One that succeeds has it looked at at once.
            Some(started) if started >= from => started,
            _ if resets_period => (from / period).ceil() * period,
            _ => from + period / 2.0,
        };
        first + lacks * period
    };
    life.serves_after.as_ref().map_or_else(|| found(0.0), |serves| serves.mean_of(found))
}

/// When somebody sees to nodes that are away: then their pods are gone with them, or run again; and when they are back, or others
/// under their names. Never, where too many are away at one time.
fn ended(drawn: &Drawn, taken: usize) -> [f64; 2] {
    let Some(repair) = drawn.models.repair else { return [f64::INFINITY; 2] };
    let most = repair.unless_share * drawn.plan.nodes.len() as f64;
    if repair.unless_share < 1.0 && taken as f64 > most {
        return [f64::INFINITY; 2];
    }
    let back = repair.after + repair.takes;
    [if repair.replaces { repair.after } else { back }, back]
}

/// How many seconds after its node is away a pod is evicted. Where no taint does it, its node has to be Unknown, and as long
/// from the last heartbeat as `--pod-eviction-timeout` says (`monitorNodeHealth`: `probeTimestamp`).
fn timeout(plan: &Plan, template: &PodTemplate, stays: bool) -> f64 {
    let after = detection(plan);
    if stays {
        f64::INFINITY
    } else if plan.evicts_by_timeout() {
        after.max(plan.flags.pod_eviction_timeout.as_secs_f64() - 1.0)
    } else {
        seconds(&template.tolerations).map_or(f64::INFINITY, |s| after + s)
    }
}

/// How long a pod tolerates an unreachable node, in seconds; none for ever.
fn seconds(tolerations: &[Toleration]) -> Option<f64> {
    let taint = Taint::new("node.kubernetes.io/unreachable", Effect::NoExecute);
    let own = tolerations.iter().filter(|t| t.tolerates(&taint, false));
    // Who says nothing is given 300 s by the API server.
    if own.clone().next().is_none() {
        return Some(300.0);
    }
    own.filter_map(|t| t.toleration_seconds).map(|s| s.max(0) as f64).reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::probe::Probe;

    fn probe(delay: u64, period: u64, success_threshold: u32) -> Option<Probe> {
        let (initial_delay, period) = (Dur::from_secs(delay), Dur::from_secs(period));
        Some(Probe { initial_delay, period, success_threshold, failure_threshold: 3, grace: None })
    }

    /// Of a container that serves 12 s after its start: ticks at 10 and 20 s, of every 5 s at 15 s, not before a delay of 25 s at
    /// 30 s, and two more in a row at 40 s. In older releases the next tick is 5 s away on average; so it is, of half as much, of a
    /// startup probe with a period of 5 s, after which there is a readiness probe at once.
    #[test]
    fn a_probe_finds_with_its_next_tick_that_a_container_serves() {
        let serves_after = Some(Spread::always(Dur::from_secs(12)));
        let of = |readiness, startup, resets| {
            let probes = [None, readiness, startup];
            proves(&Life { probes, serves_after: serves_after.clone(), ..Life::default() }, resets)
        };
        assert_eq!(of(None, None, true), 12.0);
        assert_eq!(of(probe(0, 10, 1), None, true), 20.0);
        assert_eq!(of(probe(0, 5, 1), None, true), 15.0);
        assert_eq!(of(probe(25, 10, 1), None, true), 30.0);
        assert_eq!(of(probe(0, 10, 3), None, true), 40.0);
        assert_eq!(of(probe(0, 10, 1), None, false), 17.0);
        assert_eq!(of(probe(0, 10, 1), probe(0, 5, 1), true), 14.5);
    }
}
