package cases

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	_ "unsafe"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/flowcontrol"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/prober"
	"k8s.io/kubernetes/pkg/kubelet/prober/results"
	"k8s.io/kubernetes/pkg/kubelet/status"
	"k8s.io/utils/exec"
)

// A case as `gen --probes` writes it: a pod that comes to its kubelet at 0. All spans without a unit are milliseconds.
type instance struct {
	Name       string       `json:"name"`
	Until      int          `json:"until"` // when it is looked at last
	Start      int          `json:"start"` // until its containers run
	Stop       int          `json:"stop"`  // how long one takes to stop that is killed
	Containers []*container `json:"containers"`
}

// A container of the pod, and of those that follow it the one that runs, or ran last.
type container struct {
	Name     string            `json:"name"`
	Probes   map[string]*probe `json:"probes"` // liveness, readiness, startup
	After    int               `json:"after"`  // from its start until it serves
	For      int               `json:"for"`    // for how long it does then; 0 for ever
	Ends     int               `json:"ends"`   // from its start until it ends by itself; 0 never
	number   int               // how many were started
	runs     bool
	since    time.Time
	exited   time.Time // of the one before it, or its own
	backsOff bool
}

type probe struct {
	Delay   int32 `json:"delay"`
	Period  int32 `json:"period"`
	Success int32 `json:"success"`
	Failure int32 `json:"failure"`
}

// What a kubelet is to its prober.
type kubelet struct {
	case_      instance
	containers []*container
	pod        *v1.Pod
	began      time.Time
	manager    reflect.Value
	of         []results.Manager // liveness, readiness, startup
	wake       chan bool
	isOver     bool
	kills      time.Time // since when the pod's sync waits for the end of a container, if it does
	isHeldUp   bool      // and something else was to be done meanwhile
	back       *flowcontrol.Backoff
	mutex      sync.Mutex // a status is written in one go with the probes out of turn that it asks for
	status     v1.PodStatus
	ready      []happened
	told       []happened
}

type happened struct {
	at   time.Duration
	what string
}

// What the manager has of others: with a context, and before without; up to 1.20 it says itself what its probes have found.
type (
	runner    struct{ *kubelet }
	runnerOld struct{ *kubelet }
	statuses  struct {
		status.Manager
		*kubelet
	}
	statusesOld struct{ statuses }
)

func (r runner) RunInContainer(_ context.Context, id kubecontainer.ContainerID, _ []string, _ time.Duration) ([]byte, error) {
	return nil, r.answer(id.ID)
}

func (r runnerOld) RunInContainer(id kubecontainer.ContainerID, _ []string, _ time.Duration) ([]byte, error) {
	return nil, r.answer(id.ID)
}

func (s statuses) GetPodStatus(uid types.UID) (v1.PodStatus, bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if uid == last {
		running := v1.ContainerState{Running: &v1.ContainerStateRunning{}}
		return v1.PodStatus{ContainerStatuses: []v1.ContainerStatus{{Name: last, ContainerID: "test://" + last, State: running}}}, true
	}
	return *s.status.DeepCopy(), true
}

// The name of a pod whose results end the loops that know no end.
const last = "last"

func (s statusesOld) SetContainerReadiness(_ types.UID, id kubecontainer.ContainerID, ready bool) {
	s.set(id, func(c *v1.ContainerStatus) { c.Ready = ready })
}

func (s statusesOld) SetContainerStartup(_ types.UID, id kubecontainer.ContainerID, started bool) {
	s.set(id, func(c *v1.ContainerStatus) { c.Started = &started })
}

// minor is the release's second number.
func minor() (number int) {
	fmt.Sscanf(os.Getenv("VERSION"), "v1.%d.", &number)
	return number
}

// phase has a worker that waits for some part of its period wait for none.
type phase struct{}

func (phase) Int63() int64   { return 0 }
func (phase) Uint64() uint64 { return 0 }
func (phase) Seed(int64)     {}

//go:linkname globalRand math/rand.globalRandGenerator
var globalRand atomic.Pointer[rand.Rand]

// answer is what a probe finds, after a time in which its kubelet does all that it does at once.
func (k *kubelet) answer(id string) error {
	time.Sleep(time.Microsecond)
	name, _, _ := strings.Cut(id, "-")
	c := k.containers[slices.IndexFunc(k.containers, func(c *container) bool { return c.Name == name })]
	after := time.Since(c.since) - milliseconds(c.After)
	if c.runs && after >= 0 && (c.For == 0 || after < milliseconds(c.For)) {
		return nil
	}
	return exec.CodeExitError{Err: errors.New("it does not serve"), Code: 1}
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func (k *kubelet) say(words ...any) {
	k.told = append(k.told, happened{time.Since(k.began).Truncate(time.Millisecond), strings.TrimSpace(fmt.Sprintln(words...))})
}

// set writes what is said of a container (status_manager.go: SetContainerReadiness, SetContainerStartup).
func (k *kubelet) set(id kubecontainer.ContainerID, change func(*v1.ContainerStatus)) {
	if id.ID == last {
		runtime.Goexit()
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	for i := range k.status.ContainerStatuses {
		if c := &k.status.ContainerStatuses[i]; c.ContainerID == id.String() {
			before := *c
			if change(c); before.Started != c.Started {
				k.comes()
			}
		}
	}
	k.sayReady()
}

// comes is called when something comes about that asks for a sync.
func (k *kubelet) comes() {
	k.isHeldUp = k.isHeldUp || !k.kills.IsZero() && time.Now().After(k.kills)
}

// sayReady says whether the pod is ready, of which the last word of an instant counts.
func (k *kubelet) sayReady() {
	ready := len(k.status.ContainerStatuses) > 0
	for _, c := range k.status.ContainerStatuses {
		ready = ready && c.Ready
	}
	if at := time.Since(k.began).Truncate(time.Millisecond); len(k.status.ContainerStatuses) > 0 {
		if last := len(k.ready) - 1; last >= 0 && k.ready[last].at == at {
			k.ready = k.ready[:last]
		}
		what := "Ready=" + map[bool]string{false: "False", true: "True"}[ready]
		if last := len(k.ready) - 1; last < 0 || k.ready[last].what != what {
			k.ready = append(k.ready, happened{at, what})
		}
	}
}

// state is the pod's status as its containers are (kubelet_pods.go: convertToAPIContainerStatuses).
func (k *kubelet) state() (status v1.PodStatus) {
	status.Phase = v1.PodRunning
	for _, c := range k.containers {
		if c.number == 0 {
			continue
		}
		s := v1.ContainerStatus{Name: c.Name, ContainerID: fmt.Sprintf("test://%s-%d", c.Name, c.number)}
		if c.runs {
			s.State.Running = &v1.ContainerStateRunning{StartedAt: metav1.NewTime(c.since.Truncate(time.Second))}
		} else {
			s.State.Terminated = &v1.ContainerStateTerminated{ExitCode: 1, FinishedAt: metav1.NewTime(c.exited)}
		}
		// From 1.35 on what was said of a container of that name (k/k#141155).
		for _, old := range k.status.ContainerStatuses {
			if old.Name == c.Name && c.runs && minor() >= 35 {
				s.Started = old.Started
			}
		}
		status.ContainerStatuses = append(status.ContainerStatuses, s)
	}
	return status
}

// sync is syncPod: it writes the pod's status, and kills and starts containers.
func (k *kubelet) sync() {
	k.mutex.Lock()
	status := k.state()
	called(k.manager.MethodByName("UpdatePodStatus"), context.Background(), k.pod, k.pod.UID, &status)
	k.status = status
	k.sayReady()
	k.mutex.Unlock()
	before := make([]time.Time, len(k.containers))
	var starts []int
	for i, c := range k.containers {
		before[i] = c.exited
		if !c.runs {
			starts = append(starts, i)
		}
	}
	for i, c := range k.containers {
		id := kubecontainer.ContainerID{Type: "test", ID: fmt.Sprintf("%s-%d", c.Name, c.number)}
		for which, probe := range []string{"liveness", "", "startup"} {
			if result, found := k.of[which].Get(id); probe != "" && c.runs && found && result == results.Failure {
				k.say(probe, "fails")
				stops := milliseconds(k.case_.Stop)
				if c.Ends > 0 {
					stops = min(stops, milliseconds(c.Ends)-time.Since(c.since))
				}
				k.comes()
				k.kills = time.Now()
				time.Sleep(stops)
				if c.runs {
					c.runs, c.exited = false, time.Now()
				}
				k.wakes() // it has seen the end by then
				starts = append(starts, i)
			}
		}
	}
	k.kills = time.Time{}
	for _, i := range starts {
		c := k.containers[i]
		if c.number == 0 {
			time.Sleep(milliseconds(k.case_.Start) - time.Since(k.began))
		}
		if c.runs || !before[i].IsZero() && k.backsOff(c, before[i]) {
			continue
		}
		k.start(c)
	}
}

// backsOff is doBackOff.
func (k *kubelet) backsOff(c *container, exited time.Time) bool {
	if k.back.IsInBackOffSince(c.Name, exited) {
		for_ := k.back.Get(c.Name)
		if !c.backsOff {
			k.say("back-off", int(for_.Seconds()))
		}
		c.backsOff = true
		time.AfterFunc(time.Until(exited.Add(for_)), k.wakes)
		return true
	}
	k.back.Next(c.Name, exited)
	return false
}

// start starts a container, which its kubelet sees at once.
func (k *kubelet) start(c *container) {
	k.say("runs")
	c.runs, c.since, c.backsOff = true, time.Now(), false
	c.number++
	if number := c.number; c.Ends > 0 {
		time.AfterFunc(milliseconds(c.Ends), func() {
			if c.runs && c.number == number {
				c.runs, c.exited = false, time.Now()
				k.comes()
				k.wakes()
			}
		})
	}
	k.wakes()
}

// wakes has the pod synced, once more if it is being synced.
func (k *kubelet) wakes() {
	select {
	case k.wake <- true:
	default:
	}
}

// made is the prober's manager, whose results the kubelet hears of (syncLoopIteration), up to 1.20 those of liveness probes alone.
func (k *kubelet) made(ctx context.Context) {
	function := reflect.ValueOf(prober.NewManager)
	var args []reflect.Value
	for i := range function.Type().NumIn() {
		for _, is := range []any{statusesOld{statuses{kubelet: k}}, statuses{kubelet: k}, runner{k}, runnerOld{k}, &record.FakeRecorder{}} {
			if reflect.TypeOf(is).Implements(function.Type().In(i)) {
				args = append(args, reflect.ValueOf(is))
				break
			}
		}
		if len(args) == i {
			k.of = append(k.of, results.NewManager())
			args = append(args, reflect.ValueOf(k.of[len(k.of)-1]))
		}
	}
	k.manager = function.Call(args)[0]
	if minor() < 21 {
		k.of = []results.Manager{k.of[0], results.NewManager(), k.of[1]}
		called(k.manager.MethodByName("Start"))
	}
	for which, manager := range k.of {
		if minor() < 21 && which > 0 {
			break
		}
		go func() {
			for {
				select {
				case <-ctx.Done():
					return
				case update := <-manager.Updates():
					ok := update.Result == results.Success
					switch which {
					case 1:
						k.set(update.ContainerID, func(c *v1.ContainerStatus) { c.Ready = ok })
					case 2:
						k.set(update.ContainerID, func(c *v1.ContainerStatus) { c.Started = &ok })
					}
					if which > 0 || update.Result == results.Failure {
						k.wakes()
					}
				}
			}
		}()
	}
}

func (k *kubelet) run() {
	ctx, cancel := context.WithCancel(context.Background())
	globalRand.Store(rand.New(phase{}))
	k.pod = &v1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default", UID: "p"}}
	for _, c := range k.case_.Containers {
		own := *c
		k.containers = append(k.containers, &own)
		made := v1.Container{Name: c.Name}
		for which, p := range c.Probes {
			spec := &v1.Probe{InitialDelaySeconds: p.Delay, PeriodSeconds: p.Period, SuccessThreshold: p.Success, FailureThreshold: p.Failure, TimeoutSeconds: 1}
			spec.Exec = &v1.ExecAction{Command: []string{"probe"}}
			switch which {
			case "liveness":
				made.LivenessProbe = spec
			case "readiness":
				made.ReadinessProbe = spec
			case "startup":
				made.StartupProbe = spec
			}
		}
		k.pod.Spec.Containers = append(k.pod.Spec.Containers, made)
	}
	k.began, k.wake = time.Now(), make(chan bool, 1)
	k.back = flowcontrol.NewBackOff(10*time.Second, 5*time.Minute)
	k.made(ctx)
	called(k.manager.MethodByName("AddPod"), ctx, k.pod)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-k.wake:
				if !k.isOver {
					k.sync()
				}
			}
		}
	}()
	k.wakes()
	time.Sleep(milliseconds(k.case_.Until))
	told := append(slices.Clone(k.told), k.ready...)
	k.isOver = true
	time.Sleep(time.Minute)
	called(k.manager.MethodByName("RemovePod"), k.pod)
	if minor() < 21 {
		spec := &v1.Probe{PeriodSeconds: 1, InitialDelaySeconds: math.MaxInt32}
		pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{UID: last}, Spec: v1.PodSpec{Containers: []v1.Container{{Name: last, ReadinessProbe: spec, StartupProbe: spec}}}}
		called(k.manager.MethodByName("AddPod"), pod)
		time.Sleep(time.Minute)
		called(k.manager.MethodByName("RemovePod"), pod)
	}
	time.Sleep(time.Hour)
	cancel()
	k.told = told
}

// told is nothing for a case in which a sync of the pod is held up by the end of a container when something else comes about, and, up to 1.20, in which
// there is a startup probe: what that finds waits for the pod's next sync, which is due every 60 to 90 s.
func (c instance) told(t *testing.T) (told []string) {
	for _, c := range c.Containers {
		if c.Probes["startup"] != nil && minor() < 21 {
			return nil
		}
	}
	k := &kubelet{case_: c}
	synctest.Test(t, func(*testing.T) { k.run() })
	if k.isHeldUp {
		return nil
	}
	slices.SortStableFunc(k.told, func(a, b happened) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.what, b.what)) })
	for _, h := range k.told {
		told = append(told, fmt.Sprint(float64(h.at.Milliseconds())/1000, " ", h.what))
	}
	return slices.Compact(told)
}
