//! Paths into a scenario, for `--set PATH=VALUE` and for sweeps, `--set PATH=V1,V2,…`.
//!
//! A path is a list of names with dots in between, as the fields stand in the file:
//!
//! | Path | Value |
//! |---|---|
//! | `horizon`, `controllers_start` | a duration |
//! | `kubernetes` | a release, `1.32` |
//! | `timing` | `ideal` or `typical` |
//! | `timing.request`, `timing.response`, `timing.watch` | a delay, `2ms` or `1ms..4ms` |
//! | `timing.pass_overhead` | a duration |
//! | `seed` | a whole number |
//! | `existing` | `rollout` or `keep` |
//! | `feature_gates.NAME` | `true` or `false` |
//! | `flags.COMPONENT.FLAG` | as on the component's command line: `flags.kube-controller-manager.node-monitor-grace-period` |
//! | `nodes.GROUP.` `names`, `zone`, `region`, `unschedulable`, `taints`, `lease_offset`, `lease_period`, `status_offset`, `labels.KEY`, `capacity.RESOURCE` | as in the file; several taints with commas |
//! | `pods.GROUP.` `count`, `replicas`, `terminationGracePeriodSeconds`, `priority`, `labels.KEY`, `requests.RESOURCE` | as in the file |
//! | `pods.GROUP.tolerations[KEY].tolerationSeconds` | whole seconds, or `none` for ever; a pod without such a toleration gets it |
//! | `workloads.NAME.` `replicas`, `minReadySeconds`, `needs`, `podManagementPolicy`, `parallelism`, `completions`, `backoffLimit`, `podReplacementPolicy` | as in the file, by kind |
//! | `workloads.NAME.template.` `terminationGracePeriodSeconds`, `priority`, `priorityClassName`, `labels.KEY`, `requests.RESOURCE` | as in the file |
//! | `workloads.NAME.template.tolerations[KEY].tolerationSeconds` | as of pods |
//! | `controllers.NAME` | `true` or `false` |
//! | `podDisruptionBudgets.NAME.` `minAvailable`, `maxUnavailable` | as in the file; the one takes the place of the other |
//! | `timeline.ENTRY.` `nodes`, `node`, `cut` | as in the file: `Zone("b")`, `a-0`, `ApiServer` |
//! | `timeline.ENTRY.` `at`, `every`, `times`, `duration`, `down`, `up`, `period`, `lag`, `skew`, `downtime`, `fraction`, `taint`, `gracePeriodSeconds`, `replicas` | as in the file |
//!
//! GROUP is the name of a group as it is written, or up to its first range (`a` for `a-{00..09}`),
//! or `*` for every group; NAME of a workload may have its namespace and kind before it:
//! `shop/web`, `Deployment/web`, `Deployment/shop/web`, and GROUP of pods its namespace. A name
//! that fits several is refused. ENTRY is the name of an entry. Both may be numbers from 0 in
//! brackets instead: `nodes[0].zone`. KEY of a toleration is a taint's key, without
//! `node.kubernetes.io/` if one likes. A name with a dot in it stands in double quotes.

mod apply;
mod called;
mod groups;
mod known;
mod read;
mod settings;
mod timeline;
mod tolerations;
mod values;
mod workloads;

pub(super) use apply::set;
#[cfg(test)]
pub(crate) use known::known_paths;
pub use read::split_values;
