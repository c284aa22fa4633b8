//! Expectations: names are looked up, windows are read and checked against the run, counts and
//! limits are read.

mod expected;
mod figures;
mod reader;
mod selected;
mod sought;

pub(super) use reader::{Of, Reader};
