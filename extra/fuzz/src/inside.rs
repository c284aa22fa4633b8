//! Readers of small texts that have no door of their own: the text stands in a scenario, or in an
//! export, that is whole but for it.

use crate::files::said;
use crate::target::{Check, Kind, Target, lines, of_text, refused, shape, taken};
use std::path::Path;
use taintsim::import::{ImportedCluster, Input};
use taintsim::language::{DelayText, FlagValue, OneOrMany, Step, Timing};
use taintsim::scenario::{self, Loaded, Overrides};

pub(crate) static TARGETS: [Target; 5] = [
    Target {
        name: "times",
        kind: Kind::Inside,
        text: true,
        long: 300_000,
        seeds: || lines(include_str!("../corpus/times.txt")),
        words: &[
            "cut",
            "end of ",
            "start of ",
            "lag",
            " + ",
            " - ",
            "+",
            "10s",
            "1m",
            "horizon",
            "292y",
            "\"",
            "(",
            ")",
        ],
        check: times,
    },
    Target {
        name: "delays",
        kind: Kind::Inside,
        text: true,
        long: 300_000,
        seeds: || lines(include_str!("../corpus/delays.txt")),
        words: &["..", "ms", "us", "s", "h", ".", "-", "+"],
        check: delays,
    },
    Target {
        name: "sets",
        kind: Kind::Inside,
        text: true,
        long: 300_000,
        seeds: || lines(include_str!("../corpus/sets.txt")),
        words: &[
            "horizon",
            "timing",
            "request",
            "watch",
            "seed",
            "existing",
            "nodes",
            "pods",
            "workloads",
            "timeline",
            "controllers",
            "flags",
            "web",
            "solo",
            "cut",
            "a",
            "a-{0..1}",
            "*",
            "[0]",
            "[1]",
            "names",
            "zone",
            "taints",
            "labels.x",
            "capacity.cpu",
            "count",
            "replicas",
            "template.",
            "tolerations[unreachable].tolerationSeconds",
            "=",
            ".",
            "\"",
            "All",
            "Zone(\"a\")",
            "none",
            "true",
            "podDisruptionBudgets.keep.minAvailable",
            "50%",
            "duration",
            "{0..99999}",
            "lease_period",
            "skew",
            "fraction",
        ],
        check: sets,
    },
    Target {
        name: "references",
        kind: Kind::Inside,
        text: true,
        long: 300_000,
        seeds: || lines(include_str!("../corpus/references.txt")),
        words: &[
            "a-0",
            "a-{0..1}",
            "solo",
            "web",
            "default/",
            "{",
            "}",
            "..",
            "*",
            "?",
            ",",
            "/",
            "Deployment/",
        ],
        check: references,
    },
    Target {
        name: "rfc3339",
        kind: Kind::Inside,
        text: true,
        long: 300_000,
        seeds: || lines(include_str!("../corpus/rfc3339.txt")),
        words: &[
            "T",
            "Z",
            "+",
            "-",
            ":",
            ".",
            "00",
            "29",
            "31",
            "59",
            "60",
            "9999",
            "0000",
            "+23:59",
            "2024-02-29",
            "\\u005a",
        ],
        check: rfc3339,
    },
];

/// A scenario that is whole.
fn whole() -> Loaded {
    let text = include_str!("../corpus/inside.ron");
    let loaded = scenario::parse("inside.ron", text.as_bytes().to_vec(), Path::new(""))
        .expect("the scenario that values are put into is whole");
    scenario::build(&loaded, &Overrides::default())
        .expect("the scenario that values are put into builds");
    loaded
}

/// Builds after a value was put in; the text in the middle of the scenario is left as it was.
fn built(put: fn(&mut Loaded, &str)) -> Check {
    let whole = whole();
    of_text(move |text| {
        let mut loaded = whole.clone();
        put(&mut loaded, text);
        match scenario::build(&loaded, &Overrides::default()) {
            Ok(plan) => taken(plan.timeline.len() as u64),
            Err(problems) => said(&problems),
        }
    })
}

fn times() -> Check {
    built(|loaded, text| loaded.spec.timeline[1].at = text.into())
}

fn delays() -> Check {
    built(|loaded, text| {
        if let Some(Timing::Custom { request, .. }) = &mut loaded.spec.timing {
            *request = Some(DelayText::from(text));
        }
    })
}

/// A text where a node is meant, where pods are named, or where a flag has its value.
fn references() -> Check {
    built(|loaded, text| match text.len() % 3 {
        0 => {
            if let Step::Crash { node, .. } = &mut loaded.spec.timeline[2].step {
                *node = Some(text.to_owned());
            }
        }
        1 => loaded.spec.pods[0].names = Some(OneOrMany::from(text)),
        _ => {
            let flag = FlagValue::Text(text.to_owned());
            loaded
                .spec
                .flags
                .kube_controller_manager
                .insert("node-monitor-grace-period".to_owned(), flag);
        }
    })
}

fn sets() -> Check {
    let whole = whole();
    of_text(move |text| {
        let overrides = Overrides { sets: vec![text.to_owned()], ..Overrides::default() };
        match scenario::build(&whole, &overrides) {
            Ok(plan) => taken(plan.nodes.len() as u64),
            Err(problems) => said(&problems),
        }
    })
}

fn rfc3339() -> Check {
    const EXPORT: &str = include_str!("../corpus/inside.json");
    of_text(|text| {
        let quoted = format!("{text:?}");
        let inside = quoted.get(1..quoted.len() - 1).unwrap_or_default();
        let input = Input::from_bytes("inside.json", EXPORT.replace("AT", inside).into_bytes());
        match input.and_then(|input| ImportedCluster::read(&[input])) {
            Ok(cluster) => {
                let zero = cluster.summary.time_zero.map(|t| t.to_rfc3339()).unwrap_or_default();
                taken(zero.len() as u64)
            }
            Err(error) => refused(shape(&error)),
        }
    })
}
