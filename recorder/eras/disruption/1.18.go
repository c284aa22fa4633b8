package recorder

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller/disruption"
)

func newDisruption(p *program, c kubernetes.Interface) (any, error) {
	core, apps, budgets := p.informers.Core().V1(), p.informers.Apps().V1(), p.informers.Policy().V1beta1().PodDisruptionBudgets()
	return disruption.NewDisruptionController(core.Pods(), budgets, core.ReplicationControllers(), apps.ReplicaSets(), apps.Deployments(), apps.StatefulSets(), c,
		meta.NewDefaultRESTMapper(nil), nil), nil
}
