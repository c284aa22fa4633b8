//! What changed in the disruption controller from release to release.

use crate::kernel::Dur;

/// What changed in the disruption controller from release to release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Switches {
    /// The condition DisruptionTarget of a pod that was not deleted after all is set to False after
    /// two minutes (1.26 on).
    pub(crate) resets_stale_condition: bool,
    /// Each budget is counted again so often, up to 1.20 (`AddEventHandlerWithResyncPeriod`).
    pub(crate) resync: Option<Dur>,
    /// What it does about pods that have no controller.
    pub(crate) unmanaged_pods: UnmanagedPods,
    /// What it says where a pod's controller has no scale.
    pub(crate) no_scale: NoScale,
    /// The empty selector of a budget selects every pod of its namespace (S85): `policy/v1`, from 1.21 on. In
    /// `policy/v1beta1` it selects none.
    pub(crate) empty_selects_all: bool,
    /// A failed sync shows in the condition DisruptionAllowed (1.21 on).
    pub(crate) failure_is_condition: bool,
}

/// What becomes of a budget that needs scales and selects pods without a controller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum UnmanagedPods {
    /// The sync fails, up to 1.21.
    #[default]
    Fail,
    /// They do not count (1.22 on).
    Ignored,
    /// The same, and the event UnmanagedPods says so (1.27 on).
    Told,
}

/// What a controller is told of whose scale the API knows nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NoScale {
    /// There is no such controller, and an event of its own says so, up to 1.20.
    #[default]
    NoControllers,
    /// Its kind has no scale, whatever the kind (1.21 on): what is compared is the name of the kind
    /// with `Scale`.
    EveryKind,
    /// Its kind has no scale, or there is no such controller (1.25 on).
    ByKind,
}
