//! What two plans say differently: release switches, flags, timing, objects.
//!
//! Switches and settings are compared in the form that they print themselves in for debugging, so
//! that one which is added later is not forgotten here.
//!
//! What a switch of a release means, in prose: what its documentation says, for people who do not
//! read the source.
//!
//! The texts are those of the fields and variants themselves, read from the files that define them,
//! so that there is one place for each and none is forgotten.

use crate::analysis::names::ranges;
use crate::analysis::prelude::*;
use crate::plan::{KubeletConfig, Profile};
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
        others.extend(changes("", &a.eviction, &b.eviction));
        others.extend(changes("timing.", &a.timing, &b.timing));
        let is_flag = |name: &str| !name.starts_with("timing.") || name.contains("kubelet.node_");
        let flags = others.iter_mut().filter(|c| is_flag(&c.name));
        flags.for_each(|c| c.name = flag(&c.name));
        others.extend(changes("admission.", &a.admission, &b.admission));
        others.extend(changes("scheduler.", &a.scheduler, &b.scheduler));
        others.extend(changes("controllers.", &a.controllers, &b.controllers));
        others.extend(of_nodes(a, b));
        if a.horizon != b.horizon {
            let text = |p: &Plan| Some(Dur::from_nanos(p.horizon.as_nanos()).to_string());
            let name = "horizon".to_owned();
            others.push(SettingChange { name, a: text(a), b: text(b), prose: None });
        }
        let plain = |value: &mut Option<String>| *value = value.as_deref().map(plain);
        others.iter_mut().for_each(|c| [&mut c.a, &mut c.b].into_iter().for_each(plain));
        let names = |p: &Plan| p.nodes.iter().map(|n| n.name.clone()).collect::<Vec<_>>();
        let pods = |p: &Plan| p.pods.iter().map(|n| n.name.to_string()).collect::<Vec<_>>();
        let entries = |p: &Plan| p.timeline.iter().map(|e| e.name.clone()).collect::<Vec<_>>();
        let mut switches = Self::switches(&a.profile, &b.profile);
        switches.sort_by_cached_key(|c| remoteness(&c.name, [a, b]));
        Settings {
            release: (releases.0 != releases.1).then_some(releases),
            switches,
            others,
            nodes: only(&names(a), &names(b)),
            pods: only(&pods(a), &pods(b)),
            entries: only(&entries(a), &entries(b)),
        }
    }

    /// The switches in which two releases differ. What they set as defaults of flags shows in the
    /// flags.
    fn switches(a: &Profile, b: &Profile) -> Vec<SettingChange> {
        let mut switches = changes("", a, b);
        // Fields that an API server drops are told in the notes of runs that have them.
        let told = ["release", "recorded", "node_monitor_grace_period"];
        let elsewhere = ["log.", "dropped_fields."];
        switches.retain(|c| {
            !told.contains(&c.name.as_str()) && !elsewhere.iter().any(|of| c.name.starts_with(of))
        });
        let mut read = BTreeMap::new();
        for c in &mut switches {
            c.prose = prose(&c.name, [c.a.as_deref(), c.b.as_deref()], &mut read);
        }
        switches
    }

    /// Whether one plan has a node, pod or entry that the other does not have.
    pub(crate) fn objects_differ(&self) -> bool {
        let all = [&self.nodes, &self.pods, &self.entries];
        all.into_iter().flatten().any(|names| !names.is_empty())
    }
}

/// How far a switch by that name is from what these plans have: what not every plan has comes first, what is rarer before the rest, then
/// what all have, and last what neither has.
fn remoteness(name: &str, plans: [&Plan; 2]) -> usize {
    let any = |is: fn(&Plan) -> bool| plans.into_iter().any(is);
    let of = |is: fn(&WorkloadPlan) -> bool| plans.into_iter().any(|p| p.workloads.iter().any(is));
    let has_policy = |w: &WorkloadPlan| matches!(&w.spec, WorkloadSpec::Job(job) if !job.pod_failure_policy.is_empty());
    let claims = any(|p| p.templates.iter().any(|t| !t.claims.is_empty()));
    let about = [
        ("workload.job.failure_policy_waits", of(has_policy)),
        ("device_taint_eviction.", any(|p| p.has_devices)),
        ("kubelet.eviction.", any(Plan::states_usage)),
        ("kubelet.images.", any(Plan::lists_images)),
        ("attach_detach.", claims),
        ("persistent_volume.", claims),
        ("disruption.", any(|p| !p.budgets.is_empty())),
        ("workload.job.", of(|w| w.kind == WorkloadKind::Job)),
        ("workload.stateful_set.", of(|w| w.kind == WorkloadKind::StatefulSet)),
        ("workload.daemon_set.", of(|w| w.kind == WorkloadKind::DaemonSet)),
    ];
    let place = about.iter().position(|(begins, _)| name.starts_with(begins));
    place.map_or(about.len(), |i| if about[i].1 { i } else { about.len() + 1 })
}

/// The names of the switches and defaults in which two profiles differ.
pub fn switch_names(a: &Profile, b: &Profile) -> Vec<String> {
    let names = changes("", a, b).into_iter().map(|change| change.name);
    names.filter(|name| name != "release" && name != "recorded").collect()
}

/// The names that only one side has, in its order.
fn only(a: &[String], b: &[String]) -> [Vec<String>; 2] {
    let of = |these: &[String], others: &[String]| {
        let others: BTreeSet<&String> = others.iter().collect();
        these.iter().filter(|n| !others.contains(n)).cloned().collect()
    };
    [of(a, b), of(b, a)]
}

/// What kubelets of single nodes do otherwise, where that is not what all do.
fn of_nodes(a: &Plan, b: &Plan) -> Vec<SettingChange> {
    let of = |plan: &Plan, node: &NodePlan| {
        node.kubelet.as_deref().cloned().unwrap_or_else(|| plan.kubelet())
    };
    let others: BTreeMap<&str, &NodePlan> = b.nodes.iter().map(|n| (n.name.as_str(), n)).collect();
    let mut pools: Vec<([KubeletConfig; 2], Vec<&str>)> = Vec::new();
    for node in &a.nodes {
        let other = others.get(node.name.as_str()).filter(|other| other.kubelet != node.kubelet);
        let Some(other) = other else { continue };
        let both = [of(a, node), of(b, other)];
        match pools.iter_mut().find(|(same, _)| *same == both) {
            Some((_, nodes)) => nodes.push(&node.name),
            None => pools.push((both, vec![node.name.as_str()])),
        }
    }
    let of_pool = |([a, b], nodes): &([KubeletConfig; 2], Vec<&str>)| {
        let mut found = changes("", a, b);
        found
            .iter_mut()
            .for_each(|c| c.name = format!("kubelet of {}: {}", ranges(nodes), flag(&c.name)));
        found
    };
    pools.iter().flat_map(of_pool).collect()
}

/// The flag that a scenario sets a field of a plan by.
fn flag(path: &str) -> String {
    let name = path.rsplit('.').next().unwrap_or(path).replace('_', "-");
    match &*name {
        "thresholds" => "--eviction-hard, --eviction-soft".to_owned(),
        "pressure-transition-period" => format!("--eviction-{name}"),
        "max-pod-grace-period-seconds" => "--eviction-max-pod-grace-period".to_owned(),
        "node-lease-duration" => format!("--{name}-seconds"),
        _ => format!("--{name}"),
    }
}

fn changes<T: Debug>(prefix: &str, a: &T, b: &T) -> Vec<SettingChange> {
    let (a, b) = (flatten(&format!("{a:#?}")), flatten(&format!("{b:#?}")));
    let [first, second] = [&a, &b].map(|all| all.iter().cloned().collect::<BTreeMap<_, _>>());
    let added = b.iter().filter(|(name, _)| !first.contains_key(name));
    let change = |(name, _): &(String, String)| {
        let (a, b) = (first.get(name).cloned(), second.get(name).cloned());
        SettingChange { name: format!("{prefix}{name}"), a, b, prose: None }
    };
    let all = a.iter().chain(added).map(change);
    let found: Vec<SettingChange> = all.filter(|c| c.a != c.b).collect();
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
            let parts = path.iter().copied().chain([name]).filter(|part| !part.is_empty());
            parts.collect::<Vec<_>>().join(".")
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
            let is_inner = |l: &&str| l.len() - l.trim_start().len() > indent;
            let inner: Vec<_> = lines.by_ref().take_while(is_inner).map(str::trim).collect();
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
        let time = part.split_once(", )").and_then(|(ns, rest)| Some(whole(ns)? + rest));
        said.push_str(&time.unwrap_or_else(|| format!("Dur( {part}")));
    }
    let said = said.trim_end_matches(',');
    match opening {
        "Some(" => said.to_owned(),
        _ if opening.ends_with('(') => format!("{opening}{said})"),
        _ => format!("{opening}{said}]"),
    }
}

/// The files that define switches, by the name of the field of `Profile` that holds them; those of
/// `Profile` itself without one.
const FILES: [(&str, &str, &str); 13] = {
    macro_rules! files {
        ($($field:literal)*) => {[
            ("", "Profile", include_str!("../../plan/profile.rs")),
            ("eviction", "EvictionRules", include_str!("../../plan/switches/eviction.rs")),
            $(($field, "Switches", include_str!(concat!("../../plan/switches/", $field, ".rs")))),*
        ]};
    }
    files!("node_lifecycle" "taint_eviction" "kubelet" "scheduler" "pod_gc" "workload" "cloud" "attach_detach"
        "persistent_volume" "device_taint_eviction" "disruption")
};

/// The documentation of a file's types: by type and field or variant, the text and the field's own
/// type.
struct Docs<'a>(BTreeMap<(&'a str, &'a str), (String, &'a str)>);

impl<'a> Docs<'a> {
    fn read(file: &'a str) -> Self {
        let (mut found, mut of, mut doc) = (BTreeMap::new(), "", String::new());
        for line in file.lines().map(str::trim) {
            let mut seen = ["pub(crate) ", "pub "].into_iter();
            let line = seen.find_map(|seen| line.strip_prefix(seen)).unwrap_or(line);
            if let Some(text) = line.strip_prefix("///") {
                doc.push(' ');
                doc.push_str(text.trim());
                continue;
            }
            if let Some(name) = line.strip_prefix("struct ").or(line.strip_prefix("enum ")) {
                of = name.split([' ', '<', '(']).next().unwrap_or(name);
            } else if let Some(field) = line.strip_suffix(',') {
                let variant = field.split(['(', ' ']).next().unwrap_or(field);
                let (name, kind) = field.split_once(": ").unwrap_or((variant, ""));
                found.entry((of, name)).or_insert((std::mem::take(&mut doc), kind));
            }
            if !line.starts_with("#[") {
                doc.clear();
            }
        }
        Docs(found)
    }
}

/// What a switch is about, behind its component, and what its values mean; the values alone where they speak for
/// themselves. `read`: the documentation of each file that was asked for before.
fn prose(
    name: &str,
    values: [Option<&str>; 2],
    read: &mut BTreeMap<&str, Docs<'static>>,
) -> Option<(String, [String; 2])> {
    let (first, rest) = name.split_once('.').unwrap_or(("", name));
    let (place, root, file) = FILES.iter().find(|(field, ..)| *field == first)?;
    let docs = read.entry(place).or_insert_with(|| Docs::read(file));
    let (mut of, mut about) = (*root, None);
    for field in rest.split('.') {
        let (doc, kind) = docs.0.get(&(of, field))?;
        about = Some(doc);
        of = kind.trim_start_matches("Option<").trim_end_matches('>');
    }
    let variant = |value: Option<&str>| match value {
        None | Some("None") if !docs.0.contains_key(&(of, "None")) => "none".to_owned(),
        Some("true") => "yes".to_owned(),
        Some("false") => "no".to_owned(),
        value => {
            let value = value.unwrap_or("None");
            let name = value.split(['(', ' ']).next().unwrap_or(value);
            docs.0.get(&(of, name)).map_or_else(|| plain(value), |(doc, _)| sentence(doc))
        }
    };
    let (of, _) = name.rsplit_once('.').unwrap_or_default();
    let of = of.replace('.', ", ").replace('_', " ");
    let about = format!("{of}: {}", sentence(about?));
    Some((about.trim_start_matches(": ").to_owned(), values.map(variant)))
}

/// A value without the words that it has in the source: `Some("x")` is `x`.
fn plain(value: &str) -> String {
    let of_some = value.strip_prefix("Some(").and_then(|v| v.strip_suffix(')'));
    let inner = of_some.unwrap_or(value).trim();
    let is_whole = |n: &&str| n.bytes().all(|b| b.is_ascii_digit());
    let inner = inner.strip_suffix(".0").filter(is_whole).unwrap_or(inner);
    if inner == "None" { "none".to_owned() } else { inner.trim_matches('"').to_owned() }
}

/// A documentation as a sentence without its full stop, without the marks of code and the numbers
/// of docs/model.md's rows.
fn sentence(doc: &str) -> String {
    let text = doc.replace('`', "");
    let mut parts = text.split(" (S");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // ` (S20)` goes, ` (S27, gate …)` is ` (gate …)`.
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        match (rest.strip_prefix(')'), rest.strip_prefix(", ")) {
            (Some(rest), _) if rest.len() < part.len() - 1 => out.push_str(rest),
            (_, Some(rest)) => out += &format!(" ({rest}"),
            _ => out += &format!(" (S{part}"),
        }
    }
    out.trim().trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profiles::{Release, profile};

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

    /// Between any two minor releases that follow one another, and between the first and the last
    /// of them.
    #[test]
    fn every_switch_of_every_release_has_its_prose() {
        let all: Vec<_> =
            Release::all_minors().map(|r| profile(&r.to_string()).expect("a release")).collect();
        let ends = [all[0].clone(), all[all.len() - 1].clone()];
        let mut told = 0;
        for pair in all.windows(2).chain([&ends[..]]) {
            for change in Settings::switches(&pair[0], &pair[1]) {
                let prose =
                    change.prose.unwrap_or_else(|| panic!("{} has no documentation", change.name));
                assert!(prose.0.contains(' '), "{}: {prose:?}", change.name);
                for text in [&prose.0, &prose.1[0], &prose.1[1]] {
                    // Upstream's words, which end so.
                    let text = text.replace("predicates::", "predicates");
                    let debug = ["Some(", "None", "true", "false", "Dur(", "`", "::"]
                        .iter()
                        .find(|mark| text.contains(**mark));
                    assert_eq!(debug, None, "{}: {text}", change.name);
                }
                told += 1;
            }
        }
        assert!(told > 100, "{told}");
    }

    #[test]
    fn the_documentation_of_a_field_is_its_prose() {
        let lifecycle = prose(
            "node_lifecycle.taint_on_observed",
            [Some("true"), Some("false")],
            &mut BTreeMap::new(),
        );
        let about = "node lifecycle: The taint decision follows the Ready condition read before this pass's update (up to 1.33), not the current one";
        assert_eq!(lifecycle, Some((about.to_owned(), ["yes".to_owned(), "no".to_owned()])));
        let of_sets = ["workload.stateful_set.terminal_pods", "request_retries"].map(|name| {
            prose(name, [Some("1"), Some("2")], &mut BTreeMap::new()).map(|(about, _)| about)
        });
        let begins =
            |i: usize, with: &str| of_sets[i].as_ref().is_some_and(|t| t.starts_with(with));
        assert!(begins(0, "workload, stateful set: ") && begins(1, "How often"), "{of_sets:?}");
        let entry = prose(
            "taint_eviction.finished_entry",
            [Some("Nil"), Some("Deleted")],
            &mut BTreeMap::new(),
        );
        assert_eq!(
            entry.map(|e| e.1),
            Some(["Nil, up to 1.32".to_owned(), "Nothing, from 1.33".to_owned()])
        );
        assert_eq!(
            prose(
                "scheduler.weights.taint_toleration",
                [Some("1"), Some("3")],
                &mut BTreeMap::new()
            )
            .map(|t| t.1),
            Some(["1".to_owned(), "3".to_owned()])
        );
        assert_eq!(
            ["Some(5s)", "None", "20.0", "Kubectl"].map(plain),
            ["5s", "none", "20", "Kubectl"]
        );
    }
}
