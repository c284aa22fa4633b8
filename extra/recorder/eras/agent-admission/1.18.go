package recorder

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/scheduler/nodeinfo"
)

// admission is what a kubelet asks before it takes a pod (pkg/kubelet/lifecycle/predicate.go).
func (a *agent) admission(of *lifecycle.PodAdmitAttributes) lifecycle.PodAdmitResult {
	node := func() (*v1.Node, error) { return a.ownNode() }
	nothing := func(*nodeinfo.NodeInfo, *lifecycle.PodAdmitAttributes) error { return nil }
	return lifecycle.NewPredicateAdmitHandler(node, lifecycle.NewAdmissionFailureHandlerStub(), nothing).Admit(of)
}
