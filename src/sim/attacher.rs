//! The external-attacher and the external-provisioner of the volumes' driver: they do what VolumeAttachments and
//! claims ask for, and take their time. The latter's has in it that of the controller that binds claims.
//!
//! Their pod is taken for one that no outage concerns, and that controller, too. What falls into an outage of the API server it does at its
//! end.

use crate::api::names::TextId;
use crate::api::volume::VolumeId;
use crate::apiserver::Watcher;
use crate::kernel::{Argument, Class, Handler, HandlerId};
use crate::sim::prelude::*;

/// A volume, and the node that it is attached to or detached from, or made for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct About(VolumeId, Option<NodeId>);

/// No node.
const NOWHERE: u32 = u32::MAX;

impl Argument for About {
    fn pack(self) -> u64 {
        u64::from(self.0.0) << 32 | u64::from(self.1.map_or(NOWHERE, |n| n.0))
    }

    fn unpack(bits: u64) -> Self {
        let node = Some(bits as u32).filter(|node| *node != NOWHERE);
        Self(TextId((bits >> 32) as u32), node.map(NodeId))
    }
}

/// Both of them.
pub(super) struct Attacher {
    ctx: Ctx,
    api: Rc<ApiServer>,
    attach: Dur,
    detach: Dur,
    /// When it will have done what a VolumeAttachment asks for, or a claim whose volume has been attached nowhere.
    due: Shared<BTreeMap<About, Time>>,
    worker: Cell<Option<HandlerId<About>>>,
}

impl Attacher {
    /// Has VolumeAttachments and claims heeded from now on.
    pub(super) fn start(api: &Rc<ApiServer>, (attach, detach): (Dur, Dur)) -> Rc<Self> {
        let ctx = api.ctx().clone();
        let (due, worker) = (Shared::default(), Cell::new(None));
        let attacher = Rc::new(Self { api: api.clone(), attach, detach, due, worker, ctx });
        attacher.worker.set(Some(attacher.ctx.register(attacher.clone())));
        api.watch(attacher.clone());
        attacher
    }

    /// The API server answers again.
    pub(super) fn server_is_back(&self) {
        let now = self.ctx.now();
        let late: Vec<About> = self.due.with(|d| {
            let late = d.iter().filter(|(_, at)| **at < now);
            late.map(|(about, _)| *about).collect()
        });
        late.into_iter().for_each(|about| self.work_in(about, Dur::ZERO));
    }

    fn work_in(&self, about: About, delay: Dur) {
        let at = self.ctx.now() + delay;
        self.due.with(|d| d.insert(about, at));
        if let Some(worker) = self.worker.get() {
            self.ctx.post_at(at, Class::Source, worker, about);
        }
    }
}

impl Watcher for Attacher {
    fn attachment(&self, volume: VolumeId, node: NodeId) {
        let about = About(volume, Some(node));
        match self.api.attachment(volume, node) {
            Some(a) if a.deleting => self.work_in(about, self.detach),
            Some(a) if !a.attached => self.work_in(about, self.attach),
            _ => {}
        }
    }

    fn claim(&self, volume: VolumeId) {
        if let Some((node, takes)) = self.api.selected(volume) {
            self.work_in(About(volume, node), takes);
        }
    }
}

impl Handler for Attacher {
    type Argument = About;

    fn handle(&self, about: About) {
        let is_due = self.due.with(|d| d.get(&about) == Some(&self.ctx.now()));
        if !is_due || self.api.is_down() {
            return;
        }
        self.due.with(|d| d.remove(&about));
        let About(volume, Some(node)) = about else { return self.api.provisioned(about.0) };
        match self.api.attachment(volume, node) {
            Some(a) if a.deleting => self.api.release_attachment(volume, node),
            Some(a) if !a.attached => _ = self.api.set_attached(Actor::Attacher, volume, node),
            None => self.api.provisioned(volume),
            _ => {}
        }
    }

    fn name(&self, _: About) -> Name {
        Name::of(Actor::Attacher.as_str(), Keys::NOTHING)
    }
}
