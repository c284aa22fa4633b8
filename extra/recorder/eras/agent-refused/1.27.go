package recorder

// What becomes of a pod that a kubelet refuses when it has just started, though it ran (pkg/kubelet/kubelet_pods.go: HandlePodCleanups).
const (
	endsRefused  = true // as containers that nobody knows of
	refusedGrace = 1
	asksWorkers  = true // pod_workers.go: CouldHaveRunningContainers, podsSynced
)
