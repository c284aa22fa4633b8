package recorder

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/replicaset"
)

func newReplicaSet(p *program, c kubernetes.Interface) (any, error) {
	return replicaset.NewReplicaSetController(klog.FromContext(p.ctx), p.informers.Apps().V1().ReplicaSets(), p.informers.Core().V1().Pods(), c, replicaset.BurstReplicas), nil
}
