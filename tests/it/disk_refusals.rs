//! Drivers that refuse to make volumes: when external-provisioner asks again (after 1 s, twice as long each time, 5 min at
//! most), and when the scheduler gives up (`bindTimeoutSeconds`, 600).

use crate::cli::Scratch;
use crate::disks::{grows, messages, nodes, ran, times, within};
use crate::plans::drawn;
use taintsim::analysis::Analysis;
use taintsim::analysis::explain::{Question, explain, find};
use taintsim::kernel::Time;
use taintsim::trace::Trace;

/// What `explain` says of the second pod.
fn verdict(text: &str, at_ms: u64) -> String {
    let (plan, trace) = ran(text);
    let analysis = Analysis::new(&plan, &trace);
    let until = Time::from_millis(at_ms);
    let question = Question { analysis: &analysis, until, groups: &[] };
    explain(question, &find(&analysis, "pod/db-1").unwrap()).verdict
}

/// When pods were bound that were not there from the start.
fn bound(text: &str) -> Vec<u64> {
    times(&ran(text).1, "pod-bound").into_iter().filter(|at| *at > 0).collect()
}

/// From 50 s to 70 s drivers refuse: the disk that is asked for at a minute is refused then, and 1, 3 and 7 s later; 15 s
/// later it is begun, takes 8.5 s, and is seen 24 s after it was asked for.
#[test]
fn a_refused_disk_is_asked_for_again_after_a_back_off() {
    let more = r#"(at: "50s", do: ProvisioningOutage(duration: "20s"))"#;
    let text = grows("1.34", more);
    let (_, trace) = ran(&text);
    let asked = times(&trace, "provisioning ");
    let first = asked[0];
    within(first, 60_000, 60_100);
    assert_eq!(asked, [first, first + 15_000]);
    let refused = [0, 1_000, 3_000, 7_000].map(|after| first + after);
    assert_eq!(times(&trace, "provisioning-failed"), refused);
    assert_eq!(times(&trace, "provisioning-succeeded"), [first + 23_500]);
    assert_eq!(bound(&text), [first + 24_000]);
    assert!(messages(&trace, "FailedScheduling").is_empty());
    let said = verdict(&text, 65_000);
    let told = "is chosen for it, and its volume default/data-db-1 is refused by its driver, which is asked again within 5 min, since 1:03";
    assert!(said.contains(told), "{said}");
    // It is being made since 1:15.
    let said = verdict(&text, 80_000);
    assert!(said.contains("its volume default/data-db-1 is being made since 1:15"), "{said}");
    // It is there.
    let said = verdict(&text, 120_000);
    for part in
        ["it waited from 1:00.", " to 1:23.", "which its driver refused 4 times up to 1:07."]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    // Two outages that overlap are over when both are.
    let two = format!(r#"{more}, (at: "55s", do: ProvisioningOutage(duration: "5s"))"#);
    assert_eq!(bound(&grows("1.34", &two)), [first + 24_000]);
    // What a driver has begun it finishes.
    let late = more.replace("50s", "62s");
    assert_eq!(bound(&grows("1.34", &late)), [first + 9_000]);
}

/// Two disks of two drivers, one of which refuses from 50 s to 70 s: its disk is begun 15 s after it was asked for at a minute.
/// Where all refuse from 65 s to 80 s, too, it is refused at 75 s as well, and begun 16 s after that. The other disk is made by then.
#[test]
fn only_the_driver_that_is_named_refuses() {
    let text = |driver: &str, more: &str| {
        let outage = format!(
            r#"(at: "50s", do: ProvisioningOutage(driver: "{driver}", duration: "20s")), {more}"#
        );
        let two = r#"(claim: "data", provision: "8500ms", driver: "slow.example"), (claim: "logs", provision: "1s", driver: "fast.example")"#;
        grows("1.34", &outage).replace(r#"(claim: "data", provision: "8500ms")"#, two)
    };
    let (_, trace) = ran(&text("fast.example", "").replace("50s", "90s"));
    let [data, logs] = times(&trace, "provisioning ")[..] else { panic!("two are asked for") };
    let made = |text: String| times(&ran(&text).1, "provisioning-succeeded");
    assert_eq!(made(text("slow.example", "")), [logs + 1_000, data + 23_500]);
    assert_eq!(made(text("fast.example", "")), [data + 8_500, logs + 16_000]);
    let of_all = r#"(at: "65s", do: ProvisioningOutage(duration: "15s"))"#;
    assert_eq!(made(text("slow.example", of_all)), [logs + 1_000, data + 39_500]);
    let mistake = drawn(&text("slow.exmple", "")).map(drop).unwrap_err();
    assert!(
        mistake.contains("no claim with `provision` has the driver `slow.exmple`"),
        "{mistake}"
    );
    assert!(mistake.contains("did you mean `slow.example`?"), "{mistake}");
}

/// Pauses of 1, 2, 4 ... 256 s, and of 300 s from then on; the scheduler gives up every 600 s, and the claim stays that of
/// its node.
#[test]
fn the_scheduler_gives_up_after_ten_minutes() {
    for (version, why) in [
        ("1.28", "timed out waiting for the condition"),
        ("1.29", "context deadline exceeded"),
        ("1.37", "context deadline exceeded"),
    ] {
        let text = grows(version, r#"(at: "50s", do: ProvisioningOutage())"#)
            .replace(r#"horizon: "5m""#, r#"horizon: "30m""#);
        let (_, trace) = ran(&text);
        let first = times(&trace, "provisioning ")[0];
        let refused = times(&trace, "provisioning-failed").into_iter().map(|at| at - first);
        let pauses = (0..9).map(|n| 1_000 << n).chain([300_000; 4]);
        let mut at = 0;
        let wanted: Vec<u64> = std::iter::once(0)
            .chain(pauses.map(|pause| {
                at += pause;
                at
            }))
            .collect();
        assert_eq!(refused.collect::<Vec<_>>(), wanted, "{version}");
        let said = messages(&trace, "FailedScheduling");
        let wanted = format!(r#"running PreBind plugin "VolumeBinding": binding volumes: {why}"#);
        assert!(!said.is_empty() && said.iter().all(|s| *s == wanted), "{version}: {said:?}");
        let failed = times(&trace, "FailedScheduling");
        within(failed[0], first + 600_000, first + 600_200);
        assert!(bound(&text).is_empty());
        assert_eq!(nodes(&trace, "provisioning").len(), 1, "{version}: the annotation stays");
        let said = verdict(&text, 1_790_000);
        assert!(said.contains("is refused by its driver"), "{version}: {said}");
    }
    // A disk that takes longer than the scheduler waits is there for its next try.
    let slow = grows("1.34", "").replace("8500ms", "11m").replace("5m", "20m");
    let on = bound(&slow);
    within(on[0], 60_000 + 660_000, 60_000 + 662_500);
}

/// The node that was chosen is deleted: with its next try external-provisioner gives the claim back, and the pod is
/// placed elsewhere.
#[test]
fn a_claim_whose_node_is_gone_is_given_back() {
    let outage = r#"(at: "50s", do: ProvisioningOutage(duration: "20s"))"#;
    let chosen = nodes(&ran(&grows("1.34", outage)).1, "provisioning").remove(0);
    let more = format!(r#"{outage}, (at: "62.5s", do: DeleteNode(nodes: Node("{chosen}")))"#);
    let (_, trace) = ran(&grows("1.34", &more));
    let refused = times(&trace, "provisioning-failed");
    let on = nodes(&trace, "provisioning");
    assert!(on.len() > 1 && on[1..].iter().all(|node| *node != chosen), "{on:?}");
    assert!(refused.len() > 3, "{refused:?}");
    assert_eq!(nodes(&trace, "pod-bound"), [on[1].clone()]);
}

/// A disk that is made with its claim: refused at a minute and a second later, it is begun after 3 s.
#[test]
fn an_immediate_disk_is_refused_too() {
    let text = grows("1.34", r#"(at: "50s", do: ProvisioningOutage(duration: "12s"))"#)
        .replace(r#"provision: "8500ms""#, r#"provision: "8500ms", binding: Immediate"#);
    let (_, trace) = ran(&text);
    let first = times(&trace, "provisioning-immediately")[0];
    assert_eq!(times(&trace, "provisioning-failed"), [first, first + 1_000]);
    assert_eq!(times(&trace, "provisioned-immediately"), [first + 11_500]);
    let said = verdict(&text, 62_000);
    assert!(
        said.contains("no node is chosen for it, and its volume default/data-db-1 is refused"),
        "{said}"
    );
    let scratch = Scratch::new();
    scratch.write("case.ron", text);
    let said = scratch.call(&["run", "case.ron", "--out", "out"]).stdout;
    assert!(said.contains("2 requests to make one refused by drivers"), "{said}");
}

/// The claim of the second pod, whose events say so.
fn said_of_claim(trace: &Trace) -> Vec<String> {
    let mut said = messages(trace, "ProvisioningFailed");
    said.dedup();
    said
}

/// Zone b is out of storage from 50 s to 70 s, and the scheduler would rather have the second pod there than beside the
/// first. The claim is given back at once each time; the scheduler sees it a second later, and waits for 1 s and 2 s
/// before it tries again. Its fourth try, after 4 s, is not before 70 s.
#[test]
fn a_zone_without_storage_is_chosen_again_and_again() {
    let more = r#"(at: "50s", do: ProvisioningOutage(zone: "b", fails: ResourceExhausted, duration: "20s"))"#;
    for version in ["1.34", "1.37"] {
        let text = grows(version, more);
        let (_, trace) = ran(&text);
        let failed = times(&trace, "provisioning-failed");
        assert_eq!(failed.len(), 3, "{version}: {failed:?}");
        within(failed[0], 60_000, 60_100);
        within(failed[1], failed[0] + 2_000, failed[0] + 3_100);
        within(failed[2], failed[1] + 3_000, failed[1] + 4_100);
        let told = messages(&trace, "FailedScheduling");
        let why = r#"running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "data-db-1""#;
        assert!(!told.is_empty() && told.iter().all(|m| m == why), "{version}: {told:?}");
        let seen = times(&trace, "FailedScheduling");
        within(seen[0], failed[0] + 1_000, failed[0] + 1_100);
        let why = "rpc error: code = ResourceExhausted desc = no volumes are made";
        assert_eq!(said_of_claim(&trace), [why], "{version}");
        let asked = times(&trace, "provisioning ");
        assert_eq!(times(&trace, "provisioning-succeeded"), [asked[3] + 8_500], "{version}");
        let chosen = nodes(&trace, "provisioning");
        assert!(chosen.len() == 4 && chosen.iter().all(|n| n.starts_with("b-")), "{chosen:?}");
        // Between two tries the claim waits for its pod.
        let waits = messages(&trace, "WaitForPodScheduled");
        assert!(waits.contains(&"waiting for pod db-1 to be scheduled".to_owned()), "{waits:?}");
        let said = verdict(&text, 60_500);
        assert!(said.contains("refused by its driver, which has no storage left"), "{said}");
        assert!(said.contains("no node is chosen for it any more"), "{said}");
    }
    // It says nothing of another zone.
    let (_, trace) = ran(&grows("1.34", &more.replace(r#""b""#, r#""a""#)));
    assert!(times(&trace, "provisioning-failed").is_empty());
    let mistake = drawn(&grows("1.34", &more.replace(r#""b""#, r#""x""#))).map(drop).unwrap_err();
    assert!(mistake.contains("there is no zone `x`"), "{mistake}");
}

/// Zones b and c are alike to the scheduler, and b is out of storage: sooner or later it takes c.
#[test]
fn a_claim_that_is_given_back_gets_another_zone() {
    let more = r#"(at: "50s", do: ProvisioningOutage(zone: "b", fails: ResourceExhausted))"#;
    let third = r#"(names: "b-{0..1}", zone: "b"), (names: "c-{0..1}", zone: "c")"#;
    let text = grows("1.34", more).replace(r#"(names: "b-{0..1}", zone: "b")"#, third);
    let (_, trace) = ran(&text);
    let mut chosen = nodes(&trace, "provisioning");
    let last = chosen.pop().unwrap();
    assert!(last.starts_with("c-") && chosen.iter().all(|n| n.starts_with("b-")), "{chosen:?}");
    assert_eq!(times(&trace, "provisioning-failed").len(), chosen.len());
    assert_eq!(nodes(&trace, "pod-bound"), [last]);
}

/// A driver that finds the request wrong is not asked for five minutes, while its back-off goes on: 1 + 2 + … + 256 s.
#[test]
fn an_infeasible_claim_waits_longer() {
    let outage = |more: &str| {
        let entry = format!(r#"(at: "50s", do: ProvisioningOutage(fails: InvalidArgument{more}))"#);
        grows("1.34", &entry).replace(r#"horizon: "5m""#, r#"horizon: "30m""#)
    };
    let (_, trace) = ran(&outage(""));
    let first = times(&trace, "provisioning ")[0];
    let refused = [0, 511_000, 811_000, 1_111_000, 1_411_000, 1_711_000].map(|at| first + at);
    assert_eq!(times(&trace, "provisioning-failed"), refused);
    let why = "Volume provisioning failed with infeasible error. Retries will be delayed. rpc error: code = InvalidArgument desc = no volumes are made";
    assert_eq!(said_of_claim(&trace), [why]);
    assert_eq!(nodes(&trace, "provisioning").len(), 1, "the annotation stays");
    // It is mended after ten seconds.
    let brief = outage(r#", duration: "20s""#);
    let (_, trace) = ran(&brief);
    assert_eq!(times(&trace, "provisioning-succeeded"), [first + 519_500]);
    let said = verdict(&brief, 300_000);
    assert!(
        said.contains("refused by its driver for good, which is asked again within 9 min"),
        "{said}"
    );
    // Of 25 events the rest is left out (`EventSourceObjectSpamFilter`), and 1 + (10,740 - 60 - 511) / 300 are more.
    let said = verdict(&outage("").replace(r#""30m""#, r#""3h""#), 10_740_000);
    assert!(said.contains("refused by its driver for good"), "{said}");
}

/// Where no node was chosen, or the driver knows no topologies, storage that is gone is as any other error.
#[test]
fn a_claim_that_no_other_node_would_help_is_asked_for_again() {
    let entry = |lasts: &str| {
        format!(
            r#"(at: "50s", do: ProvisioningOutage(fails: ResourceExhausted, duration: "{lasts}"))"#
        )
    };
    let of = |claim: &str, lasts: &str| {
        let text = grows("1.34", &entry(lasts));
        ran(&text.replace(r#"provision: "8500ms""#, &format!(r#"provision: "8500ms", {claim}"#))).1
    };
    let trace = of("binding: Immediate", "12s");
    let first = times(&trace, "provisioning-immediately")[0];
    assert_eq!(times(&trace, "provisioning-failed"), [first, first + 1_000]);
    let trace = of("access: RWX", "20s");
    let first = times(&trace, "provisioning ")[0];
    let refused = [0, 1_000, 3_000, 7_000].map(|after| first + after);
    assert_eq!(times(&trace, "provisioning-failed"), refused);
    assert_eq!(times(&trace, "provisioning-succeeded"), [first + 23_500]);
}
