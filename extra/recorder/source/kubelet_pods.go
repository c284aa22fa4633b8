package recorder

import (
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// podConditions are those that a kubelet sets when a pod has started.
var podConditions = []v1.PodConditionType{v1.PodInitialized, v1.PodReady, v1.ContainersReady, v1.PodScheduled}

// podDue is what a kubelet has to do for one pod, and when.
type podDue struct {
	ns, name, node string
	start, stop    time.Time
	started        bool
	disks          []v1.UniqueVolumeName // that have to be attached; it starts once they are
	ended          bool                  // its containers have, and need no disks any more
}

// repairPods sets pods that the node lifecycle controller marked as not ready back to Ready.
func (k *kubelets) repairPods(let *kubelet) {
	marked, _ := k.server.list("pods", func(o object) bool {
		return text(o, "spec", "nodeName") == let.spec.Name && text(o, "metadata", "deletionTimestamp") == "" && isUnready(o)
	})
	for _, o := range marked {
		mutate(k.server, "kubelet", "pods", "status", text(o, "metadata", "namespace"), text(o, "metadata", "name"), func(p *v1.Pod) bool {
			setPodCondition(p, v1.PodReady, v1.ConditionTrue, "", "")
			return true
		})
	}
}

// isUnready says whether a pod has the condition Ready, and it is False. Kubelets ask it of all of their pods at each report, so that none
// is read into upstream's type for it.
func isUnready(pod object) bool {
	conditions, _ := get(pod, "status", "conditions").([]any)
	for _, c := range conditions {
		if text(c, "type") == string(v1.PodReady) {
			return text(c, "status") == string(v1.ConditionFalse)
		}
	}
	return false
}

// observe plans pod work; the server is locked, so it only sets timers.
func (k *kubelets) observe(old, new object) {
	if new == nil {
		k.lost(old)
		k.end(types.UID(text(old, "metadata", "uid")))
		return
	}
	node, uid := text(new, "spec", "nodeName"), types.UID(text(new, "metadata", "uid"))
	if node == "" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	d := k.due[uid]
	if d == nil {
		d = &podDue{ns: text(new, "metadata", "namespace"), name: text(new, "metadata", "name"), node: node, disks: k.disks.of(new)}
		k.due[uid] = d
		k.await(uid, d)
	}
	if text(new, "metadata", "deletionTimestamp") != "" && d.stop.IsZero() {
		d.stop = time.Now().Add(k.stop)
		time.AfterFunc(k.stop, func() { k.work(uid) })
	}
}

// work does whatever is due for one pod, if its kubelet reaches the API server.
func (k *kubelets) work(uid types.UID) {
	down := k.server.isDown()
	k.mu.Lock()
	d := *k.due[uid]
	let, at := k.nodes[d.node], time.Now()
	if let == nil || let.away() || let.gone || down {
		k.mu.Unlock()
		return
	}
	stop := !d.stop.IsZero() && !at.Before(d.stop)
	start := !d.started && !stop && !d.start.IsZero() && !at.Before(d.start)
	k.due[uid].started = d.started || start
	if stop {
		k.due[uid].ended = true
		k.release(let)
	}
	k.mu.Unlock()
	if start {
		k.startPod(uid, d)
	}
	if stop {
		grace := int64(0)
		k.server.remove("kubelet", "pods", d.ns, d.name, metav1.DeleteOptions{GracePeriodSeconds: &grace, Preconditions: &metav1.Preconditions{UID: &uid}})
	}
}

// startPod makes a pod Running and Ready in one write.
func (k *kubelets) startPod(uid types.UID, d podDue) {
	mutate(k.server, "kubelet", "pods", "status", d.ns, d.name, func(p *v1.Pod) bool {
		if p.UID != uid || p.Status.Phase != v1.PodPending {
			return false
		}
		t := metav1.Now()
		p.Status.Phase, p.Status.StartTime = v1.PodRunning, &t
		for _, kind := range podConditions {
			setPodCondition(p, kind, v1.ConditionTrue, "", "")
		}
		if len(d.disks) > 0 {
			setContainersRunning(p)
		}
		return true
	})
}

// catchUp does what became due on a node, or on all if empty, while the API server was out of reach.
func (k *kubelets) catchUp(node string) {
	k.mu.Lock()
	for name, let := range k.nodes {
		if node == "" || node == name {
			k.wake(let)
		}
	}
	var late []types.UID
	for uid, d := range k.due {
		if node == "" || d.node == node {
			late = append(late, uid)
		}
	}
	k.mu.Unlock()
	for _, uid := range late {
		k.work(uid)
	}
	k.mirror()
}
