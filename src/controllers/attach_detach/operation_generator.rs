//! What attaches a volume, and what detaches it (`operationexecutor/operation_generator.go`,
//! `csi/csi_attacher.go`): a VolumeAttachment is created or deleted, and the operation waits until the
//! external-attacher has done its work.

use super::actual_state_of_world::ActualStateOfWorld;
use crate::api::volume::{Volume, VolumeAttachment};
use crate::apiserver::Watcher;
use crate::controllers::prelude::*;
use crate::plan::switches::attach_detach::Switches;
use std::cell::RefCell;

/// `csiTimeout`: for how long an operation waits for the external-attacher.
const CSI_TIMEOUT: Dur = Dur::from_secs(120);
/// The pauses between two looks at a VolumeAttachment in the cache
/// (`waitForVolumeAttachDetachStatusWithLister`): the longest, by what each is longer than the
/// one before, and up to which share of it comes on top, both in hundredths.
const MAX_BACKOFF: Dur = Dur::from_secs(7);
const BACKOFF_PERCENT: u64 = 105;
const JITTER_PERCENT: u64 = 10;

/// Why an operation failed, in words.
type Failure = String;

/// Attaches and detaches.
pub(super) struct OperationGenerator {
    ctx: Ctx,
    client: Client,
    recorder: EventRecorder,
    /// `looks_after`: it looks at VolumeAttachments from time to time, first after this long; otherwise it watches them.
    switches: Switches,
    /// Operations that watch a VolumeAttachment.
    watching: Rc<Watching>,
    informers: Rc<InformerFactory>,
    /// VolumeAttachments as they were last seen.
    seen: RefCell<BTreeMap<(VolumeId, NodeId), Option<VolumeAttachment>>>,
}

impl OperationGenerator {
    pub(super) fn new(context: ControllerContext, switches: Switches) -> Self {
        let ControllerContext { ctx, client, informers, recorder, .. } = context;
        let watching = Rc::new(Watching {
            ctx: ctx.clone(),
            tickets: RefCell::default(),
            closed: Cell::new(0),
        });
        if switches.looks_after.is_none() {
            client.api().watch(watching.clone());
            let watching = watching.clone();
            informers.when_closed(Rc::new(move || watching.close()));
        }
        Self { ctx, client, recorder, switches, watching, informers, seen: RefCell::default() }
    }

    /// `GenerateAttachVolumeFunc`: whether it succeeded.
    pub(super) async fn attach(
        &self,
        volume: &Volume,
        node: NodeId,
        pods: &[(PodId, Uid)],
        actual: &Shared<ActualStateOfWorld>,
    ) -> bool {
        let attached = self.csi_attach(volume.id, node).await;
        let is_attached = attached.is_ok();
        let (text, words) = match attached {
            Ok(()) => (
                EventText::SuccessfulAttachVolume,
                format!("AttachVolume.Attach succeeded for volume {:?} ", volume.name),
            ),
            Err(why) => (
                EventText::FailedAttachVolume,
                format!("AttachVolume.Attach failed for volume {:?} : {why}", volume.name),
            ),
        };
        self.tell(pods, text, &words);
        actual.with(|a| a.add_volume_node((volume.id, node), is_attached, true));
        is_attached
    }

    /// `GenerateDetachVolumeFunc`: whether it succeeded.
    pub(super) async fn detach(
        &self,
        (volume, node): (VolumeId, NodeId),
        verify_safe_to_detach: bool,
        actual: &Shared<ActualStateOfWorld>,
    ) -> bool {
        let is_safe = !verify_safe_to_detach || self.is_safe_to_detach(volume, node).await;
        let is_detached = is_safe && self.csi_detach(volume, node).await.is_ok();
        actual.with(|a| {
            if is_detached {
                a.delete_volume_node(volume, node);
            } else if self.switches.failed_detach_is_uncertain {
                let has_spec = a.has_spec(volume);
                a.add_volume_node((volume, node), false, has_spec);
            } else {
                a.add_to_report(volume, node);
            }
        });
        is_detached
    }

    /// An event about each of these pods.
    pub(super) fn tell(&self, pods: &[(PodId, Uid)], text: EventText, words: &str) {
        let words = self.client.api().names(|n| n.text(words));
        for (pod, uid) in pods {
            self.recorder.event(About::Pod(*pod, Some(*uid)), EventBody::of_words(text, words));
        }
    }

    /// `verifyVolumeIsSafeToDetach`
    async fn is_safe_to_detach(&self, volume: VolumeId, node: NodeId) -> bool {
        match self.client.get_node(node).await {
            Ok(n) => n.volumes.as_ref().is_none_or(|v| !v.in_use.contains(&volume)),
            Err(error) => error == ApiError::NotFound,
        }
    }

    /// `csiAttacher.Attach`
    async fn csi_attach(&self, volume: VolumeId, node: NodeId) -> Result<(), Failure> {
        // Up to 1.20 it does not look first.
        if self.switches.looks_after.is_none() || self.lister(volume, node).is_none() {
            let create = move |api: &ApiServer, actor| api.create_attachment(actor, volume, node);
            match self.client.call(self.client.node_object(node), create).await {
                Ok(()) | Err(ApiError::AlreadyExists) => {}
                Err(error) => {
                    let why = error.of("post volumeattachments.storage.k8s.io");
                    return Err(format!("kubernetes.io/csi: attacher.Attach failed: {why}"));
                }
            }
        }
        let verify = || match self.lister(volume, node) {
            // It may not have made it into the cache yet.
            None => Ok(false),
            Some(a) if a.deleting => Err("volume attachment is being deleted".to_owned()),
            Some(a) if a.attached => Ok(true),
            // The external-attacher has said so in the status (`getNodeID`).
            Some(_) => match self.client.api().missing_driver(volume, node) {
                Some(driver) => {
                    let node = self.client.api().names(|n| n.node_name(node).to_owned());
                    Err(format!("CSINode {node} does not contain driver {driver}"))
                }
                None => Ok(false),
            },
        };
        self.wait_for_status(volume, verify, "attach").await
    }

    /// `csiAttacher.Detach`
    async fn csi_detach(&self, volume: VolumeId, node: NodeId) -> Result<(), Failure> {
        let delete = move |api: &ApiServer, actor| api.delete_attachment(actor, volume, node);
        match self.client.call(self.client.node_object(node), delete).await {
            Ok(()) => {}
            Err(ApiError::NotFound) => return Ok(()),
            Err(error) => return Err(format!("detacher.Detach failed: {error}")),
        }
        let verify = || Ok(self.lister(volume, node).is_none());
        self.wait_for_status(volume, verify, "detach").await
    }

    /// A VolumeAttachment as the cache has it: of now, while the watch delivers.
    fn lister(&self, volume: VolumeId, node: NodeId) -> Option<VolumeAttachment> {
        let mut seen = self.seen.borrow_mut();
        if self.informers.is_watching(Resource::Pods) {
            seen.insert((volume, node), self.client.api().attachment(volume, node));
        }
        seen.get(&(volume, node)).copied().flatten()
    }

    /// `waitForVolumeAttachDetachStatusWithLister`, and where it watches
    /// `waitForVolumeAttachDetachStatus`.
    async fn wait_for_status(
        &self,
        volume: VolumeId,
        verify: impl Fn() -> Result<bool, Failure>,
        what: &str,
    ) -> Result<(), Failure> {
        let api = self.client.api().clone();
        let until = self.ctx.now() + CSI_TIMEOUT;
        let mut pause = self.switches.looks_after;
        let closed = self.watching.closed.get();
        while self.ctx.now() < until {
            if let Some(pause) = &mut pause {
                let most = pause.as_nanos() / 100 * JITTER_PERCENT;
                let hash = api.names(|n| n.text_hash(volume));
                let about = Object { id: volume.0, hash };
                let point = self.ctx.point("attachment-poll");
                let jitter = self.ctx.uniform(point, about, 0, most.saturating_sub(1));
                let look = self.ctx.now() + *pause + Dur::from_nanos(jitter);
                self.ctx.sleep_until(look.min(until)).await;
                *pause = Dur::from_nanos(pause.as_nanos() / 100 * BACKOFF_PERCENT).min(MAX_BACKOFF);
                if look > until {
                    break;
                }
            }
            if verify()? {
                return Ok(());
            }
            if pause.is_none() {
                self.watching.change(until).await;
                if self.watching.closed.get() != closed {
                    return Err("volume attachment watch channel had been closed".to_owned());
                }
            }
        }
        let found = api.volume(volume).map(|v| (v.driver.clone(), v.name.clone()));
        let (driver, name) = found.unwrap_or_default();
        let driver = driver.unwrap_or_default();
        Err(self.switches.timeout_text.map_or_else(
            || format!("timed out waiting for external-attacher of {driver} CSI driver to {what} volume {name}"),
            |text| format!("{text} {name}"),
        ))
    }
}

/// Operations that watch a VolumeAttachment.
struct Watching {
    ctx: Ctx,
    tickets: RefCell<Vec<Ticket>>,
    /// How often their watches were closed.
    closed: Cell<u32>,
}

impl Watching {
    /// Goes on when a VolumeAttachment changes, or then.
    async fn change(&self, until: Time) {
        self.ctx
            .parked(|t| {
                self.tickets.borrow_mut().push(t);
                self.ctx.wake_at(until, t);
            })
            .await;
    }

    fn wake(&self) {
        for ticket in self.tickets.take() {
            if self.ctx.claim(ticket) {
                self.ctx.wake(ticket);
            }
        }
    }

    fn close(&self) {
        self.closed.set(self.closed.get() + 1);
        self.wake();
    }
}

impl Watcher for Watching {
    fn attachment(&self, _: VolumeId, _: NodeId) {
        self.wake();
    }
}
