//! `cloud-provider/controllers/nodelifecycle/node_lifecycle_controller_test.go`: what comes of
//! nodes whose instances are gone or shut down.

use super::{done_by, scenario_of};

const NOT_READY: &str =
    r#"(at: "12s", do: Condition(node: "n", type: Ready, status: False, duration: "20s"))"#;
const SILENT: &str = r#"(at: "12s", do: Partition(node: "n"))"#;

/// What an actor did to the node `n`, of whose instance the provider says this from 5 s on.
fn done(actor: &str, state: &str, timeline: &str) -> Vec<String> {
    let fields = format!(
        r#"horizon: "2m", nodes: [(name: "n")], timeline: [(at: "5s", do: Instance(node: "n", state: {state})), {timeline}]"#
    );
    done_by(actor, &scenario_of("1.34", "Ideal", &fields))
}

fn cloud(state: &str, timeline: &str) -> Vec<String> {
    done("cloud", state, timeline)
}

/// `Test_NodesDeleted`. The provider is asked every 5 s, of nodes that are not Ready: it is False
/// from 12 s on.
#[test]
fn a_node_without_an_instance_is_deleted_unless_it_is_ready() {
    let deleted = |ms: &str| {
        [
            format!(
                "{ms} event Node/n Normal DeletingNode Deleting node n because it does not exist in the cloud provider"
            ),
            format!("{ms} node-deleted n"),
        ]
    };
    assert_eq!(cloud("Gone", NOT_READY), deleted("15000"));
    // Or Unknown: at 55 s here, in a pass that begins some microseconds after the cloud
    // controllers'; they see it in their next.
    let unknown = done("node-lifecycle", "Gone", SILENT)
        .into_iter()
        .find(|l| l.contains(" Ready Unknown "))
        .unwrap_or_default();
    assert!(unknown.starts_with("55000 "), "{unknown}");
    assert_eq!(cloud("Gone", SILENT), deleted("60000"));
    for (state, timeline) in [("Running", NOT_READY), ("Running", SILENT), ("Gone", "")] {
        assert!(cloud(state, timeline).is_empty(), "{state} {timeline}");
    }
}

/// `Test_NodesShutdown`: a node that is not Ready gets the taint, and loses it once it is Ready
/// again, at 32 s.
#[test]
fn a_node_that_is_shut_down_is_tainted_until_it_is_ready() {
    let taint = "node.cloudprovider.kubernetes.io/shutdown:NoSchedule";
    assert_eq!(
        cloud("ShutDown", NOT_READY),
        [format!("15000 node-taints n +{taint}"), format!("35000 node-taints n -{taint}")]
    );
    assert!(cloud("ShutDown", "").is_empty());
}
