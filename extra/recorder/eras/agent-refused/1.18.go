package recorder

// What becomes of a pod that a kubelet refuses when it has just started, though it ran (pkg/kubelet/kubelet_pods.go: HandlePodCleanups).
const (
	endsRefused  = true  // housekeeping ends its containers
	refusedGrace = 0     // within so many seconds; within the pod's own grace if zero
	asksWorkers  = false // its phase waits for the first housekeeping; and pods that end without having started are refused, too
)
