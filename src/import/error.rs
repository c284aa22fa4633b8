//! What can be wrong with an export, said so that its owner finds the spot: file, document, item,
//! kind and name.

use std::collections::BTreeMap;
use std::fmt;

/// The command that prints what the importer reads; part of most advice.
pub(crate) const KUBECTL: &str = "kubectl get nodes,pods,leases,deployments,replicasets,statefulsets,daemonsets,jobs,pdb,priorityclasses,pv,pvc,storageclasses,csidrivers,csinodes,volumeattachments -A -o json";

/// What it asks for of devices, where a cluster has them.
pub(crate) const DEVICES: &str =
    "resourceslices,resourceclaims,resourceclaimtemplates,deviceclasses,devicetaintrules";

/// The rules of the node readiness controller, where a cluster has it.
pub(crate) const READINESS: &str = "nodereadinessrules";

/// What is said of a page of a list.
pub(crate) const PART: &str = "is a part of a list, of which the server has more (`metadata.continue`): ask for all of it, without `limit`";

/// What is read from an export.
pub(crate) type Result<T, E = ImportError> = std::result::Result<T, E>;

/// Where in the files an object stands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Place {
    /// The file's name as given, or `stdin`.
    pub(crate) file: String,
    /// The document in the file, from 1; none in a file of one document.
    pub(crate) document: Option<usize>,
    /// The item in the document's list, from 1; none outside of a list.
    pub(crate) item: Option<usize>,
    /// The line, from 1, if it is known.
    pub(crate) line: Option<usize>,
    /// The object's kind as far as it was read.
    pub(crate) kind: String,
    /// The object's `namespace/name`, or name, as far as it was read.
    pub(crate) name: String,
}

/// What is wrong with a text of YAML.
#[derive(Debug, Default, thiserror::Error)]
#[error("{message} at line {line} column {column}")]
pub struct WrongYaml {
    /// From 1; zero is unknown.
    pub(super) line: usize,
    /// The same.
    pub(super) column: usize,
    pub(super) message: String,
    /// The beginning of the JSON that it comes to, up to there.
    pub(super) json: String,
}

/// Where objects stand in the files: by the list of the scenario that they are in, and
/// `namespace/name`, or the name.
pub(super) type Places = BTreeMap<(String, String), Place>;

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(document) = self.document {
            write!(f, ", document {document}")?;
        }
        if let Some(item) = self.item {
            write!(f, ", item {item}")?;
        }
        match (self.kind.is_empty(), self.name.is_empty()) {
            (true, true) => Ok(()),
            (true, false) => write!(f, ", {:?}", self.name),
            (false, true) => write!(f, ", {}", self.kind),
            (false, false) => write!(f, ", {} {:?}", self.kind, self.name),
        }
    }
}

/// Why an export cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file cannot be read, is something else, or holds an object that lacks something or has
    /// something that the API would not have accepted: where, and what.
    #[error("{0}")]
    Wrong(String),
    /// There is nothing in the files that could be simulated: events, logs, an audit trail, a list
    /// without items.
    #[error(
        "{}: neither nodes nor pods, of which a cluster is made, but {found}; use `{KUBECTL} > cluster.json`, and import that file",
        .files.join(", ")
    )]
    Nothing {
        /// The files.
        files: Vec<String>,
        /// What there is instead: "85 Events", or "no object at all".
        found: String,
    },
}

impl ImportError {
    /// It is something else that kubectl prints: `what`, as the predicate of a sentence about the
    /// file.
    pub(super) fn other_output(file: &str, what: &str) -> Self {
        Self::Wrong(format!("{file} {what}; use `{KUBECTL} > cluster.json` instead"))
    }
}
