//! What the scheduler makes of a pod's template, once for all pods that share it
//! (`framework/types.go: PodInfo`).

use super::counts::TallyId;
use super::resources::{Amounts, non_zero};
use super::topology::{KeyId, Topologies};
use crate::api::labels::{Operator, Requirement};
use crate::api::scheduling::{HostPort, PodAffinityTerm, SchedulingSpec, TopologySpreadConstraint};
use crate::api::taint::UNSCHEDULABLE;
use crate::controllers::prelude::*;
use crate::kernel::HashIndex;

/// Gives the count of a selector's pods in a namespace.
type NewTally<'a> = &'a mut dyn FnMut(&str, Option<&Selector>) -> TallyId;

/// A term of affinity to pods, or against them.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    /// As the pod has it.
    pub(crate) term: PodAffinityTerm,
    /// Its topology key.
    pub(crate) key: KeyId,
}

/// A constraint on spread.
#[derive(Clone, Debug)]
pub struct Spread {
    /// The topology key.
    pub(crate) key: KeyId,
    /// Domains are single nodes.
    pub(crate) by_host: bool,
    /// How uneven it may be.
    pub(crate) max_skew: i64,
    /// Which pods count; none is no pod.
    pub(crate) selector: Option<Selector>,
    /// The count of those pods.
    pub(crate) tally: TallyId,
    /// With fewer domains than this the least count is zero.
    pub(crate) min_domains: usize,
    /// Only nodes count that the pod's node selector and affinity admit.
    pub(crate) honor_affinity: bool,
    /// Only nodes count whose taints the pod tolerates.
    pub(crate) honor_taints: bool,
}

impl Spread {
    /// Whether the pod itself, or another of its namespace, is one of those counted.
    pub(crate) fn selects(&self, labels: &Labels) -> bool {
        self.selector.as_ref().is_some_and(|s| s.matches(labels))
    }
}

/// What the scheduler makes of a template in a namespace.
#[derive(Debug)]
pub struct Shape {
    /// Its number.
    pub(crate) id: u32,
    /// The namespace of its pods.
    pub(crate) namespace: Box<str>,
    /// The template.
    pub(crate) template: Rc<PodTemplate>,
    /// What a pod asks for.
    pub(crate) requests: Amounts,
    /// CPU and memory with a default where a container asks for none.
    pub(crate) non_zero: (i64, i64),
    /// Its priority.
    pub(crate) priority: i32,
    /// It tolerates cordoned nodes.
    pub(crate) tolerates_unschedulable: bool,
    /// It has affinity or anti-affinity to pods, required or preferred.
    pub(crate) has_pod_affinity: bool,
    /// Required affinity to pods.
    pub(crate) affinity: Vec<Term>,
    /// Required anti-affinity to pods.
    pub(crate) anti_affinity: Vec<Term>,
    /// Preferred affinity with weights above zero, preferred anti-affinity with weights below.
    pub(crate) preferred: Vec<(i64, Term)>,
    /// Spread that is required.
    pub(crate) hard_spread: Vec<Spread>,
    /// Spread that is preferred.
    pub soft_spread: Vec<Spread>,
}

impl Shape {
    fn new(
        id: u32,
        namespace: &str,
        template: &Rc<PodTemplate>,
        topologies: &mut Topologies,
        tally: NewTally<'_>,
    ) -> Self {
        let none = SchedulingSpec::default();
        let spec = template.scheduling.as_deref().unwrap_or(&none);
        let cordon = Taint::new(UNSCHEDULABLE, Effect::NoSchedule);
        let mut term = |term: &PodAffinityTerm| Term {
            term: term.clone(),
            key: topologies.key(&term.topology_key),
        };
        let affinity: Vec<Term> = spec.pod_affinity.required.iter().map(&mut term).collect();
        let anti_affinity: Vec<Term> =
            spec.pod_anti_affinity.required.iter().map(&mut term).collect();
        let mut preferred: Vec<(i64, Term)> = Vec::new();
        for (sign, terms) in
            [(1, &spec.pod_affinity.preferred), (-1, &spec.pod_anti_affinity.preferred)]
        {
            preferred.extend(terms.iter().map(|(w, t)| (sign * i64::from(*w), term(t))));
        }
        let mut spread = |hard: bool| -> Vec<Spread> {
            let those = spec.topology_spread.iter().filter(|c| c.hard == hard);
            those.map(|c| spread_of(c, namespace, &template.labels, topologies, tally)).collect()
        };
        let (hard_spread, soft_spread) = (spread(true), spread(false));
        Self {
            id,
            namespace: namespace.into(),
            requests: Amounts::of(&template.requests),
            non_zero: non_zero(&template.requests, &spec.container_requests),
            priority: template.priority.unwrap_or(0),
            tolerates_unschedulable: template
                .tolerations
                .iter()
                .any(|t| t.tolerates(&cordon, false)),
            has_pod_affinity: !affinity.is_empty()
                || !anti_affinity.is_empty()
                || !preferred.is_empty(),
            affinity,
            anti_affinity,
            preferred,
            hard_spread,
            soft_spread,
            template: template.clone(),
        }
    }

    /// What only the scheduler reads of the pod, if it has any of it.
    pub(crate) fn spec(&self) -> Option<&SchedulingSpec> {
        self.template.scheduling.as_deref()
    }

    /// Its host ports.
    pub(crate) fn host_ports(&self) -> &[HostPort] {
        self.spec().map_or(&[], |s| &s.host_ports)
    }

    /// Whether the pod has spread constraints of its own.
    pub(crate) fn has_spread(&self) -> bool {
        !self.hard_spread.is_empty() || !self.soft_spread.is_empty()
    }

    /// Whether the pod is bound to some nodes by selector or required affinity.
    pub(crate) fn selects_nodes(&self) -> bool {
        !self.template.node_selector.is_empty()
            || self.spec().is_some_and(|s| s.required_nodes.is_some())
    }

    /// Whether a term of this pod is about a pod of another shape.
    pub(crate) fn term_matches(&self, term: &Term, other: &Shape) -> bool {
        term.term.matches(&self.namespace, &other.namespace, &other.template.labels)
    }

    /// Whether all of its required affinity is about a pod of another shape; not if it has none
    /// (`podMatchesAllAffinityTerms`).
    pub(crate) fn affinity_matches(&self, other: &Shape) -> bool {
        !self.affinity.is_empty() && self.affinity.iter().all(|t| self.term_matches(t, other))
    }
}

/// `filterTopologySpreadConstraints`: the pod's own values of `matchLabelKeys` join the selector.
fn spread_of(
    c: &TopologySpreadConstraint,
    namespace: &str,
    labels: &Labels,
    topologies: &mut Topologies,
    tally: NewTally<'_>,
) -> Spread {
    let own = c.match_label_keys.iter().filter_map(|k| labels.get(k).map(|v| (k, v)));
    // A label that a pod has is a valid one to select.
    let own = own.filter_map(|(k, v)| Requirement::new(k, Operator::Equals, [v.clone()]).ok());
    let selector =
        c.selector.as_ref().map(|s| Selector::new(s.requirements().iter().cloned().chain(own)));
    Spread {
        key: topologies.key(&c.topology_key),
        by_host: c.topology_key == crate::api::node::LABEL_HOSTNAME,
        max_skew: i64::from(c.max_skew),
        tally: tally(namespace, selector.as_ref()),
        selector,
        min_domains: usize::try_from(c.min_domains).unwrap_or(0),
        honor_affinity: c.honor_affinity,
        honor_taints: c.honor_taints,
    }
}

/// The shapes of a run. Templates are known by their place in memory, which their shape keeps.
#[derive(Default, Debug)]
pub(crate) struct Shapes {
    by_template: HashIndex,
    all: Vec<Rc<Shape>>,
}

impl Shapes {
    /// The shape of a template in a namespace.
    pub(crate) fn of(
        &mut self,
        template: &Rc<PodTemplate>,
        namespace: &str,
        topologies: &mut Topologies,
        tally: NewTally<'_>,
    ) -> Rc<Shape> {
        let hash = Rc::as_ptr(template).addr() as u64;
        let is = |number: u32| {
            let shape = &self.all[number as usize];
            Rc::ptr_eq(&shape.template, template) && *shape.namespace == *namespace
        };
        if let Some(known) = self.by_template.find(hash, is) {
            return self.all[known as usize].clone();
        }
        let shape =
            Rc::new(Shape::new(self.all.len() as u32, namespace, template, topologies, tally));
        self.by_template.insert(hash, shape.id);
        self.all.push(shape.clone());
        shape
    }

    /// All of them, by number.
    pub(crate) fn all(&self) -> &[Rc<Shape>] {
        &self.all
    }
}
