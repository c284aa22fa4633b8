package recorder

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller/deployment"
)

func newDeployment(p *program, c kubernetes.Interface) (any, error) {
	apps := p.informers.Apps().V1()
	return deployment.NewDeploymentController(apps.Deployments(), apps.ReplicaSets(), p.informers.Core().V1().Pods(), c)
}
