//! Tries by their arithmetic: no pause is longer than its least, loops sleep exactly ten seconds.

use super::{Back, Backoffs, Draws, REFLECTORS, Uplink};
use crate::client::connection::Backoff;
use crate::client::connection::Link;
use crate::kernel::{Dur, Time};
use crate::plan::WatchRetry;

struct Exact {
    asks_from: Time,
    period: Dur,
}

impl Draws for Exact {
    fn jitter(&self, _: usize, _: u32, _: Dur) -> Dur {
        Dur::ZERO
    }

    fn status_period(&self, _: u32) -> Dur {
        self.period
    }

    fn asks_from(&self) -> Time {
        self.asks_from
    }
}

const QUIET: Exact = Exact { asks_from: Time::MAX, period: Dur::from_secs(10) };

const FRESH: Backoffs = [Backoff::new(WatchRetry::Grows, None); REFLECTORS];

fn s(seconds: u64) -> Time {
    Time::from_secs(seconds)
}

fn ms(t: Time) -> u64 {
    t.as_nanos() / 1_000_000
}

/// A kubelet that was heard last at 100 s, and is due to renew at 106 s and to check at 103 s. Its
/// way is like that from 100 s on, and open again at `healed`.
fn back_after(link: Link, healed: u64, draws: &Exact) -> Back {
    let mut uplink = Uplink::connected(s(100), s(100), (s(106), s(103), 0), FRESH);
    uplink.follow(s(healed), link, draws);
    uplink.back(draws)
}

#[test]
fn a_short_drop_waits_for_the_next_retransmission() {
    // The renewal at 106 s is sent again at 106.2, 106.6, 107.4, 109, 112.2, 118.6, 131.4 s. Checks
    // at 103, 113, 123 s ask for nothing.
    let back = back_after(Link::Dropped, 125, &QUIET);
    assert_eq!(ms(back.connection), 131_400);
    assert_eq!(ms(back.lease), 131_400, "the try under way");
    assert_eq!(ms(back.status), 133_000);
    assert_eq!((ms(back.node), ms(back.pods)), (131_400, 131_400));
    // Nothing was sent: nothing is to be sent again.
    let back = back_after(Link::Dropped, 102, &QUIET);
    assert_eq!([ms(back.connection), ms(back.lease)], [102_000, 106_000]);
    assert_eq!([ms(back.node), ms(back.status)], [102_000, 103_000]);
}

#[test]
fn a_long_drop_is_found_dead_and_dialled() {
    // Dead at 145 s: the renewal's fourth try, begun at 136 s, fails, the fifth dials at 145, with
    // SYNs at 145, 146, 148, 152, 160; the ensure loop's begins at 155 s: 155, 156, 158, 162, 170.
    // Watches pause 0.8 s and dial at 145.8: 145.8, 146.8, 148.8, 152.8, 160.8.
    for (healed, syn) in
        [(147, 148_000), (149, 152_000), (153, 155_000), (157, 158_000), (161, 162_000)]
    {
        let back = back_after(Link::Dropped, healed, &QUIET);
        assert_eq!(ms(back.connection), syn, "healed at {healed} s");
        assert_eq!(ms(back.lease), syn, "healed at {healed} s");
        assert_eq!(ms(back.pods), syn, "a watch in its dial, healed at {healed} s");
    }
}

#[test]
fn a_lease_that_pauses_is_renewed_when_its_pause_ends() {
    // Tries end at 116, 126, 136, 145, 155 and, the ensure loop's, at 165 s; a pause of 0.2 s, a try to
    // 175.2 s, a pause to 175.6 s. The dials of the last tries have sent their SYNs up to 172.2 s.
    let mut uplink = Uplink::connected(s(100), s(100), (s(106), s(103), 0), FRESH);
    uplink.follow(Time::from_millis(175_300), Link::Dropped, &QUIET);
    let back = uplink.back(&QUIET);
    assert_eq!(ms(back.connection), 175_600, "the next try's first SYN");
    assert_eq!(ms(back.lease), 175_600);
    // Watches gave up their dials at 175.8 s only: the connection revives them.
    assert_eq!(ms(back.pods), 175_600);
}

#[test]
fn only_a_status_update_that_asks_is_tried_and_reads_live() {
    // A report was due at 103 s: tries from 103 to 145 s (found dead), five in all.
    let due = Exact { asks_from: s(103), ..QUIET };
    let back = back_after(Link::Dropped, 125, &due);
    // Sent at 103 s: again at 103.2, 103.6, 104.4, 106, 109.2, 115.6, 128.4 s.
    assert_eq!(ms(back.connection), 128_400);
    assert_eq!((ms(back.status), back.live), (128_400, true));
    assert_eq!(back.status_tick, 0);
    let quiet = back_after(Link::Dropped, 125, &QUIET);
    assert!(!quiet.live);
    assert_eq!(quiet.status_tick, 3, "ticks at 103, 113 and 123 s");
}

#[test]
fn a_refused_lease_is_tried_with_pauses_up_to_seven_seconds() {
    // All at 106 s, then at 106.2, 106.6, 107.4, 109, 112.2, 118.6, 125.6, 132.6 s.
    for (healed, lease) in [(107, 107_400), (110, 112_200), (119, 125_600), (126, 132_600)] {
        let back = back_after(Link::Refused, healed, &QUIET);
        assert_eq!(ms(back.lease), lease, "healed at {healed} s");
    }
}

#[test]
fn a_refused_watch_pauses_up_to_thirty_seconds_and_lists_where_it_is_forgotten() {
    // Refused at 100, 100.8, 102.4, 105.6, 112, 124.8 s.
    let mut uplink = Uplink::connected(s(100), s(100), (s(106), s(103), 0), FRESH);
    uplink.follow(s(113), Link::Refused, &QUIET);
    assert_eq!(ms(uplink.back(&QUIET).pods), 124_800);
    // "Too old resource version", a pause of 25.6 s, and a list.
    uplink.forget();
    assert_eq!(ms(uplink.back(&QUIET).pods), 124_800 + 25_600);
    assert_eq!(ms(uplink.back(&QUIET).lease), 118_600, "leases need no watch");
}

#[test]
fn a_second_cut_finds_what_the_first_left() {
    // Healed for two seconds, in which nothing is sent again, and cut off anew.
    let mut uplink = Uplink::connected(s(100), s(100), (s(106), s(103), 0), FRESH);
    uplink.follow(s(120), Link::Dropped, &QUIET);
    uplink.follow(s(122), Link::Open, &QUIET);
    uplink.follow(s(125), Link::Dropped, &QUIET);
    assert_eq!(ms(uplink.back(&QUIET).connection), 131_400);
}

#[test]
fn pauses_go_on_where_they_were_within_two_minutes() {
    let mut uplink = Uplink::connected(s(100), s(100), (s(106), s(103), 0), FRESH);
    uplink.follow(s(113), Link::Refused, &QUIET);
    // The last pause began at 112 s and was of 12.8 s. Cut off again at 200 s the next is of 25.6 s,
    // at 240 s it is of 0.8 s again.
    for (cut, back) in [(200, 225_600), (240, 240_800)] {
        let mut again = Uplink::connected(s(cut), s(cut), (s(500), s(500), 0), uplink.backoffs());
        again.follow(Time::from_millis(cut * 1_000 + 1), Link::Refused, &QUIET);
        assert_eq!(ms(again.back(&QUIET).pods), back);
    }
}

#[test]
fn a_connection_to_a_server_that_died_is_found_dead_and_others_answer_at_once() {
    // Heard last at 100 s; the renewal at 106 s hangs until 145 s, when the connection is found dead, and
    // its next try is answered. Watches pause 0.8 s and list.
    let mut uplink = Uplink::connected(s(100), s(100), (s(106), s(103), 0), FRESH);
    uplink.sever();
    let back = uplink.back(&QUIET);
    assert_eq!([ms(back.connection), ms(back.lease)], [145_000, 145_000]);
    assert_eq!([ms(back.node), ms(back.pods)], [145_800, 145_800]);
    assert_eq!(ms(back.status), 153_000, "checks ask for nothing");
}

#[test]
fn a_cut_of_centuries_is_not_followed_try_by_try() {
    let long = 500 * 365 * 86_400;
    for link in [Link::Dropped, Link::Refused] {
        let mut uplink = Uplink::connected(s(100), s(100), (s(106), s(103), 0), FRESH);
        uplink.follow(s(long), link, &QUIET);
        let back = uplink.back(&QUIET);
        // A lease pauses 7 s at the most, and its try takes 10; a watch pauses 30 s.
        assert!((s(long)..=s(long + 17)).contains(&back.lease), "{back:?}");
        assert!((s(long)..=s(long + 30)).contains(&back.pods), "{back:?}");
        assert!((s(long)..=s(long + 10)).contains(&back.status), "{back:?}");
    }
}

#[test]
fn checks_of_almost_no_period_are_passed_over() {
    // At 1 ns an hour has 3.6e12 checks. In a way that drops packets the one at 150 s asks for
    // something and takes ten seconds; where they are refused, every one is over at once.
    for link in [Link::Dropped, Link::Refused] {
        let hasty = Exact { asks_from: s(150), period: Dur::from_nanos(1) };
        let mut uplink = Uplink::connected(s(100), s(100), (s(106), s(103), 0), FRESH);
        uplink.follow(s(3600), link, &hasty);
        let back = uplink.back(&hasty);
        assert!((s(3600)..=s(3610)).contains(&back.status), "{back:?}");
    }
    // Nothing asks: the first lease that is due at 106 s is the first to be answered.
    let never = Exact { period: Dur::from_nanos(1), ..QUIET };
    let back = back_after(Link::Dropped, 105, &never);
    assert_eq!(ms(back.lease), 106_000);
}
