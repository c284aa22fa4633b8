//! Deployments (`pkg/controller/deployment`, v1.34): one ReplicaSet each, its scale, and the
//! status.
//!
//! Left out: rollouts (a template never changes), revisions, pausing, and the condition Progressing
//! with its deadline.

use crate::api::labels::LabelSelector;
use crate::api::workload::{Lasting, WorkloadSpec, pod_template_hash};
use crate::controllers::workload::prelude::*;
use crate::plan::switches::workload::{ScalingText, Switches};

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
        // With one template the first is the new one; an import may bring old ones, which have no
        // pods.
        let Some(newest) = sets.iter().max_by_key(|rs| (rs.replicas(), rs.id)).cloned() else {
            let rs = self.create_replica_set(&d).await?;
            return self.sync_status(&d, &[rs]).await;
        };
        if newest.replicas() != d.replicas() {
            self.scale(&d, &newest).await?;
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
                spec: WorkloadSpec::ReplicaSet { replicas: owner.replicas() },
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
    async fn scale(&self, d: &Rc<Workload>, rs: &Rc<Workload>) -> ApiResult {
        let (of, wanted, before) = ((rs.id, rs.resource_version), d.replicas(), rs.replicas());
        let scale = move |api: &ApiServer, actor| api.scale_replica_set(actor, of, wanted);
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
