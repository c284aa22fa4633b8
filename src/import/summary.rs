//! What an import took, and what it left out: lines for the terminal and for the head of the
//! scenario it writes.

use super::disks::GONE;
use super::error::{DEVICES, READINESS};
use super::leader::Leader;
use super::lines::{Lines, counts, some, tally};
use super::pace;
use super::releases::Releases;
use super::times::{Stamp, Zero};
use crate::language::values::KUBERNETES;
use crate::language::{PodTemplate, counted};
use std::collections::{BTreeMap, BTreeSet};

/// Kinds that say of volumes and kubelets what matters here, or nothing that does.
const TAKEN: [&str; 6] = [
    "CSIDriver",
    "CSINode",
    "CSIStorageCapacity",
    "KubeletConfiguration",
    "StorageClass",
    "VolumeAttachment",
];

/// Kinds that change what becomes of pods, and that are not simulated where an export has them.
const ACTING: [&str; 3] = ["CronJob", "HorizontalPodAutoscaler", "VerticalPodAutoscaler"];

/// The kind of the node readiness controller's rules.
pub(super) const RULE: &str = "NodeReadinessRule";

/// What is said of pods whose probes fail.
const UNSERVED: &str = "whose probes fail for long or end each container, taken to go on so (where all of a workload do, with those that replace them)";

/// What nodes are taken for that an export only names; how large they are is the language's default.
const UNKNOWN_NODES: &str =
    "with 4 cores, 16Gi and room for 110 pods each, without zones, labels and taints";

/// What is said of nodes that pods name, and that have neither an object nor a lease.
const DELETED: &str = "deleted, though pods are still on them or volumes attached to them: the pod garbage collector deletes the pods \
                       within a minute, and the volumes are detached 6 minutes after their pods are gone";

/// What an import took, and what it left out. Nothing is dropped without a word here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The files were given where a scenario was expected.
    pub(crate) as_scenario: bool,
    /// The files, as named.
    pub(crate) files: Vec<String>,
    /// How many nodes there are.
    pub(crate) nodes: usize,
    /// How many pods there are.
    pub(crate) pods: usize,
    /// How many node leases were used.
    pub(crate) leases: usize,
    /// Kubelets have none: statuses tell who is silent.
    pub(super) by_posts: bool,
    /// Workloads, disruption budgets, volumes, and namespaces that say something, by kind.
    pub(crate) workloads: BTreeMap<String, usize>,
    /// Workloads of which nothing comes here, and how many of each were left out.
    pub(crate) over: BTreeMap<String, usize>,
    /// Pods that no controller will replace because the workload that owns them is not in the files.
    pub(crate) ownerless: usize,
    /// Pods whose owners are of a kind that is not simulated, by that kind.
    pub(crate) foreign: BTreeMap<String, usize>,
    /// Workloads that have pods, none of which is in the files.
    pub(crate) podless: Vec<String>,
    /// Pods that name no owner and were given that whose selector matches them.
    pub(crate) adopted: usize,
    /// ReplicaSets that are not in the files and were made for their Deployments and pods, which are: `shop/web-5468c74c4d`.
    pub(crate) made_sets: BTreeSet<String>,
    /// Time zero.
    pub time_zero: Option<Stamp>,
    /// What that is.
    pub(crate) zero_is: Zero,
    /// When a taint was written, or a node found silent, long after that, which is not believed.
    pub(crate) unheeded: Option<Stamp>,
    /// Nodes that start cut off: their kubelets are silent.
    pub(crate) cut_off: Vec<String>,
    /// Those of them that nobody has noticed yet: Ready is not Unknown.
    pub(crate) unnoticed: Vec<String>,
    /// Nodes without a lease, where others have one, that are taken to be alive.
    pub(crate) leaseless: Vec<String>,
    /// Nodes that have been silent for so long that a controller would have found them, and that are not Unknown.
    pub(crate) overdue: Vec<String>,
    /// Nodes that are not Unknown and have posted no status for longer than a kubelet takes between two, where no leases tell.
    pub(crate) unposted: Vec<String>,
    /// Nodes whose clock is ahead of the control plane's.
    pub(crate) ahead: Vec<String>,
    /// It is ahead of nearly all other nodes', as the control plane's own leases are not in the files.
    pub(crate) ahead_of_most: bool,
    /// How long the pods of workloads took to start, `shop/web 12s (median of 3)`, and to stop, where the export shows it.
    pub(crate) paces: [Vec<String>; 2],
    /// What is told of nodes that list as many images as a kubelet does at most.
    pub(crate) images_listed: Option<String>,
    /// How the containers of workloads end by themselves, where it does.
    pub(crate) ends: Vec<String>,
    /// Pods whose containers are in a loop: `shop/web-0 (after 3s, exit code 1)`.
    pub(crate) looping: Vec<String>,
    /// Pods of which a container never serves.
    pub(crate) unserved: Vec<String>,
    /// The workloads of which it does not.
    pub(crate) unknown_paces: [Vec<String>; 2],
    /// Who leads the controllers.
    pub(crate) leader: Leader,
    /// When an event last told of a pass of that leader's node lifecycle controller.
    pub(crate) passed: Option<Stamp>,
    /// Pods whose deletion has begun.
    pub(crate) terminating: usize,
    /// Pods that are stuck.
    pub(crate) stuck: Vec<String>,
    /// Pods that are bound nowhere.
    pub(crate) unbound: Vec<String>,
    /// Pods left out because their node is not in the files.
    pub(crate) orphans: Vec<String>,
    /// What nodes say of themselves that does not go on here, and which do.
    pub(crate) said_by_nodes: BTreeMap<&'static str, Vec<String>>,
    /// Nodes that were deleted before, while pods are still on them or volumes attached to them.
    pub(crate) deleted: Vec<String>,
    /// Nodes whose size is not in the files.
    pub(crate) of_no_size: Vec<String>,
    /// The nodes that were made up because pods name them and no node was exported.
    pub(crate) made_up: Vec<String>,
    /// Pods of a running cluster that lack a toleration which the admission plugin DefaultTolerationSeconds gives to all.
    pub(crate) unadmitted: usize,
    /// Objects that were there more than once, alike.
    pub(crate) repeated: usize,
    /// Kinds that are not modelled yet, and how many objects of each were left out.
    pub(crate) kinds: BTreeMap<String, usize>,
    /// Fields of pods that are not modelled yet, and how many pods have them.
    pub(crate) pod_fields: BTreeMap<String, usize>,
    /// Fields of Jobs that are not modelled, and the Jobs that have them.
    pub(crate) job_fields: BTreeMap<&'static str, Vec<String>>,
    /// Workloads, and pods without one, with volumes that outlive a pod and are not simulated.
    pub(crate) volumes: BTreeSet<String>,
    /// Those with claims of which nothing is known.
    pub(crate) assumed_volumes: BTreeSet<String>,
    /// Pods have claims, and no volume is in the files.
    pub(crate) lack_volumes: bool,
    /// Claims that were not imported, or not all of them, by what is to be said of them.
    pub(crate) claims: BTreeMap<&'static str, BTreeSet<String>>,
    /// What was not taken of devices and of readiness rules: objects with their places, by their kind and by what is to
    /// be said of them.
    pub(crate) named: BTreeMap<(&'static str, String), Vec<String>>,
    /// How many nodes have taints of the node readiness controller, where none of its rules is in the files.
    pub(crate) lack_rules: usize,
    /// How many ResourceSlices there are.
    pub(crate) slices: usize,
    /// Types of node conditions that are not modelled, and how many nodes have them.
    pub(crate) conditions: BTreeMap<String, usize>,
    /// Leases in `kube-node-lease` of nodes that are not in the files.
    pub(crate) stray_leases: usize,
    /// Flags and feature gates that were taken from the pods of the control plane:
    /// `kube-controller-manager --node-monitor-period=2s`.
    pub(crate) control_plane: Vec<String>,
    /// How many kubelets' configurations there are, what was taken from them, and what for nodes that have none.
    pub(crate) kubelet_config: (usize, Vec<String>, Option<String>),
    /// Those of them that could not be taken, and why.
    pub(crate) control_plane_wrong: Vec<String>,
    /// Of which releases its control plane and its kubelets are.
    pub(crate) releases: Releases,
}

impl Summary {
    /// The summary, a sentence per line.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Lines(vec![self.head()]);
        let what =
            "an export, taken as `taintsim import` takes it: nothing goes wrong in it by itself";
        lines.add(usize::from(self.as_scenario), what.to_owned());
        self.of_the_control_plane(&mut lines);
        self.of_states(&mut lines);
        self.of_owners(&mut lines);
        self.of_paces(&mut lines);
        self.of_missing_nodes(&mut lines);
        self.of_what_is_left_out(&mut lines);
        lines.0
    }

    fn of_the_control_plane(&self, lines: &mut Lines) {
        lines
            .0
            .extend(self.releases.told().map(|told| told + ", unless --kubernetes says another"));
        let (n, taken) = (self.control_plane.len(), self.control_plane.join(", "));
        lines.add(n, format!("said by the control plane's pods: {taken}"));
        let (n, all, _) = &self.kubelet_config;
        // Another release that is run has its own, as a kubelet does not tell them from what it was given.
        let release = self.releases.taken().unwrap_or_else(|| KUBERNETES.to_owned());
        let defaults = || format!("nothing but defaults of {release}");
        let said = if all.is_empty() { defaults() } else { all.join(", ") };
        lines.add(*n, format!("said by the configuration of {}: {said}", counted(*n, "kubelet")));
        lines.0.extend(self.control_plane_wrong.iter().cloned());
    }

    fn of_states(&self, lines: &mut Lines) {
        let what = if self.by_posts { "status posted" } else { "lease renewed" };
        let silent = format!("silent (no {what} in time, or Ready is Unknown or was never posted)");
        lines.listed("node", &self.cut_off, &format!("{silent}, cut off from the start"));
        let (n, names) = (self.unnoticed.len(), some(&self.unnoticed));
        let is = if n == 1 { "is" } else { "are" };
        lines.add(n, format!("of these {} {is} not Unknown yet: {names}", counted(n, "node")));
        let alone = "without a lease in the files, as others have one, taken to be alive";
        lines.listed("node", &self.leaseless, alone);
        let ahead = match self.ahead_of_most {
            false => {
                "with a clock more than 15 s ahead of the control plane's, taken to have renewed its lease at time zero"
            }
            true => {
                "with a clock ahead of nearly all others', by which time zero is told as no lease of the control plane's is in the files; taken to be heard of then"
            }
        };
        lines.listed("node", &self.ahead, ahead);
        self.said_by_nodes.iter().for_each(|(what, nodes)| lines.listed("node", nodes, what));
        lines.0.extend(self.of_zero());
        let none = "no node leases in the files: a node that is silent but not Unknown yet is taken to be alive (add `leases` to the kubectl command)";
        lines.0.extend(self.lacks_leases().then(|| none.to_owned()));
        let unposted =
            "without a status for more than 7m30s and not Unknown, the lease taken to be renewed";
        lines.listed("node", &self.unposted, unposted);
        lines.add(self.nodes, self.leader.told());
        if let Some(at) = self.passed.map(Stamp::to_rfc3339) {
            let text = format!("its passes over the nodes are reckoned from an event of {at}");
            lines.add(self.nodes, text);
        }
        lines.counted("pod", self.terminating, "Terminating, which end where a kubelet ends them");
        let stuck = "held by a finalizer, Terminating past its grace period, or without its image, taken to stay so";
        lines.listed("pod", &self.stuck, stuck);
        lines.listed("pod", &self.unbound, "bound to no node, left to the scheduler");
    }

    /// What is assumed of time zero, where not every time in the files says the same.
    fn of_zero(&self) -> Option<String> {
        match (self.unheeded, self.zero_is) {
            (Some(at), _) => Some(format!(
                "the clock by which a taint or a node's silence was written at {} is ahead: if it were right, all nodes would be silent by then",
                at.to_rfc3339()
            )),
            (None, Zero::Written) => Some("the export was made when controllers last wrote of a taint or of a silent node, as no node was heard of later".to_owned()),
            _ => None,
        }
    }

    /// Whether it is not known of nodes when they were last heard of.
    fn lacks_leases(&self) -> bool {
        self.leases == 0 && !self.by_posts && self.nodes > self.made_up.len()
    }

    /// How long pods take, where that is known.
    fn of_paces(&self, lines: &mut Lines) {
        for (what, of) in ["start", "stop"].into_iter().zip(&self.paces) {
            lines.of_workloads(&format!("pods' time to {what}, by conditions and events"), of);
        }
        lines.0.extend(self.images_listed.clone());
        lines.of_workloads("containers end by themselves, by their statuses", &self.ends);
        let looping = "in a crash loop, where each container ends as the last one did";
        lines.listed("pod", &self.looping, looping);
        lines.listed("pod", &self.unserved, UNSERVED);
        let mut assumed = |what: &str, of: &[String]| {
            let text = format!("assumed by a run, as the files lack it: pods' time to {what}");
            // Where it is run at once, the run's notes say it beside the figures.
            lines.of_workloads(&text, if self.as_scenario { &[] } else { of });
        };
        match &self.unknown_paces {
            [starts, stops] if starts == stops => assumed("start and to stop", starts),
            [starts, stops] => {
                assumed("start", starts);
                assumed("stop", stops);
            }
        }
    }

    /// Workloads that are missing or over, and pods that lack what admission adds.
    fn of_owners(&self, lines: &mut Lines) {
        let what = "without an owner, taken for those of the workloads whose selectors match them, whose controllers would adopt them";
        lines.counted("pod", self.adopted, what);
        lines.counted(
            "pod",
            self.ownerless,
            "whose owners are not in the files, so that nothing replaces them \
             (add `deployments,replicasets,statefulsets,daemonsets,jobs` to the kubectl command)",
        );
        let (foreign, kinds) = self.of_foreign_owners();
        let what =
            format!("whose owners are not simulated, so that nothing replaces them: {kinds}");
        lines.counted("pod", foreign, &what);
        let text = format!(
            "not in the files, made from the template of the Deployment that its name tells of, for the pods that name it (add `replicasets` to the kubectl command): {}",
            some(&self.made_sets)
        );
        lines.counted("ReplicaSet", self.made_sets.len(), &text);
        lines.listed(
            "workload",
            &self.podless,
            "whose pods are not in the files, made anew when a run begins, on nodes that the scheduler chooses then (add `pods,replicasets` to the kubectl command)",
        );
        let over = counts(&self.over);
        lines.add(self.over.len(), format!("no controller here acts on them, left out: {over}"));
        lines.counted(
            "pod",
            self.unadmitted,
            "without a toleration for not-ready or unreachable, as if the API server ran without DefaultTolerationSeconds; \
             a run adds 300 s, unless its flags disable that plugin",
        );
    }

    fn of_missing_nodes(&self, lines: &mut Lines) {
        let lost = "whose node is not in the files, left out (give all nodes, and `leases`, which tell of a node that it was deleted)";
        lines.listed("pod", &self.orphans, lost);
        lines.listed("node", &self.deleted, DELETED);
        let (n, names) = (self.made_up.len(), some(&self.made_up));
        let are = match n {
            1 => "node that pods name is".to_owned(),
            n => format!("{} that pods name are", counted(n, "node")),
        };
        let text = format!("no nodes in the files: the {are} taken to be Ready, {UNKNOWN_NODES}");
        lines.add(n, format!("{text} (add `nodes` to the kubectl command): {names}"));
        lines.add(
            usize::from(self.nodes == 0),
            "no nodes in the files, and no pod that names one, so that all pods stay Pending: write `nodes: [(names: \"node-{0..2}\")]` into \
             the scenario, or add `nodes` to the kubectl command"
                .to_owned(),
        );
    }

    /// How many pods have owners that are not simulated, and of which kinds these are: `StrimziPodSet (9)`.
    fn of_foreign_owners(&self) -> (usize, String) {
        let kinds = self.foreign.iter().map(|(kind, n)| format!("{kind} ({n})"));
        (self.foreign.values().sum(), some(&kinds.collect::<Vec<_>>()))
    }

    /// Notes of whom nothing is known of volumes, or nothing of what a claim is bound to.
    pub(super) fn note_volumes(&mut self, template: &PodTemplate, name: String) {
        if template.volumes.iter().any(|v| v.assumed) {
            self.assumed_volumes.insert(name.clone());
        }
        if template.persistent_volumes {
            self.volumes.insert(name);
        }
    }

    /// What stands beside the figures of a run: what the export has and a run has not, and what a run
    /// takes to be so as the export does not say it.
    pub(crate) fn notes(&self) -> Vec<String> {
        let acting = self.not_simulated();
        let acting = acting.map(|what| format!("Not simulated: {what}, which the export has."));
        let of_export = |n: usize, noun: &str, before: &str, behind: &str| {
            (n > 0).then(|| format!("The export: {before}{}{behind}", counted(n, noun)))
        };
        let podless = " are not in it: they are made when the run begins, on nodes that the scheduler chooses then, and not where they are.";
        let (foreign, kinds) = self.of_foreign_owners();
        let foreign_owners = format!(" here, as their owners are not simulated: {kinds}.");
        let nothing = " are not in it, so that nothing replaces them here.";
        let rules =
            "the rules of the node readiness controller are not in it, so that its taints stay: ";
        let looping = "in a crash loop, which no toleration ends, and whose back-off begins at 10 s again here: ";
        let loops = format!(", {}.", some(&self.looping));
        let unserved = format!(" {UNSERVED}: {}.", some(&self.unserved));
        let made_up = format!(
            "no nodes are in it. Those that pods name are taken to be Ready, {UNKNOWN_NODES}: "
        );
        let paces = pace::notes(&self.paces, &self.unknown_paces);
        let leaseless =
            format!(", unlike of others; taken to be alive: {}.", some(&self.leaseless));
        let overdue = format!(
            " silent for more than 5m and not Unknown yet ({}): a clock that is behind, or no node lifecycle controller that runs. In the first case nothing of what is told of them here comes, in the second nothing of anything while none does.",
            some(&self.overdue)
        );
        // `tryUpdateNodeHealth`: a controller heeds a lease that is renewed, however old the status is.
        let unposted = match &self.unposted[..] {
            [] => String::new(),
            all => format!(
                " Without a status for more than 7m30s (a kubelet posts one every 5m) are {}: a node lifecycle controller that runs has left them so as their leases were renewed; where none runs, they may be lost.",
                some(all)
            ),
        };
        let deleted = format!(" {DELETED}: {}.", some(&self.deleted));
        let gone = self.claims.get(GONE).into_iter().flatten();
        let gone_claims = format!(" {GONE}: {}.", some(gone.clone()));
        let patient = self.control_plane.iter().any(|f| f.contains("node-monitor-grace-period"));
        let notes = [
            of_export(if patient { 0 } else { self.overdue.len() }, "node", "", &overdue),
            self.of_zero().map(|text| format!("Assumed: {text}.")),
            matches!(self.leader, Leader::Silent(Some(_)))
                .then(|| format!("The export: {}.", self.leader.told())),
            acting,
            of_export(self.ownerless, "pod", "the owners of ", nothing),
            of_export(foreign, "pod", "nothing replaces ", &foreign_owners),
            of_export(self.podless.len(), "workload", "the pods of ", podless),
            self.lacks_leases().then(|| {
                format!("Assumed: nodes that are Ready are alive, as no leases of theirs are in the export: one that fell silent is not seen.{unposted}")
            }),
            self.releases.of_others(),
            self.kubelet_config.2.as_ref().map(|assumed| format!("Assumed: {assumed}.")),
            of_export(self.leaseless.len(), "node", "no lease is in it of ", &leaseless),
            of_export(self.made_up.len(), "node", &made_up, "."),
            of_export(self.orphans.len(), "pod", "left out, as their nodes are not in it: ", "."),
            of_export(self.deleted.len(), "node", "", &deleted),
            of_export(gone.count(), "claim", "", &gone_claims),
            of_export(self.lack_rules, "node", rules, "."),
            of_export(self.looping.len(), "pod", looping, &loops),
            of_export(self.unserved.len(), "pod", "", &unserved),
        ];
        let of_nodes = self.said_by_nodes.iter();
        let of_nodes = of_nodes.filter_map(|(what, nodes)| {
            of_export(nodes.len(), "node", "", &format!(" {what}: {}.", some(nodes)))
        });
        notes.into_iter().flatten().chain(of_nodes).chain(paces).collect()
    }

    /// What the export has that changes what becomes of pods, and that no figure of it knows.
    fn not_simulated(&self) -> Option<String> {
        let mut kinds = self.kinds.clone();
        kinds.retain(|kind, _| ACTING.contains(&kind.as_str()));
        let kinds = (!kinds.is_empty()).then(|| counts(&kinds));
        let fields = [("resourceClaims", "the claims on devices"), ("finalizers", "finalizers")];
        let held = fields.into_iter().filter_map(|(field, what)| {
            Some(format!("{what} of {}", counted(*self.pod_fields.get(field)?, "pod")))
        });
        let rules = self.named.iter().filter(|((kind, _), _)| *kind == RULE);
        let rules = rules.map(|(_, rules)| rules.len()).sum::<usize>();
        let rules = (rules > 0).then(|| counted(rules, RULE));
        let jobs = self.job_fields.iter().map(|(field, jobs)| format!("{field} of {}", some(jobs)));
        let said: Vec<String> = kinds.into_iter().chain(rules).chain(held).chain(jobs).collect();
        (!said.is_empty()).then(|| said.join(", "))
    }

    fn of_what_is_left_out(&self, lines: &mut Lines) {
        let mut kinds = self.kinds.clone();
        kinds.retain(|kind, _| !TAKEN.contains(&kind.as_str()));
        lines.add(kinds.len(), format!("not modelled yet, left out: {}", counts(&kinds)));
        let fields = tally(&self.pod_fields);
        let text = format!("not modelled yet, left out of pods: {fields}");
        lines.add(self.pod_fields.len(), text);
        for (field, jobs) in &self.job_fields {
            lines.listed("Job", jobs, &format!("with {field}, which is not modelled"));
        }
        let unsaid = self.pod_fields.get("resourceClaims").filter(|_| self.slices == 0);
        let unread = "as ResourceSlices are read in v1, v1beta1 and v1beta2 (`kubectl get resourceslices.v1beta1.resource.k8s.io`, where the cluster has it)";
        let without = match self.kinds.contains_key("ResourceSlice") {
            true => unread.to_owned(),
            false => format!("without ResourceSlices (add `{DEVICES}` to the kubectl command)"),
        };
        let without = format!("with claims on devices, of which nothing is simulated {without}");
        lines.counted("pod", unsaid.copied().unwrap_or(0), &without);
        let advice = " (add `pv,pvc,storageclasses,csidrivers` to the kubectl command)";
        let advice = if self.lack_volumes { advice } else { "" };
        lines.add(self.volumes.len(), format!("not simulated: volumes of {}", some(&self.volumes)));
        let assumed = some(&self.assumed_volumes);
        let text = format!("taken for a cloud's disks: volumes of {assumed}{advice}");
        lines.add(self.assumed_volumes.len(), text);
        for (what, claims) in &self.claims {
            lines.counted("claim", claims.len(), &format!("{what}: {}", some(claims)));
        }
        self.named.iter().for_each(|((kind, what), objects)| lines.listed(kind, objects, what));
        let stay = format!(
            "with taints of the node readiness controller, which stay, as its rules are not in the files (add `{READINESS}` to the kubectl command)"
        );
        lines.counted("node", self.lack_rules, &stay);
        let text = format!("not modelled, left out of nodes: {}", tally(&self.conditions));
        lines.add(self.conditions.len(), text);
        lines.counted("node lease", self.stray_leases, "whose node is not in the files, left out");
        let repeated = "in the files more than once, alike, and taken once";
        lines.counted("object", self.repeated, repeated);
    }

    fn head(&self) -> String {
        let leases = (self.leases > 0).then_some(("node lease", self.leases));
        let others = self.workloads.iter().map(|(kind, n)| (kind.as_str(), *n)).chain(leases);
        let others: String = others.map(|(kind, n)| format!(", {}", counted(n, kind))).collect();
        let zero = |t: Stamp| format!("; {}, {}", self.zero_is.told(), t.to_rfc3339());
        let zero = self.time_zero.map_or(String::new(), zero);
        format!(
            "{}, {}{others} from {}{zero}",
            counted(self.nodes, "node"),
            counted(self.pods, "pod"),
            self.files.join(", ")
        )
    }

    /// What there is where there are neither nodes nor pods: `85 Events`, `no object at all`.
    pub(super) fn instead(&self) -> String {
        let all = self.workloads.iter().chain(&self.over).chain(&self.kinds);
        let leases = (self.stray_leases > 0).then(|| counted(self.stray_leases, "node lease"));
        let found: Vec<String> = all.map(|(kind, n)| counted(*n, kind)).chain(leases).collect();
        if found.is_empty() { "no object at all".to_owned() } else { found.join(", ") }
    }
}
