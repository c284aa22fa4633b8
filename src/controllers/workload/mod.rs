//! The controllers that make pods and replace them: ReplicaSet, Deployment, StatefulSet, DaemonSet,
//! Job (`pkg/controller/{replicaset,deployment,statefulset,daemon,job}`).
//!
//! Left out: adoption of pods that have no owner, rollouts (a revision is no more than the request
//! that creates it), and volume claims.

mod census;
mod core;
mod daemon_census;
mod daemon_censuses;
mod daemon_pods;
mod daemon_set;
mod deployment;
mod expectations;
mod job;
mod job_backoff;
mod job_memory;
mod job_pods;
mod job_policy;
mod job_status;
mod prelude;
mod ranking;
mod replica_set;
mod slow_start;
mod stateful_pod_control;
mod stateful_set;

pub(crate) use daemon_set::DaemonSetController;
pub(crate) use deployment::DeploymentController;
pub(crate) use job::JobController;
pub(crate) use replica_set::ReplicaSetController;
pub(crate) use stateful_set::StatefulSetController;
