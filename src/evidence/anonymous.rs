//! Names made others: in the texts of files before these are read, so that nothing that is printed
//! or written has an old one. The same name becomes the same other one, in every file and every
//! call.

use super::owners::{is_suffix, is_template_hash};
use crate::api::names::stable_hash;
use crate::evidence::prelude::*;

/// Names that Kubernetes itself gives, which tell nothing of anybody and which are read by name.
const KEPT: [&str; 14] = [
    "default",
    "kube-system",
    "kube-public",
    "kube-node-lease",
    "kube-controller-manager",
    "kube-scheduler",
    "kube-apiserver",
    "system-node-critical",
    "system-cluster-critical",
    "linux",
    "windows",
    "amd64",
    "arm64",
    SOMEBODY,
];

/// Names that were found.
#[derive(Default)]
pub(super) struct Names(BTreeSet<String>);

impl Names {
    fn add(&mut self, name: &str) {
        let number = name.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let word = matches!(name, "true" | "false" | "null" | "yes" | "no" | "the");
        if name.len() > 1
            && !number
            && !word
            && !KEPT.contains(&name)
            && !name.starts_with("system:")
        {
            self.0.insert(name.to_owned());
        }
    }

    /// Those of a statement.
    pub(super) fn of_statement(&mut self, said: &Said) {
        if let Some(node) = said.node() {
            self.add(node);
        }
        if let Some(pod) = said.pod() {
            pod.split('/').for_each(|part| self.add(part));
        }
        match said {
            Said::Created { owner, .. } => owner.split('/').skip(1).for_each(|p| self.add(p)),
            Said::Scaled { workload, by, .. } | Said::WorkloadDeleted { workload, by } => {
                workload.split('/').for_each(|p| self.add(p));
                self.add(by);
            }
            Said::Deleted { by, .. } | Said::Cordoned { by, .. } | Said::NodeDeleted { by, .. } => {
                self.add(by.split(' ').next().unwrap_or_default());
            }
            Said::TaintsAre { by, .. } | Said::NodeWritten { by, .. } => self.add(by),
            _ => {}
        }
    }

    /// Those of an object: its own, its namespace's, those of its labels and of what it refers to.
    pub(super) fn of_object(&mut self, object: &Value) {
        let meta = &object["metadata"];
        let name = meta["name"].as_str().unwrap_or_default();
        self.add(match name.rsplit_once('.') {
            // An event's time is behind the name of what it is about.
            Some((of, made)) if object["kind"] == "Event" && is_hex(made) => of,
            _ => name,
        });
        let texts = [
            &meta["namespace"],
            &object["spec"]["nodeName"],
            &object["spec"]["priorityClassName"],
            &object["spec"]["serviceAccountName"],
        ];
        texts.iter().filter_map(|t| t.as_str()).for_each(|t| self.add(t));
        for owner in meta["ownerReferences"].as_array().into_iter().flatten() {
            self.add(owner["name"].as_str().unwrap_or_default());
        }
        self.of_labels(&meta["labels"]);
        self.of_labels(&object["spec"]["template"]["metadata"]["labels"]);
    }

    fn of_labels(&mut self, labels: &Value) {
        for (_, value) in labels.as_object().into_iter().flatten() {
            self.add(value.as_str().unwrap_or_default());
        }
    }

    /// A text with every name in it replaced. What stands before a colon is a key, and stays.
    pub(super) fn replaced(&self, text: &str) -> String {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@');
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(is_part) {
            let (before, from) = rest.split_at(start);
            let end = from.find(|c| !is_part(c)).unwrap_or(from.len());
            let (word, after) = from.split_at(end);
            out.push_str(before);
            let quoted_key = after.starts_with("\":") && before.ends_with('"');
            let bare_key = (after.starts_with(": ") || after.starts_with(":\n"))
                && (before.is_empty() || before.ends_with([' ', '\n']));
            if quoted_key || bare_key {
                out.push_str(word);
            } else {
                self.push(&mut out, word);
            }
            rest = after;
        }
        out + rest
    }

    /// A word, or the other one in its place; an event's name is one with a suffix.
    fn push(&self, out: &mut String, word: &str) {
        match word.rsplit_once('.') {
            _ if self.0.contains(word) => out.push_str(&other(word)),
            Some((name, suffix)) if self.0.contains(name) => {
                out.push_str(&other(name));
                out.push('.');
                out.push_str(suffix);
            }
            _ => out.push_str(word),
        }
    }
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// The name in another's place. Generated parts and numbers at its end stay, which tell whose a pod is,
/// and which nodes are of one zone.
fn other(name: &str) -> String {
    let (host, domain) = name.split_once('.').unwrap_or((name, ""));
    let mut stem = host;
    while let Some((before, last)) = stem.rsplit_once('-')
        && (is_suffix(last) || is_template_hash(last))
    {
        stem = before;
    }
    let stem = stem.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches(['-', '_']);
    let hash = stable_hash(&format!("anonymous/{stem}.{domain}")) & 0xff_ffff_ffff;
    // The letter at the end is for the number not to become one with the hash.
    format!("n{hash:010x}x{}", &host[stem.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(all: &[&str]) -> Names {
        let mut names = Names::default();
        all.iter().for_each(|name| names.add(name));
        names
    }

    #[test]
    fn other_names_tell_whose_pods_are_and_which_nodes_are_alike() {
        let of = |name| names(&[name]).replaced(name);
        let web = of("web");
        assert_eq!(of("web-7c6dbd6bcd-x2k47"), format!("{web}-7c6dbd6bcd-x2k47"));
        assert_eq!(of("web-0"), format!("{web}-0"));
        assert_eq!(of("web2"), format!("{web}2"));
        let node = of("ip-10-1-0-7.example");
        assert!(node.ends_with("x-7") && !node.contains("10-1-0"), "{node}");
        assert_ne!(node, of("ip-10-1-0-7.other"));
    }

    /// Who preempts is "the scheduler (preemption)", and words of logs are read.
    #[test]
    fn a_word_is_no_name() {
        let mut of = Names::default();
        let (pod, by) = ("shop/lo".to_owned(), PREEMPTED.to_owned());
        of.of_statement(&Said::Deleted { pod, by, grace: None });
        assert_eq!(of.replaced("Adding it to the Taint queue"), "Adding it to the Taint queue");
    }

    /// The nanoseconds of an event's making (`tools/record/event.go: makeEvent`) are read of its name.
    #[test]
    fn an_event_keeps_its_time() {
        let event = json!({"kind": "Event", "metadata": {"name": "a-b.example.18798ae4c1b2f1d0"}});
        let mut of = Names::default();
        of.of_object(&event);
        let (said, node) =
            (of.replaced("a-b.example.18798ae4c1b2f1d0"), of.replaced("a-b.example"));
        assert_ne!(node, "a-b.example");
        assert_eq!(said, format!("{node}.18798ae4c1b2f1d0"));
    }
}
