//! Which volumes are attached to which nodes, as records tell it, who uses them, and why one stays where it is.

use super::prelude::*;

/// A VolumeAttachment: the node that has a volume, or is to have it.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Attachment {
    pub(super) node: NodeId,
    /// The record that made it what it is.
    pub(super) since: RecordId,
    pub(super) is_attached: bool,
    pub(super) is_being_detached: bool,
}

/// The volume of a claim.
#[derive(Clone, Default, Debug)]
pub(super) struct Attachments {
    pub(super) all: Vec<Attachment>,
    /// Pods that have the claim.
    users: Vec<PodId>,
    /// When the last of them that went did so, and with which record.
    pub(super) unused: Option<(Time, RecordId)>,
    /// What was attached and detached.
    pub(super) moves: Vec<RecordId>,
}

/// Walks through a trace and keeps which volumes are attached where.
pub(super) struct FollowVolumes<'a> {
    analysis: &'a Analysis<'a>,
    /// By pod: its claims whose volumes have to be attached, as `namespace/name`.
    claims: BTreeMap<PodId, Vec<String>>,
    volumes: BTreeMap<String, Attachments>,
}

impl<'a> FollowVolumes<'a> {
    /// Stands before the first record of a trace; who has which claim is known already.
    pub(super) fn new(analysis: &'a Analysis<'a>) -> Self {
        let (claims, volumes) = (BTreeMap::new(), BTreeMap::new());
        let mut follow = Self { analysis, claims, volumes };
        for (id, template) in &analysis.trace.templates {
            let Some(pod) = analysis.trace.get(*id).and_then(Record::pod) else { continue };
            let attached = template.claims.iter().filter(|c| c.attach);
            let claims: Vec<_> = attached.map(|c| analysis.claim_name(c, pod)).collect();
            if !claims.is_empty() {
                follow.claims.insert(pod, claims);
            }
        }
        for (pod, claims) in &follow.claims {
            for claim in claims {
                follow.volumes.entry(claim.clone()).or_default().users.push(*pod);
            }
        }
        follow
    }

    /// Takes one record in. The claim whose volume is attached or detached with it.
    pub(super) fn take(&mut self, id: RecordId, r: &Record) -> Option<&'a str> {
        if self.volumes.is_empty() {
            return None;
        }
        if let Some(claims) = r.pod().and_then(|pod| self.claims.get(&pod)) {
            let ends = matches!(r.what, What::PodPhase(phase) if phase.is_terminal());
            let ends = ends || r.what == What::PodGone;
            for claim in claims.iter().filter(|_| ends) {
                if let Some(volume) = self.volumes.get_mut(claim) {
                    volume.unused = Some((r.at, id));
                }
            }
        }
        let What::Noted(note, arg) = r.what else { return None };
        let node = r.node().filter(|_| Note::OF_ATTACHMENTS.contains(&note))?;
        let claim = self.analysis.trace.names.text_of(TextId(arg));
        self.volumes.entry(claim.to_owned()).or_default().take(node, note, id);
        Some(claim)
    }

    /// The claims of a pod whose volumes have to be attached.
    pub(super) fn claims(&self, pod: PodId) -> &[String] {
        self.claims.get(&pod).map_or(&[], Vec::as_slice)
    }

    /// The volume of a claim.
    pub(super) fn volume(&self, claim: &str) -> Option<&Attachments> {
        self.volumes.get(claim)
    }
}

impl Attachments {
    fn take(&mut self, node: NodeId, note: Note, id: RecordId) {
        self.moves.push(id);
        match note {
            Note::AttachmentCreated => {
                self.all.push(Attachment { node, since: id, ..Attachment::default() })
            }
            Note::AttachmentGone => self.all.retain(|a| a.node != node),
            _ => {
                for a in self.all.iter_mut().filter(|a| a.node == node) {
                    a.since = id;
                    a.is_attached |= note == Note::AttachmentAttached;
                    a.is_being_detached |= note == Note::AttachmentDeleting;
                }
            }
        }
    }

    /// Where it is on a node, if it is attached there.
    pub(super) fn on(&self, node: NodeId) -> Option<&Attachment> {
        self.all.iter().find(|a| a.node == node && a.is_attached)
    }

    /// A pod that uses it on a node, if there is one.
    pub(super) fn user_on(&self, follow: &Follow<'_>, node: NodeId) -> Option<PodId> {
        let uses = |pod: &PodId| {
            let s = follow.pod(*pod);
            s.exists && s.node_id() == Some(node) && !s.phase.is_terminal()
        };
        self.users.iter().copied().find(uses)
    }

    /// Why a node keeps it, in words that follow its name; `at` is when it is detached by force, where nobody uses it.
    pub(super) fn stays(&self, follow: &Follow<'_>, holder: NodeId, at: &str) -> String {
        let analysis = follow.analysis();
        let name = analysis.node_name(holder);
        let (is_back, is_spared) = (follow.node(holder).is_back(), spares(follow, holder));
        match self.user_on(follow, holder) {
            Some(pod) if follow.pod(pod).deleting && is_back => format!(
                "is attached to {name}, whose kubelet stops its pod {} and has yet to say that it no longer uses it",
                analysis.pod_name(pod)
            ),
            Some(pod) if follow.pod(pod).deleting => format!(
                "is attached to {name}, whose pod {} is being deleted and has not ended: as it is still said to run, the 6 minutes after which a volume is detached by force have not begun",
                analysis.pod_name(pod)
            ),
            Some(pod) => {
                format!("is attached to {name} and used there by {}", analysis.pod_name(pod))
            }
            None if is_spared => format!(
                "is attached to {name}, whose kubelet has yet to say that it no longer uses it; it is not detached by force while {name} is Ready"
            ),
            None if analysis.plan.flags.disable_force_detach_on_timeout => format!(
                "is attached to {name}, which has not said that it no longer uses it; --disable-force-detach-on-timeout=true, so that it is not detached by force"
            ),
            None => {
                let unless = match analysis.plan.profile.attach_detach.spares_healthy {
                    true => format!(", unless {name} is Ready then"),
                    false => String::new(),
                };
                format!(
                    "is attached to {name}, which has not said that it no longer uses it: it is detached by force when nobody has wanted it there for 6 minutes{at}{unless}"
                )
            }
        }
    }
}

/// Whether nothing is detached from a node by force, however long nobody has wanted it there: it is Ready (S37).
pub(super) fn spares(follow: &Follow<'_>, node: NodeId) -> bool {
    follow.node(node).is_back() && follow.analysis().plan.profile.attach_detach.spares_healthy
}
