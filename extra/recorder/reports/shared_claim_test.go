// A test of how the API server takes what upstream's scheduler writes to a claim that is allocated. It says what should hold, so that it fails where its
// report is true.

package reports

import (
	"context"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
)

// A claim that a scheduler allocated which does not say when, for one pod.
func oldClaim() *resourceapi.ResourceClaim {
	onNode := v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{"a"}}}}
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "both", UID: "claim", ResourceVersion: "1"},
		Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{{
			Name: "gpu", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "gpu", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1},
		}}}},
		Status: resourceapi.ResourceClaimStatus{
			Allocation: &resourceapi.AllocationResult{
				Devices:      resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{{Request: "gpu", Driver: "gpu.example.com", Pool: "a", Device: "gpu-0"}}},
				NodeSelector: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{onNode}},
			},
			ReservedFor: []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "web-a", UID: "web-a"}},
		},
	}
}

// What bindClaim sends for the next pod.
func reserved(claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	claim = claim.DeepCopy()
	claim.Status.ReservedFor = append(claim.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: "web-b", UID: "web-b"})
	if claim.Status.Allocation.AllocationTimestamp == nil {
		claim.Status.Allocation.AllocationTimestamp = &metav1.Time{Time: time.Now().Truncate(time.Second)}
	}
	return claim
}

func TestOldClaimIsReservedForAnotherPod(t *testing.T) {
	internal := func(o runtime.Object) runtime.Object {
		converted, err := legacyscheme.Scheme.UnsafeConvertToVersion(o, runtime.InternalGroupVersioner)
		if err != nil {
			t.Fatal(err)
		}
		return converted
	}
	strategy := resourceclaim.NewStatusStrategy(resourceclaim.NewStrategy(nil, authorizerfactory.NewAlwaysAllowAuthorizer()))
	ctx := request.WithRequestInfo(request.WithNamespace(context.Background(), "default"), &request.RequestInfo{
		IsResourceRequest: true, APIGroup: "resource.k8s.io", APIVersion: "v1", Namespace: "default", Resource: "resourceclaims", Subresource: "status",
	})
	if err := rest.BeforeUpdate(strategy, ctx, internal(reserved(oldClaim())), internal(oldClaim())); err != nil {
		t.Errorf("a claim without allocationTimestamp is not reserved for another pod: %v", err)
	}
}
