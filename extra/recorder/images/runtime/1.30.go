package cases

import (
	"context"
	"time"
	"unsafe"

	"go.opentelemetry.io/otel/trace"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/flowcontrol"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	_ "k8s.io/kubernetes/pkg/kubelet/kuberuntime"
)

// bare is a container runtime that pulls images, in the words of the release.
type bare struct {
	kubecontainer.Runtime
	*node
}

func (b bare) PullImage(ctx context.Context, image kubecontainer.ImageSpec, _ []v1.Secret, _ *runtimeapi.PodSandboxConfig) (string, error) {
	return image.Image, b.pull(ctx, image.Image)
}

// others is what the image manager has of others besides.
func others() []any { return []any{trace.NewNoopTracerProvider()} }

// crashLoopBackOff is that of NewMainKubelet.
func crashLoopBackOff(time.Duration) *flowcontrol.Backoff {
	return flowcontrol.NewBackOff(10*time.Second, 300*time.Second)
}

// The beginning of a kubeGenericRuntimeManager.
type manager struct {
	_        string
	recorder record.EventRecorder
	_        [4096]byte
}

//go:linkname upstreamDoBackOff k8s.io/kubernetes/pkg/kubelet/kuberuntime.(*kubeGenericRuntimeManager).doBackOff
func upstreamDoBackOff(unsafe.Pointer, *v1.Pod, *v1.Container, *kubecontainer.PodStatus, *flowcontrol.Backoff) (bool, string, error)

func doBackOff(n *node, p *pod, c *container, status *kubecontainer.PodStatus) (bool, string) {
	m := &manager{recorder: quiet{}}
	is, message, _ := upstreamDoBackOff(unsafe.Pointer(m), p.Pod, c.Container, status, n.crashBacks)
	return is, message
}
