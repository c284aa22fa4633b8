package recorder

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	clientrecord "k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/config"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	"k8s.io/kubernetes/pkg/kubelet/util"
)

// podSource is where the kubelet hears of its pods (pkg/kubelet/kubelet.go: makePodSourceConfig).
func (a *agent) podSource(ctx context.Context) *config.PodConfig {
	of := config.NewPodConfig(&clientrecord.FakeRecorder{}, util.NewPodStartupLatencyTracker())
	config.NewSourceApiserver(klog.Background(), a.client, types.NodeName(a.machine.spec.Name), a.node.Informer().HasSynced, of.Channel(ctx, kubetypes.ApiserverSource))
	return of
}
