//! One run of a search, what is kept of it, and what a violation does not need of its tape.

use super::search::{Explore, Violated};
use crate::analysis::expect;
use crate::analysis::properties::decided;
use crate::analysis::stem;
use crate::kernel::choice::Drawn;
use crate::lab::prelude::*;
use std::hash::{Hash, Hasher};

/// A violation in a run.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
pub struct Found {
    /// The property.
    pub(crate) property: Property,
    /// The pod and node it is about, by name.
    pub(crate) about: String,
    /// Whose it is: the workload of the pod, or else the pod's name without its number; nobody's where it is about a
    /// node alone.
    pub(crate) whose: String,
    /// What happened.
    pub(crate) text: String,
}

impl Found {
    /// As the violation of one run.
    pub(crate) fn violated(&self, tape: Vec<Deviation>) -> Violated {
        Violated {
            property: self.property,
            about: self.about.clone(),
            whose: self.whose.clone(),
            text: self.text.clone(),
            runs: 1,
            changes: Vec::new(),
            tape,
            is_small: false,
            drawn: None,
        }
    }
}

/// What a complete run comes to.
#[derive(Clone, Default, Debug, Deserialize, Serialize)]
pub(super) struct Looked {
    /// What it violates.
    pub(super) found: Vec<Found>,
    /// Properties that it does not violate, and ends before a bound of theirs is over.
    pub(super) undecided: Vec<Property>,
}

/// A hasher with the same results in every run of the program.
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.0 = fold(self.0, u64::from(*b)));
    }

    fn write_u32(&mut self, x: u32) {
        self.0 = fold(self.0, u64::from(x));
    }

    fn write_u64(&mut self, x: u64) {
        self.0 = fold(self.0, x);
    }

    fn write_isize(&mut self, x: isize) {
        self.0 = fold(self.0, x as u64);
    }
}

/// A number for a trace: equal for traces whose records are the same, each with the same causes, in
/// whatever order those of one instant came, and in which a search held up the same.
pub fn digest(trace: &Trace) -> u64 {
    let mut hashes: Vec<u64> = Vec::with_capacity(trace.len());
    let mut sum = trace.len() as u64;
    for r in trace.iter() {
        let of = |id: u32| hashes.get(id as usize).copied().unwrap_or(1);
        let hash = fold(fold(r.at.as_nanos(), of(r.cause)), of(r.saw));
        let mut mixer = Mixer(fold(hash, u64::from(r.object) << 8 | u64::from(r.actor as u8)));
        match r.what {
            // What these refer to is listed in the order in which it came.
            What::NodeTaints(change) => {
                let change = &trace.taints[change as usize];
                (&change.added, &change.removed).hash(&mut mixer);
            }
            What::NodeMessage(message)
            | What::PodMessage(message)
            | What::WorkloadMessage(message)
            | What::ClaimMessage(message) => {
                let message = &trace.messages[message as usize];
                (message.body, message.combined, message.count).hash(&mut mixer);
            }
            what => what.hash(&mut mixer),
        }
        hashes.push(mixer.finish());
        sum = sum.wrapping_add(mixer.finish());
    }
    let held_up = trace.held_up.iter().map(|(at, lasts)| fold(at.as_nanos(), lasts.as_nanos()));
    held_up.fold(sum, u64::wrapping_add)
}

/// What a complete run comes to.
pub(super) fn look(
    search: &Explore<'_>,
    plan: &Plan,
    trace: &Trace,
    rerun: impl Fn() -> Trace,
) -> Looked {
    let (mut found, mut undecided) = (Vec::new(), Vec::new());
    if search.properties.is_empty() {
        return Looked::default();
    }
    let analysis = Analysis::new(plan, trace);
    for property in search.properties {
        let new = |about, text| Found { property: *property, about, whose: String::new(), text };
        if *property == Property::Deterministic {
            found.extend(differing(trace, &rerun()).map(|text| new(String::new(), text)));
            continue;
        }
        if *property == Property::Expect {
            let (unmet, is_open) = expect::decided(search.expect, &analysis);
            if unmet.is_empty() && is_open {
                undecided.push(*property);
            }
            let unmet = unmet.into_iter();
            found.extend(
                unmet.map(|(i, v)| Found { whose: i.to_string(), ..new(i.to_string(), v.text) }),
            );
            continue;
        }
        let (violated, is_open) = decided(property, &analysis);
        if violated.is_empty() && is_open {
            undecided.push(*property);
        }
        for v in violated {
            let pod = v.pod.map_or("", |p| trace.names.pod_name(p));
            let node = v.node.map_or("", |n| trace.names.node_name(n));
            let about = format!("{pod} {node}");
            if !found.iter().any(|f: &Found| f.property == *property && f.about == about) {
                let owner = v.pod.and_then(|p| trace.names.owner_of(p));
                let whose = owner.map_or_else(|| stem(pod), |w| trace.names.workload_name(w));
                found.push(Found { whose: whose.to_owned(), ..new(about, v.text) });
            }
        }
    }
    Looked { found, undecided }
}

/// Where two runs differ that should be the same.
fn differing(trace: &Trace, again: &Trace) -> Option<String> {
    if let Some((a, _)) = trace.iter().zip(again.iter()).find(|(a, b)| a != b) {
        return Some(format!("the same run again differs at {:.3} s", a.at.as_secs_f64()));
    }
    (trace.len() != again.len()).then(|| {
        format!("the same run again has {} records instead of {}", again.len(), trace.len())
    })
}

/// Runs a tape over the default order to its end.
pub(super) fn run(plan: &Plan, tape: &[Deviation]) -> Searched {
    sim::search(plan, Choices::tape(tape.to_vec(), Choices::default_order()))
}

/// The choices of a run that deviate from the default order.
pub(super) fn tape(choices: &[Drawn]) -> Vec<Deviation> {
    choices.iter().filter(|d| d.deviates()).map(|d| (*d).into()).collect()
}

/// Which violation: of what property, and for which objects ([`Found`]).
pub type Which<'a> = (Property, &'a str);

/// Whether the run of a tape has this violation, too; `text` gets what happens there. One that may not go on has not.
pub(super) fn violates(
    search: &Explore<'_>,
    searcher: &mut Searcher,
    ((property, about), tape): (Which<'_>, &[Deviation]),
    goes_on: GoesOn<'_>,
    text: &Cell<Option<String>>,
) -> bool {
    let choices = Choices::tape(tape.to_vec(), Choices::default_order());
    let searched = searcher.decided(choices, goes_on);
    let (plan, trace) = (searcher.plan(), &searched.trace);
    let all = match searched.known {
        true => Vec::new(),
        false => look(search, plan, trace, || run(plan, tape).trace).found,
    };
    searcher.take_back(searched);
    let found = all.into_iter().find(|f| f.property == property && f.about == about);
    let is_so = found.is_some();
    if is_so {
        text.set(found.map(|f| f.text));
    }
    is_so
}

/// A shorter tape whose run has this violation, too; whether no single deviation can be left out of it; and what
/// happens in its run, where it is another one. It ends where it may not go on.
pub fn shorter(
    search: &Explore<'_>,
    which: Which<'_>,
    tape: Vec<Deviation>,
    goes_on: GoesOn<'_>,
) -> (Vec<Deviation>, bool, Option<String>) {
    let properties = [which.0];
    let search = Explore { properties: &properties, ..search.clone() };
    let searcher = RefCell::new(Searcher::new((search.plan)()));
    let text = Cell::new(None);
    let is_so = |tape: &[Deviation]| {
        violates(&search, &mut searcher.borrow_mut(), (which, tape), goes_on, &text)
    };
    let (left, is_small) = fewest(tape, true, &is_so, goes_on);
    let text = text.into_inner();
    // Where others are left out there may be less to choose from: the tape has what was chosen in the end.
    let is_shorter = text.is_some() && !left.is_empty();
    let chosen = is_shorter.then(|| self::tape(&run(&(search.plan)(), &left).choices));
    (chosen.unwrap_or(left), is_small, text)
}

/// Fewer items of which the same is so, half of all left out at first and then ever smaller parts: single ones once, or
/// `until_none` can go. And whether it came to that.
pub fn fewest<T: Clone>(
    mut all: Vec<T>,
    until_none: bool,
    is_so: &dyn Fn(&[T]) -> bool,
    goes_on: GoesOn<'_>,
) -> (Vec<T>, bool) {
    let mut size = all.len().div_ceil(2);
    while size > 0 && !all.is_empty() {
        let (mut at, before) = (0, all.len());
        while at < all.len() {
            if !goes_on() {
                return (all, false);
            }
            let mut without = all.clone();
            without.drain(at..(at + size).min(all.len()));
            if is_so(&without) {
                all = without;
            } else {
                at += size;
            }
        }
        size = if until_none && size == 1 && all.len() < before { 1 } else { size / 2 };
    }
    (all, goes_on())
}
