//! Devices: ResourceSlices of nodes, rules that taint devices, and what pods have been allocated.
//!
//! A claim itself is not stored: a pod says whether its claims have been made, and what they have been allocated
//! stands here, all of it in one object for each life of a pod.

use super::{ApiError, ApiResult, ApiServer};
use crate::api::device::{
    Device, DeviceClaim, DeviceId, RESERVED_FOR_MAX, RuleCondition, shared_names,
};
use crate::apiserver::prelude::*;
use crate::plan::NewRule;

impl ApiServer {
    /// The drivers of a node publish its devices.
    pub(crate) fn publish_devices(&self, node: NodeId, devices: &Rc<[Device]>) {
        if !devices.is_empty() {
            let now = self.timestamp();
            let since = |t: &Taint| Taint { time_added: t.time_added.or(Some(now)), ..t.clone() };
            let taints = devices.iter().map(|d| d.taints.iter().map(since).collect()).collect();
            self.put_slices(node, Some(ResourceSlices { node, devices: devices.clone(), taints }));
        }
    }

    /// The ResourceSlices of a node that is deleted go with it.
    pub(super) fn withdraw_devices(&self, node: NodeId) {
        if self.store.with_ref(|s| s.devices.slices.contains_key(&node)) {
            self.put_slices(node, None);
        }
    }

    /// The drivers of a node publish other taints of its devices.
    ///
    /// # Errors
    /// `NotFound` where the node has no devices.
    pub(crate) fn taint_devices(
        &self,
        node: NodeId,
        edit: impl Fn(&Device, &mut Vec<Taint>),
    ) -> ApiResult {
        let old = self.slices_of(node).ok_or(ApiError::NotFound)?;
        let mut new = (*old).clone();
        for (device, taints) in old.devices.iter().zip(&mut new.taints) {
            edit(device, taints);
        }
        if new != *old {
            self.put_slices(node, Some(new));
        }
        Ok(())
    }

    fn put_slices(&self, node: NodeId, new: Option<ResourceSlices>) {
        let new = new.map(Rc::new);
        self.writes(self.keys.slices, node.index());
        let old = self.put_by_name(|s| &mut s.devices.slices, node, &new);
        self.tell(|w| w.slices(old.as_ref(), new.as_ref()));
    }

    /// The ResourceSlices of a node.
    pub(crate) fn slices_of(&self, node: NodeId) -> Option<Rc<ResourceSlices>> {
        self.reads(self.keys.slices, node.index());
        self.store.with_ref(|s| s.devices.slices.get(&node).cloned())
    }

    /// All ResourceSlices, by node.
    pub(crate) fn slices(&self) -> Vec<Rc<ResourceSlices>> {
        self.store.with_ref(|s| s.devices.slices.values().cloned().collect())
    }

    /// The devices of all lives of pods that have some.
    pub(crate) fn allocations(&self) -> Vec<Rc<Allocation>> {
        self.store.with_ref(|s| s.devices.allocations.values().cloned().collect())
    }

    fn rule(&self, name: TextId) -> Option<Rc<DeviceTaintRule>> {
        self.store.with_ref(|s| s.devices.rules.get(&name).cloned())
    }

    /// All rules, by name.
    pub(crate) fn rules(&self) -> Vec<Rc<DeviceTaintRule>> {
        self.store.with_ref(|s| s.devices.rules.values().cloned().collect())
    }

    /// POST of a DeviceTaintRule; `timeAdded` is set where it is not given, without its fraction of a second.
    ///
    /// # Errors
    /// `AlreadyExists`.
    pub(crate) fn create_rule(&self, rule: &NewRule) -> ApiResult {
        let NewRule { name, selector, taint, previews } = rule.clone();
        let name = self.names(|n| n.text(&name));
        if self.rule(name).is_some() {
            return Err(ApiError::AlreadyExists);
        }
        let rule = DeviceTaintRule {
            name,
            uid: self.store.with(|s| s.next_uid()),
            generation: 1,
            selector: Rc::new(selector),
            taint: Taint { time_added: taint.time_added.or(Some(self.timestamp())), ..taint },
            previews,
            status: None,
        };
        self.put_rule(name, Some(rule));
        Ok(())
    }

    /// UPDATE of a DeviceTaintRule. `timeAdded` stays where it is not given, unless the effect changes: then it is the
    /// present (`PrepareForUpdate`, `registry/resource/devicetaintrule/strategy.go`).
    ///
    /// # Errors
    /// `NotFound`.
    pub(crate) fn update_rule(&self, rule: &NewRule) -> ApiResult {
        let NewRule { name, selector, taint, previews } = rule.clone();
        let name = self.names(|n| n.text(&name));
        let old = self.rule(name).ok_or(ApiError::NotFound)?;
        let mut new =
            DeviceTaintRule { selector: Rc::new(selector), taint, previews, ..(*old).clone() };
        let was_added = old.taint.time_added;
        let has_other_effect = (new.previews, new.taint.effect) != (old.previews, old.taint.effect);
        let added = new.taint.time_added.or(was_added);
        let is_bumped = has_other_effect && added == was_added;
        new.taint.time_added = if is_bumped { Some(self.timestamp()) } else { added };
        if new != *old {
            new.generation += 1;
            self.put_rule(name, Some(new));
        }
        Ok(())
    }

    /// DELETE of a DeviceTaintRule.
    ///
    /// # Errors
    /// `NotFound`.
    pub(crate) fn delete_rule(&self, name: TextId) -> ApiResult {
        self.rule(name).ok_or(ApiError::NotFound)?;
        self.put_rule(name, None);
        Ok(())
    }

    /// Server-side apply of a rule's condition, for that life of it.
    pub(crate) fn apply_rule_status(
        &self,
        actor: Actor,
        (name, uid): (TextId, Uid),
        condition: RuleCondition,
    ) -> ApiResult {
        let old = self.rule(name).ok_or(ApiError::NotFound)?;
        if old.uid != uid {
            return Err(ApiError::Conflict);
        }
        let text = self.names(|n| {
            let status = if condition.is_true { "True" } else { "False" };
            let name = n.text_of(name).to_owned();
            n.text(&[&name, condition.reason, status, &condition.message].join("\n"))
        });
        let record = self.record(actor, 0, What::Noted(Note::RuleCondition, text.0));
        let new = DeviceTaintRule { status: Some(condition), ..(*old).clone() };
        self.with_cause(record, || self.put_rule(name, Some(new)));
        Ok(())
    }

    fn put_rule(&self, name: TextId, new: Option<DeviceTaintRule>) {
        let new = new.map(Rc::new);
        self.writes(self.keys.rules, 0);
        let old = self.put_by_name(|s| &mut s.devices.rules, name, &new);
        self.tell(|w| w.rule(old.as_ref(), new.as_ref()));
    }

    /// UPDATE of the status of a claim of a pod: these devices are its own, reserved for it. One that pods share may have
    /// been allocated before, and is reserved for this one, too.
    ///
    /// # Errors
    /// `NotFound` where that life of the pod is over; of one that pods share `Conflict` where it was allocated otherwise
    /// in the meantime, or its devices were, and `Invalid` where it is reserved for 256 pods.
    pub(crate) fn allocate_devices(
        &self,
        actor: Actor,
        allocation: &Allocation,
        claim: usize,
    ) -> ApiResult {
        let (pod, uid) = (allocation.pod, allocation.uid);
        self.pod(pod).filter(|p| p.uid == uid).ok_or(ApiError::NotFound)?;
        if let Some(name) = &allocation.shared[claim] {
            self.check_reservation(name, uid, &allocation.devices[claim])?;
        }
        let none = || vec![Vec::new(); allocation.devices.len()];
        let mut new = match self.allocation_of(uid) {
            Some(old) => (*old).clone(),
            None => Allocation { devices: none(), ..allocation.clone() },
        };
        new.devices[claim].clone_from(&allocation.devices[claim]);
        let names: Vec<String> =
            new.devices[claim].iter().map(|d| new.of[d.place as usize].name.clone()).collect();
        let text = self.names(|n| n.text(&names.join(" ")));
        let record = self.record_pod(actor, pod, What::Noted(Note::DevicesAllocated, text.0));
        self.with_cause(record, || self.put_allocation(uid, Some(Rc::new(new))));
        Ok(())
    }

    /// Whether a claim that pods share may be reserved for that life of a pod, with these devices.
    fn check_reservation(&self, name: &str, uid: Uid, devices: &Vec<DeviceId>) -> ApiResult {
        let others = self.allocations();
        let others: Vec<_> = others.iter().filter(|a| a.uid != uid).collect();
        let mut reserved = others.iter().filter_map(|a| a.of_shared(name));
        let fits = match reserved.next() {
            Some(allocated) => allocated == devices,
            None => {
                let mut taken = others.iter().flat_map(|a| a.devices.iter().flatten());
                !taken.any(|d| devices.contains(d))
            }
        };
        match fits {
            true if reserved.count() + 1 >= RESERVED_FOR_MAX => Err(ApiError::Invalid),
            true => Ok(()),
            false => Err(ApiError::Conflict),
        }
    }

    /// UPDATE of the status of a claim that pods share: it is reserved for these lives of pods no longer, and without
    /// any other its devices are free.
    ///
    /// # Errors
    /// None: of a life for which it is not reserved nothing is written.
    pub(crate) fn release_claim(&self, actor: Actor, name: &str, gone: &[Uid]) -> ApiResult {
        for uid in gone {
            let Some(old) = self.allocation_of(*uid) else { continue };
            let its = |shared: &Option<Rc<str>>| shared.as_deref() == Some(name);
            for (claim, _) in (0..).zip(&old.shared).filter(|(_, shared)| its(shared)) {
                self.deallocate_claim(actor, *uid, claim)?;
            }
        }
        Ok(())
    }

    /// UPDATE of the status of a claim that nobody uses any more: its devices are free.
    ///
    /// # Errors
    /// None: of a claim that has no devices nothing is written.
    pub(crate) fn deallocate_claim(&self, actor: Actor, uid: Uid, claim: u32) -> ApiResult {
        let Some(old) = self.allocation_of(uid) else { return Ok(()) };
        let mut new = (*old).clone();
        if let Some(devices) = new.devices.get_mut(claim as usize) {
            devices.clear();
        }
        let is_over = new.devices.iter().all(Vec::is_empty);
        let freed = self.record_pod(actor, old.pod, What::Noted(Note::DevicesFreed, claim));
        self.with_cause(freed, || self.put_allocation(uid, (!is_over).then(|| Rc::new(new))));
        Ok(())
    }

    fn put_allocation(&self, uid: Uid, new: Option<Rc<Allocation>>) {
        self.writes(self.keys.allocations, 0);
        let old = self.put_by_name(|s| &mut s.devices.allocations, uid, &new);
        self.tell(|w| w.allocation(old.as_ref(), new.as_ref()));
    }

    /// A pod that is on a node from the start has the devices of these names, one claim after the other, or else the
    /// first there that nobody has.
    pub(crate) fn allocated_before(&self, pod: &Pod, named: Option<&[String]>) {
        let (Some(node), false) = (pod.node, pod.template.devices.is_empty()) else { return };
        let Some(slices) = self.slices_of(node).filter(|_| !pod.phase.is_terminal()) else {
            return;
        };
        let mut taken = self.allocated_devices();
        let mut named = named.map(|names| names.iter());
        let of_claim = |claim: &DeviceClaim| -> Vec<DeviceId> {
            let count = claim.count as usize;
            let names: Option<Vec<&String>> =
                named.as_mut().map(|n| n.by_ref().take(count).collect());
            if let Some(devices) = claim.shared.as_ref().and_then(|name| self.shared_devices(name))
            {
                return devices;
            }
            let ids = (0..).zip(slices.devices.iter()).filter(|(_, d)| d.driver == claim.driver);
            let its = ids.filter(|(_, d)| names.as_ref().is_none_or(|n| n.contains(&&d.name)));
            let free =
                its.map(|(place, _)| DeviceId { node, place }).filter(|id| !taken.contains(id));
            let got: Vec<DeviceId> = free.take(count).collect();
            taken.extend(&got);
            got
        };
        let devices = pod.template.devices.iter().map(of_claim).collect();
        let shared = shared_names(&pod.template.devices);
        let allocation =
            Allocation { pod: pod.id, uid: pod.uid, devices, shared, of: slices.devices.clone() };
        // The pod is there.
        for claim in 0..allocation.devices.len() {
            let _ = self.allocate_devices(Actor::User, &allocation, claim);
        }
    }

    /// The devices of a life of a pod.
    pub(crate) fn allocation_of(&self, uid: Uid) -> Option<Rc<Allocation>> {
        self.reads(self.keys.allocations, 0);
        self.store.with_ref(|s| s.devices.allocations.get(&uid).cloned())
    }

    /// The devices of a claim that pods share, if it is allocated.
    fn shared_devices(&self, name: &str) -> Option<Vec<DeviceId>> {
        self.reads(self.keys.allocations, 0);
        self.allocations().iter().find_map(|a| a.of_shared(name).cloned())
    }

    /// All devices that somebody has.
    fn allocated_devices(&self) -> BTreeSet<DeviceId> {
        self.reads(self.keys.allocations, 0);
        self.allocations().iter().flat_map(|a| a.devices.iter().flatten().copied()).collect()
    }
}
