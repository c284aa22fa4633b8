//! What an OrderedReady StatefulSet does not do while a pod of it is not Ready: pods with higher numbers
//! that are not there are not made (`pkg/controller/statefulset/stateful_set_control.go: processReplica`).

use super::prelude::*;

impl Case<'_, '_> {
    /// Notes which pods wait for this one, or for which this one waits that is not there.
    pub(super) fn in_order(&mut self) {
        let (of, analysis, state) = (self.of, self.analysis(), &self.seen.state);
        let Some((parent, number)) = parent_and_ordinal(analysis.pod_name(self.pod)) else {
            return;
        };
        let name = format!("StatefulSet/{parent}");
        let Some(set) = analysis.plan.workloads.iter().find(|w| w.name == name) else { return };
        let WorkloadSpec::StatefulSet { parallel: false, first_ordinal, .. } = set.spec else {
            return;
        };
        let id = analysis.trace.names.find_workload(&name);
        if state.is_available() || !analysis.plan.is_controlled(set.kind) {
            return;
        }
        let wanted = id.map_or(0, |id| of.wanted(id));
        let end = first_ordinal.saturating_add(i32::try_from(wanted).unwrap_or(i32::MAX));
        if !(first_ordinal..end).contains(&number) {
            return;
        }
        let pods = |numbers: std::ops::Range<i32>, is: &dyn Fn(PodState) -> bool| {
            let all = numbers.map(|n| format!("{parent}-{n}"));
            let state = |name: &String| {
                analysis.trace.names.find_pod(name).map(|p| of.now().pod(p)).unwrap_or_default()
            };
            all.filter(|name| is(state(name))).collect::<Vec<String>>()
        };
        let listed = |names: &[String]| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            (ranges(&names), if names.len() == 1 { "is" } else { "are" })
        };
        let set = format!("StatefulSet {parent} is OrderedReady");
        if !state.exists {
            let before = pods(first_ordinal..number, &|p| !p.is_available());
            if !before.is_empty() {
                let (names, are) = listed(&before);
                self.found.notes.push(format!(
                    "{names} {are} not Ready: {set}, and makes this one only once all before it are"
                ));
            }
        }
        let missing = pods(number.saturating_add(1)..end, &|p| !p.exists);
        if !missing.is_empty() {
            let (names, are) = listed(&missing);
            self.found
                .notes
                .push(format!("{set}: {names} {are} not made before this one is Ready"));
        } else if number + 1 < end {
            self.found.notes.push(format!(
                "{set}: should one with a higher number be lost, it is not made anew before this one is Ready"
            ));
        }
    }
}
