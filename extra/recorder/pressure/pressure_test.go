package cases

import (
	"context"
	"fmt"
	"math/rand"
	"reflect"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	statsapi "k8s.io/kubelet/pkg/apis/stats/v1alpha1"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
	"k8s.io/utils/clock"
)

// A case as `gen --pressure` writes it: a kubelet's eviction manager has its statistics and the ends of pods from it. What is used is spelled as in a scenario.
type instance struct {
	Name         string            `json:"name"`
	Seconds      int               `json:"seconds"`
	Flags        map[string]string `json:"flags"`
	Capacity     map[string]string `json:"capacity"`
	Usage        map[string]string `json:"usage"`
	UnusedImages string            `json:"unused_images"`
	Pods         []struct {
		Name     string            `json:"name"`
		Priority int32             `json:"priority"`
		Requests map[string]string `json:"requests"`
		Usage    map[string]string `json:"usage"`
		Stop     int               `json:"stop"` // milliseconds
	} `json:"pods"`
}

// A piece of what is used: from some time on so much, and more with every second, up to a bound.
type piece struct {
	from               time.Duration
	amount, rate, most int64
}

func bytes(text string) int64 {
	quantity := resource.MustParse(strings.TrimSpace(text))
	return quantity.Value()
}

// usage reads `1Gi + 10Mi/s up to 3Gi, 5m: 2Gi`.
func usage(text string) (pieces []piece) {
	for _, part := range strings.Split(text, ",") {
		var p piece
		if at, rest, found := strings.Cut(part, ":"); found {
			p.from, _ = time.ParseDuration(strings.TrimSpace(at))
			part = rest
		}
		part, most, bounded := strings.Cut(part, "up to")
		amount, rate, grows := strings.Cut(part, "+")
		p.amount, p.most = bytes(amount), 1<<62
		if grows {
			p.rate = bytes(strings.TrimSuffix(strings.TrimSpace(rate), "/s"))
		}
		if bounded {
			p.most = bytes(most)
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// at is what is used so long after the beginning.
func at(pieces []piece, t time.Duration) int64 {
	var now piece
	for _, p := range pieces {
		if p.from <= t {
			now = p
		}
	}
	return min(now.amount+now.rate*(t-now.from).Milliseconds()/1000, now.most)
}

type node struct {
	case_  instance
	began  time.Time
	own    map[string][]piece
	pods   []*v1.Pod
	uses   map[types.UID]map[string][]piece
	stops  map[types.UID]time.Duration
	unused int64
	told   []string
	ended  bool
}

func (n *node) say(format string, args ...any) {
	if since := time.Since(n.began); since <= time.Duration(n.case_.Seconds)*time.Second {
		n.told = append(n.told, fmt.Sprint(float64(since.Milliseconds())/1000, " ", fmt.Sprintf(format, args...)))
	}
}

// of is what a pod uses of something, or the node itself.
func (n *node) of(pieces map[string][]piece, name string) int64 {
	if all, found := pieces[name]; found {
		return at(all, time.Since(n.began))
	}
	return 0
}

// used is what is used of some things by all pods and, if asked, by the node itself.
func (n *node) used(itself bool, names ...string) (sum int64) {
	for _, name := range names {
		if itself {
			sum += n.of(n.own, name)
		}
		for _, pod := range n.pods {
			sum += n.of(n.uses[pod.UID], name)
		}
	}
	return sum
}

func (n *node) dedicated() bool { return n.case_.Capacity["imagefs"] != "" }

func pointer(value int64) *uint64 { u := uint64(max(value, 0)); return &u }

func (n *node) filesystem(bytesOf, inodesOf string, more int64, names, inodes []string) *statsapi.FsStats {
	now := metav1.Now()
	fs := &statsapi.FsStats{Time: now}
	if capacity := n.case_.Capacity[bytesOf]; capacity != "" {
		fs.CapacityBytes, fs.AvailableBytes = pointer(bytes(capacity)), pointer(bytes(capacity)-n.used(true, names...)-more)
	}
	if capacity := n.case_.Capacity[inodesOf]; capacity != "" {
		fs.Inodes, fs.InodesFree = pointer(bytes(capacity)), pointer(bytes(capacity)-n.used(true, inodes...))
	}
	return fs
}

func (n *node) summary() *statsapi.Summary {
	if n.ended {
		goruntime.Goexit() // the loop of releases that take no context
	}
	now := metav1.Now()
	s := &statsapi.Summary{}
	for _, pod := range n.pods {
		uses := n.uses[pod.UID]
		memory := &statsapi.MemoryStats{Time: now, WorkingSetBytes: pointer(n.of(uses, "memory"))}
		container := statsapi.ContainerStats{Name: "main", Memory: memory,
			Logs:   &statsapi.FsStats{Time: now, UsedBytes: pointer(n.of(uses, "ephemeral-storage")), InodesUsed: pointer(n.of(uses, "inodes"))},
			Rootfs: &statsapi.FsStats{Time: now, UsedBytes: pointer(n.of(uses, "imagefs")), InodesUsed: pointer(n.of(uses, "imagefs-inodes"))}}
		s.Pods = append(s.Pods, statsapi.PodStats{PodRef: statsapi.PodReference{Name: pod.Name, Namespace: pod.Namespace, UID: string(pod.UID)},
			Containers: []statsapi.ContainerStats{container}, Memory: memory,
			ProcessStats: &statsapi.ProcessStats{ProcessCount: pointer(n.of(uses, "pids"))}})
	}
	if capacity := n.case_.Capacity["memory"]; capacity != "" {
		// There is no more in use than there is.
		all, pods := min(n.used(true, "memory"), bytes(capacity)), min(n.used(false, "memory"), bytes(capacity))
		s.Node.Memory = &statsapi.MemoryStats{Time: now, AvailableBytes: pointer(bytes(capacity) - all), WorkingSetBytes: pointer(all)}
		s.Node.SystemContainers = []statsapi.ContainerStats{{Name: statsapi.SystemContainerPods,
			Memory: &statsapi.MemoryStats{Time: now, AvailableBytes: pointer(bytes(capacity) - pods), WorkingSetBytes: pointer(pods)}}}
	}
	if n.dedicated() {
		s.Node.Fs = n.filesystem("ephemeral-storage", "inodes", 0, []string{"ephemeral-storage"}, []string{"inodes"})
		s.Node.Runtime = &statsapi.RuntimeStats{ImageFs: n.filesystem("imagefs", "imagefs-inodes", n.unused, []string{"imagefs"}, []string{"imagefs-inodes"})}
	} else {
		s.Node.Fs = n.filesystem("ephemeral-storage", "inodes", n.unused, []string{"ephemeral-storage", "imagefs"}, []string{"inodes", "imagefs-inodes"})
		s.Node.Runtime = &statsapi.RuntimeStats{ImageFs: s.Node.Fs}
	}
	if runtime := reflect.ValueOf(s.Node.Runtime).Elem().FieldByName("ContainerFs"); runtime.IsValid() {
		runtime.Set(reflect.ValueOf(s.Node.Runtime.ImageFs))
	}
	if capacity := n.case_.Capacity["pids"]; capacity != "" {
		most := bytes(capacity)
		runs := min(n.used(true, "pids"), most)
		s.Node.Rlimit = &statsapi.RlimitStats{Time: now, MaxPID: &most, NumOfRunningProcesses: &runs}
	}
	return s
}

// What the manager asks for, as the releases have it: with a context, and before without.
type (
	provider    struct{ *node }
	providerOld struct{ *node }
	disks       struct{ *node }
	disksOld    struct{ *node }
	garbage     struct{ *node }
	garbageOld  struct{ *node }
	events      struct{ *node }
)

func (p provider) Get(context.Context, bool) (*statsapi.Summary, error) { return p.summary(), nil }
func (p provider) GetCPUAndMemoryStats(context.Context) (*statsapi.Summary, error) {
	return p.summary(), nil
}
func (p providerOld) Get(bool) (*statsapi.Summary, error)               { return p.summary(), nil }
func (p providerOld) GetCPUAndMemoryStats() (*statsapi.Summary, error)  { return p.summary(), nil }
func (d disks) HasDedicatedImageFs(context.Context) (bool, error)       { return d.dedicated(), nil }
func (d disks) HasDedicatedContainerFs(context.Context) (bool, error)   { return false, nil }
func (d disksOld) HasDedicatedImageFs() (bool, error)                   { return d.dedicated(), nil }
func (g garbage) DeleteUnusedImages(context.Context) error              { g.unused = 0; return nil }
func (g garbage) DeleteAllUnusedContainers(context.Context) error       { return nil }
func (g garbageOld) DeleteUnusedImages() error                          { g.unused = 0; return nil }
func (g garbageOld) DeleteAllUnusedContainers() error                   { return nil }
func (g garbage) IsContainerFsSeparateFromImageFs(context.Context) bool { return false }
func (events) Event(runtime.Object, string, string, string)             {}
func (events) Eventf(runtime.Object, string, string, string, ...any)    {}
func (e events) AnnotatedEventf(about runtime.Object, _ map[string]string, _, reason, format string, args ...any) {
	if pod, is := about.(*v1.Pod); is && reason == "Evicted" {
		e.say("%s %s", pod.Name, fmt.Sprintf(format, args...))
	}
}

// active are the pods that run, in any order, as a kubelet takes them from a map.
func (n *node) active() []*v1.Pod {
	pods := slices.Clone(n.pods)
	rand.Shuffle(len(pods), func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
	return pods
}

// kill ends a pod, and waits for that.
func (n *node) kill(pod *v1.Pod) {
	time.Sleep(n.stops[pod.UID])
	n.pods = slices.DeleteFunc(slices.Clone(n.pods), func(p *v1.Pod) bool { return p.UID == pod.UID })
}

// pairs reads `memory.available<100Mi,nodefs.available<10%`, or with `=`.
func pairs(text, sign string) map[string]string {
	all := map[string]string{}
	for _, pair := range strings.Split(text, ",") {
		if key, value, found := strings.Cut(pair, sign); found {
			all[key] = value
		}
	}
	return all
}

func (n *node) run() {
	ctx, cancel := context.WithCancel(context.Background())
	n.began = time.Now()
	flags := n.case_.Flags
	thresholds, err := eviction.ParseThresholdConfig([]string{"pods"}, pairs(flags["eviction-hard"], "<"), pairs(flags["eviction-soft"], "<"),
		pairs(flags["eviction-soft-grace-period"], "="), pairs(flags["eviction-minimum-reclaim"], "="))
	if err != nil {
		panic(err)
	}
	config := eviction.Config{Thresholds: thresholds, PressureTransitionPeriod: 5 * time.Minute}
	if period, found := flags["eviction-pressure-transition-period"]; found {
		config.PressureTransitionPeriod, _ = time.ParseDuration(period)
	}
	kill := reflect.MakeFunc(reflect.TypeFor[eviction.KillPodFunc](), func(args []reflect.Value) []reflect.Value {
		n.kill(args[0].Interface().(*v1.Pod))
		return []reflect.Value{reflect.Zero(reflect.TypeFor[error]())}
	})
	mirror := func(*v1.Pod) (*v1.Pod, bool) { return nil, false }
	made := called(reflect.ValueOf(eviction.NewManager), provider{n}, providerOld{n}, config, kill.Interface(), mirror, garbage{n}, garbageOld{n}, events{n},
		&v1.ObjectReference{Kind: "Node", Name: "n"}, clock.RealClock{}, true, func(types.UID) string { return "" })
	manager := made[0].Interface().(eviction.Manager)
	called(made[0].Elem().MethodByName("Start"), ctx, disks{n}, disksOld{n}, n.active, func(*v1.Pod) bool { return true }, 10*time.Second)
	// The node's status is posted every ten seconds.
	var posted [3]bool
	time.Sleep(4 * time.Second)
	for range n.case_.Seconds / 10 {
		synctest.Wait()
		names := [3]string{"MemoryPressure", "DiskPressure", "PIDPressure"}
		for i, is := range [3]bool{manager.IsUnderMemoryPressure(), manager.IsUnderDiskPressure(), manager.IsUnderPIDPressure()} {
			if is != posted[i] {
				posted[i] = is
				n.say("%s=%v", names[i], map[bool]string{true: "True", false: "False"}[is])
			}
		}
		time.Sleep(10 * time.Second)
	}
	cancel()
	n.ended = true
}

func (c instance) told(t *testing.T) []string {
	n := &node{case_: c, own: map[string][]piece{}, uses: map[types.UID]map[string][]piece{}, stops: map[types.UID]time.Duration{}}
	for name, text := range c.Usage {
		n.own[name] = usage(text)
	}
	if c.UnusedImages != "" {
		n.unused = bytes(c.UnusedImages)
	}
	for _, p := range c.Pods {
		requests := v1.ResourceList{}
		for name, text := range p.Requests {
			requests[v1.ResourceName(name)] = resource.MustParse(text)
		}
		uid := types.UID(p.Name)
		n.pods = append(n.pods, &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: "default", UID: uid},
			Spec: v1.PodSpec{Priority: &p.Priority, Containers: []v1.Container{{Name: "main", Resources: v1.ResourceRequirements{Requests: requests}}}}})
		n.uses[uid], n.stops[uid] = map[string][]piece{}, time.Duration(p.Stop)*time.Millisecond
		for name, text := range p.Usage {
			n.uses[uid][name] = usage(text)
		}
	}
	synctest.Test(t, func(*testing.T) {
		n.run()
		// The loop looks whether it is to end when it has slept.
		time.Sleep(time.Minute)
	})
	return append([]string{}, n.told...)
}
