//! What `plan` does not choose: tolerations of pods whose volumes are not simulated.

use super::prelude::*;
use crate::analysis::Frees;

/// Withholds what no run can know: how soon pods with volumes should be evicted. The successor of
/// such a pod waits for the volume, so that runs without volumes make a short toleration look
/// better than it is.
///
/// # Errors
/// A setting that changes the tolerations of pods with volumes.
pub(super) fn withhold(loaded: &Loaded, base: &Overrides, axes: &[Axis]) -> Result<()> {
    let plan = scenario::build(loaded, base)?;
    if plan.with_volumes().is_empty() {
        return Ok(());
    }
    for axis in axes {
        for value in &axis.values {
            let mut with = base.clone();
            with.sets.push(format!("{}={value}", axis.path));
            // What is wrong with a value is said by whoever runs it.
            let Ok(other) = scenario::build(loaded, &with) else { continue };
            if let Some(name) = changed(&plan, &other) {
                let text = format!(
                    "not known: what `{}` is worth to {name}, whose volumes are not simulated",
                    axis.path
                );
                return Err(Failure::input(
                    text,
                    format!(
                        "a new pod waits until its volume is detached from the lost node (that {}), \
                         and longer for a lost zone, so that an early eviction may gain nothing: leave it as it is; \
                         without `persistent_volumes: true` a scenario is planned as if there were none",
                        Frees::of(&plan).node()
                    ),
                ));
            }
        }
    }
    Ok(())
}

/// A workload with volumes whose tolerations are others.
fn changed<'a>(plan: &'a Plan, other: &Plan) -> Option<&'a str> {
    let templates = plan.templates.iter().zip(&other.templates);
    let mut changed = templates
        .enumerate()
        .filter(|(_, (a, b))| a.persistent_volumes && a.tolerations != b.tolerations);
    let (template, _) = changed.next()?;
    let is_its = |t: u32| t as usize == template;
    let workload = plan.workloads.iter().find(|w| is_its(w.template));
    let pod = plan.pods.iter().find(|p| is_its(p.template));
    workload.map(|w| w.name.as_str()).or(pod.map(|p| &*p.name))
}
