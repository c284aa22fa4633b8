//! A pod that is bound and does not start, as a volume of it is not attached to its node: who has the volume,
//! and what would free it.

use super::super::prelude::*;
use super::case::Case;
use crate::api::volume::Claim;
use crate::api::workload::namespace_of;

/// `ReconcilerMaxWaitForUnmountDuration`
const MAX_WAIT_FOR_UNMOUNT: Dur = Dur::from_secs(360);

/// A volume at the time of the question: the node that has it, and from which record on; none from before the
/// run.
#[derive(Clone, Copy)]
struct Held {
    node: NodeId,
    since: Option<RecordId>,
    is_attached: bool,
    is_being_detached: bool,
}

/// A volume of a pod, its users and its holders.
#[derive(Default)]
struct Story {
    held: Vec<Held>,
    /// Pods that have its claim, and how they stand.
    users: Vec<(PodId, PodState)>,
    /// When the last of them went, and with which record.
    unused: Option<(Time, RecordId)>,
    /// What was attached and detached.
    moves: Vec<RecordId>,
}

impl Case<'_, '_> {
    /// Explains a pod that waits for a volume on its node; whether it is such a pod.
    pub(super) fn waits_for_a_volume(&mut self, node: NodeId) -> bool {
        if self.seen.state.phase != PodPhase::Pending || self.seen.state.deleting {
            return false;
        }
        let claims = self.claims(self.pod);
        let waits = claims.into_iter().find_map(|claim| {
            let story = self.story_of(&claim, self.of.question.until);
            let here = story.held.iter().any(|h| h.node == node && h.is_attached);
            (!here).then_some((claim, story))
        });
        let Some((claim, story)) = waits else { return false };
        let (analysis, until) = (self.analysis(), self.of.question.until);
        let name = analysis.node_name(node);
        self.found.verdict = format!(
            "bound to {name}, and not started by {}: {}",
            absolute(until),
            self.why(node, &claim, &story)
        );
        let came = self.seen.created.last().into_iter().chain(self.seen.bound.last());
        let mut steps: Vec<Step> = came.map(|m| self.of.step(m, None)).collect();
        let records =
            story.held.iter().filter_map(|h| h.since).chain(story.unused.map(|(_, id)| id));
        let told = self.seen.volumes.iter().copied();
        for id in records.chain(told) {
            if let Some(r) = analysis.trace.get(id) {
                steps.push(self.of.question.step((id, r), None));
            }
        }
        steps.sort_by_key(|s| (s.at, s.record));
        steps.dedup_by_key(|s| s.record);
        self.found.steps = steps;
        true
    }

    /// Tells of a pod that has started what it waited for on its node before: a volume that another node had.
    pub(super) fn waited_for_a_volume(&mut self, node: NodeId) {
        let (analysis, until) = (self.analysis(), self.of.question.until);
        let told = |id: &RecordId| analysis.trace.get(*id).and_then(|r| analysis.trace.attached(r));
        let Some(bound) = self.seen.bound.last() else { return };
        if !self.seen.volumes.iter().any(|id| matches!(told(id), Some(Err(_)))) {
            return;
        }
        for claim in self.claims(self.pod) {
            let (then, story) = (self.story_of(&claim, bound.at), self.story_of(&claim, until));
            let had = then.held.iter().find(|h| h.node != node && h.is_attached);
            let here = story.held.iter().find(|h| h.node == node && h.is_attached);
            let came = here.and_then(|h| analysis.trace.get(h.since?));
            let (Some(had), Some(came)) = (had, came) else { continue };
            self.found.verdict += &format!(
                "; it waited from {} to {} for its volume {claim}, which {} had",
                absolute(bound.at),
                absolute(came.at),
                analysis.node_name(had.node)
            );
            let went = story.unused.map(|(_, id)| id);
            let records = std::iter::once(bound.record).chain(went).chain(story.moves);
            for id in records.filter(|id| *id >= bound.record) {
                let is_new = self.found.steps.iter().all(|s| s.record != Some(id));
                if let Some(r) = analysis.trace.get(id).filter(|_| is_new) {
                    self.found.steps.push(self.of.question.step((id, r), None));
                }
            }
        }
        self.found.steps.sort_by_key(|s| (s.at, s.record));
    }

    /// The claims of a pod whose volumes have to be attached.
    fn claims(&self, pod: PodId) -> Vec<String> {
        let analysis = self.analysis();
        let full = analysis.pod_name(pod);
        let mut templates = analysis.trace.templates.iter().rev();
        let of = |id: RecordId| analysis.trace.get(id).and_then(Record::pod);
        let template = templates.find(|(id, _)| of(*id) == Some(pod));
        let claims = template.map_or(&[][..], |(_, t)| &t.claims);
        let name = |c: &Claim| format!("{}/{}", namespace_of(full), c.name_for(short_name(full)));
        claims.iter().filter(|c| c.attach).map(name).collect()
    }

    /// What became of the volume of a claim until then.
    fn story_of(&self, claim: &str, until: Time) -> Story {
        let analysis = self.analysis();
        let mut story = Story::default();
        let mut on: BTreeMap<PodId, NodeId> = BTreeMap::new();
        let with_claims = analysis.trace.templates.iter().filter(|(_, t)| !t.claims.is_empty());
        let of = |id: RecordId| analysis.trace.get(id).and_then(Record::pod);
        let pods: BTreeSet<PodId> = with_claims.filter_map(|(id, _)| of(*id)).collect();
        let users: BTreeSet<PodId> =
            pods.into_iter().filter(|p| self.claims(*p).iter().any(|c| c == claim)).collect();
        let mut follow = Follow::new(analysis);
        for (id, r) in (0..).zip(analysis.trace.iter()).take_while(|(_, r)| r.at <= until) {
            follow.apply(id, r);
            if let Some(pod) = r.pod().filter(|p| users.contains(p)) {
                match r.what {
                    What::PodCreated(at) => drop(What::created_on(at).map(|n| on.insert(pod, n))),
                    What::PodBound(n) => drop(on.insert(pod, NodeId(n))),
                    // Before the run its volume was attached.
                    What::PodPhase(PodPhase::Running) if r.at == Time::ZERO => {
                        let held = on.get(&pod).map(|node| Held {
                            node: *node,
                            since: None,
                            is_attached: true,
                            is_being_detached: false,
                        });
                        story.held.extend(held);
                    }
                    What::PodGone => story.unused = Some((r.at, id)),
                    What::PodPhase(phase) if phase.is_terminal() => story.unused = Some((r.at, id)),
                    _ => {}
                }
            }
            let What::Noted(note, arg) = r.what else { continue };
            let Some(node) = r.node().filter(|_| {
                is_attachment(note) && analysis.trace.names.text_of(TextId(arg)) == claim
            }) else {
                continue;
            };
            story.moves.push(id);
            match note {
                Note::AttachmentCreated => story.held.push(Held {
                    node,
                    since: Some(id),
                    is_attached: false,
                    is_being_detached: false,
                }),
                Note::AttachmentGone => story.held.retain(|h| h.node != node),
                _ => {
                    for held in story.held.iter_mut().filter(|h| h.node == node) {
                        held.since = Some(id);
                        held.is_attached |= note == Note::AttachmentAttached;
                        held.is_being_detached |= note == Note::AttachmentDeleting;
                    }
                }
            }
        }
        story.users = users.into_iter().map(|pod| (pod, follow.pod(pod))).collect();
        story
    }

    /// Why the volume of a claim is not attached to a node.
    fn why(&mut self, node: NodeId, claim: &str, story: &Story) -> String {
        let (analysis, flags) = (self.analysis(), &self.analysis().plan.flags);
        let at = |id: RecordId| analysis.trace.get(id).map_or(String::new(), |r| absolute(r.at));
        let name = |n: NodeId| analysis.node_name(n);
        if let Some(held) = story.held.iter().find(|h| h.node == node) {
            let since = held.since.map_or(String::new(), at);
            return format!("its volume {claim} is being attached to {} since {since}", name(node));
        }
        let Some(held) = story.held.first() else {
            return format!("its volume {claim} is attached nowhere yet");
        };
        let holder = name(held.node);
        if held.is_being_detached {
            let since = held.since.map_or(String::new(), at);
            return format!("its volume {claim} is being detached from {holder} since {since}");
        }
        let user = story
            .users
            .iter()
            .find(|(_, s)| s.exists && s.node_id() == Some(held.node) && !s.phase.is_terminal());
        let frees = format!(
            "what frees it: {holder} is back and says that it no longer uses it; the taint node.kubernetes.io/out-of-service on {holder}, if that is off for certain; or pod or node are deleted by force, and 6 minutes go by"
        );
        self.found.notes.push(frees);
        match (user, story.unused) {
            (Some((pod, state)), _) if state.deleting => format!(
                "its volume {claim} is attached to {holder}, whose pod {} is being deleted and has not ended: as it is still said to run, the 6 minutes after which a volume is detached by force have not begun",
                analysis.pod_name(*pod)
            ),
            (Some((pod, _)), _) => format!(
                "its volume {claim} is attached to {holder} and used there by {}",
                analysis.pod_name(*pod)
            ),
            (None, _) if flags.disable_force_detach_on_timeout => format!(
                "its volume {claim} is attached to {holder}, which has not said that it no longer uses it; --disable-force-detach-on-timeout=true, so that it is not detached by force"
            ),
            (None, unused) => {
                let then = unused.map_or(String::new(), |(at, _)| {
                    format!(" at {}", absolute(at.saturating_add(MAX_WAIT_FOR_UNMOUNT)))
                });
                format!(
                    "its volume {claim} is attached to {holder}, which has not said that it no longer uses it: it is detached by force when nobody has wanted it there for 6 minutes{then}, unless {holder} is Ready then"
                )
            }
        }
    }
}

fn is_attachment(note: Note) -> bool {
    matches!(
        note,
        Note::AttachmentCreated
            | Note::AttachmentAttached
            | Note::AttachmentDeleting
            | Note::AttachmentGone
    )
}
