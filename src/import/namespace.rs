//! Namespaces: what their annotations say of their pods' tolerations
//! (`plugin/pkg/admission/podtolerationrestriction/admission.go: extractNSTolerations`).

use super::groups;
use super::object::{RawMeta, RawToleration};
use super::pod::tolerations;
use super::value::{self, Wrong};
use crate::language::{Namespace, Toleration};

/// The name of a namespace and what it says; nothing if it has neither annotation.
pub(super) fn namespace(meta: &RawMeta) -> Result<Option<(String, Namespace)>, Wrong> {
    let name = value::namespace("metadata.name", meta.name.as_deref())?;
    let Some(a) = meta
        .annotations
        .as_ref()
        .filter(|a| a.default_tolerations.is_some() || a.tolerations_whitelist.is_some())
    else {
        return Ok(None);
    };
    let found = Namespace {
        name: Some(name.to_owned()),
        names: None,
        default_tolerations: list(a.default_tolerations.as_deref(), "defaultTolerations")?,
        tolerations_whitelist: list(a.tolerations_whitelist.as_deref(), "tolerationsWhitelist")?,
    };
    Ok(Some((name.to_owned(), found)))
}

/// The tolerations in an annotation, a JSON list; without a value an empty one.
fn list(text: Option<&str>, annotation: &str) -> Result<Option<Vec<Toleration>>, Wrong> {
    let Some(text) = text else { return Ok(None) };
    let raw: Option<Vec<RawToleration>> = if text.is_empty() {
        None
    } else {
        serde_json::from_str(text)
            .map_err(|e| Wrong(format!("the annotation scheduler.alpha.kubernetes.io/{annotation} is no list of tolerations: {e}")))?
    };
    Ok(Some(tolerations(&raw.unwrap_or_default())?.into_iter().map(groups::toleration).collect()))
}
