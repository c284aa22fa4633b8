//! Paths into groups of nodes and of pods: `nodes.a.zone`, `pods.web.count`.

use super::read::{Segment, names_of};
use super::tolerations::toleration_seconds;
use super::values::{boolean, integer, number};
use crate::language::Problem;
use crate::language::text::place::{Place, at};
use crate::language::{NodeGroup, OneOrMany, PodGroup, QuantityText};

/// The steps from the group to the field that was set; nothing if there is no such field.
pub(super) fn node_field(
    group: &mut NodeGroup,
    fields: &[Segment],
    value: &str,
) -> Result<Option<Place>, Problem> {
    let text = || value.to_owned();
    let steps = match names_of(fields).as_slice() {
        ["names"] => {
            group.name = None;
            group.names = Some(OneOrMany::One(text()));
            at!["names"]
        }
        ["zone"] => {
            group.zone = Some(text());
            at!["zone"]
        }
        ["region"] => {
            group.region = Some(text());
            at!["region"]
        }
        ["unschedulable"] => {
            group.unschedulable = boolean(value)?;
            at!["unschedulable"]
        }
        ["taints"] => {
            group.taints = value
                .split(',')
                .map(|t| t.trim().to_owned())
                .filter(|t| !t.is_empty())
                .collect();
            at!["taints"]
        }
        ["lease_offset"] => {
            group.lease_offset = Some(value.into());
            at!["lease_offset"]
        }
        ["lease_period"] => {
            group.lease_period = Some(value.into());
            at!["lease_period"]
        }
        ["status_offset"] => {
            group.status_offset = Some(value.into());
            at!["status_offset"]
        }
        ["labels", key] => {
            group.labels.insert((*key).to_owned(), text());
            at!["labels", *key]
        }
        ["capacity", resource] => {
            group
                .capacity
                .insert((*resource).to_owned(), QuantityText::from(value));
            at!["capacity", *resource]
        }
        _ => return Ok(None),
    };
    Ok(Some(steps))
}

/// The steps from the group to the field that was set; nothing if there is no such field.
pub(super) fn pod_field(
    group: &mut PodGroup,
    fields: &[Segment],
    value: &str,
) -> Result<Option<Place>, Problem> {
    if let [
        Segment {
            name,
            index: Some(key),
        },
        Segment {
            name: field,
            index: None,
        },
    ] = fields
        && name == "tolerations"
        && field == "tolerationSeconds"
    {
        return toleration_seconds(&mut group.tolerations, key, value).map(Some);
    }
    let steps = match names_of(fields).as_slice() {
        [name @ ("count" | "replicas")] => {
            let count = number(value, 0, u64::MAX)?;
            // Both mean the same: the one that is written is replaced.
            let field = if group.replicas.is_some() {
                &mut group.replicas
            } else {
                &mut group.count
            };
            *field = Some(count);
            at![*name]
        }
        ["terminationGracePeriodSeconds"] => {
            group.termination_grace_period_seconds = Some(integer(value)?);
            at!["terminationGracePeriodSeconds"]
        }
        ["priority"] => {
            let priority = i32::try_from(integer(value)?)
                .map_err(|_| Problem::new(format!("{value} is out of range")))?;
            group.priority = Some(priority);
            at!["priority"]
        }
        ["labels", key] => {
            group.labels.insert((*key).to_owned(), value.to_owned());
            at!["labels", *key]
        }
        ["requests", resource] => {
            group
                .requests
                .insert((*resource).to_owned(), QuantityText::from(value));
            at!["requests", *resource]
        }
        _ => return Ok(None),
    };
    Ok(Some(steps))
}
