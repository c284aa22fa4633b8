//! What a setting changes in pods that exist: those of an export, or written under `pods`, have
//! their own tolerations, and a template or a flag of the API server says only what new pods get.
//! Whoever asks "what if it were 60 s?" means the cluster after a rollout, so the pods are changed
//! as if each had been made anew, and a run says how many;
//! [`Existing::Keep`](crate::language::Existing::Keep) leaves them.
//!
//! A template reaches the pods that its workload owns, those of a Deployment through its
//! ReplicaSets, but none that has ended or is being deleted. The two flags of the admission plugin
//! DefaultTolerationSeconds reach the pods that have what it adds
//! (`plugin/pkg/admission/defaulttolerationseconds/admission.go`, v1.34: key, `Exists`,
//! `NoExecute`, the default's seconds), unless their template or the defaults of their namespace
//! say so themselves.

mod reached;
mod roll_out;
mod templates;
#[cfg(test)]
mod tests;

pub(super) use reached::Reached;
pub(super) use roll_out::roll_out;
