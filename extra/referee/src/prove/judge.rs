//! What recorded runs say of a property.

use super::recalled::trace_of;
use super::runs::Run;
use crate::conformance::lines;
use crate::recorded::Line;
use taintsim::analysis::Analysis;
use taintsim::analysis::properties::{Property, Violation, check};
use taintsim::kernel::Dur;
use taintsim::plan::Plan;
use taintsim::trace::Trace;

/// By what a property is judged.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum By {
    /// By the records of a recording, which have all that it looks at.
    Records,
    /// By a run that comes out as the tape up to the violation, and that violates this property by its records as well,
    /// of the same pod: what it looks at, only the controllers know.
    Tape(Option<Property>),
    /// By nothing that a recording has.
    Nothing(&'static str),
}

/// By what this one is judged.
pub(super) fn by(property: &Property) -> By {
    match property {
        Property::PodStuck { .. }
        | Property::NeedlessEviction
        | Property::TaintLost
        | Property::NeverReady { .. }
        | Property::EvictLoop { .. }
        | Property::FalseUnknown { .. }
        | Property::StaleReady { .. }
        | Property::BoundToCordoned { .. }
        | Property::TaintStale { .. } => By::Records,
        // No recording says in which state a zone is.
        Property::NeverTainted { .. } => By::Tape(None),
        // That a deletion was meant for another pod shows where nothing required it.
        Property::WrongPod => By::Tape(Some(Property::NeedlessEviction)),
        // That a countdown began anew shows where the pod stays for longer than it tolerates.
        Property::TimerReset => By::Tape(Some(Property::PodStuck(Dur::from_secs(1)))),
        Property::TimerStale { .. } => By::Nothing("a countdown that runs shows in no record"),
        Property::RunsTwice => By::Nothing("what containers do shows in no record"),
        Property::BudgetOverdrawn { .. } => {
            By::Nothing("what a budget's status says shows in no record")
        }
        Property::JobStalled { .. } | Property::NotReplaced { .. } => {
            By::Nothing("what workloads ask for shows in no record")
        }
        Property::Deterministic => By::Nothing("it is about two runs"),
        Property::Expect => By::Nothing("expectations are those of a scenario's own run"),
    }
}

/// What a tape does in the model.
pub(super) struct Tape<'a> {
    pub(super) plan: &'a Plan,
    pub(super) trace: &'a Trace,
    pub(super) property: Property,
    /// Its records.
    lines: Vec<Line>,
    /// What it violates.
    violations: Vec<Violation>,
}

/// What a recorded run comes to.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Judged {
    /// It comes out as the tape, record by record.
    pub(super) equal: bool,
    /// How it violates the property.
    pub(super) violates: Option<String>,
    /// Why that is not known.
    pub(super) unknown: Option<String>,
}

impl<'a> Tape<'a> {
    pub(super) fn new(plan: &'a Plan, trace: &'a Trace, property: Property) -> Self {
        let violations = check(&property, &Analysis::new(plan, trace));
        Self { plan, trace, property, lines: lines(trace), violations }
    }

    /// Its records, sorted as the recorder sorts them.
    pub(super) fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// How the tape itself violates the property.
    pub(super) fn violates(&self) -> Option<&str> {
        self.violations.first().map(|v| v.text.as_str())
    }

    /// Judges a recorded run.
    pub(super) fn judge(&self, run: &Run) -> Judged {
        let equal = run.lines == self.lines;
        let unknown = |why| Judged { equal, violates: None, unknown: Some(why) };
        let trace = match trace_of(&run.written, self.plan, self.trace) {
            Ok(trace) => trace,
            Err(why) => return unknown(why),
        };
        let analysis = Analysis::new(self.plan, &trace);
        let violates = match by(&self.property) {
            By::Records => check(&self.property, &analysis).into_iter().next().map(|v| v.text),
            By::Tape(None) => self.until(run).next().map(|v| v.text.clone()),
            By::Tape(Some(shown)) => {
                let shows = check(&shown, &analysis);
                let found = self.until(run).find(|v| self.is_shown(v, &shows, &analysis));
                if found.is_none() && self.until(run).next().is_some() {
                    return unknown(format!(
                        "up to the violation a run comes out as the tape, and its records do not show that it violates {shown}, too"
                    ));
                }
                found.map(|v| v.text.clone())
            }
            By::Nothing(why) => return unknown(why.to_owned()),
        };
        Judged { equal, violates, unknown: None }
    }

    /// The violations of the tape up to which a run comes out as the tape does, record by record.
    fn until(&self, run: &Run) -> impl Iterator<Item = &Violation> {
        let same = self.lines.iter().zip(&run.lines).take_while(|(a, b)| a == b).count();
        // The first that only one of them has.
        let parts = self.lines[same..].first().into_iter().chain(run.lines[same..].first());
        let parts = parts.map(Line::ms).min().unwrap_or(u64::MAX);
        self.violations.iter().filter(move |v| ms(v) < parts)
    }

    /// Whether a violation of the tape shows in the records as one of these, of the same pod, and where it is
    /// about a deletion, in the same millisecond.
    fn is_shown(&self, tape: &Violation, shows: &[Violation], recorded: &Analysis<'_>) -> bool {
        let own = Analysis::new(self.plan, self.trace);
        let whose = |v: &Violation, of: &Analysis<'_>| v.pod.map(|p| of.pod_name(p).to_owned());
        shows.iter().any(|v| {
            let same_time = self.property != Property::WrongPod || ms(v) == ms(tape);
            whose(v, recorded) == whose(tape, &own) && same_time
        })
    }
}

/// The millisecond of a violation.
fn ms(of: &Violation) -> u64 {
    of.at.as_nanos() / 1_000_000
}
