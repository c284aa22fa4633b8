//! Commands of people, as kubectl takes them.

use super::what_if::{patch, what_if};
use crate::language::Tree;
use crate::scenario::prelude::*;

fn steps(text: &str) -> Result<Vec<Step>, String> {
    let entries = what_if(text, &Scenario::default()).map_err(|p| p.to_string())?;
    Ok(entries.into_iter().map(|e| e.step).collect())
}

/// As kubectl takes them (`kubectl COMMAND --help`, 1.34).
#[test]
fn commands_are_read_in_every_spelling() {
    for (texts, wanted) in [
        (
            &[
                "kubectl delete pod web-0 -n shop",
                "kubectl -n shop delete po/web-0",
                "kubectl delete pods web-0 --namespace=shop",
            ][..],
            r#"DeletePod(pods:Some(Pods(["shop/web-0"])))"#,
        ),
        (
            &["kubectl delete pod web-0 --now", "kubectl delete pod web-0 --grace-period=0"],
            r#"DeletePod(pods:Some(Pods(["default/web-0"])),gracePeriodSeconds:Some(1))"#,
        ),
        (
            &["kubectl delete pod web-0 --force --grace-period=-1"],
            r#"DeletePod(pods:Some(Pods(["default/web-0"])),gracePeriodSeconds:Some(0))"#,
        ),
        (&["kubectl drain b-03 --grace-period=-1"], r#"Drain(nodes:Some(Nodes(["b-03"])))"#),
        (
            &["kubectl delete node b-03", "kubectl delete node/b-03"],
            r#"DeleteNode(nodes:Some(Nodes(["b-03"])))"#,
        ),
        (
            &["kubectl scale deployment web --replicas=5", "kubectl scale deploy/web --replicas 5"],
            r#"Scale(workload:"Deployment/default/web",replicas:5)"#,
        ),
        (
            &["kubectl scale -n shop --replicas=5 sts/db"],
            r#"Scale(workload:"StatefulSet/shop/db",replicas:5)"#,
        ),
        (
            &["kubectl cordon node/b-03", "kubectl --context blue cordon b-03"],
            r#"Cordon(nodes:Some(Nodes(["b-03"])))"#,
        ),
        (
            &["kubectl drain b-03 --ignore-daemonsets --timeout=5m"],
            r#"Drain(nodes:Some(Nodes(["b-03"])),ignore_daemonsets:true,timeout:Some("5m"))"#,
        ),
        (&["heal b-03 @10m", "heal node/b-03"], r#"Heal(nodes:Some(Nodes(["b-03"])))"#),
        (&["heal -l pool=a"], r#"Heal(nodes:Some(Label("pool=a")))"#),
        (&["kubectl drain b-03 --timeout=0s"], r#"Drain(nodes:Some(Nodes(["b-03"])))"#),
    ] {
        let wanted = Tree::read(wanted).and_then(|t| t.typed::<Step>()).unwrap();
        for text in texts {
            assert_eq!(steps(text).as_deref(), Ok(&[wanted.clone()][..]), "{text}");
        }
    }
}

/// A toleration of the taint that bars the scheduler has no seconds, nor has one for every effect
/// (`ValidateTolerations`: "effect must be 'NoExecute' when `tolerationSeconds` is set").
#[test]
fn seconds_are_of_the_toleration_that_has_some() {
    let own = |effect| Toleration { key: UNREACHABLE.to_owned(), effect, ..Toleration::default() };
    let patched = |effects: [Option<Effect>; 2], seconds: &str| {
        let tolerations = effects.map(own).to_vec();
        let group = PodGroup { tolerations, ..PodGroup::default() };
        let Ok(Step::PatchTolerations { tolerations, .. }) = patch(&group, seconds) else {
            panic!()
        };
        tolerations.iter().map(|t| t.toleration_seconds).collect::<Vec<_>>()
    };
    let effects = [Some(Effect::NoSchedule), Some(Effect::NoExecute)];
    assert_eq!(patched(effects, "600"), [None, Some(600), Some(600)]);
    assert_eq!(patched(effects, "none"), [None; 3]);
    let every = [Some(Effect::NoSchedule), None];
    assert_eq!(patched(every, "600"), [None, None, Some(600), Some(600)]);
    assert!(patch(&PodGroup::default(), "soon").is_err());
}

/// Two workloads of one name in two namespaces: what does not say which means that of `default`, as
/// with kubectl's commands.
#[test]
fn tolerations_are_of_one_namespace() {
    let group = |namespace: Option<&str>| PodGroup {
        namespace: namespace.map(str::to_owned),
        name: Some("web-0".to_owned()),
        owner: Some(Owner { kind: "StatefulSet".to_owned(), name: "web".to_owned() }),
        on: Placement::Node("n".to_owned()),
        ..PodGroup::default()
    };
    let patched = |text: &str, namespaces: &[Option<&str>]| {
        let pods = namespaces.iter().map(|of| group(*of)).collect();
        let spec = Scenario { pods, ..Scenario::default() };
        let entries = what_if(text, &spec).map_err(|p| p.to_string())?;
        let one = |e: Entry| match e.step {
            Step::PatchTolerations { pods: Some(PodSelector::Pods(pods)), .. } => pods,
            _ => Vec::new(),
        };
        Ok::<Vec<String>, String>(entries.into_iter().flat_map(one).collect())
    };
    let both = [None, Some("shop")];
    assert_eq!(patched("patch tolerations web 600", &both).unwrap(), ["default/web-0"]);
    assert_eq!(patched("patch tolerations shop/web 600", &both).unwrap(), ["shop/web-0"]);
    let said = patched("patch tolerations web 600", &both[1..]).unwrap_err();
    let elsewhere = "no pod of `default/web` is in the export\n  help: did you mean `shop/web`?";
    assert_eq!(said, elsewhere);
}

/// Of `db`'s pods the first runs on a, as does `web-0`; `dns` is in a namespace of its own, and `new` on no node.
#[test]
fn pods_are_selected_as_kubectl_selects_them() {
    let text = r#"(version: 1, horizon: "1m", pods: [
        (names: "db-{0..1}", on: Nodes(["a", "b"]), labels: {"app": "db"}),
        (name: "web-0", on: Node("a"), labels: {"app": "web"}),
        (name: "new", on: Unbound, labels: {"app": "web"}),
        (name: "dns", namespace: "kube-system", on: Node("a"), labels: {"app": "dns"}),
    ])"#;
    let spec: Scenario = Tree::read(text).and_then(|t| t.typed()).unwrap();
    let selected = |flags: &str| {
        let entries = what_if(&format!("kubectl delete pods {flags}"), &spec);
        let steps = entries.map_err(|p| p.to_string())?.into_iter().map(|e| e.step);
        let pods = |step| match step {
            Step::DeletePod { pods: Some(PodSelector::Pods(pods)), .. } => pods.join(" "),
            other => panic!("{other:?}"),
        };
        Ok::<String, String>(steps.map(pods).collect())
    };
    for (flags, wanted) in [
        ("-l app=web", "default/web-0 default/new"),
        ("--selector=app!=web --field-selector spec.nodeName=a", "default/db-0"),
        ("--field-selector=spec.nodeName==b", "default/db-1"),
        ("--field-selector spec.nodeName=", "default/new"),
        ("--all", "default/db-0 default/db-1 default/web-0 default/new"),
        ("--all -n kube-system", "kube-system/dns"),
    ] {
        assert_eq!(selected(flags).as_deref(), Ok(wanted), "{flags}");
    }
    for (flags, wanted) in [
        ("", "this command names no pod"),
        ("web-0 -l app=web", "exclude each other"),
        ("--all -l app=web", "exclude each other"),
        ("-l app=wbe", "this selects no pod"),
        ("-A --all", "the flag `-A` is not known here"),
        (
            "--field-selector status.phase=Failed",
            "--field-selector=status.phase=Failed is not known here",
        ),
        ("-f web.yaml", "the flag `-f` is not known here"),
    ] {
        let said = selected(flags).unwrap_err();
        assert!(said.contains(wanted), "{flags}: {said}");
    }
}

#[test]
fn what_is_not_known_is_refused() {
    for (text, wanted) in [
        ("kubectl delete pod web-0 --dry-run=client", "`--dry-run` does nothing"),
        (
            "kubectl drain b-03 --ignore-daemonset",
            "the flag `--ignore-daemonset` is not known here",
        ),
        ("kubectl drain b-03 --timeout=soon", "--timeout=soon: "),
        (
            "kubectl delete deployment/web",
            "`kubectl delete deployment/web` is no course that can be tried",
        ),
        ("kubectl cordon", "this command names no node"),
        ("kubectl cordon b-03 -l pool=a", "exclude each other"),
        ("kubectl delete node --field-selector metadata.name=a", "selects pods alone here"),
        ("kubectl scale deployment/web", "`kubectl scale` needs a workload and a number"),
        ("kubectl scale rs/web --replicas=-1", "`kubectl scale` needs a workload and a number"),
        ("reboot", "`reboot` is no course that can be tried"),
    ] {
        let said = steps(text).unwrap_err();
        assert!(said.contains(wanted), "{text}: {said}");
    }
}
