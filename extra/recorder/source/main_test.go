package recorder

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	_ "unsafe" // for neverResync

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
)

var (
	scenarioFile = flag.String("scenario", "", "the scenario, a JSON file")
	outFile      = flag.String("out", "/dev/stdout", "where the records go")
	patience     = flag.Duration("patience", time.Minute, "how long virtual time may stand still, in wall time, before the run is given up")
)

// kubernetesVersion is the release, v1.34.4; build sets it.
var kubernetesVersion string

// neverResync is what client-go's reflectors wait for that do not resync (tools/cache/reflector.go).
//
//go:linkname neverResync k8s.io/client-go/tools/cache.neverExitWatch
var neverResync <-chan time.Time

// TestRecord is the whole program: one run of one scenario.
func TestRecord(t *testing.T) {
	raw, err := os.ReadFile(*scenarioFile)
	if err != nil {
		fail(err)
	}
	sc := &scenario{}
	if err := json.Unmarshal(raw, sc); err != nil {
		fail(*scenarioFile, err)
	}
	// The scheduler listens for this signal too; the runtime's part of it must start outside of virtual time.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR2)
	// Our API server does not stream lists.
	os.Setenv("KUBE_FEATURE_WatchListClient", "false")
	watch(*patience)
	synctest.Test(t, func(t *testing.T) {
		go proceed()
		// Channels from outside of virtual time would hold it up.
		wait.NeverStop, neverResync = make(chan struct{}), make(chan time.Time)
		// The second default handler sleeps by a clock reading from outside of virtual time.
		utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
		out := play(sc)
		if sc.Kubelets == upstreamKubelets {
			out["kubelets"] = kubeletLoops
		}
		if err := os.WriteFile(*outFile, append(encode(out), '\n'), 0o644); err != nil {
			fail(err)
		}
		os.Exit(0)
	})
}

// fail ends the process: a scenario that cannot be run, or a file that cannot be read or written.
func fail(what ...any) {
	fmt.Fprintln(os.Stderr, what...)
	os.Exit(1)
}
