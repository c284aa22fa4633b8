package recorder

import (
	"slices"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// fleet is all kubelets of a run: imitated ones, or such that are made of upstream's own loops (agents.go).
type fleet interface {
	join(actor string, spec nodeSpec)
	leave(node string)
	cut(node string, cut bool)
	power(node string, on bool)
	restart(node string, downtime time.Duration)
	setCondition(node string, kind v1.NodeConditionType, status v1.ConditionStatus)
	setClock(node string, ahead time.Duration)
	slowHeartbeats(node string, period duration)
	serverIsBack()
	observe(old, new object)
}

// kubelets imitates what node agents write; ../SCENARIO.md gives the rules.
type kubelets struct {
	server      *server
	start, stop time.Duration
	report      time.Duration
	repost      bool
	disks       disks
	limit       *int // of attached volumes of a node
	// looksBackOff: a volume that is not attached yet is looked for after longer and longer pauses (kubelet_volumes.go).
	looksBackOff bool

	mu      sync.Mutex
	nodes   map[string]*kubelet
	due     map[types.UID]*podDue
	missing map[string]object // mirrors of static pods that are to be created again, by namespace/name
}

// kubelet is one node's agent; kubelets.mu guards what changes.
type kubelet struct {
	spec  nodeSpec
	cut   bool // its network is
	off   bool // its machine is
	gone  bool
	view  map[v1.NodeConditionType]v1.ConditionStatus
	last  time.Time     // its last status post
	clock time.Duration // how far its clock is ahead
	slow  duration      // in which time heartbeats come only once, if that is given
	// mounts are the volumes that its pods need, by the names that node statuses have for them.
	mounts map[v1.UniqueVolumeName]*mount
}

const statusPeriod = 10 * time.Second

var order = []v1.NodeConditionType{v1.NodeMemoryPressure, v1.NodeDiskPressure, v1.NodePIDPressure, v1.NodeReady, v1.NodeNetworkUnavailable}

var reasons = map[v1.NodeConditionType]map[v1.ConditionStatus]string{
	v1.NodeMemoryPressure: {v1.ConditionFalse: "KubeletHasSufficientMemory", v1.ConditionTrue: "KubeletHasInsufficientMemory"},
	v1.NodeDiskPressure:   {v1.ConditionFalse: "KubeletHasNoDiskPressure", v1.ConditionTrue: "KubeletHasDiskPressure"},
	v1.NodePIDPressure:    {v1.ConditionFalse: "KubeletHasSufficientPID", v1.ConditionTrue: "KubeletHasInsufficientPID"},
	v1.NodeReady:          {v1.ConditionFalse: "KubeletNotReady", v1.ConditionTrue: "KubeletReady"},
}

// join creates the node and its lease and starts its kubelet.
func (k *kubelets) join(actor string, spec nodeSpec) {
	n := nodeObject(spec)
	if len(k.disks) > 0 { // the kubelet leaves attaching to the controller, which is its default
		n.Annotations = map[string]string{"volumes.kubernetes.io/controller-managed-attach-detach": "true"}
	}
	let := &kubelet{spec: spec, last: time.Now(), clock: spec.ClockOffset.Duration, view: healthy(), cut: spec.Cut, mounts: map[v1.UniqueVolumeName]*mount{}}
	switch {
	case spec.Silent:
	case spec.Conditions != nil:
		n.Status.Conditions = spec.conditions()
	default:
		let.fill(n)
	}
	k.mu.Lock()
	_, back := k.nodes[spec.Name]
	k.nodes[spec.Name] = let
	k.forget(let)
	k.mu.Unlock()
	created, bad := k.server.create(actor, "nodes", "", decode(encode(n)))
	accept(created, bad)
	k.disks.createCSINode(k.server, created, k.limit)
	if spec.Silent {
		let.gone = true
		return
	}
	if at := spec.renewed(let.now()); at != nil {
		k.server.createLease(spec.Name, *at)
	}
	go k.every(let, spec.LeaseOffset.Duration, spec.LeasePeriod.or(10*time.Second), k.renew)
	go k.every(let, spec.StatusOffset.Duration, statusPeriod, k.tick)
	if back { // what its predecessor owed the pods that are still there
		k.catchUp(spec.Name)
	}
}

// healthy is what a kubelet sees of a machine that is well.
func healthy() map[v1.NodeConditionType]v1.ConditionStatus {
	return map[v1.NodeConditionType]v1.ConditionStatus{
		v1.NodeMemoryPressure: v1.ConditionFalse, v1.NodeDiskPressure: v1.ConditionFalse, v1.NodePIDPressure: v1.ConditionFalse, v1.NodeReady: v1.ConditionTrue}
}

// leaseSeconds is the kubelet's default of nodeLeaseDurationSeconds.
const leaseSeconds = 40

// createLease makes the lease of a node.
func (s *server) createLease(node string, at metav1.MicroTime) {
	seconds := int32(leaseSeconds)
	l := &coordinationv1.Lease{TypeMeta: metav1.TypeMeta{Kind: "Lease", APIVersion: "coordination.k8s.io/v1"}}
	l.Name = node
	l.Spec.HolderIdentity, l.Spec.RenewTime, l.Spec.LeaseDurationSeconds = &node, &at, &seconds
	accept(s.create("kubelet", "leases", v1.NamespaceNodeLease, decode(encode(l))))
}

// removeNode deletes a node and its lease.
func (s *server) removeNode(node string) {
	s.remove("user", "nodes", "", node, metav1.DeleteOptions{})
	s.remove("user", "leases", v1.NamespaceNodeLease, node, metav1.DeleteOptions{})
}

// now reads the node's own clock.
func (let *kubelet) now() metav1.MicroTime { return metav1.NewMicroTime(time.Now().Add(let.clock)) }

// every runs f at offset + i*period for as long as the kubelet lives, except while it is cut off. Where heartbeats are slow, the
// next comes that much later.
func (k *kubelets) every(let *kubelet, offset, period time.Duration, f func(*kubelet)) {
	if offset == 0 {
		offset = period
	}
	for wait := offset; ; {
		time.Sleep(wait)
		k.mu.Lock()
		cut, gone, slow := let.away(), let.gone, let.slow
		k.mu.Unlock()
		if gone {
			return
		}
		if !cut && !k.server.isDown() {
			f(let)
		}
		wait = slow.or(period)
	}
}

// mutate reads an object, lets f change it, and writes it unless f says there is nothing to write.
func mutate[T any](s *server, actor, resource, sub, ns, name string, f func(*T) bool) (object, *status) {
	return s.update(actor, resource, sub, ns, name, func(cur object) (object, *status) {
		t := convert[T](cur)
		if !f(t) {
			return cur, nil
		}
		return decode(encode(t)), nil
	})
}

func (k *kubelets) renew(let *kubelet) {
	k.server.update("kubelet", "leases", "", v1.NamespaceNodeLease, let.spec.Name, func(lease object) (object, *status) {
		return with(lease, let.now().UTC().Format(metav1.RFC3339Micro), "spec", "renewTime"), nil
	})
}

// tick is the status loop: it posts when the API says otherwise or the last post is old, then it repairs
// its pods' condition Ready.
func (k *kubelets) tick(let *kubelet) {
	o := k.server.lookup("nodes", "", let.spec.Name)
	if o == nil {
		return
	}
	n, stale := convert[v1.Node](o), time.Since(let.last) >= k.report
	for kind, status := range let.view {
		if c := condition(n, kind); c == nil || c.Status != status {
			stale = true
		}
	}
	if stale || !slices.Equal(k.volumesOf(let), n.Status.VolumesInUse) {
		k.post(let)
	}
	k.reported(let)
	if k.repost {
		k.repairPods(let)
	}
}

func (k *kubelets) post(let *kubelet) {
	let.last = time.Now()
	mutate(k.server, "kubelet", "nodes", "status", "", let.spec.Name, func(n *v1.Node) bool {
		let.fill(n)
		n.Status.VolumesInUse = k.volumesOf(let)
		return true
	})
	k.reported(let)
}

// fill writes the kubelet's own view of its conditions.
func (let *kubelet) fill(n *v1.Node) {
	at := metav1.Time{Time: let.now().Time}
	for _, kind := range order {
		status, known := let.view[kind]
		if !known {
			continue
		}
		c := condition(n, kind)
		if c == nil {
			n.Status.Conditions = append(n.Status.Conditions, v1.NodeCondition{Type: kind})
			c = condition(n, kind)
		}
		if c.Status != status {
			c.LastTransitionTime = at
		}
		c.Status, c.LastHeartbeatTime, c.Reason, c.Message = status, at, reasons[kind][status], ""
	}
}

// setCondition changes what the kubelet sees; it posts at once if it can.
func (k *kubelets) setCondition(node string, kind v1.NodeConditionType, status v1.ConditionStatus) {
	k.mu.Lock()
	let := k.nodes[node]
	let.view[kind] = status
	cut := let.away()
	k.mu.Unlock()
	if !cut && !k.server.isDown() {
		k.post(let)
	}
}

func (k *kubelets) setClock(node string, ahead time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.nodes[node].clock = ahead
}

// slowHeartbeats has both loops of a kubelet wait that long after each of their ticks from now on, or as long as they do otherwise.
func (k *kubelets) slowHeartbeats(node string, period duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.nodes[node].slow = period
}

// cut takes the API server away from a kubelet, or gives it back; then pod work that is overdue is done.
func (k *kubelets) cut(node string, cut bool) {
	k.set(node, func(let *kubelet) { let.cut = cut })
}

// power stops a machine, or starts it. Of an imitated kubelet the API server sees what it sees of one that is cut off.
func (k *kubelets) power(node string, on bool) {
	k.set(node, func(let *kubelet) {
		let.off = !on
		k.forget(let)
	})
}

func (k *kubelets) set(node string, change func(*kubelet)) {
	k.mu.Lock()
	let := k.nodes[node]
	change(let)
	away := let.away()
	k.mu.Unlock()
	if !away {
		k.catchUp(node)
	}
}

// away is whether nothing of it reaches the API server.
func (let *kubelet) away() bool { return let.cut || let.off }

// leave deletes the node and its lease and ends the kubelet.
func (k *kubelets) leave(node string) {
	k.mu.Lock()
	k.nodes[node].gone = true
	k.mu.Unlock()
	k.server.removeNode(node)
}

// restart is beyond imitation.
func (k *kubelets) restart(string, time.Duration) {
	fail(`restart-kubelet needs "kubelets": "upstream"`)
}

// serverIsBack has every kubelet do what it owes its pods.
func (k *kubelets) serverIsBack() { k.catchUp("") }
