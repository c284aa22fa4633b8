//! Files of recorded outages: `raw` is what all of them have in common, `read` tells them apart.

mod archives;
mod prometheus;
mod raw;
mod read;
#[cfg(test)]
mod tests;

pub(crate) use raw::{History, Recorded};
pub(crate) use read::read;
