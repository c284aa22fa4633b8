//! The course that a run takes, by the names of objects: what a forecast puts together over seeds,
//! and what a recorded outage is held against.

use super::attachments::FollowVolumes;
use super::explain::gated;
use super::kept::Kept;
use super::prelude::*;
use super::words::{awaited, rejections};

rows! {
    /// What happens to a node or a pod.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub(crate) enum Happening {
        /// Its Ready condition becomes Unknown.
        NodeUnknown = ("node-unknown", "Unknown", None),
        /// It gets a NoExecute taint.
        NodeNoExecute = ("node-noexecute", "NoExecute taint", Some(Happening::NodeUnknown)),
        /// Its deletion begins.
        PodDeleted = ("pod-deleted", "deleted", Some(Happening::NodeNoExecute)),
        /// It is created.
        PodCreated = ("pod-created", "created", Some(Happening::PodDeleted)),
        /// It is bound to a node.
        PodBound = ("pod-bound", "bound", Some(Happening::PodCreated)),
        /// The volume of a claim is detached from a node.
        VolumeDetached = ("volume-detached", "detached", None),
        /// The volume of a claim is attached to a node.
        VolumeAttached = ("volume-attached", "attached", Some(Happening::VolumeDetached)),
        /// It has volumes that have to be attached, and is Ready for the first time.
        PodReady = ("pod-ready", "Ready", Some(Happening::PodBound)),
    }

    /// Its word in documents and for people, and what it comes of.
    fn row -> (&'static str, &'static str, Option<Happening>);
}

impl Happening {
    /// The word of documents.
    pub(crate) fn as_str(self) -> &'static str {
        self.row().0
    }

    /// The word of people; pods that go do so in ways of their own.
    pub(crate) fn in_words(self) -> &'static str {
        self.row().1
    }

    /// What it comes of, if one of these is before it.
    pub(crate) fn cause(self) -> Option<Self> {
        self.row().2
    }

    /// It happens to a pod.
    pub(crate) fn is_of_pod(self) -> bool {
        use Happening as H;
        matches!(self, H::PodDeleted | H::PodCreated | H::PodBound | H::PodReady)
    }
}

rows! {
    /// How a pod goes.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub(crate) enum Goes {
        /// For its node, by a taint say, or by the eviction API.
        Evicted = "evicted",
        /// By the scheduler, for one of a higher priority.
        Preempted = "preempted",
        /// By its workload's controller, as that is scaled down or rolled out anew, or by whoever else.
        Deleted = "deleted",
    }

    /// Its word in documents and sentences.
    pub(crate) fn as_str -> &'static str;
}

/// How a zone came into a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Way {
    /// From a better one, or none.
    There,
    /// From a worse one.
    Back,
}

/// What a run comes to, by names. Of what happens to an object more than once the first time
/// counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Course {
    /// What happens to nodes, to pods as `namespace/name`, and to claims likewise, and when.
    pub(crate) happenings: BTreeMap<(Happening, String), Time>,
    /// When zones come into states, on the way there or on the way back; those in which they are at the start are at zero.
    pub(crate) zones: BTreeMap<(String, ZoneState, Way), Time>,
    /// When all zones are fully disrupted, and when no longer.
    pub(crate) master_disruption: [Option<Time>; 2],
    /// The pods whose deletion has begun, at the end, on nodes that do not answer, and these nodes.
    pub(crate) stuck: BTreeMap<String, String>,
    /// The workloads of these whose pods have no successor before they are gone.
    pub(crate) waits: BTreeSet<String>,
    /// The Jobs of these that fail once such a pod has failed.
    pub(crate) frail: BTreeSet<String>,
    /// The volumes of these pods, where they are known.
    pub(crate) kept: BTreeMap<String, BTreeSet<Kept>>,
    /// Jobs that fail, `Job shop/sum`, and why.
    pub(crate) failed: BTreeMap<String, String>,
    /// Jobs that have ended, and the condition that waits for their Terminating pods at the end.
    pub(crate) unfinished: BTreeMap<String, String>,
    /// The pods that are Pending at the end, and why the scheduler found no node for them, or why a
    /// volume cannot be attached to theirs.
    pub(crate) pending: BTreeMap<String, String>,
    /// The pods with an eviction timer that runs at the end, and when it is over.
    pub(crate) due: BTreeMap<String, Time>,
    /// The pods with an eviction timer from before the run of which nobody knows when it is over, so that it is drawn:
    /// why, and in how many seconds at the latest.
    pub(crate) drawn: BTreeMap<(Note, String), u32>,
    /// The volumes, by claim, that stay at the end on a node where somebody waits for them, and why.
    pub(crate) held: BTreeMap<String, String>,
    /// What the timeline asks for in vain, where a run is asked ([`refusals`]).
    ///
    /// [`refusals`]: crate::analysis::drains::refusals
    pub(crate) refused: BTreeMap<String, String>,
    /// The nodes of `happenings`: that a pod was on when it was deleted, or came to first; that a volume was detached
    /// from first, or attached to last.
    pub(crate) on: BTreeMap<(Happening, String), String>,
    /// How the pods of `happenings` go that are deleted; those of whom it does not say it are evicted.
    pub(crate) goes: BTreeMap<String, Goes>,
    /// The zones of nodes of `happenings`.
    pub(crate) zones_of: BTreeMap<String, String>,
    /// The workloads of pods of `happenings`, `stuck` and `pending`: `Deployment shop/web`.
    pub(crate) workloads: BTreeMap<String, String>,
    /// Of nodes of `happenings` that are given up: when they can be at the earliest, one grace period after they were heard
    /// of before the start.
    pub(crate) least: BTreeMap<String, Time>,
    /// When somebody does something or something fails, in order.
    pub(crate) acts: Vec<Time>,
    /// When the run ends.
    pub(crate) end: Time,
}

impl Course {
    /// The node of a happening; of a pod that is created the one that it is bound to.
    pub(crate) fn node(&self, what: Happening, object: &str) -> Option<&String> {
        let what = if what == Happening::PodCreated { Happening::PodBound } else { what };
        self.on.get(&(what, object.to_owned()))
    }

    /// How the pod of a happening goes, if it does.
    pub(crate) fn goes(&self, (what, pod): &(Happening, String)) -> Option<Goes> {
        let goes = || self.goes.get(pod).copied().unwrap_or(Goes::Evicted);
        (*what == Happening::PodDeleted).then(goes)
    }

    /// The course of a finished run.
    pub(crate) fn of(analysis: &Analysis<'_>) -> Self {
        let (follow, owners) = (Follow::new(analysis), Owners::new(analysis));
        let acts = analysis.plan.actions.iter().map(|a| a.at).collect();
        let course = Course { acts, end: analysis.horizon(), ..Course::default() };
        let volumes = FollowVolumes::new(analysis);
        let (started, why, unplaced) = (BTreeSet::new(), BTreeMap::new(), BTreeMap::new());
        let zones = BTreeMap::new();
        let mut reader =
            Reader { analysis, follow, owners, volumes, zones, started, why, unplaced, course };
        while let Some((id, record, step)) = reader.follow.step() {
            reader.take(record, &step);
            reader.volume(id, record);
        }
        reader.at_the_end();
        reader.course
    }
}

struct Reader<'a> {
    analysis: &'a Analysis<'a>,
    follow: Follow<'a>,
    owners: Owners,
    volumes: FollowVolumes<'a>,
    /// The states of zones.
    zones: BTreeMap<String, ZoneState>,
    /// Pods with volumes that are or were Ready.
    started: BTreeSet<PodId>,
    /// By pod: what the scheduler, or the attach/detach controller, last said of it.
    why: BTreeMap<PodId, TextId>,
    /// By pod: the record of its last try. What it found before the start, it tells nobody again.
    unplaced: BTreeMap<PodId, Record>,
    course: Course,
}

impl Reader<'_> {
    fn take(&mut self, r: &Record, step: &Step) {
        match r.what {
            What::Zone(state) => {
                let zone = zone_name(self.analysis.trace.names.text_of(TextId(r.object)));
                let before = self.zones.insert(zone.clone(), state);
                let way = if before.is_some_and(|b| b > state) { Way::Back } else { Way::There };
                self.course.zones.entry((zone, state, way)).or_insert(r.at);
            }
            What::MasterDisruptionEntered | What::MasterDisruptionLeft => {
                let left = usize::from(r.what == What::MasterDisruptionLeft);
                self.course.master_disruption[left].get_or_insert(r.at);
            }
            What::PodMessage(_) => self.message(r),
            What::Noted(why @ (Note::TimerUndated | Note::TimerOverdue), most) => {
                let pod = r.pod().map(|pod| self.analysis.pod_name(pod).to_owned());
                self.course.drawn.extend(pod.map(|pod| ((why, pod), most)));
            }
            What::Noted(note @ (Note::JobComplete | Note::JobFailed), why) => {
                let job = self.analysis.workload_in_words(WorkloadId(r.object));
                let awaited = awaited(self.analysis, r, self.course.end);
                let awaited = awaited.map(|condition| (job.clone(), condition.to_owned()));
                self.course.unfinished.extend(awaited);
                if note == Note::JobFailed {
                    let (reason, _) = self.analysis.trace.job_end(TextId(why));
                    self.course.failed.insert(job, reason.to_owned());
                }
            }
            What::PodUnplaced(_) => self.unplaced.extend(r.pod().map(|pod| (pod, *r))),
            _ => {}
        }
        if let Some((node, before, after)) = step.node {
            self.node(r, node, [before.no_execute, after.no_execute]);
        }
        if let Some((pod, before, after)) = step.pod {
            if step.deletion_begins().is_some() {
                let goes = match (step.eviction(r), step.preemption(r)) {
                    (Some(_), _) => Goes::Evicted,
                    (None, Some(_)) => Goes::Preempted,
                    (None, None) => Goes::Deleted,
                };
                if self.pod(r, pod, Happening::PodDeleted, before.node_id()) {
                    self.course.goes.insert(self.analysis.pod_name(pod).to_owned(), goes);
                }
            }
            if before.node_id() != after.node_id() {
                self.why.remove(&pod);
            }
            if !before.exists && after.exists {
                self.started.remove(&pod);
                self.pod(r, pod, Happening::PodCreated, None);
            }
            if before.exists && before.node_id().is_none() && after.node_id().is_some() {
                self.pod(r, pod, Happening::PodBound, after.node_id());
            }
            let has_volumes = !self.volumes.claims(pod).is_empty();
            // One that was Ready before does not come to be so.
            let is_first = has_volumes && (before.ready || after.ready) && self.started.insert(pod);
            if is_first && !before.ready {
                self.pod(r, pod, Happening::PodReady, after.node_id());
            }
        }
    }

    /// Notes what becomes of volumes.
    fn volume(&mut self, id: RecordId, r: &Record) {
        let Some(claim) = self.volumes.take(id, r) else { return };
        let what = match r.what {
            What::Noted(Note::AttachmentAttached, _) => Happening::VolumeAttached,
            What::Noted(Note::AttachmentGone, _) => Happening::VolumeDetached,
            _ => return,
        };
        let Some(node) = r.node().filter(|_| r.at > Time::ZERO) else { return };
        let (claim, node) = (claim.to_owned(), self.analysis.node_name(node).to_owned());
        let happening = (what, claim);
        match what {
            Happening::VolumeAttached => drop(self.course.on.insert(happening.clone(), node)),
            _ => drop(self.course.on.entry(happening.clone()).or_insert(node)),
        }
        self.course.happenings.entry(happening).or_insert(r.at);
    }

    fn message(&mut self, r: &Record) {
        let trace = self.analysis.trace;
        let unplaced = || Some(trace.failed_scheduling(r)?.0);
        let unattached = || trace.attached(r)?.err();
        if let (Some(pod), Some(why)) = (r.pod(), unplaced().or_else(unattached)) {
            self.why.insert(pod, why);
        }
    }

    fn node(&mut self, r: &Record, node: NodeId, no_execute: [u16; 2]) {
        let what = match r.what {
            What::NodeCondition(NodeConditionType::Ready, ConditionStatus::Unknown, _) => {
                Happening::NodeUnknown
            }
            What::NodeTaints(_) if no_execute[0] < no_execute[1] => Happening::NodeNoExecute,
            _ => return,
        };
        // What is there from the start did not happen.
        if r.at > Time::ZERO {
            let name = self.analysis.node_name(node).to_owned();
            let zone = || self.analysis.zone_name(node).to_owned();
            self.course.zones_of.entry(name.clone()).or_insert_with(zone);
            if what == Happening::NodeUnknown {
                let least = self.least(node);
                self.course.least.extend(least.map(|at| (name.clone(), at)));
            }
            self.course.happenings.entry((what, name)).or_insert(r.at);
        }
    }

    /// When a node can be given up at the earliest. One that is alive has renewed its lease within a quarter of its duration and
    /// 4 % (`component-helpers/apimachinery/lease: sync`), whether or not that is known.
    fn least(&self, node: NodeId) -> Option<Time> {
        let plan = self.analysis.plan;
        let (lease_renewed_us, cut) = match plan.nodes.get(node.index())?.start {
            NodeStart::Imported { lease_renewed_us, cut, .. } => (lease_renewed_us, cut),
            NodeStart::Ready => {
                let index = u32::try_from(node.index()).ok()?;
                (plan.memory.as_ref().and_then(|m| m.leases_us.get(&index).copied()), false)
            }
            NodeStart::Silent | NodeStart::Absent => return None,
        };
        let alive = match &plan.timing.kubelet {
            KubeletMode::Real(real) if plan.profile.kubelet.leases && !cut => {
                let quarter = real.node_lease_duration.as_nanos() / 4;
                i64::try_from(quarter + quarter / 25).ok().map(|ago| -ago)
            }
            _ => None,
        };
        let renewed = lease_renewed_us.map(|us| us.saturating_mul(1_000));
        let grace = i64::try_from(plan.flags.node_monitor_grace_period.as_nanos()).ok()?;
        let at = renewed.max(alive)?.checked_add(grace)?;
        u64::try_from(at).ok().map(Time::from_nanos)
    }

    /// Notes what happens to a pod, and says whether it is for the first time.
    fn pod(&mut self, r: &Record, pod: PodId, what: Happening, node: Option<NodeId>) -> bool {
        if r.at == Time::ZERO {
            return false;
        }
        let name = self.analysis.pod_name(pod).to_owned();
        if let Some(node) = node {
            let node = self.analysis.node_name(node).to_owned();
            self.course.on.entry((what, name.clone())).or_insert(node);
        }
        self.note_workload(pod, &name);
        let before = self.course.happenings.len();
        self.course.happenings.entry((what, name)).or_insert(r.at);
        self.course.happenings.len() > before
    }

    fn note_workload(&mut self, pod: PodId, name: &str) {
        if let Some(workload) = self.owners.of(self.analysis, pod) {
            let said = || self.analysis.workload_in_words(workload);
            self.course.workloads.entry(name.to_owned()).or_insert_with(said);
        }
    }

    /// Notes of the volumes of a pod those that it waits for, or keeps others waiting for on a node that does not answer.
    fn held(&mut self, id: PodId, pod: &PodState, node: NodeId) {
        let waits = |n: NodeId| match n == node {
            true => pod.deleting && !self.follow.node(n).is_back(),
            false => pod.phase == PodPhase::Pending && !pod.deleting,
        };
        for claim in self.volumes.claims(id) {
            let Some(volume) = self.volumes.volume(claim) else { continue };
            if let Some(a) = volume.all.iter().find(|a| a.is_attached && waits(a.node)) {
                let said = volume.stays(&self.follow, a.node, "");
                self.course.held.insert(claim.clone(), said);
            }
        }
    }

    fn at_the_end(&mut self) {
        let pods: Vec<_> = self.follow.pods().map(|(id, p)| (id, *p)).collect();
        for (id, pod) in pods.into_iter().filter(|(_, p)| p.exists) {
            let name = self.analysis.pod_name(id).to_owned();
            let node = pod.node_id();
            if let Some(node) = node {
                self.held(id, &pod, node);
            }
            let timer = self.follow.timer(&pod).and_then(|t| self.analysis.trace.get(t));
            if let Some((at, What::TimerSet(seconds))) = timer.map(|t| (t.at, t.what)) {
                self.course.due.insert(name.clone(), at + Dur::from_secs(seconds.into()));
            }
            let is_dead = |n: &NodeId| self.follow.node(*n).silent || self.follow.node(*n).off;
            let is_left = |n| self.follow.node(NodeId(n)).exists && !is_dead(&NodeId(n));
            if let Some(node) = node.filter(is_dead).filter(|_| pod.deleting) {
                let (plan, names) = (self.analysis.plan, &self.analysis.trace.names);
                let template = self.follow.template(id).filter(|t| !t.persistent_volumes);
                let kept = |t| (name.clone(), Kept::of(plan, &name, t, node.0, is_left));
                self.course.kept.extend(template.map(kept));
                self.note_workload(id, &name);
                let owner = self.owners.of(self.analysis, id);
                if let Some(owner) = owner.filter(|w| plan.successors_wait(names.workload_name(*w)))
                {
                    let said = self.analysis.workload_in_words(owner);
                    let is_frail = plan.fails_with_a_pod(names.workload_name(owner));
                    self.course.frail.extend(is_frail.then(|| said.clone()));
                    self.course.waits.insert(said);
                }
                let node = self.analysis.node_name(node).to_owned();
                self.course.stuck.insert(name, node);
            } else if pod.is_pending() {
                let said = self.why.get(&id).copied();
                // One that is about to start has nothing said of it.
                if node.is_some() && said.is_none() {
                    continue;
                }
                self.note_workload(id, &name);
                let said = said.map(|text| self.analysis.trace.names.text_of(text).to_owned());
                let found = |r: &Record| rejections(self.analysis, r);
                let gates = self.follow.template(id).map_or(&[][..], PodTemplate::gates);
                let why = said
                    .or_else(|| self.unplaced.get(&id).map(found))
                    .or_else(|| (!gates.is_empty()).then(|| gated(gates)));
                self.course.pending.insert(name, why.unwrap_or_default());
            }
        }
    }
}
