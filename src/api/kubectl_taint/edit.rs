//! What a `kubectl taint` command does to a node's taints.

use crate::api::taint::{Effect, Taint};

/// What one `kubectl taint` command asks for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TaintEdit {
    /// Taints to add.
    pub add: Vec<Taint>,
    /// Taints to remove: key, and effect or every effect.
    pub remove: Vec<(String, Option<Effect>)>,
    /// `--overwrite`
    pub overwrite: bool,
}

impl TaintEdit {
    /// What kubectl writes to a node with these taints (`updateTaints`, `reorganizeTaints`): the
    /// new taints first, without timeAdded, then the old ones that were not replaced, and of all
    /// those not the removed ones. `node` is its name.
    ///
    /// # Errors
    /// kubectl's own words where it refuses: a taint is there already and `overwrite` is not set,
    /// or one that is to be removed is not there. Nothing is written then, not even the rest of the
    /// command.
    pub(crate) fn apply(&self, taints: &[Taint], node: &str) -> Result<Vec<Taint>, String> {
        if !self.overwrite {
            let is_there = |new: &&Taint| taints.iter().any(|old| old.matches(new));
            let there: Vec<&str> = self.add.iter().filter(is_there).map(|new| &*new.key).collect();
            if !there.is_empty() {
                let keys = there.join(",");
                return Err(format!(
                    "node {node} already has {keys} taint(s) with same effect(s) and --overwrite is false"
                ));
            }
        }
        let mut result: Vec<Taint> =
            self.add.iter().map(|taint| Taint { time_added: None, ..taint.clone() }).collect();
        let is_kept = |old: &&Taint| !self.add.iter().any(|new| new.matches(old));
        result.extend(taints.iter().filter(is_kept).cloned());

        let mut missing: Vec<String> = Vec::new();
        for (key, effect) in &self.remove {
            let before = result.len();
            result.retain(|taint| !is_meant(taint, key, *effect));
            if result.len() == before {
                let text = effect.map_or_else(|| key.clone(), |effect| format!("{key}:{effect}"));
                let message = format!("taint {text:?} not found");
                if !missing.contains(&message) {
                    missing.push(message);
                }
            }
        }
        match missing.as_slice() {
            [] => {}
            [one] => return Err(one.clone()),
            // As `utilerrors.NewAggregate` prints several.
            several => return Err(format!("[{}]", several.join(", "))),
        }
        Ok(result)
    }

    /// What the recorder of the timelines in tests/traces writes, which knows no rules: each new
    /// taint replaces one of the same key and effect and goes to the end; removals take what is
    /// there.
    pub(crate) fn apply_raw(&self, taints: &[Taint]) -> Vec<Taint> {
        let mut result = taints.to_vec();
        for new in &self.add {
            result.retain(|old| !old.matches(new));
            result.push(Taint { time_added: None, ..new.clone() });
        }
        for (key, effect) in &self.remove {
            result.retain(|taint| !is_meant(taint, key, *effect));
        }
        result
    }
}

fn is_meant(taint: &Taint, key: &str, effect: Option<Effect>) -> bool {
    taint.key == key && effect.is_none_or(|effect| effect == taint.effect)
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use crate::api::meta::Timestamp;

    fn taints(text: &str) -> Vec<Taint> {
        if text.is_empty() {
            return Vec::new();
        }
        parse(&text.split_whitespace().collect::<Vec<_>>()).expect("taints of a test").add
    }

    fn edit(text: &str, overwrite: bool) -> TaintEdit {
        TaintEdit {
            overwrite,
            ..parse(&text.split_whitespace().collect::<Vec<_>>()).expect("edit of a test")
        }
    }

    fn shown(taints: &[Taint]) -> String {
        taints.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    /// Expected values: kubectl's `reorganizeTaints` and `checkIfTaintsAlreadyExists` (v0.34.4),
    /// run on these inputs.
    #[test]
    fn kubectl_writes() {
        for (old, args, overwrite, new) in [
            (
                "a=1:NoExecute b:NoSchedule",
                "c:NoSchedule",
                false,
                "c:NoSchedule a=1:NoExecute b:NoSchedule",
            ),
            ("a=1:NoExecute", "a=2:NoExecute", true, "a=2:NoExecute"),
            ("a=1:NoExecute b:NoSchedule", "a=2:NoExecute b-", true, "a=2:NoExecute"),
            ("a=1:NoExecute", "c:NoSchedule a-", false, "c:NoSchedule"),
            ("a=1:NoExecute b:NoSchedule", "a-", false, "b:NoSchedule"),
            ("a=1:NoExecute a:NoSchedule b:NoSchedule", "a-", false, "b:NoSchedule"),
            ("a=1:NoExecute a:NoSchedule", "a:NoSchedule-", false, "a=1:NoExecute"),
            (
                "b:NoSchedule a:NoSchedule",
                "x:NoSchedule y:NoSchedule b-",
                false,
                "x:NoSchedule y:NoSchedule a:NoSchedule",
            ),
            ("a:NoSchedule", "a:NoExecute", false, "a:NoExecute a:NoSchedule"),
            ("", "a:NoExecute", false, "a:NoExecute"),
            ("a:NoExecute", "a:NoExecute", true, "a:NoExecute"),
        ] {
            let result = edit(args, overwrite).apply(&taints(old), "n").expect(args);
            assert_eq!(shown(&result), new, "{old} | {args}");
        }
    }

    #[test]
    fn kubectl_refuses() {
        for (old, args, text) in [
            (
                "a=1:NoExecute",
                "a=2:NoExecute",
                "node n already has a taint(s) with same effect(s) and --overwrite is false",
            ),
            (
                "a:NoExecute b:NoSchedule",
                "a:NoExecute b:NoSchedule c:NoSchedule",
                "node n already has a,b taint(s) with same effect(s) and --overwrite is false",
            ),
            ("b:NoSchedule", "a-", "taint \"a\" not found"),
            ("b:NoSchedule", "b:NoExecute-", "taint \"b:NoExecute\" not found"),
            (
                "b:NoSchedule",
                "a- c:NoExecute- b-",
                "[taint \"a\" not found, taint \"c:NoExecute\" not found]",
            ),
            ("b:NoSchedule", "a- a-", "taint \"a\" not found"),
            ("b:NoSchedule", "x:NoSchedule a-", "taint \"a\" not found"),
        ] {
            assert_eq!(
                edit(args, false).apply(&taints(old), "n"),
                Err(text.to_owned()),
                "{old} | {args}"
            );
        }
    }

    #[test]
    fn kubectl_writes_no_time() {
        let mut old = taints("a=1:NoExecute b:NoExecute");
        old.iter_mut().for_each(|taint| taint.time_added = Some(Timestamp(5)));
        let result = edit("a=2:NoExecute", true).apply(&old, "n").expect("overwrite");
        let times: Vec<_> = result.iter().map(|taint| taint.time_added).collect();
        assert_eq!(times, [None, Some(Timestamp(5))]);
    }

    /// The recorder (`act` in its oracle_test.go) filters and appends, and never complains.
    #[test]
    fn the_recorder_writes() {
        for (old, args, new) in [
            (
                "a=1:NoExecute b:NoSchedule",
                "c:NoSchedule",
                "a=1:NoExecute b:NoSchedule c:NoSchedule",
            ),
            ("a=1:NoExecute b:NoSchedule", "a=2:NoExecute", "b:NoSchedule a=2:NoExecute"),
            ("a=1:NoExecute a:NoSchedule b:NoSchedule", "a-", "b:NoSchedule"),
            ("a=1:NoExecute a:NoSchedule", "a:NoSchedule-", "a=1:NoExecute"),
            ("b:NoSchedule", "a-", "b:NoSchedule"),
        ] {
            assert_eq!(shown(&edit(args, false).apply_raw(&taints(old))), new, "{old} | {args}");
        }
    }
}
