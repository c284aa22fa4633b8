package cases

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/component-base/featuregate"
	"k8s.io/klog/v2"
	statsapi "k8s.io/kubelet/pkg/apis/stats/v1alpha1"
	_ "k8s.io/kubernetes/pkg/apis/core/install" // events are about pods
	"k8s.io/kubernetes/pkg/credentialprovider"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	upstream "k8s.io/kubernetes/pkg/kubelet/images"
)

// A case as `gen --images` writes it: what happens on a node with images, until its end. All spans are in milliseconds, sizes in GiB.
type instance struct {
	Name    string            `json:"name"`
	Seconds int               `json:"seconds"`
	Flags   map[string]string `json:"flags"`
	Gates   map[string]bool   `json:"gates"`
	Used    int64             `json:"used"` // of the disk of 100 GiB, by others
	There   []string          `json:"there"`
	Images  map[string]struct {
		Size        int64 `json:"size"`
		Pull, Check int   // how long a pull takes, and where the image is there
	} `json:"images"`
	Pods []struct {
		Name       string           `json:"name"`
		At         *int             `json:"at"` // none runs already
		Gone       *int             `json:"gone"`
		Policy     v1.RestartPolicy `json:"policy"`
		Stop       int              `json:"stop"`
		Containers []struct {
			Image  string `json:"image"`
			Always bool   `json:"always"`
			Ends   []int  `json:"ends"` // after how long, and with what
		} `json:"containers"`
	} `json:"pods"`
	Outages [][2]int `json:"outages"` // of the registry: from when on, how long
}

const gib = 1 << 30

// What a kubelet, its container runtime and its registry are to the managers.
type node struct {
	case_      instance
	began      time.Time
	manager    reflect.Value
	imageBacks *flowcontrol.Backoff
	crashBacks *flowcontrol.Backoff
	isOver     bool
	mutex      sync.Mutex // of what follows
	there      map[string]bool
	pulling    map[string][]time.Time // when the pulls of an image end that are under way
	refuses    chan bool              // closed when the registry begins to refuse
	isRefusing bool
	pods       []*pod
	told       []happened
	skips      bool
}

type happened struct {
	at   time.Duration
	what string
}

func (n *node) say(words ...any) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if at := time.Since(n.began); at <= time.Duration(n.case_.Seconds)*time.Second {
		n.told = append(n.told, happened{at, strings.TrimSpace(fmt.Sprintln(words...))})
	}
}

func millis(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// minor is the release's second number.
func minor() (number int) {
	fmt.Sscanf(os.Getenv("VERSION"), "v1.%d.", &number)
	return number
}

// pull is a container runtime's: it asks the registry, and loads what is not there. Of one image those that come later end with the first.
func (n *node) pull(ctx context.Context, image string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	n.mutex.Lock()
	about, now, refuses := n.case_.Images[image], time.Now(), n.refuses
	if n.isRefusing {
		n.mutex.Unlock()
		return errors.New("connection refused")
	}
	ends := now.Add(millis(about.Check))
	if n.there[image] {
	} else if others := n.pulling[image]; len(others) > 0 {
		ends = slices.MaxFunc([]time.Time{ends, slices.MinFunc(others, time.Time.Compare)}, time.Time.Compare)
	} else {
		ends = now.Add(millis(about.Pull))
	}
	n.pulling[image] = append(n.pulling[image], ends)
	n.mutex.Unlock()
	err := errors.New("connection refused")
	select {
	case <-time.After(ends.Sub(now)):
		err = nil
	case <-ctx.Done():
	case <-refuses:
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	place := slices.Index(n.pulling[image], ends)
	n.pulling[image] = slices.Delete(n.pulling[image], place, place+1)
	if err == nil {
		n.there[image] = true
	}
	return err
}

func (n *node) ref(image string) string {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return map[bool]string{true: image}[n.there[image]]
}

func (n *node) list() (all []kubecontainer.Image) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	for image := range n.there {
		all = append(all, kubecontainer.Image{ID: image, RepoTags: []string{image}, Size: n.case_.Images[image].Size * gib})
	}
	return all
}

func (n *node) remove(image string) error {
	n.say(image, "deleted")
	n.mutex.Lock()
	defer n.mutex.Unlock()
	delete(n.there, image)
	return nil
}

// containers are those that have been made, dead ones as well, of pods that are there.
func (n *node) containers() (all []*kubecontainer.Pod) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	for _, p := range n.pods {
		if p.isGone {
			continue
		}
		of := &kubecontainer.Pod{ID: p.UID, Name: p.Name}
		for _, c := range p.all {
			if c.state != kubecontainer.ContainerStateCreated {
				of.Containers = append(of.Containers, &kubecontainer.Container{Name: c.Name, Image: c.Image, ImageID: c.Image, State: c.state})
			}
		}
		all = append(all, of)
	}
	return all
}

func (n *node) stats() *statsapi.FsStats {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	capacity := uint64(100 * gib)
	used := n.case_.Used
	for image := range n.there {
		used += n.case_.Images[image].Size
	}
	available := uint64(max(100-used, 0)) * gib
	return &statsapi.FsStats{CapacityBytes: &capacity, AvailableBytes: &available}
}

// What the managers ask of a container runtime, as the releases have it: with a context, and before without. `bare` is the release's.
type (
	service    struct{ bare }
	serviceOld struct{ bare }
	disk       struct{ *node }
	diskOld    struct{ *node }
	diskOldest struct{ *node }
	times      struct{}
	events     struct{ *node }
	quiet      struct{}
)

func (s service) GetImageRef(_ context.Context, image kubecontainer.ImageSpec) (string, error) {
	return s.ref(image.Image), nil
}
func (s service) GetImageSize(context.Context, kubecontainer.ImageSpec) (uint64, error) {
	return 0, nil
}
func (s service) ListImages(context.Context) ([]kubecontainer.Image, error) { return s.list(), nil }
func (s service) RemoveImage(_ context.Context, image kubecontainer.ImageSpec) error {
	return s.remove(image.Image)
}
func (s service) GetPods(context.Context, bool) ([]*kubecontainer.Pod, error) {
	return s.containers(), nil
}
func (s serviceOld) GetImageRef(image kubecontainer.ImageSpec) (string, error) {
	return s.ref(image.Image), nil
}
func (s serviceOld) ListImages() ([]kubecontainer.Image, error) { return s.list(), nil }
func (s serviceOld) RemoveImage(image kubecontainer.ImageSpec) error {
	return s.remove(image.Image)
}
func (s serviceOld) GetPods(bool) ([]*kubecontainer.Pod, error) { return s.containers(), nil }

func (d disk) ImageFsStats(context.Context) (*statsapi.FsStats, *statsapi.FsStats, error) {
	return d.stats(), nil, nil
}
func (d diskOld) ImageFsStats(context.Context) (*statsapi.FsStats, error) { return d.stats(), nil }
func (d diskOldest) ImageFsStats() (*statsapi.FsStats, error)             { return d.stats(), nil }

func (times) RecordImageStartedPulling(types.UID)  {}
func (times) RecordImageFinishedPulling(types.UID) {}

func (e events) Event(about runtime.Object, _, reason, message string) {
	pod := about.(*v1.ObjectReference).Name
	switch {
	case reason == "Pulling":
		e.say(pod, "pulls")
	case strings.HasPrefix(message, "Successfully pulled"):
		e.say(pod, "pulled")
	}
}
func (e events) Eventf(_ runtime.Object, _, reason, format string, args ...any) {
	e.say(reason, fmt.Sprintf(format, args...))
}
func (e events) AnnotatedEventf(runtime.Object, map[string]string, string, string, string, ...any) {}

func (quiet) Event(runtime.Object, string, string, string)                                      {}
func (quiet) Eventf(runtime.Object, string, string, string, ...any)                             {}
func (quiet) AnnotatedEventf(runtime.Object, map[string]string, string, string, string, ...any) {}

// A pod with what is known of its containers.
type pod struct {
	*v1.Pod
	node    *node
	ctx     context.Context
	cancel  context.CancelFunc
	stop    time.Duration
	wake    chan bool
	all     []*container
	isGoing bool // it is to end
	isGone  bool
}

type container struct {
	*v1.Container
	ends    []int
	state   kubecontainer.State
	code    int
	exited  time.Time
	next    time.Time // when its back-off was begun
	retry   time.Time
	backsUp bool
	times   int
}

func (p *pod) nudge() {
	select {
	case p.wake <- true:
	default:
	}
}

// runs starts a container, and has it end.
func (p *pod) runs(c *container, says bool) {
	p.node.mutex.Lock()
	c.state, c.backsUp, c.retry = kubecontainer.ContainerStateRunning, false, time.Time{}
	c.times++
	times := c.times
	p.node.mutex.Unlock()
	if says {
		p.node.say(p.Name, "runs")
	}
	if c.ends == nil {
		return
	}
	time.AfterFunc(millis(c.ends[0]), func() {
		p.node.mutex.Lock()
		is := c.state == kubecontainer.ContainerStateRunning && c.times == times && !p.isGoing && !p.node.isOver
		if is {
			c.state, c.code, c.exited = kubecontainer.ContainerStateExited, c.ends[1], time.Now()
		}
		p.node.mutex.Unlock()
		if is {
			p.node.say(p.Name, "ended", c.code)
			p.nudge()
		}
	})
}

func (p *pod) restarts(c *container) bool {
	policy := p.Spec.RestartPolicy
	return c.state == kubecontainer.ContainerStateCreated || policy == v1.RestartPolicyAlways || policy == v1.RestartPolicyOnFailure && c.code != 0
}

// work is a pod's worker: it syncs the pod when a container has ended, and when a back-off is over.
func (p *pod) work() {
	for {
		waits := 24 * time.Hour
		for _, c := range p.all {
			if !c.retry.IsZero() {
				waits = min(waits, max(0, time.Until(c.retry)))
			}
		}
		select {
		case <-p.wake:
		case <-time.After(waits):
		}
		if p.node.isOver {
			return
		}
		// What happens at one instant comes in any order.
		time.Sleep(time.Duration(rand.Intn(1000)))
		if p.isGoing {
			p.terminate()
			return
		}
		p.sync()
	}
}

// sync is what SyncPod does about containers (kuberuntime_manager.go).
func (p *pod) sync() {
	n := p.node
	status := &kubecontainer.PodStatus{ID: p.UID, Name: p.Name}
	var start []*container
	n.mutex.Lock()
	for _, c := range p.all {
		if c.state == kubecontainer.ContainerStateExited {
			status.ContainerStatuses = append(status.ContainerStatuses, &kubecontainer.Status{Name: c.Name, State: c.state, FinishedAt: c.exited})
		}
		if c.state != kubecontainer.ContainerStateRunning && p.restarts(c) {
			start = append(start, c)
		}
	}
	n.mutex.Unlock()
	// HandlePodCleanups does it every two seconds.
	n.crashBacks.GC()
	for _, c := range start {
		p.start(c, status)
	}
}

func (p *pod) start(c *container, status *kubecontainer.PodStatus) {
	n := p.node
	if p.isGoing && minor() < 27 {
		n.skips = true // a sync that is under way goes on, whatever becomes of its pod
	}
	if p.ctx.Err() != nil {
		return
	}
	backs, message := doBackOff(n, p, c, status)
	if backs {
		var lasts string
		fmt.Sscanf(message, "back-off %s restarting", &lasts)
		span, _ := time.ParseDuration(lasts)
		c.retry = slices.MinFunc([]time.Time{c.exited.Add(span), c.next.Add(10*time.Minute + 1)}, time.Time.Compare)
		if !c.backsUp {
			c.backsUp = true
			n.say(p.Name, "back-off", span.Seconds())
		}
		return
	}
	if c.state == kubecontainer.ContainerStateExited {
		c.next = time.Now()
	}
	err := p.ensure(c)
	if p.isGoing && minor() < 27 {
		n.skips = true
	}
	if p.ctx.Err() != nil {
		return
	}
	if err == nil {
		p.runs(c, true)
		return
	}
	key := fmt.Sprintf("%s_%s", p.UID, c.Image)
	lasts := n.imageBacks.Get(key)
	if err == upstream.ErrImagePull {
		n.say(p.Name, "failed", lasts.Seconds())
	} else if err != upstream.ErrImagePullBackOff {
		panic(err)
	}
	c.retry = updated(n.imageBacks, key).Add(lasts)
}

// updated is when a back-off was begun.
func updated(backs *flowcontrol.Backoff, key string) time.Time {
	entry := reflect.ValueOf(backs).Elem().FieldByName("perItemBackoff").MapIndex(reflect.ValueOf(key)).Elem().FieldByName("lastUpdate")
	return *(*time.Time)(unsafe.Pointer(entry.UnsafeAddr()))
}

// ensure is EnsureImageExists, as the release has it.
func (p *pod) ensure(c *container) error {
	ref := &v1.ObjectReference{Kind: "Pod", Namespace: p.Namespace, Name: p.Name, UID: p.UID}
	function := p.node.manager.MethodByName("EnsureImageExists")
	var given []reflect.Value
	image := c.Image
	for i := range function.Type().NumIn() {
		wanted := function.Type().In(i)
		arg := reflect.Zero(wanted)
		for _, value := range []any{p.Pod, c.Container, ref, c.ImagePullPolicy, p.ctx} {
			if reflect.TypeOf(value) == wanted || wanted.Kind() == reflect.Interface && reflect.TypeOf(value).Implements(wanted) {
				arg = reflect.ValueOf(value)
			}
		}
		if wanted == reflect.TypeFor[string]() { // the first is the image, the second a runtime's handler
			arg, image = reflect.ValueOf(image), ""
		}
		if wanted.Kind() == reflect.Pointer && wanted.Elem().Name() == "PodSandboxConfig" {
			arg = reflect.New(wanted.Elem())
			metadata := arg.Elem().FieldByName("Metadata")
			metadata.Set(reflect.New(metadata.Type().Elem()))
		}
		given = append(given, arg)
	}
	err, _ := function.Call(given)[2].Interface().(error)
	return err
}

// terminate ends a pod: its containers stop, and it goes.
func (p *pod) terminate() {
	if slices.ContainsFunc(p.all, func(c *container) bool { return c.state == kubecontainer.ContainerStateRunning }) {
		time.Sleep(p.stop)
	}
	p.node.mutex.Lock()
	p.isGone = true
	p.node.mutex.Unlock()
	p.node.say(p.Name, "gone")
}

func (n *node) flag(name string, unsaid int) int {
	if text, found := n.case_.Flags[name]; found {
		number, _ := strconv.Atoi(text)
		return number
	}
	return unsaid
}

func (n *node) span(name string, unsaid time.Duration) time.Duration {
	if text, found := n.case_.Flags[name]; found {
		unsaid, _ = time.ParseDuration(text)
	}
	return unsaid
}

// managers makes what is upstream's.
func (n *node) managers() upstream.ImageGCManager {
	n.imageBacks = flowcontrol.NewBackOff(10*time.Second, 300*time.Second)
	n.crashBacks = crashLoopBackOff(n.span("max-container-restart-period", 300*time.Second))
	most := int32(n.flag("max-parallel-image-pulls", 0))
	var atMost *int32
	if most > 0 {
		atMost = &most
	}
	serial := n.case_.Flags["serialize-image-pulls"] != "false" && most < 2
	base := bare{node: n}
	common := []any{events{n}, service{base}, serviceOld{base}, disk{n}, diskOld{n}, diskOldest{n}, n.imageBacks, serial, atMost, times{},
		float32(n.flag("registry-qps", 5)), n.flag("registry-burst", 10), &credentialprovider.BasicDockerKeyring{}, "", &v1.ObjectReference{Kind: "Node", Name: "n"}}
	common = append(common, others()...)
	n.manager = called(reflect.ValueOf(upstream.NewImageManager), common...)[0].Elem()
	policy := reflect.New(reflect.TypeFor[upstream.ImageGCPolicy]()).Elem()
	for name, value := range map[string]any{"HighThresholdPercent": n.flag("image-gc-high-threshold", 85), "LowThresholdPercent": n.flag("image-gc-low-threshold", 80),
		"MinAge": n.span("minimum-image-ttl-duration", 2*time.Minute), "MaxAge": n.span("image-maximum-gc-age", 0)} {
		if field := policy.FieldByName(name); field.IsValid() {
			field.Set(reflect.ValueOf(value))
		}
	}
	return called(reflect.ValueOf(upstream.NewImageGCManager), append(common, policy.Interface())...)[0].Interface().(upstream.ImageGCManager)
}

// collect is StartGarbageCollection (kubelet.go).
func (n *node) collect(ctx context.Context, manager upstream.ImageGCManager) {
	if n.flag("image-gc-high-threshold", 85) == 100 && n.span("image-maximum-gc-age", 0) == 0 {
		return
	}
	failed, began := false, time.Now()
	// Behind the loop that only looks: up to 1.30 both work on one map.
	time.Sleep(1)
	for !n.isOver {
		err, _ := called(reflect.ValueOf(manager.GarbageCollect), ctx, began)[0].Interface().(error)
		if err != nil && failed {
			n.say("ImageGCFailed")
		}
		failed = err != nil
		time.Sleep(5 * time.Minute)
	}
}

// fails has the registry refuse for some time.
func (n *node) fails(from, lasts int) {
	time.AfterFunc(millis(from), func() {
		n.mutex.Lock()
		n.isRefusing = true
		close(n.refuses)
		n.mutex.Unlock()
		time.Sleep(millis(lasts))
		n.mutex.Lock()
		n.isRefusing, n.refuses = false, make(chan bool)
		n.mutex.Unlock()
	})
}

func (n *node) run() {
	ctx, cancel := context.WithCancel(context.Background())
	n.began, n.refuses = time.Now(), make(chan bool)
	// What runs for ever ends with the case.
	over := make(chan struct{})
	wait.NeverStop = over
	collector := n.managers()
	for _, image := range n.case_.There {
		n.there[image] = true
	}
	for i := range n.case_.Pods {
		n.add(i, ctx)
	}
	for _, outage := range n.case_.Outages {
		n.fails(outage[0], outage[1])
	}
	called(reflect.ValueOf(collector).MethodByName("Start"), ctx)
	go n.collect(ctx, collector)
	time.Sleep(time.Duration(n.case_.Seconds)*time.Second + time.Minute)
	// Pulls that wait end one after the other.
	time.Sleep(time.Hour)
	n.isOver = true
	for _, p := range n.pods {
		p.nudge()
	}
	cancel()
	close(over)
	if requests := n.manager.Elem().FieldByName("puller").Elem().Elem().FieldByName("pullRequests"); requests.IsValid() {
		reflect.NewAt(requests.Type(), unsafe.Pointer(requests.UnsafeAddr())).Elem().Close()
	}
	time.Sleep(time.Hour)
}

// add has a pod come, or be there, and go.
func (n *node) add(i int, ctx context.Context) {
	about := n.case_.Pods[i]
	p := &pod{node: n, stop: millis(about.Stop), wake: make(chan bool, 1)}
	p.Pod = &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: about.Name, Namespace: "default", UID: types.UID(about.Name)}, Spec: v1.PodSpec{RestartPolicy: about.Policy}}
	p.ctx, p.cancel = context.WithCancel(ctx)
	for place, c := range about.Containers {
		pulls := map[bool]v1.PullPolicy{true: v1.PullAlways, false: v1.PullIfNotPresent}[c.Always]
		p.Spec.Containers = append(p.Spec.Containers, v1.Container{Name: fmt.Sprint("c", place), Image: c.Image, ImagePullPolicy: pulls})
	}
	for place, c := range about.Containers {
		p.all = append(p.all, &container{Container: &p.Spec.Containers[place], ends: c.Ends, state: kubecontainer.ContainerStateCreated})
	}
	comes := func() {
		n.mutex.Lock()
		n.pods = append(n.pods, p)
		n.mutex.Unlock()
		go p.work()
	}
	if about.At == nil {
		for _, c := range p.all {
			n.there[c.Image] = true
			p.runs(c, false)
		}
		comes()
	} else {
		time.AfterFunc(millis(*about.At), func() { comes(); p.nudge() })
	}
	if about.Gone != nil {
		time.AfterFunc(millis(*about.Gone), func() {
			n.mutex.Lock()
			p.isGoing = true
			n.mutex.Unlock()
			if minor() >= 27 {
				p.cancel()
			}
			p.nudge()
		})
	}
}

// knows is whether the release knows all that a case sets.
func (c instance) knows() bool {
	since := map[string]int{"max-parallel-image-pulls": 27, "image-maximum-gc-age": 30, "max-container-restart-period": 35}
	if c.Gates["KubeletCrashLoopBackOffMax"] {
		since["max-container-restart-period"] = 33
	}
	for name, first := range since {
		if _, found := c.Flags[name]; found && minor() < first {
			return false
		}
	}
	return len(c.Gates) == 0 || minor() >= 33
}

func init() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
}

func (c instance) told(t *testing.T) (told []string) {
	if !c.knows() {
		return nil
	}
	for gate, is := range c.Gates {
		before := utilfeature.DefaultFeatureGate.Enabled(featuregate.Feature(gate))
		set := func(is bool) { utilfeature.DefaultMutableFeatureGate.Set(fmt.Sprintf("%s=%v", gate, is)) }
		set(is)
		defer set(before)
	}
	n := &node{case_: c, there: map[string]bool{}, pulling: map[string][]time.Time{}}
	synctest.Test(t, func(*testing.T) { n.run() })
	if n.skips {
		return nil
	}
	for i := range n.told {
		n.told[i].at = n.told[i].at.Truncate(time.Millisecond)
	}
	slices.SortStableFunc(n.told, func(a, b happened) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.what, b.what)) })
	for _, h := range n.told {
		told = append(told, fmt.Sprint(float64(h.at.Milliseconds())/1000, " ", h.what))
	}
	return told
}
