//! The node readiness controller: taints nodes whose conditions are not what rules ask for, and untaints them.
//!
//! Models `internal/controller` of kubernetes-sigs/node-readiness-controller, 0.5.0 and the commits up to
//! e5ff8d1, read and not recorded: two reconcilers with a queue and a worker each, which read from one cache and
//! PATCH nodes. Left out: the status of rules but for the requests that write it, with what only the status
//! tells (dry runs, failed nodes, the event TaintAdopted); the lower priority that the work queue of
//! controller-runtime gives to what its first list has; more than one worker; metrics. It starts and dies with
//! the other controllers.

mod controller;
mod node_reconciler;
mod rule_readiness_controller;
mod rule_reconciler;

pub(crate) use controller::Controller;
