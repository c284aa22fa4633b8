//! What is asked of one pod, and what is found out about it.

use super::super::prelude::*;
use super::super::rules;
use super::inquiry::Inquiry;
use super::seen::{Moment, Seen, Timer, stay};

/// Why a pod is gone that a user deletes while it is Terminating.
pub(super) const FORCED: &str =
    "by force: no kubelet has said that its containers have stopped, and those that run go on";

/// One pod of an inquiry.
pub(super) struct Case<'c, 'a> {
    pub(super) of: &'c Inquiry<'a>,
    pub(super) pod: PodId,
    /// Its lives before the one that is told of.
    pub(super) before: &'c [Seen<'a>],
    /// What happened in that one.
    pub(super) seen: &'c Seen<'a>,
    /// The answer, as far as it is known.
    pub(super) found: Explanation,
}

impl<'c, 'a> Case<'c, 'a> {
    /// Of that life of a pod nothing is found yet.
    pub(super) fn new(of: &'c Inquiry<'a>, pod: PodId, lives: &'c [Seen<'a>], life: usize) -> Self {
        let object = format!("pod {}", of.question.analysis.pod_name(pod));
        let found = Explanation { object, ..Explanation::default() };
        Case { of, pod, before: &lives[..life], seen: &lives[life], found }
    }

    pub(super) fn analysis(&self) -> &'a Analysis<'a> {
        self.of.question.analysis
    }

    /// What is found, and the steps that led to it.
    pub(super) fn tell(&mut self, verdict: String, steps: impl IntoIterator<Item = Step>) {
        self.found.verdict = verdict;
        self.found.steps = steps.into_iter().collect();
    }

    /// ` from b-03`, with such a word before the node; nothing where there is no node.
    pub(super) fn place(&self, word: &str, node: Option<NodeId>) -> String {
        node.map_or(String::new(), |n| format!(" {word} {}", self.analysis().node_name(n)))
    }

    /// That it was created, and bound last, as steps.
    pub(super) fn came(&self) -> impl Iterator<Item = Step> + use<'c, 'a> {
        let (of, seen) = (self.of, self.seen);
        let came = seen.created.iter().chain(seen.bound.last());
        came.map(|m| of.step(m, None))
    }

    /// Adds a moment as a step.
    pub(super) fn step(&mut self, m: &Moment<'_>, rule: Option<String>) {
        self.found.steps.push(self.of.step(m, rule));
    }

    /// Adds what other seconds of its toleration of a taint would have changed.
    pub(super) fn remedy(&mut self, text: String, taint: &str, seconds: &str) {
        let set = self.of.origins().seconds_path(self.pod, taint, seconds);
        self.found.remedies.push(Remedy { text, set });
    }

    /// The toleration that decided on the seconds of a timer, where the pod has it from, and how long the timer had
    /// run before a run that goes on with it.
    pub(super) fn timer_rule(&self, timer: &Timer<'_>) -> Option<String> {
        let t = self.of.deciding(&timer.set).flatten()?;
        let ran = stay(t).saturating_sub(timer.due().since(timer.set.at)).as_secs();
        let ran = timer.beyond.map(|_| short(Dur::from_secs(ran))).filter(|_| ran > 0);
        let left = ran.map_or(String::new(), |ran| format!(", set {ran} before: this is left"));
        Some(format!("{}{}{left}", rules::toleration(t), self.of.origins().source(self.pod, t)))
    }
}
