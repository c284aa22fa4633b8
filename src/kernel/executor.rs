//! The executor: takes events off the queue one by one and runs them, processes and handlers alike.
//!
//! One thread, no wakers, no recursion: what a step starts or kills takes effect when the step is
//! over. A process that is ready waits in the queue like any other event, so that timers and
//! processes of one instant are ordered by the same rule.
//!
//! How a run ends that would go on for ever, or that would not fit into memory.

use super::choice::Choices;
use super::core::{Command, Core, Event, NONE, Tables, WAKE};
use super::process::{Group, Process, Ticket};
use super::turns::Search;
use super::{Class, Ctx, Keys, Time, slot};
use std::rc::Rc;
use std::task::{Context, Waker};

/// A simulation's events and processes. Dropping it ends and frees all of them.
pub struct Kernel {
    pub(super) ctx: Ctx,
    pub(super) processes: Vec<Process>,
    /// An empty list to collect the next commands in.
    pub(super) spare: Vec<Command>,
    steps: u64,
    /// How many of them were taken when the present instant began.
    steps_before: u64,
    pub(super) search: Option<Box<Search>>,
}

impl Kernel {
    /// A kernel at time zero with nothing to do.
    pub(crate) fn new(choices: Choices) -> Self {
        Self::over(Rc::new(Core::new(choices, Tables::default(), false)), None)
    }

    pub(super) fn over(core: Rc<Core>, search: Option<Box<Search>>) -> Self {
        Self {
            ctx: Ctx(core),
            processes: Vec::new(),
            spare: Vec::new(),
            steps: 0,
            steps_before: 0,
            search,
        }
    }

    /// A handle to it.
    pub(crate) fn ctx(&self) -> Ctx {
        self.ctx.clone()
    }

    #[inline]
    pub(super) fn run_event(&mut self, at: Time, class: Class, event: Event) {
        if self.ctx.0.now.replace(at) != at {
            self.steps_before = self.steps;
        } else if self.steps - self.steps_before >= self.ctx.0.most_steps.get() {
            self.spins(at, event);
        }
        self.ctx.0.class.set(class);
        self.steps += 1;
        if event.handler == WAKE {
            self.resume(Ticket::unpack(event.bits));
        } else {
            self.handle(event);
        }
        self.obey();
    }

    /// The clock does not go on.
    #[cold]
    fn spins(&self, at: Time, event: Event) -> ! {
        let kind = if event.handler == WAKE {
            self.processes[Ticket::unpack(event.bits).slot as usize].kind
        } else {
            self.ctx.0.handlers.borrow()[event.handler as usize].kind()
        };
        let kind = kind.trim_start_matches("taintsim::controllers::");
        let kind = kind.trim_end_matches("::{{closure}}").to_owned();
        std::panic::panic_any(Endless::Spins { at, steps: self.steps - self.steps_before, kind })
    }

    fn handle(&mut self, event: Event) {
        let core = &*self.ctx.0;
        core.cause.set(event.cause);
        core.saw.set(NONE);
        let handler = core.handlers.borrow()[event.handler as usize].clone();
        handler.receive(event.bits);
    }

    fn resume(&mut self, ticket: Ticket) {
        let core = &*self.ctx.0;
        if !core.parks.borrow().waits(ticket) {
            return;
        }
        let process = &mut self.processes[ticket.slot as usize];
        let Some(task) = process.task.as_mut() else { return };
        core.cause.set(process.cause);
        core.saw.set(process.saw);
        core.running.set(Some(ticket.slot));
        let done = task.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready();
        core.running.set(None);
        if done {
            self.retire(ticket.slot);
        } else {
            process.cause = core.cause.get();
            process.saw = core.saw.get();
        }
    }

    /// Starts and kills what was asked for, in that order of asking.
    #[inline]
    pub(super) fn obey(&mut self) {
        if self.ctx.0.commanded.get() {
            self.obey_commands();
        }
    }

    fn obey_commands(&mut self) {
        // What is dropped here may ask for more, hence the loop.
        while self.ctx.0.commanded.replace(false) {
            let mut commands = self.ctx.0.commands.replace(std::mem::take(&mut self.spare));
            for command in commands.drain(..) {
                match command {
                    Command::Start(number, process) => {
                        *slot(&mut self.processes, number as usize) = process;
                    }
                    Command::Kill(group) => self.kill(group),
                }
            }
            self.spare = commands;
        }
    }

    fn kill(&mut self, group: Group) {
        for slot in 0..self.processes.len() {
            if self.processes[slot].group == group && self.processes[slot].task.is_some() {
                self.ctx.writes(Keys::PROCESSES.of(slot as u32));
                self.retire(slot as u32);
            }
        }
    }

    fn retire(&mut self, slot: u32) {
        let task = self.processes[slot as usize].task.take();
        // A search knows a process by its slot: another one in it would count as the same.
        let again = !self.ctx.0.searching.get();
        self.ctx.0.parks.borrow_mut().vacate(slot, again);
        // Dropped last, with nothing borrowed: a future's locals may hand a lock over.
        drop(task);
    }

    /// Events handled so far.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Ends and frees everything: processes and handlers hold handles to the kernel, and only by
    /// dropping them does the circle open.
    pub(super) fn end(&mut self) {
        let core = &*self.ctx.0;
        core.closed.set(true);
        core.searching.set(false);
        self.processes.clear();
        // Taken out while what they hold is dropped, for that may ask for more.
        let (mut commands, mut handlers) = (core.commands.take(), core.handlers.take());
        commands.clear();
        handlers.clear();
        core.commands.replace(commands);
        core.handlers.replace(handlers);
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.end();
        self.ctx.0.queue.borrow_mut().clear();
    }
}

/// Why a run ends that would otherwise never end or not fit into memory: the payload of a panic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Endless {
    /// Its clock does not go on: two processes that undo each other's work without any delay do so
    /// for ever.
    Spins {
        /// The instant.
        at: Time,
        /// How many steps were taken in it.
        steps: u64,
        /// What would take the next one.
        kind: String,
    },
    /// A workload makes one pod in place of the other, as each comes to nothing without any delay.
    Remakes {
        /// When.
        at: Time,
        /// How many it made as good as at once.
        pods: u64,
        /// As `Kind/namespace/name`.
        workload: String,
        /// The node of one of the last of them, if it had one.
        node: Option<String>,
    },
    /// A search keeps each choice of a run, and they are too many.
    Chooses {
        /// How far it came.
        at: Time,
        /// How many choices it has made.
        choices: usize,
    },
}
