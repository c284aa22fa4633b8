package recorder

import (
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
	up, stopping, refused bool
	failed                bool      // it was killed, never ran, or is not known any more
	ends                  time.Time // when it is stopping: it has ended by then, whether or not a kubelet looks
}

// podChange is what a kubelet hears of a pod.
type podChange int

const (
	podAdded podChange = iota
	podChanged
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
		case podRemoved:
			removePod(a.pods, p)
			a.forget(p)
		}
	})
}

// add admits a pod, or takes one on that runs already.
func (a *agent) add(p *v1.Pod, running bool) {
	c, known := a.machine.of(p.UID)
	terminal := p.Status.Phase == v1.PodSucceeded || p.Status.Phase == v1.PodFailed
	if p.Status.Phase == v1.PodRunning && running && !known {
		c.up = true
	}
	switch {
	case p.DeletionTimestamp != nil:
		a.stopIfAsked(p)
	case terminal:
	case !c.up && !a.admit(p):
		c.refused = true
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
		if o.UID != p.UID && o.Status.Phase != v1.PodSucceeded && o.Status.Phase != v1.PodFailed {
			others = append(others, o)
		}
	}
	ok, reason, message := a.admits(p, others)
	if !ok {
		a.recorder.Eventf(p, v1.EventTypeWarning, reason, message)
		a.statuses.set(p, v1.PodStatus{QOSClass: p.Status.QOSClass, Phase: v1.PodFailed, Reason: reason, Message: "Pod was rejected: " + message})
	}
	return ok
}

// begin has a pod's containers run.
func (a *agent) begin(p *v1.Pod) {
	if c, _ := a.machine.of(p.UID); !c.stopping && !c.refused {
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
	if p.DeletionTimestamp == nil || a.ending[p.UID] {
		return
	}
	a.ending[p.UID] = true
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
	if terminal := p.Status.Phase == v1.PodSucceeded || p.Status.Phase == v1.PodFailed; terminal && !c.up {
		stop = 0
	}
	c.failed = c.failed || !c.up
	c.ends = time.Now().Add(stop)
}

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
	if with.Status.Phase != v1.PodSucceeded && with.Status.Phase != v1.PodFailed {
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
