//! The state of nodes and pods as a trace tells it, record by record.
//!
//! [`Follow`] is a fold over records; it knows what they say and nothing of how they came about. It
//! is lenient: a record that repeats what already holds changes nothing, so that it does not matter
//! whether a run also records what existed from the start.

use super::beneath::*;
use super::setting::Analysis;

pub(crate) use super::objects::{Health, Held, NO_NODE, NodeFlags, NodeState, PodState};

/// What a record changed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Step {
    /// The node it was about, before and after.
    pub(crate) node: Option<(NodeId, NodeFlags, NodeFlags)>,
    /// The pod it was about, before and after.
    pub(crate) pod: Option<(PodId, PodState, PodState)>,
    /// The node of that pod, before and after, where the pod began or ceased to wait for a volume.
    host: Option<(NodeId, NodeFlags, NodeFlags)>,
}

impl Step {
    /// The node of which something is different now, before and after.
    pub(crate) fn changed_node(&self) -> Option<(NodeId, NodeFlags, NodeFlags)> {
        self.node.or(self.host).filter(|(_, before, after)| before != after)
    }

    /// The node it was about, or that its pod is on; a pod that is gone has no node any more, and one
    /// that is new had none.
    pub(crate) fn on(&self) -> Option<NodeId> {
        let of_pod =
            || self.pod.and_then(|(_, before, after)| after.node_id().or(before.node_id()));
        self.node.map(|(node, ..)| node).or_else(of_pod)
    }

    /// The pod whose deletion this record begins; without a grace period it is gone at once.
    pub(crate) fn deletion_begins(&self) -> Option<(PodId, PodState)> {
        let (id, before, after) = self.pod?;
        let begins = before.exists && !before.deleting && (after.deleting || !after.exists);
        begins.then_some((id, before))
    }

    /// The pod that this record evicts, as it was before. One that is finished is cleared away,
    /// which harms nobody.
    pub(crate) fn eviction(&self, r: &Record) -> Option<(PodId, PodState)> {
        let (pod, before, _) = self.pod?;
        // What its kubelet has evicted says that it has failed.
        let fails = r.what == What::PodPhase(PodPhase::Failed);
        let fails_under_pressure = fails && before.asked == Some(EvictionCause::Pressure);
        let goes = self.deletion_begins().is_some() || fails_under_pressure;
        let is_evicted = || EvictionCause::of(r, before.asked).is_some();
        (goes && !before.phase.is_terminal() && is_evicted()).then_some((pod, before))
    }

    /// The pod that ends with its node, which was told to go off, as it was before. Its kubelet says
    /// that it has ended; what ends under pressure is evicted.
    pub(crate) fn shut_down(
        &self,
        analysis: &Analysis<'_>,
        id: RecordId,
        r: &Record,
    ) -> Option<(PodId, PodState)> {
        let (pod, before, after) = self.pod?;
        let ends = before.phase == PodPhase::Running && after.phase.is_terminal();
        let asked = before.deleting || before.asked.is_some();
        let is_its = ends && !asked && r.actor == Actor::Kubelet;
        let with_node = |node| analysis.is_of_shutdown(id, node);
        (is_its && before.node_id().is_some_and(with_node)).then_some((pod, before))
    }

    /// The pod that this record preempts, as it was before: the scheduler deletes no others.
    pub(crate) fn preemption(&self, r: &Record) -> Option<(PodId, PodState)> {
        self.deletion_begins().filter(|_| matches!(r.actor, Actor::Scheduler))
    }
}

/// Walks through a trace and keeps the state.
pub(crate) struct Follow<'a> {
    analysis: &'a Analysis<'a>,
    nodes: Vec<NodeState<'a>>,
    pods: Vec<PodState>,
    /// By pod: what it was made from, as far as records tell it.
    templates: Vec<Option<&'a PodTemplate>>,
    /// How many of the trace's templates are taken in.
    taken: usize,
    /// Timers set before this record died with their process.
    timers_from: RecordId,
    /// Which volumes are attached to which nodes, by their claims.
    attached: BTreeSet<(NodeId, &'a str)>,
    /// The record that comes next.
    next: RecordId,
}

impl<'a> Follow<'a> {
    /// Stands at the start of the run, before its first record.
    pub(crate) fn new(analysis: &'a Analysis<'a>) -> Self {
        let (nodes, pods) = (analysis.nodes.clone(), analysis.pods.clone());
        let templates = vec![None; pods.len()];
        let attached = BTreeSet::new();
        Follow { analysis, nodes, pods, templates, taken: 0, timers_from: 0, attached, next: 0 }
    }

    /// The pod that its kubelet does not admit, as a record says.
    pub(crate) fn turned_away(&self, r: &Record) -> Option<(PodId, PodState)> {
        let pod = r.pod().filter(|_| self.analysis.trace.turns_away(r))?;
        Some((pod, self.pod(pod)))
    }

    /// What it walks through.
    pub(super) fn analysis(&self) -> &'a Analysis<'a> {
        self.analysis
    }

    /// The state of a node.
    pub(crate) fn node(&self, id: NodeId) -> NodeFlags {
        self.nodes.get(id.index()).map_or_else(NodeFlags::default, |n| n.flags)
    }

    pub(crate) fn taints(&self, id: NodeId) -> &[Held<'a>] {
        self.nodes.get(id.index()).map_or(&[], |n| &n.taints)
    }

    /// What a pod was made from, as far as records tell it.
    pub(crate) fn template(&self, id: PodId) -> Option<&'a PodTemplate> {
        self.templates.get(id.index()).copied().flatten()
    }

    /// The tolerations of a pod, as far as records tell them.
    pub(crate) fn tolerations(&self, id: PodId) -> &'a [Toleration] {
        self.template(id).map_or(&[], |template| &template.tolerations)
    }

    /// The state of all nodes, by id.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (NodeId, NodeFlags)> {
        self.nodes.iter().enumerate().map(|(i, n)| (NodeId(i as u32), n.flags))
    }

    pub(crate) fn pod(&self, id: PodId) -> PodState {
        self.pods.get(id.index()).copied().unwrap_or_default()
    }

    /// The state of all pods, by id.
    pub(crate) fn pods(&self) -> impl Iterator<Item = (PodId, &PodState)> {
        self.pods.iter().enumerate().map(|(i, p)| (PodId(i as u32), p))
    }

    /// The record that set a pod's eviction timer, if one runs.
    pub(crate) fn timer(&self, pod: &PodState) -> Option<RecordId> {
        (pod.timer != NO_RECORD && pod.timer >= self.timers_from && pod.exists && !pod.deleting)
            .then_some(pod.timer)
    }

    /// Takes the next record in, and says what it changed; none is left at the end of the trace.
    pub(crate) fn step(&mut self) -> Option<(RecordId, &'a Record, Step)> {
        self.step_until(Time::MAX)
    }

    /// The same, up to a time.
    pub(crate) fn step_until(&mut self, until: Time) -> Option<(RecordId, &'a Record, Step)> {
        let id = self.next;
        let r = self.analysis.trace.get(id).filter(|r| r.at <= until)?;
        self.next += 1;
        Some((id, r, self.apply(id, r)))
    }

    /// Takes one record in.
    pub(crate) fn apply(&mut self, id: RecordId, r: &Record) -> Step {
        if let Some(n) = r.node() {
            let Some(node) = self.nodes.get_mut(n.index()) else { return Step::default() };
            let before = node.flags;
            node.take(self.analysis.trace, id, r);
            self.attach(n, r);
            return Step { node: Some((n, before, self.node(n))), ..Step::default() };
        }
        if let Some(p) = r.pod() {
            let Some(pod) = self.pods.get_mut(p.index()) else { return Step::default() };
            let before = *pod;
            pod.take(id, r);
            let may_say =
                matches!(r.what, What::Noted(..) | What::PodEvent(..) | What::PodMessage(_));
            if may_say && self.analysis.trace.evicts_under_pressure(r) {
                pod.asked = Some(EvictionCause::Pressure);
            }
            if matches!(self.analysis.trace.attached(r), Some(Err(_))) {
                self.pods[p.index()].refused_volume |= self.lacks_volume(p);
            }
            let after = self.pod(p);
            let host = self.count_unattached(&before, &after);
            if matches!(r.what, What::PodCreated(_) | What::PodTolerations) {
                self.take_template(p, id);
            }
            let step = Step { node: None, pod: Some((p, before, after)), host };
            if before.asked.is_some() && step.eviction(r).is_some() {
                // That it has failed may be heard of after it was deleted, which is no second eviction.
                self.pods[p.index()].asked = None;
            }
            return step;
        }
        if r.what == What::ControllersStopped {
            self.timers_from = id;
        }
        Step::default()
    }

    /// Takes in where volumes are attached; a pod whose volumes all are waits for none any more.
    fn attach(&mut self, node: NodeId, r: &Record) {
        let trace = self.analysis.trace;
        match r.what {
            What::Noted(Note::AttachmentAttached, claim) => {
                self.attached.insert((node, trace.names.text_of(TextId(claim))));
            }
            What::Noted(Note::AttachmentGone, claim) => {
                self.attached.remove(&(node, trace.names.text_of(TextId(claim))));
            }
            _ => return,
        }
        if self.node(node).unattached == 0 {
            return;
        }
        for pod in (0..self.pods.len()).map(|i| PodId(i as u32)) {
            let state = self.pod(pod);
            if state.is_unattached() && state.node_id() == Some(node) && !self.lacks_volume(pod) {
                self.pods[pod.index()].refused_volume = false;
                self.count_unattached(&state, &self.pod(pod));
            }
        }
    }

    /// Whether a volume of a pod is not attached to its node.
    fn lacks_volume(&self, pod: PodId) -> bool {
        let Some((node, template)) = self.pod(pod).node_id().zip(self.template(pod)) else {
            return true;
        };
        let mut claims = template.claims.iter().filter(|c| c.attach);
        claims.any(|c| !self.attached.contains(&(node, &*self.analysis.claim_name(c, pod))))
    }

    /// Counts a pod in or out that waits for a volume, and says which node that concerns.
    fn count_unattached(
        &mut self,
        before: &PodState,
        after: &PodState,
    ) -> Option<(NodeId, NodeFlags, NodeFlags)> {
        if before.is_unattached() == after.is_unattached() {
            return None;
        }
        let id = before.node_id().or(after.node_id())?;
        let flags = &mut self.nodes.get_mut(id.index())?.flags;
        let was = *flags;
        flags.unattached = match after.is_unattached() {
            true => was.unattached + 1,
            false => was.unattached.saturating_sub(1),
        };
        Some((id, was, *flags))
    }

    fn take_template(&mut self, pod: PodId, id: RecordId) {
        let trace = self.analysis.trace;
        while let Some((of, template)) = trace.templates.get(self.taken).filter(|(of, _)| *of <= id)
        {
            self.taken += 1;
            if *of == id {
                self.templates[pod.index()] = Some(template);
            }
        }
    }
}
