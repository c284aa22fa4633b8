package recorder

import (
	"sort"
	"strconv"
	"sync"
	"time"

	"k8s.io/apiserver/pkg/admission"
	"k8s.io/client-go/tools/cache"
)

// change is one write: an object before and after it, either of which may be nil.
type change struct {
	rev      int64
	at       time.Time
	lag      time.Duration // of the watches of its resource
	old, new object
}

// server is the API server: objects by resource and namespace/name, one counter of revisions, and for
// each resource all its changes, which watches read at their own pace.
type server struct {
	mu       sync.Mutex
	moved    *sync.Cond // a change, or the end of a watch
	rev      int64
	uids     int
	suffixes map[string]int // how many names were generated from a prefix
	objects  map[string]map[string]object
	history  map[string][]change
	faults   faults

	request, response, watch, storage time.Duration
	evictsByNode                      bool // up to 1.26: without a taint manager
	withDevices                       bool // of dynamic resource allocation
	plugins                           []admission.Interface
	namespaces                        cache.Indexer // where those find them
	minor                             int           // of the release, 34 for v1.34.4
	steering                          *steering
	crash                             func(downtime time.Duration) // of the controllers' process
	onChange                          func(actor, resource string, old, new object)
	evict                             func(s *server, actor, ns, name string, body []byte) (object, *status)
}

func newServer() *server {
	s := &server{
		suffixes: map[string]int{}, objects: map[string]map[string]object{}, history: map[string][]change{},
		faults: newFaults(), minor: minorOf(kubernetesVersion),
	}
	s.moved = sync.NewCond(&s.mu)
	return s
}

func key(ns, name string) string { return ns + "/" + name }

func keyOf(o object) string {
	return key(text(o, "metadata", "namespace"), text(o, "metadata", "name"))
}

// commit stores new in place of old and tells everyone; s.mu is held.
func (s *server) commit(actor, resource string, old, new object) object {
	s.rev++
	o := new
	if o == nil {
		o = old
	}
	o = with(o, strconv.FormatInt(s.rev, 10), "metadata", "resourceVersion")
	c := change{rev: s.rev, at: time.Now(), lag: s.faults.lag[resource], old: old, new: o}
	if new == nil {
		delete(s.objects[resource], keyOf(o))
		c.old, c.new = o, nil
	} else {
		if s.objects[resource] == nil {
			s.objects[resource] = map[string]object{}
		}
		s.objects[resource][keyOf(o)] = o
	}
	s.history[resource] = append(s.history[resource], c)
	s.onChange(actor, resource, old, c.new)
	s.moved.Broadcast()
	return o
}

func (s *server) lookup(resource, ns, name string) object {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[resource][key(ns, name)]
}

// list gives the objects that match in the order of their keys, and the revision it is of.
func (s *server) list(resource string, match func(object) bool) (items []object, rev int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.objects[resource] {
		if match(o) {
			items = append(items, o)
		}
	}
	sort.Slice(items, func(i, j int) bool { return keyOf(items[i]) < keyOf(items[j]) })
	return items, s.rev
}
