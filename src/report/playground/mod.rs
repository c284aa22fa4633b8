//! The playground: a folder to be served as it is, in which a scenario is edited, and run on each
//! change by the simulation as a module for the browser.
//!
//! `page` is the page itself, `editor` what its editor is made of, `examples` the scenarios to
//! begin with, `module` the simulation, `folder` all of it as files.

mod examples;
mod folder;

pub(crate) use folder::{FILE, Module, write};
