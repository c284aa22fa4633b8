package reports

import (
	"testing"
	"time"

	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle/scheduler"
)

// A zone whose evictions were stopped, as the controller does it while all zones are disrupted, goes on at the rate that it is given afterwards, and
// --node-eviction-rate=1 is a rate like any other.
func TestStoppedQueueGoesOnAtRateOfOne(t *testing.T) {
	for _, rate := range []float32{0.99, 1, 2} {
		queue := scheduler.NewRateLimitedTimedQueue(flowcontrol.NewTokenBucketRateLimiter(rate, scheduler.EvictionRateLimiterBurst))
		queue.SwapLimiter(0)
		queue.SwapLimiter(rate)
		queue.Add("node", "uid")
		// A token comes after 1 / 0.99 s at the latest: the new limiter's first one is spent where the old one had none.
		passed := false
		for end := time.Now().Add(3 * time.Second); !passed && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			queue.Try(klog.Background(), func(scheduler.TimedValue) (bool, time.Duration) {
				passed = true
				return true, 0
			})
		}
		if !passed {
			t.Errorf("at a rate of %v no node passes", rate)
		}
	}
}
