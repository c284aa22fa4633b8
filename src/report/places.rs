//! Where upstream's source does what the steps of a run did: files, functions and their lines, release by release.
//!
//! `places.ron` is written, and held to upstream's source, by `extra/recorder/cited`.

use super::html::board::Steps;
use serde::Deserialize;
use std::sync::OnceLock;

/// The first and the last line of a function in a release.
type Lines = (String, u32, u32);

/// A function, and which steps are its work.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// The process that takes such a step, or `any`.
    process: String,
    /// Words of what it writes: a line begins with the first and has the others, and none begins with what stands behind a `!`. Where there are no words, it
    /// is any step of the process.
    wrote: String,
    function: String,
    /// By file.
    at: Vec<(String, Vec<Lines>)>,
}

fn table() -> &'static [Row] {
    static TABLE: OnceLock<Vec<Row>> = OnceLock::new();
    TABLE.get_or_init(|| ron::from_str(include_str!("places.ron")).unwrap_or_default())
}

/// A function whose work steps of a run are.
pub(crate) struct Acting {
    row: &'static Row,
    /// What sets one of the steps apart, as a replay marks it; less is more.
    rank: usize,
    /// The processes that took them, and when.
    who: Vec<(String, Vec<f64>)>,
}

/// The functions whose work these steps are, from when people or machines first do something: those of what a violation is about first, then those of the
/// component that it is about, which processes are named by, and otherwise in the order in which they come.
pub(crate) fn acting(steps: &Steps, component: &str) -> Vec<Acting> {
    let is_user = |at: f64, process: &str| at > 0.0 && process == "timeline";
    let begins = steps.steps.iter().find(|s| is_user(s.at, &steps.processes[s.process]));
    let begins = begins.map_or(0.0, |step| step.at);
    let mut all: Vec<Acting> = Vec::new();
    for step in steps.steps.iter().filter(|step| step.at >= begins) {
        let process = &steps.processes[step.process];
        let rank = match step.mark {
            Some("fault") => 0,
            _ if !component.is_empty() && sender(process).starts_with(component) => 1,
            _ => 2,
        };
        for row in table().iter().filter(|row| row.is_of(process, &step.wrote)) {
            let same = |a: &Acting| a.row.function == row.function && a.row.at == row.at;
            let place = all.iter().position(same).unwrap_or_else(|| {
                all.push(Acting { row, rank, who: Vec::new() });
                all.len() - 1
            });
            let acting = &mut all[place];
            acting.rank = acting.rank.min(rank);
            match acting.who.iter_mut().find(|(who, _)| who == process) {
                Some((_, times)) if times.contains(&step.at) => {}
                Some((_, times)) => times.push(step.at),
                None => acting.who.push((process.clone(), vec![step.at])),
            }
        }
    }
    all.sort_by_key(|acting| acting.rank);
    all
}

impl Row {
    /// Whether a step that wrote these lines is its work.
    fn is_of(&self, process: &str, wrote: &[String]) -> bool {
        let words = self.wrote.split_whitespace();
        let (not, words): (Vec<&str>, Vec<&str>) = words.partition(|word| word.starts_with('!'));
        let has = |line: &String| {
            words.first().is_some_and(|word| line.starts_with(*word))
                && words.iter().all(|word| line.contains(*word))
        };
        (self.process == sender(process) || self.process == "any")
            && (words.is_empty() || wrote.iter().any(has))
            && !wrote.iter().any(|line| not.iter().any(|word| line.starts_with(&word[1..])))
    }
}

/// Which of a controller's processes it is. Requests are named by who sent them, and processes with what they are about: `request of eviction:default/db-0`.
fn sender(process: &str) -> &str {
    let process = process.strip_prefix("request of ").unwrap_or(process);
    process.split(':').next().unwrap_or(process)
}

impl Acting {
    /// Where it is in these releases, as `extra/recorder/cited` reads it; none where they do not have it.
    pub(crate) fn cited(&self, releases: &[&str]) -> Option<String> {
        let of = |(file, lines): &(String, Vec<Lines>)| {
            let mut cited = format!("`{file}: {}`", self.row.function);
            let wanted = lines.iter().filter(|(release, ..)| releases.contains(&release.as_str()));
            let before = cited.len();
            for (release, first, last) in wanted {
                cited += &format!(", {release} lines {first} to {last}");
            }
            (cited.len() > before).then_some(cited)
        };
        let cited: Vec<String> = self.row.at.iter().filter_map(of).collect();
        (!cited.is_empty()).then(|| cited.join("; "))
    }

    /// Who did it, and when.
    pub(crate) fn by(&self) -> String {
        let one = |(who, times): &(String, Vec<f64>)| {
            let told: Vec<String> = times.iter().take(SHOWN).map(|t| format!("{t:.6} s")).collect();
            let more = match times.len().saturating_sub(SHOWN) {
                0 => String::new(),
                1 => " and once more".to_owned(),
                more => format!(" and {more} times more"),
            };
            format!("`{who}` at {}{more}", told.join(", "))
        };
        self.who.iter().map(one).collect::<Vec<_>>().join("; ")
    }
}

/// How many times of a step are told.
const SHOWN: usize = 3;

/// The release whose lines are known for another patch of the same minor release.
pub(crate) fn known(release: &str) -> Option<&'static str> {
    let minor = |r: &str| r.split('.').take(2).collect::<Vec<_>>().join(".");
    releases().find(|known| minor(known) == minor(release))
}

/// The newest release whose lines are known, previews left out.
pub(crate) fn newest() -> Option<&'static str> {
    releases().filter(|r| !r.contains('-')).last()
}

/// The releases whose lines are known, oldest first: those of a function that each of them has.
fn releases() -> impl Iterator<Item = &'static str> {
    let all = |row: &&Row| row.function == "monitorNodeHealth";
    let row = table().iter().find(all);
    row.into_iter().flat_map(|r| &r.at).flat_map(|(_, lines)| lines).map(|(r, ..)| r.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::html::board::Taken;

    fn steps(process: &str, wrote: &str, mark: Option<&'static str>) -> Steps {
        let wrote = vec![wrote.to_owned()];
        let step = Taken { at: 1.5, process: 0, saw: Vec::new(), wrote, mark };
        Steps { title: String::new(), processes: vec![process.to_owned()], steps: vec![step] }
    }

    /// The lines are those of upstream's source, which docs/upstream-reports.md cites as well.
    #[test]
    fn a_retry_of_taint_eviction_is_in_its_handler() {
        let who = "request of eviction:default/db-0";
        let found =
            acting(&steps(who, "reads default/db-0: 404 NotFound", Some("fault")), "eviction");
        let cited: Vec<String> =
            found.iter().filter_map(|a| a.cited(&["v1.20.15", "v1.34.4"])).collect();
        let old = "pkg/controller/nodelifecycle/scheduler/taint_manager.go";
        let new = "pkg/controller/tainteviction/taint_eviction.go";
        assert_eq!(
            cited,
            [
                format!(
                    "`{old}: deletePodHandler`, v1.20.15 lines 102 to 120; `{new}: deletePodHandler`, v1.34.4 lines 107 to 127"
                ),
                format!("`{new}: addConditionAndDeletePod`, v1.34.4 lines 129 to 148"),
            ]
        );
        assert_eq!(found[0].by(), format!("`{who}` at 1.500000 s"));
    }

    #[test]
    fn what_a_step_wrote_says_whose_work_it_is() {
        let functions = |process: &str, wrote: &str| -> Vec<&str> {
            acting(&steps(process, wrote, None), "")
                .iter()
                .map(|a| a.row.function.as_str())
                .collect()
        };
        let unreachable = "node-taints zone-a +node.kubernetes.io/unreachable:NoExecute";
        assert_eq!(
            functions("request of node-lifecycle", unreachable),
            [
                "processTaintBaseEviction",
                "doNoExecuteTaintingPass",
                "markNodeAsReachable",
                "SwapNodeControllerTaint"
            ]
        );
        assert_eq!(functions("timeline", unreachable), [""; 0], "that is a user");
        assert_eq!(functions("drain", "eviction-refused default/web-0").len(), 2);
        let seen = ["handleNodeUpdate", "NodeUpdated", "AddWork", "processPodOnNode"];
        let both = Steps {
            steps: vec![Taken {
                at: 1.0,
                process: 0,
                saw: Vec::new(),
                wrote: ["taints-known a +m:NoExecute", "timer-set default/db-0 5s"]
                    .map(str::to_owned)
                    .into(),
                mark: None,
            }],
            ..steps("eviction-worker", "", None)
        };
        let both: Vec<Acting> = acting(&both, "");
        let both: Vec<&str> = both.iter().map(|a| a.row.function.as_str()).collect();
        assert!(seen.iter().all(|f| both.contains(f)), "{both:?}");
        assert!(!both.contains(&"handlePodUpdate"), "it is a node that was updated: {both:?}");
        assert_eq!(known("v1.34.12"), Some("v1.34.4"));
        assert_eq!(known("v1.38.0-alpha.0"), Some("v1.38.0-alpha.0"));
        assert_eq!(newest(), Some("v1.37.1"));
    }
}
