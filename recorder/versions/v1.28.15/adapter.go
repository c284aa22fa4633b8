package recorder

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/disruption"
	"k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"k8s.io/kubernetes/pkg/controller/podgc"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/statefulset"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

const (
	kubernetesVersion = "v1.28.15"
	defaultGrace      = 40 * time.Second
)

// controller constructs one controller as kube-controller-manager does, and gives how to run it. A name that
// this release does not have is left out.
// In this release the taint manager is a part of the node lifecycle controller.
func controller(name string, p *program) (func(), error) {
	ctx, f, s, c := p.ctx, p.informers, p.settings, p.client(name)
	core, apps := f.Core().V1(), f.Apps().V1()
	switch name {
	case "node-lifecycle":
		n, err := nodelifecycle.NewNodeLifecycleController(ctx, f.Coordination().V1().Leases(), core.Pods(), core.Nodes(), apps.DaemonSets(), c,
			s.monitorPeriod, s.startupGrace, s.monitorGrace, s.evictionRate, s.secondaryRate, s.largeCluster, s.unhealthyZone)
		return func() { n.Run(ctx) }, err
	case "pod-gc":
		g := podgc.NewPodGCInternal(ctx, c, core.Pods(), core.Nodes(), 12500, 20*time.Second+passOverhead, 40*time.Second)
		return func() { g.Run(ctx) }, nil
	case "replicaset":
		r := replicaset.NewReplicaSetController(klog.FromContext(ctx), apps.ReplicaSets(), core.Pods(), c, replicaset.BurstReplicas)
		return func() { r.Run(ctx, 5) }, nil
	case "statefulset":
		r := statefulset.NewStatefulSetController(ctx, core.Pods(), apps.StatefulSets(), core.PersistentVolumeClaims(), apps.ControllerRevisions(), c)
		return func() { r.Run(ctx, 5) }, nil
	case "deployment":
		d, err := deployment.NewDeploymentController(ctx, apps.Deployments(), apps.ReplicaSets(), core.Pods(), c)
		return func() { d.Run(ctx, 5) }, err
	case "daemonset":
		d, err := daemon.NewDaemonSetsController(ctx, apps.DaemonSets(), apps.ControllerRevisions(), core.Pods(), core.Nodes(), c, flowcontrol.NewBackOff(time.Second, 15*time.Minute))
		return func() { d.Run(ctx, 2) }, err
	case "job":
		j := job.NewController(ctx, core.Pods(), f.Batch().V1().Jobs(), c)
		return func() { j.Run(ctx, 5) }, nil
	case "disruption":
		d := disruption.NewDisruptionController(ctx, core.Pods(), f.Policy().V1().PodDisruptionBudgets(), core.ReplicationControllers(), apps.ReplicaSets(), apps.Deployments(), apps.StatefulSets(), c,
			meta.NewDefaultRESTMapper(nil), nil, c.Discovery())
		return func() { d.Run(ctx) }, nil
	case "scheduler":
		// Bindings and events go through two clients (cmd/kube-scheduler/app/options/options.go: createClients).
		sf := scheduler.NewInformerFactory(p.client("informers"), resync)
		broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: p.client(name).EventsV1()})
		sched, err := scheduler.New(ctx, c, sf, nil, profile.NewRecorderFactory(broadcaster))
		if err != nil {
			return nil, err
		}
		sf.Start(ctx.Done())
		return func() {
			broadcaster.StartRecordingToSink(ctx.Done())
			sf.WaitForCacheSync(ctx.Done())
			sched.Run(ctx)
		}, nil
	}
	return nil, nil
}
