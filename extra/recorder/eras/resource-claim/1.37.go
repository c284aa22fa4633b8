package recorder

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/resourceclaim"
)

func newResourceClaim(p *program, c kubernetes.Interface) (any, error) {
	devices := p.informers.Resource().V1()
	return resourceclaim.NewController(klog.FromContext(p.ctx), c, p.informers.Core().V1().Pods(), p.informers.Scheduling().V1beta1().PodGroups(),
		devices.ResourceClaims(), devices.ResourceClaimTemplates())
}
