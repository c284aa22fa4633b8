package recorder

import (
	"context"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/pkg/scheduler"
)

// settings are kube-controller-manager's flags, after defaulting.
type settings struct {
	monitorPeriod, monitorGrace, startupGrace time.Duration
	evictionRate, secondaryRate               float32
	largeCluster                              int32
	unhealthyZone                             float32
	podEvictionTimeout                        time.Duration
	taintManager                              bool
	terminatedPodGC                           int
	noForceDetach                             bool
}

// program is one running kube-controller-manager together with its kube-scheduler.
type program struct {
	ctx       context.Context
	cancel    context.CancelFunc
	process   *process
	informers informers.SharedInformerFactory
	settings  settings
	// scheduling are the options that the scheduler's configuration comes to, cloud is what is asked of instances.
	scheduling []scheduler.Option
	cloud      *cloud
	// client makes a new client with a rate limiter of its own. Whoever has two clients upstream calls it twice.
	client func(actor string) kubernetes.Interface
	config func(actor string) *rest.Config
}

// passOverhead stands for the time that a pass of a periodic loop takes, which virtual time has not.
const passOverhead = time.Microsecond

// syncPoll is how often upstream looks whether its caches are filled.
const syncPoll = 100 * time.Millisecond

// resync never comes; without a resync reflectors would use a channel from outside of virtual time.
const resync = 1000 * time.Hour

// config is how an actor that lives in that process reaches the API server.
func (r *run) config(actor string, p *process) *rest.Config {
	limits, ok := r.Clients[actor]
	if !ok {
		limits, ok = r.Clients["*"]
	}
	if !ok || actor == "informers" || actor == "user" {
		limits = clientLimits{QPS: -1}
	}
	return &rest.Config{
		Host: "http://recorder", QPS: limits.QPS, Burst: limits.Burst,
		ContentConfig: rest.ContentConfig{ContentType: "application/json"},
		Transport:     &transport{server: r.server, actor: actor, process: p, steered: p != r.kubectl && actor != "informers"},
	}
}

// client makes a client of the API server for an actor that lives in that process.
func (r *run) client(actor string, p *process) kubernetes.Interface {
	return kubernetes.NewForConfigOrDie(r.config(actor, p))
}

func (r *run) settings() settings {
	f := r.Flags
	return settings{
		monitorPeriod: f.MonitorPeriod.or(5*time.Second) + value(r.PassOverhead, duration{passOverhead}).Duration,
		monitorGrace:  f.MonitorGracePeriod.or(defaultGrace), startupGrace: f.StartupGracePeriod.or(time.Minute),
		evictionRate: value(f.EvictionRate, 0.1), secondaryRate: value(f.SecondaryRate, 0.01),
		largeCluster: value(f.LargeCluster, 50), unhealthyZone: value(f.UnhealthyZone, 0.55),
		podEvictionTimeout: f.PodEvictionTimeout.or(5 * time.Minute), taintManager: value(f.TaintManager, true),
		terminatedPodGC: value(f.TerminatedPodGC, 12500), noForceDetach: f.NoForceDetach,
	}
}

// startControllers starts fresh programs: new clients, new informers, new controllers.
func (r *run) startControllers() {
	p := &program{process: newProcess(), settings: r.settings(), cloud: r.cloud}
	if r.Scheduler != nil {
		p.scheduling = schedulerOptions(r.Scheduler.configuration(r.server.minor))
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.client = func(actor string) kubernetes.Interface { return r.client(actor, p.process) }
	p.config = func(actor string) *rest.Config { return r.config(actor, p.process) }
	p.informers = informers.NewSharedInformerFactory(p.client("informers"), resync)
	r.manager = p
	wanted := r.Controllers
	if wanted == nil {
		wanted = []string{"node-lifecycle", "taint-eviction"}
	}
	var runs []func()
	for _, name := range wanted {
		start, err := controller(name, p)
		if err != nil {
			panic(name + ": " + err.Error())
		}
		if start != nil {
			runs = append(runs, start)
		}
	}
	p.informers.Start(p.ctx.Done())
	time.Sleep(time.Microsecond) // without latencies the caches are full now
	filled := time.Now()
	p.informers.WaitForCacheSync(p.ctx.Done())
	if late := time.Since(filled); late > 0 { // releases differ in how they poll
		time.Sleep((late + syncPoll - 1).Truncate(syncPoll) - late)
	}
	for _, start := range runs {
		go start()
	}
}

// restartControllers kills the programs. Requests that were sent are applied, nothing else happens.
func (r *run) restartControllers(downtime time.Duration) {
	r.manager.process.kill()
	r.manager.cancel()
	back := time.Now().Add(downtime)
	if r.back.After(back) { // they are down for longer already
		return
	}
	if r.starting != nil {
		r.starting.Stop()
	}
	r.back, r.starting = back, time.AfterFunc(downtime, r.startControllers)
}
