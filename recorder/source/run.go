package recorder

import (
	"encoding/json"
	"strings"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// run is one run of a scenario.
type run struct {
	*scenario
	server   *server
	kubelets *kubelets
	manager  *program // kube-controller-manager and kube-scheduler, which start and die together
	kubectl  *process
}

// play runs the scenario from its first object to its horizon, and gives the records.
func play(sc *scenario) []json.RawMessage {
	start := time.Now()
	r := &run{scenario: sc, server: sc.server(), kubectl: newProcess()}
	r.kubelets = sc.kubelets(r.server)
	tr := newTrace(start)
	r.server.onChange = func(actor, resource string, old, new object) {
		tr.observe(actor, resource, old, new)
		if resource == "pods" {
			r.kubelets.observe(old, new)
		}
	}
	r.createObjects()
	time.AfterFunc(sc.Start.Duration, r.startControllers)
	for _, a := range sc.Actions {
		time.Sleep(time.Until(start.Add(a.At.Duration)))
		r.act(&a)
	}
	time.Sleep(time.Until(start.Add(sc.Horizon.Duration)))
	synctest.Wait()
	return tr.lines()
}

func (sc *scenario) server() *server {
	s := newServer()
	s.request, s.watch, s.storage = sc.API.Request.Duration, sc.API.Watch.Duration, sc.API.Storage.Duration
	s.response = value(sc.API.Response, duration{time.Nanosecond}).Duration
	s.defaultTolerations = sc.Admission == nil || strings.Contains(strings.Join(*sc.Admission, ","), "DefaultTolerationSeconds")
	const seconds = 300
	s.tolerationSeconds = [2]int64{value(sc.Flags.NotReadySeconds, seconds), value(sc.Flags.UnreachableSeconds, seconds)}
	s.evict = evict
	return s
}

func (sc *scenario) kubelets(s *server) *kubelets {
	second := duration{time.Second}
	return &kubelets{
		server: s, start: value(sc.Kubelet.Start, second).Duration, stop: value(sc.Kubelet.Stop, second).Duration,
		report: sc.Kubelet.StatusReport.or(5 * time.Minute), repost: value(sc.Kubelet.RepostPodReady, true),
		nodes: map[string]*kubelet{}, due: map[types.UID]*podDue{},
	}
}

// createObjects makes what is there from the start.
func (r *run) createObjects() {
	s := r.server
	for _, ns := range []string{"default", "kube-system", "kube-node-lease"} {
		s.create("user", "namespaces", "", object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": ns}})
	}
	for _, n := range r.Nodes {
		r.kubelets.join("user", n, false)
	}
	owned := func(whether bool) {
		for _, p := range r.Pods {
			if (p.Owner != "") == whether {
				s.createPod("user", p)
			}
		}
	}
	owned(false)
	for _, w := range r.Workloads {
		s.createWorkload(w)
	}
	owned(true)
	for _, b := range r.Budgets {
		s.createBudget(b)
	}
}
