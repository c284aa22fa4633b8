//! The pod garbage collector (`pkg/controller/podgc`): so far only what changed in it from release to release.

mod switches;

pub use switches::Switches;
