package recorder

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var success = object{"kind": "Status", "apiVersion": "v1", "status": "Success"}

// bind is the subresource binding (pkg/registry/core/pod/storage/storage.go: setPodNodeAndMetadata): from 1.23 on of the pod with that UID, if it has one.
func (s *server) bind(actor, ns, name, uid, node string) (object, *status) {
	_, bad := s.update(actor, "pods", "binding", ns, name, func(cur object) (object, *status) {
		if is := text(cur, "metadata", "uid"); s.minor >= 23 && uid != "" && uid != is {
			return nil, failure(409, metav1.StatusReasonConflict, "Operation cannot be fulfilled on pods %q: StorageError: invalid object, Code: 4, Key: /registry/pods/%s, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: %s, UID in object meta: %s", name, key(ns, name), uid, is)
		}
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
