//! Readers of files that only commands have: work plans and what their shards found, plans that
//! were kept, histories of outages, and what is left of past ones.

use crate::files::shipped;
use crate::target::{Kind, Outcome, Target, of_text, refused, shape, taken};
use taintsim::cli::readers;

const JSON: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "null",
    "true",
    "[]",
    "{}",
    "\"../a\"",
    "\"/dev/zero\"",
    "\"fnv1a64:0\"",
    "1e308",
    "-1e308",
    "1e-308",
    "18446744073709551615",
    "4294967295",
    "-1",
    "0.0",
    "\\u0000",
    "\\ud800",
];

const TOLD: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\n",
    "null",
    "true",
    "\"0001-01-01T00:00:00Z\"",
    "\"9999-12-31T23:59:59.999999999Z\"",
    "\"1970-01-01T00:00:00Z\"",
    "\"NodeNotReady\"",
    "\"TaintManagerEviction\"",
    "\"Killing\"",
    "\"kind\":",
    "\"items\":",
    "\"reason\":",
    "\"verb\":",
    "\"delete\"",
    "\"nodes\"",
    "\"pods\"",
    "\"subresource\":",
    "\"eviction\"",
    "E1120 04:42:10.123456       1 ",
    "I0101 00:00:00.000000       1 ",
    "I1231 23:59:59.999999       1 ",
    " pod=\"shop/web-0\"",
    " node=\"a-1\"",
    "] \"",
];

const HISTORIES: &[&str] = &[
    ",",
    "\n",
    " ",
    "\t",
    "\"",
    "node",
    "start",
    "end",
    "kind",
    "0",
    "1",
    "-1",
    "1e308",
    "nan",
    "inf",
    "1763613600",
    "1763613600000",
    "18446744073709551615",
    "LOOPAFTER ",
    "1970-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "NULL",
    "#",
    "{",
    "}",
    "[",
    "]",
    ":",
];

/// The targets of this family.
pub(crate) static TARGETS: [Target; 8] = [
    Target {
        name: "work-plans",
        kind: Kind::File,
        text: true,
        long: 1_500_000,
        seeds: || vec![include_bytes!("../corpus/work-plan.json").to_vec()],
        words: JSON,
        check: || Box::new(|bytes| said(readers::work_plan(bytes))),
    },
    Target {
        name: "shard-results",
        kind: Kind::File,
        text: false,
        long: 1_500_000,
        seeds: || vec![include_bytes!("../corpus/shard.result").to_vec()],
        words: JSON,
        check: || Box::new(|bytes| said(readers::shard_result(bytes))),
    },
    Target {
        name: "kept-plans",
        kind: Kind::File,
        text: true,
        long: 1_500_000,
        seeds: || vec![include_bytes!("../corpus/kept.json").to_vec()],
        words: JSON,
        check: || Box::new(|bytes| said(readers::kept_plan(bytes))),
    },
    Target {
        name: "histories",
        kind: Kind::File,
        text: true,
        long: 2_500_000,
        seeds: || parts(include_str!("../corpus/histories.txt")),
        words: HISTORIES,
        check: || of_text(|text| said(readers::history(text))),
    },
    Target {
        name: "events",
        kind: Kind::File,
        text: true,
        long: 1_000_000,
        seeds: || parts(include_str!("../corpus/events.txt")),
        words: TOLD,
        check: || of_text(told),
    },
    Target {
        name: "audit-logs",
        kind: Kind::File,
        text: true,
        long: 1_000_000,
        seeds: || parts(include_str!("../corpus/audit.txt")),
        words: TOLD,
        check: || of_text(told),
    },
    Target {
        name: "klog",
        kind: Kind::File,
        text: true,
        long: 500_000,
        seeds: || {
            let all = shipped("tests/logs", ".log").into_iter().map(|(_, b)| b);
            all.filter(|b| b.len() < 6 << 10).collect()
        },
        words: TOLD,
        check: || of_text(told),
    },
    Target {
        name: "metrics",
        kind: Kind::File,
        text: true,
        long: 500_000,
        seeds: || parts(include_str!("../corpus/metrics.txt")),
        words: TOLD,
        check: || of_text(told),
    },
];

/// The inputs of a file that holds several.
fn parts(text: &'static str) -> Vec<Vec<u8>> {
    let parts = text.split("\n=====\n").map(|p| p.as_bytes().to_vec());
    parts.collect()
}

fn said(read: Result<u64, String>) -> Outcome {
    match read {
        Ok(of) => taken(of),
        Err(text) if text.is_empty() => Err("refused without words".to_owned()),
        Err(text) => refused(shape(&text)),
    }
}

/// What was put together of what is told has to build.
fn told(text: &str) -> Outcome {
    match readers::evidence(text) {
        Err(text) if text.starts_with("built: ") => {
            Err(format!("an outage that does not build: {text}"))
        }
        read => said(read),
    }
}
