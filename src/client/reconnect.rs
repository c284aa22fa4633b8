//! Informers whose API server goes and comes back.

use super::connection::{Ask, Rejecting};
use super::factory::InformerFactory;
use super::request::RETRY_AFTER;
use super::stream::{Due, Stream};
use crate::client::prelude::*;
use crate::plan::WatchCache;

impl InformerFactory {
    /// The API server goes: all watches end, and are refused from now on.
    pub(crate) fn server_gone(&self) {
        self.gone_since.set(Some(self.ctx.now()));
    }

    /// The API server is back; when the last of the watches is. What was changed meanwhile comes with
    /// the watch, or where the server has forgotten, with a list.
    pub(crate) fn server_back(&self, cache: WatchCache) -> Time {
        let now = self.ctx.now();
        let Some(gone) = self.gone_since.take() else { return now };
        if !self.timing.reconnects || self.watcher.get().is_none() {
            return now;
        }
        let back = self.watched().map(|resource| self.watch_is_back(resource, (gone, now), cache));
        back.max().unwrap_or(now)
    }

    /// The connection leads nowhere, and is found dead at `at`: all watches end then, and list anew
    /// after their pause; when the last of them has.
    pub(crate) fn server_lost(&self, at: Time) -> Time {
        if self.watcher.get().is_none() {
            return at;
        }
        let list = |resource| {
            let lists = self.failed_at(resource, at);
            self.lists_anew(resource, lists);
            lists
        };
        self.watched().map(list).max().unwrap_or(at)
    }

    /// The watch of a resource, or each, ends: it begins anew where it was, or where the server has
    /// forgotten that, with a list after a pause. When the last of them has.
    pub(crate) fn watches_end(&self, of: Option<Resource>, cache: WatchCache) -> Time {
        let now = self.ctx.now();
        if self.watcher.get().is_none() || self.gone_since.get().is_some() {
            return now;
        }
        let ended = self.watched().filter(|resource| of.is_none_or(|of| of == *resource));
        let back = ended.map(|resource| self.watch_is_back(resource, (now, now), cache));
        back.max().unwrap_or(now)
    }

    /// Whether the watch of a resource delivers at present.
    pub(crate) fn is_watching(&self, resource: Resource) -> bool {
        let stream = &self.streams[resource as usize];
        self.gone_since.get().is_none()
            && !stream.is_broken.get()
            && stream.held_until.get() <= self.ctx.now()
    }

    /// A resource's reflector failed at `at`, and lists: when that is taken.
    fn failed_at(&self, resource: Resource, at: Time) -> Time {
        let jitter = self.jitter(resource);
        let mut reflector = self.reflectors.with(|all| all[resource as usize]);
        reflector.lost(at, &jitter);
        let (lists, _, reflector) =
            reflector.watches_again((at, at), false, &self.rejecting(), &jitter);
        self.reflectors.with(|all| all[resource as usize] = reflector);
        lists
    }

    /// A new process lists everything: waits until that is not rejected. All reflectors try at one
    /// time; of those that gave up the slowest counts.
    pub(super) async fn lists_are_taken(&self) {
        let rejecting = self.rejecting();
        if self.ctx.now() >= rejecting.until {
            return;
        }
        let given_up = self.ctx.now() + rejecting.every * u64::from(rejecting.lists);
        while self.ctx.now() < given_up {
            self.ctx.sleep(rejecting.every).await;
            if self.ctx.now() >= self.api.rejections().of_all_until() {
                return;
            }
        }
        let listed = Resource::ALL.into_iter().filter(|resource| self.is_listed(*resource));
        let lists = listed.map(|resource| self.failed_at(resource, given_up));
        self.ctx.sleep_until(lists.max().unwrap_or(given_up)).await;
    }

    /// Whether a controller of the process has an informer of a resource. Node lifecycle has one of DaemonSets, too.
    fn is_listed(&self, resource: Resource) -> bool {
        match resource {
            Resource::Nodes | Resource::Pods | Resource::Leases | Resource::DaemonSets => true,
            Resource::Budgets => !self.budget_listeners.borrow().is_empty(),
            Resource::ResourceSlices => !self.slice_listeners.borrow().is_empty(),
            Resource::DeviceTaintRules => !self.rule_listeners.borrow().is_empty(),
            Resource::ResourceClaims => !self.claim_listeners.borrow().is_empty(),
            Resource::NodeReadinessRules => !self.readiness_rule_listeners.borrow().is_empty(),
            Resource::Deployments
            | Resource::ReplicaSets
            | Resource::StatefulSets
            | Resource::Jobs => self.workload_listeners.iter().any(|l| !l.borrow().is_empty()),
        }
    }

    /// All that has a watch: devices and readiness rules only where somebody hears of them.
    fn watched(&self) -> impl Iterator<Item = Resource> + '_ {
        use Resource::{DeviceTaintRules, NodeReadinessRules, ResourceClaims, ResourceSlices};
        const RARE: [Resource; 4] =
            [ResourceSlices, DeviceTaintRules, ResourceClaims, NodeReadinessRules];
        let is_rare = |r: &Resource| RARE.contains(r);
        Resource::ALL.into_iter().filter(move |r| !is_rare(r) || self.is_listed(*r))
    }

    /// How lists and watches are rejected at present.
    fn rejecting(&self) -> Rejecting {
        let (lists, watches) = self.timing.retries;
        let until = self.api.rejections().of_all_until();
        let every = RETRY_AFTER + self.timing.request + self.timing.response;
        Rejecting { until, every, lists, watches: if watches { lists } else { 0 } }
    }

    /// How pauses of a resource's reflector are drawn.
    fn jitter(&self, resource: Resource) -> impl Fn(u32, Dur) -> Dur + '_ {
        let object = self.object_of(resource);
        move |_, least| {
            let point = self.backoff_point;
            Dur::from_nanos(self.ctx.uniform(point, object, 0, least.as_nanos()))
        }
    }

    /// Whether the next delta of a watch was made when the API server was gone: it waits until the
    /// watch is back.
    pub(super) fn watch_is_refused(&self, stream: &Stream) -> bool {
        let Some(gone) = self.gone_since.get().filter(|_| self.timing.reconnects) else {
            return false;
        };
        let next = stream.deltas.with(|d| d.front().map(|d| d.made));
        let refused = next.is_some_and(|made| made > gone);
        if refused {
            stream.parked.set(stream.parked.get() + 1);
        }
        refused
    }

    /// Nothing is delivered any more before a list at that time.
    fn lists_anew(&self, resource: Resource, at: Time) {
        let stream = &self.streams[resource as usize];
        stream.is_broken.set(true);
        stream.deltas.with(VecDeque::clear);
        stream.parked.set(0);
        self.deliver_at(stream, at, Class::Delivery, Due::List);
    }

    fn watch_is_back(&self, resource: Resource, outage: (Time, Time), cache: WatchCache) -> Time {
        let jitter = self.jitter(resource);
        let forgotten = cache == WatchCache::Lost;
        let reflector = self.reflectors.with(|all| all[resource as usize]);
        let (back, ask, reflector) =
            reflector.back_after(outage, forgotten, &self.rejecting(), &jitter);
        self.reflectors.with(|all| all[resource as usize] = reflector);
        if ask == Ask::List {
            self.lists_anew(resource, back);
        } else {
            let stream = &self.streams[resource as usize];
            stream.held_until.set(back.max(stream.held_until.get()));
            for _ in 0..stream.parked.take() {
                stream.last.set(back.max(stream.last.get()));
                self.deliver_at(stream, back, Class::Delivery, Due::Delta);
            }
        }
        back
    }
}
