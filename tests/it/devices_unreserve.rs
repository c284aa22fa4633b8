//! What becomes of a pod's claims whose binding fails (`DynamicResources.Unreserve`, `PostFilter`), by arithmetic.

use super::devices::{bound, ran, told};

/// `p` shares the claim `gpu` and is deleted at 10.000 s; `q` has a claim of its own and that one, and comes at 9.975.
/// Requests and replies take 5 ms, watches 20 ms.
///
/// The resourceclaim controller hears of `q` at 9.995, has made its claim at 10.005, and its PATCH arrives at .010: at
/// .030 the scheduler hears of it, and places `q` on `a`, where `gpu` is. It is nominated at .040, its own claim has
/// the finalizer at .050, and is allocated and reserved with what arrives at .055. Of `gpu`, which is deallocated at
/// .025, that meets a conflict at .065, known at .070. 10 to 11 ms later it is read, in 10 ms, and `q` given up.
fn text(more: &str) -> String {
    let own = r#"resourceClaims: [(), (resourceClaimName: "gpu")]"#;
    format!(
        r#"Scenario(version: 1, kubernetes: "1.36", horizon: "1m",
            timing: Custom(request: "5ms", response: "5ms", watch: "20ms", user: Raw),
            nodes: [(names: "{{a,b}}", devices: [(names: "gpu-{{0..1}}")])],
            resourceClaims: [(name: "gpu")],
            pods: [(name: "p", on: Node("a"), resourceClaims: [(resourceClaimName: "gpu")])],
            timeline: [(at: "9.975s", do: CreatePod(pod: (name: "q", on: Unbound, {own}))),
                (at: "10s", do: DeletePod(pod: "p", gracePeriodSeconds: 0)), {more}])"#
    )
}

/// When something was allocated after the start.
fn allocated(trace: &taintsim::trace::Trace) -> Vec<(u64, String)> {
    told(trace, "devices-allocated").into_iter().filter(|(at, _)| *at > 1_000).collect()
}

/// The reservation of `q`'s own claim is taken back by a PATCH, which arrives 5 ms after that, and the event about `q`
/// comes 10 ms later still. The claim stays allocated: at 12 s, with the first whole second after a back-off of one,
/// there is only a reservation to be written, without a finalizer, 10 ms for the nomination and 5 ms after it. `gpu`
/// gets both, in 20 ms after the reply.
#[test]
fn a_reservation_is_taken_back_and_the_claim_stays_allocated() {
    let trace = ran(&text(""));
    let [(at, _)] = told(&trace, "claim-unreserved")[..] else { panic!("once") };
    assert!((10_095..=10_096).contains(&at), "{at}");
    let events = told(&trace, "event").into_iter();
    let failed: Vec<_> = events.filter(|(_, text)| text.contains("got deallocated")).collect();
    let [(at, _)] = failed[..] else { panic!("{failed:?}") };
    assert!((10_105..=10_106).contains(&at), "{at}");
    let expected = [(10_055, "gpu-1"), (12_015, "gpu-1"), (12_035, "gpu-0")];
    assert_eq!(allocated(&trace), expected.map(|(at, names)| (at, names.to_owned())));
    assert_eq!(told(&trace, "devices-freed").len(), 1, "that of `p`");
    assert_eq!(bound(&trace).last().map(|(_, who)| &**who), Some("default/q a"));
}

/// Where `a` is cordoned at 11 s no node takes `q` at 12 s: its claim holds it to `a`, and nobody else has it. The
/// scheduler deallocates it, which arrives at 12.005. It hears of that at .025, and tries `q` again, which gets two
/// devices of `b`: after 10 ms for the nomination the first arrives 5 ms later, as its claim has kept the finalizer
/// (`bindClaim`), and the other with `gpu`, 5 ms for the reply, 10 for its finalizer and 5 after it.
#[test]
fn a_claim_that_keeps_a_pod_from_all_nodes_is_deallocated() {
    let trace = ran(&text(r#"(at: "11s", do: Cordon(node: "a"))"#));
    let freed: Vec<u64> = told(&trace, "devices-freed").into_iter().map(|(at, _)| at).collect();
    assert_eq!(freed, [10_025, 12_005]);
    let events = told(&trace, "event").into_iter();
    let failed: Vec<_> =
        events.filter(|(at, text)| *at > 12_000 && text.starts_with("Failed")).collect();
    let [(_, text)] = &failed[..] else { panic!("{failed:?}") };
    assert!(text.contains("1 resourceclaim not available on the node"), "{text}");
    assert!(text.contains("deallocation of ResourceClaim completed, preemption: "), "{text}");
    let [_, last @ ..] = &allocated(&trace)[..] else { panic!("{trace:?}") };
    let expected = [(12_040, "gpu-0"), (12_060, "gpu-1")];
    assert_eq!(last, expected.map(|(at, names)| (at, names.to_owned())));
    assert_eq!(bound(&trace).last().map(|(_, who)| &**who), Some("default/q b"));
}
