package recorder

import (
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// steer is one thing that comes otherwise than the rest of the scenario says: what a tape of `taintsim explore` has
// beside its default order. ../SCENARIO.md lists them. Each comes about once, the first time that it can from its time on.
type steer struct {
	What    string   `json:"what"`
	Object  string   `json:"object"`
	At      duration `json:"at"`
	Nth     int      `json:"nth"`
	Takes   duration `json:"takes"`
	Becomes string   `json:"becomes"`
}

var steers = []string{"request-latency", "response-latency", "request-late", "request-fails", "crash", "watch-held", "watch-broken"}

// steering are those that have not come about yet.
type steering struct {
	mu    sync.Mutex
	start time.Time
	left  []steer
}

func newSteering(start time.Time, all []steer) *steering {
	for _, s := range all {
		if !slices.Contains(steers, s.What) {
			fail("nobody steers", s.What)
		}
	}
	return &steering{start: start, left: slices.Clone(all)}
}

// next takes the first that can come about now.
func (s *steering) next(what, object string) (steer, bool) {
	if object == "" {
		return steer{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found := -1
	for i := range s.left {
		one := &s.left[i]
		if one.What != what || one.Object != object || time.Since(s.start) < one.At.Duration {
			continue
		}
		if one.Nth--; one.Nth < 0 && found < 0 {
			found = i
		}
	}
	if found < 0 {
		return steer{}, false
	}
	one := s.left[found]
	s.left = slices.Delete(s.left, found, found+1)
	return one, true
}

// takes is how long something takes, if it comes otherwise than usually.
func (s *steering) takes(what, object string, usually time.Duration) time.Duration {
	if one, ok := s.next(what, object); ok {
		return one.Takes.Duration
	}
	return usually
}

// unmet is how many have not come about.
func (s *steering) unmet() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.left)
}

// broken is what becomes of a connection whose packets vanish: client-go does not try again by itself, as it would after a reset.
var broken = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ETIMEDOUT)}

// kinds are the workloads, by their resources.
var kinds = map[string]string{"deployments": "Deployment", "replicasets": "ReplicaSet", "statefulsets": "StatefulSet", "daemonsets": "DaemonSet", "jobs": "Job"}

// about is the object that a controller's request is about, as tapes name it: `node-1`, `default/web-0`, `StatefulSet/default/web`; empty
// where it is none of these, and for lists and watches. An event is about its object, and the creation of a pod whose name is generated
// about the workload.
func (t *transport) about(req *http.Request, body []byte) string {
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	if root := map[string]int{"api": 3, "apis": 4}[parts[0]]; !t.steered || len(parts) < root {
		return ""
	}
	of := targetOf(parts)
	creates := req.Method == http.MethodPost && of.name == ""
	switch {
	case of.name == "" && !creates:
		return ""
	case of.resource == "events":
		o := decode(body)
		if !creates {
			o = t.server.lookup("events", of.ns, of.name)
		}
		ref := get(o, "involvedObject")
		if text(ref, "kind") == "" {
			ref = get(o, "regarding")
		}
		return named(text(ref, "kind"), text(ref, "namespace"), text(ref, "name"))
	case of.resource == "pods" && creates:
		o := decode(body)
		if name := text(o, "metadata", "name"); name != "" {
			return key(of.ns, name)
		}
		refs, _ := get(o, "metadata", "ownerReferences").([]any)
		if len(refs) == 0 {
			return ""
		}
		return named(text(refs[0], "kind"), of.ns, text(refs[0], "name"))
	case of.resource == "pods":
		return key(of.ns, of.name)
	case of.resource == "nodes":
		return of.name
	case kinds[of.resource] != "":
		return named(kinds[of.resource], of.ns, of.name)
	}
	return ""
}

func named(kind, ns, name string) string {
	switch kind {
	case "Node":
		return name
	case "Pod":
		return key(ns, name)
	}
	return kind + "/" + ns + "/" + name
}

// breaks ends a watch so that its reflector has to list anew, which it cannot before a time is over.
func (w *stream) breaks(unlisted time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rev++ // so that the next change is not the one after the last that was seen
	w.faults.oldest[w.resource] = w.rev
	w.faults.unlisted[w.resource] = time.Now().Add(unlisted)
}

// waitForList waits until a resource can be listed again.
func (s *server) waitForList(resource string) {
	s.mu.Lock()
	until := s.faults.unlisted[resource]
	s.mu.Unlock()
	time.Sleep(time.Until(until))
}
