//! Deployments (`pkg/controller/deployment`, v1.34): their ReplicaSets, the sizes of these, and the
//! status.
//!
//! A template never changes here, so that a Deployment makes one ReplicaSet. Where it has several from the start, a
//! rollout is under way, and stands still: its sets keep their sizes, as those of a paused Deployment do.
//!
//! Left out: the steps of rollouts, pausing, and the condition Progressing with its deadline.

use crate::api::labels::LabelSelector;
use crate::api::workload::{Lasting, WorkloadSpec, pod_template_hash};
use crate::controllers::workload::prelude::*;
use crate::plan::switches::workload::{ScalingText, Switches};
use std::cmp::Reverse;

/// `--concurrent-deployment-syncs`
const WORKERS: usize = 5;
/// After this number of failures a Deployment is left alone until something changes (`maxRetries`).
const MAX_RETRIES: u32 = 15;
/// The label that tells the pods of one template from those of others.
const POD_TEMPLATE_HASH: &str = "pod-template-hash";

/// The Deployment controller.
pub(crate) struct DeploymentController {
    core: Rc<Core>,
    switches: Switches,
}

impl DeploymentController {
    /// A controller that hears of Deployments and ReplicaSets but does not run yet.
    pub(crate) fn new(switches: Switches, context: ControllerContext) -> Rc<Self> {
        let core = Core::new(context, false, RateLimiter::default());
        let controller = Rc::new(DeploymentController { core, switches });
        for kind in [WorkloadKind::Deployment, WorkloadKind::ReplicaSet] {
            controller.core.informers.on_workload(kind, controller.clone());
        }
        controller
    }

    /// Starts the workers.
    pub(crate) fn run(self: &Rc<Self>) {
        for _ in 0..WORKERS {
            self.core.start_worker(self, async |c: &Rc<Self>, id| {
                let result = c.sync_deployment(id).await;
                // It gives up on one that failed that often (`handleErr`).
                if c.core.queue.failures(id) >= MAX_RETRIES { Ok(()) } else { result }
            });
        }
    }

    /// `syncDeployment`
    async fn sync_deployment(&self, id: WorkloadId) -> ApiResult {
        let Some(d) = self.core.informers.workload(id) else { return Ok(()) };
        self.core.ctx.set_saw(d.record);
        let sets = self.core.informers.workloads_of((d.id, d.uid));
        if d.is_terminating() {
            return self.sync_status(&d, &sets).await;
        }
        if sets.is_empty() {
            let rs = self.create_replica_set(&d).await?;
            return self.sync_status(&d, &[rs]).await;
        }
        for (rs, wanted) in sizes(&d, &sets) {
            if rs.replicas() != wanted {
                self.scale(&d, &rs, wanted).await?;
            }
        }
        self.sync_status(&d, &sets).await
    }

    /// `getNewReplicaSet`, where there is none.
    async fn create_replica_set(&self, d: &Rc<Workload>) -> ApiResult<Rc<Workload>> {
        let owner = d.clone();
        let create = move |api: &ApiServer, actor| {
            let full = api.names(|n| n.workload_name(owner.id).to_owned());
            let hash = pod_template_hash(&full);
            let name = format!("{}-{hash}", full.replacen("Deployment", "ReplicaSet", 1));
            let with_hash = |labels: &Labels| {
                let mut labels = labels.clone();
                labels.insert(POD_TEMPLATE_HASH.to_owned(), hash.clone());
                labels
            };
            let mut template = (*owner.template).clone();
            template.labels = with_hash(&template.labels);
            let selector = LabelSelector {
                match_labels: with_hash(&owner.selector.match_labels),
                ..(*owner.selector).clone()
            };
            let id = api.names(|n| {
                n.set_alias(short_name(&name), &format!("{}-#1", short_name(&full)));
                n.workload(&name)
            });
            let new = Lasting {
                id,
                kind: WorkloadKind::ReplicaSet,
                deletion: None,
                owner: Some((owner.id, owner.uid)),
                selector: Rc::new(selector),
                template: Rc::new(template),
                spec: WorkloadSpec::ReplicaSet {
                    replicas: owner.replicas(),
                    revision: 1,
                    max_replicas: 0,
                },
                ..(*owner.lasting).clone()
            };
            api.create_workload(actor, new)
        };
        let about = self.core.client.workload_object(d.id);
        let created = self.core.client.call(about, create).await?;
        if d.replicas() > 0 {
            self.tell_scaled(d, &created, 0);
        }
        Ok(created)
    }

    /// `scaleReplicaSet`
    async fn scale(&self, d: &Rc<Workload>, rs: &Rc<Workload>, wanted: i32) -> ApiResult {
        let (of, before) = ((rs.id, rs.resource_version), rs.replicas());
        let size = (wanted, allowed(d));
        let scale = move |api: &ApiServer, actor| api.scale_replica_set(actor, of, size);
        let about = self.core.client.workload_object(rs.id);
        let scaled = self.core.client.call(about, scale).await?;
        self.tell_scaled(d, &scaled, before);
        Ok(())
    }

    fn tell_scaled(&self, d: &Workload, rs: &Workload, before: i32) {
        let now = rs.replicas();
        let name = self.core.client.api().names(|n| short_name(n.workload_name(rs.id)).to_owned());
        let direction = if before < now { "up" } else { "down" };
        let words = match self.switches.scaling_text {
            ScalingText::FromTo => format!("from {before} to {now}"),
            // A new ReplicaSet is not told "from 0" before the words were turned round.
            ScalingText::ToFrom if rs.generation > 1 => format!("to {now} from {before}"),
            ScalingText::To | ScalingText::ToFrom => format!("to {now}"),
        };
        let words = format!("Scaled {direction} replica set {name} {words}");
        self.core.tell_words(d, EventText::ScalingReplicaSet, &words);
    }

    /// `syncDeploymentStatus`
    async fn sync_status(&self, d: &Rc<Workload>, sets: &[Rc<Workload>]) -> ApiResult {
        let sum = |f: &dyn Fn(&WorkloadStatus) -> i32| sets.iter().map(|rs| f(&rs.status)).sum();
        let status = WorkloadStatus {
            replicas: sum(&|s| s.replicas),
            ready: sum(&|s| s.ready),
            available: sum(&|s| s.available),
            terminating: sum(&|s| s.terminating),
            observed_generation: d.generation,
            ..d.status.clone()
        };
        if status == d.status {
            return Ok(());
        }
        self.core.write_status(d, d, status).await.map(|_| ())
    }
}

/// A ReplicaSet, and how many pods it is to have.
type Size = (Rc<Workload>, i32);

/// The sizes of a Deployment's ReplicaSets that it has a say in (`sync.go: scale`).
fn sizes(d: &Workload, sets: &[Rc<Workload>]) -> Vec<Size> {
    // Where an export lacks the revisions of two sets, the larger one is taken for the new one.
    let newest = sets.iter().max_by_key(|rs| (revision(rs), rs.replicas(), rs.id));
    let mut active: Vec<_> = sets.iter().filter(|rs| rs.replicas() > 0).cloned().collect();
    // `FindActiveOrLatest`
    if active.len() <= 1 {
        let only = active.pop().or_else(|| newest.cloned());
        return only.map(|rs| (rs, d.replicas())).into_iter().collect();
    }
    match newest.filter(|new| is_saturated(d, new)) {
        Some(new) => active.into_iter().filter(|rs| rs.id != new.id).map(|old| (old, 0)).collect(),
        None => shares(d, active),
    }
}

/// The new ReplicaSet has all pods that there should be, and they are available (`IsSaturated`).
fn is_saturated(d: &Workload, new: &Workload) -> bool {
    new.replicas() == d.replicas() && new.status.available == d.replicas()
}

/// The sizes of several ReplicaSets with pods, of a Deployment that was scaled: what may come, or has to go, is shared out
/// in proportion to what they have.
fn shares(d: &Workload, mut active: Vec<Rc<Workload>>) -> Vec<Size> {
    let allowed = i64::from(allowed(d));
    let there: i64 = active.iter().map(|rs| i64::from(rs.replicas())).sum();
    // With as many as are asked for, or some of its surge beside them, a rollout is on its way.
    if (i64::from(d.replicas())..=allowed).contains(&there) {
        return Vec::new();
    }
    let to_add = allowed - there;
    // The larger ones first; of one size the newer ones grow first, and the older ones shrink first.
    active.sort_by_key(|rs| (revision(rs), rs.id));
    if to_add > 0 {
        active.reverse();
    }
    active.sort_by_key(|rs| Reverse(rs.replicas()));
    let mut left = to_add;
    let mut sizes: Vec<i64> = Vec::with_capacity(active.len());
    for rs in &active {
        let size = i64::from(rs.replicas());
        let fraction = rounded(size * allowed, allowed_before(d, rs).unwrap_or(there)) - size;
        // `GetReplicaSetProportion`
        let share = if to_add > 0 { fraction.min(left) } else { fraction.max(left) };
        left -= share;
        sizes.push(size + share);
    }
    // What is left over is the largest one's.
    if let Some(first) = sizes.first_mut() {
        *first = (*first + left).max(0);
    }
    let size = |n: i64| i32::try_from(n).unwrap_or(i32::MAX);
    active.into_iter().zip(sizes.into_iter().map(size)).collect()
}

/// How many pods the ReplicaSets of a Deployment may have together: its own, and maxSurge.
fn allowed(d: &Workload) -> i32 {
    let surge = match d.spec {
        WorkloadSpec::Deployment { replicas: 1.., max_surge } => max_surge.of(d.replicas()),
        _ => 0,
    };
    d.replicas().saturating_add(surge)
}

/// How many they might have together when this one was scaled last, or else how many there are
/// (`getReplicaSetFraction`); at the start of a run the latter has not been counted yet.
fn allowed_before(d: &Workload, rs: &Workload) -> Option<i64> {
    let WorkloadSpec::ReplicaSet { max_replicas, .. } = rs.spec else { return None };
    [max_replicas, d.status.replicas].into_iter().find(|n| *n > 0).map(i64::from)
}

/// A quotient of what is not negative, rounded (`integer.RoundToInt32`).
fn rounded(dividend: i64, divisor: i64) -> i64 {
    let rest = i64::from(2 * (dividend % divisor) >= divisor);
    dividend / divisor + rest
}

/// The annotation of a ReplicaSet that says of which revision of its Deployment it is.
fn revision(rs: &Workload) -> i64 {
    if let WorkloadSpec::ReplicaSet { revision, .. } = rs.spec { revision } else { 0 }
}

impl ResourceEventHandler<Workload> for DeploymentController {
    /// `addDeployment` and `addReplicaSet` with their like.
    fn on_change(&self, old: Option<&Rc<Workload>>, new: Option<&Rc<Workload>>) {
        let Some(w) = new.or(old) else { return };
        match w.kind {
            WorkloadKind::Deployment => self.core.queue.add(w.id),
            _ => {
                if let Some(d) = self.core.resolve(w.owner, WorkloadKind::Deployment) {
                    self.core.queue.add(d.id);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::budget::IntOrPercent;

    fn workload(id: u32, spec: WorkloadSpec, available: i32) -> Rc<Workload> {
        let kind = match spec {
            WorkloadSpec::Deployment { .. } => WorkloadKind::Deployment,
            _ => WorkloadKind::ReplicaSet,
        };
        let lasting = Lasting {
            id: WorkloadId(id),
            kind,
            uid: Uid::default(),
            creation_timestamp: Timestamp::default(),
            deletion: None,
            owner: None,
            selector: Rc::default(),
            template: Rc::default(),
            pinned: None,
            min_ready_seconds: 0,
            spec,
        };
        let status = WorkloadStatus { available, ..WorkloadStatus::default() };
        let lasting = Rc::new(lasting);
        Rc::new(Workload { resource_version: 1, generation: 1, record: 0, status, lasting })
    }

    /// The sizes of ReplicaSets, the newest first, of a Deployment with these replicas and this maxSurge, from what they
    /// have and how many of them are available.
    fn scaled(replicas: i32, max_surge: i32, sets: &[(i32, i32)]) -> Vec<i32> {
        scaled_from(0, replicas, max_surge, sets)
    }

    /// The same where all sets together might have so many when they were scaled last.
    fn scaled_from(
        max_replicas: i32,
        replicas: i32,
        max_surge: i32,
        sets: &[(i32, i32)],
    ) -> Vec<i32> {
        let max_surge = IntOrPercent::Int(max_surge);
        let d = workload(0, WorkloadSpec::Deployment { replicas, max_surge }, 0);
        let set = |(age, &(replicas, available)): (u32, &(i32, i32))| {
            let revision = 9 - i64::from(age);
            let spec = WorkloadSpec::ReplicaSet { replicas, revision, max_replicas };
            workload(1 + age, spec, available)
        };
        let sets: Vec<_> = (0..).zip(sets).map(set).collect();
        let found = sizes(&d, &sets);
        let size = |rs: &Rc<Workload>| {
            found.iter().find(|(of, _)| of.id == rs.id).map_or(rs.replicas(), |(_, n)| *n)
        };
        sets.iter().map(size).collect()
    }

    /// The rows of `TestScale` (`pkg/controller/deployment/sync_test.go`, v1.34) in which no write fails and maxSurge
    /// stays. None of the pods is available there.
    #[test]
    fn replica_sets_share_what_their_deployment_is_scaled_by() {
        let rows: [(i32, i32, &[i32], &[i32]); 13] = [
            (12, 0, &[10], &[12]),
            (5, 0, &[10], &[5]),
            (10, 0, &[2, 3], &[4, 6]),
            (3, 0, &[2, 3], &[1, 2]),
            (4, 0, &[8, 1], &[4, 0]),
            (10, 0, &[2, 3, 2], &[3, 4, 3]),
            (8, 0, &[2, 8, 3], &[1, 5, 2]),
            (4, 0, &[1, 1, 1], &[2, 1, 1]),
            (2, 0, &[1, 1, 1], &[1, 1, 0]),
            (5, 0, &[2, 2], &[3, 2]),
            (0, 0, &[3, 2, 1], &[0, 0, 0]),
            (6, 0, &[0, 0, 0], &[6, 0, 0]),
            (20, 2, &[6, 6], &[11, 11]),
        ];
        for (replicas, max_surge, there, expected) in rows {
            let sets: Vec<(i32, i32)> = there.iter().map(|n| (*n, 0)).collect();
            assert_eq!(scaled(replicas, max_surge, &sets), expected, "{there:?} to {replicas}");
        }
    }

    /// Two sets of six, scaled to 20 with a surge of two: of 12 that might be there each grows by 6 × 22 / 12 - 6 = 5; of 8 by
    /// 6 × 22 / 8 - 6 = 10.5, rounded to 11, of which ten are left, and the first has them.
    #[test]
    fn what_they_might_have_had_decides_how_much_each_grows() {
        assert_eq!(scaled_from(12, 20, 2, &[(6, 0), (6, 0)]), [11, 11]);
        assert_eq!(scaled_from(8, 20, 2, &[(6, 0), (6, 0)]), [16, 6]);
    }

    /// Amid a rollout of four with a surge of one there are five, and nothing changes: neither the larger old set nor the
    /// new one grows. Once the new one's four are all available, the old one goes (`IsSaturated`); while one is not, it
    /// stays, as in the row "saturated but broken new replica set does not affect old pods".
    #[test]
    fn a_rollout_stands_still_until_its_new_pods_are_all_there() {
        assert_eq!(scaled(4, 1, &[(2, 2), (3, 3)]), [2, 3]);
        assert_eq!(scaled(4, 1, &[(1, 1), (3, 3)]), [1, 3]);
        assert_eq!(scaled(4, 1, &[(4, 3), (1, 1)]), [4, 1]);
        assert_eq!(scaled(4, 1, &[(4, 4), (1, 1)]), [4, 0]);
        assert_eq!(scaled(2, 1, &[(2, 0), (1, 1)]), [2, 1]);
    }
}
