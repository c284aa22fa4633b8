//! Expectations held against a finished run: whether each is met, and if not, what was expected,
//! what came, and which records decided.
//!
//! All of it is a function of the trace. An expectation that speaks of pods that the run never had,
//! or of a property that does not exist, is neither met nor failed but [`Wrong`].

mod claims;
mod figures;
mod objects;
mod seen;
mod words;

use super::explain::Object;
use super::metrics::DEFAULT_NEEDLESS_WINDOW;
use super::properties;
use super::serving::Serving;
use super::setting::{Analysis, zone_name};
use super::summary::summary_and_serving;
use super::workloads::{Owners, Workloads, workloads};
use crate::api::names::{NodeId, TextId};
use crate::kernel::Time;
use crate::scenario::expectations::{Expectation, Expected, Stretch};
use crate::trace::{Actor, RecordId, What};
use std::cell::OnceCell;

/// The most records that are named for one expectation.
const RECORDS: usize = 6;

/// What became of an expectation in one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// Why it failed; none if it was met.
    pub failure: Option<Failed>,
}

/// Why an expectation failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failed {
    /// What was expected, in words.
    pub expected: String,
    /// What came instead.
    pub got: String,
    /// The records that decided it, in their order; a few at most.
    pub records: Vec<RecordId>,
    /// The object whose explanation says why, and until when it is to be told where not to the end.
    pub about: Option<(Object, Option<Time>)>,
}

impl Failed {
    /// A failure that one of its records explains.
    fn new(run: &Run<'_>, expected: String, got: String, records: Vec<RecordId>) -> Self {
        let analysis = run.analysis;
        let object = |id: RecordId| {
            let r = analysis.trace.get(id)?;
            let object = match r.what {
                What::Zone(_) => {
                    let zone = zone_name(analysis.trace.names.text_of(TextId(r.object)));
                    Object::Zone(
                        u16::try_from(analysis.zones.iter().position(|z| *z == zone)?).ok()?,
                    )
                }
                // The controller as a whole concluded that; any node's story has it.
                What::MasterDisruptionEntered | What::MasterDisruptionLeft
                    if analysis.node_count() > 0 =>
                {
                    Object::Node(NodeId(0))
                }
                _ => r.pod().map(Object::Pod).or(r.node().map(Object::Node))?,
            };
            Some((object, Some(r.at)))
        };
        // What the scheduler says of other pods in the same instant explains the least.
        let is_scheduler = |id: &&RecordId| {
            analysis
                .trace
                .get(**id)
                .is_some_and(|r| r.actor == Actor::Scheduler)
        };
        let about = records
            .iter()
            .find(|id| !is_scheduler(id))
            .or(records.first())
            .and_then(|&id| object(id));
        Self {
            expected,
            got,
            records,
            about,
        }
    }

    /// With another object, where one is known that says more.
    fn about(mut self, object: Option<Object>) -> Self {
        self.about = object.map(|o| (o, None)).or(self.about);
        self
    }
}

/// An expectation that cannot be held against a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    /// What is wrong with it.
    pub message: String,
    /// What may help.
    pub help: Option<String>,
}

/// What several expectations of one run share.
struct Run<'a> {
    analysis: &'a Analysis<'a>,
    owners: Owners,
    workloads: OnceCell<Workloads>,
    serving: OnceCell<Serving>,
}

impl Run<'_> {
    fn workloads(&self) -> &Workloads {
        self.workloads.get_or_init(|| workloads(self.analysis))
    }

    fn serving(&self) -> &Serving {
        self.serving
            .get_or_init(|| summary_and_serving(self.analysis, DEFAULT_NEEDLESS_WINDOW).1)
    }
}

/// What became of each expectation, in their order.
pub fn verdicts(
    expectations: &[Expectation],
    analysis: &Analysis<'_>,
) -> Vec<Result<Verdict, Wrong>> {
    let run = Run {
        analysis,
        owners: Owners::new(analysis),
        workloads: OnceCell::new(),
        serving: OnceCell::new(),
    };
    let mut hits = seen::find(&run, expectations).into_iter();
    let mut next = move || hits.next().unwrap_or_else(|| Ok(Vec::new()));
    expectations
        .iter()
        .map(|e| {
            let failure = match &e.what {
                Expected::Seen(sought) => seen::judge(&run, sought, &next()?),
                Expected::Order(parts) => {
                    let found = parts
                        .iter()
                        .map(|_| next())
                        .collect::<Result<Vec<_>, _>>()?;
                    seen::judge_order(&run, parts, &found)
                }
                Expected::Pending {
                    pods,
                    count,
                    at,
                    reason,
                } => objects::judge_pending(&run, pods, *count, *at, reason.as_deref())?,
                Expected::Figure {
                    comparison,
                    longest,
                    during,
                } => figures::judge(&run, comparison, *longest, *during),
                Expected::Always(claim, stretch) => claims::always(&run, claim, *stretch, true),
                Expected::Never(claim, stretch) => claims::always(&run, claim, *stretch, false),
                Expected::Eventually(claim, stretch) => claims::eventually(&run, claim, *stretch),
                Expected::Until(that, until, from) => claims::until(&run, that, until, *from),
                Expected::NeverProperty(name, stretch) => property(&run, name, *stretch, false)?,
                Expected::Violates(name, stretch) => property(&run, name, *stretch, true)?,
            };
            Ok(Verdict { failure })
        })
        .collect()
}

/// The expectations that a run does not meet, by their places in the list: what a search or a
/// replay takes for violations. One that has to be met in a share of the runs only, and one that
/// cannot be held against this run, is none.
pub fn violations(
    expectations: &[Expectation],
    analysis: &Analysis<'_>,
) -> Vec<(usize, properties::Violation)> {
    let all = verdicts(expectations, analysis)
        .into_iter()
        .zip(expectations)
        .enumerate();
    let failed = all
        .filter(|(_, (_, e))| e.share.is_none())
        .filter_map(|(i, (verdict, e))| Some((i, e, verdict.ok()?.failure?)));
    let violation = |(i, e, f): (usize, &Expectation, Failed)| {
        let last = f
            .records
            .iter()
            .filter_map(|&id| analysis.trace.get(id))
            .map(|r| r.at)
            .max();
        let violation = properties::Violation {
            property: properties::Property::Expect,
            at: last.unwrap_or(analysis.horizon()),
            pod: None,
            node: None,
            text: format!("{}: expected {}, got {}", e.kind, f.expected, f.got),
            records: f.records,
        };
        (i, violation)
    };
    failed.map(violation).collect()
}

/// A property, violated where it should not be, or the other way round.
fn property(
    run: &Run<'_>,
    name: &str,
    (from, to): Stretch,
    wanted: bool,
) -> Result<Option<Failed>, Wrong> {
    let property = properties::Property::parse(name).map_err(|e| Wrong {
        message: e.to_string(),
        help: None,
    })?;
    let mut found = properties::check(&property, run.analysis);
    found.retain(|v| (from..=to).contains(&v.at));
    let Some(first) = found.first().filter(|_| !wanted) else {
        let none = Failed::new(
            run,
            format!("a violation of {}", property.name()),
            "none".to_owned(),
            Vec::new(),
        );
        return Ok((wanted && found.is_empty()).then_some(none));
    };
    let more = if found.len() > 1 {
        format!(", and {} more", found.len() - 1)
    } else {
        String::new()
    };
    let got = format!("{}: {}{more}", words::time(first.at), first.text);
    let records = first.records.iter().copied().take(RECORDS).collect();
    Ok(Some(Failed::new(
        run,
        format!("no violation of {}", property.name()),
        got,
        records,
    )))
}

/// The records of one instant that are about pods that fit, a few at most.
fn records_at(
    run: &Run<'_>,
    at: Time,
    fits: impl Fn(&crate::trace::Record) -> bool,
) -> Vec<RecordId> {
    let all = run.analysis.trace.iter().enumerate();
    all.filter(|(_, r)| r.at == at && fits(r))
        .map(|(id, _)| id as RecordId)
        .take(RECORDS)
        .collect()
}
