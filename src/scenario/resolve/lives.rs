//! What is said of a pod's containers: their images, their probes, what these see, and ends.

use super::prelude::*;
use crate::api::container::{Container, Image, MAIN, Role};
use crate::api::probe::{Life, Probe, ProbeType};
use crate::api::validation;
use crate::language::PullPolicy;

/// How long a pull takes where the node has the image and nothing else is said.
const CHECK: Dur = Dur::from_millis(500);

/// An image, as far as it can be read.
pub(super) fn image(written: &language::Image, place: &Spot) -> Option<Rc<Image>> {
    let check = place.maybe("check", written.check.as_ref(), |text| values::span(text));
    let size = place.maybe("size", written.size.as_ref(), checks::amount)?;
    Some(Rc::new(Image {
        name: checks::image_name(&written.name, &place.part("name"))?,
        pull: how_long(&written.pull, &place.part("pull"))?,
        check: check?.unwrap_or(CHECK),
        size: size.map_or(0, |q| i64::try_from(q.value()).unwrap_or(i64::MAX)),
        always: written.image_pull_policy == Some(PullPolicy::Always),
    }))
}

/// The containers of a template beside its main one: init containers first.
pub(super) fn containers(
    written: &language::PodTemplate,
    profile: &Profile,
    place: &Spot,
) -> Vec<Container> {
    let mut names = BTreeSet::from([MAIN]);
    let lists = [
        ("initContainers", &written.init_containers, true),
        ("containers", &written.containers, false),
    ];
    let mut all = Vec::new();
    for (field, list, init) in lists {
        for (place, of) in place.part(field).each(list) {
            let name = place.part("name");
            if let [first, ..] = &validation::dns1123_label(&of.name)[..] {
                name.say(first);
            }
            if !names.insert(&of.name) {
                name.say(format!("another container is called {:?}", of.name));
            }
            all.push(container(of, init, profile, &place));
        }
    }
    all
}

/// One of them.
fn container(
    written: &language::Container,
    init: bool,
    profile: &Profile,
    place: &Spot,
) -> Container {
    let role = match (init, written.restart_policy) {
        (true, None) => Role::Init,
        (true, Some(language::ContainerRestartPolicy::Always)) => Role::Sidecar,
        (false, None) => Role::Beside,
        (false, Some(_)) => {
            place.part("restartPolicy").say("may not be set for non-init containers");
            Role::Beside
        }
    };
    match role {
        Role::Init => check_init(written, place),
        Role::Sidecar => check_sidecar(written, profile, place),
        Role::Beside => {}
    }
    Container {
        name: Rc::from(&*written.name),
        role,
        image: written.image.as_ref().and_then(|i| image(i, &place.part("image"))),
        life: life(&Written::of_container(written), place).unwrap_or_default(),
    }
}

/// An init container that is no sidecar ends, and is not probed (`validateInitContainers`).
fn check_init(written: &language::Container, place: &Spot) {
    for (_, field, _) in probes(written) {
        let text = "may not be set for init containers without restartPolicy=Always";
        place.part(field).say(text);
    }
    match &written.ends {
        None => {
            let text = "what comes after an init container waits for its end";
            let help = "say when it ends, `ends: (after: \"5s\")`, or make it a sidecar, `restartPolicy: Always`";
            place.add_name(Problem::new(text).help(help));
        }
        Some(ends) if ends.ran.is_some() => {
            place.part("ends").part("ran").say("no init container runs when the run begins");
        }
        Some(_) => {}
    }
}

/// Where the API server drops what makes a sidecar of it, it is an init container that is not probed; what it drops itself is no
/// mistake.
fn check_sidecar(written: &language::Container, profile: &Profile, place: &Spot) {
    let dropped = |field| profile.dropped_fields.get(&field);
    let Some(gate) = dropped(ApiField::ContainerRestartPolicy) else { return };
    let unknown = dropped(ApiField::StartupProbe).is_some();
    for (which, field, _) in probes(written) {
        if which == ProbeType::Startup && unknown {
            continue;
        }
        let release = &profile.release;
        let text = format!("may not be set for init containers in {release}: it has no sidecars");
        let help = match gate {
            Some(gate) => format!("leave it out, or `feature_gates: {{\"{gate}\": true}}`"),
            None => "leave it out; sidecars are there from 1.29 on".to_owned(),
        };
        place.part(field).add(Problem::new(text).help(help));
    }
}

/// The probes that are written of a container.
fn probes(of: &language::Container) -> impl Iterator<Item = WrittenProbe<'_>> {
    Written::of_container(of).probes.into_iter().filter(|(.., probe)| probe.is_some())
}

/// Which it is, its field, and what is written there.
type WrittenProbe<'a> = (ProbeType, &'static str, Option<&'a language::Probe>);

/// What is written of a container's life.
pub(super) struct Written<'a> {
    probes: [WrittenProbe<'a>; 3],
    serves_after: &'a Option<HowLong>,
    serves_for: &'a Option<HowLong>,
    ends: Option<&'a language::Ends>,
}

/// Takes that from whatever has the fields of a container.
macro_rules! written {
    ($of:expr) => {
        Self {
            probes: [
                (ProbeType::Liveness, "livenessProbe", $of.liveness_probe.as_ref()),
                (ProbeType::Readiness, "readinessProbe", $of.readiness_probe.as_ref()),
                (ProbeType::Startup, "startupProbe", $of.startup_probe.as_ref()),
            ],
            serves_after: &$of.serves_after,
            serves_for: &$of.serves_for,
            ends: $of.ends.as_ref(),
        }
    };
}

impl<'a> Written<'a> {
    /// Of a template's main container.
    pub(super) fn of_template(of: &'a language::PodTemplate) -> Self {
        written!(of)
    }

    /// Of one beside it.
    fn of_container(of: &'a language::Container) -> Self {
        written!(of)
    }
}

/// The probes of a container and the rest of its life, if there is any of it.
pub(super) fn life(written: &Written<'_>, place: &Spot) -> Option<Rc<Life>> {
    let probes = written
        .probes
        .map(|(which, field, probe)| Some(read_probe(which, probe?, &place.part(field))));
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
        (span("serves_after", written.serves_after), span("serves_for", written.serves_for));
    let ends = written.ends.and_then(|ends| {
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
    let ran = written.ends.and_then(|e| place.part("ends").read("ran", &e.ran, values::span));
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
