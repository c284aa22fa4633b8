//! The device taint eviction controller: deletes pods that have devices whose NoExecute taints they do not
//! tolerate.
//!
//! Models `pkg/controller/devicetainteviction/device_taint_eviction.go`, v1.37, which is that of 1.36 but for
//! the API version. Timers are those of its work queue: they are kept by pod and uid, begin with the taint's
//! `timeAdded`, and are as they were after a restart. Left out: changes of a rule's spec, pods of pod groups,
//! metrics; all claims of a pod are heard of as one.

mod controller;
mod core;
mod eviction_time;
mod rule_status;

pub(crate) use controller::Controller;
