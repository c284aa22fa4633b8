//! What two plans say differently: release switches, flags, timing, objects.
//!
//! Switches and settings are compared in the form that they print themselves in for debugging, so
//! that one which is added later is not forgotten here.

use super::prose;
use crate::kernel::Dur;
use crate::plan::{Plan, Profile};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// A setting with its value on each side; none where that side does not have it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SettingChange {
    /// Its name, `taint_eviction.finished_entry` say.
    pub(crate) name: String,
    /// Its value in the first run.
    pub(crate) a: Option<String>,
    /// Its value in the second run.
    pub(crate) b: Option<String>,
    /// Of a switch of the releases: what it is about, and what it means on both sides.
    pub(crate) prose: Option<(String, [String; 2])>,
}

/// What two plans say differently.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Settings {
    /// The releases, if they differ.
    pub(crate) release: Option<(String, String)>,
    /// Switches of the releases' behaviour.
    pub(crate) switches: Vec<SettingChange>,
    /// Flags, timing, controllers and the end of the run.
    pub(crate) others: Vec<SettingChange>,
    /// Nodes that only one plan has.
    pub(crate) nodes: [Vec<String>; 2],
    /// Pods that only one plan has.
    pub(crate) pods: [Vec<String>; 2],
    /// Entries of the timeline that only one plan has, by name.
    pub(crate) entries: [Vec<String>; 2],
}

impl Settings {
    /// Compares two plans.
    pub(crate) fn new(a: &Plan, b: &Plan) -> Self {
        let releases = (a.profile.release.clone(), b.profile.release.clone());
        let mut others = changes("", &a.flags, &b.flags);
        others.iter_mut().for_each(|c| c.name = format!("--{}", c.name.replace('_', "-")));
        others.extend(changes("timing.", &a.timing, &b.timing));
        others.extend(changes("admission.", &a.admission, &b.admission));
        others.extend(changes("scheduler.", &a.scheduler, &b.scheduler));
        others.extend(changes("controllers.", &a.controllers, &b.controllers));
        if a.horizon != b.horizon {
            let text = |p: &Plan| Some(Dur::from_nanos(p.horizon.as_nanos()).to_string());
            others.push(SettingChange {
                name: "horizon".to_owned(),
                a: text(a),
                b: text(b),
                prose: None,
            });
        }
        let plain = |value: &mut Option<String>| *value = value.as_deref().map(prose::plain);
        others.iter_mut().for_each(|c| [&mut c.a, &mut c.b].into_iter().for_each(plain));
        let names = |p: &Plan| p.nodes.iter().map(|n| n.name.clone()).collect::<Vec<_>>();
        let pods = |p: &Plan| p.pods.iter().map(|n| n.name.to_string()).collect::<Vec<_>>();
        let entries = |p: &Plan| p.timeline.iter().map(|e| e.name.clone()).collect::<Vec<_>>();
        Settings {
            release: (releases.0 != releases.1).then_some(releases),
            switches: Self::switches(&a.profile, &b.profile),
            others,
            nodes: only(&names(a), &names(b)),
            pods: only(&pods(a), &pods(b)),
            entries: only(&entries(a), &entries(b)),
        }
    }

    /// The switches in which two releases differ. What they set as defaults of flags shows in the
    /// flags.
    pub(super) fn switches(a: &Profile, b: &Profile) -> Vec<SettingChange> {
        let mut switches = changes("", a, b);
        let told = ["release", "recorded", "node_monitor_grace_period"];
        switches.retain(|c| !told.contains(&c.name.as_str()) && !c.name.starts_with("log."));
        switches
            .iter_mut()
            .for_each(|c| c.prose = prose::told(&c.name, [c.a.as_deref(), c.b.as_deref()]));
        switches
    }

    /// Whether one plan has a node, pod or entry that the other does not have.
    pub(crate) fn objects_differ(&self) -> bool {
        [&self.nodes, &self.pods, &self.entries]
            .iter()
            .any(|sides| sides.iter().any(|names| !names.is_empty()))
    }
}

/// The names that only one side has, in its order.
fn only(a: &[String], b: &[String]) -> [Vec<String>; 2] {
    let of = |these: &[String], others: &[String]| {
        let others: BTreeSet<&String> = others.iter().collect();
        these.iter().filter(|n| !others.contains(n)).cloned().collect()
    };
    [of(a, b), of(b, a)]
}

fn changes<T: Debug>(prefix: &str, a: &T, b: &T) -> Vec<SettingChange> {
    let (a, b) = (flatten(&format!("{a:#?}")), flatten(&format!("{b:#?}")));
    let second: BTreeMap<&str, &str> = b.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    let first: BTreeSet<&str> = a.iter().map(|(n, _)| n.as_str()).collect();
    let change = |name: &str, a: Option<&str>, b: Option<&str>| SettingChange {
        name: format!("{prefix}{name}"),
        a: a.map(str::to_owned),
        b: b.map(str::to_owned),
        prose: None,
    };
    let mut found: Vec<SettingChange> = a
        .iter()
        .filter(|(name, value)| second.get(name.as_str()) != Some(&value.as_str()))
        .map(|(name, value)| change(name, Some(value), second.get(name.as_str()).copied()))
        .collect();
    found.extend(
        b.iter()
            .filter(|(name, _)| !first.contains(name.as_str()))
            .map(|(name, value)| change(name, None, Some(value))),
    );
    // What only one side has is listed part by part.
    let is_whole = |c: &SettingChange| {
        let begins = format!("{}.", c.name);
        (c.a.is_none() || c.b.is_none())
            && found.iter().any(|other| other.name.starts_with(&begins))
    };
    found.iter().filter(|c| !is_whole(c)).cloned().collect()
}

/// The values of a structure in its long debugging form, by their paths. Lists and tuples are one
/// value.
fn flatten(debug: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut path: Vec<&str> = Vec::new();
    let mut lines = debug.lines().peekable();
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        let text = line.trim();
        let (name, value) = text.split_once(": ").unwrap_or(("", text));
        let full = |path: &[&str]| {
            path.iter()
                .copied()
                .chain([name])
                .filter(|p| !p.is_empty())
                .collect::<Vec<_>>()
                .join(".")
        };
        if text.ends_with('{') {
            let kind = value.trim_end_matches('{').trim();
            if !kind.is_empty() && !path.is_empty() {
                found.push((full(&path), kind.to_owned()));
            }
            path.push(name);
        } else if text.ends_with('(') && lines.peek().is_some_and(|l| l.ends_with('{')) {
            // A variant around a structure: the structure's values are its own.
            lines.next();
            let kind = value.trim_end_matches('(');
            if kind != "Some" {
                found.push((full(&path), kind.to_owned()));
            }
            path.push(name);
        } else if text.starts_with(')') {
        } else if text.ends_with(['(', '[']) {
            let inner = lines
                .by_ref()
                .take_while(|l| l.len() - l.trim_start().len() > indent)
                .map(str::trim)
                .collect::<Vec<_>>();
            found.push((full(&path), listed(value, &inner.join(" "))));
        } else if text.starts_with('}') {
            path.pop();
        } else {
            found.push((full(&path), value.trim_end_matches(',').trim_matches('"').to_owned()));
        }
    }
    found
}

/// `Dur( 5000000000, )` as `5s`, within others too; any other list or tuple on one line.
fn listed(opening: &str, inner: &str) -> String {
    let whole = |text: &str| {
        text.trim_end_matches(',').parse::<u64>().ok().map(|ns| Dur::from_nanos(ns).to_string())
    };
    if let (true, Some(time)) = (["Dur(", "Time("].contains(&opening), whole(inner)) {
        return time;
    }
    let mut parts = inner.split("Dur( ");
    let mut said = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let time =
            part.split_once(", )").and_then(|(ns, rest)| Some(format!("{}{rest}", whole(ns)?)));
        said.push_str(&time.unwrap_or_else(|| format!("Dur( {part}")));
    }
    let said = said.trim_end_matches(',');
    match opening {
        "Some(" => said.to_owned(),
        _ if opening.ends_with('(') => format!("{opening}{said})"),
        _ => format!("{opening}{said}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profiles::profile;

    #[test]
    fn values_have_their_paths() {
        let profile = profile("1.34").expect("a release");
        let values = flatten(&format!("{profile:#?}"));
        let get = |name: &str| values.iter().find(|v| v.0 == name).map(|v| v.1.as_str());
        assert_eq!(get("node_lifecycle.taint_on_observed"), Some("false"));
        assert_eq!(get("taint_eviction.finished_entry"), Some("Deleted"));
        assert_eq!(get("node_monitor_grace_period"), Some("50s"));
        assert_eq!(get("scheduler.weights.taint_toleration"), Some("3"));
        assert_eq!(get("workload.job.batch_period"), Some("1s"));
        assert_eq!(get("workload.job.failure_backoff"), Some("10m0s"));
    }

    /// 1.33 and 1.34 differ in the rows of docs/model.md that begin with 1.34: S20 and S23 of node
    /// failure handling.
    #[test]
    fn two_releases_differ_in_their_switches() {
        let (a, b) = (profile("1.33").expect("a release"), profile("1.34").expect("a release"));
        let found = changes("", &a, &b);
        let of = |prefix: &str| {
            found
                .iter()
                .filter(|c| c.name.starts_with(prefix))
                .map(|c| c.name.as_str())
                .collect::<Vec<_>>()
        };
        assert_eq!(of("node_lifecycle"), ["node_lifecycle.taint_on_observed"]);
        assert_eq!(of("taint_eviction"), [""; 0]);
        assert_eq!(of("kubelet"), ["kubelet.report_offset"]);
        assert_eq!(changes("", &a, &a), []);
    }
}
