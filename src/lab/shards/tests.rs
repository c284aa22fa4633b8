//! Rounds with made-up work: any number of shards, in any order, done once or twice.

use super::{Desk, Keeper, Shared};
use crate::lab::threads::{Away, Stopped};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::RwLock;

/// Keeps results in memory, and which were refused.
#[derive(Default)]
struct Memory(RwLock<BTreeMap<(u32, u32), Vec<u8>>>, RwLock<BTreeSet<u32>>);

impl Keeper for Memory {
    fn result(&self, round: u32, shard: u32) -> Option<Vec<u8>> {
        self.0.read().ok()?.get(&(round, shard)).cloned()
    }

    fn keep(&self, round: u32, shard: u32, _: u64, result: Vec<u8>) {
        self.0.write().expect("alone").insert((round, shard), result);
    }

    fn refuse(&self, _: u32, shard: u32) {
        self.1.write().expect("alone").insert(shard);
    }
}

/// Two rounds. In the first, piece `i` gives `1/(i+1)`; how many pieces the second has follows from
/// their sum.
fn sum(desk: Desk<'_>, done: &Cell<u64>) -> Result<(f64, u64), Stopped> {
    let one = |mine: &[u64]| {
        done.set(done.get() + mine.len() as u64);
        Ok(mine.iter().map(|i| (*i, 1.0 / (*i as f64 + 1.0))).collect())
    };
    let first: f64 =
        desk.round(10, |x: &f64| x.is_finite(), one)?.into_iter().map(|(_, x)| x).sum();
    let pieces = (first * 10.0) as u64;
    let second: f64 =
        desk.round(pieces, |x: &f64| x.is_finite(), one)?.into_iter().map(|(_, x)| x).sum();
    desk.over()?;
    Ok((first + second, pieces))
}

fn shard(memory: &Memory, mine: u32, of: u32, done: &Cell<u64>) -> Away {
    let shared = Shared::new(memory, of, Some(mine), || false);
    match sum(Desk::Shared(&shared), done) {
        Err(Stopped::Elsewhere(away)) => away,
        other => panic!("a shard has no result: {other:?}"),
    }
}

fn gather(memory: &Memory, of: u32) -> Result<(f64, u64), Away> {
    let shared = Shared::new(memory, of, None, || false);
    match sum(Desk::Shared(&shared), &Cell::new(0)) {
        Err(Stopped::Elsewhere(away)) => Err(away),
        Err(other) => panic!("{other:?}"),
        Ok(sum) => Ok(sum),
    }
}

#[test]
fn shards_come_to_what_one_machine_comes_to() {
    let alone = sum(Desk::Here, &Cell::new(0)).expect("it is done here");
    // 1 + 1/2 + … + 1/10 is 2.929, so that the second round has 29 pieces.
    assert_eq!(alone.1, 29);
    // More shards than pieces, too: some have nothing to do, and say so.
    for of in [1, 2, 7, 40] {
        let (memory, done) = (Memory::default(), Cell::new(0));
        assert_eq!(gather(&memory, of), Err(Away::Missing(0)));
        for round in 0..2 {
            // Backwards, and the first one twice.
            for mine in (0..of).rev().chain([0]) {
                let again = mine == 0 && round_is_done(&memory, round, of);
                let away = shard(&memory, mine, of, &done);
                match (again, round) {
                    (false, _) => assert_eq!(away, Away::Kept(round)),
                    // The round is complete by now, and the next one has begun.
                    (true, 0) => assert_eq!(away, Away::Kept(1)),
                    (true, _) => assert_eq!(away, Away::All),
                }
                if (again, round) == (true, 0) {
                    memory.0.write().expect("alone").remove(&(1, 0));
                    done.set(10);
                }
            }
            assert_eq!(done.get(), [10, 39][round as usize], "each piece once");
        }
        assert_eq!(gather(&memory, of), Ok(alone));
    }
}

fn round_is_done(memory: &Memory, round: u32, of: u32) -> bool {
    (0..of).all(|shard| memory.result(round, shard).is_some())
}

#[test]
fn a_shard_that_is_done_waits_for_the_others_of_its_round() {
    let (memory, done) = (Memory::default(), Cell::new(0));
    assert_eq!(shard(&memory, 1, 3, &done), Away::Kept(0));
    assert_eq!(shard(&memory, 1, 3, &done), Away::Before(0));
    // Pieces 1, 4 and 7 of ten.
    assert_eq!(done.get(), 3);
    assert_eq!(gather(&memory, 3), Err(Away::Missing(0)));
}

#[test]
fn a_result_of_other_pieces_is_none() {
    let (memory, done) = (Memory::default(), Cell::new(0));
    assert_eq!(shard(&memory, 0, 2, &done), Away::Kept(0));
    let of_first = memory.result(0, 0).expect("it is kept");
    memory.keep(0, 1, 5, of_first);
    assert_eq!(gather(&memory, 2), Err(Away::Missing(0)));
    memory.keep(0, 1, 5, vec![1, 2, 3]);
    assert_eq!(gather(&memory, 2), Err(Away::Missing(0)));
    // The right pieces, of which one cannot be reckoned with; and a number of them that is not there.
    let with = |x: f64| {
        let all: Vec<(u64, f64)> =
            [1, 3, 5, 7, 9].map(|i| (i, if i == 5 { x } else { 0.5 })).into();
        memory.keep(0, 1, 5, postcard::to_allocvec(&all).expect("it is small"));
        gather(&memory, 2)
    };
    assert_eq!(with(f64::NAN), Err(Away::Missing(0)));
    assert_eq!(with(f64::NEG_INFINITY), Err(Away::Missing(0)));
    assert_eq!(with(0.5), Err(Away::Missing(1)));
    memory.keep(0, 1, 5, postcard::to_allocvec(&u64::MAX).expect("it is small"));
    assert_eq!(gather(&memory, 2), Err(Away::Missing(0)));
    assert_eq!(shard(&memory, 1, 2, &done), Away::Kept(0));
}

/// Of four shards two are no good, and one between them is not there.
#[test]
fn all_that_are_no_good_are_refused_at_once() {
    let (memory, done) = (Memory::default(), Cell::new(0));
    assert_eq!(shard(&memory, 2, 4, &done), Away::Kept(0));
    memory.keep(0, 0, 3, vec![1, 2, 3]);
    memory.keep(0, 3, 2, vec![1, 2, 3]);
    assert_eq!(gather(&memory, 4), Err(Away::Missing(0)));
    assert_eq!(*memory.1.read().expect("alone"), BTreeSet::from([0, 3]));
}

#[test]
fn a_shard_that_is_given_up_keeps_nothing() {
    let memory = Memory::default();
    let shared = Shared::new(&memory, 2, Some(0), || true);
    let ended = sum(Desk::Shared(&shared), &Cell::new(0));
    assert!(matches!(ended, Err(Stopped::Asked)), "{ended:?}");
    assert_eq!(memory.result(0, 0), None);
}
