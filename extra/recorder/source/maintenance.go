package recorder

import (
	"context"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/kubectl/pkg/drain"
)

// maintenance is what scripts and operators do that reboot nodes: so many at a time are drained, as kubectl does it,
// and switched off; when they have booted and are Ready again they are uncordoned, and the next ones begin. The steps
// are those of taintsim's own action, with upstream's kubectl, so that all that follows from them is upstream's.
type maintenance struct {
	AtATime      int      `json:"at-a-time"`
	Off          duration `json:"off"`
	Uncordon     *bool    `json:"uncordon"`
	IfNotDrained string   `json:"if-not-drained"` // stop, skip, or go-on
}

// readyPoll is how often it is looked whether a node is Ready again.
const readyPoll = time.Second

// Who switched a machine off; it is on when nobody did.
const (
	byFault       = "fault"
	byMaintenance = "maintenance"
)

// power switches a machine off or on, for one who does so.
func (r *run) power(node, by string, on bool) {
	r.mu.Lock()
	if r.off[node] == nil {
		r.off[node] = map[string]bool{}
	}
	r.off[node][by] = !on
	free := !r.off[node][byFault] && !r.off[node][byMaintenance]
	r.mu.Unlock()
	if !on || free {
		r.kubelets.power(node, on)
	}
}

// maintain goes on by itself until all nodes had their turn, or one could not be drained that stops the rest.
func (r *run) maintain(nodes []string, m maintenance, o drainOptions) {
	var mu sync.Mutex
	stopped := false
	workqueue.ParallelizeUntil(context.Background(), max(m.AtATime, 1), len(nodes), func(i int) {
		mu.Lock()
		over := stopped
		mu.Unlock()
		if !over && !r.maintainNode(nodes[i], m, o) {
			mu.Lock()
			stopped = true
			mu.Unlock()
		}
	})
}

// maintainNode is one node's turn; false if it ends the maintenance.
func (r *run) maintainNode(node string, m maintenance, o drainOptions) bool {
	found, drained := r.drain([]string{node}, o)
	if !found {
		return true
	}
	if !drained {
		switch m.IfNotDrained {
		case "", "stop":
			return false
		case "skip":
			r.uncordon(node)
			return true
		case "go-on":
		default:
			fail("a maintenance stops, skips a node or goes on (go-on), not", m.IfNotDrained)
		}
	}
	at := time.Now()
	r.power(node, byMaintenance, false)
	time.Sleep(m.Off.Duration)
	r.power(node, byMaintenance, true)
	if r.comesBack(node, at) && value(m.Uncordon, true) {
		r.uncordon(node)
	}
	return true
}

// uncordon is kubectl uncordon.
func (r *run) uncordon(node string) {
	h := r.helper(drainOptions{})
	if n, err := h.Client.CoreV1().Nodes().Get(context.Background(), node, metav1.GetOptions{}); err == nil {
		_ = drain.RunCordonOrUncordon(h, n, false)
	}
}

// renewed is when a node's lease was last renewed.
func (s *server) renewed(node string) time.Time {
	l := s.lookup("leases", v1.NamespaceNodeLease, node)
	at, err := time.Parse(metav1.RFC3339Micro, text(l, "spec", "renewTime"))
	if l == nil || err != nil {
		return time.Time{}
	}
	return at
}

// comesBack waits until a machine that went off at that time has a Ready node again, by its kubelet's word since then;
// false if the node is gone.
func (r *run) comesBack(node string, off time.Time) bool {
	nodes := r.client("user", r.kubectl).CoreV1().Nodes()
	for ; ; time.Sleep(readyPoll) {
		n, err := nodes.Get(context.Background(), node, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false
		}
		if err != nil {
			continue
		}
		c := condition(n, v1.NodeReady)
		if c == nil || c.Status != v1.ConditionTrue {
			continue
		}
		if c.LastHeartbeatTime.Unix() > off.Unix() || r.server.renewed(node).After(off.Truncate(time.Microsecond)) {
			return true
		}
	}
}
