package recorder

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// admission is what a kubelet asks before it takes a pod (pkg/kubelet/lifecycle/predicate.go).
func (a *agent) admission(of *lifecycle.PodAdmitAttributes) lifecycle.PodAdmitResult {
	node := func(context.Context, bool) (*v1.Node, error) { return a.ownNode() }
	nothing := func(*framework.NodeInfo, *lifecycle.PodAdmitAttributes) error { return nil }
	return lifecycle.NewPredicateAdmitHandler(node, lifecycle.NewAdmissionFailureHandlerStub(), nothing).Admit(of)
}
