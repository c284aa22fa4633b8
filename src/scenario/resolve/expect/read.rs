//! All that a scenario expects of its runs: the list, the seeds, a golden timeline, and guards.

use super::reader::word;
use super::reader::{Of, Reader};
use crate::language::Problem;
use crate::language::complaints::Complaints;
use crate::language::text::Tree;
use crate::language::text::place::{Place, at, with};
use crate::language::{self, Scenario};
use crate::scenario::expectations::{Expectation, Expectations};

/// The most seeds of a scenario.
const SEEDS_MAX: u32 = 100_000;

impl Reader<'_> {
    /// Everything that a scenario expects; what a complaint is about is left out. `text` is where
    /// places are looked for.
    pub(crate) fn read(
        &self,
        spec: &Scenario,
        of: Of<'_>,
        text: &str,
        complaints: &mut Complaints,
    ) -> Expectations {
        let is_placed = !spec.expect.is_empty() || spec.golden.is_some();
        let tree = is_placed.then(|| Tree::read(text).ok()).flatten();
        let bytes =
            |place: &Place| tree.as_ref().and_then(|t| t.find(place)).map_or(0..0, Tree::bytes);
        let seeds = seeds(spec.seeds, complaints);
        let mut list = Vec::new();
        for (i, e) in spec.expect.iter().enumerate() {
            let place = at!["expect", i];
            let (share, inner, at) = share(e, seeds, &place, complaints);
            if let Some(what) = self.expected(inner, &at, complaints) {
                list.push(Expectation { kind: word(inner), what, share, bytes: bytes(&place) });
            }
        }
        let golden = spec
            .golden
            .as_ref()
            .map(|file| (file.replace("{release}", of.release), bytes(&at!["golden"])));
        if spec.golden.is_some() && seeds > 1 {
            complaints.say(
                at!["golden"],
                "a golden timeline is that of one run; this scenario runs with several seeds",
            );
        }
        let guards = spec
            .guards
            .iter()
            .enumerate()
            .map(|(i, g)| (g.clone(), bytes(&at!["guards", i])))
            .collect();
        Expectations {
            list,
            seeds: (0..u64::from(seeds)).map(|n| of.seed.wrapping_add(n)).collect(),
            golden,
            guards,
        }
    }
}

/// With how many seeds the scenario runs.
fn seeds(written: Option<u32>, complaints: &mut Complaints) -> u32 {
    match written {
        Some(0) => {
            complaints.say(at!["seeds"], "a scenario runs with at least one seed");
            1
        }
        Some(n) if n > SEEDS_MAX => {
            complaints.say(
                at!["seeds"],
                format!("{n} seeds are more than {SEEDS_MAX}, the limit of a scenario"),
            );
            1
        }
        n => n.unwrap_or(1),
    }
}

/// The share of the runs in which something is expected, if one is given; what is expected, and its
/// place.
fn share<'e>(
    e: &'e language::Expectation,
    seeds: u32,
    place: &Place,
    complaints: &mut Complaints,
) -> (Option<f64>, &'e language::Expectation, Place) {
    let language::Expectation::Mostly { in_at_least, that } = e else {
        return (None, e, place.clone());
    };
    if !(*in_at_least > 0.0 && *in_at_least <= 1.0) {
        let problem = format!("a share of {in_at_least} is not above 0 and at most 1");
        complaints.say(with(place, "in_at_least"), problem);
    }
    if seeds < 2 {
        let problem = Problem::new("a share of the runs needs several of them")
            .help("`seeds: 50` beside `expect`");
        complaints.add(place.clone(), problem);
    }
    (Some(*in_at_least), that, with(place, "that"))
}
