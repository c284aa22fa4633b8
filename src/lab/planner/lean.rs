//! What changes the answer: prices, rates and shares of outages at which another row is best, where that is more than chance.

use super::batches::{BATCHES, Batch};
use super::estimate::interval;
use super::kept::Kept;
use super::moments::Moments;
use super::spec::{FIGURES, Objective};
use crate::analysis::Interval;

/// From which share another row may be best, and from which it is known to be, with that row.
pub(crate) type ShareAt = ([f64; 2], usize);

/// What a price would have to be for another row to be best.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct BreakEven {
    /// The place of the figure in [`FIGURES`].
    pub(crate) figure: usize,
    /// The price now.
    pub(crate) now: f64,
    /// The price at which the other row is as good.
    pub(crate) price: f64,
    /// The row that is best beyond it.
    pub(crate) row: usize,
}

/// What becomes of the answer if something is another number of times as large.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Sensitivity {
    /// What.
    pub(crate) name: String,
    /// What the best row costs with a third of it, as it is, and with three times as much.
    pub(crate) costs: [f64; 3],
    /// Which row is best then.
    pub(crate) best: [usize; 3],
}

impl Sensitivity {
    /// What the best row costs with a third and three times of it, the lower cost first.
    pub(crate) fn range(&self) -> [f64; 2] {
        let [third, _, thrice] = self.costs;
        [third.min(thrice), third.max(thrice)]
    }
}

/// The cheapest of some rows; of equal ones what is set now, and otherwise the first.
pub(super) fn least(of: &[usize], costs: &[f64], now: usize) -> usize {
    let order =
        |a: &usize, b: &usize| costs[*a].total_cmp(&costs[*b]).then((*a != now).cmp(&(*b != now)));
    of.iter().copied().min_by(order).unwrap_or(0)
}

/// What is less than nothing by no more than this is so by how it is computed.
const ROUNDED: f64 = 1e-9;

/// What a row costs by the price of a figure: what it costs now, and how much more for each unit of the
/// price.
#[derive(Clone, Copy)]
struct Line {
    row: usize,
    cost: f64,
    slope: f64,
}

/// The price nearest to what it is now, above or below, beyond which another row costs less than all of the best ones, and
/// that row. Of several that do at the same price, as those that cost the same now, it is the one that falls most
/// beyond it.
fn turn(best: &[Line], others: &[Line], now: f64, up: bool) -> Option<(f64, usize)> {
    let rises = |line: &Line| if up { line.slope } else { -line.slope };
    let crossing = |line: &Line| {
        let from = |of: &Line| match rises(of) - rises(line) {
            falls if falls > 0.0 => (line.cost - of.cost).max(0.0) / falls,
            _ => f64::INFINITY,
        };
        let away = best.iter().map(from).fold(0.0, f64::max);
        away.is_finite().then_some((away, *line))
    };
    let nearest = others
        .iter()
        .filter_map(crossing)
        .min_by(|a, b| a.0.total_cmp(&b.0).then_with(|| rises(&a.1).total_cmp(&rises(&b.1))));
    let (away, line) = nearest?;
    let price = if up { now + away } else { now - away };
    // No price is below nothing, but for rounding.
    (up || price > now * 1e-9).then_some((price, line.row))
}

/// What changes the answer.
pub(super) struct Lean<'a> {
    pub(super) kept: &'a Kept,
    pub(super) objective: &'a Objective,
    pub(super) eligible: &'a [usize],
    /// The mean figures of each row, and what a year costs with them.
    pub(super) figures: &'a [Vec<f64>],
    pub(super) costs: &'a [f64],
    /// The rows that cannot be told apart from the best one, and how sure to be of one other row.
    pub(super) same: &'a [usize],
    pub(super) each: f64,
}

impl Lean<'_> {
    /// The share of a model's outages that are short: by its figures, where these tell and both kinds
    /// were run; otherwise of those that were run.
    fn is_short(&self, model: usize) -> f64 {
        let [short, long] = self.kept.parts[model];
        let told = self.kept.short.get(model).copied().flatten();
        match told {
            Some(share) if short > 0.0 && long > 0.0 => share,
            _ if short + long > 0.0 => short / (short + long),
            _ => 0.0,
        }
    }

    /// What a year costs in a row because of a model.
    fn cost_of(&self, model: usize, row: usize) -> f64 {
        let of = |batch: &Batch| self.objective.failing(batch.year(model, row * FIGURES.len()));
        self.kept.batches.iter().map(of).sum::<f64>() / self.kept.moments.n().max(1) as f64
    }

    /// What it costs where nothing fails.
    fn anyway(&self, row: usize) -> f64 {
        self.kept.standing_cost(self.objective, row)
    }

    /// Whether a row costs less than the best one by more than chance, if outages of a model came so many times as often.
    fn wins_at_rate(&self, [row, best]: [usize; 2], model: usize, times: f64) -> bool {
        let of = |batch: &Batch| {
            let cost =
                |row: usize, m: usize| self.objective.failing(batch.year(m, row * FIGURES.len()));
            let more = |m: usize| cost(row, m) - cost(best, m);
            let often = |m: usize| if m == model { times } else { 1.0 };
            let sum: f64 = (0..self.kept.parts.len()).map(|m| often(m) * more(m)).sum();
            sum / batch.n().max(1) as f64 + self.anyway(row) - self.anyway(best)
        };
        self.is_below(of)
    }

    /// By batch, what a row costs more than the best one, if this share of the outages of each model were short.
    fn at_share(&self, [row, best]: [usize; 2], short: f64) -> impl Fn(&Batch) -> f64 {
        let of = move |batch: &Batch, m: usize, is_long: bool| {
            let cost =
                |row: usize| self.objective.failing(batch.part(m, is_long, row * FIGURES.len()));
            let weight = self.kept.parts[m][usize::from(is_long)];
            let share = if is_long { 1.0 - short } else { short };
            // It has one of so many parts of the outages.
            let times = share * self.kept.models[m].1 * BATCHES as f64;
            if weight > 0.0 { times * (cost(row) - cost(best)) / weight } else { 0.0 }
        };
        move |batch: &Batch| {
            let all = 0..self.kept.parts.len();
            let all: f64 = all.map(|m| of(batch, m, false) + of(batch, m, true)).sum();
            all + self.anyway(row) - self.anyway(best)
        }
    }

    /// What batches say on average, and where that lies.
    fn span(&self, of: impl Fn(&Batch) -> f64) -> (f64, Interval) {
        let mut all = Moments::default();
        self.kept.batches.iter().for_each(|batch| all.add(&[of(batch)]));
        let (mean, variance) = all.of(&[(0, 1.0)]);
        (mean, interval((mean, variance), all.n(), self.each))
    }

    /// Whether what each batch says is on average below zero by more than chance.
    fn is_below(&self, of: impl Fn(&Batch) -> f64) -> bool {
        self.kept.moments.n() >= 2 * BATCHES as u64 && self.span(of).1.high < -ROUNDED
    }

    pub(super) fn shares(&self, best: usize) -> Vec<(String, f64)> {
        let costs: Vec<f64> =
            (0..self.kept.parts.len()).map(|m| self.cost_of(m, best).max(0.0)).collect();
        let sum: f64 = costs.iter().sum();
        if sum <= 0.0 {
            return Vec::new();
        }
        let names = self.kept.models.iter().map(|m| m.0.clone());
        let mut shares: Vec<(String, f64)> = names.zip(costs.iter().map(|c| c / sum)).collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        shares
    }

    /// The row that is best at these costs; of equal ones the best one, and so where the other is better by chance.
    fn best_at(
        &self,
        best: usize,
        cost: impl Fn(usize) -> f64,
        wins: impl Fn(usize) -> bool,
    ) -> usize {
        let costs: Vec<f64> = (0..self.kept.rows.len()).map(cost).collect();
        Some(least(self.eligible, &costs, best)).filter(|row| wins(*row)).unwrap_or(best)
    }

    /// The nearest price below and above of evictions and needless ones beyond which another row wins, also over those that
    /// cannot be told apart from the best one. One of these, or that differs from it in them by no more than chance, turns
    /// nowhere.
    pub(super) fn break_even(&self, best: usize, confidence: f64) -> Vec<BreakEven> {
        let mut found = Vec::new();
        for figure in [3, 4] {
            let now = self.objective.prices[figure];
            let line =
                |row: usize| Line { row, cost: self.costs[row], slope: self.figures[row][figure] };
            let is_same = |row: &usize| *row == best || self.same.contains(row);
            let differs = |row: &usize| self.kept.differs(figure, [*row, best], confidence);
            let (same, others): (Vec<usize>, Vec<usize>) =
                self.eligible.iter().copied().partition(is_same);
            let same = Vec::from_iter(same.into_iter().map(line));
            let others = Vec::from_iter(others.into_iter().filter(differs).map(line));
            let turns = [false, true].map(|up| turn(&same, &others, now, up));
            let turns = turns.into_iter().flatten();
            found.extend(turns.map(|(price, row)| BreakEven { figure, now, price, row }));
        }
        found
    }

    /// The costs of the best row with a third and three times of prices and rates, and which row is known to be best then.
    pub(super) fn sensitivities(&self, best: usize) -> Vec<Sensitivity> {
        const TIMES: [f64; 3] = [1.0 / 3.0, 1.0, 3.0];
        let of =
            |name: String, cost: &dyn Fn(usize, f64) -> f64, wins: &dyn Fn(usize, f64) -> bool| {
                let best_at = |t| self.best_at(best, |row| cost(row, t), |row| wins(row, t));
                Sensitivity { name, costs: TIMES.map(|t| cost(best, t)), best: TIMES.map(best_at) }
            };
        let total = |row: usize| self.costs[row];
        let mut all = Vec::new();
        for (figure, price) in self.objective.prices.iter().enumerate().skip(1) {
            if *price > 0.0 {
                let cost =
                    |row: usize, t: f64| total(row) + (t - 1.0) * price * self.figures[row][figure];
                let wins = |row: usize, t: f64| {
                    let mut other = self.objective.clone();
                    other.prices[figure] *= t;
                    self.kept.difference_span(&other, [row, best], self.each, None).high < 0.0
                };
                all.push(of(format!("price of {}", FIGURES[figure].heading()), &cost, &wins));
            }
        }
        for model in 0..self.kept.parts.len() {
            let cost = |row: usize, t: f64| total(row) + (t - 1.0) * self.cost_of(model, row);
            let wins = |row: usize, t: f64| self.wins_at_rate([row, best], model, t);
            all.push(of(format!("rate of {}", self.kept.models[model].0), &cost, &wins));
        }
        all.sort_by(|a, b| (b.costs[2] - b.costs[0]).total_cmp(&(a.costs[2] - a.costs[0])));
        all
    }

    /// The share of short outages now, and the nearest one, in whole percent, beyond which another row is best: from where it may be,
    /// which of one that cannot be told apart from the best is here, and from where it is known to be.
    pub(super) fn short(&self, best: usize) -> Option<(f64, Option<ShareAt>)> {
        let models = self.kept.parts.len();
        let all: f64 = self.kept.models.iter().map(|m| m.1).sum();
        let seen = |is_long: usize| self.kept.parts.iter().map(|p| p[is_long]).sum::<f64>();
        if models == 0 || all <= 0.0 || seen(0) <= 0.0 || seen(1) <= 0.0 {
            return None;
        }
        let now = (0..models).map(|m| self.kept.models[m].1 * self.is_short(m)).sum::<f64>() / all;
        // Every model with the same share.
        let turn = |row: usize| {
            let more = |share: f64| self.span(self.at_share([row, best], share)).0;
            let [none, all] = [more(0.0), more(1.0)];
            let share = none / (none - all);
            let turns = if share > now { all < 0.0 } else { share < now && none < 0.0 };
            (turns && more(now) > 0.0).then_some((share, row))
        };
        let nearest = self.eligible.iter().copied().filter_map(turn);
        let nearest = nearest.min_by(|a, b| (a.0 - now).abs().total_cmp(&(b.0 - now).abs()));
        let lies = nearest.and_then(|(share, row)| {
            let percents =
                (0..=100_u8).map(|i| f64::from(if share > now { i } else { 100 - i }) / 100.0);
            let beyond = percents.filter(|p| (*p - now) * (share - now) > 0.0);
            let more = |p: &f64| self.at_share([row, best], *p);
            let known = beyond.clone().find(|p| self.is_below(more(p)))?;
            let may_be = beyond.clone().find(|p| self.span(more(p)).1.low <= ROUNDED)?;
            Some(([may_be, known], row))
        });
        Some((now, lies))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two to four replicas, with 64, 0 and 0 minutes below need and 11, 15.6 and 21 evictions a year. While evictions cost
    /// nothing four are as good as three, and at any price three are better; at 64 / 4.6 = 13.9 two cost as much as three.
    #[test]
    fn the_row_beyond_a_price_is_the_best_there() {
        let line = |row: usize, price: f64| {
            let slope = [11.0, 15.6, 21.0][row];
            Line { row, cost: [64.0, 0.0, 0.0][row] + price * slope, slope }
        };
        let of = |best: usize, now: f64, up: bool| {
            let others: Vec<Line> =
                (0..3).filter(|row| *row != best).map(|row| line(row, now)).collect();
            turn(&[line(best, now)], &others, now, up)
        };
        assert_eq!(of(2, 0.0, true), Some((0.0, 1)));
        let (price, row) = of(1, 7.0, true).expect("it turns");
        assert!((price - 64.0 / 4.6).abs() < 1e-9 && row == 0, "{price} {row}");
        // Below seven three are best down to nothing, where four are as good.
        assert_eq!(of(1, 7.0, false), None);
        let (price, row) = of(0, 20.0, false).expect("it turns");
        assert!((price - 64.0 / 4.6).abs() < 1e-9 && row == 1, "{price} {row}");
        assert_eq!(of(0, 20.0, true), None);
    }

    /// One costs 200 more than the best and 149 more than what cannot be told apart from that, and has 40 and 30 evictions less: it
    /// costs less than the best from 5 more for each on, and than the other from 4.97 on. What it has not fewer evictions than, it
    /// never costs less than.
    #[test]
    fn a_price_turns_where_a_row_costs_less_than_all_that_are_as_good() {
        let line = |row: usize, cost: f64, slope: f64| Line { row, cost, slope };
        let (best, none) = (line(0, 200.0, 40.0), line(2, 400.0, 0.0));
        assert_eq!(turn(&[best, line(1, 251.0, 30.0)], &[none], 5.0, true), Some((10.0, 2)));
        assert_eq!(turn(&[best, line(1, 251.0, 0.0)], &[none], 5.0, true), None);
        assert_eq!(turn(&[best], &[none], 5.0, false), None);
    }
}
