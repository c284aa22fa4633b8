//! The components' flags: their names, ranges, and the releases that have them.
//!
//! `cmd/kube-controller-manager/app/options/nodelifecyclecontroller.go`, `podgccontroller.go`, the
//! options of the admission plugins DefaultTolerationSeconds and of the API server's admission, and
//! `KubeletConfiguration`. Left out: every flag that changes nothing here; such a flag is refused,
//! not ignored.

use super::cluster::NodeGroup;
use super::complaints::{Complaints, Spot};
use super::eviction::{self, EvictionFlags};
use super::flag_values::*;
use super::values::KUBERNETES;
use crate::kernel::Dur;
use crate::language::text::tree::at;
use crate::language::{Exported, FlagValue, Flags as Written, Problem};
use crate::plan::{Admission, Flags, LeaderElection, Limits, Profile};
use crate::profiles::{self, Release};
use std::collections::BTreeMap;

/// The settings that the flags result in.
#[derive(Clone)]
pub(crate) struct Settings {
    /// Those of the controllers and of admission.
    pub(crate) flags: Flags,
    /// Admission plugins.
    pub(crate) admission: Admission,
    /// `--kube-api-qps` and `--kube-api-burst`, where one of them is given.
    pub(crate) client: Option<Limits>,
    /// The kubelets' flags.
    pub(crate) kubelet: KubeletFlags,
    /// Those of leader election.
    pub(crate) leader: LeaderFlags,
}

/// kube-controller-manager's flags of leader election.
#[derive(Clone)]
pub(crate) struct LeaderFlags {
    /// `--leader-elect`
    pub(crate) elect: bool,
    /// The others.
    pub(crate) times: LeaderElection,
    /// The first that is given, by its name; where there is no leader election, people are told.
    pub(crate) given: Option<&'static str>,
}

/// The kubelets' flags; none is the release's default.
#[derive(Clone, Default)]
pub(crate) struct KubeletFlags {
    /// `--node-status-update-frequency`
    pub(crate) status_update: Option<Dur>,
    /// `nodeStatusReportFrequency`
    pub(crate) status_report: Option<Dur>,
    /// `nodeLeaseDurationSeconds`
    pub(crate) lease_duration: Option<Dur>,
    /// Those of node-pressure eviction.
    pub(crate) eviction: EvictionFlags,
}

/// kube-controller-manager's client limits where no flag changes them (`component-base/config`
/// defaults).
pub(crate) const CLIENT: Limits = Limits { qps: 20.0, burst: 30 };

/// Sets a flag, where a value is given; the value that it has then, which is empty where the release
/// says what holds.
type Set = fn(&mut Settings, Option<&FlagValue>) -> Result<String, Problem>;

struct Flag {
    name: &'static str,
    /// Whether a release has it.
    is_there: fn(&Profile) -> bool,
    /// What does its work in releases without it.
    instead: &'static str,
    set: Set,
}

/// A flag of every release.
const fn flag(name: &'static str, set: Set) -> Flag {
    Flag { name, is_there: |_| true, instead: "", set }
}

impl Flag {
    /// One of some releases.
    const fn only(self, is_there: fn(&Profile) -> bool, instead: &'static str) -> Self {
        Self { is_there, instead, ..self }
    }
}

/// What took the place of pod-eviction-timeout.
const TOLERATIONS: &str = "since then a pod stays for as long as it tolerates the taint: \
    `flags.kube-apiserver.default-unreachable-toleration-seconds` and `…default-not-ready-toleration-seconds` are the defaults, \
    `tolerationSeconds` is a pod's own";

/// What took the place of enable-taint-manager.
const TAINTS_EVICT: &str = "since then taints always evict: from lost nodes after `tolerationSeconds` for not-ready and unreachable, which is \
    what `pod-eviction-timeout` was with it off, 300 s by default, too; only for NoExecute taints that people write it kept pods, as a toleration \
    of their keys without `tolerationSeconds` does";

/// What holds before disable-force-detach-on-timeout.
const ALWAYS_DETACHED: &str = "volumes that are in use are always detached after six minutes";

/// What holds before node-lease-duration-seconds.
const NO_LEASES: &str = "before, kubelets have no leases: `flags.kubelet.node-status-update-frequency` says how often they are heard";

/// What takes the place of a shutdown by priority.
const NO_PRIORITIES: &str = "it needs the gate GracefulNodeShutdownBasedOnPodPriority; `flags.kubelet.shutdown-grace-period` tells critical pods from others";

/// What takes the place of a graceful shutdown.
const NO_GRACE: &str =
    "it needs the gate GracefulNodeShutdown; without it a machine goes off with what runs on it";

/// What max-container-restart-period needs, in upstream's words (`pkg/kubelet/apis/config/validation`).
const NO_RESTART_PERIOD: &str = "invalid configuration: FeatureGate KubeletCrashLoopBackOffMax not enabled, \
    CrashLoopBackOff.MaxContainerRestartPeriod must not be set; there is such a gate from 1.32 on";

/// What image-maximum-gc-age needs, in upstream's words (`pkg/kubelet/apis/config/validation`).
const NO_MAXIMUM_AGE: &str = "invalid configuration: ImageMaximumGCAge feature gate is required for Kubelet configuration option \
    imageMaximumGCAge; there is such a gate from 1.29 on";

/// What there is before max-parallel-image-pulls.
const ONE_OR_ALL: &str = "before, kubelets pull one image at a time, or with `flags.kubelet.serialize-image-pulls: false` all at once";

/// A table of flags: the name of each, where its value goes, and how it is read; of one that some
/// releases have, the switch that says which, and what does its work in others.
macro_rules! flags {
    ($($name:literal = $keep:ident [$($place:tt)+] $read:expr
        $(, if [$($switch:tt)+] or $instead:ident)?;)*) => {
        &[$(flag($name, |s, v| $keep(&mut s.$($place)+, v, $read))
            $(.only(|p| p.$($switch)+, $instead))?),*]
    };
}

/// The most that an `int32` of Go may be, as most whole numbers are.
const MOST: i64 = i32::MAX as i64;

const CONTROLLER_MANAGER: &[Flag] = flags! {
    "node-monitor-period" = put [flags.node_monitor_period] positive;
    "node-monitor-grace-period" = put [flags.node_monitor_grace_period] positive;
    "node-startup-grace-period" = put [flags.node_startup_grace_period] positive;
    "node-eviction-rate" = put [flags.node_eviction_rate] rate;
    "secondary-node-eviction-rate" = put [flags.secondary_node_eviction_rate] rate;
    "large-cluster-size-threshold" = put [flags.large_cluster_size_threshold] whole(0, MOST);
    "unhealthy-zone-threshold" = put [flags.unhealthy_zone_threshold] share;
    "pod-eviction-timeout" = put [flags.pod_eviction_timeout] positive,
        if [node_lifecycle.timeout_mode_available] or TOLERATIONS;
    "enable-taint-manager" = put [flags.enable_taint_manager] boolean,
        if [node_lifecycle.timeout_mode_available] or TAINTS_EVICT;
    "terminated-pod-gc-threshold" = put [flags.terminated_pod_gc_threshold]
        whole(i32::MIN.into(), MOST);
    "disable-force-detach-on-timeout" = put [flags.disable_force_detach_on_timeout] boolean,
        if [attach_detach.force_detach_flag] or ALWAYS_DETACHED;
    "kube-api-qps" = put [client.get_or_insert(CLIENT).qps] positive_rate;
    "kube-api-burst" = put [client.get_or_insert(CLIENT).burst] whole(1, MOST);
    "leader-elect" = put [leader.elect] boolean;
    "leader-elect-lease-duration" = put [leader.times.lease_duration] positive;
    "leader-elect-renew-deadline" = put [leader.times.renew_deadline] positive;
    "leader-elect-retry-period" = put [leader.times.retry_period] positive;
};

const API_SERVER: &[Flag] = flags! {
    "default-not-ready-toleration-seconds" = put [flags.default_not_ready_toleration_seconds]
        whole(i64::MIN, i64::MAX);
    "default-unreachable-toleration-seconds" = put [flags.default_unreachable_toleration_seconds]
        whole(i64::MIN, i64::MAX);
    "enable-admission-plugins" = switch_plugins [admission] true;
    "disable-admission-plugins" = switch_plugins [admission] false;
};

const KUBELET: &[Flag] = flags! {
    "node-status-update-frequency" = maybe [kubelet.status_update] positive;
    "node-status-report-frequency" = maybe [kubelet.status_report] positive;
    "node-lease-duration-seconds" = maybe [kubelet.lease_duration]
        |v| whole(1, 86_400)(v).map(Dur::from_secs), if [kubelet.leases] or NO_LEASES;
    "shutdown-grace-period" = put [flags.kubelet.shutdown_grace_period] none_or_a_second,
        if [kubelet.graceful_shutdown] or NO_GRACE;
    "shutdown-grace-period-critical-pods" = put [flags.kubelet.shutdown_grace_period_critical_pods]
        none_or_a_second, if [kubelet.graceful_shutdown] or NO_GRACE;
    "shutdown-grace-period-by-pod-priority" = put [flags.kubelet.shutdown_grace_period_by_pod_priority]
        priority_periods, if [kubelet.shutdown_by_priority] or NO_PRIORITIES;
    "serialize-image-pulls" = maybe [flags.kubelet.serialize_image_pulls] boolean;
    "max-parallel-image-pulls" = maybe [flags.kubelet.max_parallel_image_pulls] whole(1, MOST),
        if [kubelet.life.max_parallel_image_pulls] or ONE_OR_ALL;
    "registry-qps" = put [flags.kubelet.registry_qps] whole(0, 1_000_000);
    "registry-burst" = put [flags.kubelet.registry_burst] whole(0, MOST);
    "image-gc-high-threshold" = maybe [flags.kubelet.image_gc_high_threshold] whole(0, 100);
    "image-gc-low-threshold" = maybe [flags.kubelet.image_gc_low_threshold] whole(0, 100);
    "minimum-image-ttl-duration" = maybe [flags.kubelet.minimum_image_ttl_duration] positive;
    "image-maximum-gc-age" = maybe [flags.kubelet.image_maximum_gc_age] positive,
        if [kubelet.images.maximum_age] or NO_MAXIMUM_AGE;
    "max-container-restart-period" = maybe [flags.kubelet.max_container_restart_period]
        restart_period, if [kubelet.life.max_container_restart_period] or NO_RESTART_PERIOD;
    "eviction-hard" = maybe [kubelet.eviction.hard] statements(eviction::thresholds);
    "eviction-soft" = maybe [kubelet.eviction.soft] statements(eviction::thresholds);
    "eviction-soft-grace-period" = maybe [kubelet.eviction.soft_grace_period]
        statements(eviction::grace_periods);
    "eviction-minimum-reclaim" = maybe [kubelet.eviction.minimum_reclaim]
        statements(eviction::minimum_reclaims);
    "eviction-pressure-transition-period" = maybe [kubelet.eviction.pressure_transition_period]
        positive;
    "eviction-max-pod-grace-period" = maybe [kubelet.eviction.max_pod_grace_period] whole(0, MOST);
};

/// The components with their names in a scenario and in a PATH.
const COMPONENTS: &[(&str, &[Flag])] = &[
    ("kube_controller_manager", CONTROLLER_MANAGER),
    ("kube_apiserver", API_SERVER),
    ("kubelet", KUBELET),
];

/// Every flag with its component.
fn all() -> impl Iterator<Item = (&'static str, &'static Flag)> {
    COMPONENTS.iter().flat_map(|(component, flags)| flags.iter().map(|f| (*component, f)))
}

/// Every flag, `kube_controller_manager` and `node-monitor-period` say.
pub fn known() -> impl Iterator<Item = (&'static str, &'static str)> {
    all().map(|(component, flag)| (component, flag.name))
}

fn named(component: &str, name: &str) -> Option<&'static Flag> {
    all().find(|(c, f)| *c == component && f.name == name).map(|(_, flag)| flag)
}

/// The flags that a release has, each with its component, its name, its value by what a scenario
/// gives, and its default.
pub(crate) fn values(
    written: &Written,
    profile: &Profile,
) -> Vec<(&'static str, &'static str, [String; 2])> {
    let given = read(written, profile, &Complaints::default());
    let mut both = [given, defaults(profile)];
    all()
        .filter(|(component, flag)| lacking(component, flag.name, profile).is_none())
        .map(|(component, flag)| {
            let value = |settings: &mut Settings| (flag.set)(settings, None).unwrap_or_default();
            (component, flag.name, both.each_mut().map(value))
        })
        .collect()
}

/// Reads the flags that a scenario gives over those that a release has.
pub(crate) fn read(written: &Written, profile: &Profile, complaints: &Complaints) -> Settings {
    let mut settings = defaults(profile);
    for (component, _) in COMPONENTS {
        let place = complaints.at(at!["flags", *component]);
        read_over(&mut settings, (component, written.component(component)), profile, &place);
    }
    settings
}

/// Reads flags of a component that stand at a place over what holds without them.
pub(crate) fn read_over(
    settings: &mut Settings,
    (component, written): (&str, &BTreeMap<String, FlagValue>),
    profile: &Profile,
    place: &Spot,
) {
    let flags = COMPONENTS.iter().find(|(name, _)| *name == component).map_or(&[][..], |c| c.1);
    // Those that enable come before those that disable, as the API server has it: the map's order is
    // reversed.
    for (name, value) in written.iter().rev() {
        let place = place.part(name);
        let Some(flag) = flags.iter().find(|f| f.name == name) else {
            place.add_name(unknown(&component.replace('_', "-"), name, flags));
            continue;
        };
        if name.starts_with("leader-elect") {
            settings.leader.given.get_or_insert(flag.name);
        }
        if let Some(problem) = lacking(component, name, profile) {
            place.add_name(problem);
        } else if let Err(problem) = (flag.set)(settings, Some(value)) {
            place.add(problem.about(&format!("--{name}")));
        }
    }
}

/// Why a release has no such flag of a component, `kube_controller_manager` say, and what it has
/// instead; nothing if it has it.
pub(crate) fn lacking(component: &str, name: &str, profile: &Profile) -> Option<Problem> {
    let flag = named(component, name)?;
    if (flag.is_there)(profile) {
        return None;
    }
    let all: Vec<(Release, bool)> = Release::all_minors()
        .map(|r| (r, profiles::profile(&r.to_string()).is_ok_and(|p| (flag.is_there)(&p))))
        .collect();
    let having = || all.iter().filter(|(_, there)| *there).map(|(r, _)| r.short());
    let ends = [all.first(), all.last()].map(|end| end.is_some_and(|(_, there)| *there));
    let (first, last) = (having().next()?, having().next_back()?);
    let releases = match ends {
        [_, true] => format!("those from {first} on have it"),
        [true, _] => format!("those up to {last} have it"),
        _ => format!("those from {first} to {last} have it"),
    };
    // What a release has by itself only a gate takes away.
    let is_gated = profiles::profile(&profile.release).is_ok_and(|p| (flag.is_there)(&p));
    let why = if is_gated { format!("as a gate is off: {}", flag.instead) } else { releases };
    let message = format!(
        "{} of Kubernetes {} has no flag --{name}{} {why}",
        component.replace('_', "-"),
        profile.release,
        if is_gated { "," } else { ";" }
    );
    let help = format!(
        "{}; `--set …{name}=none` says nothing of it, and `--against-set` that of the second run of a diff alone",
        flag.instead
    );
    Some(Problem::new(message).help(help))
}

/// Takes over the flags and gates of an exported control plane that the scenario does not set
/// itself, and leaves those to its nodes; the result names those that the release does not have.
pub(crate) fn take_settings(
    kubernetes: Option<&str>,
    exported: &Exported,
    (own, gates, nodes): (&mut Written, &mut BTreeMap<String, bool>, &mut [NodeGroup]),
) -> Vec<String> {
    let version = kubernetes.unwrap_or(KUBERNETES);
    // A release that is not known is complained about elsewhere.
    let Ok(profile) = profiles::profile(version) else { return Vec::new() };
    let mut notes = Vec::new();
    for (name, value) in &exported.feature_gates {
        if gates.contains_key(name) {
            continue;
        }
        match profiles::check_gate(version, name, *value) {
            Ok(()) => drop(gates.insert(name.clone(), *value)),
            // It is locked in this release, or gone.
            Err(error) => notes.push(format!(
                "--feature-gates={name}={value} of the export counts for nothing: {error}"
            )),
        }
    }
    let profile = profiles::with_gates(version, gates).unwrap_or(profile);
    let mut has = |component: &str, (name, value): (&String, &FlagValue)| {
        let lacks = lacking(component, name, &profile);
        let says = |problem: &Problem| {
            format!("--{name}={value} of the export counts for nothing: {}", problem.message)
        };
        let note = lacks.as_ref().map(says).filter(|note| !notes.contains(note));
        notes.extend(note);
        lacks.is_none()
    };
    for node in nodes {
        let is_own = |name: &String| own.kubelet.contains_key(name);
        node.kubelet.retain(|name, value| !is_own(name) && has("kubelet", (name, &*value)));
    }
    for (component, _) in COMPONENTS {
        let to = own.component_mut(component);
        for (name, value) in exported.flags.component(component) {
            if !to.contains_key(name) && has(component, (name, value)) {
                to.insert(name.clone(), value.clone());
            }
        }
    }
    notes
}

/// Whether a value is one that the flag takes.
pub(crate) fn check(component: &str, name: &str, value: &FlagValue) -> Result<(), Problem> {
    let Some(flag) = named(component, name) else { return Ok(()) };
    // Which release it is for does not matter to what can be read.
    let profile = profiles::profile("1.26").map_err(|e| Problem::new(e.to_string()))?;
    (flag.set)(&mut defaults(&profile), Some(value)).map(drop)
}

fn unknown(component: &str, name: &str, flags: &[Flag]) -> Problem {
    let bare = name.trim_start_matches('-').replace('_', "-");
    let problem = Problem::new(format!("`{name}` is not a flag of {component} that is modelled"));
    if bare == "max-pods" {
        return problem.help("`capacity: {\"pods\": …}` of nodes says how many they take");
    }
    if let Some(other) = known().find(|(_, n)| *n == bare) {
        let right = other.0.replace('_', "-");
        return if right == component {
            problem.help(format!("write `{bare}`"))
        } else {
            problem.help(format!("it is a flag of {right}"))
        };
    }
    problem.meant(&bare, flags.iter().map(|f| f.name))
}

/// The defaults of a release.
fn defaults(profile: &Profile) -> Settings {
    Settings {
        flags: Flags::defaults(profile),
        admission: Admission {
            default_toleration_seconds: true,
            taint_nodes_by_condition: profile.taint_nodes_by_condition,
            pod_toleration_restriction: false,
            extended_resource_toleration: false,
        },
        client: None,
        kubelet: KubeletFlags::default(),
        leader: LeaderFlags {
            elect: true,
            times: LeaderElection {
                lease_duration: Dur::from_secs(15),
                renew_deadline: Dur::from_secs(10),
                retry_period: Dur::from_secs(2),
            },
            given: None,
        },
    }
}
