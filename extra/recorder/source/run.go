package recorder

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	"k8s.io/kubernetes/plugin/pkg/admission/nodetaint"
)

// run is one run of a scenario.
type run struct {
	*scenario
	server      *server
	kubelets    fleet
	manager     *program    // kube-controller-manager and kube-scheduler, which start and die together
	back        time.Time   // when they are there again
	starting    *time.Timer // what starts them then
	kubectl     *process
	cloud       *cloud
	disks       disks
	devices     devices
	attacher    *attacher
	provisioner *provisioner
	mu          sync.Mutex                 // guards what follows
	off         map[string]map[string]bool // who switched a node's machine off
}

// aHair is how much later than they say the actions up to some time come; it is drawn which time. All timers of an instant fire before
// anybody goes on in it, so that an action could never stop one that an earlier action had set for its very instant. Where the earlier
// one came a hair late, it can. Actions of one instant stay together.
const aHair = time.Nanosecond

// play runs the scenario from its first object to its horizon, and gives what came of it.
func play(sc *scenario) map[string]any {
	start := time.Now()
	r := &run{scenario: sc, kubectl: newProcess(), cloud: newCloud(), disks: sc.disks(), devices: sc.devices(), off: map[string]map[string]bool{}}
	r.server = sc.server()
	r.server.withDevices = r.devices.used
	r.server.steering, r.server.crash = newSteering(start, sc.Steer), r.restartControllers
	r.kubelets, r.attacher = r.fleet(), r.newAttacher()
	r.provisioner = &provisioner{server: r.server, disks: r.disks, begun: map[types.UID]bool{}}
	tr := newTrace(start, r.disks)
	r.server.onChange = func(actor, resource string, old, new object) {
		tr.observe(actor, resource, old, new)
		switch resource {
		case "pods":
			r.kubelets.observe(old, new)
		case "nodes":
			r.disks.observe(r.server, old, new)
		case "volumeattachments":
			r.attacher.observe(old, new)
		case "persistentvolumeclaims":
			r.provisioner.observe(new)
		}
		r.devices.observe(r.server, resource, old, new)
	}
	r.createObjects()
	time.AfterFunc(sc.Start.Duration, r.startControllers)
	lateUntil := sc.Horizon.Duration
	if n := len(sc.Actions); n > 0 {
		if i := rand.IntN(n + 1); i < n {
			lateUntil = sc.Actions[i].At.Duration
		}
	}
	for _, a := range sc.Actions {
		at := start.Add(a.At.Duration)
		if a.At.Duration < lateUntil {
			at = at.Add(aHair)
		}
		time.Sleep(time.Until(at))
		r.act(&a)
	}
	time.Sleep(time.Until(start.Add(sc.Horizon.Duration)))
	synctest.Wait()
	events, written := tr.lines()
	return map[string]any{"kubernetes": kubernetesVersion, "events": events, "written": written, "unmet": r.server.steering.unmet()}
}

func (sc *scenario) server() *server {
	s := newServer()
	setGates(sc.Gates, sc.devices().used)
	s.request, s.watch, s.storage = sc.API.Request.Duration, sc.API.Watch.Duration, sc.API.Storage.Duration
	s.response = value(sc.API.Response, duration{time.Nanosecond}).Duration
	const seconds = 300
	tolerationFlags(value(sc.Flags.NotReadySeconds, seconds), value(sc.Flags.UnreachableSeconds, seconds))
	admission := append(value(sc.Admission, []string{defaulttolerationseconds.PluginName}), nodetaint.PluginName)
	s.plugins, s.namespaces = plugins(func(plugin string) bool { return slices.Contains(admission, plugin) })
	s.evict, s.evictsByNode = evict, !value(sc.Flags.TaintManager, true)
	return s
}

// fleet gives the kubelets that the scenario asks for.
func (r *run) fleet() fleet {
	k := r.Kubelet
	start, stop, report := value(k.Start, duration{time.Second}).Duration, value(k.Stop, duration{time.Second}).Duration, k.StatusReport.or(5*time.Minute)
	switch r.Kubelets {
	case "", "imitated":
		return &kubelets{
			server: r.server, start: start, stop: stop, report: report, repost: value(k.RepostPodReady, true),
			nodes: map[string]*kubelet{}, due: map[types.UID]*podDue{}, missing: map[string]object{},
			disks: r.disks, limit: r.VolumeLimit, looksBackOff: r.server.minor < 22,
		}
	case upstreamKubelets:
		if slices.ContainsFunc(r.Pods, func(p podSpec) bool { return p.Static != "" }) {
			fail("upstream's kubelets have no static pods here")
		}
		if slices.ContainsFunc(r.Nodes, func(n nodeSpec) bool { return n.Conditions != nil }) {
			fail("upstream's kubelets have no nodes of an export here")
		}
		if len(r.disks) > 0 {
			fail("upstream's kubelets have no volumes here")
		}
		if r.devices.used {
			fail("upstream's kubelets have no devices here")
		}
		return &agents{run: r, start: start, stop: stop, report: report, nodes: map[string]*machine{}}
	}
	fail("kubelets are imitated or upstream, not", r.Kubelets)
	return nil
}

// createObjects makes what is there from the start.
func (r *run) createObjects() {
	s := r.server
	for _, ns := range r.namespaces() {
		s.createNamespace(ns, r.Namespaces[ns])
	}
	r.disks.create(s)
	r.devices.create(s, r.Claims)
	for _, n := range r.Nodes {
		r.kubelets.join("user", n)
		s.publish(n)
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
	r.attachRunning()
	r.claimRunning()
}

// namespaces are those that every cluster has, then the others that the scenario names.
func (sc *scenario) namespaces() []string {
	all := []string{"default", "kube-system", "kube-node-lease"}
	add := func(ns string) {
		if ns != "" && !slices.Contains(all, ns) {
			all = append(all, ns)
		}
	}
	for _, ns := range slices.Sorted(maps.Keys(sc.Namespaces)) {
		add(ns)
	}
	for _, p := range sc.Pods {
		add(p.Namespace)
	}
	for _, w := range sc.Workloads {
		add(w.Namespace)
	}
	for _, b := range sc.Budgets {
		add(b.Namespace)
	}
	for _, a := range sc.Actions {
		add(a.Namespace)
		if a.PodSpec != nil {
			add(a.PodSpec.Namespace)
		}
		if a.Created != nil {
			add(a.Created.Namespace)
		}
		if a.Budget != nil {
			add(a.Budget.Namespace)
		}
	}
	return all
}
