package recorder

import (
	"sort"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
)

// record is one fact that everybody can observe; ../SCENARIO.md lists the kinds.
type record struct {
	T       int64    `json:"t_ns"`
	Actor   string   `json:"actor"`
	What    string   `json:"what"`
	Node    string   `json:"node,omitempty"`
	Pod     string   `json:"pod,omitempty"`
	Volume  string   `json:"volume,omitempty"`
	Object  string   `json:"object,omitempty"`
	Type    string   `json:"type,omitempty"`
	Status  string   `json:"status,omitempty"`
	Reason  string   `json:"reason,omitempty"`
	Message string   `json:"message,omitempty"`
	Value   *bool    `json:"value,omitempty"`
	Grace   *int64   `json:"grace,omitempty"`
	Count   int32    `json:"count,omitempty"`
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
	at      int64    // to the nanosecond
}

// trace turns changes in the store into records.
type trace struct {
	mu      sync.Mutex
	start   time.Time
	records []record
	aliases []string       // pairs of a generated name and the one it is given here
	numbers map[string]int // how many names an owner's prefix has
	disks   disks
}

func newTrace(start time.Time, d disks) *trace {
	return &trace{start: start, numbers: map[string]int{}, disks: d}
}

func (t *trace) add(actor string, r record) {
	since := time.Since(t.start)
	r.T, r.at, r.Actor = int64(since.Truncate(time.Millisecond)), int64(since), actor
	t.records = append(t.records, r)
}

func (t *trace) observe(actor, resource string, old, new object) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old == nil && actor != "user" {
		t.alias(resource, new)
	}
	switch resource {
	case "nodes":
		t.node(actor, old, new)
	case "pods":
		t.pod(actor, old, new)
	case "volumeattachments":
		t.attachment(actor, old, new)
	case "resourceclaims":
		t.claim(actor, old, new)
	case "devicetaintrules":
		t.rule(actor, old, new)
	case "events":
		t.event(actor, new)
	}
}

func (t *trace) node(actor string, old, new object) {
	if new == nil {
		t.add(actor, record{What: "node-deleted", Node: text(old, "metadata", "name")})
		return
	}
	n, o := convert[v1.Node](new), &v1.Node{}
	if old == nil {
		t.add(actor, record{What: "node-created", Node: n.Name})
	} else {
		o = convert[v1.Node](old)
	}
	for _, c := range n.Status.Conditions {
		if was := condition(o, c.Type); old != nil && (was == nil || was.Status != c.Status) {
			t.add(actor, record{What: "node-condition", Node: n.Name, Type: string(c.Type), Status: string(c.Status), Reason: c.Reason})
		}
	}
	added, removed := minus(n.Spec.Taints, o.Spec.Taints), minus(o.Spec.Taints, n.Spec.Taints)
	if added != nil || removed != nil {
		t.add(actor, record{What: "node-taints", Node: n.Name, Added: added, Removed: removed})
	}
	if n.Spec.Unschedulable != o.Spec.Unschedulable {
		t.add(actor, record{What: "node-unschedulable", Node: n.Name, Value: &n.Spec.Unschedulable})
	}
}

// minus gives the texts of those of a that are not in b, sorted.
func minus(a, b []v1.Taint) (out []string) {
	has := map[string]bool{}
	for _, t := range b {
		has[taintText(t)] = true
	}
	for _, t := range a {
		if !has[taintText(t)] {
			out = append(out, taintText(t))
		}
	}
	sort.Strings(out)
	return out
}

func condition(n *v1.Node, kind v1.NodeConditionType) *v1.NodeCondition {
	for i := range n.Status.Conditions {
		if n.Status.Conditions[i].Type == kind {
			return &n.Status.Conditions[i]
		}
	}
	return nil
}

func podCondition(p *v1.Pod, kind v1.PodConditionType) *v1.PodCondition {
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == kind {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}

func (t *trace) pod(actor string, old, new object) {
	if new == nil {
		t.add(actor, record{What: "pod-gone", Pod: key(text(old, "metadata", "namespace"), text(old, "metadata", "name"))})
		return
	}
	p, o := convert[v1.Pod](new), &v1.Pod{}
	name := key(p.Namespace, p.Name)
	if old == nil {
		t.add(actor, record{What: "pod-created", Pod: name, Node: p.Spec.NodeName})
		o.Status.Phase, o.Spec.NodeName = v1.PodPending, p.Spec.NodeName
	} else {
		o = convert[v1.Pod](old)
	}
	if p.Spec.NodeName != o.Spec.NodeName {
		t.add(actor, record{What: "pod-bound", Pod: name, Node: p.Spec.NodeName})
	}
	if p.Status.Phase != o.Status.Phase {
		t.add(actor, record{What: "pod-phase", Pod: name, Status: string(p.Status.Phase)})
	}
	for _, kind := range []v1.PodConditionType{v1.PodReady, "DisruptionTarget"} {
		if c := podCondition(p, kind); c != nil {
			if was := podCondition(o, kind); was == nil || was.Status != c.Status {
				t.add(actor, record{What: "pod-condition", Pod: name, Type: string(kind), Status: string(c.Status), Reason: c.Reason})
			}
		} else if actor == "kubelet" && podCondition(o, kind) != nil {
			t.add(actor, record{What: "pod-condition-gone", Pod: name, Type: string(kind)})
		}
	}
	if g := p.DeletionGracePeriodSeconds; g != nil && (o.DeletionGracePeriodSeconds == nil || *o.DeletionGracePeriodSeconds != *g) {
		t.add(actor, record{What: "pod-deleting", Pod: name, Grace: g})
	}
}

func (t *trace) attachment(actor string, old, new object) {
	o := new
	if o == nil {
		o = old
	}
	add := func(what string) {
		t.add(actor, record{What: what, Volume: t.disks.claimOf(text(o, "spec", "source", "persistentVolumeName")), Node: text(o, "spec", "nodeName")})
	}
	if new == nil {
		add("attachment-gone")
		return
	}
	if old == nil {
		add("attachment-created")
	}
	if isAttached(new) && !isAttached(old) {
		add("attachment-attached")
	}
	if isDeleting(new) && !isDeleting(old) {
		add("attachment-deleting")
	}
}

// event records events of core/v1 and of events.k8s.io/v1 alike.
func (t *trace) event(actor string, o object) {
	if o == nil {
		return
	}
	ref, message := get(o, "involvedObject"), text(o, "message")
	if text(ref, "kind") == "" {
		ref, message = get(o, "regarding"), text(o, "note")
	}
	name := text(ref, "kind") + "/" + text(ref, "name")
	if ns := text(ref, "namespace"); ns != "" {
		name = text(ref, "kind") + "/" + ns + "/" + text(ref, "name")
	}
	r := record{What: "event", Object: name, Type: text(o, "type"), Reason: text(o, "reason"), Message: message}
	if n, ok := get(o, "count").(float64); ok && n > 1 {
		r.Count = int32(n)
	}
	if n, ok := get(o, "series", "count").(float64); ok {
		r.Count = int32(n)
	}
	switch text(o, "source", "component") {
	case "taint-controller", "taint-eviction-controller":
		actor = "taint-eviction"
	case "persistentvolume-controller": // what is said of claims has one actor
		actor = provisionerActor
	}
	t.add(actor, r)
}
