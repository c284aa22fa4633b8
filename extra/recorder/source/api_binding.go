package recorder

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var success = object{"kind": "Status", "apiVersion": "v1", "status": "Success"}

// bind is the subresource binding (pkg/registry/core/pod/storage/storage.go: setPodHostAndAnnotations).
func (s *server) bind(actor, ns, name, node string) (object, *status) {
	_, bad := s.update(actor, "pods", "binding", ns, name, func(cur object) (object, *status) {
		if text(cur, "spec", "nodeName") != "" || text(cur, "metadata", "deletionTimestamp") != "" {
			return nil, failure(409, metav1.StatusReasonConflict, "pod %q is bound or being deleted", name)
		}
		p := convert[v1.Pod](cur)
		p.Spec.NodeName = node
		setPodCondition(p, v1.PodScheduled, v1.ConditionTrue, "", "")
		return decode(encode(p)), nil
	})
	return success, bad
}

// setPodCondition is upstream's UpdatePodCondition.
func setPodCondition(p *v1.Pod, kind v1.PodConditionType, status v1.ConditionStatus, reason, message string) {
	c := podCondition(p, kind)
	if c == nil {
		p.Status.Conditions = append(p.Status.Conditions, v1.PodCondition{Type: kind})
		c = podCondition(p, kind)
	}
	if c.Status != status {
		c.LastTransitionTime = metav1.Now()
	}
	c.Status, c.Reason, c.Message = status, reason, message
}
