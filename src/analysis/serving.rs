//! Who serves, and who only seems to: each workload over time, by the API and in truth, and what
//! that cost.
//!
//! Definitions, beside those of [`truth`](super::truth):
//! * *desired*: how many pods a workload asks for; of a DaemonSet as
//!   [`daemons`](super::daemons) has it, of a Job as [`wanted`](super::wanted).
//! * *ghosts*: containers that run, and that clients reach, or that are a Job's, although their pod is
//!   being deleted, is finished or gone: two where one should be.
//! * *dead endpoints*: pods that are ready and not up. Requests go there and fail.
//! * *need*: see [`needs`](super::needs).
//! * *requests lost*: a workload's requests, in proportion to the pods that it desires, are spread
//!   evenly over its ready pods. Those to dead endpoints are lost, and all where none is ready. Where
//!   kube-proxy falls back to pods that are being deleted and still Ready, they go to those then
//!   (`pkg/proxy/topology.go: CategorizeEndpoints`). A Job has none: nobody calls its pods.
//! * Costs are counted from the start if any pod of the workload runs then. Otherwise from the
//!   first time on at which as many are up as desired, so that starting up is no outage; and if
//!   they never are, from the workload's beginning.
//!
//! Pods without a workload are taken together as one. Each is desired from when it first runs until
//! a user deletes it or it succeeds by itself, and nothing replaces it; one that never finds a node
//! is pending, and nothing was lost with it. What ends because it is evicted, or its machine told to
//! go off, has not done what it was for, whatever its exit code. Static pods belong to their machine,
//! and are left out.

use super::daemons::Daemons;
use super::evictions::Eviction;
use super::job_ends;
use super::needs::Needs;
use super::prelude::*;
use super::served::{begin, most_pending, reckon, together};
use super::steps::set_over;
use super::truth::{Standing, Truth};
use super::wanted::Wanted;
use crate::api::pod::PodSource;

pub(crate) use super::served::{BARE, Count, Late, Served, Serving, counted_from};

/// Counts who serves, record by record.
pub(super) struct Walk<'a> {
    analysis: &'a Analysis<'a>,
    owners: Owners,
    daemons: Daemons,
    wanted: Wanted<'a>,
    /// By workload, and last pods without one; none for those that another one owns.
    all: Vec<Option<Served>>,
    needs: Needs,
    /// They are not counted.
    static_pods: BTreeSet<PodId>,
    /// By pod: whether it has no workload and is wanted.
    bare: Vec<bool>,
    /// Since when pods are Pending.
    pending: BTreeMap<PodId, Time>,
    /// Pods that are held up.
    held_up: BTreeSet<PodId>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(analysis: &'a Analysis<'a>) -> Self {
        let owners = Owners::new(analysis);
        let names = &analysis.trace.names;
        let served = |name: String, id| {
            let counts = vec![(Time::ZERO, Count::default())];
            Served { name, id, counts, ..Served::default() }
        };
        let own = |i: u32| {
            let id = WorkloadId(i);
            let name = names.workload_name(id);
            let is_workload = name.split('/').next().and_then(WorkloadKind::parse).is_some();
            (is_workload && owners.root_of(id) == Some(id))
                .then(|| served(name.to_owned(), Some(id)))
        };
        let mut all: Vec<Option<Served>> = (0..names.workloads() as u32).map(own).collect();
        let needs = Needs::new(analysis, &owners);
        for (i, served) in all.iter_mut().enumerate() {
            if let Some((_, count)) = served.as_mut().and_then(|s| s.counts.first_mut()) {
                count.needed = needs.of(i, |_| 0);
            }
        }
        all.push(Some(served(BARE.to_owned(), None)));
        let (bare, held_up) = (vec![false; analysis.pod_count()], BTreeSet::new());
        let (static_pods, pending) = (static_pods(analysis), BTreeMap::new());
        let (daemons, wanted) = (Daemons::default(), job_ends::wanted(analysis));
        Walk { analysis, owners, daemons, wanted, all, needs, static_pods, bare, pending, held_up }
    }

    /// The workload that a pod is counted under.
    fn served(&mut self, pod: PodId) -> Option<&mut Served> {
        let place = self.place(pod)?;
        self.all[place].as_mut()
    }

    /// Where a pod is counted.
    fn place(&self, pod: PodId) -> Option<usize> {
        let owner = self.owners.of(self.analysis, pod).map(WorkloadId::index);
        owner.or_else(|| (!self.static_pods.contains(&pod)).then(|| self.all.len() - 1))
    }

    /// Counts what is there at the start.
    pub(super) fn start(&mut self, truth: &Truth<'_>) {
        self.daemons = Daemons::new(&truth.follow, &self.owners);
        for (set, desired) in self.daemons.all().collect::<Vec<_>>() {
            self.with(set.index(), Time::ZERO, |c| c.desired = desired);
        }
        for (pod, state) in truth.follow.pods().filter(|(_, p)| p.exists) {
            let (standing, runs) = (truth.standing(pod), state.phase == PodPhase::Running);
            if let Some(served) = self.served(pod) {
                served.ran |= runs;
            }
            self.change(Time::ZERO, pod, &Standing::default(), &standing);
            if runs && !standing.deleting {
                self.want(Time::ZERO, pod, true);
            }
        }
    }

    /// How many pods a workload asks for.
    fn asked(&self, place: usize) -> u32 {
        let served = self.all.get(place).and_then(Option::as_ref);
        served.and_then(|s| s.counts.last()).map_or(0, |(_, count)| count.desired)
    }

    /// Counts a change, and what workloads need now where it is one of how many pods one asks for.
    fn with(&mut self, place: usize, at: Time, change: impl FnOnce(&mut Count)) {
        let before = self.asked(place);
        self.put(place, at, change);
        if self.asked(place) == before {
            return;
        }
        let concerned = self.needs.concerned(place).to_vec();
        for place in concerned.into_iter().chain([place]) {
            let needed = self.needs.of(place, |other| self.asked(other));
            self.put(place, at, |c| c.needed = needed);
        }
    }

    fn put(&mut self, place: usize, at: Time, change: impl FnOnce(&mut Count)) {
        let Some(served) = self.all.get_mut(place).and_then(Option::as_mut) else { return };
        let mut count = served.at_end();
        change(&mut count);
        served.costs.most_pending = served.costs.most_pending.max(count.pending.into());
        set_over(&mut served.counts, at, count);
    }

    /// The state of a pod changed.
    pub(super) fn change(&mut self, at: Time, pod: PodId, before: &Standing, after: &Standing) {
        let Some(place) = self.place(pod) else { return };
        self.with(place, at, |c| {
            let add = |n: &mut u32, of: fn(&Standing) -> u32| *n = *n + of(after) - of(before);
            add(&mut c.up, |s| s.up.into());
            add(&mut c.ready, |s| s.ready.into());
            add(&mut c.ghosts, |s| s.ghosts);
            add(&mut c.dead, |s| (s.ready && !s.up).into());
            add(&mut c.serving, |s| s.serving.into());
            add(&mut c.serving_dead, |s| (s.serving && !s.serves).into());
            add(&mut c.pending, |s| s.pending.into());
        });
        match (before.pending, after.pending) {
            (false, true) => drop(self.pending.insert(pod, at)),
            (true, false) => self.waited(pod, at),
            _ => {}
        }
    }

    /// A pod is no longer Pending.
    fn waited(&mut self, pod: PodId, at: Time) {
        if let (Some(since), Some(served)) = (self.pending.remove(&pod), self.served(pod)) {
            served.costs.longest_pending = served.costs.longest_pending.max(at.since(since));
        }
    }

    /// A pod without a workload is wanted from now on, or not any more.
    fn want(&mut self, at: Time, pod: PodId, wanted: bool) {
        let place = self.all.len() - 1;
        if self.place(pod) == Some(place)
            && std::mem::replace(&mut self.bare[pod.index()], wanted) != wanted
        {
            self.with(place, at, |c| if wanted { c.desired += 1 } else { c.desired -= 1 });
        }
    }

    /// Takes in what else a record says; `truth` has taken it in, and says whether
    /// containers started that had run before.
    pub(super) fn record(
        &mut self,
        (id, r): Told<'_>,
        step: &Step,
        again: bool,
        truth: &Truth<'_>,
    ) {
        for set in self.daemons.record(&truth.follow, &self.owners, r, step) {
            let desired = self.daemons.desired(set).unwrap_or_default();
            self.with(set.index(), r.at, |c| c.desired = desired);
        }
        if let Some((workload, desired)) = self.wanted.take(r, step)
            && self.daemons.desired(workload).is_none()
        {
            self.with(workload.index(), r.at, |c| c.desired = desired);
        }
        if let Some(served) = r.workload().and_then(|w| self.all[w.index()].as_mut()) {
            match r.what {
                What::Noted(Note::JobComplete | Note::JobFailed, _) => served.ended = Some(*r),
                What::WorkloadCreated(_) => served.ended = None,
                _ => {}
            }
        }
        let Some(pod) = r.pod() else { return };
        self.hold(pod, r);
        match r.what {
            _ if again => {
                self.served(pod).into_iter().for_each(|served| served.costs.restarts += 1)
            }
            What::ContainersStarted(_) if truth.standing(pod).up => self.want(r.at, pod, true),
            What::PodPhase(PodPhase::Succeeded)
                if !truth.follow.pod(pod).deleting
                    && step.shut_down(self.analysis, id, r).is_none() =>
            {
                self.want(r.at, pod, false)
            }
            // Who drains a node wants its pods elsewhere; who deletes one wants it gone.
            What::PodDeleting(_) | What::PodGone
                if r.actor == Actor::User && step.eviction(r).is_none() =>
            {
                self.want(r.at, pod, false)
            }
            _ => {}
        }
    }

    /// Takes in whether a pod is held up, where a record says so.
    fn hold(&mut self, pod: PodId, r: &Record) {
        let changes = match r.what {
            What::PodUnplaced(_)
            | What::Noted(Note::BackOff | Note::ImagePullFailed | Note::ContainerUnhealthy, _) => {
                self.held_up.insert(pod)
            }
            What::PodMessage(_) if matches!(self.analysis.trace.attached(r), Some(Err(_))) => {
                self.held_up.insert(pod)
            }
            What::PodBound(_) | What::PodGone => self.held_up.remove(&pod),
            _ => false,
        };
        let held = self.held_up.contains(&pod);
        let Some(served) = self.served(pod).filter(|_| changes) else { return };
        let before = served.held.last().map_or(0, |s| s.1);
        let now = if held { before + 1 } else { before - 1 };
        set(&mut served.held, r.at, now);
    }

    /// The costs; `window` is how soon a node must be back for an eviction to have been needless.
    pub(super) fn finish(mut self, evictions: &[Eviction<'_>], window: Dur) -> Serving {
        let (analysis, horizon) = (self.analysis, self.analysis.horizon());
        let waiting: Vec<PodId> = self.pending.keys().copied().collect();
        waiting.into_iter().for_each(|pod| self.waited(pod, horizon));
        let (mut whole, mut replaced) = (Costs::default(), Costs::default());
        for e in evictions {
            let own = self.served(e.pod);
            let has_id = own.as_ref().is_some_and(|s| s.id.is_some());
            let own = own.map(|s| &mut s.costs).into_iter();
            for costs in own.chain([&mut whole]).chain(has_id.then_some(&mut replaced)) {
                costs.evicted += 1;
                costs.needless += u64::from(e.is_needless(window));
                costs.undecided += u64::from(e.is_undecided(window, horizon));
            }
        }
        // When any was below its need, and when one had none up: of workloads, and of all.
        let (mut below, mut none) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        let mut workloads = Vec::new();
        for mut served in self.all.into_iter().flatten() {
            begin(analysis, &mut served);
            reckon(&mut served, horizon, analysis.plan.profile.proxy_terminating_endpoints);
            whole.add(&served.costs);
            if served.id.is_some() {
                replaced.add(&served.costs);
                below[0].extend(&served.below);
                none[0].extend(&served.none_up);
            }
            below[1].extend(&served.below);
            none[1].extend(&served.none_up);
            if served.id.is_some() || served.from.is_some() {
                workloads.push(served);
            }
        }
        [replaced.below_need, whole.below_need] = below.map(together);
        [replaced.none_up, whole.none_up] = none.map(together);
        workloads.sort_by(|a, b| (a.id.is_none(), &a.name).cmp(&(b.id.is_none(), &b.name)));
        let own = workloads.partition_point(|w| w.id.is_some());
        whole.most_pending = most_pending(&workloads);
        replaced.most_pending = most_pending(&workloads[..own]);
        if own == 0 {
            replaced = whole;
        }
        Serving { workloads, whole, replaced }
    }
}

/// Which pods are static: those belong to their machine.
pub(super) fn static_pods(analysis: &Analysis<'_>) -> BTreeSet<PodId> {
    let template = |p: &PodPlan| analysis.plan.templates.get(p.template as usize);
    let is_its = |p: &&PodPlan| template(p).is_some_and(|t| t.source != PodSource::Api);
    let all = analysis.plan.pods.iter().filter(is_its);
    all.filter_map(|p| analysis.trace.names.find_pod(&p.name)).collect()
}
