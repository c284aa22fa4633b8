//! The switches of kubelets.

use super::*;
use crate::kernel::Dur;
use crate::plan::Profile;
use crate::plan::switches::kubelet::{
    FirstTry, NoSeconds, Pulled, RefusedAtStart, ReportOffset, ShutdownPhase, TooLittle,
};

#[test]
fn switches_of_a_machine_that_goes_off() {
    // The gate is off in 1.20.
    boundary(
        "S44",
        |p| p.kubelet.graceful_shutdown,
        &["1.19.16", "1.20.15"],
        &["1.21.0", "1.37.1"],
    );
    let on = |version| gated(version, &[("GracefulNodeShutdown", true)]).unwrap();
    assert!(on("1.20.0").kubelet.graceful_shutdown);
    boundary("S45", |p| p.kubelet.shutdown_by_priority, &["1.22.17", "1.23.17"], &["1.24.0"]);
    boundary("S46", |p| p.kubelet.shutdown_in_groups, &["1.22.17"], &["1.23.0"]);
    check(
        "S47",
        |p| p.kubelet.shutdown_phase,
        &[
            ("1.21.14", ShutdownPhase::FailedBefore),
            ("1.22.0", ShutdownPhase::Failed),
            ("1.26.15", ShutdownPhase::Failed),
            ("1.27.0", ShutdownPhase::ByExitCode),
            ("1.37.1", ShutdownPhase::ByExitCode),
        ],
    );
    boundary("S48", |p| p.kubelet.shutdown_disruption_target, &["1.25.16"], &["1.26.0", "1.31.0"]);
    check(
        "S49, S52, S92, S101",
        |p| p.kubelet.no_seconds,
        &[
            ("1.21.14", NoSeconds::Kills),
            ("1.22.0", NoSeconds::IsPodsOwn),
            ("1.30.14", NoSeconds::IsPodsOwn),
            ("1.31.0", NoSeconds::IsOne),
        ],
    );
    boundary("S49", |p| p.kubelet.two_seconds, &["1.27.16"], &["1.28.0"]);
    boundary("S50", |p| p.kubelet.shutdown_says_node, &["1.21.14"], &["1.22.0"]);
    boundary("S50", |p| p.kubelet.shutdown_event, &["1.22.17"], &["1.23.0"]);
}

#[test]
fn kubelet_switches() {
    boundary("leases", |p| p.kubelet.leases, &["1.6.0", "1.13.12"], &["1.14.0", "1.37.1"]);
    boundary(
        "S6",
        |p| p.kubelet.lease_jitter,
        &["1.20.7", "1.21.1"],
        &["1.20.8", "1.21.2", "1.22.0", "1.23.0"],
    );
    let unreported = |p: &Profile| !p.kubelet.verifies_unreported;
    boundary("S40", unreported, &["1.22.6", "1.23.2"], &["1.22.7", "1.23.3", "1.24.0"]);
    boundary("S37", |p| p.attach_detach.spares_healthy, &["1.24.7"], &["1.24.9", "1.25.0"]);
    boundary("S7", |p| p.kubelet.status_jitter, &["1.22.17"], &["1.23.0"]);
    boundary("S9", |p| p.kubelet.no_execute_admission, &["1.23.17"], &["1.24.0"]);
    boundary("S32", |p| p.kubelet.rejection_says_why, &["1.30.14"], &["1.31.0"]);
    boundary(
        "S35",
        |p| p.kubelet.waits_for_node,
        &["1.18.18", "1.19.10", "1.20.6", "1.21.0"],
        &["1.18.19", "1.19.11", "1.20.7", "1.21.1", "1.22.0"],
    );
    check(
        "S22",
        |p| p.kubelet.first_try,
        &[("1.30.14", FirstTry::Get), ("1.31.0", FirstTry::Informer)],
    );
    check(
        "S33",
        |p| p.kubelet.refused_at_start,
        &[
            ("1.21.14", RefusedAtStart::FailsAtOnce),
            ("1.22.0", RefusedAtStart::RunsOn),
            ("1.26.15", RefusedAtStart::RunsOn),
            ("1.27.0", RefusedAtStart::Ends),
        ],
    );
    use ReportOffset::{AfterChange, AfterChangeOrFirst, None};
    check(
        "S23",
        |p| p.kubelet.report_offset,
        &[
            ("1.31.14", None),
            ("1.32.0", AfterChange),
            ("1.32.2", AfterChange),
            ("1.32.3", None),
            ("1.33.0", None),
            ("1.34.0", AfterChangeOrFirst),
            ("1.37.1", AfterChangeOrFirst),
        ],
    );
    boundary("S30", |p| p.kubelet.terminal_phase_before_removal, &["1.26.15"], &["1.27.0"]);
    let (ten, sixty, five) = (Dur::from_secs(10), Dur::from_secs(60), Dur::from_secs(300));
    let report = [
        ("1.12.10", ten),
        ("1.13.0", sixty),
        ("1.16.15", sixty),
        ("1.17.0", five),
        ("1.37.1", five),
    ];
    check("report frequency", |p| p.kubelet.report_frequency, &report);
}

#[test]
fn probe_switches() {
    boundary(
        "S61",
        |p| p.kubelet.life.probes_at_once,
        &["1.18.20", "1.20.15"],
        &["1.21.14", "1.37.1"],
    );
    boundary(
        "S67",
        |p| p.kubelet.life.back_off_says_which,
        &["1.18.20", "1.25.16"],
        &["1.26.15", "1.37.1"],
    );
    boundary("S62", |p| p.kubelet.life.resets_period, &["1.31.14"], &["1.32.9", "1.37.1"]);
    boundary("S63", |p| p.kubelet.life.waits_for_backoff, &["1.34.4"], &["1.35.0", "1.37.1"]);
    boundary("S64", |p| p.kubelet.life.keeps_results, &["1.34.4"], &["1.35.0", "1.37.1"]);
    let restart = [("ChangeContainerStatusOnKubeletRestart", true)];
    assert!(!gated("1.37", &restart).unwrap().kubelet.life.keeps_results);
    // `newCrashLoopBackOff` (`pkg/kubelet/kubelet.go`), in seconds; the gate that reduces it is off by default.
    let backoff = |p: Profile| {
        let (first, most) = p.kubelet.life.crash_loop_backoff;
        (first.as_nanos() / 1_000_000_000, most.as_nanos() / 1_000_000_000)
    };
    for version in ["1.18.20", "1.33.4", "1.35.0", "1.37.1"] {
        assert_eq!(backoff(profile(version).unwrap()), (10, 300), "S65 {version}");
    }
    let reduced = ("ReduceDefaultCrashLoopBackOffDecay", true);
    assert_eq!(backoff(gated("1.33", &[reduced]).unwrap()), (1, 60));
    assert_eq!(backoff(gated("1.37", &[reduced]).unwrap()), (1, 300));
    let alone = [reduced, ("KubeletCrashLoopBackOffMax", false)];
    assert_eq!(backoff(gated("1.37", &alone).unwrap()), (1, 60));
    let longest = |p: Profile| p.kubelet.life.max_container_restart_period;
    assert!(longest(profile("1.35.0").unwrap()) && !longest(profile("1.34.4").unwrap()));
    assert!(longest(gated("1.32", &[("KubeletCrashLoopBackOffMax", true)]).unwrap()));
    assert!(!longest(gated("1.37", &alone).unwrap()));
}

/// `image_gc_manager.go`, read at 1.22.17, 1.25.16, 1.26.0, 1.28.0, 1.28.15, 1.29.0, 1.34.4, 1.35.0 and 1.37.1, and the gate in `kube_features.go`.
#[test]
fn image_gc_switches() {
    for (version, said) in [
        ("1.18.20", TooLittle::WantedToFree),
        ("1.25.16", TooLittle::WantedToFree),
        ("1.26.0", TooLittle::AttemptedToFree),
        ("1.34.4", TooLittle::AttemptedToFree),
        ("1.35.0", TooLittle::Insufficient),
        ("1.37.1", TooLittle::Insufficient),
    ] {
        assert_eq!(profile(version).unwrap().kubelet.images.too_little, said, "S93 {version}");
    }
    boundary("S94", |p| p.kubelet.images.found_at_start, &["1.28.15"], &["1.29.0", "1.37.1"]);
    boundary("S95", |p| p.kubelet.images.maximum_age, &["1.29.15"], &["1.30.0", "1.37.1"]);
    let age = |version| gated(version, &[("ImageMaximumGCAge", true)]);
    assert!(age("1.29").unwrap().kubelet.images.maximum_age && age("1.28").is_err());
}

/// The texts of `image_manager.go`, read at the releases beside each boundary; of 1.24 at .10 and .17.
#[test]
fn pull_switches() {
    let of = |versions: &[&str], what| {
        for version in versions {
            assert_eq!(profile(version).unwrap().kubelet.life.pulled, what, "S72 {version}");
        }
    };
    of(&["1.18.20"], Pulled::Image);
    of(&["1.19.0", "1.23.15", "1.24.10", "1.25.5"], Pulled::Took);
    of(&["1.23.17", "1.24.17", "1.25.7", "1.26.0", "1.29.6"], Pulled::Waited);
    of(&["1.30.0", "1.37.1"], Pulled::Size);
    let checks = |p: &Profile| p.kubelet.life.checks_pulled_secrets;
    boundary("S73", checks, &["1.33.4", "1.34.4"], &["1.35.0", "1.37.1"]);
    let gate = "KubeletEnsureSecretPulledImages";
    assert!(checks(&gated("1.34", &[(gate, true)]).unwrap()));
    assert!(!checks(&gated("1.37", &[(gate, false)]).unwrap()));
    let most = |p: &Profile| p.kubelet.life.max_parallel_image_pulls;
    boundary("S74", most, &["1.18.20", "1.26.15"], &["1.27.16", "1.37.1"]);
}
