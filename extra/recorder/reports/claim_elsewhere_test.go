// A test of upstream's scheduler against upstream's fake client. It says what should hold, so that it fails where its report is true. It uses exported names
// alone: a copy in pkg/scheduler, in a package scheduler_test, is a test there.

package reports

import (
	"context"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

// A claim that has a device of a node, for one pod.
func claimOn(node, pod string) *resourceapi.ResourceClaim {
	onNode := v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{node}}}}
	now := metav1.Now()
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "shared", UID: "claim", Finalizers: []string{resourceapi.Finalizer}},
		Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{{
			Name: "gpu", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "gpu", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1},
		}}}},
		Status: resourceapi.ResourceClaimStatus{
			Allocation: &resourceapi.AllocationResult{
				AllocationTimestamp: &now,
				Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{{
					Request: "gpu", Driver: "gpu.example.com", Pool: node, Device: "gpu-0",
				}}},
				NodeSelector: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{onNode}},
			},
			ReservedFor: []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: pod, UID: "uid-of-another"}},
		},
	}
}

func TestPodIsBoundWhereItsClaimIs(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	claimName := "shared"
	objects := []runtime.Object{
		claimOn("a", "first"),
		&v1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "second", UID: "second"},
			Spec: v1.PodSpec{
				SchedulerName:  v1.DefaultSchedulerName,
				Containers:     []v1.Container{{Name: "main", Image: "main"}},
				ResourceClaims: []v1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &claimName}},
			},
		},
	}
	for _, name := range []string{"a", "b"} {
		room := v1.ResourceList{v1.ResourcePods: resource.MustParse("10")}
		objects = append(objects, &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: v1.NodeStatus{Capacity: room, Allocatable: room}})
	}
	client := fake.NewClientset(objects...)
	claims := resourceapi.SchemeGroupVersion.WithResource("resourceclaims")
	// Before the reservation is there, the first pod is gone, its claim was deallocated, and a third pod has it, on the other node.
	meanwhile := true
	client.PrependReactor("update", "resourceclaims", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "status" || !meanwhile {
			return false, nil, nil
		}
		meanwhile = false
		if err := client.Tracker().Update(claims, claimOn("b", "third"), "default"); err != nil {
			t.Error(err)
		}
		return true, nil, apierrors.NewConflict(claims.GroupResource(), "shared", nil)
	})
	bound := make(chan string, 1)
	client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "binding" {
			return false, nil, nil
		}
		binding := action.(clienttesting.CreateAction).GetObject().(*v1.Binding)
		bound <- binding.Target.Name
		return true, binding, nil
	})
	factory := informers.NewSharedInformerFactory(client, 0)
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	s, err := scheduler.New(ctx, client, factory, nil, profile.NewRecorderFactory(broadcaster))
	if err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	go s.Run(ctx)
	select {
	case node := <-bound:
		claim, err := client.ResourceV1().ResourceClaims("default").Get(ctx, "shared", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if pool := claim.Status.Allocation.Devices.Results[0].Pool; node != pool {
			t.Errorf("the pod is bound to node %s, and its claim has a device of node %s", node, pool)
		}
	case <-time.After(20 * time.Second):
		t.Log("the pod is not bound, which is right as well")
	}
}
