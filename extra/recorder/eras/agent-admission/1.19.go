package recorder

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
)

// admission is what a kubelet asks before it takes a pod (pkg/kubelet/lifecycle/predicate.go).
func (a *agent) admission(of *lifecycle.PodAdmitAttributes) lifecycle.PodAdmitResult {
	node := func() (*v1.Node, error) { return a.ownNode() }
	nothing := func(*framework.NodeInfo, *lifecycle.PodAdmitAttributes) error { return nil }
	return lifecycle.NewPredicateAdmitHandler(node, lifecycle.NewAdmissionFailureHandlerStub(), nothing).Admit(of)
}
