package recorder

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
)

func newTaintEviction(p *program, c kubernetes.Interface) (any, error) {
	return tainteviction.New(p.ctx, c, p.informers.Core().V1().Pods(), p.informers.Core().V1().Nodes(), "taint-eviction-controller")
}
