//! What the controllers say, with the places in upstream's source: the table of all messages, their
//! levels, files and numbers of lines.
//!
//! A message has as many places as there are forms of it, the newest first. The taint eviction
//! controller has three: those of 1.34, 1.26 and 1.20; its timed workers those of 1.34, 1.32 and
//! 1.26. Where there are two, the first one has keys and values behind the message, and the second
//! one is in free words. One place is that of every form.

/// A file of upstream's and the number of a line in it.
pub(super) type Place = (&'static str, u32);

/// A message of a controller.
#[derive(Clone, Copy)]
pub(super) struct Statement<const FORMS: usize> {
    /// The level of the log from which on it is written.
    pub(super) level: u8,
    /// Its text where keys and values stand behind it.
    pub(super) message: &'static str,
    /// Where each form of it is in the source.
    pub(super) places: [Place; FORMS],
}

impl<const FORMS: usize> Statement<FORMS> {
    /// The same at another level.
    pub(super) const fn at_level(self, level: u8) -> Self {
        Statement { level, ..self }
    }
}

const LIFECYCLE: &str = "node_lifecycle_controller.go";
const HELPERS: &str = "controller_utils.go";
const WORKERS: &str = "timed_workers.go";
const EVICTION: &str = "taint_eviction.go";
const MANAGER: &str = "taint_manager.go";
const POD_GC: &str = "gc_controller.go";

const fn eviction(level: u8, message: &'static str, lines: [u32; 3]) -> Statement<3> {
    Statement {
        level,
        message,
        places: [(EVICTION, lines[0]), (MANAGER, lines[1]), (MANAGER, lines[2])],
    }
}

const fn worker(level: u8, message: &'static str, lines: [u32; 3]) -> Statement<3> {
    Statement {
        level,
        message,
        places: [(WORKERS, lines[0]), (WORKERS, lines[1]), (WORKERS, lines[2])],
    }
}

const fn lifecycle(level: u8, message: &'static str, lines: [u32; 2]) -> Statement<2> {
    Statement { level, message, places: [(LIFECYCLE, lines[0]), (LIFECYCLE, lines[1])] }
}

const fn helper(level: u8, message: &'static str, lines: [u32; 2]) -> Statement<2> {
    Statement { level, message, places: [(HELPERS, lines[0]), (HELPERS, lines[1])] }
}

const fn single(level: u8, message: &'static str, place: Place) -> Statement<1> {
    Statement { level, message, places: [place] }
}

// The taint eviction controller.
pub(super) const POD_DELETED: Statement<3> = eviction(4, "Noticed pod deletion", [500, 417, 385]);
pub(super) const POD_UPDATED: Statement<3> = eviction(4, "Noticed pod update", [515, 432, 400]);
pub(super) const NODE_UPDATED: Statement<3> = eviction(4, "Noticed node update", [551, 467, 435]);
pub(super) const TAINTS_KNOWN: Statement<3> =
    eviction(4, "Updating known taints on node", [556, 472, 440]);
pub(super) const TAINTS_GONE: Statement<3> = eviction(
    4,
    "All taints were removed from the node. Cancelling all evictions...",
    [577, 493, 461],
);
pub(super) const NOT_TOLERATED: Statement<3> =
    eviction(2, "Not all taints are tolerated after update for pod on node", [466, 384, 352]);
pub(super) const TOLERATES_FOREVER: Statement<3> = eviction(
    4,
    "Current tolerations for pod tolerate forever, cancelling any scheduled deletion",
    [475, 393, 361],
);
pub(super) const DELETING_POD: Statement<1> = single(0, "Deleting pod", (EVICTION, 111));
pub(super) const MANAGER_DELETING_POD: Statement<1> =
    single(0, "NoExecuteTaintManager is deleting pod", (MANAGER, 106));

// Its timed workers.
pub(super) const ADDING_ITEM: Statement<3> =
    worker(4, "Adding TimedWorkerQueue item and to be fired at firedTime", [136, 123, 119]);
pub(super) const CANCELLING_ITEM: Statement<3> =
    worker(4, "Cancelling TimedWorkerQueue item", [175, 142, 138]);
pub(super) const WORK_EXISTS: Statement<3> =
    worker(4, "Trying to add already existing work, skipping", [133, 128, 124]);
pub(super) const FIRING: Statement<1> = single(4, "Firing worker", (WORKERS, 113));
pub(super) const FINISHED: Statement<1> = single(4, "Worker finished, removing", (WORKERS, 117));
pub(super) const FAILED: Statement<1> =
    single(0, "TaintEvictionController: timed worker failed", (WORKERS, 67));

// The node lifecycle controller.
pub(super) const NODE_CREATED: Statement<2> =
    lifecycle(1, "Controller observed a new Node", [675, 810]);
pub(super) const NODE_DELETED: Statement<2> =
    lifecycle(1, "Controller observed a Node deletion", [683, 822]);
pub(super) const QUEUED_NOT_READY: Statement<2> =
    lifecycle(2, "Node is NotReady. Adding it to the Taint queue", [781, 909]);
pub(super) const QUEUED_UNRESPONSIVE: Statement<2> =
    lifecycle(2, "Node is unresponsive. Adding it to the Taint queue", [791, 922]);
pub(super) const HEALTHY_REMOVED: Statement<2> =
    lifecycle(2, "Node is healthy again, removed all taints", [799, 933]);
pub(super) const HEALTHY_REMOVING: Statement<2> =
    lifecycle(2, "Node is healthy again, removing all taints", [799, 933]);
pub(super) const NOT_UPDATED: Statement<2> = lifecycle(4, "Node hasn't been updated", [952, 1132]);
pub(super) const ALL_DARK: Statement<2> = lifecycle(
    0,
    "Controller detected that all Nodes are not-Ready. Entering master disruption mode",
    [1025, 1204],
);
pub(super) const SOME_READY: Statement<2> = lifecycle(
    0,
    "Controller detected that some Nodes are Ready. Exiting master disruption mode",
    [1044, 1231],
);
pub(super) const ZONE_STATE: Statement<2> =
    lifecycle(0, "Controller detected that zone is now in new state", [1067, 1254]);
pub(super) const ZONE_METRIC: Statement<2> =
    lifecycle(0, "Initializing eviction metric for zone", [1221, 1438]);

// What node controllers share.
pub(super) const PODS_OF_NODE: Statement<2> =
    helper(2, "Update ready status of pods on node", [123, 122]);
pub(super) const POD_NOT_READY: Statement<2> =
    helper(2, "Updating ready status of pod to false", [144, 140]);
pub(super) const NODE_EVENT: Statement<2> =
    helper(2, "Recording event message for node", [173, 172]);
pub(super) const STATUS_CHANGE: Statement<2> =
    helper(2, "Recording status change event message for node", [186, 185]);
pub(super) const TAINT_ADDED: Statement<2> = helper(4, "Added taint to node", [211, 209]);
pub(super) const TAINT_ABSENT: Statement<2> =
    helper(4, "Made sure that node has no taint", [223, 221]);

// The broadcaster of events.
pub(super) const EVENT: Statement<3> = Statement {
    level: 0,
    message: "Event occurred",
    places: [("event.go", 389), ("event.go", 294), ("event.go", 278)],
};

// The scheduler.
pub(super) const BOUND: Statement<3> = Statement {
    level: 2,
    message: "Successfully bound pod to node",
    places: [("schedule_one.go", 346), ("scheduler.go", 623), ("scheduler.go", 742)],
};
pub(super) const UNSCHEDULABLE: Statement<3> = Statement {
    level: 2,
    message: "Unable to schedule pod; no fit; waiting",
    places: [("schedule_one.go", 1077), ("factory.go", 209), ("factory.go", 462)],
};

// The pod garbage collector.
pub(super) const ORPHANED: Statement<1> =
    single(2, "Found orphaned Pod assigned to the Node, deleting", (POD_GC, 247));
pub(super) const ORPHANED_DELETED: Statement<1> =
    single(0, "Forced deletion of orphaned Pod succeeded", (POD_GC, 259));
pub(super) const UNSCHEDULED: Statement<1> = single(
    2,
    "Found unscheduled terminating Pod not assigned to any Node, deleting",
    (POD_GC, 306),
);
pub(super) const UNSCHEDULED_DELETED: Statement<1> =
    single(0, "Forced deletion of unscheduled terminating Pod succeeded", (POD_GC, 311));
pub(super) const FORCE_DELETING: Statement<1> =
    single(0, "PodGC is force deleting Pod", (POD_GC, 343));

// The ReplicaSet controller.
pub(super) const TOO_FEW: Statement<2> = Statement {
    level: 2,
    message: "Too few replicas",
    places: [("replica_set.go", 615), ("replica_set.go", 563)],
};
