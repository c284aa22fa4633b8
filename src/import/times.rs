//! Time zero of an import: the newest heartbeat, up to a whole second.
//!
//! Heartbeats are the conditions' `lastHeartbeatTime`, the node leases' `renewTime`, and the
//! `renewTime` of the control plane's own leases in `kube-system`, if leases were exported. An
//! export says nowhere when it was made, and no clock is read; what was seen alive last is the
//! latest that is known for sure. What the control plane wrote by its own clock, taints and
//! conditions of silent nodes, cannot be later either. It is rounded up to a whole second, so that
//! stored times, which have whole seconds, stay exact. Other times may lie after it: nodes post
//! their status only every five minutes. A node whose clock is ahead of the control plane's does
//! not move it.

use super::rfc3339::{self, Stamp};
use super::value::Wrong;

/// From 1970 to the end of 2199. Spans between two such times fit into 64 bits of nanoseconds,
/// which is what the scenario language has for them.
pub(crate) const YEARS: std::ops::Range<Stamp> =
    Stamp(0)..Stamp(7_258_118_400 * rfc3339::SECOND_US);

/// How far a node's clock may be ahead of the control plane's.
const SKEW_US: i64 = 15 * rfc3339::SECOND_US;

/// The times seen so far.
#[derive(Debug, Default)]
pub(super) struct Times {
    heartbeats: Vec<Stamp>,
    /// The newest that the control plane renewed a lease of its own.
    control: Option<Stamp>,
    other: Option<Stamp>,
}

impl Times {
    /// Notes a heartbeat.
    pub(super) fn heartbeat(&mut self, t: Stamp) {
        self.heartbeats.push(t);
    }

    /// Notes a renewal of a lease of the control plane's.
    pub(super) fn control(&mut self, t: Stamp) {
        self.control = self.control.max(Some(t));
    }

    /// Notes another time at which something had happened already.
    pub(super) fn other(&mut self, t: Stamp) {
        self.other = self.other.max(Some(t));
    }

    /// Time zero: the newest heartbeat; without any, the newest of the other times; without these,
    /// nothing.
    pub(super) fn zero(&self) -> Option<Stamp> {
        let believed = self.heartbeats.iter().filter(|t| !self.is_ahead(**t)).max();
        let newest = believed.copied().max(self.control);
        newest.or(self.other).map(Stamp::ceil_to_second)
    }

    /// Whether time zero is a heartbeat.
    pub(super) fn has_heartbeat(&self) -> bool {
        !self.heartbeats.is_empty() || self.control.is_some()
    }

    /// Whether a heartbeat is of a clock that is ahead of the control plane's.
    pub(super) fn is_ahead(&self, t: Stamp) -> bool {
        self.control.is_some_and(|c| t.us_since(c) > SKEW_US)
    }
}

/// Reads a time of a field, if it is there and not null.
pub(super) fn time(field: &str, text: Option<&str>) -> Result<Option<Stamp>, Wrong> {
    match text {
        None | Some("") => Ok(None),
        Some(t) => match rfc3339::parse(t) {
            None => Err(Wrong(format!("{field} is {t:?}, which is not a time in RFC 3339"))),
            Some(stamp) if !YEARS.contains(&stamp) => Err(Wrong(format!(
                "{field} is {t:?}, which is not between the years 1970 and 2200"
            ))),
            Some(stamp) => Ok(Some(stamp)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_have_limits() {
        for good in ["1970-01-01T00:00:00Z", "2199-12-31T23:59:59.999999Z"] {
            assert!(time("t", Some(good)).unwrap().is_some());
        }
        for bad in ["0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "2200-01-01T00:00:00Z", "soon"]
        {
            assert!(time("t", Some(bad)).is_err(), "{bad}");
        }
        assert_eq!(time("t", None), Ok(None));
        assert_eq!(time("t", Some("")), Ok(None));
    }

    #[test]
    fn the_newest_heartbeat_is_zero() {
        let mut times = Times::default();
        assert_eq!(times.zero(), None);
        times.other(Stamp(9_000_000));
        assert_eq!(times.zero(), Some(Stamp(9_000_000)));
        times.heartbeat(Stamp(3_000_001));
        times.heartbeat(Stamp(2_000_000));
        assert_eq!(
            times.zero(),
            Some(Stamp(4_000_000)),
            "up to the second, and other times do not count"
        );
        times.control(Stamp(5_500_000));
        assert_eq!(times.zero(), Some(Stamp(6_000_000)));
        times.heartbeat(Stamp(20_000_000));
        assert_eq!(times.zero(), Some(Stamp(20_000_000)), "14.5 s later");
        times.heartbeat(Stamp(21_000_000));
        assert_eq!(
            times.zero(),
            Some(Stamp(20_000_000)),
            "15.5 s after the control plane's clock is another clock"
        );
    }
}
