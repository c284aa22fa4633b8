//! For how long the `preStop` hooks of a pod's containers sleep, as its spec says it.
//!
//! A kubelet runs a hook before it asks the runtime to stop its container, those of all containers at once and sidecars' too, and
//! takes what they take off the grace period (`pkg/kubelet/kuberuntime/kuberuntime_container.go: killContainer`, v1.36). So a pod takes
//! as long as the longest of them before its containers begin to stop, and no longer than its grace period.

use super::prelude::*;
use crate::language::values::{POD_STOP, SPAN_MAX};

/// `spec.terminationGracePeriodSeconds` where none is given.
pub(super) const GRACE_S: i64 = 30;

/// What is told of how long they sleep.
pub(super) const SLEEPS: &str = "of a preStop hook";

/// `spec.terminationGracePeriodSeconds`
pub(super) fn grace(spec: &RawPodSpec) -> i64 {
    spec.termination_grace_period_seconds.unwrap_or(GRACE_S)
}

/// The longest sleep of a pod's hooks in microseconds: nothing where these do something else, none where there are no hooks.
pub(super) fn longest(spec: &RawPodSpec) -> Option<i64> {
    let hooks = spec.containers.iter().chain(&spec.init_containers);
    let most = grace(spec).clamp(0, SPAN_MAX.as_secs().cast_signed() / 2) * SECOND_US;
    hooks.filter_map(|c| c.lifecycle.pre_stop.as_ref()).map(|hook| sleeps(hook).min(most)).max()
}

/// How long a pod takes to stop that sleeps before, where nobody saw it.
pub(super) fn stop(sleep: Option<i64>) -> Option<DurationText> {
    let sleep = sleep.filter(|sleep| *sleep > 0)?;
    Some(micros(sleep + POD_STOP.as_micros().cast_signed()))
}

/// For how long a hook sleeps at its begin.
fn sleeps(hook: &RawHandler) -> i64 {
    let sleep = hook.sleep.as_ref().map(|sleep| sleep.seconds.saturating_mul(SECOND_US));
    let exec = || hook.exec.as_ref().and_then(|exec| slept_by(&exec.command));
    sleep.or_else(exec).unwrap_or(0).max(0)
}

/// For how long a command sleeps: `sleep 15`, or a shell that does so at first, `sh -c "sleep 15; nginx -s quit"`.
fn slept_by(command: &[Option<String>]) -> Option<i64> {
    let words: Vec<&str> = command.iter().flatten().map(String::as_str).collect();
    let (program, arguments) = words.split_first()?;
    let time = match program.rsplit('/').next()? {
        "sleep" => arguments.first()?,
        "sh" | "ash" | "bash" | "dash" => {
            let runs = |word: &&str| word.starts_with('-') && word.ends_with('c');
            let script = arguments.get(arguments.iter().position(runs)? + 1)?;
            let mut steps = script.trim().split([';', '\n']).flat_map(|step| step.split("&&"));
            // What goes on in the background, or into a pipe, is another matter.
            let step = steps.next().filter(|step| !step.contains(['&', '|']))?;
            let mut words = step.split_whitespace().skip_while(|word| *word == "exec");
            words.next().filter(|word| word.rsplit('/').next() == Some("sleep"))?;
            words.next()?
        }
        _ => return None,
    };
    let number = time.trim_end_matches(['s', 'm', 'h', 'd']);
    let unit = match &time[number.len()..] {
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return None,
    };
    Some((number.parse::<f64>().ok()? * unit * SECOND_US as f64) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(containers: serde_json::Value) -> Option<i64> {
        let spec =
            serde_json::json!({"terminationGracePeriodSeconds": 60, "containers": containers});
        let spec: RawPodSpec = serde_json::from_value(spec).unwrap();
        longest(&spec).map(|us| us / 1000)
    }

    fn runs(command: &[&str]) -> Option<i64> {
        of(serde_json::json!([{"lifecycle": {"preStop": {"exec": {"command": command}}}}]))
    }

    /// Of several the longest counts, and the grace period of 60 s cuts each.
    #[test]
    fn the_longest_sleep_within_the_grace_period() {
        let sleep =
            |s: i64| serde_json::json!({"lifecycle": {"preStop": {"sleep": {"seconds": s}}}});
        assert_eq!(
            of(serde_json::json!([{"lifecycle": {"postStart": {}}}, {"lifecycle": null}])),
            None
        );
        assert_eq!(of(serde_json::json!([sleep(10), {}, sleep(30)])), Some(30_000));
        assert_eq!(of(serde_json::json!([sleep(90)])), Some(60_000));
        assert_eq!(of(serde_json::json!([sleep(i64::MAX)])), Some(60_000));
        let get = serde_json::json!({"lifecycle": {"preStop": {"httpGet": {"path": "/quit"}}}});
        assert_eq!(of(serde_json::json!([get])), Some(0), "another kind");
        assert_eq!(of(serde_json::json!([get, sleep(5)])), Some(5_000));
    }

    #[test]
    fn commands_that_sleep_first() {
        for (command, ms) in [
            (&["sleep", "15"][..], 15_000),
            (&["/bin/sleep", "0.5"], 500),
            (&["sleep", "infinity"], 60_000),
            (&["sh", "-c", "sleep 15"], 15_000),
            (&["/bin/bash", "-ec", "exec /usr/bin/sleep 15s"], 15_000),
            (&["/bin/sh", "-c", "sleep 5; nginx -s quit"], 5_000),
            (&["/bin/sh", "-c", "sleep 5 && nginx -s quit &"], 5_000),
            (&["/bin/sh", "-c", "\nsleep 0.5m\nkill 1 | cat"], 30_000),
            // These are of another kind.
            (&["sh", "-c", "sleep 5 & nginx -s quit"], 0),
            (&["sh", "-c", "nginx -s quit; sleep 5"], 0),
            (&["sh", "-c", "sleep $DELAY"], 0),
            (&["sleep"], 0),
            (&["sleep", "5x"], 0),
            (&[], 0),
        ] {
            assert_eq!(runs(command), Some(ms), "{command:?}");
        }
    }
}
