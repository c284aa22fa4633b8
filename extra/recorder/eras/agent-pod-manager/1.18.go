package recorder

import (
	v1 "k8s.io/api/core/v1"
	kubepod "k8s.io/kubernetes/pkg/kubelet/pod"
)

// newPodManager makes what keeps the pods that the kubelet has heard of.
func newPodManager() kubepod.Manager { return kubepod.NewBasicPodManager(nil, nil, nil, nil) }

func removePod(from kubepod.Manager, p *v1.Pod) { from.DeletePod(p) }
