//! Creates and deletes pods for a workload and records events of it
//! (`pkg/controller/controller_utils.go: RealPodControl`).

use super::written::Written;
use crate::controllers::prelude::*;

/// A controller's way to its pods.
#[derive(Clone)]
pub(super) struct PodControl {
    pub(super) client: Client,
    pub(super) recorder: EventRecorder,
    /// What went this way and was not seen yet (`OnWrite`).
    pub(super) written: Written,
}

impl PodControl {
    /// POST of a pod with a generated name, then an event (`CreatePods`). `tracked`: it carries the
    /// finalizer of jobs.
    pub(super) async fn create_pod(&self, owner: &Workload, tracked: bool) -> ApiResult {
        self.create_pod_from(owner, owner.template.clone(), tracked).await
    }

    /// As [`Self::create_pod`], from a template that is not quite the owner's.
    pub(super) async fn create_pod_from(
        &self,
        owner: &Workload,
        template: Rc<PodTemplate>,
        tracked: bool,
    ) -> ApiResult {
        let (id, node) = (owner.id, owner.pinned);
        let created = self
            .client
            .call(self.client.workload_object(owner.id), move |api, actor| {
                let new = Pod::pending(api.generate_pod_name(id), template, node);
                api.create_pod(actor, Pod { job_finalizer: tracked, ..new }, false)
            })
            .await;
        match &created {
            Ok(pod) => {
                self.written.wrote_at(owner, Resource::Pods, pod.resource_version);
                self.tell(owner, EventBody::of_pod(EventText::CreatedPod, pod.id));
            }
            Err(e) => self.tell_words(
                owner,
                EventText::FailedCreate,
                &format!("Error creating: {}", e.of("post pods")),
            ),
        }
        created.map(|_| ())
    }

    /// DELETE of a pod by name, then an event (`DeletePod`).
    pub(super) async fn delete_pod(&self, owner: &Workload, pod: &Pod) -> ApiResult {
        let id = pod.id;
        match self.client.delete_pod(id, None, None).await {
            Ok(()) => {
                self.tell(owner, EventBody::of_pod(EventText::DeletedPod, id));
                Ok(())
            }
            Err(ApiError::NotFound) => Err(ApiError::NotFound),
            Err(e) => {
                let name = (self.client.api()).names(|n| short_name(n.pod_name(id)).to_owned());
                let why = e.of(&format!("delete pods {name}"));
                self.tell_words(owner, EventText::FailedDelete, &format!("Error deleting: {why}"));
                Err(e)
            }
        }
    }

    /// An event about a workload.
    pub(super) fn tell(&self, about: &Workload, body: EventBody) {
        self.recorder.event(About::Workload(about.id, about.uid), body);
    }

    /// An event about a workload in free words.
    pub(super) fn tell_words(&self, about: &Workload, text: EventText, words: &str) {
        let words = self.client.api().names(|n| n.text(words));
        self.tell(about, EventBody::of_words(text, words));
    }
}
