//! From an exported pod to what a scenario says of one.
//!
//! A pod that runs, is Ready and is not being deleted becomes a plain running pod, one that has not
//! started a plain pending one, or where its volumes are there one whose start goes on. Any other keeps phase, conditions and deletion with their times.

use super::containers::{self, Slot};
use super::quantities;
use super::scheduling::{is_patient, scheduling};
use crate::api::container::MAIN;
use crate::api::pod::{PodConditionType, PodPhase, PodSource, Stuck};
use crate::api::taint::{Effect, NOT_READY, UNREACHABLE};
use crate::api::toleration::Operator;
use crate::api::validation;
use crate::import::prelude::*;

/// All of a pod but its name and node; pods of one shape are one group of the scenario.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct PodShape {
    /// `metadata.namespace`
    pub(crate) namespace: String,
    /// The controlling owner.
    pub(crate) owner: Option<Owner>,
    /// What a template would say of it, defaults included.
    pub(crate) template: PodTemplate,
    /// A mirror of a static pod: where its kubelet has it from.
    pub(crate) static_pod: Option<PodSource>,
    /// How far it is.
    pub(crate) start: PodStart,
    /// How often containers of a Job's pod were started again, where that counts.
    pub(crate) restarts: u32,
    /// What keeps it as it is.
    pub(crate) stuck: Option<Stuck>,
    /// The devices that it has, one claim after the other.
    pub(crate) devices: Vec<String>,
}

impl PodShape {
    /// Whether there is a toleration, of whatever length, for both taints of a failing node: every
    /// pod that passed the admission plugin DefaultTolerationSeconds has them
    /// (`plugin/pkg/admission/defaulttolerationseconds/admission.go`).
    pub(super) fn has_default_tolerations(&self) -> bool {
        let no_execute = |t: &&Toleration| t.effect.is_none_or(|e| e == Effect::NoExecute);
        let has = |key: &str| {
            let mut all = self.template.tolerations.iter().filter(no_execute);
            all.any(|t| t.key.is_empty() || t.key == key)
        };
        self.static_pod == Some(PodSource::File) || has(NOT_READY) && has(UNREACHABLE)
    }
}

/// What the kubelet adds to static pods from files (`pkg/kubelet/config/common.go:
/// applyDefaults`).
fn every_no_execute() -> Toleration {
    let (operator, effect) = (Some(Operator::Exists), Some(Effect::NoExecute));
    Toleration { operator, effect, ..Toleration::default() }
}

/// The finalizer that the Job controller gives its pods until it has counted them, which a run gives them, too
/// (`JobTrackingFinalizer`).
const JOB_TRACKING: &str = "batch.kubernetes.io/job-tracking";

/// After so long at most it says again what became of a pod (`syncPeriod` of its status manager), in microseconds.
pub(super) const STATUS_SYNC_US: i64 = 10 * SECOND_US;

/// A pod's name, its node, and its shape.
pub(super) type NamedPod = (String, Option<String>, PodShape);

impl RawPod {
    /// The node it is bound to.
    pub(super) fn node(&self) -> Option<&str> {
        Some(&*self.spec.node_name).filter(|n| !n.is_empty())
    }

    /// Since when a condition of it is True.
    pub(super) fn since(&self, kind: &str) -> Option<Stamp> {
        self.turned(kind, "True")
    }

    /// Since when a condition of it has had that status.
    pub(super) fn turned(&self, kind: &str, status: &str) -> Option<Stamp> {
        let condition = self.status.conditions.iter().find(|c| c.is(kind, status))?;
        parse_time(&condition.last_transition_time)
    }

    /// When the last of its containers ended, if all have.
    pub(super) fn ended(&self) -> Option<Stamp> {
        let ended = |c: &RawContainerStatus| parse_time(&c.state.terminated.as_ref()?.finished_at);
        let all: Option<Vec<Stamp>> = self.status.container_statuses.iter().map(ended).collect();
        all?.into_iter().max()
    }

    /// When its deletion began: its time is the end of its grace period.
    pub(super) fn deletion_began(&self) -> Option<Stamp> {
        let grace = self.meta.deletion_grace_period_seconds.unwrap_or(0);
        let ends = parse_time(&self.meta.deletion_timestamp)?;
        Some(Stamp(ends.0.saturating_sub(grace.saturating_mul(SECOND_US))))
    }

    /// Its containers have ended, and do not start again.
    pub(super) fn is_over(&self) -> bool {
        matches!(&*self.status.phase, "Succeeded" | "Failed")
    }

    /// It comes from an API server, and not from a manifest.
    pub(super) fn has_status(&self) -> bool {
        !self.status.phase.is_empty()
    }

    /// Its times go into `times`; a deletion's lies in the future, and says nothing.
    pub(super) fn note_times(&self, times: &mut Times) -> Result<(), Wrong> {
        for c in &self.status.conditions {
            if let Some(t) = time("lastTransitionTime", &c.last_transition_time)? {
                times.other(t);
            }
        }
        Ok(())
    }

    /// The fields of this pod that bear on its fate and are not modelled yet.
    pub(super) fn unmodelled(&self, found: &mut dyn FnMut(&'static str)) {
        let spec = &self.spec;
        let facts = [
            ("finalizers", self.meta.deletion_timestamp.is_empty() && self.has_finalizers()),
            ("activeDeadlineSeconds", spec.active_deadline_seconds.is_some()),
            ("timeoutSeconds of probes", is_patient(spec)),
        ];
        facts.into_iter().filter(|f| f.1).for_each(|f| found(f.0));
        // What is wrong with it is reported when the pod is converted.
        let _ = scheduling(spec, found);
    }

    /// The pod as a scenario has it.
    pub(super) fn shape(&self, zero: Stamp) -> Result<PodShape, Wrong> {
        let spec = &self.spec;
        let owner = self.meta.controller();
        let owner = owner.map(|o| Owner { kind: o.kind.clone(), name: o.name.clone() });
        if owner.as_ref().is_some_and(|o| o.kind.is_empty() || o.name.is_empty()) {
            return Err(Wrong(
                "metadata.ownerReferences has a controller without kind or name".to_owned(),
            ));
        }
        let mut tolerations = tolerations(&spec.tolerations)?;
        let static_pod = self.static_pod()?;
        if static_pod == Some(PodSource::File) {
            // The kubelet has given it a toleration for every NoExecute taint, which goes without
            // saying in a scenario.
            let all = every_no_execute();
            if let Some(i) = tolerations.iter().rposition(|t| *t == all) {
                tolerations.remove(i);
            }
        }
        let template = PodTemplate {
            labels: fields::labels("metadata.labels", &self.meta.labels)?,
            tolerations,
            termination_grace_period_seconds: spec.termination_grace_period_seconds,
            node_selector: fields::labels("spec.nodeSelector", &spec.node_selector)?,
            requests: quantities::pod_requests(spec)?,
            priority: spec.priority,
            priority_class_name: spec.priority_class(),
            pod_deletion_cost: self.meta.annotations.deletion_cost(),
            ..scheduling(spec, &mut |_| {})?
        };
        let (namespace, start) = (self.namespace.clone(), self.start(zero)?);
        let (restarts, devices) = (self.restarts(), Vec::new());
        Ok(PodShape {
            namespace,
            owner,
            template,
            static_pod,
            start,
            restarts,
            stuck: None,
            devices,
        })
    }

    /// What keeps it as it is, where the export shows it: a finalizer, the end of its grace period long ago, or an
    /// image that cannot be pulled. `well_since`: since when its node has been Ready, if its kubelet is alive.
    pub(super) fn stuck(&self, zero: Stamp, well_since: Option<Stamp>) -> Option<Stuck> {
        let Some(until) = parse_time(&self.meta.deletion_timestamp) else {
            let RawPodStatus { container_statuses, init_container_statuses, phase, .. } =
                &self.status;
            let mut all = container_statuses.iter().chain(init_container_statuses);
            let waits = all.any(|c| c.state.waiting.as_ref().is_some_and(RawWaiting::lacks_image));
            return (waits && phase == "Pending").then_some(Stuck::Kubelet);
        };
        let late = |since: Stamp| zero.us_since(since.max(until)) >= STATUS_SYNC_US;
        match self.has_finalizers() {
            true => Some(Stuck::Finalizer),
            false => well_since.is_some_and(late).then_some(Stuck::Kubelet),
        }
    }

    /// How often containers of a Job's pod that runs were started again, where its Job counts that (`pastBackoffLimitOnFailure`).
    fn restarts(&self) -> u32 {
        let of_job = self.meta.controller().is_some_and(|o| o.kind == WorkloadKind::Job.as_str());
        if !of_job || self.status.phase != "Running" || self.spec.restart_policy != "OnFailure" {
            return 0;
        }
        let RawPodStatus { container_statuses, init_container_statuses, .. } = &self.status;
        let all = container_statuses.iter().chain(init_container_statuses);
        all.fold(0, |sum, c| sum.saturating_add(u32::try_from(c.restart_count).unwrap_or(0)))
    }

    fn has_finalizers(&self) -> bool {
        self.meta.finalizers.iter().flatten().any(|f| f != JOB_TRACKING)
    }

    /// `pkg/kubelet/types/pod_update.go`: a mirror pod has one annotation, and another one says
    /// what it mirrors.
    fn static_pod(&self) -> Result<Option<PodSource>, Wrong> {
        let a = &self.meta.annotations;
        match a.source.as_deref() {
            _ if !a.mirror => Ok(None),
            None | Some("file") => Ok(Some(PodSource::File)),
            Some("http") => Ok(Some(PodSource::Url)),
            Some(other) => Err(Wrong(format!(
                "is a mirror pod, but its annotation kubernetes.io/config.source is {other:?}"
            ))),
        }
    }

    fn start(&self, zero: Stamp) -> Result<PodStart, Wrong> {
        // A manifest that was never sent has no status, and an API server gives it this phase.
        let phase = if self.has_status() { &*self.status.phase } else { "Pending" };
        let phase = fields::word("status.phase", phase)?;
        let ready = self.condition(PodConditionType::Ready, zero)?;
        let disruption_target = self.condition(PodConditionType::DisruptionTarget, zero)?;
        time("creationTimestamp", &self.meta.creation_timestamp)?;
        let deletion = time("deletionTimestamp", &self.meta.deletion_timestamp)?;
        let deletion = deletion.map(|t| Deletion {
            timestamp: seconds(t.seconds_since(zero)),
            grace_period_seconds: self
                .meta
                .deletion_grace_period_seconds
                .or(self.spec.termination_grace_period_seconds)
                .unwrap_or(30),
        });
        if self.node().is_none() && phase == PodPhase::Running {
            return Err(Wrong("is Running, but spec.nodeName is missing".to_owned()));
        }
        let is_ready = ready.as_ref().is_some_and(|c| c.status == ConditionStatus::True);
        let is_plain = disruption_target.is_none() && deletion.is_none();
        Ok(match phase {
            PodPhase::Running if is_ready && is_plain => PodStart::Running,
            PodPhase::Pending if !is_ready && is_plain => PodStart::Pending,
            phase => PodStart::Imported { phase, ready, disruption_target, deletion },
        })
    }

    /// How far it is where its kubelet is starting it and nothing is in the way: from its binding, or since its disks are
    /// there where it has some that are attached; and the container whose turn it is, once one was started.
    pub(super) fn starting(&self, zero: Stamp, attaches: bool) -> Option<PodStart> {
        let there = self.since("PodReadyToStartContainers")?;
        let began = if attaches { there } else { self.since("PodScheduled")? };
        let since = |t: Stamp| micros(zero.us_since(t).max(0));
        let known =
            |w: &RawWaiting| matches!(&*w.reason, "" | "ContainerCreating" | "PodInitializing");
        let all = containers::statuses(&self.spec, &self.status);
        if all
            .iter()
            .any(|(_, c)| c.restart_count > 0 || !c.state.waiting.as_ref().is_none_or(known))
        {
            return None;
        }
        let done = |slot: &Slot, c: &RawContainerStatus| match slot.ends() {
            true => c.state.terminated.as_ref().is_some_and(|t| t.exit_code == 0),
            false => c.state.running.is_some() && c.started != Some(false),
        };
        let mut inits = all.iter().filter_map(|(slot, c)| Some((slot.as_ref()?, c)));
        let next = inits.find(|(slot, c)| slot.is_init() && !done(slot, c));
        let has_begun = |c: &RawContainerStatus| c.state.waiting.is_none();
        let turn = next.map_or(MAIN, |(slot, _)| &slot.name).to_owned();
        let runs = next.and_then(|(_, c)| parse_time(&c.state.running.as_ref()?.started_at));
        Some(PodStart::Starting {
            waited: Some(since(began)),
            turn: all.iter().any(|(_, c)| has_begun(c)).then_some(turn),
            ran: runs.map(since),
        })
    }

    fn condition(
        &self,
        kind: PodConditionType,
        zero: Stamp,
    ) -> Result<Option<PodCondition>, Wrong> {
        let is_it = |c: &&RawCondition| c.r#type == kind.as_str();
        let Some(raw) = self.status.conditions.iter().find(is_it) else { return Ok(None) };
        // Up to 1.25 the scheduler's reason had another name; one that the language does not know is
        // left out, as it says.
        let was_preempted = &*raw.reason == "PreemptionByKubeScheduler";
        let reason = if was_preempted { "PreemptionByScheduler" } else { &*raw.reason };
        let changed = time("lastTransitionTime", &raw.last_transition_time)?;
        Ok(Some(PodCondition {
            status: fields::word("status.conditions: status", &raw.status)?,
            reason: fields::shared(reason),
            last_transition_time: seconds(changed.map_or(0, |t| t.seconds_since(zero))),
        }))
    }
}

/// `Lt` and `Gt` pass here whatever the release: the API server that stored them let them pass.
pub(super) fn tolerations(raw: &[RawToleration]) -> Result<Vec<Toleration>, Wrong> {
    let mut all = Vec::with_capacity(raw.len());
    for (i, t) in raw.iter().enumerate() {
        let at = |field: &str| format!("spec.tolerations[{i}].{field}");
        let effect = Some(&*t.effect).filter(|e| !e.is_empty());
        let operator = validation::operator_of(&t.operator, &at("operator"))?;
        all.push(Toleration {
            key: t.key.clone(),
            operator: Some(operator).filter(|o| *o != Operator::Equal),
            value: t.value.clone(),
            effect: effect.map(|e| validation::effect_of(e, &at("effect"))).transpose()?,
            toleration_seconds: t.toleration_seconds,
        });
    }
    let read: Vec<_> = all.iter().map(Toleration::of_api).collect();
    fields::first(validation::validate_tolerations(&read, "spec.tolerations", true))?;
    Ok(all)
}
