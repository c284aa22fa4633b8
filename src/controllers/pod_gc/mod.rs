//! The pod garbage collector: deletes pods that nobody else will finish.
//!
//! Models `pkg/controller/podgc/gc_controller.go`, v1.34; other releases by
//! [`Switches`](crate::plan::switches::pod_gc::Switches). A pass looks at what its handlers noted
//! rather than at every pod, which changes nothing that can be seen.
//!
//! Left out: that from 1.27 on terminated pods that their kubelet evicted go first (no kubelet here
//! evicts), and that up to 1.26 an orphan with a terminal phase gets the condition DisruptionTarget
//! too.

mod controller;

pub(crate) use controller::{Config, Controller};
