package recorder

import (
	"context"
	_ "unsafe" // for the link to what upstream does not export

	"k8s.io/apimachinery/pkg/util/wait"
	upstream "k8s.io/kubernetes/pkg/kubelet"
)

//go:linkname syncNodeStatus k8s.io/kubernetes/pkg/kubelet.(*Kubelet).syncNodeStatus
func syncNodeStatus(*upstream.Kubelet, context.Context)

// syncNodeStatuses posts a node's status again and again (pkg/kubelet/kubelet.go: Run).
func syncNodeStatuses(ctx context.Context, kl *upstream.Kubelet) {
	wait.JitterUntil(func() { syncNodeStatus(kl, ctx) }, statusPeriod, 0.04, true, ctx.Done())
}
