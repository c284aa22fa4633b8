//! How long something takes that does not always take as long.

use super::{Ctx, Dur, Object, PointId};
use std::rc::Rc;

/// How long something takes: one of these spans, each as likely as another, drawn each time. Of a
/// single one nothing is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spread(Rc<[Dur]>);

impl Spread {
    /// One of these; none without any.
    pub(crate) fn new(mut all: Vec<Dur>) -> Option<Self> {
        all.sort_unstable();
        (!all.is_empty()).then(|| Self(all.into()))
    }

    /// Always the same.
    pub fn always(span: Dur) -> Self {
        Self([span].into())
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// The longest of them.
    pub(crate) fn most(&self) -> Dur {
        self.0[self.0.len() - 1]
    }

    /// The mean, in seconds.
    pub(crate) fn mean_s(&self) -> f64 {
        self.mean_of(|seconds| seconds)
    }

    /// The mean of what comes of its seconds.
    pub(crate) fn mean_of(&self, of: impl Fn(f64) -> f64) -> f64 {
        self.0.iter().map(|span| of(span.as_secs_f64())).sum::<f64>() / self.0.len() as f64
    }

    /// The span that a share of them does not exceed.
    pub(crate) fn quantile(&self, share: f64) -> Dur {
        let rank = (share * self.0.len() as f64).ceil() as usize;
        self.0[rank.clamp(1, self.0.len()) - 1]
    }

    /// Whether there is something to draw.
    pub(crate) fn varies(&self) -> bool {
        self.0[0] != self.most()
    }

    /// How much longer it takes of what has taken so long already: as long as those that take longer. One that takes
    /// longer than all of them is about to be over.
    pub(crate) fn left_after(&self, taken: Dur) -> Self {
        let longer = self.0.iter().filter(|span| **span > taken);
        let left = longer.map(|span| span.saturating_sub(taken)).collect();
        Self::new(left).unwrap_or_else(|| Self::always(Dur::from_secs(1)))
    }

    /// How long it takes for an object this time.
    pub(crate) fn draw(&self, ctx: &Ctx, point: PointId, object: Object) -> Dur {
        if !self.varies() {
            return self.0[0];
        }
        self.0[ctx.uniform(point, object, 0, self.0.len() as u64 - 1) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Choices, Kernel};

    fn seconds(all: &[u64]) -> Spread {
        Spread::new(all.iter().map(|s| Dur::from_secs(*s)).collect()).unwrap()
    }

    /// Of 10, 20, 40 and 60 s those of more than 20 s are left, less that: 20 and 40 s. Of more than 60 s there is none.
    #[test]
    fn what_has_taken_a_while_has_what_is_left_of_those_that_take_longer() {
        let spread = seconds(&[10, 20, 40, 60]);
        assert_eq!(spread.left_after(Dur::from_secs(20)), seconds(&[20, 40]));
        assert_eq!(spread.left_after(Dur::from_secs(60)), seconds(&[1]));
    }

    #[test]
    fn a_spread_says_what_is_in_it() {
        let s = seconds(&[30, 10, 20, 40]);
        assert_eq!((s.most(), s.mean_s(), s.varies()), (Dur::from_secs(40), 25.0, true));
        // Two of four do not exceed 20 s.
        assert_eq!(s.quantile(0.5), Dur::from_secs(20));
        assert_eq!(s.quantile(0.51), Dur::from_secs(30));
        assert!(Spread::new(Vec::new()).is_none() && !seconds(&[5, 5]).varies());
    }

    /// Of 4,000 draws a quarter is each of four: 1,000, with a standard deviation of
    /// sqrt(4000 · 1/4 · 3/4) = 27.4; four of them are 110.
    #[test]
    fn each_is_as_likely_as_another() {
        let ctx = Kernel::new(Choices::seeded(3)).ctx();
        let point = ctx.point("takes");
        let spread = seconds(&[1, 2, 3, 4]);
        let mut counts = [0_i32; 4];
        for i in 0..4_000 {
            let object = Object { id: i, hash: u64::from(i) };
            counts[spread.draw(&ctx, point, object).as_secs_f64() as usize - 1] += 1;
        }
        assert!(counts.iter().all(|n| (n - 1_000).abs() < 110), "{counts:?}");
    }

    #[test]
    fn without_chance_it_is_the_shortest_and_one_alone_draws_nothing() {
        let ctx = Kernel::new(Choices::default_order()).ctx();
        let point = ctx.point("takes");
        assert_eq!(seconds(&[9, 2, 5]).draw(&ctx, point, Object::NONE), Dur::from_secs(2));
        assert_eq!(
            Spread::always(Dur::from_secs(7)).draw(&ctx, point, Object::NONE),
            Dur::from_secs(7)
        );
    }
}
