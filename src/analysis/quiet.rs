//! From when on nothing happens any more.

use super::setting::Analysis;
use crate::kernel::{Dur, Time};

/// From when on nothing happens any more: a tenth after the last record, on a whole minute, or the
/// end of the run. Charts and pages show a run up to there first.
pub(crate) fn quiet_from(analysis: &Analysis<'_>) -> Time {
    let horizon = analysis.horizon();
    let last = analysis.trace.iter().last().map_or(horizon, |r| r.at);
    after(last).min(horizon)
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

    /// 1,000 s and a tenth are 1,100 s, which is 18.3 minutes: 19. Nothing at all is a minute.
    #[test]
    fn it_is_a_whole_minute_after_the_last_record() {
        assert_eq!(after(Time::from_secs(1_000)), Time::from_secs(19 * 60));
        assert_eq!(after(Time::ZERO), Time::from_secs(60));
    }
}
