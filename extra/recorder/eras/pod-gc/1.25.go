package recorder

import (
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller/podgc"
)

func newPodGC(p *program, c kubernetes.Interface) (any, error) {
	core := p.informers.Core().V1()
	return podgc.NewPodGCInternal(p.ctx, c, core.Pods(), core.Nodes(), p.settings.terminatedPodGC, 20*time.Second+passOverhead, 40*time.Second), nil
}
