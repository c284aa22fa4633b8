//! What is said of claims in events: the words of `pv_controller.go` and of external-provisioner, a look at claims that are
//! not bound every 15 s (`--pvclaimbinder-sync-period`), and what client-go's correlator makes of that.

use crate::cli::{Scratch, unfolded};
use crate::disk_topologies::{SLOW, only};
use crate::disks::{grows, messages, ran, times, within};
use taintsim::analysis::Analysis;
use taintsim::report::klog;
use taintsim::trace::Trace;

const CLAIM: &str = "PersistentVolumeClaim/default/data-db-1";

/// The events of the second pod's claim: when, in milliseconds, how often by then, the reason and the message.
fn events(trace: &Trace) -> Vec<(u64, u32, String, String)> {
    let told = trace.iter().filter_map(|r| {
        let f = trace.fields(r);
        let is_own = f.what == "event" && f.object.as_deref() == Some(CLAIM);
        let reason = f.reason.filter(|_| is_own)?.into_owned();
        Some((r.at.as_millis(), f.count.unwrap_or(1), reason, f.message?))
    });
    told.collect()
}

/// The claim comes with its pod at a minute, a node is chosen at once, and the disk is there after 8.5 s.
#[test]
fn a_claim_says_how_its_volume_comes_about() {
    let old = "waiting for a volume to be created, either by external provisioner \"disks.csi.example\" or manually created by system administrator";
    let new = "Waiting for a volume to be created either by the external provisioner 'disks.csi.example' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.";
    for (version, external) in [("1.18", old), ("1.27", old), ("1.28", new), ("1.37", new)] {
        let (_, trace) = ran(&grows(version, ""));
        let asked = times(&trace, "provisioning ")[0];
        let all = events(&trace);
        // One look of those every 15 s may fall into the 8.5 s, and tells of the external provisioner again.
        let new: Vec<_> = all.iter().filter(|e| e.1 == 1).map(|e| (e.0, &*e.2, &*e.3)).collect();
        let first = "waiting for first consumer to be created before binding";
        let asks = r#"External provisioner is provisioning volume for claim "default/data-db-1""#;
        let made = "Successfully provisioned volume default-data-db-1";
        assert_eq!(
            new,
            [
                (new[0].0, "WaitForFirstConsumer", first),
                (asked, "ExternalProvisioning", external),
                (asked, "Provisioning", asks),
                (asked + 8_500, "ProvisioningSucceeded", made)
            ],
            "{version}"
        );
        within(new[0].0, 60_000, asked);
        assert!(all.len() <= 5, "{version}: {all:?}");
    }
}

/// The controller that binds claims logs its events at level 3 (`pv_controller_base.go: Run`, `StartStructuredLogging`); external-provisioner is
/// another process.
#[test]
fn the_log_has_what_the_controller_says_of_a_claim() {
    let (plan, trace) = ran(&grows("1.34", ""));
    let mut out = Vec::new();
    klog::write(&mut out, &Analysis::new(&plan, &trace), 3).unwrap();
    let log = String::from_utf8(out).unwrap();
    let of_claim = r#""Event occurred" object="default/data-db-1" fieldPath="" kind="PersistentVolumeClaim" apiVersion="v1" type="Normal" reason="#;
    let first = r#""WaitForFirstConsumer" message="waiting for first consumer to be created before binding""#;
    assert!(log.contains(&format!("{of_claim}{first}")), "{log}");
    assert!(log.contains(&format!(r#"{of_claim}"ExternalProvisioning""#)), "{log}");
    assert!(!log.contains(r#"reason="Provisioning"#), "{log}");
}

/// Its set says that it has made the claim, and then the pod (`recordClaimEvent`, `recordPodEvent`; from 1.35 on with a
/// capital letter). When the pod comes again its claim is there.
#[test]
fn a_set_says_that_it_makes_a_claim() {
    let again = r#"(at: "100s", do: Scale(workload: "db", replicas: 1)), (at: "130s", do: Scale(workload: "db", replicas: 2))"#;
    for (version, create) in
        [("1.18", "create"), ("1.34", "create"), ("1.35", "Create"), ("1.37", "Create")]
    {
        let (_, trace) = ran(&grows(version, again));
        let claim = format!("{create} Claim data-db-1 Pod db-1 in StatefulSet db success");
        let pod = format!("{create} Pod db-1 in StatefulSet db successful");
        assert_eq!(messages(&trace, "SuccessfulCreate"), [claim, pod.clone(), pod], "{version}");
    }
}

/// While its controller is rejected it makes neither (`createPersistentVolumeClaims`). What it says of the claim is sent until it is taken; of
/// the pod it speaks in the same nanosecond, and so under the same name, which is taken then.
#[test]
fn a_set_says_that_it_cannot_make_a_claim() {
    let rejected =
        r#"(at: "55s", do: TooManyRequests(duration: "15500ms", clients: [StatefulSet]))"#;
    let (_, trace) = ran(&grows("1.34", rejected));
    let why = "the server has received too many requests and has asked us to try again later (post persistentvolumeclaims)";
    let claim =
        format!("create Claim data-db-1 for Pod db-1 in StatefulSet db failed error: {why}");
    assert_eq!(messages(&trace, "FailedCreate"), [claim]);
}

/// While no node suits, the claim says every 15 s from the controller's start on which pod it waits for; up to 1.18 that there
/// is none yet.
#[test]
fn a_claim_says_which_pod_it_waits_for() {
    for (version, reason, message) in [
        ("1.18", "WaitForFirstConsumer", "waiting for first consumer to be created before binding"),
        ("1.19", "WaitForPodScheduled", "waiting for pod db-1 to be scheduled"),
        ("1.34", "WaitForPodScheduled", "waiting for pod db-1 to be scheduled"),
    ] {
        let text = only(version, r#""c""#, SLOW, "");
        let (_, trace) = ran(&text);
        let all = events(&trace);
        assert_eq!(all[0].2, "WaitForFirstConsumer", "{version}");
        within(all[0].0, 60_000, 60_100);
        // Four periods and a microsecond after the controllers' start.
        assert_eq!(all[1].0, 60_000, "{version}");
        assert!(all[1..].windows(2).all(|two| two[1].0 == two[0].0 + 15_000), "{all:?}");
        assert!(all[1..].iter().all(|e| (&*e.2, &*e.3) == (reason, message)), "{all:?}");
        // From a minute to five there are 16 looks, and the first may be the same event as they.
        let last = all.last().unwrap();
        assert!((15..=17).contains(&last.1), "{version}: {last:?}");
        let scratch = Scratch::new();
        scratch.write("case.ron", &text);
        let said =
            unfolded(&scratch.call(&["explain", "case.ron", "pod/db-1", "--at", "100s"]).stdout);
        let words = format!("event {reason} about its claim default/data-db-1, at 1:");
        assert!(said.contains(&words) && said.contains(message), "{said}");
    }
}

/// For 29 minutes the driver refuses, and the controller looks every 15 s. Its recorder lets 25 events of a claim through,
/// and one more every five minutes: after 25 minutes the last one, the 101st or 102nd of that kind (or
/// one more, as the bucket counts in floats).
#[test]
fn a_claim_that_waits_for_long_says_so_ever_more_seldom() {
    let text = grows("1.34", r#"(at: "50s", do: ProvisioningOutage())"#)
        .replace(r#"horizon: "5m""#, r#"horizon: "30m""#);
    let (_, trace) = ran(&text);
    let all = events(&trace);
    let of_binder = ["WaitForFirstConsumer", "ExternalProvisioning"];
    let binder: Vec<_> = all.iter().filter(|e| of_binder.contains(&&*e.2)).collect();
    assert_eq!(binder.len(), 30);
    within(binder[29].0, 60_000 + 1_500_000, 60_000 + 1_530_100);
    within(binder[29].1.into(), 101, 103);
    // Each refusal is told: 14 of them, and as many requests.
    let failed = all.iter().filter(|e| e.2 == "ProvisioningFailed");
    let failed: Vec<u64> = failed.map(|e| e.0).collect();
    assert_eq!(failed, times(&trace, "provisioning-failed"));
    let asked = all.iter().filter(|e| e.2 == "Provisioning").count();
    assert_eq!((failed.len(), asked), (14, 14));
}
