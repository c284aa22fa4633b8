//! Readers of files that only commands have, without the commands: for whoever gives them what
//! nobody would write. What is read is used as far as it goes without a run; the number stands for
//! what came of it.

use super::plan;
use super::prelude::*;
use crate::evidence::{Evidence, Heard, Watchfulness, reconstruct};
use crate::import::Asked;
use crate::outages;

pub use super::shards::{result as shard_result, work_plan};

/// What an earlier plan kept, `plan.json`.
///
/// # Errors
/// What is wrong with it.
pub fn kept_plan(bytes: &[u8]) -> Result<u64, String> {
    let (kept, _) = plan::kept_of(bytes)?;
    Ok(kept.each_apart().len() as u64)
}

/// A history of outages, in whichever form.
///
/// # Errors
/// What is wrong with it.
pub fn history(text: &str) -> Result<u64, String> {
    let history = outages::read(text, None).map_err(|problem| problem.message)?;
    Ok(u64::from(history.noticed_after(40.0).spans().is_some()))
}

/// Events, an audit log, logs of controllers, or an answer of Prometheus: what they tell becomes a
/// scenario, which has to build.
///
/// # Errors
/// What they do not tell; what is put together and does not build begins with `built: `.
pub fn evidence(text: &str) -> Result<u64, String> {
    let file = Evidence { file: "f".to_owned(), text: text.to_owned() };
    let watchfulness = Watchfulness { grace: Dur::from_secs(50), period: Dur::from_secs(5) };
    let was = reconstruct(Heard::of(&[file]), watchfulness, ("f", &Asked::default()))
        .map_err(|e| e.to_string())?;
    let loaded = scenario::parse("f.ron", was.text.into_bytes(), Path::new(""));
    let built = loaded.and_then(|l| scenario::build(&l, &scenario::Overrides::default()));
    let plan = built.map_err(|e| format!("built: {e}"))?;
    Ok(plan.nodes.len() as u64 ^ (plan.timeline.len() as u64) << 16)
}
