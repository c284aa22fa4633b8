//! What holds in every run, whatever is simulated: checkers that know the plan and the trace, and
//! nothing of how the model works.
//!
//! Each is a file. They are strict where the readers of traces are lenient, and they are run on
//! every shipped scenario, on every race of the catalogue, on every recorded timeline and on random
//! scenarios (`taintsim soak`). What upstream itself breaks, a race of the catalogue say, is no
//! invariant.

mod broken;
mod capacity;
mod objects;
mod tainting;

pub use broken::first_broken;
