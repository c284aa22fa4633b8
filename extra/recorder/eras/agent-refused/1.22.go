package recorder

// What becomes of a pod that a kubelet refuses when it has just started, though it ran (pkg/kubelet/kubelet_pods.go: HandlePodCleanups).
const (
	endsRefused  = false // its containers run on until the pod is deleted
	refusedGrace = 0
	asksWorkers  = true // pod_workers.go: CouldHaveRunningContainers, podsSynced
)
