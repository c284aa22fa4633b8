//! What is known of costs: means and variances from what is kept of the runs, in which what formulas
//! know is at its mean ([`super::control`]).

use super::count::Counting;
use super::kept::{Kept, pair};
use super::moments::student;
use super::odd::{ENOUGH, Odd, open};
use super::spec::{BY_FORMULA, FIGURES, OWN, Objective};
use crate::analysis::statistics::unseen;
use crate::lab::prelude::*;

/// A model that has less than this part in what tells rows apart by formula need not have met anything.
const MATTERS: f64 = 0.01;
/// How often each of the others must have met what is chosen before anything is said.
const MET: u64 = 10;
/// The first stages after which what was not met is not waited for.
const TRIED: u64 = 10;

impl Kept {
    /// The mean and the variance of a figure.
    fn of(&self, place: usize) -> (f64, f64) {
        self.moments.of(&[(place, 1.0)])
    }

    /// The mean figures of a year in a row, none of which is less than nothing.
    pub(crate) fn figures(&self, row: usize) -> Vec<f64> {
        let of = |f| self.of(row * FIGURES.len() + f).0.max(0.0);
        (0..FIGURES.len()).map(of).collect()
    }

    /// The figures of a year in a row, each with where it lies, as sure as this.
    pub(crate) fn spans(&self, row: usize, confidence: f64) -> Vec<Interval> {
        let of = |f| self.span(row * FIGURES.len() + f, confidence);
        (0..FIGURES.len()).map(of).collect()
    }

    /// Where a figure lies, which is never less than nothing.
    fn span(&self, place: usize, confidence: f64) -> Interval {
        let n = self.moments.n();
        let open = (self.few(n, confidence) * self.of(place).0.abs())
            .max(open(&self.odd, place, n, confidence));
        self.interval(self.of(place), confidence).wider(open).not_below(0.0)
    }

    /// How far a row's cost may be off by what few outages showed, or none: as far as its figures together.
    fn open_cost(&self, objective: &Objective, row: usize, confidence: f64) -> f64 {
        self.open_from(objective, (&self.odd, row * FIGURES.len()), confidence)
    }

    /// The same of figures from a place on.
    fn open_from(
        &self,
        objective: &Objective,
        (models, place): (&[Odd], usize),
        confidence: f64,
    ) -> f64 {
        let priced = objective.prices.iter().enumerate();
        priced.map(|(f, price)| price * open(models, place + f, self.moments.n(), confidence)).sum()
    }

    /// The same of what a row costs more than another.
    fn open_difference(
        &self,
        objective: &Objective,
        [row, than]: [usize; 2],
        confidence: f64,
    ) -> f64 {
        let place = pair(row, than) * FIGURES.len();
        if row == than {
            0.0
        } else {
            self.open_from(objective, (&self.odd_pairs, place), confidence)
        }
    }

    /// Where what a row costs in a year lies, which is no less than it costs where nothing fails.
    pub(super) fn cost_span(&self, objective: &Objective, row: usize, confidence: f64) -> Interval {
        let cost = self.cost(objective, &[(row, 1.0)]);
        let least = self.standing_cost(objective, row);
        let few = self.few(self.moments.n(), confidence) * (cost.0 - least).max(0.0);
        let open = few.max(self.open_cost(objective, row, confidence));
        self.interval(cost, confidence).wider(open).not_below(least)
    }

    /// Where what a row costs more than another lies. What rests on a few cases alone may be off by as much as it is,
    /// or as the formula says.
    pub(super) fn difference_span(
        &self,
        objective: &Objective,
        [row, than]: [usize; 2],
        confidence: f64,
        of_formula: Option<f64>,
    ) -> Interval {
        let (more, variance) = self.difference(objective, row, than);
        // In how many replications they came to different figures.
        let differ = self.differ.get(pair(row, than)).filter(|_| row != than);
        let met = differ.copied().unwrap_or(self.moments.n());
        let open = match of_formula {
            Some(formula) => formula.abs().max(more.abs()),
            None if met == 0 && row != than => {
                self.cost(objective, &[(row, 1.0)]).0 / self.moments.n() as f64
            }
            None => more.abs(),
        };
        let open = (self.few(met, confidence) * open).max(self.open_difference(
            objective,
            [row, than],
            confidence,
        ));
        self.interval((more, variance), confidence).wider(open)
    }

    /// How many replications it takes until a row's cost is off by no more than this: its spread falls with the root of
    /// their number, and what few of them showed with the number itself.
    pub(super) fn until(
        &self,
        objective: &Objective,
        row: usize,
        half: f64,
        confidence: f64,
    ) -> f64 {
        let n = self.moments.n();
        let errors = student(confidence, n) * self.cost(objective, &[(row, 1.0)]).1.sqrt();
        let open = self.open_cost(objective, row, confidence) * n as f64;
        let root = (errors + (errors * errors + 4.0 * open * half).sqrt()) / (2.0 * half);
        root * root
    }

    /// The figures of a year in a row, of each workload whose own are kept, with where they lie.
    pub(crate) fn own_figures(
        &self,
        row: usize,
        confidence: f64,
    ) -> Vec<[(f64, Interval); OWN.len()]> {
        let of = |workload: usize| {
            std::array::from_fn(|f| {
                let place = self.own_place(row, workload, f);
                let mean = self.of(place).0;
                (mean.max(0.0), self.span(place, confidence))
            })
        };
        (0..self.own.len()).map(of).collect()
    }

    /// What each of the workloads whose own figures are kept costs, with each row.
    pub(super) fn own_costs(&self, objective: &Objective) -> Vec<f64> {
        let all = (0..self.rows.len()).flat_map(|row| (0..self.own.len()).map(move |w| (row, w)));
        let cost = |(row, workload)| {
            let mean = |f| self.of(self.own_place(row, workload, f)).0.max(0.0);
            let own = BY_FORMULA.iter().enumerate();
            own.map(|(f, place)| mean(f) * objective.prices[*place]).sum::<f64>()
        };
        all.map(cost).collect()
    }

    /// The mean and the variance of a sum of what rows cost, each a number of times. Rows that come to
    /// the same in each replication differ by nothing at all.
    pub(super) fn cost(&self, objective: &Objective, rows: &[(usize, f64)]) -> (f64, f64) {
        let of_row = |&(row, times): &(usize, f64)| {
            let priced = objective.prices.iter().enumerate();
            let priced = priced.filter(|(_, price)| **price != 0.0);
            priced.map(move |(f, price)| (row * FIGURES.len() + f, times * price))
        };
        let weights: Vec<(usize, f64)> = rows.iter().flat_map(of_row).collect();
        let standing =
            |&(row, times): &(usize, f64)| times * objective.standing(self.nodes[row].into());
        let (mean, variance) = self.moments.of(&weights);
        (mean + rows.iter().map(standing).sum::<f64>(), variance)
    }

    /// Whether a figure of two rows differs, replication by replication, by more than chance.
    pub(crate) fn differs(&self, figure: usize, [a, b]: [usize; 2], confidence: f64) -> bool {
        let mut only = Objective::new(Some(""));
        only.prices[figure] = 1.0;
        let by = self.interval(self.difference(&only, a, b), confidence);
        let by = by.wider(self.open_difference(&only, [a, b], confidence));
        by.low > 0.0 || by.high < 0.0
    }

    /// How many replications there are to be before anything is said of these rows; none where there are
    /// enough. A first stage must be over, and each model that by formula tells rows apart must have
    /// met what is chosen now and then.
    pub(crate) fn wanted(&self, rows: &[usize]) -> Option<u64> {
        let n = self.moments.n();
        let first = self.counting.0.stages().0;
        let met = |model: usize| rows.iter().filter_map(|r| self.met[model].get(*r)).max();
        let least = (self.alone().into_iter())
            .filter(|m| matches!(self.matters.get(*m), Some(Some(part)) if *part > MATTERS))
            .filter_map(|m| met(m).copied())
            .min();
        let more = least.filter(|met| *met < MET).map_or(0, |met| {
            let each = n.max(1).div_ceil(met.max(1));
            (each * MET).min(first * TRIED).max(n + 1)
        });
        let is_tried = n >= first * TRIED;
        (!is_tried && n < first.max(more)).then(|| first.max(more))
    }

    /// What part of a figure is open where it rests on a few outages: none of `n` showed what may come in
    /// a few of `n`. A year has many of them.
    fn few(&self, cases: u64, confidence: f64) -> f64 {
        let many = self.counting.0 == Counting::Years && cases == self.moments.n();
        if many || cases >= ENOUGH { 0.0 } else { unseen(confidence) / cases.max(1) as f64 }
    }

    /// What is nothing to choose by: where these are the prices that it was run for, what was nothing then, and else as
    /// large a part of what the cheapest row costs.
    pub(super) fn nothing(&self, objective: &Objective) -> f64 {
        let costs = (0..self.rows.len()).map(|row| self.cost(objective, &[(row, 1.0)]).0);
        let part = match *objective == self.objective {
            true => self.delta,
            false => costs.fold(f64::MAX, f64::min) * self.precision,
        };
        part.max(objective.least())
    }

    /// The mean and the variance of what one row costs more than another.
    pub(super) fn difference(&self, objective: &Objective, row: usize, than: usize) -> (f64, f64) {
        if row == than {
            return (0.0, 0.0);
        }
        self.cost(objective, &[(row, 1.0), (than, -1.0)])
    }

    /// Where a mean lies, as sure as this.
    pub(super) fn interval(&self, of: (f64, f64), confidence: f64) -> Interval {
        interval(of, self.moments.n(), confidence)
    }
}

/// Where a mean of `n` replications lies.
pub(super) fn interval((mean, variance): (f64, f64), n: u64, confidence: f64) -> Interval {
    let half =
        if variance > 0.0 { student(confidence, n) * (variance / n as f64).sqrt() } else { 0.0 };
    Interval { low: mean - half, high: mean + half }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::choice::Keyed;
    use crate::lab::planner::moments::Moments;
    use crate::lab::planner::replication::{Part, Replication};
    use crate::lab::planner::spec::{DRAWN, EVICTED};
    use crate::outages::Distribution;

    /// 104 of 24 outages a year. By formula each seventh evicts a pod, which at 5 an eviction are 17.1 a year, and those
    /// do. `odd` of 104 of the others do so, too. Beside them a zone is away 0.6 times a year, of which no formula knows, and evicts
    /// one in this part of cases.
    fn with_odd_ones(odd: f64, of_zone: f64, case: u64) -> Kept {
        let evicts = 1.0 / 7.0;
        let mut kept = Kept {
            rows: vec![vec!["300".to_owned()], vec!["none".to_owned()]],
            nodes: vec![1, 1],
            models: vec![("link".to_owned(), 24.0), ("zone".to_owned(), 0.6)],
            parts: vec![[0.0; 2]; 2],
            met: vec![vec![0; 2]; 2],
            differ: vec![0],
            ..Kept::default()
        };
        kept.weigh(vec![1.0; 2]);
        let keyed = Keyed::new(case, "odd");
        let part = |rate: f64, evicts: bool, by_formula: [f64; 2]| {
            let mut part = Part::new(1.0, 2, 2 * FIGURES.len());
            let mut figures = [0.0; FIGURES.len()];
            figures[EVICTED] = f64::from(u8::from(evicts));
            part.put(0, &figures, [rate, 1.0]);
            part.known(&DRAWN, by_formula.map(|e| [0.0, e, 0.0, 0.0]), [rate, 1.0]);
            part
        };
        for i in 0..104 {
            let is_known = keyed.unit(0, i) < evicts;
            let is_odd = !is_known && keyed.unit(1, i) < odd / 104.0 / (1.0 - evicts);
            let link = [f64::from(u8::from(is_known)), evicts];
            let link = part(24.0, is_known || is_odd, link);
            let parts = vec![link, part(0.6, keyed.unit(2, i) < of_zone, [0.0; 2])];
            let both = parts[0].year.iter().zip(&parts[1].year);
            let year = both.map(|(link, zone)| link + zone).collect();
            kept.add(Replication { year, parts, ..Replication::default() });
        }
        kept
    }

    /// However rare outages are that come to something else than by formula, 95 of a hundred intervals hold the truth, of
    /// the cost, of its part, and of what it is more than another row: four deviations of Binomial(1000, 0.95) are 27.6. Of
    /// three among 104 none is seen in 5 % of cases; then it may be 3 / 104 of 24, at 5 each. That 62 of 104 zones evicted one
    /// says nothing of the links.
    #[test]
    fn an_interval_covers_what_hardly_any_outage_showed() {
        let mut objective = Objective::new(None);
        objective.prices[EVICTED] = 5.0;
        let alone = [0.3, 1.0, 2.0, 3.2, 5.0, 10.0, 60.0].map(|odd| (odd, 0.0));
        let beside = [0.3, 2.0, 5.0].map(|odd| (odd, 0.6));
        for (odd, of_zone) in alone.into_iter().chain(beside) {
            let mut covers = [0; 3];
            for case in 0..1_000 {
                let kept = with_odd_ones(odd, of_zone, case);
                let evicted = 24.0 * (1.0 / 7.0 + odd / 104.0) + 0.6 * of_zone;
                let all = [
                    (kept.cost_span(&objective, 0, 0.95), 5.0 * evicted),
                    (kept.spans(0, 0.95)[EVICTED], evicted),
                    (kept.difference_span(&objective, [0, 1], 0.95, None), 5.0 * evicted),
                ];
                for (covers, (i, truth)) in covers.iter_mut().zip(all) {
                    *covers += u32::from(i.low <= truth && truth <= i.high);
                }
                // What has one part is as unsure as that.
                let [cost, part] = [all[0].0, all[1].0];
                assert!((cost.high - 5.0 * part.high).abs() < 1e-9, "{cost:?} {part:?}");
            }
            assert!(covers.iter().all(|c| *c >= 922), "{odd} {of_zone}: {covers:?}");
        }
        let all = (0..10).map(|case| with_odd_ones(0.3, 0.0, case));
        let none = all.into_iter().find(|k| k.cost(&objective, &[(0, 1.0)]).1 < 1e-9);
        let none = none.expect("three of four show none");
        let open = none.cost_span(&objective, 0, 0.95).high - 5.0 * 24.0 / 7.0;
        assert!((open - 5.0 * 24.0 * 3.0 / 104.0).abs() < 1e-9, "{open}");
        // Whoever is to be surer has to reckon with more: -ln(0.01) = 4.605 in place of 3, which is -ln(0.05) = 2.996.
        let surer = none.cost_span(&objective, 0, 0.99).high - 5.0 * 24.0 / 7.0;
        assert!((surer / open - 4.605 / 2.996).abs() < 1e-3, "{surer}");
        let [wide, wider] = [0.95, 0.99].map(|confidence| {
            let more = none.difference_span(&objective, [0, 1], confidence, None);
            more.high - more.low
        });
        assert!((wider / wide - 4.605 / 2.996).abs() < 1e-3, "{wide} {wider}");
        // Nobody is evicted in the other row, whatever comes.
        assert_eq!(none.cost_span(&objective, 1, 0.95), Interval { low: 0.0, high: 0.0 });
        // Three of so many are half a minute: 3 * 120 / 0.5.
        assert!((none.until(&objective, 0, 0.5, 0.95) - 720.0).abs() < 1e-6);
    }

    /// 24 outages a year of which no formula knows how long they last: log-normal of median 1 and sigma 1.42, so that half of
    /// their mean, e^(1.42²/2) = 2.7408, is of one in thirteen. Of the interval of a hundred by their deviations alone the
    /// truth is above in one of seven cases.
    #[test]
    fn an_interval_covers_what_the_longest_outages_come_to() {
        let mut objective = Objective::new(Some(""));
        objective.prices[EVICTED] = 1.0;
        let lasts = Distribution::LogNormal(0.0, 1.42);
        let covers = (0..1_000).filter(|&case| {
            let mut kept = Kept {
                rows: vec![vec!["300".to_owned()]],
                nodes: vec![1],
                models: vec![("node".to_owned(), 24.0)],
                parts: vec![[0.0; 2]],
                met: vec![vec![0]],
                ..Kept::default()
            };
            kept.weigh(vec![1.0]);
            let keyed = Keyed::new(case, "tail");
            for i in 0..100 {
                let mut part = Part::new(1.0, 1, FIGURES.len());
                let mut figures = [0.0; FIGURES.len()];
                figures[EVICTED] = lasts.quantile(keyed.unit(0, i));
                part.put(0, &figures, [24.0, 1.0]);
                let (year, parts) = (part.year.clone(), vec![part]);
                kept.add(Replication { year, parts, ..Replication::default() });
            }
            let i = kept.cost_span(&objective, 0, 0.95);
            i.low <= 24.0 * 2.7408 && 24.0 * 2.7408 <= i.high
        });
        let covers = covers.count();
        assert!(covers >= 922, "{covers}");
    }

    /// Outages without memory of mean 600 s, given up after 350 s at a price of 900 s: the mean cost
    /// is 767.41 s. Of a thousand plans of 120 outages each the interval of 95 % holds it in 95 of
    /// a hundred; four deviations of Binomial(1000, 0.95) are 27.6.
    #[test]
    fn the_interval_of_a_cost_covers() {
        let lasts = Distribution::Exponential(600.0);
        let covers = (0..1_000).filter(|&case| {
            let keyed = Keyed::new(case, "coverage");
            let mut moments = Moments::default();
            for i in 0..120 {
                let d = lasts.quantile(keyed.unit(0, i));
                moments.add(&[if d > 350.0 { 350.0 + 900.0 } else { d }]);
            }
            let (mean, variance) = moments.of(&[(0, 1.0)]);
            let i = interval((mean, variance), moments.n(), 0.95);
            i.low <= 767.41 && 767.41 <= i.high
        });
        let covers = covers.count();
        assert!((922..=978).contains(&covers), "{covers}");
    }
}
