//! Flags of the control plane, from the pods that run it: kubeadm and most others run
//! kube-controller-manager, kube-apiserver and kube-scheduler as static pods, whose command lines
//! are in the export.
//!
//! Taken are the flags that the scenario language knows (`flags.rs`), the feature gates of
//! `profiles/gates.rs`, and the admission plugins that are modelled; every other flag is passed
//! over without a word, as it changes nothing here. A value that the component could not have been
//! started with is reported and left out, and so is one that differs between the copies of a
//! component.
//!
//! Kubelets' flags are in no pod; their configuration may be among the files ([`kubelet_config`]), one for all, or one for each
//! node, which its `metadata` or its file names.
//! Left out: configuration files of the control plane (`--config`).

use super::kubelet_config;
use super::lines::some;
use super::node::NamedNode;
use super::prelude::*;
use super::releases::{self, Minor};
use crate::language::flags::{check as check_flag, known as known_flags};
use crate::profiles::{self, gate_names};

/// What an exported control plane was started with.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ControlPlane {
    /// Flags by component.
    pub(crate) flags: Flags,
    /// Feature gates, those of all components together.
    pub(crate) feature_gates: BTreeMap<String, bool>,
    /// The kubelets' flags that not all of them have, by nodes.
    pub(super) of_nodes: BTreeMap<String, KubeletFlags>,
}

/// Flags of a kubelet.
pub(super) type KubeletFlags = BTreeMap<String, String>;

/// The components that run in pods.
const COMPONENTS: [&str; 3] = ["kube-apiserver", CONTROLLERS, "kube-scheduler"];
/// The one of them whose release counts most: it does what is done about lost nodes.
const CONTROLLERS: &str = "kube-controller-manager";

/// What somebody was started with: where it stands, a flag, and its value.
type Given = (String, String, String);

/// The release of the control plane's pods: of the newest copy of what runs the controllers, or else of another.
pub(super) fn release(pods: &Named<RawPod>) -> Option<(Minor, String)> {
    let newest = |component: &str| {
        let run = pods.iter().flat_map(|pod| pod.command_lines(component));
        run.filter_map(|(image, _)| releases::of_image(image)).max()
    };
    [CONTROLLERS].into_iter().chain(COMPONENTS).find_map(newest)
}

/// Reads the command lines of the control plane's pods, and kubelets' configuration; what was taken and
/// what is wrong goes to the summary.
pub(super) fn read(
    pods: &Named<RawPod>,
    (kubelets, nodes): (&[(Place, Fields)], &[NamedNode]),
    summary: &mut Summary,
) -> ControlPlane {
    let mut all = ControlPlane::default();
    for component in COMPONENTS {
        let given = pods.iter().flat_map(|pod| {
            let place = format!("pod {}", pod.full_name());
            let words = pod.command_lines(component).into_iter().flat_map(|(_, w)| flags(&w));
            words.map(move |(name, value)| (place.clone(), name, value))
        });
        let taken = take(component, given.collect(), &mut all, summary);
        summary.control_plane.extend(taken);
    }
    let release = summary.releases.taken().unwrap_or_else(|| KUBERNETES.to_owned());
    let configured = |(place, config): &(Place, Fields)| -> Vec<Given> {
        let profile = profiles::profile(&release).ok();
        let flags = profile.map_or_else(Vec::new, |p| kubelet_config::flags(config, &p));
        flags.into_iter().map(|(name, value)| (place.to_string(), name.to_owned(), value)).collect()
    };
    let names: BTreeSet<&str> = nodes.iter().map(|(name, _)| name.as_str()).collect();
    let (mut of_nodes, mut of_others) = (BTreeMap::<&str, Vec<Given>>::new(), None);
    for kubelet in kubelets {
        let given = match node_of(&kubelet.0, &names) {
            Some(node) => of_nodes.entry(node).or_default(),
            None => of_others.get_or_insert_with(Vec::new),
        };
        given.extend(configured(kubelet));
    }
    let (are_others, mut assumed) = (of_others.is_some(), None);
    let mut taken = take("kubelet", of_others.unwrap_or_default(), &mut all, summary);
    if !of_nodes.is_empty() {
        taken = taken_gates(taken).collect();
        let others = std::mem::take(&mut all.flags.kubelet);
        let mut each = BTreeMap::from_iter(names.iter().map(|name| (*name, others.clone())));
        each.retain(|name, _| are_others && !of_nodes.contains_key(name));
        for (node, given) in of_nodes {
            taken.extend(taken_gates(take("kubelet", given, &mut all, summary)));
            each.insert(node, std::mem::take(&mut all.flags.kubelet));
        }
        let (read, without) = (each.len(), names.len() - each.len());
        taken.extend(split(each, &mut all));
        let alike = all.flags.kubelet.iter().map(|(name, value)| format!("--{name}={value}"));
        let alike = alike.collect::<Vec<_>>().join(", ");
        assumed = (without > 0 && !alike.is_empty()).then(|| {
            let (of, read) = (counted(without, "node"), counted(read, "node"));
            format!("of {of} no configuration of a kubelet is in the files, and they have what that of {read} has alike: {alike}")
        });
    }
    summary.kubelet_config = (kubelets.len(), taken, assumed);
    let unheeded = kubelets.iter().flat_map(|(_, config)| kubelet_config::unheeded(config));
    let unheeded = unheeded.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ");
    let told = || format!("not simulated of kubelets' configuration: {unheeded}");
    summary.control_plane_wrong.extend((!unheeded.is_empty()).then(told));
    all
}

/// Of what was taken the feature gates, which are the same for all.
fn taken_gates(taken: Vec<String>) -> impl Iterator<Item = String> {
    taken.into_iter().filter(|said| said.starts_with("kubelet --feature-gates="))
}

/// The node that a configuration is of: the one that it names, or its file, `worker-1.json` or `configz-worker-1.json.gz`.
fn node_of<'n>(place: &Place, nodes: &BTreeSet<&'n str>) -> Option<&'n str> {
    let file = place.file.rsplit(['/', '\\']).next().unwrap_or_default();
    let file = file.trim_end_matches(".gz");
    let ends = [".json", ".yaml", ".yml"].iter().find_map(|end| file.strip_suffix(end));
    let file = ends.unwrap_or(file);
    let short = file.strip_prefix("configz-").unwrap_or(file);
    [&*place.name, file, short].into_iter().find_map(|name| nodes.get::<str>(name).copied())
}

/// Takes over the flags of kubelets by their nodes: what all of them have as that of all, and the rest node by node. Says what was
/// taken.
fn split(
    mut each: BTreeMap<&str, BTreeMap<String, FlagValue>>,
    all: &mut ControlPlane,
) -> Vec<String> {
    let mut common = each.values().next().cloned().unwrap_or_default();
    common.retain(|name, value| each.values().all(|own| own.get(name) == Some(value)));
    let mut own: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for (node, flags) in &mut each {
        flags.retain(|name, _| !common.contains_key(name));
        let flags: KubeletFlags =
            flags.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
        for flag in flags.clone() {
            own.entry(flag).or_default().push((*node).to_owned());
        }
        all.of_nodes.insert((*node).to_owned(), flags);
    }
    let of_all = common.iter().map(|(name, value)| format!("kubelet --{name}={value}"));
    let of_some = own
        .iter()
        .map(|((name, value), nodes)| format!("kubelet --{name}={value} on {}", some(nodes)));
    let taken = of_all.chain(of_some).collect();
    all.flags.kubelet = common;
    taken
}

/// Takes over what a component was given; says what was taken.
fn take(
    component: &str,
    given: Vec<Given>,
    all: &mut ControlPlane,
    summary: &mut Summary,
) -> Vec<String> {
    let map = component.replace('-', "_");
    let mut taken = Vec::new();
    for (name, value) in alike(component, &map, given, summary) {
        if name == "feature-gates" {
            gates(component, &value, &mut all.feature_gates, &mut taken, summary);
            continue;
        }
        let Some(kept) = plugins(&name, &value).filter(|_| matters(&map, &name)) else {
            continue;
        };
        let read = FlagValue::Text(truth(&kept));
        if let Err(problem) = check_flag(&map, &name, &read) {
            let why = problem.message;
            summary.control_plane_wrong.push(format!(
                "{component} --{name}={value} cannot be read and is left out: {why}"
            ));
            continue;
        }
        taken.push(format!("{component} --{name}={kept}"));
        all.flags.component_mut(&map).insert(name, read);
    }
    taken
}

/// What a component was given anywhere, by the names of flags.
fn alike(
    component: &str,
    map: &str,
    said: Vec<Given>,
    summary: &mut Summary,
) -> BTreeMap<String, String> {
    let mut given: BTreeMap<String, String> = BTreeMap::new();
    for (place, name, value) in said {
        match given.get(&name) {
            Some(earlier) if *earlier != value && matters(map, &name) => summary.control_plane_wrong.push(format!(
                "{component} has --{name}={earlier} and, in {place}, --{name}={value}; the first is taken"
            )),
            Some(_) => {}
            None => drop(given.insert(name, value)),
        }
    }
    given
}

/// Whether a flag is one that the language knows.
fn matters(map: &str, name: &str) -> bool {
    known_flags().any(|(component, flag)| component == map && flag == name)
}

/// Of a list of admission plugins those that are modelled, nothing if there are none; any other
/// value as it is.
fn plugins(name: &str, value: &str) -> Option<String> {
    if !name.ends_with("-admission-plugins") {
        return Some(value.to_owned());
    }
    let known: Vec<&str> = value.split(',').map(str::trim).filter(|p| known_plugin(p)).collect();
    (!known.is_empty()).then(|| known.join(","))
}

/// Go's ways to write a truth value (`strconv.ParseBool`) as `true` and `false`; anything else as
/// it is. `1` and `0` are numbers, too, and stay.
fn truth(value: &str) -> String {
    match value {
        "t" | "T" | "TRUE" | "True" => "true".to_owned(),
        "f" | "F" | "FALSE" | "False" => "false".to_owned(),
        other => other.to_owned(),
    }
}

/// `A=true,B=false`; gates that are not modelled are passed over.
fn gates(
    component: &str,
    value: &str,
    all: &mut BTreeMap<String, bool>,
    taken: &mut Vec<String>,
    summary: &mut Summary,
) {
    let wrong = &mut summary.control_plane_wrong;
    for part in value.split(',').map(str::trim).filter(|p| !p.is_empty()) {
        let (name, said) = part.split_once('=').unwrap_or((part, ""));
        if !gate_names().any(|known| known == name.trim()) {
            continue;
        }
        let on = match truth(said.trim()).as_str() {
            "true" | "1" => true,
            "false" | "0" => false,
            _ => {
                wrong.push(format!("{component} --feature-gates={part} cannot be read and is left out: expected true or false"));
                continue;
            }
        };
        let earlier = *all.entry(name.trim().to_owned()).or_insert_with(|| {
            taken.push(format!("{component} --feature-gates={name}={on}"));
            on
        });
        if earlier != on {
            wrong.push(format!(
                "feature gate {name} is {on} in {component} and {earlier} in another component; here one value holds for all, {earlier}"
            ));
        }
    }
}

/// The flags of a command line: `--name=value`, `--name value`, and `--name` alone, which is true;
/// `_` in a name is `-`, as component-base has it (`cli/flag: WordSepNormalizeFunc`).
fn flags(words: &[String]) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let Some(flag) = word.strip_prefix("--").filter(|f| !f.is_empty()) else { continue };
        let (name, value) = match flag.split_once('=') {
            Some((name, value)) => (name, value.trim_matches(['"', '\''])),
            None => (flag, words.next_if(|w| !w.starts_with("--")).map_or("true", String::as_str)),
        };
        all.push((name.replace('_', "-"), value.to_owned()));
    }
    all
}

impl RawPod {
    /// The images and the command lines of a component in this pod, word by word: of containers of its name, or
    /// whose command is the component's, in a namespace of the system.
    fn command_lines<'a>(&'a self, component: &str) -> Vec<(&'a str, Vec<String>)> {
        let system =
            self.namespace == "kube-system" || self.namespace.starts_with("openshift-kube-");
        if !system {
            return Vec::new();
        }
        let words_of = |container: &'a RawContainer| {
            let texts = container.command.iter().chain(&container.args).flatten();
            // A shell's script is one text.
            let words: Vec<String> =
                texts.flat_map(|t| t.split_whitespace()).map(str::to_owned).collect();
            let is_program = |w: &String| w.rsplit('/').next() == Some(component);
            let is_its = container.name == component
                || words.iter().take_while(|w| !w.starts_with("--")).any(is_program);
            is_its.then_some((container.image.as_str(), words))
        };
        self.spec.containers.iter().filter_map(words_of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ImportedCluster, Input};
    use crate::language::FlagValue;
    use std::collections::BTreeMap;

    fn pod(name: &str, container: &str, words: &[&str]) -> String {
        format!(
            r#"{{"kind": "Pod", "apiVersion": "v1", "metadata": {{"name": "{name}", "namespace": "kube-system"}},
                "spec": {{"nodeName": "cp", "containers": [{{"name": "{container}", "command": {}}}]}}}}"#,
            serde_json::to_string(words).unwrap()
        )
    }

    fn read(pods: &[String]) -> ImportedCluster {
        let text =
            format!(r#"{{"kind": "List", "apiVersion": "v1", "items": [{}]}}"#, pods.join(","));
        ImportedCluster::read(&[Input::from_bytes("f", text.into_bytes()).unwrap()]).unwrap()
    }

    #[test]
    fn flags_of_static_pods_are_taken_and_said() {
        let manager = "kube-controller-manager";
        let cluster = read(&[
            pod(
                "m",
                manager,
                &[
                    manager,
                    "--leader-elect=true",
                    "--node-monitor-grace-period=20s",
                    "--node_eviction_rate",
                    "0.5",
                    "--v=2",
                ],
            ),
            pod(
                "a",
                "kube-apiserver",
                &[
                    "kube-apiserver",
                    "--default-unreachable-toleration-seconds=60",
                    "--enable-admission-plugins=NodeRestriction,PodTolerationRestriction",
                    "--feature-gates=SeparateTaintEvictionController=false,Nobody=true",
                ],
            ),
            pod(
                "s",
                "other-name",
                &[
                    "/bin/sh",
                    "-c",
                    "exec /usr/bin/kube-scheduler --feature-gates=SchedulerQueueingHints=T 2>&1",
                ],
            ),
            pod("x", "sidecar", &["sidecar", "--node-monitor-period=1s"]),
        ]);
        let text = |s: &str| FlagValue::Text(s.to_owned());
        let manager = [
            ("leader-elect", "true"),
            ("node-eviction-rate", "0.5"),
            ("node-monitor-grace-period", "20s"),
        ];
        let taken = &cluster.control_plane;
        assert_eq!(
            taken.flags.kube_controller_manager,
            manager.iter().map(|(k, v)| ((*k).to_owned(), text(v))).collect()
        );
        let server = [
            ("default-unreachable-toleration-seconds", "60"),
            ("enable-admission-plugins", "PodTolerationRestriction"),
        ];
        assert_eq!(
            taken.flags.kube_apiserver,
            server.iter().map(|(k, v)| ((*k).to_owned(), text(v))).collect()
        );
        let gates = [("SchedulerQueueingHints", true), ("SeparateTaintEvictionController", false)];
        assert_eq!(
            taken.feature_gates,
            gates.iter().map(|(k, v)| ((*k).to_owned(), *v)).collect::<BTreeMap<_, _>>()
        );
        let said = "said by the control plane's pods: kube-apiserver --default-unreachable-toleration-seconds=60, \
                    kube-apiserver --enable-admission-plugins=PodTolerationRestriction, \
                    kube-apiserver --feature-gates=SeparateTaintEvictionController=false, \
                    kube-controller-manager --leader-elect=true, kube-controller-manager --node-eviction-rate=0.5, \
                    kube-controller-manager --node-monitor-grace-period=20s, \
                    kube-scheduler --feature-gates=SchedulerQueueingHints=true";
        assert!(
            cluster.summary.lines().contains(&said.to_owned()),
            "{:#?}",
            cluster.summary.lines()
        );
        // The file that an import writes has them, in a form that the language reads.
        let written = cluster.to_scenario();
        for part in [
            "flags: (",
            r#""node-monitor-grace-period": "20s""#,
            r#"feature_gates: {"SchedulerQueueingHints": true}"#,
        ] {
            assert!(written.contains(part), "{written}");
        }
        // That gate is locked since 1.34.
        assert!(
            written
                .contains("SeparateTaintEvictionController=false of the export counts for nothing"),
            "{written}"
        );
    }

    #[test]
    fn what_cannot_be_read_is_said_and_what_is_not_known_is_not() {
        let manager = "kube-controller-manager";
        let cluster = read(&[
            pod(
                "m-1",
                manager,
                &[
                    manager,
                    "--node-monitor-grace-period=20",
                    "--node-eviction-rate=x",
                    "--profiling=maybe",
                    "--",
                ],
            ),
            pod(
                "m-2",
                manager,
                &[
                    manager,
                    "--node-monitor-period=5s",
                    "--cluster-cidr=1",
                    "--feature-gates=PodDeletionCost=perhaps",
                ],
            ),
            pod("m-3", manager, &[manager, "--node-monitor-period=6s", "--cluster-cidr=2"]),
        ]);
        assert_eq!(cluster.control_plane.flags.kube_controller_manager.len(), 1);
        let said: Vec<String> =
            cluster.summary.lines().into_iter().filter(|l| l.contains("--")).collect();
        assert_eq!(said.len(), 5, "{said:#?}");
        assert!(
            said[1].contains("--node-monitor-period=5s and, in pod kube-system/m-3, --node-monitor-period=6s; the first is taken"),
            "{said:#?}"
        );
        assert!(
            said.iter().any(|l| l.starts_with("kube-controller-manager --node-monitor-grace-period=20 cannot be read and is left out: "))
        );
        assert!(
            said.iter().any(|l| l.contains("--feature-gates=PodDeletionCost=perhaps"))
                && said.iter().any(|l| l.contains("--node-eviction-rate=x"))
        );
        assert!(!said.iter().any(|l| l.contains("cidr") || l.contains("profiling")));
    }

    #[test]
    fn a_cluster_without_such_pods_says_nothing() {
        let cluster = read(&[pod("p", "web", &["web", "--node-monitor-period=1s"])]);
        assert_eq!(cluster.control_plane, super::ControlPlane::default());
        assert!(!cluster.summary.lines().iter().any(|l| l.contains("control plane")));
    }
}
