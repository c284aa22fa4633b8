package cases

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/kubelet/nodeshutdown"
	"k8s.io/kubernetes/pkg/kubelet/nodeshutdown/systemd"
	"k8s.io/kubernetes/pkg/kubelet/volumemanager"
)

// A case as `gen --shutdown` writes it: a kubelet whose machine is told to go off at 60 s.
type instance struct {
	Name   string            `json:"name"`
	Flags  map[string]string `json:"flags"`
	Logind struct {
		Delay int  `json:"delay"` // seconds
		Obeys bool `json:"obeys"` // whether it takes a longer delay
	} `json:"logind"`
	Pods []*ended `json:"pods"`
	Late []struct {
		Name string `json:"name"`
		At   int    `json:"at"` // milliseconds after the machine is told
	} `json:"late"`
}

// A pod that is to end.
type ended struct {
	Name     string `json:"name"`
	Priority *int32 `json:"priority"`
	Grace    int64  `json:"grace"` // seconds
	Stop     int    `json:"stop"`  // milliseconds
}

// What a kubelet and systemd-logind are to the manager.
type node struct {
	case_           instance
	began           time.Time
	delay, override time.Duration // what logind grants, and was asked for
	locks           int
	signals         chan bool
	isTold, isOver  bool
	going           sync.Once
	off             time.Time  // zero while the machine is on
	mutex           sync.Mutex // pods end in parallel
	told            []happened
}

type happened struct {
	at   time.Duration
	what string
}

// say tells what happens until the machine is off, in that instant, too.
func (n *node) say(words ...string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if now := time.Now(); n.off.IsZero() || !now.After(n.off) {
		n.told = append(n.told, happened{now.Sub(n.began), strings.Join(words, " ")})
	}
}

// What the manager has of others: logind with a logger, and before without.
type (
	logind    struct{ *node }
	bus       struct{ logind }
	busOld    struct{ logind }
	unmounted struct{ volumemanager.VolumeManager }
	events    struct {
		record.EventRecorder
		*node
	}
)

func (l logind) CurrentInhibitDelay() (time.Duration, error) { return l.delay, nil }
func (l logind) Close() error                                { return nil }

func (l logind) InhibitShutdown() (systemd.InhibitLock, error) {
	if l.isOver {
		runtime.Goexit() // a loop that knows no end
	}
	l.locks++
	return systemd.InhibitLock(l.locks), nil
}

func (l logind) ReleaseInhibitLock(systemd.InhibitLock) error {
	if l.locks--; l.locks == 0 {
		l.goesOff()
	}
	return nil
}

// OverrideInhibitDelay writes `InhibitDelayMaxSec=%.0f`.
func (l logind) OverrideInhibitDelay(most time.Duration) error {
	l.override = time.Duration(math.RoundToEven(most.Seconds())) * time.Second
	return nil
}

func (l logind) ReloadLogindConf() error {
	if l.case_.Logind.Obeys {
		l.delay = l.override
	}
	return nil
}

func (b bus) MonitorShutdown(logr.Logger) (<-chan bool, error) { return b.signals, nil }
func (b busOld) MonitorShutdown() (<-chan bool, error)         { return b.signals, nil }

func (unmounted) WaitForAllPodsUnmount(context.Context, []*v1.Pod) error { return nil }

func (e events) Event(_ apiruntime.Object, _, reason, message string) { e.say(reason, message) }

// goesOff switches the machine off, if it was told to.
func (n *node) goesOff() {
	if n.isTold {
		n.going.Do(func() {
			n.say("off")
			n.mutex.Lock()
			n.off = time.Now()
			n.mutex.Unlock()
		})
	}
}

// minor is the release's second number.
func minor() (number int) {
	fmt.Sscanf(os.Getenv("VERSION"), "v1.%d.", &number)
	return number
}

// effective is how long containers have that are asked to end within so many seconds (calculateEffectiveGracePeriod, killContainer).
func effective(asked, own int64) time.Duration {
	switch minor := minor(); {
	case minor >= 31:
		asked = max(asked, 1)
	case minor >= 22 && asked == 0:
		asked = max(own, 1)
	}
	if minor() >= 28 {
		asked = max(asked, 2)
	}
	return time.Duration(asked) * time.Second
}

// kill is killPodNow: it waits for the end of a pod, but not longer than ten seconds or half as long again as the pod has.
func (n *node) kill(args []reflect.Value) []reflect.Value {
	name := args[0].Interface().(*v1.Pod).Name
	pod := n.case_.Pods[slices.IndexFunc(n.case_.Pods, func(p *ended) bool { return p.Name == name })]
	status, asked := v1.PodStatus{Phase: v1.PodRunning}, int64(0)
	for _, arg := range args[1:] {
		switch arg := arg.Interface().(type) {
		case *int64:
			asked = *arg
		case v1.PodStatus: // written before its containers end
			n.say(name, string(arg.Phase))
		case func(*v1.PodStatus):
			arg(&status)
		}
	}
	stopped := make(chan bool)
	go func() {
		defer close(stopped)
		if takes := min(time.Duration(pod.Stop)*time.Millisecond, effective(asked, pod.Grace)); takes > 0 {
			time.Sleep(takes)
			n.say(name, "stopped")
		}
		for _, condition := range status.Conditions {
			n.say(name, string(condition.Type), condition.Reason)
		}
	}()
	select {
	case <-stopped:
	case <-time.After(time.Duration(max(10, asked+asked/2)) * time.Second):
	}
	return []reflect.Value{reflect.Zero(reflect.TypeFor[error]())}
}

//go:linkname systemDbus k8s.io/kubernetes/pkg/kubelet/nodeshutdown.systemDbus
var systemDbus unsafe.Pointer

// made is what NewManager makes: of a Config, and before of what it works on.
func (n *node) made() reflect.Value {
	function := reflect.ValueOf(nodeshutdown.NewManager)
	var pods []*v1.Pod
	for _, p := range n.case_.Pods {
		pods = append(pods, &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: "default"},
			Spec: v1.PodSpec{Priority: p.Priority, TerminationGracePeriodSeconds: &p.Grace}})
	}
	active := eviction.ActivePodsFunc(func() []*v1.Pod { return pods })
	kill := reflect.MakeFunc(reflect.TypeFor[eviction.KillPodFunc](), n.kill)
	var manager reflect.Value
	post := func(synced reflect.Type) reflect.Value {
		return reflect.MakeFunc(synced, func([]reflect.Value) []reflect.Value {
			if !manager.MethodByName("ShutdownStatus").Call(nil)[0].IsNil() {
				n.say("NotReady")
			}
			return nil
		})
	}
	flag := func(name string) time.Duration {
		span, _ := time.ParseDuration(n.case_.Flags["shutdown-grace-period"+name])
		return span
	}
	if function.Type().NumIn() > 1 {
		manager = function.Call([]reflect.Value{reflect.ValueOf(active), kill, post(function.Type().In(2)),
			reflect.ValueOf(flag("")), reflect.ValueOf(flag("-critical-pods"))})[0]
		return manager
	}
	conf := reflect.New(function.Type().In(0).Elem())
	set := func(name string, value any) {
		if field := conf.Elem().FieldByName(name); field.IsValid() {
			field.Set(reflect.ValueOf(value))
		}
	}
	set("Logger", logr.Discard())
	set("VolumeManager", unmounted{})
	set("Recorder", events{node: n})
	set("NodeRef", &v1.ObjectReference{Kind: "Node", Name: "n"})
	set("GetPodsFunc", active)
	set("KillPodFunc", kill.Interface())
	set("SyncNodeStatusFunc", post(conf.Elem().FieldByName("SyncNodeStatusFunc").Type()).Interface())
	set("ShutdownGracePeriodRequested", flag(""))
	set("ShutdownGracePeriodCriticalPods", flag("-critical-pods"))
	set("StateDirectory", os.DevNull) // it is only told in metrics, and failing is no matter
	periods := conf.Elem().FieldByName("ShutdownGracePeriodByPodPriority")
	for _, pair := range strings.Split(n.case_.Flags["shutdown-grace-period-by-pod-priority"], ",") {
		period := reflect.New(periods.Type().Elem()).Elem()
		var priority, seconds int64
		if _, err := fmt.Sscanf(pair, "%d=%d", &priority, &seconds); err == nil {
			period.FieldByName("Priority").SetInt(priority)
			period.FieldByName("ShutdownGracePeriodSeconds").SetInt(seconds)
			periods.Set(reflect.Append(periods, period))
		}
	}
	manager = function.Call([]reflect.Value{conf})[0]
	return manager
}

// connect has managers find this logind where they look for systemd's.
func (n *node) connect() {
	made := reflect.Indirect(n.made())
	if made.Kind() == reflect.Interface {
		made = made.Elem().Elem()
	}
	inhibiter := made.FieldByName("dbusCon").Type()
	var found reflect.Value
	for _, is := range []any{bus{logind{n}}, busOld{logind{n}}} {
		if reflect.TypeOf(is).Implements(inhibiter) {
			found = reflect.ValueOf(is).Convert(inhibiter)
		}
	}
	of := reflect.FuncOf(nil, []reflect.Type{inhibiter, reflect.TypeFor[error]()}, false)
	reflect.NewAt(of, unsafe.Pointer(&systemDbus)).Elem().Set(reflect.MakeFunc(of, func([]reflect.Value) []reflect.Value {
		if n.isOver {
			runtime.Goexit()
		}
		return []reflect.Value{found, reflect.Zero(reflect.TypeFor[error]())}
	}))
}

func (n *node) run() {
	ctx, cancel := context.WithCancel(context.Background())
	n.began, n.signals = time.Now(), make(chan bool, 1)
	n.connect()
	manager := n.made()
	called(manager.MethodByName("Start"), ctx)
	time.Sleep(time.Minute - time.Since(n.began))
	n.isTold = true
	if n.locks == 0 {
		n.goesOff()
	}
	n.signals <- true
	for _, late := range n.case_.Late {
		time.AfterFunc(time.Duration(late.At)*time.Millisecond, func() {
			pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: late.Name}}
			admitted := called(manager.MethodByName("Admit"), ctx, &lifecycle.PodAdmitAttributes{Pod: pod})[0].Interface().(lifecycle.PodAdmitResult)
			if !admitted.Admit {
				n.say(late.Name, admitted.Reason, admitted.Message)
			}
		})
	}
	time.Sleep(n.delay)
	n.goesOff()
	time.Sleep(time.Hour)
	n.isOver = true
	cancel()
	close(n.signals)
	time.Sleep(time.Minute)
}

// told is nothing for a case of periods by priority in a release that does not know them, or has them behind a gate.
func (c instance) told(t *testing.T) (told []string) {
	if c.Flags["shutdown-grace-period-by-pod-priority"] != "" && minor() < 24 {
		return nil
	}
	n := &node{case_: c, delay: time.Duration(c.Logind.Delay) * time.Second}
	synctest.Test(t, func(*testing.T) { n.run() })
	slices.SortStableFunc(n.told, func(a, b happened) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.what, b.what)) })
	for _, h := range n.told {
		told = append(told, fmt.Sprint(float64(h.at.Milliseconds())/1000, " ", h.what))
	}
	return told
}
