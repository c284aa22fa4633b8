//! The external-attacher and the external-provisioner of the volumes' driver: they do what VolumeAttachments and
//! claims ask for, and take their time. The latter's has in it that of the controller that binds claims.
//!
//! A driver that refuses to make a volume does so at once. It is asked again as external-provisioner has it by default
//! (`cmd/csi-provisioner/csi-provisioner.go`, `provisionClaimOperation` of sig-storage-lib-external-provisioner): with a back-off of
//! its own for each claim. Where there is no storage left (`ResourceExhausted`) it gives the claim back, so that the
//! scheduler chooses a node anew; what a driver will never make (`InvalidArgument`) it leaves alone for five minutes at
//! least (6.0 on; before it is as any other error). What it says of claims is in `claims`.
//!
//! A volume whose driver its node does not have is not attached (`csiAttach`, `getNodeID` of external-attacher).
//!
//! Their pod is taken for one that no outage concerns. What falls into an outage of the API server it does at its end. Nothing is bound as
//! long as kube-controller-manager is away.

use super::claims::Claims;
use crate::api::names::TextId;
use crate::api::node::named_zone;
use crate::api::volume::{Reach, Volume, VolumeId};
use crate::apiserver::Watcher;
use crate::kernel::{Argument, Class, Handler, HandlerId};
use crate::plan::{ProvisioningFails, RefuseVolumes};
use crate::sim::prelude::*;
use crate::trace::Unmade;

/// A volume, and the node that it is attached to or detached from, or made for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct About(VolumeId, Option<NodeId>);

/// How long external-provisioner waits after a first failure, and at most (`--retry-interval-start`,
/// `--retry-interval-max`).
const RETRY_INTERVAL_START: Dur = Dur::from_secs(1);
const RETRY_INTERVAL_MAX: Dur = Dur::from_secs(300);

/// For how long no driver is asked again after it has called a claim infeasible: as long as a pause between tries is at
/// most (`slowset`).
const SLOW_RETRY: Dur = RETRY_INTERVAL_MAX;

/// Between the writes of the controller that binds claims: how long they take is part of `provision`.
const MOMENT: Dur = Dur::from_nanos(1);

/// No node.
const NOWHERE: u32 = u32::MAX;

/// How long the pause is after so many failures.
fn retry_interval(failures: u32) -> Dur {
    (RETRY_INTERVAL_START * 2_u64.pow(failures.min(10))).min(RETRY_INTERVAL_MAX)
}

impl Argument for About {
    fn pack(self) -> u64 {
        u64::from(self.0.0) << 32 | u64::from(self.1.map_or(NOWHERE, |n| n.0))
    }

    fn unpack(bits: u64) -> Self {
        let node = Some(bits as u32).filter(|node| *node != NOWHERE);
        Self(TextId((bits >> 32) as u32), node.map(NodeId))
    }
}

/// Both of them.
pub(super) struct Attacher {
    ctx: Ctx,
    api: Rc<ApiServer>,
    claims: Rc<Claims>,
    attach: Dur,
    detach: Dur,
    /// When it will have done what a VolumeAttachment asks for, or a claim whose volume has been attached nowhere.
    due: Shared<BTreeMap<About, Time>>,
    worker: Cell<Option<HandlerId<About>>>,
    /// Which volumes drivers do not make; the latest first.
    refuse: Shared<Vec<RefuseVolumes>>,
    /// The claims that drivers are to be asked about, and how often they have refused.
    refused: Shared<BTreeMap<VolumeId, u32>>,
    /// How many writes there were about volumes that are made.
    written: Shared<BTreeMap<VolumeId, u32>>,
    /// What waits for kube-controller-manager.
    held: Shared<Vec<About>>,
}

impl Attacher {
    /// Has VolumeAttachments and claims heeded from now on.
    pub(super) fn start(
        api: &Rc<ApiServer>,
        (attach, detach): (Dur, Dur),
        claims: Rc<Claims>,
    ) -> Rc<Self> {
        let (ctx, api) = (api.ctx().clone(), api.clone());
        let (due, worker, refuse, refused, written, held) = Default::default();
        let own =
            Self { api, claims, attach, detach, due, worker, refuse, refused, written, held, ctx };
        let attacher = Rc::new(own);
        attacher.worker.set(Some(attacher.ctx.register(attacher.clone())));
        attacher.api.watch(attacher.clone());
        attacher
    }

    /// The API server answers again.
    pub(super) fn server_is_back(&self) {
        let now = self.ctx.now();
        let late: Vec<About> = self.due.with(|d| {
            let late = d.iter().filter(|(_, at)| **at < now);
            late.map(|(about, _)| *about).collect()
        });
        late.into_iter().for_each(|about| self.work_in(about, Dur::ZERO));
    }

    /// kube-controller-manager dies, or starts.
    pub(super) fn controllers_run(&self, run: bool) {
        let held = if run { self.held.with(std::mem::take) } else { Vec::new() };
        let found: Vec<VolumeId> = held.iter().map(|about| about.0).collect();
        self.claims.controllers_run(run, &found);
        held.into_iter().for_each(|about| self.work_in(about, MOMENT));
    }

    /// Drivers refuse so to make volumes from now on, and in no other way.
    pub(super) fn refuse_volumes(&self, all: &[RefuseVolumes]) {
        self.ctx.writes(self.ctx.keys("provisioning").of(0));
        self.refuse.with(|refuse| *refuse = all.to_vec());
    }

    /// With which error a volume's driver refuses to make it, for a node or for none; none where it makes it.
    fn refuses(&self, made: &Volume, node: Option<NodeId>) -> Option<ProvisioningFails> {
        self.ctx.reads(self.ctx.keys("provisioning").of(0));
        let place = match &made.reach {
            Reach::Everywhere => None,
            Reach::Zone(zone) => zone.clone(),
            Reach::Node(_) => node.and_then(|n| named_zone(&self.api.node(n)?.labels)),
        };
        let concerns = |r: &&RefuseVolumes| {
            let is_in =
                |known: &Option<String>, said: &Option<String>| said.is_none() || known == said;
            is_in(&made.driver, &r.driver) && is_in(&place, &r.zone)
        };
        self.refuse.with_ref(|all| all.iter().find(concerns).map(|r| r.fails))
    }

    /// A driver has refused to make a volume, so often before.
    fn is_refused(
        &self,
        About(volume, node): About,
        before: u32,
        fails: ProvisioningFails,
        made: &Volume,
    ) {
        let (unmade, words) = match fails {
            ProvisioningFails::Internal => (Unmade::Internal, ""),
            ProvisioningFails::ResourceExhausted => (Unmade::ResourceExhausted, ""),
            ProvisioningFails::InvalidArgument => (
                Unmade::InvalidArgument,
                "Volume provisioning failed with infeasible error. Retries will be delayed. ",
            ),
        };
        // The words behind `desc` are the driver's.
        let why = format!("{words}rpc error: code = {fails:?} desc = no volumes are made");
        self.claims.failed(volume, &why);
        // Only a driver that knows topologies may do better for another node.
        let may_reschedule = node.is_some() && made.reach != Reach::Everywhere;
        if fails == ProvisioningFails::ResourceExhausted && may_reschedule {
            return self.api.give_claim_back(volume, Unmade::GivenBack);
        }
        let note = What::Noted(Note::ProvisioningFailed, volume.0);
        self.api.record(Actor::Provisioner, unmade as u32, note);
        let (mut pause, mut tries) = (retry_interval(before), before + 1);
        // It is taken from its queue all the while, and put back without a word.
        while fails == ProvisioningFails::InvalidArgument && pause < SLOW_RETRY {
            (pause, tries) = (pause + retry_interval(tries), tries + 1);
        }
        self.refused.with(|r| r.insert(volume, tries));
        self.work_in(About(volume, node), pause);
    }

    /// Asks the driver for a volume that it refused before, or will refuse.
    fn ask(&self, About(volume, node): About, takes: Dur, made: &Volume) {
        let refused = self.refused.with(|r| r.remove(&volume)).unwrap_or_default();
        self.claims.provisioning(volume);
        if let Some(gone) = node.filter(|node| self.api.node(*node).is_none()) {
            let name = self.api.names(|n| n.node_name(gone).to_owned());
            let why = format!("csinode.storage.k8s.io {name:?} not found");
            self.claims.failed(volume, &why);
            return self.api.give_claim_back(volume, Unmade::NodeGone);
        }
        if let Some(fails) = self.refuses(made, node) {
            return self.is_refused(About(volume, node), refused, fails, made);
        }
        let note = What::Noted(Note::Provisioning, volume.0);
        node.into_iter().for_each(|n| _ = self.api.record_node(Actor::Provisioner, n, note));
        self.work_in(About(volume, node), takes);
    }

    /// The driver has made a volume. The controller that binds claims makes four writes, a moment apart: the volume, its status,
    /// the claim, the claim's status (`bind`). Pods that wait for it are tried at each, before that of the claim in vain.
    fn provisioned(&self, about: About) {
        let About(volume, _) = about;
        let written = self.written.with_ref(|w| w.get(&volume).copied().unwrap_or_default());
        match (written, self.api.selected(volume)) {
            (0, Some((.., made))) => self.claims.succeeded(&made),
            (0, None) => return,
            (1.., _) if !self.claims.binds() => return self.held.with(|held| held.push(about)),
            _ => {}
        }
        self.written.with(|w| match written {
            3 => w.remove(&volume),
            _ => w.insert(volume, written + 1),
        });
        match written {
            2 => self.api.provisioned(volume),
            _ => self.api.volume_written(volume),
        }
        if written < 3 {
            self.work_in(about, MOMENT);
        }
    }

    fn work_in(&self, about: About, delay: Dur) {
        let at = self.ctx.now() + delay;
        self.due.with(|d| d.insert(about, at));
        if let Some(worker) = self.worker.get() {
            self.ctx.post_at(at, Class::Source, worker, about);
        }
    }
}

impl Watcher for Attacher {
    fn attachment(&self, volume: VolumeId, node: NodeId) {
        let about = About(volume, Some(node));
        let refused = self.api.missing_driver(volume, node).is_some();
        match self.api.attachment(volume, node) {
            // One that it refused to attach has no finalizer of its: it is gone at once.
            Some(a) if refused && !a.attached && a.deleting => self.work_in(about, Dur::ZERO),
            Some(a) if a.deleting => self.work_in(about, self.detach),
            Some(a) if !refused && !a.attached => self.work_in(about, self.attach),
            _ => {}
        }
    }

    fn claim(&self, volume: VolumeId) {
        let Some((node, takes, made)) = self.api.selected(volume) else { return };
        let refuses = self.refuses(&made, node).is_some();
        if refuses {
            self.refused.with(|r| r.insert(volume, 0));
        } else {
            self.claims.provisioning(volume);
        }
        self.work_in(About(volume, node), if refuses { Dur::ZERO } else { takes });
    }
}

impl Handler for Attacher {
    type Argument = About;

    fn handle(&self, about: About) {
        let is_due = self.due.with(|d| d.get(&about) == Some(&self.ctx.now()));
        if !is_due || self.api.is_down() {
            return;
        }
        self.due.with(|d| d.remove(&about));
        let is_refused = self.refused.with_ref(|r| r.contains_key(&about.0));
        if let Some((_, takes, made)) = self.api.selected(about.0).filter(|_| is_refused) {
            return self.ask(about, takes, &made);
        }
        let About(volume, Some(node)) = about else { return self.provisioned(about) };
        match self.api.attachment(volume, node) {
            Some(a) if a.deleting => self.api.release_attachment(volume, node),
            Some(a) if !a.attached => _ = self.api.set_attached(Actor::Attacher, volume, node),
            None => self.provisioned(about),
            _ => {}
        }
    }

    fn name(&self, _: About) -> Name {
        Name::of(Actor::Attacher.as_str(), Keys::NOTHING)
    }
}
