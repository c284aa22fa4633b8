package recorder

import (
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What an export of a cluster shows of nodes and pods is theirs when the run starts. A time that it gives is one before
// the start, or a while after it.

func since(d duration) metav1.Time { return metav1.Time{Time: time.Now().Add(d.Duration)} }

// conditions are those of a node as an export shows them.
func (n nodeSpec) conditions() (all []v1.NodeCondition) {
	for _, c := range n.Conditions {
		all = append(all, v1.NodeCondition{
			Type: v1.NodeConditionType(c.Type), Status: c.Status, Reason: c.Reason,
			LastHeartbeatTime: since(c.Heartbeat), LastTransitionTime: since(c.Transition),
		})
	}
	return all
}

// renewed is when the node's lease was last renewed, now unless an export says otherwise; nil for no lease.
func (n nodeSpec) renewed(now metav1.MicroTime) *metav1.MicroTime {
	switch {
	case n.Conditions == nil:
		return &now
	case n.Renewed == nil:
		return nil
	}
	at := metav1.NewMicroTime(time.Now().Add(n.Renewed.Duration))
	return &at
}

// shown gives a pod the status that an export shows.
func (p podSpec) shown(pod *v1.Pod) {
	pod.Status.Phase = p.Phase
	if p.Phase != v1.PodPending {
		pod.Status.StartTime = &metav1.Time{Time: time.Now()}
	}
	for _, c := range p.Conditions {
		pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{
			Type: v1.PodConditionType(c.Type), Status: c.Status, Reason: c.Reason, LastTransitionTime: since(c.Transition),
		})
	}
}
