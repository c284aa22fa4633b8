//! Containers that end by themselves or are killed because a probe fails, and when they are started again
//! (`pkg/kubelet/kuberuntime/kuberuntime_manager.go`: `computePodActions`, `doBackOff`; `pod_workers.go`: `completeWork`),
//! v1.37, older releases by [`LifeSwitches`](crate::plan::switches::kubelet::LifeSwitches).
//!
//! A container that is started again runs at once, as its sandbox is there; its image first, where it is always pulled.
//!
//! Where a pod has several containers, a sync looks at all of them in their order, and starts those that are to, each once the one
//! before it has started or could not (`SyncPod`). What comes about meanwhile is looked at after that. Before init containers are
//! done, nothing but the next of them starts (`computeInitContainerActions`). Upstream there is one timer for the next sync of a
//! pod; here each container in a back-off has one.

use super::containers::Containers;
use super::lives::{Lives, RELIST};
use super::nodes::MINIMUM_GRACE_PERIOD;
use super::prober::{Container, Event, KILLED};
use super::status_manager::{BACK_OFF_PERIOD, HOUSEKEEPING, StatusManager};
use crate::api::container::Role;
use crate::api::probe::{ProbeType, RestartPolicy};
use crate::controllers::kubelet::prelude::*;

/// After so long a container's back-off begins anew (`crashLoopBackOff.HasExpiredFunc`; before 1.32 twice the longest, which
/// is always 300 s there).
const EXPIRES: Dur = Dur::from_secs(600);
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

    /// Does what has come about in the lives of a pod's containers; nothing any more once it is to end.
    pub(super) fn work(&self, uid: Uid) {
        let now = self.nodes.now();
        if self.nodes.real().is_none() {
            self.watch(uid);
        }
        loop {
            let next = self.lives.next(uid).filter(|(_, at, _)| *at <= now);
            let pass = self.pods.due(uid).and_then(|d| d.turns.pass);
            if next.is_none() && pass.is_none() {
                break;
            }
            let Some(due) = self.pods.due(uid).filter(|d| {
                d.stop == Time::MAX && d.evicted.is_none() && d.orphaned.is_none() && !d.missing
            }) else {
                return;
            };
            if let Some(from) = pass {
                self.pods.with_due(uid, |d| d.turns.pass = None);
                self.sync_from(uid, from);
            } else if let Some((place, _, event)) = next {
                self.comes_about((uid, place), &due, event);
                self.lives.say_failures(uid, &due);
                self.lives.tell_serves(uid);
            }
        }
        self.lives.schedule(uid);
    }

    /// Something comes about in the life of a container.
    fn comes_about(&self, which: (Uid, usize), due: &Due, event: Event) {
        let now = self.nodes.now();
        match event {
            Event::Serves(serves) => {
                self.lives.with(which, |c| c.serving = serves.then_some(true));
                if !due.turns.are_several() {
                    self.lives.note(due.pod, Note::ContainerServes, serves.into());
                }
            }
            Event::Ends => self.ends(which, due),
            Event::Kills(probe) => self.kills(which, due, probe),
            Event::Killed => self.killed(which, due),
            Event::Noticed => self.sync(which, due),
            Event::Synced => {}
            Event::Seen => {
                self.lives.with(which, |c| c.see(now));
                self.sidecar_starts(which, due);
            }
            Event::Probed(probe, ok) => {
                self.probed(which, due, probe, ok);
                self.sidecar_starts(which, due);
            }
            Event::Begins(probe) => _ = self.lives.with(which, |c| c.begin(probe)),
            Event::Fails(probe) => _ = self.lives.with(which, |c| c.fails(now, probe)),
        }
        match event {
            Event::Noticed | Event::Seen | Event::Synced => self.trigger(which, true),
            Event::Begins(_) | Event::Probed(..) => self.trigger(which, false),
            _ => {}
        }
    }

    /// A pod is synced: those of its containers that are not ready are probed out of turn, for which it may be synced once more.
    /// A kubelet syncs it for what it has `listed` now, or else once it has listed containers after the sync before
    /// (`podWorkerLoop`, `GetNewerThan`); the recorder's do not wait.
    fn trigger(&self, which: (Uid, usize), listed: bool) {
        let now = self.nodes.now();
        let sync = || {
            let mut again = false;
            self.lives.each(which.0, |c| again |= c.trigger(now));
            again
        };
        let Some(due) = self.nodes.real().and(self.pods.due(which.0)) else {
            while sync() {}
            return;
        };
        let mut next = Some(due.listed);
        if listed || now >= due.listed {
            let lists = now + if listed { RELIST } else { self.until_relist(&due) };
            self.pods.with_due(which.0, |d| d.listed = lists);
            next = sync().then_some(lists);
        }
        self.lives.with(which, |c| c.resync = next);
    }

    /// What waits for a sidecar starts, if that has started now.
    fn sidecar_starts(&self, which: (Uid, usize), due: &Due) {
        let started = |c: &mut Container| c.role == Role::Sidecar && c.has_started();
        if !due.turns.initialized && self.lives.with(which, started) == Some(true) {
            self.sync_pod(which.0);
        }
    }

    /// Where a kubelet of the recorder was dead, or a container runtime, containers are watched again when it is back.
    pub(super) fn watch(&self, uid: Uid) {
        let now = self.nodes.now();
        if self.pods.due(uid).is_some_and(|d| self.nodes.works(d.node)) {
            self.lives.each(uid, |c| {
                if !c.watched {
                    c.follow(now);
                    c.watched = true;
                }
            });
        }
    }

    /// A container ends by itself, and its kubelet lists it as ended some time later.
    fn ends(&self, which: (Uid, usize), due: &Due) {
        let until_relist = self.until_relist(due);
        let now = self.nodes.now();
        let code = self.lives.with(which, |c| {
            c.end(now);
            c.noticed = Some(now + until_relist);
            c.life.ends.as_ref().map_or(0, |(_, code)| *code)
        });
        self.note(which, due, Note::ContainerEnded, code.unwrap_or(0).unsigned_abs());
        self.containers.ended(which.0, due);
    }

    /// Notes something of a container, by its name where the pod has several.
    fn note(&self, which: (Uid, usize), due: &Due, note: Note, told: u32) {
        let name = due.turns.are_several().then(|| self.lives.name(which, due));
        let name = name.map(|name| self.nodes.api.names(|n| n.text(&name)));
        self.lives.note(due.pod, note, Note::of_one(told, name));
    }

    /// The result of a probe has changed: a container that fails is killed by the sync that this asks for.
    fn probed(&self, which: (Uid, usize), due: &Due, probe: ProbeType, ok: bool) {
        let now = self.nodes.now();
        if self.lives.with(which, |c| c.probed(now, probe, ok)) != Some(true) {
            return;
        }
        self.lives.say_failures(which.0, due);
        self.note(which, due, Note::ContainerUnhealthy, probe as u32);
        if now >= due.listed {
            return self.kills(which, due, probe);
        }
        self.lives.with(which, |c| c.unfit = Some((due.listed, probe)));
    }

    /// `killContainer`: a container is killed within its grace, for that probe has failed.
    fn kills(&self, which: (Uid, usize), due: &Due, probe: ProbeType) {
        let own = self.lives.with(which, |c| c.life.probe(probe)?.grace);
        let pod = self.nodes.api.pod(due.pod);
        let stops = pod.map_or(Dur::ZERO, |pod| killed_within(&pod, due, own.flatten()));
        self.lives.say_killing(which, due, probe, self.restarts(which, due, KILLED));
        let ends = self.nodes.now() + stops;
        self.lives.with(which, |c| (c.unfit, c.killed) = (None, Some(ends)));
    }

    /// A container was killed. The sync that had that done goes on with what it knew before: it starts the next one, unless
    /// the one before was too short ago.
    fn killed(&self, which: (Uid, usize), due: &Due) {
        let now = self.nodes.now();
        let before = self.lives.with(which, |c| {
            let before = c.exited;
            c.end(now);
            c.noticed = (!c.watched).then_some(now);
            (before, c.watched)
        });
        self.containers.ended(which.0, due);
        let Some((before, true)) = before else { return };
        let busy = due.turns.are_several() && due.is_synced();
        let restarts = !busy && self.restarts(which, due, KILLED);
        if restarts && before.is_none_or(|exited| self.may_start(which, due.node, exited)) {
            return self.start(which);
        }
        if restarts {
            self.lives.say_back_off(which, due);
        }
        let until_relist = self.until_relist(due);
        self.lives.with(which, |c| c.noticed = Some(now + until_relist));
    }

    /// Until a kubelet lists containers; the recorder's notice at once.
    fn until_relist(&self, due: &Due) -> Dur {
        self.nodes.real().map_or(Dur::ZERO, |_| self.status.until_relist(due.node))
    }

    /// A sync of a pod of which a container has ended.
    fn sync(&self, which: (Uid, usize), due: &Due) {
        let now = self.nodes.now();
        let code = self.lives.with(which, |c| c.exit_code()).flatten();
        let finished = code.filter(|code| !self.restarts(which, due, *code));
        let exited = self.lives.with(which, |c| {
            (c.ready, c.noticed, c.listed, c.finished) = (false, None, true, finished);
            c.exited.unwrap_or(now)
        });
        let Some(exited) = exited else { return };
        match finished {
            _ if due.turns.are_several() => self.sync_several(which.0, due),
            Some(_) => self.containers.volumes.remove_pod(due.node, which.0),
            None if self.may_start(which, due.node, exited) => self.start(which),
            None => self.backs_off(which, due, exited),
        }
    }

    /// A sync of a pod of several containers, of which one has ended: sidecars are ended once nothing else is to run.
    fn sync_several(&self, uid: Uid, due: &Due) {
        if self.lives.outcome(uid).is_none() {
            return self.sync_pod(uid);
        }
        if !self.lives.any_runs(uid) {
            self.pods.with_due(uid, |d| d.down = true);
            return self.containers.volumes.remove_pod(due.node, uid);
        }
        let stops =
            self.pods.object(uid, due).map_or(Dur::ZERO, |pod| killed_within(&pod, due, None));
        let ends = self.nodes.now() + stops;
        self.lives.each(uid, |c| {
            if c.runs && c.role == Role::Sidecar {
                c.killed.get_or_insert(ends);
            }
        });
    }

    /// A pod of several containers is synced, or will be once the sync that is under way is over.
    fn sync_pod(&self, uid: Uid) {
        if self.pods.due(uid).is_some_and(|d| d.is_synced()) {
            return self.pods.with_due(uid, |d| d.turns.again = true);
        }
        self.sync_from(uid, 0);
    }

    /// `computePodActions` and `SyncPod`, from the container at a place on: the first that is to start does.
    fn sync_from(&self, uid: Uid, from: usize) {
        let Some(due) = self.pods.due(uid) else { return };
        let mut initialized = due.turns.initialized;
        for place in from..=due.turns.others {
            initialized |= place >= due.turns.main;
            self.pods.with_due(uid, |d| d.turns.initialized = initialized);
            match self.look_at((uid, place), &due, initialized) {
                Step::Next => {}
                Step::Waits => break,
                Step::Starts => return self.start((uid, place)),
            }
        }
        if due.turns.again {
            self.pods.with_due(uid, |d| d.turns.again = false);
            self.sync_from(uid, 0);
        }
    }

    /// What a sync of its pod does about a container.
    fn look_at(&self, which: (Uid, usize), due: &Due, initialized: bool) -> Step {
        let seen = |c: &mut Container| {
            let done = match c.role {
                Role::Init => initialized || c.finished == Some(0),
                Role::Sidecar => c.runs && (initialized || c.has_started()),
                Role::Beside => c.runs || c.finished.is_some(),
            };
            let unlisted = c.exited.is_some() && !c.listed;
            let rests = c.runs || c.finished.is_some() || unlisted;
            (done, rests, c.exited)
        };
        let waits = if initialized { Step::Next } else { Step::Waits };
        match self.lives.with(which, seen) {
            None | Some((true, ..)) => Step::Next,
            Some((_, true, _)) => waits,
            Some((.., Some(exited))) if !self.may_start(which, due.node, exited) => {
                self.backs_off(which, due, exited);
                waits
            }
            Some(_) => Step::Starts,
        }
    }

    /// Whether a container that exited like that is started again (`ShouldContainerBeRestarted`, `computeInitContainerActions`):
    /// a sidecar until there is nothing else to run.
    fn restarts(&self, which: (Uid, usize), due: &Due, exit_code: i32) -> bool {
        let Some(pod) = self.nodes.api.pod(due.pod) else { return false };
        let policy = pod.template.restart_policy;
        match self.lives.with(which, |c| c.role) {
            Some(Role::Init) => exit_code != 0 && policy != RestartPolicy::Never,
            Some(Role::Sidecar) => self.lives.outcome(which.0).is_none(),
            _ => policy.restarts(exit_code),
        }
    }

    /// `doBackOff`: whether a container may be started whose predecessor ended then.
    fn may_start(&self, which: (Uid, usize), node: NodeId, exited: Time) -> bool {
        let now = self.nodes.now();
        let (initial, most) = self.backoff(node);
        let is_kept = |since: Time| {
            exited.since(since) <= EXPIRES
                && (now.since(since) <= EXPIRES || now < self.forgotten_at(node, since))
        };
        let entry = self.lives.with(which, |c| c.backoff).flatten().filter(|(_, at)| is_kept(*at));
        if entry.is_some_and(|(backoff, _)| now.since(exited) < backoff) {
            return false;
        }
        let next = entry.map_or(initial, |(backoff, _)| (backoff * 2).min(most));
        self.lives.with(which, |c| c.backoff = Some((next, now))).is_some()
    }

    /// When a back-off that was begun then is forgotten, whatever its container does: by the first housekeeping for which it has
    /// expired (`HandlePodCleanups`, `Backoff.GC`); by the recorder's kubelets at once.
    fn forgotten_at(&self, node: NodeId, since: Time) -> Time {
        let expired = since + EXPIRES + Dur::from_nanos(1);
        self.nodes.real().map_or(expired, |_| self.status.tick_after(node, expired, HOUSEKEEPING))
    }

    /// CrashLoopBackOff: the pod is synced again when the back-off is over, or, up to 1.34, some ten seconds later.
    fn backs_off(&self, which: (Uid, usize), due: &Due, exited: Time) {
        let now = self.nodes.now();
        let Some((backoff, since)) = self.lives.with(which, |c| c.backoff).flatten() else {
            return;
        };
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
        if self.lives.with(which, |c| std::mem::replace(&mut c.backs_off, true)) == Some(false) {
            let seconds = (backoff.as_nanos() / 1_000_000_000) as u32;
            self.note(which, due, Note::BackOff, seconds);
        }
        self.lives.say_back_off(which, due);
        self.lives.with(which, |c| c.noticed = Some(now + waits));
    }

    /// A container is started again; of several also for the first time, for which its image is looked for.
    fn start(&self, which: (Uid, usize)) {
        let (now, (uid, turn)) = (self.nodes.now(), which);
        let Some(due) = self.pods.due(uid) else { return };
        let first = self.lives.with(which, |c| !c.has_begun()) == Some(true);
        let pod = self.pods.object(uid, &due);
        let pulls = |p: Rc<Pod>| p.template.image_of(turn).is_some_and(|i| first || i.always);
        let pulls = pod.is_some_and(pulls);
        self.pods.with_due(uid, |d| (d.start, d.unpulled, d.turns.turn) = (now, pulls, turn));
        if pulls {
            self.lives.with(which, |c| c.noticed = None);
            return self.containers.images.work(uid);
        }
        if let Some(due) = self.pods.due(uid) {
            self.containers.run(uid, &due, false);
        }
    }
}

/// What a sync of a pod does about one of its containers.
enum Step {
    /// Nothing: it goes on with the next.
    Next,
    /// The next has to wait for it.
    Waits,
    /// It starts it.
    Starts,
}

/// How long a container takes to stop that is killed while its pod stays, within the grace of its probe or its pod, and two
/// seconds at least (`killContainer`).
fn killed_within(pod: &Pod, due: &Due, own: Option<Dur>) -> Dur {
    let least = Dur::from_secs(MINIMUM_GRACE_PERIOD.unsigned_abs());
    let of_pod = Dur::from_secs(pod.termination_grace_period_seconds().max(0).unsigned_abs());
    due.unhurried.min(own.unwrap_or(of_pod).max(least))
}
