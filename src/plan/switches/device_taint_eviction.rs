//! What changed in the device taint eviction controller from release to release.

/// What changed in the device taint eviction controller from release to release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Switches {
    /// Taints of devices are simulated (S60, gate DRADeviceTaints, which upstream has from 1.33 on).
    pub(crate) taints: bool,
    /// DeviceTaintRules are looked at (S60, gate DRADeviceTaintRules).
    pub(crate) rules: bool,
}
