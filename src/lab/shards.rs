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

#[cfg(test)]
mod tests;

use crate::lab::threads::{Away, Stopped};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// The results of pieces of work, each with the number of its piece, from 0.
pub(crate) type Results<T> = Vec<(u64, T)>;

/// Where the results of shards are kept.
pub(crate) trait Keeper: Sync {
    /// What a shard of a round found; none if it has not been done, or its result is no good.
    fn result(&self, round: u32, shard: u32) -> Option<Vec<u8>>;
    /// Takes in what a shard of a round found, and of how many pieces of work.
    fn keep(&self, round: u32, shard: u32, pieces: u64, result: Vec<u8>);
    /// Notes that what a shard of a round found cannot be used, though it is there.
    fn refuse(&self, round: u32, shard: u32);
}

/// Work that is shared with other machines.
pub(crate) struct Shared<'a> {
    keeper: &'a dyn Keeper,
    of: u32,
    /// The shard that is done here; none where results are gathered.
    mine: Option<u32>,
    /// Whether the work is to be given up.
    stopped: fn() -> bool,
    rounds: AtomicU32,
}

impl<'a> Shared<'a> {
    /// Work in `of` shards; `mine` is done here, or none where results are gathered. `stopped` says
    /// whether to give up.
    pub(crate) fn new(
        keeper: &'a dyn Keeper,
        of: u32,
        mine: Option<u32>,
        stopped: fn() -> bool,
    ) -> Self {
        Self { keeper, of, mine, stopped, rounds: AtomicU32::new(0) }
    }
}

/// Who does the pieces of a round.
#[derive(Clone, Copy)]
pub(crate) enum Desk<'a> {
    /// This process, all of them.
    Here,
    /// Several machines.
    Shared(&'a Shared<'a>),
}

impl Desk<'_> {
    /// How many shards there are.
    pub(crate) fn shards(self) -> u32 {
        if let Self::Shared(shared) = self { shared.of } else { 1 }
    }

    /// How many pieces there are in a round that begins at one and must have at least so many: on
    /// several machines as many as are `expected` to be needed in all, as many as there were before,
    /// and one for each machine, but no piece from `most` on.
    pub(crate) fn pieces(self, begin: u64, least: u64, expected: u64, most: u64) -> u64 {
        let Self::Shared(shared) = self else { return least };
        let wanted = expected.saturating_sub(begin).max(begin).max(u64::from(shared.of));
        wanted.min(most.saturating_sub(begin)).max(least)
    }

    /// Whether several machines share the work.
    pub(crate) fn is_shared(self) -> bool {
        matches!(self, Self::Shared(_))
    }

    /// How many of that many pieces are done here.
    pub(crate) fn share(self, pieces: u64) -> u64 {
        match self {
            Self::Shared(Shared { of, mine: Some(_), .. }) => pieces.div_ceil(u64::from(*of)),
            _ => pieces,
        }
    }

    /// The results of the pieces of a round, by their numbers, from 0. `work` does those that it is
    /// given. `is_sound` says whether something that another machine found can be reckoned with:
    /// anybody may have written it.
    ///
    /// # Errors
    /// Those of `work`; or the round is not complete: [`Stopped::Elsewhere`].
    pub(crate) fn round<T: Serialize + DeserializeOwned>(
        self,
        pieces: u64,
        is_sound: impl Fn(&T) -> bool,
        work: impl FnOnce(&[u64]) -> Result<Results<T>, Stopped>,
    ) -> Result<Results<T>, Stopped> {
        let Self::Shared(shared) = self else { return work(&(0..pieces).collect::<Vec<u64>>()) };
        let round = shared.rounds.fetch_add(1, Relaxed);
        let of_shard = |shard: u32| shared.of_shard(round, shard, pieces, &is_sound);
        let all: Option<Vec<Results<T>>> = (0..shared.of).map(of_shard).collect();
        if let Some(all) = all {
            let mut all: Results<T> = all.into_iter().flatten().collect();
            all.sort_by_key(|(number, _)| *number);
            // Rounds that are all there follow each other without a run that would look at this.
            return if (shared.stopped)() { Err(Stopped::Asked) } else { Ok(all) };
        }
        let Some(mine) = shared.mine else {
            // The first that is not there ended the look; those behind it that are no good are refused, too.
            (0..shared.of).for_each(|shard| drop(of_shard(shard)));
            return Err(Stopped::Elsewhere(Away::Missing(round)));
        };
        if of_shard(mine).is_some() {
            return Err(Stopped::Elsewhere(Away::Before(round)));
        }
        let numbers = shared.pieces(mine, pieces);
        let done = work(&numbers)?;
        if (shared.stopped)() {
            return Err(Stopped::Asked);
        }
        (shared.keeper).keep(round, mine, numbers.len() as u64, packed(&done));
        Err(Stopped::Elsewhere(Away::Kept(round)))
    }

    /// The last round is over: what follows is for whoever gathers.
    ///
    /// # Errors
    /// This is a shard, which has nothing more to do.
    pub(crate) fn over(self) -> Result<(), Stopped> {
        match self {
            Self::Shared(Shared { mine: Some(_), .. }) => Err(Stopped::Elsewhere(Away::All)),
            _ => Ok(()),
        }
    }
}

impl Shared<'_> {
    /// The pieces of a shard: every `of`th, so that neighbours, which are alike, take all shards
    /// the same time.
    fn pieces(&self, shard: u32, pieces: u64) -> Vec<u64> {
        (u64::from(shard)..pieces).step_by(self.of as usize).collect()
    }

    /// What a shard found of its pieces; none if that is not there, is of other pieces, or cannot
    /// be reckoned with.
    fn of_shard<T: DeserializeOwned>(
        &self,
        round: u32,
        shard: u32,
        pieces: u64,
        is_sound: &impl Fn(&T) -> bool,
    ) -> Option<Results<T>> {
        let result = self.keeper.result(round, shard)?;
        let numbers = self.pieces(shard, pieces);
        let found = unpacked::<T>(&result, numbers.len()).filter(|found| {
            let is_right = |((number, one), own): (&(u64, T), &u64)| number == own && is_sound(one);
            found.iter().zip(&numbers).all(is_right)
        });
        if found.is_none() {
            self.keeper.refuse(round, shard);
        }
        found
    }
}

/// Results as bytes. Numbers are kept bit by bit: whoever gathers reckons with the very numbers that
/// were found, and comes to the same last digit.
fn packed<T: Serialize>(results: &Results<T>) -> Vec<u8> {
    postcard::to_allocvec(results).unwrap_or_else(|_| unreachable!("memory takes whatever it gets"))
}

/// Results as they were; none if the bytes are of something else, or of another number of pieces.
pub(crate) fn unpacked<T: DeserializeOwned>(bytes: &[u8], pieces: usize) -> Option<Results<T>> {
    // How many there are comes first, and is looked at before there is room for them.
    let (found, _) = postcard::take_from_bytes::<usize>(bytes).ok()?;
    if found != pieces {
        return None;
    }
    let (results, rest) = postcard::take_from_bytes(bytes).ok()?;
    rest.is_empty().then_some(results)
}
