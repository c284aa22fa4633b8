//! Brings the nodes, workloads and pods of `cluster: From("cluster.json")` into a scenario, behind
//! those that it writes itself.
//!
//! They are groups of the language like any others: entries of the timeline name them, `--set`
//! changes them, and what is wrong with them is reported at `cluster`.

use super::loaded::Loaded;
use crate::files::{self, InputFile};
use crate::import::{ImportedCluster, Input};
use crate::language::Cluster;
use crate::language::Problem;
use crate::language::text::place::at;

/// Reads the file that the scenario points at, if it points at one.
pub(super) fn attach(loaded: &mut Loaded) -> Result<(), Problem> {
    let Some(Cluster::From(file)) = &loaded.spec.cluster else {
        return Ok(());
    };
    let place = loaded.cluster.clone().unwrap_or_else(|| loaded.folder.join(file));
    let copy = files::copy_name(file, &loaded.inputs);
    let read = Input::packed(&place, loaded.places.of(&place)).and_then(|input| {
        let file =
            InputFile { file: input.file.clone(), bytes: input.bytes, hash: input.hash, copy };
        let cluster = ImportedCluster::read(&[input])?;
        // A file of workloads is enough for a scenario that writes nodes itself.
        let own = !loaded.spec.nodes.is_empty() || !loaded.spec.pods.is_empty();
        Ok((file, if own { cluster } else { cluster.simulable()? }))
    });
    let (file, cluster) = read.map_err(|error| {
        let problem = Problem::new(error.to_string())
            .help("a path is relative to the scenario; `taintsim import` reads the same files");
        let place = at!["cluster"];
        loaded.located(&place, problem)
    })?;
    loaded.inputs.push(file);
    loaded.take_in(cluster);
    Ok(())
}
