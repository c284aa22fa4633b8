// Package recorder runs the controllers of one Kubernetes release, unchanged, in virtual time against
// an API server in memory, and writes down everything that becomes visible there.
//
// In reading order:
//
//   - main_test.go: the command. It is a test binary, because testing/synctest needs one.
//   - scenario.go, quantities.go: what a scenario file says. ../SCENARIO.md documents every field.
//   - run.go, clients.go, actions.go: a run from its first object to its horizon.
//   - controllers.go, garbage_collector.go: which controllers there are and how they run.
//   - api_*.go: the API server. json.go has the form that objects are kept in; api_store.go keeps them,
//     api_write.go creates, changes and deletes them, api_strategy.go lets them pass upstream's own
//     registry strategies, api_admission.go pods upstream's admission plugins; api_eviction.go and api_binding.go are the subresources of pods,
//     api_scale.go that of workloads; api_request.go takes requests, api_discovery.go and
//     api_select.go answer some of them, api_watch.go streams changes; api_steer.go steers both to what a tape has.
//   - kubelet.go, kubelet_pods.go, kubelet_static.go: what imitated kubelets write. agents.go, agent_loops.go, agent_pods.go:
//     kubelets made of upstream's own loops, for scenarios that ask for them.
//   - disks.go, attacher.go, kubelet_volumes.go: claims and volumes, who attaches them, and how imitated kubelets wait for that.
//   - devices.go, device_trace.go: devices, the claims of pods for them, and what taints them.
//   - objects.go, exported.go: the objects of a scenario as the API has them, and as an export shows them.
//   - scheduler_config.go: the configuration of the scheduler. cloud.go: the cloud that upstream's controllers ask.
//   - drain.go, maintenance.go: kubectl drain, by kubectl's own package, and rolling maintenances around it.
//   - trace.go, trace_names.go: changes in the store become records.
//   - watchdog.go: ends a run whose virtual time stands still.
//
// What constructs a controller, or a loop of kubelets, changes from release to release: ../eras has a file for
// each form, of which build takes the one that holds for its release.
package recorder
