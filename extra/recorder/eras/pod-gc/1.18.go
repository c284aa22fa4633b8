package recorder

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller/podgc"
)

func newPodGC(p *program, c kubernetes.Interface) (any, error) {
	core := p.informers.Core().V1()
	return podgc.NewPodGC(c, core.Pods(), core.Nodes(), p.settings.terminatedPodGC), nil
}
