//! The queue held against a sorted map that does the same with no cleverness.

use super::{Agenda, EventKey, EventQueue, Lane};
use crate::kernel::{Class, Dur, Time};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The reference: a sorted map from (time, class, sequence).
#[derive(Default)]
struct Sorted {
    now: Time,
    sequence: u64,
    events: BTreeMap<(Time, Class, u64), u32>,
}

type Place = (Time, Class, u64);

impl Sorted {
    fn push(&mut self, at: Time, class: Class, event: u32) -> Place {
        let place = (at.max(self.now), class, self.sequence);
        self.sequence += 1;
        self.events.insert(place, event);
        place
    }

    fn peek(&self) -> Option<Time> {
        self.events.keys().next().map(|p| p.0)
    }

    fn pop_until(&mut self, end: Time) -> Option<(Time, Class, u32)> {
        let (place, event) =
            self.events.first_key_value().map(|(p, e)| (*p, *e)).filter(|(p, _)| p.0 <= end)?;
        self.events.remove(&place);
        self.now = place.0;
        Some((place.0, place.1, event))
    }
}

#[derive(Clone, Debug)]
enum Op {
    /// At now plus this; minus, for times that have passed.
    PushAt(i64, usize),
    PushIn(usize),
    Pop,
    PopUntil(u64),
    Peek,
    /// The key at this place among those given out so far, the newest first.
    Cancel(usize),
    CancelMany(usize),
    /// Many at once, so that slots and batches fill.
    Burst(u64, u16),
    Clear,
}

/// Delays on all scales: the same instant, within a tick, about a slot of each level, and
/// centuries.
fn delay() -> impl Strategy<Value = u64> {
    prop_oneof![
        3 => Just(0),
        3 => 0..4_u64,
        3 => 0..(1_u64 << 21),
        3 => 0..(1_u64 << 28),
        2 => (0..70_u64).prop_map(|t| t << 20),
        2 => 0..(1_u64 << 34),
        1 => (0..44_u32, 0..3_u64).prop_map(|(bit, off)| ((1_u64 << (bit + 20)) + off).saturating_sub(1)),
        1 => 0..(u64::MAX / 2),
    ]
    .prop_map(|d| d.min(u64::MAX / 4))
}

const LANES: [(u64, Class); 6] = [
    (0, Class::Wake),
    (0, Class::Arrival),
    (1, Class::Delivery),
    (5_000_000, Class::Delivery),
    (5_000_000, Class::Wake),
    (10_000_000_000, Class::Source),
];

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        8 => (delay(), 0..6_usize).prop_map(|(d, c)| Op::PushAt(d as i64, c)),
        1 => (1..1_000_i64, 0..6_usize).prop_map(|(d, c)| Op::PushAt(-d, c)),
        8 => (0..LANES.len()).prop_map(Op::PushIn),
        12 => Just(Op::Pop),
        3 => delay().prop_map(Op::PopUntil),
        3 => Just(Op::Peek),
        3 => (0..200_usize).prop_map(Op::Cancel),
        1 => (0..200_usize).prop_map(Op::CancelMany),
        1 => (delay(), 1..300_u16).prop_map(|(d, n)| Op::Burst(d, n)),
        1 => prop_oneof![19 => Just(Op::Pop), 1 => Just(Op::Clear)],
    ]
}

/// Queue and reference side by side.
struct Pair {
    queue: EventQueue<u32>,
    sorted: Sorted,
    lanes: Vec<Lane>,
    keys: Vec<(EventKey, Place)>,
    events: u32,
}

impl Pair {
    fn new() -> Self {
        let mut queue = EventQueue::default();
        let lanes = LANES.iter().map(|(d, c)| queue.lane(Dur::from_nanos(*d), *c)).collect();
        Self { queue, sorted: Sorted::default(), lanes, keys: Vec::new(), events: 0 }
    }

    fn push(&mut self, at: Time, class: Class) {
        self.events += 1;
        self.keys.push((
            self.queue.push_at(at, class, self.events),
            self.sorted.push(at, class, self.events),
        ));
    }

    fn cancel(&mut self, i: usize) {
        if let Some((key, place)) = self.keys.iter().rev().nth(i) {
            assert_eq!(self.queue.cancel(*key), self.sorted.events.remove(place).is_some());
        }
    }

    fn apply(&mut self, op: &Op) {
        match *op {
            Op::PushAt(d, c) => {
                let at = Time::from_nanos(self.sorted.now.as_nanos().saturating_add_signed(d));
                self.push(at, Class::ALL[c]);
            }
            Op::PushIn(i) => {
                self.events += 1;
                self.queue.push_in(self.lanes[i], self.events);
                let (delay, class) = LANES[i];
                self.sorted.push(
                    self.sorted.now.saturating_add(Dur::from_nanos(delay)),
                    class,
                    self.events,
                );
            }
            Op::Pop => assert_eq!(self.queue.pop(), self.sorted.pop_until(Time::MAX)),
            Op::PopUntil(d) => {
                let end = self.sorted.now.saturating_add(Dur::from_nanos(d));
                let popped = self.queue.pop_until(end);
                assert_eq!(popped, self.sorted.pop_until(end));
                if popped.is_none() {
                    self.queue.advance_to(end);
                    self.sorted.now = end;
                }
            }
            Op::Peek => assert_eq!(self.queue.peek_time(), self.sorted.peek()),
            Op::Cancel(i) => self.cancel(i),
            Op::CancelMany(n) => (0..n).for_each(|i| self.cancel(i)),
            Op::Burst(d, n) => {
                for i in 0..u64::from(n) {
                    let at = self.sorted.now.saturating_add(Dur::from_nanos(
                        d.saturating_add(i * 7_919 % 101 * 40_000),
                    ));
                    self.push(at, Class::ALL[i as usize % 6]);
                }
            }
            Op::Clear => {
                self.queue.clear();
                self.sorted.events.clear();
            }
        }
        assert_eq!(self.queue.len(), self.sorted.events.len());
        assert_eq!(self.queue.is_empty(), self.sorted.events.is_empty());
    }

    fn drain(&mut self) {
        while let Some(expected) = self.sorted.pop_until(Time::MAX) {
            assert_eq!(self.queue.pop(), Some(expected));
        }
        assert_eq!((self.queue.pop(), self.queue.peek_time()), (None, None));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_is_that_of_a_sorted_map(ops in prop::collection::vec(op(), 1..300)) {
        let mut pair = Pair::new();
        for op in &ops {
            pair.apply(op);
        }
        pair.drain();
    }

    /// Whatever is picked: the same events come out, at their times.
    #[test]
    fn a_free_order_within_instants_loses_nothing(ops in prop::collection::vec(op(), 1..200), seed in any::<u64>()) {
        let mut pair = Pair::new();
        for op in ops.iter().filter(|op| !matches!(op, Op::Clear)) {
            pair.apply(op);
        }
        let mut agenda = Agenda::default();
        let mut random = seed | 1;
        let mut picked = Vec::new();
        loop {
            let due = agenda.peek_time(&mut pair.queue);
            let any = agenda.gather(&mut pair.queue, Time::MAX, |_| ());
            prop_assert_eq!(due, any.then(|| agenda.at()));
            if !any {
                break;
            }
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let place = (random >> 33) as usize % agenda.events().len();
            let held = agenda.take(&mut pair.queue, place);
            picked.push((agenda.at(), held.class(), held.event));
        }
        let mut expected: Vec<_> = std::iter::from_fn(|| pair.sorted.pop_until(Time::MAX)).collect();
        prop_assert!(picked.iter().zip(&expected).all(|(p, e)| p.0 == e.0), "times never go back");
        picked.sort();
        expected.sort();
        prop_assert_eq!(picked, expected);
        prop_assert!(pair.queue.is_empty());
    }
}

#[test]
fn the_last_instant_can_be_reached() {
    let mut queue = EventQueue::default();
    let far = queue.lane(Dur::MAX, Class::Source);
    queue.push_at(Time::MAX, Class::Timer, 1);
    queue.push_at(Time::from_nanos(5), Class::Timer, 2);
    assert_eq!(queue.pop(), Some((Time::from_nanos(5), Class::Timer, 2)));
    queue.push_in(far, 3);
    assert_eq!(queue.pop(), Some((Time::MAX, Class::Source, 3)));
    assert_eq!(queue.pop(), Some((Time::MAX, Class::Timer, 1)));
    queue.push_in(far, 4);
    queue.push_at(Time::ZERO, Class::Outside, 5);
    assert_eq!(queue.pop(), Some((Time::MAX, Class::Outside, 5)));
    assert_eq!(queue.pop(), Some((Time::MAX, Class::Source, 4)));
    assert_eq!(queue.pop(), None);
}

#[test]
fn cancelled_events_do_not_pile_up() {
    let mut queue = EventQueue::default();
    for i in 0..1_000_000_u64 {
        let key = queue.push_at(Time::from_secs(300 + i % 100), Class::Timer, i);
        assert!(queue.cancel(key));
    }
    assert!(queue.wheel.len() <= 4096, "{} entries for no event", queue.wheel.len());
}

#[test]
fn looking_ahead_costs_no_order() {
    let mut queue = EventQueue::default();
    queue.push_at(Time::from_secs(300), Class::Timer, 1);
    assert_eq!(queue.peek_time(), Some(Time::from_secs(300)));
    queue.push_at(Time::from_secs(2), Class::Timer, 2);
    queue.push_at(Time::from_secs(1), Class::Timer, 3);
    assert_eq!(queue.pop_until(Time::from_millis(500)), None);
    assert_eq!(
        [queue.pop(), queue.pop(), queue.pop()].map(|p| p.map(|p| p.2)),
        [Some(3), Some(2), Some(1)]
    );
}

#[test]
fn an_event_cancelled_by_another_of_its_instant_does_not_come() {
    let (mut queue, mut agenda) = (EventQueue::default(), Agenda::default());
    let at = Time::from_secs(1);
    let keys: Vec<EventKey> = (0..3).map(|i| queue.push_at(at, Class::Timer, i)).collect();
    queue.push_at(at + Dur::from_nanos(1), Class::Timer, 3);
    // All three are laid out; the last is picked, and cancels the other two.
    assert!(agenda.gather(&mut queue, Time::MAX, |_| ()));
    assert_eq!((agenda.events().len(), agenda.take(&mut queue, 2).event), (3, 2));
    assert!(queue.cancel(keys[0]) && queue.cancel(keys[1]) && !queue.cancel(keys[2]));
    assert!(!agenda.gather(&mut queue, at, |_| ()));
    assert!(agenda.gather(&mut queue, Time::MAX, |_| ()));
    assert_eq!(agenda.take(&mut queue, 0).event, 3);
}

/// A look ahead takes a slot apart whose entries come after the first event of a lane; what is
/// pushed then, before that slot, comes first.
#[test]
fn looking_ahead_past_a_lane_costs_no_order() {
    let ops = [
        Op::PushAt(0, 0),
        Op::Pop,
        Op::PushAt(0, 0),
        Op::PushIn(5),
        Op::PushAt(2884901888, 0),
        Op::Burst(12885950464, 32),
        Op::PushAt(0, 0),
        Op::Pop,
        Op::PushAt(2884901888, 0),
        Op::PushAt(0, 0),
        Op::PushAt(-1, 0),
        Op::PushAt(0, 0),
        Op::Pop,
        Op::Pop,
        Op::PushIn(5),
        Op::Pop,
        Op::Pop,
        Op::PushAt(0, 0),
        Op::Pop,
        Op::Pop,
        Op::PushIn(5),
        Op::PushAt(10001048576, 0),
        Op::PushAt(0, 0),
        Op::PushAt(0, 0),
        Op::PushAt(0, 0),
        Op::PushAt(0, 0),
        Op::PushAt(0, 0),
        Op::PushAt(0, 0),
        Op::PushAt(0, 0),
        Op::CancelMany(6),
        Op::Burst(17179869183, 1),
        Op::Pop,
        Op::Pop,
        Op::Pop,
        Op::PushIn(0),
        Op::Pop,
        Op::PushIn(0),
        Op::Pop,
        Op::Pop,
        Op::Peek,
        Op::PushAt(0, 0),
        Op::PushAt(108, 2),
    ];
    let mut pair = Pair::new();
    ops.iter().for_each(|op| pair.apply(op));
    pair.drain();
}

#[test]
fn events_with_a_rank_come_in_the_order_of_ranks_behind_the_others_of_their_class() {
    let mut queue = EventQueue::default();
    let at = Time::from_secs(1);
    queue.push_ranked(at, Class::Source, 7, 1);
    queue.push_at(at, Class::Arrival, 2);
    queue.push_ranked(at, Class::Source, 3, 3);
    queue.push_at(at, Class::Source, 4);
    let order: Vec<u64> = std::iter::from_fn(|| queue.pop()).map(|(_, _, e)| e).collect();
    assert_eq!(order, [4, 3, 1, 2]);
    // In a search, events are distinguished by their numbers in order of posting.
    let mut agenda: Agenda<u64, ()> = Agenda::default();
    queue.push_ranked(at, Class::Source, 7, 5);
    queue.push_ranked(at, Class::Source, 3, 6);
    assert!(agenda.gather(&mut queue, at, |_| ()));
    assert_eq!(
        agenda.events().iter().map(|h| (h.event, h.sequence())).collect::<Vec<_>>(),
        [(6, 5), (5, 4)]
    );
}

/// One who does nothing at each of its turns: it sleeps from turn to turn in one queue, and has
/// its turns kept in the other. Everything else comes in the same order in both, and so does the
/// turn for which it is asked.
#[derive(Clone, Debug)]
enum Beside {
    /// Something is added, due after this time, in this class.
    Add(u64, usize),
    /// As many events are taken.
    Take(usize),
    /// From its next turn on there is something to do for one of the two.
    Ask(usize),
}

fn beside() -> impl Strategy<Value = Beside> {
    prop_oneof![
        5 => (0_u64..12, 0_usize..6).prop_map(|(after, class)| Beside::Add(after, class)),
        4 => (1_usize..4).prop_map(Beside::Take),
        1 => (0_usize..2).prop_map(Beside::Ask),
    ]
}

/// Two events that idle, with a period each; their turns meet often.
const IDLE: [u32; 2] = [u32::MAX - 1, u32::MAX];
const PERIODS: [Dur; 2] = [Dur::from_nanos(3), Dur::from_nanos(5)];

/// What comes out, without the turns at which nothing is to be done.
fn taken(ops: &[Beside], kept: bool) -> Vec<(Time, Class, u32)> {
    let mut queue = EventQueue::default();
    let idlers = [queue.idler(), queue.idler()];
    let (mut asked, mut pending, mut all) = ([false; 2], 0, Vec::new());
    let idle = |queue: &mut EventQueue<u32>, i: usize, asked: bool| {
        if kept && !asked {
            queue.keep_turns(idlers[i], PERIODS[i], IDLE[i]);
        } else {
            queue.push_at(queue.now() + PERIODS[i], Class::Wake, IDLE[i]);
        }
    };
    idle(&mut queue, 0, false);
    idle(&mut queue, 1, false);
    for (i, op) in ops.iter().enumerate() {
        match op {
            Beside::Add(after, class) => {
                let at = queue.now() + Dur::from_nanos(*after);
                queue.push_at(at, Class::ALL[*class], i as u32);
                pending += 1;
            }
            Beside::Take(count) => {
                let mut left = *count;
                while left > 0 && (pending > 0 || asked != [false; 2]) {
                    let next = queue.pop().expect("something is pending");
                    let idler = IDLE.iter().position(|event| *event == next.2);
                    match idler {
                        Some(i) => idle(&mut queue, i, asked[i]),
                        None => pending -= 1,
                    }
                    if idler.is_none_or(|i| asked[i]) {
                        all.push(next);
                        left -= 1;
                    }
                }
            }
            Beside::Ask(i) => {
                asked[*i] = true;
                queue.take_turn(idlers[*i]);
            }
        }
    }
    all
}

proptest! {
    #[test]
    fn kept_turns_change_no_order(ops in prop::collection::vec(beside(), 1..60)) {
        prop_assert_eq!(taken(&ops, false), taken(&ops, true));
    }
}
