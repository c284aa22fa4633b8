//! What is wrong, and whether the message says where. None of it panics or takes long.

use super::{error, export, good, read};

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: a}\n";

#[test]
fn wrong_objects_are_named() {
    for (text, message) in [
        (
            format!("{POD}spec: {{tolerations: [{{operator: Exist}}]}}\n"),
            "f, Pod \"a/p\": spec.tolerations[0].operator: Unsupported value: \"Exist\": supported values: \"Equal\", \"Exists\"",
        ),
        (
            format!("{POD}spec: {{tolerations: [{{operator: Equal}}]}}\n"),
            "f, Pod \"a/p\": spec.tolerations[0].operator: Invalid value: \"Equal\": operator must be Exists when `key` is empty",
        ),
        (
            format!("{POD}spec: {{tolerations: [{{key: k, operator: Exists, effect: NoExcute}}]}}\n"),
            "f, Pod \"a/p\": spec.tolerations[0].effect: Unsupported value: \"NoExcute\"",
        ),
        (
            format!("{POD}spec: {{tolerations: [{{key: k, operator: Exists, effect: NoSchedule, tolerationSeconds: 3}}]}}\n"),
            "f, Pod \"a/p\": spec.tolerations[0].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when `tolerationSeconds` is set",
        ),
        (
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {a b: c}}\n".to_owned(),
            "f, Pod \"p\": metadata.labels: Invalid value: \"a b\": name part must consist of",
        ),
        (
            format!("{POD}spec: {{containers: [{{resources: {{requests: {{cpu: 12x}}}}}}]}}\n"),
            "f, Pod \"a/p\": resources.requests: cpu is \"12x\"",
        ),
        (format!("{POD}status: {{phase: Asleep}}\n"), "f, Pod \"a/p\": status.phase is \"Asleep\", which the API does not know"),
        (format!("{POD}status: {{phase: Running}}\n"), "f, Pod \"a/p\": is Running, but spec.nodeName is missing"),
        (
            format!("{POD}status: {{conditions: [{{type: Ready, status: \"True\", lastTransitionTime: yesterday}}]}}\n"),
            "f, Pod \"a/p\": lastTransitionTime is \"yesterday\", which is not a time in RFC 3339",
        ),
        (
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p, creationTimestamp: yesterday}\n".to_owned(),
            "f, Pod \"p\": creationTimestamp is \"yesterday\", which is not a time in RFC 3339",
        ),
        (format!("{POD}spec: {{nodeName: \"a{{1..9}}\"}}\n"), "f, Pod \"a/p\": spec.nodeName: Invalid value: \"a{1..9}\": a lowercase RFC 1123 subdomain"),
        ("kind: Pod\napiVersion: v1\nmetadata: {}\n".to_owned(), "f, Pod: metadata.name: Required value"),
        ("kind: Pod\napiVersion: v1\nmetadata: {name: A_b}\n".to_owned(), "f, Pod \"A_b\": metadata.name: Invalid value: \"A_b\": a lowercase RFC 1123 subdomain"),
        ("kind: Pod\nmetadata: {name: p}\n".to_owned(), "f, Pod \"p\": has no `apiVersion`"),
        ("services: {web: {image: x}}\n".to_owned(), "f: has no `kind`: not an object of the Kubernetes API"),
        (
            "kind: List\napiVersion: v1\nitems:\n- {apiVersion: v1, kind: Node, metadata: {name: a}}\n- {apiVersion: v1, kind: Node, metadata: {name: n}, spec: {taints: [{key: k}]}}\n".to_owned(),
            "f, item 2, Node \"n\": spec.taints[0].effect: Required value",
        ),
        (
            format!("{POD}---\napiVersion: v1\nkind: Node\nmetadata: {{name: n}}\nspec: {{taints: [{{key: k, effect: NoExecute}}, {{key: k, value: v, effect: NoExecute}}]}}\n"),
            "f, document 2, Node \"n\": spec.taints[1]: Duplicate value: ",
        ),
        (r#"[[{"kind":"Node"}]]"#.to_owned(), "f:1, item 1: a list stands where an object of the Kubernetes API should: `jq flatten` makes one list of lists"),
        // The name is that of no other item.
        (
            r#"{"kind":"List","items":[{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}},null]}"#.to_owned(),
            "f:1, item 2: expected an object of the Kubernetes API",
        ),
        (
            r#"{"kind":"NodeList","apiVersion":"v1","metadata":{"continue":"eyJ2","remainingItemCount":5},"items":[{"metadata":{"name":"n"}}]}"#.to_owned(),
            "f, NodeList: is a part of a list, of which the server has more",
        ),
        (r#"{"metadata":{"continue":"eyJ2"},"kind":"PodList","apiVersion":"v1","items":[]}"#.to_owned(), "f, PodList: is a part of a list"),
        (r#"{"kind":"List","items":[[]]}"#.to_owned(), "f:1, item 1: a list stands where"),
        ("{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"rows\":[]}".to_owned(), "f holds a Table"),
        (format!("{POD}---\n{POD}spec: {{priority: 3}}\n"), "Pod \"a/p\" is there twice and differs (f, document 1; f, document 2): a watch? Give what `kubectl get` prints without -w"),
        // As `kubectl get -w -o json` prints each change, and with --output-watch-events.
        (
            [r#"{"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}}"#, r#"{"kind":"Node","apiVersion":"v1","metadata":{"name":"n"},"spec":{"unschedulable":true}}"#].join("\n"),
            "Node \"n\" is there twice and differs (f, document 1; f, document 2): a watch?",
        ),
        (
            format!("{}\n", r#"{"type":"ADDED","object":{"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}}}"#).repeat(2),
            "f holds what a watch delivers (`--output-watch-events`); use `kubectl get",
        ),
    ] {
        let e = error(&text);
        assert!(e.starts_with(message), "{text}\n{e}\n{message}");
    }
}

/// Parsers give lines; item, kind and name come from what was read before.
#[test]
fn wrong_types_and_syntax_have_a_line_and_a_caret() {
    let json = "{\"kind\": \"List\", \"apiVersion\": \"v1\", \"items\": [\n{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"n7\"},\n\"spec\": {\"unschedulable\": \"yes\"}}]}";
    let e = error(json);
    assert_eq!(
        e,
        "f:3, item 1, Node \"n7\": expected true or false, found the text \"yes\"\n  \
         | \"spec\": {\"unschedulable\": \"yes\"}}]}\n  |                               ^",
        "serde_json points to the end of a value"
    );
    for (status, words) in [
        ("5", "expected an object, found the number `5`"),
        ("{\"conditions\": {}}", "expected a list, found an object"),
        ("{\"conditions\": [{\"type\": 1.5}]}", "expected a text, found the number `1.5`"),
    ] {
        let e = error(&format!(
            "{{\"kind\": \"Node\", \"apiVersion\": \"v1\", \"metadata\": {{\"name\": \"n7\"}}, \"status\": {status}}}"
        ));
        assert!(e.contains(words), "{e}");
    }
    let e = error(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  priority: high\n",
    );
    assert!(
        e.starts_with("f:10, document 2, Pod \"p\": ")
            && e.contains("\n  |   priority: high\n  |             ^"),
        "{e}"
    );
    for broken in ["{\"kind\": \"List\", \"items\": [", "{\"kind\": \"Li", "{"] {
        assert!(
            error(broken).contains("ends in the middle: is the file cut short?"),
            "{}",
            error(broken)
        );
    }
    for broken in [
        "{\"kind\" \"List\"}",
        "kind: [List\n",
        "kind: List\n  items: x\n",
        "a: b: c\n",
        "{\"kind\":\"List\"} trailing",
        "- a\n- b\n",
        "[1, 2]",
    ] {
        assert!(error(broken).starts_with("f:"), "{broken}: {}", error(broken));
    }
    assert!(
        error("kind: Pod\nkind: Pod\n").starts_with("f:2, Pod: the key `kind` is there twice\n")
    );
}

/// kubectl sorts the fields of a list: its kind stands behind its items. Wherever it ends before that, something is
/// missing, a whole item or the node of a pod.
#[test]
fn a_list_in_yaml_that_is_cut_short_is_refused() {
    let items = concat!(
        "apiVersion: v1\nitems:\n",
        "- apiVersion: v1\n  kind: Node\n  metadata:\n    name: n\n",
        "- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: p\n  spec:\n    nodeName: n\n  status:\n    phase: Running\n",
    );
    let whole = format!("{items}kind: List\nmetadata:\n  resourceVersion: \"\"\n");
    good(&whole);
    for cut in 0..=items.len() + "kind: Lis".len() {
        error(&whole[..cut]);
    }
    for cut in [
        items.to_owned(),
        items.replace("  status:\n    phase: Running\n", ""),
        format!("{items}kind:\n"),
        format!("{items}kind: Li"),
        format!("{whole}---\n{items}"),
    ] {
        assert!(error(&cut).contains("is the file cut short?"), "{cut}: {}", error(&cut));
    }
    let export = export("healthy-all.yaml.gz").text;
    let items = export.find("\nkind: List\n").expect("it is a list");
    for part in 1..8 {
        let whole_lines = export[..items * part / 8].rfind('\n').expect("there are lines") + 1;
        error(&export[..whole_lines]);
    }
}

#[test]
fn a_yaml_bomb_is_stopped() {
    // Ten levels of ten: ten thousand million values, if it were written out.
    let mut bomb = String::from(
        "kind: ConfigMap\napiVersion: v1\nmetadata: {name: b}\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n",
    );
    for i in 1..10 {
        let aliases = vec![format!("*a{}", i - 1); 10].join(", ");
        bomb += &format!("a{i}: &a{i} [{aliases}]\n");
    }
    let e = error(&bomb);
    assert!(
        e.starts_with("f:7, ConfigMap \"b\": far more values than so small a text should hold"),
        "{e}"
    );
}

#[test]
fn deep_nesting_is_an_error_or_passed_over() {
    const DEEP: usize = 100_000;
    let e = error(&format!(
        "kind: Pod\napiVersion: v1\nspec: {}{}\n",
        "[".repeat(1000),
        "]".repeat(1000)
    ));
    assert!(e.starts_with("f"), "{e}");
    let block: String = (0..1000).map(|i| format!("{}a:\n", " ".repeat(i))).collect();
    assert!(error(&block).starts_with("f:201: nested deeper than 200 levels"));
    // JSON that nobody reads is passed over without recursion, JSON that is read has a limit.
    let deep = format!("{}{}", "[".repeat(DEEP), "]".repeat(DEEP));
    let node = "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\"}}";
    good(&format!("{node}{{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"data\":{deep}}}"));
    error(&format!("{{\"spec\":{deep},\"kind\":\"Pod\",\"apiVersion\":\"v1\"}}"));
    let lists = format!(
        "{}{}",
        "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[".repeat(1000),
        "]}".repeat(1000)
    );
    error(&lists);
    error(&deep);
}

/// A YAML export of 4,000 pods has over 250,000 values, where the parser's own budget ends.
#[test]
fn large_yaml_loads() {
    let one = |i: usize| {
        format!(
            "- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: p{i}\n    labels: {{app: web}}\n  spec:\n    containers:\n    - name: c\n      image: registry.example/app:1\n      \
             resources: {{requests: {{cpu: 100m, memory: 128Mi}}, limits: {{memory: 256Mi}}}}\n      env: [{{name: A, value: a}}, {{name: B, value: b}}, {{name: C, value: c}}]\n    \
             tolerations:\n    - {{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 3}}\n    - {{key: b, operator: Exists, effect: NoExecute, tolerationSeconds: 3}}\n"
        )
    };
    let text: String = std::iter::once("apiVersion: v1\nkind: List\nitems:\n".to_owned())
        .chain((0..4000).map(one))
        .collect();
    let cluster = good(&text);
    assert_eq!((cluster.summary.pods, cluster.pods.len()), (4000, 1));

    let labels = "name: p3000\n    labels: ";
    let e = error(&text.replacen(&format!("{labels}{{app: web}}"), &format!("{labels}3"), 1));
    // 3 lines, then 14 for each item; the labels are in the fifth of theirs.
    assert!(
        e.starts_with("f:42008, item 3001, Pod: expected an object, found the number `3`"),
        "{e}"
    );
    let e = error(&text.replacen("name: p3000\n", "name: P3000\n", 1));
    assert!(e.starts_with("f, item 3001, Pod \"P3000\": metadata.name: Invalid value"), "{e}");
    let shared = text.replacen("labels: {app: web}", "labels: &l {app: db}", 1).replacen(
        "name: p3999\n    labels: {app: web}",
        "name: p3999\n    labels: *l",
        1,
    );
    assert_eq!(super::pod_names(super::pod(&good(&shared), "default", "p3999")), ["p0", "p3999"]);
}

/// Every beginning of an object is refused, and none makes trouble; nor does any object with one
/// byte changed.
#[test]
fn damaged_files_never_panic() {
    let json = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"resources":{"requests":{"cpu":"100m"}}}]},"status":{"phase":"Running"}}"#;
    for end in 0..json.len() {
        error(&json[..end]);
    }
    let yaml = "apiVersion: v1\nkind: Node\nmetadata:\n  name: n\nspec:\n  taints:\n  - key: a\n    effect: NoExecute\nstatus:\n  conditions:\n  - type: Ready\n    status: \"True\"\n    lastHeartbeatTime: \"2026-01-01T00:00:00Z\"\n";
    for text in [json, yaml] {
        for at in 0..text.len() {
            for byte in ['\0', '\n', '"', '{', ']', ':', '-', '&', '*', '9', '\u{7f}', 'é'] {
                let mut changed = text.to_owned();
                changed.replace_range(at..=at, &byte.to_string());
                _ = read(&changed);
            }
        }
    }
}
