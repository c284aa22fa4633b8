package recorder

import (
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/util"
)

// startupTracker is the field of Kubelet that measures how long a node's start takes.
func startupTracker() map[string]any {
	return map[string]any{"nodeStartupLatencyTracker": util.NewNodeStartupLatencyTracker(klog.Background())}
}
