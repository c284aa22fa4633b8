//! Healthy nodes and a monitor: each node renews its lease every 10 s and a bit, and every 5 s a
//! pass looks at the age of all leases.

use super::{Alarm, Event, SEC, Work, below, fold, rnd};

pub(crate) struct Heartbeat {
    last: Vec<u64>,
    renewals: Vec<u32>,
    /// Sum over all passes of the ages of all leases, in nanoseconds.
    pub(crate) ages: u64,
    checksum: u64,
}

impl Heartbeat {
    /// Of 5,000 nodes in an hour.
    pub(crate) const HOUR: (u64, u64) = (0x480f_b1f3_fbc1_0d7b, 18_356_434_987_765_422);

    pub(crate) fn new(nodes: usize) -> Self {
        Self { last: vec![0; nodes], renewals: vec![0; nodes], ages: 0, checksum: 0 }
    }
}

impl<K> Work<K> for Heartbeat {
    fn start(&mut self, alarm: &mut impl Alarm<K>) {
        for i in 0..self.last.len() as u32 {
            alarm.post(below(rnd(u64::from(i), 0), 10 * SEC), Event::Renew(i));
        }
        alarm.post(5 * SEC, Event::Monitor);
    }

    fn on(&mut self, now: u64, event: Event, alarm: &mut impl Alarm<K>) {
        match event {
            Event::Renew(i) => {
                self.last[i as usize] = now;
                let k = &mut self.renewals[i as usize];
                *k += 1;
                self.checksum = fold(self.checksum, now, u64::from(i));
                alarm.post(
                    now + 10 * SEC + below(rnd(u64::from(i), u64::from(*k)), 2 * SEC / 5),
                    event,
                );
            }
            _ => {
                let ages = self.last.iter().map(|last| now - last);
                let (sum, old) = ages
                    .fold((0, 0), |(sum, old), age| (sum + age, old + u64::from(age > 40 * SEC)));
                self.ages += sum;
                self.checksum = fold(self.checksum, now, old);
                alarm.post(now + 5 * SEC, event);
            }
        }
    }

    fn checksum(&self) -> u64 {
        self.checksum
    }
}
