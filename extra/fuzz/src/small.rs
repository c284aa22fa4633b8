//! Readers of small texts that can be called alone.

use crate::target::{Kind, Outcome, Target, lines, of_text, refused, same, shape, taken};
use taintsim::analysis::properties::Property;
use taintsim::api::budget::IntOrPercent;
use taintsim::api::kubectl_taint::{self, TaintEdit};
use taintsim::api::labels::{Labels, Selector};
use taintsim::api::quantity::Quantity;
use taintsim::language::{duration, names};
use taintsim::profiles::{self, Release};
use taintsim::report::manifest;
use taintsim::report::sweep::columns;
use taintsim::scenario::{expectations, split_values};

pub(crate) static TARGETS: [Target; 10] = [
    Target {
        name: "durations",
        kind: Kind::Small,
        text: true,
        long: 20_000_000,
        seeds: || lines(include_str!("../corpus/durations.txt")),
        words: &[
            "ns",
            "us",
            "µs",
            "μs",
            "ms",
            "s",
            "m",
            "h",
            "d",
            ".",
            "-",
            "+",
            "1h30m",
            "2562047h47m16.854775807s",
        ],
        check: || of_text(durations),
    },
    Target {
        name: "quantities",
        kind: Kind::Small,
        text: true,
        long: 20_000_000,
        seeds: || lines(include_str!("../corpus/quantities.txt")),
        words: &[
            "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e",
            "E-", "e+", ".", "-", "+", "KB",
        ],
        check: || of_text(quantities),
    },
    Target {
        name: "shares",
        kind: Kind::Small,
        text: true,
        long: 10_000_000,
        seeds: || lines(include_str!("../corpus/shares.txt")),
        words: &["%", "+", "-", "100%", "%%"],
        check: || of_text(shares),
    },
    Target {
        name: "taints",
        kind: Kind::Small,
        text: true,
        long: 15_000_000,
        seeds: || lines(include_str!("../corpus/taints.txt")),
        words: &[
            "NoExecute",
            "NoSchedule",
            "PreferNoSchedule",
            "noexecute",
            ":",
            "=",
            "-",
            ",",
            " ",
            "/",
            ".",
            "_",
            "nodes",
            "no",
            "key=value:",
        ],
        check: || of_text(taints),
    },
    Target {
        name: "selectors",
        kind: Kind::Small,
        text: true,
        long: 15_000_000,
        seeds: || lines(include_str!("../corpus/selectors.txt")),
        words: &[
            " in ", " notin ", "in", "notin", "(", ")", "()", ",", "!", "=", "==", "!=", ">", "<",
            "/", ".", "app", "true", "-",
        ],
        check: || of_text(selectors),
    },
    Target {
        name: "names",
        kind: Kind::Small,
        text: true,
        long: 10_000_000,
        seeds: || lines(include_str!("../corpus/names.txt")),
        words: &[
            "{",
            "}",
            "..",
            ",",
            "{0..9}",
            "{00..10}",
            "{a,b}",
            "{1..18446744073709551615}",
            "-",
            "/",
            "*",
            "?",
        ],
        check: || of_text(names_and_ranges),
    },
    Target {
        name: "releases",
        kind: Kind::Small,
        text: true,
        long: 10_000_000,
        seeds: || lines(include_str!("../corpus/releases.txt")),
        words: &["v", ".", "+", "-", "1.", "alpha", "beta.1", "rc", "-gke.100", "+k3s1", "-eks-"],
        check: || of_text(releases),
    },
    Target {
        name: "properties",
        kind: Kind::Small,
        text: true,
        long: 10_000_000,
        seeds: || lines(include_str!("../corpus/properties.txt")),
        words: &["(", ")", "pod-stuck", "EvictLoop", "-", "10s", "never", "Never", "taint-"],
        check: || of_text(properties),
    },
    Target {
        name: "figures",
        kind: Kind::Small,
        text: true,
        long: 2_000_000,
        seeds: || lines(include_str!("../corpus/figures.txt")),
        words: &["all", ":", ",", "/", "default", "Deployment", "web", "db", "up", "missing"],
        check: || of_text(figures),
    },
    Target {
        name: "paths",
        kind: Kind::Small,
        text: true,
        long: 10_000_000,
        seeds: || lines(include_str!("../corpus/sets.txt")),
        words: &["=", ",", "[", "]", "(", ")", "{", "}", "\"", ".", "*"],
        check: || of_text(paths),
    },
];

fn durations(text: &str) -> Outcome {
    let signed = duration::parse_signed(text);
    let read = match (duration::parse(text), &signed) {
        (Ok(read), Ok(ns)) => {
            same(
                "a duration with a sign and one without",
                &i128::from(read.as_nanos()),
                &i128::from(*ns),
            )?;
            read
        }
        (Ok(_), Err(error)) => {
            return Err(format!("read without a sign and not with one: {error}"));
        }
        (Err(error), _) => return refused(shape(&error)),
    };
    let (ours, go) = (duration::format(read), read.to_string());
    same("a duration written and read", &duration::parse(&ours), &Ok(read))?;
    same("a duration written as Go does and read", &duration::parse(&go), &Ok(read))?;
    duration::whole_seconds(text);
    taken(go.len() as u64)
}

fn quantities(text: &str) -> Outcome {
    let read = match Quantity::parse(text) {
        Ok(read) => read,
        Err(error) => {
            error.hint();
            return refused(shape(&error));
        }
    };
    let written = read.to_string();
    let again = Quantity::parse(&written)
        .map_err(|e| format!("a quantity written cannot be read: {written}: {e}"))?;
    same("a quantity written and read", &again, &read)?;
    // Rounded away from zero, and not by more than one.
    let (value, milli) = (read.value(), read.milli_value());
    if milli.abs() > value.abs() * 1000 || (value.abs() - 1) * 1000 >= milli.abs().max(1) {
        return Err(format!("a quantity in units and in thousandths: {value} and {milli}"));
    }
    // Numbers alone, as notation may change: a sum of two is twice as much.
    if let Some(twice) = read.checked_add(read)
        && (twice < read) != read.is_negative()
    {
        return Err("a quantity added to itself has another sign".to_owned());
    }
    taken((written.len() as u64) << 8 ^ (milli & 0xff) as u64)
}

fn shares(text: &str) -> Outcome {
    let Some(read) = IntOrPercent::parse(text) else {
        return refused(0);
    };
    same("a share written and read", &IntOrPercent::parse(&read.to_string()), &Some(read))?;
    let counts = [0, 1, 3, 100, 150_000, i32::MAX].map(|n| read.of(n));
    if matches!(read, IntOrPercent::Percent(0..=100)) && !counts.is_sorted() {
        return Err(format!("shares of more are fewer: {counts:?}"));
    }
    taken(1 + counts.iter().filter(|n| **n == 0).count() as u64)
}

fn taints(text: &str) -> Outcome {
    let args: Vec<&str> = text.split(' ').collect();
    for removes in [false, true] {
        if let Ok(edit) = kubectl_taint::parse_recorded(text, removes) {
            _ = all(&edit);
        }
    }
    match kubectl_taint::parse(&args) {
        Ok(edit) => {
            let written = all(&edit);
            let again = kubectl_taint::parse(&written.split(',').collect::<Vec<_>>())
                .map_err(|e| format!("taints written cannot be read: {written}: {e}"))?;
            same("taints written and read", &again, &edit)?;
            taken((edit.add.len() as u64) << 8 ^ (edit.remove.len() as u64) << 16)
        }
        Err(error) => refused(begun(&error.text) ^ u64::from(error.hint.is_some())),
    }
}

/// The shape of a refusal in kubectl's words, which quote nothing: what stands before a colon.
fn begun(text: &str) -> u64 {
    shape(&text.split(':').next().unwrap_or_default())
}

/// Taints as they are added and removed.
fn all(edit: &TaintEdit) -> String {
    let removed = edit
        .remove
        .iter()
        .map(|(key, effect)| effect.map_or(format!("{key}-"), |e| format!("{key}:{e}-")));
    edit.add.iter().map(ToString::to_string).chain(removed).collect::<Vec<_>>().join(",")
}

fn selectors(text: &str) -> Outcome {
    let read = match Selector::parse(text) {
        Ok(read) => read,
        Err(error) => return refused(shape(&error)),
    };
    let written = read.to_string();
    let again = Selector::parse(&written)
        .map_err(|e| format!("a selector written cannot be read: {written}: {e}"))?;
    same("a selector written and read", &again, &read)?;
    let labels: Labels = [("app", "web"), ("x", "1"), ("zone", "")]
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .into();
    taken(u64::from(read.matches(&labels)) ^ (read.requirements().len() as u64) << 32)
}

fn names_and_ranges(text: &str) -> Outcome {
    const LIMIT: u64 = 200;
    expectations::glob(text, "a-3");
    expectations::glob("a-*?", text);
    if names::stem(text).len() > text.len() {
        return Err("a group's name is longer than what it is made from".to_owned());
    }
    match names::expand(text, LIMIT) {
        Ok(all) if all.len() as u64 > LIMIT => {
            Err(format!("more names than the limit: {}", all.len()))
        }
        Ok(all) => taken(all.len() as u64),
        Err(error) => refused(shape(&error)),
    }
}

fn releases(text: &str) -> Outcome {
    match Release::parse(text) {
        Ok(read) => {
            same("a release written and read", &Release::parse(&read.to_string()), &Ok(read))?;
            profiles::profile(&read.to_string())
                .map_err(|e| format!("a release without a profile: {e}"))?;
            taken(u64::from(read.minor))
        }
        Err(error) => refused(shape(&error)),
    }
}

fn properties(text: &str) -> Outcome {
    match Property::parse(text) {
        Ok(read) => {
            same("a property written and read", &Property::parse(&read.to_string()), &Ok(read))?;
            taken(read.name().len() as u64)
        }
        Err(error) => refused(shape(&error)),
    }
}

fn figures(text: &str) -> Outcome {
    let workloads = ["Deployment/default/web", "StatefulSet/default/db", "StatefulSet/shop/db"]
        .map(str::to_owned);
    match columns::parse(&[text.to_owned()], &workloads) {
        Ok(columns) => taken(columns.len() as u64),
        Err(problem) => refused(shape(&problem.message)),
    }
}

fn paths(text: &str) -> Outcome {
    // What stands in a manifest comes from whoever wrote the folder.
    _ = manifest::files(text.as_bytes());
    match split_values(text) {
        Ok((path, values)) => taken((path.len() as u64) << 8 ^ values.len() as u64),
        Err(problem) => refused(shape(&problem.message)),
    }
}
