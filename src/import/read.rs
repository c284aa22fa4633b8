//! From the text of all files to one cluster.

use super::cluster::ImportedCluster;
use super::document;
use super::error::ImportError;
use super::gathered::Gathered;
use super::input::Input;

impl ImportedCluster {
    /// Makes a cluster of what several inputs hold together.
    ///
    /// # Errors
    /// An input is no export, an object is not as the API would have accepted it, or there is
    /// nothing in them that is modelled.
    pub fn read(inputs: &[Input]) -> Result<Self, ImportError> {
        let mut gathered = Gathered::default();
        for input in inputs {
            gathered.summary.files.push(input.file.clone());
            document::read(input, &mut |place, meta, body| gathered.take(place, meta, body))?;
        }
        let cluster = gathered.finish()?;
        let empty = cluster.workloads.is_empty()
            && cluster.budgets.is_empty()
            && cluster.namespaces.is_empty();
        if empty && cluster.priority_classes.is_empty() { cluster.simulable() } else { Ok(cluster) }
    }
}
