//! The facts of a run that a person follows: those records that mean something new, each with what
//! it is about.
//!
//! Left out: what exists from the start; conditions that turn Unknown beside Ready; pods' Ready
//! conditions, which follow their node's, but of pods with probes or ends of their own; events, which repeat what other records say, except why
//! a pod cannot be scheduled; waiting in a zone's queue, which the time of the taint shows; timers
//! of zero seconds, whose eviction follows at once.

use super::prelude::*;
use Tone::{Bad, Entry, Good, Plain, Warning, Zones};

/// Stands for "no timer" in [`Fact::Evicted`].
pub(crate) const NO_TIMER: u32 = u32::MAX;

rows! {
    /// What can be said in a row of a timeline.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub(crate) enum Fact {
        /// An entry of the plan's timeline began.
        EntryBegan(u32) = ("entry-began", "", Entry, 11),
        /// An entry of the plan's timeline ended.
        EntryEnded(u32) = ("entry-ended", "", Entry, 11),
        /// kubectl refused what an action asked for: its text and the entry.
        Refused(TextId, u32) = ("refused", "", Bad, 6),
        /// The controllers' process started.
        ControllersStarted = ("controllers-started", "controllers started", Good, 6),
        /// The controllers' process died.
        ControllersStopped =
            ("controllers-stopped", "controllers stopped; their timers are lost", Bad, 6),
        /// A zone, by its key, is in that state.
        Zone(TextId, ZoneState) = ("zone-state", "", Zones, 6),
        /// Every zone is fully disrupted.
        MasterDisruptionEntered = ("master-disruption-entered", ALL_DARK, Zones, 6),
        /// Some node is ready again.
        MasterDisruptionLeft =
            ("master-disruption-left", "master disruption is over: evictions resume", Zones, 6),
        /// A node joined.
        NodeJoined = ("node-joined", "joined", Plain, 5),
        /// A node was deleted.
        NodeDeleted = ("node-deleted", "deleted", Plain, 5),
        /// A node's kubelet cannot reach the API server.
        Silent = ("node-silent", "silent", Warning, 11),
        /// A node's kubelet reaches the API server again.
        Heard = ("node-heard", "can be heard again", Good, 11),
        /// A node's machine stopped.
        MachineOff = ("machine-off", "off", Warning, 11),
        /// A node's machine has booted.
        MachineOn = ("machine-on", "booted", Good, 11),
        /// A node's condition Ready turned Unknown.
        Unknown = ("node-unknown", "Unknown", Warning, 5),
        /// A node's condition Ready turned False.
        NotReady = ("node-not-ready", "NotReady", Warning, 5),
        /// A node's condition Ready turned True.
        Ready = ("node-ready", "Ready again", Good, 5),
        /// A condition other than Ready turned True.
        ConditionTrue(NodeConditionType) = ("condition-true", "", Warning, 7),
        /// A condition other than Ready that was True turned False.
        ConditionFalse(NodeConditionType) = ("condition-false", "", Good, 7),
        /// A taint was added; index into [`Facts::taints`].
        Tainted(u32) = ("tainted", "", Warning, 4),
        /// A taint was removed; index into [`Facts::taints`].
        Untainted(u32) = ("untainted", "", Good, 4),
        /// A node was cordoned.
        Cordoned = ("cordoned", "cordoned", Plain, 7),
        /// A node was uncordoned.
        Uncordoned = ("uncordoned", "uncordoned", Plain, 7),
        /// A pod was created, of that workload or of none.
        PodCreated(Option<WorkloadId>) = ("pod-created", "created", Plain, 9),
        /// A pod was bound, of that workload or of none.
        PodBound(Option<WorkloadId>) = ("pod-bound", "bound", Plain, 9),
        /// A pod of a workload runs.
        PodRunning(WorkloadId) = ("pod-running", "running", Plain, 9),
        /// A pod, of that workload or of none, cannot be scheduled, for that reason.
        PodPending(Option<WorkloadId>, TextId) = ("pod-pending", "", Warning, PENDING),
        /// A try to attach a pod's volume to its node failed, or took too long.
        AttachFailed =
            ("attach-failed", "waits for a volume that could not be attached yet", Warning, PENDING),
        /// A volume of a pod is attached to another node.
        VolumeRefused =
            ("volume-refused", "waits for a volume that is attached elsewhere", Warning, PENDING),
        /// A volume was attached to a node.
        VolumeAttached = ("volume-attached", "has a volume attached", Plain, 9),
        /// A volume was detached from a node.
        VolumeDetached = ("volume-detached", "has a volume detached", Plain, 9),
        /// A node has no memory left.
        MemoryUsedUp = ("memory-used-up", OUT_OF_MEMORY, Warning, 5),
        /// What the status of a DeviceTaintRule says.
        RuleSays(TextId) = ("rule-condition", "", Plain, 8),
        /// An eviction timer of this number of seconds was set.
        TimerSet(u32) = ("timer-set", "eviction timer set", Plain, 8),
        /// An eviction timer was cancelled.
        TimerCancelled = ("timer-cancelled", "eviction timer cancelled", Good, 8),
        /// A pod was evicted by a timer of this number of seconds, or [`NO_TIMER`].
        Evicted(u32) = ("evicted", "evicted", Bad, 0),
        /// A pod was evicted without a timer: through the eviction API, or by a drain.
        EvictedBy(EvictionCause) = ("evicted", "evicted", Bad, 0),
        /// A pod's eviction was refused, as that budget would be violated.
        EvictionRefused(WorkloadId) = ("eviction-refused", "", Warning, 2),
        /// kubectl finished with a node that it drained, in that way.
        DrainEnded(DrainOutcome) = ("drain-ended", "not drained: timed out", Bad, 2),
        BudgetCreated(WorkloadId) = ("budget-created", "created", Plain, 7),
        /// A budget asks for something else.
        BudgetChanged(WorkloadId) = ("budget-changed", "changed", Plain, 7),
        BudgetDeleted(WorkloadId) = ("budget-deleted", "deleted", Plain, 7),
        /// An entry of the plan's timeline did not do all that it was to do: its text and the entry.
        CutShort(TextId, u32) = ("cut-short", "", Bad, 2),
        /// Somebody else deleted a pod.
        PodDeleted(Actor) = ("pod-deleted", "deleted", Plain, 3),
        /// A pod could not be deleted in five tries.
        EvictionFailed = ("eviction-failed", "not evicted: five tries failed", Bad, 1),
        /// A kubelet does not admit a pod, as its node is short of something.
        NotAdmitted = ("not-admitted", "not admitted: node pressure", Warning, 2),
        /// A pod that has probes, or whose container ends by itself, is Ready, or is not.
        PodReady(bool) = ("pod-ready", "Ready", Good, 9),
        /// A pod's container failed a probe, and is killed.
        Unhealthy = ("unhealthy", "killed: a probe failed", Warning, 3),
        /// A pod's container is not started again yet: CrashLoopBackOff, of so many seconds.
        BackOff(u32) = ("back-off", "", Warning, 3),
        /// ErrImagePull: the image of a pod's container could not be pulled.
        PullFailed = ("image-pull-failed", "ErrImagePull", Warning, 3),
        /// A pod's phase became Failed.
        PodFailed = ("pod-failed", "Failed", Warning, 1),
        /// A pod's phase became Succeeded.
        PodSucceeded = ("pod-succeeded", "Succeeded", Plain, 10),
        /// A Job is complete.
        JobComplete(WorkloadId) = ("job-complete", "completed", Good, 10),
        /// A Job has failed; the text of the reason and the message.
        JobFailed(WorkloadId, TextId) = ("job-failed", "failed", Bad, 1),
        /// A pod object is gone.
        PodGone = ("pod-gone", "gone", Plain, 10),
    }

    fn row -> Row;
}

/// What a fact is called, what it does in words, its colour and how much it matters.
type Row = (&'static str, &'static str, Tone, u8);

/// What a fact means to whoever reads it, which its colour shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tone {
    Entry,
    Bad,
    Warning,
    Good,
    Zones,
    Plain,
}

/// How a kind of fact is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// Its name for programs.
    pub(crate) name: &'static str,
    /// What it says of its object, or all of it where it has none; empty, or a part of it, where
    /// the fact's values belong to it.
    pub(crate) verb: &'static str,
    pub(crate) tone: Tone,
    /// How much it matters where two runs differ; 0 matters most.
    pub(crate) rank: u8,
}

/// The rank of pods that are pending.
pub(super) const PENDING: u8 = 2;

const OUT_OF_MEMORY: &str = "out of memory: the kernel kills before that, which is not simulated";
const ALL_DARK: &str =
    "master disruption: no node of any zone is Ready, so taints come off and evictions stop";

impl Fact {
    /// Whether it tells that a pod is made: created, bound or started.
    pub(crate) fn makes_pods(self) -> bool {
        matches!(self, Self::PodCreated(_) | Self::PodBound(_) | Self::PodRunning(_))
    }

    /// How facts of its kind are shown.
    pub(crate) fn look(self) -> Look {
        let (name, verb, tone, rank) = match self {
            Self::Evicted(0) => ("evicted", "evicted at once", Bad, 0),
            Self::DrainEnded(DrainOutcome::Drained) => ("drain-ended", "drained", Good, 2),
            Self::DrainEnded(DrainOutcome::Refused) => {
                ("drain-ended", "not drained: refused", Bad, 2)
            }
            Self::PodDeleted(Actor::Scheduler) => {
                ("pod-deleted", "preempted by the scheduler", Plain, 3)
            }
            Self::PodReady(false) => ("pod-not-ready", "not Ready", Warning, 3),
            fact => fact.row(),
        };
        Look { name, verb, tone, rank }
    }
}

/// What somebody noted, where it is a fact; `later`: not at the start.
fn noted(note: Note, arg: u32, later: bool) -> Option<Fact> {
    let (arg, _) = note.parts(arg);
    match note {
        Note::AttachmentAttached => later.then_some(Fact::VolumeAttached),
        Note::AttachmentGone => Some(Fact::VolumeDetached),
        Note::MemoryUsedUp => Some(Fact::MemoryUsedUp),
        Note::ContainerUnhealthy => Some(Fact::Unhealthy),
        Note::BackOff => Some(Fact::BackOff(arg)),
        Note::ImagePullFailed => Some(Fact::PullFailed),
        Note::RuleCondition => Some(Fact::RuleSays(TextId(arg))),
        Note::DeviceEvictionSet => (arg > 0).then_some(Fact::TimerSet(arg)),
        Note::DeviceEvictionCancelled => Some(Fact::TimerCancelled),
        _ => None,
    }
}

/// One fact with what it is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finding {
    pub(crate) at: Time,
    /// The record that says so.
    pub(crate) record: RecordId,
    pub(crate) fact: Fact,
    /// The node it is about, or that its pod is on; [`NO_NODE`] if none.
    pub(crate) node: u32,
    /// The pod it is about.
    pub(crate) pod: Option<PodId>,
    /// What its time is given relative to.
    pub(crate) since: Option<Since>,
}

/// Finds the facts of a run, one record at a time.
pub(crate) struct Facts<'a> {
    analysis: &'a Analysis<'a>,
    follow: Follow<'a>,
    /// The taints that facts refer to.
    pub(crate) taints: Vec<Taint>,
    /// The last state of each zone, by its key.
    zones: BTreeMap<u32, ZoneState>,
    owners: Owners,
    /// By pod: why it could last not be scheduled.
    why: BTreeMap<PodId, TextId>,
    /// The pods that were marked NotReady for their node, and whose containers go on as before.
    marked: BTreeSet<PodId>,
    /// Per node and condition whether it is True; one bit per type.
    true_conditions: Vec<u8>,
}

impl<'a> Facts<'a> {
    /// Stands at the start of the run.
    pub(crate) fn new(analysis: &'a Analysis<'a>) -> Self {
        let (follow, owners) = (Follow::new(analysis), Owners::new(analysis));
        let (taints, zones, why) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        let marked = BTreeSet::new();
        let true_conditions = vec![0; analysis.node_count()];
        Facts { analysis, follow, taints, zones, owners, why, marked, true_conditions }
    }

    /// Walks through the trace and hands each fact to `found`.
    pub(crate) fn walk(&mut self, mut found: impl FnMut(&Finding)) {
        let analysis = self.analysis;
        for (id, r) in (0..).zip(analysis.trace.iter()) {
            let step = self.follow.apply(id, r);
            let (about, pod) = (step.on(), step.pod.map(|(pod, ..)| pod));
            let node = about.map_or(NO_NODE, |node| node.0);
            let mut emit = |fact| {
                // An entry is not given relative to itself.
                let since = match fact {
                    Fact::EntryBegan(_)
                    | Fact::EntryEnded(_)
                    | Fact::Refused(..)
                    | Fact::CutShort(..) => None,
                    _ => analysis.since_of(id, about),
                };
                found(&Finding { at: r.at, record: id, fact, node, pod, since });
            };
            if let Some(change) = analysis.trace.taint_change(r) {
                for t in &change.removed {
                    emit(Fact::Untainted(taint_id(&mut self.taints, t)));
                }
                for t in &change.added {
                    emit(Fact::Tainted(taint_id(&mut self.taints, t)));
                }
            } else if let Some(fact) = self.fact(r, &step) {
                emit(fact);
            }
        }
    }

    /// The seconds of the timer that the deletion of a pod in that state fulfils.
    fn timer_seconds(&self, before: &PodState) -> u32 {
        let timer = self.follow.timer(before).and_then(|t| self.analysis.trace.get(t));
        let Some(What::TimerSet(seconds)) = timer.map(|t| t.what) else { return NO_TIMER };
        seconds
    }

    fn fact(&mut self, r: &Record, step: &Step) -> Option<Fact> {
        let trace = self.analysis.trace;
        let later = r.at > Time::ZERO;
        let known = (r.object as usize) < self.analysis.plan.timeline.len();
        let entry = if known { r.object } else { u32::MAX };
        let budget = WorkloadId(r.object);
        let node_changed = step.node.filter(|(_, before, after)| before != after);
        let pod_changed = step.pod.filter(|(_, before, after)| before != after);
        let workload = || self.owners.of(self.analysis, PodId(r.object));
        match r.what {
            What::FaultBegan => known.then_some(Fact::EntryBegan(r.object)),
            What::FaultEnded => known.then_some(Fact::EntryEnded(r.object)),
            What::Refused(text) => Some(Fact::Refused(TextId(text), entry)),
            What::ControllersStarted => later.then_some(Fact::ControllersStarted),
            What::ControllersStopped => Some(Fact::ControllersStopped),
            // A controller that starts looks at its zones anew; what it finds again is nothing new.
            What::Zone(ZoneState::Initial | ZoneState::Empty) => None,
            What::Zone(state) => {
                let before = self.zones.insert(r.object, state);
                (state != before.unwrap_or(ZoneState::Normal))
                    .then_some(Fact::Zone(TextId(r.object), state))
            }
            What::MasterDisruptionEntered => Some(Fact::MasterDisruptionEntered),
            What::MasterDisruptionLeft => Some(Fact::MasterDisruptionLeft),
            What::NodeCreated => node_changed.map(|_| Fact::NodeJoined),
            What::NodeDeleted => node_changed.map(|_| Fact::NodeDeleted),
            // The stop of the machine is a fact of its own.
            What::NodeSilent => node_changed.filter(|(.., now)| !now.off).map(|_| Fact::Silent),
            What::NodeHeard => node_changed.map(|_| Fact::Heard),
            What::MachineOff => node_changed.map(|_| Fact::MachineOff),
            What::MachineOn => node_changed.map(|_| Fact::MachineOn),
            What::NodeCondition(NodeConditionType::Ready, status, _) => {
                node_changed.map(|_| match status {
                    ConditionStatus::True => Fact::Ready,
                    ConditionStatus::False => Fact::NotReady,
                    ConditionStatus::Unknown => Fact::Unknown,
                })
            }
            What::NodeCondition(kind, status, _) => self.condition(r, kind, status),
            What::NodeUnschedulable(true) => Some(Fact::Cordoned),
            What::NodeUnschedulable(false) => Some(Fact::Uncordoned),
            What::PodCreated(_) => {
                pod_changed.filter(|_| later).map(|_| Fact::PodCreated(workload()))
            }
            What::PodBound(_) => pod_changed.filter(|_| later).map(|_| Fact::PodBound(workload())),
            What::PodPhase(PodPhase::Running) => {
                pod_changed.filter(|_| later).and_then(|_| workload()).map(Fact::PodRunning)
            }
            What::PodPhase(PodPhase::Failed) => pod_changed.map(|_| match step.eviction(r) {
                Some(_) => Fact::EvictedBy(EvictionCause::Pressure),
                None => Fact::PodFailed,
            }),
            What::PodPhase(PodPhase::Succeeded) => pod_changed.map(|_| Fact::PodSucceeded),
            What::PodDeleting(_) | What::PodGone if let Some((_, before)) = step.eviction(r) => {
                Some(match before.asked {
                    Some(cause) if r.actor == Actor::User => Fact::EvictedBy(cause),
                    _ if r.actor == Actor::DeviceTaintEviction => {
                        Fact::EvictedBy(EvictionCause::DeviceTaint)
                    }
                    _ => Fact::Evicted(self.timer_seconds(&before)),
                })
            }
            What::PodDeleting(_) => step.deletion_begins().map(|_| Fact::PodDeleted(r.actor)),
            What::PodGone => pod_changed.map(|_| Fact::PodGone),
            What::PodCondition(PodConditionType::Ready, status, _) if later => {
                self.ready(r, status)
            }
            What::TimerSet(0) => None,
            What::TimerSet(seconds) => Some(Fact::TimerSet(seconds)),
            What::TimerCancelled => pod_changed.map(|_| Fact::TimerCancelled),
            What::EvictionFailed => Some(Fact::EvictionFailed),
            What::EvictionRefused(_) => trace.budget(r).map(|b| Fact::EvictionRefused(b.budget)),
            What::DrainEnded(_) => trace.drain_end(r).map(|end| Fact::DrainEnded(end.outcome)),
            What::BudgetCreated(_) => Some(Fact::BudgetCreated(budget)),
            What::BudgetChanged(_) => Some(Fact::BudgetChanged(budget)),
            What::BudgetDeleted => Some(Fact::BudgetDeleted(budget)),
            What::CutShort(text) => Some(Fact::CutShort(TextId(text), entry)),
            What::PodMessage(_) => self.waits(r),
            What::Noted(Note::JobComplete, _) => Some(Fact::JobComplete(WorkloadId(r.object))),
            What::Noted(Note::JobFailed, why) => {
                Some(Fact::JobFailed(WorkloadId(r.object), TextId(why)))
            }
            What::ContainersStarted(_) | What::Noted(Note::ContainerServes, _) => {
                self.marked.remove(&PodId(r.object));
                None
            }
            What::Noted(note, arg) => noted(note, arg, later),
            // The others are told elsewhere, or repeat what other records say.
            _ => None,
        }
    }

    /// A pod is Ready or not, where that is not just what its node's state has it be: those that are marked for it, and are Ready
    /// again with it, are told by the node.
    fn ready(&mut self, r: &Record, status: ConditionStatus) -> Option<Fact> {
        let pod = r.pod().filter(|p| self.follow.template(*p).is_some_and(|t| t.has_lives()))?;
        let (marks, is_ready) = (r.actor == Actor::NodeLifecycle, status == ConditionStatus::True);
        let was_marked = self.marked.remove(&pod);
        if marks {
            self.marked.insert(pod);
        }
        (!(marks || was_marked && is_ready)).then_some(Fact::PodReady(is_ready))
    }

    /// A condition other than Ready that became True, or False again.
    fn condition(
        &mut self,
        r: &Record,
        kind: NodeConditionType,
        status: ConditionStatus,
    ) -> Option<Fact> {
        let bits = self.true_conditions.get_mut(r.object as usize)?;
        let bit = 1 << kind as u8;
        let (was, is) = (*bits & bit != 0, status == ConditionStatus::True);
        if status == ConditionStatus::Unknown || was == is {
            return None;
        }
        *bits ^= bit;
        Some(if is { Fact::ConditionTrue(kind) } else { Fact::ConditionFalse(kind) })
    }

    /// A pod waits for a volume, or the scheduler reports another reason for which it is pending.
    fn waits(&mut self, r: &Record) -> Option<Fact> {
        if let Some(Err(_)) = self.analysis.trace.attached(r) {
            let failed = self.analysis.trace.failed_attach(r);
            return Some(if failed { Fact::AttachFailed } else { Fact::VolumeRefused });
        }
        if self.analysis.trace.said_of_pod(r) == Some(EventText::RefusedUnderPressure) {
            return Some(Fact::NotAdmitted);
        }
        let (pod, (why, count)) = (r.pod()?, self.analysis.trace.failed_scheduling(r)?);
        // Each try reports it again, and a series goes on under the words with which it began.
        let news = count <= 1 && self.why.insert(pod, why) != Some(why);
        news.then(|| Fact::PodPending(self.owners.of(self.analysis, pod), why))
    }
}

fn taint_id(all: &mut Vec<Taint>, taint: &Taint) -> u32 {
    // There are a handful of different taints in a run, so that a search through all of them is the
    // fastest.
    let same = |k: &Taint| k.effect == taint.effect && k.key == taint.key && k.value == taint.value;
    let known = all.iter().position(same).unwrap_or(all.len());
    if known == all.len() {
        all.push(taint.clone());
    }
    known as u32
}
