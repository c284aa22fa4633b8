package recorder

import (
	_ "unsafe" // for go:linkname

	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/kubernetes"
	policyclient "k8s.io/client-go/kubernetes/typed/policy/v1"
	"k8s.io/kubernetes/pkg/registry/core/pod/storage"
)

//go:linkname newEvictionStorage k8s.io/kubernetes/pkg/registry/core/pod/storage.newEvictionStorage
func newEvictionStorage(rest.StandardStorage, policyclient.PodDisruptionBudgetsGetter) *storage.EvictionREST

func newEviction(pods rest.StandardStorage, c kubernetes.Interface) rest.NamedCreater {
	return newEvictionStorage(pods, c.PolicyV1())
}
