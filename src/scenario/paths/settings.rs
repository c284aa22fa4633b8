//! Paths to what holds for the whole run: `timing.watch`, `flags.kubelet.FLAG`, `existing`.

use super::read::Segment;
use crate::language::Problem;
use crate::language::flags::known as known_flags;
use crate::language::text::did_you_mean_or_list;
use crate::language::text::place::{Place, at};
use crate::language::{DelayText, DurationText, Existing, FlagValue, Scenario, Timing};

pub(super) fn existing(value: &str) -> Result<Existing, Problem> {
    match value.trim().to_lowercase().as_str() {
        "rollout" => Ok(Existing::Rollout),
        "keep" => Ok(Existing::Keep),
        other => Err(
            Problem::new(format!("`{value}` is not what becomes of pods that exist"))
                .maybe_help(did_you_mean_or_list(other, &["keep", "rollout"])),
        ),
    }
}

pub(super) fn timing(value: &str, present: Option<&Timing>) -> Result<Timing, Problem> {
    match value.trim().to_lowercase().as_str() {
        "ideal" => Ok(Timing::Ideal),
        "typical" => Ok(Timing::Typical),
        "custom" => match present {
            Some(custom @ Timing::Custom { .. }) => Ok(custom.clone()),
            _ => Err(Problem::new("this scenario states no `Custom` timing")
                .help("set single figures: `timing.watch=20ms`")),
        },
        _ => Err(Problem::new(format!("`{value}` is not a timing"))
            .maybe_help(did_you_mean_or_list(value, &["ideal", "typical"]))),
    }
}

pub(super) fn timing_field(
    spec: &mut Scenario,
    path: &str,
    field: &str,
    value: &str,
) -> Result<(), Problem> {
    if spec.timing == Some(Timing::Ideal) {
        return Err(Problem::new(format!(
            "`{path}`: the timing is `Ideal`, whose figures are fixed"
        ))
        .help("set `timing=typical` first"));
    }
    if !matches!(spec.timing, Some(Timing::Custom { .. })) {
        let none = Timing::Custom {
            request: None,
            response: None,
            watch: None,
            pass_overhead: None,
            clients: None,
            kubelet: None,
            user: None,
        };
        spec.timing = Some(none);
    }
    let Some(Timing::Custom {
        request,
        response,
        watch,
        pass_overhead,
        ..
    }) = &mut spec.timing
    else {
        return Ok(());
    };
    match field {
        "request" => *request = Some(DelayText::from(value)),
        "response" => *response = Some(DelayText::from(value)),
        "watch" => *watch = Some(DelayText::from(value)),
        "pass_overhead" => *pass_overhead = Some(DurationText::from(value)),
        _ => {
            let known = ["request", "response", "watch", "pass_overhead"];
            return Err(Problem::new(format!(
                "`{field}` is not a figure of the timing that can be set"
            ))
            .maybe_help(did_you_mean_or_list(field, &known)));
        }
    }
    Ok(())
}

pub(super) fn flag_value(
    spec: &mut Scenario,
    component: &Segment,
    flag: &Segment,
    value: &str,
) -> Result<Vec<Place>, Problem> {
    let name = component.name.replace('-', "_");
    let mut components: Vec<&str> = known_flags().map(|(c, _)| c).collect();
    components.dedup();
    let Some(&known) = components.iter().find(|c| **c == name) else {
        let shown: Vec<String> = components.iter().map(|c| c.replace('_', "-")).collect();
        let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
        return Err(
            Problem::new(format!("`{}` is not a component", component.name))
                .maybe_help(did_you_mean_or_list(&component.name, &shown)),
        );
    };
    let flags: Vec<&str> = known_flags()
        .filter(|(c, _)| *c == known)
        .map(|(_, f)| f)
        .collect();
    let wanted = flag.name.replace('_', "-");
    let Some(&flag) = flags.iter().find(|f| **f == wanted) else {
        let problem = Problem::new(format!(
            "`{}` is not a flag of {} that is modelled",
            flag.name,
            known.replace('_', "-")
        ));
        return Err(problem.maybe_help(did_you_mean_or_list(&wanted, &flags)));
    };
    let map = match known {
        "kube_controller_manager" => &mut spec.flags.kube_controller_manager,
        "kube_apiserver" => &mut spec.flags.kube_apiserver,
        _ => &mut spec.flags.kubelet,
    };
    map.insert(flag.to_owned(), FlagValue::Text(value.to_owned()));
    Ok(vec![at!["flags", known, flag]])
}
