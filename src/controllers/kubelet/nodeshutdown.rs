//! Pods that are ended before their machine goes off.
//!
//! `pkg/kubelet/nodeshutdown` (`nodeshutdown_manager.go`, `nodeshutdown_manager_linux.go`), v1.37, older
//! releases by [`Switches`](crate::plan::switches::kubelet::Switches). A kubelet with grace periods holds
//! systemd-logind's inhibitor lock, and has logind grant as long as all of them together. Told that the
//! machine goes off (`PrepareForShutdown`) it posts that its node is not ready, refuses new pods
//! (`refusal`), ends its pods group by group, and lets go of the lock: then the machine is off.
//!
//! Left out: what systemd does after that until the machine is off; a shutdown that is cancelled; a logind that
//! does not take the longer delay; the wait for volumes to be unmounted (1.32 on), which takes no time here; that
//! a kubelet's last words may come too late; Windows. The mirror of a static pod is NotReady once its containers
//! have ended, where upstream writes Failed, and Running again after the next start.

use super::asleep::Sleepers;
use super::status_manager::StatusManager;
use crate::api::pod::SYSTEM_CRITICAL_PRIORITY;
use crate::controllers::kubelet::prelude::*;
use crate::plan::KubeletSettings;

/// Pods that are ended together.
#[derive(Debug, PartialEq)]
struct PodShutdownGroup {
    /// From which priority on.
    priority: i32,
    shutdown_grace_period_seconds: i64,
    /// For how long the manager waits for them at most.
    waits: Dur,
    pods: Vec<(Uid, i32)>,
}

/// A shutdown under way.
struct UnderWay {
    /// The groups that are still to be ended, the next one last.
    groups: Vec<PodShutdownGroup>,
    /// When the pods that are being ended have stopped, or have had their group's time.
    next: Time,
    /// The pods that `next` is about, where it is when they have stopped; and what led to their end.
    awaited: (Vec<Uid>, u32),
    /// When the pods that were ended so far have stopped.
    stopped: Time,
    /// When the machine is off in any case.
    off: Time,
    /// It boots once it is off.
    boots: bool,
}

/// The node shutdown managers of all kubelets.
pub(super) struct ShutdownManager {
    nodes: Rc<Nodes>,
    pods: Rc<Pods>,
    status: Rc<StatusManager>,
    sleepers: Rc<Sleepers>,
    /// Goes on with a shutdown.
    stepper: HandlerId<NodeId>,
    under_way: Shared<BTreeMap<NodeId, UnderWay>>,
}

impl ShutdownManager {
    /// Nothing goes off.
    pub(super) fn new(
        (nodes, pods): Base,
        status: &Rc<StatusManager>,
        sleepers: &Rc<Sleepers>,
        stepper: HandlerId<NodeId>,
    ) -> Self {
        let (status, sleepers) = (status.clone(), sleepers.clone());
        Self { nodes, pods, status, sleepers, stepper, under_way: Shared::default() }
    }

    /// A node has a kubelet from now on, and its machine is on.
    pub(super) fn join(&self, node: NodeId) {
        self.under_way.with(|all| all.remove(&node));
    }

    /// A machine is told to go off: whether its kubelet lets it at once, or nothing where it does not
    /// care. With `at_most`, it is off after this time in any case.
    pub(super) fn begin(&self, node: NodeId, at_most: Option<Dur>) -> Option<bool> {
        let (ctx, now) = (&self.nodes.ctx, self.nodes.now());
        let KubeletMode::Real(_) = self.nodes.mode else { return None };
        if self.is_under_way(node) {
            return Some(false);
        }
        let periods = self.periods(node);
        if periods.is_empty() || !self.nodes.runs(node) {
            return None;
        }
        self.sleepers.wake_up(node);
        self.nodes.with(node, |k| k.shutting_down = true);
        self.nodes.view_changes(node);
        if self.nodes.switches.shutdown_event && self.nodes.is_heard(node) {
            self.nodes.say(EventName::Node(node, now), EventText::ShutdownDetected.into());
        }
        let mut groups = group_by_priority(&periods, self.active_pods(node));
        if self.nodes.switches.shutdown_in_groups {
            groups.retain(|g| !g.pods.is_empty());
        } else if let Some(critical) = groups.pop_if(|g| g.pods.is_empty()) {
            // Others are waited for until `shutdownGracePeriod` is over.
            groups.iter_mut().for_each(|g| g.waits += critical.waits);
        }
        groups.reverse();
        let off = at_most.map_or(Time::MAX, |span| now.saturating_add(span));
        let awaited = Default::default();
        let state = UnderWay { groups, next: now, awaited, stopped: now, off, boots: false };
        self.under_way.with(|all| all.insert(node, state));
        if at_most.is_some() {
            ctx.post_at(off, Class::Source, self.stepper, node);
        }
        Some(self.kill_pods(node))
    }

    /// `shutdownGracePeriodByPodPriority` of a node, sorted; none where its machine simply goes off.
    /// Only before there were groups had they fractions of seconds.
    fn periods(&self, node: NodeId) -> Vec<(i32, Dur)> {
        let switches = &self.nodes.switches;
        if !switches.graceful_shutdown {
            return Vec::new();
        }
        let mut all = periods(&self.nodes.config(node).settings);
        if switches.shutdown_in_groups {
            all.iter_mut().for_each(|(_, period)| *period = Dur::from_secs(period.as_secs()));
        }
        all
    }

    /// `getPods`: the pods that a kubelet runs, with their priorities.
    fn active_pods(&self, node: NodeId) -> Vec<(Uid, i32)> {
        let active = |uid: &Uid| {
            let due = self.pods.due(*uid)?;
            let pod = self.pods.object(*uid, &due)?;
            let is_active = due.admission == Admission::Admitted
                && due.orphaned.is_none()
                && !due.missing
                && !pod.phase.is_terminal();
            is_active.then(|| (*uid, self.priority(&pod)))
        };
        self.pods.of_node(node).iter().filter_map(active).collect()
    }

    /// A pod's priority; up to 1.22 a static one is critical in any case (`types.IsCriticalPod`).
    fn priority(&self, pod: &Pod) -> i32 {
        let is_static = pod.template.source != PodSource::Api;
        match pod.template.priority {
            _ if is_static && !self.nodes.switches.shutdown_in_groups => SYSTEM_CRITICAL_PRIORITY,
            priority => priority.unwrap_or(0),
        }
    }

    /// A step of a shutdown, if there is one; whether the machine is off now.
    pub(super) fn goes_on(&self, node: NodeId) -> bool {
        let now = self.nodes.now();
        let due = |u: &UnderWay| (u.off <= now, u.next == now);
        match self.under_way.with(|all| all.get(&node).map(due)) {
            Some((true, _)) => true,
            Some((false, true)) => self.kill_pods(node),
            _ => false,
        }
    }

    /// A pod was worked on: the node whose shutdown goes on because of that, which waits for its pods as
    /// `killPodNow` does for a pod worker, until their ends have been told.
    pub(super) fn ended(&self, uid: Uid) -> Option<NodeId> {
        let now = self.nodes.now();
        let (node, cause) = self.under_way.with(|all| {
            let waits = |u: &UnderWay| u.next == now && u.awaited.0.contains(&uid);
            let (node, u) = all.iter_mut().find(|(_, u)| waits(u))?;
            u.awaited.0.retain(|other| *other != uid);
            u.awaited.0.is_empty().then_some((*node, u.awaited.1))
        })?;
        self.nodes.ctx.set_cause(cause);
        Some(node)
    }

    /// `killPods`: ends the next groups; whether all have had their time.
    fn kill_pods(&self, node: NodeId) -> bool {
        let now = self.nodes.now();
        let in_groups = self.nodes.switches.shutdown_in_groups;
        while let Some(group) = self.under_way.with(|all| all.get_mut(&node)?.groups.pop()) {
            let seconds = group.shutdown_grace_period_seconds;
            let stops = group.pods.iter().filter_map(|(uid, _)| self.kill_pod(*uid, seconds));
            let stops = stops.max().unwrap_or(now);
            let period = now.saturating_add(group.waits);
            let next = self.under_way.with(|all| {
                let u = all.get_mut(&node)?;
                u.stopped = if in_groups { stops } else { stops.max(u.stopped) };
                // Before there were groups, critical pods sleep until their time has come.
                let sleeps = !in_groups && !u.groups.is_empty();
                u.next = if sleeps { period } else { u.stopped.min(period) };
                Some(u.next)
            });
            let Some(next) = next.filter(|next| *next > now) else { continue };
            if next == period || !self.await_pods(node, next) {
                self.nodes.ctx.post_at(next, Class::Source, self.stepper, node);
            }
            return false;
        }
        true
    }

    /// Has a shutdown go on once those of its pods have ended that stop then; whether there are any.
    fn await_pods(&self, node: NodeId, next: Time) -> bool {
        let stops = |uid: &Uid| {
            self.pods.due(*uid).is_some_and(|due| due.shutdown.is_some() && due.stop == next)
        };
        let pods: Vec<Uid> = self.pods.of_node(node).into_iter().filter(stops).collect();
        let (are_there, cause) = (!pods.is_empty(), self.nodes.ctx.cause());
        self.under_way.with(|all| {
            if let Some(u) = all.get_mut(&node) {
                u.awaited = (pods, cause);
            }
        });
        are_there
    }

    /// `killPodFunc`: has the containers of a pod end within its grace, which is no longer than its
    /// group's; until when it waits for that: one and a half times that grace, and ten seconds at least, are the most.
    fn kill_pod(&self, uid: Uid, group_seconds: i64) -> Option<Time> {
        let now = self.nodes.now();
        let due = self.pods.due(uid)?;
        let pod = self.pods.object(uid, &due).filter(|p| !p.phase.is_terminal())?;
        let own = pod.termination_grace_period_seconds();
        let asked = own.min(group_seconds);
        let grace = self.nodes.effective_grace_period(asked, own);
        let waits = asked.saturating_add(asked / 2).max(10).unsigned_abs();
        let waits = now.saturating_add(Dur::from_secs(waits));
        if !self.nodes.works(due.node) {
            return Some(waits);
        }
        let takes = if due.up { due.unhurried.min(grace) } else { Dur::ZERO };
        // One that is to end already has its containers stopping.
        let stop = if due.stop == Time::MAX { now + takes } else { due.stop.min(now + grace) };
        self.pods.with_due(uid, |d| {
            (d.stop, d.stop_known, d.shutdown) = (stop, true, Some(grace));
        });
        if !pod.is_terminating() {
            self.status.tell_to_be_shut_down(&pod);
        }
        self.pods.work_at(uid, stop);
        Some(stop.min(waits))
    }

    /// Whether a machine was told to go off, and is not yet.
    pub(super) fn is_under_way(&self, node: NodeId) -> bool {
        self.under_way.with(|all| all.contains_key(&node))
    }

    /// A machine is to boot: it does so once it is off. Whether it is still on its way to that.
    pub(super) fn boots_after(&self, node: NodeId) -> bool {
        self.under_way.with(|all| all.get_mut(&node).map(|u| u.boots = true)).is_some()
    }

    /// Nothing is left of a shutdown: its machine is off. Whether there was one, and whether the
    /// machine is to boot now.
    pub(super) fn end(&self, node: NodeId) -> Option<bool> {
        self.nodes.with(node, |k| k.shutting_down = false);
        self.under_way.with(|all| all.remove(&node)).map(|u| u.boots)
    }
}

/// `newPodManager`: the grace periods by priority, from `shutdownGracePeriod` where they are not given so
/// (`migrateConfig`).
fn periods(settings: &KubeletSettings) -> Vec<(i32, Dur)> {
    let given = &settings.shutdown_grace_period_by_pod_priority.0;
    if !given.is_empty() {
        let period = |&(from, seconds): &(i32, i64)| (from, Dur::from_secs(seconds.unsigned_abs()));
        return given.iter().map(period).collect();
    }
    let all = settings.shutdown_grace_period;
    let critical = settings.shutdown_grace_period_critical_pods;
    if all.is_zero() || critical > all {
        return Vec::new();
    }
    vec![(0, all.saturating_sub(critical)), (SYSTEM_CRITICAL_PRIORITY, critical)]
}

/// `groupByPriority`: pods below the lowest priority go with the lowest, others with the highest that
/// they reach.
fn group_by_priority(periods: &[(i32, Dur)], pods: Vec<(Uid, i32)>) -> Vec<PodShutdownGroup> {
    let group = |&(priority, waits): &(i32, Dur)| PodShutdownGroup {
        priority,
        shutdown_grace_period_seconds: waits.as_secs() as i64,
        waits,
        pods: Vec::new(),
    };
    let mut groups: Vec<PodShutdownGroup> = periods.iter().map(group).collect();
    for pod in pods {
        let same = groups.iter().position(|g| g.priority == pod.1);
        let reached = || groups.iter().rposition(|g| g.priority <= pod.1);
        let reached = same.or_else(reached).unwrap_or(0);
        groups[reached].pods.push(pod);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::PriorityPeriods;

    /// Settings of these seconds, of which the last are for critical pods.
    fn settings(all: u64, critical: u64) -> KubeletSettings {
        KubeletSettings {
            shutdown_grace_period: Dur::from_secs(all),
            shutdown_grace_period_critical_pods: Dur::from_secs(critical),
            ..KubeletSettings::default()
        }
    }

    /// `Test_migrateConfig` (`nodeshutdown_manager_test.go`, v1.37.1), case by case.
    #[test]
    fn periods_of_critical_pods_and_others_become_those_of_priorities() {
        let of = |all, critical| {
            let seconds = |(from, period): (i32, Dur)| (from, period.as_secs());
            periods(&settings(all, critical)).into_iter().map(seconds).collect::<Vec<_>>()
        };
        assert_eq!(of(300, 120), [(0, 180), (SYSTEM_CRITICAL_PRIORITY, 120)]);
        assert_eq!(of(100, 0), [(0, 100), (SYSTEM_CRITICAL_PRIORITY, 0)]);
        assert!(periods(&settings(0, 0)).is_empty());
        assert!(periods(&settings(1, 100)).is_empty());
        let by_priority = PriorityPeriods(vec![(0, 7)]);
        let given = KubeletSettings {
            shutdown_grace_period_by_pod_priority: by_priority,
            ..settings(0, 0)
        };
        assert_eq!(periods(&given), [(0, Dur::from_secs(7))]);
    }

    /// `Test_groupByPriority` (the same file), case by case: pods by their priorities.
    #[test]
    fn pods_go_with_the_highest_priority_that_they_reach() {
        let grouped = |periods: &[(i32, Dur)], pods: &[i32]| {
            let pods = pods.iter().map(|p| (Uid(0), *p)).collect();
            let groups = group_by_priority(periods, pods);
            let of = |g: &PodShutdownGroup| g.pods.iter().map(|(_, p)| *p).collect::<Vec<i32>>();
            groups.iter().map(of).collect::<Vec<_>>()
        };
        let highest_user_definable = 1_000_000_000;
        assert_eq!(
            grouped(
                &periods(&settings(300, 120)),
                &[0, highest_user_definable, SYSTEM_CRITICAL_PRIORITY]
            ),
            [vec![0, highest_user_definable], vec![SYSTEM_CRITICAL_PRIORITY]]
        );
        let four = [1, 2, 3, 4].map(|priority| (priority, Dur::from_secs(10)));
        assert_eq!(grouped(&four, &[0, 1, 2, 3, 4, 5]), [vec![0, 1], vec![2], vec![3], vec![4, 5]]);
    }
}
