//! The loops of a kubelet that sleeps: where they are is computed.

use crate::kernel::Time;

/// The ticks of a loop, followed in thought.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    /// The next tick, and its number.
    pub(super) next: (Time, u32),
    /// What the loop did last and before that: a renewal, or a post.
    pub(super) done: [Option<Time>; 2],
}

/// A kubelet's loops while it sleeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asleep {
    pub(super) lease: Walk,
    pub(super) status: Walk,
    /// When it last posted its status, and by how much the next periodic report is moved.
    pub(super) last_post: Time,
    pub(super) report_offset_ns: i64,
}

impl Walk {
    /// Notes what the loop did last.
    pub(super) fn did(&mut self, at: Time) {
        self.done = [Some(at), self.done[0]];
    }
}

impl Asleep {
    /// Notes a post.
    pub(super) fn posted(&mut self, at: Time) {
        self.status.did(at);
        self.last_post = at;
        self.report_offset_ns = 0;
    }
}
