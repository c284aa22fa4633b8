//! What may be asked.

use crate::mistakes;
use crate::packet::unpack;
use serde::Deserialize;

/// A question, by what is to be done.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Question {
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
#[derive(Debug, Deserialize)]
pub struct File {
    /// Its name, for messages.
    pub name: String,
    /// How long it is.
    pub bytes: usize,
}

/// A scenario, and how it is run.
#[derive(Debug, Deserialize)]
pub struct Scenario {
    /// The name of its file, for what is said of it.
    pub name: String,
    /// What it says.
    pub text: String,
    /// Another seed, as a number in decimal: JavaScript's own have not so many digits.
    pub seed: Option<String>,
    /// Another release of Kubernetes.
    pub kubernetes: Option<String>,
}

impl Question {
    /// The question that is packed, and the bytes that follow it.
    ///
    /// # Errors
    ///
    /// The packed answer that says why it is none.
    pub fn read(packet: &[u8]) -> Result<(Self, &[u8]), Vec<u8>> {
        let (document, bytes) =
            unpack(packet).ok_or_else(|| mistakes::defect("the question is no packet"))?;
        let question = serde_json::from_slice(document).map_err(|error| {
            mistakes::defect(&format!("the question is not understood: {error}"))
        })?;
        Ok((question, bytes))
    }
}
