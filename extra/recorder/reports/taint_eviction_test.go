// Tests of upstream's taint eviction controller against upstream's fake client. They say what should hold, so that each fails where its report is
// true. They use exported names alone: a copy in pkg/controller/tainteviction is a test there.

package reports

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	cachetesting "k8s.io/client-go/tools/cache/testing"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
)

var (
	podsResource  = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	nodesResource = schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
)

func node(name string, taints ...v1.Taint) *v1.Node {
	return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1.NodeSpec{Taints: taints}}
}

func noExecute() v1.Taint {
	now := metav1.Now()
	return v1.Taint{Key: "maintenance", Effect: v1.TaintEffectNoExecute, TimeAdded: &now}
}

// A pod of one name, as a StatefulSet makes it again and again; each has a UID that no other has.
func pod(uid types.UID, node string, tolerationSeconds int64) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "db-0", UID: uid},
		Spec: v1.PodSpec{NodeName: node, Tolerations: []v1.Toleration{{
			Key: "maintenance", Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: &tolerationSeconds,
		}}},
	}
}

// Starts the controller on informers of the client, or of `pods` where that is given. Both are in step before it returns.
func start(t *testing.T, client *fake.Clientset, pods cache.ListerWatcher) {
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	factory := informers.NewSharedInformerFactory(client, 0)
	if pods != nil {
		factory.InformerFor(&v1.Pod{}, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer {
			return cache.NewSharedIndexInformer(pods, &v1.Pod{}, 0, cache.Indexers{})
		})
	}
	byNode := cache.Indexers{"spec.nodeName": func(obj interface{}) ([]string, error) { return []string{obj.(*v1.Pod).Spec.NodeName}, nil }}
	if err := factory.Core().V1().Pods().Informer().AddIndexers(byNode); err != nil {
		t.Fatal(err)
	}
	controller, err := tainteviction.New(ctx, client, factory.Core().V1().Pods(), factory.Core().V1().Nodes(), "taint-eviction-controller")
	if err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	go controller.Run(ctx)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// The pod that was to go is gone when the controller asks for it, and its successor of that name is on another node, without a taint. NotFound ends
// the eviction; a retry by name must not hit the successor.
func TestRetryLeavesSuccessor(t *testing.T) {
	client := fake.NewSimpleClientset(node("a", noExecute()), node("b"), pod("first", "a", 0))
	var asked atomic.Bool
	client.PrependReactor("get", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		if asked.Swap(true) {
			return false, nil, nil
		}
		must(t, client.Tracker().Delete(podsResource, "default", "db-0"))
		must(t, client.Tracker().Add(pod("second", "b", 0)))
		return true, nil, apierrors.NewNotFound(podsResource.GroupResource(), "db-0")
	})
	start(t, client, nil)
	time.Sleep(time.Second)
	if !asked.Load() {
		t.Fatal("the controller has not asked for the pod")
	}
	if _, err := client.CoreV1().Pods("default").Get(context.Background(), "db-0", metav1.GetOptions{}); err != nil {
		t.Errorf("the successor on node b is gone: %v", err)
	}
}

// A pod is evicted and comes back under its name, on its node and with its tolerations, while the watch of pods is broken, so that a list tells of both.
// The new pod has a countdown of its own.
func TestPodThatComesBackAmidRelistIsEvicted(t *testing.T) {
	client := fake.NewSimpleClientset(node("a", noExecute()), pod("first", "a", 1))
	source := cachetesting.NewFakeControllerSource()
	source.Add(pod("first", "a", 1))
	var deleted atomic.Int32
	client.PrependReactor("delete", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		if deleted.Add(1) > 1 {
			return false, nil, nil
		}
		must(t, client.Tracker().Delete(podsResource, "default", "db-0"))
		must(t, client.Tracker().Add(pod("second", "a", 1)))
		source.DeleteDropWatch(pod("first", "a", 1))
		source.AddDropWatch(pod("second", "a", 1))
		source.ResetWatch()
		return true, nil, nil
	})
	start(t, client, source)
	// A second until the first is deleted, at most two until the list, and a second for the countdown.
	time.Sleep(6 * time.Second)
	switch deleted.Load() {
	case 0:
		t.Fatal("the first pod was not evicted")
	case 1:
		t.Error("the second pod stays on the tainted node")
	}
}

// A node is deleted while a countdown of its pod runs. What becomes of the pods of a node that is gone is the pod garbage collector's business, which
// waits 40 s, as the node may come back under its name; no taint requires the eviction any more.
func TestCountdownEndsWithItsNode(t *testing.T) {
	client := fake.NewSimpleClientset(node("a", noExecute()), pod("first", "a", 2))
	start(t, client, nil)
	time.Sleep(500 * time.Millisecond)
	must(t, client.Tracker().Delete(nodesResource, "", "a"))
	time.Sleep(2500 * time.Millisecond)
	if _, err := client.CoreV1().Pods("default").Get(context.Background(), "db-0", metav1.GetOptions{}); err != nil {
		t.Errorf("the pod is evicted from a node that is gone: %v", err)
	}
}

// The taint goes while an eviction is under way whose DELETE has not been sent yet, as a rate limiter or a slow API server holds it up: here its PATCH
// takes a second. The controller says that it cancels the deletion; then it must not delete.
func TestCancelledEvictionDeletesNothing(t *testing.T) {
	t.Parallel()
	client := fake.NewSimpleClientset(node("a", noExecute()), pod("first", "a", 1))
	var cancelled atomic.Bool
	client.PrependReactor("create", "events", func(action clienttesting.Action) (bool, runtime.Object, error) {
		event := action.(clienttesting.CreateAction).GetObject().(*v1.Event)
		if strings.HasPrefix(event.Message, "Cancelling deletion of Pod") {
			cancelled.Store(true)
		}
		return false, nil, nil
	})
	client.PrependReactor("patch", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		must(t, client.Tracker().Update(nodesResource, node("a"), ""))
		// The fake client serves nobody else meanwhile, but its watches go on.
		time.Sleep(time.Second)
		return false, nil, nil
	})
	start(t, client, nil)
	time.Sleep(4 * time.Second)
	if !cancelled.Load() {
		t.Fatal("the controller has not said that it cancels the deletion")
	}
	if _, err := client.CoreV1().Pods("default").Get(context.Background(), "db-0", metav1.GetOptions{}); err != nil {
		t.Errorf("the pod is deleted from a node without a taint, after its deletion was cancelled: %v", err)
	}
}

// While an eviction is under way the taint goes and comes back, which begins a new countdown. The end of the eviction must leave that one in the queue:
// the taint goes for good before it is over, and nothing more may be deleted.
func TestEndOfEvictionLeavesNewCountdown(t *testing.T) {
	t.Parallel()
	client := fake.NewSimpleClientset(node("a", noExecute()), pod("first", "a", 2))
	deleted := keepsPods(client)
	client.PrependReactor("patch", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		if deleted.Load() == 0 {
			must(t, client.Tracker().Update(nodesResource, node("a"), ""))
			time.Sleep(300 * time.Millisecond)
			must(t, client.Tracker().Update(nodesResource, node("a", noExecute()), ""))
			time.Sleep(300 * time.Millisecond)
		}
		return false, nil, nil
	})
	start(t, client, nil)
	// The first countdown ends after 2 s, its eviction 0.6 s later; the second one would end after 4.3 s.
	time.Sleep(3 * time.Second)
	if deleted.Load() != 1 {
		t.Fatalf("the pod was to be deleted once, and was %d times", deleted.Load())
	}
	must(t, client.Tracker().Update(nodesResource, node("a"), ""))
	time.Sleep(2500 * time.Millisecond)
	if deleted.Load() != 1 {
		t.Errorf("a pod of that name is deleted from a node without a taint")
	}
}

// Counts deletions of pods. As with a kubelet that has yet to end their containers, the pods stay.
func keepsPods(client *fake.Clientset) *atomic.Int32 {
	deleted := new(atomic.Int32)
	client.PrependReactor("delete", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		deleted.Add(1)
		return true, nil, nil
	})
	return deleted
}
