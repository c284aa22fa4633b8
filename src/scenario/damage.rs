//! Which parts of a scenario are lost to mistakes of form.

use crate::api::spelling;
use crate::language::Shape;
use crate::language::text::place::Step;

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
    pub(super) fn add(&mut self, place: &[Step]) {
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
