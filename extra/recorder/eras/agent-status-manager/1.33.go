package recorder

import (
	podstatus "k8s.io/kubernetes/pkg/kubelet/status"
	"k8s.io/kubernetes/pkg/kubelet/util"
)

// newStatusManager makes what tells of the pods' statuses.
func (a *agent) newStatusManager() podstatus.Manager {
	return podstatus.NewManager(a.client, a.pods, a, util.NewPodStartupLatencyTracker())
}
