//! How long a loop that jitters sleeps (`wait.JitterUntil`), tick by tick and many ticks at once.
//!
//! A sleep is a period and a jitter. A year has three million of them for each loop of each node,
//! and what matters is where a loop stands when something happens to its node. So that nobody has
//! to go through them all, only the first [`STRETCH`] jitters are drawn each by itself. After them
//! come stretches of as many ticks, and a stretch draws what two jitters come to, one after the
//! other: each still lies anywhere from nothing to the most, and where the loop stands after a
//! stretch varies as much as if each had been drawn by itself.

use crate::controllers::prelude::*;

/// The square root of a stretch's length.
const ROOT: u32 = 64;
/// The ticks of a stretch: eleven hours of a loop of ten seconds.
const STRETCH: u32 = ROOT * ROOT;

/// The sleeps of a loop.
pub(super) struct Sleeps<'a> {
    pub(super) ctx: &'a Ctx,
    /// Draws a jitter.
    pub(super) each: PointId,
    /// Draws what two jitters of a stretch come to.
    pub(super) pairs: PointId,
    pub(super) object: Object,
    pub(super) period: Dur,
    /// The longest jitter, in nanoseconds.
    pub(super) most: u64,
    /// What two jitters of the stretch that was last asked for come to: whoever follows a loop asks
    /// for it at every step.
    pub(super) known: Cell<Option<(u32, u64)>>,
}

impl Sleeps<'_> {
    /// The sleep after the tick of that number.
    pub(super) fn after(&self, tick: u32) -> Dur {
        if tick < STRETCH {
            return self.drawn(tick);
        }
        let pair = self.pair(tick / STRETCH);
        let (least, most) = self.bounds(pair);
        let even = tick & !1;
        let first = self.ctx.uniform_at(self.each, self.object, even, least, most);
        self.period + Dur::from_nanos(if tick == even { first } else { pair - first })
    }

    /// A sleep that is drawn by itself.
    pub(super) fn drawn(&self, ordinal: u32) -> Dur {
        let jitter = self.ctx.uniform_at(self.each, self.object, ordinal, 0, self.most);
        self.period + Dur::from_nanos(jitter)
    }

    /// What two jitters of a stretch come to. Drawn one by one, the n jitters of a stretch, each even
    /// from 0 to m, come to a sum with the variance n m²/12. Drawn evenly from m - m/√n to m + m/√n,
    /// the n/2 pairs come to one of (n/2)² (m/√n)²/3, which is the same.
    fn pair(&self, stretch: u32) -> u64 {
        if let Some((_, pair)) = self.known.get().filter(|(known, _)| *known == stretch) {
            return pair;
        }
        let apart = self.most / u64::from(ROOT);
        let drawn = self.ctx.uniform_at(self.pairs, self.object, stretch, 0, 2 * apart);
        let pair = self.most - apart + drawn;
        self.known.set(Some((stretch, pair)));
        pair
    }

    /// Between what each jitter of such a pair lies.
    fn bounds(&self, pair: u64) -> (u64, u64) {
        (pair.saturating_sub(self.most), pair.min(self.most))
    }

    /// Two sleeps of the stretch of a tick.
    fn pair_at(&self, tick: u32) -> Option<Dur> {
        (tick >= STRETCH).then(|| self.period * 2 + Dur::from_nanos(self.pair(tick / STRETCH)))
    }

    /// How many ticks ahead of one the loop may be followed at once, and for how long it sleeps
    /// until then, which is no longer than `most`; none where it has to go tick by tick.
    pub(super) fn ahead(&self, tick: u32, most: Dur) -> Option<(u32, Dur)> {
        if tick < STRETCH {
            // Each jitter is drawn by itself there, all in one go.
            let each = (self.most, self.period.as_nanos());
            let ordinals = tick..STRETCH;
            let (ticks, slept) =
                self.ctx.sum_at(self.each, self.object, ordinals, each, most.as_nanos())?;
            return (ticks > 0).then_some((ticks, Dur::from_nanos(slept)));
        }
        let pair = self.pair_at(tick).filter(|_| tick.is_multiple_of(2))?;
        let left = u64::from((STRETCH - tick % STRETCH) / 2);
        let pairs = left.min(most.as_nanos() / pair.as_nanos().max(1));
        (pairs > 0).then(|| (2 * pairs as u32, pair * pairs))
    }

    /// All sleeps from one tick to another one of the same stretch.
    fn between(&self, from: u32, to: u32) -> Dur {
        let (mut from, mut to, mut sum) = (from, to, Dur::ZERO);
        if from % 2 == 1 && from < to {
            sum += self.after(from);
            from += 1;
        }
        if to % 2 == 1 && from < to {
            to -= 1;
            sum += self.after(to);
        }
        self.pair_at(from).map_or(sum, |pair| sum + pair * u64::from((to - from) / 2))
    }

    /// The tick of a post was that one, and others follow where a post is due each `report`: the
    /// last two of them within its stretch that come no later than `most` after it, and how long
    /// after it they come. None where the number of ticks between two posts is not certain, or where
    /// there are not two.
    pub(super) fn posts_ahead(&self, tick: u32, report: Dur, most: Dur) -> Option<[(u32, Dur); 2]> {
        let pair = self.pair_at(tick)?;
        let apart = self.ticks_between_posts(pair, report)?;
        let left = u64::from(STRETCH - 1 - tick % STRETCH);
        // No sum of sleeps is longer than that of the pairs that hold them.
        let pairs = (most.as_nanos() / pair.as_nanos().max(1)).saturating_sub(1);
        let posts = left.min(2 * pairs) / u64::from(apart);
        let at = |post: u64| {
            let then = tick + apart * post as u32;
            (then, self.between(tick, then))
        };
        (posts >= 2).then(|| [at(posts - 1), at(posts)])
    }

    /// How many ticks a post comes after the one before, if it is always as many in that stretch.
    fn ticks_between_posts(&self, pair: Dur, report: Dur) -> Option<u32> {
        let (low, high) = self.bounds((pair - self.period * 2).as_nanos());
        let sums = |ticks: u64| {
            let (single, whole) = match ticks % 2 {
                1 => (1, (ticks - 1) / 2),
                _ => (2, (ticks / 2).saturating_sub(1)),
            };
            let sum = pair * whole + self.period * single;
            [low, high].map(|jitter| sum + Dur::from_nanos(jitter) * single)
        };
        let roughly = 2 * report.as_nanos() / pair.as_nanos().max(1);
        let ticks = (roughly.max(2)..roughly + 4).find(|&n| sums(n)[0] >= report)?;
        (sums(ticks - 1)[1] < report).then_some(u32::try_from(ticks).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::{ROOT, STRETCH, Sleeps};
    use crate::kernel::{Choices, Dur, Kernel, Object};
    use std::cell::Cell;

    const PERIOD: Dur = Dur::from_secs(10);
    const MOST: u64 = 399_999_999;

    fn with_sleeps(test: impl Fn(&Sleeps<'_>)) {
        let ctx = Kernel::new(Choices::seeded(7)).ctx();
        test(&Sleeps {
            each: ctx.point("each"),
            pairs: ctx.point("pairs"),
            object: Object { id: 3, hash: 3 },
            period: PERIOD,
            most: MOST,
            known: Cell::new(None),
            ctx: &ctx,
        });
    }

    /// The sum of sleeps, one by one.
    fn sum(sleeps: &Sleeps<'_>, from: u32, to: u32) -> Dur {
        (from..to).fold(Dur::ZERO, |sum, tick| sum + sleeps.after(tick))
    }

    #[test]
    fn many_ticks_at_once_are_the_same_ticks() {
        with_sleeps(|sleeps| {
            assert_eq!(sleeps.ahead(STRETCH + 1, Dur::from_secs(1_000)), None);
            for from in [STRETCH, STRETCH + 6, 3 * STRETCH - 4] {
                for most in [Dur::from_secs(21), Dur::from_secs(305), Dur::from_secs(90_000)] {
                    let (ticks, slept) = sleeps.ahead(from, most).expect("at least two");
                    assert!(slept <= most && ticks % 2 == 0, "{ticks}");
                    assert!((from + ticks - 1) / STRETCH == from / STRETCH, "{ticks}");
                    assert_eq!(slept, sum(sleeps, from, from + ticks));
                }
            }
            for (from, to) in [(0, 0), (1, 1), (0, 7), (1, 7), (1, 8), (2, 8), (5, 6)] {
                let (from, to) = (5 * STRETCH + from, 5 * STRETCH + to);
                assert_eq!(sleeps.between(from, to), sum(sleeps, from, to));
            }
        });
    }

    /// In the first stretch as many as there is time for, and no more than the stretch has.
    #[test]
    fn ticks_of_the_first_stretch_are_the_same_ticks() {
        with_sleeps(|sleeps| {
            for from in [0, 7, STRETCH - 3] {
                assert_eq!(sleeps.ahead(from, Dur::from_secs(9)), None);
                for most in [Dur::from_secs(21), Dur::from_secs(305), Dur::from_secs(90_000)] {
                    let (ticks, slept) = sleeps.ahead(from, most).expect("at least one");
                    assert_eq!(slept, sum(sleeps, from, from + ticks));
                    let next = slept + sleeps.after(from + ticks);
                    assert!(slept <= most && (next > most || from + ticks == STRETCH));
                }
            }
        });
    }

    /// Each post comes at the first tick at which the report is due.
    #[test]
    fn posts_that_are_passed_over_are_the_same_posts() {
        with_sleeps(|sleeps| {
            let mut found = 0;
            for report in [25, 60, 300, 301, 306, 310, 3_600] {
                let report = Dur::from_secs(report);
                for tick in [STRETCH, STRETCH + 1, 2 * STRETCH + 77, 3 * STRETCH - 70] {
                    let most = Dur::from_secs(12_345);
                    let Some(posts) = sleeps.posts_ahead(tick, report, most) else { continue };
                    found += 1;
                    let mut walked = vec![(tick, Dur::ZERO)];
                    let (mut at, mut last) = (Dur::ZERO, Dur::ZERO);
                    for next in tick + 1..=posts[1].0 {
                        at += sleeps.after(next - 1);
                        if at.saturating_sub(last) >= report {
                            last = at;
                            walked.push((next, at));
                        }
                    }
                    assert_eq!(walked[walked.len() - 2..], posts, "{report}");
                    assert!(posts[1].1 <= most);
                }
            }
            // 25, 60 s and so on lie clear of the sums of sleeps; in 306 s there may be 29 or 30.
            assert!(found >= 12, "{found}");
        });
    }

    /// Of n jitters, each even from 0 to m, the sum has the mean n m / 2 and the variance n m²/12; a
    /// sample of 400 has a standard error of 7 % in its variance.
    #[test]
    fn a_loop_wanders_as_far_as_if_each_jitter_were_drawn_by_itself() {
        with_sleeps(|sleeps| {
            let n = f64::from(STRETCH);
            let (mut mean, mut squares) = (0.0, 0.0);
            for stretch in 1..=400 {
                let from = stretch * STRETCH;
                let slept = sleeps.between(from, from + STRETCH).as_nanos();
                let jitter = (slept - PERIOD.as_nanos() * u64::from(STRETCH)) as f64 / MOST as f64;
                mean += jitter / 400.0;
                squares += (jitter - n / 2.0).powi(2) / 400.0;
                for tick in [from, from + 1] {
                    assert!(sleeps.after(tick) - PERIOD <= Dur::from_nanos(MOST));
                }
            }
            assert!((mean - n / 2.0).abs() < 3.0 * (n / 12.0 / 400.0).sqrt(), "{mean}");
            assert!((squares / (n / 12.0) - 1.0).abs() < 0.2, "{squares}");
            assert_eq!(ROOT * ROOT, STRETCH);
        });
    }
}
