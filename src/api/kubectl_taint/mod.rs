//! `kubectl taint`: add, overwrite and remove taints, with its rules and error texts.
//!
//! `kubectl pkg/cmd/taint/taint.go` and `utils.go`, v0.34; the rules have not changed since 1.6.
//! Left out: how kubectl finds nodes and sends its PATCH, which carries no resourceVersion.

mod edit;
mod syntax;

pub use edit::TaintEdit;
pub use syntax::{parse, parse_recorded};
