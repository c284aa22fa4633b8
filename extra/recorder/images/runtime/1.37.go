package cases

import (
	"context"
	"time"
	"unsafe"

	"go.opentelemetry.io/otel/trace/noop"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/flowcontrol"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/credentialprovider"
	_ "k8s.io/kubernetes/pkg/kubelet"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/images"
	"k8s.io/kubernetes/pkg/kubelet/images/pullmanager"
	_ "k8s.io/kubernetes/pkg/kubelet/kuberuntime"
)

// bare is a container runtime that pulls images, in the words of the release.
type bare struct {
	kubecontainer.Runtime
	*node
}

func (b bare) PullImage(ctx context.Context, image kubecontainer.ImageSpec, _ []credentialprovider.TrackedAuthConfig, _ *runtimeapi.PodSandboxConfig) (string, *credentialprovider.TrackedAuthConfig, error) {
	return image.Image, nil, b.pull(ctx, image.Image)
}

func (bare) GetContainerStatus(context.Context, types.UID, kubecontainer.ContainerID) (*kubecontainer.Status, error) {
	return &kubecontainer.Status{}, nil
}

// others is what the image manager has of others besides.
func others() []any {
	return []any{noop.NewTracerProvider(), &pullmanager.NoopImagePullManager{}, []images.PostImageGCHook(nil)}
}

//go:linkname newCrashLoopBackOff k8s.io/kubernetes/pkg/kubelet.newCrashLoopBackOff
func newCrashLoopBackOff(*kubeletconfig.KubeletConfiguration) (time.Duration, time.Duration)

// crashLoopBackOff is that of NewMainKubelet.
func crashLoopBackOff(most time.Duration) *flowcontrol.Backoff {
	config := &kubeletconfig.KubeletConfiguration{CrashLoopBackOff: kubeletconfig.CrashLoopBackOffConfig{MaxContainerRestartPeriod: &metav1.Duration{Duration: most}}}
	most, first := newCrashLoopBackOff(config)
	backOff := flowcontrol.NewBackOff(first, most)
	backOff.HasExpiredFunc = func(eventTime, lastUpdate time.Time, _ time.Duration) bool {
		return eventTime.Sub(lastUpdate) > 600*time.Second
	}
	return backOff
}

func (q quiet) WithLogger(klog.Logger) record.EventRecorderLogger { return q }

// The beginning of a kubeGenericRuntimeManager.
type manager struct {
	_        string
	recorder record.EventRecorderLogger
	_        [4096]byte
}

//go:linkname upstreamDoBackOff k8s.io/kubernetes/pkg/kubelet/kuberuntime.(*kubeGenericRuntimeManager).doBackOff
func upstreamDoBackOff(unsafe.Pointer, context.Context, *v1.Pod, *v1.Container, *kubecontainer.PodStatus, *flowcontrol.Backoff) (bool, string, error)

func doBackOff(n *node, p *pod, c *container, status *kubecontainer.PodStatus) (bool, string) {
	m := &manager{recorder: quiet{}}
	is, message, _ := upstreamDoBackOff(unsafe.Pointer(m), p.ctx, p.Pod, c.Container, status, n.crashBacks)
	return is, message
}
