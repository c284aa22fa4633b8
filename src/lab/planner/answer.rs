//! What a person decides by, computed from what is kept of the runs, for any prices and limits.

use super::kept::Kept;
use super::lean::{BreakEven, Lean, Sensitivity, ShareAt, least};
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
    /// The replica-minutes by formula of pods that wait for their nodes, as those of StatefulSets do.
    pub(crate) waiting: f64,
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
    /// Rows of which any will do, as none costs more than is nothing to choose by, it and all that cannot be told apart from
    /// it included, and those that are known to cost more, but no more than one of these may; nothing where these are open, or
    /// there is but one.
    pub(crate) good: Vec<usize>,
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
    /// best, from where it may be, and is known to be, with that row.
    pub(crate) short: Option<(f64, Option<ShareAt>)>,
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

impl Answer {
    /// Whether nothing is known to be better than what is set now.
    pub(crate) fn stays(&self) -> bool {
        self.same.contains(&self.now)
    }

    /// The row that is recommended: where nothing is known to be better than what is set now, that stays.
    pub(crate) fn recommended(&self) -> usize {
        if self.keeps && self.stays() { self.now } else { self.best }
    }
}

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
    let more: Vec<Interval> = rows.iter().map(|r| r.more_interval).collect();
    let good = if open.is_none() { good(&more, &eligible, &same) } else { Vec::new() };
    let closed: Option<Vec<f64>> = rows.iter().map(|r| r.closed).collect();
    let is_near = |b: &&Bound| {
        let may_break = |r: &Row| r.unsure.iter().any(|(text, _)| *text == b.text);
        rows.iter().any(|r| r.breaks.contains(&b.text) || may_break(r))
    };
    let limited = within.iter().filter(is_near).map(|b| b.figure).collect();
    let lean = Lean {
        kept,
        objective,
        eligible: &eligible,
        figures: &all,
        costs: &costs,
        same: &same,
        each,
    };
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
        good,
        rows,
        n,
        confidence,
    }
}

/// Of the eligible rows those that cost no more than one may of those that cannot be told apart from the best, if these are
/// several; of each row where lies what it costs more.
fn good(more: &[Interval], eligible: &[usize], same: &[usize]) -> Vec<usize> {
    let most = same.iter().map(|row| more[*row].high).fold(0.0, f64::max);
    let good = eligible.iter().copied().filter(|row| more[*row].high <= most);
    if same.len() > 1 { good.collect() } else { Vec::new() }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::choice::Keyed;
    use crate::lab::planner::replication::{Part, Replication};

    /// Of two values, with two models that come once a year each: by these the second costs so much more.
    fn answered(more: impl Fn(u32) -> [f64; 2]) -> Answer {
        let width = 2 * FIGURES.len();
        let mut kept = Kept {
            rows: ["a", "b"].map(|value| vec![value.to_owned()]).to_vec(),
            nodes: vec![1, 1],
            models: ["node", "zone"].map(|name| (name.to_owned(), 1.0)).to_vec(),
            parts: vec![[0.0; 2]; 2],
            met: vec![vec![0; 2]; 2],
            differ: vec![0],
            ..Kept::default()
        };
        kept.weigh(vec![1.0; 2]);
        for number in 0..100_u32 {
            let of = |more: f64| {
                let mut part = Part::new(1.0, 2, width);
                part.is_short = (number / 10).is_multiple_of(2);
                part.put(0, &[100.0], [1.0, 1.0]);
                part.put(FIGURES.len(), &[100.0 + more], [1.0, 1.0]);
                part
            };
            let parts = more(number).map(of);
            let year = (0..width).map(|i| parts.iter().map(|p| p.year[i]).sum::<f64>()).collect();
            kept.add(Replication { year, parts: parts.to_vec(), ..Replication::default() });
        }
        answer(&kept, &Objective::new(None), &[], 0.95)
    }

    /// A value that may cost 29 more or 1.2 less is as good; so is one that costs at least 3.39 more, but no more than 14.1, and
    /// not one that may cost 30 more. Where the best one can be told from all others, none is as good.
    #[test]
    fn what_is_known_to_cost_little_more_is_as_good() {
        let more =
            [(-1.2, 29.0), (3.39, 14.13), (3.29, 11.09), (-2.28, 3.66), (0.0, 0.0), (1.0, 30.0)];
        let more = more.map(|(low, high)| Interval { low, high });
        assert_eq!(good(&more, &[0, 1, 2, 3, 4, 5], &[0, 3, 4]), [0, 1, 2, 3, 4]);
        // 11.09 breaks a limit.
        assert_eq!(good(&more, &[0, 1, 3, 4], &[0, 3, 4]), [0, 1, 3, 4]);
        assert!(good(&more, &[1, 2, 4, 5], &[4]).is_empty());
    }

    /// Half of the outages are short, and half of these cost a value 4 less, and of the others 16 more: 2 and 8 on average, so that from
    /// (1 - p) · 8 = p · 2 on, of 80 %, it is best. That lies in what is told of a hundred outages in 19 of twenty cases.
    #[test]
    fn a_share_is_told_as_far_as_it_is_known() {
        let lies = |case: u64| {
            let keyed = Keyed::new(case, "share");
            let more = |i: u32| if (i / 10).is_multiple_of(2) { -4.0 } else { 16.0 };
            let of = |i: u32| if keyed.unit(0, i) < 0.5 { more(i) } else { 0.0 };
            answered(|i| [of(i), 0.0]).short?.1.map(|(at, _)| at)
        };
        let told: Vec<[f64; 2]> = (0..200).filter_map(lies).collect();
        let holds = told.iter().filter(|[may_be, known]| *may_be <= 0.8 && 0.8 <= *known).count();
        assert!(told.len() > 150 && holds * 10 >= told.len() * 9, "{holds} of {}", told.len());
    }

    /// As above, with 4 less and 4.37 more: 2 and 2.185 on average, and as many short outages as long ones, so that the values cannot be
    /// told apart now. With 52.2 % of short ones the second costs as much, and where all are short 2 less, give or take 0.28: that
    /// it is better is known before, and from where on is told.
    #[test]
    fn where_a_value_that_may_be_as_good_is_best_is_told() {
        let mut told = Vec::new();
        for case in 0..200 {
            let keyed = Keyed::new(case, "open");
            let more = |i: u32| if (i / 10).is_multiple_of(2) { -4.0 } else { 4.37 };
            let a = answered(|i| [if keyed.unit(0, i) < 0.5 { more(i) } else { 0.0 }, 0.0]);
            if a.best == 0 && a.same.len() == 2 {
                let (at, row) =
                    a.short.expect("both kinds").1.expect("it is known where all are short");
                assert_eq!(row, 1);
                told.push(at);
            }
        }
        let holds =
            told.iter().filter(|[may_be, known]| *may_be <= 0.522 && 0.522 <= *known).count();
        assert!(told.len() > 90 && holds * 10 >= told.len() * 9, "{holds} of {}", told.len());
    }

    /// By one model a value costs 1 more, by the other nothing, give or take 10: 100 outages of it say -1/3 or less in 37 of a
    /// hundred cases, and with three times as many the other value would be best. That is known where ten batches are below -1/3
    /// by 2.26 errors of theirs, which it is in one of 40 cases at most where it were none, and here in one of 200. Where it is 1/2 less,
    /// give or take 1/10, it would be best each time.
    #[test]
    fn what_is_chance_turns_nothing() {
        let says = |more: f64, noise: f64, case: u64| {
            let keyed = Keyed::new(case, "turns");
            let of = |i: u32| more + noise * 2.0 * 3.0_f64.sqrt() * (keyed.unit(0, i) - 0.5);
            let a = answered(|i| [1.0, of(i)]);
            let rate = a.sensitivities.iter().find(|s| s.name == "rate of zone");
            (a.best == 0).then(|| rate.expect("there is one").best[2] == 1)
        };
        let of_chance: Vec<bool> = (0..200).filter_map(|case| says(0.0, 10.0, case)).collect();
        let said = of_chance.iter().filter(|said| **said).count();
        assert!(of_chance.len() > 140 && said <= 6, "{said} of {}", of_chance.len());
        assert!((0..50).all(|case| says(-0.5, 0.1, case) == Some(true)));
    }
}
