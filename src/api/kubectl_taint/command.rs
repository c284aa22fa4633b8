//! A whole `kubectl taint` command: which nodes, then which taints (`TaintOptions.Complete`,
//! `Validate`).

use super::edit::TaintEdit;
use super::syntax::{TaintSyntaxError, parse_specs, refuse_conflicts};

/// What follows `kubectl taint`, without its flags.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// The nodes named; with a selector or `--all` kubectl does not look at them.
    pub nodes: Vec<String>,
    /// The taints.
    pub edit: TaintEdit,
}

/// Reads the arguments of `kubectl taint`: `nodes a-01 a-02 key=value:NoExecute other-`. `selects`
/// is that `--selector` is given and not empty, `all` that `--all` is.
///
/// # Errors
/// What kubectl refuses before it looks at any node, in its order and words.
pub fn parse_command(args: &[&str], selects: bool, all: bool) -> Result<Command, TaintSyntaxError> {
    let is_taint = |arg: &str| arg.contains(['=', ':']) || arg.ends_with('-');
    let first_taint = args
        .iter()
        .position(|arg| is_taint(arg))
        .unwrap_or(args.len());
    let (resources, taints) = args.split_at(first_taint);
    let refuse = |text: String| Err(TaintSyntaxError::new(text));
    if let Some(late) = taints.iter().find(|arg| !is_taint(arg)) {
        return refuse(format!(
            "all resources must be specified before taint changes: {late}"
        ));
    }
    let [kind, nodes @ ..] = resources else {
        return refuse("one or more resources must be specified as <resource> <name>".to_owned());
    };
    let edit = parse_specs(taints)?;
    let kind = kind.to_lowercase();
    if !matches!(kind.as_str(), "node" | "nodes" | "no") {
        return refuse(format!(
            "invalid resource type {kind}, only node types are supported"
        ));
    }
    refuse_conflicts(&edit)?;
    if all && selects {
        return refuse(
            "setting 'all' parameter with a non empty selector is prohibited".to_owned(),
        );
    }
    if !all && !selects && nodes.is_empty() {
        return refuse(
            "at least one resource name must be specified since 'all' parameter is not set"
                .to_owned(),
        );
    }
    Ok(Command {
        nodes: nodes.iter().map(|name| (*name).to_owned()).collect(),
        edit,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> Result<Command, String> {
        parse_command(&text.split_whitespace().collect::<Vec<_>>(), false, false)
            .map_err(|e| e.text)
    }

    #[test]
    fn nodes_come_before_taints() {
        let read = command("nodes a-01 a-02 key=value:NoExecute other-").expect("a whole command");
        assert_eq!(read.nodes, ["a-01", "a-02"]);
        assert_eq!((read.edit.add.len(), read.edit.remove.len()), (1, 1));
        assert!(command("Node a-01 k:NoExecute").is_ok());
    }

    /// Texts of `Complete` and `Validate` in taint.go, v0.34.
    #[test]
    fn what_kubectl_refuses() {
        for (text, expected) in [
            (
                "",
                "one or more resources must be specified as <resource> <name>",
            ),
            (
                "k:NoExecute",
                "one or more resources must be specified as <resource> <name>",
            ),
            ("nodes a-01", "at least one taint update is required"),
            (
                "nodes k:NoExecute a-01",
                "all resources must be specified before taint changes: a-01",
            ),
            (
                "pods web-0 k:NoExecute",
                "invalid resource type pods, only node types are supported",
            ),
            (
                "pods web-0 k:NoExecute k-",
                "invalid resource type pods, only node types are supported",
            ),
            (
                "nodes k:NoExecute",
                "at least one resource name must be specified since 'all' parameter is not set",
            ),
        ] {
            assert_eq!(command(text), Err(expected.to_owned()), "{text}");
        }
        let all =
            |selects| parse_command(&["nodes", "k:NoExecute"], selects, true).map_err(|e| e.text);
        assert!(all(false).is_ok());
        assert_eq!(
            all(true),
            Err("setting 'all' parameter with a non empty selector is prohibited".to_owned())
        );
    }
}
