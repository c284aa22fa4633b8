//! The pods of a StatefulSet, each with a name of its own (`stateful_pod_control.go`, v1.34).

use super::core::Core;
use crate::controllers::prelude::*;
use crate::plan::switches::workload::StatefulSetSwitches;

/// Creates and deletes the pods of StatefulSets and records events of it (`StatefulPodControl`).
pub(super) struct StatefulPodControl {
    core: Rc<Core>,
    switches: StatefulSetSwitches,
}

impl StatefulPodControl {
    /// That of a release with these switches.
    pub(super) fn new(core: &Rc<Core>, switches: StatefulSetSwitches) -> Self {
        StatefulPodControl { core: core.clone(), switches }
    }

    /// `CreateStatefulPod`; a pod that is there already is a failure that is not reported.
    pub(super) async fn create_stateful_pod(&self, set: &Rc<Workload>, ordinal: i64) -> ApiResult {
        let id = self.core.client.api().names(|n| {
            let full = n.workload_name(set.id).to_owned();
            let pod = n.pod(&format!("{}/{}-{ordinal}", namespace_of(&full), short_name(&full)));
            n.set_owner(pod, set.id);
            pod
        });
        let new = Pod::pending(id, set.template.clone(), set.pinned);
        let (client, about) = (&self.core.client, self.core.client.pod_object(id));
        let create = move |api: &ApiServer, actor| api.create_pod(actor, new, false);
        let created = client.call(about, create).await;
        match created {
            Err(ApiError::AlreadyExists) => return Err(ApiError::AlreadyExists),
            Ok(ref pod) => self.core.written.wrote_at(set, Resource::Pods, pod.resource_version),
            Err(_) => {}
        }
        let (done, failed) = (EventText::SuccessfulCreate, EventText::FailedCreate);
        let text = if created.is_ok() { done } else { failed };
        self.record_pod_event("create", text, set, id, created.map(drop))
    }

    /// `DeleteStatefulPod`
    pub(super) async fn delete_stateful_pod(&self, set: &Rc<Workload>, pod: &Rc<Pod>) -> ApiResult {
        let id = pod.id;
        let mut deleted = self.core.client.delete_pod(id, None, None).await;
        if deleted == Err(ApiError::NotFound) && self.switches.missing_is_deleted {
            deleted = Ok(());
        }
        let text =
            if deleted.is_ok() { EventText::SuccessfulDelete } else { EventText::FailedDelete };
        self.record_pod_event("delete", text, set, id, deleted)
    }

    /// `recordPodEvent`; gives back how the write ended.
    fn record_pod_event(
        &self,
        verb: &str,
        text: EventText,
        set: &Workload,
        pod: PodId,
        result: ApiResult,
    ) -> ApiResult {
        let (name, set_name) = self.core.client.api().names(|n| {
            let (pod, set) = (n.pod_name(pod), n.workload_name(set.id));
            (short_name(pod).to_owned(), short_name(set).to_owned())
        });
        let mut words = format!("{verb} Pod {name} in StatefulSet {set_name}");
        if self.switches.capital_words {
            words[..1].make_ascii_uppercase();
        }
        words += &match result {
            Ok(()) => " successful".to_owned(),
            Err(e) if verb == "create" => format!(" failed error: {}", e.of("post pods")),
            Err(e) => format!(" failed error: {}", e.of(&format!("delete pods {name}"))),
        };
        self.core.tell_words(set, text, &words);
        result
    }

    /// That a pod has ended and another one takes its place.
    pub(super) fn tell_of_recreation(&self, set: &Workload, pod: &Pod) {
        let (text, how) = match pod.phase {
            PodPhase::Failed => (EventText::RecreatingFailedPod, "failed"),
            _ => (EventText::RecreatingTerminatedPod, "terminated"),
        };
        let words = self.core.client.api().names(|n| {
            let (full, pod) = (n.workload_name(set.id), short_name(n.pod_name(pod.id)));
            let (namespace, name) = (namespace_of(full), short_name(full));
            format!("StatefulSet {namespace}/{name} is recreating {how} Pod {pod}")
        });
        self.core.tell_words(set, text, &words);
    }
}
