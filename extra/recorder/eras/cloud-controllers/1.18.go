package recorder

import (
	"k8s.io/client-go/kubernetes"
	cloudcontrollers "k8s.io/kubernetes/pkg/controller/cloud"
)

func newCloudNodeLifecycle(p *program, c kubernetes.Interface) (any, error) {
	return cloudcontrollers.NewCloudNodeLifecycleController(p.informers.Core().V1().Nodes(), c, p.cloud, cloudMonitorPeriod)
}

func newCloudNode(p *program, c kubernetes.Interface) (any, error) {
	return cloudcontrollers.NewCloudNodeController(p.informers.Core().V1().Nodes(), c, p.cloud, cloudStatusPeriod)
}
