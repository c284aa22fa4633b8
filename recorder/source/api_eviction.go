package recorder

import (
	"fmt"
	"math/rand"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// The subresource eviction of pods, step by step after upstream's
// pkg/registry/core/pod/storage/eviction.go. It is rewritten rather than linked, since upstream's works on
// the storage of etcd. Each read and write of the storage takes server.storage, in which others may come in
// between; a write that conflicts is tried again as upstream tries it.

const (
	evictionTries  = 20
	evictionPause  = 500 * time.Millisecond // and up to a tenth more
	mostDisrupted  = 2000                   // MaxDisruptedPodSize
	retrySeconds   = 10
	disruptionType = v1.PodConditionType("DisruptionTarget")
)

// budget is read as v1beta1, which all releases have.
type budget = policyv1beta1.PodDisruptionBudget

// eviction is one request.
type eviction struct {
	*server
	actor, ns, name string
	options         metav1.DeleteOptions
}

func evict(s *server, actor, ns, name string, body []byte) (object, *status) {
	e := &eviction{server: s, actor: actor, ns: ns, name: name}
	if o, ok := decode(body)["deleteOptions"].(object); ok {
		e.options = *convert[metav1.DeleteOptions](o)
	}
	p, bad := e.deleteUnguarded()
	if bad != nil || p == nil {
		return success, bad
	}
	budgets := e.budgets(p)
	if len(budgets) > 1 {
		return nil, failure(500, "", "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.")
	}
	options, budgetName, pinned := e.options, "", false
	if len(budgets) == 1 {
		budgetName = budgets[0].Name
		if pinned = e.unhealthyMayGo(p, budgets[0]); pinned {
			options = preconditioned(options, p.ResourceVersion)
		} else if bad := e.charge(budgets[0]); bad != nil {
			return nil, bad
		}
	}
	bad = e.delete(options)
	if conflict(bad) && pinned && (e.options.Preconditions == nil || e.options.Preconditions.ResourceVersion == nil) {
		return nil, e.tooManyRequests(budgetName)
	}
	return success, bad
}

// step is one operation of the storage.
func (e *eviction) step() { time.Sleep(e.storage) }

func (e *eviction) pod() (*v1.Pod, *status) {
	e.step()
	if o := e.lookup("pods", e.ns, e.name); o != nil {
		return convert[v1.Pod](o), nil
	}
	return nil, notFound("pods", e.name)
}

// retry does what upstream's retry.OnError does with EvictionsRetry.
func retry(try func() *status) (bad *status) {
	for i := 0; i < evictionTries; i++ {
		if bad = try(); !conflict(bad) {
			return bad
		}
		if i+1 < evictionTries {
			time.Sleep(evictionPause + time.Duration(rand.Float64()*float64(evictionPause)/10))
		}
	}
	return bad
}

func conflict(bad *status) bool { return bad != nil && bad.Reason == metav1.StatusReasonConflict }

// deleteUnguarded deletes a pod that no budget guards: one that has ended, is being deleted, or has not
// started (canIgnorePDB). Any other pod is given back.
func (e *eviction) deleteUnguarded() (guarded *v1.Pod, bad *status) {
	bad = retry(func() *status {
		p, bad := e.pod()
		if bad != nil {
			return bad
		}
		ended := p.Status.Phase == v1.PodSucceeded || p.Status.Phase == v1.PodFailed
		ending := ended || e.minor >= unstartedSince && p.DeletionTimestamp != nil
		if !ending && !(e.minor >= unstartedSince && p.Status.Phase == v1.PodPending) {
			guarded = p
			return nil
		}
		options := e.options
		if !ending && (options.Preconditions == nil || options.Preconditions.ResourceVersion == nil) {
			options = preconditioned(options, p.ResourceVersion)
		}
		return e.delete(options)
	})
	return guarded, bad
}

func preconditioned(options metav1.DeleteOptions, resourceVersion string) metav1.DeleteOptions {
	p := metav1.Preconditions{}
	if options.Preconditions != nil {
		p = *options.Preconditions
	}
	p.ResourceVersion = &resourceVersion
	options.Preconditions = &p
	return options
}

// budgets are those that guard the pod.
func (e *eviction) budgets(p *v1.Pod) (found []*budget) {
	e.step()
	items, _ := e.list("poddisruptionbudgets", func(o object) bool { return text(o, "metadata", "namespace") == e.ns })
	for _, o := range items {
		b := convert[budget](o)
		s, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
		if err == nil && s.Matches(labels.Set(p.Labels)) {
			found = append(found, b)
		}
	}
	return found
}

// unhealthyMayGo says whether a pod that is not ready may go without being charged to its budget.
func (e *eviction) unhealthyMayGo(p *v1.Pod, b *budget) bool {
	if c := podCondition(p, v1.PodReady); e.minor < unhealthySince || c != nil && c.Status == v1.ConditionTrue {
		return false
	}
	// Older releases' types do not have the field.
	policy := text(e.lookup("poddisruptionbudgets", e.ns, b.Name), "spec", "unhealthyPodEvictionPolicy")
	if e.minor >= unhealthyPolicySince && policy == "AlwaysAllow" {
		return true
	}
	return b.Status.CurrentHealthy >= b.Status.DesiredHealthy && b.Status.DesiredHealthy > 0
}

// charge takes one disruption from the budget, unless it allows none (checkAndDecrement).
func (e *eviction) charge(b *budget) *status {
	refresh := false
	return retry(func() *status {
		if refresh {
			e.step()
			o := e.lookup("poddisruptionbudgets", e.ns, b.Name)
			if o == nil {
				return notFound("poddisruptionbudgets", b.Name)
			}
			b = convert[budget](o)
		}
		refresh = true
		st := &b.Status
		switch {
		case st.ObservedGeneration < b.Generation:
			return e.tooManyRequests(b.Name)
		case st.DisruptionsAllowed < 0:
			return failure(403, metav1.StatusReasonForbidden, "pdb disruptions allowed is negative")
		case len(st.DisruptedPods) > mostDisrupted:
			return failure(403, metav1.StatusReasonForbidden, "DisruptedPods map too big - too many evictions not confirmed by PDB controller")
		case st.DisruptionsAllowed == 0:
			bad := failure(429, metav1.StatusReasonTooManyRequests, "Cannot evict pod as it would violate the pod's disruption budget.")
			return because(bad, 0, fmt.Sprintf("The disruption budget %s needs %d healthy pods and has %d currently", b.Name, st.DesiredHealthy, st.CurrentHealthy))
		}
		st.DisruptionsAllowed--
		if st.DisruptedPods == nil {
			st.DisruptedPods = map[string]metav1.Time{}
		}
		st.DisruptedPods[e.name] = metav1.Now()
		e.step()
		charged := decode(encode(b))
		_, bad := e.update(e.actor, "poddisruptionbudgets", "status", e.ns, b.Name, func(object) (object, *status) { return charged, nil })
		return bad
	})
}

func (e *eviction) tooManyRequests(budget string) *status {
	wait := int32(retrySeconds)
	if e.minor < waitSince {
		wait = 0
	}
	bad := failure(429, metav1.StatusReasonTooManyRequests, "Cannot evict pod as it would violate the pod's disruption budget.")
	return because(bad, wait, fmt.Sprintf("The disruption budget %s is still being processed by the server.", budget))
}

func because(bad *status, retryAfter int32, cause string) *status {
	bad.Details = &metav1.StatusDetails{
		RetryAfterSeconds: retryAfter, Causes: []metav1.StatusCause{{Type: "DisruptionBudget", Message: cause}},
	}
	return bad
}

// The releases that brought something to evictions.
const (
	unstartedSince       = 19 // pods that are Pending or being deleted go without a look at budgets
	waitSince            = 20 // a client is told to wait for a budget that is not counted yet
	unhealthySince       = 20 // pods that are not ready need not be charged
	unhealthyPolicySince = 27 // the budget's unhealthyPodEvictionPolicy, on by default
	conditionSince       = 26 // the condition DisruptionTarget, on by default
)

// delete marks the pod as a target of a disruption, then deletes it (addConditionAndDeletePod).
func (e *eviction) delete(options metav1.DeleteOptions) *status {
	if e.minor >= conditionSince {
		e.step()
		o, bad := e.update(e.actor, "pods", unchecked, e.ns, e.name, func(cur object) (object, *status) {
			if want := options.Preconditions; want != nil {
				uid, version := text(cur, "metadata", "uid"), text(cur, "metadata", "resourceVersion")
				if want.UID != nil && string(*want.UID) != uid || want.ResourceVersion != nil && *want.ResourceVersion != version {
					return nil, failure(409, metav1.StatusReasonConflict, "the precondition does not match the pod %q", e.name)
				}
			}
			p := convert[v1.Pod](cur)
			setPodCondition(p, disruptionType, v1.ConditionTrue, "EvictionByEvictionAPI", "Eviction API: evicting")
			return decode(encode(p)), nil
		})
		if bad != nil {
			return bad
		}
		if options.Preconditions != nil && options.Preconditions.ResourceVersion != nil {
			options = preconditioned(options, text(o, "metadata", "resourceVersion"))
		}
	}
	e.step()
	_, bad := e.remove(e.actor, "pods", e.ns, e.name, options)
	return bad
}
