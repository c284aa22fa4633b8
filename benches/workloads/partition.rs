//! A partition: as the heartbeats, but part of the nodes is silent from 60 s on. At the first age
//! over 40 s a node is tainted, and 30 timers are set at 300 s from then; at 200 s half of the
//! tainted nodes recover and cancel theirs.

use super::{Alarm, Event, SEC, Work, below, fold, rnd};

const PODS: u32 = 30;

pub(crate) struct Partition<K> {
    whole: bool,
    last: Vec<u64>,
    renewals: Vec<u32>,
    tainted: Vec<bool>,
    timers: Vec<Option<K>>,
    set: u64,
    pub(crate) fired: u64,
    pub(crate) cancelled: u64,
    checksum: u64,
}

impl<K> Partition<K> {
    /// Of 5,000 nodes, 834 of them silent: 12,510 timers fire, 12,510 are cancelled.
    pub(crate) const HALF: u64 = 0x6ad2_721d_8ebe_cab1;
    /// Of 5,000 nodes, all of them silent: 75,000 timers fire, 75,000 are cancelled.
    pub(crate) const WHOLE: u64 = 0xd7dc_3b95_de2b_fddb;

    /// So many nodes; half of one zone of three goes silent, or the whole cluster.
    pub(crate) fn new(nodes: usize, whole: bool) -> Self {
        let timers = std::iter::repeat_with(|| None).take(nodes * PODS as usize).collect();
        Self {
            whole,
            last: vec![0; nodes],
            renewals: vec![0; nodes],
            tainted: vec![false; nodes],
            timers,
            set: 0,
            fired: 0,
            cancelled: 0,
            checksum: 0,
        }
    }

    const fn silent(&self, i: u32) -> bool {
        self.whole || i.is_multiple_of(3) && (i / 3).is_multiple_of(2)
    }

    const fn recovers(&self, i: u32) -> bool {
        if self.whole { i.is_multiple_of(2) } else { (i / 6).is_multiple_of(2) }
    }

    fn monitor(&mut self, now: u64, alarm: &mut impl Alarm<K>) {
        for i in 0..self.last.len() {
            if now - self.last[i] > 40 * SEC && !self.tainted[i] {
                self.tainted[i] = true;
                let first = i as u32 * PODS;
                for pod in first..first + PODS {
                    self.timers[pod as usize] = Some(alarm.set(now + 300 * SEC, Event::Pod(pod)));
                }
                self.set += u64::from(PODS);
            }
        }
        self.checksum = fold(self.checksum, now, self.set);
        alarm.post(now + 5 * SEC, Event::Monitor);
    }

    fn recover(&mut self, now: u64, alarm: &mut impl Alarm<K>) {
        for i in 0..self.last.len() as u32 {
            if self.tainted[i as usize] && self.recovers(i) {
                for pod in i * PODS..(i + 1) * PODS {
                    if let Some(key) = self.timers[pod as usize].take() {
                        alarm.cancel(key);
                        self.cancelled += 1;
                    }
                }
            }
        }
        self.checksum = fold(self.checksum, now, self.cancelled);
    }
}

impl<K> Work<K> for Partition<K> {
    fn start(&mut self, alarm: &mut impl Alarm<K>) {
        for i in 0..self.last.len() as u32 {
            alarm.post(below(rnd(u64::from(i), 0), 10 * SEC), Event::Renew(i));
        }
        alarm.post(5 * SEC, Event::Monitor);
        alarm.post(200 * SEC, Event::Begin(0));
    }

    fn on(&mut self, now: u64, event: Event, alarm: &mut impl Alarm<K>) {
        match event {
            Event::Renew(i) if now >= 60 * SEC && self.silent(i) => {}
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
            Event::Pod(pod) => {
                self.fired += 1;
                self.timers[pod as usize] = None;
                self.checksum = fold(self.checksum, now, (1 << 28) + u64::from(pod));
            }
            Event::Monitor => self.monitor(now, alarm),
            Event::Begin(_) | Event::End(_) => self.recover(now, alarm),
        }
    }

    fn checksum(&self) -> u64 {
        self.checksum
    }
}
