//! Pods that a kubelet does not admit.
//!
//! `pkg/kubelet/kubelet.go` (`HandlePodAdditions`, `rejectPod`), `lifecycle/predicate.go`,
//! `pod_workers.go` (`CouldHaveRunningContainers`, `SyncKnownPods`), `kubelet_pods.go`
//! (`HandlePodCleanups`) and `status/status_manager.go` (`syncPod`, `mergePodStatus`), v1.34. A
//! kubelet that starts admits all of its pods anew, those that run and those that are to end as well;
//! in no release up to 1.37 does it matter that they were admitted before. What becomes of one that
//! is refused though it runs is [`RefusedAtStart`]. A status is read before it is written, so that
//! what somebody else writes in the same instant comes first.
//!
//! Left out are the reasons that need another pod or another machine: resources, host ports, the
//! operating system.

use super::containers::Containers;
use super::eviction::Pressure;
use super::pods::Refused;
use super::status_manager::{HOUSEKEEPING, StatusManager};
use crate::api::toleration::matching_tolerations;
use crate::controllers::kubelet::prelude::*;
use crate::plan::switches::kubelet::RefusedAtStart;

/// How many seconds are asked for, for containers of which no pod worker knows (`HandlePodCleanups`).
pub(super) const ORPHANS_GRACE: i64 = 1;

/// How many times in a thousand the event of a pod that is refused comes behind the others of its instant, where goroutines
/// take drawn turns. Of those some come behind it even so, and its eviction's event is before it in a third of the runs, as
/// in 64 of 196 recorded ones of fourteen releases (`kubelets-no-execute-admission`).
const TOLD_LAST: u32 = 300;

/// The pods that kubelets take in, and those that they turn away.
pub(super) struct Refusals {
    nodes: Rc<Nodes>,
    pods: Rc<Pods>,
    pub(super) containers: Rc<Containers>,
    pub(super) status: Rc<StatusManager>,
    pressure: Rc<Pressure>,
    /// How long it takes to read what is then written.
    reads: Dur,
}

impl Refusals {
    /// None yet.
    pub(super) fn new(
        (nodes, pods): Base,
        containers: &Rc<Containers>,
        (status, pressure): (&Rc<StatusManager>, &Rc<Pressure>),
        reads: Dur,
    ) -> Self {
        let containers = containers.clone();
        let (status, pressure) = (status.clone(), pressure.clone());
        Self { nodes, pods, containers, status, pressure, reads }
    }

    /// Has a kubelet that starts admit all of its pods anew.
    pub(super) fn admits_anew(&self, node: NodeId, asks: Time) {
        self.nodes.with(node, |k| k.began = Some(asks));
        for uid in self.pods.of_node(node) {
            let ended = self.pods.due(uid).filter(|d| d.refused.is_some_and(|r| r.at_start));
            let stays = |p: &Pod| p.uid == uid && !p.is_terminating();
            if let Some(due) = ended.filter(|d| d.stop != Time::MAX)
                && self.nodes.api.pod(due.pod).is_some_and(|p| stays(&p))
            {
                // What ran of it has been ended, or is in these seconds, and is started anew unless
                // the pod has failed.
                if due.up {
                    self.containers.stopped(uid, &due);
                }
                self.pods.with_due(uid, |d| {
                    (d.stop, d.stop_known, d.forgotten) = (Time::MAX, false, true);
                });
            }
            self.pods.with_due(uid, |d| (d.admission, d.refused) = (Admission::Open, None));
        }
    }

    /// Takes a pod in, or turns it away, when its kubelet hears of it.
    pub(super) fn admit(&self, uid: Uid, pod: &Pod, heard: Time) {
        let Some(due) = self.pods.due(uid) else { return };
        // Up to 1.21 a pod that is to end and has no containers counts as one that has ended.
        let over = pod.phase.is_terminal()
            || pod.is_terminating()
                && pod.phase == PodPhase::Pending
                && self.nodes.switches.refused_at_start == RefusedAtStart::FailsAtOnce;
        match self.refuses(pod, due.node).filter(|_| !over) {
            None => self.pods.with_due(uid, |d| d.admission = Admission::Admitted),
            Some(why) => {
                self.pods.with_due(uid, |d| d.admission = Admission::Refused);
                self.refuse(pod, &due, heard, why);
            }
        }
    }

    /// Why a kubelet does not admit a pod: its node is short of something, node selector or node affinity, a NoExecute
    /// taint of its node that it does not tolerate (S9), seconds being ignored, or that its machine goes off
    /// (`nodeshutdown`). Static pods are left out. The recorder's kubelets know the first alone.
    pub(super) fn refuses(&self, pod: &Pod, node: NodeId) -> Option<EventBody> {
        if pod.template.source != PodSource::Api {
            return None;
        }
        let short = self.pressure.with(node, |r| r.refuses(&pod.template));
        if let Some(message) = short.flatten() {
            let message = self.nodes.api.names(|n| n.text(&message));
            return Some(EventBody::of_words(EventText::RefusedUnderPressure, message));
        }
        match self.nodes.mode {
            KubeletMode::Imitated(_) => None,
            KubeletMode::Real(_) => self.does_not_fit(pod, node).map(EventBody::from),
        }
    }

    /// Why a pod may not run on a node (`lifecycle/predicate.go`).
    fn does_not_fit(&self, pod: &Pod, node: NodeId) -> Option<EventText> {
        let node = self.nodes.api.node(node)?;
        let says_why = self.nodes.switches.rejection_says_why;
        let fits =
            self.nodes.api.names(|n| pod.template.admits_node(n.node_name(node.id), &node.labels));
        let says = |why, only| Some(if says_why { why } else { only });
        if !fits {
            return says(EventText::NodeAffinity, EventText::NodeAffinityFailed);
        }
        let taints: Vec<Taint> =
            node.taints.iter().filter(|t| t.effect == Effect::NoExecute).cloned().collect();
        let untolerated = self.nodes.switches.no_execute_admission
            && matching_tolerations(&taints, &pod.template.tolerations, false).is_none();
        if untolerated {
            return says(EventText::TaintToleration, EventText::TaintTolerationFailed);
        }
        let says_node = self.nodes.switches.shutdown_says_node;
        let why = if says_node { EventText::NodeShutdown } else { EventText::Shutdown };
        self.nodes.is(node.id, |k| k.shutting_down).then_some(why)
    }

    /// Says that a pod is refused, and plans what is to come of that.
    fn refuse(&self, pod: &Pod, due: &Due, heard: Time, why: EventBody) {
        let about = About::Pod(pod.id, Some(pod.uid));
        self.say_refused(due.node, about.name(self.nodes.now()), why);
        let tell = heard + self.reads;
        let refused = match self.nodes.with(due.node, |k| k.began).flatten() {
            Some(began) => {
                let settled = next_of(began, HOUSEKEEPING, heard);
                self.refused_at_start(pod, due, tell, settled)
            }
            None => Refused { tell, fails: tell, removal: None, at_start: false },
        };
        self.pods.with_due(pod.uid, |d| d.refused = Some(refused));
        let fails = Some(refused.fails).filter(|at| *at != tell);
        for at in [Some(tell), fails, refused.removal].into_iter().flatten() {
            self.pods.work_at(pod.uid, at);
        }
    }

    /// Writes the event of a pod that is refused: at once, unless what others do in this instant is drawn to come first.
    fn say_refused(&self, node: NodeId, name: EventName, why: EventBody) {
        let (ctx, nodes) = (self.nodes.ctx.clone(), self.nodes.clone());
        let say = move || nodes.say(name, why);
        let point = ctx.point("kubelet-refusal-told");
        if !ctx.yields(point, self.nodes.object(node), TOLD_LAST) {
            return say();
        }
        let group = ctx.group();
        self.nodes.ctx.spawn(group, async move {
            ctx.after_others().await;
            say();
        });
    }

    /// What is to come of a pod that is refused by a kubelet which has just started, and which does
    /// its housekeeping for the first time at `settled`.
    fn refused_at_start(&self, pod: &Pod, due: &Due, tell: Time, settled: Time) -> Refused {
        let how = self.nodes.switches.refused_at_start;
        let grace = match how {
            _ if !due.up || due.stop_known => None,
            RefusedAtStart::FailsAtOnce => Some(self.containers.stop_of(pod, due, None)),
            RefusedAtStart::RunsOn => None,
            RefusedAtStart::Ends => Some(self.containers.stop_of(pod, due, Some(ORPHANS_GRACE))),
        };
        let stop = match grace {
            Some(grace) => settled + grace,
            None if due.stop_known => due.stop,
            None => Time::MAX,
        };
        self.pods.with_due(pod.uid, |d| {
            (d.stop, d.removal) = (stop, None);
            d.stop_known |= grace.is_some();
        });
        if grace.is_some() {
            self.pods.work_at(pod.uid, stop);
        }
        let ended = if due.up { stop } else { Time::ZERO };
        let fails = match how {
            RefusedAtStart::FailsAtOnce => tell,
            RefusedAtStart::RunsOn => self.status.sync_after(due.node, settled),
            RefusedAtStart::Ends => self.status.sync_after(due.node, settled.max(ended)),
        };
        let removal = match how {
            _ if !pod.is_terminating() || ended == Time::MAX => None,
            RefusedAtStart::FailsAtOnce if !due.up => Some(tell),
            RefusedAtStart::FailsAtOnce | RefusedAtStart::RunsOn => {
                Some(self.status.sync_after(due.node, settled.max(ended)))
            }
            RefusedAtStart::Ends => Some(next_of(settled, HOUSEKEEPING, fails)),
        };
        Refused { tell, fails, removal, at_start: true }
    }

    /// Tells that a pod was refused, if that is due.
    pub(super) fn tell(&self, pod: &Pod, refused: Refused) {
        let now = self.nodes.now();
        let fails = now >= refused.fails;
        if now >= refused.tell && !pod.phase.is_terminal() && (fails || pod.ready.is_some()) {
            self.nodes.api.reject_pod((pod.id, pod.uid), fails);
        }
    }

    /// Does what is due for a pod that was refused.
    pub(super) fn work(&self, pod: &Pod, due: &Due, refused: Refused) {
        let now = self.nodes.now();
        self.tell(pod, refused);
        if now < refused.tell || !pod.is_terminating() {
            return;
        }
        // The same sync removes what is to end and holds nothing.
        let at_once =
            !refused.at_start && !due.up && !self.nodes.switches.terminal_phase_before_removal;
        if at_once || refused.removal.is_some_and(|at| now >= at) {
            self.pods.remove(pod.id, pod.uid);
        } else if !refused.at_start && now >= due.stop {
            self.status.end_pod(pod, due);
        }
    }

    /// A pod that was refused is to end: a pod worker ends it as others.
    pub(super) fn ends(&self, uid: Uid) {
        let now = self.nodes.now();
        self.pods.with_due(uid, |d| {
            if d.refused.take_if(|r| r.at_start).is_some() {
                (d.admission, d.forgotten) = (Admission::Admitted, true);
                if d.stop <= now {
                    (d.stop, d.stop_known) = (Time::MAX, false);
                }
            }
        });
    }
}

/// The first tick after a time, of those that come a period apart from `first` on, without the first.
fn next_of(first: Time, period: Dur, after: Time) -> Time {
    let periods = after.since(first).as_nanos() / period.as_nanos().max(1) + 1;
    first + period * periods
}
