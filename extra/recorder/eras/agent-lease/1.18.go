package recorder

import (
	"context"

	lease "k8s.io/kubernetes/pkg/kubelet/nodelease"
)

// leaseLoop is the controller that renews the node's lease (pkg/kubelet/kubelet.go: NewMainKubelet).
func (a *agent) leaseLoop() func(context.Context) {
	c := lease.NewController(a.machine.clock(), a.heartbeats, a.machine.spec.Name, leaseSeconds, nil)
	return func(ctx context.Context) { c.Run(ctx.Done()) }
}
