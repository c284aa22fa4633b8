//! What may be asked.

use crate::packet::{pack, unpack};
use crate::run::{self, Reasons};
use crate::{import, mistakes};
use serde::Deserialize;
use serde_json::json;
use taintsim::language;
use taintsim::profiles::Release;

/// A question, by what is to be done.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
enum Question {
    /// Which release of taintsim this is, which releases of Kubernetes it knows, and the language's
    /// JSON Schema.
    About,
    /// Which mistakes a scenario has.
    Check(Scenario),
    /// A run as columns for the report's page, without why things happened.
    Run(Scenario),
    /// The same with it, as the program's page holds them.
    Page(Scenario),
    /// A run's records, as `events.jsonl` has them.
    Events(Scenario),
    /// A scenario of what kubectl printed of one cluster, which follows as bytes.
    Import {
        /// The files, which follow one after the other.
        files: Vec<File>,
    },
}

/// A file that follows.
#[derive(Deserialize)]
pub(crate) struct File {
    /// Its name, for messages.
    pub(crate) name: String,
    /// How long it is.
    pub(crate) bytes: usize,
}

/// A scenario, and how it is run.
#[derive(Deserialize)]
pub(crate) struct Scenario {
    /// The name of its file, for what is said of it.
    pub(crate) name: String,
    /// What it says.
    pub(crate) text: String,
    /// Another seed, as a number in decimal: JavaScript's own have not so many digits.
    pub(crate) seed: Option<String>,
    /// Another release of Kubernetes.
    pub(crate) kubernetes: Option<String>,
}

/// The answer to a packed question, packed.
pub(crate) fn answer(packet: &[u8]) -> Vec<u8> {
    let Some((document, bytes)) = unpack(packet) else {
        return mistakes::defect("the question is no packet");
    };
    match serde_json::from_slice(document) {
        Ok(Question::About) => about(),
        Ok(Question::Check(scenario)) => run::check(scenario),
        Ok(Question::Run(scenario)) => run::columns(scenario, Reasons::Untold),
        Ok(Question::Page(scenario)) => run::columns(scenario, Reasons::Told),
        Ok(Question::Events(scenario)) => run::events(scenario),
        Ok(Question::Import { files }) => import::scenario(&files, bytes),
        Err(error) => mistakes::defect(&format!("the question is not understood: {error}")),
    }
}

/// What the program knows the module by.
const MODULE: &str = concat!("taintsim-playground ", env!("CARGO_PKG_VERSION"), ";");

fn about() -> Vec<u8> {
    let releases: Vec<String> = Release::all_minors()
        .map(|release| release.to_string().trim_start_matches('v').to_owned())
        .collect();
    let about = json!({
        "module": MODULE,
        "releases": releases,
        "schema": language::schema(),
    });
    pack(&about, &[])
}
