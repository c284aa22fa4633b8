package recorder

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	podstatus "k8s.io/kubernetes/pkg/kubelet/status"
)

// podStatuses is the status manager, under names that do not change from release to release.
type podStatuses struct{ podstatus.Manager }

func (s podStatuses) start(ctx context.Context)      { s.Start(ctx) }
func (s podStatuses) set(p *v1.Pod, to v1.PodStatus) { s.SetPodStatus(klog.TODO(), p, to) }
func (s podStatuses) finished(p *v1.Pod)             { s.TerminatePod(klog.TODO(), p) }
func (s podStatuses) keep(uids map[types.UID]bool)   { s.RemoveOrphanedStatuses(klog.TODO(), uids) }
