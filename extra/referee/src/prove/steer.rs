//! What of a tape the recorder can be steered to.
//!
//! A tape counts choices; the recorder is told when each of them is made, which steers it to the same as long as it
//! comes out as the tape does. As it is told a scenario, controllers start when the run starts, and may have made other choices
//! before: a tape is first moved to such a run, by the times of its choices.

use serde_json::{Value, json};
use taintsim::kernel::choice::{Deviation, Drawn};
use taintsim::kernel::search::Step;
use taintsim::kernel::{Dur, Time};
use taintsim::lab::tape::Texts;
use taintsim::plan::Plan;
use taintsim::sim::{self, Searched};

/// How much later or sooner a choice may be made in the recorder's run than in the tape's.
const NEAR: Dur = Dur::from_millis(50);

/// The run of a plan with the deviations of another one's run, as far as there is a choice at the same point for the same
/// object at nearly the same time; and how many have none. In a run of another release it may come at any time: the nearest is
/// taken, in a step of the same name where there is one.
pub(super) fn moved(tape: &Searched, plan: &mut Plan, is_other: bool) -> (Searched, usize) {
    let name = |run: &Searched, place| made_in(run, place).map(|step| step.name);
    let (mut found, mut unmet) = (Vec::new(), tape.unmet.len());
    let mut run = with(plan, &found);
    for (place, wanted) in tape.choices.iter().enumerate().filter(|(_, c)| c.deviates()) {
        let is_same = |c: &&Drawn| c.point == wanted.point && c.object == wanted.object;
        let time = at(tape, place);
        let before = before(tape, place);
        let all = run.choices.iter().enumerate().filter(|(_, c)| is_same(c));
        let mut near: Vec<((bool, Dur), u32)> = all
            .map(|(i, c)| {
                let at = at(&run, i);
                let far = at.since(time).max(time.since(at));
                ((far > NEAR && name(&run, i) != name(tape, place), far), c.ordinal)
            })
            .filter(|((_, far), _)| is_other || *far <= NEAR)
            .collect();
        // Of several of an instant the same one.
        near.sort();
        let nearest = near.first().map(|(far, _)| *far);
        near.retain(|(far, _)| Some(*far) == nearest);
        let is_free = |(_, ordinal): &&((bool, Dur), u32)| {
            let is_it = |d: &Deviation| {
                d.point == wanted.point && d.object == wanted.object && d.ordinal == *ordinal
            };
            !found.iter().any(is_it)
        };
        match near.get(before).or(near.last()).filter(is_free) {
            Some((_, ordinal)) => {
                let deviation: Deviation = (*wanted).into();
                found.push(Deviation { ordinal: *ordinal, ..deviation });
                run = with(plan, &found);
            }
            None => unmet += 1,
        }
    }
    unmet += run.unmet.len();
    (run, unmet)
}

/// The run of a plan with a tape.
fn with(plan: &mut Plan, tape: &[Deviation]) -> Searched {
    plan.tape = Some(tape.to_vec());
    sim::replay(plan)
}

/// A tape's deviations.
#[derive(Clone)]
pub(super) struct Steered {
    /// Those that the recorder is steered to, as its scenario has them, in order of time.
    pub(super) said: Vec<Value>,
    /// What the others are about: the names of their choice points, in order.
    pub(super) left: Vec<&'static str>,
}

impl Steered {
    /// Those of a run.
    pub(super) fn of(run: &Searched) -> Self {
        let texts = Texts::of(run);
        let (mut said, mut left) = (Vec::new(), Vec::new());
        for (place, choice) in run.choices.iter().enumerate().filter(|(_, c)| c.deviates()) {
            match becomes(choice.point, choice.value) {
                Some((name, value)) => {
                    let mut one = json!({
                        "what": choice.point,
                        "object": texts.object(choice.object),
                        "at": at(run, place).to_string(),
                        name: value,
                    });
                    let before = before(run, place);
                    if before > 0 {
                        one["nth"] = json!(before);
                    }
                    said.push(one);
                }
                None => left.push(choice.point),
            }
        }
        left.sort_unstable();
        Self { said, left }
    }

    /// A scenario of the recorder with what it is steered to.
    pub(super) fn scenario(&self, text: &str) -> serde_json::Result<Value> {
        let mut scenario: Value = serde_json::from_str(text)?;
        if !self.said.is_empty() {
            scenario["steer"] = json!(self.said);
        }
        Ok(scenario)
    }

    /// How many deviations there are.
    pub(super) fn all(&self) -> usize {
        self.said.len() + self.left.len()
    }
}

/// When a choice was made.
fn at(run: &Searched, place: usize) -> Time {
    made_in(run, place).map_or(Time::ZERO, |step| step.at)
}

/// The step in which a choice was made.
fn made_in(run: &Searched, place: usize) -> Option<&Step> {
    let steps = &run.notes.steps;
    // A step comes after so many choices, that of its own turn included.
    let behind = steps.partition_point(|step| step.choices as usize <= place);
    steps.get(behind.saturating_sub(1))
}

/// How many choices at the same point and for the same object were made in that instant before one.
fn before(run: &Searched, place: usize) -> usize {
    let (choice, time) = (&run.choices[place], at(run, place));
    let earlier = (0..place).rev().take_while(|earlier| at(run, *earlier) == time);
    let is_same = |c: &Drawn| c.point == choice.point && c.object == choice.object;
    earlier.filter(|earlier| is_same(&run.choices[*earlier])).count()
}

/// What a choice is to the recorder; nothing where it is Go's.
fn becomes(point: &str, value: u64) -> Option<(&'static str, Value)> {
    let takes = |ways: &[u64]| {
        let of = usize::try_from(value).ok()?.checked_sub(1)?;
        Some(("takes", json!(Dur::from_millis(*ways.get(of)?).to_string())))
    };
    match point {
        "request-latency" | "response-latency" => {
            Some(("takes", json!(Dur::from_nanos(value).to_string())))
        }
        "request-late" => takes(&[1_000, 10_000]),
        "request-fails" => {
            let fate = match value {
                1 => "lost",
                2 => "reply-lost",
                3 => "rejected",
                _ => return None,
            };
            Some(("becomes", json!(fate)))
        }
        "crash" => takes(&[1_000, 20_000]),
        "watch-held" => takes(&[100, 1_000, 10_000]),
        "watch-broken" => takes(&[1_000]),
        _ => None,
    }
}
