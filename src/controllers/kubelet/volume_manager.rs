//! The volumes that pods of a node want, and whether they are there (`pkg/kubelet/volumemanager`, v1.34).
//!
//! A pod's volumes are wanted from when it comes to its node until its containers have ended. The next
//! status report says that they are in use; from then on the kubelet looks at every turn of its loop whether
//! the attach/detach controller has had them attached (`GenerateVerifyControllerAttachedVolumeFunc`); up to
//! 1.22.6 and in 1.23.0 to .2 it looks before, too, and backs off after each look in vain. Once all are there the pod
//! starts, unless its sync has given up waiting (`WaitForAttachAndMount`) and the next is still to come. Mounting takes no time of its
//! own: it is part of a pod's start. What is not attached (local volumes, file shares) is there at once.

use crate::controllers::kubelet::prelude::*;

/// `reconcilerLoopSleepPeriod`
const RECONCILER_LOOP: Dur = Dur::from_millis(100);
/// The pauses after looks in vain (`exponentialbackoff`): the first, each twice as long as the one before, and
/// the longest.
const BACKOFF: (Dur, Dur) = (Dur::from_millis(500), Dur::from_secs(122));
/// `podAttachAndMountTimeout`: for so long the sync of a pod waits for its volumes before it fails.
const ATTACH_TIMEOUT: Dur = Dur::from_secs(123);
/// Until a pod whose sync failed is synced again (`backOffPeriod`), what comes on top at most (`workerBackOffPeriodJitterFactor`), and
/// how often a kubelet looks for what is due.
const RESYNC: (Dur, Dur, Dur) = (Dur::from_secs(10), Dur::from_secs(5), Dur::from_secs(1));

/// A volume that pods of a node want.
#[derive(Default)]
struct Wanted {
    pods: BTreeSet<Uid>,
    is_reported: bool,
    is_mounted: bool,
    /// When the kubelet next looks whether it is attached, where that is known.
    next_look: Option<Time>,
    /// Where looks back off: when the pause after the last one is over, and how long it was.
    backoff: Option<(Time, Dur)>,
}

/// The volumes of a kubelet.
#[derive(Default)]
struct Volumes {
    wanted: BTreeMap<VolumeId, Wanted>,
    /// Pods that have some, and are to end or are gone.
    leaving: BTreeSet<Uid>,
}

/// The volume managers of all kubelets.
pub(super) struct VolumeManager {
    nodes: Rc<Nodes>,
    pods: Rc<Pods>,
    looker: HandlerId<NodeId>,
    volumes: ByNode<Volumes>,
}

impl VolumeManager {
    /// Nothing is wanted yet.
    pub(super) fn new((nodes, pods): Base, looker: HandlerId<NodeId>) -> Self {
        Self { nodes, pods, looker, volumes: ByNode::default() }
    }

    /// A node has a kubelet from now on. What has not started of the pods that it has already waits for its volumes.
    pub(super) fn join(&self, node: NodeId) {
        self.volumes.join(node, Volumes::default());
        for uid in self.pods.of_node(node) {
            let due = self.pods.due(uid).filter(|d| !d.started);
            if let Some(pod) = due.and_then(|due| self.pods.object(uid, &due)) {
                let waits = self.add_pod(node, &pod, false);
                self.pods.with_due(uid, |d| d.waits = waits);
            }
        }
    }

    /// A pod is on a node, and `has` its volumes; whether it has to wait for them.
    pub(super) fn add_pod(&self, node: NodeId, pod: &Pod, has: bool) -> bool {
        if pod.template.claims.is_empty() || pod.phase.is_terminal() {
            return false;
        }
        let volumes = self.nodes.api.volumes_of(pod);
        let waits = self.volumes.with(node, |all| {
            for volume in volumes.iter().filter(|v| v.attach) {
                let wanted = all.wanted.entry(volume.id).or_default();
                wanted.pods.insert(pod.uid);
                wanted.is_mounted |= has;
            }
            volumes.iter().any(|v| v.attach && !all.wanted[&v.id].is_mounted)
        });
        let waits = waits == Some(true);
        if waits {
            self.nodes.view_changes(node);
        }
        self.wake(node);
        waits
    }

    /// A pod is to end, or is gone while its containers run.
    pub(super) fn leaves(&self, node: NodeId, pod: &Pod) {
        if !pod.template.claims.is_empty() {
            self.volumes.with(node, |all| all.leaving.insert(pod.uid));
        }
    }

    /// A pod's containers have ended: nothing of it is mounted any more.
    pub(super) fn remove_pod(&self, node: NodeId, uid: Uid) {
        let changed = self.volumes.with(node, |all| {
            all.leaving.remove(&uid);
            let ends = |_: &VolumeId, w: &mut Wanted| w.pods.remove(&uid) && w.pods.is_empty();
            all.wanted.extract_if(.., ends).count() > 0
        });
        if changed == Some(true) {
            self.nodes.view_changes(node);
        }
    }

    /// Whether the volumes of a kubelet may change without anything happening to its pods in the API.
    pub(super) fn is_restless(&self, node: NodeId) -> bool {
        self.volumes
            .with(node, |all| !all.leaving.is_empty() || all.wanted.values().any(|w| !w.is_mounted))
            == Some(true)
    }

    /// `GetVolumesInUse`: sorted; what the node's status is to say.
    pub(super) fn volumes_in_use(&self, node: NodeId) -> Vec<VolumeId> {
        self.volumes.with(node, |all| all.wanted.keys().copied().collect()).unwrap_or_default()
    }

    /// A status check was made: the API knows which volumes are in use (`MarkVolumesAsReportedInUse`).
    pub(super) fn reported(&self, node: NodeId) {
        self.volumes.with(node, |all| all.wanted.values_mut().for_each(|w| w.is_reported = true));
        self.wake(node);
    }

    /// A machine stops: nothing is mounted any more, and nobody remembers what was.
    pub(super) fn forget(&self, node: NodeId) {
        let uids = self.volumes.with(node, |all| {
            for w in all.wanted.values_mut() {
                *w = Wanted { pods: std::mem::take(&mut w.pods), ..Wanted::default() };
            }
            all.wanted.values().flat_map(|w| &w.pods).copied().collect::<BTreeSet<Uid>>()
        });
        for uid in uids.unwrap_or_default() {
            self.pods.with_due(uid, |d| d.waits |= !d.started);
        }
    }

    /// Has the next look made at whatever is not there and may be by now.
    pub(super) fn wake(&self, node: NodeId) {
        let (now, backs_off) = (self.nodes.now(), self.nodes.switches.verifies_unreported);
        let looks = self.volumes.with(node, |all| {
            let wanted = all.wanted.values_mut();
            let wanted = wanted.filter(|w| !w.is_mounted && w.next_look.is_none());
            let mut looks = BTreeSet::new();
            for w in wanted.filter(|w| w.is_reported || backs_off) {
                let next = turn_from(now, w.backoff.map(|(until, _)| until));
                w.next_look = Some(next);
                looks.insert(next);
            }
            looks
        });
        for at in looks.unwrap_or_default() {
            self.nodes.ctx.post_at(at, Class::Source, self.looker, node);
        }
    }

    /// A turn of the loop at which some volume is looked for. Pods whose volumes are all there start. What
    /// is not there is looked for again once the node's status changes.
    pub(super) fn look(&self, node: NodeId) {
        let now = self.nodes.now();
        let through = self.nodes.is_heard(node);
        let status = self.nodes.api.node(node).and_then(|n| n.volumes.clone()).unwrap_or_default();
        let backs_off = self.nodes.switches.verifies_unreported;
        let found = self.volumes.with(node, |all| {
            for (volume, w) in all.wanted.iter_mut().filter(|(_, w)| w.next_look == Some(now)) {
                w.next_look = None;
                if !through {
                    continue;
                }
                if w.is_reported && status.attached.contains(volume) {
                    (w.is_mounted, w.backoff) = (true, None);
                } else if backs_off {
                    let (first, most) = BACKOFF;
                    let pause = w.backoff.map_or(first, |(_, last)| (last + last).min(most));
                    w.backoff = Some((now + pause + Dur::from_nanos(1), pause));
                }
            }
            let lacks =
                |uid: &Uid| all.wanted.values().any(|w| !w.is_mounted && w.pods.contains(uid));
            let uids: BTreeSet<Uid> = all.wanted.values().flat_map(|w| &w.pods).copied().collect();
            uids.into_iter().filter(|uid| !lacks(uid)).collect::<Vec<Uid>>()
        });
        if through && backs_off {
            self.wake(node);
        }
        for uid in found.unwrap_or_default() {
            self.starts(uid);
        }
    }

    /// When the sync of a pod that waited for its volumes finds that they are there: at once, or with the next one where the
    /// last has given up.
    fn syncs_at(&self, due: &Due) -> Time {
        let (now, ctx, object) = (self.nodes.now(), &self.nodes.ctx, self.pods.of_chance(due.pod));
        if self.nodes.real().is_none() {
            return now;
        }
        let up_to = |most: Dur| {
            let more = ctx.uniform(ctx.point("volumes-resync"), object, 0, most.as_nanos());
            Dur::from_nanos(more)
        };
        let starting = if due.unpulled { Dur::ZERO } else { due.starting };
        let since = due.start.saturating_sub(starting).min(now);
        // One that waited when the run began did so nobody knows since when.
        let before = if since == Time::ZERO { up_to(ATTACH_TIMEOUT) } else { Dur::ZERO };
        let (period, jitter, looks) = RESYNC;
        let (mut synced, mut ends) = (since, since + ATTACH_TIMEOUT.saturating_sub(before));
        while now >= ends {
            synced = ends + period + up_to(jitter) + up_to(looks);
            ends = synced + ATTACH_TIMEOUT;
        }
        now.max(synced)
    }

    /// A pod that waited for its volumes begins to start.
    fn starts(&self, uid: Uid) {
        let Some(due) = self.pods.due(uid).filter(|d| d.waits) else { return };
        if self.pods.object(uid, &due).is_none() {
            return;
        }
        let synced = self.syncs_at(&due);
        let pause = synced.since(self.nodes.now());
        if !pause.is_zero() {
            let note = What::Noted(Note::VolumesUnseen, pause.as_millis() as u32);
            self.nodes.api.record_pod(Actor::Kubelet, due.pod, note);
        }
        let start = due.start_from(synced);
        self.pods.with_due(uid, |d| (d.waits, d.start) = (false, start));
        self.pods.work_at(uid, start);
    }
}

/// The first turn of the loop from now on, and not before a pause is over. What the timeline does may come a hair
/// late.
fn turn_from(now: Time, pause: Option<Time>) -> Time {
    let (period, hair) = (RECONCILER_LOOP.as_nanos(), 1_000);
    let from = (now.as_nanos() / hair * hair).max(pause.map_or(0, Time::as_nanos));
    Time::from_nanos(from.div_ceil(period) * period).max(now)
}
