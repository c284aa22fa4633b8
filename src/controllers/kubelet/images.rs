//! Images that are pulled before a container starts (`pkg/kubelet/images/image_manager.go`, `EnsureImageExists`; `puller.go`;
//! `helpers.go`, `throttleImagePulling`), v1.37.
//!
//! Whether an image is there is looked up before its pull is asked for, and not once more when its turn comes: pods that
//! waited in line for one image pull it one after the other, all but the first in the time that asking the registry takes.
//! Pulls at one time do not slow each other; of one image those that come later end with the first. A pull that is given up,
//! as its pod is to end or its kubelet has died, leaves nothing behind. A pod that is to end and waits for its turn goes on to:
//! whatever becomes of its context, `EnsureImageExists` waits for the puller, and the pod's worker for that.
//!
//! A kubelet says in events what becomes of an image (`EnsureImageExists`; `kuberuntime_container.go: startContainer`). Not all that a
//! container runtime says of a pull that failed is known, and an image of which nobody says how large it is has 0 bytes.

use super::lives::Lives;
use super::pods::of_life;
use super::pull::{Backoffs, Pull};
use super::stats::Stats;
use super::status_manager::{BACK_OFF_PERIOD, StatusManager};
use crate::api::container::Image;
use crate::client::TokenBucket;
use crate::controllers::kubelet::prelude::*;
use crate::plan::switches::kubelet::Pulled;
use crate::plan::{Limits, RegistryFails};
use std::cmp::Ordering;

/// The images of a node.
#[derive(Default)]
struct OfNode {
    there: Rc<BTreeSet<Rc<str>>>,
    /// Pods whose pulls wait for their turn.
    waiting: VecDeque<Uid>,
    pulling: Vec<Pull>,
    /// `registryPullQPS`, `registryBurst`; none where pulls are not limited.
    bucket: Option<TokenBucket>,
}

/// What is known of a pod that has asked for the image of one of its containers.
#[derive(Clone, Copy)]
struct Asked {
    /// When it first did, and when it last did.
    first: Time,
    last: Time,
}

/// The image managers of all kubelets.
pub(super) struct Images {
    nodes: Rc<Nodes>,
    pods: Rc<Pods>,
    pub(super) lives: Rc<Lives>,
    status: Rc<StatusManager>,
    stats: Rc<Stats>,
    /// How large images are, where that is known.
    sizes: BTreeMap<Rc<str>, i64>,
    /// Of nodes of which there is something to know.
    of_nodes: Shared<BTreeMap<NodeId, OfNode>>,
    /// By the life of a pod, and which of its containers it is.
    asked: Shared<BTreeMap<(Uid, usize), Asked>>,
    backoffs: Backoffs,
    /// How the registry fails, if it does.
    registry: Cell<Option<RegistryFails>>,
    /// The status of a node says which images it has.
    pub(super) lists: bool,
    /// Ends a pull.
    puller: HandlerId<NodeId>,
}

impl Images {
    /// No node has any.
    pub(super) fn new(
        (nodes, pods): Base,
        (status, stats): (&Rc<StatusManager>, &Rc<Stats>),
        sizes: BTreeMap<Rc<str>, i64>,
        puller: HandlerId<NodeId>,
    ) -> Self {
        Self {
            nodes,
            pods,
            lives: status.lives.clone(),
            status: status.clone(),
            stats: stats.clone(),
            lists: !sizes.is_empty(),
            sizes,
            of_nodes: Shared::default(),
            asked: Shared::default(),
            backoffs: Backoffs::default(),
            registry: Cell::new(None),
            puller,
        }
    }

    /// A node has a kubelet from now on, and these images.
    pub(super) fn join(&self, node: NodeId, images: &[Rc<str>]) {
        self.of_nodes.with(|all| all.remove(&node));
        if !images.is_empty() {
            self.with(node, |n| n.there = Rc::new(images.iter().cloned().collect()));
        }
        self.fill(node);
    }

    /// What images take up of a node's disk is as its images are.
    fn fill(&self, node: NodeId) {
        if self.lists {
            let size = |image: &Rc<str>| self.sizes.get(image).copied();
            let bytes = self.there(node).iter().filter_map(size).fold(0, i64::saturating_add);
            self.stats.images_fill(node, bytes);
        }
    }

    /// The images of a node.
    pub(super) fn there(&self, node: NodeId) -> Rc<BTreeSet<Rc<str>>> {
        self.with(node, |n| n.there.clone())
    }

    /// `GetImageList`: what the node's status is to say, where it says that; of any number of images.
    pub(super) fn listed(&self, node: NodeId) -> Option<Rc<BTreeSet<Rc<str>>>> {
        self.lists.then(|| self.there(node))
    }

    /// Whether what is listed may change without anything happening to the node's pods in the API.
    pub(super) fn is_restless(&self, node: NodeId) -> bool {
        let pulls = |uid| {
            let due = self.pods.due(uid);
            due.is_some_and(|d| d.unpulled || d.turns.are_several() && !d.up)
        };
        self.lists && self.pods.of_node(node).into_iter().any(pulls)
    }

    /// Changes which images a node has, of which its status tells.
    fn change(&self, node: NodeId, f: impl FnOnce(&mut BTreeSet<Rc<str>>)) {
        self.with(node, |n| f(Rc::make_mut(&mut n.there)));
        if self.lists {
            self.nodes.view_changes(node);
        }
        self.fill(node);
    }

    fn with<R>(&self, node: NodeId, f: impl FnOnce(&mut OfNode) -> R) -> R {
        self.of_nodes.with(|all| {
            let new = || OfNode { bucket: self.bucket(node), ..OfNode::default() };
            f(all.entry(node).or_insert_with(new))
        })
    }

    /// What limits the pulls of a kubelet.
    fn bucket(&self, node: NodeId) -> Option<TokenBucket> {
        let config = self.nodes.config(node);
        let (qps, burst) = (config.settings.registry_qps as f32, config.settings.registry_burst);
        (qps > 0.0).then(|| TokenBucket::new(Limits { qps, burst }))
    }

    /// A pod runs there already, so that its image is there.
    pub(super) fn is_there(&self, node: NodeId, pod: &Pod) {
        for image in pod.template.images() {
            self.with(node, |n| Rc::make_mut(&mut n.there).insert(image.name.clone()));
            self.fill(node);
        }
    }

    /// The image of the container whose turn it is, of a pod whose sync may have come so far that it needs it.
    fn wanted(&self, uid: Uid) -> Option<(Due, Rc<Image>)> {
        let due = self.pods.due(uid).filter(|d| {
            d.unpulled
                && d.admission == Admission::Admitted
                && d.refused.is_none()
                && d.stop == Time::MAX
                && d.held.is_none()
                && d.evicted.is_none()
                && d.orphaned.is_none()
        })?;
        let pod = self.pods.object(uid, &due).filter(|p| !p.phase.is_terminal())?;
        Some((due, pod.template.image_of(due.turns.turn)?.clone()))
    }

    /// `EnsureImageExists`, once the sync of a pod has come to that: it starts, asks for a pull, or waits before it does.
    pub(super) fn work(&self, uid: Uid) {
        let now = self.nodes.now();
        let Some((due, image)) = self.wanted(uid) else { return };
        if due.waits || now < due.start || !self.nodes.works(due.node) {
            return;
        }
        if due.turns.are_several()
            && let Some(pod) = self.pods.object(uid, &due)
        {
            self.lives.begin(&pod, &due);
        }
        let (asked, which) = (Asked { first: now, last: now }, (uid, due.turns.turn));
        let first = self.asked.with(|all| all.entry(which).or_insert(asked).first);
        if !image.always && self.has(due.node, &image) {
            let accessed = self.nodes.switches.life.checks_pulled_secrets;
            let accessed = if accessed { " and can be accessed by the pod" } else { "" };
            let words =
                format!("Container image \"{}\" already present on machine{accessed}", image.name);
            self.lives.say(uid, &due, EventText::Pulled, &words);
            return self.starts(uid, &due, first);
        }
        if self.backoffs.until(uid, &image.name).is_some_and(|at| now < at) {
            let words = format!("Back-off pulling image \"{}\"", image.name);
            self.lives.say(uid, &due, EventText::BackOffPullImage, &words);
            self.lives.say(uid, &due, EventText::Failed, "Error: ImagePullBackOff");
            return self.tries_again(uid, &due, &image);
        }
        let words = format!("Pulling image \"{}\"", image.name);
        self.lives.say(uid, &due, EventText::Pulling, &words);
        let before = self.with(due.node, |n| {
            n.waiting.push_back(uid);
            n.pulling.len() + n.waiting.len() - 1
        });
        self.asked.with(|all| {
            if let Some(asked) = all.get_mut(&which) {
                asked.last = now;
            }
        });
        self.pods.with_due(uid, |d| (d.start, d.start_known) = (Time::MAX, true));
        self.lives.note(due.pod, Note::ImagePulling, before as u32);
        self.next(due.node);
    }

    fn has(&self, node: NodeId, image: &Image) -> bool {
        self.with(node, |n| n.there.contains(&image.name))
    }

    /// The image of a pod is there, and its container starts; `first`: when it was first asked for.
    fn starts(&self, uid: Uid, due: &Due, first: Time) {
        let now = self.nodes.now();
        // A container that is started again, or after another, runs at once, as its sandbox is there.
        let at_once = due.down || due.turns.begun;
        let start = if at_once { now } else { now + due.starting };
        self.asked.with(|all| all.remove(&(uid, due.turns.turn)));
        self.pods.with_due(uid, |d| {
            (d.unpulled, d.start_known) = (false, true);
            (d.start, d.pulled) = (start, now.since(first));
        });
        self.pods.work_at(uid, start);
    }

    /// Begins the pulls whose turn it is.
    fn next(&self, node: NodeId) {
        let now = self.nodes.now();
        let at_a_time = self.nodes.config(node).settings.image_pulls_at_a_time();
        let turn = |n: &mut OfNode| {
            let may = n.pulling.len() < at_a_time;
            let uid = if may { n.waiting.pop_front() } else { None };
            uid.map(|uid| (uid, n.bucket.as_mut().is_none_or(|b| b.try_accept(now))))
        };
        while let Some((uid, accepted)) = self.with(node, turn) {
            self.lets_go(uid);
            let Some((due, image)) = self.wanted(uid) else { continue };
            if !accepted {
                self.fails(uid, &due, &image, "pull QPS exceeded");
            } else if self.registry.get() == Some(RegistryFails::Refused) {
                self.fails(uid, &due, &image, REFUSED);
            } else {
                self.begins(uid, &due, &image);
            }
        }
    }

    /// A pod waits for its turn no more; where it is to end, its worker gets to that.
    fn lets_go(&self, uid: Uid) {
        let Some(stop) = self.pods.due(uid).and_then(|d| d.held) else { return };
        let at = self.nodes.now() + stop;
        self.pods.with_due(uid, |d| (d.held, d.stop, d.stop_known) = (None, d.stop.min(at), true));
        self.pods.work_at(uid, at);
    }

    /// A pull begins.
    fn begins(&self, uid: Uid, due: &Due, image: &Image) {
        let (ctx, now) = (&self.nodes.ctx, self.nodes.now());
        let ends = if self.has(due.node, image) {
            now + image.check
        } else if let Some(ends) = self.same_pull(due.node, image) {
            ends.max(now + image.check)
        } else {
            now + image.pull.draw(ctx, ctx.point("image-pull"), self.pods.of_chance(due.pod))
        };
        self.under_way(due.node, Pull { uid, begun: now, ends, hangs: None });
    }

    /// A pull is under way, which depends on the registry.
    fn under_way(&self, node: NodeId, mut pull: Pull) {
        pull.goes_on(self.nodes.now(), self.registry.get());
        self.with(node, |n| n.pulling.push(pull));
        self.nodes.ctx.post_at(pull.ends, Class::Source, self.puller, node);
    }

    /// When the pull of an image ends that is under way on a node.
    fn same_pull(&self, node: NodeId, image: &Image) -> Option<Time> {
        let pulling = self.with(node, |n| n.pulling.clone());
        let is_it = |p: &&Pull| self.wanted(p.uid).is_some_and(|(_, i)| i.name == image.name);
        pulling.iter().filter(|p| p.hangs.is_none()).filter(is_it).map(|p| p.ends).min()
    }

    /// Pulls of a node end now, if they were not given up.
    pub(super) fn pulled(&self, node: NodeId) {
        let now = self.nodes.now();
        let over = |n: &mut OfNode| n.pulling.extract_if(.., |p| p.ends <= now).collect();
        let over: Vec<Pull> = self.with(node, over);
        for Pull { uid, begun, hangs, .. } in over {
            let Some((due, image)) = self.wanted(uid) else { continue };
            if let Some((_, why)) = hangs {
                self.fails(uid, &due, &image, why);
                continue;
            }
            self.change(node, |there| _ = there.insert(image.name.clone()));
            let asked = self.asked.with(|all| all.get(&(uid, due.turns.turn)).copied());
            let (first, last) = asked.map_or((now, now), |a| (a.first, a.last));
            let Image { name, size, .. } = &*image;
            let (took, all) = (now.since(begun), now.since(last));
            let took = match self.nodes.switches.life.pulled {
                Pulled::Image => String::new(),
                Pulled::Took => format!(" in {all}"),
                Pulled::Waited => format!(" in {took} ({all} including waiting)"),
                Pulled::Size => {
                    format!(" in {took} ({all} including waiting). Image size: {size} bytes.")
                }
            };
            let words = format!("Successfully pulled image \"{name}\"{took}");
            self.lives.say(uid, &due, EventText::Pulled, &words);
            let waited = u32::try_from(now.since(first).as_millis()).unwrap_or(u32::MAX);
            self.lives.note(due.pod, Note::ImagePulled, waited);
            self.starts(uid, &due, first);
        }
        self.next(node);
    }

    /// A pull has failed: ErrImagePull.
    fn fails(&self, uid: Uid, due: &Due, image: &Image, why: &str) {
        let now = self.nodes.now();
        let lasts = self.backoffs.next(uid, &image.name, now);
        let words = format!("Failed to pull image \"{}\": {why}", image.name);
        self.lives.say(uid, due, EventText::Failed, &words);
        self.lives.say(uid, due, EventText::Failed, "Error: ErrImagePull");
        let seconds = lasts.as_nanos() / 1_000_000_000;
        self.lives.note(due.pod, Note::ImagePullFailed, seconds as u32);
        self.tries_again(uid, due, image);
    }

    /// A pod whose sync failed for an image is synced again some time later; by the recorder's kubelets when its back-off is
    /// over. Of several containers those that come after this one are started before. Of one that has ended its own back-off is
    /// asked first, which each sync that found it over has made longer (`doBackOff`).
    fn tries_again(&self, uid: Uid, due: &Due, image: &Image) {
        let (now, which) = (self.nodes.now(), (uid, due.turns.turn));
        let at = match self.nodes.mode {
            KubeletMode::Imitated(_) => {
                self.backoffs.until(uid, &image.name).unwrap_or(now + BACK_OFF_PERIOD)
            }
            KubeletMode::Real(_) => {
                let jitter = self.nodes.ctx.point("image-back-off-jitter");
                now + self.status.until_resync(due, BACK_OFF_PERIOD, jitter)
            }
        };
        let has_ended = self.lives.with(which, |c| c.exited.is_some()) == Some(true);
        if !due.turns.are_several() && !has_ended {
            self.pods.with_due(uid, |d| (d.start, d.start_known) = (at, true));
            return self.pods.work_at(uid, at);
        }
        self.lives.with(which, |c| c.noticed = Some(at));
        self.pods.with_due(uid, |d| {
            (d.start, d.start_known, d.unpulled) = (Time::MAX, true, false);
            d.turns.pass = Some(d.turns.next());
        });
        self.pods.work_at(uid, now);
    }

    /// The registry fails so, or everybody can pull from it again.
    pub(super) fn registry(&self, fails: Option<RegistryFails>) {
        if self.registry.replace(fails) == fails {
            return;
        }
        for node in self.of_nodes.with(|all| all.keys().copied().collect::<Vec<NodeId>>()) {
            let pulling = self.with(node, |n| std::mem::take(&mut n.pulling));
            for pull in pulling {
                if fails != Some(RegistryFails::Refused) {
                    self.under_way(node, pull);
                } else if let Some((due, image)) = self.wanted(pull.uid) {
                    self.fails(pull.uid, &due, &image, REFUSED);
                }
            }
            self.next(node);
        }
    }

    /// A pod needs its image no more. It keeps its place in line, where nothing comes of it; whether it has one.
    pub(super) fn gives_up(&self, node: NodeId, uid: Uid) -> bool {
        if self.forget(uid) {
            self.with(node, |n| n.pulling.retain(|p| p.uid != uid));
            self.next(node);
        }
        self.of_nodes.with(|all| all.get(&node).is_some_and(|n| n.waiting.contains(&uid)))
    }

    /// A kubelet has died, with its machine or alone: its pulls are given up, and asked for again once it lives.
    pub(super) fn kubelet_dies(&self, node: NodeId) {
        let now = self.nodes.now();
        if !self.of_nodes.with(|all| all.contains_key(&node)) {
            return;
        }
        self.with(node, |n| {
            n.waiting.clear();
            n.pulling.clear();
        });
        for uid in self.pods.of_node(node) {
            self.lets_go(uid);
            if self.forget(uid) {
                self.pods.with_due(uid, |d| {
                    if d.unpulled {
                        d.start = now;
                    }
                });
            }
        }
    }

    /// Nothing is known any more of what a pod has asked for; whether there was anything.
    fn forget(&self, uid: Uid) -> bool {
        self.backoffs.forget(uid);
        self.asked.with(|all| all.extract_if(of_life(uid), |_, _| true).count() > 0)
    }

    /// Deletes the containers of pods that have ended, so that they use no image any more (`DeleteAllUnusedContainers`:
    /// `kuberuntime_gc.go: evictContainers` with `evictNonDeletedPods`, `ShouldPodRuntimeBeRemoved`; of pods that run each
    /// container keeps its last dead one).
    pub(super) fn delete_all_unused_containers(&self, node: NodeId) {
        for uid in self.pods.of_node(node) {
            let is_terminated = |due: &Due, pod: &Pod| {
                pod.phase.is_terminal() || due.is_over(pod) || self.lives.finished(uid).is_some()
            };
            if let Some(due) = self.pods.due(uid)
                && !self.runs(uid, &due)
                && self.pods.object(uid, &due).is_some_and(|pod| is_terminated(&due, &pod))
            {
                self.pods.with_due(uid, |d| d.removed = true);
            }
        }
    }

    fn runs(&self, uid: Uid, due: &Due) -> bool {
        due.up || self.lives.any_runs(uid)
    }

    /// The images that containers of a node use, dead ones as well: those of a pod that is evicted or deleted go once it has
    /// ended (`ShouldPodContentBeRemoved`).
    pub(super) fn used(&self, node: NodeId) -> BTreeSet<Rc<str>> {
        let used = |uid: Uid| {
            let due = self.pods.due(uid)?;
            let pod = self.pods.object(uid, &due)?;
            let goes = due.evicted.is_some() || pod.is_terminating();
            if due.removed || goes && !self.runs(uid, &due) {
                return None;
            }
            let all = due.up || due.down;
            let own =
                (0..=due.turns.others).filter(move |place| match place.cmp(&due.turns.turn) {
                    Ordering::Less => true,
                    Ordering::Equal => all || !due.unpulled,
                    Ordering::Greater => all,
                });
            Some(own.filter_map(move |place| Some(pod.template.image_of(place)?.name.clone())))
        };
        self.pods.of_node(node).into_iter().filter_map(used).flatten().collect()
    }

    /// Images that no container uses are deleted, and have to be pulled again.
    pub(super) fn delete_unused(&self, node: NodeId) {
        let used = self.used(node);
        self.change(node, |there| there.retain(|image| used.contains(image)));
    }

    /// An image is deleted; how many bytes that frees.
    pub(super) fn delete(&self, node: NodeId, image: &Rc<str>) -> i64 {
        self.change(node, |there| _ = there.remove(image));
        self.sizes.get(image).copied().unwrap_or(0)
    }
}

/// Why a pull fails that nobody answers, in place of what the container runtime says.
const REFUSED: &str = "connection refused";
