package recorder

import (
	"context"
	"fmt"

	metrics "k8s.io/component-base/metrics/prometheus/controllers"
)

// runningCloud is how a cloud controller manager runs one of its controllers.
func runningCloud(c any, ctx context.Context) (func(), error) {
	of := metrics.NewControllerManagerMetrics("cloud-controller-manager")
	switch c := c.(type) {
	case interface {
		Run(context.Context, *metrics.ControllerManagerMetrics)
	}:
		return func() { c.Run(ctx, of) }, nil
	case interface {
		Run(<-chan struct{}, *metrics.ControllerManagerMetrics)
	}:
		return func() { c.Run(ctx.Done(), of) }, nil
	}
	return nil, fmt.Errorf("%T runs in a form that eras/cloud-run does not know", c)
}
