//! Images that nobody uses are deleted (`pkg/kubelet/images/image_gc_manager.go`; `kubelet.go`, `StartGarbageCollection`), v1.37, older
//! releases by [`ImageGcSwitches`](crate::plan::switches::kubelet::ImageGcSwitches).
//!
//! Every five minutes a kubelet notes which images there are and which are in use. It deletes those that have not been used for too
//! long, if it has a longest age, and others while the disk is too full: the one first that was last used longest ago. Upstream
//! has a loop for the notes and one for the rest, which begin together. What is used is that of the instant, also when a
//! kubelet has just been started. Of images alike the first by name goes, where Go's map decides.
//!
//! Left out: images that the runtime pins; a disk of no bytes (InvalidDiskCapacity).

use super::asleep::Sleepers;
use super::eviction::Observation;
use super::images::Images;
use super::lives::Said;
use super::stats::Stats;
use crate::controllers::kubelet::prelude::*;
use crate::kernel::EventKey;
use crate::plan::ImageGcPolicy;
use crate::plan::switches::kubelet::TooLittle;

/// `ImageGCPeriod`
const IMAGE_GC_PERIOD: Dur = Dur::from_secs(300);

/// In an instant that has both it comes behind the look of the eviction manager, whenever either was scheduled.
const BEHIND_LOOKS: u64 = 1 << 22;

/// The name of the images that have none (`unused_images`), which are deleted as far as it takes.
const UNNAMED: &str = "";

/// What is known of an image, and its name: in this order they are deleted (`byLastUsedAndDetected`).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Record {
    /// When it was last found in use; none is never.
    last_used: Option<Time>,
    /// When it was first found; none is long ago.
    first_detected: Option<Time>,
    name: Rc<str>,
}

/// What one collector knows.
#[derive(Default)]
struct Collector {
    records: Vec<Record>,
    /// When it began; none is long ago.
    began: Option<Time>,
    /// It has looked for images.
    initialized: bool,
    /// It could not delete enough when it last tried (`prevImageGCFailed`).
    failed: bool,
    next: Option<EventKey>,
    said: Said,
}

/// The image garbage collectors of all kubelets.
pub(super) struct ImageGcManager {
    nodes: Rc<Nodes>,
    stats: Rc<Stats>,
    pub(super) images: Rc<Images>,
    sleepers: Rc<Sleepers>,
    /// Something is known of images, and of disks.
    is_on: bool,
    collectors: ByNode<Collector>,
    /// Has a collector do its work.
    ticker: HandlerId<NodeId>,
}

impl ImageGcManager {
    /// None runs yet.
    pub(super) fn new(
        nodes: &Rc<Nodes>,
        (stats, images): (&Rc<Stats>, &Rc<Images>),
        sleepers: &Rc<Sleepers>,
        (is_on, ticker): (bool, HandlerId<NodeId>),
    ) -> Self {
        let (nodes, stats, images) = (nodes.clone(), stats.clone(), images.clone());
        let (sleepers, collectors) = (sleepers.clone(), ByNode::default());
        Self { nodes, stats, images, sleepers, is_on, collectors, ticker }
    }

    /// A node has a kubelet from now on, which has been running for long unless it is started.
    pub(super) fn join(&self, node: NodeId) {
        if !self.is_on || self.stats.observation(node, Signal::ImageFsAvailable).is_none() {
            return;
        }
        self.collectors.join(node, Collector::default());
        if self.nodes.real().is_some() {
            let most = IMAGE_GC_PERIOD - Dur::from_nanos(1);
            let phase = self.nodes.draw("image-gc-phase", node, most);
            self.schedule(node, self.nodes.now() + phase);
        }
    }

    /// A kubelet ends: what its collector knew is gone with it.
    pub(super) fn stops(&self, node: NodeId) {
        if let Some(key) = self.collectors.with(node, |c| std::mem::take(c).next).flatten() {
            self.nodes.ctx.cancel(key);
        }
    }

    /// A kubelet starts, and its collector begins then.
    pub(super) fn starts(&self, node: NodeId, at: Time) {
        self.stops(node);
        if self.collectors.with(node, |c| c.began = Some(at)).is_some() {
            self.schedule(node, at);
        }
    }

    fn schedule(&self, node: NodeId, at: Time) {
        let ctx = &self.nodes.ctx;
        let rank = BEHIND_LOOKS + u64::from(node.0);
        let key = ctx.post_ranked(at, Class::Timer, rank, self.ticker, node);
        self.collectors.with(node, |c| c.next = Some(key));
    }

    /// A collector does its work, and says what it says when it has failed.
    pub(super) fn tick(&self, node: NodeId) {
        self.collectors.with(node, |c| c.next = None);
        if !self.nodes.runs(node) {
            return;
        }
        let works = self.nodes.works(node);
        let error = if works { self.garbage_collect(node) } else { None };
        let failed = |c: &mut Collector| std::mem::replace(&mut c.failed, error.is_some());
        let again = self.collectors.with(node, failed) == Some(true);
        if let Some(error) = error {
            self.say(node, EventText::FreeDiskSpaceFailed, &error);
            // Statistics may not be there when it fails for the first time.
            if again {
                self.say(node, EventText::ImageGcFailed, &error);
            }
        }
        self.schedule(node, self.nodes.now() + IMAGE_GC_PERIOD);
    }

    /// Deletes what is too old, and more where the disk is too full (`GarbageCollect`); why that is not enough.
    fn garbage_collect(&self, node: NodeId) -> Option<String> {
        let policy = self.nodes.config(node).settings.image_gc_policy();
        let unused = self.in_eviction_order(node);
        let unused = self.free_old_images(node, unused, &policy);
        let seen = self.stats.observation(node, Signal::ImageFsAvailable)?;
        let Observation { available, capacity } = seen;
        let usage = 100 - (i128::from(available) * 100).checked_div(i128::from(capacity))?;
        if policy.is_off() || usage < i128::from(policy.high) {
            return None;
        }
        let left = i128::from(capacity) * i128::from(100 - policy.low) / 100;
        let to_free = i64::try_from(left - i128::from(available)).unwrap_or(i64::MAX);
        let freed = self.free_space(node, to_free, unused, &policy);
        (freed < to_free).then(|| match self.nodes.switches.images.too_little {
            TooLittle::WantedToFree => format!(
                "failed to garbage collect required amount of images. Wanted to free {to_free} bytes, but freed {freed} bytes"
            ),
            TooLittle::AttemptedToFree => format!(
                "Failed to garbage collect required amount of images. Attempted to free {to_free} bytes, but only found {freed} bytes eligible to free."
            ),
            TooLittle::Insufficient => format!(
                "Insufficient free disk space on the node's image filesystem ({usage}% of {} used). \
                 Failed to free sufficient space by deleting unused images (freed {freed} bytes). \
                 Investigate disk usage, as it could be used by active images, logs, volumes, or other data.",
                format_size(capacity)
            ),
        })
    }

    /// Deletes all images that nobody uses (`DeleteUnusedImages`): where none are collected whatever their age.
    pub(super) fn delete_unused_images(&self, node: NodeId) {
        if self.collectors.with(node, |_| ()).is_none() {
            self.stats.free_unused(node, i64::MAX);
            return self.images.delete_unused(node);
        }
        let policy = self.nodes.config(node).settings.image_gc_policy();
        let unused = self.in_eviction_order(node);
        self.free_space(node, i64::MAX, unused, &policy);
    }

    /// Notes which images there are and which are in use (`detectImages`); those that are not, the one first that goes first
    /// (`imagesInEvictionOrder`).
    fn in_eviction_order(&self, node: NodeId) -> Vec<Record> {
        let (now, there) = (self.nodes.now(), self.images.there(node));
        let used = self.images.used(node);
        let found_at_start = self.nodes.switches.images.found_at_start;
        let unnamed: Option<Rc<str>> = self.stats.has_unused(node).then(|| Rc::from(UNNAMED));
        let look = |c: &mut Collector| {
            let old = !c.initialized && (c.began.is_none() || !found_at_start);
            c.initialized = true;
            let record = |name: &Rc<str>| {
                let known = c.records.iter().find(|r| r.name == *name);
                let first_detected = known.map_or((!old).then_some(now), |r| r.first_detected);
                let before = known.and_then(|r| r.last_used);
                let last_used = if used.contains(name) { Some(now) } else { before };
                Record { last_used, first_detected, name: name.clone() }
            };
            let mut records: Vec<Record> = there.iter().chain(&unnamed).map(record).collect();
            records.sort();
            c.records = records.clone();
            records.retain(|r| !used.contains(&r.name));
            records
        };
        self.collectors.with(node, look).unwrap_or_default()
    }

    /// Deletes those that have not been used for longer than the longest age (`freeOldImages`), once the kubelet has been running
    /// for as long; what is left.
    fn free_old_images(
        &self,
        node: NodeId,
        mut unused: Vec<Record>,
        policy: &ImageGcPolicy,
    ) -> Vec<Record> {
        let now = self.nodes.now();
        let Some(most) = policy.max_age else { return unused };
        let began = self.collectors.with(node, |c| c.began).flatten();
        if began.is_some_and(|began| now.since(began) <= most) {
            return unused;
        }
        let is_old = |r: &mut Record| r.last_used.is_none_or(|at| now.since(at) > most);
        for old in unused.extract_if(.., is_old).collect::<Vec<Record>>() {
            self.free_image(node, &old.name, i64::MAX);
        }
        unused
    }

    /// Deletes images until so many bytes are freed, but those that were found too short ago (`freeSpace`); how many were.
    fn free_space(
        &self,
        node: NodeId,
        to_free: i64,
        unused: Vec<Record>,
        policy: &ImageGcPolicy,
    ) -> i64 {
        let now = self.nodes.now();
        let is_young =
            |r: &Record| r.first_detected.is_some_and(|at| now.since(at) < policy.min_age);
        let mut freed = 0_i64;
        for image in unused.into_iter().filter(|r| !is_young(r)) {
            let more = self.free_image(node, &image.name, to_free.saturating_sub(freed));
            freed = freed.saturating_add(more);
            if freed >= to_free {
                break;
            }
        }
        freed
    }

    /// Deletes an image, of which nothing is known any more, and of those without names no more than so many bytes; how many bytes
    /// that frees.
    fn free_image(&self, node: NodeId, name: &Rc<str>, most: i64) -> i64 {
        self.sleepers.wake_up(node);
        let (freed, what) = if &**name == UNNAMED {
            let freed = self.stats.free_unused(node, most);
            (freed, format!("images that nobody uses, {freed} bytes"))
        } else {
            self.collectors.with(node, |c| c.records.retain(|r| r.name != *name));
            (self.images.delete(node, name), format!("image {name}"))
        };
        let what = self.nodes.api.names(|n| n.text(&what));
        let what = What::Noted(Note::ImageDeleted, what.0);
        self.nodes.api.record_node(Actor::Kubelet, node, what);
        freed
    }

    /// Says something in an event, or that it happened once more.
    fn say(&self, node: NodeId, text: EventText, words: &str) {
        let (about, words) = (About::Node(node, None), self.nodes.api.names(|n| n.text(words)));
        let body = EventBody::of_words(text, words);
        // Others may say something of the node in this instant, too.
        let now = self.nodes.now() + Dur::from_nanos(1);
        let said = self.collectors.with(node, |c| c.said.correlate(about, body, now)).flatten();
        if let Some((name, count)) = said.filter(|_| self.nodes.is_heard(node)) {
            self.nodes.say_again(name, Message { body, combined: false, count });
        }
    }
}

/// `formatSize`
fn format_size(bytes: i64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let mut size = bytes as f64 / 1024.0;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < units.len() {
        (size, unit) = (size / 1024.0, unit + 1);
    }
    if bytes < 1024 { format!("{bytes} B") } else { format!("{size:.1} {}", units[unit]) }
}

#[cfg(test)]
mod tests {
    use super::format_size;

    /// One digit, by powers of 1024.
    #[test]
    fn sizes_are_told_as_upstream_tells_them() {
        let told = [0, 1023, 1024, 1536, 5 << 20, (100_i64 << 30) + (1 << 29), 2 << 40, 3000 << 40];
        let said = [
            "0 B",
            "1023 B",
            "1.0 KiB",
            "1.5 KiB",
            "5.0 MiB",
            "100.5 GiB",
            "2.0 TiB",
            "3000.0 TiB",
        ];
        assert_eq!(told.map(format_size), said);
    }
}
