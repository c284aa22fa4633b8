//! Containers that end by themselves or are killed because a probe fails, and when they are started again
//! (`pkg/kubelet/kuberuntime/kuberuntime_manager.go`: `computePodActions`, `doBackOff`; `pod_workers.go`: `completeWork`),
//! v1.37, older releases by [`LifeSwitches`](crate::plan::switches::kubelet::LifeSwitches).
//!
//! A container that is started again runs at once, as its sandbox is there; its image first, where it is always pulled.

use super::containers::Containers;
use super::lives::Lives;
use super::prober::{Event, KILLED};
use super::status_manager::{HOUSEKEEPING, StatusManager};
use crate::api::probe::ProbeType;
use crate::controllers::kubelet::prelude::*;

/// After so long a container's back-off begins anew (`crashLoopBackOff.HasExpiredFunc`; before 1.32 twice the longest, which
/// is always 300 s there).
const EXPIRES: Dur = Dur::from_secs(600);
/// `backOffPeriod`: until a pod whose sync failed is synced again.
const BACK_OFF_PERIOD: Dur = Dur::from_secs(10);
/// `resyncInterval`, `SyncFrequency`: the longest wait for a back-off's end.
const RESYNC_INTERVAL: Dur = Dur::from_secs(60);

/// Has containers end and start again.
pub(super) struct Restarts {
    nodes: Rc<Nodes>,
    pods: Rc<Pods>,
    lives: Rc<Lives>,
    containers: Rc<Containers>,
    status: Rc<StatusManager>,
}

impl Restarts {
    /// Nothing has ended yet.
    pub(super) fn new(
        (nodes, pods): Base,
        containers: &Rc<Containers>,
        status: &Rc<StatusManager>,
    ) -> Self {
        let (containers, status) = (containers.clone(), status.clone());
        let lives = containers.lives.clone();
        Self { nodes, pods, lives, containers, status }
    }

    /// How long a back-off is on a node, first and at most: one that is set goes before the release's (`newCrashLoopBackOff`).
    fn backoff(&self, node: NodeId) -> (Dur, Dur) {
        let (first, most) = self.nodes.switches.life.crash_loop_backoff;
        let most = self.nodes.config(node).settings.max_container_restart_period.unwrap_or(most);
        (first.min(most), most)
    }

    /// Does what has come about in the life of a pod's container; nothing any more once it is to end.
    pub(super) fn work(&self, uid: Uid) {
        let now = self.nodes.now();
        self.is_back(uid);
        while let Some((_, event)) =
            self.lives.with(uid, |c| c.next()).flatten().filter(|(at, _)| *at <= now)
        {
            let Some(due) = self.pods.due(uid).filter(|d| {
                d.stop == Time::MAX && d.evicted.is_none() && d.orphaned.is_none() && !d.missing
            }) else {
                return;
            };
            match event {
                Event::Serves(serves) => {
                    self.lives.with(uid, |c| c.serving = serves.then_some(true));
                    self.lives.note(due.pod, Note::ContainerServes, serves.into());
                }
                Event::Ends => self.ends(uid, &due),
                Event::Killed => self.killed(uid, &due),
                Event::Noticed => self.sync(uid, &due),
                Event::Seen => _ = self.lives.with(uid, |c| c.see(now)),
                Event::Probed(which, ok) => self.probed(uid, &due, which, ok),
                Event::Fails(which) => _ = self.lives.with(uid, |c| c.fails(now, which)),
            }
            self.lives.say_failures(uid, &due);
        }
        self.lives.schedule(uid);
    }

    /// Where the recorder's kubelets were dead, their containers are watched again when they are back.
    fn is_back(&self, uid: Uid) {
        let unwatched = self.lives.with(uid, |c| !c.watched) == Some(true);
        let Some(node) = self.pods.due(uid).filter(|_| unwatched).map(|d| d.node) else { return };
        let now = self.nodes.now();
        if matches!(self.nodes.mode, KubeletMode::Imitated(_)) && self.nodes.runs(node) {
            self.lives.with(uid, |c| {
                c.follow(now);
                c.watched = true;
            });
        }
    }

    /// A container ends by itself, and its kubelet lists it as ended some time later.
    fn ends(&self, uid: Uid, due: &Due) {
        let until_relist = self.until_relist(due);
        let now = self.nodes.now();
        let code = self.lives.with(uid, |c| {
            c.end(now);
            c.noticed = Some(now + until_relist);
            c.life.ends.as_ref().map_or(0, |(_, code)| *code)
        });
        self.lives.note(due.pod, Note::ContainerEnded, code.unwrap_or(0).unsigned_abs());
        self.containers.ended(uid, due);
    }

    /// The result of a probe has changed: a container that fails is killed within its grace.
    fn probed(&self, uid: Uid, due: &Due, which: ProbeType, ok: bool) {
        let now = self.nodes.now();
        let fails = self.lives.with(uid, |c| {
            c.probed(now, which, ok).then(|| c.life.probe(which).and_then(|p| p.grace))
        });
        let Some(Some(own)) = fails else { return };
        self.lives.say_failures(uid, due);
        self.lives.note(due.pod, Note::ContainerUnhealthy, which as u32);
        let stops = self.nodes.api.pod(due.pod).map_or(Dur::ZERO, |pod| match own {
            Some(grace) => due.unhurried.min(grace),
            None => due.stop_of(&pod),
        });
        self.lives.say_killing(uid, due, which, self.restarts(due, KILLED));
        self.lives.with(uid, |c| c.killed = Some(now + stops));
    }

    /// A container was killed. The sync that had that done goes on with what it knew before: it starts the next one, unless
    /// the one before was too short ago.
    fn killed(&self, uid: Uid, due: &Due) {
        let now = self.nodes.now();
        let before = self.lives.with(uid, |c| {
            let before = c.exited;
            c.end(now);
            (before, c.watched)
        });
        self.containers.ended(uid, due);
        let Some((before, true)) = before else { return };
        let restarts = self.restarts(due, KILLED);
        if restarts && before.is_none_or(|exited| self.may_start(uid, due.node, exited)) {
            return self.start(uid);
        }
        if restarts {
            self.lives.say_back_off(uid, due);
        }
        let until_relist = self.until_relist(due);
        self.lives.with(uid, |c| c.noticed = Some(now + until_relist));
    }

    /// Until a kubelet lists containers; the recorder's notice at once.
    fn until_relist(&self, due: &Due) -> Dur {
        self.nodes.real().map_or(Dur::ZERO, |_| self.status.until_relist(due.node))
    }

    /// A sync of a pod whose container has ended.
    fn sync(&self, uid: Uid, due: &Due) {
        let now = self.nodes.now();
        let ended = self.lives.with(uid, |c| {
            (c.ready, c.noticed) = (false, None);
            c.finished = c.exit_code().filter(|code| !self.restarts(due, *code));
            (c.exited.unwrap_or(now), c.finished.is_some())
        });
        match ended {
            Some((_, true)) => self.containers.volumes.remove_pod(due.node, uid),
            Some((exited, false)) if self.may_start(uid, due.node, exited) => self.start(uid),
            Some((exited, false)) => self.backs_off(uid, due, exited),
            None => {}
        }
    }

    /// Whether a pod's container that exited like that is started again.
    fn restarts(&self, due: &Due, exit_code: i32) -> bool {
        let pod = self.nodes.api.pod(due.pod);
        pod.is_some_and(|p| p.template.restart_policy.restarts(exit_code))
    }

    /// `doBackOff`: whether a container may be started whose predecessor ended then.
    fn may_start(&self, uid: Uid, node: NodeId, exited: Time) -> bool {
        let now = self.nodes.now();
        let (initial, most) = self.backoff(node);
        let is_kept = |since: Time| {
            exited.since(since) <= EXPIRES
                && (now.since(since) <= EXPIRES || now < self.forgotten_at(node, since))
        };
        let entry = self.lives.with(uid, |c| c.backoff).flatten().filter(|(_, at)| is_kept(*at));
        if entry.is_some_and(|(backoff, _)| now.since(exited) < backoff) {
            return false;
        }
        let next = entry.map_or(initial, |(backoff, _)| (backoff * 2).min(most));
        self.lives.with(uid, |c| c.backoff = Some((next, now))).is_some()
    }

    /// When a back-off that was begun then is forgotten, whatever its container does: by the first housekeeping for which it has
    /// expired (`HandlePodCleanups`, `Backoff.GC`); by the recorder's kubelets at once.
    fn forgotten_at(&self, node: NodeId, since: Time) -> Time {
        let expired = since + EXPIRES + Dur::from_nanos(1);
        self.nodes.real().map_or(expired, |_| self.status.tick_after(node, expired, HOUSEKEEPING))
    }

    /// CrashLoopBackOff: the pod is synced again when the back-off is over, or, up to 1.34, some ten seconds later.
    fn backs_off(&self, uid: Uid, due: &Due, exited: Time) {
        let now = self.nodes.now();
        let Some((backoff, since)) = self.lives.with(uid, |c| c.backoff).flatten() else { return };
        let left = (exited + backoff).since(now);
        let waits = if self.nodes.switches.life.waits_for_backoff {
            left.min(RESYNC_INTERVAL)
        } else {
            BACK_OFF_PERIOD
        };
        let waits = match self.nodes.mode {
            KubeletMode::Imitated(_) => left.min(self.forgotten_at(due.node, since).since(now)),
            KubeletMode::Real(_) => {
                self.status.until_resync(due, waits, self.nodes.ctx.point("back-off-jitter"))
            }
        };
        if self.lives.with(uid, |c| std::mem::replace(&mut c.backs_off, true)) == Some(false) {
            let seconds = (backoff.as_nanos() / 1_000_000_000) as u32;
            self.lives.note(due.pod, Note::BackOff, seconds);
        }
        self.lives.say_back_off(uid, due);
        self.lives.with(uid, |c| c.noticed = Some(now + waits));
    }

    fn start(&self, uid: Uid) {
        let now = self.nodes.now();
        let Some(due) = self.pods.due(uid) else { return };
        let pod = self.pods.object(uid, &due);
        let pulls = pod.is_some_and(|p| p.template.image.as_ref().is_some_and(|i| i.always));
        self.pods.with_due(uid, |d| (d.start, d.unpulled) = (now, pulls));
        if pulls {
            self.lives.with(uid, |c| c.noticed = None);
            return self.containers.images.work(uid);
        }
        if let Some(due) = self.pods.due(uid) {
            self.containers.run(uid, &due, false);
        }
    }
}
