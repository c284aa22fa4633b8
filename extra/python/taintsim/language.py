"""Scenarios, built of values with types.

Every class is a part of the scenario language under its own name, with its own fields; one whose
name is a word of Python has an underscore behind it. What is left out is as the language has it.
Nothing is checked when a value is made: ``Scenario.check()``, and whatever runs a scenario, finds
every mistake at once, in the words of the program.

Written by generate_language.py from the schema of the language; changes belong there.
"""

# ruff: noqa
# mypy: disable-error-code="misc"

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Mapping, Sequence, TypeAlias

from ._written import Document, Struct, Variant


__all__ = [
    "AccessMode",
    "Affinity",
    "Afterwards",
    "Age",
    "AllocationMode",
    "ApiClient",
    "AttacherTiming",
    "BindingMode",
    "Cascade",
    "Claim",
    "ClientLimit",
    "ClientLimits",
    "Cluster",
    "Comparison",
    "Condition",
    "ConditionKind",
    "ConditionPolicy",
    "ConditionRequirement",
    "ConditionSeen",
    "Connections",
    "Container",
    "ContainerRestartPolicy",
    "Controllers",
    "Counted",
    "Cut",
    "DelayText",
    "DeletedSeen",
    "Deletion",
    "DetachRequested",
    "Deviation",
    "DeviceClaim",
    "DeviceRequest",
    "DeviceSubRequest",
    "DeviceTaintRule",
    "DisruptionSeen",
    "DisruptionState",
    "Distribution",
    "DrainFlags",
    "DurationText",
    "Each",
    "Effect",
    "Ends",
    "EnforcementMode",
    "Entry",
    "EventSeen",
    "EveryNamespace",
    "EvictedSeen",
    "Existing",
    "Expectation",
    "Failures",
    "FaultAct",
    "FaultGroups",
    "FaultModel",
    "FaultRate",
    "FaultTrace",
    "Faults",
    "FlagValue",
    "Flags",
    "HistoryFormat",
    "HostPort",
    "HowLong",
    "IfNotDrained",
    "Image",
    "InclusionPolicy",
    "InstanceState",
    "KubeletTiming",
    "LabelSelector",
    "LabelSelectorRequirement",
    "Limit",
    "Memory",
    "Namespace",
    "NodeAffinity",
    "NodeDevices",
    "NodeGroup",
    "NodeOperator",
    "NodeReadinessRule",
    "NodeRequirement",
    "NodeSelector",
    "NodeStart",
    "NodeTerm",
    "NodeTerms",
    "NodesSeen",
    "NotEvicted",
    "OneOrMany",
    "Operator",
    "Ordinals",
    "Owner",
    "Pending",
    "Phase",
    "PhaseSeen",
    "Placement",
    "PodAffinity",
    "PodAffinityTerm",
    "PodCondition",
    "PodConditionKind",
    "PodConditionSeen",
    "PodConditionType",
    "PodDisruptionBudget",
    "PodFailurePolicy",
    "PodFailurePolicyAction",
    "PodFailurePolicyOnPodConditions",
    "PodFailurePolicyRule",
    "PodGroup",
    "PodManagementPolicy",
    "PodReason",
    "PodReplacementPolicy",
    "PodSelector",
    "PodStart",
    "PodTemplate",
    "PodsSeen",
    "PreemptionPolicy",
    "PreferredNodes",
    "Prices",
    "PriorityClass",
    "Probe",
    "Protocol",
    "ProvisioningFails",
    "PullPolicy",
    "Quantity",
    "QuantityText",
    "Reach",
    "RegistryFails",
    "Repair",
    "RepairAct",
    "Resource",
    "ResourceClaim",
    "RestartKind",
    "RestartPolicy",
    "RuntimeFails",
    "Scenario",
    "SchedulerConfiguration",
    "SchedulingGate",
    "ScoringStrategy",
    "SelectorOperator",
    "StaticPod",
    "Status",
    "Step",
    "Stuck",
    "TaintsSeen",
    "Tape",
    "TimeText",
    "Timing",
    "Toleration",
    "TopologySpreadConstraint",
    "UnhealthyPodEvictionPolicy",
    "UsageText",
    "User",
    "VolumeClaim",
    "Waiting",
    "WatchCache",
    "WeightedPods",
    "WhenUnsatisfiable",
    "Workload",
    "WorkloadGroup",
    "ZoneSeen",
    "ZoneState",
]


#: DurationText: a duration in quotes, such as "5m30s"
DurationText: TypeAlias = "str"


class Timing(Variant):
    """Delays and limits."""

    #: As timelines are recorded: no delays to speak of, kubelets without jitter, clients without
    #: limits.
    Ideal: ClassVar[Timing]
    #: As on a real control plane.
    Typical: ClassVar[Timing]

    @staticmethod
    def Custom(
        *, request: DelayText | None = None, response: DelayText | None = None, watch: DelayText |
        None = None, pass_overhead: DurationText | None = None, clients: ClientLimits | None = None,
        attacher: AttacherTiming | None = None, kubelet: KubeletTiming | None = None, user: User |
        None = None
    ) -> Timing:
        """As stated; what is not stated is as in `Typical`."""
        return Timing(
            "Custom", {"request": request, "response": response, "watch": watch, "pass_overhead":
            pass_overhead, "clients": clients, "attacher": attacher, "kubelet": kubelet, "user":
            user}
        )


Timing.Ideal = Timing("Ideal")
Timing.Typical = Timing("Typical")


#: DelayText: a delay in quotes, such as "2ms" or "1ms..4ms"
DelayText: TypeAlias = "str"


@dataclass(kw_only=True)
class ClientLimits(Struct):
    """The limits of the controllers' clients."""
    #: The node lifecycle controller's client.
    node_lifecycle: ClientLimit | None = None
    #: The taint eviction controller's client, which up to 1.28 is the other one.
    taint_eviction: ClientLimit | None = None
    #: The pod garbage collector's client.
    pod_gc: ClientLimit | None = None
    #: The client of the garbage collector of owner references, which has twice the others' rate.
    garbage_collector: ClientLimit | None = None
    #: The Deployment controller's client.
    deployment: ClientLimit | None = None
    #: The ReplicaSet controller's client.
    replica_set: ClientLimit | None = None
    #: The StatefulSet controller's client.
    stateful_set: ClientLimit | None = None
    #: The DaemonSet controller's client.
    daemon_set: ClientLimit | None = None
    #: The Job controller's client.
    job: ClientLimit | None = None
    #: The cloud controllers' client.
    cloud: ClientLimit | None = None
    #: The disruption controller's client.
    disruption: ClientLimit | None = None
    #: The scheduler's client.
    scheduler: ClientLimit | None = None
    #: The attach/detach controller's client.
    attach_detach: ClientLimit | None = None
    #: The device taint eviction controller's client.
    device_taint_eviction: ClientLimit | None = None
    #: The resourceclaim controller's client.
    resource_claim: ClientLimit | None = None
    #: The node readiness controller's, which has none where not given.
    node_readiness: ClientLimit | None = None


class ClientLimit(Variant):
    """The limit of a client."""

    #: None.
    Unlimited: ClassVar[ClientLimit]

    @staticmethod
    def Limited(*, qps: float, burst: int) -> ClientLimit:
        """client-go's token bucket."""
        return ClientLimit("Limited", {"qps": qps, "burst": burst})


ClientLimit.Unlimited = ClientLimit("Unlimited")


@dataclass(kw_only=True)
class AttacherTiming(Struct):
    """How long the driver of volumes takes, from its being asked by a VolumeAttachment."""
    #: To attach a volume.
    attach: DurationText | None = None
    #: To detach it.
    detach: DurationText | None = None


class KubeletTiming(Variant):
    """How kubelets behave."""

    @staticmethod
    def Imitated(
        *, start: DurationText | None = None, stop: DurationText | None = None, status_report:
        DurationText | None = None, repost_pod_ready: bool | None = None
    ) -> KubeletTiming:
        """As the recorder imitates them: no jitter, no retries, no admission."""
        return KubeletTiming(
            "Imitated", {"start": start, "stop": stop, "status_report": status_report,
            "repost_pod_ready": repost_pod_ready}
        )

    @staticmethod
    def Real(
        *, pod_start: HowLong | None = None, pod_stop: HowLong | None = None, boot: DurationText |
        None = None
    ) -> KubeletTiming:
        """With their own loops; their frequencies are flags of the kubelet."""
        return KubeletTiming("Real", {"pod_start": pod_start, "pod_stop": pod_stop, "boot": boot})


#: How long something takes: a duration in quotes, such as "5s", or how it is distributed
HowLong: TypeAlias = "str | Distribution"


class Distribution(Variant):
    """How spans of time are distributed."""

    @staticmethod
    def Exponential(*, mean: DurationText) -> Distribution:
        """Without memory."""
        return Distribution("Exponential", {"mean": mean})

    @staticmethod
    def Weibull(*, shape: float, scale: DurationText) -> Distribution:
        """Below a shape of 1, what has lasted will last."""
        return Distribution("Weibull", {"shape": shape, "scale": scale})

    @staticmethod
    def LogNormal(*, median: DurationText, sigma: float) -> Distribution:
        """Its logarithm is normal."""
        return Distribution("LogNormal", {"median": median, "sigma": sigma})

    @staticmethod
    def Uniform(value1: DurationText, value2: DurationText, /) -> Distribution:
        """Evenly between two spans."""
        return Distribution("Uniform", (value1, value2))

    @staticmethod
    def Fixed(value: DurationText, /) -> Distribution:
        """Always the same."""
        return Distribution("Fixed", (value,))

    @staticmethod
    def Values(value: Sequence[DurationText], /) -> Distribution:
        """One of these, each as likely as it stands here."""
        return Distribution("Values", (value,))

    @staticmethod
    def Empirical(value: str, /) -> Distribution:
        """The lengths of the outages in a file, a history as in `trace`."""
        return Distribution("Empirical", (value,))


class User(Variant):
    """How the timeline's user writes."""

    #: Straight into the store, without latency or rules.
    Raw: ClassVar[User]
    #: As kubectl does, refusals included.
    Kubectl: ClassVar[User]


User.Raw = User("Raw")
User.Kubectl = User("Kubectl")


@dataclass(kw_only=True)
class Flags(Struct):
    """Flags by component, under the names they have on the command line."""
    #: kube-controller-manager
    kube_controller_manager: Mapping[str, FlagValue] | None = None
    #: kube-apiserver
    kube_apiserver: Mapping[str, FlagValue] | None = None
    #: kubelet, of every node whose group has none of that name; also `node-lease-duration-
    #: seconds`, a field of its configuration file.
    kubelet: Mapping[str, FlagValue] | None = None


#: A text in quotes, a number, true or false
FlagValue: TypeAlias = "str | float | bool"


@dataclass(kw_only=True)
class Memory(Struct):
    """What the controllers of an exported cluster remember, as far as the export shows it beside
    its nodes and pods. With it they go on where they stood; without it those of an export start
    anew.
    """
    #: Since when the present leader of kube-controller-manager has held office (`acquireTime` of
    #: its lease), from the start of the run: `"-8m3s"`. What happened before, it knows only as a
    #: restart leaves it. Where not given it has been in office for long.
    office: DurationText | None = None
    #: When the node lifecycle controller next looks at all nodes, from the start of the run:
    #: `"3.2s"`. Drawn within its period where not given, as far as conditions do not tell.
    pass_: DurationText | None = None
    #: When it was last seen to do so, as its events tell, from the start of the run:
    #: `"-34.518s"`.
    passed: DurationText | None = None
    #: When the leases of healthy nodes were last renewed (`renewTime`), from the start of the
    #: run, by the nodes' names: `{"a-0": "-3.25s"}`. A node that is not there has some time
    #: within its period.
    leases: Mapping[str, DurationText] | None = None
    #: Pods that the scheduler tried and found no node for, by `namespace/name`. Those that are
    #: not there are tried at once.
    waiting: Mapping[str, Waiting] | None = None
    #: When pods were bound (`PodScheduled`, to its second) to a node that had a NoExecute taint
    #: by then, from the start of the run, by `namespace/name`: `{"shop/web-7": "-50s"}`. Timers
    #: of others begin with their nodes' taints.
    bound: Mapping[str, DurationText] | None = None
    #: When pods came to be, by `namespace/name`; others came with the run.
    ages: Mapping[str, Age] | None = None
    #: Pods whose volumes are still attached to another node than theirs, which says that they are
    #: in use there though no pod has them, by `namespace/name`: `{"shop/db-0": "n1"}`.
    attached: Mapping[str, str] | None = None
    #: Since when nobody wants the volumes of a pod under `attached` where they are, by
    #: `namespace/name`: 6 minutes later they are detached by force. From the start of the run
    #: where not given.
    detach_requested: Mapping[str, DetachRequested] | None = None
    #: Jobs with failed pods, by `namespace/name`.
    failures: Mapping[str, Failures] | None = None
    #: What disruption budgets were last counted to, by `namespace/name`.
    budgets: Mapping[str, Counted] | None = None


@dataclass(kw_only=True)
class Waiting(Struct):
    """A pod that waits for a node: what its back-off is computed from."""
    #: Since when its condition PodScheduled has been False, from the start of the run: `"-4m"`.
    since: DurationText
    #: How often it was tried; drawn where not given, within what the time since allows.
    tries: int | None = None
    #: When it was last tried, from the start of the run; drawn where not given.
    last: DurationText | None = None


@dataclass(kw_only=True)
class Age(Struct):
    """When a pod came to be, from the start of the run: which of several like pods goes first
    depends on it.
    """
    #: `metadata.creationTimestamp`: `"-26h"`
    created: DurationText
    #: `status.startTime`; as `created` where not given.
    started: DurationText | None = None
    #: Since when one that starts `Running` has been Ready; from the start of the run where not
    #: given.
    ready: DurationText | None = None


@dataclass(kw_only=True)
class DetachRequested(Struct):
    """Since when nobody wants a volume where it is."""
    #: At the earliest, from the start of the run: `"-5m"`.
    from_: DurationText
    #: At the latest; drawn between both.
    until: DurationText


@dataclass(kw_only=True)
class Failures(Struct):
    """Failures of a Job's pods since its last success: what its back-off is computed from."""
    #: How many there were at least.
    least: int
    #: How many there were at most; drawn between both.
    most: int
    #: When the last one was at the earliest, from the start of the run: `"-12s"`.
    from_: DurationText
    #: When it was at the latest; drawn between both.
    until: DurationText


@dataclass(kw_only=True)
class Counted(Struct):
    """The status of a disruption budget."""
    #: `status.disruptionsAllowed`
    allowed: int
    #: `status.currentHealthy`
    healthy: int
    #: `status.desiredHealthy`
    desired: int
    #: `status.expectedPods`
    expected: int
    #: `status.disruptedPods`: when the eviction of a pod was granted, from the start of the run,
    #: by the pods' names without their namespace.
    disrupted: Mapping[str, DurationText] | None = None


@dataclass(kw_only=True)
class Controllers(Struct):
    """Controllers that may be switched off; all run where nothing is said."""
    #: They start anew with the run, as after a restart, and remember nothing: `controllers:
    #: Restarted` says just this.
    restarted: bool | None = None
    #: The pod garbage collector.
    pod_gc: bool | None = None
    #: The garbage collector of owner references; it runs where the timeline deletes a workload.
    garbage_collector: bool | None = None
    #: The Deployment controller.
    deployment: bool | None = None
    #: The ReplicaSet controller.
    replica_set: bool | None = None
    #: The StatefulSet controller.
    stateful_set: bool | None = None
    #: The DaemonSet controller.
    daemon_set: bool | None = None
    #: The Job controller.
    job: bool | None = None
    #: The cloud controllers; they run where the timeline speaks of instances, or a node waits to
    #: be initialized.
    cloud: bool | None = None
    #: The disruption controller, which keeps the status of disruption budgets.
    disruption: bool | None = None
    #: The scheduler.
    scheduler: bool | None = None
    #: The attach/detach controller; it runs where pods have volumes.
    attach_detach: bool | None = None
    #: The device taint eviction controller; it runs where nodes have devices.
    device_taint_eviction: bool | None = None
    #: The resourceclaim controller, which makes the claims of pods; it runs where nodes have
    #: devices.
    resource_claim: bool | None = None
    #: The node readiness controller.
    node_readiness: bool | None = None


@dataclass(kw_only=True)
class SchedulerConfiguration(Struct):
    """What of `KubeSchedulerConfiguration` may be set."""
    #: `percentageOfNodesToScore`; where not given, it depends on the size of the cluster.
    percentageOfNodesToScore: int | None = None
    #: `scoringStrategy.type` of the plugin NodeResourcesFit.
    scoringStrategy: ScoringStrategy | None = None
    #: The plugin DefaultPreemption is on, which it is where not given.
    preemption: bool | None = None


class ScoringStrategy(Variant):
    """Which nodes are liked better."""

    #: Emptier ones.
    LeastAllocated: ClassVar[ScoringStrategy]
    #: Fuller ones.
    MostAllocated: ClassVar[ScoringStrategy]


ScoringStrategy.LeastAllocated = ScoringStrategy("LeastAllocated")
ScoringStrategy.MostAllocated = ScoringStrategy("MostAllocated")


class Cluster(Variant):
    """Where nodes and pods come from, apart from the scenario itself."""

    @staticmethod
    def From(value: str, /) -> Cluster:
        """A file with what `kubectl get nodes,pods,… -A -o yaml` or `-o json` printed; its path is
        relative to the scenario.
        """
        return Cluster("From", (value,))


class Existing(Variant):
    """What becomes of pods that exist where a setting says something else of new ones."""

    #: They are changed as a rollout would have done: each as if made anew from its template, and
    #: admitted under the flags.
    Rollout: ClassVar[Existing]
    #: They stay as they are; only pods that come later are made from what is set.
    Keep: ClassVar[Existing]


Existing.Rollout = Existing("Rollout")
Existing.Keep = Existing("Keep")


@dataclass(kw_only=True)
class NodeGroup(Struct):
    """Nodes that are alike except for their names."""
    #: The name of a single node.
    name: str | None = None
    #: The names of several nodes, `"a-{00..09}"`; instead of `name`.
    names: OneOrMany | None = None
    #: The zone: labels `topology.kubernetes.io/zone` and its beta name.
    zone: str | None = None
    #: The region: labels `topology.kubernetes.io/region` and its beta name.
    region: str | None = None
    #: `metadata.labels`
    labels: Mapping[str, str] | None = None
    #: `spec.taints` in kubectl's syntax: `"key=value:NoExecute"`, `"key:NoSchedule"`.
    taints: Sequence[str] | None = None
    #: `timeAdded` of taints, from the start of the run:
    #: `{"node.kubernetes.io/unreachable:NoExecute": "-8m"}`. Only controllers set it, so that it
    #: appears in imports; nothing reads it.
    taintsAdded: Mapping[str, DurationText] | None = None
    #: `spec.unschedulable`: cordoned from the start.
    unschedulable: bool | None = None
    #: `status.capacity`, all of it allocatable.
    capacity: Mapping[str, QuantityText] | None = None
    #: What the node itself uses beside its pods, from the start of the run on, as `usage` of a
    #: pod has it.
    usage: Mapping[str, UsageText] | None = None
    #: How much images take up that no container uses. They are deleted before a pod is evicted
    #: for want of disk; none where not given.
    unused_images: QuantityText | None = None
    #: The names of images that each of them has from the start, beside those of pods that run on
    #: it.
    images: Sequence[str] | None = None
    #: Devices of each of them, which pods claim: `[(names: "gpu-{0..7}")]`.
    devices: Sequence[NodeDevices] | None = None
    #: Conditions of types that no kubelet posts, as agents have posted them: `{"CniReady":
    #: True}`.
    conditions: Mapping[str, Status] | None = None
    #: The rules of the node readiness controller whose bootstrap is completed at them
    #: (annotations `readiness.k8s.io/bootstrap-completed-UID`): a rule with `BootstrapOnly` does
    #: not act there any more.
    bootstrapCompleted: Sequence[str] | None = None
    #: Flags of their kubelets, in place of those of all kubelets that have the same names
    #: (`flags`).
    kubelet: Mapping[str, FlagValue] | None = None
    #: How the nodes start; `Ready` where not given.
    start: NodeStart | None = None
    #: Imitated kubelets (`timing: Ideal`): when the lease is first renewed. Spread by the node's
    #: name where not given.
    lease_offset: DurationText | None = None
    #: Imitated kubelets: the period of lease renewals.
    lease_period: DurationText | None = None
    #: Imitated kubelets: when the status is first checked. Spread by the node's name where not
    #: given.
    status_offset: DurationText | None = None


#: A text in quotes, or a list of them
OneOrMany: TypeAlias = "str | Sequence[str]"


#: A Kubernetes quantity, such as "500m" or "32Gi"
QuantityText: TypeAlias = "str | float"


#: UsageText: what is used, in quotes, such as "500Mi", "80%", "1Gi + 10Mi/s" or "500Mi, 60s: 2Gi"
UsageText: TypeAlias = "str"


@dataclass(kw_only=True)
class NodeDevices(Struct):
    """Devices of each node of a group, which are alike except for their names (`resource.k8s.io
    ResourceSlice`).
    """
    #: Their driver; `gpu.example.com` where not given.
    driver: str | None = None
    #: Their names, `"gpu-{0..7}"`.
    names: OneOrMany
    #: Their pool, where it does not have the node's name.
    pool: str | None = None
    #: What their driver publishes of them from the start: `"ecc=bad:NoExecute"`.
    taints: Sequence[str] | None = None
    #: `timeAdded` of these taints, from the start of the run: `{"ecc:NoExecute": "-30s"}`; its
    #: start where not given.
    taintsAdded: Mapping[str, DurationText] | None = None


class Status(Variant):
    """The status of a condition."""

    #: It holds.
    True_: ClassVar[Status]
    #: It does not hold.
    False_: ClassVar[Status]
    #: Nobody knows.
    Unknown: ClassVar[Status]


Status.True_ = Status("True")
Status.False_ = Status("False")
Status.Unknown = Status("Unknown")


class NodeStart(Variant):
    """How a node starts."""

    #: Ready, with a fresh heartbeat.
    Ready: ClassVar[NodeStart]
    #: The object alone: no conditions, no lease, no kubelet.
    Silent: ClassVar[NodeStart]
    #: It was deleted before the run, with its machine: pods are still on it, or volumes attached
    #: to it.
    Deleted: ClassVar[NodeStart]

    @staticmethod
    def Imported(
        *, conditions: Sequence[Condition] | None = None, renewTime: DurationText | None = None,
        created: DurationText | None = None, cut_off: bool | None = None
    ) -> NodeStart:
        """As an export of a real cluster shows it."""
        return NodeStart(
            "Imported", {"conditions": conditions, "renewTime": renewTime, "created": created,
            "cut_off": cut_off}
        )


NodeStart.Ready = NodeStart("Ready")
NodeStart.Silent = NodeStart("Silent")
NodeStart.Deleted = NodeStart("Deleted")


@dataclass(kw_only=True)
class Condition(Struct):
    """A condition of an imported node."""
    #: Which condition.
    type: ConditionKind
    #: Its status.
    status: Status
    #: Why, in Kubernetes' word; a reason that the model does not know is kept as none.
    reason: str | None = None
    #: When the kubelet last posted it, from the start of the run: `"-12s"`.
    lastHeartbeatTime: DurationText
    #: When the status last changed, from the start of the run: `"-26h"`.
    lastTransitionTime: DurationText


class ConditionKind(Variant):
    """The type of a node condition."""

    #: The kubelet is ready.
    Ready: ClassVar[ConditionKind]
    #: Memory is short.
    MemoryPressure: ClassVar[ConditionKind]
    #: Disk is short.
    DiskPressure: ClassVar[ConditionKind]
    #: Process ids are short.
    PIDPressure: ClassVar[ConditionKind]
    #: The network is not set up.
    NetworkUnavailable: ClassVar[ConditionKind]
    #: Disk is out; up to 1.13.
    OutOfDisk: ClassVar[ConditionKind]


ConditionKind.Ready = ConditionKind("Ready")
ConditionKind.MemoryPressure = ConditionKind("MemoryPressure")
ConditionKind.DiskPressure = ConditionKind("DiskPressure")
ConditionKind.PIDPressure = ConditionKind("PIDPressure")
ConditionKind.NetworkUnavailable = ConditionKind("NetworkUnavailable")
ConditionKind.OutOfDisk = ConditionKind("OutOfDisk")


@dataclass(kw_only=True)
class PodGroup(Struct):
    """Pods that are alike except for their names and places."""
    #: The name of a single pod; with `count`, `Each` or `PerNode` the names are made from it:
    #: `web-0`, `web-1`, …, or `agent-NODE`, or `web-NODE-0`.
    name: str | None = None
    #: The names of several pods, `"db-{0..2}"`; instead of `name`.
    names: OneOrMany | None = None
    #: `metadata.namespace`; `default` where not given.
    namespace: str | None = None
    #: How many.
    count: int | None = None
    #: Another word for `count`.
    replicas: int | None = None
    #: Where they are, or that the scheduler is to place them.
    on: Placement
    #: `metadata.labels`
    labels: Mapping[str, str] | None = None
    #: The controlling owner.
    owner: Owner | None = None
    #: `spec.tolerations`. Admission adds those for not-ready and unreachable where they are
    #: missing.
    tolerations: Sequence[Toleration] | None = None
    #: `spec.terminationGracePeriodSeconds`; 30 where not given.
    terminationGracePeriodSeconds: int | None = None
    #: `spec.nodeSelector`
    nodeSelector: Mapping[str, str] | None = None
    #: The sum of the containers' `resources.requests`.
    requests: Mapping[str, QuantityText] | None = None
    #: `spec.priority`
    priority: int | None = None
    #: `spec.priorityClassName`
    priorityClassName: str | None = None
    #: `spec.affinity`
    affinity: Affinity | None = None
    #: `spec.topologySpreadConstraints`
    topologySpreadConstraints: Sequence[TopologySpreadConstraint] | None = None
    #: The ports of the node that its containers take.
    ports: Sequence[HostPort] | None = None
    #: `spec.schedulingGates`
    schedulingGates: Sequence[SchedulingGate] | None = None
    #: `spec.schedulerName`; with any but `default-scheduler` nobody here places them.
    schedulerName: str | None = None
    #: `spec.preemptionPolicy`; that of the priority class where not given.
    preemptionPolicy: PreemptionPolicy | None = None
    #: The requests of each container, where there are several: some scores count what a container
    #: does not ask for.
    container_requests: Sequence[Mapping[str, QuantityText]] | None = None
    #: There is an emptyDir among its volumes: `kubectl drain` asks for a flag.
    empty_dir: bool | None = None
    #: The claims among its volumes.
    volumes: Sequence[VolumeClaim] | None = None
    #: The claims of each pod on devices: `[(count: 1)]`.
    resourceClaims: Sequence[DeviceClaim] | None = None
    #: The names of the devices of its node that each of them has from the start, one claim after
    #: the other; where not given the first that are free.
    devices: Sequence[str] | None = None
    #: There are volumes among its own that outlive a pod, and nothing is known of them. They are
    #: not simulated, and results say of whom.
    persistent_volumes: bool | None = None
    #: The annotation `controller.kubernetes.io/pod-deletion-cost`: of the pods of a ReplicaSet
    #: those that cost less go first; 0 where not given.
    podDeletionCost: int | None = None
    #: From its binding to Running and Ready; as the kubelets' `pod_start` where not given.
    pod_start: HowLong | None = None
    #: Its container's image, which its kubelet pulls before that time where its node does not
    #: have it. Where not given, the pull is part of `pod_start`.
    image: Image | None = None
    #: `spec.initContainers`, in the order in which they start: the main container starts once
    #: they have ended well, or have started where they are sidecars.
    initContainers: Sequence[Container] | None = None
    #: Those of `spec.containers` that start after the main one, of which the other fields tell.
    containers: Sequence[Container] | None = None
    #: How long its containers take to stop once asked to; the grace period cuts it short. As the
    #: kubelets' `pod_stop` where not given.
    pod_stop: HowLong | None = None
    #: The exit code of its containers when they end because they were asked to: with 0, as where
    #: not given, the pod has Succeeded, with any other it has Failed.
    exit_code: int | None = None
    #: What its containers use, from their start on: `memory`, `ephemeral-storage`, `inodes`,
    #: `imagefs`, `imagefs-inodes`, `pids`. Kubelets evict pods where a node runs short; where
    #: nothing is said, nothing is used.
    usage: Mapping[str, UsageText] | None = None
    #: `readinessProbe` of its container: the pod is Ready only once it has succeeded.
    readinessProbe: Probe | None = None
    #: `livenessProbe` of its container: one that fails has it killed and started again.
    livenessProbe: Probe | None = None
    #: `startupProbe` of its container: the other two wait until it has succeeded.
    startupProbe: Probe | None = None
    #: From a container's start until it serves, which is what probes see; at once where not
    #: given.
    serves_after: HowLong | None = None
    #: For how long a container serves then; until it ends where not given. It runs on after that,
    #: and only a liveness probe makes an end to it.
    serves_for: HowLong | None = None
    #: Its container ends by itself: `(after: "90s", exit_code: 1)`.
    ends: Ends | None = None
    #: `spec.restartPolicy`; `Always` where not given.
    restartPolicy: RestartPolicy | None = None
    #: A static pod: where its kubelet has it from.
    static: StaticPod | None = None
    #: How they start: `Running` where not given, or `Pending` for pods that are bound nowhere.
    start: PodStart | None = None
    #: How often containers of each that runs were started again before the run, all of them
    #: together: a Job with `restartPolicy: OnFailure` counts them against its `backoffLimit`.
    restartCount: int | None = None
    #: What keeps them as they are.
    stuck: Stuck | None = None


class Placement(Variant):
    """Where the pods of a group are."""

    #: Bound to no node: the scheduler places them, or an entry of the timeline binds them.
    Unbound: ClassVar[Placement]

    @staticmethod
    def Node(value: str, /) -> Placement:
        """All of them on this node."""
        return Placement("Node", (value,))

    @staticmethod
    def Nodes(value: Sequence[str], /) -> Placement:
        """Round-robin over these nodes, in this order: with as many names as pods, one by one."""
        return Placement("Nodes", (value,))

    @staticmethod
    def Spread(value: NodeSelector, /) -> Placement:
        """Round-robin over the nodes that match, in the order in which the scenario declares them."""
        return Placement("Spread", (value,))

    @staticmethod
    def Each(value: NodeSelector, /) -> Placement:
        """One pod on each node that matches."""
        return Placement("Each", (value,))

    @staticmethod
    def PerNode(*, count: int, nodes: NodeSelector) -> Placement:
        """So many pods on each node that matches."""
        return Placement("PerNode", {"count": count, "nodes": nodes})


Placement.Unbound = Placement("Unbound")


class NodeSelector(Variant):
    """A set of nodes, as they are declared: labels that change during a run do not matter."""

    #: Every node.
    All: ClassVar[NodeSelector]

    @staticmethod
    def Node(value: str, /) -> NodeSelector:
        """One node."""
        return NodeSelector("Node", (value,))

    @staticmethod
    def Nodes(value: Sequence[str], /) -> NodeSelector:
        """These nodes; ranges as in `names` are allowed."""
        return NodeSelector("Nodes", (value,))

    @staticmethod
    def Zone(value: str, /) -> NodeSelector:
        """The nodes of a zone."""
        return NodeSelector("Zone", (value,))

    @staticmethod
    def Region(value: str, /) -> NodeSelector:
        """The nodes of a region."""
        return NodeSelector("Region", (value,))

    @staticmethod
    def Label(value: str, /) -> NodeSelector:
        """The nodes that match a label selector: `"gpu=true,tier!=web"`."""
        return NodeSelector("Label", (value,))

    @staticmethod
    def Share(*, of: NodeSelector, fraction: float, random: bool | None = None) -> NodeSelector:
        """A part of the nodes that match, rounded to whole nodes, and at least one."""
        return NodeSelector("Share", {"of": of, "fraction": fraction, "random": random})


NodeSelector.All = NodeSelector("All")


@dataclass(kw_only=True)
class Owner(Struct):
    """The controlling owner of a pod."""
    #: Its kind, `DaemonSet` say.
    kind: str
    #: Its name.
    name: str


@dataclass(kw_only=True)
class Toleration(Struct):
    """A toleration as in the Kubernetes API."""
    #: The taint's key; none with `Exists` tolerates everything.
    key: str | None = None
    #: How values are compared; `Equal` where not given.
    operator: Operator | None = None
    #: The value to compare with.
    value: str | None = None
    #: The taint's effect; every effect where not given.
    effect: Effect | None = None
    #: How long a NoExecute taint is tolerated; for ever where not given.
    tolerationSeconds: int | None = None


class Operator(Variant):
    """How a toleration compares values."""

    #: The value must be equal.
    Equal: ClassVar[Operator]
    #: Any value.
    Exists: ClassVar[Operator]
    #: The taint's value is below the toleration's (gate TaintTolerationComparisonOperators).
    Lt: ClassVar[Operator]
    #: The taint's value is above the toleration's (gate TaintTolerationComparisonOperators).
    Gt: ClassVar[Operator]


Operator.Equal = Operator("Equal")
Operator.Exists = Operator("Exists")
Operator.Lt = Operator("Lt")
Operator.Gt = Operator("Gt")


class Effect(Variant):
    """The effect of a taint."""

    #: New pods stay away.
    NoSchedule: ClassVar[Effect]
    #: New pods stay away if possible.
    PreferNoSchedule: ClassVar[Effect]
    #: New pods stay away, and running ones are evicted.
    NoExecute: ClassVar[Effect]


Effect.NoSchedule = Effect("NoSchedule")
Effect.PreferNoSchedule = Effect("PreferNoSchedule")
Effect.NoExecute = Effect("NoExecute")


@dataclass(kw_only=True)
class Affinity(Struct):
    """`v1.Affinity`"""
    #: Which nodes.
    nodeAffinity: NodeAffinity | None = None
    #: Beside which pods.
    podAffinity: PodAffinity | None = None
    #: Away from which pods.
    podAntiAffinity: PodAffinity | None = None


@dataclass(kw_only=True)
class NodeAffinity(Struct):
    """`v1.NodeAffinity`"""
    #: One of its terms must match.
    requiredDuringSchedulingIgnoredDuringExecution: NodeTerms | None = None
    #: Terms that should match.
    preferredDuringSchedulingIgnoredDuringExecution: Sequence[PreferredNodes] | None = None


@dataclass(kw_only=True)
class NodeTerms(Struct):
    """`v1.NodeSelector`"""
    #: One of them must match.
    nodeSelectorTerms: Sequence[NodeTerm]


@dataclass(kw_only=True)
class NodeTerm(Struct):
    """`v1.NodeSelectorTerm`: all of it must match."""
    #: Conditions on labels.
    matchExpressions: Sequence[NodeRequirement] | None = None
    #: Conditions on `metadata.name`.
    matchFields: Sequence[NodeRequirement] | None = None


@dataclass(kw_only=True)
class NodeRequirement(Struct):
    """`v1.NodeSelectorRequirement`"""
    #: The label, or `metadata.name`.
    key: str
    #: How it is compared.
    operator: NodeOperator
    #: The values.
    values: Sequence[str] | None = None


class NodeOperator(Variant):
    """`v1.NodeSelectorOperator`"""

    #: One of the values.
    In: ClassVar[NodeOperator]
    #: None of the values.
    NotIn: ClassVar[NodeOperator]
    #: There is such a label.
    Exists: ClassVar[NodeOperator]
    #: There is no such label.
    DoesNotExist: ClassVar[NodeOperator]
    #: The label is an integer above the value.
    Gt: ClassVar[NodeOperator]
    #: The label is an integer below the value.
    Lt: ClassVar[NodeOperator]


NodeOperator.In = NodeOperator("In")
NodeOperator.NotIn = NodeOperator("NotIn")
NodeOperator.Exists = NodeOperator("Exists")
NodeOperator.DoesNotExist = NodeOperator("DoesNotExist")
NodeOperator.Gt = NodeOperator("Gt")
NodeOperator.Lt = NodeOperator("Lt")


@dataclass(kw_only=True)
class PreferredNodes(Struct):
    """`v1.PreferredSchedulingTerm`"""
    #: 1 to 100.
    weight: int
    #: The term.
    preference: NodeTerm


@dataclass(kw_only=True)
class PodAffinity(Struct):
    """`v1.PodAffinity` and `v1.PodAntiAffinity`"""
    #: Terms that must hold.
    requiredDuringSchedulingIgnoredDuringExecution: Sequence[PodAffinityTerm] | None = None
    #: Terms that should hold.
    preferredDuringSchedulingIgnoredDuringExecution: Sequence[WeightedPods] | None = None


@dataclass(kw_only=True)
class PodAffinityTerm(Struct):
    """`v1.PodAffinityTerm`"""
    #: Which pods; none where not given.
    labelSelector: LabelSelector | None = None
    #: Their namespaces; the pod's own where not given.
    namespaces: Sequence[str] | None = None
    #: `()` is every namespace.
    namespaceSelector: EveryNamespace | None = None
    #: The node label that says which nodes are together.
    topologyKey: str


@dataclass(kw_only=True)
class LabelSelector(Struct):
    """`metav1.LabelSelector`"""
    #: Labels with the values they must have.
    matchLabels: Mapping[str, str] | None = None
    #: Further conditions.
    matchExpressions: Sequence[LabelSelectorRequirement] | None = None


@dataclass(kw_only=True)
class LabelSelectorRequirement(Struct):
    """One of `matchExpressions`."""
    #: The label.
    key: str
    #: How it is compared.
    operator: SelectorOperator
    #: For `In` and `NotIn`.
    values: Sequence[str] | None = None


class SelectorOperator(Variant):
    """How a selector compares a label."""

    #: One of the values.
    In: ClassVar[SelectorOperator]
    #: None of the values, or no such label.
    NotIn: ClassVar[SelectorOperator]
    #: There is such a label.
    Exists: ClassVar[SelectorOperator]
    #: There is no such label.
    DoesNotExist: ClassVar[SelectorOperator]


SelectorOperator.In = SelectorOperator("In")
SelectorOperator.NotIn = SelectorOperator("NotIn")
SelectorOperator.Exists = SelectorOperator("Exists")
SelectorOperator.DoesNotExist = SelectorOperator("DoesNotExist")


@dataclass(kw_only=True)
class EveryNamespace(Struct):
    """An empty selector: every namespace."""


@dataclass(kw_only=True)
class WeightedPods(Struct):
    """`v1.WeightedPodAffinityTerm`"""
    #: 1 to 100.
    weight: int
    #: The term.
    podAffinityTerm: PodAffinityTerm


@dataclass(kw_only=True)
class TopologySpreadConstraint(Struct):
    """`v1.TopologySpreadConstraint`"""
    #: How uneven it may be.
    maxSkew: int
    #: The node label that says which nodes are together.
    topologyKey: str
    #: Whether it must hold.
    whenUnsatisfiable: WhenUnsatisfiable
    #: Which pods are counted; none where not given.
    labelSelector: LabelSelector | None = None
    #: With fewer domains than this the least count is zero.
    minDomains: int | None = None
    #: Whether node selector and node affinity say which nodes count; `Honor` where not given.
    nodeAffinityPolicy: InclusionPolicy | None = None
    #: Whether taints say which nodes count; `Ignore` where not given.
    nodeTaintsPolicy: InclusionPolicy | None = None
    #: The pod's own values of these labels are added to the selector.
    matchLabelKeys: Sequence[str] | None = None


class WhenUnsatisfiable(Variant):
    """`whenUnsatisfiable`"""

    #: The pod waits.
    DoNotSchedule: ClassVar[WhenUnsatisfiable]
    #: It only counts in the score.
    ScheduleAnyway: ClassVar[WhenUnsatisfiable]


WhenUnsatisfiable.DoNotSchedule = WhenUnsatisfiable("DoNotSchedule")
WhenUnsatisfiable.ScheduleAnyway = WhenUnsatisfiable("ScheduleAnyway")


class InclusionPolicy(Variant):
    """`nodeAffinityPolicy`, `nodeTaintsPolicy`"""

    #: Nodes that do not suit do not count.
    Honor: ClassVar[InclusionPolicy]
    #: All nodes count.
    Ignore: ClassVar[InclusionPolicy]


InclusionPolicy.Honor = InclusionPolicy("Honor")
InclusionPolicy.Ignore = InclusionPolicy("Ignore")


@dataclass(kw_only=True)
class HostPort(Struct):
    """A port of the node that a container takes (`v1.ContainerPort`)."""
    #: The port.
    hostPort: int
    #: `TCP` where not given.
    protocol: Protocol | None = None
    #: The address; all of them where not given.
    hostIP: str | None = None


class Protocol(Variant):
    """`v1.Protocol`"""

    #: TCP
    TCP: ClassVar[Protocol]
    #: UDP
    UDP: ClassVar[Protocol]
    #: SCTP
    SCTP: ClassVar[Protocol]


Protocol.TCP = Protocol("TCP")
Protocol.UDP = Protocol("UDP")
Protocol.SCTP = Protocol("SCTP")


@dataclass(kw_only=True)
class SchedulingGate(Struct):
    """`v1.PodSchedulingGate`"""
    #: Its name.
    name: str


class PreemptionPolicy(Variant):
    """`spec.preemptionPolicy`"""

    #: It makes pods of lower priority leave.
    PreemptLowerPriority: ClassVar[PreemptionPolicy]
    #: It waits.
    Never: ClassVar[PreemptionPolicy]


PreemptionPolicy.PreemptLowerPriority = PreemptionPolicy("PreemptLowerPriority")
PreemptionPolicy.Never = PreemptionPolicy("Never")


@dataclass(kw_only=True)
class VolumeClaim(Struct):
    """A volume of a pod that outlives it: a claim, and what its volume is like."""
    #: The name of the claim, which pods with the same name for it share, or of a StatefulSet's
    #: template of claims. Where only a size is given, `"10Gi"`, or nothing, there is one claim
    #: for each workload, for each pod of a StatefulSet, and for each pod without an owner.
    claim: str | None = None
    #: Who may use it at once; `RWO` where not given.
    access: AccessMode | None = None
    #: From where it is reached; where not given as with a cloud's disks, which are reached from
    #: one zone, and file shares (`RWX`, `ROX`), which are reached from everywhere.
    reach: Reach | None = None
    #: The zone that reaches it; that of the first pod's node where not given.
    zone: str | None = None
    #: The node that reaches it, a local volume; that of the first pod where `reach` is `Node`.
    node: str | None = None
    #: The zones in which its StorageClass has volumes made: a pod whose volume is still to be
    #: made gets a node of these. All zones where not given.
    allowedTopologies: Sequence[str] | None = None
    #: It has to be attached to a node before that can mount it (`CSIDriver`, `attachRequired`);
    #: where not given disks are, and file shares and local volumes are not.
    attach: bool | None = None
    #: The driver of its volume, of which a node may take only so many: `capacity: {"attachable-
    #: volumes-csi-ebs.csi.aws.com": "25"}`. `disks.csi.example` where not given.
    driver: str | None = None
    #: Its StorageClass, where its driver says how much storage there is (`CSIDriver`,
    #: `storageCapacity`): a pod whose volume is still to be made gets a node with so much,
    #: `capacity: {"csistoragecapacity-fast": "100Gi"}`.
    storageClassName: str | None = None
    #: How large it is (`resources.requests.storage`), where `claim` is its name.
    size: QuantityText | None = None
    #: The name of the PersistentVolume; made from the claim's where not given.
    volume: str | None = None
    #: When the volume of a claim is made that has none yet: once a node is chosen for its first
    #: pod, or with the claim, in a zone that the claim's name decides. `WaitForFirstConsumer`
    #: where not given.
    binding: BindingMode | None = None
    #: How long it takes to make it; the pod is bound once the volume is there. No time where not
    #: given.
    provision: DurationText | None = None
    #: Nothing is known of its volume: what is said here is assumed, and results tell so.
    assumed: bool | None = None


class AccessMode(Variant):
    """`spec.accessModes`"""

    #: `ReadWriteOnce`: pods of one node.
    RWO: ClassVar[AccessMode]
    #: `ReadWriteOncePod`: one pod.
    RWOP: ClassVar[AccessMode]
    #: `ReadWriteMany`: pods of any nodes.
    RWX: ClassVar[AccessMode]
    #: `ReadOnlyMany`: pods of any nodes, which only read.
    ROX: ClassVar[AccessMode]


AccessMode.RWO = AccessMode("RWO")
AccessMode.RWOP = AccessMode("RWOP")
AccessMode.RWX = AccessMode("RWX")
AccessMode.ROX = AccessMode("ROX")


class Reach(Variant):
    """From where a volume is reached (`spec.nodeAffinity`)."""

    #: From every node.
    Everywhere: ClassVar[Reach]
    #: From the nodes of one zone.
    Zone: ClassVar[Reach]
    #: From one node: a local volume.
    Node: ClassVar[Reach]


Reach.Everywhere = Reach("Everywhere")
Reach.Zone = Reach("Zone")
Reach.Node = Reach("Node")


class BindingMode(Variant):
    """`volumeBindingMode` of a StorageClass"""

    #: Once a node is chosen for the first pod that has the claim.
    WaitForFirstConsumer: ClassVar[BindingMode]
    #: As soon as there is the claim.
    Immediate: ClassVar[BindingMode]


BindingMode.WaitForFirstConsumer = BindingMode("WaitForFirstConsumer")
BindingMode.Immediate = BindingMode("Immediate")


@dataclass(kw_only=True)
class DeviceClaim(Struct):
    """A claim on devices: one that each pod has for itself (`spec.resourceClaims`, with its
    `resourceClaimTemplateName`), or by `resourceClaimName` one that exists by itself.
    """
    #: The claim of that name under `resourceClaims`, of the pod's namespace, which all pods that
    #: name it share; nothing else is then given here.
    resourceClaimName: str | None = None
    #: The driver whose devices are asked for; `gpu.example.com` where not given.
    driver: str | None = None
    #: How many; one where not given.
    count: int | None = None
    #: `All`: all devices of the driver that the node has, each of which has to be free.
    allocationMode: AllocationMode | None = None
    #: Which taints of devices are tolerated.
    tolerations: Sequence[Toleration] | None = None
    #: `spec.devices.requests`, where that is more than one, or one with alternatives; what a
    #: single one asks for is then not given above.
    requests: Sequence[DeviceRequest] | None = None


class AllocationMode(Variant):
    """How many devices a request is for (`resource.k8s.io DeviceAllocationMode`)."""

    #: So many as it says.
    ExactCount: ClassVar[AllocationMode]
    #: All of the node.
    All: ClassVar[AllocationMode]


AllocationMode.ExactCount = AllocationMode("ExactCount")
AllocationMode.All = AllocationMode("All")


@dataclass(kw_only=True)
class DeviceRequest(Struct):
    """A request of a claim on devices (`resource.k8s.io DeviceRequest`)."""
    #: The driver whose devices are asked for; `gpu.example.com` where not given.
    driver: str | None = None
    #: How many; one where not given.
    count: int | None = None
    #: `All`: all devices of the driver that the node has, each of which has to be free.
    allocationMode: AllocationMode | None = None
    #: Which taints of devices are tolerated.
    tolerations: Sequence[Toleration] | None = None
    #: The first of these that can be had (`firstAvailable`); nothing else is then given here.
    firstAvailable: Sequence[DeviceSubRequest] | None = None


@dataclass(kw_only=True)
class DeviceSubRequest(Struct):
    """What will do for a request (`resource.k8s.io DeviceSubRequest`)."""
    #: The driver whose devices are asked for; `gpu.example.com` where not given.
    driver: str | None = None
    #: How many; one where not given.
    count: int | None = None
    #: `All`: all devices of the driver that the node has, each of which has to be free.
    allocationMode: AllocationMode | None = None
    #: Which taints of devices are tolerated.
    tolerations: Sequence[Toleration] | None = None


@dataclass(kw_only=True)
class Image(Struct):
    """An image, and how long it takes to get it onto a node."""
    #: Its name. A node has an image for all pods that name it alike.
    name: str
    #: How long it takes to pull it onto a node that does not have it, from when its turn comes.
    pull: HowLong
    #: How long a pull takes where the node has it already; half a second where not given.
    check: DurationText | None = None
    #: How large it is on a node, `"800Mi"`, for which the scheduler likes nodes that have it; not
    #: known where not given.
    size: QuantityText | None = None
    #: `IfNotPresent` where not given.
    imagePullPolicy: PullPolicy | None = None


class PullPolicy(Variant):
    """`spec.containers[].imagePullPolicy`"""

    #: It is pulled where the node does not have it.
    IfNotPresent: ClassVar[PullPolicy]
    #: It is pulled with each start of a container.
    Always: ClassVar[PullPolicy]


PullPolicy.IfNotPresent = PullPolicy("IfNotPresent")
PullPolicy.Always = PullPolicy("Always")


@dataclass(kw_only=True)
class Container(Struct):
    """A container of a pod beside its main one, of which the template itself tells."""
    #: `name`
    name: str
    #: Its image, which is pulled right before it starts. Where not given, the pull takes no time
    #: of its own.
    image: Image | None = None
    #: `readinessProbe`
    readinessProbe: Probe | None = None
    #: `livenessProbe`
    livenessProbe: Probe | None = None
    #: `startupProbe`
    startupProbe: Probe | None = None
    #: From its start until it serves; at once where not given.
    serves_after: HowLong | None = None
    #: For how long it serves then; until it ends where not given.
    serves_for: HowLong | None = None
    #: It ends by itself, as init containers do that are no sidecars: `(after: "5s")`.
    ends: Ends | None = None
    #: `restartPolicy` of an init container, which makes it a sidecar.
    restartPolicy: ContainerRestartPolicy | None = None


@dataclass(kw_only=True)
class Probe(Struct):
    """`v1.Probe`. How a probe asks is not said, as what it finds is: whether the container serves
    (`serves_after`, `serves_for`).
    """
    #: How many seconds a container has to run before it is probed; 0 where not given.
    initialDelaySeconds: int | None = None
    #: How many seconds lie between two probes; 10 where not given.
    periodSeconds: int | None = None
    #: How many probes have to succeed in a row; 1 where not given, and always 1 of a liveness or
    #: startup probe.
    successThreshold: int | None = None
    #: How many probes have to fail in a row; 3 where not given.
    failureThreshold: int | None = None
    #: The grace of a container that a liveness or startup probe ends; that of its pod where not
    #: given.
    terminationGracePeriodSeconds: int | None = None


@dataclass(kw_only=True)
class Ends(Struct):
    """How a container ends by itself."""
    #: From its start to its end.
    after: HowLong
    #: What it exits with; 0 where not given.
    exit_code: int | None = None
    #: How long one that runs at the start of the run has run already, which was not long enough
    #: to end; no time where not given.
    ran: DurationText | None = None


class ContainerRestartPolicy(Variant):
    """`spec.initContainers[].restartPolicy`"""

    #: What comes after it starts once it has started, and it runs on beside the others.
    Always: ClassVar[ContainerRestartPolicy]


ContainerRestartPolicy.Always = ContainerRestartPolicy("Always")


class RestartPolicy(Variant):
    """`spec.restartPolicy`"""

    #: A container that ends is started again.
    Always: ClassVar[RestartPolicy]
    #: A container that fails is started again; one that exits with 0 has done its work.
    OnFailure: ClassVar[RestartPolicy]
    #: No container is started again: its pod has succeeded or failed with it.
    Never: ClassVar[RestartPolicy]


RestartPolicy.Always = RestartPolicy("Always")
RestartPolicy.OnFailure = RestartPolicy("OnFailure")
RestartPolicy.Never = RestartPolicy("Never")


class StaticPod(Variant):
    """Where a kubelet has a static pod from."""

    #: A file; such pods tolerate every NoExecute taint.
    File: ClassVar[StaticPod]
    #: A URL.
    Url: ClassVar[StaticPod]


StaticPod.File = StaticPod("File")
StaticPod.Url = StaticPod("Url")


class PodStart(Variant):
    """How a pod starts."""

    #: Running and Ready.
    Running: ClassVar[PodStart]
    #: Bound and not started; its kubelet starts it.
    Pending: ClassVar[PodStart]

    @staticmethod
    def Starting(
        *, waited: DurationText | None = None, turn: str | None = None, ran: DurationText | None =
        None
    ) -> PodStart:
        """Bound, and its kubelet is at it: its volumes are attached and mounted."""
        return PodStart("Starting", {"waited": waited, "turn": turn, "ran": ran})

    @staticmethod
    def Imported(
        *, phase: Phase, ready: PodCondition | None = None, disruptionTarget: PodCondition | None =
        None, deletion: Deletion | None = None
    ) -> PodStart:
        """As an export of a real cluster shows it."""
        return PodStart(
            "Imported", {"phase": phase, "ready": ready, "disruptionTarget": disruptionTarget,
            "deletion": deletion}
        )


PodStart.Running = PodStart("Running")
PodStart.Pending = PodStart("Pending")


class Phase(Variant):
    """`status.phase`"""

    #: Not all containers run yet.
    Pending: ClassVar[Phase]
    #: Running.
    Running: ClassVar[Phase]
    #: Ended well.
    Succeeded: ClassVar[Phase]
    #: Ended badly.
    Failed: ClassVar[Phase]


Phase.Pending = Phase("Pending")
Phase.Running = Phase("Running")
Phase.Succeeded = Phase("Succeeded")
Phase.Failed = Phase("Failed")


@dataclass(kw_only=True)
class PodCondition(Struct):
    """A condition of an imported pod."""
    #: Its status.
    status: Status
    #: Why.
    reason: PodReason | None = None
    #: When the status last changed, from the start of the run: `"-26h"`.
    lastTransitionTime: DurationText


class PodReason(Variant):
    """Why an imported pod's condition has its status; others are left out."""

    #: By the taint eviction controller.
    DeletionByTaintManager: ClassVar[PodReason]
    #: By the pod garbage collector.
    DeletionByPodGC: ClassVar[PodReason]
    #: Through the eviction API, by `kubectl drain` say.
    EvictionByEvictionAPI: ClassVar[PodReason]
    #: By the scheduler, for a pod of higher priority.
    PreemptionByScheduler: ClassVar[PodReason]


PodReason.DeletionByTaintManager = PodReason("DeletionByTaintManager")
PodReason.DeletionByPodGC = PodReason("DeletionByPodGC")
PodReason.EvictionByEvictionAPI = PodReason("EvictionByEvictionAPI")
PodReason.PreemptionByScheduler = PodReason("PreemptionByScheduler")


@dataclass(kw_only=True)
class Deletion(Struct):
    """A deletion that an imported pod was in."""
    #: `metadata.deletionTimestamp`: when the grace period is over, from the start of the run:
    #: `"-4m"`, `"12s"`.
    timestamp: DurationText
    #: `metadata.deletionGracePeriodSeconds`
    gracePeriodSeconds: int


class Stuck(Variant):
    """What keeps a pod as it is, from outside of what is simulated."""

    #: A finalizer that nobody takes off: once it is being deleted it is never gone.
    Finalizer: ClassVar[Stuck]
    #: Its kubelet gets nowhere with it: it does not start until it is deleted, and if it is being
    #: deleted already it does not end, unless by force.
    Kubelet: ClassVar[Stuck]


Stuck.Finalizer = Stuck("Finalizer")
Stuck.Kubelet = Stuck("Kubelet")


@dataclass(kw_only=True)
class PriorityClass(Struct):
    """`scheduling.k8s.io/v1 PriorityClass`"""
    #: `metadata.name`
    name: str
    #: The priority of its pods.
    value: int
    #: It is for pods that name none.
    globalDefault: bool | None = None
    #: Whether its pods make others leave; `PreemptLowerPriority` where not given.
    preemptionPolicy: PreemptionPolicy | None = None


@dataclass(kw_only=True)
class PodDisruptionBudget(Struct):
    """`policy/v1 PodDisruptionBudget`"""
    #: `metadata.name`
    name: str
    #: `metadata.namespace`; `default` where not given.
    namespace: str | None = None
    #: `spec.selector`; `()` is every pod of the namespace, and up to 1.20 none. Where it is not
    #: given it selects none.
    selector: LabelSelector | None = None
    #: `spec.minAvailable`: a number, or `"50%"`.
    minAvailable: FlagValue | None = None
    #: `spec.maxUnavailable`: a number, or `"25%"`.
    maxUnavailable: FlagValue | None = None
    #: `spec.unhealthyPodEvictionPolicy`; `IfHealthyBudget` where not given.
    unhealthyPodEvictionPolicy: UnhealthyPodEvictionPolicy | None = None


class UnhealthyPodEvictionPolicy(Variant):
    """`spec.unhealthyPodEvictionPolicy`"""

    #: Pods that are not ready go only while enough others are.
    IfHealthyBudget: ClassVar[UnhealthyPodEvictionPolicy]
    #: Pods that are not ready may always go.
    AlwaysAllow: ClassVar[UnhealthyPodEvictionPolicy]


UnhealthyPodEvictionPolicy.IfHealthyBudget = UnhealthyPodEvictionPolicy("IfHealthyBudget")
UnhealthyPodEvictionPolicy.AlwaysAllow = UnhealthyPodEvictionPolicy("AlwaysAllow")


@dataclass(kw_only=True)
class Namespace(Struct):
    """What a namespace says of the tolerations of its pods. It counts where `enable-admission-
    plugins` has PodTolerationRestriction.
    """
    #: The name of a single namespace.
    name: str | None = None
    #: The names of several, `"team-{1..3}"`; instead of `name`.
    names: OneOrMany | None = None
    #: The annotation `scheduler.alpha.kubernetes.io/defaultTolerations`: what new pods get.
    defaultTolerations: Sequence[Toleration] | None = None
    #: The annotation `scheduler.alpha.kubernetes.io/tolerationsWhitelist`: what pods may have;
    #: anything where it is empty.
    tolerationsWhitelist: Sequence[Toleration] | None = None


@dataclass(kw_only=True)
class ResourceClaim(Struct):
    """A claim on devices that exists by itself (`resource.k8s.io ResourceClaim`), and that pods
    name. Its devices are allocated for the first of them that is scheduled; the others go to
    the same node, and all have the same devices.
    """
    #: `metadata.name`
    name: str
    #: `metadata.namespace`; `default` where not given.
    namespace: str | None = None
    #: What it asks for.
    spec: DeviceClaim | None = None


@dataclass(kw_only=True)
class DeviceTaintRule(Struct):
    """A rule that taints devices (`resource.k8s.io DeviceTaintRule`): those of which all that is
    given is true; where neither driver nor pool nor device is given, all devices of the
    cluster.
    """
    #: `metadata.name`
    name: str
    #: `spec.deviceSelector.driver`
    driver: str | None = None
    #: `spec.deviceSelector.pool`, which mostly has its node's name.
    pool: str | None = None
    #: `spec.deviceSelector.device`
    device: str | None = None
    #: `spec.taint`: `"key=value:NoExecute"`; with the effect `None` the rule says in its status
    #: whom NoExecute would evict.
    taint: str
    #: `spec.taint.timeAdded`, from the start of the run: `"-30s"`. When it is created where not
    #: given.
    added: DurationText | None = None


@dataclass(kw_only=True)
class NodeReadinessRule(Struct):
    """A rule of the node readiness controller (`readiness.node.x-k8s.io NodeReadinessRule`): nodes
    without these conditions have this taint.
    """
    #: `metadata.name`
    name: str
    #: `spec.conditions`, at least one.
    conditions: Sequence[ConditionRequirement]
    #: `spec.conditionPolicy`: whether all are required or one of them; `AllOf` where not given.
    conditionPolicy: ConditionPolicy | None = None
    #: `spec.enforcementMode`
    enforcementMode: EnforcementMode
    #: `spec.taint`: `"readiness.k8s.io/cni=pending:NoSchedule"`; its key begins with
    #: `readiness.k8s.io/`.
    taint: str
    #: `spec.nodeSelector`; all nodes where not given.
    nodeSelector: LabelSelector | None = None


@dataclass(kw_only=True)
class ConditionRequirement(Struct):
    """A condition that nodes must have."""
    #: Its type: one of those that kubelets post, or that of an agent.
    type: str
    #: The status that it must have.
    requiredStatus: Status
    #: What counts where a node has no such condition; `Unknown` where not given.
    defaultStatus: Status | None = None


class ConditionPolicy(Variant):
    """How many of the conditions are required."""

    #: `allOf`
    AllOf: ClassVar[ConditionPolicy]
    #: `anyOf`
    AnyOf: ClassVar[ConditionPolicy]


ConditionPolicy.AllOf = ConditionPolicy("AllOf")
ConditionPolicy.AnyOf = ConditionPolicy("AnyOf")


class EnforcementMode(Variant):
    """How long a rule is enforced at a node."""

    #: `bootstrap-only`: until its conditions are met for the first time.
    BootstrapOnly: ClassVar[EnforcementMode]
    #: `continuous`: for ever.
    Continuous: ClassVar[EnforcementMode]


EnforcementMode.BootstrapOnly = EnforcementMode("BootstrapOnly")
EnforcementMode.Continuous = EnforcementMode("Continuous")


class Workload(Variant):
    """A workload, or several that are alike except for their names: `Deployment(name: "web",
    replicas: 3)`.
    """

    @staticmethod
    def Deployment(
        *, name: str | None = None, names: OneOrMany | None = None, namespace: str | None = None,
        deployment: str | None = None, revision: int | None = None, maxReplicas: int | None = None,
        replicas: int | None = None, maxSurge: FlagValue | None = None, selector: LabelSelector |
        None = None, minReadySeconds: int | None = None, needs: FlagValue | None = None,
        podManagementPolicy: PodManagementPolicy | None = None, ordinals: Ordinals | None = None,
        parallelism: int | None = None, completions: int | None = None, backoffLimit: int | None =
        None, podReplacementPolicy: PodReplacementPolicy | None = None, podFailurePolicy:
        PodFailurePolicy | None = None, template: PodTemplate | None = None, placement: Placement |
        None = None
    ) -> Workload:
        """`apps/v1 Deployment`, with one ReplicaSet unless others say that they are its own"""
        return Workload(
            "Deployment", {"name": name, "names": names, "namespace": namespace, "deployment":
            deployment, "revision": revision, "maxReplicas": maxReplicas, "replicas": replicas,
            "maxSurge": maxSurge, "selector": selector, "minReadySeconds": minReadySeconds, "needs":
            needs, "podManagementPolicy": podManagementPolicy, "ordinals": ordinals, "parallelism":
            parallelism, "completions": completions, "backoffLimit": backoffLimit,
            "podReplacementPolicy": podReplacementPolicy, "podFailurePolicy": podFailurePolicy,
            "template": template, "placement": placement}
        )

    @staticmethod
    def ReplicaSet(
        *, name: str | None = None, names: OneOrMany | None = None, namespace: str | None = None,
        deployment: str | None = None, revision: int | None = None, maxReplicas: int | None = None,
        replicas: int | None = None, maxSurge: FlagValue | None = None, selector: LabelSelector |
        None = None, minReadySeconds: int | None = None, needs: FlagValue | None = None,
        podManagementPolicy: PodManagementPolicy | None = None, ordinals: Ordinals | None = None,
        parallelism: int | None = None, completions: int | None = None, backoffLimit: int | None =
        None, podReplacementPolicy: PodReplacementPolicy | None = None, podFailurePolicy:
        PodFailurePolicy | None = None, template: PodTemplate | None = None, placement: Placement |
        None = None
    ) -> Workload:
        """`apps/v1 ReplicaSet`"""
        return Workload(
            "ReplicaSet", {"name": name, "names": names, "namespace": namespace, "deployment":
            deployment, "revision": revision, "maxReplicas": maxReplicas, "replicas": replicas,
            "maxSurge": maxSurge, "selector": selector, "minReadySeconds": minReadySeconds, "needs":
            needs, "podManagementPolicy": podManagementPolicy, "ordinals": ordinals, "parallelism":
            parallelism, "completions": completions, "backoffLimit": backoffLimit,
            "podReplacementPolicy": podReplacementPolicy, "podFailurePolicy": podFailurePolicy,
            "template": template, "placement": placement}
        )

    @staticmethod
    def StatefulSet(
        *, name: str | None = None, names: OneOrMany | None = None, namespace: str | None = None,
        deployment: str | None = None, revision: int | None = None, maxReplicas: int | None = None,
        replicas: int | None = None, maxSurge: FlagValue | None = None, selector: LabelSelector |
        None = None, minReadySeconds: int | None = None, needs: FlagValue | None = None,
        podManagementPolicy: PodManagementPolicy | None = None, ordinals: Ordinals | None = None,
        parallelism: int | None = None, completions: int | None = None, backoffLimit: int | None =
        None, podReplacementPolicy: PodReplacementPolicy | None = None, podFailurePolicy:
        PodFailurePolicy | None = None, template: PodTemplate | None = None, placement: Placement |
        None = None
    ) -> Workload:
        """`apps/v1 StatefulSet`"""
        return Workload(
            "StatefulSet", {"name": name, "names": names, "namespace": namespace, "deployment":
            deployment, "revision": revision, "maxReplicas": maxReplicas, "replicas": replicas,
            "maxSurge": maxSurge, "selector": selector, "minReadySeconds": minReadySeconds, "needs":
            needs, "podManagementPolicy": podManagementPolicy, "ordinals": ordinals, "parallelism":
            parallelism, "completions": completions, "backoffLimit": backoffLimit,
            "podReplacementPolicy": podReplacementPolicy, "podFailurePolicy": podFailurePolicy,
            "template": template, "placement": placement}
        )

    @staticmethod
    def DaemonSet(
        *, name: str | None = None, names: OneOrMany | None = None, namespace: str | None = None,
        deployment: str | None = None, revision: int | None = None, maxReplicas: int | None = None,
        replicas: int | None = None, maxSurge: FlagValue | None = None, selector: LabelSelector |
        None = None, minReadySeconds: int | None = None, needs: FlagValue | None = None,
        podManagementPolicy: PodManagementPolicy | None = None, ordinals: Ordinals | None = None,
        parallelism: int | None = None, completions: int | None = None, backoffLimit: int | None =
        None, podReplacementPolicy: PodReplacementPolicy | None = None, podFailurePolicy:
        PodFailurePolicy | None = None, template: PodTemplate | None = None, placement: Placement |
        None = None
    ) -> Workload:
        """`apps/v1 DaemonSet`"""
        return Workload(
            "DaemonSet", {"name": name, "names": names, "namespace": namespace, "deployment":
            deployment, "revision": revision, "maxReplicas": maxReplicas, "replicas": replicas,
            "maxSurge": maxSurge, "selector": selector, "minReadySeconds": minReadySeconds, "needs":
            needs, "podManagementPolicy": podManagementPolicy, "ordinals": ordinals, "parallelism":
            parallelism, "completions": completions, "backoffLimit": backoffLimit,
            "podReplacementPolicy": podReplacementPolicy, "podFailurePolicy": podFailurePolicy,
            "template": template, "placement": placement}
        )

    @staticmethod
    def Job(
        *, name: str | None = None, names: OneOrMany | None = None, namespace: str | None = None,
        deployment: str | None = None, revision: int | None = None, maxReplicas: int | None = None,
        replicas: int | None = None, maxSurge: FlagValue | None = None, selector: LabelSelector |
        None = None, minReadySeconds: int | None = None, needs: FlagValue | None = None,
        podManagementPolicy: PodManagementPolicy | None = None, ordinals: Ordinals | None = None,
        parallelism: int | None = None, completions: int | None = None, backoffLimit: int | None =
        None, podReplacementPolicy: PodReplacementPolicy | None = None, podFailurePolicy:
        PodFailurePolicy | None = None, template: PodTemplate | None = None, placement: Placement |
        None = None
    ) -> Workload:
        """`batch/v1 Job`"""
        return Workload(
            "Job", {"name": name, "names": names, "namespace": namespace, "deployment": deployment,
            "revision": revision, "maxReplicas": maxReplicas, "replicas": replicas, "maxSurge":
            maxSurge, "selector": selector, "minReadySeconds": minReadySeconds, "needs": needs,
            "podManagementPolicy": podManagementPolicy, "ordinals": ordinals, "parallelism":
            parallelism, "completions": completions, "backoffLimit": backoffLimit,
            "podReplacementPolicy": podReplacementPolicy, "podFailurePolicy": podFailurePolicy,
            "template": template, "placement": placement}
        )


@dataclass(kw_only=True)
class WorkloadGroup(Struct):
    """The fields of all kinds of workload; which kind has which is checked with the rest of the
    scenario's meaning.
    """
    #: `metadata.name`
    name: str | None = None
    #: The names of several, `"web-{0..9}"`; instead of `name`.
    names: OneOrMany | None = None
    #: `metadata.namespace`; `default` where not given.
    namespace: str | None = None
    #: The Deployment of a ReplicaSet, in its namespace.
    deployment: str | None = None
    #: The annotation `deployment.kubernetes.io/revision` of a ReplicaSet: of several that a
    #: Deployment has amid a rollout, the one with the highest is the new one.
    revision: int | None = None
    #: The annotation `deployment.kubernetes.io/max-replicas` of a ReplicaSet: how many pods all
    #: sets of its Deployment might have together when that last scaled this one; what is added or
    #: taken away amid a rollout is shared out by it.
    maxReplicas: int | None = None
    #: `spec.replicas`; 1 where not given.
    replicas: int | None = None
    #: `spec.strategy.rollingUpdate.maxSurge` of a Deployment, which counts while it has several
    #: ReplicaSets with pods; `"25%"` where not given.
    maxSurge: FlagValue | None = None
    #: `spec.selector`; the label `app` with the workload's name where not given, which the
    #: template then has too.
    selector: LabelSelector | None = None
    #: `spec.minReadySeconds`; 0 where not given.
    minReadySeconds: int | None = None
    #: How many of its pods have to be up for it to do its work: a number, or a share of those it
    #: asks for, `"80%"`, rounded up. Where not given it is what its disruption budget demands,
    #: else one.
    needs: FlagValue | None = None
    #: `spec.podManagementPolicy` of a StatefulSet; `OrderedReady` where not given.
    podManagementPolicy: PodManagementPolicy | None = None
    #: `spec.ordinals` of a StatefulSet.
    ordinals: Ordinals | None = None
    #: `spec.parallelism` of a Job; 1 where not given.
    parallelism: int | None = None
    #: `spec.completions` of a Job; 1 where neither it nor `parallelism` is given.
    completions: int | None = None
    #: `spec.backoffLimit` of a Job; 6 where not given.
    backoffLimit: int | None = None
    #: `spec.podReplacementPolicy` of a Job.
    podReplacementPolicy: PodReplacementPolicy | None = None
    #: `spec.podFailurePolicy` of a Job.
    podFailurePolicy: PodFailurePolicy | None = None
    #: `spec.template`
    template: PodTemplate | None = None
    #: Where its pods run when the run starts. Without it, there are none: its controller creates
    #: them.
    placement: Placement | None = None


class PodManagementPolicy(Variant):
    """`spec.podManagementPolicy`"""

    #: One pod after the other.
    OrderedReady: ClassVar[PodManagementPolicy]
    #: All pods at once.
    Parallel: ClassVar[PodManagementPolicy]


PodManagementPolicy.OrderedReady = PodManagementPolicy("OrderedReady")
PodManagementPolicy.Parallel = PodManagementPolicy("Parallel")


@dataclass(kw_only=True)
class Ordinals(Struct):
    """`spec.ordinals`"""
    #: The number of the first pod.
    start: int


class PodReplacementPolicy(Variant):
    """`spec.podReplacementPolicy`"""

    #: As soon as a pod's deletion begins.
    TerminatingOrFailed: ClassVar[PodReplacementPolicy]
    #: Once a pod's phase is Failed.
    Failed: ClassVar[PodReplacementPolicy]


PodReplacementPolicy.TerminatingOrFailed = PodReplacementPolicy("TerminatingOrFailed")
PodReplacementPolicy.Failed = PodReplacementPolicy("Failed")


@dataclass(kw_only=True)
class PodFailurePolicy(Struct):
    """`spec.podFailurePolicy`"""
    #: The first that matches counts.
    rules: Sequence[PodFailurePolicyRule]


@dataclass(kw_only=True)
class PodFailurePolicyRule(Struct):
    """A rule that looks at conditions of the failed pod."""
    #: What follows.
    action: PodFailurePolicyAction
    #: The conditions; any of them is enough.
    onPodConditions: Sequence[PodFailurePolicyOnPodConditions]


class PodFailurePolicyAction(Variant):
    """What follows from a failure that a rule matches."""

    #: It is not counted.
    Ignore: ClassVar[PodFailurePolicyAction]
    #: The job has failed.
    FailJob: ClassVar[PodFailurePolicyAction]
    #: It is counted.
    Count: ClassVar[PodFailurePolicyAction]


PodFailurePolicyAction.Ignore = PodFailurePolicyAction("Ignore")
PodFailurePolicyAction.FailJob = PodFailurePolicyAction("FailJob")
PodFailurePolicyAction.Count = PodFailurePolicyAction("Count")


@dataclass(kw_only=True)
class PodFailurePolicyOnPodConditions(Struct):
    """A condition of a pod, and its status."""
    #: Which condition.
    type: PodConditionKind
    #: Its status; `True` where not given.
    status: Status | None = None


class PodConditionKind(Variant):
    """A condition that a policy may name."""

    #: The pod was evicted, preempted or removed for its node's failure.
    DisruptionTarget: ClassVar[PodConditionKind]


PodConditionKind.DisruptionTarget = PodConditionKind("DisruptionTarget")


@dataclass(kw_only=True)
class PodTemplate(Struct):
    """`spec.template`, with the sum of its containers' requests."""
    #: `metadata.labels`
    labels: Mapping[str, str] | None = None
    #: `spec.tolerations`. Admission adds those for not-ready and unreachable to each pod where
    #: they are missing.
    tolerations: Sequence[Toleration] | None = None
    #: `spec.terminationGracePeriodSeconds`; 30 where not given.
    terminationGracePeriodSeconds: int | None = None
    #: `spec.nodeSelector`
    nodeSelector: Mapping[str, str] | None = None
    #: `spec.nodeName`: its pods are bound to this node without a scheduler.
    nodeName: str | None = None
    #: The sum of the containers' `resources.requests`.
    requests: Mapping[str, QuantityText] | None = None
    #: `spec.priority`
    priority: int | None = None
    #: `spec.priorityClassName`
    priorityClassName: str | None = None
    #: `spec.affinity`
    affinity: Affinity | None = None
    #: `spec.topologySpreadConstraints`
    topologySpreadConstraints: Sequence[TopologySpreadConstraint] | None = None
    #: The ports of the node that its containers take.
    ports: Sequence[HostPort] | None = None
    #: `spec.schedulingGates`
    schedulingGates: Sequence[SchedulingGate] | None = None
    #: `spec.schedulerName`; with any but `default-scheduler` nobody here places them.
    schedulerName: str | None = None
    #: `spec.preemptionPolicy`; that of the priority class where not given.
    preemptionPolicy: PreemptionPolicy | None = None
    #: The requests of each container, where there are several: some scores count what a container
    #: does not ask for.
    container_requests: Sequence[Mapping[str, QuantityText]] | None = None
    #: There is an emptyDir among its volumes: `kubectl drain` asks for a flag.
    empty_dir: bool | None = None
    #: The claims among its volumes; those of a StatefulSet are its `volumeClaimTemplates`.
    volumes: Sequence[VolumeClaim] | None = None
    #: The claims of each pod on devices: `[(count: 1)]`.
    resourceClaims: Sequence[DeviceClaim] | None = None
    #: There are volumes among its own that outlive a pod, and nothing is known of them. They are
    #: not simulated, and results say of whom.
    persistent_volumes: bool | None = None
    #: The annotation `controller.kubernetes.io/pod-deletion-cost`: of the pods of a ReplicaSet
    #: those that cost less go first; 0 where not given.
    podDeletionCost: int | None = None
    #: From its binding to Running and Ready; as the kubelets' `pod_start` where not given.
    pod_start: HowLong | None = None
    #: Its container's image, which its kubelet pulls before that time where its node does not
    #: have it. Where not given, the pull is part of `pod_start`.
    image: Image | None = None
    #: `spec.initContainers`, in the order in which they start: the main container starts once
    #: they have ended well, or have started where they are sidecars.
    initContainers: Sequence[Container] | None = None
    #: Those of `spec.containers` that start after the main one, of which the other fields tell.
    containers: Sequence[Container] | None = None
    #: How long its containers take to stop once asked to; the grace period cuts it short. As the
    #: kubelets' `pod_stop` where not given.
    pod_stop: HowLong | None = None
    #: The exit code of its containers when they end because they were asked to: with 0, as where
    #: not given, the pod has Succeeded, with any other it has Failed.
    exit_code: int | None = None
    #: What its containers use, from their start on: `memory`, `ephemeral-storage`, `inodes`,
    #: `imagefs`, `imagefs-inodes`, `pids`. Kubelets evict pods where a node runs short; where
    #: nothing is said, nothing is used.
    usage: Mapping[str, UsageText] | None = None
    #: `readinessProbe` of its container: the pod is Ready only once it has succeeded.
    readinessProbe: Probe | None = None
    #: `livenessProbe` of its container: one that fails has it killed and started again.
    livenessProbe: Probe | None = None
    #: `startupProbe` of its container: the other two wait until it has succeeded.
    startupProbe: Probe | None = None
    #: From a container's start until it serves, which is what probes see; at once where not
    #: given.
    serves_after: HowLong | None = None
    #: For how long a container serves then; until it ends where not given. It runs on after that,
    #: and only a liveness probe makes an end to it.
    serves_for: HowLong | None = None
    #: Its container ends by itself: `(after: "90s", exit_code: 1)`.
    ends: Ends | None = None
    #: `spec.restartPolicy` of a Job's pods; `Never` where not given. Others are always restarted.
    restartPolicy: RestartPolicy | None = None


@dataclass(kw_only=True)
class Entry(Struct):
    """Something that happens at a time, once or several times."""
    #: When: `"10m"`, or relative to a named entry, `"cut b + 50s"`, `"end of cut b + 5s"`.
    at: TimeText
    #: A name that others can refer to.
    name: str | None = None
    #: What happens.
    do: Step
    #: It happens again this long after each beginning; with `times`.
    every: DurationText | None = None
    #: How often it happens in all; with `every`.
    times: int | None = None


#: TimeText: a time in quotes, such as "10m" or "cut b + 50s"
TimeText: TypeAlias = "str"


class Step(Variant):
    """What happens. Where nodes are meant, either `node` (one name) or `nodes` (a selector) is
    given; the same for pods.
    """

    @staticmethod
    def Partition(
        *, node: str | None = None, nodes: NodeSelector | None = None, cut: Cut | None = None,
        connections: Connections | None = None, duration: DurationText | None = None
    ) -> Step:
        """Nodes are cut off: their kubelets cannot reach the API server, and by `cut` clients
        cannot reach their pods. Containers run on.
        """
        return Step(
            "Partition", {"node": node, "nodes": nodes, "cut": cut, "connections": connections,
            "duration": duration}
        )

    @staticmethod
    def Heal(*, node: str | None = None, nodes: NodeSelector | None = None) -> Step:
        """Kubelets reach the API server again, and clients their pods, whatever cut them off, an
        import included.
        """
        return Step("Heal", {"node": node, "nodes": nodes})

    @staticmethod
    def Crash(
        *, node: str | None = None, nodes: NodeSelector | None = None, duration: DurationText | None
        = None
    ) -> Step:
        """Machines stop, and their containers with them."""
        return Step("Crash", {"node": node, "nodes": nodes, "duration": duration})

    @staticmethod
    def Shutdown(
        *, node: str | None = None, nodes: NodeSelector | None = None, duration: DurationText | None
        = None, at_most: DurationText | None = None
    ) -> Step:
        """Machines are told to go off (`systemctl poweroff`, a cloud's notice): kubelets that have
        grace periods (`flags.kubelet.shutdown-grace-period`) end their pods first; others go
        off at once.
        """
        return Step(
            "Shutdown", {"node": node, "nodes": nodes, "duration": duration, "at_most": at_most}
        )

    @staticmethod
    def Reboot(*, node: str | None = None, nodes: NodeSelector | None = None) -> Step:
        """Machines stop and boot again at once."""
        return Step("Reboot", {"node": node, "nodes": nodes})

    @staticmethod
    def KubeletRestart(
        *, downtime: DurationText, node: str | None = None, nodes: NodeSelector | None = None
    ) -> Step:
        """Kubelets die, and fresh ones start; their machines run on, and the containers."""
        return Step("KubeletRestart", {"node": node, "nodes": nodes, "downtime": downtime})

    @staticmethod
    def Flap(
        *, down: DurationText, up: DurationText, times: int, node: str | None = None, nodes:
        NodeSelector | None = None, cut: Cut | None = None, connections: Connections | None = None
    ) -> Step:
        """Partitions that come and go."""
        return Step(
            "Flap", {"node": node, "nodes": nodes, "cut": cut, "connections": connections, "down":
            down, "up": up, "times": times}
        )

    @staticmethod
    def SlowHeartbeats(
        *, period: DurationText, node: str | None = None, nodes: NodeSelector | None = None,
        duration: DurationText | None = None
    ) -> Step:
        """Leases are renewed and status is posted only every so often."""
        return Step(
            "SlowHeartbeats", {"node": node, "nodes": nodes, "period": period, "duration": duration}
        )

    @staticmethod
    def Condition(
        *, type: ConditionKind, status: Status, node: str | None = None, nodes: NodeSelector | None
        = None, duration: DurationText | None = None
    ) -> Step:
        """The kubelets' own view of a condition changes, and goes back at the end."""
        return Step(
            "Condition", {"node": node, "nodes": nodes, "type": type, "status": status, "duration":
            duration}
        )

    @staticmethod
    def RuntimeFailure(
        *, fails: RuntimeFails, node: str | None = None, nodes: NodeSelector | None = None,
        duration: DurationText | None = None
    ) -> Step:
        """The container runtime of nodes fails: their kubelets notice, and post that the nodes are
        not ready with their next status check.
        """
        return Step(
            "RuntimeFailure", {"node": node, "nodes": nodes, "fails": fails, "duration": duration}
        )

    @staticmethod
    def RegistryOutage(
        *, fails: RegistryFails | None = None, duration: DurationText | None = None
    ) -> Step:
        """The registry of images serves nobody: pulls that are under way fail, and others."""
        return Step("RegistryOutage", {"fails": fails, "duration": duration})

    @staticmethod
    def ProvisioningOutage(
        *, driver: str | None = None, zone: str | None = None, fails: ProvisioningFails | None =
        None, duration: DurationText | None = None
    ) -> Step:
        """The drivers of volumes refuse to make any, of claims with `provision`; those that are
        being made they finish.
        """
        return Step(
            "ProvisioningOutage", {"driver": driver, "zone": zone, "fails": fails, "duration":
            duration}
        )

    @staticmethod
    def ApiOutage(
        *, watch_cache: WatchCache | None = None, of: str | None = None, duration: DurationText |
        None = None
    ) -> Step:
        """The API server refuses everybody."""
        return Step("ApiOutage", {"watch_cache": watch_cache, "of": of, "duration": duration})

    @staticmethod
    def TooManyRequests(
        *, clients: Sequence[ApiClient] | None = None, duration: DurationText | None = None
    ) -> Step:
        """API Priority and Fairness rejects requests: they are answered 429, and tried again by
        their clients after a second, some ten times. Watches that stand go on.
        """
        return Step("TooManyRequests", {"clients": clients, "duration": duration})

    @staticmethod
    def WatchLag(
        *, resource: Resource, lag: DurationText, duration: DurationText | None = None
    ) -> Step:
        """Watches of a resource deliver later than they should."""
        return Step("WatchLag", {"resource": resource, "lag": lag, "duration": duration})

    @staticmethod
    def WatchStall(*, resource: Resource, duration: DurationText) -> Step:
        """Watches of a resource deliver nothing, then everything."""
        return Step("WatchStall", {"resource": resource, "duration": duration})

    @staticmethod
    def ControllerRestart(
        *, downtime: DurationText | None = None, kind: RestartKind | None = None
    ) -> Step:
        """The controllers' process dies, and a fresh one starts."""
        return Step("ControllerRestart", {"downtime": downtime, "kind": kind})

    @staticmethod
    def ClockSkew(
        *, skew: DurationText, node: str | None = None, nodes: NodeSelector | None = None, duration:
        DurationText | None = None
    ) -> Step:
        """The kubelets' clocks are off."""
        return Step("ClockSkew", {"node": node, "nodes": nodes, "skew": skew, "duration": duration})

    @staticmethod
    def AddNode(*, node: NodeGroup) -> Step:
        """Nodes join: their kubelets register them."""
        return Step("AddNode", {"node": node})

    @staticmethod
    def DeleteNode(*, node: str | None = None, nodes: NodeSelector | None = None) -> Step:
        """Node objects and leases are deleted, and their machines go with them."""
        return Step("DeleteNode", {"node": node, "nodes": nodes})

    @staticmethod
    def Taint(
        *, taint: OneOrMany, node: str | None = None, nodes: NodeSelector | None = None, overwrite:
        bool | None = None
    ) -> Step:
        """`kubectl taint`; a trailing "-" removes."""
        return Step("Taint", {"node": node, "nodes": nodes, "taint": taint, "overwrite": overwrite})

    @staticmethod
    def Untaint(
        *, taint: OneOrMany, node: str | None = None, nodes: NodeSelector | None = None
    ) -> Step:
        """`kubectl taint` with the trailing "-" left out."""
        return Step("Untaint", {"node": node, "nodes": nodes, "taint": taint})

    @staticmethod
    def Cordon(*, node: str | None = None, nodes: NodeSelector | None = None) -> Step:
        """`kubectl cordon`"""
        return Step("Cordon", {"node": node, "nodes": nodes})

    @staticmethod
    def Uncordon(*, node: str | None = None, nodes: NodeSelector | None = None) -> Step:
        """`kubectl uncordon`"""
        return Step("Uncordon", {"node": node, "nodes": nodes})

    @staticmethod
    def Label(
        *, labels: Mapping[str, str | None], node: str | None = None, nodes: NodeSelector | None =
        None
    ) -> Step:
        """`kubectl label nodes`"""
        return Step("Label", {"node": node, "nodes": nodes, "labels": labels})

    @staticmethod
    def CreatePod(*, pod: PodGroup) -> Step:
        """Pods are created."""
        return Step("CreatePod", {"pod": pod})

    @staticmethod
    def DeletePod(
        *, pod: str | None = None, pods: PodSelector | None = None, gracePeriodSeconds: int | None =
        None
    ) -> Step:
        """`kubectl delete pod`"""
        return Step(
            "DeletePod", {"pod": pod, "pods": pods, "gracePeriodSeconds": gracePeriodSeconds}
        )

    @staticmethod
    def BindPod(*, pod: str, node: str) -> Step:
        """An unbound pod is bound, as a scheduler would."""
        return Step("BindPod", {"pod": pod, "node": node})

    @staticmethod
    def PatchTolerations(
        *, tolerations: Sequence[Toleration], pod: str | None = None, pods: PodSelector | None =
        None
    ) -> Step:
        """Tolerations are patched."""
        return Step("PatchTolerations", {"pod": pod, "pods": pods, "tolerations": tolerations})

    @staticmethod
    def Instance(
        *, state: InstanceState, node: str | None = None, nodes: NodeSelector | None = None
    ) -> Step:
        """What the cloud provider says of machines from now on."""
        return Step("Instance", {"node": node, "nodes": nodes, "state": state})

    @staticmethod
    def Drain(
        *, node: str | None = None, nodes: NodeSelector | None = None, force: bool | None = None,
        ignore_daemonsets: bool | None = None, delete_emptydir_data: bool | None = None,
        disable_eviction: bool | None = None, gracePeriodSeconds: int | None = None, timeout:
        DurationText | None = None, skip_wait_for_delete_timeout: DurationText | None = None
    ) -> Step:
        """`kubectl drain`"""
        return Step(
            "Drain", {"node": node, "nodes": nodes, "force": force, "ignore_daemonsets":
            ignore_daemonsets, "delete_emptydir_data": delete_emptydir_data, "disable_eviction":
            disable_eviction, "gracePeriodSeconds": gracePeriodSeconds, "timeout": timeout,
            "skip_wait_for_delete_timeout": skip_wait_for_delete_timeout}
        )

    @staticmethod
    def Scale(*, workload: str, replicas: int) -> Step:
        """`kubectl scale`"""
        return Step("Scale", {"workload": workload, "replicas": replicas})

    @staticmethod
    def CreateWorkload(*, workload: Workload) -> Step:
        """A workload is created."""
        return Step("CreateWorkload", {"workload": workload})

    @staticmethod
    def DeleteWorkload(*, workload: str, cascade: Cascade | None = None) -> Step:
        """`kubectl delete` of a workload; what it owns is the garbage collector's business."""
        return Step("DeleteWorkload", {"workload": workload, "cascade": cascade})

    @staticmethod
    def CreateBudget(*, budget: PodDisruptionBudget) -> Step:
        """A disruption budget is created."""
        return Step("CreateBudget", {"budget": budget})

    @staticmethod
    def PatchBudget(
        *, budget: str, minAvailable: FlagValue | None = None, maxUnavailable: FlagValue | None =
        None
    ) -> Step:
        """A disruption budget asks for something else from now on (`kubectl patch`); what is given
        replaces what it asked for.
        """
        return Step(
            "PatchBudget", {"budget": budget, "minAvailable": minAvailable, "maxUnavailable":
            maxUnavailable}
        )

    @staticmethod
    def DeleteBudget(*, budget: str) -> Step:
        """`kubectl delete pdb`"""
        return Step("DeleteBudget", {"budget": budget})

    @staticmethod
    def CreateDeviceTaintRule(*, rule: DeviceTaintRule) -> Step:
        """A DeviceTaintRule is created, which taints devices: `CreateDeviceTaintRule(rule: (name:
        "bad", pool: "a-1", device: "gpu-0", taint: "ecc:NoExecute"))`
        """
        return Step("CreateDeviceTaintRule", {"rule": rule})

    @staticmethod
    def UpdateDeviceTaintRule(*, rule: DeviceTaintRule) -> Step:
        """The spec of a DeviceTaintRule becomes this, as `kubectl edit` or `kubectl replace`
        leaves it. `added` stays what it was where it is not given, unless the effect changes:
        then it is the present.
        """
        return Step("UpdateDeviceTaintRule", {"rule": rule})

    @staticmethod
    def DeleteDeviceTaintRule(*, rule: str) -> Step:
        """A DeviceTaintRule is deleted."""
        return Step("DeleteDeviceTaintRule", {"rule": rule})

    @staticmethod
    def TaintDevices(
        *, taint: str, node: str | None = None, nodes: NodeSelector | None = None, driver: str |
        None = None, device: str | None = None
    ) -> Step:
        """Drivers publish a taint of devices in their ResourceSlices."""
        return Step(
            "TaintDevices", {"node": node, "nodes": nodes, "driver": driver, "device": device,
            "taint": taint}
        )

    @staticmethod
    def UntaintDevices(
        *, taint: str, node: str | None = None, nodes: NodeSelector | None = None, driver: str |
        None = None, device: str | None = None
    ) -> Step:
        """Drivers publish a taint no longer."""
        return Step(
            "UntaintDevices", {"node": node, "nodes": nodes, "driver": driver, "device": device,
            "taint": taint}
        )

    @staticmethod
    def CreateNodeReadinessRule(*, rule: NodeReadinessRule) -> Step:
        """A rule of the node readiness controller is created."""
        return Step("CreateNodeReadinessRule", {"rule": rule})

    @staticmethod
    def DeleteNodeReadinessRule(*, rule: str) -> Step:
        """A rule of the node readiness controller is deleted."""
        return Step("DeleteNodeReadinessRule", {"rule": rule})

    @staticmethod
    def SetCondition(
        *, type: str, status: Status, node: str | None = None, nodes: NodeSelector | None = None
    ) -> Step:
        """Agents on nodes post a condition of a type that no kubelet posts, and it stays."""
        return Step("SetCondition", {"node": node, "nodes": nodes, "type": type, "status": status})

    @staticmethod
    def Maintain(
        *, off: DurationText, node: str | None = None, nodes: NodeSelector | None = None, at_a_time:
        FlagValue | None = None, drain: DrainFlags | None = None, then: Afterwards | None = None,
        if_not_drained: IfNotDrained | None = None
    ) -> Step:
        """A rolling maintenance: a number of nodes at a time are cordoned and drained, their
        machines are off for a while and boot, and once a node is Ready again it is uncordoned,
        and the next one begins.
        """
        return Step(
            "Maintain", {"node": node, "nodes": nodes, "at_a_time": at_a_time, "drain": drain,
            "off": off, "then": then, "if_not_drained": if_not_drained}
        )


class Cut(Variant):
    """Whom a partition cuts nodes off from."""

    #: From everybody: kubelets cannot report, and nobody reaches their pods.
    Network: ClassVar[Cut]
    #: From the API server alone: kubelets cannot report, and clients still reach the pods.
    ApiServer: ClassVar[Cut]


Cut.Network = Cut("Network")
Cut.ApiServer = Cut("ApiServer")


class Connections(Variant):
    """What becomes of connections to an API server that cannot be reached."""

    #: Packets vanish: nobody answers, and nobody is told.
    Dropped: ClassVar[Connections]
    #: They are reset, and new ones refused, at once.
    Refused: ClassVar[Connections]


Connections.Dropped = Connections("Dropped")
Connections.Refused = Connections("Refused")


class RuntimeFails(Variant):
    """What fails of a container runtime."""

    #: It says that it is not ready, which a kubelet sees within 5 s.
    Ready: ClassVar[RuntimeFails]
    #: It does not answer, which counts after 30 s.
    Status: ClassVar[RuntimeFails]


RuntimeFails.Ready = RuntimeFails("Ready")
RuntimeFails.Status = RuntimeFails("Status")


class RegistryFails(Variant):
    """How the registry of images fails."""

    #: It refuses everybody, at once.
    Refused: ClassVar[RegistryFails]
    #: Packets vanish: who wants to connect waits for 30 s.
    Dropped: ClassVar[RegistryFails]
    #: It lets everybody connect, up to TLS, and says nothing then, which is given up after five
    #: minutes.
    Silent: ClassVar[RegistryFails]


RegistryFails.Refused = RegistryFails("Refused")
RegistryFails.Dropped = RegistryFails("Dropped")
RegistryFails.Silent = RegistryFails("Silent")


class ProvisioningFails(Variant):
    """With which error a driver refuses to make a volume (`google.golang.org/grpc/codes`)."""

    #: It is asked again after a back-off.
    Internal: ClassVar[ProvisioningFails]
    #: There is no storage left. Where a node was chosen, the claim is given back at once, and the
    #: scheduler chooses anew.
    ResourceExhausted: ClassVar[ProvisioningFails]
    #: It will never make such a volume: it is asked again after five minutes at the soonest.
    InvalidArgument: ClassVar[ProvisioningFails]


ProvisioningFails.Internal = ProvisioningFails("Internal")
ProvisioningFails.ResourceExhausted = ProvisioningFails("ResourceExhausted")
ProvisioningFails.InvalidArgument = ProvisioningFails("InvalidArgument")


class WatchCache(Variant):
    """What the API server's watch caches know after an outage."""

    #: Nothing from before: watches that broke have to list.
    Lost: ClassVar[WatchCache]
    #: All that happened: watches go on where they were.
    Kept: ClassVar[WatchCache]


WatchCache.Lost = WatchCache("Lost")
WatchCache.Kept = WatchCache("Kept")


class ApiClient(Variant):
    """A client of the API server."""

    #: The node lifecycle controller.
    NodeLifecycle: ClassVar[ApiClient]
    #: The taint eviction controller, whose client up to 1.28 is the node lifecycle controller's.
    TaintEviction: ClassVar[ApiClient]
    #: The pod garbage collector.
    PodGc: ClassVar[ApiClient]
    #: The garbage collector of owner references.
    GarbageCollector: ClassVar[ApiClient]
    #: The Deployment controller.
    Deployment: ClassVar[ApiClient]
    #: The ReplicaSet controller.
    ReplicaSet: ClassVar[ApiClient]
    #: The StatefulSet controller.
    StatefulSet: ClassVar[ApiClient]
    #: The DaemonSet controller.
    DaemonSet: ClassVar[ApiClient]
    #: The Job controller.
    Job: ClassVar[ApiClient]
    #: The cloud controllers.
    Cloud: ClassVar[ApiClient]
    #: The disruption controller.
    Disruption: ClassVar[ApiClient]
    #: The scheduler, with both of its clients.
    Scheduler: ClassVar[ApiClient]
    #: The attach/detach controller.
    AttachDetach: ClassVar[ApiClient]
    #: The device taint eviction controller.
    DeviceTaintEviction: ClassVar[ApiClient]
    #: The resourceclaim controller.
    ResourceClaim: ClassVar[ApiClient]
    #: The node readiness controller.
    NodeReadiness: ClassVar[ApiClient]
    #: `kubectl drain`, that of maintenances too.
    Kubectl: ClassVar[ApiClient]


ApiClient.NodeLifecycle = ApiClient("NodeLifecycle")
ApiClient.TaintEviction = ApiClient("TaintEviction")
ApiClient.PodGc = ApiClient("PodGc")
ApiClient.GarbageCollector = ApiClient("GarbageCollector")
ApiClient.Deployment = ApiClient("Deployment")
ApiClient.ReplicaSet = ApiClient("ReplicaSet")
ApiClient.StatefulSet = ApiClient("StatefulSet")
ApiClient.DaemonSet = ApiClient("DaemonSet")
ApiClient.Job = ApiClient("Job")
ApiClient.Cloud = ApiClient("Cloud")
ApiClient.Disruption = ApiClient("Disruption")
ApiClient.Scheduler = ApiClient("Scheduler")
ApiClient.AttachDetach = ApiClient("AttachDetach")
ApiClient.DeviceTaintEviction = ApiClient("DeviceTaintEviction")
ApiClient.ResourceClaim = ApiClient("ResourceClaim")
ApiClient.NodeReadiness = ApiClient("NodeReadiness")
ApiClient.Kubectl = ApiClient("Kubectl")


class Resource(Variant):
    """A resource that controllers watch."""

    #: Nodes.
    Nodes: ClassVar[Resource]
    #: Pods.
    Pods: ClassVar[Resource]
    #: Node leases.
    Leases: ClassVar[Resource]
    #: Deployments.
    Deployments: ClassVar[Resource]
    #: ReplicaSets.
    ReplicaSets: ClassVar[Resource]
    #: StatefulSets.
    StatefulSets: ClassVar[Resource]
    #: DaemonSets.
    DaemonSets: ClassVar[Resource]
    #: Jobs.
    Jobs: ClassVar[Resource]


Resource.Nodes = Resource("Nodes")
Resource.Pods = Resource("Pods")
Resource.Leases = Resource("Leases")
Resource.Deployments = Resource("Deployments")
Resource.ReplicaSets = Resource("ReplicaSets")
Resource.StatefulSets = Resource("StatefulSets")
Resource.DaemonSets = Resource("DaemonSets")
Resource.Jobs = Resource("Jobs")


class RestartKind(Variant):
    """Who takes over when the controllers' process has died."""

    #: Another process that stands by, once the old lease has run out.
    Standby: ClassVar[RestartKind]
    #: The same one, started again: it waits out its own old lease.
    Same: ClassVar[RestartKind]


RestartKind.Standby = RestartKind("Standby")
RestartKind.Same = RestartKind("Same")


class PodSelector(Variant):
    """A set of pods."""

    #: Every pod.
    All: ClassVar[PodSelector]

    @staticmethod
    def Pod(value: str, /) -> PodSelector:
        """One pod: `"web-0"`, or `"kube-system/dns-0"`."""
        return PodSelector("Pod", (value,))

    @staticmethod
    def Pods(value: Sequence[str], /) -> PodSelector:
        """These pods; ranges as in `names` are allowed."""
        return PodSelector("Pods", (value,))

    @staticmethod
    def Group(value: str, /) -> PodSelector:
        """The pods of the group of that name."""
        return PodSelector("Group", (value,))

    @staticmethod
    def Label(value: str, /) -> PodSelector:
        """The pods that match a label selector."""
        return PodSelector("Label", (value,))


PodSelector.All = PodSelector("All")


class InstanceState(Variant):
    """What a cloud provider says of a machine."""

    #: It runs.
    Running: ClassVar[InstanceState]
    #: It is shut down: the node is tainted once it is not Ready.
    ShutDown: ClassVar[InstanceState]
    #: It does not exist: the node is deleted once it is not Ready.
    Gone: ClassVar[InstanceState]


InstanceState.Running = InstanceState("Running")
InstanceState.ShutDown = InstanceState("ShutDown")
InstanceState.Gone = InstanceState("Gone")


class Cascade(Variant):
    """`kubectl delete --cascade`: what becomes of what a workload owns."""

    #: The workload goes at once; its pods are deleted then.
    Background: ClassVar[Cascade]
    #: Its pods are deleted first, and the workload goes once they are gone.
    Foreground: ClassVar[Cascade]
    #: The pods stay, and belong to nobody.
    Orphan: ClassVar[Cascade]


Cascade.Background = Cascade("Background")
Cascade.Foreground = Cascade("Foreground")
Cascade.Orphan = Cascade("Orphan")


@dataclass(kw_only=True)
class DrainFlags(Struct):
    """The flags of `kubectl drain` in a maintenance."""
    #: `--force`: pods without a controller go, too.
    force: bool | None = None
    #: `--ignore-daemonsets`: their pods stay, and go down with the machine; true where not given,
    #: as no machine could be maintained otherwise.
    ignore_daemonsets: bool | None = None
    #: `--delete-emptydir-data`: pods with an emptyDir go, too.
    delete_emptydir_data: bool | None = None
    #: `--disable-eviction`: plain deletions, which no budget stops.
    disable_eviction: bool | None = None
    #: `--grace-period`; the pods' own where not given.
    gracePeriodSeconds: int | None = None
    #: `--timeout` of each node; it waits for ever where not given.
    timeout: DurationText | None = None
    #: `--skip-wait-for-delete-timeout`
    skip_wait_for_delete_timeout: DurationText | None = None


class Afterwards(Variant):
    """What comes of a node that is Ready again after its maintenance."""

    #: It is uncordoned.
    Uncordon: ClassVar[Afterwards]
    #: It stays cordoned.
    Leave: ClassVar[Afterwards]


Afterwards.Uncordon = Afterwards("Uncordon")
Afterwards.Leave = Afterwards("Leave")


class IfNotDrained(Variant):
    """What a maintenance does if the drain of a node fails or times out."""

    #: The node stays cordoned and on; no further node begins, and those under way are finished.
    Stop: ClassVar[IfNotDrained]
    #: The node is uncordoned and left as it is; the next one begins.
    Skip: ClassVar[IfNotDrained]
    #: The machine goes off all the same, with the pods that are left on it.
    GoOn: ClassVar[IfNotDrained]


IfNotDrained.Stop = IfNotDrained("Stop")
IfNotDrained.Skip = IfNotDrained("Skip")
IfNotDrained.GoOn = IfNotDrained("GoOn")


@dataclass(kw_only=True)
class Faults(Struct):
    """How the cluster fails, beside what the timeline says."""
    #: The kinds of faults.
    models: Sequence[FaultModel]
    #: What the provider does about machines that are away for long.
    repair: Repair | None = None


@dataclass(kw_only=True)
class FaultModel(Struct):
    """One kind of fault: what fails, how often, and for how long."""
    #: Its name, of which the draws depend.
    name: str
    #: Each of these nodes fails by itself.
    nodes: NodeSelector | None = None
    #: Each of these groups of nodes fails as one.
    groups: FaultGroups | None = None
    #: What happens.
    do: FaultAct
    #: How often.
    rate: FaultRate | None = None
    #: How long it runs between an outage and the next one, in place of a rate.
    up: Distribution | None = None
    #: How long an outage lasts.
    lasts: Distribution | None = None
    #: Which part of a group's nodes an outage takes, above 0 and at most 1; all where not given.
    hits: float | None = None
    #: The nodes of a group go down one by one, evenly drawn over this span; at once where not
    #: given.
    within: DurationText | None = None
    #: Nodes of a group come back each after a time of its own, instead of all at one time.
    apart: bool | None = None
    #: Outages as they were recorded, in place of rates and distributions.
    trace: FaultTrace | None = None


class FaultGroups(Variant):
    """Groups of nodes that fail as one."""

    #: The nodes of each zone.
    Zones: ClassVar[FaultGroups]
    #: The nodes of each region.
    Regions: ClassVar[FaultGroups]
    #: All nodes.
    Cluster: ClassVar[FaultGroups]

    @staticmethod
    def ByLabel(value: str, /) -> FaultGroups:
        """The nodes with the same value of this label: `ByLabel("rack")`."""
        return FaultGroups("ByLabel", (value,))


FaultGroups.Zones = FaultGroups("Zones")
FaultGroups.Regions = FaultGroups("Regions")
FaultGroups.Cluster = FaultGroups("Cluster")


class FaultAct(Variant):
    """What a fault does."""

    #: Machines stop, and boot at the end.
    Crash: ClassVar[FaultAct]
    #: Nodes are drained, their machines are off for a while and boot.
    Maintain: ClassVar[FaultAct]

    @staticmethod
    def Partition(*, cut: Cut | None = None) -> FaultAct:
        """Nodes are cut off."""
        return FaultAct("Partition", {"cut": cut})

    @staticmethod
    def Reclaim(
        *, notice: DurationText, replaced: DurationText, unheeded: bool | None = None
    ) -> FaultAct:
        """A machine is taken back for good, and another one comes in its place."""
        return FaultAct("Reclaim", {"notice": notice, "unheeded": unheeded, "replaced": replaced})


FaultAct.Crash = FaultAct("Crash")
FaultAct.Maintain = FaultAct("Maintain")


class FaultRate(Variant):
    """How often something fails, on average. A year has 365 days."""

    @staticmethod
    def PerNodeYear(value: float, /) -> FaultRate:
        """So many times a year, each node."""
        return FaultRate("PerNodeYear", (value,))

    @staticmethod
    def PerGroupYear(value: float, /) -> FaultRate:
        """So many times a year, each group."""
        return FaultRate("PerGroupYear", (value,))


@dataclass(kw_only=True)
class FaultTrace(Struct):
    """Outages as they were recorded. Where no node of the file is called as one of the cluster,
    they are dealt out. Each seed begins at another place of the file, and goes on at its
    beginning.
    """
    #: The file; its path is relative to the scenario.
    file: str
    #: Its form; told by its content where not given.
    format: HistoryFormat | None = None


class HistoryFormat(Variant):
    """The form of a history of outages."""

    #: `node,start,end` with a heading; seconds or RFC 3339. A node without times never failed.
    Csv: ClassVar[HistoryFormat]
    #: A range of `kube_node_status_condition{condition="Ready"}`, as JSON, one or several.
    Prometheus: ClassVar[HistoryFormat]
    #: `event_trace.tab` of the Failure Trace Archive.
    Fta: ClassVar[HistoryFormat]
    #: Machine events of Google's cluster data, CSV of 2011 or JSON lines of 2019.
    Google: ClassVar[HistoryFormat]
    #: A state file of SimGrid.
    SimGrid: ClassVar[HistoryFormat]


HistoryFormat.Csv = HistoryFormat("Csv")
HistoryFormat.Prometheus = HistoryFormat("Prometheus")
HistoryFormat.Fta = HistoryFormat("Fta")
HistoryFormat.Google = HistoryFormat("Google")
HistoryFormat.SimGrid = HistoryFormat("SimGrid")


@dataclass(kw_only=True)
class Repair(Struct):
    """What the provider does about machines that are away for long."""
    #: How long a node is away before something is done.
    after: DurationText
    #: What is done.
    do: RepairAct
    #: How long that takes.
    takes: DurationText
    #: Nothing is done while more than this part of all nodes is away.
    unless_share: float | None = None


class RepairAct(Variant):
    """How a machine is repaired."""

    #: It is started again.
    Reboot: ClassVar[RepairAct]
    #: Its node is deleted, and another machine joins under its name.
    Replace: ClassVar[RepairAct]


RepairAct.Reboot = RepairAct("Reboot")
RepairAct.Replace = RepairAct("Replace")


@dataclass(kw_only=True)
class Prices(Struct):
    """What figures of a year are worth to whoever plans. Without a currency a price is downtime of
    one replica: a duration, or a number of replica-minutes.
    """
    #: What prices are counted in; then every figure that counts needs one, and all are numbers.
    currency: str | None = None
    #: A minute of a replica that is missing; 1 without a currency.
    missing: FlagValue | None = None
    #: A minute in which a workload is below what it needs.
    below: FlagValue | None = None
    #: A minute of requests that are lost.
    lost: FlagValue | None = None
    #: An eviction.
    evicted: FlagValue | None = None
    #: An eviction that was needless, beside its price as an eviction.
    needless: FlagValue | None = None
    #: A restart of a container.
    restarts: FlagValue | None = None
    #: A minute in which a pod waits for a node.
    pending: FlagValue | None = None
    #: A minute of a pod that runs although it was deleted.
    ghosts: FlagValue | None = None
    #: An hour of a node, used or spare.
    node_hour: FlagValue | None = None


@dataclass(kw_only=True)
class Tape(Struct):
    """The choices of a run: `tape: (choices: 1, deviations: [("next", "eviction:default/db-0", 0,
    1)])`.
    """
    #: The number of the choice format that it was written in.
    choices: int
    #: The release that it was found on, `1.34.4`, and is a tape of; one without is tried on
    #: whatever release the scenario runs as.
    release: str | None = None
    #: Which kinds of trouble are left to the choices: `stale`, `crash`, `coalesce`, `request`,
    #: and of one alone `request of taint-eviction`.
    perturb: Sequence[str] | None = None
    #: The property that the run violates.
    property: str | None = None
    #: The deviations from the default order.
    deviations: Sequence[Deviation] | None = None


#: Point, object, ordinal, value: the how many-th choice for the object at the point, from 0, and
#: what to choose.
Deviation: TypeAlias = "tuple[str, str, int, int]"


class Expectation(Variant):
    """One expectation."""

    @staticmethod
    def Evicted(
        *, by: str | None = None, pod: str | None = None, pods: PodSelector | None = None, workload:
        str | None = None, label: str | None = None, namespace: str | None = None, node: str | None
        = None, nodes: NodeSelector | None = None, zone: str | None = None, count: FlagValue | None
        = None, at: OneOrMany | None = None, after: TimeText | None = None, before: TimeText | None
        = None, between: tuple[TimeText, TimeText] | None = None, first: tuple[TimeText, TimeText] |
        None = None, spread: str | None = None, during: tuple[TimeText, TimeText] | None = None
    ) -> Expectation:
        """Pods are evicted: `Evicted(workload: "web", after: "cut b + 110s", before: "cut b +
        4m")`
        """
        return Expectation(
            "Evicted", {"by": by, "pod": pod, "pods": pods, "workload": workload, "label": label,
            "namespace": namespace, "node": node, "nodes": nodes, "zone": zone, "count": count,
            "at": at, "after": after, "before": before, "between": between, "first": first,
            "spread": spread, "during": during}
        )

    @staticmethod
    def NotEvicted(
        *, by: str | None = None, pod: str | None = None, pods: PodSelector | None = None, workload:
        str | None = None, label: str | None = None, namespace: str | None = None, node: str | None
        = None, nodes: NodeSelector | None = None, zone: str | None = None, during: tuple[TimeText,
        TimeText] | None = None
    ) -> Expectation:
        """Pods are not evicted: `NotEvicted(namespace: "kube-system")`"""
        return Expectation(
            "NotEvicted", {"by": by, "pod": pod, "pods": pods, "workload": workload, "label": label,
            "namespace": namespace, "node": node, "nodes": nodes, "zone": zone, "during": during}
        )

    @staticmethod
    def Deleted(
        *, by: str | None = None, pod: str | None = None, pods: PodSelector | None = None, workload:
        str | None = None, label: str | None = None, namespace: str | None = None, node: str | None
        = None, nodes: NodeSelector | None = None, zone: str | None = None, count: FlagValue | None
        = None, at: OneOrMany | None = None, after: TimeText | None = None, before: TimeText | None
        = None, between: tuple[TimeText, TimeText] | None = None, first: tuple[TimeText, TimeText] |
        None = None, spread: str | None = None, during: tuple[TimeText, TimeText] | None = None
    ) -> Expectation:
        """The deletion of pods begins, by whomever: `Deleted(pod: "web-0", by: "user", count: 1)`"""
        return Expectation(
            "Deleted", {"by": by, "pod": pod, "pods": pods, "workload": workload, "label": label,
            "namespace": namespace, "node": node, "nodes": nodes, "zone": zone, "count": count,
            "at": at, "after": after, "before": before, "between": between, "first": first,
            "spread": spread, "during": during}
        )

    @staticmethod
    def Gone(
        *, pod: str | None = None, pods: PodSelector | None = None, workload: str | None = None,
        label: str | None = None, namespace: str | None = None, node: str | None = None, nodes:
        NodeSelector | None = None, zone: str | None = None, count: FlagValue | None = None, at:
        OneOrMany | None = None, after: TimeText | None = None, before: TimeText | None = None,
        between: tuple[TimeText, TimeText] | None = None, first: tuple[TimeText, TimeText] | None =
        None, spread: str | None = None, during: tuple[TimeText, TimeText] | None = None
    ) -> Expectation:
        """Pod objects are gone: `Gone(workload: "db", count: 1, after: "10m")`"""
        return Expectation(
            "Gone", {"pod": pod, "pods": pods, "workload": workload, "label": label, "namespace":
            namespace, "node": node, "nodes": nodes, "zone": zone, "count": count, "at": at,
            "after": after, "before": before, "between": between, "first": first, "spread": spread,
            "during": during}
        )

    @staticmethod
    def Created(
        *, pod: str | None = None, pods: PodSelector | None = None, workload: str | None = None,
        label: str | None = None, namespace: str | None = None, node: str | None = None, nodes:
        NodeSelector | None = None, zone: str | None = None, count: FlagValue | None = None, at:
        OneOrMany | None = None, after: TimeText | None = None, before: TimeText | None = None,
        between: tuple[TimeText, TimeText] | None = None, first: tuple[TimeText, TimeText] | None =
        None, spread: str | None = None, during: tuple[TimeText, TimeText] | None = None
    ) -> Expectation:
        """Pods are created, mostly on no node yet: `Created(workload: "web", count: 20)`"""
        return Expectation(
            "Created", {"pod": pod, "pods": pods, "workload": workload, "label": label, "namespace":
            namespace, "node": node, "nodes": nodes, "zone": zone, "count": count, "at": at,
            "after": after, "before": before, "between": between, "first": first, "spread": spread,
            "during": during}
        )

    @staticmethod
    def Bound(
        *, pod: str | None = None, pods: PodSelector | None = None, workload: str | None = None,
        label: str | None = None, namespace: str | None = None, node: str | None = None, nodes:
        NodeSelector | None = None, zone: str | None = None, count: FlagValue | None = None, at:
        OneOrMany | None = None, after: TimeText | None = None, before: TimeText | None = None,
        between: tuple[TimeText, TimeText] | None = None, first: tuple[TimeText, TimeText] | None =
        None, spread: str | None = None, during: tuple[TimeText, TimeText] | None = None
    ) -> Expectation:
        """Pods are bound: `Bound(workload: "web", zone: "a", count: "18..20")`"""
        return Expectation(
            "Bound", {"pod": pod, "pods": pods, "workload": workload, "label": label, "namespace":
            namespace, "node": node, "nodes": nodes, "zone": zone, "count": count, "at": at,
            "after": after, "before": before, "between": between, "first": first, "spread": spread,
            "during": during}
        )

    @staticmethod
    def Phase(
        *, phase: Phase, pod: str | None = None, pods: PodSelector | None = None, workload: str |
        None = None, label: str | None = None, namespace: str | None = None, node: str | None =
        None, nodes: NodeSelector | None = None, zone: str | None = None, count: FlagValue | None =
        None, at: OneOrMany | None = None, after: TimeText | None = None, before: TimeText | None =
        None, between: tuple[TimeText, TimeText] | None = None, first: tuple[TimeText, TimeText] |
        None = None, spread: str | None = None, during: tuple[TimeText, TimeText] | None = None
    ) -> Expectation:
        """Pods come into a phase: `Phase(workload: "web", phase: Running, count: 20)`"""
        return Expectation(
            "Phase", {"phase": phase, "pod": pod, "pods": pods, "workload": workload, "label":
            label, "namespace": namespace, "node": node, "nodes": nodes, "zone": zone, "count":
            count, "at": at, "after": after, "before": before, "between": between, "first": first,
            "spread": spread, "during": during}
        )

    @staticmethod
    def PodCondition(
        *, type: PodConditionType, status: Status, pod: str | None = None, pods: PodSelector | None
        = None, workload: str | None = None, label: str | None = None, namespace: str | None = None,
        node: str | None = None, nodes: NodeSelector | None = None, zone: str | None = None, count:
        FlagValue | None = None, at: OneOrMany | None = None, after: TimeText | None = None, before:
        TimeText | None = None, between: tuple[TimeText, TimeText] | None = None, first:
        tuple[TimeText, TimeText] | None = None, spread: str | None = None, during: tuple[TimeText,
        TimeText] | None = None
    ) -> Expectation:
        """A condition of pods changes: `PodCondition(workload: "web", type: Ready, status: False,
        count: 10)`
        """
        return Expectation(
            "PodCondition", {"type": type, "status": status, "pod": pod, "pods": pods, "workload":
            workload, "label": label, "namespace": namespace, "node": node, "nodes": nodes, "zone":
            zone, "count": count, "at": at, "after": after, "before": before, "between": between,
            "first": first, "spread": spread, "during": during}
        )

    @staticmethod
    def TimerSet(
        *, pod: str | None = None, pods: PodSelector | None = None, workload: str | None = None,
        label: str | None = None, namespace: str | None = None, node: str | None = None, nodes:
        NodeSelector | None = None, zone: str | None = None, count: FlagValue | None = None, at:
        OneOrMany | None = None, after: TimeText | None = None, before: TimeText | None = None,
        between: tuple[TimeText, TimeText] | None = None, first: tuple[TimeText, TimeText] | None =
        None, spread: str | None = None, during: tuple[TimeText, TimeText] | None = None
    ) -> Expectation:
        """Eviction timers are set: `TimerSet(workload: "web", count: 10)`"""
        return Expectation(
            "TimerSet", {"pod": pod, "pods": pods, "workload": workload, "label": label,
            "namespace": namespace, "node": node, "nodes": nodes, "zone": zone, "count": count,
            "at": at, "after": after, "before": before, "between": between, "first": first,
            "spread": spread, "during": during}
        )

    @staticmethod
    def TimerCancelled(
        *, pod: str | None = None, pods: PodSelector | None = None, workload: str | None = None,
        label: str | None = None, namespace: str | None = None, node: str | None = None, nodes:
        NodeSelector | None = None, zone: str | None = None, count: FlagValue | None = None, at:
        OneOrMany | None = None, after: TimeText | None = None, before: TimeText | None = None,
        between: tuple[TimeText, TimeText] | None = None, first: tuple[TimeText, TimeText] | None =
        None, spread: str | None = None, during: tuple[TimeText, TimeText] | None = None
    ) -> Expectation:
        """Eviction timers are cancelled: `TimerCancelled(pod: "web-0", count: 1)`"""
        return Expectation(
            "TimerCancelled", {"pod": pod, "pods": pods, "workload": workload, "label": label,
            "namespace": namespace, "node": node, "nodes": nodes, "zone": zone, "count": count,
            "at": at, "after": after, "before": before, "between": between, "first": first,
            "spread": spread, "during": during}
        )

    @staticmethod
    def EvictionFailed(
        *, pod: str | None = None, pods: PodSelector | None = None, workload: str | None = None,
        label: str | None = None, namespace: str | None = None, node: str | None = None, nodes:
        NodeSelector | None = None, zone: str | None = None, count: FlagValue | None = None, at:
        OneOrMany | None = None, after: TimeText | None = None, before: TimeText | None = None,
        between: tuple[TimeText, TimeText] | None = None, first: tuple[TimeText, TimeText] | None =
        None, spread: str | None = None, during: tuple[TimeText, TimeText] | None = None
    ) -> Expectation:
        """Pods could not be deleted in five tries: `EvictionFailed(pod: "web-0", count: 1)`"""
        return Expectation(
            "EvictionFailed", {"pod": pod, "pods": pods, "workload": workload, "label": label,
            "namespace": namespace, "node": node, "nodes": nodes, "zone": zone, "count": count,
            "at": at, "after": after, "before": before, "between": between, "first": first,
            "spread": spread, "during": during}
        )

    @staticmethod
    def Pending(
        *, at: TimeText | None = None, reason: str | None = None, pod: str | None = None, pods:
        PodSelector | None = None, workload: str | None = None, label: str | None = None, namespace:
        str | None = None, count: FlagValue | None = None
    ) -> Expectation:
        """Pods wait at a moment, the end of the run where none is given: `Pending(workload: "web",
        count: 3, reason: "Insufficient cpu")`
        """
        return Expectation(
            "Pending", {"at": at, "reason": reason, "pod": pod, "pods": pods, "workload": workload,
            "label": label, "namespace": namespace, "count": count}
        )

    @staticmethod
    def Tainted(
        *, taint: str, node: str | None = None, nodes: NodeSelector | None = None, zone: str | None
        = None, count: FlagValue | None = None, at: OneOrMany | None = None, after: TimeText | None
        = None, before: TimeText | None = None, between: tuple[TimeText, TimeText] | None = None,
        first: tuple[TimeText, TimeText] | None = None, spread: str | None = None, during:
        tuple[TimeText, TimeText] | None = None
    ) -> Expectation:
        """Taints are added to nodes: `Tainted(zone: "b", taint: "unreachable:NoExecute", count:
        12)`
        """
        return Expectation(
            "Tainted", {"taint": taint, "node": node, "nodes": nodes, "zone": zone, "count": count,
            "at": at, "after": after, "before": before, "between": between, "first": first,
            "spread": spread, "during": during}
        )

    @staticmethod
    def Untainted(
        *, taint: str, node: str | None = None, nodes: NodeSelector | None = None, zone: str | None
        = None, count: FlagValue | None = None, at: OneOrMany | None = None, after: TimeText | None
        = None, before: TimeText | None = None, between: tuple[TimeText, TimeText] | None = None,
        first: tuple[TimeText, TimeText] | None = None, spread: str | None = None, during:
        tuple[TimeText, TimeText] | None = None
    ) -> Expectation:
        """Taints of nodes are removed: `Untainted(zone: "b", taint: "unreachable:NoExecute",
        after: "end of cut b")`
        """
        return Expectation(
            "Untainted", {"taint": taint, "node": node, "nodes": nodes, "zone": zone, "count":
            count, "at": at, "after": after, "before": before, "between": between, "first": first,
            "spread": spread, "during": during}
        )

    @staticmethod
    def Condition(
        *, type: ConditionKind, status: Status, node: str | None = None, nodes: NodeSelector | None
        = None, zone: str | None = None, count: FlagValue | None = None, at: OneOrMany | None =
        None, after: TimeText | None = None, before: TimeText | None = None, between:
        tuple[TimeText, TimeText] | None = None, first: tuple[TimeText, TimeText] | None = None,
        spread: str | None = None, during: tuple[TimeText, TimeText] | None = None
    ) -> Expectation:
        """A condition of nodes changes: `Condition(zone: "b", type: Ready, status: Unknown, count:
        "all")`
        """
        return Expectation(
            "Condition", {"type": type, "status": status, "node": node, "nodes": nodes, "zone":
            zone, "count": count, "at": at, "after": after, "before": before, "between": between,
            "first": first, "spread": spread, "during": during}
        )

    @staticmethod
    def Cordoned(
        *, node: str | None = None, nodes: NodeSelector | None = None, zone: str | None = None,
        count: FlagValue | None = None, at: OneOrMany | None = None, after: TimeText | None = None,
        before: TimeText | None = None, between: tuple[TimeText, TimeText] | None = None, first:
        tuple[TimeText, TimeText] | None = None, spread: str | None = None, during: tuple[TimeText,
        TimeText] | None = None
    ) -> Expectation:
        """Nodes are cordoned: `Cordoned(node: "a-00", at: "5m")`"""
        return Expectation(
            "Cordoned", {"node": node, "nodes": nodes, "zone": zone, "count": count, "at": at,
            "after": after, "before": before, "between": between, "first": first, "spread": spread,
            "during": during}
        )

    @staticmethod
    def Uncordoned(
        *, node: str | None = None, nodes: NodeSelector | None = None, zone: str | None = None,
        count: FlagValue | None = None, at: OneOrMany | None = None, after: TimeText | None = None,
        before: TimeText | None = None, between: tuple[TimeText, TimeText] | None = None, first:
        tuple[TimeText, TimeText] | None = None, spread: str | None = None, during: tuple[TimeText,
        TimeText] | None = None
    ) -> Expectation:
        """Nodes are uncordoned: `Uncordoned(node: "a-00", after: "10m")`"""
        return Expectation(
            "Uncordoned", {"node": node, "nodes": nodes, "zone": zone, "count": count, "at": at,
            "after": after, "before": before, "between": between, "first": first, "spread": spread,
            "during": during}
        )

    @staticmethod
    def ZoneState(
        *, state: ZoneState, node: str | None = None, nodes: NodeSelector | None = None, zone: str |
        None = None, count: FlagValue | None = None, at: OneOrMany | None = None, after: TimeText |
        None = None, before: TimeText | None = None, between: tuple[TimeText, TimeText] | None =
        None, first: tuple[TimeText, TimeText] | None = None, spread: str | None = None, during:
        tuple[TimeText, TimeText] | None = None
    ) -> Expectation:
        """A zone comes into a state: `ZoneState(zone: "b", state: FullDisruption, count: 1)`"""
        return Expectation(
            "ZoneState", {"state": state, "node": node, "nodes": nodes, "zone": zone, "count":
            count, "at": at, "after": after, "before": before, "between": between, "first": first,
            "spread": spread, "during": during}
        )

    @staticmethod
    def MasterDisruption(
        *, state: DisruptionState, node: str | None = None, nodes: NodeSelector | None = None, zone:
        str | None = None, count: FlagValue | None = None, at: OneOrMany | None = None, after:
        TimeText | None = None, before: TimeText | None = None, between: tuple[TimeText, TimeText] |
        None = None, first: tuple[TimeText, TimeText] | None = None, spread: str | None = None,
        during: tuple[TimeText, TimeText] | None = None
    ) -> Expectation:
        """Master disruption begins or ends: `MasterDisruption(state: Entered, at: "105s")`"""
        return Expectation(
            "MasterDisruption", {"state": state, "node": node, "nodes": nodes, "zone": zone,
            "count": count, "at": at, "after": after, "before": before, "between": between, "first":
            first, "spread": spread, "during": during}
        )

    @staticmethod
    def Event(
        *, reason: str, message: str | None = None, object: str | None = None, pod: str | None =
        None, pods: PodSelector | None = None, workload: str | None = None, label: str | None =
        None, namespace: str | None = None, node: str | None = None, nodes: NodeSelector | None =
        None, zone: str | None = None, count: FlagValue | None = None, at: OneOrMany | None = None,
        after: TimeText | None = None, before: TimeText | None = None, between: tuple[TimeText,
        TimeText] | None = None, first: tuple[TimeText, TimeText] | None = None, spread: str | None
        = None, during: tuple[TimeText, TimeText] | None = None
    ) -> Expectation:
        """Events are stored: `Event(reason: "TaintManagerEviction", workload: "web", count:
        "1..")`
        """
        return Expectation(
            "Event", {"reason": reason, "message": message, "object": object, "pod": pod, "pods":
            pods, "workload": workload, "label": label, "namespace": namespace, "node": node,
            "nodes": nodes, "zone": zone, "count": count, "at": at, "after": after, "before":
            before, "between": between, "first": first, "spread": spread, "during": during}
        )

    @staticmethod
    def Order(value: Sequence[Expectation], /) -> Expectation:
        """The first of each comes in this order: `Order([Tainted(node: "b-00", taint:
        "unreachable:NoExecute"), Evicted(node: "b-00")])`
        """
        return Expectation("Order", (value,))

    @staticmethod
    def AtLeast(
        *, of: Quantity, is_: FlagValue, longest: DurationText | None = None, during:
        tuple[TimeText, TimeText] | None = None
    ) -> Expectation:
        """A figure is the limit or more at every moment: `AtLeast(of: available("web"), is: 8)`"""
        return Expectation("AtLeast", {"of": of, "is": is_, "longest": longest, "during": during})

    @staticmethod
    def AtMost(
        *, of: Quantity, is_: FlagValue, longest: DurationText | None = None, during:
        tuple[TimeText, TimeText] | None = None
    ) -> Expectation:
        """A figure is the limit or less at every moment, and above zero no longer than `longest`
        at a stretch: `AtMost(of: unavailable("db"), is: 1, longest: "8m")`; `AtMost(of:
        longest_gap("db"), is: "8m")`
        """
        return Expectation("AtMost", {"of": of, "is": is_, "longest": longest, "during": during})

    @staticmethod
    def Equal(
        *, of: Quantity, is_: FlagValue, longest: DurationText | None = None, during:
        tuple[TimeText, TimeText] | None = None
    ) -> Expectation:
        """A figure is the limit at every moment, or one of the whole run is: `Equal(of:
        evicted("db"), is: 0)`
        """
        return Expectation("Equal", {"of": of, "is": is_, "longest": longest, "during": during})

    @staticmethod
    def Always(value: Claim, /) -> Expectation:
        """It holds at every moment: `Always(AnyOf([AtLeast(of: available("web"), is: 8),
        AtMost(of: timers("*"), is: 0)]))`
        """
        return Expectation("Always", (value,))

    @staticmethod
    def Never(value: Claim, /) -> Expectation:
        """It holds at no moment, or a property is never violated: `Never(PodStuck)`"""
        return Expectation("Never", (value,))

    @staticmethod
    def Violates(value: Claim, /) -> Expectation:
        """A property is violated, as it is where a release has a known defect:
        `Violates(PodStuck)`
        """
        return Expectation("Violates", (value,))

    @staticmethod
    def Eventually(
        *, that: Claim, after: TimeText | None = None, within: DurationText | None = None
    ) -> Expectation:
        """It holds at some moment: `Eventually(that: AtMost(of: unavailable("web"), is: 0), after:
        "cut b", within: "15m")`
        """
        return Expectation("Eventually", {"that": that, "after": after, "within": within})

    @staticmethod
    def Until(*, that: Claim, until: Claim, after: TimeText | None = None) -> Expectation:
        """It holds until something else does, which does come: `Until(that: AtMost(of:
        evicted("*"), is: 0), until: AtLeast(of: not_ready_nodes("b"), is: 12))`
        """
        return Expectation("Until", {"that": that, "until": until, "after": after})

    @staticmethod
    def Whenever(
        *, that: Expectation, then: Expectation, each: Each | None = None, within: DurationText |
        None = None
    ) -> Expectation:
        """Whenever the one comes, the other follows: `Whenever(that: Evicted(workload: "web"),
        then: Phase(workload: "web", phase: Running), each: Workload, within: "60s")`
        """
        return Expectation("Whenever", {"that": that, "then": then, "each": each, "within": within})

    @staticmethod
    def Mostly(*, in_at_least: float, that: Expectation) -> Expectation:
        """With `seeds`, it holds in so large a part of the runs: `Mostly(in_at_least: 0.95, that:
        Evicted(workload: "web", before: "14m"))`
        """
        return Expectation("Mostly", {"in_at_least": in_at_least, "that": that})


@dataclass(kw_only=True)
class EvictedSeen(Struct):
    """Pods that are evicted."""
    #: By what, under the names of `evictions.csv`: `taint-eviction`, `api-eviction` (a drain),
    #: `drain-delete`, `pod-eviction-timeout`; by any of them where not given.
    by: str | None = None
    #: The pod of that name, `web-0` or `namespace/name`; `*` stands for any letters.
    pod: str | None = None
    #: These pods.
    pods: PodSelector | None = None
    #: The pods of that workload, `web` or `Deployment/web`; or of that group of pods, or owner.
    workload: str | None = None
    #: Only pods with labels that match: `"app=web,tier!=cache"`.
    label: str | None = None
    #: Only pods of that namespace.
    namespace: str | None = None
    #: Only on that node; `*` stands for any letters.
    node: str | None = None
    #: Only on these nodes.
    nodes: NodeSelector | None = None
    #: Only in that zone.
    zone: str | None = None
    #: How often: `3`, `"2..5"`, `"2.."`, `"..5"`, or `"all"` for once or more of each selected
    #: object. At least once where not given.
    count: FlagValue | None = None
    #: It happens at exactly these times, to the millisecond, once at each, or as often as `"3x
    #: 10m"` says; with a `count`, once or more.
    at: OneOrMany | None = None
    #: None of it happens before this time.
    after: TimeText | None = None
    #: None of it happens after this time.
    before: TimeText | None = None
    #: All of it happens in this stretch; `after` and `before` in one.
    between: tuple[TimeText, TimeText] | None = None
    #: The first of it happens in this stretch.
    first: tuple[TimeText, TimeText] | None = None
    #: From the first of it to the last: `"90s"`, `"90s..2m"`, `"90s.."`, `"..2m"`.
    spread: str | None = None
    #: Look only at this stretch of the run; what happens outside of it does not matter.
    during: tuple[TimeText, TimeText] | None = None


@dataclass(kw_only=True)
class NotEvicted(Struct):
    """Pods of which none may be evicted."""
    #: By what, as of `Evicted`.
    by: str | None = None
    #: The pod of that name, `web-0` or `namespace/name`; `*` stands for any letters.
    pod: str | None = None
    #: These pods.
    pods: PodSelector | None = None
    #: The pods of that workload, `web` or `Deployment/web`; or of that group of pods, or owner.
    workload: str | None = None
    #: Only pods with labels that match: `"app=web,tier!=cache"`.
    label: str | None = None
    #: Only pods of that namespace.
    namespace: str | None = None
    #: Only on that node; `*` stands for any letters.
    node: str | None = None
    #: Only on these nodes.
    nodes: NodeSelector | None = None
    #: Only in that zone.
    zone: str | None = None
    #: Look only at this stretch of the run; what happens outside of it does not matter.
    during: tuple[TimeText, TimeText] | None = None


@dataclass(kw_only=True)
class DeletedSeen(Struct):
    """Pods whose deletion begins."""
    #: By whom, under the names of `events.jsonl`: `user`, `taint-eviction`, `pod-gc`,
    #: `replicaset`, …
    by: str | None = None
    #: The pod of that name, `web-0` or `namespace/name`; `*` stands for any letters.
    pod: str | None = None
    #: These pods.
    pods: PodSelector | None = None
    #: The pods of that workload, `web` or `Deployment/web`; or of that group of pods, or owner.
    workload: str | None = None
    #: Only pods with labels that match: `"app=web,tier!=cache"`.
    label: str | None = None
    #: Only pods of that namespace.
    namespace: str | None = None
    #: Only on that node; `*` stands for any letters.
    node: str | None = None
    #: Only on these nodes.
    nodes: NodeSelector | None = None
    #: Only in that zone.
    zone: str | None = None
    #: How often: `3`, `"2..5"`, `"2.."`, `"..5"`, or `"all"` for once or more of each selected
    #: object. At least once where not given.
    count: FlagValue | None = None
    #: It happens at exactly these times, to the millisecond, once at each, or as often as `"3x
    #: 10m"` says; with a `count`, once or more.
    at: OneOrMany | None = None
    #: None of it happens before this time.
    after: TimeText | None = None
    #: None of it happens after this time.
    before: TimeText | None = None
    #: All of it happens in this stretch; `after` and `before` in one.
    between: tuple[TimeText, TimeText] | None = None
    #: The first of it happens in this stretch.
    first: tuple[TimeText, TimeText] | None = None
    #: From the first of it to the last: `"90s"`, `"90s..2m"`, `"90s.."`, `"..2m"`.
    spread: str | None = None
    #: Look only at this stretch of the run; what happens outside of it does not matter.
    during: tuple[TimeText, TimeText] | None = None


@dataclass(kw_only=True)
class PodsSeen(Struct):
    """Something that happens to pods."""
    #: The pod of that name, `web-0` or `namespace/name`; `*` stands for any letters.
    pod: str | None = None
    #: These pods.
    pods: PodSelector | None = None
    #: The pods of that workload, `web` or `Deployment/web`; or of that group of pods, or owner.
    workload: str | None = None
    #: Only pods with labels that match: `"app=web,tier!=cache"`.
    label: str | None = None
    #: Only pods of that namespace.
    namespace: str | None = None
    #: Only on that node; `*` stands for any letters.
    node: str | None = None
    #: Only on these nodes.
    nodes: NodeSelector | None = None
    #: Only in that zone.
    zone: str | None = None
    #: How often: `3`, `"2..5"`, `"2.."`, `"..5"`, or `"all"` for once or more of each selected
    #: object. At least once where not given.
    count: FlagValue | None = None
    #: It happens at exactly these times, to the millisecond, once at each, or as often as `"3x
    #: 10m"` says; with a `count`, once or more.
    at: OneOrMany | None = None
    #: None of it happens before this time.
    after: TimeText | None = None
    #: None of it happens after this time.
    before: TimeText | None = None
    #: All of it happens in this stretch; `after` and `before` in one.
    between: tuple[TimeText, TimeText] | None = None
    #: The first of it happens in this stretch.
    first: tuple[TimeText, TimeText] | None = None
    #: From the first of it to the last: `"90s"`, `"90s..2m"`, `"90s.."`, `"..2m"`.
    spread: str | None = None
    #: Look only at this stretch of the run; what happens outside of it does not matter.
    during: tuple[TimeText, TimeText] | None = None


@dataclass(kw_only=True)
class PhaseSeen(Struct):
    """Pods that come into a phase."""
    #: Which phase.
    phase: Phase
    #: The pod of that name, `web-0` or `namespace/name`; `*` stands for any letters.
    pod: str | None = None
    #: These pods.
    pods: PodSelector | None = None
    #: The pods of that workload, `web` or `Deployment/web`; or of that group of pods, or owner.
    workload: str | None = None
    #: Only pods with labels that match: `"app=web,tier!=cache"`.
    label: str | None = None
    #: Only pods of that namespace.
    namespace: str | None = None
    #: Only on that node; `*` stands for any letters.
    node: str | None = None
    #: Only on these nodes.
    nodes: NodeSelector | None = None
    #: Only in that zone.
    zone: str | None = None
    #: How often: `3`, `"2..5"`, `"2.."`, `"..5"`, or `"all"` for once or more of each selected
    #: object. At least once where not given.
    count: FlagValue | None = None
    #: It happens at exactly these times, to the millisecond, once at each, or as often as `"3x
    #: 10m"` says; with a `count`, once or more.
    at: OneOrMany | None = None
    #: None of it happens before this time.
    after: TimeText | None = None
    #: None of it happens after this time.
    before: TimeText | None = None
    #: All of it happens in this stretch; `after` and `before` in one.
    between: tuple[TimeText, TimeText] | None = None
    #: The first of it happens in this stretch.
    first: tuple[TimeText, TimeText] | None = None
    #: From the first of it to the last: `"90s"`, `"90s..2m"`, `"90s.."`, `"..2m"`.
    spread: str | None = None
    #: Look only at this stretch of the run; what happens outside of it does not matter.
    during: tuple[TimeText, TimeText] | None = None


@dataclass(kw_only=True)
class PodConditionSeen(Struct):
    """A condition of pods that changes."""
    #: Which condition.
    type: PodConditionType
    #: Its new status.
    status: Status
    #: The pod of that name, `web-0` or `namespace/name`; `*` stands for any letters.
    pod: str | None = None
    #: These pods.
    pods: PodSelector | None = None
    #: The pods of that workload, `web` or `Deployment/web`; or of that group of pods, or owner.
    workload: str | None = None
    #: Only pods with labels that match: `"app=web,tier!=cache"`.
    label: str | None = None
    #: Only pods of that namespace.
    namespace: str | None = None
    #: Only on that node; `*` stands for any letters.
    node: str | None = None
    #: Only on these nodes.
    nodes: NodeSelector | None = None
    #: Only in that zone.
    zone: str | None = None
    #: How often: `3`, `"2..5"`, `"2.."`, `"..5"`, or `"all"` for once or more of each selected
    #: object. At least once where not given.
    count: FlagValue | None = None
    #: It happens at exactly these times, to the millisecond, once at each, or as often as `"3x
    #: 10m"` says; with a `count`, once or more.
    at: OneOrMany | None = None
    #: None of it happens before this time.
    after: TimeText | None = None
    #: None of it happens after this time.
    before: TimeText | None = None
    #: All of it happens in this stretch; `after` and `before` in one.
    between: tuple[TimeText, TimeText] | None = None
    #: The first of it happens in this stretch.
    first: tuple[TimeText, TimeText] | None = None
    #: From the first of it to the last: `"90s"`, `"90s..2m"`, `"90s.."`, `"..2m"`.
    spread: str | None = None
    #: Look only at this stretch of the run; what happens outside of it does not matter.
    during: tuple[TimeText, TimeText] | None = None


class PodConditionType(Variant):
    """The type of a pod's condition."""

    #: Its containers are ready.
    Ready: ClassVar[PodConditionType]
    #: It was evicted, preempted or removed for its node's failure.
    DisruptionTarget: ClassVar[PodConditionType]


PodConditionType.Ready = PodConditionType("Ready")
PodConditionType.DisruptionTarget = PodConditionType("DisruptionTarget")


@dataclass(kw_only=True)
class Pending(Struct):
    """Pods that wait at a moment."""
    #: When; at the end of the run where not given.
    at: TimeText | None = None
    #: A part of the message of their last FailedScheduling event.
    reason: str | None = None
    #: The pod of that name, `web-0` or `namespace/name`; `*` stands for any letters.
    pod: str | None = None
    #: These pods.
    pods: PodSelector | None = None
    #: The pods of that workload, `web` or `Deployment/web`; or of that group of pods, or owner.
    workload: str | None = None
    #: Only pods with labels that match: `"app=web,tier!=cache"`.
    label: str | None = None
    #: Only pods of that namespace.
    namespace: str | None = None
    #: How often: `3`, `"2..5"`, `"2.."`, `"..5"`, or `"all"` for once or more of each selected
    #: object. At least once where not given.
    count: FlagValue | None = None


@dataclass(kw_only=True)
class TaintsSeen(Struct):
    """Taints of nodes that are added or removed."""
    #: Which taint: `"key:Effect"`, `"key=value:Effect"` or `"key"`; `node.kubernetes.io/` may be
    #: left out.
    taint: str
    #: Only on that node; `*` stands for any letters.
    node: str | None = None
    #: Only on these nodes.
    nodes: NodeSelector | None = None
    #: Only in that zone.
    zone: str | None = None
    #: How often: `3`, `"2..5"`, `"2.."`, `"..5"`, or `"all"` for once or more of each selected
    #: object. At least once where not given.
    count: FlagValue | None = None
    #: It happens at exactly these times, to the millisecond, once at each, or as often as `"3x
    #: 10m"` says; with a `count`, once or more.
    at: OneOrMany | None = None
    #: None of it happens before this time.
    after: TimeText | None = None
    #: None of it happens after this time.
    before: TimeText | None = None
    #: All of it happens in this stretch; `after` and `before` in one.
    between: tuple[TimeText, TimeText] | None = None
    #: The first of it happens in this stretch.
    first: tuple[TimeText, TimeText] | None = None
    #: From the first of it to the last: `"90s"`, `"90s..2m"`, `"90s.."`, `"..2m"`.
    spread: str | None = None
    #: Look only at this stretch of the run; what happens outside of it does not matter.
    during: tuple[TimeText, TimeText] | None = None


@dataclass(kw_only=True)
class ConditionSeen(Struct):
    """A condition of nodes that changes."""
    #: Which condition.
    type: ConditionKind
    #: Its new status.
    status: Status
    #: Only on that node; `*` stands for any letters.
    node: str | None = None
    #: Only on these nodes.
    nodes: NodeSelector | None = None
    #: Only in that zone.
    zone: str | None = None
    #: How often: `3`, `"2..5"`, `"2.."`, `"..5"`, or `"all"` for once or more of each selected
    #: object. At least once where not given.
    count: FlagValue | None = None
    #: It happens at exactly these times, to the millisecond, once at each, or as often as `"3x
    #: 10m"` says; with a `count`, once or more.
    at: OneOrMany | None = None
    #: None of it happens before this time.
    after: TimeText | None = None
    #: None of it happens after this time.
    before: TimeText | None = None
    #: All of it happens in this stretch; `after` and `before` in one.
    between: tuple[TimeText, TimeText] | None = None
    #: The first of it happens in this stretch.
    first: tuple[TimeText, TimeText] | None = None
    #: From the first of it to the last: `"90s"`, `"90s..2m"`, `"90s.."`, `"..2m"`.
    spread: str | None = None
    #: Look only at this stretch of the run; what happens outside of it does not matter.
    during: tuple[TimeText, TimeText] | None = None


@dataclass(kw_only=True)
class NodesSeen(Struct):
    """Something that happens to nodes."""
    #: Only on that node; `*` stands for any letters.
    node: str | None = None
    #: Only on these nodes.
    nodes: NodeSelector | None = None
    #: Only in that zone.
    zone: str | None = None
    #: How often: `3`, `"2..5"`, `"2.."`, `"..5"`, or `"all"` for once or more of each selected
    #: object. At least once where not given.
    count: FlagValue | None = None
    #: It happens at exactly these times, to the millisecond, once at each, or as often as `"3x
    #: 10m"` says; with a `count`, once or more.
    at: OneOrMany | None = None
    #: None of it happens before this time.
    after: TimeText | None = None
    #: None of it happens after this time.
    before: TimeText | None = None
    #: All of it happens in this stretch; `after` and `before` in one.
    between: tuple[TimeText, TimeText] | None = None
    #: The first of it happens in this stretch.
    first: tuple[TimeText, TimeText] | None = None
    #: From the first of it to the last: `"90s"`, `"90s..2m"`, `"90s.."`, `"..2m"`.
    spread: str | None = None
    #: Look only at this stretch of the run; what happens outside of it does not matter.
    during: tuple[TimeText, TimeText] | None = None


@dataclass(kw_only=True)
class ZoneSeen(Struct):
    """A zone that comes into a state."""
    #: Which state.
    state: ZoneState
    #: Only on that node; `*` stands for any letters.
    node: str | None = None
    #: Only on these nodes.
    nodes: NodeSelector | None = None
    #: Only in that zone.
    zone: str | None = None
    #: How often: `3`, `"2..5"`, `"2.."`, `"..5"`, or `"all"` for once or more of each selected
    #: object. At least once where not given.
    count: FlagValue | None = None
    #: It happens at exactly these times, to the millisecond, once at each, or as often as `"3x
    #: 10m"` says; with a `count`, once or more.
    at: OneOrMany | None = None
    #: None of it happens before this time.
    after: TimeText | None = None
    #: None of it happens after this time.
    before: TimeText | None = None
    #: All of it happens in this stretch; `after` and `before` in one.
    between: tuple[TimeText, TimeText] | None = None
    #: The first of it happens in this stretch.
    first: tuple[TimeText, TimeText] | None = None
    #: From the first of it to the last: `"90s"`, `"90s..2m"`, `"90s.."`, `"..2m"`.
    spread: str | None = None
    #: Look only at this stretch of the run; what happens outside of it does not matter.
    during: tuple[TimeText, TimeText] | None = None


class ZoneState(Variant):
    """The state of a zone."""

    #: Fewer than `--unhealthy-zone-threshold` of its nodes are not Ready.
    Normal: ClassVar[ZoneState]
    #: So many of them are not Ready.
    PartialDisruption: ClassVar[ZoneState]
    #: None of them is Ready.
    FullDisruption: ClassVar[ZoneState]


ZoneState.Normal = ZoneState("Normal")
ZoneState.PartialDisruption = ZoneState("PartialDisruption")
ZoneState.FullDisruption = ZoneState("FullDisruption")


@dataclass(kw_only=True)
class DisruptionSeen(Struct):
    """The controller concludes that it is itself cut off, or no longer."""
    #: Which of the two.
    state: DisruptionState
    #: Only on that node; `*` stands for any letters.
    node: str | None = None
    #: Only on these nodes.
    nodes: NodeSelector | None = None
    #: Only in that zone.
    zone: str | None = None
    #: How often: `3`, `"2..5"`, `"2.."`, `"..5"`, or `"all"` for once or more of each selected
    #: object. At least once where not given.
    count: FlagValue | None = None
    #: It happens at exactly these times, to the millisecond, once at each, or as often as `"3x
    #: 10m"` says; with a `count`, once or more.
    at: OneOrMany | None = None
    #: None of it happens before this time.
    after: TimeText | None = None
    #: None of it happens after this time.
    before: TimeText | None = None
    #: All of it happens in this stretch; `after` and `before` in one.
    between: tuple[TimeText, TimeText] | None = None
    #: The first of it happens in this stretch.
    first: tuple[TimeText, TimeText] | None = None
    #: From the first of it to the last: `"90s"`, `"90s..2m"`, `"90s.."`, `"..2m"`.
    spread: str | None = None
    #: Look only at this stretch of the run; what happens outside of it does not matter.
    during: tuple[TimeText, TimeText] | None = None


class DisruptionState(Variant):
    """What becomes of master disruption."""

    #: Every zone is in FullDisruption; tainting stops.
    Entered: ClassVar[DisruptionState]
    #: Some node is Ready again; tainting resumes.
    Left: ClassVar[DisruptionState]


DisruptionState.Entered = DisruptionState("Entered")
DisruptionState.Left = DisruptionState("Left")


@dataclass(kw_only=True)
class EventSeen(Struct):
    """Events as `kubectl get events` shows them. With pods selected, only events about pods."""
    #: Their reason: `"TaintManagerEviction"`.
    reason: str
    #: A part of their message.
    message: str | None = None
    #: What they are about: `"Node/b-*"`, `"StatefulSet/default/db"`; `*` stands for any letters.
    object: str | None = None
    #: The pod of that name, `web-0` or `namespace/name`; `*` stands for any letters.
    pod: str | None = None
    #: These pods.
    pods: PodSelector | None = None
    #: The pods of that workload, `web` or `Deployment/web`; or of that group of pods, or owner.
    workload: str | None = None
    #: Only pods with labels that match: `"app=web,tier!=cache"`.
    label: str | None = None
    #: Only pods of that namespace.
    namespace: str | None = None
    #: Only on that node; `*` stands for any letters.
    node: str | None = None
    #: Only on these nodes.
    nodes: NodeSelector | None = None
    #: Only in that zone.
    zone: str | None = None
    #: How often: `3`, `"2..5"`, `"2.."`, `"..5"`, or `"all"` for once or more of each selected
    #: object. At least once where not given.
    count: FlagValue | None = None
    #: It happens at exactly these times, to the millisecond, once at each, or as often as `"3x
    #: 10m"` says; with a `count`, once or more.
    at: OneOrMany | None = None
    #: None of it happens before this time.
    after: TimeText | None = None
    #: None of it happens after this time.
    before: TimeText | None = None
    #: All of it happens in this stretch; `after` and `before` in one.
    between: tuple[TimeText, TimeText] | None = None
    #: The first of it happens in this stretch.
    first: tuple[TimeText, TimeText] | None = None
    #: From the first of it to the last: `"90s"`, `"90s..2m"`, `"90s.."`, `"..2m"`.
    spread: str | None = None
    #: Look only at this stretch of the run; what happens outside of it does not matter.
    during: tuple[TimeText, TimeText] | None = None


@dataclass(kw_only=True)
class Limit(Struct):
    """A figure that keeps a limit all the time."""
    #: Which figure.
    of: Quantity
    #: The limit: a whole number, or a duration, `"8m"`, for figures that are one.
    is_: FlagValue
    #: Of `AtMost`: it is above zero for no longer than this at a stretch.
    longest: DurationText | None = None
    #: Look only at this stretch of the run.
    during: tuple[TimeText, TimeText] | None = None


class Quantity(Variant):
    """A figure that changes in the course of a run, or that a run comes to. `"*"` stands for all,
    and `"pods without a workload"` for those together.
    """

    @staticmethod
    def available(value: str, /) -> Quantity:
        """Pods of a workload that are Running, Ready and not being deleted."""
        return Quantity("available", (value,))

    @staticmethod
    def unavailable(value: str, /) -> Quantity:
        """Pods of a workload that are missing: wanted and not available, once all of them have
        been available.
        """
        return Quantity("unavailable", (value,))

    @staticmethod
    def up(value: str, /) -> Quantity:
        """Pods of a workload that are up, whatever the API says: their machine runs, their
        containers have started, clients reach them, if it is no Job.
        """
        return Quantity("up", (value,))

    @staticmethod
    def missing(value: str, /) -> Quantity:
        """Pods of a workload that are desired and not up."""
        return Quantity("missing", (value,))

    @staticmethod
    def ghosts(value: str, /) -> Quantity:
        """Containers of a workload that run, and that clients reach, if it is no Job, although
        their pod is being deleted or gone.
        """
        return Quantity("ghosts", (value,))

    @staticmethod
    def dead_endpoints(value: str, /) -> Quantity:
        """Pods of a workload that the API has as ready and that are not up."""
        return Quantity("dead_endpoints", (value,))

    @staticmethod
    def pending(value: str, /) -> Quantity:
        """Pods of a workload that wait to be bound or started."""
        return Quantity("pending", (value,))

    @staticmethod
    def terminating(value: str, /) -> Quantity:
        """Pods of a workload that are being deleted and still there."""
        return Quantity("terminating", (value,))

    @staticmethod
    def timers(value: str, /) -> Quantity:
        """Eviction timers that run for pods of a workload."""
        return Quantity("timers", (value,))

    @staticmethod
    def evicted(value: str, /) -> Quantity:
        """Pods of a workload that were evicted so far."""
        return Quantity("evicted", (value,))

    @staticmethod
    def not_ready_nodes(value: str, /) -> Quantity:
        """Nodes of a zone whose Ready condition is not True."""
        return Quantity("not_ready_nodes", (value,))

    @staticmethod
    def requests(value: str, /) -> Quantity:
        """Requests that a controller sent to the API server so far, by its name in `events.jsonl`:
        `requests("taint-eviction")`.
        """
        return Quantity("requests", (value,))

    @staticmethod
    def unavailable_seconds(value: str, /) -> Quantity:
        """The time in which a workload lacked pods, in all: a duration."""
        return Quantity("unavailable_seconds", (value,))

    @staticmethod
    def below_need(value: str, /) -> Quantity:
        """The time in which fewer pods of a workload were up than it needs, in all: a duration."""
        return Quantity("below_need", (value,))

    @staticmethod
    def longest_below_need(value: str, /) -> Quantity:
        """The longest stretch of that: a duration."""
        return Quantity("longest_below_need", (value,))

    @staticmethod
    def longest_gap(value: str, /) -> Quantity:
        """The longest stretch in which a workload lacked pods: a duration."""
        return Quantity("longest_gap", (value,))


class Claim(Variant):
    """Something that holds or does not hold at each moment of a run."""

    #: A pod is left on a node whose NoExecute taints it does not tolerate, or no longer.
    PodStuck: ClassVar[Claim]
    #: A pod is evicted although no taint on its node asks for it.
    NeedlessEviction: ClassVar[Claim]
    #: A deletion meant for one pod hits its successor of the same name.
    WrongPod: ClassVar[Claim]
    #: A countdown starts again although the taint never left.
    TimerReset: ClassVar[Claim]
    #: A taint that a user wrote vanishes by another writer's patch.
    TaintLost: ClassVar[Claim]
    #: A taint for a condition outlives the condition.
    TaintStale: ClassVar[Claim]
    #: A node is healthy again and its pods stay NotReady.
    NeverReady: ClassVar[Claim]
    #: A node is dead for long and never gets a NoExecute taint.
    NeverTainted: ClassVar[Claim]
    #: A node is marked Unknown although its kubelet reaches the API server.
    FalseUnknown: ClassVar[Claim]
    #: A pod is still Ready on a node that is Unknown.
    StaleReady: ClassVar[Claim]
    #: A pod is placed and evicted on the same node again and again.
    EvictLoop: ClassVar[Claim]
    #: Two pods of one name of a StatefulSet run at one time.
    RunsTwice: ClassVar[Claim]
    #: The eviction API grants more than a disruption budget has room for.
    BudgetOverdrawn: ClassVar[Claim]
    #: The scheduler binds a pod to a node that has been cordoned for long.
    BoundToCordoned: ClassVar[Claim]
    #: A Job that is not finished has no pod, and nothing happens to it.
    JobStalled: ClassVar[Claim]
    #: A workload lacks pods that were lost, and nobody replaces them.
    NotReplaced: ClassVar[Claim]
    #: A countdown goes on although no taint requires it any more.
    TimerStale: ClassVar[Claim]

    @staticmethod
    def AtLeast(*, of: Quantity, is_: FlagValue) -> Claim:
        """The figure is the limit or more: `AtLeast(of: available("web"), is: 8)`"""
        return Claim("AtLeast", {"of": of, "is": is_})

    @staticmethod
    def AtMost(*, of: Quantity, is_: FlagValue) -> Claim:
        """The figure is the limit or less: `AtMost(of: terminating("*"), is: 10)`"""
        return Claim("AtMost", {"of": of, "is": is_})

    @staticmethod
    def Equal(*, of: Quantity, is_: FlagValue) -> Claim:
        """The figure is the limit: `Equal(of: timers("*"), is: 0)`"""
        return Claim("Equal", {"of": of, "is": is_})

    @staticmethod
    def All(value: Sequence[Claim], /) -> Claim:
        """All of these hold."""
        return Claim("All", (value,))

    @staticmethod
    def AnyOf(value: Sequence[Claim], /) -> Claim:
        """One of these holds."""
        return Claim("AnyOf", (value,))

    @staticmethod
    def Not(value: Claim, /) -> Claim:
        """This does not hold."""
        return Claim("Not", (value,))

    @staticmethod
    def During(*, between: tuple[TimeText, TimeText], that: Claim) -> Claim:
        """Look only at this stretch of the run; stands outermost."""
        return Claim("During", {"between": between, "that": that})

    @staticmethod
    def Property(value: str, /) -> Claim:
        """A property by its name on the command line, with a bound where it has one:
        `Property("pod-stuck(10s)")`
        """
        return Claim("Property", (value,))


Claim.PodStuck = Claim("PodStuck")
Claim.NeedlessEviction = Claim("NeedlessEviction")
Claim.WrongPod = Claim("WrongPod")
Claim.TimerReset = Claim("TimerReset")
Claim.TaintLost = Claim("TaintLost")
Claim.TaintStale = Claim("TaintStale")
Claim.NeverReady = Claim("NeverReady")
Claim.NeverTainted = Claim("NeverTainted")
Claim.FalseUnknown = Claim("FalseUnknown")
Claim.StaleReady = Claim("StaleReady")
Claim.EvictLoop = Claim("EvictLoop")
Claim.RunsTwice = Claim("RunsTwice")
Claim.BudgetOverdrawn = Claim("BudgetOverdrawn")
Claim.BoundToCordoned = Claim("BoundToCordoned")
Claim.JobStalled = Claim("JobStalled")
Claim.NotReplaced = Claim("NotReplaced")
Claim.TimerStale = Claim("TimerStale")


@dataclass(kw_only=True)
class Comparison(Struct):
    """A figure beside a limit."""
    #: Which figure.
    of: Quantity
    #: The limit: a whole number, or a duration, `"8m"`, for figures that are one.
    is_: FlagValue


class Each(Variant):
    """Of what something has to follow."""

    #: The same pod, or the same node.
    Object: ClassVar[Each]
    #: The same node, on which a pod is or was.
    Node: ClassVar[Each]
    #: The same workload, for each record one of its own.
    Workload: ClassVar[Each]


Each.Object = Each("Object")
Each.Node = Each("Node")
Each.Workload = Each("Workload")


@dataclass(kw_only=True)
class Scenario(Document):
    """A whole scenario file: `Scenario(version: 1, horizon: "30m", …)`."""
    #: The version of the language; 1 is the only one. A file without one is refused.
    version: int = 1
    #: What the scenario is about, for people.
    doc: str | None = None
    #: When the run begins by the clock on the wall, as the API writes times:
    #: `"2026-11-20T04:41:17Z"`. `explain` then says when things happened by that clock.
    begins: str | None = None
    #: What a person should know beside every figure: `taintsim import` writes what an export has
    #: and a run has not, `["Not simulated: 2 HorizontalPodAutoscalers, which the export has."]`.
    notes: Sequence[str] | None = None
    #: The release whose behaviour is simulated: `"1.32"` is the last patch of a minor, `"1.20.2"`
    #: a patch, `"1.38-alpha"` the pre-release of the minor to come.
    kubernetes: str | None = None
    #: The end of the run. A file without one is refused.
    horizon: DurationText
    #: Delays and limits; `Typical` where none is given.
    timing: Timing | None = None
    #: The seed of the random draws; 1 where none is given.
    seed: int | None = None
    #: Kubernetes feature gates that differ from the release's default.
    feature_gates: Mapping[str, bool] | None = None
    #: Command-line flags of the components that differ from the release's default.
    flags: Flags | None = None
    #: When the controllers' process starts; at once where not given.
    controllers_start: DurationText | None = None
    #: What the controllers remember of the time before the run: `taintsim import` writes it.
    memory: Memory | None = None
    #: Which controllers run beside those of node failure handling; `Restarted` has all of them
    #: start anew with the run, so that timers of an exported cluster begin again.
    controllers: Controllers | None = None
    #: The scheduler's configuration.
    scheduler: SchedulerConfiguration | None = None
    #: A file whose nodes, workloads and pods come behind those written here.
    cluster: Cluster | None = None
    #: What becomes of pods that exist, those of `cluster` and of `pods`, where `--set` changes
    #: the template of their workload, or a flag the default tolerations; `Rollout` where not
    #: given.
    existing: Existing | None = None
    #: Groups of nodes.
    nodes: Sequence[NodeGroup] | None = None
    #: Groups of pods.
    pods: Sequence[PodGroup] | None = None
    #: Priorities by name, beside Kubernetes' own two.
    priorityClasses: Sequence[PriorityClass] | None = None
    #: How many pods an eviction may take away.
    podDisruptionBudgets: Sequence[PodDisruptionBudget] | None = None
    #: What namespaces say of the tolerations of their pods.
    namespaces: Sequence[Namespace] | None = None
    #: Claims on devices that exist by themselves, and that pods name and may share.
    resourceClaims: Sequence[ResourceClaim] | None = None
    #: Rules that taint devices from the start.
    deviceTaintRules: Sequence[DeviceTaintRule] | None = None
    #: Rules of the node readiness controller, which runs where a scenario has some.
    node_readiness_rules: Sequence[NodeReadinessRule] | None = None
    #: The version of the node readiness controller: `"0.5.0"`, or `"0.4.1"`, in which the
    #: completion of a bootstrap and its taint do not exclude each other (node-readiness-
    #: controller#382); 0.5.0 where not given.
    node_readiness_controller: str | None = None
    #: What pods are made from.
    workloads: Sequence[Workload] | None = None
    #: How many pods workloads need, by their names, beside what these say themselves: for those
    #: that come from a file. A number, or a share of what they ask for, `"80%"`.
    needs: Mapping[str, FlagValue] | None = None
    #: What goes wrong, and what people do.
    timeline: Sequence[Entry] | None = None
    #: How things fail, where no timeline says when: drawn by the seed.
    faults: Faults | None = None
    #: What figures of a year are worth, for `taintsim plan`.
    prices: Prices | None = None
    #: Whether each renewal of a lease is among the records, as `lease-renewed`: some thousand a
    #: day of each node.
    lease_records: bool | None = None
    #: The choices of a run, where they are not the default ones.
    tape: Tape | None = None
    #: What the run must come to, for `taintsim test`.
    expect: Sequence[Expectation] | None = None
    #: How many seeds `taintsim test` runs the scenario with: `seed` and those after it; 1 where
    #: not given.
    seeds: int | None = None
    #: A file that holds the timeline that the run must have; its path is relative to the
    #: scenario. `taintsim test --update` writes it. `{release}` in its name is the release that
    #: is run, for a file for each of several releases.
    golden: str | None = None
    #: Settings that the expectations guard, each with a value that must break one of them, as
    #: after `--set`: `"flags.kube-controller-manager.node-monitor-grace-period=60s"`. `taintsim
    #: test --guards` tries them.
    guards: Sequence[str] | None = None
