//! The run, step by step: in the usual order, in a shuffled one, or as a search has it.

use super::executor::{Kernel, Shuffle};
use super::queue::Instant;
use super::{Choices, Object, Time};

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
        let mut queue = self.ctx.0.queue.borrow_mut();
        let popped = match &mut self.shuffle {
            None => queue.pop_until(end),
            Some(Shuffle { instant, choices, point }) => instant.pop_until(&mut queue, end, |n| {
                choices.choose(*point, Object::NONE, n as u32) as usize
            }),
        };
        drop(queue);
        let Some((at, class, event)) = popped else { return false };
        self.run_event(at, class, event);
        true
    }

    /// When the next event is due.
    pub fn next_time(&mut self) -> Option<Time> {
        let mut queue = self.ctx.0.queue.borrow_mut();
        match (&mut self.search, &mut self.shuffle) {
            (Some(search), _) => search.agenda.peek_time(&mut queue),
            (_, Some(shuffle)) => shuffle.instant.peek_time(&mut queue),
            _ => queue.peek_time(),
        }
    }

    /// From here on, events of one instant run in an arbitrary order drawn from the seed, whatever
    /// their class. Only those of one FIFO lane keep their order, unless they are processes that
    /// are ready. A test mode: what must not depend on such an order is tried under many.
    pub fn shuffle_instants(&mut self, seed: u64) {
        let mut choices = Choices::seeded(seed);
        let point = choices.point("kernel.instant");
        self.shuffle = Some(Shuffle { instant: Instant::default(), choices, point });
    }
}
