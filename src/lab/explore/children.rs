//! Which other choices of a run are worth a try.
//!
//! Another event comes first only where that can make a difference: where the step that came first
//! depends on the step that is to come before it, or on one that this leads to in the same instant.
//! Everything else only swaps independent steps. At a yield point the same holds of all others of
//! the instant and the rest of the step with what that sets off: where none of the others depends on
//! any of it that came before it, each step has the same before it as it had. And of several
//! workers that are alike and have not begun, only the first is worth it: to start another one
//! first only swaps their names.

use crate::kernel::GROUP_SLOTS;
use crate::kernel::choice::Drawn;
use crate::kernel::search::{Asked, Searched as Notes};
use crate::lab::prelude::*;

/// How many latencies are tried for one request that bring it behind something else; beside them
/// the longest.
const LATENCIES: usize = 3;

/// A deviation, and the place of its choice in the run.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Child {
    /// The place of the choice.
    pub(super) choice: u32,
    /// What to choose instead.
    pub(super) deviation: Deviation,
}

/// The deviations after a choice that are worth a try, in the order of the run; and how many are
/// not. No more are looked for once there are `enough`.
pub(super) fn few_children(
    view: &mut View,
    notes: &Notes,
    choices: &[Drawn],
    from: usize,
    prune: bool,
    enough: usize,
) -> (Vec<Child>, u64) {
    view.show(notes, from);
    let mut out = Vec::new();
    let mut skipped = 0;
    let mut asked =
        notes.asked.iter().skip(notes.asked.partition_point(|a| (a.choice as usize) < from));
    let mut said = BTreeSet::new();
    for (i, drawn) in choices.iter().enumerate().skip(from) {
        if out.len() >= enough {
            break;
        }
        let mut add = |value: u64| {
            if value != drawn.value {
                out.push(Child { choice: i as u32, deviation: Drawn { value, ..*drawn }.into() });
            }
        };
        match drawn.span {
            Span::Turn(n) | Span::TurnOf(n, _) => {
                let Some(a) = asked.next() else { continue };
                for value in (0..u64::from(n)).filter(|v| *v != drawn.value) {
                    if !prune || view.turn_matters(notes, a, value as usize) {
                        add(value);
                    } else {
                        skipped += 1;
                    }
                }
            }
            // One choice may be asked for several times, under the same ordinal.
            _ if !said.insert((drawn.object, drawn.ordinal, drawn.point)) => {}
            Span::Alternatives(n) | Span::Trouble(n) => (0..u64::from(n)).for_each(&mut add),
            // From the others on, the order is the same.
            Span::Slot(n) => {
                (0..if prune { n.into() } else { GROUP_SLOTS as u64 }).for_each(&mut add)
            }
            Span::Chance(_) => (0..2).for_each(&mut add),
            Span::Yield(_) => {
                if !prune || view.others_matter(notes, i) {
                    add(1);
                } else {
                    skipped += 1;
                }
            }
            Span::Rank | Span::Place => add(0),
            Span::Range(_, max) => {
                latencies(notes, choices, i, &mut add);
                add(max);
            }
            Span::Bits => {}
        }
    }
    (out, skipped)
}

/// Latencies with which a request or its reply comes just after something else.
fn latencies(notes: &Notes, choices: &[Drawn], i: usize, add: &mut impl FnMut(u64)) {
    let drawn = &choices[i];
    let Span::Range(_, max) = drawn.span else { return };
    let before = match drawn.point {
        "request-latency" => 0,
        "response-latency" => choices[i - 1].value,
        // It holds for all that is delivered for a while; what comes before what is left to chance.
        "watch-latency" => return between(drawn, add),
        _ => return,
    };
    let step = notes.steps.partition_point(|s| s.choices as usize <= i).saturating_sub(1);
    let Some(sent) = notes.steps.get(step).map(|s| s.at.as_nanos() + before) else { return };
    let mut last = sent + drawn.value;
    let mut times = Vec::new();
    for s in &notes.steps[step..] {
        let at = s.at.as_nanos();
        if at + 1 >= sent + max {
            break;
        }
        if at > last {
            times.push(at + 1 - sent);
            last = at;
        }
    }
    let stride = times.len().div_ceil(LATENCIES).max(1);
    times.into_iter().step_by(stride).for_each(add);
}

/// A few values between the ends of a range.
fn between(drawn: &Drawn, add: &mut impl FnMut(u64)) {
    let Span::Range(min, max) = drawn.span else { return };
    (1..=LATENCIES as u64).for_each(|i| add(min + (max - min) / (LATENCIES as u64 + 1) * i));
}

/// The steps of a run in tables that answer questions; they are used for one run after the other.
#[derive(Default)]
pub(super) struct View {
    /// The step in which the first choice of interest was made; nobody asks about those before it.
    first: usize,
    /// The step of each event, plus one; 0 for one that did not run.
    step_of: Vec<u32>,
    /// A few bits of what each step from the first on touched, and of what it wrote.
    bits: Vec<(u64, u64)>,
    /// Steps that one leads to, each plus one.
    led: Vec<u32>,
}

impl View {
    fn show(&mut self, notes: &Notes, from: usize) {
        let Self { first, step_of, bits, .. } = self;
        step_of.clear();
        bits.clear();
        *first = notes.steps.partition_point(|s| s.choices as usize <= from).saturating_sub(1);
        for (i, step) in notes.steps.iter().enumerate().skip(*first) {
            if step_of.len() <= step.event as usize {
                step_of.resize(step.event as usize + 1, 0);
            }
            step_of[step.event as usize] = i as u32 + 1;
            let (mut all, mut written) = (0, 0);
            for touch in notes.touched_by(i) {
                let bit = 1 << (touch.key().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58);
                all |= bit;
                written |= if touch.writes() { bit } else { 0 };
            }
            bits.push((all, written));
        }
    }

    fn depend(&self, notes: &Notes, a: usize, b: usize) -> bool {
        let ((all, written), (others, theirs)) =
            (self.bits[a - self.first], self.bits[b - self.first]);
        (written & others != 0 || theirs & all != 0) && notes.depend(a, b)
    }

    /// Whether it can make a difference that all others of this instant come before the rest of the
    /// step that made a choice, and so before what that rest leads to, which itself cannot come before it.
    fn others_matter(&self, notes: &Notes, choice: usize) -> bool {
        let step = notes.steps.partition_point(|s| s.choices as usize <= choice).saturating_sub(1);
        let Some(at) = notes.steps.get(step).map(|s| s.at) else { return false };
        let rest = notes.went_on.binary_search_by_key(&(choice as u32 + 1), |went| went.0);
        let of_rest = rest.map_or(u32::MAX, |i| notes.went_on[i].1);
        // What the rest of the step leads to, and all that it touched and wrote.
        let (mut led, mut touched, mut written) = (Vec::<u32>::new(), 0, 0);
        let mut others =
            notes.steps.iter().enumerate().skip(step + 1).take_while(|(_, s)| s.at == at);
        others.any(|(i, s)| {
            let own = self.bits[i - self.first];
            let is_first = s.posted_in as usize == step + 1 && s.event >= of_rest;
            if is_first || led.binary_search(&s.posted_in).is_ok() {
                led.push(i as u32 + 1);
                (touched, written) = (touched | own.0, written | own.1);
                return false;
            }
            let meets = written & own.0 != 0 || own.1 & touched != 0;
            let mut before = led.iter().map(|led| *led as usize - 1).filter(|_| meets);
            self.depend(notes, step, i) || before.any(|led| self.depend(notes, led, i))
        })
    }

    /// Whether it can make a difference that another candidate gets a turn.
    fn turn_matters(&mut self, notes: &Notes, asked: &Asked, value: usize) -> bool {
        let candidates =
            &notes.candidates[asked.from as usize..(asked.from + asked.count) as usize];
        let (before, event) = (&candidates[..value], candidates[value]);
        // Of workers that are alike, the first stands for all.
        let stands = notes
            .alike(event)
            .is_none_or(|kind| !before.iter().any(|b| notes.alike(*b) == Some(kind)));
        stands && self.matters(notes, asked.step as usize, event)
    }

    /// Whether it can make a difference that an event comes before a step.
    fn matters(&mut self, notes: &Notes, step: usize, event: u32) -> bool {
        let Some(there) = self.step_of.get(event as usize).and_then(|s| s.checked_sub(1)) else {
            return true;
        };
        let there = there as usize;
        if self.depend(notes, step, there) {
            return true;
        }
        // What it leads to in this instant could come before the step, too.
        let at = notes.steps[step].at;
        self.led.clear();
        self.led.push(there as u32 + 1);
        for (i, s) in notes.steps.iter().enumerate().skip(there + 1).take_while(|(_, s)| s.at == at)
        {
            if self.led.contains(&s.posted_in) {
                if self.depend(notes, step, i) {
                    return true;
                }
                self.led.push(i as u32 + 1);
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Chan, Kernel, Keys, Name};
    use std::rc::Rc;

    /// How often it is worth a try that others go before a send. Somebody waits for it, and then sends on by the second
    /// channel; one more looks, last of all, into one of the two.
    fn pauses(looks: Option<usize>) -> usize {
        let mut kernel = Kernel::searching(Choices::default_order());
        let (ctx, group) = (kernel.ctx(), kernel.ctx().group());
        let name = |what| Name::of(what, Keys::NOTHING);
        let chans: Rc<[Chan<u8>; 2]> = Rc::new([Chan::new(&ctx, 1), Chan::new(&ctx, 1)]);
        let c = chans.clone();
        ctx.spawn_named(name("taker"), group, async move {
            let _ = c[1].try_send(c[0].recv().await);
        });
        if let Some(into) = looks {
            let (own, c) = (ctx.clone(), chans.clone());
            ctx.spawn_named(name("looker"), group, async move {
                own.after_others().await;
                let _ = c[into].len();
            });
        }
        let own = ctx.clone();
        ctx.spawn_named(name("giver"), group, async move {
            own.yield_point(own.point("pause"), 0).await;
            let _ = chans[0].try_send(7);
        });
        while kernel.step() {}
        let (notes, choices) = kernel.searched();
        let view = &mut View::default();
        let (children, _) = few_children(view, &notes, &choices, 0, true, usize::MAX);
        children.iter().filter(|c| c.deviation.point == "pause").count()
    }

    /// Who waits for the send cannot go before it. One who goes before it anyway can make a difference: to the
    /// channel, or to what the first one does behind the send, which came first.
    #[test]
    fn nobody_goes_before_what_wakes_him() {
        assert_eq!([None, Some(0), Some(1)].map(pauses), [0, 1, 1]);
    }
}
