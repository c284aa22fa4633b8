//! Paths to what holds for the whole run and is more than a field: `timing.watch`,
//! `flags.kubelet.FLAG`.

use super::edit::is_plain;
use crate::language::Problem;
use crate::language::flags::known as known_flags;
use crate::language::text::place::{Place, at};
use crate::language::text::tree::Value;
use crate::language::text::{Tree, did_you_mean_or_list};
use crate::language::{FlagValue, KubeletTiming, Scenario, Shape, Timing};

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

/// Makes the timing one whose kubelets' figures can be set.
pub(super) fn kubelet_timing(spec: &mut Scenario, path: &str) -> Result<(), Problem> {
    custom(spec, path)?;
    if let Some(Timing::Custom { kubelet, .. }) = &mut spec.timing {
        kubelet.get_or_insert(KubeletTiming::Real { pod_start: None, pod_stop: None, boot: None });
    }
    Ok(())
}

/// Makes the timing one whose figures can be set.
fn custom(spec: &mut Scenario, path: &str) -> Result<(), Problem> {
    if spec.timing == Some(Timing::Ideal) {
        return Err(Problem::new(format!(
            "`{path}`: the timing is `Ideal`, whose figures are fixed"
        ))
        .help("set `timing=typical` first"));
    }
    if !matches!(spec.timing, Some(Timing::Custom { .. })) {
        let custom = Tree::read("Custom()").map_err(|mistake| mistake.words())?;
        spec.timing = Some(custom.typed().map_err(|mistake| mistake.words())?);
    }
    Ok(())
}

/// Makes the timing one whose figures can be set; refuses what is no figure.
pub(super) fn custom_timing(spec: &mut Scenario, path: &str, figure: &str) -> Result<(), Problem> {
    let shape = Shape::of("Timing").within(&Value::word("Custom").into());
    let known = shape.fields().filter(|(_, shape)| is_plain(*shape));
    let known: Vec<&str> = known.map(|(name, _)| name).collect();
    if !known.contains(&figure) {
        return Err(Problem::new(format!(
            "`{figure}` is not a figure of the timing that can be set"
        ))
        .maybe_help(did_you_mean_or_list(figure, &known)));
    }
    custom(spec, path)
}

pub(super) fn flag_value(
    spec: &mut Scenario,
    component: &str,
    flag: &str,
    value: &str,
) -> Result<Place, Problem> {
    let name = component.replace('-', "_");
    let mut components: Vec<&str> = known_flags().map(|(c, _)| c).collect();
    components.dedup();
    let Some(&known) = components.iter().find(|c| **c == name) else {
        let shown: Vec<String> = components.iter().map(|c| c.replace('_', "-")).collect();
        let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
        return Err(Problem::new(format!("`{component}` is not a component"))
            .maybe_help(did_you_mean_or_list(component, &shown)));
    };
    let flags: Vec<&str> = known_flags().filter(|(c, _)| *c == known).map(|(_, f)| f).collect();
    let wanted = flag.replace('_', "-");
    let Some(&flag) = flags.iter().find(|f| **f == wanted) else {
        let problem = Problem::new(format!(
            "`{flag}` is not a flag of {} that is modelled",
            known.replace('_', "-")
        ));
        return Err(problem.maybe_help(did_you_mean_or_list(&wanted, &flags)));
    };
    let map = spec.flags.component_mut(known);
    map.insert(flag.to_owned(), FlagValue::Text(value.to_owned()));
    Ok(at!["flags", known, flag])
}
