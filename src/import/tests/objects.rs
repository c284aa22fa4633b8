//! Single objects and documents in all the forms in which they come.

use super::{error, good, node, pod};
use crate::api::pod::PodSource;
use crate::import::{Asked, Stamp};
use crate::language::{NodeStart, Placement, PodStart, Scenario, Tree};

const NODE: &str = r#"{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},"status":{"conditions":[
  {"type":"Ready","status":"True","lastHeartbeatTime":"2026-01-01T00:00:00Z","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}"#;
const POD: &str = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"a"},"spec":{"nodeName":"n1"},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}"#;

#[test]
fn documents_come_in_many_forms() {
    let yaml = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: a}\nspec: {nodeName: n1}\nstatus: {phase: Running, conditions: [{type: Ready, status: \"True\"}]}\n";
    for text in [
        format!("{{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[{NODE},{POD}]}}"),
        format!("{{\"items\":[{POD},{NODE}],\"kind\":\"List\",\"apiVersion\":\"v1\"}}"),
        format!("{NODE}{POD}"),
        format!("{NODE}\n{POD}\n"),
        format!("---\n{NODE}\n---\n{POD}\n...\n"),
        format!("{NODE}\n---\n# a comment\n---\n{yaml}"),
        format!("{yaml}--- # the node\n{NODE}"),
        format!("%YAML 1.2\n---\n{yaml}...\n---\n{NODE}\n"),
        format!("{yaml}---\r\n{NODE}\r\n"),
        // A list in a list.
        format!(
            "{{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[{{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[{NODE}]}},{POD}]}}"
        ),
        format!("\u{feff}{NODE}{POD}"),
    ] {
        let cluster = good(&text);
        assert_eq!((cluster.summary.nodes, cluster.summary.pods), (1, 1), "{text}");
        assert_eq!(pod(&cluster, "a", "p").on, Placement::Node("n1".to_owned()), "{text}");
    }
}

/// `kubectl get --raw` prints typed lists, whose items have no kind; other tools sort fields in
/// other ways.
#[test]
fn kinds_come_from_the_list_and_in_any_order() {
    let bare_node = NODE.replace(r#""apiVersion":"v1","kind":"Node","#, "");
    let late_pod = POD
        .replace(r#""apiVersion":"v1","kind":"Pod","#, "")
        .replace("}]}}", r#"}]},"kind":"Pod","apiVersion":"v1"}"#);
    for text in [
        format!(
            "{{\"kind\":\"NodeList\",\"apiVersion\":\"v1\",\"metadata\":{{}},\"items\":[{bare_node}]}}{late_pod}"
        ),
        format!("{{\"items\":[{bare_node}],\"kind\":\"NodeList\",\"apiVersion\":\"v1\"}}{POD}"),
    ] {
        let cluster = good(&text);
        assert!(node(&cluster, "n1").start.is_none(), "Ready was read");
        assert!(pod(&cluster, "a", "p").start.is_none(), "phase and Ready were read");
    }
}

#[test]
fn kinds_of_other_groups_are_not_taken_for_nodes() {
    let text = format!(
        "{NODE}{{\"apiVersion\":\"longhorn.io/v1beta2\",\"kind\":\"Node\",\"metadata\":{{\"name\":\"n1\"}},\"spec\":{{\"taints\":3}}}}\
         {{\"apiVersion\":\"metrics.k8s.io/v1beta1\",\"kind\":\"NodeMetrics\",\"metadata\":{{\"name\":\"n1\"}}}}\
         {{\"apiVersion\":\"example.com/v1\",\"kind\":\"AllowList\",\"metadata\":{{\"name\":\"x\"}},\"spec\":{{\"items\":[3]}}}}"
    );
    let cluster = good(&text);
    assert_eq!(cluster.summary.nodes, 1);
    assert!(
        cluster
            .summary
            .lines()
            .contains(&"not modelled yet, left out: 1 AllowList, 1 Node, 1 NodeMetrics".to_owned())
    );
}

#[test]
fn null_and_missing_fields_are_the_same() {
    let cluster = good(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: null, annotations: null, ownerReferences: null, creationTimestamp: null}\n\
         spec: {containers: null, tolerations: null, nodeSelector: null, nodeName: \"\", priority: null, affinity: {}, volumes: [{name: v, emptyDir: {}}]}\nstatus: null\n",
    );
    let p = pod(&cluster, "default", "p");
    assert_eq!((&p.on, &p.start), (&Placement::Unbound, &None));
    assert!(cluster.summary.pod_fields.is_empty(), "an empty affinity is none");
}

/// A sick node: pressure, a stale lease, no lease while others have theirs, a NoExecute taint. None
/// of them is cut off.
#[test]
fn nodes_that_are_not_plainly_healthy() {
    let condition = |kind: &str, status: &str| {
        format!(
            "{{type: {kind}, status: \"{status}\", lastHeartbeatTime: \"2026-01-01T00:00:00Z\", lastTransitionTime: \"2025-01-01T00:00:00Z\"}}"
        )
    };
    let node_of = |name: &str, more: &str, spec: &str| {
        format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: {name}}}\nspec: {spec}\nstatus: {{conditions: [{}{more}]}}\n---\n",
            condition("Ready", "True")
        )
    };
    let lease = |name: &str, at: &str| {
        format!(
            "apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {{name: {name}, namespace: kube-node-lease}}\nspec: {{renewTime: \"2026-01-01T00:{at}Z\"}}\n---\n"
        )
    };
    let text = [
        node_of("fine", &format!(", {}", condition("MemoryPressure", "False")), "{}"),
        node_of("pressed", &format!(", {}", condition("MemoryPressure", "True")), "{}"),
        node_of("stale", "", "{}"),
        node_of("leaseless", "", "{}"),
        node_of("evicting", "", "{taints: [{key: k, effect: NoExecute}]}"),
        node_of("detected", &format!(", {}", condition("KernelDeadlock", "False")), "{}"),
        lease("fine", "01:00.000000"),
        lease("pressed", "00:59.500000"),
        // 40 s after this the node is due to be found missing, and time zero is 40.000001 s later.
        lease("stale", "00:44.999999"),
        lease("evicting", "00:55.000000"),
        lease("detected", "00:45.000000"),
        lease("gone", "01:30.000000"),
    ]
    .concat();
    let cluster = good(&text);
    assert_eq!(
        cluster.summary.time_zero.unwrap().to_rfc3339(),
        "2026-01-01T00:01:00Z",
        "the lease of a node that is not there does not count"
    );
    let start = |name: &str| node(&cluster, name).start.clone();
    assert_eq!(start("fine"), None);
    assert_eq!(start("detected"), None, "15 s old is still fresh");
    for (name, renewed, silent) in [
        ("pressed", Some("-0.5s"), false),
        ("stale", Some("-15.000001s"), true),
        ("leaseless", None, false),
        ("evicting", Some("-5s"), false),
    ] {
        let Some(NodeStart::Imported { renew_time, cut_off, .. }) = start(name) else {
            panic!("{name}")
        };
        assert_eq!((renew_time.as_deref(), cut_off), (renewed, silent), "{name}");
    }
    let lines = cluster.summary.lines();
    assert!(
        lines.contains(&"not modelled, left out of nodes: KernelDeadlock (1)".to_owned()),
        "{lines:?}"
    );
    assert!(
        lines.contains(&"1 node lease whose node is not in the files, left out".to_owned()),
        "{lines:?}"
    );
}

/// Controllers adopt what their selectors match, a StatefulSet's only pods of its name, and a Deployment
/// ReplicaSets; what is being deleted, and what has an owner, they leave alone.
#[test]
fn orphans_are_adopted() {
    let workload = |kind: &str, name: &str, app: &str| {
        format!(
            "apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: {name}, labels: {{app: {app}}}}}\nspec: {{replicas: 1, selector: {{matchLabels: {{app: {app}}}}}, template: {{metadata: {{labels: {{app: {app}}}}}}}}}\n---\n"
        )
    };
    let pod = |name: &str, app: &str, more: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, labels: {{app: {app}}}{more}}}\nspec: {{nodeName: n}}\nstatus: {{phase: Running}}\n---\n"
        )
    };
    let text = [
        "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n---\n".to_owned(),
        workload("Deployment", "web", "web"),
        workload("ReplicaSet", "web-1", "web"),
        workload("StatefulSet", "db", "db"),
        pod("web-1-abc", "web", ""),
        pod("web-1-old", "web", ", deletionTimestamp: \"2026-01-01T00:00:00Z\""),
        pod("web-1-mine", "web", ", ownerReferences: [{kind: Node, name: n, controller: true}]"),
        pod("db-0", "db", ""),
        pod("cache-0", "db", ""),
        pod("db-backup", "db", ""),
    ]
    .concat();
    let cluster = good(&text);
    assert_eq!(cluster.summary.adopted, 2, "web-1-abc and db-0");
    let said = cluster.summary.lines().join("\n");
    let line =
        "2 pods without an owner, taken for those of the workloads whose selectors match them";
    assert!(said.contains(line), "{said}");
    let owned = cluster.pods.iter().filter(|p| p.owner.is_some()).map(|p| p.name.as_deref());
    let owned: Vec<Option<&str>> = owned.collect();
    assert!(owned.contains(&Some("web-1-abc")) && owned.contains(&Some("db-0")), "{owned:?}");
    assert!(!owned.contains(&Some("cache-0")) && !owned.contains(&Some("db-backup")), "{owned:?}");
}

/// A Deployment says that it has pods. With none in the files a run makes them anew, which every result says; with one
/// of its ReplicaSet's it does not. Nor are there leases, without which nobody knows who is silent.
#[test]
fn pods_and_leases_that_are_not_in_the_files_are_told() {
    let workload = |kind: &str, name: &str, owner: &str| {
        format!(
            "apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: {name}, namespace: shop{owner}}}\nspec: {{replicas: 2, selector: {{matchLabels: {{app: web}}}}, template: {{metadata: {{labels: {{app: web}}}}}}}}\nstatus: {{replicas: 2}}\n---\n"
        )
    };
    let owner = |kind: &str, name: &str| {
        format!(", ownerReferences: [{{kind: {kind}, name: {name}, controller: true}}]")
    };
    let text = [
        "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n---\n".to_owned(),
        workload("Deployment", "web", ""),
        workload("ReplicaSet", "web-1", &owner("Deployment", "web")),
    ]
    .concat();
    let pod = format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: web-1-a, namespace: shop, labels: {{app: web}}{}}}\nspec: {{nodeName: n}}\nstatus: {{phase: Running}}\n",
        owner("ReplicaSet", "web-1")
    );
    let told = |text: &str| {
        let summary = good(text).summary;
        (summary.lines().join("\n"), summary.notes().join("\n"))
    };
    let (lines, notes) = told(&text);
    assert!(lines.contains("1 workload whose pods are not in the files"), "{lines}");
    assert!(lines.contains("(add `pods,replicasets` to the kubectl command): shop/web"), "{lines}");
    assert!(notes.contains("The export: the pods of 1 workload are not in it"), "{notes}");
    let leases = "Assumed: nodes that are Ready are alive, as no leases";
    assert!(notes.contains(leases), "{notes}");
    let (lines, notes) = told(&(text + &pod));
    assert!(!lines.contains("whose pods are not") && !notes.contains("the pods of"), "{notes}");
}

/// Without a lease of the control plane's, one clock that is an hour ahead of four others is not believed: of these
/// none is silent, and time zero is their newest lease. It is said, and so is what is taken for that node.
#[test]
fn a_clock_that_is_ahead_silences_nobody() {
    let one = |name: &str, at: &str| {
        format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: {name}}}\nspec: {{}}\nstatus: {{conditions: [{{type: Ready, status: \"True\", lastHeartbeatTime: \"2026-01-01T{at}Z\"}}]}}\n---\napiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {{name: {name}, namespace: kube-node-lease}}\nspec: {{renewTime: \"2026-01-01T{at}.000000Z\"}}\n---\n"
        )
    };
    let at = [("a", "12:00:00"), ("b", "12:00:03"), ("c", "12:00:05"), ("d", "12:00:09")];
    let mut text: String = at.map(|(name, at)| one(name, at)).concat();
    text.push_str(&one("early", "13:00:02"));
    let cluster = good(&text);
    assert_eq!(cluster.summary.time_zero.unwrap().to_rfc3339(), "2026-01-01T12:00:09Z");
    assert!(cluster.summary.cut_off.is_empty(), "{:?}", cluster.summary.cut_off);
    let said = cluster.summary.lines().join("\n");
    let line = "1 node with a clock ahead of nearly all others', by which time zero is told as no lease of the control plane's is in the files; taken to be heard of then: early";
    assert!(said.contains(line), "{said}");
}

#[test]
fn a_node_that_never_posted_is_cut_off() {
    let cluster = good(&format!(
        "{NODE}\n---\napiVersion: v1\nkind: Node\nmetadata: {{name: new}}\nstatus: {{nodeInfo: {{kubeletVersion: v1.33.1-eks-1}}}}\n"
    ));
    assert_eq!(cluster.summary.cut_off, ["new"]);
    assert!(matches!(node(&cluster, "new").start, Some(NodeStart::Imported { cut_off: true, .. })));
    assert!(
        cluster.to_scenario().contains("    kubernetes: \"1.33\",\n"),
        "{}",
        cluster.to_scenario()
    );
    // What is asked for takes its place.
    let asked = Asked { kubernetes: Some("1.31".to_owned()), timing: Some("Ideal"), seed: Some(7) };
    let text = cluster.written("", Stamp(0), "1m", ("", &asked));
    for line in ["kubernetes: \"1.31\"", "timing: Ideal", "seed: 7"] {
        assert!(text.contains(&format!("    {line},\n")), "{text}");
    }
    assert!(!text.contains("1.33\"") && Tree::read(&text).is_ok(), "{text}");
}

#[test]
fn static_pods() {
    let mirror = |name: &str, source: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n  annotations: {{kubernetes.io/config.mirror: abc, kubernetes.io/config.source: {source}, x: y}}\n\
             spec: {{nodeName: n1, tolerations: [{{operator: Exists, effect: NoExecute}}]}}\nstatus: {{phase: Running}}\n---\n"
        )
    };
    let cluster =
        good(&[mirror("etcd-n1", "file"), mirror("web-n1", "http"), NODE.to_owned()].concat());
    let (file, url) = (pod(&cluster, "default", "etcd-n1"), pod(&cluster, "default", "web-n1"));
    assert_eq!((file.static_pod, url.static_pod), (Some(PodSource::File), Some(PodSource::Url)));
    assert_eq!(file.tolerations, [], "the scenario adds what the kubelet adds");
    assert_eq!(url.tolerations.len(), 1);
    assert!(error(&mirror("p", "floppy")).contains("kubernetes.io/config.source is \"floppy\""));
}

/// The annotation is a number as Go writes it; anything else counts as nothing.
#[test]
fn deletion_costs() {
    let costing = |name: &str, cost: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, annotations: {{controller.kubernetes.io/pod-deletion-cost: \"{cost}\"}}}}\nspec: {{}}\n---\n"
        )
    };
    let texts = ["100", "-7", "0", "+10", "008", "much", "2147483648", ""];
    let cluster = good(
        &texts
            .iter()
            .enumerate()
            .map(|(i, cost)| costing(&format!("p{i}"), cost))
            .collect::<String>(),
    );
    let costs: Vec<Option<i32>> = (0..texts.len())
        .map(|i| pod(&cluster, "default", &format!("p{i}")).pod_deletion_cost)
        .collect();
    assert_eq!(costs, [Some(100), Some(-7), None, None, None, None, None, None]);
}

/// Pods that are starting, ended or being deleted keep what they are; a deletion without a grace
/// period has its own.
#[test]
fn pods_in_other_states() {
    let pod_of = |name: &str, meta: &str, status: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}{meta}}}\nspec: {{nodeName: n1, terminationGracePeriodSeconds: 60}}\nstatus: {{{status}}}\n---\n"
        )
    };
    let cluster = good(
        &[
            NODE.to_owned() + "\n---\n",
            pod_of("starting", "", "phase: Pending"),
            pod_of("failed", "", "phase: Failed"),
            pod_of(
                "unready",
                "",
                "phase: Running, conditions: [{type: Ready, status: \"False\", lastTransitionTime: \"2025-12-31T23:59:50Z\"}]",
            ),
            pod_of("going", ", deletionTimestamp: \"2026-01-01T00:00:05Z\"", "phase: Running"),
        ]
        .concat(),
    );
    assert_eq!(pod(&cluster, "default", "starting").start, Some(PodStart::Pending));
    for name in ["failed", "unready", "going"] {
        assert!(
            matches!(pod(&cluster, "default", name).start, Some(PodStart::Imported { .. })),
            "{name}"
        );
    }
    let Some(PodStart::Imported { deletion: Some(deletion), .. }) =
        &pod(&cluster, "default", "going").start
    else {
        panic!()
    };
    assert_eq!((&*deletion.timestamp, deletion.grace_period_seconds), ("5s", 60));
    assert_eq!(cluster.summary.terminating, 1);
}

#[test]
fn pods_of_nodes_that_are_not_there_are_left_out() {
    let cluster = good(&(NODE.to_owned() + &POD.replace("n1", "gone")));
    assert_eq!(cluster.pods, []);
    assert_eq!(cluster.summary.orphans, ["a/p"]);
    let cluster = good(&POD.replace("n1", "gone"));
    assert_eq!(
        (cluster.summary.made_up.as_slice(), cluster.summary.pods),
        (&["gone".to_owned()][..], 1)
    );
}

/// Every pod of a cluster with DefaultTolerationSeconds tolerates both taints for some time, or for
/// ever.
#[test]
fn pods_that_were_not_admitted_by_default_are_counted() {
    let pod_of = |name: &str, tolerations: &str| {
        POD.replace("\"p\"", &format!("\"{name}\""))
            .replace("\"nodeName\"", &format!("\"tolerations\":[{tolerations}],\"nodeName\""))
    };
    let both = "{\"key\":\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\"},{\"key\":\"node.kubernetes.io/unreachable\",\"operator\":\"Exists\",\"effect\":\"NoExecute\"}";
    let one = "{\"key\":\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\"}";
    let cluster = good(
        &[
            NODE,
            &pod_of("both", both),
            &pod_of("all", "{\"operator\":\"Exists\"}"),
            &pod_of("one", one),
            &pod_of("none", ""),
        ]
        .concat(),
    );
    assert_eq!(cluster.summary.unadmitted, 2);
    assert!(
        cluster.to_scenario().contains("// flags: (kube-apiserver: {\"disable-admission-plugins\"")
    );
    assert_eq!(super::exports(&["healthy-all.json.gz"]).summary.unadmitted, 0);
    assert_eq!(super::exports(&["manifest-multidoc.yaml.gz"]).summary.unadmitted, 0, "never sent");
}

/// `extractNSTolerations`: no annotation is nothing said, one without a value an empty list.
#[test]
fn namespaces_keep_what_they_say_of_tolerations() {
    let namespace = |name: &str, annotations: &str| {
        format!(
            "{{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{{\"name\":\"{name}\",\"annotations\":{{{annotations}}}}}}}"
        )
    };
    let list = r#"[{\"key\":\"team\",\"operator\":\"Exists\"}]"#;
    let a =
        format!("\"scheduler.alpha.kubernetes.io/defaultTolerations\":\"{list}\",\"other\":\"x\"");
    let b = "\"scheduler.alpha.kubernetes.io/tolerationsWhitelist\":\"\"";
    let text = format!(
        "{NODE}{}{}{}",
        namespace("a", &a),
        namespace("b", b),
        namespace("c", "\"x\":\"y\"")
    );
    let cluster = good(&text);
    let said: Vec<_> = cluster
        .namespaces
        .iter()
        .map(|n| (n.name.as_deref(), &n.default_tolerations, &n.tolerations_whitelist))
        .collect();
    assert_eq!(
        (said[0].0, said[0].1.as_ref().map(Vec::len), said[0].2),
        (Some("a"), Some(1), &None)
    );
    assert_eq!(said[1..], [(Some("b"), &None, &Some(Vec::new()))]);
    assert_eq!(
        (cluster.summary.workloads["Namespace"], cluster.summary.kinds["Namespace"]),
        (2, 1)
    );
    let back: Scenario = Tree::read(&cluster.to_scenario()).and_then(|t| t.typed()).unwrap();
    assert_eq!(back.namespaces, cluster.namespaces);
    let e = error(&namespace(
        "a",
        "\"scheduler.alpha.kubernetes.io/tolerationsWhitelist\":\"nonsense\"",
    ));
    assert!(e.contains("the annotation scheduler.alpha.kubernetes.io/tolerationsWhitelist is no list of tolerations"), "{e}");
}

/// What ends a Job or rules its replacements and is not modelled is told with the Jobs' names, in the summary and beside
/// every result; of a finished Job nothing is. One that another controller manages is no business of the Job controller
/// and not imported, while upstream's own name says nothing. The finalizer that Jobs' pods have is modelled; another is not.
#[test]
fn what_ends_a_job_and_is_not_modelled_is_told() {
    let job = |name: &str, fields: &str, status: &str| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}}}\nspec: {{{fields}selector: {{matchLabels: {{job: {name}}}}}, template: {{metadata: {{labels: {{job: {name}}}}}}}}}\nstatus: {{{status}}}\n---\n"
        )
    };
    let pod = |name: &str, finalizer: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, finalizers: [{finalizer}]}}\nspec: {{nodeName: n}}\nstatus: {{phase: Running}}\n---\n"
        )
    };
    let text = [
        "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n---\n".to_owned(),
        job(
            "deadline",
            "activeDeadlineSeconds: 600, managedBy: kubernetes.io/job-controller, ",
            "",
        ),
        job(
            "indexed",
            "completionMode: Indexed, backoffLimitPerIndex: 0, maxFailedIndexes: 1, ",
            "",
        ),
        job(
            "success",
            "completionMode: Indexed, successPolicy: {rules: [{succeededCount: 1}]}, ",
            "",
        ),
        job("foreign", "managedBy: example.com/queue, ", ""),
        job(
            "done",
            "activeDeadlineSeconds: 5, ",
            "conditions: [{type: Complete, status: \"True\"}]",
        ),
        pod("of-job", "batch.kubernetes.io/job-tracking"),
    ]
    .concat();
    let cluster = good(&text);
    let jobs: Vec<Option<&str>> =
        cluster.workloads.iter().map(|w| w.group().name.as_deref()).collect();
    assert_eq!(jobs, [Some("deadline"), Some("indexed"), Some("success")]);
    let lines = cluster.summary.lines().join("\n");
    for line in [
        "no controller here acts on them, left out: 1 externally managed Job, 1 finished Job",
        "1 Job with activeDeadlineSeconds, which is not modelled: default/deadline",
        "1 Job with backoffLimitPerIndex, which is not modelled: default/indexed",
        "2 Jobs with completionMode Indexed, which is not modelled: default/indexed, default/success",
        "1 Job with managedBy, which is not modelled: default/foreign",
        "1 Job with maxFailedIndexes, which is not modelled: default/indexed",
        "1 Job with successPolicy, which is not modelled: default/success",
    ] {
        assert!(lines.contains(line), "{line}:\n{lines}");
    }
    assert!(!lines.contains("finalizers"), "{lines}");
    let note = "Not simulated: activeDeadlineSeconds of default/deadline, backoffLimitPerIndex of default/indexed, \
                completionMode Indexed of default/indexed, default/success, managedBy of default/foreign, \
                maxFailedIndexes of default/indexed, successPolicy of default/success, which the export has.";
    let notes = cluster.summary.notes();
    assert!(notes.iter().any(|n| n == note), "{notes:?}");
    let foreign = good(&(text + &pod("other", "example.com/wait"))).summary.lines().join("\n");
    assert!(foreign.contains("left out of pods: finalizers (1)"), "{foreign}");
}
