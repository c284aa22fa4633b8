package recorder

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// process is one life of a program: once it is killed, its requests neither start nor return.
type process struct {
	once sync.Once
	dead chan struct{}
}

func newProcess() *process { return &process{dead: make(chan struct{})} }

func (p *process) kill() { p.once.Do(func() { close(p.dead) }) }

// stopHere blocks for good in a process that was killed.
func (p *process) stopHere() {
	select {
	case <-p.dead:
		select {}
	default:
	}
}

// transport carries one client's requests to the API server without sockets. Clients, their rate
// limiters and their serialisation are client-go's own.
type transport struct {
	server  *server
	actor   string
	process *process
	inside  bool  // the API server's own, which takes the time of its storage and is never refused
	line    *line // of a client that may be cut off by itself, as kubelets are; nil for others
	steered bool  // a controller's
}

// line is the way of one machine to the API server.
type line struct {
	mu    sync.Mutex
	cut   bool
	ended chan struct{} // closed when what stands on it now ends
}

func newLine() *line { return &line{ended: make(chan struct{})} }

// set cuts the line, which ends all that stands on it, or mends it.
func (l *line) set(cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if cut && !l.cut {
		close(l.ended)
		l.ended = make(chan struct{})
	}
	l.cut = cut
}

// state says whether the line is cut, and gives the channel that is closed when it is.
func (l *line) state() (cut bool, ended <-chan struct{}) {
	if l == nil {
		return false, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cut, l.ended
}

// refused is what a client gets of an API server that is down, in the form that client-go knows.
var refused = &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}

// reset is what becomes of a connection that is cut.
var reset = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}

// RoundTrip sends a request, has it applied, and brings the reply back.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	t.process.stopHere()
	var body []byte
	if req.Body != nil {
		body, _ = io.ReadAll(req.Body)
		req.Body.Close()
	}
	there, back := t.server.request, t.server.response
	if t.inside {
		there, back = t.server.storage, 0
	}
	about, by := t.about(req, body), t.server.steering
	there, back = by.takes("request-latency", about, there), by.takes("response-latency", about, back)
	there += by.takes("request-late", about, 0)
	time.Sleep(there)
	if cut, _ := t.line.state(); cut || t.server.isDown() && !t.inside {
		t.process.stopHere()
		return nil, refused
	}
	fate, _ := by.next("request-fails", about)
	if fate.Becomes == "lost" {
		time.Sleep(back)
		t.process.stopHere()
		return nil, broken
	}
	var code int
	var reply any = tooBusy
	if fate.Becomes == "rejected" {
		code = http.StatusTooManyRequests
	} else {
		code, reply = t.serve(req, body)
	}
	if code < 300 && req.Method != http.MethodGet {
		if crash, ok := by.next("crash", about); ok {
			t.server.crash(crash.Takes.Duration)
		}
	}
	time.Sleep(back)
	t.process.stopHere()
	if cut, _ := t.line.state(); cut {
		return nil, reset
	}
	if fate.Becomes == "reply-lost" {
		return nil, broken
	}
	resp := &http.Response{
		StatusCode: code, Status: strconv.Itoa(code) + " " + http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: -1,
	}
	switch reply := reply.(type) {
	case io.ReadCloser:
		resp.Body = reply
		return resp, nil
	case rejection:
		resp.Header.Set("Content-Type", "text/plain; charset=utf-8")
		resp.Header.Set("Retry-After", retryAfter)
		resp.Body = io.NopCloser(strings.NewReader(string(reply)))
		return resp, nil
	case *status:
		// client-go waits that long and tries again by itself.
		if reply.Details != nil && reply.Details.RetryAfterSeconds > 0 {
			resp.Header.Set("Retry-After", strconv.Itoa(int(reply.Details.RetryAfterSeconds)))
		}
	}
	resp.Body = io.NopCloser(bytes.NewReader(encode(reply)))
	return resp, nil
}

// target is what a request is about, read from its path.
type target struct{ resource, ns, name, sub string }

func targetOf(parts []string) target {
	if parts[0] == "api" {
		parts = parts[2:]
	} else {
		parts = parts[3:]
	}
	var of target
	if parts[0] == "namespaces" && len(parts) > 2 {
		of.ns, parts = parts[1], parts[2:]
	}
	parts = append(parts, "", "")
	of.resource, of.name, of.sub = parts[0], parts[1], parts[2]
	return of
}

func (t *transport) serve(req *http.Request, body []byte) (int, any) {
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	var o any
	var bad *status
	if !t.inside && t.server.rejects(t.actor) {
		return http.StatusTooManyRequests, tooBusy
	}
	if root := map[string]int{"api": 3, "apis": 4}[parts[0]]; len(parts) < root {
		o, bad = t.server.discovery(parts)
	} else {
		of := targetOf(parts)
		if t.actor == "node-lifecycle" && !t.server.evictsByNode && of.resource == "pods" && (req.Method == http.MethodDelete || req.Method == http.MethodPatch) {
			// Up to 1.28 the taint manager is a part of the node lifecycle controller and uses its client.
			t = &transport{server: t.server, actor: "taint-eviction", process: t.process}
		}
		o, bad = t.dispatch(req, of, body)
	}
	switch {
	case bad != nil:
		return int(bad.Code), bad
	case req.Method == http.MethodPost:
		return http.StatusCreated, o
	}
	return http.StatusOK, o
}

func (t *transport) dispatch(req *http.Request, of target, body []byte) (any, *status) {
	s := t.server
	switch req.Method {
	case http.MethodGet:
		if of.name == "" {
			return s.listOrWatch(req, of, t)
		}
		if of.sub == "scale" {
			return s.scale(of.resource, of.ns, of.name)
		}
		if o := s.lookup(of.resource, of.ns, of.name); o != nil {
			return o, nil
		}
		return nil, notFound(of.resource, of.name)
	case http.MethodPost:
		switch of.sub {
		case "binding":
			binding := decode(body)
			return s.bind(t.actor, of.ns, of.name, text(binding, "metadata", "uid"), text(binding, "target", "name"))
		case "eviction":
			return s.evict(s, t.actor, of.ns, of.name, body)
		case "":
			return s.create(t.actor, of.resource, of.ns, decode(body))
		}
	case http.MethodPut:
		return s.update(t.actor, of.resource, of.sub, of.ns, of.name, func(object) (object, *status) { return decode(body), nil })
	case http.MethodPatch:
		return s.update(t.actor, of.resource, of.sub, of.ns, of.name, func(cur object) (object, *status) {
			return patched(cur, body, req.Header.Get("Content-Type"))
		})
	case http.MethodDelete:
		return s.remove(t.actor, of.resource, of.ns, of.name, *convert[metav1.DeleteOptions](decode(body)))
	}
	return nil, failure(405, metav1.StatusReasonMethodNotAllowed, "%s %s", req.Method, req.URL.Path)
}

func (s *server) listOrWatch(req *http.Request, of target, t *transport) (any, *status) {
	q := req.URL.Query()
	match, err := selector(of.ns, q.Get("fieldSelector"), q.Get("labelSelector"))
	if err != nil {
		return nil, failure(400, metav1.StatusReasonBadRequest, "%v", err)
	}
	if q.Get("sendInitialEvents") == "true" { // reflectors then list and watch instead
		return nil, failure(422, metav1.StatusReasonInvalid, "streaming lists are not supported")
	}
	if w := q.Get("watch"); w == "true" || w == "1" {
		return s.openWatch(req, of.resource, match, q.Get("resourceVersion"), t)
	}
	if t.actor == "informers" {
		s.waitForList(of.resource)
	}
	items, rev := s.list(of.resource, match)
	if items == nil {
		items = []object{}
	}
	list := object{"metadata": object{"resourceVersion": strconv.FormatInt(rev, 10)}, "items": items}
	if of.resource == "pods" { // the scheduler up to 1.18 reads this list without knowing its type
		list["kind"], list["apiVersion"] = "PodList", "v1"
	}
	return list, nil
}
