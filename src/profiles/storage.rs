//! The steps of disks and devices, as those in [`super::steps`].

use super::steps::{Step, step};
use crate::kernel::Dur;

/// Their changes, oldest first.
pub(super) static STORAGE: &[Step] = &[
    // Volumes
    step(&[(19, 0)], |p| p.scheduler.storage_capacity = true),
    step(&[(19, 0)], |p| p.persistent_volume.names_waiting_pods = true),
    // `defer backoffMgr.Backoff().Stop()` begins the first pause, which the second replaces.
    step(&[(17, 0)], |p| {
        p.attach_detach.timeout_text = Some("attachdetachment timeout for volume")
    }),
    step(&[(21, 0)], |p| p.attach_detach.timeout_text = Some("Attach timeout for volume")),
    step(&[(24, 0)], |p| p.attach_detach.timeout_text = None),
    step(&[(21, 0)], |p| p.attach_detach.looks_after = Some(Dur::from_millis(525))),
    step(&[(23, 0)], |p| p.attach_detach.looks_after = Some(Dur::from_millis(500))),
    step(&[(22, 0)], |p| p.scheduler.read_write_once_pod = true),
    step(&[(22, 7), (23, 3), (24, 0)], |p| p.kubelet.verifies_unreported = false),
    step(&[(23, 0)], |p| p.scheduler.nodes_wake_volumes = false),
    step(&[(24, 9), (25, 0)], |p| p.attach_detach.spares_healthy = true),
    step(&[(24, 0)], |p| p.attach_detach.out_of_service = true),
    step(&[(26, 10), (27, 7), (28, 3), (29, 0)], |p| {
        p.attach_detach.failed_detach_is_uncertain = true;
    }),
    step(&[(27, 0)], |p| p.scheduler.preempts_claim_holders = true),
    step(&[(28, 0)], |p| p.scheduler.skips_free_claims = true),
    step(&[(28, 0)], |p| p.persistent_volume.says_what_to_verify = true),
    step(&[(30, 0)], |p| p.attach_detach.force_detach_flag = true),
    step(&[(32, 0)], |p| p.scheduler.attachments_count = true),
    step(&[(33, 0)], |p| p.scheduler.persistent_volume_text = true),
    step(&[(34, 0)], |p| p.scheduler.claim_in_use_text = true),
    step(&[(34, 0)], |p| p.scheduler.nominates_expected = true),
    step(&[(36, 0)], |p| p.attach_detach.hears_of_unseen_ends = true),
    step(&[(37, 0)], |p| p.attach_detach.waiting_text = true),
    // Devices
    step(&[(33, 0)], |p| {
        p.device_taint_eviction.taints = true;
        p.device_taint_eviction.rules = true;
        p.scheduler.prioritized_list = true;
    }),
    step(&[(35, 0)], |p| {
        p.device_taint_eviction.allocated_tolerations = true;
        p.device_taint_eviction.work_queue = true;
        p.scheduler.scores_devices = true;
    }),
    step(&[(35, 3), (36, 0)], |p| p.device_taint_eviction.delayed_status = true),
    step(&[(36, 0)], |p| {
        p.device_taint_eviction.evicted_pods = true;
        p.device_taint_eviction.every_consumer = true;
        p.device_taint_eviction.bumps_time_added = true;
        p.scheduler.deallocated_text = true;
        p.scheduler.whole_alternatives = true;
    }),
];
