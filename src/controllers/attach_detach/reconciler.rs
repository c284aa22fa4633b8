//! The loop that has done what is wanted and is not so (`reconciler/reconciler.go`).

use super::actual_state_of_world::{ActualStateOfWorld, AttachState};
use super::desired_state_of_world::DesiredStateOfWorld;
use super::operation_generator::OperationGenerator;
use super::operations::{Key, Operation, Operations};
use crate::api::taint::OUT_OF_SERVICE;
use crate::api::volume::{MAX_WAIT_FOR_UNMOUNT, Volume};
use crate::controllers::prelude::*;
use crate::plan::switches::attach_detach::Switches;

/// `ReconcilerLoopPeriod`
pub(super) const RECONCILER_LOOP_PERIOD: Dur = Dur::from_millis(100);

/// The controller's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    /// `--disable-force-detach-on-timeout`
    pub(crate) disable_force_detach_on_timeout: bool,
    /// What the release does.
    pub(crate) switches: Switches,
}

/// Whether a pod is done with its volumes (`IsPodTerminated`): it has ended, or is to end and none of its
/// containers is said to run.
pub(super) fn is_pod_terminated(pod: &Pod) -> bool {
    pod.phase.is_terminal() || pod.is_terminating() && pod.phase == PodPhase::Pending
}

/// Whether something is to be done about a volume on a node.
enum Act {
    /// In this pass.
    Now,
    /// Not before then.
    Later(Time),
    /// Not before something happens.
    Never,
}

/// Where the two states differ, so that a pass need not look at all volumes.
#[derive(Default)]
struct Apart {
    /// Attached, or perhaps so, and not wanted.
    undesired: BTreeSet<(VolumeId, NodeId)>,
    /// Wanted, and not attached for certain.
    unattached: BTreeSet<(NodeId, VolumeId)>,
}

/// What speaks for detaching a volume that a node says it uses.
struct Force {
    timeout_expired: bool,
    detach: bool,
    is_out: bool,
}

/// The turns of a loop, a period apart. They are left out while they would find nothing to do.
pub(super) struct Turns {
    ctx: Ctx,
    period: Dur,
    /// The loop while it is left out, and its last turn.
    left_out: Cell<Option<(Ticket, Time)>>,
    /// Something came up since its last turn began.
    is_wanted: Cell<bool>,
}

impl Turns {
    pub(super) fn new(ctx: &Ctx, period: Dur) -> Self {
        Self { ctx: ctx.clone(), period, left_out: Cell::default(), is_wanted: Cell::default() }
    }

    /// A turn begins.
    pub(super) fn begin(&self) {
        self.is_wanted.set(false);
    }

    /// Goes on at the next turn at which there is something to do: the very next if there is by now.
    pub(super) async fn next(&self) {
        if self.is_wanted.get() {
            return self.ctx.sleep(self.period).await;
        }
        let last = self.ctx.now();
        self.ctx.parked(|ticket| self.left_out.set(Some((ticket, last)))).await;
    }

    /// There is something to do at the next turn.
    pub(super) fn want(&self) {
        self.is_wanted.set(true);
        if let Some((ticket, last)) = self.left_out.take() {
            let period = self.period.as_nanos();
            let over = self.ctx.now().since(last).as_nanos() / period + 1;
            self.ctx.wake_at(last + Dur::from_nanos(over.saturating_mul(period)), ticket);
        }
    }
}

/// The reconciler with the two states that it compares.
pub(super) struct Reconciler {
    pub(super) ctx: Ctx,
    pub(super) group: Group,
    pub(super) config: Config,
    pub(super) client: Client,
    pub(super) informers: Rc<InformerFactory>,
    pub(super) desired: Shared<DesiredStateOfWorld>,
    pub(super) actual: Rc<Shared<ActualStateOfWorld>>,
    apart: Shared<Apart>,
    operations: Rc<Shared<Operations>>,
    generator: Rc<OperationGenerator>,
    pub(super) turns: Turns,
}

impl Reconciler {
    /// One that knows of nothing.
    pub(super) fn new(config: Config, context: ControllerContext) -> Self {
        let generator = Rc::new(OperationGenerator::new(context.clone(), config.switches));
        let ControllerContext { ctx, group, client, informers, .. } = context;
        Self {
            generator,
            desired: Shared::default(),
            actual: Rc::default(),
            apart: Shared::default(),
            operations: Rc::default(),
            turns: Turns::new(&ctx, RECONCILER_LOOP_PERIOD),
            informers,
            config,
            client,
            group,
            ctx,
        }
    }

    /// `Run`. Passes that would find nothing to do are left out.
    pub(super) async fn run(self: Rc<Self>) {
        loop {
            self.turns.begin();
            match self.reconcile().await {
                Some(at) if at <= self.ctx.now() => self.turns.want(),
                // Something runs out then.
                Some(at) => {
                    let me = self.clone();
                    self.ctx.spawn(self.group, async move {
                        me.ctx.sleep_until(at).await;
                        me.turns.want();
                    });
                }
                None => {}
            }
            self.turns.next().await;
        }
    }

    /// `reconcile`. When there may be something to do that nothing else tells of.
    async fn reconcile(self: &Rc<Self>) -> Option<Time> {
        let mut next: Option<Time> = None;
        let mut sooner = |at: Option<Time>| next = next.into_iter().chain(at).min();
        let undesired = self.apart.with(|a| a.undesired.clone()).into_iter();
        let of = |(volume, node)| (self.may_detach(volume, node), (volume, node));
        let (detached, waits) = self.walk(undesired.map(of));
        sooner(waits);
        for (volume, node) in detached {
            sooner(self.detach(volume, node).await);
        }
        let unattached = self.apart.with(|a| a.unattached.clone()).into_iter();
        let of = |(node, volume)| (self.may_attach(node, volume), (volume, node));
        let (attached, waits) = self.walk(unattached.map(of));
        sooner(waits);
        for (volume, node) in attached {
            sooner(self.attach(node, volume));
        }
        for node in self.actual.with(|a| a.nodes_to_report()) {
            if self.update_node_status(node).await.is_err() {
                sooner(Some(self.ctx.now()));
            }
        }
        next
    }

    /// Notes whether what is wanted of a volume on a node is so; to be called whenever either changes.
    pub(super) fn compare(&self, volume: VolumeId, node: NodeId) {
        let is_wanted = self.desired.with(|d| d.volume_exists(node, volume));
        let state = self.actual.with(|a| a.attach_state(volume, node));
        if is_wanted && state == AttachState::Attached {
            self.actual.with(|a| a.reset_detach_request_time(volume, node));
        }
        self.apart.with(|apart| {
            match is_wanted && state != AttachState::Attached {
                true => apart.unattached.insert((node, volume)),
                false => apart.unattached.remove(&(node, volume)),
            };
            match !is_wanted && state != AttachState::Detached {
                true => apart.undesired.insert((volume, node)),
                false => apart.undesired.remove(&(volume, node)),
            };
        });
    }

    /// Those about which something is to be done now, in the order in which Go walks a map, and when
    /// something is to be done about the first of the others.
    fn walk(
        &self,
        all: impl Iterator<Item = (Act, (VolumeId, NodeId))>,
    ) -> (Vec<(VolumeId, NodeId)>, Option<Time>) {
        let (mut now, mut later) = (Vec::new(), None);
        for (act, item) in all {
            match act {
                Act::Now => now.push(item),
                Act::Later(at) => later = later.into_iter().chain([at]).min(),
                Act::Never => {}
            }
        }
        let api = self.client.api();
        let point = self.ctx.point("attach-detach-order");
        self.ctx.order(point, &mut now, |(volume, node)| {
            let hash = api.names(|n| n.text_hash(*volume).wrapping_add(n.node_hash(*node)));
            Object { id: volume.0, hash }
        });
        (now, later)
    }

    /// Whether several nodes may have a volume, as far as that is known; and the key of operations on
    /// it.
    fn key_of(&self, volume: Option<&Volume>, id: VolumeId, node: NodeId) -> Key {
        let several = volume.is_none_or(|v| v.access.is_multi_attach_allowed());
        (id, several.then_some(node))
    }

    /// Whether a volume that nobody wants on a node may be detached: if that is safe, or has been waited for
    /// long enough.
    fn may_detach(&self, volume: VolumeId, node: NodeId) -> Act {
        let (now, key) = (self.ctx.now(), self.detach_key(volume, node));
        if !self.operations.with(|o| o.is_safe_to_retry(key, Operation::Detach, now)) {
            let waits = self.operations.with(|o| o.waits_until(key, Operation::Detach, now));
            return waits.map_or(Act::Never, Act::Later);
        }
        let waited = self.actual.with(|a| a.set_detach_request_time(volume, node, now));
        let force = self.force(node, waited);
        if !self.actual.with(|a| a.is_mounted(volume, node)) || force.detach || force.is_out {
            return Act::Now;
        }
        // Longer than six minutes: at the first pass after them.
        let rest = (MAX_WAIT_FOR_UNMOUNT + Dur::from_nanos(1)).saturating_sub(waited);
        let never = rest.is_zero() || self.config.disable_force_detach_on_timeout;
        if never { Act::Never } else { Act::Later(now + rest) }
    }

    fn detach_key(&self, volume: VolumeId, node: NodeId) -> Key {
        let has_spec = self.actual.with(|a| a.has_spec(volume));
        let spec = self.client.api().volume(volume).filter(|_| has_spec);
        self.key_of(spec.as_deref(), volume, node)
    }

    /// What speaks for detaching a volume from a node on which nobody has wanted it for so long, whatever
    /// the node says.
    fn force(&self, node: NodeId, waited: Dur) -> Force {
        let switches = self.config.switches;
        let object = self.informers.node(node);
        let is_healthy = switches.spares_healthy && object.as_ref().is_some_and(|n| n.is_ready());
        let is_out = switches.out_of_service
            && object.is_some_and(|n| n.taints.iter().any(|t| t.key == OUT_OF_SERVICE));
        let timeout_expired =
            waited > MAX_WAIT_FOR_UNMOUNT && !self.config.disable_force_detach_on_timeout;
        Force { timeout_expired, detach: timeout_expired && !is_healthy, is_out }
    }

    /// Detaches a volume. When that is to be tried again.
    async fn detach(self: &Rc<Self>, volume: VolumeId, node: NodeId) -> Option<Time> {
        if !matches!(self.may_detach(volume, node), Act::Now) {
            return Some(self.ctx.now());
        }
        let key = self.detach_key(volume, node);
        let waited = self.actual.with(|a| a.set_detach_request_time(volume, node, self.ctx.now()));
        let Force { timeout_expired, is_out, .. } = self.force(node, waited);
        self.actual.with(|a| a.remove_from_report(volume, node));
        if self.update_node_status(node).await.is_err() {
            self.actual.with(|a| a.add_to_report(volume, node));
            return Some(self.ctx.now());
        }
        if !self.operations.with(|o| o.begin(key, Operation::Detach, self.ctx.now())) {
            self.actual.with(|a| a.add_to_report(volume, node));
            return Some(self.ctx.now());
        }
        let (me, verify) = (self.clone(), !(timeout_expired || is_out));
        self.ctx.spawn(self.group, async move {
            let done = me.generator.detach((volume, node), verify, &me.actual).await;
            me.completed(key, (volume, node), done);
        });
        None
    }

    /// Whether a volume that is wanted on a node is to be attached, or it is to be said that another node
    /// has it (`attachDesiredVolumes`).
    fn may_attach(&self, node: NodeId, id: VolumeId) -> Act {
        let now = self.ctx.now();
        let found = self.desired.with(|d| {
            let v = d.volume_to_attach(node, id)?;
            Some((v.volume.clone(), v.multi_attach_error_reported))
        });
        let Some((volume, reported)) = found else { return Act::Never };
        let key = self.key_of(Some(&volume), id, node);
        if self.operations.with(|o| o.is_pending(key)) {
            return Act::Never;
        }
        if !volume.access.is_multi_attach_allowed()
            && !self.actual.with(|a| a.nodes_for_attached_volume(id)).is_empty()
        {
            return if reported { Act::Never } else { Act::Now };
        }
        let waits = self.operations.with(|o| o.waits_until(key, Operation::Attach, now));
        waits.map_or(Act::Now, Act::Later)
    }

    /// Attaches a volume, or says that another node has it. When that is tried again after a failure.
    fn attach(self: &Rc<Self>, node: NodeId, id: VolumeId) -> Option<Time> {
        match self.may_attach(node, id) {
            Act::Now => {}
            Act::Later(at) => return Some(at),
            // What was done about another node came first.
            Act::Never => return Some(self.ctx.now()),
        }
        let now = self.ctx.now();
        let (volume, pods) = self
            .desired
            .with(|d| d.volume_to_attach(node, id).map(|v| (v.volume.clone(), v.pods.clone())))?;
        if !volume.access.is_multi_attach_allowed() {
            let nodes = self.actual.with(|a| a.nodes_for_attached_volume(id));
            if !nodes.is_empty() {
                self.report_multi_attach_error(&volume, node, &nodes);
                return None;
            }
        }
        let key = self.key_of(Some(&volume), id, node);
        if !self.operations.with(|o| o.begin(key, Operation::Attach, now)) {
            return Some(now);
        }
        let me = self.clone();
        self.ctx.spawn(self.group, async move {
            let done = me.generator.attach(&volume, node, &pods, &me.actual).await;
            me.completed(key, (id, node), done);
        });
        None
    }

    fn completed(&self, key: Key, (volume, node): (VolumeId, NodeId), done: bool) {
        self.compare(volume, node);
        self.operations.with(|o| o.complete(key, !done, self.ctx.now()));
        self.turns.want();
    }

    /// `reportMultiAttachError`
    fn report_multi_attach_error(&self, volume: &Volume, node: NodeId, nodes: &[NodeId]) {
        let others: Vec<NodeId> = nodes.iter().copied().filter(|n| *n != node).collect();
        let holders = self.desired.with(|d| d.volume_pods_on_nodes(&others, volume.id));
        let pods = self.desired.with(|d| {
            let v = d.volume_to_attach(node, volume.id)?;
            v.multi_attach_error_reported = true;
            Some(v.pods.clone())
        });
        let (what, alone) = match self.config.switches.waiting_text {
            true => (
                "Waiting for detach",
                "Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node",
            ),
            false => (
                "Multi-Attach error",
                "Volume is already exclusively attached to one node and can't be attached to another",
            ),
        };
        let said = |words: &str| format!("{what} for volume {:?} {words}", volume.name);
        for pod in pods.unwrap_or_default() {
            let words = self.client.api().names(|n| {
                let namespace = namespace_of(n.pod_name(pod.0));
                let local: Vec<&str> = holders
                    .iter()
                    .map(|p| n.pod_name(*p))
                    .filter(|p| namespace_of(p) == namespace)
                    .map(short_name)
                    .collect();
                let elsewhere = holders.len() - local.len();
                match (local.is_empty(), elsewhere) {
                    (true, 0) => said(alone),
                    (true, n) => said(&format!("Volume is already used by {n} pod(s) in different namespaces")),
                    (false, 0) => said(&format!("Volume is already used by pod(s) {}", local.join(", "))),
                    (false, n) => said(&format!(
                        "Volume is already used by pod(s) {} and {n} pod(s) in different namespaces",
                        local.join(", ")
                    )),
                }
            });
            self.generator.tell(&[pod], EventText::FailedAttachVolume, &words);
        }
    }

    /// `UpdateNodeStatusForNode`: a node's `volumesAttached` is written, where it has to be.
    async fn update_node_status(&self, node: NodeId) -> ApiResult {
        let Some(attached) = self.actual.with(|a| a.volumes_to_report(node)) else { return Ok(()) };
        if !self.informers.has_node(node) {
            return Ok(());
        }
        let patch = move |api: &ApiServer, actor| api.patch_volumes_attached(actor, node, attached);
        match self.client.call(self.client.node_object(node), patch).await {
            Ok(()) | Err(ApiError::NotFound) => Ok(()),
            Err(error) => {
                self.actual.with(|a| a.set_node_status_update_needed(node));
                Err(error)
            }
        }
    }

    /// `ProcessPodVolumes`: the volumes of a pod are wanted on its node, or no more. False if the node
    /// is not managed yet.
    pub(super) fn process_pod_volumes(&self, pod: &Pod, add: bool) -> bool {
        let Some(node) = pod.node.filter(|_| !pod.template.claims.is_empty()) else { return true };
        if !self.desired.with(|d| d.node_exists(node)) {
            return false;
        }
        let volumes = self.client.api().volumes_of(pod);
        for volume in volumes.iter().filter(|v| v.attach) {
            let is_new = self.desired.with(|d| match add {
                true => d.add_pod(node, volume, (pod.id, pod.uid)),
                false => d.delete_pod(node, volume.id, pod.uid),
            });
            if is_new {
                self.compare(volume.id, node);
                self.turns.want();
            }
        }
        true
    }

    /// `findAndRemoveDeletedPods`
    pub(super) fn find_and_remove_deleted_pods(&self) {
        for (node, volume, (id, uid)) in self.desired.with(|d| d.pods_to_add()) {
            let pod = self.informers.pod(id).filter(|p| p.uid == uid && !is_pod_terminated(p));
            if pod.is_none() && self.desired.with(|d| d.delete_pod(node, volume, uid)) {
                self.compare(volume, node);
                self.turns.want();
            }
        }
    }
}
