//! Work that several machines share: which pieces each of them does, and how their results become
//! what one machine would have found.
//!
//! A command that makes many runs asks for them in rounds, each of so many pieces of work that do
//! not depend on each other. On one machine a round is simply done. On several, a shard does every
//! `N`th piece of a round and keeps what it found. Whoever has the results of all shards goes on
//! from there as if it had done the round itself, so that nothing that follows can tell the
//! difference: neither how many shards there were, nor in which order or how often they were done.
//!
//! Which rounds there are follows from the results of those before. Every shard repeats that
//! reckoning for itself, so that nobody has to tell it what to do.
//!
//! Nothing here knows where results are kept; a [`Keeper`] does.

mod desk;
#[cfg(test)]
mod tests;

pub(super) use desk::unpacked;
pub(crate) use desk::{Desk, Keeper, Shared};
