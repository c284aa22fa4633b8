package recorder

import (
	"context"
	"fmt"
	"time"

	policy "k8s.io/api/policy/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
	"k8s.io/kubernetes/pkg/apis/core"
	internalpolicy "k8s.io/kubernetes/pkg/apis/policy"
)

// Upstream's eviction works on the storage of etcd in this release, and on no other. It is rewritten, step by step.
func newEviction(pods rest.StandardStorage, c kubernetes.Interface) rest.NamedCreater {
	return &eviction{pods, c}
}

type eviction struct {
	pods   rest.StandardStorage
	client kubernetes.Interface
}

const mostDisrupted = 2000 // MaxDisruptedPodSize

var evictionsRetry = wait.Backoff{Steps: 20, Duration: 500 * time.Millisecond, Factor: 1.0, Jitter: 0.1}

func (e *eviction) New() runtime.Object { return &internalpolicy.Eviction{} }

func (e *eviction) Create(ctx context.Context, name string, o runtime.Object, _ rest.ValidateObjectFunc, _ *metav1.CreateOptions) (runtime.Object, error) {
	options := o.(*internalpolicy.Eviction).DeleteOptions
	if options == nil {
		options = &metav1.DeleteOptions{}
	}
	got, err := e.pods.Get(ctx, name, &metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	if p := got.(*core.Pod); p.Status.Phase != core.PodSucceeded && p.Status.Phase != core.PodFailed {
		guards, err := e.guards(ctx, p)
		switch {
		case err != nil:
			return nil, err
		case len(guards) > 1:
			return failure(500, "", "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."), nil
		case len(guards) == 1:
			if err := e.charge(ctx, guards[0], name); err != nil {
				return nil, err
			}
		}
	}
	if _, _, err := e.pods.Delete(ctx, name, rest.ValidateAllObjectFunc, options); err != nil {
		return nil, err
	}
	return &metav1.Status{Status: metav1.StatusSuccess}, nil
}

// guards are the budgets of a pod (getPodDisruptionBudgets).
func (e *eviction) guards(ctx context.Context, p *core.Pod) (found []policy.PodDisruptionBudget, err error) {
	if len(p.Labels) == 0 {
		return nil, nil
	}
	all, err := e.client.PolicyV1beta1().PodDisruptionBudgets(p.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, b := range all.Items {
		s, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
		if err == nil && !s.Empty() && s.Matches(labels.Set(p.Labels)) {
			found = append(found, b)
		}
	}
	return found, nil
}

// charge takes one disruption from a budget, read anew after a conflict, unless it allows none (checkAndDecrement).
func (e *eviction) charge(ctx context.Context, b policy.PodDisruptionBudget, pod string) error {
	budgets := e.client.PolicyV1beta1().PodDisruptionBudgets(b.Namespace)
	refresh := false
	return retry.RetryOnConflict(evictionsRetry, func() error {
		if refresh {
			fresh, err := budgets.Get(ctx, b.Name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			b = *fresh
		}
		refresh = true
		st := &b.Status
		forbidden := func(why string) error {
			return apierrors.NewForbidden(internalpolicy.Resource("poddisruptionbudget"), b.Name, fmt.Errorf("%s", why))
		}
		switch {
		case st.ObservedGeneration < b.Generation:
			return tooMany(fmt.Sprintf("The disruption budget %s is still being processed by the server.", b.Name))
		case st.DisruptionsAllowed < 0:
			return forbidden("pdb disruptions allowed is negative")
		case len(st.DisruptedPods) > mostDisrupted:
			return forbidden("DisruptedPods map too big - too many evictions not confirmed by PDB controller")
		case st.DisruptionsAllowed == 0:
			return tooMany(fmt.Sprintf("The disruption budget %s needs %d healthy pods and has %d currently", b.Name, st.DesiredHealthy, st.CurrentHealthy))
		}
		st.DisruptionsAllowed--
		if st.DisruptedPods == nil {
			st.DisruptedPods = map[string]metav1.Time{}
		}
		st.DisruptedPods[pod] = metav1.Now()
		_, err := budgets.UpdateStatus(ctx, &b, metav1.UpdateOptions{})
		return err
	})
}

func tooMany(cause string) error {
	err := apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0)
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{Type: "DisruptionBudget", Message: cause})
	return err
}
