//! Functions of traces: they read what happened and cannot see the simulator.

pub mod conformance;
