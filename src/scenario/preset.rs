//! Texts that come with the program: fault models, of which every figure has its source beside it in the
//! file, or is called assumed there, and the scenario that `taintsim init` writes.

use super::loaded::Loaded;
use super::resolve::{group_of, no_group};
use crate::scenario::prelude::*;

/// The presets by name.
const PRESETS: [(&str, &str); 6] = [
    ("on-prem", include_str!("presets/on-prem.ron")),
    ("cloud", include_str!("presets/cloud.ron")),
    ("spot", include_str!("presets/spot.ron")),
    ("edge", include_str!("presets/edge.ron")),
    ("grid", include_str!("presets/grid.ron")),
    ("lab", include_str!("presets/lab.ron")),
];

/// The text of a preset.
///
/// # Errors
/// There is none of that name.
pub(crate) fn preset_text(name: &str) -> Result<&'static str, Problem> {
    let found = PRESETS.iter().find(|(n, _)| *n == name);
    found.map(|(_, text)| *text).ok_or_else(|| {
        Problem::new(format!("there is no preset `{name}`")).meant(name, PRESETS.map(|(n, _)| n))
    })
}

/// Gives a scenario the faults of a preset in place of its own. Models of groups that the plan's
/// nodes do not form are left out: the sentences say which.
///
/// # Errors
/// There is no preset of that name, or nothing of it fits.
pub(crate) fn use_preset(
    loaded: &mut Loaded,
    plan: &Plan,
    name: &str,
) -> Result<Vec<String>, Problem> {
    let text = preset_text(name)?;
    let wrong = || Problem::new(format!("the preset `{name}` cannot be read: please report it"));
    let mut faults: Faults = Tree::read(text).map_err(|_| wrong())?.typed().map_err(|_| wrong())?;
    let mut notes = Vec::new();
    faults.models.retain(|model| match missing(model, plan) {
        None => true,
        Some(what) => {
            notes.push(format!("`{}` of the preset {name} is left out: {what}", model.name));
            false
        }
    });
    if faults.models.is_empty() {
        return Err(Problem::new(format!("nothing of the preset {name} fits here")));
    }
    loaded.spec.faults = Some(faults);
    Ok(notes)
}

/// Why a model makes no sense for these nodes.
fn missing(model: &FaultModel, plan: &Plan) -> Option<String> {
    let groups = model.groups.as_ref().filter(|g| **g != FaultGroups::Cluster)?;
    let is_in_none = |n: &NodePlan| group_of(groups, &n.labels).is_none();
    plan.nodes.iter().all(is_in_none).then(|| no_group(groups))
}

/// A commented scenario that runs as it stands.
pub(crate) fn starter() -> &'static str {
    include_str!("starter.ron")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Overrides, build, drawn, parse};
    use std::path::Path;

    #[test]
    fn every_preset_can_be_drawn() {
        let text = r#"Scenario(version: 1, horizon: "720h", nodes: [(names: "{a,b}-{0..2}", zone: "a", labels: {"rack": "1"})])"#;
        for (name, _) in PRESETS {
            let mut loaded = parse("p.ron", text.as_bytes().to_vec(), Path::new("")).unwrap();
            let plan = build(&loaded, &Overrides::default()).unwrap();
            let notes = use_preset(&mut loaded, &plan, name).unwrap();
            assert_eq!(notes, [] as [&str; 0], "{name}");
            let drawn = drawn(&loaded, &Overrides::default()).expect(name);
            assert!(!drawn.models.list.is_empty());
        }
        let error = preset_text("onprem").unwrap_err();
        assert_eq!(error.help.as_deref(), Some("did you mean `on-prem`?"));
    }

    /// A label that no node has is no mistake of a preset.
    #[test]
    fn what_does_not_fit_is_left_out_and_said() {
        let text = r#"Scenario(version: 1, horizon: "1h", nodes: [(names: "a-{0..2}")])"#;
        let mut loaded = parse("p.ron", text.as_bytes().to_vec(), Path::new("")).unwrap();
        let plan = build(&loaded, &Overrides::default()).unwrap();
        let notes = use_preset(&mut loaded, &plan, "on-prem").unwrap();
        assert_eq!(notes, ["`rack` of the preset on-prem is left out: no node has a label `rack`"]);
    }

    #[test]
    fn the_starter_builds() {
        let loaded =
            parse("starter.ron", super::starter().as_bytes().to_vec(), Path::new("")).unwrap();
        let plan = build(&loaded, &Overrides::default()).unwrap();
        // Two zones of five nodes; 20 web pods on them, and an agent on each node.
        assert_eq!((plan.nodes.len(), plan.pods.len()), (10, 30));
        assert_eq!(plan.timeline.len(), 2);
    }
}
