//! What is used on a node, in place of what upstream measures (`pkg/kubelet/server/stats`), and when that could cross a
//! threshold.

use super::eviction::{Observation, Observations};
use crate::api::usage::{NodeUsage, Usage};
use crate::controllers::kubelet::prelude::*;
use crate::plan::Threshold;

/// Nanoseconds in an hour.
const HOUR: i128 = 3_600_000_000_000;

/// A pod whose containers run, and of which it is said what it uses.
struct Running {
    uid: Uid,
    since: Time,
    template: Rc<PodTemplate>,
}

/// What runs on a node.
#[derive(Default)]
pub(super) struct OfNode {
    own: Option<Rc<NodeUsage>>,
    /// Bytes of images that nobody uses and that have no names, and of those that have.
    unused: i64,
    images: i64,
    pods: Vec<Running>,
}

/// What is used on all nodes.
pub(super) struct Stats {
    pub(super) nodes: Rc<Nodes>,
    pub(super) of_nodes: ByNode<OfNode>,
    /// Looks when something could become short now.
    pub(super) planner: HandlerId<NodeId>,
    /// Something is said of what is used; otherwise nothing is kept of any node, and nobody is evicted.
    pub(super) is_said: bool,
}

impl Stats {
    /// A node has a kubelet from now on, and itself uses that.
    pub(super) fn join(&self, node: NodeId, own: Option<Rc<NodeUsage>>) {
        if self.is_said {
            let unused = own.as_ref().map_or(0, |own| own.unused_images);
            self.of_nodes.join(node, OfNode { own, unused, ..OfNode::default() });
            self.changed(node);
        }
    }

    /// The containers of a pod run from now on.
    pub(super) fn started(&self, node: NodeId, pod: &Pod) {
        if pod.template.usage.is_none() {
            return;
        }
        let since = self.nodes.now();
        let running = Running { uid: pod.uid, since, template: pod.template.clone() };
        self.of_nodes.with(node, |n| n.pods.push(running));
        self.changed(node);
    }

    /// The containers of a pod have ended; of all pods of a node if none is named.
    pub(super) fn stopped(&self, node: NodeId, uid: Option<Uid>) {
        let ends = |p: &mut Running| uid.is_none_or(|uid| uid == p.uid);
        let ended = self.of_nodes.with(node, |n| n.pods.extract_if(.., ends).count());
        if ended.is_some_and(|pods| pods > 0) {
            self.changed(node);
        }
    }

    /// What runs of a pod runs on as another: the mirror of a static pod was created again.
    pub(super) fn goes_on_as(&self, node: NodeId, uid: Uid, now: Uid) {
        self.of_nodes.with(node, |n| {
            n.pods.iter_mut().filter(|p| p.uid == uid).for_each(|p| p.uid = now);
        });
    }

    /// Has a node looked at in this instant, if anything is said of what is used there.
    fn changed(&self, node: NodeId) {
        if self.is_measured(node) {
            let now = self.nodes.now();
            self.nodes.ctx.post_at(now, Class::Timer, self.planner, node);
        }
    }

    /// Whether anything is said of what is used on a node.
    pub(super) fn is_measured(&self, node: NodeId) -> bool {
        let is_said = |n: &mut OfNode| n.own.is_some() || !n.pods.is_empty() || n.images > 0;
        self.of_nodes.with(node, is_said) == Some(true)
    }

    /// What a pod uses now: nothing while its containers do not run.
    pub(super) fn of_pod(&self, node: NodeId, uid: Uid, used: Used) -> i64 {
        let now = self.nodes.now();
        let of = |n: &mut OfNode| {
            let pod = n.pods.iter().find(|p| p.uid == uid)?;
            Some(pod.template.usage.as_ref()?.of(used)?.at(now.since(pod.since)))
        };
        self.of_nodes.with(node, of).flatten().unwrap_or(0)
    }

    /// Whether a node has a filesystem for images alone (`HasDedicatedImageFs`): it states how large that is.
    pub(super) fn has_image_fs(&self, node: NodeId) -> bool {
        self.capacity(node, Used::ImageFs).is_some()
    }

    /// How much of something a node has, where that is stated.
    fn capacity(&self, node: NodeId, used: Used) -> Option<i64> {
        let node = self.nodes.api.node(node)?;
        let capacity = node.allocatable.get(used.as_str())?.value();
        Some(i64::try_from(capacity).unwrap_or(i64::MAX))
    }

    /// What a signal is about on a node: its capacity, and what counts against it.
    fn watched(&self, node: NodeId, signal: Signal) -> Option<(i64, &'static [Used])> {
        let own_fs = self.has_image_fs(node);
        let (of, counted): (Used, &[Used]) = match signal {
            Signal::MemoryAvailable | Signal::AllocatableMemoryAvailable => {
                (Used::Memory, &[Used::Memory])
            }
            Signal::PidAvailable => (Used::Pids, &[Used::Pids]),
            Signal::ImageFsAvailable if own_fs => (Used::ImageFs, &[Used::ImageFs]),
            Signal::ImageFsInodesFree if own_fs => (Used::ImageFsInodes, &[Used::ImageFsInodes]),
            Signal::NodeFsAvailable if own_fs => (Used::NodeFs, &[Used::NodeFs]),
            Signal::NodeFsInodesFree if own_fs => (Used::NodeFsInodes, &[Used::NodeFsInodes]),
            Signal::NodeFsAvailable | Signal::ImageFsAvailable => {
                (Used::NodeFs, &[Used::NodeFs, Used::ImageFs])
            }
            Signal::NodeFsInodesFree | Signal::ImageFsInodesFree => {
                (Used::NodeFsInodes, &[Used::NodeFsInodes, Used::ImageFsInodes])
            }
        };
        Some((self.capacity(node, of)?, counted))
    }

    /// What the pods of a node use for a signal, by pod (`podDiskUsage`, `memoryUsage`, `processUsage`).
    pub(super) fn of_pod_for(&self, node: NodeId, uid: Uid, signal: Signal) -> i64 {
        let counted = self.watched(node, signal).map_or(&[][..], |(_, counted)| counted);
        counted.iter().map(|used| self.of_pod(node, uid, *used)).fold(0, i64::saturating_add)
    }

    /// What a pod's container is said to use of a resource: its logs and its writable layer are one, whatever filesystems they are on.
    pub(super) fn of_container(&self, node: NodeId, uid: Uid, resource: Used) -> i64 {
        let layer =
            if resource == Used::NodeFs { self.of_pod(node, uid, Used::ImageFs) } else { 0 };
        self.of_pod(node, uid, resource).saturating_add(layer)
    }

    /// Adds up what is used for a signal on a node, by a measure of each usage at its age.
    fn sum(
        &self,
        (node, signal, counted): (NodeId, Signal, &[Used]),
        mut measure: impl FnMut(&Usage, Dur) -> i128,
    ) -> i128 {
        let now = self.nodes.now();
        let allocatable = signal == Signal::AllocatableMemoryAvailable;
        let add = |n: &mut OfNode| {
            let mut sum = 0;
            for used in counted {
                let own = n.own.as_ref().filter(|_| !allocatable).and_then(|o| o.own.of(*used));
                sum += own.map_or(0, |usage| measure(usage, now.since(Time::ZERO)));
                for pod in &n.pods {
                    let usage = pod.template.usage.as_ref().and_then(|u| u.of(*used));
                    sum += usage.map_or(0, |usage| measure(usage, now.since(pod.since)));
                }
            }
            sum
        };
        self.of_nodes.with(node, add).unwrap_or(0)
    }

    /// The bytes of images that count against a signal.
    fn images(&self, node: NodeId, signal: Signal) -> i128 {
        let counts = signal == Signal::ImageFsAvailable
            || signal == Signal::NodeFsAvailable && !self.has_image_fs(node);
        let there = |n: &mut OfNode| i128::from(n.unused) + i128::from(n.images);
        self.of_nodes.with(node, there).filter(|_| counts).unwrap_or(0)
    }

    /// The images of a node that have names take up so many bytes of its disk, if it says how large that is.
    pub(super) fn images_fill(&self, node: NodeId, bytes: i64) {
        if self.watched(node, Signal::ImageFsAvailable).is_none() {
            return;
        }
        let before = self.of_nodes.with(node, |n| std::mem::replace(&mut n.images, bytes));
        if before.is_some_and(|before| bytes > before) {
            self.changed(node);
        }
    }

    /// Whether there are images that nobody uses and that have no names.
    pub(super) fn has_unused(&self, node: NodeId) -> bool {
        self.of_nodes.with(node, |n| n.unused > 0) == Some(true)
    }

    /// They are deleted, no more than so many bytes of them; how many were.
    pub(super) fn free_unused(&self, node: NodeId, most: i64) -> i64 {
        let free = |n: &mut OfNode| {
            let freed = n.unused.min(most);
            n.unused -= freed;
            freed
        };
        self.of_nodes.with(node, free).unwrap_or(0)
    }

    /// What is there of each signal that can be observed (`makeSignalObservations`).
    pub(super) fn observations(&self, node: NodeId) -> Observations {
        Observations(Signal::ALL.map(|signal| self.observation(node, signal)))
    }

    /// The same of one signal.
    pub(super) fn observation(&self, node: NodeId, signal: Signal) -> Option<Observation> {
        let (capacity, counted) = self.watched(node, signal)?;
        let used = self.sum((node, signal, counted), |usage, age| i128::from(usage.at(age)));
        let left = i128::from(capacity) - used - self.images(node, signal);
        let available = i64::try_from(left.max(0)).unwrap_or(i64::MAX);
        Some(Observation { available, capacity })
    }

    /// The earliest time at which less could be there than a threshold asks for, if nothing starts or ends meanwhile; none if
    /// that will not be. It may be some nanoseconds early, or come to nothing, but is never late.
    pub(super) fn may_be_short(&self, node: NodeId) -> Option<Time> {
        let now = self.nodes.now();
        let first = |t: &Threshold| -> Option<Time> {
            let (capacity, counted) = self.watched(node, t.signal)?;
            let (mut rate, mut rounded, mut until) = (0_i128, 1_i128, None::<Dur>);
            let used = self.sum((node, t.signal, counted), |usage, age| {
                let (per_hour, next) = usage.slope(age);
                let left = next.map(|next| next.saturating_sub(age));
                until = [until, left].into_iter().flatten().min();
                rate += i128::from(per_hour);
                rounded += 1;
                i128::from(usage.at(age))
            });
            let left = i128::from(capacity) - used - self.images(node, t.signal);
            let spare = left - t.value.of(capacity).value() - rounded;
            let crosses = match (spare < 0, rate > 0) {
                (true, _) => Some(0),
                (false, true) => Some(spare * HOUR / rate),
                (false, false) => None,
            };
            let crosses = crosses.and_then(|ns| u64::try_from(ns).ok()).map(Dur::from_nanos);
            let soonest = [crosses, until].into_iter().flatten().min()?;
            Some(now.saturating_add(soonest))
        };
        self.nodes.config(node).eviction.thresholds.iter().filter_map(first).min()
    }
}
