//! `explain` of pods and workloads that wait: for a container, for being Ready.

use super::explain::{json, scenario};
use super::{Scratch, unfolded};

/// The registry is out from 2:00 to 12:00, and the pods that come to another node before that wait for their image at 11:00,
/// half a minute of which is not over; those of the dead node are still there. What ends by itself is in back-off, of five
/// minutes by then, nearly always.
#[test]
fn a_workload_tells_why_its_pods_are_not_ready() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "40m",
        timing: Custom(request: "0s", response: "0s", watch: "0s", pass_overhead: "0s"),
        nodes: [(name: "dead", zone: "a"), (name: "spare", zone: "b"), (name: "n", zone: "b", taints: ["own:NoSchedule"])],
        workloads: [
            Deployment(name: "web", replicas: 6, placement: Node("dead"), template: (pod_start: "1s", image: (name: "web:1", pull: "30s"),
                tolerations: [(key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 30)])),
            Deployment(name: "crash", replicas: 1, placement: Node("n"), template: (ends: (after: "5s", exit_code: 1)))],
        timeline: [(at: "1m", name: "die", do: Crash(node: "dead")), (at: "2m", name: "reg", do: RegistryOutage(duration: "10m"))])"#;
    scratch.write("why.ron", text);
    let notes = |args: &[&str]| json(&scratch, &[&["why.ron"], args].concat())["notes"].to_string();
    let then = notes(&["deployment/web", "--at", "11m"]);
    for said in [
        "6 of its pods are not Ready at 11:00.000: the image could not be pulled (ImagePullBackOff)",
        "6 of its pods are Terminating at 11:00.000",
    ] {
        assert!(then.contains(said), "{said}: {then}");
    }
    assert!(!then.contains("at the end"), "{then}");
    let crash = notes(&["deployment/crash"]);
    let said = "1 of its pods is not Ready at the end: the container ended again and again (CrashLoopBackOff)";
    assert!(crash.contains(said), "{crash}");
    // Its startup probe gives up before it serves, by the scenario's own words.
    let queue = json(&scratch, &[&scenario("slow-start.ron"), "deployment/queue"]);
    let said = "the container is killed for a probe again and again (CrashLoopBackOff)";
    assert!(queue["notes"].to_string().contains(said), "{queue}");
}

/// The containers of two pods end at 50 s, on nodes that are cut off since 20 s: what their kubelets cannot say is not why the API
/// has them as not Ready from 70 s on. One node is tainted, and the other has its turn 1,000 s later.
#[test]
fn what_the_api_cannot_know_is_not_why_a_pod_is_not_ready() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "2m", flags: (kube-controller-manager: {"node-eviction-rate": 0.001}),
        nodes: [(names: "n-{1..6}", zone: "a")],
        workloads: [Job(name: "sum", parallelism: 2, completions: 2, placement: Nodes(["n-1", "n-2"]),
            template: (ends: (after: "50s"), restartPolicy: Never))],
        timeline: [(at: "20s", do: Partition(nodes: Nodes(["n-1", "n-2"])))])"#;
    scratch.write("cut.ron", text);
    let verdict =
        |pod: &str| json(&scratch, &["cut.ron", pod, "--at", "100s"])["verdict"].to_string();
    let both = ["default/sum-0", "default/sum-1"].map(verdict);
    assert!(both.iter().all(|said| !said.contains("has ended")), "{both:?}");
    let waits =
        "was not Ready and waited for its NoExecute taint, which it did not get by 1:40.000";
    assert_eq!(both.iter().filter(|said| said.contains(waits)).count(), 1, "{both:?}");
}

/// Of several containers it is said which one a pod waits for: by its name, one that fails again and again, and by its template
/// an init container that has not ended. The sixth back-off is of five minutes, after 2 + 6 · 10 + 10 + 20 + 40 + 80 + 160 = 372 s.
#[test]
fn a_pod_tells_which_container_it_waits_for() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "10m", nodes: [(name: "n")], workloads: [
        StatefulSet(name: "fails", replicas: 1, template: (ends: (after: "60s"), initContainers: [(name: "mig", ends: (after: "10s", exit_code: 1))])),
        StatefulSet(name: "long", replicas: 1, template: (initContainers: [(name: "mig", ends: (after: "20m"))]))])"#;
    scratch.write("which.ron", text);
    let verdict = |pod: &str| json(&scratch, &["which.ron", pod])["verdict"].to_string();
    let fails = verdict("default/fails-0");
    assert!(fails.contains("as container mig waits 300 s from its end on"), "{fails}");
    let long = verdict("default/long-0");
    let said = "and it waits for init container mig, which has not ended: Pending at 10:00.000";
    assert!(long.contains(said), "{long}");
}

/// At 2:00 the first init container of each pod has ended, and the second runs for five minutes; of the Job's pod the container beside
/// its main one is done after one. Of that which works and ends after 90 s for the first time, the other one has not served yet.
#[test]
fn what_a_pod_waits_for_once_one_of_its_containers_has_ended() {
    let scratch = Scratch::new();
    let inits = r#"initContainers: [(name: "chown", ends: (after: "10s")), (name: "load", ends: (after: "5m"))]"#;
    let text = format!(
        r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "20m",
        nodes: [(name: "n")],
        pods: [(name: "alone", on: Node("n"), start: Pending, {inits}),
            (name: "two", on: Node("n"), start: Pending, serves_after: "9m", startupProbe: (periodSeconds: 10, failureThreshold: 90),
                containers: [(name: "log", ends: (after: "90s"))])],
        workloads: [Deployment(name: "web", replicas: 1, template: ({inits})),
            Job(name: "j", placement: Node("n"), template: (ends: (after: "5m"), restartPolicy: OnFailure, containers: [(name: "up", ends: (after: "1m"))]))])"#
    );
    scratch.write("inits.ron", &text);
    let told = |object: &str, at: &str| {
        unfolded(&scratch.call(&["explain", "inits.ron", object, "--at", at]).stdout)
    };
    for (object, at, said) in [
        ("pod/default/alone", "2m", "and it waits for init container load, which has not ended"),
        ("deployment/web", "2m", "it waits for init container load, which has not ended"),
        (
            "pod/default/j-0",
            "2m",
            "container up has ended with exit code 0, and is not started again",
        ),
        ("pod/default/j-0", "2m", "its container up has ended, with exit code 0"),
        ("job/j", "2m", "container up has ended, and is not started again"),
        ("pod/default/two", "2m", "one of its containers does not serve"),
    ] {
        let told = told(object, at);
        assert!(told.contains(said), "{object}: {told}");
    }
}

/// `chown` runs for 20 s from 1 s on and fails: it is started again at once, and then after back-offs of 10, 20, 40, 80 and 160 s, at
/// 21, 51, 91, 151, 251 and 431 s; the next one is of 300 s. `mesh` starts at 11 s and serves from 131 s on, which its startup probe
/// finds within 5 s; `wait` then runs for a minute.
#[test]
fn of_init_containers_the_one_that_runs_is_waited_for() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "10m", nodes: [(name: "n")], workloads: [
        StatefulSet(name: "bad", replicas: 1, template: (initContainers: [(name: "chown", ends: (after: "20s", exit_code: 1))])),
        StatefulSet(name: "held", replicas: 1, template: (initContainers: [(name: "ok", ends: (after: "10s")),
            (name: "mesh", restartPolicy: Always, serves_after: "2m", startupProbe: (periodSeconds: 5, failureThreshold: 60)),
            (name: "wait", ends: (after: "60s"))]))])"#;
    scratch.write("inits.ron", text);
    for (set, at, said) in [
        ("bad", "25s", "it waits for init container chown, which has not ended"),
        ("bad", "45s", "(CrashLoopBackOff)"),
        ("bad", "55s", "it waits for init container chown, which has not ended"),
        ("held", "5s", "it waits for init container ok, which has not ended"),
        ("held", "1m", "it waits for sidecar mesh, which has not started"),
        ("held", "2m30s", "it waits for init container wait, which has not ended"),
    ] {
        let of = |object: String| json(&scratch, &["inits.ron", &object, "--at", at]);
        let notes = of(format!("statefulset/{set}"))["notes"].to_string();
        assert!(notes.contains(said), "{set} {at}: {notes}");
        let verdict = of(format!("pod/default/{set}-0"))["verdict"].to_string();
        let said = said.trim_matches(['(', ')']);
        assert!(verdict.contains(said), "{set} {at}: {verdict}");
    }
    let run = scratch.call(&["run", "inits.ron"]);
    let said = unfolded(&run.stdout);
    assert!(said.contains("6 times a pod's containers were started anew"), "{said}");
}

/// The image of 30 GiB is the first that goes as more than 80 of 100 GiB are used, and whoever comes later waits two minutes for it.
#[test]
fn who_waits_for_an_image_is_told_that_it_was_deleted() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "30m",
        flags: (kubelet: {"eviction-hard": "imagefs.available<5%", "image-gc-high-threshold": "80", "image-gc-low-threshold": "60"}),
        nodes: [(name: "a", capacity: {"ephemeral-storage": "100Gi"}, usage: {"ephemeral-storage": "20Gi"})],
        pods: [(name: "old", on: Node("a"), image: (name: "old:1", pull: "2m", size: "30Gi")), (name: "mid", on: Node("a"), image: (name: "mid:1", pull: "10s", size: "35Gi"))],
        timeline: [(at: "2m", do: DeletePod(pod: "old")), (at: "20m", do: CreatePod(pod: (name: "again", on: Node("a"), image: (name: "old:1", pull: "2m", size: "30Gi"))))])"#;
    scratch.write("gc.ron", text);
    let told = json(&scratch, &["gc.ron", "pod/again", "--at", "21m"]);
    let verdict = "not evicted: it is not Ready, as it waits for the pull of its image old:1, first in line since 20:00.000";
    assert_eq!(told["verdict"], verdict);
    let steps = told["steps"].to_string();
    assert!(steps.contains("a: image old:1 deleted, as no container uses it"), "{told}");
}

/// The gate NodeOutOfServiceVolumeDetach is off in 1.24 and 1.25, and on from 1.26 on (`pkg/features/kube_features.go`): before, the
/// taint frees nobody.
#[test]
fn a_taint_that_does_nothing_in_a_release_is_told() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "a-{0..2}", zone: "a")],
        workloads: [StatefulSet(name: "db", replicas: 1, placement: Node("a-0"))],
        timeline: [(at: "2m", do: Crash(node: "a-0")), (at: "12m", do: Taint(node: "a-0", taint: "node.kubernetes.io/out-of-service=x:NoExecute"))])"#;
    scratch.write("oos.ron", text);
    let of = |args: &[&str]| {
        unfolded(&scratch.call(&[&["explain", "oos.ron", "db-0"], args].concat()).stdout)
    };
    let idle = "the taint out-of-service frees no pods here";
    let waits = "none is made in its place before it is gone; the node's return, deleting the node, or the pod by force, changes that";
    for release in ["1.23", "1.25"] {
        let said = of(&["--kubernetes", release]);
        assert!(said.contains(idle) && said.contains(waits), "{said}");
    }
    let before = of(&["--kubernetes", "1.25", "--at", "10m"]);
    assert!(before.contains(waits) && !before.contains(idle), "{before}");
    let freed = of(&["--kubernetes", "1.26"]);
    assert!(!freed.contains(idle) && freed.contains("its workload made default/db-0"), "{freed}");
}
