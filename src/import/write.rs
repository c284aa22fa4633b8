//! The scenario file that `taintsim import` writes: the cluster as it stands, and a fault to begin
//! with, commented out.
//!
//! The text of the groups comes from ron's own serializer, so that it is what the language reads;
//! [`lay_out`] only breaks it into lines.

use super::cluster::ImportedCluster;
use super::control_plane::ControlPlane;
use crate::api::node;
use crate::files;
use crate::import::prelude::*;
use crate::language::flags::take_settings;
use crate::language::text::layout::{WIDTH, lay_out, to_ron};
use serde::Serialize;
use std::fmt::Write;

/// What a scenario is to be run with, in place of what its cluster says or nobody does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) kubernetes: Option<String>,
    /// As the language has it: `Ideal`.
    pub(crate) timing: Option<&'static str>,
    pub(crate) seed: Option<u64>,
}

impl ImportedCluster {
    /// The text of a scenario with this cluster, ready to be run.
    pub fn to_scenario(&self) -> String {
        let doc = match self.summary.time_zero {
            Some(zero) => format!("An imported cluster as it stood at {}.", zero.to_rfc3339()),
            None => "An imported cluster.".to_owned(),
        };
        let mut out = String::from("// Written by `taintsim import`.\n//\n");
        self.summary.lines().iter().for_each(|line| comment(&mut out, line));
        let begins = self.summary.time_zero.map(Stamp::to_rfc3339);
        self.body(&mut out, &doc, begins, "30m", &Asked::default());
        self.fault(&mut out);
        out.push_str(")\n");
        out
    }

    /// The text of a scenario with this cluster and a timeline, which is written already.
    pub(crate) fn written(
        &self,
        doc: &str,
        begins: Stamp,
        horizon: &str,
        (timeline, asked): (&str, &Asked),
    ) -> String {
        let mut out = String::from("// Written by `taintsim incident`.\n");
        self.body(&mut out, doc, Some(begins.to_rfc3339()), horizon, asked);
        out.push_str(timeline);
        out.push_str(")\n");
        out
    }

    fn body(
        &self,
        out: &mut String,
        doc: &str,
        begins: Option<String>,
        horizon: &str,
        asked: &Asked,
    ) {
        out.push_str("Scenario(\n    version: 1,\n");
        push(out, "doc", &doc);
        if let Some(begins) = begins {
            push(out, "begins", &begins);
        }
        if let Some(release) = &asked.kubernetes {
            push(out, "kubernetes", release);
        } else if let Some(release) = self.summary.releases.taken() {
            _ = writeln!(out, "    // {}.", self.summary.releases.told().unwrap_or_default());
            push(out, "kubernetes", &release);
        }
        if let Some(timing) = asked.timing {
            _ = writeln!(out, "    timing: {timing},");
        }
        if let Some(seed) = asked.seed {
            push(out, "seed", &seed);
        }
        push(out, "horizon", &horizon);
        list(out, "notes", &self.summary.notes());
        out.push_str("    // What the controllers remember; with `controllers: Restarted` they forget it, and timers start over.\n");
        _ = writeln!(out, "    memory: {},", lay_out(&to_ron(&self.memory), 4));
        let mut nodes = self.nodes.clone();
        let release = asked.kubernetes.clone().or_else(|| self.summary.releases.taken());
        self.settings(out, release, &mut nodes);
        if self.summary.unadmitted > 0 {
            out.push_str("    // To keep pods without default tolerations as they are:\n");
            out.push_str("    // flags: (kube-apiserver: {\"disable-admission-plugins\": \"DefaultTolerationSeconds\"}),\n");
        }
        list(out, "nodes", &nodes);
        list(out, "priorityClasses", &self.priority_classes);
        list(out, "podDisruptionBudgets", &self.budgets);
        list(out, "namespaces", &self.namespaces);
        list(out, "resourceClaims", &self.resource_claims);
        list(out, "deviceTaintRules", &self.device_taint_rules);
        list(out, "node_readiness_rules", &self.readiness_rules);
        list(out, "workloads", &self.workloads);
        list(out, "pods", &self.pods);
    }

    /// What the control plane was started with; what the release does not have is a comment.
    fn settings(&self, out: &mut String, release: Option<String>, nodes: &mut [NodeGroup]) {
        let ControlPlane { flags, feature_gates, .. } = self.control_plane.clone();
        let exported = Exported { flags, feature_gates, ..Exported::default() };
        let (mut flags, mut gates) = (Flags::default(), BTreeMap::new());
        let own = (&mut flags, &mut gates, nodes);
        for note in take_settings(release.as_deref(), &exported, own) {
            _ = writeln!(out, "    // {}", files::line(&note));
        }
        if !gates.is_empty() {
            _ = writeln!(out, "    feature_gates: {},", lay_out(&to_ron(&gates), 4));
        }
        if flags != Flags::default() {
            out.push_str("    // As the control plane was started, and kubelets are configured.\n");
            _ = writeln!(out, "    flags: {},", lay_out(&to_ron(&flags), 4));
        }
    }

    /// A fault to begin with, commented out: the cluster runs as it stands.
    fn fault(&self, out: &mut String) {
        let Some(nodes) = self.victims() else { return };
        out.push_str("    // What goes wrong: nothing, as it stands. Take the slashes away to begin with this.\n    // timeline: [\n");
        // Writing to a string cannot fail.
        _ = writeln!(
            out,
            "    //     (at: \"1m\", name: \"cut\", do: Partition(nodes: {nodes}, duration: \"10m\")),"
        );
        if !self.summary.cut_off.is_empty() {
            out.push_str("    //     // Nodes that are cut off from the start come back at the end of a partition.\n");
            let names = to_ron(&super::groups::shorten(&self.summary.cut_off));
            let entry = format!(
                "(at:\"0s\",name:\"outage\",do:Partition(nodes:Nodes({names}),duration:\"5m\"))"
            );
            for line in format!("        {},", lay_out(&entry, 8)).lines() {
                _ = writeln!(out, "    // {}", line.strip_prefix("    ").unwrap_or(line));
            }
        }
        out.push_str("    // ],\n");
    }

    /// A zone with healthy nodes if there are several zones, else a healthy node.
    fn victims(&self) -> Option<String> {
        let cut =
            |g: &NodeGroup| matches!(g.start, Some(NodeStart::Imported { cut_off: true, .. }));
        let zone = |g: &NodeGroup| node::named_zone(&g.labels);
        let there = || self.nodes.iter().filter(|g| g.start != Some(NodeStart::Deleted));
        let all: BTreeSet<_> = there().map(zone).collect();
        let last = there().filter(|g| !cut(g)).filter_map(zone).max();
        if let (true, Some(last)) = (all.len() > 1, last) {
            return Some(format!("Zone({})", to_ron(&last)));
        }
        let healthy = there().filter(|g| !cut(g)).find_map(NodeGroup::names_texts)?;
        let all = crate::language::names::expand(healthy.texts().first()?, 1_000_000).ok()?;
        Some(format!("Node({})", to_ron(all.first()?)))
    }
}

/// A comment, broken into lines; no line break of a file's name can end it.
fn comment(out: &mut String, text: &str) {
    let mut line = String::from("//");
    for word in text.split_whitespace() {
        if line.len() > 2 && line.chars().count() + word.chars().count() >= WIDTH {
            out.push_str(&line);
            out.push('\n');
            line = String::from("//  ");
        }
        line.push(' ');
        line.extend(word.chars().filter(|c| !c.is_control()));
    }
    out.push_str(&line);
    out.push('\n');
}

fn push<T: Serialize + ?Sized>(out: &mut String, field: &str, value: &T) {
    _ = writeln!(out, "    {field}: {},", to_ron(value));
}

fn list<T: Serialize>(out: &mut String, field: &str, items: &[T]) {
    if items.is_empty() {
        return;
    }
    _ = writeln!(out, "    {field}: [");
    for item in items {
        _ = writeln!(out, "        {},", lay_out(&to_ron(item), 8));
    }
    out.push_str("    ],\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_cannot_be_ended_from_within() {
        let mut out = String::new();
        comment(&mut out, &format!("a\nScenario( {}", "word ".repeat(40)));
        assert!(out.lines().count() > 1);
        assert!(out.lines().all(|l| l.starts_with("//") && l.chars().count() <= WIDTH), "{out}");
    }
}
