//! What a person decides by, computed from what is kept of the runs, for any prices and limits.

use super::kept::Kept;
use super::spec::{Bound, FIGURES, OWN, Objective};
use crate::lab::prelude::*;

/// A value, and what a year costs with it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Row {
    /// The value of each setting.
    pub(crate) values: Vec<String>,
    /// The figures of a year.
    pub(crate) figures: Vec<f64>,
    /// Where each of them lies.
    pub(crate) spans: Vec<Interval>,
    /// The figures of [`OWN`](super::spec::OWN) of each workload whose own are kept, with where they lie.
    pub(crate) own: Vec<[(f64, Interval); OWN.len()]>,
    /// What a year costs.
    pub(crate) cost: f64,
    /// Where the true cost lies, as sure as asked for.
    pub(crate) interval: Interval,
    /// How much more it costs than the best row, replication by replication.
    pub(crate) more: f64,
    /// Where that lies, as sure as asked for of all rows together.
    pub(crate) more_interval: Interval,
    /// The limits that it breaks.
    pub(crate) breaks: Vec<String>,
    /// The limits that it keeps, but perhaps only by chance: the figure lies beyond them as well as not,
    /// with where it lies.
    pub(crate) unsure: Vec<(String, Interval)>,
    /// What the closed form says that a year costs; none where it knows nothing that has a price.
    pub(crate) closed: Option<f64>,
    /// The replica-minutes by formula of pods of StatefulSets, which wait for their nodes.
    pub(crate) waiting: f64,
}

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

/// The answer.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Answer {
    /// All rows.
    pub(crate) rows: Vec<Row>,
    /// The best one that keeps all limits; of all, if none does.
    pub(crate) best: usize,
    /// Whether it keeps all limits.
    pub(crate) keeps: bool,
    /// The figures, places in [`FIGURES`], whose limits some row breaks, or may break.
    pub(crate) limited: BTreeSet<usize>,
    /// The row that is set now.
    pub(crate) now: usize,
    /// How many replications there are to be before anything is known; none where it is.
    pub(crate) wanted: Option<u64>,
    /// Rows that cannot be told apart from the best, it included.
    pub(crate) same: Vec<usize>,
    /// How many replications may tell these rows apart; none where each of them will do, as none costs
    /// more than is nothing to choose by.
    pub(crate) open: Option<u64>,
    /// How much the true best may cost less at most.
    pub(crate) off: f64,
    /// One value was left by a procedure that guarantees it.
    pub(crate) guaranteed: bool,
    /// By model, what part of the best row's cost comes from it.
    pub(crate) shares: Vec<(String, f64)>,
    /// Prices at which another row is best, the nearest ones.
    pub(crate) break_even: Vec<BreakEven>,
    /// What a third and three times of prices and rates make of it.
    pub(crate) sensitivities: Vec<Sensitivity>,
    /// The share of outages that are over within five minutes; and the one at which another row is
    /// best, with that row.
    pub(crate) short: Option<(f64, Option<(f64, usize)>)>,
    /// The row that is best by formula.
    pub(crate) closed_best: Option<usize>,
    /// Figures that no value changes.
    pub(crate) unmoved: Vec<usize>,
    /// How many replications there were.
    pub(crate) n: u64,
    /// As sure as this.
    pub(crate) confidence: f64,
}

/// A figure that differs by no more than this part of it is changed by no value.
const UNMOVED: f64 = 0.03;
/// One that has a price is only if, besides, it differs by no more than this part of the cost: what is
/// chosen by it is not said to be unchanged.
const UNMOVED_COST: f64 = 0.001;

/// What follows from the runs, for these prices and limits.
pub(crate) fn answer(
    kept: &Kept,
    objective: &Objective,
    within: &[Bound],
    confidence: f64,
) -> Answer {
    let k = kept.rows.len();
    let all: Vec<Vec<f64>> = (0..k).map(|row| kept.figures(row)).collect();
    let costs: Vec<f64> =
        (0..k).map(|row| objective.of(&all[row], kept.nodes[row].into())).collect();
    let broken = |figures: &Vec<f64>| {
        let breaks = within.iter().filter(|b| figures[b.figure] > b.most);
        breaks.map(|b| b.text.clone()).collect()
    };
    let breaks: Vec<Vec<String>> = all.iter().map(broken).collect();
    let keeps = breaks.iter().any(Vec::is_empty);
    let eligible: Vec<usize> = (0..k).filter(|&row| !keeps || breaks[row].is_empty()).collect();
    let best = least(&eligible, &costs, kept.now);
    let n = kept.moments.n();
    // As many comparisons as there are other rows, all of which are to hold together.
    let each = 1.0 - (1.0 - confidence) / (k.max(2) - 1) as f64;
    let standing = |row: usize| kept.standing_cost(objective, row);
    let closed = kept.closed.as_ref().filter(|_| objective.unknown_to_formulas().is_empty());
    let by_formula = |row: usize| Some(objective.of_formula(&closed?[row]) + standing(row));
    let row = |row: usize| {
        let of_formula = by_formula(row).zip(by_formula(best)).map(|(r, b)| r - b);
        let spans = kept.spans(row, confidence);
        Row {
            values: kept.rows[row].clone(),
            figures: all[row].clone(),
            unsure: unsure(within, &all[row], &spans),
            spans,
            own: kept.own_figures(row, confidence),
            cost: costs[row],
            interval: kept.cost_span(objective, row, confidence),
            more: kept.difference(objective, row, best).0,
            more_interval: kept.difference_span(objective, [row, best], each, of_formula),
            breaks: breaks[row].clone(),
            closed: by_formula(row),
            waiting: kept.closed.as_ref().map_or(0.0, |c| c[row].waiting),
        }
    };
    let rows: Vec<Row> = (0..k).map(row).collect();
    let is_same = |r: &usize| *r == best || rows[*r].more_interval.low <= 0.0;
    let same: Vec<usize> = eligible.iter().copied().filter(is_same).collect();
    let most = |of: fn(&Interval) -> f64| {
        let all = same.iter().map(|&r| of(&rows[r].more_interval));
        all.fold(0.0, f64::max)
    };
    let off = most(|i| -i.low);
    let wanted = kept.wanted(&(0..k).collect::<Vec<usize>>());
    let was_for = kept.was_for(objective, within, confidence);
    let guaranteed = kept.settled == Some(best) && wanted.is_none() && was_for;
    let dearest = most(|i| i.high);
    let nothing = kept.nothing(objective);
    let open = (dearest > nothing || wanted.is_some())
        .then(|| replications(n, dearest.max(off) / nothing));
    let closed: Option<Vec<f64>> = rows.iter().map(|r| r.closed).collect();
    let is_near = |b: &&Bound| {
        let may_break = |r: &Row| r.unsure.iter().any(|(text, _)| *text == b.text);
        rows.iter().any(|r| r.breaks.contains(&b.text) || may_break(r))
    };
    let limited = within.iter().filter(is_near).map(|b| b.figure).collect();
    let lean = Lean { kept, objective, eligible: &eligible, figures: &all, costs: &costs };
    Answer {
        best,
        keeps,
        limited,
        now: kept.now,
        wanted,
        open,
        off: if guaranteed { off.min(kept.delta) } else { off },
        guaranteed,
        shares: lean.shares(best),
        break_even: lean.break_even(best, confidence),
        sensitivities: lean.sensitivities(best),
        short: lean.short(best),
        closed_best: closed.map(|costs| least(&eligible, &costs, kept.now)),
        unmoved: unmoved(&rows, objective, costs[best]),
        same,
        rows,
        n,
        confidence,
    }
}

/// How many replications it takes until an interval is narrower by that factor: by its square as many.
fn replications(n: u64, times: f64) -> u64 {
    let times = times.max(1.0);
    (n as f64 * times * times).min(f64::from(u32::MAX)) as u64
}

/// The figures that hardly differ between the rows, by their places in [`FIGURES`].
fn unmoved(rows: &[Row], objective: &Objective, cost: f64) -> Vec<usize> {
    (0..FIGURES.len())
        .filter(|&f| {
            let all: Vec<f64> = rows.iter().map(|r| r.figures[f]).collect();
            let most = all.iter().copied().fold(0.0, f64::max);
            let range = most - all.iter().copied().fold(f64::MAX, f64::min);
            let costs_nothing = objective.prices[f] * range <= cost * UNMOVED_COST;
            most > 0.0 && range <= most * UNMOVED && costs_nothing
        })
        .collect()
}

/// The limits that a row keeps, but only just: where the figure lies reaches beyond them.
fn unsure(within: &[Bound], figures: &[f64], spans: &[Interval]) -> Vec<(String, Interval)> {
    let reaches = |b: &&Bound| figures[b.figure] <= b.most && spans[b.figure].high > b.most;
    within.iter().filter(reaches).map(|b| (b.text.clone(), spans[b.figure])).collect()
}

/// The cheapest of some rows; of equal ones what is set now, and otherwise the first.
fn least(of: &[usize], costs: &[f64], now: usize) -> usize {
    let order =
        |a: &usize, b: &usize| costs[*a].total_cmp(&costs[*b]).then((*a != now).cmp(&(*b != now)));
    of.iter().copied().min_by(order).unwrap_or(0)
}

/// What a row costs by the price of a figure: what it costs now, and how much more for each unit of the
/// price.
#[derive(Clone, Copy)]
struct Line {
    row: usize,
    cost: f64,
    slope: f64,
}

/// The price nearest to what it is now, above or below, beyond which another row costs least, and that row. Of
/// several that cross the best one at the same price, as those that cost the same now, it is the one that falls most
/// beyond it.
fn turn(best: Line, others: &[Line], now: f64, up: bool) -> Option<(f64, usize)> {
    let falls = |line: &Line| if up { best.slope - line.slope } else { line.slope - best.slope };
    let crossing = |line: &Line| {
        let away = (line.cost - best.cost).max(0.0) / falls(line);
        (falls(line) > 0.0 && away.is_finite()).then_some((away, *line))
    };
    let nearest = others
        .iter()
        .filter_map(crossing)
        .min_by(|a, b| a.0.total_cmp(&b.0).then_with(|| falls(&b.1).total_cmp(&falls(&a.1))));
    let (away, line) = nearest?;
    let price = if up { now + away } else { now - away };
    // No price is below nothing, but for rounding.
    (up || price > now * 1e-9).then_some((price, line.row))
}

/// What changes the answer.
struct Lean<'a> {
    kept: &'a Kept,
    objective: &'a Objective,
    eligible: &'a [usize],
    /// The mean figures of each row, and what a year costs with them.
    figures: &'a [Vec<f64>],
    costs: &'a [f64],
}

impl Lean<'_> {
    /// The mean figures of one outage of a model in a row: of short ones and others, with their
    /// share.
    fn part(&self, model: usize, row: usize, is_long: bool) -> Vec<f64> {
        let (count, sums) = &self.kept.parts[model][usize::from(is_long)];
        let own = &sums[row * FIGURES.len()..][..FIGURES.len()];
        let count = if *count > 0.0 { *count } else { 1.0 };
        own.iter().map(|s| s / count).collect()
    }

    /// The share of a model's outages that are short: by its figures, where these tell and both kinds
    /// were run; otherwise of those that were run.
    fn is_short(&self, model: usize) -> f64 {
        let [short, long] = &self.kept.parts[model];
        let told = self.kept.short.get(model).copied().flatten();
        match told {
            Some(share) if short.0 > 0.0 && long.0 > 0.0 => share,
            _ if short.0 + long.0 > 0.0 => short.0 / (short.0 + long.0),
            _ => 0.0,
        }
    }

    /// What a year costs in a row because of a model, if a share of its outages were short: as much
    /// of what it costs by the formula, too, as of what it cost in the runs.
    fn cost_of(&self, model: usize, row: usize, short: f64) -> f64 {
        let models = 0..self.kept.parts.len();
        let ran: f64 = models.map(|m| self.ran(m, row, self.is_short(m))).sum();
        let failing = self.costs[row] - self.kept.standing_cost(self.objective, row);
        let times = if ran > 0.0 { failing / ran } else { 1.0 };
        times * self.ran(model, row, short)
    }

    /// The same as it was in the runs.
    fn ran(&self, model: usize, row: usize, short: f64) -> f64 {
        let rate = self.kept.models[model].1;
        let of = |is_long| self.objective.of(&self.part(model, row, is_long), 0.0);
        rate * (short * of(false) + (1.0 - short) * of(true))
    }

    fn shares(&self, best: usize) -> Vec<(String, f64)> {
        let costs: Vec<f64> =
            (0..self.kept.parts.len()).map(|m| self.cost_of(m, best, self.is_short(m))).collect();
        let sum: f64 = costs.iter().sum();
        if sum <= 0.0 {
            return Vec::new();
        }
        let names = self.kept.models.iter().map(|m| m.0.clone());
        let mut shares: Vec<(String, f64)> = names.zip(costs.iter().map(|c| c / sum)).collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        shares
    }

    /// The row that is best at these costs; of equal ones the best one.
    fn best_at(&self, best: usize, cost: impl Fn(usize) -> f64) -> usize {
        let costs: Vec<f64> = (0..self.kept.rows.len()).map(cost).collect();
        least(self.eligible, &costs, best)
    }

    /// The nearest price below and above of evictions and needless ones beyond which another row wins. Rows that
    /// differ in them by no more than chance turn nowhere.
    fn break_even(&self, best: usize, confidence: f64) -> Vec<BreakEven> {
        let mut found = Vec::new();
        for figure in [3, 4] {
            let now = self.objective.prices[figure];
            let line =
                |row: usize| Line { row, cost: self.costs[row], slope: self.figures[row][figure] };
            let others = self.eligible.iter().copied().filter(|row| *row != best);
            let others: Vec<Line> = others.map(line).collect();
            let known = |row: usize| self.kept.differs(figure, [row, best], confidence);
            let turns = [false, true].map(|up| turn(line(best), &others, now, up));
            let known = turns.into_iter().flatten().filter(|turn| known(turn.1));
            found.extend(known.map(|(price, row)| BreakEven { figure, now, price, row }));
        }
        found
    }

    fn sensitivities(&self, best: usize) -> Vec<Sensitivity> {
        const TIMES: [f64; 3] = [1.0 / 3.0, 1.0, 3.0];
        let of = |name: String, cost: &dyn Fn(usize, f64) -> f64| {
            let best_at = |times| self.best_at(best, |row| cost(row, times));
            Sensitivity { name, costs: TIMES.map(|t| cost(best, t)), best: TIMES.map(best_at) }
        };
        let total = |row: usize| self.costs[row];
        let mut all = Vec::new();
        for (figure, price) in self.objective.prices.iter().enumerate().skip(1) {
            if *price > 0.0 {
                let cost =
                    |row: usize, t: f64| total(row) + (t - 1.0) * price * self.figures[row][figure];
                all.push(of(format!("price of {}", FIGURES[figure].heading()), &cost));
            }
        }
        for model in 0..self.kept.parts.len() {
            let own = |row: usize| self.cost_of(model, row, self.is_short(model));
            let cost = |row: usize, t: f64| total(row) + (t - 1.0) * own(row);
            all.push(of(format!("rate of {}", self.kept.models[model].0), &cost));
        }
        all.sort_by(|a, b| (b.costs[2] - b.costs[0]).total_cmp(&(a.costs[2] - a.costs[0])));
        all
    }

    /// The share of short outages now, and the nearest one at which another row is best.
    fn short(&self, best: usize) -> Option<(f64, Option<(f64, usize)>)> {
        let models = self.kept.parts.len();
        let all: f64 = self.kept.models.iter().map(|m| m.1).sum();
        let seen = |is_long: usize| self.kept.parts.iter().map(|p| p[is_long].0).sum::<f64>();
        if models == 0 || all <= 0.0 || seen(0) <= 0.0 || seen(1) <= 0.0 {
            return None;
        }
        let now = (0..models).map(|m| self.kept.models[m].1 * self.is_short(m)).sum::<f64>() / all;
        let cost = |row: usize, share: f64| {
            let failing: f64 = (0..models).map(|m| self.cost_of(m, row, share)).sum();
            failing + self.kept.standing_cost(self.objective, row)
        };
        let at = |share: f64| self.best_at(best, |row| cost(row, share));
        // Every model with the same share: as far as that leaves the best row the best.
        if at(now) != best {
            return Some((now, None));
        }
        let steps = (0..=100).map(|i| f64::from(i) / 100.0).filter(|s| at(*s) != best);
        let nearest = steps.min_by(|a, b| (a - now).abs().total_cmp(&(b - now).abs()));
        Some((now, nearest.map(|s| (s, at(s)))))
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
            turn(line(best, now), &others, now, up)
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
}
