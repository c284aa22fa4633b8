//! Dropped files: what `kubectl get … -o json` or `-o yaml` printed becomes a scenario.

use crate::mistakes;
use crate::packet::pack;
use crate::question::File;
use serde_json::json;
use taintsim::import::{ImportError, ImportedCluster, Input};

/// The scenario of exports, and what was taken from them.
pub(crate) fn scenario(files: &[File], bytes: &[u8]) -> Vec<u8> {
    match read(files, bytes) {
        Ok(cluster) => {
            let said = cluster.summary.lines();
            pack(&json!({ "text": cluster.to_scenario(), "said": said }), &[])
        }
        Err(error) => mistakes::of_message(&error.to_string(), None),
    }
}

fn read(files: &[File], mut bytes: &[u8]) -> Result<ImportedCluster, ImportError> {
    let mut inputs = Vec::new();
    for file in files {
        let (own, rest) = bytes.split_at(file.bytes.min(bytes.len()));
        inputs.push(Input::from_bytes(&file.name, own.to_vec())?);
        bytes = rest;
    }
    ImportedCluster::read(&inputs)?.simulable()?.builds()
}
