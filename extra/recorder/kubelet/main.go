// Upstream's whole kubelet in real time, over its fake container runtime, client-go's fake API server and an imitated logind: what comes
// about in pods that are probed, end or hang, and on the machine when it is told to go off. Written for 1.34.
//
// Each line is one event. Their names, and what is made of them, are those of tests/it/real_probes.rs.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
	_ "unsafe"

	"github.com/go-logr/logr"
	noop "go.opentelemetry.io/otel/trace/noop"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
	critest "k8s.io/cri-api/pkg/apis/testing"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kubelet/app"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/apis/config"
	cadvisortest "k8s.io/kubernetes/pkg/kubelet/cadvisor/testing"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	podconfig "k8s.io/kubernetes/pkg/kubelet/config"
	containertest "k8s.io/kubernetes/pkg/kubelet/container/testing"
	"k8s.io/kubernetes/pkg/kubelet/nodeshutdown/systemd"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	"k8s.io/kubernetes/pkg/kubelet/util"
	"k8s.io/kubernetes/pkg/util/oom"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/emptydir"
	"k8s.io/kubernetes/pkg/volume/util/hostutil"
	"k8s.io/kubernetes/pkg/volume/util/subpath"
	"k8s.io/mount-utils"
)

// kind is what a pod's container does: it serves some time after its start and for how long, ends by itself, takes so long to stop.
type kind struct {
	after, lasts, ends, stop time.Duration
	grace                    int64
	priority                 int32
	ready, live, startup     *v1.Probe
}

func probe(period, threshold, delay int32) *v1.Probe {
	return &v1.Probe{PeriodSeconds: period, FailureThreshold: threshold, InitialDelaySeconds: delay, SuccessThreshold: 1, TimeoutSeconds: 1}
}

func within(p *v1.Probe, grace int64) *v1.Probe { p.TerminationGracePeriodSeconds = &grace; return p }

const never = time.Hour

var kinds = map[string]kind{
	"ready":    {after: 12 * time.Second, lasts: never, ends: never, grace: 30, ready: probe(10, 3, 5)},
	"fails":    {after: time.Second, lasts: 20 * time.Second, ends: never, grace: 30, ready: probe(5, 3, 0)},
	"live":     {after: time.Second, lasts: 20 * time.Second, ends: never, stop: 3 * time.Second, grace: 30, ready: probe(5, 3, 0), live: probe(5, 3, 0)},
	"crash":    {lasts: never, ends: 3 * time.Second, grace: 30},
	"startup":  {after: 7 * time.Second, lasts: never, ends: never, grace: 30, ready: probe(10, 3, 0), startup: probe(2, 30, 0)},
	"hangs":    {after: 0, lasts: 10 * time.Second, ends: never, stop: never, grace: 60, live: within(probe(5, 3, 0), 4)},
	"early":    {after: never, lasts: never, ends: never, stop: time.Second, grace: 30, startup: probe(2, 3, 0)},
	"quick":    {lasts: never, ends: never, stop: 3 * time.Second, grace: 60},
	"slow":     {lasts: never, ends: never, stop: 40 * time.Second, grace: 60},
	"critical": {lasts: never, ends: never, stop: 5 * time.Second, grace: 60, priority: 2000000000},
}

const node = "n"

var (
	began = time.Now()
	out   sync.Mutex
)

func say(pod, what string) {
	at := time.Since(began).Seconds()
	out.Lock()
	defer out.Unlock()
	fmt.Printf("{\"at\": %.3f, \"of\": %q, \"what\": %q}\n", at, pod, what)
}

func kindOf(pod string) kind { name, _, _ := strings.Cut(pod, "-"); return kinds[name] }

// rt is upstream's fake runtime, with containers that end, and that take time to stop.
type rt struct {
	*critest.FakeRuntimeService
	mutex   sync.Mutex
	started map[string]time.Time
}

func (r *rt) pod(id string) string {
	r.Lock()
	defer r.Unlock()
	if c := r.Containers[id]; c != nil {
		return c.Labels["io.kubernetes.pod.name"]
	}
	return ""
}

func (r *rt) StartContainer(ctx context.Context, id string) error {
	err := r.FakeRuntimeService.StartContainer(ctx, id)
	pod := r.pod(id)
	r.mutex.Lock()
	r.started[pod] = time.Now()
	r.mutex.Unlock()
	say(pod, "start")
	if name := strings.Split(pod, "-")[0]; name == "fails" {
		time.AfterFunc(kinds[name].after, func() { say(pod, "serves") })
		time.AfterFunc(kinds[name].after+kinds[name].lasts, func() { say(pod, "idle") })
	}
	if ends := kindOf(pod).ends; ends < never {
		time.AfterFunc(ends, func() { r.exit(id, 1) })
	}
	return err
}

// exit ends a container that runs.
func (r *rt) exit(id string, code int32) {
	pod := r.pod(id)
	r.Lock()
	c := r.Containers[id]
	is := c != nil && c.State == cri.ContainerState_CONTAINER_RUNNING
	if is {
		c.State, c.FinishedAt, c.ExitCode = cri.ContainerState_CONTAINER_EXITED, time.Now().UnixNano(), code
	}
	r.Unlock()
	if is {
		r.mutex.Lock()
		delete(r.started, pod)
		r.mutex.Unlock()
		say(pod, "end")
	}
}

func (r *rt) StopContainer(ctx context.Context, id string, timeout int64) error {
	pod := r.pod(id)
	r.Lock()
	c := r.Containers[id]
	is := c != nil && c.State == cri.ContainerState_CONTAINER_RUNNING
	r.Unlock()
	if !is {
		return nil
	}
	if stop := kindOf(pod).stop; stop > time.Duration(timeout)*time.Second {
		time.Sleep(time.Duration(timeout) * time.Second)
		r.exit(id, 137)
	} else {
		time.Sleep(stop)
		r.exit(id, 0)
	}
	return nil
}

// ServeHTTP is what is probed.
func (r *rt) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	pod := strings.TrimPrefix(q.URL.Path, "/")
	r.mutex.Lock()
	at, is := r.started[pod]
	r.mutex.Unlock()
	k := kindOf(pod)
	if since := time.Since(at); !is || since < k.after || since >= k.after+k.lasts {
		w.WriteHeader(503)
	}
}

type logind struct {
	delay   time.Duration
	signals chan bool
}

func (l *logind) CurrentInhibitDelay() (time.Duration, error)      { return l.delay, nil }
func (l *logind) InhibitShutdown() (systemd.InhibitLock, error)    { return 1, nil }
func (l *logind) ReleaseInhibitLock(systemd.InhibitLock) error     { say(node, "off"); return nil }
func (l *logind) OverrideInhibitDelay(d time.Duration) error       { l.delay = d; return nil }
func (l *logind) ReloadLogindConf() error                          { return nil }
func (l *logind) MonitorShutdown(klog.Logger) (<-chan bool, error) { return l.signals, nil }

type inhibiter interface {
	CurrentInhibitDelay() (time.Duration, error)
	InhibitShutdown() (systemd.InhibitLock, error)
	ReleaseInhibitLock(lock systemd.InhibitLock) error
	ReloadLogindConf() error
	MonitorShutdown(klog.Logger) (<-chan bool, error)
	OverrideInhibitDelay(inhibitDelayMax time.Duration) error
}

//go:linkname systemDbus k8s.io/kubernetes/pkg/kubelet/nodeshutdown.systemDbus
var systemDbus func() (inhibiter, error)

func main() {
	var lasts time.Duration
	var each int
	flag.DurationVar(&lasts, "lasts", 200*time.Second, "until the shutdown")
	flag.IntVar(&each, "each", 2, "pods of each kind")
	klog.SetLogger(logr.Discard())
	flag.Parse()
	ctx := context.Background()
	signal := &logind{delay: 5 * time.Second, signals: make(chan bool, 1)}
	systemDbus = func() (inhibiter, error) { return signal, nil }
	client := fake.NewSimpleClientset()
	client.PrependReactor("patch", "nodes", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if patch := string(a.(clienttesting.PatchAction).GetPatch()); strings.Contains(patch, "shutting down") {
			say(node, "unready")
		}
		return false, nil, nil
	})
	root, err := os.MkdirTemp("", "hollow-kubelet.")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	f := options.NewKubeletFlags()
	f.RootDirectory, f.HostnameOverride = root, node
	f.MinimumGCAge = metav1.Duration{Duration: time.Minute}
	f.MaxContainerCount, f.MaxPerPodContainerCount = 100, 2
	c, err := options.NewKubeletConfiguration()
	if err != nil {
		panic(err)
	}
	c.EnableServer, c.ReadOnlyPort = false, 0
	c.CgroupsPerQOS, c.CgroupRoot = false, ""
	c.EnforceNodeAllocatable = nil
	c.EvictionHard = map[string]string{}
	c.PodLogsDir = root + "/logs"
	c.RegisterNode = true
	c.SystemCgroups, c.KubeletCgroups = "", "/kubelet"
	c.HairpinMode = config.HairpinVeth
	c.EnableControllerAttachDetach = false
	c.ShutdownGracePeriod.Duration = 30 * time.Second
	c.ShutdownGracePeriodCriticalPods.Duration = 10 * time.Second
	r := &rt{FakeRuntimeService: critest.NewFakeRuntimeService(), started: map[string]time.Time{}}
	r.FakeStatus = &cri.RuntimeStatus{Conditions: []*cri.RuntimeCondition{{Type: cri.RuntimeReady, Status: true}, {Type: cri.NetworkReady, Status: true}}}
	images := critest.NewFakeImageService()
	images.SetFakeImages([]string{"main:1"})
	recorder := &record.FakeRecorder{}
	tracker := util.NewPodStartupLatencyTracker()
	pods := podconfig.NewPodConfig(podconfig.PodConfigNotificationIncremental, recorder, tracker)
	d := &kubelet.Dependencies{
		KubeClient: client, HeartbeatClient: client,
		RemoteRuntimeService: r, RemoteImageService: images,
		CAdvisorInterface: &cadvisortest.Fake{NodeName: node},
		OSInterface:       &containertest.FakeOS{},
		ContainerManager:  cm.NewStubContainerManager(),
		VolumePlugins:     []volume.VolumePlugin{emptydir.ProbeVolumePlugins()[0]},
		OOMAdjuster:       oom.NewFakeOOMAdjuster(),
		Mounter:           &mount.FakeMounter{}, Subpather: &subpath.FakeSubpath{}, HostUtil: hostutil.NewFakeHostUtil(nil),
		PodStartupLatencyTracker: tracker, NodeStartupLatencyTracker: util.NewNodeStartupLatencyTracker(),
		TracerProvider: noop.NewTracerProvider(), Recorder: recorder, PodConfig: pods,
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go http.Serve(listener, r)
	port := listener.Addr().(*net.TCPAddr).Port

	// What the reflector of pkg/kubelet/config/apiserver.go does, over the fake client.
	updates := pods.Channel(ctx, kubetypes.ApiserverSource)
	all := client.CoreV1().Pods(metav1.NamespaceAll)
	lw := &cache.ListWatch{
		ListFunc:  func(o metav1.ListOptions) (runtime.Object, error) { return all.List(ctx, o) },
		WatchFunc: func(o metav1.ListOptions) (watch.Interface, error) { return all.Watch(ctx, o) },
	}
	last := map[string]string{}
	send := func(objects []any) {
		var list []*v1.Pod
		for _, o := range objects {
			pod := o.(*v1.Pod)
			list = append(list, pod.DeepCopy())
			tell := func(key, now, what string) {
				if last[pod.Name+key] != now && what != "" {
					say(pod.Name, what)
				}
				last[pod.Name+key] = now
			}
			tell("phase", string(pod.Status.Phase), map[v1.PodPhase]string{v1.PodRunning: "running"}[pod.Status.Phase])
			for _, c := range pod.Status.Conditions {
				if c.Type == v1.PodReady {
					tell("ready", string(c.Status), map[v1.ConditionStatus]string{v1.ConditionTrue: "ready", v1.ConditionFalse: "unready"}[c.Status])
				}
			}
		}
		updates <- kubetypes.PodUpdate{Pods: list, Op: kubetypes.SET, Source: kubetypes.ApiserverSource}
	}
	go cache.NewReflector(lw, &v1.Pod{}, cache.NewUndeltaStore(send, cache.MetaNamespaceKeyFunc), 0).Run(ctx.Done())

	if err := app.RunKubelet(ctx, &options.KubeletServer{KubeletFlags: *f, KubeletConfiguration: *c}, d); err != nil {
		panic(err)
	}
	time.Sleep(15 * time.Second)
	for name := range kinds {
		for i := range each {
			name, i := name, i
			time.AfterFunc(time.Duration(rand.Int63n(int64(6*time.Second))), func() {
				pod := fmt.Sprintf("%s-%d", name, i)
				k := kinds[name]
				target := func(p *v1.Probe) *v1.Probe {
					if p == nil {
						return nil
					}
					p = p.DeepCopy()
					p.HTTPGet = &v1.HTTPGetAction{Host: "127.0.0.1", Path: "/" + pod, Port: intstr.FromInt(port), Scheme: v1.URISchemeHTTP}
					return p
				}
				no := false
				say(pod, "created")
				_, err := client.CoreV1().Pods("default").Create(ctx, &v1.Pod{
					ObjectMeta: metav1.ObjectMeta{Name: pod, Namespace: "default", UID: types.UID("uid-" + pod), CreationTimestamp: metav1.Now()},
					Spec: v1.PodSpec{NodeName: node, RestartPolicy: v1.RestartPolicyAlways, DNSPolicy: v1.DNSDefault, EnableServiceLinks: &no,
						AutomountServiceAccountToken: &no, SecurityContext: &v1.PodSecurityContext{}, TerminationGracePeriodSeconds: &k.grace, Priority: &k.priority,
						Containers: []v1.Container{{Name: "main", Image: "main:1", ImagePullPolicy: v1.PullIfNotPresent, TerminationMessagePath: "/dev/termination-log",
							ReadinessProbe: target(k.ready), LivenessProbe: target(k.live), StartupProbe: target(k.startup)}}},
					Status: v1.PodStatus{Phase: v1.PodPending, QOSClass: v1.PodQOSBestEffort},
				}, metav1.CreateOptions{})
				if err != nil {
					panic(err)
				}
			})
		}
	}
	time.Sleep(lasts)
	say(node, "signal")
	signal.signals <- true
	time.Sleep(35 * time.Second)
}
