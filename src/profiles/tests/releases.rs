//! Which releases there are, how they are written, and what each says of itself.

use super::*;
use crate::plan::Profile;
use std::collections::BTreeMap;

#[test]
fn releases_are_read_as_people_write_them() {
    for (text, release) in [
        ("1.32", "v1.32.13"),
        ("v1.32", "v1.32.13"),
        ("1.20.2", "v1.20.2"),
        ("v1.20.2", "v1.20.2"),
        ("1.6.0", "v1.6.0"),
        ("v1.34.4+k3s1", "v1.34.4"),
        ("v1.29.3-eks-a737599", "v1.29.3"),
        ("1.37", "v1.37.1"),
        ("1.38-alpha", "v1.38.0-alpha.0"),
        ("v1.38.0-alpha.0+abc", "v1.38.0-alpha.0"),
    ] {
        assert_eq!(profile(text).map(|p| p.release), Ok(release.to_owned()), "{text}");
    }
}

#[test]
fn unknown_releases_are_refused_with_what_there_is() {
    const KNOWN: &str =
        "1.6 to 1.37 and the pre-release \"1.38-alpha\" (v1.38.0-alpha.0) are known";
    for (text, message, hint) in [
        ("1.5", "Kubernetes 1.5 is not known", KNOWN),
        ("1.39", "Kubernetes 1.39 is not known", KNOWN),
        ("1.99", "Kubernetes 1.99 is not known", KNOWN),
        ("1.38", "Kubernetes 1.38 is not known yet", KNOWN),
        ("1.38.0", "Kubernetes 1.38.0 is not known yet", KNOWN),
        ("2.0", "Kubernetes 2.0 is not known", KNOWN),
        (
            "1.32.99",
            "Kubernetes 1.32.99 is not known: the last known patch of 1.32 is v1.32.13",
            "write \"1.32\" for v1.32.13",
        ),
        ("1.37.0-rc.1", "1.37.0-rc.1 is a release before the release", KNOWN),
        ("v1.38.0-alpha.1", "1.38.0-alpha.1 is a release before the release", KNOWN),
    ] {
        let error = profile(text).expect_err(text);
        assert_eq!((error.to_string().as_str(), error.hint.as_deref()), (message, Some(hint)));
    }
    for text in [
        "",
        "1",
        "v",
        "latest",
        "1.x",
        "1.20.2.3",
        "1..2",
        "-1.20",
        "1.30-",
        "1.028",
        "1.28.01",
        "1.99999999999999999999",
        "１.３４",
    ] {
        let error = profile(text).expect_err(text).to_string();
        assert_eq!(error, format!("{text:?} is not a release of Kubernetes"));
    }
}

/// It comes after all that are out, and what it is called for short is read as itself.
#[test]
fn the_pre_release_sorts_after_the_releases() {
    let all: Vec<Release> = Release::all_minors().collect();
    assert!(all.is_sorted());
    let short = ["1.6", "1.37", "1.38-alpha"].map(str::to_owned);
    assert_eq!([all[0], all[31], all[32]].map(Release::short), short);
    assert!(all.iter().all(|r| Release::parse(&r.short()) == Ok(*r)));
}

/// v1.38.0-alpha.0 is the commit at which the branch of 1.37 begins: its gates are those of 1.37.1, and what
/// that release mends is nothing that is modelled.
#[test]
fn the_pre_release_does_what_the_release_before_it_does() {
    let (pre, last) = (profile("1.38-alpha").unwrap(), profile("1.37.1").unwrap());
    assert_eq!(Profile { release: last.release.clone(), ..pre }, last);
    let [pre, last] = ["1.38-alpha", "1.37.1"].map(|text| Release::parse(text).unwrap());
    assert_eq!(gates_of(pre), gates_of(last));
}

/// Between 1.32 and 1.33 node failure handling changed in S19 alone; the gate SchedulerPopFromBackoffQ, which 1.32 has not, is on.
#[test]
fn a_release_without_each_of_its_changes() {
    let own = profile("1.33").unwrap();
    let without = without_each("1.33", "1.32", &BTreeMap::new()).unwrap();
    let differ = |differs: &dyn Fn(&Profile) -> bool| without.iter().filter(|p| differs(p)).count();
    assert!(without.iter().all(|p| *p != own && p.release == own.release));
    assert_eq!(differ(&|p| p.taint_eviction != own.taint_eviction), 1);
    assert_eq!(differ(&|p| p.node_lifecycle != own.node_lifecycle), 0);
    // The step of the scheduler, in which it is one switch of several, and the gate.
    assert_eq!(differ(&|p| !p.scheduler.pops_from_backoff), 2);
    let set = BTreeMap::from([("SchedulerPopFromBackoffQ".to_owned(), true)]);
    assert_eq!(without_each("1.33", "1.32", &set).unwrap().len(), without.len() - 1);
    assert_eq!(without_each("1.33", "1.33", &BTreeMap::new()), Ok(Vec::new()));
}

#[test]
fn recorded_minors_are_marked() {
    let recorded: Vec<u32> =
        Release::all_minors().filter(|r| r.recorded()).map(|r| r.minor).collect();
    assert_eq!(recorded, (18..=38).collect::<Vec<u32>>());
    // 1.6 to 1.37, and 1.38-alpha.
    assert_eq!(Release::all_minors().count(), 33);
    // The releases that the recordings name.
    for text in [
        "1.18.20",
        "1.19.16",
        "1.20.15",
        "1.21.14",
        "1.22.17",
        "1.23.17",
        "1.24.17",
        "1.25.16",
        "1.26.15",
        "1.27.16",
        "1.28.15",
        "1.29.6",
        "1.30.14",
        "1.31.14",
        "1.32.13",
        "1.33.13",
        "1.34.4",
        "1.35.4",
        "1.36.3",
        "1.37.1",
        "1.38.0-alpha.0",
    ] {
        assert!(profile(text).is_ok_and(|p| p.recorded), "{text}");
    }
}
