//! The scenario language: the types of a scenario file, field by field, exactly as they are
//! written; its text ([`text`]); and how single values in it are read: durations, names with
//! ranges, flags of components.
//!
//! Fields of Kubernetes objects have Kubernetes' own names (`terminationGracePeriodSeconds`);
//! fields of the language itself are in snake case. Texts with a syntax of their own (durations,
//! quantities, taints, names with ranges) are kept as written; [`crate::scenario`] reads them, so
//! that all mistakes of a file are reported at once.

mod claims;
mod cluster;
pub(crate) mod complaints;
mod containers;
mod devices;
pub mod duration;
mod entry_words;
pub(crate) mod eviction;
mod expect;
mod faults;
mod flag_values;
pub(crate) mod flags;
mod memory;
pub mod names;
mod numbers;
mod prelude;
pub(crate) mod prices;
mod property;
mod readiness;
mod scenario;
mod scheduling;
mod shape;
mod spans;
pub mod text;
mod texts;
mod timeline;
mod timing;
pub(crate) mod values;
mod volumes;
mod workload;

pub(crate) use claims::{Claim, Comparison, Limit, Quantity};
pub(crate) use cluster::*;
pub(crate) use complaints::{Complaints, Spot};
pub(crate) use containers::{Container, ContainerRestartPolicy, Ends, Image, Probe, PullPolicy};
pub use devices::*;
pub(crate) use entry_words::{Afterwards, DrainFlags};
pub use entry_words::{ApiClient, Cut, RestartKind};
pub use expect::Each;
pub(crate) use expect::{Common, DisruptionState, Expectation, Pending};
pub(crate) use faults::*;
pub use flag_values::PLUGINS;
pub(crate) use flag_values::known_plugin;
pub use flags::known as known_flags;
pub(crate) use memory::{Age, Counted, DetachRequested, Failures, Memory, Waiting};
pub use numbers::*;
pub(crate) use prices::Prices;
pub use property::{Property, PropertyError};
pub use readiness::*;
pub(crate) use scenario::{Cluster, Existing, Exported, Flags, object_text_of_number};
pub use scenario::{Deviation, Entry, Scenario, Tape};
pub(crate) use scheduling::*;
pub use shape::{Kind, Shape, schema};
pub use spans::{Distribution, HowLong};
pub(crate) use text::tree::{Place, at};
pub use text::{Problem, Problems, Source};
pub(crate) use text::{Tree, ambiguous, did_you_mean, did_you_mean_or_list, names_several, one_of};
pub(crate) use texts::Window;
pub use texts::{DelayText, DurationText, FlagValue, OneOrMany, QuantityText, TimeText, UsageText};
pub use timeline::Step;
pub(crate) use timing::{AttacherTiming, ClientLimit};
pub use timing::{ClientLimits, KubeletTiming, Timing};
pub(crate) use volumes::{Reach, VolumeClaim};
pub(crate) use workload::*;
