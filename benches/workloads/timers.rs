//! Rounds of timers, 1,000 s apart: each sets all of them at 300 s and a bit, and 140 s later
//! cancels every other one.

use super::{Alarm, Event, SEC, Work, below, fold, rnd};

pub(crate) struct Timers<K> {
    rounds: u32,
    keys: Vec<Option<K>>,
    checksum: u64,
}

impl<K> Timers<K> {
    /// Of 150,000 timers in 20 rounds.
    pub(crate) const FULL: u64 = 0xdd9c_7a67_c922_f689;

    pub(crate) fn new(timers: usize, rounds: u32) -> Self {
        Self { rounds, keys: std::iter::repeat_with(|| None).take(timers).collect(), checksum: 0 }
    }
}

impl<K> Work<K> for Timers<K> {
    fn start(&mut self, alarm: &mut impl Alarm<K>) {
        alarm.post(60 * SEC, Event::Begin(0));
    }

    fn on(&mut self, now: u64, event: Event, alarm: &mut impl Alarm<K>) {
        match event {
            Event::Begin(round) => {
                for pod in 0..self.keys.len() as u32 {
                    let at = now + 300 * SEC + below(rnd(u64::from(pod), u64::from(round)), SEC);
                    self.keys[pod as usize] = Some(alarm.set(at, Event::Pod(pod)));
                }
                alarm.post(now + 140 * SEC, Event::End(round));
            }
            Event::End(round) => {
                for key in self.keys.iter_mut().skip(1).step_by(2).filter_map(Option::take) {
                    alarm.cancel(key);
                }
                if round + 1 < self.rounds {
                    alarm.post(now + 860 * SEC, Event::Begin(round + 1));
                }
            }
            Event::Pod(pod) => {
                self.keys[pod as usize] = None;
                self.checksum = fold(self.checksum, now, u64::from(pod));
            }
            Event::Renew(_) | Event::Monitor => {}
        }
    }

    fn checksum(&self) -> u64 {
        self.checksum
    }
}
