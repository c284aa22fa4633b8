package recorder

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// status is what the API server answers instead of an object.
type status = metav1.Status

func failure(code int, reason metav1.StatusReason, format string, args ...any) *status {
	return &status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
		Code: int32(code), Reason: reason, Message: fmt.Sprintf(format, args...),
	}
}

func notFound(resource, name string) *status {
	return failure(404, metav1.StatusReasonNotFound, "%s %q not found", resource, name)
}

// suffixLength is that of a generated name, as upstream's.
const suffixLength = 5

func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// create stores a new object. Generated names are numbered, and so are uids, so that two runs agree.
func (s *server) create(actor, resource, ns string, o object) (object, *status) {
	return s.createAs(actor, resource, ns, o, nil, nil)
}

// createAs is create for an object that has a status already, and marks in its metadata that only the server sets.
func (s *server) createAs(actor, resource, ns string, o object, given any, marks object) (object, *status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := text(o, "metadata", "name")
	if name == "" {
		prefix := text(o, "metadata", "generateName")
		s.suffixes[prefix]++
		name = fmt.Sprintf("%s%0*d", prefix, suffixLength, s.suffixes[prefix])
	}
	if s.objects[resource][key(ns, name)] != nil {
		return nil, failure(409, metav1.StatusReasonAlreadyExists, "%s %q already exists", resource, name)
	}
	o = normalise(o)
	s.uids++
	system := object{
		"name": name, "uid": fmt.Sprintf("00000000-0000-4000-8000-%012d", s.uids), "creationTimestamp": timestamp(time.Now()),
	}
	if ns != "" {
		system["namespace"] = ns
	}
	maps.Copy(system, marks)
	o = stamp(o, system)
	var bad *status
	// Nodes that nobody registers are there from the start, and were registered long ago.
	if resource == "pods" || resource == "nodes" && actor == "kubelet" {
		if o, bad = s.admit(resource, ns, o, nil); bad != nil {
			return nil, bad
		}
	}
	o, bad = beforeCreate(resource, ns, o)
	if bad != nil {
		return nil, bad
	}
	if given != nil {
		o = normalise(with(o, given, "status"))
	}
	// Some older releases' BeforeCreate draws a uid of its own.
	return s.commit(actor, resource, nil, stamp(o, system)), nil
}

// stamp sets fields of an object's metadata.
func stamp(o object, system object) object {
	for field, val := range system {
		o = with(o, val, "metadata", field)
	}
	return o
}

// update applies change to the stored object; subresource is empty, "status",
// "binding" or unchecked.
func (s *server) update(actor, resource, subresource, ns, name string, apply func(cur object) (object, *status)) (object, *status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cur := s.objects[resource][key(ns, name)]
	if cur == nil {
		return nil, notFound(resource, name)
	}
	o, bad := apply(cur)
	if bad != nil {
		return nil, bad
	}
	for _, f := range []string{"resourceVersion", "uid"} {
		if got := text(o, "metadata", f); got != "" && got != text(cur, "metadata", f) {
			return nil, failure(409, metav1.StatusReasonConflict, "the %s of %s %q does not match", f, resource, name)
		}
	}
	for _, f := range []string{"resourceVersion", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "namespace", "name"} {
		o = with(o, get(cur, "metadata", f), "metadata", f)
	}
	o = normalise(o)
	if resource == "pods" && (subresource == "" || subresource == unchecked) {
		if o, bad = s.admit(resource, ns, o, cur); bad != nil {
			return nil, bad
		}
	}
	if o, bad = beforeUpdate(resource, subresource, ns, o, cur); bad != nil {
		return nil, bad
	}
	if reflect.DeepEqual(o, cur) {
		return cur, nil
	}
	if get(o, "metadata", "deletionGracePeriodSeconds") == 0.0 && get(o, "metadata", "finalizers") == nil {
		return s.commit(actor, resource, cur, nil), nil
	}
	return s.commit(actor, resource, cur, o), nil
}

// remove deletes. Pods with a grace period and objects with finalizers are only marked. Upstream marks
// a pod that is deleted without grace too, in the instant before it deletes it; that write is left out.
func (s *server) remove(actor, resource, ns, name string, opts metav1.DeleteOptions) (object, *status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cur := s.objects[resource][key(ns, name)]
	if cur == nil {
		return nil, notFound(resource, name)
	}
	if p := opts.Preconditions; p != nil {
		if p.UID != nil && string(*p.UID) != text(cur, "metadata", "uid") ||
			p.ResourceVersion != nil && *p.ResourceVersion != text(cur, "metadata", "resourceVersion") {
			return nil, failure(409, metav1.StatusReasonConflict, "precondition failed for %s %q", resource, name)
		}
	}
	grace, finalizers := graceOf(resource, cur, opts), gcFinalizers(cur, opts.PropagationPolicy)
	if pending, ok := get(cur, "metadata", "deletionGracePeriodSeconds").(float64); ok && resource == "pods" {
		if opts.GracePeriodSeconds == nil || grace >= pending {
			return cur, nil
		}
	}
	if grace == 0 && finalizers == nil {
		s.commit(actor, resource, cur, nil)
		return cur, nil
	}
	// A shorter grace moves the end forward, but not into the past (registry/rest/delete.go: BeforeDelete).
	at := timestamp(time.Now().Add(time.Duration(grace) * time.Second))
	if was := text(cur, "metadata", "deletionTimestamp"); was != "" && resource != "pods" {
		at = was
	}
	o := with(with(cur, at, "metadata", "deletionTimestamp"), grace, "metadata", "deletionGracePeriodSeconds")
	o = with(o, finalizers, "metadata", "finalizers")
	if g, ok := get(cur, "metadata", "generation").(float64); ok && text(cur, "metadata", "deletionTimestamp") == "" {
		o = with(o, g+1, "metadata", "generation")
	}
	if reflect.DeepEqual(o, cur) {
		return cur, nil
	}
	return s.commit(actor, resource, cur, o), nil
}

// gcFinalizers are an object's finalizers once its deletion was asked for in this way, nil for none
// (registry/generic/registry/store.go: deletionFinalizersForGarbageCollection).
func gcFinalizers(cur object, policy *metav1.DeletionPropagation) any {
	had, _ := get(cur, "metadata", "finalizers").([]any)
	var has []any
	for _, f := range had {
		if policy == nil || f != metav1.FinalizerOrphanDependents && f != metav1.FinalizerDeleteDependents {
			has = append(has, f)
		}
	}
	switch {
	case policy != nil && *policy == metav1.DeletePropagationOrphan:
		has = append(has, metav1.FinalizerOrphanDependents)
	case policy != nil && *policy == metav1.DeletePropagationForeground:
		has = append(has, metav1.FinalizerDeleteDependents)
	}
	if has == nil {
		return nil
	}
	return has
}

// graceOf is how long a deletion waits (pkg/registry/core/pod/strategy.go: CheckGracefulDelete).
func graceOf(resource string, cur object, opts metav1.DeleteOptions) float64 {
	if resource != "pods" {
		return 0
	}
	phase := text(cur, "status", "phase")
	if text(cur, "spec", "nodeName") == "" || phase == "Succeeded" || phase == "Failed" {
		return 0
	}
	if opts.GracePeriodSeconds != nil {
		return max(float64(*opts.GracePeriodSeconds), 0)
	}
	grace, _ := get(cur, "spec", "terminationGracePeriodSeconds").(float64)
	return grace
}

// serverSideApply has this form. Upstream's controllers for devices apply the lists of a status that nobody else writes, all entries at
// once, so that it is the same as a strategic merge patch of their keys.
const serverSideApply = "application/apply-patch+yaml"

// patched lays a patch over the stored object. A resourceVersion in the patch stays, and so is checked.
func patched(cur object, body []byte, kind string) (object, *status) {
	base := with(cur, nil, "metadata", "resourceVersion")
	schema := typed(cur)
	switch {
	case (kind == "application/strategic-merge-patch+json" || kind == serverSideApply) && schema != nil:
		out, err := strategicpatch.StrategicMergePatch(encode(base), body, schema)
		if err != nil {
			return nil, failure(422, metav1.StatusReasonInvalid, "%v", err)
		}
		return decode(out), nil
	case kind == "application/merge-patch+json" || kind == "application/strategic-merge-patch+json":
		return merge(base, decode(body)), nil
	}
	return nil, failure(415, metav1.StatusReasonUnsupportedMediaType, "%s", kind)
}

// minorOf reads 34 from v1.34.4.
func minorOf(version string) (minor int) {
	fmt.Sscanf(strings.TrimPrefix(version, "v1."), "%d", &minor)
	return minor
}
