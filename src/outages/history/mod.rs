//! Files of recorded outages: `raw` is what all of them have in common, `read` tells them apart.

mod csv;
mod fta;
mod google;
mod prometheus;
mod raw;
mod read;
mod simgrid;
#[cfg(test)]
mod tests;

pub(crate) use raw::{History, Recorded};
pub(crate) use read::read;
