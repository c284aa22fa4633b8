//! Kubelets.

mod switches;

pub use switches::{FirstTry, Imitated, KubeletMode, Real, ReportOffset, Switches};
