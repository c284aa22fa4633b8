//! Colours. The states differ in lightness as well as in hue, after Okabe and Ito's palette for
//! colour-blind readers.

use crate::analysis::state::Health;
use plotters::style::RGBColor;

pub(super) const PAPER: RGBColor = RGBColor(255, 255, 255);
pub(super) const INK: RGBColor = RGBColor(31, 41, 55);
pub(super) const FAINT: RGBColor = RGBColor(107, 114, 128);
pub(super) const GRID: RGBColor = RGBColor(229, 231, 235);
pub(super) const RULE: RGBColor = RGBColor(156, 163, 175);
/// Behind the time in which a fault lasts.
pub(super) const FAULT: RGBColor = RGBColor(243, 240, 232);
/// The edge of a fault.
pub(super) const FAULT_EDGE: RGBColor = RGBColor(180, 164, 122);

pub(super) const NO_SCHEDULE: RGBColor = RGBColor(148, 163, 184);
pub(super) const NO_EXECUTE: RGBColor = RGBColor(109, 40, 160);
pub(super) const EVICTION: RGBColor = RGBColor(17, 24, 39);

/// A pod that replaces an evicted one is ready.
pub(super) const REPLACED: RGBColor = RGBColor(0, 106, 78);
/// A node is drained.
pub(super) const DRAIN: RGBColor = RGBColor(0, 92, 150);
/// An eviction timer runs.
pub(super) const TIMER: RGBColor = RGBColor(60, 20, 110);

/// A zone in which one node is tainted every now and then.
pub(super) const SLOW: RGBColor = RGBColor(150, 214, 190);
/// A zone in which nobody is tainted.
pub(super) const STOPPED: RGBColor = RGBColor(64, 160, 130);
/// A zone of which no node is Ready.
pub(super) const FULL: RGBColor = RGBColor(0, 92, 72);
/// Nodes that wait for their taint.
pub(super) const QUEUED: RGBColor = RGBColor(190, 165, 215);
/// API servers, watches or requests are in trouble.
pub(super) const TROUBLED: RGBColor = RGBColor(120, 92, 32);
/// Every zone is fully disrupted.
pub(super) const MASTER: RGBColor = RGBColor(55, 65, 81);

pub(super) const AVAILABLE: RGBColor = RGBColor(0, 114, 178);
pub(super) const AVAILABLE_FILL: RGBColor = RGBColor(214, 232, 243);
/// The interval in which a mean lies.
pub(super) const INTERVAL: RGBColor = RGBColor(120, 178, 214);
/// Containers that run although their pod is deleted or gone.
pub(super) const GHOST: RGBColor = RGBColor(222, 190, 214);
/// What the API says, where that is not true.
pub(super) const SAID: RGBColor = RGBColor(213, 94, 0);
/// Pods that a workload wants and does not have.
pub(super) const MISSING: RGBColor = RGBColor(240, 205, 195);
pub(super) const NOT_READY: RGBColor = RGBColor(243, 187, 99);
pub(super) const TERMINATING: RGBColor = RGBColor(208, 140, 182);
pub(super) const PENDING: RGBColor = RGBColor(176, 190, 197);

pub(super) fn health(h: Health) -> RGBColor {
    match h {
        Health::Absent => PAPER,
        Health::Ready => RGBColor(185, 214, 233),
        Health::Silent => RGBColor(210, 165, 25),
        Health::Unknown => RGBColor(202, 109, 9),
        Health::NotReady => RGBColor(155, 47, 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, as WCAG 2 defines it.
    fn luminance(RGBColor(r, g, b): RGBColor) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.03928 { c / 12.92 } else { libm::pow((c + 0.055) / 1.055, 2.4) }
        };
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
    }

    /// Each state is darker than the one before by so much that it shows in grey print.
    #[test]
    fn states_differ_in_lightness() {
        let states =
            [Health::Absent, Health::Ready, Health::Silent, Health::Unknown, Health::NotReady];
        for pair in states.windows(2) {
            let contrast =
                (luminance(health(pair[0])) + 0.05) / (luminance(health(pair[1])) + 0.05);
            assert!(contrast >= 1.5, "{pair:?}: {contrast}");
        }
    }
}
