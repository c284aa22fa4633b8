package recorder

import (
	"k8s.io/client-go/kubernetes"
	cloudnode "k8s.io/cloud-provider/controllers/node"
	cloudnodelifecycle "k8s.io/cloud-provider/controllers/nodelifecycle"
)

func newCloudNodeLifecycle(p *program, c kubernetes.Interface) (any, error) {
	return cloudnodelifecycle.NewCloudNodeLifecycleController(p.informers.Core().V1().Nodes(), c, p.cloud, cloudMonitorPeriod)
}

func newCloudNode(p *program, c kubernetes.Interface) (any, error) {
	return cloudnode.NewCloudNodeController(p.informers.Core().V1().Nodes(), c, p.cloud, cloudStatusPeriod)
}
