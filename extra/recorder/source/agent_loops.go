package recorder

import (
	"context"
	"errors"
	"sort"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	typedv1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	upstream "k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/kubelet/nodestatus"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	"k8s.io/kubernetes/pkg/kubelet/util/sliceutils"
	"k8s.io/kubernetes/pkg/kubelet/volumemanager"
)

// How upstream's loops are put together into a kubelet. What its releases construct differently is in
// ../eras/agent-*, one call each.

// leaseRenewal is how often a kubelet renews its lease (pkg/kubelet/kubelet.go: nodeLeaseRenewIntervalFraction).
const leaseRenewal = leaseSeconds * time.Second / 4

// machineClock is a machine's clock, which may be off.
type machineClock struct {
	realClock
	of *machine
}

func (c machineClock) Now() time.Time                  { return c.of.now() }
func (c machineClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

func (m *machine) clock() machineClock { return machineClock{of: m} }

// unready is why the machine's kubelet is not ready.
func (m *machine) unready() error {
	if m.sees(v1.NodeReady) != v1.ConditionTrue {
		return errors.New("the scenario says so")
	}
	return nil
}

func well() error { return nil }

// statusSetters are those of kubelet_node_status.go: defaultNodeStatusFuncs that write conditions. What a machine
// has is a scenario's matter, and is in its node already.
func (m *machine) statusSetters() (setters []nodeSetter) {
	says := func(kind v1.NodeConditionType) func() bool {
		return func() bool { return m.sees(kind) == v1.ConditionTrue }
	}
	return append(setters,
		nodestatus.MemoryPressureCondition(m.now, says(v1.NodeMemoryPressure), quiet),
		nodestatus.DiskPressureCondition(m.now, says(v1.NodeDiskPressure), quiet),
		nodestatus.PIDPressureCondition(m.now, says(v1.NodePIDPressure), quiet),
		readyCondition(m),
	)
}

// describe writes a machine's conditions into its node.
func (m *machine) describe(n *v1.Node) error {
	for _, set := range m.statusSetters() {
		if err := apply(set, n); err != nil {
			return err
		}
	}
	return nil
}

// statusLoop posts the node's status. The Kubelet has what this loop uses, and nothing else. With an age the last
// post was so long ago; without, the kubelet has just started.
func (a *agent) statusLoop(age *time.Duration) func(context.Context) {
	kl := &upstream.Kubelet{}
	set := func(fields map[string]any) {
		for field, val := range fields {
			setField(kl, field, val)
		}
	}
	set(map[string]any{
		"nodeName": types.NodeName(a.machine.spec.Name), "kubeClient": a.client, "heartbeatClient": a.heartbeats,
		"nodeLister": a.node.Lister(), "clock": a.machine.clock(), "setNodeStatusFuncs": a.machine.statusSetters(),
		"nodeStatusUpdateFrequency": statusPeriod, "nodeStatusReportFrequency": a.fleet.report,
		"volumeManager": &volumemanager.FakeVolumeManager{},
	})
	set(startupTracker())
	if age != nil {
		setField(kl, "lastStatusReportTime", a.machine.now().Add(-*age))
	}
	return func(ctx context.Context) { syncNodeStatuses(ctx, kl) }
}

var podChanges = map[kubetypes.PodOperation]podChange{
	kubetypes.ADD: podAdded, kubetypes.UPDATE: podChanged, kubetypes.DELETE: podChanged, kubetypes.RECONCILE: podReconciled, kubetypes.REMOVE: podRemoved,
}

// podUpdates hands on what the kubelet hears of its pods.
func (a *agent) podUpdates(ctx context.Context, take func(podChange, *v1.Pod)) {
	for update := range a.podSource(ctx).Updates() {
		a.mu.Lock()
		a.heard = true
		a.mu.Unlock()
		sort.Sort(sliceutils.PodsByCreationTime(update.Pods))
		for _, p := range update.Pods {
			if is, ok := podChanges[update.Op]; ok {
				take(is, p)
			}
		}
	}
}

// PodCouldHaveRunningContainers is what the status manager asks, from 1.22 on, before it calls a pod's phase terminal.
// Of one that was refused the pod workers know nothing, and say so once they have been settled; those that end what is left of it know.
func (a *agent) PodCouldHaveRunningContainers(p *v1.Pod) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if ends, refused := a.refused[p.UID]; refused {
		return !a.settled || ends && a.machine.runs(p.UID)
	}
	return a.machine.runs(p.UID)
}

// PodResourcesAreReclaimed is what the status manager asks, up to 1.26, before it removes a pod.
func (a *agent) PodResourcesAreReclaimed(p *v1.Pod, _ v1.PodStatus) bool {
	return !a.machine.runs(p.UID) && !(asksWorkers && a.PodCouldHaveRunningContainers(p))
}

// newEvents is the kubelet's recorder of events (cmd/kubelet/app/server.go: makeEventRecorder).
func (a *agent) newEvents(ctx context.Context) eventer {
	b := newBroadcaster(ctx)
	b.StartRecordingToSink(&typedv1.EventSinkImpl{Interface: a.client.CoreV1().Events("")})
	return b.NewRecorder(legacyscheme.Scheme, v1.EventSource{Component: "kubelet", Host: a.machine.spec.Name})
}

// ownNode is the kubelet's node as its watch has it.
func (a *agent) ownNode() (*v1.Node, error) { return a.node.Lister().Get(a.machine.spec.Name) }

// admits says whether the kubelet takes a pod, or why not.
func (a *agent) admits(p *v1.Pod, others []*v1.Pod) (bool, string, string) {
	said := a.admission(&lifecycle.PodAdmitAttributes{Pod: p, OtherPods: others})
	return said.Admit, said.Reason, said.Message
}
