//! What the API server accepts, and its words for what it does not: names, keys, values, taints,
//! tolerations.
//!
//! `pkg/apis/core/validation/validation.go` and `apimachinery/pkg/util/validation`, texts of v1.34.
//! Left out: objects' other fields, and annotations that once held taints and tolerations.

mod content;
mod field_error;
mod taints;
mod tolerations;

pub(crate) use content::{dns1123_label, dns1123_subdomain, label_value, qualified_name};
pub(crate) use field_error::FieldError;
pub(crate) use taints::{effect_of, validate_taints};
pub(crate) use tolerations::{operator_of, validate_toleration_update, validate_tolerations};
