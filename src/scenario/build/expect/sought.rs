//! What records are looked for, how often, and when.

use super::{Reader, actor, from_start, said, with_index};
use crate::api::pod::{PodConditionType, PodPhase};
use crate::api::taint::Effect;
use crate::kernel::{Dur, Time};
use crate::scenario::build::complaints::Complaints;
use crate::scenario::build::nodes::{condition_kind, status, with};
use crate::scenario::build::values;
use crate::scenario::expectations::{Count, Kind, Sought, Stretch, TaintSought, Times};
use crate::scenario::problem::{Problem, did_you_mean_or_list};
use crate::scenario::spec::{self, Common, FlagValue, Window};
use crate::scenario::syntax::Place;
use crate::trace::{EvictionCause, ZoneState};

/// By what pods are evicted; any cause where none is named.
fn evicted_by(
    by: Option<&str>,
    place: &Place,
    complaints: &mut Complaints,
) -> Option<Option<EvictionCause>> {
    let Some(by) = by else { return Some(None) };
    let found = EvictionCause::ALL.into_iter().find(|c| c.as_str() == by);
    if found.is_none() {
        let help = did_you_mean_or_list(by, &EvictionCause::ALL.map(EvictionCause::as_str));
        complaints.add(
            with(place, "by"),
            Problem::new(format!("nothing evicts under the name `{by}`")).maybe_help(help),
        );
    }
    found.map(Some)
}

impl Reader<'_> {
    /// What records are looked for; `Some(None)` where the expectation is not about records.
    pub(super) fn sought(
        &self,
        e: &spec::Expectation,
        place: &Place,
        complaints: &mut Complaints,
    ) -> Option<Option<Sought>> {
        use spec::Expectation as E;
        let (what, common) = match e {
            E::Evicted(s) => (
                Kind::Evicted {
                    by: evicted_by(s.by.as_deref(), place, complaints)?,
                },
                s.common(),
            ),
            E::NotEvicted(s) => (
                Kind::Evicted {
                    by: evicted_by(s.by.as_deref(), place, complaints)?,
                },
                s.common(),
            ),
            E::Deleted(s) => {
                if let Some(by) = &s.by {
                    actor(by, &with(place, "by"), complaints)?;
                }
                (Kind::Deleted { by: s.by.clone() }, s.common())
            }
            E::Gone(s) => (Kind::Gone, s.common()),
            E::Created(s) => (Kind::Created, s.common()),
            E::Bound(s) => (Kind::Bound, s.common()),
            E::Phase(s) => (Kind::Phase(phase(s.phase)), s.common()),
            E::PodCondition(s) => (
                Kind::PodCondition(pod_condition(s.kind), status(s.status)),
                s.common(),
            ),
            E::TimerSet(s) => (Kind::TimerSet, s.common()),
            E::TimerCancelled(s) => (Kind::TimerCancelled, s.common()),
            E::EvictionFailed(s) => (Kind::EvictionFailed, s.common()),
            E::Tainted(s) => (
                Kind::Tainted(taint(&s.taint, place, complaints)?),
                s.common(),
            ),
            E::Untainted(s) => (
                Kind::Untainted(taint(&s.taint, place, complaints)?),
                s.common(),
            ),
            E::Condition(s) => (
                Kind::Condition(condition_kind(s.kind), status(s.status)),
                s.common(),
            ),
            E::Cordoned(s) => (Kind::Unschedulable(true), s.common()),
            E::Uncordoned(s) => (Kind::Unschedulable(false), s.common()),
            E::ZoneState(s) => {
                for (field, given) in [("node", s.node.is_some()), ("nodes", s.nodes.is_some())] {
                    if given {
                        complaints.say(
                            with(place, field),
                            "a zone has a state, not its nodes; name it with `zone`",
                        );
                        return None;
                    }
                }
                (Kind::Zone(zone_state(s.state), s.zone.clone()), s.common())
            }
            E::MasterDisruption(s) => {
                for (field, given) in [
                    ("node", s.node.is_some()),
                    ("nodes", s.nodes.is_some()),
                    ("zone", s.zone.is_some()),
                ] {
                    if given {
                        complaints.say(with(place, field), "master disruption is about all zones");
                        return None;
                    }
                }
                (
                    Kind::MasterDisruption {
                        entered: s.state == spec::DisruptionState::Entered,
                    },
                    s.common(),
                )
            }
            E::Event(s) => (
                Kind::Event {
                    reason: s.reason.clone(),
                    message: s.message.clone(),
                    object: s.object.clone(),
                },
                s.common(),
            ),
            E::Pending(_)
            | E::Order(_)
            | E::AtLeast(_)
            | E::AtMost(_)
            | E::Equal(_)
            | E::Always(_)
            | E::Never(_)
            | E::Violates(_)
            | E::Eventually { .. }
            | E::Until { .. }
            | E::Mostly { .. } => return Some(None),
        };
        let count = match e {
            E::NotEvicted(_) => Some(Count {
                least: 0,
                most: 0,
                each: false,
            }),
            _ => count(common.count, place, complaints),
        };
        let times = self.times(&common, place, complaints);
        let count = count.map(|count| match (&times, common.count) {
            (Some(times), None) if !times.at.is_empty() => {
                let n = times.at.iter().map(|t| t.0).sum();
                Count {
                    least: n,
                    most: n,
                    each: false,
                }
            }
            _ => count,
        });
        let pods = self.pods(&common, place, complaints);
        let mut nodes = self.nodes(&common, place, complaints);
        if matches!(what, Kind::Zone(..)) {
            nodes = nodes.map(|_| None);
        }
        let is_about_pods = !matches!(
            what,
            Kind::Tainted(_)
                | Kind::Untainted(_)
                | Kind::Condition(..)
                | Kind::Unschedulable(_)
                | Kind::Zone(..)
                | Kind::MasterDisruption { .. }
        );
        let (count, pods, nodes, times) = (count?, pods?, nodes?, times?);
        let nothing_selected = if is_about_pods {
            pods.is_none()
        } else {
            nodes.is_none()
        };
        if count.each && nothing_selected {
            let all = if is_about_pods {
                "`pods: All`"
            } else {
                "`nodes: All`"
            };
            complaints.add(
                with(place, "count"),
                Problem::new("\"all\" of what is not said").help(format!("select some, or {all}")),
            );
            return None;
        }
        Some(Some(Sought {
            what,
            pods,
            nodes,
            count,
            times,
        }))
    }

    pub(super) fn times(
        &self,
        c: &Common<'_>,
        place: &Place,
        complaints: &mut Complaints,
    ) -> Option<Times> {
        let one =
            |text: Option<&spec::TimeText>, field: &str, complaints: &mut Complaints| match text {
                None => Some(None),
                Some(text) => self
                    .moment(text.as_str(), &with(place, field), complaints)
                    .map(Some),
            };
        let window = |w: Option<&Window>, field: &str, complaints: &mut Complaints| match w {
            None => Some(None),
            Some(w) => self.window(w, &with(place, field), complaints).map(Some),
        };
        let mut at = Some(Vec::new());
        for text in c.at.iter().flat_map(|t| t.texts()) {
            let (times, rest) = repeated(text);
            let time = self.moment(rest, &with(place, "at"), complaints);
            at = at.zip(time).map(|(mut all, t)| {
                all.push((times, t));
                all
            });
        }
        let (after, before) = (
            one(c.after, "after", complaints),
            one(c.before, "before", complaints),
        );
        let (between, first) = (
            window(c.between, "between", complaints),
            window(c.first, "first", complaints),
        );
        let during = window(c.during, "during", complaints);
        let spread = match c.spread {
            None => Some(None),
            Some(text) => complaints
                .take(with(place, "spread"), spread(text))
                .map(Some),
        };
        let (mut after, mut before, between) = (after?, before?, between?);
        if between.is_some() && (after.is_some() || before.is_some()) {
            complaints.say(
                with(place, "between"),
                "`between` is `after` and `before` in one; give it alone",
            );
            return None;
        }
        if let (Some(a), Some(b)) = (after, before)
            && a > b
        {
            complaints.say(
                with(place, "before"),
                format!(
                    "this window is empty: it begins at {} and ends at {}",
                    from_start(a),
                    from_start(b)
                ),
            );
            return None;
        }
        if let Some((a, b)) = between {
            (after, before) = (Some(a), Some(b));
        }
        Some(Times {
            at: at?,
            after,
            before,
            first: first?,
            spread: spread?,
            during: during?.unwrap_or((Time::ZERO, self.horizon)),
        })
    }

    /// A time that lies in the run.
    pub(super) fn moment(
        &self,
        text: &str,
        place: &Place,
        complaints: &mut Complaints,
    ) -> Option<Time> {
        let time = said(self.moments.moment(text), place.clone(), complaints)?;
        if time > self.horizon {
            self.beyond(place.clone(), time, complaints);
            return None;
        }
        Some(time)
    }

    pub(super) fn beyond(&self, place: Place, time: Time, complaints: &mut Complaints) {
        let message = format!(
            "{} is beyond the end of the run, {}",
            from_start(time),
            from_start(self.horizon)
        );
        complaints.add(place, Problem::new(message).help("make `horizon` longer"));
    }

    pub(super) fn window(
        &self,
        (from, to): &Window,
        place: &Place,
        complaints: &mut Complaints,
    ) -> Option<Stretch> {
        let (a, b) = (
            self.moment(from.as_str(), &with_index(place, 0), complaints),
            self.moment(to.as_str(), &with_index(place, 1), complaints),
        );
        let (a, b) = (a?, b?);
        if a > b {
            complaints.say(
                place.clone(),
                format!(
                    "this window is empty: it begins at {} and ends at {}",
                    from_start(a),
                    from_start(b)
                ),
            );
            return None;
        }
        Some((a, b))
    }
}

pub(super) fn count(
    written: Option<&FlagValue>,
    place: &Place,
    complaints: &mut Complaints,
) -> Option<Count> {
    let between = |least, most| Count {
        least,
        most,
        each: false,
    };
    let number = |text: &str, open: u64| {
        if text.trim().is_empty() {
            Some(open)
        } else {
            text.trim().parse().ok()
        }
    };
    let read = match written {
        None => Some(between(1, u64::MAX)),
        Some(FlagValue::Int(n)) => u64::try_from(*n).ok().map(|n| between(n, n)),
        Some(FlagValue::Text(text)) if text == "all" => Some(Count {
            least: 1,
            most: u64::MAX,
            each: true,
        }),
        Some(FlagValue::Text(text)) => match text.split_once("..") {
            Some((least, most)) => number(least, 0)
                .zip(number(most, u64::MAX))
                .map(|(a, b)| between(a, b)),
            None => text.trim().parse().ok().map(|n| between(n, n)),
        },
        Some(FlagValue::Bool(_) | FlagValue::Float(_)) => None,
    };
    let Some(read) = read else {
        let problem = Problem::new("this is not a number of times")
            .help("one of `3`, `\"2..5\"`, `\"2..\"`, `\"..5\"`, `\"all\"`");
        complaints.add(with(place, "count"), problem);
        return None;
    };
    if read.least > read.most {
        complaints.say(with(place, "count"), "this range is empty");
        return None;
    }
    Some(read)
}

/// `3x 10m` is three times `10m`.
fn repeated(text: &str) -> (u64, &str) {
    let number = text
        .split_once('x')
        .and_then(|(n, rest)| Some((n.trim().parse().ok()?, rest.trim_start())));
    number.filter(|(n, _)| *n > 0).unwrap_or((1, text))
}

fn spread(text: &str) -> Result<(Dur, Dur), Problem> {
    let bound = |text: &str, open: Dur| {
        if text.trim().is_empty() {
            Ok(open)
        } else {
            values::span(text.trim())
        }
    };
    let (least, most) = match text.split_once("..") {
        Some((least, most)) => (
            bound(least, Dur::ZERO)?,
            bound(most, Dur::from_nanos(u64::MAX))?,
        ),
        None => (values::span(text)?, values::span(text)?),
    };
    if least > most {
        Err(Problem::new(format!("{text} runs backwards")))
    } else {
        Ok((least, most))
    }
}

fn taint(text: &str, place: &Place, complaints: &mut Complaints) -> Option<TaintSought> {
    let (rest, effect) = match text.split_once(':') {
        Some((rest, effect)) => (rest, Some(effect)),
        None => (text, None),
    };
    let (key, value) = match rest.split_once('=') {
        Some((key, value)) => (key, Some(value.to_owned())),
        None => (rest, None),
    };
    let parsed = effect.map(Effect::parse);
    if key.is_empty() || parsed == Some(None) {
        let help = "\"key:Effect\", \"key=value:Effect\" or \"key\"; the effects are NoSchedule, PreferNoSchedule and NoExecute";
        complaints.add(
            with(place, "taint"),
            Problem::new(format!("`{text}` is not a taint")).help(help),
        );
        return None;
    }
    Some(TaintSought {
        key: key.to_owned(),
        value,
        effect: parsed.flatten(),
    })
}

fn phase(phase: spec::Phase) -> PodPhase {
    match phase {
        spec::Phase::Pending => PodPhase::Pending,
        spec::Phase::Running => PodPhase::Running,
        spec::Phase::Succeeded => PodPhase::Succeeded,
        spec::Phase::Failed => PodPhase::Failed,
    }
}

fn pod_condition(kind: spec::PodConditionType) -> PodConditionType {
    match kind {
        spec::PodConditionType::Ready => PodConditionType::Ready,
        spec::PodConditionType::DisruptionTarget => PodConditionType::DisruptionTarget,
    }
}

fn zone_state(state: spec::ZoneState) -> ZoneState {
    match state {
        spec::ZoneState::Normal => ZoneState::Normal,
        spec::ZoneState::PartialDisruption => ZoneState::PartialDisruption,
        spec::ZoneState::FullDisruption => ZoneState::FullDisruption,
    }
}
