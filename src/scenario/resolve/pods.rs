//! Pod groups to pods.

use super::checks;
use super::pod_names::called;
use super::pod_start::start;
use super::pod_templates::{Lookup, template};
use super::select::{Pods, PodsOf};
use crate::api::pod::PodTemplate;
use crate::language::PodGroup;
use crate::language::complaints::Complaints;
use crate::language::names;
use crate::language::text::place::{Place, with};
use crate::plan::{NodeIndex, PodIndex, PodPlan, PodStart};

impl Pods {
    /// Keeps a template; pods refer to it by this number.
    pub(super) fn template(&mut self, template: PodTemplate) -> u32 {
        self.templates.push(template);
        self.templates.len() as u32 - 1
    }

    /// Declares the pods of a group. `created_later` is for pods that an entry of the timeline
    /// creates.
    pub(super) fn declare(
        &mut self,
        group: &PodGroup,
        place: &Place,
        created_later: bool,
        lookup: &Lookup<'_>,
        complaints: &mut Complaints,
    ) -> Vec<PodIndex> {
        let first = self.plans.len() as PodIndex;
        let pods = self.places(group, place, lookup.nodes, complaints);
        let template = template(group, place, created_later, lookup, complaints);
        let start = start(group, place, created_later, complaints);
        let Some(pods) = pods else {
            self.incomplete = true;
            return Vec::new();
        };
        let namespace = group.namespace.as_deref().unwrap_or("default");
        if let Err(problem) = checks::namespace(namespace) {
            complaints.add(with(place, "namespace"), problem);
        }
        let template = self.template(template);
        self.add(
            namespace,
            pods,
            template,
            start,
            created_later,
            &called(group, place).at(),
            complaints,
        );
        let declared = first..self.plans.len() as PodIndex;
        for text in [
            group.name.as_deref(),
            group.names.as_ref().and_then(|n| n.texts().first()).map(|t| names::stem(t)),
        ]
        .into_iter()
        .flatten()
        {
            self.groups.push(PodsOf {
                name: text.to_owned(),
                of: format!("pods/{namespace}"),
                pods: declared.clone(),
            });
        }
        declared.collect()
    }

    /// Declares pods one by one. `place` is that of their names.
    #[expect(
        clippy::too_many_arguments,
        reason = "each is another part of a pod; a struct would only rename them"
    )]
    pub(super) fn add(
        &mut self,
        namespace: &str,
        pods: Vec<(String, Option<NodeIndex>)>,
        template: u32,
        start: PodStart,
        created_later: bool,
        place: &Place,
        complaints: &mut Complaints,
    ) {
        for (name, node) in pods {
            if let Err(problem) = checks::object_name("pod", &name) {
                complaints.add(place.clone(), problem);
                self.incomplete = true;
                break;
            }
            let full: Box<str> = format!("{namespace}/{name}").into();
            let known = self.by_name.entry(full.clone()).or_insert(self.plans.len() as PodIndex);
            // A pod that is created later may be another life of a name.
            if *known != self.plans.len() as PodIndex && !created_later {
                complaints.say(place.clone(), format!("pod `{full}` is declared twice"));
                break;
            }
            self.plans.push(PodPlan { name: full, template, node, start });
        }
    }
}
