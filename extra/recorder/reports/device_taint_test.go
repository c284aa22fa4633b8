// Tests of upstream's device taint eviction controller against upstream's fake client. They say what should hold, so that each fails where its report is
// true. They use exported names alone: a copy in pkg/controller/devicetainteviction, in a package devicetainteviction_test, is a test there.

package reports

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourceac "k8s.io/client-go/applyconfigurations/resource/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	resourceclient "k8s.io/client-go/kubernetes/typed/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/kubernetes/pkg/controller/devicetainteviction"
)

const gpuDriver = "gpu.example.com"

// A taint that was added a while ago, so that what is not tolerated any more is evicted at once.
func deviceTaint(ago time.Duration) resourceapi.DeviceTaint {
	added := metav1.NewTime(time.Now().Add(-ago))
	return resourceapi.DeviceTaint{Key: "broken", Effect: resourceapi.DeviceTaintEffectNoExecute, TimeAdded: &added}
}

// A rule that taints all devices of a driver.
func deviceRule(driver string) *resourceapi.DeviceTaintRule {
	return &resourceapi.DeviceTaintRule{
		ObjectMeta: metav1.ObjectMeta{Name: "broken", UID: "rule"},
		Spec:       resourceapi.DeviceTaintRuleSpec{DeviceSelector: &resourceapi.DeviceTaintSelector{Driver: &driver}, Taint: deviceTaint(time.Minute)},
	}
}

// The one device that there is.
func deviceSlice(taints ...resourceapi.DeviceTaint) *resourceapi.ResourceSlice {
	node := "a"
	return &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: "a-gpu"},
		Spec: resourceapi.ResourceSliceSpec{
			Driver: gpuDriver, NodeName: &node, Pool: resourceapi.ResourcePool{Name: "a", Generation: 1, ResourceSliceCount: 1},
			Devices: []resourceapi.Device{{Name: "gpu-0", Taints: taints}},
		},
	}
}

// A claim that asks for it.
func deviceClaim(tolerations ...resourceapi.DeviceToleration) *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "gpu", UID: "claim"},
		Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{{
			Name: "gpu", Exactly: &resourceapi.ExactDeviceRequest{
				DeviceClassName: gpuDriver, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1, Tolerations: tolerations,
			},
		}}}},
	}
}

type deviceClasses []*resourceapi.DeviceClass

func (d deviceClasses) List() ([]*resourceapi.DeviceClass, error)    { return d, nil }
func (d deviceClasses) Get(string) (*resourceapi.DeviceClass, error) { return d[0], nil }

// Has the scheduler's allocator look for a device for a claim, and reserves it for the pod that the claim is for; gives whether it has found one.
func allocate(t *testing.T, claim *resourceapi.ResourceClaim, slice *resourceapi.ResourceSlice) bool {
	t.Helper()
	classes := deviceClasses{{ObjectMeta: metav1.ObjectMeta{Name: gpuDriver}}}
	allocator, err := structured.NewAllocator(t.Context(), structured.Features{DeviceTaints: true}, structured.AllocatedState{}, classes,
		[]*resourceapi.ResourceSlice{slice}, cel.NewCache(1, cel.Features{}))
	if err != nil {
		t.Fatal(err)
	}
	results, err := allocator.Allocate(t.Context(), &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, []*resourceapi.ResourceClaim{claim})
	if err != nil {
		t.Fatal(err)
	}
	if len(results) == 0 {
		return false
	}
	claim.Status.Allocation = &results[0]
	claim.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "web", UID: "pod"}}
	return true
}

func devicePod() *v1.Pod {
	claim := "gpu"
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", UID: "pod"},
		Spec:       v1.PodSpec{NodeName: "a", ResourceClaims: []v1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &claim}}},
	}
}

// Runs the controller until the end of the test.
func runDeviceTaintEviction(t *testing.T, client kubernetes.Interface) {
	ctx, stop := context.WithCancel(context.Background())
	factory := informers.NewSharedInformerFactory(client, 0)
	devices := factory.Resource().V1()
	controller := devicetainteviction.New(client, factory.Core().V1().Pods(), devices.ResourceClaims(), devices.ResourceSlices(), devices.DeviceTaintRules(),
		devices.DeviceClasses(), "device-taint-eviction-controller")
	factory.Start(ctx.Done())
	ended := make(chan error)
	go func() { ended <- controller.Run(ctx, 8) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		factory.Shutdown()
	})
}

// Whether the pod is gone before so much time is over.
func goneWithin(client kubernetes.Interface, limit time.Duration) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := client.CoreV1().Pods("default").Get(context.Background(), "web", metav1.GetOptions{}); apierrors.IsNotFound(err) {
			return true
		}
	}
	return false
}

// A claim tolerates the taint of the only device for a minute, and that minute is over. Either the device is not for this claim any more, or its pod
// has some time with it; a device that is allocated to be taken away at once is taken and given in a loop.
func TestDeviceIsNotAllocatedForNoTime(t *testing.T) {
	minute := int64(60)
	claim := deviceClaim(resourceapi.DeviceToleration{
		Operator: resourceapi.DeviceTolerationOpExists, Effect: resourceapi.DeviceTaintEffectNoExecute, TolerationSeconds: &minute,
	})
	slice := deviceSlice(deviceTaint(2 * time.Minute))
	if !allocate(t, claim, slice) {
		return
	}
	client := fake.NewClientset(devicePod(), claim, slice)
	runDeviceTaintEviction(t, client)
	if goneWithin(client, 2*time.Second) {
		t.Error("the device is allocated though its taint is tolerated no more, and the pod is evicted at once")
	}
}

// slowRules is a client to an API server that is slow to answer where the status of a rule is written. A reactor would not do, as the fake client holds
// a lock meanwhile that all its requests take.
type slowRules struct {
	*fake.Clientset
	asked, answer chan struct{}
}

type slowResources struct {
	resourceclient.ResourceV1Interface
	slow slowRules
}

type slowRuleClient struct {
	resourceclient.DeviceTaintRuleInterface
	slow slowRules
}

func (s slowRules) ResourceV1() resourceclient.ResourceV1Interface {
	return slowResources{s.Clientset.ResourceV1(), s}
}

func (s slowResources) DeviceTaintRules() resourceclient.DeviceTaintRuleInterface {
	return slowRuleClient{s.ResourceV1Interface.DeviceTaintRules(), s.slow}
}

func (s slowRuleClient) ApplyStatus(
	ctx context.Context, rule *resourceac.DeviceTaintRuleApplyConfiguration, opts metav1.ApplyOptions,
) (*resourceapi.DeviceTaintRule, error) {
	s.slow.asked <- struct{}{}
	select {
	case <-s.slow.answer:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return s.DeviceTaintRuleInterface.ApplyStatus(ctx, rule, opts)
}

// The status of a rule is being written, which has nothing to do with the pod and its device, when the device is tainted. The eviction does not wait
// for the answer.
func TestEvictionDoesNotWaitForStatusOfRule(t *testing.T) {
	claim, slice := deviceClaim(), deviceSlice()
	if !allocate(t, claim, slice) {
		t.Fatal("the device is not allocated")
	}
	client := slowRules{fake.NewClientset(devicePod(), claim, slice, deviceRule("nic.example.com")), make(chan struct{}, 10), make(chan struct{})}
	runDeviceTaintEviction(t, client)
	select {
	case <-client.asked:
	case <-time.After(10 * time.Second):
		t.Fatal("the status of the rule is not written")
	}
	if _, err := client.ResourceV1().ResourceSlices().Update(t.Context(), deviceSlice(deviceTaint(time.Minute)), metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	early := goneWithin(client, 3*time.Second)
	close(client.answer)
	if !early && !goneWithin(client, 3*time.Second) {
		t.Fatal("the pod is not evicted at all")
	}
	if !early {
		t.Error("the pod is evicted only when the API server has answered to the status of a rule for another device")
	}
}

// A pod that uses the device was deleted by somebody else, and is still there, when the rule comes. What the rule's status says of pods that were evicted
// is how many the controller has deleted.
func TestRuleCountsPodsThatItEvicted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		claim, slice, pod := deviceClaim(), deviceSlice(), devicePod()
		if !allocate(t, claim, slice) {
			t.Fatal("the device is not allocated")
		}
		deleted := metav1.NewTime(time.Now().Add(-time.Second))
		pod.DeletionTimestamp = &deleted
		client := fake.NewClientset(pod, claim, slice, deviceRule(gpuDriver))
		runDeviceTaintEviction(t, client)
		// A status is written every ten seconds at the most.
		time.Sleep(30 * time.Second)
		deletions := 0
		for _, action := range client.Actions() {
			if action.Matches("delete", "pods") {
				deletions++
			}
		}
		rule, err := client.ResourceV1().DeviceTaintRules().Get(t.Context(), "broken", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(rule.Status.Conditions) != 1 {
			t.Fatalf("the rule has the conditions %v", rule.Status.Conditions)
		}
		said := 0
		_, _ = fmt.Sscanf(rule.Status.Conditions[0].Message, "%d pod", &said)
		if said != deletions {
			t.Errorf("the controller has deleted %d pods, and the rule's status is %s: %q", deletions, rule.Status.Conditions[0].Reason,
				rule.Status.Conditions[0].Message)
		}
	})
}
