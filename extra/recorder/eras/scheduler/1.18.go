package recorder

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

func newScheduler(p *program, c kubernetes.Interface, recorders profile.RecorderFactory, options ...scheduler.Option) (*scheduler.Scheduler, func() bool, error) {
	f := informers.NewSharedInformerFactory(p.client("informers"), resync)
	pods := scheduler.NewPodInformer(p.client("informers"), resync)
	s, err := scheduler.New(c, f, pods, recorders, p.ctx.Done(), options...)
	f.Start(p.ctx.Done())
	go pods.Informer().Run(p.ctx.Done())
	return s, func() bool {
		f.WaitForCacheSync(p.ctx.Done())
		return cache.WaitForCacheSync(p.ctx.Done(), pods.Informer().HasSynced)
	}, err
}
