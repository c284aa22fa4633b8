package recorder

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

func newScheduler(p *program, c kubernetes.Interface, recorders profile.RecorderFactory, options ...scheduler.Option) (*scheduler.Scheduler, func() bool, error) {
	f := scheduler.NewInformerFactory(p.client("informers"), resync)
	s, err := scheduler.New(p.ctx, c, f, nil, recorders, options...)
	f.Start(p.ctx.Done())
	return s, func() bool {
		f.WaitForCacheSync(p.ctx.Done())
		return s.WaitForHandlersSync(p.ctx) == nil
	}, err
}
