//! A pod that is bound and does not start, as a volume of it is not attached to its node: who has the volume,
//! and what would free it. And one that is not bound yet, as a volume of it is being made.

use super::prelude::*;
use crate::analysis::Frees;
use crate::analysis::attachments::{Attachments, FollowVolumes, spares};
use crate::api::volume::MAX_WAIT_FOR_UNMOUNT;
use crate::trace::{Fields, Unmade};

/// What is noted of a claim whose volume is there.
const MADE: [Note; 2] = [Note::Provisioned, Note::ProvisionedImmediately];

/// The type of an event that tells of a failure.
const WARNING: Option<&str> = Some("Warning");

/// What a record says of why a volume was not made.
fn unmade(r: &Record) -> Option<Unmade> {
    let is_failed = matches!(r.what, What::Noted(Note::ProvisioningFailed, _));
    Unmade::ALL.get(r.object as usize).copied().filter(|_| is_failed)
}

/// What a driver's refusal means.
fn refusal(r: &Record) -> &'static str {
    match unmade(r) {
        Some(Unmade::NodeGone) => "not made, as the node is gone that it was for,",
        Some(Unmade::GivenBack) => "refused by its driver, which has no storage left,",
        Some(Unmade::ResourceExhausted) => {
            "refused by its driver, which has no storage left and is asked again within 5 min,"
        }
        Some(Unmade::InvalidArgument) => {
            "refused by its driver for good, which is asked again within 9 min,"
        }
        _ => "refused by its driver, which is asked again within 5 min,",
    }
}

impl<'a> Case<'_, 'a> {
    /// Explains a pod for which a node is chosen, and which is bound to it once its volumes are made; whether it is such
    /// a pod.
    pub(super) fn waits_to_be_bound(&mut self) -> bool {
        let (analysis, until) = (self.analysis(), self.of.question.until);
        let last = self.seen.told.last().map(|a| a.record);
        let told = self.told_of_claims(last, until);
        let Some((_, r, claim)) = told.last() else { return false };
        let node = told.iter().rev().find_map(|(_, r, _)| r.node());
        let node = node.map_or("no node", |n| analysis.node_name(n));
        let (until, since) = (absolute(until), absolute(r.at));
        let is = match r.what {
            What::Noted(Note::Provisioned, _) => "there",
            What::Noted(Note::Provisioning, _) => "being made",
            _ => refusal(r),
        };
        // The claim of such a volume has no node any more.
        let verdict = if matches!(unmade(r), Some(Unmade::NodeGone | Unmade::GivenBack)) {
            format!(
                "pending at {until}: its volume {claim} is {is} since {since}: no node is chosen for it any more, until the scheduler chooses anew"
            )
        } else {
            format!(
                "pending at {until}: {node} is chosen for it, and its volume {claim} is {is} since {since}; it is bound when the scheduler finds it there, which looks every second"
            )
        };
        let came = self.came();
        let steps = self.of.question.steps(told.into_iter().map(|(id, ..)| id));
        self.tell(verdict, came.chain(pending::steps(&self.seen.told)).chain(steps));
        true
    }

    /// What was said up to a time of the volumes of its claims that are made in its last life, after a record where one
    /// is given: the records, and each one's claim.
    fn told_of_claims(
        &self,
        after: Option<RecordId>,
        until: Time,
    ) -> Vec<(RecordId, &'a Record, &'a str)> {
        let (trace, claims) = (self.analysis().trace, self.made_claims());
        let since = after.max(self.seen.created.as_ref().map(|m| m.record));
        let own = claims.iter().flat_map(|claim| self.of.of_claim(claim, until));
        let told = own.filter_map(|(id, r)| match r.what {
            What::Noted(note, claim)
                if Some(id) > since && note != Note::ProvisionedImmediately =>
            {
                Some((id, r, trace.names.text_of(TextId(claim))))
            }
            _ => None,
        });
        let mut told: Vec<_> = told.collect();
        told.sort_unstable_by_key(|t| t.0);
        told.dedup_by_key(|t| t.0);
        told
    }

    /// The names of its claims whose volumes take time to make.
    fn made_claims(&self) -> Vec<String> {
        let claims = self.template().map_or(&[][..], |t| &t.claims).iter();
        let made = claims.filter(|c| c.provision.is_some());
        made.map(|c| self.analysis().claim_name(c, self.pod)).collect()
    }

    /// Tells of a pod that is bound how long it waited for volumes that their driver refused to make at first.
    pub(super) fn waited_for_provisioning(&mut self) {
        let Some(bound) = self.seen.bound.last() else { return };
        let told = self.told_of_claims(None, bound.at);
        let is_refused = |r: &Record| matches!(r.what, What::Noted(Note::ProvisioningFailed, _));
        let claims: BTreeSet<&str> = told.iter().map(|t| t.2).collect();
        for claim in claims {
            let own = || told.iter().filter(|t| t.2 == claim);
            let refused = own().filter(|t| is_refused(t.1));
            let (Some(first), Some(made), Some(last)) =
                (own().next(), own().next_back(), refused.clone().next_back())
            else {
                continue;
            };
            self.found.verdict += &format!(
                "; it waited from {} to {} for its volume {claim}, which its driver refused {} up to {}",
                absolute(first.1.at),
                absolute(made.1.at),
                counted(refused.count(), "time"),
                absolute(last.1.at)
            );
            self.found.add(self.of.question.steps(own().map(|t| t.0)));
        }
        self.found.sort();
    }

    /// The template of its last life.
    pub(super) fn template(&self) -> Option<&'a PodTemplate> {
        let trace = self.analysis().trace;
        let is_own = |id: &RecordId| trace.get(*id).and_then(Record::pod) == Some(self.pod);
        let mut own = trace.templates.iter().filter(|(id, _)| is_own(id));
        Some(&*own.next_back()?.1)
    }

    /// Adds to what is found of a pod without a node in which zones its volumes are made, where that may keep it off
    /// others.
    pub(super) fn tell_of_topologies(&mut self) {
        let Some(template) = self.template() else { return };
        let asks = self.found.verdict.contains("VolumeBinding");
        for claim in template.claims.iter().filter(|c| asks && !c.allowed_topologies.is_empty()) {
            self.found.notes.push(format!(
                "while its volume {} is not there, no node suits but those of zone {}: `allowedTopologies` of its StorageClass",
                self.analysis().claim_name(claim, self.pod),
                claim.allowed_topologies.join(" or ")
            ));
        }
    }

    /// Adds what its claims say that have no volume yet: of each the last warning or, where there is none, the last event.
    pub(super) fn tell_of_claims(&mut self) {
        let (trace, until) = (self.analysis().trace, self.of.question.until);
        for claim in self.made_claims() {
            let (mut is_made, mut said) = (false, None);
            for (_, r) in self.of.of_claim(&claim, until) {
                match r.what {
                    What::Noted(note, _) => is_made |= MADE.contains(&note),
                    _ => {
                        let (before, fields) = (said.take(), trace.fields(r));
                        let warned = before.filter(|(_, f): &(Time, Fields)| f.kind == WARNING);
                        said = warned.filter(|_| fields.kind != WARNING).or(Some((r.at, fields)));
                    }
                }
            }
            let Some((at, fields)) = said.filter(|_| !is_made) else { continue };
            let times = fields.count.map_or(String::new(), |n| format!(" (x{n})"));
            self.found.notes.push(format!(
                "event {} about its claim {claim}, at {}{times}: {}",
                fields.reason.as_deref().unwrap_or_default(),
                absolute(at),
                fields.message.unwrap_or_default()
            ));
        }
    }

    /// Explains a pod that waits for a volume on its node; whether it is such a pod.
    pub(super) fn waits_for_a_volume(&mut self, node: NodeId) -> bool {
        if !self.seen.state.is_pending() {
            return false;
        }
        let (follow, volumes) = self.volumes_at(self.of.question.until);
        let claims = volumes.claims(self.pod).iter();
        let mut claims = claims.filter_map(|claim| Some((claim, volumes.volume(claim)?)));
        let waits = claims.find(|(_, volume)| volume.on(node).is_none());
        let Some((claim, volume)) = waits else { return false };
        let (analysis, until) = (self.analysis(), self.of.question.until);
        let name = analysis.node_name(node);
        let why = self.why(node, claim, volume, &follow);
        self.found.verdict =
            format!("bound to {name}, and not started by {}: {why}", absolute(until));
        let records = volume.all.iter().map(|a| a.since).chain(volume.unused.map(|(_, id)| id));
        let told = self.seen.volumes.iter().copied();
        self.found.add(self.came().chain(self.of.question.steps(records.chain(told))));
        self.found.sort();
        true
    }

    /// Tells of a pod that has started what it waited for on its node before: a volume that another node had, or that took long to
    /// attach, and its kubelet, which looked for that later.
    pub(super) fn waited_for_a_volume(&mut self, node: NodeId) {
        let (analysis, until) = (self.analysis(), self.of.question.until);
        let trace = analysis.trace;
        let told = self.seen.volumes.iter().filter_map(|id| Some((*id, trace.get(*id)?)));
        let waits = told.filter(|(_, r)| !matches!(trace.attached(r), Some(Ok(()))));
        let waits: Vec<(RecordId, &Record)> = waits.collect();
        let Some(bound) = self.seen.bound.last().filter(|_| !waits.is_empty()) else { return };
        let is_refused =
            |(_, r): &(RecordId, &Record)| trace.attached(r).is_some() && !trace.failed_attach(r);
        let is_late = waits.iter().any(|told| !is_refused(told));
        let ((_, then), (_, now)) = (self.volumes_at(bound.at), self.volumes_at(until));
        for claim in now.claims(self.pod) {
            let Some(now) = now.volume(claim) else { continue };
            let then = then.volume(claim).map_or(&[][..], |then| then.all.as_slice());
            let had = then.iter().find(|a| a.node != node && a.is_attached);
            let came = now.on(node).and_then(|a| trace.get(a.since));
            let why = match had {
                Some(had) => format!("which {} had", analysis.node_name(had.node)),
                None if is_late => "which could not be attached sooner".to_owned(),
                None => continue,
            };
            let Some(came) = came.filter(|came| came.at > bound.at) else { continue };
            self.found.verdict += &format!(
                "; it waited from {} to {} for its volume {claim}, {why}",
                absolute(bound.at),
                absolute(came.at),
            );
            let went = now.unused.map(|(_, id)| id);
            let moves = now.moves.iter().copied();
            let records = std::iter::once(bound.record).chain(went).chain(moves);
            let records = records.filter(|id| *id >= bound.record);
            let mut steps: Vec<Step> = self.of.question.steps(records).collect();
            let due = now.unused.map(|(at, _)| at.saturating_add(MAX_WAIT_FOR_UNMOUNT));
            let is_forced = |s: &&mut Step| {
                let what = s.record.and_then(|id| analysis.trace.get(id)).map(|r| r.what);
                matches!(what, Some(What::Noted(Note::AttachmentDeleting, _)))
                    && due.is_some_and(|due| s.at >= due)
            };
            for step in steps.iter_mut().filter(is_forced) {
                step.rule = Some("by force, as nobody has wanted it there for 6 minutes (maxWaitForUnmountDuration)".to_owned());
            }
            self.found.add(steps);
        }
        let late = waits.into_iter().filter(|told| !is_refused(told));
        self.found.add(self.of.question.steps(late.map(|(id, _)| id)));
        self.found.sort();
    }

    /// What stood then, and which volumes were attached where.
    fn volumes_at(&self, until: Time) -> (Follow<'a>, FollowVolumes<'a>) {
        let analysis = self.analysis();
        let (mut follow, mut volumes) = (Follow::new(analysis), FollowVolumes::new(analysis));
        while let Some((id, r, _)) = follow.step_until(until) {
            volumes.take(id, r);
        }
        (follow, volumes)
    }

    /// Why the volume of a claim is not attached to a node.
    fn why(
        &mut self,
        node: NodeId,
        claim: &str,
        volume: &Attachments,
        follow: &Follow<'_>,
    ) -> String {
        let analysis = self.analysis();
        let at = |id: RecordId| analysis.trace.get(id).map_or(String::new(), |r| absolute(r.at));
        let name = |n: NodeId| analysis.node_name(n);
        if let Some(a) = volume.all.iter().find(|a| a.node == node) {
            let since = at(a.since);
            return format!("its volume {claim} is being attached to {} since {since}", name(node));
        }
        let Some(held) = volume.all.first() else {
            return format!("its volume {claim} is attached nowhere yet");
        };
        let holder = name(held.node);
        if held.is_being_detached {
            let since = at(held.since);
            return format!("its volume {claim} is being detached from {holder} since {since}");
        }
        let mut frees = Vec::new();
        if follow.node(held.node).is_back() {
            frees.push(self.kubelet_frees(volume, follow, held.node));
        } else if follow.node(held.node).exists {
            frees.push(format!("{holder} is back and says that it no longer uses it"));
            if Frees::of(analysis.plan).out_of_service {
                frees.push(format!("the taint node.kubernetes.io/out-of-service on {holder}, if that is off for certain"));
            }
        }
        let never = analysis.plan.flags.disable_force_detach_on_timeout;
        if !never && !spares(follow, held.node) {
            let waiting = match volume.user_on(follow, held.node) {
                Some(_) => "pod or node are deleted by force, and 6 minutes go by",
                None => "waiting, until the 6 minutes are over: no pod has it there any more",
            };
            frees.push(waiting.to_owned());
        }
        if !frees.is_empty() {
            self.found.notes.push(format!("what frees it: {}", frees.join("; or ")));
        }
        let then = volume.unused.map_or(String::new(), |(at, _)| {
            format!(" at {}", absolute(at.saturating_add(MAX_WAIT_FOR_UNMOUNT)))
        });
        format!("its volume {claim} {}", volume.stays(follow, held.node, &then))
    }

    /// What frees a volume that is attached to a node whose kubelet is heard: what has it say that it no longer uses it.
    fn kubelet_frees(&self, volume: &Attachments, follow: &Follow<'_>, holder: NodeId) -> String {
        let (analysis, until) = (self.analysis(), self.of.question.until);
        let (name, says) = (analysis.node_name(holder), "says that it no longer uses it");
        match volume.user_on(follow, holder) {
            Some(pod) if follow.pod(pod).deleting => {
                let own = analysis.trace.iter().filter(|r| r.at <= until && r.pod() == Some(pod));
                let asked = own.filter_map(|r| match r.what {
                    What::PodDeleting(grace) => Some((r.at, grace)),
                    _ => None,
                });
                let has = asked.last().map_or(String::new(), |(at, grace)| {
                    format!(", which have {grace} s from {} on", absolute(at))
                });
                let pod = analysis.pod_name(pod);
                format!("{name}'s kubelet stops the containers of {pod}{has}, and {says}")
            }
            Some(pod) => format!(
                "{} ends or is deleted, and {name}'s kubelet {says}",
                analysis.pod_name(pod)
            ),
            None => format!(
                "{name}'s kubelet {says}, once what still runs of the pod that had it has stopped"
            ),
        }
    }
}
