//! A run's input, fully resolved: what a scenario file, an export of kubectl or a recorded timeline
//! comes down to.
//!
//! Everything here is checked before it gets here: names are declared, limits are kept, texts are
//! parsed. A plan is plain data and may be shared between threads; each run builds its own objects
//! from it.

use super::eviction::Eviction;
use super::objects::*;
use super::perturb::Perturb;
use super::profile::Profile;
use super::settings::{
    Admission, Controllers, Flags, KubeletConfig, KubeletSettings, SchedulerSettings,
};
use super::switches::node_lifecycle::EvictionMode;
use super::timeline::{Action, Do, NewRule, TimelineEntry};
use super::timing::{KubeletMode, Timing};
use crate::api::meta::Timestamp;
use crate::api::pod::PodTemplate;
use crate::api::usage::Used;
use crate::api::workload::{JobSpec, WorkloadSpec, namespace_of};
use crate::kernel::choice::Deviation;
use crate::kernel::{Dur, Time};
use crate::trace::Actor;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// One run, except its seed.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The scenario's name: its file name without extension.
    pub name: String,
    /// What the scenario is about.
    pub doc: String,
    /// When it begins by the clock on the wall, in microseconds since 1970, where that is known.
    pub begins: Option<i64>,
    /// What a person should know before its figures are believed, a sentence each: what is not
    /// simulated of it, what is assumed, pods of an export that a setting changed. Whoever gives a
    /// figure of a run gives these with it.
    pub notes: Vec<String>,
    /// The end of the run.
    pub horizon: Time,
    /// The behaviour of the release.
    pub profile: Profile,
    /// Settings of the components.
    pub flags: Flags,
    /// Delays and limits.
    pub timing: Timing,
    /// When kubelets evict pods, unless a node's has a configuration of its own.
    pub eviction: Eviction,
    /// Admission plugins that are on.
    pub admission: Admission,
    /// When the controllers' process starts.
    pub controllers_start: Time,
    /// The controllers have been running for long at time zero: they know the nodes and have no
    /// history to tell. Otherwise they start like a new process, which registers every node.
    pub warm_start: bool,
    /// With `warm_start`: what the controllers of an exported cluster remember. Their objects tell
    /// the rest: conditions and taints, leases, and deletions that have begun. None for a cluster
    /// of which nothing but its objects is known.
    pub memory: Option<Memory>,
    /// Nodes that exist from the start, then those that join later ([`Do::AddNode`]).
    pub nodes: Vec<NodePlan>,
    /// Templates that pods refer to.
    pub templates: Vec<PodTemplate>,
    /// Pods that exist from the start, then those that are created later ([`Do::CreatePod`]).
    pub pods: Vec<PodPlan>,
    /// The controllers that run beside those of node failure handling.
    pub controllers: Controllers,
    /// The scheduler's configuration.
    pub scheduler: SchedulerSettings,
    /// Workloads that exist from the start, then those that are created later
    /// ([`Do::CreateWorkload`]).
    pub workloads: Vec<WorkloadPlan>,
    /// Disruption budgets that exist from the start, then those that are created later
    /// ([`Do::CreateBudget`]).
    pub budgets: Vec<BudgetPlan>,
    /// What namespaces say of their pods' tolerations, by their names.
    pub namespaces: BTreeMap<String, NamespaceTolerations>,
    /// The entries of the timeline as a person wrote them.
    pub timeline: Vec<TimelineEntry>,
    /// What the entries come down to, in time order.
    pub actions: Vec<Action>,
    /// Nodes have devices.
    pub has_devices: bool,
    /// It takes time to make volumes.
    pub provisions: bool,
    /// Rules that taint devices from the start.
    pub device_taint_rules: Vec<NewRule>,
    /// The node readiness controller and its rules.
    pub readiness: Readiness,
    /// Renewals of leases are among the records.
    pub lease_records: bool,
    /// Trouble that is left to the choices.
    pub perturb: Perturb,
    /// The tape that the scenario brings along: deviations from the default order.
    pub tape: Option<Vec<Deviation>>,
}

impl Plan {
    /// Whether anything is said of what pods or nodes use, so that a node can run short of it.
    pub fn states_usage(&self) -> bool {
        self.templates.iter().any(|t| t.usage.is_some())
            || self.nodes.iter().any(|n| n.usage.is_some())
    }

    /// Whether it is known of any image how large it is, so that nodes list those that they have.
    pub(crate) fn lists_images(&self) -> bool {
        self.templates.iter().any(|t| t.images().any(|image| image.size > 0))
    }

    /// How large images are, where that is known.
    pub(crate) fn image_sizes(&self) -> BTreeMap<Rc<str>, i64> {
        let images = self.templates.iter().flat_map(PodTemplate::images);
        images.filter(|i| i.size > 0).map(|i| (i.name.clone(), i.size)).collect()
    }

    /// Whether kubelets delete images that nobody uses before anything is short: a node says how large its disk is, and it is
    /// known how large images are, or said when they are to be deleted.
    pub(crate) fn collects_images(&self) -> bool {
        let disks = [Used::NodeFs.as_str(), Used::ImageFs.as_str()];
        let has_disk = |n: &NodePlan| disks.iter().any(|disk| n.allocatable.contains_key(*disk));
        self.nodes.iter().any(has_disk) && (self.lists_images() || self.states_image_gc())
    }

    /// Whether a node's kubelet ends its pods before its machine goes off that is told to.
    pub(crate) fn shuts_down_gracefully(&self, node: &NodePlan) -> bool {
        let settings = node.kubelet.as_ref().map_or(&self.flags.kubelet, |own| &own.settings);
        let is_real = matches!(self.kubelet_mode(node), KubeletMode::Real(_));
        is_real && self.profile.kubelet.graceful_shutdown && settings.has_shutdown_periods()
    }

    /// Whether any kubelet's flags say when images are to be deleted.
    pub(crate) fn states_image_gc(&self) -> bool {
        let own = self.nodes.iter().filter_map(|n| n.kubelet.as_ref()).map(|own| &own.settings);
        own.chain([&self.flags.kubelet]).any(KubeletSettings::states_image_gc)
    }

    /// The configuration of kubelets whose nodes have none of their own.
    pub(crate) fn kubelet(&self) -> KubeletConfig {
        KubeletConfig {
            mode: self.timing.kubelet,
            eviction: self.eviction.clone(),
            settings: self.flags.kubelet.clone(),
        }
    }

    /// How a node's kubelet behaves, and how often it is heard.
    pub(crate) fn kubelet_mode(&self, node: &NodePlan) -> KubeletMode {
        node.kubelet.as_ref().map_or(self.timing.kubelet, |own| own.mode)
    }

    /// Whose trouble can be left to the choices.
    pub fn clients(&self) -> Vec<Actor> {
        self.controllers.clients(self.flags.enable_taint_manager)
    }

    /// Whether pods of lost nodes are deleted after `--pod-eviction-timeout`, and not as their nodes get NoExecute taints
    /// (S31).
    pub(crate) fn evicts_by_timeout(&self) -> bool {
        let switches = &self.profile.node_lifecycle;
        switches.eviction_mode == EvictionMode::Timeout
            || switches.timeout_mode_available && !self.flags.enable_taint_manager
    }

    /// Whether no pod of a workload, `Kind/namespace/name`, is replaced before it is gone: of a StatefulSet, and of a Job that
    /// replaces failed pods alone.
    pub(crate) fn successors_wait(&self, workload: &str) -> bool {
        let waits = |job| self.profile.workload.job.only_replaces_failed(job);
        workload.starts_with("StatefulSet/") || self.job(workload).is_some_and(waits)
    }

    /// Whether a workload, `Kind/namespace/name`, is a Job that fails once one of its pods that was disrupted has failed.
    pub(crate) fn fails_with_a_pod(&self, workload: &str) -> bool {
        self.job(workload).is_some_and(|job| self.profile.workload.job.fails_with_a_pod(job))
    }

    /// The spec of a Job, `Job/namespace/name`.
    fn job(&self, name: &str) -> Option<&JobSpec> {
        let is_it = |w: &&WorkloadPlan| name.starts_with("Job/") && w.name == name;
        match &self.workloads.iter().find(is_it)?.spec {
            WorkloadSpec::Job(job) => Some(job),
            _ => None,
        }
    }

    /// With what containers of a workload's pods exit when they are asked to stop, where that is said.
    pub(crate) fn exit_code_of(&self, workload: &WorkloadPlan) -> Option<i32> {
        self.templates.get(workload.template as usize)?.exit_code
    }

    /// The notes that a person may have to do something about: all but what is assumed of every
    /// run.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = &String> {
        self.notes.iter().filter(|n| !n.starts_with("Assumed:"))
    }

    /// Workloads by their names, and pods that have none, with volumes that outlive a pod. These
    /// are not simulated.
    pub(crate) fn with_volumes(&self) -> BTreeSet<String> {
        self.owners(&|template| template.persistent_volumes)
    }

    /// Workloads by their names, and pods that have none, whose templates are like that.
    pub(crate) fn owners(&self, is_so: &dyn Fn(&PodTemplate) -> bool) -> BTreeSet<String> {
        let so = |t: u32| self.templates.get(t as usize).is_some_and(is_so);
        let by_name: BTreeMap<&str, &WorkloadPlan> =
            self.workloads.iter().map(|w| (w.name.as_str(), w)).collect();
        let workloads = self.workloads.iter().filter(|w| so(w.template));
        let mut names: BTreeSet<String> = workloads.map(|w| self.topmost(w).name.clone()).collect();
        // Pods of a workload share a template, which has its name.
        let mut owned: BTreeMap<u32, Option<&str>> = BTreeMap::new();
        for pod in self.pods.iter().filter(|p| so(p.template)) {
            let of_owner = owned.entry(pod.template).or_insert_with(|| {
                let name = self.owner_of(pod)?;
                Some(self.topmost(by_name.get(name.as_str())?).name.as_str())
            });
            if of_owner.is_none_or(|name| !names.contains(name)) {
                names.insert(of_owner.unwrap_or(&pod.name).to_owned());
            }
        }
        names
    }

    /// The workload of a pod, `Kind/namespace/name`.
    pub(crate) fn owner_of(&self, pod: &PodPlan) -> Option<String> {
        let owner = self.templates.get(pod.template as usize)?.owner.as_ref()?;
        Some(format!("{}/{}/{}", owner.kind, namespace_of(&pod.name), owner.name))
    }

    /// The Deployment of a ReplicaSet that has one; every other workload itself.
    fn topmost<'a>(&'a self, workload: &'a WorkloadPlan) -> &'a WorkloadPlan {
        let owner = workload.owner.and_then(|w| self.workloads.get(w as usize));
        owner.unwrap_or(workload)
    }

    /// Whether an entry of the timeline lasts: it has a begin and an end, be it one that only the
    /// run can tell.
    pub(crate) fn lasts(&self, entry: u32) -> bool {
        let open =
            || self.actions.iter().any(|a| a.entry == entry && matches!(a.act, Do::Maintain(..)));
        self.timeline.get(entry as usize).is_some_and(|e| e.ends.is_some() || open())
    }
}

/// What the controllers of an exported cluster remember beside what its objects tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// Since when kube-controller-manager's leader has held office, in microseconds from the start
    /// and not above zero; none is for long.
    pub(crate) office_us: Option<i64>,
    /// When the next pass of the node lifecycle controller comes, from the start; none is not
    /// known.
    pub(crate) pass: Option<Dur>,
    /// When it was last seen in a pass, in microseconds from the start and not above zero.
    pub(crate) passed_us: Option<i64>,
    /// When healthy nodes last renewed their leases, in microseconds from the start and not above
    /// zero.
    pub(crate) leases_us: BTreeMap<NodeIndex, i64>,
    /// Pods that the scheduler found no node for.
    pub(crate) waiting: BTreeMap<PodIndex, Waited>,
    /// When pods were bound to a node that was to evict them already, in microseconds from the start
    /// and not above zero.
    pub(crate) bound_us: BTreeMap<PodIndex, i64>,
    /// When pods came to be.
    pub(crate) ages: BTreeMap<PodIndex, Age>,
    /// Pods whose volumes are still attached to another node, which says that it uses them.
    pub(crate) attached: BTreeMap<PodIndex, NodeIndex>,
    /// Since when nobody wants them there, at the earliest and at the latest, in microseconds from the start and not above
    /// zero.
    pub(crate) detach_requested_us: BTreeMap<PodIndex, (i64, i64)>,
    /// Jobs with failed pods.
    pub(crate) failures: BTreeMap<WorkloadIndex, FailedBefore>,
    /// What disruption budgets were last counted to.
    pub(crate) budgets: BTreeMap<BudgetIndex, CountedBefore>,
}

impl Memory {
    /// Deletions by taint that are due come within this many seconds while the controller is at work on others.
    pub(crate) const AT_WORK_S: i64 = 10;
    /// A deletion by taint that is this many seconds late, while nothing holds it up, was never due.
    pub(crate) const NEVER_DUE_S: i64 = 20;
}

/// When a pod came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Age {
    /// When it was created.
    pub(crate) created: Timestamp,
    /// When its kubelet took it up.
    pub(crate) started: Timestamp,
    /// Since when it has been Ready, where that is known.
    pub(crate) ready: Option<Timestamp>,
}

/// What the scheduler remembers of a pod that it found no node for. Times are microseconds from the
/// start and not above zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waited {
    /// Since when it has waited.
    pub(crate) since_us: i64,
    /// How often it was tried; none is not known.
    pub(crate) tries: Option<u32>,
    /// When it was last tried; none is not known.
    pub(crate) last_us: Option<i64>,
}

/// Failures of a Job's pods since its last success, within bounds. Times are seconds from the start
/// and not above zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FailedBefore {
    /// How many there were, at least and at most.
    pub(crate) failures: (u32, u32),
    /// When the last one was, at the earliest and at the latest.
    pub(crate) last: (i64, i64),
}

/// The status of a disruption budget.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CountedBefore {
    /// `disruptionsAllowed`
    pub(crate) allowed: i32,
    /// `currentHealthy`
    pub(crate) healthy: i32,
    /// `desiredHealthy`
    pub(crate) desired: i32,
    /// `expectedPods`
    pub(crate) expected: i32,
    /// `disruptedPods`, in seconds from the start.
    pub(crate) disrupted: BTreeMap<PodIndex, i64>,
}
