package recorder

import (
	"context"
	"errors"
	"time"
	_ "unsafe" // for syncNodeStatus

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	typedv1 "k8s.io/client-go/kubernetes/typed/core/v1"
	clientrecord "k8s.io/client-go/tools/record"
	"k8s.io/component-helpers/apimachinery/lease"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	upstream "k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/kubelet/nodestatus"
	kubepod "k8s.io/kubernetes/pkg/kubelet/pod"
	podstatus "k8s.io/kubernetes/pkg/kubelet/status"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	"k8s.io/kubernetes/pkg/kubelet/util"
	"k8s.io/kubernetes/pkg/kubelet/volumemanager"
	schedulerframework "k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/utils/clock"
)

// kubeletsLink: upstream's kubelets have been linked for this release.
const kubeletsLink = true

// machineClock is a machine's clock, which may be off.
type machineClock struct {
	clock.RealClock
	of *machine
}

func (c machineClock) Now() time.Time                  { return c.of.now() }
func (c machineClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// leaseLoop is the controller that renews the node's lease (pkg/kubelet/kubelet.go: NewMainKubelet).
func (a *agent) leaseLoop() func(context.Context) {
	name := a.machine.spec.Name
	c := lease.NewController(machineClock{of: a.machine}, a.heartbeats, name, leaseSeconds, nil, leaseSeconds*time.Second/4, name, v1.NamespaceNodeLease, util.SetNodeOwnerFunc(context.Background(), a.heartbeats, name))
	return c.Run
}

//go:linkname syncNodeStatus k8s.io/kubernetes/pkg/kubelet.(*Kubelet).syncNodeStatus
func syncNodeStatus(*upstream.Kubelet, context.Context)

// statusSetters are those of kubelet_node_status.go: defaultNodeStatusFuncs that write conditions. What a machine
// has is a scenario's matter, and is in its node already.
func (m *machine) statusSetters() (setters []func(context.Context, *v1.Node) error) {
	says := func(kind v1.NodeConditionType) func() bool {
		return func() bool { return m.sees(kind) == v1.ConditionTrue }
	}
	quiet := func(klog.Logger, string, string) {}
	well := func() error { return nil }
	ready := func() error {
		if m.sees(v1.NodeReady) != v1.ConditionTrue {
			return errors.New("the scenario says so")
		}
		return nil
	}
	return append(setters,
		nodestatus.MemoryPressureCondition(m.now, says(v1.NodeMemoryPressure), quiet),
		nodestatus.DiskPressureCondition(m.now, says(v1.NodeDiskPressure), quiet),
		nodestatus.PIDPressureCondition(m.now, says(v1.NodePIDPressure), quiet),
		nodestatus.ReadyCondition(m.now, ready, well, well, func() cm.Status { return cm.Status{} }, well, quiet, false),
	)
}

// describe writes a machine's conditions into its node.
func (m *machine) describe(n *v1.Node) error {
	for _, set := range m.statusSetters() {
		if err := set(context.Background(), n); err != nil {
			return err
		}
	}
	return nil
}

// statusLoop posts the node's status (pkg/kubelet/kubelet.go: Run). The Kubelet has what this loop uses, and
// nothing else. With an age the last post was so long ago; without, the kubelet has just started.
func (a *agent) statusLoop(age *time.Duration) func(context.Context) {
	kl := &upstream.Kubelet{}
	for field, val := range map[string]any{
		"nodeName": types.NodeName(a.machine.spec.Name), "kubeClient": a.client, "heartbeatClient": a.heartbeats,
		"nodeLister": a.node.Lister(), "clock": machineClock{of: a.machine}, "setNodeStatusFuncs": a.machine.statusSetters(),
		"nodeStatusUpdateFrequency": statusPeriod, "nodeStatusReportFrequency": a.fleet.report,
		"volumeManager":             volumemanager.NewFakeVolumeManager(nil, 0, nil, false),
		"nodeStartupLatencyTracker": util.NewNodeStartupLatencyTracker(klog.Background()),
	} {
		setField(kl, field, val)
	}
	if age != nil {
		setField(kl, "lastStatusReportTime", a.machine.now().Add(-*age))
	}
	return func(ctx context.Context) {
		wait.JitterUntil(func() { syncNodeStatus(kl, ctx) }, statusPeriod, 0.04, true, ctx.Done())
	}
}

var podChanges = map[kubetypes.PodOperation]podChange{
	kubetypes.ADD: podAdded, kubetypes.UPDATE: podChanged, kubetypes.DELETE: podChanged, kubetypes.RECONCILE: podChanged, kubetypes.REMOVE: podRemoved,
}

// podUpdates is where the kubelet hears of its pods (pkg/kubelet/kubelet.go: makePodSourceConfig).
func (a *agent) podUpdates(ctx context.Context, take func(podChange, *v1.Pod)) {
	of := config.NewPodConfig(&clientrecord.FakeRecorder{}, util.NewPodStartupLatencyTracker())
	config.NewSourceApiserver(klog.Background(), a.client, types.NodeName(a.machine.spec.Name), a.node.Informer().HasSynced, of.Channel(ctx, kubetypes.ApiserverSource))
	for update := range of.Updates() {
		for _, p := range update.Pods {
			if is, ok := podChanges[update.Op]; ok {
				take(is, p)
			}
		}
	}
}

// podStatuses is the status manager.
type podStatuses struct{ podstatus.Manager }

func (a *agent) newPodStatuses() (podManager, statusManager) {
	pods := kubepod.NewBasicPodManager()
	return pods, podStatuses{podstatus.NewManager(a.client, pods, a, util.NewPodStartupLatencyTracker())}
}

func (a *agent) removePod(p *v1.Pod) { a.pods.(kubepod.Manager).RemovePod(p) }

func (s podStatuses) start(ctx context.Context)      { s.Start(ctx) }
func (s podStatuses) set(p *v1.Pod, to v1.PodStatus) { s.SetPodStatus(klog.TODO(), p, to) }
func (s podStatuses) finished(p *v1.Pod)             { s.TerminatePod(klog.TODO(), p) }
func (s podStatuses) keep(uids map[types.UID]bool)   { s.RemoveOrphanedStatuses(klog.TODO(), uids) }

// PodCouldHaveRunningContainers is what the status manager asks before it calls a pod's phase terminal.
func (a *agent) PodCouldHaveRunningContainers(p *v1.Pod) bool { return a.machine.runs(p.UID) }

// newEvents is the kubelet's recorder of events (cmd/kubelet/app/server.go: makeEventRecorder).
func (a *agent) newEvents(ctx context.Context) eventer {
	b := clientrecord.NewBroadcaster(clientrecord.WithContext(ctx))
	b.StartRecordingToSink(&typedv1.EventSinkImpl{Interface: a.client.CoreV1().Events("")})
	return b.NewRecorder(legacyscheme.Scheme, v1.EventSource{Component: "kubelet", Host: a.machine.spec.Name})
}

// admits says whether the kubelet takes a pod (pkg/kubelet/lifecycle/predicate.go).
func (a *agent) admits(p *v1.Pod, others []*v1.Pod) (bool, string, string) {
	node := func(context.Context, bool) (*v1.Node, error) { return a.node.Lister().Get(a.machine.spec.Name) }
	nothing := func(*schedulerframework.NodeInfo, *lifecycle.PodAdmitAttributes) error { return nil }
	said := lifecycle.NewPredicateAdmitHandler(node, lifecycle.NewAdmissionFailureHandlerStub(), nothing).Admit(context.Background(), &lifecycle.PodAdmitAttributes{Pod: p, OtherPods: others})
	return said.Admit, said.Reason, said.Message
}

// terminalBeforeRemoval: a pod is removed only once its phase is terminal.
const terminalBeforeRemoval = true
