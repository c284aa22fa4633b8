package recorder

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller/job"
)

func newJob(p *program, c kubernetes.Interface) (any, error) {
	return job.NewController(p.ctx, p.informers.Core().V1().Pods(), p.informers.Batch().V1().Jobs(), c), nil
}
