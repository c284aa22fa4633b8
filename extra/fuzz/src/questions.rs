//! What the playground's page asks its module.

use crate::runs::{self, HORIZON_MAX};
use crate::target::{Kind, Outcome, Target, refused, taken};
use std::path::Path;
use taintsim::kernel::Time;
use taintsim::scenario::{self, Overrides};
use taintsim_playground::{Question, Scenario};

pub(crate) static TARGETS: [Target; 1] = [Target {
    name: "questions",
    kind: Kind::Run,
    text: true,
    long: 10_000_000,
    seeds,
    words: &[
        "{",
        "}",
        "[",
        "]",
        "\"",
        ":",
        ",",
        "\\",
        "\\u",
        "\\ud800",
        "\n",
        "null",
        "do",
        "about",
        "check",
        "run",
        "page",
        "events",
        "import",
        "files",
        "name",
        "bytes",
        "text",
        "seed",
        "kubernetes",
        "1.18",
        "1.37",
        "18446744073709551616",
        "-1",
        "1e9",
    ],
    check: || Box::new(asked),
}];

/// A question, a line end, and the files that follow it.
fn seeds() -> Vec<Vec<u8>> {
    let scenario = include_str!("../corpus/inside.ron").replace("20m", "6m");
    let export = include_str!("../corpus/export.yaml");
    let of_scenario = |does: &str| {
        format!("{{\"do\":\"{does}\",\"name\":\"a.ron\",\"text\":{scenario:?},\"seed\":\"7\"}}\n")
    };
    let import = format!(
        "{{\"do\":\"import\",\"files\":[{{\"name\":\"a.yaml\",\"bytes\":{}}}]}}\n{export}",
        export.len()
    );
    ["check", "run", "page", "events"]
        .map(of_scenario)
        .into_iter()
        .chain([import, "{\"do\":\"about\"}\n".to_owned()])
        .map(String::into_bytes)
        .collect()
}

fn asked(input: &[u8]) -> Outcome {
    let end = input.iter().position(|b| *b == b'\n').unwrap_or(input.len());
    let document = u32::try_from(end).map_or([0; 4], u32::to_le_bytes);
    let rest = input.get(end + 1..).unwrap_or_default();
    // One in some is taken as a whole packet, of which the first bytes are a length.
    let packet = if input.len() % 16 == 5 {
        input.to_vec()
    } else {
        [&document, &input[..end], rest].concat()
    };
    let answer = match Question::read(&packet) {
        Ok((Question::Run(s) | Question::Page(s) | Question::Events(s), _)) if !is_small(&s) => {
            return refused(0);
        }
        Ok((question, bytes)) => question.answer(bytes),
        Err(answer) => answer,
    };
    let said = answer
        .split_first_chunk::<4>()
        .and_then(|(length, rest)| rest.get(..u32::from_le_bytes(*length) as usize))
        .ok_or("the answer is no packet")?;
    let said = std::str::from_utf8(said).map_err(|e| format!("the answer is no UTF-8: {e}"))?;
    let way = said.len() as u64;
    if said.starts_with("{\"mistakes\"") || said.starts_with("{\"defect\"") {
        refused(way)
    } else {
        taken(way)
    }
}

/// Whether a scenario does not build, or is small enough to be run.
fn is_small(asked: &Scenario) -> bool {
    let text = asked.text.clone().into_bytes();
    let Ok(loaded) = scenario::parse(&asked.name, text, Path::new("no-such-folder")) else {
        return true;
    };
    let overrides = Overrides { kubernetes: asked.kubernetes.clone(), ..Overrides::default() };
    scenario::build(&loaded, &overrides)
        .map_or(true, |plan| runs::is_small(&plan) && plan.horizon <= Time::ZERO + HORIZON_MAX)
}
