//! The hold model: a fixed number of timers, each of which is set again as soon as it fires, after
//! an exponential delay with a mean of one second. The classic measure of a pending event set.

use super::{Alarm, Event, Work, fold, rnd};

pub(crate) struct Hold {
    fired: Vec<u32>,
    left: u64,
    checksum: u64,
}

impl Hold {
    /// So many timers; nothing happens any more after so many firings.
    pub(crate) fn new(pending: usize, firings: u64) -> Self {
        Self { fired: vec![0; pending], left: firings, checksum: 0 }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the hold model's delays are exponential; no result hangs on the last bit"
    )]
    fn delay(id: u64, k: u64) -> u64 {
        let u = ((rnd(id, k) >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        1 + (-u.ln() * 1e9) as u64
    }
}

impl<K> Work<K> for Hold {
    fn start(&mut self, alarm: &mut impl Alarm<K>) {
        for id in 0..self.fired.len() as u32 {
            alarm.post(Self::delay(u64::from(id), 0), Event::Renew(id));
        }
    }

    fn on(&mut self, now: u64, event: Event, alarm: &mut impl Alarm<K>) {
        let Event::Renew(id) = event else { return };
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let k = &mut self.fired[id as usize];
        *k += 1;
        self.checksum = fold(self.checksum, now, u64::from(id));
        alarm.post(now + Self::delay(u64::from(id), u64::from(*k)), event);
    }

    fn checksum(&self) -> u64 {
        self.checksum
    }
}
