//! What is said of claims whose volumes take time to make, in events: by the controller that binds claims
//! (`pkg/controller/volume/persistentvolume/pv_controller.go: syncUnboundClaim`, v1.34) and by external-provisioner
//! (`provisionClaimOperation` of sig-storage-lib-external-provisioner, v13).
//!
//! The controller looks at a claim that changes, and at all that are not bound every 15 s. A claim comes to be with its
//! first pod, right before it; one of a pod that is there from the start was there before. Left out: the look that the
//! annotation `storage-provisioner` leads to, which the controller itself sets: it says ExternalProvisioning once more, if
//! the first look is over by then. What falls into an outage of the API server is not said; upstream tries again for two minutes.

use crate::api::pod::Pod;
use crate::api::volume::{DEFAULT_DRIVER, Volume, VolumeId};
use crate::api::workload::short_name;
use crate::apiserver::Watcher;
use crate::client::{About, Correlator};
use crate::kernel::{Class, Handler, HandlerId};
use crate::plan::switches::persistent_volume::Switches;
use crate::sim::prelude::*;
use crate::trace::{EventBody, EventText, Message};
use std::collections::BTreeSet;

/// `--pvclaimbinder-sync-period`
const RESYNC_PERIOD: Dur = Dur::from_secs(15);

/// How long its first lists take: they come before its first look.
const LISTS: Dur = Dur::from_micros(1);

/// Who says something of a claim: each has a recorder of its own.
#[derive(Clone, Copy)]
enum Source {
    Binder,
    Provisioner,
}

/// The claims that are not bound, and what was said of them.
pub(super) struct Claims {
    ctx: Ctx,
    api: Rc<ApiServer>,
    switches: Switches,
    /// The recorder of each source.
    said: Shared<Vec<Correlator>>,
    /// When the last event was made: the clock goes on from one to the next.
    last: Cell<Time>,
    unbound: Shared<BTreeSet<VolumeId>>,
    /// Pods that had no node when they were created.
    waiting: Shared<BTreeSet<PodId>>,
    worker: Cell<Option<HandlerId<u32>>>,
    /// When in its period a look at all claims comes, as long as any is not bound.
    phase: Cell<Dur>,
    /// How often the controller that binds claims has been started anew, and whether it runs.
    life: Cell<u32>,
    binds: Cell<bool>,
}

impl Claims {
    /// Has claims heeded from now on, if any takes time. A controller that starts in the run looks every period from then on.
    pub(super) fn start(api: &Rc<ApiServer>, plan: &Plan) -> Rc<Self> {
        let (switches, provisions) = (plan.profile.persistent_volume, plan.provisions);
        // They are large, and most runs have no such claim.
        let recorders = if provisions { 2 } else { 0 };
        let said = Shared::new((0..recorders).map(|_| Correlator::new()).collect());
        let (ctx, api) = (api.ctx().clone(), api.clone());
        let phase = match provisions && plan.warm_start {
            true => ctx.phase(ctx.point("claim-resync-phase"), RESYNC_PERIOD),
            // What comes a whole number of periods after the controller's start is found so.
            false => {
                let start = plan.controllers_start + LISTS;
                Dur::from_nanos(start.as_nanos() % RESYNC_PERIOD.as_nanos())
            }
        };
        let last = Cell::new(Time::ZERO);
        let (unbound, waiting, worker, life) = Default::default();
        let (phase, binds) = (Cell::new(phase), Cell::new(true));
        let own =
            Self { ctx, api, switches, said, last, unbound, waiting, worker, phase, life, binds };
        let claims = Rc::new(own);
        if provisions {
            claims.worker.set(Some(claims.ctx.register(claims.clone())));
            claims.api.watch(claims.clone());
        }
        claims
    }

    /// Whether the controller that binds claims runs.
    pub(super) fn binds(&self) -> bool {
        self.binds.get()
    }

    /// kube-controller-manager dies, or starts anew. Then that controller looks at all claims that are not bound, and every
    /// period from then on; `found` are those whose volumes it has found. At the first it looks twice: it has done so before its
    /// watch tells of that claim. It has not where it binds another first.
    pub(super) fn controllers_run(&self, run: bool, found: &[VolumeId]) {
        if self.binds.replace(run) || !run {
            return;
        }
        self.said.with(|all| all.first_mut().into_iter().for_each(|c| *c = Correlator::new()));
        self.life.set(self.life.get() + 1);
        self.phase.set(Dur::from_nanos(self.ctx.now().as_nanos() % RESYNC_PERIOD.as_nanos()));
        self.unbound.with(|all| all.retain(|claim| !found.contains(claim)));
        self.look_at_all();
        let first = self.unbound.with_ref(|all| all.first().copied());
        first.into_iter().filter(|_| found.is_empty()).for_each(|claim| self.sync(claim));
    }

    /// external-provisioner asks the driver for a volume.
    pub(super) fn provisioning(&self, claim: VolumeId) {
        let name = self.api.names(|n| n.text_of(claim).to_owned());
        let words = format!("External provisioner is provisioning volume for claim {name:?}");
        self.tell(Source::Provisioner, claim, EventText::Provisioning, Some(&words));
    }

    /// The volume of a claim is made.
    pub(super) fn succeeded(&self, made: &Volume) {
        let words = format!("Successfully provisioned volume {}", made.name);
        let text = EventText::ProvisioningSucceeded;
        self.tell(Source::Provisioner, made.id, text, Some(&words));
    }

    /// It is not made, for this reason.
    pub(super) fn failed(&self, claim: VolumeId, why: &str) {
        self.tell(Source::Provisioner, claim, EventText::ProvisioningFailed, Some(why));
    }

    /// Remembers a claim that is not bound; whether it is new.
    fn add(&self, claim: VolumeId) -> bool {
        if self.unbound.with_ref(BTreeSet::is_empty) {
            let period = RESYNC_PERIOD.as_nanos();
            let into = (self.ctx.now().as_nanos() + period - self.phase.get().as_nanos()) % period;
            self.look_in(Dur::from_nanos(period - into));
        }
        self.unbound.with(|all| all.insert(claim))
    }

    fn look_in(&self, delay: Dur) {
        if let Some(worker) = self.worker.get() {
            self.ctx.post_at(self.ctx.now() + delay, Class::Source, worker, self.life.get());
        }
    }

    /// `resync`
    fn look_at_all(&self) {
        let api = &self.api;
        let waits = |id: &PodId| api.pod(*id).is_some_and(|pod| pod.node.is_none());
        self.waiting.with(|all| all.retain(waits));
        let unbound = self.unbound.with(|all| {
            all.retain(|id| api.volume(*id).is_none());
            all.clone()
        });
        unbound.iter().for_each(|claim| self.sync(*claim));
        if !unbound.is_empty() {
            self.look_in(RESYNC_PERIOD);
        }
    }

    /// `syncUnboundClaim`
    fn sync(&self, claim: VolumeId) {
        let Some((.., made)) = self.api.selected(claim) else {
            return self.wait_for_a_node(claim);
        };
        let driver = made.driver.as_deref().unwrap_or(DEFAULT_DRIVER);
        let words = match self.switches.says_what_to_verify {
            true => format!(
                "Waiting for a volume to be created either by the external provisioner '{driver}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered."
            ),
            false => format!(
                "waiting for a volume to be created, either by external provisioner {driver:?} or manually created by system administrator"
            ),
        };
        self.tell(Source::Binder, claim, EventText::ExternalProvisioning, Some(&words));
    }

    /// `emitEventForUnboundDelayBindingClaim`
    fn wait_for_a_node(&self, claim: VolumeId) {
        let pods = match self.switches.names_waiting_pods {
            true => self.pods_waiting_for(claim),
            false => Vec::new(),
        };
        let words = match pods.as_slice() {
            [] => return self.tell(Source::Binder, claim, EventText::WaitForFirstConsumer, None),
            [pod] => format!("waiting for pod {pod} to be scheduled"),
            pods => format!("waiting for pods {} to be scheduled", pods.join(",")),
        };
        self.tell(Source::Binder, claim, EventText::WaitForPodScheduled, Some(&words));
    }

    /// The names of the pods that have a claim and no node yet (`findNonScheduledPodsByPVC`).
    fn pods_waiting_for(&self, claim: VolumeId) -> Vec<String> {
        let pods: Vec<PodId> = self.waiting.with(|all| all.iter().copied().collect());
        let pods = pods.into_iter().filter_map(|id| self.api.pod(id));
        let waits = |pod: &Rc<Pod>| {
            let has_ended = pod.phase.is_terminal();
            pod.node.is_none() && !has_ended && self.api.claims_of(pod).contains(&claim)
        };
        let name = |pod: Rc<Pod>| self.api.names(|n| short_name(n.pod_name(pod.id)).to_owned());
        pods.filter(waits).map(name).collect()
    }

    /// Has an event of a claim written, if its source's recorder lets it through.
    fn tell(&self, source: Source, claim: VolumeId, text: EventText, words: Option<&str>) {
        if self.api.is_down() {
            return;
        }
        let now = self.ctx.now();
        let at = now.max(self.last.get() + Dur::from_nanos(1));
        self.last.set(at);
        let body = match words {
            Some(words) => EventBody::of_words(text, self.api.names(|n| n.text(words))),
            None => text.into(),
        };
        let about = About::Claim(claim);
        let told =
            self.said.with(|all| all.get_mut(source as usize)?.correlate(about, body, at, now));
        let Some(told) = told else { return };
        let event = Message { body, combined: told.combined, count: told.count };
        let write = |patch: bool| match patch {
            true => self.api.patch_event(Actor::Provisioner, told.name, event),
            false => self.api.create_event(Actor::Provisioner, told.name, event),
        };
        if told.count == 1 || write(true).is_err() {
            // One of that name may be there.
            let _ = write(false);
        }
    }
}

impl Watcher for Claims {
    fn pod(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let is_new = |pod: &&Rc<Pod>| old.is_none() && pod.node.is_none();
        if let Some(pod) = new.filter(is_new).filter(|pod| pod.template.provisions()) {
            self.waiting.with(|all| all.insert(pod.id));
        }
    }

    fn claim(&self, volume: VolumeId) {
        if self.api.volume(volume).is_some() {
            return;
        }
        let was_there = self.add(volume) && self.ctx.now() == Time::ZERO;
        if !self.binds() {
            return;
        }
        if !was_there || self.api.selected(volume).is_some() {
            self.sync(volume);
        }
    }
}

impl Handler for Claims {
    type Argument = u32;

    /// Looks at all claims that are not bound, where it is the controller's that runs.
    fn handle(&self, life: u32) {
        if life == self.life.get() && self.binds() {
            self.look_at_all();
        }
    }

    fn name(&self, _: u32) -> Name {
        Name::of(Actor::Provisioner.as_str(), Keys::NOTHING)
    }
}
