//! What a kubelet says of a pod's container in events: that a probe has failed (`prober.go: probe`), that the container is
//! killed for that (`kuberuntime_manager.go: computePodActions`) and that it is not started again yet (`doBackOff`); and of
//! its image (`image_manager.go: EnsureImageExists`, `kuberuntime_container.go: startContainer`), v1.37.
//!
//! What a probe prints is not known here: the texts are those of a command that prints nothing. Nor is how large an image
//! is, nor all that a container runtime says of a pull that failed. What does not arrive is lost; upstream tries again for
//! two minutes.

use super::pods::Due;
use crate::api::probe::ProbeType;
use crate::controllers::kubelet::prelude::*;
use crate::plan::switches::kubelet::Pulled;

/// Writes these events, of all kubelets.
pub(super) struct ContainerEvents {
    nodes: Rc<Nodes>,
    lives: Rc<Lives>,
}

impl ContainerEvents {
    /// Nothing was said yet.
    pub(super) fn new(nodes: &Rc<Nodes>, lives: &Rc<Lives>) -> Self {
        Self { nodes: nodes.clone(), lives: lives.clone() }
    }

    /// Says something of a pod's container. Kubelets of the recorder say nothing of it.
    fn say(&self, uid: Uid, due: &Due, text: EventText, words: &str) {
        let nodes = &self.nodes;
        let KubeletMode::Real(_) = nodes.mode else { return };
        let body = EventBody::of_words(text, nodes.api.names(|n| n.text(words)));
        let about = About::Pod(due.pod, Some(uid));
        let said = self.lives.said(uid, |said| said.correlate(about, body, nodes.now()));
        let Some((name, count)) = said.filter(|_| nodes.is_heard(due.node)) else { return };
        let patched =
            count > 1 && nodes.api.patch_event(Actor::Kubelet, name, body, false, count).is_ok();
        if !patched {
            let _ = nodes.api.create_event(Actor::Kubelet, name, body, false, count);
        }
    }

    /// Says of the probes that have failed since this was said last that they have.
    pub(super) fn say_failures(&self, uid: Uid, due: &Due) {
        let failed = self.lives.with(uid, |c| std::mem::take(&mut c.failed)).unwrap_or_default();
        for which in failed {
            let probe = ["Liveness", "Readiness", "Startup"][which as usize];
            self.say(uid, due, EventText::Unhealthy, &format!("{probe} probe failed: "));
        }
    }

    /// Says that the container is killed because a probe has failed.
    pub(super) fn say_killing(&self, uid: Uid, due: &Due, which: ProbeType, restarts: bool) {
        let then = if restarts { ", will be restarted" } else { "" };
        let words = format!("Container main failed {} probe{then}", which.as_str());
        self.say(uid, due, EventText::Killing, &words);
    }

    /// Says that the container is not started again yet.
    pub(super) fn say_back_off(&self, uid: Uid, due: &Due) {
        let mut words = "Back-off restarting failed container".to_owned();
        if self.nodes.switches.life.back_off_says_which {
            let full = self.nodes.api.names(|n| n.pod_name(due.pod).to_owned());
            let (namespace, name) = full.split_once('/').unwrap_or(("default", &full));
            words += &format!(" main in pod {name}_{namespace}({})", uid.0);
        }
        self.say(uid, due, EventText::BackOff, &words);
    }

    /// Says that the image of the container is there.
    pub(super) fn say_present(&self, uid: Uid, due: &Due, image: &str) {
        let accessed = self.nodes.switches.life.checks_pulled_secrets;
        let accessed = if accessed { " and can be accessed by the pod" } else { "" };
        let words = format!("Container image \"{image}\" already present on machine{accessed}");
        self.say(uid, due, EventText::Pulled, &words);
    }

    /// Says that the image is to be pulled.
    pub(super) fn say_pulling(&self, uid: Uid, due: &Due, image: &str) {
        self.say(uid, due, EventText::Pulling, &format!("Pulling image \"{image}\""));
    }

    /// Says that the image was pulled, in how much time without and with its wait.
    pub(super) fn say_pulled(&self, uid: Uid, due: &Due, image: &str, (took, all): (Dur, Dur)) {
        let mut words = format!("Successfully pulled image \"{image}\"");
        words += &match self.nodes.switches.life.pulled {
            Pulled::Image => String::new(),
            Pulled::Took => format!(" in {all}"),
            Pulled::Waited => format!(" in {took} ({all} including waiting)"),
            Pulled::Size => format!(" in {took} ({all} including waiting). Image size: 0 bytes."),
        };
        self.say(uid, due, EventText::Pulled, &words);
    }

    /// Says that the image could not be pulled.
    pub(super) fn say_pull_failed(&self, uid: Uid, due: &Due, image: &str, why: &str) {
        let words = format!("Failed to pull image \"{image}\": {why}");
        self.say(uid, due, EventText::Failed, &words);
        self.say(uid, due, EventText::Failed, "Error: ErrImagePull");
    }

    /// Says that the image is not pulled again yet.
    pub(super) fn say_pull_backs_off(&self, uid: Uid, due: &Due, image: &str) {
        let words = format!("Back-off pulling image \"{image}\"");
        self.say(uid, due, EventText::BackOffPullImage, &words);
        self.say(uid, due, EventText::Failed, "Error: ImagePullBackOff");
    }
}
