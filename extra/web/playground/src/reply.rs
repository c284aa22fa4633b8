//! What is answered.

use crate::import;
use crate::packet::pack;
use crate::question::Question;
use crate::run::{self, Reasons};
use serde_json::json;
use taintsim::language;
use taintsim::profiles::Release;

impl Question {
    /// The answer, packed; `bytes` are those that followed the question.
    pub fn answer(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::About => about(),
            Self::Check(scenario) => run::check(scenario),
            Self::Run(scenario) => run::columns(scenario, Reasons::Untold),
            Self::Page(scenario) => run::columns(scenario, Reasons::Told),
            Self::Events(scenario) => run::events(scenario),
            Self::Import { files } => import::scenario(&files, bytes),
        }
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
