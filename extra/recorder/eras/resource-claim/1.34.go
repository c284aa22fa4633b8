package recorder

import (
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/resourceclaim"
	"k8s.io/kubernetes/pkg/features"
)

func newResourceClaim(p *program, c kubernetes.Interface) (any, error) {
	devices, gates := p.informers.Resource().V1(), feature.DefaultFeatureGate
	return resourceclaim.NewController(klog.FromContext(p.ctx), resourceclaim.Features{
		AdminAccess:     gates.Enabled(features.DRAAdminAccess),
		PrioritizedList: gates.Enabled(features.DRAPrioritizedList),
	}, c, p.informers.Core().V1().Pods(), devices.ResourceClaims(), devices.ResourceClaimTemplates())
}
