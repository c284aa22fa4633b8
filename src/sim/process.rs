//! The process of the controllers (kube-controller-manager): its start, its death, and what it is
//! made of.

use super::cluster::Cluster;
use crate::client::{
    Client, ClientTiming, EventRecorder, Hold, InformerFactory, InformerTiming, SeriesRecorder,
    TokenBucket, Wrote,
};
use crate::controllers::{
    cloud, disruption, node_lifecycle, pod_gc, scheduler, taint_eviction, workload,
};
use crate::kernel::{Dur, Group, Keys, Name};
use crate::plan::switches::node_lifecycle::EvictionMode;
use crate::plan::{Flags, Limits, Plan};
use crate::trace::{Actor, What};
use std::rc::Rc;

/// A new process looks this soon after its start whether its caches are filled, and then this
/// often.
const FIRST_LOOK: Dur = Dur::from_micros(1);
const SYNC_POLL: Dur = Dur::from_millis(100);

/// How soon a process that died is back: started again where it was, or, once its lease has run
/// out, on another machine.
const SAME_MACHINE: Dur = Dur::from_secs(1);
/// So often at most does the process die in a run where that is left to the choices.
const CRASHES_MOST: u32 = 3;
const ANOTHER_MACHINE: Dur = Dur::from_secs(20);

/// One life of the controllers' process.
pub(super) struct Process {
    group: Group,
    informers: Rc<InformerFactory>,
}

impl Cluster {
    /// Starts a fresh process: new clients, new caches, new controllers.
    pub(super) fn start_controllers(self: &Rc<Self>) {
        let (ctx, plan) = (&self.ctx, &self.plan);
        let record = self.api.record(Actor::User, 0, What::ControllersStarted);
        ctx.set_cause(record);
        let group = ctx.group();
        let timing = &plan.timing;
        let informers = InformerFactory::new(
            &self.api,
            InformerTiming {
                request: timing.request.max,
                response: timing.response.max,
                watch: timing.watch,
            },
            &self.lags,
            Hold {
                stale: plan.perturb.stale,
                broken: plan.perturb.coalesce,
            },
        );
        let wrote = self.crashes();
        // The state of these is that of their queues, or belongs to one item of theirs at a time.
        let under = |actor: Actor| match actor {
            Actor::StatefulSet | Actor::Deployment => Name::of(actor.as_str(), Keys::NOTHING),
            _ => Name::of(actor.as_str(), ctx.keys(actor.as_str())),
        };
        let eviction = Name::of(Actor::TaintEviction.as_str(), Keys::NOTHING);
        let client = |actor, limits: Option<Limits>| {
            let timing = ClientTiming {
                request: timing.request,
                response: timing.response,
            };
            Client::new(
                &self.api,
                actor,
                limits.map(TokenBucket::new),
                timing,
                wrote.clone(),
            )
        };
        let nlc_client = client(Actor::NodeLifecycle, timing.node_lifecycle_client);
        let tec_client = if plan.profile.taint_eviction.separate_controller {
            client(Actor::TaintEviction, timing.taint_eviction_client)
        } else {
            nlc_client.acting_as(Actor::TaintEviction)
        };
        let recorder = |client: &Client| {
            ctx.under(Name::of("event-recorder", Keys::NOTHING), || {
                EventRecorder::start(
                    client,
                    group,
                    timing.clock_advances,
                    plan.profile.event_goroutines,
                )
            })
        };
        let nlc_recorder = recorder(&nlc_client);
        let tec_recorder = recorder(&tec_client);
        let nlc = ctx.under(under(Actor::NodeLifecycle), || {
            node_lifecycle::Controller::new(
                node_lifecycle_config(plan),
                nlc_client,
                &informers,
                group,
                nlc_recorder,
            )
        });
        let tec = plan.flags.enable_taint_manager.then(|| {
            let config = taint_eviction::Config {
                switches: plan.profile.taint_eviction,
                clock_advances: timing.clock_advances,
            };
            ctx.under(eviction, || {
                taint_eviction::Controller::new(config, tec_client, &informers, group, tec_recorder)
            })
        });
        let warm = plan.warm_start && ctx.now() == plan.controllers_start;
        let mut parts: Vec<(Name, Box<dyn FnOnce()>)> = Vec::new();
        let limits = |actor| timing.clients.get(&actor).copied();
        let own = |actor| {
            let client = client(actor, limits(actor));
            let recorder = recorder(&client);
            (client, recorder)
        };
        let switches = plan.profile.workload;
        if plan.controllers.replica_set {
            let (client, recorder) = own(Actor::ReplicaSet);
            let name = under(Actor::ReplicaSet);
            let c = ctx.under(name, || {
                workload::ReplicaSetController::new(switches, client, &informers, group, recorder)
            });
            parts.push((name, Box::new(move || c.run())));
        }
        if plan.controllers.deployment {
            let (client, recorder) = own(Actor::Deployment);
            let name = under(Actor::Deployment);
            let c = ctx.under(name, || {
                workload::DeploymentController::new(switches, client, &informers, group, recorder)
            });
            parts.push((name, Box::new(move || c.run())));
        }
        if plan.controllers.job {
            let (client, recorder) = own(Actor::Job);
            let name = under(Actor::Job);
            let c = ctx.under(name, || {
                workload::JobController::new(switches.job, client, &informers, group, recorder)
            });
            parts.push((name, Box::new(move || c.run())));
        }
        if plan.controllers.daemon_set {
            let (client, recorder) = own(Actor::DaemonSet);
            let name = under(Actor::DaemonSet);
            let c = ctx.under(name, || {
                workload::DaemonSetController::new(
                    switches.daemon_set,
                    client,
                    &informers,
                    group,
                    recorder,
                )
            });
            parts.push((name, Box::new(move || c.run(warm))));
        }
        if plan.controllers.stateful_set {
            let (client, recorder) = own(Actor::StatefulSet);
            let name = under(Actor::StatefulSet);
            let c = ctx.under(name, || {
                workload::StatefulSetController::new(
                    switches.stateful_set,
                    client,
                    &informers,
                    group,
                    recorder,
                )
            });
            parts.push((name, Box::new(move || c.run(warm))));
        }
        if plan.controllers.cloud {
            let (client, recorder) = own(Actor::Cloud);
            let name = Name::NONE;
            let c = ctx.under(name, || {
                cloud::Controller::new(client, &informers, group, recorder, &self.provider)
            });
            parts.push((name, Box::new(move || c.run(warm))));
        }
        if plan.controllers.disruption {
            let (client, recorder) = own(Actor::Disruption);
            let name = under(Actor::Disruption);
            let c = ctx.under(name, || {
                disruption::Controller::new(
                    plan.profile.disruption,
                    client,
                    &informers,
                    group,
                    recorder,
                )
            });
            parts.push((name, Box::new(move || c.run())));
        }
        if plan.controllers.scheduler {
            let client = || client(Actor::Scheduler, limits(Actor::Scheduler));
            let config = scheduler_config(plan);
            // Events go through a client of their own.
            let count = config.choice.switches.first_series_count;
            let recorder = ctx.under(under(Actor::Scheduler), || {
                SeriesRecorder::start(client(), group, count, timing.clock_advances)
            });
            let name = under(Actor::Scheduler);
            let c = ctx.under(name, || {
                scheduler::Controller::new(config, client(), &informers, group, recorder)
            });
            parts.push((name, Box::new(move || c.run(warm))));
        }
        if plan.controllers.pod_gc {
            let config = pod_gc::Config {
                terminated_pod_threshold: plan.flags.terminated_pod_gc_threshold,
                pass_overhead: if timing.clock_advances || plan.profile.pod_gc.settable_period {
                    timing.pod_gc_overhead
                } else {
                    Dur::ZERO
                },
                switches: plan.profile.pod_gc,
            };
            let name = under(Actor::PodGc);
            let gc = ctx.under(name, || {
                pod_gc::Controller::new(
                    config,
                    client(Actor::PodGc, limits(Actor::PodGc)),
                    &informers,
                    group,
                )
            });
            parts.push((name, Box::new(move || gc.run(warm))));
        }
        self.process.with(|p| {
            *p = Some(Rc::new(Process {
                group,
                informers: informers.clone(),
            }))
        });
        let (of_nlc, ctx) = (under(Actor::NodeLifecycle), ctx.clone());
        self.ctx.spawn(group, async move {
            let look = ctx.now() + FIRST_LOOK;
            informers.start().await;
            let late = ctx.now().since(look).as_nanos();
            let polls = late.div_ceil(SYNC_POLL.as_nanos());
            ctx.sleep_until(look + SYNC_POLL * polls).await;
            ctx.under(of_nlc, || nlc.run(warm));
            if let Some(tec) = tec {
                tec.run();
            }
            for (name, run) in parts {
                ctx.under(name, run);
            }
        });
    }

    /// What a write of the controllers may set off where a crash is left to the choices: the
    /// process dies, and a new one starts.
    fn crashes(self: &Rc<Self>) -> Option<Wrote> {
        if !self.plan.perturb.crash {
            return None;
        }
        let (me, point) = (Rc::downgrade(self), self.ctx.point("crash"));
        Some(Rc::new(move |about| {
            let Some(cluster) = me.upgrade().filter(|c| c.crashes.get() < CRASHES_MOST) else {
                return;
            };
            let after = match cluster.ctx.choose(point, about, 3) {
                0 => return,
                1 => SAME_MACHINE,
                _ => ANOTHER_MACHINE,
            };
            cluster.crashes.set(cluster.crashes.get() + 1);
            cluster.ctx.writes(cluster.ctx.keys("crashes").of(0));
            cluster.crash(after);
        }))
    }

    /// Kills the process: requests already sent are applied, nothing else happens.
    pub(super) fn stop_controllers(&self) {
        if let Some(p) = self.process.with(Option::take) {
            p.informers.stop();
            self.ctx.kill(p.group);
        }
    }
}

fn node_lifecycle_config(plan: &Plan) -> node_lifecycle::Config {
    let Flags {
        node_monitor_period,
        node_monitor_grace_period,
        node_startup_grace_period,
        node_eviction_rate,
        secondary_node_eviction_rate,
        large_cluster_size_threshold,
        unhealthy_zone_threshold,
        pod_eviction_timeout,
        enable_taint_manager,
        ..
    } = plan.flags;
    let mut switches = plan.profile.node_lifecycle;
    if !enable_taint_manager {
        switches.eviction_mode = EvictionMode::Timeout;
    }
    node_lifecycle::Config {
        monitor_period: node_monitor_period,
        pass_overhead: plan.timing.pass_overhead,
        grace_period: node_monitor_grace_period,
        startup_grace_period: node_startup_grace_period,
        eviction_rate: node_eviction_rate,
        secondary_eviction_rate: secondary_node_eviction_rate,
        large_cluster_threshold: large_cluster_size_threshold,
        unhealthy_zone_threshold,
        pod_eviction_timeout,
        switches,
    }
}

fn scheduler_config(plan: &Plan) -> scheduler::Config {
    let choice = scheduler::Choice {
        switches: plan.profile.scheduler,
        percentage_of_nodes_to_score: plan.scheduler.percentage_of_nodes_to_score,
        strategy: plan.scheduler.strategy,
        indexed: true,
    };
    scheduler::Config {
        choice,
        preemption: plan.scheduler.preemption,
    }
}
