//! Devices: ResourceSlices of nodes, rules that taint devices, and what pods have been allocated.
//!
//! A claim itself is not stored: a pod says whether its claims have been made, and what they have been allocated
//! stands here, all of it in one object for each life of a pod. Of a claim that pods share its version is stored, too.

use super::{ApiError, ApiResult, ApiServer, Stored};
use crate::api::allocator;
use crate::api::device::{
    Device, DeviceClaim, DeviceId, DeviceResult, RESERVED_FOR_MAX, RuleCondition,
};
use crate::api::names::{generated_letters, stable_hash};
use crate::apiserver::prelude::*;
use crate::plan::NewRule;

/// A claim that pods share as a request leaves it, if it concerns one.
type Written<'a> = Option<&'a Rc<SharedClaim>>;

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

    /// UPDATE of a DeviceTaintRule. `timeAdded` stays where it is not given, unless the effect changes and that `bumps` it:
    /// then it is the present (`PrepareForUpdate`, `registry/resource/devicetaintrule/strategy.go`).
    ///
    /// # Errors
    /// `NotFound`.
    pub(crate) fn update_rule(&self, rule: &NewRule, bumps: bool) -> ApiResult {
        let NewRule { name, selector, taint, previews } = rule.clone();
        let name = self.names(|n| n.text(&name));
        let old = self.rule(name).ok_or(ApiError::NotFound)?;
        let mut new =
            DeviceTaintRule { selector: Rc::new(selector), taint, previews, ..(*old).clone() };
        let was_added = old.taint.time_added;
        let has_other_effect = (new.previews, new.taint.effect) != (old.previews, old.taint.effect);
        let added = new.taint.time_added.or(was_added);
        let is_bumped = bumps && has_other_effect && added == was_added;
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
        let said = |c: &RuleCondition| (c.is_true, c.reason, c.message.clone());
        let is_new = old.status.as_ref().map(said) != Some(said(&condition));
        let text = self.names(|n| {
            let status = if condition.is_true { "True" } else { "False" };
            let name = n.text_of(name).to_owned();
            n.text(&[&name, condition.reason, status, &condition.message].join("\n"))
        });
        let new = DeviceTaintRule { status: Some(condition), ..(*old).clone() };
        if is_new {
            let record = self.record(actor, 0, What::Noted(Note::RuleCondition, text.0));
            self.with_cause(record, || self.put_rule(name, Some(new)));
        } else {
            self.put_rule(name, Some(new));
        }
        Ok(())
    }

    fn put_rule(&self, name: TextId, new: Option<DeviceTaintRule>) {
        let new = new.map(Rc::new);
        self.writes(self.keys.rules, 0);
        let old = self.put_by_name(|s| &mut s.devices.rules, name, &new);
        self.tell(|w| w.rule(old.as_ref(), new.as_ref()));
    }

    /// POST of a claim of a pod.
    pub(crate) fn create_claim(&self, pod: PodId, claim: usize) -> ApiResult {
        self.store.with(|s| *s.devices.made.entry((pod, claim)).or_default() += 1);
        Ok(())
    }

    /// What the claim of a pod is called. The pod's own name of it is taken to be `claim-0` and so on.
    pub(crate) fn claim_name(&self, pod: PodId, claim: usize) -> String {
        let number = self.store.with_ref(|s| s.devices.made.get(&(pod, claim)).copied());
        let number = number.unwrap_or(1);
        self.names(|n| {
            let base = format!("{}-claim-{claim}-", n.pod_name(pod));
            let name =
                base.clone() + &generated_letters(stable_hash(&format!("{base}{number}")), 5);
            n.set_alias(short_name(&name), &format!("{}#{number}", short_name(&base)));
            name
        })
    }

    /// UPDATE of the status of a claim of a pod: these devices are its own, reserved for it. One that pods share, of the
    /// version that was read, may have been allocated before, and is reserved for this one, too.
    ///
    /// # Errors
    /// `NotFound` where that life of a pod with a claim for itself is over; of one that pods share `Conflict` where it is of
    /// another version by now, and `Invalid` where it is reserved for 256 pods, or for one and this does not allocate it.
    pub(crate) fn allocate_devices(
        &self,
        actor: Actor,
        (allocation, claim): (&Allocation, usize),
        (read, allocates): (Option<&SharedClaim>, bool),
    ) -> ApiResult<Option<Rc<SharedClaim>>> {
        let (pod, uid) = (allocation.pod, allocation.uid);
        let shared = read.map(|read| self.reserved(read, uid, allocates)).transpose()?;
        if read.is_none() {
            self.pod(pod).filter(|p| p.uid == uid).ok_or(ApiError::NotFound)?;
        }
        let claims = allocation.devices.len();
        let (devices, reserved) = (vec![Vec::new(); claims], vec![false; claims]);
        let fresh = || Allocation { devices, reserved, ..allocation.clone() };
        let mut new = self.allocation_of(uid).map_or_else(fresh, |old| (*old).clone());
        // One that is only reserved keeps what it was allocated meanwhile, on whichever node (`bindClaim`).
        let kept = read.filter(|_| !allocates).and_then(|read| {
            let has = |a: &Rc<Allocation>| Some((a.clone(), a.place_of_shared(&read.name)?));
            self.allocations().iter().find_map(has)
        });
        let (from, place) = kept.as_ref().map_or((allocation, claim), |(a, place)| (a, *place));
        new.devices[claim].clone_from(&from.devices[place]);
        new.of[claim].clone_from(&from.of[place]);
        new.reserved[claim] = true;
        let name = |r: &DeviceResult| new.of[claim][r.device.place as usize].name.clone();
        let names: Vec<String> = new.devices[claim].iter().map(name).collect();
        let text = self.names(|n| n.text(&names.join(" ")));
        let record = self.record_pod(actor, pod, What::Noted(Note::DevicesAllocated, text.0));
        let new = Some(Rc::new(new));
        self.with_cause(record, || self.put_allocation(uid, new, shared.as_ref()));
        Ok(shared)
    }

    /// UPDATE of a claim for a life of a pod alone: it gets the finalizer, which stays for as long as that lasts.
    ///
    /// # Errors
    /// `NotFound` where the pod is gone.
    pub(crate) fn finalize_own_claim(&self, pod: PodId, of: (Uid, usize)) -> ApiResult {
        self.pod(pod).ok_or(ApiError::NotFound)?;
        self.store.with(|s| s.devices.finalized.insert(of));
        Ok(())
    }

    /// Whether such a claim has the finalizer, if it was not allocated before the run.
    pub(crate) fn has_finalizer(&self, of: (Uid, usize)) -> bool {
        self.store.with_ref(|s| s.devices.finalized.contains(&of))
    }

    /// What becomes of a claim that pods share when it is reserved for one more.
    fn reserved(&self, read: &SharedClaim, uid: Uid, allocates: bool) -> Stored<SharedClaim> {
        let next = self.next_of_shared(read)?;
        let has_it = |a: &&Rc<Allocation>| a.uid != uid && a.has_reserved(&read.name);
        let is_full = self.allocations().iter().filter(has_it).count() >= RESERVED_FOR_MAX;
        if is_full || !allocates && !read.is_allocated {
            return Err(ApiError::Invalid);
        }
        // Who allocates it has given it the finalizer.
        Ok(Rc::new(SharedClaim { is_allocated: true, has_finalizer: true, ..next }))
    }

    /// UPDATE of the status of a claim that pods share, of the version that was read: it is reserved for these lives of pods
    /// no longer, and without any other its devices are free.
    ///
    /// # Errors
    /// `Conflict` where it is of another version by now.
    pub(crate) fn release_claim(
        &self,
        by: Actor,
        read: &SharedClaim,
        gone: &[Uid],
    ) -> Stored<SharedClaim> {
        let next = self.next_of_shared(read)?;
        let (gone, left): (Vec<_>, Vec<_>) = (self.allocations().into_iter())
            .filter_map(|a| Some((a.place_of_shared(&read.name)?, a)))
            .partition(|(claim, a)| gone.contains(&a.uid) || !a.reserved[*claim]);
        let next = Rc::new(SharedClaim { is_allocated: !left.is_empty(), ..next });
        for (i, (claim, a)) in (1..).zip(&gone) {
            // All of it is one change, which is made with its last part.
            let shared = (i == gone.len()).then_some(&next);
            self.deallocate(by, (a.uid, *claim as u32), shared)?;
        }
        Ok(next)
    }

    /// UPDATE of a claim that pods share, of the version that was read: it gets the finalizer of an allocation, or loses it.
    ///
    /// # Errors
    /// `Conflict` where it is of another version by now.
    pub(crate) fn finalize_claim(&self, read: &SharedClaim, has: bool) -> Stored<SharedClaim> {
        let next = Rc::new(SharedClaim { has_finalizer: has, ..self.next_of_shared(read)? });
        self.put_allocation(Uid::default(), None, Some(&next));
        Ok(next)
    }

    /// What a write that holds for the version of a claim that was read makes of it.
    fn next_of_shared(&self, read: &SharedClaim) -> ApiResult<SharedClaim> {
        let stored = self.shared_claim(&read.name);
        let next = SharedClaim { version: stored.version + 1, ..(*stored).clone() };
        let touch = || self.put_allocation(Uid::default(), None, Some(&Rc::new(next.clone())));
        let is_outdated = self.is_outdated(read.version, stored.version, touch);
        (!is_outdated).then_some(next).ok_or(ApiError::Conflict)
    }

    /// UPDATE of the status of a claim that a life of a pod uses no more: its devices are free, unless pods share it, and
    /// then it becomes this.
    ///
    /// # Errors
    /// None: of a claim that has no devices nothing is written.
    pub(crate) fn deallocate(&self, by: Actor, of: (Uid, u32), shared: Written<'_>) -> ApiResult {
        let (uid, claim) = of;
        let Some(old) = self.allocation_of(uid) else { return Ok(()) };
        let mut new = (*old).clone();
        if let Some(devices) = new.devices.get_mut(claim as usize) {
            devices.clear();
            new.reserved[claim as usize] = false;
        }
        let is_over = new.devices.iter().all(Vec::is_empty);
        let freed = self.record_pod(by, old.pod, What::Noted(Note::DevicesFreed, claim));
        let new = (!is_over).then(|| Rc::new(new));
        self.with_cause(freed, || self.put_allocation(uid, new, shared));
        Ok(())
    }

    /// PATCH of the status of a claim: it is reserved for this life of a pod no longer, and stays allocated. What that
    /// life has left.
    ///
    /// # Errors
    /// `NotFound` where the claim is not reserved for it.
    pub(crate) fn unreserve(
        &self,
        by: Actor,
        (uid, claim): (Uid, usize),
    ) -> ApiResult<Option<Rc<Allocation>>> {
        let old = self.allocation_of(uid).filter(|a| a.reserved[claim]);
        let old = old.ok_or(ApiError::NotFound)?;
        let mut new = (*old).clone();
        new.reserved[claim] = false;
        let shared = new.shared[claim].as_ref().map(|known| {
            let stored = self.shared_claim(&known.name);
            Rc::new(SharedClaim { version: stored.version + 1, ..(*stored).clone() })
        });
        let is_kept = |a: &Rc<Allocation>| {
            a.uid != uid && shared.as_ref().is_some_and(|claim| a.has_reserved(&claim.name))
        };
        if self.allocations().iter().any(is_kept) {
            new.devices[claim].clear();
        }
        let new = Some(new).filter(|new| !new.devices.iter().all(Vec::is_empty)).map(Rc::new);
        let record = self.record_pod(by, old.pod, What::Noted(Note::ClaimUnreserved, claim as u32));
        self.with_cause(record, || self.put_allocation(uid, new.clone(), shared.as_ref()));
        Ok(new)
    }

    /// Stores what a life of a pod has, and a claim that pods share, which may change without any of them.
    fn put_allocation(&self, uid: Uid, new: Option<Rc<Allocation>>, shared: Written<'_>) {
        self.writes(self.keys.allocations, 0);
        self.put_by_name(|s| &mut s.devices.allocations, uid, &new);
        self.store.with(|s| s.devices.claims.extend(shared.map(|c| (c.name.clone(), c.clone()))));
        self.tell(|w| w.allocation(uid, new.as_ref(), shared));
    }

    /// A pod that is on a node from the start has the devices of these names, one claim after the other, or else the
    /// first there that nobody has.
    pub(crate) fn allocated_before(&self, pod: &Pod, named: Option<&[String]>) {
        let (Some(node), false) = (pod.node, pod.template.devices.is_empty()) else { return };
        let Some(slices) = self.slices_of(node).filter(|_| !pod.phase.is_terminal()) else {
            return;
        };
        let claims = &pod.template.devices;
        let others = self.allocations();
        // What another that shares a claim has by it.
        let of_others = |claim: &DeviceClaim| {
            let name = claim.shared.as_deref()?;
            others.iter().find_map(|a| a.of_shared(name).cloned())
        };
        let known: Vec<Option<Vec<DeviceResult>>> = claims.iter().map(of_others).collect();
        let of_node = (node, &*slices.devices);
        let found = match named {
            Some(names) => allocator::named(&claims.iter().collect::<Vec<_>>(), of_node, names),
            None => {
                let new = claims.iter().zip(&known).filter(|(_, known)| known.is_none());
                let new: Vec<&DeviceClaim> = new.map(|(claim, _)| claim).collect();
                let in_use = self.allocated_devices();
                let is_in_use = |place| in_use.contains(&DeviceId { node, place: place as u32 });
                let solution = allocator::allocate(&new, of_node, true, is_in_use, |_, _| false);
                solution.map(|solution| solution.devices)
            }
        };
        let Some(found) = found else { return };
        let mut found = found.into_iter();
        // By names every claim is found, also one that is known.
        let of_claim = |known: Option<Vec<DeviceResult>>| {
            let own = if known.is_none() || named.is_some() { found.next() } else { None };
            known.or(own).unwrap_or_default()
        };
        let devices = known.into_iter().map(of_claim).collect();
        let shared = claims.iter().map(|c| Some(self.shared_claim(c.shared.as_ref()?))).collect();
        let (reserved, of) =
            (vec![false; claims.len()], vec![slices.devices.clone(); claims.len()]);
        let (pod, uid) = (pod.id, pod.uid);
        let allocation = Allocation { pod, uid, devices, reserved, shared, of };
        // The pod is there, and nobody else writes.
        for (claim, read) in allocation.shared.iter().enumerate() {
            let of = (&allocation, claim);
            let _ = self.allocate_devices(Actor::User, of, (read.as_deref(), true));
        }
    }

    /// The devices of a life of a pod.
    pub(crate) fn allocation_of(&self, uid: Uid) -> Option<Rc<Allocation>> {
        self.reads(self.keys.allocations, 0);
        self.store.with_ref(|s| s.devices.allocations.get(&uid).cloned())
    }

    /// The claim that pods share by that name, the version stored now.
    pub(crate) fn shared_claim(&self, name: &Rc<str>) -> Rc<SharedClaim> {
        self.reads(self.keys.allocations, 0);
        let stored = self.store.with_ref(|s| s.devices.claims.get(name).cloned());
        stored.unwrap_or_else(|| SharedClaim { name: name.clone(), ..Default::default() }.into())
    }

    /// All claims that pods share and that somebody has written to, by name.
    pub(crate) fn shared_claims(&self) -> Vec<Rc<SharedClaim>> {
        self.store.with_ref(|s| s.devices.claims.values().cloned().collect())
    }

    /// All devices that somebody has.
    fn allocated_devices(&self) -> BTreeSet<DeviceId> {
        self.reads(self.keys.allocations, 0);
        self.allocations().iter().flat_map(|a| a.all().collect::<Vec<_>>()).collect()
    }
}
