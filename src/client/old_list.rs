//! First lists that are old.
//!
//! A reflector that knows no version yet lists with resourceVersion "0"
//! (`reflector.go: relistResourceVersion`), and the API server answers from its watch cache, whatever
//! that has by then (`cacher.go: GetList`). So a process that starts may not know yet what the one
//! before it knew, or did. Later lists ask for the version that the reflector has seen, which the
//! server waits for (`watch_cache.go: waitUntilFreshAndBlock`), and a list that comes as a stream (S75)
//! has at least what etcd had when it was asked for (`cacher.go: getWatchCacheResourceVersion`).

use super::factory::InformerFactory;
use super::stream::{Delta, Due, OnItsWay};
use super::watch_lags::{Changes, HELD};
use crate::client::prelude::*;

impl InformerFactory {
    /// Where that is left to the choices, nodes and pods as a watch cache has them that is behind. What they
    /// are without comes by the watch, as late.
    pub(super) fn first_lists(&self) -> (Vec<Rc<Node>>, Vec<Rc<Pod>>) {
        let (mut nodes, mut pods) = (self.listed_nodes(), self.listed_pods());
        if let Some(past) = self.lags.past.as_ref().filter(|_| self.hold.old_lists) {
            let delta = |new, n: &Node| Delta::Node(new, n.id);
            self.is_behind(Resource::Nodes, &past.nodes, &mut nodes, |n| n.id.index(), delta);
            let delta = |new, p: &Pod| Delta::Pod(new, p.id);
            self.is_behind(Resource::Pods, &past.pods, &mut pods, |p| p.id.index(), delta);
            (nodes, pods) = (self.nodes_by_name(nodes), self.pods_by_name(pods));
        }
        (nodes, pods)
    }

    fn is_behind<T>(
        &self,
        resource: Resource,
        changes: &Changes<T>,
        listed: &mut Vec<Rc<T>>,
        id: impl Fn(&T) -> usize,
        delta: impl Fn(Option<Rc<T>>, &T) -> Delta,
    ) {
        let now = self.ctx.now();
        let ways = self.ways_to_hold();
        changes.with(|changes| {
            let missed = |behind: Dur| changes.partition_point(|c| c.at + behind <= now);
            if ways == 0 || missed(HELD[ways - 1]) == changes.len() {
                return;
            }
            let object = self.object_of(resource);
            let chosen = self.ctx.trouble(self.old_list_point, object, ways as u32 + 1);
            let Some(way) = chosen.checked_sub(1) else { return };
            let behind = HELD[way as usize];
            self.hold_up(behind);
            let missed = missed(behind);
            for change in changes.range(missed..).rev() {
                let Some(either) = change.old.as_ref().or(change.new.as_ref()) else { continue };
                listed.retain(|other| id(other) != id(either));
                listed.extend(change.old.clone());
            }
            let stream = &self.streams[resource as usize];
            for change in changes.range(missed..) {
                let Some(either) = change.old.as_ref().or(change.new.as_ref()) else { continue };
                let due = (self.arrives(resource, change.at) + behind).max(stream.last.get());
                stream.last.set(due);
                let delta = delta(change.new.clone(), either);
                let (made, cause) = (change.at, change.cause);
                let change = OnItsWay { made, due, handed: 0, cause, delta };
                stream.deltas.with(|all| all.push_back(change));
                self.deliver_at(stream, due, Class::Delivery, Due::Delta);
            }
        });
    }
}
