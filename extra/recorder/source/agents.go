package recorder

import (
	"context"
	"math/rand"
	"reflect"
	"sync"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	kubepod "k8s.io/kubernetes/pkg/kubelet/pod"
)

// upstreamKubelets is what a scenario says that wants them.
const upstreamKubelets = "upstream"

// kubeletLoops says in a recording which loops of its kubelets are upstream's own. Imitated are those that hang
// on all of a kubelet, and on a runtime: pod workers, the relist of containers, eviction by pressure, the start.
var kubeletLoops = map[string][]string{
	"upstream": {"lease", "node status", "node watch", "pod watch", "pod status", "admission"},
	"imitated": {"pod workers", "containers", "start", "view of the machine"},
}

// agents are kubelets whose loops are upstream's own: lease, node status, pod status and admission, over a real
// client of their own. What runs on the machine is imitated (agent_pods.go). ../SCENARIO.md says which is which.
type agents struct {
	run         *run
	start, stop time.Duration
	report      time.Duration

	mu    sync.Mutex
	nodes map[string]*machine
}

// machine is one node's, which outlasts its kubelet. mu guards what changes.
type machine struct {
	spec  nodeSpec
	line  *line
	agent *agent // nil while the machine is off

	mu         sync.Mutex
	ahead      time.Duration // of its clock
	view       map[v1.NodeConditionType]v1.ConditionStatus
	containers map[types.UID]*container
}

// eventer is client-go's recorder of events, as far as it is used.
type eventer interface {
	Eventf(about runtime.Object, kind, reason, format string, args ...any)
}

// agent is one life of a kubelet.
type agent struct {
	fleet      *agents
	machine    *machine
	process    *process
	cancel     context.CancelFunc
	client     kubernetes.Interface
	heartbeats kubernetes.Interface
	node       coreinformers.NodeInformer
	pods       kubepod.Manager
	statuses   podStatuses
	recorder   eventer

	mu      sync.Mutex
	ending  map[types.UID]bool // pods whose end it waits for
	heard   bool               // of its pods, if there are any
	settled bool               // it has looked for what it does not know (podsSynced)
	refused map[types.UID]bool // pods that it did not admit; true while it ends what runs of one
}

// now reads the machine's clock.
func (m *machine) now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Now().Add(m.ahead)
}

// sees is what the machine's kubelet thinks of itself.
func (m *machine) sees(kind v1.NodeConditionType) v1.ConditionStatus {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.view[kind]
}

// setField sets a field that upstream does not export.
func setField(of any, name string, val any) {
	f := reflect.ValueOf(of).Elem().FieldByName(name)
	if !f.IsValid() {
		fail("upstream's", reflect.TypeOf(of), "has no field", name)
	}
	reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem().Set(reflect.ValueOf(val))
}

// join creates the node and its lease, and starts its kubelet. One that is there from the start has been running for long.
func (f *agents) join(actor string, spec nodeSpec) {
	m := &machine{spec: spec, line: newLine(), ahead: spec.ClockOffset.Duration, containers: map[types.UID]*container{}, view: healthy()}
	f.mu.Lock()
	f.nodes[spec.Name] = m
	f.mu.Unlock()
	n := nodeObject(spec)
	if spec.Silent {
		accept(f.run.server.create(actor, "nodes", "", decode(encode(n))))
		return
	}
	// Without it a kubelet of a release up to 1.24 is not ready.
	n.Status.Capacity[v1.ResourceEphemeralStorage] = resource.MustParse("100Gi")
	if err := m.describe(n); err != nil {
		fail(err)
	}
	accept(f.run.server.create(actor, "nodes", "", decode(encode(n))))
	f.run.server.createLease(spec.Name, metav1.NewMicroTime(m.now()))
	f.boot(m, actor != "kubelet")
}

// boot starts a machine's kubelet, or what is to be taken for one that has been running for long: the phases of its
// loops are those of the scenario, or else anywhere, as is the age of its last report. One that starts takes some
// time to its first request, and hears of its pods then, too.
func (f *agents) boot(m *machine, running bool) {
	ctx, cancel := context.WithCancel(context.Background())
	a := &agent{fleet: f, machine: m, process: newProcess(), cancel: cancel, ending: map[types.UID]bool{}, settled: running, refused: map[types.UID]bool{}}
	m.agent = a
	a.client, a.heartbeats = f.clientsOf(a)
	a.watchNode(ctx)
	a.pods = newPodManager()
	a.statuses = podStatuses{a.newStatusManager()}
	a.recorder = a.newEvents(ctx)
	var age *time.Duration
	begins := startup()
	phases := []time.Duration{begins, begins, begins, begins}
	if running {
		phases = []time.Duration{m.spec.LeaseOffset.or(phase()), m.spec.StatusOffset.or(phase()), phase(), 0}
		age = new(time.Duration)
		*age = time.Duration(rand.Int63n(int64(f.report)))
	}
	status := a.statusLoop(age)
	hear := func(ctx context.Context) { a.hear(ctx, running) }
	loops := []func(context.Context){a.leaseLoop(), status, a.statuses.start, hear}
	if !running {
		phases, loops = append(phases, begins+housekeeping), append(loops, a.keepHouse)
	}
	for i, loop := range loops {
		time.AfterFunc(phases[i], func() {
			a.process.stopHere()
			loop(ctx)
		})
	}
}

// startup is how long a kubelet takes from its start to its first renewal and report, as measured of whole ones.
func startup() time.Duration {
	return 600*time.Millisecond + time.Duration(rand.Int63n(int64(500*time.Millisecond)))
}

// phase is anywhere within the period of a kubelet's loops.
func phase() time.Duration { return 1 + time.Duration(rand.Int63n(int64(statusPeriod))) }

// heartbeatTimeout is that of a kubelet's client for heartbeats (cmd/kubelet/app/server.go).
const heartbeatTimeout = statusPeriod

// clientsOf makes a kubelet's two clients.
func (f *agents) clientsOf(a *agent) (kubernetes.Interface, kubernetes.Interface) {
	c := f.run.config("kubelet", a.process)
	c.Transport.(*transport).line = a.machine.line
	h := *c
	h.QPS, h.Timeout = -1, heartbeatTimeout
	return kubernetes.NewForConfigOrDie(c), kubernetes.NewForConfigOrDie(&h)
}

// watchNode starts the watch of the kubelet's own node (pkg/kubelet/kubelet.go: NewMainKubelet).
func (a *agent) watchNode(ctx context.Context) {
	f := informers.NewSharedInformerFactoryWithOptions(a.client, 0, informers.WithTweakListOptions(func(o *metav1.ListOptions) {
		o.FieldSelector = fields.Set{"metadata.name": a.machine.spec.Name}.String()
	}))
	a.node = f.Core().V1().Nodes()
	a.node.Informer()
	f.Start(ctx.Done())
}

// end kills a machine's kubelet.
func (m *machine) end() {
	if m.agent != nil {
		m.agent.process.kill()
		m.agent.cancel()
		m.agent = nil
	}
}

func (f *agents) machine(node string) *machine {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.nodes[node]
	if m == nil {
		fail("there is no node", node)
	}
	return m
}

func (f *agents) leave(node string) {
	f.machine(node).end()
	f.run.server.removeNode(node)
}

// cut takes the API server away from a kubelet, or gives it back.
func (f *agents) cut(node string, cut bool) { f.machine(node).line.set(cut) }

// power switches a machine off, and all that runs on it with it, or on; its kubelet then starts.
func (f *agents) power(node string, on bool) {
	m := f.machine(node)
	switch {
	case !on:
		m.end()
		m.mu.Lock()
		m.containers = map[types.UID]*container{}
		m.mu.Unlock()
	case m.agent == nil:
		f.boot(m, false)
	}
}

// restart ends a kubelet and starts another after a while. What runs on the machine goes on.
func (f *agents) restart(node string, downtime time.Duration) {
	m := f.machine(node)
	m.end()
	time.AfterFunc(downtime, func() { f.boot(m, false) })
}

func (f *agents) setCondition(node string, kind v1.NodeConditionType, status v1.ConditionStatus) {
	m := f.machine(node)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.view[kind] = status
}

func (f *agents) setClock(node string, ahead time.Duration) {
	m := f.machine(node)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ahead = ahead
}

// slowHeartbeats is for imitated kubelets: upstream's loops have their periods from their start on.
func (f *agents) slowHeartbeats(string, duration) {
	fail("slow-heartbeats is for imitated kubelets")
}

// serverIsBack does nothing: these kubelets find out by themselves. The same of changes.
func (f *agents) serverIsBack()       {}
func (f *agents) observe(_, _ object) {}
