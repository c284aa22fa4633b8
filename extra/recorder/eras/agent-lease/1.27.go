package recorder

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/apimachinery/lease"
	"k8s.io/kubernetes/pkg/kubelet/util"
)

// leaseLoop is the controller that renews the node's lease (pkg/kubelet/kubelet.go: NewMainKubelet).
func (a *agent) leaseLoop() func(context.Context) {
	name := a.machine.spec.Name
	owner := util.SetNodeOwnerFunc(a.heartbeats, name)
	return lease.NewController(a.machine.clock(), a.heartbeats, name, leaseSeconds, nil, leaseRenewal, name, v1.NamespaceNodeLease, owner).Run
}
