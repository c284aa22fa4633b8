//! The configuration of kubelets: that of all, and what groups of nodes have in place of it.

use super::prelude::*;
use super::timing;
use crate::language::flags::Settings;
use crate::plan::{Eviction, ImageGcPolicy, KubeletConfig, KubeletSettings};

/// What all kubelets have, for what groups of nodes have in place of it.
pub(super) struct Kubelets<'a> {
    settings: &'a Settings,
    mode: KubeletMode,
    profile: &'a Profile,
    /// When they evict pods; none where something is wrong with their flags together.
    pub(super) eviction: Option<Eviction>,
}

impl<'a> Kubelets<'a> {
    /// Those of a scenario with these flags.
    pub(super) fn read(
        settings: &'a Settings,
        mode: KubeletMode,
        (spec, profile): (&Scenario, &'a Profile),
        complaints: &Complaints,
    ) -> Self {
        let place = complaints.at(at!["flags", "kubelet"]);
        let eviction = together(settings, (mode, &spec.flags.kubelet), profile, &place);
        Self { settings, mode, profile, eviction }
    }

    /// The configuration of a group's kubelets, where it states any of their flags, and how often they renew their leases.
    pub(super) fn of_group(
        &self,
        own: &BTreeMap<String, FlagValue>,
        place: &Spot,
    ) -> (Option<Rc<KubeletConfig>>, Dur) {
        if own.is_empty() {
            return (None, timing::lease_period(&self.settings.kubelet));
        }
        let (profile, mut settings) = (self.profile, self.settings.clone());
        flags::read_over(&mut settings, ("kubelet", own), profile, place);
        let config = || {
            // What is wrong with the flags of all is told once.
            self.eviction.as_ref()?;
            let eviction = together(&settings, (self.mode, own), profile, place)?;
            let mode = timing::of_group(self.mode, (&settings.kubelet, own), profile);
            let settings = settings.flags.kubelet.clone();
            Some(Rc::new(KubeletConfig { mode, eviction, settings }))
        };
        (config(), timing::lease_period(&settings.kubelet))
    }
}

/// When kubelets evict pods; complaints about flags that do not go together, of which `own` are written at that place.
fn together(
    settings: &Settings,
    (mode, own): (KubeletMode, &BTreeMap<String, FlagValue>),
    profile: &Profile,
    place: &Spot,
) -> Option<Eviction> {
    const UPDATE: &str = "node-status-update-frequency";
    // A flag that cannot be read is missing, which is no other's mistake.
    let all_read = !place.is_wrong();
    let is_given = own.contains_key(UPDATE) && settings.kubelet.status_update.is_some();
    if is_given && matches!(mode, KubeletMode::Imitated(_)) {
        let text =
            "imitated kubelets check their status every 10 s; this flag would change nothing";
        let help = "use `timing: Typical`, or a `Custom` one with `kubelet: Real()`";
        place.part(UPDATE).add(Problem::new(text).help(help));
    }
    check_shutdown(&settings.flags.kubelet, place);
    check_pulls(&settings.flags.kubelet, place);
    check_image_gc(&settings.flags.kubelet, place);
    let complain = |(flag, problem)| place.part(flag).add(problem);
    let eviction = settings.kubelet.eviction.read(Eviction::defaults(profile));
    eviction.map_err(|wrong| all_read.then(|| complain(wrong))).ok()
}

/// Complains about grace periods of a shutdown that upstream refuses
/// (`pkg/kubelet/apis/config/validation`).
fn check_shutdown(of: &KubeletSettings, place: &Spot) {
    let (all, critical) = (of.shutdown_grace_period, of.shutdown_grace_period_critical_pods);
    let by_priority = !of.shutdown_grace_period_by_pod_priority.0.is_empty();
    if critical > all {
        let text = format!(
            "shutdownGracePeriodCriticalPods {critical} must be <= shutdownGracePeriod {all}"
        );
        let problem = Problem::new(text).help("it is the last part of `shutdown-grace-period`");
        place.part("shutdown-grace-period-critical-pods").add(problem);
    }
    if by_priority && !all.is_zero() {
        let text = "Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time";
        place.part("shutdown-grace-period-by-pod-priority").say(text);
    }
}

/// Complains about image pulls in parallel that upstream refuses (`pkg/kubelet/apis/config/validation`).
fn check_pulls(of: &KubeletSettings, place: &Spot) {
    let several = of.max_parallel_image_pulls.is_some_and(|n| n > 1);
    if several && of.serialize_image_pulls == Some(true) {
        let text = "maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls (--serialize-image-pulls) set to false";
        let problem =
            Problem::new(text).help("leave `serialize-image-pulls` out: it is false then");
        place.part("max-parallel-image-pulls").add(problem);
    }
}

/// Complains about thresholds and ages of images that upstream refuses (`pkg/kubelet/apis/config/validation`).
fn check_image_gc(of: &KubeletSettings, place: &Spot) {
    let ImageGcPolicy { high, low, min_age, max_age } = of.image_gc_policy();
    if low >= high {
        let flag = match of.image_gc_low_threshold {
            Some(_) => "image-gc-low-threshold",
            None => "image-gc-high-threshold",
        };
        place.part(flag).say(format!(
            "invalid configuration: imageGCLowThresholdPercent (--image-gc-low-threshold) {low} must be less than imageGCHighThresholdPercent (--image-gc-high-threshold) {high}"
        ));
    }
    if let Some(max_age) = max_age.filter(|most| *most <= min_age) {
        place.part("image-maximum-gc-age").say(format!(
            "invalid configuration: imageMaximumGCAge {max_age} must be greater than imageMinimumGCAge {min_age}"
        ));
    }
}
