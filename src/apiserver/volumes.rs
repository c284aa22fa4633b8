//! Volumes, and VolumeAttachments. Claims are bound: a volume is there once the first pod of its claim has a
//! node, or before, where making it takes time.

use super::{ApiError, ApiResult, ApiServer};
use crate::api::node::named_zone;
use crate::api::volume::{
    AccessMode, Claim, NodeVolumes, Reach, Volume, VolumeAttachment, VolumeId, missing_driver_key,
};
use crate::apiserver::prelude::*;
use crate::trace::Unmade;

impl ApiServer {
    /// The volumes of a pod, in the order of its claims; nothing where one has not been provisioned
    /// yet.
    pub(crate) fn volumes_of(&self, pod: &Pod) -> Vec<Rc<Volume>> {
        if pod.template.claims.is_empty() {
            return Vec::new();
        }
        let ids = self.claims_of(pod);
        self.store
            .with_ref(|s| ids.iter().filter_map(|id| s.volumes.volumes.get(id)).cloned().collect())
    }

    /// The claims of a pod, in the order of its template's.
    pub(crate) fn claims_of(&self, pod: &Pod) -> Rc<[VolumeId]> {
        if let Some(known) = self.store.with_ref(|s| s.volumes.claims.get(&pod.uid).cloned()) {
            return known;
        }
        let claims = pod.template.claims.iter();
        let ids: Rc<[VolumeId]> = self.names(|n| {
            let full = n.pod_name(pod.id).to_owned();
            let (namespace, name) = (namespace_of(&full), short_name(&full));
            claims.map(|c| n.text(&format!("{namespace}/{}", c.name_for(name)))).collect()
        });
        self.store.with(|s| s.volumes.claims.insert(pod.uid, ids.clone()));
        ids
    }

    /// Makes the volumes of a pod that is on a node now, where it is the first to have them: those of
    /// a zone, or of a node, are where it is.
    pub(crate) fn provision(&self, pod: &Pod, on: Option<NodeId>) {
        let Some(on) = on.filter(|_| !pod.template.claims.is_empty()) else { return };
        let ids = self.claims_of(pod);
        for (id, claim) in ids.iter().copied().zip(&pod.template.claims) {
            if self.volume(id).is_none() {
                let volume = self.volume_for(id, claim, Some(on));
                self.store.with(|s| {
                    s.volumes.selected.remove(&id);
                    s.volumes.volumes.insert(id, volume)
                });
            }
        }
    }

    /// The claims of a new pod without a node that come with it.
    pub(super) fn create_volume_claims(&self, pod: &Pod) {
        let comes = |c: &Claim| c.provision.is_some() || c.is_immediate();
        if pod.node.is_none() && pod.template.claims.iter().any(comes) {
            let ids = self.claims_of(pod);
            let claims = ids.iter().zip(&pod.template.claims).filter(|(_, c)| comes(c));
            claims.for_each(|(id, claim)| _ = self.create_volume_claim(*id, claim));
        }
    }

    /// POST of a claim, whose volume is made at once if it is not made for a node (`Immediate`). That of one that is not a
    /// pod's own has been there before.
    pub(crate) fn create_volume_claim(&self, id: VolumeId, claim: &Claim) -> ApiResult {
        if self.has_volume_claim(id) {
            return Err(ApiError::AlreadyExists);
        }
        self.store.with(|s| s.volumes.created.insert(id));
        let made = claim.is_immediate().then(|| self.volume_for(id, claim, None));
        match (made, claim.provision.filter(|_| claim.per_pod)) {
            (None, _) => self.tell(|w| w.claim(id)),
            (Some(made), None) => self.store.with(|s| _ = s.volumes.volumes.insert(id, made)),
            (Some(made), Some(takes)) => {
                self.store.with(|s| s.volumes.selected.insert(id, (None, takes, made)));
                self.claim_changes(Actor::Provisioner, id, None);
            }
        }
        Ok(())
    }

    /// Whether there is a claim.
    pub(crate) fn has_volume_claim(&self, id: VolumeId) -> bool {
        self.volume(id).is_some() || self.store.with_ref(|s| s.volumes.created.contains(&id))
    }

    /// The volume of a claim as it is made for a node, or for none.
    fn volume_for(&self, id: VolumeId, claim: &Claim, on: Option<NodeId>) -> Rc<Volume> {
        let zone = match on {
            Some(on) => {
                self.store.with_ref(|s| named_zone(&s.nodes.get(on.index())?.as_ref()?.labels))
            }
            None => self.zone_for(id, claim),
        };
        self.names(|n| {
            Rc::new(Volume {
                id,
                name: claim.volume.clone().unwrap_or_else(|| n.text_of(id).replace('/', "-")),
                access: claim.access,
                reach: match &claim.reach {
                    // Where nodes have no zones, there is nothing to tell them apart by.
                    Reach::Zone(None) => match zone {
                        None => Reach::Everywhere,
                        zone => Reach::Zone(zone),
                    },
                    Reach::Node(None) => Reach::Node(on.map(|on| n.node_name(on).to_owned())),
                    said => said.clone(),
                },
                attach: claim.attach,
                driver: claim.driver.clone(),
            })
        })
    }

    /// The zone of a volume that is made for no node, among those that nodes are in, or those that its class names,
    /// whether or not a node is there (`GenerateAccessibilityRequirements`).
    fn zone_for(&self, id: VolumeId, claim: &Claim) -> Option<String> {
        let of_nodes: BTreeSet<String> = self.store.with_ref(|s| {
            let nodes = s.nodes.iter().flatten();
            nodes.filter_map(|n| named_zone(&n.labels)).collect()
        });
        let allowed: BTreeSet<String> = claim.allowed_topologies.iter().cloned().collect();
        let zones = if allowed.is_empty() { of_nodes } else { allowed };
        let place = self.names(|n| Claim::place_of(short_name(n.text_of(id)), zones.len()));
        zones.into_iter().nth(place)
    }

    /// PUT of a claim with the annotation `volume.kubernetes.io/selected-node`: from now on its volume is being
    /// made, for that node.
    pub(crate) fn select_node(
        &self,
        actor: Actor,
        volume: VolumeId,
        claim: &Claim,
        node: NodeId,
    ) -> ApiResult {
        let selected = self.selected(volume).map(|(selected, ..)| selected);
        if self.volume(volume).is_some() || selected.is_some_and(|s| s != Some(node)) {
            return Err(ApiError::Conflict);
        }
        if selected.is_none() {
            let made = self.volume_for(volume, claim, Some(node));
            let takes = claim.provision.unwrap_or_default();
            self.store.with(|s| s.volumes.selected.insert(volume, (Some(node), takes, made)));
            self.claim_changes(actor, volume, Some(node));
        }
        Ok(())
    }

    /// The node that a volume is being made for, if it is for one, how long that takes, and what it will be.
    pub(crate) fn selected(&self, volume: VolumeId) -> Option<(Option<NodeId>, Dur, Rc<Volume>)> {
        self.store.with_ref(|s| s.volumes.selected.get(&volume).cloned())
    }

    /// A write of a volume before its claim is bound to it, or of that claim afterwards.
    pub(crate) fn volume_written(&self, volume: VolumeId) {
        self.writes(self.keys.volumes, volume.0 as usize);
        match self.volume(volume) {
            Some(_) => self.tell(|w| w.claim(volume)),
            None => self.tell(|w| w.unbound_volume()),
        }
    }

    /// The claim that waits for its volume is bound to it.
    pub(crate) fn provisioned(&self, volume: VolumeId) {
        let made = self.store.with(|s| s.volumes.selected.remove(&volume));
        let Some((node, _, made)) = made else { return };
        self.store.with(|s| s.volumes.volumes.insert(volume, made));
        self.claim_changes(Actor::Provisioner, volume, node);
    }

    /// external-provisioner gives a claim back: it takes the annotation away (`rescheduleProvisioning`).
    pub(crate) fn give_claim_back(&self, volume: VolumeId, why: Unmade) {
        self.store.with(|s| s.volumes.selected.remove(&volume));
        self.claim_changed(Actor::Provisioner, volume, (Note::ProvisioningFailed, why as u32));
    }

    fn claim_changes(&self, actor: Actor, volume: VolumeId, node: Option<NodeId>) {
        let note = match (node, self.volume(volume)) {
            (Some(_), None) => Note::Provisioning,
            (Some(_), Some(_)) => Note::Provisioned,
            (None, None) => Note::ProvisioningImmediately,
            (None, Some(_)) => Note::ProvisionedImmediately,
        };
        self.claim_changed(actor, volume, (note, node.map_or(0, |n| n.0)));
    }

    /// Notes a change of a claim, about an object, and tells of it.
    fn claim_changed(&self, actor: Actor, volume: VolumeId, (note, object): (Note, u32)) {
        self.writes(self.keys.volumes, volume.0 as usize);
        self.store.with(|s| s.next_version());
        let record = self.record(actor, object, What::Noted(note, volume.0));
        self.with_cause(record, || self.tell(|w| w.claim(volume)));
    }

    /// A volume.
    pub(crate) fn volume(&self, id: VolumeId) -> Option<Rc<Volume>> {
        self.store.with_ref(|s| s.volumes.volumes.get(&id).cloned())
    }

    /// The claims of a pod that only one pod may use at once.
    pub(crate) fn exclusive_claims_of(&self, pod: &Pod) -> Vec<VolumeId> {
        let ids = self.claims_of(pod);
        let ids = ids.iter().copied().zip(&pod.template.claims);
        let exclusive = |(_, c): &(VolumeId, &Claim)| c.access == AccessMode::ReadWriteOncePod;
        ids.filter(exclusive).map(|(id, _)| id).collect()
    }

    /// A VolumeAttachment, as it is stored now.
    pub(crate) fn attachment(&self, volume: VolumeId, node: NodeId) -> Option<VolumeAttachment> {
        self.store.with_ref(|s| s.volumes.attachments.get(&(node, volume)).copied())
    }

    /// All VolumeAttachments: their volumes and nodes.
    pub(crate) fn attachments(&self) -> Vec<(VolumeId, NodeId)> {
        let mut all: Vec<_> = self.store.with_ref(|s| {
            s.volumes.attachments.keys().map(|(node, volume)| (*volume, *node)).collect()
        });
        all.sort_unstable();
        all
    }

    /// The volumes that VolumeAttachments are about of one node.
    pub(crate) fn attachments_to(&self, node: NodeId) -> Vec<Rc<Volume>> {
        let all = (node, TextId(0))..=(node, TextId(u32::MAX));
        self.store.with_ref(|s| {
            let ids = s.volumes.attachments.range(all).map(|((_, volume), _)| volume);
            ids.filter_map(|id| s.volumes.volumes.get(id)).cloned().collect()
        })
    }

    /// The driver of a volume, where a node does not have it.
    pub(crate) fn missing_driver(&self, volume: VolumeId, node: NodeId) -> Option<String> {
        let driver = self.volume(volume)?.driver.clone()?;
        self.node(node)?.allocatable.contains_key(&missing_driver_key(&driver)).then_some(driver)
    }

    /// POST of a VolumeAttachment.
    pub(crate) fn create_attachment(&self, actor: Actor, id: VolumeId, node: NodeId) -> ApiResult {
        if self.attachment(id, node).is_some() {
            return Err(ApiError::AlreadyExists);
        }
        // Until the node says that it uses the volume its posts may make a difference.
        self.touch(node);
        let new = VolumeAttachment::default();
        self.put_attachment(actor, (id, node), Note::AttachmentCreated, Some(new));
        Ok(())
    }

    /// A write of a VolumeAttachment's status: the volume is attached.
    pub(crate) fn set_attached(&self, actor: Actor, volume: VolumeId, node: NodeId) -> ApiResult {
        let old = self.attachment(volume, node).ok_or(ApiError::NotFound)?;
        let new = VolumeAttachment { attached: true, ..old };
        self.put_attachment(actor, (volume, node), Note::AttachmentAttached, Some(new));
        Ok(())
    }

    /// DELETE of a VolumeAttachment: it stays until the external-attacher has detached the volume.
    pub(crate) fn delete_attachment(&self, actor: Actor, id: VolumeId, node: NodeId) -> ApiResult {
        let old = self.attachment(id, node).ok_or(ApiError::NotFound)?;
        if !old.deleting {
            let new = VolumeAttachment { deleting: true, ..old };
            self.put_attachment(actor, (id, node), Note::AttachmentDeleting, Some(new));
        }
        Ok(())
    }

    /// The external-attacher takes its finalizer off: the volume is detached.
    pub(crate) fn release_attachment(&self, volume: VolumeId, node: NodeId) {
        if self.attachment(volume, node).is_some() {
            self.put_attachment(Actor::Attacher, (volume, node), Note::AttachmentGone, None);
        }
    }

    fn put_attachment(
        &self,
        actor: Actor,
        (volume, node): (VolumeId, NodeId),
        note: Note,
        new: Option<VolumeAttachment>,
    ) {
        self.writes(self.keys.volumes, volume.0 as usize);
        self.put_by_name(|s| &mut s.volumes.attachments, (node, volume), &new);
        let record = self.record_node(actor, node, What::Noted(note, volume.0));
        self.with_cause(record, || self.tell(|w| w.attachment(volume, node)));
    }

    /// A volume is attached to a node, and in use there, before the run begins.
    pub(crate) fn attached_before(&self, volume: VolumeId, node: NodeId) {
        if self.attachment(volume, node).is_none() {
            let _ = self.create_attachment(Actor::User, volume, node);
            let _ = self.set_attached(Actor::User, volume, node);
        }
        let add = |list: &mut Vec<VolumeId>| {
            if let Err(place) = list.binary_search(&volume) {
                list.insert(place, volume);
            }
        };
        // The node may not be there, and then has no status.
        let _ = self.mutate_node(Actor::User, node, |n| {
            let mut all = n.volumes.as_deref().cloned().unwrap_or_default();
            add(&mut all.attached);
            add(&mut all.in_use);
            n.volumes = Some(Rc::new(all));
        });
    }

    /// PATCH of a node's `status.volumesAttached`.
    pub(crate) fn patch_volumes_attached(
        &self,
        actor: Actor,
        node: NodeId,
        attached: Vec<VolumeId>,
    ) -> ApiResult {
        self.mutate_node(actor, node, |n| {
            let in_use = n.volumes.as_ref().map_or_else(Vec::new, |v| v.in_use.clone());
            n.volumes = Some(Rc::new(NodeVolumes { attached, in_use }));
        })
        .map(|_| ())
    }
}
