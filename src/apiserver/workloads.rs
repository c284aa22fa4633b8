//! Writes to workloads. A write that changes the spec raises the generation
//! (`pkg/registry/apps/*/strategy.go`).

use super::store::put;
use super::{ApiError, ApiResult, ApiServer, Stored};
use crate::api::meta::OwnerReference;
use crate::api::workload::{
    JobEnd, Lasting, Propagation, WorkloadKind, WorkloadSpec, WorkloadStatus,
};
use crate::apiserver::prelude::*;

impl ApiServer {
    /// Creates a workload, of a uid and a time of its own. Its pods' template says who owns them; only those of a Deployment belong
    /// to another, its ReplicaSet.
    pub(crate) fn create_workload(&self, actor: Actor, mut new: Lasting) -> Stored<Workload> {
        if self.workload(new.id).is_some() {
            return Err(ApiError::AlreadyExists);
        }
        new.uid = self.store.with(|s| s.next_uid());
        new.creation_timestamp = self.timestamp();
        if new.kind != WorkloadKind::Deployment {
            let name = self.names(|n| short_name(n.workload_name(new.id)).to_owned());
            let object = Some((new.id, new.uid));
            let owner = OwnerReference { kind: new.kind.as_str().to_owned(), name, object };
            Rc::make_mut(&mut new.template).owner = Some(owner);
        }
        new.template = self.admit(&new.template);
        let (status, lasting) = (WorkloadStatus::default(), Rc::new(new));
        let workload =
            Workload { resource_version: 0, generation: 1, record: NO_RECORD, status, lasting };
        Ok(self.commit_workload(actor, None, workload))
    }

    /// Changes a workload's spec as it is stored now (PATCH).
    pub(crate) fn mutate_workload(
        &self,
        actor: Actor,
        id: WorkloadId,
        f: impl FnOnce(&mut Workload),
    ) -> Stored<Workload> {
        let old = self.workload(id).ok_or(ApiError::NotFound)?;
        let mut new = (*old).clone();
        f(&mut new);
        if new == *old {
            return Ok(old);
        }
        new.generation += 1;
        Ok(self.commit_workload(actor, Some(&old), new))
    }

    /// UPDATE of a ReplicaSet's size that was read at a version: refused if it has changed since. With it comes how many
    /// pods its Deployment allows.
    pub(crate) fn scale_replica_set(
        &self,
        actor: Actor,
        (id, version): (WorkloadId, u64),
        (wanted, allowed): (i32, i32),
    ) -> Stored<Workload> {
        let old = self.workload(id).ok_or(ApiError::NotFound)?;
        if self.has_outdated_workload(actor, version, &old) {
            return Err(ApiError::Conflict);
        }
        self.mutate_workload(actor, id, |w| {
            if let WorkloadSpec::ReplicaSet { replicas, max_replicas, .. } = &mut w.spec {
                (*replicas, *max_replicas) = (wanted, allowed);
            }
        })
    }

    fn has_outdated_workload(&self, actor: Actor, read: u64, old: &Rc<Workload>) -> bool {
        let touch = || drop(self.commit_workload(actor, Some(old), (**old).clone()));
        self.is_outdated(read, old.resource_version, touch)
    }

    /// PUT of the status of a workload that was read before: refused if it has changed since.
    pub(crate) fn update_workload_status(
        &self,
        actor: Actor,
        read: &Workload,
        status: WorkloadStatus,
    ) -> Stored<Workload> {
        let old = self.workload(read.id).ok_or(ApiError::NotFound)?;
        if old.uid != read.uid || self.has_outdated_workload(actor, read.resource_version, &old) {
            return Err(ApiError::Conflict);
        }
        if old.status == status {
            return Ok(old);
        }
        // `pkg/apis/batch/validation/validation.go`: "cannot set more ready pods than active".
        let counts = |s: &WorkloadStatus| (s.ready, s.replicas);
        if old.kind == WorkloadKind::Job
            && self.admission.validates_ready
            && counts(&old.status) != counts(&status)
            && status.ready > status.replicas
        {
            return Err(ApiError::Invalid);
        }
        if let Some(end) = status.job.end().filter(|_| old.status.job.end().is_none()) {
            self.note_end(actor, old.id, end);
        }
        Ok(self.commit_workload(actor, Some(&old), Workload { status, ..(*old).clone() }))
    }

    /// Notes how a Job ends.
    fn note_end(&self, actor: Actor, id: WorkloadId, end: &JobEnd) {
        let note = if *end == JobEnd::Complete { Note::JobComplete } else { Note::JobFailed };
        let text = self.names(|n| n.text(&format!("{}\n{}", end.reason(), end.message())));
        self.record_workload(actor, id, What::Noted(note, text.0));
    }

    /// DELETE of a workload (`store.go: deletionFinalizersForGarbageCollection`): it goes at once,
    /// or with a finalizer that leaves it to the garbage collector. What it owns is the latter's
    /// business in any case.
    pub(crate) fn delete_workload(
        &self,
        actor: Actor,
        id: WorkloadId,
        propagation: Propagation,
        uid: Option<Uid>,
    ) -> ApiResult {
        let old = self.workload(id).ok_or(ApiError::NotFound)?;
        if uid.is_some_and(|u| u != old.uid) {
            return Err(ApiError::Conflict);
        }
        if propagation == Propagation::Background {
            self.drop_workload(actor, &old);
        } else if old.deletion != Some(propagation) {
            let mut new = (*old).clone();
            if old.deletion.is_none() {
                new.generation += 1;
            }
            new.deletion = Some(propagation);
            self.commit_workload(actor, Some(&old), new);
        }
        Ok(())
    }

    /// PATCH of the finalizers of a workload: the garbage collector has done what its deletion
    /// waited for.
    pub(crate) fn finalize_workload(&self, actor: Actor, id: WorkloadId, uid: Uid) -> ApiResult {
        let old = self.workload(id).filter(|w| w.uid == uid).ok_or(ApiError::NotFound)?;
        if old.is_terminating() {
            self.drop_workload(actor, &old);
        }
        Ok(())
    }

    /// PATCH of the owner references of a workload: it has none from now on.
    pub(crate) fn orphan_workload(&self, actor: Actor, id: WorkloadId, uid: Uid) -> ApiResult {
        let old = self.workload(id).filter(|w| w.uid == uid).ok_or(ApiError::NotFound)?;
        if old.owner.is_some() {
            let mut new = (*old).clone();
            new.owner = None;
            self.commit_workload(actor, Some(&old), new);
        }
        Ok(())
    }

    /// Takes a workload out of the store.
    fn drop_workload(&self, actor: Actor, old: &Rc<Workload>) {
        let id = old.id;
        self.take_out(self.keys.workloads, id.index(), |s| &mut s.workloads);
        let record = self.record_workload(actor, id, What::WorkloadDeleted);
        self.with_cause(record, || self.tell(|w| w.workload(Some(old), None)));
    }

    /// Whether the ControllerRevision of a workload's template exists. There is no watch on them: a
    /// controller may ask at any time, as it has seen its own long before it needs it again.
    pub(crate) fn has_revision(&self, id: WorkloadId, uid: Uid) -> bool {
        self.store.with(|s| s.revisions.contains(&(id, uid)))
    }

    /// POST of the ControllerRevision of a workload's template.
    pub(crate) fn create_revision(&self, id: WorkloadId, uid: Uid) -> ApiResult {
        self.store.with(|s| {
            s.next_version();
            s.revisions.insert((id, uid));
        });
        Ok(())
    }

    fn commit_workload(
        &self,
        actor: Actor,
        old: Option<&Rc<Workload>>,
        mut new: Workload,
    ) -> Rc<Workload> {
        self.writes(self.keys.workloads, new.id.index());
        new.resource_version = self.store.with(|s| s.next_version());
        let replicas = new.replicas();
        new.record = match old {
            None => self.record_workload(actor, new.id, What::WorkloadCreated(replicas)),
            Some(o) if o.replicas() != replicas => {
                self.record_workload(actor, new.id, What::WorkloadScaled(replicas))
            }
            Some(o) => o.record,
        };
        let new = Rc::new(new);
        self.store.with(|s| put(&mut s.workloads, new.id.index(), new.clone()));
        self.with_cause(new.record, || self.tell(|w| w.workload(old, Some(&new))));
        new
    }
}
