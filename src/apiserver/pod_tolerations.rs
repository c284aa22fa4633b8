//! Sets of tolerations for PodTolerationRestriction (`pkg/util/tolerations`): merging them, and
//! holding them against a whitelist.

use crate::api::taint::Effect;
use crate::api::toleration::{Operator, Toleration};

/// `VerifyAgainstWhitelist`: each toleration is covered by one of the list. An empty list covers
/// everything.
pub(super) fn verify_against_whitelist(tolerations: &[Toleration], list: &[Toleration]) -> bool {
    list.is_empty() || tolerations.iter().all(|t| list.iter().any(|w| is_superset(w, t)))
}

/// `MergeTolerations`: both lists one after the other, without those that another one covers; of
/// equal ones the first stays.
pub(super) fn merge(first: Vec<Toleration>, second: Vec<Toleration>) -> Vec<Toleration> {
    let all: Vec<Toleration> = first.into_iter().chain(second).collect();
    let mut merged: Vec<Toleration> = Vec::with_capacity(all.len());
    for (i, t) in all.iter().enumerate() {
        let before = merged.iter().any(|m| is_superset(m, t));
        let after = all[i + 1..].iter().any(|later| later != t && is_superset(later, t));
        if !before && !after {
            merged.push(t.clone());
        }
    }
    merged
}

/// `isSuperset`: whether `wide` tolerates all that `narrow` tolerates, as far as upstream looks. It
/// knows no operators but two.
fn is_superset(wide: &Toleration, narrow: &Toleration) -> bool {
    if wide == narrow {
        return true;
    }
    let every_key = wide.key.is_empty() && wide.operator == Operator::Exists;
    if narrow.key != wide.key && !every_key || wide.effect.is_some() && narrow.effect != wide.effect
    {
        return false;
    }
    if wide.effect == Some(Effect::NoExecute)
        && let Some(most) = wide.toleration_seconds
        && narrow.toleration_seconds.is_none_or(|s| s > most)
    {
        return false;
    }
    match wide.operator {
        Operator::Equal => narrow.operator == Operator::Equal && narrow.value == wide.value,
        Operator::Exists => true,
        Operator::Lt | Operator::Gt => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exists(key: &str, effect: Option<Effect>, seconds: Option<i64>) -> Toleration {
        Toleration {
            key: key.to_owned(),
            operator: Operator::Exists,
            value: String::new(),
            effect,
            toleration_seconds: seconds,
        }
    }

    /// The ladder of upstream's TestIsSuperset: what tolerates everything covers what tolerates an
    /// effect or a key, a key covers its values and effects, and no limit covers a limit, the
    /// longer one the shorter.
    #[test]
    fn the_wider_covers_the_narrower() {
        let (schedule, execute) = (Some(Effect::NoSchedule), Some(Effect::NoExecute));
        let bar = |effect| Toleration {
            operator: Operator::Equal,
            value: "bar".to_owned(),
            ..exists("foo", effect, None)
        };
        let ladders = [
            vec![
                exists("", None, None),
                exists("", schedule, None),
                exists("foo", schedule, None),
                bar(schedule),
            ],
            vec![exists("", None, None), exists("foo", None, None), bar(None), bar(schedule)],
            vec![
                exists("", execute, None),
                exists("foo", execute, None),
                exists("foo", execute, Some(20)),
                exists("foo", execute, Some(10)),
            ],
        ];
        for ladder in ladders {
            for (i, wide) in ladder.iter().enumerate() {
                for (j, narrow) in ladder.iter().enumerate() {
                    assert_eq!(is_superset(wide, narrow), i <= j, "{wide:?} {narrow:?}");
                }
                // A merge keeps the widest, wherever it stands.
                assert_eq!(
                    merge(ladder[i..].iter().rev().cloned().collect(), Vec::new()),
                    std::slice::from_ref(wide)
                );
            }
        }
        assert!(!is_superset(&exists("", schedule, None), &exists("", execute, None)));
        assert!(!is_superset(&bar(None), &exists("foo", None, None)));
    }

    /// Upstream's TestVerifyAgainstWhitelist in short: each has to be covered by one; with no list
    /// there is nothing to ask.
    #[test]
    fn a_whitelist_has_to_cover_each() {
        let (a, b) = (exists("a", None, None), exists("b", None, None));
        assert!(verify_against_whitelist(&[a.clone(), b.clone()], &[]));
        assert!(verify_against_whitelist(&[], std::slice::from_ref(&a)));
        assert!(verify_against_whitelist(&[a.clone(), b.clone()], &[exists("", None, None)]));
        assert!(!verify_against_whitelist(&[a.clone(), b], &[a]));
    }
}
