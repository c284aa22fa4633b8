//! What a path leads into, an element of a list of the scenario or the scenario itself; what groups are
//! called in paths, and which one a name means.
//!
//! A name that fits several is refused: a setting that changes two workloads where one was meant
//! shows nothing about either.

use crate::scenario::prelude::*;

/// What a group of nodes, of pods or of workloads, or an entry of the timeline, is called.
#[derive(Clone, Debug, Default)]
pub(super) struct Called {
    /// The kind of a workload, `Deployment`.
    kind: Option<&'static str>,
    /// The namespace of pods and workloads.
    namespace: Option<String>,
    /// The name as it is written.
    written: Option<String>,
    /// The name up to its first range.
    stem: Option<String>,
    /// All the texts of a group of several.
    texts: Vec<String>,
}

impl Called {
    fn group(name: Option<&str>, several: Option<&OneOrMany>) -> Self {
        let texts = several.map(OneOrMany::texts).unwrap_or_default().to_vec();
        let Some(written) = name.or_else(|| texts.first().map(String::as_str)) else {
            return Self::default();
        };
        let stem = Some(names::stem(written).to_owned()).filter(|s| !s.is_empty() && s != written);
        Self { written: Some(written.to_owned()), stem, texts, ..Self::default() }
    }

    fn spaced(self, namespace: Option<&str>) -> Self {
        Self { namespace: Some(namespace.unwrap_or("default").to_owned()), ..self }
    }

    /// A workload.
    fn workload(w: &Workload) -> Self {
        let g = w.group();
        let named = Self::group(g.name.as_deref(), g.names.as_ref());
        Self { kind: Some(w.kind().as_str()), ..named.spaced(g.namespace.as_deref()) }
    }

    /// The elements of the list of a scenario that a path leads into.
    pub(super) fn all(target: Target, spec: &Scenario) -> Vec<Self> {
        let budget = |b: &PodDisruptionBudget| {
            Self::group(Some(&b.name), None).spaced(b.namespace.as_deref())
        };
        let pods = |g: &PodGroup| {
            Self::group(g.name.as_deref(), g.names.as_ref()).spaced(g.namespace.as_deref())
        };
        let nodes = |g: &NodeGroup| Self::group(g.name.as_deref(), g.names.as_ref());
        let entry = |e: &Entry| Self { written: e.name.clone(), ..Self::default() };
        match target {
            Target::Scenario => Vec::new(),
            Target::Nodes => spec.nodes.iter().map(nodes).collect(),
            Target::Pods => spec.pods.iter().map(pods).collect(),
            Target::Workloads => spec.workloads.iter().map(Self::workload).collect(),
            Target::Budgets => spec.pod_disruption_budgets.iter().map(budget).collect(),
            Target::Timeline => spec.timeline.iter().map(entry).collect(),
        }
    }

    /// The names that it goes by, the one that people use first.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.stem.iter().chain(&self.written).map(String::as_str)
    }

    /// Whether a name is this one's: `web`, `shop/web`, `Deployment/web`, `Deployment/shop/web`;
    /// without a slash in the names of what has no namespace.
    fn is(&self, name: &str, as_written: bool) -> bool {
        let own = |n: &str| {
            self.written.as_deref() == Some(n) || !as_written && self.stem.as_deref() == Some(n)
        };
        let Some(namespace) = &self.namespace else { return own(name) };
        let kind = |k: &str| self.kind.is_some_and(|own| own.eq_ignore_ascii_case(k));
        match name.split('/').collect::<Vec<_>>()[..] {
            [n] => own(n),
            [first, n] => own(n) && (namespace == first || kind(first)),
            [k, ns, n] => own(n) && namespace == ns && kind(k),
            _ => false,
        }
    }

    /// Ways to name it, the shortest first.
    fn forms(&self) -> Vec<String> {
        let mut forms: Vec<String> = self.names().map(str::to_owned).collect();
        for name in self.names() {
            let (namespace, kind) = (self.namespace.as_deref(), self.kind);
            forms.extend(namespace.map(|ns| format!("{ns}/{name}")));
            forms.extend(kind.map(|k| format!("{k}/{name}")));
            forms.extend(namespace.zip(kind).map(|(ns, k)| format!("{k}/{ns}/{name}")));
        }
        forms
    }

    /// Whether one of the names that it stands for is this one.
    fn holds(&self, name: &str) -> bool {
        let short = name.rsplit('/').next().unwrap_or(name);
        let mut all = self.texts.iter().filter_map(|text| names::expand(text, 10_000).ok());
        all.any(|names| names.iter().any(|n| n == short))
    }

    /// The workloads that it stands for, `Kind/namespace/name`. A scenario that can be built has not too many.
    pub(super) fn workloads(&self) -> BTreeSet<String> {
        let texts = if self.texts.is_empty() { self.written.as_slice() } else { &self.texts };
        let names = texts.iter().filter_map(|text| names::expand(text, u64::MAX).ok()).flatten();
        let before =
            [self.kind, self.namespace.as_deref()].map(Option::unwrap_or_default).join("/");
        names.map(|name| format!("{before}/{name}")).collect()
    }
}

/// How the group of that number is named in a path: `workloads.web`, `workloads.shop/web` where
/// another one is called `web`, or `workloads[2]`.
fn path_of(list: &str, all: &[Called], i: usize) -> String {
    let is_only = |form: &String| matches!(matching(all, form)[..], [one] if one == i);
    let only = all[i].forms().into_iter().find(is_only);
    only.map_or_else(|| format!("{list}[{i}]"), |name| format!("{list}.{}", quoted(&name)))
}

/// How all of them are named in paths.
pub(super) fn paths_of(list: &str, all: &[Called]) -> Vec<String> {
    // Nearly every name is there once; an export has thousands of groups.
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    all.iter().flat_map(Called::names).for_each(|n| *count.entry(n).or_default() += 1);
    let path = |i: usize| match all[i].names().next() {
        Some(name) if count[name] == 1 => format!("{list}.{}", quoted(name)),
        _ => path_of(list, all, i),
    };
    (0..all.len()).map(path).collect()
}

/// A name with a dot in it stands in quotes.
pub(super) fn quoted(name: &str) -> String {
    let is_plain = !name.contains(['.', '[', '=']) || name.contains('{');
    if is_plain { name.to_owned() } else { format!("\"{name}\"") }
}

/// Those that a name fits; the name as it is written goes before the same as the beginning of
/// another.
fn matching(all: &[Called], name: &str) -> Vec<usize> {
    let fits = |of: &dyn Fn(&Called) -> bool| {
        (0..all.len()).filter(|&i| of(&all[i])).collect::<Vec<usize>>()
    };
    let exact = fits(&|c| c.is(name, true));
    if exact.is_empty() { fits(&|c| c.is(name, false)) } else { exact }
}

/// Which groups a name means: one, or all of them for `*`. `list` is the field that holds them,
/// `what` what each is.
///
/// # Errors
/// There is none of that name, or there are several.
pub(super) fn find(
    list: &str,
    what: &str,
    name: &str,
    all: &[Called],
) -> Result<Vec<usize>, Problem> {
    if name == "*" {
        return match all.len() {
            0 => Err(Problem::new(format!("there is no {what} that `*` could stand for"))),
            n => Ok((0..n).collect()),
        };
    }
    let found = matching(all, name);
    match found[..] {
        [_] => Ok(found),
        [] => {
            if let Some(i) = (0..all.len()).find(|&i| all[i].holds(name)) {
                let why = "is one of several that are alike, and a path changes all of these";
                let path = path_of(list, all, i);
                let help =
                    format!("`{path}` is their path; write the one apart to change it alone");
                return Err(Problem::new(format!("`{name}` {why}")).help(help));
            }
            let paths = paths_of(list, all);
            let known = paths.iter().filter_map(|path| path.strip_prefix(list)?.strip_prefix('.'));
            let known = known.chain(all.iter().flat_map(Called::names));
            let mut seen = BTreeSet::new();
            Err(Problem::new(format!("there is no {what} `{name}`"))
                .meant(name, known.filter(|n| seen.insert(*n))))
        }
        _ => {
            let paths = found.iter().map(|&i| path_of(list, all, i));
            Err(names_several(name, what, paths)
                .help(format!("say which; `{list}.*` is all of them, those of other names, too")))
        }
    }
}

/// What a path leads into.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Scenario,
    Nodes,
    Pods,
    Workloads,
    Budgets,
    Timeline,
}

/// Of each, in their order, the list that it is an element of, what it is called in messages, and the
/// name of its type; the scenario itself is in no list.
const TARGETS: [(Target, &str, &str, &str); 6] = [
    (Target::Scenario, "", "scenario", ""),
    (Target::Nodes, "nodes", "node group", "NodeGroup"),
    (Target::Pods, "pods", "pod group", "PodGroup"),
    (Target::Workloads, "workloads", "workload", "Workload"),
    (Target::Budgets, "podDisruptionBudgets", "disruption budget", "PodDisruptionBudget"),
    (Target::Timeline, "timeline", "entry", "Entry"),
];

impl Target {
    /// An element of the list of that name.
    pub(super) fn of(list: &str) -> Option<Self> {
        TARGETS[1..].iter().find(|row| row.1 == list).map(|row| row.0)
    }

    /// What it is called in messages.
    pub(super) fn what(self) -> &'static str {
        TARGETS[self as usize].2
    }

    /// Its type.
    pub(super) fn shape(self) -> Shape {
        match self {
            Self::Scenario => Shape::scenario(),
            _ => Shape::of(TARGETS[self as usize].3),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Overrides, parse};
    use super::super::{known_paths, set};
    use crate::scenario::build;
    use std::path::Path;

    const TWICE: &str = r#"(version: 1, horizon: "10m", nodes: [(names: "a-{0..2}"), (names: "a-{3..4}"), (name: "x")],
        pods: [(name: "p", on: Node("x")), (name: "p", namespace: "lab", on: Node("x"))],
        workloads: [Deployment(name: "web", namespace: "shop"), Deployment(name: "web", namespace: "lab", replicas: 2),
            StatefulSet(name: "web", namespace: "lab", selector: (matchLabels: {"a": "b"}), template: (labels: {"a": "b"})),
            Deployment(names: "api-{0..9}"), Job(name: "v1.2")])"#;

    fn try_sets(sets: &[&str]) -> Result<(), String> {
        let loaded = parse("s.ron", TWICE.as_bytes().to_vec(), Path::new("")).unwrap();
        let overrides = Overrides {
            sets: sets.iter().map(|s| (*s).to_owned()).collect(),
            ..Overrides::default()
        };
        build(&loaded, &overrides).map(|_| ()).map_err(|p| {
            p.0.iter()
                .map(|p| format!("{} ({})", p.message, p.help.as_deref().unwrap_or("")))
                .collect::<Vec<_>>()
                .join("\n")
        })
    }

    #[test]
    fn a_name_that_fits_several_is_refused_with_each_of_them() {
        let said = try_sets(&["workloads.web.replicas=5"]).unwrap_err();
        assert_eq!(
            said,
            "`web` names 3 workloads: `workloads.shop/web`, `workloads.Deployment/lab/web`, `workloads.StatefulSet/web` \
             (say which; `workloads.*` is all of them, those of other names, too)"
        );
        assert!(
            try_sets(&["workloads.lab/web.replicas=5"]).unwrap_err().contains("names 2 workloads")
        );
        assert!(
            try_sets(&["nodes.a.zone=z"])
                .unwrap_err()
                .starts_with("`a` names 2 node groups: `nodes.a-{0..2}`, `nodes.a-{3..4}`")
        );
        assert!(
            try_sets(&["pods.p.count=2"])
                .unwrap_err()
                .starts_with("`p` names 2 pod groups: `pods.default/p`, `pods.lab/p`")
        );
        let fine = [
            "workloads.shop/web.replicas=5",
            "workloads.Deployment/shop/web.replicas=6",
            "workloads.deployment/lab/web.replicas=7",
            "workloads.StatefulSet/web.replicas=8",
            "workloads.*.template.priority=3",
            "workloads.api.replicas=3",
            "workloads.default/api-{0..9}.replicas=3",
            "workloads.\"v1.2\".parallelism=3",
            "nodes.a-{0..2}.zone=z",
            "nodes[1].zone=z",
            "pods.lab/p.priority=3",
        ];
        assert_eq!(try_sets(&fine), Ok(()));
        let mut spec = parse("s.ron", TWICE.as_bytes().to_vec(), Path::new("")).unwrap().spec;
        fine.iter().for_each(|text| drop(set(&mut spec, text).unwrap()));
        assert_eq!(
            spec.workloads.iter().map(|w| w.group().replicas).collect::<Vec<_>>(),
            [Some(6), Some(7), Some(8), Some(3), None]
        );
    }

    #[test]
    fn what_is_not_there_gets_the_nearest_name() {
        assert_eq!(
            try_sets(&["workloads.shop/wbe.replicas=5"]).unwrap_err(),
            "there is no workload `shop/wbe` (did you mean `shop/web`?)"
        );
        assert_eq!(
            try_sets(&["workloads.api-3.replicas=5"]).unwrap_err(),
            "`api-3` is one of several that are alike, and a path changes all of these (`workloads.api` is their path; write the one apart to change it alone)"
        );
        assert!(try_sets(&["workloads.lab/api.replicas=5"]).is_err());
    }

    #[test]
    fn every_known_path_means_one_thing() {
        let mut spec = parse("s.ron", TWICE.as_bytes().to_vec(), Path::new("")).unwrap().spec;
        for path in known_paths(&spec) {
            let problem =
                set(&mut spec, &format!("{path}=?")).err().map(|p| p.message).unwrap_or_default();
            assert!(
                !problem.contains("is not a path") && !problem.contains(" names "),
                "{problem}"
            );
        }
    }

    /// The timeline, expectations and groups of pods refuse such a name as paths do.
    #[test]
    fn an_ambiguous_name_is_refused_everywhere() {
        let with = |rest: &str| {
            let text = format!("{}, {rest})", TWICE.strip_suffix(')').unwrap());
            let loaded = parse("s.ron", text.into_bytes(), Path::new(""));
            loaded
                .and_then(|l| build(&l, &Overrides::default()))
                .map_or_else(|p| p.0[0].message.clone(), |_| "fine".to_owned())
        };
        let sorted = "`web` names 3 workloads: `Deployment/lab/web`, `shop/web`, `StatefulSet/web`";
        for (rest, said) in [
            (r#"timeline: [(at: "1m", do: Scale(workload: "web", replicas: 0))]"#, sorted),
            (r#"timeline: [(at: "1m", do: DeleteWorkload(workload: "web"))]"#, sorted),
            (r#"expect: [Evicted(workload: "web", count: 0)]"#, sorted),
            (r#"expect: [AtLeast(of: available("web"), is: 0)]"#, sorted),
            (r#"timeline: [(at: "1m", do: Scale(workload: "shop/web", replicas: 0))]"#, "fine"),
            (r#"expect: [Evicted(workload: "Deployment/lab/web", count: 0)]"#, "fine"),
            (
                r#"timeline: [(at: "1m", do: DeletePod(pods: Group("p")))]"#,
                "`p` names 2 groups: `default/p`, `lab/p`",
            ),
            (r#"timeline: [(at: "1m", do: DeletePod(pods: Group("lab/p")))]"#, "fine"),
        ] {
            assert_eq!(with(rest), said, "{rest}");
        }
    }
}
