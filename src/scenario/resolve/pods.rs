//! Pod groups to pods, how far each is when the run starts, and templates of pods, as the API accepts
//! them.

use super::checks::{checked_labels, read_tolerations, resources};
use super::lives::Written;
use super::pod_names::called;
use super::prelude::*;
use super::priorities::Priorities;
use super::scheduling::scheduling;
use super::volumes::{claims, find_places, name_claims};
use super::{device_claims, lives};
use crate::api::container::MAIN;
use crate::api::pod::{Deletion, PodCondition, PodReason};
use crate::api::toleration::Toleration;

use crate::plan::{Begun, PodStart};

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
        place: &Spot,
        created_later: bool,
        lookup: &Lookup,
    ) -> Vec<PodIndex> {
        let first = self.plans.len() as PodIndex;
        let pods = self.places(group, place, lookup.nodes);
        let template = template(group, place, created_later, lookup);
        let start = start(group, place, created_later);
        let restarts = group.restart_count.unwrap_or(0);
        if restarts > 0 && start.phase() != Some(PodPhase::Running) {
            let text = "only containers that run from the start were started again before";
            place.part("restartCount").say(text);
        }
        let Some(pods) = pods else {
            self.incomplete = true;
            return Vec::new();
        };
        let namespace = group.namespace.as_deref().unwrap_or("default");
        place.part("namespace").take(checks::namespace(namespace));
        let template = self.template(template);
        self.add(namespace, pods, template, start, created_later, &called(group, place).at());
        let declared = first..self.plans.len() as PodIndex;
        let devices: Rc<[String]> = group.devices.iter().cloned().collect();
        for pod in &mut self.plans[first as usize..] {
            pod.devices = Some(devices.clone()).filter(|all| !all.is_empty());
            (pod.restarts, pod.stuck) = (restarts, group.stuck);
        }
        let stem = group.names.as_ref().and_then(|n| n.texts().first()).map(|t| names::stem(t));
        for name in group.name.as_deref().into_iter().chain(stem) {
            let (name, of) = (name.to_owned(), format!("pods/{namespace}"));
            self.groups.push(PodsOf { name, of, pods: declared.clone() });
        }
        declared.collect()
    }

    /// Declares pods one by one. `place` is that of their names.
    pub(super) fn add(
        &mut self,
        namespace: &str,
        pods: Vec<(String, Option<NodeIndex>)>,
        template: u32,
        start: PodStart,
        created_later: bool,
        place: &Spot,
    ) {
        for (name, node) in pods {
            if place.take(checks::object_name("pod", &name)).is_none() {
                self.incomplete = true;
                break;
            }
            let full: Box<str> = format!("{namespace}/{name}").into();
            let known = self.by_name.entry(full.clone()).or_insert(self.plans.len() as PodIndex);
            // A pod that is created later may be another life of a name.
            if *known != self.plans.len() as PodIndex && !created_later {
                place.say(format!("pod `{full}` is declared twice"));
                break;
            }
            self.plans.push(PodPlan {
                name: full,
                template,
                node,
                start,
                devices: None,
                restarts: 0,
                stuck: None,
            });
        }
    }
}

/// How the pods of a group start.
fn start(group: &PodGroup, place: &Spot, created_later: bool) -> PodStart {
    let place = place.part("start");
    let bound = group.on != Placement::Unbound;
    match &group.start {
        None if created_later => PodStart::Absent,
        Some(_) if created_later => {
            place.say("a pod that is created later starts when its kubelet starts it");
            PodStart::Absent
        }
        Some(language::PodStart::Pending) => PodStart::Pending,
        Some(language::PodStart::Running) if !bound => {
            place.say("a pod that is bound to no node cannot be running");
            PodStart::Pending
        }
        Some(language::PodStart::Starting { .. }) if !bound => {
            place.say("a pod that is bound to no node cannot be starting");
            PodStart::Pending
        }
        Some(language::PodStart::Starting { waited, turn, ran }) => {
            PodStart::Starting(begun(group, (waited, turn.as_deref(), ran), &place))
        }
        None if !bound => PodStart::Pending,
        None | Some(language::PodStart::Running) => PodStart::Running,
        Some(language::PodStart::Imported { phase, ready, disruption_target, deletion }) => {
            PodStart::Imported {
                phase: *phase,
                ready: condition(ready, &place.part("ready")),
                disruption_target: condition(disruption_target, &place.part("disruptionTarget")),
                deletion: read_deletion(deletion.as_ref(), &place.part("deletion")),
            }
        }
    }
}

/// How far a pod is that is starting.
fn begun(
    group: &PodGroup,
    (waited, turn, ran): (&Option<DurationText>, Option<&str>, &Option<DurationText>),
    place: &Spot,
) -> Begun {
    let inits = &group.init_containers;
    let named = |name: &str| match name {
        MAIN => Some(inits.len()),
        _ => inits.iter().position(|c| c.name == name),
    };
    let at = turn.and_then(named);
    if let (Some(name), None) = (turn, at) {
        let text = format!("no init container is called {name:?}");
        let help = "the name of one, or `main` where all are done";
        place.part("turn").add(Problem::new(text).help(help));
    }
    if turn.is_some() && waited.is_some() {
        place.part("waited").say("of a container that was started, the start is over");
    }
    if ran.is_some() && at.is_none_or(|at| at == inits.len()) {
        place.part("ran").say("this is for an init container, which `turn` names");
    }
    Begun {
        waited: place.read("waited", waited, values::span).unwrap_or_default(),
        turn: at,
        ran: place.read("ran", ran, values::span),
    }
}

/// A condition that an imported pod has.
fn condition(written: &Option<language::PodCondition>, place: &Spot) -> Option<PodCondition> {
    let c = written.as_ref()?;
    let time = values::stored_seconds(&c.last_transition_time);
    // The names of the language are the words of the API.
    let reason = c.reason.and_then(|r: language::PodReason| PodReason::parse(&format!("{r:?}")));
    Some(PodCondition {
        status: c.status,
        reason: reason.unwrap_or(PodReason::None),
        last_transition_time: Timestamp(place.part("lastTransitionTime").take(time)?),
    })
}

/// The deletion of an imported pod that has begun.
fn read_deletion(written: Option<&language::Deletion>, place: &Spot) -> Option<Deletion> {
    let language::Deletion { timestamp, grace_period_seconds } = written?;
    place.not_negative("gracePeriodSeconds", Some(*grace_period_seconds));
    let time = place.part("timestamp").take(values::stored_seconds(timestamp))?;
    Some(Deletion { timestamp: Timestamp(time), grace_period_seconds: *grace_period_seconds })
}

/// What pods and workloads are looked up in.
pub(super) struct Lookup<'a> {
    pub(super) nodes: &'a Nodes,
    pub(super) claims: &'a device_claims::SharedClaims,
    pub(super) priorities: &'a Priorities,
    pub(super) profile: &'a Profile,
}

/// The template of a group of pods.
pub(super) fn template(
    group: &PodGroup,
    place: &Spot,
    created_later: bool,
    lookup: &Lookup,
) -> PodTemplate {
    let source = group.static_pod.unwrap_or_default();
    let namespace = group.namespace.as_deref().unwrap_or("default");
    let mut template = pod_template(&group.template(), (namespace, place), !created_later, lookup);
    let reference = |Owner { kind, name }| OwnerReference { kind, name, object: None };
    template.owner = group.owner.clone().map(reference);
    let owner = group.owner.as_ref().map(|o| (o.kind.as_str(), o.name.as_str()));
    if owner.is_some_and(|(kind, _)| kind == WorkloadKind::Job.as_str()) {
        template.restart_policy = group.restart_policy.unwrap_or(RestartPolicy::Never);
    }
    name_claims(&mut template.claims, owner);
    template.source = source;
    if source == PodSource::File {
        // The kubelet appends it to what it reads from a file (`pkg/kubelet/config/common.go:
        // applyDefaults`), and the mirror in the API has it.
        template.tolerations.push(Toleration::exists("", Effect::NoExecute, None));
    }
    template
}

/// A template of pods without its owner. Pods that are there have the priority they were admitted
/// with, whatever their class says now.
pub(super) fn pod_template(
    written: &language::PodTemplate,
    (namespace, place): (&str, &Spot),
    admitted: bool,
    lookup: &Lookup,
) -> PodTemplate {
    let grace = written.termination_grace_period_seconds;
    place.not_negative("terminationGracePeriodSeconds", grace);
    let span =
        |field: &str, written: &Option<HowLong>| how_long(written.as_ref()?, &place.part(field));
    let (start, stop) =
        (span("pod_start", &written.pod_start), span("pod_stop", &written.pod_stop));
    if !(0..=255).contains(&written.exit_code.unwrap_or(0)) {
        place.part("exit_code").say("must be between 0 and 255, inclusive");
    }
    let volumes = place.part("volumes");
    let mut claims = claims(&written.volumes, &volumes);
    find_places(&mut claims, lookup.nodes, &volumes);
    let of_devices = place.part("resourceClaims");
    let known = (lookup.nodes, lookup.claims, lookup.profile.scheduler.prioritized_list);
    let devices = device_claims::claims(&written.resource_claims, known, namespace, &of_devices);
    let requests = resources(&written.requests, &place.part("requests")).unwrap_or_default();
    let tolerations = place.part("tolerations");
    let operators = lookup.profile.taint_eviction.comparison_operators;
    PodTemplate {
        labels: checked_labels(&written.labels, &place.part("labels")),
        owner: None,
        source: PodSource::Api,
        tolerations: read_tolerations(&written.tolerations, &tolerations, operators),
        termination_grace_period_seconds: grace,
        node_selector: checked_labels(&written.node_selector, &place.part("nodeSelector")),
        usage: checks::usages(&written.usage, &requests, &place.part("usage")),
        requests,
        empty_dir: written.empty_dir,
        persistent_volumes: written.persistent_volumes,
        claims,
        devices,
        deletion_cost: written.pod_deletion_cost.unwrap_or(0),
        start,
        stop,
        exit_code: written.exit_code,
        image: written.image.as_ref().and_then(|i| lives::image(i, &place.part("image"))),
        life: lives::life(&Written::of_template(written), place),
        containers: lives::containers(written, lookup.profile, place),
        restart_policy: written.restart_policy.unwrap_or_default(),
        priority: lookup.priorities.of(written, place, admitted),
        priority_class_name: written.priority_class_name.clone().unwrap_or_default(),
        scheduling: scheduling(written, lookup.priorities.never_preempts(written), place),
    }
}
