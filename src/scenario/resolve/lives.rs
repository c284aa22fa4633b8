//! What is said of the life of a pod's containers: probes, what they see, and ends.

use super::prelude::*;
use crate::api::probe::{Life, Probe, ProbeType};

/// The probes of a template and the rest of its containers' life, if there is any of it.
pub(super) fn life(written: &language::PodTemplate, place: &Spot) -> Option<Rc<Life>> {
    let probes = [
        (ProbeType::Liveness, "livenessProbe", &written.liveness_probe),
        (ProbeType::Readiness, "readinessProbe", &written.readiness_probe),
        (ProbeType::Startup, "startupProbe", &written.startup_probe),
    ]
    .map(|(which, field, probe)| Some(read_probe(which, probe.as_ref()?, &place.part(field))));
    let probed = probes.iter().any(Option::is_some);
    let span = |field: &'static str, written: &Option<HowLong>| {
        let place = place.part(field);
        if written.is_some() && !probed {
            let text = "nothing sees whether the container serves";
            place.add(Problem::new(text).help("a probe does: `readinessProbe: ()`"));
        }
        how_long(written.as_ref()?, &place)
    };
    let (serves_after, serves_for) =
        (span("serves_after", &written.serves_after), span("serves_for", &written.serves_for));
    let ends = written.ends.as_ref().and_then(|ends| {
        let place = place.part("ends");
        let code = ends.exit_code.unwrap_or(0);
        if !(0..=255).contains(&code) {
            place.part("exit_code").say("must be between 0 and 255, inclusive");
        }
        let after = how_long(&ends.after, &place.part("after"))?;
        if after.quantile(0.0).is_zero() {
            place.part("after").say("a container runs for some time before it ends");
            return None;
        }
        Some((after, code))
    });
    let ran =
        written.ends.as_ref().and_then(|e| place.part("ends").read("ran", &e.ran, values::span));
    let ran = ran.unwrap_or_default();
    (probed || ends.is_some())
        .then(|| Rc::new(Life { probes, serves_after, serves_for, ends, ran }))
}

/// A probe as the API accepts it (`pkg/apis/core/validation/validation.go`, `validateProbe`, `validateLivenessProbe`), with
/// its defaults (`pkg/apis/core/v1/defaults.go`, `SetDefaults_Probe`), which stand for 0, too.
fn read_probe(which: ProbeType, written: &language::Probe, place: &Spot) -> Probe {
    let number = |field: &'static str, value: Option<i32>, default: u32| {
        place.not_negative(field, value);
        value.and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0).unwrap_or(default)
    };
    let success_threshold = number("successThreshold", written.success_threshold, 1);
    if which != ProbeType::Readiness && success_threshold != 1 {
        place.part("successThreshold").say("must be 1");
    }
    let grace = written.termination_grace_period_seconds;
    let grace_place = place.part("terminationGracePeriodSeconds");
    if grace.is_some() && which == ProbeType::Readiness {
        grace_place.say("must not be set for readinessProbes");
    } else if grace.is_some_and(|g| g <= 0) {
        grace_place.say("must be greater than 0");
    }
    let seconds = |n: u32| Dur::from_secs(n.into());
    Probe {
        initial_delay: seconds(number("initialDelaySeconds", written.initial_delay_seconds, 0)),
        period: seconds(number("periodSeconds", written.period_seconds, 10)),
        success_threshold,
        failure_threshold: number("failureThreshold", written.failure_threshold, 3),
        grace: grace.map(|g| Dur::from_secs(g.unsigned_abs())),
    }
}
