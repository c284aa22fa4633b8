package reports

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/kubernetes/pkg/controller/job"
)

// A Job of two pods has lost one and waits before it makes another. What it writes of itself meanwhile has to pass validateJobStatus
// (pkg/apis/batch/validation), for which more ready than active pods are a mistake.
func TestStatusOfJobInBackOffIsValid(t *testing.T) {
	yes, two, limit := true, int32(2), int32(6)
	labels := map[string]string{"job": "batch"}
	batch := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "batch", UID: "job"},
		Spec: batchv1.JobSpec{
			Parallelism: &two, Completions: &two, BackoffLimit: &limit, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: v1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       v1.PodSpec{RestartPolicy: v1.RestartPolicyNever, Containers: []v1.Container{{Name: "main", Image: "image"}}},
			},
		},
	}
	now := metav1.Now()
	podOf := func(name string, phase v1.PodPhase, ready v1.ConditionStatus) *v1.Pod {
		return &v1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "default", Name: name, UID: types.UID(name), Labels: labels, Finalizers: []string{batchv1.JobTrackingFinalizer},
				OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "batch", UID: "job", Controller: &yes}},
			},
			Spec: batch.Spec.Template.Spec,
			Status: v1.PodStatus{Phase: phase, Conditions: []v1.PodCondition{{Type: v1.PodReady, Status: ready, LastTransitionTime: now}}, ContainerStatuses: []v1.ContainerStatus{{
				Name: "main", State: v1.ContainerState{Terminated: &v1.ContainerStateTerminated{FinishedAt: now, ExitCode: 1}},
			}}},
		}
	}
	running := podOf("running", v1.PodRunning, v1.ConditionTrue)
	running.Status.ContainerStatuses = nil
	client := fake.NewSimpleClientset(batch, running, podOf("lost", v1.PodFailed, v1.ConditionFalse))
	var written atomic.Int32
	client.PrependReactor("update", "jobs", func(action clienttesting.Action) (bool, runtime.Object, error) {
		written.Add(1)
		status := action.(clienttesting.UpdateAction).GetObject().(*batchv1.Job).Status
		if status.Ready != nil && *status.Ready > status.Active {
			t.Errorf("a status with active: %d and ready: %d would be refused", status.Active, *status.Ready)
		}
		return false, nil, nil
	})
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	factory := informers.NewSharedInformerFactory(client, 0)
	controller, err := job.NewController(ctx, factory.Core().V1().Pods(), factory.Batch().V1().Jobs(), client)
	if err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	go controller.Run(ctx, 1)
	time.Sleep(4 * time.Second)
	if written.Load() == 0 {
		t.Fatal("the controller has not written the Job's status")
	}
}
