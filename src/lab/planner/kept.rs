//! What is kept of all runs of a plan: moments, and the first years. It does not grow with the runs,
//! and answers for any prices.

use super::batches::{BATCHES, Batch};
use super::closed::Closed;
use super::count::Counting;
use super::moments::{FIGURE_MAX, Moments, are_figures};
use super::odd::Odd;
use super::replication::{Part, Replication};
use super::spec::{Bound, FIGURES, OWN, Objective};
use crate::lab::prelude::*;

/// What is kept of all runs. It answers for any prices.
#[derive(Clone, PartialEq, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Kept {
    /// The form of this.
    pub(crate) version: u32,
    /// The scenario's name.
    pub(crate) scenario: String,
    /// The settings that are chosen.
    pub(crate) paths: Vec<String>,
    /// The values of each row; the row of what is set now may be one of them.
    pub(crate) rows: Vec<Vec<String>>,
    /// The row that is what is set now.
    pub(crate) now: usize,
    /// How costs were counted, and why so.
    pub(crate) counting: (Counting, String),
    /// The names of the models, with how often a year each comes.
    pub(crate) models: Vec<(String, f64)>,
    /// Of the figures of a year: row by row, figure by figure.
    pub(crate) moments: Moments,
    /// Workloads of which the figures of [`OWN`](super::spec::OWN) are kept, too: row by row, and in a
    /// row workload by workload, behind those of all.
    #[serde(default)]
    pub(crate) own: Vec<String>,
    /// By model, one outage at a time: the weights of short ones, and of others.
    pub(crate) parts: Vec<[f64; 2]>,
    /// The replications, dealt into batches; in whole years nothing.
    pub(super) batches: Vec<Batch>,
    /// By model, how many of its outages came to something else in a row than in the first one: then they met what is
    /// chosen. Of those in whole years it is not known.
    pub(crate) met: Vec<Vec<u64>>,
    /// By model, what part it has by formula in what tells rows apart.
    pub(crate) matters: Vec<Option<f64>>,
    /// In how many replications two rows came to different figures: a lower triangle, row by row.
    pub(crate) differ: Vec<u64>,
    /// By model, the most that one of its outages weighs; nothing where they are drawn with whole years.
    pub(crate) weights: Vec<f64>,
    /// By model, outages that come to something else than by formula: of the figures of `moments`, and of all workloads
    /// what each two rows differ by, pair by pair as in `differ`.
    pub(super) odd: Vec<Odd>,
    pub(super) odd_pairs: Vec<Odd>,
    /// By model, the share of its outages that are short by its figures, where these tell.
    #[serde(default)]
    pub(crate) short: Vec<Option<f64>>,
    /// What each of the first whole years came to, row by row and figure by figure.
    pub(crate) years: Vec<Vec<f64>>,
    /// How many nodes each row has.
    pub(crate) nodes: Vec<u32>,
    /// By row, in how many outages pods were not back when the run ended; nothing where they were in all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) open: Vec<u64>,
    /// By row, in how many outages, or years, nodes ran out of memory; nothing where they did in none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) used_up: Vec<u64>,
    /// Jobs that failed, with how, and in how many outages, or years, one did with some row.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) failed: BTreeMap<String, (String, u64)>,
    /// What each row costs in a year in which nothing fails, figure by figure, beyond [`Kept::always`]; it is in `moments`.
    /// Nothing where no row costs anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) standing: Vec<f64>,
    /// What all rows cost in a year in which nothing fails, which is in no figure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) always: Vec<f64>,
    /// The workloads that are below their need with every row, whatever fails: what is said of the minutes below need
    /// leaves them out.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) always_below: BTreeSet<String>,
    /// The closed form of each row, where there is one.
    pub(crate) closed: Option<Vec<Closed>>,
    /// Why there is none.
    #[serde(default)]
    pub(crate) no_closed: String,
    /// The models that it leaves out.
    #[serde(default)]
    pub(crate) closed_without: Vec<String>,
    /// What counted when it was run, the limits, how precise and how sure it was to be.
    pub(crate) objective: Objective,
    #[serde(default)]
    pub(crate) limits: Vec<String>,
    #[serde(default)]
    pub(crate) precision: f64,
    #[serde(default)]
    pub(crate) confidence: f64,
    /// Whether one value was left when the runs ended.
    pub(crate) settled: Option<usize>,
    /// How far from the best a value may be that was taken for it.
    pub(crate) delta: f64,
    /// Names of nodes, pods: how large it is.
    pub(crate) size: (usize, usize),
    /// Pods that workloads ask for beyond those, and DaemonSets without one.
    #[serde(default)]
    pub(crate) to_make: (u64, u64),
    /// The rows of each setting, where each was chosen for itself; otherwise nothing.
    pub(crate) apart: Vec<Group>,
    /// What was recommended of settings that were chosen each for itself, tried together.
    #[serde(default)]
    pub(crate) tried: Option<Box<Kept>>,
    /// Whole years of what was recommended, where one outage at a time was counted.
    #[serde(default)]
    pub(crate) whole_years: Option<Box<Kept>>,
}

/// The form of what is kept.
pub(super) const VERSION: u32 = 9;

/// Years that are kept one by one.
const YEARS_KEPT: usize = 2_000;

/// The rows among which one of the settings is chosen.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub(crate) struct Group {
    /// The rows.
    pub(crate) rows: Vec<usize>,
    /// The one that is what is set now.
    pub(crate) now: usize,
    /// The one that was left when the runs ended.
    pub(crate) settled: Option<usize>,
}

/// The place of two rows in a lower triangle without its diagonal.
pub(super) fn pair(a: usize, b: usize) -> usize {
    let (high, low) = (a.max(b), a.min(b));
    high * high.saturating_sub(1) / 2 + low
}

impl Kept {
    /// How many figures there are of all rows.
    fn width(&self) -> usize {
        self.rows.len() * FIGURES.len()
    }

    /// The place of a figure of a workload whose own are kept.
    pub(super) fn own_place(&self, row: usize, workload: usize, figure: usize) -> usize {
        self.width() + (row * self.own.len() + workload) * OWN.len() + figure
    }

    /// How many figures are kept of a replication.
    pub(super) fn places(&self) -> usize {
        self.own_place(self.rows.len(), 0, 0)
    }

    /// Whether the runs went on until one value was left at these prices and limits, as sure as this.
    pub(super) fn was_for(&self, objective: &Objective, within: &[Bound], confidence: f64) -> bool {
        let limits = within.iter().map(|b| &b.text);
        *objective == self.objective && limits.eq(&self.limits) && confidence <= self.confidence
    }

    /// What a row costs in a year in which nothing fails, figure by figure, beyond what all do.
    pub(crate) fn standing(&self, row: usize) -> &[f64] {
        let place = row * FIGURES.len();
        self.standing.get(place..place + FIGURES.len()).unwrap_or_default()
    }

    /// What that comes to at these prices, with what its nodes cost.
    pub(crate) fn standing_cost(&self, objective: &Objective, row: usize) -> f64 {
        objective.of(self.standing(row), self.nodes[row].into())
    }

    /// How large it is.
    pub(crate) fn size(&self) -> Size {
        let ((nodes, pods), (to_make, daemon_sets)) = (self.size, self.to_make);
        Size { nodes: nodes as u64, pods: pods as u64, to_make, daemon_sets }
    }

    /// Whether what was read can be reckoned with.
    ///
    /// # Errors
    /// What does not fit.
    pub(crate) fn check(&self) -> Result<(), String> {
        let width = self.width();
        let rows = self.rows.len();
        let beside = |other: &Self| other.paths == self.paths && other.check().is_ok();
        let fits = self.version == VERSION
            && self.nodes.len() == self.rows.len()
            && self.now < self.rows.len()
            && self.rows.iter().all(|r| r.len() == self.paths.len())
            && self.own.len() <= self.paths.len()
            && self.moments.fits(self.places())
            && self.parts.iter().flatten().all(|p| (0.0..=FIGURE_MAX).contains(p))
            && self.parts.len() <= self.models.len()
            && self.weights.len() == self.models.len()
            && are_figures(&self.weights)
            && self.batches.len() == BATCHES * usize::from(!self.parts.is_empty())
            && self.batches.iter().all(|batch| batch.fits(self.parts.len(), width))
            && [&self.odd, &self.odd_pairs].iter().all(|odd| odd.len() == self.models.len())
            && self.odd.iter().all(|odd| odd.fits(self.places()))
            && self.odd_pairs.iter().all(|odd| odd.fits(self.differ.len() * FIGURES.len()))
            && self.met.len() == self.models.len()
            && self.met.iter().all(|m| m.len() == rows)
            && are_figures(self.matters.iter().flatten())
            && self.matters.len() == self.models.len()
            && self.differ.len() == rows * rows.saturating_sub(1) / 2
            && self.short.iter().flatten().all(|s| (0.0..=1.0).contains(s))
            && self.years.iter().all(|y| y.len() == width && are_figures(y))
            && (self.open.is_empty() || self.open.len() == rows)
            && (self.standing.is_empty() || self.standing.len() == width)
            && are_figures(self.standing.iter().chain(&self.always))
            && self.models.iter().all(|m| (0.0..=FIGURE_MAX).contains(&m.1))
            && are_figures(self.objective.prices.iter().chain([
                &self.objective.node_hour,
                &self.delta,
                &self.precision,
                &self.confidence,
            ]))
            && self.closed.iter().flatten().all(Closed::is_sound)
            && self.closed.as_ref().is_none_or(|c| c.len() == self.rows.len())
            && self.settled.is_none_or(|s| s < self.rows.len())
            && self.apart_fits()
            && self.tried.as_ref().is_none_or(|t| t.tried.is_none() && beside(t))
            && self.whole_years.as_ref().is_none_or(|y| y.whole_years.is_none() && beside(y));
        if fits { Ok(()) } else { Err("this plan is of another form, or damaged".to_owned()) }
    }

    /// Notes which row was left of each group.
    pub(super) fn settle(&mut self, left: Vec<Option<usize>>) {
        if self.apart.is_empty() {
            self.settled = left.first().copied().flatten();
        }
        self.apart.iter_mut().zip(left).for_each(|(group, left)| group.settled = left);
    }

    fn apart_fits(&self) -> bool {
        let there = |row: &usize| *row < self.rows.len();
        let group = |g: &Group| {
            let own = |row: &usize| g.rows.contains(row);
            g.rows.len() > 1 && g.rows.iter().all(there) && own(&g.now) && g.settled.iter().all(own)
        };
        self.apart.is_empty()
            || self.apart.len() == self.paths.len()
                && self.rows.len() > 2
                && self.apart.iter().all(group)
    }

    /// Takes how much an outage of each model weighs at most; nothing where it is drawn with whole years.
    pub(super) fn weigh(&mut self, weights: Vec<f64>) {
        if !self.parts.is_empty() {
            self.batches = vec![Batch::new(weights.len(), self.width()); BATCHES];
        }
        self.odd = vec![Odd::new(self.places()); weights.len()];
        self.odd_pairs = vec![Odd::new(self.differ.len() * FIGURES.len()); weights.len()];
        self.weights = weights;
    }

    /// By outage of a replication, one at a time, its model.
    pub(crate) fn alone(&self) -> Vec<usize> {
        let alone = self.weights.iter().enumerate().filter(|(_, most)| **most > 0.0);
        alone.flat_map(|(m, _)| (0..self.counting.0.each()).map(move |_| m)).collect()
    }

    /// Notes which outages came to something else than by formula.
    fn add_odd(&mut self, parts: &[Part]) {
        let (rows, width) = (self.rows.len(), FIGURES.len());
        for (model, p) in self.alone().into_iter().zip(parts) {
            let most = self.weights[model];
            let times = self.models[model].1 * most / self.counting.0.each() as f64;
            let part = if most > 0.0 { p.weight / most } else { 0.0 };
            for (place, (off, figure)) in p.off.iter().zip(&p.figures).enumerate() {
                self.odd[model].add(place, [times * off, times * figure], part);
            }
            let pairs = (0..rows).flat_map(|row| (0..row).map(move |other| (row, other)));
            for ((row, other), f) in pairs.flat_map(|two| (0..width).map(move |f| (two, f))) {
                let by = |all: &[f64]| times * (all[row * width + f] - all[other * width + f]);
                let place = pair(row, other) * width + f;
                self.odd_pairs[model].add(place, [by(&p.off), by(&p.figures)], part);
            }
        }
    }

    pub(super) fn add(&mut self, one: Replication) {
        self.moments.add(&one.year);
        let of = |all: &[f64], row: usize| all[row * FIGURES.len()..][..FIGURES.len()].to_vec();
        let differ = |all: &[f64], row, other| !all.is_empty() && of(all, row) != of(all, other);
        for row in 0..self.rows.len() {
            for (model, part) in self.alone().into_iter().zip(&one.parts) {
                self.met[model][row] += u64::from(differ(&part.figures, row, 0));
            }
            for other in 0..row {
                let mut all = one.parts.iter().map(|p| &p.figures).chain([&one.whole]);
                let any = all.any(|figures| differ(figures, row, other));
                self.differ[pair(row, other)] += u64::from(any);
            }
        }
        self.add_odd(&one.parts);
        let turn = self.moments.n() as usize % BATCHES;
        self.batches.get_mut(turn).into_iter().for_each(|batch| batch.add(&one));
        for (job, how) in one.failed {
            self.failed.entry(job).or_insert((how, 0)).1 += 1;
        }
        for row in one.used_up {
            self.used_up.resize(self.rows.len(), 0);
            self.used_up.get_mut(row).into_iter().for_each(|times| *times += 1);
        }
        for (part, one) in self.parts.iter_mut().zip(&one.parts) {
            for (row, _) in one.open.iter().enumerate().filter(|(_, open)| **open) {
                self.open.resize(self.rows.len(), 0);
                self.open[row] += 1;
            }
            part[usize::from(!one.is_short)] += one.weight;
        }
        if !one.whole.is_empty() && self.years.len() < YEARS_KEPT {
            let mut year = one.whole;
            year.truncate(self.width());
            self.years.push(year);
        }
    }
}
