//! Envelopes: how many records of each kind a run may have, and when the *k*-th of each may come.
//!
//! As the recorder's `envelope` computes them. A run stays inside if every count lies in its range,
//! every *k*-th time within its range widened by 100 ms or 1 %, whichever is more, and no kind is
//! missing or new.

use crate::recorded::{KindRange, Line};
use statrs::distribution::{DiscreteCDF, Hypergeometric};
use std::collections::BTreeMap;
use std::fmt;

/// A range in milliseconds, widened at both ends by `times` 100 ms or `times` 1 %, whichever is
/// more.
pub(super) fn widened([from, to]: [u64; 2], times: u64) -> [u64; 2] {
    let by = |t: u64| times * (t / 100).max(100);
    [from.saturating_sub(by(from)), to.saturating_add(by(to))]
}

/// The times of each kind of record, in milliseconds, sorted.
fn times(lines: &[Line]) -> BTreeMap<String, Vec<u64>> {
    let mut out: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for l in lines {
        out.entry(l.envelope_kind()).or_default().push(l.ms());
    }
    out.values_mut().for_each(|t| t.sort_unstable());
    out
}

/// The envelope of several runs.
pub(super) fn kth_ranges(runs: &[&[Line]]) -> BTreeMap<String, KindRange> {
    let runs: Vec<_> = runs.iter().map(|r| times(r)).collect();
    let mut out: BTreeMap<String, KindRange> = BTreeMap::new();
    for kind in runs.iter().flat_map(BTreeMap::keys) {
        if out.contains_key(kind) {
            continue;
        }
        let lists: Vec<&[u64]> =
            runs.iter().map(|r| r.get(kind).map_or(&[][..], Vec::as_slice)).collect();
        let counts = lists.iter().map(|l| l.len());
        let count = [counts.clone().min().unwrap_or_default(), counts.max().unwrap_or_default()];
        let kth = |i: usize| lists.iter().filter_map(move |l| l.get(i).copied());
        let range = |i| [kth(i).min().unwrap_or_default(), kth(i).max().unwrap_or_default()];
        out.insert(kind.clone(), KindRange { count, kth_ms: (0..count[1]).map(range).collect() });
    }
    out
}

/// What of a run lies outside an envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Offender {
    /// The kind of record.
    pub kind: String,
    /// What is wrong with it.
    pub offence: Offence,
}

/// How a kind of record lies outside an envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Offence {
    /// No recorded run has such records; this number of our runs have.
    New(usize),
    /// The recorded runs have this number of them, ours another.
    Count {
        /// The recorded range.
        range: [usize; 2],
        /// Ours.
        ours: usize,
    },
    /// One comes at another time.
    Time {
        /// Which of them, from 1.
        k: usize,
        /// The recorded range in milliseconds, not widened.
        range: [u64; 2],
        /// Ours, in milliseconds.
        ours: u64,
    },
}

impl Offence {
    /// How far it lies outside, to find the worst: in permille of the time or, where the number is
    /// wrong, beyond all times.
    fn weight(&self) -> u64 {
        match self {
            Self::New(n) => u64::MAX / 2 + *n as u64,
            Self::Count { range: [least, most], ours } => {
                u64::MAX / 2 + (least.saturating_sub(*ours) + ours.saturating_sub(*most)) as u64
            }
            Self::Time { range: [from, to], ours, .. } => {
                let outside = from.saturating_sub(*ours) + ours.saturating_sub(*to);
                outside.saturating_mul(1000) / (*from).max(10_000)
            }
        }
    }
}

impl fmt::Display for Offender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = &self.kind;
        match &self.offence {
            Offence::New(n) => write!(f, "{n} records \"{kind}\", which no recorded run has"),
            Offence::Count { range: [least, most], ours } if least == most => {
                write!(f, "{ours} records \"{kind}\", recorded {least}")
            }
            Offence::Count { range: [least, most], ours } => {
                write!(f, "{ours} records \"{kind}\", recorded {least} to {most}")
            }
            Offence::Time { k, range: [from, to], ours } => {
                let seconds = |ms: u64| format!("{}.{:03}", ms / 1000, ms % 1000);
                let (early, late) = (from.saturating_sub(*ours), ours.saturating_sub(*to));
                let off = if early > 0 {
                    format!("{} s early", seconds(early))
                } else {
                    format!("{} s late", seconds(late))
                };
                write!(
                    f,
                    "record {k} of \"{kind}\" at {} s, {off}, recorded {} to {} s",
                    seconds(*ours),
                    seconds(*from),
                    seconds(*to)
                )
            }
        }
    }
}

impl Offender {
    /// Whether recorded runs differ enough here that one more of them could have differed as much
    /// outside: a range wider than the tolerance, and no farther from it than it is wide. Twenty
    /// runs do not show the ends of what varies so.
    pub(crate) fn may_be_chance(&self) -> bool {
        match self.offence {
            Offence::New(_) => false,
            Offence::Count { range: [least, most], ours } => {
                let outside = least.saturating_sub(ours) + ours.saturating_sub(most);
                outside <= most.saturating_sub(least)
            }
            Offence::Time { range: [from, to], ours, .. } => {
                let (width, outside) =
                    (to.saturating_sub(from), from.saturating_sub(ours) + ours.saturating_sub(to));
                let tolerance = widened([to, to], 1)[1].saturating_sub(to);
                width > tolerance && outside <= width
            }
        }
    }
}

/// How likely so many of the seeds or more leave the envelope, had they the same chance as recorded runs to leave that of
/// the others (Fisher's exact test, one-sided). Where no recorded run does, no seed may.
pub(super) fn leaving_odds((ours, seeds): (u64, u64), (alone, runs): (u32, u32)) -> f64 {
    let (alone, runs) = (u64::from(alone), u64::from(runs));
    match Hypergeometric::new(seeds + runs, ours + alone, seeds) {
        _ if ours == 0 => 1.0,
        Ok(leaving) if alone > 0 => leaving.sf(ours - 1),
        _ => 0.0,
    }
}

/// The worst of what lies outside an envelope whose times are widened `times_over`.
pub(super) fn offender(
    ours: &[Line],
    kinds: &BTreeMap<String, KindRange>,
    times_over: u64,
) -> Option<Offender> {
    worst(offenders(ours, kinds, times_over))
}

/// The worst of them; of equally bad ones the first.
pub(super) fn worst(offenders: Vec<Offender>) -> Option<Offender> {
    offenders.into_iter().rev().max_by_key(|o| o.offence.weight())
}

/// All that lies outside an envelope whose times are widened `times_over`.
pub(super) fn offenders(
    ours: &[Line],
    kinds: &BTreeMap<String, KindRange>,
    times_over: u64,
) -> Vec<Offender> {
    let ours = times(ours);
    let mut found: Vec<Offender> = Vec::new();
    let mut add = |kind: &str, offence| found.push(Offender { kind: kind.to_owned(), offence });
    for (kind, list) in ours.iter().filter(|(kind, _)| !kinds.contains_key(*kind)) {
        add(kind, Offence::New(list.len()));
    }
    for (kind, range) in kinds {
        let list = ours.get(kind).map_or(&[][..], Vec::as_slice);
        let [least, most] = range.count;
        if !(least..=most).contains(&list.len()) {
            add(kind, Offence::Count { range: range.count, ours: list.len() });
        }
        for (i, (&t, &kth)) in list.iter().zip(&range.kth_ms).enumerate() {
            let [from, to] = widened(kth, times_over);
            if !(from..=to).contains(&t) {
                add(kind, Offence::Time { k: i + 1, range: kth, ours: t });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(times_ms: &[u64]) -> Vec<Line> {
        let line = |&ms: &u64| Line {
            t_ns: ms * 1_000_000,
            actor: "kubelet".into(),
            what: "pod-gone".into(),
            ..Line::default()
        };
        times_ms.iter().map(line).collect()
    }

    fn envelope() -> BTreeMap<String, KindRange> {
        // Two runs, one with a third record: counts 2 to 3, and each k-th time between its earliest
        // and latest.
        kth_ranges(&[&run(&[1_000, 40_000]), &run(&[30_000, 1_200, 50_000])])
    }

    #[test]
    fn an_envelope_has_the_ranges_of_its_runs() {
        let expected = KindRange {
            count: [2, 3],
            kth_ms: vec![[1_000, 1_200], [30_000, 40_000], [50_000, 50_000]],
        };
        assert_eq!(envelope(), BTreeMap::from([("kubelet pod-gone".to_owned(), expected)]));
    }

    #[test]
    fn a_run_may_lie_a_hundredth_outside_or_a_tenth_of_a_second() {
        // 1 % of 30 s is 300 ms and of 40 s 400 ms; of 1 s it is 10 ms, so that 100 ms hold there.
        for times in [[900, 29_700], [1_300, 40_400]] {
            assert_eq!(offender(&run(&times), &envelope(), 1), None, "{times:?}");
        }
        for (times, k) in
            [([899, 29_700], 1), ([1_301, 40_400], 1), ([900, 29_699], 2), ([1_300, 40_401], 2)]
        {
            let found = offender(&run(&times), &envelope(), 1).unwrap();
            assert!(
                matches!(found.offence, Offence::Time { k: at, .. } if at == k),
                "{times:?}: {found}"
            );
        }
    }

    #[test]
    fn only_what_recorded_runs_do_not_agree_on_may_be_chance() {
        let chance = |times: &[u64]| {
            offenders(&run(times), &envelope(), 1)
                .iter()
                .map(Offender::may_be_chance)
                .collect::<Vec<_>>()
        };
        // The second is recorded from 30 to 40 s, far beyond 1 %: up to 10 s more may be chance.
        assert_eq!(chance(&[1_000, 50_000]), [true]);
        assert_eq!(chance(&[1_000, 50_001]), [false]);
        // The third was recorded once: nothing is known of how it varies. There are 2 or 3 of them,
        // so 1 or 4 may be chance.
        assert_eq!(chance(&[1_000, 30_000, 51_000]), [false]);
        assert_eq!(chance(&[1_000]), [true]);
        assert_eq!(chance(&[]), [false]);
    }

    #[test]
    fn the_worst_is_named() {
        let text = |times: &[u64]| offender(&run(times), &envelope(), 1).unwrap().to_string();
        assert_eq!(text(&[1_000]), "1 records \"kubelet pod-gone\", recorded 2 to 3");
        assert_eq!(
            text(&[0, 60_000]),
            "record 2 of \"kubelet pod-gone\" at 60.000 s, 20.000 s late, recorded 30.000 to 40.000 s"
        );
        let new = [
            run(&[1_000, 30_000]),
            vec![Line { actor: "user".into(), what: "pod-created".into(), ..Line::default() }],
        ]
        .concat();
        assert_eq!(
            offender(&new, &envelope(), 1).unwrap().to_string(),
            "1 records \"user pod-created\", which no recorded run has"
        );
        assert!(offender(&[], &envelope(), 1).is_some(), "a missing kind has a count of zero");
    }

    /// Of ten seeds two leave and of sixty runs two as well: 1 - [C(66,10) + 4 C(66,9)] / C(70,10) = 9.5 %. Three and
    /// two: 1.9 %; two and one: 5.2 %; three and three: 3.4 %. Where no recorded run is alone, none may.
    #[test]
    fn seeds_may_leave_as_often_as_recorded_runs() {
        let odds = |ours, alone| (leaving_odds((ours, 10), (alone, 60)) * 1e3).round();
        assert_eq!([odds(2, 2), odds(3, 2), odds(2, 1), odds(3, 3)], [95.0, 19.0, 52.0, 34.0]);
        assert_eq!([0, 1].map(|n| odds(n, 0)), [1_000.0, 0.0]);
    }
}
