//! What an export tells of the leader of kube-controller-manager.

use super::times::Stamp;

/// What an export tells of the leader of kube-controller-manager.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Leader {
    /// Its lease is not in the files.
    #[default]
    NotExported,
    /// Its lease is kept up since then.
    Since(Stamp),
    /// Its lease was last renewed then, if ever, which is too long ago.
    Silent(Option<Stamp>),
}

impl Leader {
    /// What is known of the leader of kube-controller-manager, and what is assumed.
    pub(super) fn told(self) -> String {
        match self {
            Self::NotExported => "the lease of kube-controller-manager is not in the files: its leader is taken to have held office for long"
                .to_owned(),
            Self::Since(at) => {
                format!("kube-controller-manager's leader has held office since {}", at.to_rfc3339())
            }
            Self::Silent(at) => {
                let when = at.map_or("never".to_owned(), |at| format!("last at {}", at.to_rfc3339()));
                format!(
                    "the lease of kube-controller-manager was renewed {when}: it is taken to run all the same, without leader election, and for long; if it does not, nothing is tainted, evicted or replaced before it does"
                )
            }
        }
    }
}
