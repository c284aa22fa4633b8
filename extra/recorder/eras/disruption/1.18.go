package recorder

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller/disruption"
)

func newDisruption(p *program, c kubernetes.Interface) (any, error) {
	scale, err := scales(p, c)
	if err != nil {
		return nil, err
	}
	core, apps, budgets := p.informers.Core().V1(), p.informers.Apps().V1(), p.informers.Policy().V1beta1().PodDisruptionBudgets()
	return disruption.NewDisruptionController(core.Pods(), budgets, core.ReplicationControllers(), apps.ReplicaSets(), apps.Deployments(), apps.StatefulSets(), c,
		restMapper(), scale), nil
}
