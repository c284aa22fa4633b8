//! What a pod's spec has beyond the recorder's own fields, as the Kubernetes API writes it: read,
//! and written.
//!
//! `k8s.io/api/core/v1/types.go`, v1.34. What is empty is left out of what is written.

use super::plan_error::{PlanError, invalid};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::rc::Rc;
use taintsim::api::labels::{
    LabelSelector, LabelSelectorRequirement, Operator, Requirement, Selector, SelectorOperator,
};
use taintsim::api::pod::PodTemplate;
use taintsim::api::quantity::{Quantity, Resources};
use taintsim::api::scheduling::{
    HostPort, NodeNameRequirement, NodeSelectorTerm, PodAffinity, PodAffinityTerm, SchedulingSpec,
    TopologySpreadConstraint,
};

/// Declares a struct whose fields may all be missing, and are left out where they are empty.
macro_rules! fields {
    ($(#[$meta:meta])* $name:ident { $($(#[$of_field:meta])* $field:ident: $of:ty),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        pub(super) struct $name {
            $($(#[$of_field])* #[serde(skip_serializing_if = "is_empty")] pub(super) $field: $of),*
        }
    };
}

/// Whether a value is its type's empty one.
fn is_empty<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fields! {
    /// `v1.PodSpec`
    PodSpecRest {
        affinity: Option<Affinity>,
        topology_spread_constraints: Vec<Spread>,
        scheduling_gates: Vec<Gate>,
        containers: Vec<Container>,
        volumes: Vec<Volume>,
        priority_class_name: String,
        restart_policy: String,
    }
}
fields! { Gate { name: String } }
fields! { Container { name: String, image: String, resources: Requirements, ports: Vec<Port> } }
fields! { Requirements { requests: BTreeMap<String, String> } }
fields! {
    Port {
        container_port: i32,
        host_port: i32,
        protocol: String,
        #[serde(rename = "hostIP")]
        host_ip: String,
    }
}
fields! { Volume { name: String, empty_dir: Option<EmptyDir> } }
fields! { EmptyDir {} }
fields! {
    Affinity {
        node_affinity: Option<NodeAffinity>,
        pod_affinity: Option<PodTerms>,
        pod_anti_affinity: Option<PodTerms>,
    }
}
fields! {
    NodeAffinity {
        required_during_scheduling_ignored_during_execution: Option<NodeTerms>,
        preferred_during_scheduling_ignored_during_execution: Vec<PreferredNodes>,
    }
}
fields! { NodeTerms { node_selector_terms: Vec<NodeTerm> } }
fields! { PreferredNodes { weight: i32, preference: NodeTerm } }
fields! { NodeTerm { match_expressions: Vec<Expression>, match_fields: Vec<Expression> } }
fields! { Expression { key: String, operator: String, values: Vec<String> } }
fields! {
    PodTerms {
        required_during_scheduling_ignored_during_execution: Vec<PodTerm>,
        preferred_during_scheduling_ignored_during_execution: Vec<WeightedPods>,
    }
}
fields! { WeightedPods { weight: i32, pod_affinity_term: PodTerm } }
fields! {
    PodTerm {
        label_selector: Option<SelectorSpec>,
        namespaces: Vec<String>,
        namespace_selector: Option<SelectorSpec>,
        topology_key: String,
    }
}
fields! {
    Spread {
        max_skew: i32,
        topology_key: String,
        when_unsatisfiable: String,
        label_selector: Option<SelectorSpec>,
        min_domains: Option<i32>,
        node_affinity_policy: String,
        node_taints_policy: String,
        match_label_keys: Vec<String>,
    }
}
fields! {
    /// `metav1.LabelSelector`
    SelectorSpec { match_labels: BTreeMap<String, String>, match_expressions: Vec<Expression> }
}

/// What a template says beyond the recorder's own fields; nothing where it says nothing.
pub(super) fn rest_of(t: &PodTemplate) -> Option<PodSpecRest> {
    let scheduling = t.scheduling.as_deref().cloned().unwrap_or_default();
    let gate = |name: &String| Gate { name: name.clone() };
    let rest = PodSpecRest {
        affinity: affinity_of(&scheduling),
        topology_spread_constraints: scheduling.topology_spread.iter().map(spread_of).collect(),
        scheduling_gates: scheduling.gates.iter().map(gate).collect(),
        containers: containers_of(t, &scheduling),
        volumes: Vec::from_iter(
            t.empty_dir
                .then(|| Volume { name: "scratch".to_owned(), empty_dir: Some(EmptyDir {}) }),
        ),
        priority_class_name: t.priority_class_name.clone(),
        restart_policy: String::new(),
    };
    (rest != PodSpecRest::default()).then_some(rest)
}

/// The containers, where one of the recorder's is not enough.
fn containers_of(t: &PodTemplate, scheduling: &SchedulingSpec) -> Vec<Container> {
    let own = std::slice::from_ref(&t.requests);
    let requests = match &*scheduling.container_requests {
        [] if scheduling.host_ports.is_empty() => return Vec::new(),
        [] => own,
        several => several,
    };
    let port = |p: &HostPort| Port {
        container_port: p.port,
        host_port: p.port,
        protocol: p.protocol.clone(),
        host_ip: p.host_ip.clone(),
    };
    let container = |(i, requests): (usize, &Resources)| Container {
        name: format!("c{i}"),
        image: "image".to_owned(),
        resources: Requirements {
            requests: requests.iter().map(|(r, q)| (r.clone(), q.to_string())).collect(),
        },
        ports: Vec::new(),
    };
    let mut containers: Vec<Container> = requests.iter().enumerate().map(container).collect();
    containers[0].ports = scheduling.host_ports.iter().map(port).collect();
    containers
}

fn affinity_of(s: &SchedulingSpec) -> Option<Affinity> {
    let required = s
        .required_nodes
        .as_ref()
        .map(|terms| NodeTerms { node_selector_terms: terms.iter().map(node_term_of).collect() });
    let preferred = s
        .preferred_nodes
        .iter()
        .map(|(weight, t)| PreferredNodes { weight: *weight, preference: node_term_of(t) });
    let nodes = NodeAffinity {
        required_during_scheduling_ignored_during_execution: required,
        preferred_during_scheduling_ignored_during_execution: preferred.collect(),
    };
    let filled = |terms: PodTerms| (terms != PodTerms::default()).then_some(terms);
    let affinity = Affinity {
        node_affinity: (nodes != NodeAffinity::default()).then_some(nodes),
        pod_affinity: filled(pod_terms_of(&s.pod_affinity)),
        pod_anti_affinity: filled(pod_terms_of(&s.pod_anti_affinity)),
    };
    (affinity != Affinity::default()).then_some(affinity)
}

fn node_term_of(t: &NodeSelectorTerm) -> NodeTerm {
    let field = |f: &NodeNameRequirement| Expression {
        key: "metadata.name".to_owned(),
        operator: if f.is { "In" } else { "NotIn" }.to_owned(),
        values: vec![f.name.clone()],
    };
    NodeTerm {
        match_expressions: t.match_expressions.iter().map(expression_of).collect(),
        match_fields: t.match_fields.iter().map(field).collect(),
    }
}

fn expression_of(r: &Requirement) -> Expression {
    let (key, operator, values) = r.parts();
    let operator = match operator {
        Operator::Equals | Operator::In => "In",
        Operator::NotEquals | Operator::NotIn => "NotIn",
        Operator::Exists => "Exists",
        Operator::DoesNotExist => "DoesNotExist",
        Operator::GreaterThan => "Gt",
        Operator::LessThan => "Lt",
    };
    Expression { key: key.to_owned(), operator: operator.to_owned(), values: values.to_vec() }
}

fn pod_terms_of(a: &PodAffinity) -> PodTerms {
    let term = |t: &PodAffinityTerm| PodTerm {
        label_selector: t.selector.as_ref().map(selector_of),
        namespaces: t.namespaces.clone(),
        namespace_selector: t.all_namespaces.then(SelectorSpec::default),
        topology_key: t.topology_key.clone(),
    };
    let weighted = |(weight, t): &(i32, PodAffinityTerm)| WeightedPods {
        weight: *weight,
        pod_affinity_term: term(t),
    };
    PodTerms {
        required_during_scheduling_ignored_during_execution: a.required.iter().map(term).collect(),
        preferred_during_scheduling_ignored_during_execution: a
            .preferred
            .iter()
            .map(weighted)
            .collect(),
    }
}

fn spread_of(c: &TopologySpreadConstraint) -> Spread {
    let unless_default = |other: bool, text: &str| other.then(|| text.to_owned());
    Spread {
        max_skew: c.max_skew,
        topology_key: c.topology_key.clone(),
        when_unsatisfiable: if c.hard { "DoNotSchedule" } else { "ScheduleAnyway" }.to_owned(),
        label_selector: c.selector.as_ref().map(selector_of),
        min_domains: (c.min_domains > 1).then_some(c.min_domains),
        node_affinity_policy: unless_default(!c.honor_affinity, "Ignore").unwrap_or_default(),
        node_taints_policy: unless_default(c.honor_taints, "Honor").unwrap_or_default(),
        match_label_keys: c.match_label_keys.clone(),
    }
}

/// A selector as the API has it.
pub(super) fn selector_of(selector: &Selector) -> SelectorSpec {
    let mut spec = SelectorSpec::default();
    for requirement in selector.requirements() {
        match requirement.parts() {
            (key, Operator::Equals, [value]) => {
                spec.match_labels.insert(key.to_owned(), value.clone());
            }
            _ => spec.match_expressions.push(expression_of(requirement)),
        }
    }
    spec
}

/// A selector as workloads have it, as the API has it.
pub(super) fn label_selector_of(selector: &LabelSelector) -> SelectorSpec {
    let expression = |e: &LabelSelectorRequirement| Expression {
        key: e.key.clone(),
        operator: e.operator.as_str().to_owned(),
        values: e.values.clone(),
    };
    SelectorSpec {
        match_labels: selector.match_labels.clone(),
        match_expressions: selector.match_expressions.iter().map(expression).collect(),
    }
}

impl SelectorSpec {
    /// The selector that it writes.
    pub(super) fn read(&self) -> Result<LabelSelector, PlanError> {
        let expression = |e: &Expression| {
            let unknown =
                || invalid(format!("{:?} is not a valid label selector operator", e.operator));
            Ok(LabelSelectorRequirement {
                key: e.key.clone(),
                operator: SelectorOperator::parse(&e.operator).ok_or_else(unknown)?,
                values: e.values.clone(),
            })
        };
        Ok(LabelSelector {
            match_labels: self.match_labels.clone(),
            match_expressions: self
                .match_expressions
                .iter()
                .map(expression)
                .collect::<Result<_, PlanError>>()?,
        })
    }

    fn selector(&self) -> Result<Selector, PlanError> {
        self.read()?.as_selector().map_err(|e| invalid(e.to_string()))
    }
}

impl PodSpecRest {
    /// Sets what it says in a template.
    pub(super) fn lay(&self, t: &mut PodTemplate) -> Result<(), PlanError> {
        let mut s = t.scheduling.as_deref().cloned().unwrap_or_default();
        if let Some(affinity) = &self.affinity {
            affinity.lay(&mut s)?;
        }
        let spread = self.topology_spread_constraints.iter();
        s.topology_spread = spread.map(Spread::read).collect::<Result<_, _>>()?;
        s.gates = self.scheduling_gates.iter().map(|g| g.name.clone()).collect();
        self.lay_containers(t, &mut s)?;
        t.empty_dir = self.volumes.iter().any(|v| v.empty_dir.is_some());
        t.priority_class_name.clone_from(&self.priority_class_name);
        if s != SchedulingSpec::default() {
            t.scheduling = Some(Rc::new(s));
        }
        Ok(())
    }

    fn lay_containers(&self, t: &mut PodTemplate, s: &mut SchedulingSpec) -> Result<(), PlanError> {
        let amount = |(name, text): (&String, &String)| {
            let amount = Quantity::parse(text).map_err(|e| invalid(format!("{name}: {e}")))?;
            Ok((name.clone(), amount))
        };
        let requests = |c: &Container| -> Result<Resources, PlanError> {
            c.resources.requests.iter().map(amount).collect()
        };
        let each = self.containers.iter().map(requests);
        let each = each.collect::<Result<Vec<_>, _>>()?;
        if !each.is_empty() {
            t.requests.clear();
        }
        for one in &each {
            for (resource, amount) in one {
                let sum = t.requests.entry(resource.clone()).or_default();
                *sum = Quantity::checked_add(*sum, *amount)
                    .ok_or_else(|| invalid(format!("the requests of {resource} are too much")))?;
            }
        }
        if each.len() > 1 {
            s.container_requests = each;
        }
        let ports = self.containers.iter().flat_map(|c| &c.ports);
        let host_ports = ports.filter(|p| p.host_port != 0).map(|p| HostPort {
            protocol: if p.protocol.is_empty() { "TCP".to_owned() } else { p.protocol.clone() },
            host_ip: p.host_ip.clone(),
            port: p.host_port,
        });
        s.host_ports = host_ports.collect();
        Ok(())
    }
}

impl Affinity {
    fn lay(&self, s: &mut SchedulingSpec) -> Result<(), PlanError> {
        if let Some(nodes) = &self.node_affinity {
            let required = &nodes.required_during_scheduling_ignored_during_execution;
            let terms = |t: &NodeTerms| t.node_selector_terms.iter().map(NodeTerm::read).collect();
            s.required_nodes = required.as_ref().map(terms).transpose()?;
            let preferred = nodes.preferred_during_scheduling_ignored_during_execution.iter();
            let weighted = |p: &PreferredNodes| Ok((p.weight, p.preference.read()?));
            s.preferred_nodes = preferred.map(weighted).collect::<Result<_, PlanError>>()?;
        }
        let terms = |given: &Option<PodTerms>| given.as_ref().map(PodTerms::read).transpose();
        s.pod_affinity = terms(&self.pod_affinity)?.unwrap_or_default();
        s.pod_anti_affinity = terms(&self.pod_anti_affinity)?.unwrap_or_default();
        Ok(())
    }
}

impl NodeTerm {
    fn read(&self) -> Result<NodeSelectorTerm, PlanError> {
        let requirement = |e: &Expression| {
            let operator = match &*e.operator {
                "In" => Operator::In,
                "NotIn" => Operator::NotIn,
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                "Gt" => Operator::GreaterThan,
                "Lt" => Operator::LessThan,
                other => return Err(invalid(format!("{other:?} is no operator of a selector"))),
            };
            Requirement::new(&e.key, operator, e.values.iter().cloned())
                .map_err(|e| invalid(e.to_string()))
        };
        let field = |e: &Expression| match (&*e.key, &*e.operator, &*e.values) {
            ("metadata.name", "In" | "NotIn", [name]) => {
                Ok(NodeNameRequirement { name: name.clone(), is: e.operator == "In" })
            }
            _ => Err(invalid("matchFields takes metadata.name, In or NotIn, and one value")),
        };
        Ok(NodeSelectorTerm {
            match_expressions: self
                .match_expressions
                .iter()
                .map(requirement)
                .collect::<Result<_, _>>()?,
            match_fields: self.match_fields.iter().map(field).collect::<Result<_, _>>()?,
        })
    }
}

impl PodTerms {
    fn read(&self) -> Result<PodAffinity, PlanError> {
        let required = self.required_during_scheduling_ignored_during_execution.iter();
        let preferred = self.preferred_during_scheduling_ignored_during_execution.iter();
        let weighted = |w: &WeightedPods| Ok((w.weight, w.pod_affinity_term.read()?));
        Ok(PodAffinity {
            required: required.map(PodTerm::read).collect::<Result<_, _>>()?,
            preferred: preferred.map(weighted).collect::<Result<_, PlanError>>()?,
        })
    }
}

impl PodTerm {
    fn read(&self) -> Result<PodAffinityTerm, PlanError> {
        if let Some(s) = &self.namespace_selector
            && *s != SelectorSpec::default()
        {
            let what = "a namespaceSelector with conditions".to_owned();
            return Err(PlanError::NotModelled(vec![what]));
        }
        Ok(PodAffinityTerm {
            selector: read_selector(&self.label_selector)?,
            namespaces: self.namespaces.clone(),
            all_namespaces: self.namespace_selector.is_some(),
            topology_key: self.topology_key.clone(),
        })
    }
}

fn read_selector(given: &Option<SelectorSpec>) -> Result<Option<Selector>, PlanError> {
    given.as_ref().map(SelectorSpec::selector).transpose()
}

impl Spread {
    fn read(&self) -> Result<TopologySpreadConstraint, PlanError> {
        Ok(TopologySpreadConstraint {
            max_skew: self.max_skew,
            topology_key: self.topology_key.clone(),
            hard: self.when_unsatisfiable == "DoNotSchedule",
            selector: read_selector(&self.label_selector)?,
            min_domains: self.min_domains.unwrap_or(1),
            honor_affinity: self.node_affinity_policy != "Ignore",
            honor_taints: self.node_taints_policy == "Honor",
            match_label_keys: self.match_label_keys.clone(),
        })
    }
}
