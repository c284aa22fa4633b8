//! What the controller knows when it has been running for long and its objects come from an export:
//! the taints of nodes, the timers of their pods, and what its client's limiter has left.
//!
//! A timer began when the node's taint was seen, or the pod bound to it, or this controller took
//! office, whichever came last. A taint was seen in the second of its `timeAdded`, or up to
//! two later where many requests wait; pods that were evicted since tell it to their second. Of a
//! taint without one, as `kubectl taint` writes them, no more is known than that no timer is over.
//! A pod whose deletion has begun has none. What cannot be known is a draw; that a timer is one, a record says.

use super::decision::{NoExecuteTaints, Stay, is_own, min_toleration_time, no_execute};
use crate::api::toleration::matching_tolerations;
use crate::client::{Asked, Recalled, TAINT_LATE_S};
use crate::controllers::prelude::*;
use crate::plan::Memory as Recall;
use crate::plan::switches::taint_eviction::Switches;

/// Requests of one eviction: GET, PATCH and DELETE.
const EVICTION_REQUESTS: u32 = 3;
const SECOND_NS: i64 = 1_000_000_000;

/// When a timer began, and how long it runs, ns from the start of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Timer {
    began: i64,
    stay: i64,
    /// Why it is drawn when it began, if it is.
    drawn: Option<Drawn>,
}

impl Timer {
    fn due(self) -> i64 {
        self.began.saturating_add(self.stay)
    }
}

/// Why what is left of a timer is drawn, and how many seconds it is at the latest.
type Drawn = (Note, u32);

/// What the controller remembers.
#[derive(Default)]
pub(super) struct Memory {
    /// The nodes with NoExecute taints.
    pub(super) tainted: Vec<(NodeId, NoExecuteTaints)>,
    /// The pods with a timer, and what is left of it, in the order in which they fire.
    pub(super) timers: Vec<(PodId, Dur, Option<Drawn>)>,
    /// The pods that tolerate their node's taints for ever.
    pub(super) forever: Vec<PodId>,
}

/// Finds out what the controller would know.
pub(super) struct Recaller<'a> {
    pub(super) client: &'a Client,
    pub(super) informers: &'a InformerFactory,
    pub(super) bound_us: &'a BTreeMap<PodId, i64>,
    pub(super) switches: Switches,
}

impl Recaller<'_> {
    /// What it would know; what its client's limiter has left is taken from it.
    pub(super) fn recall(&self, recalled: Recalled) -> Memory {
        let (asked, passes) = (self.asked(), Asked::by_passes(self.informers, true));
        let at_work = asked
            .last_stretch(Recall::AT_WORK_S)
            .is_some_and(|(_, last)| last >= -Recall::AT_WORK_S);
        let mut memory = Memory::default();
        let mut timers = Vec::new();
        for node in self.informers.nodes() {
            let (seen, taints) = self.recalled_taints(&node, &passes);
            if taints.is_empty() {
                continue;
            }
            let pods = self.informers.pods_on(node.id);
            for pod in pods.into_iter().filter(|p| p.deletion.is_none()) {
                let known = recalled.since_office(self.bound(&pod));
                match self.timer_of(&pod, (&seen, &taints), known, at_work) {
                    Some(timer) => timers.push((timer, pod)),
                    None => memory.forever.push(pod.id),
                }
            }
            memory.tainted.push((node.id, Rc::new(taints)));
        }
        // Those that are over fire in the order in which they should have.
        timers.sort_by_key(|(timer, pod)| (timer.due(), pod.id));
        let now = self.now();
        memory.timers.extend(timers.iter().map(|(timer, pod)| {
            let left = u64::try_from(timer.due().saturating_sub(now)).unwrap_or(0);
            (pod.id, Dur::from_nanos(left), timer.drawn)
        }));
        let within = self.uniform(Object::NONE, SECOND_NS as u64 - 1);
        self.client.recall(&asked, within as f64 / SECOND_NS as f64);
        memory
    }

    /// The present instant, ns from the start of the run.
    fn now(&self) -> i64 {
        self.client.api().ctx().now().as_nanos() as i64
    }

    /// What cannot be known, from zero to `most`.
    fn uniform(&self, about: Object, most: u64) -> u64 {
        let ctx = self.client.api().ctx();
        ctx.uniform(ctx.point("eviction-recalled"), about, 0, most)
    }

    /// The NoExecute taints of a node in the order in which they came, each with the time at which
    /// the controller saw it, ns from the start; none for one that tells nothing of its time.
    fn recalled_taints(&self, node: &Node, passes: &Asked) -> (Vec<Option<i64>>, Vec<Taint>) {
        let mut taints: Vec<Taint> = no_execute(&node.taints).cloned().collect();
        taints.sort_by_key(|t| t.time_added.map_or(i64::MIN, |at| at.0));
        let (now, alone) = (self.now(), taints.len() == 1);
        let seen = |taint: &Taint| {
            let added = taint.time_added?.0;
            let late = match self.client.limits() {
                Some(limits) if passes.drained(added, limits) => TAINT_LATE_S,
                _ => 0,
            };
            let told = self.told_by_evictions(node, taint).filter(|_| alone);
            let (first, last) = match told {
                Some(second) if (added..=added.saturating_add(late)).contains(&second) => {
                    (second, second)
                }
                _ => (added, added.saturating_add(late)),
            };
            let most = ((last - first + 1) * SECOND_NS - 1) as u64;
            let within = self.uniform(self.client.node_object(node.id), most);
            Some(first.saturating_mul(SECOND_NS).saturating_add(within as i64).min(now))
        };
        (taints.iter().map(seen).collect(), taints)
    }

    /// In which second the controller saw a node's only taint, as the first eviction of a pod tells
    /// that tolerated it for a while.
    fn told_by_evictions(&self, node: &Node, taint: &Taint) -> Option<i64> {
        let pods = self.informers.pods_on(node.id);
        let began = |pod: &Rc<Pod>| match self.stay_of(pod, std::slice::from_ref(taint)) {
            Stay::For(stay) if !stay.is_zero() => {
                Some(evicted_at(pod)?.saturating_sub(stay.as_secs() as i64))
            }
            _ => None,
        };
        pods.iter().filter_map(began).min()
    }

    /// When a pod was bound, ns from the start, if its node had taints by then.
    fn bound(&self, pod: &Pod) -> i64 {
        let Some(us) = self.bound_us.get(&pod.id) else { return i64::MIN };
        let within = self.uniform(self.client.pod_object(pod.id), SECOND_NS as u64 - 1);
        us.saturating_mul(1_000).saturating_add(within as i64)
    }

    /// The timer that a pod of a node with these taints has. `known`: since when the controller has
    /// known the pod there; what it found then it took for one update (`processPodOnNode`, which
    /// asks no taint for its `timeAdded`, 1.18 to 1.37).
    fn timer_of(
        &self,
        pod: &Pod,
        (seen, taints): (&[Option<i64>], &[Taint]),
        known: i64,
        at_work: bool,
    ) -> Option<Timer> {
        let now = self.now();
        let mut timer: Option<Timer> = None;
        let mut why = Note::TimerUndated;
        let found = seen.partition_point(|at| at.is_none_or(|at| at <= known));
        for last in found.saturating_sub(1)..taints.len() {
            let at = seen[last];
            let stay = match self.stay_of(pod, &taints[..=last]) {
                Stay::For(stay) => i64::try_from(stay.as_nanos()).unwrap_or(i64::MAX),
                Stay::Forever if self.switches.forever_cancels => {
                    timer = None;
                    continue;
                }
                Stay::Forever => continue,
            };
            // A pod that is to go at once goes, whatever timer it has; a later taint changes no
            // timer.
            if timer.is_none() || stay == 0 {
                let began = at.unwrap_or(i64::MIN).max(known).min(now);
                timer = Some(Timer { began, stay, drawn: None });
                why = at.map_or(Note::TimerUndated, |_| Note::TimerOverdue);
            }
        }
        let timer = timer?;
        let late = now.saturating_sub(timer.due()) > Recall::NEVER_DUE_S * SECOND_NS;
        if (late || why == Note::TimerUndated) && !at_work && evicted_at(pod).is_none() {
            // Nothing is known of it but that it is not over, and that its pod was not there before.
            let most = u64::try_from(timer.stay).unwrap_or(0);
            let ago = self.uniform(self.client.pod_object(pod.id), most);
            let seconds = u32::try_from(timer.stay / SECOND_NS).unwrap_or(u32::MAX);
            let drawn = Some((why, seconds)).filter(|_| most > 0);
            let began = (now - ago as i64).max(known).min(now);
            return Some(Timer { began, drawn, ..timer });
        }
        Some(timer)
    }

    /// How long a pod's tolerations let it stay beside these taints.
    fn stay_of(&self, pod: &Pod, taints: &[Taint]) -> Stay {
        matching_tolerations(taints, &pod.template.tolerations, self.switches.comparison_operators)
            .map_or(Stay::For(Dur::ZERO), |used| min_toleration_time(&used))
    }

    /// The evictions of late, as the pods tell.
    fn asked(&self) -> Asked {
        let mut asked = Asked::default();
        for node in self.informers.nodes() {
            let pods = self.informers.pods_on(node.id);
            pods.iter().filter_map(|pod| evicted_at(pod)).for_each(|at| {
                asked.note(at, EVICTION_REQUESTS, 1);
            });
        }
        asked
    }
}

/// In which second the controller began to evict a pod, if it has.
fn evicted_at(pod: &Pod) -> Option<i64> {
    pod.disruption_target.filter(|target| is_own(*target)).map(|t| t.last_transition_time.0)
}
