//! Time zero of an import: the newest heartbeat, up to a whole second.
//!
//! Heartbeats are the conditions' `lastHeartbeatTime`, the node leases' `renewTime`, and the
//! `renewTime` of the control plane's own leases in `kube-system`, if leases were exported. An
//! export says nowhere when it was made, and no clock is read; what was seen alive last is the
//! latest that is known for sure. What the controllers wrote by their own clock, their taints and
//! conditions of silent nodes, cannot be later either, and counts where it is later than all heartbeats, unless
//! by so much that they would have found all nodes silent and have not: then their clock is ahead. Taints of
//! others count where all nodes have been found silent. It is rounded up to a whole second, so that
//! stored times, which have whole seconds, stay exact. Other times may lie after it: nodes post
//! their status only every five minutes. A node whose clock is ahead of the control plane's does
//! not move it, unless most nodes are: then these are the leases of leaders that died. Where none of
//! the control plane's own leases was exported, nor does a node whose clock is ahead of nearly all
//! others', for either it is wrong or all of those are silent at once, and nobody has noticed.

use super::fields::Wrong;
use crate::api::words::rows;
use crate::language::DurationText;
use chrono::{DateTime, SecondsFormat};

/// From 1970 to the end of 2199. Spans between two such times fit into 64 bits of nanoseconds,
/// which is what the scenario language has for them.
pub(crate) const YEARS: std::ops::Range<Stamp> = Stamp(0)..Stamp(7_258_118_400 * SECOND_US);

/// How far a node's clock may be ahead of the control plane's.
const SKEW_US: i64 = 15 * SECOND_US;

/// How long a node may be silent before the control plane says so, in microseconds: the grace period of
/// 50 s, and two passes of the node lifecycle controller.
const UNNOTICED_US: i64 = 60 * SECOND_US;

/// How long a node that lives may be silent by its conditions, which it posts every five minutes
/// (`nodeStatusReportFrequency`, up to half of it later at the first), in microseconds.
pub(super) const POSTED_US: i64 = 450 * SECOND_US;

/// In this time, in microseconds, a controller that runs finds a silent node, whatever else it has to write.
pub(super) const OVERDUE_US: i64 = 300 * SECOND_US;

/// How long a node that lives may be silent by its lease, which it renews every ten seconds, in microseconds.
pub(super) const RENEWED_US: i64 = 15 * SECOND_US;

/// The times seen so far.
#[derive(Debug, Default)]
pub(super) struct Times {
    heartbeats: Vec<Stamp>,
    /// The newest that the control plane renewed a lease of its own.
    control: Option<Stamp>,
    /// One of these is an API server's, which was alive, as it was asked for the export.
    served: bool,
    /// The newest that the controllers wrote by their own clock elsewhere.
    written: Option<Stamp>,
    /// The newest that anybody wrote of a taint, or they of a silent node.
    claimed: Option<Stamp>,
    /// The newest heartbeat that most nodes bear out, where others are ahead of it.
    pub(super) agreed: Option<Stamp>,
    other: Option<Stamp>,
}

impl Times {
    /// Notes a heartbeat.
    pub(super) fn heartbeat(&mut self, t: Stamp) {
        self.heartbeats.push(t);
    }

    /// Notes a renewal of the control plane's lease of that name.
    pub(super) fn control(&mut self, name: &str, t: Stamp) {
        self.control = self.control.max(Some(t));
        self.served |= name.contains("apiserver-");
    }

    /// Notes a time that somebody wrote, `by_controllers` that have the control plane's clock.
    pub(super) fn written(&mut self, t: Stamp, by_controllers: bool) {
        self.claimed = self.claimed.max(Some(t));
        self.written = self.written.max(Some(t).filter(|_| by_controllers));
    }

    /// Looks for clocks that are ahead of all others', where none of the control plane's own is known. Leases
    /// of leaders that most nodes are ahead of are not kept up any more.
    ///
    /// `newest` are the last heartbeats of nodes that the control plane takes to be alive, which come at
    /// least every `period` microseconds.
    ///
    /// The newest are of clocks that are ahead where nothing bears them out: the next one is more than a
    /// period older, and they are one node, or a tenth, or fewer than half and so far ahead that all others
    /// would have been found silent.
    pub(super) fn compare(&mut self, mut newest: Vec<Stamp>, period: i64) {
        newest.sort_unstable_by(|a, b| b.cmp(a));
        let all = newest.len();
        if !self.served && newest.iter().filter(|t| self.is_ahead(**t)).count() * 2 > all {
            self.written = self.written.max(self.control.take());
        }
        let mut ahead = 0;
        let gap = |i: usize| newest[i - 1].us_since(newest[i]);
        while let Some(next) = (ahead + 1..all).find(|i| gap(*i) > period) {
            let few = all > 2 && (next == 1 || next * 10 <= all);
            let noticed = next * 2 < all && gap(next) > period + UNNOTICED_US;
            if !few && !noticed {
                break;
            }
            ahead = next;
        }
        match newest.get(ahead) {
            None => self.written = self.written.max(self.claimed),
            Some(last) => {
                let unnoticed = |w: &Stamp| w.us_since(*last) <= period + UNNOTICED_US;
                self.written = self.written.filter(unnoticed);
            }
        }
        if ahead > 0 && self.control.is_none() {
            self.agreed = self.written.max(Some(newest[ahead]));
        }
    }

    /// Notes another time at which something had happened already.
    pub(super) fn other(&mut self, t: Stamp) {
        self.other = self.other.max(Some(t));
    }

    /// Time zero, and what it is: the newest heartbeat, or what was written later; without either, the newest of
    /// the other times; without these, nothing.
    pub(super) fn zero(&self) -> Option<(Stamp, Zero)> {
        let is_believed = |t: &Stamp| !self.is_ahead(*t);
        let heartbeat = self.heartbeats.iter().copied().filter(is_believed).max().max(self.control);
        let written = self.written.filter(is_believed);
        // Of those that are alike the last one.
        let all = [(written, Zero::Written), (heartbeat, Zero::Heartbeat)];
        let all = all.into_iter().filter_map(|(t, what)| Some((t?.ceil_to_second(), what)));
        let other = || Some((self.other.max(self.claimed)?.ceil_to_second(), Zero::Other));
        all.max_by_key(|(t, _)| *t).or_else(other)
    }

    /// The newest time of a taint, or of when a node was found silent, where it is so late that all nodes
    /// would be silent by then, and time zero is not.
    pub(super) fn unheeded(&self, zero: Stamp) -> Option<Stamp> {
        self.claimed.filter(|t| t.us_since(zero) >= RENEWED_US)
    }

    /// Whether a heartbeat is of a clock that is ahead of the control plane's, or of nearly all others.
    pub(super) fn is_ahead(&self, t: Stamp) -> bool {
        self.control.or(self.agreed).is_some_and(|c| t.us_since(c) > SKEW_US)
    }
}

rows! {
    /// What time zero is.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) enum Zero {
        /// The newest heartbeat.
        Heartbeat = "time zero is the newest heartbeat",
        /// When controllers last wrote that a node is silent, or a taint.
        Written = "time zero is when controllers last wrote of a taint or of a silent node",
        /// For want of these, the newest of other times.
        #[default]
        Other = "no heartbeat in the files: time zero is the newest change of a condition",
    }

    /// What is told of it.
    pub(super) fn told -> &'static str;
}

/// Reads a time of a field, if it says one.
pub(super) fn time(field: &str, text: &str) -> Result<Option<Stamp>, Wrong> {
    match parse_time(text) {
        None if text.is_empty() => Ok(None),
        None => Err(Wrong(format!("{field} is {text:?}, which is not a time in RFC 3339"))),
        Some(stamp) if !YEARS.contains(&stamp) => {
            Err(Wrong(format!("{field} is {text:?}, which is not between the years 1970 and 2200")))
        }
        stamp => Ok(stamp),
    }
}

/// Microseconds since 1970-01-01T00:00:00Z, negative before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Stamp(pub i64);

/// Microseconds in a second.
pub(crate) const SECOND_US: i64 = 1_000_000;

/// What is taken for a span between two times of the API that are alike, in microseconds. They have whole
/// seconds, so that it is anything from nothing to a second; the middle is wrong by half a second at most.
pub(super) const LESS_US: i64 = SECOND_US / 2;

impl Stamp {
    /// This instant, or the next whole second if it lies between two.
    pub(crate) fn ceil_to_second(self) -> Self {
        // Years have four digits, so there is ample room above.
        Stamp(-(-self.0).div_euclid(SECOND_US) * SECOND_US)
    }

    /// Microseconds from `zero` to this instant.
    pub(crate) fn us_since(self, zero: Stamp) -> i64 {
        self.0 - zero.0
    }

    /// Whole seconds from `zero` to this instant, rounded down.
    pub(crate) fn seconds_since(self, zero: Stamp) -> i64 {
        self.us_since(zero).div_euclid(SECOND_US)
    }

    /// The instant in UTC: `2026-11-20T04:40:49Z`, with six digits of fraction if there is one.
    pub fn to_rfc3339(self) -> String {
        let format = if self.0.rem_euclid(SECOND_US) == 0 {
            SecondsFormat::Secs
        } else {
            SecondsFormat::Micros
        };
        // Years that are read have four digits, which is within what can be printed.
        DateTime::from_timestamp_micros(self.0).unwrap_or_default().to_rfc3339_opts(format, true)
    }
}

/// Reads a time; `None` if it is not one.
pub(crate) fn parse_time(text: &str) -> Option<Stamp> {
    // The standard allows small letters, a space for the `T`, and leap seconds; Go does not.
    let strict = text.as_bytes().get(10) == Some(&b'T')
        && text.as_bytes().get(17) != Some(&b'6')
        && !text.ends_with('z');
    let time = DateTime::parse_from_rfc3339(text).ok().filter(|_| strict)?;
    Some(Stamp(time.timestamp_micros()))
}

/// A span of seconds.
pub(super) fn seconds(s: i64) -> DurationText {
    micros(s * SECOND_US)
}

/// A span in Go's syntax, `-1h2m3.5s`; exact.
pub(crate) fn micros(us: i64) -> DurationText {
    let sign = if us < 0 { "-" } else { "" };
    let (span, second) = (us.unsigned_abs(), SECOND_US.unsigned_abs());
    let (total_s, fraction) = (span / second, span % second);
    let (h, m, s) = (total_s / 3600, total_s / 60 % 60, total_s % 60);
    let mut text = sign.to_owned();
    if h > 0 {
        text += &format!("{h}h");
    }
    if m > 0 {
        text += &format!("{m}m");
    }
    if fraction > 0 {
        text += format!("{s}.{fraction:06}").trim_end_matches('0');
        text += "s";
    } else if s > 0 || total_s == 0 {
        text += &format!("{s}s");
    }
    DurationText(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Go's `time.Duration.String`, without the zero minutes and seconds it would add.
    #[test]
    fn spans_as_go_writes_them() {
        for (us, text) in [
            (0, "0s"),
            (-12_000_000, "-12s"),
            (-293_458, "-0.293458s"),
            (3_600_000_000, "1h"),
            (-93_784_500_000, "-26h3m4.5s"),
            (60_000_000, "1m"),
            (61_000_001, "1m1.000001s"),
        ] {
            assert_eq!(micros(us).0, text);
        }
    }

    #[test]
    fn years_have_limits() {
        for good in ["1970-01-01T00:00:00Z", "2199-12-31T23:59:59.999999Z"] {
            assert!(time("t", good).unwrap().is_some());
        }
        for bad in ["0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "2200-01-01T00:00:00Z", "soon"]
        {
            assert!(time("t", bad).is_err(), "{bad}");
        }
        assert_eq!(time("t", ""), Ok(None));
    }

    fn zero(times: &Times) -> Option<Stamp> {
        times.zero().map(|(t, _)| t)
    }

    #[test]
    fn the_newest_heartbeat_is_zero() {
        let mut times = Times::default();
        assert_eq!(zero(&times), None);
        times.other(Stamp(9_000_000));
        assert_eq!(zero(&times), Some(Stamp(9_000_000)));
        times.heartbeat(Stamp(3_000_001));
        times.heartbeat(Stamp(2_000_000));
        assert_eq!(
            zero(&times),
            Some(Stamp(4_000_000)),
            "up to the second, and other times do not count"
        );
        times.control("kube-scheduler", Stamp(5_500_000));
        assert_eq!(zero(&times), Some(Stamp(6_000_000)));
        times.heartbeat(Stamp(20_000_000));
        assert_eq!(zero(&times), Some(Stamp(20_000_000)), "14.5 s later");
        times.heartbeat(Stamp(21_000_000));
        assert_eq!(
            zero(&times),
            Some(Stamp(20_000_000)),
            "15.5 s after the control plane's clock is another clock"
        );
    }

    /// Newest heartbeats in seconds, their period, and time zero.
    fn agreed(newest: &[i64], written: Option<i64>, period: i64) -> Option<Stamp> {
        let mut times = Times::default();
        let all: Vec<Stamp> = newest.iter().map(|s| Stamp(s * SECOND_US)).collect();
        all.iter().for_each(|t| times.heartbeat(*t));
        written.into_iter().for_each(|s| times.written(Stamp(s * SECOND_US), true));
        times.compare(all, period);
        zero(&times)
    }

    /// Of leases, which are renewed every 10 s: one clock, or a tenth of them, that the next is more than a
    /// period behind is ahead; of half of the nodes one cannot tell, and zones that were lost less than the
    /// grace period ago are no clocks that are behind.
    #[test]
    fn clocks_that_nothing_bears_out_do_not_count() {
        let second = |s: i64| Some(Stamp(s * SECOND_US));
        let nine = [100, 101, 102, 103, 104, 105, 106, 107, 108];
        assert_eq!(agreed(&[&nine[..], &[3_700]].concat(), None, RENEWED_US), second(108));
        assert_eq!(agreed(&[&nine[..], &[124]].concat(), None, RENEWED_US), second(108), "by 16 s");
        assert_eq!(agreed(&[&nine[..], &[123]].concat(), None, RENEWED_US), second(123), "by 15 s");
        assert_eq!(agreed(&[&nine[..], &[3_700, 9_000]].concat(), None, RENEWED_US), second(108));
        let third = [70, 71, 72, 73, 74, 75, 100, 104, 108];
        assert_eq!(agreed(&third, None, RENEWED_US), second(108), "two zones lost 25 s ago");
        assert_eq!(agreed(&[100, 3_700], None, RENEWED_US), second(3_700), "which of two?");
        assert_eq!(
            agreed(&[100, 102, 140], Some(130), RENEWED_US),
            second(140),
            "by a taint's time"
        );
        assert_eq!(agreed(&[0, 200, 300], None, POSTED_US), second(300), "by conditions");
        assert_eq!(agreed(&[0, 200, 700], None, POSTED_US), second(200), "500 s after all others");
    }

    /// Leases of 100 to 108 s. A taint of the controllers' is a witness that the cluster lived on for as long as they
    /// might not have noticed yet, 15 s to a lease and 60 s to what is said of it: 108 + 75 = 183. What others wrote is
    /// none, unless all nodes have been found silent.
    #[test]
    fn what_was_written_later_counts_unless_nodes_would_have_been_found_silent() {
        let of = |written: i64, by_controllers: bool, alive: bool| {
            let mut times = Times::default();
            let all = [100, 104, 108].map(|s| Stamp(s * SECOND_US));
            all.iter().for_each(|t| times.heartbeat(*t));
            times.written(Stamp(written * SECOND_US), by_controllers);
            times.compare(if alive { all.to_vec() } else { Vec::new() }, RENEWED_US);
            let (zero, what) = times.zero().unwrap();
            let unheeded = times.unheeded(zero).map(|t| t.0 / SECOND_US);
            (zero.0 / SECOND_US, what, unheeded)
        };
        assert_eq!(of(107, true, true), (108, Zero::Heartbeat, None));
        assert_eq!(of(183, true, true), (183, Zero::Written, None));
        assert_eq!(of(184, true, true), (108, Zero::Heartbeat, Some(184)));
        assert_eq!(of(122, false, true), (108, Zero::Heartbeat, None));
        assert_eq!(of(123, false, true), (108, Zero::Heartbeat, Some(123)));
        assert_eq!(of(3_708, true, false), (3_708, Zero::Written, None));
        assert_eq!(of(3_708, false, false), (3_708, Zero::Written, None));
    }

    /// A leader that died a minute ago is no clock: most nodes are ahead of it. An API server's lease is one, as that
    /// was asked for the export.
    #[test]
    fn leases_that_nobody_keeps_up_tell_no_time() {
        let of = |name: &str, newest: &[i64]| {
            let mut times = Times::default();
            let all: Vec<Stamp> = newest.iter().map(|s| Stamp(s * SECOND_US)).collect();
            all.iter().for_each(|t| times.heartbeat(*t));
            times.control(name, Stamp(40 * SECOND_US));
            times.compare(all, RENEWED_US);
            zero(&times)
        };
        assert_eq!(of("kube-scheduler", &[100, 104, 108]), Some(Stamp(108 * SECOND_US)));
        assert_eq!(of("apiserver-x", &[100, 104, 108]), Some(Stamp(40 * SECOND_US)));
        assert_eq!(
            of("kube-scheduler", &[35, 38, 108]),
            Some(Stamp(40 * SECOND_US)),
            "one of three"
        );
    }

    /// Expected values from `date -u -d … +%s`.
    #[test]
    fn known_instants() {
        for (text, us) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T12:00:00Z", 951_825_600_000_000),
            ("2026-11-20T04:40:49Z", 1_795_149_649_000_000),
            ("2026-11-20T04:41:10.361681Z", 1_795_149_670_361_681),
            ("2026-11-20T06:41:10.361681+02:00", 1_795_149_670_361_681),
            ("2026-11-19T23:11:10.5-05:30", 1_795_149_670_500_000),
            ("2026-11-20T04:41:10.3616819Z", 1_795_149_670_361_681),
            ("1969-12-31T23:59:59Z", -1_000_000),
            ("2100-03-01T00:00:00Z", 4_107_542_400_000_000),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
            ("9999-12-31T23:59:59Z", 253_402_300_799_000_000),
        ] {
            assert_eq!(parse_time(text), Some(Stamp(us)), "{text}");
        }
    }

    #[test]
    fn what_is_no_time() {
        for text in [
            "",
            "Z",
            "2026-11-20",
            "2026-11-20 04:40:49Z",
            "2026-11-20T04:40:49",
            "2026-11-20T04:40:49z",
            "2026-13-20T04:40:49Z",
            "2026-02-29T04:40:49Z",
            "2100-02-29T04:40:49Z",
            "2026-11-20T24:00:00Z",
            "2026-11-20T04:40:60Z",
            "2026-11-20T04:40:49.Z",
            "2026-11-20T04:40:49+2:00",
            "2026-11-20T04:40:49+24:00",
            "2026-11-20T04:40:49Zx",
            "+026-11-20T04:40:49Z",
            "２026-11-20T04:40:49Z",
        ] {
            assert_eq!(parse_time(text), None, "{text:?}");
        }
    }

    #[test]
    fn printing_is_the_inverse_of_reading() {
        for text in [
            "1969-12-31T23:59:59Z",
            "2000-02-29T12:00:00Z",
            "1900-02-28T23:59:59Z",
            "2026-11-20T04:41:10.361681Z",
            "2026-12-31T00:00:00.000001Z",
            "9999-12-31T23:59:59Z",
        ] {
            assert_eq!(parse_time(text).map(Stamp::to_rfc3339).as_deref(), Some(text));
        }
    }

    #[test]
    fn whole_seconds() {
        assert_eq!(Stamp(1_000_001).ceil_to_second(), Stamp(2_000_000));
        assert_eq!(Stamp(1_000_000).ceil_to_second(), Stamp(1_000_000));
        assert_eq!(Stamp(-1).ceil_to_second(), Stamp(0));
        assert_eq!(
            Stamp(1_500_000).seconds_since(Stamp(2_000_000)),
            -1,
            "half a second before is in the second before"
        );
    }
}
