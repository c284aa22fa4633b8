//! The garbage collector of owner references (`pkg/controller/garbagecollector`): deletes what a
//! workload that is gone owned, in the background or while the workload waits for it, or takes the
//! reference off.
//!
//! Left out: owners that are no workloads, objects with several owners, invalid references, the
//! resourceVersion that 1.34 sends with a DELETE, conflicts over a finalizer, and its
//! questions every 30 s which resources there are.

mod controller;
mod graph;

pub(crate) use controller::Controller;
