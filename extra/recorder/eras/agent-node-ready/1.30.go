package recorder

import (
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubelet/nodestatus"
)

// readyCondition says Ready for a machine on which nothing fails but what the scenario says.
func readyCondition(m *machine) nodestatus.Setter {
	return nodestatus.ReadyCondition(m.now, m.unready, well, well, func() cm.Status { return cm.Status{} }, well, quiet, false)
}
