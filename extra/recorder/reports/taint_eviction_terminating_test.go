// A test as those of taint_eviction_test.go, of what came with 1.33.

package reports

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

// A pod is evicted and takes its time to end. A second taint that comes meanwhile begins no countdown for it, which could only hit its successor.
func TestTerminatingPodGetsNoCountdown(t *testing.T) {
	t.Parallel()
	first := pod("first", "a", 1)
	first.Spec.Tolerations[0].Key = ""
	client := fake.NewSimpleClientset(node("a", noExecute()), first)
	deleted := keepsPods(client)
	start(t, client, nil)
	time.Sleep(2 * time.Second)
	if deleted.Load() != 1 {
		t.Fatalf("the pod was to be deleted once, and was %d times", deleted.Load())
	}
	now := metav1.Now()
	first = first.DeepCopy()
	first.DeletionTimestamp = &now
	must(t, client.Tracker().Update(podsResource, first, "default"))
	second := noExecute()
	second.Key = "upgrade"
	must(t, client.Tracker().Update(nodesResource, node("a", noExecute(), second), ""))
	time.Sleep(2 * time.Second)
	if deleted.Load() != 1 {
		t.Errorf("a pod that is being deleted is deleted again: %d times", deleted.Load())
	}
}
