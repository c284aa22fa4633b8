//! What is really up, and what the API says: the state of each pod with both.
//!
//! A pod is *up* when its containers run on a machine that runs, and serve, and clients reach that machine; one with a
//! readiness or a startup probe not before that has succeeded once, as it has no requests sent to it until then. A Job's pods have
//! no clients: they work on while their machine is cut off, as one that was evicted meanwhile does, beside its replacement. One of
//! whose containers one has done its work, and is not started again, is up while none of the others has failed: what it is for
//! goes on or is done. So is one whose work is all done, until the API says that it has Succeeded, and it is wanted no more. It is *ready* when the API has it as Running and Ready, so that it stands in the EndpointSlices of its
//! Service, unless it is being deleted. The two differ in every outage: in the first minute of one only the truth changes.

use super::prelude::*;
use crate::api::probe::ProbeType;
use crate::api::workload::has_clients;

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

/// Walks through a trace and keeps both states.
pub(crate) struct Truth<'a> {
    /// What the API says.
    pub(crate) follow: Follow<'a>,
    /// By pod: the node on which the containers of its present life run, or [`NO_NODE`].
    live: Vec<u32>,
    /// Pods whose containers do not serve, though they may run.
    idle: BTreeSet<PodId>,
    /// Pods whose probes have not succeeded yet since their containers started.
    unproven: BTreeSet<PodId>,
    /// Pods of which a container has done its work: it has exited with 0, and is not started again.
    done: BTreeSet<PodId>,
    /// Pods of which a container has failed, or a probe of one, since one was started.
    failed: BTreeSet<PodId>,
    /// By pod: containers of its present life have run before.
    ran: Vec<bool>,
    /// The nodes on which containers of earlier lives still run.
    earlier: BTreeMap<PodId, Vec<u32>>,
    /// By node: clients do not reach it.
    lost: Vec<bool>,
    /// By pod: it has no clients.
    alone: Vec<bool>,
    /// By node: the pods whose containers run there; of some they may have ended.
    on: Vec<Vec<PodId>>,
}

impl<'a> Truth<'a> {
    /// Stands at the start of the run: pods that are Running run, but on nodes that never had a
    /// kubelet. What an export shows as cut off is out of reach.
    pub(crate) fn new(analysis: &'a Analysis<'a>) -> Self {
        let follow = Follow::new(analysis);
        let nodes = analysis.node_count();
        let (mut lost, mut without) = (vec![false; nodes], vec![false; nodes]);
        for (id, n) in analysis.plan.nodes.iter().enumerate() {
            lost[id] = matches!(n.start, NodeStart::Imported { cut: true, .. });
            without[id] = matches!(n.start, NodeStart::Silent | NodeStart::Absent);
        }
        let pods = analysis.pod_count();
        let (live, ran, on) = (vec![NO_NODE; pods], vec![false; pods], vec![Vec::new(); nodes]);
        let [idle, unproven, done, failed]: [BTreeSet<PodId>; 4] = Default::default();
        let (earlier, names) = (BTreeMap::new(), &analysis.trace.names);
        let owner = |i| names.owner_of(PodId(i)).map(|owner| names.workload_name(owner));
        let alone = (0..pods as u32).map(|i| owner(i).is_some_and(|o| !has_clients(o))).collect();
        let mut truth =
            Truth { follow, live, idle, unproven, done, failed, ran, earlier, lost, alone, on };
        // What is Terminating for a finalizer, or for a kubelet that gets nowhere with it, stays for ever, and no
        // containers of it serve.
        let stuck =
            analysis.plan.pods.iter().filter(|p| p.stuck.is_some() && p.start.is_deleting());
        let stuck: BTreeSet<PodId> =
            stuck.filter_map(|p| analysis.trace.names.find_pod(&p.name)).collect();
        let runs = |(id, p): &(PodId, &PodState)| {
            let has_kubelet = p.node_id().is_some_and(|node| !without[node.index()]);
            p.exists && p.phase == PodPhase::Running && has_kubelet && !stuck.contains(id)
        };
        let running = truth.follow.pods().filter(runs).map(|(id, p)| (id, p.node));
        for (pod, node) in running.collect::<Vec<_>>() {
            truth.run(pod, node);
        }
        truth
    }

    fn run(&mut self, pod: PodId, node: u32) {
        if let (Some(live), Some(on)) =
            (self.live.get_mut(pod.index()), self.on.get_mut(node as usize))
        {
            *live = node;
            self.ran[pod.index()] = true;
            on.push(pod);
        }
    }

    /// How many times the containers of a pod's name run, of its present life and of earlier ones,
    /// whether clients reach them or not.
    pub(crate) fn running(&self, pod: PodId) -> usize {
        let live = self.live.get(pod.index()).is_some_and(|node| *node != NO_NODE);
        usize::from(live) + self.earlier(pod).count()
    }

    /// The nodes on which containers of earlier lives of a pod's name still run.
    pub(crate) fn earlier(&self, pod: PodId) -> impl Iterator<Item = NodeId> {
        self.earlier.get(&pod).into_iter().flatten().map(|node| NodeId(*node))
    }

    /// Whether containers of a pod on a node are of use there.
    fn reached(&self, pod: PodId, node: u32) -> bool {
        let lost = self.lost.get(node as usize);
        lost.is_some_and(|lost| !lost || self.alone.get(pod.index()) == Some(&true))
    }

    /// The state of a pod now.
    pub(crate) fn standing(&self, pod: PodId) -> Standing {
        self.standing_of(pod, self.follow.pod(pod))
    }

    /// The state of a pod of which the API says that.
    fn standing_of(&self, pod: PodId, p: PodState) -> Standing {
        let on = self.live.get(pod.index()).copied().unwrap_or(NO_NODE);
        let live = self.reached(pod, on);
        let is_done = on == NO_NODE && self.done.contains(&pod);
        let exists = p.exists && !p.phase.is_terminal();
        let wanted = exists && !p.deleting;
        let serving = exists && p.deleting && p.ready && p.phase == PodPhase::Running;
        let earlier = self.earlier(pod).filter(|n| self.reached(pod, n.0)).count() as u32;
        Standing {
            exists,
            deleting: exists && p.deleting,
            pending: wanted && p.phase == PodPhase::Pending,
            ready: p.is_available(),
            serving,
            serves: serving && live && self.works(pod),
            up: wanted && (live || is_done) && self.works(pod),
            ghosts: earlier + u32::from(live && !wanted),
        }
    }

    /// Whether what runs of a pod serves, or does what it is for.
    fn works(&self, pod: PodId) -> bool {
        match self.done.contains(&pod) {
            true => !self.failed.contains(&pod),
            false => !self.idle.contains(&pod) && !self.unproven.contains(&pod),
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
            let mut pods = self.on.get(node.index()).cloned().unwrap_or_default();
            pods.sort_unstable();
            pods.dedup();
            let before: Vec<Standing> = pods.iter().map(|&p| self.standing(p)).collect();
            match r.what {
                What::MachineOff => self.machine_off(node.0, &pods),
                _ => self.lost[node.index()] = r.what == What::NetworkLost,
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

    fn machine_off(&mut self, node: u32, pods: &[PodId]) {
        for pod in pods {
            if self.live[pod.index()] == node {
                self.live[pod.index()] = NO_NODE;
                self.forget(*pod);
            }
            self.done.remove(pod);
            self.ended(*pod, node);
        }
        self.on[node as usize].clear();
    }

    /// Containers of an earlier life ended there; false if there were none.
    fn ended(&mut self, pod: PodId, node: u32) -> bool {
        let Some(nodes) = self.earlier.get_mut(&pod) else { return false };
        let Some(i) = nodes.iter().position(|&n| n == node) else { return false };
        nodes.remove(i);
        if nodes.is_empty() {
            self.earlier.remove(&pod);
        }
        true
    }

    /// The containers of a pod have ended, and with them what is known of those that ran.
    fn forget(&mut self, pod: PodId) {
        for all in [&mut self.idle, &mut self.unproven] {
            all.remove(&pod);
        }
    }

    fn pod(&mut self, pod: PodId, r: &Record, was: &PodState) -> bool {
        let Some(&live) = self.live.get(pod.index()) else { return false };
        match r.what {
            // What the plan has from the start is known already.
            What::PodCreated(_) if was.exists && r.at == Time::ZERO => {}
            What::Noted(Note::ContainerServes, serves) => {
                match serves {
                    0 => self.idle.insert(pod),
                    _ => self.idle.remove(&pod),
                };
            }
            What::Noted(note @ Note::ContainerEnded, arg) if note.parts(arg).0 == 0 => {
                let restarts = |t: &PodTemplate| t.restart_policy.restarts(0);
                if live != NO_NODE && !self.follow.template(pod).is_none_or(restarts) {
                    self.done.insert(pod);
                }
            }
            What::Noted(Note::ContainerEnded | Note::ContainerUnhealthy, _) => {
                self.failed.insert(pod);
            }
            What::Noted(Note::ContainerRestarted, _) => return true,
            What::PodCondition(PodConditionType::Ready, ConditionStatus::True, _) => {
                self.unproven.remove(&pod);
            }
            What::PodCreated(_) | What::PodGone => {
                self.forget(pod);
                self.done.remove(&pod);
                if live != NO_NODE {
                    self.earlier.entry(pod).or_default().push(live);
                }
                (self.live[pod.index()], self.ran[pod.index()]) = (NO_NODE, false);
            }
            What::ContainersStarted(node) => {
                let again = self.ran[pod.index()];
                self.failed.remove(&pod);
                self.run(pod, node);
                let mut lives = self.follow.template(pod).into_iter().flat_map(|t| t.lives());
                let proves = [ProbeType::Readiness, ProbeType::Startup];
                if !was.ready && lives.any(|l| proves.iter().any(|p| l.probe(*p).is_some())) {
                    self.unproven.insert(pod);
                }
                return again;
            }
            What::ContainersStopped(node) if !self.ended(pod, node) && live == node => {
                self.live[pod.index()] = NO_NODE;
                self.forget(pod);
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
