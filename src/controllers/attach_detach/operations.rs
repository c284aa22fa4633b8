//! Which operations run, and which have to wait after they failed
//! (`nestedpendingoperations.go`, `exponential_backoff.go`).

use crate::controllers::prelude::*;

/// `initialDurationBeforeRetry`
const INITIAL_DURATION_BEFORE_RETRY: Dur = Dur::from_millis(500);
/// `maxDurationBeforeRetry`
const MAX_DURATION_BEFORE_RETRY: Dur = Dur::from_secs(122);

/// What an operation does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operation {
    Attach,
    Detach,
}

/// What an operation is about: a volume, and where several nodes may have it, the node.
pub(super) type Key = (VolumeId, Option<NodeId>);

struct Entry {
    key: Key,
    operation: Operation,
    is_pending: bool,
    /// When it last failed, and for how long it is not tried again.
    failed: Option<(Time, Dur)>,
}

impl Entry {
    fn backs_off(&self, now: Time) -> Option<Time> {
        self.failed.map(|(at, pause)| at + pause).filter(|until| now <= *until)
    }
}

/// The operations of a controller.
#[derive(Default)]
pub(super) struct Operations(Vec<Entry>);

impl Operations {
    /// `isOperationExists`
    fn find(&self, key: Key) -> Option<usize> {
        let mut found = None;
        for (i, e) in self.0.iter().enumerate() {
            let same_node = e.key.1.is_none() || key.1.is_none() || e.key.1 == key.1;
            if e.key.0 == key.0 && same_node {
                if e.is_pending {
                    return Some(i);
                }
                if found.is_none() || e.key.1 == key.1 {
                    found = Some(i);
                }
            }
        }
        found
    }

    /// `IsOperationPending`
    pub(super) fn is_pending(&self, key: Key) -> bool {
        self.find(key).is_some_and(|i| self.0[i].is_pending)
    }

    /// `IsOperationSafeToRetry`
    pub(super) fn is_safe_to_retry(&self, key: Key, operation: Operation, now: Time) -> bool {
        self.find(key).is_none_or(|i| {
            let e = &self.0[i];
            !e.is_pending && (e.operation != operation || e.backs_off(now).is_none())
        })
    }

    /// Until when an operation waits that failed.
    pub(super) fn waits_until(&self, key: Key, operation: Operation, now: Time) -> Option<Time> {
        let e = &self.0[self.find(key)?];
        e.backs_off(now).filter(|_| !e.is_pending && e.operation == operation)
    }

    /// `Run`: whether the operation begins; not while one runs or it has to wait.
    pub(super) fn begin(&mut self, key: Key, operation: Operation, now: Time) -> bool {
        let new = Entry { key, operation, is_pending: true, failed: None };
        let Some(i) = self.find(key) else {
            self.0.push(new);
            return true;
        };
        if !self.is_safe_to_retry(key, operation, now) {
            return false;
        }
        let e = &mut self.0[i];
        if e.operation != operation && e.backs_off(now).is_some() {
            *e = new;
        } else {
            (e.key, e.is_pending) = (key, true);
        }
        true
    }

    /// `operationComplete`
    pub(super) fn complete(&mut self, key: Key, failed: bool, now: Time) {
        let Some(i) = self.0.iter().position(|e| e.key == key) else { return };
        if !failed {
            self.0.swap_remove(i);
            return;
        }
        let e = &mut self.0[i];
        e.is_pending = false;
        let pause = e.failed.map_or(INITIAL_DURATION_BEFORE_RETRY, |(_, pause)| {
            (pause + pause).min(MAX_DURATION_BEFORE_RETRY)
        });
        e.failed = Some((now, pause));
    }
}
