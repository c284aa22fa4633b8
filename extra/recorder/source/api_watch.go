package recorder

import (
	"io"
	"net/http"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// faults are what is wrong with the API server at present; server.mu guards them.
type faults struct {
	down    bool
	busy    map[string]time.Time     // an actor's requests, or everybody's, are answered 429 until then
	lag     map[string]time.Duration // watches of a resource deliver so much later
	stalled map[string]time.Time     // watches of a resource deliver nothing until then
	cut     map[string]int           // how often the watches of a resource were cut off, and under "" those of all
	oldest  map[string]int64         // the oldest revision that a watch of a resource, or any, may begin after

	unlisted map[string]time.Time // controllers' lists of a resource come no sooner
}

func newFaults() faults {
	return faults{busy: map[string]time.Time{}, lag: map[string]time.Duration{}, stalled: map[string]time.Time{}, cut: map[string]int{}, oldest: map[string]int64{}, unlisted: map[string]time.Time{}}
}

// cutWatches ends the watches of a resource, or of all if empty. With expire the changes up to now are
// forgotten as well, so that a watch that begins where the old one ended is answered 410 Gone.
func (s *server) cutWatches(resource string, expire bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.cut[resource]++
	if expire {
		s.rev++ // so that the next change is not the one after the last that was seen
		s.faults.oldest[resource] = s.rev
	}
	s.moved.Broadcast()
}

// cuts is how often the watches of a resource were cut off, also before anything of it was written.
func (f *faults) cuts(resource string) int { return f.cut[""] + f.cut[resource] }

// lagWatches has watches of a resource deliver what changes from now on so much later; zero ends it.
func (s *server) lagWatches(resource string, lag time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.lag[resource] = lag
}

func (s *server) stallWatches(resource string, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.stalled[resource] = until
}

func (s *server) setDown(down bool) {
	s.mu.Lock()
	s.faults.down = down
	s.mu.Unlock()
	if down {
		s.cutWatches("", false)
	}
}

// rejection is the answer of API priority and fairness to a request that it rejects: a line of text, and to come back in
// a second (apiserver/pkg/server/filters: tooManyRequests).
type rejection string

const (
	tooBusy    rejection = "Too many requests, please try again later.\n"
	retryAfter           = "1"
)

func (s *server) rejectUntil(actor string, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if until.After(s.faults.busy[actor]) { // a shorter one does not end a longer one
		s.faults.busy[actor] = until
	}
}

// rejects says whether API priority and fairness rejects that actor's requests now.
func (s *server) rejects(actor string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	return now.Before(s.faults.busy[actor]) || now.Before(s.faults.busy[""])
}

func (s *server) isDown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.faults.down
}

// stream is one watch: what it is of, and where its reader stands.
type stream struct {
	*server
	resource string
	match    func(object) bool
	from     int64
	cuts     int // how often the watches had been cut off when it began
	closed   bool
	steered  string // what it is called where it may be steered, as those of controllers may
	writer   *io.PipeWriter
}

// openWatch streams every change of the resource after a revision, each no earlier than its time and
// s.watch after it. It ends with its client, and with the line that it stands on.
func (s *server) openWatch(req *http.Request, resource string, match func(object) bool, revision string, t *transport) (any, *status) {
	from, _ := strconv.ParseInt(revision, 10, 64)
	s.mu.Lock()
	oldest, cuts := max(s.faults.oldest[""], s.faults.oldest[resource]), s.faults.cuts(resource)
	s.mu.Unlock()
	if from < oldest {
		return nil, failure(410, metav1.StatusReasonExpired, "too old resource version: %d (%d)", from, oldest)
	}
	reader, writer := io.Pipe()
	w := &stream{server: s, resource: resource, match: match, from: from, cuts: cuts, writer: writer}
	if t.actor == "informers" {
		w.steered = resource
	}
	_, ended := t.line.state()
	go func() {
		var why error
		select {
		case <-req.Context().Done():
		case <-ended:
			why = reset
		}
		s.mu.Lock()
		w.closed = true
		s.mu.Unlock()
		s.moved.Broadcast()
		writer.CloseWithError(why)
	}()
	go w.deliver()
	return io.ReadCloser(reader), nil
}

// next waits for the change at that place of the history; there is none any more if the watch has ended.
func (w *stream) next(place int) (change, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		switch {
		case w.closed:
			return change{}, false
		case w.faults.cuts(w.resource) != w.cuts:
			return change{}, false
		case place < len(w.history[w.resource]):
			return w.history[w.resource][place], true
		}
		w.moved.Wait()
	}
}

func (w *stream) deliver() {
	defer w.writer.Close()
	for place := 0; ; place++ {
		c, ok := w.next(place)
		if !ok {
			return
		}
		kind, o := w.event(c)
		if c.rev <= w.from || kind == "" {
			continue
		}
		time.Sleep(time.Until(c.at.Add(w.watch + c.lag)))
		w.mu.Lock()
		stalled := w.faults.stalled[w.resource]
		w.mu.Unlock()
		time.Sleep(time.Until(stalled))
		time.Sleep(w.steering.takes("watch-held", w.steered, 0))
		if broken, ok := w.steering.next("watch-broken", w.steered); ok {
			w.breaks(broken.Takes.Duration)
			return
		}
		if _, err := w.writer.Write(append(encode(object{"type": kind, "object": o}), '\n')); err != nil {
			return
		}
	}
}

// event is what the watch says of a change, if anything.
func (w *stream) event(c change) (kind string, o object) {
	was, is := c.old != nil && w.match(c.old), c.new != nil && w.match(c.new)
	switch {
	case was && is:
		return "MODIFIED", c.new
	case is:
		return "ADDED", c.new
	case was && c.new != nil:
		return "DELETED", c.new
	case was:
		return "DELETED", c.old
	}
	return "", nil
}
