package recorder

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	_ "unsafe" // for revisionOf

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// nodeObject is a node without its conditions.
func nodeObject(spec nodeSpec) *v1.Node {
	n := &v1.Node{TypeMeta: metav1.TypeMeta{Kind: "Node", APIVersion: "v1"}}
	n.Name = spec.Name
	n.Labels = map[string]string{
		"kubernetes.io/hostname": spec.Name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
		"beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "amd64",
	}
	if spec.Region != "" {
		n.Labels["topology.kubernetes.io/region"] = spec.Region
		n.Labels["failure-domain.beta.kubernetes.io/region"] = spec.Region
	}
	if spec.Zone != "" {
		n.Labels["topology.kubernetes.io/zone"] = spec.Zone
		n.Labels["failure-domain.beta.kubernetes.io/zone"] = spec.Zone
	}
	for l, v := range spec.Labels {
		n.Labels[l] = v
	}
	for _, t := range spec.Taints {
		n.Spec.Taints = append(n.Spec.Taints, parseTaint(t))
	}
	n.Spec.Unschedulable = spec.Unschedulable
	if !slices.ContainsFunc(n.Spec.Taints, func(t v1.Taint) bool { return t.Key == uninitialized }) {
		n.Spec.ProviderID = providerID(spec.Name) // another one's the cloud controllers give it
	}
	capacity := map[string]string{"cpu": "4", "memory": "16Gi", "pods": "110"}
	for r, q := range spec.Capacity {
		capacity[r] = q
	}
	n.Status.Capacity = resources(capacity)
	n.Status.Allocatable = n.Status.Capacity
	return n
}

func (p podSpec) template() v1.PodTemplateSpec {
	labels := map[string]string{}
	for k, v := range p.Labels {
		labels[k] = v
	}
	var spec v1.PodSpec
	lay(p.Spec, &spec)
	spec.NodeName, spec.NodeSelector, spec.Tolerations, spec.TerminationGracePeriodSeconds = p.Node, p.NodeSelector, p.Tolerations, p.Grace
	spec.Priority, spec.PreemptionPolicy = p.Priority, p.PreemptionPolicy
	if spec.Containers == nil {
		spec.Containers = []v1.Container{{Name: "main", Image: "image", Resources: v1.ResourceRequirements{Requests: resources(p.Requests)}}}
	}
	for i := range spec.Containers {
		limit(&spec.Containers[i].Resources)
	}
	return v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: p.Annotations, Finalizers: p.Finalizers}, Spec: spec}
}

// limit sets the limits that the API asks for where a request is of an extended resource, which is not overcommitted.
func limit(r *v1.ResourceRequirements) {
	for name, amount := range r.Requests {
		if strings.Contains(string(name), "/") {
			if r.Limits == nil {
				r.Limits = v1.ResourceList{}
			}
			r.Limits[name] = amount
		}
	}
}

// lay sets the fields of a spec that the scenario gives as the Kubernetes API has them. Those that a release does not know are passed over.
func lay(given json.RawMessage, spec any) {
	if given == nil {
		return
	}
	if err := json.Unmarshal(given, spec); err != nil {
		fail("a spec cannot be read:", err)
	}
}

func (s *server) createPod(actor string, p podSpec) {
	t := p.template()
	t.Spec.Volumes = append(t.Spec.Volumes, p.volumes()...)
	root := s.claimRoot(p)
	s.createClaimTemplates(p, namespace(p.Namespace), root)
	p.claimDevices(&t.Spec, root)
	pod := &v1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}, ObjectMeta: t.ObjectMeta, Spec: t.Spec}
	pod.Name = p.Name
	ns := namespace(p.Namespace)
	if p.Static != "" {
		pod.Annotations = mirrorAnnotations(pod.Annotations, p)
	}
	if kind, name, ok := strings.Cut(p.Owner, "/"); ok {
		pod.OwnerReferences = s.ownerOf(kind, ns, name)
		if owner := s.lookup(strings.ToLower(kind)+"s", ns, name); owner != nil {
			for k, v := range labelsOfPods(kind, owner, p.Name) {
				pod.Labels[k] = v
			}
		}
	}
	if len(p.Volumes) > 0 && (p.Running || p.Phase == v1.PodRunning) {
		setContainersRunning(pod)
	}
	var given any
	marks := object{}
	switch {
	case p.Phase != "":
		p.shown(pod)
		given = decode(encode(pod))["status"]
		if d := p.Deletion; d != nil {
			marks = object{"deletionTimestamp": timestamp(time.Now().Add(d.At.Duration)), "deletionGracePeriodSeconds": float64(d.Grace)}
		}
	case p.Running:
		pod.Status.StartTime = &metav1.Time{Time: time.Now()}
		pod.Status.Phase = v1.PodRunning
		for _, kind := range podConditions {
			setPodCondition(pod, kind, v1.ConditionTrue, "", "")
		}
		given = decode(encode(pod))["status"]
	}
	accept(s.createAs(actor, "pods", ns, decode(encode(pod)), given, marks))
}

// ownerOf refers to a workload, or to one of that name that is not there.
func (s *server) ownerOf(kind, ns, name string) []metav1.OwnerReference {
	yes := true
	ref := metav1.OwnerReference{APIVersion: "apps/v1", Kind: kind, Name: name, UID: types.UID("not-there-" + name), Controller: &yes, BlockOwnerDeletion: &yes}
	if owner := s.lookup(strings.ToLower(kind)+"s", ns, name); owner != nil {
		ref.APIVersion, ref.UID = text(owner, "apiVersion"), types.UID(text(owner, "metadata", "uid"))
	}
	return []metav1.OwnerReference{ref}
}

// revisionOf is the revision that the StatefulSet controller gives a set
// (pkg/controller/statefulset/stateful_set_utils.go).
//
//go:linkname revisionOf k8s.io/kubernetes/pkg/controller/statefulset.newRevision
func revisionOf(set *appsv1.StatefulSet, revision int64, collisions *int32) (*appsv1.ControllerRevision, error)

// labelsOfPods are those by which a controller sees that a pod is of its workload's present template.
func labelsOfPods(kind string, owner object, pod string) map[string]string {
	switch kind {
	case "StatefulSet":
		revision, err := revisionOf(convert[appsv1.StatefulSet](owner), 1, new(int32))
		if err != nil {
			panic(err)
		}
		return map[string]string{
			appsv1.StatefulSetPodNameLabel: pod, appsv1.StatefulSetRevisionLabel: revision.Name,
			"apps.kubernetes.io/pod-index": pod[strings.LastIndex(pod, "-")+1:],
		}
	case "DaemonSet":
		return map[string]string{"pod-template-generation": "1"}
	}
	return nil
}

// createWorkload makes the object whose controller will then create the pods.
func (s *server) createWorkload(w workloadSpec) {
	template, app, ns := w.Template.template(), w.Name, namespace(w.Namespace)
	meta := metav1.ObjectMeta{Name: w.Name}
	if kind, name, ok := strings.Cut(w.Owner, "/"); ok {
		meta.OwnerReferences, app = s.ownerOf(kind, ns, name), name
	}
	selector := w.Selector
	if selector == nil {
		selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
		template.Labels["app"] = app
	}
	if w.Owner != "" { // the ReplicaSet of a Deployment, which finds it by these
		meta.Labels = template.Labels
	}
	if w.Kind != "StatefulSet" {
		template.Spec.Volumes = append(template.Spec.Volumes, w.Template.volumes()...)
	}
	s.createClaimTemplates(w.Template, ns, app)
	w.Template.claimDevices(&template.Spec, app)
	apps := metav1.TypeMeta{Kind: w.Kind, APIVersion: "apps/v1"}
	var o runtime.Object
	resource := ""
	switch w.Kind {
	case "StatefulSet":
		set := &appsv1.StatefulSet{TypeMeta: apps, ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{
			Replicas: &w.Replicas, Selector: selector, Template: template, VolumeClaimTemplates: w.Template.claims()}}
		if w.Parallel {
			set.Spec.PodManagementPolicy = appsv1.ParallelPodManagement
		}
		lay(w.Spec, &set.Spec)
		o, resource = set, "statefulsets"
	case "ReplicaSet":
		o, resource = &appsv1.ReplicaSet{TypeMeta: apps, ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Replicas: &w.Replicas, MinReadySeconds: w.MinReadySeconds, Selector: selector, Template: template}}, "replicasets"
	case "Deployment":
		o, resource = &appsv1.Deployment{TypeMeta: apps, ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Replicas: &w.Replicas, MinReadySeconds: w.MinReadySeconds, Selector: selector, Template: template}}, "deployments"
	case "DaemonSet":
		o, resource = &appsv1.DaemonSet{TypeMeta: apps, ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{MinReadySeconds: w.MinReadySeconds, Selector: selector, Template: template}}, "daemonsets"
	case "Job":
		if template.Spec.RestartPolicy == "" {
			template.Spec.RestartPolicy = v1.RestartPolicyNever
		}
		template.Labels["controller-uid"] = w.Name
		manual := true            // a selector that the strategy draws from the uid would differ from run to run
		completions := w.Replicas // a place of its own, for lay writes where it points to
		job := &batchv1.Job{TypeMeta: metav1.TypeMeta{Kind: "Job", APIVersion: "batch/v1"}, ObjectMeta: meta,
			Spec: batchv1.JobSpec{Parallelism: &w.Replicas, Completions: &completions, Template: template, Selector: selector, ManualSelector: &manual}}
		lay(w.Spec, &job.Spec)
		o, resource = job, "jobs"
	default:
		fail("unknown kind of workload", w.Kind)
	}
	accept(s.create("user", resource, ns, decode(encode(o))))
}

// policyVersion is the version of policy that the release's own controllers use.
func policyVersion(minor int) string {
	if minor < 21 {
		return "v1beta1"
	}
	return "v1"
}

// rule is what a budget asks for.
func (b budgetSpec) rule() object {
	rule := object{}
	for field, amount := range map[string]*intstr.IntOrString{"minAvailable": b.MinAvailable, "maxUnavailable": b.MaxUnavailable} {
		if amount != nil {
			rule[field] = amount
		}
	}
	return rule
}

func (s *server) createBudget(b budgetSpec) {
	selector := b.Selector
	if selector == nil {
		selector = &metav1.LabelSelector{MatchLabels: b.Labels}
	}
	spec := with(b.rule(), decode(encode(selector)), "selector")
	if b.Unhealthy != "" {
		spec["unhealthyPodEvictionPolicy"] = b.Unhealthy
	}
	accept(s.create("user", "poddisruptionbudgets", namespace(b.Namespace), object{
		"apiVersion": "policy/" + policyVersion(s.minor), "kind": "PodDisruptionBudget",
		"metadata": object{"name": b.Name}, "spec": spec,
	}))
}
