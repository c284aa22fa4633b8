package recorder

import (
	"context"
	"io"
	"reflect"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubectl/pkg/drain"
)

// drainOptions are flags of kubectl drain.
type drainOptions struct {
	Force            bool     `json:"force"`
	IgnoreDaemonSets *bool    `json:"ignore-daemonsets"`
	GracePeriod      *int     `json:"grace-period"`
	Timeout          duration `json:"timeout"`
	DisableEviction  bool     `json:"disable-eviction"`
	DeleteEmptyDir   *bool    `json:"delete-emptydir-data"`
	SkipWait         *int     `json:"skip-wait-for-delete-timeout"`
}

// The releases whose kubectl goes on with the next node when one cannot be drained.
const drainGoesOnSince = 23

// helper is kubectl's package for drains with these flags, and a client of its own.
func (r *run) helper(o drainOptions) *drain.Helper {
	h := &drain.Helper{
		Client: r.client("user", r.kubectl), Force: o.Force, IgnoreAllDaemonSets: value(o.IgnoreDaemonSets, true),
		GracePeriodSeconds: value(o.GracePeriod, -1), Timeout: o.Timeout.Duration, DisableEviction: o.DisableEviction,
		SkipWaitForDeleteTimeoutSeconds: value(o.SkipWait, 0), Out: io.Discard, ErrOut: io.Discard,
	}
	// Releases differ in the names of these.
	if f := reflect.ValueOf(h).Elem().FieldByName("Ctx"); f.IsValid() {
		f.Set(reflect.ValueOf(context.Background()))
	}
	// kubectl's own pause after an eviction that was refused; the package has it as an option from 1.35 on.
	if f := reflect.ValueOf(h).Elem().FieldByName("EvictErrorRetryDelay"); f.IsValid() {
		f.Set(reflect.ValueOf(5 * time.Second))
	}
	for _, name := range []string{"DeleteLocalData", "DeleteEmptyDirData"} {
		if f := reflect.ValueOf(h).Elem().FieldByName(name); f.IsValid() {
			f.SetBool(value(o.DeleteEmptyDir, true))
		}
	}
	return h
}

// drain is kubectl drain of these nodes: all are read, then all are cordoned, then they are emptied one after
// the other (staging/src/k8s.io/kubectl/pkg/cmd/drain/drain.go: Complete, RunDrain). It says whether all were there, and
// whether all were drained.
func (r *run) drain(nodes []string, o drainOptions) (found, drained bool) {
	h := r.helper(o)
	var read []*v1.Node
	for _, name := range nodes {
		n, err := h.Client.CoreV1().Nodes().Get(context.Background(), name, metav1.GetOptions{})
		if err != nil {
			return false, false
		}
		read = append(read, n)
	}
	for _, n := range read {
		_ = drain.RunCordonOrUncordon(h, n, true) // kubectl prints the error and goes on
	}
	drained = true
	for _, name := range nodes {
		if drain.RunNodeDrain(h, name) != nil {
			drained = false
			if r.server.minor < drainGoesOnSince {
				break
			}
		}
	}
	return true, drained
}
