//! Drains and rolling maintenances: flags, how many nodes at a time, and what comes when.

use crate::api::budget::IntOrPercent;
use crate::kernel::Dur;
use crate::language::Problem;
use crate::language::complaints::Complaints;
use crate::language::text::place::{Place, with};
use crate::language::values;
use crate::language::{Afterwards, DrainFlags, DurationText, FlagValue};
use crate::plan::DrainOptions;
use crate::plan::{IfNotDrained, Maintenance};

/// The shortest time that a machine is off: times have whole seconds, and a heartbeat from before
/// it has to differ from one after it.
const OFF_LEAST: Dur = Dur::from_secs(1);

/// The flags of `kubectl drain`.
pub(super) fn drain_options(
    flags: &DrainFlags,
    place: &Place,
    complaints: &mut Complaints,
) -> DrainOptions {
    if flags.grace_period_seconds.is_some_and(|g| g < 0) {
        complaints.say(with(place, "gracePeriodSeconds"), "must be greater than or equal to 0");
    }
    let mut span = |text: &Option<DurationText>, field: &'static str| {
        text.as_ref()
            .and_then(|t| complaints.take(with(place, field), values::positive(t.as_str())))
    };
    DrainOptions {
        force: flags.force,
        ignore_daemonsets: flags.ignore_daemonsets.unwrap_or(true),
        delete_emptydir_data: flags.delete_emptydir_data,
        disable_eviction: flags.disable_eviction,
        grace_period: flags.grace_period_seconds,
        timeout: span(&flags.timeout, "timeout"),
        skip_wait_for_delete_timeout: span(
            &flags.skip_wait_for_delete_timeout,
            "skip_wait_for_delete_timeout",
        ),
    }
}

/// A maintenance as it is written.
pub(super) struct Written<'a> {
    pub(super) at_a_time: Option<&'a FlagValue>,
    pub(super) drain: &'a DrainFlags,
    pub(super) off: &'a DurationText,
    pub(super) then: Option<Afterwards>,
    pub(super) if_not_drained: Option<IfNotDrained>,
}

impl Written<'_> {
    /// The maintenance of this number of nodes.
    pub(super) fn read(
        &self,
        nodes: usize,
        place: &Place,
        complaints: &mut Complaints,
    ) -> Option<Maintenance> {
        let drain = drain_options(self.drain, &with(place, "drain"), complaints);
        let at_a_time = match self.at_a_time {
            None => Some(1),
            Some(written) => complaints.take(with(place, "at_a_time"), at_a_time(written, nodes)),
        };
        let off = complaints.take(with(place, "off"), values::positive(self.off.as_str()));
        if off.is_some_and(|off| off < OFF_LEAST) {
            complaints.say(with(place, "off"), "a machine is off for at least a second");
        }
        Some(Maintenance {
            at_a_time: at_a_time?,
            drain,
            off: off?,
            uncordon: self.then != Some(Afterwards::Leave),
            if_not_drained: self.if_not_drained.unwrap_or_default(),
        })
    }
}

/// How many of these nodes are maintained at a time. A share is rounded down, so that no more are
/// away than were asked for, but is never less than one node, or nothing would ever happen; the
/// node pools of the machine config operator do the same.
fn at_a_time(written: &FlagValue, nodes: usize) -> Result<usize, Problem> {
    let wrong =
        || Problem::new(format!("expected a number or a share such as \"5%\", found {written}"));
    match IntOrPercent::parse(&written.to_string()).ok_or_else(wrong)? {
        IntOrPercent::Int(n) => match usize::try_from(n) {
            Ok(n) if n > 0 => Ok(n),
            _ => Err(Problem::new("at least one node at a time")),
        },
        IntOrPercent::Percent(share @ 1..=100) => Ok((nodes * share as usize / 100).max(1)),
        IntOrPercent::Percent(_) => Err(Problem::new("a share of nodes is between 1% and 100%")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 5 % of 30 is 1.5: one; 5 % of 19 is 0.95: still one; 5 % of 41 is 2.05: two; half of 7 is
    /// 3.5: three.
    #[test]
    fn a_share_is_rounded_down_and_at_least_one() {
        let of =
            |text: &str, nodes| at_a_time(&FlagValue::Text(text.to_owned()), nodes).map_err(|_| ());
        assert_eq!(
            [of("5%", 30), of("5%", 19), of("5%", 41), of("50%", 7), of("100%", 7)],
            [1, 1, 2, 3, 7].map(Ok::<usize, ()>)
        );
        assert_eq!([of("2", 30), of("40", 30)], [2, 40].map(Ok));
        for wrong in ["0", "-1", "0%", "101%", "x", ""] {
            assert!(of(wrong, 30).is_err(), "{wrong}");
        }
    }
}
