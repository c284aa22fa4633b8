package recorder

import (
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The annotations of a static pod and of its mirror (pkg/kubelet/types/pod_update.go), and what the second says of where
// a kubelet has the pod from.
const (
	configHash   = "kubernetes.io/config.hash"
	configSource = "kubernetes.io/config.source"
	fromFile     = "file"
	fromURL      = "http"
)

// mirrorAnnotations are those of the mirror of a static pod (pkg/kubelet/pod/mirror_client.go: CreateMirrorPod).
func mirrorAnnotations(given map[string]string, p podSpec) map[string]string {
	source := ""
	switch p.Static {
	case "file":
		source = fromFile
	case "url":
		source = fromURL
	default:
		fail("a static pod is from a file or a url, not", p.Static)
	}
	all := map[string]string{configHash: p.Name, configSource: source, v1.MirrorPodAnnotationKey: p.Name}
	maps.Copy(all, given)
	return all
}

// lost notes that the mirror of a static pod is gone; its kubelet creates it again (pkg/kubelet/kubelet.go: SyncPod). The
// server is locked, so it only sets a timer.
func (k *kubelets) lost(old object) {
	if text(old, "metadata", "annotations", v1.MirrorPodAnnotationKey) == "" {
		return
	}
	mirror := object{
		"apiVersion": "v1", "kind": "Pod", "spec": old["spec"],
		"metadata": object{
			"name": text(old, "metadata", "name"), "namespace": text(old, "metadata", "namespace"),
			"labels": get(old, "metadata", "labels"), "annotations": get(old, "metadata", "annotations"),
		},
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.missing[keyOf(old)] = mirror
	time.AfterFunc(0, k.mirror)
}

// mirror creates the mirrors that are missing, as far as their kubelets reach the API server. One whose node is gone is
// not created any more.
func (k *kubelets) mirror() {
	if k.server.isDown() {
		return
	}
	k.mu.Lock()
	var make []object
	for _, name := range slices.Sorted(maps.Keys(k.missing)) {
		mirror := k.missing[name]
		if let := k.nodes[text(mirror, "spec", "nodeName")]; let == nil || let.away() && !let.gone {
			continue
		}
		delete(k.missing, name)
		make = append(make, mirror)
	}
	k.mu.Unlock()
	for _, mirror := range make {
		if k.server.lookup("nodes", "", text(mirror, "spec", "nodeName")) == nil {
			continue
		}
		_, bad := k.server.create("kubelet", "pods", text(mirror, "metadata", "namespace"), mirror)
		if bad != nil && bad.Reason != metav1.StatusReasonAlreadyExists {
			fail("the API server refuses a mirror:", bad.Message)
		}
	}
}
