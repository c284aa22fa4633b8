//! What a path leads to, in whatever way it is written: what is set there, and which workloads have it.

use super::apply::elements;
use super::called::{Called, Target, paths_of, quoted};
use super::known::settings;
use super::read::{Segment, segments, short};
use crate::scenario::prelude::*;

/// What is set at a path now, in whatever way that is written.
pub(crate) fn set_now(spec: &Scenario, plan: &Plan, path: &str) -> Option<String> {
    let paths = leads_to(spec, path)?;
    let [path] = &paths[..] else { return None };
    settings(spec, plan).into_iter().find(|s| s.path == *path)?.value
}

/// A group of workloads, and how it is called in paths.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct WorkloadsAt {
    pub(crate) called: String,
    /// Of each, `Kind/namespace/name`.
    pub(crate) names: BTreeSet<String>,
}

/// The group of workloads that a path leads into; none where it leads into several, or elsewhere.
pub(crate) fn workloads_at(spec: &Scenario, path: &str) -> Option<WorkloadsAt> {
    let all = segments(path).ok()?;
    let (first, rest) = all.split_first().filter(|(first, _)| first.name == "workloads")?;
    let (elements, _) = elements(first, rest, Target::Workloads, spec, path).ok()?;
    let [i] = elements[..] else { return None };
    let all = Called::all(Target::Workloads, spec);
    let path = paths_of(&first.name, &all).swap_remove(i);
    let called = path.strip_prefix("workloads.").unwrap_or(&path).trim_matches('"').to_owned();
    Some(WorkloadsAt { called, names: all[i].workloads() })
}

/// The paths, as [`settings`] has them, of all values that one leads to; none where it leads nowhere.
fn leads_to(spec: &Scenario, path: &str) -> Option<Vec<String>> {
    let all = segments(path).ok()?;
    let (first, rest) = all.split_first()?;
    let Some(target) = Target::of(&first.name) else {
        // A component may be written as its command or as a name of the language.
        let is_flag = first.name == "flags";
        return Some(vec![if is_flag { path.replace('_', "-") } else { path.to_owned() }]);
    };
    let (elements, fields) = elements(first, rest, target, spec, path).ok()?;
    let own = paths_of(&first.name, &Called::all(target, spec));
    let field = |f: &Segment| {
        let index = f.index.as_ref().map(|key| format!("[{}]", short(key)));
        format!(".{}{}", quoted(&f.name), index.unwrap_or_default())
    };
    let fields: String = fields.iter().map(field).collect();
    Some(elements.iter().map(|i| format!("{}{fields}", own[*i])).collect())
}
