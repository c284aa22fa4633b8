//! Where the tables of a search's run wait for the next run.

use super::choice::{Choices, Drawn};
use super::core::{Command, Core, Tables};
use super::process::Process;
use super::search::Searched;
use super::turns::Search;
use std::rc::Rc;

/// The tables of a search's run that is over, for the next: a run is short, and making tables is
/// much of it.
#[derive(Default)]
pub(crate) struct Room {
    /// The place of the kernel itself.
    pub(super) core: Option<Rc<Core>>,
    pub(super) tables: Tables,
    pub(super) processes: Vec<Process>,
    pub(super) commands: Vec<Command>,
    pub(super) search: Option<Box<Search>>,
    pub(super) choices: Option<Choices>,
    pub(super) log: Vec<Drawn>,
    pub(super) noted: Searched,
}

/// Puts a kernel into the place of one that is gone, unless somebody still has a handle to that.
pub(super) fn placed(core: Core, old: Option<Rc<Core>>) -> Rc<Core> {
    if let Some(mut old) = old
        && let Some(place) = Rc::get_mut(&mut old)
    {
        *place = core;
        return old;
    }
    Rc::new(core)
}

impl Room {
    /// These choices in the tables of the last run.
    pub(super) fn take_in(&mut self, choices: Choices) -> Choices {
        match self.choices.take() {
            Some(over) => choices.in_tables_of(over),
            None => choices,
        }
    }

    /// Takes back what a run noted.
    pub(crate) fn take_back(&mut self, noted: Searched, log: Vec<Drawn>) {
        (self.noted, self.log) = (noted, log);
    }
}
