//! Faults that a search may add to a timeline, and how many of each.

use crate::lab::prelude::*;

/// What can be added: its word, and how a file writes it, with gaps for what is drawn.
const KINDS: [(&str, &str); 11] = [
    ("partition", "Partition(nodes: NODES, duration: \"TIME\")"),
    ("crash", "Crash(nodes: NODES, duration: \"TIME\")"),
    ("reboot", "Reboot(nodes: NODES)"),
    ("kubelet-restart", "KubeletRestart(nodes: NODES, downtime: \"TIME\")"),
    ("clock-skew", "ClockSkew(nodes: NODES, skew: \"-TIME\", duration: \"TIME\")"),
    ("drain", "Drain(nodes: NODES, ignore_daemonsets: true, timeout: \"TIME\")"),
    ("delete-node", "DeleteNode(nodes: NODES)"),
    ("controller-restart", "ControllerRestart(downtime: \"TIME\")"),
    ("api-outage", "ApiOutage(duration: \"TIME\")"),
    ("too-many-requests", "TooManyRequests(duration: \"TIME\")"),
    ("watch-stall", "WatchStall(resource: RESOURCE, duration: \"TIME\")"),
];
/// How long something lasts: around a request, a health pass, the grace period of nodes, and a toleration.
const TIMES: [&str; 7] = ["100ms", "1s", "5s", "20s", "45s", "60s", "2m"];
/// Whose watches stall.
const RESOURCES: [&str; 2] = ["Pods", "Nodes"];

/// What may be added to a timeline.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Faults(Vec<Fault>);

/// One kind of fault.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Fault {
    /// As a file writes it.
    form: &'static str,
    /// How often at the most.
    most: u64,
    /// On which nodes, as a file writes it; on one that is drawn where nothing is said.
    nodes: Option<String>,
}

impl Faults {
    /// Reads `controller-restart<=1, partition<=2 of zone b`.
    ///
    /// # Errors
    /// What is no such list.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let one = |part: &str| {
            let split = part.split_once(" of ").map(|(fault, of)| (fault, Some(of.trim())));
            let (fault, of) = split.unwrap_or((part, None));
            let (word, most) = fault.split_once("<=").unwrap_or((fault, "1"));
            let known = KINDS.iter().find(|(name, _)| *name == word.trim());
            let (name, form) = known.ok_or_else(|| {
                let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
                let problem =
                    Problem::new(format!("`{}` is no fault that can be added", word.trim()));
                problem.maybe_help(did_you_mean_or_list(word.trim(), &names))
            })?;
            let most =
                most.trim().parse::<u64>().ok().filter(|most| *most > 0).ok_or_else(|| {
                    Problem::new(format!("`{}` says no number above zero", fault.trim()))
                        .help(format!("write `{name}<=2`, or leave it out"))
                })?;
            let nodes = of.map(nodes).transpose()?;
            if nodes.is_some() && !form.contains("NODES") {
                return Err(Problem::new(format!("{name} happens to no nodes"))
                    .help(format!("leave `of {}` out", of.unwrap_or_default())));
            }
            Ok(Fault { form, most, nodes })
        };
        let all: Vec<Fault> =
            text.split(',').map(|part| one(part.trim())).collect::<Result<_, _>>()?;
        let is_again = |i: &usize| {
            all[..*i].iter().any(|f| (f.form, &f.nodes) == (all[*i].form, &all[*i].nodes))
        };
        if let Some(part) = (0..all.len()).find(is_again).and_then(|i| text.split(',').nth(i)) {
            let wrong = format!("`{}` is of a fault that stands there already", part.trim());
            return Err(Problem::new(wrong).help("say once how many there are at the most"));
        }
        Ok(Self(all))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each of them once, to see whether they can be.
    pub(crate) fn each(&self, node: &str) -> Vec<String> {
        let mut dice = Dice::new(0);
        self.0.iter().map(|fault| fault.drawn(&[node.to_owned()], &mut dice)).collect()
    }

    /// Some of them, seldom many.
    pub(super) fn drawn(&self, nodes: &[String], dice: &mut Dice) -> Vec<String> {
        let mut drawn = Vec::new();
        for fault in &self.0 {
            let many = (dice.halving() as u64).min(fault.most);
            drawn.extend((0..many).map(|_| fault.drawn(nodes, dice)));
        }
        drawn
    }
}

impl Fault {
    fn drawn(&self, nodes: &[String], dice: &mut Dice) -> String {
        let of = match (&self.nodes, nodes) {
            (Some(nodes), _) => nodes.clone(),
            (None, []) => "All".to_owned(),
            (None, all) => format!("Node(\"{}\")", all[dice.index(all.len())]),
        };
        let time = TIMES[dice.index(TIMES.len())];
        let resource = RESOURCES[dice.index(RESOURCES.len())];
        self.form.replace("NODES", &of).replace("TIME", time).replace("RESOURCE", resource)
    }
}

/// A selection of nodes as a file writes it, from `zone b`, `node a-1`, `all`, or as it is.
fn nodes(text: &str) -> Result<String, Problem> {
    match text.split_once(' ') {
        Some(("zone", zone)) => Ok(format!("Zone(\"{}\")", zone.trim())),
        Some(("node", node)) => Ok(format!("Node(\"{}\")", node.trim())),
        None if text == "all" => Ok("All".to_owned()),
        _ if text.contains('(') && text.ends_with(')') => Ok(text.to_owned()),
        _ => Err(Problem::new(format!("`{text}` is no selection of nodes"))
            .help("write `zone b`, `node a-1`, `all` or `Label(\"k=v\")`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_of_faults_is_read_and_kept() {
        let faults = Faults::parse("controller-restart<=1, partition<=2 of zone b").unwrap();
        let mut most = [0, 0];
        for seed in 0..500 {
            let drawn = faults.drawn(&["a-1".to_owned()], &mut Dice::new(seed));
            let restarts = drawn.iter().filter(|f| f.starts_with("ControllerRestart(")).count();
            let cut = |f: &&String| f.starts_with("Partition(nodes: Zone(\"b\"), ");
            let partitions = drawn.iter().filter(cut).count();
            assert_eq!(restarts + partitions, drawn.len(), "{drawn:?}");
            most = [most[0].max(restarts), most[1].max(partitions)];
        }
        assert_eq!(most, [1, 2]);
    }

    #[test]
    fn what_is_no_fault_is_said() {
        for (text, wrong, help) in [
            ("partitoin", "`partitoin` is no fault", "partition"),
            ("crash<=many", "says no number", "crash<=2"),
            ("api-outage of zone b", "happens to no nodes", "leave `of zone b` out"),
            ("crash of b", "no selection of nodes", "`zone b`"),
            ("crash<=1,drain,crash<=2", "`crash<=2` is of a fault that stands", "say once"),
        ] {
            let problem = Faults::parse(text).unwrap_err().to_string();
            assert!(problem.contains(wrong) && problem.contains(help), "{text}: {problem}");
        }
    }
}
