package recorder

import (
	"cmp"
	"context"
	"math/rand"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// What a kubelet does with pods that it hears of. Upstream's are where it hears of them, its admission, and the
// manager that tells of their statuses; the pod workers between and the containers are imitated: containers
// start and stop after the scenario's times, and a pod that stopped is finished when containers are next listed.

// container stands for all of one pod's.
type container struct {
	up, stopping bool
	failed       bool      // it was killed, never ran, or is not known any more
	ends         time.Time // when it is stopping: it has ended by then, whether or not a kubelet looks
}

// podChange is what a kubelet hears of a pod.
type podChange int

const (
	podAdded podChange = iota
	podChanged
	podReconciled // its status alone; pod workers are not told (kubelet.go: HandlePodReconcile)
	podRemoved
)

// relist is how often a kubelet lists containers (pkg/kubelet/kubelet.go: genericPlegRelistPeriod).
const relist = time.Second

func untilRelist() time.Duration { return 1 + time.Duration(rand.Int63n(int64(relist))) }

// runs says whether a pod's containers may run.
func (m *machine) runs(uid types.UID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.containers[uid]
	return c != nil && c.up
}

// of gives what runs of a pod, and whether it was known.
func (m *machine) of(uid types.UID) (*container, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, known := m.containers[uid]
	if !known {
		c = &container{}
		m.containers[uid] = c
	}
	return c, known
}

// hear takes what comes of the kubelet's pods, one after the other. A kubelet that has been running for long
// knows its node, and has the pods that it has.
func (a *agent) hear(ctx context.Context, running bool) {
	for running && !a.node.Informer().HasSynced() {
		time.Sleep(time.Nanosecond)
	}
	a.podUpdates(ctx, func(is podChange, p *v1.Pod) {
		a.process.stopHere()
		switch is {
		case podAdded:
			a.pods.AddPod(p)
			a.add(p, running)
		case podChanged:
			a.pods.UpdatePod(p)
			a.stopIfAsked(p)
		case podReconciled:
			a.pods.UpdatePod(p)
		case podRemoved:
			removePod(a.pods, p)
			a.forget(p)
		}
	})
}

// add admits a pod, also one that runs already: a kubelet that starts admits all of its pods anew, one after the other (kubelet.go:
// HandlePodAdditions). One that has been running for long did so long ago.
func (a *agent) add(p *v1.Pod, running bool) {
	c, known := a.machine.of(p.UID)
	if p.Status.Phase == v1.PodRunning && running && !known {
		c.up = true
	}
	switch {
	case !terminal(p) && !(running && c.up) && !notStarted(p) && !a.admit(p):
	case p.DeletionTimestamp != nil:
		a.stopIfAsked(p)
	case terminal(p):
	case c.up:
		a.statuses.set(p, a.ran(p, true))
	case p.Status.Phase == v1.PodRunning: // its machine was off: it is found stopped, and started anew
		a.after(untilRelist(), p.UID, func(now *v1.Pod) {
			a.statuses.set(now, a.ran(now, false))
			a.after(a.fleet.start, p.UID, a.begin)
		})
	default:
		a.after(a.fleet.start, p.UID, a.begin)
	}
}

func terminal(p *v1.Pod) bool {
	return p.Status.Phase == v1.PodSucceeded || p.Status.Phase == v1.PodFailed
}

// notStarted is about a pod that is to end and has no containers: up to 1.21 it counts as terminated (kubelet_pods.go: podIsTerminated).
func notStarted(p *v1.Pod) bool {
	return !asksWorkers && p.DeletionTimestamp != nil && p.Status.Phase == v1.PodPending
}

// after does something with a pod, as it is then, if this kubelet still lives and has it.
func (a *agent) after(d time.Duration, uid types.UID, f func(*v1.Pod)) {
	time.AfterFunc(d, func() {
		a.process.stopHere()
		if p, ok := a.pods.GetPodByUID(uid); ok {
			f(p)
		}
	})
}

// admit asks upstream's admission, and refuses the pod as upstream does (kubelet.go: rejectPod).
func (a *agent) admit(p *v1.Pod) bool {
	var others []*v1.Pod
	for _, o := range a.pods.GetPods() {
		if o.UID != p.UID && !terminal(o) && !a.refuses(o.UID) {
			others = append(others, o)
		}
	}
	ok, reason, message := a.admits(p, others)
	if !ok {
		a.mu.Lock()
		a.refused[p.UID] = false
		a.mu.Unlock()
		a.recorder.Eventf(p, v1.EventTypeWarning, reason, message)
		a.statuses.set(p, v1.PodStatus{QOSClass: p.Status.QOSClass, Phase: v1.PodFailed, Reason: reason, Message: "Pod was rejected: " + message})
	}
	return ok
}

func (a *agent) refuses(uid types.UID) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, refused := a.refused[uid]
	return refused
}

// housekeeping is how often a kubelet looks for what it does not know (pkg/kubelet/kubelet.go: housekeepingPeriod).
const housekeeping = 2 * time.Second

// keepHouse is that, as far as it matters to pods that a kubelet refuses when it starts (kubelet_pods.go: HandlePodCleanups).
func (a *agent) keepHouse(ctx context.Context) {
	for ; ctx.Err() == nil; time.Sleep(housekeeping) {
		a.process.stopHere()
		a.mu.Lock()
		a.settled = a.settled || a.heard
		settled := a.settled
		a.mu.Unlock()
		if !settled {
			continue
		}
		for _, p := range a.pods.GetPods() {
			a.mu.Lock()
			_, refused := a.refused[p.UID]
			ending := a.ending[p.UID]
			a.mu.Unlock()
			switch c, _ := a.machine.of(p.UID); {
			case !refused || ending:
			case c.up && endsRefused:
				a.endRefused(p, c)
			case !c.up && terminalBeforeRemoval && p.DeletionTimestamp != nil && terminal(p):
				a.statuses.finished(p)
			}
		}
	}
}

// endRefused ends what runs of a refused pod, unless it is ending.
func (a *agent) endRefused(p *v1.Pod, c *container) {
	a.mu.Lock()
	a.refused[p.UID] = true
	a.mu.Unlock()
	if c.stopping {
		return
	}
	grace := int64(refusedGrace)
	if grace == 0 {
		grace = *p.Spec.TerminationGracePeriodSeconds
	}
	c.stopping, c.ends = true, time.Now().Add(min(a.fleet.stop, time.Duration(grace)*time.Second))
	// Another kubelet may admit the pod, and start it anew.
	time.AfterFunc(time.Until(c.ends), func() { c.up, c.stopping = false, false })
}

// begin has a pod's containers run.
func (a *agent) begin(p *v1.Pod) {
	if c, _ := a.machine.of(p.UID); !c.stopping && !a.refuses(p.UID) {
		c.up = true
		a.statuses.set(p, a.ran(p, true))
	}
}

// ran is the status of a pod that runs, or whose containers have stopped though they are not to.
func (a *agent) ran(p *v1.Pod, up bool) v1.PodStatus {
	with := p.DeepCopy()
	with.Status.Phase = v1.PodRunning
	if with.Status.StartTime == nil {
		with.Status.StartTime = &metav1.Time{Time: a.machine.now()}
	}
	for _, kind := range podConditions {
		if !up && (kind == v1.PodReady || kind == v1.ContainersReady) {
			setPodCondition(with, kind, v1.ConditionFalse, "ContainersNotReady", "containers with unready status: [main]")
		} else {
			setPodCondition(with, kind, v1.ConditionTrue, "", "")
		}
	}
	return with.Status
}

// stopIfAsked ends a pod that is being deleted, and waits for its end. An earlier kubelet may have begun it.
func (a *agent) stopIfAsked(p *v1.Pod) {
	if p.DeletionTimestamp == nil {
		return
	}
	a.mu.Lock()
	ending := a.ending[p.UID]
	a.ending[p.UID] = true
	a.mu.Unlock()
	if ending {
		return
	}
	c, _ := a.machine.of(p.UID)
	if !c.stopping {
		c.stop(p, a.fleet.stop)
	}
	a.after(time.Until(c.ends), p.UID, a.stopped)
}

// stop asks what runs of a pod to end, which takes so long, but no longer than its grace.
func (c *container) stop(p *v1.Pod, stop time.Duration) {
	c.stopping = true
	grace := max(*p.DeletionGracePeriodSeconds, 1)
	if limit := time.Duration(grace) * time.Second; limit < stop {
		stop, c.failed = limit, true
	}
	if terminal(p) && !c.up {
		stop = 0
	}
	c.failed = c.failed || !c.up || exits(p) != "0"
	c.ends = time.Now().Add(stop)
}

// exits is the exit code of a pod's containers that end when they are asked to, as an annotation of the scenario says it. Upstream's
// phase goes by it, whoever owns the pod (pkg/kubelet/kubelet_pods.go: getPhase).
func exits(p *v1.Pod) string { return cmp.Or(p.Annotations["exit-code"], "0") }

// stopped tells of a pod's end (pkg/kubelet/kubelet.go: SyncTerminatingPod), and of the end of the
// kubelet's work on it when it next lists containers (SyncTerminatedPod).
func (a *agent) stopped(p *v1.Pod) {
	c, _ := a.machine.of(p.UID)
	c.up = false
	if !terminalBeforeRemoval {
		if p.Status.Phase == v1.PodRunning {
			a.statuses.set(p, a.ran(p, false))
		}
		a.statuses.finished(p)
		return
	}
	with := p.DeepCopy()
	if !terminal(with) {
		with.Status.Phase = v1.PodSucceeded
		if c.failed {
			with.Status.Phase = v1.PodFailed
		}
	}
	a.statuses.set(p, with.Status)
	a.after(untilRelist(), p.UID, a.statuses.finished)
}

// forget is about a pod that is gone: what still runs of it is stopped unseen.
func (a *agent) forget(p *v1.Pod) {
	a.machine.mu.Lock()
	delete(a.machine.containers, p.UID)
	a.machine.mu.Unlock()
	keep := map[types.UID]bool{}
	for _, o := range a.pods.GetPods() {
		keep[o.UID] = true
	}
	a.statuses.keep(keep)
}
