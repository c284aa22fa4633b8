//! Import: from what `kubectl get nodes,pods,… -A -o json` (or `-o yaml`) prints to a cluster in
//! the scenario language.
//!
//! ```text
//! input      files, standard input, gzip, encodings
//! sight      what a text is at first sight, YAML as plain values; what kubectl prints for people is
//!            refused with advice
//! document   JSON or YAML, cut into documents
//! yaml       limits and messages of YAML, behind the feature of that name
//! seeds      one pass over a document, lists to single objects, and what each kind has
//! object, annotations, fields: the fields that are read
//! node, pod  an object, checked, with times relative to time zero
//! workload   workloads, priority classes, and annotations of namespaces about tolerations
//! control_plane the command lines of the control plane's pods, and kubelet_config kubelets' configuration
//! releases   of which release it is
//! scheduling affinity, topology spread, host ports, gates, and disruption budgets
//! raw_volumes, storage, disks: claims, who makes their volumes, how much storage there is for
//!            them, from where they are reached, and these
//! selectors  expressions that select devices
//! raw_devices, device_claims, device_rules, devices: devices, claims on them, and rules that taint them
//! readiness  rules of the node readiness controller, and what it and agents wrote to nodes
//! named, gathered: all objects together, and duplicates
//! replica_sets those that are not in the files, made from their Deployment and its pods
//! adopt      orphans get the owners whose selectors match them
//! injected   containers that pods have and their template lacks
//! event      what events tell of what controllers remember
//! remembered what controllers remember of pods that wait, of Jobs, and of budgets
//! containers which container of a pod is the main one, and what is said of the others
//! seen, pace: how long one pod took to start and to stop, and those of each workload do
//! images     how large images are, and which nodes have them
//! ends       how often their containers ended
//! hooks      for how long their preStop hooks sleep
//! fit        from spans that were seen to how long something takes
//! groups     like nodes and pods become groups of the language, their names written short
//! finish     time zero, leases, what is left out
//! cluster    the result, and from a place in the scenario file back to an object
//! write      that file
//! ```
//!
//! Nothing here reads a clock: time zero is the newest heartbeat of the export. Kinds that are not
//! modelled (services) are counted in the `Summary` and left out; so are events, but for what they
//! tell of the scheduler's tries, of pods' starts and stops and of the node lifecycle controller's
//! passes, and a few fields of pods.

mod adopt;
mod annotations;
mod cluster;
mod containers;
mod control_plane;
mod device_claims;
mod device_rules;
mod devices;
mod disks;
mod document;
mod ends;
mod error;
mod event;
mod fields;
mod finish;
mod fit;
mod gathered;
mod groups;
mod hooks;
mod images;
mod injected;
mod input;
mod kubelet_config;
mod leader;
mod lines;
mod named;
mod node;
mod object;
mod pace;
mod pod;
mod prelude;
mod quantities;
mod raw_devices;
mod raw_volumes;
mod readiness;
mod releases;
mod remembered;
mod replica_sets;
mod scheduling;
mod seeds;
mod seen;
mod selectors;
mod sight;
mod storage;
mod summary;
mod times;
mod workload;
mod write;
#[cfg_attr(not(feature = "yaml"), path = "no_yaml.rs")]
mod yaml;

#[cfg(feature = "yaml")]
#[cfg(test)]
mod tests;

pub use cluster::ImportedCluster;
pub(crate) use device_rules::rules as device_taint_rules;
pub(crate) use error::{DEVICES, KUBECTL, PART, READINESS};
pub use error::{ImportError, WrongYaml};
pub(crate) use event::{about as event_about, component as event_component, made as event_made};
pub use input::Input;
pub(crate) use input::LIMIT as EXPORT_BYTES_MAX;
pub(crate) use sight::{is_export, is_meant_as_export, is_scenario};
pub(crate) use summary::Summary;
pub(crate) use times::{SECOND_US, Stamp, YEARS, micros, parse_time};
pub(crate) use write::Asked;
pub use yaml::to_json as yaml_to_json;
