package recorder

import (
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/scale"
)

// scales is the disruption controller's client for the subresource scale, which has a limiter of its own
// (cmd/kube-controller-manager/app/policy.go: startDisruptionController).
func scales(p *program, c kubernetes.Interface) (scale.ScalesGetter, error) {
	return scale.NewForConfig(p.config("disruption"), restMapper(), dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(c.Discovery()))
}

// scaled are the resources that have the subresource scale.
var scaled = map[string]bool{"deployments": true, "replicasets": true, "statefulsets": true}

// scale answers a read of the subresource.
func (s *server) scale(resource, ns, name string) (any, *status) {
	o := s.lookup(resource, ns, name)
	if o == nil || !scaled[resource] {
		return nil, notFound(resource, name)
	}
	return object{
		"kind": "Scale", "apiVersion": "autoscaling/v1", "spec": object{"replicas": get(o, "spec", "replicas")},
		"metadata": object{"name": name, "namespace": ns, "uid": get(o, "metadata", "uid"), "resourceVersion": get(o, "metadata", "resourceVersion")},
	}, nil
}
