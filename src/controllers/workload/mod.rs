//! The controllers that make pods and replace them: ReplicaSet, Deployment, StatefulSet, DaemonSet,
//! Job (`pkg/controller/{replicaset,deployment,statefulset,daemon,job}`).
//!
//! Left out: adoption of pods that have no owner, rollouts (a revision is no more than the request
//! that creates it), and volume claims.

mod core;
mod daemon_backoff;
mod daemon_census;
mod daemon_pods;
mod daemon_set;
mod deployment;
mod expectations;
mod job;
mod job_control;
mod job_memory;
mod job_policy;
mod prelude;
mod ranking;
mod replica_set;
mod stateful_set;

pub(crate) use daemon_set::DaemonSetController;
pub(crate) use deployment::DeploymentController;
pub(crate) use job::JobController;
pub(crate) use replica_set::ReplicaSetController;
pub(crate) use stateful_set::StatefulSetController;
