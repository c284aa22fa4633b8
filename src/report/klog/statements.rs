//! What the controllers say: `statements.ron` is the table of all messages, with their levels and
//! their places in upstream's source.

use super::format::{Severity, Value, Values};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// What can be said.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
pub(super) enum Said {
    PodDeleted,
    PodUpdated,
    NodeUpdated,
    TaintsKnown,
    TaintsGone,
    NotTolerated,
    ToleratesForever,
    ToleratesForeverAlready,
    DeletingPod,
    ManagerDeletingPod,
    AddingItem,
    CancellingItem,
    WorkExists,
    WorkExistsOfArgs,
    WorkExistsWarning,
    Firing,
    Finished,
    Failed,
    NodeCreated,
    NodeDeleted,
    QueuedNotReady,
    QueuedUnresponsive,
    HealthyRemoved,
    HealthyRemoving,
    NotUpdated,
    AllDark,
    SomeReady,
    ZoneInState,
    ZoneMetric,
    PodsOfNode,
    PodNotReady,
    NodeEvent,
    StatusChange,
    TaintAdded,
    TaintAbsent,
    Event,
    Bound,
    Unschedulable,
    Orphaned,
    OrphanedDeleted,
    Unscheduled,
    UnscheduledDeleted,
    ForceDeleting,
    TooFew,
}

/// Who says something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
pub(super) enum Speaker {
    Eviction,
    Worker,
    Lifecycle,
    Helpers,
    Broadcaster,
    Scheduler,
    PodGc,
    ReplicaSet,
}

/// A message of a controller.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Statement {
    pub(super) by: Speaker,
    /// The level of the log from which on it is written.
    pub(super) level: u8,
    #[serde(default)]
    pub(super) severity: Severity,
    /// Its text where keys and values stand behind it.
    #[serde(default)]
    pub(super) message: String,
    /// The same in free words, with values by their keys, where no more is said.
    #[serde(default)]
    words: String,
    /// File and line of each form; one place is that of every form.
    places: Vec<(String, u32)>,
}

impl Said {
    /// What the table has of it.
    pub(super) fn statement(self) -> Option<&'static Statement> {
        static TABLE: OnceLock<BTreeMap<Said, Statement>> = OnceLock::new();
        let read = || ron::from_str(include_str!("statements.ron")).unwrap_or_default();
        TABLE.get_or_init(read).get(&self)
    }
}

impl Statement {
    /// Where a form of it is in the source.
    pub(super) fn place(&self, form: usize) -> (&str, u32) {
        let place = self.places.get(form).or(self.places.first());
        place.map_or(("", 0), |(file, line)| (file, *line))
    }

    /// Its free words with these values in them.
    pub(super) fn words(&self, values: Values<'_>) -> String {
        let put = |words: String, (key, value): &(&str, Value)| {
            words.replace(&format!("{{{key}}}"), value.plain())
        };
        values.iter().fold(self.words.clone(), put)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_all_that_is_said() {
        let table: BTreeMap<Said, Statement> =
            ron::from_str(include_str!("statements.ron")).expect("the table can be read");
        let said: Vec<u8> = table.into_keys().map(|said| said as u8).collect();
        assert_eq!(said, (0..=Said::TooFew as u8).collect::<Vec<_>>());
    }

    #[test]
    fn values_stand_where_their_keys_are() {
        let words = |said: Said, value: &str| {
            said.statement()
                .map(|s| s.words(&[("pod", Value::Text(value.to_owned()))]))
                .expect("it is there")
        };
        assert_eq!(
            words(Said::PodDeleted, "a/{pod}"),
            "Noticed pod deletion: types.NamespacedName{a/{pod}}"
        );
        assert_eq!(
            words(Said::TaintsGone, "p"),
            "All taints were removed from the Node {node}. Cancelling all evictions..."
        );
    }
}
