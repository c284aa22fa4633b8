//! The run, step by step: in the usual order, or as a search has it.

use super::{Kernel, Time};

impl Kernel {
    /// Runs one event; false when there is none.
    pub fn step(&mut self) -> bool {
        self.step_until(Time::MAX)
    }

    /// Runs all events that are due at `end` or earlier; then it is `end`.
    pub fn run_until(&mut self, end: Time) {
        while self.step_until(end) {}
        let core = &*self.ctx.0;
        core.now.set(core.now.get().max(end));
        core.queue.borrow_mut().advance_to(end);
    }

    /// Runs one event if it is due at `end` or earlier; false when there is none.
    pub(crate) fn step_until(&mut self, end: Time) -> bool {
        if self.search.is_some() {
            return self.search_until(end, &mut |_| false);
        }
        self.obey();
        let popped = self.ctx.0.queue.borrow_mut().pop_until(end);
        let Some((at, class, event)) = popped else { return false };
        self.run_event(at, class, event);
        true
    }

    /// When the next event is due.
    pub fn next_time(&mut self) -> Option<Time> {
        let mut queue = self.ctx.0.queue.borrow_mut();
        match &mut self.search {
            Some(search) => search.agenda.peek_time(&mut queue),
            None => queue.peek_time(),
        }
    }
}
