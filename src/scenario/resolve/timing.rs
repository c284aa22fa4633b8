//! Delays, limits, and how kubelets and users behave: `Ideal`, `Typical`, `Custom`.
//!
//! The figures of `Typical`, and where they come from. "Measured" is a real control plane: etcd,
//! kube-apiserver and kube-controller-manager 1.34.4 with default flags on one small machine, fake
//! kubelets that heartbeat.
//!
//! | Figure | Value | Source |
//! |---|---|---|
//! | request | 1 to 4 ms | measured: a pod that does not tolerate a taint is deleted 0.02 s after the taint was written. In between lie one watch, three requests (GET, PATCH of DisruptionTarget, DELETE) and two replies: 6 + 3 · 2.5 + 2 · 1.25 = 16 ms |
//! | response | 0.5 to 2 ms | the same; a reply carries no write to etcd |
//! | watch | 2 to 10 ms | measured: a node that is back loses its NoSchedule taint 15 to 40 ms later: watch, GET, PATCH on top of the kubelet's own PATCH: 6 + 2 · 2.5 + 1.25 = 12 ms at the least load |
//! | pass_overhead | 5 ms | a pass over some dozens of nodes reads caches only; measured passes of a quiet cluster drift by some milliseconds |
//! | clients | 20 per second, burst 30 | kube-controller-manager's `--kube-api-qps` and `--kube-api-burst`, one limiter per controller client; the scheduler's 50 and 100 |
//! | kubelet | `Real`, frequencies of the release | `KubeletConfiguration` defaults |
//! | pod_start | 2 s | an assumption within Kubernetes' service level objective, pods with pulled images start within 5 s |
//! | pod_stop | 1 s | an assumption: a server that ends soon after SIGTERM. One that ignores it takes its whole grace period |
//! | attacher | 5 s to attach, 5 s to detach | an assumption: clouds' disks take from two to some ten seconds |
//! | boot | 30 s | an assumption: a virtual machine until its kubelet runs |
//! | user | `Kubectl` | people write with kubectl |

use super::spans::{PodTimes, how_long};
use crate::language::Timing as Written;
use crate::language::flags::{CLIENT, KubeletFlags, LeaderFlags, Settings};
use crate::plan::{Delay, Imitated, Limits, Real, Timing, UserMode};
use crate::scenario::prelude::*;

/// `nodeStatusUpdateFrequency` where no flag changes it.
const STATUS_UPDATE: Dur = Dur::from_secs(10);
/// `nodeLeaseDurationSeconds` where no flag changes it.
const LEASE_DURATION: Dur = Dur::from_secs(40);

/// kube-scheduler's client limits (`pkg/scheduler/apis/config/v1/defaults.go`).
const SCHEDULER_CLIENT: Limits = Limits { qps: 50.0, burst: 100 };
/// The clients of the controllers beside those of node failure handling, under their names in a
/// scenario.
fn other_clients(limits: &ClientLimits) -> [(&'static str, Actor, &Option<ClientLimit>); 14] {
    [
        ("pod_gc", Actor::PodGc, &limits.pod_gc),
        ("garbage_collector", Actor::GarbageCollector, &limits.garbage_collector),
        ("deployment", Actor::Deployment, &limits.deployment),
        ("replica_set", Actor::ReplicaSet, &limits.replica_set),
        ("stateful_set", Actor::StatefulSet, &limits.stateful_set),
        ("daemon_set", Actor::DaemonSet, &limits.daemon_set),
        ("job", Actor::Job, &limits.job),
        ("cloud", Actor::Cloud, &limits.cloud),
        ("disruption", Actor::Disruption, &limits.disruption),
        ("scheduler", Actor::Scheduler, &limits.scheduler),
        ("attach_detach", Actor::AttachDetach, &limits.attach_detach),
        ("device_taint_eviction", Actor::DeviceTaintEviction, &limits.device_taint_eviction),
        ("resource_claim", Actor::ResourceClaim, &limits.resource_claim),
        ("node_readiness", Actor::NodeReadiness, &limits.node_readiness),
    ]
}

/// The limits of the other controllers' clients: each of kube-controller-manager's has its own, and
/// the scheduler one of another process. The garbage collector's has twice the rate
/// (`startGarbageCollectorController`).
fn others(client: Limits) -> BTreeMap<Actor, Limits> {
    let clients = ClientLimits::default();
    let mut all: BTreeMap<Actor, Limits> =
        other_clients(&clients).into_iter().map(|(_, actor, _)| (actor, client)).collect();
    all.insert(Actor::Scheduler, SCHEDULER_CLIENT);
    let twice = Limits { qps: 2.0 * client.qps, ..client };
    all.insert(Actor::GarbageCollector, twice);
    all
}

/// As on a real control plane; the module's table says where each figure comes from.
fn typical(kubelet: KubeletMode) -> Timing {
    Timing {
        name: "Typical".to_owned(),
        request: Delay { min: Dur::from_millis(1), max: Dur::from_millis(4) },
        response: Delay { min: Dur::from_micros(500), max: Dur::from_millis(2) },
        watch: Delay { min: Dur::from_millis(2), max: Dur::from_millis(10) },
        step: Delay { min: Dur::from_millis(1), max: Dur::from_millis(4) },
        pass_overhead: Dur::from_millis(5),
        pod_gc_overhead: Dur::from_millis(5),
        clock_advances: true,
        numbered_uids: false,
        node_lifecycle_client: Some(CLIENT),
        taint_eviction_client: Some(CLIENT),
        clients: others(CLIENT),
        reconnects: true,
        leader_election: None,
        attacher: (Dur::from_secs(5), Dur::from_secs(5)),
        kubelet,
        user: UserMode::Kubectl,
    }
}

/// How the kubelets of a group of nodes behave with these flags, of which it has some of its own: as all others do, but for how
/// often they are heard.
pub(super) fn of_group(
    all: KubeletMode,
    (flags, own): (&KubeletFlags, &BTreeMap<String, FlagValue>),
    profile: &Profile,
) -> KubeletMode {
    match all {
        // What `timing` says of imitated ones goes before a flag of all.
        KubeletMode::Imitated(all) if own.contains_key("node-status-report-frequency") => {
            let status_report = imitated(flags, profile).status_report;
            KubeletMode::Imitated(Imitated { status_report, ..all })
        }
        KubeletMode::Imitated(all) => KubeletMode::Imitated(all),
        KubeletMode::Real(all) => {
            let Real { pod_start, pod_stop, boot, recorded, .. } = all;
            KubeletMode::Real(Real { pod_start, pod_stop, boot, recorded, ..real(flags, profile) })
        }
    }
}

/// Up to 1.12 there is no such frequency: kubelets with leases post at each check, too (`tryUpdateNodeStatus`).
fn imitated(flags: &KubeletFlags, profile: &Profile) -> Imitated {
    let status_report = flags.status_report.unwrap_or(profile.kubelet.report_frequency);
    Imitated { status_report, ..Imitated::default() }
}

fn real(flags: &KubeletFlags, profile: &Profile) -> Real {
    Real {
        node_lease_duration: flags.lease_duration.unwrap_or(LEASE_DURATION),
        node_status_update_frequency: flags.status_update.unwrap_or(STATUS_UPDATE),
        // Unset with an explicit update frequency, it inherits that
        // (`kubelet/apis/config/v1beta1/defaults.go`).
        node_status_report_frequency: flags
            .status_report
            .or(flags.status_update)
            .unwrap_or(profile.kubelet.report_frequency),
        pod_start: Dur::from_secs(2),
        pod_stop: values::POD_STOP,
        boot: Dur::from_secs(30),
        recorded: false,
    }
}

/// How often leases are renewed: a quarter of their duration
/// (`lease/controller.go: renewInterval`).
pub(super) fn lease_period(flags: &KubeletFlags) -> Dur {
    Dur::from_nanos(flags.lease_duration.unwrap_or(LEASE_DURATION).as_nanos() / 4)
}

/// The timing of a run.
pub(super) fn read(
    written: Option<&Written>,
    settings: &Settings,
    profile: &Profile,
    complaints: &Complaints,
) -> (Timing, PodTimes) {
    let flags = &settings.kubelet;
    let mut times = PodTimes::default();
    let mut timing = match written {
        Some(Written::Ideal) => {
            Timing { kubelet: KubeletMode::Imitated(imitated(flags, profile)), ..Timing::ideal() }
        }
        None | Some(Written::Typical | Written::Custom { .. }) => {
            typical(KubeletMode::Real(real(flags, profile)))
        }
    };
    if let Some(limits) = settings.client {
        timing.node_lifecycle_client = Some(limits);
        timing.taint_eviction_client = Some(limits);
        // The scheduler is no client of kube-controller-manager.
        let others = others(limits).into_iter().filter(|(actor, _)| *actor != Actor::Scheduler);
        timing.clients.extend(others);
    }
    if let Some(Written::Custom {
        request,
        response,
        watch,
        pass_overhead,
        clients,
        attacher,
        kubelet,
        user,
    }) = written
    {
        timing.name = "Custom".to_owned();
        let place = complaints.at(at!["timing"]);
        let delays = [
            ("request", request, &mut timing.request),
            ("response", response, &mut timing.response),
            ("watch", watch, &mut timing.watch),
        ];
        for (name, text, to) in delays {
            *to = place.read(name, text, values::delay).unwrap_or(*to);
        }
        // A step is a request of the API server to itself.
        timing.step = timing.request;
        set(&mut timing.pass_overhead, pass_overhead, &place, "pass_overhead");
        timing.pod_gc_overhead = timing.pass_overhead;
        if let Some(clients) = clients {
            read_clients(clients, &mut timing, &place.part("clients"));
        }
        if let Some(AttacherTiming { attach, detach }) = attacher {
            let place = place.part("attacher");
            set(&mut timing.attacher.0, attach, &place, "attach");
            set(&mut timing.attacher.1, detach, &place, "detach");
        }
        if let Some(kubelet) = kubelet {
            timing.kubelet =
                read_kubelet(kubelet, flags, profile, (&place.part("kubelet"), &mut times));
        }
        timing.user = user.unwrap_or(timing.user);
    }
    timing.leader_election = leader_election(&settings.leader, &timing, complaints);
    (timing, times)
}

/// How the controllers' process holds its office; complaints about times that upstream refuses
/// (`client-go/tools/leaderelection/leaderelection.go`, `NewLeaderElector`).
fn leader_election(
    flags: &LeaderFlags,
    timing: &Timing,
    complaints: &Complaints,
) -> Option<LeaderElection> {
    let place = |name: &str| complaints.at(at!["flags", "kube_controller_manager", name]);
    if !timing.reconnects {
        return None;
    }
    let LeaderElection { lease_duration, renew_deadline, retry_period } = flags.times;
    let jittered = Dur::from_nanos(retry_period.as_nanos() / 5 * 6);
    if lease_duration <= renew_deadline {
        let text = "leader-elect-lease-duration has to be greater than leader-elect-renew-deadline";
        place("leader-elect-lease-duration").say(text);
    } else if renew_deadline <= jittered {
        let text = "leader-elect-renew-deadline has to be greater than 1.2 times leader-elect-retry-period";
        place("leader-elect-renew-deadline").say(text);
    }
    flags.elect.then_some(flags.times)
}

fn set(to: &mut Dur, text: &Option<DurationText>, place: &Spot, field: &str) {
    *to = place.read(field, text, values::span).unwrap_or(*to);
}

fn read_clients(clients: &ClientLimits, timing: &mut Timing, place: &Spot) {
    let read = |name: &'static str, given: &Option<ClientLimit>, now: Option<Limits>| match given {
        None => now,
        Some(ClientLimit::Unlimited) => None,
        Some(ClientLimit::Limited { qps, burst }) if *qps > 0.0 && *qps <= 1e6 && *burst > 0 => {
            Some(Limits { qps: *qps as f32, burst: *burst })
        }
        Some(ClientLimit::Limited { .. }) => {
            place.part(name).say("a client's limit needs a `qps` above 0 and at most 1000000, and a `burst` of at least 1");
            now
        }
    };
    timing.node_lifecycle_client =
        read("node_lifecycle", &clients.node_lifecycle, timing.node_lifecycle_client);
    timing.taint_eviction_client =
        read("taint_eviction", &clients.taint_eviction, timing.taint_eviction_client);
    for (name, actor, given) in other_clients(clients) {
        match read(name, given, timing.clients.get(&actor).copied()) {
            Some(limits) => timing.clients.insert(actor, limits),
            None => timing.clients.remove(&actor),
        };
    }
}

fn read_kubelet(
    written: &KubeletTiming,
    flags: &KubeletFlags,
    profile: &Profile,
    (place, times): (&Spot, &mut PodTimes),
) -> KubeletMode {
    match written {
        KubeletTiming::Imitated { start, stop, status_report, repost_pod_ready } => {
            let mut imitated = imitated(flags, profile);
            set(&mut imitated.start, start, place, "start");
            set(&mut imitated.stop, stop, place, "stop");
            set(&mut imitated.status_report, status_report, place, "status_report");
            imitated.repost_pod_ready = repost_pod_ready.unwrap_or(imitated.repost_pod_ready);
            KubeletMode::Imitated(imitated)
        }
        KubeletTiming::Real { pod_start, pod_stop, boot } => {
            let mut real = real(flags, profile);
            // Where it varies pods have it of their templates, and the longest is a bound.
            let varies = |to: &mut Dur, written: &Option<HowLong>, name: &'static str| {
                let spread = how_long(written.as_ref()?, &place.part(name))?;
                *to = spread.most();
                spread.varies().then_some(spread)
            };
            times.start = varies(&mut real.pod_start, pod_start, "pod_start");
            times.stop = varies(&mut real.pod_stop, pod_stop, "pod_stop");
            set(&mut real.boot, boot, place, "boot");
            KubeletMode::Real(real)
        }
    }
}
