//! What is really up, and what the API says: the state of each pod with both.
//!
//! A pod is *up* when its containers run on a machine that runs, and serve, and clients reach that machine; one with a
//! readiness or a startup probe not before that has succeeded once, as it has no requests sent to it until then. A Job's pods have
//! no clients: they work on while their machine is cut off, as one that was evicted meanwhile does, beside its replacement. One of
//! whose containers one has done its work, and is not started again, is up while none of the others has failed: what it is for
//! goes on or is done. So is one whose work is all done, until the API says that it has Succeeded, and it is wanted no more. It is *ready* when the API has it as Running and Ready, so that it stands in the EndpointSlices of its
//! Service, unless it is being deleted. The two differ in every outage: in the first minute of one only the truth changes.

use super::prelude::*;

/// The state of a pod, by the API and in truth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Standing {
    /// The object exists and is not finished.
    pub(crate) exists: bool,
    /// The object is being deleted.
    pub(crate) deleting: bool,
    pub(crate) pending: bool,
    /// The API has it as Running and Ready, and it is not being deleted: requests are sent there.
    pub(crate) ready: bool,
    /// The API has it as Running and Ready, and it is being deleted: an endpoint that is serving and terminating.
    pub(crate) serving: bool,
    /// Its containers serve clients, and it is serving and terminating.
    pub(crate) serves: bool,
    /// Its containers run and clients, if it has any, reach them; it is neither finished nor being deleted.
    pub(crate) up: bool,
    /// Containers that run, and that its clients, if it has any, reach, although their pod is being
    /// deleted, is finished or gone.
    pub(crate) ghosts: u32,
}

/// What is true of a pod, whatever the API says.
#[derive(Clone, Default)]
struct Pod {
    /// The node on which the containers of its present life run.
    live: Option<NodeId>,
    /// Containers of its present life have run before.
    ran: bool,
    /// The nodes on which containers of earlier lives still run.
    earlier: Vec<NodeId>,
    /// It has no clients.
    alone: bool,
    /// Its containers do not serve, though they may run.
    idle: bool,
    /// Its probes have not succeeded yet since its containers started.
    unproven: bool,
    /// A container of it has done its work: it has exited with 0, and is not started again.
    done: bool,
    /// A container of it has failed, or a probe of one, since one was started.
    failed: bool,
}

impl Pod {
    /// The containers of its present life have ended, and with them what is known of those that ran.
    fn stop(&mut self) {
        (self.live, self.idle, self.unproven) = (None, false, false);
    }

    /// Containers of an earlier life ended there; false if there were none.
    fn ended(&mut self, node: NodeId) -> bool {
        let there = self.earlier.iter().position(|n| *n == node);
        there.map(|i| self.earlier.remove(i)).is_some()
    }
}

/// What is true of a node.
#[derive(Clone, Default)]
struct Node {
    /// Clients do not reach it.
    lost: bool,
    /// The pods whose containers run there; of some they may have ended.
    on: Vec<PodId>,
}

/// Walks through a trace and keeps both states.
pub(crate) struct Truth<'a> {
    /// What the API says.
    pub(crate) follow: Follow<'a>,
    pods: Vec<Pod>,
    nodes: Vec<Node>,
}

impl<'a> Truth<'a> {
    /// Stands at the start of the run: pods that are Running run, but on nodes that never had a
    /// kubelet. What an export shows as cut off is out of reach.
    pub(crate) fn new(analysis: &'a Analysis<'a>) -> Self {
        let (follow, names) = (Follow::new(analysis), &analysis.trace.names);
        let pod = |i: u32| {
            let owner = names.owner_of(PodId(i)).map(|owner| names.workload_name(owner));
            Pod { alone: owner.is_some_and(|o| !has_clients(o)), ..Pod::default() }
        };
        let pods = (0..analysis.pod_count() as u32).map(pod).collect();
        let mut nodes = vec![Node::default(); analysis.node_count()];
        for (node, n) in nodes.iter_mut().zip(&analysis.plan.nodes) {
            node.lost = matches!(n.start, NodeStart::Imported { cut: true, .. });
        }
        let mut truth = Truth { follow, pods, nodes };
        // What is Terminating for a finalizer, or for a kubelet that gets nowhere with it, stays for ever, and no
        // containers of it serve.
        let stuck =
            analysis.plan.pods.iter().filter(|p| p.stuck.is_some() && p.start.is_deleting());
        let stuck: BTreeSet<PodId> = stuck.filter_map(|p| names.find_pod(&p.name)).collect();
        let never_had_one = |n: &NodePlan| matches!(n.start, NodeStart::Silent | NodeStart::Absent);
        let runs = |(id, p): (PodId, &PodState)| {
            let node = p.node_id().filter(|n| !analysis.planned(*n).is_some_and(never_had_one))?;
            let runs = p.exists && p.phase == PodPhase::Running && !stuck.contains(&id);
            runs.then_some((id, node))
        };
        for (pod, node) in truth.follow.pods().filter_map(runs).collect::<Vec<_>>() {
            truth.run(pod, node);
            // Where its node is not Ready, that may be why it is not.
            let ready = analysis.planned(node).and_then(|n| n.start.ready());
            let is_probed = truth.follow.template(pod).is_some_and(|t| t.is_probed_first());
            let of =
                truth.pods.get_mut(pod.index()).filter(|_| ready == Some(ConditionStatus::True));
            of.into_iter().for_each(|of| of.unproven = is_probed && !truth.follow.pod(pod).ready);
        }
        truth
    }

    fn run(&mut self, pod: PodId, node: NodeId) {
        if let (Some(of), Some(there)) =
            (self.pods.get_mut(pod.index()), self.nodes.get_mut(node.index()))
        {
            (of.live, of.ran) = (Some(node), true);
            there.on.push(pod);
        }
    }

    /// How many times the containers of a pod's name run, of its present life and of earlier ones,
    /// whether clients reach them or not.
    pub(crate) fn running(&self, pod: PodId) -> usize {
        let of = self.pods.get(pod.index());
        of.map_or(0, |of| usize::from(of.live.is_some()) + of.earlier.len())
    }

    /// The nodes on which containers of earlier lives of a pod's name still run.
    pub(crate) fn earlier(&self, pod: PodId) -> impl Iterator<Item = NodeId> {
        self.pods.get(pod.index()).into_iter().flat_map(|of| &of.earlier).copied()
    }

    /// The state of a pod now.
    pub(crate) fn standing(&self, pod: PodId) -> Standing {
        self.standing_of(pod, self.follow.pod(pod))
    }

    /// The state of a pod of which the API says that.
    fn standing_of(&self, pod: PodId, p: PodState) -> Standing {
        let none = Pod::default();
        let of = self.pods.get(pod.index()).unwrap_or(&none);
        // Whether containers of it are of use there.
        let is_reached =
            |n: &&NodeId| self.nodes.get(n.index()).is_some_and(|n| !n.lost || of.alone);
        let live = of.live.iter().any(|n| is_reached(&n));
        // Whether what runs of it serves, or does what it is for.
        let works = if of.done { !of.failed } else { !of.idle && !of.unproven };
        let exists = p.exists && !p.phase.is_terminal();
        let wanted = exists && !p.deleting;
        let serving = exists && p.deleting && p.ready && p.phase == PodPhase::Running;
        Standing {
            exists,
            deleting: exists && p.deleting,
            pending: wanted && p.phase == PodPhase::Pending,
            ready: p.is_available(),
            serving,
            serves: serving && live && works,
            up: wanted && (live || of.live.is_none() && of.done) && works,
            ghosts: of.earlier.iter().filter(is_reached).count() as u32
                + u32::from(live && !wanted),
        }
    }

    /// Takes one record in; `changed` is called for each pod whose state differs from before.
    /// Returns the step by which changes what the API says, and whether a container or all of them started that
    /// had run before in the same life of their pod.
    pub(crate) fn apply(
        &mut self,
        id: RecordId,
        r: &Record,
        changed: &mut impl FnMut(PodId, &Standing, &Standing),
    ) -> (Step, bool) {
        // What is said of a pod, and where it is to run, changes neither; much of a trace is that.
        if matches!(
            r.what,
            What::PodEvent(..)
                | What::PodMessage(_)
                | What::TimerSet(_)
                | What::TimerCancelled
                | What::PodBound(_)
        ) {
            return (self.follow.apply(id, r), false);
        }
        if let Some(pod) = r.pod() {
            let was = self.follow.pod(pod);
            let before = self.standing_of(pod, was);
            let step = self.follow.apply(id, r);
            let again = self.pod(pod, r, &was);
            let after = self.standing(pod);
            if before != after {
                changed(pod, &before, &after);
            }
            return (step, again);
        }
        if let Some(node) = r.node()
            && matches!(r.what, What::MachineOff | What::NetworkLost | What::NetworkBack)
        {
            let there = self.nodes.get(node.index());
            let mut pods = there.map(|there| there.on.clone()).unwrap_or_default();
            pods.sort_unstable();
            pods.dedup();
            let before: Vec<Standing> = pods.iter().map(|&p| self.standing(p)).collect();
            match r.what {
                What::MachineOff => self.machine_off(node, &pods),
                _ => self.nodes[node.index()].lost = r.what == What::NetworkLost,
            }
            let step = self.follow.apply(id, r);
            for (&pod, before) in pods.iter().zip(&before) {
                let after = self.standing(pod);
                if *before != after {
                    changed(pod, before, &after);
                }
            }
            return (step, false);
        }
        (self.follow.apply(id, r), false)
    }

    fn machine_off(&mut self, node: NodeId, pods: &[PodId]) {
        for pod in pods {
            let of = &mut self.pods[pod.index()];
            if of.live == Some(node) {
                of.stop();
            }
            of.done = false;
            of.ended(node);
        }
        self.nodes[node.index()].on.clear();
    }

    fn pod(&mut self, pod: PodId, r: &Record, was: &PodState) -> bool {
        let template = self.follow.template(pod);
        let Some(of) = self.pods.get_mut(pod.index()) else { return false };
        match r.what {
            // What the plan has from the start is known already.
            What::PodCreated(_) if was.exists && r.at == Time::ZERO => {}
            What::Noted(Note::ContainerServes, serves) => of.idle = serves == 0,
            What::Noted(note @ Note::ContainerEnded, arg) if note.parts(arg).0 == 0 => {
                let stays = template.is_some_and(|t| !t.restart_policy.restarts(0));
                of.done |= of.live.is_some() && stays;
            }
            What::Noted(Note::ContainerEnded | Note::ContainerUnhealthy, _) => of.failed = true,
            What::Noted(Note::ContainerRestarted, _) => return true,
            What::PodCondition(PodConditionType::Ready, ConditionStatus::True, _) => {
                of.unproven = false;
            }
            What::PodCreated(_) | What::PodGone => {
                of.earlier.extend(of.live);
                of.stop();
                (of.done, of.ran) = (false, false);
            }
            What::ContainersStarted(node) => {
                let again = of.ran;
                of.failed = false;
                of.unproven |= !was.ready && template.is_some_and(|t| t.is_probed_first());
                self.run(pod, NodeId(node));
                return again;
            }
            What::ContainersStopped(node)
                if !of.ended(NodeId(node)) && of.live == Some(NodeId(node)) =>
            {
                of.stop();
            }
            _ => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests::synthetic::Run;
    use crate::api::meta::Timestamp;
    use crate::api::pod::{Deletion, Stuck};
    use crate::plan::PodStart;

    /// Two pods of an export are being deleted. One ends within its 30 s, and runs on until then; the other has a finalizer.
    #[test]
    fn a_pod_that_a_finalizer_holds_is_no_ghost() {
        let mut run = Run::new("held", Time::from_secs(60));
        let node = run.node("n", "");
        let pods = ["default/going", "default/held"].map(|name| PodId(run.pod(name, node)));
        let deletion = Deletion { timestamp: Timestamp(30), grace_period_seconds: 30 };
        for pod in &mut run.plan.pods {
            let phase = PodPhase::Running;
            let (ready, disruption_target, deletion) = (None, None, Some(deletion));
            pod.start = PodStart::Imported { phase, ready, disruption_target, deletion };
        }
        run.plan.pods[1].stuck = Some(Stuck::Finalizer);
        let (plan, trace) = run.finish();
        let analysis = Analysis::new(&plan, &trace);
        let truth = Truth::new(&analysis);
        assert_eq!(pods.map(|pod| truth.standing(pod).ghosts), [1, 0]);
    }

    /// Clients no longer reach the node, of whose two pods a Job's needs none. Once both are being deleted, it alone is a ghost.
    #[test]
    fn a_pod_of_a_job_works_on_where_no_client_reaches_it() {
        let mut run = Run::new("cut", Time::from_secs(60));
        let node = run.node("n", "");
        let pods = ["default/sum-1", "default/web-1"].map(|name| PodId(run.pod(name, node)));
        let (job, set) = run.workload("Job/default/sum", "ReplicaSet/default/web");
        run.owned(pods[0].0, job);
        run.owned(pods[1].0, set);
        run.record(Time::from_secs(10), NO_RECORD, Actor::User, What::NetworkLost, node);
        for pod in pods {
            let what = What::PodDeleting(30);
            run.record(Time::from_secs(20), NO_RECORD, Actor::User, what, pod.0);
        }
        let (plan, trace) = run.finish();
        let analysis = Analysis::new(&plan, &trace);
        let mut truth = Truth::new(&analysis);
        let mut seen = vec![pods.map(|pod| (truth.standing(pod).up, truth.standing(pod).ghosts))];
        for (id, r) in (0..).zip(trace.iter()) {
            truth.apply(id, r, &mut |_, _, _| {});
            seen.push(pods.map(|pod| (truth.standing(pod).up, truth.standing(pod).ghosts)));
        }
        let (up, not_up, ghost) = ((true, 0), (false, 0), (false, 1));
        let expected = [[up, up], [up, not_up], [ghost, not_up], [ghost, not_up]];
        assert_eq!(seen, expected);
    }
}
