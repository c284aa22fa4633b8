//! Priority classes (`plugin/pkg/admission/priority/admission.go`,
//! `pkg/apis/scheduling/validation`).
//!
//! Classes do not change during a run, so that the priority of a pod is known when the scenario is
//! read. Where ours differs: a pod may state a priority without a class.

use super::prelude::*;
use crate::language::PodTemplate;

/// The classes that every cluster has (`pkg/apis/scheduling/v1/helpers.go: SystemPriorityClasses`).
const SYSTEM: [(&str, i32); 2] =
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];
/// The highest priority of a class that a user makes (`pkg/apis/scheduling/types.go:
/// HighestUserDefinablePriority`).
const HIGHEST: i32 = 1_000_000_000;

/// The priorities of classes.
pub(super) struct Priorities {
    classes: BTreeMap<String, i32>,
    default: Option<i32>,
    /// Classes whose pods preempt no others.
    never: BTreeSet<String>,
}

impl Priorities {
    /// Reads the classes that a scenario declares.
    pub(super) fn read(written: &[PriorityClass], complaints: &Complaints) -> Self {
        let mut classes: BTreeMap<String, i32> =
            SYSTEM.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let mut default = None;
        for (i, class) in written.iter().enumerate() {
            let place = |field: &str| complaints.at(at!["priorityClasses", i, field]);
            let system = SYSTEM.contains(&(class.name.as_str(), class.value));
            let known = classes.insert(class.name.clone(), class.value).is_some();
            if let Err(problem) = checks::object_name("priority class", &class.name) {
                place("name").add(problem);
            } else if class.name.starts_with("system-") && !system {
                let text = "names that begin with `system-` are for Kubernetes' own classes";
                place("name").say(text);
            } else if class.value > HIGHEST && !system {
                place("value").say(format!("the highest priority of a class is {HIGHEST}"));
            } else if known && !system {
                place("name").say(format!("priority class `{}` is declared twice", class.name));
            }
            if class.global_default {
                // Of several, the lowest counts.
                default = Some(default.map_or(class.value, |d: i32| d.min(class.value)));
            }
        }
        let is_polite = |c: &&PriorityClass| c.preemption_policy == Some(PreemptionPolicy::Never);
        let never = written.iter().filter(is_polite).map(|c| c.name.clone()).collect();
        Self { classes, default, never }
    }

    /// Whether the class of a template's pods says that they preempt no others.
    pub(super) fn never_preempts(&self, template: &PodTemplate) -> bool {
        template.priority_class_name.as_ref().is_some_and(|name| self.never.contains(name))
    }

    /// The priority of a template's pods.
    pub(super) fn of(&self, template: &PodTemplate, place: &Spot, admitted: bool) -> Option<i32> {
        let Some(name) = template.priority_class_name.as_deref().filter(|n| !n.is_empty()) else {
            return template.priority.or(self.default);
        };
        match (self.classes.get(name), template.priority) {
            (_, Some(priority)) if admitted => Some(priority),
            (None, _) => {
                let problem = Problem::new(format!("no PriorityClass with name {name} was found"));
                place.part("priorityClassName").refuse(problem.meant(name, self.classes.keys()))
            }
            (Some(value), Some(priority)) if *value != priority => {
                let text = format!(
                    "the integer value of priority ({priority}) must not be provided in pod spec; \
                     priority admission controller computed {value} from the given PriorityClass name"
                );
                place.part("priority").deny(text)
            }
            (Some(value), _) => Some(*value),
        }
    }
}
