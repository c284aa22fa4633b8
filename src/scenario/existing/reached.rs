//! Which pods a setting reaches, and the sentence about them.

/// Pod groups that a setting reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reached {
    /// Places in [`Scenario::pods`](crate::language::Scenario::pods).
    pub(super) groups: Vec<usize>,
    /// The rest of the sentence about them, behind "3 existing pods".
    pub(super) said: String,
}

impl Reached {
    /// The sentence, with the numbers of pods that the groups stand for; nothing if there are none.
    pub(crate) fn sentence(&self, pods: &dyn Fn(usize) -> usize) -> Option<String> {
        let count: usize = self.groups.iter().map(|&i| pods(i)).sum();
        (count > 0).then(|| {
            format!("{count} existing {}{}", if count == 1 { "pod" } else { "pods" }, self.said)
        })
    }
}
