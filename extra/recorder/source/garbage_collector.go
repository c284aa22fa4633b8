package recorder

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/meta/testrestmapper"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// gcSync is how often kube-controller-manager has the garbage collector ask which resources there are.
const gcSync = 30 * time.Second

// gcWorkers are the garbage collector's, unless a flag says otherwise.
const gcWorkers = 20

// mapper knows which kinds there are from upstream's types. That of kube-controller-manager asks the API
// server, from time to time anew.
type mapper struct{ meta.RESTMapper }

func (mapper) Reset() {}

func restMapper() mapper { return mapper{testrestmapper.TestOnlyStaticRESTMapper(legacyscheme.Scheme)} }

// collector is the garbage collector with both of its loops
// (cmd/kube-controller-manager/app/core.go: startGarbageCollectorController).
type collector struct {
	gc        any
	discovery discovery.DiscoveryInterface
}

// newCollector constructs it; its objects are read and deleted through a client for metadata.
func newCollector(p *program, c kubernetes.Interface) (any, error) {
	started := make(chan struct{})
	close(started) // what it watches beside the others, it starts by itself
	gc, err := newGarbageCollector(p, c, metadata.NewForConfigOrDie(p.config("garbage-collector")), started)
	return collector{gc, c.Discovery()}, err
}

func (c collector) Run(ctx context.Context) {
	go c.sync(ctx)
	switch gc := c.gc.(type) {
	case interface{ Run(int, <-chan struct{}) }:
		gc.Run(gcWorkers, ctx.Done())
	case interface{ Run(context.Context, int) }:
		gc.Run(ctx, gcWorkers)
	case interface {
		Run(context.Context, int, time.Duration)
	}:
		gc.Run(ctx, gcWorkers, gcSync)
	default:
		panic("the garbage collector runs in a form that garbage_collector.go does not know")
	}
}

func (c collector) sync(ctx context.Context) {
	switch gc := c.gc.(type) {
	case interface {
		Sync(discovery.ServerResourcesInterface, time.Duration, <-chan struct{})
	}:
		gc.Sync(c.discovery, gcSync, ctx.Done())
	case interface {
		Sync(context.Context, discovery.ServerResourcesInterface, time.Duration)
	}:
		gc.Sync(ctx, c.discovery, gcSync)
	default:
		panic("the garbage collector syncs in a form that garbage_collector.go does not know")
	}
}
