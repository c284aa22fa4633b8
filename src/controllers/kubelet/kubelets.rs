//! All kubelets of a cluster: their parts, what the timeline of a run does to them, and the API server's changes
//! of pods, as they concern them.

use super::asleep::Sleepers;
use super::containers::Containers;
use super::eviction::Pressure;
use super::eviction_manager::EvictionManager;
use super::image_gc_manager::ImageGcManager;
use super::images::Images;
use super::lives::Lives;
use super::loops::Loops;
use super::machine::Machines;
use super::nodes::{Kubelet, NodeSettings, Tick, healthy};
use super::nodeshutdown::ShutdownManager;
use super::pod_workers::PodWorkers;
use super::reach::Reach;
use super::refusal::Refusals;
use super::restarts::Restarts;
use super::stats::Stats;
use super::status_manager::StatusManager;
use super::step::step;
use super::updates::PodUpdates;
use super::volume_manager::VolumeManager;
use crate::api::usage::NodeUsage;
use crate::apiserver::Watcher;
use crate::controllers::kubelet::prelude::*;
use crate::plan::switches::kubelet::Switches;
use crate::plan::{
    Begun, Connections, KubeletConfig, RegistryFails, RuntimeFails, WatchCache, WatchRetry,
};

/// All kubelets of a cluster.
pub(crate) struct Kubelets {
    nodes: Rc<Nodes>,
    machines: Machines,
    shutdowns: ShutdownManager,
    stats: Rc<Stats>,
    image_gc: Rc<ImageGcManager>,
    /// What a search knows of kubelets by.
    keys: Keys,
}

impl Kubelets {
    /// No kubelets yet; they hear of pods from now on. With `evicts`, something is said of what is used, so that they evict.
    /// With `collects`, they delete images that nobody uses, of these `sizes`, where they are known. With `signs`, heartbeats that can't make a difference are computed.
    pub(crate) fn new(
        api: &Rc<ApiServer>,
        config: KubeletConfig,
        (switches, watch_retry, reads): (Switches, WatchRetry, Dur),
        (evicts, collects, sizes): (bool, bool, BTreeMap<Rc<str>, i64>),
        signs: Option<Loop>,
        records_renewals: bool,
    ) -> Rc<Self> {
        let nodes = Rc::new(Nodes::new(api, config, switches, signs.is_some()));
        let ctx = &nodes.ctx;
        let kubelets = Rc::new_cyclic(|me| {
            let (keys, to) = (ctx.keys("kubelets"), (ctx, me));
            let name = |name| Name::of(name, keys);
            let ticker = step(to, Name::of("heartbeat", Keys::NOTHING), Self::tick);
            let worker = step(to, name("kubelet"), |k, pod| {
                k.machines.workers.work(pod);
                k.shutdowns.ended(pod).into_iter().for_each(|node| k.shutdown_goes_on(node));
            });
            let booter = step(to, name("boot"), |k, node| k.machines.booted(node));
            let stepper = step(to, name("nodeshutdown"), Self::shutdown_goes_on);
            let checker = step(to, name("runtime-check"), |k, n| k.machines.check_runtime(n));

            let looker = step(to, name("volume-manager"), |k, node| {
                k.machines.containers.volumes.look(node)
            });
            let planner =
                step(to, name("eviction-planner"), |k, n| k.machines.eviction.usage_changes(n));
            let monitor =
                step(to, name("eviction-manager"), |k, node| k.machines.eviction.look(node));
            let puller =
                step(to, name("image-puller"), |k, node| k.machines.containers.images.pulled(node));
            let collector = step(to, name("image-gc"), |k, node| k.image_gc.tick(node));

            let base: Base = (nodes.clone(), Rc::new(Pods::new(&nodes, worker)));
            let volumes = Rc::new(VolumeManager::new(base.clone(), looker));
            let (is_said, of_nodes) = (evicts, ByNode::default());
            let stats = Rc::new(Stats { nodes: nodes.clone(), of_nodes, planner, is_said });
            let pressure = Rc::<Pressure>::default();
            let lives = Rc::new(Lives::new(base.clone()));
            let status = Rc::new(StatusManager::new(base.clone(), &lives));
            let images = Rc::new(Images::new(base.clone(), (&status, &stats), sizes, puller));
            let containers = Rc::new(Containers::new(base.clone(), &images, &volumes, &stats));
            let restarts = Restarts::new(base.clone(), &containers, &status);
            let refusals = Refusals::new(base.clone(), &containers, (&status, &pressure), reads);
            let refusals = Rc::new(refusals);
            let workers = Rc::new(PodWorkers::new(base.clone(), &refusals, restarts));
            let updates = Rc::new(PodUpdates::new(base.clone(), &refusals));

            let loops = Rc::new(Loops::new(base.clone(), &containers, ticker, records_renewals));
            let reach = Rc::new(Reach::new(&nodes, &loops, &updates, watch_retry));
            let sleepers = Rc::new(Sleepers::new(base.clone(), &loops, &reach, signs));
            let on_disk = (&stats, &images);
            let image_gc = ImageGcManager::new(&nodes, on_disk, &sleepers, (collects, collector));
            let image_gc = Rc::new(image_gc);
            let short = (&stats, &image_gc, &pressure);
            let eviction = EvictionManager::new(base.clone(), short, &sleepers, monitor);
            let eviction = Rc::new(eviction);
            let shutdowns = ShutdownManager::new(base, &status, &sleepers, stepper);
            let machines = Machines {
                nodes: nodes.clone(),
                sleepers,
                loops,
                reach,
                workers,
                updates,
                containers,
                eviction,
                booter,
                checker,
            };
            Self { nodes: nodes.clone(), machines, shutdowns, stats, image_gc, keys }
        });
        api.watch(kubelets.clone());
        if signs.is_some() {
            api.compute_heartbeats(kubelets.machines.sleepers.clone());
        }
        kubelets
    }

    /// A tick of a loop. Those of one loop of one node depend on each other, and all on what happens
    /// to kubelets otherwise; that a kubelet falls asleep, and computes what it would have simulated,
    /// nobody sees.
    fn tick(&self, Tick { node, which }: Tick) {
        let ctx = &self.nodes.ctx;
        ctx.reads(self.keys.of(0));
        ctx.writes(self.keys.of(1 + 2 * node.0 + which as u32));
        if self.machines.loops.tick(node, which) && which == Loop::Status {
            self.machines.containers.volumes.reported(node);
            self.machines.sleepers.fall_asleep(node);
        }
    }

    /// Has a kubelet for a node, which exists: one that starts now, or has been running for long.
    /// `cut`: it does not reach the API server, whose packets are lost. A machine that was taken away
    /// is back; one that runs on under that name, and was cut off when its node was deleted, makes room for it.
    pub(crate) fn join(
        &self,
        node: NodeId,
        (settings, config): (NodeSettings, Option<Rc<KubeletConfig>>),
        (usage, images): (Option<Rc<NodeUsage>>, &[Rc<str>]),
        cut: bool,
        starts: bool,
    ) {
        if self.nodes.is(node, |k| k.is_on()) {
            self.taken_away(node);
        }
        let is_back = self.nodes.is(node, |k| k.gone);
        if is_back {
            self.nodes.record(node, What::MachineOn);
        }
        // One that has nothing behind it.
        let (cut, last_post) = (cut.then_some(Connections::Dropped), self.nodes.now());
        let view = healthy();
        let kubelet = Kubelet { settings, config, cut, view, last_post, ..Kubelet::default() };
        self.nodes.join(node, kubelet);
        self.machines.containers.volumes.join(node);
        self.machines.loops.join(node);
        self.machines.reach.join(node);
        self.machines.sleepers.join(node);
        self.shutdowns.join(node);
        self.machines.eviction.join(node);
        self.stats.join(node, usage);
        self.machines.containers.images.join(node, images);
        self.nodes.api.waking(node);
        match self.nodes.mode {
            KubeletMode::Imitated(_) => {
                self.machines.loops.begin(node);
                self.machines.eviction.starts(node, self.nodes.now());
                if is_back {
                    self.machines.workers.overdue([node]);
                }
            }
            KubeletMode::Real(real) if starts => {
                let hears = self.machines.begins(node, real);
                self.machines.updates.start_anew(node, hears, real);
            }
            KubeletMode::Real(_) => {
                self.machines.loops.begin(node);
                self.machines.reach.way_changes(node);
            }
        }
    }

    /// Whether a kubelet that starts makes its lease itself when it first renews it.
    pub(crate) fn make_leases(&self) -> bool {
        matches!(self.nodes.mode, KubeletMode::Real(_))
    }

    /// How long ago a kubelet that starts now would have renewed its lease, had it been running for
    /// long: one period before it does so next.
    pub(crate) fn lease_age(&self, node: NodeId) -> Dur {
        let Some(next) = self.machines.loops.next(node, Loop::Lease) else { return Dur::ZERO };
        let period = self.machines.loops.undisturbed(node, Loop::Lease);
        period.saturating_sub(next.since(self.nodes.now()))
    }

    /// A kubelet renewed its lease that long before it starts here: it does so next when the period
    /// from then on is over.
    pub(crate) fn renewed_before(&self, node: NodeId, age: Dur) {
        // No tick of the run has that number.
        let period = match self.machines.loops.sleeps(node, Loop::Lease) {
            Some(sleeps) => sleeps.drawn(u32::MAX),
            None => self.machines.loops.period(node, Loop::Lease),
        };
        let at = self.nodes.now() + period.saturating_sub(age);
        self.machines.loops.schedule(node, Loop::Lease, at);
    }

    /// What a kubelet thinks of its node when it starts, where that is not that all is well: the
    /// conditions that it posted last. What was written about it is not its own view.
    pub(crate) fn begin_with(&self, node: NodeId, conditions: &[NodeCondition]) {
        self.nodes.with(node, |k| {
            for c in conditions.iter().filter(|c| c.status != ConditionStatus::Unknown) {
                let own = &mut k.view[c.kind as usize];
                *own = own.map(|_| c.status);
            }
        });
    }

    /// The pod that is created next is one whose kubelet has begun to start it before, if this is given.
    pub(crate) fn begun_before(&self, begun: Option<Begun>) {
        self.machines.updates.begun.set(begun);
    }

    /// Cuts a kubelet off from the API server, or lets it reach it again.
    pub(crate) fn cut(&self, node: NodeId, how: Option<Connections>) {
        self.machines.sleepers.silenced(node);
        let Some((was, off)) =
            self.nodes.with(node, |k| (std::mem::replace(&mut k.cut, how).is_some(), !k.runs()))
        else {
            return;
        };
        let cut = how.is_some();
        if was == cut {
            // Cut off in another way, if at all.
            return self.machines.reach.way_changes(node);
        }
        self.nodes.api.waking(node);
        // A machine that is off was silent before, and stays it.
        if !off {
            self.nodes.record(node, if cut { What::NodeSilent } else { What::NodeHeard });
        }
        match self.nodes.mode {
            KubeletMode::Imitated(_) if cut => self.machines.loops.pause(node),
            KubeletMode::Imitated(_) => {
                self.machines.loops.resume(node);
                self.machines.workers.overdue([node]);
                self.machines.containers.volumes.wake(node);
            }
            KubeletMode::Real(_) => self.machines.reach.way_changes(node),
        }
    }

    /// Sets a kubelet's own view of a condition. One that is imitated posts at once unless it is cut
    /// off, others at their next check.
    pub(crate) fn set_condition(
        &self,
        node: NodeId,
        kind: NodeConditionType,
        status: ConditionStatus,
    ) {
        self.machines.sleepers.wake_up(node);
        self.nodes.with(node, |k| k.view[kind as usize] = Some(status));
        self.nodes.view_changes(node);
        if matches!(self.nodes.mode, KubeletMode::Imitated(_)) && self.nodes.gets_through(node) {
            self.machines.loops.post(node);
            self.machines.containers.volumes.reported(node);
        }
    }

    /// Sets how far a kubelet's clock is off.
    pub(crate) fn set_skew(&self, node: NodeId, skew_ns: i64) {
        self.machines.sleepers.sleep_no_more(node);
        self.nodes.with(node, |k| k.skew_ns = skew_ns);
    }

    /// Makes heartbeats come only once in `period`, or as configured.
    pub(crate) fn set_heartbeat_period(&self, node: NodeId, period: Option<Dur>) {
        self.machines.sleepers.sleep_no_more(node);
        self.nodes.with(node, |k| k.slow = period);
    }

    /// The API server stops answering, or answers again.
    pub(crate) fn api_server(&self, down: bool, cache: WatchCache) {
        let Nodes { api, mode, .. } = &*self.nodes;
        api.set_down(down);
        for node in self.nodes.ids() {
            if !down && cache == WatchCache::Lost {
                self.machines.reach.server_forgets(node);
            }
            self.machines.reach.way_changes(node);
        }
        if let (false, KubeletMode::Imitated(_)) = (down, mode) {
            // What kubelets owe their pods is done at once.
            self.machines.workers.overdue(api.nodes().iter().map(|n| n.id));
            self.nodes.ids().for_each(|node| self.machines.containers.volumes.wake(node));
        }
    }

    /// `gone` of `all` API servers behind a load balancer die: connections to them hang, and new ones
    /// go to the others.
    pub(crate) fn servers_die(&self, (gone, all): (u32, u32)) {
        let KubeletMode::Real(real) = self.nodes.mode else { return };
        for node in self.nodes.ids() {
            // Which of them a kubelet is connected to.
            let point = self.nodes.ctx.point("server-of-a-connection");
            let object = self.nodes.object(node);
            let server = self.nodes.ctx.uniform(point, object, 0, u64::from(all) - 1);
            let open = self.nodes.is(node, |k| k.runs() && k.link == Link::Open);
            if server < u64::from(gone) && open {
                // What it says comes late from now on, and passes have to look at it.
                self.machines.sleepers.sleep_no_more(node);
                self.machines.reach.sever(node, real);
            }
        }
    }

    /// A node is deleted. Its kubelet ends with its machine; its pods stay until someone else removes them. One that is cut off
    /// does not hear of it, and goes on with what it runs.
    pub(crate) fn leave(&self, node: NodeId) {
        if !self.nodes.is(node, |k| k.cut.is_some() && k.is_on()) {
            self.taken_away(node);
        }
    }

    fn taken_away(&self, node: NodeId) {
        self.shutdowns.end(node);
        self.machines.leave(node);
    }

    /// A machine stops, and its containers with it.
    pub(crate) fn crash(&self, node: NodeId) {
        self.shutdowns.end(node);
        self.machines.crash(node);
    }

    /// A machine is told to go off, and is so once its kubelet lets it; with `at_most`, after this
    /// time at the latest.
    pub(crate) fn shut_down(&self, node: NodeId, at_most: Option<Dur>) {
        let over = self.shutdowns.begin(node, at_most);
        if let (Some(_), KubeletMode::Real(real)) = (over, self.nodes.mode(node)) {
            self.machines.loops.sync_node_status(node, real);
            self.machines.containers.volumes.reported(node);
        }
        if over != Some(false) {
            self.goes_off(node);
        }
    }

    /// Whether a node's machine is on.
    pub(crate) fn is_on(&self, node: NodeId) -> bool {
        self.nodes.is(node, |k| k.is_on())
    }

    /// A step of a shutdown.
    fn shutdown_goes_on(&self, node: NodeId) {
        if self.shutdowns.goes_on(node) {
            self.goes_off(node);
        }
    }

    /// A machine that was told to is off, and boots if it is to by now.
    fn goes_off(&self, node: NodeId) {
        let boots = self.shutdowns.end(node);
        self.machines.crash(node);
        if boots == Some(true) {
            self.machines.boot(node);
        }
    }

    /// A machine that is off is switched on again, and boots; one that is about to be off, after that.
    pub(crate) fn boot(&self, node: NodeId) {
        if !self.shutdowns.boots_after(node) {
            self.machines.boot(node);
        }
    }

    /// A node's kubelet dies, and with it goes what it keeps its machine from.
    pub(crate) fn stop(&self, node: NodeId) {
        self.machines.stop_kubelet(node);
        if self.shutdowns.is_under_way(node) {
            self.goes_off(node);
        }
    }

    /// A kubelet starts where another has died.
    pub(crate) fn start(&self, node: NodeId) {
        self.machines.start_kubelet(node);
    }

    /// A node's container runtime fails, or works again.
    pub(crate) fn runtime(&self, node: NodeId, fails: Option<RuntimeFails>) {
        self.machines.runtime_fails(node, fails);
    }

    /// The registry that images are pulled from fails so, or answers again.
    pub(crate) fn registry(&self, fails: Option<RegistryFails>) {
        self.machines.containers.images.registry(fails);
    }

    /// Lets a kubelet's heartbeats be computed from now on, if that is wanted and it is healthy.
    pub(crate) fn fall_asleep(&self, node: NodeId) {
        self.machines.sleepers.fall_asleep(node);
    }

    /// Simulates every heartbeat until then, at least.
    pub(crate) fn stay_awake(&self, until: Time) {
        self.machines.sleepers.stay_awake(until);
    }

    /// A pod's node hears of it, unless it was seen to be there, and to stop where it is to.
    fn observe(&self, old: Option<&Pod>, new: &Pod) {
        let seen = |p: &Pod| (p.uid, p.node, p.is_terminating());
        if let Some(node) = new.node
            && old.is_none_or(|old| seen(old) != seen(new))
        {
            self.machines.reach.told(node);
            self.changes_status(new);
            self.machines.updates.pod_changes(node, new);
        }
    }

    /// A pod with volumes, or with an image that a node is to list, comes or goes: a status will say so.
    fn changes_status(&self, pod: &Pod) {
        let template = &pod.template;
        let is_listed = self.machines.containers.images.lists && template.images().next().is_some();
        if let Some(node) = pod.node.filter(|_| !template.claims.is_empty() || is_listed) {
            self.machines.sleepers.wake_up(node);
        }
    }

    /// A pod was marked NotReady on a node whose kubelet may set it back: with its next status check,
    /// or its next sync of pod statuses.
    fn marked_not_ready(&self, old: Option<&Pod>, new: &Pod) {
        let Some(node) = new.node else { return };
        let is = |p: &Pod, status| p.ready.is_some_and(|c| c.status == status);
        if is(new, ConditionStatus::False) && self.nodes.is(node, |k| k.cut.is_none() && k.runs()) {
            self.machines.sleepers.wake_up(node);
            // One from the start was so before.
            let was_ready = match old {
                Some(old) => is(old, ConditionStatus::True),
                None => new.phase == PodPhase::Running,
            };
            if let (KubeletMode::Real(_), true) = (self.nodes.mode, was_ready) {
                self.machines.updates.pod_to_reconcile(node, new.uid);
            }
        }
    }
}

impl Watcher for Kubelets {
    fn node(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        // Up to 1.22 and 1.23 it looks by itself.
        if let Some(new) = new.filter(|_| !self.nodes.switches.verifies_unreported)
            && new.volumes.is_some()
            && old.is_some_and(|o| o.volumes != new.volumes)
        {
            self.machines.containers.volumes.wake(new.id);
        }
    }

    fn pod(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let before = old.map(|o| &**o);
        if let Some(new) = new {
            self.marked_not_ready(before, new);
            self.observe(before, new);
        } else if let Some(old) = before {
            self.changes_status(old);
            self.machines.containers.lose_pod(old);
        }
    }
}
