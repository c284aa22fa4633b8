//! Who makes the choices, held against what is said of it: draws, ranges, orders, tapes.

use super::{Choices, Deviation, Held, Object, Span};
use crate::kernel::{Ctx, Kernel};

fn object(i: u32) -> Object {
    Object::named(i, &format!("node-{i}"))
}

/// Whoever asks these choices.
fn asks(choices: Choices) -> Ctx {
    Kernel::new(choices).ctx()
}

#[test]
fn one_more_object_changes_nothing_for_the_others() {
    let draws = |objects: &[Object]| {
        let c = asks(Choices::seeded(42));
        let p = c.point("jitter");
        objects.iter().map(|o| [c.draw(p, *o), c.draw(p, *o)]).collect::<Vec<_>>()
    };
    let (two, three) = (draws(&[object(0), object(2)]), draws(&[object(0), object(1), object(2)]));
    assert_eq!([two[0], two[1]], [three[0], three[2]]);
    // The number of an object only finds its count: what it draws depends on its name.
    assert_eq!(draws(&[Object { id: 77, ..object(2) }])[0], two[1]);
    assert_ne!(two[0][0], two[0][1]);
}

#[test]
fn points_and_seeds_are_independent() {
    let first = |seed, name| {
        let c = asks(Choices::seeded(seed));
        let p = c.point(name);
        assert_eq!(c.point(name), p);
        c.draw(p, Object::NONE)
    };
    assert_ne!(first(1, "a"), first(2, "a"));
    assert_ne!(first(1, "a"), first(1, "b"));
    assert_eq!(first(1, "a"), first(1, "a"));
}

#[test]
fn ties_and_yields_are_for_searches() {
    let places = |choices: Choices| {
        let c = asks(choices);
        let (tie, pause, mut items) = (c.point("tie"), c.point("pause"), [0, 1, 2]);
        c.order_ties(tie, &mut items, |i| object(*i));
        (items, c.yields(pause, Object::NONE, 0))
    };
    let usual = ([0, 1, 2], false);
    assert_eq!(places(Choices::recorded(Choices::default_order())), usual);
    assert_eq!(
        (1..50)
            .map(|seed| places(Choices::recorded(Choices::seeded(seed))))
            .filter(|p| *p != usual)
            .count(),
        0
    );
    let drawn: std::collections::BTreeSet<_> =
        (1..200).map(|seed| places(Choices::recorded(Choices::free(seed)))).collect();
    assert_eq!(drawn.len(), 12, "six orders, with and without a pause");
    let first = Deviation { point: "tie".into(), object: object(2).hash, ordinal: 0, value: 0 };
    assert_eq!(places(Choices::tape(vec![first], Choices::default_order())), ([2, 0, 1], false));
}

/// Of 8,000 turns of four 2,000 take each, and one that is known is taken. Of pauses at 250 in a thousand 2,000 come
/// about. Standard deviations are at most sqrt(8000 / 4) = 45; ties stay as given, and ends of ranges are nothing special:
/// two in two million.
#[test]
fn natural_draws_have_their_odds() {
    let c = asks(Choices::natural(1));
    let (next, pause, range) = (c.point("next"), c.point("pause"), c.point("range"));
    let (mut turns, mut pauses, mut ends) = ([0; 4], 0, 0);
    let turn =
        |known| c.0.choices.borrow_mut().turn(next, Object::NONE, [5, 6, 7, 8].into_iter(), known);
    for _ in 0..8_000 {
        turns[turn(None) as usize] += 1;
        assert_eq!(turn(Some(2)), 2);
        pauses += i32::from(c.yields(pause, Object::NONE, 250));
        assert!(!c.yields(pause, object(1), 0));
        ends += i32::from([0, 2_000_000].contains(&c.uniform(range, Object::NONE, 0, 2_000_000)));
    }
    let near = |seen: i32, expected: i32| (seen - expected).abs() <= 180;
    assert!(turns.iter().all(|seen| near(*seen, 2_000)), "{turns:?}");
    assert!(near(pauses, 2_000) && ends <= 1, "{pauses} {ends}");
    let (tie, mut items) = (c.point("tie"), [0, 1, 2]);
    c.order_ties(tie, &mut items, |i| object(*i));
    assert_eq!(items, [0, 1, 2]);
}

/// A number of nine is drawn of three of them, as often each: 1,000 of 3,000 with a standard deviation of
/// sqrt(3000 · 1/3 · 2/3) = 26. What is held to one value has it. The odds of parts of what can be chosen, by hand.
#[test]
fn what_is_held_is_drawn_from_a_part_of_its_values() {
    let held = |point: &str, value, most| Held {
        choice: Deviation {
            point: point.to_owned().into(),
            object: object(1).hash,
            ordinal: 0,
            value,
        },
        most,
    };
    let mut counts = [0_i32; 9];
    for seed in 0..3_000 {
        let held = vec![held("range", 3, 5), held("walk", 2, 2)];
        let c = asks(Choices::held(held, Choices::natural(seed)));
        let (range, walk) = (c.point("range"), c.point("walk"));
        counts[c.uniform(range, object(1), 0, 8) as usize] += 1;
        assert_eq!(c.choose(walk, object(1), 4), 2);
    }
    for (value, count) in counts.into_iter().enumerate() {
        let expected = if (3..=5).contains(&value) { 1_000 } else { 0 };
        assert!((count - expected).abs() < 110, "{counts:?}");
    }
    let near = |span: Span, part: (u64, u64), odds: f64| {
        let of = span.natural_odds(part);
        assert!((of - odds).abs() < 1e-9, "{span:?} {part:?}: {of}");
    };
    near(Span::Range(0, 8), (3, 5), 1.0 / 3.0);
    near(Span::Range(4, 8), (3, 5), 2.0 / 5.0);
    near(Span::Alternatives(4), (2, 2), 0.25);
    near(Span::Trouble(4), (0, 0), 1.0);
    near(Span::Turn(4), (0, 0), 0.25);
    near(Span::Turn(4), (1, 3), 0.75);
    near(Span::TurnOf(4, 2), (1, 2), 1.0);
    near(Span::TurnOf(4, 2), (3, 3), 0.0);
    near(Span::Chance(5), (1, 1), 0.005);
    near(Span::Yield(250), (0, 0), 0.75);
    near(Span::Rank, (0, u64::MAX / 4), 0.25);
    near(Span::Place, (0, 1), 0.0);
}

/// Go walks a map of up to eight entries from one of its eight slots on. Of five entries the second and the fourth are
/// asked for: the walk begins at slot 2 or 3 in two of eight, and then the fourth comes first; at slot 4 in one, and at one of
/// the three empty ones in three, and then the second does, as at slots 0 and 1. Of a larger map either may
/// come first.
#[test]
fn some_of_a_map_come_as_in_a_walk_of_all_of_it() {
    let swapped = |whole: usize| {
        let drawn = (0..4_000).filter(|seed| {
            let c = asks(Choices::seeded(*seed));
            let point = c.point("walk");
            let mut items = [1, 3];
            c.order_some(point, None, whole, &mut items, |i| *i as usize, |i| object(*i));
            items == [3, 1]
        });
        drawn.count() as i32
    };
    // Standard deviations: sqrt(4000 * 1/4 * 3/4) = 27 and sqrt(4000 / 4) = 32.
    assert!((swapped(5) - 1_000).abs() < 110, "{}", swapped(5));
    assert!((swapped(9) - 2_000).abs() < 130, "{}", swapped(9));
}

#[test]
fn a_search_that_draws_takes_the_ends_of_ranges_more_often() {
    let ends = |choices: Choices| {
        let c = asks(choices);
        let p = c.point("latency");
        let drawn: Vec<u64> =
            (0..8_000).map(|_| c.uniform(p, Object::NONE, 1_000, 2_000_000)).collect();
        assert!(drawn.iter().all(|d| (1_000..=2_000_000).contains(d)));
        [1_000, 2_000_000].map(|end| drawn.iter().filter(|d| **d == end).count())
    };
    // One eighth of 8,000 each, standard deviation sqrt(8000 * 1/8 * 7/8) = 30; the draws are
    // fixed, so this cannot flicker.
    for found in [ends(Choices::free(1)), ends(Choices::pct(1, 3, 100))] {
        assert!(found.iter().all(|n| (880..1_120).contains(n)), "{found:?}");
    }
    assert_eq!(ends(Choices::seeded(1)), [0, 0]);
}

#[test]
fn numbers_keep_to_their_range_and_reach_its_ends() {
    let c = asks(Choices::seeded(7));
    let p = c.point("die");
    let mut seen = [0_u32; 6];
    for _ in 0..6_000 {
        let n = c.uniform(p, Object::NONE, 10, 15);
        seen[(n - 10) as usize] += 1;
    }
    // 1,000 expected of each, standard deviation sqrt(6000 * 1/6 * 5/6) = 29; the draws are
    // fixed, so this cannot flicker.
    assert!(seen.iter().all(|n| (850..1_150).contains(n)), "{seen:?}");
    assert_eq!(c.uniform(p, Object::NONE, 5, 5), 5);
    assert_eq!(c.uniform(p, Object::NONE, 5, 4), 5);
    let _ = c.uniform(p, Object::NONE, 0, u64::MAX);
    assert_eq!(c.choose(p, Object::NONE, 0), 0);
    assert_eq!(c.choose(p, Object::NONE, 1), 0);
}

/// Of 10,000 draws with a chance of 0.3 a binomial share of 3,000 with a deviation of 46: within
/// four of them.
#[test]
fn a_chance_comes_about_as_often_as_it_says() {
    let choices = asks(Choices::seeded(7));
    let point = choices.point("p");
    let came = (0..10_000).filter(|_| choices.chance(point, object(1), 300));
    let came = came.count();
    assert!((2_816..=3_184).contains(&came), "{came}");
    assert!(!choices.chance(point, object(1), 0));
    let choices = asks(Choices::default_order());
    let point = choices.point("p");
    assert!(!choices.chance(point, object(1), 999), "the default");
}

#[test]
fn where_there_is_no_choice_nothing_is_drawn() {
    let c = asks(Choices::recorded(Choices::seeded(7)));
    let p = c.point("p");
    let _ = (c.choose(p, Object::NONE, 1), c.uniform(p, Object::NONE, 3, 3));
    assert!(c.0.choices.borrow().log().is_empty());
    c.draw(p, Object::NONE);
    assert_eq!(c.0.choices.borrow().log()[0].ordinal, 0);
}

#[test]
fn an_order_keeps_when_an_item_joins() {
    let order = |numbers: &[u32]| {
        let c = asks(Choices::seeded(3));
        let p = c.point("walk");
        let mut items = numbers.to_vec();
        c.order(p, &mut items, |i| object(*i));
        items
    };
    // More than eight items, so that each draws a rank of its own.
    let twelve: Vec<u32> = (0..12).collect();
    let eleven: Vec<u32> = (0..12).filter(|i| *i != 3).collect();
    let without = order(&eleven);
    assert_eq!(order(&twelve).into_iter().filter(|i| *i != 3).collect::<Vec<_>>(), without);
    assert_ne!(without, eleven, "seed 3 does not happen to leave eleven items as they were");
}

#[test]
fn some_of_the_items_are_ordered_as_they_are_among_all() {
    for whole in [2_u32, 3, 7, 8, 9, 40] {
        for seed in 0..20 {
            let c = asks(Choices::seeded(seed));
            let p = c.point("walk");
            let mut all: Vec<u32> = (0..whole).collect();
            c.order_at(p, 5, &mut all, |i| object(*i));
            all.retain(|i| i % 3 != 1);
            let mut some: Vec<u32> = (0..whole).filter(|i| i % 3 != 1).collect();
            let place = |i: &u32| *i as usize;
            c.order_some(p, Some(5), whole as usize, &mut some, place, |i| object(*i));
            assert_eq!(some, all, "seed {seed}, {whole} items");
        }
    }
}

#[test]
fn few_items_are_walked_from_one_of_eight_slots_on() {
    let mut seen = std::collections::BTreeMap::new();
    for seed in 0..800 {
        let c = asks(Choices::seeded(seed));
        let p = c.point("walk");
        let mut items = [0, 1, 2];
        c.order(p, &mut items, |i| object(*i));
        *seen.entry(items).or_insert(0) += 1;
    }
    // Three of eight slots are taken: from the first, and from the five empty ones behind, the
    // order is as given (6 of 8).
    assert_eq!(seen.keys().copied().collect::<Vec<_>>(), [[0, 1, 2], [1, 2, 0], [2, 0, 1]]);
    assert!((500..700).contains(&seen[&[0, 1, 2]]), "{seen:?}");
}

#[test]
fn the_default_takes_the_first_and_the_least() {
    let c = asks(Choices::default_order());
    let p = c.point("p");
    let mut items = [3, 1, 2];
    c.order(p, &mut items, |i| object(*i));
    assert_eq!(items, [3, 1, 2]);
    assert_eq!(
        (
            c.choose(p, Object::NONE, 5),
            c.uniform(p, Object::NONE, 4, 9),
            c.yields(p, Object::NONE, 0)
        ),
        (0, 4, false)
    );
}

/// A run of five choices, as a function of who makes them.
fn run(choices: Choices) -> (Vec<u64>, Ctx) {
    let c = asks(choices);
    let (p, q) = (c.point("p"), c.point("q"));
    let mut values = vec![u64::from(c.choose(p, object(0), 10)), c.uniform(q, object(0), 100, 200)];
    values.extend([
        u64::from(c.choose(p, object(1), 10)),
        u64::from(c.choose(p, object(0), 10)),
        u64::from(c.yields(q, Object::NONE, 0)),
    ]);
    (values, c)
}

#[test]
fn a_tape_changes_what_it_names_and_nothing_else() {
    let deviation = |point: &str, i, ordinal, value| Deviation {
        point: point.to_owned().into(),
        object: object(i).hash,
        ordinal,
        value,
    };
    let tape = vec![
        deviation("p", 0, 1, 4),
        deviation("q", 0, 0, 999),
        deviation("nowhere", 0, 0, 1),
        deviation("p", 1, 7, 2),
    ];
    let (values, c) = run(Choices::tape(tape.clone(), Choices::default_order()));
    assert_eq!(values, [0, 200, 0, 4, 0], "999 is taken to the end of 100..=200");
    assert_eq!(c.unmet(), [tape[2].clone(), tape[3].clone()]);
    let (plain, _) = run(Choices::seeded(5));
    let (values, _) =
        run(Choices::tape(vec![deviation("p", 1, 0, (plain[2] + 1) % 10)], Choices::seeded(5)));
    assert_eq!(values, [plain[0], plain[1], (plain[2] + 1) % 10, plain[3], plain[4]]);
}

#[test]
fn a_recorded_run_replays_from_its_log_and_the_first_difference_has_a_name() {
    let (values, recorded) = run(Choices::recorded(Choices::seeded(5)));
    let log = |c: &Ctx| c.0.choices.borrow().log().to_vec();
    let recorded = log(&recorded);
    let tape = recorded.iter().map(|d| (*d).into()).collect();
    let (again, _) = run(Choices::tape(tape, Choices::default_order()));
    assert_eq!(values, again);
    let (_, other) = run(Choices::recorded(Choices::default_order()));
    let at = recorded.iter().zip(log(&other)).position(|(one, other)| *one != other);
    let expected = (0..5).find(|i| values[*i] != [0, 100, 0, 0, 0][*i]);
    assert_eq!(at, expected);
}
