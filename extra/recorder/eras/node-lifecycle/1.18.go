package recorder

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
)

func newNodeLifecycle(p *program, c kubernetes.Interface) (any, error) {
	f, s := p.informers, p.settings
	return nodelifecycle.NewNodeLifecycleController(f.Coordination().V1().Leases(), f.Core().V1().Pods(), f.Core().V1().Nodes(), f.Apps().V1().DaemonSets(), c,
		s.monitorPeriod, s.startupGrace, s.monitorGrace, s.podEvictionTimeout, s.evictionRate, s.secondaryRate, s.largeCluster, s.unhealthyZone, s.taintManager)
}
