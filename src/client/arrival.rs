//! When changes arrive: the delay of a watch, and which changes are in the caches by some time.

use super::factory::InformerFactory;
use crate::client::prelude::*;

/// From one draw of a watch's delay to the next, at least.
const SLICE: Dur = Dur::from_millis(100);

impl InformerFactory {
    /// When a change that was made at `at` reaches the caches, faults aside.
    pub(super) fn arrives(&self, resource: Resource, at: Time) -> Time {
        (at + self.delay_at(resource, at)).max(self.opened.get())
    }

    /// The delay of a watch wanders: it is drawn for each slice of time and goes evenly from one to
    /// the next, so that changes keep their order and the delay of one does not depend on which
    /// others there are.
    fn delay_at(&self, resource: Resource, at: Time) -> Dur {
        let watch = self.timing.watch;
        if watch.is_constant() {
            return watch.min;
        }
        // No delay falls faster than time goes on: what was made later does not come sooner.
        let length = SLICE.max(watch.max.saturating_sub(watch.min)).as_nanos();
        let (slice, within) = (at.as_nanos() / length, at.as_nanos() % length);
        let (from, to) = (self.draw(resource, slice), self.draw(resource, slice + 1));
        // A division of 128 bits takes ten times as long, and is seldom needed.
        let part = |span: u64| match span.checked_mul(within) {
            Some(product) => product / length,
            None => (u128::from(span) * u128::from(within) / u128::from(length)) as u64,
        };
        Dur::from_nanos(if to >= from { from + part(to - from) } else { from - part(from - to) })
    }

    /// The draw of a slice of time.
    fn draw(&self, resource: Resource, slice: u64) -> u64 {
        let kept = &self.drawn[resource as usize][(slice % 2) as usize];
        // Where somebody sees each draw, each is made.
        if let Some((of, delay)) = kept.get()
            && of == slice
            && !self.ctx.is_choosing()
        {
            return delay;
        }
        let object = Object { id: resource as u32, hash: resource as u64 };
        let (min, max) = (self.timing.watch.min.as_nanos(), self.timing.watch.max.as_nanos());
        let delay = self.ctx.uniform_at(self.watch_point, object, slice as u32, min, max);
        kept.set(Some((slice, delay)));
        delay
    }

    /// The latest time whose changes have reached the caches by now, faults aside.
    pub(super) fn visible(&self, resource: Resource) -> Time {
        self.visible_at(resource, self.ctx.now())
    }

    pub(super) fn visible_at(&self, resource: Resource, now: Time) -> Time {
        if now < self.opened.get() {
            return self.listed_at.get();
        }
        let watch = self.timing.watch;
        if watch.is_constant() {
            return now.saturating_sub(watch.min).max(self.listed_at.get());
        }
        let (known_at, known) = self.seen[resource as usize].get();
        if known_at == now && known != Time::ZERO {
            return known;
        }
        // Arrivals keep the order of changes, so the latest visible one is found by halving.
        let arrived = |t: u64| {
            let t = Time::from_nanos(t);
            t + self.delay_at(resource, t) <= now
        };
        let (mut low, mut high) =
            (now.saturating_sub(watch.max).as_nanos(), now.saturating_sub(watch.min).as_nanos());
        // Where somebody sees each draw, those of the halving are made.
        if !self.ctx.is_choosing() {
            (low, high) = self.near(resource, now, (low, high), arrived);
        }
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if arrived(middle) { low = middle } else { high = middle - 1 }
        }
        let visible = Time::from_nanos(low).max(self.listed_at.get());
        self.seen[resource as usize].set((now, visible));
        visible
    }

    /// Between which times near each other the latest lies that has arrived by `now`: the delay wanders so
    /// slowly that a delay before now is a good guess, and the delay at that a better one.
    fn near(
        &self,
        resource: Resource,
        now: Time,
        (low, high): (u64, u64),
        arrived: impl Fn(u64) -> bool,
    ) -> (u64, u64) {
        let (mut guess, mut before) = (high, low);
        for _ in 0..6 {
            if guess.abs_diff(before) <= 1 {
                break;
            }
            before = guess;
            let delay = self.delay_at(resource, Time::from_nanos(guess));
            guess = now.saturating_sub(delay).as_nanos().clamp(low, high);
        }
        let (from, to) = (guess.saturating_sub(2).max(low), (guess + 2).min(high));
        let from = if from == low || arrived(from) { from } else { low };
        let to = if to == high || !arrived(to + 1) { to } else { high };
        (from, to)
    }
}
