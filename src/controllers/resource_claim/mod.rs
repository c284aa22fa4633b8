//! The resourceclaim controller: makes the claims of new pods from their templates, and takes their devices back
//! once they have ended.
//!
//! Models `pkg/controller/resourceclaim/controller.go`, v1.37, for claims that each pod has for itself. Left out:
//! templates that come later than their pods, claims that are deleted by hand, finalizers, and the deletion of
//! claims, which nobody waits for.

mod controller;

pub(crate) use controller::Controller;
