//! Kubernetes API objects, and the rules that need nothing but the objects: matching, parsing,
//! validation.
//!
//! Field names are Kubernetes' own in snake case. The types are plain data: no interior mutability,
//! no references into a running simulation. Strings appear where a person wrote them; inside a run,
//! nodes and pods are named by the dense ids of [`names`].
//!
//! Modelled on `k8s.io/api/core/v1/types.go`, v1.34. Left out: everything that neither node failure
//! handling nor scheduling reads (service accounts, security contexts).

pub(crate) mod allocator;
pub mod budget;
pub mod container;
pub mod device;
pub mod kubectl_taint;
pub mod labels;
pub mod meta;
pub mod names;
pub mod node;
pub mod pod;
mod prelude;
pub mod probe;
pub mod quantity;
pub mod readiness;
pub mod scheduling;
pub(crate) mod spelling;
pub mod taint;
pub mod toleration;
pub mod usage;
pub(crate) mod validation;
pub mod volume;
pub(crate) mod words;
pub mod workload;
