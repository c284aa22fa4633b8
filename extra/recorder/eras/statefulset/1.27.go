package recorder

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller/statefulset"
)

func newStatefulSet(p *program, c kubernetes.Interface) (any, error) {
	core, apps := p.informers.Core().V1(), p.informers.Apps().V1()
	return statefulset.NewStatefulSetController(p.ctx, core.Pods(), apps.StatefulSets(), core.PersistentVolumeClaims(), apps.ControllerRevisions(), c), nil
}
