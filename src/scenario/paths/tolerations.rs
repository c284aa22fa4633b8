//! Paths to the seconds of a toleration: `tolerations[KEY].tolerationSeconds`.

use crate::api::taint::{self, Effect};
use crate::api::toleration::Operator;
use crate::language::Problem;
use crate::language::Toleration;
use crate::language::duration::whole_seconds;
use crate::language::text::did_you_mean;
use crate::language::text::place::{Place, at};

/// Taint keys that may be written without `node.kubernetes.io/`.
const WELL_KNOWN: [&str; 8] = [
    taint::NOT_READY,
    taint::UNREACHABLE,
    taint::UNSCHEDULABLE,
    taint::MEMORY_PRESSURE,
    taint::DISK_PRESSURE,
    taint::PID_PRESSURE,
    taint::NETWORK_UNAVAILABLE,
    taint::OUT_OF_SERVICE,
];

/// The key without its prefix.
fn short(key: &str) -> &str {
    key.rsplit_once('/').map_or(key, |(_, name)| name)
}

/// Sets the seconds of the tolerations of a taint's key, or of the one of that number; adds one
/// where there is none.
pub(super) fn toleration_seconds(
    tolerations: &mut Vec<Toleration>,
    key: &str,
    value: &str,
) -> Result<Place, Problem> {
    let seconds = match value.trim() {
        "none" => None,
        text => Some(text.parse().map_err(|_| {
            let help = whole_seconds(text).map(|s| format!("`{text}` is {s} seconds: write {s}"));
            Problem::new(format!("expected a whole number, found `{value}`"))
                .maybe_help(help)
                .or_help("whole seconds, or `none` for ever")
        })?),
    };
    if let Ok(i) = key.parse::<usize>() {
        let count = tolerations.len();
        let toleration = tolerations.get_mut(i).ok_or_else(|| {
            Problem::new(format!("there is no toleration number {i}: {count} are written, from 0"))
        })?;
        toleration.toleration_seconds = seconds;
        return Ok(at!["tolerations", i]);
    }
    let mut place = None;
    let meant = tolerations.iter_mut().enumerate();
    for (i, toleration) in meant.filter(|(_, t)| is_for(t, key)) {
        toleration.toleration_seconds = seconds;
        place.get_or_insert(at!["tolerations", i]);
    }
    if let Some(place) = place {
        return Ok(place);
    }
    let full = match WELL_KNOWN.into_iter().find(|k| *k == key || short(k) == key) {
        Some(full) => full.to_owned(),
        None if key.contains('/') => key.to_owned(),
        None => {
            let near =
                WELL_KNOWN.into_iter().map(short).chain(tolerations.iter().map(|t| short(&t.key)));
            if let Some(help) = did_you_mean(key, near) {
                return Err(Problem::new(format!("no toleration here is for `{key}`")).help(help));
            }
            key.to_owned()
        }
    };
    let added = Toleration {
        key: full,
        operator: Some(Operator::Exists),
        effect: Some(Effect::NoExecute),
        toleration_seconds: seconds,
        ..Toleration::default()
    };
    tolerations.push(added);
    Ok(at!["tolerations", tolerations.len() - 1])
}

/// Whether a path with that key means a toleration; those for other effects have no seconds.
fn is_for(t: &Toleration, key: &str) -> bool {
    (t.key == key || short(&t.key) == key)
        && t.effect.is_none_or(|e| e == Effect::NoExecute)
        && !t.key.is_empty()
}

/// The seconds of the toleration of a taint's key, if one is written.
pub(super) fn seconds_of(tolerations: &[Toleration], key: &str) -> Option<String> {
    let written = tolerations.iter().find(|t| is_for(t, key))?;
    let seconds = written.toleration_seconds;
    Some(seconds.map_or_else(|| "none".to_owned(), |s| s.to_string()))
}

/// The taint keys whose tolerations a person may want to change: the two of failing nodes, and
/// those that are written.
pub(super) fn keys(tolerations: &[Toleration]) -> impl Iterator<Item = &str> {
    let always = ["unreachable", "not-ready"];
    always.into_iter().chain(
        tolerations
            .iter()
            .map(|t| short(&t.key))
            .filter(move |k| !k.is_empty() && !always.contains(k)),
    )
}
