package recorder

import (
	"context"
	"fmt"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

// construction is how one controller is made, as kube-controller-manager makes it (../eras), and how many
// workers it has unless a flag says otherwise. Nothing is made of what a release does not have.
type construction struct {
	construct func(*program, kubernetes.Interface) (any, error)
	workers   int
}

var constructions = map[string]construction{
	"node-lifecycle":        {newNodeLifecycle, 0},
	"taint-eviction":        {newTaintEviction, 0},
	"pod-gc":                {newPodGC, 0},
	"replicaset":            {newReplicaSet, 5},
	"statefulset":           {newStatefulSet, 5},
	"deployment":            {newDeployment, 5},
	"daemonset":             {newDaemonSet, 2},
	"job":                   {newJob, 5},
	"disruption":            {newDisruption, 1},
	"garbage-collector":     {newCollector, 0},
	"attach-detach":         {newAttachDetach, 0},
	"persistent-volume":     {newPersistentVolume, 0},
	"resource-claim":        {newResourceClaim, 50},
	"device-taint-eviction": {newDeviceTaintEviction, 8},
}

// cloudConstructions are the cloud controller manager's controllers as far as nodes' lives go, which share an actor.
var cloudConstructions = []func(*program, kubernetes.Interface) (any, error){newCloudNodeLifecycle, newCloudNode}

// controller constructs one controller and gives how to run it, or nil where this release does not have it.
func controller(name string, p *program) (func(), error) {
	switch name {
	case "scheduler":
		return kubeScheduler(p)
	case cloudActor:
		return cloudControllers(p)
	}
	of, ok := constructions[name]
	if !ok {
		return nil, fmt.Errorf("there is no such controller; SCENARIO.md lists them")
	}
	c, err := of.construct(p, p.client(name))
	if c == nil || err != nil {
		return nil, err
	}
	return running(c, of.workers, p.ctx)
}

// running is upstream's Run, whose form depends on the controller and on the release.
func running(c any, workers int, ctx context.Context) (func(), error) {
	switch c := c.(type) {
	case interface{ Run(<-chan struct{}) }:
		return func() { c.Run(ctx.Done()) }, nil
	case interface{ Run(context.Context) }:
		return func() { c.Run(ctx) }, nil
	case interface{ Run(int, <-chan struct{}) }:
		return func() { c.Run(workers, ctx.Done()) }, nil
	case interface{ Run(context.Context, int) }:
		return func() { c.Run(ctx, workers) }, nil
	case interface{ Run(context.Context) error }:
		return func() {
			if err := c.Run(ctx); err != nil {
				panic(err)
			}
		}, nil
	case interface {
		Run(context.Context, int) error
	}:
		return func() {
			if err := c.Run(ctx, workers); err != nil {
				panic(err)
			}
		}, nil
	}
	return nil, fmt.Errorf("%T runs in a form that controllers.go does not know; add it to running", c)
}

// cloudControllers constructs the controllers of nodes that a cloud controller manager runs, each with its own client.
func cloudControllers(p *program) (func(), error) {
	var runs []func()
	for _, construct := range cloudConstructions {
		c, err := construct(p, p.client(cloudActor))
		if err != nil {
			return nil, err
		}
		start, err := runningCloud(c, p.ctx)
		if err != nil {
			return nil, err
		}
		runs = append(runs, start)
	}
	return func() {
		for _, start := range runs {
			go start()
		}
	}, nil
}

// kubeScheduler constructs the scheduler. Bindings and events go through two clients
// (cmd/kube-scheduler/app/options/options.go: createClients).
func kubeScheduler(p *program) (func(), error) {
	bindings := p.client("scheduler")
	broadcaster := events.NewBroadcaster(eventSink(p.client("scheduler")))
	scheduler, filled, err := newScheduler(p, bindings, profile.NewRecorderFactory(broadcaster), p.scheduling...)
	if err != nil {
		return nil, err
	}
	return func() {
		broadcaster.StartRecordingToSink(p.ctx.Done())
		if filled() {
			scheduler.Run(p.ctx)
		}
	}, nil
}
