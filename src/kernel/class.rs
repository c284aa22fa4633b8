//! The short list of classes that orders the events of one instant.

/// What kind of event it is. The order of all events is (time, class, sequence): first by time,
/// within one instant by class in the order written here, and within a class first come, first
/// served.
///
/// Having a class in the order lets an event that was skipped, because it could not have had any
/// effect, tie with others exactly as it would have done had it been simulated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Class {
    /// The scenario's actions and faults.
    Outside,
    /// Periodic writers outside the process model: heartbeats.
    Source,
    /// Requests reach the server.
    Arrival,
    /// Changes reach caches.
    Delivery,
    /// Processes go on.
    Wake,
    /// Cancellable timers fire.
    Timer,
}

impl Class {
    /// All classes in their order.
    pub const ALL: [Self; 6] =
        [Self::Outside, Self::Source, Self::Arrival, Self::Delivery, Self::Wake, Self::Timer];
}
