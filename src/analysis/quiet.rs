//! From when on something happens in a run, and from when on nothing does any more.

use super::setting::Analysis;
use crate::kernel::{Dur, Time};
use crate::trace::{Record, What};

/// From when on nothing happens any more: a tenth after the last record, on a whole minute, or the
/// end of the run. Charts and pages show a run up to there first.
pub(crate) fn quiet_from(analysis: &Analysis<'_>) -> Time {
    let horizon = analysis.horizon();
    let last = analysis.trace.iter().last().map_or(horizon, |r| r.at);
    after(last).min(horizon)
}

/// From when on something happens: a tenth of the time from there on before the first entry of the
/// timeline or the first record that charts show, on a whole minute, or the start of the run where
/// that would save less than an eighth of the time until `quiet`.
pub(crate) fn busy_from(analysis: &Analysis<'_>, quiet: Time) -> Time {
    let shown = |r: &&Record| {
        r.at > Time::ZERO
            && !matches!(r.what, What::Zone(_) | What::Noted(..) | What::ControllersStarted)
    };
    let entries = analysis.plan.timeline.iter().map(|e| e.at);
    let first = analysis.trace.iter().find(shown).map(|r| r.at);
    before(entries.chain(first).min().unwrap_or_default(), quiet)
}

/// A tenth before a time, on a whole minute.
fn before(first: Time, quiet: Time) -> Time {
    let margin = quiet.since(first.min(quiet)).as_nanos() / 10;
    let from = Time::from_nanos(first.as_nanos().saturating_sub(margin.max(1)));
    let from = Time::from_secs(from.as_secs() / 60 * 60);
    if from.as_nanos() < quiet.as_nanos() / 8 { Time::ZERO } else { from }
}

/// A tenth after a time, on a whole minute.
fn after(last: Time) -> Time {
    let last = last.saturating_add(Dur::from_nanos(last.as_nanos() / 10));
    let minutes = last.as_secs().div_ceil(60).max(1);
    Time::from_secs(minutes * 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fault at 10 of 20 minutes: a minute before it. One at 1 of 9 minutes is not worth a cut.
    #[test]
    fn it_begins_a_tenth_before_the_first_event() {
        let minutes = |m: u64| Time::from_secs(m * 60);
        assert_eq!(before(minutes(10), minutes(20)), minutes(9));
        assert_eq!(before(minutes(1), minutes(9)), Time::ZERO);
        assert_eq!(before(Time::ZERO, minutes(9)), Time::ZERO);
        assert_eq!(before(minutes(30), minutes(20)), minutes(29));
    }

    /// 1,000 s and a tenth are 1,100 s, which is 18.3 minutes: 19. Nothing at all is a minute.
    #[test]
    fn it_is_a_whole_minute_after_the_last_record() {
        assert_eq!(after(Time::from_secs(1_000)), Time::from_secs(19 * 60));
        assert_eq!(after(Time::ZERO), Time::from_secs(60));
    }
}
