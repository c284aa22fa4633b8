//! The playground: a folder to be served as it is, in which a scenario is edited, and run on each
//! change by the simulation as a module for the browser.
//!
//! `page` is the page itself, `editor` what its editor is made of, `examples` the scenarios to
//! begin with, `module` the simulation, `folder` all of it as files.

mod editor;
mod examples;
mod folder;
mod module;
mod page;

pub(crate) use folder::write;
pub(crate) use module::{FILE, Module};
