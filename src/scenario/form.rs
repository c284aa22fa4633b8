//! Mistakes of form: what is no value of the language's types, and which parts of a scenario are lost
//! to them.
//!
//! Reading stops at the first mistake. To name all of them, the part that holds the mistake is
//! taken out of the tree and the rest is read again; the places of what is left stay as they are.
//!
//! Where a field belongs that was written where it is not known: the same name elsewhere in the
//! language, or a flag of a component.

use crate::api::spelling;
use crate::api::workload::WorkloadKind;
use crate::language::text::tree::{Place, Step};
use crate::language::text::{Mistake, Problem, Source};
use crate::language::{Scenario, Shape, Tree, flags};
use std::collections::{BTreeSet, VecDeque};

/// How many mistakes of form are named before reading stops.
const MISTAKES_MAX: usize = 50;

/// How many bytes are read again to find further mistakes.
const REREAD_BYTES_MAX: usize = 64 << 20;

/// How long a list of fields may be for the place of a stray one to stand beside it.
const LIST_BYTES_MAX: usize = 100;

/// The result of reading a text.
#[derive(Default)]
pub(super) struct Read {
    /// What could be read without the mistakes, and the tree without them.
    pub(super) left: Option<(Scenario, Tree)>,
    /// Every mistake of form.
    pub(super) problems: Vec<Problem>,
    /// What is lost.
    pub(super) damage: Damage,
    /// Values that lost a part to a mistake, by where they begin: that they now lack it is no
    /// mistake of its own.
    pub(super) damaged: BTreeSet<usize>,
    /// How that is called which is lost, or has lost a part.
    pub(super) names: Vec<String>,
}

/// Reads the text, and names every mistake of form.
pub(super) fn read_text(source: &Source) -> Read {
    let mut read = Read::default();
    let mut tree = match Tree::read(&source.text) {
        Ok(tree) => tree,
        Err(mistake) => {
            read.problems.push(syntax(source, &mistake));
            return read;
        }
    };
    loop {
        let mistake = match tree.typed::<Scenario>() {
            Ok(spec) => {
                let mut doubles = Vec::new();
                tree.doubles(&mut doubles);
                let twice = |(key, bytes)| Mistake::twice(key, bytes).problem(source);
                read.problems.extend(doubles.iter().map(|(k, b)| twice((k.as_str(), b.clone()))));
                read.left = Some((spec, tree));
                return read;
            }
            Err(mistake) => mistake,
        };
        let part = mistake.found().map_or(0, |found| found.part);
        if !(mistake.is_lack() && read.damaged.contains(&part)) {
            read.problems.push(of_form(source, &mistake, &tree));
        }
        let again = read.problems.len() < MISTAKES_MAX
            && read.problems.len() * source.text.len() < REREAD_BYTES_MAX;
        let path = lost(&tree, part);
        let place = place_of(&tree, &path);
        // One that is in the whole file: nothing else can be said.
        let Some((_, above)) = path.split_last().filter(|_| again) else { break };
        read.damage.add(&place);
        read.damaged.insert(tree.at(above).bytes().start);
        let around = (0..path.len()).map(|n| tree.at(&path[..n]));
        read.names.extend(around.filter_map(own_name));
        let lost = tree.remove(&path);
        lost.iter().for_each(|lost| all_names(lost, &mut read.names));
    }
    let place = |p: &Problem| p.bytes().map_or(0, |b| b.start);
    read.problems.sort_by_key(place);
    read
}

/// The text of its field `name`.
fn own_name(tree: &Tree) -> Option<String> {
    tree.field("name")?.text().map(str::to_owned)
}

/// The names of it, and of all that is in it.
fn all_names(tree: &Tree, names: &mut Vec<String>) {
    names.extend(own_name(tree));
    tree.parts().iter().for_each(|part| all_names(part, names));
}

/// Whether a written text, in its quotes, is one of these names, or a time from an entry of that name.
pub(super) fn refers(text: &str, names: &[String]) -> bool {
    let text = text.trim_matches('"');
    let text = text.strip_prefix("end of ").unwrap_or(text);
    let behind = |name: &String| text.strip_prefix(name.as_str());
    names.iter().filter_map(behind).any(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// A mistake of syntax; what does not even begin like a scenario is no question of brackets.
fn syntax(source: &Source, mistake: &Mistake) -> Problem {
    let text = source.text.trim_start();
    if text.starts_with(['[', '{', '"']) || text.starts_with('#') && !text.starts_with("#!") {
        let start = source.text.len() - text.len();
        return Problem::new("expected `(` here").at(source, start..start + 1);
    }
    mistake.problem(source)
}

/// A mistake of form as a problem; of one that is in the whole file the first byte is enough.
fn of_form(source: &Source, mistake: &Mistake, tree: &Tree) -> Problem {
    let mut problem = mistake.problem(source);
    let path = tree.path_to(mistake.found().map_or(0, |found| found.part));
    let place = place_of(tree, &path);
    let section = place.first().and_then(|step| match step {
        Step::Key(name) if place.len() > 1 => Some(name.as_str()),
        _ => None,
    });
    let told = |field: &str| {
        let kind = tree.at(path.get(..2).unwrap_or_default()).word();
        // Of the kinds of workloads, which all have the same fields, the first is told.
        let own = |way: String| match WorkloadKind::parse(kind) {
            Some(_) => way.replacen("[Deployment(", &format!("[{kind}("), 1),
            None => way,
        };
        Some(format!("it belongs elsewhere: `{}`", own(belongs(field, section)?)))
    };
    if let Some(belongs) = mistake.stray().and_then(told) {
        // A long list of what could stand here would hide it.
        let here = problem.help.filter(|all| all.len() <= LIST_BYTES_MAX);
        problem.help = Some(here.map_or(belongs.clone(), |all| format!("{all}; {belongs}")));
    }
    let all = tree.bytes();
    if problem.bytes().is_some_and(|bytes| bytes == all) {
        return problem.at(source, all.start..all.start + 1);
    }
    problem
}

/// The path to the part that is lost with what begins at that byte.
fn lost(tree: &Tree, byte: usize) -> Vec<usize> {
    let mut path = tree.path_to(byte);
    // A group without its name is no group: it is lost as a whole.
    let place = place_of(tree, &path);
    if let [Step::Key(all), Step::Index(_), Step::Key(name)] = &place[..]
        && ["nodes", "pods"].contains(&all.as_str())
        && ["name", "names"].contains(&name.as_str())
    {
        path.pop();
    }
    path
}

/// The steps of a path.
fn place_of(tree: &Tree, path: &[usize]) -> Place {
    (0..path.len()).map(|n| tree.at(&path[..n]).step(path[n])).collect()
}

/// What is incomplete because of a mistake of form: that a name is not found there is no mistake.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Damage {
    /// Names of nodes.
    pub(super) nodes: bool,
    /// Labels, zones and regions of nodes.
    pub(super) node_labels: bool,
    /// Pods.
    pub(super) pods: bool,
    /// Workloads.
    pub(super) workloads: bool,
    /// Entries of the timeline.
    pub(super) entries: bool,
    /// The version or the horizon.
    pub(super) header: bool,
}

impl Damage {
    /// Marks that the part at that place is lost.
    fn add(&mut self, place: &[Step]) {
        let key = |n: usize| match place.get(n) {
            Some(Step::Key(key)) => key.as_str(),
            _ => "",
        };
        let is = |n: usize, names: &[&str]| names.contains(&key(n));
        match key(0) {
            "nodes" => {
                // A field of a group that is neither its name nor a label; an unknown one may be a
                // misspelt label.
                let labels = ["name", "names", "labels", "zone", "region"];
                let is_known = Shape::of("NodeGroup").part(key(2)).is_some();
                let near = spelling::nearest(key(2), ["name", "names"]).is_some();
                self.nodes |= place.len() < 3 || near;
                self.node_labels |= place.len() < 3 || !is_known || is(2, &labels);
            }
            "version" | "horizon" => self.header = true,
            "pods" => {
                let says = ["name", "names", "namespace", "count", "replicas", "on", "labels"];
                self.pods |= place.len() < 3 || may_be("PodGroup", key(2), &says);
            }
            "workloads" => {
                let names = ["name", "names", "namespace"];
                self.workloads |= place.len() < 3 || may_be("WorkloadGroup", key(2), &names);
                // Their pods may be lost with them.
                let says = ["placement", "replicas", "ordinals", "template"];
                let labels = place.len() > 3 && !may_be("PodTemplate", key(3), &["labels"]);
                self.pods |= self.workloads || may_be("WorkloadGroup", key(2), &says) && !labels;
            }
            "timeline" => {
                // The nodes and pods that an entry adds may be lost with it.
                let whole = place.len() < 4;
                self.entries |= place.len() < 3 || is(2, &["name"]) || whole;
                self.nodes |= is(3, &["node"]);
                self.pods |= is(3, &["pod"]);
                self.workloads |= is(3, &["workload"]);
            }
            _ => {}
        }
    }
}

/// Whether a field of a type that is lost is one of these, or one of them misspelt.
fn may_be(of: &'static str, field: &str, those: &[&str]) -> bool {
    let is_known = Shape::of(of).part(field).is_some();
    those.contains(&field) || !is_known && spelling::nearest(field, those.iter().copied()).is_some()
}

/// How a field is written where it belongs: `flags: (kube-controller-manager: …)`. What is below
/// `section`, the field of a scenario in which it was found, comes first.
pub(super) fn belongs(field: &str, section: Option<&str>) -> Option<String> {
    if let Some((component, name)) = flags::known().find(|(_, name)| alike(name, field)) {
        let component = component.replace('_', "-");
        return Some(format!("flags: ({component}: {{\"{name}\": …}})"));
    }
    // Its settings are in its configuration, and not in flags.
    if alike(field, "kube-scheduler") {
        return Some("scheduler: (…)".to_owned());
    }
    let own = section.and_then(|section| written(field, Some(section)));
    own.or_else(|| written(field, None))
}

/// Whether two names differ in nothing but how their words are joined: `kube_apiserver`, `kube-apiserver`, `kubeApiserver`.
fn alike(a: &str, b: &str) -> bool {
    let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    plain(a) == plain(b)
}

/// The shortest way to a field of that name, as it is written; below one field of the scenario
/// where that is given.
fn written(field: &str, section: Option<&str>) -> Option<String> {
    let mut seen = BTreeSet::new();
    let mut next = VecDeque::from([(Shape::scenario(), String::new(), String::new())]);
    while let Some((shape, before, behind)) = next.pop_front() {
        if !shape.name.is_empty() && !seen.insert(shape.name) {
            continue;
        }
        next.extend(shape.items().map(|item| (item, format!("{before}["), format!("]{behind}"))));
        let held = shape.variants().filter_map(|(word, held)| Some((word, held?)));
        next.extend(held.map(|(word, held)| (held, format!("{before}{word}"), behind.clone())));
        // The scenario's own need no brackets here.
        let is_root = before.is_empty();
        for (name, below) in shape.fields() {
            if is_root && section.is_some_and(|section| !alike(section, name)) {
                continue;
            }
            // Components are written as they are called.
            let name = name.replace('_', if name.starts_with("kube_") { "-" } else { "_" });
            let open = format!("{before}{}{name}: ", if is_root { "" } else { "(" });
            let close = format!("{}{behind}", if is_root { "" } else { ")" });
            if alike(&name, field) && !is_root {
                return Some(format!("{open}…{close}"));
            }
            next.push_back((below, open, close));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_told_where_it_belongs() {
        let told = |field, section| belongs(field, section).unwrap_or_default();
        assert_eq!(told("kube-controller-manager", None), "flags: (kube-controller-manager: …)");
        assert_eq!(told("kube_scheduler", None), "scheduler: (…)");
        assert_eq!(
            told("node-monitor-grace-period", None),
            "flags: (kube-controller-manager: {\"node-monitor-grace-period\": …})"
        );
        // Of a workload the labels are those of its template, not those of a node.
        assert_eq!(
            told("labels", Some("workloads")),
            "workloads: [Deployment(template: (labels: …))]"
        );
        // As in a configuration file.
        assert_eq!(
            told("nodeMonitorGracePeriod", None),
            "flags: (kube-controller-manager: {\"node-monitor-grace-period\": …})"
        );
        assert_eq!(told("labels", None), "nodes: [(labels: …)]");
        assert_eq!(belongs("nothing-of-this-name", None), None);
    }
}
