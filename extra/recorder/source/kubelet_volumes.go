package recorder

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// mount is what a kubelet knows of a volume that its pods need.
type mount struct {
	reported bool          // in the node's status, by a check of it
	found    bool          // attached, by a look at the node's status
	looking  bool          // the next look has its timer
	pause    time.Duration // after the last look, where looks back off
	next     time.Time     // no look comes before
}

// lookPeriod is that of the loop in which a kubelet looks for what is attached (pkg/kubelet/volumemanager: reconcilerLoopSleepPeriod).
const lookPeriod = 100 * time.Millisecond

// The pauses of upstream's back-off (pkg/util/goroutinemap/exponentialbackoff).
const (
	firstPause = 500 * time.Millisecond
	mostPause  = 2*time.Minute + 2*time.Second
)

// await plans the start of a pod: a while after it was bound, or after its disks were found to be attached; k.mu is held.
func (k *kubelets) await(uid types.UID, d *podDue) {
	let := k.nodes[d.node]
	if let != nil {
		k.wake(let)
	}
	if let == nil && len(d.disks) > 0 || !let.finds(d.disks) {
		return
	}
	d.start = time.Now().Add(k.start)
	time.AfterFunc(k.start, func() { k.work(uid) })
}

// finds says whether all of these volumes were found to be attached.
func (let *kubelet) finds(volumes []v1.UniqueVolumeName) bool {
	return !slices.ContainsFunc(volumes, func(v v1.UniqueVolumeName) bool { return let.mounts[v] == nil || !let.mounts[v].found })
}

func (let *kubelet) need(volumes []v1.UniqueVolumeName) {
	for _, v := range volumes {
		if let.mounts[v] == nil {
			let.mounts[v] = &mount{}
		}
	}
}

// volumesOf are the volumes that the pods of a kubelet need, sorted.
func (k *kubelets) volumesOf(let *kubelet) []v1.UniqueVolumeName {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.desired(let)
}

// desired is volumesOf where k.mu is held.
func (k *kubelets) desired(let *kubelet) (volumes []v1.UniqueVolumeName) {
	for _, d := range k.due {
		if d.node == let.spec.Name && !d.ended {
			volumes = append(volumes, d.disks...)
		}
	}
	slices.Sort(volumes)
	return slices.Compact(volumes)
}

// reported notes that the node's status says of all volumes that they are in use. Whether a check had to write that, or found it there,
// is the same (pkg/kubelet/kubelet_node_status.go: markVolumesFromNode).
func (k *kubelets) reported(let *kubelet) {
	k.mu.Lock()
	defer k.mu.Unlock()
	volumes := k.desired(let)
	let.need(volumes)
	for _, v := range volumes {
		let.mounts[v].reported = true
	}
	k.wake(let)
}

// wake sets the timer of the next look for each volume that may be looked for; k.mu is held.
func (k *kubelets) wake(let *kubelet) {
	if k.looksBackOff { // looks do not wait for the report
		let.need(k.desired(let))
	}
	for volume, m := range let.mounts {
		if m.found || m.looking || !m.reported && !k.looksBackOff {
			continue
		}
		m.looking = true
		at := time.Now().Truncate(time.Microsecond) // an action may come a hair late
		if m.next.After(at) {
			at = m.next
		}
		at = at.Add(lookPeriod - 1).Truncate(lookPeriod)
		time.AfterFunc(time.Until(at), func() { k.look(let, volume, m) })
	}
}

// look is one look for a volume. From 1.22.5 and 1.23.1 on it comes only once the volume is reported, and costs nothing if it is in vain
// (waitForVolumeAttach in pkg/kubelet/volumemanager/reconciler, and GenerateVerifyControllerAttachedVolumeFunc of the operations, which
// reads the node's status before there is an operation that could back off). Whoever comes back wakes the looks that end here.
func (k *kubelets) look(let *kubelet, volume v1.UniqueVolumeName, m *mount) {
	down, attached := k.server.isDown(), k.server.reportsAttached(let.spec.Name, volume)
	k.mu.Lock()
	defer k.mu.Unlock()
	m.looking = false
	switch {
	case let.mounts[volume] != m || let.gone || let.away() || down:
		return
	case m.reported && attached:
		m.found = true
		for uid, d := range k.due {
			if d.node == let.spec.Name && d.start.IsZero() && slices.Contains(d.disks, volume) {
				k.await(uid, d)
			}
		}
	case k.looksBackOff:
		m.pause = min(max(2*m.pause, firstPause), mostPause)
		m.next = time.Now().Add(m.pause + 1)
	default:
		m.next = time.Now().Add(lookPeriod)
	}
	k.wake(let)
}

// reportsAttached says whether the node's status has the volume as attached.
func (s *server) reportsAttached(node string, volume v1.UniqueVolumeName) bool {
	all, _ := get(s.lookup("nodes", "", node), "status", "volumesAttached").([]any)
	return slices.ContainsFunc(all, func(v any) bool { return text(v, "name") == string(volume) })
}

// setContainersRunning says of a pod's containers that they run. A pod that is deleted and does not say so needs its disks no more, as the
// controller sees it (pkg/volume/util: IsPodTerminated); nobody else asks.
func setContainersRunning(p *v1.Pod) {
	for _, c := range p.Spec.Containers {
		running := &v1.ContainerStateRunning{StartedAt: metav1.Now()}
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, v1.ContainerStatus{Name: c.Name, Image: c.Image, Ready: true, State: v1.ContainerState{Running: running}})
	}
}

// mounted notes that a kubelet has these volumes from the start.
func (k *kubelets) mounted(node string, volumes []v1.UniqueVolumeName) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, v := range volumes {
		k.nodes[node].mounts[v] = &mount{reported: true, found: true}
	}
}

// end plans the end of the containers of a pod that is gone before its kubelet ended them; the server is locked.
func (k *kubelets) end(uid types.UID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if d := k.due[uid]; d != nil && len(d.disks) > 0 && d.stop.IsZero() {
		d.stop = time.Now().Add(k.stop)
		time.AfterFunc(k.stop, func() { k.work(uid) })
	}
}

// release forgets the volumes that no pod needs any more; k.mu is held.
func (k *kubelets) release(let *kubelet) {
	needed := k.desired(let)
	for v := range let.mounts {
		if !slices.Contains(needed, v) {
			delete(let.mounts, v)
		}
	}
}

// forget is what a machine that stops does with all that is mounted; k.mu is held.
func (k *kubelets) forget(let *kubelet) {
	let.mounts = map[v1.UniqueVolumeName]*mount{}
	for _, d := range k.due {
		if d.node == let.spec.Name && len(d.disks) > 0 && !d.started {
			d.start = time.Time{}
		}
	}
}
