package recorder

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	k8stesting "k8s.io/client-go/testing"
)

// What eras/node-lifecycle constructs a controller from.
type program struct {
	ctx       context.Context
	informers informers.SharedInformerFactory
	settings  settings
}

type settings struct {
	monitorPeriod, startupGrace, monitorGrace, podEvictionTimeout time.Duration
	evictionRate, secondaryRate                                   float32
	largeCluster                                                  int32
	unhealthyZone                                                 float32
	taintManager                                                  bool
}

// Events go nowhere: the fake client has no RESTClient, which their sink asks for.
var nowhere, _ = rest.RESTClientFor(&rest.Config{
	Host: "http://127.0.0.1:1", APIPath: "/api",
	ContentConfig: rest.ContentConfig{GroupVersion: &v1.SchemeGroupVersion, NegotiatedSerializer: scheme.Codecs.WithoutConversion()},
})

type clients struct{ *fake.Clientset }
type core struct{ corev1.CoreV1Interface }

func (c clients) CoreV1() corev1.CoreV1Interface { return core{c.Clientset.CoreV1()} }
func (core) RESTClient() rest.Interface          { return nowhere }

// A cluster of three zones whose nodes have all been Unknown for long.
func dark(nodes int) []runtime.Object {
	since := metav1.NewTime(time.Now().Add(-3 * time.Minute))
	renewed, lasts := metav1.NewMicroTime(since.Time), int32(40)
	var objects []runtime.Object
	for i := 0; i < nodes; i++ {
		name := fmt.Sprintf("n%d", i)
		labels := map[string]string{"topology.kubernetes.io/zone": string(rune('a' + i%3))}
		for _, prefix := range []string{"", "beta."} {
			labels[prefix+"kubernetes.io/os"], labels[prefix+"kubernetes.io/arch"] = "linux", "amd64"
		}
		node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: since, Labels: labels}}
		node.Spec.Taints = []v1.Taint{{Key: "node.kubernetes.io/unreachable", Effect: "NoSchedule", TimeAdded: &since}}
		for _, kind := range []v1.NodeConditionType{"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"} {
			condition := v1.NodeCondition{Type: kind, Status: "Unknown", Reason: "NodeStatusUnknown", LastHeartbeatTime: since, LastTransitionTime: since}
			node.Status.Conditions = append(node.Status.Conditions, condition)
		}
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "kube-node-lease"}}
		lease.Spec = coordinationv1.LeaseSpec{RenewTime: &renewed, LeaseDurationSeconds: &lasts}
		objects = append(objects, node, lease)
	}
	return objects
}

// How many nodes a controller taints that starts in such a cluster.
func start(nodes int) int64 {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var tainted int64
	c := fake.NewSimpleClientset(dark(nodes)...)
	c.PrependReactor("patch", "nodes", func(a k8stesting.Action) (bool, runtime.Object, error) {
		if strings.Contains(string(a.(k8stesting.PatchAction).GetPatch()), "NoExecute") {
			atomic.AddInt64(&tainted, 1)
		}
		return false, nil, nil
	})
	p := &program{ctx, informers.NewSharedInformerFactory(c, 0), settings{5 * time.Second, time.Minute, 40 * time.Second, 5 * time.Minute, 0.1, 0.01, 50, 0.55, true}}
	made, err := newNodeLifecycle(p, kubernetes.Interface(clients{c}))
	if err != nil {
		panic(err)
	}
	p.informers.Start(ctx.Done())
	switch c := made.(type) {
	case interface{ Run(context.Context) }:
		go c.Run(ctx)
	case interface{ Run(<-chan struct{}) }:
		go c.Run(ctx.Done())
	}
	time.Sleep(700 * time.Millisecond)
	return atomic.LoadInt64(&tainted)
}

// The node lifecycle controller of the release in real time: how often does it taint a node when it starts while all zones are dark,
// before it stops all zones?
func TestStartsThatTaint(t *testing.T) {
	runs, _ := strconv.Atoi(os.Getenv("RUNS"))
	for _, nodes := range []int{5, 24, 100, 300, 1000} {
		starts, sum := 0, int64(0)
		for i := 0; i < runs; i++ {
			tainted := start(nodes)
			sum += tainted
			if tainted > 0 {
				starts++
			}
		}
		fmt.Printf("%d nodes: %d of %d starts taint, %d nodes in all\n", nodes, starts, runs, sum)
	}
}
