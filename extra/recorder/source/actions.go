package recorder

import (
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// act does one action of a scenario.
func (r *run) act(a *action) {
	if !r.actOnNode(a) && !r.actOnPod(a) && !r.actOnWorkload(a) && !r.actOnDevice(a) && !r.actOnServer(a) {
		fail("unknown action", a.Do)
	}
}

func (r *run) actOnNode(a *action) bool {
	switch a.Do {
	case "cut", "heal":
		for _, n := range a.nodeNames() {
			r.kubelets.cut(n, a.Do == "cut")
		}
	case "crash", "boot":
		for _, n := range a.nodeNames() {
			r.power(n, byFault, a.Do == "boot")
		}
	case "restart-kubelet":
		for _, n := range a.nodeNames() {
			r.kubelets.restart(n, a.Downtime.Duration)
		}
	case "taint", "untaint":
		r.node(a, func(n *v1.Node) {
			n.Spec.Taints = editTaints(n.Spec.Taints, a.Taint, a.Do == "taint")
			n.Spec.Taints = editTaints(n.Spec.Taints, a.Untaint, false)
		})
	case "cordon", "uncordon":
		r.node(a, func(n *v1.Node) { n.Spec.Unschedulable = a.Do == "cordon" })
	case "label-node":
		r.node(a, func(n *v1.Node) {
			for k, v := range a.Labels {
				if v == nil {
					delete(n.Labels, k)
				} else {
					n.Labels[k] = *v
				}
			}
		})
	case "condition":
		for _, n := range a.nodeNames() {
			r.kubelets.setCondition(n, v1.NodeConditionType(a.Type), a.Status)
		}
	case "create-node":
		r.kubelets.join("kubelet", *a.Spec)
		r.server.publish(*a.Spec)
	case "delete-node":
		for _, n := range a.nodeNames() {
			r.kubelets.leave(n)
		}
	case "clock":
		for _, n := range a.nodeNames() {
			r.kubelets.setClock(n, a.Ahead.Duration)
		}
	case "slow-heartbeats":
		for _, n := range a.nodeNames() {
			r.kubelets.slowHeartbeats(n, a.Period)
		}
	case "drain":
		go r.drain(a.nodeNames(), a.Drain)
	case "maintain":
		go r.maintain(a.nodeNames(), a.maintenance, a.Drain)
	case "instance":
		for _, n := range a.nodeNames() {
			r.cloud.set(n, a.State)
		}
	default:
		return false
	}
	return true
}

// editTaints adds taints, each in place of the one with its key and effect, or removes them.
func editTaints(taints []v1.Taint, edit string, add bool) []v1.Taint {
	if edit == "" {
		return taints
	}
	for _, part := range strings.Split(edit, ",") {
		taint := parseTaint(part)
		var keep []v1.Taint
		for _, t := range taints {
			if t.Key != taint.Key || taint.Effect != "" && t.Effect != taint.Effect {
				keep = append(keep, t)
			}
		}
		if add {
			keep = append(keep, taint)
		}
		taints = keep
	}
	return taints
}

func (r *run) node(a *action, f func(*v1.Node)) {
	for _, name := range a.nodeNames() {
		accept(mutate(r.server, "user", "nodes", "", "", name, func(n *v1.Node) bool { f(n); return true }))
	}
}

func (r *run) actOnPod(a *action) bool {
	s, ns := r.server, namespace(a.Namespace)
	switch a.Do {
	case "create-pod":
		s.createPod("user", *a.PodSpec)
	case "delete-pod":
		s.remove("user", "pods", ns, a.Pod, metav1.DeleteOptions{GracePeriodSeconds: a.Grace})
	case "evict-pod":
		eviction := object{"metadata": object{"name": a.Pod, "namespace": ns}}
		if a.Grace != nil {
			eviction["deleteOptions"] = object{"gracePeriodSeconds": *a.Grace}
		}
		go s.evict(s, "user", ns, a.Pod, encode(eviction))
	case "bind-pod":
		s.bind("user", ns, a.Pod, "", a.Node)
	case "patch-pod-tolerations":
		// The API allows additions only, and so refuses what this does; it is written past the strategies.
		mutate(s, "user", "pods", unchecked, ns, a.Pod, func(p *v1.Pod) bool {
			p.Spec.Tolerations = a.Tolerations
			return true
		})
	case "patch-pod-finalizers":
		accept(mutate(s, "user", "pods", "", ns, a.Pod, func(p *v1.Pod) bool {
			p.Finalizers = a.Finalizers
			return true
		}))
	default:
		return false
	}
	return true
}

func (r *run) actOnWorkload(a *action) bool {
	s, ns := r.server, namespace(a.Namespace)
	switch a.Do {
	case "scale":
		kind, name, _ := strings.Cut(a.Workload, "/")
		accept(s.update("user", strings.ToLower(kind)+"s", "", ns, name, func(cur object) (object, *status) {
			return with(cur, a.Replicas, "spec", "replicas"), nil
		}))
	case "create-workload":
		s.createWorkload(*a.Created)
	case "delete-workload":
		kind, name, _ := strings.Cut(a.Workload, "/")
		policy := metav1.DeletePropagationBackground
		if a.Propagation != "" {
			policy = metav1.DeletionPropagation(a.Propagation)
		}
		s.remove("user", strings.ToLower(kind)+"s", ns, name, metav1.DeleteOptions{PropagationPolicy: &policy})
	case "create-budget":
		s.createBudget(*a.Budget)
	case "change-budget":
		accept(s.update("user", "poddisruptionbudgets", "", namespace(a.Budget.Namespace), a.Budget.Name, func(cur object) (object, *status) {
			cur = with(with(cur, nil, "spec", "minAvailable"), nil, "spec", "maxUnavailable")
			return merge(cur, object{"spec": a.Budget.rule()}), nil
		}))
	case "delete-budget":
		s.remove("user", "poddisruptionbudgets", namespace(a.Budget.Namespace), a.Budget.Name, metav1.DeleteOptions{})
	default:
		return false
	}
	return true
}

func (r *run) actOnServer(a *action) bool {
	s := r.server
	switch a.Do {
	case "restart-controllers":
		r.restartControllers(a.Downtime.Duration)
	case "lag-watches":
		s.lagWatches(a.Resource, a.Lag.Duration)
	case "stall-watches":
		s.stallWatches(a.Resource, time.Now().Add(a.Downtime.Duration))
	case "lose-watches":
		s.cutWatches(a.Resource, false)
	case "expire-watches":
		s.cutWatches(a.Resource, true)
	case "reject":
		s.rejectUntil(a.Actor, time.Now().Add(a.Downtime.Duration))
	case "api-outage":
		s.setDown(true)
		time.AfterFunc(a.Downtime.Duration, func() {
			if a.WatchCache == "lost" {
				s.cutWatches("", true)
			}
			s.setDown(false)
			r.kubelets.serverIsBack()
			r.attacher.serverIsBack()
		})
	default:
		return false
	}
	return true
}

// accept ends the run if what a scenario asks for is refused as invalid. That an object is not there is
// no mistake: a scenario may outlive it.
func accept(_ object, bad *status) {
	if bad != nil && bad.Reason != metav1.StatusReasonNotFound {
		fail("the API server refuses what the scenario asks for:", bad.Message)
	}
}
